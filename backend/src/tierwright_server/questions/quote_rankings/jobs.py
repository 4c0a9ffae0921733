"""The worker's side of rankings: finds where the curve lies, and keeps the answer."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.settings import Settings
from tierwright_server.questions.quote_rankings import repository
from tierwright_server.replays import results
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.tables import Run, Workload
from tierwright_server.traces.workloads import service as workloads


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child."""
    asked = await results.of_run(session, run)
    content = await results.content_of(session, asked)
    workload = await session.get(Workload, asked.workload_id)
    is_trace = contents.kind_of(content.summary) is ContentKind.TRACE
    path = (contents.curve_path if is_trace else contents.profile_path)(
        settings, content.id
    )
    await shared_store.here(settings, path, session)
    return {
        **asked.inputs,
        "is_trace": is_trace,
        "path": str(path),
        "summary": content.summary,
        "notes": asdict(workloads.notes_of(workload, content)),
        "out": str(settings.work_dir / run.id / "ranking.json"),
    }


async def finish(
    session: AsyncSession,
    settings: Settings,  # noqa: ARG001 - the shape of every kind
    run: Run,
    result: dict[str, Any],
) -> str:
    """Keep the answer, under its own id and that of the request."""
    asked = await results.of_run(session, run)
    answer = await asyncio.to_thread(Path(result["out"]).read_bytes)
    await repository.keep(session, result["ranking_id"], answer)
    asked.result = {"ranking_id": result["ranking_id"]}
    asked.complete = True
    asked.inputs = {}  # a request may be large, and the answer is there
    await session.flush()
    return str(result["finding"])
