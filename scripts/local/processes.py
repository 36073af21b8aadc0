"""Ports and processes."""

import os
import signal
import socket
import time

LOOPBACK = "127.0.0.1"


class LocalStackError(Exception):
    """The local stack cannot go on; the message says what to do."""


def free_port(wished: int | None = None) -> int:
    """A free TCP port of the loopback interface: the wished one when it is free."""
    for port in (wished, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port or 0))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise LocalStackError("no free port on 127.0.0.1")


def alive(pid: int | None) -> bool:
    """Whether a process of that number runs and is ours to signal."""
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return not _defunct(pid)


def stop(pid: int, seconds: float = 10.0) -> None:
    """Ask the process to end, and make it end when it does not in time."""
    _signal(pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    if alive(pid):
        _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _defunct(pid: int) -> bool:
    """True for a child of this very process that ended; collects it."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return False
