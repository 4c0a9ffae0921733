"""Rules by which a published claim is compared with our figures.

A verdict is computed, never stated: `agrees` where published numbers are met within the stated tolerance, `same shape` where
the direction, the order or the crossing is the published one and what has a number is within a stated factor of it, `differs`
otherwise. A bound is kept or it is not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tierwright.common.units import format_number

Verdict = Literal["agrees", "same shape", "differs"]
AGREES: Verdict = "agrees"
SAME_SHAPE: Verdict = "same shape"
DIFFERS: Verdict = "differs"
VERDICTS: tuple[Verdict, ...] = (AGREES, SAME_SHAPE, DIFFERS)
"""The best first."""
CROSSING_FACTOR = 4.0
"""How far a crossing may lie from the published range and still be about there."""
EFFECT_FACTOR = 3.0
"""How many times smaller or larger a number or an effect may be than the published one and still have its shape."""
AGREEMENT = 0.02
"""How far ours may lie from a published number and agree with it, unless that was printed with fewer digits. [1]"""
EFFECT_AGREEMENT = 0.25
"""How far the distance of ours from where nothing would be gained may be from the published one and agree with it. [1]"""
CLEAR = 1e-9
"""Relative difference below which two figures are equal."""

Line = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What we computed: single figures, and lines of points (x, y), by name."""

    values: Mapping[str, float]
    lines: Mapping[str, Line]

    def line(self, name: str, within: tuple[float, float] | None = None) -> Line:
        """Return the points of a line, those with x within both ends where they are given."""
        low, high = within or (-math.inf, math.inf)
        return [point for point in self.lines[name] if low <= point[0] <= high]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and our figures that it rests on, in words."""

    verdict: Verdict
    ours: str


class Rule(Protocol):
    """A way of comparing."""

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ...


def shown(value: float) -> str:
    """Return a figure in words."""
    return format_number(value) if math.isfinite(value) else "none"


def _listed(pairs: Iterator[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in pairs)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Published numbers by the name of our figure.

    `agrees` if each of ours is within `AGREEMENT` of it, or `within` where that is less, or rounds to it; `same shape` if
    there are several, any two that are published as more than that apart are in the same order, and each is within
    `EFFECT_FACTOR` of its published number; otherwise `differs`.

    Attributes
    ----------
    published : mapping
        The numbers.
    within : float
        At most `AGREEMENT`. [1]
    rounded : mapping
        Of numbers that were printed with few digits: half of a unit of the last one.
    """

    published: Mapping[str, float]
    within: float = AGREEMENT
    rounded: Mapping[str, float] = field(default_factory=dict)

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ours = {name: outcome.values[name] for name in self.published}
        text = _listed(iter(ours.items()))
        if all(
            _meets(ours[name], number, self.within, self.rounded.get(name, 0.0))
            for name, number in self.published.items()
        ):
            return Judged(AGREES, text)
        pairs = [
            (a, b)
            for a, b in itertools.permutations(self.published, 2)
            if self.published[a] > self.published[b]
            and self.published[a] - self.published[b]
            > self.within * abs(self.published[a])
        ]
        same = (
            bool(pairs)
            and all(ours[a] > ours[b] for a, b in pairs)
            and all(
                number / EFFECT_FACTOR <= ours[name] <= number * EFFECT_FACTOR
                for name, number in self.published.items()
            )
        )
        return Judged(SAME_SHAPE if same else DIFFERS, text)


def _meets(ours: float, number: float, within: float, rounded: float) -> bool:
    """Return whether ours agrees with a published number."""
    return abs(ours - number) <= max(within * abs(number), rounded) + CLEAR


@dataclass(frozen=True, slots=True)
class Near:
    """A published number of an effect.

    `agrees` as `Numbers`, unless its distance from `neutral`, where nothing would have been gained or lost, is more than
    `EFFECT_AGREEMENT` off the published one: 95 % of hits are within 2 % of 97 %, and their misses are not. `same shape` on
    the same side of `neutral`, and within `EFFECT_FACTOR` of the published distance from it; without a `neutral`, never.
    """

    name: str
    number: float
    neutral: float | None = 1.0
    rounded: float = 0.0

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ours = outcome.values[self.name]
        if _meets(ours, self.number, AGREEMENT, self.rounded) and (
            self.neutral is None
            or _meets(
                ours - self.neutral,
                self.number - self.neutral,
                EFFECT_AGREEMENT,
                self.rounded,
            )
        ):
            return Judged(AGREES, f"{self.name} {shown(ours)}")
        return _of_effect(self.name, ours, (self.number, self.number), self.neutral)


@dataclass(frozen=True, slots=True)
class Between:
    """A figure that was published as a range, or with one end of it as a bound.

    `agrees` within it; `same shape` as `Near`, of its nearer end, but of a bound never: it is kept or it is not.
    """

    name: str
    low: float
    high: float
    neutral: float | None = 1.0

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ours = outcome.values[self.name]
        if self.low <= ours <= self.high:
            return Judged(AGREES, f"{self.name} {shown(ours)}")
        return _of_effect(self.name, ours, (self.low, self.high), self.neutral)


def _of_effect(
    name: str, ours: float, published: tuple[float, float], neutral: float | None
) -> Judged:
    """Judge a figure outside the published range by the side and the size of its effect."""
    text = f"{name} {shown(ours)}"
    low, high = published
    is_bound = math.isinf(low) or math.isinf(high)
    if is_bound or neutral is None or low <= neutral <= high:
        return Judged(DIFFERS, text)
    sign = 1 if low > neutral else -1
    ends = sorted(sign * (end - neutral) for end in published)
    effect = sign * (ours - neutral)
    near = ends[0] / EFFECT_FACTOR <= effect <= ends[1] * EFFECT_FACTOR
    return Judged(SAME_SHAPE if near else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class Side:
    """A figure of which only the side of a bound was published, or none but a direction: `same shape` if it lies there."""

    name: str
    bound: float
    side: Literal["above", "below"]

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ours = outcome.values[self.name]
        holds = ours > self.bound if self.side == "above" else ours < self.bound
        return Judged(SAME_SHAPE if holds else DIFFERS, f"{self.name} {shown(ours)}")


@dataclass(frozen=True, slots=True)
class Order:
    """Lines of which each lies at or below the next one, at every common x (within both ends, if given).

    `same shape` if so; where a `slack` is given, a line may exceed the next one by this share of it.
    """

    rising: tuple[str, ...]
    within: tuple[float, float] | None = None
    slack: float = 0.0

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        lines = [dict(map(tuple, outcome.line(n, self.within))) for n in self.rising]  # type: ignore[arg-type]
        places = sorted(set.intersection(*(set(line) for line in lines)))
        kept = [
            x
            for x in places
            if all(
                a[x] <= b[x] + self.slack * abs(b[x]) + CLEAR * abs(b[x])
                for a, b in itertools.pairwise(lines)
            )
        ]
        text = f"{' ≤ '.join(self.rising)} at {len(kept)} of {len(places)} points"
        holds = bool(places) and len(kept) == len(places)
        return Judged(SAME_SHAPE if holds else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class Trend:
    """A line that rises, falls, or stays level along x.

    `same shape` if it ends on that side of where it begins, and no step back exceeds `slack` of its whole span; of a
    level one, if its span is at most `slack` of its largest value.
    """

    name: str
    direction: Literal["rises", "falls", "level"]
    slack: float = 0.1
    within: tuple[float, float] | None = None

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        points = outcome.line(self.name, self.within)
        ys = [y for _, y in points]
        span = max(ys) - min(ys)
        text = f"{self.name} from {shown(ys[0])} to {shown(ys[-1])}"
        if self.direction == "level":
            holds = span <= self.slack * max(abs(y) for y in ys)
        else:
            sign = 1 if self.direction == "rises" else -1
            steps = [sign * (b - a) for a, b in itertools.pairwise(ys)]
            moved = sign * (ys[-1] - ys[0]) > CLEAR * max(abs(y) for y in ys)
            holds = moved and min(steps) >= -self.slack * span
        return Judged(SAME_SHAPE if holds else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class Peak:
    """A line whose largest value, or least one of a valley, is at neither end: `same shape` if so."""

    name: str
    is_valley: bool = False

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        points = outcome.line(self.name)
        choose = min if self.is_valley else max
        at, top = choose(points, key=lambda point: point[1])
        end = choose(points[0][1], points[-1][1])
        text = f"{self.name}: {shown(top)} at {shown(at)}, at the ends {shown(points[0][1])} and {shown(points[-1][1])}"
        return Judged(SAME_SHAPE if top != end else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two lines that change places: `first` is lower before the published range of x, `second` after it.

    `agrees` if ours cross once, that way, within the range; `same shape` if they do within `CROSSING_FACTOR` of it.
    """

    first: str
    second: str
    low: float
    high: float

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        a = {x: y for x, y in outcome.line(self.first)}  # noqa: C416  # points are lists of two
        b = {x: y for x, y in outcome.line(self.second)}  # noqa: C416
        gaps = [(x, a[x] - b[x]) for x in sorted(set(a) & set(b))]
        turns = [
            (x0 + (x1 - x0) * g0 / (g0 - g1), g1 > g0)
            for (x0, g0), (x1, g1) in itertools.pairwise(gaps)
            if (g0 < 0) != (g1 < 0)
        ]
        if len(turns) != 1 or not turns[0][1]:
            lower = self.first if gaps[-1][1] < 0 else self.second
            count = "no crossing" if not turns else f"{len(turns)} crossings"
            return Judged(DIFFERS, f"{count}; {lower} is lower at the last point")
        at = turns[0][0]
        text = f"{self.second} becomes lower than {self.first} at {shown(at)}"
        if self.low <= at <= self.high:
            return Judged(AGREES, text)
        near = self.low / CROSSING_FACTOR <= at <= self.high * CROSSING_FACTOR
        return Judged(SAME_SHAPE if near else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class Straight:
    """A line that is straight, or is not: `same shape` if so.

    Straight: nowhere further than `tolerance` of its span from the chord between its ends.
    """

    name: str
    is_straight: bool = True
    tolerance: float = 0.06

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        points = outcome.line(self.name)
        (x0, y0), (x1, y1) = points[0], points[-1]
        span = max(y for _, y in points) - min(y for _, y in points)
        off = max(abs(y - y0 - (y1 - y0) * (x - x0) / (x1 - x0)) for x, y in points)
        share = off / span if span else 0.0
        text = f"{self.name}: up to {100 * share:.0f} % of its span off the chord"
        holds = (share <= self.tolerance) == self.is_straight
        return Judged(SAME_SHAPE if holds else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class Lowest:
    """Which of several figures is the lowest: `same shape` if it is the published one."""

    names: tuple[str, ...]
    lowest: str

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ours = {name: outcome.values[name] for name in self.names}
        found = min(ours, key=lambda name: ours[name])
        text = _listed(iter(ours.items()))
        return Judged(SAME_SHAPE if found == self.lowest else DIFFERS, text)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A line that nowhere lies below a bound: `same shape` if so."""

    name: str
    least: float

    def judge(self, outcome: Outcome) -> Judged:
        """Compare."""
        ys = [y for _, y in outcome.line(self.name)]
        text = f"{self.name} from {shown(min(ys))} to {shown(max(ys))}"
        return Judged(SAME_SHAPE if min(ys) >= self.least else DIFFERS, text)


def published(rule: Rule, name: str) -> tuple[float, float] | None:
    """Return what a claim states of one of our figures: a published number twice, or the ends of the range that holds."""
    match rule:
        case Numbers() if name in rule.published:
            return rule.published[name], rule.published[name]
        case Near() if name == rule.name:
            return rule.number, rule.number
        case Between() if name == rule.name:
            return rule.low, rule.high
        case Side() if name == rule.name:
            above = rule.side == "above"
            return (rule.bound, math.inf) if above else (-math.inf, rule.bound)
        case _:
            return None


def is_named_lowest(rule: Rule, name: str) -> bool:
    """Return whether a claim states that one of our figures is the lowest of several."""
    return isinstance(rule, Lowest) and name == rule.lowest


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of some verdicts: the one that stands for all."""
    return max(verdicts, key=VERDICTS.index)
