"""Lines as SVG that can be read on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from reproduction.frame import Chart
from reproduction.rules import Line
from tierwright.advise.report._charts import Axis
from tierwright.common.units import format_number

WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 80.0, 16.0, 40.0, 48.0
COLOURS = ("#2a6fdb", "#d9480f", "#2b8a3e", "#9c36b5", "#c2255c", "#5c7cfa", "#868e96")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3")
STYLE = (
    "text{font:12px sans-serif;fill:#343a40}.a{fill:#343a40}.g{stroke:#adb5bd;stroke-opacity:.4}"
    "path{fill:none;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ced4da}}"
)
LETTER = 6.6
GAP = 34.0


def drawn(chart: Chart, lines: Mapping[str, Line], title: str) -> str:
    """Return the picture of some lines."""
    shown = {name: lines[name] for name in chart.lines or lines}
    points = [point for line in shown.values() for point in line]
    xs, ys = (_axis([point[at] for point in points], chart) for at in (0, 1))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + xs.share(x) * (right - LEFT),
            bottom - ys.share(y) * (bottom - TOP),
        )

    parts = [f"<title>{escape(title)}</title><style>{STYLE}</style>"]
    for tick in xs.ticks:
        x, _ = at(tick, ys.least)
        parts.append(
            f'<line class="g" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
        )
        parts.append(_words(x, bottom + 17, format_number(tick), "middle"))
    for tick in ys.ticks:
        _, y = at(xs.least, tick)
        parts.append(
            f'<line class="g" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(_words(LEFT - 6, y + 4, format_number(tick), "end"))
    across = chart.across + (", logarithmic" if xs.is_log else "")
    up = chart.up + (", logarithmic" if ys.is_log else "")
    parts.append(_words((LEFT + right) / 2, HEIGHT - 10, across, "middle"))
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text text-anchor="middle" transform="translate(14 {middle:.0f}) rotate(-90)">{escape(up)}</text>'
    )
    legend = LEFT
    for number, (name, line) in enumerate(shown.items()):
        colour, dash = COLOURS[number % 7], DASHES[number % 7]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*p) for p in line))
        parts.append(f'<path d="M{path}" stroke="{colour}"{dashed}/>')
        for point in line:
            x, y = at(*point)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>')
        parts.append(
            f'<path d="M{legend:.0f} 18L{legend + 22:.0f} 18" stroke="{colour}"{dashed}/>'
        )
        parts.append(_words(legend + 27, 22, name, "start"))
        legend += 27 + LETTER * len(name) + GAP / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(WIDTH, legend):.0f} {HEIGHT:.0f}" role="img">'
        + "".join(parts)
        + "</svg>\n"
    )


def _axis(values: list[float], chart: Chart) -> Axis:
    if not chart.is_linear:
        return Axis.of(values)
    space = 0.05 * (max(values) - min(values))
    return Axis(min(values) - space, max(values) + space, is_log=False)


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
