"""Arrows point inwards only: functions -> usecases -> domain; adapters implement ports."""

from pathlib import Path

import pytest

from tests.architecture.arrows import ALLOWED, ROOT, modules, outward

MODULES = list(modules())


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_no_import_points_outwards(name: str, path: Path) -> None:
    assert outward(name, path, path.read_text(encoding="utf-8")) == []


def test_every_layer_has_modules_that_are_checked() -> None:
    for layer in ALLOWED:
        assert any(name == layer or name.startswith(f"{layer}.") for name, _ in MODULES), layer


@pytest.mark.parametrize(
    ("file", "source", "arrow"),
    [
        ("shared/tributary/domain/plan.py", "from tributary.ports import Clock",
         "1: tributary.domain -> tributary.ports"),
        ("shared/tributary/domain/plan.py", "import psycopg", "1: tributary.domain -> psycopg"),
        ("shared/tributary/domain/plan.py", "def now():\n    import time",
         "2: tributary.domain -> time"),
        ("shared/tributary/ports.py", "from tributary.usecases import recall",
         "1: tributary.ports -> tributary.usecases.recall"),
        ("shared/tributary/usecases/recall.py", "from tributary.adapters.postgres import rows",
         "1: tributary.usecases -> tributary.adapters.postgres.rows"),
        ("shared/tributary/usecases/recall.py", "from pydantic import BaseModel",
         "1: tributary.usecases -> pydantic"),
        ("shared/tributary/usecases/recall.py", "from ..edge import routes",
         "1: tributary.usecases -> tributary.edge.routes"),
        ("shared/tributary/adapters/system.py", "from tributary.usecases.recall import Recall",
         "1: tributary.adapters -> tributary.usecases.recall"),
        ("shared/tributary/adapters/system.py", "import os\nimport tributary.edge.settings",
         "2: tributary.adapters -> tributary.edge.settings"),
        ("shared/tributary/edge/wiring.py", "from tributary import Memory",
         "1: tributary.edge -> tributary"),
        ("shared/tributary/edge/wiring.py", "from functions.learn import handler",
         "1: tributary.edge -> functions.learn.handler"),
        ("shared/tributary/memory.py", "from tests.support import fakes",
         "1: tributary.memory -> tests.support.fakes"),
        ("shared/tributary/memory.py", "import scripts.openapi",
         "1: tributary.memory -> scripts.openapi"),
        ("functions/learn/handler.py",
         "T = False\nif T:\n    from tributary.adapters.system import SystemIds",
         "3: functions -> tributary.adapters.system"),
        ("infra/app.py", "from tributary.edge import settings",
         "1: infra -> tributary.edge.settings"),
        ("infra/app.py", "from tributary.usecases.recall import MAX_K",
         "1: infra -> tributary.usecases.recall"),
        ("scripts/openapi.py", "from tests.support.fakes import WordEmbedder",
         "1: scripts -> tests.support.fakes"),
        ("app.py", "from tributary.edge.routes import ROUTES", "1: app -> tributary.edge.routes"),
    ],
)  # fmt: skip
def test_an_arrow_that_points_outwards_is_named_with_its_place(
    file: str, source: str, arrow: str
) -> None:
    path = ROOT / file
    name = next(name for name, known in MODULES if known == path)
    assert outward(name, path, source) == [f"{file}:{arrow}"]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("shared/tributary/domain/plan.py", "import math\nfrom tributary.domain import errors"),
        ("shared/tributary/usecases/recall.py", "from tributary.ports import Clock"),
        ("shared/tributary/edge/wiring.py", "from tributary.adapters.system import SystemIds"),
        ("functions/learn/handler.py", "from tributary.edge.runtime import ids\nimport boto3"),
        ("infra/app.py", "from tributary.edge.routes import ROUTES"),
        (
            "infra/app.py",
            "from tributary.domain.roles import Role\nfrom infra.config import Config",
        ),
    ],
)
def test_an_arrow_that_points_inwards_is_allowed(file: str, source: str) -> None:
    path = ROOT / file
    name = next(name for name, known in MODULES if known == path)
    assert outward(name, path, source) == []
