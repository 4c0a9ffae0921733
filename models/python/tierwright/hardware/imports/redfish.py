"""Redfish: saved answers of a service, one file each or one behind the other, as machines with their slots and bays.

An answer is known by its `@odata.type` and `@odata.id`; where its file is or what it is called does not matter.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tierwright.common.documents import parse_json, text_of
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
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
from tierwright.hardware.imports.source import Source

FORMAT = "redfish"
MOST_FILES = 100_000
"""Most files of a folder."""
MOST_FOLDER_BYTES = 2**28
"""Most bytes of all files of a folder. [bytes]"""
_READ = ("ServiceRoot", "ComputerSystem", "Memory", "Storage", "SimpleStorage", "Drive")
"""Resources that are read; all others say nothing of memory or drives."""
_TYPE = re.compile(r"#([A-Za-z]{1,40})\.")
_HINT = "save the answers of Systems, Memory, Storage and Drives as they are, each with its `@odata.id`"
_WHOLE_LIFE = 100
_LARGEST = 2**63
_KEEPS = ("NVDIMM", "Intel")
"""Beginnings of `MemoryType` of what keeps its content without power."""

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Service:
    """The answers of one service by their `@odata.id`; `name` is empty where there is one service only."""

    name: str
    answers: Mapping[str, Answer]

    def of(self, kind: str) -> Iterator[tuple[str, Answer]]:
        """Yield the answers of a kind with their ids."""
        for key, answer in self.answers.items():
            if _kind(answer) == kind:
                yield key, answer


def recognises(head: bytes) -> bool:
    """Say whether a file begins with an answer of Redfish."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    return text.startswith(("{", "[")) and '"@odata.' in text


def read_stream(stream: BinaryIO | Source, place: str) -> Inventory:
    """Read answers in one file: one behind the other, in a list, or in an object by the path or file of each.

    Raises
    ------
    BadInput
        If it is too large, not JSON, has two answers of one id, or no system.
    """
    source = stream if isinstance(stream, Source) else Source(stream, place)
    found: dict[str, Answer] = {}
    for answer in _answers_in(source.text(MOST_BYTES), place):
        _add(found, answer, place)
    return _inventory([_Service("", found)], source.content_id(), place)


def _answers_in(text: str, place: str) -> Iterator[Answer]:
    whole = [parse_json(text, place, _HINT)] if text.lstrip()[:1] == "[" else None
    for part in parts_of(text, place) if whole is None else whole:
        if isinstance(part, Mapping) and any(key.startswith("@odata.") for key in part):
            yield part
        elif isinstance(part, (Mapping, list)):
            inside = part.values() if isinstance(part, Mapping) else part
            yield from (each for each in inside if isinstance(each, Mapping))
        else:
            raise BadInput(f"{place}: has a text between its answers", _HINT)


def read_folder(folder: Path, place: str | None = None) -> Inventory:
    """Read all files of a folder that end in `.json`, however deep.

    Where two of its folders hold answers of the same id, each of them is a service of its own.

    Parameters
    ----------
    folder : Path
    place : str, optional
        Named in errors; the folder unless given.

    Raises
    ------
    BadInput
        As `read_stream`; or if it has too many files.
    """
    place = place or str(folder)
    paths = sorted(each for each in folder.rglob("*.json") if each.is_file())
    if len(paths) > MOST_FILES:
        raise BadInput(
            f"{place}: has {counted(len(paths), 'file')}, more than {MOST_FILES:,}",
            "import it in parts",
        )
    content = hashlib.sha256()
    left = MOST_FOLDER_BYTES
    by_top: dict[str, dict[str, Answer]] = {}
    for path in paths:
        relative = path.relative_to(folder)
        with path.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
        left -= len(raw)
        if left < 0:
            raise BadInput(
                f"{place}: its files have more than {format_bytes(MOST_FOLDER_BYTES)}",
                "import it in parts",
            )
        content.update(f"{relative}\0{len(raw)}\0".encode())
        content.update(raw)
        text = text_of(raw, str(relative), MOST_BYTES)
        answer = parse_json(text, str(relative), _HINT)
        if not isinstance(answer, Mapping):
            continue
        top = relative.parts[0] if len(relative.parts) > 1 else ""
        _add(by_top.setdefault(top, {}), answer, str(relative))
    uses = Counter(key for found in by_top.values() for key in found)
    if all(count == 1 for count in uses.values()):
        together = {key: one for found in by_top.values() for key, one in found.items()}
        services = [_Service("", together)]
    else:
        services = [_Service(name, found) for name, found in by_top.items()]
    return _inventory(services, content.hexdigest(), place)


def _add(found: dict[str, Answer], answer: Answer, place: str) -> None:
    """Keep an answer of a kind that is read; the same one twice is one."""
    key = answer.get("@odata.id")
    if _kind(answer) not in _READ or not isinstance(key, str):
        return
    key = key.rstrip("/")
    if found.get(key, answer) != answer:
        raise BadInput(
            f"{place}: is a second answer of `{shown(key)}`, and another one",
            "put the answers of each service into a folder of its own",
        )
    found[key] = answer


def _kind(answer: Answer) -> str:
    stated = answer.get("@odata.type")
    found = _TYPE.match(stated) if isinstance(stated, str) else None
    return "" if found is None else found[1]


def _inventory(services: Sequence[_Service], content_id: str, place: str) -> Inventory:
    ledger, doubts = Ledger(), Doubts()
    machines: list[Machine] = []
    for service in services:
        for _, root in service.of("ServiceRoot"):
            if version := _text(root, "RedfishVersion"):
                ledger.format_version = shown(version)
        machines += _machines(service, ledger, doubts)
    if not machines:
        raise BadInput(f"{place}: has no answer of a `ComputerSystem`", _HINT)
    return inventory_from(machines, ledger, doubts, content_id, FORMAT)


def _machines(service: _Service, ledger: Ledger, doubts: Doubts) -> Iterator[Machine]:
    systems = dict(service.of("ComputerSystem"))
    drives = dict(service.of("Drive"))
    owner = _owners(service, systems, drives, doubts)
    for key in sorted(drives.keys() - owner.keys()):
        ledger.skip(key, "is named by no system that was saved")
        doubts.add("drives_of_no_system", key)
    named = {
        key: _text(system, "HostName") or _text(system, "Id") or key
        for key, system in systems.items()
    }
    uses = Counter(named.values())
    for key, system in systems.items():
        name = named[key] if uses[named[key]] == 1 else f"{named[key]} ({key})"
        if service.name:
            name = f"{service.name}: {name}" if len(systems) > 1 else service.name
        own = {at: drives[at] for at in drives if owner.get(at) == key}
        yield _machine(name, key, system, service, own, ledger, doubts)


def _owners(
    service: _Service,
    systems: Mapping[str, Answer],
    drives: Mapping[str, Answer],
    doubts: Doubts,
) -> dict[str, str]:
    """Return the system of each drive: by its place, by the storage that names it, else the only one."""
    owner = {
        drive: system
        for drive in drives
        for system in systems
        if drive.startswith(f"{system}/")
    }
    for key, storage in service.of("Storage"):
        system = next((each for each in systems if key.startswith(f"{each}/")), None)
        named = [
            _text(each, "@odata.id").rstrip("/") for each in _list(storage, "Drives")
        ]
        lacking = sum(1 for each in named if each and each not in drives)
        if lacking:
            doubts.add("drives_not_saved", f"{key}: {counted(lacking, 'drive')}")
        if system is not None:
            for each in named:
                if each in drives:
                    owner.setdefault(each, system)
    if len(systems) == 1:
        [only] = systems
        for each in drives:
            owner.setdefault(each, only)
    return owner


def _machine(
    name: str,
    key: str,
    system: Answer,
    service: _Service,
    drives: Mapping[str, Answer],
    ledger: Ledger,
    doubts: Doubts,
) -> Machine:
    ledger.take("", "", "")
    slots = list(_taken(_under(service, key, "Memory"), _slot, ledger))
    if slots:
        ledger.note_unit("CapacityMiB", "2^20 bytes")
    bays = list(_taken(drives.items(), _drive, ledger))
    bays += _taken(_simple(name, key, service, drives, ledger, doubts), _drive, ledger)
    if bays:
        ledger.note_unit("CapacityBytes", "bytes of the drive")
    summary = _summary(system)
    _doubt_memory(name, slots, summary, doubts)
    found = [each for each, _ in bays if each is not None]
    # Without an empty one nothing says that the bays are all that there are.
    states_bays = len(found) < len(bays)
    if not states_bays:
        doubts.add("bays_not_stated", name)
    _doubt_drives(name, bays, doubts)
    return Machine(
        name,
        tuple(slots),
        (),
        tuple(sorted(found, key=lambda each: each.name)),
        (),
        frozenset((FORMAT,)),
        len(bays) if states_bays else None,
        summary,
    )


def _simple(
    name: str,
    key: str,
    service: _Service,
    drives: Mapping[str, Answer],
    ledger: Ledger,
    doubts: Doubts,
) -> Iterator[tuple[str, Answer]]:
    """Yield the devices of SimpleStorage that are not drives that were saved."""
    for at, simple in _under(service, key, "SimpleStorage"):
        for number, device in enumerate(_list(simple, "Devices")):
            row = f"{at}: {_text(device, 'Name') or number}"
            if _is_listed(device, drives.values()):
                ledger.skip(row, "is of SimpleStorage, which lists the drives again")
                continue
            if drives:
                doubts.add("simple_storage_beside_drives", f"{name}, {row}")
            yield row, device


def _doubt_memory(
    name: str, slots: Sequence[Slot], summary: int | None, doubts: Doubts
) -> None:
    held = sum(each.size_bytes for each in slots)
    if not slots:
        doubts.add("memory_not_saved", name)
    elif summary is not None and summary != held:
        doubts.add(
            "ram_summary_differs",
            f"{name}: {format_bytes(held)} of modules and {format_bytes(summary)}",
        )
    for slot in slots:
        if slot.configured and slot.speed and slot.configured < slot.speed:
            doubts.add(
                "memory_runs_slower",
                f"{name}, {slot.locator}: {slot.configured:,} MT/s of {slot.speed:,} MT/s",
            )


def _is_listed(device: Answer, drives: Iterable[Answer]) -> bool:
    """Whether a device of SimpleStorage is a drive that was saved, or an empty place beside drives."""
    saved = list(drives)
    if not saved:
        return False
    serial = spaced(_text(device, "SerialNumber"))
    model, size = spaced(_text(device, "Model")), _count(device, "CapacityBytes")
    if not size:
        return True
    return any(
        (serial and serial == spaced(_text(each, "SerialNumber")))
        or (
            model == spaced(_text(each, "Model"))
            and size == _count(each, "CapacityBytes")
        )
        for each in saved
    )


def _doubt_drives(
    name: str, bays: Iterable[tuple[Drive | None, str]], doubts: Doubts
) -> None:
    by_serial: dict[str, list[Drive]] = {}
    for drive, serial in bays:
        if drive is None:
            continue
        if serial:
            by_serial.setdefault(serial, []).append(drive)
        if not drive.kind:
            doubts.add("media_not_stated", f"{name}, {drive.name}")
        elif drive.kind != "hdd" and drive.life_left_percent is None:
            doubts.add("life_not_stated", f"{name}, {drive.name}")
    for serial, drives in by_serial.items():
        if len(drives) > 1:
            doubt_serial(name, serial, drives, doubts)


def _taken(
    rows: Iterable[tuple[str, Answer]], made: Any, ledger: Ledger
) -> Iterator[Any]:
    for row, answer in rows:
        try:
            found = made(row, answer)
        except Skip as left_out:
            ledger.skip(row, left_out.reason)
            continue
        ledger.take("", "", "")
        yield found


def _under(service: _Service, key: str, kind: str) -> Iterator[tuple[str, Answer]]:
    return (
        (at, answer)
        for at, answer in service.of(kind)
        if at.startswith(f"{key}/") and at != key
    )


def _summary(system: Answer) -> int | None:
    summary = system.get("MemorySummary")
    stated = (
        summary.get("TotalSystemMemoryGiB") if isinstance(summary, Mapping) else None
    )
    if isinstance(stated, bool) or not isinstance(stated, (int, float)):
        return None
    return round(stated * 2**30) if 0 <= stated < 2**33 else None


def _is_absent(answer: Answer) -> bool:
    status = answer.get("Status")
    return isinstance(status, Mapping) and status.get("State") == "Absent"


def _slot(row: str, answer: Answer) -> Slot:
    """Return a slot from an answer of Memory.

    Raises
    ------
    Skip
        If it is no RAM, or states no size although a module is there.
    """
    locator = _text(answer, "DeviceLocator") or _text(answer, "Name") or row
    if _is_absent(answer):
        return Slot(locator, 0)
    kind = _text(answer, "MemoryType")
    if kind.startswith(_KEEPS):
        raise Skip(
            f"is of type `{shown(kind)}`: it keeps its content without power, so it is no RAM"
        )
    size = _count(answer, "CapacityMiB")
    if not size:
        raise Skip(
            f"`CapacityMiB` is `{shown(answer.get('CapacityMiB'))}`, but the slot is not said to be empty"
        )
    correction = _text(answer, "ErrorCorrection")
    total, data = _count(answer, "BusWidthBits"), _count(answer, "DataWidthBits")
    has_ecc = None if total is None or data is None else total > data
    speeds = [each for each in _list(answer, "AllowedSpeedsMHz", int) if each > 0]
    return Slot(
        locator,
        size << 20,
        _text(answer, "MemoryDeviceType"),
        max(speeds, default=None),
        _count(answer, "OperatingSpeedMhz") or None,
        _text(answer, "PartNumber").strip(),
        correction != "NoECC" if correction else has_ecc,
    )


def _drive(row: str, answer: Answer) -> tuple[Drive | None, str]:
    """Return the drive of a bay with its serial number; no drive where the bay is empty.

    Raises
    ------
    Skip
        If a drive is there that states no size.
    """
    if _is_absent(answer):
        return None, ""
    size = _count(answer, "CapacityBytes")
    model = spaced(_text(answer, "Model"))
    if not size:
        if not model and answer.get("CapacityBytes") is None:
            return None, ""
        raise Skip(
            f"`CapacityBytes` is `{shown(answer.get('CapacityBytes'))}`, not a size in bytes"
        )
    life = answer.get("PredictedMediaLifeLeftPercent")
    known = (
        isinstance(life, (int, float))
        and not isinstance(life, bool)
        and 0 <= life <= _WHOLE_LIFE
    )
    drive = Drive(
        row,
        model,
        _kind_of(_text(answer, "MediaType"), _text(answer, "Protocol")),
        size,
        size,
        float(life) if known else None,  # type: ignore[arg-type]
    )
    return drive, spaced(_text(answer, "SerialNumber"))


def _kind_of(media: str, protocol: str) -> str:
    if protocol in ("NVMe", "PCIe") and media in ("SSD", ""):
        return "nvme"
    if media == "SSD":
        return "sata_ssd" if protocol == "SATA" else "ssd"
    return "hdd" if media in ("HDD", "SMR") else ""


def _text(answer: Any, key: str) -> str:
    value = answer.get(key) if isinstance(answer, Mapping) else None
    return value if isinstance(value, str) else ""


def _count(answer: Answer, key: str) -> int | None:
    value = answer.get(key)
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value < _LARGEST else None  # type: ignore[operator]


def _list(answer: Answer, key: str, of: type = Mapping) -> list[Any]:
    value = answer.get(key)
    found = value if isinstance(value, list) else []
    return [each for each in found if isinstance(each, of)]
