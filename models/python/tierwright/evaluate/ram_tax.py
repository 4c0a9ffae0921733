"""RAM that the directory of a flash cache takes: what stands beside every answer about one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tierwright.common.units import format_bytes
from tierwright.common.wording import listed, percent
from tierwright.evaluate.metadata import (
    BITS_PER_BYTE,
    FACE_ENTRY_BYTES,
    GHOST_BYTES,
    KANGAROO_LOG_BITS,
    KANGAROO_LOG_SHARE,
    KANGAROO_SET_BITS,
    L2ARC_HEADERS_SHARE,
    LAST_REQUEST_BYTES,
    PRESETS,
    SCE_DESCRIPTOR_FIXED_BYTES,
    SCE_PAGE_BYTES,
    MetadataPreset,
    ram_pages_left,
)

_UNITS: Mapping[str, str] = {
    "bcache": "bucket_pages",
    "dm_cache": "block_pages",
    "sce": "fragment_pages",
}
"""Option with the pages of the unit that an entry stands for, of caches that let it be chosen."""
_LARGE_LINE_BYTES = 32 * 2**10
_L2ARC = "l2arc"
_CACHESACK = "cachesack"
_OTHER_PRESETS: Mapping[str, frozenset[str]] = {
    "kangaroo": frozenset({"bighash"}),
    "open_cas": frozenset({"open_cas_32k"}),
}
"""Presets of a flash cache besides that of its own name: its options decide which holds."""
_SECOND_MISS = "second_miss"
"""The rule of an assignment for which the last request of each page is remembered; by default none has it."""


@dataclass(frozen=True, slots=True)
class RamTax:
    """RAM that the directory of one flash cache takes.

    Attributes
    ----------
    cache : str
        Its name.
    preset : str or None
        Of `PRESETS`; None where no figure is known.
    bytes : int or None
        [bytes]
    share : float or None
        Of the RAM. [1]
    source : str
        Where the figure is from; empty where there is none.
    """

    cache: str
    preset: str | None
    bytes: int | None
    share: float | None
    source: str


def preset_of_cache(
    cache: str, *, page_bytes: int, options: Mapping[str, str] | None = None
) -> MetadataPreset | None:
    """Return what a flash cache with these options keeps in RAM; None where no figure is known.

    Parameters
    ----------
    cache : str
        Its name.
    page_bytes : int
        Page of the workload. [bytes]
    options : mapping, optional
        In force; the documented units where none is given.

    Examples
    --------
    >>> preset_of_cache(
    ...     "dm_cache", page_bytes=4096, options={"block_pages": "16"}
    ... ).unit_bytes
    65536
    >>> preset_of_cache("open_cas", page_bytes=4096, options={"line_pages": "8"}).name
    'open_cas_32k'
    """
    given = options or {}
    found = _of_options(cache, page_bytes, given)
    if found is None or (cache != _CACHESACK and "assignment" not in given):
        return found
    # Of CacheSack the preset has the times of requests; every other cache keeps them besides its own.
    own = 0 if cache == _CACHESACK else found.source_entry_bytes
    pages = (found.unit_bytes or page_bytes) / page_bytes
    times = _SECOND_MISS in given.get("assignment", "")
    return replace(found, source_entry_bytes=own + times * LAST_REQUEST_BYTES * pages)


def _of_options(
    cache: str, page_bytes: int, given: Mapping[str, str]
) -> MetadataPreset | None:
    """Return what a flash cache keeps in RAM, without what remembers requests for an assignment."""
    if cache == "kangaroo":
        return _of_log(given, page_bytes)
    found = PRESETS.get(cache)
    if found is None:
        return None
    if cache == _L2ARC:
        per_page = int(given.get("headers_per_page", 0))
        # As many as fit in a page by default, whose remainder no header takes.
        default = page_bytes // int(found.entry_bytes)
        if per_page in (0, default):
            return found
        return replace(found, entry_bytes=page_bytes / per_page)
    if cache == "ram_filter":
        by_ghosts = given.get("admission", "s3_fifo") == "s3_fifo"
        ghosts = float(given.get("ghost_share", 1)) if by_ghosts else 0.0
        return replace(found, entry_bytes=FACE_ENTRY_BYTES + ghosts * GHOST_BYTES)
    if cache == "open_cas":
        return _of_lines(int(given.get("line_pages", 1)) * page_bytes, page_bytes)
    unit = given.get(_UNITS.get(cache, ""))
    if unit is None:
        return found
    unit_bytes = int(unit) * page_bytes
    if cache == "sce":
        bits = math.ceil(unit_bytes / SCE_PAGE_BYTES)
        entry = SCE_DESCRIPTOR_FIXED_BYTES + math.ceil(bits / BITS_PER_BYTE)
        return replace(found, unit_bytes=unit_bytes, entry_bytes=entry)
    return replace(found, unit_bytes=unit_bytes)


def _of_log(given: Mapping[str, str], page_bytes: int) -> MetadataPreset:
    """Return the preset of Kangaroo with so much of its flash in the log, in the sets alone that of BigHash."""
    if given.get("log_percent") == "0":
        set_pages = int(given.get("set_pages", 0))
        bighash = PRESETS["bighash"]
        return (
            replace(bighash, unit_bytes=set_pages * page_bytes)
            if set_pages
            else bighash
        )
    found = PRESETS["kangaroo"]
    in_log = float(given.get("log_percent", 100 * KANGAROO_LOG_SHARE)) / 100
    more = (KANGAROO_LOG_BITS - KANGAROO_SET_BITS) * (in_log - KANGAROO_LOG_SHARE)
    return replace(found, entry_bytes=found.entry_bytes + more / BITS_PER_BYTE)


def _of_lines(line_bytes: int, page_bytes: int) -> MetadataPreset | None:
    """Return the preset of Open CAS with these cache lines: figures are published of 4 and of 32 KiB alone."""
    if line_bytes == _LARGE_LINE_BYTES:
        return PRESETS["open_cas_32k"]
    # A line holds a page at least; the system's own default is 4 KiB.
    return PRESETS["open_cas"] if line_bytes <= max(4096, page_bytes) else None


def tax(
    cache: str,
    *,
    ram_bytes: float,
    flash_bytes: float,
    page_bytes: int,
    source_bytes: float,
    options: Mapping[str, str] | None = None,
) -> RamTax:
    """Return the RAM that the directory of a flash cache takes, of L2ARC at most what it allows itself.

    Parameters
    ----------
    cache : str
        Its name.
    ram_bytes, flash_bytes : float
        RAM, of which the share is, and flash. [bytes]
    page_bytes : int
        Page of the workload. [bytes]
    source_bytes : float
        The volume behind the cache: at least the pages of the workload. [bytes]
    options : mapping, optional
        As for `preset_of_cache`.

    Examples
    --------
    >>> found = tax(
    ...     "face",
    ...     ram_bytes=2**30,
    ...     flash_bytes=2**37,
    ...     page_bytes=8192,
    ...     source_bytes=2**40,
    ... )
    >>> found.bytes // 2**20, found.share
    (512, 0.5)
    >>> tax(
    ...     "open_cas",
    ...     ram_bytes=2**30,
    ...     flash_bytes=2**37,
    ...     page_bytes=8192,
    ...     source_bytes=2**40,
    ...     options={"line_pages": "2"},
    ... ).bytes is None
    True
    """
    preset = preset_of_cache(cache, page_bytes=page_bytes, options=options)
    if preset is None:
        return RamTax(cache, None, None, None, "")
    taken = float(
        preset.ram_bytes(flash_bytes, page_bytes=page_bytes, source_bytes=source_bytes)
    )
    if cache == _L2ARC:
        # It writes no more where headers of what is on flash alone take so much; what is in RAM, too, has one besides.
        in_both = ram_bytes / page_bytes * preset.entry_bytes
        taken = min(taken, L2ARC_HEADERS_SHARE * ram_bytes + in_both)
    taken = math.ceil(taken)
    return RamTax(cache, preset.name, taken, taken / ram_bytes, preset.source)


def taxes_of(
    caches: Sequence[str],
    options: Mapping[str, Mapping[str, str]] | None,
    *,
    ram_bytes: float,
    flash_bytes: float,
    page_bytes: int,
    source_bytes: float,
) -> list[RamTax]:
    """Return the RAM that the directories of several flash caches take.

    Parameters
    ----------
    caches : sequence of str
        Their names.
    options : mapping, optional
        As for `preset_of_cache`, by name.
    ram_bytes, flash_bytes, page_bytes, source_bytes
        As for `tax`. [bytes]
    """
    return [
        tax(
            name,
            ram_bytes=ram_bytes,
            flash_bytes=flash_bytes,
            page_bytes=page_bytes,
            source_bytes=source_bytes,
            options=(options or {}).get(name),
        )
        for name in caches
    ]


def is_of_cache(preset: MetadataPreset, cache: str) -> bool:
    """Whether a preset is of this flash cache, whose options then say what it takes.

    Examples
    --------
    >>> is_of_cache(PRESETS["bighash"], "kangaroo"), is_of_cache(PRESETS["face"], "tac")
    (True, False)
    """
    return preset.name == cache or preset.name in _OTHER_PRESETS.get(cache, ())


def pages_left(
    preset: MetadataPreset,
    cache: str,
    *,
    ram_pages: int,
    flash_pages: int,
    page_bytes: int,
    source_bytes: float,
    options: Mapping[str, str] | None = None,
) -> int:
    """Return the RAM that is left where a preset is charged; negative where there is too little. [pages]

    Of the cache's own preset its `tax` is taken: what an answer says it takes. Any other preset is charged as it stands.

    Parameters
    ----------
    preset : MetadataPreset
        What is charged.
    cache : str
        Name of a flash cache, or of a page-flow scheme.
    ram_pages, flash_pages : int
        RAM before, and flash. [pages]
    page_bytes, source_bytes : int, float
        As for `tax`; a size that the preset states goes before. [bytes]
    options : mapping, optional
        As for `tax`.

    Examples
    --------
    >>> half = {"log_percent": "50", "set_pages": "14"}
    >>> [
    ...     pages_left(
    ...         PRESETS["kangaroo"],
    ...         name,
    ...         ram_pages=1000,
    ...         flash_pages=8000,
    ...         page_bytes=8192,
    ...         source_bytes=0,
    ...         options=half,
    ...     )
    ...     for name in ("kangaroo", "face")
    ... ]
    [996, 999]
    """
    if is_of_cache(preset, cache):
        preset.behind(source_bytes)  # refuses less than the pages of the workload
        taken = tax(
            cache,
            ram_bytes=ram_pages * page_bytes,
            flash_bytes=flash_pages * page_bytes,
            page_bytes=page_bytes,
            source_bytes=preset.source_bytes or source_bytes,
            options=options,
        ).bytes
        if taken is not None:
            return ram_pages - math.ceil(taken / page_bytes)
    return int(
        ram_pages_left(
            preset,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            page_bytes=page_bytes,
            source_bytes=source_bytes,
        )
    )


def tax_of_replay(
    counters: Mapping[str, Any],
    *,
    ram_pages: int,
    flash_pages: int | None = None,
    options: Mapping[str, str] | None = None,
    charged: MetadataPreset | None = None,
) -> RamTax | None:
    """Return the RAM that the directory of a replayed flash cache takes; None without flash.

    Parameters
    ----------
    counters : mapping
        A result of `replay` through a flash cache.
    ram_pages : int
        RAM that was asked for, of which the share is. [pages]
    flash_pages : int, optional
        Flash that was asked for, where the replay stands for that of production. [pages]
    options : mapping, optional
        In force on the flash that was asked for, whose units may be others than those of the replay; unless given, of
        the replay.
    charged : MetadataPreset, optional
        What was charged; if it is the cache's own, the size of the volume that it states is meant.
    """
    replayed = counters["flash_pages"]
    if not replayed:
        return None
    flash = replayed if flash_pages is None else flash_pages
    page = counters["page_bytes"]
    # Production has as many times the data as it has the flash.
    source = counters["distinct_pages"] * flash / replayed * page
    if charged is not None and is_of_cache(charged, counters["scheme"]):
        source = charged.source_bytes or source
    return tax(
        counters["scheme"],
        ram_bytes=ram_pages * page,
        flash_bytes=flash * page,
        page_bytes=page,
        source_bytes=source,
        options=counters.get("options") if options is None else options,
    )


def words(taxes: Sequence[RamTax], titles: Mapping[str, str]) -> str:
    """Say what RAM the directories of flash caches take; empty for none.

    Examples
    --------
    >>> words(
    ...     [
    ...         RamTax("face", "face", 2**20, 0.125, ""),
    ...         RamTax("larc", None, None, None, ""),
    ...     ],
    ...     {"face": "FaCE", "larc": "LARC"},
    ... )
    'The directory of FaCE takes 1 MiB (12.5 %) of the RAM; for that of LARC no figure is known.'
    """
    return words_of_range([[each] for each in taxes], titles)


def words_of_range(taxes: Sequence[Sequence[RamTax]], titles: Mapping[str, str]) -> str:
    """Say what RAM the directories of flash caches take at several sizes; empty for none.

    Parameters
    ----------
    taxes : sequence of sequence of RamTax
        Of each cache, at each pair of sizes.
    titles : mapping of str to str
        Of the caches.

    Examples
    --------
    >>> face = [
    ...     RamTax("face", "face", 2**20, 0.125, ""),
    ...     RamTax("face", "face", 2**21, 0.5, ""),
    ... ]
    >>> words_of_range([face], {"face": "FaCE"})
    'The directory of FaCE takes 12.5 to 50.0 % of the RAM.'
    """
    known, unknown = [], []
    for of_cache in taxes:
        sizes = [
            (each.share, each.bytes)
            for each in of_cache
            if each.share is not None and each.bytes is not None
        ]
        if sizes:
            known.append(f"{titles[of_cache[0].cache]} takes {_taken(sizes)}")
        elif of_cache:
            unknown.append(titles[of_cache[0].cache])
    parts = []
    if known:
        first, *others = known
        parts = [
            f"The directory of {first} of the RAM",
            *(f"that of {each}" for each in others),
        ]
    if unknown:
        parts.append(
            f"{'for that' if known else 'For the directory'} of {listed(unknown)} no figure is known"
        )
    return f"{'; '.join(parts)}." if parts else ""


def _taken(sizes: Sequence[tuple[float, int]]) -> str:
    """Return sizes in words: bytes and share of one, shares of the least and the most of several."""
    (least, taken), (most, _) = min(sizes), max(sizes)
    if len(sizes) == 1:
        return f"{format_bytes(taken)} ({percent(least)})"
    if percent(least) == percent(most):
        return percent(least)
    return f"{percent(least).removesuffix(' %')} to {percent(most)}"
