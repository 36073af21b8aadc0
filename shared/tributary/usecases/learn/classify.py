"""Classify: compare the new lesson with its neighbours, with a model only where it is needed."""

from dataclasses import dataclass

from tributary.domain.errors import ClassifierFailedError
from tributary.domain.verdict import Candidate, Relation, Verdict, check_verdict
from tributary.ports import Classifier

NO_MODEL = "none"


@dataclass(frozen=True, slots=True)
class Classified:
    """A verdict and who gave it; no verdict, and why, when there is none to act on."""

    verdict: Verdict | None
    classifier: str
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class Classify:
    """The second step: never raises for what a classifier does wrong."""

    classifier: Classifier

    def __call__(self, new: str, candidates: tuple[Candidate, ...]) -> Classified:
        """The verdict on `new` against these candidates, nearest first."""
        if not candidates:
            return Classified(Verdict(Relation.NOVEL), NO_MODEL)
        same = next((one for one in candidates if one.content == new), None)
        if same:
            return Classified(Verdict(Relation.DUPLICATE, same.id), NO_MODEL)
        try:
            verdict = self.classifier.classify(new, candidates)
            return Classified(check_verdict(verdict, candidates), self.classifier.name)
        except ClassifierFailedError as error:
            return Classified(None, self.classifier.name, f"the classifier failed: {error.reason}")
