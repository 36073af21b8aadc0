"""What the local stack remembers, and what it does when that is no longer true."""

import os
import socket
from pathlib import Path

from scripts.local import aws, state
from scripts.local.processes import LOOPBACK, alive, free_port
from scripts.local.state import Stack


def test_the_stack_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "new" / "stack.json"
    state.write(Stack(aws_port=4566, dsn="host=127.0.0.1"), file)

    assert state.read(file) == Stack(aws_port=4566, dsn="host=127.0.0.1")


def test_a_file_of_another_version_counts_as_none(tmp_path: Path) -> None:
    file = tmp_path / "stack.json"
    file.write_text('{"moved": 1}')

    assert state.read(file) == Stack()


def test_a_wished_port_is_taken_when_it_is_free() -> None:
    port = free_port()

    assert free_port(port) == port


def test_a_taken_port_is_replaced_by_another() -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]

        assert free_port(port) not in (0, port)


def test_a_server_whose_process_is_gone_does_not_run() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

    assert not alive(child)
    assert aws.running(child, free_port()) is None


def test_a_process_that_is_not_the_server_does_not_count_as_one() -> None:
    assert aws.running(os.getpid(), free_port()) is None
