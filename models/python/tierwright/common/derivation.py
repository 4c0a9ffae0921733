"""Why a number is what it is: formula, the numbers put in, source, and what limits it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.common.currency import BASE, is_money, text_of
from tierwright.common.fields import plain_number

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
            "value": _in_unit(self.value, self.unit),
            "unit": self.unit,
            "formula": self.formula,
            "substituted": self.substituted,
            "numbers": [
                {**plain(number), "value": _in_unit(number.value, number.unit)}
                for number in self.numbers
            ],
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
    defined. Money, under a key with the word `usd`, leaves as decimal strings.
    """
    if isinstance(value, Derivation):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            spec.name: _named(spec.name, getattr(value, spec.name))
            for spec in dataclasses.fields(value)
            if not spec.name.startswith("_")
        }
    if isinstance(value, dict):
        return {key: _named(key, entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return _plain_scalar(value)


def _named(name: Any, value: Any) -> Any:
    return (
        money_text(value) if isinstance(name, str) and is_money(name) else plain(value)
    )


def _in_unit(value: Any, unit: str) -> Any:
    """Return the value of a formula: money as a decimal string."""
    return money_text(value) if unit.startswith(BASE) else plain(value)


def money_text(value: Any) -> Any:
    """Return money as a decimal string, a list of such, or None where there is none."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [money_text(entry) for entry in value]
    if isinstance(value, float):
        text = repr(value)
        if not math.isfinite(value):
            return None
        return text_of(Decimal(text)) if "e" in text else text
    if isinstance(value, Decimal) or (
        isinstance(value, int) and not isinstance(value, bool)
    ):
        return text_of(Decimal(value))
    return plain(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Decimal):
        return plain_number(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
