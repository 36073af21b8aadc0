"""What a line between client and PostgreSQL can do to what is said on it. Each counts its hits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock

from tests.support.wire import CLIENT, SERVER, STARTUP, Line, Message, healthy, is_done, parsed

SERIALIZABLE = "BEGIN ISOLATION LEVEL SERIALIZABLE"


@dataclass
class ResetAtCommit:
    """Resets the line when a learn says COMMIT: in turn after it was passed on, and before.

    At every `every`th COMMIT of a learn, `most` times. The client cannot tell the two apart.
    """

    every: int
    most: int
    seen: int = 0
    after: int = 0
    before: int = 0
    _writing: set[Line] = field(default_factory=set)
    _committing: set[Line] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    @property
    def hits(self) -> int:
        return self.after + self.before

    def __call__(self, line: Line, message: Message, raw: bytes) -> bool:
        with self._lock:
            if line.sender == CLIENT and message.kind == "P":
                return self._statement(line, parsed(message)[1], raw)
            if line.sender == CLIENT and message.kind == "S" and line in self._committing:
                self._committing.discard(line)
                line.send(raw)
                self.after += 1
                return False
        return healthy(line, message, raw)

    def _statement(self, line: Line, text: str, raw: bytes) -> bool:
        if text == SERIALIZABLE:
            self._writing.add(line)
        if text == "COMMIT" and line in self._writing:
            self._writing.discard(line)
            self.seen += 1
            if self.seen % self.every == 0 and self.hits + len(self._committing) < self.most:
                line.resets = True
                if self.after > self.before:
                    self.before += 1
                    return False
                self._committing.add(line)
        line.send(raw)
        return True


@dataclass
class Slow:
    """Waits before each piece that the server sends; a piece of 0 bytes is a whole message."""

    seconds: float
    piece: int = 0
    hits: int = 0
    _ended: Event = field(default_factory=Event)

    def __call__(self, line: Line, message: Message, raw: bytes) -> bool:
        if line.sender == CLIENT:
            return healthy(line, message, raw)
        size = self.piece or len(raw)
        for start in range(0, len(raw), size):
            self.hits += 1
            self._ended.wait(self.seconds)
            line.send(raw[start : start + size])
        return True

    def end(self) -> None:
        """From now on at full speed."""
        self._ended.set()


@dataclass
class HalfClose:
    """Ends one direction at the next COMMIT of the client; the other stays open."""

    sender: str  # whose words are not passed on any more
    hits: int = 0

    def __call__(self, line: Line, message: Message, raw: bytes) -> bool:
        if self.hits == 0 and self._is_it(message):
            self.hits += 1
            line.end_half()
            return True
        return healthy(line, message, raw)

    def _is_it(self, message: Message) -> bool:
        if self.sender == SERVER:
            return is_done(message, "COMMIT")
        return message.sender == CLIENT and message.kind == "P" and parsed(message)[1] == "COMMIT"


@dataclass
class BlackHole:
    """Takes what the client sends, from what `begins` says on, and answers nothing."""

    begins: Callable[[Message], bool] = lambda message: True
    hits: int = 0
    _swallowed: set[int] = field(default_factory=set)

    def __call__(self, line: Line, message: Message, raw: bytes) -> bool:
        client = line.source if line.sender == CLIENT else line.sink
        if message.sender == CLIENT and self.begins(message):
            self._swallowed.add(id(client))
        if id(client) in self._swallowed:
            self.hits += 1
            return True
        return healthy(line, message, raw)


def at_connect(message: Message) -> bool:
    """A black hole that takes new connections only."""
    return message.kind == STARTUP


@dataclass
class Hold:
    """Keeps the server's "done" to a command back until it is let go; the line then goes on.

    Of all such commands, the first that comes on a line `behind` another one, when that is given.
    """

    command: str
    behind: str | None = None
    reached: Event = field(default_factory=Event)
    released: Event = field(default_factory=Event)
    hits: int = 0
    _near: set[Line] = field(default_factory=set)

    def __call__(self, line: Line, message: Message, raw: bytes) -> bool:
        if self.behind and is_done(message, self.behind):
            self._near.add(line)
        near = self.behind is None or line in self._near
        if self.hits == 0 and near and is_done(message, self.command):
            self.hits += 1
            self.reached.set()
            self.released.wait()
        return healthy(line, message, raw)
