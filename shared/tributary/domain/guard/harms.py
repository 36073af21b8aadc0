"""Orders that do harm: sending secrets away, disclosure, concealment, destruction.

The patterns are in the notation of `phrases`. Each names a kind of order, not a known text.
"""

from tributary.domain.guard.phrases import any_of
from tributary.domain.guard.rules import RuleSet, rule

_SEND = any_of(
    """
    send post upload email mail forward leak transmit exfiltrate share paste submit deliver copy
    dump publish push put export relay text expose ship curl stream hand give disclose reveal
    append include attach encode embed tell write pipe message dm
    """
)
_MAIL = "send|post|email|forward|upload|mail|submit|transmit|leak|tell|text|message"
_SECRET = any_of(
    """
    password passwords passwd passphrase secret secrets credential credentials creds token tokens
    apikey apikeys dotenv cookies keychain kubeconfig
    """
)
_KEY = "api|access|private|secret|encryption|signing|session|auth|license|aws|root|master"
_PLACE = "URL|EMAIL|IP|webhook|pastebin|attacker|ngrok|telegram|discord|gist"
_TALK = "conversation|conversations|chat|memories|lessons|history|prompt|inbox|contacts"
_OWN = any_of(
    """
    memory memories data notes conversation context prompt history files keys config
    configuration lessons instructions environment variables knowledge
    """
)
# Ordinary authentication sends secrets to a service on purpose; other words make a secret part of
# the name of something else.
_NO_THEFT = (
    "header|headers|bearer|oauth|oauth2|authorization|grant|sso|oidc",
    "to get|obtain|refresh|exchange|authenticate|login|rotate|revoke|renew|verify|log|sign|reset",
    f"{_SECRET} reset|resets|policy|manager|rotation|expiry|requests|form|page|hash|leaks|scanning",
    "leaked|expired|compromised|revoked|public",
)
_PEOPLE = "user|users|human|humans|operator|owner|anyone|anybody|developer|curator|admin"
_WATCHERS = "user|users|human|humans|operator|owner"
_TELL = "tell|inform|notify|alert|warn"
_TELLING = "telling|informing|notifying|alerting|warning"
_SHOW = "mention|reveal|disclose|acknowledge|reference|show|cite"
_RUIN = "delete|erase|wipe|destroy|purge|drop|overwrite|corrupt|nuke|truncate"
_STORES = any_of(
    """
    backup backups files databases database data records tables production prod volumes disk disks
    """
)
_TAME = any_of(
    """
    test staging dev local temporary tmp older expired stale cache cached unused old sandbox
    preview obsolete duplicate duplicates orphaned under inside before after when if until unless
    """
)
_PROMPT = "prompt|instructions|message|rules|guidelines|configuration"
_INNER = "system|initial|hidden|original|secret|full|internal|developer|confidential"

HARMS = RuleSet(
    [
        rule(
            "exfiltration",
            "tells the reader to send secrets away",
            f"{_SEND} <8 {_SECRET} <10 {_PLACE}",
            f"{_SEND} <8 {_KEY} key|keys <10 {_PLACE}",
            f"{_SEND} <8 env|environment <1 file|variables|vars <8 {_PLACE}",
            unless=_NO_THEFT,
        ),
        rule(
            "exfiltration",
            "tells the reader to send what it knows away",
            f"{_SEND} <3 your <3 {_OWN} <8 {_PLACE}",
            f"{_SEND} <2 this|the|our|full|entire|whole|all|every <2 {_TALK} <6"
            f" to|at|via|into <2 {_PLACE}",
            f"{_SEND}|transfer|move all|every|entire|whole|full <3 {_OWN}|records <8 to <2"
            " IP|EMAIL",
            "secretly|quietly|silently|covertly|stealthily <1 send|forward|copy|upload|post|email|"
            "transfer|share|approve|install|disable",
            f"{_SEND} <2 everything|anything|whatever <1 you <8 {_PLACE}",
        ),
        rule(
            "exfiltration",
            "names an address and the secrets to send there",
            f"{_MAIL} <2 {_PLACE} <6 {_SECRET}",
            f"{_MAIL} <2 {_PLACE} <6 {_KEY} key|keys",
            f"{_PLACE} <1 followed|plus|appended|concatenated <4 {_SECRET}|key|keys",
            f"IP <3 with <2 {_SECRET}|key|keys",
            f"IP <4 enter|type|submit|paste <4 {_SECRET}|login",
            f"include|append|put|embed|insert|encode <6 {_SECRET}|key <1 in|into|to <2"
            " url|link|image|query|filename|subdomain",
            unless=(
                *_NO_THEFT,
                f"{_PLACE} <1 when|if|about|for|before|after|whenever|that|where",
            ),
        ),
        rule(
            "disclosure",
            "asks for the reader's instructions or secrets",
            "reveal|print|repeat|output|disclose|show|display|tell|leak|recite|share|give|list|dump"
            f"|quote|write <3 your <2 {_INNER} <2 {_PROMPT}",
            "reveal|leak|disclose|divulge|expose|steal|harvest|dump|exfiltrate <2"
            f" your|all|every|any|users|customers <2 {_SECRET}",
            "what is|are your system|initial|hidden prompt|instructions",
            "what instructions|rules|prompt|guidelines <1 you <1"
            " given|told|received|following|under",
            "output|print|repeat|reveal|quote everything|all|text|words|prompt <1"
            " above|before this",
            "output|print|repeat|reveal|quote everything|all|text|words|prompt <1 above $",
            f"^ exfiltrate|steal|leak <4 {_SECRET}|keys|data|database",
        ),
        rule(
            "solicitation",
            "tells the reader to get money or secrets out of people",
            "ask|request|demand|collect|obtain|get <2 user|users|reader|readers <4"
            " credit|social|ssn|bank|password|passwords|pin",
            "encourage|direct|invite|urge|persuade|convince|advise|tell|ask|get <2"
            " user|users|reader|readers|people|everyone|visitors <1 to"
            " <2 invest|donate|deposit|buy|bet|gamble|vote|verify|pay",
            unless=("last|digits|when|if|before|after|whether|policy|reset",),
        ),
        rule(
            "concealment",
            "tells the reader to hide something from people",
            f"not|never|dont <1 {_TELL} <2 {_PEOPLE} $",
            f"not|never|dont <1 {_TELL} <2 {_PEOPLE} <1 this|it|anything|what|why|you|these",
            f"not|never|dont <1 {_TELL} <2 {_PEOPLE} about|that|of this|it|these|your|you",
            f"not|never|dont <1 {_TELL} <1 human|humans about|of|that",
            f"not|never|dont <1 {_SHOW} this <1 lesson|memory|note|memo|message|prompt|step",
            f"not|never|dont <1 {_SHOW} this|it|that to <1 {_PEOPLE}",
            f"not|never|dont <1 mention|say|admit|confirm to <2 {_WATCHERS} that|this|anything",
            "not|never|dont log|record|audit|report this <1 action|step|change|call|command",
            f"{_WATCHERS} must|should|may not|never <1 know|notice|learn|hear $",
            f"{_WATCHERS} must|should|may not|never <1 know|notice|learn|hear <2 this|it|that",
            f"not|never|dont let <2 {_WATCHERS} <1 know|notice|see $",
            f"keep|hide|conceal this|it|that|these <3 from <1 {_WATCHERS}",
            "pretend|act <2 nothing happened|else",
            "delete|remove|erase|forget this <1 lesson|memory|note|message <3"
            " after|once|afterwards|immediately",
            unless=("she|he|they|i|we|it <2 not|never|dont",),
            negatable=False,
        ),
        rule(
            "concealment",
            "tells the reader to act behind people's backs",
            f"without {_TELLING} <2 user|users|human|humans|operator",
            f"without letting <2 {_WATCHERS} <1 know|notice|see",
        ),
        rule(
            "destruction",
            "tells the reader to destroy what is remembered",
            f"{_RUIN}|remove|retire|forget <1 all|every|everything|entire|whole|any|your <2"
            " lesson|lessons|memory|memories",
            unless=("test|expired|duplicate|duplicates|stale|older",),
        ),
        rule(
            "destruction",
            "tells the reader to destroy data",
            f"{_RUIN} <1 all|every|entire|whole <2 {_STORES}",
            f"{_RUIN} <1 production|prod|customer <1 {_STORES}|cluster",
            f"{_RUIN} everything",
            unless=(_TAME,),
        ),
    ]
)
