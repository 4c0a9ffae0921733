"""Where the pages of a workload come from that were joined: the stored trace of a content."""

from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import NotFound
from tierwright_server.common.settings import Settings
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Workload
from tierwright_server.traces.uploads.schemas import reading_of

# Beside the options of reading, in the document that says how a workload is read.
CONTENT_ID, RECORDED_PAGE_BYTES = "content_id", "recorded_page_bytes"


def joined_reading(
    content_id: str, page_bytes: int, recorded_page_bytes: int
) -> dict[str, Any]:
    """Return how a workload is read that joins the pages of a content.

    Parameters
    ----------
    content_id : str
        Of the pages to be joined.
    page_bytes, recorded_page_bytes : int
        Of the joined pages, and of those of the recording. [bytes]
    """
    return {
        **reading_of({"joined_page_bytes": page_bytes}),
        CONTENT_ID: content_id,
        RECORDED_PAGE_BYTES: recorded_page_bytes,
    }


def joined_content(workload: Workload) -> str | None:
    """Return the content whose pages a workload joins; None of one that was read from a file."""
    found: str | None = workload.reading.get(CONTENT_ID)
    return found


def recorded_page_bytes(workload: Workload) -> int | None:
    """Return the page size before pages were joined; None of one that was read from a file. [bytes]"""
    found: int | None = workload.reading.get(RECORDED_PAGE_BYTES)
    return found


async def source_path(
    settings: Settings, content_id: str, session: AsyncSession
) -> Path:
    """Return the stored trace whose pages are joined.

    Raises
    ------
    NotFound
        If it was deleted.
    """
    try:
        return await contents.existing_trace(settings, content_id, session)
    except NotFound:
        raise NotFound(
            "the trace whose pages are to be joined was deleted",
            hint="Import the trace again, and join its pages then.",
        ) from None
