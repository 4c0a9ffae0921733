"""What is sold: instances, volumes at the sizes and rates that a production needs, parts; and their busy times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from tierwright.evaluate.bill import (
    bill_lines,
    billed_size_gib,
    paid_for,
    provisioned,
    size_sold_gib,
    violations,
)
from tierwright.evaluate.configurations.wanted import ANY_CHASSIS, GIB, Wanted
from tierwright.hardware import catalog
from tierwright.hardware.build import PartItem, VolumeItem, build_from_mapping
from tierwright.hardware.device import OPERATIONS, Device, Figure, Sustained
from tierwright.hardware.parts import parts
from tierwright.hardware.rents import Rents, servers_at, volumes_at
from tierwright.hardware.servers import OF_SERVER, Server, servers
from tierwright.hardware.service_time import latency_page_bytes, service_us
from tierwright.hardware.volumes import Volume

Times = tuple[float | None, float | None]
"""Busy time of one page read and of one page write; None where no source states it. [µs]"""

IOPS_LADDER = (3000, 10_000, 20_000, 40_000, 80_000, 160_000)
"""IOPS that a volume is rented with, besides the included ones and the most it may have. [1/s]"""
MOST_VOLUMES = 64
"""Volumes of one machine: what more would be needed for is not enumerated."""
DRIVE_BAYS: Mapping[str, str] = {
    "nvme": "nvme_bays",
    "sata_ssd": "nvme_bays",
    "hdd": "hdd_bays",
}
"""Kind of drive to the bays that it needs."""
SEQUENTIAL_RATES = tuple(f"sequential_{each}_mb_per_s" for each in OPERATIONS)
GB = 10**9
MB, MIB = 10**6, 2**20


@dataclass(frozen=True, slots=True)
class VolumeOption:
    """Volumes of one machine that hold its data, at one rate.

    Attributes
    ----------
    item : VolumeItem
        Volume, how many, size and rates.
    provider : str
        Whose instances it can be attached to.
    cents : int
        Rent of those of all machines. [cent/month]
    priced : bool
        Whether every charge has a price that was found.
    limits : frozenset of str
        Limits of the volume that it breaks, as `evaluate.bill.violations` names them.
    iops, mb_per_s : Decimal
        Of all volumes of one machine. [1/s], [MB/s]
    paid_iops, paid_mb_per_s : Decimal
        The same where they are rented with more than what is included; 0 where they are not. [1/s], [MB/s]
    device : Device or None
        One volume at its rates; None where no source states them.
    times : tuple of float or None
        Busy times of one volume. [µs]
    entry : mapping
        The entry of a CONFIG of `tierwright bill`.
    """

    item: VolumeItem
    provider: str
    cents: int
    priced: bool
    limits: frozenset[str]
    iops: Decimal
    mb_per_s: Decimal
    paid_iops: Decimal
    paid_mb_per_s: Decimal
    device: Device | None
    times: Times
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sold:
    """What can be bought and rented.

    Attributes
    ----------
    servers : tuple of Server
        Instances, in order of id.
    chassis, dimms, drives : tuple of PartItem
        Parts with their prices, stated ones before those found.
    local_devices : tuple of Device or None
        One local disk of each instance; None where it has none.
    local_times, drive_times : tuple of Times
        Of one local disk of each instance, and of each drive.
    """

    servers: tuple[Server, ...]
    chassis: tuple[PartItem, ...]
    dimms: tuple[PartItem, ...]
    drives: tuple[PartItem, ...]
    local_devices: tuple[Device | None, ...]
    local_times: tuple[Times, ...]
    drive_times: tuple[Times, ...]


def sold(wanted: Wanted) -> Sold:
    """List what is sold, with the prices that a bill would have.

    Parameters
    ----------
    wanted : Wanted
        Its kinds, stated prices and page size.

    Returns
    -------
    Sold
        Without what none of the kinds is made of.
    """
    rented: tuple[Server, ...] = ()
    if set(wanted.kinds) & {"instances", "volumes"}:
        rented = tuple(
            each
            for each in servers_at(wanted.rents).values()
            if each.ram_gib is not None
        )
    built = "chassis" in wanted.kinds
    chassis, dimms, drives = (
        _items(wanted, kinds) if built else ()
        for kinds in (("chassis",), ("dimm",), tuple(DRIVE_BAYS))
    )
    page = wanted.page_bytes
    local_devices = tuple(local_device(each) for each in rented)
    return Sold(
        rented,
        chassis,
        dimms,
        drives,
        local_devices,
        tuple(_times(each, page) for each in local_devices),
        tuple(
            _times(catalog.device(each.part.device) if each.part.device else None, page)
            for each in drives
        ),
    )


def volume_options(wanted: Wanted, machines: int) -> Iterator[VolumeOption]:
    """List the volumes that hold the data of one machine, at each rate that is sold.

    As few volumes as hold the data, in whole GiB and in a size that is sold with such IOPS; IOPS included, of `IOPS_LADDER` and the most
    that one volume may have; throughput where it is charged, as much as these IOPS of pages need.

    Parameters
    ----------
    wanted : Wanted
        Data and page size.
    machines : int
        Machines that share the data.

    Yields
    ------
    VolumeOption
    """
    gib = -(-wanted.machine_bytes[machines] // GIB)
    for volume in volumes_at(wanted.rents).values():
        if volume.kind != "block":
            continue
        largest = volume.max_size_gib
        count = 1 if largest is None else -(-gib // max(1, int(largest)))
        if count > MOST_VOLUMES:
            continue
        size = -(-gib // count)
        for rates in _rates(volume, wanted.page_bytes):
            yield _option(volume, count, size, rates, wanted, machines)


def part_entry(wanted: Wanted, identifier: str, kind: str) -> dict[str, Any]:
    """Return the entry of one part in a CONFIG, with the price that was stated for it."""
    usd = wanted.part_usd.get(identifier)
    if usd is None and kind == "chassis":
        usd = wanted.part_usd.get(ANY_CHASSIS)
    return {"id": identifier, **({} if usd is None else {"usd": usd})}


def rent_entries(rents: Rents, *names: str) -> dict[str, Any]:
    """Return the `rent` of a CONFIG with those of some instances and volumes; nothing where none is stated."""
    found = [each.in_dollars() for each in rents if each.item in names]
    return {"rent": found} if found else {}


def _items(wanted: Wanted, kinds: tuple[str, ...]) -> tuple[PartItem, ...]:
    listed = [
        part_entry(wanted, each.id, each.kind)
        for each in parts().values()
        if each.kind in kinds and (each.kind == "chassis" or each.capacity_bytes)
    ]
    return build_from_mapping({"part": listed}).parts if listed else ()


def _option(
    volume: Volume,
    count: int,
    size_gib: int,
    rates: Mapping[str, Decimal],
    wanted: Wanted,
    machines: int,
) -> VolumeOption:
    # Whole GiB, as least sizes and steps are.
    least = max(Decimal(size_gib), _size_for(volume, rates))
    size = int(size_sold_gib(volume, least))
    entry = {"id": volume.id, "quantity": count, "size_gib": size, **rates}
    build = build_from_mapping(
        {
            "machines": machines,
            "volume": [entry],
            **rent_entries(wanted.rents, volume.id),
        }
    )
    lines = bill_lines(build)
    [item] = build.volumes
    iops, mb_per_s = provisioned(build.volumes)
    device = volume_device(item)
    return VolumeOption(
        item,
        volume.provider,
        sum(int(line.usd_per_month * 100) for line in lines),
        all(line.unit_price is not None for line in lines)
        and volume.usd_per_million_io is None
        and not volume.unpriced_charge,
        frozenset(each.name for each in violations(build)),
        iops,
        mb_per_s,
        *paid_for(build.volumes),
        device,
        _times(device, wanted.page_bytes),
        entry,
    )


def _size_for(volume: Volume, rates: Mapping[str, Decimal]) -> Decimal:
    """Least size with which the IOPS can be rented; 0 where any can. [GiB]"""
    iops, each = rates.get("iops"), volume.max_iops_per_gib
    if each is None or iops is None or iops <= (volume.iops_included or 0):
        return Decimal(0)
    return (iops / each).to_integral_value(ROUND_CEILING)


def _rates(volume: Volume, page_bytes: int) -> Iterator[dict[str, Decimal]]:
    """Yield the rates that a volume is rented with; nothing stated where it has no choice."""
    included, most = volume.iops_included, volume.max_iops
    if included is None:
        yield {}
        return
    levels = [included] if included else []
    if volume.iops_prices():
        ends = [] if most is None else [most]
        levels += [
            each
            for each in sorted({*map(Decimal, IOPS_LADDER), *ends})
            if each > included and (most is None or each <= most)
        ]
    for iops in levels:
        rate = _throughput(volume, iops, page_bytes)
        yield {"iops": iops, **({} if rate is None else {"mb_per_s": rate})}


def _throughput(volume: Volume, iops: Decimal, page_bytes: int) -> Decimal | None:
    """Return the throughput that IOPS of pages need, where it is charged; at most what is sold."""
    if volume.usd_per_mb_per_s_month is None:
        return None
    unit = MIB if volume.throughput_unit == "MiB/s" else MB
    need = (iops * page_bytes / unit).to_integral_value(ROUND_CEILING)
    bounds = [need]
    if volume.max_mb_per_s is not None:
        bounds.append(volume.max_mb_per_s)
    if volume.max_mb_per_s_per_iops is not None:
        each = volume.max_mb_per_s_per_iops * iops
        bounds.append(each.to_integral_value(ROUND_FLOOR))
    return max(min(bounds), volume.mb_per_s_included or Decimal(1))


def _times(device: Device | None, page_bytes: int) -> Times:
    if device is None:
        return None, None
    return service_us(device, "read", page_bytes), service_us(
        device, "write", page_bytes
    )


def _device(identifier: str, kind: str, figures: Mapping[str, Figure]) -> Device:
    return Device(identifier, identifier, kind, figures=figures)


def local_device(server: Server) -> Device | None:
    """One local disk of an instance: its part of the rates of all, and the sequential rates of the same disk elsewhere."""
    count = server.local_nvme_count
    if not count:
        return None
    figures = {
        name: Figure(rate / count, "1/s", "rates of all local disks, divided by them")
        for name, rate in (
            ("read_iops", server.local_read_iops),
            ("write_iops", server.local_write_iops),
        )
        if rate
    }
    figures |= _latencies(server.latency_of, figures)
    if server.rates_of:
        same = catalog.device(server.rates_of).figures
        figures |= {name: same[name] for name in SEQUENTIAL_RATES if name in same}
    return _device(f"{server.id}{LOCAL_DISK}", "nvme", figures)


LOCAL_DISK = "-local"
"""Behind the id of an instance: the id of its local disk in what is sold."""


def disk_id(server: str) -> str:
    """Return the id under which the local disk of an instance is asked for."""
    return f"{OF_SERVER}{server}"


def disk_of_server(identifier: str) -> Device | None:
    """Return the local disk of a shipped instance as a device.

    Parameters
    ----------
    identifier : str
        As `disk_id` returns it.

    Returns
    -------
    Device or None
        None where there is no such instance, or it has no local disk.
    """
    if not identifier.startswith(OF_SERVER):
        return None
    server = servers().get(identifier.removeprefix(OF_SERVER))
    device = None if server is None else local_device(server)
    if device is None or server is None:
        return None
    return replace(
        device,
        id=identifier,
        name=f"Local disk of {server.id}",
        sold_as="instance",
        notes="At its part of the rates that the instance states: not sold alone, so it has no price.",
    )


def volume_device(item: VolumeItem) -> Device | None:
    """One volume at the rates that it is rented with, of the size that is sold; bursts on credits are not counted on."""
    volume = item.volume
    iops, rate = volume.rates(billed_size_gib(item), item.iops, item.mb_per_s)
    if not iops:
        return None
    scale = Decimal(MIB) / MB if volume.throughput_unit == "MiB/s" else Decimal(1)
    figures = {
        name: Figure(iops, "1/s", "as rented") for name in ("read_iops", "write_iops")
    }
    if rate:
        figures |= {
            name: Figure(rate * scale, "MB/s", "as rented") for name in SEQUENTIAL_RATES
        }
    if volume.io_unit_bytes is not None:
        figures["io_unit_bytes"] = Figure(volume.io_unit_bytes, "B", "as sold")
    figures |= _latencies(volume.latency_of, figures)
    kind = "cloud_disk" if volume.media == "hdd" else "cloud_block"
    return _device(volume.id, kind, figures)


def behind_instance(device: Device, server: Server, item: VolumeItem) -> Device:
    """Return a volume as it is attached to an instance, with its equals of a machine: they share what that sustains.

    Parameters
    ----------
    device : Device
        One volume at its own rates.
    server : Server
    item : VolumeItem
        The volumes of each machine.
    """
    limits = server.block_storage_iops, server.block_storage_bandwidth_mb_per_s
    if limits == (None, None):
        return device
    asked = ("behind_instance", server.id, item.quantity, *limits)
    found = device.computed.get(asked)
    if not isinstance(found, Device):
        found = replace(
            device,
            sustained=Sustained(
                server.id, item.quantity, *limits, item.volume.io_unit_bytes
            ),
        )
        device.computed[asked] = found
    return found


def _latencies(of: str, rates: Mapping[str, Figure]) -> dict[str, Figure]:
    """Return the latencies of a device for operations whose rate is known, with the size that they are of.

    Without a rate a latency would stand for the busy time, which says nothing of a device that serves many at once.
    """
    if not of:
        return {}
    device = catalog.device(of)
    found = {
        name: device.figures[name]
        for operation in OPERATIONS
        if (name := f"{operation}_latency_us") in device.figures
        and f"{operation}_iops" in rates
    }
    if not found:
        return {}
    size = Decimal(latency_page_bytes(device))
    return found | {"latency_page_bytes": Figure(size, "B", f"of `{of}`")}
