"""The worker's side of the miniature job: sizes are kept as they come."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.settings import Settings
from tierwright_server.replays import kept, results
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Run


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child: the sizes that no earlier attempt has done."""
    miniature = await results.of_run(session, run)
    trace = contents.existing_trace(settings, miniature.content_id)
    content = await results.content_of(session, miniature)
    configurations = miniature.plan
    known = await kept.done(
        session, miniature.content_id, [entry["key"] for entry in configurations]
    )
    return {
        "trace": str(trace),
        "accesses": content.summary["accesses"],
        "sample_rate": miniature.inputs["sample_rate"],
        "seed": miniature.inputs["seed"],
        "configurations": [
            entry for entry in configurations if entry["key"] not in known
        ],
    }


async def keep(session: AsyncSession, run: Run, partial: dict[str, Any]) -> None:
    """Store the sizes that are done."""
    miniature = await results.of_run(session, run)
    await kept.keep(session, miniature.content_id, partial["replays"])


async def finish(
    session: AsyncSession,
    settings: Settings,  # noqa: ARG001 - the shape of every kind
    run: Run,
    result: dict[str, Any],
) -> str:
    """Say what was done; the sizes are stored already."""
    miniature = await results.of_run(session, run)
    miniature.complete = True
    await session.flush()
    failed = result["failed"]
    done = f"{result['estimated']} sizes estimated"
    return f"{done}, {failed} of them failed" if failed else done
