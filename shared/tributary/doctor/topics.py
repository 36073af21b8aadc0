"""What the doctor's learners say: contradictory values of topics that have nothing in common."""

FIRST = (
    "amber", "birch", "cobalt", "delta", "ember", "falcon", "garnet", "harbor", "indigo",
    "juniper", "kestrel", "lagoon", "maple", "nickel", "onyx", "pepper", "quartz", "raven",
    "saffron", "tundra", "umber", "velvet", "willow", "xenon", "yarrow", "zephyr",
)  # fmt: skip
SECOND = (
    "archive", "billing", "booking", "catalog", "courier", "devices", "dispatch", "events",
    "export", "forms", "fraud", "gateway", "import", "journal", "ledger", "metrics", "notify",
    "orders", "payroll", "quota", "refund", "search", "tariff", "upload", "voucher", "wallet",
)  # fmt: skip
TOPICS = len(FIRST) * len(SECOND)
SAYS = " service listens on port "


def content(topic: int, value: int) -> str:
    """Says `value` of topic number `topic`, of which there are TOPICS."""
    first = FIRST[topic % len(FIRST)]
    second = SECOND[(topic // len(FIRST) + topic) % len(SECOND)]
    return f"The {first} {second}{SAYS}{7000 + value}."


def topic_of(content: str) -> str:
    """The same for all contents that contradict each other."""
    return content.partition(SAYS)[0]
