"""What an advice is asked for: candidates, what there is, constraints; and the files that state them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from tierwright.advise.pool_survey import SplitSurvey
from tierwright.common.currency import exact, read_amount
from tierwright.common.documents import read_table
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import is_count, without_zeros
from tierwright.common.units import format_bytes, parse_bytes
from tierwright.common.wording import counted
from tierwright.evaluate.advice.limits import CONSTRAINTS, PEAK_BUSY
from tierwright.evaluate.advice.rows import CHOICES, SOURCES
from tierwright.evaluate.advice.whole_limits import as_meant
from tierwright.evaluate.configurations.wanted import (
    ANY_CHASSIS,
    DEFAULT_MAX_MACHINES,
    DEFAULT_RESERVED_GIB,
    GIB,
    MOST_MACHINES,
    Wanted,
)
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware import catalog
from tierwright.hardware.build import DEFAULT_PUE
from tierwright.hardware.device import Device
from tierwright.hardware.parts import part, vendors
from tierwright.hardware.servers import providers, server
from tierwright.hardware.volumes import volume
from tierwright.profile.categories import CategoryCounts

KINDS = SOURCES[:4]
"""Kinds of candidates."""
WHOLE = KINDS[:3]
"""Those that are whole systems: candidates where nobody says."""


class CategoriesAt(NamedTuple):
    """What tells categories apart, as `tierwright.profile.categories.kinds` names it, and the RAM below which they are counted. [pages]"""

    kind: str
    ram_pages: int


SchemeAt = tuple[str, ReplayPoint]
"""A scheme, and where the recording is replayed for it."""
Replays = Callable[[Sequence[SchemeAt]], Sequence[Mapping[str, Any]]]
"""Makes replays of one recording, all with the same warm-up: what each counted, in their order."""
Splits = Callable[[Sequence[int]], Mapping[int, SplitSurvey]]
"""Counts buffers of one recording at every split, by their pages: those that could be counted."""
Assigned = Callable[[Sequence[CategoriesAt]], Mapping[CategoriesAt, CategoryCounts]]
"""Counts the requests of one recording below some sizes of RAM by category: those that could be counted."""
BOUGHT_ALONE = ("nvme", "sata_ssd", "hdd", "hdd_array")
"""Kinds of devices that are candidates by themselves."""
NO_BOOK = "none"
"""In place of the id of a price book: without one, so RAM and devices by themselves are no candidates."""
FindDevice = Callable[[str], Device]
"""Finds one of the user's own devices by what a document names it."""
HINT = "see docs/models/advice.md for what the file may state"
_LISTS = ("servers", "volumes", "devices", "parts")
_OF_LISTS = {
    "servers": ("instances",),
    "volumes": ("volumes",),
    "devices": ("devices",),
    "parts": ("chassis",),
}
_CANDIDATE_KEYS = {
    "kinds",
    *_LISTS,
    "own",
    "providers",
    "vendors",
    "flash_caches",
    "max_machines",
    "reserved_gib",
    "part_usd",
    "machine_usd",
    "usd_per_kwh",
    "watts",
    "pue",
}
_HAVE_KEYS = {
    "machines",
    "ram",
    "reserved_gib",
    "flash",
    "flash_device",
    "flash_devices",
    "disk_device",
    "disks",
    "scheme",
    "usd_per_month",
    "purchase_usd",
    "bill",
}
_MOST_COUNT = 100_000
_MOST_BYTES = 2**62
_MOST_AMOUNT = Decimal(10) ** 15
_MOST_LIMIT = Decimal(10) ** 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What may be bought or rented.

    Attributes
    ----------
    kinds : tuple of str
        Of `KINDS`; whole systems unless stated.
    servers, volumes, devices, parts : tuple of str or None
        Ids that are allowed; None for all that are priced.
    own : tuple of Device
        Devices of your own, such as measured ones: candidates by themselves beside those of the catalogue. One
        without a price is listed among what was rejected.
    providers : tuple of str or None
        Of instances and volumes; None for all.
    vendors : tuple of str or None
        Of parts and devices that are bought, case ignored; None for all. What states no vendor stays a candidate, and
        the answer names it.
    max_machines : int
        Most equal machines that are instances or servers, from 1 to 256; the copies of the data have one each
        whatever is stated.
    reserved_gib : Decimal
        RAM of each of these for the system itself. [GiB]
    part_usd : mapping of str to Decimal
        Prices of parts by id, `chassis` for every chassis. [USD]
    flash_caches : tuple of str or None
        Flash caches that are replayed, where a recording is, on the hardware that page flow leaves best; None for all
        that the simulator has, an empty one for none.
    machine_usd : Decimal or None
        Of one machine without RAM and drives, for devices that are bought by themselves; None leaves it out. [USD]
    usd_per_kwh, watts, pue
        Electricity of servers that are bought, as for `tierwright configurations`.
    """

    kinds: tuple[str, ...] = WHOLE
    servers: tuple[str, ...] | None = None
    volumes: tuple[str, ...] | None = None
    devices: tuple[str, ...] | None = None
    parts: tuple[str, ...] | None = None
    own: tuple[Device, ...] = ()
    providers: tuple[str, ...] | None = None
    vendors: tuple[str, ...] | None = None
    max_machines: int = DEFAULT_MAX_MACHINES
    reserved_gib: Decimal = DEFAULT_RESERVED_GIB
    part_usd: Mapping[str, Decimal] = field(default_factory=dict)
    flash_caches: tuple[str, ...] | None = None
    machine_usd: Decimal | None = None
    usd_per_kwh: Decimal | None = None
    watts: Decimal | None = None
    pue: Decimal = DEFAULT_PUE

    def __post_init__(self) -> None:
        problems = Problems("candidates", HINT)
        problems.check(self.kinds, "kinds", None, "must name at least one kind")
        for kind in self.kinds:
            problems.check(
                kind in KINDS, "kinds", kind, f"is not one of {', '.join(KINDS)}"
            )
        for name in (*_LISTS, "providers", "vendors"):
            listed = getattr(self, name)
            problems.check(
                listed is None or listed, name, None, "must name at least one"
            )
        _check_own(self.own, self.kinds, problems)
        known = {each.casefold() for each in vendors()}
        for vendor in self.vendors or ():
            problems.check(
                vendor.casefold() in known,
                "vendors",
                vendor,
                f"is not a vendor of any part; one of {', '.join(vendors())}",
            )
        _check_providers(self.providers, problems)
        _check_caches(self.flash_caches, problems)
        self._check_numbers(problems)
        problems.raise_if_any()
        for name, find in (
            ("servers", server),
            ("volumes", volume),
            ("devices", catalog.device),
            ("parts", part),
        ):
            for each in getattr(self, name) or ():
                find(each)
        self._in_one_form()

    def _in_one_form(self) -> None:
        """Put lists of names into one order, each name once, and numbers into one form: how they are written asks nothing else."""

        def put(name: str, names: Iterable[str] | None) -> None:
            if names is not None:
                # A frozen dataclass is set up once, here.
                object.__setattr__(self, name, tuple(dict.fromkeys(names)))

        put("kinds", sorted(self.kinds, key=KINDS.index))
        for name in (*_LISTS, "providers", "flash_caches"):
            listed = getattr(self, name)
            put(name, None if listed is None else sorted(listed))
        if self.vendors is not None:
            stated = {each.casefold() for each in self.vendors}
            put("vendors", [each for each in vendors() if each.casefold() in stated])
        own = tuple(sorted(self.own, key=lambda device: device.id))
        object.__setattr__(self, "own", own)
        for name in ("reserved_gib", "machine_usd", "usd_per_kwh", "watts", "pue"):
            number = getattr(self, name)
            if number is not None:
                object.__setattr__(self, name, without_zeros(exact(number)))
        parts_ = {
            name: without_zeros(exact(usd)) for name, usd in self.part_usd.items()
        }
        object.__setattr__(self, "part_usd", parts_)

    def _check_numbers(self, problems: Problems) -> None:
        problems.check(
            is_count(self.max_machines, MOST_MACHINES) and self.max_machines >= 1,
            "max_machines",
            self.max_machines,
            f"must be a whole number from 1 to {MOST_MACHINES:,}",
        )
        amounts = {
            "reserved_gib": self.reserved_gib,
            "machine_usd": self.machine_usd,
            "usd_per_kwh": self.usd_per_kwh,
            "watts": self.watts,
            **{f"part_usd.{name}": usd for name, usd in self.part_usd.items()},
        }
        Wanted.check_amounts(amounts, self.pue, problems)

    def allows_vendor(self, vendor: str) -> bool:
        """Whether what a vendor makes may be bought; what states none may."""
        return (
            self.vendors is None
            or not vendor
            or vendor.casefold() in {each.casefold() for each in self.vendors}
        )

    @property
    def prices_chassis(self) -> bool:
        """Whether a price of a chassis is stated: none has a list price, so without one no server can be built."""
        return any(
            name == ANY_CHASSIS or part(name).kind == "chassis"
            for name in self.part_usd
        )


def _check_providers(names: Sequence[str] | None, problems: Problems) -> None:
    known = providers()
    unknown = [name for name in names or () if name not in known]
    for name in unknown:
        problems.add("providers", name, "is not a provider of any instance")
    if unknown:
        problems.hint = f"name providers among {', '.join(known)}; {HINT}"


def _check_caches(names: Sequence[str] | None, problems: Problems) -> None:
    if not names:
        return
    from tierwright.simulate.contenders import flash_cache_titles

    known = flash_cache_titles()
    for name in names:
        problems.check(
            name in known,
            "flash_caches",
            name,
            f"is no flash cache; one of {', '.join(known)}",
        )


def _check_own(own: Sequence[Device], kinds: Sequence[str], problems: Problems) -> None:
    problems.check(
        not own or "devices" in kinds,
        "own",
        None,
        "needs `devices` among the kinds: that is what they are",
    )
    seen: set[str] = set()
    for device in own:
        problems.check(
            device.kind in BOUGHT_ALONE and device.sold_as == "device",
            "own",
            device.id,
            f"cannot be bought by itself to hold data or to cache it; kinds that can: {', '.join(BOUGHT_ALONE)}",
        )
        problems.check(
            device.capacity_bytes,
            "own",
            device.id,
            "states no capacity, so how many of it hold the data is unknown",
        )
        problems.check(
            device.id not in catalog.devices(),
            "own",
            device.id,
            "is the id of a shipped device; name that in `devices`, or give yours another id",
        )
        problems.check(device.id not in seen, "own", device.id, "is named twice")
        seen.add(device.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Have:
    """What there is today: always one of the options. Sizes and counts are of all machines together.

    Attributes
    ----------
    machines : int
        Equal machines.
    ram_bytes, flash_bytes : int
        RAM for pages, without what the system itself takes, unless `reserved_gib` is stated; and flash that caches, 0
        without. Candidates have `Candidates.reserved_gib` of each machine besides. [bytes]
    disk : Device
        What holds the data.
    disks : int
        How many.
    flash : Device or None
    flash_devices : int
    scheme : str
        Page flow; `none` without a cache of flash.
    reserved_gib : Decimal
        What the system takes of the RAM of each machine, where `ram_bytes` is the whole; 0 where it is for pages. [GiB]
    usd_per_month : Decimal or None
        Spend of a month, purchases spread; None where unknown. [USD/month]
    purchase_usd : Decimal or None
        What of it would be paid again; 0 for what is owned, None where nobody said. [USD]
    bill : mapping or None
        CONFIG of `tierwright bill` of the same number of machines, in place of the amounts; its `horizon_months` is that of
        the question where it is stated.

    Raises
    ------
    BadInput
        If these do not fit together: devices that machines do not share equally, a cache without a device, RAM of which
        the system leaves nothing, amounts beside a bill, a bill of another number of machines.
    """

    machines: int
    ram_bytes: int
    disk: Device
    disks: int
    flash_bytes: int = 0
    flash: Device | None = None
    flash_devices: int = 0
    scheme: str = NO_FLASH
    reserved_gib: Decimal = Decimal(0)
    usd_per_month: Decimal | None = None
    purchase_usd: Decimal | None = None
    bill: Mapping[str, Any] | None = None

    @property
    def usable_ram_bytes(self) -> int:
        """RAM for pages of all machines: what the system leaves. [bytes]"""
        return self.ram_bytes - int(self.reserved_gib * GIB) * self.machines

    @property
    def is_ram_for_pages(self) -> bool:
        """Whether the RAM is without what the system itself takes."""
        return not self.reserved_gib

    @property
    def purchase_is_known(self) -> bool:
        """Whether somebody said what would be paid again; what ends a commitment early costs no bill says."""
        if self.bill is not None:
            return not self.is_committed
        return self.purchase_usd is not None

    @property
    def is_rented(self) -> bool:
        """Whether its bill rents its machines, or its server."""
        return self.bill is not None and bool(self.bill.get("server"))

    @property
    def is_committed(self) -> bool:
        """Whether its bill has a commitment, by its name or by its discount."""
        return self.bill is not None and any(
            self.bill.get(key) for key in ("commitment", "commitment_discount")
        )

    def __post_init__(self) -> None:
        problems = Problems("have", HINT)
        for name, least in (("ram_bytes", 1), ("flash_bytes", 0)):
            size = getattr(self, name)
            problems.check(
                is_count(size, _MOST_BYTES) and size >= least,
                name,
                size,
                f"must be a whole number of bytes from {least} on",
            )
        for name, least in (("machines", 1), ("disks", 1), ("flash_devices", 0)):
            value = getattr(self, name)
            problems.check(
                is_count(value, _MOST_COUNT) and value >= least,
                name,
                value,
                f"must be a whole number from {least} to {_MOST_COUNT:,}",
            )
        if not problems.found:
            for name in ("disks", "flash_devices"):
                value = getattr(self, name)
                problems.check(
                    value % self.machines == 0,
                    name,
                    value,
                    f"must be a multiple of the {counted(self.machines, 'equal machine')} that share them",
                )
            self._check_reserved(problems)
        problems.check(
            self.scheme in CHOICES,
            "scheme",
            self.scheme,
            f"is not one of {', '.join(CHOICES)}",
        )
        cached = self.flash_bytes > 0
        problems.check(
            (self.scheme != NO_FLASH) == cached,
            "scheme",
            self.scheme,
            "needs `flash`, and `flash` a scheme other than none",
        )
        problems.check(
            cached == (self.flash is not None) == (self.flash_devices > 0),
            "flash",
            self.flash_bytes,
            "needs `flash_device` and `flash_devices`, and these need `flash`",
        )
        self._check_space(problems)
        for name in ("usd_per_month", "purchase_usd"):
            amount = getattr(self, name)
            problems.check(
                amount is None or (amount.is_finite() and 0 <= amount <= _MOST_AMOUNT),
                name,
                amount,
                "must be an amount from 0 on",
            )
            problems.check(
                self.bill is None or amount is None,
                name,
                amount,
                "is stated twice: the bill has it too",
            )
        problems.raise_if_any()
        self._check_machines_of_bill()

    def _check_machines_of_bill(self) -> None:
        """Hold the number of machines that the bill is of against that of what there is: it would be of another spend."""
        bill = self.bill
        if bill is None:
            return
        if "machines" not in bill and not any(bill.get(key) for key in _OF_EACH):
            return
        of_bill = machines_of_bill(bill)
        stated = "" if "machines" in bill else "; it states none, so it is of one"
        problems = Problems(
            "have",
            "state the same number of machines in both, or in the bill alone",
        )
        problems.check(
            of_bill == self.machines,
            "bill.machines",
            of_bill,
            f"is not the number of machines that there are, {self.machines:,}{stated}",
        )
        problems.raise_if_any()

    def _check_space(self, problems: Problems) -> None:
        """Hold the flash that caches against what its devices have."""
        flash = self.flash
        if problems.found or flash is None or flash.capacity_bytes is None:
            return
        space = flash.capacity_bytes * self.flash_devices
        problems.check(
            self.flash_bytes <= space,
            "flash",
            format_bytes(self.flash_bytes),
            f"is more than {counted(self.flash_devices, 'device')} of `{flash.id}` "
            f"{'holds' if self.flash_devices == 1 else 'hold'}, {format_bytes(space)}",
        )

    def _check_reserved(self, problems: Problems) -> None:
        reserved = self.reserved_gib
        if not problems.check(
            reserved.is_finite() and 0 <= reserved <= _MOST_AMOUNT,
            "reserved_gib",
            reserved,
            "must be an amount from 0 on",
        ):
            return
        problems.check(
            not reserved or self.usable_ram_bytes > 0,
            "reserved_gib",
            reserved,
            f"leaves nothing of {format_bytes(self.ram_bytes)} of RAM on {counted(self.machines, 'machine')} for pages: "
            "state less of each machine, or as RAM all that the machines have",
        )


_OF_EACH = ("server", "rent", "part", "own", "volume", "reserved_ram", "power")
"""Keys of a bill that are of each of its machines; lines of one's own and object stores are of all."""


def machines_of_bill(bill: Any) -> Any:
    """Return of how many machines a bill is: of one where it states none."""
    return bill.get("machines", 1) if isinstance(bill, Mapping) else 1


def checked_constraints(stated: Mapping[str, Any]) -> dict[str, Decimal]:
    """Read constraints, in the order in which they are decided.

    Parameters
    ----------
    stated : mapping
        Name of `CONSTRAINTS` to a number, or a text of one; sizes may have a unit, such as `512GiB`.

    Raises
    ------
    BadInput
        If a name is unknown, or a value is no number from 0 on; that of `peak_busy` has to be above 0 and at most 1.
    """
    problems = Problems(
        "constraints", "state NAME=VALUE, such as usd_per_month=5000 or ram_bytes=2TiB"
    )
    found: dict[str, Decimal] = {}
    for name, value in stated.items():
        if not problems.check(
            name in CONSTRAINTS,
            name,
            None,
            f"is no constraint; one of {', '.join(CONSTRAINTS)}",
        ):
            continue
        number = _number(name, value)
        if problems.check(
            number is not None and _may_limit(name, number),
            name,
            value,
            "must be a number "
            + ("from 0 on" if name != PEAK_BUSY else "above 0, at most 1"),
        ):
            assert number is not None
            # Exact arithmetic with more would take memory for every digit.
            if problems.check(
                number <= _MOST_LIMIT, name, value, f"must be at most {_MOST_LIMIT:.0e}"
            ):
                # The same limit has the same text, and an answer the same id: 0.7 and 0.70, and a sum of amounts
                # in binary numbers is the cent that it stands for.
                found[name] = without_zeros(as_meant(name, number))
    problems.raise_if_any()
    return {name: found[name] for name in CONSTRAINTS if name in found}


def _may_limit(name: str, number: Decimal) -> bool:
    # What is no number compares with nothing.
    if not number.is_finite():
        return False
    return 0 < number <= 1 if name == PEAK_BUSY else number >= 0


def _number(name: str, value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    text = str(value).strip()
    try:
        return Decimal(text)
    except InvalidOperation:
        if CONSTRAINTS[name] != "bytes":
            return None
    try:
        return Decimal(parse_bytes(text, round_down=True))
    except BadInput:
        return None


def read_candidates(path: Path) -> Candidates:
    """Read a file of candidates, TOML or JSON; what it lists as `own` are device files beside it.

    Raises
    ------
    BadInput
        If it cannot be read, a key is unknown or an id is not in the catalogue.
    """
    data = read_table(path, HINT)
    with _in_file(path, "candidates"):
        return candidates_from_mapping(data, str(path), device_beside(path))


@contextmanager
def _in_file(path: Path, subject: str) -> Iterator[None]:
    """Name the file in errors of what it states."""
    try:
        yield
    except BadInput as error:
        if error.message.startswith(f"{path}:"):
            raise
        message = error.message.removeprefix(f"{subject}: ")
        raise BadInput(
            f"{path}: {message}", error.hint, error.problems, kind=error.kind
        ) from None


def device_beside(path: Path) -> FindDevice:
    """Return what finds devices that a document names: files relative to it, or ids of the catalogue."""

    def find(name: str) -> Device:
        is_file = name.endswith((".toml", ".json"))
        return catalog.device_or_file(str(path.parent / name) if is_file else name)

    return find


def candidates_from_mapping(
    data: Mapping[str, Any], place: str, find: FindDevice = catalog.device
) -> Candidates:
    """Make candidates of plain data.

    Kinds that are not named are those of the lists that are: `servers` alone are instances with local disks,
    `servers` and `volumes` are instances with these volumes too. `own` adds `devices` to them.

    Parameters
    ----------
    data : mapping
        As a file states it.
    place : str
        Where it is from, for errors.
    find : callable, optional
        Finds what is listed as `own`.

    Raises
    ------
    BadInput
        As `read_candidates`.
    """
    problems = Problems(place, HINT)
    for key in data:
        problems.check(key in _CANDIDATE_KEYS, key, None, "unknown key")
    given = _listed(data, problems, find)
    if "max_machines" in data:
        given["max_machines"] = data["max_machines"]
    for name in ("reserved_gib", "machine_usd", "usd_per_kwh", "watts", "pue"):
        if name in data:
            given[name] = _amount(data[name], name, problems)
    prices = data.get("part_usd", {})
    if problems.check(
        isinstance(prices, Mapping), "part_usd", None, "must be a table of prices"
    ):
        given["part_usd"] = {
            key: _amount(value, f"part_usd.{key}", problems)
            for key, value in prices.items()
        }
    problems.raise_if_any()
    return Candidates(**given)


def _listed(
    data: Mapping[str, Any], problems: Problems, find: FindDevice
) -> dict[str, Any]:
    """Read the lists of candidates, and the kinds that they imply."""
    given: dict[str, Any] = {}
    for name in ("kinds", "providers", "vendors", "flash_caches", *_LISTS, "own"):
        if name in data:
            value = data[name]
            good = isinstance(value, list) and all(
                isinstance(one, str) for one in value
            )
            if problems.check(good, name, None, "must be a list of names"):
                given[name] = tuple(dict.fromkeys(value))
    if "kinds" not in given and any(name in given for name in _LISTS):
        given["kinds"] = tuple(
            kind for name in _LISTS if name in given for kind in _OF_LISTS[name]
        )
    if given.get("own"):
        given["own"] = tuple(find(name) for name in given["own"])
        if "kinds" not in data:
            kinds = given.get("kinds", WHOLE)
            given["kinds"] = tuple(dict.fromkeys((*kinds, "devices")))
    return given


def read_have(path: Path) -> Have:
    """Read a file that says what there is, TOML or JSON.

    Raises
    ------
    BadInput
        If it cannot be read, or what it states does not fit together.
    """
    data = read_table(path, HINT)
    with _in_file(path, "have"):
        return have_from_mapping(data, str(path))


def have_from_mapping(data: Mapping[str, Any], place: str) -> Have:
    """Make what there is of plain data.

    Raises
    ------
    BadInput
        As `read_have`.
    """
    problems = Problems(place, HINT)
    for key in data:
        problems.check(key in _HAVE_KEYS, key, None, "unknown key")
    machines = data.get("machines", machines_of_bill(data.get("bill")))
    given: dict[str, Any] = {
        "machines": machines,
        "disks": data.get("disks", machines),
        "flash_devices": data.get("flash_devices", machines if "flash" in data else 0),
        "scheme": data.get("scheme", NO_FLASH),
    }
    for key, name in (("ram", "ram_bytes"), ("flash", "flash_bytes")):
        if key in data or key == "ram":
            given[name] = _size(data.get(key), key, problems)
    for key, name in (("flash_device", "flash"), ("disk_device", "disk")):
        value = data.get(key)
        if (key in data or name == "disk") and problems.check(
            isinstance(value, str), key, value, "must name a device of the catalogue"
        ):
            given[name] = catalog.device(str(value))
    for name in ("reserved_gib", "usd_per_month", "purchase_usd"):
        if name in data:
            given[name] = _amount(data[name], name, problems)
    if "bill" in data:
        problems.check(
            isinstance(data["bill"], Mapping), "bill", None, "must be a table"
        )
        given["bill"] = data["bill"]
    problems.raise_if_any()
    return Have(**given)


def _size(value: Any, key: str, problems: Problems) -> int:
    try:
        if not isinstance(value, bool):
            size = parse_bytes(str(value), round_down=True)
            if problems.check(size > 0, key, value, "must be above 0"):
                return size
            return 1
    except BadInput:
        pass
    problems.check(False, key, value, "must be a size such as 512GiB")  # noqa: FBT003
    return 1


def _amount(value: Any, key: str, problems: Problems) -> Decimal:
    number = read_amount(value, key, problems)
    if number is None:
        return Decimal(0)
    problems.check(
        0 <= number <= _MOST_AMOUNT, key, value, "must be an amount from 0 on"
    )
    return number
