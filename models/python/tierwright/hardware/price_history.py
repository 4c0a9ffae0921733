"""Prices of memory and storage over time, in series.

Rows of one series may be joined by a line only where the series says so: contract, spot and retail
prices, and products of different size, are different series.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.common.derivation import plain
from tierwright.common.errors import Problems
from tierwright.common.fields import read_decimal
from tierwright.common.units import UNIT_BYTES
from tierwright.hardware import facts
from tierwright.hardware.facts import fixtures_folder
from tierwright.hardware.prices import quarter_of

KINDS = {
    "dram": "DRAM",
    "ssd_enterprise": "Enterprise SSDs",
    "ssd": "Client SSDs",
    "flash": "All flash",
    "nand": "NAND flash",
    "hdd": "Hard disks",
}
"""Every kind of price series."""

COMMAND = "tierwright catalog price-history"
_POINT_KEYS = {
    "date",
    "usd_per_gb",
    "usd_per_gib",
    "change_percent_low",
    "change_percent_high",
    "what",
    "price_kind",
    "source",
    "licence",
    "note",
    "forecast",
}


@dataclass(frozen=True, slots=True)
class PricePoint:
    """One price, or one change from quarter to quarter, or both.

    Attributes
    ----------
    date : str
        When it held.
    usd_per_gb : Decimal or None
        10^9 bytes; converted exactly where the source prices 2^30. [USD/GB]
    change_percent_low, change_percent_high : Decimal or None
        Change against the quarter before.
    what, price_kind, source, licence, note : str
        What was priced, how, and by whom.
    forecast : bool
        Whether nobody has paid it yet.
    """

    date: str
    usd_per_gb: Decimal | None
    change_percent_low: Decimal | None
    change_percent_high: Decimal | None
    what: str
    price_kind: str
    source: str
    licence: str
    note: str = ""
    forecast: bool = False

    @property
    def quarter(self) -> int:
        """Quarters from year 0."""
        return quarter_of(self.date)


@dataclass(frozen=True, slots=True)
class PriceSeries:
    """Prices of one kind.

    Attributes
    ----------
    id, name, kind : str
        The kind is a key of `KINDS`.
    joinable : bool
        Whether all its prices are of one product and one market, so that a line may join them.
    points : tuple of PricePoint
        In order of date.
    """

    id: str
    name: str
    kind: str
    joinable: bool
    points: tuple[PricePoint, ...]

    def newest(self) -> PricePoint | None:
        """Newest price that was paid; None where there is none, or prices may not be joined."""
        fit = [
            each
            for each in self.points
            if each.usd_per_gb is not None and not each.forecast
        ]
        if not self.joinable or not fit:
            return None
        return max(fit, key=lambda each: (each.quarter, each.date))

    def at(self, date: str) -> PricePoint | None:
        """Price paid in the quarter of a date; None where there is none."""
        fit = [
            each
            for each in self.points
            if each.usd_per_gb is not None
            and not each.forecast
            and each.quarter == quarter_of(date)
        ]
        return fit[-1] if self.joinable and fit else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; money as decimal strings."""
        return {
            "id": self.id,
            "name": self.name,
            "kind": self.kind,
            "joinable": self.joinable,
            "points": plain(list(self.points)),
        }


def series_from_mapping(
    data: Mapping[str, Any], place: str = "price series"
) -> PriceSeries:
    """Make a series from plain data, checking every key and value.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, "see docs/reference/price-history.md for keys and units")
    texts = facts.read_texts(
        data, ("id", "name", "kind"), (), ("joinable", "points"), problems
    )
    facts.one_of(texts["kind"], KINDS, "kind", problems)
    joinable = data.get("joinable")
    problems.check(
        isinstance(joinable, bool), "joinable", joinable, "must be true or false"
    )
    entries = data.get("points")
    points = []
    if problems.check(isinstance(entries, list), "points", None, "must be a list"):
        points = [
            _point(entry, f"points[{at}]", problems)
            for at, entry in enumerate(entries or [])
        ]
    problems.raise_if_any()
    read = [each for each in points if each is not None]
    read.sort(key=lambda each: (each.quarter, each.date))
    return PriceSeries(**texts, joinable=bool(joinable), points=tuple(read))


def _point(entry: Any, key: str, problems: Problems) -> PricePoint | None:
    if not problems.check(isinstance(entry, Mapping), key, entry, "must be a table"):
        return None
    numbers = {
        name: read_decimal(entry[name], f"{key}.{name}", problems)
        for name in (
            "usd_per_gb",
            "usd_per_gib",
            "change_percent_low",
            "change_percent_high",
        )
        if name in entry
    }
    problems.check(
        len(numbers) - ("change_percent_low" in numbers) in (1, 2)
        and ("change_percent_low" in numbers) == ("change_percent_high" in numbers)
        and not {"usd_per_gb", "usd_per_gib"} <= set(numbers),
        key,
        None,
        "must have one price, or both ends of a change, or both",
    )
    for name in ("date", "what", "price_kind"):
        text = entry.get(name)
        problems.check(
            isinstance(text, str) and text.strip(),
            f"{key}.{name}",
            text,
            "must be a text that is not empty",
        )
    forecast = entry.get("forecast", False)
    problems.check(
        isinstance(forecast, bool), f"{key}.forecast", forecast, "must be true or false"
    )
    price = numbers.get("usd_per_gb")
    of_gib = numbers.get("usd_per_gib")
    if of_gib is not None:
        price = of_gib * UNIT_BYTES["GB"] / UNIT_BYTES["GiB"]
    fact = facts.fact_of(entry, key, Decimal(0), "USD", problems, _POINT_KEYS)
    if fact is None or fact.date is None:
        return None
    return PricePoint(
        fact.date,
        price,
        numbers.get("change_percent_low"),
        numbers.get("change_percent_high"),
        str(entry.get("what")),
        str(entry.get("price_kind")),
        fact.source,
        fact.licence,
        fact.note,
        bool(forecast),
    )


def price_history() -> Mapping[str, PriceSeries]:
    """Shipped series by id, in order of id."""
    return facts.read_folder(fixtures_folder() / "price-history", series_from_mapping)


def price_series(identifier: str) -> PriceSeries:
    """Shipped series of that id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.
    """
    return facts.find(price_history(), identifier, "price series", COMMAND)
