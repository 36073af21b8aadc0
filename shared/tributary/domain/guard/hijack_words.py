"""The vocabulary of task hijacks, by the part each word plays in one."""

from tributary.domain.guard.phrases import any_of, word_set

ANSWER = "answer|answers|response|responses|reply|replies|output|completion|generation"
ANSWERED = f"{ANSWER}|message|summary|text|analysis|explanation|conclusion|content|writing|words"

# What may be done to an answer.
SHAPE = any_of(
    """
    add include insert append integrate incorporate modify augment enhance replace convert
    translate encode encrypt write rewrite provide render present use reverse remove group shuffle
    scramble misspell introduce substitute swap rearrange jumble combine anagram format end start
    begin finish conclude close open mention suggest promote advertise tease hint express
    emphasize emphasise stress highlight deliver give make ensure print omit spell capitalize
    embed weave mix sprinkle transform turn change alter rephrase state claim offer invite
    encourage recommend spread repeat flip mirror invert shift cipher apply craft phrase
    intersperse supplement extend expand frame inject conceal hide mask obfuscate decorate
    complement respond reply answer direct lead link point share communicate compose show display
    return generate create produce put place work slip drop attach prepend prefix preface follow
    accompany punctuate season infuse slant bias distort exaggerate falsify spin represent feature
    touch double triple skip say count ask request tell direct instruct reference cite blend merge
    adapt adjust revise update tailor
    """
)
CIPHER = any_of(
    """
    emoji emojis base64 base32 base16 hex hexadecimal binary morse rot13 caesar cipher atbash
    vigenere reverse reversed backwards backward rhyme rhymes verse anagrams leetspeak leet octal
    ascii gibberish riddles substitution emoticons latin pirate shakespeare shakespearean
    """
)
UNIT = "letter|vowel|consonant|word|character|syllable|sentence|letters|words|vowels|consonants"

# Verbs that ask for knowledge, for a piece of writing, and for an errand.
KNOW = any_of(
    """
    explain elaborate summarize summarise paraphrase discuss recite narrate teach proofread
    describe define outline solve calculate compute clarify interpret simplify compare contrast
    illustrate
    """
)
SAYING = any_of(
    """
    following sentence phrase paragraph english french german spanish italian russian chinese
    japanese korean portuguese arabic hindi latin dutch polish swedish turkish greek hello
    """
)
MAKE = any_of(
    """
    write compose draft provide develop create generate make give craft produce prepare design
    tell show list suggest recommend share offer name deliver construct formulate present pitch
    brainstorm build
    """
)
PIECE = any_of(
    """
    poem poems story stories essay song lyrics joke jokes speech letter article haiku limerick
    tale novel screenplay dialogue monologue blog introduction paragraph caption slogan tagline
    recipe recipes itinerary outline presentation biography review riddle riddles trivia facts
    quote quotes equivalent synonym synonyms antonym translation explanation overview example
    examples list summary tips ideas advice guide tutorial difference differences definition
    proposal pitch email tweet quiz movie movies book books restaurant restaurants gift insights
    trends forecast analysis breakdown comparison prediction predictions function program script
    """
)
STUDY = any_of(
    """
    find search look analyze analyse determine identify classify evaluate assess predict forecast
    estimate research gather collect compile conduct investigate explore examine highlight rate
    detect gauge categorize categorise interpret extract study survey cite rank generate summarize
    summarise track
    """
)
STUDIED = any_of(
    """
    history election sales revenue market markets trends competitors competitor sentiment
    sentiments emotion emotions tone mood opinion opinions papers article articles studies
    literature publications journals statistics stock stocks demographics profit profits quarterly
    budget marketing kpi kpis feedback theory hypothesis evidence scholarly academic findings
    economic polarity attitude satisfaction passage news weather recipe recipes movie movies happy
    angry satisfied positive negative restaurants hotels flights
    """
)
ERRAND = any_of(
    """
    book order schedule set plan organize organise remind arrange check reserve buy play call turn
    make add create send draft update find start cancel print translate
    """
)
CHORE = any_of(
    """
    meeting meetings reminder reminders appointment appointments flight flights hotel restaurant
    recipe movie weather news todo grocery groceries birthday trip vacation itinerary playlist
    music song pizza cab workout diet meal alarm timer dinner lunch taxi gift calendar newsletter
    lights
    """
)
QUOTED_TEXT = "sentence|statement|review|text|passage|paragraph|tweet|phrase|comment|words|email"

TASKS = frozenset(f"{KNOW}|{MAKE}|{STUDY}|{ERRAND}|automate".split("|"))

# A question that holds one of these is a turn of a talk between people, not a task.
BETWEEN_PEOPLE = word_set(
    """
    you your youre youve yours u it its that this these those they them their he she him her his
    hers we us our ours lets guys yall im ive else
    """
)
# What makes an imperative a rule of work: a condition, a reason, a contrast ...
RULE_SIGNS = word_set(
    """
    because otherwise before after when whenever if unless until since instead never always must
    only every each so once while rather except older via should without weekly daily monthly
    hourly per twice cannot dont not during
    """
)
# ... or a thing of work.
WORK = word_set(
    """
    pr prs ticket tickets changelog runbook commit commits release releases checksum checksums
    probe config configuration deploy deploys deployment migration migrations schema schemas
    gateway endpoint endpoints cluster pod pods container containers branch branches repo
    repository pipeline pipelines build builds ci cache caches bucket buckets column queue alert
    alerts dashboard incident incidents postmortem rollback staging prod production sprint standup
    retro backlog oncall log logs metric metrics api apis server servers hostname cron test tests
    fixture fixtures module modules package packages dependency dependencies vm dns certificate
    certificates docs documentation readme changes call calls thread threads parser channel lab
    office guild query queries view wiki adr design architecture spec specs team backup backups
    """
)
