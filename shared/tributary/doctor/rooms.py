"""Scratch tribes for as long as a check takes."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tributary.doctor.door import Caller, Door, Room
from tributary.domain.errors import TransientError

TRIES = 3
_log = logging.getLogger(__name__)


@contextmanager
def rooms(door: Door, number: int) -> Iterator[list[Room]]:
    """New scratch tribes, removed whatever happens, an interruption included."""
    with ExitStack() as opened:
        made = []
        for _ in range(number):
            room = door.open()
            opened.callback(_remove, room)
            made.append(room)
        yield made


@contextmanager
def callers(*places: Room) -> Iterator[list[Caller]]:
    """One caller of each room."""
    with ExitStack() as opened:
        made = []
        for room in places:
            caller = room.caller()
            opened.callback(caller.close)
            made.append(caller)
        yield made


def _remove(room: Room) -> None:
    for _ in range(TRIES):
        try:
            return room.remove()
        except TransientError as error:
            last = error
    # It does not hide what went wrong before; the tribe ends by itself.
    _log.warning("%s is removed by the gardener after %s: %s", room.tribe, room.expires_at, last)
    return None
