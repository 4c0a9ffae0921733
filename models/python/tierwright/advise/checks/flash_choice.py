"""The check of the choice of a flash device: one replay of a scheme prices every device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tierwright.advise.checks.checked import REPLAYED, Checked, row, verdict
from tierwright.advise.checks.counted import Counters, replayed_choice
from tierwright.advise.flash_choice import DeviceRow
from tierwright.advise.point import scheme_titles
from tierwright.hardware.device import Device

NOTHING_RANKED = Checked(finding="No device could be ranked.", rows=(), basis=REPLAYED)


def check(
    ranked: Sequence[DeviceRow],
    devices: Sequence[Device],
    *,
    disk: Device,
    counters: Mapping[str, Counters],
) -> Checked:
    """Put the I/O time of every device beside that of one replay a scheme.

    Parameters
    ----------
    ranked : sequence of DeviceRow
        Rows of the answer.
    devices : sequence of Device
        Those that they are of.
    disk : Device
        Behind flash.
    counters : mapping of str to counters
        Of the replay of each scheme.
    """
    found = replayed_choice(counters, devices, disk=disk)
    titles = scheme_titles()
    rows = tuple(
        row(
            each.device_id,
            each.device_name,
            f"I/O time, {titles[each.scheme]}"
            if each.scheme == found[each.device_id].scheme
            else f"I/O time, {titles[each.scheme]}; replayed best: "
            f"{titles[found[each.device_id].scheme]}",
            "µs/access",
            each.io_time_us_per_access,
            found[each.device_id].io_time_us_per_access,
        )
        for each in ranked
        if each.device_id in found
    )
    return Checked(
        finding=verdict(rows, "I/O time", min),
        rows=rows,
        basis=f"{REPLAYED} One replay of a scheme prices every device.",
    )
