"""Several workloads on one machine: one shared cache, or a cache for each.

Source: Denning and Schwartz (1972) for the shared cache, Stone, Turek and Wolf (1992) for the split;
see `tierwright.evaluate.compose`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierwright.advise.compose_effects import weigher
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.derivation import shown
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, duration, listed, percent, three_digits
from tierwright.evaluate.compose.composed import ESTIMATOR
from tierwright.evaluate.compose.errors import scaled_parts
from tierwright.evaluate.compose.partitions import Partition, partitions
from tierwright.evaluate.compose.shared import SharedCache, shared_cache
from tierwright.evaluate.compose.short import about_short
from tierwright.evaluate.page_flow.cautions import about_given, about_scaled_parts
from tierwright.profile.production import ScaledParts
from tierwright.profile.several import Workload, check_workloads

KNOWN_ERROR = 0.05
"""Largest relative error of the misses of a shared cache of at least 1 % of all pages, in the
replays of merged traces of docs/models/compose.md. [1]"""
VALIDITY = (
    "LRU; workloads share no pages and do not take turns; full caches; rates are means, so a "
    "shared cache that follows bursts may miss less than this"
)
SHARED_SOURCE = "Denning and Schwartz (1972)"
SPLIT_SOURCE = "Stone, Turek and Wolf (1992), on the lower convex hulls"
EQUAL = 0.0005
"""Relative difference of misses below which they are called equal. [1]"""
USUAL_SHARE = 0.1
"""Share of the pages of all workloads that a cache holds where its size is not stated. [1]"""
CURVE_POINTS = 80
"""Sizes at which curves are compared."""
_LEAST_SHARE = 1e-4
"""Share of the pages of all workloads at which compared curves begin. [1]"""
_BY_SCALE = frozenset({"scaled", "scale_extrapolated", "scaled_unmeasured"})
_MOST_NAMED = 4
"""Parts of a split that the finding names; of more it names the largest."""
_STEPS = (-3, -2, -1, 0, 1, 2, 3)
"""Doublings of the RAM that the table of sizes shows."""


@dataclass(frozen=True, slots=True)
class WorkloadRow:
    """What one workload gets.

    Attributes
    ----------
    name : str
        Of the workload.
    accesses_per_s : float
        Its rate. [1/s]
    rate_basis : str
        Where the rate is from.
    shared_pages : float
        Pages of it in the shared cache. [pages]
    shared_share : float
        Of the pages held there. [1]
    shared_miss_ratio : float
        Of its own accesses, in the shared cache. [1]
    shared_miss_share : float
        Of all misses of the shared cache. [1]
    shared_misses_per_s : float
        In the shared cache. [1/s]
    partition_pages : int or None
        Its own cache; None where no split was wanted. [pages]
    partition_miss_ratio : float or None
        Of its own accesses, in its own cache. [1]
    partition_misses_per_s : float or None
        In its own cache. [1/s]
    alone_miss_ratio : float
        Of its own accesses, if it had all of the RAM for itself. [1]
    """

    name: str
    accesses_per_s: float
    rate_basis: str
    shared_pages: float
    shared_share: float
    shared_miss_ratio: float
    shared_miss_share: float
    shared_misses_per_s: float
    partition_pages: int | None
    partition_miss_ratio: float | None
    partition_misses_per_s: float | None
    alone_miss_ratio: float


@dataclass(frozen=True, slots=True)
class SizeRow:
    """What all workloads miss in a cache of another size.

    Attributes
    ----------
    ram_pages : int
        [pages]
    shared_miss_ratio : float
        Of all accesses. [1]
    partition_miss_ratio : float or None
        Of all accesses, split at this size; None where no split was wanted. [1]
    """

    ram_pages: int
    shared_miss_ratio: float
    partition_miss_ratio: float | None


@dataclass(frozen=True, slots=True)
class AloneCurve:
    """Hit ratios of one workload that has all of the cache for itself.

    Attributes
    ----------
    name : str
        Of the workload.
    hit_ratios : tuple of float
        Of its own accesses, at each size. [1]
    """

    name: str
    hit_ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ComposedCurves:
    """Hit ratios over the size of the cache: of all workloads, and of each by itself.

    Attributes
    ----------
    pages : tuple of int
        Sizes, log-spaced and increasing. [pages]
    shared_hit_ratios : tuple of float
        Of all accesses, in one cache of the size. [1]
    shared_hit_ratios_low, shared_hit_ratios_high : tuple of float or None
        Ends if each law that scaled a workload to production errs by its worst, all to one side;
        None where none was scaled, or a law was never measured. [1]
    partition_hit_ratios : tuple of float or None
        Of all accesses, with the size split; None where no split was wanted. [1]
    alone : tuple of AloneCurve
        The workloads, in the order given.
    """

    pages: tuple[int, ...]
    shared_hit_ratios: tuple[float, ...]
    shared_hit_ratios_low: tuple[float, ...] | None
    shared_hit_ratios_high: tuple[float, ...] | None
    partition_hit_ratios: tuple[float, ...] | None
    alone: tuple[AloneCurve, ...]


@dataclass(frozen=True, kw_only=True)
class Composition(Answer):
    """One cache for several workloads, beside a cache for each.

    Attributes
    ----------
    ram_pages : int
        All of the cache. [pages]
    page_bytes : int
        Page size of all workloads. [bytes]
    accesses_per_s : float
        Of all workloads. [1/s]
    characteristic_time_s : float
        For how long an unused page stays in the shared cache; infinite where all pages fit. [s]
    shared_miss_ratio : float
        Misses of the shared cache over all accesses. [1]
    shared_misses_per_s : float
        [1/s]
    shared_write_backs_per_s : float or None
        None where one of the workloads does not say what it writes. [1/s]
    partition_miss_ratio : float or None
        Misses of the split over all accesses; None where no split was wanted. [1]
    partition_misses_per_s : float or None
        [1/s]
    least_misses_per_s : float or None
        Bound by the lower hulls: no split misses less, by weight. [1/s]
    saved_share : float or None
        Share of the misses of the shared cache, by weight, that the split saves; negative where it
        misses more. None where no split was wanted, or nothing misses. [1]
    better : str or None
        `shared`, `partitions` or `equal`, by `saved_share`.
    close : bool
        Whether the difference lies within `known_error`.
    known_error : float
        `KNOWN_ERROR`. [1]
    scaled : ScaledParts or None
        Which workloads were scaled to production, and how far the misses of the shared cache may
        be off by that; None where none was.
    data_pages : int
        Pages of all workloads, as far as is known. [pages]
    rows : tuple of WorkloadRow
        In the order given.
    sizes : tuple of SizeRow
        The same at half and double the RAM, and so on.
    estimator, validity : str
        How it was computed, and where that holds.
    """

    ram_pages: int
    page_bytes: int
    accesses_per_s: float
    characteristic_time_s: float
    shared_miss_ratio: float
    shared_misses_per_s: float
    shared_write_backs_per_s: float | None
    partition_miss_ratio: float | None
    partition_misses_per_s: float | None
    least_misses_per_s: float | None
    saved_share: float | None
    better: str | None
    close: bool
    rows: tuple[WorkloadRow, ...]
    sizes: tuple[SizeRow, ...]
    scaled: ScaledParts | None
    data_pages: int
    known_error: float = KNOWN_ERROR
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The miss ratios, and what the split saves."""
        time = self.characteristic_time_s
        found = [
            Figure(
                "shared_miss_ratio",
                "Miss ratio of one shared cache",
                self.shared_miss_ratio,
                "1",
            ),
            Figure(
                "characteristic_time_s",
                "Time for which an unused page stays in it",
                time if math.isfinite(time) else None,
                "s",
            ),
        ]
        if self.partition_miss_ratio is not None:
            found += [
                Figure(
                    "partition_miss_ratio",
                    "Miss ratio of a cache for each",
                    self.partition_miss_ratio,
                    "1",
                ),
                Figure(
                    "saved_share",
                    "Share of the misses that the split saves",
                    self.saved_share,
                    "1",
                ),
            ]
        return tuple(found)


def answer(
    workloads: Sequence[Workload],
    *,
    ram_pages: int,
    partitioned: bool = True,
    miss_weights: Sequence[float] | None = None,
) -> Composition:
    """Say what several workloads miss in one shared cache, and in a cache for each.

    Parameters
    ----------
    workloads : sequence of Workload
        Of one page size, with their rates; each is read in the steady state.
    ram_pages : int
        All of the cache, at least 1. [pages]
    partitioned : bool
        Whether the split is wanted too.
    miss_weights : sequence of float, optional
        How much a miss of each workload counts in the split; by default all the same.

    Returns
    -------
    Composition

    Raises
    ------
    BadInput
        If there is no workload, page sizes differ, a rate is not positive, a curve has no
        accesses, the size is not a whole number of pages above 0, or the weights do not fit.
    """
    check_workloads(workloads)
    running = [replace(each, curve=each.curve.steady()) for each in workloads]
    sizes = sorted({max(1, round(ram_pages * 2.0**step)) for step in _STEPS})
    asked = (*sizes, ram_pages)
    splits = dict(
        zip(asked, partitions(running, asked, miss_weights=miss_weights), strict=True)
    )
    shared = shared_cache(running, [ram_pages])
    split = splits[ram_pages] if partitioned else None
    weights = (
        np.ones(len(running)) if miss_weights is None else np.asarray(miss_weights)
    )
    rate = math.fsum(each.accesses_per_s for each in running)
    saved = None if split is None else _saved(shared, split, weights)
    around = shared_cache(running, sizes).misses_per_s.sum(axis=0)
    rows = tuple(
        _row(at, each, shared, split, ram_pages) for at, each in enumerate(running)
    )
    missed = float(shared.misses_per_s.sum())
    parts = scaled_parts(running, shared.misses_per_s[:, 0])
    backs = shared.write_backs_per_s
    close = saved is not None and EQUAL <= abs(saved) <= KNOWN_ERROR
    found = Composition(
        finding="",
        warnings=tuple(_cautions(running, shared, split, parts)),
        explain=lambda: _steps(running, shared, split, ram_pages, saved, parts),
        weigh=weigher(
            running,
            ram_pages=ram_pages,
            held=shared.held_pages[:, 0],
            partitioned=partitioned,
            miss_weights=miss_weights,
        ),
        ram_pages=ram_pages,
        page_bytes=running[0].curve.page_bytes,
        accesses_per_s=rate,
        characteristic_time_s=float(shared.times_s[0]),
        shared_miss_ratio=missed / rate,
        shared_misses_per_s=missed,
        shared_write_backs_per_s=None if backs is None else float(backs.sum()),
        partition_miss_ratio=None
        if split is None
        else float(split.misses_per_s.sum()) / rate,
        partition_misses_per_s=None
        if split is None
        else float(split.misses_per_s.sum()),
        least_misses_per_s=None if split is None else split.least_misses_per_s,
        saved_share=saved,
        better=_better(saved),
        close=close,
        scaled=parts,
        data_pages=_data_pages(running),
        rows=rows,
        sizes=tuple(
            SizeRow(
                size,
                float(around[at]) / rate,
                float(splits[size].misses_per_s.sum()) / rate if partitioned else None,
            )
            for at, size in enumerate(sizes)
        ),
    )
    weighted = miss_weights is not None and len(set(map(float, miss_weights))) > 1
    return replace(found, finding=_finding(found, weighted=weighted))


def usual_pages(workloads: Sequence[Workload]) -> int:
    """Return a size of the cache to begin with: a tenth of the pages of all workloads. [pages]

    Raises
    ------
    BadInput
        If the workloads cannot be composed.
    """
    check_workloads(workloads)
    return max(1, round(USUAL_SHARE * _data_pages(workloads)))


def curves(
    workloads: Sequence[Workload],
    *,
    partitioned: bool = True,
    miss_weights: Sequence[float] | None = None,
    points: int = CURVE_POINTS,
) -> ComposedCurves:
    """Compute the hit ratios of several workloads over the size of the cache.

    Parameters
    ----------
    workloads : sequence of Workload
        Of one page size, with their rates; each is read in the steady state.
    partitioned : bool
        Whether those of a split are wanted too.
    miss_weights : sequence of float, optional
        How much a miss of each workload counts in the split; by default all the same.
    points : int
        Sizes at most, from a ten-thousandth of the pages of all workloads to all of them.

    Returns
    -------
    ComposedCurves

    Raises
    ------
    BadInput
        As `answer`.
    """
    check_workloads(workloads)
    running = [replace(each, curve=each.curve.steady()) for each in workloads]
    whole = _data_pages(running)
    spaced = np.geomspace(max(1.0, _LEAST_SHARE * whole), whole, points)
    sizes = np.unique(np.rint(spaced).astype(np.int64))
    rate = math.fsum(each.accesses_per_s for each in running)
    found = shared_cache(running, sizes).misses_per_s
    shared = found.sum(axis=0)
    band = _law_band(running, found)
    splits = (
        partitions(running, sizes.tolist(), miss_weights=miss_weights)
        if partitioned
        else ()
    )
    return ComposedCurves(
        tuple(sizes.tolist()),
        _hit_ratios(shared, rate),
        None if band is None else _hit_ratios(band[1], rate),
        None if band is None else _hit_ratios(band[0], rate),
        _hit_ratios(
            np.asarray([float(split.misses_per_s.sum()) for split in splits]), rate
        )
        if partitioned
        else None,
        tuple(
            AloneCurve(
                each.name, _hit_ratios(each.misses_per_s(sizes), each.accesses_per_s)
            )
            for each in running
        ),
    )


def _law_band(
    workloads: Sequence[Workload], misses_per_s: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Bound all misses where the laws of all workloads err by their worst, to one side. [1/s]

    None where nothing was scaled, or a law was never measured.
    """
    scaled = [each.curve.is_scaled for each in workloads]
    errors = [each.curve.known_error for each in workloads]
    if not any(scaled) or any(
        law and known is None for law, known in zip(scaled, errors, strict=True)
    ):
        return None
    worst = [1.0 if known is None else 1 + known.worst for known in errors]
    factors = np.asarray(worst)[:, np.newaxis]
    rates = np.asarray([each.accesses_per_s for each in workloads])[:, np.newaxis]
    most = np.minimum(misses_per_s * factors, rates)
    return (misses_per_s / factors).sum(axis=0), most.sum(axis=0)


def _hit_ratios(misses_per_s: FloatArray, rate: float) -> tuple[float, ...]:
    # Rounding of a sum must not make more misses than accesses.
    return tuple(np.clip(1 - misses_per_s / rate, 0.0, 1.0).tolist())


def _data_pages(workloads: Sequence[Workload]) -> int:
    return sum(each.curve.data_pages for each in workloads)


def _saved(
    shared: SharedCache, split: Partition, weights: np.typing.NDArray[np.float64]
) -> float | None:
    before = float(weights @ shared.misses_per_s[:, 0])
    return 1 - float(weights @ split.misses_per_s) / before if before > 0 else None


def _better(saved: float | None) -> str | None:
    if saved is None:
        return None
    if abs(saved) < EQUAL:
        return "equal"
    return "partitions" if saved > 0 else "shared"


def _row(
    at: int, each: Workload, shared: SharedCache, split: Partition | None, pages: int
) -> WorkloadRow:
    rate = each.accesses_per_s
    return WorkloadRow(
        name=each.name,
        accesses_per_s=rate,
        rate_basis=each.rate_basis,
        shared_pages=float(shared.held_pages[at, 0]),
        shared_share=float(shared.held_shares[at, 0]),
        shared_miss_ratio=float(shared.misses_per_s[at, 0]) / rate,
        shared_miss_share=float(shared.miss_shares[at, 0]),
        shared_misses_per_s=float(shared.misses_per_s[at, 0]),
        partition_pages=None if split is None else int(split.pages[at]),
        partition_miss_ratio=None
        if split is None
        else float(split.misses_per_s[at]) / rate,
        partition_misses_per_s=None if split is None else float(split.misses_per_s[at]),
        alone_miss_ratio=float(each.misses_per_s(pages)) / rate,
    )


def _finding(found: Composition, *, weighted: bool) -> str:
    sentences = [_shared_sentence(found)]
    if found.partition_miss_ratio is not None and len(found.rows) > 1:
        sentences.append(_split_sentence(found, weighted=weighted))
    return " ".join(sentences)


def _shared_sentence(found: Composition) -> str:
    size = format_bytes(found.ram_pages * found.page_bytes)
    missed = percent(found.shared_miss_ratio)
    if math.isinf(found.characteristic_time_s):
        taken = format_bytes(
            math.fsum(row.shared_pages for row in found.rows) * found.page_bytes
        )
        return counted(
            len(found.rows),
            f"workload fits in one cache of {size}: it takes {taken}, and {missed} of its "
            "accesses miss.",
            f"workloads fit in one cache of {size}: they take {taken}, and {missed} of their "
            "accesses miss.",
        )
    if len(found.rows) == 1:
        return f"1 workload in one cache of {size}: {missed} of its accesses miss."
    text = f"{len(found.rows)} workloads in one cache of {size} miss {missed} of their accesses; "
    shares = [percent(row.shared_share) for row in found.rows]
    most = max(found.rows, key=lambda row: row.shared_share)
    leaders = [
        row.name
        for row, share in zip(found.rows, shares, strict=True)
        if share == percent(most.shared_share)
    ]
    held = percent(most.shared_share)
    if len(leaders) == len(found.rows):
        return f"{text}each gets {held} of it."
    if len(leaders) > 1:
        return f"{text}{listed(leaders)} get the most, {held} of it each."
    causes = percent(most.shared_miss_share)
    return f"{text}{most.name} gets {held} of it and causes {causes} of the misses."


def _split_sentence(found: Composition, *, weighted: bool) -> str:
    sizes = [(row.partition_pages or 0) * found.page_bytes for row in found.rows]
    parts = [
        f"{format_bytes(size)} for {row.name}"
        for size, row in zip(sizes, found.rows, strict=True)
    ]
    given = (
        listed(parts)
        if len(parts) <= _MOST_NAMED
        else f"{parts[int(np.argmax(sizes))]} as the largest part"
    )
    missed = percent(found.partition_miss_ratio or 0.0)
    text = f"Partitioned, with {given}, they miss {missed}"
    saved = found.saved_share
    if saved is None or found.better == "equal":
        return f"{text}: as many as in the shared cache."
    amount = percent(abs(saved))
    compared = "fewer" if saved > 0 else "more"
    what = "misses by weight" if weighted else "misses"
    if found.close:
        return (
            f"{text}: {amount} {compared} {what}, which is within the error of the composition "
            f"({percent(KNOWN_ERROR)})."
        )
    return f"{text}: {amount} {compared} {what}."


def _cautions(
    workloads: Sequence[Workload],
    shared: SharedCache,
    split: Partition | None,
    parts: ScaledParts | None,
) -> Iterator[Caution]:
    if parts is not None:
        yield about_scaled_parts(parts)
    for each in workloads:
        for caution in about_given(each.curve):
            # The errors of scale laws stand above, those of all workloads in one.
            if caution.name not in _BY_SCALE:
                yield replace(caution, message=f"{each.name}: {caution.message}")
    held = shared.held_pages[:, 0]
    own = [] if split is None else [split.pages.astype(np.float64)]
    yield from about_short(workloads, held, *own)
    ended = [
        each.name
        for each, pages in zip(workloads, held, strict=True)
        if each.curve.ends_early
        and pages > each.curve.last_listed
        and not bool(each.curve.holds_all(pages))
    ]
    if ended:
        yield Caution(
            "beyond_the_curve",
            f"{listed(ended)}: the curve ends below the part of the cache that the workload gets; "
            "its last value is used",
            "give a curve that reaches this size",
        )
    unknown = [each.name for each in workloads if each.curve.write_backs_at is None]
    if unknown:
        yield Caution(
            "write_backs_unknown",
            f"{listed(unknown)}: the curve has no write-backs, so those of the shared cache are "
            "unknown",
            "profile a trace with reads and writes, or state the dirty share of the curve",
        )
    if len(workloads) > 1:
        yield Caution(
            "composed_workload",
            "one shared cache was computed from the curves of the workloads, not measured: they "
            "are assumed to share no pages and not to take turns",
            "profile a trace of all of them on one machine, or merge traces that one clock timed "
            "with [[members_merged]]",
        )


def _steps(
    workloads: Sequence[Workload],
    shared: SharedCache,
    split: Partition | None,
    pages: int,
    saved: float | None,
    parts: ScaledParts | None,
) -> Iterator[Step]:
    for each in workloads:
        yield Step(
            "a_i",
            f"rate of its accesses: {each.rate_basis}",
            each.accesses_per_s,
            "1/s",
            "profile",
            each.name,
        )
    held = shared.held_pages[:, 0]
    time = float(shared.times_s[0])
    yield Step(
        "T",
        f"sum of C_i(T) = C: {' + '.join(map(shown, held.tolist()))} = {shown(pages)}"
        if math.isfinite(time)
        else f"all {shown(float(held.sum()))} pages fit in C = {shown(pages)}",
        time if math.isfinite(time) else None,
        "s",
        SHARED_SOURCE,
    )
    for at, each in enumerate(workloads):
        stays = duration(time) if math.isfinite(time) else "all time"
        yield Step(
            "C_i",
            f"T = integral of dc / misses_per_s(c) from 0 to C_i: pages used within {stays}",
            float(held[at]),
            "pages",
            SHARED_SOURCE,
            each.name,
        )
        yield Step(
            "misses_i",
            f"a_i m(C_i) / N = {shown(each.accesses_per_s)} x "
            f"{shown(float(each.curve.misses(held[at])))} / {shown(each.curve.accesses)}",
            float(shared.misses_per_s[at, 0]),
            "1/s",
            SHARED_SOURCE,
            each.name,
        )
    yield Step(
        "misses",
        f"sum of misses_i = {' + '.join(map(shown, shared.misses_per_s[:, 0].tolist()))}",
        float(shared.misses_per_s.sum()),
        "1/s",
        SHARED_SOURCE,
    )
    if parts is not None and parts.known_error is not None:
        yield Step(
            "mean error of the scale laws",
            "sum of misses_i e_i / misses, e_i the mean error known of the law that scaled i",
            parts.known_error.mean,
            "1",
            "derived",
        )
        yield Step(
            "worst error of the scale laws",
            "largest of the worst errors known",
            parts.known_error.worst,
            "1",
            "derived",
        )
    if split is None:
        return
    for at, each in enumerate(workloads):
        yield Step(
            "P_i",
            "part in the split of least misses, near that of pages in the order of the misses per "
            f"second that each saves, down to {three_digits(split.gain_per_s_page)} for the last",
            float(split.pages[at]),
            "pages",
            SPLIT_SOURCE,
            each.name,
        )
    yield Step(
        "misses of the split",
        f"sum of a_i m(P_i) / N = {' + '.join(map(shown, split.misses_per_s.tolist()))}",
        float(split.misses_per_s.sum()),
        "1/s",
        SPLIT_SOURCE,
    )
    yield Step(
        "saved",
        "1 - misses of the split / misses, by weight",
        saved,
        "1",
        "derived",
    )
