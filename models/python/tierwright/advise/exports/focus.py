"""The bill of an advice as rows of FOCUS 1.2, a forecast: what is rented every month, what is bought once and spread."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.advise.exports.bill import (
    Billed,
    Sold,
    classed,
    option_of,
    sold,
    table_csv,
)
from tierwright.advise.report._options import Cell
from tierwright.common.errors import BadInput
from tierwright.common.fields import is_count
from tierwright.evaluate.economics import HOURS_PER_MONTH

VERSION = "1.2"
COLUMNS = (
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "ServiceCategory",
    "ServiceName",
)
"""The mandatory columns of FOCUS 1.2 that a forecast fills, with the frequency and the region."""
OWN_COLUMNS = (
    "x_Forecast",
    "x_FocusVersion",
    "x_AdviceId",
    "x_Option",
    "x_PageFlow",
    "x_BillKind",
    "x_UnitPriceUsd",
    "x_PriceDate",
    "x_PriceSource",
    "x_Note",
)
"""Own columns: they stand last."""
EVIDENCE_COLUMN = "x_CurveEvidence"
"""Behind these where a curve from counters is behind the advice."""
UNITS = {
    "USD": "Units",
    "USD/hour": "Hours",
    "USD/month": "Months",
    "USD/GiB": "GiB",
    "USD/GB": "GB",
    "USD/GiB/month": "GiB-Months",
    "USD/IOPS/month": "IOPS-Months",
    "USD/kWh": "kWh",
    "USD/1000": "1000 Requests",
    "USD/1000000": "1000000 Requests",
}
"""Units of prices of a bill, and of quantities in FOCUS."""
ACCOUNT = "forecast"
MOST_MONTHS = 1200
LAST_YEAR = 9000
"""Of a day that a forecast follows: all of its months have years of four digits."""
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_MONTHS_PER_YEAR = 12
_PART = Decimal("1e-12")
_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Month:
    """One month of the forecast.

    Attributes
    ----------
    year, month : int
    """

    year: int
    month: int

    @property
    def start(self) -> str:
        """Its beginning, in UTC."""
        return f"{self.year:04}-{self.month:02}-01T00:00:00Z"

    @property
    def next(self) -> Month:
        """The month behind it."""
        if self.month == 12:  # noqa: PLR2004  # December
            return Month(self.year + 1, 1)
        return Month(self.year, self.month + 1)


def month_after(day: str) -> str:
    """Return the month behind that of a day, as `focus_csv` takes it.

    Parameters
    ----------
    day : str
        YYYY-MM-DD.

    Raises
    ------
    BadInput
        If it is later than a forecast can be.
    """
    found = _MONTH.match(day)
    if found is None or int(found[1]) > LAST_YEAR:
        raise BadInput(
            f"day: a forecast after `{day}` cannot be written",
            f"state a day of the year {LAST_YEAR:,} or earlier",
        )
    following = Month(int(found[1]), int(found[2])).next
    return f"{following.year:04}-{following.month:02}"


def focus_csv(
    document: Mapping[str, Any],
    first_month: str,
    *,
    months: int = 1,
    option: str = "recommended",
    account: str = ACCOUNT,
) -> str:
    """Return the bill of an option as FOCUS rows in CSV.

    Parameters
    ----------
    document : mapping
        Plain data of an advice.
    first_month : str
        YYYY-MM: the month of the purchases.
    months : int
        How many months from there on. [months]
    option : str
        Key of `tierwright.advise.exports.bill.OPTIONS`.
    account : str
        Id and name of the billing account.

    Returns
    -------
    str
        What is rented has a row of usage each month. What is bought has a row of its purchase in the first month, whose
        effective cost is 0, and a row each month of the part of the horizon that the month is, which bills nothing:
        over the whole horizon both costs are the same but for what is rounded to the cent.

    Raises
    ------
    BadInput
        As `tierwright.advise.exports.bill.option_of`; or if a month is out of range.
    """
    billed = option_of(document, option)
    found = _MONTH.fullmatch(first_month)
    if found is None or not 1 <= int(found[1]) <= LAST_YEAR + 1:
        raise BadInput(
            f"first_month: `{first_month}` is not a month written as YYYY-MM, of the year 1 to {LAST_YEAR + 1:,}",
            "write 2026-12, for example",
        )
    if not is_count(months, MOST_MONTHS) or months < 1:
        raise BadInput(
            f"months: `{months}` is not a whole number from 1 to {MOST_MONTHS:,}",
            "state fewer months",
        )
    if not account.strip():
        raise BadInput("account: is empty", "name the billing account")
    headings = (*COLUMNS, *OWN_COLUMNS)
    rows = [
        [charge[name] for name in headings]
        for charge in _charges(
            billed, Month(int(found[1]), int(found[2])), months, account, option
        )
    ]
    return table_csv(*classed(document, headings, rows, EVIDENCE_COLUMN))


def _charges(
    billed: Billed, month: Month, months: int, account: str, option: str
) -> Iterator[dict[str, Cell]]:
    horizon = billed.document["horizon_months"]
    for at in range(months):
        for row in billed.rows:
            spread = row["usd_per_month"] - _rent(row, horizon)
            shared = _common(billed, row, month, account, option)
            if at == 0 and row["purchase_usd"]:
                yield shared | _cost(
                    "Purchase", "One-Time", row["purchase_usd"], _ZERO, row, bought=True
                )
            if row["purchase_usd"] and spread and (horizon is None or at < horizon):
                yield shared | _cost(
                    "Usage", "Recurring", _ZERO, spread, row, bought=True
                )
            rent = _rent(row, horizon)
            if rent:
                yield shared | _cost("Usage", "Recurring", rent, rent, row)
        month = month.next


def _rent(row: Mapping[str, Any], horizon: int | None) -> Decimal:
    """Return what of a row is due every month: all but the purchase spread over the months."""
    if not row["purchase_usd"]:
        found: Decimal = row["usd_per_month"]
        return found
    if row["unit"] == "USD" or horizon is None:
        return _ZERO
    spread = (row["purchase_usd"] / horizon).quantize(Decimal("0.01"))
    rest: Decimal = row["usd_per_month"] - spread
    return rest if abs(rest) > Decimal("0.01") else _ZERO


def _common(
    billed: Billed,
    row: Mapping[str, Any],
    month: Month,
    account: str,
    option: str,
) -> dict[str, Cell]:
    what: Sold = sold(row, billed.regions)
    return {
        "BillingAccountId": account,
        "BillingAccountName": account,
        "BillingCurrency": "USD",
        "BillingPeriodStart": month.start,
        "BillingPeriodEnd": month.next.start,
        "ChargePeriodStart": month.start,
        "ChargePeriodEnd": month.next.start,
        "ChargeClass": None,
        "InvoiceIssuerName": what.provider,
        "ProviderName": what.provider,
        "PublisherName": what.provider,
        "RegionId": what.region or None,
        "ServiceCategory": what.category,
        "ServiceName": what.name,
        "x_Forecast": "true",
        "x_FocusVersion": VERSION,
        "x_AdviceId": billed.document["advice_id"],
        "x_Option": option,
        "x_PageFlow": billed.option["scheme"],
        "x_BillKind": row["kind"],
        "x_UnitPriceUsd": row["unit_price"],
        "x_PriceDate": row["date"],
        "x_PriceSource": row["source"] or None,
        "x_Note": row["note"] or None,
    }


def _cost(
    category: str,
    frequency: str,
    billed: Decimal,
    effective: Decimal,
    row: Mapping[str, Any],
    *,
    bought: bool = False,
) -> dict[str, Cell]:
    unit = row["unit"] or ""
    hours = int(HOURS_PER_MONTH) if unit == "USD/hour" else 1
    known = UNITS.get(unit, unit.removeprefix("USD/").replace("/month", "-Months"))
    said = "forecast" if not bought or billed else "forecast, purchase spread"
    return {
        "BilledCost": billed,
        "ChargeCategory": category,
        "ChargeDescription": f"{row['what']} ({said})",
        "ChargeFrequency": frequency,
        "ContractedCost": billed,
        "EffectiveCost": effective,
        "ListCost": billed,
        "PricingQuantity": _of_month(row["quantity"] * hours, unit),
        "PricingUnit": "Units" if bought else known or "Units",
    }


def _of_month(quantity: Decimal, unit: str) -> Decimal:
    """Return how much of a price is due in one month: of a price per year a twelfth, to 12 decimals."""
    if unit != "USD/year":
        return quantity
    return (quantity / _MONTHS_PER_YEAR).quantize(_PART).normalize()
