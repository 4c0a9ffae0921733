"""The formats of inventories: what of them is a file, what a folder, and which is which."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from tierwright.common.errors import BadInput
from tierwright.common.wording import listed
from tierwright.hardware.imports import archives, inventory_csv, netbox, redfish
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns
from tierwright.hardware.imports.host import inventory as host
from tierwright.hardware.imports.host.inventory import Inventory
from tierwright.hardware.imports.source import HEAD_BYTES, Source

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class InventoryReader:
    """How a format of inventories is recognised and read.

    Attributes
    ----------
    recognises : callable
        Whether the beginning of a file is of this format.
    read_stream : callable
        Of a file, with the name of the machine where nothing states it, and what its columns are.
    read_folder : callable or None
        Of a folder, with the place that errors name; None where the format is one file.
    has_columns : bool
        Whether the user may state what columns or fields are.
    """

    recognises: Callable[[bytes], bool]
    read_stream: Callable[[Source, str, Columns], Inventory]
    read_folder: Callable[[Path, str, Columns], Inventory] | None
    has_columns: bool


READERS: dict[str, InventoryReader] = {
    redfish.FORMAT: InventoryReader(
        redfish.recognises,
        lambda source, _name, _columns: redfish.read_stream(source, source.place),
        lambda folder, place, _columns: redfish.read_folder(folder, place),
        has_columns=False,
    ),
    netbox.FORMAT: InventoryReader(
        netbox.recognises,
        lambda source, _name, columns: netbox.read_stream(source, columns),
        netbox.read_folder,
        has_columns=True,
    ),
    inventory_csv.FORMAT: InventoryReader(
        inventory_csv.recognises,
        lambda source, _name, columns: inventory_csv.read_stream(source, columns),
        None,
        has_columns=True,
    ),
    # Outputs of programs begin in many ways: what is nothing else is them.
    host.FORMAT: InventoryReader(
        lambda _head: True,
        lambda source, name, _columns: host.read_stream(source, source.place, name),
        lambda folder, place, _columns: host.read_folder(folder, place),
        has_columns=False,
    ),
}
FORMATS = tuple(READERS)


def read_inventory(
    file: str, name: str | None = None, columns: Columns = NO_COLUMNS
) -> Inventory:
    """Read an inventory of a file, a folder, or standard input.

    Parameters
    ----------
    file : str
        Path, or `-`.
    name : str, optional
        One of `FORMATS`; by the content unless given: an answer of Redfish states an `@odata.id` or `@odata.type`, one of
        NetBox its path, a table has our columns or those of NetBox.
    columns : Columns
        Of a table that does not have our columns, or what is stated of NetBox.

    Raises
    ------
    BadInput
        If there is no such format, or the content does not follow it.
    """
    if file == STANDARD_INPUT:
        place = "standard input"
        return read_stream(sys.stdin.buffer, place, "host", name, columns)
    path = Path(file)
    if path.is_dir():
        return _read_folder(path, _checked(name), file, columns)
    with path.open("rb") as opened:
        return read_stream(opened, str(path), path.stem, name, columns)


def read_stream(
    stream: BinaryIO,
    place: str,
    host_name: str,
    name: str | None = None,
    columns: Columns = NO_COLUMNS,
) -> Inventory:
    """Read an inventory of one file, which may be a ZIP archive of a folder.

    Parameters
    ----------
    stream : BinaryIO
        At its beginning.
    place : str
        Named in errors.
    host_name : str
        Of the machine, where no document says it.
    name : str, optional
    columns : Columns
        As of `read_inventory`.

    Raises
    ------
    BadInput
        As of `read_inventory`.
    """
    _checked(name)
    source = Source(stream, place)
    if source.head.startswith(archives.BEGINS):
        with archives.unpacked(source, host_name) as folder:
            found = _read_folder(folder, name, place, columns)
        imported = replace(found.imported, id=source.content_id())
        return replace(found, imported=imported)
    format_ = name or _format_of(source.head, columns)
    _check_columns(format_, columns, place)
    return READERS[format_].read_stream(source, host_name, columns)


def _checked(name: str | None) -> str | None:
    if name is not None and name not in FORMATS:
        raise BadInput(
            f"[[import_format]]: `{name}` is not a format of inventories that is read here",
            f"the formats are {listed(FORMATS)}",
        )
    return name


def _check_columns(name: str, columns: Columns, place: str) -> None:
    if columns and not READERS[name].has_columns:
        raise BadInput(
            f"{place}: {columns.mark}: the columns of `{name}` are known",
            "state columns of a table of another system alone",
        )


def _read_folder(
    folder: Path, name: str | None, place: str, columns: Columns
) -> Inventory:
    format_ = name or _format_of_folder(folder, columns)
    _check_columns(format_, columns, place)
    read = READERS[format_].read_folder
    if read is None:
        raise BadInput(
            f"{place}: is a folder, and a table is one file", "name the file"
        )
    return read(folder, place, columns)


def _format_of(head: bytes, columns: Columns) -> str:
    """Return the format of a file.

    A table of another system is told by nothing else than that its columns are stated, one of NetBox by what is stated too.
    """
    found = next(name for name, each in READERS.items() if each.recognises(head))
    is_table = not head.decode("utf-8-sig", "replace").lstrip().startswith(("{", "["))
    of_netbox = found == netbox.FORMAT and {*columns.names, *columns.values} <= {
        *netbox.FIELDS
    }
    return inventory_csv.FORMAT if columns and is_table and not of_netbox else found


def _format_of_folder(folder: Path, columns: Columns) -> str:
    """Return the format of a folder, by its first file of JSON, else its first table."""
    for ending in ("json", "csv"):
        files = sorted(each for each in folder.rglob(f"*.{ending}") if each.is_file())
        if files:
            with files[0].open("rb") as stream:
                found = _format_of(stream.read(HEAD_BYTES), NO_COLUMNS)
            if found == netbox.FORMAT or (ending == "json" and not columns):
                return found
    return inventory_csv.FORMAT if columns else host.FORMAT
