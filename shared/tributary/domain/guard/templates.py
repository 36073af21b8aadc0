"""Chat-template tokens and headers that make a reader take the text for someone else's turn."""

import re
from collections.abc import Iterator

from tributary.domain.guard.rules import Hit

_TOKEN = re.compile(
    r"<\|[A-Za-z_ ]{2,32}\|>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>"
    r"|\[/?(?:SYSTEM|ASSISTANT)\]|</?(?:system|assistant|sys|system[_-](?:prompt|message)"
    r"|instructions?|tool_(?:call|result)s?|function_(?:call|result)s?|untrusted|recalled)"
    r"(?:\s[^>\n]{0,60})?>|</(?:lessons?|memory|memories)>",
    re.IGNORECASE,
)
_BANNER = re.compile(
    r"(?:^|\n)[^\w\n]{0,12}(?:BEGIN|END|START)(?: OF)? (?:NEW )?"
    r"(?:SYSTEM|ADMIN|DEVELOPER|PROMPT|INSTRUCTIONS?)\b"
    r"|(?:^|\n)#{1,6} ?(?:system|instructions?|assistant|developer)"
    r"(?: (?:prompt|message|note))?:? ?(?:\n|$)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"(?:^|\n)[\s>*_#\"'\[(]{0,8}(?:system|assistant|developer)"
    r"(?: (?:message|prompt|note|notice|update|instruction|override|alert))?"
    r"[\s*_\])]{0,4}:([^\n]{0,300})",
    re.IGNORECASE,
)
_ORDERING = re.compile(
    r"\b(?:you|your|must|now|ignore|override|grant|reveal|send|delete|disable|always|"
    r"never|respond|reply|answer|execute|run|forget|disregard|obey|instructions?|"
    r"approve|enable|trust|dump|follow|treat|okay|please)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"(?:^|\n)\s{0,4}(human|user|assistant|system|ai) ?:", re.IGNORECASE)


def find_templates(text: str) -> Iterator[Hit]:
    """Tokens, banners and headers in folded text."""
    reason = "imitates the markup of a conversation"
    for pattern in (_TOKEN, _BANNER):
        match = pattern.search(text)
        if match:
            yield Hit("template-token", reason, *match.span())
    for match in _HEADER.finditer(text):
        if _ORDERING.search(match[1]):
            yield Hit("template-token", reason, *match.span())
    turns = list(_TURN.finditer(text))
    if len({turn[1].lower() for turn in turns}) > 1:
        yield Hit("template-token", reason, turns[0].start(), turns[-1].end())
