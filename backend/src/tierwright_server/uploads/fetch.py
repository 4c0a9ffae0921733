"""The fetch job, in its child process: an object of a store -> the file of an upload.

The object is read in ranges of one and the same version. What has arrived stays, whatever
becomes of the job: another attempt goes on behind the last range that reached the disk.
"""

import fcntl
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tierwright import object_store
from tierwright.object_store import RANGE_BYTES, Fault, RangeRefused
from tierwright_server.jobs.report import JobFailure, Report

if TYPE_CHECKING:
    from hashlib import _Hash

    from tierwright.object_store import Store

_PART_BYTES = 2**20


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
                "Register it again in a moment: then this goes on where that one stopped.",
            ) from None
        state, done = _kept(file, job["size_bytes"], report)
        _Fetch(job, report, file, state, done).run()
    return {"sha256": state.hexdigest()}


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


class _Fetch:
    """The ranges that are still to come."""

    def __init__(
        self,
        job: dict[str, Any],
        report: Report,
        file: BinaryIO,
        state: "_Hash",
        done: int,
    ) -> None:
        self._job = job
        self._report = report
        self._file = file
        self._state = state
        self._done = done
        self._total: int = job["size_bytes"]
        self._phase = "fetching"

    def run(self) -> None:
        """Fetch until all is there."""
        from obstore.exceptions import BaseError

        try:
            store = object_store.open_store(
                self._job["scheme"],
                self._job["bucket"],
                self._job["endpoint"],
                request_timeout_s=object_store.REQUEST_TIMEOUT_S,
            )
        except BaseError as error:
            failure = object_store.failure_of_opening(error, self._job["scheme"])
            raise JobFailure(
                f"{self._job['shown_as']}: {failure.message}", failure.hint
            ) from error
        failed_at, failures = -1, 0
        while self._done < self._total:
            try:
                self._range(store)
            except (BaseError, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # of the disk: those of the store carry no number
                failures = failures + 1 if self._done == failed_at else 1
                failed_at = self._done
                self._wait(error, failures)
            else:
                self._phase = "fetching"

    def _range(self, store: "Store") -> None:
        """Fetch up to the end of the present range, and bring it to the disk."""
        end = min(self._total, (self._done // RANGE_BYTES + 1) * RANGE_BYTES)
        parts = object_store.parts_of(
            store, self._job["key"], self._job["etag"], self._done, end, self._total
        )
        try:
            for data in parts:
                self._file.write(data)
                self._state.update(data)
                self._done += len(data)
                self._report.progress(self._phase, self._done, self._total)
        except RangeRefused as error:
            raise JobFailure(
                f"{self._job['shown_as']}: {error}",
                "Register the object again; if it stays so, the store does not answer "
                "range requests as it should.",
            ) from error
        self._file.flush()
        os.fsync(self._file.fileno())

    def _wait(self, error: Exception, failures: int) -> None:
        """Wait before another try, or give up."""
        failure = object_store.failure_of(error, self._job["scheme"])
        retries: int = self._job["retries"]
        if failure.fault is not Fault.PASSING or failures > retries:
            raise JobFailure(
                f"{self._job['shown_as']}: {failure.message} "
                f"({self._done} of {self._total} bytes had arrived)",
                failure.hint,
            ) from error
        self._file.flush()
        self._phase = f"the connection broke, try {failures} of {retries}"
        self._report.progress(self._phase, self._done, self._total)
        time.sleep(object_store.wait_s(failures))
