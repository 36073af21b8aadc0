"""The words the heuristic classifier knows. English first; a little of other languages.

Whatever is not listed here is compared as written: an unknown word never makes a duplicate.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _synonyms(groups: str) -> dict[str, str]:
    """Every word of a line to the first of its line."""
    lines = (line.split() for line in groups.strip().splitlines())
    return {word: first for first, *others in lines for word in others}


def _pairs(lines: str) -> frozenset[frozenset[str]]:
    """`a/b c/d` as unordered pairs."""
    return frozenset(frozenset(pair.split("/")) for pair in lines.split())


ARTICLES = _set(
    "the a an der die das den dem des ein eine einen einem einer le la les un une l el los las una"
    " il lo gli o os as um uma de het een"
)
INDEFINITE = _set("a an some someone somebody two three four several many ein eine un une una")
# Words that change nothing about what is stated.
FILLERS = _set(
    "please now currently just really very also still already actually simply any anymore longer"
    " more yet that which who there own kindly note always then here"
)
NEGATORS = _set(
    "not no never none nobody nothing neither nor cannot noone nowhere without_any"
    " nicht kein keine keinen keinem keiner keines nie niemals niemand nichts"
    " pas jamais aucun aucune rien personne nunca ningun ninguna nadie tampoco non nessun nessuna"
    " niet geen nooit nao nenhum nenhuma inte ikke nie"
    " \u043d\u0435 \u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0435\u0442"
)
NOT_NEGATING = _set("only just later more less fewer sooner earlier until necessarily always")
PEOPLE = _set("someone somebody anyone anybody person people one")

BE = _set("is are was were be been being am ist sind war est sont es son esta estan era e zijn")
COPULAS = BE | {"=", ":", "called", "named", "equals", "means", "hei\u00dft", "becomes"}
MODALS = _set("must should can may might will would shall could need soll muss darf kann doit peut")
AUXILIARIES = BE | MODALS | _set("do does did have has had get gets got to ne n")
# Verbs that add little: "the API listens on port 1" says what "the API port is 1" says.
LIGHT = AUXILIARIES | COPULAS | _set("run listen use live sit serve expose bind start on at in of")

PREPOSITIONS = _set(
    "on in at for from to with by of off up down before after until since when if because while"
    " unless during via per within without through over under inside outside near against across"
    " about into onto between"
)
# A clause or adjunct that may stand first or last begins with one of these.
ADJUNCTS = _set(
    "before after when whenever if unless until while since because during on in at for with from"
)
SUBORDINATORS = _set("before after when whenever if unless until while since because once")
TAIL_STARTS = _set("since as from because starting after effective due following")

# Verbs in the predicate whose object or place is one thing at a time.
FUNCTIONAL = _set(
    "live reside work report belong host locate store write base deploy point default expire keep"
    " run listen sit bind resolve route map redirect own lead chair head is are wohnt arbeitet"
    " habite travaille vive trabaja ist est"
)
# Verbs that hold of many objects at once.
MULTIPLE = _set(
    "like love hate know speak have own support include accept contain review play visit buy eat"
    " drink read see meet want enjoy go close fix add need require depend use return send handle"
    " watch study cover write manage test allow run pass call"
)
SETTING = _set("set configure pin bump raise lower limit cap default change switch move point")
EVENTS = _set(
    "fail failed crash crashed happen happened occur occurred break broke meet met visit visited"
    " went called deployed restarted saw ran timed hung stalled took"
)
NUMBERED = _set(
    "ticket pr issue build deploy deployment incident bug story epic sprint case order invoice job"
    " run commit mr request question chapter page item task customer tenant room user node shard"
    " test experiment"
)
CHANGING = _set(
    "moved changed switched migrated upgraded downgraded renamed went bumped raised lowered reduced"
    " increased relocated shifted"
)
VERBS = _set(
    "runs run listens needs need requires uses use has have had lives works fails fail starts stops"
    " takes took likes loves hates eats supports allows returns sends reads writes owns leads"
    " reports belongs expires opens closes retries lasts costs holds keeps stays contains includes"
    " accepts rejects prefers wants knows speaks plays goes went comes gets got becomes remains"
    " depends points resolves defaults failed crashed reviewed manages increased decreased caused"
    " l\u00e4uft hei\u00dft braucht utilise tourne habite usa corre tiene vive"
)
IMPERATIVES = _set(
    "use run set clear pass call send keep put add remove delete restart reload enable disable"
    " start stop check avoid prefer write read rotate wait ask tell give take make open close"
    " deploy build test retry install upgrade pin store log limit configure turn switch never"
    " always do follow push merge"
)
NOUN_TOO = _set("use run call set build test log deploy start stop check limit store open switch")
ATTRIBUTES = _set(
    "port host hostname address url uri path branch version region zone level owner lead manager"
    " name password user limit timeout language framework database db editor colour color size"
    " capital deadline date time channel engine runtime shell theme font provider vendor bucket"
    " queue topic directory folder file format encoding timezone currency plan tier role status"
    " mode maintainer engineer contact boss ceo cto head window default favourite favorite primary"
    " preferred main current birthday surname nickname number email phone size strategy policy"
    " registry interval schedule frequency image tag key backend protocol"
)
ADJECTIVES = _set(
    "slow fast expensive cheap big small new old good bad green red ready late early away busy sick"
    " happy sad hard easy safe large great hot cold full empty public private flaky noisy broken"
    " down up stable important critical tall short young free fine nice low high"
)
ADJECTIVE_ENDS = ("ed", "ing", "able", "ible", "ful", "ous", "ive", "less", "ly", "ent", "ant")

SYNONYMS = _synonyms(
    """
    use utilise utilize employ
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
NUMBER_WORDS = dict(
    zip(
        "one two three four five six seven eight nine ten eleven twelve".split(),
        map(str, range(1, 13)),
        strict=True,
    )
)
ANTONYMS = _pairs(
    """
    on/off enabled/disabled enable/disable up/down works/fails work/fail works/broken always/never
    allowed/forbidden allowed/prohibited allowed/banned allowed/denied allow/deny allow/forbid
    allow/block before/after open/closed open/close opens/closes true/false yes/no
    required/optional mandatory/optional required/forbidden succeeds/fails succeeded/failed
    passes/fails passed/failed start/stop starts/stops started/stopped running/stopped online/offline
    increase/decrease increases/decreases increased/decreased increasing/decreasing rises/falls
    raise/lower raised/lowered max/min maximum/minimum most/least more/less more/fewer above/below
    over/under with/without inside/outside indoors/outdoors outside/indoors inside/outdoors
    love/hate loves/hates like/dislike likes/dislikes likes/hates like/hate first/last safe/dangerous
    fast/slow faster/slower big/small bigger/smaller cheap/expensive cheaper/dearer high/low
    higher/lower hot/cold warm/cold good/bad better/worse easy/hard early/late earlier/later
    full/empty crowded/empty accept/reject accepts/rejects accepted/rejected include/exclude
    includes/excludes included/excluded public/private internal/external manual/automatic
    manually/automatically synchronous/asynchronous sync/async blocking/non-blocking
    mutable/immutable read-only/writable locked/unlocked encrypted/plaintext ascending/descending
    push/pull add/remove added/removed present/absent all/none everyone/nobody alive/dead asleep/awake
    single/married win/lose won/lost remember/forget hit/miss hitting/missing striking/missing
    grant/deny granting/denying put/take putting/taking reveal/conceal revealing/concealing
    laugh/cry laughing/crying standing/sitting alone/together long/short tall/short old/young
    approve/reject approved/rejected keep/drop keeps/drops kept/dropped safe/unsafe wet/dry
    left/right north/south east/west weekly/daily daily/monthly weekly/monthly hourly/daily
    offen/geschlossen aktiviert/deaktiviert erlaubt/verboten immer/nie vor/nach an/aus
    ouvert/ferm\u00e9 activ\u00e9/d\u00e9sactiv\u00e9 avant/apr\u00e8s toujours/jamais
    abierto/cerrado activado/desactivado antes/despu\u00e9s siempre/nunca
    """
)
NEGATIVE_PREFIXES = ("un", "dis", "non", "non-", "in", "im", "ir", "il", "a")
PREFIXED_ENDS = ("able", "ible", "al", "ive", "ate", "ent", "ant", "ct", "ure", "ic", "id", "ble")
# Same letters, another meaning than "not".
FALSE_PREFIXED = _set("covered counted cover count ported pressed formed tended put stalled closed")
CALENDAR = _set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays"
    " fridays saturdays sundays january february march april june july august september october"
    " november december weekdays weekends spring summer autumn winter noon midnight today tomorrow"
)
UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("s", 0.001)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("day", "days", "d"), ("s", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("s", 604800.0)),
    **dict.fromkeys(("kb", "kib", "kilobytes"), ("B", 2.0**10)),
    **dict.fromkeys(("mb", "mib", "megabytes"), ("B", 2.0**20)),
    **dict.fromkeys(("gb", "gib", "gigabytes"), ("B", 2.0**30)),
    **dict.fromkeys(("tb", "tib", "terabytes"), ("B", 2.0**40)),
    **dict.fromkeys(("%", "percent"), ("%", 1.0)),
}
