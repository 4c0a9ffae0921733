"""What an option buys, line by line and by its kind; nothing of what is rented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import localcontext

import numpy as np

from tierwright.advise.advice._table.table import Table
from tierwright.evaluate.bill import EXACT, cents
from tierwright.hardware.parts import PartPrice
from tierwright.hardware.prices import Price


@dataclass(frozen=True, slots=True)
class Purchase:
    """What an option buys of one thing.

    Attributes
    ----------
    kind : str
        `dram`, `nvme`, `sata_ssd`, `hdd`, `chassis` or `machine`.
    cents : int
        [cent]
    price : Price, PartPrice or None
        What it is priced by; None of a chassis and of the machine of devices.
    device_id : str or None
        Of a device that is bought by itself.
    is_store : bool
        Whether it holds the data.
    part_id : str
        Of a part of a server; empty of all else.
    """

    kind: str
    cents: int
    price: Price | PartPrice | None = None
    device_id: str | None = None
    is_store: bool = False
    part_id: str = ""


def purchases(table: Table, at: int) -> Iterator[Purchase]:
    """Yield what an option buys, line by line; nothing of what is rented."""
    source, row = table.source(at), int(table.options.row[at])
    if source == "devices":
        store, cache = table.tier_rows.store[row], table.tier_rows.cache[row]
        lines = [Purchase("dram", 0, table.shelf.ram)]
        if cache >= 0:
            device, price = table.shelf.caches[cache]
            lines.append(Purchase(device.kind, 0, price, device.id))
        device, price = table.shelf.stores[store]
        lines.append(Purchase(device.kind, 0, price, device.id, is_store=True))
        lines.append(Purchase("machine", 0))
        extra = table.config(at).get("extra", ())
        with localcontext(EXACT):
            for each, line in zip(lines, extra, strict=False):
                if "usd" in line:
                    amount = int(cents(line["usd"] * line["quantity"]) * 100)
                    yield replace(each, cents=amount)
    elif source == "chassis" and table.columns is not None:
        one = table.columns.rows(np.asarray([row]))
        drive, dimm = one.sold.drives[one.drive[0]], one.sold.dimms[one.dimm[0]]
        box, ram, stores = (int(line[0]) for line in one.purchase_lines())
        yield Purchase("chassis", box)
        yield Purchase("dram", ram, dimm.price, part_id=dimm.part.id)
        yield Purchase(
            drive.part.kind,
            stores,
            drive.price,
            is_store=True,
            part_id=drive.part.id,
        )


def purchases_by_kind(table: Table, at: int) -> dict[str, int]:
    """Cents of the purchases of an option by what is bought: `dram`, `nvme`, `sata_ssd`, `hdd`, `chassis`, `machine`."""
    found = Counter[str]()
    for each in purchases(table, at):
        found[each.kind] += each.cents
    return {kind: amount for kind, amount in found.items() if amount}
