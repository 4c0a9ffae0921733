"""Several workloads on one machine: their profiles, and how often each accesses pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted, three_digits
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile, read_profile

MOST_WORKLOADS = 32
"""Workloads that are composed at once."""
_TIMES = "x"
_HINT = (
    "write PROFILE, PROFILE=5000 for 5,000 accesses per second, or PROFILE=x2 for twice the rate "
    "of its recording"
)


@dataclass(frozen=True, slots=True)
class Workload:
    """One of several workloads on a machine, whose pages are of no other.

    Attributes
    ----------
    name : str
        How answers name it.
    curve : Curve
        Misses and write-backs by LRU size, of the start that is wanted.
    accesses_per_s : float
        Rate of its page accesses on this machine. [1/s]
    rate_basis : str
        Where the rate is from.
    """

    name: str
    curve: Curve
    accesses_per_s: float
    rate_basis: str = "stated"

    @property
    def per_count(self) -> float:
        """What turns counts of the curve into counts per second. [1/s]"""
        return self.accesses_per_s / self.curve.accesses

    @property
    def most_pages(self) -> float:
        """Pages that a cache can hold of it: infinite where the size of its data is unknown.

        Where nobody stated how much data there is, not less than the last size of the curve.
        """
        curve = self.curve
        if curve.all_data_from is not None:
            return float(curve.all_data_from)
        if curve.scaled is None and (curve.cold is not None or not curve.data_known):
            return math.inf
        return float(max(curve.data_pages, curve.last_listed))

    def misses_per_s(self, pages: ArrayLike) -> FloatArray:
        """Misses per second in a cache of `pages` for itself; any shape. [1/s]"""
        return self.curve.misses(pages) * self.per_count

    def write_backs_per_s(self, pages: ArrayLike) -> FloatArray:
        """Write-backs per second in a cache of `pages` for itself; any shape. [1/s]"""
        return self.curve.write_backs(pages) * self.per_count


@dataclass(frozen=True, slots=True)
class StatedRate:
    """A rate as it was stated.

    Attributes
    ----------
    value : float
        Accesses per second, or a multiple of the recorded rate.
    relative : bool
        Whether it is a multiple.
    """

    value: float
    relative: bool = False


def parse_workload(text: str) -> tuple[Path, StatedRate | None]:
    """Read `PROFILE`, `PROFILE=RATE` or `PROFILE=xWEIGHT`.

    A file whose own name ends so is read without a rate.

    Raises
    ------
    BadInput
        If the rate is not a number above 0.

    Examples
    --------
    >>> parse_workload("a.json=5000")
    (PosixPath('a.json'), StatedRate(value=5000.0, relative=False))
    >>> parse_workload("a.json=x2")[1]
    StatedRate(value=2.0, relative=True)
    """
    name, equals, rate = text.rpartition("=")
    if not equals or Path(text).is_file():
        return Path(text), None
    relative = rate.startswith(_TIMES)
    try:
        value = float(rate.removeprefix(_TIMES))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise BadInput(f"{name}: the rate `{rate}` is not a number above 0", _HINT)
    return Path(name), StatedRate(value, relative)


def workload_of(
    name: str, profile: Profile, stated: StatedRate | None = None
) -> Workload:
    """Make a workload of a profile: its running system, at the rate stated or recorded.

    Parameters
    ----------
    name : str
        How answers name it.
    profile : Profile
    stated : StatedRate, optional
        Otherwise the accesses of the profile over its duration.

    Raises
    ------
    BadInput
        If no rate is stated and the profile has no duration.
    """
    curve = profile.curve.steady()
    if stated is not None and not stated.relative:
        return Workload(name, curve, stated.value)
    if not profile.duration_s:
        raise BadInput(
            f"{name}: the profile has no duration, so the rate of its accesses is unknown",
            f"state accesses per second, such as {name}=5000",
        )
    recorded = curve.accesses / profile.duration_s
    basis = (
        f"{counted(curve.accesses, 'access')} in {three_digits(profile.duration_s)} s of the "
        "workload"
        if curve.scaled is None
        else "the mean rate of one machine of production"
    )
    if stated is None:
        return Workload(name, curve, recorded, basis)
    return Workload(
        name,
        curve,
        stated.value * recorded,
        f"{three_digits(stated.value)} times {basis}",
    )


def read_workloads(texts: Sequence[str]) -> tuple[Workload, ...]:
    """Read profiles with their rates, as `parse_workload` takes them.

    Workloads are named by their files; those of one name are numbered.

    Raises
    ------
    BadInput
        If a file is not a profile, a rate is unknown, or page sizes differ.
    """
    parsed = [parse_workload(text) for text in texts]
    names = distinct_names([path.stem for path, _ in parsed])
    read = tuple(
        workload_of(name, read_profile(path), stated)
        for name, (path, stated) in zip(names, parsed, strict=True)
    )
    check_workloads(read)
    return read


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Make names distinct: one that was given before gets a number.

    Examples
    --------
    >>> distinct_names(["orders", "logs", "orders"])
    ('orders', 'logs', 'orders #2')
    """
    found: list[str] = []
    for name in names:
        count = 1
        made = name
        while made in found:
            count += 1
            made = f"{name} #{count}"
        found.append(made)
    return tuple(found)


def check_workloads(workloads: Sequence[Workload]) -> None:
    """Check that curves and rates of workloads can be composed.

    Raises
    ------
    BadInput
        With every workload that cannot.
    """
    problems = Problems(
        "workloads", "give at least one workload, each with accesses and a rate above 0"
    )
    count = len(workloads)
    problems.check(
        0 < count <= MOST_WORKLOADS,
        "count",
        count,
        f"must be from 1 to {MOST_WORKLOADS}",
    )
    for each in workloads:
        rate = each.accesses_per_s
        problems.check(
            math.isfinite(rate) and rate > 0,
            f"{each.name}.accesses_per_s",
            rate,
            "must be above 0",
        )
        problems.check(
            each.curve.accesses > 0, f"{each.name}.accesses", 0, "must be above 0"
        )
    problems.raise_if_any()
    first = workloads[0]
    problems.hint = (
        "profile all traces with one page size, such as "
        f"[[page_bytes={first.curve.page_bytes}]]"
    )
    for each in workloads[1:]:
        problems.check(
            each.curve.page_bytes == first.curve.page_bytes,
            f"page size of {each.name}",
            each.curve.page_bytes,
            f"must be that of {first.name}, {first.curve.page_bytes}: workloads in one cache have "
            "one page size",
        )
    problems.raise_if_any()
