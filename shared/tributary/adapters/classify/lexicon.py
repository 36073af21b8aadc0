"""The words the heuristic classifier knows. English first; a little of other languages.

Whatever is not listed here is compared as written: an unknown word never makes a duplicate.
"""


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


ARTICLES = word_set(
    """
    the a an der die das den dem des ein eine einen einem einer le la les un une l el los las una
    il lo gli uma het een
    """
)
INDEFINITE = word_set(
    """
    a an some someone somebody two three four several many ein eine un une una
    """
)
# Words that change nothing about what is stated.
FILLERS = word_set(
    """
    please now currently just really very also still already actually simply any anymore longer
    yet that which who there own kindly always only then here
    """
)
NEGATORS = word_set(
    """
    not no never none nobody nothing neither nor nowhere nicht kein keine keinen keinem keiner
    keines nie niemals niemand nichts pas jamais aucun aucune rien personne nunca ningun ninguna
    nadie tampoco non nessun nessuna niet geen nooit nao nenhum nenhuma inte ikke \u043d\u0435
    \u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0435\u0442
    """
)
NOT_NEGATING = word_set(
    """
    only just later more less fewer sooner earlier until necessarily always
    """
)
PEOPLE = word_set("someone somebody anyone anybody person people one")

BE = word_set(
    """
    is are was were be been being am ist sind war est sont es esta estan est\u00e1 est\u00e1n
    era zijn
    """
)
COPULAS = BE | {"=", ":", "called", "named", "equals", "means", "hei\u00dft", "becomes"}
MODALS = word_set(
    """
    must should can may might will would shall could need has-to have-to needs-to need-to soll
    muss darf kann doit peut
    """
)
AUXILIARIES = BE | MODALS | word_set("do does did have has had get gets got")
# Verbs that add little: "the API listens on port 1" says what "the API port is 1" says.
LIGHT = (
    AUXILIARIES | COPULAS | word_set("run listen use live sit serve expose bind start on at in of")
)

PREPOSITIONS = word_set(
    """
    on in at for from to with by of off up down before after until since when if because while
    unless during via per within without through over under inside outside near against across
    about into onto between auf bei im am \u00e0 en sur chez
    """
)
# A clause or adjunct that may stand first or last begins with one of these.
ADJUNCTS = word_set(
    """
    before after when whenever if unless until while since because during on in at for with from
    """
)
TAIL_STARTS = word_set("since as from because starting after effective due following")

# Verbs in the predicate whose object or place is one thing at a time.
FUNCTIONAL = word_set(
    """
    live reside work report belong host born register mount install locate store write base deploy
    point default expire keep run listen sit bind resolve route map redirect is are wohnt arbeitet
    habite travaille vive trabaja ist est steht liegt sitzt est\u00e1
    """
)
# Verbs that hold of many objects at once.
MULTIPLE = word_set(
    """
    like love hate know speak have own support include accept contain review play visit buy eat
    drink read see meet want enjoy go close fix add need require depend use return send handle
    watch study cover write manage test allow run pass call
    """
)
SETTING = word_set(
    """
    set configure pin bump raise lower limit cap default change switch move point
    """
)
# Past tenses: what they tell of happened once, and may have happened again otherwise.
PAST = word_set(
    """
    was were did had got went came took ran met saw hung broke became bought led felt made gave
    found slept ate drank wrote spoke knew thought left lost sent spent won paid held brought began
    told drove passed flew rose fell grew built taught caught sat stood threw chose forgot heard
    war waren hatte était fue era
    """
)
PAST_BUT_ONCE = word_set("born died founded established")
WHEN_SAID = word_set("yesterday today tonight tomorrow ago")
NUMBERED = word_set(
    """
    ticket pr issue build deploy deployment incident bug story epic sprint case order invoice job
    run commit mr code error exit request question chapter page item task customer tenant room
    user shard test experiment
    """
)
CHANGING = word_set(
    """
    moved changed switched migrated upgraded downgraded renamed went bumped raised lowered reduced
    increased relocated shifted decreased
    """
)
VERBS = word_set(
    """
    runs run listens needs need requires uses use has have had lives works fails fail starts stops
    takes took likes loves hates eats supports allows returns sends reads writes owns leads
    reports belongs expires opens closes retries lasts costs holds keeps stays contains includes
    accepts rejects prefers wants knows speaks plays goes went comes gets got becomes remains
    depends points resolves defaults failed happened occurred broke met visited ran saw timed hung
    stalled joined bought steht liegt sitzt est\u00e1 est\u00e1n s\u00e3o owned led maintained own
    crashed reviewed manages increased decreased caused live like love hate eat prefer want know
    speak depend belong require take support allow return contain include accept reject manage
    cause work l\u00e4uft hei\u00dft braucht utilise tourne habite usa corre tiene vive
    """
)
IMPERATIVES = word_set(
    """
    use run set clear pass call send keep put add remove delete restart reload enable disable
    start stop check avoid prefer write read rotate wait ask tell give take make open close deploy
    build test retry install upgrade pin store log limit configure turn switch never always do
    follow push merge
    """
)
NOUN_TOO = word_set(
    """
    use run call set build test log deploy start stop check limit store open switch
    """
)
ATTRIBUTES = word_set(
    """
    port host hostname address url uri path branch version region zone level owner lead manager
    name password user limit timeout language framework database db editor colour color size
    capital deadline date time channel engine runtime shell theme font provider vendor bucket
    queue topic directory folder file format encoding timezone currency plan tier role status mode
    maintainer engineer contact boss ceo cto head window default favourite favorite primary
    preferred main current birthday surname nickname number email phone strategy policy registry
    interval schedule frequency image tag key backend protocol
    """
)
ADJECTIVES = word_set(
    """
    slow fast expensive cheap big small new old good bad ready late early away busy sick
    happy sad hard easy safe large great hot cold full empty public private flaky noisy broken
    down up stable important critical tall short young free fine nice low high
    """
)
ADJECTIVE_ENDS = ("ed", "ing", "able", "ible", "ful", "ous", "ive", "less", "ly", "ent", "ant")

CALENDAR = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays january february march april june july august september october
    november december weekdays weekends spring summer autumn winter noon midnight today tomorrow
    """
)

FINITE = COPULAS | AUXILIARIES | VERBS
PERSONAL = word_set(
    """
    i me my mine myself we us our ours ourselves you your yours
    """
)
# Values that name a state: "flag: on".
STATES = word_set(
    """
    true false on off enabled disabled open closed active inactive up down required optional
    allowed forbidden public private
    """
)
