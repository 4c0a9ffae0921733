"""Files of other systems, and what is understood of them."""

from fastapi import APIRouter, Response, status

from tierwright_server.hardware.imports import service
from tierwright_server.hardware.imports.schemas import (
    FileImportIn,
    FileImportOut,
    LineMappingIn,
    LineMappingOut,
    PriceBookImportIn,
    PriceBookImportOut,
)
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.preconditions import IfMatch
from tierwright_server.http.problems import responses

router = APIRouter(prefix="/imports", tags=["catalog"])


@router.post("", operation_id="read_import", responses=responses())
async def read_import(body: FileImportIn) -> FileImportOut:
    """Read quotes, a price list or an inventory, and show what is understood: rows, units, dates, what is open.

    Stores nothing, and guesses nothing: a row that can be read in two ways is left out with its reason.
    """
    return await service.read(body)


@router.post(
    "/price-books",
    operation_id="import_price_book",
    status_code=status.HTTP_201_CREATED,
    response_model=PriceBookImportOut,
    responses={
        200: {
            "description": "The same list was imported before: its book.",
            "model": PriceBookImportOut,
        },
        **responses(409),
    },
)
async def import_price_book(
    body: PriceBookImportIn,
    session: SessionDep,
    context: ContextDep,
    response: Response,
) -> PriceBookImportOut:
    """Make a price book of your own of a price list: the same list is one book, and a newer one lists what changed.

    A price becomes that of a device by an exact rule or by the mapping alone; all others are listed with their reason.
    """
    found = await service.import_price_book(session, context, body)
    if not found.is_new:
        response.status_code = status.HTTP_200_OK
    return found


@router.get("/mapping", operation_id="get_line_mapping", responses=responses())
async def get_line_mapping(session: SessionDep) -> LineMappingOut:
    """Read what was stated that part numbers, models of drives and SKUs are."""
    return await service.get_mapping(session)


@router.put("/mapping", operation_id="replace_line_mapping", responses=responses(412))
async def replace_line_mapping(
    body: LineMappingIn, session: SessionDep, if_match: IfMatch = None
) -> LineMappingOut:
    """Keep what part numbers, models of drives and SKUs are, in place of what is kept."""
    return await service.replace_mapping(session, body, if_match)
