"""Classify: compare the new lesson with its neighbours, with a model only where it is needed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tributary.domain.errors import ClassifierFailedError
from tributary.domain.lesson import same_scope
from tributary.domain.verdict import Candidate, Relation, Verdict, check_verdict
from tributary.ports import Attempt, Classifier, Resolution

NO_MODEL = "none"


@dataclass(frozen=True, slots=True)
class Classified:
    """A verdict and who gave it; no verdict, and why, when there is none to act on."""

    verdict: Verdict | None
    classifier: str
    flag: str | None = None


def _keeps_both(attempt: Attempt) -> bool:
    return attempt.settles is not None and attempt.settles.resolution is Resolution.KEEP_BOTH


@dataclass(frozen=True, slots=True)
class Classify:
    """The second step: never raises for what a classifier does wrong."""

    classifier: Classifier

    def __call__(self, attempt: Attempt, candidates: Sequence[Candidate]) -> Classified:
        """The verdict on the attempt's lesson against these candidates, best first."""
        draft = attempt.draft
        near = [one for one in candidates if same_scope(one.situation, draft.situation)]
        same = min(
            (one for one in near if one.content == draft.content),
            key=lambda one: not one.validity.covers(draft.validity),
            default=None,
        )
        if same:
            verdict = Verdict(Relation.DUPLICATE, same.id)
            return Classified(_with_exceptions(verdict, attempt, near), NO_MODEL)
        if not near or _keeps_both(attempt):
            return Classified(Verdict(Relation.NOVEL), NO_MODEL)
        try:
            verdict = self._verdict(draft.content, near)
            return Classified(_with_exceptions(verdict, attempt, near), self.classifier.name)
        except ClassifierFailedError as error:
            return Classified(None, self.classifier.name, f"the classifier failed: {error.reason}")

    def _verdict(self, new: str, candidates: Sequence[Candidate]) -> Verdict:
        """The classifier names one target; what else the lesson contradicts is asked for."""
        verdict = check_verdict(self.classifier.classify(new, candidates), candidates)
        others, rest = list(verdict.others), candidates
        found = verdict
        while found.relation is Relation.CONTRADICTS:
            named = {found.target_id, *found.others}
            rest = [one for one in rest if one.id not in named]
            if not rest:
                break
            found = check_verdict(self.classifier.classify(new, rest), rest)
            if found.relation is Relation.CONTRADICTS and found.target_id:
                others += [found.target_id, *found.others]
                # All of it is acted on, or nothing: as sure as the least sure answer.
                verdict = replace(verdict, confidence=min(verdict.confidence, found.confidence))
        return replace(verdict, others=tuple(others))


def _with_exceptions(verdict: Verdict, attempt: Attempt, near: Sequence[Candidate]) -> Verdict:
    """What a repeated statement contradicts is known without a model: the exceptions to the
    lesson that it repeats, and what that lesson is an exception to, where it says more.
    """
    if verdict.relation is not Relation.DUPLICATE or _keeps_both(attempt):
        return verdict
    same = next(one for one in near if one.id == verdict.target_id)
    excepted = () if same.validity.covers(attempt.draft.validity) else same.excepts
    others = (one.id for one in near if same.lineage in one.excepts or one.lineage in excepted)
    return replace(verdict, others=tuple(others))
