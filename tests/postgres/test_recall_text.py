"""Queries and lessons in every kind of text."""

import pytest

from tests.support.sql import dump, value

QUERIES = {
    "stop words": "the and of to a is",
    "one stop word": "the",
    "punctuation": "!?.,;:-_()[]{}<>@#$%^&*+=~`|/",
    "quotes": "it's \"quoted\" ''twice'' ''' and '",
    "backslashes": "C:\\temp\\new \\ \\\\ \\' %s %(tribe)s $1 {0}",
    "tsquery syntax": "a & b | !c <-> d:* (e",
    "emoji": "\U0001f980\U0001f9ea",
    "zero-width joiners": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "a long word": "x" * 8_000,
    "many words": " ".join(f"w{number}" for number in range(10_000))[:8_000].strip(),
    "a path and a URL": "/usr/local/bin?x=1 https://example.com/a/b?c=d#e user@example.com",
    "numbers": "-1 1e308 0x7f 1.2.3.4 ::1 2026-07-10T15:42:00Z",
    "control characters": "bell\x07 escape\x1b[31m tab\t newline\n end",
    "a noncharacter": "\ufffe\uffff beyond",
    "markup": "<b>bold</b> &amp; <!-- a comment -->",
}
PUMP = "\u043d\u0430\u0441\u043e\u0441"
LESSONS = {
    "German": ("Die Fl\u00fcgelmutter geh\u00f6rt zur blauen Pumpe", "Fl\u00fcgelmutter"),
    "Russian": (f"{PUMP.capitalize()} 7", PUMP),
    "Japanese": ("\u30dd\u30f3\u30d7 \u306f \u5730\u4e0b\u5ba4", "\u5730\u4e0b\u5ba4"),
    "Arabic": ("\u0627\u0644\u0642\u0628\u0648 7", "\u0627\u0644\u0642\u0628\u0648"),
    "English, inflected": ("Restarting the workers clears stale caches", "restarted worker cache"),
    "a stop word of English only": ("die die die Katze", "die"),
    "code": ("call foo_bar(x) before baz->qux", "foo_bar"),
    "a version": ("upgrade libfoo to 1.2.3-rc1 first", "1.2.3-rc1"),
    "decomposed": ("the cafe\u0301 closes at six", "caf\u00e9"),
}  # fmt: skip


@pytest.fixture
def memory(memories):
    made = memories()
    made.learn("the billing port is 7001")
    return made


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_any_text_is_a_query(memory, tribe, admin, text):
    recalled = memory.recall(text)
    (receipt,) = dump(admin, tribe)["recall_receipts"]
    assert receipt["lessons"] == [one.id for one in recalled.lessons]
    assert len(recalled.lessons) == 1  # the only one there is, however far away


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_any_text_is_a_lesson_and_comes_back_as_it_was_learnt(memories, text):
    memory = memories()
    learned = memory.learn(text, situation=text, tags=[text[:60].strip()])
    (found,) = memory.recall(text).lessons
    assert (found.id, found.content, found.situation) == (learned.lesson_id, text, text)
    assert memory.learn(text).lesson_id == learned.lesson_id


@pytest.mark.parametrize(("content", "query"), LESSONS.values(), ids=LESSONS)
def test_a_word_of_any_language_is_found(admin, content, query):
    matched = value(
        admin,
        "SELECT bool_or(to_tsvector('english', normalize(%s))"
        " || to_tsvector('simple', normalize(%s)) @@ matching) FROM query_words(%s)",
        content, content, query,
    )  # fmt: skip
    assert matched


def test_words_of_the_situation_count_too(memories):
    memory = memories()
    memory.learn("clear the cache first", situation="linker exits with 137")
    memory.learn("set the batch header", situation="deploy answers 429")
    found = memory.recall("why does the linker exit with 137", k=1)
    assert [one.content for one in found.lessons] == ["clear the cache first"]
