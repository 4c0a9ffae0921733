"""What a job says while it works, and when it cannot go on."""

from abc import ABC, abstractmethod


class JobFailure(Exception):
    """The job cannot be done; trying again would end the same way."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Report(ABC):
    """Takes progress."""

    @abstractmethod
    def progress(
        self, phase: str, done: int, total: int | None, unit: str = "bytes"
    ) -> None:
        """Say how far the phase is."""
