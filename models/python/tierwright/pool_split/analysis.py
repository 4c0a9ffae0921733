"""One trace, one buffer size, one asymmetry: which split, what it costs, against what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.errors import BadInput
from tierwright.page_flow.warn import WARM_UP_SHARE, Caution, about_trace
from tierwright.pool_split.costs import (
    PERCENT,
    PoolMissRates,
    SplitCosts,
    best_split,
    break_even_asymmetry,
    check_asymmetry,
    estimation_error,
    gain,
    normalised_cost,
    pool_miss_rates,
    split_costs,
)
from tierwright.reader_notes import ReaderNotes
from tierwright.simulate import (
    OnProgress,
    Trace,
    simulate_buffer,
    simulate_splits,
    two_stack,
)
from tierwright.units import format_count

ESTIMATORS = ("eq4", "disjoint", "flow")
DEFAULT_ESTIMATOR = "flow"
DISTANCES = ("raw", "effective", "grouped", "grouped_conservative")
CFLRU_WRR = "0.5"
"""Working-region ratio of the CFLRU baseline: the paper's, for want of a rule."""
VALIDITY = (
    "one split for the whole trace, LRU in both pools, from a cold start; every page write costs R "
    "page reads whatever its place; the estimates read each pool's hits off its own stack, as if "
    "the other were not there"
)
LEAST_PAGES = 2
ESTIMATE_OFF_PERCENT = 25.0
"""Error of an estimate from which it is warned of."""


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
        M_c of least estimated cost, the smallest of equals; None for an empty trace. [pages]
    best_by_estimator : dict of str to int
        The same by each estimator.
    rates : PoolMissRates or None
        Miss rates of the pools at every split.
    costs : SplitCosts or None
        Estimated costs at every split.
    estimates : dict of str to float or None
        Estimated costs at `best_clean_pages`.
    simulated : float or None
        Cost of a replay at `best_clean_pages`.
    baselines : dict of str to float or None
        Cost of replays of `lru` and `cflru` (WRR 0.5) with the whole buffer.
    counters : dict
        What the three replays counted, by `fd_static`, `lru`, `cflru`; `dirty_left` are the
        pages still dirty at the end, which no cost contains.
    gain_over : dict of str to float or None
        Share of each baseline's cost that the simulated split saves. [1]
    break_even_asymmetry : dict of str to float or None
        R at which the simulated split costs what the baseline does; above it the one that
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
    """Choose the split of a buffer by estimate, and replay it beside LRU and CFLRU.

    Reads the trace four times: the estimator's pass, and one replay for the split and each
    baseline. All counts include the cold start.

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
    found = two_stack(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        on_progress=on_progress,
    )
    counters = {
        "lru": simulate_buffer(trace, "lru", pages, on_progress=on_progress),
        "cflru": simulate_buffer(
            trace, "cflru", pages, options={"wrr": CFLRU_WRR}, on_progress=on_progress
        ),
    }
    rates, costs, best = None, None, {}
    if found["accesses"]:
        rates = pool_miss_rates(
            found["hits_clean"],
            found["hits_dirty"],
            found["write_hits_dirty"],
            accesses=found["accesses"],
            write_accesses=found["write_accesses"],
        )
        costs = split_costs(
            rates.p_c,
            rates.p_d,
            rates.p_dw,
            asymmetry=asymmetry,
            write_share=found["write_accesses"] / found["accesses"],
        )
        best = {
            name: best_split(rates.clean_pages, getattr(costs, name))
            for name in ESTIMATORS
        }
        counters["fd_static"] = simulate_splits(
            trace, pages, [best[estimator]], on_progress=on_progress
        )[0]
    cost = {
        name: normalised_cost(
            row["reads"], row["writes"], accesses=row["accesses"], asymmetry=asymmetry
        )
        for name, row in counters.items()
    }
    simulated = cost.get("fd_static")
    chosen = best.get(estimator)
    estimates = {
        name: None
        if costs is None or chosen is None
        else float(getattr(costs, name)[chosen - 1])
        for name in ESTIMATORS
    }
    baselines = {name: cost[name] for name in ("lru", "cflru")}
    return PoolSplit(
        pages=pages,
        asymmetry=asymmetry,
        accesses=found["accesses"],
        write_accesses=found["write_accesses"],
        distinct_pages=found["distinct_pages"],
        estimator=estimator,
        distance=distance,
        best_clean_pages=chosen,
        best_by_estimator=best,
        rates=rates,
        costs=costs,
        estimates=estimates,
        simulated=simulated,
        baselines=baselines,
        counters={name: counts_of(row) for name, row in counters.items()},
        gain_over={name: gain(simulated, value) for name, value in baselines.items()},
        break_even_asymmetry={
            name: _break_even(counters.get("fd_static"), counters[name])
            for name in baselines
        },
        validity=VALIDITY,
        warnings=(
            *about_trace(ReaderNotes.of(found["trace"])),
            *cautions(
                found,
                pages,
                asymmetry,
                estimates[estimator],
                simulated,
                baselines,
                counters.get("fd_static"),
            ),
        ),
    )


COUNTERS = (
    "reads",
    "writes",
    "hits_clean",
    "hits_dirty",
    "write_hits_dirty",
    "misses",
    "evictions",
)


def counts_of(row: Mapping[str, Any]) -> dict[str, int]:
    """Keep of a replay what a cost or a reader needs."""
    return {**{name: row[name] for name in COUNTERS}, "dirty_left": _dirty_left(row)}


def _dirty_left(row: Mapping[str, Any]) -> int:
    """Pages that were still dirty at the end: made dirty, and not written. [pages]"""
    left: int = row["write_accesses"] - row["write_hits_dirty"] - row["writes"]
    return left


def _break_even(
    split: Mapping[str, Any] | None, baseline: Mapping[str, Any]
) -> float | None:
    if split is None:
        return None
    return break_even_asymmetry(
        baseline["reads"], baseline["writes"], split["reads"], split["writes"]
    )


def check_request(pages: int, asymmetry: float, estimator: str, distance: str) -> None:
    """Refuse a buffer that cannot be split, an R that no device has, an unknown name.

    Raises
    ------
    BadInput
        With the value that is wrong.
    """
    if pages < LEAST_PAGES:
        raise BadInput(
            f"pages: `{pages}` cannot be split into a clean and a dirty pool",
            "give a buffer of at least 2 pages",
        )
    check_asymmetry(asymmetry)
    for name, value, known in (
        ("estimator", estimator, ESTIMATORS),
        ("distance", distance, DISTANCES),
    ):
        if value not in known:
            raise BadInput(
                f"{name}: `{value}` is not known", f"choose one of {', '.join(known)}"
            )


def cautions(
    found: Mapping[str, Any],
    pages: int,
    asymmetry: float,
    estimate: float | None,
    simulated: float | None,
    baselines: Mapping[str, float | None],
    replayed: Mapping[str, Any] | None,
) -> Iterator[Caution]:
    """Warn of what bends the numbers, and of splits that do not pay."""
    if asymmetry < 1:
        yield Caution(
            "asymmetry_below_1",
            f"R = {asymmetry:g}: writes cheaper than reads, outside what the model was made for",
            "give R = cost of a page write / cost of a page read",
        )
    if found["accesses"] == 0:
        yield Caution(
            "no_accesses",
            "the trace has no accesses, so no split has a cost",
            "use a trace with data",
        )
        return
    if found["write_accesses"] == 0:
        yield Caution(
            "no_writes",
            f"none of the {format_count(found['accesses'])} accesses writes: there is no dirty "
            "page, so R has no effect and the split only takes room from the clean pages",
            "use a trace that records writes; see has_writes in `tierwright formats`",
        )
    if pages >= found["distinct_pages"]:
        yield Caution(
            "all_pages_fit",
            f"a buffer of {format_count(pages)} pages holds all "
            f"{format_count(found['distinct_pages'])} pages of the trace: nothing is evicted",
            "choose a smaller buffer, or a longer trace",
        )
    if simulated is None or estimate is None or replayed is None:
        return
    yield from _about_edges(found, pages, asymmetry, simulated, replayed)
    yield from _about_results(estimate, simulated, baselines)


def _about_edges(
    found: Mapping[str, Any],
    pages: int,
    asymmetry: float,
    simulated: float,
    replayed: Mapping[str, Any],
) -> Iterator[Caution]:
    filled = min(pages, found["distinct_pages"]) / found["accesses"]
    if simulated > 0 and filled / simulated >= WARM_UP_SHARE:
        yield Caution(
            "warm_up_inside",
            f"filling the empty buffer is {filled / simulated:.1%} of the simulated cost",
            "the longer the trace, the smaller the share",
        )
    left = _dirty_left(replayed)
    unwritten = asymmetry * left / found["accesses"]
    if simulated > 0 and unwritten / simulated >= WARM_UP_SHARE:
        yield Caution(
            "dirty_pages_left",
            f"{format_count(left)} pages were still dirty at the end; writing them would add "
            f"{unwritten:.4g} page reads an access ({unwritten / simulated:.1%}). The estimates "
            "contain such writes, the simulated costs do not",
            "the longer the trace, the smaller the share",
        )


def _about_results(
    estimate: float, simulated: float, baselines: Mapping[str, float | None]
) -> Iterator[Caution]:
    error = estimation_error(simulated, estimate)
    if error is not None and error > ESTIMATE_OFF_PERCENT:
        yield Caution(
            "estimate_off",
            f"the estimate, {estimate:.4g} page reads an access, is {error:.0f} % off the "
            f"simulated {simulated:.4g}",
            "trust the simulated cost; distance `effective` estimates more closely",
        )
    for name, baseline in baselines.items():
        if baseline is not None and simulated >= baseline:
            loss = (simulated / baseline - 1) * PERCENT if baseline else 0.0
            yield Caution(
                f"no_gain_over_{name}",
                f"the split costs {simulated:.4g} page reads an access, {name.upper()} "
                f"{baseline:.4g}: {loss:.1f} % more",
                f"keep {name.upper()} at this R, or look at other sizes",
            )
