"""What a formula says, takes and gives, and how its inputs are checked before it is asked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput, Problem, Problems
from tierwright.common.wording import counted

Kind = Literal[
    "number",
    "numbers",
    "integer",
    "flag",
    "choice",
    "curve",
    "trace",
    "names",
    "rows",
    "transactions",
]
"""`numbers`: one or a list; `curve`: [size, hit ratio] pairs; `trace`: tokens R<id>, W<id>;
`names`: ids as text or list; `rows`: objects; `transactions`: an object by transaction."""
Inputs = Mapping[str, Any]
Outputs = dict[str, Any]
Warn = Callable[[Inputs, Outputs], Iterable[Caution]]

MOST_ENTRIES = 20_000
"""Of a list or a trace: what one answer computes at once."""
MOST_CHARACTERS = 400_000
MOST_UNKNOWN = 20
"""Keys that are no inputs: so many are named."""
_OF_CORE = re.compile(r"(?:option `)?([\w-]+)(?: `|=)([^`]*)`: (.*)", re.DOTALL)
"""How the core names an input: `ram-pages `0`: ...`, `option `scan_depth=0`: ...`."""
_OF_KERNEL = re.compile(r"(?:[\w -]+: )?(\w+):? `([^`]*)` (.*)", re.DOTALL)
"""How a kernel names one: `page: `-1` is not a page number`, with its own name before or not."""
_RATIO = "H("
"""How a kernel names a hit ratio of a curve, by its size."""
MOST_WHOLE = 2**63 - 1
"""The largest whole number that the kernels and the core count with."""
EXACT = "exact: evaluates the formula, approximates nothing"
REPLAY = "replay of every access, counts of operations"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One input.

    Attributes
    ----------
    name : str
        Key of the inputs, as test vectors name it.
    kind : str
        See `Kind`.
    unit : str
        `1` for ratios; empty where it has none.
    meaning : str
        What it is.
    required : bool
        Whether it must be given.
    default : object
        Taken where it is left out; None where `otherwise` says what is.
    otherwise : str
        What is used where it is left out, in words.
    choices : tuple of str
        Of a `choice`.
    also : tuple of str
        Other keys for it, which the papers and their restatements use.
    argument : str
        What the kernel calls it, where that differs: its errors are told under `name`.
    columns : tuple of Parameter
        Keys of each object of `rows`; of each transaction, where that is an object.
    """

    name: str
    kind: Kind
    unit: str
    meaning: str
    required: bool = True
    default: Any = None
    otherwise: str = ""
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    argument: str = ""
    columns: tuple[Parameter, ...] = ()

    def read(self, value: Any, problems: Problems) -> Any:
        """Return the value as the formula takes it, or note what is wrong with it."""
        fault = _fault(self, value)
        if fault is not None:
            where, found, message = fault
            shown = None if found is None else _short(found)
            problems.add(f"{self.name}{where}", shown, message)
            return value
        if self.kind == "integer":
            return int(value)
        if self.kind == "rows":
            return [self._row(row) for row in value]
        return value

    def _row(self, row: Inputs) -> dict[str, Any]:
        """Return a row that was checked, under the names of its columns."""
        names = {key: column for column in self.columns for key in _keys(column)}
        return {
            names[key].name: int(entry) if names[key].kind == "integer" else entry
            for key, entry in row.items()
        }


@dataclass(frozen=True, slots=True)
class Output:
    """One field of the result; of nested results the innermost key.

    Attributes
    ----------
    name, unit, meaning : str
        As of `Parameter`.
    formula : str
        Its equation in the symbols of the inputs; empty where a procedure makes it.
    """

    name: str
    unit: str
    meaning: str
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of one formula besides the function that evaluates it.

    Attributes
    ----------
    name : str
        As test vectors name it.
    title : str
        A few words for a list.
    says : str
        One sentence: what it answers.
    formula : str
        Its equation, or its procedure in short.
    source : str
        Paper with section or equation; `derived` where no paper prints it.
    takes : tuple of Parameter
        Inputs.
    gives : tuple of Output
        Fields of the result.
    page_file : str
        Page of docs/models that explains it.
    estimator, validity : str
        How the numbers come about, and within what range they hold.
    command, address, page : str
        Where it is part of an answer: command, path under /api/v1, page. `formula` and empty
        where it is asked by its name only.
    instead : tuple of Parameter
        Another set of inputs, which stands in the place of all of `takes`.
    warn : callable
        From inputs and result to warnings.
    """

    name: str
    title: str
    says: str
    formula: str
    source: str
    takes: tuple[Parameter, ...]
    gives: tuple[Output, ...]
    page_file: str
    estimator: str
    validity: str
    command: str = "formula"
    address: str = ""
    page: str = ""
    instead: tuple[Parameter, ...] = ()
    warn: Warn = field(default=lambda _inputs, _result: ())

    @property
    def family(self) -> str:
        """First part of the name: the paper."""
        return self.name.partition(".")[0]

    def form(self, given: Inputs) -> tuple[Parameter, ...]:
        """Return the set of parameters that the given keys belong to."""
        if not self.instead:
            return self.takes
        return max(
            (self.takes, self.instead),
            key=lambda form: len(
                given.keys() & {name for p in form for name in _keys(p)}
            ),
        )

    def read(self, given: Inputs) -> dict[str, Any]:
        """Check inputs and fill in what was left out.

        Parameters
        ----------
        given : mapping
            Inputs by key.

        Returns
        -------
        dict
            By `Parameter.name`.

        Raises
        ------
        BadInput
            If a key is missing, unknown or given twice, or a value is of the wrong kind, not
            finite or too large; every fault names its key.
        """
        form = self.form(given)
        problems = Problems(f"formula `{self.name}`", f"it takes {_wanted(form)}")
        found: dict[str, Any] = {}
        for parameter in form:
            keys = [key for key in _keys(parameter) if key in given]
            if len(keys) > 1:
                problems.add(keys[1], given[keys[1]], f"repeats `{keys[0]}`")
            elif keys:
                found[parameter.name] = parameter.read(given[keys[0]], problems)
            elif parameter.required:
                problems.add(parameter.name, None, f"is missing: {parameter.meaning}")
            elif parameter.default is not None:
                found[parameter.name] = parameter.default
        known = {key for parameter in form for key in _keys(parameter)}
        unknown = [key for key in given if key not in known]
        for key in unknown[:MOST_UNKNOWN]:
            problems.add(
                str(key), _short(given[key]), "is not an input of this formula"
            )
        if len(unknown) > MOST_UNKNOWN:
            more = len(unknown) - MOST_UNKNOWN
            problems.add(
                "inputs",
                None,
                counted(
                    more, "more is not an input either", "more are not inputs either"
                ),
            )
        problems.raise_if_any()
        return found

    def own_names(self, error: BadInput, given: Inputs) -> BadInput:
        """Tell a kernel's error under the keys that were given."""
        names = self._names_of_arguments(given)
        problems = Problems(f"formula `{self.name}`", error.hint)
        for each in error.problems or _told_problems(error.message):
            if each.where in names:
                problems.add(names[each.where], each.value or None, each.message)
            elif each.where.startswith(_RATIO) and "curve" in names:
                message = f"at {each.where} {each.message}"
                problems.add("curve", each.value or None, message)
            else:
                problems.add(each.where, each.value or None, each.message)
        if not any(each.where in names.values() for each in problems.found):
            return error
        try:
            problems.raise_if_any()
        except BadInput as renamed:
            return renamed
        return error

    def of_core(self, message: str, hint: str, given: Inputs) -> BadInput:
        """Tell what the core refuses under the key that was given.

        Parameters
        ----------
        message, hint : str
            The core's, which begins with its own name of the input and the value.
        given : mapping
            Inputs by key.
        """
        subject = f"formula `{self.name}`"
        found = _OF_CORE.fullmatch(message)
        names = self._names_of_arguments(given)
        name = names.get(found[1].replace("-", "_")) if found else None
        if found is None or name is None:
            return BadInput(f"{subject}: {message}", hint)
        problems = Problems(subject, hint)
        problems.add(name, found[2], found[3])
        try:
            problems.raise_if_any()
        except BadInput as renamed:
            return renamed
        raise AssertionError("a problem was noted")

    def _names_of_arguments(self, given: Inputs) -> dict[str, str]:
        found = {p.argument or p.name: p.name for p in self.form(given)}
        for parameter in self.form(given):
            found.setdefault(parameter.name, parameter.name)
            if parameter.kind == "curve":
                found.setdefault("size", parameter.name)
            for column in parameter.columns:
                found[column.argument] = f"{parameter.name}.{column.name}"
        return found


def _told_problems(message: str) -> tuple[Problem, ...]:
    """Return what a message of one sentence says that names an input and its value first."""
    found = _OF_KERNEL.fullmatch(message)
    return (Problem(found[1], found[2], found[3]),) if found else ()


def _keys(parameter: Parameter) -> tuple[str, ...]:
    return (parameter.name, *parameter.also)


def _wanted(form: Sequence[Parameter]) -> str:
    needed = ", ".join(p.name for p in form if p.required)
    optional = ", ".join(p.name for p in form if not p.required)
    return f"{needed}; optional: {optional}" if optional else needed


def _short(value: Any) -> str:
    """Return a value for a message; `Problems` shortens it further, but this must not be slow."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) <= MOST_WHOLE else "a longer whole number"
    if isinstance(value, (list, dict)):
        return f"{type(value).__name__} of {len(value)}"
    return str(value)


Fault = tuple[str, Any, str]


def _fault(parameter: Parameter, value: Any) -> Fault | None:
    """Where in a value something is wrong, what stands there, and what is wrong with it."""
    if parameter.kind == "choice":
        fits = isinstance(value, str) and value in parameter.choices
        words = ", ".join(parameter.choices)
        return None if fits else ("", value, f"must be one of {words}")
    return _CHECKS[parameter.kind](value) or (
        _COLUMN_CHECKS[parameter.kind](parameter, value)
        if parameter.kind in _COLUMN_CHECKS
        else None
    )


def _numbers_fault(value: Any) -> Fault | None:
    if not isinstance(value, list):
        return _number_fault("", value)
    faults = (_number_fault(f"[{at}]", entry) for at, entry in enumerate(value))
    return _list_fault(value) or next(filter(None, faults), None)


def _names_fault(value: Any) -> Fault | None:
    if isinstance(value, str):
        return _text_fault(value)
    fault = _list_fault(value, "a text or a list of names")
    if fault is not None:
        return fault
    wrong = (
        (f"[{at}]", entry, "must be a name: a text without spaces or a whole number")
        for at, entry in enumerate(value)
        if isinstance(entry, bool) or not (isinstance(entry, int) or _is_name(entry))
    )
    return next(wrong, None)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.split() == [value]


def _number_fault(where: str, value: Any, *, whole: bool = False) -> Fault | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return where, value, f"must be a {'whole ' if whole else ''}number"
    if isinstance(value, int):
        if abs(value) > MOST_WHOLE:
            return where, value, f"must be at most {MOST_WHOLE}"
        return None
    if not math.isfinite(value):
        return where, value, "must be finite"
    if whole and not (value.is_integer() and abs(value) <= MOST_WHOLE):
        return where, value, "must be a whole number"
    return None


def _text_fault(value: Any) -> Fault | None:
    if not isinstance(value, str):
        return "", value, "must be a text of names between spaces"
    if len(value) > MOST_CHARACTERS:
        return (
            "",
            counted(len(value), "character"),
            f"must be at most {MOST_CHARACTERS:,}",
        )
    entries = len(value.split())
    if entries > MOST_ENTRIES:
        return "", counted(entries, "access"), f"must be at most {MOST_ENTRIES:,}"
    return None


def _trace_fault(value: Any) -> Fault | None:
    if isinstance(value, str) and not value.strip():
        return "", None, "must hold at least one access, such as R1"
    fault = _text_fault(value)
    if fault is not None:
        return fault
    wrong = (
        (f"[{at}]", token, "must be R<page> or W<page>")
        for at, token in enumerate(value.split())
        if token[0] not in "RW" or len(token) == 1
    )
    return next(wrong, None)


def _list_fault(value: Any, wanted: str = "a list") -> Fault | None:
    if not isinstance(value, list):
        return "", value, f"must be {wanted}"
    if not value:
        return "", "[]", "must not be empty"
    if len(value) > MOST_ENTRIES:
        return "", counted(len(value), "entry"), f"must be at most {MOST_ENTRIES:,}"
    return None


def _curve_fault(value: Any) -> Fault | None:
    fault = _list_fault(value, "a list of [size, hit ratio]")
    if fault is not None:
        return fault
    for at, entry in enumerate(value):
        if not isinstance(entry, list) or len(entry) != len(("size", "ratio")):
            return f"[{at}]", entry, "must be a pair [size, hit ratio]"
        for place, number in enumerate(entry):
            inner = _number_fault(f"[{at}][{place}]", number)
            if inner is not None:
                return inner
    return None


def _rows_fault(value: Any) -> Fault | None:
    fault = _list_fault(value)
    if fault is not None:
        return fault
    for at, entry in enumerate(value):
        if not isinstance(entry, dict):
            return f"[{at}]", entry, "must be an object"
        for key, number in entry.items():
            if isinstance(number, bool):  # its column says whether it may be one
                continue
            inner = _number_fault(f"[{at}].{key}", number)
            if inner is not None:
                return inner
    return None


def _transactions_fault(value: Any) -> Fault | None:
    if not isinstance(value, dict):
        return "", value, "must be an object, one key per transaction"
    return _inner_fault("", value)


def _inner_fault(where: str, value: Any, depth: int = 0) -> Fault | None:
    """Numbers within an object of transactions; null stands for what has not happened."""
    most_depth = 3
    if value is None:
        return None
    if depth > most_depth:
        return where, "deeper", "is nested too deeply"
    if isinstance(value, dict):
        entries = [(f"{where}.{key}", entry) for key, entry in value.items()]
    elif isinstance(value, list):
        entries = [(f"{where}[{at}]", entry) for at, entry in enumerate(value)]
    else:
        return _number_fault(where, value)
    if len(entries) > MOST_ENTRIES:
        return (
            where,
            counted(len(entries), "entry"),
            f"must be at most {MOST_ENTRIES:,}",
        )
    faults = (_inner_fault(place, entry, depth + 1) for place, entry in entries)
    return next(filter(None, faults), None)


def _row_faults(parameter: Parameter, value: list[Inputs]) -> Fault | None:
    faults = (
        _columns_fault(f"[{at}]", parameter.columns, row)
        for at, row in enumerate(value)
    )
    return next(filter(None, faults), None)


def _transaction_faults(parameter: Parameter, value: Inputs) -> Fault | None:
    """Of each transaction: a list of times, or an object that has one as `access`."""
    for name, entry in value.items():
        where, times = f".{name}", entry
        if parameter.columns:
            if not isinstance(entry, dict):
                keys = ", ".join(column.name for column in parameter.columns)
                return where, _short(entry), f"must be an object with {keys}"
            given = {key: each for key, each in entry.items() if each is not None}
            fault = _columns_fault(where, parameter.columns, given)
            if fault is not None:
                return fault
            where, times = f"{where}.access", entry["access"]
        if not isinstance(times, list):
            return where, _short(times), "must be a list of times"
        if not times:
            return where, "[]", "must not be empty: without a page there is no AAT"
        for at, time in enumerate(times):
            fault = _number_fault(f"{where}[{at}]", time)
            if fault is not None:
                return fault
    return None


def _columns_fault(
    where: str, columns: Sequence[Parameter], row: Inputs
) -> Fault | None:
    known = {key for column in columns for key in _keys(column)}
    unknown = next((key for key in row if key not in known), None)
    if unknown is not None:
        names = ", ".join(column.name for column in columns)
        place = f"{where}.{unknown}"
        return place, _short(row[unknown]), f"is not one of the keys here: {names}"
    for column in columns:
        keys = [key for key in _keys(column) if key in row]
        if len(keys) > 1:
            place = f"{where}.{keys[1]}"
            return place, row[keys[1]], f"repeats `{keys[0]}`"
        if keys:
            fault = _CHECKS[column.kind](row[keys[0]])
            if fault is not None:
                return f"{where}.{keys[0]}{fault[0]}", fault[1], fault[2]
        elif column.required:
            return f"{where}.{column.name}", None, f"is missing: {column.meaning}"
    return None


_COLUMN_CHECKS: Mapping[str, Callable[[Parameter, Any], Fault | None]] = {
    "rows": _row_faults,
    "transactions": _transaction_faults,
}
_CHECKS: Mapping[Kind, Callable[[Any], Fault | None]] = {
    "number": lambda value: _number_fault("", value),
    "integer": lambda value: _number_fault("", value, whole=True),
    "numbers": _numbers_fault,
    "flag": lambda value: (
        None if isinstance(value, bool) else ("", value, "must be true or false")
    ),
    "curve": _curve_fault,
    "trace": _trace_fault,
    "names": _names_fault,
    "rows": _rows_fault,
    "transactions": _transactions_fault,
}


def number(name: str, unit: str, meaning: str, **more: Any) -> Parameter:
    """Return a parameter that is one number."""
    return Parameter(name, "number", unit, meaning, **more)


def numbers(name: str, unit: str, meaning: str, **more: Any) -> Parameter:
    """Return a parameter that is a number or a list of them."""
    return Parameter(name, "numbers", unit, meaning, **more)


def integer(name: str, unit: str, meaning: str, **more: Any) -> Parameter:
    """Return a parameter that is a whole number."""
    return Parameter(name, "integer", unit, meaning, **more)


def trace(
    meaning: str = "accesses in order: R<page> reads, W<page> writes",
) -> Parameter:
    """Return the parameter of a trace."""
    return Parameter("trace", "trace", "", meaning)


def optional(parameter: Parameter, default: Any) -> Parameter:
    """Return the parameter as one that may be left out."""
    return replace(parameter, required=False, default=default)


def cards_of(family: str, **usual: Any) -> Callable[..., Card]:
    """Return what makes the cards of a family: `usual` where a card says nothing else."""

    def card(name: str, **more: Any) -> Card:
        return Card(f"{family}.{name}", **{"estimator": EXACT, **usual, **more})

    return card
