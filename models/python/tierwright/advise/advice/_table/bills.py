"""The bill of an option, line by line, each purchase spread over the months."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from tierwright.common.currency import text_of
from tierwright.common.derivation import plain
from tierwright.common.fields import plain_number
from tierwright.evaluate.advice.rows import month_cents
from tierwright.evaluate.bill import CENT, EXACT, Line, bill_lines
from tierwright.hardware.build import STATED, build_from_mapping


def bill_rows(
    config: Mapping[str, Any], horizon_months: int, *, stated: str = STATED
) -> tuple[dict[str, Any], ...]:
    """Rows of `tierwright bill`, each with its purchase spread over the months; amounts as texts.

    Parameters
    ----------
    config : mapping
        CONFIG; empty where nothing is billed.
    horizon_months : int
        [months]
    stated : str
        Source of a price that has none.
    """
    if not config:
        return ()
    with localcontext(EXACT):
        lines = bill_lines(
            build_from_mapping(
                {**config, "horizon_months": horizon_months}, stated=stated
            )
        )
        return tuple(bill_row(line, horizon_months) for line in lines)


def bill_row(line: Line, horizon_months: int) -> dict[str, Any]:
    """Return a line of a bill as a row, its purchase spread over the months."""
    bought = np.asarray([int(line.purchase_usd * 100)])
    spread = Decimal(int(month_cents(bought, horizon_months)[0])) * CENT
    price = line.unit_price
    return {
        **plain(line),
        "quantity": plain_number(line.quantity),
        "unit_price": None if price is None else text_of(price),
        "usd_per_month": text_of(line.usd_per_month + spread),
        "purchase_usd": text_of(line.purchase_usd),
    }
