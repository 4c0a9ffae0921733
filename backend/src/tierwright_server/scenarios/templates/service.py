"""Decisions about templates."""

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import Conflict, NotFound
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.http.preconditions import check_match, etag_of
from tierwright_server.jobs.runs.service import new_id
from tierwright_server.questions.advice.service import find_bought
from tierwright_server.scenarios.templates import repository
from tierwright_server.scenarios.templates.schemas import (
    AdviceTemplateIn,
    AdviceTemplateList,
    AdviceTemplateOut,
)
from tierwright_server.storage.names import flush_named
from tierwright_server.storage.tables import AdviceTemplate, now

_NAME_INDEX = "advice_templates_name"


async def list_templates(session: AsyncSession, page: Page) -> AdviceTemplateList:
    """List templates by name."""
    rows, total = await repository.page(session, page)
    return AdviceTemplateList(
        items=[_out(row) for row in rows],
        total=total,
        limit=page.limit,
        offset=page.offset,
    )


async def create(
    session: AsyncSession, context: Context, body: AdviceTemplateIn
) -> AdviceTemplateOut:
    """Keep a template under a name.

    Raises
    ------
    Conflict
        If the name is taken, or there are too many.
    """
    await find_bought(session, context, body.template, "template.")
    if await repository.count(session) >= repository.MAX_TEMPLATES:
        raise Conflict(
            f"there are {repository.MAX_TEMPLATES} templates already, which is the maximum",
            hint="Delete some that are no longer used.",
        )
    row = AdviceTemplate(id=new_id(), name=body.name, template=_document(body))
    session.add(row)
    await flush_named(session, "template", body.name, _NAME_INDEX)
    return _out(row)


async def read(session: AsyncSession, template_id: str) -> AdviceTemplateOut:
    """Read a template."""
    return _out(await _find(session, template_id))


async def update(
    session: AsyncSession,
    context: Context,
    template_id: str,
    body: AdviceTemplateIn,
    if_match: str | None,
) -> AdviceTemplateOut:
    """Change a template, if it is still as it was read."""
    await find_bought(session, context, body.template, "template.")
    row = await _find(session, template_id, lock=True)
    check_match(if_match, _etag(row), f"template `{row.name}`")
    row.name = body.name
    row.template = _document(body)
    row.updated_at = now()
    await flush_named(session, "template", body.name, _NAME_INDEX)
    return _out(row)


async def delete(session: AsyncSession, template_id: str, if_match: str | None) -> None:
    """Delete a template, if it is still as it was read."""
    row = await _find(session, template_id, lock=True)
    check_match(if_match, _etag(row), f"template `{row.name}`")
    await session.delete(row)


def _document(body: AdviceTemplateIn) -> dict[str, object]:
    """Return what was stated: what was not takes the usual value of the models that are asked."""
    return body.template.model_dump(mode="json", exclude_unset=True, exclude_none=True)


def _out(row: AdviceTemplate) -> AdviceTemplateOut:
    return AdviceTemplateOut(
        id=row.id,
        name=row.name,
        template=row.template,
        created_at=row.created_at,
        updated_at=row.updated_at,
        etag=_etag(row),
    )


def _etag(row: AdviceTemplate) -> str:
    return etag_of(row.id, row.updated_at)


async def _find(
    session: AsyncSession, template_id: str, *, lock: bool = False
) -> AdviceTemplate:
    row = await repository.get(session, template_id, lock=lock)
    if row is None:
        raise NotFound(
            f"there is no template `{template_id}`",
            hint="Choose another template: it may have been deleted. List all: GET /api/v1/advice-templates.",
        )
    return row
