"""The price book that an option names: one of the catalogue by its id, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tierwright.hardware.prices import PriceBook

ENDINGS = (".json", ".toml")
"""What is the name of a file, and not an id."""


def book_of(name: str) -> PriceBook:
    """Return the price book of an id, or of a file such as `tierwright import prices --book` writes.

    Raises
    ------
    BadInput
        If there is none, or the file is not a price book.
    """
    from tierwright.common.documents import read_table
    from tierwright.hardware import catalog
    from tierwright.hardware.prices import price_book_from_mapping

    if not name.endswith(ENDINGS):
        return catalog.price_book(name)
    hint = "give a price book as TOML or JSON, see docs/reference/price-books.md"
    return price_book_from_mapping(read_table(Path(name), hint), place=name)
