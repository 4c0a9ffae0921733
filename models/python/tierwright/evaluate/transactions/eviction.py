"""Which transaction leaves memory first.

Source: Zhou, Meng and Liang (2009), sections IV.B and IV.C.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tierwright.common.errors import Problems

_HINT = "give each transaction the times at which its resident pages were last touched"


@dataclass(frozen=True, slots=True)
class Transaction:
    """What the buffer knows of one transaction.

    Attributes
    ----------
    access_times : tuple of float
        A_i: when each of its resident pages was last read or updated. [clock ticks]
    commit_time : float or None
        None while it runs. [clock ticks]
    """

    access_times: tuple[float, ...]
    commit_time: float | None = None


def average_access_times(
    access_times: Mapping[str, Sequence[float]],
) -> dict[str, float]:
    """AAT(T) = (1/n) sum of A_i over the n resident pages of T.

    Parameters
    ----------
    access_times : mapping of str to sequence of float
        By transaction id, the last access time of each resident page. [clock ticks]

    Returns
    -------
    dict of str to float
        AAT by transaction id. [clock ticks]

    Raises
    ------
    BadInput
        If a transaction has no resident page (its AAT is undefined, not 0), or a time is
        not finite.

    Examples
    --------
    >>> average_access_times({"T1": [5, 8], "T2": [3, 4], "T3": [2, 6]})
    {'T1': 6.5, 'T2': 3.5, 'T3': 4.0}
    """
    problems = Problems("average access time", _HINT)
    for name, times in access_times.items():
        _check_times(problems, name, times)
        problems.check(len(times) > 0, name, "[]", "has no resident page, so no AAT")
    problems.raise_if_any()
    return {name: math.fsum(times) / len(times) for name, times in access_times.items()}


def uncommitted_order(access_times: Mapping[str, Sequence[float]]) -> list[str]:
    """Order in which running transactions leave: ascending AAT, equal ones by id.

    Parameters and errors as in `average_access_times`. The paper leaves ties open; ids are
    compared as text.

    Examples
    --------
    >>> uncommitted_order({"T1": [5, 8], "T2": [3, 4], "T3": [2, 6]})
    ['T2', 'T3', 'T1']
    """
    averages = average_access_times(access_times)
    return sorted(averages, key=lambda name: (averages[name], name))


def eviction_order(transactions: Mapping[str, Transaction]) -> list[str]:
    """Order in which transactions are evicted: committed by commit time, then running by AAT.

    A committed page that is read again costs one cheap read; a running one that was
    pushed out may abort and leave garbage. So committed transactions go first, the one
    that committed first leading, whatever was touched since.

    Parameters
    ----------
    transactions : mapping of str to Transaction
        By id.

    Returns
    -------
    list of str
        Ids, in order of eviction; equal ones by id.

    Raises
    ------
    BadInput
        If a running transaction has no resident page, or a time is not finite.

    Examples
    --------
    >>> eviction_order(
    ...     {
    ...         "T1": Transaction((1, 2)),
    ...         "T2": Transaction((4, 9), commit_time=5),
    ...         "T3": Transaction((3,), commit_time=7),
    ...     }
    ... )
    ['T2', 'T3', 'T1']
    """
    problems = Problems("eviction order", _HINT)
    committed: dict[str, float] = {}
    running: dict[str, Sequence[float]] = {}
    for name, transaction in transactions.items():
        _check_times(problems, name, transaction.access_times)
        if transaction.commit_time is None:
            running[name] = transaction.access_times
        else:
            committed[name] = transaction.commit_time
            _check_times(problems, f"{name}: commit", [transaction.commit_time])
    problems.raise_if_any()
    first = sorted(committed, key=lambda name: (committed[name], name))
    return first + uncommitted_order(running)


def _check_times(problems: Problems, name: str, times: Sequence[float]) -> None:
    for time in times:
        problems.check(_is_time(time), name, time, "must be a finite time")


def _is_time(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value)
