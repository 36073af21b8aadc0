"""How well the heuristic classifier tells contradictions, on labelled sentence pairs.

    python -m tests.evals.sick PATH [--wrong]

PATH is a table with tabs and the columns of SICK 2014: pair_ID, sentence_A, sentence_B,
relatedness_score, entailment_judgment. Entailment goes one way only, so `duplicate` and `novel`
are both right for it.
"""

import argparse
import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from tributary.adapters.classify.heuristic import classify

RELATIONS = ("duplicate", "contradicts", "novel")


@dataclass(frozen=True)
class Sentence:
    id: UUID
    content: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print the pairs that were wrong")
    options = parser.parse_args()
    with options.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        older = Sentence(UUID(int=1), row["sentence_A"])
        found = classify(row["sentence_B"], [older]).relation.value
        label = row["entailment_judgment"]
        counts[label, found] += 1
        if options.wrong and (label == "CONTRADICTION") != (found == "contradicts"):
            print(f"{label:13} {found:11} {row['sentence_A']} | {row['sentence_B']}")
        if options.wrong and label != "ENTAILMENT" and found == "duplicate":
            print(f"{label:13} {found:11} {row['sentence_A']} | {row['sentence_B']}")
    report(counts)


def report(counts: Counter[tuple[str, str]]) -> None:
    labels = sorted({label for label, _ in counts})
    print(f"{'':13}" + "".join(f"{relation:>13}" for relation in RELATIONS))
    for label in labels:
        print(f"{label:13}" + "".join(f"{counts[label, relation]:13}" for relation in RELATIONS))
    right = counts["CONTRADICTION", "contradicts"]
    found = sum(counts[label, "contradicts"] for label in labels)
    there = sum(counts["CONTRADICTION", relation] for relation in RELATIONS)
    print(f"contradicts: precision {right / found:.3f}, recall {right / there:.3f}")


if __name__ == "__main__":
    main()
