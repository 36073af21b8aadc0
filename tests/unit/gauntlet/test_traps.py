"""Every trap springs without its remedy, and lets go with it."""

import pytest

from scripts.gauntlet.environment import PAGES, Harbor
from scripts.gauntlet.traps import HANDLERS, TASKS

PLANS = {task.name: task.plan for task in TASKS}
REMEDIED = {
    "build": ("make clean-cache", "make build harbor"),
    "configure": ("config render harbor --key=tls.trust_store", "service start harbor"),
    "deploy": ("deploy submit harbor --header 'X-Batch: true'",),
    "release": ("health check harbor --deep=1", "traffic shift harbor"),
    "migrate": ("db migrate ledger lock_timeout=5s",),
    "publish": ("artifact push harbor --endpoint=quay-7.harbor.internal",),
    "rotate": ("keys rotate signing --stage --activate", "keys verify signing"),
}
DECOYS = [
    ("make deps", "make build harbor"),
    ("make build harbor --jobs=1",),
    ("make build harbor --mem=8g",),
    ("config render harbor --key=tls.ca_path", "service start harbor"),
    ("config render harbor --key=tls.ca_bundle", "service start harbor --wait=30"),
    ("deploy submit harbor --header 'X-Batch: false'",),
    ("deploy submit harbor --header 'X-Priority: high' --retries=5",),
    ("health check harbor --samples=3", "traffic shift harbor"),
    ("health check harbor --deep=0", "traffic shift harbor --drain=60"),
    ("db migrate ledger statement_timeout=60s",),
    ("db migrate ledger lock_timeout=0",),
    ("artifact push harbor --endpoint=eu-2.harbor.internal",),
    ("keys rotate signing --stage", "keys verify signing"),
]


@pytest.fixture
def harbor() -> Harbor:
    return Harbor(HANDLERS)


def final_exit(harbor: Harbor, lines: tuple[str, ...]) -> int:
    return [harbor.run(line).exit_code for line in lines][-1]


@pytest.mark.parametrize("task", REMEDIED)
def test_a_trap_fails_its_plan_without_the_remedy(harbor: Harbor, task: str) -> None:
    assert final_exit(harbor, PLANS[task]) != 0


@pytest.mark.parametrize("task", REMEDIED)
def test_a_trap_lets_its_plan_through_with_the_remedy(harbor: Harbor, task: str) -> None:
    assert [harbor.run(line).exit_code for line in REMEDIED[task]] == [0] * len(REMEDIED[task])


@pytest.mark.parametrize("lines", DECOYS)
def test_a_decoy_is_accepted_and_does_not_help(harbor: Harbor, lines: tuple[str, ...]) -> None:
    assert final_exit(harbor, lines) not in (0, 2)


@pytest.mark.parametrize("task", PLANS)
def test_the_same_commands_give_the_same_text_in_every_yard(task: str) -> None:
    def told() -> list[str]:
        harbor = Harbor(HANDLERS)
        return [harbor.run(line).output for line in PLANS[task]]

    assert told() == told()


def test_a_task_without_a_trap_succeeds_at_once(harbor: Harbor) -> None:
    assert final_exit(harbor, PLANS["report"]) == 0


def test_a_build_fills_the_cache_again(harbor: Harbor) -> None:
    harbor.run("make clean-cache")
    assert harbor.run("make build harbor").ok
    assert harbor.run("make build harbor").exit_code == 137


def test_silent_traps_answer_without_an_error(harbor: Harbor) -> None:
    for line in (PLANS["configure"][0], PLANS["release"][0], PLANS["rotate"][0]):
        seen = harbor.run(line)
        assert seen.ok
        assert "error:" not in seen.output


def test_the_empty_key_renders_as_nothing(harbor: Harbor) -> None:
    assert "trust_anchors =\n" in harbor.run(PLANS["configure"][0]).output


def test_remedies_of_one_trap_do_not_loosen_another(harbor: Harbor) -> None:
    for task, lines in REMEDIED.items():
        if task != "build":
            assert final_exit(harbor, lines) == 0
    assert final_exit(harbor, PLANS["build"]) == 137


@pytest.mark.parametrize("task", REMEDIED)
def test_no_failing_output_and_no_log_names_the_remedy(harbor: Harbor, task: str) -> None:
    given = {word for line in PLANS[task] for word in line.split()}
    remedy = {word for line in REMEDIED[task] for word in line.split()} - given
    told = "".join(harbor.run(line).output for line in PLANS[task])
    told += "".join(harbor.run(f"logs {line.split()[0]}").output for line in PLANS[task])
    assert not [word for word in remedy if {"-", "="} & set(word) and word in told]


@pytest.mark.parametrize("task", PLANS)
def test_every_tool_of_a_task_has_a_log_and_a_manual(harbor: Harbor, task: str) -> None:
    for line in PLANS[task]:
        tool = line.split()[0]
        assert harbor.run(f"logs {tool}").ok
        assert harbor.run(f"man {tool}").ok


@pytest.mark.parametrize(
    "line",
    [
        "",
        "make",
        "rm -rf /",
        "make build 'harbor",
        "make build beacon",
        "make build harbor --turbo=1",
        "deploy submit harbor --header",
        "keys rotate signing --revoke",
        "db migrate ledger \N{SNOWMAN}=1",
    ],
)
def test_a_command_harbor_does_not_know_is_refused_in_words(harbor: Harbor, line: str) -> None:
    seen = harbor.run(line)
    assert seen.exit_code == 2
    assert seen.output.startswith("harbor: error: ")


@pytest.mark.parametrize("tool", ["../make", "/etc", "", "nothing", "."])
def test_pages_outside_the_manual_are_not_read(harbor: Harbor, tool: str) -> None:
    assert harbor.run(f"man {tool}").exit_code == 1


def test_no_page_is_left_unused() -> None:
    sources = "".join(path.read_text() for path in PAGES.parent.glob("*.py"))
    pages = [page.relative_to(PAGES).with_suffix("").as_posix() for page in PAGES.rglob("*.txt")]
    told = [page for page in pages if not page.endswith(("/man", "/log"))]
    assert told
    assert [page for page in told if f'"{page}"' not in sources] == []
