"""What a job says while it works, and when it cannot go on."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class OnProgress(Protocol):
    """The callback that the core wants."""

    def __call__(
        self, done: int, total: int, accesses: int, requests: int | None = None, /
    ) -> bool:
        """Take bytes done and in all, accesses, and of a raw trace the records read."""


class JobFailure(Exception):
    """The job cannot be done; trying again would end the same way.

    Parameters
    ----------
    message, hint : str
        For the user.
    no_room : bool
        Whether it is for want of room; the hint then goes on with what is largest.
    """

    def __init__(
        self, message: str, hint: str | None = None, *, no_room: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.no_room = no_room


class Report(ABC):
    """Takes progress."""

    @contextmanager
    def phase(self, name: str, total_bytes: int) -> Iterator[OnProgress]:
        """Frame a pass over a file; gives the callback that the core wants."""
        self.progress(name, 0, total_bytes, accesses=0)

        read, records = 0, None

        def on_progress(
            done: int, total: int, accesses: int, requests: int | None = None, /
        ) -> bool:
            nonlocal read, records
            read, records = accesses, requests
            self.progress(name, done, total, accesses=accesses, requests=requests)
            return True

        yield on_progress
        self.progress(name, total_bytes, total_bytes, accesses=read, requests=records)

    @abstractmethod
    def progress(
        self,
        phase: str,
        done: int,
        total: int | None,
        unit: str = "bytes",
        accesses: int | None = None,
        requests: int | None = None,
    ) -> None:
        """Say how far the phase is, how many page accesses and records it has read."""

    @abstractmethod
    def partial(self, document: dict[str, Any]) -> None:
        """Hand over results that are kept whatever becomes of the job."""
