"""The worker's side of the fetch job: what it fetches, what is kept of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import Conflict, NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.storage.tables import Run
from tierwright_server.traces.uploads import registered, repository, storage

_GONE = "the upload was discarded"


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child."""
    upload = await repository.get(session, run.subject_id)
    if upload is None or upload.source_url is None:
        raise NotFound(_GONE, hint="Register the object again.")
    # The prefixes may have been closed since.
    address = registered.resolve_address(settings, upload.source_url)
    if settings.store is not None:
        storage.ensure(settings, upload.id)  # it was registered on another host
    here = storage.offset_of(settings, upload.id)
    storage.check_space(settings, max(0, upload.size_bytes - here))
    return {
        "scheme": address.scheme,
        "bucket": address.bucket,
        "key": address.key,
        "etag": upload.source_etag,
        "size_bytes": upload.size_bytes,
        "endpoint": settings.object_store_endpoint,
        "retries": settings.object_store_retries,
        "path": str(storage.path_of(settings, upload.id)),
        "shown_as": str(address),
    }


def made(
    _settings: Settings, job: Mapping[str, Any], _result: Mapping[str, Any]
) -> list[Path]:
    """Return the file that the upload will point at."""
    return [Path(job["path"])]


async def finish(
    session: AsyncSession, settings: Settings, run: Run, result: dict[str, Any]
) -> str:
    """End the upload: all its bytes are there."""
    upload = await repository.get(session, run.subject_id, lock=True)
    if upload is None:
        raise NotFound(_GONE, hint="Register the object again.")
    here = storage.offset_of(settings, upload.id)
    if here != upload.size_bytes:
        raise Conflict(
            f"the file of the upload has {here} bytes instead of {upload.size_bytes}",
            hint="Discard the upload and register it again: another program changed "
            "the file.",
        )
    upload.sha256 = result["sha256"]
    upload.complete = True
    await session.flush()
    return f"{upload.size_bytes:,} bytes fetched; look at the preview"


def cleanup(settings: Settings, run_id: str) -> None:
    """Leave what has arrived: the next attempt goes on from there."""
