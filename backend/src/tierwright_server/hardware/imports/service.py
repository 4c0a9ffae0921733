"""Reads files of other systems; the models decide what they say."""

import asyncio
import base64
import io
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.currency import ExchangeRate, rate_from_mapping
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.common.errors import Problems
from tierwright.common.wording import counted
from tierwright.hardware.device import Device
from tierwright.hardware.imports import inventories
from tierwright.hardware.imports.books import (
    BookMaker,
    MadeBook,
    changed_prices,
    is_placed,
)
from tierwright.hardware.imports.columns import Columns
from tierwright.hardware.imports.host.have import have_of
from tierwright.hardware.imports.host.inventory import Inventory
from tierwright.hardware.imports.ledger import Imported, Skip
from tierwright.hardware.imports.mapping import LineMapping, Stated, mapping_of
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.imports.quotes import CHARGES, QuoteLine
from tierwright.hardware.imports.readers import PRICES, QUOTES, Reader, read_rows
from tierwright_server.common.errors import BadInput
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import ExchangeRateIn
from tierwright_server.hardware.imports.schemas import (
    FileImportIn,
    FileImportOut,
    ImportNoteOut,
    LineMappingIn,
    LineMappingOut,
    PriceBookImportIn,
    PriceBookImportOut,
    PriceChangeOut,
    PriceLeftOut,
    SkippedRowOut,
)
from tierwright_server.http.context import Context
from tierwright_server.http.preconditions import check_match, etag_of
from tierwright_server.storage import tables

_HAVE_KEYS = {"disk_device": "disk_device_id", "ram": "ram_bytes"}
_BY = ("supplier", "part_number", "manufacturer_part_number")
Line = TypeVar("Line", bound=Stated)
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
        found = inventories.read_stream(
            stream, body.name, body.name, body.format, _columns_of(body)
        )
        return _inventory(found, mapping)
    if body.kind == "prices":
        return _lines(body, stream, PRICES, mapping, _unplaced, lambda one: one.name)
    return _lines(body, stream, QUOTES, mapping, _unmapped, lambda one: one.description)


def _lines(
    body: FileImportIn,
    stream: io.BytesIO,
    readers: dict[str, Reader[Line]],
    mapping: LineMapping,
    by_of: Callable[[Line, LineMapping], dict[str, str]],
    title_of: Callable[[Line], str],
) -> FileImportOut:
    """Read quotes or prices, and list what the mapping does not have.

    Parameters
    ----------
    by_of : callable
        By what a mapping would recognise a row; empty where it does, or the row states nothing.
    title_of : callable
        What the file calls it.
    """
    unmapped: dict[tuple[tuple[str, str], ...], str] = {}

    def take(line: Line) -> None:
        if len(unmapped) < MOST_UNMAPPED and (found := by_of(line, mapping)):
            unmapped.setdefault(tuple(found.items()), title_of(line))

    imported = read_rows(
        stream,
        body.name,
        readers,
        take,
        name=body.format,
        knows=mapping.knows,
        columns=_columns_of(body),
    )
    return _out(
        imported,
        unmapped=[
            {"by": dict(by), "description": text} for by, text in unmapped.items()
        ],
    )


def _columns_of(body: FileImportIn | PriceBookImportIn) -> Columns:
    return Columns(body.columns, body.values)


async def import_price_book(
    session: AsyncSession, context: Context, body: PriceBookImportIn
) -> PriceBookImportOut:
    """Make a price book of a list, and say what changed since the last one of its name.

    Raises
    ------
    BadInput
        If the list cannot be read, or none of its prices is that of a known device.
    """
    known = {each.id: each for each in await catalog.all_devices(session, context)}
    imported, made = await asyncio.to_thread(_book_of, body, known)
    found = await catalog.keep_imported(session, made.book)
    after, earlier = found.thing, found.earlier
    changes = [] if earlier is None else changed_prices(earlier, after)
    # It is kept under an id of its own.
    said = [replace(made, book=found.thing).finding]
    if not found.is_new:
        said.append("The same list was imported before.")
    if earlier is not None:
        said.append(
            f"{counted(len(changes), 'price differs', 'prices differ')} from the book `{earlier.id}`."
        )
    return PriceBookImportOut(
        price_book=found.shown,
        is_new=found.is_new,
        finding=" ".join(said),
        left=[PriceLeftOut(**asdict(each)) for each in made.left],
        earlier_id=None if earlier is None else earlier.id,
        changes=[PriceChangeOut(**each) for each in changes],
        skipped=[
            SkippedRowOut(row=str(each["row"]), reason=each["reason"])
            for each in imported.skipped
        ],
        warnings=[ImportNoteOut(**each) for each in imported.warnings],
    )


def _book_of(
    body: PriceBookImportIn, devices: Mapping[str, Device]
) -> tuple[Imported, MadeBook]:
    mapping = mapping_of(body.mapping, "mapping")
    maker = BookMaker(mapping, body.region, devices=devices)
    imported = read_rows(
        io.BytesIO(_bytes_of(body)),
        body.name,
        PRICES,
        maker.add,
        name=body.format,
        columns=_columns_of(body),
    )
    rates = [rate_of(each) for each in body.exchange_rates]
    return imported, maker.made(imported, body.name, rates)


def rate_of(stated: ExchangeRateIn) -> ExchangeRate:
    """Return an exchange rate of a request.

    Raises
    ------
    BadInput
        If it is not one.
    """
    problems = Problems("exchange_rates", "state currency, per_usd, date and source")
    rate = rate_from_mapping(stated.model_dump(), "exchange_rates", problems)
    problems.raise_if_any()
    assert rate is not None
    return rate


async def get_mapping(session: AsyncSession) -> LineMappingOut:
    """Read the kept mapping."""
    return _mapping_out(await session.get(tables.LineMapping, _KEPT))


async def replace_mapping(
    session: AsyncSession, body: LineMappingIn, if_match: str | None
) -> LineMappingOut:
    """Keep a mapping in place of the one that is kept.

    Raises
    ------
    BadInput
        If it is not a mapping.
    PreconditionFailed
        If it was changed since it was read.
    """
    lines = mapping_of(body.line, "line").to_dict()
    # The first of all: a second request waits for it here, and then sees it.
    await session.execute(
        insert(tables.LineMapping)
        .values(id=_KEPT, lines=[], updated_at=_NEVER)
        .on_conflict_do_nothing()
    )
    row = await session.get(tables.LineMapping, _KEPT, with_for_update=True)
    assert row is not None
    check_match(if_match, _mapping_out(row).etag, "the mapping")
    row.lines, row.updated_at = lines, tables.now()
    await session.flush()
    return _mapping_out(row)


def _mapping_out(row: tables.LineMapping | None) -> LineMappingOut:
    return LineMappingOut(
        line=[] if row is None else row.lines,
        etag=etag_of(_KEPT, _NEVER if row is None else row.updated_at),
        updated_at=None if row is None else row.updated_at,
    )


_KEPT = "kept"
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def _bytes_of(body: FileImportIn | PriceBookImportIn) -> bytes:
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


def _unplaced(price: Price, mapping: LineMapping) -> dict[str, str]:
    """Return by what a mapping would recognise a price; empty where it or a rule does, or the price states nothing."""
    key = price.part_number
    return {"part_number": key} if key and not is_placed(price, mapping) else {}


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
