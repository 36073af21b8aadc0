"""Which words are opposites of each other."""

from collections.abc import Sequence

from tributary.adapters.classify.tokens import Token, key_of


def _pairs(words: str) -> frozenset[frozenset[str]]:
    """`a/b c/d` as unordered pairs."""
    return frozenset(frozenset(pair.split("/")) for pair in words.split())


_LISTED = _pairs(
    """
    on/off enabled/disabled enable/disable up/down works/fails work/fail works/broken always/never
    allowed/forbidden allowed/prohibited allowed/banned allowed/denied allow/deny allow/forbid
    allow/block before/after open/closed open/close opens/closes true/false yes/no
    required/optional mandatory/optional required/forbidden needed/optional succeeds/fails
    succeeded/failed passes/fails passed/failed start/stop starts/stops started/stopped
    running/stopped online/offline increase/decrease increases/decreases increased/decreased
    increasing/decreasing rises/falls raise/lower raised/lowered max/min maximum/minimum
    most/least more/less more/fewer above/below over/under with/without inside/outside
    indoors/outdoors outside/indoors inside/outdoors love/hate loves/hates like/dislike
    likes/dislikes likes/hates like/hate first/last safe/dangerous fast/slow faster/slower
    big/small bigger/smaller cheap/expensive cheaper/dearer high/low higher/lower hot/cold
    warm/cold good/bad better/worse easy/hard early/late earlier/later full/empty crowded/empty
    accept/reject accepts/rejects accepted/rejected include/exclude includes/excludes
    included/excluded public/private internal/external manual/automatic manually/automatically
    synchronous/asynchronous sync/async blocking/non-blocking mutable/immutable read-only/writable
    locked/unlocked encrypted/plaintext ascending/descending push/pull add/remove added/removed
    present/absent all/none everyone/nobody alive/dead asleep/awake single/married win/lose
    won/lost remember/forget hit/miss hitting/missing striking/missing grant/deny granting/denying
    put/take putting/taking reveal/conceal revealing/concealing laugh/cry laughing/crying
    standing/sitting alone/together long/short tall/short old/young approve/reject
    approved/rejected keep/drop keeps/drops kept/dropped safe/unsafe wet/dry left/right
    north/south east/west weekly/daily daily/monthly weekly/monthly hourly/daily offen/geschlossen
    aktiviert/deaktiviert erlaubt/verboten immer/nie vor/nach an/aus ouvert/ferm\u00e9
    activ\u00e9/d\u00e9sactiv\u00e9 avant/apr\u00e8s toujours/jamais abierto/cerrado
    abierta/cerrada abiertos/cerrados activado/desactivado antes/despu\u00e9s siempre/nunca
    """
)
_PAIRS = _LISTED | {frozenset(map(key_of, pair)) for pair in _LISTED}
_PLAIN_PREFIXES = ("un", "non", "non-", "dis")
_LATIN_PREFIXES = ("in", "im", "ir", "il")  # before other endings they mean "into"
_LATIN_ENDS = ("able", "ible", "al", "ive", "ate", "ent", "ant", "ct", "ure", "ic", "id")
_NOT_NEGATED = frozenset({"cover", "covered", "count", "counted", "play", "played", "tribute"})


def are_opposites(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Whether two phrases of one length have an opposite at a place, and are equal elsewhere."""
    pairs = [(one, two) for one, two in zip(old, new, strict=True) if one.key != two.key]
    return bool(pairs) and all(
        _are_opposite(one.text, two.text) or frozenset({one.key, two.key}) in _PAIRS
        for one, two in pairs
    )


def _are_opposite(one: str, two: str) -> bool:
    if "-" in one and "-" in two:
        one, two = _where_they_differ(one.split("-"), two.split("-"))
    return frozenset({one, two}) in _PAIRS or _negates(one, two) or _negates(two, one)


def _where_they_differ(one: list[str], two: list[str]) -> tuple[str, str]:
    """The one part in which two compounds differ: left-handed and right-handed."""
    pairs = [(left, right) for left, right in zip(one, two, strict=False) if left != right]
    return pairs[0] if len(pairs) == 1 and len(one) == len(two) else ("", "")


def _negates(long: str, short: str) -> bool:
    """Whether the longer word is the other with a negative prefix: unsafe, disabled, invalid."""
    prefix = long.removesuffix(short)
    if not short or prefix == long or len(short) < 3 or short in _NOT_NEGATED:
        return False
    if prefix in _PLAIN_PREFIXES:
        return True
    return prefix in _LATIN_PREFIXES and short.endswith(_LATIN_ENDS)
