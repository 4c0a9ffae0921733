"""The fetch job, in its child process: an object of a store -> the file of an upload.

The object is read in ranges of one and the same version. What has arrived stays, whatever
becomes of the job: another attempt goes on behind the last range that reached the disk.
"""

import fcntl
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tierwright.trace.sources import store
from tierwright.trace.sources.address import Address
from tierwright.trace.sources.store import RANGE_BYTES
from tierwright_server.jobs.report import JobFailure, Report

if TYPE_CHECKING:
    from hashlib import _Hash

_PART_BYTES = 2**20
_FETCHING = "fetching"


def fetch(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Fetch an object into the file of its upload.

    Parameters
    ----------
    job : dict
        `scheme` of the store, `bucket`, `key`, `etag`, `size_bytes` of the object, `endpoint` of the store (or
        none), `retries` (tries without a new byte before it is given up), `path` of the
        upload's file, `shown_as` (the address, for messages).
    report : Report
        Takes progress in bytes.

    Returns
    -------
    dict
        `sha256` of the whole object.
    """
    with Path(job["path"]).open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JobFailure(
                f"{job['shown_as']}: another process is fetching it into the same file",
                "Register it again in a moment: the fetch then continues where the "
                "other one stopped.",
            ) from None
        state, done = _kept(file, job["size_bytes"], report)
        _fetched(job, _Growing(job, report, file, state, done), done)
    return {"sha256": state.hexdigest()}


def _fetched(job: dict[str, Any], sink: "_Growing", start: int) -> None:
    address = Address(job["bucket"], job["key"], job["scheme"])
    found = store.Found(job["size_bytes"], job["etag"])
    try:
        store.fetch(
            address,
            job["endpoint"],
            found,
            sink,
            start=start,
            retries=job["retries"],
        )
    except store.FetchFailed as error:
        came = f" ({error.done_bytes} of {found.size_bytes} bytes had arrived)"
        raise JobFailure(
            f"{job['shown_as']}: {error.failure.message}{came}", error.failure.hint
        ) from error
    except store.RangeRefused as error:
        raise JobFailure(
            f"{job['shown_as']}: {error}",
            "Register the object again; if this persists, the store does not serve "
            "range requests correctly.",
        ) from error


def _kept(file: BinaryIO, size_bytes: int, report: Report) -> tuple["_Hash", int]:
    """Hash the ranges that an earlier attempt has brought to the disk, and drop the rest."""
    there = os.fstat(file.fileno()).st_size
    # Behind a range that was not finished nothing has been flushed to the disk.
    whole = there if there == size_bytes else there - there % RANGE_BYTES
    file.truncate(whole)
    state, done = hashlib.sha256(), 0
    while done < whole:
        part = file.read(min(_PART_BYTES, whole - done))
        state.update(part)
        done += len(part)
        report.progress("hashing what has arrived before", done, whole)
    return state, done


class _Growing:
    """The file that the object becomes, and its hash."""

    def __init__(
        self,
        job: dict[str, Any],
        report: Report,
        file: BinaryIO,
        state: "_Hash",
        done: int,
    ) -> None:
        self._retries: int = job["retries"]
        self._total: int = job["size_bytes"]
        self._report = report
        self._file = file
        self._state = state
        self._done = done
        self._phase = _FETCHING

    def write(self, data: memoryview) -> None:
        self._file.write(data)
        self._state.update(data)
        self._done += len(data)
        self._report.progress(self._phase, self._done, self._total)

    def range_done(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._phase = _FETCHING

    def broke(self, tries: int) -> None:
        self._file.flush()
        self._phase = f"the connection broke, attempt {tries} of {self._retries}"
        self._report.progress(self._phase, self._done, self._total)
