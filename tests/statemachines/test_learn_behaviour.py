"""The state machine as it runs, over functions that fail as told; each branch is counted."""

import copy
from typing import Any

import pytest

from scripts.local.aws import LocalAws
from tests.support.local_aws import ScriptedWorkflow

CONFLICT = "SerializationConflictError"
STALE = "StaleCandidatesError"
BUSY = "TopicBusyError"


def test_a_learn_without_trouble_takes_each_state_once(workflow: ScriptedWorkflow) -> None:
    ended = workflow.run()

    assert ended.path == ["prepare", "classify", "commit"]
    assert ended.status == "SUCCEEDED"
    assert ended.output["answer"] == {"outcome": "inserted"}


def test_what_was_committed_before_is_answered_without_committing(
    workflow: ScriptedWorkflow,
) -> None:
    ended = workflow.run(prepare=["settled"])

    assert ended.path == ["prepare"]
    assert ended.output["answer"] == {"outcome": "inserted"}


def test_a_plan_that_needs_no_classifier_goes_straight_to_commit(
    workflow: ScriptedWorkflow,
) -> None:
    assert workflow.run(prepare=["commit"]).path == ["prepare", "commit"]


@pytest.mark.parametrize("conflicts", [1, 5])
def test_a_serialization_conflict_commits_again_without_classifying_again(
    workflow: ScriptedWorkflow, conflicts: int
) -> None:
    ended = workflow.run(commit=[CONFLICT] * conflicts)

    assert ended.status == "SUCCEEDED"
    assert ended.path == ["prepare", "classify"] + ["commit"] * (conflicts + 1)


def test_conflicts_without_end_fail_by_name(workflow: ScriptedWorkflow) -> None:
    ended = workflow.run(commit=[CONFLICT] * 99)

    assert (ended.status, ended.error) == ("FAILED", CONFLICT)
    assert ended.count("commit") == 1 + 5


@pytest.mark.parametrize("times", [1, 2])
def test_stale_candidates_are_prepared_and_classified_again(
    workflow: ScriptedWorkflow, times: int
) -> None:
    ended = workflow.run(commit=[STALE] * times)

    assert ended.status == "SUCCEEDED"
    assert ended.path == ["prepare", "classify", "commit"] * (times + 1)
    assert ended.output["round"] == times + 1


def test_stale_candidates_and_conflicts_are_counted_apart(workflow: ScriptedWorkflow) -> None:
    ended = workflow.run(commit=[CONFLICT, STALE, CONFLICT])

    assert ended.path == [*["prepare", "classify", "commit", "commit"] * 2]
    assert ended.output["round"] == 2


def test_a_busy_topic_is_waited_for(workflow: ScriptedWorkflow) -> None:
    ended = workflow.run(prepare=[BUSY] * 7)

    assert ended.status == "SUCCEEDED"
    assert ended.path == ["prepare"] * 8 + ["classify", "commit"]
    assert ended.output["park"] is False


def test_a_topic_that_stays_busy_is_prepared_once_more_to_park(workflow: ScriptedWorkflow) -> None:
    ended = workflow.run(prepare=[BUSY] * 21 + ["commit"])

    assert ended.status == "SUCCEEDED"
    assert ended.path == ["prepare"] * 22 + ["commit"]
    assert [call.event["park"] for call in ended.calls[-2:]] == [True, True]


@pytest.mark.parametrize("failure", ["ClassifierFailedError", "ValueError"])
def test_a_failing_classifier_is_not_asked_again_and_leaves_no_verdict(
    workflow: ScriptedWorkflow, failure: str
) -> None:
    ended = workflow.run(classify=[failure])

    assert ended.path == ["prepare", "classify", "commit"]
    assert ended.calls[-1].event["verdict"] is None
    assert ended.calls[-1].event["flag"] == "the classifier failed"
    assert ended.output["answer"] == {"outcome": "pending"}


def test_a_verdict_of_an_earlier_round_does_not_outlive_a_failing_classifier(
    workflow: ScriptedWorkflow,
) -> None:
    ended = workflow.run(classify=["*", "ClassifierFailedError"], commit=[STALE])

    assert ended.path == ["prepare", "classify", "commit"] * 2
    assert ended.calls[-1].event["verdict"] is None


def test_a_classifier_that_hangs_is_given_up(
    server: LocalAws, definition: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    impatient = copy.deepcopy(definition)
    impatient["States"]["Classify"]["TimeoutSeconds"] = 1
    workflow = ScriptedWorkflow(server, impatient, tmp_path_factory.mktemp("hang"))

    ended = workflow.run(classify=["hang"])

    assert ended.path == ["prepare", "classify", "commit"]
    assert ended.calls[-1].event["failure"]["Error"] == "States.Timeout"
    assert ended.output["answer"] == {"outcome": "pending"}


@pytest.mark.parametrize(
    "error",
    [
        "InvalidInputError",
        "IdempotencyKeyReusedError",
        "EmbeddingFailedError",
        "DatabaseUnavailableError",
    ],
)
def test_what_preparing_cannot_mend_ends_at_once_with_its_name(
    workflow: ScriptedWorkflow, error: str
) -> None:
    ended = workflow.run(prepare=[error])

    assert (ended.status, ended.error) == ("FAILED", error)
    assert ended.path == ["prepare"]


def test_a_database_that_goes_away_under_commit_is_tried_again_twice(
    workflow: ScriptedWorkflow,
) -> None:
    ended = workflow.run(commit=["DatabaseUnavailableError"] * 99)

    assert (ended.status, ended.error) == ("FAILED", "DatabaseUnavailableError")
    assert ended.count("commit") == 3
