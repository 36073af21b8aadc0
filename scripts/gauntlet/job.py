"""How an agent does one task: by what it recalls, or else by trying; and what it makes of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from scripts.gauntlet.catalogue import mentions
from scripts.gauntlet.distil import distil
from scripts.gauntlet.environment import Harbor, Observation
from scripts.gauntlet.explore import Candidate, candidates, symptom, tools
from scripts.gauntlet.journal import Journal
from scripts.gauntlet.memory import (
    Memory,
    MemoryRefusedError,
    MemoryUnavailableError,
    RecalledLesson,
)
from scripts.gauntlet.personas import Persona
from scripts.gauntlet.plan import Plan, fitting, revised, shared
from scripts.gauntlet.results import TaskResult
from scripts.gauntlet.traps import Task

Answered = TypeVar("Answered")
MOST_TRIES = 20  # plans per task


@dataclass(frozen=True, slots=True)
class Kit:
    """What an agent works with; all of it but Harbor is its own."""

    persona: Persona
    memory: Memory
    harbor: Harbor
    journal: Journal
    new_key: Callable[[], str]  # a fresh idempotency key


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan to try, and why: a lesson, a candidate from the manual, or just the task."""

    plan: Plan
    lesson: RecalledLesson | None = None
    candidate: Candidate | None = None


def work_shift(kit: Kit, tasks: dict[str, Task]) -> tuple[TaskResult, ...]:
    """Every task once, in the persona's order. Raises MemoryRefusedError for a useless key."""
    return tuple(Job(kit, tasks[name]).work() for name in kit.persona.order)


class Job:
    """One task in work."""

    def __init__(self, kit: Kit, task: Task) -> None:
        self._kit = kit
        self._task = task
        self._judged: set[str] = set()  # ids of lessons that were read already
        self._tried: set[Plan] = set()
        self._last: Plan = ()
        self._done = 0  # how many commands of the last plan went well
        self._failure = Observation("", 0, "")

    def work(self) -> TaskResult:
        """Try what is proposed until the plan goes through, or nothing is left to try."""
        journal = self._kit.journal
        journal.open(self._task.name)
        for proposal in self._proposals():
            failure = self._attempt(proposal.plan)
            if failure is None:
                self._conclude(proposal)
                return journal.close(solved=True)
            if proposal.plan == self._task.plan:
                self._failure = failure
            if proposal.lesson:
                journal.misled(proposal.lesson)
            if len(self._tried) >= MOST_TRIES:
                break
        return journal.close(solved=False)

    def _proposals(self) -> Iterator[Proposal]:
        persona, task = self._kit.persona, self._task
        yield from self._from_memory(persona.asks[task.name])
        yield Proposal(task.plan)
        failed, said = self._failure.command, symptom(self._failure.output)
        yield from self._from_memory(persona.trouble.format(failed=failed, symptom=said))
        yield from self._from_pages()

    def _from_memory(self, query: str) -> Iterator[Proposal]:
        """Plans by recalled lessons, in the order in which they were recalled."""
        for lesson in self._recall(query):
            if lesson.id in self._judged:
                continue
            self._judged.add(lesson.id)
            found = (mention.action for mention in mentions(lesson.content))
            actions = fitting(self._task.plan, found)
            plan = revised(self._task.plan, actions)
            if actions and plan not in self._tried:
                self._kit.journal.applies(lesson, [action.text for action in actions])
                yield Proposal(plan, lesson=lesson)

    def _from_pages(self) -> Iterator[Proposal]:
        """Plans by what logs and manuals mention, tool by tool."""
        plan, trouble = self._task.plan, self._failure.output
        for tool in tools(self._failure.command, plan):
            trouble += self._run(f"logs {tool}").output
            manual = self._run(f"man {tool}").output
            for candidate in candidates(plan, manual, trouble):
                changed = revised(plan, [candidate.action])
                if changed not in self._tried:
                    yield Proposal(changed, candidate=candidate)

    def _attempt(self, plan: Plan) -> Observation | None:
        """Run the plan from the first command that is not done already; the failure, if any."""
        start = min(shared(self._last, plan), self._done)
        self._tried.add(plan)
        self._last = plan
        for at in range(start, len(plan)):
            seen = self._run(plan[at])
            if not seen.ok:
                self._done = at
                return seen
        self._done = len(plan)
        return None

    def _run(self, line: str) -> Observation:
        seen = self._kit.harbor.run(line)
        self._kit.journal.ran(seen)
        return seen

    def _conclude(self, proposal: Proposal) -> None:
        if proposal.lesson:
            self._thank(proposal.lesson)
        if proposal.candidate:
            self._teach(proposal.candidate)

    def _recall(self, query: str) -> tuple[RecalledLesson, ...]:
        lessons = self._ask(lambda: self._kit.memory.recall(query))
        if lessons is None:
            return ()
        self._kit.journal.recalled(query, lessons)
        return lessons

    def _thank(self, lesson: RecalledLesson) -> None:
        key = self._kit.new_key()
        thanked = self._ask(lambda: self._kit.memory.reinforce(lesson.id, key))
        self._kit.journal.helped(lesson, reinforced=bool(thanked))

    def _teach(self, candidate: Candidate) -> None:
        new = distil(self._kit.persona, self._task.plan, self._failure, candidate)
        key = self._kit.new_key()
        answer = self._ask(lambda: self._kit.memory.learn(new.content, new.situation, key))
        if answer is not None:
            self._kit.journal.learnt(new.content, answer)

    def _ask(self, call: Callable[[], Answered]) -> Answered | None:
        """The answer of Tributary; None, and a line in the journal, when it has none.

        Work goes on without memory; only a key that is refused ends the shift.
        """
        try:
            return call()
        except MemoryUnavailableError as error:
            self._kit.journal.trouble(error)
        except MemoryRefusedError as error:
            if error.hopeless:
                raise
            self._kit.journal.trouble(error)
        return None
