"""The page and the charts that a run leaves."""

import json
from xml.etree import ElementTree

import pytest

from scripts.bench import report
from scripts.bench.charts import bars, lines

RESULTS = {
    "command": "make bench",
    "corpus": "LoCoMo",
    "machine": {"cores": "2"},
    "versions": {"postgresql": "18.4"},
    "sizes": {
        "lessons": 100, "tenants": 10, "questions": 50, "writers": 16, "contradiction_rounds": 2,
    },
    "systems": {
        "tributary": {
            "name": "Tributary", "version": "1", "singly": 30.0, "bulk": 40.0, "p50_ms": 2.0,
            "p95_ms": 3.0, "evidence": 0.6, "kept_mean": 1.0, "kept_most": 1,
            "growth": [
                {"lessons": 1_000, "p50_ms": 2.0, "p95_ms": 2.5, "recall": 1.0},
                {"lessons": 10_000, "p50_ms": 5.0, "p95_ms": 6.0, "recall": 0.99},
            ],
        },
        "peer": {
            "name": "Peer & Sons", "version": "2", "singly": 90.0, "bulk": 400.0, "p50_ms": 5.0,
            "p95_ms": 9.0, "evidence": 0.45, "kept_mean": 16.0, "kept_most": 16, "growth": [],
        },
    },
    "exhibit": [{"system": "obvious design", "clients": 8, "rounds": 150, "split": 15}],
}  # fmt: skip


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.text]


def test_the_page_gives_each_system_beside_ours_and_shows_every_chart():
    drawn = report.charts(RESULTS)
    page = report.page(RESULTS, drawn)
    assert "| Peer & Sons | 2 | 90 | 400 | 5.00 | 9.00 | 2.50 | 0.450 |" in page
    assert "| Peer & Sons | 16.00 | 16 |" in page
    assert "| obvious design | 8 | 150 | 15 |" in page
    assert "| Tributary | 2.00 (1.000) | 5.00 (0.990) | 2.5 times |" in page
    assert sorted(drawn) == ["contradictions.svg", "evidence.svg", "growth.svg", "search.svg"]
    assert all(f"({name})" in page for name in drawn)


def test_without_a_file_of_locomo_the_page_says_that_evidence_was_not_measured():
    systems = {key: {**one, "evidence": None} for key, one in RESULTS["systems"].items()}
    made = {**RESULTS, "corpus": "made", "systems": systems}
    assert "evidence.svg" not in report.charts(made)
    assert "evidence recall was not measured" in report.page(made, [])


def test_the_folder_holds_the_page_the_charts_and_the_results(tmp_path):
    report.write(RESULTS, tmp_path / "new")
    assert json.loads((tmp_path / "new" / "results.json").read_text()) == RESULTS
    for svg in (tmp_path / "new").glob("*.svg"):
        assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert (tmp_path / "new" / "README.md").exists()


def test_a_bar_is_as_long_as_its_value_and_names_are_escaped():
    svg = bars("Title", {"a < b": 1.0, "ours": 2.0}, ours="ours")
    rects = [one for one in ElementTree.fromstring(svg) if one.tag.endswith("rect")]
    short, long = (float(one.get("width")) for one in rects)
    assert long == pytest.approx(2 * short, rel=0.01)
    assert rects[0].get("fill") != rects[1].get("fill")
    assert "a < b" in texts(svg)


def test_lines_rise_with_their_values_and_their_names_do_not_overlap():
    svg = lines(
        "Title", "lessons", {"one": [(10, 1.0), (100, 9.0)], "two": [(10, 1.0), (100, 9.1)]}
    )
    drawn = ElementTree.fromstring(svg)
    (first, _) = (one for one in drawn if one.tag.endswith("polyline"))
    (_, low), (_, high) = (map(float, pair.split(",")) for pair in first.get("points").split())
    assert high < low
    heights = [float(one.get("y")) for one in drawn if one.text in ("one", "two")]
    assert abs(heights[0] - heights[1]) >= 17
    assert {"10", "100", "lessons"} <= set(texts(svg))
