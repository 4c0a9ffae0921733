"""Carbon of what is on a bill, as a range between the factors that the user states.

Operational carbon is that of the electricity of the bill over its horizon; embodied carbon that of making what is
rented or bought, counted in full. There is no default: what has no factor is not counted, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from tierwright.common.wording import counted, listed
from tierwright.evaluate.bill import (
    machine_watts,
    monthly_kwh,
    part_counts,
    power_note,
)
from tierwright.evaluate.modern.carbon import embodied_carbon
from tierwright.hardware.build import Build, CarbonFactors, Range

Ends = tuple[float, float]
"""Low and high end."""
OPERATIONAL, EMBODIED = "operational", "embodied"
BYTES_PER_GB = 10**9
GIB = 2**30


@dataclass(frozen=True, slots=True)
class CarbonLine:
    """Carbon of one quantity over the horizon.

    Attributes
    ----------
    what : str
        electricity, RAM, flash, disk or machines.
    kind : str
        operational or embodied.
    quantity : float
        Over the horizon, of all machines. [unit]
    unit : str
        kWh, GB (10^9 bytes) or machine.
    kg_per_unit : tuple of float
        Low and high end, as stated. [kg CO2e/unit]
    kg : tuple of float
        Low and high end. [kg CO2e]
    note : str
        Where the quantity is from.
    """

    what: str
    kind: str
    quantity: float
    unit: str
    kg_per_unit: Ends
    kg: Ends
    note: str


@dataclass(frozen=True, slots=True)
class NotCounted:
    """What of a bill has carbon that is not counted.

    Attributes
    ----------
    what, reason, hint : str
        What it is, why, and the next step.
    """

    what: str
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class _Medium:
    """A kind of capacity: its name, its parts, and its factor."""

    name: str
    parts: frozenset[str]
    factor: str

    def of(self, stated: CarbonFactors) -> Range | None:
        found: Range | None = getattr(stated, self.factor)
        return found


_RAM = _Medium("RAM", frozenset({"dimm", "cxl"}), "kg_per_gb_ram")
_FLASH = _Medium("flash", frozenset({"nvme", "sata_ssd"}), "kg_per_gb_flash")
_DISK = _Medium("disk", frozenset({"hdd"}), "kg_per_gb_disk")
_MEDIA = (_RAM, _FLASH, _DISK)


def carbon_lines(build: Build) -> tuple[CarbonLine, ...]:
    """Make a line of each quantity that has a factor: carbon = quantity x factor, at both ends.

    Parameters
    ----------
    build : Build

    Returns
    -------
    tuple of CarbonLine
        None of what is not known or has no factor; empty without the block `carbon`.

    Examples
    --------
    >>> from tierwright.hardware.build import build_from_mapping
    >>> data = {"server": "aws-r7i.4xlarge", "power": {"watts": 200, "pue": 1}}
    >>> data |= {"horizon_months": 10, "carbon": {"kg_per_kwh": [0.25, 0.5]}}
    >>> [(line.quantity, line.kg) for line in carbon_lines(build_from_mapping(data))]
    [(1460.0, (365.0, 730.0))]
    """
    return () if build.carbon is None else tuple(_lines(build, build.carbon))


def carbon_sum(lines: Iterable[CarbonLine], kind: str | None = None) -> Ends | None:
    """Add up the low ends and the high ends of lines.

    Parameters
    ----------
    lines : iterable of CarbonLine
    kind : str or None
        Only lines of this kind; None: all.

    Returns
    -------
    tuple of float or None
        None where there is no line. [kg CO2e]
    """
    found = [line.kg for line in lines if kind in (None, line.kind)]
    if not found:
        return None
    return sum(low for low, _ in found), sum(high for _, high in found)


def carbon_not_counted(build: Build) -> tuple[NotCounted, ...]:
    """Name what of a build has carbon that `carbon_lines` leaves out.

    Parameters
    ----------
    build : Build

    Returns
    -------
    tuple of NotCounted
        Empty without the block `carbon`.
    """
    if build.carbon is None:
        return ()
    return (
        *_electricity_left_out(build, build.carbon),
        *_making_left_out(build, build.carbon),
        *_rented_left_out(build),
    )


# Lines.


def _lines(build: Build, stated: CarbonFactors) -> Iterator[CarbonLine]:
    energy, (watts, _) = monthly_kwh(build), machine_watts(build)
    if stated.kg_per_kwh is not None and energy is not None and watts is not None:
        months = counted(build.horizon_months, "month")
        yield _line(
            "electricity",
            OPERATIONAL,
            energy * build.horizon_months,
            "kWh",
            stated.kg_per_kwh,
            f"{power_note(build, watts)} x {months}"
            + ("" if build.watts is not None else "; watts: active power of the parts"),
        )
    for medium in _MEDIA:
        held, _, _ = _capacity(build, medium)
        factor = medium.of(stated)
        if factor is not None and held:
            yield _line(medium.name, EMBODIED, held, "GB", factor, _origin(build))
    made = _machines_made(build)
    if stated.kg_per_machine is not None and made:
        yield _line(
            "machines",
            EMBODIED,
            Decimal(made),
            "machine",
            stated.kg_per_machine,
            _origin(build),
        )


def _line(
    what: str, kind: str, quantity: Decimal, unit: str, factor: Range, note: str
) -> CarbonLine:
    amount = float(quantity)
    low, high = (float(end) for end in factor)
    kg = (amount * low, amount * high)
    if unit == "GB":
        # One life of each device: those that follow worn out ones are part of the quantity.
        made = embodied_carbon(
            waf=1, device_gb=amount, years=1, warranty_years=1, kg_per_gb=[low, high]
        )
        kg = (float(made[0]), float(made[1]))
    return CarbonLine(what, kind, amount, unit, (low, high), kg, note)


def _origin(build: Build) -> str:
    return (
        "rented, counted in full"
        if build.server is not None
        else "bought, spares and replacements included"
    )


def _capacity(build: Build, medium: _Medium) -> tuple[Decimal, list[str], list[str]]:
    """Add up new capacity of a kind [GB]; list of whom it is not known, and what is owned already."""
    total, unknown = Decimal(0), list[str]()
    server = build.server
    if server is not None:
        of_one: Decimal | None = Decimal(0)
        if medium is _RAM:
            ram = server.ram_gib
            of_one = None if ram is None else ram * GIB / BYTES_PER_GB
        elif medium is _FLASH:
            of_one = server.local_nvme_gb
        if of_one is None:
            unknown.append(server.id)
        else:
            total += of_one * build.machines
    for item in build.parts:
        count = part_counts(build, item)
        if item.part.kind not in medium.parts or not count.new:
            continue
        held = item.part.capacity_bytes
        if held is None:
            unknown.append(item.part.id)
        else:
            total += Decimal(held * count.new) / BYTES_PER_GB
    owned = [
        part.id for part, count in build.own if part.kind in medium.parts and count
    ]
    return total, unknown, owned


def _machines_made(build: Build) -> int:
    """Count new machines: rented ones, else new chassis, else all that are not owned."""
    if build.server is not None:
        return build.machines
    chassis = [item for item in build.parts if item.part.kind == "chassis"]
    if chassis:
        return sum(part_counts(build, item).new for item in chassis)
    if not _has_machine(build):
        return 0
    owned = sum(count for part, count in build.own if part.kind == "chassis")
    return max(0, build.machines - owned)


def _has_machine(build: Build) -> bool:
    return build.server is not None or bool(build.parts or build.own)


# What is left out.


def _names(identifiers: Iterable[str]) -> str:
    return listed([f"`{each}`" for each in identifiers])


def _electricity_left_out(build: Build, stated: CarbonFactors) -> Iterator[NotCounted]:
    if not _has_machine(build):
        return
    if stated.kg_per_kwh is None:
        yield NotCounted(
            "electricity",
            "no factor of it is stated",
            "state `kg_per_kwh` under `carbon`",
        )
        return
    watts, unknown = machine_watts(build)
    if build.watts is None:
        asked = {item.part.id for item in build.parts}
        own = [part.id for part, count in build.own if count and part.id not in asked]
        rented = [] if build.server is None or watts is not None else [build.server.id]
        without = [*rented, *unknown, *own]
        if without:
            yield NotCounted(
                f"electricity of {_names(without)}",
                "no source states the power",
                "state the `watts` of a machine under `power`",
            )


def _making_left_out(build: Build, stated: CarbonFactors) -> Iterator[NotCounted]:
    owned_already: list[str] = []
    for medium in _MEDIA:
        held, unknown, owned = _capacity(build, medium)
        owned_already += owned
        if (held or unknown) and medium.of(stated) is None:
            yield NotCounted(
                f"making of {medium.name}",
                "no factor of it is stated",
                f"state `{medium.factor}` under `carbon`",
            )
        elif unknown:
            yield NotCounted(
                f"making of {medium.name} of {_names(unknown)}",
                "no source states the capacity",
                "choose one whose capacity is known",
            )
    if _machines_made(build) and stated.kg_per_machine is None:
        yield NotCounted(
            "making of machines",
            "no factor of it is stated",
            "state `kg_per_machine` under `carbon`",
        )
    owned_already += [
        part.id for part, count in build.own if part.kind == "chassis" and count
    ]
    if owned_already:
        yield NotCounted(
            f"making of {_names(owned_already)}, owned already",
            "it was made before this bill",
            "list it under `part` instead of `own` to count it",
        )


def _rented_left_out(build: Build) -> Iterator[NotCounted]:
    rented = dict.fromkeys(
        [each.volume.id for each in build.volumes if each.quantity]
        + [each.volume.id for each in build.object_stores]
    )
    if rented:
        yield NotCounted(
            f"making and electricity of {_names(rented)}",
            "no source states the devices behind what is rented by capacity",
            "ask the provider, and add its figure yourself",
        )
    extras = dict.fromkeys(each.what for each in build.extras if each.quantity)
    if extras:
        yield NotCounted(
            _names(extras),
            "an extra line states money alone",
            "add its carbon yourself",
        )
