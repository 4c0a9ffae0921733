"""Where the flash directory lives, how large it is, and flash pages larger than RAM pages.

Source: Koltsidas and Viglas sections 4.1 and 4.2, Table 1; errata as named in the docstrings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierwright.common.checks import broadcast, whole
from tierwright.common.errors import BadInput

MIB = 2**20
OFFSET_BITS = 64
POINTER_BITS = 32


@dataclass(frozen=True, slots=True)
class DirectoryInRam:
    """Sizes when the flash directory lives in RAM.

    Attributes
    ----------
    flash_pages : int
        f = floor(S_f / B_f). [pages]
    directory_bytes : int
        b_f f. [bytes]
    ram_pages_no_flash : int
        RAM pages without flash, floor(S_r / (B_r + b_r)). [pages]
    ram_pages : int
        RAM pages that the directory leaves; 0 when it leaves none. [pages]
    feasible : bool
        Whether at least one RAM page is left.
    """

    flash_pages: int
    directory_bytes: int
    ram_pages_no_flash: int
    ram_pages: int
    feasible: bool


@dataclass(frozen=True, slots=True)
class DirectoryOnFlash:
    """Sizes when the flash directory lives on flash, part of it buffered in RAM.

    Attributes
    ----------
    flash_pages : int
        f' = floor(S_f / (B_f + b_f)). [pages]
    directory_bytes : int
        b_f f'. [bytes]
    ram_pages : int
        r' = floor((S_r - n) / (B_r + b_r)). [pages]
    lost_flash_pages : int
        floor(S_f / B_f) - f'. [pages]
    """

    flash_pages: int
    directory_bytes: int
    ram_pages: int
    lost_flash_pages: int


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """Size of one directory entry and of the directory.

    Attributes
    ----------
    entry_bits : int
        Bits of one entry.
    mib : float
        The directory. [MiB]
    """

    entry_bits: int
    mib: float


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Place of a RAM page in a flash block."""

    block: int
    offset_in_block: int
    index_in_block: int


def directory_in_ram(
    *,
    ram_bytes: int,
    flash_bytes: int,
    ram_page_bytes: int,
    flash_page_bytes: int,
    ram_entry_bytes: int,
    flash_entry_bytes: int,
) -> DirectoryInRam:
    """RAM and flash pages when the flash directory lives in RAM.

    r = floor((S_r - b_f f) / (B_r + b_r)) with f = floor(S_f / B_f). Repaired: the paper
    prints b r for b f, which would count the RAM directory twice.

    Parameters
    ----------
    ram_bytes, flash_bytes : int
        S_r and S_f. [bytes]
    ram_page_bytes, flash_page_bytes : int
        B_r and B_f, the latter a multiple of the former. [bytes]
    ram_entry_bytes, flash_entry_bytes : int
        b_r and b_f, bytes of one directory entry. [bytes]

    Raises
    ------
    BadInput
        If a size is not a positive whole number or B_f is no multiple of B_r.
    """
    whole(
        "directory_in_ram",
        ram_bytes=ram_bytes,
        flash_bytes=flash_bytes,
        ram_page_bytes=ram_page_bytes,
        flash_page_bytes=flash_page_bytes,
        ram_entry_bytes=ram_entry_bytes,
        flash_entry_bytes=flash_entry_bytes,
    )
    _check_block(ram_page_bytes, flash_page_bytes)
    flash_pages = flash_bytes // flash_page_bytes
    directory_bytes = flash_entry_bytes * flash_pages
    frame = ram_page_bytes + ram_entry_bytes
    left = ram_bytes - directory_bytes
    feasible = left >= frame
    return DirectoryInRam(
        flash_pages,
        directory_bytes,
        ram_bytes // frame,
        left // frame if feasible else 0,
        feasible,
    )


def directory_on_flash(
    *,
    ram_bytes: int,
    flash_bytes: int,
    ram_page_bytes: int,
    flash_page_bytes: int,
    ram_entry_bytes: int,
    flash_entry_bytes: int,
    buffered_bytes: int,
) -> DirectoryOnFlash:
    """RAM and flash pages when the directory lives on flash with n bytes buffered in RAM.

    Parameters
    ----------
    ram_bytes, flash_bytes, ram_page_bytes, flash_page_bytes : int
        S_r, S_f, B_r, B_f. [bytes]
    ram_entry_bytes, flash_entry_bytes : int
        b_r and b_f. [bytes]
    buffered_bytes : int
        n: at least one entry (the print says b_r), at most the directory. [bytes]

    Raises
    ------
    BadInput
        If a size is not a positive whole number, n is out of bounds or exceeds RAM.
    """
    whole(
        "directory_on_flash",
        ram_bytes=ram_bytes,
        flash_bytes=flash_bytes,
        ram_page_bytes=ram_page_bytes,
        flash_page_bytes=flash_page_bytes,
        ram_entry_bytes=ram_entry_bytes,
        flash_entry_bytes=flash_entry_bytes,
        buffered_bytes=buffered_bytes,
    )
    _check_block(ram_page_bytes, flash_page_bytes)
    flash_pages = flash_bytes // (flash_page_bytes + flash_entry_bytes)
    directory_bytes = flash_entry_bytes * flash_pages
    most = min(directory_bytes, ram_bytes)
    if not flash_entry_bytes <= buffered_bytes <= most:
        raise BadInput(
            f"directory_on_flash: buffered_bytes: `{buffered_bytes}` must lie between one "
            f"entry, {flash_entry_bytes}, and {most}, the smaller of directory and RAM",
            "buffer at least one directory page",
        )
    return DirectoryOnFlash(
        flash_pages,
        directory_bytes,
        (ram_bytes - buffered_bytes) // (ram_page_bytes + ram_entry_bytes),
        flash_bytes // flash_page_bytes - flash_pages,
    )


def directory_access_costs(
    *,
    lookup_pages: float,
    update_pages: float,
    hit_ratio: float,
    p_d_directory: float,
    flash_read: float,
    flash_write: float,
    write_on_eviction: bool = False,
) -> tuple[float, float]:
    """L and U: cost of one lookup and one update of a directory on flash.

    Printed: pages x ((1 - H_d) F_R + p_d^d F_W), which pays the dirty write even on a
    directory hit. Physically consistent (`write_on_eviction`): pages x (1 - H_d)
    (F_R + p_d^d F_W).

    Parameters
    ----------
    lookup_pages, update_pages : float
        l and u, directory pages touched. [pages]
    hit_ratio : float
        H_d(n), of the directory buffer. [1]
    p_d_directory : float
        p_d^d, share of directory pages that are dirty in RAM. [1]
    flash_read, flash_write : float
        F_R and F_W. [time]
    write_on_eviction : bool
        Use the consistent variant instead of the printed one.

    Returns
    -------
    tuple of float
        L and U. [time]

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    v = broadcast(
        "directory_access_costs",
        amounts={
            "lookup_pages": lookup_pages,
            "update_pages": update_pages,
            "flash_read": flash_read,
            "flash_write": flash_write,
        },
        shares={"hit_ratio": hit_ratio, "p_d_directory": p_d_directory},
    )
    miss = 1 - v["hit_ratio"]
    write = v["p_d_directory"] * v["flash_write"]
    page = (
        miss * (v["flash_read"] + write)
        if write_on_eviction
        else miss * v["flash_read"] + write
    )
    return float(v["lookup_pages"] * page), float(v["update_pages"] * page)


def flash_directory_size(
    *, flash_bytes: int, flash_page_bytes: int, ram_page_bytes: int, technique: str
) -> DirectoryEntry | None:
    """Size of the flash directory (Table 1 of the paper).

    Bits of an entry: block id ceil(64 - log2 B_f), flash address ceil(log2 floor(S_f/B_f)),
    1 dirty, 32 LRU link, 32 hash link, and B_f/B_r validity bits when invalidating.

    Parameters
    ----------
    flash_bytes : int
        S_f. [bytes]
    flash_page_bytes, ram_page_bytes : int
        B_f, a multiple of B_r. [bytes]
    technique : str
        `overwriting` or `invalidating`.

    Returns
    -------
    DirectoryEntry or None
        None for invalidating with B_f = B_r, where there is nothing to invalidate.

    Raises
    ------
    BadInput
        If a size is not positive, B_f is no multiple of B_r, the flash holds no page, or
        the technique is unknown.

    Examples
    --------
    >>> flash_directory_size(
    ...     flash_bytes=2**37,
    ...     flash_page_bytes=4096,
    ...     ram_page_bytes=4096,
    ...     technique="overwriting",
    ... ).mib
    568.0
    """
    whole(
        "flash_directory_size",
        flash_bytes=flash_bytes,
        flash_page_bytes=flash_page_bytes,
        ram_page_bytes=ram_page_bytes,
    )
    _check_block(ram_page_bytes, flash_page_bytes)
    if technique not in ("overwriting", "invalidating"):
        raise BadInput(
            f"flash_directory_size: technique: `{technique}` is unknown",
            "one of overwriting, invalidating",
        )
    blocks = flash_bytes // flash_page_bytes
    if blocks == 0:
        raise BadInput(
            f"flash_directory_size: flash_bytes: `{flash_bytes}` is less than one page",
            "give at least flash_page_bytes",
        )
    if technique == "invalidating" and flash_page_bytes == ram_page_bytes:
        return None
    identifier = math.ceil(OFFSET_BITS - math.log2(flash_page_bytes))
    address = (blocks - 1).bit_length()  # ceil(log2(blocks)), exact
    bits = identifier + address + 1 + 2 * POINTER_BITS
    if technique == "invalidating":
        bits += flash_page_bytes // ram_page_bytes
    return DirectoryEntry(bits, blocks * bits / 8 / MIB)


def block_map(*, page: int, ram_page_bytes: int, flash_page_bytes: int) -> BlockPlace:
    """Flash block of a RAM page, and its place inside.

    block = floor(p B_r / B_f), offset = (p B_r) mod B_f.

    Raises
    ------
    BadInput
        If the page is negative or B_f is no multiple of B_r.

    Examples
    --------
    >>> block_map(page=7, ram_page_bytes=4096, flash_page_bytes=16384)
    BlockPlace(block=1, offset_in_block=12288, index_in_block=3)
    """
    whole("block_map", ram_page_bytes=ram_page_bytes, flash_page_bytes=flash_page_bytes)
    _check_block(ram_page_bytes, flash_page_bytes)
    if page < 0 or page != int(page):
        raise BadInput(
            f"block_map: page: `{page}` is not a page number", "pages count from 0"
        )
    block, offset = divmod(page * ram_page_bytes, flash_page_bytes)
    return BlockPlace(block, offset, offset // ram_page_bytes)


def _check_block(ram_page_bytes: int, flash_page_bytes: int) -> None:
    if flash_page_bytes % ram_page_bytes:
        raise BadInput(
            f"flash_page_bytes: `{flash_page_bytes}` is not a multiple of the RAM "
            f"page, {ram_page_bytes}",
            "use a flash block of whole RAM pages",
        )
