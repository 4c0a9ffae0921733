"""Copies of objects that the processes of one user on this machine share: a version is fetched once.

Each version has a folder and two locks beside it. Whoever reads the copy, or wants to, holds one of them together with
others, and whoever deletes it holds it alone; the other one is held by the process that fetches. The kernel releases the locks of a process that was killed; what it left is deleted by the
next one that copies anything.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":  # there each process has copies of its own
    import fcntl

Fetch = Callable[[], AbstractContextManager[Path]]
_LOCK = ".lock"
_FETCH = ".fetch"
_NEW = "new-"
_ABANDONED_S = 60.0
"""Age from which a copy that nobody holds counts as left by a process that died. [s]"""


@contextmanager
def shared(version: str, fetch: Fetch) -> Iterator[Path | None]:
    """Yield the copy of one version of an object, brought by the first process that wants it.

    Parameters
    ----------
    version : str
        Which content it is.
    fetch : callable
        Copies the object to a file in the folder for temporary files, for the length of a block.

    Yields
    ------
    Path or None
        None where processes cannot share copies; then nothing was brought.
    """
    found = _copy_of(version, fetch)
    if found is None:
        yield None
        return
    entry, held, path = found
    try:
        yield path
    finally:
        os.close(held)
        _delete_unless_held(entry)
        _delete_if_empty(entry.parent)


def _copy_of(version: str, fetch: Fetch) -> tuple[Path, int, Path] | None:
    """Return the entry of a version, its lock and its file."""
    while (folder := _folder()) is not None:
        _sweep(folder)
        entry = folder / hashlib.sha256(version.encode()).hexdigest()[:32]
        try:
            return entry, *_held(folder, entry, fetch)
        except FileNotFoundError:
            # Whoever held the last copy deletes the folder.
            if folder.is_dir():
                raise
    return None


def _held(folder: Path, entry: Path, fetch: Fetch) -> tuple[int, Path]:
    """Return the lock, held together with others, and the file, which no one deletes meanwhile."""
    held = _locked(entry, _LOCK, fcntl.LOCK_SH)
    assert held is not None  # waited for
    try:
        file = _file_of(entry)
        if file is None:
            # One fetches, and the others wait for it; all of them hold the entry meanwhile.
            alone = _locked(entry, _FETCH, fcntl.LOCK_EX)
            assert alone is not None  # waited for
            try:
                file = _file_of(entry) or _bring(folder, entry, fetch)
            finally:
                os.close(alone)
    except BaseException:
        os.close(held)
        _delete_unless_held(entry)
        _delete_if_empty(folder)
        raise
    return held, file


def _bring(folder: Path, entry: Path, fetch: Fetch) -> Path:
    with fetch() as path:
        new = Path(tempfile.mkdtemp(prefix=_NEW, dir=folder))
        path.rename(new / path.name)
        new.rename(entry)
        return entry / path.name


def _folder() -> Path | None:
    """Return the folder of this user; None where it may be another's, or locks are unknown."""
    if sys.platform == "win32":
        return None
    folder = Path(tempfile.gettempdir()) / f"tierwright-copies-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        with tempfile.TemporaryFile(dir=folder):
            pass  # a confined process may not write there
    except OSError:
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if is_ours and not found.st_mode & 0o077 else None


def _file_of(entry: Path) -> Path | None:
    return next(iter(_files_in(entry)), None)


def _files_in(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def _locked(entry: Path, which: str, how: int) -> int | None:
    """Lock an entry; None if that would have to wait and must not."""
    path = entry.with_name(entry.name + which)
    while True:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(held, how)
            # Whoever deletes an entry deletes its lock too: that is no lock any more.
            if os.path.samestat(os.fstat(held), path.stat()):
                return held
        except BlockingIOError:
            os.close(held)
            return None
        except FileNotFoundError:
            pass
        os.close(held)


def _delete_unless_held(entry: Path) -> None:
    try:
        held = _locked(entry, _LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return  # with its folder
    if held is None:
        return
    shutil.rmtree(entry, ignore_errors=True)
    for which in (_FETCH, _LOCK):
        entry.with_name(entry.name + which).unlink(missing_ok=True)
    os.close(held)


def _delete_if_empty(folder: Path) -> None:
    with suppress(OSError):  # others have copies in it
        folder.rmdir()


def _sweep(folder: Path) -> None:
    """Delete what processes left that died."""
    before = time.time() - _ABANDONED_S
    for path in _files_in(folder):
        try:
            is_lock = path.name.endswith((_LOCK, _FETCH))
            if is_lock or path.stat().st_mtime > before:
                continue
        except FileNotFoundError:
            continue
        if path.name.startswith(_NEW):
            shutil.rmtree(path, ignore_errors=True)
        else:
            _delete_unless_held(path)
