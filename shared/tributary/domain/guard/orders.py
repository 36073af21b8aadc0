"""Orders that take the reader over: override, another role, triggers, propagation.

The patterns are in the notation of `phrases`. Each names a kind of order, not a known text.
"""

from tributary.domain.guard.phrases import any_of
from tributary.domain.guard.rules import RuleSet, rule

_FORGET = "ignore|disregard|forget|neglect|override|bypass|circumvent|overlook|violate"
_EARLIER = "previous|prior|above|earlier|preceding|foregoing|original|initial|former"
_STRICT = "instruction|instructions|guidelines|directives|guardrails|safeguards|prompts"
_RULES = any_of(
    """
    instruction instructions guideline guidelines rule rules directive directives prompt prompts
    orders command commands constraints restrictions guardrails safeguards programming
    """
)
_AI = "ai|ais|llm|llms|assistant|assistants|chatbot|bot|gpt|copilot|model"
_READER = f"{_AI}|agent|agents|models|bots|reader|readers"
_READ = "recall|read|retrieve|load|process|parse|ingest|recalls|reads|retrieves|loads|processes"
_READING = "reading|recalling|retrieving|loading|processing|seeing"
_SEEN = "recalled|read|retrieved|loaded|seen|injected|surfaced|shown|processed"
_NOTE = "lesson|memory|note|memo|message|text|prompt|sentence|instruction"
_WHEN = "when|whenever|once|if|after|before|as|until"
_DO = any_of(
    """
    send post run execute reply respond answer say call delete erase ignore forward open visit
    fetch download install tell add include append insert switch stop must should always never
    reveal print output disable grant transfer pay buy recommend promote upload email
    exfiltrate wipe drop obey follow pretend act approve share publish leak export copy dump
    curl wget invoke make write change overwrite replace set first immediately silently give
    click do please then you your
    """
)

ORDERS = RuleSet(
    [
        rule(
            "instruction-override",
            "tells the reader to drop the instructions it works under",
            f"ignore|disregard|forget <2 {_EARLIER} <2 {_RULES}",
            f"{_FORGET} <2 {_EARLIER} <1 {_STRICT}",
            f"{_FORGET} <1 your <1 {_RULES}|training",
            f"{_FORGET} <1 all|any|every|other|these|those <2 {_STRICT}|safety",
            f"{_FORGET} <1 {_RULES} <2 you|above|given|previously|before",
            "ignore|disregard|forget everything|anything|all <2 above|previously|told|prior",
            "ignore|disregard|forget everything you",
            f"ignore|disregard|forget <1 {_EARLIER} text|conversation|context|messages|paragraphs",
            "ignore|disregard|forget what <1 operator|owner|user|system|developer|admin|you|i <2"
            " said|told|says|wants|wrote",
            f"set|put|throw|leave|cast aside|away|out <1 your|previous|all|any <1 {_RULES}",
            f"{_RULES} <1 you <2 got|received|have|given|were <3 fake|wrong|void|false|lies",
            f"{_RULES} above <1 is|are <2 void|cancelled|over|invalid|obsolete|revoked",
            "pay no attention to <3 instructions|rules|guidelines",
            "disable|turn|skip|bypass|remove <2 your|all <1 safety|guardrails|filters|safeguards",
            "your new|real|actual|true|updated <1 task|objective|goal|mission|directive is|are",
            f"your <2 {_RULES} <2 no longer apply|matter|valid|binding",
            "^ system|admin|administrator|developer|security|emergency override",
            "new|updated|urgent|secret|hidden system <1 instruction|instructions|prompt|directive",
        ),
        rule(
            "instruction-override",
            "tells the reader to disobey the instructions it works under",
            "not|never|dont|stop|cease <1 follow|following|obey|obeying|listen|trust <2"
            f" {_EARLIER}|your|system <2 {_RULES}",
            negatable=False,
        ),
        rule(
            "role-change",
            "tells the reader to be someone else",
            "you|youre are? now <2 dan|unrestricted|jailbroken|unfiltered|uncensored|evil"
            "|root|free",
            "you|youre are? now <1 no|a|an|the|in <2 mode|ai|assistant|model|agent|admin"
            "|hacker|bot",
            "^ pretend|imagine <1 to|that|you|youre <1 be|are|a|an|not|no|have",
            "now|please act|behave|roleplay as|like <1 a|an|if|though|my",
            "act|behave|respond|answer as|like <1 if|though you",
            "^ act|behave|roleplay <1 as|like <1 a|an|if|though|my",
            "from now on you|your <1 must|will|should|shall|act|answer|respond|reply|obey",
            "from now on act|answer|respond|reply|speak|obey|ignore|pretend",
            "do anything now",
            "enter|enable|activate|switch <2 dan|god|jailbreak|unrestricted mode",
            "you must|will|shall|should obey|comply",
            "^ obey|serve <2 agent|me|user|commands|orders|every|whoever|only",
            "do|execute whatever|anything|everything <1 agent|i|user|he|she|they|message|note <1"
            " says|say|asks|ask|wants|want|tells|orders|writes|commands",
            "i order|command|authorize|authorise you to",
            "treat <5 as <1 system|trusted|developer|admin|root <1"
            " instructions|messages|commands|user",
            f"you the? {_AI}|agent|reader <2 must|should|will|need|have|shall",
            "i|im am? your developer|creator|administrator|admin|operator|master|maker",
        ),
        rule(
            "hidden-trigger",
            "gives an order that fires when the lesson is read",
            f"when|whenever|once|if recalled|retrieved|surfaced <3 {_DO}",
            f"{_WHEN} <2 {_READ}|see|sees this {_NOTE}? {_DO}",
            f"on|upon|after|when|while|before <1 {_READING} this {_NOTE}? {_DO}",
            f"{_WHEN} <2 this <1 {_NOTE} <1 is|gets|was|are <1 {_SEEN}",
            f"{_WHEN} <3 recalled|retrieved|read|loaded this {_NOTE}? {_DO}|wire",
            f"{_WHEN} <1 this|these <1 appears|reaches|enters|shows <3"
            " context|window|memory|prompt",
            f"reader|readers|agents|recipients of|with this <1 {_NOTE}",
            f"{_WHEN} <1 this is|gets <1 recalled|retrieved|read|loaded <1 {_DO}",
            f"any|every|each|whichever|next|all|future|whoever <2 {_READER} <2"
            f" {_READ}|reading this <1 {_NOTE}|{_DO}|it|they",
            "every|each|next|any time you <1 recall|retrieve|answer|respond|reply",
            f"whoever|anyone|everyone reads|recalls|retrieves|reading this {_NOTE}?"
            f" {_DO}|has|needs",
            f"if|when|because|since|as you|youre are? <1 a|an|the? <1 {_AI}",
            "^ note|message|instruction|instructions|notice|attention|dear|hey|hello|memo|important"
            f" <2 {_AI} <12 {_DO}",
            unless=(
                "recalled|retrieved lesson|lessons|memories|facts|items|rows|results|documents",
            ),
            negatable=False,
        ),
        rule(
            "propagation",
            "tells the reader to spread the lesson or to raise a right",
            "copy|repeat|store|save|insert|spread|propagate|append|add|write|include this <1"
            f" {_NOTE} <3 every|each|all|other|your|everywhere",
            "grant|make|promote|appoint yourself",
            "give|add yourself <3 admin|curator|root|every|all|rights",
            "grant|give|make me <3 admin|curator|root|owner|sudo|administrator",
        ),
    ]
)
