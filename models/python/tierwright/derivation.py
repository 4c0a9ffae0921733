"""Why a number is what it is: formula, the numbers put in, source, and what limits it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.device import plain_number

DIGITS = 6


@dataclass(frozen=True, slots=True)
class Number:
    """One number put into a formula.

    Attributes
    ----------
    symbol : str
        As in the formula.
    value : float, array, Decimal or None
        In `unit`; None where it is not defined.
    unit : str
        `1` for ratios.
    meaning : str
        What it is and where it comes from.
    """

    symbol: str
    value: Any
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one result came about.

    Attributes
    ----------
    result : str
        Name of the field derived.
    value : float, array, Decimal or None
        The result, in `unit`.
    unit : str
        Unit of the result.
    formula : str
        The equation in the symbols of `numbers`.
    numbers : tuple of Number
        What was put in.
    source : str
        Paper and equation; `derived` where no paper prints it.
    """

    result: str
    value: Any
    unit: str
    formula: str
    numbers: tuple[Number, ...]
    source: str

    @property
    def substituted(self) -> str:
        """The formula with its numbers beside it, for people."""
        given = ", ".join(
            f"{number.symbol} = {shown(number.value)}"
            + ("" if number.unit == "1" else f" {number.unit}")
            for number in self.numbers
        )
        unit = "" if self.unit == "1" else f" {self.unit}"
        return f"{self.formula} = {shown(self.value)}{unit}, with {given}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "result": self.result,
            "value": plain(self.value),
            "unit": self.unit,
            "formula": self.formula,
            "substituted": self.substituted,
            "numbers": [plain(number) for number in self.numbers],
            "source": self.source,
        }


def shown(value: Any) -> str:
    """Return a number, an array or None as short text."""
    if value is None:
        return "undefined"
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return shown(value.item())
        return "[" + ", ".join(shown(part) for part in value.tolist()) + "]"
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(part) for part in value) + "]"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float) and not math.isfinite(value):
        return "undefined"
    # A Decimal would keep its padding zeros, and write a million as 1.00000e+6.
    return f"{float(value):.{DIGITS}g}"


def plain(value: Any) -> Any:
    """Return dataclasses, arrays, Decimals and tuples as plain data for JSON.

    NaN and infinity, which JSON lacks, become None: a result that is unreachable or not
    defined. Money leaves as a number; inside it is a Decimal.
    """
    if isinstance(value, Derivation):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            spec.name: plain(getattr(value, spec.name))
            for spec in dataclasses.fields(value)
            if not spec.name.startswith("_")
        }
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Decimal):
        return plain_number(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
