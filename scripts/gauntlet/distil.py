"""From what helped to a lesson in plain English."""

from dataclasses import dataclass

from scripts.gauntlet.catalogue import Action, Kind
from scripts.gauntlet.environment import Observation
from scripts.gauntlet.explore import Candidate, symptom
from scripts.gauntlet.personas import Persona
from scripts.gauntlet.plan import Plan, target_of


@dataclass(frozen=True, slots=True)
class NewLesson:
    """What is sent to Tributary."""

    content: str
    situation: str


def distil(persona: Persona, plan: Plan, failure: Observation, candidate: Candidate) -> NewLesson:
    """The lesson of a plan that failed and of the candidate that mended it."""
    action = candidate.action
    command = target_of(plan, action) or failure.command
    old = _replaced(command, action)
    template = persona.added if old is None else persona.replaced
    words = {
        "purpose": candidate.purpose,
        "action": action.text,
        "command": command,
        "target": action.target,
        "old": old,
        "failed": failure.command,
        "that": "it" if failure.command == command else f"`{failure.command}`",
        "symptom": symptom(failure.output).rstrip("."),
    }
    if action.kind is Kind.STEP:
        template = persona.step
    return NewLesson(template.format_map(words), persona.situation.format_map(words))


def _replaced(command: str, action: Action) -> str | None:
    """What the action stands in for, None when it only adds to the command."""
    if action.kind is Kind.COMMAND:
        return command
    return next((word for word in command.split() if word.startswith(f"{action.slot}=")), None)
