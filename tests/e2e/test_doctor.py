"""`tributary doctor` against the deployment, as somebody who has nothing but a key."""

import json
import os
import subprocess
import sys

import psycopg
from psycopg.conninfo import make_conninfo

from tests.e2e.conftest import ROOT

SIZE = ["--learners", os.environ.get("TRIBUTARY_TEST_LEARNERS", "4"),
        "--rounds", os.environ.get("TRIBUTARY_TEST_ROUNDS", "2")]  # fmt: skip


def doctor(*arguments, **environment):
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tributary.cli", "doctor", *arguments],
        cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=280,
    )  # fmt: skip


def rows_of_scratch_tribes(deployment):
    """By table, as the catalogue knows them."""
    with psycopg.connect(make_conninfo(deployment.dsn), autocommit=True) as admin:
        tables = admin.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid"
            " WHERE attname = 'tribe' AND relkind IN ('r', 'p') AND NOT relispartition"
            " AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        counts = {
            table: admin.execute(
                f"SELECT count(*) FROM {table} WHERE starts_with(tribe, '~')"
            ).fetchone()[0]
            for (table,) in tables
        }
        counts["tribes"] = admin.execute(
            "SELECT count(*) FROM tribes WHERE starts_with(name, '~')"
        ).fetchone()[0]
    assert len(counts) > 10
    return {table: number for table, number in counts.items() if number}


def test_the_deployment_is_healthy_and_nothing_of_the_examination_is_left(tribe, capsys):
    url = tribe.deployment.api_url
    done = doctor("--all", *SIZE, "--json", TRIBUTARY_URL=url, TRIBUTARY_KEY=tribe.curator_key)
    report = json.loads(done.stdout)
    failed = [one for one in report["checks"] if one["held"] == "failed"]
    assert failed == []
    assert (done.returncode, report["healthy"]) == (0, True)
    names = {one["name"]: one["held"] for one in report["checks"]}
    assert names == {
        "model": "ok",
        "isolation by the door": "ok",
        "isolation by the database": "not checkable",
        "plans of the shipped queries": "not checkable",
        "contention in one tribe": "ok",
        "contention across tribes": "ok",
    }
    assert rows_of_scratch_tribes(tribe.deployment) == {}
    assert tribe.curator.get("/v1/stats").json()["counts"].get("active") is None
    with capsys.disabled():
        for one in report["checks"]:
            print(f"\n{one['name']}: {one['result']}", end="")


def test_a_wrong_key_and_a_wrong_address_exit_with_2_and_say_what_to_do(tribe):
    url = tribe.deployment.api_url
    wrong_key = doctor("--model", "--url", url, "--key", "trib_wrong")
    assert (wrong_key.returncode, "curator's key" in wrong_key.stderr) == (2, True)
    nobody = doctor("--model", "--url", "http://127.0.0.1:9", "--key", "trib_wrong")
    assert (nobody.returncode, "check --url" in nobody.stderr) == (2, True)
