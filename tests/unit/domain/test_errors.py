"""The error tree, which is a contract with callers and with the state machine."""

import inspect
import json

import pytest

from tests.support.asl import LEARN
from tributary.domain import errors
from tributary.edge.http.problems import TABLE

ALL = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, Exception)
}
BASES = {"TributaryError", "TransientError"}
FOR_OPERATORS = {"ConfigurationError"}


def test_every_error_that_a_caller_can_meet_has_its_answer_and_no_other() -> None:
    assert set(TABLE) == set(ALL) - BASES - FOR_OPERATORS


def test_what_may_succeed_later_says_when_and_nothing_else_does() -> None:
    for name, problem in TABLE.items():
        transient = issubclass(ALL[name], errors.TransientError)
        assert (problem.status == 503) is transient, name
        assert (problem.retry_after is not None) is transient, name


def test_codes_are_stable() -> None:
    assert {name: problem.code for name, problem in TABLE.items()} == {
        "InvalidInputError": "invalid_input",
        "ForbiddenError": "forbidden",
        "NotFoundError": "not_found",
        "ConflictingStateError": "conflicting_state",
        "IdempotencyKeyReusedError": "idempotency_key_reused",
        "StaleCandidatesError": "contention",
        "TopicBusyError": "contention",
        "SerializationConflictError": "contention",
        "DatabaseUnavailableError": "database_unavailable",
        "EmbeddingFailedError": "embedding_failed",
        "ClassifierFailedError": "classifier_failed",
    }


def test_the_state_machine_knows_our_errors_by_names_that_exist() -> None:
    rules = [
        name
        for state in json.loads(LEARN.read_text())["States"].values()
        for rule in [*state.get("Retry", []), *state.get("Catch", [])]
        for name in rule["ErrorEquals"]
    ]
    ours = {name for name in rules if not name.startswith(("States.", "Lambda."))}
    assert ours
    assert ours <= {name for name, kind in ALL.items() if issubclass(kind, errors.TransientError)}


def test_the_tree_in_the_documentation_is_the_tree() -> None:
    drawn = [line.strip(" │├└─").split()[0] for line in (errors.__doc__ or "").split("\n")
             if "Error" in line and "`" not in line]  # fmt: skip
    assert set(drawn) == set(ALL)


@pytest.mark.parametrize(
    ("error", "said", "attributes"),
    [
        (errors.InvalidInputError("k", "is odd"), "k: is odd", {"field": "k", "reason": "is odd"}),
        (
            errors.ForbiddenError("reader", "writer"),
            "this needs the role writer; the key has the role reader",
            {"role": "reader", "needed": "writer"},
        ),
        (
            errors.NotFoundError("lesson", "7"),
            "no lesson 7 in this tribe",
            {"kind": "lesson", "key": "7"},
        ),
        (
            errors.ConflictingStateError("lesson", "7", "retired", "active"),
            "lesson 7 is retired; this needs it to be active",
            {"state": "retired", "wanted": "active"},
        ),
        (
            errors.StaleCandidatesError(2),
            "2 lessons near this one changed since it was compared",
            {"changed": 2},
        ),
        (errors.TopicBusyError("7"), "another learner is settling the topic 7", {"lineage": "7"}),
        (
            errors.SerializationConflictError("40001", 4),
            "gave up after 4 attempts (SQLSTATE 40001)",
            {"sqlstate": "40001", "attempts": 4},
        ),
    ],
)
def test_an_error_says_its_facts_and_carries_them(
    error: errors.TributaryError, said: str, attributes: dict[str, object]
) -> None:
    assert str(error) == said
    assert {name: getattr(error, name) for name in attributes} == attributes
