"""Charts of a report as SVG: money against I/O time, and what is not known of the answer as bars."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.advise.report._figures import time, usd
from tierwright.advise.report._markup import Markup, joined, tag
from tierwright.common.units import format_number

_WIDTH = 640.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 76.0, 20.0, 44.0, 56.0
_HEIGHT = 380.0
_RATIO_OF_LOGARITHMS = 10
"""Largest over least from which an axis is logarithmic."""
_BELOW_LEAST = 3
"""How much lower than the least value above 0 a logarithmic axis begins where some values are 0, as on the page."""
_TICKS = 5
_MOST_TICKS = 8
_LEGEND_GAP = 26.0
_LETTER = 6.9
"""Width of a letter of the charts, for what stands side by side."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie along a line."""

    least: float
    largest: float
    is_log: bool

    @classmethod
    def of_options(cls, values: Sequence[float]) -> Axis:
        """Return the logarithmic axis of a chart of options, by the rule of the page; linear where nothing is above 0.

        Options of one question lie decades apart, and what there is today further still: a linear axis shows one of them.
        """
        above = [value for value in values if value > 0]
        if not above:
            return cls.of(values)
        least = min(above)
        if len(above) < len(values):
            least /= _BELOW_LEAST
        return cls(least / 1.25, max(above) * 1.25, is_log=True)

    @classmethod
    def of(cls, values: Sequence[float]) -> Axis:
        """Return the axis that shows these values with some space around them."""
        least, largest = min(values), max(values)
        if least > 0 and largest / least >= _RATIO_OF_LOGARITHMS:
            return cls(least / 1.25, largest * 1.25, is_log=True)
        space = 0.08 * (largest - least) or max(abs(least) * 0.1, 1.0)
        low = least - space
        return cls(0.0 if low < 0 <= least else low, largest + space, is_log=False)

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1; what a logarithmic axis has no place for, at its beginning."""
        if self.is_log:
            if value <= 0:
                return 0.0
            return math.log(value / self.least) / math.log(self.largest / self.least)
        return (value - self.least) / (self.largest - self.least)

    @property
    def ticks(self) -> list[float]:
        """Round values in the range."""
        if not self.is_log:
            return self._steps()
        found = self._powers((1, 2, 5))
        if len(found) > _MOST_TICKS:
            found = self._powers((1,))
        # Within a factor of two or so there may be none of these.
        return found if len(found) > 1 else self._steps()

    def _steps(self) -> list[float]:
        rough = (self.largest - self.least) / _TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
        first = math.ceil(self.least / step)
        last = math.floor(self.largest / step)
        return [at * step for at in range(first, last + 1)]

    def _powers(self, digits: Sequence[int]) -> list[float]:
        lowest = math.floor(math.log10(self.least))
        highest = math.ceil(math.log10(self.largest))
        found = [
            digit * 10.0**power
            for power in range(lowest, highest + 1)
            for digit in digits
        ]
        return [each for each in found if self.least <= each <= self.largest]


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind."""

    name: str
    kind: str
    points: Sequence[tuple[float, float]]


def _words(x: float, y: float, value: str, anchor: str, class_: str = "") -> Markup:
    return tag("text", value, x=x, y=y, text_anchor=anchor, class_=class_ or None)


def _mark(kind: str, x: float, y: float) -> Markup:
    """Return a mark whose shape, not only whose colour, says what it is."""
    half = 6.5
    shapes: Mapping[str, Callable[[], Markup]] = {
        "best": lambda: tag(
            "path",
            d=f"M{x:.1f} {y - 9:.1f}L{x + 9:.1f} {y:.1f}L{x:.1f} {y + 9:.1f}L{x - 9:.1f} {y:.1f}Z",
            class_="best",
        ),
        "today": lambda: tag(
            "rect", x=x - half, y=y - half, width=13, height=13, class_="today"
        ),
        "close": lambda: tag("circle", cx=x, cy=y, r=8, class_="close"),
        "front": lambda: tag("circle", cx=x, cy=y, r=4.5, class_="front"),
    }
    return shapes[kind]()


def at_edges(series: Sequence[Series]) -> Iterator[str]:
    """Say where a chart of options draws what a logarithmic axis has no place for."""
    every = [point for each in series for point in each.points]
    for at, words in (
        (1, "What takes no I/O time is drawn at the lower edge."),
        (0, "What costs nothing is drawn at the left edge."),
    ):
        values = [point[at] for point in every]
        if min(values) <= 0 < max(values):
            yield words


def front_chart(series: Sequence[Series], title: str, description: str) -> Markup:
    """Draw options by cost per month and I/O time of an access.

    Parameters
    ----------
    series : sequence of Series
        In USD/month and µs; those behind are drawn over those before. At least one point.
    title, description : str
        Of the chart, for those who do not see it.
    """
    every = [point for each in series for point in each.points]
    across = Axis.of_options([x for x, _ in every])
    up = Axis.of_options([y for _, y in every])
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + across.share(x) * (right - _LEFT),
            bottom - up.share(y) * (bottom - _TOP),
        )

    parts: list[str] = [tag("title", title), tag("desc", description)]
    for tick in across.ticks:
        x, _ = at(tick, up.least)
        parts.append(tag("line", x1=x, x2=x, y1=_TOP, y2=bottom, class_="grid"))
        parts.append(_words(x, bottom + 18, format_number(tick), "middle"))
    for tick in up.ticks:
        _, y = at(across.least, tick)
        parts.append(tag("line", x1=_LEFT, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(_words(_LEFT - 8, y + 4, format_number(tick), "end"))
    parts.append(
        _words(
            (_LEFT + right) / 2,
            _HEIGHT - 10,
            "cost [USD per month]" + (", logarithmic" if across.is_log else ""),
            "middle",
            "axis",
        )
    )
    middle = (_TOP + bottom) / 2
    parts.append(
        tag(
            "text",
            "I/O time per access [µs]" + (", logarithmic" if up.is_log else ""),
            transform=f"translate(16 {middle:.0f}) rotate(-90)",
            text_anchor="middle",
            class_="axis",
        )
    )
    legend = _LEFT
    for each in series:
        if each.kind == "front":
            line = "L".join(
                f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in each.points)
            )
            parts.append(tag("path", d=f"M{line}", class_="through"))
        parts.extend(_mark(each.kind, *at(*point)) for point in each.points)
        parts.append(_mark(each.kind, legend + 6, 16))
        parts.append(_words(legend + 20, 20.5, each.name, "start"))
        legend += 20 + _LETTER * len(each.name) + _LEGEND_GAP
    return _svg(_HEIGHT, parts)


_ROW = 62.0
_SIDE = 104.0
_BEGIN = 34.0
_HALF_OF_BASE = 140.0
"""Half the width of the words about the recommendation."""
_LONGEST = 78


@dataclass(frozen=True, slots=True)
class Measure:
    """What tells options apart, and how it is written of one."""

    key: str
    """Of the value in a bar, before its end."""
    of: str
    """Of the value in an option."""
    write: Callable[[Any], str]
    unit: str
    does: str
    words: str

    def said(self, value: Any) -> str:
        """Write a value with its unit."""
        return f"{self.write(value)}{self.unit}"

    @property
    def title(self) -> str:
        """Begin of a title."""
        return self.words[0].upper() + self.words[1:]

    @property
    def column(self) -> str:
        """Head of a column of such values."""
        return f"{self.words}{self.within}"

    @property
    def within(self) -> str:
        """The unit in brackets, where it does not stand with each value."""
        return f" [{self.unit.strip()}]" if self.unit else ""

    def ends(self, bar: Mapping[str, Any]) -> list[Any]:
        """Return what there is at the ends of a bar; at one without an option there is nothing."""
        both = (bar[f"{self.key}_low"], bar[f"{self.key}_high"])
        return [each for each in both if each is not None]


MONEY = Measure(
    "usd_per_month",
    "usd_per_month",
    usd,
    " USD per month",
    "costs",
    "cost",
)
TIME = Measure(
    "io_time_us", "io_time_us_per_access", time, "", "takes", "I/O time per access"
)


def tornado_chart(
    bars: Sequence[Mapping[str, Any]],
    recommended: Decimal | float,
    measure: Measure,
    title: str,
    description: str,
) -> Markup:
    """Draw what the best option would cost, or take, at both ends of each input that is not known.

    Parameters
    ----------
    bars : sequence of mapping
        Of an advice; at an end without an option there is no amount.
    recommended : Decimal or float
        What the recommendation costs, or takes. [USD/month or µs]
    measure : Measure
    title, description : str
        Of the chart, for those who do not see it.
    """
    base = float(recommended)
    ends = [measure.ends(bar) for bar in bars]
    axis = Axis.of([base, *(float(value) for each in ends for value in each)])
    height = _BEGIN + _ROW * len(bars) + 30

    def at(value: float) -> float:
        return _SIDE + axis.share(value) * (_WIDTH - 2 * _SIDE)

    parts: list[str] = [tag("title", title), tag("desc", description)]
    for number, (bar, found) in enumerate(zip(bars, ends, strict=True), 1):
        top = _BEGIN + _ROW * (number - 1)
        label = textwrap.shorten(bar["about"], _LONGEST, placeholder=" …")
        parts.append(_words(0, top + 14, f"{number}. {label}", "start"))
        values = [base, *map(float, found)]
        low, high = min(values), max(values)
        width = max(at(high) - at(low), 1.0)
        parts.append(
            tag("rect", x=at(low), y=top + 24, width=width, height=20, class_="bar")
        )
        if low < base:
            parts.append(
                _words(at(low) - 6, top + 39, measure.write(min(found)), "end")
            )
        if high > base:
            parts.append(
                _words(at(high) + 6, top + 39, measure.write(max(found)), "start")
            )
        elif len(found) == 1:
            parts.append(_words(at(high) + 6, top + 39, "no option", "start"))
        parts.append(
            tag(
                "line",
                x1=at(base),
                x2=at(base),
                y1=top + 19,
                y2=top + 49,
                class_="base",
            )
        )
    parts.append(
        _words(
            min(max(at(base), _HALF_OF_BASE), _WIDTH - _HALF_OF_BASE),
            height - 8,
            f"recommended: {measure.said(recommended)}",
            "middle",
            "axis",
        )
    )
    parts.append(
        _words(
            0,
            14,
            f"{measure.title} of the best option{measure.within}",
            "start",
            "axis",
        )
    )
    return _svg(height, parts)


def _svg(height: float, parts: Sequence[str]) -> Markup:
    return tag(
        "svg",
        joined(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH:.0f} {height:.0f}",
        role="img",
    )
