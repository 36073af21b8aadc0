"""What actions make of a plan."""

from scripts.gauntlet.catalogue import Action, Kind, mentions
from scripts.gauntlet.plan import Plan, fitting, revised, shared

RENDER: Plan = ("config render harbor --key=tls.ca_bundle", "service start harbor")
ROTATE: Plan = ("keys rotate signing --activate --stage", "keys verify signing")


def by(text: str, plan: Plan) -> Plan:
    return revised(plan, fitting(plan, [mention.action for mention in mentions(text)]))


def test_a_step_goes_before_its_target() -> None:
    plan = by("run `make clean-cache`", ("report publish harbor", "make build harbor"))
    assert plan == ("report publish harbor", "make clean-cache", "make build harbor")


def test_a_step_that_is_there_already_is_not_repeated() -> None:
    plan = ("make clean-cache", "make build harbor")
    assert by("run `make clean-cache`", plan) == plan


def test_an_option_replaces_the_value_it_had() -> None:
    assert by("`--key=tls.trust_store`", RENDER)[0] == "config render harbor --key=tls.trust_store"


def test_an_option_that_was_not_given_is_added() -> None:
    assert by("`--deep=1`", ("health check harbor",)) == ("health check harbor --deep=1",)


def test_a_header_is_added_once_and_quoted() -> None:
    plan = by("`X-Batch: false`", ("deploy submit harbor",))
    assert plan == ("deploy submit harbor --header 'X-Batch: false'",)
    assert by("`X-Batch: true`", plan) == ("deploy submit harbor --header 'X-Batch: true'",)


def test_a_command_takes_the_place_of_its_other_spelling() -> None:
    changed = by("`keys rotate signing --stage --activate`", ROTATE)
    assert changed == ("keys rotate signing --stage --activate", "keys verify signing")


def test_what_the_lesson_warns_of_drops_out_whatever_its_place_in_the_sentence() -> None:
    for text in (
        "use `--key=tls.trust_store`, not `--key=tls.ca_bundle`",
        "`--key=tls.ca_bundle` is empty: use `--key=tls.trust_store`",
    ):
        assert by(text, RENDER)[0] == "config render harbor --key=tls.trust_store"


def test_of_two_values_for_one_option_the_first_is_taken() -> None:
    assert by("--key=tls.trust_store or --key=tls.ca_path", RENDER)[0].endswith("trust_store")


def test_an_action_for_another_command_does_not_fit() -> None:
    other = Action(Kind.HEADER, "X-Batch: true", "deploy submit")
    assert fitting(RENDER, [other]) == ()
    assert revised(RENDER, [other]) == RENDER


def test_plans_share_what_they_both_begin_with() -> None:
    assert shared(ROTATE, ROTATE) == 2
    assert shared(("a", "b", "c"), ("a", "x", "c")) == 1
    assert shared((), ROTATE) == 0
