"""A formula's result with everything a reader must know to use it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.catalogue.card import Card
from tierwright.catalogue.table import card_of
from tierwright.catalogue.vectors.conformance import evaluate_formula
from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted

MOST_STEPS = 60
"""Of a derivation; a result with more numbers is a table already."""
NAME = re.compile(r"[A-Za-z_]\w*'?")
WORDS = frozenset({"ceil", "floor", "max", "min", "ln", "mod", "x"})
"""What equations write beside symbols."""
UNITLESS = frozenset({"", "any", "time", "as base", "as writes_a"})
SHOWN_ENTRIES = 6
SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """One formula on given inputs.

    Attributes
    ----------
    name : str
        The formula.
    inputs : dict
        What was put in, with the defaults that were taken.
    result : dict
        Plain data, as a vector expects it.
    estimator, validity, source, formula : str
        As on its card.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Equation, numbers put in and source of each number of the result that has an equation.
    """

    name: str
    inputs: dict[str, Any]
    result: dict[str, Any]
    estimator: str
    validity: str
    source: str
    formula: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def ask(name: str, inputs: Mapping[str, Any]) -> Answer:
    """Check inputs, evaluate a formula, and say what is known of the result.

    Parameters
    ----------
    name : str
        Such as `face.writeback_chain`.
    inputs : mapping
        Named as on the formula's card; units as stated there.

    Returns
    -------
    Answer

    Raises
    ------
    BadInput
        If there is no such formula; if an input is missing, unknown, of the wrong kind, not
        finite, too large or out of the formula's domain; if the result is no finite number.
        Whatever else is raised is a defect, not a fault of the inputs.

    Examples
    --------
    >>> found = ask("fd.window_io_time", {"Comp": 0.9, "g": 0.03})
    >>> round(found.result["io_time"], 6), found.derivation[0].formula
    (30.0, 'Comp / g')
    """
    from tierwright.common.core_errors import SimulatorError

    card = card_of(name)
    given: dict[str, Any] = _unsigned_zeros(card.read(inputs))
    try:
        found: dict[str, Any] = _unsigned_zeros(plain(evaluate_formula(name, given)))
        with np.errstate(all="ignore"):  # what is shown was found finite above
            warnings = tuple(card.warn(given, found))
    except BadInput as error:
        raise card.own_names(error, inputs) from error
    except SimulatorError as error:  # the core refuses what is outside its domain
        message, *rest = (str(part) for part in error.args)
        raise card.of_core(message, rest[0] if rest else "", inputs) from error
    return Answer(
        name=name,
        inputs=given,
        result=found,
        estimator=card.estimator,
        validity=card.validity,
        source=card.source,
        formula=card.formula,
        warnings=warnings,
        derivation=tuple(_derivation(card, given, found)),
    )


def _unsigned_zeros(value: Any) -> Any:
    """Return plain data without negative zeros, which would be shown as -0."""
    if isinstance(value, Mapping):
        return {key: _unsigned_zeros(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_unsigned_zeros(entry) for entry in value]
    return value + 0.0 if isinstance(value, float) else value


def _derivation(
    card: Card, given: Mapping[str, Any], found: Mapping[str, Any]
) -> Iterator[Derivation]:
    gives = {output.name: output for output in card.gives}
    form = {parameter.name: parameter for parameter in card.form(given)}
    inputs = [
        Number(
            name,
            _brief(value),
            _unit(form[name].unit, form[name].kind),
            form[name].meaning,
        )
        for name, value in given.items()
    ]
    steps = 0
    for place, leaf, value, beside in _leaves("", "", found, {}):
        output = gives.get(leaf)
        if output is None or not output.formula or steps >= MOST_STEPS:
            continue
        results = [
            Number(name, entry, _unit(gives[name].unit), gives[name].meaning)
            for name, entry in beside.items()
            if name in gives and name not in given and name != leaf
        ]
        steps += 1
        yield Derivation(
            place,
            value,
            output.unit or "1",
            output.formula,
            _named(output.formula, inputs, results),
            card.source,
        )


def _named(
    formula: str, inputs: list[Number], results: list[Number]
) -> tuple[Number, ...]:
    """Return the numbers that an equation names.

    All inputs where it also names what is neither input nor result: the card's formula says
    how that comes from them.
    """
    names = set(NAME.findall(formula))
    used = [number for number in (*inputs, *results) if number.symbol in names]
    if names - {number.symbol for number in used} - WORDS:
        return (*inputs, *(number for number in used if number not in inputs))
    return tuple(used)


def _unit(unit: str, kind: str = "number") -> str:
    """Return a unit to stand behind a number; pairs, words and times of any unit have none."""
    return "1" if unit in UNITLESS or kind == "curve" else unit


def _leaves(
    place: str, leaf: str, value: Any, beside: Mapping[str, Any]
) -> Iterator[tuple[str, str, Any, Mapping[str, Any]]]:
    """Numbers of a result: place, key, the number, and the numbers that stand around it."""
    if isinstance(value, Mapping):
        around = {**beside, **{k: v for k, v in value.items() if _is_number(v)}}
        for key, entry in value.items():
            inner = f"{place}.{key}" if place else str(key)
            yield from _leaves(inner, str(key), entry, around)
    elif isinstance(value, list):
        for at, entry in enumerate(value):
            yield from _leaves(f"{place}[{at}]", leaf, entry, beside)
    elif value is None or _is_number(value):
        yield place, leaf, value, beside


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _brief(value: Any) -> Any:
    """Return an input as it may stand in a sentence."""
    if isinstance(value, str) and len(value) > SHOWN_CHARACTERS:
        return f"{value[:SHOWN_CHARACTERS]}… ({len(value.split()):,} in all)"
    if isinstance(value, list):
        if len(value) > SHOWN_ENTRIES or any(isinstance(e, dict) for e in value):
            return counted(len(value), "entry")
        return value
    if isinstance(value, dict):
        return counted(len(value), "entry")
    return value
