"""The doctor's way in over HTTPS: a curator's key is all that it has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx
from pydantic import TypeAdapter

from tributary.doctor.refusals import json_object, no_such, refusal, unreachable
from tributary.domain.errors import DatabaseUnavailableError, TransientError
from tributary.domain.lesson import Lesson
from tributary.ports import AuditEntry, Decision, Learned, RecalledLesson

PAGE = 200
TIMEOUT = 60.0  # seconds: longer than any function runs
_learned = TypeAdapter(Learned)
_lesson = TypeAdapter(Lesson)
_recalled = TypeAdapter(tuple[RecalledLesson, ...])
_chain = TypeAdapter(tuple[Lesson, ...])
_decision = TypeAdapter(Decision)
_audit = TypeAdapter(AuditEntry)
Document = dict[str, Any]


class Client:
    """Calls routes with one key, on connections of its own."""

    def __init__(self, url: str, key: str, transport: httpx.BaseTransport | None = None) -> None:
        self._url = url
        self._client = httpx.Client(
            base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=TIMEOUT,
            transport=transport,
        )  # fmt: skip

    def __call__(self, method: str, path: str, **parts: Any) -> Document:
        """The answer's document. Raises what refusal() makes of anything but a success."""
        try:
            answer = self._client.request(method, path, **parts)
        except httpx.ConnectError as error:
            raise unreachable(self._url) from error
        except httpx.TransportError as error:
            raise TransientError(f"no answer to {method} {path}") from error
        if not answer.is_success:
            raise refusal(answer.status_code, answer.text, f"{method} {path}")
        document = json_object(answer.text)
        if document is None:
            raise no_such(f"{method} {path}")
        return document

    def close(self) -> None:
        """End the connections."""
        self._client.close()


@dataclass(frozen=True, slots=True)
class ApiDoor:
    """Implements door.Door."""

    url: str
    key: str
    transport: httpx.BaseTransport | None = None  # of another kind than the network
    connect: None = None
    embedder: None = None

    @property
    def name(self) -> str:
        return f"the API at {self.url}"

    def open(self) -> "ApiRoom":
        client = Client(self.url, self.key, self.transport)
        try:
            opened = client("POST", "/v1/scratch")
        finally:
            client.close()
        ends = datetime.fromisoformat(opened["expires_at"])
        return ApiRoom(self, opened["tribe"], opened["key"], ends)


@dataclass(frozen=True, slots=True)
class ApiRoom:
    """Implements door.Room."""

    door: ApiDoor
    tribe: str
    key: str
    expires_at: datetime

    def caller(self) -> "ApiCaller":
        return ApiCaller(Client(self.door.url, self.key, self.door.transport))

    def remove(self) -> None:
        client = Client(self.door.url, self.key, self.door.transport)
        try:
            finished = client("DELETE", "/v1/scratch")["finished"]
        finally:
            client.close()
        if not finished:
            raise DatabaseUnavailableError(f"{self.tribe} is removed in part only")


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """Implements door.Caller."""

    call: Client

    def learn(self, content: str, key: str) -> Learned:
        headers = {"idempotency-key": key}
        return _learned.validate_python(
            self.call("POST", "/v1/learn", json={"content": content}, headers=headers)
        )

    def recall(self, query: str, k: int) -> tuple[RecalledLesson, ...]:
        answer = self.call("POST", "/v1/recall", json={"query": query, "k": k})
        return _recalled.validate_python(answer["lessons"])

    def lesson(self, lesson_id: UUID) -> Lesson:
        return _lesson.validate_python(self.call("GET", f"/v1/lessons/{lesson_id}"))

    def history(self, lesson_id: UUID) -> tuple[Lesson, ...]:
        answer = self.call("GET", f"/v1/lessons/{lesson_id}/history")
        return _chain.validate_python(answer["chain"])

    def decision(self, decision_id: UUID) -> Decision:
        row = self.call("GET", f"/v1/decisions/{decision_id}")
        near = [(one["id"], one["similarity"]) for one in row["candidates"]]
        return _decision.validate_python({**row, "candidates": near})

    def lessons(self) -> Iterator[Lesson]:
        return map(_lesson.validate_python, self._pages("/v1/lessons", "lessons"))

    def audit(self) -> Iterator[AuditEntry]:
        return map(_audit.validate_python, self._pages("/v1/audit", "entries"))

    def retire(self, lesson_id: UUID) -> None:
        reason = {"reason": "tried out by the doctor"}
        self.call("POST", f"/v1/lessons/{lesson_id}/retire", json=reason)

    def close(self) -> None:
        self.call.close()

    def _pages(self, path: str, field: str) -> Iterator[Mapping[str, Any]]:
        cursor: dict[str, str] = {}
        while True:
            page = self.call("GET", path, params={"limit": str(PAGE), **cursor})
            yield from page[field]
            if page["next"] is None:
                return
            cursor = {"cursor": page["next"]}
