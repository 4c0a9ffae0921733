"""Dated facts of things that can be bought: one reader for servers, volumes and parts.

A file states each figure with its value, unit, source, date and licence. What no source states is
absent, never guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from tierwright.common.documents import read_toml
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import check_date, plain_number, read_decimal
from tierwright.common.shipped import shipped_folder

T = TypeVar("T")

FIXTURES_VARIABLE = "TIERWRIGHT_FIXTURES"
"""Environment variable that names the folder with `devices/` and `prices/`."""

FigureTable = Mapping[str, tuple[tuple[str, ...], str]]
"""Figure to its allowed units and its meaning."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_FACT_KEYS = {"value", "unit", "source", "date", "licence", "note", "estimate"}


def fixtures_folder() -> Path:
    """Folder of the shipped facts: `TIERWRIGHT_FIXTURES`, else that of the wheel or repository.

    Raises
    ------
    BadInput
        If the folder does not hold `devices` and `prices`.
    """
    named = os.environ.get(FIXTURES_VARIABLE)
    folder = Path(named) if named else shipped_folder() / "fixtures"
    if not (folder / "devices").is_dir() or not (folder / "prices").is_dir():
        raise BadInput(
            f"the catalogue folder `{folder}` does not hold `devices` and `prices`",
            f"set {FIXTURES_VARIABLE} to the repository's `fixtures` folder",
        )
    return folder


@dataclass(frozen=True, slots=True)
class Fact:
    """One stated figure.

    Attributes
    ----------
    value : Decimal
        In `unit`.
    unit : str
        One of those that the table of figures allows.
    source : str
        Where the number is from.
    date : str or None
        `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or `YYYY-Qn`; None when the source is undated.
    licence : str
        Of the source; `facts quoted` where single facts were quoted.
    note : str
        What to know before using it.
    estimate : bool
        Whether it is a figure of a class, no single product's.
    """

    value: Decimal
    unit: str
    source: str
    date: str | None = None
    licence: str = ""
    note: str = ""
    estimate: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the fact as plain data."""
        return {
            "value": plain_number(self.value),
            "unit": self.unit,
            "source": self.source,
            "date": self.date,
            "licence": self.licence,
            "note": self.note,
            "estimate": self.estimate,
        }


def read_figures(data: Any, table: FigureTable, problems: Problems) -> dict[str, Fact]:
    """Read the figures of a file, noting every problem with its key."""
    found: dict[str, Fact] = {}
    if not problems.check(
        isinstance(data, Mapping), "figures", None, "must be a table"
    ):
        return found
    for name, entry in data.items():
        key = f"figures.{name}"
        if not problems.check(
            name in table, key, None, "unknown figure"
        ) or not problems.check(
            isinstance(entry, Mapping), key, entry, "must be a table"
        ):
            continue
        value = read_decimal(entry.get("value"), f"{key}.value", problems)
        if value is not None:
            problems.check(value >= 0, f"{key}.value", value, "must not be negative")
        unit = entry.get("unit")
        units = table[name][0]
        problems.check(
            unit in units, f"{key}.unit", unit, f"must be {' or '.join(units)}"
        )
        made = fact_of(entry, key, value, str(unit), problems, _FACT_KEYS)
        if made is not None:
            found[name] = made
    return found


def fact_of(
    entry: Mapping[str, Any],
    key: str,
    value: Decimal | None,
    unit: str,
    problems: Problems,
    keys: set[str],
) -> Fact | None:
    """Read what every fact states beside its value."""
    for part in entry:
        problems.check(part in keys, f"{key}.{part}", None, "unknown key")
    for name in ("source", "licence"):
        text = entry.get(name)
        problems.check(
            isinstance(text, str) and text.strip(),
            f"{key}.{name}",
            text,
            "must be a text that is not empty",
        )
    check_date(entry.get("date"), f"{key}.date", problems)
    note, estimate = entry.get("note", ""), entry.get("estimate", False)
    problems.check(isinstance(note, str), f"{key}.note", note, "must be text")
    problems.check(
        isinstance(estimate, bool), f"{key}.estimate", estimate, "must be true or false"
    )
    if value is None:
        return None
    return Fact(
        value,
        unit,
        str(entry.get("source", "")),
        entry.get("date"),
        str(entry.get("licence", "")),
        str(note),
        bool(estimate),
    )


def read_texts(
    data: Mapping[str, Any],
    required: tuple[str, ...],
    optional: tuple[str, ...],
    others: tuple[str, ...],
    problems: Problems,
) -> dict[str, Any]:
    """Read the texts at the beginning of a file; refuse unknown keys."""
    for key in data:
        problems.check(key in (*required, *optional, *others), key, None, "unknown key")
    found: dict[str, Any] = {}
    for key in (*required, *optional):
        value = data.get(key, "")
        problems.check(
            isinstance(value, str) and (key not in required or value.strip()),
            key,
            value,
            "must be a text that is not empty" if key in required else "must be text",
        )
        found[key] = value if isinstance(value, str) else ""
    problems.check(
        _ID.fullmatch(found.get("id", "")),
        "id",
        found.get("id"),
        "must be lower-case letters, digits, `.`, `_`, `-`, at most 80",
    )
    return found


def one_of(value: str, names: Mapping[str, str], key: str, problems: Problems) -> None:
    """Note a problem unless a text is one of the known names."""
    problems.check(value in names, key, value, f"is not one of {', '.join(names)}")


def numbers_of(figures: Mapping[str, Fact], table: FigureTable) -> dict[str, Any]:
    """Return the value of every figure of a table, None where it is not stated."""
    return {
        name: None if name not in figures else figures[name].value for name in table
    }


@lru_cache(maxsize=16)
def read_folder(
    folder: Path, make: Callable[[Mapping[str, Any], str], T]
) -> Mapping[str, T]:
    """Read every file of a folder, each named after its id, in order of id."""
    found: dict[str, T] = {}
    for path in sorted(folder.glob("*.toml")):
        place = f"{folder.name}/{path.name}"
        data = read_toml(path, place, "correct the file or restore it")
        if data.get("id") != path.stem:
            raise BadInput(
                f"{place}: id: `{data.get('id')}` differs from the file's name",
                "name the file after its id",
            )
        found[path.stem] = make(data, place)
    return MappingProxyType(found)


def find(entries: Mapping[str, T], identifier: str, what: str, command: str) -> T:
    """Find an entry by its id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.
    """
    found = entries.get(identifier)
    if found is not None:
        return found
    from difflib import get_close_matches

    near = get_close_matches(identifier, entries, n=3, cutoff=0.5)
    meant = f"did you mean {', '.join(f'`{name}`' for name in near)}? " if near else ""
    raise BadInput(
        f"there is no {what} `{identifier}`", f"{meant}`{command}` lists them all"
    )
