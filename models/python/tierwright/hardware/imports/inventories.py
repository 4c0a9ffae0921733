"""The formats of inventories: what of them is a file, what a folder, and which is which."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from tierwright.common.errors import BadInput
from tierwright.common.wording import listed
from tierwright.hardware.imports import archives, inventory_csv, redfish
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns
from tierwright.hardware.imports.host import inventory as host
from tierwright.hardware.imports.host.inventory import Inventory
from tierwright.hardware.imports.source import HEAD_BYTES, Source

FORMATS = (host.FORMAT, redfish.FORMAT, inventory_csv.FORMAT)
STANDARD_INPUT = "-"


def read_inventory(
    file: str, name: str | None = None, columns: Columns = NO_COLUMNS
) -> Inventory:
    """Read an inventory of a file, a folder, or standard input.

    Parameters
    ----------
    file : str
        Path, or `-`.
    name : str, optional
        One of `FORMATS`; by the content unless given: an answer of Redfish states an `@odata.id` or `@odata.type`, a
        table has our columns.
    columns : Columns
        Of a table that does not have our columns.

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
        _check_columns(inventory_csv.FORMAT if name is None else name, columns, file)
        if columns or name == inventory_csv.FORMAT:
            raise BadInput(
                f"{file}: is a folder, and a table is one file", "name the file"
            )
        return _read_folder(path, _checked(name), file)
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
    if columns or name == inventory_csv.FORMAT:
        _check_columns(inventory_csv.FORMAT if name is None else name, columns, place)
        return inventory_csv.read_stream(source, columns)
    if source.head.startswith(archives.BEGINS):
        with archives.unpacked(source, host_name) as folder:
            found = _read_folder(folder, name, place)
        imported = replace(found.imported, id=source.content_id())
        return replace(found, imported=imported)
    if (name or _format_of(source.head)) == redfish.FORMAT:
        return redfish.read_stream(source, place)
    if name is None and inventory_csv.recognises(source.head):
        return inventory_csv.read_stream(source)
    return host.read_stream(source, place, host_name)


def _checked(name: str | None) -> str | None:
    if name is not None and name not in FORMATS:
        raise BadInput(
            f"[[import_format]]: `{name}` is not a format of inventories that is read here",
            f"the formats are {listed(FORMATS)}",
        )
    return name


def _check_columns(name: str, columns: Columns, place: str) -> None:
    if columns and name != inventory_csv.FORMAT:
        raise BadInput(
            f"{place}: {columns.mark}: the columns of `{name}` are known",
            "state columns of a table of another system alone",
        )


def _read_folder(folder: Path, name: str | None, place: str) -> Inventory:
    if (name or _format_of_folder(folder)) == redfish.FORMAT:
        return redfish.read_folder(folder, place)
    return host.read_folder(folder, place)


def _format_of(head: bytes) -> str:
    return redfish.FORMAT if redfish.recognises(head) else host.FORMAT


def _format_of_folder(folder: Path) -> str:
    """Return the format of a folder, by its first file of JSON."""
    files = sorted(each for each in folder.rglob("*.json") if each.is_file())
    if not files:
        return host.FORMAT
    with files[0].open("rb") as stream:
        return _format_of(stream.read(HEAD_BYTES))
