"""A relay between a client and PostgreSQL that writes every message down.

What it does to them is its `fault`; those that are more than a cut are in tests.support.faults.
"""

import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import BinaryIO, NamedTuple

from psycopg.conninfo import conninfo_to_dict, make_conninfo

CLIENT, SERVER = "client", "server"
STARTUP = "startup"  # the kind of the client's first message, which has no letter


class Message(NamedTuple):
    """One message of PostgreSQL's protocol 3: its letter, and what follows the length."""

    sender: str
    kind: str
    body: bytes


@dataclass(eq=False)
class Line:
    """One direction of one connection: what `sender` says is read and passed on to `sink`."""

    sender: str
    source: socket.socket
    sink: socket.socket
    resets: bool = False  # the client sees a reset instead of an orderly end

    def send(self, raw: bytes) -> None:
        self.sink.sendall(raw)

    def end_half(self) -> None:
        """The one who listens sees an end, and may go on talking."""
        self.sink.shutdown(socket.SHUT_WR)

    def hang_up(self) -> None:
        if self.resets:  # closed without a shutdown, and with nothing left to linger for
            self.source.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.source.close()
        _hang_up(self.source)
        _hang_up(self.sink)


# Told of each message, and of its bytes: passes them on or not. False ends the connection.
Fault = Callable[[Line, Message, bytes], bool]


def healthy(line: Line, message: Message, raw: bytes) -> bool:
    """No fault: everything is passed on."""
    line.send(raw)
    return True


@dataclass
class Cut:
    """The next "done" to a command never reaches the client, and the line goes dead."""

    command: str
    hits: int = 0

    def __call__(self, line: Line, message: Message, raw: bytes) -> bool:
        if self.hits == 0 and is_done(message, self.command):
            self.hits += 1
            return False
        return healthy(line, message, raw)


def is_done(message: Message, command: str) -> bool:
    """Whether the server says here that it has done this."""
    said = (message.sender, message.kind, message.body)
    return said == (SERVER, "C", command.encode() + b"\0")


@dataclass
class Relay:
    """Listens on loopback and passes everything on to the server's Unix socket, as `fault` does."""

    server_path: str
    messages: list[Message] = field(default_factory=list)
    fault: Fault = healthy

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = [self._listener]
        Thread(target=self._accept, daemon=True).start()

    def sent(self) -> list[tuple[str, str]]:
        """Every statement of the client: the name it is prepared under, and its text."""
        return [parsed(one) for one in self.messages if one.sender == CLIENT and one.kind in "PQ"]

    def texts(self) -> list[str]:
        return [text for _, text in self.sent()]

    def waits(self) -> int:
        """How often the client asked for answers: at each Sync, Flush or simple query.

        A Flush right behind a Sync asks for nothing more.
        """
        kinds = "".join(one.kind for one in self.messages if one.sender == CLIENT)
        return len(re.findall("SH|S|H|Q", kinds))

    def cut_the_answer_to(self, command: str) -> None:
        """The next "done" to this command never reaches the client, and the line goes dead."""
        self.fault = Cut(command)

    def conninfo(self, dsn: str) -> str:
        """The DSN, but through this relay."""
        return make_conninfo(
            dsn, host="127.0.0.1", port=self.port, sslmode="disable", gssencmode="disable"
        )

    def close(self) -> None:
        for one in self._open:
            _hang_up(one)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open.append(client)
                with suppress(OSError):  # the server may be down: then hang up at once
                    self._connect(client)
                    continue
                _hang_up(client)

    def _connect(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        self._open.append(server)
        server.connect(self.server_path)
        for line in (Line(CLIENT, client, server), Line(SERVER, server, client)):
            Thread(target=self._pump, args=(line,), daemon=True).start()

    def _pump(self, line: Line) -> None:
        with suppress(OSError), line.source.makefile("rb") as stream:
            going = line.sender == SERVER or self._startup(line, stream)
            while going and (head := stream.read(5)):
                body = stream.read(int.from_bytes(head[1:]) - 4)
                message = Message(line.sender, chr(head[0]), body)
                self.messages.append(message)
                going = self.fault(line, message, head + body)
        line.hang_up()

    def _startup(self, line: Line, stream: BinaryIO) -> bool:
        length = stream.read(4)
        body = stream.read(int.from_bytes(length) - 4)
        return self.fault(line, Message(CLIENT, STARTUP, body), length + body)


@contextmanager
def relay(dsn: str) -> Iterator[Relay]:
    """A relay to the server of `dsn`."""
    parts = conninfo_to_dict(dsn)
    made = Relay(f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}")
    try:
        yield made
    finally:
        made.close()


def parsed(message: Message) -> tuple[str, str]:
    """Of a Parse or a simple query: the name of the statement, and its text."""
    parts = message.body.split(b"\0")
    if message.kind == "Q":
        return "", parts[0].decode()
    return parts[0].decode(), parts[1].decode()


def _hang_up(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
