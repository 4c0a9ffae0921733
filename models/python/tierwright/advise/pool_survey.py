"""One trace, one buffer size, every asymmetry: counted once, priced at any R.

A replay counts reads and writes whatever they cost, and the Two-Stack pass knows no R either.
So a survey counts both once and answers for every device at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tierwright.common.answer import Step
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.hull import below_chords
from tierwright.common.wording import counted
from tierwright.evaluate.pool_split.costs import (
    PoolMissRates,
    SplitCosts,
    best_split,
    check_asymmetry,
    gain,
    pool_miss_rates,
    split_costs,
)
from tierwright.evaluate.pool_split.counts import (
    BASELINE_TITLES,
    CFLRU_WRR,
    DEFAULT_ESTIMATOR,
    ESTIMATORS,
    VALIDITY,
    all_writes,
    break_even,
    cautions,
    check_request,
    counts_of,
    replayed_cost,
)
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.service_time import service_basis, service_us
from tierwright.simulate.replay import replay, simulate_splits, two_stack
from tierwright.trace.reading import OnProgress, Trace

EVEN_SPLITS = 24
"""Splits replayed at even distances, besides the estimated optima."""
USUAL_ASYMMETRIES = tuple(2.0 ** (step / 2) for step in range(17))
"""R = 1 ... 256: the estimated optimum of each is replayed."""
REPLAY_MEMORY_BYTES = 2**30
REPLAY_BYTES_A_PAGE = 48
"""Bound of what one split takes for each page of the buffer and of the trace, see docs."""
MOST_LISTED = 2**16
"""Splits of a survey that is kept."""
_NEXT_TO_NONE = 1e-300
ARRAYS = ("hits_clean", "hits_dirty", "write_hits_dirty")

Phase = Callable[[str], AbstractContextManager[OnProgress | None]]
"""Frames one pass over the trace under a name."""

Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SplitSurvey:
    """What one buffer counted at every split, before any price.

    Attributes
    ----------
    pages : int
        M, the whole buffer. [pages]
    distance : str
        Stack distances of the Two-Stack pass.
    accesses, write_accesses, distinct_pages, page_bytes : int
        Of the trace.
    clean_pages : int64 array
        M_c = 1 ... M - 1, or those of them that `cut` kept. [pages]
    hits_clean, hits_dirty, write_hits_dirty : uint64 arrays, as many
        Estimated hits at these splits. [accesses]
    baselines : dict of str to dict
        Counts of the replays of `BASELINES`.
    splits : dict of int to dict
        Counts of the replayed static splits by M_c, in order.
    """

    pages: int
    distance: str
    accesses: int
    write_accesses: int
    distinct_pages: int
    page_bytes: int
    clean_pages: np.typing.NDArray[np.int64]
    hits_clean: np.typing.NDArray[np.uint64]
    hits_dirty: np.typing.NDArray[np.uint64]
    write_hits_dirty: np.typing.NDArray[np.uint64]
    baselines: dict[str, dict[str, int]]
    splits: dict[int, dict[str, int]]

    def rates(self) -> PoolMissRates:
        """Miss rates of the pools at every listed split (Eqs 5 to 7)."""
        rates = pool_miss_rates(
            self.hits_clean,
            self.hits_dirty,
            self.write_hits_dirty,
            accesses=self.accesses,
            write_accesses=self.write_accesses,
        )
        return replace(rates, clean_pages=self.clean_pages)

    def index_of(self, clean_pages: int) -> int:
        """Return where a listed split stands in the arrays."""
        return int(np.searchsorted(self.clean_pages, clean_pages))

    def cut(self, most: int = MOST_LISTED) -> SplitSurvey:
        """Leave splits out, so that about `most` are listed and every best one is.

        Each estimate is A + B R with A and B of the split alone, so a split that is best at
        any R is a corner of the lower hull of the points (A, B). These are kept, and the
        replayed splits, and even steps. A survey of at most so many splits is kept whole.
        """
        if self.clean_pages.size <= most:
            return self
        rates = self.rates()
        kept = [
            np.linspace(0, self.clean_pages.size - 1, most // 2).round().astype(int),
            np.searchsorted(self.clean_pages, list(self.splits)),
        ]
        for estimator in ESTIMATORS:
            reads, both = (
                getattr(
                    split_costs(
                        rates.p_c,
                        rates.p_d,
                        rates.p_dw,
                        asymmetry=asymmetry,
                        write_share=self.write_accesses / self.accesses,
                    ),
                    estimator,
                )
                for asymmetry in (_NEXT_TO_NONE, 1.0)
            )
            kept.append(_lower_hull(reads, both - reads))
        chosen = np.unique(np.concatenate(kept))
        return replace(
            self,
            clean_pages=self.clean_pages[chosen],
            **{name: getattr(self, name)[chosen] for name in ARRAYS},
        )

    def at(
        self, asymmetry: float, *, estimator: str = DEFAULT_ESTIMATOR
    ) -> PricedSurvey:
        """Price the survey.

        Parameters
        ----------
        asymmetry : float
            R, above 0. [1]
        estimator : str
            One of `ESTIMATORS`.

        Raises
        ------
        BadInput
            If R or the name is out of its domain.
        """
        check_request(self.pages, asymmetry, estimator, self.distance)
        return _priced(self, asymmetry, estimator)

    def best_simulated(self, asymmetry: float) -> tuple[int, float]:
        """Return the replayed split of least cost, the smallest of equals, and its cost.

        [pages, page reads]
        """
        check_asymmetry(asymmetry)
        clean = list(self.splits)
        costs = [self.cost(row, asymmetry) for row in self.splits.values()]
        best = best_split(clean, costs)
        return best, costs[clean.index(best)]

    def gains(self, asymmetries: Sequence[float]) -> list[SurveyGain]:
        """Return the best replayed split at each R beside both baselines.

        Raises
        ------
        BadInput
            If an R is not a finite number above 0.
        """
        found = []
        for asymmetry in asymmetries:
            clean_pages, cost = self.best_simulated(asymmetry)
            baselines = {
                name: self.cost(row, asymmetry) for name, row in self.baselines.items()
            }
            found.append(
                SurveyGain(
                    asymmetry=asymmetry,
                    best_clean_pages=clean_pages,
                    best_cost=cost,
                    baselines=baselines,
                    gain_over={
                        name: gain(cost, other) for name, other in baselines.items()
                    },
                )
            )
        return found

    def cost(self, counts: Counts, asymmetry: float, *, closing: bool = True) -> float:
        """Return the cost per access, `replayed_cost`. [page reads]

        Without the `closing` writes, those of pages still dirty at the end, a larger dirty
        pool looks cheaper for having put them off.
        """
        paid = counts if closing else {**counts, "dirty_left": 0}
        return replayed_cost(paid, asymmetry, accesses=self.accesses)

    def derivation(self, priced: PricedSurvey) -> list[Step]:
        """Show how the numbers of one R come about, with the counts put in."""
        return list(_derivation(self, priced))


@dataclass(frozen=True, slots=True)
class SurveyGain:
    """What the best replayed split saves at one R.

    Attributes
    ----------
    asymmetry : float
        R. [1]
    best_clean_pages : int
        M_c of least simulated cost. [pages]
    best_cost : float
        That cost per access, closing writes included. [page reads]
    baselines : dict of str to float
        Costs of LRU and CFLRU. [page reads]
    gain_over : dict of str to float or None
        Share of each baseline's cost that is saved. [1]
    """

    asymmetry: float
    best_clean_pages: int
    best_cost: float
    baselines: dict[str, float]
    gain_over: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class PricedSurvey:
    """A survey at one R. Costs are per access, in page reads, closing writes included.

    Attributes
    ----------
    asymmetry : float
        R. [1]
    estimator : str
        Which of `ESTIMATORS` chose `estimated_clean_pages`.
    rates, costs
        Miss rates and estimated costs at every split.
    best_by_estimator : dict of str to int
        M_c of least estimated cost. [pages]
    estimated_clean_pages : int
        That of `estimator`. [pages]
    estimates : dict of str to float
        Estimated costs there.
    simulated_clean_pages : array of int, simulated : float64 array
        Replayed splits and their costs. [pages], [page reads]
    best_clean_pages : int
        Replayed split of least cost: the recommended one. [pages]
    best_cost : float
        Its simulated cost.
    baselines : dict of str to float
        Simulated costs of LRU and CFLRU (WRR 0.5) with the whole buffer.
    gain_over : dict of str to float or None
        Share of each baseline's cost that the best split saves. [1]
    break_even_asymmetry : dict of str to float or None
        R at which the best split costs what the baseline does. [1]
    validity : str
        Where estimates and replays hold.
    warnings : tuple of Caution
        What to know before acting on it.
    """

    asymmetry: float
    estimator: str
    rates: PoolMissRates
    costs: SplitCosts
    best_by_estimator: dict[str, int]
    estimated_clean_pages: int
    estimates: dict[str, float]
    simulated_clean_pages: np.typing.NDArray[np.int64]
    simulated: FloatArray
    best_clean_pages: int
    best_cost: float
    baselines: dict[str, float]
    gain_over: dict[str, float | None]
    break_even_asymmetry: dict[str, float | None]
    validity: str
    warnings: tuple[Caution, ...]


def _priced(survey: SplitSurvey, asymmetry: float, estimator: str) -> PricedSurvey:
    rates = survey.rates()
    costs = split_costs(
        rates.p_c,
        rates.p_d,
        rates.p_dw,
        asymmetry=asymmetry,
        write_share=survey.write_accesses / survey.accesses,
    )
    best = {
        name: best_split(rates.clean_pages, getattr(costs, name)) for name in ESTIMATORS
    }
    clean = np.fromiter(survey.splits, dtype=np.int64)
    simulated = np.array(
        [survey.cost(row, asymmetry) for row in survey.splits.values()]
    )
    best_clean, best_cost = survey.best_simulated(asymmetry)
    baselines = {
        name: survey.cost(row, asymmetry) for name, row in survey.baselines.items()
    }
    chosen = best[estimator]
    index = survey.index_of(chosen)
    estimates = {name: float(getattr(costs, name)[index]) for name in ESTIMATORS}
    return PricedSurvey(
        asymmetry=asymmetry,
        estimator=estimator,
        rates=rates,
        costs=costs,
        best_by_estimator=best,
        estimated_clean_pages=chosen,
        estimates=estimates,
        simulated_clean_pages=clean,
        simulated=simulated,
        best_clean_pages=best_clean,
        best_cost=best_cost,
        baselines=baselines,
        gain_over={name: gain(best_cost, cost) for name, cost in baselines.items()},
        break_even_asymmetry={
            name: break_even(survey.splits[best_clean], row)
            for name, row in survey.baselines.items()
        },
        validity=VALIDITY,
        warnings=tuple(_cautions(survey, asymmetry, best_clean, costs, baselines)),
    )


def _cautions(
    survey: SplitSurvey,
    asymmetry: float,
    best_clean: int,
    costs: SplitCosts,
    baselines: dict[str, float],
) -> Iterator[Caution]:
    row = survey.splits[best_clean]
    found = {
        "accesses": survey.accesses,
        "write_accesses": survey.write_accesses,
        "distinct_pages": survey.distinct_pages,
    }
    estimate = float(costs.flow[survey.index_of(best_clean)])
    yield from cautions(
        found,
        survey.pages,
        asymmetry,
        estimate,
        survey.cost(row, asymmetry),
        baselines,
    )


def device_asymmetry(device: Device, page_bytes: int) -> tuple[float, str] | None:
    """Return R of a device, and where it is from.

    A stated asymmetry goes first; else it is the service time of a page write over that of
    a page read, both as the models use them. None where neither is known, and for DRAM.
    """
    stated = device.number("asymmetry")
    if stated is not None:
        return stated, "stated by its source"
    read_us, write_us = (service_us(device, each, page_bytes) for each in OPERATIONS)
    if device.kind == "dram" or not read_us or not write_us:
        return None
    return write_us / read_us, service_basis(device, page_bytes)


_PAPER = "On, Li, He, Wu, Luo, Xu: FD-Buffer, CIKM 2010"
_COST = "page reads/access"


def _derivation(survey: SplitSurvey, priced: PricedSurvey) -> Iterator[Step]:
    def step(
        name: str, formula: str, value: float | None, unit: str, source: str = ""
    ) -> Step:
        number = None if value is None else float(value)
        return Step(name, formula, number, unit, source)

    def sum_of(counts: Counts) -> str:
        return (
            f"(reads + R (writes + dirty left)) / N = ({counts['reads']:,} + R "
            f"({counts['writes']:,} + {counts['dirty_left']:,})) / N"
        )

    def spent(counts: Counts) -> str:
        """Cost times N in whole numbers: a small gain is lost in rounded costs."""
        return f"({counts['reads']:,} + R {all_writes(counts):,})"

    at = priced.estimated_clean_pages
    index = survey.index_of(at)
    rates, costs = priced.rates, priced.costs
    yield step("M", "the whole buffer", survey.pages, "pages")
    yield step("R", "cost of a page write in page reads", priced.asymmetry, "1", _PAPER)
    yield step("N", "accesses of the trace", survey.accesses, "accesses")
    yield step(
        "w",
        f"writes / N = {survey.write_accesses:,} / {survey.accesses:,}",
        survey.write_accesses / survey.accesses,
        "1",
    )
    yield step(
        "M_c", f"clean pool of least estimated cost ({priced.estimator})", at, "pages"
    )
    for name, formula, values, of, equation in (
        ("P_c", "1 - hits of the clean pool / N", rates.p_c, survey.accesses, 5),
        ("P_d", "1 - hits of the dirty pool / N", rates.p_d, survey.accesses, 6),
        (
            "P_dw",
            "1 - writes that hit the dirty pool / writes",
            rates.p_dw,
            survey.write_accesses,
            7,
        ),
    ):
        missed = float(values[index])
        put_in = (
            f" = 1 - {round((1 - missed) * of):,} / {of:,}" if of else ", 0 without"
        )
        yield step(name, f"{formula}{put_in}", missed, "1", f"{_PAPER}, Eq {equation}")
    for name, formula, source in (
        (
            "flow",
            "max(0, P_c + P_d - 1) + w P_dw R",
            "hits of disjoint pools; each write that misses the dirty pool brings one "
            "dirty page in, so one leaves",
        ),
        (
            "disjoint",
            "max(0, P_c + P_d - 1) (1 + P_dw R)",
            f"{_PAPER}, Eq 4 with hits of disjoint pools",
        ),
        ("eq4", "P_c P_d (1 + P_dw R)", f"{_PAPER}, Eq 4 as printed"),
    ):
        yield step(name, formula, getattr(costs, name)[index], _COST, source)
    best = priced.best_clean_pages
    yield step(
        "simulated",
        f"{sum_of(survey.splits[best])} at M_c = {best:,}",
        priced.best_cost,
        _COST,
        "replay of the whole trace from a cold start",
    )
    for name, title in BASELINE_TITLES.items():
        yield step(
            name,
            sum_of(survey.baselines[name]),
            priced.baselines[name],
            _COST,
            f"replay of {title} with all {counted(survey.pages, 'page')}",
        )
        if priced.gain_over[name] is not None:
            yield step(
                f"gain over {title}",
                f"1 - simulated / {name} = 1 - {spent(survey.splits[best])} / "
                f"{spent(survey.baselines[name])}",
                priced.gain_over[name],
                "1",
                "derived",
            )
        even = priced.break_even_asymmetry[name]
        if even is not None:
            split, base = survey.splits[best], survey.baselines[name]
            yield step(
                f"break-even R over {title}",
                "(reads_split - reads_base) / (writes_base - writes_split) = "
                f"({split['reads']:,} - {base['reads']:,}) / ({all_writes(base):,} - "
                f"{all_writes(split):,}), writes with those of pages left dirty",
                even,
                "1",
                f"{_PAPER}, costs linear in R",
            )


def survey(
    trace: Trace,
    pages: int,
    *,
    distance: str = "raw",
    group_pages: int = 64,
    asymmetries: Sequence[float] = (),
    estimator: str = DEFAULT_ESTIMATOR,
    counted: dict[str, Any] | None = None,
    phase: Phase | None = None,
) -> SplitSurvey:
    """Count a buffer at every split: Two-Stack, both baselines, and replays of static splits.

    Parameters
    ----------
    trace : Trace
        With at least one access.
    pages : int
        M, at least 2. [pages]
    distance : str
        Stack distances of the Two-Stack pass; `effective` takes time proportional to
        accesses x pages.
    group_pages : int
        Pages of a group, for the grouped distances. [pages]
    asymmetries : sequence of float
        R whose best split by `estimator` is replayed as well. [1]
    estimator : str
        One of `ESTIMATORS`.
    counted : dict, optional
        What `two_stack` found, where it has passed over the trace already.
    phase : callable, optional
        Frames each pass, see `Phase`.

    Returns
    -------
    SplitSurvey

    Raises
    ------
    BadInput
        If a number or a name is out of its domain, or the trace has no accesses.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    check_request(pages, 1.0, estimator, distance)
    for asymmetry in asymmetries:
        check_asymmetry(asymmetry)
    frame = phase or (lambda _: nullcontext(None))
    if counted is None:
        with frame("counting hits at every split") as on_progress:
            found = two_stack(
                trace,
                pages,
                distance=distance,
                group_pages=group_pages,
                on_progress=on_progress,
            )
    else:
        found = counted
    # Refuses a trace without accesses before it is replayed.
    rates = pool_miss_rates(
        *(found[name] for name in ARRAYS),
        accesses=found["accesses"],
        write_accesses=found["write_accesses"],
    )
    with frame("replaying LRU") as on_progress:
        lru = replay(trace, "buffer", "lru", pages, on_progress=on_progress)
    with frame("replaying CFLRU") as on_progress:
        cflru = replay(
            trace,
            "buffer",
            "cflru",
            pages,
            options={"wrr": CFLRU_WRR},
            on_progress=on_progress,
        )
    write_share = found["write_accesses"] / found["accesses"]
    own = {
        estimated_best(rates, write_share, asymmetry, estimator)
        for asymmetry in asymmetries
    }
    wanted = sorted({*candidates(rates, write_share), *own})
    splits: dict[int, dict[str, int]] = {}
    for part in _portions(wanted, pages, found["distinct_pages"]):
        name = f"replaying splits {len(splits) + 1} to {len(splits) + len(part)} of {len(wanted)}"
        with frame(name) as on_progress:
            rows = simulate_splits(trace, pages, part, on_progress=on_progress)
        splits.update(zip(part, map(counts_of, rows), strict=True))
    return SplitSurvey(
        pages=pages,
        distance=distance,
        accesses=found["accesses"],
        write_accesses=found["write_accesses"],
        distinct_pages=found["distinct_pages"],
        page_bytes=found["page_bytes"],
        clean_pages=rates.clean_pages,
        **{name: found[name] for name in ARRAYS},
        baselines={"lru": counts_of(lru), "cflru": counts_of(cflru)},
        splits=splits,
    )


def candidates(rates: PoolMissRates, write_share: float) -> list[int]:
    """Choose splits worth a replay: even steps, both ends, and the estimated optimum of usual R.

    Parameters
    ----------
    rates : PoolMissRates
        Of every split.
    write_share : float
        w. [1]

    Returns
    -------
    list of int
        M_c, strictly increasing. [pages]
    """
    clean = rates.clean_pages
    even = np.linspace(clean[0], clean[-1], EVEN_SPLITS).round().astype(np.int64)
    chosen = {int(pages) for pages in even}
    chosen |= {
        estimated_best(rates, write_share, asymmetry, "flow")
        for asymmetry in USUAL_ASYMMETRIES
    }
    return sorted(chosen)


def estimated_best(
    rates: PoolMissRates, write_share: float, asymmetry: float, estimator: str
) -> int:
    """M_c of least estimated cost, the smallest of equals. [pages]"""
    costs = split_costs(
        rates.p_c,
        rates.p_d,
        rates.p_dw,
        asymmetry=asymmetry,
        write_share=write_share,
    )
    return best_split(rates.clean_pages, getattr(costs, estimator))


def _portions(
    splits: Sequence[int], pages: int, distinct_pages: int
) -> Iterator[list[int]]:
    """Cut the splits into replays that fit into memory together."""
    each = REPLAY_BYTES_A_PAGE * (pages + distinct_pages)
    count = max(1, REPLAY_MEMORY_BYTES // each)
    for start in range(0, len(splits), count):
        yield list(splits[start : start + count])


def _lower_hull(first: FloatArray, second: FloatArray) -> np.typing.NDArray[np.int64]:
    """Return at least the corners of the lower left hull of points, the first of equal ones."""
    order = np.lexsort((np.arange(first.size), second, first))
    # Only a point that is lower than all to its left can be least.
    lowest = np.minimum.accumulate(second[order])
    order = order[np.append(True, second[order][1:] < lowest[:-1])]
    return np.sort(order[below_chords(first[order], second[order])])


def arrays_of(survey: SplitSurvey) -> dict[str, Any]:
    """Return the survey as arrays, to be kept in a file of NumPy."""
    names = _count_names(survey)
    table = [
        [row[name] for name in names]
        for row in (*survey.baselines.values(), *survey.splits.values())
    ]
    return {
        **{name: getattr(survey, name) for name in ARRAYS},
        "scalars": np.array(
            [
                survey.pages,
                survey.accesses,
                survey.write_accesses,
                survey.distinct_pages,
                survey.page_bytes,
            ],
            dtype=np.int64,
        ),
        "distance": np.array(survey.distance),
        "count_names": np.array(names),
        "counts": np.array(table, dtype=np.int64),
        "listed_pages": survey.clean_pages,
        "clean_pages": np.fromiter(survey.splits, dtype=np.int64),
        "baseline_names": np.array(list(survey.baselines)),
    }


def survey_of(arrays: Mapping[str, Any]) -> SplitSurvey:
    """Make the survey of what `arrays_of` returned."""
    pages, accesses, write_accesses, distinct_pages, page_bytes = (
        int(value) for value in arrays["scalars"]
    )
    names = [str(name) for name in arrays["count_names"]]
    rows = [
        dict(zip(names, (int(count) for count in row), strict=True))
        for row in arrays["counts"]
    ]
    baselines = [str(name) for name in arrays["baseline_names"]]
    clean = [int(value) for value in arrays["clean_pages"]]
    return SplitSurvey(
        pages=pages,
        distance=str(arrays["distance"]),
        accesses=accesses,
        write_accesses=write_accesses,
        distinct_pages=distinct_pages,
        page_bytes=page_bytes,
        # Earlier versions listed all of them.
        clean_pages=np.asarray(arrays["listed_pages"])
        if "listed_pages" in arrays
        else np.arange(1, pages, dtype=np.int64),
        **{name: np.asarray(arrays[name]) for name in ARRAYS},
        baselines=dict(zip(baselines, rows, strict=False)),
        splits=dict(zip(clean, rows[len(baselines) :], strict=True)),
    )


def _count_names(survey: SplitSurvey) -> list[str]:
    return list(survey.baselines["lru"])
