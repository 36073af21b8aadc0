"""What callers see when parts of the service die, and that nothing is lost or half-written."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from scripts.local import postgres
from tests.e2e.conftest import until

LESSON = {"content": "Rotate the signing key before the certificate, or both are refused."}


@pytest.fixture
def database(deployment):
    """The server under the deployment; it runs again when the test is over."""
    folder = deployment.home / "stack" / "postgres"
    port = int(deployment.dsn.split("port=")[1].split()[0])

    class Server:
        def stop(self):
            assert postgres.stop(folder)

        def start(self):
            assert postgres.start(folder, port) == port

    server = Server()
    yield server
    if not postgres.is_running(folder):
        server.start()


def workers(deployment, function):
    """The processes that run a function."""
    mark = str(deployment.home)
    return [
        process
        for process in psutil.process_iter(["cmdline", "environ"])
        if any(mark in part for part in process.info["cmdline"] or [])
        and (process.info["environ"] or {}).get("AWS_LAMBDA_FUNCTION_NAME", "").endswith(function)
    ]


def test_a_stopped_database_is_503_and_the_next_call_after_it_is_back_works(tribe, database):
    ada = tribe.agent("ada")
    assert ada.post("/v1/learn", json=LESSON).status_code == 200
    database.stop()
    for refused in (
        ada.post("/v1/recall", json={"query": "key"}),
        ada.post("/v1/learn", json={"content": "Something new."}),
        ada.get("/v1/lessons"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
        assert int(refused.headers["retry-after"]) >= 1
    database.start()
    (lesson,) = ada.post("/v1/recall", json={"query": "key"}).json()["lessons"]
    assert lesson["content"] == LESSON["content"]
    assert len(ada.get("/v1/lessons").json()["lessons"]) == 1


@pytest.mark.parametrize("function", ["prepare", "commit"])
def test_a_killed_state_loses_nothing_and_the_same_key_gives_one_lesson(tribe, function):
    ada = tribe.agent("ada")
    ada.post("/v1/learn", json={"content": "An unrelated lesson, to have every function warm."})
    stopped = workers(tribe.deployment, function)
    assert stopped
    for worker in stopped:
        os.kill(worker.pid, signal.SIGSTOP)
    headers = {"idempotency-key": f"killed-{function}"}
    with ThreadPoolExecutor(1) as pool:
        learning = pool.submit(ada.post, "/v1/learn", json=LESSON, headers=headers)
        for worker in stopped:
            os.kill(worker.pid, signal.SIGKILL)
        first = learning.result(timeout=60)
    assert first.status_code in (200, 500, 503)
    again = until(lambda: ada.post("/v1/learn", json=LESSON, headers=headers), 200)
    held = [
        one
        for one in ada.get("/v1/lessons").json()["lessons"]
        if one["content"] == LESSON["content"]
    ]
    assert [one["id"] for one in held] == [again.json()["lesson_id"]]
