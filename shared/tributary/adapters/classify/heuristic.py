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
from tributary.adapters.classify.labels import Labelled, labelled
from tributary.adapters.classify.symbols import differ
from tributary.adapters.classify.tokens import normal_form
from tributary.domain.verdict import Comparable, Relation, Verdict

# Bounds on the work; a longer sentence is no single statement that another could contradict.
_MAX_CLAUSES = 40
_MAX_WORDS = 60
_ALIKE = 0.65  # share of words in common
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
        return _repeats(old, new, candidate.id, 1.0)
    one, two = labelled(old), labelled(new)
    if one.topic != two.topic:
        return None
    against = max(_contradictions(one, two), default=None)
    if against is not None:
        return _Match(Relation.CONTRADICTS, candidate.id, *against)
    if one.source != two.source:
        return None
    same = same_statements(clauses(one.statement), clauses(two.statement))
    return None if same is None else _repeats(old, new, candidate.id, same)


def _repeats(old: str, new: str, target: UUID, sure: float) -> _Match:
    """The same words: the same statement, unless a symbol makes the difference."""
    if differ(old, new):
        return _Match(Relation.CONTRADICTS, target, 0.8, 1.0)
    return _Match(Relation.DUPLICATE, target, sure, 1.0)


def _contradictions(old: Labelled, new: Labelled) -> Iterator[tuple[float, float]]:
    """Confidence and likeness of every contradiction between two clauses of the texts."""
    if old.speaker != new.speaker and (old.is_personal or new.is_personal):
        return  # Ann lives in Rome, Bob in Milan
    ones, twos = (clauses(side.statement)[:_MAX_CLAUSES] for side in (old, new))
    if any(map(_are_of_two_things, ones, twos)):
        return
    for one in ones:
        for two in twos:
            if _are_comparable(one, two):
                frame = Frame(one, two)
                confidence = _conflict(frame)
                if confidence is not None:
                    yield confidence, frame.likeness


def _conflict(frame: Frame) -> float | None:
    """What the first rule that applies says."""
    return next((sure for rule in RULES if (sure := rule(frame)) is not None), None)


def _are_of_two_things(one: Clause, two: Clause) -> bool:
    """Whether they set two scenes: "we spoke of staging", "we spoke of production"."""
    if one.implied or two.implied or set(one.keys).isdisjoint(two.keys):
        return False
    if max(len(one.words), len(two.words)) > _MAX_WORDS:
        return False
    frame = Frame(one, two)
    differ = any(diff.is_exchange for diff in frame.diffs)
    return differ and frame.likeness >= _ALIKE and _conflict(frame) is None


def _are_comparable(one: Clause, two: Clause) -> bool:
    if (one.implied and two.implied) or one.asked or two.asked:
        return False
    if one.is_unresolved or two.is_unresolved:
        return False
    return max(len(one.words), len(two.words)) <= _MAX_WORDS and not set(one.keys).isdisjoint(
        two.keys
    )
