"""Decisions about analyses: same inputs, same id, computed once, arrays cached."""

from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.trace.notes import ReaderNotes
from tierwright_server.common.errors import NotFound, NotReady
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.sealed import Damaged
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.replays import results
from tierwright_server.replays.analyses.cache import AnalysisCache
from tierwright_server.replays.results import Asked, Row
from tierwright_server.storage import contents, quota, shared_store
from tierwright_server.storage.tables import Content, Result, Workload
from tierwright_server.traces.uploads import storage
from tierwright_server.traces.workloads import service as workloads

log = structlog.get_logger(__name__)

_PRODUCTION = "production_pages"
_USUAL_BYTES = 4 * 2**20
"""No result of an analysis is much larger."""


async def create(
    session: AsyncSession,
    context: Context,
    kind: RunKind,
    subject: tuple[Workload, Content],
    parameters: dict[str, Any],
    title: str,
    *,
    production_pages: int | None = None,
) -> Row:
    """Find the analysis of these inputs, or queue it; a failed one is tried again.

    The first that asks for it may do so for a buffer of production, `production_pages`, which is kept beside the
    inputs: it changes nothing of the result.
    """
    workload, content = subject
    analysis_id = id_of(kind, content.id, parameters)
    path = contents.analysis_path(context.settings, content.id, analysis_id)

    async def is_done(found: Result | None) -> bool:
        return (
            found is not None
            and found.complete
            and await shared_store.exist(context.settings, [path])
        )

    async def has_room() -> None:
        storage.check_space(context.settings, _USUAL_BYTES)
        await quota.check(session, context.settings, _USUAL_BYTES)

    plan = None if production_pages is None else {_PRODUCTION: production_pages}
    asked = Asked(kind, analysis_id, workload, content, parameters, plan, title)
    return await results.obtain(session, asked, is_done, has_room)


async def find_of(
    session: AsyncSession, kind: RunKind, content: Content, parameters: dict[str, Any]
) -> Row:
    """Find the analysis of a content.

    Raises
    ------
    NotReady
        Nobody has asked for it yet.
    """
    analysis_id = id_of(kind, content.id, parameters)
    found = await results.row(session, kind, analysis_id)
    if found is None:
        raise NotReady(
            f"this workload has no {results.noun(kind)} yet",
            hint=f"Make a request: POST /api/v1/{kind.value}. Then follow the run.",
        )
    return found


async def notes_of(
    session: AsyncSession, row: Row, workload_id: str | None
) -> ReaderNotes:
    """Return what the reader of the trace of a workload noticed, or of the first that asked."""
    analysis, _ = row
    content = await session.get_one(Content, analysis.content_id)
    through = await workloads.asked_through(
        session, workload_id, content.id, analysis.workload_id
    )
    return workloads.notes_of(await session.get(Workload, through), content)


def production_pages_of(analysis: Result) -> int | None:
    """Return the buffer of production for which an analysis was requested first; None where it was of a trace. [pages]"""
    found = (analysis.plan or {}).get(_PRODUCTION)
    return None if found is None else int(found)


def status_of(row: Row) -> RunStatus:
    """Say where an analysis stands."""
    analysis, run = row
    if analysis.complete:
        return RunStatus.SUCCEEDED
    return RunStatus(run.status) if run else RunStatus.FAILED


def base_of(row: Row) -> dict[str, Any]:
    """Return the fields of `AnalysisOut`."""
    analysis, run = row
    return {
        "id": analysis.id,
        "workload_id": analysis.workload_id,
        "content_id": analysis.content_id,
        "status": status_of(row),
        "core_version": analysis.core_version,
        "created_at": analysis.created_at,
        "run": RunOut.model_validate(run) if run else None,
    }


async def load(context: Context, row: Row) -> Any:
    """Return the arrays of an analysis.

    Raises
    ------
    NotReady
        It is being computed, or that failed.
    """
    analysis, run = row
    if not analysis.complete:
        status = status_of(row)
        failed = status in (RunStatus.FAILED, RunStatus.CANCELLED)
        reason = f": {run.error}" if run is not None and run.error else ""
        raise NotReady(
            f"the analysis `{analysis.id}` is {status.value}{reason}",
            hint="Request it again." if failed else "Follow its run until it is done.",
        )
    try:
        return await context.of(AnalysisCache).get(context.settings, analysis)
    except (Damaged, FileNotFoundError) as error:
        run_id = await _again(context, analysis, str(error))
        raise NotReady(
            f"the stored result of the analysis `{analysis.id}` was damaged, or "
            "incomplete as earlier versions stored it; it is recomputed from the trace",
            hint=f"Follow its run `{run_id}` until it is done; check the disk of the data "
            "folder.",
        ) from None


async def _again(context: Context, analysis: Result, why: str) -> str:
    """Queue an analysis whose result is damaged, once; return its run."""
    log.error("stored analysis is damaged", analysis=analysis.id, why=why)
    # The request ends in an error, and takes its own changes back.
    async with context.sessions() as session:
        await results.lock_id(session, analysis.id)
        found = await results.row(session, RunKind(analysis.kind), analysis.id)
        if found is None:
            raise NotFound("the analysis was deleted")
        present, run = found
        if present.complete or not results.is_open(run):
            workload = await session.get(Workload, present.workload_id)
            name = "a workload" if workload is None else workload.name
            title = f"{name}: {results.noun(RunKind(present.kind))}, again"
            run = await runs.create(session, RunKind(present.kind), present.id, title)
            present.complete, present.run_id = False, run.id
        await session.commit()
        return str(present.run_id)


def id_of(kind: RunKind, content_id: str, parameters: dict[str, Any]) -> str:
    """Return the id of the analysis of a content with these parameters."""
    parts = [kind.value, content_id, parameters, VERSION]
    return result_id(parts)
