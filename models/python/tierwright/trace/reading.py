"""A trace file, how it is read, and what its reader understood: a typed door to the Rust core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.trace.sources.address import Address

OnProgress = Callable[[int, int, int], bool]
"""Called with (bytes done, bytes in all, accesses so far); False cancels."""


OnReading = Callable[[int, int, int, int | None], bool]
"""The same where a raw trace is read, with the records so far; None where there are none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How carefully a raw trace is read: tolerance and limits of decompression.

    Attributes
    ----------
    skip_bad_records : int
        Bad lines or records to skip and count; one more is an error.
    max_content_bytes : int or None
        Most decompressed bytes of the file; None takes 16 TiB. [bytes]
    max_expansion : int or None
        Most decompressed bytes for each byte of the file, once 256 MiB are decompressed; None
        takes 5,000.
    members_apart : bool
        Whether each member of an archive, or file of a folder, is of devices of its own.
    members_merged : bool
        Whether the members are merged by time; otherwise they are read one after another.
    device_bytes : int or None
        Size of each device that was recorded; a warning is given if addresses exceed it or stay far below it. [bytes]
    """

    skip_bad_records: int = 0
    max_content_bytes: int | None = None
    max_expansion: int | None = None
    device_bytes: int | None = None
    members_apart: bool = False
    members_merged: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that the core takes for it."""
        return asdict(self)


STRICT = Reading()


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace file and how to read it.

    Attributes
    ----------
    path : Path
        Raw trace of any supported format, compressed or in an archive, or a canonical one.
    format : str or None
        Name of the format; None detects it.
    page_bytes : int or None
        Page size for formats addressed in bytes; None takes 4096. [bytes]
    joined_page_bytes : int or None
        Size into which neighbouring pages of one device or relation are joined, a power of two; None leaves
        them as recorded. [bytes]
    columns : mapping or None
        Column mapping of the generic CSV reader, such as ``{"time": "ts"}``.
    reading : Reading
        Tolerance and limits. Whatever was passed over is told by the notes of every answer.
    others : tuple of Path
        Files that are read behind `path`, all of them one trace as the files of a folder are.
    versions : mapping
        Name of the content of each file that is a copy of an object of a store, or is to be one.
    objects : mapping
        Address of each file that is an object of a store: where it is not here, workers copy it.
    """

    path: Path
    format: str | None = None
    page_bytes: int | None = None
    joined_page_bytes: int | None = None
    columns: Mapping[str, str] | None = field(default=None)
    reading: Reading = STRICT
    others: tuple[Path, ...] = ()
    versions: Mapping[Path, str] = field(default_factory=dict)
    objects: Mapping[Path, Address] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the trace, in the order in which they are read."""
        return (self.path, *self.others)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Trace:
        """Make the trace of a document: its `path`, and how it is read by the names below.

        Raises
        ------
        BadInput
            If a name is unknown.
        """
        own = {
            "path",
            "format",
            "page_bytes",
            "joined_page_bytes",
            "columns",
            "others",
        }
        careful = {each.name for each in fields(Reading)}
        for name in document:
            if name not in own | careful:
                raise BadInput(
                    f"reading: `{name}` is unknown",
                    f"one of {', '.join(sorted(own | careful))}",
                )
        return cls(
            Path(document["path"]),
            format=document.get("format"),
            page_bytes=document.get("page_bytes"),
            joined_page_bytes=document.get("joined_page_bytes"),
            columns=document.get("columns"),
            reading=Reading(**{n: v for n, v in document.items() if n in careful}),
            others=tuple(map(Path, document.get("others") or ())),
        )

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that the core takes for a trace."""
        given: dict[str, Any] = {"format": self.format, **self.reading.arguments()}
        if self.page_bytes is not None:
            given["page_bytes"] = self.page_bytes
        if self.joined_page_bytes is not None:
            given["joined_page_bytes"] = self.joined_page_bytes
        if self.others:
            given["others"] = [str(other) for other in self.others]
        if self.columns:
            given["columns"] = dict(self.columns)
        return given


def formats() -> list[dict[str, Any]]:
    """Return the trace formats that the core reads."""
    return _simulator.formats()


def column_names(path: Path) -> list[str]:
    """Name the columns of a table, as its first line or its schema states them.

    Raises
    ------
    TraceError
        If the file cannot be read.
    """
    return _simulator.column_names(path)


def preview(
    trace: Trace,
    *,
    rows: int = 20,
    on_progress: OnReading | None = None,
) -> dict[str, Any]:
    """Read the head of a trace and say what was understood."""
    return _simulator.preview(
        str(trace.path),
        rows=rows,
        on_progress=on_progress,
        **trace.arguments(),
    )


def inspect(trace: Trace, *, on_progress: OnReading | None = None) -> dict[str, Any]:
    """Read a whole trace: counts, duration, hash of its access sequence."""
    return _simulator.inspect(
        str(trace.path),
        on_progress=on_progress,
        **trace.arguments(),
    )


def rate_of_trace(summary: Mapping[str, Any]) -> float | None:
    """Return the accesses per second of a trace, from what `inspect` says; None where it has no times, or one for all. [1/s]

    Examples
    --------
    >>> rate_of_trace({"accesses": 100, "duration_s": 4.0})
    25.0
    """
    duration_s = summary.get("duration_s")
    return summary["accesses"] / duration_s if duration_s else None


def convert(
    trace: Trace,
    out: Path,
    *,
    force: bool = False,
    resume: tuple[str, int] | None = None,
    on_progress: OnReading | None = None,
) -> dict[str, Any]:
    """Write the canonical form of a trace; an existing file only with `force`.

    With `resume`, a name of the content and the accesses between two checkpoints, as
    `_simulator.convert` has it; `tierwright.trace.conversions` finds them.
    """
    return _simulator.convert(
        str(trace.path),
        str(out),
        force=force,
        resume=resume,
        on_progress=on_progress,
        **trace.arguments(),
    )
