"""The obvious design beside Tributary: `python -m scripts.bench.exhibit`.

Clients contradict each other on a fresh topic, round after round. A round is split when more than
one of their lessons is active in the end. tests/postgres/test_obvious_design.py forces the schedule
that splits one.
"""

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter

import psycopg
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from scripts.bench import server
from scripts.bench.contradictions import topic, write_at_once
from scripts.bench.corpus import Made
from scripts.bench.systems.base import Place, System
from scripts.bench.systems.obvious import Obvious
from scripts.bench.systems.tributary_memory import Tributary

CLIENTS = 8
ROUNDS = 150
BEFORE = 3_000  # lessons that are there already
TENANT = "exhibit"

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """A round is split when more than one of its lessons stayed active."""

    system: str
    rounds: int
    clients: int
    split: int
    most_active: int
    rounds_a_second: float


def show(
    system: System, place: Place, table: str, clients: int, rounds: int, advance: Advance
) -> Shown:
    """Rounds in one tenant, among other lessons: inserting into an index of size takes time."""
    system.open()
    with server.loading(place):
        for block in Made(TENANT).blocks_up_to(BEFORE):
            system.fill(block)
    server.tidy(place)
    others = [system.another() for _ in range(clients)]
    with psycopg.connect(place.dsn, autocommit=True) as admin:
        active, started = [], perf_counter()
        for number in range(rounds):
            write_at_once(others, topic(number, clients, TENANT))
            active.append(_active(admin, table, number))
            advance(1)
    rate = rounds / (perf_counter() - started)
    for one in (system, *others):
        one.close()
    return Shown(system.name, rounds, clients, sum(n != 1 for n in active), max(active), rate)


def _active(admin: psycopg.Connection, table: str, number: int) -> int:
    row = admin.execute(
        f"SELECT count(*) FROM {table} WHERE status = 'active' AND content LIKE %s",
        (f"% project p{number} %",),
    ).fetchone()
    return int(row[0]) if row else 0


def run(
    running: server.Server, clients: int, rounds: int, advance: Advance
) -> list[dict[str, object]]:
    """Both, one after the other."""
    shown = []
    for make, table in ((Obvious, "obvious"), (Tributary, "lessons")):
        place = running.place(f"exhibit_{table}")
        shown.append(asdict(show(make(place), place, table, clients, rounds, advance)))
        running.drop(place)
    return shown


def table(shown: list[dict[str, object]]) -> Table:
    drawn = Table("exhibit", "clients", "rounds", "split rounds", "most active", "rounds/s")
    for one in shown:
        drawn.add_row(
            str(one["system"]), str(one["clients"]), str(one["rounds"]), str(one["split"]),
            str(one["most_active"]), f"{one['rounds_a_second']:.1f}",
        )  # fmt: skip
    return drawn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with server.running() as running, Progress(transient=True) as progress:
        task = progress.add_task("exhibit", total=2 * options.rounds)
        shown = run(running, options.clients, options.rounds, lambda n: progress.advance(task, n))
    Console().print(table(shown))


if __name__ == "__main__":
    main()
