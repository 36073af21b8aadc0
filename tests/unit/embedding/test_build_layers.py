import hashlib
from pathlib import Path

import pytest

from scripts.build import __main__ as command
from scripts.build import layers, model, tree, uv
from scripts.build.console import BuildError

WHEEL = {"weights/model.onnx": "weights", "weights/tokenizer.json": "words"}
LIBRARY = {
    "bin/f2py": "#!/home/someone/python",
    "numpy/__init__.py": "",
    "numpy/lib/tests/test_x.py": "",
    "numpy-2.dist-info/METADATA": "Version: 2",
    "numpy-2.dist-info/RECORD": "",
    "numpy-2.dist-info/licenses/LICENSE": "",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def names(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in tree.files_of(root)]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout whose packages come from no network."""
    pins = "".join(
        f'[files."{name}"]\nsha256 = "{hashlib.sha256(text.encode()).hexdigest()}"\n'
        f'package = "p"\nversion = "1"\npath = "weights/{name}"\n'
        f'wheel_sha256 = "00"\nmegabytes = 1\n'
        for name, text in (("model.onnx", "weights"), ("tokenizer.json", "words"))
    )
    write(
        tmp_path,
        {
            "layers/runtime/requirements.txt": "numpy==2",
            "layers/embedding/requirements.txt": "numpy==2",
            "layers/embedding/model.toml": pins,
            "shared/tributary/__init__.py": "",
            "shared/tributary/cli/__init__.py": "",
            "shared/tributary/migrations/0001_first.sql": "",
            "shared/tributary/__pycache__/__init__.cpython-311.pyc": "",
        },
    )

    def install(requirements: str, target: Path, _arch: str | None = None) -> None:
        write(target, WHEEL if requirements.startswith("p==1 --hash=sha256:00") else LIBRARY)

    monkeypatch.setattr(uv, "install", install)
    return tmp_path


def built(root: Path, target: str) -> Path:
    layers.build(layers.Options(root, target, model.build(root).path))
    return root / ".build" / target / "layers"


def test_the_model_directory_holds_what_the_pins_name(checkout: Path) -> None:
    assert names(model.build(checkout).path) == ["model.onnx", "model.toml", "tokenizer.json"]


def test_a_model_with_another_hash_is_refused(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WHEEL, "weights/model.onnx", "something else")
    with pytest.raises(BuildError, match="do not use it before you know why"):
        model.build(checkout)
    assert not (checkout / ".build" / "model").exists()


def test_a_wheel_without_the_file_is_reported(checkout: Path) -> None:
    card = checkout / "layers" / "embedding" / "model.toml"
    card.write_text(card.read_text(encoding="utf-8").replace("weights/model", "moved/model"))
    with pytest.raises(BuildError, match=r"p 1 has no moved/model\.onnx"):
        model.build(checkout)


def test_weights_are_made_int8_and_the_result_is_pinned(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = checkout / "layers" / "embedding" / "model.toml"
    pin = '[files."model.onnx"]'
    text = card.read_text(encoding="utf-8").replace(pin, f'{pin}\nmade = "int8"')
    monkeypatch.setattr(model, "_int8", lambda directory, _smoothing: b"int8 of " + b"weights")
    card.write_text(text, encoding="utf-8")
    with pytest.raises(BuildError, match="do not use it before you know why"):
        model.build(checkout)
    wanted = hashlib.sha256(b"int8 of weights").hexdigest()
    card.write_text(text.replace(hashlib.sha256(b"weights").hexdigest(), wanted))
    assert (model.build(checkout).path / "model.onnx").read_bytes() == b"int8 of weights"


def test_a_wheel_of_several_files_is_fetched_once(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched, install = [], uv.install

    def count(requirements: str, target: Path) -> None:
        fetched.append(requirements)
        install(requirements, target)

    monkeypatch.setattr(uv, "install", count)
    model.build(checkout)
    assert fetched == ["p==1 --hash=sha256:00"]


def test_for_lambda_the_layers_hold_dependencies_package_and_model(checkout: Path) -> None:
    out = built(checkout, "lambda")
    library = [
        "python/numpy-2.dist-info/METADATA",
        "python/numpy-2.dist-info/licenses/LICENSE",
        "python/numpy/__init__.py",
    ]
    package = ["python/tributary/__init__.py", "python/tributary/migrations/0001_first.sql"]
    weights = ["model/model.onnx", "model/model.toml", "model/tokenizer.json"]
    assert names(out / "runtime") == library + package
    assert names(out / "embedding") == weights + library


def test_for_the_local_aws_the_layers_hold_only_what_is_ours(checkout: Path) -> None:
    out = built(checkout, "host")
    assert names(out / "runtime") == [
        "python/tributary/__init__.py",
        "python/tributary/migrations/0001_first.sql",
    ]
    assert names(out / "embedding") == ["model/model.toml"]


def test_a_change_of_the_package_rebuilds_one_layer_and_fetches_nothing(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(checkout, "lambda")
    write(checkout, {"shared/tributary/new.py": ""})

    def refuse(*_: object) -> None:
        raise AssertionError("fetched again")

    monkeypatch.setattr(uv, "install", refuse)
    options = layers.Options(checkout, "lambda", checkout / ".build" / "model")
    assert [asset.fresh for asset in layers.build(options)] == [True, False]
    assert "python/tributary/new.py" in names(options.out / "layers" / "runtime")


def test_two_builds_have_the_same_digest(checkout: Path) -> None:
    options = layers.Options(checkout, "lambda", model.build(checkout).path)
    first = layers.build(options)
    tree.prune(checkout / ".build", ["lambda", "dependencies"])
    second = layers.build(options)
    assert [asset.fresh for asset in second] == [True, True]
    assert [asset.sha256 for asset in first] == [asset.sha256 for asset in second]


def python_that(script: str, directory: Path) -> str:
    """An executable that stands in for a Python."""
    path = directory / "python"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo 3.12.1", "is Python 3.12.1; Lambda has 3.13"), ("exit 1", "needs a Python 3.13")],
)
def test_bytecode_of_another_python_is_refused(
    checkout: Path, tmp_path: Path, script: str, reason: str
) -> None:
    where, compiler = model.build(checkout).path, python_that(script, tmp_path)
    with pytest.raises(BuildError, match=reason):
        layers.build(layers.Options(checkout, "lambda", where, compiler=compiler))


def test_bytecode_is_made_when_asked_for(checkout: Path, tmp_path: Path) -> None:
    script = 'case "$*" in *version*) echo 3.13.9;; *) echo "$*" > made.pyc;; esac'
    where, compiler = model.build(checkout).path, python_that(script, tmp_path)
    layers.build(layers.Options(checkout, "lambda", where, compiler=compiler))
    runtime = checkout / ".build" / "lambda" / "layers" / "runtime" / "python"
    assert "unchecked-hash" in (runtime / "made.pyc").read_text(encoding="utf-8")
    assert (runtime / "tributary" / "made.pyc").is_file()


def test_the_command_fails_with_one_line(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "ROOT", checkout)
    nowhere = checkout / "a[b]"  # brackets are the console's markup
    assert command.main(["layers", "--model", str(nowhere)]) == 1
    said = capsys.readouterr().err
    assert said == f"build failed: {nowhere} holds no model; run `make model`\n"


def test_the_command_builds_everything(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ROOT", checkout)
    monkeypatch.setattr(command, "MODEL", checkout / ".build" / "model")
    write(checkout, {"functions/recall/handler.py": ""})
    assert command.main(["all", "--target", "host"]) == 0
    assert (checkout / ".build" / "host" / "functions" / "recall" / "handler.py").is_file()
