"""One trace, one buffer size, one asymmetry: which split, what it costs, against what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from tierwright.advise.pool_survey import PricedSurvey, SplitSurvey, survey
from tierwright.common.cautions import Caution
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.pool_split.costs import PoolMissRates, SplitCosts
from tierwright.evaluate.pool_split.counts import (
    BASELINES,
    DEFAULT_ESTIMATOR,
    ESTIMATORS,
    VALIDITY,
    cautions,
    check_request,
)
from tierwright.simulate.replay import two_stack
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, Trace


@dataclass(frozen=True, slots=True)
class PoolSplit:
    """Best split of one buffer, estimated and replayed. Costs are per access, in page reads.

    Attributes
    ----------
    pages : int
        M, the whole buffer. [pages]
    asymmetry : float
        R, cost of a page write in page reads. [1]
    accesses, write_accesses, distinct_pages : int
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
    warnings : tuple of Caution
        What to know before acting on it.
    """

    pages: int
    asymmetry: float
    accesses: int
    write_accesses: int
    distinct_pages: int
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
    warnings: tuple[Caution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
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
        }

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


def analyse(
    trace: Trace,
    pages: int,
    asymmetry: float,
    *,
    estimator: str = DEFAULT_ESTIMATOR,
    distance: str = "raw",
    group_pages: int = 64,
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
    on_progress : callable, optional
        Called once per chunk of each pass; False cancels.

    Raises
    ------
    BadInput
        If a number or a name is out of its domain.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    check_request(pages, asymmetry, estimator, distance)
    counted = two_stack(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        on_progress=on_progress,
    )
    notes = tuple(about_trace(ReaderNotes.of(counted["trace"])))
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
    return _priced(found, found.at(asymmetry, estimator=estimator), notes)


def _priced(
    found: SplitSurvey, priced: PricedSurvey, notes: tuple[Caution, ...]
) -> PoolSplit:
    asymmetry, chosen = priced.asymmetry, priced.estimated_clean_pages
    split = found.splits[chosen]
    return PoolSplit(
        pages=found.pages,
        asymmetry=asymmetry,
        accesses=found.accesses,
        write_accesses=found.write_accesses,
        distinct_pages=found.distinct_pages,
        estimator=priced.estimator,
        distance=found.distance,
        best_clean_pages=chosen,
        best_by_estimator=priced.best_by_estimator,
        rates=priced.rates,
        costs=priced.costs,
        estimates={**priced.estimates},
        simulated=found.cost(split, asymmetry),
        simulated_without_closing_writes=found.cost(split, asymmetry, closing=False),
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
            "fd_static": split,
            "recommended": found.splits[priced.best_clean_pages],
            **found.baselines,
        },
        gain_over=priced.gain_over,
        break_even_asymmetry=priced.break_even_asymmetry,
        validity=priced.validity,
        warnings=(*notes, *priced.warnings),
    )


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
        pages=pages,
        asymmetry=asymmetry,
        accesses=0,
        write_accesses=0,
        distinct_pages=0,
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
