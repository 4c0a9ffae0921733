"""What common rules of thumb would have bought."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.evaluate.compose.shared import held_pages
from tierwright.profile.curve import Curve
from tierwright.profile.several import Workload

TENTH = 0.1
HIT_RATIO = 0.95
FLASH_TIMES = 10.0
FIVE_MINUTES_S = 300.0
_NO_RATE = "the workload states no rate"
_ROUNDED = 1e-9


@dataclass(frozen=True, slots=True)
class Thumb:
    """One rule, and the least sizes that it asks for.

    Attributes
    ----------
    name, title : str
        Key, and the rule in words.
    ram_bytes, flash_bytes : float or None
        Of all machines together; None where the rule cannot be applied, then `reason` says why. RAM is that for pages, what
        the system takes comes on top. [bytes]
    needs_flash : bool
        Whether it buys a flash cache.
    reason : str
    reads_curve : bool
        Whether its size is the least one at which the curve has some property.
    ram_pages : float or None
        Whole pages of that RAM, of one machine as the curve counts them; None where `ram_bytes` is. [pages]
    """

    name: str
    title: str
    ram_bytes: float | None
    flash_bytes: float | None = 0.0
    needs_flash: bool = False
    reason: str = ""
    reads_curve: bool = False
    ram_pages: float | None = None


def thumbs(
    curve: Curve,
    data_bytes: float,
    accesses_per_s: float | None,
    machines: int,
    data: str = "the data",
) -> Iterator[Thumb]:
    """Apply five rules of thumb to a workload.

    Of a curve from counters a rule is unknown where it asks for a size of which these do not speak: it names none.

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
    data : str
        What `data_bytes` are, in words: of which day, where they grow.
    """
    for rule in _applied(curve, data_bytes, accesses_per_s, machines, data):
        reason = _why_unknown(curve, rule, machines)
        if reason:
            flash = None if rule.needs_flash else rule.flash_bytes
            yield replace(rule, ram_bytes=None, flash_bytes=flash, reason=reason)
        elif rule.ram_bytes is None:
            yield rule
        else:
            pages = rule.ram_bytes / (curve.page_bytes * machines)
            yield replace(rule, ram_pages=float(np.floor(pages * (1 + _ROUNDED))))


def _applied(
    curve: Curve,
    data_bytes: float,
    accesses_per_s: float | None,
    machines: int,
    data: str,
) -> Iterator[Thumb]:
    """Apply each rule, wherever the curve leads it."""
    page = curve.page_bytes
    yield Thumb("tenth_in_ram", f"RAM for a tenth of {data}", data_bytes * TENTH)
    yield Thumb("all_in_ram", f"RAM for all of {data}", data_bytes)
    ram = _for_hits(curve, HIT_RATIO)
    yield Thumb(
        "hit_ratio_95",
        "RAM for a hit ratio of 95 %",
        None if ram is None else ram * page * machines,
        reads_curve=True,
        reason="" if ram is not None else _why_no_hits(curve),
    )
    resident = (
        None if accesses_per_s is None else _resident(curve, accesses_per_s / machines)
    )
    yield Thumb(
        "five_minutes",
        "RAM for pages that are used again within five minutes",
        None if resident is None else resident * page * machines,
        reads_curve=True,
        reason="" if resident is not None else _NO_RATE,
    )
    yield Thumb(
        "flash_ten_times_ram",
        f"RAM for a hundredth of {data}, and ten times as much flash",
        data_bytes / 100,
        data_bytes * FLASH_TIMES / 100,
        needs_flash=True,
    )


def _why_unknown(curve: Curve, rule: Thumb, machines: int) -> str:
    """Say why a rule asks for a size of which counters do not speak; empty where it does not, or has another reason.

    A least size that is the smallest known one may be smaller still: what misses below is unknown.
    """
    evidence = curve.evidence
    if evidence is None or rule.reason == _NO_RATE:
        return ""
    sizes = evidence.range_text(curve.page_bytes)
    if evidence.kind == "one_point":
        return (
            f"unknown for this workload: the counters speak of one size alone, {sizes}"
        )
    beyond = f"unknown for this workload: it lies beyond the sizes of which the counters speak, {sizes}"
    scale = curve.page_bytes * machines
    if rule.ram_bytes is None:
        # At no listed size: only where all of the data is known is there none.
        return "" if _knows_all(curve) else beyond
    ram, flash = rule.ram_bytes / scale, (rule.flash_bytes or 0.0) / scale
    if ram + flash > evidence.valid_to * (1 + _ROUNDED):
        return beyond
    if rule.reads_curve and ram <= evidence.valid_from * (1 + _ROUNDED):
        return f"unknown for this workload: it may lie below the sizes of which the counters speak, {sizes}"
    return ""


def _knows_all(curve: Curve) -> bool:
    """Whether counters speak of a cache that holds all of the data."""
    evidence = curve.evidence
    return (
        evidence is not None
        and curve.data_known
        and evidence.valid_to >= curve.data_pages
    )


def _for_hits(curve: Curve, ratio: float) -> float | None:
    """Least size up to all of the data with a hit ratio; None where there is none. [pages]"""
    sizes = curve.knots
    ratios = np.asarray(curve.hit_ratio(sizes))
    [at] = np.nonzero(ratios >= ratio)
    if not len(at):
        return None
    # A trend beyond the pages seen may reach it at more pages than there are.
    most = float(curve.data_pages)
    size = float(sizes[at[0]])
    if size <= most:
        return size
    return most if float(curve.hit_ratio(most)) >= ratio else None


def _why_no_hits(curve: Curve) -> str:
    """Say why no size of RAM has the hit ratio: the curve never reaches it, or with more pages than there are."""
    if (np.asarray(curve.hit_ratio(curve.knots)) < HIT_RATIO).all():
        return "the curve reaches that hit ratio at no size of RAM"
    return "RAM for all of the data does not reach that hit ratio by the curve"


def _resident(curve: Curve, accesses_per_s: float) -> float:
    """Pages that are used within five minutes: the least size that keeps them for so long, at most all of the data. [pages]

    A page that is not used stays in a cache of c pages for T(c), the integral of dc / (X m(c)) from 0, at X accesses per
    second of which the share m(c) misses.
    """
    workload = Workload("", curve, accesses_per_s)
    held = float(held_pages(workload, FIVE_MINUTES_S))
    evidence = curve.evidence
    if evidence is not None:
        # What smaller sizes miss is unknown, but no less than this one: so many pages are used at least, as far as that.
        least = FIVE_MINUTES_S * float(workload.misses_per_s(evidence.valid_from))
        if least <= evidence.valid_from:
            return least
    if evidence is None or curve.data_known:
        held = min(held, float(curve.data_pages))
    return float(np.ceil(held * (1 - _ROUNDED)))


def following(
    options: Options,
    order: IntArray,
    rule: Thumb,
    first: Callable[[IntArray], int | None] | None = None,
) -> int | None:
    """Return the best option that has at least as much for pages as a rule asks for; None where there is none.

    Parameters
    ----------
    options : Options
    order : int array
        Options that keep every limit, the best first.
    rule : Thumb
    first : callable, optional
        Returns the first of some of them that keeps limits which are still to be held; the first of all unless stated.
    """
    if rule.ram_pages is None or rule.flash_bytes is None:
        return None
    slack = 1 - _ROUNDED
    # What the system takes caches nothing.
    large = options.ram_pages[order] >= rule.ram_pages * slack
    if rule.needs_flash:
        large &= options.flash_bytes[order] >= rule.flash_bytes * slack
    if first is not None:
        return first(order[large])
    [at] = np.nonzero(large)
    return int(order[at[0]]) if len(at) else None
