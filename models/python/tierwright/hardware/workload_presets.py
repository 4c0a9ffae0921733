"""Presets of described workloads: mixes fitted to recorded traces, for data and load of one's own.

A preset is one file in `fixtures/described/`. It states the trace to which it was fitted, and beside it
the misses and write-backs of the trace and of the description at several sizes, so that its error is
known. `scripts/fit_presets.py` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tierwright.common.errors import Problems
from tierwright.common.wording import counted
from tierwright.hardware import facts
from tierwright.hardware.facts import fixtures_folder
from tierwright.profile.described.description import (
    Description,
    description_from_mapping,
)

COMMAND = "tierwright catalog presets"
_TEXTS = ("id", "title", "summary", "source", "licence", "fitted_by")
_FIT_KEYS = (
    "cache_pages",
    "recorded_misses",
    "described_misses",
    "recorded_write_backs",
    "described_write_backs",
)


@dataclass(frozen=True, slots=True)
class FitPoint:
    """Recorded and described counts at one size.

    Attributes
    ----------
    cache_pages : int
        Size of the cache. [pages]
    recorded_misses, described_misses : float
        Misses per access of LRU in the steady state: of the trace, and by formula. [1]
    recorded_write_backs, described_write_backs : float or None
        Write-backs per access, in the same way; None where the trace states no writes. [1]
    """

    cache_pages: int
    recorded_misses: float
    described_misses: float
    recorded_write_backs: float | None
    described_write_backs: float | None

    def to_dict(self) -> dict[str, float | int | None]:
        """Return it as plain data."""
        return {name: getattr(self, name) for name in _FIT_KEYS}


@dataclass(frozen=True, slots=True)
class Preset:
    """A mix that was fitted to a recorded trace.

    Attributes
    ----------
    id, title : str
        As lists show it.
    summary : str
        What kind of system works like this.
    source, licence : str
        The trace, what was recorded where, and its licence; where the writes come from.
    fitted_by : str
        The script that made the file.
    workload : Description
        The mix with data and load of the recording.
    fit : tuple of FitPoint
        By size.
    """

    id: str
    title: str
    summary: str
    source: str
    licence: str
    fitted_by: str
    workload: Description
    fit: tuple[FitPoint, ...]

    @property
    def miss_error(self) -> float:
        """Largest difference of the misses per access, at the sizes of `fit`. [1]"""
        return max(abs(one.described_misses - one.recorded_misses) for one in self.fit)

    @property
    def write_back_error(self) -> float | None:
        """Largest difference of the write-backs per access; None without recorded writes. [1]"""
        errors = [
            abs(one.described_write_backs - one.recorded_write_backs)
            for one in self.fit
            if one.described_write_backs is not None
            and one.recorded_write_backs is not None
        ]
        return max(errors) if errors else None

    @property
    def origin(self) -> str:
        """What an answer says of the mix: the trace to which it was fitted, and how well."""
        backs = self.write_back_error
        error = f"misses within {self.miss_error:.2%} of the accesses"
        if backs is not None:
            error += f", write-backs within {backs:.2%}"
        return f"Preset {self.title}, fitted to: {self.source}. At {counted(len(self.fit), 'size')}: {error}."

    def described(
        self,
        *,
        data_bytes: int | None = None,
        accesses_per_s: float | None = None,
        page_bytes: int | None = None,
    ) -> Description:
        """Return its mix for data and load of one's own.

        The shares stay as they are: of the data, of the accesses, of the writes, and the skew.

        Parameters
        ----------
        data_bytes, page_bytes : int or None
            Sizes of the data and of a page; None keeps those of the recording. [bytes]
        accesses_per_s : float or None
            Page accesses; None keeps those of the recording. [1/s]

        Raises
        ------
        BadInput
            If a value is out of range; names the key.
        """
        own = self.workload.with_load(
            data_bytes=data_bytes, accesses_per_s=accesses_per_s, page_bytes=page_bytes
        )
        return replace(own, provenance=self.origin)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "summary": self.summary,
            "source": self.source,
            "licence": self.licence,
            "fitted_by": self.fitted_by,
            "miss_error": self.miss_error,
            "write_back_error": self.write_back_error,
            "workload": self.workload.to_dict(),
            "fit": [one.to_dict() for one in self.fit],
        }


def presets() -> Mapping[str, Preset]:
    """Shipped presets by id, in order of id.

    Raises
    ------
    BadInput
        If a file is damaged; names its keys.
    """
    return facts.read_folder(fixtures_folder() / "described", preset_from_mapping)


def find_preset(identifier: str) -> Preset:
    """Find a preset by its id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.
    """
    return facts.find(presets(), identifier, "preset", COMMAND)


def preset_from_mapping(data: Mapping[str, Any], place: str) -> Preset:
    """Make a preset from the tables of its file, checking every key and value.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, "see docs/models/described.md for the keys")
    texts = facts.read_texts(data, _TEXTS, (), ("workload", "fit"), problems)
    listed = data.get("fit")
    rows = listed if isinstance(listed, list) else []
    problems.check(rows, "fit", None, "must be a list of tables")
    fit = tuple(_fit_point(one, f"fit[{at}]", problems) for at, one in enumerate(rows))
    found = data.get("workload")
    workload = found if isinstance(found, Mapping) else {}
    problems.check(workload, "workload", None, "must be a description")
    problems.raise_if_any()
    about = {
        "name": texts["title"],
        "title": texts["title"],
        "provenance": texts["source"],
    }
    description = description_from_mapping(
        {**about, **workload}, place=f"{place}: workload"
    )
    return Preset(**texts, workload=description, fit=fit)


def _fit_point(one: Any, where: str, problems: Problems) -> FitPoint:
    given = one if isinstance(one, Mapping) else {}
    found: dict[str, Any] = {}
    for key in _FIT_KEYS:
        value = given.get(key)
        if key == "cache_pages":
            good = isinstance(value, int) and value > 0
            problems.check(
                good, f"{where}.{key}", value, "must be a whole number of pages"
            )
            found[key] = value
            continue
        absent = value is None and key.endswith("write_backs")
        number = float(value) if isinstance(value, (int, float, Decimal)) else None
        good = absent or (number is not None and 0 <= number <= 1)
        problems.check(good, f"{where}.{key}", value, "must lie in [0, 1]")
        found[key] = number
    return FitPoint(**found)
