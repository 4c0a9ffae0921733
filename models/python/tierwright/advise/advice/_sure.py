"""What inputs that are not known do to the answer, and what rules of thumb would have bought."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import MOST_LOOKED
from tierwright.advise.advice._choice import (
    Chosen,
    first_kept,
)
from tierwright.advise.advice._machine import behind_price
from tierwright.advise.advice._numbers import best_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice.found import Bar, RuleOfThumb
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution, Effect, anywhere
from tierwright.common.currency import money
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted
from tierwright.evaluate.advice.information import NEAR
from tierwright.evaluate.advice.limits import ROUNDING
from tierwright.evaluate.advice.thumbs import Thumb, following, thumbs
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, other_ends
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

MOST_BARS = 8
"""Bars of a tornado."""
NOT_ASKED = "not asked here: it is computed together with how sure the answer is"
"""Effect of a caution whose ends could be asked."""
REFUTED = "not computable: the replay decides against the model, by which the ends are weighed"
"""Effect of a caution where the choice of the model breaks a limit by its replay."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """What would be the best at another end of what is not known.

    Attributes
    ----------
    when : str
        How the end differs, to be read behind *if*.
    month_cents : int or None
        Of the best option there; None where none keeps every limit. [cent/month]
    io_us : float
        Of the same. [µs]
    title : str
        What it is.
    is_same : bool
        Whether it consists of the same things and runs the same scheme.
    but : str
        Whether its machines are counted, behind what it costs; empty where they are as those of the recommendation.
    """

    when: str
    month_cents: int | None
    io_us: float
    title: str
    is_same: bool
    but: str = ""


class Ends:
    """Asks again at the other ends of what is not known of the curve; each caution once."""

    def __init__(self, asked: Asked, table: Table, best: int) -> None:
        self._asked = asked
        self._by_time = asked.objective == "io_time"
        self._table = table
        self.best = best
        options = table.options
        sizes = float(options.ram_pages[best]), float(options.flash_pages[best])
        none = Device("none", "none", "nvme")
        self._situation = Situation(
            asked.setting.curve, none, none, (*sizes, sum(sizes))
        )
        self._found: dict[str, tuple[AtEnd, ...]] = {}
        self._drawn: dict[str, Sequence[tuple[str, Curve]]] = {}
        self._flips: dict[str, Bar] = {}

    def draw(self, name: str, ends: Sequence[tuple[str, Curve]]) -> None:
        """Ask cautions of a name at the ends between which draws lie: in words, behind *if*, and the curve there."""
        self._drawn[name] = ends

    def flip(self, bars: Iterable[Bar]) -> None:
        """Note within which ranges another option is the best somewhere: by the bars, which speak of a caution by its message."""
        self._flips = {each.about: each for each in bars if each.flip is not None}

    @property
    def own_cents(self) -> int:
        """Of the recommendation. [cent/month]"""
        return int(self._table.options.month_cents[self.best])

    @property
    def own_title(self) -> str:
        """What the recommendation is, with its page flow."""
        return with_flow(self._table.title(self.best), self._table.scheme(self.best))

    @property
    def own_value(self) -> float:
        """Of the recommendation, in the objective. [cent/month or µs]"""
        if self._by_time:
            return float(self._table.options.io_us[self.best])
        return float(self.own_cents)

    def value(self, end: AtEnd) -> float:
        """Of the best option at an end, in the objective; infinite where there is none. [cent/month or µs]"""
        if self._by_time:
            return end.io_us
        return math.inf if end.month_cents is None else float(end.month_cents)

    def time_us(self, end: AtEnd) -> float | None:
        """Of the best option at an end, where the objective is the I/O time; None where there is none. [µs]"""
        return end.io_us if self._by_time and end.month_cents is not None else None

    def at(self, caution: Caution) -> tuple[AtEnd, ...]:
        """Answer at both ends of a caution; empty where they cannot be computed."""
        if caution.message not in self._found:
            ends = self._drawn.get(caution.name) or [
                (end.when, end.situation.curve) for end in self._other(caution)
            ]
            self._found[caution.message] = tuple(self._at(*end) for end in ends)
        return self._found[caution.message]

    def unasked(self, caution: Caution) -> Effect:
        """Say that the ends of a caution were not asked; what follows without them where it has none."""
        return self._without(caution, NOT_ASKED)

    def of_the_model(self, caution: Caution) -> Effect:
        """Say that the ends of a caution rest on the model, which a replay has refuted."""
        return self._without(caution, REFUTED)

    def _without(self, caution: Caution, why: str) -> Effect:
        if self._other(caution):
            return Effect(why, could_change_choice=None)
        return anywhere(caution)

    def _other(self, caution: Caution) -> Sequence[OtherEnd]:
        return other_ends(caution, self._situation)[:2]

    def _at(self, when_: str, curve: Curve) -> AtEnd:
        table = self._table.with_curve(curve)
        table, at = best_of(self._asked, table)
        if at is None:
            return AtEnd(when_, None, math.inf, "", is_same=False)
        same = int(table.kind_codes[at]) == int(self._table.kind_codes[self.best])
        return AtEnd(
            when_,
            int(table.options.month_cents[at]),
            float(table.options.io_us[at]),
            with_flow(table.title(at), table.scheme(at)),
            is_same=same,
            but=behind_price(table, at, own=self._table.without_machine(self.best)),
        )

    def effect(self, caution: Caution) -> Effect:
        """Say what a caution could change: which option would be the best at its ends, and at what cost."""
        ends = self.at(caution)
        if not ends:
            return anywhere(caution)
        said, changed, size = [], False, 0.0
        for end in ends:
            if end.month_cents is None:
                said.append(f"if {end.when}: no option keeps every limit")
                changed, size = True, math.inf
                continue
            cost = f"{money(Decimal(end.month_cents) * CENT)} per month{end.but}"
            what = f"{end.title} would be the choice"
            alike = end.title == self.own_title
            if end.is_same:
                what = "the choice stays" if alike else f"the same kind, {end.title}"
            said.append(f"if {end.when}: {what}, at {cost}")
            own = max(self.own_cents, 1)
            apart = abs(end.month_cents - self.own_cents) / own
            # What is bought of the same kind in other numbers is another purchase where its money differs.
            is_other = not alike and not self._by_time and apart > NEAR
            changed |= not end.is_same or is_other
            size = max(size, apart)
        flip = self._flips.get(caution.message)
        if flip is not None and not changed:
            said.append(
                f"if {flip.flip}: another choice would be the best{_at_flip(flip)}"
            )
            changed = True
        return Effect("; ".join(said), changed, size)


def tornado(ends: Ends, cautions: Iterable[Caution]) -> Iterator[Bar]:
    """Say what the ends of what is not known of the curve do to the answer; the largest first."""
    found: list[tuple[float, Bar]] = []
    for caution in cautions:
        both = ends.at(caution)
        if not both:
            continue
        low, high = both[0], both[-1]
        if math.inf > ends.value(low) > ends.value(high):
            low, high = high, low
        own = ends.own_value
        found.append(
            (
                max(abs(ends.value(each) - own) for each in both),
                Bar(
                    caution.message,
                    low.when,
                    high.when,
                    _usd(low),
                    _usd(high),
                    low.title or None,
                    high.title or None,
                    any(not each.is_same for each in both),
                    io_time_us_low=ends.time_us(low),
                    io_time_us_high=ends.time_us(high),
                ),
            )
        )
    found.sort(key=lambda two: -two[0])
    yield from (bar for _, bar in found[:MOST_BARS])


def _at_flip(bar: Bar) -> str:
    """Say what the best option takes, where that is the objective, and costs at a flip."""
    said = []
    if bar.io_time_us_flip is not None:
        said.append(f"{format_microseconds(bar.io_time_us_flip)} per access")
    if bar.usd_per_month_flip is not None:
        said.append(f"{money(bar.usd_per_month_flip)} per month")
    return f", at {' and '.join(said)}" if said else ""


def _usd(end: AtEnd) -> Decimal | None:
    return None if end.month_cents is None else Decimal(end.month_cents) * CENT


def _is_unfinished(table: Table, rule: Thumb) -> bool:
    """Whether the best option as large as a rule asks for was not found among those that were looked at."""
    if table.left_out is None or rule.ram_pages is None or rule.needs_flash:
        return False
    return rule.ram_pages * (1 - ROUNDING) in table.left_out.unfinished_pages


def _slower_us(
    times_us: FloatArray | Mapping[int, float], at: int, best: int
) -> float | None:
    """By how much an option is slower than the best; None where one of them was not replayed. [µs]"""
    if isinstance(times_us, Mapping) and not {at, best} <= times_us.keys():
        return None
    return float(times_us[at] - times_us[best])


def rules_of_thumb(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    best: int | None,
    option: Any,
    replayed_us: Mapping[int, float] | None = None,
) -> Iterator[RuleOfThumb]:
    """Say what five rules of thumb would have bought, and what each costs more.

    Parameters
    ----------
    asked, table, chosen
        As of `confidence`.
    best : int or None
        The recommendation.
    option : callable
        Describes an option.
    replayed_us : mapping of int to float, optional
        I/O times by option, where a replay decided: those of the model are not held against these. [µs]
    """
    setting = asked.setting
    data = float(setting.data_bytes * setting.replicas)
    first = partial(first_kept, asked, table, chosen)
    grown = "the data"
    if setting.growth_per_year > 0:
        grown += f" in {counted(setting.horizon_months, 'month')}"
    for rule in thumbs(
        setting.curve, data, setting.served.mean, setting.machines, grown
    ):
        is_open = _is_unfinished(table, rule)
        at = (
            None
            if best is None or is_open
            else following(table.options, chosen.order, rule, first)
        )
        if at is None or best is None:
            reason = rule.reason or "no candidate of that size keeps every limit"
            if is_open:
                reason = (
                    f"more than {MOST_LOOKED:,} candidates of that size would have to be looked at; name fewer to "
                    "have the rule weighed"
                )
            yield RuleOfThumb(
                rule.name,
                rule.title,
                rule.ram_bytes,
                rule.flash_bytes,
                None,
                None,
                None,
                reason,
            )
            continue
        options = table.options
        cents = int(options.month_cents[at]) - int(options.month_cents[best])
        yield RuleOfThumb(
            rule.name,
            rule.title,
            rule.ram_bytes,
            rule.flash_bytes,
            option(at),
            Decimal(cents) * CENT,
            # With an unknown dirty share the rows hold one end of the times.
            None
            if setting.fewest_dirty is not None
            else _slower_us(
                options.io_us if replayed_us is None else replayed_us, at, best
            ),
            "",
        )
