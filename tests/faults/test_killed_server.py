"""`kill -9` of PostgreSQL, all of its processes at once, again and again under load.

`TRIBUTARY_KILLS` sets how often; `pytest -s` shows the figures.
"""

import os
import statistics
from time import monotonic

import pytest

from tests.faults.conftest import settle, typed
from tests.support.functions import functions_on
from tests.support.load import under_load
from tests.support.sql import value

KILLS = int(os.environ.get("TRIBUTARY_KILLS", "20"))
WRITERS = 4
DURABLE = ("fsync", "synchronous_commit", "full_page_writes")


@pytest.mark.timeout(120 + 15 * KILLS)
def test_a_server_killed_again_and_again_loses_no_acknowledged_learn(
    cluster, learners, recorder, tribe
):
    with cluster.admin() as admin:
        assert {value(admin, f"SHOW {name}") for name in DURABLE} == {"on"}
    hit_at_work, backends, down = 0, [], []
    with under_load(learners(cluster.app, WRITERS), recorder) as load:
        for _ in range(KILLS):
            load.more(4 * WRITERS)
            hit_at_work += load.in_flight > 0
            backends.append(cluster.kill_all())
            killed = monotonic()
            load.more_errors()
            cluster.start()
            load.more(1)  # by the same memories, which nobody has restarted
            down.append(monotonic() - killed)
    settle(cluster.dsn, tribe, recorder)
    print(
        f"\n{KILLS} kills, {hit_at_work} while a learn was under way,"
        f" {sum(backends)} processes; {load.acknowledged} acknowledged learns, 0 lost,"
        f" 0 twice; callers met {dict(load.errors)};"
        f" {statistics.median(down):.1f} s from a kill to the next answer (median)"
    )
    assert hit_at_work > KILLS / 2
    assert min(backends) > WRITERS  # the writers' backends, and the server's own
    assert load.errors["DatabaseUnavailableError"] >= KILLS


def test_over_https_a_killed_server_is_503_until_it_runs_again(cluster, recorder, tribe):
    with functions_on(cluster.app, tribe) as service:
        service.found()
        body = {"content": "alpha bravo charlie delta 1"}
        service.ok("POST /v1/learn", body, headers={"idempotency-key": "k"})
        assert cluster.kill_all() > 1
        typed(service("POST /v1/learn", body), "database_unavailable")
        typed(service("POST /v1/recall", {"query": "alpha bravo"}), "database_unavailable")
        typed(service("GET /v1/lessons"), "database_unavailable")
        cluster.start()
        (lesson,) = service.ok("POST /v1/recall", {"query": "alpha bravo"})["lessons"]
        again = service.ok("POST /v1/learn", body, headers={"idempotency-key": "k"})
        assert again["lesson_id"] == lesson["id"]
