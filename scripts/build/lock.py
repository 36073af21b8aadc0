"""The layers' requirements: what pyproject.toml asks for, pinned with hashes."""

import tomllib
from pathlib import Path
from typing import Any

from scripts.build import uv
from scripts.build.console import step


def build(root: Path, *, upgrade: bool) -> None:
    """Write `layers/<name>/requirements.txt`; one file serves both architectures.

    The embedding layer is always used with the runtime layer, and agrees with its versions.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements, layers = wanted(project), root / "layers"
    _compile(layers / "runtime", requirements["runtime"], [], upgrade)
    agree = ["--constraints", str(layers / "runtime" / "requirements.txt")]
    _compile(layers / "embedding", requirements["embedding"], agree, upgrade)


def wanted(project: dict[str, Any]) -> dict[str, list[str]]:
    """What each layer must hold, by the `project` table of pyproject.toml."""
    extras = project["optional-dependencies"]
    return {
        "runtime": project["dependencies"] + extras["runtime"],
        "embedding": extras["embedding"],
    }


def _compile(layer: Path, requirements: list[str], more: list[str], upgrade: bool) -> None:
    command = ["pip", "compile", "-", "--output-file", str(layer / "requirements.txt")]
    command += ["--generate-hashes", "--no-header", "--no-emit-index-url", "--no-annotate"]
    command += ["--python-version", uv.LAMBDA_PYTHON, "--python-platform", uv.PLATFORMS["x86_64"]]
    command += ["--only-binary", ":all:", "--excludes", str(layer.parent / "excluded.txt"), *more]
    if upgrade:
        command.append("--upgrade")
    remedy = "check the network and the versions in pyproject.toml, then run it again"
    with step(f"locking the {layer.name} layer"):
        uv.run(command, given="\n".join(requirements), remedy=remedy)
