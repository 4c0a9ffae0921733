"""Shapes of what is stored, and of the room it takes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tierwright_server.common.schemas import Answer

StoredKind = Literal[
    "upload", "workload", "analysis", "simulation", "sweep", "miniature", "advice_check"
]


class StorageItem(Answer):
    """Something large that may be deleted, with `DELETE /storage/{kind}/{id}`."""

    kind: StoredKind
    id: str
    name: str
    size_bytes: int = Field(description="Of a workload without its analyses.")


class StorageOut(Answer):
    """The space used by everything that is stored, and the limits."""

    used_bytes: int
    uploads_bytes: int
    contents_bytes: int = Field(description="Canonical traces, curves, analyses.")
    results_bytes: int = Field(
        description="Simulations, sweeps, miniatures and replays, in the database."
    )
    work_bytes: int = Field(
        description="Unfinished results of jobs that are running or will resume."
    )
    limit_bytes: int = Field(
        description="Limit of all that is used; by default half of the disk."
    )
    upload_limit_bytes: int = Field(description="Most bytes of one upload.")
    free_bytes: int = Field(description="Free on the disk of the data folder.")
    reserve_bytes: int = Field(description="Space that must stay free there.")
    trace_roots: list[str] = Field(
        description="Folders whose files may be registered by path, and s3:// prefixes "
        "whose objects may be fetched; may be empty."
    )
    largest: list[StorageItem]
