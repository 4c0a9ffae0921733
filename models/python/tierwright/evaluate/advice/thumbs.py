"""What common rules of thumb would have bought."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.profile.curve import Curve

TENTH = 0.1
HIT_RATIO = 0.95
FLASH_TIMES = 10.0
FIVE_MINUTES_S = 300.0


@dataclass(frozen=True, slots=True)
class Thumb:
    """One rule, and the least sizes that it asks for.

    Attributes
    ----------
    name, title : str
        Key, and the rule in words.
    ram_bytes, flash_bytes : float or None
        Of all machines together; None where the rule cannot be applied, then `reason` says why. [bytes]
    needs_flash : bool
        Whether it buys a flash cache.
    reason : str
    """

    name: str
    title: str
    ram_bytes: float | None
    flash_bytes: float | None = 0.0
    needs_flash: bool = False
    reason: str = ""


def thumbs(
    curve: Curve, data_bytes: float, accesses_per_s: float | None, machines: int
) -> Iterator[Thumb]:
    """Apply five rules of thumb to a workload.

    Parameters
    ----------
    curve : Curve
        Of one machine.
    data_bytes : float
        Of all machines. [bytes]
    accesses_per_s : float or None
        Mean rate of all machines; None where unknown. [1/s]
    machines : int
        That the curve is one of.
    """
    page = curve.page_bytes
    yield Thumb("tenth_in_ram", "RAM for a tenth of the data", data_bytes * TENTH)
    yield Thumb("all_in_ram", "RAM for all of the data", data_bytes)
    ram = _for_hits(curve, HIT_RATIO)
    yield Thumb(
        "hit_ratio_95",
        "RAM for a hit ratio of 95 %",
        None if ram is None else ram * page * machines,
        reason=""
        if ram is not None
        else "the curve reaches that hit ratio at no size of RAM",
    )
    resident = (
        None if accesses_per_s is None else _resident(curve, accesses_per_s / machines)
    )
    yield Thumb(
        "five_minutes",
        "RAM for pages that are used again within five minutes",
        None if resident is None else resident * page * machines,
        reason="" if resident is not None else "the workload states no rate",
    )
    yield Thumb(
        "flash_ten_times_ram",
        "RAM for a hundredth of the data, and ten times as much flash",
        data_bytes / 100,
        data_bytes * FLASH_TIMES / 100,
        needs_flash=True,
    )


def _for_hits(curve: Curve, ratio: float) -> float | None:
    """Least size with a hit ratio. [pages]"""
    sizes = curve.knots
    ratios = np.asarray(curve.hit_ratio(sizes))
    [at] = np.nonzero(ratios >= ratio)
    return float(sizes[at[0]]) if len(at) else None


def _resident(curve: Curve, accesses_per_s: float) -> float:
    """Least size whose pages stay for five minutes: so many misses in five minutes turn it over. [pages]

    A cache of c pages with m(c) misses of an access replaces all of its pages in c / (m(c) X) seconds.
    """
    sizes = curve.knots
    miss = np.asarray(curve.misses(sizes)) / curve.accesses
    missed_per_s = miss * accesses_per_s
    with np.errstate(over="ignore"):  # of a rate near 0 a page stays for ever
        stay_s = np.divide(
            sizes,
            missed_per_s,
            out=np.full(len(sizes), np.inf),
            where=missed_per_s > 0,
        )
    [at] = np.nonzero(stay_s >= FIVE_MINUTES_S)
    return float(sizes[at[0]]) if len(at) else float(curve.data_pages)


def following(
    options: Options,
    order: IntArray,
    rule: Thumb,
    first: Callable[[IntArray], int | None] | None = None,
) -> int | None:
    """Return the best option that is at least as large as a rule asks for; None where there is none.

    Parameters
    ----------
    options : Options
    order : int array
        Options that keep every limit, the best first.
    rule : Thumb
    first : callable, optional
        Returns the first of some of them that keeps limits which are still to be held; the first of all unless stated.
    """
    if rule.ram_bytes is None or rule.flash_bytes is None:
        return None
    slack = 1 - 1e-9
    large = options.ram_bytes[order] >= rule.ram_bytes * slack
    if rule.needs_flash:
        large &= options.flash_bytes[order] >= rule.flash_bytes * slack
    if first is not None:
        return first(order[large])
    [at] = np.nonzero(large)
    return int(order[at[0]]) if len(at) else None
