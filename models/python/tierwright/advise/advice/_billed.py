"""What the bill of an option comes to, also at other prices of RAM and flash: each line is rounded by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.advice._repriced import columns_at, shelf_at
from tierwright.advise.advice._table import Table, bill_rows
from tierwright.evaluate.advice.rows import month_cents


@dataclass(frozen=True, slots=True)
class Billed:
    """Sums of the rows of a bill.

    Attributes
    ----------
    month : int
        Rents, and every line of the purchase spread over the months. [cent/month]
    purchase : int
        [cent]
    spread : int
        What of a month is purchase. [cent/month]
    """

    month: int
    purchase: int
    spread: int


def billed(table: Table, at: int, times: Decimal = Decimal(1)) -> Billed:
    """Sum up the bill of an option that has a price, with RAM and flash that it buys at so many times their prices.

    Parameters
    ----------
    table : Table
    at : int
    times : Decimal
        [1]
    """
    if table.source(at) == "quotes":
        return _summed(table, at, table.given(at).bill)
    return billed_config(table, at, _config(table, at, times))


def billed_config(table: Table, at: int, config: Mapping[str, Any]) -> Billed:
    """Sum up the bill of a CONFIG of an option, such as one with other prices; what it states where that is empty."""
    return _summed(table, at, bill_rows(config, table.setting.horizon_months))


def _summed(table: Table, at: int, rows: Sequence[Mapping[str, Any]]) -> Billed:
    months = table.setting.horizon_months
    if not rows:
        # What states its amounts alone is one purchase.
        rows = (
            {
                "usd_per_month": Decimal(int(table.options.month_cents[at])) / 100,
                "purchase_usd": Decimal(int(table.options.purchase_cents[at])) / 100,
            },
        )
    bought = [_cents(each["purchase_usd"]) for each in rows]
    return Billed(
        sum(_cents(each["usd_per_month"]) for each in rows),
        sum(bought),
        int(month_cents(np.asarray(bought, dtype=np.int64), months).sum()),
    )


def _config(table: Table, at: int, times: Decimal) -> Mapping[str, Any]:
    source = table.source(at)
    if times != 1 and source == "devices":
        moved = replace(table.tier_rows, shelf=shelf_at(table.shelf, times))
        return moved.config(table.options, at)
    if times != 1 and source == "chassis":
        assert table.columns is not None
        one = table.columns.rows(np.asarray([int(table.options.row[at])]))
        stated = table.setting.candidates.part_usd
        return columns_at(one, stated, times).config(0)
    return table.config(at)


def _cents(usd: Any) -> int:
    return int(Decimal(usd) * 100)
