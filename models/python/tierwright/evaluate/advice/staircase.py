"""What a limit buys at every value of it: the best choice changes at few values, and between two it is the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.limits import LEAST, Bools


def tightness(name: str, value: FloatArray) -> FloatArray:
    """Turn values of a limited quantity into such that a tighter limit admits smaller ones alone.

    Parameters
    ----------
    name : str
        Of `CONSTRAINTS`.
    value : float64 array
        In its unit; NaN where unknown.

    Returns
    -------
    float64 array
        The values, of least values their negatives; infinite where unknown, which keeps no limit.

    Examples
    --------
    >>> tightness("ram_bytes", np.asarray([2.0, np.nan])).tolist()
    [2.0, inf]
    >>> tightness("flash_life_years", np.asarray([5.0, np.inf])).tolist()
    [-5.0, -inf]
    """
    found = -value if name in LEAST else value
    return np.where(np.isnan(found), np.inf, found)


def descent(tight: FloatArray, below: float = np.inf) -> Bools:
    """Which options, the best first, admit a tighter limit than all that are better.

    These are the steps of the staircase: under a limit the best option is the first that keeps it, so an option is
    the best for some limit exactly if nothing before it is as tight.

    Parameters
    ----------
    tight : float64 array
        `tightness` of each option, the best option first.
    below : float
        What has to be undercut from the first on.

    Examples
    --------
    >>> descent(np.asarray([5.0, 7.0, 5.0, 3.0, np.inf, 1.0])).tolist()
    [True, False, False, True, False, True]
    """
    before = np.concatenate(([below], np.minimum.accumulate(tight)[:-1]))
    return np.asarray(tight < np.minimum(before, below))


def open_from(
    steps: tuple[Sequence[FloatArray], FloatArray],
    last: tuple[Sequence[FloatArray], FloatArray],
) -> FloatArray:
    """Say from which tightness on what was not listed yet could be the best.

    Of some kinds of options the next one, with one more device, costs at least as much as the last one that was
    listed, and is the candidate of its kind at tighter limits than that one keeps.

    Parameters
    ----------
    steps : tuple of (sequence of float64 array, float64 array)
        Of the staircase so far, from the loosest limit on: what is to be least, then what decides among equals; and
        the tightness of each step.
    last : tuple of (sequence of float64 array, float64 array)
        The same of the last options that were listed.

    Returns
    -------
    float64 array
        Of each of the last ones: at tighter limits than this its next one could be the best.

    Examples
    --------
    Steps cost 10 down to 4, 20 down to 2 and 30 down to 1. What costs 15 and keeps 3 can matter below 3 alone; what
    costs 25 and keeps 3, below 2; what costs more than every step, below 1:

    >>> open_from(
    ...     ([np.asarray([10.0, 20.0, 30.0])], np.asarray([4.0, 2.0, 1.0])),
    ...     ([np.asarray([15.0, 25.0, 40.0])], np.asarray([3.0, 3.0, 3.0])),
    ... ).tolist()
    [3.0, 2.0, 1.0]
    """
    number = len(steps[1])
    keys = [
        np.concatenate((of_steps, of_last))
        for of_steps, of_last in zip(steps[0], last[0], strict=True)
    ]
    # Of equals those that were listed last stand first: their next ones may cost no more.
    is_step = np.arange(len(keys[0])) < number
    order = np.lexsort((is_step, *reversed(keys)))
    better_steps = np.cumsum(is_step[order])[np.argsort(order)][number:]
    beaten_down_to = np.concatenate(([np.inf], steps[1]))[better_steps]
    return np.minimum(beaten_down_to, last[1])


def window(at: int, steps: int, most: int) -> tuple[int, int]:
    """Choose at most so many neighbouring steps around one.

    Parameters
    ----------
    at, steps, most : int
        The step that is wanted, how many there are, how many are wanted at most.

    Returns
    -------
    tuple of int
        The first, and one more than the last.

    Examples
    --------
    >>> window(0, 9, 4), window(5, 9, 4), window(8, 9, 4), window(3, 4, 9)
    ((0, 4), (3, 7), (5, 9), (0, 4))
    """
    first = max(0, min(at - most // 2, steps - most))
    return first, min(steps, first + most)
