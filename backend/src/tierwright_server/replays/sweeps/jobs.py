"""The worker's side of the sweep job: replays are kept as they come."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.settings import Settings
from tierwright_server.replays import cluster, kept, results
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Run


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child: what no earlier attempt or sweep has done."""
    sweep = await results.of_run(session, run)
    trace = await contents.existing_trace(settings, sweep.content_id, session)
    known = await kept.done(
        session, sweep.content_id, [entry["key"] for entry in sweep.plan]
    )
    # Where the metadata of flash leave no RAM there is nothing to replay.
    # Two contenders may be the same; it is replayed once.
    wanted = {
        entry["key"]: entry
        for entry in sweep.plan
        if entry["key"] not in known and entry["ram_pages"] >= 1
    }
    content = await results.content_of(session, sweep)
    return {
        "trace": str(trace),
        "accesses": content.summary["accesses"],
        "configurations": list(wanted.values()),
        **cluster.of_job(settings, trace),
    }
