"""Lines and bars as SVG that can be read on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from reproduction.frame import Bars, Chart, Experiment, figure_of
from reproduction.rules import Line, Outcome, is_named_lowest, published, shown
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
MARKS = (
    ".r{fill:none;stroke:#343a40;stroke-width:1.5;stroke-dasharray:3 2}.m{fill:#fff}.n{fill:#343a40}"
    "@media(prefers-color-scheme:dark){.r{stroke:#ced4da}.n{fill:#ced4da}}"
)
"""Of bars beside the style of all: a range, the mark of the lowest on a bar and in the legend."""
LETTER = 6.6
GAP = 34.0
BAR, STEP, APART = 12.0, 15.0, 9.0
"""Of bars: thickness, from one to the next, between groups. [px]"""
HEAD = 56.0
"""Above the bars of a panel: its unit and the legend. [px]"""
OURS, THEIRS = COLOURS[0], COLOURS[6]


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


@dataclass(frozen=True, slots=True)
class _Bar:
    """A figure of ours, and what its claim states of it: a number, the ends of a range that holds, or that it is lowest."""

    title: str
    ours: float
    number: float | None = None
    range: tuple[float, float] | None = None
    is_lowest: bool = False

    @property
    def words(self) -> str:
        """Say both."""
        said = f"{self.title}: ours {shown(self.ours)}"
        if self.number is not None:
            said += f", published {shown(self.number)}"
        if self.range is not None:
            low, high = self.range
            if not math.isfinite(high):
                said += f", its claim holds above {shown(low)}"
            elif not math.isfinite(low):
                said += f", its claim holds below {shown(high)}"
            else:
                said += f", its claim agrees from {shown(low)} to {shown(high)}"
        return said + (", published as the lowest" if self.is_lowest else "")


def barred(each: Experiment, panels: Sequence[Bars], outcome: Outcome) -> str:
    """Return the picture of single figures, what was published beside each."""
    title = f"{each.shows}: {each.title}"
    parts: list[str] = []
    said: list[str] = []
    top = 0.0
    for panel in panels:
        groups = {
            name: [
                _bar(each, outcome, title_of or name, figure)
                for title_of, figure in figures.items()
            ]
            for name, figures in panel.groups.items()
        }
        drawn_parts, height = _panel(panel, groups, top)
        parts += drawn_parts
        top += height
        for name, bars in groups.items():
            inside = "; ".join(bar.words for bar in bars)
            is_one = len(bars) == 1 and bars[0].title == name
            said.append(inside if is_one else f"{name}: {inside}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {top:.0f}" role="img" '
        f'aria-labelledby="title desc"><title id="title">{escape(title)}</title>'
        f'<desc id="desc">{escape(". ".join(said))}.</desc><style>{STYLE}{MARKS}</style>'
        + "".join(parts)
        + "</svg>\n"
    )


def _bar(each: Experiment, outcome: Outcome, title: str, figure: str) -> _Bar:
    """Return a figure with what the experiment's claims state of it."""
    stated = [published(claim.rule, figure) for claim in each.claims]
    low, high = next((found for found in stated if found), (None, None))
    is_number = low is not None and low == high
    return _Bar(
        title,
        figure_of(outcome, figure),
        number=low if is_number else None,
        range=(low, high)
        if low is not None and high is not None and not is_number
        else None,
        is_lowest=any(is_named_lowest(claim.rule, figure) for claim in each.claims),
    )


def _panel(
    panel: Bars, groups: Mapping[str, Sequence[_Bar]], top: float
) -> tuple[list[str], float]:
    """Return the parts of a panel, and its height. [px]"""
    every = [bar for bars in groups.values() for bar in bars]
    ends = [bar.ours for bar in every]
    ends += [bar.number for bar in every if bar.number is not None]
    ends += [x for bar in every for x in bar.range or () if math.isfinite(x)]
    axis = _of_bars(ends, is_log=panel.is_log)
    zero = axis.least if panel.is_log else 0.0
    are_grouped = any(len(bars) > 1 for bars in groups.values())
    names = [*groups, *(bar.title for bar in every)]
    indent = LETTER * 2 if are_grouped else 0.0
    left = min(0.5 * WIDTH, 16 + indent + LETTER * max(map(len, names)))
    right = WIDTH - RIGHT

    def at(value: float) -> float:
        inside = min(max(value, axis.least), axis.largest)
        return left + axis.share(inside) * (right - left)

    y = top + HEAD
    parts: list[str] = []
    for name, bars in groups.items():
        if len(bars) > 1 or bars[0].title != name:
            parts.append(_words(8, y + 10, name, "start"))
            y += STEP
        for bar in bars:
            parts.append(_words(left - 6, y + 10, bar.title, "end"))
            if bar.number is not None:
                parts += _rect(at(zero), at(bar.number), y, THEIRS, shown(bar.number))
                y += STEP
            parts += _rect(at(zero), at(bar.ours), y, OURS, shown(bar.ours))
            if bar.range is not None:
                x0, x1 = (at(end) for end in bar.range)
                parts.append(
                    f'<rect class="r" x="{x0:.1f}" y="{y - 0.5:.1f}" width="{max(2.0, x1 - x0):.1f}" height="{BAR + 1:.0f}"/>'
                )
            if bar.is_lowest:
                parts.append(
                    f'<path class="m" d="M{at(zero) + 5:.1f} {y + 2:.1f}l8 0l-4 8z"/>'
                )
            y += STEP
        y += APART
    bottom = y - APART + 4
    grid = []
    for tick in axis.ticks:
        grid.append(
            f'<line class="g" x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="{top + HEAD - 6:.1f}" y2="{bottom:.1f}"/>'
        )
        grid.append(_words(at(tick), bottom + 15, format_number(tick), "middle"))
    of = panel.of + (", logarithmic" if panel.is_log else "")
    grid.append(_words(8, top + 18, of, "start"))
    return [*grid, *_legend(every, top + 38), *parts], bottom + 28 - top


def _of_bars(ends: Sequence[float], *, is_log: bool) -> Axis:
    """Return the axis of bars with space for their figures."""
    if is_log:
        return Axis(min(ends) / 2, max(ends) * 2, is_log=True)
    low, high = min(0.0, *ends), max(0.0, *ends)
    space = 0.15 * (high - low or 1.0)
    return Axis(low - (space if low < 0 else 0.0), high + space, is_log=False)


def _rect(zero: float, end: float, y: float, colour: str, figure: str) -> list[str]:
    low, high = sorted((zero, end))
    anchor, x = ("start", high + 5) if end >= zero else ("end", low - 5)
    return [
        f'<rect x="{low:.1f}" y="{y:.1f}" width="{max(0.5, high - low):.1f}" height="{BAR:.0f}" fill="{colour}"/>',
        _words(x, y + 10, figure, anchor),
    ]


def _legend(bars: Sequence[_Bar], y: float) -> list[str]:
    """Return what the marks mean, of those that are there."""
    box = f'width="16" height="10" y="{y - 9:.0f}"'
    marks = [(f'<rect {box} x="{{x:.0f}}" fill="{OURS}"/>', "ours")]
    if any(bar.number is not None for bar in bars):
        marks.append((f'<rect {box} x="{{x:.0f}}" fill="{THEIRS}"/>', "published"))
    if any(bar.range is not None for bar in bars):
        marks.append(
            (f'<rect class="r" {box} x="{{x:.0f}}"/>', "what agrees with its claim")
        )
    if any(bar.is_lowest for bar in bars):
        marks.append(
            (
                f'<path class="n" d="M{{x:.0f}} {y - 8:.0f}l8 0l-4 8z"/>',
                "published as the lowest",
            )
        )
    parts, x = [], 8.0
    for mark, words in marks:
        parts.append(mark.format(x=x))
        parts.append(_words(x + 21, y, words, "start"))
        x += 27 + LETTER * len(words) + GAP / 2
    return parts


def _axis(values: list[float], chart: Chart) -> Axis:
    if not chart.is_linear:
        return Axis.of(values)
    space = 0.05 * (max(values) - min(values))
    return Axis(min(values) - space, max(values) + space, is_log=False)


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
