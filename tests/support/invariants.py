"""What must hold of a tribe after anything whatever; each raises AssertionError with the rows."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from tests.support.sql import Admin, dump
from tributary.adapters.postgres import rows
from tributary.doctor.consistency import Violation, broken_chains, splits, unexplained
from tributary.domain.lesson import Lesson

Rows = list[dict[str, Any]]


def check(admin: Admin, tribe: str) -> None:
    """Everything there is to check."""
    check_found(dump(admin, tribe))


def check_found(found: dict[str, Rows]) -> None:
    """The same, of the rows as tests.support.sql.dump reads them."""
    lessons = found_lessons(found)
    none(splits(lessons))
    none(broken_chains(lessons))
    none(unexplained(lessons, [rows.audit_entry(row) for row in found["memory_audit"]]))
    vectors_follow_status(found["lessons"], found["lesson_vectors"], found["lesson_vectors_past"])
    words_follow_what_is_active(found)
    decisions_name_what_is_there(found["lessons"], found["decisions"])
    disputes_are_open_while_a_lesson_is_disputed(found["lessons"], found["disputes"])


def found_lessons(found: dict[str, Rows]) -> list[Lesson]:
    return [rows.lesson(row) for row in found["lessons"]]


def none(violations: Iterable[Violation]) -> None:
    assert not (broken := list(violations)), broken


def vectors_follow_status(lessons: Rows, now: Rows, past: Rows) -> None:
    def ids(rows: Rows) -> list[UUID]:
        return sorted(row["id"] for row in rows)

    active = [row for row in lessons if row["status"] == "active"]
    gone = [row for row in lessons if row["deactivated_at"]]
    assert ids(now) == ids(active)
    assert ids(past) == ids(gone)


def words_follow_what_is_active(found: dict[str, Rows]) -> None:
    """Whatever recall reads beside the lessons themselves."""
    words_and_size_follow_what_is_active(
        found["lessons"], found["lesson_words"], found["tribe_sizes"]
    )
    counts_follow_the_words(found["lesson_words"], found["word_counts"])
    word_sets_are_the_lessons_words(found["lessons"], found["lesson_vectors"])


def words_and_size_follow_what_is_active(lessons: Rows, words: Rows, sizes: Rows) -> None:
    active = [row for row in lessons if row["status"] == "active"]
    expected = {
        (row["id"], key)
        for row in active
        for key in (*lexemes(row["terms"]), *("#" + tag for tag in row["tags"]))
    }
    assert {(row["id"], row["word"]) for row in words} == expected
    for size in sizes:
        assert size["lessons"] == len(active), size
        assert size["exceptions"] == sum(bool(row["excepts"]) for row in active), size
        assert size["ending"] == sum(bool(row["valid_to"]) for row in active), size
    assert sizes or not active


def counts_follow_the_words(words: Rows, counts: Rows) -> None:
    counted = {row["word"]: row["number"] for row in counts if row["number"]}
    assert counted == Counter(row["word"] for row in words)


def word_sets_are_the_lessons_words(lessons: Rows, vectors: Rows) -> None:
    terms = {row["id"]: row["terms"] for row in lessons}
    for row in vectors:
        assert row["words"].count(":") == len(lexemes(terms[row["id"]])), row


def lexemes(terms: str) -> list[str]:
    """Of a tsvector in its text form."""
    quoted = re.findall(r"'((?:[^']|'')+)'", terms)
    return [one.replace("''", "'").replace("\\\\", "\\") for one in quoted]


def decisions_name_what_is_there(lessons: Rows, decisions: Rows) -> None:
    known = {row["id"] for row in lessons}
    for row in decisions:
        assert row["lesson_id"] in known, row
        assert row["target_id"] is None or row["target_id"] in known, row


def disputes_are_open_while_a_lesson_is_disputed(lessons: Rows, disputes: Rows) -> None:
    waiting = sorted(row["lesson_id"] for row in disputes if row["resolution"] is None)
    assert waiting == sorted(row["id"] for row in lessons if row["status"] == "disputed")
