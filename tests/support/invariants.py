"""What must hold of a tribe after anything whatever; each raises AssertionError with the rows."""

from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any
from uuid import UUID

from tests.support.sql import Admin, dump

Rows = list[dict[str, Any]]
CHANGES_OF_STATUS = {"active", "superseded", "retired", "pending", "disputed", "quarantined"}


def check(admin: Admin, tribe: str) -> None:
    """Everything there is to check."""
    found = dump(admin, tribe)
    lessons = found["lessons"]
    one_truth(lessons)
    chains_are_unbroken(lessons)
    vectors_follow_status(lessons, found["lesson_vectors"], found["lesson_vectors_past"])
    audit_explains_status(lessons, found["memory_audit"])
    decisions_name_what_is_there(lessons, found["decisions"])
    disputes_are_open_while_a_lesson_is_disputed(lessons, found["disputes"])


def one_truth(lessons: Rows) -> None:
    active = [row["lineage"] for row in lessons if row["status"] == "active"]
    assert len(active) == len(set(active)), lessons


def chains_are_unbroken(lessons: Rows) -> None:
    by_id = {row["id"]: row for row in lessons}
    for row in lessons:
        assert (row["status"] == "superseded") == (row["superseded_by"] is not None), row
        if row["superseded_by"]:
            newer = by_id[row["superseded_by"]]
            # One lesson may end several; it goes on with the lineage of the first.
            same = newer["lineage"] == row["lineage"]
            assert same == (newer["supersedes"] == row["id"]), (row, newer)
            assert newer["activated_at"] == row["deactivated_at"], (row, newer)
        if row["supersedes"]:
            assert by_id[row["supersedes"]]["superseded_by"] == row["id"], row
        assert row["status"] != "active" or row["deactivated_at"] is None, row
        assert (row["activated_at"] is None) <= (row["deactivated_at"] is None), row
    believed = sorted((row for row in lessons if row["activated_at"]), key=itemgetter("lineage"))
    for _, links in groupby(believed, key=itemgetter("lineage")):
        chain = sorted(links, key=itemgetter("activated_at"))
        for older, newer in pairwise(chain):
            assert older["deactivated_at"] <= newer["activated_at"], (older, newer)


def vectors_follow_status(lessons: Rows, now: Rows, past: Rows) -> None:
    def ids(rows: Rows) -> list[UUID]:
        return sorted(row["id"] for row in rows)

    active = [row for row in lessons if row["status"] == "active"]
    gone = [row for row in lessons if row["deactivated_at"]]
    assert ids(now) == ids(active)
    assert ids(past) == ids(gone)


def audit_explains_status(lessons: Rows, audit: Rows) -> None:
    """Replayed in order, the audit gives each lesson the status that it has."""
    replayed: dict[UUID, str] = {}
    reinforced: dict[UUID, int] = {}
    for line in sorted(audit, key=itemgetter("at", "id")):
        if line["action"] in CHANGES_OF_STATUS:
            replayed[line["lesson_id"]] = line["action"]
        else:
            assert line["action"] == "reinforced", line
            assert replayed[line["lesson_id"]] == "active", line
            reinforced[line["lesson_id"]] = reinforced.get(line["lesson_id"], 0) + 1
    assert replayed == {row["id"]: row["status"] for row in lessons}
    assert reinforced == {row["id"]: row["reinforcements"] for row in lessons
                          if row["reinforcements"]}  # fmt: skip


def decisions_name_what_is_there(lessons: Rows, decisions: Rows) -> None:
    known = {row["id"] for row in lessons}
    for row in decisions:
        assert row["lesson_id"] in known, row
        assert row["target_id"] is None or row["target_id"] in known, row


def disputes_are_open_while_a_lesson_is_disputed(lessons: Rows, disputes: Rows) -> None:
    waiting = sorted(row["lesson_id"] for row in disputes if row["resolution"] is None)
    assert waiting == sorted(row["id"] for row in lessons if row["status"] == "disputed")
