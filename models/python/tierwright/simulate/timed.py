"""Replays on simulated time: how long accesses take behind queues of devices.

A scheme or a flash cache decides in the order of the trace what each access reads and writes; the
clock says when accesses arrive, and each device serves so many operations at once, first come,
first served.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from tierwright import _simulator
from tierwright.common.core_errors import Cancelled, ParameterError
from tierwright.simulate.erase_blocks import noted, with_fitting_blocks
from tierwright.simulate.replay import warm_up_accesses
from tierwright.simulate.stated_rate import refuse_on_simulated_time
from tierwright.simulate.warm_up import WarmUp
from tierwright.trace.reading import OnProgress, Trace

US_PER_S = 1e6
S_PER_HOUR = 3600.0
MOST_DECIMAL_S = 10.0
LEAST_WINDOW_S = 1e-6
ArrivalKind = Literal["trace", "poisson", "clients"]
TimedResult = dict[str, Any]
"""What `TimedReplay.run` returns."""
COUNTED = ("ram_hits", "flash_hits", "flash_misses", "flash_writes", "hdd_writes")
"""Counts of a replay that `TimedReplay.run` hands on."""
CHECKPOINTED = "checkpointed_pages"
"""Count of a flash cache that it hands on, 0 of a scheme."""
LOST = ("ram_dirty_pages_lost", "flash_dirty_pages_lost")
"""What a crash destroyed that only the log has, which it hands on; 0 without a crash."""
_BEHIND = "the devices do not keep up"
"""How the core says that too many accesses wait for their writes."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When accesses arrive.

    Attributes
    ----------
    kind : str
        `trace`: as recorded, all times multiplied by `stretch`. `poisson`: independent of each
        other, `accesses_per_s` of them. `clients`: from `clients`, each of which waits for its
        access and then thinks for an exponential time of mean `think_s`.
    accesses_per_s : float
        [1/s]
    clients : int
        How many.
    think_s : float
        [s]
    stretch : float
        Factor; 0.5 doubles the rate. [1]
    """

    kind: ArrivalKind
    accesses_per_s: float = 0.0
    clients: int = 1
    think_s: float = 0.0
    stretch: float = 1.0


@dataclass(frozen=True, slots=True)
class DeviceTimes:
    """Devices of a tier on simulated time.

    Attributes
    ----------
    devices, at_once : int
        Equal devices, and operations that each serves at once.
    read_s, write_s : float
        How long an operation occupies one of those. [s]
    read_answered_s, write_answered_s : float
        From the beginning of its service to its answer. [s]
    batch_read_s, batch_write_s : float, optional
        How long a page of a batch, moved in order, occupies one of those; that of a single page
        unless given. [s]
    beside_writes_s : float
        What a single read takes longer, times the share of random writes among the latest
        operations of single pages. [s]
    """

    devices: int
    at_once: int
    read_s: float
    write_s: float
    read_answered_s: float
    write_answered_s: float
    batch_read_s: float | None = None
    batch_write_s: float | None = None
    beside_writes_s: float = 0.0

    def to_core(self) -> Any:
        """Return the dict that the core takes."""
        return {
            "devices": self.devices,
            "at_once": self.at_once,
            "read_us": self.read_s * US_PER_S,
            "read_answered_us": self.read_answered_s * US_PER_S,
            "write_us": self.write_s * US_PER_S,
            "write_answered_us": self.write_answered_s * US_PER_S,
            "batch_read_us": US_PER_S
            * (self.read_s if self.batch_read_s is None else self.batch_read_s),
            "batch_write_us": US_PER_S
            * (self.write_s if self.batch_write_s is None else self.batch_write_s),
            "beside_writes_us": self.beside_writes_s * US_PER_S,
        }


def replay_timed(
    trace: Trace,
    scheme: str,
    ram_pages: int,
    flash_pages: int,
    *,
    arrivals: Arrivals,
    flash: DeviceTimes,
    disk: DeviceTimes,
    exponential: bool = False,
    waits_for_writes: bool = False,
    seed: int = 0,
    warm_up: WarmUp = 0,
    options: Mapping[str, str] | None = None,
    window_s: float = 0.0,
    checkpoint_s: float = 0.0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through a scheme or a flash cache on simulated time.

    Parameters
    ----------
    trace : Trace
        What is replayed.
    scheme : str
        A page-flow scheme, or a flash cache: what that does by time goes by the simulated one.
    ram_pages, flash_pages : int
        Sizes. [pages]
    arrivals : Arrivals
        When accesses arrive.
    flash, disk : DeviceTimes
        Devices.
    exponential : bool
        Whether times vary exponentially about those stated.
    waits_for_writes : bool
        Whether an access ends with the writes that its miss causes, instead of with its read.
    seed : int
        Of all that is random.
    warm_up : WarmUp
        Accesses that are not counted.
    options : mapping of str to str, optional
        Of the flash cache or the scheme. A scheme takes `crash_at` and `restart` too, which is `cold`: its directory is
        in RAM, or what is new in it.
    window_s : float
        Length of the windows of the course; 0: no course. [s]
    checkpoint_s : float
        Time between two checkpoints, the first of which is at the first access: after a crash, what was written
        since the latest is read again before anything is served, and where flash did not survive whatever the crash took;
        0: nothing is. Redo goes by the checkpoints of the replay instead, where the options of the flash cache have it
        take any. [s]
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Returns
    -------
    dict
        What `replay` counts, with the `crash` of a scheme (as of a flash cache, without `before`), and `response`: `accesses, mean_us,
        p50_us, p99_us, p999_us, most_us, resolution, restart_s`; `duration_s` from the first arrival to the last answer and
        `accesses_per_s`, answered in that time; `last_arrival_s` and `arrivals_per_s`, the same to the last arrival (the
        latter None where all come at once); of `flash` and `disk`
        `operations, utilisation, wait_us, waited, batch_pages`, and of their single pages `reads`
        and `writes`, each `operations, mean_us, p50_us, p99_us, p999_us`; `utilisation` is what they were asked for until
        the last arrival, as a share of what they do in that time: above 1 they do not keep up; `course`, a list of
        windows from the first access to the last answer, warm-up or not: `start_s, length_s`; `accesses, ram_hits,
        flash_hits` of those that arrived; `answered, accesses_per_s, mean_us, p99_us` of those that were answered, whenever
        they arrived; `unanswered` at its end; `flash_utilisation, disk_utilisation`, the busy share;
        `flash_load, disk_load`, what was asked for in it as a share of what the devices do in that time;
        `flash_used_pages, flash_dirty_pages, flash_full`; rate, shares and loads are None where the last
        window has no length, because all of it happened as it began. `restarted_at_s` is None
        without a crash; `redo` has what was read again then: `pages, flash_pages, seconds`, `older_pages`, which were last
        written before the latest checkpoint and lost with flash, and `after_checkpoint`,
        whether a checkpoint came between the first access and the crash.

    Raises
    ------
    BadInput
        If options state the rate of the accesses, which the arrivals say.
    ParameterError
        If a number has no meaning, the scheme or an option is unknown, an option has no meaning on simulated time,
        the trace has no times that were asked for, the course has too many windows, or more than a million accesses wait for their writes: the devices do not keep up.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    refuse_on_simulated_time(scheme, options)
    own = with_fitting_blocks(options, flash_pages)
    found = _simulator.replay_timed(
        str(trace.path),
        scheme,
        ram_pages,
        flash_pages,
        {
            "arrivals": arrivals.kind,
            "accesses_per_s": arrivals.accesses_per_s,
            "clients": arrivals.clients,
            "think_us": arrivals.think_s * US_PER_S,
            "stretch": arrivals.stretch,
            "flash": flash.to_core(),
            "disk": disk.to_core(),
            "exponential": exponential,
            "waits_for_writes": waits_for_writes,
            "seed": seed,
            "window_us": window_s * US_PER_S,
            "checkpoint_us": checkpoint_s * US_PER_S,
        },
        options=own or None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )
    return noted(found, own, flash_pages)


def round_window_s(duration_s: float, windows: int) -> float:
    """Return the shortest round length that cuts a duration into at most so many windows. [s]

    Round is 1, 2 or 5 times a power of ten up to 10 s, then 20 and 30 s, 1, 2, 5, 10, 20 and 30
    minutes, and 1, 2, 5 times a power of ten of hours.

    Examples
    --------
    >>> [round_window_s(duration, 60) for duration in (0.6, 50.0, 3600.0, 86_400.0)]
    [0.01, 1.0, 60.0, 1800.0]
    """
    least = duration_s / windows
    minutes = (20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0)
    if MOST_DECIMAL_S < least <= minutes[-1]:
        return next(each for each in minutes if each >= least)
    unit = S_PER_HOUR if least > minutes[-1] else 1.0
    exponent = math.floor(math.log10(max(least / unit, LEAST_WINDOW_S)))
    # A power of ten that is given as text is exact where one computed may be off by a digit.
    rounds = (float(f"{digit}e{exponent}") for digit in (1, 2, 5, 10))
    return unit * next(each for each in rounds if unit * each >= least)


def is_outrun(found: TimedResult) -> bool:
    """Return whether accesses arrived faster than the devices did what they asked for.

    Their queue then grows as long as accesses arrive, and response times with it: they are those of a trace of this
    length. Of clients, each of which waits for its access, it says no more than that a device is busy all the time.

    Examples
    --------
    >>> is_outrun({"flash": {"utilisation": 0.2}, "disk": {"utilisation": 4.9}})
    True
    """
    return any(found[tier]["utilisation"] >= 1 for tier in ("flash", "disk"))


@dataclass(frozen=True, slots=True)
class TimedReplay:
    """One replay on simulated time, as `replay_timed` takes it; can be kept in a document.

    Attributes
    ----------
    scheme : str
        A page-flow scheme or a flash cache.
    ram_pages, flash_pages : int
        Sizes. [pages]
    arrivals : Arrivals
        When accesses arrive.
    flash, disk : DeviceTimes
        Devices.
    exponential, waits_for_writes : bool
        Whether times vary, and whether an access ends with its writes.
    seed : int
        Of all that is random.
    warm_up : WarmUp
        Accesses that are not counted.
    options : dict of str to str
        Of the flash cache or the scheme.
    window_s : float
        Length of the windows of the course; 0: no course, unless `windows` asks for one. [s]
    windows : int
        Or a course of about so many windows at most, of a round length: that takes a replay before,
        which finds how long all lasts.
    checkpoint_s : float
        Time between two checkpoints, as `replay_timed` takes it. [s]
    """

    scheme: str
    ram_pages: int
    flash_pages: int
    arrivals: Arrivals
    flash: DeviceTimes
    disk: DeviceTimes
    exponential: bool = False
    waits_for_writes: bool = False
    seed: int = 0
    warm_up: WarmUp = 0
    options: dict[str, str] = field(default_factory=dict)
    window_s: float = 0.0
    windows: int = 0
    checkpoint_s: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return what `of` reads."""
        return asdict(self)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> TimedReplay:
        """Read a replay that `to_dict` wrote."""
        return cls(
            **{
                **document,
                "arrivals": Arrivals(**document["arrivals"]),
                "flash": DeviceTimes(**document["flash"]),
                "disk": DeviceTimes(**document["disk"]),
            }
        )

    def refuse_impossible(self, trace: Trace) -> None:
        """Have refused what `run` would refuse before its first access.

        Raises
        ------
        BadInput, ParameterError, SimulatorError
            As `run`.
        """
        with suppress(Cancelled):
            # The first call of progress comes after all checks: its cancel ends them.
            self.run(trace, lambda *_: False)

    def run(self, trace: Trace, on_progress: OnProgress | None = None) -> TimedResult:
        """Replay the trace; devices that do not keep up are a result, not an error.

        Parameters
        ----------
        trace : Trace
            What is replayed.
        on_progress : callable, optional
            See `OnProgress`; False cancels.

        Returns
        -------
        dict
            `response` of `replay_timed`, with `warm_up`, the accesses before those counted,
            `window_s` of the course, and the counts of `COUNTED`, `CHECKPOINTED` and `LOST`; or only `behind`, which is true: too many accesses waited for their writes.

        Raises
        ------
        ParameterError, SimulatorError
            As `replay_timed` otherwise.
        """
        window_s = self.window_s
        if self.windows and not window_s:
            whole = replace(self, windows=0).run(trace, on_progress)
            if "behind" in whole:
                return whole
            window_s = round_window_s(whole["duration_s"], self.windows)
        try:
            found = replay_timed(
                trace,
                self.scheme,
                self.ram_pages,
                self.flash_pages,
                arrivals=self.arrivals,
                flash=self.flash,
                disk=self.disk,
                exponential=self.exponential,
                waits_for_writes=self.waits_for_writes,
                seed=self.seed,
                warm_up=self.warm_up,
                options=self.options,
                window_s=window_s,
                checkpoint_s=self.checkpoint_s,
                on_progress=on_progress,
            )
        except ParameterError as error:
            if _BEHIND not in str(error.args[0]):
                raise
            return {"behind": True}
        crash = found.get("crash") or dict.fromkeys(LOST, 0)
        return {
            **found["response"],
            "warm_up": found.get("warm_up", 0),
            "window_s": window_s,
            **{name: found[name] for name in COUNTED},
            CHECKPOINTED: found.get(CHECKPOINTED, 0),
            **{name: crash[name] for name in LOST},
        }
