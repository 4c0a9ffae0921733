"""Whether the drives and DRAM of a platform carry a workload, and the least step if they do not.

The conditions of `mod.platform_thresholds` (Zhang and others 2026, section V) by the size of RAM on
the workload's own curve: what RAM misses is read from the drives, and crosses DRAM twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tierwright.advise.dram_or_flash.paying_ram import PayingRam
from tierwright.common.errors import Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, three_digits
from tierwright.evaluate.modern.platform import LIMITS, Limit
from tierwright.profile.curve import Curve

VALIDITY = (
    "reads only: write-backs are not counted; LRU; accesses spread evenly over time and over "
    "the drives; no promise of latency"
)
NO_IOPS = "The drive states no read IOPS."
GB = 1e9


@dataclass(frozen=True, slots=True)
class PlatformVerdict:
    """Whether a platform is viable and optimal, what it lacks, and the steps that change it.

    Attributes
    ----------
    viable : bool
        Whether RAM holds what the drives and DRAM bandwidth cannot carry.
    optimal : bool or None
        Whether the RAM that pays for itself lies between what must be and what is there; None
        where that is unknown.
    limit : str
        What is short: `none`, `storage`, `dram_bandwidth` or `both`.
    drives : int
        Of the platform. [1]
    drive_iops : float
        Page reads per second of one drive. [1/s]
    reads_per_s : float
        Page reads per second that the existing RAM leaves to the drives. [1/s]
    dram_bytes_per_s : float
        Traffic of DRAM with the existing RAM. [bytes/s]
    storage_pages, bandwidth_pages : int or None
        Least RAM within the drives' reads, and within DRAM bandwidth; None where no RAM
        suffices. [pages]
    more_pages : int or None
        RAM to add, that alone makes it viable; None where no RAM does. [pages]
    more_drives : int
        Drives to add, that relieve the drives with the existing RAM. [1]
    more_bytes_per_s : float
        DRAM bandwidth to add, that suffices with the existing RAM. [bytes/s]
    finding, sentence : str
        The verdict in a line; what changes it.
    validity : str
        Where it holds.
    """

    viable: bool
    optimal: bool | None
    limit: Limit
    drives: int
    drive_iops: float
    reads_per_s: float
    dram_bytes_per_s: float
    storage_pages: int | None
    bandwidth_pages: int | None
    more_pages: int | None
    more_drives: int
    more_bytes_per_s: float
    finding: str
    sentence: str
    validity: str = VALIDITY


def judge(
    curve: Curve,
    ram_pages: int,
    *,
    accesses_per_s: float,
    drive_iops: float,
    drives: int = 1,
    dram_bytes_per_s: float | None = None,
    paying: PayingRam | None = None,
) -> PlatformVerdict:
    """Judge a platform on a workload's curve.

    Parameters
    ----------
    curve, ram_pages : Curve and int
        The workload, and the existing RAM. [pages]
    accesses_per_s : float
        Of the workload. [1/s]
    drive_iops : float
        Page reads per second of one drive. [1/s]
    drives : int
        That share the misses. [1]
    dram_bytes_per_s : float, optional
        Bandwidth of all DRAM; no limit unless given. [bytes/s]
    paying : PayingRam, optional
        For the RAM that pays for itself.

    Returns
    -------
    PlatformVerdict

    Raises
    ------
    BadInput
        If a rate or a count is not positive.
    """
    problems = Problems("platform", "give rates and counts above 0")
    bandwidth = math.inf if dram_bytes_per_s is None else dram_bytes_per_s
    for name, value in (
        ("accesses_per_s", accesses_per_s),
        ("drive_iops", drive_iops),
        ("drives", drives),
        ("dram_bytes_per_s", bandwidth),
    ):
        problems.check(value > 0, name, value, "must be above 0")
    problems.raise_if_any()
    page, load = curve.page_bytes, accesses_per_s * curve.page_bytes
    scale = accesses_per_s / curve.accesses
    reads = float(curve.misses(ram_pages)) * scale
    storage = _least_pages(curve, drives * drive_iops / scale, within=False)
    spare = (bandwidth - load) / page / scale
    banded = _least_pages(curve, spare, within=True)
    short_storage = storage is None or storage > ram_pages
    short_bandwidth = banded is None or banded > ram_pages
    viable = not (short_storage or short_bandwidth)
    needed = None if storage is None or banded is None else max(storage, banded)
    pays = None if paying is None else paying.sizes[0].pages
    traffic = load + reads * page
    found = PlatformVerdict(
        viable=viable,
        optimal=None
        if pays is None
        else viable and needed is not None and needed <= pays <= ram_pages,
        limit=LIMITS[short_storage, short_bandwidth],
        drives=drives,
        drive_iops=drive_iops,
        reads_per_s=reads,
        dram_bytes_per_s=traffic,
        storage_pages=storage,
        bandwidth_pages=banded,
        more_pages=None if needed is None else max(0, needed - ram_pages),
        more_drives=max(0, math.floor(reads / drive_iops) + 1 - drives)
        if short_storage
        else 0,
        more_bytes_per_s=max(0.0, traffic - bandwidth) if short_bandwidth else 0.0,
        finding="",
        sentence="",
    )
    return _in_words(found, ram_pages, page, needed, pays)


def _least_pages(curve: Curve, misses: float, *, within: bool) -> int | None:
    """Return the least RAM that misses less, or at most so much `within`; None where none does."""
    few = curve.knot_misses <= misses if within else curve.knot_misses < misses
    where = np.flatnonzero(few)
    if not where.size:
        return None
    at = int(where[0])
    if at == 0:
        return 0
    # Linear between listed sizes: bisected over whole pages, which rounding cannot fool.
    low, high = int(curve.knots[at - 1]), math.ceil(float(curve.knots[at]))
    while high - low > 1:
        middle = (low + high) // 2
        many = float(curve.misses(middle))
        fits = many <= misses if within else many < misses
        low, high = (low, middle) if fits else (middle, high)
    return high


def _in_words(
    found: PlatformVerdict,
    ram_pages: int,
    page_bytes: int,
    needed: int | None,
    pays: int | None,
) -> PlatformVerdict:
    return replace(
        found,
        finding=_finding(found),
        sentence=_viable(found, ram_pages, page_bytes, needed, pays)
        if found.viable
        else _steps(found, page_bytes),
    )


def _finding(found: PlatformVerdict) -> str:
    if found.limit == "none":
        if found.optimal:
            return "The platform is viable and optimal"
        return (
            "The platform is viable"
            if found.optimal is None
            else "The platform is viable, but not optimal"
        )
    if found.limit == "storage":
        return "The platform is not viable: storage limits it"
    if found.limit == "dram_bandwidth":
        return "The platform is not viable: DRAM bandwidth limits it"
    return "The platform is not viable: storage and DRAM bandwidth limit it"


def _load(found: PlatformVerdict) -> str:
    """Say what reaches the drives, beside what they serve."""
    served = counted(found.drives, "drive, which serves", "drives, which serve")
    return (
        f"The existing RAM leaves {found.reads_per_s:,.0f} page reads per second to "
        f"{served} {found.drives * found.drive_iops:,.0f}."
    )


def _viable(
    found: PlatformVerdict,
    ram_pages: int,
    page_bytes: int,
    needed: int | None,
    pays: int | None,
) -> str:
    must = format_bytes((needed or 0) * page_bytes)
    have = format_bytes(ram_pages * page_bytes)
    first = _load(found)
    if pays is None:
        return f"{first} The platform needs {must} of RAM and has {have}."
    paid = format_bytes(pays * page_bytes)
    if found.optimal:
        return f"{first} The platform needs {must} of RAM, {paid} pays for itself, and the platform has {have}."
    if pays > ram_pages:
        return f"{first} {paid} of RAM pays for itself; the platform has {have}."
    return f"{first} The platform needs {must} of RAM, of which only {paid} pays for itself."


def _steps(found: PlatformVerdict, page_bytes: int) -> str:
    relief = []
    if found.more_drives:
        relief.append(counted(found.more_drives, "more drive"))
    if found.more_bytes_per_s:
        relief.append(
            f"{three_digits(found.more_bytes_per_s / GB)} GB/s more DRAM bandwidth"
        )
    with_ = " and ".join(relief)
    if found.more_pages is None:
        return f"{_load(found)} It becomes viable with {with_}; RAM alone does not suffice."
    more = format_bytes(found.more_pages * page_bytes)
    return f"{_load(found)} It becomes viable with {with_}, or with {more} more RAM."
