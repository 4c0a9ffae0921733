"""Curves of a trace: exact, sampled, window by window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tierwright import _simulator
from tierwright.trace.reading import OnProgress, Trace

if TYPE_CHECKING:
    from tierwright.profile.document import Profile

FIXED_RATE_ESTIMATOR = "SHARDS at a fixed rate, adjusted and scaled to the known distinct pages; cold start"
"""How the counts of a sample of a fixed rate are found."""
USUAL_WINDOWS = 64
_USUAL_WINDOW_SHARES = (0.001, 0.01, 0.05, 0.2, 0.5)
"""Cache sizes whose misses windows list unless asked otherwise, as shares of the distinct pages."""


def profile(
    trace: Trace,
    *,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
    on_progress: OnProgress | None = None,
) -> Profile:
    """Profile a trace: exact LRU misses and write-backs, thinned to listed sizes.

    The profile says how far straight lines between the listed sizes may be off, and carries the windows of
    the same pass.

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
    check_sizes(sizes)
    found = curves(trace, on_progress=on_progress)
    return profile_of_counts(found, str(trace.path), sizes=sizes, points=points)


def check_sizes(sizes: tuple[int, ...]) -> None:
    """Refuse listed sizes below 1 page, before anything is read.

    Raises
    ------
    BadInput
        If a size is below 1.
    """
    from tierwright.common.errors import BadInput

    if any(size < 1 for size in sizes):
        raise BadInput(
            f"size `{min(sizes)}` is below 1 page", "name sizes of at least 1 page"
        )


def profile_of_counts(
    found: Mapping[str, Any],
    name: str,
    *,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
) -> Profile:
    """Make the profile of exact counts at every size, as `curves` gives them.

    Parameters
    ----------
    found : mapping
        The counts.
    name : str
        Of the trace, for the message.
    sizes, points
        As for `profile`.

    Raises
    ------
    BadInput
        If there are no accesses.
    """
    from tierwright.common.errors import BadInput
    from tierwright.profile.curve import DEFAULT_POINTS, Curve
    from tierwright.profile.document import Profile
    from tierwright.profile.thinning import error_bounded
    from tierwright.trace.notes import ReaderNotes

    if found["accesses"] == 0:
        raise BadInput(
            f"{name}: the trace has no page accesses, so it has no curve",
            "profile a trace with data",
        )
    whole = Curve.of_counts(found).with_notes(ReaderNotes.of(found["trace"]))
    thinned, off = error_bounded(whole, points or DEFAULT_POINTS, sizes)
    return Profile(thinned, found["duration_s"], thinned_error=off)


def curves(trace: Trace, *, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """Count the misses and write-backs of every LRU size in one pass.

    Raises
    ------
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    return _simulator.curves(
        str(trace.path), on_progress=on_progress, **trace.arguments()
    )


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

    from tierwright.common.arrays import FloatArray
    from tierwright.common.errors import BadInput
    from tierwright.profile.curve import DEFAULT_POINTS, Curve, thinned_sizes
    from tierwright.profile.document import Profile, Sampled
    from tierwright.profile.windows import from_counts
    from tierwright.trace.notes import ReaderNotes

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
    windows = from_counts(
        found["windows"],
        duration_s=found["duration_s"],
        sample_rate=found["sample_rate"],
    )
    known = replace(
        curve, interval=(sampled.misses_low, sampled.misses_high), windows=windows
    )
    return Profile(known, found["duration_s"], sampled)


def usual_window_sizes(distinct_pages: int) -> list[int]:
    """Return the cache sizes whose misses windows list unless asked otherwise. [pages]

    Examples
    --------
    >>> usual_window_sizes(1000)
    [1, 10, 50, 200, 500]
    """
    shares = _USUAL_WINDOW_SHARES
    return sorted({max(1, round(distinct_pages * share)) for share in shares})


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
