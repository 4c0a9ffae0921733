"""Cloud instances that can be rented: cores, RAM, local disks, limits, price per hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.common.derivation import plain
from tierwright.common.errors import Problems
from tierwright.hardware import facts
from tierwright.hardware.facts import Fact, FigureTable, fixtures_folder

FIGURES: FigureTable = {
    "vcpu": (("1",), "virtual processors"),
    "ram_gib": (("GiB",), "RAM, as the provider sells it"),
    "local_nvme_count": (("1",), "local disks; 0: the type has none"),
    "local_nvme_gb_each": (("GB",), "size of one local disk, decimal"),
    "local_read_iops": (("1/s",), "random reads per second, all local disks together"),
    "local_write_iops": (
        ("1/s",),
        "random writes per second, all local disks together",
    ),
    "network_gbit_per_s": (("Gbit/s",), "network; the note says on which basis"),
    "block_storage_bandwidth_mb_per_s": (
        ("MB/s",),
        "sustained bandwidth to block volumes, all volumes together",
    ),
    "block_storage_bandwidth_burst_mb_per_s": (
        ("MB/s",),
        "the same in a burst of limited time",
    ),
    "block_storage_iops": (("1/s",), "sustained IOPS of all block volumes together"),
    "block_storage_iops_burst": (("1/s",), "the same in a burst of limited time"),
    "block_volumes": (
        ("1",),
        "block volumes that it takes besides the one it boots from, at most",
    ),
    "usd_per_hour": (("USD/hour",), "on demand, Linux, without commitment"),
}
"""Every figure that a server may state: allowed units, meaning."""

COMMAND = "tierwright catalog servers"
OF_SERVER = "disk-of-"
"""Before the id of an instance: the id of its local disk as a device, with the rates that the instance states.

The catalogue has disks of some instances under ids of their own, with figures of other sources.
"""
VOLUMES_WHERE_UNSTATED = 3
"""Block volumes that an instance takes in any case, where no source states how many: as few as the least of those whose
limits were read, a C4D of Google Cloud with two virtual processors."""


@dataclass(frozen=True, slots=True)
class Server:
    """A cloud instance type.

    Attributes
    ----------
    id, name, provider, family, region, notes : str
        The region is that of the price.
    latency_of : str
        Id of the device whose latencies hold for one local disk; empty where no source states any.
    rates_of : str
        Id of the device that is the same as one local disk, whose sequential rates hold for it; empty where no source
        states any.
    vcpu, ram_gib, ... : Decimal or None
        As `FIGURES` explains; None where no source states it.
    figures : mapping of str to Fact
        Each number with its source, date and licence.
    """

    id: str
    name: str
    provider: str
    family: str
    region: str
    notes: str
    latency_of: str
    rates_of: str
    vcpu: Decimal | None
    ram_gib: Decimal | None
    local_nvme_count: Decimal | None
    local_nvme_gb_each: Decimal | None
    local_read_iops: Decimal | None
    local_write_iops: Decimal | None
    network_gbit_per_s: Decimal | None
    block_storage_bandwidth_mb_per_s: Decimal | None
    block_storage_bandwidth_burst_mb_per_s: Decimal | None
    block_storage_iops: Decimal | None
    block_storage_iops_burst: Decimal | None
    block_volumes: Decimal | None
    usd_per_hour: Decimal | None
    figures: Mapping[str, Fact]

    @property
    def local_nvme_gb(self) -> Decimal | None:
        """All local disks together. [GB]"""
        if self.local_nvme_count == 0:
            return Decimal(0)
        if self.local_nvme_count is None or self.local_nvme_gb_each is None:
            return None
        return self.local_nvme_count * self.local_nvme_gb_each

    @property
    def takes_volumes(self) -> int:
        """Block volumes that it is sure to take besides the one it boots from."""
        most = self.block_volumes
        return VOLUMES_WHERE_UNSTATED if most is None else int(most)

    @property
    def states_sustained(self) -> bool:
        """Whether a source states both what it sustains to its volumes: IOPS and throughput."""
        limits = self.block_storage_iops, self.block_storage_bandwidth_mb_per_s
        return None not in limits

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; money as decimal strings."""
        return {
            **{
                key: getattr(self, key)
                for key in (
                    "id",
                    "name",
                    "provider",
                    "family",
                    "region",
                    "notes",
                    "latency_of",
                    "rates_of",
                )
            },
            **plain({name: getattr(self, name) for name in FIGURES}),
            "local_nvme_gb": plain(self.local_nvme_gb),
            "figures": {name: fact.to_dict() for name, fact in self.figures.items()},
        }


def server_from_mapping(data: Mapping[str, Any], place: str = "server") -> Server:
    """Make a server from plain data, checking every key and value.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, "see docs/reference/servers.md for keys and units")
    texts = facts.read_texts(
        data,
        ("id", "name", "provider", "family", "region"),
        ("notes", "latency_of", "rates_of"),
        ("figures",),
        problems,
    )
    figures = facts.read_figures(data.get("figures", {}), FIGURES, problems)
    problems.raise_if_any()
    return Server(**texts, **facts.numbers_of(figures, FIGURES), figures=figures)


def servers() -> Mapping[str, Server]:
    """Shipped servers by id, in order of id."""
    return facts.read_folder(fixtures_folder() / "servers", server_from_mapping)


def providers() -> tuple[str, ...]:
    """Return the providers of shipped servers, in order.

    Examples
    --------
    >>> "aws" in providers()
    True
    """
    return tuple(sorted({each.provider for each in servers().values()}))


def server(identifier: str) -> Server:
    """Shipped server of that id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.

    Examples
    --------
    >>> server("aws-i4i.4xlarge").ram_gib
    Decimal('128')
    """
    return facts.find(servers(), identifier, "server", COMMAND)
