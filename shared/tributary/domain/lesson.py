"""The lesson: one remembered statement, and the rules its text must keep."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from uuid import UUID

from tributary.domain.errors import InvalidInputError
from tributary.domain.validity import ALWAYS, Validity

MAX_CONTENT = 8_000  # characters; longer text says more than one lesson
MAX_TAGS = 20
LABEL_WORDS = 2
MAX_TAG = 64
MAX_NAME = 64
MAX_MARKS = 30  # combining marks in a row (Unicode Standard Annex 15, Stream-Safe Text Format)

# Bidirectional overrides and isolates reorder what a reader sees, and never carry meaning.
_BIDI_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
# Fillers and selectors that Unicode counts among letters and marks, yet nobody sees.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@%-]*")


class Status(StrEnum):
    """Only `active` lessons are recalled."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    PENDING = "pending"
    DISPUTED = "disputed"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Draft:
    """A lesson as its learner states it: cleaned and checked, not yet stored."""

    content: str
    situation: str | None = None
    tags: tuple[str, ...] = ()
    validity: Validity = ALWAYS


def same_scope(first: str | None, second: str | None) -> bool:
    """False when two situations are labels, of one or two words, that differ.

    "staging" and "production" tell of two places; longer situations tell how it was learnt.
    """
    if first is None or second is None or first.casefold() == second.casefold():
        return True
    return max(len(first.split()), len(second.split())) > LABEL_WORDS


@dataclass(frozen=True, slots=True)
class Lesson:
    """A stored lesson."""

    id: UUID
    lineage: UUID
    status: Status
    content: str
    situation: str | None
    tags: tuple[str, ...]
    revision: int
    confidence: float  # 0 to 1
    strength: float  # days until retention falls to 1/e
    source_agent: str
    created_at: datetime
    activated_at: datetime | None
    deactivated_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    supersedes: UUID | None
    superseded_by: UUID | None
    excepts: tuple[UUID, ...]  # lineages that do not hold while this lesson does
    protected: bool
    reinforcements: int
    flag: str | None  # why it is pending, quarantined, disputed or retired

    @property
    def draft(self) -> Draft:
        """What its learner stated."""
        return Draft(
            self.content, self.situation, self.tags, Validity(self.valid_from, self.valid_to)
        )


def draft(
    content: str,
    *,
    situation: str | None = None,
    tags: Sequence[str] = (),
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
) -> Draft:
    """A checked Draft; raises InvalidInputError naming the first field at fault."""
    return Draft(
        content=clean_text(content, "content", MAX_CONTENT),
        situation=None if situation is None else clean_text(situation, "situation", MAX_CONTENT),
        tags=clean_tags(tags),
        validity=Validity(valid_from, valid_to),
    )


def clean_text(text: str, field: str, limit: int) -> str:
    """The text in NFC, without surrounding blanks and without bidirectional controls.

    Raises InvalidInputError for text that is not Unicode, holds NUL, shows nothing, piles up more
    than MAX_MARKS combining marks, or is longer than `limit` characters.
    """
    if not isinstance(text, str):
        raise InvalidInputError(field, "must be a string")
    if len(text) > 4 * limit:
        raise InvalidInputError(field, f"is longer than {limit} characters")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise InvalidInputError(field, "holds a lone surrogate, which is not Unicode text")
    if "\0" in text:
        raise InvalidInputError(field, "holds a NUL character")
    visible = text.translate(_BIDI_CONTROLS)  # first: they keep letters and marks apart
    if _marks_in_a_row(visible) > MAX_MARKS:
        raise InvalidInputError(field, f"has more than {MAX_MARKS} combining marks in a row")
    cleaned = unicodedata.normalize("NFC", visible).strip()
    if not any(map(_shows, cleaned)):
        raise InvalidInputError(field, "is blank")
    if len(cleaned) > limit:
        raise InvalidInputError(field, f"is longer than {limit} characters")
    return cleaned


def _marks_in_a_row(text: str) -> int:
    """The longest run of combining marks: NFC takes time in its square."""
    if text.isascii():
        return 0
    runs = groupby(text, lambda char: unicodedata.combining(char) > 0)
    return max((sum(1 for _ in run) for marks, run in runs if marks), default=0)


def _shows(char: str) -> bool:
    return char.isprintable() and not char.isspace() and char not in _UNSEEN


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags cleaned, without repeats, in their first order."""
    if isinstance(tags, (str, bytes)) or not isinstance(tags, Sequence):
        raise InvalidInputError("tags", "must be a list of strings")
    if len(tags) > MAX_TAGS:
        raise InvalidInputError("tags", f"has more than {MAX_TAGS} items")
    return tuple(dict.fromkeys(clean_text(tag, "tags", MAX_TAG) for tag in tags))


def clean_name(name: str, field: str) -> str:
    """A tribe's or agent's name: letters, digits and `. _ @ % -`, at most 64 characters."""
    if not isinstance(name, str) or len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise InvalidInputError(
            field,
            f"must be 1 to {MAX_NAME} letters, digits or . _ @ % -, and start with one of"
            " the first two",
        )
    return name
