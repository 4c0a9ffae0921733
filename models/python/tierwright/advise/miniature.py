"""One contender at many sizes, estimated by scaled caches over samples of the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tierwright.advise.checks.flash_life import FlashLife
from tierwright.advise.in_production import (
    Corresponding,
    InProduction,
    check_large_enough,
    corresponding,
    in_production,
    merged_sizes,
    scaled_of,
)
from tierwright.common.answer import Answer, Figure
from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, percent
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.page_flow.decision import (
    about_sizes,
    check_belongs,
    warm_up_of,
)
from tierwright.evaluate.ram_tax import RamTax
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.simulate.contenders import spelled
from tierwright.simulate.warm_up import AskedWarmUp, WarmUp
from tierwright.trace import reading
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, Trace

MINIATURES = replay.MINIATURES
"""Scaled caches, each over its own sample: their spread gives the interval."""
_ESTIMATOR = (
    "miniature simulation: mean of eight scaled caches over disjoint samples of the "
    "pages, with an interval of their spread, of slightly other sizes and of their "
    "roughness between these; {start}"
)
ESTIMATOR = _ESTIMATOR.format(start="cold start")
INTERVAL_CONFIDENCE = 0.95
USUAL_RATE = 0.1
"""Share of the pages to follow, in all miniatures together. [1]"""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierEstimate:
    """Counts of RAM over flash at one size of flash, estimated; None where an interval cannot be stated.

    Attributes
    ----------
    ram_pages : int
        RAM that was asked for; in production that of one machine. [pages]
    ram_hits, ram_hits_interval95 : float, pair or None
        Accesses.
    flash_hits, flash_hits_interval95 : float, pair or None
        Accesses that miss RAM.
    disk_reads, disk_reads_interval95 : float, pair or None
        Pages, those that are fetched for no access among them. [pages]
    flash_writes, flash_writes_interval95 : float, pair or None
        Pages of data. [pages]
    counters : dict of str to float
        Every counter of the replay that a sample tells.
    counters_interval95 : dict of str to pair, or None
        Of each.
    ram_tax_bytes, ram_tax_share : int or None, float or None
        Of a flash cache: RAM that its directory takes at the sizes asked for, which the estimate does not lack, and its
        share of the RAM; None where no figure is known, and of page-flow schemes. [bytes], [1]
    """

    ram_pages: int
    ram_hits: float
    ram_hits_interval95: Interval | None
    flash_hits: float
    flash_hits_interval95: Interval | None
    disk_reads: float
    disk_reads_interval95: Interval | None
    flash_writes: float
    flash_writes_interval95: Interval | None
    counters: dict[str, float]
    counters_interval95: dict[str, Interval] | None
    ram_tax_bytes: int | None = None
    ram_tax_share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeEstimate:
    """One size: estimated counts of the trace behind the warm-up; without one, from a cold start.

    Attributes
    ----------
    pages : int
        The cache, or flash below RAM; in production that of one machine. [pages]
    lru_hit_ratio : float or None
        Of LRU at this size: exact, not estimated; None where it was not counted, and of two tiers. [1]
    hit_ratio, hit_ratio_interval95 : float or None, pair or None
        Of all tiers. No interval where the spread of the miniatures says too little, with the reason in
        `warnings`. [1]
    misses, misses_interval95 : float or None, pair or None
        Accesses that miss every tier.
    disk_writes, disk_writes_interval95 : float or None, pair or None
        Pages; of one tier its dirty evictions. [pages]
    too_small : bool or None
        The smallest part of a scaled cache has fewer than 32 pages.
    in_production : InProduction or None
        The same at the rate of one machine of production; None where sizes are of the trace.
    per_s_interval95 : dict of str to pair, or None
        Of its rates, of one tier `misses` and `disk_writes`; None where the counts have no interval. [1/s]
    tiers : TierEstimate or None
        What two tiers count besides; None of one, and where there is no estimate.
    flash_life : FlashLife or None
        Of two tiers: what they write to flash, estimated, and how long that lasts; None of one, and where there is no
        estimate.
    warnings : tuple of Caution
        About this size.
    error, hint : str or None
        Why there is no estimate, and what to do.
    """

    pages: int
    lru_hit_ratio: float | None = None
    hit_ratio: float | None = None
    hit_ratio_interval95: Interval | None = None
    misses: float | None = None
    misses_interval95: Interval | None = None
    disk_writes: float | None = None
    disk_writes_interval95: Interval | None = None
    too_small: bool | None = None
    in_production: InProduction | None = None
    per_s_interval95: dict[str, Interval] | None = None
    tiers: TierEstimate | None = None
    flash_life: FlashLife | None = None
    warnings: tuple[Caution, ...] = ()
    error: str | None = None
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class Miniature(Answer):
    """A policy estimated at many sizes.

    Attributes
    ----------
    policy, title : str
        In the core's table.
    rows : tuple of SizeEstimate
        By size.
    sample_rate, miniature_rate : float
        Share of the pages that all miniatures follow, and each. [1]
    interval_confidence : float
        Of the intervals. [1]
    estimator : str
        How the counts were found.
    replayed_at : ReplaySizes or None
        Sizes at which the recording stood for production; None where they are those that were asked for.
    """

    chooses: ClassVar[bool] = False

    policy: str
    title: str
    rows: tuple[SizeEstimate, ...] = field(repr=False)
    sample_rate: float
    miniature_rate: float
    interval_confidence: float = INTERVAL_CONFIDENCE
    estimator: str = ESTIMATOR
    replayed_at: ReplaySizes | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The hit ratio at each size."""
        return tuple(
            Figure(
                f"hit_ratio_{row.pages}",
                f"Hit ratio at {counted(row.pages, 'page')}",
                row.hit_ratio,
                "1",
            )
            for row in self.rows
        )


def answer(
    trace: Trace,
    policy: str,
    sizes: Sequence[int],
    *,
    options: Mapping[str, str] | None = None,
    sample_rate: float = USUAL_RATE,
    seed: int = 0,
    curve: Curve | None = None,
    warm_up: WarmUp | None = None,
    threads: int | None = None,
    production: Curve | None = None,
    on_progress: OnProgress | None = None,
) -> Miniature:
    """Estimate a replacement policy at many sizes from some of the pages.

    Parameters
    ----------
    trace : Trace
        What is estimated.
    policy : str
        Name in the core's table.
    sizes : sequence of int
        Caches. [pages]
    options : mapping, optional
        Of the policy.
    sample_rate : float
        Share of the pages to follow, in all miniatures together. [1]
    seed : int
        Another one, other pages.
    curve : Curve, optional
        Of the trace from a cold start, for LRU beside it. With a warm-up no curve has LRU: it is replayed at each size.
    warm_up : WarmUp, optional
        Accesses that fill the caches and are not counted. Unless given none, in production the first half of the
        recording.
    threads : int, optional
        Replays at a time; None: one a core.
    production : Curve, optional
        Of a profile that was scaled from the trace: sizes are then of one machine of production, and are estimated at
        the sizes of the trace that correspond. A row for which the recording is too small has an `error`.
    on_progress : callable, optional
        Of the read; False cancels.

    Raises
    ------
    BadInput
        If there is no such policy; if the curve of production was not scaled, or from another trace, or the recording
        is too small for every size.
    SimulatorError
        If the trace cannot be read, an option or a size is refused, or progress asked to stop.
    """
    known = {row["name"]: row["title"] for row in replay.contenders("policy")}
    name = spelled(policy)
    if name not in known:
        raise BadInput(f"policy: there is no `{policy}`", f"known: {', '.join(known)}")
    head: WarmUp = 0 if warm_up is None else warm_up
    if production is not None:
        scaled_of(production)
        summary = reading.inspect(trace)
        check_belongs(production, summary, str(trace.path))
        if warm_up is None:
            head = warm_up_of("steady", summary["accesses"])
    wanted = [
        replay.Replay("policy", name, pages, 0, 0) for pages in sorted(set(sizes))
    ]
    there = (
        [Corresponding(each.ram_pages, 0, None) for each in wanted]
        if production is None
        else corresponding(production, wanted, steady=head != 0)
    )
    if there and all(place.refused is not None for place in there):
        check_large_enough(there[0])
    replayed = [place.ram_pages for place in there if place.refused is None]
    found = replay.miniatures(
        trace,
        [
            {"policy": name, "pages": pages, "options": dict(options or {})}
            for pages in replayed
        ],
        sample_rate,
        seed=seed,
        warm_up=head,
        threads=threads,
        on_progress=on_progress,
    )
    beside = (
        [lru_hit_ratio_of(curve, pages) for pages in replayed]
        if head == 0
        else _replayed_lru(trace, replayed, head, threads, on_progress)
    )
    results = iter(zip(found["rows"], beside, strict=True))
    rows = []
    for each, place in zip(wanted, there, strict=True):
        result, lru = next(results) if place.refused is None else (place.refused, None)
        rows.append(
            estimate_of(
                each.ram_pages,
                result,
                lru,
                None
                if production is None or "error" in result
                else in_production(production, each, place, result),
            )
        )
    pairs = [
        (each, place)
        for each, place in zip(wanted, there, strict=True)
        if place.refused is None
    ]
    replayed_at = (
        None if production is None or not pairs else merged_sizes(production, pairs)
    )
    return Miniature(
        finding=_finding(known[name], rows),
        warnings=(
            *about_sizes(replayed_at),
            *about_trace(ReaderNotes.of(found["trace"])),
        ),
        policy=name,
        title=known[name],
        rows=tuple(rows),
        sample_rate=sample_rate,
        miniature_rate=sample_rate / MINIATURES,
        estimator=estimator_of(head),
        replayed_at=replayed_at,
    )


def _replayed_lru(
    trace: Trace,
    sizes: Sequence[int],
    warm_up: WarmUp,
    threads: int | None,
    on_progress: OnProgress | None,
) -> list[float | None]:
    """Count LRU behind a warm-up at every size. [1]"""
    rows = replay.sweep(
        trace,
        [{"policy": "lru", "pages": pages} for pages in sizes],
        warm_up=warm_up,
        threads=threads,
        on_progress=on_progress,
    )["rows"]
    return [replayed_hit_ratio(row) for row in rows]


def estimator_of(warm_up: WarmUp | AskedWarmUp) -> str:
    """Say how the counts were found.

    Parameters
    ----------
    warm_up : int, float or str
        Of the estimates; 0 for a cold start.
    """
    if warm_up == 0:
        return ESTIMATOR
    return _ESTIMATOR.format(start="behind a warm-up, of which each has its own share")


def replayed_hit_ratio(result: Mapping[str, Any]) -> float | None:
    """Return the share of the accesses that one cache hit in a replay; None where the replay failed. [1]

    Parameters
    ----------
    result : mapping
        Of `replay.replay` or `replay.sweep`.
    """
    if "error" in result:
        return None
    return _share(result["accesses"] - result["misses"], result["accesses"])


def lru_hit_ratio_of(curve: Curve | None, pages: int) -> float | None:
    """Return the share of the accesses that LRU hits, exact; None without a curve. [1]"""
    return None if curve is None else 1 - float(curve.misses(pages)) / curve.accesses


def estimate_of(
    pages: int,
    result: Mapping[str, Any],
    lru_hit_ratio: float | None,
    production: InProduction | None = None,
    *,
    ram_pages: int | None = None,
    tax: RamTax | None = None,
    life: FlashLife | None = None,
) -> SizeEstimate:
    """Say what the miniatures of one size counted; a result with `error` failed.

    Parameters
    ----------
    pages : int
        The size, as it was asked for; of two tiers that of flash. [pages]
    result : mapping
        Of `replay.miniatures`.
    lru_hit_ratio : float or None
        Of LRU at this size. [1]
    production : InProduction or None
        The counts at the rate of one machine of production.
    ram_pages : int, optional
        RAM above flash, as it was asked for; None: one tier. [pages]
    tax : RamTax, optional
        RAM that the directory of a flash cache takes at these sizes.
    life : FlashLife, optional
        Of the flash, by `life_of` of the same counts.
    """
    if "error" in result:
        return SizeEstimate(
            pages=pages,
            lru_hit_ratio=lru_hit_ratio,
            error=result["error"],
            hint=result["hint"] or None,
        )
    missing, writing = (
        ("misses", "disk_writes")
        if ram_pages is None
        else ("flash_misses", "hdd_writes")
    )
    accesses, misses = result["accesses"], result[missing]
    ends: Mapping[str, Interval] = result["interval95"] or {}
    missed = ends.get(missing)
    return SizeEstimate(
        pages=pages,
        lru_hit_ratio=lru_hit_ratio,
        hit_ratio=_share(accesses - misses, accesses),
        hit_ratio_interval95=missed
        and (
            _share(accesses - missed[1], accesses),
            _share(accesses - missed[0], accesses),
        ),
        misses=misses,
        misses_interval95=missed,
        disk_writes=result[writing],
        disk_writes_interval95=ends.get(writing),
        too_small=result["too_small"],
        in_production=production,
        per_s_interval95=None
        if production is None or not ends
        else {
            name: _at_rate(ends[name], production.accesses_per_s / accesses)
            for name in (
                ("misses", "disk_writes") if ram_pages is None else production.per_s
            )
        },
        tiers=None if ram_pages is None else _tiers(ram_pages, result, ends, tax),
        flash_life=life,
        warnings=tuple(
            Caution(each["name"], each["message"], each["hint"])
            for each in result["warnings"]
        ),
    )


def _tiers(
    ram_pages: int,
    result: Mapping[str, Any],
    ends: Mapping[str, Interval],
    tax: RamTax | None,
) -> TierEstimate:
    """Return what two tiers counted besides; the core states of every counter or of none an interval."""
    counters = {
        name: value for name, value in result.items() if isinstance(value, float)
    }
    for rate in ("sample_rate", "miniature_rate"):
        del counters[rate]
    return TierEstimate(
        ram_pages=ram_pages,
        ram_hits=counters["ram_hits"],
        ram_hits_interval95=ends.get("ram_hits"),
        flash_hits=counters["flash_hits"],
        flash_hits_interval95=ends.get("flash_hits"),
        disk_reads=counters["hdd_reads"],
        disk_reads_interval95=ends.get("hdd_reads"),
        flash_writes=counters["flash_writes"],
        flash_writes_interval95=ends.get("flash_writes"),
        counters=counters,
        counters_interval95=dict(ends) or None,
        ram_tax_bytes=None if tax is None else tax.bytes,
        ram_tax_share=None if tax is None else tax.share,
    )


def _at_rate(ends: Interval, rate: float) -> Interval:
    """Return the ends of a count as rates. [1/s]"""
    low, high = ends
    return low * rate, high * rate


def _share(count: float, accesses: int) -> float:
    """Return a share of the accesses; an end of an interval may lie beyond all of them."""
    return min(1.0, max(0.0, count / accesses))


def _finding(title: str, rows: Sequence[SizeEstimate]) -> str:
    known = [(row.pages, row.hit_ratio) for row in rows if row.hit_ratio is not None]
    if not known:
        return f"The hit ratio of {title} could not be estimated at any size."
    (least, first), (most, last) = known[0], known[-1]
    if least == most:
        return f"{title} hits {percent(first)} of the accesses at {counted(least, 'page')}."
    return (
        f"{title} hits {percent(first)} of the accesses at {counted(least, 'page')} and "
        f"{percent(last)} at {most:,}."
    )
