"""Walks the edges of a state machine in this process: enough of the States language for ours."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonata import Jsonata

Payload = dict[str, Any]
State = dict[str, Any]
LEARN = Path(__file__).parents[2] / "statemachines" / "learn.asl.json"


@dataclass
class Execution:
    """How one execution went; `path` names every state entered, and again for each retry."""

    path: list[str] = field(default_factory=list)
    output: Payload | None = None
    error: Exception | None = None
    largest: int = 0  # bytes of the largest payload between two states


@dataclass(frozen=True)
class StateMachine:
    """Over functions in this process; `sleep` is told how long each retry would wait."""

    functions: Mapping[str, Callable[[Payload], Payload]]
    sleep: Callable[[float], None]
    definition: State = field(default_factory=lambda: json.loads(LEARN.read_text()))

    def run(self, payload: Payload) -> Execution:
        done = Execution()
        name: str | None = self.definition["StartAt"]
        while name:
            done.path.append(name)
            text = json.dumps(payload, ensure_ascii=False)
            done.largest = max(done.largest, len(text.encode()))
            state = self.definition["States"][name]
            try:
                payload, name = self._step(name, state, json.loads(text), done)
            except Exception as error:  # noqa: BLE001  what the execution ends with
                done.error = error
                return done
        done.output = payload
        return done

    def _step(
        self, name: str, state: State, given: Payload, done: Execution
    ) -> tuple[Payload, str | None]:
        if state["Type"] == "Choice":
            return given, _chosen(state, given)
        if state["Type"] == "Succeed":
            return given, None
        if state["Type"] == "Pass":
            return _passed(state, given), state["Next"]
        try:
            return self._task(name, state, given, done), state.get("Next")
        except Exception as error:
            caught = next(_matching(state.get("Catch", []), error), None)
            if caught is None:
                raise
            said = {"Error": type(error).__name__, "Cause": str(error)}
            return given | {caught["ResultPath"].removeprefix("$."): said}, caught["Next"]

    def _task(self, name: str, state: State, given: Payload, done: Execution) -> Payload:
        function = state["Parameters"]["FunctionName"].removeprefix("${").split("FunctionArn")[0]
        used: dict[int, int] = {}
        while True:
            try:
                return self.functions[function.lower()](given)
            except Exception as error:
                retrier = next(_matching(state.get("Retry", []), error), None)
                if retrier is None or used.get(id(retrier), 0) >= retrier["MaxAttempts"]:
                    raise
                tries = used[id(retrier)] = used.get(id(retrier), 0) + 1
                wait = retrier["IntervalSeconds"] * retrier["BackoffRate"] ** (tries - 1)
                self.sleep(min(wait, retrier.get("MaxDelaySeconds", wait)))
                done.path.append(name)


def _matching(rules: list[State], error: Exception) -> Iterator[State]:
    wanted = {type(error).__name__, "States.ALL"}
    return (rule for rule in rules if wanted & set(rule["ErrorEquals"]))


def _chosen(state: State, given: Payload) -> str:
    for choice in state["Choices"]:
        if given[choice["Variable"].removeprefix("$.")] == choice["StringEquals"]:
            return str(choice["Next"])
    raise AssertionError("States.NoChoiceMatched")


def _passed(state: State, given: Payload) -> Payload:
    if state.get("QueryLanguage") != "JSONata":
        return given | {state["ResultPath"].removeprefix("$."): state["Result"]}
    expression = Jsonata(state["Output"].removeprefix("{%").removesuffix("%}"))
    expression.assign("states", {"input": given})
    output: Payload = expression.evaluate(None)
    return output
