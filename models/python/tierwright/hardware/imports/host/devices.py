"""Rows of the programs: block devices, NVMe drives, memory slots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.hardware.imports.host.outputs import Output
from tierwright.hardware.imports.ledger import Ledger, Skip, shown

_EBS = "amazon elastic block store"
_NOT_DISKS = ("loop", "rom", "ram", "zram", "fd", "sr")
_MOST_DIGITS = 5
_CONTROLLER = re.compile(r"(nvme[0-9]+)n[0-9]+")
_SIZE = re.compile(r"([0-9]{1,12}) (bytes|kB|KB|KiB|MB|MiB|GB|GiB|TB|TiB)")
_UNIT = {
    "bytes": 0,
    **dict.fromkeys(("kB", "KB", "KiB"), 10),
    **dict.fromkeys(("MB", "MiB"), 20),
    **dict.fromkeys(("GB", "GiB"), 30),
    **dict.fromkeys(("TB", "TiB"), 40),
}
"""Powers of 2 of the units of dmidecode: SMBIOS counts in them, whatever they are called."""
_SPEED = re.compile(r"([0-9]{1,6}) (MT/s|MHz)")
_BITS = re.compile(r"([0-9]{1,5}) bits")
_HOLDS_NONE = ("no module installed", "not installed")
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Disk:
    """A block device of lsblk.

    Attributes
    ----------
    name, model, serial, transport : str
        As printed, blanks and underscores alike; empty where absent.
    size_bytes : int
        [bytes]
    rotates : bool or None
    """

    name: str
    model: str
    serial: str
    transport: str
    size_bytes: int
    rotates: bool | None

    @property
    def is_nvme(self) -> bool:
        """Whether it is a namespace of NVMe."""
        return self.transport == "nvme" or self.name.startswith("nvme")


@dataclass(frozen=True, slots=True)
class NvmeDrive:
    """A drive of `nvme list`.

    Attributes
    ----------
    model, serial : str
    namespaces : dict of str to int
        Name such as `nvme0n1` to its size. [bytes]
    """

    model: str
    serial: str
    namespaces: dict[str, int]


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot for a memory module.

    Attributes
    ----------
    locator : str
    size_bytes : int
        0 of an empty one. [bytes]
    kind : str
        Such as `DDR5`; empty where absent.
    speed, configured : int or None
        Rated and as it runs. [MT/s]
    part_number : str
        Carried through.
    has_ecc : bool or None
    """

    locator: str
    size_bytes: int
    kind: str = ""
    speed: int | None = None
    configured: int | None = None
    part_number: str = ""
    has_ecc: bool | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """What the board says of its memory slots together.

    Attributes
    ----------
    slots : int or None
    most_bytes : int or None
        [bytes]
    """

    slots: int | None
    most_bytes: int | None


def is_volume(model: str) -> bool:
    """Whether a model is that of a volume of a provider, which is no drive of the machine."""
    return spaced(model).lower().startswith(_EBS)


def spaced(text: str) -> str:
    """Return a model or serial with single blanks: versions of lsblk print underscores in their place."""
    return " ".join(text.replace("_", " ").split())


def disks_of(output: Output, ledger: Ledger) -> Iterator[Disk]:
    """Read `lsblk -J`: numbers, and the texts of numbers that older versions print."""
    listed = output.content["blockdevices"]
    if not isinstance(listed, list):
        ledger.skip(f"{output.place}: blockdevices", "is not a list")
        return
    for at, entry in enumerate(listed):
        stated = entry if isinstance(entry, dict) else {}
        name = _text(stated, "name").removeprefix("/dev/")
        row = f"{output.place}: {name or at}"
        try:
            yield _disk(entry, name)
        except Skip as left_out:
            ledger.skip(row, left_out.reason)
        else:
            ledger.take("", "size of lsblk", "bytes")


def _disk(entry: Any, name: str) -> Disk:
    if not isinstance(entry, dict) or not name:
        raise Skip("is not a block device with a name")
    kind = _text(entry, "type")
    if kind and kind != "disk":
        raise Skip(f"is of type `{shown(kind)}`, not a disk")
    if name.startswith(_NOT_DISKS):
        raise Skip("is memory or another device that holds no data for long")
    transport = _text(entry, "tran").lower()
    if transport == "usb":
        raise Skip("is on USB")
    return Disk(
        name,
        spaced(_text(entry, "model")),
        _text(entry, "serial").strip(),
        transport,
        _size_of(entry),
        _rotates(entry),
    )


def _size_of(entry: Mapping[str, Any]) -> int:
    value = entry.get("size")
    text = str(value).strip() if isinstance(value, (str, int)) else ""
    if isinstance(value, bool) or not text:
        raise Skip("states no size")
    if not text.isascii() or not text.isdecimal():
        raise Skip(f"size `{shown(text)}` is rounded: lsblk states bytes with -b alone")
    if len(text) > len(str(_LARGEST)) or int(text) >= _LARGEST:
        raise Skip(f"size `{shown(text)}` is larger than any device")
    if not int(text):
        raise Skip("has no medium: its size is 0")
    return int(text)


def _rotates(entry: Mapping[str, Any]) -> bool | None:
    value = entry.get("rota")
    if isinstance(value, bool):
        return value
    return {"1": True, "0": False}.get(str(value).strip())


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def nvme_of(output: Output, ledger: Ledger) -> Iterator[NvmeDrive]:
    """Read `nvme list -o json`: flat up to nvme-cli 2.10, by subsystems and controllers from 2.11 on."""
    listed = output.content["Devices"]
    if not isinstance(listed, list):
        ledger.skip(f"{output.place}: Devices", "is not a list")
        return
    found: dict[tuple[Any, ...], NvmeDrive] = {}
    for at, each in enumerate(_namespaces(listed)):
        row = f"{output.place}: {each.name or at}"
        if not each.name:
            ledger.skip(row, "is not a namespace with a name")
            continue
        if (
            not isinstance(each.size, int)
            or isinstance(each.size, bool)
            or not 0 < each.size < _LARGEST
        ):
            ledger.skip(
                row, f"`PhysicalSize` is `{shown(each.size)}`, not a size in bytes"
            )
            continue
        ledger.take(
            "",
            "PhysicalSize",
            "bytes of the namespace, which may be less than its drive has",
        )
        drive = found.setdefault(each.drive, NvmeDrive(each.model, each.serial, {}))
        drive.namespaces[each.name] = each.size
    yield from found.values()


def controller_of(name: str) -> str:
    """Return the controller of a namespace, `nvme0` of `nvme0n1`; any other name as it is."""
    found = _CONTROLLER.fullmatch(name)
    return name if found is None else found[1]


@dataclass(frozen=True, slots=True)
class _Namespace:
    """A namespace as it is listed; `drive` is the same of those that are known to be of one drive."""

    drive: tuple[Any, ...]
    model: str
    serial: str
    name: str
    size: Any


def _namespaces(listed: list[Any]) -> Iterator[_Namespace]:
    """Yield each namespace, whatever the form.

    A serial number alone makes no drive of two: only the subsystem says that controllers share one. The flat form has
    none, so there it is the controller.
    """
    for at, device in enumerate(listed):
        if not isinstance(device, dict):
            yield _namespace(None, {}, ())
            continue
        if not isinstance(device.get("Subsystems"), list):
            yield _namespace(device, device, ())
            continue
        for number, system in enumerate(device["Subsystems"]):
            if not isinstance(system, dict):
                continue
            key = (at, number)
            controllers = [
                each for each in _list(system, "Controllers") if isinstance(each, dict)
            ]
            for controller in controllers:
                for each in _list(controller, "Namespaces"):
                    yield _namespace(each, controller, key)
            # With several paths the namespaces stand beside the controllers.
            for each in _list(system, "Namespaces"):
                yield _namespace(each, controllers[0] if controllers else {}, key)


def _namespace(
    entry: Any, controller: Mapping[str, Any], system: tuple[int, ...]
) -> _Namespace:
    if not isinstance(entry, dict):
        return _Namespace((), "", "", "", None)
    stated = entry.get("DevicePath")
    if not isinstance(stated, str):
        stated = entry.get("NameSpace")
    name = stated.removeprefix("/dev/") if isinstance(stated, str) else ""
    serial = _text(controller, "SerialNumber").strip()
    return _Namespace(
        (system or controller_of(name), serial or name),
        spaced(_text(controller, "ModelNumber")),
        serial,
        name,
        entry.get("PhysicalSize"),
    )


def _list(entry: Mapping[str, Any], key: str) -> list[Any]:
    value = entry.get(key)
    return value if isinstance(value, list) else []


def memory_of(output: Output, ledger: Ledger) -> tuple[list[Slot], list[Array]]:
    """Read `dmidecode -t memory` or `-t 17`: a slot each, also the empty ones, and the arrays that hold them."""
    slots, arrays = [], []
    for kind, fields in _tables(output.content):
        if kind == "Memory Device":
            row = f"{output.place}: {fields.get('Locator') or 'Memory Device'}"
            try:
                slots.append(_slot(fields))
            except Skip as left_out:
                ledger.skip(row, left_out.reason)
            else:
                unit = fields.get("Size", "").rpartition(" ")[2]
                power = _UNIT.get(unit)
                ledger.take(
                    "",
                    "" if power is None else f"{unit} of dmidecode",
                    "" if power is None else f"2^{power} bytes",
                )
        elif kind == "Physical Memory Array" and (
            fields.get("Use", "System Memory") == "System Memory"
        ):
            count = fields.get("Number Of Devices", "")
            size = _SIZE.fullmatch(fields.get("Maximum Capacity", ""))
            arrays.append(
                Array(
                    int(count)
                    if count.isascii()
                    and count.isdecimal()
                    and len(count) <= _MOST_DIGITS
                    else None,
                    None if size is None else int(size[1]) << _UNIT[size[2]],
                )
            )
    return slots, arrays


def _tables(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the title and the fields of each table of DMI."""
    title = ""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("Handle "):
            if title:
                yield title, fields
            title, fields = "", {}
        elif line and not line[0].isspace():
            title = title or line.strip()
        elif ":" in line:
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), value.strip())
    if title:
        yield title, fields


def _slot(fields: Mapping[str, str]) -> Slot:
    size, locator = fields.get("Size", ""), fields.get("Locator", "")
    if fields.get("Type", "") == "Flash":
        raise Skip("is flash memory of the firmware")
    volatile = fields.get("Volatile Size", "").lower()
    if volatile == "none" or (
        not volatile and "non-volatile" in fields.get("Type", "").lower()
    ):
        raise Skip("keeps its content without power, so it is no RAM")
    if size.lower() in _HOLDS_NONE:
        return Slot(locator, 0)
    found = _SIZE.fullmatch(size)
    if found is None:
        raise Skip(
            f"size `{shown(size)}` is not a number with a unit"
            if size
            else "states no size"
        )
    total, data = (
        _number(_BITS, fields.get(name, "")) for name in ("Total Width", "Data Width")
    )
    return Slot(
        locator,
        int(found[1]) << _UNIT[found[2]],
        fields.get("Type", ""),
        _number(_SPEED, fields.get("Speed", "")),
        _number(
            _SPEED,
            fields.get("Configured Memory Speed")
            or fields.get("Configured Clock Speed")
            or "",
        ),
        fields.get("Part Number", ""),
        None if total is None or data is None else total > data,
    )


def _number(form: re.Pattern[str], text: str) -> int | None:
    found = form.fullmatch(text)
    return None if found is None else int(found[1])
