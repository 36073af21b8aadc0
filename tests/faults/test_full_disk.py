"""A disk without room: first for the tables, then for the write-ahead log, which ends the server.

Each on a small tmpfs that the test mounts; where it may not, the test says so and is skipped.
"""

import psycopg
import pytest

from tests.faults.conftest import settle, typed
from tests.support.cluster import new_cluster, until
from tests.support.functions import functions_on
from tests.support.load import under_load
from tests.support.tmpfs import small_disk
from tributary.doctor.histories import Told
from tributary.domain.errors import DatabaseUnavailableError

MEGABYTES = 400  # an empty migrated server takes about a fifth
WAL_MEGABYTES = 64
SMALL_WAL = {"min_wal_size": "32MB", "checkpoint_timeout": "1h"}  # one would make room


@pytest.fixture(scope="module")
def disk():
    with small_disk(MEGABYTES) as made:
        yield made


@pytest.fixture(scope="module")
def server(disk):
    with new_cluster(parent=disk.path) as made:
        yield made


def test_learners_on_a_full_disk_are_told_and_go_on_when_there_is_room(
    server, disk, learners, recorder, tribe
):
    memories = learners(server.app, 3)
    hopeful = memories.pop()
    with under_load(memories, recorder) as load:
        room = disk.fill()
        load.more_errors(4)
        assert disk.is_full
        with pytest.raises(DatabaseUnavailableError, match="53100"):
            learn_much(hopeful, recorder)
        disk.free()
        load.more(6)
    settle_with(server, tribe, recorder, load)
    print(f"\nfull after {room >> 20} MiB: {load.acknowledged} acknowledged, {dict(load.errors)}")


def learn_much(memory, recorder):
    """Until a table needs another page."""
    for number in range(1_000):
        content = f"lesson{number} " * 700
        learned = memory.learn(content, idempotency_key=f"full{number}")
        recorder.told.append(Told(content, learned, None, f"full{number}"))


def use_up_log(admin):
    """One file of it after the other, until none can be made."""
    for _ in range(WAL_MEGABYTES):
        admin.execute("SELECT pg_logical_emit_message(true, 'fill', 'up')")
        admin.execute("SELECT pg_switch_wal()")


def settle_with(server, tribe, recorder, load):
    assert load.errors["DatabaseUnavailableError"] >= 4
    settle(server.dsn, tribe, recorder)


def test_over_https_a_full_disk_is_503_and_the_next_call_after_it_works(server, disk, tribe):
    body = {"content": "alpha bravo charlie delta 1"}
    with functions_on(server.app, tribe) as service:
        service.found()
        disk.fill()
        # The tribe's partition is empty, so the first row needs a page.
        typed(service("POST /v1/learn", body), "database_unavailable")
        disk.free()
        assert service.ok("POST /v1/learn", body)["outcome"] == "inserted"


def test_a_server_that_cannot_write_its_log_ends_and_loses_nothing(disk, learners, recorder, tribe):
    with (
        small_disk(WAL_MEGABYTES) as small,
        new_cluster(SMALL_WAL, parent=disk.path, wal=small.path) as server,
    ):
        with under_load(learners(server.app, 3), recorder) as load:
            with server.admin() as admin:
                admin.execute("CHECKPOINT")  # so that there is little to recover
                small.fill()
                with pytest.raises(psycopg.OperationalError):
                    use_up_log(admin)
            load.more_errors(6)
            until(lambda: "PANIC" in said_by(server))
            small.free()
            server.start()  # where it has not recovered by itself
            load.more(6)
        settle_with(server, tribe, recorder, load)
        assert "No space left on device" in said_by(server)
        print(f"\nno room for the log: {load.acknowledged} acknowledged, {dict(load.errors)}")


def said_by(server):
    """The log of the server."""
    return (server.folder / "log").read_text(errors="replace")
