"""Parts of a server that can be bought: chassis, memory modules, drives, with dated prices."""

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
from tierwright.hardware.facts import Fact, FigureTable, fixtures_folder
from tierwright.hardware.prices import quarter_of

KINDS = {
    "chassis": "Chassis",
    "dimm": "Memory module",
    "cxl": "CXL memory",
    "nvme": "NVMe drive",
    "sata_ssd": "SATA SSD",
    "hdd": "Hard disk",
    "power_class": "Power of a class of parts",
}
"""Every kind of part."""

PRICE_KINDS = {
    "contract": "contract price of large buyers",
    "spot": "spot market",
    "retail": "retail",
    "list": "list price",
    "bulk": "bulk buyer",
    "index": "index of a publisher",
    "forecast": "forecast, not paid by anybody yet",
}
"""Every kind of price."""

FIGURES: FigureTable = {
    "capacity": (("GB", "GiB"), "capacity of one part"),
    "dimm_slots": (("1",), "slots for memory modules"),
    "nvme_bays": (("1",), "bays for NVMe drives"),
    "hdd_bays": (("1",), "bays for hard disks"),
    "max_ram_gib": (("GiB",), "most RAM"),
    "psu_w": (("W",), "power of the supplies"),
    "idle_power_w": (("W",), "power when idle"),
    "active_power_w": (("W",), "power under load"),
}
"""Every figure that a part may state: allowed units, meaning."""

COMMAND = "tierwright catalog parts"
_PRICE_KEYS = {
    "usd",
    "price_kind",
    "date",
    "source",
    "licence",
    "note",
    "estimate",
    "withdrawn",
}


@dataclass(frozen=True, slots=True)
class PartPrice:
    """What one part cost, at one date.

    Attributes
    ----------
    usd : Decimal
        Of one part. [USD]
    price_kind : str
        Key of `PRICE_KINDS`.
    date, source, licence, note : str
        As of every fact.
    estimate, withdrawn : bool
        Whether it is an estimate; whether its publisher replaced it.
    """

    usd: Decimal
    price_kind: str
    date: str
    source: str
    licence: str
    note: str = ""
    estimate: bool = False
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part that can be bought.

    Attributes
    ----------
    id, name, kind, form_factor, notes : str
        The kind is a key of `KINDS`.
    vendor : str
        Who makes or sells it under its name; empty where no source states one, as of a class of parts.
    device : str
        Id of its device profile, which states rates and endurance; empty where there is none.
    series : str
        Id of the series of its price over time; empty where there is none.
    dimm_slots, ... : Decimal or None
        As `FIGURES` explains; None where no source states it.
    prices : tuple of PartPrice
        Every dated price found.
    figures : mapping of str to Fact
        Each number with its source, date and licence.
    """

    id: str
    name: str
    kind: str
    form_factor: str
    vendor: str
    device: str
    series: str
    notes: str
    capacity: Decimal | None
    dimm_slots: Decimal | None
    nvme_bays: Decimal | None
    hdd_bays: Decimal | None
    max_ram_gib: Decimal | None
    psu_w: Decimal | None
    idle_power_w: Decimal | None
    active_power_w: Decimal | None
    prices: tuple[PartPrice, ...]
    figures: Mapping[str, Fact]

    @property
    def capacity_bytes(self) -> int | None:
        """Capacity, converted exactly from its unit. [bytes]"""
        fact = self.figures.get("capacity")
        return None if fact is None else int(fact.value * UNIT_BYTES[fact.unit])

    @property
    def capacity_unit(self) -> str:
        """Unit of `capacity`: GiB for memory, GB for drives."""
        fact = self.figures.get("capacity")
        return "" if fact is None else fact.unit

    def price(
        self, *, not_after: str | None = None, price_kind: str | None = None
    ) -> PartPrice | None:
        """Newest price that was paid; of the same date the lowest.

        Parameters
        ----------
        not_after : str, optional
            Only prices up to the quarter of this date.
        price_kind : str, optional
            Only prices of this kind; forecasts only where they are named here.

        Returns
        -------
        PartPrice or None
            None where there is none. What was withdrawn is never chosen.
        """
        fit = [
            each
            for each in self.prices
            if not each.withdrawn
            and (
                each.price_kind == price_kind
                if price_kind
                else each.price_kind != "forecast"
            )
            and (not_after is None or quarter_of(each.date) <= quarter_of(not_after))
        ]
        return max(
            fit,
            key=lambda each: (quarter_of(each.date), each.date, -each.usd),
            default=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; money as decimal strings."""
        chosen = self.price()
        return {
            **{
                key: getattr(self, key)
                for key in (
                    "id",
                    "name",
                    "kind",
                    "form_factor",
                    "vendor",
                    "device",
                    "series",
                    "notes",
                    "capacity_unit",
                )
            },
            **plain({name: getattr(self, name) for name in FIGURES}),
            "price": None if chosen is None else plain(chosen),
            "prices": plain(list(self.prices)),
            "figures": {name: fact.to_dict() for name, fact in self.figures.items()},
        }


def part_from_mapping(data: Mapping[str, Any], place: str = "part") -> Part:
    """Make a part from plain data, checking every key and value.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, "see docs/reference/parts.md for keys and units")
    texts = facts.read_texts(
        data,
        ("id", "name", "kind"),
        ("form_factor", "vendor", "device", "series", "notes"),
        ("figures", "prices"),
        problems,
    )
    facts.one_of(texts["kind"], KINDS, "kind", problems)
    figures = facts.read_figures(data.get("figures", {}), FIGURES, problems)
    entries = data.get("prices", [])
    prices = []
    if problems.check(isinstance(entries, list), "prices", None, "must be a list"):
        prices = [
            _price(entry, f"prices[{at}]", problems) for at, entry in enumerate(entries)
        ]
    problems.raise_if_any()
    return Part(
        **texts,
        **facts.numbers_of(figures, FIGURES),
        prices=tuple(each for each in prices if each is not None),
        figures=figures,
    )


def _price(entry: Any, key: str, problems: Problems) -> PartPrice | None:
    if not problems.check(isinstance(entry, Mapping), key, entry, "must be a table"):
        return None
    usd = read_decimal(entry.get("usd"), f"{key}.usd", problems)
    if usd is not None:
        problems.check(usd > 0, f"{key}.usd", usd, "must be positive")
    kind = str(entry.get("price_kind", ""))
    facts.one_of(kind, PRICE_KINDS, f"{key}.price_kind", problems)
    problems.check(
        isinstance(entry.get("date"), str), f"{key}.date", None, "must be a date"
    )
    withdrawn = entry.get("withdrawn", False)
    problems.check(
        isinstance(withdrawn, bool),
        f"{key}.withdrawn",
        withdrawn,
        "must be true or false",
    )
    fact = facts.fact_of(entry, key, usd, "USD", problems, _PRICE_KEYS)
    if fact is None or fact.date is None:
        return None
    return PartPrice(
        fact.value,
        kind,
        fact.date,
        fact.source,
        fact.licence,
        fact.note,
        fact.estimate,
        bool(withdrawn),
    )


def parts() -> Mapping[str, Part]:
    """Shipped parts by id, in order of id."""
    return facts.read_folder(fixtures_folder() / "parts", part_from_mapping)


def vendors() -> tuple[str, ...]:
    """Vendors that shipped parts state, in order.

    Examples
    --------
    >>> "Solidigm" in vendors()
    True
    """
    return tuple(sorted({each.vendor for each in parts().values()} - {""}))


def vendor_of_device(device_id: str) -> str:
    """Vendor that the part of a device states; empty where there is no such part, or it states none.

    Examples
    --------
    >>> vendor_of_device("solidigm-d7-p5810-800gb")
    'Solidigm'
    """
    return next(
        (each.vendor for each in parts().values() if each.device == device_id), ""
    )


def part(identifier: str) -> Part:
    """Shipped part of that id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.

    Examples
    --------
    >>> part("dimm-ddr5-rdimm-64gb").price().usd
    Decimal('873')
    """
    return facts.find(parts(), identifier, "part", COMMAND)
