"""Files of other systems, and what is understood of them."""

from fastapi import APIRouter

from tierwright_server.hardware.imports import service
from tierwright_server.hardware.imports.schemas import FileImportIn, FileImportOut
from tierwright_server.http.problems import responses

router = APIRouter(prefix="/imports", tags=["catalog"])


@router.post("", operation_id="read_import", responses=responses())
async def read_import(body: FileImportIn) -> FileImportOut:
    """Read quotes, a price list or an inventory, and show what is understood: rows, units, dates, what is open.

    Stores nothing, and guesses nothing: a row that can be read in two ways is left out with its reason.
    """
    return await service.read(body)
