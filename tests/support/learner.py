"""A learner that is a process of its own: `python -m tests.support.learner DSN TRIBE AGENT`.

Says "ready" when it is connected, reads one lesson from its input, and answers in JSON.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tests.support.fakes import ValueClassifier, WordEmbedder
from tributary.adapters.postgres.database import connector
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.memory import Memory


def main(dsn: str, tribe: str, agent: str) -> None:
    wiring = Wiring(connector(conninfo=dsn), WordEmbedder, ValueClassifier)
    wiring.registry.found(tribe)
    with Memory(wiring, Actor(tribe, agent, Role.WRITER)) as memory:
        print("ready", flush=True)
        learned = memory.learn(sys.stdin.readline())
        decision = wiring.ledger.decision(tribe, learned.decision_id)
    answer = {
        "outcome": learned.outcome,
        "lesson_id": str(learned.lesson_id),
        "target_id": learned.target_id and str(learned.target_id),
        "retries": decision and decision.retries,
        "rounds": decision and decision.rounds,
    }
    print(json.dumps(answer))


def learn_together(dsn: str, agent: str, lessons: Sequence[tuple[str, str]]) -> list[Any]:
    """The answers of one process for each (tribe, content), all told to start at once."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.learner", dsn, tribe, agent],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for tribe, _ in lessons
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process, (_, content) in zip(processes, lessons, strict=True):
        assert process.stdin is not None
        process.stdin.write(content + "\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=120)[0] for process in processes]
    return [json.loads(answer) for answer in answers]


if __name__ == "__main__":
    main(*sys.argv[1:])
