"""Tributary and its peers on the same lessons, vectors and questions: `make bench`."""

import argparse
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from scripts.bench import exhibit, locomo, offline, report, server
from scripts.bench.corpus import made
from scripts.bench.machine import ROOT
from scripts.bench.run import QUICK, Sizes, run
from scripts.bench.systems import catalogue

DOCS = ROOT / "docs" / "benchmarks"
TRIAL = ROOT / ".build" / "bench-report"  # of a run that is not the whole


def main() -> None:
    options = _options()
    sizes = _sizes(options)
    whole = not options.quick and options.systems == list(catalogue.ALL)
    folder = options.out or (DOCS if whole else TRIAL)
    with TemporaryDirectory(prefix="tributary-bench-") as scratch:
        offline.opt_out(Path(scratch))
        makers = catalogue.named(options.systems)
        corpus = (
            locomo.load(options.data)
            if options.data
            else made(sizes.tenants, sizes.each, sizes.questions)
        )
        with server.running() as running:
            results = run(running, makers, corpus, sizes, _command(options))
    report.write(results, folder)
    console = Console()
    console.print(report.ratios(results), exhibit.table(results["exhibit"]))
    inside = folder.is_relative_to(ROOT)
    console.print(f"Written to {folder.relative_to(ROOT) if inside else folder}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try it")
    parser.add_argument("--million", action="store_true", help="grow up to 1,000,000 lessons")
    parser.add_argument("--data", type=Path, help="conversations of LoCoMo, see locomo.py")
    parser.add_argument(
        "--systems", nargs="+", choices=catalogue.ALL, default=list(catalogue.ALL), metavar="NAME"
    )
    parser.add_argument("--growth", nargs="+", type=int, metavar="LESSONS", help="sizes to grow to")
    parser.add_argument("--out", type=Path, help="folder of the report")
    return parser.parse_args()


def _sizes(options: argparse.Namespace) -> Sizes:
    sizes = QUICK if options.quick else Sizes()
    if options.growth:
        sizes = replace(sizes, growth=tuple(sorted(options.growth)))
    if options.million:
        sizes = replace(sizes, growth=(*sizes.growth, 1_000_000))
    return sizes


def _command(options: argparse.Namespace) -> str:
    """As it would be typed, without paths of this machine."""
    arguments = [name for name in ("quick", "million") if getattr(options, name)]
    if options.growth:
        arguments.append(" ".join(["growth", *map(str, options.growth)]))
    given = " ".join(f"--{name}" for name in arguments)
    parts = ["make bench"]
    if options.data:
        parts.append(f"DATA={options.data.name}")
    if given:
        parts.append(f"ARGS='{given}'")
    return " ".join(parts)


if __name__ == "__main__":
    main()
