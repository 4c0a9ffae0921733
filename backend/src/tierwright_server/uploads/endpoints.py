"""Uploads that wait to become workloads, and the preview of one."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, status

from tierwright_server.context import ContextDep, SessionDep
from tierwright_server.listening import while_listening
from tierwright_server.paging import Page, Search, paged
from tierwright_server.problems import responses
from tierwright_server.schemas import Identifier
from tierwright_server.uploads import quota, service, stored
from tierwright_server.uploads.schemas import (
    Checksum,
    FilePath,
    PreviewOut,
    ReadOptions,
    StorageOut,
    StoredKind,
    UploadList,
    UploadOut,
)
from tierwright_server.workloads import service as workloads

router = APIRouter(prefix="/uploads", tags=["uploads"])
storage_router = APIRouter(prefix="/storage", tags=["uploads"])

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
    """List uploads that no workload has taken yet, also unfinished ones."""
    return await service.list_uploads(session, context, page, filename, complete)


@router.get("/{upload_id}", operation_id="get_upload", responses=responses(404))
async def get_upload(
    upload_id: UploadId, session: SessionDep, context: ContextDep
) -> UploadOut:
    """Read how far an upload is."""
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
    """Register a file of the server's machine instead of uploading it; it stays there.

    An object of a store (`s3://…`) is fetched: follow its `run`. Registered again while
    its version is the same, it goes on where it stopped.
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
    """Show what is understood of the head of a finished upload, with units."""
    work = service.preview(session, context, upload_id, body or ReadOptions())
    return await while_listening(request, work)


@storage_router.get("", operation_id="get_storage", responses=responses())
async def get_storage(session: SessionDep, context: ContextDep) -> StorageOut:
    """Read how much room is used, by what, and the limits."""
    return await quota.storage(session, context.settings)


@storage_router.delete(
    "/{kind}/{stored_id}",
    operation_id="delete_stored",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 409),
)
async def delete_stored(
    kind: Annotated[
        StoredKind,
        Path(description="As `largest` names it."),
    ],
    stored_id: Annotated[Identifier, Path(description="Its id.")],
    session: SessionDep,
    context: ContextDep,
) -> None:
    """Delete anything that is stored; a result is computed anew when asked for."""
    match kind:
        case "upload":
            await service.terminate(session, context.settings, stored_id)
        case "workload":
            await workloads.delete_workload(session, context, stored_id)
        case "analysis":
            await stored.delete_analysis(session, context, stored_id)
        case _:
            await stored.delete_result(session, kind, stored_id)
