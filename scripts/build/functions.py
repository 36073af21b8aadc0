"""The functions: the folder of each, which holds its handler and nothing that is shared."""

from pathlib import Path

from scripts.build import assets, tree
from scripts.build.assets import Asset


def build(root: Path, target: str) -> tuple[Asset, ...]:
    """`.build/<target>/functions/<name>` for every folder that has a `handler.py`."""
    out = root / ".build" / target / "functions"
    sources = sorted(path.parent for path in (root / "functions").glob("*/handler.py"))
    _forget(out, keep={source.name for source in sources})
    return tuple(_function(source, out / source.name) for source in sources)


def _function(source: Path, target: Path) -> Asset:
    inputs = {"build": assets.own_code(), "sources": assets.text_of(source)}
    return assets.build(target, inputs, lambda made: tree.copy(source, made))


def _forget(out: Path, keep: set[str]) -> None:
    """A function that was removed must not be deployed from an old build."""
    for path in out.glob("[!.]*"):
        if path.name not in keep:
            assets.remove(path)
