"""What is stored goes: one door to delete each of it, and what nobody reads goes by itself."""

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import structlog
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.common.errors import NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.states import FINAL, RunKind
from tierwright_server.replays import results
from tierwright_server.replays.analyses.cache import AnalysisCache
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.results import RESULT_KINDS, ResultNoun
from tierwright_server.storage.tables import Replay, Result, Run, now

log = structlog.get_logger(__name__)


_OPEN = select(Run.id).where(Run.status.notin_([status.value for status in FINAL]))
_NOT_AWAITED = Result.run_id.is_(None) | Result.run_id.notin_(_OPEN)
"""Of no run that has not ended."""
"""Runs that have not ended."""


async def delete_analysis(
    session: AsyncSession, context: Context, analysis_id: str
) -> None:
    """Delete the result of an analysis; it is computed anew when asked for.

    Raises
    ------
    NotFound
        There is none.
    Conflict
        It is being computed.
    """
    await results.lock_id(session, analysis_id)
    found = await session.get(Result, analysis_id, populate_existing=True)
    if found is None or found.kind in RESULT_KINDS.values():
        raise NotFound(
            f"there is no analysis `{analysis_id}`",
            hint="List the largest ones: GET /api/v1/storage.",
        )
    run = None if found.run_id is None else await session.get(Run, found.run_id)
    runs.check_ended(run, f"the analysis `{analysis_id}` is being computed")
    path = contents.analysis_path(context.settings, found.content_id, analysis_id)
    await session.delete(found)
    await session.flush()
    context.of(AnalysisCache).drop(analysis_id)
    await asyncio.to_thread(path.unlink, missing_ok=True)
    await asyncio.to_thread(shared_store.forget, context.settings, path)


async def delete_result(
    session: AsyncSession,
    kind: ResultNoun,
    result_id: str,
) -> None:
    """Delete a result that lies in the database, one of `RESULT_KINDS`.

    It is computed anew when asked for.

    Raises
    ------
    NotFound
        There is none.
    Conflict
        It is being computed.
    """
    found = await session.get(Result, result_id, with_for_update=True)
    if found is None or found.kind != RESULT_KINDS[kind]:
        raise NotFound(
            f"there is no {results.noun(RunKind(RESULT_KINDS[kind]))} `{result_id}`",
            hint="List the largest stored objects: GET /api/v1/storage.",
        )
    run = None if found.run_id is None else await session.get(Run, found.run_id)
    noun = results.noun(RunKind(found.kind))
    runs.check_ended(run, f"the {noun} `{result_id}` is being computed")
    await session.delete(found)
    await session.flush()


async def expire_results(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Delete results in the database that were asked for first long ago."""
    oldest = now() - timedelta(seconds=settings.analysis_expires_s)
    async with sessions() as session:
        gone = await session.execute(
            delete(Result)
            .where(
                Result.kind.in_(RESULT_KINDS.values()),
                Result.created_at < oldest,
                _NOT_AWAITED,
            )
            .returning(Result.kind, Result.id)
        )
        for row in gone:
            log.info("result expired", kind=row.kind, id=row.id)
        await session.execute(delete(Replay).where(Replay.created_at < oldest))
        await session.commit()


async def expire_analyses(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Delete results that nobody has read for long, and files that belong to no row."""
    if settings.store is not None:
        await _expire_stored(settings, sessions)
        return
    oldest = time.time() - settings.analysis_expires_s
    unread = await asyncio.to_thread(_older, settings.contents_dir, oldest)
    if not unread:
        return
    async with sessions() as session:
        ids = list(unread)
        # Of a run that has not ended the file is about to be replaced.
        await session.execute(
            delete(Result).where(
                Result.id.in_(ids),
                _NOT_AWAITED,
            )
        )
        left = set(await session.scalars(select(Result.id).where(Result.id.in_(ids))))
        for analysis_id, path in unread.items():
            if analysis_id not in left:
                path.unlink(missing_ok=True)
                log.info("analysis expired", analysis=analysis_id)
        await session.commit()


async def _expire_stored(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Delete results in the store that were asked for first long ago: when they were read last, no host knows."""
    oldest = now() - timedelta(seconds=settings.analysis_expires_s)
    async with sessions() as session:
        gone = await session.execute(
            delete(Result)
            .where(
                Result.kind.notin_(RESULT_KINDS.values()),
                Result.created_at < oldest,
                _NOT_AWAITED,
            )
            .returning(Result.content_id, Result.id)
        )
        paths = [
            contents.analysis_path(settings, row.content_id, row.id) for row in gone
        ]
        await session.commit()
    for path in paths:
        path.unlink(missing_ok=True)
        await asyncio.to_thread(shared_store.forget, settings, path)
        log.info("analysis expired", analysis=path.stem)


def _older(folder: Path, oldest: float) -> dict[str, Path]:
    found = {}
    for path in folder.glob(f"*/{contents.ANALYSES_NAME}/*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime >= oldest:
                continue
            if path.suffix == ".npz":
                found[path.stem] = path
            else:
                path.unlink()  # the draft of a job that died
    return found
