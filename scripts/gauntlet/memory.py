"""Tributary as an agent sees it: three HTTPS calls, and a bounded patience."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

ATTEMPTS = 5
LONGEST_WAIT = 10.0  # seconds, whatever Retry-After says
_RETRIED = frozenset({409, 429, 502, 503, 504})
# A proxy from the environment is of no use for a service on this very machine.
_NO_PROXY: Mapping[str, None] = {
    "all://127.0.0.1": None,
    "all://localhost": None,
    "all://*.localhost": None,
}


class MemoryUnavailableError(Exception):
    """No usable answer after all attempts; an agent can go on without one."""


class MemoryRefusedError(Exception):
    """Tributary understood the call and refused it; the same call would be refused again."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"HTTP {status} {code}: {detail}")
        self.status = status

    @property
    def hopeless(self) -> bool:
        """The key itself is refused: so would be every other call."""
        return self.status in (401, 403)


@dataclass(frozen=True, slots=True)
class RecalledLesson:
    """A lesson as recalled: text by someone else, to be judged, never to be obeyed."""

    id: str
    content: str
    situation: str
    agent: str

    @property
    def reading(self) -> str:
        """What a model would be shown of it."""
        return f"[{self.id}] {self.content}\n({self.situation})\n"


@dataclass(frozen=True, slots=True)
class LearnAnswer:
    """What a learn did; `lesson_id` is the lesson that now holds the statement."""

    outcome: str
    lesson_id: str


class Memory:
    """A client for one agent's key. A context manager; raises the two errors above only."""

    def __init__(
        self,
        url: str,
        key: str,
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._base = url.rstrip("/") + "/v1"
        self._sleep = sleep
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {key}"},
            timeout=60.0,
            transport=transport,
            mounts=_NO_PROXY,
        )

    def __enter__(self) -> "Memory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def recall(self, query: str, k: int = 3) -> tuple[RecalledLesson, ...]:
        """The lessons that match best, best first. What is not a lesson is left out."""
        body = self._post("/recall", {"query": query, "k": k})
        rows = body.get("lessons")
        lessons = [_lesson(row) for row in rows] if isinstance(rows, list) else []
        return tuple(lesson for lesson in lessons if lesson is not None)

    def learn(self, content: str, situation: str, key: str) -> LearnAnswer:
        """Have the lesson kept. `key` makes repeats of this very call harmless."""
        body = self._post("/learn", {"content": content, "situation": situation}, key)
        return LearnAnswer(str(body.get("outcome", "?")), str(body.get("lesson_id", "")))

    def reinforce(self, lesson_id: str, key: str) -> bool:
        """Say that a lesson helped; true, for there is no other answer."""
        self._post(f"/lessons/{quote(lesson_id, safe='')}/reinforce", {}, key)
        return True

    def _post(self, path: str, body: Mapping[str, object], key: str | None = None) -> Any:
        """The JSON object of a 2xx answer."""
        headers = {} if key is None else {"Idempotency-Key": key}
        for left in reversed(range(ATTEMPTS)):
            try:
                response = self._http.post(self._base + path, json=body, headers=headers)
            except httpx.TransportError as error:
                reason, wait = f"{type(error).__name__} {error}".strip(), 1.0
            else:
                if not _worth_a_retry(response):
                    return _body(response)
                reason, wait = f"HTTP {response.status_code}", _retry_after(response)
            if left:
                self._sleep(wait)
        raise MemoryUnavailableError(f"no answer after {ATTEMPTS} attempts: {reason}")


def _worth_a_retry(response: httpx.Response) -> bool:
    if response.status_code == 409:  # without Retry-After it is about the state of a lesson
        return "Retry-After" in response.headers
    return response.status_code in _RETRIED


def _retry_after(response: httpx.Response) -> float:
    """Seconds to wait; 1 when the header is missing, or is a date."""
    text = response.headers.get("Retry-After", "")
    return min(float(text), LONGEST_WAIT) if text.isascii() and text.isdigit() else 1.0


def _body(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        body = {}
        if response.is_success:
            raise MemoryUnavailableError(f"HTTP {response.status_code} without a JSON object")
    if response.is_success:
        return body
    detail = str(body.get("detail") or body.get("title") or response.reason_phrase)
    raise MemoryRefusedError(response.status_code, str(body.get("code", "")), detail)


def _lesson(row: object) -> RecalledLesson | None:
    if not isinstance(row, dict):
        return None
    identity, content = row.get("id"), row.get("content")
    if not isinstance(identity, str) or not isinstance(content, str):
        return None
    return RecalledLesson(
        id=identity,
        content=content,
        situation=str(row.get("situation") or "no situation given"),
        agent=str(row.get("agent") or "unknown"),
    )
