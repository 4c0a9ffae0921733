"""A template of questions: what may be bought, within which limits and for what, but not for which workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from tierwright.advise.advice.request import (
    NO_BOOK,
    WHOLE,
    Candidates,
    FindDevice,
    candidates_from_mapping,
    checked_constraints,
    device_beside,
)
from tierwright.common.documents import read_table
from tierwright.common.errors import Problems
from tierwright.common.fields import is_count
from tierwright.evaluate.advice.choose import OBJECTIVES, Objective
from tierwright.hardware import catalog

HINT = "see docs/models/advice.md for what a template may state"
KEYS = (
    "objective",
    "candidates",
    "constraints",
    "price_book_id",
    "horizon_months",
    "flash_device_id",
    "disk_device_id",
)
"""What a template may state: keys of the body of an advice over HTTP."""
_IDS = ("price_book_id", "flash_device_id", "disk_device_id")
_LISTS = ("kinds", "servers", "volumes", "devices", "parts")
_MOST_MONTHS = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What a team asks of every workload; what it does not state is None.

    Attributes
    ----------
    objective : str or None
        `usd`, `io_time` or `pareto`.
    candidates : Candidates or None
        What may be bought.
    constraints : mapping
        Limits by name, as stated.
    price_book_id : str or None
        `NO_BOOK` for none; not stated, the default one is used.
    horizon_months : int or None
        [months]
    flash_device_id, disk_device_id : str or None
        Whose rates count for what states none.
    """

    objective: Objective | None = None
    candidates: Candidates | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    price_book_id: str | None = None
    horizon_months: int | None = None
    flash_device_id: str | None = None
    disk_device_id: str | None = None


def read_template(path: Path) -> Template:
    """Read a template, TOML or JSON; own devices that it lists are files beside it.

    Raises
    ------
    BadInput
        If it cannot be read, a key is unknown, or a value is out of its domain.
    """
    return template_from_mapping(read_table(path, HINT), str(path), device_beside(path))


def template_from_mapping(
    data: Mapping[str, Any], place: str, find: FindDevice = catalog.device
) -> Template:
    """Make a template of plain data.

    Parameters
    ----------
    data : mapping
        As a file states it: `KEYS`.
    place : str
        Where it is from, for errors.
    find : callable, optional
        Finds what the candidates list as `own`.

    Raises
    ------
    BadInput
        As `read_template`.

    Examples
    --------
    >>> template_from_mapping(
    ...     {"constraints": {"usd_per_month": 5000}}, "file"
    ... ).constraints
    {'usd_per_month': 5000}
    """
    problems = Problems(place, HINT)
    for key in data:
        problems.check(key in KEYS, key, None, "unknown key")
    objective, months = data.get("objective"), data.get("horizon_months")
    problems.check(
        objective is None or objective in OBJECTIVES,
        "objective",
        objective,
        f"is not one of {', '.join(OBJECTIVES)}",
    )
    problems.check(
        months is None or (is_count(months, _MOST_MONTHS) and months >= 1),
        "horizon_months",
        months,
        f"must be a whole number from 1 to {_MOST_MONTHS:,}",
    )
    for key in _IDS:
        value = data.get(key)
        problems.check(
            value is None or isinstance(value, str), key, value, "must be an id"
        )
    for key in ("candidates", "constraints"):
        problems.check(
            isinstance(data.get(key, {}), Mapping), key, None, "must be a table"
        )
    problems.raise_if_any()
    constraints = dict(data.get("constraints", {}))
    checked_constraints(constraints)
    return Template(
        objective=cast("Objective | None", objective),
        candidates=_candidates(data, place, find),
        constraints=constraints,
        horizon_months=months,
        **{key: data.get(key) for key in _IDS},
    )


def _candidates(
    data: Mapping[str, Any], place: str, find: FindDevice
) -> Candidates | None:
    stated = data.get("candidates")
    if stated is None:
        return None
    found = candidates_from_mapping(stated, f"{place}: candidates", find)
    book = data.get("price_book_id")
    if book not in (None, "", NO_BOOK) and not any(name in stated for name in _LISTS):
        # A book that is chosen brings RAM and devices, as over HTTP.
        return replace(found, kinds=(*WHOLE, "devices"))
    return found
