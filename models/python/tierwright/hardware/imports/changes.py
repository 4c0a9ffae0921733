"""What changed between two price lists: prices that were added, removed or changed, by what names each exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports.ledger import MOST_LISTED, shown
from tierwright.hardware.imports.prices import Price

MOST_PRICES = 1_000_000
"""Different prices of a list that are kept to be compared."""
_NAMES = ("sku", "name", "price_code", "term_type", "lease", "region", "begin", "unit")
Key = tuple[str, ...]
"""What names a price, in the order of `_NAMES`, and its currency."""


class Book:
    """The prices of a list by what names each: those of the last day where it has several."""

    def __init__(self) -> None:
        self._prices: dict[Key, tuple[str, tuple[Decimal, ...]]] = {}

    def add(self, price: Price) -> None:
        """Keep a price.

        Raises
        ------
        BadInput
            If there are more than `MOST_PRICES`.
        """
        key = (
            price.sku,
            # A meter may be renamed; without a SKU its name is all there is.
            "" if price.sku else price.name,
            price.price_code,
            price.term_type,
            price.lease,
            price.region,
            f"{price.begin.normalize():f}",
            price.unit.words,
            price.currency,
        )
        day, known = self._prices.get(key, ("", ()))
        if not day and len(self._prices) == MOST_PRICES:
            raise BadInput(
                f"more than {MOST_PRICES:,} prices cannot be compared",
                "give the price list of one region",
            )
        if price.effective > day:
            self._prices[key] = price.effective, (price.price,)
        elif price.effective == day and price.price not in known:
            self._prices[key] = day, tuple(sorted((*known, price.price)))

    def prices(self) -> Mapping[Key, tuple[Decimal, ...]]:
        """Return the prices of each key, in ascending order; a bill may have paid several."""
        return {key: prices for key, (_, prices) in self._prices.items()}


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed from an earlier list to a later one.

    Attributes
    ----------
    added, removed, changed, unchanged : int
        Prices.
    listed : tuple of dict
        The first of them, at most `MOST_LISTED`: what names the price, `before` and `after`, each a list of amounts of
        one unit, empty where there was or is none.
    """

    added: int
    removed: int
    changed: int
    unchanged: int
    listed: tuple[dict[str, Any], ...]

    @property
    def finding(self) -> str:
        """How many prices were added, removed and changed."""
        if not self.added + self.removed + self.changed:
            return f"No price changed: {counted(self.unchanged, 'price is', 'prices are')} the same."
        return (
            f"{counted(self.changed, 'price')} changed, {counted(self.added, 'price')} added, "
            f"{counted(self.removed, 'price')} removed; {counted(self.unchanged, 'price is', 'prices are')} the same."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "finding": self.finding,
            "added": self.added,
            "removed": self.removed,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "listed": list(self.listed),
        }


def changes(before: Book, after: Book) -> Changes:
    """Compare two lists.

    Parameters
    ----------
    before, after : Book
        The earlier and the later one.
    """
    old, new = before.prices(), after.prices()
    differing = [
        *(key for key, prices in new.items() if old.get(key) != prices),
        *(key for key in old if key not in new),
    ]
    added = sum(key not in old for key in differing)
    removed = sum(key not in new for key in differing)
    return Changes(
        added,
        removed,
        len(differing) - added - removed,
        len(new) - (len(differing) - removed),
        tuple(
            {
                **{
                    name: shown(text)
                    for name, text in zip((*_NAMES, "currency"), key, strict=True)
                },
                "before": [f"{each:f}" for each in old.get(key, ())],
                "after": [f"{each:f}" for each in new.get(key, ())],
            }
            for key in differing[:MOST_LISTED]
        ),
    )
