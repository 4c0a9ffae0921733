"""Break-even of keeping a block with host, bandwidth and drive, and on a workload's own curve.

Source: Zhang and others (arXiv 2511.03944 v2, 2026), Eq 1; the curve is derived.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.common.hull import below_chords
from tierwright.evaluate.modern._checked import numbers, one

_ROUNDS = 30
"""Rounds that leave out most points of a whole curve before the corners are found one by one."""


@dataclass(frozen=True, slots=True)
class HostBreakEven:
    """Break-even interval by its terms; broadcast shape.

    Attributes
    ----------
    host_s, bandwidth_s, ssd_s : float64 array
        Share of a core, of DRAM bandwidth, and of the drive that an access needs, in seconds of
        rent of the block. [s]
    interval_s : float64 array
        Their sum: a block accessed at least this often is cheaper to keep. [s]
    """

    host_s: FloatArray
    bandwidth_s: FloatArray
    ssd_s: FloatArray
    interval_s: FloatArray


@dataclass(frozen=True, slots=True)
class CurveBreakEven:
    """Memory that pays for itself on a workload's own curve.

    Attributes
    ----------
    hull_pages : list of float
        Sizes at the corners of the lower convex hull of the misses. [pages]
    hull_misses : list of float
        Misses there. [accesses]
    interval_s : list of (float or None)
        Of each segment of the hull: mean time between the misses that one page of it saves; None
        where it saves none. [s]
    pages : float
        End of the last segment whose interval is at most the break-even. [pages]
    """

    hull_pages: list[float]
    hull_misses: list[float]
    interval_s: list[float | None]
    pages: float


def break_even_host(
    *,
    core_cost: ArrayLike,
    core_iops: ArrayLike,
    block_bytes: ArrayLike,
    dram_cost: ArrayLike,
    dram_bytes: ArrayLike,
    dram_bytes_per_s: ArrayLike | None,
    ssd_cost: ArrayLike,
    ssd_iops: ArrayLike,
) -> HostBreakEven:
    """Break-even interval with the host's and DRAM bandwidth's share of an access.

    tau = (K_core / I_core + l K_dram / B_dram + K_ssd / I_ssd) C_dram / (l K_dram).

    Without host and bandwidth it is the rule of 1987, `break_even_interval`, whose `host_usd` is
    (K_core / I_core) times the accesses per second of the device. The bandwidth term is right
    only where DRAM bandwidth is scarce; leave it out elsewhere. The first and the last term fall
    as 1 / l. Costs of capital only: no power, no wear.

    Parameters
    ----------
    core_cost, core_iops : array_like
        Cost of a core and the I/Os per second that it drives. [cost], [1/s]
    block_bytes : array_like
        l, fetched by one I/O. [bytes]
    dram_cost, dram_bytes : array_like
        One unit of DRAM (die, module) and its capacity. [cost], [bytes]
    dram_bytes_per_s : array_like or None
        Its bandwidth; None leaves the bandwidth term out. [bytes/s]
    ssd_cost, ssd_iops : array_like
        A drive, and its I/Os per second at this size and mix. [cost], [1/s]

    Returns
    -------
    HostBreakEven

    Raises
    ------
    BadInput
        If a size, rate or price is not positive, or the core's or drive's cost is negative.

    Examples
    --------
    >>> found = break_even_host(
    ...     core_cost=4,
    ...     core_iops=1e6,
    ...     block_bytes=512,
    ...     dram_cost=1,
    ...     dram_bytes=3e9,
    ...     dram_bytes_per_s=3e9,
    ...     ssd_cost=100,
    ...     ssd_iops=10e6,
    ... )
    >>> [
    ...     round(float(each), 3)
    ...     for each in (found.host_s, found.bandwidth_s, found.ssd_s)
    ... ]
    [23.438, 1.0, 58.594]
    """
    given = {
        "core_cost": core_cost,
        "core_iops": core_iops,
        "block_bytes": block_bytes,
        "dram_cost": dram_cost,
        "dram_bytes": dram_bytes,
        "ssd_cost": ssd_cost,
        "ssd_iops": ssd_iops,
    }
    if dram_bytes_per_s is not None:
        given["dram_bytes_per_s"] = dram_bytes_per_s
    v = numbers(
        "break-even with host",
        [name for name in given if name not in ("core_cost", "ssd_cost")],
        **given,
    )
    kept = v["dram_bytes"] / (v["block_bytes"] * v["dram_cost"])
    host = v["core_cost"] / v["core_iops"] * kept
    drive = v["ssd_cost"] / v["ssd_iops"] * kept
    bandwidth = (
        np.zeros_like(host)
        if dram_bytes_per_s is None
        else v["dram_bytes"] / v["dram_bytes_per_s"]
    )
    return HostBreakEven(
        host_s=np.asarray(host),
        bandwidth_s=np.asarray(bandwidth),
        ssd_s=np.asarray(drive),
        interval_s=np.asarray(host + bandwidth + drive),
    )


def curve_break_even(
    *,
    pages: ArrayLike,
    misses: ArrayLike,
    duration_s: float,
    break_even_s: float,
) -> CurveBreakEven:
    """How much memory pays for itself on a curve of misses.

    A segment of the lower convex hull of (pages, misses) has the interval
    D x (pages gained) / (misses saved); memory is bought up to the end of the last segment whose
    interval is at most tau. That size has the least pages x D / tau + misses: the same answer as
    least money, since a page costs as much over D as D / tau misses.

    Valid where the misses of the curve are the I/Os saved: no prefetching, no batching.

    Parameters
    ----------
    pages : (n,) array_like
        Sizes, rising, at least 0. [pages]
    misses : (n,) array_like
        Misses of a cache of each size over the duration. [accesses]
    duration_s : float
        D. [s]
    break_even_s : float
        tau. [s]

    Returns
    -------
    CurveBreakEven

    Raises
    ------
    BadInput
        If an input is out of its domain, or the sizes do not rise.

    Examples
    --------
    >>> found = curve_break_even(
    ...     pages=[0, 100, 200, 300],
    ...     misses=[1000, 990, 500, 500],
    ...     duration_s=100,
    ...     break_even_s=50,
    ... )
    >>> found.hull_pages, found.interval_s, found.pages
    ([0.0, 200.0, 300.0], [40.0, None], 200.0)
    """
    subject = "break-even on the curve"
    numbers(subject, ("duration_s",), duration_s=duration_s, break_even_s=break_even_s)
    v = numbers(subject, pages=pages, misses=misses)
    sizes, counts = np.atleast_1d(v["pages"]), np.atleast_1d(v["misses"])
    if sizes.ndim != 1 or np.shape(pages) != np.shape(misses) or not sizes.size:
        problems = Problems(subject, "give one number of misses for each size")
        problems.add("misses", np.shape(misses), "does not match the list of pages")
        problems.raise_if_any()
    rising = bool(np.all(np.diff(sizes) > 0))
    one(subject, "pages", float(sizes[0]), good=rising, message="must rise throughout")
    corners = below_chords(sizes, counts, rounds=_ROUNDS)
    hull = list(_lower_hull(sizes[corners].tolist(), counts[corners].tolist()))
    intervals: list[float | None] = []
    for (size, many), (larger, few) in pairwise(hull):
        if few >= many:
            intervals.append(None)
            continue
        with np.errstate(all="ignore"):
            interval = float(np.float64(duration_s) * (larger - size) / (many - few))
        if not math.isfinite(interval):
            raise BadInput(
                f"{subject}: duration_s: `{duration_s}` gives an interval beyond numbers",
                "give a shorter duration, or more misses",
            )
        intervals.append(interval)
    sizes_of_hull = [size for size, _ in hull]
    return CurveBreakEven(
        hull_pages=sizes_of_hull,
        hull_misses=[many for _, many in hull],
        interval_s=intervals,
        pages=pages_that_pay(sizes_of_hull, intervals, break_even_s),
    )


def pages_that_pay(
    hull_pages: Sequence[float],
    interval_s: Sequence[float | None],
    break_even_s: float,
) -> float:
    """End of the last segment of a hull whose interval is at most the break-even. [pages]

    Parameters
    ----------
    hull_pages, interval_s : sequence of float
        As of a `CurveBreakEven`. [pages], [s]
    break_even_s : float
        tau. [s]
    """
    paid = hull_pages[0]
    for end, interval in zip(hull_pages[1:], interval_s, strict=True):
        if interval is not None and interval <= break_even_s:
            paid = end
    return paid


def _lower_hull(
    sizes: list[float], counts: list[float]
) -> Iterator[tuple[float, float]]:
    """Corners of the lower convex hull, points on a straight side left out."""
    hull: list[tuple[float, float]] = []
    for size, count in zip(sizes, counts, strict=True):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (size - x1) < (count - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((size, count))
    yield from hull
