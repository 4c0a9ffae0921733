"""What to cache: which categories of requests enter flash, and when."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse

from tierwright_server.common.schemas import Identifier
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.what_to_cache import service
from tierwright_server.questions.what_to_cache.schemas import (
    CategoryCountsOut,
    WhatToCacheIn,
    WhatToCacheOut,
)

router = APIRouter(tags=["what to cache"], route_class=MoneyRoute)
_LATER = {
    "model": CategoryCountsOut,
    "description": "A job counts the requests of the workload by category. Ask again when its run has ended.",
    "headers": {
        "Location": {
            "description": "The counts that the job makes.",
            "schema": {"type": "string"},
        }
    },
}


@router.post(
    "/what-to-cache",
    operation_id="ask_what_to_cache",
    response_model=WhatToCacheOut,
    responses={202: _LATER, **responses(404, 409)},
    dependencies=ASKS_CURRENCY,
)
async def ask_what_to_cache(
    body: WhatToCacheIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> WhatToCacheOut | JSONResponse:
    """Choose for each relation, size of requests or hour whether its pages enter flash, and when."""
    found = await service.what_to_cache(session, context, body, derived=derived)
    if isinstance(found, WhatToCacheOut):
        return found
    return JSONResponse(
        found.model_dump(mode="json"),
        status_code=202,
        headers={"Location": f"/api/v1/category-counts/{found.id}"},
    )


@router.get(
    "/category-counts/{category_counts_id}",
    operation_id="get_category_counts",
    responses=responses(404),
)
async def get_category_counts(
    category_counts_id: Annotated[Identifier, Path(description="Id of the counts.")],
    session: SessionDep,
) -> CategoryCountsOut:
    """Read the state of the counts by category."""
    return await service.find_counts(session, category_counts_id)
