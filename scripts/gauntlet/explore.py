"""How an agent without a fitting lesson looks for a remedy: by reading, ranking and trying."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scripts.gauntlet.catalogue import Action, mentions
from scripts.gauntlet.plan import Plan, fitting

_WORD = re.compile(r"[a-z]{4,}", re.ASCII)
_TROUBLE = re.compile(r"\b(?:error|fatal|refused)\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action to try, and what the manual says it is for: one sentence without its stop."""

    action: Action
    purpose: str


def candidates(plan: Plan, manual: str, trouble: str) -> tuple[Candidate, ...]:
    """What the manual offers for this plan, the likeliest first.

    Likelier is what shares more words with the trouble (the failed output and the log); equals
    stay in the order of the manual. The plan's own values are no candidates.
    """
    troubled = _words(trouble)
    ranked: list[tuple[int, Candidate]] = []
    for mention in mentions(manual):
        if fitting(plan, (mention.action,)):
            block = _block(manual, mention.at)
            overlap = len(_words(block) & troubled)
            ranked.append((overlap, Candidate(mention.action, _purpose(block))))
    ranked.sort(key=lambda pair: -pair[0])
    return tuple(candidate for _, candidate in ranked)


def symptom(output: str) -> str:
    """What the last line that speaks of an error says; at most 160 characters."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if _TROUBLE.search(line)] or lines or ["no output"]
    return telling[-1].rpartition("error: ")[2].replace("`", "'")[:160]


def tools(failed: str, plan: Sequence[str]) -> tuple[str, ...]:
    """Whose pages to read: those of the failed command first, then back through the plan."""
    order = [failed, *reversed(plan)]
    return tuple(dict.fromkeys(line.split(" ", 1)[0] for line in order))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _block(text: str, at: int) -> str:
    """The paragraph around a position."""
    start = text.rfind("\n\n", 0, at) + 1
    end = text.find("\n\n", at)
    return text[start : end if end >= 0 else len(text)]


def _purpose(block: str) -> str:
    """The first sentence after the action's own line."""
    _, _, description = block.strip().rpartition("`")
    sentence = " ".join(description.split()).split(". ")[0]
    return sentence.rstrip(".")
