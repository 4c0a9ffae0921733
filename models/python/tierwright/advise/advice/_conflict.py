"""Which limits conflict, and how far one of them has to be relaxed, where devices by themselves are listed by what limits ask of them.

As many devices hold the data as peak load, throughput and life need, so no listed option breaks these: without one of
these limits fewer are listed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice import _why_not, _words
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import table_of
from tierwright.advise.advice._choice import Chosen, chosen_of, first_kept
from tierwright.advise.advice._numbers import broken, is_open, some_are_enough
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._why_not import SIZING
from tierwright.common.wording import listed, sentences
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.limits import (
    LEAST,
    LIFE,
    LOAD,
    PEAK_BUSY,
    PRICE,
    RESPONSES,
    THROUGHPUT,
    Bools,
    Limit,
    left_out_in_turn,
)
from tierwright.evaluate.advice.limits import conflict as listed_conflict
from tierwright.evaluate.advice.rows import SOURCES
from tierwright.evaluate.advice.tiers import MOST_DEVICES

NEAREST = 1e-3
"""Share by which a relaxation may be larger than the smallest. [1]"""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Limits that no option keeps together.

    Attributes
    ----------
    names : tuple of str
        Each of them is needed: without it some option keeps the others.
    text : str
        Which they are, and what one of them would have to be.
    nearest : tuple of (str, float, str)
        What each would have to be, alone, and the option that it admits then; empty where that is not known.
    heading : str
        In short which they are, with their values; empty where the text is as short.
    more : str
        What the text says besides: what one of them would have to be.
    """

    names: tuple[str, ...]
    text: str
    nearest: tuple[tuple[str, float, str], ...] = ()
    heading: str = ""
    more: str = ""


def explained(
    asked: Asked,
    table: Table,
    limits: list[Limit],
    whom: str = "",
    replayed: Collection[int] = (),
) -> Conflict:
    """Name the limits that no option keeps together, and which of them to relax how far.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of its options, of which each breaks at least one limit.
    limits : list of Limit
        Those that they were held against, those of response times among them.
    whom : str
        The workload that is asked for, of several; empty where there is one.
    replayed : collection of int
        Options that count by their replays, which break a limit.
    """
    names = conflict(asked, table, limits)
    dirty = asked.setting.fewest_dirty is not None
    unknown_of = _why_not.unknown_values(asked, table, limits)
    # Limits that every option breaks because its value is not known.
    unknown = [name for name, rows in unknown_of.items() if len(rows) and rows.all()]
    has_chassis = "chassis" in {
        SOURCES[each] for each in np.unique(table.options.source).tolist()
    }
    if not dirty and set(unknown) & set(names):
        # Each of them alone leaves nothing, and no value of it would admit an option.
        return Conflict(names, _words.unknown_text(unknown, has_chassis=has_chassis))
    for_sale = [name for name in _unknown_for_sale(table, limits) if name in names]
    # What there is alone is known to break them, and no value of them would admit what is for sale.
    today_alone = bool(for_sale) and not dirty and for_sale == list(names)
    is_known = not _may_be_kept(table, limits, names, unknown_of)
    said = (
        _words.today_breaks_text(names)
        if today_alone
        else _words.infeasible_text(names, dirty=dirty, is_known=is_known)
    )
    heading = (
        ""
        if today_alone
        else _words.infeasible_heading(
            names, asked.constraints, dirty=dirty, is_known=is_known
        )
    )
    sale = ""
    if for_sale:
        why = _words.unknown_text(for_sale, has_chassis=has_chassis)
        sale = f"Of what is for sale, {why[0].lower()}{why[1:]}"
    nearest, enough = _enough(asked, table, limits, names, whom, replayed)
    if today_alone and not nearest:
        enough = ()
    # Of what bounds left out another may be nearer.
    tells_price = PRICE in names and table.left_out is None
    unpriced = _without_price(table, limits) if tells_price else ""
    more = sentences(sale, *enough, unpriced, "" if names else _too_many(table))
    return Conflict(names, sentences(said, more), nearest, heading, more)


def _enough(
    asked: Asked,
    table: Table,
    limits: list[Limit],
    names: tuple[str, ...],
    whom: str,
    replayed: Collection[int],
) -> tuple[tuple[tuple[str, float, str], ...], tuple[str, ...]]:
    """Return what each limit would have to be, alone, with the option that it admits; and the same in sentences."""
    nearest = _why_not.nearest_titled(table, limits, names, asked.objective, replayed)
    if nearest is not None:
        refuted = [
            _words.with_flow(table.title(at), table.scheme(at)) for at in replayed
        ]
        nearest = _why_not.with_other_numbers(asked, table, names, nearest)
        nearest = with_fewer_devices(asked, table, names, nearest, refuted)
        return nearest, (_words.nearest_text(nearest, whom),)
    if not asked.limits_response or not any(
        name in asked.constraints for name in names
    ):
        return (), ()
    nearest, is_whole = _why_not.nearest_in_time(asked, table, names)
    if nearest or is_whole:
        left = _words.not_weighed_text(
            [each for each in names if each in SIZING and each in asked.constraints]
            if is_open(asked, table)
            else []
        )
        return nearest, (_words.nearest_text(nearest, whom), left)
    if table.left_out is not None:
        return (), ()
    one = "it" if len(names) == 1 else "one of them alone"
    return (), (f"How far {one} would have to be relaxed was not found.",)


def _may_be_kept(
    table: Table,
    limits: Sequence[Limit],
    names: Sequence[str],
    unknown: Mapping[str, Bools],
) -> bool:
    """Whether some option breaks none of the limits of these names by what is known of it."""
    broken = np.zeros(len(table.options), dtype=np.bool_)
    for limit in limits:
        if limit.name in names:
            broken |= limit.breaks & ~unknown.get(limit.name, np.False_)
        elif limit.name == PEAK_BUSY and LOAD in names:
            # No device is busy for more than all of the time, whatever its share is limited to.
            broken |= limit.value > 1
    return not broken.all()


def _unknown_for_sale(table: Table, limits: Sequence[Limit]) -> list[str]:
    """Return the stated limits whose value is known of what there is, and of nothing that is for sale."""
    at = table.have_at
    if at is None or len(table.options) == 1:
        return []
    return [
        limit.name
        for limit in limits
        if limit.is_stated
        and not np.isnan(limit.value[at])
        and bool(np.isnan(np.delete(limit.value, at)).all())
    ]


def _without_price(table: Table, limits: Sequence[Limit]) -> str:
    """Say of the option that breaks least what of it has no price; empty where that is not known."""
    [rows] = np.nonzero(table.options.unpriced != 0)
    if not len(rows):
        return ""
    breaks = np.sum([limit.breaks[rows] for limit in limits], axis=0)
    # What has no price is one bit each; the rest of it costs least.
    options = table.options
    lacks = np.bitwise_count(options.unpriced[rows])
    keys = np.stack((breaks, lacks, options.month_cents[rows], options.io_us[rows]))
    order = np.lexsort(np.nan_to_num(keys[::-1], nan=np.inf))
    equal = rows[(keys == keys[:, order[:1]]).all(axis=0)]
    # Equals by their names: in which order they are listed tells nothing.
    at = min(
        (int(each) for each in equal), key=table.title, default=int(rows[order[0]])
    )
    others = [each.name for each in limits if each.breaks[at] and each.name != PRICE]
    return _words.without_price_text(table.title(at), table.lacking_price(at), others)


def _too_many(table: Table) -> str:
    """Say which devices are no candidates because one machine would need too many of them; empty for none."""
    stores = table.shelf.stores
    held = table.shelf.holding(table.setting.machine_bytes)
    names = [
        f"`{device.id}`" for at, (device, _) in enumerate(stores) if at not in held
    ]
    if not names:
        return ""
    return f"Of {listed(names)} one machine would need more than {MOST_DEVICES:,} to hold its data, and so many are not counted."


def has_devices(table: Table) -> bool:
    """Whether options are listed whose devices are counted by limits."""
    return table.shelf.ram is not None and bool(table.shelf.stores)


def conflict(asked: Asked, table: Table, limits: list[Limit]) -> tuple[str, ...]:
    """Name limits that no option keeps together, of which each is needed.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of its options, of which each breaks at least one limit.
    limits : list of Limit
        Those that they were held against.

    Returns
    -------
    tuple of str
        As `tierwright.evaluate.advice.limits.conflict`, found by the same filter.
    """
    if not has_devices(table):
        return listed_conflict(limits, len(table.options))
    search = _Search(asked, table, chosen_of(asked, table))
    names = [limit.name for limit in limits]
    if PEAK_BUSY in names:
        names.append(LOAD)
    kept = list(names)
    # As of limits that are listed: what is stated first, but for the busy share.
    stated = {limit.name for limit in limits if limit.is_stated}
    by_turn = sorted(
        names, key=lambda name: left_out_in_turn(name, is_stated=name in stated)
    )
    changed = True
    while changed:
        changed = False
        # With fewer devices an access may wait longer: what was needed before may not be now.
        for name in [each for each in by_turn if each in kept]:
            fewer = [each for each in kept if each != name]
            if not search.keeps(fewer):
                kept, changed = fewer, True
    return tuple(kept)


def _keeps(kept: frozenset[str], asked: Asked, table: Table, chosen: Chosen) -> bool:
    """Whether some option of a table keeps some of its limits."""
    responses = {
        name: value
        for name, value in asked.constraints.items()
        if name in RESPONSES and name in kept
    }
    limited = replace(asked, constraints=responses)
    breaks = broken(chosen.limits, kept, len(table.options))
    order = choose.ordered(table.options, np.flatnonzero(~breaks), asked.objective)
    if first_kept(limited, table, chosen, order) is not None:
        return True
    return some_are_enough(asked, table, kept)


@dataclass(slots=True)
class _Search:
    """Asks a question with some of its limits alone."""

    asked: Asked
    table: Table
    chosen: Chosen
    known: dict[frozenset[str], tuple[Asked, Table, Chosen]] = field(
        default_factory=dict
    )

    def keeps(self, names: Iterable[str]) -> bool:
        """Whether some option keeps these limits, of those that are listed with them alone or with all."""
        kept = frozenset(names)
        all_limits = self.asked, self.table, self.chosen
        return any(_keeps(kept, *each) for each in (self._listed(kept), all_limits))

    def _listed(self, kept: frozenset[str]) -> tuple[Asked, Table, Chosen]:
        """List the options of the question without the limits that choose numbers of devices and are not among these."""
        of = frozenset(name for name in (*SIZING, LOAD) if name in kept)
        if kept & set(RESPONSES):
            # What is too busy has no response time: none of less is listed.
            of |= {LOAD}
        if of not in self.known:
            asked = self.asked
            for name in SIZING:
                if name in asked.constraints and name not in kept:
                    is_load = name == PEAK_BUSY and LOAD in of
                    asked = (
                        asked.at_its_loosest(name) if is_load else asked.without(name)
                    )
            table = self.table
            if asked is not self.asked:
                # What bounds leave out is left out only beside an option that keeps every limit of that question.
                table = (
                    table.remade(asked.setting)
                    if table.left_out is None
                    else table_of(asked)
                )
            self.known[of] = asked, table, chosen_of(asked, table)
        return self.known[of]


def with_fewer_devices(
    asked: Asked,
    table: Table,
    names: Sequence[str],
    nearest: Iterable[tuple[str, float, str]],
    refuted: Collection[str] = (),
) -> tuple[tuple[str, float, str], ...]:
    """Return what each limit of a conflict would have to be, alone: of fewer devices too where that is less to give up.

    Parameters
    ----------
    asked : Asked
    table : Table
    names : sequence of str
        Limits of the conflict.
    nearest : iterable of (str, float, str)
        Limits, their values, and the options that they admit, of those that are listed.
    refuted : collection of str
        Options whose replays show other values than the model.
    """
    found = {name: (value, title) for name, value, title in nearest}
    if has_devices(table):
        setting = replace(asked.setting, have=None, quoted=None)
        alone = Table(setting, (None, table.shelf))
        for name in names:
            if name not in SIZING or name not in asked.constraints:
                continue
            made = _relaxed(asked, alone, name)
            if made is None or made[1] in refuted:
                continue
            sign = 1 if name in LEAST else -1
            if name not in found or sign * made[0] > sign * found[name][0]:
                found[name] = made
    return tuple((name, *found[name]) for name in names if name in found)


def _relaxed(asked: Asked, table: Table, name: str) -> tuple[float, str] | None:
    """Return the value to which one limit alone would have to be relaxed for devices by themselves, within `NEAREST`, and the option."""
    best = _reached(asked.at_its_loosest(name), table, name)
    if best is None or not math.isfinite(best[0]) or best[0] <= 0:
        return None
    far, near = math.log(best[0]), math.log(float(asked.constraints[name]))
    while abs(near - far) > NEAREST:
        middle = (near + far) / 2
        found = _reached(_with(asked, name, math.exp(middle)), table, name)
        if found is None:
            near = middle
        else:
            best, far = found, math.log(found[0])
    return best


def _reached(asked: Asked, table: Table, name: str) -> tuple[float, str] | None:
    """Return the value of a limit that the options come to which keep all, and the option; None where none does."""
    other = table.remade(replace(asked.setting, have=None, quoted=None))
    order = chosen_of(asked, other).order
    if not len(order):
        return None
    options = other.options
    if name == THROUGHPUT:
        values = other.beside(name)[order]
    elif name == LIFE:
        values = options.life_years[order]
    else:
        # The throughput is what devices carry that are as busy as allowed.
        peak, least = asked.setting.rates.peak, asked.setting.least_throughput_per_s
        assert peak is not None  # without a rate no share is limited
        values = options.peak_busy[order] * max(1.0, least / peak)
    known = ~np.isnan(values)
    if not known.any():
        return None  # no source states what these devices endure
    order, values = order[known], values[known]
    at = int(np.argmax(values) if name in LEAST else np.argmin(values))
    row = int(order[at])
    return float(values[at]), _words.with_flow(other.title(row), other.scheme(row))


def _with(asked: Asked, name: str, value: float) -> Asked:
    """Return the same question with another value of one limit by which devices are counted."""
    setting = asked.setting
    if name == PEAK_BUSY:
        setting = replace(setting, most_busy=value)
    elif name == LIFE:
        setting = replace(setting, least_life_years=value)
    else:
        setting = replace(setting, least_throughput_per_s=value)
    return replace(
        asked,
        setting=setting,
        constraints={**asked.constraints, name: Decimal(repr(value))},
    )
