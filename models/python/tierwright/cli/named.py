"""Devices as the command line names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tierwright.hardware.device import Device


def named_device(name: str) -> Device:
    """Return a device of the catalogue, of a file, or the local disk of an instance by `disk-of-` and the id of the instance.

    Raises
    ------
    BadInput
        If there is no such device or file, or the file does not follow the format.
    """
    from tierwright.hardware import catalog
    from tierwright.hardware.servers import OF_SERVER

    # What is sold takes long to import: only where such a disk is named.
    if name.startswith(OF_SERVER):
        from tierwright.evaluate.configurations.sold import disk_of_server

        found = disk_of_server(name)
        if found is not None:
            return found
    return catalog.device_or_file(name)
