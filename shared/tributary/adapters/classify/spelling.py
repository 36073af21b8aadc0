"""Different spellings of one thing: synonyms, number words, units, contractions, clock times."""

import re
from collections.abc import Callable


def _synonyms(groups: str) -> dict[str, str]:
    """Every word of a line to the first of its line."""
    lines = (line.split() for line in groups.strip().splitlines())
    return {word: first for first, *others in lines for word in others}


def _equal(pairs: str) -> dict[str, str]:
    """`word=other` pairs as a dictionary."""
    return dict(pair.split("=", 1) for pair in pairs.split())


SYNONYMS = _synonyms(
    """
    is are am
    was were
    use utilise utilize employ
    required needed mandatory
    big large huge
    small little tiny
    begin commence
    buy purchase
    delete erase
    fix repair
    select choose pick
    quick rapid
    db database
    config configuration
    repo repository
    env environment
    k8s kubernetes
    postgres postgresql
    prod production
    admin administrator
    docs documentation
    infra infrastructure
    app application
    auth authentication
    directory folder
    mail email e-mail
    colour color
    favourite favorite
    behaviour behavior
    licence license
    must has-to have-to needs-to need-to
    daily everyday
    child kid
    man guy
    woman lady
    cut slice
    speak talk
    road street
    forest woods
    doctor physician
    """
)
NUMBER_WORDS = _equal(
    """
    one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12
    fifteen=15 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 ninety=90
    """
)
UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("s", 0.001)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("day", "days", "d"), ("s", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("s", 604800.0)),
    **dict.fromkeys(("month", "months"), ("mo", 1.0)),
    **dict.fromkeys(("year", "years"), ("mo", 12.0)),
    **dict.fromkeys(("kb", "kib", "kilobytes"), ("B", 2.0**10)),
    **dict.fromkeys(("mb", "mib", "megabytes"), ("B", 2.0**20)),
    **dict.fromkeys(("gb", "gib", "gigabytes"), ("B", 2.0**30)),
    **dict.fromkeys(("tb", "tib", "terabytes"), ("B", 2.0**40)),
    **dict.fromkeys(("%", "percent"), ("%", 1.0)),
}

_EACH = {"day": "daily", "night": "nightly", "week": "weekly", "month": "monthly", "hour": "hourly"}


def _adverb(match: re.Match[str]) -> str:
    return _EACH[match[1]]


_PLAINER: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\bcan't\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"\bno one\b"), "nobody"),
    (re.compile(r"\bany ?(?:more|longer)\b"), ""),
    (re.compile(r"\bno longer\b"), "not"),
    (re.compile(r"\b(it|there|that|he|she)'s\b"), r"\1 is"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(has|have|need|needs) to\b"), r"\1-to"),
    (re.compile(r"\b(?:do|does|did) not forget to\b"), ""),
    (
        re.compile(r"(?:^|(?<=[.;!?,] ))(?:make sure|be sure|remember|ensure)(?: that| you| to)* "),
        "",
    ),
    (
        re.compile(r"(?:^|(?<=[.;!?,] ))(?:you|we|one) (?:must|should|ought to|(?:have|need)-to) "),
        "",
    ),
    (re.compile(r"\b(is|are|was|were) (?:called|named|set to|equal to) "), r"\1 "),
    (re.compile(r"\b(?:every|each|once a|once per) (day|night|week|month|hour)\b"), _adverb),
    (
        re.compile(
            r"\b(for|within|after|in|takes?|took|lasts?) an?"
            r" (?=(?:minute|hour|day|week|month|year)\b)"
        ),
        r"\1 1 ",
    ),
    (re.compile(r"(\d)(?:st|nd|rd|th)\b"), r"\1"),
    (re.compile(r"\bmidnight\b"), "00:00"),
    (re.compile(r"\bnoon\b"), "12:00"),
    (re.compile(r"\b([ldjnsmtc]|qu)'(?=\w)"), r"\1 "),  # French elision
)
_FULL_TIME = re.compile(r"(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?")


def spelt_out(text: str) -> str:
    """Lower-case text with contractions, set phrases and clock times in their plainest form."""
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    return _FULL_TIME.sub(_twenty_four_hours, text)


def _twenty_four_hours(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
    return f"{hour:02}:{match[2] or '00'}"
