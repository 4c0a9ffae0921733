"""Decisions about the catalogue."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.currency import BASE, ExchangeRate
from tierwright.common.units import UNIT_BYTES
from tierwright.evaluate.configurations.sold import disk_of_server
from tierwright.evaluate.metadata import PRESETS
from tierwright.hardware import catalog as shipped_catalog
from tierwright.hardware.capabilities import capabilities, missing_figures
from tierwright.hardware.device import (
    FIGURES,
    KINDS,
    OPERATIONS,
    RUNNING,
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
from tierwright.hardware.rents import INSTANCE, VOLUME
from tierwright.hardware.service_time import (
    service_basis,
    service_time,
    stated_page_bytes,
    waiting_time,
)
from tierwright.simulate.replay import contenders
from tierwright.trace.reading import formats
from tierwright_server.common.errors import Conflict
from tierwright_server.hardware.catalog.own import (
    OWN_PREFIX,
    Entry,
    Store,
    marked,
)
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
    RentOut,
    Role,
    SchemeOut,
    ServiceTimeOut,
    SoldAs,
)
from tierwright_server.hardware.catalog.shipped import ShippedCatalog
from tierwright_server.http.context import Context
from tierwright_server.storage import tables


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
        _device_shown(entry, page_bytes)
        for entry in await DEVICES.all(session, context)
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
    return [entry.thing for entry in await DEVICES.all(session, context)]


async def find_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    where: str = "device",
    *,
    page_bytes: int | None = None,
) -> tuple[Device, DeviceOut]:
    """Find a device of either origin, or the disk of an instance; the error names `where` it was asked for."""
    of_server = disk_of_server(device_id)
    if of_server is not None:
        return of_server, _shipped_out(context, of_server, page_bytes)
    found = await DEVICES.find(session, context, device_id, where)
    if found.row is None:
        return found.thing, _shipped_out(context, found.thing, page_bytes)
    return found.thing, _device_shown(found, page_bytes)


async def named_device(
    session: AsyncSession, context: Context, device_id: str | None, where: str
) -> Device | None:
    """Find a device that need not be named; None where it is not."""
    if device_id is None:
        return None
    return (await find_device(session, context, device_id, where))[0]


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
    return await _keep_device(session, name, {**device_document(device), "name": name})


async def _keep_device(
    session: AsyncSession, name: str, document: Mapping[str, Any]
) -> DeviceOut:
    async def make(identifier: str) -> Device:
        return device_from_mapping({**document, "id": identifier})

    return _device_shown(await DEVICES.add(session, name, make))


async def update_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    body: DeviceIn,
    if_match: str | None = None,
) -> DeviceOut:
    """Change an own device."""

    async def make(identifier: str) -> Device:
        return device_from_mapping(
            {**body.model_dump(exclude_none=True), "id": identifier}
        )

    found = await DEVICES.change(session, context, device_id, if_match, make)
    return _device_shown(found)


async def delete_device(
    session: AsyncSession,
    context: Context,
    device_id: str,
    if_match: str | None = None,
) -> None:
    """Delete an own device that no scenario names."""
    await DEVICES.delete(session, context, device_id, if_match)


def device_document(device: Device) -> dict[str, Any]:
    """Return a device as the document that makes it again."""
    return {key: value for key, value in device.to_dict().items() if value is not None}


DEVICES: Store[Device] = Store(
    noun="device",
    path="/api/v1/catalog/devices",
    table=tables.Device,
    shipped=lambda catalog: catalog.devices,
    load=lambda document, place: device_from_mapping(document, place=place),
    document=device_document,
    instead=lambda name: f"Copy it: POST /api/v1/catalog/devices/{name}/copy.",
)


def _device_shown(found: Entry[Device], page_bytes: int | None = None) -> DeviceOut:
    own = found.row is not None
    return marked(device_out(found.thing, own=own, page_bytes=page_bytes), found.row)


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
        origin="running" if device.sold_as == RUNNING else "own" if own else "shipped",
        year=device.year,
        sold_as=device.sold_as,
        product=device.product,
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
    items = [_book_shown(entry) for entry in await PRICE_BOOKS.all(session, context)]
    return PriceBookList(items=items, total=len(items))


async def find_price_book(
    session: AsyncSession, context: Context, price_book_id: str
) -> tuple[PriceBook, PriceBookOut]:
    """Find a price book of either origin."""
    found = await PRICE_BOOKS.find(session, context, price_book_id)
    return found.thing, _book_shown(found)


async def get_price_book(
    session: AsyncSession, context: Context, price_book_id: str
) -> PriceBookOut:
    """Read one price book."""
    return (await find_price_book(session, context, price_book_id))[1]


async def create_price_book(
    session: AsyncSession, context: Context, body: PriceBookIn
) -> PriceBookOut:
    """Check and keep an own price book."""
    make = _checked_book(session, context, body)
    return _book_shown(await PRICE_BOOKS.add(session, body.name, make))


@dataclass(frozen=True, slots=True)
class KeptBook:
    """A price book of an imported list, as it is kept.

    Attributes
    ----------
    thing : PriceBook
    shown : PriceBookOut
    is_new : bool
        False where the same list was imported before.
    earlier : PriceBook or None
        The last one that was imported under its name before.
    """

    thing: PriceBook
    shown: PriceBookOut
    is_new: bool
    earlier: PriceBook | None


async def keep_imported(session: AsyncSession, book: PriceBook) -> KeptBook:
    """Keep the price book of an imported list under an id of its content: the same one twice is one."""
    entry, is_new, before = await PRICE_BOOKS.keep(
        session, replace(book, id=f"{OWN_PREFIX}{book.id}")
    )
    same = [
        each.thing
        for each in before
        if each.thing.name == book.name and each.thing.id.startswith(IMPORTED_PREFIX)
    ]
    return KeptBook(entry.thing, _book_shown(entry), is_new, same[-1] if same else None)


IMPORTED_PREFIX = f"{OWN_PREFIX}imported-"
"""Ids of price books of imported lists begin so."""


async def update_price_book(
    session: AsyncSession,
    context: Context,
    price_book_id: str,
    body: PriceBookIn,
    if_match: str | None = None,
) -> PriceBookOut:
    """Change an own price book.

    Raises
    ------
    Conflict
        If it is of an imported list: its id is that of its content.
    """
    if price_book_id.startswith(IMPORTED_PREFIX):
        await find_price_book(session, context, price_book_id)
        raise Conflict(
            f"price book `{price_book_id}` is of an imported list, whose content it is named by, and cannot be changed",
            hint="Keep the changed prices as a book of your own: POST /api/v1/catalog/price-books. Or import the corrected list.",
        )
    make = _checked_book(session, context, body)
    found = await PRICE_BOOKS.change(session, context, price_book_id, if_match, make)
    return _book_shown(found)


async def delete_price_book(
    session: AsyncSession,
    context: Context,
    price_book_id: str,
    if_match: str | None = None,
) -> None:
    """Delete an own price book that no scenario names."""
    await PRICE_BOOKS.delete(session, context, price_book_id, if_match)


def _checked_book(
    session: AsyncSession, context: Context, body: PriceBookIn
) -> Callable[[str], Awaitable[PriceBook]]:
    """Return what makes a book of an id; it refuses prices of devices that are not there."""

    async def make(identifier: str) -> PriceBook:
        book = price_book_from_mapping(
            {**body.model_dump(exclude_none=True), "id": identifier}
        )
        for index, price in enumerate(book.prices):
            if price.device_id is not None:
                await find_device(
                    session, context, price.device_id, f"prices[{index}].device_id"
                )
        return book

    return make


def _load_price_book(document: Mapping[str, Any], place: str) -> PriceBook:
    prices = [
        {
            key: Decimal(value) if key in PRICE_UNITS else value
            for key, value in price.items()
        }
        for price in document["prices"]
    ]
    return price_book_from_mapping({**document, "prices": prices}, place=place)


PRICE_BOOKS: Store[PriceBook] = Store(
    noun="price book",
    path="/api/v1/catalog/price-books",
    table=tables.PriceBook,
    shipped=lambda catalog: catalog.price_books,
    load=_load_price_book,
    document=PriceBook.to_dict,
    instead=lambda _: "Make your own price book: POST /api/v1/catalog/price-books.",
)


def _book_shown(found: Entry[PriceBook]) -> PriceBookOut:
    own = found.row is not None
    return marked(price_book_out(found.thing, own=own), found.row)


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
        imported=own and book.id.startswith(IMPORTED_PREFIX),
        absent=[
            AbsentPriceOut(kind=kind, reason=reason)
            for kind, reason in book.absent.items()
        ],
        prices=[_price_out(price) for price in book.prices],
        rents=[
            RentOut.model_validate(
                {
                    "instance": each.item if each.kind == INSTANCE else None,
                    "volume": each.item if each.kind == VOLUME else None,
                    "figure": each.figure,
                    "usd": each.usd,
                    "stated": each.stated,
                    "unit": each.unit,
                    "source": each.source,
                    "date": each.date,
                    "region": each.region,
                    "note": each.note,
                }
            )
            for each in book.rents
        ],
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
            "low": price.low,
            "high": price.high,
            "source": price.source,
            "date": price.date,
            "note": price.note,
        }
    )
