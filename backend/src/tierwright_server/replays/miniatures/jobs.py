"""The worker's side of the miniature job: sizes are kept as they come."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.settings import Settings
from tierwright_server.replays import cluster, kept, results
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Run


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child: the sizes that no earlier attempt has done."""
    miniature = await results.of_run(session, run)
    trace = await contents.existing_trace(settings, miniature.content_id, session)
    content = await results.content_of(session, miniature)
    plan = [entry for entry in miniature.plan if "refused" not in entry]
    beside = [entry["lru"] for entry in plan if "lru" in entry]
    known = await kept.done(
        session, miniature.content_id, [entry["key"] for entry in [*plan, *beside]]
    )

    def waiting(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        # Two sizes of production may be one of the recording, which is replayed once.
        found = {entry["key"]: entry for entry in entries if entry["key"] not in known}
        return list(found.values())

    return {
        "trace": str(trace),
        "accesses": content.summary["accesses"],
        "sample_rate": miniature.inputs["sample_rate"],
        "seed": miniature.inputs["seed"],
        "warm_up": miniature.plan[0].get("warm_up", 0),
        "configurations": waiting(plan),
        "beside": waiting(beside),
        **cluster.of_job(settings, trace),
    }
