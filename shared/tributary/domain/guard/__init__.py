"""Screening of lessons: a lesson informs its reader, it never gives it orders.

Lessons are untrusted text that other agents will read. `screen` looks for text that would act
on its reader (orders, hidden triggers, requests for secrets, credentials, code to adopt) and
says what kind it found. It is deterministic, pure, and linear in the length of the text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tributary.domain.guard.credentials import find_credentials
from tributary.domain.guard.fold import fold
from tributary.domain.guard.foreign import CJK, FOREIGN
from tributary.domain.guard.harms import HARMS
from tributary.domain.guard.hidden import is_telltale, readings, spelt_out
from tributary.domain.guard.hijack import find_hijack
from tributary.domain.guard.orders import ORDERS
from tributary.domain.guard.phrases import split_words
from tributary.domain.guard.rules import Hit
from tributary.domain.guard.snippets import find_snippets
from tributary.domain.guard.templates import find_templates


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that matched. It never carries the text, so that it may be logged."""

    rule: str
    reason: str
    span: tuple[int, int] | None = None  # half-open range of the screened text, in characters


@dataclass(frozen=True, slots=True)
class Screening:
    """What the guard thinks of one text."""

    quarantined: bool
    findings: tuple[Finding, ...] = ()

    @property
    def reason(self) -> str:
        """The findings in one line, for the lesson's flag; empty when there are none."""
        return "; ".join(
            dict.fromkeys(f"{finding.rule}: {finding.reason}" for finding in self.findings)
        )


def screen(text: str) -> Screening:
    """Whether `text` may be recalled by other agents, and what speaks against it."""
    folded = fold(text)
    findings = [
        Finding(hit.rule, hit.reason, folded.span(hit.start, hit.end))
        for hit in _first_of_each(_plain_hits(folded.text))
    ]
    if not findings:
        findings = [
            Finding(hit.rule, f"{hit.reason}, in an encoded form")
            for hit in _first_of_each(_hidden_hits(folded.text))
        ]
    return Screening(bool(findings), tuple(findings))


def _plain_hits(text: str) -> Iterator[Hit]:
    words = split_words(text)
    yield from _order_hits(text)
    yield from find_credentials(text)
    yield from find_snippets(text, words)
    yield from find_hijack(text, words)
    for joined, start, end in spelt_out(words):
        if is_telltale(joined):
            yield Hit("obfuscation", "spells out in single letters what attacks name", start, end)


def _order_hits(text: str) -> Iterator[Hit]:
    words = split_words(text)
    yield from find_templates(text)
    for rules in (ORDERS, HARMS, FOREIGN):
        yield from rules.hits(words)
    if any(verb in text and noun in text for verb, noun in CJK):
        yield Hit("instruction-override", "tells the reader to drop its instructions", 0, len(text))


def _hidden_hits(text: str) -> Iterator[Hit]:
    for reading in readings(text):
        yield from _order_hits(fold(reading).text)


def _first_of_each(hits: Iterable[Hit]) -> list[Hit]:
    seen: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        seen.setdefault((hit.rule, hit.reason), hit)
    return list(seen.values())


__all__ = ["Finding", "Screening", "screen"]
