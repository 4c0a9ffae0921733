"""How a system goes over time: filling, steady state, crash and recovery, window by window.

Source: Kang, Lee and Moon (VLDB Journal 2016), figure 14 (throughput after a restart); the SCE paper (ADMS 2014),
figures 7 (a) and 9 (a) (throughput while the cache fills).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tierwright.advise.checks.flash_caches import with_replayed_ram
from tierwright.advise.checks.points import (
    Replay,
    directory_of,
    recorded_replays,
)
from tierwright.advise.checks.response import times_of
from tierwright.common.answer import Answer, Figure
from tierwright.common.errors import BadInput, Problem
from tierwright.common.wording import counted, duration_us, percent, three_digits
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.page_flow.decision import about_sizes
from tierwright.evaluate.page_flow.schemes import BY_NAME, NO_FLASH
from tierwright.evaluate.ram_tax import RamTax, pages_left, taxes_of
from tierwright.evaluate.response.schemes import (
    US_PER_S,
    Hierarchy,
    scheme_response,
)
from tierwright.evaluate.scale.replays import AS_LARGE, ReplaySizes, pages_apart
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled
from tierwright.simulate.contenders import flash_cache_titles, spelled, with_option
from tierwright.simulate.replay import Family
from tierwright.simulate.scaled_units import FlashStandIn, units_of, units_sentence
from tierwright.simulate.timed import (
    CHECKPOINTED,
    LOST,
    Arrivals,
    TimedReplay,
    TimedResult,
    is_outrun,
)
from tierwright.trace.reading import OnProgress, Trace

Restart = Literal["warm", "cold"]
USUAL_WINDOWS = 120
"""Windows at most, where no length of them is stated."""
RECOVERED = 0.9
"""Share of the rate before a crash that counts as recovered, or of its inverse in response times. [1]"""
LEFT = 0.01
"""Share of the time until the last answer from which on work that is left to do then is stated. [1]"""
ESTIMATOR = "replay of every access on simulated time, counted window by window"
_VALIDITY = (
    "devices serve first come, first served; accesses and hits count in the window in which they arrive, response times "
    "in that of the answer; after a crash nothing is served until flash is read back and redo has "
    "read each page written since the latest checkpoint, one at a time, from flash where the cache holds it, and each "
    "page that the crash takes where flash does not survive it; these "
    "reads leave RAM as it is{}; the dirty share is of all flash pages"
)
VALIDITY = _VALIDITY.format(
    ", and checkpoints write nothing, though where flash survives redo counts what was written before the latest one "
    "as safe"
)
VALIDITY_WITH_CHECKPOINTS = _VALIDITY.format(
    "; checkpoints write the changed pages of RAM as the flash cache does, and redo goes by these checkpoints"
)
"""Where the flash cache takes checkpoints."""
CHECKPOINT_US = "checkpoint_us"
"""The option of a flash cache by which the replay takes checkpoints."""
CHECKPOINT_TO = "checkpoint_to"
"""The option that says where they write."""
WRITING_CHECKPOINTS = ("checkpoint_accesses", CHECKPOINT_US)
"""Options that have it take some, unless they are 0."""
MOST_CHECKPOINT_S = 1e9
"""Longest time between two checkpoints. [s]"""
USUAL_CHECKPOINT_S = 300.0
"""Time between two checkpoints, as the restart of `advise.recovery` assumes it. [s]"""


@dataclass(frozen=True, slots=True)
class CourseWindow:
    """One window.

    Attributes
    ----------
    start_s, length_s : float
        From the first access on; the last window ends with the last answer. [s]
    accesses : int
        That arrived.
    ram_hit_share : float or None
        Of them, found in RAM; None without any. [1]
    flash_hit_share : float or None
        Of those that RAM lacked, found on flash; None without any. [1]
    answered : int
        Accesses that were answered in it, whenever they arrived.
    accesses_per_s : float or None
        The same by time; None where the window has no length. [1/s]
    mean_us, p99_us : float or None
        Response times of those answered in it; None without any. [µs]
    unanswered : int
        Accesses that had arrived and were not answered at its end.
    flash_busy, disk_busy : float or None
        Busy share of the devices; None where the window has no length. [1]
    flash_load, disk_load : float or None
        What the devices were asked for in it, as a share of what they do in that time; above 1 their queue grows; None
        likewise. [1]
    flash_used_share, dirty_share : float or None
        Of the flash pages: in use, and newer than the disk, at its end; None where a scheme has no use for its flash, and
        of the latter where the trace does not record writes. [1]
    """

    start_s: float
    length_s: float
    accesses: int
    ram_hit_share: float | None
    flash_hit_share: float | None
    answered: int
    accesses_per_s: float | None
    mean_us: float | None
    p99_us: float | None
    unanswered: int
    flash_busy: float | None
    disk_busy: float | None
    flash_load: float | None
    disk_load: float | None
    flash_used_share: float | None
    dirty_share: float | None


@dataclass(frozen=True, kw_only=True)
class Course(Answer):
    """A system over time.

    Attributes
    ----------
    system, title : str
        Scheme or flash cache.
    ram_pages, flash_pages : int
        As replayed. [pages]
    accesses : int
        Replayed.
    duration_s : float
        From the first arrival to the last answer. [s]
    last_arrival_s : float
        From the first to the last arrival. [s]
    arrivals_per_s, accesses_per_s : float or None, float
        Accesses that arrived until then, and that were answered until the last answer; the first is None where all come at
        once. [1/s]
    is_outrun : bool
        Whether more was asked of flash or disks until the last arrival than they do in that time, by accesses that wait for
        no answer: their queue grew, and response times are those of a trace of this length.
    window_s : float
        Length of a window. [s]
    filled_at_s : float or None
        End of the first window in which flash was full; None where it never was. [s]
    restarted_at_s, restart_s : float or None, float
        When the machine came back after a crash, and how long its devices then read flash; None and 0 without one. [s]
    redo_pages, redo_flash_pages, redo_older_pages : int or None
        Read again then, because they had been written since the latest checkpoint, or the crash took them with flash; of
        these, from flash; and last written before that checkpoint, for which the log must reach further back. None where
        the trace does not record writes. [pages]
    redo_s : float or None
        How long that took, after flash was read; None likewise. [s]
    ram_dirty_pages_lost, flash_dirty_pages_lost : int or None
        What the crash took that only the log has: pages of RAM, and of flash that the disk lacks; None likewise. [pages]
    checkpointed_pages : int or None
        Changed pages of RAM that checkpoints wrote; None where they write nothing. [pages]
    recovered_s : float or None
        From there to the end of the first window as good as before; None without one. [s]
    windows : tuple of CourseWindow
        In order.
    ram_tax_bytes, ram_tax_share : int or None, float or None
        Of a flash cache: RAM that its directory takes, charged or not, and its share of the RAM asked for; None where
        no figure is known, and of page-flow schemes. [bytes], [1]
    ram_tax : str
        The same in words, with what RAM the replay had; empty of page-flow schemes.
    estimator, validity : str
        How it was computed, and where that holds.
    """

    chooses = False

    system: str
    title: str
    ram_pages: int
    flash_pages: int
    accesses: int
    duration_s: float
    last_arrival_s: float
    arrivals_per_s: float | None
    accesses_per_s: float
    is_outrun: bool
    window_s: float
    filled_at_s: float | None
    restarted_at_s: float | None
    restart_s: float
    redo_pages: int | None
    redo_flash_pages: int | None
    redo_older_pages: int | None
    redo_s: float | None
    ram_dirty_pages_lost: int | None
    flash_dirty_pages_lost: int | None
    checkpointed_pages: int | None
    recovered_s: float | None
    windows: tuple[CourseWindow, ...]
    ram_tax_bytes: int | None = None
    ram_tax_share: float | None = None
    ram_tax: str = ""
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """When flash is full, and how long a crash is felt."""
        return (
            Figure("windows", "Windows", len(self.windows), "1"),
            Figure("window_s", "Length of a window", self.window_s, "s"),
            Figure("arrivals_per_s", "Arrivals", self.arrivals_per_s, "1/s"),
            Figure("accesses_per_s", "Answers", self.accesses_per_s, "1/s"),
            Figure("filled_at_s", "Flash full after", self.filled_at_s, "s"),
            Figure("restart_s", "Restart", self.restart_s, "s"),
            Figure("redo_pages", "Pages to redo", self.redo_pages, "1"),
            Figure("redo_s", "Redo", self.redo_s, "s"),
            Figure("recovered_s", "Recovered after", self.recovered_s, "s"),
        )


@dataclass(frozen=True, kw_only=True)
class CoursePlan:
    """What is replayed: a system at sizes, its devices, arrivals and a crash.

    Attributes
    ----------
    curve : Curve
        Of the workload.
    system : str
        A page-flow scheme or a flash cache.
    ram_pages, flash_pages : int
        r and f. [pages]
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    arrivals : Arrivals
        When accesses arrive.
    options : mapping of str to str
        Of the scheme or flash cache.
    window_s : float, optional
        Length of a window; unless given, one of a round length that makes at most 120. [s]
    crash_at : float, optional
        Share of the accesses before a crash; unless given, none. [1]
    restart : str
        `warm`: the contents of flash survive it; `cold`: they do not. Under a scheme, whose directory is in RAM, they
        never do.
    checkpoint_interval_s : float
        Time between two checkpoints, the first of which is at the first access; 0: nothing is redone. With a crash, a
        flash cache that can take checkpoints takes them so often, unless `options` state how often. [s]
    seed : int
        Of what is random.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.
    scaled : Scaled, optional
        How the workload was scaled, where the trace is its recording.
    """

    curve: Curve
    system: str
    ram_pages: int
    flash_pages: int
    hierarchy: Hierarchy
    arrivals: Arrivals
    options: Mapping[str, str] = field(default_factory=dict)
    window_s: float | None = None
    crash_at: float | None = None
    restart: Restart = "warm"
    checkpoint_interval_s: float = USUAL_CHECKPOINT_S
    seed: int = 0
    flash_metadata: MetadataPreset | None = None
    scaled: Scaled | None = None

    def __post_init__(self) -> None:
        caches = flash_cache_titles()
        if self.system not in caches and self.system not in BY_NAME:
            raise _refused(
                "system",
                self.system,
                "is neither a page-flow scheme nor a flash cache",
                f"use one of {', '.join([*BY_NAME, *caches])}",
            )
        if self.system == NO_FLASH or self.flash_pages < 1:
            where = "system" if self.system == NO_FLASH else "flash_pages"
            raise _refused(
                where,
                getattr(self, where),
                "leaves nothing to fill: a course is of flash",
                "use a scheme or flash cache with at least one page of flash",
            )
        apart = pages_apart(self.scaled)
        if apart:
            raise BadInput(f"course: {apart}, so no replay shows it", AS_LARGE)
        is_scheme = self.system not in caches
        if self.crash_at is not None and is_scheme and self.restart == "warm":
            raise _refused(
                "restart",
                self.restart,
                f"cannot be replayed: {BY_NAME[self.system].title} keeps its directory in RAM, or what is new in it, "
                "so a crash loses what is on flash",
                "ask for a cold restart, or use a flash cache that keeps its directory on flash",
            )
        if self.window_s is not None and not 0 < self.window_s < math.inf:
            raise _refused(
                "window_s",
                f"{self.window_s:g}",
                "is not a length of time",
                "give seconds above 0, such as 60, or leave it out for windows of a round length",
            )
        interval_s = self.checkpoint_interval_s
        if not 0 <= interval_s <= MOST_CHECKPOINT_S:
            raise _refused(
                "checkpoint_interval_s",
                f"{interval_s:g}",
                "is not a length of time",
                f"give the seconds between two checkpoints, up to {MOST_CHECKPOINT_S:g}, or 0 for no redo",
            )

    def replay(self, accesses: int) -> TimedReplay:
        """Return what is replayed of a trace of so many accesses."""
        model = scheme_response(
            self.curve,
            ram_pages=self.ram_pages,
            flash_pages=self.flash_pages,
            hierarchy=self.hierarchy,
            accesses_per_s=1.0,
            flash_metadata=self.flash_metadata,
            percentiles=(),
        )
        # Of any scheme with flash: its stations are those of the devices, whatever is asked of them.
        stations = next(
            each.stations for name, each in model.items() if name != NO_FLASH
        )
        asked, _ = self._recorded()
        share = asked.flash_pages / self.flash_pages
        options = asked.options | directory_of(self.options, share)
        checkpoint_s = 0.0
        if self.crash_at is not None:
            options |= {
                "crash_at": str(round(self.crash_at * accesses)),
                "restart": self.restart,
            }
            # A recording with less flash is as much ahead of time: so are its checkpoints.
            checkpoint_s = self.checkpoint_interval_s * share
            stated = {spelled(name) for name in options}
            if (
                checkpoint_s > 0
                and self.system in with_option(CHECKPOINT_US)
                and stated.isdisjoint(WRITING_CHECKPOINTS)
            ):
                options[CHECKPOINT_US] = str(max(1, round(checkpoint_s * US_PER_S)))
                if self.restart == "cold" and CHECKPOINT_TO not in stated:
                    # On flash that does not survive, nothing would be safe.
                    options[CHECKPOINT_TO] = "disk"
        flash, disk = (
            times_of(stations[tier], self.hierarchy.of(tier)[0], self.curve.page_bytes)
            for tier in ("flash", "disk")
        )
        return TimedReplay(
            self.system,
            asked.ram_pages,
            asked.flash_pages,
            self.arrivals,
            flash,
            disk,
            exponential=self.hierarchy.service == "exponential",
            waits_for_writes=self.hierarchy.writes == "waited_for",
            seed=self.seed,
            options=options,
            window_s=self.window_s or 0.0,
            windows=USUAL_WINDOWS,
            checkpoint_s=checkpoint_s,
        )

    def _recorded(self) -> tuple[Replay, ReplaySizes | None]:
        """Return what of the recording stands for the system, and how its sizes were found; None where they are its own."""
        family: Family = (
            "flash_cache" if self.system in flash_cache_titles() else "scheme"
        )
        page = self.curve.page_bytes
        made, sizes = recorded_replays(
            {"": Replay(family, self.system, self._left_pages(), self.flash_pages, 0)},
            self.scaled,
            page_bytes=page,
        )
        found = made[""]
        stand_in = FlashStandIn(self.flash_pages, found.flash_pages, page)
        units = units_of(self.system, self.options, stand_in)
        if sizes is not None:
            sizes = replace(sizes, units=units_sentence([(self.system, units)]))
        # Arrivals state the rate of the accesses, by whatever clock.
        return replace(found, options=units.options), sizes

    def _left_pages(self) -> int:
        """Return the RAM that the metadata leave. [pages]"""
        preset = self.flash_metadata
        if preset is None:
            return self.ram_pages
        page = self.curve.page_bytes
        left = pages_left(
            preset,
            self.system,
            ram_pages=self.ram_pages,
            flash_pages=self.flash_pages,
            page_bytes=page,
            source_bytes=self.curve.data_pages * page,
            options=self.options,
        )
        if left < 1:
            raise BadInput(
                f"course: ram_pages: `{self.ram_pages}` hold less than the flash metadata ({preset.title}) with these options",
                "give more RAM or less flash, or options with smaller or fewer entries",
            )
        return left

    def _taxes(self) -> list[RamTax]:
        """Return the RAM that the directory of a flash cache takes; none of a page-flow scheme."""
        page = self.curve.page_bytes
        return taxes_of(
            [self.system] if self.system in flash_cache_titles() else [],
            {self.system: self.options},
            ram_bytes=self.ram_pages * page,
            flash_bytes=self.flash_pages * page,
            page_bytes=page,
            source_bytes=self.curve.data_pages * page,
        )

    def course(self, replay: TimedReplay, found: TimedResult) -> Course:
        """Read the course off what `TimedReplay.run` returned.

        Raises
        ------
        BadInput
            If the devices do not keep up.
        """
        if "behind" in found:
            raise _refused(
                "arrivals",
                self.arrivals.kind,
                "brings more than the devices carry: over a million accesses wait for their writes"
                if self.crash_at is None
                else "lets over a million accesses wait, for their writes or for the end of the restart",
                "use a lower rate, or more or faster devices"
                + (
                    ""
                    if self.crash_at is None
                    else ", or a shorter checkpoint interval, which leaves less to redo after the crash"
                ),
            )
        tells_writes = self.curve.notes.tells_writes
        windows = tuple(
            _window(each, replay.flash_pages, tells_writes=tells_writes)
            for each in found["course"]
        )
        back = found["restarted_at_s"]
        filled = next(
            (
                _end(each)
                for each, counts in zip(windows, found["course"], strict=True)
                if counts.get("flash_full")
            ),
            None,
        )
        closed = self.arrivals.kind == "clients"
        before, is_steady = _before(windows, filled, back)
        recovered = (
            None if back is None else _recovered(windows, before, back, closed=closed)
        )
        title = {**flash_cache_titles(), **{n: s.title for n, s in BY_NAME.items()}}
        takes_checkpoints = any(
            replay.options.get(name, "0") != "0" for name in WRITING_CHECKPOINTS
        )
        checkpointed = found[CHECKPOINTED] if takes_checkpoints else None
        taxes = self._taxes()
        return Course(
            finding=_finding(
                title[self.system],
                windows,
                found,
                before,
                filled,
                back,
                _takes(found) if tells_writes else _TAKES_UNKNOWN,
                _reads(found, replay.checkpoint_s, tells_writes=tells_writes),
                checkpointed,
                recovered,
                closed=closed,
                is_steady=is_steady,
                times=1.0
                if self.scaled is None
                else self.flash_pages / replay.flash_pages,
            ),
            warnings=(
                *about_sizes(self._recorded()[1]),
                *about_trace(self.curve.notes),
            ),
            system=self.system,
            title=title[self.system],
            ram_pages=replay.ram_pages,
            flash_pages=replay.flash_pages,
            accesses=found["accesses"],
            duration_s=found["duration_s"],
            last_arrival_s=found["last_arrival_s"],
            arrivals_per_s=found["arrivals_per_s"],
            accesses_per_s=found["accesses_per_s"],
            is_outrun=not closed and is_outrun(found),
            window_s=found["window_s"],
            filled_at_s=filled,
            restarted_at_s=back,
            restart_s=found["restart_s"],
            redo_pages=found["redo"]["pages"] if tells_writes else None,
            redo_flash_pages=found["redo"]["flash_pages"] if tells_writes else None,
            redo_older_pages=found["redo"]["older_pages"] if tells_writes else None,
            redo_s=found["redo"]["seconds"] if tells_writes else None,
            ram_dirty_pages_lost=found["ram_dirty_pages_lost"]
            if tells_writes
            else None,
            flash_dirty_pages_lost=found["flash_dirty_pages_lost"]
            if tells_writes
            else None,
            checkpointed_pages=checkpointed,
            recovered_s=recovered,
            windows=windows,
            ram_tax_bytes=taxes[0].bytes if taxes else None,
            ram_tax_share=taxes[0].share if taxes else None,
            ram_tax=with_replayed_ram(taxes, self.ram_pages, self._left_pages()),
            validity=VALIDITY_WITH_CHECKPOINTS if takes_checkpoints else VALIDITY,
        )


def answer(
    trace: Trace,
    curve: Curve,
    *,
    on_progress: OnProgress | None = None,
    **asked: Any,
) -> Course:
    """Replay a system on simulated time, and say how it goes window by window.

    Parameters
    ----------
    trace : Trace
        What is replayed.
    curve : Curve
        Of it.
    on_progress : callable, optional
        See `OnProgress`; False cancels.
    **asked
        The other attributes of `CoursePlan`.

    Raises
    ------
    BadInput
        As `CoursePlan`; if the devices do not keep up.
    ParameterError, SimulatorError
        As `replay_timed`.
    """
    plan = CoursePlan(curve=curve, **asked)
    replay = plan.replay(curve.accesses)
    return plan.course(replay, replay.run(trace, on_progress))


def _refused(where: str, value: object, message: str, hint: str) -> BadInput:
    problem = Problem(where, str(value), message)
    return BadInput(f"course: {problem}", hint, (problem,))


def _window(
    found: Mapping[str, Any], flash_pages: int, *, tells_writes: bool
) -> CourseWindow:
    accesses, ram, flash = (
        found[name] for name in ("accesses", "ram_hits", "flash_hits")
    )
    used, dirty = (
        None if found[name] is None else found[name] / flash_pages
        for name in ("flash_used_pages", "flash_dirty_pages")
    )
    answered = found["answered"]
    return CourseWindow(
        start_s=found["start_s"],
        length_s=found["length_s"],
        accesses=accesses,
        ram_hit_share=ram / accesses if accesses else None,
        flash_hit_share=flash / (accesses - ram) if accesses > ram else None,
        answered=answered,
        accesses_per_s=found["accesses_per_s"],
        mean_us=found["mean_us"] if answered else None,
        p99_us=found["p99_us"] if answered else None,
        unanswered=found["unanswered"],
        flash_busy=found["flash_utilisation"],
        disk_busy=found["disk_utilisation"],
        flash_load=found["flash_load"],
        disk_load=found["disk_load"],
        flash_used_share=used,
        dirty_share=dirty if tells_writes else None,
    )


def _end(window: CourseWindow) -> float:
    return window.start_s + window.length_s


@dataclass(frozen=True, slots=True)
class _State:
    """Means over some windows: shares of hits, rate, response time."""

    flash_hit_share: float | None
    accesses_per_s: float
    mean_us: float


def _before(
    windows: Sequence[CourseWindow], filled: float | None, back: float | None
) -> tuple[_State | None, bool]:
    """Return the state until a crash or the end, and whether it is that from full flash on; None without one.

    Where no window follows that in which flash filled, it is that from the first access on.
    """
    until = [
        each
        for each in windows
        if each.length_s > 0 and (back is None or _end(each) <= back)
    ]
    steady = [each for each in until if filled is not None and each.start_s >= filled]
    chosen = steady or until
    seconds = sum(each.length_s for each in chosen)
    answered = sum(each.answered for each in chosen)
    if not answered:
        return None, False
    missed = [
        (each.accesses * (1 - (each.ram_hit_share or 0.0)), each.flash_hit_share)
        for each in chosen
        if each.flash_hit_share is not None
    ]
    misses = sum(count for count, _ in missed)
    waited = sum((each.mean_us or 0.0) * each.answered for each in chosen)
    state = _State(
        sum(count * (share or 0.0) for count, share in missed) / misses
        if misses
        else None,
        answered / seconds,
        waited / answered,
    )
    return state, bool(steady)


def _recovered(
    windows: Sequence[CourseWindow], before: _State | None, back: float, *, closed: bool
) -> float | None:
    """Return how long after a restart the first window ends that is as good as before; None without one. [s]"""
    if before is None:
        return None
    for each in windows:
        if each.start_s < back or not each.accesses_per_s or each.mean_us is None:
            continue
        good = (
            each.accesses_per_s >= RECOVERED * before.accesses_per_s
            if closed
            else RECOVERED * each.mean_us <= before.mean_us
        )
        if good:
            return _end(each) - back
    return None


def _time(seconds: float) -> str:
    return duration_us(seconds * US_PER_S)


def _takes(found: TimedResult) -> str:
    """Say what a crash destroys that only the log has."""
    ram, flash = (found[name] for name in LOST)
    if ram == flash == 0:
        return "The crash takes no page that the log alone has."
    return (
        f"The crash takes {counted(ram, 'changed page')} of RAM and {counted(flash, 'page')} of flash that the disk "
        "does not have."
    )


_TAKES_UNKNOWN = "Which changed pages the crash takes cannot be known: the trace does not record writes."


def _reads(found: TimedResult, checkpoint_s: float, *, tells_writes: bool) -> str:
    """Say what is read after a crash before anything is served."""
    restart_s = found["restart_s"]
    read = (
        f"devices read flash back for {_time(restart_s)}"
        if restart_s > 0
        else "no flash is read back"
    )
    if checkpoint_s <= 0:
        return read
    if not tells_writes:
        return f"{read}, what redo then reads cannot be known and is left out"
    redo = found["redo"]
    since = (
        "the latest checkpoint"
        if redo["after_checkpoint"]
        else "the first access (no checkpoint came before the crash)"
    )
    pages, older = redo["pages"], redo["older_pages"]
    if pages == 0:
        return f"{read}, redo has nothing to read, as no page was written since {since}"
    share = percent(redo["flash_pages"] / pages)
    which = (
        f"{counted(pages, 'page')} written since {since}"
        if older == 0
        else f"{counted(pages, 'page')} ({pages - older:,} written since {since}, and {older:,} last written before it "
        "that the crash takes with flash, so the log must reach further back than that checkpoint)"
    )
    return f"{read}, redo reads {which}, {share} of them from flash, for {_time(redo['seconds'])}"


def _finding(
    title: str,
    windows: Sequence[CourseWindow],
    found: TimedResult,
    before: _State | None,
    filled: float | None,
    back: float | None,
    takes: str,
    reads: str,
    checkpointed: int | None,
    recovered: float | None,
    *,
    closed: bool,
    is_steady: bool,
    times: float,
) -> str:
    """Say when flash fills, how all goes from then on, and what a crash does to it."""
    used = windows[-1].flash_used_share if windows else None
    parts = []
    if filled is not None:
        parts.append(f"{title} fills its flash within {_time(filled)}.")
    elif used is not None:
        parts.append(
            f"{title} does not fill its flash: {percent(used)} of it is in use at the end."
        )
    if before is not None:
        since = (
            "From then on"
            if is_steady
            else f"{title}:"
            if not parts
            else "Until the end"
            if back is None
            else "Until the crash"
        )
        hits = (
            ""
            if before.flash_hit_share is None
            else f"{percent(before.flash_hit_share)} of the RAM misses hit flash, and "
        )
        parts.append(
            f"{since} {hits}an access takes {duration_us(before.mean_us)} on average, at "
            f"{three_digits(before.accesses_per_s)} accesses per second."
        )
    if back is not None:
        what = "rate" if closed else "response time"
        again = (
            f"the {what} is as before, within 10 %, {_time(recovered)} after the restart"
            if recovered is not None
            else f"there was no {what} before it to compare with"
            if before is None
            else f"the {what} does not come back within 10 % of that before until the end"
        )
        parts.append(f"{takes} After the crash at {_time(back)} {reads}, and {again}.")
    if checkpointed:
        parts.append(
            f"Checkpoints write {counted(checkpointed, 'changed page')} of RAM in all."
        )
    if times > 1:
        parts.append(
            f"This is a replay with 1/{three_digits(times)} of the flash, as the recording has so much less data: "
            f"with all of it, filling, restart and recovery take about {three_digits(times)} times as long."
        )
    if not closed and is_outrun(found):
        parts.append(_outrun(found, windows))
    late = sum(
        max(each.flash_load or 0.0, each.disk_load or 0.0) > 1 for each in windows
    )
    if late:
        parts.append(
            f"In {late:,} of {counted(len(windows), 'window')} devices were asked for more than they do "
            "in that time."
        )
    return " ".join(parts)


def _outrun(found: TimedResult, windows: Sequence[CourseWindow]) -> str:
    """Say that the devices did not keep up, and what that makes of response times."""
    asked = {tier: found[tier]["utilisation"] for tier in ("flash", "disk")}
    of = max(asked, key=lambda tier: asked[tier])
    asked_s, busy_s = (
        sum((getattr(each, f"{of}_{what}") or 0.0) * each.length_s for each in windows)
        for what in ("load", "busy")
    )
    left_s = asked_s - busy_s
    beside = (
        f" ({of} then has {_time(left_s)} of work in the background left to do)"
        if left_s > LEFT * found["duration_s"]
        else ""
    )
    return (
        f"Accesses arrive at {three_digits(found['arrivals_per_s'])} per second and are answered at "
        f"{three_digits(found['accesses_per_s'])}: they ask of {of} {three_digits(asked[of])} times what it does while they "
        f"arrive, and the last answer comes {_time(found['duration_s'] - found['last_arrival_s'])} after the last arrival{beside}. "
        "The queue grows as long as accesses arrive, so these response times are those of a trace of this length: a longer "
        "one has longer response times."
    )
