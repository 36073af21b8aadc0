"""Function processes that are frozen or killed: between the states, and between commit and answer.

The states run in processes of their own, as Lambda has them, over the real state machine.
"""

import signal
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from tests.faults.conftest import settle, typed
from tests.functions.conftest import variables
from tests.support.cluster import until
from tests.support.faults import Hold
from tests.support.function_process import ProcessWorkflow, environments
from tests.support.functions import functions_on
from tests.support.load import under_load
from tests.support.sql import value
from tests.support.wire import relay
from tributary.doctor.histories import Told
from tributary.domain.plan import Outcome
from tributary.ports import Learned

TIMEOUT = 2.0  # seconds; 8 in statemachines/learn.asl.json
LIMIT = 2_000  # milliseconds a transaction may take; 20 s in migration 0001
CONTENT = "unheard of until now 1"


@pytest.fixture
def line(dsn):
    with relay(dsn) as made:
        yield made


@pytest.fixture
def functions(line, dsn):
    """The states, in processes behind the line."""
    limits = f"-c transaction_timeout={LIMIT} -c lock_timeout=5s"
    settings = variables(line.conninfo(dsn)) | {"PGOPTIONS": limits}
    with environments("prepare", "classify", "commit", **settings) as made:
        for each in made.values():
            each.warmed()
        yield made


@pytest.fixture
def service(dsn, tribe, functions):
    """The routes, in this process; their workflow runs over the processes."""
    with functions_on(dsn, tribe) as made:
        made.found()
        made.client = ProcessWorkflow(functions)
        yield made


@pytest.fixture
def load(learners, recorder, dsn, admin_dsn, tribe, functions):
    """Others learn in the tribe meanwhile; in the end everything is checked."""
    with under_load(learners(dsn, 2), recorder) as made:
        yield made
    settle(admin_dsn, tribe, recorder)


@pytest.fixture
def learn(service, recorder):
    """Learn over HTTPS, always with the same key; what the caller is told is written down."""

    def call():
        answer = service(
            "POST /v1/learn", {"content": CONTENT}, headers={"idempotency-key": "k"}, agent="bob"
        )
        if answer.status != 200:
            recorder.unanswered(CONTENT, "k")
            return answer
        said = answer.body
        learned = Learned(
            Outcome(said["outcome"]), UUID(said["lesson_id"]), None, None,
            UUID(said["decision_id"]),
        )  # fmt: skip
        recorder.told.append(Told(CONTENT, learned, None, "k"))
        return answer

    return call


def stored(admin, tribe):
    """How often the lesson is there, in whatever state."""
    asked = "SELECT count(*) FROM lessons WHERE tribe = %s AND content = %s"
    return value(admin, asked, tribe, CONTENT)


def test_a_commit_that_was_frozen_past_its_time_and_goes_on_makes_no_second_truth(
    functions, load, learn, admin, tribe
):
    commit = functions["commit"]
    (frozen,) = commit.warm
    frozen.signal(signal.SIGSTOP)
    commit.timeout = TIMEOUT
    typed(learn(), "timed_out")
    assert (frozen.unread, stored(admin, tribe)) == (1, 0)
    commit.timeout = 30
    again = learn()  # in another process
    assert (again.status, len(commit.all)) == (200, 2)
    frozen.signal(signal.SIGCONT)
    late = frozen.answer(60)["answer"]["answer"]
    assert late["decision_id"] == again.body["decision_id"]
    assert late["lesson_id"] == again.body["lesson_id"]
    assert stored(admin, tribe) == 1
    load.more(6)


def test_a_commit_that_was_frozen_inside_the_gate_loses_it_and_stores_nothing(
    functions, load, learn, line, admin, tribe
):
    commit = functions["commit"]
    (frozen,) = commit.warm
    held = line.fault = Hold("LOCK TABLE")
    commit.timeout = TIMEOUT
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(learn)
        assert held.reached.wait(60)
        frozen.signal(signal.SIGSTOP)
        held.released.set()
        typed(first.result(60), "timed_out")
    load.more(6)  # the server has taken the gate from it
    commit.timeout = 30
    again = learn()
    assert again.status == 200
    frozen.signal(signal.SIGCONT)
    assert frozen.answer(60) == {"error": "DatabaseUnavailableError"}
    assert stored(admin, tribe) == 1


def test_a_process_killed_between_prepare_and_commit_leaves_nothing_and_the_next_call_works(
    functions, load, learn, service, admin, tribe
):
    (killed,) = functions["commit"].warm

    def kill(name):
        if name == "commit" and killed.child.poll() is None:
            killed.kill()

    service.client.before = kill
    typed(learn(), "timed_out")
    assert killed.child.poll() == -signal.SIGKILL
    assert service.client.executions[-1].path[-1] == "Commit"
    assert stored(admin, tribe) == 0
    assert learn().status == 200
    assert stored(admin, tribe) == 1
    load.more(6)


@pytest.mark.parametrize("state", ["prepare", "classify"])
def test_a_process_killed_in_an_earlier_state_costs_an_answer_at_most(
    functions, load, learn, admin, tribe, state, service
):
    (killed,) = functions[state].warm
    killed.kill()
    answer = learn()
    if state == "prepare":
        typed(answer, "timed_out")
        answer = learn()
    # A classifier that is gone parks the lesson: nothing is lost, and nothing is guessed.
    expected = {"prepare": "inserted", "classify": "pending"}[state]
    assert (answer.status, answer.body["outcome"]) == (200, expected)
    assert stored(admin, tribe) == 1
    load.more(6)


def test_a_process_killed_after_its_commit_and_before_its_answer_is_answered_for_by_the_next(
    functions, load, learn, line, admin, tribe
):
    (killed,) = functions["commit"].warm
    held = line.fault = Hold("COMMIT", behind="LOCK TABLE")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(learn)
        assert held.reached.wait(60)
        until(lambda: stored(admin, tribe) == 1)  # the server has committed
        killed.kill()
        held.released.set()
        typed(first.result(60), "timed_out")
    again = learn()
    assert (again.status, again.body["outcome"]) == (200, "inserted")
    assert stored(admin, tribe) == 1
    load.more(6)
