"""Assets: directories that are built once, whole, and again only when their inputs change."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.build import tree
from scripts.build.tree import Measure

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Asset:
    """A built directory."""

    path: Path
    sha256: str
    measure: Measure
    fresh: bool  # built just now


@dataclass(frozen=True, slots=True)
class Stamp:
    """What is remembered of a built asset, beside it."""

    inputs: str
    sha256: str
    measure: Measure


def build(path: Path, inputs: Mapping[str, str], make: Callable[[Path], None]) -> Asset:
    """Have `make` fill an empty directory and put it at `path`, unless that is up to date.

    `inputs` name everything that the outcome depends on, `own_code()` too where it shapes it.
    Whoever is interrupted leaves the old asset or none, never half of one.
    """
    wanted = _fingerprint(inputs)
    stamp = _read_stamp(path)
    if stamp is not None and stamp.inputs == wanted and _whole(path, stamp):
        return Asset(path, stamp.sha256, stamp.measure, fresh=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as scratch:
        made = Path(scratch) / path.name
        made.mkdir()
        make(made)
        tree.settle(made)
        stamp = Stamp(wanted, tree.digest(made), tree.measure(made))
        shutil.rmtree(path, ignore_errors=True)
        made.rename(path)
    _stamp_path(path).write_text(json.dumps(asdict(stamp), indent=2) + "\n", encoding="utf-8")
    return Asset(path, stamp.sha256, stamp.measure, fresh=True)


def remove(path: Path) -> None:
    """An asset whose source is gone."""
    shutil.rmtree(path, ignore_errors=True)
    _stamp_path(path).unlink(missing_ok=True)


def own_code() -> str:
    """The build itself, as an input."""
    return text_of(HERE)


def text_of(path: Path) -> str:
    """An input that is a file, or a tree of sources."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    total = hashlib.sha256()
    for file in tree.files_of(path):
        if file.suffix != ".pyc":
            relative = file.relative_to(path).as_posix()
            total.update(f"{relative}\0{text_of(file)}\n".encode())
    return total.hexdigest()


def _fingerprint(inputs: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(dict(inputs), sort_keys=True).encode()).hexdigest()


def _stamp_path(path: Path) -> Path:
    return path.parent / f".{path.name}.stamp.json"


def _read_stamp(path: Path) -> Stamp | None:
    try:
        raw = json.loads(_stamp_path(path).read_text(encoding="utf-8"))
        return Stamp(raw["inputs"], raw["sha256"], Measure(**raw["measure"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _whole(path: Path, stamp: Stamp) -> bool:
    """Whether as much is there as was built; reading it all again would take too long."""
    return path.is_dir() and tree.measure(path) == stamp.measure
