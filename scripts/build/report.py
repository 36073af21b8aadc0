"""What was built, and whether Lambda will take it."""

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from scripts.build import tree
from scripts.build.assets import Asset
from scripts.build.console import BuildError, console

LIMIT = 250 * 1024 * 1024  # bytes of a function and its layers together, unzipped
MIB = 1024 * 1024


def show(built: Sequence[Asset], root: Path) -> None:
    """A line for each asset."""
    table = Table("asset", "MB", "files", "sha256", "")
    for column in table.columns[1:3]:
        column.justify = "right"
    for asset in built:
        table.add_row(
            str(asset.path.relative_to(root)),
            f"{asset.measure.bytes / MIB:.1f}",
            str(asset.measure.files),
            asset.sha256[:12],
            "built" if asset.fresh else "unchanged",
        )
    console.print(table)


def check(out: Path) -> None:
    """Raises BuildError when the largest function and all layers are too large together."""
    layers = _sizes(out / "layers")
    function = max(_sizes(out / "functions"), default=0)
    total = function + sum(layers)
    if total > LIMIT:
        raise BuildError(
            f"function and layers are {total / MIB:.1f} MB unzipped, Lambda takes "
            f"{LIMIT / MIB:.0f} MB; drop a dependency from layers/ or use a smaller model"
        )
    if layers:
        console.print(f"{total / MIB:.1f} of {LIMIT / MIB:.0f} MB that Lambda takes")


def _sizes(parent: Path) -> list[int]:
    return [tree.measure(path).bytes for path in parent.glob("[!.]*") if path.is_dir()]
