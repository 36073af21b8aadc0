"""Task hijacks: polite text that asks the reader for something instead of stating a lesson.

A lesson states a fact or a rule of work, often in the imperative. A hijack shapes the reader's
answer ("in your response ..."), or asks for an answer, a text or an errand and states nothing.
"""

import re
from collections.abc import Iterator, Sequence

from tributary.domain.guard import hijack_words as lexicon
from tributary.domain.guard.hijack_words import ANSWER, ANSWERED, CIPHER, SHAPE, UNIT
from tributary.domain.guard.phrases import Phrase, Word, parse_all, word_set
from tributary.domain.guard.rules import Hit, RuleSet, is_negated, rule, sentences

_SHAPING = RuleSet(
    [
        rule(
            "task-hijack",
            "shapes the reader's answer",
            f"{SHAPE} <14 your <2 {ANSWER}",
            f"{SHAPE} <6 your {ANSWERED} $",
            f"^ {SHAPE} <1 your {ANSWERED} using|with|in|as|into|to|so|without|by",
            f"in|within|throughout|to|at|into|with|for|of your <1 {ANSWER} <2 {SHAPE}",
            f"in|into|of|to|throughout|within|with your <1 {ANSWER} $",
            f"^ in|within|throughout your <1 {ANSWER}",
            f"^ your <1 {ANSWER} should|must|shall|needs|has|will|is",
            f"^ answer|reply|respond|write|speak|talk <3 in|using|with|as|through <4 {CIPHER}",
            f"^ {SHAPE} <3 {ANSWERED} <2 in|into|using|with|to|as <3 {CIPHER}",
            f"^ {SHAPE} <1 every|each|all <2 {UNIT} <3 with|for|by|to|into|in|of",
            f"^ {SHAPE} <3 letters|vowels|consonants|alphabet <4 with|for|by|to|into|in|of",
            unless=(
                f"{ANSWERED} to <2 customer|customers|user|users|client|clients|ticket|tickets",
                "^ i|we|he|she|they|it|thanks|thank|the|a|my|our|there|that|this|no|sorry",
                "function|endpoint|api|handler|server|method|schema|header|headers|test|tests|json",
            ),
        )
    ]
)
_COURTESIES = parse_all(
    "can|could|would|will|might you please|kindly|also|possibly|maybe?",
    "please|kindly|hi|hello|hey|now|also|then|next|finally|ok|okay|quickly|just|first",
    "i|id|we want|need|like|would|wish like? you to",
    "i|we need|want|require help|assistance|you",
    "would|do you mind|be willing|able? to?",
    "is|would it possible|be great|nice|possible|to if|to? you? could?",
    "help|assist me|us with|to|in?",
    "feel free to",
    "answer|consider this|following question?",
)
_PLEASE = word_set("please kindly hi hello hey now also then next finally just first")
# Favours between people: a request for one of these is about them, not a task.
_FAVOURS = word_set("send remind bring pass pick call text believe come imagine lend wait stop")
_REQUESTS = parse_all(
    f"^ {lexicon.KNOW} <1 the|how|what|why|a|an|between <11 $",
    f"^ {lexicon.KNOW} <3 in|to simple|plain|detail|short|me|layman",
    "^ suggest|recommend|propose|brainstorm <3 name|names|ideas|places|ways",
    f"^ translate|put <4 {lexicon.SAYING}",
    f"^ {lexicon.MAKE} <1 a|an|some|any|me|one|two|three|five|ten <7 {lexicon.PIECE}",
    f"^ {lexicon.MAKE} <1 tips|ideas|advice|insights|examples|facts|suggestions",
    f"^ {lexicon.MAKE} <3 equivalent|translation|definition|synonym|antonym|difference|meaning",
    f"^ {lexicon.STUDY} <8 {lexicon.STUDIED}",
    f"^ {lexicon.ERRAND} <4 {lexicon.CHORE}",
    f"^ {lexicon.ERRAND}|{lexicon.STUDY} <2 my inbox|calendar|schedule|emails|files|photos|day",
    f"^ is|are|does|do|what|which|how|in|for|give|tell <6 following {lexicon.QUOTED_TEXT}",
    f"^ {lexicon.STUDY}|{lexicon.KNOW} <8 following|this {lexicon.QUOTED_TEXT}",
    "^ research|predict <10 $",
    "^ break|walk|take|guide|talk me|us|down|through <12 $",
    "^ tell|show|teach|give|remind|advise|get|find|help me|us <12 $",
    "^ imagine|pretend|suppose a|an|you|yourself|being <12 $",
)
_GREETING = word_set("hi hello hey please thanks good dear")
_ASKING = word_set("what whats who whos whom whose when where which why how")
_EXACT = re.compile(
    r"`|\w_\w|--\w|\s-\w\b|\w/\w|\.(?:py|js|ts|ya?ml|json|toml|sql|sh|md|txt|log|csv)\b|\b[A-Z]{2,}-\d"
)
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|(?<!\w)'[^\n']{1,200}'(?!\w)")
_MAX_WORDS = 60  # a longer text is not a one-line request


def find_hijack(text: str, words: Sequence[Word]) -> Iterator[Hit]:
    """Requests in folded text, `words` being its words."""
    yield from _SHAPING.hits(words)
    if len(words) > _MAX_WORDS:
        return
    asked = [one for one in sentences(words) if not _is_greeting(one)]
    if asked and all(_is_request(text, one) for one in asked):
        yield Hit("task-hijack", "asks for something and states nothing", 0, len(text))


def _is_greeting(sentence: Sequence[Word]) -> bool:
    return len(sentence) <= 3 and sentence[0].text in _GREETING


def _is_request(text: str, sentence: Sequence[Word]) -> bool:
    span = text[sentence[0].start : sentence[-1].end + 2]
    quoted = set(re.findall(r"\w+", " ".join(_QUOTED.findall(span)).lower()))
    bare = _without_courtesy(sentence)
    names = [word.text for word in bare if word.text not in quoted]
    if "?" in span and _is_question(names, asked_politely=len(bare) < len(sentence)):
        return not _EXACT.search(span)
    return _is_errand(span, sentence, bare)


def _is_question(names: Sequence[str], *, asked_politely: bool) -> bool:
    """A question of general knowledge, or a favour: it does not point at the people who talk."""
    if len(names) < 3 or not (asked_politely or names[0] in _ASKING):
        return False
    if list(names[:3]) == ["how", "do", "you"] and {"say", "spell", "pronounce"} & set(names):
        return True
    if asked_politely and _is_favour(names):
        return False
    return not lexicon.BETWEEN_PEOPLE & set(names)


def _is_favour(names: Sequence[str]) -> bool:
    if names[0] in {"believe", "imagine", "guess"}:
        return True
    return names[0] in _FAVOURS and names[1] in {"me", "us", "him", "her", "them", "how", "what"}


def _is_errand(span: str, sentence: Sequence[Word], bare: Sequence[Word]) -> bool:
    """An imperative, politely introduced or not, without a sign that it is a rule of work."""
    names = {word.text for word in bare}
    if len(bare) < 3 or is_negated(sentence, len(sentence) - len(bare)) or _EXACT.search(span):
        return False
    if names & lexicon.RULE_SIGNS or names & lexicon.WORK or "more" in names:
        return False
    if lexicon.BETWEEN_PEOPLE & {word.text for word in bare[1:3]}:
        return False
    asked = {word.text for word in sentence[: len(sentence) - len(bare)]}
    if asked - _PLEASE and bare[0].text in lexicon.TASKS:
        return not _is_favour([word.text for word in bare])
    return any(phrase.match(bare, 0) is not None for phrase in _REQUESTS)


def _without_courtesy(sentence: Sequence[Word]) -> Sequence[Word]:
    rest = sentence
    while rest:
        step = max(_ends(_COURTESIES, rest), default=0)
        if not step:
            break
        rest = rest[step:]
    return rest


def _ends(phrases: Sequence[Phrase], words: Sequence[Word]) -> Iterator[int]:
    for phrase in phrases:
        end = phrase.match(words, 0)
        if end is not None:
            yield end
