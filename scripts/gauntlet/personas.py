"""The agents' characters: the order they work in, and how they put things.

Two agents share nothing but the tribe. No wording here names a remedy: a query says what the
agent is about to do, or what went wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Persona:
    """One agent.

    `asks` maps each task to the query before it. The templates take `{command}`, `{failed}` and
    `{symptom}`; those of lessons also `{purpose}`, `{action}`, `{target}` (two words of a command),
    `{that}` (what failed) and, where a value or a command is replaced, `{old}`.
    """

    name: str
    order: tuple[str, ...]
    asks: Mapping[str, str]
    trouble: str
    step: str
    added: str
    replaced: str
    situation: str


AGENT_A = Persona(
    name="agent-a",
    order=("build", "configure", "publish", "deploy", "release", "migrate", "rotate", "report"),
    asks={
        "build": "building the harbor service with make",
        "configure": "rendering the harbor configuration and starting the service",
        "publish": "pushing the harbor artifact to the eu-1 registry",
        "deploy": "submitting a harbor deployment to the deploy API",
        "release": "health check of harbor before shifting traffic",
        "migrate": "running the ledger database migrations",
        "rotate": "rotating the signing keys",
        "report": "publishing the shift report",
    },
    trouble="{failed} failed: {symptom}",
    step="{purpose} (`{action}`) before `{command}`; otherwise {that} fails: {symptom}.",
    added="{purpose}: give `{action}` to `{command}`; otherwise {that} fails: {symptom}.",
    replaced="{purpose}: with `{target}` use `{action}`, not `{old}`; otherwise {that} fails:"
    " {symptom}.",
    situation="Ops shift on Harbor, running `{command}`.",
)

AGENT_B = Persona(
    name="agent-b",
    order=("rotate", "migrate", "report", "build", "deploy", "publish", "configure", "release"),
    asks={
        "build": "I need a fresh compile of harbor on the runner. What should I know first?",
        "configure": "Bringing harbor up with new settings. Anything odd about them?",
        "publish": "Where do release packages for the first European region have to be uploaded?",
        "deploy": "Rolling a new harbor version out to production. What should I look out for?",
        "release": "Moving users over to the new generation. Can I rely on what the probes say?",
        "migrate": "About to change the schema of the ledger. What went wrong there before?",
        "rotate": "Replacing the key that signs our releases. Is there a pitfall?",
        "report": "Writing up what happened tonight for the day crew",
    },
    trouble="What does it mean when I run {failed} and see: {symptom}",
    step="{symptom}: gone once I ran `{action}` ahead of `{command}`. {purpose}.",
    added="{symptom}: gone once I ran `{command}` with `{action}`. {purpose}.",
    replaced="{symptom}: gone once I ran `{target}` with `{action}` in place of `{old}`."
    " {purpose}.",
    situation="Met while I ran `{failed}` on the Harbor yard.",
)

AGENT_C = Persona(
    name="agent-c",
    order=("report", "deploy", "build", "release", "rotate", "configure", "migrate", "publish"),
    asks={
        "build": "compile and link harbor",
        "configure": "harbor settings, then start a new generation",
        "publish": "which registry host takes uploads of harbor",
        "deploy": "deployment request for harbor",
        "release": "checking instances, then giving them traffic",
        "migrate": "schema migration of the ledger",
        "rotate": "new signing key in place of the old one",
        "report": "shift report, anything special",
    },
    trouble="trouble with {failed}, it said {symptom}",
    step="`{command}` needs `{action}` before it ({purpose}), or else: {symptom}.",
    added="`{command}` needs `{action}` ({purpose}), or else {that} ends in: {symptom}.",
    replaced="For `{target}`, `{action}` has to stand in place of `{old}` ({purpose}), or else:"
    " {symptom}.",
    situation="Morning shift at Harbor, `{failed}`.",
)

PERSONAS = {persona.name: persona for persona in (AGENT_A, AGENT_B, AGENT_C)}
CONTROL = "control"  # agent-b's twin: the same persona, with the key of an empty tribe
