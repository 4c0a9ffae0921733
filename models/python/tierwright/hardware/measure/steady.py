"""When a measured rate counts as steady: the rule of SNIA, on the windows of one run.

Source: SNIA, "Solid State Storage Performance Test Specification" (PTS), definition of steady
state: over five rounds in sequence, the range of the rate is at most 20 % of its mean, and the
line through it rises or falls by at most 10 % of the mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tierwright.common.errors import BadInput
from tierwright.hardware.fio_record import Verdict

WINDOWS = 5
MOST_RANGE = 0.20
MOST_SLOPE = 0.10
LEAST_WINDOWS = 2
"""A line needs as many."""
LEAST_SAMPLES = 2 * WINDOWS
"""Samples of the rate below which windows would be made from single ones."""
_LOG_LINE = re.compile(r"\s*(\d{1,12}),\s*(\d{1,12}),\s*([01]),\s*\d+,", re.ASCII)
RULE = (
    f"A run is cut into {WINDOWS} windows of equal time. Its rate is steady where the highest and "
    f"the lowest window differ by at most {MOST_RANGE:.0%} of their mean, and the line through "
    f"them rises or falls by at most {MOST_SLOPE:.0%} of it (SNIA PTS)."
).replace("%", " %")


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How much the rate of a run changed.

    Attributes
    ----------
    rates : tuple of float
        Rate of each window. [1/s]
    range_share : float
        Highest less lowest rate, over their mean. [1]
    slope_share : float
        By how much the least-squares line rises from the first window to the last, over the mean;
        negative where it falls. [1]
    """

    rates: tuple[float, ...]
    range_share: float
    slope_share: float

    @property
    def reached(self) -> bool:
        """Whether the rule holds."""
        return self.range_share <= MOST_RANGE and abs(self.slope_share) <= MOST_SLOPE

    @property
    def verdict(self) -> Verdict:
        """The same as a word of the record."""
        return "steady" if self.reached else "not_steady"


@dataclass(frozen=True, slots=True)
class RateSample:
    """A line of fio's log of IOPS: the mean rate of one direction since the line before.

    Attributes
    ----------
    end_ms : float
        Since the beginning of the run. [ms]
    per_s : float
        [1/s]
    direction : int
        0 reads, 1 writes.
    """

    end_ms: float
    per_s: float
    direction: int


def steadiness(rates: Sequence[float]) -> Steadiness:
    """Apply the rule of SNIA PTS to the rates of windows.

    Parameters
    ----------
    rates : sequence of float
        At least two, not negative, not all 0. [1/s]

    Returns
    -------
    Steadiness

    Raises
    ------
    BadInput
        If there are fewer than two, one is negative, or nothing was done at all.

    Examples
    --------
    >>> found = steadiness([100, 102, 98, 101, 99])
    >>> round(found.range_share, 3), round(found.slope_share, 3), found.reached
    (0.04, -0.012, True)
    >>> steadiness([100, 95, 90, 85, 80]).reached  # falls by 22 % of its mean
    False
    """
    count = len(rates)
    mean = sum(rates) / max(count, 1)
    if count < LEAST_WINDOWS or min(rates) < 0 or mean <= 0:
        raise BadInput(
            f"steady state: rates: `{list(rates)}` must be two or more, not negative, not all 0",
            "give the rate of each window",
        )
    middle = (count - 1) / 2
    slope = sum((at - middle) * rate for at, rate in enumerate(rates)) / sum(
        (at - middle) ** 2 for at in range(count)
    )
    return Steadiness(
        tuple(rates),
        (max(rates) - min(rates)) / mean,
        slope * (count - 1) / mean,
    )


def window_rates(
    samples: Iterable[RateSample], count: int = WINDOWS
) -> tuple[float, ...]:
    """Cut a run into windows of equal time.

    Parameters
    ----------
    samples : iterable of RateSample
        In order of time; reads and writes are added up.
    count : int
        Windows.

    Returns
    -------
    tuple of float
        Rate of each; empty where there are too few samples to cut. [1/s]

    Examples
    --------
    >>> window_rates([RateSample(100 * (n + 1), 10 * n, 0) for n in range(10)])
    (5.0, 25.0, 45.0, 65.0, 85.0)
    >>> window_rates([RateSample(100, 10, 0)])
    ()
    """
    found = sorted(samples, key=lambda each: each.end_ms)
    times = {each.end_ms for each in found}
    if len(times) < max(LEAST_SAMPLES, count):
        return ()
    width = max(times) / count
    done = [0.0] * count
    before: dict[int, float] = {}
    for each in found:
        start = before.get(each.direction, 0.0)
        before[each.direction] = each.end_ms
        for at in range(count):
            inside = min(each.end_ms, (at + 1) * width) - max(start, at * width)
            if inside > 0:
                done[at] += each.per_s * inside
    return tuple(ops / width for ops in done)


def parse_rate_log(text: str) -> list[RateSample]:
    """Read fio's log of IOPS (`write_iops_log`): `time [ms], rate, direction, ...` a line.

    Lines that are cut off, as the last one of a stopped run is, are left out.
    """
    found = []
    for line in text.splitlines():
        match = _LOG_LINE.match(line)
        if match is not None:
            end, rate, direction = map(int, match.groups())
            found.append(RateSample(float(end), float(rate), direction))
    return found
