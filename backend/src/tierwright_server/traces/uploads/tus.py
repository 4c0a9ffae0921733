"""tus 1.0.0 (https://tus.io): creation, termination, expiration.

Our own 200 lines instead of `tuspyserver`: its HEAD answers 400 without `filename` or
`filetype`, its errors are no problem+json, and its state lives in files beside the
database instead of in it.
"""

import asyncio
import base64
import binascii
import re
from datetime import UTC, datetime
from email.utils import format_datetime
from http import HTTPStatus
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Path, Request, Response
from starlette.requests import ClientDisconnect

from tierwright_server.common.errors import (
    BadInput,
    Conflict,
    ServerError,
    TimedOut,
    TooLarge,
)
from tierwright_server.common.schemas import Identifier
from tierwright_server.common.settings import Settings
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.storage.tables import Upload
from tierwright_server.traces.uploads import repository, service, storage

log = structlog.get_logger(__name__)

router = APIRouter(prefix="/uploads", tags=["uploads"])

VERSION = "1.0.0"
_CONTENT_TYPE = "application/offset+octet-stream"
_DIGITS = re.compile(r"\d{1,18}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_METADATA_LIMIT = 8192
_FILENAME_LIMIT = 255

UploadId = Annotated[Identifier, Path(description="Id of the upload.")]


def _header(
    name: str, description: str, pattern: str, *, required: bool = True
) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": required,
        "description": description,
        "schema": {"type": "string", "pattern": pattern},
    }


_WHOLE = r"^[0-9]{1,18}$"
_SPEAKS = _header("tus-resumable", "The protocol's version: 1.0.0.", r"^1\.0\.0$")
_LENGTH = _header("upload-length", "Size of the whole file. [bytes]", _WHOLE)
_OFFSET = _header("upload-offset", "Bytes that have arrived so far. [bytes]", _WHOLE)
_METADATA = _header(
    "upload-metadata",
    "Pairs of a key and the base64 of its value, separated by commas: `filename` to "
    "show, and `sha256` in 64 hexadecimal digits, which the file is compared with.",
    r"^[ -~]{0,8192}$",
    required=False,
)


def _answers(
    status: int, text: str, *headers: str, **of_headers: str
) -> dict[int | str, dict[str, Any]]:
    """Declare an answer without a body."""
    texts = {**{name: _ANSWERED[name] for name in headers}, **of_headers}
    return {
        status: {
            "description": text,
            "headers": {
                name: {"description": said, "schema": {"type": "string"}}
                for name, said in texts.items()
            },
        }
    }


_ANSWERED = {
    "Tus-Resumable": "The protocol's version.",
    "Upload-Offset": "Bytes that have arrived. [bytes]",
    "Upload-Length": "Size of the whole file. [bytes]",
    "Upload-Expires": "When the upload is removed unless it is used.",
    "Location": "Address of the upload, relative to the server.",
}
_STATE = ("Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Expires")


class WrongVersion(ServerError):
    """The client speaks another tus version."""

    status = HTTPStatus.PRECONDITION_FAILED
    name = "tus-version"
    title = "Another version of the tus protocol"


class WrongType(ServerError):
    """The body has the wrong media type."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    name = "media-type"
    title = "The body has the wrong media type"


@router.options(
    "",
    operation_id="describe_tus",
    status_code=HTTPStatus.NO_CONTENT,
    response_class=Response,
    responses={
        **responses(),
        **_answers(
            204,
            "What this server can do.",
            "Tus-Resumable",
            **{
                "Tus-Version": "The protocol's versions.",
                "Tus-Extension": "Its extensions.",
                "Tus-Max-Size": "The largest upload. [bytes]",
            },
        ),
    },
)
async def describe_tus(context: ContextDep) -> Response:
    """Read the capabilities of this server."""
    return Response(
        status_code=HTTPStatus.NO_CONTENT,
        headers={
            "Tus-Resumable": VERSION,
            "Tus-Version": VERSION,
            "Tus-Extension": "creation,termination,expiration",
            "Tus-Max-Size": str(context.settings.upload_max_bytes),
        },
    )


@router.post(
    "",
    operation_id="create_upload",
    status_code=HTTPStatus.CREATED,
    response_class=Response,
    responses={
        **responses(412, 507),
        **_answers(201, "The upload is begun.", "Location", *_STATE),
    },
    openapi_extra={"parameters": [_SPEAKS, _LENGTH, _METADATA]},
)
async def create_upload(
    request: Request, session: SessionDep, context: ContextDep
) -> Response:
    """Begin an upload of Upload-Length bytes."""
    _check_version(request)
    size = _number(request, "Upload-Length")
    metadata = _metadata(request)
    sha256 = metadata.get("sha256", "").lower() or None
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise BadInput.at(
            "Upload-Metadata.sha256", sha256, "must be 64 hexadecimal digits"
        )
    upload = await service.create(
        session, context.settings, size, _filename(metadata), sha256
    )
    return Response(
        status_code=HTTPStatus.CREATED,
        headers={
            **_headers(context.settings, upload),
            "Location": f"{request.url.path.rstrip('/')}/{upload.id}",
        },
    )


@router.head(
    "/{upload_id}",
    operation_id="head_upload",
    response_class=Response,
    responses={
        **responses(404, 409, 412),
        **_answers(200, "How many bytes have arrived.", *_STATE),
    },
    openapi_extra={"parameters": [_SPEAKS]},
)
async def head_upload(
    upload_id: UploadId, request: Request, session: SessionDep, context: ContextDep
) -> Response:
    """Read how many bytes have arrived."""
    _check_version(request)
    upload = await repository.get(session, upload_id, lock=True)
    if upload is None:
        raise service.unknown(upload_id)
    service.refuse_fetched(upload)
    # All bytes may be here and only the answer of the last PATCH was lost.
    await service.renew(session, context.settings, upload)
    return Response(headers=_headers(context.settings, upload))


@router.patch(
    "/{upload_id}",
    operation_id="patch_upload",
    status_code=HTTPStatus.NO_CONTENT,
    response_class=Response,
    responses={
        **responses(404, 409, 412, 415, 423, 504, 507),
        **_answers(204, "The bytes are stored.", *_STATE),
    },
    openapi_extra={
        "parameters": [_SPEAKS, _OFFSET],
        "requestBody": {
            "required": True,
            "description": "The next bytes of the file, up to the size of one request.",
            "content": {
                _CONTENT_TYPE: {"schema": {"type": "string", "format": "binary"}}
            },
        },
    },
)
async def patch_upload(
    upload_id: UploadId, request: Request, session: SessionDep, context: ContextDep
) -> Response:
    """Append bytes at Upload-Offset."""
    _check_version(request)
    if request.headers.get("content-type") != _CONTENT_TYPE:
        raise WrongType(
            f"Content-Type must be `{_CONTENT_TYPE}`", hint="See https://tus.io."
        )
    offset = _number(request, "Upload-Offset")
    upload = await repository.get(session, upload_id)
    if upload is None:
        raise service.unknown(upload_id)
    service.refuse_fetched(upload)
    size_bytes, complete = upload.size_bytes, upload.complete
    # The bytes may take hours: hold no database connection meanwhile.
    await session.rollback()
    if not complete:
        await _append(request, context.settings, upload_id, offset, size_bytes)
    elif offset != size_bytes:
        raise _wrong_offset(offset, size_bytes)
    again = await repository.get(session, upload_id, lock=True)
    if again is None:
        raise service.unknown(upload_id)
    await service.renew(session, context.settings, again)
    return Response(
        status_code=HTTPStatus.NO_CONTENT, headers=_headers(context.settings, again)
    )


async def _append(
    request: Request, settings: Settings, upload_id: str, offset: int, size_bytes: int
) -> None:
    appender = storage.Appender(settings, upload_id)
    try:
        if offset != appender.offset:
            raise _wrong_offset(offset, appender.offset)
        too_large = TooLarge(
            f"the body goes beyond the Upload-Length of {size_bytes} bytes",
            hint="Upload it again: the file grew while it was read.",
        )
        announced = request.headers.get("content-length", "")
        if _DIGITS.fullmatch(announced) and int(announced) > size_bytes - offset:
            raise too_large
        try:
            kept_to_limit = await appender.append(request.stream(), size_bytes - offset)
        except ClientDisconnect:
            log.info("upload interrupted", upload=upload_id, offset=appender.offset)
            raise Conflict("the client disconnected") from None
        except TimeoutError:
            raise TimedOut(
                "no bytes arrived for a minute", hint="Resume the upload."
            ) from None
        if not kept_to_limit:
            # Its first bytes would make up the length, and a part of a file pass for a whole.
            await asyncio.to_thread(appender.cut_back, offset)
            raise too_large
    finally:
        appender.close()


@router.delete(
    "/{upload_id}",
    operation_id="delete_upload",
    status_code=HTTPStatus.NO_CONTENT,
    response_class=Response,
    responses={
        **responses(404, 409, 412),
        **_answers(204, "It is removed.", "Tus-Resumable"),
    },
    openapi_extra={"parameters": [_SPEAKS]},
)
async def delete_upload(
    upload_id: UploadId, request: Request, session: SessionDep, context: ContextDep
) -> Response:
    """Discard an upload."""
    _check_version(request)
    await service.terminate(session, context.settings, upload_id)
    return Response(
        status_code=HTTPStatus.NO_CONTENT, headers={"Tus-Resumable": VERSION}
    )


def _check_version(request: Request) -> None:
    version = request.headers.get("tus-resumable")
    if version != VERSION:
        raise WrongVersion(
            f"Tus-Resumable is `{version}`" if version else "Tus-Resumable is missing",
            hint=f"Send `Tus-Resumable: {VERSION}`.",
        )


def _number(request: Request, header: str) -> int:
    value = request.headers.get(header, "")
    if not _DIGITS.fullmatch(value):
        raise BadInput.at(header, value, "must be a whole number that is not negative")
    return int(value)


def _metadata(request: Request) -> dict[str, str]:
    """Decode Upload-Metadata: pairs of a key and base64, between commas."""
    header = request.headers.get("upload-metadata", "")
    if len(header) > _METADATA_LIMIT:
        raise BadInput.at("Upload-Metadata", header, "is too long")
    found = {}
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, encoded = pair.partition(" ")
        try:
            found[key] = base64.b64decode(encoded, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise BadInput.at(
                f"Upload-Metadata.{key}", encoded, "must be base64 of UTF-8 text"
            ) from error
    return found


def _filename(metadata: dict[str, str]) -> str | None:
    """Return the file's name for display: no folders, no control characters."""
    name = re.split(r"[/\\]", metadata.get("filename", ""))[-1]
    name = "".join(letter for letter in name if letter.isprintable())
    return name[:_FILENAME_LIMIT].strip() or None


def _wrong_offset(offset: int, right: int) -> Conflict:
    return Conflict(
        f"Upload-Offset: `{offset}` does not follow the {right} bytes that have arrived",
        hint="Get the offset with HEAD and continue from there.",
    )


def _headers(settings: Settings, upload: Upload) -> dict[str, str]:
    offset = (
        upload.size_bytes if upload.complete else storage.offset_of(settings, upload.id)
    )
    return {
        "Tus-Resumable": VERSION,
        "Upload-Offset": str(offset),
        "Upload-Length": str(upload.size_bytes),
        "Upload-Expires": _http_date(upload.expires_at),
        "Cache-Control": "no-store",
    }


def _http_date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC), usegmt=True)
