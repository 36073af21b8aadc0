"""Lessons say enough, in anybody's wording, for another agent to act on them."""

import pytest

from scripts.gauntlet.catalogue import mentions
from scripts.gauntlet.distil import NewLesson, distil
from scripts.gauntlet.environment import Harbor
from scripts.gauntlet.explore import candidates
from scripts.gauntlet.personas import PERSONAS, Persona
from scripts.gauntlet.plan import fitting, revised
from scripts.gauntlet.traps import HANDLERS, TASKS, Task
from tests.unit.gauntlet.test_traps import REMEDIED

TRAPPED = [task for task in TASKS if task.name in REMEDIED]


def lesson_of(persona: Persona, task: Task) -> NewLesson:
    """What the persona would learn of the candidate that is known to be right."""
    harbor = Harbor(HANDLERS)
    failure = next(seen for seen in map(harbor.run, task.plan) if not seen.ok)
    manuals = "\n".join(harbor.run(f"man {line.split()[0]}").output for line in task.plan)
    right = next(
        candidate
        for candidate in candidates(task.plan, manuals, failure.output)
        if revised(task.plan, [candidate.action]) == REMEDIED[task.name]
    )
    return distil(persona, task.plan, failure, right)


@pytest.mark.parametrize("persona", PERSONAS.values(), ids=PERSONAS)
@pytest.mark.parametrize("task", TRAPPED, ids=lambda task: task.name)
def test_the_text_of_a_lesson_alone_leads_through_its_trap(persona: Persona, task: Task) -> None:
    content = lesson_of(persona, task).content
    actions = fitting(task.plan, [mention.action for mention in mentions(content)])
    assert revised(task.plan, actions) == REMEDIED[task.name]


@pytest.mark.parametrize("persona", PERSONAS.values(), ids=PERSONAS)
def test_lessons_fit_no_other_task(persona: Persona) -> None:
    for task in TRAPPED:
        found = [one.action for one in mentions(lesson_of(persona, task).content)]
        assert [other.name for other in TASKS if fitting(other.plan, found)] == [task.name]


def test_a_lesson_reads_as_plain_english() -> None:
    build = next(task for task in TASKS if task.name == "build")
    assert lesson_of(PERSONAS["agent-a"], build) == NewLesson(
        "Clear the cache of incremental objects (`make clean-cache`) before `make build harbor`;"
        " otherwise it fails: linker exit 137.",
        "Ops shift on Harbor, running `make build harbor`.",
    )


def test_personas_put_every_query_and_every_lesson_differently() -> None:
    wordings = [
        (*persona.asks.values(), persona.trouble, persona.step, persona.added, persona.replaced)
        for persona in PERSONAS.values()
    ]
    every = [wording for persona in wordings for wording in persona]
    assert len(set(every)) == len(every)
    assert {len(persona.asks) for persona in PERSONAS.values()} == {len(TASKS)}


@pytest.mark.parametrize("persona", PERSONAS.values(), ids=PERSONAS)
def test_no_query_before_a_task_names_a_remedy(persona: Persona) -> None:
    words = ("cache", "trust", "batch", "deep", "lock", "timeout", "quay", "stage", "137", "429")
    assert [ask for ask in persona.asks.values() if any(word in ask for word in words)] == []
    assert sorted(persona.order) == sorted(task.name for task in TASKS)
