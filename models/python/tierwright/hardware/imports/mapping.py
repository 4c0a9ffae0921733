"""What the user says that lines of quotes are: by exact part numbers, kept in a file and used again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from tierwright.common.currency import read_amount
from tierwright.common.documents import read_table
from tierwright.common.errors import Problems
from tierwright.common.fields import is_count
from tierwright.common.wording import counted, listed
from tierwright.hardware.imports.ledger import Skip, shown
from tierwright.hardware.imports.quotes import BUYABLE

HINT = "see docs/quote-ranking.md for what the file may state"
BY = ("supplier", "part_number", "manufacturer", "manufacturer_part_number")
"""What a line is told by: every one that an entry states must be the same, case and all."""
_NUMBERS = ("part_number", "manufacturer_part_number")
_SIZES = ("size_gib", "iops", "mb_per_s")
_IS_KEYS = {"kind", "item", "quantity", *_SIZES}
MOST_ENTRIES = 10_000
"""Most entries of a mapping, in a file and in every request."""
_MOST_ITEMS, _MOST_TEXT = 50, 200
_MOST_AMOUNT = Decimal(10**9)
_MOST_COUNT = 100_000


class Stated(Protocol):
    """What a line states, as far as a mapping reads it; empty texts where it states nothing."""

    @property
    def kind(self) -> str:
        """Return what it is."""
        ...

    @property
    def item(self) -> str:
        """Return the id of it in the catalogue."""
        ...

    @property
    def supplier(self) -> str:
        """Return who offers it."""
        ...

    @property
    def part_number(self) -> str:
        """Return the number of the supplier."""
        ...

    @property
    def manufacturer(self) -> str:
        """Return who makes it."""
        ...

    @property
    def manufacturer_part_number(self) -> str:
        """Return the number of the manufacturer."""
        ...


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a line is, or that one piece of it holds.

    Attributes
    ----------
    kind : str
        One of `BUYABLE`.
    item : str
        Id of the catalogue.
    quantity : int
        In one piece of the line.
    size_gib, iops, mb_per_s : Decimal or None
        Of a volume: no line states them.
    """

    kind: str
    item: str
    quantity: int = 1
    size_gib: Decimal | None = None
    iops: Decimal | None = None
    mb_per_s: Decimal | None = None


@dataclass(frozen=True, slots=True)
class MappedLine:
    """Lines that are told by what they state, and what each of their pieces is.

    Attributes
    ----------
    by : mapping of str to str
        Of `BY`.
    items : tuple of Item
    """

    by: Mapping[str, str]
    items: tuple[Item, ...]

    def tells(self, line: Stated) -> bool:
        """Whether a line is meant."""
        return all(getattr(line, name) == text for name, text in self.by.items())


@dataclass(frozen=True, slots=True)
class LineMapping:
    """What lines are, by what they state.

    Attributes
    ----------
    entries : tuple of MappedLine
    """

    entries: tuple[MappedLine, ...] = ()

    def items_of(self, line: Stated) -> tuple[Item, ...] | None:
        """Return what a line is; None where neither it nor an entry says so.

        A line that names its item is that; else the entry that states most of it.

        Raises
        ------
        Skip
            If several entries state equally much of it.
        """
        if line.item:
            return (Item(line.kind, line.item),)
        told = [each for each in self.entries if each.tells(line)]
        if not told:
            return None
        most = max(len(each.by) for each in told)
        found = [each for each in told if len(each.by) == most]
        if len(found) > 1:
            raise Skip(
                f"{counted(len(found), 'entry')} of the mapping fit the line of "
                f"{listed([f'`{shown(text)}`' for text in found[0].by.values()])} equally well"
            )
        return found[0].items

    def knows(self, line: Stated) -> bool:
        """Whether it states what a line is."""
        try:
            return self.items_of(line) is not None
        except Skip:
            return False

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain data, as `mapping_of` takes it."""
        return [
            {
                **each.by,
                "is": [
                    {
                        name: str(value) if isinstance(value, Decimal) else value
                        for name in ("kind", "item", "quantity", *_SIZES)
                        if (value := getattr(item, name)) is not None
                    }
                    for item in each.items
                ],
            }
            for each in self.entries
        ]


NO_MAPPING = LineMapping()


def read_mapping(path: Path) -> LineMapping:
    """Read a file that says what lines are, TOML or JSON: a table `line` for each.

    Raises
    ------
    BadInput
        If it cannot be read, or does not follow the format; with every problem found.
    """
    place = str(path)
    data = read_table(path, HINT)
    problems = Problems(place, HINT)
    for key in data:
        problems.check(key == "line", key, None, "unknown key")
    problems.check(isinstance(data.get("line"), list), "line", None, "must be a list")
    problems.raise_if_any()
    return mapping_of(data["line"], place)


def mapping_of(entries: Sequence[Any], place: str) -> LineMapping:
    """Make it of plain data.

    Parameters
    ----------
    entries : sequence
        Objects with at least one of `part_number` and `manufacturer_part_number`, and a list `is`.
    place : str
        Where they are from, for errors.

    Raises
    ------
    BadInput
        With every problem found. Two entries that state the same are one: a line must be one thing.
    """
    problems = Problems(place, HINT)
    problems.check(
        len(entries) <= MOST_ENTRIES,
        "line",
        len(entries),
        f"must be at most {MOST_ENTRIES:,} entries",
    )
    problems.raise_if_any()
    found = []
    seen: set[tuple[tuple[str, str], ...]] = set()
    for at, entry in enumerate(entries):
        where = f"line[{at}]"
        if not problems.check(
            isinstance(entry, Mapping), where, None, "must be a table"
        ):
            continue
        by = _by(entry, where, problems)
        key = tuple(by.items())
        problems.check(key not in seen, where, None, "states the same as one before it")
        seen.add(key)
        found.append(MappedLine(by, _items(entry.get("is"), f"{where}.is", problems)))
    problems.raise_if_any()
    return LineMapping(tuple(found))


def _by(entry: Mapping[str, Any], where: str, problems: Problems) -> dict[str, str]:
    for key in entry:
        problems.check(key in (*BY, "is"), f"{where}.{key}", None, "unknown key")
    by = {name: entry[name] for name in BY if name in entry}
    for name, value in by.items():
        problems.check(
            isinstance(value, str) and 0 < len(value) <= _MOST_TEXT,
            f"{where}.{name}",
            value,
            f"must be a text of 1 to {_MOST_TEXT} letters",
        )
    problems.check(
        any(name in by for name in _NUMBERS),
        where,
        None,
        f"must state {' or '.join(f'`{name}`' for name in _NUMBERS)}",
    )
    return {name: str(value) for name, value in by.items()}


def _items(stated: Any, where: str, problems: Problems) -> tuple[Item, ...]:
    if not problems.check(
        isinstance(stated, list) and 0 < len(stated) <= _MOST_ITEMS,
        where,
        None,
        f"must be a list of 1 to {_MOST_ITEMS} tables with `kind` and `item`",
    ):
        return ()
    return tuple(
        _item(each, f"{where}[{at}]", problems) for at, each in enumerate(stated)
    )


def _item(stated: Any, where: str, problems: Problems) -> Item:
    if not problems.check(isinstance(stated, Mapping), where, None, "must be a table"):
        return Item("", "")
    for key in stated:
        problems.check(key in _IS_KEYS, f"{where}.{key}", None, "unknown key")
    kind, name = stated.get("kind"), stated.get("item")
    problems.check(
        kind in BUYABLE,
        f"{where}.kind",
        kind,
        f"is not one of {', '.join(BUYABLE)}",
    )
    problems.check(
        isinstance(name, str) and name, f"{where}.item", name, "must name an item"
    )
    quantity = stated.get("quantity", 1)
    problems.check(
        is_count(quantity, _MOST_COUNT) and quantity >= 1,
        f"{where}.quantity",
        quantity,
        f"must be a whole number from 1 to {_MOST_COUNT:,}",
    )
    sizes = {}
    for key in _SIZES:
        if key not in stated:
            continue
        problems.check(
            kind == "volume", f"{where}.{key}", None, "is stated of volumes alone"
        )
        amount = read_amount(stated[key], f"{where}.{key}", problems)
        if amount is not None and problems.check(
            0 < amount <= _MOST_AMOUNT,
            f"{where}.{key}",
            amount,
            f"must be above 0 and at most {_MOST_AMOUNT:,}",
        ):
            sizes[key] = amount
    return Item(str(kind), str(name), quantity, **sizes)
