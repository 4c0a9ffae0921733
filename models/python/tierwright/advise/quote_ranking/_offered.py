"""What a quote offers as configurations of the advisor: machines, RAM, what holds the data and what caches."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache

from tierwright.advise.advice._standing import Standing
from tierwright.advise.advice._table import CACHES, Setting, rack_units
from tierwright.advise.behind_instance import limit_unknown, volume_exceeds
from tierwright.advise.quote_ranking._priced import Priced, Unranked
from tierwright.advise.quote_ranking.caution import QuoteCaution
from tierwright.common.currency import ExchangeRate
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, listed
from tierwright.evaluate.advice.bought import budget_tb
from tierwright.evaluate.advice.rows import CHOICES, device_times
from tierwright.evaluate.bill import UNKNOWN, machine_watts, violations
from tierwright.evaluate.configurations.sold import (
    DRIVE_BAYS,
    GB,
    behind_instance,
    local_device,
    volume_device,
)
from tierwright.evaluate.configurations.wanted import GIB
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware import catalog
from tierwright.hardware.build import build_from_mapping
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.imports.ledger import Skip, shown
from tierwright.hardware.imports.mapping import Item, LineMapping
from tierwright.hardware.imports.offers import Offer
from tierwright.hardware.imports.quotes import CHARGES, QuoteLine
from tierwright.hardware.parts import Part, part, parts
from tierwright.hardware.servers import Server, server
from tierwright.hardware.volumes import volume

ACCESSORIES = {"rails": "rails", "power": "power supplies"}
"""Items of kind `part` that no model places, and that a server needs."""
MACHINE, MEMORY, DRIVE, VOLUME, INSTANCE = (
    "chassis",
    "dimm",
    "drive",
    "volume",
    "instance",
)
Key = tuple[str, str, str]
"""Role, id, and the sizes of a volume."""
_IN_BAY = re.compile(r"\b(U\.[23]|E[13]\.[SL]|[23]\.5in)")
"""Form factors of drives that stand in bays, as names of devices state them."""
_CARD = re.compile(r"\b(AIC|M\.2|add-in card)\b")
"""Form factors of drives that take no bay."""
_ALWAYS_IN_BAYS = frozenset({"sata_ssd", "hdd"})
"""Kinds of drives that need a bay whatever their name states."""
MOST_KINDS = 2
_MOST_COUNT = 100_000


@dataclass(frozen=True, slots=True)
class Impossible:
    """What a quote cannot be without, whatever is stated.

    Attributes
    ----------
    constraint : str
    value, limit : float or None
        In the unit of the limit; None where it has none.
    message : str
        What does not fit, as a sentence; empty where the constraint says it all.
    """

    constraint: str
    value: float | None = None
    limit: float | None = None
    message: str = ""

    @property
    def relaxation(self) -> float | None:
        """By how much the limit is missed."""
        if self.value is None or self.limit is None:
            return None
        return abs(self.limit - self.value)


@dataclass(slots=True)
class Offered:
    """A quote as the advisor sees it.

    Attributes
    ----------
    offer : Offer
    priced : Priced
    standing : list of Standing
        Each way to run it; empty where `impossible`.
    impossible : Impossible or None
    cautions : list of QuoteCaution
    """

    offer: Offer
    priced: Priced
    standing: list[Standing] = field(default_factory=list)
    impossible: Impossible | None = None
    cautions: list[QuoteCaution] = field(default_factory=list)


@dataclass(slots=True)
class _Contents:
    """What the lines of a quote are, all together."""

    counts: dict[Key, Decimal] = field(default_factory=dict)
    volumes: dict[Key, Item] = field(default_factory=dict)
    accessories: dict[str, Decimal] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    unplaced: set[str] = field(default_factory=set)

    def of(self, role: str) -> dict[Key, Decimal]:
        return {key: count for key, count in self.counts.items() if key[0] == role}

    def add(self, item: Item, pieces: Decimal) -> None:
        role, identity = _role(item)
        if role == "accessory":
            before = self.accessories.get(identity, Decimal(0))
            self.accessories[identity] = before + pieces * item.quantity
        elif role == "unplaced":
            self.unplaced.add(identity)
        else:
            sizes = (
                "" if role != VOLUME else f"{item.size_gib}/{item.iops}/{item.mb_per_s}"
            )
            key = (role, identity, sizes)
            before = self.counts.get(key, Decimal(0))
            self.counts[key] = before + pieces * item.quantity
            if role == VOLUME:
                self.volumes[key] = item


def offered(
    offer: Offer,
    setting: Setting,
    mapping: LineMapping,
    rates: Mapping[str, ExchangeRate],
    day: str,
) -> Offered:
    """Make the configurations of a quote, at its prices.

    Parameters
    ----------
    offer : Offer
    setting : Setting
        Workload, what there is, months.
    mapping : LineMapping
        What lines are that do not name their item.
    rates : mapping of str to ExchangeRate
        By currency.
    day : str
        Day on which it is asked, YYYY-MM-DD.

    Raises
    ------
    Unranked
        If it cannot be told what it offers or what it costs.
    """
    contents, priced = _Contents(), Priced()
    rent_of: set[bool] = set()
    tax: QuoteLine | None = None
    for line in offer.lines:
        items = _items(line, mapping)
        is_rent = _is_rent(line, items)
        if is_rent and offer.is_cart and line.quantity != 1:
            raise Unranked(
                "time_in_cart",
                f"row {line.row}: {line.quantity} of a time of `{shown(line.item or line.part_number)}`: in a cart that "
                "may be so long, or so many; state it as our CSV or JSON, where the unit is the time that the price is of",
            )
        priced.add(line, _billed_as(line, items), is_rent=is_rent, rates=rates)
        rent_of.add(is_rent)
        if line.kind == "tax" and not is_rent:
            tax = line
        if items is None:
            if line.kind not in CHARGES:
                contents.unknown.add(_name(line))
            continue
        pieces = line.quantity if is_rent else line.count
        for each in items:
            contents.add(each, pieces)
    if tax is not None and True in rent_of:
        raise Unranked(
            "no_period",
            f"row {tax.row}: tax stands beside rent, and for which time it is, is not stated: give it a unit, such as "
            "`MON`",
        )
    priced.spend(setting.horizon_months)
    found = Offered(offer, priced)
    _configure(found, contents, setting)
    bill = priced.bill(setting.horizon_months, day, stated_by(offer))
    found.standing = [
        replace(each, quote_id=offer.quote_id, bill=bill) for each in found.standing
    ]
    found.cautions += _of_quote(offer, contents, day)
    return found


def stated_by(offer: Offer) -> str:
    """Say which quote states a price, and until when."""
    by = f" of {shown(offer.supplier)}" if offer.supplier else ""
    until = (
        f"valid until {offer.valid_until}"
        if offer.valid_until
        else "no day of validity stated"
    )
    return f"quote {offer.quote_id}{by}, {until}"


def _billed_as(line: QuoteLine, items: tuple[Item, ...] | None) -> tuple[str, str]:
    """Return how a bill names a line, and the kind of its row."""
    if items is not None and len(items) == 1:
        [one] = items
        role, name = _role(one)
        # The price of a volume is that of the whole: its row is no capacity in GiB.
        kinds = {INSTANCE: "server", VOLUME: "extra"}
        return name, kinds.get(role, "part")
    named = line.kind if line.kind in CHARGES else _name(line).strip("`")
    return named, "extra" if items is None else "part"


def _items(line: QuoteLine, mapping: LineMapping) -> tuple[Item, ...] | None:
    if line.kind in CHARGES:
        return None
    try:
        return mapping.items_of(line)
    except Skip as twice:
        raise Unranked("mapped_twice", f"row {line.row}: {twice.reason}") from twice


def _is_rent(line: QuoteLine, items: tuple[Item, ...] | None) -> bool:
    """Whether a line is rented; one that is bought must be of pieces.

    What is of no known item, or a charge, is rented where its unit is a time.
    """
    if items is None:
        return line.unit is not None and line.unit.one != "piece"
    rented = {_role(each)[0] in (INSTANCE, VOLUME) for each in items}
    if len(rented) > 1:
        raise Unranked(
            "mapped_twice",
            f"row {line.row}: the mapping makes it something that is rented and something that is bought",
        )
    if rented == {True}:
        return True
    unit = line.unit
    if unit is not None and unit.one != "piece":
        raise Unranked(
            "no_count",
            f"row {line.row}: `{shown(line.item or line.part_number)}` is bought, and its unit is a {unit.one}: how "
            "many pieces it is, is not stated",
        )
    return False


def _role(item: Item) -> tuple[str, str]:
    """Return what an item is for the advisor, and by which id."""
    kind, name = item.kind, item.item
    try:
        if kind == "device":
            return _role_of_device(catalog.device(name))
        if kind == "instance":
            return INSTANCE, server(name).id
        if kind == "server":
            if name in parts() and part(name).kind == "chassis":
                return MACHINE, name
            return INSTANCE, server(name).id
        if kind == "volume":
            return VOLUME, volume(name).id
        if name in ACCESSORIES:
            return "accessory", name
        return _role_of_part(part(name))
    except BadInput as error:
        raise Unranked(
            "unknown_item",
            f"no {shown(kind)} of the catalogue is `{shown(name)}`; {error.hint}",
        ) from error


def _role_of_device(device: Device) -> tuple[str, str]:
    if device.kind in DRIVE_BAYS or device.kind == "hdd_array":
        return DRIVE, device.id
    return "unplaced", device.id


def _role_of_part(found: Part) -> tuple[str, str]:
    if found.kind == "chassis":
        return MACHINE, found.id
    if found.kind == "dimm":
        return MEMORY, found.id
    if found.kind in DRIVE_BAYS:
        # A drive is the same by either of its ids.
        return DRIVE, found.device or found.id
    return "unplaced", found.id


def _configure(found: Offered, contents: _Contents, setting: Setting) -> None:
    """Put what is offered together."""
    if not contents.counts:
        raise Unranked(
            "not_a_build",
            "offers nothing that the advisor places: no server, instance, volume, drive or memory module is known among "
            "its lines",
        )
    for (_, name, _), count in contents.counts.items():
        if count != int(count) or not 0 < count <= _MOST_COUNT:
            raise Unranked(
                "not_whole",
                f"{count.normalize():f} of `{name}` is not a whole number from 1 to {_MOST_COUNT:,}",
            )
    machines = {**contents.of(INSTANCE), **contents.of(MACHINE)}
    if len(machines) > 1:
        named = listed([f"`{name}`" for _, name, _ in sorted(machines)])
        raise Unranked(
            "several_servers",
            f"offers {named}: the advisor spreads data and load over equal machines",
        )
    build = _Build(found, contents, setting)
    if contents.of(INSTANCE):
        build.on_instances()
    else:
        build.of_parts()


class _Build:
    """Puts the contents of one quote together."""

    def __init__(self, found: Offered, contents: _Contents, setting: Setting) -> None:
        self.found, self.contents, self.setting = found, contents, setting
        self.reserved = setting.candidates.reserved_gib
        self.left_over: dict[Key, str] = {}
        self.power_watts = math.nan
        self.borrowed: list[str] = []
        machine = next(iter((*contents.of(INSTANCE), *contents.of(MACHINE))), None)
        self.machine = machine
        if machine is not None:
            self.machines = int(contents.counts[machine])
        elif setting.have is not None:
            self.machines = setting.have.machines
        else:
            self.machines = setting.machines

    def on_instances(self) -> None:
        """Put instances together, with the data on their local disks or on volumes behind them."""
        contents = self.contents
        assert self.machine is not None
        inside = [name for _, name, _ in (*contents.of(DRIVE), *contents.of(MEMORY))]
        if inside:
            raise Unranked(
                "parts_of_an_instance",
                f"offers `{inside[0]}` beside `{self.machine[1]}`: nothing can be put into an instance",
            )
        rented = server(self.machine[1])
        local = self._local(rented)
        ram = 0 if rented.ram_gib is None else int(rented.ram_gib * GIB)
        volumes = list(contents.of(VOLUME))
        if len(volumes) > 1:
            raise Unranked(
                "several_volumes",
                "offers volumes of several kinds or sizes: the advisor spreads data over equal ones",
            )
        entries = []
        if volumes:
            each, entry = self._volume(volumes[0])
            entries.append(entry)
            [item] = build_from_mapping({"volume": [entry]}).volumes
            each = behind_instance(each, rented, item)
            self._about_limits(rented, each)
            stores = [(each, self._spread(volumes[0]), math.inf, local)]
        elif local is not None:
            # What they hold is gone when the instance stops.
            stores = [(local[0], local[1], math.inf, None)]
        else:
            self._lacks_drives()
            return
        self._check({"server": rented.id, "volume": entries}, self.machines * ram)
        for disk, count, budget, cache_of in stores:
            self._add(
                ram * self.machines,
                (disk, count * self.machines, budget),
                None
                if cache_of is None
                else (cache_of[0], cache_of[1] * self.machines, math.inf),
                outlasts=bool(volumes),
            )
        self._finish()

    def _about_limits(self, rented: Server, attached: Device) -> None:
        """Say what the instance sustains to its volumes where it is less than they could do, or that nobody states it."""
        cautions = list(volume_exceeds(attached, self.setting.curve.page_bytes))
        if not rented.states_sustained:
            cautions.append(limit_unknown(rented.id))
        self.found.cautions += [
            QuoteCaution(each.name, f"{_sentence(each.message)}.", each.hint)
            for each in cautions
        ]

    def of_parts(self) -> None:
        """Put servers of parts together, or devices bought by themselves."""
        contents, have = self.contents, self.setting.have
        modules = contents.of(MEMORY)
        ram = sum(
            self._spread(key) * int(part(key[1]).capacity_bytes or 0) for key in modules
        )
        kinds = {key: self._drive(key[1]) for key in contents.of(DRIVE)}
        volumes = list(contents.of(VOLUME))
        if len(kinds) + len(volumes) > MOST_KINDS:
            raise Unranked(
                "several_drives",
                f"offers drives of {len(kinds) + len(volumes):,} kinds: the advisor places one that holds the data "
                "and one that caches",
            )
        tiers = [
            (device, self._spread(key), budget)
            for key, (device, budget) in kinds.items()
        ]
        tiers += [
            (self._volume(key)[0], self._spread(key), math.inf) for key in volumes
        ]
        if self.machine is not None:
            self._check(
                self._parts_config(kinds),
                ram * self.machines if modules else None,
                self._devices_in_bays(kinds),
            )
        ram_bytes, usable = ram * self.machines, None
        if not modules and have is not None and self.machine is None:
            ram_bytes, usable = have.ram_bytes, have.usable_ram_bytes
        if not modules:
            self._without_ram(ram_bytes)
        if self.machine is None:
            self._without_machine()
        if not tiers:
            if have is None or self.machine is not None:
                self._lacks_drives()
                return
            self.found.cautions.append(
                QuoteCaution(
                    "no_drives",
                    f"The quote offers no drives: the data stay on what there is, {counted(have.disks, 'device')} of "
                    f"`{have.disk.id}`, and its price includes none.",
                    "ask for a quote with drives, or check that those that exist can be used",
                )
            )
            tiers = [(have.disk, have.disks // have.machines, budget_tb(have.disk))]
        for at, (disk, count, budget) in enumerate(tiers):
            others = [each for where, each in enumerate(tiers) if where != at]
            cache = next((one for one in others if one[0].kind in CACHES), None)
            self._add(
                ram_bytes,
                (disk, count * self.machines, budget),
                None
                if cache is None
                else (cache[0], cache[1] * self.machines, cache[2]),
                usable,
                # Of what there is nobody says.
                outlasts=True if kinds or volumes else None,
            )
        self._finish()

    # Pieces of a configuration.

    def _spread(self, key: Key) -> int:
        """How many of a thing each machine has; what is left over is spare."""
        total = int(self.contents.counts[key])
        each, rest = divmod(total, self.machines)
        if not each:
            raise Unranked(
                "not_on_every_machine",
                f"{total:,} of `{key[1]}` cannot be spread over {counted(self.machines, 'machine')}",
            )
        if rest:
            self.left_over[key] = f"{rest:,} of {total:,} `{key[1]}`"
        return each

    def _known(self, own: Device, other: Device | None) -> Device:
        """Return a device with its own times, or those of the device that is stated for what states none."""
        page = self.setting.curve.page_bytes
        if other is None or not any(
            math.isnan(float(times[0])) for times in device_times(own, page, 1)
        ):
            return own
        self.borrowed.append(f"`{own.id}`")
        figures = {
            name: figure for name, figure in other.figures.items() if name != "capacity"
        }
        if "capacity" in own.figures:
            figures["capacity"] = own.figures["capacity"]
        return replace(
            own, kind=own.kind, figures=figures, measurements=other.measurements
        )

    def _local(self, rented: Server) -> tuple[Device, int] | None:
        """Return one local disk of an instance with its size, and how many it has."""
        found = local_device(rented)
        if found is None or not rented.local_nvme_gb:
            return None
        size = (rented.local_nvme_gb_each or Decimal(0)) * GB
        sized = _sized(found, size, "as sold")
        return (
            self._known(sized, self.setting.devices[0]),
            int(rented.local_nvme_count or 0),
        )

    def _volume(self, key: Key) -> tuple[Device, dict[str, object]]:
        """Return one volume with its size, and its entry of a CONFIG of a bill."""
        item, name = self.contents.volumes[key], key[1]
        if item.size_gib is None:
            raise Unranked(
                "no_volume_size",
                f"`{name}` is a volume, and its size is not stated: state `size_gib` in the mapping",
            )
        entry = {
            "id": name,
            "quantity": self._spread(key),
            "size_gib": item.size_gib,
            **({} if item.iops is None else {"iops": item.iops}),
            **({} if item.mb_per_s is None else {"mb_per_s": item.mb_per_s}),
        }
        try:
            [made] = build_from_mapping({"volume": [entry]}).volumes
        except BadInput as error:
            raise Unranked("bad_volume", error.message) from error
        own = volume_device(made) or Device(name, name, "cloud_block")
        sized = _sized(own, item.size_gib * GIB, "as rented")
        return self._known(sized, self.setting.devices[1]), entry

    def _drive(self, name: str) -> tuple[Device, float]:
        """Return a drive with its size, and the host writes that it takes. [TB]"""
        bought = name in parts()
        if not bought:
            own = catalog.device(name)
            if not own.capacity_bytes:
                raise Unranked(
                    "no_capacity", f"no source states the capacity of `{name}`"
                )
        else:
            made = part(name)
            own = (
                catalog.device(made.device)
                if made.device
                else Device(made.id, made.name, made.kind)
            )
            if own.capacity_bytes is None:
                own = _sized(own, Decimal(made.capacity_bytes or 0), "of the part")
        disk = own.kind in ("hdd", "hdd_array")
        return self._known(own, self.setting.devices[1 if disk else 0]), budget_tb(own)

    def _parts_config(
        self, kinds: Mapping[Key, tuple[Device, float]]
    ) -> dict[str, object]:
        """Return the parts of one machine, as a CONFIG of a bill has them."""
        assert self.machine is not None
        entries = [{"id": self.machine[1], "quantity": 1}]
        entries += [
            {"id": key[1], "quantity": self._each(key)}
            for key in self.contents.of(MEMORY)
        ]
        for key in kinds:
            name = _part_of(key[1])
            if name is not None:
                entries.append({"id": name, "quantity": self._each(key)})
        return {"part": entries}

    def _devices_in_bays(
        self, kinds: Mapping[Key, tuple[Device, float]]
    ) -> dict[str, int]:
        """Count the drives of one machine that are no parts, by kind: each needs a bay, as a part of its kind does."""
        found: dict[str, int] = {}
        loose: list[str] = []
        for key in kinds:
            if _part_of(key[1]) is not None:
                continue
            device = catalog.device(key[1])
            if _CARD.search(device.name) is None and device.kind in DRIVE_BAYS:
                kind = device.kind
                found[kind] = found.get(kind, 0) + self._each(key)
            if device.kind not in _ALWAYS_IN_BAYS and not _IN_BAY.search(device.name):
                loose.append(f"`{key[1]}`")
        if loose:
            one = len(loose) == 1
            self.found.cautions.append(
                QuoteCaution(
                    "form_factor_unknown",
                    f"Whether {listed(sorted(loose))} {'fits' if one else 'fit'} the bays of the server could not be checked: no "
                    f"source states {'its' if one else 'their'} form factor as one of a bay.",
                    "ask the supplier whether the server has bays or slots for it",
                )
            )
        return found

    def _each(self, key: Key) -> int:
        return int(self.contents.counts[key]) // self.machines

    def _check(
        self,
        config: Mapping[str, object],
        ram_bytes: int | None,
        drives: Mapping[str, int] | None = None,
    ) -> None:
        """Hold what each machine cannot be without: bays, slots, supplies, limits of volumes, RAM for the system."""
        try:
            build = build_from_mapping(
                {
                    **config,
                    "machines": self.machines,
                    "reserved_ram": [{"what": "the system", "gib": self.reserved}]
                    if ram_bytes is not None and self.reserved
                    else [],
                }
            )
        except BadInput as error:
            raise Unranked("not_a_build", error.message) from error
        found = violations(build, drives)
        broken = [each for each in found if each.name not in UNKNOWN]
        if broken:
            self.found.impossible = Impossible(
                broken[0].name, message=broken[0].message
            )
        for each in found:
            if each.name in UNKNOWN:
                self.found.cautions.append(
                    QuoteCaution(each.name, f"{_sentence(each.message)}.", each.hint)
                )
        self.power_watts = _watts(build)

    def _add(
        self,
        ram_bytes: int,
        disk: tuple[Device, int, float],
        cache: tuple[Device, int, float] | None,
        usable_bytes: int | None = None,
        *,
        outlasts: bool | None,
    ) -> None:
        """Add a configuration as each scheme runs it."""
        setting, machines = self.setting, self.machines
        reserve = int(self.reserved * GIB) * machines
        usable = max(0, ram_bytes - reserve) if usable_bytes is None else usable_bytes
        month, purchase = self.found.priced.cents(setting.horizon_months)
        for scheme in CHOICES:
            flash = None if scheme == NO_FLASH else cache
            if flash is None and scheme != NO_FLASH:
                continue
            self.found.standing.append(
                Standing(
                    machines=machines,
                    ram_bytes=ram_bytes,
                    usable_ram_bytes=usable,
                    disk=disk[0],
                    disks=disk[1],
                    disk_budget_tb=disk[2],
                    flash_bytes=0
                    if flash is None
                    else flash[1] * int(flash[0].capacity_bytes or 0),
                    flash=None if flash is None else flash[0],
                    flash_devices=0 if flash is None else flash[1],
                    flash_budget_tb=math.inf if flash is None else flash[2],
                    scheme=scheme,
                    month_cents=month,
                    purchase_cents=purchase,
                    power_watts=self.power_watts * machines,
                    rack_units=self._units() * machines,
                    # A size for pages is stated of the RAM of what there is alone.
                    is_ram_for_pages=usable_bytes is not None
                    and setting.have is not None
                    and setting.have.is_ram_for_pages,
                    on_existing=self.machine is None and setting.have is not None,
                    is_rented=self.machine is not None and self.machine[0] == INSTANCE,
                    outlasts=outlasts,
                )
            )

    def _units(self) -> float:
        if self.machine is None or self.machine[0] != MACHINE:
            return math.nan
        return rack_units(part(self.machine[1]).form_factor)

    # What it lacks.

    def _lacks_drives(self) -> None:
        setting = self.setting
        self.found.impossible = Impossible(
            "space", 0.0, float(setting.data_bytes * setting.replicas)
        )
        self._say_left_over()

    def _without_ram(self, ram_bytes: int) -> None:
        have = self.setting.have
        held = (
            "the RAM of what there is counts"
            if ram_bytes and have is not None
            else "no RAM counts"
        )
        self.found.cautions.append(
            QuoteCaution(
                "no_ram",
                f"The quote offers no memory modules (DIMMs): {held}, and the price includes none.",
                "ask for a quote with memory modules",
            )
        )

    def _beside_ram(self, ram_bytes: int) -> None:
        self.found.cautions.append(
            QuoteCaution(
                "ram_not_added",
                f"The quote offers memory modules and no server: they count in place of the {format_bytes(ram_bytes)} of "
                "RAM that there are, not beside it.",
                "state in the quote all modules that the machines will hold",
            )
        )

    def _without_machine(self) -> None:
        have = self.setting.have
        if self.contents.of(MEMORY) and have is not None and have.ram_bytes:
            self._beside_ram(have.ram_bytes)
        self.found.cautions.append(
            QuoteCaution(
                "no_machine",
                f"The quote offers no server: what it offers is spread over {counted(self.machines, 'machine')}, and "
                "the price includes no server, rails or power supplies.",
                "check that the servers that exist have slots and bays for it, or ask for a quote with servers",
            )
        )

    def _say_left_over(self) -> None:
        if self.left_over:
            self.found.cautions.append(
                QuoteCaution(
                    "left_over",
                    f"Left over after an equal share for each of {counted(self.machines, 'machine')}: "
                    f"{listed(sorted(self.left_over.values()))}; they are paid and count as spares.",
                    "check the quantities",
                )
            )

    def _finish(self) -> None:
        setting, found = self.setting, self.found
        self._say_left_over()
        if self.borrowed:
            found.cautions.append(
                QuoteCaution(
                    "rates_of_other_devices",
                    f"No source states the rates of {listed(sorted(set(self.borrowed)))}: those of the device that was "
                    "named for such cases count.",
                    "measure the device, or name a similar one",
                )
            )
        if found.impossible is None and self.machines < setting.replicas:
            found.impossible = Impossible(
                "replicas", float(self.machines), float(setting.replicas)
            )
        space = max((each.store_bytes for each in found.standing), default=0)
        needed = setting.data_bytes * setting.replicas
        if found.impossible is None and space < needed:
            found.impossible = Impossible("space", float(space), float(needed))
        if self.machine is not None and any(each.ram_bytes for each in found.standing):
            usable = max(each.usable_ram_bytes for each in found.standing)
            if found.impossible is None and (
                usable // self.machines < setting.curve.page_bytes
            ):
                found.impossible = Impossible("ram")
        if found.impossible is not None:
            found.standing.clear()


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _watts(build: object) -> float:
    watts, unknown = machine_watts(build)  # type: ignore[arg-type]
    return math.nan if watts is None or unknown else float(watts)


def _sized(device: Device, size_bytes: Decimal, source: str) -> Device:
    figure = Figure(size_bytes / GB, "GB", source)
    return replace(device, figures={**device.figures, "capacity": figure})


@cache
def _parts_of_devices() -> Mapping[str, str]:
    return {each.device: each.id for each in parts().values() if each.device}


def _part_of(name: str) -> str | None:
    """Return the part that a drive is; None where the catalogue has it as a device alone."""
    return name if name in parts() else _parts_of_devices().get(name)


def _of_quote(offer: Offer, contents: _Contents, day: str) -> Iterator[QuoteCaution]:
    """Yield what to know of a quote beside its configuration."""
    if offer.left_out:
        yield QuoteCaution(
            "line_of_no_quote",
            f"A line of the file was left out, and of which quote it is, is not known ({offer.left_out}): if it is of "
            "this one, its price is missing here.",
            "correct that line, and rank again",
        )
    until = offer.valid_until
    if until is None:
        yield QuoteCaution(
            "no_validity",
            "The quote states no day until which it is valid.",
            "ask the supplier how long the price holds",
        )
    elif until < day:
        yield QuoteCaution(
            "expired",
            f"The quote was valid until {until}, which is before {day}: its price may not hold any more.",
            "ask the supplier for a new quote",
        )
    machines = sum(contents.of(MACHINE).values())
    for name, words in ACCESSORIES.items():
        count = contents.accessories.get(name, Decimal(0))
        if count < machines:
            yield QuoteCaution(
                f"no_{name}",
                f"The quote has {count.normalize():f} of {words} for {counted(int(machines), 'server')}: the price may "
                "cover too few."
                if count
                else f"No line of the quote is known to be {words}: the price may not include any.",
                f"ask the supplier, or state in the mapping which part number is `{name}`",
            )
    if contents.unknown:
        names = listed(_some(contents.unknown))
        said = counted(
            len(contents.unknown),
            f"thing is of no known item and counts in the price alone: {names}",
            f"things are of no known item and count in the price alone: {names}",
        )
        yield QuoteCaution(
            "unresolved_lines",
            f"{said}.",
            "state in the mapping what these part numbers are",
        )
    if contents.unplaced:
        names = listed([f"`{name}`" for name in sorted(contents.unplaced)])
        yield QuoteCaution(
            "not_placed",
            f"The advisor's models place nothing on {names}, which counts in the price alone."
            if len(contents.unplaced) == 1
            else f"The advisor's models place nothing on {names}, which count in the price alone.",
            "compare quotes without it",
        )


_MOST_NAMED = 5


def _name(line: QuoteLine) -> str:
    """Return what a line of no known item is called."""
    stated = (line.part_number, line.manufacturer_part_number, line.description)
    return next((f"`{shown(each)}`" for each in stated if each), "a line of no name")


def _some(names: set[str]) -> list[str]:
    found = sorted(names)
    if len(found) <= _MOST_NAMED:
        return found
    return [*found[:_MOST_NAMED], f"{len(found) - _MOST_NAMED:,} more"]
