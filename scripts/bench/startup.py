"""Where the start-up time of the recall function goes: `python -m scripts.bench.startup [RUNS]`.

Each run is a fresh process, with bytecode, that takes the steps one after the other: import the
handler, put the use case together, load the model, embed a first text. CPU seconds tell the work,
also on a machine that does something else meanwhile.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
GOAL = 1.0  # CPU seconds, from the first import to the first vector
RUNS = 7
# A step is a name and a statement. Numpy comes before what imports it, to see it by itself.
STEPS = (
    ("web: pydantic, powertools", "import tributary.edge.http.call"),
    ("handler: request and answer models, routes", "import handler"),
    ("database: psycopg", "import tributary.edge.login; handler.wiring()"),
    ("use case", "import tributary.usecases.recall, tributary.adapters.postgres.recall"),
    ("numpy", "import numpy"),
    ("onnxruntime", "import onnxruntime"),
    ("tokenizers", "import tokenizers"),
    ("model: tokenizer and weights", "embedder = handler.wiring().embedder"),
    ("first embedding", "embedder.embed('Where does the deploy log go?')"),
)
CHILD = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
taken = []
for statement in json.loads(sys.argv[2]):
    wall, cpu = time.perf_counter(), time.process_time()
    exec(statement)
    taken.append((time.perf_counter() - wall, time.process_time() - cpu))
print(json.dumps(taken))
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One step; medians over all runs."""

    name: str
    wall: float  # seconds
    cpu: float  # seconds


def measure(runs: int) -> tuple[Step, ...]:
    """The steps in their order, and their sum as the last; one further run warms the disk."""
    measured = [_run() for _ in range(runs + 1)][1:]
    names = [name for name, _ in STEPS]
    steps = [_step(name, [run[at] for run in measured]) for at, name in enumerate(names)]
    sums = [(sum(wall for wall, _ in run), sum(cpu for _, cpu in run)) for run in measured]
    return (*steps, _step("sum", sums))


def _run() -> list[tuple[float, float]]:
    function = ROOT / "functions" / "recall"
    statements = json.dumps([statement for _, statement in STEPS])
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(function), statements],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "POWERTOOLS_SERVICE_NAME": "recall"},
    )
    return [(wall, cpu) for wall, cpu in json.loads(done.stdout)]


def _step(name: str, taken: Sequence[tuple[float, float]]) -> Step:
    return Step(name, median(wall for wall, _ in taken), median(cpu for _, cpu in taken))


def main() -> int:
    """Prints a table; 1 when the work of all steps is above the goal."""
    steps = measure(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
    table = Table("step", "ms", "CPU ms", title="recall: from nothing to the first vector")
    for column in table.columns[1:]:
        column.justify = "right"
    for step in steps:
        table.add_row(step.name, f"{step.wall * 1000:.0f}", f"{step.cpu * 1000:.0f}")
    Console().print(table)
    return int(steps[-1].cpu > GOAL)


if __name__ == "__main__":
    sys.exit(main())
