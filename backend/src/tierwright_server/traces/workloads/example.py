"""The worked example that greets a newcomer: production, and the recording that it was scaled from."""

import asyncio
from dataclasses import replace
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright.advise import scale
from tierwright.advise.scale.request import read_production
from tierwright.profile import measure, relations
from tierwright.profile.document import Profile
from tierwright.trace.reading import Trace
from tierwright_server.common.settings import Settings
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.states import FINAL, RunKind, RunStatus
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Run, Workload
from tierwright_server.traces.uploads.schemas import ReadOptions
from tierwright_server.traces.workloads import given, repository

PRODUCTION_ID = "example-production"
_PRODUCTION_NAME = "Worked example: TPC-C on PostgreSQL"
RECORDING_ID = "example"
_RECORDING_NAME = "Recording of the worked example"
_LOCK = "workload:example"


async def ensure_example(
    sessions: async_sessionmaker[AsyncSession], settings: Settings
) -> None:
    """Queue the reading of the example's recording once; again, should it have failed."""
    name = settings.example_trace.name
    async with sessions() as session:
        await repository.lock_content(session, _LOCK)
        workload = await session.get(Workload, RECORDING_ID)
        if workload is None:
            workload = Workload(
                id=RECORDING_ID,
                name=f"Worked example: {name}"
                if settings.example_production is None
                else _RECORDING_NAME,
                example=True,
                filename=name,
                reading=ReadOptions(format="postgres_csv").model_dump(),
            )
            session.add(workload)
        elif not await _is_missing(session, settings, workload):
            return
        run = await runs.create(
            session, RunKind.INGEST, workload.id, "Import the worked example"
        )
        workload.run_id = run.id
        await session.commit()


async def _is_missing(
    session: AsyncSession, settings: Settings, workload: Workload
) -> bool:
    """Whether something of the example is not here, and no run is about to make it."""
    run = await session.get(Run, workload.run_id) if workload.run_id else None
    if run is not None and RunStatus(run.status) not in FINAL:
        return False
    if workload.content_id is None:
        return True
    return (
        _is_of(settings, workload)
        and await session.get(Workload, PRODUCTION_ID) is None
    )


def _is_of(settings: Settings, workload: Workload) -> bool:
    """Whether a recording is the one that the example's production is about; an older example stays as it is."""
    return (
        workload.id == RECORDING_ID
        and workload.filename == settings.example_trace.name
        and settings.example_production is not None
    )


async def scale_example(
    session: AsyncSession, settings: Settings, recording: Workload
) -> None:
    """Scale the example's recording to its production, once it has been read.

    Parameters
    ----------
    session : AsyncSession
        In the transaction that ends the reading.
    settings : Settings
        Where its trace and the statement of production are.
    recording : Workload
        Any workload that was read; others than the example's are passed over.
    """
    production = settings.example_production
    if (
        production is None
        or recording.content_id is None
        or not _is_of(settings, recording)
        or await session.get(Workload, PRODUCTION_ID) is not None
    ):
        return
    trace = await contents.existing_trace(settings, recording.content_id)
    profile = await asyncio.to_thread(_scaled, trace, production)
    await given.store_profile(
        session,
        settings,
        profile,
        Workload(id=PRODUCTION_ID, name=_PRODUCTION_NAME, example=True, filename=None),
        {
            "scaled_from": {
                "workload_id": recording.id,
                "name": recording.name,
                "content_id": recording.content_id,
            }
        },
    )


def _scaled(trace: Path, production: Path) -> Profile:
    read = Trace(trace)
    recorded = replace(
        measure.profile(read), relations=relations.measured(read, names=True)
    )
    return scale.answer(recorded, **read_production(production)).profile
