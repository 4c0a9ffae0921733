"""The worker's side of the analyses."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.replays import results
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Run


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child."""
    analysis = await results.of_run(session, run)
    trace = contents.existing_trace(settings, analysis.content_id)
    return {
        "kind": analysis.kind,
        "trace": str(trace),
        "parameters": analysis.inputs,
        "out": str(contents.analysis_path(settings, analysis.content_id, analysis.id)),
    }


async def finish(
    session: AsyncSession, settings: Settings, run: Run, result: dict[str, Any]
) -> str:
    """Mark the analysis as there."""
    analysis = await results.of_run(session, run)
    path = contents.analysis_path(settings, analysis.content_id, analysis.id)
    if not path.is_file():
        raise NotFound("the workload was deleted")
    analysis.complete = True
    await session.flush()
    return f"computed; {result['bytes']:,} bytes kept"
