"""Traces whose files are objects of a store, read where a worker runs.

What a task has copied is kept for a while: the next one of the same process mostly reads the same trace, and the other
processes of the machine read the same copy.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tierwright.common.errors import BadInput
from tierwright.trace.reading import Trace
from tierwright.trace.sources import store
from tierwright.trace.sources.address import Address
from tierwright.trace.sources.copies import copied, version_of
from tierwright.trace.sources.shared import shared

_OF_ONE_PROCESS = "memory"
"""Scheme of stores that are another one in each process."""
IDLE_S = 60.0
"""How long a copy that nobody reads is kept. [s]"""
_IDLE_SHARE = 0.25
"""Of the room of the folder for temporary files, how much copies may take that nobody reads: beyond it, they go."""


@dataclass(slots=True)
class _Kept:
    """A copy of one version of an object."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    stack: ExitStack = field(default_factory=ExitStack)
    path: Path | None = None
    users: int = 0
    timer: threading.Timer | None = None


_kept: dict[str, _Kept] = {}
_guard = threading.Lock()


@contextmanager
def on_this_machine(trace: Trace) -> Iterator[Trace]:
    """Copy those files of a trace that are objects of a store and not here, at least for the length of the block.

    Raises
    ------
    BadInput
        As `copied`; if an object has changed since its version was looked up.
    """
    with ExitStack() as stack:
        here: dict[Path, Path] = {}
        for path in trace.files:
            here[path] = path
            if path not in trace.objects or path.exists():
                continue
            address = trace.objects[path]
            version = version_of(address)
            if trace.versions.get(path, version) != version:
                raise BadInput(
                    f"{address}: {store.COMMAND.changed}", store.COMMAND.after_change
                )
            here[path] = stack.enter_context(_copy(address, version))
        yield replace(
            trace,
            path=here[trace.path],
            others=tuple(here[path] for path in trace.others),
        )


@contextmanager
def _copy(address: Address, version: str) -> Iterator[Path]:
    """Yield a copy, which tasks that run side by side share and the next one finds."""
    with _guard:
        kept = _kept.setdefault(version, _Kept())
        kept.users += 1
        if kept.timer is not None:
            kept.timer.cancel()
            kept.timer = None
    try:
        with kept.lock:
            if kept.path is None:
                kept.path = kept.stack.enter_context(_brought(address, version))
        yield kept.path
    finally:
        with _guard:
            kept.users -= 1
            _leave(version, kept)


@contextmanager
def _brought(address: Address, version: str) -> Iterator[Path]:
    """Yield a copy that other processes of this machine share, if they can."""
    if address.scheme != _OF_ONE_PROCESS:
        with shared(version, lambda: _fetched(address, version)) as path:
            if path is not None:
                yield path
                return
    with _fetched(address, version) as path:
        yield path


@contextmanager
def _fetched(address: Address, version: str) -> Iterator[Path]:
    with copied(address, _on) as copy:
        if copy.version != version:
            raise BadInput(
                f"{address}: {store.COMMAND.changed}", store.COMMAND.after_change
            )
        yield copy.path


def _leave(version: str, kept: _Kept) -> None:
    """Drop a copy that failed, or that has no room to wait for the next task; else later."""
    if kept.users:
        return
    if kept.path is None or not _has_room():
        _drop(version)
        return
    kept.timer = threading.Timer(IDLE_S, _forget, [version])
    kept.timer.daemon = True
    kept.timer.start()


def _has_room() -> bool:
    idle = sum(
        each.path.stat().st_size
        for each in _kept.values()
        if not each.users and each.path is not None
    )
    free = shutil.disk_usage(tempfile.gettempdir()).free
    return idle <= _IDLE_SHARE * (free + idle)


def _forget(version: str) -> None:
    with _guard:
        kept = _kept.get(version)
        if kept is not None and not kept.users:
            _drop(version)


def _drop(version: str) -> None:
    kept = _kept.pop(version, None)
    if kept is not None:
        if kept.timer is not None:
            kept.timer.cancel()
        kept.stack.close()


@atexit.register
def forget_copies() -> None:
    """Delete the copies that nobody reads."""
    with _guard:
        for version in [name for name, each in _kept.items() if not each.users]:
            _drop(version)


def _on(_done: int, _total: int, _accesses: int, /) -> bool:
    return True
