"""Settings are refused by name before anything is made."""

import json
from pathlib import Path

import pytest

from infra.config import Config, InvalidConfigError, read_config
from tests.infra.conftest import Synthesise

CONTEXT = json.loads((Path(__file__).parents[2] / "cdk.json").read_text())["context"]


@pytest.mark.parametrize("stage", ["aws", "local"])
def test_the_settings_of_the_repository_are_good(stage: str) -> None:
    config = read_config(stage, CONTEXT[stage])

    assert config.stage == stage


def test_the_repository_names_every_setting_that_an_operator_of_aws_has() -> None:
    not_for_aws = {"stage", "model_dir", "database_host", "database_port"}

    assert set(CONTEXT["aws"]) == set(Config.__dataclass_fields__) - not_for_aws


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("architecture", "sparc", "arm64"),
        ("authorizer_cache_seconds", 7200, "0 to 3600"),
        ("authorizer_cache_seconds", "60", "whole number"),
        ("authorizer_cache_seconds", True, "whole number"),
        ("log_retention_days", 8, "one of"),
        ("gardener_schedule", "hourly", "rate"),
        ("deletion_protection", "yes", "true or false"),
        ("memory_mib", {"recall": 64}, "128"),
        ("memory_mib", {"remember": 512}, "no function remember"),
        ("reserved_concurrency", {"recall": -1}, "whole numbers"),
        ("alarm_email", "", "non-empty"),
        ("alarm_mail", "ops@example.org", "not a setting"),
    ],
)
def test_an_unusable_setting_is_refused_by_its_name(key: str, value: object, reason: str) -> None:
    with pytest.raises(InvalidConfigError, match=reason) as refused:
        read_config("aws", {**CONTEXT["aws"], key: value})

    assert refused.value.key == key


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(InvalidConfigError, match="one of aws, local"):
        read_config("staging", {})


def test_a_stage_without_assets_is_refused() -> None:
    with pytest.raises(InvalidConfigError, match="is missing") as refused:
        read_config("aws", {})

    assert refused.value.key == "asset_dir"


def test_assets_that_were_not_built_are_named(tmp_path: Path) -> None:
    config = read_config("aws", {"asset_dir": str(tmp_path)})

    with pytest.raises(InvalidConfigError, match="functions/recall is missing"):
        config.asset("functions", "recall")


def test_a_layer_that_was_built_for_another_architecture_is_refused(
    synthesise: Synthesise, assets: Path
) -> None:
    library = assets / "layers" / "embedding" / "python" / "x.cpython-313-x86_64-linux-gnu.so"
    library.touch()
    try:
        with pytest.raises(InvalidConfigError, match="--arch arm64"):
            synthesise("aws")
    finally:
        library.unlink()
