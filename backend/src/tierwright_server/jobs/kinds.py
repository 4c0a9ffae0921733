"""A kind of job: what a worker prepares, what is kept of the child's answer."""

import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.settings import Settings
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.storage.tables import Run

Document = dict[str, Any]


def _remove_work(settings: Settings, run_id: str) -> None:
    """Remove the folder of a run with all that its attempts left in it."""
    shutil.rmtree(settings.work_dir / run_id, ignore_errors=True)


def _nothing(_settings: Settings, _job: Document, _result: Document) -> list[Path]:
    """Return no file: all that is kept stands in the database."""
    return []


@dataclass(frozen=True)
class JobKind:
    """One kind of job.

    Parameters
    ----------
    prepare
        Makes the child's input from the database; raises `ServerError` when the run
        cannot be carried out.
    finish
        Stores the child's result, in the transaction that ends the run; returns a
        closing message.
    cleanup
        Removes what an attempt that will not go on has left on the disk.
    keep
        Stores partial results of the child, which stay whatever becomes of the run.
    resumes
        Whether the next attempt goes on with what a killed one has left on the disk.
    made
        Files of the data folder that `finish` points at, of the child's input and answer: before, they are copied to the store, if there is one.
    """

    prepare: Callable[[AsyncSession, Settings, Run], Awaitable[Document]]
    finish: Callable[[AsyncSession, Settings, Run, Document], Awaitable[str]]
    cleanup: Callable[[Settings, str], None] = _remove_work
    keep: Callable[[AsyncSession, Run, Document], Awaitable[None]] | None = None
    resumes: bool = False
    made: Callable[[Settings, Document, Document], list[Path]] = _nothing

    def cleanup_after(self, settings: Settings, run: Run) -> None:
        """Remove what an attempt has left, unless the run waits for one that wants it."""
        if not (self.resumes and run.status == RunStatus.QUEUED.value):
            self.cleanup(settings, run.id)


Kinds = Mapping[RunKind, JobKind]
"""Every kind of job; `job_kinds.KINDS` is the table."""
