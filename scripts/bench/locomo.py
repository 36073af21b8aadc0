"""How well recall finds evidence: `python -m scripts.bench.locomo FILE`.

FILE holds conversations of LoCoMo (snap-research/locomo) as a JSON list of `{"id", "turns": [{"id",
"speaker", "text"}], "questions": [{"question", "evidence": [turn ids]}]}`. One conversation is one
tribe, one turn one lesson: "speaker: text". Of a question's evidence turns, the measure is the
share among the ten lessons recalled, averaged over the questions that have any.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tributary import Memory
from tributary.adapters.postgres import embedded
from tributary.domain.errors import InvalidInputError

K = 10


def main() -> None:
    conversations = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    table = Table("conversation", "turns", "questions", f"recall@{K}")
    shares: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        dsn = embedded.start(Path(folder) / "data")
        for conversation in conversations:
            with Memory.open(dsn, tribe=conversation["id"]) as memory:
                turns = _learn(memory, conversation)
                measured = list(_measure(memory, conversation, turns))
            table.add_row(
                conversation["id"], str(len(turns)), str(len(measured)), f"{mean(measured):.3f}"
            )
            shares += measured
    table.add_row("all", "", str(len(shares)), f"{mean(shares):.3f}", style="bold")
    Console().print(table)


def _learn(memory: Memory, conversation: dict[str, Any]) -> dict[str, str]:
    """Turn ids by the id of the lesson that holds the turn; a turn without text has none."""
    turns: dict[str, str] = {}
    for turn in track(conversation["turns"], description=conversation["id"], transient=True):
        try:
            learned = memory.learn(f"{turn['speaker']}: {turn['text']}")
        except InvalidInputError:
            continue
        turns[str(learned.lesson_id)] = turn["id"]
    return turns


def _measure(
    memory: Memory, conversation: dict[str, Any], turns: dict[str, str]
) -> Iterator[float]:
    """For each question that has evidence, the share of it that was recalled."""
    known = set(turns.values())
    for asked in conversation["questions"]:
        evidence = known & set(asked["evidence"])
        if not evidence:
            continue
        recalled = memory.recall(asked["question"], k=K)
        found = {turns.get(str(lesson.id)) for lesson in recalled.lessons}
        yield len(evidence & found) / len(evidence)


if __name__ == "__main__":
    main()
