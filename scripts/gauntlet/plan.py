"""Plans: the commands of a task, and what an action makes of them."""

import shlex
from collections.abc import Iterable

from scripts.gauntlet.catalogue import Action, Kind
from scripts.gauntlet.environment import parse_command

Plan = tuple[str, ...]


def fitting(plan: Plan, actions: Iterable[Action]) -> tuple[Action, ...]:
    """The actions that would change the plan; of those for one slot, the first.

    A lesson often names what fails beside what helps; what the plan does already drops out here.
    """
    chosen: dict[tuple[str, str], Action] = {}
    for action in actions:
        if revised(plan, (action,)) != plan:
            chosen.setdefault((action.target, action.slot), action)
    return tuple(chosen.values())


def revised(plan: Plan, actions: Iterable[Action]) -> Plan:
    """The plan with the actions done to it, in order. Actions without a target are left out."""
    for action in actions:
        plan = _apply(plan, action)
    return plan


def target_of(plan: Plan, action: Action) -> str | None:
    """The command of the plan that the action is about."""
    return next((line for line in plan if parse_command(line).name == action.target), None)


def shared(before: Plan, after: Plan) -> int:
    """How many commands both plans begin with."""
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _apply(plan: Plan, action: Action) -> Plan:
    target = target_of(plan, action)
    if target is None:
        return plan
    at = plan.index(target)
    if action.kind is Kind.STEP:
        return plan if action.text in plan else (*plan[:at], action.text, *plan[at:])
    return (*plan[:at], _rewritten(target, action), *plan[at + 1 :])


def _rewritten(line: str, action: Action) -> str:
    if action.kind is Kind.COMMAND:
        return action.text
    words = shlex.split(line)
    if action.kind is Kind.HEADER:
        return _with_header(words, action)
    same = [at for at, word in enumerate(words) if word.startswith(f"{action.slot}=")]
    if same:
        words[same[0]] = action.text
    else:
        words.append(action.text)
    return shlex.join(words)


def _with_header(words: list[str], action: Action) -> str:
    same = [at for at, word in enumerate(words) if word.startswith(f"{action.slot}:")]
    if same:
        words[same[0]] = action.text
    else:
        words += ["--header", action.text]
    return shlex.join(words)
