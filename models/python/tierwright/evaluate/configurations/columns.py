"""Every configuration as one row of columns: what it is, what it costs to the cent, which limits it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.errors import BadInput
from tierwright.evaluate.bill import (
    EXACT,
    VOLUMES_UNKNOWN,
    cents,
    volume_count_limit,
)
from tierwright.evaluate.configurations.sold import (
    DRIVE_BAYS,
    GB,
    Sold,
    VolumeOption,
    part_entry,
    rent_entries,
    sold,
    volume_options,
)
from tierwright.evaluate.configurations.wanted import GIB, KINDS, Wanted
from tierwright.evaluate.economics import HOURS_PER_MONTH, WATTS_PER_KW
from tierwright.hardware.build import PartItem

IntArray = NDArray[np.int64]
Whole = NDArray[np.integer[Any]]

SPACE = "space"
RAM = "ram"
LIMITS = (
    SPACE,
    "no_drive_bays",
    "volume_size",
    "volume_iops",
    "volume_iops_per_gib",
    "volume_throughput",
    "volume_throughput_per_iops",
    "volume_count",
    VOLUMES_UNKNOWN,
    "instance_iops",
    "instance_throughput",
    "max_ram",
    "power_supply",
    "reserved_ram",
    RAM,
)
"""Limits of a row in the order in which an exclusion is counted: those of `evaluate.bill.violations`, `space` where
it does not hold the data, and `ram` where the reserve leaves no page."""
ELECTRICITY = "electricity"
UNPRICED = ("instance", "volumes", "chassis", "memory modules", "drives", ELECTRICITY)
"""What a row may lack the price of; its sums are then lower bounds."""
MOST_ROWS = 4_000_000
_NONE = -1
_LIMIT = {name: 1 << at for at, name in enumerate(LIMITS)}
_LACKS = {name: 1 << at for at, name in enumerate(UNPRICED)}
_KIND = {name: at for at, name in enumerate(KINDS)}
_MICRO = Decimal(10**6)
_LARGEST = 2**62
_WATTS_BELOW = 2**50
"""No machine draws so many micro-watts."""
_Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Columns:
    """Configurations, one a row; arrays of one length.

    Attributes
    ----------
    wanted : Wanted
        What they are for.
    sold : Sold
        What the indices are of.
    options : tuple of VolumeOption
        What `volume` is an index of.
    kind : int array
        Index of `KINDS`.
    machines : int array
        Equal machines.
    server, chassis, dimm, drive, volume : int array
        Indices of `sold` and `options`; -1 where the row has none.
    dimms, drives : int array
        Modules and drives of each machine; 0 where it has none.
    ram_gib : float64 array
        RAM of each machine. [GiB]
    store_bytes : float64 array
        What holds the data on each machine. [bytes]
    flash_bytes : float64 array
        Local disks that cache on each machine, before volumes. [bytes]
    store_devices, flash_devices : int array
        Drives, disks or volumes of each machine that share its load.
    rent_cents : int64 array
        Of all machines. [cent/month]
    purchase_cents : int64 array
        Of all machines. [cent]
    lacks : int array
        Bits of `UNPRICED`: what has no price, and counts as nothing in the sums.
    broken : int array
        Bits of `LIMITS`.
    """

    wanted: Wanted
    sold: Sold
    options: tuple[VolumeOption, ...]
    kind: Whole
    machines: Whole
    server: Whole
    chassis: Whole
    dimm: Whole
    drive: Whole
    volume: Whole
    dimms: Whole
    drives: Whole
    ram_gib: NDArray[np.float64]
    store_bytes: NDArray[np.float64]
    flash_bytes: NDArray[np.float64]
    store_devices: Whole
    flash_devices: Whole
    rent_cents: IntArray
    purchase_cents: IntArray
    lacks: Whole
    broken: Whole

    def __len__(self) -> int:
        return len(self.kind)

    def usable_gib(self, row: int) -> float:
        """Return the RAM of each machine of one row that the reserve leaves. [GiB]"""
        return max(float(self.ram_gib[row]) - float(self.wanted.reserved_gib), 0.0)

    @property
    def usable_ram_bytes(self) -> NDArray[np.float64]:
        """RAM of each machine that the reserve leaves, at least 0. [bytes]"""
        left = self.ram_gib - float(self.wanted.reserved_gib)
        return np.asarray(np.maximum(left, 0.0) * GIB)

    @property
    def usd_per_month(self) -> NDArray[np.float64]:
        """Rent, and the purchase spread over the months; for comparison alone. [USD/month]"""
        spread = self.purchase_cents / self.wanted.horizon_months
        return np.asarray((self.rent_cents + spread) / 100.0)

    def rows(self, at: IntArray) -> Columns:
        """Return some of the rows, in that order."""
        return replace(self, **{name: getattr(self, name)[at] for name in _TYPES})

    def purchase_lines(self) -> tuple[IntArray, IntArray, IntArray]:
        """Cents of each line of the purchases, on all machines: chassis, memory modules, drives. [cent]"""
        machines = self.machines.astype(np.int64)
        return (
            _lines(self.sold.chassis, self.chassis, machines),
            _lines(self.sold.dimms, self.dimm, self.dimms * machines),
            _lines(self.sold.drives, self.drive, self.drives * machines),
        )

    def repriced(self, wanted: Wanted) -> Columns:
        """Make the same rows at other prices of the same parts.

        Parameters
        ----------
        wanted : Wanted
            The same but for `part_usd`, which prices no part that had no price.
        """
        made = replace(self, wanted=wanted, sold=sold(wanted))
        chassis, dimms, drives = made.purchase_lines()
        return replace(made, purchase_cents=chassis + dimms + drives)

    def limits_of(self, row: int) -> tuple[str, ...]:
        """Names of the limits that a row breaks."""
        return _names(LIMITS, int(self.broken[row]))

    @property
    def of_unknown_volumes(self) -> tuple[str, ...]:
        """Instances of which rows break nothing but that no source states whether they take as many volumes."""
        alone = self.server[self.broken == _LIMIT[VOLUMES_UNKNOWN]]
        return tuple(self.sold.servers[at].id for at in sorted(set(alone.tolist())))

    def lacks_of(self, row: int) -> tuple[str, ...]:
        """Names of what has no price in a row."""
        return _names(UNPRICED, int(self.lacks[row]))

    def config(self, row: int) -> dict[str, Any]:
        """Return the CONFIG of `tierwright bill` that bills this row."""
        wanted, sold_ = self.wanted, self.sold
        found: dict[str, Any] = {
            "machines": int(self.machines[row]),
            "horizon_months": wanted.horizon_months,
        }
        if wanted.reserved_gib:
            found["reserved_ram"] = [{"what": "the system", "gib": wanted.reserved_gib}]
        if self.server[row] != _NONE:
            found["server"] = sold_.servers[self.server[row]].id
        if self.volume[row] != _NONE:
            found["volume"] = [dict(self.options[self.volume[row]].entry)]
        names = [found["server"]] if "server" in found else []
        names += [each["id"] for each in found.get("volume", ())]
        found.update(rent_entries(wanted.rents, *names))
        if self.chassis[row] != _NONE:
            items = (
                (sold_.chassis[self.chassis[row]], 1),
                (sold_.dimms[self.dimm[row]], int(self.dimms[row])),
                (sold_.drives[self.drive[row]], int(self.drives[row])),
            )
            found["part"] = [
                {
                    **part_entry(wanted, item.part.id, item.part.kind),
                    "quantity": count,
                }
                for item, count in items
            ]
            if wanted.usd_per_kwh is not None:
                found["power"] = {
                    "usd_per_kwh": wanted.usd_per_kwh,
                    "pue": wanted.pue,
                    **({} if wanted.watts is None else {"watts": wanted.watts}),
                }
        return found


def enumerate_configurations(wanted: Wanted) -> Columns:
    """List every configuration of the kinds wanted, from as many machines as copies on.

    * *instances*: every server with local disks, the data on these;
    * *volumes*: every server x every volume of its provider and each of its rates, the data on the volumes and the
      local disks, where there are any, a cache before them;
    * *chassis*: every chassis x memory module x count that divides its slots x drive x count up to its bays, the
      data on the drives. A drive for which a chassis states no bays stands once, and breaks `no_drive_bays`.

    Each line of a row is rounded to the cent as on its bill, so that its sums are those of the bill.

    Parameters
    ----------
    wanted : Wanted

    Returns
    -------
    Columns

    Raises
    ------
    BadInput
        If there would be more than 4,000,000 rows.

    Examples
    --------
    >>> found = enumerate_configurations(
    ...     Wanted(
    ...         data_bytes=2**40, page_bytes=8192, kinds=("instances",), max_machines=1
    ...     )
    ... )
    >>> row = [each.id for each in found.sold.servers].index("aws-i4i.4xlarge")
    >>> [
    ...     int(found.rent_cents[at])
    ...     for at in range(len(found))
    ...     if found.server[at] == row
    ... ]
    [100229]
    """
    return enumerate_sold(wanted, sold(wanted), wanted.kinds)


def enumerate_sold(wanted: Wanted, found: Sold, kinds: Sequence[str]) -> Columns:
    """List the configurations of some kinds, of what was found to be sold.

    Parameters
    ----------
    wanted : Wanted
    found : Sold
        Of `tierwright.evaluate.configurations.sold.sold`.
    kinds : sequence of str
        Of the kinds that are wanted.

    Raises
    ------
    BadInput
        If there would be more than 4,000,000 rows.
    """
    with localcontext(EXACT):
        options: list[VolumeOption] = []
        blocks = []
        rows = 0
        for machines in range(wanted.replicas, wanted.max_machines + 1):
            for block in _blocks(wanted, found, machines, options, kinds):
                blocks.append(block)
                rows += len(block["kind"])
                if rows > MOST_ROWS:
                    raise BadInput(
                        f"configurations: more than {MOST_ROWS:,} up to "
                        f"{wanted.max_machines:,} machines",
                        "name fewer kinds, or fewer machines",
                    )
        return Columns(wanted, found, tuple(options), **_stacked(blocks))


def _stacked(blocks: Sequence[_Block]) -> _Block:
    return {
        name: np.concatenate([block[name] for block in blocks])
        if blocks
        else np.empty(0, dtype=kind)
        for name, kind in _TYPES.items()
    }


def stacked(tables: Sequence[Columns]) -> Columns:
    """Put tables of the same `wanted` and `sold` one below the other; the first one has the volumes of all."""
    return replace(
        tables[0],
        **_stacked([{name: getattr(each, name) for name in _TYPES} for each in tables]),
    )


_TYPES: Mapping[str, type] = {
    "kind": np.int8,
    "machines": np.int16,
    "server": np.int16,
    "chassis": np.int16,
    "dimm": np.int16,
    "drive": np.int16,
    "volume": np.int32,
    "dimms": np.int16,
    "drives": np.int16,
    "ram_gib": np.float64,
    "store_bytes": np.float64,
    "flash_bytes": np.float64,
    "store_devices": np.int16,
    "flash_devices": np.int16,
    "rent_cents": np.int64,
    "purchase_cents": np.int64,
    "lacks": np.int8,
    "broken": np.int16,
}
"""Types of the columns: of millions of rows most of the time is spent in memory."""


def _block(rows: int, kind: str, machines: int | IntArray, **given: Any) -> _Block:
    """Make the columns of some rows; what is not given is absent or 0."""
    indices = {"server", "chassis", "dimm", "drive", "volume"}
    known = {"kind": _KIND[kind], "machines": machines, **given}
    return {
        name: np.broadcast_to(
            np.asarray(known.get(name, _NONE if name in indices else 0), dtype=type_),
            (rows,),
        )
        for name, type_ in _TYPES.items()
    }


def _blocks(
    wanted: Wanted,
    found: Sold,
    machines: int,
    options: list[VolumeOption],
    kinds: Sequence[str],
) -> Iterator[_Block]:
    if "instances" in kinds:
        yield _on_local_disks(wanted, found, machines)
    if "volumes" in kinds:
        yield from _on_volumes(wanted, found, machines, options)
    if "chassis" in kinds:
        yield from _of_parts(wanted, found, machines)


def _rents(found: Sold, machines: int) -> tuple[IntArray, IntArray]:
    """Rent of the instances in cents, and which have no price."""
    prices = [each.usd_per_hour for each in found.servers]
    rent = [_cents(price, machines * HOURS_PER_MONTH) for price in prices]
    lacks = [0 if price is not None else _LACKS["instance"] for price in prices]
    return np.asarray(rent, dtype=np.int64), np.asarray(lacks, dtype=np.int64)


def _cents(usd: Decimal | None, quantity: Decimal | int) -> int:
    """Cents of one line, rounded as the bill does; 0 without a price."""
    return 0 if usd is None else int(cents(usd * quantity) * 100)


def _local(found: Sold) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bytes and count of the local disks of each instance; 0 where unknown."""
    held = [float((each.local_nvme_gb or 0) * GB) for each in found.servers]
    counts = [float(each.local_nvme_count or 0) for each in found.servers]
    return np.asarray(held), np.asarray(counts)


def _instance_ram(found: Sold) -> NDArray[np.float64]:
    return np.asarray([float(each.ram_gib or 0) for each in found.servers])


def _on_local_disks(wanted: Wanted, found: Sold, machines: int) -> _Block:
    held, counts = _local(found)
    [at] = np.nonzero(held > 0)
    rent, lacks = _rents(found, machines)
    ram = _instance_ram(found)[at]
    return _block(
        len(at),
        "instances",
        machines,
        server=at,
        ram_gib=ram,
        store_bytes=held[at],
        store_devices=counts[at],
        rent_cents=rent[at],
        lacks=lacks[at],
        broken=_ram_limits(wanted, ram)
        | np.where(held[at] < _need(wanted, machines), _LIMIT[SPACE], 0),
    )


def _need(wanted: Wanted, machines: int) -> int:
    return min(wanted.machine_bytes[machines], _LARGEST)


def _ram_limits(wanted: Wanted, ram_gib: NDArray[np.float64]) -> IntArray:
    """Bits of the limits of RAM: more is reserved than there is, or no page is left."""
    left = ram_gib - float(wanted.reserved_gib)
    return np.where(
        left < 0,
        _LIMIT["reserved_ram"] | _LIMIT[RAM],
        np.where(left * GIB < wanted.page_bytes, _LIMIT[RAM], 0),
    ).astype(np.int64)


def _on_volumes(
    wanted: Wanted, found: Sold, machines: int, options: list[VolumeOption]
) -> Iterator[_Block]:
    made = list(volume_options(wanted, machines))
    first = len(options)
    options += made
    rent, lacks = _rents(found, machines)
    ram, (local, counts) = _instance_ram(found), _local(found)
    most_iops = _limits_of(found, "block_storage_iops", Decimal(1))
    most_rate = _limits_of(found, "block_storage_bandwidth_mb_per_s", _MICRO)
    most_volumes = np.asarray([each.takes_volumes for each in found.servers])
    too_many = np.asarray([_LIMIT[volume_count_limit(each)] for each in found.servers])
    for provider in sorted({each.provider for each in made}):
        of_provider = [at for at, each in enumerate(made) if each.provider == provider]
        servers = np.asarray(
            [at for at, each in enumerate(found.servers) if each.provider == provider],
            dtype=np.int64,
        )
        option, server = (
            each.ravel() for each in np.meshgrid(of_provider, servers, indexing="ij")
        )
        of_option = {
            "cents": [each.cents for each in made],
            "lacks": [0 if each.priced else _LACKS["volumes"] for each in made],
            "broken": [sum(_LIMIT[name] for name in each.limits) for each in made],
            "iops": [int(each.paid_iops) for each in made],
            "rate": [int(each.paid_mb_per_s * _MICRO) for each in made],
            "held": [
                float(each.item.size_gib * each.item.quantity * GIB) for each in made
            ],
            "count": [float(each.item.quantity) for each in made],
        }
        of = {name: np.asarray(values)[option] for name, values in of_option.items()}
        yield _block(
            len(option),
            "volumes",
            machines,
            server=server,
            volume=option + first,
            ram_gib=ram[server],
            store_bytes=of["held"],
            store_devices=of["count"],
            flash_bytes=local[server],
            flash_devices=counts[server],
            rent_cents=rent[server] + of["cents"],
            lacks=lacks[server] | of["lacks"],
            broken=_ram_limits(wanted, ram[server])
            | of["broken"]
            | np.where(of["count"] > most_volumes[server], too_many[server], 0)
            | np.where(of["iops"] > most_iops[server], _LIMIT["instance_iops"], 0)
            | np.where(
                of["rate"] > most_rate[server], _LIMIT["instance_throughput"], 0
            ),
        )


def _limits_of(found: Sold, name: str, scale: Decimal) -> IntArray:
    """Limits of the instances as whole numbers; where none is stated, one that nothing reaches."""
    limits = [getattr(each, name) for each in found.servers]
    return np.asarray(
        [_LARGEST if each is None else int(each * scale) for each in limits],
        dtype=np.int64,
    )


@dataclass(frozen=True, slots=True)
class Populated:
    """One chassis with every way to fill its memory and the bays of one kind of drive.

    Attributes
    ----------
    chassis : int
        Index of `Sold.chassis`.
    modules : tuple of int
        Counts of equal memory modules.
    drives : tuple of int
        Indices of `Sold.drives` that fit.
    most : int
        Most drives; 1 where no bays are stated.
    """

    chassis: int
    modules: tuple[int, ...]
    drives: tuple[int, ...]
    most: int

    def rows(self, dimms: int) -> int:
        """Return how many configurations there are of so many memory modules, on one number of machines."""
        return dimms * len(self.modules) * len(self.drives) * self.most


def populated(found: Sold) -> Iterator[Populated]:
    """Yield every chassis with each kind of bays, in the order in which its configurations are listed."""
    for at, box in enumerate(found.chassis):
        for bays in ("nvme_bays", "hdd_bays"):
            drives = tuple(
                drive
                for drive, each in enumerate(found.drives)
                if DRIVE_BAYS[each.part.kind] == bays
            )
            if drives and found.dimms and box.dimm_slots:
                yield Populated(
                    at,
                    populations(int(box.dimm_slots)),
                    drives,
                    max(1, int(getattr(box, bays) or 1)),
                )


def _of_parts(wanted: Wanted, found: Sold, machines: int) -> Iterator[_Block]:
    for each in populated(found):
        dimm, count, drive, number = (
            axis.ravel()
            for axis in np.meshgrid(
                np.arange(len(found.dimms)),
                np.asarray(each.modules),
                np.asarray(each.drives),
                np.arange(1, each.most + 1),
                indexing="ij",
            )
        )
        yield _built(
            wanted,
            found,
            (
                np.full(len(dimm), machines),
                np.full(len(dimm), each.chassis),
                *(dimm, count, drive, number),
            ),
        )


def populations(slots: int) -> tuple[int, ...]:
    """List the counts of equal modules that fill a machine evenly: the divisors of its slots.

    Parameters
    ----------
    slots : int
        Memory slots, at least 1.

    Examples
    --------
    >>> populations(24)
    (1, 2, 3, 4, 6, 8, 12, 24)
    """
    return tuple(count for count in range(1, slots + 1) if slots % count == 0)


BuiltOf = tuple[IntArray, IntArray, IntArray, IntArray, IntArray, IntArray]
"""Machines, chassis, memory module, modules, drive, drives: of each row."""


def built(wanted: Wanted, found: Sold, of: BuiltOf) -> Columns:
    """Make the rows of some servers that are built from parts: the same as they are among all of them.

    Parameters
    ----------
    wanted : Wanted
    found : Sold
    of : tuple of int64 array
        Of `BuiltOf`: counts, and indices of what is sold.
    """
    with localcontext(EXACT):
        return Columns(wanted, found, (), **_stacked([_built(wanted, found, of)]))


def _built(wanted: Wanted, found: Sold, of: BuiltOf) -> _Block:
    machines, chassis, dimm, count, drive, number = of
    gib = np.asarray([float(each.part.capacity or 0) for each in found.dimms])
    held = np.asarray([float(each.part.capacity_bytes or 0) for each in found.drives])
    ram = np.asarray(gib[dimm] * count, dtype=np.float64)
    store = held[drive] * number
    rent, watts, lacks = _power(wanted, found, of)
    for items, index, name in (
        (found.dimms, dimm, "memory modules"),
        (found.drives, drive, "drives"),
        (found.chassis, chassis, "chassis"),
    ):
        lacks |= np.where(_unpriced(items)[index], _LACKS[name], 0)
    need = np.zeros(wanted.max_machines + 1)
    for each, data in wanted.machine_bytes.items():
        need[each] = min(data, _LARGEST)
    broken = _ram_limits(wanted, ram)
    broken |= np.where(store < need[machines], _LIMIT[SPACE], 0)
    broken |= np.where(_without_bays(found)[chassis, drive], _LIMIT["no_drive_bays"], 0)
    largest = [each.part.max_ram_gib for each in found.chassis]
    broken |= np.where(ram > _or_infinite(largest)[chassis], _LIMIT["max_ram"], 0)
    supply = [
        None if each.part.psu_w is None else int(each.part.psu_w * _MICRO)
        for each in found.chassis
    ]
    broken |= np.where(watts > _or_infinite(supply)[chassis], _LIMIT["power_supply"], 0)
    return _block(
        len(dimm),
        "chassis",
        machines,
        chassis=chassis,
        dimm=dimm,
        dimms=count,
        drive=drive,
        drives=number,
        ram_gib=ram,
        store_bytes=store,
        store_devices=number,
        rent_cents=rent,
        purchase_cents=_lines(found.chassis, chassis, machines)
        + _lines(found.dimms, dimm, count * machines)
        + _lines(found.drives, drive, number * machines),
        lacks=lacks,
        broken=broken,
    )


def _without_bays(found: Sold) -> NDArray[np.bool_]:
    """Whether a chassis states no bays for a drive, by both."""
    return np.asarray(
        [
            [
                (getattr(box, DRIVE_BAYS[drive.part.kind]) or 0) < 1
                for drive in found.drives
            ]
            for box in found.chassis
        ]
    ).reshape(len(found.chassis), len(found.drives))


def _or_infinite(limits: Sequence[Decimal | int | None]) -> NDArray[np.float64]:
    return np.asarray([np.inf if each is None else float(each) for each in limits])


def line_cents(usd: Decimal | None, quantities: IntArray) -> IntArray:
    """Cents of lines of one price, each rounded as the bill does; 0 without a price. [cent]

    Parameters
    ----------
    usd : Decimal or None
        Of one. [USD]
    quantities : int64 array
        How many, of each line.

    Examples
    --------
    >>> line_cents(Decimal("0.125"), np.asarray([1, 2, 3])).tolist()
    [13, 25, 38]
    """
    if usd is None or not len(quantities):
        return np.zeros(len(quantities), dtype=np.int64)
    with localcontext(EXACT):
        exact = usd * 100
        whole = int(exact)
        # Whole cents need no rounding.
        if exact == whole and whole * int(quantities.max()) < _LARGEST:
            return np.asarray(quantities * whole, dtype=np.int64)
        each, at = np.unique(quantities, return_inverse=True)
        found = [_cents(usd, int(quantity)) for quantity in each]
    return np.asarray(found, dtype=np.int64)[at]


def _lines(items: Sequence[PartItem], index: Whole, quantities: Whole) -> IntArray:
    """Cents of one line of each row, of so many of a part; 0 where there is none."""
    found = np.zeros(len(index), dtype=np.int64)
    for at, item in enumerate(items):
        [rows] = np.nonzero(index == at)
        found[rows] = line_cents(
            None if item.price is None else item.price.usd,
            quantities[rows].astype(np.int64),
        )
    return found


def _unpriced(items: Sequence[PartItem]) -> NDArray[np.bool_]:
    return np.asarray([item.price is None for item in items])


def _power(
    wanted: Wanted, found: Sold, of: BuiltOf
) -> tuple[IntArray, IntArray, IntArray]:
    """Electricity in cents a month, micro-watts of a machine, and where its parts leave it open."""
    machines, chassis, dimm, dimms, drive, drives = of
    if wanted.watts is not None:
        watts = np.full(len(dimm), int(wanted.watts * _MICRO), dtype=np.int64)
        unknown = np.zeros(len(dimm), dtype=np.bool_)
    else:
        of_boxes, boxes_unknown = _watts(found.chassis)
        of_dimms, dimms_unknown = _watts(found.dimms)
        of_drives, drives_unknown = _watts(found.drives)
        watts = of_boxes[chassis] + of_dimms[dimm] * dimms + of_drives[drive] * drives
        unknown = boxes_unknown[chassis] | dimms_unknown[dimm] | drives_unknown[drive]
    if wanted.usd_per_kwh is None:
        return np.zeros_like(watts), watts, np.zeros_like(watts)
    pairs, at = np.unique(machines * _WATTS_BELOW + watts, return_inverse=True)
    scale = wanted.pue * HOURS_PER_MONTH / WATTS_PER_KW
    rent = np.asarray(
        [
            _cents(wanted.usd_per_kwh, Decimal(w) / _MICRO * (m * scale))
            for m, w in (divmod(each, _WATTS_BELOW) for each in pairs.tolist())
        ],
        dtype=np.int64,
    )
    return rent[at], watts, np.where(unknown, _LACKS[ELECTRICITY], 0)


def _watts(items: Sequence[PartItem]) -> tuple[IntArray, NDArray[np.bool_]]:
    """Active power of each part in micro-watts, and where no source states it."""
    powers = [item.part.active_power_w for item in items]
    return (
        np.asarray([0 if each is None else int(each * _MICRO) for each in powers]),
        np.asarray([each is None for each in powers]),
    )


def _names(of: Sequence[str], bits: int) -> tuple[str, ...]:
    return tuple(name for at, name in enumerate(of) if bits >> at & 1)
