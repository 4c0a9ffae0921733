"""How much the split gains as writes get dearer, and from which asymmetry on.

Source: On et al. (CIKM 2010), sections 3 and 5: costs are linear in R for a given split, so a few
replays price every R.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.errors import BadInput, Problems
from tierwright.hit_ratio import FloatArray
from tierwright.page_flow.checks import broadcast
from tierwright.page_flow.warn import Caution, about_trace
from tierwright.pool_split.analysis import (
    CFLRU_WRR,
    DEFAULT_ESTIMATOR,
    VALIDITY,
    check_request,
    counts_of,
)
from tierwright.pool_split.costs import (
    best_split,
    break_even_asymmetry,
    check_asymmetry,
    estimation_error,
    pool_miss_rates,
    split_costs,
    window_io_time,
)
from tierwright.reader_notes import ReaderNotes
from tierwright.simulate import (
    OnProgress,
    Trace,
    simulate_buffer,
    simulate_splits,
    two_stack,
)

PAPER_ASYMMETRIES = {
    "hard disk": 1.1,
    "Intel X25-M": 5.8,
    "Mtron": 39.6,
    "Kingston SD card": 121.3,
}
"""R of the paper's devices (section 5.1). [1]"""
DEFAULT_ASYMMETRIES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The paper's range. [1]"""
BASELINES = ("lru", "cflru")


@dataclass(frozen=True, slots=True)
class AsymmetryGain:
    """Split and gain by asymmetry; arrays of shape (len(asymmetry),).

    Attributes
    ----------
    pages : int
        M. [pages]
    asymmetry : float64 array
        R, rising. [1]
    estimator, distance : str
        Which estimate chose the splits.
    validity : str
        Where it holds.
    clean_pages : int64 array
        M_c of least estimated cost at each R. [pages]
    estimated, simulated : float64 array
        Cost of that split: estimate, replay with the writes of pages still dirty at the end,
        which the estimate contains, too. [page reads per access]
    best_simulated : float64 array
        Least replayed cost of all splits that some R chose. [page reads per access]
    baselines : dict of str to float64 array
        Replayed costs of `lru` and `cflru`. [page reads per access]
    gain_over : dict of str to float64 array
        1 - simulated / baseline; negative where the baseline is cheaper. [1]
    break_even : dict of str to float or None
        Least R from which on a replayed split costs no more than the baseline: 0 where one
        never costs more, None where none writes less. [1]
    counters : dict
        What was counted: reads, writes, and pages left dirty at the end, of the baselines and
        of each split by its M_c.
    warnings : tuple of Caution
        What to know before acting on it.
    """

    pages: int
    asymmetry: FloatArray
    estimator: str
    distance: str
    clean_pages: np.typing.NDArray[np.int64]
    estimated: FloatArray
    simulated: FloatArray
    best_simulated: FloatArray
    baselines: dict[str, FloatArray]
    gain_over: dict[str, FloatArray]
    break_even: dict[str, float | None]
    counters: dict[str, dict[str, int]]
    validity: str
    warnings: tuple[Caution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, columnar."""
        return {
            "pages": self.pages,
            "asymmetry": self.asymmetry.tolist(),
            "estimator": self.estimator,
            "distance": self.distance,
            "clean_pages": self.clean_pages.tolist(),
            "estimated": self.estimated.tolist(),
            "simulated": self.simulated.tolist(),
            "best_simulated": self.best_simulated.tolist(),
            "baselines": {name: cost.tolist() for name, cost in self.baselines.items()},
            "gain_over": {name: gain.tolist() for name, gain in self.gain_over.items()},
            "break_even": self.break_even,
            "counters": self.counters,
            "validity": self.validity,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
        }


def gain_over_asymmetry(
    trace: Trace,
    pages: int,
    asymmetries: Sequence[float] = DEFAULT_ASYMMETRIES,
    *,
    estimator: str = DEFAULT_ESTIMATOR,
    distance: str = "raw",
    group_pages: int = 64,
    on_progress: OnProgress | None = None,
) -> AsymmetryGain:
    """Choose a split for each R by estimate and replay each that was chosen.

    Reads the trace four times, however many R there are: the estimator's pass, all chosen splits
    at once, and each baseline.

    Parameters
    ----------
    trace : Trace
        With accesses.
    pages : int
        M, at least 2. [pages]
    asymmetries : sequence of float
        R, above 0, rising. [1]
    estimator, distance, group_pages
        As in `analyse`.
    on_progress : callable, optional
        Called once per chunk of each pass; False cancels.

    Returns
    -------
    AsymmetryGain

    Raises
    ------
    BadInput
        If a number or a name is out of its domain, or the trace is empty.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    ratios = np.asarray(list(asymmetries), dtype=np.float64)
    problems = Problems("gain by asymmetry", "give rising R, such as 1, 8, 32")
    rising = ratios.ndim == 1 and ratios.size > 0 and bool(np.all(np.diff(ratios) > 0))
    problems.check(rising, "asymmetries", list(asymmetries), "must rise")
    problems.raise_if_any()
    check_asymmetry(ratios)
    check_request(pages, float(ratios[0]), estimator, distance)
    found = two_stack(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        on_progress=on_progress,
    )
    accesses = found["accesses"]
    if accesses == 0:
        raise BadInput("the trace has no accesses, so no cost", "use a trace with data")
    rates = pool_miss_rates(
        found["hits_clean"],
        found["hits_dirty"],
        found["write_hits_dirty"],
        accesses=accesses,
        write_accesses=found["write_accesses"],
    )
    costs = split_costs(
        rates.p_c[None],
        rates.p_d[None],
        rates.p_dw[None],
        asymmetry=ratios[:, None],
        write_share=found["write_accesses"] / accesses,
    )
    by_ratio = getattr(costs, estimator)
    chosen = [best_split(rates.clean_pages, row) for row in by_ratio]
    distinct = sorted(set(chosen))
    rows = simulate_splits(trace, pages, distinct, on_progress=on_progress)
    counters = {
        "lru": _counts(simulate_buffer(trace, "lru", pages, on_progress=on_progress)),
        "cflru": _counts(
            simulate_buffer(
                trace,
                "cflru",
                pages,
                options={"wrr": CFLRU_WRR},
                on_progress=on_progress,
            )
        ),
        **{str(split): _counts(row) for split, row in zip(distinct, rows, strict=True)},
    }
    cost = {name: _cost(row, ratios, accesses) for name, row in counters.items()}
    splits = np.stack([cost[str(split)] for split in distinct])
    places = [distinct.index(split) for split in chosen]
    simulated = splits[places, np.arange(len(ratios))]
    baselines = {name: cost[name] for name in BASELINES}
    return AsymmetryGain(
        pages=pages,
        asymmetry=ratios,
        estimator=estimator,
        distance=distance,
        clean_pages=np.asarray(chosen, dtype=np.int64),
        estimated=by_ratio[np.arange(len(ratios)), np.asarray(chosen) - 1],
        simulated=simulated,
        best_simulated=splits.min(axis=0),
        baselines=baselines,
        gain_over={
            name: 1 - np.divide(simulated, base, out=np.ones_like(base), where=base > 0)
            for name, base in baselines.items()
        },
        break_even={
            name: least_asymmetry(
                _whole(counters[name]),
                [_whole(counters[str(split)]) for split in distinct],
            )
            for name in BASELINES
        },
        counters=counters,
        validity=VALIDITY,
        warnings=(
            *about_trace(ReaderNotes.of(found["trace"])),
            *_cautions(ratios, found, simulated, splits.min(axis=0)),
        ),
    )


def least_asymmetry(
    baseline: Mapping[str, int], splits: Sequence[Mapping[str, int]]
) -> float | None:
    """Least R from which one of the splits costs no more than the baseline. [1]

    Parameters
    ----------
    baseline : mapping
        `reads` and `writes` that it counted.
    splits : sequence of mapping
        The same of each split, over the same accesses.

    Returns
    -------
    float or None
        0 where a split never costs more; None where none writes less, so that there is no
        such R.

    Examples
    --------
    >>> least_asymmetry({"reads": 6, "writes": 2}, [{"reads": 8, "writes": 1}])
    2.0
    """
    found = []
    for split in splits:
        if (
            split["reads"] <= baseline["reads"]
            and split["writes"] <= baseline["writes"]
        ):
            return 0.0
        if split["writes"] < baseline["writes"]:
            even = break_even_asymmetry(
                baseline["reads"], baseline["writes"], split["reads"], split["writes"]
            )
            found.append(math.inf if even is None else even)
    return min(found, default=None)


def window_accesses(
    estimation_s: float, overhead_ratio: float, *, cost: float, read_s: float
) -> int:
    """Return the least accesses whose I/O takes Comp / g: one advisor window. [accesses]

    Parameters
    ----------
    estimation_s : float
        Comp, time of one estimation. [s]
    overhead_ratio : float
        g, largest share of the I/O time that estimations may take. [1]
    cost : float
        Expected cost of an access. [page reads]
    read_s : float
        C_read, time of one page read. [s]

    Raises
    ------
    BadInput
        If a number is out of its domain, or an access costs nothing.

    Examples
    --------
    >>> window_accesses(0.9, 0.03, cost=1.5, read_s=0.0002)
    100000
    """
    io_s = window_io_time(estimation_s, overhead_ratio)
    broadcast("window", amounts={"cost": cost, "read_s": read_s})
    if cost * read_s == 0:
        raise BadInput(
            f"window: an access of `{cost}` reads of `{read_s}` s takes no time, so no window "
            "is long enough",
            "keep the split: without I/O there is nothing to gain",
        )
    # The quotient may carry the last bit of a rounding above a whole number.
    return max(1, math.ceil(round(io_s / (cost * read_s), 6)))


def _counts(row: Mapping[str, Any]) -> dict[str, int]:
    found = counts_of(row)
    return {name: found[name] for name in ("reads", "writes", "dirty_left")}


def _whole(row: Mapping[str, int]) -> dict[str, int]:
    """Add the writes of pages left dirty: none is free for being put off."""
    return {"reads": row["reads"], "writes": row["writes"] + row["dirty_left"]}


def _cost(row: Mapping[str, int], asymmetries: FloatArray, accesses: int) -> FloatArray:
    whole = _whole(row)
    return np.asarray((whole["reads"] + asymmetries * whole["writes"]) / accesses)


MENTIONED_LOSS = 0.02


def _cautions(
    asymmetries: FloatArray,
    found: Mapping[str, Any],
    simulated: FloatArray,
    best: FloatArray,
) -> Iterator[Caution]:
    if asymmetries[0] < 1:
        yield Caution(
            "asymmetry_below_1",
            f"R = {asymmetries[0]:g}: writes cheaper than reads, outside what the model was "
            "made for",
            "give R = cost of a page write / cost of a page read",
        )
    if found["write_accesses"] == 0:
        yield Caution(
            "no_writes",
            "no access writes, so R has no effect and the split only takes room",
            "use a trace that records writes; see has_writes in `tierwright formats`",
        )
    loss = simulated / np.where(best > 0, best, 1.0) - 1
    worst = int(np.argmax(loss))
    if loss[worst] > MENTIONED_LOSS:
        error = estimation_error(float(best[worst]), float(simulated[worst])) or 0.0
        yield Caution(
            "another_split_was_cheaper",
            f"at R = {asymmetries[worst]:g} the estimate's split costs {error:.1f} % more than "
            "the best that was replayed",
            "distance `effective` estimates more closely",
        )
