"""What every answer about splits shares: names, checks, how a replay is priced, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.cautions import WARM_UP_SHARE
from tierwright.evaluate.pool_split.costs import (
    PERCENT,
    break_even_asymmetry,
    check_asymmetry,
    estimation_error,
)

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
BASELINE_TITLES = {"lru": "LRU", "cflru": "CFLRU"}
BASELINES = tuple(BASELINE_TITLES)
LEAST_PAGES = 2
ESTIMATE_OFF_PERCENT = 25.0
"""Error of an estimate from which it is warned of."""


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


def all_writes(counts: Mapping[str, int]) -> int:
    """Count the writes of a replay, those of pages still dirty at the end included. [pages]

    The one accounting of every answer about splits: a page left dirty has its write before
    it, and a larger dirty pool is no cheaper for having put its writes off. The estimates
    contain these *closing writes* too.

    Examples
    --------
    >>> all_writes({"reads": 7, "writes": 2, "dirty_left": 2})
    4
    """
    return counts["writes"] + counts["dirty_left"]


def replayed_cost(
    counts: Mapping[str, int], asymmetry: float, *, accesses: int
) -> float:
    """Return (reads + R (writes + pages left dirty)) / accesses. [page reads]

    Parameters
    ----------
    counts : mapping
        `reads`, `writes` and `dirty_left` of a replay. [pages]
    asymmetry : float
        R. [1]
    accesses : int
        At least 1.

    Examples
    --------
    >>> replayed_cost({"reads": 7, "writes": 2, "dirty_left": 2}, 32.0, accesses=16)
    8.4375
    """
    return (counts["reads"] + asymmetry * all_writes(counts)) / accesses


def break_even(split: Mapping[str, int], baseline: Mapping[str, int]) -> float | None:
    """R at which a split costs what a baseline does; None where both write alike. [1]"""
    return break_even_asymmetry(
        baseline["reads"], all_writes(baseline), split["reads"], all_writes(split)
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
) -> Iterator[Caution]:
    """Warn of what bends the numbers, and of splits that do not pay."""
    if asymmetry < 1:
        yield Caution(
            "asymmetry_below_1",
            f"R = {asymmetry:g}: writes are cheaper than reads, which the model was "
            "not made for",
            "set R to the cost of a page write divided by the cost of a page read",
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
            f"the trace has {counted(found['accesses'], 'access')} and no write: there "
            "is no dirty page, so R has no effect and the split only takes room from "
            "the clean pages",
            "use a trace that records writes; see has_writes in [[the formats]]",
        )
    if pages >= found["distinct_pages"]:
        yield Caution(
            "all_pages_fit",
            f"a buffer of {counted(pages, 'page')} holds all "
            f"{counted(found['distinct_pages'], 'page')} of the trace: nothing is evicted",
            "choose a smaller buffer, or a longer trace",
        )
    if simulated is None or estimate is None:
        return
    yield from _about_warm_up(found, pages, simulated)
    yield from _about_results(estimate, simulated, baselines)


def _about_warm_up(
    found: Mapping[str, Any], pages: int, simulated: float
) -> Iterator[Caution]:
    filled = min(pages, found["distinct_pages"]) / found["accesses"]
    if simulated > 0 and filled / simulated >= WARM_UP_SHARE:
        yield Caution(
            "warm_up_inside",
            f"filling the empty buffer is {filled / simulated:.1%} of the simulated cost",
            "use a longer trace: its share is smaller",
        )


def _about_results(
    estimate: float, simulated: float, baselines: Mapping[str, float | None]
) -> Iterator[Caution]:
    error = estimation_error(simulated, estimate)
    if error is not None and error > ESTIMATE_OFF_PERCENT:
        yield Caution(
            "estimate_off",
            f"the estimate, {estimate:.4g} page reads per access, is {error:.0f} % off "
            f"the simulated {simulated:.4g}",
            "rely on the simulated cost; distance `effective` estimates more closely",
        )
    for name, baseline in baselines.items():
        if baseline is not None and simulated >= baseline:
            loss = (simulated / baseline - 1) * PERCENT if baseline else 0.0
            costs = (
                f"the best replayed split costs {simulated:.4g} page reads per access"
            )
            yield Caution(
                f"no_gain_over_{name}",
                f"{costs}, {name.upper()} {baseline:.4g}: {loss:.3g} % more"
                if loss > 0
                else f"{costs}, as much as {name.upper()}",
                f"keep {name.upper()} at this R, or look at other sizes",
            )
