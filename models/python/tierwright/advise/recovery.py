"""How long the flash takes to fill, and how long a restart takes with it and without."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.answer import Answer, Figure, Step, steps
from tierwright.common.cautions import Caution, Outcome, Weigh
from tierwright.common.derivation import shown
from tierwright.common.errors import BadInput, Problem
from tierwright.common.fields import LEAST_RATE_PER_S
from tierwright.common.wording import counted, percent, relative_change, three_digits
from tierwright.evaluate import flash_cache, recovery
from tierwright.evaluate.metadata import MetadataPreset, ram_pages_left
from tierwright.evaluate.page_flow.cautions import about_curve, about_space_behind
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.evaluate.page_flow.effects import WITHOUT_EFFECT
from tierwright.evaluate.page_flow.other_ends import (
    OtherEnd,
    Situation,
    other_ends,
    weigher,
)
from tierwright.evaluate.recovery import RESTORE_COSTS_MORE, FillTime
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.service_time import (
    PATTERNS,
    service_basis,
    service_time,
    service_us,
)
from tierwright.profile.curve import Curve

MICROSECONDS = 1e6
MEGABYTE = 1e6
SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S, INTERVALS = 30.0, 3600.0, 30
"""Checkpoint intervals of the curve."""
BY_MISSES = "the misses of RAM"
"""The way that fills flash which a replay can count."""
SOURCE = "Kang, Lee and Moon (2016), sections 5.2 and 6.8"


@dataclass(frozen=True, slots=True)
class Fill:
    """Least time to fill the flash.

    Attributes
    ----------
    seconds : float
        [s]
    bytes_per_s : float
        Of the slowest way. [bytes/s]
    bottleneck : str
        That way.
    rates_bytes_per_s : dict of str to float
        Of every way that is known. [bytes/s]
    units : float
        Pages to load. [pages]
    estimator, validity : str
        What was used and where it holds.
    """

    seconds: float
    bytes_per_s: float
    bottleneck: str
    rates_bytes_per_s: dict[str, float]
    units: float
    estimator: str
    validity: str


@dataclass(frozen=True, slots=True)
class RestartTime:
    """Parts of a restart. [s]"""

    metadata_s: float
    reads_s: float
    writes_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class RestartCurve:
    """Restart over the checkpoint interval; equal lengths."""

    checkpoint_interval_s: list[float]
    redo_pages: list[float]
    with_flash_s: list[float]
    without_flash_s: list[float]


@dataclass(frozen=True, slots=True)
class Redone:
    """Pages that a trace dirties between a checkpoint and a crash, counted window by window.

    Attributes
    ----------
    pages : float
        Distinct pages written in a window, on average. [pages]
    most : int
        In the window of most. [pages]
    windows : int
        Whole windows that were counted.
    accesses : int
        Of a window: half a checkpoint interval, or the whole trace where that is shorter. [accesses]
    share : float
        Of half the interval that a window is. [1]
    """

    pages: float
    most: int
    windows: int
    accesses: int
    share: float


def redo_window(
    accesses: int, *, accesses_per_s: float, checkpoint_interval_s: float
) -> tuple[int, float]:
    """Return the accesses of half a checkpoint interval, at most those of the trace, and their share of it.

    Examples
    --------
    >>> redo_window(10_000, accesses_per_s=100.0, checkpoint_interval_s=60.0)
    (3000, 1.0)
    >>> redo_window(1500, accesses_per_s=100.0, checkpoint_interval_s=60.0)
    (1500, 0.5)
    """
    wanted = max(1, round(accesses_per_s * checkpoint_interval_s / 2))
    found = min(wanted, accesses)
    return found, found / wanted


def redone_of(
    window_accesses: ArrayLike, pages_written: ArrayLike, *, length: int, share: float
) -> Redone:
    """Read the pages to redo off windows of a trace.

    A crash comes half an interval after a checkpoint on average, which left no dirty page: redo reads what was
    written since. Windows cut short do not count.

    Parameters
    ----------
    window_accesses, pages_written : array_like
        As `window_curves` counts them.
    length : int
        Accesses of a window. [accesses]
    share : float
        Of half the interval that it is. [1]
    """
    whole = np.asarray(pages_written)[np.asarray(window_accesses) == length]
    return Redone(float(whole.mean()), int(whole.max()), int(whole.size), length, share)


@dataclass(frozen=True, slots=True)
class RestartFound:
    """Restart with a flash cache that survives, against one without.

    Attributes
    ----------
    redo_pages : float
        Pages that redo reads. [pages]
    redo_basis : str
        Where that number is from.
    with_flash, without_flash : RestartTime
        Both restarts.
    speedup : float
        Without over with. [1]
    metadata_segments : int
        Segments of the flash's metadata.
    metadata_restore_s, full_scan_s : float
        To restore them, and to scan all of flash instead. [s]
    metadata_flush_interval_s : float or None
        Between two flushes of a segment; None where nothing misses. [s]
    curve : RestartCurve
        Over the checkpoint interval.
    validity : str
        Where it holds.
    """

    redo_pages: float
    redo_basis: str
    with_flash: RestartTime
    without_flash: RestartTime
    speedup: float
    metadata_segments: int
    metadata_restore_s: float
    full_scan_s: float
    metadata_flush_interval_s: float | None
    curve: RestartCurve
    validity: str


@dataclass(frozen=True, kw_only=True)
class Recovery(Answer):
    """Warm-up and restart.

    Attributes
    ----------
    accesses_per_s : float
        Load. [1/s]
    flash_bytes : int
        [bytes]
    ram_pages_left : int
        RAM left by the flash metadata. [pages]
    fill : Fill
        Least time to fill the flash.
    restart : RestartFound or None
        None where the flash device states no sequential bandwidth.
    restart_reason : str
        Why there is none; empty where there is one.
    """

    accesses_per_s: float
    flash_bytes: int
    ram_pages_left: int
    fill: Fill
    restart: RestartFound | None
    restart_reason: str

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Time to fill; restart with flash and without."""
        restart = self.restart
        return (
            Figure("fill_s", "Least time to fill the flash", self.fill.seconds, "s"),
            Figure(
                "with_flash_s",
                "Restart with flash that survives",
                None if restart is None else restart.with_flash.total_s,
                "s",
            ),
            Figure(
                "without_flash_s",
                "Restart without",
                None if restart is None else restart.without_flash.total_s,
                "s",
            ),
        )


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    accesses_per_s: float,
    flash_metadata: MetadataPreset | None = None,
    checkpoint_interval_s: float = 300.0,
    redo_pages: float | None = None,
    redo_writes: float = 0.0,
    flash_share: float = 0.98,
    redone: Redone | None = None,
) -> Recovery:
    """Say how long the flash takes to fill, and a restart with it and without.

    Parameters
    ----------
    curve : Curve
        Of the workload, with accesses.
    ram_pages, flash_pages : int
        r and f. [pages]
    flash, disk : Device
        Of the two lower tiers.
    accesses_per_s : float
        Page accesses of the load. [1/s]
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.
    checkpoint_interval_s : float
        Between two checkpoints. [s]
    redo_pages : float, optional
        Pages read by redo at that interval; unless given, every write of half an interval touches
        another page, at most all pages. [pages]
    redo_writes : float
        Pages written by redo at that interval. [pages]
    flash_share : float
        Share of the redone pages that flash holds. [1]
    redone : Redone, optional
        What the trace writes in half that interval: then `redo_pages` follow from it, unless given.

    Raises
    ------
    BadInput
        If the flash metadata leave no RAM, nothing misses RAM, a number is out of its domain,
        or a device states no service time. Its problems name the parameter.
    """
    page = curve.page_bytes
    left = float(
        ram_pages_left(
            flash_metadata,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            page_bytes=page,
            source_bytes=curve.data_pages * page,
        )
    )
    if left < 1:
        raise _refused(
            "ram_pages",
            ram_pages,
            "hold less than the flash metadata",
            "use more RAM, less flash, or a cache with larger units",
        )
    if not accesses_per_s >= LEAST_RATE_PER_S:
        raise _refused(
            "accesses_per_s",
            accesses_per_s,
            f"is below {LEAST_RATE_PER_S:g}",
            "give page accesses per second, such as 5000",
        )
    check_evidence("recovery", curve, left, flash_pages)
    misses_per_s = float(curve.misses(left)) / curve.accesses * accesses_per_s
    if misses_per_s <= 0:
        raise _refused(
            "accesses_per_s",
            accesses_per_s,
            "brings nothing into the flash, because nothing misses RAM",
            "use a load above 0 and less RAM",
        )
    flash_bytes = flash_pages * page
    rates = _fill_rates(flash, disk, page, misses_per_s)
    fill = recovery.fill_time(flash_bytes, rates)
    plan = _Restart(
        curve,
        flash,
        disk,
        flash_bytes,
        accesses_per_s,
        misses_per_s,
        checkpoint_interval_s,
        redo_pages,
        redo_writes,
        flash_share,
        redone,
    )
    restart, reason, restart_steps = plan.found()
    return Recovery(
        finding=_finding(fill, restart),
        warnings=(
            *_about_fill(curve, flash_pages),
            *about_curve(curve, ram_pages, 0),
            *about_space_behind(flash_metadata),
            *_about_restart(restart, flash, disk, page),
        ),
        explain=lambda: (*steps(fill.derivation), *restart_steps),
        accesses_per_s=accesses_per_s,
        flash_bytes=flash_bytes,
        ram_pages_left=int(left),
        fill=Fill(
            seconds=fill.seconds,
            bytes_per_s=fill.bytes_per_s,
            bottleneck=fill.bottleneck,
            rates_bytes_per_s=rates,
            units=float(recovery.warm_up_misses(flash_bytes, page)),
            estimator=fill.estimator,
            validity=fill.validity,
        ),
        restart=restart,
        restart_reason=reason,
        weigh=_weigher(
            Situation(curve, flash, disk, (left,)),
            restart,
            lambda of: answer(
                of.curve,
                ram_pages=ram_pages,
                flash_pages=flash_pages,
                flash=of.flash,
                disk=of.disk,
                accesses_per_s=accesses_per_s,
                flash_metadata=flash_metadata,
                checkpoint_interval_s=checkpoint_interval_s,
                redo_pages=redo_pages,
                redo_writes=redo_writes,
                flash_share=flash_share,
                redone=redone,
            ),
        ),
    )


def _weigher(
    asked: Situation,
    restart: RestartFound | None,
    answer_in: Callable[[Situation], Recovery],
) -> Weigh:
    """Return what computes the effect of a caution: on the restart, or on filling where there is none."""
    faster = restart is None or restart.speedup >= 1

    def times(of: Situation) -> tuple[float, float]:
        """Return the time of the faster way, and of the other. [s]"""
        made = answer_in(of)
        if restart is None or made.restart is None:
            return made.fill.seconds, math.inf
        both = made.restart.with_flash.total_s, made.restart.without_flash.total_s
        return both if faster else both[::-1]

    def outcomes(ends: Sequence[OtherEnd]) -> list[Outcome]:
        made = []
        for end in ends:
            before, _ = times(end.before)
            own, other = times(end.situation)
            made.append(
                Outcome(
                    end.when,
                    relative_change(before, own),
                    "flash that survives" if (own <= other) == faster else "no flash",
                    abs(relative_change(other, own)) if own > other else 0.0,
                )
            )
        return made

    def special(caution: Caution) -> Sequence[Outcome]:
        if caution.name != "cost_is_no_latency":
            return ()
        # Redo that waits for each page: as where the depth of the rates is not known.
        alone = Caution("queue_depth_unknown", "", "")
        return outcomes(other_ends(alone, asked))

    return weigher(
        asked,
        outcomes,
        figure="time to fill" if restart is None else "time of the restart",
        chosen="flash that survives" if faster else "no flash",
        kind="way",
        without=WITHOUT_EFFECT,
        special=special,
    )


def page_flow_times(flash: Device, disk: Device, page_bytes: int) -> dict[str, float]:
    """Cost of a page on both devices, under the names of `restart`. [s]

    Raises
    ------
    BadInput
        If a device states neither IOPS nor a latency.
    """
    found = {}
    for role, device in (("flash", flash), ("disk", disk)):
        for operation in OPERATIONS:
            time_us = service_us(device, operation, page_bytes)
            if time_us is None:
                raise BadInput(
                    f"device `{device.id}` has no {operation} service time",
                    "choose a device with IOPS or a latency",
                )
            found[f"{role}_{operation}_s"] = time_us / MICROSECONDS
    return found


def _refused(where: str, value: float, message: str, hint: str) -> BadInput:
    problem = Problem(where, f"{value:g}", message)
    return BadInput(f"recovery: {problem}", hint, (problem,))


def _finding(fill: FillTime, restart: RestartFound | None) -> str:
    hours = three_digits(fill.seconds / 3600)
    if restart is None:
        return (
            f"The flash needs at least {hours} h to fill, limited by {fill.bottleneck}."
        )
    return (
        f"The flash needs at least {hours} h to fill, limited by {fill.bottleneck}; a restart "
        f"takes {three_digits(restart.with_flash.total_s)} s with it, "
        f"{three_digits(restart.without_flash.total_s)} s without."
    )


def _fill_rates(
    flash: Device, disk: Device, page_bytes: int, misses_per_s: float
) -> dict[str, float]:
    rates = {
        BY_MISSES: misses_per_s * page_bytes,
        "reads of the back end": _fastest(disk, "read", page_bytes),
        "flash writes": _fastest(flash, "write", page_bytes),
    }
    return {name: rate for name, rate in rates.items() if rate > 0}


def _fastest(device: Device, operation: Operation, page_bytes: int) -> float:
    """Most bytes a second that the device states; 0 where the device states none."""
    times = (
        service_time(device, operation, page_bytes, pattern=pattern).time_us
        for pattern in PATTERNS
    )
    return max(
        (page_bytes * MICROSECONDS / time for time in times if time), default=0.0
    )


def _about_fill(curve: Curve, flash_pages: int) -> Iterator[Caution]:
    distinct = curve.distinct_pages
    if flash_pages > distinct:
        yield Caution(
            "never_full",
            f"the flash holds {counted(flash_pages, 'page')}, more than the {counted(distinct, 'page')} of "
            "the workload: it never fills",
            "the time shown assumes that every page is new; choose less flash",
        )


def _about_restart(
    restart: RestartFound | None, flash: Device, disk: Device, page_bytes: int
) -> Iterator[Caution]:
    if restart is None:
        return
    yield Caution(
        "cost_is_no_latency",
        f"each redone page is assumed to take its busy time (flash: "
        f"{service_basis(flash, page_bytes)}; disk: {service_basis(disk, page_bytes)})",
        "if redo waits for each page, it takes the latency instead: choose devices "
        "measured at queue depth 1",
    )
    if restart.speedup < 1:
        yield RESTORE_COSTS_MORE


@dataclass(frozen=True, slots=True)
class _Restart:
    curve: Curve
    flash: Device
    disk: Device
    flash_bytes: int
    accesses_per_s: float
    misses_per_s: float
    checkpoint_interval_s: float
    redo_pages: float | None
    redo_writes: float
    flash_share: float
    redone: Redone | None

    def found(self) -> tuple[RestartFound | None, str, tuple[Step, ...]]:
        """Return the restart, why there is none, and its steps."""
        bandwidth = self.flash.number("sequential_read_mb_per_s")
        if bandwidth is None:
            reason = f"`{self.flash.id}` states no sequential read bandwidth"
            return None, f"{reason}; add it to a copy of the device", ()
        page = self.curve.page_bytes
        times = page_flow_times(self.flash, self.disk, page)
        restore = flash_cache.recovery(
            self.flash_bytes,
            page_bytes=page,
            seq_read_bytes_per_s=bandwidth * MEGABYTE,
        )
        # Below two segments the formula scans more than there is.
        metadata_s = min(restore.restore_seconds, restore.full_scan_seconds)
        per_s, basis = self._redone()
        grid = np.geomspace(SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S, INTERVALS)
        intervals = np.append(grid, self.checkpoint_interval_s)
        pages = per_s * intervals / 2
        if self.redo_pages is None:
            pages = np.minimum(pages, self.curve.distinct_pages)
        writes = self.redo_writes * intervals / self.checkpoint_interval_s
        compared = recovery.restart(
            metadata_s=metadata_s,
            redo_pages=pages,
            redo_writes=writes,
            flash_share=self.flash_share,
            **times,
        )
        single = recovery.restart(
            metadata_s=metadata_s,
            redo_pages=float(pages[-1]),
            redo_writes=float(writes[-1]),
            flash_share=self.flash_share,
            **times,
        )
        flush = float(recovery.metadata_flush_interval(64_000, self.misses_per_s))
        found = RestartFound(
            redo_pages=float(pages[-1]),
            redo_basis=basis,
            with_flash=_part(single.with_flash),
            without_flash=_part(single.without_flash),
            speedup=float(single.speedup),
            metadata_segments=restore.segments,
            metadata_restore_s=restore.restore_seconds,
            full_scan_s=restore.full_scan_seconds,
            metadata_flush_interval_s=flush if math.isfinite(flush) else None,
            curve=RestartCurve(
                checkpoint_interval_s=grid.tolist(),
                redo_pages=pages[:-1].tolist(),
                with_flash_s=compared.with_flash.total_s[:-1].tolist(),
                without_flash_s=compared.without_flash.total_s[:-1].tolist(),
            ),
            validity=single.with_flash.validity,
        )
        given = {"bandwidth": bandwidth, "metadata_s": metadata_s, "flush": flush}
        return found, "", tuple(self._steps(found, single, given))

    def _redone(self) -> tuple[float, str]:
        """Pages that redo reads for each second of the interval, and where that is from."""
        if self.redo_pages is not None:
            per_s = self.redo_pages / (self.checkpoint_interval_s / 2)
            return per_s, "as given, in proportion to the interval"
        if self.redone is not None:
            half_s = self.checkpoint_interval_s / 2
            return self.redone.pages / self.redone.share / half_s, _counted(self.redone)
        share, known = _most_writes(self.curve)
        basis = (
            "upper bound: each write in half an interval touches a different page, up to "
            f"all pages of the workload{known}"
        )
        return self.accesses_per_s * share, basis

    def _steps(
        self,
        found: RestartFound,
        single: recovery.Restart,
        given: Mapping[str, float],
    ) -> Iterator[Step]:
        page, flash_bytes = self.curve.page_bytes, self.flash_bytes
        bandwidth = given["bandwidth"]
        yield Step(
            "metadata_s",
            f"[max(0, segments - 2) x 64,000 x 32 B + min(segments, 2) x 64,000 x "
            f"page] / bandwidth, at most a full scan, flash / bandwidth; segments = "
            f"ceil(flash / page / 64,000) = {found.metadata_segments:,}, page = {page:,} B, "
            f"flash = {flash_bytes:,} B, bandwidth = {bandwidth:g} MB/s",
            given["metadata_s"],
            "s",
            SOURCE,
        )
        yield from steps(single.with_flash.derivation, "with_flash")
        yield from steps(single.without_flash.derivation, "without_flash")
        yield from _beside(
            found.full_scan_s,
            f"flash / bandwidth; flash = {flash_bytes:,} B, bandwidth = "
            f"{bandwidth:g} MB/s",
            "full_scan_s",
        )
        yield from _beside(
            given["flush"],
            f"64,000 / misses per s; misses per s = {shown(self.misses_per_s)} 1/s",
            "metadata_flush_interval_s",
        )
        yield Step(
            "speedup",
            "total_s without flash / total_s with flash = "
            f"{shown(found.without_flash.total_s)} s / "
            f"{shown(found.with_flash.total_s)} s",
            found.speedup,
            "1",
            "derived",
        )


def _beside(value: float, formula: str, name: str) -> Iterable[Step]:
    """Give a time of the metadata that the restart does not contain."""
    if math.isfinite(value):
        yield Step(name, formula, value, "s", SOURCE)


def _counted(redone: Redone) -> str:
    """Say where counted pages are from."""
    windows = counted(redone.windows, "window")
    if redone.share < 1:
        return (
            f"counted in the trace, which is {percent(redone.share)} of half an interval long and writes "
            f"{counted(f'{redone.pages:,.0f}', 'page')}; in proportion to the time, up to all pages of the workload"
        )
    return (
        f"counted in the trace: distinct pages written in half an interval, on average over {windows}, "
        f"at most {redone.most:,}; at other intervals in proportion, up to all pages of the workload"
    )


def _most_writes(curve: Curve) -> tuple[float, str]:
    """Share of the accesses that write, at most; and what to add where it is unknown."""
    if curve.known_write_accesses is not None and curve.notes.tells_writes:
        return curve.known_write_accesses / curve.accesses, ""
    stated = None if curve.given is None else curve.given.write_share
    if stated is not None:
        return stated, ""
    return 1.0, "; the share of writes is unknown, so all accesses are assumed to write"


def _part(time: recovery.RedoTime) -> RestartTime:
    parts: dict[str, Any] = {
        name: float(getattr(time, name)) for name in RestartTime.__slots__
    }
    return RestartTime(**parts)
