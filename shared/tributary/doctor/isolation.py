"""Two tribes that know nothing of each other, by every way in."""

from collections.abc import Callable
from uuid import UUID, uuid4

from tributary.doctor.door import Caller, Door, Tick
from tributary.doctor.report import Check, check
from tributary.doctor.rooms import callers, rooms
from tributary.doctor.topics import content
from tributary.domain.errors import NotFoundError, TributaryError
from tributary.domain.lesson import Status
from tributary.ports import Learned

NAME = "isolation by the door"


def check_isolation(door: Door, tick: Tick) -> Check:
    """One tribe learns; the other looks for it."""
    with rooms(door, 2) as (ours, theirs), callers(ours, theirs) as (us, them):
        key, said = str(uuid4()), content(0, 1)
        learned = us.learn(said, key)
        probes = _probes(us, them, learned, key)
        wrong = []
        for number, (what, holds) in enumerate(probes.items()):
            tick("looking into the other tribe", number, len(probes))
            if not holds():
                wrong.append(what)
    result = f"{len(probes) - len(wrong)} of {len(probes)} probes saw nothing of the other"
    figures = {"probes": len(probes), "leaks": len(wrong)}
    return check(NAME, "2 scratch tribes, one text", result, wrong, figures)


def _probes(us: Caller, them: Caller, learned: Learned, key: str) -> dict[str, Callable[[], bool]]:
    """What must hold, in the order in which it is tried."""
    lesson, decision, said = learned.lesson_id, learned.decision_id, content(0, 1)
    return {
        "recall finds the other's lesson": lambda: them.recall(said, 10) == (),
        "the list has the other's lesson": lambda: list(them.lessons()) == [],
        "the audit tells of the other": lambda: list(them.audit()) == [],
        "a lesson of the other is found by its id": lambda: _hidden(them.lesson, lesson),
        "a history of the other is found by its id": lambda: _hidden(them.history, lesson),
        "a decision of the other is found by its id": lambda: _hidden(them.decision, decision),
        "a lesson of the other can be retired": lambda: _hidden(them.retire, lesson),
        "an idempotency key of the other is taken": lambda: _own_key(them, key, lesson),
        "the other's lesson was changed": lambda: us.lesson(lesson).status is Status.ACTIVE,
        "the owner does not find its own lesson": lambda: us.recall(said, 1)[0].id == lesson,
        "the owner finds more than its own lesson": lambda: len(list(us.lessons())) == 1,
    }


def _hidden(ask: Callable[[UUID], object], key: UUID) -> bool:
    try:
        ask(key)
    except NotFoundError:
        return True
    return False


def _own_key(them: Caller, key: str, lesson: UUID) -> bool:
    """The same key, with another text: a new lesson, and no answer of the other's."""
    try:
        return them.learn(content(0, 2), key).lesson_id != lesson
    except TributaryError:
        return False
