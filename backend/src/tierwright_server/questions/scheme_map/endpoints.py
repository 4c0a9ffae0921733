"""Which page-flow scheme wins where."""

from fastapi import APIRouter
from starlette.responses import Response

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.scheme_map import service
from tierwright_server.questions.scheme_map.schemas import (
    MapOptions,
    MapPointOut,
    MapQuestion,
    SchemeMapIn,
    SchemeMapOut,
)

router = APIRouter(prefix="/scheme-maps", tags=["scheme maps"], route_class=MoneyRoute)


@router.get("/options", operation_id="list_scheme_map_options", responses=responses())
async def list_options() -> MapOptions:
    """List the axes, the schemes, and the presets of flash metadata."""
    return service.list_options()


@router.post(
    "",
    operation_id="ask_scheme_map",
    response_model=SchemeMapOut,
    responses=responses(404, 409),
    dependencies=ASKS_CURRENCY,
)
async def ask_scheme_map(
    body: SchemeMapIn, session: SessionDep, context: ContextDep
) -> Response:
    """Map which scheme wins where, up to 64 x 64 points, with crossover lines. Stores nothing."""
    made = await service.make_map(session, context, body)
    # Compressing digits that look random takes longer than making the map, and saves two
    # thirds on a loopback or a local network: an encoding that is named is left alone.
    return Response(
        made, media_type="application/json", headers={"Content-Encoding": "identity"}
    )


@router.post(
    "/point",
    operation_id="ask_scheme_map_point",
    responses=responses(404, 409),
    dependencies=ASKS_CURRENCY,
)
async def ask_scheme_map_point(
    body: MapQuestion, session: SessionDep, context: ContextDep, derived: DerivedDep
) -> MapPointOut:
    """Evaluate one point of a map, `ram_pages` and `flash_pages` given."""
    return await service.explain_point(session, context, body, derived=derived)
