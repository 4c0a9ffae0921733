"""Shapes of uploads and of the preview."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from tierwright_server.schemas import Answer, Body, PageBytes, WarningOut

_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")


def _check_columns(columns: dict[str, str]) -> dict[str, str]:
    for key, value in columns.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"`{key[:40]}` cannot be a key of the column mapping")
        if "\x00" in value:
            raise ValueError(f"the value of `{key}` holds a NUL character")
    return columns


FormatName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9_]{1,40}$"),
    Field(description="A name of `GET /catalog/formats`; absent: detected."),
]
ColumnMapping = Annotated[
    dict[str, Annotated[str, StringConstraints(max_length=200)]],
    AfterValidator(_check_columns),
    Field(
        max_length=30,
        description="Column mapping and units of the generic CSV reader.",
    ),
]


class UploadOut(Answer):
    """An upload, finished or not."""

    id: str
    filename: str | None
    size_bytes: int
    offset_bytes: int = Field(description="Bytes that have arrived.")
    complete: bool
    sha256: str | None = Field(description="Of the whole file, once complete.")
    created_at: datetime
    expires_at: datetime


class UploadList(Answer):
    """Uploads that no workload has taken yet, newest first."""

    items: list[UploadOut]
    total: int


class ReadOptions(Body):
    """How to read a trace; whatever is absent is detected and stated."""

    format: FormatName | None = None
    page_bytes: PageBytes | None = None
    columns: ColumnMapping | None = None


class DetectionOut(Answer):
    """How well one format fits."""

    format: str
    score: float
    reason: str


class RecordOut(Answer):
    """One record as read: the raw text beside what was understood."""

    place: str
    raw: str
    time_ns: int | None
    device: str | None
    op: str
    offset_bytes: int | None
    size_bytes: int | None
    first_page: int
    page_count: int


class UnitOut(Answer):
    """What a field of the format means."""

    field: str
    unit: str
    meaning: str


class PreviewOut(Answer):
    """What was understood of the head of a trace."""

    format: str
    detection: list[DetectionOut]
    columns: list[str] | None = Field(description="Columns found (generic CSV).")
    records: list[RecordOut]
    units: list[UnitOut]
    assumptions: list[str]
    page_bytes: int
    compression: str | None
    file_bytes: int
    warnings: list[WarningOut]
    upload: UploadOut
