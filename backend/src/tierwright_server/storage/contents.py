"""Where canonical traces and their curves lie: one folder a content id."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierwright_server.common.errors import NotFound
from tierwright_server.storage import shared_store

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from tierwright_server.common.settings import Settings

TRACE_NAME = "trace.twt"
CURVE_NAME = "curve.npy"
"""uint64 array of shape (2, distinct_pages): misses, write-backs; column i is for i + 1 pages."""

PROFILE_NAME = "profile.json"
"""All that there is of a content that came without its trace."""


class ContentKind(StrEnum):
    """What a content was made from."""

    TRACE = "trace"
    PROFILE = "profile"
    CURVE = "curve"


_MOST_TO_CHECK_BYTES = 64 * 2**20
"""A request waits for no longer trace to be copied from the store, only to be checked: its job refuses what it must."""
ANALYSES_NAME = "analyses"
"""Folder of what jobs have computed of this content since: one `.npz` an analysis."""


def folder_of(settings: Settings, content_id: str) -> Path:
    """Return the folder of a content."""
    return settings.contents_dir / content_id


def trace_path(settings: Settings, content_id: str) -> Path:
    """Return the canonical trace of a content."""
    return folder_of(settings, content_id) / TRACE_NAME


async def existing_trace(
    settings: Settings, content_id: str, session: AsyncSession | None = None
) -> Path:
    """Return the canonical trace of a content, for a job that reads it; it is copied from the store if need be.

    Parameters
    ----------
    settings : Settings
        Of the process.
    content_id : str
        Of the trace.
    session : AsyncSession, optional
        Is committed before anything is copied.

    Raises
    ------
    NotFound
        If it is not there any more.
    """
    trace = trace_path(settings, content_id)
    if not await shared_store.here(settings, trace, session):
        raise _missing(settings, trace)
    return trace


async def trace_to_check(
    settings: Settings, content_id: str, session: AsyncSession
) -> Path | None:
    """Return the canonical trace of a content, against which a request is checked; None of one too long to copy for it.

    Raises
    ------
    NotFound
        If it is not there any more.
    """
    trace = trace_path(settings, content_id)
    size_bytes = await shared_store.bytes_to_copy(settings, trace)
    if size_bytes is not None and size_bytes > _MOST_TO_CHECK_BYTES:
        return None
    return await existing_trace(settings, content_id, session)


def existing_trace_now(settings: Settings, content_id: str) -> Path:
    """Do as `existing_trace`, in this thread."""
    trace = trace_path(settings, content_id)
    if not shared_store.here_now(settings, trace):
        raise _missing(settings, trace)
    return trace


def _missing(settings: Settings, trace: Path) -> NotFound:
    shared = shared_store.store_of(settings)
    where = "data folder" if shared is None else f"store: {shared.of(trace)}"
    return NotFound(
        f"the canonical trace is missing from the {where}",
        hint="Delete the workload and upload its trace again.",
    )


def curve_path(settings: Settings, content_id: str) -> Path:
    """Return the curves of a content."""
    return folder_of(settings, content_id) / CURVE_NAME


def profile_path(settings: Settings, content_id: str) -> Path:
    """Return the profile of a content that came without its trace."""
    return folder_of(settings, content_id) / PROFILE_NAME


def kind_of(summary: dict[str, Any]) -> ContentKind:
    """Say what a content was made of, by its summary; the first ones were all traces."""
    return ContentKind(summary.get("kind", ContentKind.TRACE))


def analysis_path(settings: Settings, content_id: str, analysis_id: str) -> Path:
    """Return the arrays of an analysis of a content."""
    return folder_of(settings, content_id) / ANALYSES_NAME / f"{analysis_id}.npz"


def pointed_at(settings: Settings, content_id: str) -> list[Path]:
    """Return the files that a row of a content made from a trace points at."""
    return [trace_path(settings, content_id), curve_path(settings, content_id)]


def is_complete(folder: Path) -> bool:
    """Say whether all files are there; each appears in one step, the curve last."""
    traced = (folder / TRACE_NAME).is_file() and (folder / CURVE_NAME).is_file()
    return traced or (folder / PROFILE_NAME).is_file()
