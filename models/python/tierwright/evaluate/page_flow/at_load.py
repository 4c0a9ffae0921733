"""How many devices the load of production takes under each scheme, and what they cost.

A curve says what one access costs. Production says how many there are each second, so how busy the devices are is known,
and with it how many of them there have to be: the number that a purchase order holds. Where the data fill fewer devices
than the load takes, the load decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

from tierwright.evaluate.page_flow.load import BusyShares, busy_shares, deciding_terms
from tierwright.evaluate.page_flow.outer import ON_FLASH
from tierwright.evaluate.page_flow.results import (
    AtLoad,
    DevicesNeeded,
    OuterBars,
    SchemeResult,
)
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware.device import Device
from tierwright.hardware.tier_prices import CostPart, part_of_devices
from tierwright.profile.curve import Curve

ROUNDING = 1e-9
"""A device that is busy by so much more than all of the time carries its load. [1]"""


def devices_needed(busy: float, held_bytes: int, capacity_bytes: int | None) -> int:
    """Least equal devices that hold the bytes and carry the load, both spread evenly.

    Parameters
    ----------
    busy : float
        Busy share if there were one; not negative. [1]
    held_bytes : int
        Bytes kept on them. [bytes]
    capacity_bytes : int or None
        Of one; None where it states none. [bytes]

    Notes
    -----
    n = max(ceil(U), ceil(bytes / capacity)): each of n devices is busy for U / n of the time, by the utilisation law
    (Denning and Buzen, 1978). At least 1 where anything is held.

    Examples
    --------
    4 TB on drives of 24 TB, of which one would be busy for 15.3 times the time:

    >>> devices_needed(15.3, 4 * 10**12, 24 * 10**12)
    16
    >>> devices_needed(0.2, 50 * 10**12, 24 * 10**12)
    3
    """
    if held_bytes <= 0:
        return 0
    space = 1 if not capacity_bytes else -(-held_bytes // capacity_bytes)
    return max(1, space, math.ceil(busy * (1 - ROUNDING)))


def at_load(
    schemes: Mapping[str, SchemeResult],
    outer: OuterBars,
    curve: Curve,
    *,
    devices: tuple[Device | None, Device, Device],
    amortisation_months: int,
) -> AtLoad | None:
    """Find the devices that each configuration needs at the rate of production.

    Parameters
    ----------
    schemes : mapping of str to SchemeResult
        At one choice; of a replayed scheme its replay counts.
    outer : OuterBars
        Beside them.
    curve : Curve
        Of production.
    devices : tuple of Device
        RAM (or None), flash, disk.
    amortisation_months : int
        Months over which purchases are spread. [months]

    Returns
    -------
    AtLoad or None
        None where the workload is not on the scale of production, so that no rate is stated.
    """
    if curve.scaled is None:
        return None
    production = curve.scaled.production
    peak = curve.scaled.machine_peak_accesses_per_s
    rate = curve.scaled.machine_accesses_per_s if peak is None else peak

    def needed(
        terms: Mapping[str, float], parts: Mapping[str, CostPart], *, flash: bool
    ) -> DevicesNeeded:
        return _needed(
            busy_shares(terms, rate), parts, devices, amortisation_months, flash=flash
        )

    return AtLoad(
        rate,
        peak is not None,
        production.machines,
        {
            name: needed(
                deciding_terms(found), found.cost_parts, flash=name != NO_FLASH
            )
            for name, found in schemes.items()
        },
        {
            name: needed(
                bar.cost_terms_us_per_access, bar.cost_parts, flash=name == ON_FLASH
            )
            for name, bar in outer.bars.items()
        },
    )


def _needed(
    busy: BusyShares,
    parts: Mapping[str, CostPart],
    devices: tuple[Device | None, Device, Device],
    months: int,
    *,
    flash: bool,
) -> DevicesNeeded:
    """Count the devices of one configuration, and price them whole."""
    _, flash_device, disk_device = devices
    counts: dict[str, int] = {}
    priced: dict[str, CostPart] = {"ram": parts["ram"]}
    for tier, device, share in (
        ("flash", flash_device, busy.flash),
        ("disk", disk_device, busy.disk),
    ):
        part = parts.get(tier)
        if part is None or (tier == "flash" and not flash):
            counts[tier] = 0
            continue
        counts[tier] = devices_needed(share, part.held_bytes, device.capacity_bytes)
        priced[tier] = part_of_devices(part, device, counts[tier], months)
    reasons = dict.fromkeys(each.reason for each in priced.values() if each.reason)
    amounts = [each.usd_per_month for each in priced.values()]
    return DevicesNeeded(
        counts["flash"],
        counts["disk"],
        busy.flash,
        busy.disk,
        None if reasons else sum((a for a in amounts if a is not None), Decimal(0)),
        priced,
        "; ".join(reasons),
    )
