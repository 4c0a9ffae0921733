"""How far the prices of a purchase may be off: as they state, or as far as recent prices of one product lay apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from tierwright.advise.advice._price_dates import Old, old_prices
from tierwright.advise.advice._table import Table, purchases
from tierwright.advise.advice._table.bought import Purchase
from tierwright.common.wording import percent
from tierwright.evaluate.advice.later import QUARTERS_A_YEAR, Spread, spreads
from tierwright.hardware.price_history import PriceSeries, price_history
from tierwright.hardware.prices import Price, quarter_of

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
SEVERAL_PRICED = frozenset(set(PRICE_WORDS.values()) - {PRICE_WORDS["dram"]})
"""Those of them that are plural."""


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


@dataclass(frozen=True, slots=True)
class PriceRange:
    """How far a price may be off.

    Attributes
    ----------
    low, high : float
        Ends over the price that is used. [1]
    spread : Spread or None
        Prices of one product that lay as far apart; None where the price itself states its range, or is an old one.
    old : Old or None
        Of an old price: between itself and the newest of its kind for a unit.
    """

    low: float
    high: float
    spread: Spread | None = None
    old: Old | None = None

    def at(self, place: float) -> float:
        """Price at a place of the range over the one that is used, even in its logarithm. [1]"""
        return float(self.low * (self.high / self.low) ** place)

    @property
    def place_as_is(self) -> float:
        """Place of the price that is used, from 0 to 1; the ends differ."""
        return math.log(1 / self.low) / math.log(self.high / self.low)


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A purchase whose price may be off.

    Attributes
    ----------
    cents : int
        [cent]
    range : PriceRange
    is_store : bool
        Whether it holds the data.
    """

    cents: int
    range: PriceRange
    is_store: bool


_STATED = "="
"""Begins the key of a price that states its range: one of a kind has the key of the kind."""


def price_words(key: str) -> str:
    """Say in words what a key of `uncertain_purchases` is the price of."""
    name = key.removeprefix(_STATED)
    return PRICE_WORDS.get(name, f"`{name}`")


def uncertain_purchases(
    table: Table, at: int, known: Mapping[str, Spread]
) -> dict[str, Uncertain]:
    """Purchases of an option whose price may be off, by what has one price: a kind, or what states a range of its own.

    A price that states its range has that. Otherwise prices of a book or of a list, seen at most a year before or after
    the newest price of the series of their kind, may be as far off as that one was. An older one lies between itself
    and the newest of its kind for a unit, where that is much newer. What you state yourself, and what states no date,
    stays as it is.
    """
    aged = _aged(table, at)
    own = {device.id for device in table.setting.candidates.own}
    found: dict[str, Uncertain] = {}
    firm: set[str] = set()
    for each in purchases(table, at):
        price, key = each.price, each.kind
        stated = price.factors if isinstance(price, Price) else None
        if stated is not None and isinstance(price, Price):
            key = f"{_STATED}{price.device_id or price.kind}"
            of = PriceRange(*stated)
        elif (
            _id(each) in aged
            and each.device_id not in own
            and not (key in known and price and _is_recent(price.date, known[key]))
        ):
            key, of = f"{_STATED}{_id(each)}", aged[_id(each)]
        elif key not in known or price is None:
            continue
        else:
            spread = known[key]
            if each.device_id in own or not _is_recent(price.date, spread):
                firm.add(key)
            of = PriceRange(1 / spread.factor, spread.factor, spread)
        before = found.get(key)
        found[key] = Uncertain(
            each.cents + (0 if before is None else before.cents),
            of,
            each.is_store or (before is not None and before.is_store),
        )
    return {key: each for key, each in found.items() if each.cents and key not in firm}


def _id(each: Purchase) -> str:
    """Name what a purchase is of, as an old price has it."""
    return each.device_id or each.part_id or ("RAM" if each.kind == "dram" else "")


def of_itself(each: PriceRange) -> str:
    """Say how far an old price may be off."""
    if each.high > 1:
        return f"up to {percent(each.high - 1)} more"
    return f"up to {percent(1 - each.low)} less"


def _aged(table: Table, at: int) -> dict[str, PriceRange]:
    """Ranges of the prices of an option that are much older than the newest of their kind, by what they are of."""
    found = old_prices(table, at)
    if found is None:
        return {}
    return {
        each.price.id: PriceRange(
            min(1.0, float(each.times)), max(1.0, float(each.times)), old=each
        )
        for each in found.old
        if each.times is not None
    }


def _is_recent(date: str | None, spread: Spread) -> bool:
    return (
        date is not None and abs(quarter_of(date) - spread.quarter) <= QUARTERS_A_YEAR
    )
