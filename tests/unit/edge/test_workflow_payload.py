"""What travels between the states: all of it, exactly, and within the service's limits."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.asl import StateMachine
from tests.support.fakes import FixedClassifier, WordEmbedder, candidate
from tests.unit.usecases.flows import Bench, workflow_
from tributary.domain.lesson import MAX_CONTENT, MAX_TAG, MAX_TAGS, Draft, draft
from tributary.domain.plan import Outcome, Plan
from tributary.domain.roles import Actor, Role
from tributary.domain.validity import Validity
from tributary.domain.verdict import Candidate, Relation, Verdict
from tributary.edge.workflow import LearnState
from tributary.ports import Attempt, Embedding, Learned, Neighbourhood, Resolution, Settlement

LIMIT = 256 * 1024  # bytes of input or output of a state (Step Functions, "Quotas")
EMOJI = "\U0001f98a"  # 4 bytes in UTF-8

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
numbers = st.floats(allow_nan=False, allow_infinity=False)
instants = st.datetimes(
    datetime(1, 1, 3),  # noqa: DTZ001  hypothesis adds the time zone
    datetime(9999, 12, 29),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
)
validities = st.one_of(
    st.just(Validity()),
    st.builds(Validity, start=instants),
    st.builds(lambda start: Validity(start, start + timedelta(microseconds=1)), instants),
)
drafts = st.builds(
    Draft, texts, st.none() | texts, st.lists(texts, max_size=3).map(tuple), validities
)
ids = st.lists(st.uuids(), max_size=2).map(tuple)
verdicts = st.builds(Verdict, st.sampled_from(Relation), st.none() | st.uuids(), numbers, ids)
candidates = st.builds(
    Candidate,
    st.uuids(),
    st.uuids(),
    texts,
    texts,
    numbers,
    st.booleans(),
    validities,
    st.none() | texts,
)
answers = st.builds(
    Learned,
    st.sampled_from(Outcome),
    st.uuids(),
    st.none() | st.uuids(),
    st.none() | verdicts,
    st.uuids(),
    st.none() | texts,
    st.booleans(),
)
states = st.builds(
    LearnState,
    attempt=st.builds(
        Attempt,
        st.builds(Actor, texts, texts, st.sampled_from(Role)),
        drafts,
        st.uuids(),
        st.uuids(),
        st.none() | texts,
        st.booleans(),
        st.none()
        | st.builds(Settlement, st.uuids(), st.sampled_from(Resolution), st.none() | texts),
    ),
    round=st.integers(0, 9),
    park=st.booleans(),
    next=st.sampled_from([None, "settled", "classify", "commit"]),
    embedding=st.none() | st.builds(Embedding, st.lists(numbers, max_size=4), texts, st.booleans()),
    neighbourhood=st.builds(
        Neighbourhood,
        st.integers(0, 2**63 - 1),
        st.lists(candidates, max_size=2).map(tuple),
        st.none() | answers,
        st.booleans(),
    ),
    plan=st.none()
    | st.builds(
        Plan,
        st.sampled_from(Outcome),
        st.none(),
        candidates,
        st.lists(candidates, max_size=1).map(tuple),
        ids,
        st.none() | validities,
        texts,
    ),
    verdict=st.none() | verdicts,
    classifier=texts,
    flag=st.none() | texts,
    answer=st.none() | answers,
)


@settings(max_examples=60, deadline=None)
@given(states)
def test_a_payload_comes_back_exactly_as_it_went(state: LearnState) -> None:
    travelled = json.loads(json.dumps(state.payload()))
    back = LearnState.model_validate(travelled)
    assert back == state
    assert repr(back.attempt) == repr(state.attempt)  # what request hashes are made of
    assert back.payload() == travelled


def test_what_the_state_machine_adds_does_not_disturb() -> None:
    state = LearnState(attempt=Bench(workflow_).attempt("billing API port is 7001"))
    marked = state.payload() | {"stale": {"Error": "StaleCandidatesError", "Cause": "{}"}}
    assert LearnState.model_validate(marked) == state


def test_the_largest_learn_fits_between_two_states() -> None:
    novel = FixedClassifier(Verdict(Relation.NOVEL))
    bench = Bench(workflow_, embedder=Constant(), classifier=novel)
    text = EMOJI * (MAX_CONTENT - 1)
    for number in range(5):
        bench.learn(text + str(number), agent=f"agent-{number}" + "x" * 57)
    tags = [EMOJI * (MAX_TAG - 2) + f"{number:02}" for number in range(MAX_TAGS)]
    bench.learn(text + "5", situation=EMOJI * MAX_CONTENT, tags=tags, key="k" * 200)
    assert bench.execution is not None
    assert bench.store.last is not None
    assert len(bench.store.last.candidates) == 3  # the others would not have had room
    assert 5 * 4 * MAX_CONTENT < bench.execution.largest < LIMIT


class Constant:
    """Everything is near everything, with numbers as long as they come."""

    model = "constant"

    def embed(self, text: str) -> Embedding:
        vector = WordEmbedder().embed("x y z").vector
        return Embedding([value or -(384**-0.5) / 1e5 for value in vector], self.model, False)


def test_a_payload_that_is_none_is_refused_without_quoting_it() -> None:
    secret = "the vault is behind the painting"
    broken: dict[str, Any] = LearnState(attempt=Bench(workflow_).attempt(secret)).payload()
    broken["attempt"]["draft"] = secret
    with pytest.raises(ValidationError) as caught:
        LearnState.model_validate(broken)
    assert secret not in str(caught.value)


def test_the_state_machine_under_test_is_the_one_that_is_deployed() -> None:
    machine = StateMachine({}, sleep=lambda seconds: None)
    assert machine.definition["StartAt"] == "Prepare"
    assert set(machine.definition["States"]) >= {"Prepare", "Classify", "Commit", "Park"}


def test_every_candidate_field_travels() -> None:
    offered = candidate(1, "x", protected=True)
    seen = Neighbourhood(7, (offered,), None, leased=True)
    attempt = Bench(workflow_).attempt("y")
    state = LearnState(attempt=attempt, neighbourhood=seen, embedding=Embedding((0.1,), "m", True))
    prepared = LearnState.model_validate(state.payload()).prepared()
    assert prepared.neighbourhood == seen
    assert draft("y") == prepared.attempt.draft
