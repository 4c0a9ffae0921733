"""Cost of an access to a buffer whose misses read and whose dirty victims write.

Source: On, Li, He, Wu, Luo and Xu (CIKM 2010), sections 3 and 4; equation numbers are theirs.
Where the print is approximate or silent the docstring says what is done instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast, whole
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted

PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class IoCost:
    """Average I/O cost per access (Eqs 2 and 3).

    Attributes
    ----------
    cost : float
        In the unit of the device costs.
    asymmetry : float
        R = C_write / C_read. [1]
    normalised : float
        In page reads: cost / C_read.
    """

    cost: float
    asymmetry: float
    normalised: float


@dataclass(frozen=True, slots=True)
class SplitCosts:
    """Normalised cost per access by three estimators; arrays of one shape. [page reads]

    Attributes
    ----------
    eq4 : float64 array
        The paper's P_c P_d (1 + P_dw R).
    disjoint : float64 array
        (P_c + P_d - 1)(1 + P_dw R): the pools are disjoint, so their hits are.
    flow : float64 array
        (P_c + P_d - 1) + w P_dw R: each write that misses the dirty pool brings one dirty
        page in, so one leaves. The recommended one.
    miss_rate_product : float64 array
        P_c P_d, the miss rate that eq4 assumes. [1]
    miss_rate_disjoint : float64 array
        max(0, P_c + P_d - 1), the miss rate of disjoint pools. [1]
    """

    eq4: FloatArray
    disjoint: FloatArray
    flow: FloatArray
    miss_rate_product: FloatArray
    miss_rate_disjoint: FloatArray


@dataclass(frozen=True, slots=True)
class PoolMissRates:
    """Miss rates of the pools at the splits M_c = 1 ... M - 1 (Eqs 5 to 7).

    Attributes
    ----------
    clean_pages : int64 array
        M_c. [pages]
    p_c, p_d : float64 array
        Share of all accesses that miss the clean, the dirty pool. [1]
    p_dw : float64 array
        Share of the writes that miss the dirty pool; 0 without writes. [1]
    """

    clean_pages: np.typing.NDArray[np.int64]
    p_c: FloatArray
    p_d: FloatArray
    p_dw: FloatArray


@dataclass(frozen=True, slots=True)
class GroupDistance:
    """Stack distance of a page by its group of equal recency.

    Attributes
    ----------
    group : int
        Number of the group, from 0.
    printed : int
        group x size, as the paper prints it: the first group hits at every size. [pages]
    conservative : int
        (group + 1) x size. [pages]
    """

    group: int
    printed: int
    conservative: int


def io_cost(
    miss_rate: float, dirty_share: float, *, read_cost: float, write_cost: float
) -> IoCost:
    """Cost = P C_read + P E C_write = C_read P (1 + E R) (Eqs 2 and 3).

    Parameters
    ----------
    miss_rate : float
        P_total. [1]
    dirty_share : float
        E_dirty: dirty evictions per eviction. [1]
    read_cost, write_cost : float
        Device cost of a page read and of a random page write. [time]

    Raises
    ------
    BadInput
        If a share is outside [0, 1], a cost is negative, or the read cost is 0.

    Examples
    --------
    >>> io_cost(0.12, 0.3, read_cost=1, write_cost=32).normalised
    1.272
    """
    v = broadcast(
        "I/O cost",
        amounts={"read_cost": read_cost, "write_cost": write_cost},
        shares={"miss_rate": miss_rate, "dirty_share": dirty_share},
    )
    if read_cost == 0:
        raise BadInput(
            "read_cost: `0` has no asymmetry", "give the cost of a page read"
        )
    misses, dirty = float(v["miss_rate"]), float(v["dirty_share"])
    asymmetry = write_cost / read_cost
    return IoCost(
        cost=misses * read_cost + misses * dirty * write_cost,
        asymmetry=asymmetry,
        normalised=misses * (1 + dirty * asymmetry),
    )


def split_costs(
    p_c: ArrayLike,
    p_d: ArrayLike,
    p_dw: ArrayLike,
    *,
    asymmetry: ArrayLike,
    write_share: ArrayLike,
) -> SplitCosts:
    """Estimate the normalised cost per access from the pools' miss rates.

    The paper multiplies the miss rates as if they were independent, and takes the share of
    writes that miss the dirty pool for the share of dirty victims (Eq 4). Both are repaired
    by the other two estimators; `flow` is nearest to a replay.

    Parameters
    ----------
    p_c, p_d, p_dw : array_like
        Miss rates of the clean pool, the dirty pool, and of writes in the dirty pool. [1]
    asymmetry : array_like
        R, cost of a page write in page reads; above 0, usually at least 1. [1]
    write_share : array_like
        w: writes per access. [1]

    Raises
    ------
    BadInput
        If a share is outside [0, 1], or R is not above 0.

    Examples
    --------
    >>> found = split_costs(0.5, 0.6, 0.2, asymmetry=32, write_share=0.15)
    >>> round(float(found.eq4), 9), round(float(found.flow), 9)
    (2.22, 1.06)
    """
    v = broadcast(
        "cost of a split",
        amounts={"asymmetry": asymmetry},
        shares={"p_c": p_c, "p_d": p_d, "p_dw": p_dw, "write_share": write_share},
    )
    check_asymmetry(v["asymmetry"])
    product = v["p_c"] * v["p_d"]
    # An estimate may fall a little below 0; a buffer cannot.
    disjoint = np.maximum(0.0, v["p_c"] + v["p_d"] - 1)
    writes = v["p_dw"] * v["asymmetry"]
    return SplitCosts(
        eq4=product * (1 + writes),
        disjoint=disjoint * (1 + writes),
        flow=disjoint + v["write_share"] * writes,
        miss_rate_product=product,
        miss_rate_disjoint=disjoint,
    )


def check_asymmetry(asymmetry: ArrayLike) -> None:
    """Refuse an R that no device has.

    Raises
    ------
    BadInput
        If it is not a finite number above 0.
    """
    value = np.asarray(asymmetry, dtype=np.float64)
    if not np.all(np.isfinite(value) & (value > 0)):
        raise BadInput(
            f"asymmetry: `{asymmetry!s}` is not a finite number above 0",
            "give R, the cost of a page write in page reads, such as 32",
        )


def pool_miss_rates(
    hits_clean: ArrayLike,
    hits_dirty: ArrayLike,
    write_hits_dirty: ArrayLike,
    *,
    accesses: int,
    write_accesses: int,
) -> PoolMissRates:
    """Turn hits by split into miss rates (Eqs 5 to 7).

    Parameters
    ----------
    hits_clean, hits_dirty, write_hits_dirty : array_like, shape (M - 1,)
        Hits of the clean pool, of the dirty pool, and those of its hits that are writes, at
        the splits M_c = 1 ... M - 1. [accesses]
    accesses, write_accesses : int
        N and N_w. [accesses]

    Raises
    ------
    BadInput
        If there are no accesses, or more hits than accesses.
    """
    clean, dirty, writes = (
        np.asarray(hits, dtype=np.float64)
        for hits in (hits_clean, hits_dirty, write_hits_dirty)
    )
    problems = Problems("miss rates", "give the counts of one pass over one trace")
    problems.check(accesses > 0, "accesses", accesses, "must be above 0")
    problems.check(
        0 <= write_accesses <= accesses,
        "write_accesses",
        write_accesses,
        f"must lie between 0 and the {counted(accesses, 'access')}",
    )
    for name, hits, most in (
        ("hits_clean", clean, accesses),
        ("hits_dirty", dirty, accesses),
        ("write_hits_dirty", writes, write_accesses),
    ):
        if problems.check(
            hits.shape == clean.shape, name, hits.shape, "differs in shape"
        ):
            inside = np.all((hits >= 0) & (hits <= most))
            problems.check(inside, name, None, f"must lie between 0 and {most}")
    problems.raise_if_any()
    share_of_writes = (
        1 - writes / write_accesses if write_accesses else np.zeros_like(writes)
    )
    return PoolMissRates(
        clean_pages=np.arange(1, clean.size + 1, dtype=np.int64),
        p_c=1 - clean / accesses,
        p_d=1 - dirty / accesses,
        p_dw=share_of_writes,
    )


def best_split(clean_pages: ArrayLike, cost: ArrayLike) -> int:
    """Split of least cost; of equal ones the smallest clean pool. [pages]

    Raises
    ------
    BadInput
        If there is no split, or a cost is not a number.

    Examples
    --------
    >>> best_split([3, 1, 2], [0.5, 0.7, 0.5])
    2
    """
    splits = np.asarray(clean_pages)
    costs = np.asarray(cost, dtype=np.float64)
    if splits.size == 0 or splits.shape != costs.shape or np.any(np.isnan(costs)):
        raise BadInput(
            f"splits: `{splits.size}` of them with `{costs.size}` costs cannot be compared",
            "give one cost, a number, for each of at least one split",
        )
    return int(splits[costs == costs.min()].min())


def break_even_asymmetry(
    reads_a: float, writes_a: float, reads_b: float, writes_b: float
) -> float | None:
    """R at which two buffers cost the same: (reads_b - reads_a) / (writes_a - writes_b).

    Above it the one that writes less is cheaper. None where both write as often. The value
    may be negative: the one that writes less then wins at every R.

    Parameters
    ----------
    reads_a, writes_a, reads_b, writes_b : float
        Page reads and writes of both over the same accesses. [pages]

    Raises
    ------
    BadInput
        If a count is negative or not finite.

    Examples
    --------
    >>> break_even_asymmetry(6, 2, 8, 1)
    2.0
    """
    counts = {
        "reads_a": reads_a,
        "writes_a": writes_a,
        "reads_b": reads_b,
        "writes_b": writes_b,
    }
    broadcast("break-even asymmetry", amounts=counts)
    if writes_a == writes_b:
        return None
    return (reads_b - reads_a) / (writes_a - writes_b)


def normalised_cost(
    reads: float, writes: float, *, accesses: int, asymmetry: float
) -> float | None:
    """Return (reads + R writes) / accesses: the cost per access as counted. [page reads]

    None where there are no accesses.

    Examples
    --------
    >>> normalised_cost(8, 1, accesses=9, asymmetry=1)
    1.0
    """
    broadcast(
        "cost of a replay",
        amounts={"reads": reads, "writes": writes, "accesses": accesses},
    )
    check_asymmetry(asymmetry)
    return (reads + asymmetry * writes) / accesses if accesses else None


def gain(cost: float | None, baseline: float | None) -> float | None:
    """Share of the baseline's cost that is saved, 1 - cost / baseline. [1]

    Negative where the baseline is cheaper; None where it costs nothing or one is unknown.

    Examples
    --------
    >>> gain(0.75, 1.0)
    0.25
    """
    if cost is None or baseline is None or baseline == 0:
        return None
    return 1 - cost / baseline


def window_io_time(estimation_time: float, overhead_ratio: float) -> float:
    """I/O time after which the advisor may estimate again: Comp / g. [time]

    Parameters
    ----------
    estimation_time : float
        Comp: time of one estimation. [time]
    overhead_ratio : float
        g: largest share of the I/O time that estimations may take; 0.03 in the paper. [1]

    Raises
    ------
    BadInput
        If g is not above 0, or Comp is negative.

    Examples
    --------
    >>> round(window_io_time(0.9, 0.03), 9)
    30.0
    """
    broadcast(
        "window",
        amounts={"estimation_time": estimation_time, "overhead_ratio": overhead_ratio},
    )
    if overhead_ratio == 0:
        raise BadInput(
            "overhead_ratio: `0` leaves no time for an estimation",
            "give a share above 0; the paper takes 0.03",
        )
    return estimation_time / overhead_ratio


def group_distance(position: int, group_pages: int) -> GroupDistance:
    """Distance of a stack position when groups of pages count as equally recent.

    Parameters
    ----------
    position : int
        Position from the top, the top being 1. [pages]
    group_pages : int
        Pages of a group; 64 in the paper. [pages]

    Raises
    ------
    BadInput
        If one is not a whole number of at least 1.

    Examples
    --------
    >>> group_distance(65, 64)
    GroupDistance(group=1, printed=64, conservative=128)
    """
    whole("group distance", position=position, group_pages=group_pages)
    group = (position - 1) // group_pages
    return GroupDistance(group, group * group_pages, (group + 1) * group_pages)


def estimation_error(measured: float, estimated: float) -> float | None:
    """|measured - estimated| / |measured| in percent; None where nothing was measured. [%]

    Raises
    ------
    BadInput
        If one is not finite.

    Examples
    --------
    >>> round(estimation_error(0.2, 0.23), 9)
    15.0
    """
    if not math.isfinite(measured) or not math.isfinite(estimated):
        raise BadInput(
            f"estimation error: `{measured}` and `{estimated}` must be finite",
            "give two measured rates",
        )
    if measured == 0:
        return None
    return abs(measured - estimated) / abs(measured) * PERCENT
