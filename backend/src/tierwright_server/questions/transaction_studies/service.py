"""Studies of recorded transactions: what is replayed, and what is shown of it so far."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import transaction_study as models
from tierwright.hardware.raw_nand import NandTimes
from tierwright_server.common.errors import BadInput, NotFound
from tierwright_server.common.older_models import about_version
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.http.steps import rows_of
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions.transaction_studies import repository
from tierwright_server.questions.transaction_studies.example import (
    example_path,
    example_source,
    id_of,
    is_example,
)
from tierwright_server.questions.transaction_studies.schemas import (
    StudyRow,
    TransactionStudyIn,
    TransactionStudyList,
    TransactionStudyOut,
    TransactionStudySummary,
)
from tierwright_server.replays import results
from tierwright_server.storage.tables import Run, TransactionStudy, now
from tierwright_server.traces.uploads import service as uploads
from tierwright_server.traces.uploads import storage


@dataclass(frozen=True, slots=True)
class Prices:
    """How long operations take, by which counts become time.

    Attributes
    ----------
    times : NandTimes
        Of flash. [µs]
    disk_us, disk_log_us : float
        One random access of a disk, one page of a log on it. [µs]
    """

    times: NandTimes
    disk_us: float
    disk_log_us: float


async def create(
    session: AsyncSession, context: Context, body: TransactionStudyIn, prices: Prices
) -> TransactionStudyOut:
    """Find the study of this file and these inputs, or queue it; one that ended early goes on.

    Raises
    ------
    NotFound, NotReady
        The upload is missing, or has not arrived completely.
    BadInput
        A system or a size is named twice, or a log record is larger than a page.
    """
    for name in ("systems", "ram_pages"):
        given = getattr(body, name)
        twice = next((each for each in given if given.count(each) > 1), None)
        if twice is not None:
            raise BadInput.at(
                f"body.{name}", twice, "is named twice", hint="Name each once."
            )
    if body.log_bytes_per_update > body.page_bytes:
        raise BadInput.at(
            "body.log_bytes_per_update",
            body.log_bytes_per_update,
            f"is more than the {body.page_bytes:,} bytes of a page of the device",
            hint="Give shorter log records, or a larger page_bytes.",
        )
    source, filename = await _source(session, context, body.upload_id)
    inputs = body.model_dump(mode="json", exclude={"upload_id"})
    study_id = id_of(source, inputs, VERSION)
    await results.lock_id(session, study_id)
    found = await repository.get(session, study_id)
    if found is not None and (found[0].complete or results.is_open(found[1])):
        return _out(*found, prices)
    if found is None:
        study = TransactionStudy(
            id=study_id,
            filename=filename,
            inputs=inputs,
            rows={},
            core_version=VERSION,
        )
        session.add(study)
    else:
        study = found[0]
    # One that was read from an upload that is gone goes on with the same file.
    study.upload_id = body.upload_id
    run = await runs.create(
        session,
        RunKind.TRANSACTION_STUDY,
        study_id,
        f"Replay the transactions of {filename}",
    )
    study.run_id = run.id
    await session.flush()
    await repository.keep_the_newest(session)
    return _out(study, run, prices)


async def _source(
    session: AsyncSession, context: Context, upload_id: str | None
) -> tuple[str, str]:
    """Return what a file of events is known by, and its name; an upload that is used lives on."""
    if upload_id is None:
        return await asyncio.to_thread(example_source), example_path().name
    settings = context.settings
    upload = await uploads.find_complete(session, upload_id, lock=True)
    path = storage.readable_path(settings, upload)
    upload.expires_at = now() + timedelta(seconds=settings.upload_expires_s)
    known = upload.sha256 or f"{path}:{upload.size_bytes}:{upload.source_mtime_ns}"
    return known, upload.filename or upload.id


async def find(
    session: AsyncSession, study_id: str, prices: Prices, *, derived: bool
) -> TransactionStudyOut:
    """Read a study as far as it is.

    Raises
    ------
    NotFound
        There is none, or it was the oldest of too many.
    """
    return _out(*await _found(session, study_id), prices, derived=derived)


async def list_studies(
    session: AsyncSession, page: Page, filename: str | None
) -> TransactionStudyList:
    """List studies, newest first."""
    rows, total = await repository.page(session, page, filename)
    return TransactionStudyList(
        items=[_summary(*row) for row in rows],
        total=total,
        limit=page.limit,
        offset=page.offset,
    )


async def delete(session: AsyncSession, study_id: str) -> None:
    """Delete a study; the file of its events stays.

    Raises
    ------
    NotFound
        There is none.
    Conflict
        Its run has not ended.
    """
    await results.lock_id(session, study_id)
    study, run = await _found(session, study_id)
    runs.check_ended(run, f"the transactions of {study.filename} are being replayed")
    await session.delete(study)
    await session.flush()


async def _found(session: AsyncSession, study_id: str) -> repository.Row:
    found = await repository.get(session, study_id)
    if found is None:
        raise NotFound(
            f"there is no study of transactions `{study_id}`",
            hint="Request it again: POST /api/v1/transaction-studies. The last "
            f"{repository.MOST_KEPT:,} studies are kept, unless they are deleted.",
        )
    return found


def _status(study: TransactionStudy, run: Run | None) -> RunStatus:
    if study.complete:
        return RunStatus.SUCCEEDED
    return RunStatus(run.status) if run else RunStatus.FAILED


def _inputs(study: TransactionStudy) -> TransactionStudyIn:
    return TransactionStudyIn.model_validate(
        {**study.inputs, "upload_id": study.upload_id}
    )


def _summary(study: TransactionStudy, run: Run | None) -> TransactionStudySummary:
    return TransactionStudySummary(
        id=study.id,
        status=_status(study, run),
        inputs=_inputs(study),
        filename=study.filename,
        is_example=is_example(study),
        events=None if study.survey is None else study.survey["events"],
        ram_pages=(study.plan or {}).get("ram_pages", []),
        replays=sum(len(systems) for systems in study.rows.values()),
        core_version=study.core_version,
        created_at=study.created_at,
        run_id=study.run_id,
    )


def _out(
    study: TransactionStudy,
    run: Any,
    prices: Prices,
    *,
    derived: bool = False,
) -> TransactionStudyOut:
    answer = models.priced(
        {
            int(pages): {
                system: models.counts_of(systems[system])
                for system in study.inputs["systems"]
            }
            for pages, systems in study.rows.items()
        },
        durable=study.inputs["durable"],
        times=prices.times,
        disk_us=prices.disk_us,
        disk_log_us=prices.disk_log_us,
    )
    plan: Mapping[str, Any] = study.plan or {}
    return TransactionStudyOut.showing(
        answer,
        id=study.id,
        status=_status(study, run),
        inputs=_inputs(study),
        filename=study.filename,
        is_example=is_example(study),
        survey=study.survey,
        ram_pages=plan.get("ram_pages", []),
        database_pages=plan.get("database_pages"),
        blocks=plan.get("blocks"),
        crash_after=plan.get("crash_after"),
        rows=[StudyRow.model_validate(models.shown(row)) for row in answer.rows],
        warnings=[
            *about_version(study.core_version),
            *(WarningOut.model_validate(each) for each in answer.warnings),
        ],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
        core_version=study.core_version,
        created_at=study.created_at,
        run=RunOut.model_validate(run) if run else None,
    )
