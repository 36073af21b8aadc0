"""Reading for a remedy."""

from scripts.gauntlet.explore import candidates, symptom, tools

MANUAL = """OPTIONS
    `--timeout=30`
        Give each instance more time to answer. Rarely of use.

    `--deep=1`
        Probe the dependencies
        behind the listener.

    `--turbo=1`
        Probe the dependencies at once.
"""
PLAN = ("health check harbor", "traffic shift harbor")


def found(trouble: str) -> list[tuple[str, str]]:
    return [(one.action.text, one.purpose) for one in candidates(PLAN, MANUAL, trouble)]


def test_candidates_come_in_the_order_of_the_manual_when_nothing_points_elsewhere() -> None:
    assert found("") == [
        ("--timeout=30", "Give each instance more time to answer"),
        ("--deep=1", "Probe the dependencies behind the listener"),
    ]


def test_the_candidate_that_shares_more_words_with_the_trouble_comes_first() -> None:
    assert found("503, dependencies of the listener are red")[0][0] == "--deep=1"


def test_what_the_plan_does_already_is_no_candidate() -> None:
    plan = ("health check harbor --deep=1",)
    assert [one.action.text for one in candidates(plan, MANUAL, "")] == ["--timeout=30"]


def test_a_manual_without_actions_offers_nothing() -> None:
    assert candidates(PLAN, "", "trouble") == ()


def test_the_symptom_is_what_the_last_error_says() -> None:
    assert symptom("error: first\nfatal error: `disk` full\nbye\n") == "'disk' full"
    assert symptom("all is well\n\n") == "all is well"
    assert symptom("") == "no output"
    assert len(symptom("error: " + "x" * 500)) == 160


def test_pages_are_read_back_from_the_command_that_failed() -> None:
    assert tools("traffic shift harbor", PLAN) == ("traffic", "health")
    assert tools("health check harbor", PLAN) == ("health", "traffic")
