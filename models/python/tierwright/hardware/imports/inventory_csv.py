"""Inventories as a table: a line of it is memory, drives or both of one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import listed
from tierwright.hardware.imports import values
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns, Table
from tierwright.hardware.imports.host.devices import Array, Slot, spaced
from tierwright.hardware.imports.host.inventory import Inventory, inventory_from
from tierwright.hardware.imports.host.machine import Doubts, Drive, Machine
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.sizes import bytes_of
from tierwright.hardware.imports.source import Source

FORMAT = "csv"
VERSION = "1"
FIELDS = (
    "host",
    "ram",
    "module",
    "modules",
    "memory_unit",
    "memory_kind",
    "slots",
    "bays",
    "drive",
    "drives",
    "drive_size",
    "drive_unit",
    "drive_kind",
    "life_left_percent",
    "part_number",
)
REQUIRED = ("host",)
TABLE = Table(FIELDS, REQUIRED)
KINDS = ("nvme", "sata_ssd", "ssd", "hdd")
MOST_MACHINES = 10_000
MOST_PIECES = 1000
"""Most modules, drives, slots or bays of a line."""
_HOLDS = ("ram", "module", "drive")
_WHOLE_LIFE = 100


@dataclass(slots=True)
class _Host:
    """What the lines of one machine state so far."""

    stated: dict[str, int] = field(default_factory=dict)
    """RAM, slots and bays, each stated once or always the same."""
    slots: list[Slot] = field(default_factory=list)
    drives: list[Drive] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Line:
    """What one line states of its machine."""

    host: str
    stated: Mapping[str, int]
    slots: tuple[Slot, ...]
    drives: tuple[Drive, ...]
    units: tuple[tuple[str, str], ...]


def recognises(head: bytes) -> bool:
    """Say whether a file begins with the names of our columns."""
    return any(Table(FIELDS, (*REQUIRED, each)).recognises(head) for each in _HOLDS)


def read_stream(source: Source, columns: Columns = NO_COLUMNS) -> Inventory:
    """Read the lines of a table; rows are counted as lines of the file, so the first is 2.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8 text, not a table, lacks a required column, has no rows or too many machines.
    """
    ledger, doubts = Ledger(), Doubts()
    ledger.format_version = VERSION
    hosts: dict[str, _Host] = {}
    for row, fields in TABLE.rows(source, ledger, columns):
        try:
            if isinstance(fields, Skip):
                raise fields
            line = _line(row, fields)
            _check_stated(hosts.get(line.host), line)
        except Skip as left_out:
            ledger.skip(row, left_out.reason)
            continue
        ledger.take("", "", "")
        for printed, understood in line.units:
            ledger.note_unit(printed, understood)
        found = hosts.setdefault(line.host, _Host())
        found.stated.update(line.stated)
        found.slots += line.slots
        found.drives += line.drives
        if len(hosts) > MOST_MACHINES:
            raise BadInput(
                f"{source.place}: has more than {MOST_MACHINES:,} machines",
                "import it in parts",
            )
    if not ledger.read:
        raise BadInput(f"{source.place}: has no rows of machines", "check the file")
    machines = [_machine(name, found, doubts) for name, found in hosts.items()]
    return inventory_from(machines, ledger, doubts, source.content_id(), FORMAT)


def _check_stated(found: _Host | None, line: _Line) -> None:
    """Refuse a line that says another RAM, slots or bays of its machine than one before.

    Raises
    ------
    Skip
        If it does.
    """
    before = {} if found is None else found.stated
    for name, value in line.stated.items():
        if before.get(name, value) != value:
            raise Skip(
                f"{name} of `{shown(line.host)}` is {value:,} here and {before[name]:,} in a line before"
            )


def _line(row: Row, fields: Mapping[str, str]) -> _Line:
    """Return what a line states.

    Raises
    ------
    Skip
        If a text is not what its field must be, or the line states nothing of its machine.
    """
    text = {name: fields.get(name, "").strip() for name in FIELDS}
    if not text["host"]:
        raise Skip("no host is stated")
    units: list[tuple[str, str]] = []
    stated = {
        name: count
        for name in ("slots", "bays")
        if (count := _count(text[name], name)) is not None
    }
    if text["ram"]:
        stated["ram"] = bytes_of(text["ram"], text["memory_unit"], "ram", units)
    slots = _modules(text, units)
    drives = _drives(row, text, units)
    if not stated and not slots and not drives:
        raise Skip("neither memory nor a drive is stated")
    return _Line(text["host"], stated, slots, drives, tuple(units))


def _modules(text: Mapping[str, str], units: list[tuple[str, str]]) -> tuple[Slot, ...]:
    if not text["module"]:
        if text["modules"]:
            raise Skip("modules are counted, but the size of one is not stated")
        return ()
    size = bytes_of(text["module"], text["memory_unit"], "module", units)
    count = _count(text["modules"], "modules")
    number = "" if text["drive"] or text["drive_size"] else text["part_number"]
    slot = Slot("", size, text["memory_kind"], part_number=number)
    return (slot,) * (1 if count is None else count)


def _drives(
    row: Row, text: Mapping[str, str], units: list[tuple[str, str]]
) -> tuple[Drive, ...]:
    model, size = spaced(text["drive"]), text["drive_size"]
    if not model and not size:
        if text["drives"] or text["life_left_percent"] or text["drive_kind"]:
            raise Skip("neither the model nor the size of a drive is stated")
        return ()
    if not size:
        raise Skip("no drive_size is stated")
    kind = text["drive_kind"].lower()
    if kind and kind not in KINDS:
        raise Skip(f"drive_kind `{shown(kind)}` is not one of {listed(KINDS)}")
    held = bytes_of(size, text["drive_unit"], "drive", units)
    life = text["life_left_percent"]
    left = float(values.number(life, "life_left_percent")) if life else None
    if left is not None and left > _WHOLE_LIFE:
        raise Skip(f"life_left_percent `{shown(life)}` is above {_WHOLE_LIFE}")
    count = _count(text["drives"], "drives")
    return tuple(
        Drive(f"line {row}, drive {at}", model, kind, held, held, left)
        for at in range(1, 1 + (1 if count is None else count))
    )


def _count(text: str, name: str) -> int | None:
    found = values.whole(text, name)
    if found is not None and found > MOST_PIECES:
        raise Skip(f"{name} is {found:,}, more than {MOST_PIECES:,}")
    return found


def _machine(name: str, found: _Host, doubts: Doubts) -> Machine:
    ram, slots, bays = (found.stated.get(each) for each in ("ram", "slots", "bays"))
    sockets = list(found.slots)
    if slots is not None and sockets:
        # Also the empty ones; where more modules are listed, both counts stand.
        sockets += [Slot("", 0)] * max(0, slots - len(sockets))
        if len(found.slots) > slots:
            doubts.add("slots_differ", f"{name}: {slots:,} and {len(found.slots):,}")
    if bays is not None and len(found.drives) > bays:
        doubts.add(
            "more_drives_than_bays", f"{name}: {len(found.drives):,} in {bays:,}"
        )
        bays = None
    of_modules = sum(each.size_bytes for each in sockets)
    if ram is not None and sockets and ram != of_modules:
        doubts.add(
            "ram_differs",
            f"{name}: {format_bytes(of_modules)} and {format_bytes(ram)}",
        )
    for each in found.drives:
        if not each.kind:
            doubts.add("drive_kinds_not_stated", f"{name}, {each.name}")
        if each.kind not in ("", "hdd") and each.life_left_percent is None:
            doubts.add("drive_lives_not_stated", f"{name}, {each.name}")
    if found.drives and bays is None:
        doubts.add("bays_not_stated", name)
    return Machine(
        name,
        tuple(sockets),
        () if slots is None else (Array(slots, None),),
        tuple(found.drives),
        (),
        frozenset(),
        bays,
        ram if sockets else None,
        stated_bytes=None if sockets else ram,
        lists_empty_slots=slots is not None,
    )
