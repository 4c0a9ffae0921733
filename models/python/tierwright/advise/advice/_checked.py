"""Finalists of an advice replayed in the reference simulator, and what the replay says of them."""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._split import Split
from tierwright.advise.advice._table import Table, budgets_tb, finite
from tierwright.advise.advice._words import (
    IF_DIRTY,
    beside_text,
    limit_value,
    on_limit,
    with_flow,
)
from tierwright.advise.advice.found import CheckedOption, Option
from tierwright.advise.advice.request import Replays, SchemeAt
from tierwright.advise.decide import replayed_rows
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted, listed, percent
from tierwright.evaluate.advice.choose import ordered
from tierwright.evaluate.advice.limits import (
    IO_TIME,
    LIFE,
    LOAD,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    THROUGHPUT,
    Bools,
    Limit,
    conflict,
)
from tierwright.evaluate.advice.limits import ROUNDING as LIMIT_ROUNDING
from tierwright.evaluate.advice.rows import IntArray, life_years
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.page_flow.decision import (
    TIE_TOLERANCE,
    ReplayPoint,
    priced,
    recorded_point,
    steady_errors,
    warm_up_of,
)
from tierwright.evaluate.page_flow.load import TIER_TERMS
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.page_flow.terms import COST_TERMS
from tierwright.evaluate.scale.replays import (
    FILL,
    MOST_HELD,
    ReplaySizes,
    recorded_accesses,
    unfilled,
)
from tierwright.hardware.device import OPERATIONS
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.simulate.priced import flash_pages_written
from tierwright.trace.notes import Note
from tierwright.trace.reading import OnProgress, Trace

FIRST_TOUCHES = "first_touches_alone"
"""Note of a replay of RAM alone that the recording does not fill."""
COUNTED = (PEAK_BUSY, THROUGHPUT, IO_TIME, LIFE)
"""Limits of what a replay counts."""
MOST_FINALISTS = 5
MOST_ROUNDS = 3
"""Further replays, where one leaves options that could be better."""
MOST_MORE = 16
"""Choices of sizes of each of them, and of what is too busy by less than the error of the model."""
MOST_MORE_DEVICES = 2.0
"""How many times as many devices as the model asks for may hold the data because a replay shows them busier. [1]"""
COLD_ERROR = 0.01
"""By what share the cost of a cold start may be off a replay besides the error of the flash hits: rounding of sizes. [1]"""


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
        By what share the two may differ. [1]
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
        Life of flash that caches and of what holds the data, by what the replay writes; NaN where unknown. [365 days]
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


@dataclass(frozen=True, slots=True)
class Planned:
    """What has to be replayed for the finalists.

    Attributes
    ----------
    replays : dict of int to SchemeAt
        By option: scheme, and where the recording is replayed for it.
    refused : dict of int to str
        By option: why it is not replayed.
    """

    replays: dict[int, SchemeAt]
    refused: dict[int, str]

    @classmethod
    def of(cls, table: Table, finalists: Sequence[int]) -> Planned:
        """Find the sizes of the recording that correspond to each finalist.

        Parameters
        ----------
        table : Table
            Of the options.
        finalists : sequence of int
            Options.
        """
        curve = table.setting.curve
        replays: dict[int, SchemeAt] = {}
        refused: dict[int, str] = {}
        for at in finalists:
            scheme = table.scheme(at)
            point = point_of(curve, scheme, _asked_point(table, at))
            if isinstance(point, str):
                refused[at] = point
            else:
                replays[at] = scheme, point
        return cls(replays, refused)


def _asked_point(table: Table, at: int) -> ReplayPoint:
    """Return the sizes of an option, from where a replay of its workload counts."""
    curve, options = table.setting.curve, table.options
    scaled = curve.scaled
    accesses = curve.accesses if scaled is None else recorded_accesses(scaled)
    return ReplayPoint(
        int(options.ram_pages[at]),
        int(options.flash_pages[at]),
        warm_up_of(curve.start, accesses),
    )


def _refusing_sizes(curve: Curve, name: str, asked: ReplayPoint) -> ReplaySizes | None:
    """Return the sizes of a replay that are too small to stand for those of production; None where they are not."""
    scaled = curve.scaled
    if scaled is None:
        return None
    point = recorded_point(asked, name, scaled)
    sizes = ReplaySizes.of(
        scaled,
        [
            (
                (asked.ram_pages, asked.flash_pages),
                (point.ram_pages, point.flash_pages),
            )
        ],
        steady=curve.start == "steady",
    )
    return sizes if sizes is not None and sizes.too_small else None


def _refused(curve: Curve, name: str, asked: ReplayPoint) -> tuple[str, str] | None:
    """Return why no replay of the recording stands for some sizes, and what to do; None where one does.

    RAM alone is replayed whatever it holds: see `_as_shown`.
    """
    refusing = _refusing_sizes(curve, name, asked)
    if refusing is not None:
        return refusing.refusal, refusing.remedy
    said = _unfilled(curve, name, asked) if asked.flash_pages else ""
    return (said, FILL) if said else None


def _unfilled(curve: Curve, name: str, asked: ReplayPoint) -> str:
    """Say that the recording does not fill the caches of these sizes; empty where it does."""
    if curve.start != "steady":
        return ""
    held = _held(curve, name, asked)
    if held < MOST_HELD:
        return ""
    where = "" if curve.scaled is None else "at the recorded sizes that correspond"
    return unfilled(held, "RAM and flash" if asked.flash_pages else "RAM", where)


def _held(curve: Curve, name: str, asked: ReplayPoint) -> float:
    """Share of the pages of the recording that RAM and flash hold at the recorded sizes that correspond. [1]"""
    scaled = curve.scaled
    pages = curve.distinct_pages if scaled is None else scaled.recorded_pages
    point = recorded_point(asked, name, scaled)
    return (point.ram_pages + point.flash_pages) / max(1, pages)


def _as_shown(asked: Asked, table: Table, each: Replayed) -> Replayed:
    """Return a replay as far as it tells: RAM alone that the recording does not fill misses more than it will once it is full.

    What keeps its limits with the most that an access takes keeps them; that it breaks one says nothing.
    """
    if each.reason or each.most_us is None or not breaks(asked, each):
        return each
    said = _unfilled_by(table, each.at)
    return replace(each, reason=said, simulated_us=math.nan, most_us=None, warnings=())


def _unfilled_by(table: Table, at: int) -> str:
    """Say that the recording does not fill the RAM of an option without flash that caches; empty where it does."""
    point = _asked_point(table, at)
    if point.flash_pages:
        return ""
    return _unfilled(table.setting.curve, table.scheme(at), point)


def point_of(curve: Curve, name: str, asked: ReplayPoint) -> ReplayPoint | str:
    """Return where the recording is replayed for sizes of production, or why it stands for none of them."""
    refused = _refused(curve, name, asked)
    return recorded_point(asked, name, curve.scaled) if refused is None else refused[0]


def sentence(tried: Sequence[Replayed], best: int | None) -> str:
    """Say that the recommendation, or nothing at all, was checked by a replay, and why; empty where it was.

    Parameters
    ----------
    tried : sequence of Replayed
    best : int or None
        The recommendation; None also where a flash cache runs it, of which the replay is another.
    """
    own = next((each for each in tried if each.at == best), None)
    others = sum(not each.reason for each in tried)
    if others:
        if own is None or not own.reason:
            return ""
        were = "option was" if others == 1 else "options were"
        return f"{own.reason} Of what was close, {others} {were} replayed."
    if not tried:
        return ""
    # Of each option the reason has its own number of pages; the first is that of the choice.
    more = len({each.reason for each in tried}) > 1
    close = " What was close could not be replayed either." if more else ""
    return f"{tried[0].reason}{close}"


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
    curve = table.setting.curve
    return [
        _of(table, at, counters[planned.replays[at]], curve)
        if at in planned.replays
        else Replayed(
            at,
            float(table.options.io_us[at]),
            np.nan,
            np.nan,
            np.nan,
            planned.refused[at],
        )
        for at in finalists
    ]


def _of(table: Table, at: int, counters: Mapping[str, Any], curve: Curve) -> Replayed:
    flash, store = table.devices(at)
    assert store is not None  # an option without times is no finalist
    page = curve.page_bytes
    times = {
        f"{tier}_{operation}": 0.0
        if device is None
        else service_us(device, operation, page) or 0.0
        for tier, device in (("flash", flash), ("disk", store))
        for operation in OPERATIONS
    }
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
    if _unfilled_by(table, at):
        # What is not full evicts less than once a miss: nothing is written back before.
        more = max(0.0, _most_written(counters) - store_written)
        store_written += more
        tiers_us["disk"] += more * times["disk_write"]
        most_us = tiers_us["disk"]
        warnings = (*warnings, _first_touches(table, at, most_us))
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
        float(np.min(worn)),  # NaN where either is unknown
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
    hits, misses, every = (
        np.asarray([each], dtype=np.float64)
        for each in (counters["flash_hits"], counters["flash_misses"], 1.0)
    )
    done = BY_NAME[scheme].operations(hits, misses, every, every)
    flash, store = (
        sum(
            float(done[term.name][0])
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


def _first_touches(table: Table, at: int, most_us: float) -> Note:
    """Say what the replay of RAM alone shows that the recording does not fill."""
    curve = table.setting.curve
    held = _held(curve, table.scheme(at), _asked_point(table, at))
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


def peak_busy(table: Table, at: int, tiers_us: Mapping[str, float]) -> float:
    """Largest busy share of a device of an option in the busiest hour; NaN where the rate is unknown. [1]

    Parameters
    ----------
    table : Table
        Of the options.
    at : int
        Option.
    tiers_us : mapping of str to float
        Busy time of `flash` and `disk` that an access takes. [µs]
    """
    options, peak = table.options, table.setting.served.peak
    if peak is None:
        return math.nan
    each = peak / float(options.machines[at]) / 1e6
    return max(
        tiers_us[tier] * each / max(1, int(count))
        for tier, count in (
            ("disk", options.store_devices[at]),
            ("flash", options.flash_devices[at]),
        )
    )


def life(table: Table, at: int, flash_written: float, store_written: float) -> float:
    """Least life of flash that is bought and is worn by these writes of an access; NaN where unknown. [365 days]

    Parameters
    ----------
    table, at, flash_written, store_written
        As `lives`.
    """
    # NaN where either is unknown.
    return float(np.min(lives(table, at, flash_written, store_written)))


def lives(
    table: Table, at: int, flash_written: float, store_written: float
) -> tuple[float, float]:
    """Life of flash that caches and of what holds the data under these writes of an access; NaN where unknown. [365 days]

    Parameters
    ----------
    table : Table
        Of the options.
    at : int
        Option.
    flash_written, store_written : float
        Pages that an access writes to flash that caches, and to what holds the data; NaN where unknown. [1]
    """
    budgets = budgets_tb(table, at)
    options, rate = table.options, table.setting.served.mean
    machines = float(options.machines[at])
    of_flash, of_store = (
        life_years(
            np.asarray([written]),
            None if rate is None else np.asarray([rate / machines]),
            table.setting.curve.page_bytes,
            np.asarray([budget * max(1, int(count))]),
        )[0]
        for written, budget, count in (
            (flash_written, budgets[0], options.flash_devices[at]),
            (store_written, budgets[1], options.store_devices[at]),
        )
    )
    return float(of_flash), float(of_store)


def bands(table: Table, rows: IntArray) -> FloatArray:
    """By what share the I/O time of some options may be off a replay. [1]

    The error of the steady state is known by the share that they hold of the pages that the curve shows.
    """
    options, curve = table.options, table.setting.curve
    ram = options.ram_pages[rows].astype(np.float64)
    flash = options.flash_pages[rows].astype(np.float64)
    found = np.full(len(rows), COLD_ERROR)
    if curve.start == "steady":
        found = steady_errors((ram + flash) / max(1, curve.distinct_pages))
    codes = options.scheme[rows]
    for code in np.unique(codes).tolist():
        [of] = np.nonzero(codes == code)
        scheme = table.scheme(int(rows[of[0]]))
        found[of] += explain.error_band(scheme, np.maximum(ram[of], 1), flash[of])
    return found


def identity(
    asked: Asked,
    tried: Sequence[Replayed],
    splits: Mapping[int, Split],
    caches: Sequence[object] = (),
) -> str:
    """Return the id of the answer: one that was checked, or whose buffer pools were split, has its own."""
    seen: list[object] = [
        (each.at, each.simulated_us) for each in tried if not each.reason
    ]
    seen += [
        (at, each.counted, each.clean_share)
        for at, each in splits.items()
        if each.counted is not None
    ]
    seen += caches
    if not seen:
        return asked.advice_id
    return hashlib.sha256(f"{asked.advice_id} {seen!r}".encode()).hexdigest()[:16]


def broken_limits(
    asked: Asked, peak_busy: float, io_us: float, life_years: float
) -> Iterator[str]:
    """Name the limits of `COUNTED` that are stated and broken by what a replay counted; an unknown value breaks them.

    Parameters
    ----------
    asked : Asked
    peak_busy : float
        Largest busy share of a device in the busiest hour. [1]
    io_us : float
        I/O time of an access. [µs]
    life_years : float
        Least life of flash that is bought. [365 days]
    """
    setting, limits = asked.setting, asked.constraints
    most = {
        PEAK_BUSY: (peak_busy, setting.most_busy),
        THROUGHPUT: (peak_busy, setting.busy_for_throughput),
        IO_TIME: (io_us, float(limits.get(IO_TIME, Decimal("Infinity")))),
    }
    for name, (value, limit) in most.items():
        if name in limits and not value <= limit * (1 + LIMIT_ROUNDING):
            yield name
    if LIFE in limits and not life_years >= float(limits[LIFE]) * (1 - LIMIT_ROUNDING):
        yield LIFE


def broken(asked: Asked, each: Replayed) -> tuple[str, ...]:
    """Name the limits that an option breaks by its replay; none where it was not replayed."""
    if each.reason:
        return ()
    return tuple(broken_limits(asked, each.peak_busy, each.held_us, each.life_years))


def devices_more(
    asked: Asked, table: Table, tried: Sequence[Replayed], by_model: int | None
) -> float | None:
    """Return by what factor more devices have to hold the data for the choice of the model to keep its load by its replay.

    None where it keeps it, breaks another limit, or has no more than a number of devices that is sold with it; and where
    as many as are needed would be no answer but another question: more than `MOST_MORE_DEVICES` times as many.
    """
    own = next((each for each in tried if each.at == by_model), None)
    if own is None or by_model is None or table.source(by_model) != "devices":
        return None
    names = broken(asked, own)
    if not names or IO_TIME in names:
        return None
    setting = asked.setting
    scarce = own.peak_busy / setting.busy_for_throughput
    if LIFE in names:
        if table.options.flash_devices[by_model]:
            return None  # more of what holds the data would not spare the flash that caches
        scarce = max(scarce, setting.least_life_years / own.life_years)
    more = scarce * setting.devices_more
    return more if setting.devices_more < more <= MOST_MORE_DEVICES else None


def held_by_model(asked: Asked, tried: Sequence[Replayed]) -> str:
    """Say which limits no replay of page flow holds; empty where none of them is stated, or nothing was replayed."""
    names = [name for name in (RESTART, *RESPONSES) if name in asked.constraints]
    if not names or all(each.reason for each in tried):
        return ""
    limits = "limit" if len(names) == 1 else "limits"
    are = "is" if len(names) == 1 else "are"
    words = listed([on_limit(name) for name in names])
    return f"The {limits} {words} {are} held by the model alone: a replay knows no queue and no restart."


def breaks(asked: Asked, each: Replayed) -> bool:
    """Whether the replay shows that an option breaks a limit."""
    return bool(broken(asked, each))


def decided(
    asked: Asked,
    month_cents: IntArray,
    tried: Sequence[Replayed],
    near: frozenset[int] = frozenset(),
) -> int | None:
    """Return the option that the replays leave best: the first that keeps its limits, or the fastest.

    Of those that cost as much it is the fastest, and of those that are as fast the cheapest. What an access takes where
    no replay shows it is what the model says, beside the replays of all others.

    Parameters
    ----------
    asked : Asked
    month_cents : int array
        Cost of every option. [0.01 USD/month]
    tried : sequence of Replayed
        In the order of the objective.
    near : frozenset of int
        Of these, those that break a limit by the model: only a replay that shows their time admits them.

    Returns
    -------
    int or None
        None where none keeps its limits.
    """
    keeps = [
        each
        for each in tried
        if not breaks(asked, each) and not (each.at in near and not each.is_timed)
    ]
    if not keeps:
        return None
    if asked.objective == "io_time":
        least_us = min(each.known_us for each in keeps) * (1 + TIE_TOLERANCE)
        fastest = [each for each in keeps if each.known_us <= least_us]
        return min(fastest, key=lambda each: int(month_cents[each.at])).at
    shown = [each for each in keeps if not each.reason]
    by_model = next((each for each in tried if each.at not in near), None)
    is_refuted = by_model is not None and breaks(asked, by_model)
    # Where a replay refutes the model, what the model alone speaks for comes after what a replay does.
    first = shown[0] if is_refuted and shown else keeps[0]
    if first.reason:
        return first.at
    alike = [each for each in shown if month_cents[each.at] == month_cents[first.at]]
    least_us = min(each.known_us for each in alike) * (1 + TIE_TOLERANCE)
    return next(each for each in alike if each.known_us <= least_us).at


@dataclass(frozen=True, slots=True)
class Settled:
    """What was replayed until nothing that was not could be better.

    Attributes
    ----------
    tried : list of Replayed
        In the order of the objective.
    best : int or None
        Option that is left best; None where none keeps its limits.
    near : frozenset of int
        Of the options, those that break a limit by the model.
    finalists : frozenset of int
        Of the options, those that were replayed first.
    beyond : int
        Options besides that were replayed, of fewer devices than the model asks for.
    """

    tried: list[Replayed]
    best: int | None
    near: frozenset[int] = frozenset()
    finalists: frozenset[int] = frozenset()
    beyond: int = 0

    @property
    def listed(self) -> list[Replayed]:
        """What is shown: the finalists, the best, and what was replayed beyond them and keeps its limits by the model."""
        return [
            each
            for each in self.tried
            if each.at == self.best
            or each.at in self.finalists
            or not (each.reason or each.at in self.near)
        ]

    @property
    def is_replayed(self) -> bool:
        """Whether the best was replayed."""
        return any(each.at == self.best and not each.reason for each in self.tried)

    @property
    def near_replayed(self) -> int:
        """How many that break a limit by the model were replayed, those of fewer devices among them."""
        near = sum(each.at in self.near and not each.reason for each in self.tried)
        return near + self.beyond

    def is_tied(self, asked: Asked, month_cents: IntArray) -> bool:
        """Whether another that keeps its limits by its replay equals the best in the objective."""
        own = next((each for each in self.tried if each.at == self.best), None)
        if own is None or not own.is_timed:
            return False
        others = [
            each
            for each in self.tried
            if each.at != own.at and each.is_timed and not breaks(asked, each)
        ]
        if asked.objective == "io_time":
            most_us = own.simulated_us * (1 + TIE_TOLERANCE)
            return any(each.simulated_us <= most_us for each in others)
        cents = month_cents[own.at]
        return any(month_cents[each.at] == cents for each in others)

    def refuted_near(self, asked: Asked) -> list[Replayed]:
        """Return what the model rules out by less than its error, and its replay does, too."""
        return [
            each
            for each in self.tried
            if each.at in self.near and each.is_timed and breaks(asked, each)
        ]

    def by_replay_alone(self) -> Replayed | None:
        """Return the best where the model would not admit it; None where it does."""
        if self.best is None or self.best not in self.near:
            return None
        return next(each for each in self.tried if each.at == self.best)


def settled(
    asked: Asked,
    table: Table,
    order: IntArray,
    finalists: Sequence[int],
    replay_of: Callable[[Sequence[int]], list[Replayed]],
    near: IntArray | None = None,
) -> Settled:
    """Replay finalists, then what could still be better than the one they leave, until nothing could.

    Parameters
    ----------
    order : int array
        Options that keep every limit by the model, the best first.
    finalists : sequence of int
        Of these, in their order.
    replay_of : callable
        Replays options.
    near : int array, optional
        Options that break a limit by the model, by less than its error; the best first.
    """
    of_near = np.empty(0, dtype=np.int64) if near is None else near
    admits = frozenset(of_near.tolist())
    whole = np.concatenate((order, of_near))
    by_objective = ordered(table.options, whole, asked.objective) if admits else order
    place = {int(at): rank for rank, at in enumerate(by_objective.tolist())}

    def replayed_of(rows: Sequence[int]) -> list[Replayed]:
        return [_as_shown(asked, table, each) for each in replay_of(rows)]

    tried = replayed_of(finalists) if len(finalists) else []
    best = decided(asked, table.options.month_cents, tried, admits)
    # Where none keeps its limits, what costs more is replayed too.
    for _ in range(MOST_ROUNDS):
        known = {each.at for each in tried}
        more = [
            at
            for rows in (order, of_near)
            for at in _could_be_better(asked, table, rows, tried, best, known)
        ]
        if not more:
            break
        tried = sorted(
            [*tried, *replayed_of(more)],
            key=lambda each: place.get(each.at, len(place)),
        )
        best = decided(asked, table.options.month_cents, tried, admits)
    shown = list(finalists)
    # What was close is listed by its hardware: where a replay refutes one size of it, the next is replayed as that was.
    for _ in range(MOST_ROUNDS):
        more = (
            [] if best is None else _in_their_place(asked, table, order, shown, tried)
        )
        if not more:
            break
        shown += more
        tried = sorted(
            [*tried, *replayed_of(more)],
            key=lambda each: place.get(each.at, len(place)),
        )
        best = decided(asked, table.options.month_cents, tried, admits)
    return Settled(
        tried,
        best,
        admits & {each.at for each in tried},
        frozenset(shown),
    )


def _in_their_place(
    asked: Asked,
    table: Table,
    order: IntArray,
    finalists: Sequence[int],
    tried: Sequence[Replayed],
) -> list[int]:
    """Options that were not replayed and are the next best of the hardware of finalists that break a limit by their replays."""
    kinds = table.hardware_codes
    unfit = [each.at for each in tried if breaks(asked, each)]
    left = order[~np.isin(order, unfit)]
    known = {each.at for each in tried}
    refuted = dict.fromkeys(int(kinds[at]) for at in finalists if at in unfit)
    of_kinds = (left[kinds[left] == kind][:1].tolist() for kind in refuted)
    return [at for some in of_kinds for at in some if at not in known]


def _could_be_better(
    asked: Asked,
    table: Table,
    order: IntArray,
    tried: Sequence[Replayed],
    best: int | None,
    known: set[int],
) -> list[int]:
    """Options that were not replayed and could be better than the best, of so many sizes."""
    options = table.options
    time_us = next((each.known_us for each in tried if each.at == best), math.inf)
    found: list[int] = []
    sizes: set[tuple[float, float, int]] = set()
    for at in better(asked, table, order, best, time_us).tolist():
        if at in known:
            continue
        size = (
            float(options.ram_pages[at]),
            float(options.flash_pages[at]),
            int(options.scheme[at]),
        )
        if size not in sizes and len(sizes) == MOST_MORE:
            break
        sizes.add(size)
        found.append(at)
    return found


def better(
    asked: Asked, table: Table, order: IntArray, best: int | None, time_us: float
) -> IntArray:
    """Return the options that could be better than the best: cheaper, or within their error faster at no higher cost.

    Parameters
    ----------
    asked : Asked
    table : Table
    order : int array
        Options.
    best : int or None
        All are better than none.
    time_us : float
        I/O time of an access of the best. [µs]
    """
    options = table.options
    if best is None:
        return order
    cents = options.month_cents[order]
    is_faster: Bools = options.io_us[order] / (1 + bands(table, order)) < time_us
    if asked.objective == "io_time":
        could = is_faster
    else:
        is_equal = cents == options.month_cents[best]
        could = (cents < options.month_cents[best]) | (is_equal & is_faster)
    return np.asarray(order[could], dtype=np.int64)


def as_replayed(table: Table, tried: Sequence[Replayed]) -> Table:
    """Return the same options, with the times, busy share and life that replays show of those that were replayed.

    Parameters
    ----------
    table : Table
        Of the options.
    tried : sequence of Replayed
        What no replay shows the time of stays by the model.
    """
    timed = [each for each in tried if each.is_timed]
    if not timed:
        return table
    at = np.asarray([each.at for each in timed], dtype=np.int64)
    options, made = table.options, copy.copy(table)
    made.options = replace(
        options,
        flash_us=_with(options.flash_us, at, [each.tiers_us[0] for each in timed]),
        store_us=_with(options.store_us, at, [each.tiers_us[1] for each in timed]),
        peak_busy=_with(options.peak_busy, at, [each.peak_busy for each in timed]),
        life_years=_with(options.life_years, at, [each.life_years for each in timed]),
    )
    return made


def tiers_as_replayed(fewest: Table, table: Table, tried: Sequence[Replayed]) -> Table:
    """Return devices bought by themselves with the times and the wear that replays show, whatever their number is.

    Parameters
    ----------
    fewest : Table
        Of these devices alone, with other numbers of those that hold the data.
    table : Table
        Of the options that were replayed.
    tried : sequence of Replayed
    """
    timed = [
        each for each in tried if each.is_timed and table.source(each.at) == "devices"
    ]
    if not timed:
        return fewest
    options, rows = fewest.options, fewest.tier_rows
    at = table.options.row[[each.at for each in timed]]
    # Of n devices each is worn an nth as fast.
    of_one = [
        each.lives[1] / max(1, int(table.options.store_devices[each.at]))
        for each in timed
    ]
    made = copy.copy(fewest)
    made.tier_rows = replace(
        rows,
        store_life_years=_with(rows.store_life_years, at, of_one),
        cache_life_years=_with(
            rows.cache_life_years, at, [each.lives[0] for each in timed]
        ),
    )
    made.options = made.tier_rows.with_devices(
        replace(
            options,
            flash_us=_with(options.flash_us, at, [each.tiers_us[0] for each in timed]),
            store_us=_with(options.store_us, at, [each.tiers_us[1] for each in timed]),
        ),
        np.arange(len(options)),
        options.store_devices,
        fewest.setting.served.peak,
    )
    return made


def _with(values: FloatArray, at: IntArray, others: Sequence[float]) -> FloatArray:
    """Return values with others in some places."""
    found = values.copy()
    found[at] = others
    return found


def can_be_replayed(table: Table, rows: IntArray) -> list[int]:
    """Return those of some options whose recording is large enough for a replay."""
    return list(Planned.of(table, rows.tolist()).replays)


def option_by_replay(asked: Asked, found: Option, each: Replayed) -> Option:
    """Describe an option that only its replay admits by what the replay counted, where it counts it."""
    setting = asked.setting
    busy = np.asarray([each.peak_busy])
    return replace(
        found,
        io_time_us_per_access=each.simulated_us,
        replayed_io_time_us_per_access=each.simulated_us,
        peak_busy=finite(each.peak_busy),
        throughput_accesses_per_s=finite(float(setting.throughput_per_s(busy)[0])),
        flash_life_years=finite(each.life_years) if each.knows_life else None,
    )


def checked_option(option: Option, each: Replayed) -> CheckedOption:
    return CheckedOption(
        option,
        each.model_us,
        None if each.reason else each.simulated_us,
        each.gap,
        each.is_beyond_band,
        each.reason,
        each.band if each.is_timed else None,
        each.warnings,
        finite(each.life_years) if each.knows_life and not each.reason else None,
    )


def has_recording(curve: Curve) -> bool:
    """Whether there is a recording whose sizes correspond: a curve alone has none, and what an earlier version scaled keeps no sizes of it."""
    if curve.given is not None:
        return False
    return curve.scaled is None or curve.scaled.recorded_accesses is not None


def about_small_recording(table: Table, best: int | None) -> Iterator[Caution]:
    """Say that the recording is too small to be replayed for the recommendation, and which one would not be."""
    curve = table.setting.curve
    if best is None or not has_recording(curve):
        return
    refused = _refused(curve, table.scheme(best), _asked_point(table, best))
    if refused is not None:
        said, remedy = refused
        yield Caution("replay_too_small", said.removesuffix("."), remedy)


def as_counted(warning: Note) -> Caution:
    """Say of the recommended one what its replay says of what it counted, where that leaves the choice as it is."""
    effect = "the choice is that of the replay, which counts it so"
    if warning.name == FIRST_TOUCHES:
        effect = "every limit that a replay counts is kept with that, too"
    return Caution(
        warning.name,
        warning.message,
        warning.hint,
        could_change_choice=False,
        effect=f"no effect: {effect}",
    )


def about_replays(
    asked: Asked,
    table: Table,
    tried: Sequence[Replayed],
    by_model: int | None,
    best: int | None,
    choice: str = "",
    refutation: str = "",
) -> Iterator[Caution]:
    """Say at the top where the replay differs from the model by more than its error, or changes the choice, which is named.

    `refutation` says that no option keeps by its replay what some keep by the model.
    """
    for each in tried:
        if each.at == best:
            yield from (as_counted(warning) for warning in each.warnings)
    if refutation:
        yield Caution(
            "replay_breaks_load",
            refutation.removesuffix("."),
            "choose larger candidates, or relax the limit",
            could_change_choice=True,
            effect="no option that was replayed keeps every limit",
        )
    setting = asked.setting
    if setting.devices_more > 1:
        yield Caution(
            "replay_more_devices",
            f"by their replays, devices that hold the data are busier than by the model: {setting.devices_more:.3g} times as many hold "
            "them as the model asks for",
            "rely on the replay, and record for longer",
            could_change_choice=True,
            effect=f"the choice is {choice}"
            if best is not None
            else "nothing keeps every limit",
        )
    if by_model != best and by_model is not None and best is not None:
        own = next((each for each in tried if each.at == by_model), None)
        names = () if own is None else broken(asked, own)
        why = "" if own is None or not names else _beyond(asked, table, own, names)
        yield Caution(
            "replay_changes_choice",
            f"by the model the choice was {flowing(table, by_model)}; the replay decides otherwise"
            f"{why and f': {why}'}",
            "rely on the replay: the ranking that is shown is that of the replay",
            could_change_choice=True,
            effect=f"the choice is {choice}",
        )
    beyond = [each for each in tried if each.is_beyond_band]
    if beyond:
        # That of the recommendation where it is among them: the others stand in `checked[]`.
        shown = next((each for each in beyond if each.at == best), beyond[0])
        more = len(beyond) - 1
        others = (
            f"; {counted(more, 'other replay')} {'differs' if more == 1 else 'differ'} by more, too"
            if more
            else ""
        )
        yield Caution(
            "replay_beyond_band",
            f"for {table.title(shown.at)}, {_apart(shown)} by the model, which differ by more than the known error of the "
            f"model, {percent(shown.band)}{others}",
            "rely on the replay, and record for longer",
            could_change_choice=True,
            effect="the ranking that is shown is that of the replay; what was not replayed is ranked by the model",
        )


def flowing(table: Table, at: int) -> str:
    """Name an option with its page flow: replays tell those of the same hardware apart."""
    return with_flow(table.title(at), table.scheme(at))


def _apart(each: Replayed) -> str:
    """Say what an access takes by the replay, beside what it takes by the model."""
    by_replay = format_microseconds(each.simulated_us)
    by_model = format_microseconds(each.model_us)
    return f"an access takes {by_replay} of I/O time by its replay and {by_model}"


def limits_by_replay(asked: Asked, table: Table, each: Replayed) -> Iterator[Limit]:
    """Yield the limits that an option breaks by its replay, with the value that the replay shows."""
    shown = _shown(asked, each)
    for name in broken(asked, each):
        value = np.full(len(table.options), np.nan)
        breaks = np.zeros(len(table.options), dtype=np.bool_)
        value[each.at], breaks[each.at] = shown[name], True
        yield Limit(name, asked.constraints[name], value, breaks)


def _shown(asked: Asked, each: Replayed) -> dict[str, float]:
    """Return what a replay shows of an option, of what it is held against by limits."""
    return {
        PEAK_BUSY: each.peak_busy,
        THROUGHPUT: float(
            asked.setting.throughput_per_s(np.asarray([each.peak_busy]))[0]
        ),
        IO_TIME: each.held_us,
        LIFE: each.life_years,
    }


def with_replays(
    asked: Asked, limits: Sequence[Limit], replayed: Sequence[Replayed]
) -> list[Limit]:
    """Return limits in which some options count by their replays, where these count what is limited.

    Parameters
    ----------
    asked : Asked
    limits : sequence of Limit
        By the model.
    replayed : sequence of Replayed
        Of the options that count so.
    """
    if not replayed:
        return list(limits)
    found = []
    for limit in limits:
        if limit.name in COUNTED and limit.limit is not None:
            value, breaks = limit.value.copy(), limit.breaks.copy()
            for each in replayed:
                value[each.at] = _shown(asked, each)[limit.name]
                breaks[each.at] = limit.name in broken(asked, each)
            limit = replace(limit, value=value, breaks=breaks)
        found.append(limit)
    return found


def refuted(
    asked: Asked, table: Table, tried: Sequence[Replayed], limits: Sequence[Limit]
) -> tuple[tuple[str, ...], str]:
    """Name limits that cannot be kept together where replays break what the model keeps, and say by how much.

    Parameters
    ----------
    asked : Asked
    table : Table
    tried : sequence of Replayed
        Of the options that keep every limit by the model, and of others.
    limits : sequence of Limit
        By the model, those of response times among them.

    Returns
    -------
    names : tuple of str
        Each of them is needed, as far as is known: an option counts by its replay, one that was not replayed and keeps
        every limit by the model is taken to break what the nearest breaks, every other counts by the model.
    text : str
    """
    found = [(broken(asked, each), each) for each in tried if not each.reason]
    nearest_names, nearest = min(found, key=lambda two: (len(two[0]), two[1].peak_busy))
    keeps = ~np.logical_or.reduce([limit.breaks for limit in limits])
    breaks = {limit.name: limit.breaks.copy() for limit in limits}
    busy = {
        limit.name: limit.value.copy() for limit in limits if limit.name == PEAK_BUSY
    }
    for name in breaks.keys() & set(nearest_names):
        breaks[name] |= keeps
        if name in busy:
            busy[name][keeps] = np.maximum(busy[name][keeps], nearest.peak_busy)
    for names, each in found:
        for name in breaks.keys() & set(COUNTED):
            breaks[name][each.at] = name in names
        for value in busy.values():
            value[each.at] = each.peak_busy
    names = conflict(
        [
            replace(
                limit,
                breaks=breaks[limit.name],
                value=busy.get(limit.name, limit.value),
            )
            for limit in limits
        ],
        len(table.options),
    )
    were = (
        f"the one option that was replayed breaks {'one limit' if len(nearest_names) == 1 else 'some'}"
        if len(found) == 1
        else f"the {counted(len(found), 'option')} that were replayed all break some"
    )
    said = (
        f"By the model options keep every limit, but {were}: at the best, "
        f"{_beyond(asked, table, nearest, nearest_names)}."
    )
    others = [name for name in names if name not in (*nearest_names, LOAD)]
    if others:
        said = f"{said} {beside_text(len(nearest_names), others)}"
    return names or nearest_names, said


def _beyond(asked: Asked, table: Table, each: Replayed, names: Sequence[str]) -> str:
    """Say by how much an option breaks limits by its replay."""
    title = table.title(each.at)
    said = []

    def against(value: str, of: str, than: str, limit: str, which: str) -> str:
        """Compare a value with its limit, which may look the same in so many digits."""
        by = ", by less than is shown" if value == limit else ""
        return f"{value}{of}, {than} than the {limit} {which}{by}"

    busy, of_hour = f"a device of {title} is busy for", " of the busiest hour"
    if PEAK_BUSY in names:
        most = percent(asked.setting.most_busy)
        said.append(
            f"{busy} {against(percent(each.peak_busy), of_hour, 'more', most, 'that are allowed')}"
        )
    elif THROUGHPUT in names:
        most = percent(asked.setting.busy_for_throughput)
        which = "with which it would carry the throughput that is asked for"
        said.append(
            f"{busy} {against(percent(each.peak_busy), of_hour, 'more', most, which)}"
        )
    if IO_TIME in names:
        most = format_microseconds(float(asked.constraints[IO_TIME]))
        taken = format_microseconds(each.held_us)
        said.append(
            f"an access to {title} takes {against(taken, ' of I/O time', 'more', most, 'that are allowed')}"
        )
    if LIFE in names:
        least = limit_value(LIFE, float(asked.constraints[LIFE]))
        lasts = limit_value(LIFE, each.life_years)
        said.append(
            f"{'' if each.knows_life else IF_DIRTY}flash of {title} lasts {against(lasts, '', 'less', least, 'that are asked for')}"
        )
    return listed(said)
