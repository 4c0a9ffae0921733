"""FOCUS 1.0 to 1.3, CSV and Parquet: what was paid for each unit of a bill.

A row is a charge of usage or a purchase. Its price is that of the contract, else that of the list.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, listed
from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.lines import Lines, rows_of
from tierwright.hardware.imports.prices import Price, PriceUnit, take_prices
from tierwright.hardware.imports.source import Source

MOST_PARQUET_BYTES = 2**32
"""Largest table of Parquet: its directory is at its end, so it is copied to a file first. [bytes]"""
REQUIRED = ("BillingCurrency", "ChargeCategory", "ChargePeriodStart", "PricingUnit")
PAID = ("ContractedUnitPrice", "ListUnitPrice")
"""Prices of a row, the one that was paid first; a file has at least one of them."""
_COST_OF = {"ContractedUnitPrice": "ContractedCost", "ListUnitPrice": "ListCost"}
_READ = (
    *REQUIRED,
    *PAID,
    *_COST_OF.values(),
    *("ChargeClass", "ChargeDescription", "PricingCategory", "PricingQuantity"),
    *("RegionId", "ServiceCategory", "ServiceName", "SkuId", "SkuMeter", "SkuPriceId"),
    "x_Forecast",
)
_SINCE = {
    "1.3": ("ServiceProviderName", "HostProviderName", "ContractApplied"),
    "1.2": ("BillingAccountType", "InvoiceId", "PricingCurrency", "SubAccountType"),
    "1.1": ("CapacityReservationId", "SkuMeter", "SkuPriceDetails"),
}
"""Columns by the version that they came with, the newest first."""
CATEGORIES = ("Usage", "Purchase")
"""Charges that have a price; taxes, credits and adjustments have none."""
_TOLERANCE = Decimal("0.01")
"""Part by which price x quantity and cost may differ, and money that rounding may take."""

_TIMES = {"Hour": ("hour", 1), "Day": ("hour", 24), "Month": ("month", 1)}
_NOTE = {"hour": "", "month": " (its hours are not stated)"}
_POWERS = ("", "K", "M", "G", "T", "P", "E")
_BYTES = {
    **{f"{power}B": 10 ** (3 * at) for at, power in enumerate(_POWERS)},
    **{f"{power}iB": 2 ** (10 * at) for at, power in enumerate(_POWERS) if at},
}
_UNIT = re.compile(r"(?:([1-9][0-9]{0,8}) )?(?:([KMGTPE]?i?B)-)?(Hour|Day|Month)(s?)")
_IS_HOURS = ("hrs", "hr", "hours", "hour")
_HINT = "give a cost and usage file of FOCUS 1.0 to 1.3, CSV or Parquet"


def recognises(head: bytes) -> bool:
    """Say whether a file begins with the names of columns of FOCUS, or as a table of Parquet."""
    if head.startswith(b"PAR1"):
        return True
    first = head.decode("utf-8-sig", "replace").partition("\n")[0]
    names = {name.strip().strip('"') for name in first.split(",")}
    return names.issuperset(("ChargeCategory", "ChargePeriodStart", "BilledCost"))


def unit_of(text: str) -> PriceUnit:
    """Return what a pricing unit means, by the unit format of FOCUS.

    Raises
    ------
    Skip
        If it is absent, unknown, not a time or bytes for a time, or spelt as FOCUS does not.

    Examples
    --------
    >>> unit_of("GB-Hours").amount, unit_of("100 Hours").amount
    (1000000000, 100)
    """
    if not text:
        raise Skip("no pricing unit is stated")
    # Some providers keep their own word, which means nothing else.
    found = _UNIT.fullmatch("Hours" if text.lower() in _IS_HOURS else text)
    if found is None or (found[2] is not None and found[2] not in _BYTES):
        if re.search(r"\b[KMGTPE]B\b", text, re.IGNORECASE):
            raise Skip(
                f"unit `{shown(text)}` is not one of FOCUS, and may be powers of 10 or of 2"
            )
        raise Skip(
            f"unit `{shown(text)}` is unknown, or not a time or bytes for a time"
        )
    count = int(found[1] or 1)
    measure, hours = _TIMES[found[3]]
    time = counted(count if found[2] is None else 1, found[3].lower())
    if found[2] is None:
        return PriceUnit(measure, count * hours, f"price of {time}{_NOTE[measure]}")
    size = _BYTES[found[2]]
    power = "2^" + str(size.bit_length() - 1) if "i" in found[2] else f"{size:,}"
    many = f"{count:,} {found[2]}"
    return PriceUnit(
        f"byte_{measure}",
        count * size * hours,
        f"price of {many} ({power} bytes each) for {time}{_NOTE[measure]}",
    )


def read(source: Source, ledger: Ledger) -> Iterator[Price]:
    """Read the charges that have a price, in their order: lines of a CSV, rows of a Parquet table.

    Raises
    ------
    BadInput
        If it is not a table of FOCUS, or lacks a column that a price needs.
    """
    is_parquet = source.head.startswith(b"PAR1")
    noted: Counter[str] = Counter()
    rows = (_rows_of_parquet if is_parquet else _rows_of_csv)(source, ledger)
    for price in take_prices(_made(rows, noted), ledger):
        if not price.sku:
            ledger.leave_unresolved(price.row, price.name, "the row states no SkuId")
        yield price
    _warn(noted, ledger)


def _warn(noted: Counter[str], ledger: Ledger) -> None:
    if count := noted["forecast"]:
        ledger.warn(
            "forecast",
            f"{counted(count, 'row is', 'rows are')} marked as a forecast: nothing of it was paid.",
            "import what the provider billed",
        )
    if count := noted["list"]:
        ledger.warn(
            "list_prices",
            f"{counted(count, 'row states', 'rows state')} no contracted price: the price of the list counts, "
            "which may be more than was paid.",
            "ask the provider for ContractedUnitPrice",
        )
    if count := noted["committed"]:
        ledger.warn(
            "committed",
            f"{counted(count, 'row is', 'rows are')} covered by a commitment: the price is that of the contract, and "
            "what the commitment cost is in rows of its purchase.",
        )
    if count := noted["decimal"]:
        ledger.warn(
            "gb_is_decimal",
            f"{counted(count, 'row is', 'rows are')} priced by KB, MB, GB or TB, which by FOCUS are powers of 10. It only "
            "recommends that: if the provider means powers of 2, the price of a byte is lower, by 7 % for GB.",
            "compare a volume whose size is known",
        )


def _made(
    rows: Iterable[tuple[Row, Mapping[str, str] | Skip]], noted: Counter[str]
) -> Iterator[tuple[Row, str, Callable[[Row], Price]]]:
    for row, stated in rows:
        if isinstance(stated, Skip):
            yield row, "", partial(_refuse, stated)
        else:
            yield row, stated["PricingUnit"], partial(_price, stated, noted)


def _refuse(left_out: Skip, _row: Row) -> Price:
    raise left_out


def _price(stated: Mapping[str, str], noted: Counter[str], row: Row) -> Price:
    """Return the price of a charge.

    Raises
    ------
    Skip
        If it is not a charge with a price, or a value is not what its column must be.
    """
    category = stated["ChargeCategory"]
    if category not in CATEGORIES:
        raise Skip(
            f"charge category `{shown(category)}` is not one of {', '.join(CATEGORIES)}"
        )
    if stated["ChargeClass"]:
        raise Skip(
            f"is of class `{shown(stated['ChargeClass'])}`: it changes another charge"
        )
    unit = unit_of(stated["PricingUnit"])
    name = next((name for name in PAID if stated[name]), None)
    if name is None:
        raise Skip("states neither a contracted price of a unit nor one of the list")
    price = values.computed(stated[name], name)
    for each in PAID:
        _check_cost(stated, each)
    effective = values.day_of(stated["ChargePeriodStart"])
    if effective is None:
        raise Skip(
            f"ChargePeriodStart `{shown(stated['ChargePeriodStart'])}` is not a time of ISO 8601"
        )
    found = Price(
        row=row,
        sku=stated["SkuId"],
        family=stated["ServiceName"] or stated["ServiceCategory"],
        region=stated["RegionId"],
        name=stated["SkuMeter"] or stated["ChargeDescription"],
        term_type=stated["PricingCategory"],
        price_code=stated["SkuPriceId"],
        lease="",
        effective=effective,
        unit=unit,
        begin=Decimal(0),
        end=None,
        price=price,
        currency=values.currency(stated["BillingCurrency"]),
    )
    noted["list"] += name == "ListUnitPrice"
    noted["committed"] += stated["PricingCategory"] == "Committed"
    noted["forecast"] += stated["x_Forecast"].lower() == "true"
    noted["decimal"] += unit.measure.startswith("byte_") and (
        "iB" not in stated["PricingUnit"]
    )
    return found


def _check_cost(stated: Mapping[str, str], name: str) -> None:
    """Refuse a price that is not of the unit in which the quantity is counted.

    Raises
    ------
    Skip
        If price x quantity is not the cost that the row states.
    """
    cost_name = _COST_OF[name]
    if not (stated[name] and stated[cost_name] and stated["PricingQuantity"]):
        return
    price = values.computed(stated[name], name)
    quantity = values.computed(stated["PricingQuantity"], "PricingQuantity")
    cost = values.computed(stated[cost_name], cost_name)
    product = values.EXACT.multiply(price, quantity)
    if abs(product - cost) > _TOLERANCE * max(product, cost, Decimal(1)):
        raise Skip(
            f"{name} x PricingQuantity is {product.normalize():f}, but {cost_name} is `{shown(stated[cost_name])}`: the unit "
            "of the price is in doubt"
        )


def _check_columns(names: list[str], place: str, ledger: Ledger) -> None:
    for name in names:
        if name in _READ and names.count(name) > 1:
            raise BadInput(f"{place}: the column `{name}` is named twice", _HINT)
    if lacking := [name for name in REQUIRED if name not in names]:
        raise BadInput(
            f"{place}: lacks {listed([f'`{name}`' for name in lacking])} of FOCUS",
            _HINT,
        )
    if not any(name in names for name in PAID):
        raise BadInput(
            f"{place}: has neither `ContractedUnitPrice` nor `ListUnitPrice`: it states costs, but no price of a unit",
            "export the columns of prices too",
        )
    ledger.format_version = next(
        (
            version
            for version, columns in _SINCE.items()
            if any(name in names for name in columns)
        ),
        "1.0",
    )


def _rows_of_csv(
    source: Source, ledger: Ledger
) -> Iterator[tuple[Row, Mapping[str, str] | Skip]]:
    lines = Lines(source, _HINT)
    table = csv.reader(iter(lines), strict=True)
    try:
        names = [name.strip() for name in next(table, [])]
        _check_columns(names, source.place, ledger)
        places = {name: names.index(name) for name in _READ if name in names}
        for row, cells in rows_of(table, len(names), lines):
            if isinstance(cells, Skip):
                yield row, cells
            else:
                yield row, _stated({name: cells[at] for name, at in places.items()})
    except csv.Error as error:
        raise BadInput(
            f"{source.place}: line {table.line_num}: not a table: {error}", _HINT
        ) from error


def _stated(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of all columns that are read; those of columns that the file lacks are empty."""
    return {name: cells.get(name, "").strip() for name in _READ}


def _rows_of_parquet(
    source: Source, ledger: Ledger
) -> Iterator[tuple[Row, Mapping[str, str] | Skip]]:
    from tierwright.trace.tables import table_rows  # loads the core

    wanted = (*_READ, *(name for names in _SINCE.values() for name in names))
    with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
        size = 0
        while piece := source.read(2**20):
            size += len(piece)
            if size > MOST_PARQUET_BYTES:
                raise BadInput(
                    f"{source.place}: is larger than {MOST_PARQUET_BYTES // 2**30} GiB",
                    "export fewer months at once, or CSV, which has no such limit",
                )
            copy.write(piece)
        copy.flush()
        names, rows = table_rows(
            Path(copy.name), list(dict.fromkeys(wanted)), source.place
        )
        _check_columns(names, source.place, ledger)
        for row, cells in enumerate(rows, 1):
            yield row, _stated(dict(zip(names, cells, strict=True)))
