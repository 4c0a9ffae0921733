"""Traces and simulations: a typed door to the Rust core.

Nothing here but NumPy is imported before the core is called, so that commands start fast.
Errors are those of the core: `SimulatorError` and its subclasses, args `(message, hint)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierwright import _simulator
from tierwright.warm_up import WarmUp, accesses_of, whole

if TYPE_CHECKING:
    from tierwright.hit_ratio import Profile

OnProgress = Callable[[int, int, int], bool]
"""Called with (bytes done, bytes in all, accesses so far); False cancels."""

OnReading = Callable[[int, int, int, int | None], bool]
"""The same where a raw trace is read, with the records so far; None where there are none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How carefully a raw trace is read: tolerance and limits of decompression.

    Attributes
    ----------
    skip_bad_records : int
        Bad lines or records to pass over and count; one more is an error.
    max_content_bytes : int or None
        Most decompressed bytes of the file; None takes 16 TiB. [bytes]
    max_expansion : int or None
        Most decompressed bytes for each byte of the file, once 256 MiB are decompressed; None
        takes 5,000.
    members_apart : bool
        Whether each member of an archive, or file of a folder, is of devices of its own.
    members_merged : bool
        Whether the members are merged by time; otherwise they are read one after another.
    device_bytes : int or None
        Size of each device that was recorded; addresses beyond it, or far below it, are warned
        of. [bytes]
    """

    skip_bad_records: int = 0
    max_content_bytes: int | None = None
    max_expansion: int | None = None
    device_bytes: int | None = None
    members_apart: bool = False
    members_merged: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that the core takes for it."""
        return {
            "skip_bad_records": self.skip_bad_records,
            "max_content_bytes": self.max_content_bytes,
            "max_expansion": self.max_expansion,
            "device_bytes": self.device_bytes,
            "members_apart": self.members_apart,
            "members_merged": self.members_merged,
        }


STRICT = Reading()


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace file and how to read it.

    Attributes
    ----------
    path : Path
        Raw trace of any supported format, compressed or in an archive, or a canonical one.
    format : str or None
        Name of the format; None detects it.
    page_bytes : int or None
        Page size for formats addressed in bytes; None takes 4096. [bytes]
    columns : mapping or None
        Column mapping of the generic CSV reader, such as ``{"time": "ts"}``.
    reading : Reading
        Tolerance and limits. Whatever was passed over is told by the notes of every answer.
    others : tuple of Path
        Files that are read behind `path`, all of them one trace as the files of a folder are.
    versions : mapping
        Name of the content of each file that is a copy of an object of a store.
    """

    path: Path
    format: str | None = None
    page_bytes: int | None = None
    columns: Mapping[str, str] | None = field(default=None)
    reading: Reading = STRICT
    others: tuple[Path, ...] = ()
    versions: Mapping[Path, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the trace, in the order in which they are read."""
        return (self.path, *self.others)

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that the core takes for a trace."""
        given: dict[str, Any] = {"format": self.format, **self.reading.arguments()}
        if self.page_bytes is not None:
            given["page_bytes"] = self.page_bytes
        if self.others:
            given["others"] = [str(other) for other in self.others]
        if self.columns:
            given["columns"] = dict(self.columns)
        return given


def formats() -> list[dict[str, Any]]:
    """Return the trace formats that the core reads."""
    return _simulator.formats()


def policies() -> list[dict[str, Any]]:
    """Return the replacement policies that the core simulates."""
    return _simulator.policies()


def schemes() -> list[dict[str, Any]]:
    """Return the page-flow schemes that the core simulates."""
    return _simulator.schemes()


def admissions() -> list[dict[str, Any]]:
    """Return the rules by which flash takes RAM victims."""
    return _simulator.admissions()


def choosers() -> list[dict[str, Any]]:
    """Return the choosers among page flows that the core simulates, with their options."""
    return _simulator.choosers()


def is_chooser(name: str) -> bool:
    """Tell whether a scheme's name, written in any way, is that of a chooser."""
    wanted = name.lower().replace("-", "_")
    return any(chooser["name"] == wanted for chooser in choosers())


def flash_caches() -> list[dict[str, Any]]:
    """Return the flash caches that the core simulates, with their options."""
    return _simulator.flash_caches()


def is_flash_cache(name: str) -> bool:
    """Tell whether a scheme's name, written in any way, is that of a flash cache."""
    wanted = name.lower().replace("-", "_")
    return any(cache["name"] == wanted for cache in flash_caches())


def preview(
    trace: Trace,
    *,
    rows: int = 20,
    on_progress: OnReading | None = None,
) -> dict[str, Any]:
    """Read the head of a trace and say what was understood."""
    return _simulator.preview(
        str(trace.path),
        rows=rows,
        on_progress=on_progress,
        **trace.arguments(),
    )


def inspect(trace: Trace, *, on_progress: OnReading | None = None) -> dict[str, Any]:
    """Read a whole trace: counts, duration, hash of its access sequence."""
    return _simulator.inspect(
        str(trace.path),
        on_progress=on_progress,
        **trace.arguments(),
    )


def convert(
    trace: Trace,
    out: Path,
    *,
    force: bool = False,
    resume: tuple[str, int] | None = None,
    on_progress: OnReading | None = None,
) -> dict[str, Any]:
    """Write the canonical form of a trace; an existing file only with `force`.

    With `resume`, a name of the content and the accesses between two checkpoints, as
    `_simulator.convert` has it; `tierwright.conversions` finds them.
    """
    return _simulator.convert(
        str(trace.path),
        str(out),
        force=force,
        resume=resume,
        on_progress=on_progress,
        **trace.arguments(),
    )


def warm_up_accesses(
    trace: Trace, warm_up: WarmUp, *, on_progress: OnProgress | None = None
) -> int:
    """Return the accesses of a warm-up; those of a raw trace are counted for a share.

    Raises
    ------
    BadInput
        If it is neither a whole number from 0 on nor a share between 0 and 1, or the share of this trace is
        no access.
    SimulatorError
        If the trace has to be counted and cannot be read, or progress asked to stop.
    """
    accesses = whole(warm_up)
    if accesses is not None:
        return accesses
    return accesses_of(
        warm_up,
        _simulator.count_accesses(
            str(trace.path), on_progress=on_progress, **trace.arguments()
        ),
    )


def profile(
    trace: Trace,
    *,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
    on_progress: OnProgress | None = None,
) -> Profile:
    """Profile a trace: exact LRU misses and write-backs, thinned to listed sizes.

    The profile says how far straight lines between the listed sizes may be off.

    Parameters
    ----------
    trace : Trace
        What to read.
    sizes : tuple of int
        Sizes to list besides the log-spaced ones. [pages]
    points : int, optional
        Sizes wanted; about 1,000 by default.
    on_progress : callable, optional
        See `OnProgress`.

    Raises
    ------
    BadInput
        If the trace has no accesses or a named size is below 1.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    from tierwright.errors import BadInput
    from tierwright.hit_ratio import DEFAULT_POINTS, Curve, Profile
    from tierwright.reader_notes import ReaderNotes
    from tierwright.thinning import error_bounded

    if any(size < 1 for size in sizes):
        raise BadInput(
            f"size `{min(sizes)}` is below 1 page", "name sizes of at least 1 page"
        )
    found = _simulator.curves(
        str(trace.path), on_progress=on_progress, **trace.arguments()
    )
    if found["accesses"] == 0:
        raise BadInput(
            f"{trace.path}: the trace has no page accesses, so it has no curve",
            "profile a trace with data",
        )
    whole = Curve.from_full(
        found["misses"],
        found["write_backs"],
        accesses=found["accesses"],
        page_bytes=found["page_bytes"],
        write_accesses=found["write_accesses"],
        notes=ReaderNotes.of(found["trace"]),
    )
    thinned, off = error_bounded(whole, points or DEFAULT_POINTS, sizes)
    return Profile(thinned, found["duration_s"], thinned_error=off)


def sampled_profile(
    trace: Trace,
    sample_rate: float | None = None,
    *,
    sample_pages: int | None = None,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Profile:
    """Profile a trace from a sample of its pages, each count with its 95 % interval.

    Parameters
    ----------
    trace : Trace
        What to read.
    sample_rate : float, optional
        Share of the pages to follow, in (0, 1].
    sample_pages : int, optional
        Instead: most pages to follow; the share falls as the trace shows more. [pages]
    sizes, points, on_progress
        As for `profile`.
    seed : int
        Another seed follows other pages.

    Raises
    ------
    BadInput
        If the trace has no accesses or a named size is below 1.
    SimulatorError
        If rate or bound are out of range, both or neither given, or no page is sampled,
        the trace cannot be read, or progress asked to stop.
    """
    import numpy as np

    from tierwright.errors import BadInput
    from tierwright.hit_ratio import (
        DEFAULT_POINTS,
        Curve,
        FloatArray,
        Profile,
        Sampled,
        thinned_sizes,
    )
    from tierwright.reader_notes import ReaderNotes

    if any(size < 1 for size in sizes):
        raise BadInput(
            f"size `{min(sizes)}` is below 1 page", "name sizes of at least 1 page"
        )
    found = _simulator.sampled_curves(
        str(trace.path),
        sample_rate=sample_rate,
        sample_pages=sample_pages,
        seed=seed,
        on_progress=on_progress,
        **trace.arguments(),
    )
    if found["accesses"] == 0:
        raise BadInput(
            f"{trace.path}: the trace has no page accesses, so it has no curve",
            "profile a trace with data",
        )
    pages = thinned_sizes(found["distinct_pages"], points or DEFAULT_POINTS, sizes)

    def at(name: str) -> FloatArray:
        return np.asarray(np.interp(pages, found["pages"], found[name]))

    followed = found["sample_rate"] if sample_rate is None else sample_rate
    # Whole counts; the ends of intervals are rounded outwards.
    misses = np.rint(at("misses"))
    backs = np.minimum(np.rint(at("write_backs")), misses)
    curve = Curve.from_lists(
        pages,
        misses,
        backs,
        accesses=found["accesses"],
        distinct_pages=found["distinct_pages"],
        page_bytes=found["page_bytes"],
        write_accesses=found["write_accesses"],
        sample_rate=followed,
        notes=ReaderNotes.of(found["trace"]),
    )
    sampled = Sampled(
        followed,
        np.floor(at("misses_low")),
        np.ceil(at("misses_high")),
        np.minimum(np.floor(at("write_backs_low")), backs),
        np.ceil(at("write_backs_high")),
        sample_pages,
    )
    return Profile(curve, found["duration_s"], sampled)


def window_curves(
    trace: Trace,
    *,
    window_accesses: int | None = None,
    window_ns: int | None = None,
    sizes: Sequence[int] | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Count the LRU misses of consecutive windows, by accesses or by time [ns]."""
    return _simulator.window_curves(
        str(trace.path),
        window_accesses=window_accesses,
        window_ns=window_ns,
        sizes=None if sizes is None else list(sizes),
        on_progress=on_progress,
        **trace.arguments(),
    )


def sweep(
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    *,
    warm_up: WarmUp = 0,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay many configurations over one read of the trace; a cancel keeps its rows.

    All have the same warm-up; see `WarmUp`.
    """
    return _simulator.sweep(
        str(trace.path),
        [dict(configuration) for configuration in configurations],
        warm_up=warm_up_accesses(trace, warm_up),
        threads=threads,
        on_progress=on_progress,
        **trace.arguments(),
    )


def miniatures(
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    sample_rate: float,
    *,
    seed: int = 0,
    warm_up: WarmUp = 0,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Estimate many configurations by scaled caches over samples; a cancel keeps whole reads.

    The warm-up is of the whole trace: each sample warms up with its own share of it.
    """
    return _simulator.miniatures(
        str(trace.path),
        [dict(configuration) for configuration in configurations],
        sample_rate,
        seed=seed,
        warm_up=warm_up_accesses(trace, warm_up),
        threads=threads,
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_policy(
    trace: Trace,
    policy: str,
    pages: int,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through one cache of `pages` pages. See `WarmUp`."""
    return _simulator.simulate_policy(
        str(trace.path),
        policy,
        pages,
        options=dict(options) if options else None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_scheme(
    trace: Trace,
    scheme: str,
    ram_pages: int,
    flash_pages: int,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through RAM and flash under a page-flow scheme. See `WarmUp`."""
    return _simulator.simulate_scheme(
        str(trace.path),
        scheme,
        ram_pages,
        flash_pages,
        options=dict(options) if options else None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_online(
    trace: Trace,
    scheme: str,
    ram_pages: int,
    flash_pages: int,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through RAM and flash whose page flow is chosen period by period. See `WarmUp`."""
    return _simulator.simulate_online(
        str(trace.path),
        scheme,
        ram_pages,
        flash_pages,
        options=dict(options) if options else None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_flash_cache(
    trace: Trace,
    scheme: str,
    ram_pages: int,
    flash_pages: int,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through RAM and a flash cache that manages itself. See `WarmUp`."""
    return _simulator.simulate_flash_cache(
        str(trace.path),
        scheme,
        ram_pages,
        flash_pages,
        options=dict(options) if options else None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )


def buffers() -> list[dict[str, Any]]:
    """Return the cost-aware buffers that the core simulates, with their options."""
    return _simulator.buffers()


def simulate_buffer(
    trace: Trace,
    buffer: str,
    pages: int,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through a cost-aware buffer of `pages` pages. See `WarmUp`."""
    return _simulator.simulate_buffer(
        str(trace.path),
        buffer,
        pages,
        options=dict(options) if options else None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_dynamics(
    trace: Trace,
    pages: int,
    *,
    clean_pages: Sequence[int],
    epoch_accesses: int,
    window_accesses: int,
    write_share: float,
    asymmetry: float,
    write_growth: float = 0.0,
    write_odd: float = 1.0,
    asymmetry_growth: float = 0.0,
    asymmetry_odd: float = 1.0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay buffers side by side while the writes of a trace, or their cost, change by epoch."""
    return _simulator.simulate_dynamics(
        str(trace.path),
        pages,
        clean_pages=list(clean_pages),
        epoch_accesses=epoch_accesses,
        window_accesses=window_accesses,
        write_share=write_share,
        write_growth=write_growth,
        write_odd=write_odd,
        asymmetry=asymmetry,
        asymmetry_growth=asymmetry_growth,
        asymmetry_odd=asymmetry_odd,
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_splits(
    trace: Trace,
    pages: int,
    clean_pages: Sequence[int],
    *,
    on_progress: OnProgress | None = None,
) -> list[dict[str, Any]]:
    """Replay a trace once through static FD-Buffers with several clean pools."""
    return _simulator.simulate_splits(
        str(trace.path),
        pages,
        list(clean_pages),
        on_progress=on_progress,
        **trace.arguments(),
    )


def two_stack(
    trace: Trace,
    pages: int,
    *,
    distance: str = "raw",
    group_pages: int = 64,
    present_conditions: bool = True,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Count the hits of a clean and a dirty pool at every split, in one pass."""
    return _simulator.two_stack(
        str(trace.path),
        pages,
        distance=distance,
        group_pages=group_pages,
        present_conditions=present_conditions,
        on_progress=on_progress,
        **trace.arguments(),
    )
