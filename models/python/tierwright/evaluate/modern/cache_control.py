"""How flash caches decide what to write: admission, ghost lists, limits of the write rate.

Sources: source code of CacheLib (`DynamicRandomAP`), LARC (2013), and OpenZFS' L2ARC as of 2026,
commit be7657e.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierwright.common.errors import Problems
from tierwright.evaluate.modern._checked import numbers, one

DAY_S = 86_400
LEAST_FACTOR, MOST_FACTOR = 0.001, 10.0
WINDOW = 0.25
BURST_BYTES = 64 * 2**20
GHOST_LEAST, GHOST_MOST = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class AdmissionFactor:
    """One update of the controller.

    Attributes
    ----------
    target_now : int
        Rate that would reach the target a day from now. [bytes/s]
    factor : float
        Multiplies the base probability from here on. [1]
    """

    target_now: int
    factor: float


def admission_base(*, size_bytes: int, base_bytes: int, decay: float) -> float:
    """Return the probability with which an object enters the cache; it falls with size.

    min(1, (bits(base) / bits(size))^decay), bits(n) the position of the highest bit set, from 1.

    Parameters
    ----------
    size_bytes, base_bytes : int
        Object, and the size from which probability falls. [bytes]
    decay : float
        In [0, 1]. [1]

    Returns
    -------
    float
        [1]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "base probability"
    numbers(
        subject,
        ("size_bytes", "base_bytes"),
        size_bytes=size_bytes,
        base_bytes=base_bytes,
        decay=decay,
    )
    one(subject, "decay", decay, good=decay <= 1, message="must not exceed 1")
    share = int(base_bytes).bit_length() / int(size_bytes).bit_length()
    return float(min(1.0, share**decay))


def admission_factor(
    *,
    factor: float,
    target_rate: int,
    elapsed_s: int,
    written_bytes: int,
    written_last: int,
    interval_s: int,
    max_rate: int,
) -> AdmissionFactor:
    """Update of the factor that keeps a cache to a rate of writes.

    target_now = (target (elapsed + 1 day) - written) / 1 day, from 0 to max_rate;
    observed = (written - written_last) / interval;
    factor times target_now / observed within 0.75 and 1.25, kept within 0.001 and 10. Divisions
    of rates are whole. Nothing changes where nothing was written.

    Parameters
    ----------
    factor : float
        Before. [1]
    target_rate, max_rate : int
        Configured. [bytes/s]
    elapsed_s : int
        Since the start. [s]
    written_bytes, written_last : int
        Since the start, now and at the last update. [bytes]
    interval_s : int
        Since the last update. [s]

    Returns
    -------
    AdmissionFactor

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "admission factor"
    v = numbers(
        subject,
        ("target_rate", "interval_s"),
        factor=factor,
        target_rate=target_rate,
        elapsed_s=elapsed_s,
        written_bytes=written_bytes,
        written_last=written_last,
        interval_s=interval_s,
        max_rate=max_rate,
    )
    whole = {name: int(value) for name, value in v.items() if name != "factor"}
    good = whole["written_last"] <= whole["written_bytes"]
    message = "must not exceed the bytes written"
    one(subject, "written_last", written_last, good=good, message=message)
    due = whole["target_rate"] * (whole["elapsed_s"] + DAY_S) - whole["written_bytes"]
    target = min(max(due, 0) // DAY_S, whole["max_rate"])
    observed = (whole["written_bytes"] - whole["written_last"]) // max(
        whole["interval_s"], 1
    )
    if observed == 0:
        return AdmissionFactor(target, factor)
    change = min(max(target / observed, 1 - WINDOW), 1 + WINDOW)
    return AdmissionFactor(target, min(max(factor * change, LEAST_FACTOR), MOST_FACTOR))


def larc_ghost(*, capacity: float, ghost: float, hit: bool) -> float:
    """Length of the ghost list of LARC after one access.

    Hit on flash: max(0.1 C, g - C / (C - g)); miss: min(0.9 C, g + C / g).

    Parameters
    ----------
    capacity : float
        C, of flash. [pages]
    ghost : float
        g before, within 0.1 and 0.9 of C; a real number. [pages]
    hit : bool
        Whether flash had the page.

    Returns
    -------
    float
        [pages]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "ghost list"
    numbers(subject, ("capacity", "ghost"), capacity=capacity, ghost=ghost)
    good = GHOST_LEAST * capacity <= ghost <= GHOST_MOST * capacity
    message = "must be within 0.1 and 0.9 of the capacity"
    one(subject, "ghost", ghost, good=good, message=message)
    if hit:
        return max(GHOST_LEAST * capacity, ghost - capacity / (capacity - ghost))
    return min(GHOST_MOST * capacity, ghost + capacity / ghost)


def dwpd_rate(
    *,
    device_bytes: int,
    dwpd_percent: float,
    written_today_bytes: int,
    carried_bytes: int,
    elapsed_s: float,
    write_max: int,
    burst_bytes: int = BURST_BYTES,
) -> int:
    """Rate at which L2ARC may write for the rest of a day.

    min(write_max, (device DWPD % + carried + burst - written) / rest of the day), 0 once the
    budget is spent. Valid once the ring is full and flash is at least twice the largest ARC; before
    that L2ARC writes at `write_max`.

    Parameters
    ----------
    device_bytes : int
        [bytes]
    dwpd_percent : float
        Drive writes per day; 100 is one. [%]
    written_today_bytes, carried_bytes, burst_bytes : int
        Written since the day began, unused from the day before, allowed besides. [bytes]
    elapsed_s : float
        Of the day; below 86,400. [s]
    write_max : int
        Configured limit. [bytes/s]

    Returns
    -------
    int
        [bytes/s]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "limit of drive writes"
    v = numbers(
        subject,
        ("device_bytes",),
        device_bytes=device_bytes,
        dwpd_percent=dwpd_percent,
        written_today_bytes=written_today_bytes,
        carried_bytes=carried_bytes,
        elapsed_s=elapsed_s,
        write_max=write_max,
        burst_bytes=burst_bytes,
    )
    problems = Problems(subject, "use the seconds of one day and a smaller device")
    problems.check(elapsed_s < DAY_S, "elapsed_s", elapsed_s, "must be below 86400")
    budget = float(v["device_bytes"]) * float(v["dwpd_percent"]) / 100
    message = "allows more bytes than a number can hold"
    problems.check(math.isfinite(budget), "dwpd_percent", dwpd_percent, message)
    problems.raise_if_any()
    left = (
        int(budget) + int(carried_bytes) + int(burst_bytes) - int(written_today_bytes)
    )
    return min(int(write_max), int(max(left, 0) / (DAY_S - elapsed_s)))
