"""The worker's side of the analyses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.replays import results
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.tables import Run


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child."""
    analysis = await results.of_run(session, run)
    trace = await contents.existing_trace(settings, analysis.content_id, session)
    return {
        "kind": analysis.kind,
        "trace": str(trace),
        "parameters": analysis.inputs,
        "out": str(contents.analysis_path(settings, analysis.content_id, analysis.id)),
    }


def made(
    _settings: Settings, job: Mapping[str, Any], _result: Mapping[str, Any]
) -> list[Path]:
    """Return the file that the analysis will point at."""
    return [Path(job["out"])]


async def finish(
    session: AsyncSession, settings: Settings, run: Run, result: dict[str, Any]
) -> str:
    """Mark the analysis as there."""
    analysis = await results.of_run(session, run)
    path = contents.analysis_path(settings, analysis.content_id, analysis.id)
    if not await shared_store.exist(settings, [path]):
        raise NotFound("the workload was deleted")
    analysis.complete = True
    await session.flush()
    return f"computed; {result['bytes']:,} bytes kept"
