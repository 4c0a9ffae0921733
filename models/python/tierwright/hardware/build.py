"""A CONFIG of `tierwright bill`: what is rented, bought and owned, checked and with its prices found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from tierwright.common.currency import read_amount
from tierwright.common.documents import read_table, table_of
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import check_date
from tierwright.common.units import UNIT_BYTES
from tierwright.hardware import catalog
from tierwright.hardware.parts import Part, part
from tierwright.hardware.price_history import PriceSeries, price_history
from tierwright.hardware.prices import PriceBook
from tierwright.hardware.rated_endurance import rated_endurance
from tierwright.hardware.rents import Rents, rented, rents_from_list
from tierwright.hardware.servers import Server, server
from tierwright.hardware.volumes import Volume, volume

DEFAULT_HORIZON_MONTHS = 36
DEFAULT_PUE = Decimal("1.5")
"""Power at the meter for a watt of the machine, as in `tierwright tier-cost`."""

HINT = "see docs/models/bill.md for the keys of a CONFIG"
STATED = "stated in the CONFIG"
"""Source of a price that the CONFIG states without one."""
STATED_IN_CANDIDATES = "stated in the candidates"
STATED_OF_HAVE = "stated of what there is"
STATED_IN_QUESTION = "stated with the question"
"""The same of a CONFIG that was made of candidates, of what there is, or of the prices of another question: nobody wrote it."""
MOST_SOURCE = 2000
"""Letters of the source of a price."""
CENT = Decimal("0.01")
_MOST_COUNT, _MOST_AMOUNT, _MOST_ENTRIES, _MOST_TEXT = 10**6, Decimal(10**15), 200, 200
_MOST_KG = 10**6
"""Largest carbon factor; beyond it a unit was mistaken."""
_BOOK_KINDS = {"dimm": "dram"}
"""Kinds of parts that a price book names otherwise."""

_KEYS = {
    "name",
    "machines",
    "horizon_months",
    "server",
    "usd_per_hour",
    "rent",
    "commitment",
    "commitment_discount",
    "price_book",
    "price_date",
    "part",
    "own",
    "volume",
    "object_store",
    "reserved_ram",
    "extra",
    "spares",
    "power",
    "carbon",
    "against",
}
CARBON_KEYS = (
    "kg_per_kwh",
    "kg_per_gb_ram",
    "kg_per_gb_flash",
    "kg_per_gb_disk",
    "kg_per_machine",
)
"""Factors of the block `carbon`, each a range."""
Range = tuple[Decimal, Decimal]
"""Low and high end."""
_NO_AGAINST = _KEYS - {"against", "horizon_months"}


@dataclass(frozen=True, slots=True)
class Price:
    """Price of one part with its date and its market."""

    usd: Decimal
    date: str | None
    source: str
    price_kind: str = ""


@dataclass(frozen=True, slots=True)
class PartItem:
    """A part of each machine.

    Attributes
    ----------
    part : Part
    quantity : int
        In each machine.
    price : Price or None
        None where none was found.
    written_tb_per_year : Decimal or None
        Host writes to each drive. [10^12 bytes/year]
    rated_tb : Decimal or None
        Endurance of each drive; None where no source states it. [10^12 bytes]
    dimm_slots, nvme_bays, hdd_bays : Decimal or None
        Of a chassis, as stated by the CONFIG or by the part.
    series : PriceSeries or None
        Prices of the part over time, where they may be joined.
    """

    part: Part
    quantity: int
    price: Price | None
    written_tb_per_year: Decimal | None
    rated_tb: Decimal | None
    dimm_slots: Decimal | None
    nvme_bays: Decimal | None
    hdd_bays: Decimal | None
    series: PriceSeries | None


@dataclass(frozen=True, slots=True)
class VolumeItem:
    """Volumes attached to each machine; None where a rate is not stated."""

    volume: Volume
    quantity: int
    size_gib: Decimal
    iops: Decimal | None
    mb_per_s: Decimal | None
    io_per_month: Decimal | None


@dataclass(frozen=True, slots=True)
class StoreItem:
    """An object store of all machines together, and its traffic of a month."""

    volume: Volume
    stored_gib: Decimal
    reads_per_month: Decimal
    writes_per_month: Decimal
    retrieved_gb_per_month: Decimal | None
    uploaded_gb_per_month: Decimal | None


@dataclass(frozen=True, slots=True)
class ExtraItem:
    """A line of the user's own, for all machines together."""

    what: str
    quantity: Decimal
    usd: Decimal | None
    usd_per_month: Decimal | None
    date: str | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CarbonFactors:
    """What the user states of carbon, each as a range; None where nothing is stated.

    Attributes
    ----------
    kg_per_kwh : tuple of Decimal or None
        Carbon of electricity. [kg CO2e/kWh]
    kg_per_gb_ram, kg_per_gb_flash, kg_per_gb_disk : tuple of Decimal or None
        Embodied carbon of capacity. [kg CO2e/10^9 bytes]
    kg_per_machine : tuple of Decimal or None
        Embodied carbon of a machine without its memory and drives. [kg CO2e]
    """

    kg_per_kwh: Range | None = None
    kg_per_gb_ram: Range | None = None
    kg_per_gb_flash: Range | None = None
    kg_per_gb_disk: Range | None = None
    kg_per_machine: Range | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What a bill is made of.

    Attributes
    ----------
    name : str
    machines : int
        Servers of the same kind.
    horizon_months : int
        Months over which rent and purchase are compared.
    server : Server or None
        Rented; None where a server is built from parts.
    usd_per_hour : Decimal or None
        In place of the server's own price.
    commitment : str
        Name of the commitment that gives the discount.
    commitment_discount : Decimal
        Share off the price of the server. [1]
    parts, own, volumes, object_stores, reserved_ram, extras
        `own` holds the part and how many exist; `reserved_ram` what it is for and its GiB in each machine.
    spares_share : Decimal
        Spares of each part as a share of those in use. [1]
    spares_count : int
        Spares of each part besides.
    usd_per_kwh : Decimal or None
        None: electricity is not counted.
    watts : Decimal or None
        Of each machine; None: the sum of its parts. [W]
    pue : Decimal
    pue_stated : bool
        Whether the CONFIG states it.
    carbon : CarbonFactors or None
        None: carbon is not counted.
    against : Build or None
        The other way, to compare.
    stated : str
        Source of a price that is stated without one.
    """

    name: str
    machines: int
    horizon_months: int
    server: Server | None
    usd_per_hour: Decimal | None
    commitment: str
    commitment_discount: Decimal
    parts: tuple[PartItem, ...]
    own: tuple[tuple[Part, int], ...]
    volumes: tuple[VolumeItem, ...]
    object_stores: tuple[StoreItem, ...]
    reserved_ram: tuple[tuple[str, Decimal], ...]
    extras: tuple[ExtraItem, ...]
    spares_share: Decimal
    spares_count: int
    usd_per_kwh: Decimal | None
    watts: Decimal | None
    pue: Decimal
    pue_stated: bool
    carbon: CarbonFactors | None
    against: Build | None
    stated: str = STATED


def read_build(path: Path) -> Build:
    """Read a CONFIG file, TOML or JSON by its content.

    Raises
    ------
    BadInput
        If it cannot be read or does not follow the format.
    """
    return build_from_mapping(read_table(path, HINT), str(path))


def build_from_text(raw: bytes, place: str = "CONFIG") -> Build:
    """Make a build from the bytes of a CONFIG: JSON where it begins with `{`, else TOML.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    return build_from_mapping(table_of(raw, place, HINT), place)


def build_from_mapping(
    data: Mapping[str, Any], place: str = "CONFIG", *, stated: str = STATED
) -> Build:
    """Make a build from plain data, checking every key and value.

    Parameters
    ----------
    data : mapping
        As docs/models/bill.md explains.
    place : str
        Named in errors.
    stated : str
        Source of a price that the data state without one.

    Returns
    -------
    Build

    Raises
    ------
    BadInput
        With every problem found, each with its key; or for an unknown id.
    """
    reader = _Reader(Problems(place, HINT), stated)
    made = reader.build(data, "", None)
    reader.problems.raise_if_any()
    return made


class _Reader:
    """Reads values and notes what is wrong with each."""

    def __init__(self, problems: Problems, stated: str) -> None:
        self.problems = problems
        self.stated = stated

    def build(self, data: Mapping[str, Any], at: str, horizon: int | None) -> Build:
        keys = _KEYS if horizon is None else _NO_AGAINST
        self.known(data, keys, at)
        months = horizon or self.count(
            data, "horizon_months", at, DEFAULT_HORIZON_MONTHS, least=1, most=1200
        )
        book = self.book(data, at)
        day = self.date(data, "price_date", at)
        name = self.text(data, "server", at)
        rents = rents_from_list(data.get("rent", []), f"{at}rent", self.problems)
        leased = rented(server(name), rents) if name else None
        spares = self.table(data, "spares", at, {"share", "count"})
        power = self.table(data, "power", at, {"usd_per_kwh", "watts", "pue"})
        discount = self.amount(data, "commitment_discount", at, Decimal(0), most=1)
        parts = tuple(
            self.part(entry, where, book, day)
            for entry, where in self.entries(data, "part", at)
        )
        self.twice([each.part.id for each in parts], f"{at}part")
        own = tuple(
            (part(self.identifier(entry, where, {"id", "quantity"})), count)
            for entry, where in self.entries(data, "own", at)
            for count in [self.count(entry, "quantity", f"{where}.", 1)]
        )
        self.twice([each.id for each, _ in own], f"{at}own")
        made = Build(
            name=self.text(data, "name", at),
            machines=self.count(data, "machines", at, 1, least=1),
            horizon_months=months,
            server=leased,
            usd_per_hour=self.amount(data, "usd_per_hour", at),
            commitment=self.text(data, "commitment", at),
            commitment_discount=discount or Decimal(0),
            parts=parts,
            own=own,
            volumes=tuple(
                self.volume(*each, rents) for each in self.entries(data, "volume", at)
            ),
            object_stores=tuple(
                self.store(*each) for each in self.entries(data, "object_store", at)
            ),
            reserved_ram=tuple(
                self.reserved(*each) for each in self.entries(data, "reserved_ram", at)
            ),
            extras=tuple(self.extra(*each) for each in self.entries(data, "extra", at)),
            spares_share=self.amount(spares, "share", f"{at}spares.", most=10)
            or Decimal(0),
            spares_count=self.count(spares, "count", f"{at}spares.", 0),
            usd_per_kwh=self.amount(power, "usd_per_kwh", f"{at}power."),
            watts=self.amount(power, "watts", f"{at}power."),
            pue=self.amount(power, "pue", f"{at}power.", DEFAULT_PUE, most=100)
            or DEFAULT_PUE,
            pue_stated="pue" in power,
            carbon=self.carbon(data, at),
            against=self.against(data, at, months),
            stated=self.stated,
        )
        self.problems.check(
            made.server is None or not made.parts,
            f"{at}server",
            name,
            "a server is either rented or built from `part` tables; compare both with "
            "`against`",
        )
        self.problems.check(
            made.server is not None or "usd_per_hour" not in data,
            f"{at}usd_per_hour",
            data.get("usd_per_hour"),
            "needs a `server`",
        )
        self.problems.check(
            made.server is not None or not made.commitment_discount,
            f"{at}commitment_discount",
            data.get("commitment_discount"),
            "needs a `server`",
        )
        self.problems.check(
            made.server
            or made.parts
            or made.own
            or made.volumes
            or made.object_stores
            or made.extras,
            f"{at}server",
            None,
            "a bill needs a server, parts, volumes, an object store or an extra line",
        )
        return made

    def against(self, data: Mapping[str, Any], at: str, months: int) -> Build | None:
        found = data.get("against")
        if found is None or "against" not in data:
            return None
        if not self.problems.check(
            isinstance(found, Mapping), f"{at}against", None, "must be a table"
        ):
            return None
        return self.build(found, "against.", months)

    def carbon(self, data: Mapping[str, Any], at: str) -> CarbonFactors | None:
        if "carbon" not in data:
            return None
        found = self.table(data, "carbon", at, set(CARBON_KEYS))
        self.problems.check(
            not isinstance(data["carbon"], Mapping)
            or any(key in found for key in CARBON_KEYS),
            f"{at}carbon",
            None,
            f"must state at least one of {', '.join(CARBON_KEYS)}",
        )
        return CarbonFactors(
            **{key: self.span(found, key, f"{at}carbon.") for key in CARBON_KEYS}
        )

    def span(self, data: Mapping[str, Any], key: str, at: str) -> Range | None:
        if key not in data:
            return None
        found, where = data[key], f"{at}{key}"
        if not self.problems.check(
            isinstance(found, (list, tuple)) and len(found) == 2,  # noqa: PLR2004
            where,
            found,
            "must be a range of two numbers, [low, high]; where both ends are the same, "
            "state the number twice",
        ):
            return None
        ends = {f"{key}[{index}]": end for index, end in enumerate(found)}
        low, high = (self.amount(ends, end, at, most=_MOST_KG) for end in ends)
        if low is None or high is None:
            return None
        self.problems.check(
            low <= high,
            where,
            f"[{low}, {high}]",
            "must not fall: put the low end first",
        )
        return low, high

    def book(self, data: Mapping[str, Any], at: str) -> PriceBook | None:
        name = self.text(data, "price_book", at)
        return catalog.price_book(name) if name else None

    def part(
        self,
        entry: Mapping[str, Any],
        where: str,
        book: PriceBook | None,
        day: str | None,
    ) -> PartItem:
        keys = {
            "id",
            "quantity",
            "usd",
            "price_kind",
            "date",
            "written_tb_per_year",
            "rated_tb",
            "dimm_slots",
            "nvme_bays",
            "hdd_bays",
        }
        found = part(self.identifier(entry, where, keys))
        at = f"{where}."
        usd, date = self.amount(entry, "usd", at), self.date(entry, "date", at)
        kind = self.text(entry, "price_kind", at)
        self.problems.check(
            date is None or usd is not None, f"{at}date", date, "needs `usd`"
        )
        # A chassis may be stated to have none.
        own_slots: dict[str, Decimal | None] = {
            name: Decimal(self.count(entry, name, at, 0))
            if name in entry
            else getattr(found, name)
            for name in ("dimm_slots", "nvme_bays", "hdd_bays")
        }
        return PartItem(
            found,
            self.count(entry, "quantity", at, 1),
            Price(usd, date, self.stated)
            if usd is not None
            else _price_of(found, kind, book, day),
            self.amount(entry, "written_tb_per_year", at),
            self.amount(entry, "rated_tb", at) or _rated_tb(found),
            own_slots["dimm_slots"],
            own_slots["nvme_bays"],
            own_slots["hdd_bays"],
            price_history().get(found.series),
        )

    def volume(self, entry: Mapping[str, Any], where: str, rents: Rents) -> VolumeItem:
        keys = {"id", "quantity", "size_gib", "iops", "mb_per_s", "io_per_month"}
        found = rented(volume(self.identifier(entry, where, keys)), rents)
        at = f"{where}."
        self.problems.check(
            found.kind != "object",
            f"{at}id",
            found.id,
            "is an object store: use `object_store`",
        )
        size = self.amount(entry, "size_gib", at)
        self.problems.check(size, f"{at}size_gib", size, "must be a size above 0")
        iops, rate = self.amount(entry, "iops", at), self.amount(entry, "mb_per_s", at)
        self.problems.check(
            iops is not None or not (found.iops_included == 0 and found.iops_prices()),
            f"{at}iops",
            None,
            "must be stated: every provisioned IOPS of this volume is charged",
        )
        self.problems.check(
            rate is not None
            or not (found.mb_per_s_included == 0 and found.usd_per_mb_per_s_month),
            f"{at}mb_per_s",
            None,
            "must be stated: all provisioned throughput of this volume is charged",
        )
        return VolumeItem(
            found,
            self.count(entry, "quantity", at, 1),
            size or Decimal(0),
            iops,
            rate,
            self.amount(entry, "io_per_month", at),
        )

    def store(self, entry: Mapping[str, Any], where: str) -> StoreItem:
        keys = {
            "id",
            "stored_gib",
            "reads_per_month",
            "writes_per_month",
            "retrieved_gb_per_month",
            "uploaded_gb_per_month",
        }
        found = volume(self.identifier(entry, where, keys))
        at = f"{where}."
        self.problems.check(
            found.kind == "object",
            f"{at}id",
            found.id,
            "is not an object store: use `volume`",
        )
        zero = Decimal(0)
        return StoreItem(
            found,
            self.amount(entry, "stored_gib", at) or zero,
            self.amount(entry, "reads_per_month", at) or zero,
            self.amount(entry, "writes_per_month", at) or zero,
            self.amount(entry, "retrieved_gb_per_month", at),
            self.amount(entry, "uploaded_gb_per_month", at),
        )

    def reserved(self, entry: Mapping[str, Any], where: str) -> tuple[str, Decimal]:
        self.known(entry, {"what", "gib"}, f"{where}.")
        what, gib = (
            self.text(entry, "what", f"{where}."),
            self.amount(entry, "gib", f"{where}."),
        )
        self.problems.check(what, f"{where}.what", None, "must say what the RAM is for")
        self.problems.check(
            gib is not None, f"{where}.gib", None, "must be an amount of GiB"
        )
        return what, gib or Decimal(0)

    def extra(self, entry: Mapping[str, Any], where: str) -> ExtraItem:
        self.known(
            entry,
            {"what", "quantity", "usd", "usd_per_month", "date", "source"},
            f"{where}.",
        )
        at = f"{where}."
        what = self.text(entry, "what", at)
        self.problems.check(what, f"{at}what", None, "must say what is paid for")
        usd, rent = (
            self.amount(entry, "usd", at),
            self.amount(entry, "usd_per_month", at),
        )
        self.problems.check(
            (usd is None) != (rent is None),
            where,
            None,
            "must have either `usd` or `usd_per_month`",
        )
        quantity = self.amount(entry, "quantity", at, Decimal(1))
        return ExtraItem(
            what,
            quantity or Decimal(0),
            usd,
            rent,
            self.date(entry, "date", at),
            self.text(entry, "source", at, MOST_SOURCE) or self.stated,
        )

    # Values.

    def known(self, data: Mapping[str, Any], keys: set[str], at: str) -> None:
        for key in data:
            self.problems.check(key in keys, f"{at}{key}", None, "unknown key")

    def identifier(self, entry: Mapping[str, Any], where: str, keys: set[str]) -> str:
        self.known(entry, keys, f"{where}.")
        name = entry.get("id")
        if not isinstance(name, str) or not name or len(name) > _MOST_TEXT:
            raise BadInput(f"{where}.id: must name an entry of the catalogue", HINT)
        return name

    def twice(self, names: list[str], where: str) -> None:
        for name in sorted({each for each in names if names.count(each) > 1}):
            self.problems.add(where, name, "is named twice: add up the quantities")

    def entries(
        self, data: Mapping[str, Any], key: str, at: str
    ) -> Iterator[tuple[Mapping[str, Any], str]]:
        found = data.get(key, [])
        if not self.problems.check(
            isinstance(found, list) and len(found) <= _MOST_ENTRIES,
            f"{at}{key}",
            None,
            f"must be a list of at most {_MOST_ENTRIES} tables",
        ):
            return
        for index, entry in enumerate(found):
            where = f"{at}{key}[{index}]"
            if self.problems.check(
                isinstance(entry, Mapping), where, entry, "must be a table"
            ):
                yield entry, where

    def table(
        self, data: Mapping[str, Any], key: str, at: str, keys: set[str]
    ) -> Mapping[str, Any]:
        found = data.get(key, {})
        if not self.problems.check(
            isinstance(found, Mapping), f"{at}{key}", found, "must be a table"
        ):
            return {}
        self.known(found, keys, f"{at}{key}.")
        return dict(found)

    def text(
        self, data: Mapping[str, Any], key: str, at: str, most: int = _MOST_TEXT
    ) -> str:
        found = data.get(key, "")
        good = isinstance(found, str) and len(found) <= most
        self.problems.check(
            good, f"{at}{key}", found, f"must be a text of at most {most:,} letters"
        )
        return found.strip() if isinstance(found, str) and good else ""

    def date(self, data: Mapping[str, Any], key: str, at: str) -> str | None:
        found = data.get(key)
        before = len(self.problems.found)
        check_date(found, f"{at}{key}", self.problems)
        return found if len(self.problems.found) == before else None

    def count(
        self,
        data: Mapping[str, Any],
        key: str,
        at: str,
        default: int,
        *,
        least: int = 0,
        most: int = _MOST_COUNT,
    ) -> int:
        found = data.get(key, default)
        good = (
            isinstance(found, int)
            and not isinstance(found, bool)
            and least <= found <= most
        )
        self.problems.check(
            good,
            f"{at}{key}",
            found,
            f"must be a whole number from {least} to {most:,}",
        )
        return int(found) if good else default

    def amount(
        self,
        data: Mapping[str, Any],
        key: str,
        at: str,
        default: Decimal | None = None,
        *,
        most: Decimal | int = _MOST_AMOUNT,
    ) -> Decimal | None:
        if key not in data:
            return default
        found = read_amount(data[key], f"{at}{key}", self.problems)
        if found is not None and not self.problems.check(
            0 <= found <= most and (not found or found.adjusted() >= -12),  # noqa: PLR2004
            f"{at}{key}",
            found,
            f"must be from 0 to {most:,}",
        ):
            return default
        return found


def _price_of(
    found: Part,
    kind: str,
    book: PriceBook | None,
    day: str | None,
) -> Price | None:
    """Find the price of a part that nobody stated: that of the book, else its newest."""
    held = found.capacity_bytes
    if book is not None and held is not None:
        known = book.find(
            device_id=found.device or found.id,
            kind=_BOOK_KINDS.get(found.kind, found.kind),
        )
        if known is not None and not known.rent:
            each = (known.usd * held / UNIT_BYTES[known.per]).quantize(
                CENT, ROUND_HALF_UP
            )
            return Price(each, known.date, f"price book `{book.id}`: {known.source}")
    known_price = found.price(not_after=day, price_kind=kind or None)
    if known_price is None:
        return None
    return Price(
        known_price.usd, known_price.date, known_price.source, known_price.price_kind
    )


def _rated_tb(found: Part) -> Decimal | None:
    """Return the rated endurance of the part's device profile, where it states one."""
    if not found.device:
        return None
    rated = rated_endurance(catalog.device(found.device)).tb_written
    return None if rated is None else Decimal(repr(rated))
