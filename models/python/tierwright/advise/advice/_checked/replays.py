"""Replays of options: made over one read of the recording, and what each of them says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.advise.advice._checked.places import (
    Planned,
    asked_point,
    held_share,
    unfilled_by,
)
from tierwright.advise.advice._checked.wear import bands, least_life, lives, peak_busy
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Replays, SchemeAt
from tierwright.advise.decide import replayed_rows
from tierwright.common.units import format_microseconds
from tierwright.common.wording import listed, percent
from tierwright.evaluate.page_flow.decision import (
    ReplayPoint,
    new_share,
    operations_if_dirty,
    priced,
    with_writes,
)
from tierwright.evaluate.page_flow.load import TIER_TERMS
from tierwright.evaluate.page_flow.terms import COST_TERMS
from tierwright.evaluate.scale.replays import (
    FILL,
    MORE_ALIKE,
    writes_factor,
    writes_multiplied,
)
from tierwright.hardware.device import OPERATIONS
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.simulate.priced import flash_pages_written, without_new_pages
from tierwright.trace.notes import Note
from tierwright.trace.reading import OnProgress, Trace

FIRST_TOUCHES = "first_touches_alone"
"""Note of a replay of RAM alone that the recording does not fill."""
WRITES_MULTIPLIED = "replayed_writes_multiplied"
"""Note of a replay whose recording writes another share of its accesses than production."""
NEW_PAGES = "new_pages_taken_off"
"""Note of a replay of a recording of which some pages are stated to be new."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the replay of one option says.

    Attributes
    ----------
    at : int
        Option.
    model_us, simulated_us : float
        I/O time of an access by the model, and by the replay; the second NaN where it was not replayed. [µs]
    peak_busy : float
        Largest busy share of its devices in the busiest hour, by the replay; NaN where unknown. [1]
    band : float
        By what share the two may differ, or would if it were replayed. [1]
    reason : str
        Why it was not replayed; empty where it was.
    warnings : tuple of Note
        What the replay says of what it counted.
    life_years : float
        Least life of flash that is bought, by what the replay writes; infinite where none is worn, NaN where unknown.
        Where the trace does not tell writes from reads, if every page that leaves RAM is dirty. [365 days]
    knows_life : bool
        Whether that is its life whatever of the accesses writes.
    tiers_us : tuple of float
        Busy time of flash that caches and of what holds the data that an access takes, by the replay; NaN where it was not
        replayed. [µs]
    lives : tuple of float
        Life at today's rate of flash that caches and of what holds the data, by what the replay writes; NaN where unknown.
        [365 days]
    most_us : float or None
        Most I/O time that an access takes once RAM is full, where the recording does not fill it: its misses are those
        of the replay, first touches among them, and each writes a page back. The busy share and the life are of it.
        None where the recording fills it. [µs]
    """

    at: int
    model_us: float
    simulated_us: float
    peak_busy: float
    band: float
    reason: str
    warnings: tuple[Note, ...] = ()
    most_us: float | None = None
    life_years: float = math.inf
    tiers_us: tuple[float, float] = (math.nan, math.nan)
    lives: tuple[float, float] = (math.nan, math.nan)
    knows_life: bool = True

    @property
    def is_timed(self) -> bool:
        """Whether the replay shows what an access takes, and not no more than that it takes less than so much."""
        return not self.reason and self.most_us is None

    @property
    def known_us(self) -> float:
        """I/O time of an access: by the replay, or by the model where none shows it. [µs]"""
        return self.simulated_us if self.is_timed else self.model_us

    @property
    def held_us(self) -> float:
        """I/O time of an access that is held against a limit: what it takes by the replay at most. [µs]"""
        return self.simulated_us if self.most_us is None else self.most_us

    @property
    def gap(self) -> float | None:
        """By what share the model differs from the replay; None where no replay shows the time. [1]"""
        if not (self.is_timed and self.simulated_us > 0):
            return None
        return self.model_us / self.simulated_us - 1

    @property
    def times_off(self) -> float | None:
        """How many times the lesser of model and replay the other is, at least 1; None where there is no gap. [1]"""
        gap = self.gap
        if gap is None:
            return None
        of_replay = 1 + gap
        return max(of_replay, 1 / of_replay if of_replay > 0 else math.inf)

    @property
    def is_beyond_band(self) -> bool:
        """Whether one of model and replay is more than the known error above the other.

        The model is drawn within that error evenly in its logarithm, so that an error of 100 % is a factor of two either
        way: by a share of the replay no model could be too low by as much.
        """
        times = self.times_off
        return times is not None and times > 1 + self.band


def by_trace(curve: Curve, trace: Trace, on_progress: OnProgress | None) -> Replays:
    """Return what makes replays from a trace, all over one read of it.

    Parameters
    ----------
    curve : Curve
        Of the workload; the trace is its recording.
    trace : Trace
        The recording.
    on_progress : callable or None
        See `tierwright.trace.reading.OnProgress`.

    Returns
    -------
    callable
        Raises `BadInput` if the trace is not the one of the curve, `Cancelled` if progress asked to stop.
    """

    def made(wanted: Sequence[SchemeAt]) -> Sequence[Mapping[str, Any]]:
        # Without any the trace is still read: whether it is the right one is said.
        points = list(wanted) or [("none", ReplayPoint(1, 0))]
        rows = replayed_rows(
            curve,
            trace,
            [point.configuration(scheme) for scheme, point in points],
            warm_up=points[0][1].warm_up,
            # A flash cache that cannot run on this recording is no candidate.
            raises=points[0][1].family == "scheme",
            on_progress=on_progress,
        )
        return rows[: len(wanted)]

    return made


def replayed(
    table: Table, finalists: Sequence[int], replays: Replays
) -> list[Replayed]:
    """Replay the recording for all finalists, each at its own sizes.

    Parameters
    ----------
    table : Table
        Of the options.
    finalists : sequence of int
        Options.
    replays : callable
        Makes the replays, or returns those that were made before.
    """
    planned = Planned.of(table, finalists)
    # Options of the same sizes are one replay.
    wanted = list(dict.fromkeys(planned.replays.values()))
    counters = dict(zip(wanted, replays(wanted), strict=True))
    errors = bands(table, np.asarray(finalists, dtype=np.int64))

    curve = table.setting.curve
    factor, new = writes_factor(curve.scaled), new_share(curve) or 0.0

    def of(at: int) -> Mapping[str, Any]:
        made = with_writes(counters[planned.replays[at]], table.scheme(at), factor)
        return without_new_pages(made, new)

    return [
        _refused(table, at, float(band), refused)
        if (refused := planned.refused.get(at) or _without_times(table, at, of(at)))
        else _of(table, at, of(at))
        for at, band in zip(finalists, errors, strict=True)
    ]


def _refused(table: Table, at: int, band: float, reason: str) -> Replayed:
    return Replayed(at, float(table.options.io_us[at]), np.nan, np.nan, band, reason)


def _without_times(table: Table, at: int, counters: Mapping[str, Any]) -> str:
    """Say that a replay reads or writes what holds the data, of which no source states times; empty where it does not.

    An option that holds all of the data in a cache needs no such times by the model.
    """
    flash, store = table.names(at)
    written = counters["hdd_writes"]
    if unfilled_by(table, at):
        # What is not full may write as much as it does once it is.
        written = max(written, _most_written(counters) * counters["accesses"])
    asked = {
        "flash_read": (flash, counters["flash_hits"]),
        "flash_write": (flash, flash_pages_written(counters)),
        "disk_read": (store, counters["hdd_reads"]),
        "disk_write": (store, written),
    }
    times = _times_us(table, at)
    lacking = dict.fromkeys(
        f"`{name}`"
        for operation, (name, count) in asked.items()
        if count and times[operation] is None
    )
    if not lacking:
        return ""
    return (
        f"Not checked by a replay: it reads or writes {listed([*lacking])}, and no source states how long that takes; name a device that "
        "stands in."
    )


def _times_us(table: Table, at: int) -> dict[str, float | None]:
    """Return the time of an operation of what caches and of what holds the data; None where no source states it. [µs]"""
    page = table.setting.curve.page_bytes
    return {
        f"{tier}_{operation}": None
        if device is None
        else service_us(device, operation, page)
        for tier, device in zip(("flash", "disk"), table.devices(at), strict=True)
        for operation in OPERATIONS
    }


def _of(table: Table, at: int, counters: Mapping[str, Any]) -> Replayed:
    # What the replay does not do needs no time.
    times = {name: time or 0.0 for name, time in _times_us(table, at).items()}
    found = priced(
        counters,
        flash_read=times["flash_read"],
        flash_write=times["flash_write"],
        disk_read=times["disk_read"],
        disk_write=times["disk_write"],
    )
    tiers_us = {
        tier: sum(found.cost_terms_us_per_access[term] for term in TIER_TERMS[tier])
        for tier in ("flash", "disk")
    }
    warnings, most_us = warnings_of(counters), None
    store_written = counters["hdd_writes"] / counters["accesses"]
    if unfilled_by(table, at):
        # What is not full evicts less than once a miss: nothing is written back before.
        more = max(0.0, _most_written(counters) - store_written)
        store_written += more
        tiers_us["disk"] += more * times["disk_write"]
        most_us = tiers_us["disk"]
        warnings = (*warnings, _first_touches(table, at, most_us))
    warnings = (*warnings, *about_production(table.setting.curve))
    most = _most_wear(table, table.scheme(at), counters)
    flash_written = flash_pages_written(counters) / counters["accesses"]
    worn = lives(table, at, max(flash_written, most[0]), max(store_written, most[1]))
    return Replayed(
        at,
        float(table.options.io_us[at]),
        found.io_time_us_per_access,
        peak_busy(table, at, tiers_us),
        float(bands(table, np.asarray([at], dtype=np.int64))[0]),
        "",
        warnings,
        most_us,
        least_life(table, worn),
        (tiers_us["flash"], tiers_us["disk"]),
        worn,
        table.knows_life(at),
    )


def _most_wear(
    table: Table, scheme: str, counters: Mapping[str, Any]
) -> tuple[float, float]:
    """Most pages that an access writes to flash that caches and to what holds the data, where the trace does not tell. [1]

    Nothing where it does: the replay counts them then.
    """
    if table.setting.curve.notes.tells_writes:
        return 0.0, 0.0
    done = operations_if_dirty(counters, scheme)
    flash, store = (
        sum(
            done[term.name]
            for term in COST_TERMS
            if (term.device, term.operation) == (tier, "write") and term.name in done
        )
        for tier in ("flash", "disk")
    )
    return flash / counters["accesses"], store / counters["accesses"]


def _most_written(counters: Mapping[str, Any]) -> float:
    """Most pages that an access makes full RAM write back: one for each miss, and no more than are written to. [1]"""
    most = min(counters["flash_misses"], counters["write_accesses"])
    return float(most / counters["accesses"])


def about_production(curve: Curve) -> Iterator[Note]:
    """Say what a replay of the recording was changed by to stand for production: other writes, and pages that are new."""
    said = writes_multiplied(curve.scaled)
    if said:
        yield Note(WRITES_MULTIPLIED, said, MORE_ALIKE)
    if not curve.growth:
        return
    share = new_share(curve)
    reads = (
        "a replay reads every page that it touches for the first time, new pages too"
    )
    if share is None:
        yield Note(
            NEW_PAGES,
            f"{reads}, and how many of those it counts is not known: it takes too long rather than too short",
            "profile the recording again",
        )
    elif share:
        yield Note(
            NEW_PAGES,
            f"{reads}: the stated share of these reads was taken off, {percent(share)} of the accesses that it counts",
            "",
        )


def _first_touches(table: Table, at: int, most_us: float) -> Note:
    """Say what the replay of RAM alone shows that the recording does not fill."""
    curve = table.setting.curve
    held = held_share(curve, table.scheme(at), asked_point(table, at))
    return Note(
        FIRST_TOUCHES,
        f"RAM would hold {percent(held)} of the pages of the recording, which does not fill it: its replay shows that an access takes "
        f"at most {format_microseconds(most_us)} of I/O time once it is full, for first touches miss in it, and how long it takes is by "
        "the model",
        FILL,
    )


def warnings_of(counters: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return what a replay says of what it counted."""
    return tuple(Note(**each) for each in counters.get("warnings", ()))
