"""Conversions that outlive their process: a killed one is gone on with by the next call."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.trace import reading
from tierwright.trace.reading import OnReading, Trace
from tierwright.trace.sources.files import can_be_read_again, fingerprint

CHECKPOINT_ACCESSES = 16 * 2**20
"""Page accesses between two checkpoints, unless something else is asked for."""
_PARTIAL_START = b"\x89TWT\r\n\x1a\n"
_CHECKPOINT_START = b'{"version":'


@cache
def core_build() -> str:
    """Name the core that converts: what another one has made is not gone on with.

    Its file counts too, because not every build has a version of its own; by its content, which is the same on every
    host that has installed it.
    """
    with Path(_simulator.__file__).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"core {version('tierwright')}, {digest[:32]}"


def convert(
    trace: Trace,
    out: Path,
    *,
    force: bool = False,
    start_again: bool = False,
    every_accesses: int = CHECKPOINT_ACCESSES,
    on_progress: OnReading | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Write the canonical form of a trace, going on with what a killed process left.

    Such a process leaves `OUT.partial`, the chunks so far, and `OUT.checkpoint` beside the
    output; both are gone when this returns or raises. A trace that can be read only once, such
    as a pipe, is converted without them, and so is a folder into itself. Several files that are all parts of one
    conversion (`tierwright.profile.numbered_parts`) are joined by the numbers of their pages.

    Parameters
    ----------
    trace : Trace
        What to read.
    out : Path
        Canonical trace to write.
    force : bool
        Whether an existing `out` is replaced.
    start_again : bool
        Whether what was left is dropped.
    every_accesses : int
        Accesses between two checkpoints, rounded up to whole chunks.
    on_progress : callable, optional
        See `OnReading`.

    Returns
    -------
    (dict, list of str)
        What the core said of the conversion, with `resumed_at_accesses` if it went on; and what
        to tell: why it began anew although something was left, that the trace changed meanwhile.

    Raises
    ------
    BadInput
        If another process converts to `out`, or files of others have the names needed.
    SimulatorError
        If the trace cannot be read, `out` not be written, or progress asked to stop.
    """
    if trace.others and all(_is_numbered(file) for file in trace.files):
        return _joined(trace, out, force=force, on_progress=on_progress), []
    again = all(can_be_read_again(file) for file in trace.files)
    if not again or _is_in(out, trace.path):
        return reading.convert(trace, out, force=force, on_progress=on_progress), []
    content = _content(trace)
    key = f"{content}, {core_build()}"
    checkpoint = _beside(out, "checkpoint")
    with _alone(out):
        left = _left(checkpoint)
        if start_again:
            left = None
            checkpoint.unlink(missing_ok=True)
        report = reading.convert(
            trace,
            out,
            force=force,
            resume=(key, every_accesses),
            on_progress=on_progress,
        )
    notes = []
    if left is not None and "resumed_at_accesses" not in report:
        why = (
            "was read with other options, or is damaged"
            if json.dumps(key)[1:-1] in left
            else "belongs to another trace, to this one before it changed, or to "
            "another version"
        )
        notes.append(
            f"what an interrupted conversion to `{out}` left {why}: started over"
        )
    if _content(trace) != content:
        notes.append(
            f"`{trace.path}` changed while it was read: `{out}` may contain parts of "
            "both versions"
        )
    return report, notes


def _is_numbered(file: Path) -> bool:
    """Tell whether a file is a part whose pages have the numbers of a longer trace."""
    if not file.is_file():
        return False
    try:
        return _simulator.canonical_content(file)["part"] is not None
    except _simulator.TraceError:
        return False


def _joined(
    trace: Trace, out: Path, *, force: bool, on_progress: OnReading | None
) -> dict[str, Any]:
    """Join numbered parts to one canonical trace; what inspecting it finds.

    Raises
    ------
    BadInput
        If pages are to be joined as well.
    """
    if trace.joined_page_bytes is not None:
        raise BadInput(
            "joined page bytes: parts are joined by the numbers of their pages, which larger pages do not have",
            "join the parts first, then convert the joined trace with larger pages",
        )

    def report(done: int, total: int, accesses: int) -> bool | None:
        return on_progress is None or on_progress(done, total, accesses, None)

    parts = [str(file) for file in trace.files]
    _simulator.join_numbered_parts(parts, out, force=force, on_progress=report)
    found = reading.inspect(Trace(out), on_progress=on_progress)
    return found | {"out_bytes": out.stat().st_size}


def _content(trace: Trace) -> str:
    return "; ".join(
        trace.versions.get(file) or fingerprint(file) for file in trace.files
    )


def _is_in(out: Path, folder: Path) -> bool:
    """Tell whether the chunks so far would be read as a file of the folder."""
    return folder.is_dir() and out.parent.resolve() == folder.resolve()


def _beside(out: Path, end: str) -> Path:
    return out.with_name(f"{out.name}.{end}")


def _left(checkpoint: Path) -> str | None:
    """Return what an earlier process wrote down; None if there is nothing."""
    try:
        return checkpoint.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Keep other processes from converting to the same file, and spare files of others.

    The chunks so far are the lock: the core goes on in the file that stands there.
    """
    partial, checkpoint = _beside(out, "partial"), _beside(out, "checkpoint")
    for file, start in ((partial, _PARTIAL_START), (checkpoint, _CHECKPOINT_START)):
        _refuse_foreign(file, start)
    descriptor = _locked(partial, out)
    try:
        yield
    finally:
        # Nothing was begun, or the trace is canonical and was copied.
        if _is_at(descriptor, partial) and os.fstat(descriptor).st_size == 0:
            partial.unlink()
        os.close(descriptor)


def _refuse_foreign(file: Path, start: bytes) -> None:
    """Refuse to overwrite a file that no conversion has left.

    Raises
    ------
    BadInput
        If it is there and holds something else.
    """
    if not os.path.lexists(file):
        return
    if file.is_file() and not file.is_symlink():
        with file.open("rb") as content:
            found = content.read(len(start))
        if found in (b"", start):
            return
    raise BadInput(
        f"`{file}` exists and was not left by a conversion",
        "move it away, or choose another name for the canonical trace",
    )


def _locked(partial: Path, out: Path) -> int:
    """Open and lock the file of the chunks.

    Raises
    ------
    BadInput
        If another process has locked it.
    """
    while True:
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise BadInput(
                f"`{out}` is being written by another conversion",
                "wait for it, or choose another name for the canonical trace",
            ) from None
        except OSError:
            return descriptor  # a file system without locks
        if _is_at(descriptor, partial):
            return descriptor
        # The other conversion ended between the two steps.
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)
