"""Which files a trace is read from, and whether they are still what they were."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

_CPU = re.compile(r"(?P<base>.+\.blktrace\.)\d{1,5}(?P<suffix>(\..*)?)")


def others_of(path: Path) -> list[Path]:
    """Return the files beside this one that are read with it, by name.

    A recording of blktrace is a file for each CPU, of which one is named and all are read.

    Parameters
    ----------
    path : Path
        The file that was named, such as `sda.blktrace.0`.
    """
    own = _CPU.fullmatch(path.name)
    if own is None:
        return []
    return sorted(
        other
        for other in path.parent.iterdir()
        if other != path
        and (found := _CPU.fullmatch(other.name)) is not None
        and (found["base"], found["suffix"]) == (own["base"], own["suffix"])
    )


def can_be_read_again(path: Path) -> bool:
    """Tell whether a second reading starts at the beginning: of files and folders, not pipes."""
    return path.is_file() or path.is_dir()


def fingerprint(path: Path) -> str:
    """Return a text that changes with the files that are read: which, how long, when changed.

    Their content is not read: of a large trace that costs as much as converting it. The time
    of the last change of a file's entry counts, which no program sets back.

    Parameters
    ----------
    path : Path
        A file, with those that are read with it, or a folder of files.

    Raises
    ------
    OSError
        A file cannot be looked at.
    """
    files = [path, *others_of(path)]
    if path.is_dir():
        files += sorted(path.iterdir())
    told = "".join(_told(file) for file in files)
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def _told(file: Path) -> str:
    found = file.stat()
    own = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return f"{os.path.realpath(file)}\0{own}\0"
