"""Code and commands in a lesson: what they would do, and orders to adopt them unread."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from tributary.domain.guard.phrases import Word, parse_all, word_set
from tributary.domain.guard.rules import Hit, is_negated, sentences


def _any(*patterns: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(patterns), flags)


_HARVEST = _any(
    r"cookie|psutil|clipboard|pyperclip|pynput|import keyboard|keyboard\.(?:read|on_press|record)",
    r"GetAsyncKeyState|ImageGrab|pyautogui|import mss|screenshot|platform\.(?:uname|node|system)",
    r"getnode|scapy|pyshark|sniff\(|AF_PACKET|SOCK_RAW|promisc|VideoCapture|sounddevice|pyaudio",
    r"getpass|gethostname|/etc/(?:passwd|shadow)|\.ssh/|id_rsa|\.aws/credentials|\.env\b",
    r"Login Data|keychain|win32crypt|driverquery|systeminfo|lsusb|usb\.core|history",
)
_SENDING = _any(
    r"requests\.(?:post|put)|httpx\.(?:post|put)|session\.post|sendall\(|\.sendto\(|\.send\(",
    r"smtplib|SMTP\(|sendmail|send_message|yagmail|ftplib|FTP\(|storbinary|paramiko|scp\b",
    r"paho\.mqtt|publish\.single|[\"']POST[\"']|\bnc -|axios\.post|websocket",
    r"curl [^\n]{0,60}(?:-F|-d|--data|-T)",
)
_FETCHING = _any(
    r"requests\.get|httpx\.get|urlretrieve|urlopen|urllib3|wget|\bcurl\b|PoolManager",
    r"http\.client|aiohttp|fetch\(|Invoke-WebRequest|DownloadFile",
)
_RUNNING = _any(
    r"\bexec\(|\beval\(|os\.system|subprocess|Popen|os\.popen|os\.exec|runpy|chmod \+x|nohup",
    r"child_process|ctypes|importlib",
)
_RUINING = _any(
    r"os\.(?:remove|unlink|rmdir|rename|replace|truncate|kill|fork|chmod)|shutil\.(?:rmtree|move)",
    r"rm -[rf]|dd if=|mkfs|systemctl|shutdown|reboot|iptables|ifconfig|netsh|nmcli|ufw ",
    r"kill(?:all)?\b|taskkill|/etc/(?:hosts|init)|crontab|winreg|Fernet|AES|cryptography|encrypt",
    r"os\.walk|glob|while True|threading|multiprocessing|DROP (?:TABLE|DATABASE)|\bsocket\.",
)
_ABILITIES = (_HARVEST, _SENDING, _FETCHING, _RUNNING, _RUINING)

_FATAL = _any(
    r"rm (?:-[a-z-]{1,20} ){1,3}(?:--no-preserve-root ?)?[\"']?(?:~|\$HOME|[cC]:"
    r"|/(?:etc|usr|lib|var|bin|boot|home|opt|root|srv)?/?\*?(?=[\s\"');`]|$))",
    r"dd if=\S{1,60} of=/dev/|mkfs(?:\.\w{1,8})? \S{0,30}/dev/|> ?/dev/sd[a-z]|:\(\) ?\{ ?:",
    r"format [cC]:(?= ?/|[\s`\"']*$)|del /[sqf] \S{0,20}[cC]:\\",
    r"shutil\.rmtree\([\"'](?:/|~)[\"')]|os\.(?:remove|unlink)\([\"']/(?:lib|etc|bin|boot|usr)",
    r"(?i:\b(?:run|execute|issue|perform)\b[^.\n]{0,40}\bdrop (?:database|schema)\b)",
)
_KEY_FILE = r"(?:\.env\b|id_rsa|id_ed25519|\.ssh/|/etc/(?:passwd|shadow)|\.aws/|kubeconfig|\.pem\b)"
_LEAKING = _any(
    rf"(?:curl|wget)\b[^\n|]{{0,120}}[@=]\S{{0,60}}{_KEY_FILE}",
    rf"{_KEY_FILE}[^\n|]{{0,40}}\| ?(?:base64[^\n|]{{0,20}}\| ?)?(?:curl|nc|ncat|wget)\b",
    r"\b(?:env|printenv|set) ?\| ?(?:base64[^\n|]{0,20}\| ?)?(?:curl|nc|ncat|wget)\b",
    r"!\[[^\]]{0,80}\]\(\s?https?://[^)\s]{1,200}[?&=/][^)\s]{0,60}[{<\[$%]",  # an image that tells
)
_BACKDOOR = _any(
    r"/dev/tcp/\d|\bnc (?:-\w{1,8} ){0,3}-e|\bncat [^\n]{0,30}--exec|\b(?:ba)?sh -i >&",
    r"(?i:powershell[^\n]{0,40} -enc)",
)
_COMMANDS = (
    (_FATAL, "destruction", "holds a command that destroys a system"),
    (_LEAKING, "exfiltration", "holds a command that sends secrets away"),
    (_BACKDOOR, "backdoor", "holds a command that lets a stranger in"),
)
_MAX_COMMANDS = 50  # of one kind that are looked at; bounds the work
_RUN_FETCHED = re.compile(
    r"\b(?:exec|eval)\((?:open|compile|requests|urllib|f\.|r\.|resp|base64|code)"
)
_CODE = _any(
    r"```|^(?:import|from) \w|^\s{0,8}(?:def|const|let|var|function|#include)\b", flags=re.MULTILINE
)
_SNIPPET = "code|snippet|script|excerpt|block|fragment|program|function|section|implementation"
_ADOPT = parse_all(
    f"following|subsequent|below|next|given|attached|this <2 {_SNIPPET}",
    f"{_SNIPPET} <2 below|following",
)
_YOURS = word_set("your yours answer response reply solution")
_MERGING = word_set(
    """
    incorporate integrate integrating embed blend merge fuse weave inject meld infuse insert
    include append adopt implement assimilate absorb interweave employ leverage enlist
    """
)


def find_snippets(text: str, words: Sequence[Word]) -> Iterator[Hit]:
    """Harmful commands and code in folded text, `words` being its words."""
    for pattern, name, reason in _COMMANDS:
        for match in islice(pattern.finditer(text), _MAX_COMMANDS):
            if not _warned_against(words, match.start()):
                yield Hit(name, reason, *match.span())
                break
    if _CODE.search(text):
        yield from _find_code(text, words)


def _find_code(text: str, words: Sequence[Word]) -> Iterator[Hit]:
    able = {ability for ability in _ABILITIES if ability.search(text)}
    order = next((one for one in sentences(words) if _orders_adoption(one, able)), None)
    if order:
        yield Hit(
            "code-injection",
            "orders the reader to adopt code that reaches out or acts on the system",
            order[0].start,
            order[-1].end,
        )
    run = _RUN_FETCHED.search(text)
    if run and _FETCHING in able:
        yield Hit("code-injection", "holds code that runs what it downloads", *run.span())


def _orders_adoption(sentence: Sequence[Word], able: set[re.Pattern[str]]) -> bool:
    names = {word.text for word in sentence}
    spying = _HARVEST in able and (_SENDING in able or _FETCHING in able)
    if not spying and not (able and names & (_YOURS | _MERGING)):
        return False
    return any(
        phrase.match(sentence, at) is not None for phrase in _ADOPT for at in range(len(sentence))
    )


def _warned_against(words: Sequence[Word], place: int) -> bool:
    """Whether the words before `place` say not to."""
    at = next((index for index, word in enumerate(words) if word.end > place), len(words) - 1)
    return at >= 0 and is_negated(words, at)
