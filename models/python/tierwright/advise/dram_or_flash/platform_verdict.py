"""Whether the drives and DRAM of a platform carry a load, and the least step if they do not.

The conditions of `mod.platform_thresholds` (Zhang and others 2026, section V) by the size of RAM:
what RAM misses is read from the drives, and crosses DRAM twice. Ours: what is written back takes the
drives' time as well, and crosses DRAM once more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tierwright.advise.dram_or_flash.platform_load import (
    Load,
    PerSecond,
    StatedIntervals,
    load_of_intervals,
    pages_worth,
)
from tierwright.common.errors import Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, percent, rate_text, three_digits
from tierwright.evaluate.modern.platform import LIMITS, Limit

EVENLY = "accesses spread evenly over time and over the drives; no promise of latency"
GB = 1e9


@dataclass(frozen=True, slots=True)
class Platform:
    """What carries the load below RAM.

    Attributes
    ----------
    drive_iops, drive_write_iops : float
        Page reads, and page writes, per second of one drive. [1/s]
    drives : int
        That share the load. [1]
    dram_bytes_per_s : float or None
        Bandwidth of all DRAM; None: no limit. [bytes/s]
    """

    drive_iops: float
    drive_write_iops: float
    drives: int = 1
    dram_bytes_per_s: float | None = None

    def __post_init__(self) -> None:
        problems = Problems("platform", "give rates and counts above 0")
        for name, value in (
            ("drive_iops", self.drive_iops),
            ("drive_write_iops", self.drive_write_iops),
            ("drives", self.drives),
            ("dram_bytes_per_s", self.bandwidth),
        ):
            problems.check(value > 0, name, value, "must be above 0")
        problems.raise_if_any()

    @property
    def bandwidth(self) -> float:
        """Of all DRAM, infinite without a limit. [bytes/s]"""
        return math.inf if self.dram_bytes_per_s is None else self.dram_bytes_per_s


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
    basis : str
        Where the load is from.
    accesses_per_s : float
        Of all pages. [1/s]
    drives : int
        Of the platform. [1]
    drive_iops, drive_write_iops : float
        Page reads, and page writes, per second of one drive. [1/s]
    reads_per_s : float
        Page reads per second that the existing RAM leaves to the drives. [1/s]
    write_backs_per_s : float or None
        Pages written back per second; None where they are unknown and not counted. [1/s]
    busy_share : float
        Share of the drives' time that both take; above 1 the drives do not suffice. [1]
    dram_bytes_per_s : float
        Traffic of DRAM with the existing RAM. [bytes/s]
    storage_pages, bandwidth_pages : int or None
        Least RAM within the drives' time, and within DRAM bandwidth; None where no RAM
        suffices. [pages]
    more_pages : int or None
        RAM to add, that alone makes it viable; None where no RAM does. [pages]
    more_drives : int
        Drives to add, that relieve the drives with the existing RAM. [1]
    more_bytes_per_s : float
        DRAM bandwidth to add, that suffices with the existing RAM. [bytes/s]
    finding, sentence : str
        The verdict in a line; what changes it.
    writes : str
        Whether write-backs are counted, and what that changes.
    validity : str
        Where it holds.
    """

    viable: bool
    optimal: bool | None
    limit: Limit
    basis: str
    accesses_per_s: float
    drives: int
    drive_iops: float
    drive_write_iops: float
    reads_per_s: float
    write_backs_per_s: float | None
    busy_share: float
    dram_bytes_per_s: float
    storage_pages: int | None
    bandwidth_pages: int | None
    more_pages: int | None
    more_drives: int
    more_bytes_per_s: float
    finding: str
    sentence: str
    writes: str
    validity: str


@dataclass(frozen=True, slots=True)
class _Need:
    """What one way of counting writes makes of a load."""

    busy_drives: float
    traffic: float
    storage: int | None
    bandwidth: int | None
    limit: Limit

    @property
    def least(self) -> int | None:
        """RAM from which on it is viable; None where no RAM is enough. [pages]"""
        if self.storage is None or self.bandwidth is None:
            return None
        return max(self.storage, self.bandwidth)


def judge(
    load: Load,
    ram_pages: int,
    platform: Platform,
    *,
    pays_pages: int | None = None,
) -> PlatformVerdict:
    """Judge a platform on a load.

    Parameters
    ----------
    load : Load
        What RAM leaves to the drives, by its size.
    ram_pages : int
        The existing RAM. [pages]
    platform : Platform
        Drives and DRAM.
    pays_pages : int, optional
        RAM that pays for itself. [pages]

    Returns
    -------
    PlatformVerdict
    """
    need = _need(load, ram_pages, platform, load.write_backs)
    found = PlatformVerdict(
        viable=need.limit == "none",
        optimal=_optimal(need, ram_pages, pays_pages),
        limit=need.limit,
        basis=load.basis,
        accesses_per_s=load.accesses_per_s,
        drives=platform.drives,
        drive_iops=platform.drive_iops,
        drive_write_iops=platform.drive_write_iops,
        reads_per_s=load.reads(ram_pages),
        write_backs_per_s=None
        if load.write_backs is None
        else load.write_backs(ram_pages),
        busy_share=need.busy_drives / platform.drives,
        dram_bytes_per_s=need.traffic,
        storage_pages=need.storage,
        bandwidth_pages=need.bandwidth,
        more_pages=None if need.least is None else max(0, need.least - ram_pages),
        more_drives=max(0, math.floor(need.busy_drives) + 1 - platform.drives)
        if need.limit in ("storage", "both")
        else 0,
        more_bytes_per_s=max(0.0, need.traffic - platform.bandwidth)
        if need.limit in ("dram_bandwidth", "both")
        else 0.0,
        finding="",
        sentence="",
        writes=_about_writes(load, ram_pages, platform, need, pays_pages),
        validity=f"{load.validity}; {EVENLY}",
    )
    return _in_words(found, load, ram_pages, need.least, pays_pages)


def judge_stated(
    intervals: StatedIntervals,
    ram_pages: int,
    platform: Platform,
    *,
    page_bytes: int,
    break_even_s: float | None,
) -> PlatformVerdict:
    """Judge a platform on stated access intervals.

    Parameters
    ----------
    intervals : StatedIntervals
    ram_pages : int
        The existing RAM. [pages]
    platform : Platform
    page_bytes : int
        [bytes]
    break_even_s : float or None
        Break-even interval of RAM; None where it is unknown. [s]
    """
    return judge(
        load_of_intervals(intervals, page_bytes),
        ram_pages,
        platform,
        pays_pages=None
        if break_even_s is None
        else pages_worth(intervals, break_even_s),
    )


def _need(
    load: Load, ram_pages: int, platform: Platform, write_backs: PerSecond | None
) -> _Need:
    """Return what reads, and write-backs where they are given, take and need."""

    def written(pages: float) -> float:
        return 0.0 if write_backs is None else write_backs(pages)

    def busy(pages: float) -> float:
        """Drives that are busy all the time."""
        reads = load.reads(pages) / platform.drive_iops
        return reads + written(pages) / platform.drive_write_iops

    def traffic(pages: float) -> float:
        crossing = load.accesses_per_s + load.reads(pages) + written(pages)
        return crossing * load.page_bytes

    storage = load.least_pages(lambda pages: busy(pages) < platform.drives)
    banded = load.least_pages(lambda pages: traffic(pages) <= platform.bandwidth)
    short = (
        storage is None or storage > ram_pages,
        banded is None or banded > ram_pages,
    )
    return _Need(busy(ram_pages), traffic(ram_pages), storage, banded, LIMITS[short])


def _optimal(need: _Need, ram_pages: int, pays_pages: int | None) -> bool | None:
    if pays_pages is None:
        return None
    return (
        need.limit == "none"
        and need.least is not None
        and need.least <= pays_pages <= ram_pages
    )


def _about_writes(
    load: Load, ram_pages: int, platform: Platform, need: _Need, pays_pages: int | None
) -> str:
    """Say whether write-backs are counted, and what the other way of counting makes of it."""
    if load.write_backs is not None and load.write_backs(ram_pages) == 0:
        return "Write-backs are counted: the existing RAM leaves none to the drives."
    counts = load.write_backs is not None
    other = _need(load, ram_pages, platform, None if counts else load.most_write_backs)
    share = percent(other.busy_drives / platform.drives)
    drives = "the drive" if platform.drives == 1 else "the drives"
    verdict = _other_verdict(
        (need.limit, _optimal(need, ram_pages, pays_pages)),
        (other.limit, _optimal(other, ram_pages, pays_pages)),
    )
    if counts:
        return (
            f"Write-backs are counted: without them the load would be {share} of what {drives} "
            f"can serve, and {verdict}."
        )
    return (
        "Write-backs are not counted, since it is unknown what is written: with the maximum "
        f"possible, the load would be {share} of what {drives} can serve, and {verdict}."
    )


_Verdict = tuple[Limit, bool | None]
"""What limits the platform, and whether it is optimal."""


def _other_verdict(verdict: _Verdict, other: _Verdict) -> str:
    """Say what the verdict would be, in words that follow "and"."""
    limit, optimal = other
    if verdict == other:
        return "the verdict would be the same"
    if limit != "none":
        return f"{_SHORT[limit]} would limit the platform"
    if optimal is None:
        return "the platform would be viable"
    if optimal:
        return "the platform would be viable and optimal"
    return "the platform would be viable, but not optimal"


_SHORT: dict[Limit, str] = {
    "storage": "storage",
    "dram_bandwidth": "DRAM bandwidth",
    "both": "storage and DRAM bandwidth",
}


def _in_words(
    found: PlatformVerdict,
    load: Load,
    ram_pages: int,
    needed: int | None,
    pays: int | None,
) -> PlatformVerdict:
    return replace(
        found,
        finding=_finding(found),
        sentence=_viable(found, load, ram_pages, needed, pays)
        if found.viable
        else _steps(found, load),
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
    """Say what reaches the drives, and how much of their time that takes."""
    reads = counted(rate_text(found.reads_per_s), "page read")
    left = (
        f"{reads} per second"
        if found.write_backs_per_s is None
        else f"{reads} and {counted(rate_text(found.write_backs_per_s), 'write-back')} per second"
    )
    drives = counted(found.drives, "drive")
    return (
        f"The existing RAM leaves {left} to {drives}: {percent(found.busy_share)} of what "
        f"{'it can' if found.drives == 1 else 'they can'} serve."
    )


def _viable(
    found: PlatformVerdict,
    load: Load,
    ram_pages: int,
    needed: int | None,
    pays: int | None,
) -> str:
    page_bytes = load.page_bytes
    must = format_bytes((needed or 0) * page_bytes)
    if not load.known and needed == load.sizes[0]:
        must = f"at most {must}"
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


def _steps(found: PlatformVerdict, load: Load) -> str:
    relief = []
    if found.more_drives:
        relief.append(counted(found.more_drives, "more drive"))
    if found.more_bytes_per_s:
        relief.append(
            f"{three_digits(found.more_bytes_per_s / GB)} GB/s more DRAM bandwidth"
        )
    with_ = " and ".join(relief)
    if found.more_pages is None and not load.known:
        most = format_bytes(int(load.sizes[-1]) * load.page_bytes)
        return (
            f"{_load(found)} It becomes viable with {with_}; whether more RAM alone suffices is unknown beyond {most}, "
            "up to which it does not."
        )
    if found.more_pages is None:
        return f"{_load(found)} It becomes viable with {with_}; RAM alone does not suffice."
    more = format_bytes(found.more_pages * load.page_bytes)
    return f"{_load(found)} It becomes viable with {with_}, or with {more} more RAM."
