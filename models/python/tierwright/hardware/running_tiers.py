"""Tiers of a running system as devices: their reads take what its counters timed, and nothing else is known of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.device import RUNNING, Device, Figure
from tierwright.profile.curve import Curve
from tierwright.profile.evidence import Tier

FLASH, DISK = "measured-flash", "measured-disk"
IDS = (FLASH, DISK)
"""Names under which the tiers of a workload stand in place of the id of a device."""
ASSUMED_WRITE = "no write was timed: assumed to take as long as a read"
_DIGITS = 6


def running_devices(curve: Curve) -> Mapping[str, Device]:
    """Return the tiers below RAM whose reads the system of a curve timed, as devices.

    Parameters
    ----------
    curve : Curve
        Of the workload.

    Returns
    -------
    mapping of str to Device
        By `FLASH` and `DISK`; empty where no read was timed, as of every curve without counters of tiers.
    """
    evidence = curve.evidence
    tiers = () if evidence is None else evidence.tiers
    source = "" if curve.given is None else curve.given.source
    return {
        name: _device(name, tier, source, curve.page_bytes)
        for at, tier in enumerate(tiers)
        if (name := running_id(tier, at)) is not None
    }


def running_id(tier: Tier, at: int) -> str | None:
    """Return the name of a tier as a device; None of RAM, and where no read was timed.

    Parameters
    ----------
    tier : Tier
        Of a running system.
    at : int
        Its place, 0 the fastest one.
    """
    if at == 0 or not tier.read_us:
        return None
    return DISK if tier.size_bytes is None else FLASH


def device_for(
    curve: Curve, name: str, find: Callable[[str], Device] = catalog.device_or_file
) -> Device:
    """Find a device by its id or file, or the tier of the system that a curve was counted on.

    Parameters
    ----------
    curve : Curve
        Of the workload.
    name : str
        Id, file, or one of `IDS`.
    find : callable, optional
        Of what is none of `IDS`.

    Raises
    ------
    BadInput
        If there is no such device, or the tier was not timed.
    """
    if name not in IDS:
        return find(name)
    found = running_devices(curve).get(name)
    if found is None:
        raise BadInput(
            f"device: `{name}`: the workload has no tier whose reads were timed",
            "name a device of the catalogue, or give counters with the time of reads of each tier",
        )
    return found


def _device(name: str, tier: Tier, source: str, page_bytes: int) -> Device:
    time = Decimal(f"{tier.read_us:.{_DIGITS}g}")
    counted = f"counters of the running system ({source})"
    note = "mean time of a read, waits included"
    return Device(
        name,
        f"{tier.name[0].upper()}{tier.name[1:]}, as measured",
        "nvme",
        figures={
            "page_bytes": Figure(Decimal(page_bytes), "B", counted),
            "read_latency_us": Figure(time, "µs", counted, note=note),
            "write_latency_us": Figure(
                time, "µs", counted, note=ASSUMED_WRITE, assumed=True
            ),
        },
        notes="A tier of the system that was counted: price, capacity and endurance are not known.",
        sold_as=RUNNING,
    )
