"""How much room the installation takes, and what could go."""

import asyncio
import os
import shutil
from pathlib import Path

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.errors import NoSpace
from tierwright_server.settings import Settings
from tierwright_server.tables import Content, Upload, Workload
from tierwright_server.uploads import registered
from tierwright_server.uploads.schemas import StorageItem, StorageOut

_LARGEST = 5


async def storage(session: AsyncSession, settings: Settings) -> StorageOut:
    """Tell what is used, by what, and what the limits are."""
    uploads = await session.scalar(
        select(func.coalesce(func.sum(Upload.size_bytes), 0)).where(
            Upload.source_path.is_(None)
        )
    )
    contents = await asyncio.to_thread(_bytes_in, settings.contents_dir)
    return StorageOut(
        used_bytes=int(uploads or 0) + contents,
        uploads_bytes=int(uploads or 0),
        contents_bytes=contents,
        limit_bytes=settings.storage_limit_bytes,
        upload_limit_bytes=settings.upload_max_bytes,
        free_bytes=shutil.disk_usage(settings.data_dir).free,
        reserve_bytes=settings.min_free_bytes,
        trace_roots=[
            *map(str, registered.roots(settings)),
            *map(str, settings.trace_prefixes),
        ],
        largest=await _largest(session),
    )


async def check(session: AsyncSession, settings: Settings, wanted_bytes: int) -> None:
    """Refuse what would go beyond the limit of the installation.

    An upload counts with its whole length from its beginning, so that many that begin
    together cannot go beyond it together.

    Raises
    ------
    NoSpace
        With the largest things that could be deleted.
    """
    limit = settings.storage_limit_bytes
    if limit is None:
        return
    # Held until the commit: of two that begin together the second sees the first.
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended('storage', 0))")
    )
    found = await storage(session, settings)
    if found.used_bytes + wanted_bytes <= limit:
        return
    named = ", ".join(
        f"{item.kind} `{item.name}` ({item.size_bytes} bytes)" for item in found.largest
    )
    raise NoSpace(
        f"{wanted_bytes} bytes are needed, {found.used_bytes} of the "
        f"{limit} bytes that this installation may take are used",
        hint=(
            f"Delete what is no longer needed: {named}" if named else "Delete something"
        )
        + "; or raise TIERWRIGHT_STORAGE_LIMIT_BYTES.",
    )


async def room(session: AsyncSession, settings: Settings) -> int:
    """Return how many bytes one more workload may take: of the limit, and of the disk."""
    found = await storage(session, settings)
    rooms = [found.free_bytes - found.reserve_bytes]
    if found.limit_bytes is not None:
        rooms.append(found.limit_bytes - found.used_bytes)
    return max(0, min(rooms))


async def _largest(session: AsyncSession) -> list[StorageItem]:
    """Return the largest things that a user may delete."""
    uploads = (
        await session.scalars(
            select(Upload)
            .where(Upload.source_path.is_(None))
            .order_by(Upload.size_bytes.desc(), Upload.id)
            .limit(_LARGEST)
        )
    ).all()
    size = Content.summary["stored_bytes"].as_integer()
    workloads = (
        await session.execute(
            select(Workload.id, Workload.name, size)
            .join(Content, Content.id == Workload.content_id)
            .where(~Workload.example)
            .order_by(size.desc(), Workload.id)
            .limit(_LARGEST)
        )
    ).all()
    items = [
        *(
            StorageItem(
                kind="upload",
                id=upload.id,
                name=upload.filename or upload.id,
                size_bytes=upload.size_bytes,
            )
            for upload in uploads
        ),
        *(
            StorageItem(kind="workload", id=row[0], name=row[1], size_bytes=row[2])
            for row in workloads
        ),
    ]
    return sorted(items, key=lambda item: -item.size_bytes)[:_LARGEST]


def _bytes_in(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).stat().st_size
            except FileNotFoundError:
                continue  # deleted meanwhile
    return total
