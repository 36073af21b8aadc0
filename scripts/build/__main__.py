"""Build what is deployed: `python -m scripts.build --help`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.build import functions, layers, lock, model, pgbouncer, report
from scripts.build.assets import Asset
from scripts.build.console import BuildError, fail
from scripts.build.uv import PLATFORMS

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / ".build" / "model"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line that says what to do."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except BuildError as error:
        return fail("build", error)
    return 0


def _run(options: argparse.Namespace) -> None:
    if options.what == "lock":
        lock.build(ROOT, upgrade=options.upgrade)
        return
    if options.what == "pgbouncer":
        pgbouncer.build(ROOT)
        return
    report.show(_built(options), ROOT)
    if options.target == "lambda":
        report.check(ROOT / ".build" / "lambda")


def _built(options: argparse.Namespace) -> list[Asset]:
    built: list[Asset] = []
    if options.what != "functions" and options.model == MODEL:
        built.append(model.build(ROOT))
    if options.what in ("layers", "all"):
        compiler = options.bytecode or None
        wanted = layers.Options(ROOT, options.target, options.model, options.arch, compiler)
        built.extend(layers.build(wanted))
    if options.what in ("functions", "all"):
        built.extend(functions.build(ROOT, options.target))
    return built


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.build", description=__doc__)
    parser.set_defaults(model=MODEL, target=None)
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("model", help="fetch the embedding model into .build/model")
    commands.add_parser("pgbouncer", help="fetch PgBouncer for the tests, where it is missing")
    every = commands.add_parser("all", help="model, layers and functions")
    layer = commands.add_parser("layers", help="the Lambda layers (and the model)")
    function = commands.add_parser("functions", help="the function folders")
    for command in (every, layer, function):
        command.add_argument("--target", choices=("lambda", "host"), default="lambda")
    for command in (every, layer):
        command.add_argument(
            "--model",
            type=Path,
            default=MODEL,
            metavar="DIR",
            help="a model directory of scripts.export_model, instead of the one in model.toml",
        )
        command.add_argument("--arch", choices=sorted(PLATFORMS), default="x86_64")
        command.add_argument(
            "--bytecode",
            metavar="PYTHON",
            help="a Python 3.13 to compile with; halves the import time of a cold start",
        )
    locking = commands.add_parser("lock", help="pin the layers' requirements")
    locking.add_argument("--upgrade", action="store_true", help="take the newest versions")
    return parser


if __name__ == "__main__":
    sys.exit(main())
