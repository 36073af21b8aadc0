"""A function in a process of its own, as Lambda runs it: frozen, killed, and replaced by another.

`python -m tests.support.function_process NAME` says "ready", reads an event from each line of its
input, and answers each with a line: `{"answer": ...}` or `{"error": "ClassName"}`.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from tests.functions.service import Workflow, function
from tests.support.asl import StateMachine
from tests.support.fakes import ValueClassifier, WordEmbedder


def main(name: str) -> None:
    from tributary.adapters.classify import heuristic
    from tributary.adapters.embedding.onnx import OnnxEmbedder

    OnnxEmbedder.load = WordEmbedder  # type: ignore[method-assign,assignment]
    heuristic.HeuristicClassifier = ValueClassifier  # type: ignore[misc,assignment]
    handler, answers = function(name), sys.stdout
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):  # the functions log to it
            try:
                said = {"answer": handler(json.loads(line), None)}
            except Exception as error:  # noqa: BLE001  as Lambda's runtime does
                said = {"error": type(error).__name__}
        print(json.dumps(said), file=answers, flush=True)


@dataclass(eq=False)
class Process:
    """One execution environment."""

    child: "subprocess.Popen[str]"
    unread: int = 0  # events that nobody has seen the answers of

    @classmethod
    def started(cls, name: str, environment: dict[str, str]) -> "Process":
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.support.function_process", name],
            env=os.environ | environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        made = cls(child)
        assert made.line(60) == "ready"
        return made

    def signal(self, number: int) -> None:
        self.child.send_signal(number)

    def ask(self, event: Any) -> None:
        assert self.child.stdin
        self.unread += 1
        self.child.stdin.write(json.dumps(event) + "\n")
        self.child.stdin.flush()

    def line(self, seconds: float) -> str | None:
        """The next line, "" when it was killed, None when there is none in time."""
        assert self.child.stdout
        # Nothing is read ahead: there is one line for each event.
        if not select.select([self.child.stdout], [], [], seconds)[0]:
            return None
        return self.child.stdout.readline().rstrip("\n")

    def answer(self, seconds: float) -> Any:
        """What it says to the event that nobody waits for any more."""
        line = self.line(seconds)
        assert line, "it was killed, or says nothing"
        self.unread -= 1
        return json.loads(line)

    def kill(self) -> None:
        """At once; the pipes to it stay open."""
        self.signal(signal.SIGKILL)
        self.child.wait()

    def end(self) -> None:
        """Killed, whatever it does."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self.child.communicate()


@dataclass(eq=False)
class Environments:
    """A function: a warm process for each call at a time; a busy or dead one is not used again.

    `timeout` stands for the TimeoutSeconds of the state. A call that takes longer, or whose process
    dies, ends as Step Functions says it does.
    """

    name: str
    variables: dict[str, str]
    timeout: float = 30.0
    warm: list[Process] = field(default_factory=list)
    all: list[Process] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def warmed(self) -> Process:
        """A process that the next call is going to use."""
        process = Process.started(self.name, self.variables)
        self.all.append(process)
        self.warm.append(process)
        return process

    def __call__(self, event: Any) -> Any:
        with self._lock:
            if not self.warm:
                self.warmed()
            process = self.warm.pop()
        try:
            process.ask(event)
        except BrokenPipeError:
            raise platform_error("Lambda.Unknown") from None
        line = process.line(self.timeout)
        if line is None:
            raise platform_error("States.Timeout")
        if not line:
            raise platform_error("Lambda.Unknown")
        process.unread -= 1
        self.warm.append(process)
        said = json.loads(line)
        if "error" in said:
            raise platform_error(said["error"])
        return said["answer"]


class ProcessWorkflow(Workflow):
    """Step Functions over processes; `before` is told the name of each state that is entered."""

    def __init__(self, functions: Mapping[str, Environments]) -> None:
        super().__init__()
        self.before: Callable[[str], None] = lambda name: None
        self._states = {name: self._state(name, each) for name, each in functions.items()}

    def _state(self, name: str, function: Environments) -> Callable[[Any], Any]:
        def entered(event: Any) -> Any:
            self.before(name)
            return function(event)

        return entered

    def start_sync_execution(self, **asked: str) -> dict[str, str]:
        done = StateMachine(self._states, sleep=lambda seconds: None).run(
            json.loads(asked["input"])
        )
        self.executions.append(done)
        if done.error:
            return {"status": "FAILED", "error": type(done.error).__name__, "cause": "{}"}
        return {"status": "SUCCEEDED", "output": json.dumps(done.output)}


def platform_error(name: str) -> Exception:
    """An error of that name, which is all that a state machine sees of it."""
    made: Exception = type(name, (Exception,), {})()
    return made


@contextmanager
def environments(*names: str, **variables: str) -> Iterator[dict[str, Environments]]:
    """The functions of these names, whose processes end with the context."""
    made = {name: Environments(name, variables) for name in names}
    try:
        yield made
    finally:
        for each in made.values():
            for process in each.all:
                process.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
