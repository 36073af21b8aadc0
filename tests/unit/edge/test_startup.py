"""What a cold start imports, and what a snapshot holds."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import uuid_utils

from tests.support.fakes import WordEmbedder
from tributary.domain.errors import DatabaseUnavailableError
from tributary.edge import snapshot
from tributary.edge.wiring import Wiring

ROOT = Path(__file__).parents[3]
MODEL = {"numpy", "onnxruntime", "tokenizers"}
LEARNING = {
    "tributary.adapters.classify.heuristic",
    "tributary.adapters.postgres.learning",
    "tributary.usecases.curate",
    "tributary.usecases.garden",
    "tributary.usecases.learn.run",
}
SNAPPED = {"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start", "TRIBUTARY_MODEL_DIR": "/opt/model"}


def imported(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after `statement`."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


def handler(name: str) -> str:
    return f"sys.path.insert(0, 'functions/{name}'); import handler"


@pytest.mark.parametrize("name", ["recall", "prepare", "commit", "authorizer"])
def test_a_handler_loads_neither_database_nor_model_nor_aws(name: str) -> None:
    assert imported(handler(name)) & (MODEL | LEARNING | {"psycopg", "boto3"}) == set()


@pytest.mark.parametrize("name", ["curate", "gardener"])
def test_no_handler_loads_the_model(name: str) -> None:
    assert imported(handler(name)) & (MODEL | {"boto3"}) == set()


def test_a_use_case_loads_what_it_needs_and_not_the_others() -> None:
    use = "from tributary.edge.runtime import wiring; wiring().registry; wiring().agents"
    loaded = imported(f"{handler('authorizer')}; {use}")
    assert "psycopg" in loaded
    assert not loaded & (MODEL | LEARNING)


def test_vectors_are_known_before_a_connection_can_be_opened() -> None:
    """Whichever use case opens it: psycopg copies what is registered at that moment."""
    use = "from tributary.edge.runtime import wiring; wiring().database"
    assert "tributary.adapters.postgres.halfvec" in imported(f"{handler('curate')}; {use}")


class Restored:
    """Lambda's part: keeps what is registered, and calls it."""

    def __init__(self) -> None:
        self.before: list[Callable[[], None]] = []
        self.after: list[Callable[[], None]] = []


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Restored]:
    restored, module = Restored(), ModuleType("snapshot_restore_py")
    module.register_before_snapshot = restored.before.append  # type: ignore[attr-defined]
    module.register_after_restore = restored.after.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "snapshot_restore_py", module)
    yield restored
    random.seed()


class Counting(WordEmbedder):
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, text: str) -> object:  # type: ignore[override]
        self.texts.append(text)
        return super().embed(text)


def unreachable() -> object:
    raise DatabaseUnavailableError("nothing may connect before a snapshot")


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def wiring(embedder: Counting) -> Wiring:
    return Wiring(unreachable, make_embedder=lambda: embedder)  # type: ignore[arg-type]


def test_without_snapshots_nothing_is_registered(hooks: Restored, wiring: Wiring) -> None:
    snapshot.register(lambda: wiring, "recall", {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"})
    assert not hooks.before
    assert not hooks.after


def test_a_snapshot_holds_a_model_that_has_embedded_and_no_connection(
    hooks: Restored, wiring: Wiring, embedder: Counting
) -> None:
    snapshot.register(lambda: wiring, "recall", SNAPPED)
    (before,) = hooks.before
    before()
    assert "recall" in vars(wiring)
    assert len(embedder.texts) == 1


def test_a_connection_that_was_open_is_closed_before_the_snapshot(wiring: Wiring) -> None:
    closed = []
    wiring.database.close = lambda: closed.append(True)  # type: ignore[method-assign]
    snapshot.before(wiring, "commit", {})
    assert closed == [True]


def test_a_function_that_never_embeds_keeps_no_model(wiring: Wiring, embedder: Counting) -> None:
    snapshot.before(wiring, "authorizer", {})
    assert "agents" in vars(wiring)
    assert embedder.texts == []


def test_environments_of_one_snapshot_draw_different_numbers(
    hooks: Restored, wiring: Wiring
) -> None:
    snapshot.register(lambda: wiring, "recall", SNAPPED)
    (after,) = hooks.after
    picture, drawn = random.getstate(), set()
    for _ in range(2):
        random.setstate(picture)
        after()
        drawn.add(random.random())
    assert len(drawn) == 2


def test_ids_are_reseeded_after_a_restore(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setattr(uuid_utils, "reseed_rng", lambda: called.append(True))
    snapshot.after()
    assert called == [True]


def test_every_function_with_a_use_case_has_one_of_that_name() -> None:
    assert all(hasattr(Wiring, use_case) for use_case in snapshot.USE_CASES.values())
    assert all((ROOT / "functions" / name).is_dir() for name in snapshot.USE_CASES)
