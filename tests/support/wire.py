"""A relay between a client and PostgreSQL that writes every message down, and can cut the line."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import BinaryIO, NamedTuple

from psycopg.conninfo import conninfo_to_dict, make_conninfo

CLIENT, SERVER = "client", "server"


class Message(NamedTuple):
    """One message of PostgreSQL's protocol 3: its letter, and what follows the length."""

    sender: str
    kind: str
    body: bytes


@dataclass
class Relay:
    """Listens on loopback and passes everything on to the server's Unix socket."""

    server_path: str
    messages: list[Message] = field(default_factory=list)
    cut_at: bytes | None = None

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = [self._listener]
        Thread(target=self._accept, daemon=True).start()

    def sent(self) -> list[tuple[str, str]]:
        """Every statement of the client: the name it is prepared under, and its text."""
        return [_parsed(one) for one in self.messages if one.sender == CLIENT and one.kind in "PQ"]

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
        self.cut_at = command.encode() + b"\0"

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
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.server_path)
                self._open += [client, server]
                Thread(target=self._pump, args=(CLIENT, client, server), daemon=True).start()
                Thread(target=self._pump, args=(SERVER, server, client), daemon=True).start()

    def _pump(self, sender: str, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError), source.makefile("rb") as stream:
            if sender == CLIENT:
                sink.sendall(_startup(stream))
            while head := stream.read(5):
                body = stream.read(int.from_bytes(head[1:]) - 4)
                message = Message(sender, chr(head[0]), body)
                self.messages.append(message)
                if self._cuts(message):
                    break
                sink.sendall(head + body)
        _hang_up(source)
        _hang_up(sink)

    def _cuts(self, message: Message) -> bool:
        if (message.sender, message.kind, message.body) != (SERVER, "C", self.cut_at):
            return False
        self.cut_at = None
        return True


@contextmanager
def relay(dsn: str) -> Iterator[Relay]:
    """A relay to the server of `dsn`."""
    parts = conninfo_to_dict(dsn)
    made = Relay(f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}")
    try:
        yield made
    finally:
        made.close()


def _parsed(message: Message) -> tuple[str, str]:
    parts = message.body.split(b"\0")
    if message.kind == "Q":
        return "", parts[0].decode()
    return parts[0].decode(), parts[1].decode()


def _startup(stream: BinaryIO) -> bytes:
    length = stream.read(4)
    return length + stream.read(int.from_bytes(length) - 4)


def _hang_up(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
