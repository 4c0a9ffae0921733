"""How to split a buffer pool: one trace, one buffer size, one cost of a write in reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tierwright.advise.in_production import BufferInProduction
from tierwright.advise.pool_split_effects import weigher
from tierwright.advise.pool_survey import PricedSurvey, SplitSurvey, survey
from tierwright.common.answer import Answer, Figure
from tierwright.common.cautions import Caution
from tierwright.common.derivation import plain
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.page_flow.decision import about_sizes, check_belongs
from tierwright.evaluate.pool_split.costs import PoolMissRates, SplitCosts
from tierwright.evaluate.pool_split.counts import (
    BASELINE_TITLES,
    BASELINES,
    DEFAULT_ESTIMATOR,
    ESTIMATORS,
    VALIDITY,
    all_writes,
    cautions,
    check_request,
)
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import two_stack
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, Trace

COST_BASIS = (
    "Counted page reads plus R times page writes, per access, from a cold "
    "start; a page still dirty at the end counts as one more write. What the reads "
    "and writes cost in time depends on the device; R alone decides the best split."
)
LEAST_GAIN = 0.01
"""Below one percent a split is not worth the trouble, and the words say so. [1]"""


@dataclass(frozen=True, slots=True)
class ReplayedBuffer:
    """Counts of one replay and what they cost per access, in page reads.

    Attributes
    ----------
    reads, writes, dirty_left : int
        Of the whole trace; pages still dirty at the end. [pages]
    cost : float
        With one write for each page still dirty at the end. [page reads per access]
    cost_without_closing_writes : float
        Without those. [page reads per access]
    """

    reads: int
    writes: int
    dirty_left: int
    cost: float
    cost_without_closing_writes: float


@dataclass(frozen=True, slots=True)
class ReplayedSplit(ReplayedBuffer):
    """A replayed static split, with its clean pool. [pages]"""

    clean_pages: int


@dataclass(frozen=True, slots=True)
class ReplayedBaseline(ReplayedBuffer):
    """A buffer without a split, replayed.

    Attributes
    ----------
    name, title : str
        One of `BASELINES`.
    gain : float or None
        Share of its cost that the recommended split saves; negative: it costs more. [1]
    break_even_asymmetry : float or None
        R at which both cost the same; None where both write alike. [1]
    best_split_writes_less : bool
        Whether the recommended split writes less.
    """

    name: str
    title: str
    gain: float | None
    break_even_asymmetry: float | None
    best_split_writes_less: bool


@dataclass(frozen=True, kw_only=True)
class PoolSplit(Answer):
    """Best split of one buffer, estimated and replayed. Costs are per access, in page reads.

    Attributes
    ----------
    sentence : str
        The recommended split beside the better baseline, in words.
    pages : int
        M, the whole buffer. [pages]
    asymmetry : float
        R, cost of a page write in page reads. [1]
    accesses, write_accesses, distinct_pages, page_bytes : int
        Of the trace.
    estimator : str
        Which of `ESTIMATORS` chose the split.
    distance : str
        Which of `DISTANCES` the estimates rest on.
    best_clean_pages : int or None
        M_c of least estimated cost by `estimator`, the smallest of equals; None for an empty
        trace. [pages]
    best_by_estimator : dict of str to int
        The same by each estimator.
    rates : PoolMissRates or None
        Miss rates of the pools at every split.
    costs : SplitCosts or None
        Estimated costs at every split.
    estimates : dict of str to float or None
        Estimated costs at `best_clean_pages`.
    simulated : float or None
        Cost of a replay at `best_clean_pages`, see `replayed_cost`: what is still dirty at
        the end is written.
    simulated_without_closing_writes : float or None
        The same without those writes.
    recommended_clean_pages : int or None
        Replayed split of least cost: a replay goes before an estimate. [pages]
    recommended_cost : float or None
        Its replayed cost.
    replays : dict of int to float
        Replayed cost of each split that was replayed, by M_c.
    baselines : dict of str to float or None
        Cost of replays of `lru` and `cflru` (WRR 0.5) with the whole buffer.
    counters : dict
        What replays counted, by `fd_static` (at `best_clean_pages`), `recommended`, `lru`,
        `cflru`; `dirty_left` are the pages still dirty at the end.
    gain_over : dict of str to float or None
        Share of each baseline's cost that the recommended split saves. [1]
    break_even_asymmetry : dict of str to float or None
        R at which the recommended split costs what the baseline does; above it the one that
        writes less is cheaper. None where both write alike. [1]
    validity : str
        Where estimates and replays hold.
    cost_basis : str
        What a cost counts.
    survey : SplitSurvey or None
        What it was made of; None for an empty trace.
    production : BufferInProduction or None
        Where the buffer stands for one of production, that one: `pages`, splits and counts are of the replay.
    """

    sentence: str
    pages: int
    asymmetry: float
    accesses: int
    write_accesses: int
    distinct_pages: int
    page_bytes: int
    estimator: str
    distance: str
    best_clean_pages: int | None
    best_by_estimator: dict[str, int]
    rates: PoolMissRates | None
    costs: SplitCosts | None
    estimates: dict[str, float | None]
    simulated: float | None
    simulated_without_closing_writes: float | None
    recommended_clean_pages: int | None
    recommended_cost: float | None
    replays: dict[int, float]
    baselines: dict[str, float | None]
    counters: dict[str, dict[str, int]]
    gain_over: dict[str, float | None]
    break_even_asymmetry: dict[str, float | None]
    validity: str
    cost_basis: str = COST_BASIS
    survey: SplitSurvey | None = field(default=None, repr=False, compare=False)
    production: BufferInProduction | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The recommended split, its cost and those of the baselines."""
        return (
            Figure(
                "recommended_clean_pages",
                "Clean pages of the best replayed split",
                self.recommended_clean_pages,
                "pages",
            ),
            Figure(
                "recommended_cost",
                "Its cost per access",
                self.recommended_cost,
                "page reads",
            ),
            *(
                Figure(
                    f"{name}_cost",
                    f"Cost per access of {BASELINE_TITLES[name]}",
                    cost,
                    "page reads",
                )
                for name, cost in self.baselines.items()
            ),
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            "sentence": self.sentence,
            "pages": self.pages,
            "asymmetry": self.asymmetry,
            "accesses": self.accesses,
            "write_accesses": self.write_accesses,
            "distinct_pages": self.distinct_pages,
            "estimator": self.estimator,
            "distance": self.distance,
            "best_clean_pages": self.best_clean_pages,
            "best_by_estimator": self.best_by_estimator,
            "estimates": self.estimates,
            "simulated": self.simulated,
            "simulated_without_closing_writes": self.simulated_without_closing_writes,
            "recommended_clean_pages": self.recommended_clean_pages,
            "recommended_cost": self.recommended_cost,
            "replays": [
                {"clean_pages": clean, "cost": cost}
                for clean, cost in self.replays.items()
            ],
            "baselines": self.baselines,
            "gain_over": self.gain_over,
            "break_even_asymmetry": self.break_even_asymmetry,
            "counters": self.counters,
            "curve": self.curve(),
            "validity": self.validity,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
            "cautions": plain(list(self.cautions)),
        }
        if self.production is not None:
            found["production"] = self.in_production()
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found

    def in_production(self) -> dict[str, Any]:
        """Return the split on one machine of production, as plain data; empty where sizes are of the trace."""
        buffer, clean = self.production, self.recommended_clean_pages
        if buffer is None or clean is None:
            return {}
        return {
            **buffer.to_dict(),
            "recommended_clean_pages": buffer.clean_pages(clean),
            **{
                f"{name}_per_s": {
                    row: buffer.per_s(self.counters[row][name], self.accesses)
                    for row in ("recommended", *BASELINES)
                }
                for name in ("reads", "writes")
            },
            "sentence": self.production_sentence,
        }

    @property
    def production_sentence(self) -> str:
        """The recommended split on one machine of production, and its rates; empty where sizes are of the trace."""
        buffer, clean = self.production, self.recommended_clean_pages
        if buffer is None or clean is None:
            return ""
        row = self.counters["recommended"]
        reads, writes = (
            three_digits(buffer.per_s(row[name], self.accesses))
            for name in ("reads", "writes")
        )
        there = buffer.clean_pages(clean)
        return (
            f"On one machine of production, a buffer of {counted(buffer.pages, 'page')} is split into "
            f"{counted(there, 'clean page')} and {counted(buffer.pages - there, 'dirty page')}, and at "
            f"{three_digits(buffer.accesses_per_s)} accesses per second it reads {reads} and writes {writes} "
            "pages per second, its cold start included."
        )

    def replayed_splits(self) -> tuple[ReplayedSplit, ...]:
        """Return what each replayed split counted and costs, by its clean pool."""
        if self.survey is None:
            return ()
        return tuple(
            ReplayedSplit(**self._priced_counts(row), clean_pages=clean)
            for clean, row in self.survey.splits.items()
        )

    def replayed_baselines(self) -> tuple[ReplayedBaseline, ...]:
        """Return what LRU and CFLRU counted and cost with the whole buffer."""
        if self.survey is None or self.recommended_clean_pages is None:
            return ()
        best = self.survey.splits[self.recommended_clean_pages]
        return tuple(
            ReplayedBaseline(
                **self._priced_counts(row),
                name=name,
                title=BASELINE_TITLES[name],
                gain=self.gain_over[name],
                break_even_asymmetry=self.break_even_asymmetry[name],
                best_split_writes_less=all_writes(best) < all_writes(row),
            )
            for name, row in self.survey.baselines.items()
        )

    def _priced_counts(self, row: dict[str, int]) -> dict[str, Any]:
        assert self.survey is not None
        cost = self.survey.cost
        return {
            **{name: row[name] for name in ("reads", "writes", "dirty_left")},
            "cost": cost(row, self.asymmetry),
            "cost_without_closing_writes": cost(row, self.asymmetry, closing=False),
        }

    def thinned(self, points: int) -> PoolSplit:
        """Return it with about so many splits of the curve: even steps, optima and replays."""
        if self.rates is None or self.costs is None:
            return self
        listed = self.rates.clean_pages
        even = np.linspace(listed[0], listed[-1], min(points, listed.size)).round()
        marked = [*self.best_by_estimator.values(), *self.replays]
        wanted = np.searchsorted(listed, np.append(even, marked))
        kept = np.unique(np.minimum(wanted, listed.size - 1))
        return replace(
            self, rates=_taken(self.rates, kept), costs=_taken(self.costs, kept)
        )

    def curve(self) -> list[dict[str, float]]:
        """Miss rates and estimated costs, one row a split."""
        if self.rates is None or self.costs is None:
            return []
        columns = {
            "clean_pages": self.rates.clean_pages,
            "p_c": self.rates.p_c,
            "p_d": self.rates.p_d,
            "p_dw": self.rates.p_dw,
            **{name: getattr(self.costs, name) for name in ESTIMATORS},
        }
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]


_Columns = TypeVar("_Columns", PoolMissRates, SplitCosts)


def _taken(columns: _Columns, kept: NDArray[np.int64]) -> _Columns:
    """Return the chosen rows of columns of one length."""
    taken = {each.name: getattr(columns, each.name)[kept] for each in fields(columns)}
    return type(columns)(**taken)


def answer(
    trace: Trace,
    pages: int,
    asymmetry: float,
    *,
    estimator: str = DEFAULT_ESTIMATOR,
    distance: str = "raw",
    group_pages: int = 64,
    production: Curve | None = None,
    on_progress: OnProgress | None = None,
) -> PoolSplit:
    """Split a buffer: by estimate, and by replays of splits beside LRU and CFLRU.

    The same survey as `survey`, priced at one R, with the estimator's own split replayed as
    well. All counts include the cold start.

    Parameters
    ----------
    trace : Trace
        With writes; without any the split spares nothing, which is warned of.
    pages : int
        M, at least 2. [pages]
    asymmetry : float
        R, above 0; below 1 it is warned of. [1]
    estimator : str
        One of `ESTIMATORS`.
    distance : str
        One of `DISTANCES`; `effective` is the most accurate, and takes time proportional to
        accesses x pages.
    group_pages : int
        Pages of a group, for the grouped distances. [pages]
    production : Curve, optional
        Of a profile that was scaled from the trace: the buffer is then of one machine of production, and the
        trace is replayed with one that corresponds.
    on_progress : callable, optional
        Called once per chunk of each pass; False cancels.

    Raises
    ------
    BadInput
        If a number or a name is out of its domain; if the curve of production was not scaled, or from another
        trace, or the recording is too small for the buffer.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    check_request(pages, asymmetry, estimator, distance)
    buffer = None if production is None else BufferInProduction.of(production, pages)
    pages = pages if buffer is None else buffer.replayed_pages
    counted = two_stack(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        on_progress=on_progress,
    )
    if production is not None:
        check_belongs(production, counted, str(trace.path))
    read = ReaderNotes.of(counted["trace"])
    notes, skipped = tuple(about_trace(read)), read.skipped_records
    if not counted["accesses"]:
        return _empty(pages, asymmetry, estimator, distance, notes, counted)

    def phase(_: str) -> AbstractContextManager[OnProgress | None]:
        return nullcontext(on_progress)

    found = survey(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        asymmetries=[asymmetry],
        estimator=estimator,
        counted=counted,
        phase=phase,
    )
    made = at_asymmetry(
        found, asymmetry, notes, estimator=estimator, skipped_records=skipped
    )
    return for_production(made, buffer)


def for_production(found: PoolSplit, buffer: BufferInProduction | None) -> PoolSplit:
    """Say of a split that it stands for a buffer of production.

    Parameters
    ----------
    found : PoolSplit
        Of the recording, with the buffer that corresponds.
    buffer : BufferInProduction or None
        None leaves the answer as it is.
    """
    if buffer is None:
        return found
    return replace(
        found,
        production=buffer,
        warnings=(*about_sizes(buffer.replayed_at), *found.warnings),
    )


def at_asymmetry(
    found: SplitSurvey,
    asymmetry: float,
    notes: Sequence[Caution] = (),
    *,
    estimator: str = DEFAULT_ESTIMATOR,
    skipped_records: int = 0,
) -> PoolSplit:
    """Answer from a survey, which was counted once and holds for any R.

    Parameters
    ----------
    found : SplitSurvey
        Of at least one access.
    asymmetry : float
        R, above 0. [1]
    notes : sequence of Caution
        What the reader of the trace noticed; stands before the survey's own warnings.
    estimator : str
        One of `ESTIMATORS`.
    skipped_records : int
        Records of the trace that its reader skipped.

    Raises
    ------
    BadInput
        If R or the name is out of its domain.
    """
    priced = found.at(asymmetry, estimator=estimator)
    chosen = priced.estimated_clean_pages
    split = found.splits.get(chosen)
    finding, sentence = _words(found, priced)
    return PoolSplit(
        finding=finding,
        sentence=sentence,
        pages=found.pages,
        asymmetry=asymmetry,
        accesses=found.accesses,
        write_accesses=found.write_accesses,
        distinct_pages=found.distinct_pages,
        page_bytes=found.page_bytes,
        estimator=priced.estimator,
        distance=found.distance,
        best_clean_pages=chosen,
        best_by_estimator=priced.best_by_estimator,
        rates=priced.rates,
        costs=priced.costs,
        estimates={**priced.estimates},
        simulated=None if split is None else found.cost(split, asymmetry),
        simulated_without_closing_writes=None
        if split is None
        else found.cost(split, asymmetry, closing=False),
        recommended_clean_pages=priced.best_clean_pages,
        recommended_cost=priced.best_cost,
        replays=dict(
            zip(
                priced.simulated_clean_pages.tolist(),
                priced.simulated.tolist(),
                strict=True,
            )
        ),
        baselines={**priced.baselines},
        counters={
            **({} if split is None else {"fd_static": split}),
            "recommended": found.splits[priced.best_clean_pages],
            **found.baselines,
        },
        gain_over=priced.gain_over,
        break_even_asymmetry=priced.break_even_asymmetry,
        validity=priced.validity,
        warnings=(*notes, *priced.warnings),
        explain=lambda: found.derivation(priced),
        weigh=weigher(found, asymmetry, skipped_records=skipped_records),
        survey=found,
    )


def largest_buffer(distinct_pages: int) -> int:
    """Return the buffer whose clean and dirty pool can each hold every page. [pages]"""
    return max(2, 2 * distinct_pages)


def about_largest(pages: int, distinct_pages: int) -> Iterator[Caution]:
    """Warn that no larger buffer is counted, where this one is as large as any."""
    if pages >= largest_buffer(distinct_pages):
        yield Caution(
            "pages_clamped",
            f"a buffer of {counted(pages, 'page')} was simulated: its clean pool and its dirty "
            f"pool can each hold all {counted(distinct_pages, 'page')} of the trace, so a "
            "larger buffer gives the same counts",
            "Choose a buffer that is smaller than the trace.",
        )


def _words(survey: SplitSurvey, priced: PricedSurvey) -> tuple[str, str]:
    """Put the answer into a headline and a sentence."""
    clean, cost = priced.best_clean_pages, priced.best_cost
    rival = min(priced.baselines, key=lambda name: priced.baselines[name])
    title, rival_cost = BASELINE_TITLES[rival], priced.baselines[rival]
    gain = priced.gain_over[rival]
    at = f"At R = {priced.asymmetry:.3g}"
    if survey.write_accesses == 0:
        finding = "Without writes there is nothing to split"
    elif gain is None or gain <= 0:
        finding = f"{at} no split beats {title}"
    elif gain < LEAST_GAIN:
        finding = f"{at} splitting saves less than 1 % over {title}"
    else:
        finding = f"{at}, {percent(clean / survey.pages)} clean pages save {percent(gain)} over {title}"
    sentence = (
        f"The best replayed split, {clean:,} clean and "
        f"{counted(survey.pages - clean, 'dirty page')}, costs {three_digits(cost)} page reads per access; "
        f"{title} costs {three_digits(rival_cost)}."
    )
    flips = priced.break_even_asymmetry[rival]
    less = all_writes(survey.splits[clean]) < all_writes(survey.baselines[rival])
    if flips is not None and flips > 0 and math.isfinite(flips):
        side = "above" if less else "below"
        sentence += f" This split is the cheaper of the two {side} R = {flips:.3g}."
    return finding, sentence


def _empty(
    pages: int,
    asymmetry: float,
    estimator: str,
    distance: str,
    notes: tuple[Caution, ...],
    counted: dict[str, Any],
) -> PoolSplit:
    """Answer for a trace without accesses, where nothing has a cost."""
    nothing: dict[str, float | None] = dict.fromkeys(BASELINES)

    def said() -> Iterator[Caution]:
        yield from notes
        yield from cautions(counted, pages, asymmetry, None, None, nothing)

    return PoolSplit(
        finding="The trace has no accesses, so no split has a cost",
        sentence="",
        pages=pages,
        asymmetry=asymmetry,
        accesses=0,
        write_accesses=0,
        distinct_pages=0,
        page_bytes=counted["page_bytes"],
        estimator=estimator,
        distance=distance,
        best_clean_pages=None,
        best_by_estimator={},
        rates=None,
        costs=None,
        estimates=dict.fromkeys(ESTIMATORS),
        simulated=None,
        simulated_without_closing_writes=None,
        recommended_clean_pages=None,
        recommended_cost=None,
        replays={},
        baselines=nothing,
        counters={},
        gain_over=dict(nothing),
        break_even_asymmetry=dict(nothing),
        validity=VALIDITY,
        warnings=tuple(said()),
    )
