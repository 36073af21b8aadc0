"""Writers that contradict each other at the same moment: how many of their values stay?"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier

from scripts.bench.measures import K
from scripts.bench.systems.base import DIMENSIONS, Lesson, System

NEAR = 0.1  # standard deviation of a value's own direction against its topic's: cosine about 0.5+


def topic(number: int, writers: int, tenant: str = "contested") -> list[Lesson]:
    """One statement a writer: the same thing, each with another value."""
    random = Random(number)  # noqa: S311  the same topics every time
    centre = [random.gauss(0, 1) for _ in range(DIMENSIONS)]
    return [
        Lesson(tenant, f"The build timeout of project p{number} is {5 + value} minutes", vector)
        for value, vector in enumerate(_around(random, centre) for _ in range(writers))
    ]


def _around(random: Random, centre: Sequence[float]) -> list[float]:
    vector = [value + random.gauss(0, NEAR) for value in centre]
    length = sum(value * value for value in vector) ** 0.5
    return [value / length for value in vector]


def write_at_once(writers: Sequence[System], lessons: Sequence[Lesson]) -> None:
    """Each writer stores its lesson; all are released by one barrier."""
    barrier = Barrier(len(lessons))

    def write(writer: System, lesson: Lesson) -> None:
        barrier.wait()
        writer.add([lesson])

    with ThreadPoolExecutor(len(lessons)) as pool:
        for done in [*map(pool.submit, [write] * len(lessons), writers, lessons)]:
            done.result()


def kept(system: System, writers: int, rounds: int, advance: Callable[[int], None]) -> list[int]:
    """For each round, how many of the contradicting values a search still finds."""
    # A first lesson makes the tenant's table or collection, where a system has one each.
    system.add([Lesson("contested", "The first of all lessons", topic(-1, 1)[0].vector)])
    clients = [system.another() for _ in range(writers)]
    counts = []
    for number in range(rounds):
        lessons = topic(number, writers)
        write_at_once(clients, lessons)
        about, asked = lessons[0], f"What is the build timeout of project p{number}?"
        found = system.search(about.tenant, asked, about.vector, max(K, 2 * writers))
        counts.append(len({lesson.text for lesson in lessons} & set(found)))
        advance(1)
    for client in clients:
        if client is not system:
            client.close()
    return counts
