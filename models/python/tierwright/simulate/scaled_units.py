"""Units of flash where the flash of a recording is replayed in place of that of production, of which it is a small part.

A unit that fills in the order of arrival and is emptied whole is worth its share of flash: a bucket of 512 KiB is nothing
of 1 TiB, and of the 80 MiB that are replayed for it a 159th. So its default shrinks as the flash does. Ways of a set, and
parts that are chosen by a hash, do not: there are fewer of them. Nor do units of adjacent pages, for what a neighbour is
worth is of the recording: how much larger their share is, is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tierwright.common.wording import sentences
from tierwright.simulate import replay
from tierwright.simulate.contenders import (
    SHARE_OF_A_UNIT,
    FittedDefault,
    Load,
    Unpaced,
    documented_pages,
    documented_words,
    fitted_sentence,
    flash_cache_titles,
    options_at,
    spelled,
)
from tierwright.simulate.erase_blocks import (
    BLOCK_OPTION,
    DEFAULT_BLOCK_PAGES,
    LEAST_ERASED_PAGES,
    SPARE_OPTION,
    fitting_block_pages,
)

IN_ORDER: Mapping[str, str] = {
    "bcache": "bucket_pages",
    "cachelib": "region_pages",
    "face": "metadata_segment_entries",
    "kangaroo": "segment_pages",
}
"""The unit that fills in the order of arrival and is emptied, or written, whole, by flash cache."""
ADJACENT: Mapping[str, str] = {
    "dm_cache": "block_pages",
    "open_cas": "line_pages",
    "sce": "fragment_pages",
}
"""The unit of adjacent pages, by flash cache."""
ENTRIES = "metadata_segment_entries"
ENTRY_BYTES = 32
"""An entry of such a segment, which is written in whole pages. [bytes]"""
FAR_ABOVE = 10
"""From how many times its share of flash in production on a unit is said to be large."""
_LOG_PERCENT, _MOST_PARTITIONS, _SHARE_OF_A_SEGMENT = 5, 64, 4
"""Of Kangaroo, by default: its log, the parts of that, and what a segment is of a part at most."""

Kind = Literal["share", "least", "entries", "block"]


@dataclass(frozen=True, slots=True)
class FlashStandIn:
    """Flash that is replayed in place of that of production.

    Attributes
    ----------
    pages : int
        Of one machine of production. [pages]
    replayed_pages : int
        Of the recorded system. [pages]
    page_bytes : int
        [bytes]
    """

    pages: int
    replayed_pages: int
    page_bytes: int

    @property
    def share(self) -> float:
        """What the replay has of the flash of production. [1]"""
        return self.replayed_pages / self.pages

    @property
    def is_whole(self) -> bool:
        """Whether the flash of production itself is replayed, or none."""
        return self.pages == self.replayed_pages or not (
            self.pages and self.replayed_pages
        )


@dataclass(frozen=True, slots=True)
class ScaledUnit:
    """A unit whose default is of production.

    Attributes
    ----------
    name : str
        The option, as the tables write it.
    value : int
        In force in the replay.
    in_flash : int
        How many of them the flash of production has.
    documented : str
        What the system documents.
    kind : str
        What decides: its `share` of flash; `least`, a page, which is more than that share; `entries` that fill a page; or
        an erase `block` of the device below.
    """

    name: str
    value: int
    in_flash: int
    documented: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class LargeUnit:
    """A unit whose share of the flash that is replayed is far above that in production.

    Attributes
    ----------
    name : str
        The option, as the tables write it.
    value : int
        In force. [pages]
    replayed, in_flash : int
        How many of them the flash that is replayed has, and that of production.
    """

    name: str
    value: int
    replayed: int
    in_flash: int


@dataclass(frozen=True, slots=True)
class Units:
    """What became of the units of a flash cache.

    Attributes
    ----------
    scaled : tuple of ScaledUnit
        Those that are given to the replay.
    large : tuple of LargeUnit
        Those that stay as they are, and are large there.
    """

    scaled: tuple[ScaledUnit, ...] = ()
    large: tuple[LargeUnit, ...] = ()

    @property
    def options(self) -> dict[str, str]:
        """The options that the replay is given."""
        return {each.name: str(each.value) for each in self.scaled}

    @property
    def fitted(self) -> list[FittedDefault]:
        """The same, each with its reason."""
        return _fitted(self.scaled)


def units_of(name: str, given: Mapping[str, str], flash: FlashStandIn) -> Units:
    """Return the units with which a flash cache is replayed in place of one of production.

    Parameters
    ----------
    name : str
        As the tables write it; of anything else there are no units.
    given : mapping of str to str
        Its options, which nothing changes.
    flash : FlashStandIn
        Of production, and of the replay.

    Examples
    --------
    >>> small = FlashStandIn(2**27, 10_175, 8192)
    >>> units_of("bcache", {}, small).options, units_of("cachelib", {}, small).options
    ({'bucket_pages': '1'}, {'region_pages': '1'})
    >>> half = FlashStandIn(200_000, 100_000, 8192)
    >>> units_of("cachelib", {}, half).options
    {'region_pages': '1024'}
    >>> units_of("cachelib", {"region_pages": "9"}, half).scaled
    ()
    """
    if flash.is_whole:
        return Units()
    own = {spelled(option): value.strip() for option, value in given.items()}
    scaled = tuple(_scaled(name, own, flash))
    return Units(scaled, () if scaled else tuple(_large(name, own, flash)))


def stand_in_options(
    name: str,
    options: Mapping[str, str],
    load: Load,
    flash: FlashStandIn,
) -> dict[str, str] | Unpaced:
    """Return the options with which a flash cache is replayed in place of one of production, or why it cannot be.

    Parameters
    ----------
    name : str
        As the tables write it.
    options : mapping of str to str
        Its own.
    load : Load
        See `options_at`.
    flash : FlashStandIn
        See `units_of`.

    Raises
    ------
    BadParameter
        If there is no such cache, or it refuses the options.
    """
    found = options_at(name, flash.pages, options, load)
    if isinstance(found, Unpaced):
        return found
    return found | units_of(name, options, flash).options


def units_sentence(of: Iterable[tuple[str, Units]]) -> str:
    """Say which units of flash caches were scaled, and which are large where they are replayed; empty for none.

    Parameters
    ----------
    of : iterable of (str, Units)
        Name of each flash cache, and its units at each of its sizes.

    Examples
    --------
    >>> small, large = (
    ...     FlashStandIn(2**27 * times, 10_175 * times, 8192) for times in (1, 2)
    ... )
    >>> units_sentence([("bcache", units_of("bcache", {}, small))])
    'Defaults in force of bcache: bucket_pages 1 (no less than a page; in production the documented 512 KiB, 1/2,097,152 of flash).'
    >>> units_sentence(
    ...     ("bcache", units_of("bcache", {}, each)) for each in (small, large)
    ... )
    'Defaults in force of bcache: bucket_pages 1 (no less than a page; in production the documented 512 KiB, 1/4,194,304 to 1/2,097,152 of flash).'
    >>> units_sentence([("open_cas", units_of("open_cas", {"line_pages": "8"}, small))])
    'line_pages 8 of Open CAS is 1/1,272 of the flash that is replayed, and 1/16,777,216 of that of production: the replay has far fewer such units.'
    """
    listed = list(of)
    scaled: dict[str, list[ScaledUnit]] = {}
    for cache, units in listed:
        scaled.setdefault(cache, []).extend(units.scaled)
    titles = flash_cache_titles()
    return sentences(
        *(
            fitted_sentence(titles[cache], _fitted(units))
            for cache, units in scaled.items()
            if units
        ),
        large_sentences(listed),
    )


def large_sentences(of: Iterable[tuple[str, Units]]) -> str:
    """Say which units are large where they are replayed; empty for none.

    Parameters
    ----------
    of : iterable of (str, Units)
        As for `units_sentence`.
    """
    large: dict[tuple[str, str, int], list[LargeUnit]] = {}
    for cache, units in of:
        for each in units.large:
            large.setdefault((cache, each.name, each.value), []).append(each)
    titles = flash_cache_titles()
    return sentences(
        *(
            f"{option} {value:,} of {titles[cache]} is {_parts(each.replayed for each in same)} of the flash that is "
            f"replayed, and {_parts(each.in_flash for each in same)} of that of production: the replay has far fewer such "
            "units."
            for (cache, option, value), same in large.items()
        )
    )


def _fitted(units: Sequence[ScaledUnit]) -> list[FittedDefault]:
    """Return units with their reason, which is one for all that have it at several sizes."""
    alike: dict[tuple[str, str, Kind], list[ScaledUnit]] = {}
    for each in units:
        alike.setdefault((each.name, each.documented, each.kind), []).append(each)
    return [
        FittedDefault(name, each.value, _reason(kind, documented, same))
        for (name, documented, kind), same in alike.items()
        for each in same
    ]


def _reason(kind: Kind, documented: str, units: Sequence[ScaledUnit]) -> str:
    part = f"{_parts(each.in_flash for each in units)} of flash"
    there = f"in production the documented {documented}, {part}"
    return {
        "share": f"{part} as in production; of the documented {documented}",
        "least": f"no less than a page; {there}",
        "entries": f"no less than fill a page; {there}",
        "block": f"beside an erase block as in production; {there}",
    }[kind]


def _parts(counts: Iterable[int]) -> str:
    """Say what part one of so many is: `1/16`, or from the least to the largest."""
    known = list(counts)
    most, least = max(known), min(known)
    return f"1/{most:,}" if most == least else f"1/{most:,} to 1/{least:,}"


@dataclass(frozen=True, slots=True)
class _Usual:
    """The default of a unit on so much flash.

    Attributes
    ----------
    documented, most : int
        What the system documents, and what a small flash allows. [pages, or entries]
    words : str
        The former, as it is documented.
    """

    documented: int
    most: int
    words: str

    @property
    def pages(self) -> int:
        return min(self.documented, self.most)

    @property
    def is_capped(self) -> bool:
        return self.documented > self.most


def _scaled(
    name: str, given: Mapping[str, str], flash: FlashStandIn
) -> Iterator[ScaledUnit]:
    option = IN_ORDER.get(name, "")
    if not option or option in given:
        return
    there, here = (
        _usual(name, option, given, pages, flash.page_bytes)
        for pages in (flash.pages, flash.replayed_pages)
    )
    if there is None or here is None or (there.is_capped and here.is_capped):
        # Without a unit, or with one that is the same share of both by its limit.
        return
    least = max(1, flash.page_bytes // ENTRY_BYTES) if option == ENTRIES else 1
    exact = there.pages * flash.share
    # Whole pages of entries: what is left of a page is written as well.
    wanted = max(1, round(exact / least)) * least
    kind: Kind = "share"
    if exact < least:
        kind = "least" if least == 1 else "entries"
    beside = round(there.pages * _beside_blocks(given, flash.replayed_pages))
    if beside > wanted:
        wanted, kind = beside, "block"
    value = min(wanted, here.most)
    if value != here.pages:
        yield ScaledUnit(
            option, value, round(flash.pages / there.pages), there.words, kind
        )


def _beside_blocks(given: Mapping[str, str], replayed_pages: int) -> float:
    """Return by what the erase blocks of a device below were shrunk; 0 without one. [1]

    Units that were smaller beside a block would die in parts of it, and be copied as those of production are not.
    """
    if given.get(SPARE_OPTION, "0") == "0":
        return 0.0
    stated = given.get(BLOCK_OPTION, str(DEFAULT_BLOCK_PAGES))
    if not stated.isdecimal() or int(stated) < 1:
        # The core refuses it.
        return 0.0
    fitting = fitting_block_pages(int(stated), replayed_pages) or LEAST_ERASED_PAGES
    return fitting / int(stated)


def _large(
    name: str, given: Mapping[str, str], flash: FlashStandIn
) -> Iterator[LargeUnit]:
    option = ADJACENT.get(name) or IN_ORDER.get(name, "")
    if not option or option == ENTRIES:
        return
    there, here = (
        _in_force(name, option, given, pages, flash.page_bytes)
        for pages in (flash.pages, flash.replayed_pages)
    )
    if (
        there == 0
        or here <= 1
        or here / flash.replayed_pages < FAR_ABOVE * there / flash.pages
    ):
        return
    yield LargeUnit(
        option,
        here,
        round(flash.replayed_pages / here),
        round(flash.pages / there),
    )


def _in_force(
    name: str, option: str, given: Mapping[str, str], flash_pages: int, page_bytes: int
) -> int:
    """Return a unit as it is given, or else its default; 0 without one, and of what the core refuses. [pages]"""
    stated = given.get(option)
    if stated is not None:
        return int(stated) if stated.isdecimal() else 0
    usual = _usual(name, option, given, flash_pages, page_bytes)
    return 0 if usual is None else usual.pages


def _usual(
    name: str,
    option: str,
    given: Mapping[str, str],
    flash_pages: int,
    page_bytes: int,
) -> _Usual | None:
    """Return the default of a unit; None where the cache has no such unit with these options."""
    default = next(
        each["default"] for each in _row(name)["options"] if each["name"] == option
    )
    most: int | None = max(1, flash_pages // SHARE_OF_A_UNIT)
    if name == "kangaroo":
        most = _most_of_a_segment(given, flash_pages)
    if most is None:
        return None
    return _Usual(
        documented_pages(default, page_bytes), most, documented_words(default)
    )


def _most_of_a_segment(given: Mapping[str, str], flash_pages: int) -> int | None:
    """Return what a segment of Kangaroo's log is by default at most; None without a log. [pages]"""
    texts = (given.get("log_percent", str(_LOG_PERCENT)), given.get("partitions", "1"))
    if not all(re.fullmatch(r"\d+", text) for text in texts):
        # The core refuses it.
        return None
    percent, parts = map(int, texts)
    log = flash_pages * percent // 100
    if log < 2:  # noqa: PLR2004
        return None
    if "partitions" not in given:
        parts = min(_MOST_PARTITIONS, max(1, log // SHARE_OF_A_UNIT))
    return max(1, log // max(1, parts) // _SHARE_OF_A_SEGMENT)


def _row(name: str) -> Mapping[str, Any]:
    return next(
        each for each in replay.contenders("flash_cache") if each["name"] == name
    )
