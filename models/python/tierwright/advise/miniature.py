"""One policy at many sizes, estimated by scaled caches over samples of the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tierwright.common.answer import Answer, Figure
from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, percent
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.simulate.contenders import spelled
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, Trace

MINIATURES = 8
"""Scaled caches, each over its own sample: their spread gives the interval."""
ESTIMATOR = (
    "miniature simulation: mean of eight scaled caches over disjoint samples of the "
    "pages, with an interval of their spread, of slightly other sizes and of their "
    "roughness between these; cold start"
)
INTERVAL_CONFIDENCE = 0.95
USUAL_RATE = 0.1
"""Share of the pages to follow, in all miniatures together. [1]"""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeEstimate:
    """One size: estimated counts of the whole trace from a cold start.

    Attributes
    ----------
    pages : int
        The cache. [pages]
    lru_hit_ratio : float or None
        Of LRU at this size: exact, not estimated; None without a curve. [1]
    hit_ratio, hit_ratio_interval95 : float or None, pair or None
        No interval where the spread of the miniatures says too little, with the reason in
        `warnings`. [1]
    misses, misses_interval95 : float or None, pair or None
        Accesses.
    disk_writes, disk_writes_interval95 : float or None, pair or None
        Dirty evictions. [pages]
    too_small : bool or None
        The smallest part of a scaled cache has fewer than 32 pages.
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
    """

    chooses: ClassVar[bool] = False

    policy: str
    title: str
    rows: tuple[SizeEstimate, ...] = field(repr=False)
    sample_rate: float
    miniature_rate: float
    interval_confidence: float = INTERVAL_CONFIDENCE
    estimator: str = ESTIMATOR

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
    threads: int | None = None,
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
        Of the trace from a cold start, for LRU beside it.
    threads : int, optional
        Replays at a time; None: one a core.
    on_progress : callable, optional
        Of the read; False cancels.

    Raises
    ------
    BadInput
        If there is no such policy.
    SimulatorError
        If the trace cannot be read, an option or a size is refused, or progress asked to stop.
    """
    known = {row["name"]: row["title"] for row in replay.contenders("policy")}
    name = spelled(policy)
    if name not in known:
        raise BadInput(f"policy: there is no `{policy}`", f"known: {', '.join(known)}")
    listed = sorted(set(sizes))
    found = replay.miniatures(
        trace,
        [
            {"policy": name, "pages": pages, "options": dict(options or {})}
            for pages in listed
        ],
        sample_rate,
        seed=seed,
        threads=threads,
        on_progress=on_progress,
    )
    rows = tuple(
        estimate_of(pages, result, lru_hit_ratio_of(curve, pages))
        for pages, result in zip(listed, found["rows"], strict=True)
    )
    return Miniature(
        finding=_finding(known[name], rows),
        warnings=tuple(about_trace(ReaderNotes.of(found["trace"]))),
        policy=name,
        title=known[name],
        rows=rows,
        sample_rate=sample_rate,
        miniature_rate=sample_rate / MINIATURES,
    )


def lru_hit_ratio_of(curve: Curve | None, pages: int) -> float | None:
    """Return the share of the accesses that LRU hits, exact; None without a curve. [1]"""
    return None if curve is None else 1 - float(curve.misses(pages)) / curve.accesses


def estimate_of(
    pages: int, result: Mapping[str, Any], lru_hit_ratio: float | None
) -> SizeEstimate:
    """Say what the miniatures of one size counted; a result with `error` failed."""
    if "error" in result:
        return SizeEstimate(
            pages=pages,
            lru_hit_ratio=lru_hit_ratio,
            error=result["error"],
            hint=result["hint"] or None,
        )
    accesses, misses = result["accesses"], result["misses"]
    ends = result["interval95"] or {}
    missed: Interval | None = ends.get("misses")
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
        disk_writes=result["disk_writes"],
        disk_writes_interval95=ends.get("disk_writes"),
        too_small=result["too_small"],
        warnings=tuple(
            Caution(each["name"], each["message"], each["hint"])
            for each in result["warnings"]
        ),
    )


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
