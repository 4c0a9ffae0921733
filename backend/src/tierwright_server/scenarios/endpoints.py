"""Saved scenarios."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.paging import Page, Search, paged
from tierwright_server.http.preconditions import IfMatch, tag
from tierwright_server.http.problems import responses
from tierwright_server.scenarios import service
from tierwright_server.scenarios.schemas import (
    OpenedScenario,
    Question,
    ScenarioIn,
    ScenarioList,
    ScenarioUpdate,
)

router = APIRouter(prefix="/scenarios", tags=["scenarios"])

ScenarioId = Annotated[Identifier, Path(description="Id of the scenario.")]


@router.get("", operation_id="list_scenarios", responses=responses())
async def list_scenarios(
    session: SessionDep,
    context: ContextDep,
    page: Annotated[Page, paged("name", "created_at", "updated_at", usual=100)],
    name: Search = None,
    question: Annotated[Question | None, Query(description="Only these.")] = None,
) -> ScenarioList:
    """List scenarios, last changed first."""
    return await service.list_scenarios(session, context, page, name, question)


@router.post(
    "",
    operation_id="create_scenario",
    status_code=status.HTTP_201_CREATED,
    responses=responses(404, 409),
)
async def create_scenario(
    body: ScenarioIn,
    request: Request,
    session: SessionDep,
    context: ContextDep,
    response: Response,
) -> OpenedScenario:
    """Save a screen under a name."""
    found = await service.create_scenario(request, session, context, body)
    tag(response, found)
    return found


@router.get("/{scenario_id}", operation_id="get_scenario", responses=responses(404))
async def get_scenario(
    scenario_id: ScenarioId,
    request: Request,
    session: SessionDep,
    context: ContextDep,
    response: Response,
) -> OpenedScenario:
    """Read a scenario, with its kept answer and the current one."""
    found = await service.get_scenario(request, session, context, scenario_id)
    tag(response, found)
    return found


@router.put(
    "/{scenario_id}", operation_id="update_scenario", responses=responses(404, 409, 412)
)
async def update_scenario(
    scenario_id: ScenarioId,
    body: ScenarioUpdate,
    request: Request,
    session: SessionDep,
    context: ContextDep,
    response: Response,
    if_match: IfMatch = None,
) -> OpenedScenario:
    """Change a scenario; 409 if it has been changed since `version`."""
    found = await service.update_scenario(
        request, session, context, scenario_id, body, if_match
    )
    tag(response, found)
    return found


@router.delete(
    "/{scenario_id}",
    operation_id="delete_scenario",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 412),
)
async def delete_scenario(
    scenario_id: ScenarioId, session: SessionDep, if_match: IfMatch = None
) -> None:
    """Delete a scenario; for a day it can be restored."""
    await service.delete_scenario(session, scenario_id, if_match)


@router.post(
    "/{scenario_id}/restore",
    operation_id="restore_scenario",
    responses=responses(404, 409),
)
async def restore_scenario(
    scenario_id: ScenarioId, request: Request, session: SessionDep, context: ContextDep
) -> OpenedScenario:
    """Undo the deletion of a scenario, with its kept answer."""
    return await service.restore_scenario(request, session, context, scenario_id)
