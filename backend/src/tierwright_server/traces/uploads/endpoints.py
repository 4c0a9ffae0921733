"""Uploads that wait to become workloads, and the preview of one."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.listening import while_listening
from tierwright_server.http.paging import Page, Search, paged
from tierwright_server.http.problems import responses
from tierwright_server.traces.uploads import service
from tierwright_server.traces.uploads.schemas import (
    Checksum,
    FilePath,
    PreviewOut,
    ReadOptions,
    UploadList,
    UploadOut,
)

router = APIRouter(prefix="/uploads", tags=["uploads"])

UploadId = Annotated[Identifier, Path(description="Id of the upload.")]


@router.get("", operation_id="list_uploads", responses=responses())
async def list_uploads(
    session: SessionDep,
    context: ContextDep,
    page: Annotated[Page, paged("created_at", "filename", "size_bytes")],
    filename: Search = None,
    complete: Annotated[
        bool | None, Query(description="Only those that have arrived, or only others.")
    ] = None,
) -> UploadList:
    """List uploads that are not part of a workload yet, including unfinished ones."""
    return await service.list_uploads(session, context, page, filename, complete)


@router.get("/{upload_id}", operation_id="get_upload", responses=responses(404))
async def get_upload(
    upload_id: UploadId, session: SessionDep, context: ContextDep
) -> UploadOut:
    """Read the state of an upload."""
    return await service.get_upload(session, context, upload_id)


@router.post(
    "/register",
    operation_id="register_file",
    status_code=status.HTTP_201_CREATED,
    responses=responses(502, 504, 507),
)
async def register_file(
    body: FilePath, session: SessionDep, context: ContextDep
) -> UploadOut:
    """Register a file on the server's machine instead of uploading it; it stays in place.

    An object of a store (`s3://…`) is fetched: follow its `run`. Registered again while its version is unchanged, it resumes where it stopped.
    """
    return await service.register(session, context, body)


@router.post(
    "/{upload_id}/verify", operation_id="verify_upload", responses=responses(404, 409)
)
async def verify_upload(
    upload_id: UploadId, body: Checksum, session: SessionDep, context: ContextDep
) -> UploadOut:
    """Compare the hash of what was sent with what arrived; a damaged upload is removed."""
    return await service.verify(session, context, upload_id, body)


@router.post(
    "/{upload_id}/preview",
    operation_id="preview_upload",
    responses=responses(404, 409, 504),
)
async def preview_upload(
    upload_id: UploadId,
    session: SessionDep,
    context: ContextDep,
    request: Request,
    body: ReadOptions | None = None,
) -> PreviewOut:
    """Preview the beginning of a finished upload, with units."""
    work = service.preview(session, context, upload_id, body or ReadOptions())
    return await while_listening(request, work)
