"""What a quote costs: each line in US dollars at a stated rate, each group of equal lines to the cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from tierwright.advise.advice._table import bill_row
from tierwright.common.currency import BASE, ExchangeRate
from tierwright.common.wording import counted
from tierwright.evaluate.advice.rows import month_cents
from tierwright.evaluate.bill import EXACT, Line, cents
from tierwright.evaluate.economics import HOURS_PER_MONTH
from tierwright.hardware.imports.ledger import shown
from tierwright.hardware.imports.quotes import CHARGES, QuoteLine

MONTHS_PER_YEAR = 12
_PER_MONTH = {
    "hour": HOURS_PER_MONTH,
    "month": Decimal(1),
    "year": EXACT.divide(Decimal(1), Decimal(MONTHS_PER_YEAR)),
}
"""How often a month has a period, by what a unit counts."""
_NANO = Decimal("1e-9")
_MOST_USD = Decimal(10) ** 15


class Unranked(Exception):
    """A quote cannot be ranked.

    Parameters
    ----------
    code : str
        Stable.
    detail : str
        What is wrong, with the value in backticks.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


@dataclass(slots=True)
class Group:
    """Lines that are the same thing in one currency: their sum is rounded once, however they are split.

    Attributes
    ----------
    what : str
        What the lines are, as a bill names it.
    kind : str
        Of `tierwright.evaluate.bill.Line`.
    unit : str
        Of its price: `USD`, `USD/hour`, `USD/month`, `USD/year`.
    source : str
        What the lines state of themselves: part numbers, description.
    purchase_usd, usd_per_month : Decimal
        Exact. [USD], [USD/month]
    pieces : Decimal
        In the unit of the price.
    prices : set of Decimal
        Of one of them, as its lines state it, in the currency of the lines.
    rate : ExchangeRate or None
        By which these are converted.
    """

    what: str
    kind: str
    unit: str
    source: str
    purchase_usd: Decimal = Decimal(0)
    usd_per_month: Decimal = Decimal(0)
    pieces: Decimal = Decimal(0)
    prices: set[Decimal] = field(default_factory=set)
    rate: ExchangeRate | None = None

    def line(self, date: str, source: str) -> Line:
        """Return the row of a bill that it is; the unit price is one sum where its lines have several.

        Parameters
        ----------
        date : str
            Day on which the price was ranked.
        source : str
            Which quote states it.
        """
        quantity, price, unit = self.pieces, None, self.unit
        if len(self.prices) == 1 and quantity:
            price = _in_usd(next(iter(self.prices)), self.rate)
        note = "" if self.rate is None else f"converted at {self.rate.sentence}"
        if price is None:
            is_rent = self.unit != "USD"
            quantity, unit = Decimal(1), "USD/month" if is_rent else "USD"
            price = self.usd_per_month if is_rent else self.purchase_usd
            note = "; ".join(filter(None, ("lines at several prices, summed", note)))
        return Line(
            self.what,
            self.kind,
            quantity,
            unit,
            price.quantize(_NANO).normalize(),
            date,
            cents(self.usd_per_month),
            cents(self.purchase_usd),
            "; ".join(filter(None, (source, self.source))),
            note,
        )


@dataclass(slots=True)
class Priced:
    """What all lines of a quote cost.

    Attributes
    ----------
    groups : dict
        By what the lines are, and their currency.
    converted : dict of str to ExchangeRate
        Rates that were used, by currency.
    charges : set of str
        Kinds of charges among the lines.
    """

    groups: dict[tuple[str, ...], Group] = field(default_factory=dict)
    converted: dict[str, ExchangeRate] = field(default_factory=dict)
    charges: set[str] = field(default_factory=set)

    def add(
        self,
        line: QuoteLine,
        named: tuple[str, str],
        *,
        is_rent: bool,
        rates: Mapping[str, ExchangeRate],
    ) -> None:
        """Add a line, named as a bill does: what it is, and its kind.

        Raises
        ------
        Unranked
            If no rate of its currency is stated, or a rent is of no period.
        """
        rate = self._rate(line, rates)
        per = "" if line.unit is None else line.unit.one
        key = (
            line.kind,
            line.item,
            line.part_number,
            line.manufacturer_part_number,
            line.description,
            per,
            line.currency,
        )
        group = self.groups.get(key)
        if group is None:
            unit = f"USD/{per}" if is_rent else "USD"
            group = self.groups[key] = Group(*named, unit, _stated(line), rate=rate)
        if line.kind in CHARGES:
            self.charges.add(line.kind)
        with localcontext(EXACT):
            if is_rent:
                if per not in _PER_MONTH:
                    raise Unranked(
                        "no_period",
                        f"row {line.row}: `{shown(line.item or line.part_number)}` is rented, and its unit is a "
                        f"{per or 'sum'}: for which time the price is, is not stated",
                    )
                each = line.price_of_one * line.quantity * _PER_MONTH[per]
                group.usd_per_month += _in_usd(each, rate)
                group.pieces += line.quantity
            else:
                group.purchase_usd += _in_usd(line.amount, rate)
                group.pieces += line.count
            group.prices.add(line.price_of_one)

    def _rate(
        self, line: QuoteLine, rates: Mapping[str, ExchangeRate]
    ) -> ExchangeRate | None:
        if line.currency == BASE:
            return None
        rate = rates.get(line.currency)
        if rate is None:
            raise Unranked(
                "no_exchange_rate",
                f"row {line.row}: the price is in {line.currency}, and no rate of it is stated",
            )
        self.converted[line.currency] = rate
        return rate

    def spend(self, months: int) -> Decimal:
        """Rent and purchase over the months, to a billionth: decides between quotes of equal cents. [USD]

        Raises
        ------
        Unranked
            If it is more than a quote may be of.
        """
        with localcontext(EXACT):
            found = sum(
                (
                    each.purchase_usd + months * each.usd_per_month
                    for each in self.groups.values()
                ),
                Decimal(0),
            ).quantize(_NANO)
        if found > _MOST_USD:
            raise Unranked(
                "too_much_money",
                f"{found:.3e} USD over {counted(months, 'month')} is more than {_MOST_USD:.0e} USD",
            )
        return found

    def bill(self, months: int, date: str, source: str) -> tuple[dict[str, Any], ...]:
        """Return its rows of a bill, whatever the order of its lines; their sums are `cents`.

        Parameters
        ----------
        months : int
            Over which purchases are spread. [months]
        date, source : str
            As of `Group.line`.
        """
        with localcontext(EXACT):
            return tuple(
                bill_row(self.groups[key].line(date, source), months)
                for key in sorted(self.groups)
            )

    @property
    def rent_cents(self) -> int:
        """Cents of rent a month, each group rounded. [cent/month]"""
        return sum(
            int(cents(each.usd_per_month) * 100) for each in self.groups.values()
        )

    def cents(self, months: int) -> tuple[int, int]:
        """Cents a month, purchases spread over the months, and cents at purchase: rounded as rows of a bill."""
        bought = [int(cents(each.purchase_usd) * 100) for each in self.groups.values()]
        spread = month_cents(np.asarray(bought, dtype=np.int64), months)
        return self.rent_cents + int(spread.sum()), sum(bought)


def _stated(line: QuoteLine) -> str:
    """Say what a line states of itself, as it can be shown."""
    parts = [
        ("part number", line.part_number),
        ("part number of the manufacturer", line.manufacturer_part_number),
        ("description", line.description),
    ]
    return ", ".join(f"{name} {shown(text)}" for name, text in parts if text)


def _in_usd(amount: Decimal, rate: ExchangeRate | None) -> Decimal:
    return amount if rate is None else amount / rate.per_usd


def rates_by_currency(rates: Sequence[ExchangeRate]) -> dict[str, ExchangeRate]:
    """Return rates by currency."""
    return {each.currency: each for each in rates}
