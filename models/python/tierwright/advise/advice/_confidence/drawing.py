"""What is not known, drawn many times, and what the contenders cost in each draw."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tierwright.advise.advice import _draws
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._contenders import (
    Contenders,
    Measured,
    State,
    contending_at_ends,
    to_try,
)
from tierwright.advise.advice._draws import Draws, Recorded
from tierwright.advise.advice._table import MONTHS, Table
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.information import Buys
from tierwright.evaluate.advice.limits import LIFE, RESTART
from tierwright.evaluate.advice.rows import IntArray
from tierwright.profile.curve import Curve

EVERY_LONG = 4
"""Draws of which one has response times and months until too small, for these take long to compute."""
AT_ONCE = 64
"""Draws that are evaluated together: their response times are computed at once."""
_TRIED, _FIRST = 64, 3
"""Draws in which options are tried, and how many of the best of each are contenders."""
_BETWEEN, _MOST_EVALUATED = 16, 2_000_000
"""Draws of which the best options are contenders too, and options that are evaluated for them at most."""


@dataclass(frozen=True, slots=True)
class Sure:
    """What was drawn for one answer, and what its contenders cost.

    Attributes
    ----------
    recorded : Recorded
        Windows that were drawn.
    contenders : Contenders
    chosen : int
        Index of the recommendation among them.
    draws : Draws
    buys : Buys
    io_us : float64 array, shape (D, K)
        I/O time of each contender in each draw. [µs]
    figures : tuple of dict
        Of the recommendation in each draw, as `Contenders.as_bought`; in some of them with its response times and the months
        until it is too small.
    stated : dict
        The same as they are stated, on the curve of the answer.
    """

    recorded: Recorded
    contenders: Contenders
    chosen: int
    draws: Draws
    buys: Buys
    io_us: FloatArray
    figures: tuple[dict[str, float], ...]
    stated: dict[str, float]

    @property
    def by_time(self) -> bool:
        """Whether the I/O time is the objective."""
        return self.contenders.by_time


def recorded_of(asked: Asked, table: Table, best: int, rows: IntArray) -> Recorded:
    """Return the windows that can be drawn for some contenders; the curve has windows."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    assert windows is not None

    def sizes(rows: IntArray) -> FloatArray:
        options = table.options
        ram, flash = options.ram_pages[rows], options.flash_pages[rows]
        read = np.unique(np.maximum(np.concatenate((ram, ram + flash)), 1.0))
        return _draws.recorded_sizes(curve, read)

    return _draws.after_warm_up(
        windows, sizes(rows), sizes(np.asarray([best], dtype=np.int64))
    )


def _with_winners(
    asked: Asked, table: Table, best: int, recorded: Recorded, rows: IntArray
) -> IntArray:
    """Return contenders with those options that are the best in some of the draws, or at an end of an input.

    At other prices and times than those of the answer: `contending_at_ends` has those of other curves.
    """
    tried = np.union1d(rows, to_try(asked, table, best))
    if asked.limits_response:
        return tried
    trial, curve = Contenders(asked, table, tried), asked.setting.curve
    draws = _draws.drawn(
        recorded,
        _draws.ranges_of(curve, trial.read_sizes),
        trial,
        np.random.default_rng(asked.seed),
    )
    some = [
        (draws.curve(at), draws.state(at), 0.0)
        for at in range(0, _draws.DRAWS, _draws.DRAWS // _TRIED)
    ]
    some += [
        (
            _draws.curve_at(draws.ranges, {each: place}),
            draws.state_of({each: place}),
            0.0,
        )
        for each in draws.places
        for place in (0.0, 1.0)
    ]
    own = trial.hardware == trial.hardware[tried == best]
    found = [rows]
    for each in trial.on_each(some):
        cost = each.fixed + each.unit * each.needed
        by = (each.io_us, cost) if trial.by_time else (cost, each.io_us)
        order = np.lexsort(by[::-1])
        order = order[each.keeps[order]]
        # What breaks a limit is repaired by what is of its kind.
        found += [tried[order[:_FIRST]], tried[order[own[order]][:1]]]
    return np.unique(np.concatenate(found))


def sure(asked: Asked, table: Table, best: int, rows: IntArray) -> Sure:
    """Draw everything that is not known, and evaluate the contenders in each draw.

    Parameters
    ----------
    asked, table, best
        As of `confidence`.
    rows : int64 array
        Contenders on the curve of the answer, to which those of other ends come.
    """
    curve = asked.setting.curve
    recorded = recorded_of(asked, table, best, rows)
    first = Contenders(asked, table, rows)
    ranges = _draws.ranges_of(curve, first.read_sizes)
    seed = asked.seed
    rough = _draws.drawn(recorded, ranges, first, np.random.default_rng(seed))
    # What is best at neither end may be the best between them.
    some = max(1, min(_BETWEEN, _MOST_EVALUATED // max(1, len(table.options))))
    between = (rough.curve(at) for at in range(0, _draws.DRAWS, _draws.DRAWS // some))
    tables = (table, *(table.with_curve(each) for each in (*rough.ends(), *between)))
    rows = contending_at_ends(asked, tables, best)
    rows = _with_winners(asked, table, best, recorded, rows)
    contenders = Contenders(asked, table, rows)
    ranges = _draws.ranges_of(curve, contenders.read_sizes)
    generator = np.random.default_rng(seed)
    draws = _draws.drawn(recorded, ranges, contenders, generator)
    chosen = int(np.flatnonzero(rows == best)[0])
    stated = contenders.as_bought(contenders.on(curve, State()), chosen, curve, State())
    unknown = {} if table.knows_life(best) else {LIFE: math.nan}
    response = contenders.response_us(chosen, curve)
    is_known = all(map(math.isfinite, response.values()))
    own = contenders.alone(chosen)

    def rarely(drawn: Curve, state: State) -> dict[str, float]:
        """Compute the figures that take long."""
        [months] = own.months_until_too_small(drawn, state)
        return {
            MONTHS: float(months),
            **(contenders.response_us(chosen, drawn) if is_known else {}),
        }

    # The windows show how misses vary at few sizes; where between them RAM is warm is known of a count.
    counted_accesses = recorded.every.accesses.sum() * (curve.sample_rate or 1.0)
    errors_s = contenders.restart_errors_s(float(counted_accesses))
    warm_off_s = np.outer(_draws.standard_errors(generator), errors_s)
    found: list[Measured] = []
    figures = []
    for start in range(0, _draws.DRAWS, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, _draws.DRAWS))
        drawn = [(draws.curve(at), draws.state(at), warm_off_s[at]) for at in numbers]
        found += contenders.on_each(drawn)
        for number, (on, state, off_s) in zip(numbers, drawn, strict=True):
            figure = contenders.as_bought(found[number], chosen, on, state)
            figure[RESTART] = float(np.maximum(0.0, figure[RESTART] + off_s[chosen]))
            if number % EVERY_LONG == 0:
                figure |= rarely(on, state)
            figures.append(figure)
    return Sure(
        recorded,
        contenders,
        chosen,
        draws,
        contenders.buys(found),
        np.stack([each.io_us for each in found]),
        tuple(figures),
        stated | rarely(curve, State()) | unknown,
    )
