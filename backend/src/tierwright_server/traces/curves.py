"""Curves in memory: those used last, each read once, and computed anew where its file is damaged."""

import asyncio
import hashlib
import json
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import structlog

from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.common.errors import Problems
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.windows import Windows
from tierwright.profile.windows import from_mapping as windows_from_mapping
from tierwright.trace.notes import Note
from tierwright_server.common.errors import BadInput, Conflict, NotFound
from tierwright_server.common.sealed import Damaged, opened
from tierwright_server.common.settings import Settings
from tierwright_server.jobs.brief import ask_child
from tierwright_server.jobs.limits import describe_exit
from tierwright_server.storage import shared_store
from tierwright_server.storage.contents import (
    ContentKind,
    curve_path,
    existing_trace,
    kind_of,
    profile_path,
)
from tierwright_server.storage.shared_cache import SharedCache

log = structlog.get_logger(__name__)

REBUILT = Note(
    name="curve_rebuilt",
    message="the stored curve of this workload was damaged, or without a checksum as "
    "earlier versions stored it, and was recomputed from its trace",
    hint="check the disk of the data folder; the numbers are correct",
)


class DamagedContent(Conflict):
    """The stored data are damaged and cannot be recomputed."""

    name = "damaged"
    title = "Stored data is damaged"


def read_curve(
    path: Path, *, accesses: int, page_bytes: int, write_accesses: int
) -> Curve:
    """Read the whole curve of a content.

    Raises
    ------
    FileNotFoundError
        If it is gone.
    Damaged
        If it is not what was written.
    """
    with opened(path) as content:  # whole, or it raises
        both = np.load(path, mmap_mode="r", allow_pickle=False)
        misses, write_backs = both
        curve = Curve.from_full(
            misses,
            write_backs,
            accesses=accesses,
            page_bytes=page_bytes,
            write_accesses=write_accesses,
        )
        behind = bytes(content[both.offset + both.nbytes :])
    return curve.with_windows(_windows(behind, path.name))


def _windows(text: bytes, place: str) -> Windows | None:
    """Read the windows behind a curve; None where an earlier version stored it, without them."""
    if not text:
        return None
    problems = Problems(place, "")
    found = windows_from_mapping(parse_json(text.decode(), place, ""), problems)
    problems.raise_if_any()
    return found


class CurveCache:
    """Keeps the curves used last; a content's curve never changes.

    Parameters
    ----------
    most_bytes : int
        Bytes of the curves kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._curves = SharedCache[Curve](most_bytes, _bytes_of)
        self._rebuilt: set[str] = set()

    async def get(
        self, settings: Settings, content_id: str, summary: dict[str, Any]
    ) -> Curve:
        """Return the curve of a content, reading it in a thread if need be.

        Raises
        ------
        NotFound
            The file is gone, and so is what it was made of.
        DamagedContent
            It is damaged, and cannot be made anew.
        """
        return await self._curves.get(
            content_id, lambda: self._load(settings, content_id, summary)
        )

    def notes_of(self, content_id: str) -> tuple[Note, ...]:
        """Return what to say of a curve beside what its reader noticed."""
        return (REBUILT,) if content_id in self._rebuilt else ()

    async def _load(
        self, settings: Settings, content_id: str, summary: dict[str, Any]
    ) -> Curve:
        if kind_of(summary) is not ContentKind.TRACE:
            profile = await asyncio.to_thread(read_profile, settings, content_id)
            return profile.curve
        path = curve_path(settings, content_id)
        await shared_store.here(settings, path)
        asked = {
            key: summary[key] for key in ("accesses", "page_bytes", "write_accesses")
        }
        try:
            return await asyncio.to_thread(read_curve, path, **asked)
        except (Damaged, FileNotFoundError) as error:
            log.warning(
                "stored curve is damaged, recomputing it",
                content=content_id,
                why=str(error),
            )
        await _rebuild(settings, content_id, summary)
        self._rebuilt.add(content_id)
        return await asyncio.to_thread(read_curve, path, **asked)


async def _rebuild(
    settings: Settings, content_id: str, summary: dict[str, Any]
) -> None:
    """Profile the trace of a content anew, in a process of its own."""
    said = await ask_child(
        "tierwright_server.traces.workloads.profiling",
        {
            "memory_bytes": settings.job_address_space_bytes,
            "trace": str(await existing_trace(settings, content_id)),
            "out": str(curve_path(settings, content_id)),
        },
    )
    answer = json.loads(said.stdout) if said.exit_code == 0 else {}
    if any(answer.get(key) != summary[key] for key in _TOLD):
        why = answer.get("error") or f"its process {describe_exit(said.exit_code)}"
        log.error(
            "a curve cannot be recomputed",
            content=content_id,
            why=why,
            stderr=said.stderr[-2000:],
        )
        # Of another trace: nobody may read it.
        if "error" not in answer:
            curve_path(settings, content_id).unlink(missing_ok=True)
        raise DamagedContent(
            "the stored curve of this workload is damaged, and recomputing it from "
            f"its trace failed: {why}",
            hint="Check the disk of the data folder; then delete the workload and upload "
            "its trace again.",
        )
    await asyncio.to_thread(
        partial(
            shared_store.publish,
            settings,
            [curve_path(settings, content_id)],
            again=True,
        )
    )


_TOLD = ("accesses", "distinct_pages", "write_accesses")


def read_profile(settings: Settings, content_id: str) -> Profile:
    """Read the profile of a content that came without its trace: its id is its checksum.

    Raises
    ------
    NotFound
        It is gone.
    DamagedContent
        It is not what was written.
    """
    path = profile_path(settings, content_id)
    shared_store.here_now(settings, path)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise NotFound(
            f"the curves of content `{content_id}` are missing from the data folder",
            hint="Delete the workload and upload its profile or curve again.",
        ) from None
    if hashlib.sha256(text).hexdigest() != content_id:
        log.error("stored profile is damaged", content=content_id)
        raise DamagedContent(
            "the stored profile of this workload is damaged",
            hint="Check the disk of the data folder; then delete the workload and "
            "upload its profile or curve again.",
        )
    found = parse_json(text.decode(), path.name, "")
    return profile_from_mapping(found, place=path.name)


def _bytes_of(curve: Curve) -> int:
    values = (getattr(curve, field.name) for field in fields(curve))
    return sum(value.nbytes for value in values if isinstance(value, np.ndarray))


def knowing_new_pages(new_pages: int, curve: Curve) -> Curve:
    """Return the curve with the new pages that were stated; with those of its profile where none were.

    Raises
    ------
    BadInput
        If they exceed the first touches of the workload, or it is a given curve, or was scaled to production.
    """
    if not new_pages:
        return curve
    try:
        return curve.with_new_pages(new_pages)
    except ModelBadInput as error:
        hint = (
            f"{error.hint[:1].upper()}{error.hint[1:]}."
            if curve.scaled is None
            else "State them where the recording is scaled to production."
        )
        raise BadInput.at(
            "body.new_pages", new_pages, error.message.partition("` ")[2], hint=hint
        ) from error
