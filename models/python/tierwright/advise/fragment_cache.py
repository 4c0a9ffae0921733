"""How a fragment cache does: who populates it, how fast, what a fragment trades, how it writes.

Joins the parts of `tierwright.evaluate.fragment_cache`. Source: "SCE" (ADMS 2014), sections 3.2 to 3.6; what is derived
is named in the docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from tierwright.advise.recovery import page_flow_times
from tierwright.common.answer import Answer, Figure, steps
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.fragment_cache import (
    SCE_PAPER,
    THREAD_GROUPS,
    FragmentTrade,
    ThreadGroup,
    WritePolicies,
    fragment_trade,
    population_rate,
    threads,
    write_policies,
)
from tierwright.evaluate.metadata import SCE_MAP_ENTRY_BYTES, fragment_descriptor
from tierwright.evaluate.page_flow.cautions import about_class
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

DEFAULT_FRAGMENT_BYTES = 2**20
DEFAULT_PERIOD_S = 0.5
"""Stated by the paper for the single thread that always runs. [s]"""
DEFAULT_SIZES = tuple(2**power for power in range(16, 24))
"""64 KiB to 8 MiB, as in section 4.5. [bytes]"""


@dataclass(frozen=True, slots=True)
class FillPhase:
    """A part of the fill in which the same threads run.

    Attributes
    ----------
    from_free, to_free : float
        Share of the cache that is free at its begin and end. [1]
    threads : int
        Threads that run.
    bytes_per_s, seconds : float
        Rate and time of the phase. [bytes/s], [s]
    """

    from_free: float
    to_free: float
    threads: int
    bytes_per_s: float
    seconds: float


@dataclass(frozen=True, slots=True)
class FragmentStudy:
    """What a fragment cache does at one point.

    Attributes
    ----------
    threads_empty, threads_full : int
        Population threads that run with an empty, with a full cache.
    phases : tuple of FillPhase
        How it fills, until nothing is free.
    fill_s : float
        Sum of the phases: least time to fill. [s]
    bytes_per_s_full : float
        Rate at which a full cache replaces. [bytes/s]
    fragment_bytes : int
        The fragment asked about. [bytes]
    trade : FragmentTrade
        Over all sizes, the one asked about among them.
    at : int
        Its index there.
    fill_by_size_s : float64 array
        Least time to fill by size, in the same phases. [s]
    populations_per_s : float
        Promotions of one fragment: as given, or the full cache's rate spread over all fragments
        of the source. [1/s]
    writes : WritePolicies
        Of one page.
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        At the fragment asked about.
    """

    threads_empty: int
    threads_full: int
    phases: tuple[FillPhase, ...]
    fill_s: float
    bytes_per_s_full: float
    fragment_bytes: int
    trade: FragmentTrade
    at: int
    fill_by_size_s: FloatArray
    populations_per_s: float
    writes: WritePolicies
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def fragment_study(
    *,
    source_bytes: float,
    cache_bytes: float,
    read_miss_rate: float,
    run_bytes: float,
    source_write_s: float,
    flash_write_s: float,
    page_writes_per_s: float,
    fragment_populations_per_s: float | None = None,
    fragment_bytes: int = DEFAULT_FRAGMENT_BYTES,
    sizes: Sequence[int] = DEFAULT_SIZES,
    density: float = 0.0,
    period_s: float = DEFAULT_PERIOD_S,
    groups: Sequence[ThreadGroup] = THREAD_GROUPS,
) -> FragmentStudy:
    """Study a fragment cache: threads and fill, fragment size, write policies.

    The fill is cut where a group of threads stops (its least free share): each phase takes its
    share of the cache over threads x fragment / period. The miss rate is held, so the fill is
    no longer than real where it falls while filling, *derived*.

    Parameters
    ----------
    source_bytes, cache_bytes : float
        Size of the volume behind the cache, and flash. [bytes]
    read_miss_rate : float
        Of the reads that reach the cache. [1]
    run_bytes : float
        Mean length of a run of useful pages, at least 4 KiB. [bytes]
    source_write_s, flash_write_s : float
        Time of a page write to the source, to flash. [s]
    page_writes_per_s : float
        Writes of one page. [1/s]
    fragment_populations_per_s : float, optional
        Promotions of its fragment; unless given, those of a full cache spread evenly. [1/s]
    fragment_bytes : int
        Fragment, a multiple of 4 KiB, at most the cache. [bytes]
    sizes : sequence of int
        Fragments to compare with. [bytes]
    density : float
        Useful share of the space outside the run. [1]
    period_s : float
        Time that a thread sleeps between promotions. [s]
    groups : sequence of ThreadGroup
        Conditions of the threads.

    Returns
    -------
    FragmentStudy

    Raises
    ------
    BadInput
        If a number is out of its domain, or no thread runs at some fill.

    Examples
    --------
    >>> found = fragment_study(
    ...     source_bytes=160 * 2**30,
    ...     cache_bytes=30 * 2**30,
    ...     read_miss_rate=0.5,
    ...     run_bytes=256 * 2**10,
    ...     source_write_s=5e-3,
    ...     flash_write_s=1e-3,
    ...     page_writes_per_s=0.1,
    ... )
    >>> [(phase.threads, phase.seconds) for phase in found.phases]
    [(8, 1728.0), (4, 384.0)]
    >>> found.fill_s, found.threads_full, round(found.populations_per_s, 9)
    (2112.0, 4, 4.8828e-05)
    """
    problems = Problems("fragment cache", "a fragment fits into the cache")
    problems.check(
        cache_bytes >= fragment_bytes,
        "fragment_bytes",
        fragment_bytes,
        f"must not exceed the cache size, {cache_bytes:g}",
    )
    problems.raise_if_any()
    wanted = sorted({*sizes, fragment_bytes})
    phases = tuple(
        _phases(cache_bytes, read_miss_rate, fragment_bytes, period_s, groups)
    )
    empty, full = (
        int(threads(read_miss_rate, free, groups=groups)) for free in (1.0, 0.0)
    )
    fill_s = sum(phase.seconds for phase in phases)
    rate_full = full * fragment_bytes / period_s
    trade = fragment_trade(
        wanted,
        source_bytes=source_bytes,
        cache_bytes=cache_bytes,
        threads=empty,
        period_s=period_s,
        run_bytes=run_bytes,
        density=density,
    )
    at = wanted.index(fragment_bytes)
    populations = (
        rate_full / source_bytes
        if fragment_populations_per_s is None
        else fragment_populations_per_s
    )
    writes = write_policies(
        source_write_s=source_write_s,
        flash_write_s=flash_write_s,
        writes_per_s=page_writes_per_s,
        populations_per_s=populations,
    )
    return FragmentStudy(
        empty,
        full,
        phases,
        fill_s,
        rate_full,
        fragment_bytes,
        trade,
        at,
        np.asarray(fill_s * fragment_bytes / trade.fragment_bytes),
        populations,
        writes,
        f"thread bound in {counted(len(phases), 'phase')}; {trade.estimator}; {writes.estimator}",
        f"the fill is a lower bound, with the miss rate held; {trade.validity}; {writes.validity}",
        (
            *trade.warnings,
            *_cautions(source_bytes, cache_bytes, fragment_populations_per_s, period_s),
        ),
        tuple(
            _derivation(
                phases,
                fill_s,
                (source_bytes, cache_bytes),
                trade,
                at,
                writes,
                run_bytes,
                density,
                period_s,
            )
        ),
    )


def _phases(
    cache_bytes: float,
    miss_rate: float,
    fragment_bytes: int,
    period_s: float,
    groups: Sequence[ThreadGroup],
) -> Iterator[FillPhase]:
    borders = sorted({1.0, *(group.min_free for group in groups), 0.0}, reverse=True)
    open_phase: FillPhase | None = None
    for high, low in pairwise(borders):
        # Conditions hold above a border, so the middle of a phase stands for all of it.
        running = int(threads(miss_rate, (high + low) / 2, groups=groups))
        if running == 0:
            raise BadInput(
                f"fragment cache: no thread runs at a read miss rate of `{miss_rate:g}` with "
                f"{low:.0%} to {high:.0%} of the cache free",
                "include a group whose target is 0, as the paper does",
            )
        since = high
        if open_phase is not None and open_phase.threads == running:
            since = open_phase.from_free
        elif open_phase is not None:
            yield open_phase
        found = population_rate(
            (since - low) * cache_bytes,
            threads=running,
            period_s=period_s,
            fragment_bytes=fragment_bytes,
        )
        open_phase = FillPhase(
            since, low, running, float(found.bytes_per_s), float(found.seconds)
        )
    if open_phase is not None:
        yield open_phase


def _derivation(
    phases: Sequence[FillPhase],
    fill_s: float,
    sizes: tuple[float, float],
    trade: FragmentTrade,
    at: int,
    writes: WritePolicies,
    run_bytes: float,
    density: float,
    period_s: float,
) -> Iterator[Derivation]:
    fragment = int(trade.fragment_bytes[at])
    source, cache = sizes
    yield Derivation(
        "fill",
        fill_s,
        "s",
        "sum over phases of share x cache x period / (threads x fragment)",
        (
            Number(
                "shares",
                [phase.from_free - phase.to_free for phase in phases],
                "1",
                "of the cache",
            ),
            Number("cache", cache, "bytes", "cache"),
            Number("threads", [phase.threads for phase in phases], "1", "that run"),
            Number("period", period_s, "s", "sleep between promotions"),
            Number("fragment", fragment, "bytes", "one promotion"),
        ),
        f"{SCE_PAPER}, sections 3.2 and 3.6; phases derived",
    )
    yield Derivation(
        "metadata",
        float(trade.metadata_bytes[at]),
        "bytes",
        "map entry x source / fragment + descriptor x cache / fragment",
        (
            Number(
                "map entry", SCE_MAP_ENTRY_BYTES, "bytes", "of each source fragment"
            ),
            Number("source", source, "bytes", "size of the volume behind the cache"),
            Number(
                "descriptor",
                fragment_descriptor(fragment).descriptor_bytes,
                "bytes",
                "of each cached fragment",
            ),
            Number("cache", cache, "bytes", "cache"),
            Number("fragment", fragment, "bytes", "fragment"),
        ),
        f"{SCE_PAPER}, section 3.4",
    )
    yield Derivation(
        "used share",
        float(trade.used_share[at]),
        "1",
        "s + (1 - s) density, s = run / (run + fragment - page)",
        (
            Number("run", run_bytes, "bytes", "mean run of useful pages"),
            Number("fragment", fragment, "bytes", "fragment"),
            Number("page", 4096, "bytes", "page"),
            Number("density", density, "1", "useful share elsewhere"),
        ),
        "derived",
    )
    yield from writes.derivation


def _cautions(
    source_bytes: float,
    cache_bytes: float,
    populations: float | None,
    period_s: float,
) -> Iterator[Caution]:
    if cache_bytes > source_bytes:
        yield Caution(
            "cache_exceeds_source",
            "the cache is larger than the volume behind it, so it never fills",
            "give the whole address space of the source, or less flash",
        )
    if period_s == DEFAULT_PERIOD_S:
        yield Caution(
            "period_is_of_one_thread",
            "the paper states 500 ms between promotions for a single thread only; the "
            "fill that it observed is faster",
            "enter the period of your system",
        )
    if populations is None:
        yield Caution(
            "populations_spread_evenly",
            "every fragment of the source is assumed to be promoted equally often; a "
            "hot fragment is promoted more often, so write-around is better for it "
            "than shown",
            "enter the promotions per second of the fragment in question",
        )


POLICY_TITLES = {
    "awt": "Asynchronous write-through",
    "write_around": "Write-around",
    "write_through": "Write-through",
    "write_back": "Write-back",
}
MANY_HOURS = 1.0
LEAST_SHARE = 1e-4


@dataclass(frozen=True, kw_only=True)
class FragmentCache(Answer):
    """A fragment cache for a workload.

    Attributes
    ----------
    sentence : str
        Threads, and how long a written page is valid, in words.
    study : FragmentStudy
        Every figure.
    source_bytes, cache_bytes : float
        Size of the volume behind the cache, and flash. [bytes]
    read_miss_rate : float
        Of the reads that reach the cache. [1]
    miss_rate_basis : str
        Where it is from.
    page_writes_per_s : float
        Writes of one page. [1/s]
    """

    chooses: ClassVar[bool] = False

    sentence: str
    study: FragmentStudy = field(repr=False)
    source_bytes: float
    cache_bytes: float
    read_miss_rate: float
    miss_rate_basis: str
    page_writes_per_s: float

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Time to fill, useful share, and validity of a written page."""
        found = self.study
        return (
            Figure("fill_s", "Least time to fill the flash", found.fill_s, "s"),
            Figure(
                "used_share",
                "Useful share of a fragment",
                float(found.trade.used_share[found.at]),
                "1",
            ),
            *(
                Figure(
                    f"{name}_valid_share",
                    f"{POLICY_TITLES[name]}: validity of a written page",
                    float(policy.valid_share),
                    "1",
                )
                for name, policy in found.writes.policies.items()
            ),
        )

    def to_dict(self, *, derivation: bool = True) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            "sentence": self.sentence,
            "miss_rate_basis": self.miss_rate_basis,
            **self.study.to_dict(),
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        if not derivation:
            del found["derivation"]
        return found


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    run_bytes: float,
    accesses_per_s: float = 0.0,
    source_bytes: float | None = None,
    read_miss_rate: float | None = None,
    page_writes_per_s: float | None = None,
    fragment_bytes: int = DEFAULT_FRAGMENT_BYTES,
    **asked: Any,
) -> FragmentCache:
    """Say how a fragment cache fills, what a fragment trades, and how it writes.

    What is not given is taken from the workload, and said.

    Parameters
    ----------
    curve : Curve
        Of the workload, with accesses.
    ram_pages, flash_pages : int
        r and f. [pages]
    flash, disk : Device
        Of the two lower tiers.
    run_bytes : float
        Mean length of a run of useful pages. [bytes]
    accesses_per_s : float
        Load, for the writes of a page where they are not given. [1/s]
    source_bytes : float, optional
        Size of the volume behind the cache; unless given the pages that the workload touched. [bytes]
    read_miss_rate : float, optional
        Of the reads that reach the cache; unless given that of an LRU of single pages. [1]
    page_writes_per_s : float, optional
        Writes of one page; unless given those of the mean page. [1/s]
    fragment_bytes : int
        Fragment asked about. [bytes]
    **asked
        The rest as `fragment_study` takes it.

    Raises
    ------
    BadInput
        As `fragment_study`; if a device states no service time, nothing misses RAM, or a curve from counters does
        not speak of the sizes and no miss rate is given.
    """
    times = page_flow_times(flash, disk, curve.page_bytes)
    cache_bytes = flash_pages * curve.page_bytes
    source = source_bytes or float(
        max(curve.distinct_pages * curve.page_bytes, fragment_bytes)
    )
    miss_rate, basis = _miss_rate(curve, ram_pages, flash_pages, read_miss_rate)
    writes = page_writes_per_s
    if writes is None:
        share = curve.write_accesses / curve.accesses
        writes = accesses_per_s * share / curve.distinct_pages
    found = fragment_study(
        source_bytes=source,
        cache_bytes=cache_bytes,
        read_miss_rate=miss_rate,
        run_bytes=run_bytes,
        source_write_s=times["disk_write_s"],
        flash_write_s=times["flash_write_s"],
        page_writes_per_s=writes,
        fragment_bytes=fragment_bytes,
        **asked,
    )
    return FragmentCache(
        finding=finding_of(found),
        warnings=(
            *found.warnings,
            *about_class(curve),
            *_about_assumed(source=source_bytes is None, rate=read_miss_rate is None),
        ),
        explain=lambda: steps(found.derivation),
        sentence=_sentence(found),
        study=found,
        source_bytes=source,
        cache_bytes=cache_bytes,
        read_miss_rate=miss_rate,
        miss_rate_basis=basis,
        page_writes_per_s=writes,
    )


def _miss_rate(
    curve: Curve, ram_pages: int, flash_pages: int, given: float | None
) -> tuple[float, str]:
    if given is not None:
        return given, "as given"
    check_evidence("fragment cache", curve, ram_pages, max(0, flash_pages - ram_pages))
    reached = float(curve.misses(ram_pages))
    if reached == 0:
        raise BadInput(
            "fragment cache: nothing misses RAM, so the cache has no miss rate",
            "choose less RAM, or give read_miss_rate",
        )
    largest = max(ram_pages, flash_pages)
    missed = float(curve.misses(largest))
    return (
        min(1.0, missed / reached),
        f"misses of an LRU of {counted(largest, 'page')} over those of "
        f"{ram_pages:,}, reads and writes alike",
    )


def mean_page_basis(accesses_per_s: float, rate_basis: str) -> str:
    """Say where the writes of a page are from, where they are not given."""
    return (
        f"the mean page at {three_digits(accesses_per_s)} accesses per second, "
        f"{rate_basis}"
    )


def _about_assumed(*, source: bool, rate: bool) -> Iterator[Caution]:
    if source:
        yield Caution(
            "source_is_the_workload",
            "the address space is assumed to be the pages that the workload touched; the map "
            "spans the whole source",
            "give the size of the volume behind the cache",
        )
    if rate:
        yield Caution(
            "miss_rate_of_pages",
            "the miss rate assumes an LRU cache of single pages; fragments also hold "
            "unused pages, so more accesses miss",
            "enter a measured read miss rate",
        )


def _time(seconds: float) -> str:
    hours = seconds / 3600
    return (
        f"{three_digits(hours)} h"
        if hours >= MANY_HOURS
        else f"{three_digits(seconds)} s"
    )


def finding_of(answer: FragmentStudy) -> str:
    """Say how long the fill takes at best, and how much of a fragment is useful."""
    at = answer.at
    return (
        f"Fragments of {answer.fragment_bytes / 1024:,.0f} KiB fill the flash in "
        f"{_time(answer.fill_s)} at best, and {percent(float(answer.trade.used_share[at]))} "
        "of it is useful"
    )


def _sentence(answer: FragmentStudy) -> str:
    threads = (
        f"{counted(answer.threads_empty, 'thread populates', 'threads populate')} an empty "
        f"cache, {answer.threads_full} a full one"
    )
    awt, around = (
        float(answer.writes.policies[name].valid_share)
        for name in ("awt", "write_around")
    )
    return (
        f"{threads}. Under asynchronous write-through a written page is valid "
        f"{_share(awt)} of the time, under write-around {_share(around)}."
    )


def _share(share: float) -> str:
    if 0 < share < LEAST_SHARE:
        return "under 0.01 %"
    if 1 - LEAST_SHARE < share < 1:
        return "over 99.99 %"
    return percent(share)
