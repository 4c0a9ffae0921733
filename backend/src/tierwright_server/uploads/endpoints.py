"""Uploads that wait to become workloads, and the preview of one."""

from typing import Annotated

from fastapi import APIRouter, Path

from tierwright_server.context import ContextDep, SessionDep
from tierwright_server.errors import responses
from tierwright_server.schemas import Identifier
from tierwright_server.uploads import service
from tierwright_server.uploads.schemas import (
    PreviewOut,
    ReadOptions,
    UploadList,
    UploadOut,
)

router = APIRouter(prefix="/uploads", tags=["uploads"])

UploadId = Annotated[Identifier, Path(description="Id of the upload.")]


@router.get("", operation_id="list_uploads", responses=responses())
async def list_uploads(session: SessionDep, context: ContextDep) -> UploadList:
    """List uploads that no workload has taken yet, also unfinished ones."""
    return await service.list_uploads(session, context)


@router.get("/{upload_id}", operation_id="get_upload", responses=responses(404))
async def get_upload(
    upload_id: UploadId, session: SessionDep, context: ContextDep
) -> UploadOut:
    """Read how far an upload is."""
    return await service.get_upload(session, context, upload_id)


@router.post(
    "/{upload_id}/preview",
    operation_id="preview_upload",
    responses=responses(404, 409, 504),
)
async def preview_upload(
    upload_id: UploadId,
    session: SessionDep,
    context: ContextDep,
    body: ReadOptions | None = None,
) -> PreviewOut:
    """Show what is understood of the head of a finished upload, with units."""
    return await service.preview(session, context, upload_id, body or ReadOptions())
