"""A raw NAND chip: its blocks, and the busy times of its operations.

Source: Zhou, Meng and Liang (2009), Table I and section V.A.
"""

from __future__ import annotations

from dataclasses import dataclass

from tierwright.common.checks import whole


@dataclass(frozen=True, slots=True)
class NandTimes:
    """Busy times of raw NAND. [µs]

    Attributes
    ----------
    read_us, write_us : float
        One page read, one page program. [µs]
    erase_us : float
        One block erase. [µs]
    """

    read_us: float = 25.0
    write_us: float = 200.0
    erase_us: float = 1500.0


@dataclass(frozen=True, slots=True)
class NandGeometry:
    """Blocks of a chip.

    Attributes
    ----------
    blocks : int
        Blocks, each erased as a whole.
    pages_per_block : int
        Pages of a block.
    page_bytes : int
        Page size, programmed once between erases. [bytes]
    """

    blocks: int = 1024
    pages_per_block: int = 64
    page_bytes: int = 2048


PAPER_TIMES = NandTimes()
"""Table I: 25, 200 and 1500 µs."""
PAPER_GEOMETRY = NandGeometry()
"""Section V.A: 1024 blocks of 64 pages of 2 KiB."""


def check_geometry(geometry: NandGeometry) -> None:
    """Refuse a chip without pages.

    Raises
    ------
    BadInput
        If a number is not a positive whole one.
    """
    whole(
        "NAND geometry",
        blocks=geometry.blocks,
        pages_per_block=geometry.pages_per_block,
        page_bytes=geometry.page_bytes,
    )
