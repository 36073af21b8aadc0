"""What a rule over words is, and how a list of them is matched."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tributary.domain.guard.phrases import Phrase, Word, parse_all, word_set

_NEGATIONS = word_set("not never dont cannot cant mustnt shouldnt wont avoid without no")
_NOT_REALLY = word_set("hesitate forget fail only just")  # "never forget to" is an order
_REACH = 4  # words between a negation and what it negates
_WINDOW = 30  # words to either side in which an excuse counts; bounds the work on long sentences


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that matched a range of the folded text."""

    rule: str
    reason: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WordRule:
    """Word patterns that say one kind of thing; any of them is enough."""

    name: str
    reason: str
    phrases: tuple[Phrase, ...]
    unless: tuple[Phrase, ...] = ()  # found anywhere in the same sentence, they excuse it
    negatable: bool = True  # "never do it" is not an order to do it


def rule(
    name: str,
    reason: str,
    *patterns: str,
    unless: Iterable[str] = (),
    negatable: bool = True,
) -> WordRule:
    """A WordRule from patterns in the notation of `phrases`."""
    return WordRule(
        name,
        reason,
        parse_all(*patterns),
        parse_all(*unless),
        negatable,
    )


class RuleSet:
    """Rules indexed by the words their patterns begin with, so that a text is walked once."""

    def __init__(self, rules: Iterable[WordRule]) -> None:
        self.rules = tuple(rules)
        self._by_first: dict[str, list[tuple[WordRule, Phrase]]] = defaultdict(list)
        for one in self.rules:
            for phrase in one.phrases:
                for word in phrase.steps[0].choices:
                    self._by_first[word].append((one, phrase))

    def hits(self, words: Sequence[Word]) -> Iterator[Hit]:
        """Every match that nothing in its sentence excuses, in the order of the text."""
        for at, word in enumerate(words):
            for one, phrase in self._by_first.get(word.text, ()):
                end = phrase.match(words, at)
                if end is not None and not _excused(one, words, at):
                    yield Hit(one.name, one.reason, word.start, words[end - 1].end)


def _excused(one: WordRule, words: Sequence[Word], at: int) -> bool:
    if one.negatable and is_negated(words, at):
        return True
    sentence = sentence_around(words, at) if one.unless else ()
    return any(
        phrase.match(sentence, index) is not None
        for phrase in one.unless
        for index in range(len(sentence))
    )


def is_negated(words: Sequence[Word], at: int) -> bool:
    """Whether a negation stands shortly before the word at `at`, in the same sentence."""
    before: list[str] = []
    for index in range(at - 1, max(at - 1 - _REACH, -1), -1):
        if words[index].text == ".":
            break
        before.append(words[index].text)
    return any(
        word in _NEGATIONS and not (place and before[place - 1] in _NOT_REALLY)
        for place, word in enumerate(before)
    )


def sentence_around(words: Sequence[Word], at: int) -> Sequence[Word]:
    """The words near `at` that belong to the same sentence."""
    start, end = at, at
    while start > max(at - _WINDOW, 0) and words[start - 1].text != ".":
        start -= 1
    while end < min(at + _WINDOW, len(words)) and words[end].text != ".":
        end += 1
    return words[start:end]


def sentences(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """The sentences, without the words that mark their ends."""
    start = 0
    for index, word in enumerate(words):
        if word.text == ".":
            if index > start:
                yield words[start:index]
            start = index + 1
    if start < len(words):
        yield words[start:]
