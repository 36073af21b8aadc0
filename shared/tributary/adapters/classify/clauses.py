"""A text as clauses: what each states, of what, and whether it denies it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from tributary.adapters.classify import lexicon
from tributary.adapters.classify.readings import PRONOUNS, readings, resolved, split
from tributary.adapters.classify.tokens import Kind, Token, key_of, tokenise
from tributary.adapters.classify.turning import turned

Tokens = tuple[Token, ...]

_DO = frozenset({"do", "does", "did"})
_DROPPED = lexicon.FILLERS | {"ne", "n"}


@dataclass(frozen=True)
class Clause:
    """One statement: its words without negations, articles, marks and fillers."""

    words: Tokens
    fronted: int = 0  # how many of them are an adjunct that stands before the subject
    negative: bool = False
    partial: bool = False  # "not always", "not only": neither a denial nor a plain statement
    universal: bool = False  # "no dog ...", "there is no dog ...": denied of every one
    indefinite: bool = False  # "a dog ...": said of no certain one
    exclusive: bool = False  # "only ..."
    unique: bool = False  # "X is the Y", turned round to "Y is X"
    implied: bool = False  # said by the text in other words
    asked: bool = False  # a question, which states nothing

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What the words are compared by."""
        return tuple(word.key for word in self.words)

    @cached_property
    def verb(self) -> int | None:
        """The index of the main verb; None when no known verb is found."""
        return find_verb(self.words, self.fronted)

    @property
    def is_unresolved(self) -> bool:
        """Whether it is said of an "it" or a "today" that the text does not name."""
        texts = [word.text for word in self.words]
        if not lexicon.WHEN_SAID.isdisjoint(texts):
            return True
        if self.verb == self.fronted:  # "that is great", whose "that" carries nothing
            return texts[self.fronted] in {"is", "was", "are", "were"} and not self.indefinite
        return len(self.subject) == 1 and self.subject[0].text in PRONOUNS and "to" not in texts

    @property
    def is_past(self) -> bool:
        """Whether it tells of something that happened."""
        texts = [word.text for word in self.words]
        verb = texts[self.verb] if self.verb is not None else ""
        past = verb in lexicon.PAST or (not verb and not lexicon.PAST.isdisjoint(texts[:4]))
        ends = any(map(_is_past_tense, [verb] if verb else texts[:4]))
        return (past or ends) and lexicon.PAST_BUT_ONCE.isdisjoint(texts)

    @property
    def subject(self) -> Tokens:
        """The words before the verb; none in an imperative or without a known verb."""
        return self.words[self.fronted : self.verb or self.fronted]


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text in order, each followed by those that it implies."""
    found: list[Clause] = []
    subject: Tokens = ()
    for part, asked in split(tokenise(text)):
        tokens = resolved(part, subject)
        for reading, denied, implied in readings(tokens):
            clause = replace(_clause(reading, denied=denied, implied=implied), asked=asked)
            if clause.words:
                found.append(clause)
                subject = subject or clause.subject
    return tuple(found)


def _clause(tokens: Tokens, *, denied: bool, implied: bool) -> Clause:
    if len(tokens) > 2 and tokens[0].text in {"no", "yes"} and tokens[1].text == ",":
        tokens = tokens[2:]
    texts = [token.text for token in tokens]
    negators = [at for at in range(len(texts)) if _negates(texts, at)]
    front = _front(tokens)
    words = (*_content(tokens[:front]), *_content(tokens[front:]))
    fronted = len(_content(tokens[:front]))
    words, unique = turned(words, fronted, find_verb(words, fronted))
    return Clause(
        words=words,
        fronted=fronted,
        negative=(len(negators) % 2 == 1) != denied,
        partial=not lexicon.NOT_NEGATING.isdisjoint(_following(texts, negators)),
        universal=bool(negators) and _is_universal(texts, negators[0]),
        indefinite=bool(tokens) and _is_indefinite(tokens[0]),
        exclusive="only" in texts,
        unique=unique,
        implied=implied,
    )


def _is_past_tense(text: str) -> bool:
    return text.endswith("ed") and not text.endswith("eed") and len(text) > 3


def _following(texts: Sequence[str], places: Sequence[int]) -> list[str]:
    return [texts[at + 1] for at in places if at + 1 < len(texts)]


def _negates(texts: Sequence[str], at: int) -> bool:
    text = texts[at]
    if text == "plus":  # French "ne ... plus"
        return bool({"n", "ne"} & set(texts[:at]))
    return text in lexicon.NEGATORS or text == "avoid" or texts[at : at + 2] == ["used", "to"]


def _content(tokens: Tokens) -> Tokens:
    """The words that carry the statement."""
    texts = [token.text for token in tokens]
    words = (_carried(token, texts, at) for at, token in enumerate(tokens))
    return tuple(word for word in words if word is not None)


def _carried(token: Token, texts: Sequence[str], at: int) -> Token | None:
    """The word as it counts in the clause; None for what carries nothing."""
    text = texts[at]
    before, after = (texts[at - 1] if at else ""), (texts[at + 1] if at + 1 < len(texts) else "")
    if text == "avoid" and after and not after.endswith("ing"):
        return Token("use", key_of("use"), Kind.WORD)  # "avoid npm" denies "use npm"
    if text in _DO and after and _negates(texts, at + 1):
        return None
    if token.kind is Kind.MARK or text in _DROPPED or _negates(texts, at):
        return None
    return None if (before, text) == ("used", "to") else token


def _is_universal(texts: Sequence[str], at: int) -> bool:
    if texts[at] in {"nobody", "none", "nothing"}:
        return True
    return texts[at] in {"no", "kein", "keine"} and (at == 0 or texts[0] in {"there", "es"})


def _is_indefinite(first: Token) -> bool:
    words = {first.article, first.text}
    return bool(words & lexicon.INDEFINITE) or first.text in {"there", "no", "nobody"}


def _front(tokens: Tokens) -> int:
    """Where an adjunct that is set off by a comma at the start ends; 0 without one."""
    if tokens and tokens[0].text in lexicon.ADJUNCTS:
        for at, token in enumerate(tokens[:-1]):
            if token.text == ",":
                return at
    return 0


def find_verb(words: Tokens, start: int) -> int | None:
    """The index of the main verb from `start`; `start` itself in an imperative."""
    if start < len(words) and (words[start].text in lexicon.BE or _is_order(words, start)):
        return start
    for at in range(start + 1, len(words)):
        if words[at].text in lexicon.FINITE:
            return at
    return None


def _is_order(words: Tokens, at: int) -> bool:
    """Whether an imperative stands at `at`: "deploy the app", but not "deploy 12 failed"."""
    if words[at].text not in lexicon.IMPERATIVES or words[at].article:
        return False
    following = words[at + 1] if at + 1 < len(words) else None
    if words[at].text not in lexicon.NOUN_TOO or following is None:
        return True
    return bool(following.article) or (
        following.text not in lexicon.FINITE and not following.text.isdigit()
    )
