"""Whether a platform can carry a workload, and whether its cache is the right one.

Source: Zhang and others (arXiv 2511.03944 v2, 2026), section V. A threshold T caches every block
that is accessed at least once in T; the rest is read from the drives, and each such read crosses
DRAM twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.modern._checked import numbers, one

Limit = Literal["none", "storage", "dram_bandwidth", "both"]
LIMITS: dict[tuple[bool, bool], Limit] = {
    (False, False): "none",
    (True, False): "storage",
    (False, True): "dram_bandwidth",
    (True, True): "both",
}
"""What is short, by whether storage and DRAM bandwidth are."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of a platform, and what they say.

    Attributes
    ----------
    bandwidth_s : float or None
        T_B, least threshold within DRAM bandwidth; None where the load exceeds it. [s]
    storage_s : float or None
        T_S, least threshold within the drives' bandwidth. [s]
    capacity_s : float
        T_C, interval of the last block that DRAM holds; 0 where it holds none. [s]
    viable : bool
        Whether DRAM holds what must be cached.
    limit : str
        What is short: `none`, `storage`, `dram_bandwidth` or `both`.
    optimal : bool or None
        Whether the break-even lies between what must be and what can be cached; None without
        a break-even.
    needed_blocks : float or None
        Least DRAM that makes it viable; None where no DRAM does. [blocks]
    load_bytes_per_s : float
        Traffic of all blocks. [bytes/s]
    """

    bandwidth_s: float | None
    storage_s: float | None
    capacity_s: float
    viable: bool
    limit: Limit
    optimal: bool | None
    needed_blocks: float | None
    load_bytes_per_s: float


@dataclass(frozen=True, slots=True)
class LognormalLoad:
    """Traffic of blocks whose intervals are log-normal.

    Attributes
    ----------
    cached_blocks : float64 array
        With an interval up to the threshold. [blocks]
    total_bytes_per_s, cached_bytes_per_s, uncached_bytes_per_s : float64 array
        Of all, of the cached, of the rest. [bytes/s]
    dram_bytes_per_s : float64 array
        Traffic of DRAM: the cached once, the rest twice. [bytes/s]
    """

    cached_blocks: FloatArray
    total_bytes_per_s: FloatArray
    cached_bytes_per_s: FloatArray
    uncached_bytes_per_s: FloatArray
    dram_bytes_per_s: FloatArray


def platform_thresholds(
    *,
    block_bytes: float,
    intervals_s: ArrayLike,
    dram_bytes: float,
    dram_bytes_per_s: float,
    ssd_bytes_per_s: float,
    break_even_s: float | None = None,
    blocks: ArrayLike | None = None,
) -> Thresholds:
    """Thresholds of bandwidth, storage and capacity, and the verdict.

    Psi_d(T) = l sum of 1 / tau over blocks with tau > T; T_B is the least T with
    load + Psi_d <= B_dram, T_S the least with Psi_d < B_ssd, T_C the K-th smallest interval,
    K = floor(C_dram / l). Viable: max(T_B, T_S) <= T_C. Optimal: the break-even lies between.
    The paper leaves open that a least T is 0 where nothing need be cached.

    Valid where the most frequently accessed blocks are the cached ones and accesses are spread
    evenly over time; a burst needs more.

    Parameters
    ----------
    block_bytes : float
        l. [bytes]
    intervals_s : (n,) array_like
        Access intervals of the blocks, in any order. [s]
    dram_bytes, dram_bytes_per_s : float
        Capacity and bandwidth of DRAM. [bytes], [bytes/s]
    ssd_bytes_per_s : float
        Bandwidth of all drives at this block size. [bytes/s]
    break_even_s : float, optional
        Break-even interval. [s]
    blocks : (n,) array_like, optional
        How many blocks have each interval; one unless given. [blocks]

    Returns
    -------
    Thresholds

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "platform"
    numbers(
        subject,
        ("block_bytes",),
        block_bytes=block_bytes,
        dram_bytes=dram_bytes,
        dram_bytes_per_s=dram_bytes_per_s,
        ssd_bytes_per_s=ssd_bytes_per_s,
        break_even_s=0.0 if break_even_s is None else break_even_s,
    )
    times, counts = _sorted(subject, intervals_s, blocks)
    traffic = block_bytes * counts / times
    # Summed from the rarest block: exactly 0 where all are cached.
    beyond = np.concatenate([np.cumsum(traffic[::-1])[::-1], [0.0]])
    load = float(beyond[0])
    last = np.append(np.diff(times) > 0, True)  # equal intervals are cached together
    thresholds = np.concatenate([[0.0], times[last]])
    left = np.concatenate([[load], beyond[1:][last]])
    held = np.concatenate([[0.0], np.cumsum(counts)[last]])
    bandwidth = _least(thresholds, load + left <= dram_bytes_per_s)
    storage = _least(thresholds, left < ssd_bytes_per_s)
    room = np.floor(dram_bytes / block_bytes)
    within = int(np.searchsorted(np.cumsum(counts), room, side="left"))
    capacity = float(times[min(within, times.size - 1)]) if room >= 1 else 0.0
    short_bandwidth = bandwidth is None or bandwidth > capacity
    short_storage = storage is None or storage > capacity
    viable = not (short_bandwidth or short_storage)
    must = None if bandwidth is None or storage is None else max(bandwidth, storage)
    return Thresholds(
        bandwidth_s=bandwidth,
        storage_s=storage,
        capacity_s=capacity,
        viable=viable,
        limit=LIMITS[short_storage, short_bandwidth],
        optimal=None
        if break_even_s is None
        else viable and must is not None and must <= break_even_s <= capacity,
        needed_blocks=None
        if must is None
        else float(held[np.searchsorted(thresholds, must)]),
        load_bytes_per_s=load,
    )


def lognormal_intervals(
    *,
    blocks: ArrayLike,
    block_bytes: ArrayLike,
    mu: ArrayLike,
    sigma: ArrayLike,
    threshold_s: ArrayLike,
) -> LognormalLoad:
    """Blocks cached and traffic where the logarithm of intervals is normal.

    z = (ln T - mu) / sigma; |S(T)| = N Phi(z); load = l N exp(-mu + sigma^2 / 2);
    Psi_c = load Phi(z + sigma). Derived from the distribution that the paper draws intervals
    from, with sigma 1.2 for strong and 0.4 for weak locality.

    Parameters
    ----------
    blocks, block_bytes : array_like
        N and l. [blocks], [bytes]
    mu, sigma : array_like
        Mean and deviation of ln(interval / s); mu may be negative. [1]
    threshold_s : array_like
        T; 0 caches nothing. [s]

    Returns
    -------
    LognormalLoad
        Broadcast shape.

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    from scipy.special import ndtr

    subject = "log-normal intervals"
    v = numbers(
        subject,
        ("blocks", "block_bytes", "sigma"),
        blocks=blocks,
        block_bytes=block_bytes,
        sigma=sigma,
        threshold_s=threshold_s,
        magnitude=np.abs(np.asarray(mu, dtype=np.float64)),
    )
    mean = np.asarray(mu, dtype=np.float64)
    with np.errstate(divide="ignore"):
        z = (np.log(v["threshold_s"]) - mean) / v["sigma"]
    load = v["block_bytes"] * v["blocks"] * np.exp(v["sigma"] ** 2 / 2 - mean)
    uncached = load * ndtr(-(z + v["sigma"]))
    return LognormalLoad(
        cached_blocks=np.asarray(v["blocks"] * ndtr(z)),
        total_bytes_per_s=np.asarray(load),
        cached_bytes_per_s=np.asarray(load * ndtr(z + v["sigma"])),
        uncached_bytes_per_s=np.asarray(uncached),
        dram_bytes_per_s=np.asarray(load + uncached),
    )


def lognormal_threshold(
    *,
    cached_blocks: ArrayLike,
    blocks: ArrayLike,
    mu: ArrayLike,
    sigma: ArrayLike,
) -> FloatArray:
    """Return the interval of the last block that a cache holds, of the shortest intervals first.

    T = exp(mu + sigma z), Phi(z) = cached / N: the inverse of `lognormal_intervals`.

    Parameters
    ----------
    cached_blocks : array_like
        From 0, whose threshold is 0, to below N. [blocks]
    blocks : array_like
        N. [blocks]
    mu, sigma : array_like
        Mean and deviation of ln(interval / s); mu may be negative. [1]

    Returns
    -------
    float64 array
        T, broadcast shape. [s]

    Raises
    ------
    BadInput
        If an input is out of its domain, or all blocks are cached: no threshold is the last.
    """
    from scipy.special import ndtri

    subject = "log-normal intervals"
    v = numbers(
        subject,
        ("blocks", "sigma"),
        cached_blocks=cached_blocks,
        blocks=blocks,
        sigma=sigma,
        magnitude=np.abs(np.asarray(mu, dtype=np.float64)),
    )
    one(
        subject,
        "cached_blocks",
        float(np.max(v["cached_blocks"], initial=0.0)),
        good=bool(np.all(v["cached_blocks"] < v["blocks"])),
        message="must be fewer than the blocks",
    )
    z = ndtri(v["cached_blocks"] / v["blocks"])
    return np.asarray(np.exp(np.asarray(mu, dtype=np.float64) + v["sigma"] * z))


def _sorted(
    subject: str, intervals_s: ArrayLike, blocks: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Intervals from the shortest, and how many blocks have each."""
    given = np.atleast_1d(np.asarray(intervals_s, dtype=np.float64))
    v = numbers(
        subject,
        ("intervals_s", "blocks"),
        intervals_s=given,
        blocks=1.0 if blocks is None else blocks,
    )
    times, counts = v["intervals_s"], v["blocks"]
    if times.ndim != 1 or times.size == 0:
        raise BadInput(
            f"{subject}: intervals_s: `{times.shape}` must be a list of intervals",
            "give one interval a block",
        )
    order = np.argsort(times, kind="stable")
    return times[order], counts[order]


def _least(thresholds: FloatArray, holds: NDArray[np.bool_]) -> float | None:
    """Return the least threshold from which the condition holds; None where it never does."""
    where = np.flatnonzero(holds)
    return float(thresholds[where[0]]) if where.size else None
