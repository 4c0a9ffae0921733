"""Workloads with the pages of another one joined into larger ones: its stored trace, read again."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.scale.pages import is_joinable
from tierwright.common.units import format_bytes
from tierwright_server.common.errors import BadInput, NeedsTrace, NotReady
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.states import FINAL, RunStatus
from tierwright_server.storage import contents
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.workloads import repository, service
from tierwright_server.traces.workloads.joined_source import (
    joined_reading,
    recorded_page_bytes,
)
from tierwright_server.traces.workloads.joining_schemas import (
    JoinedList,
    JoinedWorkloadIn,
)
from tierwright_server.traces.workloads.schemas import ImportOut


async def create_joined(
    session: AsyncSession, workload_id: str, body: JoinedWorkloadIn
) -> ImportOut:
    """Queue the reading of a workload's trace with larger pages, unless that is here already."""
    workload, content = await service.find_ready(session, workload_id)
    page_bytes = body.page_bytes
    _check_joinable(workload, content, page_bytes)
    await _lock(session, content.id)
    here = await _find_alive(session, content.id, page_bytes)
    if here is not None:
        return await service.already_here(session, here[0].id)
    return await service.queue_import(
        session,
        Workload(
            id=runs.new_id(),
            name=body.name
            or f"{workload.name}, pages of {format_bytes(page_bytes)}"[:_MOST_NAME],
            example=False,
            filename=workload.filename,
            reading=joined_reading(
                content.id,
                page_bytes,
                recorded_page_bytes(workload) or content.summary["page_bytes"],
            ),
        ),
    )


_MOST_NAME = 200


async def list_joined(session: AsyncSession, workload_id: str) -> JoinedList:
    """List the workloads whose pages are those of a workload joined, the oldest first."""
    _, content = await service.find_ready(session, workload_id)
    rows = await repository.joined_of(session, content.id)
    return JoinedList(
        items=[await service.get_workload(session, row[0].id) for row in rows]
    )


async def with_pages_of(
    session: AsyncSession, workload: Workload, content: Content, page_bytes: int | None
) -> tuple[Workload, Content]:
    """Return the workload that has the pages of production: one itself, or the same with its pages joined.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    workload, content : Workload, Content
        Of the recording.
    page_bytes : int or None
        Of production; None for those of the recording. [bytes]

    Raises
    ------
    NotReady
        If they could be joined, and were not yet.
    """
    has: int = content.summary["page_bytes"]
    traced = contents.kind_of(content.summary) is ContentKind.TRACE
    # What no pages can be joined into is refused by the models.
    if page_bytes is None or not traced or not is_joinable(has, page_bytes):
        return workload, content
    here = await _find_alive(session, content.id, page_bytes)
    if here is not None and here[2] is not None:
        return here[0], here[2]
    said = (
        f"production has pages of {format_bytes(page_bytes)}, workload `{workload.name}` pages of "
        f"{format_bytes(has)}"
    )
    if here is not None:
        raise NotReady(
            f"{said}, which are being joined",
            hint=f"Follow its run: GET /api/v1/runs/{here[0].run_id}.",
        )
    raise NotReady(
        f"{said}: which accesses fall on one page then, only the trace shows",
        hint=f"Join its pages first: POST /api/v1/workloads/{workload.id}/joined with `page_bytes` "
        f"{page_bytes}.",
    )


def _check_joinable(workload: Workload, content: Content, page_bytes: int) -> None:
    has: int = content.summary["page_bytes"]
    if contents.kind_of(content.summary) is not ContentKind.TRACE:
        raise NeedsTrace(
            f"workload `{workload.name}` has no trace, and a hit-ratio curve alone does not show which "
            "accesses fall on one page",
            hint="Use a workload with a trace.",
        )
    if page_bytes <= has:
        raise BadInput.at(
            "body.page_bytes",
            page_bytes,
            f"is not larger than the pages of workload `{workload.name}`, {format_bytes(has)}",
            hint=f"State a power of two above {has}: a recorded access does not show which part of its "
            "page was used.",
        )


async def _find_alive(
    session: AsyncSession, content_id: str, page_bytes: int
) -> repository.Row | None:
    """Find a workload with such pages that is ready, or else one that is being made."""
    rows = await repository.joined_of(session, content_id, page_bytes)
    ready = [row for row in rows if row[2] is not None]
    made = [
        row
        for row in rows
        if row[1] is not None and RunStatus(row[1].status) not in FINAL
    ]
    return next(iter([*ready, *made]), None)


async def _lock(session: AsyncSession, content_id: str) -> None:
    """Let requests to join pages of one content wait for each other until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"joined:{content_id}"},
    )
