"""What text a lesson may have, and what is cleaned away."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tributary.domain.errors import InvalidInputError
from tributary.domain.lesson import (
    MAX_CONTENT,
    MAX_MARKS,
    MAX_TAG,
    MAX_TAGS,
    clean_name,
    clean_tags,
    clean_text,
    draft,
)

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def clean(text: Any, limit: int = 100) -> str:
    return clean_text(text, "content", limit)


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("  the port is 7001\r\n", "the port is 7001"),
        ("caf\u00e9", "caf\u00e9"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u202eport\u202c 7001", "port 7001"),
        ("e\u202e\u0301", "\u00e9"),  # the override kept the letter and its mark apart
        ("a\u2066b\u2069c", "abc"),
        ("<|endoftext|>", "<|endoftext|>"),
        ("\U0001f98a", "\U0001f98a"),
        ("\U0001f469\u200d\U0001f4bb works", "\U0001f469\u200d\U0001f4bb works"),
        ("x", "x"),
        ("\u0646\u0639\u0645", "\u0646\u0639\u0645"),
        ("line one\nline two\ttab", "line one\nline two\ttab"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("\ud55c\u3164\uae00", "\ud55c\u3164\uae00"),
    ],
)
def test_text_is_cleaned_as_documented(given_: str, kept: str) -> None:
    assert clean(given_) == kept


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        " \t\r\n\u00a0\u3000\u2028",
        "\u200b\u200c\u200d\u2060\ufeff",
        "\u00ad",
        BIDI,
        f" {BIDI}\u200b",
        "\u180e\u061c\u200e\u200f",
        "\ufe0f\ufe00",
        "\U000e0101",
        "\U000e0041\U000e007f",
        "\u034f",
        "\u115f\u1160\u3164\uffa0",
        "\u2800",
        "\u17b4\u17b5",
        "\x01\x7f\x85",
    ],
    ids=ascii,
)
def test_text_that_shows_nothing_is_blank(nothing: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        clean(nothing)
    assert (caught.value.field, caught.value.reason) == ("content", "is blank")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("a\ud800b", "holds a lone surrogate, which is not Unicode text"),
        ("\udfff", "holds a lone surrogate, which is not Unicode text"),
        ("a\0b", "holds a NUL character"),
        ("x" * 101, "is longer than 100 characters"),
        ("x" * 200_000, "is longer than 100 characters"),
        (" " * 401, "is longer than 100 characters"),
        ("a" + "\u0301" * 31, "has more than 30 combining marks in a row"),
        (None, "must be a string"),
        (b"bytes", "must be a string"),
        (7, "must be a string"),
        (["x"], "must be a string"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_text_that_cannot_be_kept_is_refused_by_name(wrong: Any, reason: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        clean(wrong)
    assert (caught.value.field, caught.value.reason) == ("content", reason)


def test_the_limit_counts_characters_of_the_cleaned_text() -> None:
    assert len(clean(" " + "\U0001f98a" * 100 + " ")) == 100
    assert len(clean("e\u0301" * 100)) == 100
    assert clean("a" + "\u0301" * MAX_MARKS)


def test_the_reason_never_quotes_the_text() -> None:
    for secret in ("hunter2\0", "hunter2\ud800", "hunter2" * 60, "hunter2" + "\u0323" * 50):
        with pytest.raises(InvalidInputError) as caught:
            clean(secret)
        assert "hunter2" not in str(caught.value)


@given(st.text(max_size=60) | st.text(st.sampled_from("ae\u0301\u0323\u202e\u200b \n\u00e9\u1161")))
def test_cleaning_is_the_end_of_it(text: str) -> None:
    try:
        once = clean(text)
    except InvalidInputError:
        return
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not set(once) & set(BIDI)
    assert clean(unicodedata.normalize("NFD", text)) == once


def test_tags_are_cleaned_and_kept_once_in_their_order() -> None:
    assert clean_tags([" b ", "a", "b", "cafe\u0301", "caf\u00e9"]) == ("b", "a", "caf\u00e9")
    assert clean_tags(()) == ()
    assert len(clean_tags([f"t{number}" for number in range(MAX_TAGS)])) == MAX_TAGS


@pytest.mark.parametrize(
    "tags",
    [
        "billing",
        b"billing",
        None,
        7,
        {"a"},
        {"a": 1},
        [""],
        ["\u200b"],
        ["a", 7],
        [None],
        ["x" * (MAX_TAG + 1)],
        ["a\0"],
        [f"t{number}" for number in range(MAX_TAGS + 1)],
    ],
    ids=lambda value: repr(value)[:20],
)
def test_tags_that_cannot_be_kept_are_refused_by_name(tags: Sequence[str]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        clean_tags(tags)
    assert caught.value.field == "tags"


@pytest.mark.parametrize("name", ["acme", "acme-corp", "acme_corp", "a%", "acme.eu", "7", "a@b"])
def test_a_plain_name_is_kept_as_it_is(name: str) -> None:
    assert clean_name(name, "tribe") == name


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "-a", ".a", "%", "a\n", "\na", "a/b", "a\0", "caf\u00e9", "\uff41",
     "x" * 65, "a;--", None, 7, b"a"],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_any_other_name_is_refused(name: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        clean_name(name, "tribe")
    assert caught.value.field == "tribe"


def test_a_draft_is_clean_in_every_part() -> None:
    made = draft(" a ", situation=" b ", tags=[" c "])
    assert (made.content, made.situation, made.tags) == ("a", "b", ("c",))
    assert draft("a").situation is None


@pytest.mark.parametrize(
    ("field", "parts"),
    [
        ("content", {"content": ""}),
        ("content", {"content": None}),
        ("content", {"content": "x" * (MAX_CONTENT + 1)}),
        ("situation", {"content": "a", "situation": ""}),
        ("situation", {"content": "a", "situation": 7}),
        ("tags", {"content": "a", "tags": None}),
        ("valid_from", {"content": "a", "valid_from": "2026-07-10T15:42Z"}),
        ("valid_to", {"content": "a", "valid_to": 0}),
    ],
)
def test_a_draft_names_the_field_at_fault(field: str, parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        draft(**parts)
    assert caught.value.field == field
