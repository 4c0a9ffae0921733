"""Replays of a job over a Dask cluster, where the worker's host has one: the job itself then reads no trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierwright.common.errors import TierwrightError
from tierwright.simulate import executors
from tierwright.trace.reading import Trace
from tierwright.trace.sources.address import Address
from tierwright_server.jobs.report import JobFailure, Report

if TYPE_CHECKING:
    from tierwright.simulate.executors import Workers
    from tierwright_server.common.settings import Settings

_GROUPS_A_SLOT = 4


def of_job(settings: Settings, trace: Path) -> dict[str, Any]:
    """Return what the input of a job says of its cluster, and where its workers find the trace.

    They see it under its full name, or copy it from the store of the installation.
    """
    if settings.dask is None:
        return {}
    from tierwright_server.storage import shared_store

    shared = shared_store.store_of(settings)
    address = None if shared is None else shared.of(trace)
    return {
        "dask": settings.dask,
        "object": None
        if address is None
        else [address.bucket, address.key, address.scheme],
    }


def trace_of(job: dict[str, Any]) -> Trace:
    """Return the trace of a job, as workers find it."""
    path = Path(job["trace"])
    place = job.get("object")
    return Trace(path, objects={} if place is None else {path: Address(*place)})


class _Waiting(Report):
    """The report of a job that says, as its phase, that its cluster has no workers, for as long as it has none."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waits: str | None = None

    def say(self, text: str) -> None:
        """Take what the cluster reports: that it waits for workers, or has some again."""
        self._waits = text if text.startswith("waiting") else None
        self._report.progress(text, 0, None)

    def progress(
        self,
        phase: str,
        done: int,
        total: int | None,
        unit: str = "bytes",
        accesses: int | None = None,
        requests: int | None = None,
    ) -> None:
        self._report.progress(
            self._waits or phase, done, total, unit, accesses, requests
        )

    def partial(self, document: dict[str, Any]) -> None:
        self._report.partial(document)


@contextmanager
def workers_of(
    job: dict[str, Any], report: Report
) -> Iterator[tuple[Workers | None, Report]]:
    """Have the replays of a job spread over its cluster, for the block; None where it has none.

    Yields
    ------
    (Workers or None, Report)
        Who replays, and the report to use meanwhile.

    Raises
    ------
    JobFailure
        If the cluster cannot be used: its scheduler does not answer, or a worker has another version.
    """
    if job.get("dask") is None:
        yield None, report
        return
    waiting = _Waiting(report)
    try:
        with (
            executors.dask(job["dask"], waiting.say) as workers,
            executors.spreading(workers),
        ):
            yield workers, waiting
    except TierwrightError as error:
        raise JobFailure(error.message, error.hint) from error


def batch_of(workers: Workers | None, alone: int) -> int:
    """Return how many replays are handed over together: `alone` in this process, else enough for all workers."""
    return alone if workers is None else max(alone, _GROUPS_A_SLOT * workers.slots)
