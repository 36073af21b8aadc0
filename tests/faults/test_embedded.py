"""The library's own server: killed, still recovering, and mistaken for another program."""

import os
from contextlib import closing, suppress

import pytest

from tests.support.cluster import until
from tributary.adapters.postgres import embedded
from tributary.adapters.postgres.database import connector
from tributary.domain.errors import DatabaseUnavailableError


@pytest.fixture
def connect(cluster):
    """As the library does."""
    return embedded.reviving(cluster.folder, connector(conninfo=cluster.app))


def test_a_killed_server_is_started_again_by_whoever_needs_it(cluster, connect):
    assert cluster.kill_all() > 1
    until(lambda: is_answered(connect))


def test_a_killed_server_whose_number_another_program_has_got_is_started_again(cluster, connect):
    """As after a crash of the machine: what is left of the server names a process of today."""
    note = cluster.folder / "postmaster.pid"
    assert cluster.kill_all() > 1
    _, *rest = note.read_text().split("\n")
    note.write_text("\n".join([str(os.getpid()), *rest]))
    until(lambda: is_answered(connect))
    assert str(os.getpid()) not in note.read_text()


def test_a_server_that_is_still_recovering_is_unavailable_and_not_misconfigured(cluster, connect):
    with cluster.as_standby(hot=False), pytest.raises(DatabaseUnavailableError):
        connect()
    until(lambda: is_answered(connect))


def is_answered(connect):
    """False while the server recovers, as its caller is told."""
    with suppress(DatabaseUnavailableError), closing(connect()) as connection:
        return connection.execute("SELECT 1 AS one").fetchone() == {"one": 1}
    return False
