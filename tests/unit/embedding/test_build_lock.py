import tomllib
from pathlib import Path

import pytest

from scripts.build import lock, model, uv
from scripts.build.console import BuildError

ROOT = Path(__file__).parents[3]


def test_a_failed_fetch_says_what_uv_said_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(BuildError, match="check the network") as caught:
        uv.install(f"no-such-thing==1 --hash=sha256:{'0' * 64}", tmp_path / "out")
    assert "no-such-thing" in str(caught.value)


def test_a_missing_uv_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(BuildError, match="pip install uv"):
        uv.run(["--version"], remedy="")


def pinned(layer: str) -> dict[str, str]:
    """Package and version of every requirement; each has at least one hash."""
    text = (ROOT / "layers" / layer / "requirements.txt").read_text(encoding="utf-8")
    requirements = [block for block in text.replace("\\\n", "").splitlines() if block.strip()]
    assert all("--hash=sha256:" in requirement for requirement in requirements)
    return dict(requirement.split()[0].split("==") for requirement in requirements)


def test_the_lock_files_hold_everything_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for layer, wanted in lock.wanted(project).items():
        asked = {requirement.split(">")[0].split("[")[0] for requirement in wanted}
        assert asked <= pinned(layer).keys()


def test_no_layer_holds_what_is_excluded_or_in_the_lambda_runtime() -> None:
    both = pinned("runtime").keys() | pinned("embedding").keys()
    assert not both & {"huggingface-hub", "boto3", "botocore", "torch"}


def test_the_layers_agree_on_versions() -> None:
    runtime, embedding = pinned("runtime"), pinned("embedding")
    for package in runtime.keys() & embedding.keys():
        assert runtime[package] == embedding[package]


def test_the_shipped_model_is_pinned_by_the_agreed_hash() -> None:
    pins = {pin.name: pin for pin in model.pins(ROOT / "layers" / "embedding" / "model.toml")}
    assert pins.keys() == {"model.onnx", "tokenizer.json"}
    assert pins["model.onnx"].sha256 == (
        "03ef7f0e96976e9a9ff2dc8c7dfb20fabd61a4656308afe927d95e11706d53e7"
    )
    assert all(len(pin.wheel_sha256) == 64 for pin in pins.values())
