"""How much room the installation takes, and what could go."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import structlog
from sqlalchemy import func, literal, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.common.errors import NoSpace
from tierwright_server.common.settings import Settings
from tierwright_server.storage import roots, shared_store
from tierwright_server.storage.contents import ANALYSES_NAME
from tierwright_server.storage.results import RESULT_KINDS
from tierwright_server.storage.schemas import StorageItem, StorageOut, StoredKind
from tierwright_server.storage.tables import Replay, Result, Upload, Workload

log = structlog.get_logger(__name__)

_LARGEST = 5


async def storage(session: AsyncSession, settings: Settings) -> StorageOut:
    """Tell what is used, by what, and what the limits are."""
    uploads = await session.scalar(
        select(func.coalesce(func.sum(Upload.size_bytes), 0)).where(
            Upload.source_path.is_(None)
        )
    )
    sizes = await asyncio.to_thread(_bytes_by_content, settings)
    contents = sum(map(sum, sizes.values()))
    work = await asyncio.to_thread(_bytes_in, settings.work_dir)
    results = await _bytes_of_results(session)
    return StorageOut(
        used_bytes=int(uploads or 0) + contents + results + work,
        uploads_bytes=int(uploads or 0),
        contents_bytes=contents,
        results_bytes=results,
        work_bytes=work,
        limit_bytes=settings.most_stored_bytes,
        upload_limit_bytes=settings.upload_max_bytes,
        free_bytes=shutil.disk_usage(settings.data_dir).free,
        reserve_bytes=settings.min_free_bytes,
        trace_roots=[
            *map(str, roots.roots(settings)),
            *map(str, settings.trace_prefixes),
        ],
        largest=await _largest(session, settings, sizes),
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
    # Held until the commit: of two that begin together the second sees the first.
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended('storage', 0))")
    )
    found = await storage(session, settings)
    if found.used_bytes + wanted_bytes <= found.limit_bytes:
        return
    raise NoSpace(
        f"{wanted_bytes} bytes are needed, {found.used_bytes} of the "
        f"{found.limit_bytes} bytes that this installation may use are taken",
        hint=f"{what_to_delete(found.largest)}; or raise TIERWRIGHT_STORAGE_LIMIT_BYTES."
        if found.largest
        else "Raise TIERWRIGHT_STORAGE_LIMIT_BYTES: "
        "nothing that is stored here can be deleted.",
    )


def what_to_delete(largest: Sequence[StorageItem]) -> str:
    """Name the largest things that are stored."""
    named = ", ".join(
        f"{item.kind} `{item.name}` ({item.size_bytes} bytes)" for item in largest
    )
    return (
        f"Delete what is no longer needed: {named}"
        if named
        else "Nothing that is stored here can be deleted"
    )


async def with_largest(
    sessions: async_sessionmaker[AsyncSession], settings: Settings, hint: str | None
) -> str | None:
    """Go on from a hint with what could be deleted, where that is known and not yet said."""
    try:
        async with sessions() as session:
            found = await storage(session, settings)
    except (DBAPIError, PoolTimeout, OSError) as error:
        log.warning("the largest objects are unknown", error=repr(error))
        return hint
    named = what_to_delete(found.largest)
    if hint is None:
        return f"{named}."
    return hint if named in hint else f"{hint.rstrip('.')}. {named}."


async def room(session: AsyncSession, settings: Settings) -> int:
    """Return how many bytes one more workload may take: of the limit, and of the disk."""
    found = await storage(session, settings)
    rooms = [
        found.free_bytes - found.reserve_bytes,
        found.limit_bytes - found.used_bytes,
    ]
    return max(0, min(rooms))


async def _largest(
    session: AsyncSession, settings: Settings, sizes: Mapping[str, tuple[int, int]]
) -> list[StorageItem]:
    """Return the largest things that a user may delete."""
    uploads = (
        await session.scalars(
            select(Upload)
            .where(Upload.source_path.is_(None))
            .order_by(Upload.size_bytes.desc(), Upload.id)
            .limit(_LARGEST)
        )
    ).all()
    of_contents = sorted(sizes, key=lambda content_id: -sizes[content_id][0])
    workloads = (
        await session.execute(
            select(Workload.id, Workload.name, Workload.content_id)
            .where(
                ~Workload.example,
                # The example's is not to be deleted, so others may hold the largest.
                Workload.content_id.in_(of_contents[: _LARGEST + 1]),
            )
            .order_by(Workload.id)
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
            StorageItem(
                kind="workload",
                id=row.id,
                name=row.name,
                size_bytes=sizes[row.content_id][0],
            )
            for row in workloads
        ),
        *await _analyses(session, settings),
        *await _results(session),
    ]
    return sorted(items, key=lambda item: -item.size_bytes)[:_LARGEST]


async def _analyses(session: AsyncSession, settings: Settings) -> list[StorageItem]:
    """Return the largest results of analyses."""
    found = await asyncio.to_thread(_files_of_analyses, settings)
    largest = sorted(found, key=lambda name: -found[name])[:_LARGEST]
    rows = await session.execute(
        select(Result.id, Result.kind, Workload.name)
        .outerjoin(Workload, Workload.id == Result.workload_id)
        .where(Result.id.in_(largest))
    )
    return [
        StorageItem(
            kind="analysis",
            id=row.id,
            name=f"{row.kind.replace('_', ' ')} of {row.name or 'a workload'}",
            size_bytes=found[row.id],
        )
        for row in rows
    ]


async def _results(session: AsyncSession) -> list[StorageItem]:
    """Return the largest results in the database."""
    # As stored: nothing is read for it.
    size = sum(
        (
            func.coalesce(func.pg_column_size(column), 0)
            for column in (Result.plan, Result.result)
        ),
        literal(0),
    )
    rows = await session.execute(
        select(Result.id, Result.kind, size.label("size"), Workload.name)
        .outerjoin(Workload, Workload.id == Result.workload_id)
        .where(Result.kind.in_(RESULT_KINDS.values()))
        .order_by(size.desc(), Result.id)
        .limit(_LARGEST)
    )
    nouns: dict[str, StoredKind] = {kind: noun for noun, kind in RESULT_KINDS.items()}
    return [
        StorageItem(
            kind=nouns[row.kind],
            id=row.id,
            name=f"{nouns[row.kind]} of {row.name or 'a workload'}",
            size_bytes=row.size,
        )
        for row in rows
    ]


async def _bytes_of_results(session: AsyncSession) -> int:
    """Return the room of the rows, without that of indexes, which empty tables have too."""
    found = await session.scalar(
        text(
            "SELECT sum(pg_relation_size(oid)"
            " + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0))"
            " FROM pg_class WHERE oid = ANY(CAST(:tables AS regclass[]))"
        ),
        {"tables": [Result.__tablename__, Replay.__tablename__]},
    )
    return int(found or 0)


def _files_of_analyses(settings: Settings) -> dict[str, int]:
    shared = shared_store.store_of(settings)
    if shared is not None:
        return {
            name.rsplit("/", 1)[-1].removesuffix(".npz"): size
            for name, size in shared.sizes(settings.contents_dir.name).items()
            if f"/{ANALYSES_NAME}/" in name
        }
    found = {}
    for path in settings.contents_dir.glob(f"*/{ANALYSES_NAME}/*.npz"):
        with suppress(FileNotFoundError):  # deleted meanwhile
            found[path.stem] = path.stat().st_size
    return found


def _bytes_by_content(settings: Settings) -> dict[str, tuple[int, int]]:
    """Return the bytes of each content itself, and of its analyses: of the store, where there is one."""
    shared = shared_store.store_of(settings)
    if shared is not None:
        return _in_store(shared.sizes(settings.contents_dir.name))
    found = {}
    for folder in settings.contents_dir.iterdir():
        analyses = _bytes_in(folder / ANALYSES_NAME)
        found[folder.name] = (_bytes_in(folder) - analyses, analyses)
    return found


def _in_store(sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for name, size in sizes.items():
        _, content_id, *rest = name.split("/")
        own, analyses = found.get(content_id, (0, 0))
        if rest[0] == ANALYSES_NAME:
            analyses += size
        else:
            own += size
        found[content_id] = (own, analyses)
    return found


def _bytes_in(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).stat().st_size
            except FileNotFoundError:
                continue  # deleted meanwhile
    return total
