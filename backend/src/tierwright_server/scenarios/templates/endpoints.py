"""Templates of questions to the advisor."""

from typing import Annotated

from fastapi import APIRouter, Path, Response, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.paging import Page, paged
from tierwright_server.http.preconditions import IfMatch, tag
from tierwright_server.http.problems import responses
from tierwright_server.scenarios.templates import service
from tierwright_server.scenarios.templates.schemas import (
    AdviceTemplateIn,
    AdviceTemplateList,
    AdviceTemplateOut,
)

router = APIRouter(prefix="/advice-templates", tags=["scenarios"])

TemplateId = Annotated[Identifier, Path(description="Id of the template.")]


@router.get("", operation_id="list_advice_templates", responses=responses())
async def list_advice_templates(
    session: SessionDep,
    page: Annotated[Page, paged("name", "created_at", "updated_at", usual=100)],
) -> AdviceTemplateList:
    """List templates of questions to the advisor, by name."""
    return await service.list_templates(session, page)


@router.post(
    "",
    operation_id="create_advice_template",
    status_code=status.HTTP_201_CREATED,
    responses=responses(404, 409),
)
async def create_advice_template(
    body: AdviceTemplateIn, session: SessionDep, context: ContextDep, response: Response
) -> AdviceTemplateOut:
    """Keep what a team asks of every workload under a name: objective, candidates, limits and prices."""
    found = await service.create(session, context, body)
    tag(response, found)
    return found


@router.get(
    "/{template_id}", operation_id="get_advice_template", responses=responses(404)
)
async def get_advice_template(
    template_id: TemplateId, session: SessionDep, response: Response
) -> AdviceTemplateOut:
    """Read a template."""
    found = await service.read(session, template_id)
    tag(response, found)
    return found


@router.put(
    "/{template_id}",
    operation_id="update_advice_template",
    responses=responses(404, 409, 412),
)
async def update_advice_template(
    template_id: TemplateId,
    body: AdviceTemplateIn,
    session: SessionDep,
    context: ContextDep,
    response: Response,
    if_match: IfMatch = None,
) -> AdviceTemplateOut:
    """Change a template, its name too."""
    found = await service.update(session, context, template_id, body, if_match)
    tag(response, found)
    return found


@router.delete(
    "/{template_id}",
    operation_id="delete_advice_template",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 412),
)
async def delete_advice_template(
    template_id: TemplateId, session: SessionDep, if_match: IfMatch = None
) -> None:
    """Delete a template; no answer rests on it."""
    await service.delete(session, template_id, if_match)
