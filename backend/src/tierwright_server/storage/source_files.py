"""Whether the files of a trace are still what they were: the one that is named, and its set.

A recording of blktrace is a file for each CPU, of which one is named and all are read.
"""

import hashlib
from datetime import datetime
from pathlib import Path

from tierwright.trace.sources.files import others_of

_MARK_BITS = 63


def is_marked(path: Path, mark: int, since: datetime) -> bool:
    """Return whether the files that are read are those of a mark.

    Parameters
    ----------
    path : Path
        The file that was named.
    mark : int
        What `mark_of` returned.
    since : datetime
        When it did: it once told nothing of the other files, and then they count by when
        they were written.
    """
    if mark_of(path) == mark:
        return True
    since_ns = int(since.timestamp() * 1e9)
    return mark == path.stat().st_mtime_ns and all(
        other.stat().st_mtime_ns < since_ns for other in others_of(path)
    )


def mark_of(path: Path) -> int:
    """Return a number that changes with the files that are read: which, how long, when written.

    Of a file that is read alone it is the time of its last change. [ns]

    Raises
    ------
    OSError
        A file cannot be looked at.
    """
    written_ns = path.stat().st_mtime_ns
    others = others_of(path)
    if not others:
        return written_ns
    seen = [(other.name, other.stat()) for other in others]
    told = "".join(
        f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}\0" for name, stat in seen
    )
    digest = hashlib.sha256(f"{written_ns}\0{told}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _MARK_BITS)
