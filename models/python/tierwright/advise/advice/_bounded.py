"""Questions with millions of servers built from parts: groups that bounds leave out are never listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import (
    MOST_ALTERNATIVES,
    Chosen,
    chosen_of,
    kept,
)
from tierwright.advise.advice._numbers import best_of, with_enough
from tierwright.advise.advice._responses import least_times_us
from tierwright.advise.advice._table import (
    LeftOut,
    Setting,
    Table,
    allowed_items,
    allowed_rows,
    device_of_drive,
    latency_us,
    shelf,
    wanted_of,
)
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.flat import FLAT_SHARE, STEP
from tierwright.evaluate.advice.groups import Groups, configurations_in_all, groups
from tierwright.evaluate.advice.limits import PEAK_BUSY, ROUNDING, Bools, excess
from tierwright.evaluate.advice.rows import (
    SOURCES,
    IntArray,
    Options,
)
from tierwright.evaluate.advice.thumbs import thumbs
from tierwright.evaluate.advice.tiers import Shelf
from tierwright.evaluate.advice.whole_limits import most_units
from tierwright.evaluate.configurations.columns import (
    Columns,
    enumerate_sold,
    stacked,
)
from tierwright.evaluate.configurations.front import pareto_front
from tierwright.evaluate.configurations.sold import sold
from tierwright.evaluate.configurations.times import drive_times
from tierwright.evaluate.configurations.wanted import GIB

SEARCH_FROM = 1_000_000
"""Configurations of servers built from parts above which they are searched group by group."""
MOST_CONFIGURATIONS = 20_000_000
MOST_KEPT = 600_000
"""Configurations that the table of the answer keeps of those that are near the best."""
NEAR = 0.25
"""Share by which what a group costs at least may be above what is as fast, and the group still be evaluated."""
CHUNK = 1 << 16
"""Configurations that are evaluated at a time."""
MOST_LOOKED = 1_000_000
"""Configurations among which a single list looks for one."""
_FIRST_CHUNK = 1 << 10
_WINDOW = 1 << 15
_OF_OTHERS = 50
"""Options that are in no group of which response times are computed, besides their front."""
_NOTHING = Shelf(None, (), ())


def table_of(asked: Asked) -> Table:
    """Make the table of a question: as `listed_of`, with what is better of other numbers of devices behind it.

    Raises
    ------
    BadInput
        If there are more options than can be listed, or searched.
    """
    return with_enough(asked, listed_of(asked))


def listed_of(asked: Asked) -> Table:
    """List the options of a question: all, or those that bounds do not leave out.

    Nothing is left out of up to 1,000,000 servers built from parts. Of quotes, what they offer and what there is.

    Raises
    ------
    BadInput
        If there are more options than can be listed, or searched.
    """
    setting = asked.setting
    if setting.quoted is not None:
        return Table(setting, (None, _NOTHING))
    wanted = wanted_of(setting)
    if wanted is None or "chassis" not in wanted.kinds:
        return Table.of(setting)
    found = sold(wanted)
    in_all = configurations_in_all(wanted, found)
    if in_all <= SEARCH_FROM:
        return Table.of(setting)
    if in_all > MOST_CONFIGURATIONS:
        raise BadInput(
            f"configurations: more than {MOST_CONFIGURATIONS:,} up to {wanted.max_machines:,} machines",
            "name fewer parts, or fewer machines",
        )
    others = tuple(kind for kind in wanted.kinds if kind != "chassis")
    columns = enumerate_sold(wanted, found, others)
    columns = allowed_rows(columns, setting.candidates)
    base = Table(setting, (columns, shelf(setting.prices, setting.candidates)))
    listed = groups(
        wanted,
        found,
        allowed_items(found, setting.candidates),
        setting.curve,
        peak=setting.served.peak,
        most_busy=setting.most_busy * (1 + ROUNDING)
        if PEAK_BUSY in asked.constraints
        else np.inf,
        devices=setting.devices,
    )
    return _Search(asked, base, listed).table() if len(listed) else base


def asked_again(asked: Asked, table: Table) -> tuple[Table, int | None]:
    """Answer a question that differs from that of a table in limits or in its curve.

    What bounds left out there may be the best here, so it is searched again then.

    Returns
    -------
    Table, int or None
        Options, and the best that keeps every limit; None where none does.
    """
    if asked.setting is table.setting and table.left_out is None:
        other = table
    elif table.left_out is not None:
        other = table_of(asked)
    else:
        other = table.remade(asked.setting)
    return best_of(asked, other)


@dataclass(slots=True)
class _Best:
    """The options that keep every limit so far: the best of each product or combination of them, and the front."""

    by_time: bool
    of_hardware: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Objective and the other one: money in cents, and I/O time."""
    cents: FloatArray = field(default_factory=lambda: np.empty(0))
    io_us: FloatArray = field(default_factory=lambda: np.empty(0))

    def add(self, options: Options, order: IntArray, codes: IntArray) -> None:
        """Take what keeps every limit, in the order of the objective."""
        cents, io_us = (
            options.month_cents[order].astype(np.float64),
            options.io_us[order],
        )
        first, second = (io_us, cents) if self.by_time else (cents, io_us)
        distinct, at = np.unique(codes[order], return_index=True)
        for code, row in zip(distinct.tolist(), at.tolist(), strict=True):
            key = float(first[row]), float(second[row])
            self.of_hardware[code] = min(key, self.of_hardware.get(code, key))
        cents = np.concatenate((self.cents, cents))
        io_us = np.concatenate((self.io_us, io_us))
        front = pareto_front(cents, io_us)
        self.cents, self.io_us = cents[front], io_us[front]

    def leaves_out(self, found: Groups, codes: IntArray, at: IntArray) -> Bools:
        """Whether no option of a group can be recommended, close, or on or near the front."""
        if not len(self.cents):
            return np.zeros(len(at), dtype=np.bool_)
        cents, io_us = found.least_cents[at].astype(np.float64), found.io_us[at]
        # The front falls in time: the last of those that cost less is the fastest of them.
        cheaper = np.searchsorted(self.cents * (1 + NEAR), cents, side="left")
        fastest = np.concatenate(([np.inf], self.io_us))[cheaper]
        beaten = (fastest <= io_us) | ~found.able[at]
        own = np.asarray(
            [
                self.of_hardware.get(code, (np.inf, np.inf))
                for code in codes[at].tolist()
            ]
        ).reshape(len(at), 2)
        ranked = sorted(self.of_hardware.values())
        if len(ranked) > MOST_ALTERNATIVES:
            last = np.asarray(ranked[MOST_ALTERNATIVES])
            own = np.where(_less(last, own)[:, None], last, own)
        first, second = (io_us, cents) if self.by_time else (cents, io_us)
        worse = _less(own, np.stack((first, second), axis=1)) | ~found.able[at]
        return np.asarray(beaten & worse)


def _less(one: FloatArray, other: FloatArray) -> Bools:
    """Whether pairs come before others."""
    return np.asarray(
        (one[..., 0] < other[..., 0])
        | ((one[..., 0] == other[..., 0]) & (one[..., 1] < other[..., 1]))
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    """What keeps the limits of response times too.

    Attributes
    ----------
    order : int array
        Options that keep every limit, the best first.
    broken : int array
        Of every option that keeps all others, which limits of response times it breaks, as bits; of the rest those that a
        bound shows to be broken.
    """

    order: IntArray
    broken: IntArray


class _Search:
    """Evaluates groups from the cheapest on, until bounds leave out all others."""

    def __init__(self, asked: Asked, base: Table, listed: Groups) -> None:
        self._asked = asked
        self._base = base
        self._groups = listed
        self._responses = base.responses
        self._drives = tuple(
            device_of_drive(asked.setting, each) for each in listed.sold.drives
        )
        self._one = replace(asked.setting, have=None)
        able = listed.able & self._within(asked)
        self._groups = replace(listed, able=able)
        self._codes = _codes(listed)
        self._by_time = asked.objective == "io_time"
        self._best = _Best(self._by_time)
        self._counts: Counter[str] = Counter()
        self._evaluated = self._suitable = 0
        self._done = np.zeros(len(listed), dtype=np.bool_)
        self._raised = np.zeros(len(listed), dtype=np.bool_)
        self._fitting = np.empty(0, dtype=np.int64)
        """Hardware of which an option keeps all limits but those of response times."""
        self._kept: list[tuple[Columns, IntArray]] = []

    def _within(self, asked: Asked) -> Bools:
        """Which groups keep the limits that do not depend on the number of drives."""
        found, limits = self._groups, asked.constraints
        keeps = np.ones(len(found), dtype=np.bool_)
        if "usd_per_month" in limits:
            most = most_units("usd_per_month", limits["usd_per_month"])
            keeps &= found.least_cents <= float(most)
        for name, value in (
            ("machines", found.machines),
            ("io_time_us_per_access", found.io_us),
        ):
            if name in limits:
                keeps &= value <= float(limits[name]) * (1 + ROUNDING)
        evidence = asked.setting.curve.evidence
        if evidence is not None:
            keeps &= ~evidence.unknown(found.ram_pages, found.ram_pages)
        if asked.limits_response:
            for limit, least in zip(
                asked.response_limits, self._least_response(), strict=True
            ):
                if limit is not None:
                    keeps &= ~(least > limit)
        return keeps

    def _least_response(self) -> tuple[FloatArray, ...]:
        """Bound mean, median and 99th percentile of every group from below, as `Table.least_response` of its options. [µs]"""
        found, setting = self._groups, self._asked.setting
        page = setting.curve.page_bytes
        read_us = np.asarray(
            [
                np.fmax(latency_us(device, page), np.nan if busy is None else busy)
                for device, (busy, _) in zip(
                    self._drives,
                    drive_times(found.sold, page, *setting.devices),
                    strict=True,
                )
            ]
        )[found.drive]
        store = np.where(found.reads > 0, read_us, 0.0)
        nothing = np.zeros(len(found))
        return least_times_us((nothing, found.reads), (nothing, store))

    def _raise_fewest(self, at: IntArray) -> None:
        """Raise the fewest drives of some groups to what limits of response times ask for.

        More equal drives share the load, so no response time rises with their number.
        """
        found, setting = self._groups, self._asked.setting
        if not self._asked.limits_response:
            return
        at = at[found.able[at] & ~self._raised[at]]
        # What breaks another limit is not worth a queue.
        at = at[np.isin(self._codes[at], self._fitting)]
        if not len(at):
            return
        self._raised[at] = True
        fewest = self._responses.fewest(
            setting.curve,
            setting.served.peak,
            self._drives,
            (
                found.drive[at],
                found.ram_pages[at],
                found.machines[at],
                found.most[at],
            ),
            self._asked.response_limits,
        )
        found.raise_fewest(at, fewest)

    def table(self) -> Table:
        """Search, and make the table of what is kept."""
        base, found = self._base, self._groups
        chosen = chosen_of(self._asked, base)
        self._count(base, chosen, self._some_that_respond(base, chosen))
        # Among equals the cheapest of the others stand first in the search alone: the table is put in order again.
        order = np.lexsort((found.first, found.least_cents, ~found.able))
        self._evaluate(self._heads(order))
        # Queues take long to compute: the sooner an option of a hardware keeps its limits, the fewer are.
        chunk = _FIRST_CHUNK if self._asked.limits_response else CHUNK
        for start in range(0, len(order), _WINDOW):
            window = order[start : start + _WINDOW]
            while len(window):
                window = window[~self._done[window]]
                window = window[~self._best.leaves_out(found, self._codes, window)]
                sizes = np.cumsum(found.most[window])
                some = max(1, int(np.searchsorted(sizes, chunk, side="right")))
                first, window = window[:some], window[some:]
                self._raise_fewest(first)
                self._evaluate(first[~self._best.leaves_out(found, self._codes, first)])
        return self._made(order)

    def _heads(self, order: IntArray) -> IntArray:
        """Of every hardware the group that may be its best, so that what breaks limits is among the evaluated too."""
        found = self._groups
        if self._by_time:
            order = np.lexsort(
                (
                    found.first,
                    found.least_cents,
                    np.nan_to_num(found.io_us, nan=np.inf),
                    ~found.able,
                )
            )
        _, first = np.unique(self._codes[order], return_index=True)
        return np.asarray(order[np.sort(first)], dtype=np.int64)

    def _evaluate(self, at: IntArray) -> None:
        if not len(at):
            return
        columns, places, table, chosen, good = self._chosen(at)
        shown = self._shown(table, chosen, good)
        rows = np.unique(table.options.row[shown])
        self._kept.append((columns.rows(rows), places[rows]))

    def _chosen(self, at: IntArray) -> tuple[Columns, IntArray, Table, Chosen, _Kept]:
        """Evaluate groups, and count those that were not before."""
        columns, places = self._groups.listed(np.sort(at))
        table = self._tabled(self._one, columns, _NOTHING, places)
        chosen = chosen_of(self._asked, table)
        kept = self._that_respond(table, chosen)
        new = at[~self._done[at]]
        if len(new) == len(at):
            self._count(table, chosen, kept.order)
        elif len(new):
            others = self._groups.listed(np.sort(new))
            own = self._tabled(self._one, others[0], _NOTHING, others[1])
            of_own = chosen_of(self._asked, own)
            self._count(own, of_own, self._that_respond(own, of_own).order)
        self._done[at] = True
        return columns, places, table, chosen, kept

    def _that_respond(self, table: Table, chosen: Chosen) -> _Kept:
        """Hold limits of response times in what keeps all others; in what does not, as far as a bound shows them broken."""
        broken = np.zeros(len(table.options), dtype=np.int64)
        order = chosen.order
        if not self._asked.limits_response:
            return _Kept(order, broken)
        limits = self._asked.response_limits
        # A list of all options counts these too, and the best that breaks fewest is neither the cheapest nor the largest.
        for at, (limit, least) in enumerate(
            zip(limits, table.least_response, strict=True)
        ):
            if limit is not None:
                slow = (chosen.first_broken >= 0) & (least > limit)
                broken |= slow.astype(np.int64) << at
        times = [each[order] for each in table.least_response]
        open_ = np.ones(len(order), dtype=np.bool_)
        for limit, least in zip(limits, times, strict=True):
            if limit is not None:
                open_ &= ~(least > limit)
        for at, (limit, value, exact) in enumerate(
            zip(limits, times, table.peak_responses(order[open_]), strict=True)
        ):
            value[open_] = exact
            if limit is not None:
                broken[order] |= (value > limit).astype(np.int64) << at
        return _Kept(order[broken[order] == 0], broken)

    def _some_that_respond(self, table: Table, chosen: Chosen) -> IntArray:
        """Return some of the options that are in no group and keep every limit: bounds need not know all of these."""
        order = chosen.order
        if not self._asked.limits_response:
            return order
        some = {*order[:_OF_OTHERS].tolist(), *choose.front(table.options, order)}
        rows = order[np.isin(order, sorted(some))]
        return np.asarray(list(kept(self._asked, table, chosen, rows)), dtype=np.int64)

    def _count(self, table: Table, chosen: Chosen, order: IntArray) -> None:
        """Count options that were evaluated, and take the best of those that keep every limit, in their order."""
        self._evaluated += len(table.options)
        self._suitable += len(chosen.order)
        number = np.bincount(chosen.first_broken + 1, minlength=len(chosen.limits) + 1)
        for limit, count in zip(chosen.limits, number[1:].tolist(), strict=True):
            self._counts[limit.name] += count
        if self._asked.limits_response:
            codes = table.hardware_codes[chosen.order]
            self._fitting = np.union1d(self._fitting, codes)
        if len(order):
            self._best.add(table.options, order, table.product_codes)

    def _shown(self, table: Table, chosen: Chosen, kept: _Kept) -> IntArray:
        """Options that a list may show: the front, the best of each kind, and the best that breaks the same limits.

        Response times are held in what keeps all other limits, bounds of them in the rest. Of what breaks the same of these the
        one with the most RAM and drives stands beside the best: where it is too slow, so are the others of its kind. For the
        least I/O time, that which is nearest to its limits is what stands for its kind among what is rejected.
        """
        options, kinds = table.options, table.kind_codes
        [broken] = np.nonzero((chosen.first_broken >= 0) | (kept.broken > 0))
        patterns = kept.broken << len(chosen.limits)
        for at, limit in enumerate(chosen.limits):
            patterns |= limit.breaks.astype(np.int64) << at
        width = len(chosen.limits) + len(self._asked.response_limits)

        def first_alike(rows: IntArray) -> IntArray:
            _, kind = np.unique(kinds[rows], return_inverse=True)
            both = (kind.astype(np.int64) << width) | patterns[rows]
            _, first = np.unique(both, return_index=True)
            return np.asarray(rows[first])

        worse = choose.ordered(options, broken, self._asked.objective)
        found = [
            choose.front(options, np.sort(kept.order)),
            choose.best_of_kinds(kept.order, kinds),
            first_alike(worse),
        ]
        if self._by_time:
            near = excess(chosen.limits, worse)
            found.append(first_alike(worse[np.argsort(near, kind="stable")]))
        if self._asked.limits_response:
            most = np.lexsort(
                (-options.store_devices[worse], -options.ram_pages[worse])
            )
            found.append(first_alike(worse[most]))
        return np.concatenate(found)

    def _made(self, order: IntArray) -> Table:
        """Make the table of what is kept, with what single lists look for beside the best."""
        found = self._groups
        near = order[self._done[order] & found.able[order]]
        near = near[~self._best.leaves_out(found, self._codes, near)]
        near = near[np.cumsum(found.most[near]) <= MOST_KEPT]
        self._kept.append(found.listed(np.sort(near)))
        table = self._joined()
        looked = [*self._of_thumbs(), *self._of_neighbours(table)]
        whole = [self._look(each) for each in looked]
        unfinished = tuple(
            each.within[0]
            for each, is_whole in zip(looked, whole, strict=True)
            if not is_whole and each.of_thumb
        )
        if looked:
            table = self._joined()
        in_all = int(found.most.sum())
        evaluated = int(found.most[self._done].sum())
        table.left_out = LeftOut(
            evaluated=self._evaluated,
            pruned=in_all - evaluated,
            suitable=self._suitable,
            rejected_counts={
                name: count for name, count in self._counts.items() if count
            },
            unfinished_pages=unfinished,
        )
        return table

    def _joined(self) -> Table:
        base = self._base
        places = np.concatenate([each for _, each in self._kept])
        _, first = np.unique(places, return_index=True)
        of_parts = stacked([each for each, _ in self._kept]).rows(first)
        assert base.columns is not None
        columns = stacked([base.columns, of_parts])
        # As they are listed: by machines, then by kind, each kind in its own order.
        order = np.lexsort((columns.kind, columns.machines))
        every = np.concatenate((np.full(len(base.columns), -1), places[first]))
        return self._tabled(
            self._asked.setting, columns.rows(order), base.shelf, every[order]
        )

    def _tabled(
        self, setting: Setting, columns: Columns, shelf_: Shelf, places: IntArray
    ) -> Table:
        """Make a table of some rows; `places` are -1 of those that are in no group.

        What is unknown of a drive among all configurations is unknown, whatever stands beside it here.
        """
        table = Table(setting, (columns, shelf_))
        table.responses = self._responses
        found, options = self._groups, table.options
        of = np.searchsorted(found.first, places, side="right") - 1
        unknown = (places >= 0) & np.isnan(found.io_us[of])
        if unknown.any():
            sold_whole = options.source < SOURCES.index("devices")
            bad = np.zeros(len(options), dtype=np.bool_)
            bad[sold_whole] = unknown[options.row[sold_whole]]
            table.options = replace(
                options,
                store_us=np.where(bad, np.nan, options.store_us),
                peak_busy=np.where(bad, np.nan, options.peak_busy),
            )
        return table

    def _objective(self) -> tuple[FloatArray, FloatArray]:
        cents = self._groups.least_cents.astype(np.float64)
        io_us = self._groups.io_us
        return (io_us, cents) if self._by_time else (cents, io_us)

    def _of_thumbs(self) -> Iterator[_Looked]:
        """Rules of thumb look for the best option with at least so much RAM for pages."""
        setting = self._asked.setting
        data = float(setting.data_bytes * setting.replicas)
        for rule in thumbs(setting.curve, data, setting.served.mean, setting.machines):
            if rule.ram_pages is not None and not rule.needs_flash:
                least = rule.ram_pages * (1 - ROUNDING)
                yield _Looked(
                    "ram_pages", (least, np.inf), self._objective(), of_thumb=True
                )

    def _of_neighbours(self, table: Table) -> Iterator[_Looked]:
        """Look for the best options with less and with more of a size of the recommendation, and for the flat region."""
        chosen = chosen_of(self._asked, table)
        options = table.options
        best = next(kept(self._asked, table, chosen, chosen.order), None)
        if best is None or table.source(best) != "chassis":
            return
        for name, value in _sizes(options.rows(np.asarray([best]))).items():
            less = float(value[0]) * (1 - STEP) * (1 + ROUNDING)
            more = float(value[0]) * (1 + STEP) * (1 - ROUNDING)
            for within in ((0.0, less), (more, np.inf)):
                yield _Looked(name, within, self._objective())
            if self._by_time:
                # As many options are nearly as fast, only the ends of their sizes are looked for.
                near = float(options.io_us[best]) * (1 + FLAT_SHARE)
                low, high = self._extents(name)
                for key in (low, -high):
                    yield _Looked(name, (0.0, np.inf), (key, key), near)

    def _extents(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Least and largest size of the options of each group."""
        found = self._groups
        machines = found.machines.astype(np.float64)
        if name == "disks":
            return found.fewest * machines, found.most * machines
        if name == "ram_pages":
            return found.ram_pages, found.ram_pages
        size = machines if name == "machines" else found.ram_gib * GIB * machines
        return size, size

    def _look(self, looked: _Looked) -> bool:
        """Keep the best of the options that a list looks for; False where too many would have to be looked at."""
        found = self._groups
        low, high = self._extents(looked.size)
        least, most = looked.within
        at = np.flatnonzero(
            found.able
            & (high >= least)
            & (low <= most)
            & (found.io_us <= looked.most_io_us)
        )
        first, second = looked.key
        at = at[np.lexsort((found.first[at], second[at], first[at]))]
        best: tuple[float, float] | None = None
        chunk, seen = _FIRST_CHUNK, 0
        while len(at) and seen < MOST_LOOKED:
            if best is not None and best < (float(first[at[0]]), float(second[at[0]])):
                return True
            sizes = np.cumsum(found.most[at])
            some = at[: max(1, int(np.searchsorted(sizes, chunk, side="right")))]
            at = at[len(some) :]
            seen += int(sizes[len(some) - 1])
            columns, places, table, _, good = self._chosen(some)
            fit = good.order[looked.fits(table.options)[good.order]]
            if len(fit):
                keys = looked.keys(table.options.rows(fit), by_time=self._by_time)
                here = int(np.lexsort((keys[1], keys[0]))[0])
                key = float(keys[0][here]), float(keys[1][here])
                if best is None or key <= best:
                    self._kept.append((columns.rows(fit[[here]]), places[fit[[here]]]))
                    best = key
            chunk = min(2 * chunk, CHUNK)
        if not len(at):
            return True
        return best is not None and best < (float(first[at[0]]), float(second[at[0]]))


@dataclass(frozen=True, slots=True)
class _Looked:
    """Options that a list looks for.

    Attributes
    ----------
    size : str
        That is limited: `ram_bytes`, `machines` or `disks`, or for a rule of thumb `ram_pages`.
    within : tuple of float
        Least and largest of it.
    key : tuple of float64 array
        Of each group, what its options are at least in what is to be least, and in what decides among equals.
    most_io_us : float
        Largest I/O time; where it is limited, the size itself is looked for: its end nearest to the key. [µs]
    of_thumb : bool
        Whether a rule of thumb looks for them.
    """

    size: str
    within: tuple[float, float]
    key: tuple[FloatArray, FloatArray]
    most_io_us: float = np.inf
    of_thumb: bool = False

    def _size(self, options: Options) -> FloatArray:
        return (
            options.ram_pages
            if self.size == "ram_pages"
            else _sizes(options)[self.size]
        )

    def fits(self, options: Options) -> Bools:
        """Whether options are among those that are looked for."""
        size = self._size(options)
        inside = (size >= self.within[0]) & (size <= self.within[1])
        return np.asarray(inside & (options.io_us <= self.most_io_us))

    def keys(self, options: Options, *, by_time: bool) -> tuple[FloatArray, FloatArray]:
        """Return what is to be least of options, and what decides among equals."""
        if np.isfinite(self.most_io_us):
            size = self._size(options)
            falls = len(self.key[0]) and self.key[0][0] < 0
            return (-size, -size) if falls else (size, size)
        cents = options.month_cents.astype(np.float64)
        return (options.io_us, cents) if by_time else (cents, options.io_us)


def _sizes(options: Options) -> dict[str, FloatArray]:
    return {
        "ram_bytes": options.ram_bytes,
        "machines": options.machines.astype(np.float64),
        "disks": (options.store_devices * options.machines).astype(np.float64),
    }


def _codes(found: Groups) -> IntArray:
    """Return the number of the hardware of each group, as `Table.hardware_codes` has it."""
    return Table.codes_of_built(found.chassis, found.drive)
