"""Decisions about uploads: their life, and the preview of a finished one."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import structlog
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright.profile.document import SCHEMA
from tierwright.trace.sources import store
from tierwright.trace.sources.address import Address, is_address
from tierwright_server.common.errors import (
    BadGateway,
    BadInput,
    Conflict,
    NotFound,
    NotReady,
    TimedOut,
    TooLarge,
)
from tierwright_server.common.schemas import ProblemDetail
from tierwright_server.common.settings import Settings
from tierwright_server.common.wording import without_path
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.jobs.runs import repository as runs_repository
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.service import create as create_run
from tierwright_server.jobs.runs.service import new_id
from tierwright_server.jobs.runs.states import FINAL, RunKind, RunStatus
from tierwright_server.storage import quota, shared_store
from tierwright_server.storage.source_files import mark_of
from tierwright_server.storage.tables import Run, Upload, now
from tierwright_server.traces.uploads import registered, repository, storage
from tierwright_server.traces.uploads.preview import read_head
from tierwright_server.traces.uploads.schemas import (
    Checksum,
    FilePath,
    PreviewOut,
    ReadOptions,
    UploadList,
    UploadOut,
    WorkloadName,
)

log = structlog.get_logger(__name__)

_STRAY_AGE_S = 24 * 3600.0


def upload_out(
    settings: Settings,
    upload: Upload,
    read_as: Sequence[tuple[str, str]] = (),
    run: Run | None = None,
) -> UploadOut:
    """Show an upload."""
    offset = (
        upload.size_bytes if upload.complete else storage.offset_of(settings, upload.id)
    )
    return UploadOut(
        id=upload.id,
        kind=kind_of(upload),
        path=upload.source_path or upload.source_url,
        filename=upload.filename,
        size_bytes=upload.size_bytes,
        offset_bytes=offset,
        complete=upload.complete,
        sha256=upload.sha256,
        read_as=[WorkloadName(id=id_, name=name) for id_, name in read_as],
        run=RunOut.model_validate(run) if run is not None else None,
        created_at=upload.created_at,
        expires_at=upload.expires_at,
    )


def kind_of(upload: Upload) -> Literal["upload", "registered", "fetched"]:
    """Tell where the bytes of an upload come from."""
    if upload.source_url is not None:
        return "fetched"
    return "upload" if upload.source_path is None else "registered"


def refuse_fetched(upload: Upload) -> None:
    """Keep senders away from an upload that the server itself fetches.

    Raises
    ------
    Conflict
        It is one.
    """
    if upload.source_url is not None:
        raise Conflict(
            f"upload `{upload.id}` is fetched from {upload.source_url}, not sent",
            hint="Follow its run, or begin an upload of your own.",
        )


def unknown(upload_id: str) -> NotFound:
    """Make the error of an upload that is not there."""
    return NotFound(
        f"there is no upload `{upload_id}`",
        hint="Upload the file again: it may have expired, or a workload was made from "
        "it.",
    )


async def list_uploads(
    session: AsyncSession,
    context: Context,
    page: Page,
    filename: str | None = None,
    complete: bool | None = None,
) -> UploadList:
    """List the uploads that wait."""
    uploads, total = await repository.free(session, page, filename, complete)
    runs = await runs_repository.by_ids(
        session, [upload.run_id for upload in uploads if upload.run_id is not None]
    )
    items = []
    for upload in uploads:
        run = runs.get(upload.run_id) if upload.run_id is not None else None
        try:
            items.append(upload_out(context.settings, upload, run=run))
        except NotFound:
            log.warning("the file of an upload is missing", upload=upload.id)
    return UploadList(items=items, total=total)


async def get_upload(
    session: AsyncSession, context: Context, upload_id: str
) -> UploadOut:
    """Read one upload."""
    upload = await repository.get(session, upload_id)
    if upload is None:
        raise unknown(upload_id)
    return await _whole_out(session, context, upload)


async def _whole_out(
    session: AsyncSession, context: Context, upload: Upload
) -> UploadOut:
    """Show an upload, and which workloads were read from the same file before."""
    known = (
        await repository.read_from(session, upload.sha256)
        if upload.sha256 is not None
        else ()
    )
    run = (
        await runs_repository.get(session, upload.run_id)
        if upload.run_id is not None
        else None
    )
    return upload_out(context.settings, upload, known, run)


async def register(
    session: AsyncSession, context: Context, body: FilePath
) -> UploadOut:
    """Take a file of the server's machine, or an object of a store, as if uploaded."""
    settings = context.settings
    if is_address(body.path):
        return await _fetch(session, context, body.path)
    path, seen = registered.resolve(settings, body.path)
    upload = Upload(
        id=new_id(),
        filename=path.name,
        size_bytes=seen.st_size,
        complete=True,
        source_path=str(path),
        source_mtime_ns=mark_of(path),
        expires_at=now() + timedelta(seconds=settings.upload_expires_s),
    )
    session.add(upload)
    await session.flush()
    return upload_out(settings, upload)


async def _fetch(session: AsyncSession, context: Context, text: str) -> UploadOut:
    """Begin to fetch an object, or go on with one whose fetching stopped."""
    settings = context.settings
    address = registered.resolve_address(settings, text)
    found = await _look_up(settings, address)
    if found.size_bytes > settings.upload_max_bytes:
        raise TooLarge(
            f"{address}: the object has {found.size_bytes} bytes, more than the limit of "
            f"{settings.upload_max_bytes}",
            hint="Compress the trace with zstd or gzip, or raise "
            "TIERWRIGHT_UPLOAD_MAX_BYTES.",
        )
    if found.size_bytes == 0 or found.etag is None:
        fault = "is empty" if found.size_bytes == 0 else "has no ETag"
        raise BadInput.at(
            "body.path",
            text,
            fault,
            hint="Name an object that holds a trace."
            if found.size_bytes == 0
            else "Use a store that names versions, as S3 does, so that a change of the "
            "object is noticed.",
        )
    upload = await repository.fetched(session, str(address), found.etag)
    if upload is None:
        storage.check_space(settings, found.size_bytes)
        await quota.check(session, settings, found.size_bytes)
        upload = Upload(
            id=new_id(),
            filename=address.name,
            size_bytes=found.size_bytes,
            complete=False,
            source_url=str(address),
            source_etag=found.etag,
        )
        storage.create(settings, upload.id)
        session.add(upload)
    upload.expires_at = now() + timedelta(seconds=settings.upload_expires_s)
    run = (
        await runs_repository.get(session, upload.run_id)
        if upload.run_id is not None
        else None
    )
    if not upload.complete and (run is None or RunStatus(run.status) in FINAL):
        await session.flush()
        run = await create_run(session, RunKind.FETCH, upload.id, f"Fetch {address}")
        upload.run_id = run.id
    await session.flush()
    return await _whole_out(session, context, upload)


async def _look_up(settings: Settings, address: Address) -> store.Found:
    """Ask the store for an object, and turn its refusals into ours."""
    limit_s = settings.object_store_timeout_s
    try:
        return await store.look_up(address, settings.object_store_endpoint, limit_s)
    except TimeoutError:
        raise TimedOut(
            f"{address}: the store has not answered within {limit_s:g} s",
            hint=store.unanswered_hint(store.SERVER),
        ) from None
    except store.LookUpFailed as error:
        failure = error.failure
        log.warning(
            "an object was not shown",
            address=str(address),
            why=failure.why or str(error),
        )
        if failure.fault is store.Fault.PASSING:
            raise BadGateway(
                f"{address}: {failure.message}", hint=failure.hint
            ) from error
        raise BadInput.at(
            "body.path", str(address), failure.message, hint=failure.hint
        ) from error


async def verify(
    session: AsyncSession, context: Context, upload_id: str, body: Checksum
) -> UploadOut:
    """Compare what the sender hashed with what arrived."""
    upload = await find_complete(session, upload_id, lock=True)
    if upload.sha256 is None:
        raise Conflict(
            "a registered file is not uploaded, so there is nothing to compare",
            hint="Read its SHA-256 in the conversion log once it has been imported.",
        )
    if body.sha256.lower() != upload.sha256:
        if await repository.is_in_use(session, upload_id):
            raise _damaged("body.sha256", body.sha256.lower(), upload.sha256)
        raise await _refuse_damaged(
            session, context.settings, upload, "body.sha256", body.sha256.lower()
        )
    return await _whole_out(session, context, upload)


async def create(
    session: AsyncSession,
    settings: Settings,
    size_bytes: int,
    filename: str | None,
    sha256: str | None,
) -> Upload:
    """Begin an upload."""
    if size_bytes > settings.upload_max_bytes:
        raise TooLarge(
            f"Upload-Length: `{size_bytes}` bytes is more than the limit of "
            f"{settings.upload_max_bytes}",
            hint="Compress the trace with zstd or gzip, convert it with `tierwright "
            "trace convert`, or raise TIERWRIGHT_UPLOAD_MAX_BYTES.",
        )
    storage.check_space(settings, size_bytes)
    await quota.check(session, settings, size_bytes)
    upload = Upload(
        id=new_id(),
        filename=filename,
        size_bytes=size_bytes,
        complete=False,
        expected_sha256=sha256,
        expires_at=now() + timedelta(seconds=settings.upload_expires_s),
    )
    storage.create(settings, upload.id)
    session.add(upload)
    if size_bytes == 0:
        await _complete(session, settings, upload)
    await session.flush()
    return upload


async def renew(session: AsyncSession, settings: Settings, upload: Upload) -> None:
    """Let an upload in use live on, and end it when all its bytes have arrived."""
    upload.expires_at = now() + timedelta(seconds=settings.upload_expires_s)
    if not upload.complete and (
        storage.offset_of(settings, upload.id) == upload.size_bytes
    ):
        await _complete(session, settings, upload)
    await session.flush()


async def _complete(session: AsyncSession, settings: Settings, upload: Upload) -> None:
    appender = storage.Appender(settings, upload.id)
    try:
        found = await asyncio.to_thread(appender.sha256)
    finally:
        appender.close()
    upload.sha256 = found
    if upload.expected_sha256 not in (None, found):
        raise await _refuse_damaged(
            session,
            settings,
            upload,
            "Upload-Metadata.sha256",
            str(upload.expected_sha256),
        )
    # Whoever sees it complete may read it anywhere.
    path = storage.path_of(settings, upload.id)
    await asyncio.to_thread(shared_store.publish, settings, [path])
    upload.complete = True


def _damaged(where: str, expected: str, found: str) -> BadInput:
    return BadInput.at(
        where,
        expected,
        f"the file that arrived has {found}",
        hint="Upload it again: it changed during the upload or while it was read.",
    )


async def _refuse_damaged(
    session: AsyncSession, settings: Settings, upload: Upload, where: str, expected: str
) -> BadInput:
    """Remove an upload that is not what was sent, and make the error that says so."""
    error = _damaged(where, expected, str(upload.sha256))
    await session.delete(upload)
    await session.commit()
    await asyncio.to_thread(storage.remove, settings, upload.id)
    return error


async def terminate(session: AsyncSession, settings: Settings, upload_id: str) -> None:
    """Delete an upload that no job reads."""
    upload = await repository.get(session, upload_id, lock=True)
    if upload is None:
        raise unknown(upload_id)
    if await repository.is_in_use(session, upload_id):
        raise Conflict(
            f"upload `{upload_id}` is being "
            + ("fetched" if not upload.complete else "read by a job"),
            hint="Cancel that run first.",
        )
    await session.delete(upload)
    await session.commit()
    await asyncio.to_thread(storage.remove, settings, upload_id)


async def find_complete(
    session: AsyncSession, upload_id: str, *, lock: bool = False
) -> Upload:
    """Find an upload whose bytes have all arrived."""
    upload = await repository.get(session, upload_id, lock=lock)
    if upload is None:
        raise unknown(upload_id)
    if not upload.complete:
        raise NotReady(
            f"upload `{upload_id}` has not arrived completely",
            hint="Resume the upload; a HEAD request says where.",
        )
    return upload


def trace_arguments(path: Path, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a trace: what was not asked is left to the reader."""
    asked = {name: value for name, value in reading.items() if value is not None}
    return {"path": str(path), **asked}


def limits_of(settings: Settings) -> dict[str, int]:
    """Return the part of the trace argument group that bounds decompression."""
    return {
        "max_content_bytes": settings.trace_max_content_bytes,
        "max_expansion": settings.trace_max_expansion,
    }


async def preview(
    session: AsyncSession, context: Context, upload_id: str, body: ReadOptions
) -> PreviewOut:
    """Show what the core understands of the head of an upload."""
    upload = await find_complete(session, upload_id)
    path = await storage.readable_here(context.settings, upload, session)
    shown_as = upload.filename or upload_id
    await asyncio.to_thread(_refuse_profile, path, shown_as)
    arguments = {
        **trace_arguments(path, body.model_dump()),
        **limits_of(context.settings),
    }
    answer = await read_head(context.settings, arguments, shown_as)
    error = answer.get("error")
    if error is not None:
        # The page asks which of the formats it is, or for the columns of a table.
        asked = [
            *([_mapping_needed(error["columns"])] if error["columns"] else []),
            *_candidates(error["candidates"]),
            *(await asyncio.to_thread(_table_of, path)),
        ]
        message = error["message"].replace(str(path), shown_as)
        raise BadInput(message, hint=error["hint"], errors=asked)
    shown = without_path(answer["found"], str(path), shown_as)
    return PreviewOut.model_validate(
        {**shown, "upload": upload_out(context.settings, upload)}
    )


def _refuse_profile(path: Path, shown_as: str) -> None:
    """Say that a profile needs no preview.

    Raises
    ------
    BadInput
        The file is one.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head.lstrip().startswith(b"{") and SCHEMA.encode() in head:
        raise BadInput(
            f"{shown_as}: this is a profile, not a trace, so there are no records to "
            "show",
            hint="Import it as it is: POST /api/v1/workloads with this upload.",
        )


_HEAD_BYTES = 4096
_PARQUET_MAGIC = b"PAR1"
_COLUMNS_WHERE = "body.columns"


def _table_of(path: Path) -> list[ProblemDetail]:
    """Name the kind of table where it is not text: its mapping needs the format's name."""
    with path.open("rb") as file:
        if file.read(len(_PARQUET_MAGIC)) != _PARQUET_MAGIC:
            return []
    return [
        ProblemDetail(
            where="body.format", value="parquet", message="is read by a column mapping"
        )
    ]


def _candidates(found: Sequence[dict[str, Any]]) -> list[ProblemDetail]:
    """List the formats that a file may have, if that is what is not clear."""
    return [
        ProblemDetail(where="body.format", value=one["format"], message=one["reason"])
        for one in found
    ]


def _mapping_needed(columns: list[str]) -> ProblemDetail:
    return ProblemDetail(
        where=_COLUMNS_WHERE,
        value=columns,
        message="can map these columns of the file",
    )


async def expire(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Delete uploads that have expired, and files that belong to no upload."""
    async with sessions() as session:
        for upload in await repository.lock_expired(session, now()):
            await session.delete(upload)
            await asyncio.to_thread(storage.remove, settings, upload.id)
            log.info("upload expired", upload=upload.id)
        await session.commit()
        oldest = time.time() - _STRAY_AGE_S
        strays = [
            path.name
            for path in settings.uploads_dir.iterdir()
            if path.is_file() and path.stat().st_mtime < oldest
        ]
        for name in set(strays) - await repository.known(session, strays):
            await asyncio.to_thread(storage.remove, settings, name)
