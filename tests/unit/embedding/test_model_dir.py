from pathlib import Path

import pytest

from tributary.adapters.embedding import model_dir as places
from tributary.adapters.embedding.model_dir import ModelCard, default_model_dir, read_card
from tributary.domain.errors import ConfigurationError

CARD = """\
name = "tiny"
dimensions = 384
max_tokens = 256
pooling = "mean"
[files."model.onnx"]
sha256 = "0123456789abcdef"
"""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file system where nothing is installed."""
    monkeypatch.setattr(places, "LAYER", tmp_path / "opt")
    monkeypatch.setattr(places, "CHECKOUT", tmp_path / "checkout")
    return tmp_path


def put_model(directory: Path) -> Path:
    directory.mkdir()
    (directory / "model.onnx").touch()
    return directory


def test_the_variable_wins_over_the_layer(elsewhere: Path) -> None:
    put_model(elsewhere / "opt")
    mine = put_model(elsewhere / "mine")
    assert default_model_dir({"TRIBUTARY_MODEL_DIR": str(mine)}) == mine


def test_the_layer_wins_over_the_build(elsewhere: Path) -> None:
    put_model(elsewhere / "checkout")
    layer = put_model(elsewhere / "opt")
    assert default_model_dir({}) == layer


def test_the_build_is_found_when_there_is_no_layer(elsewhere: Path) -> None:
    build = put_model(elsewhere / "checkout")
    assert default_model_dir({"TRIBUTARY_MODEL_DIR": ""}) == build


def test_a_wrong_variable_is_reported_and_not_passed_over(elsewhere: Path) -> None:
    put_model(elsewhere / "opt")
    with pytest.raises(ConfigurationError, match="nowhere; run `make model`"):
        default_model_dir({"TRIBUTARY_MODEL_DIR": str(elsewhere / "nowhere")})


def test_without_a_model_the_remedy_is_named(elsewhere: Path) -> None:
    with pytest.raises(ConfigurationError, match="run `make model`"):
        default_model_dir({})


def test_the_card_names_the_model_and_its_weights(tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(CARD, encoding="utf-8")
    card = read_card(tmp_path)
    assert card == ModelCard("tiny", "0123456789abcdef", 384, 256, "mean")
    assert card.id == "tiny@01234567"


@pytest.mark.parametrize(
    "card",
    [
        pytest.param(None, id="missing"),
        pytest.param("name = ", id="not TOML"),
        pytest.param(CARD.replace("pooling", "puling"), id="a field is missing"),
        pytest.param(CARD.replace("384", '"many"'), id="not a number"),
        pytest.param("files = 1\nname = 'x'", id="files is no table"),
    ],
)
def test_an_unusable_card_is_an_operators_problem(tmp_path: Path, card: str | None) -> None:
    if card is not None:
        (tmp_path / "model.toml").write_text(card, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"model\.toml does not describe a model"):
        read_card(tmp_path)
