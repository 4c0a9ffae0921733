"""Workloads without a trace: made of a profile document or of a given curve."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput as ModelError
from tierwright.common.errors import Problem as ModelProblem
from tierwright.common.wording import counted
from tierwright.profile.document import (
    MAX_PROFILE_BYTES,
    SCHEMA,
    Profile,
    profile_from_mapping,
)
from tierwright.profile.given.examine import Examined, examine, import_curve
from tierwright.profile.given.kinds import KINDS
from tierwright.profile.given.reading import CurveOptions
from tierwright_server.common.errors import BadInput, shown
from tierwright_server.common.schemas import ProblemDetail
from tierwright_server.common.settings import Settings
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs import service as runs
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.tables import Upload, Workload
from tierwright_server.traces.uploads import storage
from tierwright_server.traces.workloads import repository
from tierwright_server.traces.workloads.evidence_schemas import band_of, evidence_of
from tierwright_server.traces.workloads.given_schemas import (
    CurveKindOut,
    CurvePreviewOut,
    CurveStatement,
    GivenPointOut,
    QuestionOut,
)

PROFILE_FORMAT = "tierwright_profile"
_HINT = "Make the document with `tierwright profile TRACE -o PROFILE.json`."


def curve_kinds() -> list[CurveKindOut]:
    """List the kinds of given curves."""
    return [
        CurveKindOut(
            name=kind.name,
            title=kind.title,
            description=kind.description,
            example=kind.example,
        )
        for kind in KINDS.values()
    ]


def preview(body: CurveStatement) -> CurvePreviewOut:
    """Say what is understood of a given curve."""
    found = examine(body.text, options_of(body))
    profile = found.profile
    curve = None if profile is None else profile.curve
    return CurvePreviewOut(
        evidence=evidence_of(
            found.evidence,
            found.page_bytes or 1,
            curve,
            None if profile is None else profile.duration_s,
        ),
        band=band_of(found.evidence),
        kind=found.kind,
        scores=found.scores,
        points=[GivenPointOut.model_validate(point) for point in found.points],
        problems=[_fault(problem) for problem in found.problems],
        repairable=bool(found.repairable)
        and len(found.repairable) == len(found.problems),
        questions=[QuestionOut.model_validate(asked) for asked in found.questions],
        assumptions=found.assumptions,
        cannot_tell=list(found.cannot_tell),
        columns=found.columns,
        pools=found.pools,
        size_unit=found.size_unit,
        value=found.value,
        page_bytes=found.page_bytes,
        accesses=found.accesses,
        data_known=curve is not None and curve.data_known,
        complete=curve is not None,
    )


def options_of(body: CurveStatement) -> CurveOptions:
    """Return what the user states, as the models take it."""
    return CurveOptions(**body.model_dump(exclude={"text", "name"}))


async def create_from_curve(
    session: AsyncSession, context: Context, name: str, body: CurveStatement
) -> Workload:
    """Create a workload from a given curve.

    Raises
    ------
    BadInput
        With every problem, and everything that has to be stated.
    """
    found: Examined = await asyncio.to_thread(
        import_curve, body.text, options_of(body), place="body.text"
    )
    assert found.profile is not None  # import_curve raises otherwise
    return await create_from_profile(session, context, name, found.profile, None)


async def create_from_document(
    session: AsyncSession,
    context: Context,
    name: str,
    document: dict[str, Any],
    filename: str | None,
) -> Workload:
    """Create a workload from a profile document.

    Raises
    ------
    BadInput
        If it is no profile; names each key.
    """
    if document.get("schema") != SCHEMA:
        raise BadInput.at(
            "body.profile.schema",
            document.get("schema"),
            f"is not `{SCHEMA}`",
            hint=_HINT,
        )
    profile = await asyncio.to_thread(
        profile_from_mapping, document, place="body.profile"
    )
    return await create_from_profile(session, context, name, profile, filename)


def document_in(settings: Settings, upload: Upload) -> dict[str, Any] | None:
    """Return the profile document that an upload holds; None where it is something else.

    Raises
    ------
    BadInput
        It is one, but too large or damaged.
    """
    path = storage.readable_now(settings, upload)
    with path.open("rb") as file:
        head = file.read(MAX_PROFILE_BYTES + 1)
    if not head.lstrip().startswith(b"{") or SCHEMA.encode() not in head[:_HEAD_BYTES]:
        return None
    shown_as = upload.filename or upload.id
    if len(head) > MAX_PROFILE_BYTES:
        raise BadInput(
            f"{shown_as}: a profile has at most {MAX_PROFILE_BYTES:,} bytes, this file has "
            f"{upload.size_bytes:,}",
            hint="Profile the trace again with fewer sizes.",
        )
    try:
        found = parse_json(head.decode("utf-8"), shown_as, _HINT)
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown_as}: is not UTF-8 text", hint=_HINT) from error
    except ModelError as error:
        raise BadInput(error.message, hint=error.hint) from error
    if not isinstance(found, dict):
        return None
    return found


_HEAD_BYTES = 4096


async def create_from_profile(
    session: AsyncSession,
    context: Context,
    name: str,
    profile: Profile,
    filename: str | None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Workload:
    """Store a profile once under the hash of its text, and a workload that points to it.

    Parameters
    ----------
    session, context
        Of the request.
    name : str
        Of the workload.
    profile : Profile
        What it is made of.
    filename : str or None
        Where it came from.
    more : mapping
        Keys of the summary beside those of every profile.
    """
    workload = Workload(id=runs.new_id(), name=name, example=False, filename=filename)
    return await store_profile(session, context.settings, profile, workload, more)


async def store_profile(
    session: AsyncSession,
    settings: Settings,
    profile: Profile,
    workload: Workload,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Workload:
    """Store a profile as `create_from_profile` does, with a workload that is not stored yet."""
    text, content_id = await asyncio.to_thread(_text_and_id, profile)
    storage.check_space(settings, len(text))
    await repository.lock_content(session, content_id)
    folder = contents.folder_of(settings, content_id)
    await asyncio.to_thread(_store, settings, folder, text)
    profile_file = contents.profile_path(settings, content_id)
    await asyncio.to_thread(shared_store.publish, settings, [profile_file])
    await repository.add_content(
        session, content_id, {**_summary(profile, len(text)), **more}
    )
    workload.content_id = content_id
    session.add(workload)
    await session.flush()
    return workload


async def kept_already(session: AsyncSession, profile: Profile) -> Workload | None:
    """Return the workload that `create_from_profile` made of the same profile before; None where there is none."""
    _, content_id = await asyncio.to_thread(_text_and_id, profile)
    return await repository.first_with(session, content_id)


def _text_and_id(profile: Profile) -> tuple[str, str]:
    """Return the text of a profile, and the hash under which it is stored."""
    text = profile.to_text()
    return text, hashlib.sha256(text.encode()).hexdigest()


def _store(settings: Settings, folder: Path, text: str) -> None:
    """Write the document; the folder appears in one step."""
    if contents.is_complete(folder):
        return
    work = settings.work_dir / f"profile-{runs.new_id()}"
    work.mkdir(mode=0o700, parents=True)
    try:
        path = work / contents.PROFILE_NAME
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        folder.mkdir(mode=0o700, exist_ok=True)
        path.replace(folder / contents.PROFILE_NAME)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _summary(profile: Profile, stored_bytes: int) -> dict[str, Any]:
    curve = profile.curve
    given = curve.given
    evidence = evidence_of(curve.evidence, curve.page_bytes, curve, profile.duration_s)
    kind = contents.ContentKind.PROFILE if given is None else contents.ContentKind.CURVE
    return {
        "kind": kind.value,
        "format": PROFILE_FORMAT if given is None else given.source,
        "requests": None,
        "accesses": curve.accesses,
        "distinct_pages": curve.distinct_pages,
        "write_accesses": curve.known_write_accesses,
        "write_requests": None,
        "page_bytes": curve.page_bytes,
        "duration_s": profile.duration_s,
        "first_time_ns": None,
        "devices": None,
        "sha256_of_sequence": None,
        "compression": None,
        "assumptions": [*curve.notes.assumptions, *_assumptions(profile)],
        "warnings": [note.to_dict() for note in curve.notes.warnings],
        "has_summaries": profile.summaries is not None,
        "tells_writes": curve.notes.tells_writes,
        "source_format": curve.notes.source_format,
        "skipped_records": curve.notes.skipped_records,
        "footprint_bytes": curve.distinct_pages * curve.page_bytes,
        "stored_bytes": stored_bytes,
        "data_known": curve.data_known,
        "curve_pages": curve.last_listed,
        "dirty_share": None if given is None else given.dirty_share,
        "write_share": None if given is None else given.write_share,
        "described_by": None if given is None else given.described_by,
        "evidence": None if evidence is None else evidence.model_dump(),
        "composed_of": None if given is None else list(given.composed_of) or None,
        "scaled_parts": None
        if curve.scaled_parts is None
        else curve.scaled_parts.to_dict(),
        "scaled": None if curve.scaled is None else curve.scaled.to_dict(),
        "sample_rate": None if profile.sampled is None else profile.sampled.sample_rate,
    }


def _assumptions(profile: Profile) -> list[str]:
    if profile.curve.given is not None:
        return list(profile.curve.given.assumptions)
    if profile.curve.scaled is not None:
        return []
    listed = f"The profile lists {counted(len(profile.curve.pages), 'size')}"
    if profile.sampled is not None:
        return [
            f"{listed}, estimated from a sample of "
            f"{100 * profile.sampled.sample_rate:g} % of the pages."
        ]
    if profile.thinned_error is None:
        return [f"{listed}; between them counts are interpolated."]
    return [
        f"{listed}; between them counts are off by at most "
        f"{100 * profile.thinned_error:.2g} % of the accesses."
    ]


def _fault(problem: ModelProblem) -> ProblemDetail:
    return ProblemDetail(
        where=problem.where, value=shown(problem.value), message=problem.message
    )
