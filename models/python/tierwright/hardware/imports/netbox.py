"""NetBox: saved answers of its REST API and exports of its tables, as machines with their modules and inventory items.

An object of an answer is known by its `url`, a table by its columns. NetBox states no capacity by itself: a module type
has attributes, whose names and units are those of the profile that the instance defines, an inventory item custom fields.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tierwright.common.documents import parse_json, text_of
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
from tierwright.hardware.imports.columns import Columns
from tierwright.hardware.imports.host.devices import Slot, spaced
from tierwright.hardware.imports.host.inventory import (
    MOST_BYTES,
    Inventory,
    inventory_from,
)
from tierwright.hardware.imports.host.machine import (
    Doubts,
    Drive,
    Machine,
    doubt_serial,
)
from tierwright.hardware.imports.host.outputs import parts_of
from tierwright.hardware.imports.ledger import Ledger, Skip, shown
from tierwright.hardware.imports.sizes import bytes_of
from tierwright.hardware.imports.source import Source

FORMAT = "netbox"
FIELDS = ("size", "memory_profile", "drive_profile", "memory_unit", "drive_unit")
"""What may be stated of an instance: the attribute or custom field with the size; by value all others."""
MOST_FILES = 10_000
"""Most files of a folder."""
MOST_FOLDER_BYTES = 2**28
"""Most bytes of all files of a folder. [bytes]"""
_MEMORY, _DRIVE = "Memory", "Hard disk"
"""Profiles that NetBox ships; case is ignored."""
_READ = (
    *("devices", "modules", "module-types", "module-type-profiles"),
    *("module-bays", "inventory-items"),
)
_URL = re.compile(r"/api/dcim/([a-z-]{1,40})/([0-9]{1,12})/?$")
_TABLES = (
    ("modules", {"device", "module type"}),
    ("inventory-items", {"device", "name", "part id"}),
    ("module-types", {"module type", "profile"}),
    ("devices", {"name", "role", "type"}),
)
"""Tables by the columns that tell them apart, the most exact first."""
_UNIT = re.compile(r"\(([KMGTP]i?B|B)\)\s*$")
_PAIR = re.compile(r"<br ?/?>|\n")
_NOT_THERE = ("planned", "failed")
_KINDS = {"hd": "hdd", "hdd": "hdd", "ssd": "ssd", "nvme": "nvme"}
_HINT = "save the answers of devices, modules, module-types and module-type-profiles as they are"
_LARGEST = 2**31
_MOST_DEPTH = 8

Thing = Mapping[str, Any]


@dataclass(slots=True)
class _Saved:
    """The objects of one instance, of each kind by their place."""

    of: dict[str, dict[str, Thing]] = field(
        default_factory=lambda: {kind: {} for kind in _READ}
    )
    is_cut: bool = False
    """Whether an answer names a next page."""

    def add(self, kind: str, row: str, thing: Thing, place: str) -> None:
        """Keep an object; the same one twice is one.

        Raises
        ------
        BadInput
            If there is another one of its place.
        """
        if kind not in self.of:
            return
        if self.of[kind].setdefault(row, thing) != thing:
            raise BadInput(
                f"{place}: has `{shown(row)}` twice, and they differ",
                "save the answers of one instance at one time",
            )


@dataclass(frozen=True, slots=True)
class _Type:
    """What is known of a module type, or of the role of an inventory item."""

    model: str
    part_number: str
    profile: str
    stated: Mapping[str, Any]
    """Its attributes, or custom fields."""
    titles: Mapping[str, str]
    """What the profile calls them, with their units."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the user states of the instance."""

    size: str
    memory: str
    drive: str
    units: Mapping[str, str]

    @classmethod
    def of(cls, columns: Columns) -> _Asked:
        """Read what was stated.

        Raises
        ------
        BadInput
            If it is not a field, or stated the wrong way.
        """
        columns.check(FIELDS)
        for name in FIELDS:
            if name in (columns.values if name == "size" else columns.names):
                how = "the name of a field" if name == "size" else "a value"
                raise BadInput(
                    f"{columns.mark}: `{name}` is stated the wrong way: it is {how}",
                    "state `size` as a column, and all others as values",
                )
        values = columns.values
        return cls(
            columns.names.get("size", "size"),
            values.get("memory_profile", _MEMORY).casefold(),
            values.get("drive_profile", _DRIVE).casefold(),
            {
                name: values.get(f"{name}_unit", "").strip()
                for name in ("memory", "drive")
            },
        )


def recognises(head: bytes) -> bool:
    """Say whether a file begins with an answer of NetBox, or with the columns of one of its tables."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text.startswith(("{", "[")):
        return "/api/dcim/" in text
    kind = _table_of(_cells(text.partition("\n")[0]))
    # Names of devices and columns of types alone may be those of any table.
    return kind in ("modules", "inventory-items")


def read_stream(source: Source, columns: Columns) -> Inventory:
    """Read one file: answers one behind the other, in a list or in an object, or one table.

    Raises
    ------
    BadInput
        If it is too large, neither, has two objects of one id, or nothing that is read.
    """
    asked = _Asked.of(columns)
    saved = _Saved()
    _add_text(saved, source.text(MOST_BYTES), source.place, "line ")
    return _inventory(saved, asked, source.content_id(), source.place)


def read_folder(folder: Path, place: str, columns: Columns) -> Inventory:
    """Read all files of a folder that end in `.json` or `.csv`, however deep.

    Raises
    ------
    BadInput
        As `read_stream`; or if it has too many files.
    """
    asked = _Asked.of(columns)
    paths = sorted(
        each
        for each in folder.rglob("*")
        if each.suffix in (".json", ".csv") and each.is_file()
    )
    if len(paths) > MOST_FILES:
        raise BadInput(
            f"{place}: has {counted(len(paths), 'file')}, more than {MOST_FILES:,}",
            "import it in parts",
        )
    content, left, saved = hashlib.sha256(), MOST_FOLDER_BYTES, _Saved()
    for path in paths:
        name = str(path.relative_to(folder))
        with path.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
        left -= len(raw)
        if left < 0:
            raise BadInput(
                f"{place}: its files have more than {format_bytes(MOST_FOLDER_BYTES)}",
                "import it in parts",
            )
        content.update(f"{name}\0{len(raw)}\0".encode())
        content.update(raw)
        _add_text(saved, text_of(raw, name, MOST_BYTES), name, f"{name}: line ")
    return _inventory(saved, asked, content.hexdigest(), place)


def _add_text(saved: _Saved, text: str, place: str, line: str) -> None:
    first = text.lstrip()[:1]
    if first == "[":
        _add(saved, parse_json(text, place, _HINT), place)
    elif first == "{":
        for part in parts_of(text, place):
            if isinstance(part, str):
                raise BadInput(f"{place}: has a text between its answers", _HINT)
            _add(saved, part, place)
    else:
        _add_table(saved, text, place, line)


def _add(saved: _Saved, value: Any, place: str, depth: int = 0) -> None:
    """Keep the objects of an answer, of a list, or of an object of answers."""
    if depth > _MOST_DEPTH:
        raise BadInput(f"{place}: is nested deeper than any answer of NetBox", _HINT)
    if isinstance(value, list):
        for each in value:
            _add(saved, each, place, depth + 1)
    elif isinstance(value, Mapping):
        found = _URL.search(_text(value, "url"))
        if found is not None:
            saved.add(found[1], f"{found[1]}/{int(found[2])}", value, place)
            return
        saved.is_cut = saved.is_cut or bool(_text(value, "next"))
        for each in value.values():
            if isinstance(each, (Mapping, list)):
                _add(saved, each, place, depth + 1)


def _cells(line: str) -> list[str]:
    try:
        cells = next(csv.reader([line.strip("\r\n")]), [])
    except csv.Error:
        return []
    return [each.strip().lower() for each in cells]


def _table_of(names: list[str]) -> str:
    return next((kind for kind, wanted in _TABLES if wanted <= set(names)), "")


def _add_table(saved: _Saved, text: str, place: str, line: str) -> None:
    """Keep the rows of an exported table as objects, as the answers have them."""
    names = _cells(text.partition("\n")[0])
    kind = _table_of(names)
    if not kind:
        raise BadInput(
            f"{place}: is neither an answer of NetBox nor one of its tables",
            "export modules with the columns Device and Module Type, and module types with Profile and Attributes",
        )
    table = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        next(table)
        for cells in table:
            if len(cells) != len(names):
                thing: Thing = {"cells": len(cells), "wanted": len(names)}
            else:
                thing = _thing(kind, dict(zip(names, cells, strict=True)))
            saved.add(kind, f"{line}{table.line_num}", thing, place)
    except csv.Error as error:
        raise BadInput(
            f"{place}: line {table.line_num}: not a table: {error}",
            "export it from NetBox again, as CSV",
        ) from error


def _thing(kind: str, row: Mapping[str, str]) -> Thing:
    """Return a row of a table as the object of an answer; all its cells are custom fields too."""
    cell = {name: text.strip() for name, text in row.items()}
    device = {"name": cell.get("device", "")}
    maker, status = {"name": cell.get("manufacturer", "")}, cell.get("status", "")
    shared = {"status": {"value": status.lower()}, "custom_fields": cell}
    serial = {"serial": cell.get("serial number") or cell.get("serial", "")}
    if kind == "devices":
        return {"name": cell["name"], **shared}
    if kind == "inventory-items":
        role = {"name": cell.get("role", "")}
        item = {"name": cell["name"], "part_id": cell["part id"], "role": role}
        return {"device": device, **item, **serial, **shared}
    kept: dict[str, Any] = {"model": cell["module type"], "manufacturer": maker}
    if "profile" in cell:
        kept["profile"] = {"name": cell["profile"]}
    if kind == "modules":
        return {"device": device, "module_type": kept, **serial, **shared}
    number = {"part_number": cell.get("part number", "")}
    return {**kept, **number, **shared, "attributes": _pairs(cell.get("attributes"))}


def _pairs(text: str | None) -> dict[str, str]:
    """Return attributes as a table prints them: `title: value`, one behind the other."""
    found = {}
    for each in _PAIR.split(text or ""):
        name, mark, value = each.partition(":")
        if mark:
            found[name.strip()] = value.strip()
    return found


def _inventory(saved: _Saved, asked: _Asked, content_id: str, place: str) -> Inventory:
    ledger, doubts = Ledger(), Doubts()
    if not any(saved.of[kind] for kind in ("devices", "modules", "inventory-items")):
        raise BadInput(f"{place}: has no device, module or inventory item", _HINT)
    if saved.is_cut:
        ledger.warn(
            "more_pages",
            "An answer names a next page: not all objects may be saved.",
            "ask NetBox with `limit=0`, or save every page",
        )
    held = _held(saved, asked, ledger)
    machines = list(_machines(saved, held, ledger, doubts))
    empty = sum(
        1
        for bay in saved.of["module-bays"].values()
        if bay.get("installed_module", True) is None
    )
    if empty:
        doubts.add("bays_of_no_purpose", counted(empty, "module bay"))
    return inventory_from(machines, ledger, doubts, content_id, FORMAT)


_Held = dict[str, list[tuple[Slot | Drive, str]]]


def _held(saved: _Saved, asked: _Asked, ledger: Ledger) -> _Held:
    """Return the memory and the drives of each device, with their serial numbers."""
    types = _types_of(saved)
    gone = {
        _key(device): _status(device)
        for device in saved.of["devices"].values()
        if _status(device) in _NOT_THERE
    }
    found: _Held = {}
    for kind in ("modules", "inventory-items"):
        for row, thing in saved.of[kind].items():
            try:
                key = _device_of(thing, gone)
                is_module = kind == "modules"
                of = _type_of(thing, types, saved) if is_module else _item(thing)
                made = _made(row, of, asked, ledger)
            except Skip as left_out:
                ledger.skip(row, left_out.reason)
                continue
            ledger.take("", "", "")
            found.setdefault(key, []).append((made, spaced(_text(thing, "serial"))))
    return found


def _device_of(thing: Thing, gone: Mapping[str, str]) -> str:
    """Return the device that a module or an item is in.

    Raises
    ------
    Skip
        If it is in none, or it or the device is not there.
    """
    _check_row(thing)
    device = thing.get("device")
    key = _key(device if isinstance(device, Mapping) else {})
    if not key:
        raise Skip("no device is stated")
    if key in gone:
        raise Skip(f"its device has the status `{gone[key]}`")
    return key


def _check_row(thing: Thing) -> None:
    """Refuse a row of a table with another number of cells, and what is not there.

    Raises
    ------
    Skip
        If it is one.
    """
    if "cells" in thing:
        raise Skip(
            f"the line has {counted(thing['cells'], 'cell')}, the header {thing['wanted']}"
        )
    if _status(thing) in _NOT_THERE:
        raise Skip(f"has the status `{_status(thing)}`")


def _types_of(saved: _Saved) -> dict[Any, Thing]:
    """Return the module types by their id, and those of tables by manufacturer and model."""
    found: dict[Any, Thing] = {}
    for each in saved.of["module-types"].values():
        found[_maker(each), _text(each, "model")] = each
        if isinstance(each.get("id"), int):
            found[each["id"]] = each
    return found


def _type_of(module: Thing, types: Mapping[Any, Thing], saved: _Saved) -> _Type:
    """Return what is known of the type of a module.

    Raises
    ------
    Skip
        If its type was not saved, or has no profile.
    """
    brief = module.get("module_type")
    brief = brief if isinstance(brief, Mapping) else {}
    named = _maker(brief), _text(brief, "model")
    whole = types.get(brief.get("id")) if isinstance(brief.get("id"), int) else None
    whole = whole or types.get(named) or {}
    both = {**brief, **whole}
    model = _text(both, "model") or _text(both, "display")
    profile = both.get("profile")
    profile = profile if isinstance(profile, Mapping) else {}
    name = _text(profile, "name")
    if not name and not whole and "profile" not in brief:
        raise Skip(f"its module type `{shown(model)}` was not saved")
    if not name:
        raise Skip(
            f"its module type `{shown(model)}` has no profile, so nothing states what it is"
        )
    stated = both.get("attributes", both.get("attribute_data"))
    own = module.get("custom_fields")
    return _Type(
        spaced(model),
        _text(both, "part_number").strip(),
        name,
        {
            **(own if isinstance(own, Mapping) else {}),
            **(stated if isinstance(stated, Mapping) else {}),
        },
        _titles(profile, saved),
    )


def _titles(profile: Thing, saved: _Saved) -> dict[str, str]:
    """Return what the schema of a profile calls its attributes."""
    at = profile.get("id")
    whole = saved.of["module-type-profiles"].get(f"module-type-profiles/{at}", profile)
    schema = whole.get("schema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    return {
        str(name): _text(each, "title")
        for name, each in properties.items()
        if isinstance(each, Mapping)
    }


def _item(item: Thing) -> _Type:
    """Return what an inventory item states: its role is what a profile is of a module.

    Raises
    ------
    Skip
        If it has no role.
    """
    role = _text(item.get("role"), "name")
    if not role:
        raise Skip("is an inventory item without a role, so nothing states what it is")
    fields = item.get("custom_fields")
    number = _text(item, "part_id").strip()
    return _Type(
        spaced(number or _text(item, "name")),
        number,
        role,
        fields if isinstance(fields, Mapping) else {},
        {},
    )


def _made(row: str, of: _Type, asked: _Asked, ledger: Ledger) -> Slot | Drive:
    """Return a memory module or a drive.

    Raises
    ------
    Skip
        If it is neither, or its size or the unit of it is not stated.
    """
    profile = of.profile.casefold()
    if profile not in (asked.memory, asked.drive):
        raise Skip(f"is of `{shown(of.profile)}`, neither memory nor a drive")
    what = "memory" if profile == asked.memory else "drive"
    held = _size(of, what, asked, ledger)
    if what == "memory":
        ecc, speed = _stated(of, "ecc"), _stated(of, "data_rate")
        return Slot(
            row,
            held,
            _word(_stated(of, "class")),
            _whole(speed),
            None,
            of.part_number or of.model,
            _flag(ecc),
        )
    kind = _KINDS.get(_word(_stated(of, "type")).lower(), "")
    return Drive(row, of.model, kind, held, held, None)


def _size(of: _Type, what: str, asked: _Asked, ledger: Ledger) -> int:
    """Return the size that a type states, and note its unit.

    Raises
    ------
    Skip
        If it states none, or not the unit.
    """
    name, value = _field(of, asked.size)
    text = _word(value)
    if not text:
        raise Skip(f"states no `{shown(asked.size)}`")
    title = of.titles.get(asked.size, name)
    own = _UNIT.search(title)
    unit = asked.units[what] or (own[1] if own is not None else "")
    noted: list[tuple[str, str]] = []
    try:
        held = bytes_of(text, unit, what, noted)
    except Skip as left_out:
        if unit and not asked.units[what]:
            raise Skip(
                f"{left_out.reason}; its profile says `{shown(title)}`, and `{what}_unit` can be stated"
            ) from None
        raise
    for printed, understood in noted:
        if own is not None and asked.units[what]:
            ledger.note_unit(title, f"{understood}: {printed} was stated")
        else:
            ledger.note_unit(title if own is not None else printed, understood)
    return held


def _field(of: _Type, name: str) -> tuple[str, Any]:
    """Find an attribute by its name, or by its title with a unit behind it, as tables print it; case is ignored."""
    wanted = name.casefold()
    for key, value in of.stated.items():
        if str(key).casefold() == wanted:
            return str(key), value
    for key, value in of.stated.items():
        if _UNIT.sub("", str(key)).strip().casefold() == wanted:
            return str(key), value
    return name, None


def _stated(of: _Type, name: str) -> Any:
    """Return an attribute by its name, or by what the shipped profiles call it in a table."""
    for each in (name, _TITLES.get(name, name)):
        if (value := _field(of, each)[1]) is not None:
            return value
    return None


_TITLES = {"class": "Memory class", "data_rate": "Data rate", "type": "Disk type"}


def _machines(
    saved: _Saved, held: _Held, ledger: Ledger, doubts: Doubts
) -> Iterator[Machine]:
    names: dict[str, str] = {}
    for kind in ("devices", "modules", "inventory-items"):
        for thing in saved.of[kind].values():
            device = thing if kind == "devices" else thing.get("device")
            if isinstance(device, Mapping) and (key := _key(device)):
                names.setdefault(key, _named(device) or key)
    for row, device in saved.of["devices"].items():
        try:
            _check_row(device)
        except Skip as left_out:
            ledger.skip(row, left_out.reason)
            continue
        if _key(device) in held:
            ledger.take("", "", "")
        else:
            ledger.skip(row, "nothing that was read states its memory or its drives")
    uses = Counter(names[key] for key in held)
    for key, pieces in held.items():
        name = names[key] if uses[names[key]] == 1 else f"{names[key]} ({key})"
        slots = tuple(each for each, _ in pieces if isinstance(each, Slot))
        drives = [(each, at) for each, at in pieces if isinstance(each, Drive)]
        _doubt(name, slots, drives, doubts)
        yield Machine(
            name,
            slots,
            (),
            tuple(each for each, _ in drives),
            (),
            frozenset((FORMAT,)),
            lists_empty_slots=False,
        )


def _doubt(
    name: str,
    slots: tuple[Slot, ...],
    drives: list[tuple[Drive, str]],
    doubts: Doubts,
) -> None:
    if not slots:
        doubts.add("memory_not_in_netbox", name)
    by_serial: dict[str, list[Drive]] = {}
    for drive, serial in drives:
        if serial:
            by_serial.setdefault(serial, []).append(drive)
        if not drive.kind:
            doubts.add("disk_types_not_stated", f"{name}, {drive.name}")
        elif drive.kind != "hdd":
            doubts.add("lives_not_in_netbox", f"{name}, {drive.name}")
    for serial, twice in by_serial.items():
        if len(twice) > 1:
            doubt_serial(name, serial, twice, doubts)
    doubts.add("bays_not_stated", name)


def _key(device: Thing) -> str:
    """Return what a device is told by: its id in answers, its name in tables."""
    at = device.get("id")
    if isinstance(at, int) and not isinstance(at, bool):
        return f"devices/{at}"
    return _text(device, "name")


def _named(device: Thing) -> str:
    return _text(device, "name") or _text(device, "display")


def _status(thing: Thing) -> str:
    return _text(thing.get("status"), "value")


def _maker(of: Thing) -> str:
    return _text(of.get("manufacturer"), "name")


def _text(thing: Any, key: str) -> str:
    value = thing.get(key) if isinstance(thing, Mapping) else None
    return value if isinstance(value, str) else ""


def _word(value: Any) -> str:
    """Return a text, or a number as a text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value).strip()


def _whole(value: Any) -> int | None:
    text = _word(value)
    known = text.isascii() and text.isdecimal() and len(text) < len(str(_LARGEST))
    return int(text) or None if known else None


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(_word(value).lower())
