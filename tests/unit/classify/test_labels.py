"""What the heuristic classifier makes of speakers, dates, tags and headings before a statement."""

import pytest

from tests.unit.classify.said import Said
from tests.unit.classify.test_pairs import PAIRS
from tributary.adapters.classify.heuristic import classify
from tributary.adapters.classify.labels import Labelled, labelled

THANKS = "Thanks, Melanie! That was great."
PORT = "the port is 7001"
LABELS = [
    "Caroline: {}",
    "[1:56 pm on 8 May, 2023] Caroline: {}",
    '(8 May 2023) Caroline said: "{}"',
    "{} \u2014 Caroline",
    "Session 1, Caroline: {}",
    "Q: What did Caroline say? A: {}",
    "user: {}",
    "Note: {}",
    "TODO: {}",
    "Lesson 12: {}",
    "build - {}",
    "[deploy] {}",
    "- **Tip:** {}",
    "2026-05-08T13:56:00Z Staging: {}",
]


@pytest.mark.parametrize("label", LABELS)
def test_a_label_that_two_lessons_share_changes_nothing_of_how_they_are_related(
    label: str,
) -> None:
    plain = [pair for pair in PAIRS if not _is_labelled(pair[1]) and not _is_labelled(pair[2])]
    wrong = [
        (relation, older, newer)
        for relation, older, newer in plain
        if classify(label.format(newer), [Said(label.format(older))]).relation != relation
    ]
    assert len(plain) > 500
    assert wrong == []


def _is_labelled(text: str) -> bool:
    return labelled(text) != Labelled(text) or ": " in text


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("other", ["Wow, that is so cool!", "Bye", "How are you?", "No, not yet."])
def test_small_talk_behind_a_label_is_no_value_of_it(label: str, other: str) -> None:
    old = Said(label.format(THANKS))
    assert classify(label.format(other), [old]).relation == "novel"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the port is 7001", Labelled(PORT)),
        ("Ann: the port is 7001", Labelled(PORT, speaker=("ann",))),
        ("<Ann> the port is 7001", Labelled(PORT, speaker=("ann",))),
        ("the port is 7001 - Ann", Labelled(PORT, speaker=("ann",))),
        ("[ops] the port is 7001", Labelled(PORT, topic=("ops",))),
        ("Ann's laptop: the port is 7001", Labelled(PORT, topic=("ann", "laptop"))),
        ("Note: Lesson 12: the port is 7001", Labelled(PORT)),
        ("Deploy 12: the port is 7001", Labelled(PORT, topic=("deploy", "12"))),
        ("8 May 2026, Ann: the port is 7001", Labelled(PORT, ("ann",), when=("8", "may", "2026"))),
        ("Env: staging. the port is 7001", Labelled(PORT, topic=("env", "stag"))),
        ("Monday: the port is 7001", Labelled(PORT, topic=("monday",), when=("monday",))),
    ],
)
def test_a_label_is_read_as_who_speaks_of_what_and_when(text: str, expected: Labelled) -> None:
    assert labelled(text) == expected


@pytest.mark.parametrize(
    "text", ["port: 7001", "owner: Dana", "X-Batch: true", "Never: use npm", "Use npm - it is fast"]
)
def test_a_pair_of_key_and_value_an_order_and_a_denial_are_not_labels(text: str) -> None:
    assert labelled(text) == Labelled(text)


def test_every_other_value_of_one_port_contradicts() -> None:
    lessons = [Said(f"The billing API listens on port {7000 + at}.") for at in range(25)]
    for new in lessons:
        for old in lessons:
            related = classify(new.content, [old]).relation
            assert related == ("duplicate" if old is new else "contradicts")
