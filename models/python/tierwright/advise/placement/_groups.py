"""Every group of workloads as a question of its own: its options in one shared cache, and with a part of the RAM for each."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tierwright.advise.advice import _choice, _conflict
from tierwright.advise.advice._asked import Asked, asked_of
from tierwright.advise.advice._numbers import with_enough
from tierwright.advise.advice._table import Rates, Table
from tierwright.advise.advice._why_not import SIZING
from tierwright.advise.advice.request import Candidates
from tierwright.advise.compose import KNOWN_ERROR
from tierwright.advise.configurations import data_bytes_of
from tierwright.common.arrays import FloatArray
from tierwright.common.core_errors import Cancelled
from tierwright.evaluate.advice.cover import subsets, undominated
from tierwright.evaluate.advice.information import NEAR
from tierwright.evaluate.advice.limits import values
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.compose.composed import composed_curve, partitioned_curve
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright.profile.several import Workload

TOTALS = ("machines", "ram_bytes", "flash_bytes", "usd_per_month", "purchase_usd")
"""Constraints on all systems together; the others hold for each."""
GAIN = {"usd": NEAR, "io_time": KNOWN_ERROR}
"""Share by which parts must be better than the shared cache to be chosen: what is nearer in money is as good as the best;
of the time, the known error of a composed curve (docs/models/compose.md). [1]"""
Objective = Literal["usd", "io_time"]
OnGroup = Callable[[int, int], bool]
"""Takes groups done and groups in all; returns whether to go on."""


@dataclass(frozen=True, slots=True)
class Run:
    """One way to run the cache of a group: its question, its options, and which of them could be chosen."""

    asked: Asked
    table: Table
    rows: IntArray
    in_parts: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """One group of workloads: `shared`, in one cache, and `parts`, with a part of the RAM for each.

    `parts` is None for one workload, and where a curve is from counters, which speak of few sizes.
    """

    members: tuple[int, ...]
    shared: Run
    parts: Run | None

    @property
    def runs(self) -> tuple[Run, ...]:
        """The ways to run its cache."""
        return (self.shared,) if self.parts is None else (self.shared, self.parts)

    @property
    def has_rows(self) -> bool:
        """Whether some option could be chosen."""
        return any(len(run.rows) for run in self.runs)

    @property
    def rate(self) -> float:
        """Mean rate of its workloads. [1/s]"""
        return self.shared.asked.setting.rates.mean or 0.0

    def without(self, names: frozenset[str]) -> Group:
        """Return the same group without some limits, with all options that are the best in some amount that was limited.

        No device is busy for more than all of the time.
        """
        amounts = limited(self.shared.asked)

        def rows_of(run: Run) -> Run:
            asked = run.asked
            for name in sorted(names & asked.constraints.keys()):
                asked = asked.at_its_loosest(name)
            # Without some limits fewer devices would do.
            table = (
                run.table.remade(asked.setting) if names & set(SIZING) else run.table
            )
            rows = _rows(asked, table, amounts, in_parts=run.in_parts)
            return replace(run, asked=asked, table=table, rows=rows)

        return _compared(
            replace(
                self,
                shared=rows_of(self.shared),
                parts=None if self.parts is None else rows_of(self.parts),
            ),
            amounts,
        )

    def why_not(self, whom: str) -> _conflict.Conflict:
        """Say which limits on a system no option of a shared cache keeps together, for the workload of that name."""
        asked, table = self.shared.asked, self.shared.table
        for name in TOTALS:
            asked = asked.without(name)
        chosen = _choice.chosen_of(asked, table)
        limits = [*chosen.limits, *_choice.response_limits(asked, table, chosen)]
        return _conflict.explained(asked, table, limits, whom)


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked of every group.

    Attributes
    ----------
    candidates, constraints, objective, prices, horizon_months, devices
        As of `tierwright.advise.advice.answer`; `devices` are the flash and the disk.
    """

    candidates: Candidates
    constraints: Mapping[str, Any]
    objective: Objective
    prices: PriceBook | None
    horizon_months: int
    devices: tuple[Device | None, Device | None]

    def groups(
        self, workloads: Sequence[Workload], on_progress: OnGroup | None
    ) -> Iterator[Group]:
        """Ask for every group of workloads; groups of copies once."""
        alike = alike_of(workloads)
        made: dict[tuple[int, ...], Group] = {}
        wholes = list(subsets(len(workloads)))
        for done, members in enumerate(wholes):
            if on_progress is not None and not on_progress(done, len(wholes)):
                raise Cancelled("the placement was cancelled", "")
            key = tuple(sorted(alike[at] for at in members))
            if key not in made:
                made[key] = self._group(members, [workloads[at] for at in members])
            yield replace(made[key], members=members)
        if on_progress is not None:
            on_progress(len(wholes), len(wholes))

    def _group(self, members: tuple[int, ...], some: Sequence[Workload]) -> Group:
        asked = self._asked(some, _shared)
        table = with_enough(asked, Table.of(asked.setting))
        amounts = limited(asked)
        shared = Run(asked, table, _rows(asked, table, amounts))
        parts = None
        if has_parts(some):
            sizes = parted_sizes(table)
            apart = self._asked(some, lambda each: partitioned_curve(each, sizes))
            setting = replace(apart.setting, parted=tuple(some))
            apart = replace(apart, setting=setting)
            other = with_enough(apart, table.remade(apart.setting))
            rows = _rows(apart, other, amounts, in_parts=True)
            parts = Run(apart, other, rows, in_parts=True)
        return _compared(Group(members, shared, parts), amounts)

    def _asked(
        self, workloads: Sequence[Workload], curve_of: Callable[[list[Workload]], Curve]
    ) -> Asked:
        """Ask for one group: the curve of its cache, the sum of its data and of its rates."""
        few, many = at_ends(workloads)
        curve = curve_of(many)
        mean = math.fsum(each.accesses_per_s for each in workloads)
        asked = asked_of(
            curve,
            (mean, None),
            self.candidates,
            None,
            self.constraints,
            self.objective,
            self.prices,
            self.horizon_months,
            self.devices,
            0,
        )
        fewest = None
        if without_write_backs(workloads):
            backs, most = curve_of(few), curve.write_backs_at
            assert most is not None
            # Lines between the sizes that either lists differ: the fewest are never more than the most.
            fewest = replace(
                curve,
                write_backs_at=np.minimum(backs.write_backs(curve.pages), most),
                write_accesses=backs.write_accesses,
            )
        data_bytes = sum(
            data_bytes_of(each.curve, self.horizon_months) for each in workloads
        )
        setting = replace(
            asked.setting,
            fewest_dirty=fewest,
            rates=Rates(mean, math.fsum(peak_of(each) for each in workloads)),
            data_bytes=data_bytes,
            load_grows_per_year=max(map(growth_of, workloads)),
        )
        return replace(asked, setting=setting)


def has_parts(workloads: Sequence[Workload]) -> bool:
    """Whether several workloads could have a part of the RAM each: all of their curves are known at every size."""
    return len(workloads) > 1 and all(each.curve.evidence is None for each in workloads)


def parted_sizes(table: Table) -> list[int]:
    """Return the sizes of the RAM of options without a flash cache: what is split is known at these. [pages]"""
    options = table.options
    return [
        int(each)
        for each in np.unique(options.ram_pages[options.flash_pages == 0])
        if each >= 1 and float(each).is_integer()
    ]


def limited(asked: Asked) -> tuple[str, ...]:
    """Return the amounts that a question limits of all systems together."""
    return tuple(name for name in TOTALS if name in asked.constraints)


def _rows(
    asked: Asked, table: Table, amounts: Sequence[str], *, in_parts: bool = False
) -> IntArray:
    """Return what of the options keeps every limit and could be chosen for its goal or these amounts, the best first.

    For the I/O time money is one of them: of choices that take as long the cheapest is wanted.
    """
    chosen = _choice.chosen_of(asked, table)
    options, rows = table.options, chosen.order
    if in_parts:
        is_split = (options.flash_pages == 0) & np.isin(
            options.ram_pages, parted_sizes(table)
        )
        rows = rows[is_split[rows]]
    if asked.objective == "usd" and not amounts:
        best = next(_choice.kept(asked, table, chosen, rows), None)
        return np.asarray([] if best is None else [best], dtype=np.int64)
    columns = np.stack(
        [
            *_columns(asked, table, amounts),
            table.options.month_cents / 100
            if asked.objective == "io_time"
            else table.options.io_us,
        ]
    )
    while True:
        # The best first, so that of equals the better in the other objective stands.
        good = rows[undominated(columns[:, rows].T)]
        kept = np.asarray(
            list(_choice.kept(asked, table, chosen, good)), dtype=np.int64
        )
        if len(kept) == len(good):
            return kept
        rows = rows[~np.isin(rows, np.setdiff1d(good, kept))]


def _columns(asked: Asked, table: Table, amounts: Sequence[str]) -> FloatArray:
    """Return what is to be least of each option, and below it each of these amounts."""
    options = table.options
    goals = options.io_us if asked.objective == "io_time" else options.month_cents / 100
    return np.stack([goals, *(values(options, name) for name in amounts)])


def _compared(group: Group, amounts: Sequence[str]) -> Group:
    """Leave parts out that are not better by `GAIN` than a shared cache that needs no more of what is limited."""
    parts, shared = group.parts, group.shared
    if parts is None or not len(parts.rows) or not len(shared.rows):
        return group
    least = _columns(shared.asked, shared.table, amounts)[:, shared.rows].copy()
    least[0] *= 1 - GAIN[shared.asked.objective]
    own = _columns(parts.asked, parts.table, amounts)[:, parts.rows]
    better = [
        not bool(np.all(least <= own[:, [at]], axis=0).any())
        for at in range(own.shape[1])
    ]
    return replace(group, parts=replace(parts, rows=parts.rows[better]))


def without_write_backs(workloads: Sequence[Workload]) -> tuple[str, ...]:
    """Name the workloads of which nobody said which evicted pages are dirty."""
    return tuple(each.name for each in workloads if each.curve.write_backs_at is None)


def at_ends(
    workloads: Sequence[Workload],
) -> tuple[list[Workload], list[Workload]]:
    """Take workloads with as few dirty pages as possible, and with as many; what is known stays."""
    few, many = [], []
    for each in workloads:
        ends = (
            (each.curve, each.curve)
            if each.curve.write_backs_at is not None
            else dirty_ends(each.curve)
        )
        few.append(replace(each, curve=ends[0]))
        many.append(replace(each, curve=ends[1]))
    return few, many


def alike_of(workloads: Sequence[Workload]) -> list[int]:
    """Give each workload a number, copies the same: their groups have the same options."""
    known: dict[str, int] = {}
    return [known.setdefault(identity(each), len(known)) for each in workloads]


def identity(workload: Workload) -> str:
    curve = workload.curve
    scaled = curve.scaled
    document = [
        curve.to_lists(),
        curve.page_bytes,
        curve.accesses,
        curve.write_accesses,
        curve.distinct_pages,
        None if curve.given is None else curve.given.write_share,
        None if scaled is None else scaled.to_dict(),
        workload.accesses_per_s,
    ]
    text = json.dumps(document, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def peak_of(workload: Workload) -> float:
    """Rate of its busiest hour: as much above its mean as in production. [1/s]"""
    scaled, mean = workload.curve.scaled, workload.accesses_per_s
    return mean if scaled is None else scaled.production.peak_at(mean)


def growth_of(workload: Workload) -> float:
    """Growth of its load; one that shrinks wears flash as it does today. [1/year]"""
    scaled = workload.curve.scaled
    return 0.0 if scaled is None else max(0.0, scaled.production.growth_per_year)


def _shared(workloads: Sequence[Workload]) -> Curve:
    """Return the curve of the cache that workloads share."""
    if len(workloads) == 1:
        return workloads[0].curve
    return composed_curve(workloads)
