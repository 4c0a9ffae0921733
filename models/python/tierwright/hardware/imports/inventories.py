"""The formats of inventories: what of them is a file, what a folder, and which is which."""

from __future__ import annotations

import sys
from pathlib import Path

from tierwright.common.errors import BadInput
from tierwright.common.wording import listed
from tierwright.hardware.imports import redfish
from tierwright.hardware.imports.host import inventory as host
from tierwright.hardware.imports.host.inventory import Inventory
from tierwright.hardware.imports.source import HEAD_BYTES, Source

FORMATS = (host.FORMAT, redfish.FORMAT)
STANDARD_INPUT = "-"


def read_inventory(file: str, name: str | None = None) -> Inventory:
    """Read an inventory of a file, a folder, or standard input.

    Parameters
    ----------
    file : str
        Path, or `-`.
    name : str, optional
        One of `FORMATS`; by the content unless given: an answer of Redfish states an `@odata.id` or `@odata.type`.

    Raises
    ------
    BadInput
        If there is no such format, or the content does not follow it.
    """
    if name is not None and name not in FORMATS:
        raise BadInput(
            f"[[import_format]]: `{name}` is not a format of inventories that is read here",
            f"the formats are {listed(FORMATS)}",
        )
    if file == STANDARD_INPUT:
        stream = Source(sys.stdin.buffer, "standard input")
        found = name or _format_of(stream.head)
        if found == redfish.FORMAT:
            return redfish.read_stream(stream, stream.place)
        return host.read_stream(stream, stream.place)
    path = Path(file)
    if (name or _format_of_path(path)) == host.FORMAT:
        return host.read_path(path)
    if path.is_dir():
        return redfish.read_folder(path)
    with path.open("rb") as opened:
        return redfish.read_stream(opened, str(path))


def _format_of(head: bytes) -> str:
    return redfish.FORMAT if redfish.recognises(head) else host.FORMAT


def _format_of_path(path: Path) -> str:
    """Return the format of a file, or of a folder by its first file of JSON."""
    first = next(iter(sorted(path.rglob("*.json"))), None) if path.is_dir() else path
    if first is None:
        return host.FORMAT
    with first.open("rb") as stream:
        return _format_of(stream.read(HEAD_BYTES))
