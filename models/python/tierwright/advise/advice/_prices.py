"""How far the prices of a purchase may be off: as far as recent prices of one product lay apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from tierwright.advise.advice._table import Table, purchases_by_kind
from tierwright.evaluate.advice.later import QUARTERS_A_YEAR, Spread, spreads
from tierwright.hardware.price_history import PriceSeries, price_history
from tierwright.hardware.prices import quarter_of

SERIES_OF = {
    "nvme": ("ssd_enterprise", "ssd"),
    "sata_ssd": ("ssd_enterprise", "ssd"),
    "dram": ("dram",),
    "hdd": ("hdd",),
    "hdd_array": ("hdd",),
}
"""Kind of what is bought to the kinds of the price history that tell of it, the best first."""
PRICE_WORDS = {
    "dram": "RAM",
    "nvme": "NVMe drives",
    "sata_ssd": "SATA SSDs",
    "hdd": "hard disks",
    "hdd_array": "arrays of hard disks",
}
"""Kinds of `SERIES_OF` in words."""


@cache
def _shipped() -> Mapping[str, Spread]:
    return _by_kind(price_history().values())


def _by_kind(history: Iterable[PriceSeries]) -> Mapping[str, Spread]:
    known = {each.kind: each for each in spreads(history)}
    found = {}
    for kind, series in SERIES_OF.items():
        spread = next((known[each] for each in series if each in known), None)
        if spread is not None:
            found[kind] = spread
    return found


def spread_of_kinds(
    history: Iterable[PriceSeries] | None = None,
) -> Mapping[str, Spread]:
    """Return the spread of the prices of each kind of purchase that a recent series tells of."""
    return _shipped() if history is None else _by_kind(history)


def uncertain_purchases(
    table: Table, at: int, known: Mapping[str, Spread]
) -> dict[str, int]:
    """Cents of the purchases of an option whose price may be off, by kind.

    Prices of a book or of a list, seen at most a year before or after the newest price of the series of their kind.
    What you state yourself, and what states no date, stays as it is.
    """
    parts = purchases_by_kind(table, at)
    firm = {
        kind
        for kind, date in _dates(table, at)
        if kind in known and not _is_recent(date, known[kind])
    }
    return {
        kind: cents
        for kind, cents in parts.items()
        if kind in known and kind not in firm
    }


def _is_recent(date: str | None, spread: Spread) -> bool:
    return (
        date is not None and abs(quarter_of(date) - spread.quarter) <= QUARTERS_A_YEAR
    )


def _dates(table: Table, at: int) -> list[tuple[str, str | None]]:
    """Kinds of what an option buys, each with the date of its price; without one what you state yourself."""
    row, source = int(table.options.row[at]), table.source(at)
    shelf = table.shelf
    if source == "devices":
        stated = {device.id for device in table.setting.candidates.own}
        listed = [shelf.stores[table.tier_rows.store[row]]]
        cache = int(table.tier_rows.cache[row])
        if cache >= 0:
            listed.append(shelf.caches[cache])
        return [
            ("dram", None if shelf.ram is None else shelf.ram.date),
            *(
                (
                    device.kind,
                    None if price is None or device.id in stated else price.date,
                )
                for device, price in listed
            ),
        ]
    columns = table.columns
    if source != "chassis" or columns is None:
        return []
    dimm = columns.sold.dimms[columns.dimm[row]]
    drive = columns.sold.drives[columns.drive[row]]
    return [
        (kind, None if item.price is None else item.price.date)
        for kind, item in (("dram", dimm), (drive.part.kind, drive))
    ]
