"""The row of what states its cost as one amount."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tierwright.common.currency import text_of

KIND = "stated"
"""Kind of the row."""


def row_as_stated(
    usd_per_month: Decimal, purchase_usd: Decimal, source: str
) -> dict[str, Any]:
    """Return the one row of the bill of what states its amounts alone; amounts as texts.

    Parameters
    ----------
    usd_per_month : Decimal
        Purchases spread. [USD/month]
    purchase_usd : Decimal
        [USD]
    source : str
        Where it was stated.
    """
    return {
        "what": "as stated",
        "kind": KIND,
        "quantity": 1,
        "unit": "USD/month",
        "unit_price": text_of(usd_per_month),
        "date": None,
        "usd_per_month": text_of(usd_per_month),
        "purchase_usd": text_of(purchase_usd),
        "source": source,
        "note": "",
        "months": None,
    }
