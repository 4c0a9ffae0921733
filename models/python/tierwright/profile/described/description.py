"""A described workload: data, load, and a mix of components, each with its part of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tierwright.common.documents import read_json, read_toml
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import parse_bytes
from tierwright.common.wording import counted

MOST_COMPONENTS = 16
MOST_PAGES = 10**12
"""A description may have this many pages of data. [pages]"""
LARGEST_EXPONENT = 5.0
LARGEST_RATE_PER_S = 1e10
LEAST_PAGE_BYTES = 512
MOST_PAGE_BYTES = 2**20
LARGEST_DATA_BYTES = 2**53
MOST_WEIGHT = 1e9
LONGEST_NAME = 200
LONGEST_NOTE = 4000

_HINT = "see docs/models/described.md for the keys and an example"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of component, and which fields it has of its own.

    Attributes
    ----------
    name, title, description : str
        Its name in a document, its title, and which page it accesses next.
    needs : tuple of str
        Fields of `Component` that it must have and no other kind has.
    """

    name: str
    title: str
    description: str
    needs: tuple[str, ...] = ()


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "zipf",
            "Zipf",
            "The page of rank k is accessed in proportion to 1 / k^exponent, independently.",
            ("exponent",),
        ),
        Kind(
            "hot_cold",
            "Hot and cold",
            "A share of the data takes a share of the accesses; within each, all pages are equal.",
            ("hot_data_share", "hot_access_share"),
        ),
        Kind(
            "uniform",
            "Uniform",
            "All pages are equally likely. With a write share, it is the independent reference "
            "model (IRP) with a dirtiness.",
        ),
        Kind(
            "scan",
            "Scan",
            "The pages are read one after another, from the first to the last, and again.",
        ),
    )
}
"""By name."""

_OWN = ("exponent", "hot_data_share", "hot_access_share")
_COMMON = ("kind", "weight", "data_share", "pages", "write_share")
_FIELDS = (
    "name",
    "page_bytes",
    "data_bytes",
    "accesses_per_s",
    "write_share",
    "components",
    "title",
    "provenance",
)


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a mix.

    Attributes
    ----------
    kind : str
        A name of `KINDS`.
    weight : float
        Its share of the accesses, relative to the other components.
    data_share : float or None
        Its part of the data, which no other component accesses. Neither this nor `pages`: what
        the others leave, shared evenly among those that state neither. [1]
    pages : int or None
        The same as a number of pages. [pages]
    write_share : float or None
        Share of its accesses that write; None takes that of the whole. [1]
    exponent : float or None
        Of `zipf`. [1]
    hot_data_share, hot_access_share : float or None
        Of `hot_cold`: this share of its data takes this share of its accesses. [1]
    """

    kind: str
    weight: float = 1.0
    data_share: float | None = None
    pages: int | None = None
    write_share: float | None = None
    exponent: float | None = None
    hot_data_share: float | None = None
    hot_access_share: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return its table of a document, without what is not stated."""
        names = (*_COMMON, *_OWN)
        return {
            name: value for name in names if (value := getattr(self, name)) is not None
        }


@dataclass(frozen=True, slots=True)
class Part:
    """A component in the end: its pages, its share of the accesses, its writes.

    Attributes
    ----------
    component : Component
        As described.
    access_share : float
        Of all accesses; those of all parts sum to 1. [1]
    first_page : int
        Its first page among those of the data, from 0.
    pages : int
        Its pages; at least 1. [pages]
    write_share : float
        Share of its accesses that write. [1]
    """

    component: Component
    access_share: float
    first_page: int
    pages: int
    write_share: float

    @property
    def hot_pages(self) -> int:
        """Hot pages of a `hot_cold` part: at least one, and at least one is cold. [pages]"""
        share = self.component.hot_data_share or 0.0
        return min(max(1, round(share * self.pages)), max(1, self.pages - 1))


@dataclass(frozen=True, slots=True)
class Description:
    """A described workload.

    Attributes
    ----------
    name : str
        What answers call it.
    page_bytes, data_bytes : int
        Sizes of a page and of the data. [bytes]
    accesses_per_s : float
        Page accesses. [1/s]
    write_share : float
        Share of the accesses that write in each component that states no other. [1]
    components : tuple of Component
        The mix; each access is of one of them, at random by weight.
    title, provenance : str
        What a preset says of itself.
    parts : tuple of Part
        The components with their pages.
    """

    name: str
    page_bytes: int
    data_bytes: int
    accesses_per_s: float
    write_share: float
    components: tuple[Component, ...]
    title: str = ""
    provenance: str = ""
    parts: tuple[Part, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        problems = Problems("description", _HINT)
        _check(self, problems)
        problems.raise_if_any()
        parts = _parts(self, problems)
        problems.raise_if_any()
        object.__setattr__(self, "parts", parts)

    @property
    def data_pages(self) -> int:
        """Pages of the data; the last may be partly filled. [pages]"""
        return -(-self.data_bytes // self.page_bytes)

    @property
    def accessed_pages(self) -> int:
        """Pages of the data that any component accesses. [pages]"""
        return sum(part.pages for part in self.parts)

    @property
    def accesses_that_write(self) -> float:
        """Share of all accesses that write. [1]"""
        return sum(part.access_share * part.write_share for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `description_from_mapping` reads."""
        about = {"title": self.title, "provenance": self.provenance}
        return {
            "name": self.name,
            "page_bytes": self.page_bytes,
            "data_bytes": self.data_bytes,
            "accesses_per_s": self.accesses_per_s,
            "write_share": self.write_share,
            "components": [one.to_dict() for one in self.components],
            **{key: text for key, text in about.items() if text},
        }


def read_description(path: Path) -> Description:
    """Read a description, TOML or, with the ending `.json`, JSON.

    Raises
    ------
    BadInput
        If the file is absent or does not follow the format; names each key.
    """
    place = str(path)
    data = (
        read_json(path, _HINT)
        if path.suffix.lower() == ".json"
        else read_toml(path, place, _HINT)
    )
    return description_from_mapping(data, place=place)


def description_from_mapping(
    data: Any, *, place: str = "description", name: str = "described workload"
) -> Description:
    """Make a description from plain data, checking every key and value.

    Parameters
    ----------
    data : mapping
        The document.
    place : str
        What errors call it.
    name : str
        What it is called if it has no name.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, _HINT)
    if not isinstance(data, Mapping):
        problems.add("document", type(data).__name__, "must be a table of keys")
        problems.raise_if_any()
    _unknown(data, _FIELDS, "", problems)
    texts = {}
    for key, usual in (("name", name), ("title", ""), ("provenance", "")):
        text = data.get(key, usual)
        most = LONGEST_NAME if key == "name" else LONGEST_NOTE
        good = isinstance(text, str) and len(text) <= most and (text or key != "name")
        problems.check(
            good, key, text, f"must be a text of up to {counted(most, 'character')}"
        )
        texts[key] = text
    numbers = {
        "page_bytes": _size(data, "page_bytes", problems),
        "data_bytes": _size(data, "data_bytes", problems),
        "accesses_per_s": _number(data, "accesses_per_s", "", problems),
        "write_share": _number(data, "write_share", "", problems, 0.0),
    }
    listed = data.get("components")
    components: list[Component] = []
    if problems.check(
        isinstance(listed, (list, tuple)) and listed,
        "components",
        None if listed is None else type(listed).__name__,
        "must be a list of at least one component",
    ):
        components = [
            found
            for at, one in enumerate(listed[: MOST_COMPONENTS + 1])
            if (found := _component(one, f"components[{at}]", problems)) is not None
        ]
    problems.raise_if_any()
    try:
        return Description(components=tuple(components), **texts, **numbers)  # type: ignore[arg-type]
    except BadInput as error:
        problems.found += error.problems
        problems.raise_if_any()
        raise


def _component(one: Any, where: str, problems: Problems) -> Component | None:
    if not isinstance(one, Mapping):
        problems.add(where, type(one).__name__, "must be a table of keys")
        return None
    kind = one.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        problems.add(f"{where}.kind", kind, f"is not one of {', '.join(KINDS)}")
        return None
    _unknown(one, (*_COMMON, *KINDS[kind].needs), f"{where}.", problems)
    before = len(problems.found)
    read = {
        key: _number(one, key, f"{where}.", problems, math.nan)
        for key in ("data_share", "pages", "write_share", *KINDS[kind].needs)
        if one.get(key) is not None
    }
    weight = _number(one, "weight", f"{where}.", problems, 1.0)
    if len(problems.found) > before:
        return None
    found = Component(kind, weight, **read)  # type: ignore[arg-type]
    _check_component(found, where, problems)
    return found


def _unknown(
    data: Mapping[Any, Any], known: tuple[str, ...], where: str, problems: Problems
) -> None:
    for key in data:
        if key not in known:
            problems.add(f"{where}{key}", None, f"is not one of {', '.join(known)}")


def _size(data: Mapping[str, Any], key: str, problems: Problems) -> float:
    """Read a number of bytes, or a text with a unit such as `800GiB`."""
    value = data.get(key)
    if not isinstance(value, str):
        return _number(data, key, "", problems)
    try:
        return parse_bytes(value)
    except BadInput:
        problems.add(key, value, "must be a number of bytes, or a size such as 800GiB")
        return math.nan


def _number(
    data: Mapping[str, Any],
    key: str,
    where: str,
    problems: Problems,
    usual: float | None = None,
) -> float:
    value = data.get(key, usual)
    if isinstance(value, Decimal) and value.is_finite():
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        problems.add(f"{where}{key}", value, "must be a number")
        return math.nan
    if isinstance(value, int) and abs(value) > LARGEST_DATA_BYTES:
        problems.add(f"{where}{key}", value, "is too large")
        return math.nan
    return int(value) if key in _WHOLE and value == int(value) else value


_WHOLE = ("pages", "page_bytes", "data_bytes")


def _check(found: Description, problems: Problems) -> None:
    page: float = found.page_bytes  # a document may state a broken number
    problems.check(
        isinstance(page, int)
        and LEAST_PAGE_BYTES <= page <= MOST_PAGE_BYTES
        and page & (page - 1) == 0,
        "page_bytes",
        page,
        f"must be a power of two from {LEAST_PAGE_BYTES} to {MOST_PAGE_BYTES:,}",
    )
    data: float = found.data_bytes
    if (
        problems.check(
            isinstance(data, int) and 0 < data <= LARGEST_DATA_BYTES,
            "data_bytes",
            data,
            f"must be a whole number from 1 to {LARGEST_DATA_BYTES:,}",
        )
        and not problems.found
    ):
        problems.check(
            found.data_pages <= MOST_PAGES,
            "data_bytes",
            data,
            f"must hold at most {MOST_PAGES:,} pages",
        )
    rate = found.accesses_per_s
    problems.check(
        0 < rate <= LARGEST_RATE_PER_S,
        "accesses_per_s",
        rate,
        f"must lie above 0 and be at most {LARGEST_RATE_PER_S:g}",
    )
    _check_share(found.write_share, "write_share", problems)
    problems.check(
        0 < len(found.components) <= MOST_COMPONENTS,
        "components",
        len(found.components),
        f"must number from 1 to {MOST_COMPONENTS}",
    )
    for at, one in enumerate(found.components):
        _check_component(one, f"components[{at}]", problems)


def _check_share(value: float | None, where: str, problems: Problems) -> None:
    problems.check(value is None or 0 <= value <= 1, where, value, "must lie in [0, 1]")


def _check_component(one: Component, where: str, problems: Problems) -> None:
    pages: float | None = one.pages
    kind = KINDS.get(one.kind)
    if kind is None:
        problems.add(f"{where}.kind", one.kind, f"is not one of {', '.join(KINDS)}")
        return
    problems.check(
        0 < one.weight <= MOST_WEIGHT,
        f"{where}.weight",
        one.weight,
        f"must lie above 0 and be at most {MOST_WEIGHT:g}",
    )
    problems.check(
        one.data_share is None or 0 < one.data_share <= 1,
        f"{where}.data_share",
        one.data_share,
        "must lie above 0 and be at most 1",
    )
    problems.check(
        pages is None or (isinstance(pages, int) and pages > 0),
        f"{where}.pages",
        one.pages,
        "must be a positive whole number",
    )
    problems.check(
        one.data_share is None or one.pages is None,
        f"{where}.pages",
        one.pages,
        "cannot be combined with data_share: state one of them",
    )
    _check_share(one.write_share, f"{where}.write_share", problems)
    for name in _OWN:
        value = getattr(one, name)
        at = f"{where}.{name}"
        if name not in kind.needs:
            problems.check(value is None, at, value, f"is not a field of {one.kind}")
        elif value is None:
            problems.add(at, None, f"is needed by {one.kind}")
        elif name == "exponent":
            problems.check(
                0 <= value <= LARGEST_EXPONENT,
                at,
                value,
                f"must lie in [0, {LARGEST_EXPONENT:g}]",
            )
        else:
            problems.check(0 < value < 1, at, value, "must lie between 0 and 1")


_SUM_TOLERANCE = 1e-9


def _parts(found: Description, problems: Problems) -> tuple[Part, ...]:
    """Lay the components out one behind another, and normalise their weights."""
    total = found.data_pages
    stated = [_stated_pages(one, total) for one in found.components]
    taken = sum(pages or 0 for pages in stated)
    shares = sum(one.data_share or 0.0 for one in found.components)
    left = total - taken
    open_parts = stated.count(None)
    # Each share is rounded to whole pages, so whole shares may exceed the data by a few pages.
    if left < 0 and (
        shares > 1 + _SUM_TOLERANCE or any(one.pages for one in found.components)
    ):
        problems.add(
            "components",
            f"{taken:,}",
            f"pages are stated, but the data has {total:,}: each component has its own part",
        )
    elif max(left, 0) < open_parts:
        problems.add(
            "components",
            f"{open_parts}",
            "components state no part of the data, and the others leave too few pages for them",
        )
    if problems.found:
        return ()
    weight = math.fsum(one.weight for one in found.components)
    parts, first, opened = [], 0, 0
    for one, pages in zip(found.components, stated, strict=True):
        if pages is None:
            pages = left // open_parts + (opened < left % open_parts)
            opened += 1
        own = one.write_share
        parts.append(
            Part(
                one,
                one.weight / weight,
                first,
                pages,
                found.write_share if own is None else own,
            )
        )
        first += pages
    return tuple(parts)


def _stated_pages(one: Component, total: int) -> int | None:
    if one.pages is not None:
        return one.pages
    if one.data_share is not None:
        return max(1, math.floor(one.data_share * total))
    return None
