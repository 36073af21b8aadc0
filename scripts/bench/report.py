"""docs/benchmarks/ from the results of a run: a page, charts, and the results themselves."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from scripts.bench.charts import bars, lines
from scripts.bench.systems.catalogue import OURS

NOTES = Path(__file__).with_name("notes.md")

Results = dict[str, Any]  # see scripts/bench/run.py


def write(results: Results, folder: Path) -> None:
    """README.md, results.json and the charts."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = charts(results)
    for name, svg in drawn.items():
        (folder / name).write_text(svg, encoding="utf-8")
    (folder / "README.md").write_text(page(results, drawn), encoding="utf-8")
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def charts(results: Results) -> dict[str, str]:
    """SVG by file name, in the order of the page; what was not measured has none."""
    systems, ours = results["systems"], results["systems"].get(OURS, {}).get("name", "")
    drawn = {}

    def values(key: str) -> dict[str, float]:
        found = {one["name"]: one[key] for one in systems.values() if one.get(key) is not None}
        return dict(sorted(found.items(), key=lambda pair: pair[1]))

    if p50 := values("p50_ms"):
        drawn["search.svg"] = bars("Search, median in milliseconds (less is better)", p50, ours)
    if evidence := values("evidence"):
        best_first = dict(reversed(evidence.items()))
        title = "Evidence found in the first ten, LoCoMo (more is better)"
        drawn["evidence.svg"] = bars(title, best_first, ours, "{:.3f}")
    if kept := values("kept_mean"):
        title = f"Of {results['sizes']['writers']} contradicting values, how many stay (1 is right)"
        drawn["contradictions.svg"] = bars(title, kept, ours, "{:.1f}")
    series = {
        one["name"]: [(row["lessons"], row["p50_ms"]) for row in one["growth"]]
        for one in systems.values()
        if one.get("growth")
    }
    if series:
        title = "Search as one tenant grows, median in milliseconds"
        drawn["growth.svg"] = lines(title, "lessons", series)
    return drawn


def page(results: Results, drawn: Iterable[str]) -> str:
    """The Markdown page."""
    parts = [
        "# Benchmarks",
        (
            "Made by `make bench`; one run, one machine. Read ratios, not figures. The command"
            f" was:\n\n```sh\n{results['command']}\n```"
        ),
        *_search(results),
        *_contradictions(results),
        *_growth(results),
        *(f"![{Path(name).stem}]({name})" for name in drawn),
        NOTES.read_text(encoding="utf-8").strip(),
        "## Machine and versions",
        markdown(("", ""), [*results["machine"].items(), *results["versions"].items()]),
    ]
    return "\n\n".join(parts) + "\n"


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lined = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in lined)


def ratios(results: Results) -> Table:
    """Each system against ours, for the terminal."""
    table = Table(
        "system", "ingest", "in bulk", "search p50", "p95", "evidence@10", "values kept",
        title=f"{results['corpus']}: ratios to ours; evidence as a difference",
    )  # fmt: skip
    ours = results["systems"].get(OURS, {})
    for one in results["systems"].values():
        table.add_row(
            one["name"],
            *(_ratio(one, ours, key) for key in ("singly", "bulk", "p50_ms", "p95_ms")),
            _difference(one, ours),
            _number(one, "kept_mean", "{:.1f}"),
            style="bold" if one is ours else "",
        )
    return table


def _search(results: Results) -> list[str]:
    heads = ("system", "version", "stored/s, one by one", "in bulk", "search p50 ms", "p95 ms",
             "p50 against ours", "evidence recall@10")  # fmt: skip
    ours = results["systems"].get(OURS, {})
    rows = [
        (
            one["name"], one["version"], _number(one, "singly", "{:.0f}"),
            _number(one, "bulk", "{:.0f}"), _number(one, "p50_ms"), _number(one, "p95_ms"),
            _ratio(one, ours, "p50_ms"), _number(one, "evidence", "{:.3f}"),
        )
        for one in results["systems"].values()
    ]  # fmt: skip
    sizes = results["sizes"]
    said = (
        f"{sizes['lessons']:,} lessons of {sizes['tenants']} tenants ({results['corpus']}),"
        f" {sizes['questions']:,} questions, the ten best asked for. Vectors were made before, and"
        " are the same for everybody: the embedding model is in none of these figures."
    )
    if results["corpus"] != "LoCoMo":
        said += (
            " No LoCoMo file was given (`make bench DATA=...`), so evidence recall was not"
            " measured."
        )
    return ["## Storing and searching", said, markdown(heads, rows)]


def _contradictions(results: Results) -> list[str]:
    sizes = results["sizes"]
    rows = [
        (one["name"], _number(one, "kept_mean", "{:.2f}"), one.get("kept_most", "-"))
        for one in results["systems"].values()
        if one.get("kept_mean") is not None
    ]
    parts = ["## Contradictions"]
    if rows:
        parts += [
            (
                f"{sizes['writers']} writers state {sizes['writers']} different values of one thing"
                f" at the same moment, {sizes['contradiction_rounds']} times. How many of them"
                " a search for it still finds:"
            ),
            markdown(("system", "mean", "most"), rows),
        ]
    if results.get("exhibit"):
        heads = ("design", "clients", "rounds", "rounds with more than one truth")
        shown = [
            (one["system"], one["clients"], one["rounds"], one["split"])
            for one in results["exhibit"]
        ]
        parts += [
            (
                "The obvious design (SERIALIZABLE, with the HNSW search inside the transaction)"
                " beside Tributary, on fresh topics among 3,000 lessons; the schedule that splits"
                " one is forced by `tests/postgres/test_obvious_design.py`:"
            ),
            markdown(heads, shown),
        ]
    return parts


def _growth(results: Results) -> list[str]:
    grown = {key: one for key, one in results["systems"].items() if one.get("growth")}
    if not grown:
        return []
    sizes = [row["lessons"] for row in next(iter(grown.values()))["growth"]]
    heads = ["system", *(f"{size:,}" for size in sizes), "grows"]
    rows = []
    for one in grown.values():
        times = [row["p50_ms"] for row in one["growth"]]
        cells = [f"{row['p50_ms']:.2f} ({row['recall']:.3f})" for row in one["growth"]]
        rows.append((one["name"], *cells, f"{times[-1] / times[0]:.1f} times"))
    return [
        "## Growth",
        (
            "Search p50 in milliseconds with so many lessons in one tenant of a made corpus, and in"
            " brackets recall@10 against an exact scan of the vectors (asked without words that any"
            " lesson has, so that hybrid searches rank by meaning too)."
        ),
        markdown(heads, rows),
    ]


def _number(one: Mapping[str, Any], key: str, form: str = "{:.2f}") -> str:
    return "-" if one.get(key) is None else form.format(one[key])


def _ratio(one: Mapping[str, Any], ours: Mapping[str, Any], key: str) -> str:
    if not one.get(key) or not ours.get(key):
        return "-"
    return f"{one[key] / ours[key]:.2f}"


def _difference(one: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    if one.get("evidence") is None or ours.get("evidence") is None:
        return "-"
    return f"{one['evidence'] - ours['evidence']:+.3f}"
