"""A lock on a folder: at most one process holds it, and a killed one lets go."""

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self


class LockHeld(Exception):
    """Another process holds the lock.

    Attributes
    ----------
    holder
        What that process wrote about itself (at least ``pid``), or empty when it had
        no time to.
    """

    def __init__(self, path: Path, holder: dict[str, str]) -> None:
        super().__init__(f"{path} is held by process {holder.get('pid', '(unknown)')}")
        self.path = path
        self.holder = holder


class ProcessLock:
    """An exclusive lock in the form of a file that names its holder.

    The kernel keeps the lock (``flock``), so it ends with the process, however that
    ends; the file's content is only information and may be stale while unlocked.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, **details: str) -> None:
        """Take the lock and leave `details` and our pid for others to read.

        Raises
        ------
        LockHeld
            If another process has it (this call never waits).
        OSError
            If the file cannot be made.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = self._read(descriptor)
            os.close(descriptor)
            raise LockHeld(self._path, holder) from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self.describe(**details)

    def describe(self, **details: str) -> None:
        """Replace what the lock file says about us.

        Raises
        ------
        RuntimeError
            If we do not hold the lock.
        """
        if self._descriptor is None:
            raise RuntimeError(f"the lock {self._path} is not held")
        content = json.dumps({"pid": str(os.getpid()), **details}).encode()
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, content, 0)

    def release(self) -> None:
        """Let go; does nothing when not held. The file stays, as it must."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    @staticmethod
    def _read(descriptor: int) -> dict[str, str]:
        try:
            content = json.loads(os.pread(descriptor, 65536, 0))
        except ValueError:  # the holder is just writing it
            return {}
        return content if isinstance(content, dict) else {}

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
