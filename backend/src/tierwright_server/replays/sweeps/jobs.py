"""The worker's side of the sweep job: replays are kept as they come."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.replays.sweeps import repository
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Content, Run, Sweep


async def _find(session: AsyncSession, run: Run) -> Sweep:
    sweep = await session.get(Sweep, run.subject_id)
    if sweep is None:
        raise NotFound("the sweep was deleted with its workload")
    return sweep


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child: what no earlier attempt or sweep has done."""
    sweep = await _find(session, run)
    trace = contents.existing_trace(settings, sweep.content_id)
    known = await repository.done(
        session, sweep.content_id, [entry["key"] for entry in sweep.configurations]
    )
    # Where the metadata of flash leave no RAM there is nothing to replay.
    # Two contenders may be the same; it is replayed once.
    wanted = {
        entry["key"]: entry
        for entry in sweep.configurations
        if entry["key"] not in known and entry["ram_pages"] >= 1
    }
    content = await session.get(Content, sweep.content_id)
    if content is None:
        raise NotFound("the workload was deleted")
    return {
        "trace": str(trace),
        "accesses": content.summary["accesses"],
        "configurations": list(wanted.values()),
    }


async def keep(session: AsyncSession, run: Run, partial: dict[str, Any]) -> None:
    """Store the replays that are done."""
    sweep = await _find(session, run)
    await repository.keep(session, sweep.content_id, partial["replays"])


async def finish(
    session: AsyncSession,
    settings: Settings,  # noqa: ARG001 - the shape of every kind
    run: Run,
    result: dict[str, Any],
) -> str:
    """Say what was done; the replays are stored already."""
    await _find(session, run)
    failed = result["failed"]
    done = f"{result['replayed']} configurations replayed"
    return f"{done}, {failed} of them failed" if failed else done
