"""How speed changes with size: `make bench`. Ratios and medians of one run; nothing is asserted.

Lessons are made of a vocabulary of 2,000 words, common ones often (Zipf); vectors are random unit
vectors, so no two lessons are near and none is classified. One process, one connection.
"""

import math
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tributary import Memory
from tributary.adapters.postgres import embedded
from tributary.ports import Embedding

SIZES = (1_000, 3_000, 10_000)
QUERIES = 50
WORDS = 2_000


class RandomEmbedder:
    """A direction of its own for every text."""

    model = "random"

    def embed(self, text: str) -> Embedding:
        random = Random(text)  # noqa: S311  no secret
        vector = [random.gauss(0, 1) for _ in range(384)]
        length = math.hypot(*vector)
        return Embedding([value / length for value in vector], self.model, truncated=False)


def main() -> None:
    table = Table("lessons in the tribe", "learns a second", "recall p50 ms", "p95 ms", "p50 ratio")
    random = Random(7)  # noqa: S311  the same lessons every time
    first = 0.0
    with tempfile.TemporaryDirectory() as folder:
        dsn = embedded.start(Path(folder) / "data")
        with Memory.open(dsn, embedder=RandomEmbedder()) as memory:
            known = 0
            for size in SIZES:
                rate = _learn(memory, random, known, size)
                known = size
                times = sorted(_recall_time(memory, random) for _ in range(QUERIES))
                first = first or median(times)
                table.add_row(
                    f"{size:,}",
                    f"{rate:.0f}",
                    f"{1_000 * median(times):.1f}",
                    f"{1_000 * times[int(0.95 * QUERIES)]:.1f}",
                    f"{median(times) / first:.1f}",
                )
    Console().print(table)


def _learn(memory: Memory, random: Random, known: int, size: int) -> float:
    started = time.perf_counter()
    for number in track(range(known, size), description=f"{size:,} lessons", transient=True):
        memory.learn(f"{_words(random, 12)} {number}")
    return (size - known) / (time.perf_counter() - started)


def _recall_time(memory: Memory, random: Random) -> float:
    query = _words(random, 6)
    started = time.perf_counter()
    memory.recall(query, k=10)
    return time.perf_counter() - started


def _words(random: Random, number: int) -> str:
    return " ".join(f"word{int(WORDS ** random.random())}" for _ in range(number))


if __name__ == "__main__":
    main()
