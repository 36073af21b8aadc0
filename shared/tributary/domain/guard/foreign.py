"""The worst orders in other languages: override, exfiltration, concealment, triggers.

Patterns are written without accents, as folding leaves the text (see `fold`). Languages without
blanks between words are matched as pairs of substrings, `CJK`.
"""

from tributary.domain.guard.fold import fold
from tributary.domain.guard.phrases import any_of
from tributary.domain.guard.rules import RuleSet, rule

_PLACE = "URL|EMAIL|IP|webhook"
_SEND = any_of(
    """
    sende senden schicke schicken ubermittle poste envoie envoyez transmets transmettez envia
    envie envies enviar manda mande publica invia inviate stuur verstuur wyslij
    """
)
_SECRET = any_of(
    """
    passwort passworter kennwort zugangsdaten geheimnis geheimnisse schlussel token tokens
    password passe identifiants cle cles secrets contrasena contrasenas credenciales clave
    claves senha senhas credenziali chiave wachtwoord wachtwoorden haslo
    """
)
_RU_IGNORE = fold(
    "\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439|"
    "\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439\u0442\u0435|"
    "\u0437\u0430\u0431\u0443\u0434\u044c"
).text
_RU_RULES = fold(
    "\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446\u0438\u0438|"
    "\u0443\u043a\u0430\u0437\u0430\u043d\u0438\u044f|\u043f\u0440\u0430\u0432\u0438\u043b\u0430"
).text

FOREIGN = RuleSet(
    [
        rule(
            "instruction-override",
            "tells the reader, in another language, to drop its instructions",
            "ignoriere|ignoriert|ignorieren|vergiss|missachte <2"
            " alle|allen|vorherigen|bisherigen|obigen|fruheren|vorigen|deine <3"
            " anweisungen|instruktionen|vorgaben|befehle|regeln",
            "ignore|ignorez|oublie|oubliez <3 instructions|consignes|directives|regles <1"
            " precedentes|anterieures|initiales|ci",
            "ignora|ignore|ignorar|olvida|olvide|omite|dimentica|esqueca <3"
            " instrucciones|reglas|indicaciones|ordenes|istruzioni|instrucoes|regras <1"
            " anteriores|previas|precedenti|anteriori",
            "ignora|ignore|olvida|dimentica|esqueca|oublie|ignorez <1 todas|toutes|tutte <1"
            " instrucciones|instructions|consignes|istruzioni|instrucoes",
            "negeer|vergeet <2 vorige|eerdere|alle|bovenstaande <2 instructies|regels|opdrachten",
            "zignoruj|zapomnij <2 poprzednie|wszystkie <2 instrukcje|polecenia",
            f"{_RU_IGNORE} <3 {_RU_RULES}",
        ),
        rule(
            "exfiltration",
            "tells the reader, in another language, to send secrets away",
            f"{_SEND} <8 {_SECRET} <8 {_PLACE}",
        ),
        rule(
            "hidden-trigger",
            "gives an order, in another language, that fires when the lesson is read",
            "wenn|sobald <2 dies|diese|diesen <2 liest|lesen|abgerufen|gelesen|abrufst",
            "quand|lorsque|des|si <3 lis|lisez|lira|rappelles|lu ceci|cela|cette|message|note",
            "cuando|si|al <2 leas|lea|lees|leer|recuerdes esto|este|esta",
            negatable=False,
        ),
        rule(
            "concealment",
            "tells the reader, in another language, to hide something from people",
            "sag|sage|sagen|verrate|erzahle <2 nutzer|benutzer|anwender <2 nichts|nicht|niemals",
            "ne|n <1 dis|dites|parle|parlez|informe|informez <3 utilisateur",
            "no|nunca <1 digas|diga|informes|informe|cuentes|menciones <3 usuario",
            "non dire|dirlo|informare <2 utente",
            negatable=False,
        ),
    ]
)

CJK = tuple(
    tuple(fold(pair).text.split("+"))
    for pair in (
        "\u5ffd\u7565+\u6307\u4ee4",  # Chinese: ignore, instructions
        "\u5ffd\u7565+\u6307\u793a",
        "\u65e0\u89c6+\u6307\u4ee4",
        "\u5fd8\u8bb0+\u6307\u4ee4",
        "\u7121\u8996+\u6307\u793a",  # Japanese
        "\u7121\u8996+\u547d\u4ee4",
        "\ubb34\uc2dc+\uc9c0\uc2dc",  # Korean
    )
)
