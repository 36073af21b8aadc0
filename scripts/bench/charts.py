"""Small SVG charts: bars, and lines on two logarithmic axes.

The background is transparent and the greys are of middle lightness, so that they read on a light
and on a dark page. Sizes are in pixels.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH = 760
INK = "#7d8590"
GRID = "#7d859040"
OURS = "#1f883d"
OTHERS = "#6e88a8"
LINES = (OURS, "#d29922", "#388bfd", "#db61a2", "#a371f7", "#e5534b", "#39a7a7")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3")
FONT = "font-family='-apple-system,Segoe UI,Helvetica,Arial,sans-serif'"

Point = tuple[float, float]


def bars(title: str, values: Mapping[str, float], ours: str, form: str = "{:.2f}") -> str:
    """One horizontal bar a name, in the given order; `ours` stands out."""
    top, row, left, right = 44, 32, 220, 90
    most = max(values.values(), default=1.0) or 1.0
    parts = [_text(16, 24, title, size=15, weight="600")]
    for number, (name, value) in enumerate(values.items()):
        y = top + number * row
        length = max(1.0, (WIDTH - left - right) * value / most)
        colour = OURS if name == ours else OTHERS
        weight = "600" if name == ours else "400"
        parts += [
            _text(left - 10, y + 15, name, anchor="end", weight=weight),
            f"<rect x='{left}' y='{y}' width='{length:.1f}' height='20' rx='3' fill='{colour}'/>",
            _text(left + length + 8, y + 15, form.format(value), weight=weight),
        ]
    return _svg(top + len(values) * row + 10, parts)


def lines(title: str, x_name: str, series: Mapping[str, Sequence[Point]]) -> str:
    """One line a name over logarithmic axes; the first stands out. Values are above 0."""
    box = _Box([point for points in series.values() for point in points])
    parts = [_text(16, 24, title, size=15, weight="600"), *box.grid(x_name)]
    ends = _apart([(name, box.place(*points[-1])[1]) for name, points in series.items() if points])
    for number, (name, points) in enumerate(series.items()):
        if not points:
            continue
        colour, dash = LINES[number % len(LINES)], DASHES[number % len(DASHES)]
        placed = [box.place(*point) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        width = 3 if number == 0 else 2
        parts.append(
            f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='{width}'"
            f" stroke-dasharray='{dash}'/>"
        )
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3.5' fill='{colour}'/>" for x, y in placed]
        weight = "600" if number == 0 else "400"
        parts.append(_text(box.right + 12, ends[name] + 4, name, fill=colour, weight=weight))
    return _svg(box.bottom + 50, parts)


class _Box:
    """Where the points of a chart of lines lie."""

    left, right, top, bottom = 70, 560, 44, 330

    def __init__(self, points: Sequence[Point]) -> None:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self._x = (math.log10(min(xs)), math.log10(max(xs)))
        self._y = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))))
        self._xs = sorted(set(xs))

    def place(self, x: float, y: float) -> Point:
        return (
            self.left + (self.right - self.left) * _part(math.log10(x), self._x),
            self.bottom - (self.bottom - self.top) * _part(math.log10(y), self._y),
        )

    def grid(self, x_name: str) -> list[str]:
        parts = []
        for power in range(int(self._y[0]), int(self._y[1]) + 1):
            y = self.place(self._xs[0], 10.0**power)[1]
            parts += [
                (
                    f"<line x1='{self.left}' x2='{self.right}' y1='{y:.1f}' y2='{y:.1f}'"
                    f" stroke='{GRID}'/>"
                ),
                _text(self.left - 8, y + 4, f"{10.0**power:,g}", anchor="end"),
            ]
        for x in self._xs:
            across = self.place(x, 10.0 ** self._y[0])[0]
            parts.append(_text(across, self.bottom + 20, f"{x:,.0f}", anchor="middle"))
        middle = (self.left + self.right) / 2
        parts.append(_text(middle, self.bottom + 40, x_name, anchor="middle"))
        return parts


def _part(value: float, ends: tuple[float, float]) -> float:
    return (value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5


def _apart(labels: Sequence[tuple[str, float]], least: float = 17.0) -> dict[str, float]:
    """Heights of labels that do not overlap, near the wanted ones."""
    placed: dict[str, float] = {}
    before = -math.inf
    for name, wanted in sorted(labels, key=lambda label: label[1]):
        before = placed[name] = max(wanted, before + least)
    return placed


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 13,
    fill: str = INK, weight: str = "400",
) -> str:  # fmt: skip
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}' font-weight='{weight}'"
        f" fill='{fill}' text-anchor='{anchor}'>{escape(text)}</text>"
    )


def _svg(height: float, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height:.0f}'"
        f" viewBox='0 0 {WIDTH} {height:.0f}' role='img'>\n{body}\n</svg>\n"
    )
