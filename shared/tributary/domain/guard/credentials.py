"""Credentials in the text: known key formats, private keys, and assigned passwords."""

import re
from collections.abc import Iterator

from tributary.domain.guard.rules import Hit

_KEYS = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS access key id
    r"|\bgh[pousr]_[A-Za-z0-9]{30}|\bgithub_pat_[A-Za-z0-9_]{30}|\bglpat-[\w-]{18}"
    r"|\bxox[abposr]-[\w-]{12}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20}|\b[sr]k_live_[A-Za-z0-9]{16}"
    r"|\bAIza[\w-]{35}|\bya29\.[\w-]{20}|\bnpm_[A-Za-z0-9]{30}|\bpypi-[\w-]{40}"
    r"|\bhf_[A-Za-z0-9]{30}|\btrib_[\w-]{20}|\bSG\.[\w-]{16,32}\.[\w-]{16}|\bAGE-SECRET-KEY-1"
    r"|\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]{10}"  # JSON Web Token
    r"|-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY"
)
_IN_URL = re.compile(r"\b[a-z][a-z0-9+]{1,15}://[^\s:/@]{1,64}:([^\s/@]{1,128})@")
_ASSIGNED = re.compile(
    r"(?i)\b(?:[a-z0-9]{1,20}[_-]){0,3}(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|"
    r"(?:secret|access|private)_?(?:access_?)?key)\"? ?(?::?=|:| is) ?[\"'`]?([^\s\"'`,;]{4,200})"
)
# What stands for a value rather than being one.
_STAND_IN = re.compile(
    r"(?i)[$<{%*\[(\\]|\.{3}|x{3}|example|changeme|placeholder|redacted|dummy|your|env|getenv|"
    r"secret|passw|token|vault|none|null|true|false|://|/"
)
_VARIABLE = re.compile(r"[$<{%*\[(\\]|://")


def find_credentials(text: str) -> Iterator[Hit]:
    """Every credential in folded text whose case was kept."""
    reason = "holds a credential"
    for match in _KEYS.finditer(text):
        yield Hit("credential", reason, *match.span())
    for match in _IN_URL.finditer(text):
        if not _STAND_IN.search(match[1]):
            yield Hit("credential", reason, *match.span(1))
    for match in _ASSIGNED.finditer(text):
        if _is_secret(match[1], spoken=match[0][: -len(match[1])].rstrip(" \"'`").endswith("is")):
            yield Hit("credential", reason, *match.span(1))


def _is_secret(value: str, *, spoken: bool) -> bool:
    """Whether a value looks like a secret; after "is", a plain word is part of a sentence."""
    value = value.rstrip(".!?)")
    if len(value) < 4:
        return False
    kinds = sum(
        any(test(char) for char in value)
        for test in (str.islower, str.isupper, str.isdigit, _is_mark)
    )
    if _STAND_IN.search(value) and (_VARIABLE.search(value) or len(value) < 20 or kinds < 3):
        return False
    return kinds >= 2 and (not spoken or len(value) >= 6) and not value.isdigit()


def _is_mark(char: str) -> bool:
    return not char.isalnum() and char not in "-_."
