"""The API as callers meet it, put together of the functions without a network between them."""

import json
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from tests.support.asl import StateMachine
from tests.support.events import call
from tributary.edge import runtime
from tributary.edge.executions import Executions
from tributary.edge.routes import ROUTES

FOLDER = {f"{route.method} {route.path}": route.function for route in ROUTES}
LOGS = Callable[[], list[dict[str, Any]]]
PROBLEM = "application/problem+json"


def function(name: str) -> Callable[[Any, Any], Any]:
    """A function's entry point."""
    handler: Callable[[Any, Any], Any] = import_module(f"functions.{name}.handler").handler
    return handler


class Workflow:
    """Stands in for Step Functions' client: runs the state machine over the real functions."""

    def __init__(self) -> None:
        self.executions: list[Any] = []

    def start_sync_execution(self, **asked: str) -> dict[str, str]:
        states = {
            name: lambda event, name=name: function(name)(event, None)
            for name in ("prepare", "classify", "commit")
        }
        done = StateMachine(states, sleep=lambda seconds: None).run(json.loads(asked["input"]))
        self.executions.append(done)
        if done.error:
            return {"status": "FAILED", "error": type(done.error).__name__, "cause": "{}"}
        return {"status": "SUCCEEDED", "output": json.dumps(done.output)}

    def start_execution(self, **asked: str) -> dict[str, str]:
        self.start_sync_execution(**asked)
        return {}


class Service:
    """Calls routes as one tribe."""

    def __init__(self, tribe: str) -> None:
        self.tribe = tribe
        self.client = Workflow()

    def found(self) -> None:
        runtime.wiring().registry.found(self.tribe)

    def workflow(self) -> Executions:
        return Executions(self.client, "arn")  # type: ignore[arg-type]

    def __call__(self, route: str, body: Any = None, **parts: Any) -> SimpleNamespace:
        """The answer: `status`, `headers`, `body` (parsed) and `text`."""
        if body is not None:
            parts["body"] = body
        event = json.loads(json.dumps(call(route, **({"tribe": self.tribe} | parts))))
        answer = function(FOLDER[route])(event, None)
        json.dumps(answer)  # as Lambda does
        return SimpleNamespace(
            status=answer["statusCode"],
            headers=answer["headers"],
            body=json.loads(answer["body"]),
            text=answer["body"],
        )

    def ok(self, route: str, body: Any = None, **parts: Any) -> dict[str, Any]:
        """The body of an answer that must be a success."""
        answer = self(route, body, **parts)
        assert answer.status < 300, answer.text
        assert answer.headers["content-type"] == "application/json"
        document: dict[str, Any] = answer.body
        return document

    def problem(self, route: str, body: Any = None, **parts: Any) -> dict[str, Any]:
        """The body of an answer that must be a problem, and our callers' own."""
        answer = self(route, body, **parts)
        assert 400 <= answer.status < 500, (answer.status, answer.text)
        assert answer.headers["content-type"] == PROBLEM
        assert answer.body["status"] == answer.status
        document: dict[str, Any] = answer.body
        return document

    def stored(self) -> dict[str, int]:
        """Counts of all that a learn could have left behind."""
        counts: dict[str, int] = self.ok("GET /v1/stats")["counts"]
        return counts
