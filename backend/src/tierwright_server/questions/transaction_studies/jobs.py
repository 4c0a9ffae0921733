"""The worker's side of studies of transactions: finds the file, and keeps counts as they come."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.wording import counted
from tierwright_server.common.errors import NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.questions.transaction_studies import repository
from tierwright_server.questions.transaction_studies.example import (
    example_path,
    is_example,
)
from tierwright_server.storage.tables import Run, TransactionStudy
from tierwright_server.traces.uploads import service as uploads
from tierwright_server.traces.uploads import storage


async def _of_run(session: AsyncSession, run: Run) -> TransactionStudy:
    found = await repository.of_run(session, run)
    if found is None:
        raise NotFound("the study was removed as the oldest of too many")
    return found


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child: the sizes that an earlier attempt has done are left out."""
    study = await _of_run(session, run)
    if study.upload_id is None:
        if not is_example(study):
            raise NotFound(
                f"the upload of {study.filename} is gone",
                hint="Upload the file again, and request the study again.",
            )
        path = example_path()
    else:
        upload = await uploads.find_complete(session, study.upload_id)
        path = await storage.readable_here(settings, upload, session)
    return {
        "path": str(path),
        "shown_as": study.filename,
        "inputs": study.inputs,
        "survey": study.survey,
        "blocks": None if study.plan is None else study.plan["blocks"],
        "done": sorted(map(int, study.rows)),
    }


async def keep(session: AsyncSession, run: Run, partial: dict[str, Any]) -> None:
    """Store what is known of the file, and the sizes that are done: those of another device no longer count."""
    study = await _of_run(session, run)
    if study.plan is not None and study.plan["blocks"] != partial["plan"]["blocks"]:
        study.rows = {}
    study.survey, study.plan = partial["survey"], partial["plan"]
    study.rows = {**study.rows, **partial.get("rows", {})}
    await session.flush()


async def finish(
    session: AsyncSession,
    settings: Settings,  # noqa: ARG001 - the shape of every kind
    run: Run,
    result: dict[str, Any],
) -> str:
    """Say how much was done; all of it is stored."""
    study = await _of_run(session, run)
    study.complete = True
    await session.flush()
    return f"{counted(result['replayed'], 'buffer size')} replayed"
