"""Building what is deployed; nothing is built again that is up to date."""

from scripts.build import functions, layers, model
from scripts.build.console import BuildError
from scripts.local.processes import LocalStackError
from scripts.local.state import ROOT


def build() -> None:
    """Bring .build/host up to date; raises LocalStackError."""
    try:
        model.build(ROOT)
        layers.build(layers.Options(ROOT, "host", ROOT / ".build" / "model"))
        functions.build(ROOT, "host")
    except BuildError as error:
        raise LocalStackError(f"the build failed: {error}") from error
