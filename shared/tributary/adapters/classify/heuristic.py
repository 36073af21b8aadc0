"""A classifier without a model: fixed rules over words. The same input gives the same verdict.

It looks at the statements, not at their meaning: it knows when two of them have one frame and
differ in a value, deny each other, or use opposite words, and when they are the same but for
order and spelling. Whatever it cannot tell is `novel`: to keep one lesson too many is a smaller
fault than to lose one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from tributary.adapters.classify.clauses import Clause, clauses
from tributary.adapters.classify.contradictions import RULES
from tributary.adapters.classify.duplicates import same_statements
from tributary.adapters.classify.frames import Frame
from tributary.adapters.classify.tokens import normal_form
from tributary.domain.verdict import Comparable, Relation, Verdict

# Bounds on the work; a longer sentence is no single statement that another could contradict.
_MAX_CLAUSES = 40
_MAX_WORDS = 60
_RANK = {Relation.CONTRADICTS: 1, Relation.DUPLICATE: 0}


@dataclass(frozen=True, slots=True)
class _Match:
    """How the new text stands to one candidate."""

    relation: Relation
    target: UUID
    confidence: float  # 0.5 to 1
    likeness: float  # share of words in common, 0 to 1

    @property
    def rank(self) -> tuple[int, float, float]:
        """The same text first, then contradictions before duplicates, the likest first."""
        return 2 if self.confidence == 1.0 else _RANK[self.relation], self.likeness, self.confidence


class HeuristicClassifier:
    """`classify` as a `ports.Classifier`."""

    name = "heuristic-1"

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        """See the function `classify`."""
        return classify(new, candidates)


def classify(new: str | Comparable, candidates: Sequence[Comparable]) -> Verdict:
    """The verdict on a new statement: of all candidates, the one it bears on most.

    Novel verdicts carry the confidence 0.6: the rules see no tie, which is not to know of none.
    """
    text = new if isinstance(new, str) else new.content
    matches = [match for one in candidates if (match := _compare(text, one)) is not None]
    if not matches:
        return Verdict(Relation.NOVEL, None, 0.6)
    best = max(matches, key=lambda match: match.rank)
    return Verdict(best.relation, best.target, best.confidence)


def _compare(new: str, candidate: Comparable) -> _Match | None:
    old = candidate.content
    if normal_form(new) == normal_form(old):
        return _Match(Relation.DUPLICATE, candidate.id, 1.0, 1.0)
    against = max(_contradictions(old, new), default=None)
    if against is not None:
        return _Match(Relation.CONTRADICTS, candidate.id, *against)
    same = same_statements(clauses(old), clauses(new))
    return None if same is None else _Match(Relation.DUPLICATE, candidate.id, same, 1.0)


def _contradictions(old: str, new: str) -> Iterator[tuple[float, float]]:
    """Confidence and likeness of every contradiction between two clauses of the texts."""
    for one in clauses(old)[:_MAX_CLAUSES]:
        for two in clauses(new)[:_MAX_CLAUSES]:
            if not _are_comparable(one, two):
                continue
            frame = Frame(one, two)
            for rule in RULES:
                confidence = rule(frame)
                if confidence is not None:
                    yield confidence, frame.likeness
                    break


def _are_comparable(one: Clause, two: Clause) -> bool:
    if one.implied and two.implied:
        return False
    return max(len(one.words), len(two.words)) <= _MAX_WORDS and not set(one.keys).isdisjoint(
        two.keys
    )
