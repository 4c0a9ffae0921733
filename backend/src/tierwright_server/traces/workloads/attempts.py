"""Folders of the attempts at one job: what a killed one left serves the next one."""

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK_NAME = "lock"
# One that hangs between two lines of making its folder must not stop all that follow.
_LONGEST_WAIT_S = 10.0
_PAUSE_S = 0.01


class Attempt:
    """A folder of this process alone, with what earlier attempts have left.

    The lock is held until the process ends, however it ends: an attempt whose lock is free
    is dead, and its files are taken over. One that only hangs keeps its lock; its folder is
    removed under it, so that it cannot interfere when it wakes up.

    Parameters
    ----------
    job_folder : Path
        Of all attempts at this job; made if it is not there.
    kept : tuple of str
        Names of the files that are taken over.
    """

    def __init__(self, job_folder: Path, kept: tuple[str, ...]) -> None:
        self.folder = job_folder / secrets.token_hex(4)
        job_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder that is not locked yet looks like one of the dead.
        with _alone(job_folder):
            self.folder.mkdir(mode=0o700)
            # Never closed: see above.
            self._lock = _locked(self.folder)
            if self._lock is None:
                raise RuntimeError("another process has locked a folder that is new")
            for other in list(job_folder.iterdir()):
                if other.name not in (self.folder.name, _LOCK_NAME):
                    self._take_over(other, kept)

    def _take_over(self, other: Path, kept: tuple[str, ...]) -> None:
        lock = _locked(other)
        if lock is not None:
            for name in kept:
                left = other / name
                if left.is_file():
                    left.replace(self.folder / name)
            os.close(lock)
        shutil.rmtree(other, ignore_errors=True)


@contextmanager
def _alone(job_folder: Path) -> Iterator[None]:
    """Keep other attempts from beginning meanwhile; those that have begun go on."""
    give_up_at = time.monotonic() + _LONGEST_WAIT_S
    while (lock := _locked(job_folder)) is None and time.monotonic() < give_up_at:
        time.sleep(_PAUSE_S)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder; None if that cannot be, because another process holds it."""
    try:
        descriptor = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None  # no folder of an attempt
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
