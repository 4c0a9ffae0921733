"""Rates of production over time: read from a list or a table, and kept in short form."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import is_count, is_number
from tierwright.common.units import format_count
from tierwright.common.wording import counted, duration, three_digits

HOUR_S = 3600.0
MOST_STEPS = 8784
"""Steps of a series: the hours of a leap year."""
MOST_PARTS = 366
"""Parts in which the short form keeps a series: the days of a leap year."""
MOST_BYTES = 1_000_000
"""Of a table of rates: so many steps take far fewer. [bytes]"""
COLUMNS = ("time", "accesses_per_s")
SAME = 1e-6
"""Relative difference of two steps that count as equal."""

_MOST_FAULTS = 20
"""Faults of a series that are listed."""
_HINT = f"write a table with the columns {','.join(COLUMNS)} and one row a step"
_NAMED_STEPS = {1.0: "second", 60.0: "minute", HOUR_S: "hour", 86_400.0: "day"}


@dataclass(frozen=True, slots=True)
class RateSeries:
    """Rates of equal steps, in short form.

    Attributes
    ----------
    steps : int
        So many, one after the other.
    step_s : float
        Length of each. [s]
    busiest_step : int
        Which has the highest rate, from 1; among equals the first.
    first_time : str or None
        When the first step begins, ISO 8601; None where times are not of a calendar.
    steps_per_part : int
        Steps of one part; the last part may have fewer.
    means_per_s : tuple of float
        Mean rate of each part. [1/s]
    peaks_per_s : tuple of float
        Highest rate of each part. [1/s]
    """

    steps: int
    step_s: float
    busiest_step: int
    first_time: str | None
    steps_per_part: int
    means_per_s: tuple[float, ...]
    peaks_per_s: tuple[float, ...]

    @property
    def mean_per_s(self) -> float:
        """Mean over all of the time. [1/s]"""
        lengths = [self.steps_per_part] * len(self.means_per_s)
        lengths[-1] = self.steps - self.steps_per_part * (len(lengths) - 1)
        each = zip(self.means_per_s, lengths, strict=True)
        return math.fsum(mean * length for mean, length in each) / self.steps

    @property
    def peak_per_s(self) -> float:
        """Rate of the busiest step. [1/s]"""
        return max(self.peaks_per_s)

    @property
    def sentence(self) -> str:
        """Say which step is busiest, and by how much."""
        name = _NAMED_STEPS.get(self.step_s)
        length = "" if name else f" of {duration(self.step_s)}"
        every = f"{counted(self.steps, name or 'step')}{length}"
        mean, peak = self.mean_per_s, self.peak_per_s
        if self.steps == 1 or peak <= min(self.means_per_s) * (1 + SAME):
            rate = format_count(float(f"{mean:.3g}"))
            return f"The rate is {rate} accesses per second in each of {every}."
        when = (
            f"is number {self.busiest_step:,}"
            if self.first_time is None
            else f"begins at {self._time(self.busiest_step)}"
        )
        return (
            f"The busiest of {every} {when}, with {format_count(float(f'{peak:.3g}'))} accesses per second, "
            f"{three_digits(peak / mean)} times the mean of {format_count(float(f'{mean:.3g}'))}."
        )

    def _time(self, step: int) -> str:
        assert self.first_time is not None
        begin = datetime.fromisoformat(self.first_time)
        at = begin + timedelta(seconds=self.step_s * (step - 1))
        return at.isoformat(timespec="minutes" if at.second == 0 else "seconds")

    def to_dict(self) -> dict[str, Any]:
        """Return the key `rates` of a production."""
        return {
            "steps": self.steps,
            "step_s": self.step_s,
            "busiest_step": self.busiest_step,
            "first_time": self.first_time,
            "steps_per_part": self.steps_per_part,
            "means_per_s": list(self.means_per_s),
            "peaks_per_s": list(self.peaks_per_s),
        }


def series_of(
    rates_per_s: Sequence[float],
    *,
    step_s: float = HOUR_S,
    first_time: str | None = None,
    place: str = "rates",
) -> RateSeries:
    """Put rates of equal steps into short form.

    Parameters
    ----------
    rates_per_s : sequence of float
        Page accesses per second in each step. [1/s]
    step_s : float
        Length of each step. [s]
    first_time : str, optional
        When the first begins, ISO 8601.
    place : str
        Names the series in errors.

    Returns
    -------
    RateSeries
        With at most `MOST_PARTS` parts of as many steps each; the last may have fewer. Mean and peak are
        those of all steps.

    Raises
    ------
    BadInput
        If there is no step, or more than `MOST_STEPS`; a rate is negative or not finite; all are 0; or the
        length of a step is not positive.
    """
    count = len(rates_per_s)
    if count == 0:
        raise BadInput(f"{place}: holds no rate", "state the rate of at least one step")
    if count > MOST_STEPS:
        raise BadInput(
            f"{place}: holds {counted(count, 'step')}, more than {MOST_STEPS:,}",
            "state the rates of longer steps, such as hours",
        )
    if not (is_number(step_s) and step_s > 0):
        raise BadInput(
            f"{place}: the length of a step, `{step_s}` s, must be above 0",
            "state 3600 for hours",
        )
    with_faults = Problems(
        place, "state page accesses per second, 0 or more, in every step"
    )
    for number, rate in enumerate(rates_per_s, 1):
        with_faults.check(
            is_number(rate) and rate >= 0,
            f"step {number}",
            rate,
            "must be a finite number that is not negative",
        )
        if len(with_faults.found) >= _MOST_FAULTS:
            break
    with_faults.raise_if_any()
    rates = np.asarray(rates_per_s, dtype=np.float64)
    if not rates.any():
        raise BadInput(
            f"{place}: the rate is 0 in every step",
            "state the rates of a time in which the system works",
        )
    per_part = -(-count // MOST_PARTS)
    parts = [rates[at : at + per_part] for at in range(0, count, per_part)]
    return RateSeries(
        count,
        float(step_s),
        int(rates.argmax()) + 1,
        first_time,
        per_part,
        tuple(math.fsum(part.tolist()) / len(part) for part in parts),
        tuple(float(part.max()) for part in parts),
    )


def read_rates(path: Path) -> RateSeries:
    """Read a table of rates: CSV with the columns `time` and `accesses_per_s`, and equal steps.

    Times are seconds or ISO 8601. Each rate holds from its time to the next; the last as long.

    Raises
    ------
    BadInput
        If the file cannot be read, lacks a column, has a value that is none, or steps that differ, of
        which the first is named; as `series_of`.
    """
    place = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{place}: {error.strerror}", "name a table of rates") from error
    if len(data) > MOST_BYTES:
        raise BadInput(
            f"{place}: has more than {MOST_BYTES:,} bytes, too many for {MOST_STEPS:,} steps",
            _HINT,
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{place}: is not UTF-8 text", _HINT) from error
    return series_of_table(text, place=place)


def series_of_table(text: str, *, place: str = "rates") -> RateSeries:
    """Put the text of a table of rates into short form, as `read_rates` does.

    Parameters
    ----------
    text : str
        CSV.
    place : str
        Names it in errors.

    Raises
    ------
    BadInput
        As `read_rates`.
    """
    first, times, rates = _columns(text, place)
    if len(times) == 1:
        raise BadInput(
            f"{place}: has one row, so the length of its step is unknown",
            "state the mean rate instead, or more rows",
        )
    return series_of(
        rates,
        step_s=_step_s(times, place) if times else HOUR_S,
        first_time=None if first is None else first.isoformat(),
        place=place,
    )


def _columns(text: str, place: str) -> tuple[datetime | None, list[float], list[float]]:
    """Return the first time of a calendar, the times [s], and the rates [1/s]."""
    lines = csv.reader(io.StringIO(text, newline=""))
    problems = Problems(place, _HINT)
    rows: list[tuple[datetime | float, float]] = []
    try:
        head = [name.strip().lower() for name in next(lines, [])]
        missing = [f"`{name}`" for name in COLUMNS if name not in head]
        if missing:
            noun = "columns" if missing[1:] else "column"
            raise BadInput(f"{place}: lacks the {noun} {', '.join(missing)}", _HINT)
        for cells in lines:
            if not any(cell.strip() for cell in cells):
                continue
            if len(rows) == MOST_STEPS:
                problems.add(
                    f"line {lines.line_num}",
                    None,
                    f"is step {MOST_STEPS + 1:,}, one too many",
                )
            if len(rows) == MOST_STEPS or len(problems.found) >= _MOST_FAULTS:
                break
            rows.append(_row(head, cells, f"line {lines.line_num}", problems))
    except csv.Error as error:
        raise BadInput(f"{place}: line {lines.line_num}: {error}", _HINT) from error
    times = [time for time, _ in rows]
    moments = [time for time in times if isinstance(time, datetime)]
    problems.check(
        len(moments) in (0, len(times)) or problems.found,
        "time",
        None,
        "must be all numbers of seconds, or all calendar times",
    )
    problems.check(
        len({each.tzinfo is None for each in moments}) <= 1,
        "time",
        None,
        "must have a zone in every row, or in no row",
    )
    problems.raise_if_any()
    rates = [rate for _, rate in rows]
    if moments:
        begin = moments[0]
        return begin, [(each - begin).total_seconds() for each in moments], rates
    return None, [time for time in times if isinstance(time, float)], rates


def _row(
    head: Sequence[str], cells: Sequence[str], where: str, problems: Problems
) -> tuple[datetime | float, float]:
    """Read time and rate of a row, or note what is wrong."""
    if not problems.check(
        len(cells) == len(head),
        where,
        len(cells),
        f"must have {counted(len(head), 'cell')}",
    ):
        return 0.0, 0.0
    time, rate = (cells[head.index(name)].strip() for name in COLUMNS)
    moment, value = _moment(time), _number(rate)
    problems.check(
        moment is not None,
        f"{where}, time",
        time,
        "must be a number of seconds, or a time such as 2026-03-01T14:00",
    )
    problems.check(
        value is not None and value >= 0,
        f"{where}, accesses_per_s",
        rate,
        "must be a finite number that is not negative",
    )
    return 0.0 if moment is None else moment, value or 0.0


def _moment(text: str) -> datetime | float | None:
    number = _number(text)
    if number is not None:
        return number
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _step_s(times_s: Sequence[float], place: str) -> float:
    """Return the length of the steps, which are equal. [s]"""
    gaps = [later - earlier for earlier, later in pairwise(times_s)]
    first = gaps[0]
    for row, gap in enumerate(gaps, 2):
        if gap <= 0:
            raise BadInput(
                f"{place}: row {row} is not later than row {row - 1}",
                "write one row a step, in the order of time",
            )
        if abs(gap - first) > SAME * first:
            raise BadInput(
                f"{place}: row {row} begins {gap:,.10g} s after row {row - 1}, but row 2 "
                f"{first:,.10g} s after row 1",
                "write one row for each of equal steps, in UTC where clocks change; a step without "
                "accesses has the rate 0",
            )
    return first


_KEYS = (
    "steps",
    "step_s",
    "busiest_step",
    "first_time",
    "steps_per_part",
    "means_per_s",
    "peaks_per_s",
)


def from_mapping(data: Any, problems: Problems) -> RateSeries | None:
    """Read the key `rates` of a production; None where it is absent, or wrong.

    Parameters
    ----------
    data : Any
        What `RateSeries.to_dict` returns.
    problems : Problems
        Takes what is wrong.
    """
    if data is None:
        return None
    given = data if isinstance(data, Mapping) else {}
    means, peaks = (_rates(given.get(key)) for key in _KEYS[-2:])
    steps, per_part = given.get("steps"), given.get("steps_per_part")
    busiest, step_s = given.get("busiest_step"), given.get("step_s")
    good = (
        is_count(steps)
        and 0 < steps <= MOST_STEPS
        and is_count(per_part)
        and per_part > 0
        and is_count(busiest)
        and 1 <= busiest <= steps
        and is_number(step_s)
        and step_s > 0
        and len(means) == len(peaks) == -(-steps // per_part) <= MOST_PARTS
        and all(
            mean <= peak * (1 + SAME) for mean, peak in zip(means, peaks, strict=True)
        )
        and (busiest - 1) // per_part == peaks.index(max(peaks))
        and max(peaks) > 0
        and _is_time(given.get("first_time"))
    )
    if not problems.check(
        good,
        "rates",
        None,
        f"must hold {', '.join(_KEYS)}, as `tierwright scale` writes them, or be null",
    ):
        return None
    return RateSeries(
        **{key: given[key] for key in _KEYS[:-2]}, means_per_s=means, peaks_per_s=peaks
    )


def _rates(data: Any) -> tuple[float, ...]:
    if not isinstance(data, list) or not all(
        is_number(one) and one >= 0 for one in data
    ):
        return ()
    return tuple(float(one) for one in data)


def _is_time(text: Any) -> bool:
    return text is None or (
        isinstance(text, str) and isinstance(_moment(text), datetime)
    )
