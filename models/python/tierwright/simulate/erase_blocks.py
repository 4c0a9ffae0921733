"""Erase blocks of the device under a replay, which has little flash: as many as make its write amplification that of a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tierwright.common.wording import counted, percent

DEVICE_BLOCKS = 100
"""Erase blocks that the device under a replay has at least, spare ones not counted."""
LEAST_ERASED_PAGES = 8
"""Pages of the smallest erase block that stands for larger ones. [pages]"""
DEFAULT_BLOCK_PAGES = 256
"""Pages of an erase block, as the tables of the core state it."""
SPARE_OPTION = "ftl_spare_percent"
BLOCK_OPTION = "ftl_block_pages"
MAPPING_OPTION = "ftl_mapping"
RULE_OPTION = "ftl_gc"
WORN = ("greedy", "fifo", "random")
"""Rules of collection of which the check of wear states the write amplification of a whole device; the first by default."""
PAGE_BY_PAGE = "page"
HELD_BLOCKS: Mapping[str, int] = {"block": 2, "bast": 2, "fast": 3}
"""Blocks beyond the data that a layer which maps no single pages needs at least: to write in, and to merge."""
COPIES_NOTHING = "zones"
MOST_HELD = 0.1
"""Share of the spare space from which the blocks in use are said to take it. [1]"""
FEW_BLOCKS = "few_erase_blocks"
"""Note of a device whose write amplification is that of its few spare blocks."""


def fitting_block_pages(block_pages: int, flash_pages: int) -> int | None:
    """Return the erase block of a device under so much flash: smaller where it would have fewer than 100. [pages]

    Of few blocks, those that are being filled are most of the spare ones: seven blocks with 28 % spare space amplify
    eight times as much as seven thousand. Blocks of fewer than 8 pages stand for none: then it is None.

    Parameters
    ----------
    block_pages : int
        Of the device that is meant. [pages]
    flash_pages : int
        Of the replay. [pages]
    """
    pages = min(block_pages, flash_pages // DEVICE_BLOCKS)
    return pages if pages >= min(block_pages, LEAST_ERASED_PAGES) else None


def with_fitting_blocks(
    options: Mapping[str, str] | None, flash_pages: int
) -> dict[str, str]:
    """Return the options of a replay, with erase blocks that fit into its flash where a device is asked for without any.

    Parameters
    ----------
    options : mapping, optional
        As given, by name as in the tables.
    flash_pages : int
        That is replayed. [pages]

    Examples
    --------
    >>> with_fitting_blocks({"ftl_spare_percent": "7"}, 8000)
    {'ftl_spare_percent': '7', 'ftl_block_pages': '80'}
    >>> with_fitting_blocks({"ftl_spare_percent": "7"}, 1_000_000)
    {'ftl_spare_percent': '7'}
    """
    own = dict(options or {})
    if SPARE_OPTION not in own or BLOCK_OPTION in own or flash_pages <= 0:
        return own
    pages = fitting_block_pages(DEFAULT_BLOCK_PAGES, flash_pages) or LEAST_ERASED_PAGES
    if pages != DEFAULT_BLOCK_PAGES:
        own[BLOCK_OPTION] = str(pages)
    return own


def few_blocks(
    options: Mapping[str, str] | None,
    flash_pages: int,
    *,
    metadata_pages: int = 0,
    streams: int = 1,
) -> dict[str, str] | None:
    """Say what share of the spare space the blocks in use take where it is more than a tenth; None where it is not.

    Parameters
    ----------
    options : mapping, optional
        In force.
    flash_pages : int
        That is replayed. [pages]
    metadata_pages : int
        That lie on the device behind the data. [pages]
    streams : int
        That the device keeps apart, each with its own open block.

    Examples
    --------
    >>> few_blocks({"ftl_spare_percent": "28", "ftl_block_pages": "80"}, 8000)
    >>> few_blocks({"ftl_spare_percent": "7", "ftl_block_pages": "80"}, 8000)["message"]
    '8,000 pages of flash fill 100 erase blocks of 80 pages: 2 blocks of the device are always free or being filled, 28.6 % of its 560 pages of spare space'
    """
    own = options or {}
    mapping = own.get(MAPPING_OPTION, PAGE_BY_PAGE)
    if SPARE_OPTION not in own or flash_pages <= 0 or mapping == COPIES_NOTHING:
        return None
    pages = int(own.get(BLOCK_OPTION, DEFAULT_BLOCK_PAGES))
    # One free block, and one open for each stream.
    held = HELD_BLOCKS.get(mapping, 1 + streams)
    logical = flash_pages + metadata_pages
    physical = -(-logical * (100 + int(own[SPARE_OPTION])) // 100)
    spare = -(-physical // pages) * pages - logical
    if held * pages <= MOST_HELD * spare:
        return None
    fitting = fitting_block_pages(pages, flash_pages)
    if fitting is None:
        hint = f"replay at least {counted(DEVICE_BLOCKS * LEAST_ERASED_PAGES, 'page')} of flash"
    elif fitting < pages:
        hint = f"leave {BLOCK_OPTION} out, or give at most {fitting}"
    else:
        hint = "replay more flash"
        if mapping == PAGE_BY_PAGE and own.get(RULE_OPTION, WORN[0]) in WORN:
            hint += ", or take the write amplification of a whole device from the check of wear"
    return {
        "name": FEW_BLOCKS,
        "message": f"{counted(flash_pages, 'page')} of flash fill {counted(flash_pages // pages, 'erase block')} of "
        f"{counted(pages, 'page')}: {counted(held, 'block')} of the device are always free or being filled, "
        f"{percent(held * pages / spare)} of its {counted(spare, 'page')} of spare space",
        "hint": hint,
    }


def noted(
    row: dict[str, Any], options: Mapping[str, str] | None, flash_pages: int
) -> dict[str, Any]:
    """Say of the device under a replay how large its erase blocks are, and warn where few are spare.

    Parameters
    ----------
    row : dict
        Result of a replay.
    options : mapping, optional
        In force.
    flash_pages : int
        That was replayed; 0 where there is no flash below RAM. [pages]
    """
    if not row.get("ftl") or flash_pages <= 0:
        return row
    pages = int((options or {}).get(BLOCK_OPTION, DEFAULT_BLOCK_PAGES))
    layer = row["ftl"]
    # Where nothing was copied, spare space made no difference.
    note = (
        None
        if layer.get("moved") == 0
        else few_blocks(
            options,
            flash_pages,
            metadata_pages=layer.get("metadata_pages", 0),
            streams=len(layer.get("streams", ())) or 1,
        )
    )
    return {
        **row,
        "ftl": {"block_pages": pages, **layer},
        "warnings": [*row.get("warnings", ()), *([] if note is None else [note])],
    }
