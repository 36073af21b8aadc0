"""What travels between the states of the learn workflow."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tributary.domain.plan import Plan
from tributary.domain.verdict import Verdict
from tributary.ports import Attempt, Embedding, Learned, Neighbourhood
from tributary.usecases.learn.classify import NO_MODEL, Classified, Classify
from tributary.usecases.learn.commit import Commit
from tributary.usecases.learn.prepare import UNSEEN, Prepare, Prepared


class LearnState(BaseModel):
    """The payload of every state. The state machine itself reads `next`, and sets `park` and,
    when the classifier failed, `verdict` and `flag`.
    """

    # A message of a validation error would put the lesson's text into the logs.
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    attempt: Attempt
    round: int = 0
    park: bool = False
    next: Literal["settled", "classify", "commit"] | None = None
    embedding: Embedding | None = None
    neighbourhood: Neighbourhood = UNSEEN
    plan: Plan | None = None
    verdict: Verdict | None = None
    classifier: str = NO_MODEL
    flag: str | None = None
    answer: Learned | None = None

    def prepared(self) -> Prepared:
        """The result of prepare, as it was."""
        return Prepared(self.attempt, self.round, self.embedding, self.neighbourhood, self.plan)

    def classified(self) -> Classified:
        """The result of classify, or of its failure."""
        return Classified(self.verdict, self.classifier, self.flag)

    def payload(self) -> dict[str, Any]:
        """JSON for the state machine."""
        return self.model_dump(mode="json")


def prepare(use_case: Prepare, event: dict[str, Any]) -> dict[str, Any]:
    """The state Prepare: counts the round, so that the rounds are bounded by the policy."""
    state = LearnState.model_validate(event)
    prepared = use_case(state.attempt, state.round + 1, give_up=state.park)
    return LearnState(
        attempt=prepared.attempt,
        round=prepared.round,
        next=_next(prepared),
        embedding=prepared.embedding,
        neighbourhood=prepared.neighbourhood,
        plan=prepared.plan,
        answer=prepared.settled,
    ).payload()


def _next(prepared: Prepared) -> Literal["settled", "classify", "commit"]:
    if prepared.settled:
        return "settled"
    return "commit" if prepared.plan else "classify"


def classify(use_case: Classify, event: dict[str, Any]) -> dict[str, Any]:
    """The state Classify."""
    state = LearnState.model_validate(event)
    classified = use_case(state.attempt, state.neighbourhood.candidates)
    return state.model_copy(
        update={
            "verdict": classified.verdict,
            "classifier": classified.classifier,
            "flag": classified.flag,
        }
    ).payload()


def commit(use_case: Commit, event: dict[str, Any]) -> dict[str, Any]:
    """The state Commit; the execution ends with its answer."""
    state = LearnState.model_validate(event)
    learned = use_case(state.prepared(), state.classified())
    return LearnState(attempt=state.attempt, round=state.round, answer=learned).payload()
