"""A table of sizes and hit or miss ratios: CSV, TSV, semicolons, bars or blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tierwright.common.wording import counted
from tierwright.profile.given.reading import (
    SCALES,
    SIZE_UNITS,
    CurveOptions,
    Kind,
    Point,
    Question,
    Reading,
    Row,
    ratio,
    size_and_unit,
    unit_named,
)

_LIKE_NUMBER = re.compile(r"[+-]?[.,]?[0-9]")
_WORD = re.compile(r"[a-z%]+")
_SIZE_WORDS = frozenset(
    {"size", "cache", "pages", "page", "blocks", "buffers", "bytes", "ram", "memory"}
)
_SAFE_UNITS = frozenset({"pages", "B", "KiB", "MiB", "GiB", "TiB", "PiB"})
_TWO_MEANINGS = {"kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB", "PB": "PiB"}
_COLUMNS = 2
_LARGEST_FRACTION = 1.0
_DOUBTFUL_PERCENTAGE = 2.0


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: the share that begin with two numbers."""
    if not rows:
        return 0.0
    body = rows[1:] if _is_head(rows[0]) and len(rows) > 1 else rows
    numeric = sum(
        sum(_LIKE_NUMBER.match(cell) is not None for cell in row.cells) >= _COLUMNS
        for row in body
    )
    return 0.8 * numeric / len(body)


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read sizes and values, and ask for every unit that the table does not name."""
    found = Reading()
    if not rows:
        return found
    head = rows[0] if _is_head(rows[0]) else None
    found.columns = list(head.cells) if head else []
    body = rows[1:] if head else rows
    places = _columns(found, body, options)
    if places is None:
        return found
    size_at, value_at = places
    # A head may be shorter than the lines below it.
    names = [found.columns[at] if at < len(found.columns) else "" for at in places]
    units: set[str | None] = set()
    percents: set[bool] = set()
    raw: list[tuple[Row, Point]] = []
    for row in body:
        if len(row.cells) <= max(size_at, value_at):
            found.problem(
                row.line,
                row.text,
                f"has {counted(len(row.cells), 'cell')}, not the {max(places) + 1} needed",
            )
            continue
        size, unit = size_and_unit(row.cells[size_at])
        value, percent = ratio(row.cells[value_at])
        for what, cell in ((size, row.cells[size_at]), (value, row.cells[value_at])):
            if isinstance(what, str):
                found.problem(row.line, cell, what)
        if isinstance(size, str) or isinstance(value, str):
            continue
        if size < 0:
            found.problem(row.line, row.cells[size_at], "a size cannot be negative")
            continue
        units.add(unit)
        percents.add(percent)
        raw.append((row, Point(row.line, size, value)))
    if not raw:
        return found
    points = [point for _, point in raw]
    found.size_unit = _size_unit(found, names[0], units, options)
    # Numbers of several units have no order: 1 GiB is more than 64 MiB.
    is_ordered = len({unit or options.size_unit for unit in units}) == 1
    found.value = _value(found, names[1], points, options, is_ordered=is_ordered)
    factor = _scale(found, names[1], points, percents, options)
    found.points = [Point(p.line, p.size, p.value * factor) for p in points]
    return found


def _is_head(row: Row) -> bool:
    return _numbers(row) == 0


def _numbers(row: Row) -> int:
    return sum(
        not isinstance(size_and_unit(cell)[0], str)
        or not isinstance(ratio(cell)[0], str)
        for cell in row.cells
    )


def _columns(
    found: Reading, body: Sequence[Row], options: CurveOptions
) -> tuple[int, int] | None:
    """Find the two columns by what is stated, by name, or because there are only two."""
    width = max((len(row.cells) for row in body), default=0)
    if width < _COLUMNS:
        for row in body[:1]:
            found.problem(
                row.line, row.text, "has one cell: a size and a value are needed"
            )
        return None
    by_name = {name.lower(): at for at, name in enumerate(found.columns)}
    size_at = _stated(found, "size_column", options.size_column, by_name, width)
    value_at = _stated(found, "value_column", options.value_column, by_name, width)
    if size_at is None:
        size_at = _named(found.columns, _is_size_name)
    if value_at is None:
        value_at = _named(found.columns, _is_value_name)
    if width == _COLUMNS:
        size_at, value_at = _of_two(found, size_at, value_at)
    choices = tuple(found.columns or [str(at + 1) for at in range(width)])
    for name, at in (("size_column", size_at), ("value_column", value_at)):
        if at is None:
            what = "the cache size" if name == "size_column" else "the hit ratio"
            found.questions.append(
                Question(
                    name, f"Which of the {counted(width, 'column')} is {what}?", choices
                )
            )
    if size_at is None or value_at is None:
        return None
    if size_at == value_at:
        found.problem(body[0].line, body[0].text, "one column cannot be size and value")
        return None
    return size_at, value_at


def _of_two(
    found: Reading, size_at: int | None, value_at: int | None
) -> tuple[int, int]:
    """Complete the places in a table of two columns."""
    if size_at is None and value_at is None:
        found.assumptions.append("The first column is the size, the second the value.")
        return 0, 1
    if size_at is None:
        assert value_at is not None
        return 1 - value_at, value_at
    return size_at, 1 - size_at if value_at is None else value_at


def _stated(
    found: Reading, field: str, asked: str | None, by_name: dict[str, int], width: int
) -> int | None:
    if asked is None:
        return None
    at = by_name.get(asked.strip().lower())
    if at is None and asked.isascii() and asked.isdigit() and 1 <= int(asked) <= width:
        at = int(asked) - 1
    if at is None:
        choices = tuple(found.columns or [str(one + 1) for one in range(width)])
        found.questions.append(
            Question(field, f"There is no column `{asked[:40]}`.", choices)
        )
    return at


def _named(columns: Sequence[str], fits: object) -> int | None:
    assert callable(fits)
    places = [at for at, name in enumerate(columns) if fits(name)]
    return places[0] if len(places) == 1 else None


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.lower()))


def _is_value_name(name: str) -> bool:
    words = _words(name)
    return bool(
        words & {"hit", "hits", "miss", "misses", "hitratio", "missratio", "hrc", "mrc"}
    )


def _is_size_name(name: str) -> bool:
    return bool(_words(name) & _SIZE_WORDS) and not _is_value_name(name)


def _size_unit(
    found: Reading, name: str, units: set[str | None], options: CurveOptions
) -> str | None:
    if options.size_unit is not None:
        if units - {None, options.size_unit}:
            other = next(iter(sorted(str(u) for u in units - {None})))
            found.questions.append(
                Question(
                    "size_unit",
                    f"Sizes are stated in {options.size_unit}, but cells say `{other}`.",
                    tuple(sorted(str(u) for u in units - {None})),
                )
            )
            return None
        return options.size_unit
    if units == {None}:
        return _unit_of_name(found, name)
    if len(units) == 1:
        unit = next(iter(units))
        if unit in _TWO_MEANINGS:
            found.assumptions.append(
                f"{unit} is decimal, as everywhere here; {_TWO_MEANINGS[unit]} is binary."
            )
        return unit
    named = sorted(str(unit) for unit in units if unit is not None)
    found.questions.append(
        Question(
            "size_unit",
            f"Sizes mix units ({', '.join(named)}{', none' if None in units else ''}): "
            "use one unit for all.",
        )
    )
    return None


def _unit_of_name(found: Reading, name: str) -> str | None:
    """Read the unit from the head, as in `size_mib`; MB and its like have two meanings."""
    named = [unit_named(word) for word in re.findall(r"[A-Za-z]+", name)]
    units = list(dict.fromkeys(unit for unit in named if unit is not None))
    if len(units) == 1 and units[0] in _SAFE_UNITS:
        found.assumptions.append(f"Sizes are in {units[0]}, by the head `{name}`.")
        return units[0]
    if len(units) == 1 and units[0] in _TWO_MEANINGS:
        binary = _TWO_MEANINGS[units[0]]
        found.questions.append(
            Question(
                "size_unit",
                f"The head `{name}` may mean {units[0]} (powers of 1000) or {binary} "
                "(powers of 1024).",
                (units[0], binary),
            )
        )
        return None
    found.questions.append(
        Question("size_unit", "In which unit are the sizes?", SIZE_UNITS)
    )
    return None


def _value(
    found: Reading,
    name: str,
    points: Sequence[Point],
    options: CurveOptions,
    *,
    is_ordered: bool,
) -> str | None:
    if options.value is not None:
        return options.value
    words = _words(name)
    hit = bool(words & {"hit", "hits", "hitratio", "hrc"})
    miss = bool(words & {"miss", "misses", "missratio", "mrc"})
    counts = any(point.value > 100 for point in points)  # noqa: PLR2004  # no percentage
    if hit != miss:
        if hit and counts:
            found.questions.append(
                Question(
                    "value",
                    f"The column `{name}` has values above 100, so they are not hit "
                    "ratios.",
                    ("miss_ratio", "misses"),
                )
            )
            return None
        return "hit_ratio" if hit else ("misses" if counts else "miss_ratio")
    if not is_ordered:
        return None
    ordered = sorted(points, key=lambda point: point.size)
    first, last = ordered[0].value, ordered[-1].value
    if first == last:
        found.questions.append(
            Question(
                "value",
                "Are the values hit ratios or miss ratios?",
                ("hit_ratio", "miss_ratio"),
            )
        )
        return None
    if counts and last < first:
        found.assumptions.append(
            "Values fall as the cache grows and exceed 100: counts of misses."
        )
        return "misses"
    rising = last > first
    found.assumptions.append(
        f"Values {'rise' if rising else 'fall'} as the cache grows: "
        f"{'hit' if rising else 'miss'} ratios."
    )
    return "hit_ratio" if rising else "miss_ratio"


def _scale(
    found: Reading,
    name: str,
    points: Sequence[Point],
    percents: set[bool],
    options: CurveOptions,
) -> float:
    """Return the factor that makes fractions of the values."""
    if found.value == "misses" or percents == {True}:
        return 1.0
    if True in percents:
        found.questions.append(
            Question("scale", "Some values have a percent sign and some do not.")
        )
        return 1.0
    scale = options.scale
    if scale is None:
        words = _words(name)
        largest = max(point.value for point in points)
        if words & {"%", "pct", "percent", "percentage"}:
            scale = "percent"
        elif _LARGEST_FRACTION < largest <= _DOUBTFUL_PERCENTAGE:
            # A fraction that is wrong by a little would become a percentage, a hundredth of it.
            found.questions.append(
                Question(
                    "scale",
                    f"The largest value is {largest:g}: a percentage of a curve that "
                    "hits almost nothing, or an impossible fraction.",
                    SCALES,
                )
            )
        elif largest > _LARGEST_FRACTION:
            scale = "percent"
            found.assumptions.append("Values above 1 occur: percentages.")
        else:
            scale = "fraction"
            found.assumptions.append("No value is above 1: fractions, not percentages.")
    return 0.01 if scale == "percent" else 1.0


KIND = Kind(
    "table",
    "Table of sizes and ratios",
    "Two columns: cache size and hit ratio, miss ratio or misses. Separated by commas, tabs, "
    "semicolons, bars or blanks, with or without a head.",
    "size_mib,hit_ratio\n64,0.41\n256,0.63\n1024,0.82\n4096,0.93\n",
    score,
    read,
)
