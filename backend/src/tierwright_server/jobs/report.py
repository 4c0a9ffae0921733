"""What a job says while it works, and when it cannot go on."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

OnProgress = Callable[[int, int, int], bool]


class JobFailure(Exception):
    """The job cannot be done; trying again would end the same way."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Report(ABC):
    """Takes progress."""

    @contextmanager
    def phase(self, name: str, total_bytes: int) -> Iterator[OnProgress]:
        """Frame a pass over a file; gives the callback that the core wants."""
        self.progress(name, 0, total_bytes, accesses=0)

        read = 0

        def on_progress(done: int, total: int, accesses: int) -> bool:
            nonlocal read
            read = accesses
            self.progress(name, done, total, accesses=accesses)
            return True

        yield on_progress
        self.progress(name, total_bytes, total_bytes, accesses=read)

    @abstractmethod
    def progress(
        self,
        phase: str,
        done: int,
        total: int | None,
        unit: str = "bytes",
        accesses: int | None = None,
    ) -> None:
        """Say how far the phase is, and how many page accesses it has read."""

    @abstractmethod
    def partial(self, document: dict[str, Any]) -> None:
        """Hand over results that are kept whatever becomes of the job."""
