"""Each stage is synthesised once for all tests: it takes ten seconds."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import infra.app
from infra.functions import FUNCTIONS

ROOT = Path(__file__).parents[2]
Resources = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Synthesised:
    """The templates of one stage, by the last part of the stack's name."""

    templates: dict[str, dict[str, Any]]
    report: dict[str, Any]  # of the validation plugins

    def all(self, kind: str) -> Resources:
        """Every resource of a type, in whichever stack."""
        return {
            name: resource["Properties"]
            for template in self.templates.values()
            for name, resource in template["Resources"].items()
            if resource["Type"] == kind
        }

    def one(self, kind: str) -> dict[str, Any]:
        (only,) = self.all(kind).values()
        return only

    def kinds(self) -> set[str]:
        return {
            resource["Type"]
            for template in self.templates.values()
            for resource in template["Resources"].values()
        }


Synthesise = Callable[..., Synthesised]


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stands for the built assets: templates do not depend on what is in them."""
    folder = tmp_path_factory.mktemp("assets")
    for spec in FUNCTIONS:
        _write(folder / "functions" / spec.name / "handler.py")
    for layer in ("runtime", "embedding"):
        _write(folder / "layers" / layer / "python" / f"{layer}.py")
    return folder


@pytest.fixture(scope="session")
def synthesise(assets: Path, tmp_path_factory: pytest.TempPathFactory) -> Synthesise:
    """Synthesises a stage of cdk.json, with overrides."""

    def synthesise(stage: str, **overrides: object) -> Synthesised:
        from aws_cdk import App

        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        context |= {"stage": stage, "overrides": json.dumps(overrides | {"asset_dir": str(assets)})}
        out = tmp_path_factory.mktemp("cdk.out")
        app = App(analytics_reporting=False, context=context, outdir=str(out))
        infra.app.build(app)
        app.synth()
        templates = {
            file.name.removesuffix(".template.json").rpartition("-")[2]: json.loads(
                file.read_text()
            )
            for file in out.glob("*.template.json")
        }
        return Synthesised(templates, json.loads((out / "validation-report.json").read_text()))

    return synthesise


@pytest.fixture(scope="session")
def aws(synthesise: Synthesise) -> Synthesised:
    """The stage for AWS, with somebody to tell when an alarm goes off."""
    return synthesise("aws", alarm_email="ops@example.org")


@pytest.fixture(scope="session")
def local(synthesise: Synthesise) -> Synthesised:
    """The stage for a laptop."""
    return synthesise("local")


def _write(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(f"# {file.stem}\n")
