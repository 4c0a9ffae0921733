"""Files of one trace, each by itself, and the files that counting and converting them leaves.

A trace of several files is counted or converted file by file. What a step leaves is kept on a shelf, a folder or a prefix of
an object store, under a name made of what it depends on; messages name both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.trace.reading import Trace
from tierwright.trace.sources.copies import version_of
from tierwright.trace.sources.shelf import Shelf

_Checked = TypeVar("_Checked")


def check_files(trace: Trace) -> None:
    """Refuse files that are not parts which follow one another."""
    named = [path.resolve() for path in trace.files]
    for path in named:
        if named.count(path) > 1:
            raise BadInput(
                f"`{path.name}` is named twice, so its accesses would count twice",
                "name each file once",
            )
    for asked, option in (
        (trace.reading.members_apart, "members apart"),
        (trace.reading.members_merged, "merged members"),
    ):
        if asked:
            raise BadInput(
                f"{option}: parts follow one another, and pages of one device are the same in all of them",
                "leave it out, or read the trace as a whole",
            )


def check_skipped(skipped: int, trace: Trace) -> None:
    """Refuse more bad records in all parts than are allowed in the trace."""
    allowed = trace.reading.skip_bad_records
    if skipped > allowed:
        raise BadInput(
            f"the parts have {counted(skipped, 'bad record')}, more than the {allowed:,} that may be skipped",
            "allow more, or repair the files",
        )


def one_file(trace: Trace, path: Path) -> Trace:
    """Return one file of a trace, of an object the version that is counted."""
    one = replace(trace, path=path, others=())
    if path not in trace.objects or path in trace.versions:
        return one
    versions = {path: version_of(trace.objects[path])}
    return replace(one, versions=versions)


def content_key(path: Path, version: str | None) -> list[str | int]:
    """Name the content of a file, or of an object by its version."""
    if version is not None:
        return [version]
    status = path.stat()
    return [path.name, status.st_size, status.st_mtime_ns]


@contextmanager
def naming_object(trace: Trace, here: Trace) -> Iterator[None]:
    """Name an object, not its copy, in an error."""
    try:
        yield
    except _simulator.SimulatorError as error:
        if here.path == trace.path:
            raise
        message, hint = error.args
        address = str(trace.objects[trace.path])
        raise type(error)(message.replace(str(here.path), address), hint) from None


def kept_file(
    name: str, shelf: Shelf, cache: Path, check: Callable[[str], _Checked]
) -> _Checked | None:
    """Return what the check of a file says that is kept; None where there is none. What is damaged is removed."""
    path = shelf.here(name, cache)
    if path is None:
        return None
    try:
        return check(str(path))
    except _simulator.TraceError:
        path.unlink()
        shelf.remove(name)
        return None


def shown_file(shelf: Shelf, name: str, of: str) -> str:
    """Name a file that is kept, and what it is of, in messages."""
    return f"{shelf.named(name)} ({of})"


def needed_file(shelf: Shelf, name: str, cache: Path, of: str) -> Path:
    """Return a file that was there.

    Raises
    ------
    BadInput
        If it is missing.
    """
    path = shelf.here(name, cache)
    if path is None:
        raise BadInput(
            f"{shown_file(shelf, name, of)}: it was there, and is missing now",
            "run the command again: it makes this file again and keeps the others",
        )
    return path


@contextmanager
def naming_files(named: Mapping[str, str]) -> Iterator[None]:
    """Have errors name files of a store, not their copies, and what they are of."""
    try:
        yield
    except _simulator.TraceError as error:
        message, hint = error.args
        for copy, shown in named.items():
            message = message.replace(copy, shown)
        raise _simulator.TraceError(message, hint) from None
