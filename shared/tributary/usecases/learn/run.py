"""The learn flow in one process: the same three steps that the state machine runs."""

from dataclasses import dataclass
from uuid import UUID

from tributary.domain.errors import StaleCandidatesError, TopicBusyError, TributaryError
from tributary.domain.plan import Outcome
from tributary.ports import Attempt, Learned
from tributary.usecases.learn.classify import Classified, Classify
from tributary.usecases.learn.commit import Commit
from tributary.usecases.learn.prepare import Prepare, Prepared


@dataclass(frozen=True, slots=True)
class Learn:
    """Rounds of prepare, classify and commit until one holds; prepare bounds their number."""

    prepare: Prepare
    classify: Classify
    commit: Commit
    busy_waits: int = 8  # of about 2 s each, for a topic that another learner is settling

    def __call__(self, attempt: Attempt) -> Learned:
        """Learn, to the end. Raises what prepare and commit raise, but never for a stale topic."""
        topics: set[UUID] = set()  # leased to this attempt; a commit that writes ends its leases
        try:
            learned, written = self._learn(attempt, topics)
        except TributaryError:
            if topics:
                self.prepare.release(attempt, topics)
            raise
        if topics and not written:
            self.prepare.release(attempt, topics)
        return learned

    def _learn(self, attempt: Attempt, topics: set[UUID]) -> tuple[Learned, bool]:
        """The answer, and whether a commit wrote it just now."""
        round_ = 0
        while True:
            round_ += 1
            prepared = self._prepared(attempt, round_)
            if prepared.lease:
                topics.add(prepared.lease)
            if prepared.settled:
                return prepared.settled, False
            try:
                learned = self.commit(prepared, self._classified(prepared))
            except StaleCandidatesError:
                continue
            still_parked = attempt.stored_as and learned.outcome is Outcome.PENDING
            return learned, not still_parked

    def _prepared(self, attempt: Attempt, round_: int) -> Prepared:
        for _ in range(self.busy_waits):
            try:
                return self.prepare(attempt, round_)
            except TopicBusyError:
                continue
        return self.prepare(attempt, round_, give_up=True)

    def _classified(self, prepared: Prepared) -> Classified | None:
        if prepared.plan:
            return None
        return self.classify(prepared.attempt, prepared.neighbourhood.candidates)
