"""Decisions about the catalogue."""

import re
import secrets
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.currency import BASE, ExchangeRate
from tierwright.common.units import UNIT_BYTES
from tierwright.evaluate.metadata import PRESETS
from tierwright.hardware import catalog as shipped_catalog
from tierwright.hardware.capabilities import capabilities, missing_figures
from tierwright.hardware.device import (
    FIGURES,
    KINDS,
    OPERATIONS,
    Device,
    Figure,
    device_from_mapping,
)
from tierwright.hardware.prices import (
    PRICE_UNITS,
    Price,
    PriceBook,
    price_book_from_mapping,
    rate_caution,
)
from tierwright.hardware.service_time import (
    service_basis,
    service_time,
    stated_page_bytes,
    waiting_time,
)
from tierwright.simulate.replay import contenders
from tierwright.trace.reading import formats
from tierwright_server.common.errors import Conflict, NotFound
from tierwright_server.hardware.catalog import repository
from tierwright_server.hardware.catalog.schemas import (
    AbsentPriceOut,
    Capability,
    CopyIn,
    DeviceIn,
    DeviceKindOut,
    DeviceList,
    DeviceOut,
    DeviceVocabulary,
    ExchangeRateList,
    ExchangeRateOut,
    FigureKindOut,
    FigureOut,
    FlashMetadataOut,
    FormatOut,
    MeasurementOut,
    PolicyOut,
    PriceBookIn,
    PriceBookList,
    PriceBookOut,
    PriceOut,
    Role,
    SchemeOut,
    ServiceTimeOut,
    SoldAs,
)
from tierwright_server.hardware.catalog.shipped import ShippedCatalog
from tierwright_server.http.context import Context
from tierwright_server.http.preconditions import check_match, etag_of
from tierwright_server.storage import tables

OWN_PREFIX = "own-"
"""Ids of own things begin so, and no shipped one does: they never collide."""

_SLUG_LENGTH = 40


def list_formats() -> list[FormatOut]:
    """List the core's trace formats."""
    return [FormatOut.model_validate(row) for row in formats()]


def list_policies() -> list[PolicyOut]:
    """List the core's replacement policies."""
    return [PolicyOut.model_validate(row) for row in contenders("policy")]


def list_flash_metadata() -> list[FlashMetadataOut]:
    """List the models' presets of flash metadata."""
    return [FlashMetadataOut.model_validate(preset) for preset in PRESETS.values()]


def list_schemes() -> list[SchemeOut]:
    """List the core's page-flow schemes."""
    return [SchemeOut.model_validate(row) for row in contenders("scheme")]


def get_device_vocabulary() -> DeviceVocabulary:
    """List kinds and figures from the models' tables."""
    return DeviceVocabulary(
        kinds=[
            DeviceKindOut(name=name, title=title, roles=list(roles))
            for name, (title, roles) in KINDS.items()
        ],
        figures=[
            FigureKindOut(name=name, units=list(units), meaning=meaning)
            for name, (units, meaning) in FIGURES.items()
        ],
    )


# --- devices -----------------------------------------------------------------


async def list_devices(
    session: AsyncSession,
    context: Context,
    page_bytes: int | None = None,
    *,
    role: Role | None = None,
    answers: Capability | None = None,
    sold_as: SoldAs | None = None,
) -> DeviceList:
    """List shipped and own devices that can do what is asked for, with a page's times."""
    items = [
        device_out(device, page_bytes=page_bytes)
        for device in context.of(ShippedCatalog).devices.values()
    ]
    items += [
        _own_device_out(row, page_bytes) for row in await repository.devices(session)
    ]
    items = [
        item
        for item in items
        if (role is None or role in item.roles)
        and (answers is None or answers in item.answers)
        and sold_as in (None, item.sold_as)
    ]
    return DeviceList(items=items, total=len(items))


async def all_devices(session: AsyncSession, context: Context) -> list[Device]:
    """Return shipped and own devices as the models know them."""
    own = [_load_device(row) for row in await repository.devices(session)]
    return [*context.of(ShippedCatalog).devices.values(), *own]


async def find_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    where: str = "device",
    *,
    page_bytes: int | None = None,
) -> tuple[Device, DeviceOut]:
    """Find a device of either origin; the error names `where` it was asked for."""
    shipped = context.of(ShippedCatalog).devices.get(device_id)
    if shipped is not None:
        return shipped, _shipped_out(context, shipped, page_bytes)
    row = await repository.device(session, device_id)
    if row is None:
        raise NotFound(
            f"{where}: there is no device `{device_id}`",
            hint="Choose another device: it may have been deleted. List all: GET "
            "/api/v1/catalog/devices.",
        )
    return _load_device(row), _own_device_out(row, page_bytes)


_MOST_SHOWN = 1024


def _shipped_out(context: Context, device: Device, page_bytes: int | None) -> DeviceOut:
    """Show a shipped device, not to be changed: it is shown to others too."""
    kept = context.of(ShippedCatalog).shown
    asked = device.id, page_bytes
    if asked not in kept:
        if len(kept) >= _MOST_SHOWN:  # anybody may name page sizes
            kept.clear()
        kept[asked] = device_out(device, page_bytes=page_bytes)
    return kept[asked]


async def get_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    page_bytes: int | None = None,
) -> DeviceOut:
    """Read one device."""
    return (await find_device(session, context, device_id, page_bytes=page_bytes))[1]


async def create_device(session: AsyncSession, body: DeviceIn) -> DeviceOut:
    """Check and keep an own device."""
    return await _keep_device(session, body.name, body.model_dump(exclude_none=True))


async def copy_device(
    session: AsyncSession, context: Context, device_id: str, body: CopyIn
) -> DeviceOut:
    """Copy a device into an own one."""
    device, _ = await find_device(session, context, device_id)
    name = body.name or f"{device.name} (copy)"[:200]
    return await _keep_device(session, name, {**_device_document(device), "name": name})


async def _keep_device(
    session: AsyncSession, name: str, document: Mapping[str, Any]
) -> DeviceOut:
    await _check_room(session, tables.Device)
    device = device_from_mapping({**document, "id": _new_id(name)})
    row = tables.Device(id=device.id, document=_device_document(device))
    session.add(row)
    await session.flush()
    return _own_device_out(row)


async def update_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    body: DeviceIn,
    if_match: str | None = None,
) -> DeviceOut:
    """Change an own device."""
    row = await _own_device(session, context, device_id)
    _check_match(if_match, row)
    document = {**body.model_dump(exclude_none=True), "id": device_id}
    row.document = _device_document(device_from_mapping(document))
    row.updated_at = tables.now()
    await session.flush()
    return _own_device_out(row)


async def delete_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    if_match: str | None = None,
) -> None:
    """Delete an own device that no scenario names."""
    row = await _own_device(session, context, device_id)
    _check_match(if_match, row)
    await _check_unused(session, device_id, "device")
    await session.delete(row)


def _check_match(if_match: str | None, row: tables.Device | tables.PriceBook) -> None:
    check_match(if_match, etag_of(row.id, row.updated_at), f"`{row.id}`")


async def _own_device(
    session: AsyncSession, context: Context, device_id: str
) -> tables.Device:
    if device_id in context.of(ShippedCatalog).devices:
        raise Conflict(
            f"device `{device_id}` is a shipped one and cannot be changed",
            hint=f"Copy it: POST /api/v1/catalog/devices/{device_id}/copy.",
        )
    row = await repository.device(session, device_id, lock=True)
    if row is None:
        raise NotFound(
            f"there is no device `{device_id}`",
            hint="List all: GET /api/v1/catalog/devices.",
        )
    return row


def _device_document(device: Device) -> dict[str, Any]:
    return {key: value for key, value in device.to_dict().items() if value is not None}


def _load_device(row: tables.Device) -> Device:
    return device_from_mapping(row.document, place=f"device {row.id}")


def _own_device_out(row: tables.Device, page_bytes: int | None = None) -> DeviceOut:
    answer = device_out(_load_device(row), own=True, page_bytes=page_bytes)
    answer.updated_at = row.updated_at
    answer.etag = etag_of(row.id, row.updated_at)
    return answer


def device_out(
    device: Device, *, own: bool = False, page_bytes: int | None = None
) -> DeviceOut:
    """Show a device with what the formulas make of its figures for a page."""
    page = page_bytes or stated_page_bytes(device)
    read, write = (service_time(device, each, page) for each in OPERATIONS)
    price = device.figures.get("unit_price")
    rent = device.figures.get("unit_rent")
    dated = rent or price
    return DeviceOut(
        id=device.id,
        name=device.name,
        kind=device.kind,
        origin="own" if own else "shipped",
        year=device.year,
        sold_as=device.sold_as,
        capacity_bytes=device.capacity_bytes,
        page_bytes=device.page_bytes,
        queue_depth=device.queue_depth,
        figures={
            name: FigureOut.model_validate(figure.to_dict())
            for name, figure in device.figures.items()
        },
        measurements=[
            MeasurementOut.model_validate(each.to_dict())
            for each in device.measurements
        ],
        service_page_bytes=page,
        read_service_us=read.time_us,
        write_service_us=write.time_us,
        service_basis=service_basis(device, page),
        service_times={
            "read": ServiceTimeOut.model_validate(read),
            "write": ServiceTimeOut.model_validate(write),
        },
        waiting_times={
            each: ServiceTimeOut.model_validate(waiting_time(device, each, page))
            for each in OPERATIONS
        },
        usd_per_gb=_per_gb(price),
        usd_per_gb_month=_per_gb(rent),
        price_date=dated.date if dated else None,
        roles=list(device.roles),
        answers=list(capabilities(device)),
        missing=list(missing_figures(device)),
        assumed=list(device.assumed),
        notes=device.notes,
    )


def _per_gb(figure: Figure | None) -> Decimal | None:
    if figure is None:
        return None
    per = figure.unit.split("/")[1]
    return figure.value * UNIT_BYTES["GB"] / UNIT_BYTES[per]


# --- price books -------------------------------------------------------------


async def list_price_books(session: AsyncSession, context: Context) -> PriceBookList:
    """List shipped and own price books."""
    items = [
        price_book_out(book) for book in context.of(ShippedCatalog).price_books.values()
    ]
    items += [_own_price_book_out(row) for row in await repository.price_books(session)]
    return PriceBookList(items=items, total=len(items))


async def find_price_book(
    session: AsyncSession, context: Context, price_book_id: str
) -> tuple[PriceBook, PriceBookOut]:
    """Find a price book of either origin."""
    shipped = context.of(ShippedCatalog).price_books.get(price_book_id)
    if shipped is not None:
        return shipped, price_book_out(shipped)
    row = await repository.price_book(session, price_book_id)
    if row is None:
        raise NotFound(
            f"there is no price book `{price_book_id}`",
            hint="Choose another price book: it may have been deleted. List all: GET "
            "/api/v1/catalog/price-books.",
        )
    return _load_price_book(row), _own_price_book_out(row)


async def get_price_book(
    session: AsyncSession, context: Context, price_book_id: str
) -> PriceBookOut:
    """Read one price book."""
    return (await find_price_book(session, context, price_book_id))[1]


async def create_price_book(
    session: AsyncSession, context: Context, body: PriceBookIn
) -> PriceBookOut:
    """Check and keep an own price book."""
    await _check_room(session, tables.PriceBook)
    book = await _checked_book(session, context, body, _new_id(body.name))
    row = tables.PriceBook(id=book.id, document=_book_document(book))
    session.add(row)
    await session.flush()
    return _own_price_book_out(row)


async def update_price_book(
    session: AsyncSession,
    context: Context,
    price_book_id: str,
    body: PriceBookIn,
    if_match: str | None = None,
) -> PriceBookOut:
    """Change a price book of your own."""
    row = await _own_price_book(session, context, price_book_id)
    _check_match(if_match, row)
    row.document = _book_document(
        await _checked_book(session, context, body, price_book_id)
    )
    row.updated_at = tables.now()
    await session.flush()
    return _own_price_book_out(row)


async def delete_price_book(
    session: AsyncSession,
    context: Context,
    price_book_id: str,
    if_match: str | None = None,
) -> None:
    """Delete an own price book that no scenario names."""
    row = await _own_price_book(session, context, price_book_id)
    _check_match(if_match, row)
    await _check_unused(session, price_book_id, "price book")
    await session.delete(row)


async def _own_price_book(
    session: AsyncSession, context: Context, price_book_id: str
) -> tables.PriceBook:
    if price_book_id in context.of(ShippedCatalog).price_books:
        raise Conflict(
            f"price book `{price_book_id}` is a shipped one and cannot be changed",
            hint="Make your own price book: POST /api/v1/catalog/price-books.",
        )
    row = await repository.price_book(session, price_book_id, lock=True)
    if row is None:
        raise NotFound(
            f"there is no price book `{price_book_id}`",
            hint="List all: GET /api/v1/catalog/price-books.",
        )
    return row


async def _checked_book(
    session: AsyncSession, context: Context, body: PriceBookIn, identifier: str
) -> PriceBook:
    book = price_book_from_mapping(
        {**body.model_dump(exclude_none=True), "id": identifier}
    )
    for index, price in enumerate(book.prices):
        if price.device_id is not None:
            await find_device(
                session, context, price.device_id, f"prices[{index}].device_id"
            )
    return book


def _book_document(book: PriceBook) -> dict[str, Any]:
    return book.to_dict()


def _load_price_book(row: tables.PriceBook) -> PriceBook:
    prices = [
        {
            key: Decimal(value) if key in PRICE_UNITS else value
            for key, value in price.items()
        }
        for price in row.document["prices"]
    ]
    return price_book_from_mapping(
        {**row.document, "prices": prices}, place=f"price book {row.id}"
    )


def _own_price_book_out(row: tables.PriceBook) -> PriceBookOut:
    answer = price_book_out(_load_price_book(row), own=True)
    answer.updated_at = row.updated_at
    answer.etag = etag_of(row.id, row.updated_at)
    return answer


def price_book_out(book: PriceBook, *, own: bool = False) -> PriceBookOut:
    """Show a price book."""
    return PriceBookOut(
        id=book.id,
        name=book.name,
        origin="own" if own else "shipped",
        date=book.date,
        region=book.region,
        currency=book.currency,
        exchange_rates=[_rate_out(rate) for rate in book.exchange_rates],
        notes=book.notes,
        default=book.default,
        retired=book.retired,
        absent=[
            AbsentPriceOut(kind=kind, reason=reason)
            for kind, reason in book.absent.items()
        ],
        prices=[_price_out(price) for price in book.prices],
    )


async def list_exchange_rates(
    session: AsyncSession, context: Context, price_book_id: str | None
) -> ExchangeRateList:
    """List the currencies that amounts of a book can be stated in."""
    book = shipped_catalog.default_price_book()
    if price_book_id is not None:
        book, _ = await find_price_book(session, context, price_book_id)
    own = [] if book is None else [rate.currency for rate in book.exchange_rates]
    codes = sorted({*shipped_catalog.currencies(), *own} - {BASE})
    rates = [shipped_catalog.exchange_rate(code, book=book) for code in codes]
    items = [_rate_out(rate, rate_caution(rate, book)) for rate in rates]
    return ExchangeRateList(items=items, total=len(items))


def _rate_out(
    rate: ExchangeRate, caution: dict[str, Any] | None = None
) -> ExchangeRateOut:
    return ExchangeRateOut(
        currency=rate.currency,
        per_usd=rate.per_usd,
        date=rate.date,
        source=rate.source,
        caution=None if caution is None else caution["message"],
    )


def _price_out(price: Price) -> PriceOut:
    return PriceOut.model_validate(
        {
            "device_id": price.device_id,
            "kind": price.kind,
            "usd": price.usd,
            "stated": price.stated,
            "unit": price.unit,
            "usd_per_gb": None if price.rent else price.usd_per_gb,
            "usd_per_gb_month": price.usd_per_gb if price.rent else None,
            "source": price.source,
            "date": price.date,
            "note": price.note,
        }
    )


# --- both --------------------------------------------------------------------


def _new_id(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{OWN_PREFIX}{slug}-{secrets.token_hex(4)}".replace("--", "-")


async def _check_room(
    session: AsyncSession, table: type[tables.Device] | type[tables.PriceBook]
) -> None:
    if await repository.count(session, table) >= repository.MAX_OWN:
        raise Conflict(
            f"there are {repository.MAX_OWN} entries of your own already, which is the "
            "maximum",
            hint="Delete some that are no longer used.",
        )


async def _check_unused(session: AsyncSession, identifier: str, what: str) -> None:
    names = await repository.scenarios_naming(session, identifier)
    if names:
        listed = ", ".join(f"`{name}`" for name in names)
        raise Conflict(
            f"{what} `{identifier}` is used by the saved scenarios {listed}",
            hint="Change or delete these scenarios first.",
        )
