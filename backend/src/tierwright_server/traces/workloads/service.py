"""Decisions about workloads."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.evaluate.compose.composed import ESTIMATOR as COMPOSED
from tierwright.evaluate.described.curve import ESTIMATOR
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.profile.curve import Curve
from tierwright.profile.knees import METHOD as KNEE_METHOD
from tierwright.profile.knees import knees
from tierwright.profile.steady_state import Start
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import formats
from tierwright_server.common.errors import (
    BadInput,
    Conflict,
    NeedsTrace,
    NotFound,
    NotReady,
)
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.http.preconditions import check_match, etag_of
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import FINAL, RunKind, RunStatus
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.tables import Content, Run, Workload
from tierwright_server.traces.curves import CurveCache
from tierwright_server.traces.uploads import service as uploads
from tierwright_server.traces.uploads import storage
from tierwright_server.traces.uploads.schemas import ReadOptions, reading_of
from tierwright_server.traces.workloads import given, repository
from tierwright_server.traces.workloads.evidence_schemas import band_of
from tierwright_server.traces.workloads.joined_source import joined_content
from tierwright_server.traces.workloads.kept import KeptWorkloads
from tierwright_server.traces.workloads.scaling_schemas import rates_out
from tierwright_server.traces.workloads.schemas import (
    ConversionLogOut,
    CurveOut,
    ImportOut,
    KneeOut,
    SteadyCurve,
    SummaryOut,
    WorkloadIn,
    WorkloadList,
    WorkloadOut,
    WorkloadRename,
    WorkloadStatus,
)

_ESTIMATORS = {
    ContentKind.TRACE: "exact LRU stack distances, one pass over the whole trace, cold start",
    ContentKind.PROFILE: "profile of a trace, as it was uploaded: LRU, cold start",
    ContentKind.CURVE: "a given curve, assumed to be LRU in a full cache; not measured "
    "here",
}


async def list_workloads(
    session: AsyncSession,
    page: Page,
    name: str | None = None,
    status: WorkloadStatus | None = None,
) -> WorkloadList:
    """List workloads."""
    rows, total = await repository.page(session, page, name, status)
    ids = [row[0].content_id for row in rows if row[0].content_id is not None]
    twins = await repository.twins(session, ids)
    return WorkloadList(
        items=[_workload_out(row, twins) for row in rows],
        total=total,
        limit=page.limit,
        offset=page.offset,
    )


async def get_workload(session: AsyncSession, workload_id: str) -> WorkloadOut:
    """Read one workload."""
    row = await find(session, workload_id)
    content_id = row[0].content_id
    twins = await repository.twins(session, [content_id]) if content_id else {}
    return _workload_out(row, twins)


async def find(session: AsyncSession, workload_id: str) -> repository.Row:
    """Find a workload with its run and content.

    Raises
    ------
    NotFound
        There is none.
    """
    return _found(await repository.row(session, workload_id), workload_id)


def _found(row: repository.Row | None, workload_id: str) -> repository.Row:
    if row is None:
        raise NotFound(
            f"there is no workload `{workload_id}`",
            hint="Choose another workload: it may have been deleted. List all: GET "
            "/api/v1/workloads.",
        )
    return row


async def find_ready(
    session: AsyncSession, workload_id: str
) -> tuple[Workload, Content]:
    """Find a workload that has its curves.

    Raises
    ------
    NotReady
        It is still being read, or reading it failed.
    """
    return _ready(*await find(session, workload_id))


async def find_kept(context: Context, workload_id: str) -> tuple[Workload, Content]:
    """Find a workload that has its curves, to read only: it may be shared with others.

    Raises
    ------
    NotFound, NotReady
        As `find_ready`.
    """
    return _ready(
        *_found(await context.of(KeptWorkloads).row(workload_id), workload_id)
    )


def _ready(
    workload: Workload, run: Run | None, content: Content | None
) -> tuple[Workload, Content]:
    if content is not None:
        return workload, content
    status = _status(run)
    if status is WorkloadStatus.FAILED and run is not None:
        raise NotReady(
            f"workload `{workload.name}` could not be imported: {run.error}",
            hint=run.hint,
        )
    raise NotReady(
        f"workload `{workload.name}` is {status.value}",
        hint="Follow its run until it is ready."
        if status is not WorkloadStatus.CANCELLED
        else "Read its upload again.",
    )


async def find_traced(
    session: AsyncSession, workload_id: str
) -> tuple[Workload, Content]:
    """Find a workload that has its trace, for what replays it.

    Raises
    ------
    NeedsTrace
        It was made of a profile or of a given curve.
    NotReady
        As `find_ready`.
    """
    workload, content = await find_ready(session, workload_id)
    check_traced(workload, content)
    return workload, content


def check_traced(workload: Workload, content: Content) -> None:
    """Refuse a workload that came without its trace.

    Raises
    ------
    NeedsTrace
        It cannot be replayed.
    """
    kind = contents.kind_of(content.summary)
    if kind is ContentKind.TRACE:
        return
    scaled_from = content.summary.get("scaled_from")
    if scaled_from is not None:
        raise NeedsTrace(
            f"workload `{workload.name}` was scaled from `{scaled_from['name']}`, so it has no "
            "accesses of its own to replay",
            hint="Ask this of the workload that was recorded. If an earlier version scaled it, scale "
            "it again, and checks replay its recording.",
        )
    made_of = (
        "a profile: it holds curves and no accesses, so nothing can be replayed"
        if kind is ContentKind.PROFILE
        else "the curves of several workloads: there are no accesses to replay"
        if content.summary.get("composed_of")
        else "a given curve: there are no accesses to replay"
    )
    raise NeedsTrace(
        f"workload `{workload.name}` was made from {made_of}",
        hint="Upload the trace itself, or run `tierwright simulate`, `sweep` or "
        "`pool-split` where the trace is.",
    )


async def create_workload(
    session: AsyncSession, context: Context, body: WorkloadIn
) -> ImportOut:
    """Queue the reading of a finished upload, unless its file is here already.

    A profile is a workload at once. The upload of a file that is here is kept, so that it can
    be imported again. A file registered by its path has no hash before it is read.
    """
    upload = await uploads.find_complete(session, body.upload_id, lock=True)
    document = await asyncio.to_thread(given.document_in, context.settings, upload)
    if document is not None:
        workload = await given.create_from_document(
            session, context, body.name, document, upload.filename
        )
        await session.delete(upload)
        await session.flush()
        # The row goes with the commit; if that fails, expiry finds a row without a file.
        await asyncio.to_thread(storage.remove, context.settings, body.upload_id)
        return _import_out(await get_workload(session, workload.id))
    known = {row["name"] for row in formats()}
    if body.format is not None and body.format not in known:
        raise BadInput.at(
            "body.format",
            body.format,
            f"is not one of {', '.join(sorted(known))}",
            hint="Leave it out to have the format detected.",
        )
    await uploads.renew(session, context.settings, upload)
    asked = body.model_dump(include=set(ReadOptions.model_fields))
    if upload.sha256 is not None and not body.import_again:
        here = await repository.of_file(session, upload.sha256, asked, VERSION)
        if here is not None:
            return await already_here(session, here)
    workload = Workload(
        id=runs.new_id(),
        name=body.name,
        example=False,
        filename=upload.filename,
        upload_id=upload.id,
        reading=asked,
    )
    return await queue_import(session, workload)


async def queue_import(session: AsyncSession, workload: Workload) -> ImportOut:
    """Queue the first reading of a new workload."""
    session.add(workload)
    run = await _read(session, workload)
    return _import_out(_workload_out((workload, run, None), {}))


def _import_out(workload: WorkloadOut, *, already_here: bool = False) -> ImportOut:
    return ImportOut(**dict(workload), already_here=already_here)


async def already_here(session: AsyncSession, workload_id: str) -> ImportOut:
    """Return a workload in answer to a request that would make the same one again."""
    return _import_out(await get_workload(session, workload_id), already_here=True)


async def _read(session: AsyncSession, workload: Workload) -> Run:
    joined = joined_content(workload) is not None
    run = await runs.create(
        session,
        RunKind.INGEST,
        workload.id,
        f"Read {workload.name if joined else workload.filename or workload.name}",
    )
    workload.run_id = run.id
    await session.flush()
    return run


async def read_again(
    session: AsyncSession, context: Context, workload_id: str
) -> WorkloadOut:
    """Queue the reading of a workload once more, from the file that is still kept."""
    workload = await repository.lock(session, workload_id)
    _, run, content = await find(session, workload_id)
    if workload is None or content is not None:
        raise Conflict(
            "the workload has already been imported",
            hint="Open the workload: its curves are ready.",
        )
    if run is not None and RunStatus(run.status) not in FINAL:
        raise Conflict(
            f"workload `{workload.name}` is being imported",
            hint=f"Follow its run: GET /api/v1/runs/{run.id}.",
        )
    if not workload.example and joined_content(workload) is None:
        if workload.upload_id is None:
            raise Conflict(
                f"the file of workload `{workload.name}` is no longer kept",
                hint="Upload the file again.",
            )
        upload = await uploads.find_complete(session, workload.upload_id, lock=True)
        await uploads.renew(session, context.settings, upload)
    run = await _read(session, workload)
    return _workload_out((workload, run, None), {})


async def get_conversion_log(
    session: AsyncSession, workload_id: str
) -> ConversionLogOut:
    """Read how the file of a workload became accesses."""
    workload, _ = await find_ready(session, workload_id)
    if workload.conversion is None:
        raise NotFound(
            f"workload `{workload.name}` has no conversion log",
            hint="Upload its file again to get one: no trace was imported for it, or "
            "an older version imported it.",
        )
    return ConversionLogOut.model_validate(
        {"workload_id": workload.id, "name": workload.name, **workload.conversion}
    )


async def rename_workload(
    session: AsyncSession,
    workload_id: str,
    body: WorkloadRename,
    if_match: str | None = None,
) -> WorkloadOut:
    """Rename a workload."""
    workload = await repository.lock(session, workload_id)
    if workload is not None:
        _check_match(if_match, workload)
        workload.name = body.name
        await session.flush()
    return await get_workload(session, workload_id)


def _check_match(if_match: str | None, workload: Workload) -> None:
    check_match(if_match, _etag(workload), f"workload `{workload.name}`")


def _etag(workload: Workload) -> str:
    return etag_of(workload.id, workload.name)


async def delete_workload(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    if_match: str | None = None,
) -> None:
    """Delete a workload, and its content with the last that has it."""
    workload = await repository.lock(session, workload_id)
    if workload is None:
        await find(session, workload_id)
        return
    _check_match(if_match, workload)
    if workload.example:
        raise Conflict(
            "the worked example cannot be deleted",
            hint="Delete workloads of your own instead; the example takes little "
            "space.",
        )
    _, run, content = await find(session, workload_id)
    runs.check_ended(run, f"workload `{workload.name}` is being imported")
    await session.delete(workload)
    await session.flush()
    if content is not None:
        await _drop_content(session, context, content.id)


async def _drop_content(
    session: AsyncSession, context: Context, content_id: str
) -> None:
    await repository.lock_content(session, content_id)
    if await repository.twins(session, [content_id]):
        return
    await session.execute(delete(Content).where(Content.id == content_id))
    # Out of the way before the commit, so that nobody finds half of it.
    folder = contents.folder_of(context.settings, content_id)
    trash = context.settings.work_dir / f"deleted-{runs.new_id()}"
    if folder.exists():
        folder.rename(trash)
    await session.commit()
    await asyncio.to_thread(partial(shutil.rmtree, trash, ignore_errors=True))
    await asyncio.to_thread(shared_store.forget, context.settings, folder)


async def get_curve(
    session: AsyncSession, context: Context, workload_id: str, points: int
) -> CurveOut:
    """Read the curves of a workload, thinned."""
    workload, content = await find_ready(session, workload_id)
    curve = await load_curve(context, workload, content)
    kind = contents.kind_of(content.summary)
    thinned = curve
    if kind is not ContentKind.TRACE:
        thinned = curve.at(_some(curve.pages, points))
    elif curve.distinct_pages > points:
        thinned = curve.thinned(points)
    data = None if curve.given is not None else curve.steady().all_data_from
    if data is not None:
        # Up to all of the data, where a running system has nothing left to miss.
        thinned = curve.at(
            np.union1d(thinned.pages, np.asarray([max(1, data - 1), data]))
        )
    lists = thinned.to_lists()
    bends = knees(thinned.pages, 1 - thinned.misses_at / curve.accesses)
    banded = curve.given is not None and curve.is_scaled
    low, high = thinned.law_band(thinned.pages) if banded else (None, None)
    if not banded and curve.evidence is not None and curve.evidence.band:
        low, high = (
            ratios * curve.accesses for ratios in curve.evidence.ends(thinned.pages)
        )
    return CurveOut(
        workload_id=workload.id,
        content_id=content.id,
        kind=kind,
        pages=lists["pages"],
        misses=lists["misses"],
        write_backs=lists["write_backs"],
        accesses=curve.accesses,
        write_accesses=curve.known_write_accesses,
        tells_writes=curve.write_backs_at is not None and curve.notes.tells_writes,
        distinct_pages=curve.distinct_pages,
        page_bytes=curve.page_bytes,
        described_by=content.summary.get("described_by"),
        composed_of=content.summary.get("composed_of"),
        evidence=content.summary.get("evidence"),
        misses_low=None if low is None else low.tolist(),
        misses_high=None if high is None else high.tolist(),
        band=[] if banded else band_of(curve.evidence),
        estimator=_estimator(content),
        knees=[KneeOut.model_validate(knee) for knee in bends],
        knee_method=KNEE_METHOD,
        steady=await asyncio.to_thread(_steady, curve, thinned.pages),
    )


def _steady(curve: Curve, sizes: NDArray[np.int64]) -> SteadyCurve | None:
    if curve.given is not None:
        return None
    steady = curve.steady()
    low, high = steady.misses_band(sizes)
    misses = steady.misses(sizes)
    bends = knees(sizes, 1 - misses / curve.accesses)
    return SteadyCurve(
        misses=misses.tolist(),
        knees=[KneeOut.model_validate(knee) for knee in bends],
        misses_low=low.tolist(),
        misses_high=high.tolist(),
        uncertain=steady.uncertain(sizes).tolist(),
        write_backs=None
        if steady.write_backs_at is None
        else steady.write_backs(sizes).tolist(),
    )


def _some(pages: NDArray[np.int64], points: int) -> NDArray[np.int64]:
    """Return about `points` of the listed sizes, first and last among them."""
    if len(pages) <= points:
        return pages
    chosen = np.unique(np.linspace(0, len(pages) - 1, points).round().astype(np.int64))
    return pages[chosen]


def _estimator(content: Content) -> str:
    if content.summary.get("described_by") is not None:
        return f"computed from a description, LRU in the steady state: {ESTIMATOR}"
    if content.summary.get("composed_of"):
        return f"composed by formula, LRU in the steady state: {COMPOSED}"
    if (evidence := content.summary.get("evidence")) is not None:
        return (
            f"from the counters of a running system: {evidence['title']}, of {evidence['range']}; assumed to be "
            "LRU in a full cache"
        )
    rate = content.summary.get("sample_rate")
    sampled = "" if rate is None else f"; estimated from {100 * rate:g} % of its pages"
    return _ESTIMATORS[contents.kind_of(content.summary)] + sampled


async def load_curve(
    context: Context, workload: Workload, content: Content, start: Start = "cold"
) -> Curve:
    """Return the whole curve of a workload, with what its reader noticed."""
    curve = await context.of(CurveCache).get(
        context.settings, content.id, content.summary
    )
    notes = notes_of(workload, content)
    found = (*notes.warnings, *context.of(CurveCache).notes_of(content.id))
    noted = curve.with_notes(replace(notes, warnings=found))
    if start == "cold":
        return noted
    return await asyncio.to_thread(noted.from_start, start)


def notes_of(workload: Workload | None, content: Content) -> ReaderNotes:
    """Return what the reader of a workload's own file noticed."""
    return ReaderNotes.of(_report_of(workload, content))


async def asked_through(
    session: AsyncSession, workload_id: str | None, content_id: str, first_id: str
) -> str:
    """Return the workload whose notes stand with a result, which is kept by its content.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    workload_id : str, optional
        The workload through which the result is asked for. One with another content has
        nothing to say of it.
    content_id, first_id : str
        Content of the result, and the workload through which it was asked for first.
    """
    if workload_id is None:
        return first_id
    workload = await session.get(Workload, workload_id)
    if workload is None or workload.content_id != content_id:
        return first_id
    return workload_id


async def cautions_of(
    session: AsyncSession, workload_id: str, content: Content
) -> list[WarningOut]:
    """Return what to know of a workload's trace before trusting a result kept of it."""
    notes = notes_of(await session.get(Workload, workload_id), content)
    return [WarningOut.model_validate(caution) for caution in about_trace(notes)]


def _report_of(workload: Workload | None, content: Content) -> dict[str, Any]:
    """Return what this workload's own file held, not another's with the same content."""
    if workload is not None and workload.conversion:
        own: dict[str, Any] = workload.conversion["report"]
        return own
    return content.summary


def _status(run: Run | None) -> WorkloadStatus:
    """Derive the status of a workload without content from its run."""
    if run is None or run.status == RunStatus.SUCCEEDED.value:
        return WorkloadStatus.FAILED
    return WorkloadStatus(run.status)


def _summary(workload: Workload, content: Content | None) -> SummaryOut | None:
    if content is None:
        return None
    traced = contents.kind_of(content.summary) is ContentKind.TRACE
    return SummaryOut.model_validate(
        {
            **_report_of(workload, content),
            "tells_writes": notes_of(workload, content).tells_writes,
            "production": _production(content),
            "composed_of": _composed_of(content),
            "has_summaries": traced or content.summary.get("has_summaries", False),
            "replayable": traced
            or bool((content.summary.get("scaled_from") or {}).get("content_id")),
        }
    )


def _composed_of(content: Content) -> list[dict[str, Any]] | None:
    known = content.summary.get("composed_from")
    if known is not None:
        return list(known)
    names = content.summary.get("composed_of")
    if not names:
        return None
    return [
        {"name": name, "workload_id": None, "accesses_per_s": None} for name in names
    ]


def _production(content: Content) -> dict[str, Any] | None:
    scaled = content.summary.get("scaled")
    if scaled is None:
        return None
    recorded = scaled["recorded"]
    stated = scaled["production"]
    return {
        **{key: scaled[key] for key in ("law", "factor", "known_error")},
        "production": {**stated, "rates": rates_out(stated.get("rates"))},
        "recorded_data_bytes": recorded["data_bytes"],
        **{key: recorded[key] for key in ("data_stated", "tau_accesses", "per_unit")},
        "recorded_page_bytes": recorded.get("page_bytes"),
    }


def _workload_out(
    row: repository.Row, twins: Mapping[str, Sequence[str]]
) -> WorkloadOut:
    workload, run, content = row
    same = twins.get(content.id, ()) if content is not None else ()
    return WorkloadOut(
        etag=_etag(workload),
        id=workload.id,
        name=workload.name,
        status=WorkloadStatus.READY if content is not None else _status(run),
        example=workload.example,
        content_id=workload.content_id,
        same_content_as=[other for other in same if other != workload.id],
        filename=workload.filename,
        upload_id=workload.upload_id,
        **reading_of(workload.reading),
        summary=_summary(workload, content),
        created_at=workload.created_at,
        run=RunOut.model_validate(run) if run else None,
    )
