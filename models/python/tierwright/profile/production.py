"""What a profile says of the system that it was scaled to."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import LEAST_RATE_PER_S, is_count, is_number
from tierwright.common.wording import counted
from tierwright.profile import rates as rates_document
from tierwright.profile.rates import RateSeries

_MOST_TEXT = 200
_MOST_BYTES = 2**62
_MOST_MACHINES = 100_000
_MOST_GROWTH = 100
_SAME_RATE = 1e-6
_HINT = "state the system that you buy for"
_HINTS = {
    "data_bytes": "state the size of the whole database or volume in production",
    "accesses_per_s": "state how many pages are read and written per second on average",
    "peak_accesses_per_s": "state the page accesses per second of the busiest hour, or leave them out",
    "page_bytes": "state the page size in bytes, or leave it out for that of the recording",
    "rates": "state the rates over time alone: mean and peak follow from them",
    "write_share": "state a share such as 0.2 for 20 %, or leave it out for that of the recording",
    "growth_per_year": "state a share such as 0.3 for 30 % a year, 0 for none",
    "machines": "state how many equal machines share the pages",
    "replicas": "state no more copies than there are machines",
}
"""What to do about a value, by its name."""


@dataclass(frozen=True, slots=True)
class Production:
    """The system that is bought for, as its owner states it.

    Attributes
    ----------
    data_bytes : int
        Size of its data. [bytes]
    accesses_per_s : float
        Mean rate of page accesses. [1/s]
    peak_accesses_per_s : float or None
        Rate of the busiest hour; None where nobody said. [1/s]
    write_share : float or None
        Share of the accesses that write; None for that of the recording. [1]
    growth_per_year : float
        By which share the data grow in a year; 0.3 for 30 %. [1]
    machines : int
        Equal machines that share the pages.
    replicas : int
        Copies of each page, on as many machines.
    rates : RateSeries or None
        Rates over time, of which the two above are mean and peak; None where only these were stated.
    page_bytes : int or None
        Its pages; None for those of the recording. [bytes]
    """

    data_bytes: int
    accesses_per_s: float
    peak_accesses_per_s: float | None = None
    write_share: float | None = None
    growth_per_year: float = 0.0
    machines: int = 1
    replicas: int = 1
    rates: RateSeries | None = None
    page_bytes: int | None = None

    def __post_init__(self) -> None:
        problems = Problems("production", _HINT)
        problems.check(
            is_count(self.data_bytes, _MOST_BYTES) and self.data_bytes > 0,
            "data_bytes",
            self.data_bytes,
            "must be a positive whole number of bytes",
        )
        rate = self.accesses_per_s
        good = is_number(rate) and rate >= LEAST_RATE_PER_S
        problems.check(
            good,
            "accesses_per_s",
            rate,
            f"must be a number above 0, from {LEAST_RATE_PER_S:g} on",
        )
        peak = self.peak_accesses_per_s
        problems.check(
            peak is None or (is_number(peak) and (not good or peak >= rate)),
            "peak_accesses_per_s",
            _rate_text(peak) if is_number(peak) else peak,
            "must be a number, not below the mean rate"
            + (f" of `{_rate_text(rate)}` per second" if good else ""),
        )
        page_bytes = self.page_bytes
        problems.check(
            page_bytes is None
            or (is_count(page_bytes, _MOST_BYTES) and page_bytes > 0),
            "page_bytes",
            page_bytes,
            "must be a positive whole number of bytes",
        )
        series = self.rates
        problems.check(
            series is None
            or (
                good
                and math.isclose(rate, series.mean_per_s, rel_tol=_SAME_RATE)
                and peak is not None
                and math.isclose(peak, series.peak_per_s, rel_tol=_SAME_RATE)
            ),
            "rates",
            None,
            "must have the mean and the peak that are stated beside them",
        )
        share = self.write_share
        problems.check(
            share is None or (is_number(share) and 0 <= share <= 1),
            "write_share",
            share,
            "must lie in [0, 1]",
        )
        growth = self.growth_per_year
        problems.check(
            is_number(growth) and -1 < growth <= _MOST_GROWTH,
            "growth_per_year",
            growth,
            "must be a share above -1, such as 0.3 for 30 % a year",
        )
        for name in ("machines", "replicas"):
            value = getattr(self, name)
            problems.check(
                is_count(value, _MOST_BYTES) and 1 <= value <= _MOST_MACHINES,
                name,
                value,
                f"must be a whole number from 1 to {_MOST_MACHINES}",
            )
        if not problems.found:
            problems.check(
                self.replicas <= self.machines,
                "replicas",
                self.replicas,
                f"must not exceed the machines that hold them, {self.machines}",
            )
        if len(problems.found) == 1:
            problems.hint = _HINTS[problems.found[0].where]
        problems.raise_if_any()

    @property
    def machine_data_bytes(self) -> float:
        """Data of one machine. [bytes]"""
        return self.data_bytes * self.replicas / self.machines

    def peak_at(self, accesses_per_s: float) -> float:
        """Return the rate of the busiest hour at another mean rate: as many times the mean as stated; the mean without one. [1/s]

        Parameters
        ----------
        accesses_per_s : float
            Mean rate. [1/s]

        Examples
        --------
        >>> Production(2**40, 20_000.0, 50_000.0).peak_at(4_000.0)
        10000.0
        >>> Production(2**40, 20_000.0).peak_at(4_000.0)
        4000.0
        """
        if self.peak_accesses_per_s is None:
            return accesses_per_s
        # At the mean that is stated it is the very peak that is.
        return self.peak_accesses_per_s * (accesses_per_s / self.accesses_per_s)

    def served_per_access(self, write_share: float | None) -> float:
        """Return how many page accesses all machines serve together for each one of the workload.

        One copy serves a read, each of the r copies serves a write: 1 + w (r - 1).

        Parameters
        ----------
        write_share : float or None
            Share w of the accesses that write; None where it is unknown. [1]

        Raises
        ------
        BadInput
            If there are copies and the share is unknown.

        Examples
        --------
        Three copies, a fifth of the accesses writes:

        >>> Production(2**40, 1000.0, machines=3, replicas=3).served_per_access(0.2)
        1.4
        """
        if self.replicas == 1:
            return 1.0
        if write_share is None:
            raise BadInput(
                f"replicas: a write goes to each of the {counted(self.replicas, 'copy')}, but which share of the "
                "accesses writes is unknown",
                "state the write share of production, 0 where nothing is written, or profile a trace that "
                "has writes",
            )
        return 1.0 + write_share * (self.replicas - 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the key `production` of a profile file."""
        return {
            "data_bytes": self.data_bytes,
            "accesses_per_s": self.accesses_per_s,
            "peak_accesses_per_s": self.peak_accesses_per_s,
            "write_share": self.write_share,
            "growth_per_year": self.growth_per_year,
            "machines": self.machines,
            "replicas": self.replicas,
            "rates": None if self.rates is None else self.rates.to_dict(),
            "page_bytes": self.page_bytes,
        }


def _rate_text(rate_per_s: float) -> str:
    return f"{rate_per_s:,.10g}"


@dataclass(frozen=True, slots=True)
class KnownError:
    """How far a law was off where it was measured, at this factor.

    Attributes
    ----------
    mean, worst : float
        Of the misses, over sizes from 0.5 % of the data. [1]
    measured_up_to : float
        The largest factor that was measured. [1]
    extrapolated : bool
        Whether the factor is beyond it.
    per : str
        `transaction` or `access`: of what the misses are.
    """

    mean: float
    worst: float
    measured_up_to: float
    extrapolated: bool
    per: str

    def to_dict(self) -> dict[str, Any]:
        """Return the key `known_error`."""
        return {
            "mean": self.mean,
            "worst": self.worst,
            "measured_up_to": self.measured_up_to,
            "extrapolated": self.extrapolated,
            "per": self.per,
        }


@dataclass(frozen=True, slots=True)
class ScaledParts:
    """What is known of the workloads that were scaled before several were composed.

    Attributes
    ----------
    names : tuple of str
        Those that were scaled, as the composition names them.
    known_error : KnownError or None
        Of the misses of all workloads by the laws that scaled these; None where one of the laws
        was never measured.
    """

    names: tuple[str, ...]
    known_error: KnownError | None

    def to_dict(self) -> dict[str, Any]:
        """Return the key `scaled` of a composed profile."""
        known = self.known_error
        return {
            "workloads": list(self.names),
            "known_error": None if known is None else known.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Scaled:
    """How a curve was scaled from a recording to production.

    Attributes
    ----------
    law : str
        Name of the law, see `tierwright.evaluate.scale.laws`.
    factor : float
        k: data of production over those of the recorded system. [1]
    known_error : KnownError or None
        None where the law was never measured.
    production : Production
        What it was scaled to.
    recorded_data_bytes : int
        Data of the recorded system. [bytes]
    data_stated : bool
        Whether that was stated; otherwise the pages touched stand for it.
    recorded_pages : int
        Pages that the recording touches: the smallest replay that stands behind the curve.
    tau_accesses : float or None
        Reuse that was not stretched; None where it was not stated, and of laws that have none.
        [accesses]
    per_unit : bool
        Whether misses were scaled for each unit of work, not for each access.
    counts_factor : float
        By what all counts were multiplied, as the pages of one machine were: the curve counts a
        recording so many times as long. [1]
    recorded_accesses, recorded_write_accesses : int or None
        Of the recording; None where an earlier version scaled it, writes also where they are unknown.
        [accesses]
    size_knots : tuple of (float, float)
        Sizes of one machine of production, increasing, each with the recorded size that became it; empty
        where all sizes were multiplied alike. [pages]
    recorded_page_bytes : int or None
        Pages that were recorded, where the recording was profiled again with larger ones; otherwise None.
        [bytes]
    served_per_access : float
        Page accesses that all machines serve together for each one of the workload: above 1 where writes
        go to several copies. [1]
    recorded_duration_s : float or None
        From the first to the last access of the recording, 0 where it has no times; None where an earlier version scaled
        it, and did not keep that. [s]
    """

    law: str
    factor: float
    known_error: KnownError | None
    production: Production
    recorded_data_bytes: int
    data_stated: bool
    recorded_pages: int
    tau_accesses: float | None = None
    per_unit: bool = False
    counts_factor: float = 1.0
    recorded_accesses: int | None = None
    recorded_write_accesses: int | None = None
    size_knots: tuple[tuple[float, float], ...] = ()
    recorded_page_bytes: int | None = None
    served_per_access: float = 1.0
    recorded_duration_s: float | None = None

    @property
    def adds_pages(self) -> bool:
        """Whether the law adds pages, and accesses to them, that the recording does not have: no replay of it counts these."""
        return (
            self.law == "cold_growth"
            and self.production.data_bytes > self.recorded_data_bytes
        )

    @property
    def recorded_per_s(self) -> float | None:
        """Mean rate of the recording; None where it has no times, or they were not kept. [1/s]"""
        if not self.recorded_accesses or not self.recorded_duration_s:
            return None
        return self.recorded_accesses / self.recorded_duration_s

    @property
    def machine_accesses_per_s(self) -> float:
        """Mean rate of one machine: its part of the reads, and the writes to all its copies. [1/s]"""
        production = self.production
        return production.accesses_per_s * self.served_per_access / production.machines

    @property
    def machine_peak_accesses_per_s(self) -> float | None:
        """The same in the busiest hour; None where nobody said. [1/s]"""
        peak = self.production.peak_accesses_per_s
        if peak is None:
            return None
        return peak * self.served_per_access / self.production.machines

    def machine_write_share(self, write_share: float) -> float:
        """Share of what one machine serves that is written, where so much of the workload is. [1]"""
        if self.served_per_access == 1:
            return write_share
        return 1.0 - (1.0 - write_share) / self.served_per_access

    @property
    def write_shares(self) -> tuple[float, float] | None:
        """Shares of the accesses that write: of the recording, and of one machine; None where unknown. [1]"""
        accesses, writes = self.recorded_accesses, self.recorded_write_accesses
        if not accesses or writes is None:
            return None
        recorded, stated = writes / accesses, self.production.write_share
        return recorded, self.machine_write_share(
            recorded if stated is None else stated
        )

    @property
    def size_factor(self) -> float | None:
        """By what all sizes of one machine were multiplied; None where each has its own factor. [1]"""
        if self.size_knots:
            return None
        return self.factor * self.production.replicas / self.production.machines

    def recorded_size(self, pages: float) -> float:
        """Return the size of the recorded system that became a size of one machine of production.

        Straight between the knots of the law, and on along the last piece beyond them: the same mapping
        as that of the curve.

        Parameters
        ----------
        pages : float
            Of one machine of production. [pages]

        Returns
        -------
        float
            [pages]
        """
        factor = self.size_factor
        if factor is not None:
            return pages / factor
        knots = ((0.0, 0.0), *self.size_knots)
        large, small = ([knot[at] for knot in knots] for at in (0, 1))
        at = min(max(bisect_right(large, pages), 1), len(large) - 1)
        slope = (small[at] - small[at - 1]) / (large[at] - large[at - 1])
        return small[at - 1] + (pages - large[at - 1]) * slope

    def with_sizes_of(self, machines: int) -> Scaled:
        """Return the same for sizes of one of so many machines, over which production is spread evenly.

        `size_factor` and `recorded_size` are then of such a machine; all else stays of one of production.

        Parameters
        ----------
        machines : int
            At least 1; there may be fewer of them than copies of the data.
        """
        stated = self.production.machines
        if machines == stated:
            return self
        return replace(
            self,
            factor=self.factor * stated / machines,
            size_knots=tuple(
                (large * stated / machines, small) for large, small in self.size_knots
            ),
        )

    def data_pages(self, page_bytes: int) -> int:
        """Pages that the disk of one machine holds, touched or not."""
        return math.ceil(self.production.machine_data_bytes / page_bytes)

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of a profile file that say how it was scaled."""
        known = self.known_error
        return {
            "law": self.law,
            "factor": self.factor,
            "known_error": None if known is None else known.to_dict(),
            "production": self.production.to_dict(),
            "recorded": {
                "data_bytes": self.recorded_data_bytes,
                "data_stated": self.data_stated,
                "distinct_pages": self.recorded_pages,
                "tau_accesses": self.tau_accesses,
                "per_unit": self.per_unit,
                "counts_factor": self.counts_factor,
                "accesses": self.recorded_accesses,
                "write_accesses": self.recorded_write_accesses,
                "page_bytes": self.recorded_page_bytes,
                "served_per_access": self.served_per_access,
                "duration_s": self.recorded_duration_s,
                "sizes": {
                    "production": [large for large, _ in self.size_knots],
                    "recorded": [small for _, small in self.size_knots],
                }
                if self.size_knots
                else None,
            },
        }


def from_mapping(data: Mapping[str, Any], problems: Problems) -> Scaled | None:
    """Read the keys of `Scaled.to_dict` from a profile file; None where they are absent.

    Parameters
    ----------
    data : mapping
        The whole profile.
    problems : Problems
        Takes what is wrong.
    """
    if data.get("law") is None:
        return None
    known = len(problems.found)
    law, factor, recorded = data["law"], data.get("factor"), data.get("recorded")
    problems.check(
        isinstance(law, str) and 0 < len(law) <= _MOST_TEXT,
        "law",
        law,
        "must be the name of a scale law",
    )
    problems.check(
        is_number(factor) and factor > 0, "factor", factor, "must be a positive number"
    )
    production = _production(data.get("production"), problems)
    error = _known_error(data.get("known_error"), problems)
    if not isinstance(recorded, Mapping):
        problems.add("recorded", None, "must be an object")
        return None
    for key in ("data_bytes", "distinct_pages"):
        value = recorded.get(key)
        problems.check(
            is_count(value, _MOST_BYTES) and value > 0,
            f"recorded.{key}",
            value,
            "must be a positive whole number",
        )
    for key in ("data_stated", "per_unit"):
        value = recorded.get(key)
        problems.check(
            isinstance(value, bool), f"recorded.{key}", value, "must be true or false"
        )
    counts = recorded.get("counts_factor")
    problems.check(
        is_number(counts) and counts > 0,
        "recorded.counts_factor",
        counts,
        "must be a positive number",
    )
    tau = recorded.get("tau_accesses")
    problems.check(
        tau is None or (is_number(tau) and tau >= 0),
        "recorded.tau_accesses",
        tau,
        "must be a number that is not negative, or null",
    )
    for key in ("accesses", "write_accesses", "page_bytes"):
        value = recorded.get(key)
        problems.check(
            value is None or is_count(value),
            f"recorded.{key}",
            value,
            "must be a whole number, not negative, or null",
        )
    # Earlier versions spread writes over the copies as reads.
    served = recorded.get("served_per_access", 1.0)
    problems.check(
        is_number(served) and served >= 1,
        "recorded.served_per_access",
        served,
        "must be a number from 1 on",
    )
    duration = recorded.get("duration_s")
    problems.check(
        duration is None or (is_number(duration) and duration >= 0),
        "recorded.duration_s",
        duration,
        "must be a number that is not negative, or null",
    )
    knots = _size_knots(recorded.get("sizes"), problems)
    if len(problems.found) > known or production is None or factor is None:
        return None
    return Scaled(
        law,
        float(factor),
        error,
        production,
        recorded["data_bytes"],
        recorded["data_stated"],
        recorded["distinct_pages"],
        tau,
        recorded["per_unit"],
        float(recorded["counts_factor"]),
        recorded.get("accesses"),
        recorded.get("write_accesses"),
        knots,
        recorded.get("page_bytes"),
        float(served),
        None if duration is None else float(duration),
    )


def _size_knots(data: Any, problems: Problems) -> tuple[tuple[float, float], ...]:
    if data is None:
        return ()
    given = data if isinstance(data, Mapping) else {}
    large, small = (_numbers(given.get(key)) for key in ("production", "recorded"))
    good = (
        0 < len(large) == len(small)
        and all(low < high for low, high in pairwise((0, *large)))
        and all(low <= high for low, high in pairwise((0, *small)))
    )
    if not problems.check(
        good,
        "recorded.sizes",
        None,
        "must hold production, increasing from above 0, and recorded, not falling, lists of one "
        "length, or be null",
    ):
        return ()
    return tuple(zip(large, small, strict=True))


def _numbers(data: Any) -> list[float]:
    """Return a list of numbers; nothing where it is none."""
    if not isinstance(data, list) or not all(map(is_number, data)):
        return []
    return [float(one) for one in data]


def parts_from_mapping(data: Any, problems: Problems) -> ScaledParts | None:
    """Read `ScaledParts.to_dict`; None where it is absent or wrong.

    Parameters
    ----------
    data : object
        The key `given.scaled` of a profile file.
    problems : Problems
        Takes what is wrong.
    """
    if data is None:
        return None
    if not isinstance(data, Mapping):
        problems.add("given.scaled", None, "must be an object, or absent")
        return None
    names = data.get("workloads")
    good = (
        isinstance(names, list)
        and len(names) > 0
        and all(isinstance(one, str) and len(one) <= _MOST_TEXT for one in names)
    )
    problems.check(
        good, "given.scaled.workloads", None, "must be a list of names, not empty"
    )
    error = _known_error(data.get("known_error"), problems, "given.scaled.known_error")
    return ScaledParts(tuple(names or ()), error) if good else None


_PRODUCTION_KEYS = (
    "data_bytes",
    "accesses_per_s",
    "peak_accesses_per_s",
    "write_share",
    "growth_per_year",
    "machines",
    "replicas",
    "page_bytes",
)


def _production(data: Any, problems: Problems) -> Production | None:
    if not isinstance(data, Mapping) or not set(_PRODUCTION_KEYS[:2]) <= set(data):
        problems.add(
            "production", None, "must be an object with data_bytes and accesses_per_s"
        )
        return None
    own = Problems("production")
    rates = rates_document.from_mapping(data.get("rates"), own)
    for one in own.found:
        problems.add(f"production.{one.where}", one.value or None, one.message)
    try:
        return Production(
            **{key: data[key] for key in _PRODUCTION_KEYS if key in data}, rates=rates
        )
    except BadInput as error:
        for one in error.problems:
            problems.add(f"production.{one.where}", one.value or None, one.message)
        return None


def _known_error(
    data: Any, problems: Problems, where: str = "known_error"
) -> KnownError | None:
    if data is None:
        return None
    good = (
        isinstance(data, Mapping)
        and all(
            is_number(data.get(key)) and data[key] >= 0
            for key in ("mean", "worst", "measured_up_to")
        )
        and isinstance(data.get("extrapolated"), bool)
        and data.get("per") in ("transaction", "access")
    )
    if not problems.check(
        good,
        where,
        None,
        "must hold mean, worst, measured_up_to, extrapolated and per, or be null",
    ):
        return None
    return KnownError(
        **{
            key: data[key]
            for key in ("mean", "worst", "measured_up_to", "extrapolated", "per")
        }
    )
