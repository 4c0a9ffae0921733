"""The worker's side of the ingest job: what it reads, what is kept of it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.wording import counted
from tierwright_server.common.errors import Conflict, NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.storage import contents, quota, shared_store
from tierwright_server.storage.tables import Run, Workload
from tierwright_server.traces.uploads import repository as uploads
from tierwright_server.traces.uploads import storage
from tierwright_server.traces.uploads.schemas import reading_of
from tierwright_server.traces.uploads.service import kind_of, limits_of, trace_arguments
from tierwright_server.traces.workloads import repository
from tierwright_server.traces.workloads.example import scale_example
from tierwright_server.traces.workloads.joined_source import joined_content, source_path


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child."""
    workload = await session.get(Workload, run.subject_id)
    if workload is None:
        raise NotFound("the workload was deleted")
    source: dict[str, Any] = {
        "filename": workload.filename,
        "address": None,
        "sha256": None,
    }
    if workload.example:
        path = settings.example_trace
        source["kind"] = "example"
        if not path.is_file():
            raise NotFound(
                f"the example trace `{path}` is missing",
                hint="Restore the folder `fixtures/traces`, or set "
                "TIERWRIGHT_EXAMPLE_TRACE.",
            )
    elif (joined_from := joined_content(workload)) is not None:
        path = await source_path(settings, joined_from, session)
        source["kind"] = "workload"
    elif workload.upload_id is None:
        raise NotFound("the upload no longer exists", hint="Upload the file again.")
    else:
        upload = await uploads.get(session, workload.upload_id)
        if upload is None:
            raise NotFound("the upload no longer exists", hint="Upload the file again.")
        path = await storage.readable_here(settings, upload, session)
        source["kind"] = kind_of(upload)
        source["address"] = upload.source_path or upload.source_url
        source["sha256"] = upload.sha256
    source["size_bytes"] = path.stat().st_size
    # A canonical trace is smaller than its source, compressed ones excepted.
    # What is uploaded counts already and goes when it has been read.
    counted = source["kind"] in ("upload", "fetched")
    wanted = 0 if counted else source["size_bytes"]
    await quota.check(session, settings, wanted)
    storage.check_space(settings, source["size_bytes"])
    asked = reading_of(workload.reading)
    return {
        "trace": {**trace_arguments(path, asked), **limits_of(settings)},
        "max_stored_bytes": await quota.room(session, settings),
        "source": source,
        "asked": asked,
        "shown_as": workload.filename or workload.name,
        "checkpoint_accesses": settings.checkpoint_accesses,
        "work_dir": str(settings.work_dir / run.id),
        "contents_dir": str(settings.contents_dir),
    }


def made(
    settings: Settings, _job: Mapping[str, Any], result: Mapping[str, Any]
) -> list[Path]:
    """Return the files that the workload will point at."""
    return contents.pointed_at(settings, result["content_id"])


async def finish(
    session: AsyncSession, settings: Settings, run: Run, result: dict[str, Any]
) -> str:
    """Point the workload to its content and give the upload up."""
    content_id = result["content_id"]
    await repository.lock_content(session, content_id)
    made = contents.pointed_at(settings, content_id)
    if not contents.is_complete(contents.folder_of(settings, content_id)) or (
        not await shared_store.exist(settings, made)
    ):
        raise Conflict(
            "the same content was deleted while it was read",
            hint="Read the upload again.",
        )
    await repository.add_content(session, content_id, result["summary"])
    workload = await repository.lock(session, run.subject_id)
    if workload is None:
        raise NotFound("the workload was deleted")
    workload.content_id = content_id
    workload.conversion = result["conversion"]
    upload_id, workload.upload_id = workload.upload_id, None
    await session.flush()
    if upload_id is not None:
        await _drop_upload(session, settings, upload_id)
    await scale_example(session, settings, workload)
    read = read_text(result["summary"])
    if result["known"]:
        return f"{read}; the same content already existed and is stored once"
    return read


def read_text(summary: Mapping[str, Any]) -> str:
    """Say how much was read, and how many records were not."""
    requests = counted(summary["requests"], "request")
    read = f"{requests}, {counted(summary['accesses'], 'access')}"
    skipped = summary.get("skipped_records")
    if not skipped:
        return read
    return f"{read}; {counted(skipped, 'bad record was', 'bad records were')} skipped"


async def _drop_upload(
    session: AsyncSession, settings: Settings, upload_id: str
) -> None:
    upload = await uploads.get(session, upload_id, lock=True)
    others = await session.scalar(
        select(Workload.id).where(Workload.upload_id == upload_id).limit(1)
    )
    if upload is None or others is not None:
        return
    await session.delete(upload)
    await session.flush()
    # The row goes with the commit; if that fails, expiry finds a row without a file.
    await asyncio.to_thread(storage.remove, settings, upload_id)
