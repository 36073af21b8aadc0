"""Tributary in little: the three routes the agents use, over HTTP on the loopback."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

_WORD = re.compile(r"[a-z0-9]{3,}")


@dataclass(frozen=True)
class Call:
    """One request as it arrived."""

    path: str
    body: Mapping[str, Any]
    agent: str
    idempotency_key: str | None


@dataclass(frozen=True)
class Outage:
    """What the next request to a path that begins so is answered, once."""

    path: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class FakeTributary:
    """`callers` maps a key to (tribe, agent)."""

    callers: dict[str, tuple[str, str]]
    lessons: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)
    url: str = ""

    def put(self, tribe: str, content: str, agent: str = "someone") -> str:
        """Store a lesson; its id."""
        known = self.lessons.setdefault(tribe, [])
        number = sum(len(rows) for rows in self.lessons.values()) + 1
        identity = str(UUID(int=number))
        known.append({"id": identity, "content": content, "situation": None, "agent": agent})
        return identity

    def answer(self, call: Call, tribe: str) -> tuple[int, dict[str, Any]]:
        if call.path == "/v1/recall":
            return 200, self._recall(call, tribe)
        if call.path == "/v1/learn":
            identity = self.put(tribe, call.body["content"], call.agent)
            return 200, {"outcome": "inserted", "lesson_id": identity}
        found = re.fullmatch(r"/v1/lessons/([0-9a-f-]{36})/reinforce", call.path)
        if found and any(row["id"] == found[1] for row in self.lessons.get(tribe, [])):
            self.reinforced.append(found[1])
            return 200, {}
        return 404, {"code": "not_found", "detail": f"no {call.path}"}

    def _recall(self, call: Call, tribe: str) -> dict[str, Any]:
        wanted = set(_WORD.findall(call.body["query"].lower()))
        scored = [
            row | {"score": len(wanted & set(_WORD.findall(row["content"].lower())))}
            for row in self.lessons.get(tribe, [])
        ]
        best = sorted((row for row in scored if row["score"]), key=lambda row: -row["score"])
        return {"lessons": best[: call.body["k"]], "exact": True, "truncated": False}


@contextmanager
def serving(fake: FakeTributary) -> Iterator[FakeTributary]:
    """Serve the fake on a free port of the loopback; sets its `url`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake))
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(fake: FakeTributary) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            tribe, agent = fake.callers.get(
                self.headers["Authorization"].removeprefix("Bearer "), ("", "")
            )
            call = Call(self.path, body, agent, self.headers["Idempotency-Key"])
            fake.calls.append(call)
            outage = next((one for one in fake.outages if self.path.startswith(one.path)), None)
            if outage:
                fake.outages.remove(outage)
                self._send(outage.status, {"code": "outage"}, outage.headers)
            elif not tribe:
                self._send(401, {"code": "unauthorized", "detail": "no such key"}, {})
            else:
                self._send(*fake.answer(call, tribe), {})

        def _send(self, status: int, body: dict[str, Any], headers: Mapping[str, str]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
