"""One machine of the rows of its programs, and machines of equal build together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, listed
from tierwright.hardware.imports.host.devices import (
    Array,
    Disk,
    NvmeDrive,
    Slot,
    controller_of,
    disks_of,
    is_volume,
    memory_of,
    nvme_of,
    spaced,
)
from tierwright.hardware.imports.host.outputs import Host, Output
from tierwright.hardware.imports.ledger import Ledger, shown
from tierwright.hardware.smart import SmartHealth, smart_from_mapping

_MOST_SAID = 5
_WHOLE_LIFE = 100.0
_VIRTUAL = ("vd", "xvd")
"""Disks of a hypervisor, which says that they rotate whatever is behind them."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive of a machine.

    Attributes
    ----------
    name : str
        As the system calls it; several namespaces are one drive.
    model : str
    kind : str
        `nvme`, `sata_ssd`, `ssd` (of another bus), `hdd`, or empty where nothing says it.
    size_bytes : int
        Its own capacity where it states it, else that of its namespaces. [bytes]
    namespace_bytes : int
        Of its namespaces, as the system sees them. [bytes]
    life_left_percent : float or None
        100 less the life used, at least 0; None where it is not stated. [%]
    """

    name: str
    model: str
    kind: str
    size_bytes: int
    namespace_bytes: int
    life_left_percent: float | None


@dataclass(frozen=True, slots=True)
class Machine:
    """What one machine holds.

    Attributes
    ----------
    name : str
    slots : tuple of Slot
        Also the empty ones.
    arrays : tuple of Array
    drives, volumes : tuple of Drive
        Volumes are a provider's: not drives of the machine.
    programs : frozenset of str
        Those whose outputs were given.
    bays : int or None
        Bays for drives, also the empty ones; None where nothing states them.
    summary_bytes : int or None
        RAM as a summary states it, beside the sum of the modules. [bytes]
    stated_bytes : int or None
        RAM as a table states it that lists no modules. [bytes]
    lists_empty_slots : bool
        Whether `slots` has the empty ones too; otherwise it is not known how many there are.
    """

    name: str
    slots: tuple[Slot, ...]
    arrays: tuple[Array, ...]
    drives: tuple[Drive, ...]
    volumes: tuple[Drive, ...]
    programs: frozenset[str]
    bays: int | None = None
    summary_bytes: int | None = None
    stated_bytes: int | None = None
    lists_empty_slots: bool = True

    @property
    def ram_bytes(self) -> int | None:
        """Sum of the modules, else what a table states; None where no memory was read. [bytes]"""
        if not self.slots:
            return self.stated_bytes
        return sum(each.size_bytes for each in self.slots)

    @property
    def slots_of_board(self) -> int | None:
        """Slots that the board says that it has; None where it does not."""
        counts = [each.slots for each in self.arrays]
        return sum(each or 0 for each in counts) if all(counts) and counts else None

    @property
    def most_ram_bytes(self) -> int | None:
        """Most RAM that the board says that it takes. [bytes]"""
        most = [each.most_bytes for each in self.arrays]
        return sum(each or 0 for each in most) if all(most) and most else None

    @property
    def build(self) -> tuple[Any, ...]:
        """What is the same of machines of equal build: modules, slots and drives, whatever made them."""
        return (
            tuple(sorted(Counter(map(_module, self.slots)).items(), key=repr)),
            self.slots_of_board,
            self.most_ram_bytes,
            tuple(sorted(Counter(map(_sort, self.drives)).items(), key=repr)),
            tuple(sorted(Counter(map(_sort, self.volumes)).items(), key=repr)),
            self.programs - {"smart"},
            self.bays,
            self.summary_bytes,
            self.stated_bytes,
            self.lists_empty_slots,
        )


def _module(slot: Slot) -> tuple[Any, ...]:
    return slot.size_bytes, slot.kind, slot.speed, slot.configured, slot.has_ecc


def _sort(drive: Drive) -> tuple[Any, ...]:
    return drive.model, drive.kind, drive.size_bytes, drive.namespace_bytes


class Doubts:
    """What the sources of machines disagree about or leave open; one warning of each kind for all machines."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, name: str, text: str) -> None:
        """Note one."""
        self._found.setdefault(name, []).append(text)

    def warn(self, ledger: Ledger) -> None:
        """Hand them on."""
        for name, texts in self._found.items():
            head, hint = _WARNINGS[name]
            said = texts[:_MOST_SAID]
            if len(texts) > len(said):
                said.append(f"{len(texts) - len(said):,} more")
            ledger.warn(name, f"{head}: {'; '.join(said)}.", hint)


_WARNINGS: Mapping[str, tuple[str, str]] = {
    "slots_differ": (
        "The board states another number of memory slots than it lists; both are shown, and free slots are those that "
        "are listed",
        "look into the machine, or its manual",
    ),
    "more_ram_than_the_board": (
        "The memory modules are more than the board says that it takes; both are shown",
        "check the version of the firmware",
    ),
    "memory_runs_slower": (
        "Memory runs slower than its modules are rated for",
        "check how the slots are filled",
    ),
    "sizes_differ": (
        "lsblk and nvme state different sizes of a namespace; that of nvme counts",
        "read both again at the same time",
    ),
    "smaller_than_its_drive": (
        "The namespaces of a drive hold less than the drive; both are shown, and its own capacity counts",
        "check whether space was left out on purpose",
    ),
    "drive_size_from_namespaces": (
        "The size of these NVMe drives is that of their namespaces, which may be less than the drive has",
        "add `smartctl --json -x DEVICE` of each",
    ),
    "serial_twice": (
        "Several drives state the same serial number, as two paths to one drive do; each counts as a drive",
        "look into the machine; leave one out of the file if they are one drive",
    ),
    "ram_summary_differs": (
        "The memory modules add up to another size than the summary of the system; both are shown, and the sum of the "
        "modules counts",
        "check the version of the firmware: some state GB as GiB, or nothing",
    ),
    "memory_not_saved": (
        "The memory modules were not saved, so memory is not known; the summary of the system is shown",
        "save the answers of Memory and of each of its members too",
    ),
    "drives_not_saved": (
        "Storage names drives whose answers were not saved; they do not count",
        "save the answers of all drives",
    ),
    "drives_of_no_system": (
        "Drives are named by no system that was saved; they do not count",
        "save the answers of Storage, or of the Chassis that holds them",
    ),
    "simple_storage_beside_drives": (
        "SimpleStorage lists drives that no saved answer of a Drive has; they count",
        "save the answers of all drives, and check that none of them counts twice",
    ),
    "media_not_stated": (
        "Nothing states whether these are hard disks or flash",
        "save the answer of each Drive, which states `MediaType` and `Protocol`",
    ),
    "kind_not_stated": (
        "Nothing states whether these are hard disks or flash",
        "run lsblk with the columns ROTA and TRAN; of a virtual disk ask who runs the hypervisor",
    ),
    "not_in_lsblk": (
        "nvme lists drives that lsblk does not; they count",
        "read both again at the same time",
    ),
    "outputs_missing": (
        "Not all programs were read, so what they state is missing",
        "add the outputs of lsblk, `dmidecode -t memory` and `nvme list -o json`",
    ),
    "life_not_stated": (
        "The remaining life of flash is not stated",
        "add `smartctl --json -x DEVICE` or, for NVMe, `nvme smart-log -o json DEVICE` of each drive",
    ),
    "life_of_no_drive": (
        "A health report belongs to no drive that was listed",
        "add the list of drives of the same machine",
    ),
    "ram_differs": (
        "The memory modules add up to another size than the RAM that the table states; both are shown, and the sum of "
        "the modules counts",
        "check the units of the table",
    ),
    "more_drives_than_bays": (
        "The table lists more drives than it states bays; the drives count, and free bays are unknown",
        "check the lines of the machine",
    ),
    "drive_kinds_not_stated": (
        "The table does not state whether these are hard disks or flash",
        "add `drive_kind`: nvme, sata_ssd, ssd or hdd",
    ),
    "drive_lives_not_stated": (
        "The table does not state the remaining life of flash",
        "add `life_left_percent`",
    ),
    "memory_not_in_netbox": (
        "No module or inventory item states the memory of these devices, so it is not known",
        "give the module types of memory a profile with a size, or state the RAM in a table",
    ),
    "disk_types_not_stated": (
        "NetBox does not state whether these are hard disks or flash",
        "state `type` in the profile of the drives: HD, SSD or NVME",
    ),
    "lives_not_in_netbox": (
        "NetBox does not state the remaining life of flash",
        "read it from the machine: `tierwright inventory`, or `smartctl --json -x DEVICE`",
    ),
    "bays_of_no_purpose": (
        "Empty module bays do not state whether they are for memory or drives; they do not count as free",
        "look into the machine, or its manual",
    ),
    "bays_not_stated": (
        "Nothing states the bays that are empty",
        "look into the machine, or its manual",
    ),
}
"""What is said of each kind of doubt, before the machines that it is about, and the next step."""


def machine_of(host: Host, ledger: Ledger, doubts: Doubts) -> Machine:
    """Put the outputs of one machine together.

    Raises
    ------
    BadInput
        If it has two outputs of a program that prints one.
    """
    by_program: dict[str, list[Output]] = {}
    for output in host.outputs:
        by_program.setdefault(output.program, []).append(output)
    for program in ("lsblk", "dmidecode", "nvme"):
        if len(by_program.get(program, ())) > 1:
            raise BadInput(
                f"{by_program[program][1].place}: is a second output of {program} of the machine `{shown(host.name)}`",
                "put the outputs of each machine into a folder of its own",
            )
    disks = [
        one for each in by_program.get("lsblk", ()) for one in disks_of(each, ledger)
    ]
    listed_ = [
        one for each in by_program.get("nvme", ()) for one in nvme_of(each, ledger)
    ]
    slots: list[Slot] = []
    arrays: list[Array] = []
    for each in by_program.get("dmidecode", ()):
        found, boards = memory_of(each, ledger)
        slots += found
        arrays += boards
    healths = _healths(by_program.get("smart", ()), ledger)
    drives = _drives(host.name, disks, listed_, healths, doubts)
    machine = Machine(
        host.name,
        tuple(slots),
        tuple(arrays),
        tuple(each for each in drives if not is_volume(each.model)),
        tuple(each for each in drives if is_volume(each.model)),
        frozenset(by_program),
    )
    _compare(machine, doubts)
    return machine


def _healths(
    outputs: Iterable[Output], ledger: Ledger
) -> list[tuple[str, SmartHealth]]:
    """Read health reports, each with the device that it was asked of where that is known."""
    found = []
    for output in outputs:
        document = output.content
        named = document.get("device")
        device = output.device or (
            str(named.get("name", "")).removeprefix("/dev/")
            if isinstance(named, Mapping)
            else ""
        )
        try:
            health = smart_from_mapping(document, place=output.place)
        except BadInput as refused:
            ledger.skip(output.place, refused.message)
            continue
        ledger.take("", "", "")
        found.append((device, health))
    return found


def _drives(
    host: str,
    disks: Sequence[Disk],
    nvme: Sequence[NvmeDrive],
    healths: list[tuple[str, SmartHealth]],
    doubts: Doubts,
) -> list[Drive]:
    """Join what lsblk, nvme and the health reports say of the same drives: by name, then by controller and serial number.

    Two drives of one serial number stay two, with a doubt: they may be two paths to one drive.
    """
    drive_of = {name: at for at, each in enumerate(nvme) for name in each.namespaces}
    by_controller = {
        (controller_of(name), each.serial): at
        for at, each in enumerate(nvme)
        if each.serial
        for name in each.namespaces
    }
    members: dict[Any, list[Disk]] = {}
    for disk in disks:
        controller = controller_of(disk.name), disk.serial
        at = drive_of.get(disk.name, by_controller.get(controller))
        key: Any = ("nvme", at) if at is not None else ("controller", controller)
        if at is None and not (disk.is_nvme and disk.serial):
            key = ("name", disk.name)
        members.setdefault(key, []).append(disk)
    for at, each in enumerate(nvme):
        if ("nvme", at) not in members:
            members["nvme", at] = []
            if disks:
                doubts.add("not_in_lsblk", f"{host}: {listed(sorted(each.namespaces))}")
    parts = [
        (own, nvme[key[1]] if key[0] == "nvme" else None)
        for key, own in members.items()
    ]
    uses = Counter(serial for own, of in parts for serial in _serials(own, of))
    twice = {serial for serial, count in uses.items() if count > 1}
    by_serial: dict[str, list[Drive]] = {}
    found = []
    for own, of in parts:
        drive = _drive(host, own, of, healths, twice, doubts)
        found.append(drive)
        for serial in _serials(own, of) & twice:
            by_serial.setdefault(serial, []).append(drive)
    for serial, drives in by_serial.items():
        doubt_serial(host, serial, drives, doubts)
    for device, health in healths:
        name = device or health.serial or health.model or "a drive of no name"
        doubts.add("life_of_no_drive", f"{host}: {shown(name)}")
    return sorted(found, key=lambda each: each.name)


def doubt_serial(
    host: str, serial: str, drives: Sequence[Drive], doubts: Doubts
) -> None:
    """Note drives that state one serial number, and what counts too much if they are one."""
    sizes = [each.size_bytes for each in drives]
    names = listed(sorted(each.name for each in drives))
    doubts.add(
        "serial_twice",
        f"{host}, {names}: serial number `{shown(serial)}`, {format_bytes(sum(sizes))} counted, "
        f"{format_bytes(max(sizes))} if they are one drive",
    )


def _serials(disks: Sequence[Disk], nvme: NvmeDrive | None) -> set[str]:
    """Return the serial numbers that the sources state of one drive, as they are compared."""
    stated = {spaced(each.serial) for each in disks}
    if nvme is not None:
        stated.add(spaced(nvme.serial))
    return stated - {""}


def _drive(
    host: str,
    disks: Sequence[Disk],
    nvme: NvmeDrive | None,
    healths: list[tuple[str, SmartHealth]],
    twice: set[str],
    doubts: Doubts,
) -> Drive:
    sizes = {each.name: each.size_bytes for each in disks}
    if nvme is not None:
        for name, size in nvme.namespaces.items():
            if sizes.get(name, size) != size:
                doubts.add(
                    "sizes_differ",
                    f"{host}, {name}: {sizes[name]:,} and {size:,} bytes",
                )
        sizes.update(nvme.namespaces)
    names = sorted(sizes)
    health = _take_health(healths, names, _serials(disks, nvme), twice)
    namespace_bytes = sum(sizes.values())
    own = None if health is None else health.capacity_bytes
    model = next((each.model for each in disks if each.model), "")
    model = model or (nvme.model if nvme else "")
    kind = _kind_of(disks, nvme)
    where = f"{host}, {', '.join(names)}"
    if not kind:
        doubts.add("kind_not_stated", where)
    if own is not None and own > namespace_bytes:
        doubts.add(
            "smaller_than_its_drive",
            f"{where}: {format_bytes(namespace_bytes)} of {format_bytes(own)}",
        )
    elif own is None and kind == "nvme" and not is_volume(model):
        doubts.add("drive_size_from_namespaces", where)
    used = None if health is None else health.percentage_used
    if used is None and kind in ("nvme", "sata_ssd", "ssd") and not is_volume(model):
        doubts.add("life_not_stated", where)
    return Drive(
        names[0],
        model,
        kind,
        namespace_bytes if own is None else own,
        namespace_bytes,
        None if used is None else max(0.0, _WHOLE_LIFE - used),
    )


def _take_health(
    healths: list[tuple[str, SmartHealth]],
    names: Sequence[str],
    serials: set[str],
    twice: set[str],
) -> SmartHealth | None:
    """Find the report of a drive and remove it from those that are left: by serial number, else by device.

    Of a serial number that several drives state (`twice`), a report that names its device is of that one alone.
    """
    for at, (device, health) in enumerate(healths):
        serial = spaced(health.serial)
        # `nvme0` is the controller of `nvme0n1`.
        named = device and any(
            name == device or name.startswith(f"{device}n") for name in names
        )
        same = serial in serials and (serial not in twice or named or not device)
        if same or (named and not (serial and serials)):
            del healths[at]
            return health
    return None


def _kind_of(disks: Sequence[Disk], nvme: NvmeDrive | None) -> str:
    if nvme is not None or any(each.is_nvme for each in disks):
        return "nvme"
    [disk] = disks
    if disk.rotates is None or disk.name.startswith(_VIRTUAL):
        return ""
    if disk.rotates:
        return "hdd"
    return "sata_ssd" if disk.transport in ("sata", "ata") else "ssd"


def _compare(machine: Machine, doubts: Doubts) -> None:
    """Note where the sources of one machine disagree, and what they leave open."""
    name, slots = machine.name, machine.slots_of_board
    if slots is not None and machine.slots and slots != len(machine.slots):
        doubts.add("slots_differ", f"{name}: {slots:,} and {len(machine.slots):,}")
    ram, most = machine.ram_bytes, machine.most_ram_bytes
    if ram is not None and most is not None and ram > most:
        doubts.add(
            "more_ram_than_the_board",
            f"{name}: {format_bytes(ram)} and {format_bytes(most)}",
        )
    slow = {
        (each.configured, each.speed)
        for each in machine.slots
        if each.configured and each.speed and each.configured < each.speed
    }
    for configured, speed in sorted(slow):
        doubts.add(
            "memory_runs_slower", f"{name}: {configured:,} MT/s of {speed:,} MT/s"
        )
    lacking = [each for each in ("lsblk", "dmidecode") if each not in machine.programs]
    if "nvme" not in machine.programs and any(
        each.kind == "nvme" for each in machine.drives
    ):
        lacking.append("nvme")
    if lacking:
        doubts.add("outputs_missing", f"{name}: {listed(lacking)}")
    if machine.drives:
        doubts.add("bays_not_stated", name)


def groups_of(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Put machines of equal build together, in the order of their first; plain data for JSON."""
    groups: dict[Any, list[Machine]] = {}
    for each in machines:
        groups.setdefault(each.build, []).append(each)
    return [_group(each) for each in groups.values()]


def _group(machines: Sequence[Machine]) -> dict[str, Any]:
    one = machines[0]
    filled = [each for each in one.slots if each.size_bytes]
    knows_slots = bool(one.slots) and one.lists_empty_slots
    return {
        "count": len(machines),
        "hosts": [each.name for each in machines],
        "ram_bytes": one.ram_bytes,
        "ram_bytes_of_summary": one.summary_bytes,
        "most_ram_bytes": one.most_ram_bytes,
        "slots": len(one.slots) if knows_slots else None,
        "slots_of_board": one.slots_of_board,
        "free_slots": len(one.slots) - len(filled) if knows_slots else None,
        "modules": _modules(machines),
        "bays": one.bays,
        "free_bays": None if one.bays is None else one.bays - len(one.drives),
        "drives": _listed_drives(machines, [each.drives for each in machines]),
        "volumes": _listed_drives(machines, [each.volumes for each in machines]),
    }


def _modules(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], set[str]] = {}
    for machine in machines:
        for slot in machine.slots:
            if slot.size_bytes:
                numbers = found.setdefault(_module(slot), set())
                numbers.update({slot.part_number} - {""})
    counts = Counter(_module(each) for each in machines[0].slots if each.size_bytes)
    return [
        {
            "count_per_machine": counts[key],
            "size_bytes": key[0],
            "kind": key[1],
            "speed_mt_per_s": key[2],
            "configured_mt_per_s": key[3],
            "has_ecc": key[4],
            "part_numbers": sorted(numbers),
        }
        for key, numbers in found.items()
    ]


def _listed_drives(
    machines: Sequence[Machine], drives: Sequence[Sequence[Drive]]
) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for machine, own in zip(machines, drives, strict=True):
        for drive in own:
            found.setdefault(_sort(drive), []).append(
                {
                    "host": machine.name,
                    "name": drive.name,
                    "life_left_percent": drive.life_left_percent,
                }
            )
    return [
        {
            "count_per_machine": len(each) // len(machines),
            "model": key[0],
            "kind": key[1],
            "size_bytes": key[2],
            "namespace_bytes": key[3],
            "least_life_left_percent": min(
                (
                    one["life_left_percent"]
                    for one in each
                    if one["life_left_percent"] is not None
                ),
                default=None,
            ),
            "each": each,
        }
        for key, each in found.items()
    ]


def finding_of(groups: Sequence[Mapping[str, Any]]) -> str:
    """Say how many machines there are, of how many builds."""
    machines = sum(each["count"] for each in groups)
    return f"{counted(machines, 'machine')} of {counted(len(groups), 'build')}."
