"""One HTTPS call, from API Gateway's event (payload format 2.0) to its answer."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from tributary.domain.errors import DatabaseUnavailableError, InvalidInputError
from tributary.domain.roles import Actor, Role
from tributary.edge.http.problems import INTERNAL, body_of, problem_of
from tributary.edge.http.requests import NoParameters
from tributary.edge.observability import logger, metrics, places

Model = TypeVar("Model", bound=BaseModel)
Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; `document` is its JSON body."""

    document: BaseModel
    status: int = 200
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """What a route's function is given."""

    actor: Actor
    event: Event

    def header(self, name: str) -> str | None:
        """A header's value; `name` in lower case, as API Gateway sends them."""
        value: str | None = (self.event.get("headers") or {}).get(name)
        return value

    def path_id(self, name: str) -> UUID:
        """A UUID of the path."""
        return uuid_of(self.path(name), name)

    def path(self, name: str) -> str:
        """A part of the path."""
        return str((self.event.get("pathParameters") or {}).get(name, ""))

    def body(self, model: type[Model]) -> Model:
        """The JSON body as `model`; there may be no query parameters beside it."""
        self.parameters(NoParameters)
        document = _json(_raw_body(self.event))
        if not isinstance(document, dict):
            raise InvalidInputError("body", "must be a JSON object")
        return _validated(model, document)

    def parameters(self, model: type[Model]) -> Model:
        """The query parameters as `model`."""
        return _validated(model, dict(self.event.get("queryStringParameters") or {}))

    def nothing(self) -> None:
        """Refuse query parameters, and every body but an empty object."""
        self.parameters(NoParameters)
        if _raw_body(self.event):
            self.body(NoParameters)


def uuid_of(text: str, field: str) -> UUID:
    """Raises InvalidInputError."""
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInputError(field, "is not a UUID") from None


Route = Callable[[Call], Answer]


def serve(event: Event, routes: Mapping[str, Route]) -> dict[str, Any]:
    """Call the route that the event names; every error becomes a problem document."""
    name = event["routeKey"]
    try:
        answered = _response(routes[name](Call(_actor(event), event)))
    except Exception as error:  # noqa: BLE001  nothing may leave without an answer
        answered = _problem(name, error)
    _count(name, answered["statusCode"])
    return answered


def _response(answer: Answer) -> dict[str, Any]:
    return {
        "statusCode": answer.status,
        "headers": {"content-type": "application/json", **(answer.headers or {})},
        "body": answer.document.model_dump_json(),
    }


def _problem(route: str, error: Exception) -> dict[str, Any]:
    problem = problem_of(error)
    if problem is INTERNAL:
        # Not the message: it may quote a lesson. The stack shows where.
        logger().error("unexpected error", extra={"error": type(error).__name__, "route": route,
                                                  "stack": places(error)})  # fmt: skip
    else:
        logger().info("refused", extra={"code": problem.code, "route": route})
    headers = {"content-type": "application/problem+json"}
    if problem.retry_after is not None:
        headers["retry-after"] = str(problem.retry_after)
    body = json.dumps(body_of(error, problem))
    return {"statusCode": problem.status, "headers": headers, "body": body}


def _count(route: str, status: int) -> None:
    gauge = metrics()
    gauge.add_dimension("route", route)
    gauge.add_metric(name=f"Status{status // 100}xx", unit="Count", value=1)
    gauge.flush_metrics()


def _actor(event: Event) -> Actor:
    """Who calls, as the authorizer found by the key.

    The authorizer itself cannot answer 503, so it says here that it could not look the key up.
    """
    known = event["requestContext"]["authorizer"]["lambda"]
    if known.get("unavailable"):
        raise DatabaseUnavailableError("the key could not be checked")
    return Actor(known["tribe"], known["agent"], Role[known["role"].upper()])


def _raw_body(event: Event) -> str:
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body)
    try:
        return base64.b64decode(body, validate=True).decode()
    except ValueError:  # not base64, or what it holds is not UTF-8
        raise InvalidInputError("body", "is not UTF-8 text") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        raise InvalidInputError("body", "is not JSON") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two readers of one document may each keep another of two values: refuse both."""
    document: dict[str, Any] = {}
    for name, value in pairs:
        if name in document:
            raise InvalidInputError(_printable(name), "is given twice")
        document[name] = value
    return document


def _validated(model: type[Model], document: dict[str, Any]) -> Model:
    try:
        return model.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise InvalidInputError(_printable(field), _reason(first["type"], first["msg"])) from None


def _reason(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "is not a field of this request"
    if kind == "missing":
        return "is required"
    return message[0].lower() + message[1:]


def _printable(field: str) -> str:
    """A field's name comes from the caller: keep it short and free of controls."""
    return field[:80].encode("unicode_escape").decode()
