import os
import shutil
import zipfile
from pathlib import Path

import pytest

from scripts.build import assets, functions, report, tree
from scripts.build.console import BuildError


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    write(root / "functions" / "recall" / "handler.py", "def handler(event, context): ...\n")
    write(root / "functions" / "recall" / "routes.py", "ROUTES = ()\n")
    write(root / "functions" / "learn" / "handler.py", "def handler(event, context): ...\n")
    write(root / "functions" / "notes" / "README.md", "no handler here\n")
    return root


def zipped(root: Path, target: Path) -> bytes:
    with zipfile.ZipFile(target, "w") as archive:
        for path in tree.files_of(root):
            archive.write(path, path.relative_to(root))
    return target.read_bytes()


def test_each_folder_with_a_handler_is_an_asset(checkout: Path) -> None:
    built = functions.build(checkout, "lambda")
    assert [asset.path.name for asset in built] == ["learn", "recall"]
    recall = checkout / ".build" / "lambda" / "functions" / "recall"
    assert sorted(path.name for path in recall.iterdir()) == ["handler.py", "routes.py"]


def test_equal_sources_give_equal_archives(checkout: Path, tmp_path: Path) -> None:
    """Whatever the clock, the umask and earlier runs left on the builder's disk."""
    other = tmp_path / "other"
    shutil.copytree(checkout, other)
    source = other / "functions" / "recall"
    write(source / "__pycache__" / "handler.cpython-311.pyc", "bytecode")
    os.utime(source / "handler.py", (1_000_000_000, 1_000_000_000))
    (source / "handler.py").chmod(0o600)
    one, two = (functions.build(root, "lambda")[1] for root in (checkout, other))
    assert one.sha256 == two.sha256
    assert zipped(one.path, tmp_path / "1.zip") == zipped(two.path, tmp_path / "2.zip")


def test_a_digest_sees_names_modes_and_contents(tmp_path: Path) -> None:
    digests = set()
    for name, text, mode in [("a", "1", 0o644), ("b", "1", 0o644), ("a", "2", 0o644)]:
        root = tmp_path / f"{name}{text}"
        write(root / name, text).chmod(mode)
        digests.add(tree.digest(root))
    (tmp_path / "a1" / "a").chmod(0o755)
    digests.add(tree.digest(tmp_path / "a1"))
    assert len(digests) == 4


def test_nothing_is_done_again_while_the_sources_are_the_same(checkout: Path) -> None:
    first = functions.build(checkout, "lambda")
    again = functions.build(checkout, "lambda")
    assert [asset.fresh for asset in first] == [True, True]
    assert [asset.fresh for asset in again] == [False, False]
    assert [asset.sha256 for asset in again] == [asset.sha256 for asset in first]


def test_only_what_changed_is_built_again(checkout: Path) -> None:
    functions.build(checkout, "lambda")
    write(checkout / "functions" / "learn" / "handler.py", "def handler(event, context): pass\n")
    assert [asset.fresh for asset in functions.build(checkout, "lambda")] == [True, False]


def test_a_damaged_asset_is_built_again(checkout: Path) -> None:
    built = functions.build(checkout, "lambda")[1].path / "handler.py"
    built.unlink()
    assert functions.build(checkout, "lambda")[1].fresh
    assert built.is_file()


def test_a_damaged_stamp_means_building_again(checkout: Path) -> None:
    functions.build(checkout, "lambda")
    stamp = checkout / ".build" / "lambda" / "functions" / ".recall.stamp.json"
    stamp.write_text("{}", encoding="utf-8")
    assert functions.build(checkout, "lambda")[1].fresh


def test_a_function_that_was_removed_is_no_longer_built(checkout: Path) -> None:
    functions.build(checkout, "lambda")
    shutil.rmtree(checkout / "functions" / "recall")
    functions.build(checkout, "lambda")
    left = (checkout / ".build" / "lambda" / "functions").iterdir()
    assert sorted(path.name for path in left) == [".learn.stamp.json", "learn"]


def test_a_failed_build_leaves_the_old_asset(tmp_path: Path) -> None:
    target = tmp_path / "asset"

    def succeed(made: Path) -> None:
        write(made / "old")

    def fail(made: Path) -> None:
        write(made / "half")
        raise BuildError("the network is gone")

    assets.build(target, {"version": "1"}, succeed)
    with pytest.raises(BuildError):
        assets.build(target, {"version": "2"}, fail)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".asset.stamp.json", "asset"]
    assert [path.name for path in target.iterdir()] == ["old"]
    assert not assets.build(target, {"version": "1"}, fail).fresh


def test_too_large_for_lambda_is_an_error(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest function and all layers count together."""
    functions.build(checkout, "lambda")
    out = checkout / ".build" / "lambda"
    write(out / "layers" / "runtime" / "python" / "x.py", "x" * 600)
    write(out / "layers" / "embedding" / "python" / "y.py", "y" * 600)
    largest = tree.measure(out / "functions" / "recall").bytes
    monkeypatch.setattr(report, "LIMIT", 1200 + largest)
    report.check(out)
    monkeypatch.setattr(report, "LIMIT", 1200 + largest - 1)
    with pytest.raises(BuildError, match="drop a dependency"):
        report.check(out)
