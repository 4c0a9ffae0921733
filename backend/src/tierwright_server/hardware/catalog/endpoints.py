"""Catalogue: formats, policies, schemes, devices, price books."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.hardware.catalog import (
    purchasable,
    service,
    workload_presets,
)
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.hardware.catalog.purchasable import (
    PartOut,
    PriceSeriesOut,
    ServerOut,
    VolumeOut,
)
from tierwright_server.hardware.catalog.schemas import (
    Capability,
    CopyIn,
    CurrencyCode,
    DeviceIn,
    DeviceList,
    DeviceOut,
    DeviceVocabulary,
    ExchangeRateList,
    FlashMetadataOut,
    FormatOut,
    Origin,
    PolicyOut,
    PriceBookIn,
    PriceBookList,
    PriceBookOut,
    Role,
    SchemeOut,
    SoldAs,
)
from tierwright_server.hardware.catalog.workload_presets import WorkloadPresetOut
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.paging import MOST_ITEMS, Page, Search, holds, paged
from tierwright_server.http.preconditions import IfMatch, tag
from tierwright_server.http.problems import responses

router = APIRouter(prefix="/catalog", tags=["catalog"], route_class=MoneyRoute)

DeviceId = Annotated[Identifier, Path(description="Id of the device.")]
ServicePage = Annotated[
    int | None,
    Query(
        ge=512,
        le=2**24,
        description="Page size of the service times; absent: the size of each device's "
        "IOPS. [bytes]",
    ),
]
OriginOnly = Annotated[
    Origin | None, Query(description="Only the shipped ones, or your own.")
]
ByName = Annotated[Page, paged("name", "title")]
PriceBookId = Annotated[Identifier, Path(description="Id of the price book.")]


@router.get("/formats", operation_id="list_formats", responses=responses())
async def list_formats(
    page: Annotated[Page, paged("name")],
    name: Search = None,
    has_writes: Annotated[bool | None, Query(description="Only these.")] = None,
    has_time: Annotated[bool | None, Query(description="Only these.")] = None,
) -> list[FormatOut]:
    """List the trace formats that can be read."""
    found = (
        each
        for each in service.list_formats()
        if holds(each.name, name)
        and has_writes in (None, each.has_writes)
        and has_time in (None, each.has_time)
    )
    return page.cut(found)[0]


@router.get("/policies", operation_id="list_policies", responses=responses())
async def list_policies(page: ByName, name: Search = None) -> list[PolicyOut]:
    """List the replacement policies of the simulator."""
    return page.cut(each for each in service.list_policies() if holds(each.name, name))[
        0
    ]


@router.get("/schemes", operation_id="list_schemes", responses=responses())
async def list_schemes(page: ByName, name: Search = None) -> list[SchemeOut]:
    """List the page-flow schemes."""
    return page.cut(each for each in service.list_schemes() if holds(each.name, name))[
        0
    ]


@router.get(
    "/flash-metadata", operation_id="list_flash_metadata", responses=responses()
)
async def list_flash_metadata(
    page: ByName, name: Search = None
) -> list[FlashMetadataOut]:
    """List the presets of RAM that flash caches need for their metadata."""
    found = (each for each in service.list_flash_metadata() if holds(each.name, name))
    return page.cut(found)[0]


@router.get(
    "/device-kinds", operation_id="get_device_vocabulary", responses=responses()
)
async def get_device_vocabulary() -> DeviceVocabulary:
    """List the kinds of device and the figures that a device may state."""
    return service.get_device_vocabulary()


@router.get(
    "/devices",
    operation_id="list_devices",
    responses=responses(),
    dependencies=ASKS_CURRENCY,
)
async def list_devices(
    session: SessionDep,
    context: ContextDep,
    page: Annotated[
        Page, paged("name", "id", "kind", "year", "capacity_bytes", usual=MOST_ITEMS)
    ],
    page_bytes: ServicePage = None,
    name: Search = None,
    kind: Annotated[
        Identifier | None, Query(description="Only of this kind of device.")
    ] = None,
    origin: OriginOnly = None,
    role: Annotated[
        Role | None, Query(description="Only devices that can serve this tier.")
    ] = None,
    answers: Annotated[
        Capability | None,
        Query(description="Only devices whose figures can answer this question."),
    ] = None,
    sold_as: Annotated[
        SoldAs | None,
        Query(description="`device`: without the disks of cloud instances."),
    ] = None,
) -> DeviceList:
    """List devices, the shipped ones and your own: all, or filtered by capability."""
    found = await service.list_devices(
        session,
        context,
        page_bytes,
        role=role,
        answers=answers,
        sold_as=sold_as,
    )
    items, total = page.cut(
        device
        for device in found.items
        if holds(device.name, name)
        and kind in (None, device.kind)
        and origin in (None, device.origin)
    )
    return DeviceList(items=items, total=total)


@router.post(
    "/devices",
    operation_id="create_device",
    status_code=status.HTTP_201_CREATED,
    responses=responses(409),
)
async def create_device(
    body: DeviceIn, session: SessionDep, response: Response
) -> DeviceOut:
    """Add a device of your own."""
    found = await service.create_device(session, body)
    tag(response, found)
    return found


@router.get(
    "/devices/{device_id}",
    operation_id="get_device",
    responses=responses(404),
    dependencies=ASKS_CURRENCY,
)
async def get_device(
    device_id: DeviceId,
    session: SessionDep,
    context: ContextDep,
    response: Response,
    page_bytes: ServicePage = None,
) -> DeviceOut:
    """Read one device."""
    found = await service.get_device(session, context, device_id, page_bytes)
    tag(response, found)
    return found


@router.put(
    "/devices/{device_id}",
    operation_id="update_device",
    responses=responses(404, 409, 412),
)
async def update_device(
    device_id: DeviceId,
    body: DeviceIn,
    session: SessionDep,
    context: ContextDep,
    response: Response,
    if_match: IfMatch = None,
) -> DeviceOut:
    """Change a device of your own. Copy a shipped device first."""
    found = await service.update_device(session, context, device_id, body, if_match)
    tag(response, found)
    return found


@router.delete(
    "/devices/{device_id}",
    operation_id="delete_device",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 409, 412),
)
async def delete_device(
    device_id: DeviceId,
    session: SessionDep,
    context: ContextDep,
    if_match: IfMatch = None,
) -> None:
    """Delete a device of your own that no saved scenario uses."""
    await service.delete_device(session, context, device_id, if_match)


@router.post(
    "/devices/{device_id}/copy",
    operation_id="copy_device",
    status_code=status.HTTP_201_CREATED,
    responses=responses(404, 409),
)
async def copy_device(
    device_id: DeviceId,
    session: SessionDep,
    context: ContextDep,
    response: Response,
    body: CopyIn | None = None,
) -> DeviceOut:
    """Copy any device to one of your own that can be changed."""
    found = await service.copy_device(session, context, device_id, body or CopyIn())
    tag(response, found)
    return found


@router.get(
    "/price-books",
    operation_id="list_price_books",
    responses=responses(),
    dependencies=ASKS_CURRENCY,
)
async def list_price_books(
    session: SessionDep,
    context: ContextDep,
    page: Annotated[Page, paged("name", "date")],
    name: Search = None,
    origin: OriginOnly = None,
) -> PriceBookList:
    """List all price books: the shipped ones and your own."""
    found = await service.list_price_books(session, context)
    items, total = page.cut(
        book
        for book in found.items
        if holds(book.name, name) and origin in (None, book.origin)
    )
    return PriceBookList(items=items, total=total)


@router.post(
    "/price-books",
    operation_id="create_price_book",
    status_code=status.HTTP_201_CREATED,
    responses=responses(404, 409),
)
async def create_price_book(
    body: PriceBookIn, session: SessionDep, context: ContextDep, response: Response
) -> PriceBookOut:
    """Add a price book of your own."""
    found = await service.create_price_book(session, context, body)
    tag(response, found)
    return found


@router.get(
    "/exchange-rates", operation_id="list_exchange_rates", responses=responses(404)
)
async def list_exchange_rates(
    session: SessionDep,
    context: ContextDep,
    page: Annotated[Page, paged("currency", "date")],
    price_book_id: Annotated[
        Identifier | None,
        Query(
            description="Price book whose rates are listed; absent: the default price "
            "book."
        ),
    ] = None,
    currency: Annotated[
        CurrencyCode | None, Query(description="Only the rate of this currency.")
    ] = None,
) -> ExchangeRateList:
    """List the currencies that amounts can be stated in, each at the rate that is used."""
    found = await service.list_exchange_rates(session, context, price_book_id)
    items, total = page.cut(
        [one for one in found.items if currency in (None, one.currency)]
    )
    return ExchangeRateList(items=items, total=total)


@router.get(
    "/price-books/{price_book_id}",
    operation_id="get_price_book",
    responses=responses(404),
    dependencies=ASKS_CURRENCY,
)
async def get_price_book(
    price_book_id: PriceBookId,
    session: SessionDep,
    context: ContextDep,
    response: Response,
) -> PriceBookOut:
    """Read one price book."""
    found = await service.get_price_book(session, context, price_book_id)
    tag(response, found)
    return found


@router.put(
    "/price-books/{price_book_id}",
    operation_id="update_price_book",
    responses=responses(404, 409, 412),
)
async def update_price_book(
    price_book_id: PriceBookId,
    body: PriceBookIn,
    session: SessionDep,
    context: ContextDep,
    response: Response,
    if_match: IfMatch = None,
) -> PriceBookOut:
    """Change a price book of your own; that of an imported list is named by its content, and is kept as it is."""
    found = await service.update_price_book(
        session, context, price_book_id, body, if_match
    )
    tag(response, found)
    return found


@router.delete(
    "/price-books/{price_book_id}",
    operation_id="delete_price_book",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 409, 412),
)
async def delete_price_book(
    price_book_id: PriceBookId,
    session: SessionDep,
    context: ContextDep,
    if_match: IfMatch = None,
) -> None:
    """Delete a price book of your own that no saved scenario uses."""
    await service.delete_price_book(session, context, price_book_id, if_match)


Listed = Annotated[Page, paged("id", "name", usual=MOST_ITEMS)]
OfProvider = Annotated[
    Identifier | None, Query(description="Only of this provider: aws, azure, gcp.")
]


@router.get(
    "/servers",
    operation_id="list_servers",
    responses=responses(),
    dependencies=ASKS_CURRENCY,
)
async def list_servers(
    page: Listed, name: Search = None, provider: OfProvider = None
) -> list[ServerOut]:
    """List the cloud instances that can be rented, with limits and prices."""
    return page.cut(purchasable.list_servers(name, provider))[0]


@router.get(
    "/volumes",
    operation_id="list_volumes",
    responses=responses(),
    dependencies=ASKS_CURRENCY,
)
async def list_volumes(
    page: Listed, name: Search = None, provider: OfProvider = None
) -> list[VolumeOut]:
    """List the cloud volumes and object stores, with every charge and limit."""
    return page.cut(purchasable.list_volumes(name, provider))[0]


@router.get(
    "/parts",
    operation_id="list_parts",
    responses=responses(),
    dependencies=ASKS_CURRENCY,
)
async def list_parts(
    page: Listed,
    name: Search = None,
    kind: Annotated[
        Identifier | None, Query(description="Only of this kind of part.")
    ] = None,
) -> list[PartOut]:
    """List the chassis, memory modules and drives that can be bought."""
    return page.cut(purchasable.list_parts(name, kind))[0]


@router.get(
    "/workload-presets", operation_id="list_workload_presets", responses=responses()
)
async def list_workload_presets(
    page: Annotated[Page, paged("id", "title")], name: Search = None
) -> list[WorkloadPresetOut]:
    """List the presets of described workloads: mixes fitted to recorded traces."""
    return page.cut(workload_presets.list_presets(name))[0]


@router.get(
    "/price-history",
    operation_id="list_price_history",
    responses=responses(),
    dependencies=ASKS_CURRENCY,
)
async def list_price_history(page: Listed, name: Search = None) -> list[PriceSeriesOut]:
    """List the prices of memory and storage over time, by series."""
    return page.cut(purchasable.list_price_history(name))[0]
