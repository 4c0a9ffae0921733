"""What there is, for the advisor: machines of equal build with one kind of drives, by the mapping of the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.imports.ledger import Skip
from tierwright.hardware.imports.mapping import LineMapping


@dataclass(frozen=True, slots=True)
class _Model:
    """A model of a drive, as the line of a quote states it."""

    part_number: str
    kind: str = ""
    item: str = ""
    supplier: str = ""
    manufacturer: str = ""

    @property
    def manufacturer_part_number(self) -> str:
        return self.part_number


def have_of(
    group: Mapping[str, Any], mapping: LineMapping
) -> tuple[dict[str, Any] | None, str]:
    """Return a group of machines as a file of `tierwright advise --have` states it, or why it cannot be.

    Parameters
    ----------
    group : mapping
        Of `tierwright.hardware.imports.host.machine.groups_of`.
    mapping : LineMapping
        Which device each model of a drive is: a model is its part number.

    Returns
    -------
    have : dict or None
        `machines`, `ram`, `disk_device`, `disks`; what it costs is not among it.
    reason : str
        Why there is none; empty where there is one.

    Raises
    ------
    BadInput
        If the mapping names a device that does not exist.
    """
    if not group["ram_bytes"]:
        return None, "its memory was not read"
    devices: dict[str, int] = {}
    for drive in group["drives"]:
        model = drive["model"]
        try:
            items = mapping.items_of(_Model(model)) if model else None
        except Skip as twice:
            return None, twice.reason
        if not items or len(items) != 1 or items[0].kind != "device":
            return None, f"the mapping does not state which device `{model}` is"
        name = catalog.device(items[0].item).id
        if items[0].quantity != 1:
            raise BadInput(
                f"mapping: `{model}` is {items[0].quantity:,} of `{name}`",
                "a drive is one device: leave `quantity` out",
            )
        devices[name] = devices.get(name, 0) + drive["count_per_machine"]
    if len(devices) != 1:
        return None, (
            "it has drives of several kinds, and nothing states which of them cache"
            if devices
            else "it has no drives"
        )
    [(name, each)] = devices.items()
    count = group["count"]
    return {
        "machines": count,
        "ram": str(group["ram_bytes"] * count),
        "disk_device": name,
        "disks": each * count,
    }, ""
