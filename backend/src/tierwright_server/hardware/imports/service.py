"""Reads files of other systems; the models decide what they say."""

import asyncio
import base64
import io
from typing import Any

from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.hardware.imports import inventories
from tierwright.hardware.imports.host.have import have_of
from tierwright.hardware.imports.host.inventory import Inventory
from tierwright.hardware.imports.ledger import Imported, Skip
from tierwright.hardware.imports.mapping import LineMapping, mapping_of
from tierwright.hardware.imports.quotes import CHARGES, QuoteLine
from tierwright.hardware.imports.readers import PRICES, QUOTES, read_rows
from tierwright_server.common.errors import BadInput
from tierwright_server.hardware.imports.schemas import FileImportIn, FileImportOut

_HAVE_KEYS = {"disk_device": "disk_device_id", "ram": "ram_bytes"}
_BY = ("supplier", "part_number", "manufacturer_part_number")
MOST_UNMAPPED = 200
_MOST_SHOWN = 20


async def read(body: FileImportIn) -> FileImportOut:
    """Read a file.

    Raises
    ------
    BadInput
        If it is of no known format, or of another one than was named, or the mapping cannot be read.
    """
    return await asyncio.to_thread(_read, body)


def _read(body: FileImportIn) -> FileImportOut:
    mapping = mapping_of(body.mapping, "mapping")
    stream = io.BytesIO(_bytes_of(body))
    if body.kind == "inventory":
        found = inventories.read_stream(stream, body.name, body.name, body.format)
        return _inventory(found, mapping)
    if body.kind == "prices":
        return _out(
            read_rows(stream, body.name, PRICES, lambda _: None, name=body.format)
        )
    unmapped: dict[tuple[tuple[str, str], ...], str] = {}

    def take(line: QuoteLine) -> None:
        found = _unmapped(line, mapping)
        if found and len(unmapped) < MOST_UNMAPPED:
            unmapped.setdefault(tuple(found.items()), line.description)

    imported = read_rows(
        stream, body.name, QUOTES, take, name=body.format, knows=mapping.knows
    )
    return _out(
        imported,
        unmapped=[
            {"by": dict(by), "description": text} for by, text in unmapped.items()
        ],
    )


def _bytes_of(body: FileImportIn) -> bytes:
    if body.encoding == "text":
        return body.text.encode("utf-8", "replace")
    try:
        return base64.b64decode(body.text, validate=True)
    except ValueError as error:
        raise BadInput.at(
            "body.text",
            body.text[:_MOST_SHOWN],
            "is not Base64",
            hint="Encode the bytes of the file as Base64 (RFC 4648, section 4).",
        ) from error


def _unmapped(line: QuoteLine, mapping: LineMapping) -> dict[str, str]:
    """Return by what a mapping would recognise a line; empty where it does, or the line states nothing."""
    if line.kind in CHARGES:
        return {}
    try:
        if mapping.items_of(line) is not None:
            return {}
    except Skip:
        return {}
    stated = {name: getattr(line, name) for name in _BY if getattr(line, name)}
    return stated if set(stated) - {"supplier"} else {}


def _inventory(found: Inventory, mapping: LineMapping) -> FileImportOut:
    have, reason = None, ""
    if len(found.machines) == 1:
        try:
            have, reason = have_of(found.machines[0], mapping)
        except ModelBadInput as error:
            reason = error.message
    else:
        reason = "what there is must be machines of one build"
    models = {
        drive["model"]: None
        for group in found.machines
        for drive in group["drives"]
        if drive["model"] and not _knows(drive["model"], mapping)
    }
    return _out(
        found.imported,
        machines=found.machines,
        have=None if have is None else _as_asked(have),
        have_reason=reason,
        unmapped=[{"by": {"part_number": name}, "description": ""} for name in models],
    )


def _knows(model: str, mapping: LineMapping) -> bool:
    return any(
        model in (each.by.get("part_number"), each.by.get("manufacturer_part_number"))
        for each in mapping.entries
    )


def _as_asked(have: dict[str, Any]) -> dict[str, Any]:
    """Return what there is in the keys of the API."""
    found = {_HAVE_KEYS.get(name, name): value for name, value in have.items()}
    return {**found, "ram_bytes": int(found["ram_bytes"])}


def _out(imported: Imported, **more: Any) -> FileImportOut:
    document = imported.to_dict()
    for name in ("skipped", "unresolved"):
        document[name] = [{**each, "row": str(each["row"])} for each in document[name]]
    given = {"unmapped": [], "machines": [], "have": None, "have_reason": "", **more}
    return FileImportOut.model_validate({**document, **given})
