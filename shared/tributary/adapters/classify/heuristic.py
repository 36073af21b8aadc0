"""Interim: exact text only."""

from collections.abc import Sequence

from tributary.domain.verdict import Comparable, Relation, Verdict


def classify(new: str, candidates: Sequence[Comparable]) -> Verdict:
    for candidate in candidates:
        if candidate.content.casefold() == new.casefold():
            return Verdict(Relation.DUPLICATE, candidate.id, 1.0)
    return Verdict(Relation.NOVEL)


class HeuristicClassifier:
    name = "heuristic-1"

    def classify(self, new: str, candidates: Sequence[Comparable]) -> Verdict:
        return classify(new, candidates)
