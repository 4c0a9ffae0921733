"""Whether something failed for want of room; the standard library alone, as jobs ask it too."""

import errno
import shutil
from pathlib import Path

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SQL_DISK_FULL = "53100"
_NEARLY_FULL_BYTES = 32 * 2**20
"""Less than PostgreSQL writes before it answers at all: two segments of its log."""


def is_full(error: BaseException) -> bool:
    """Say whether an error, of Python or of the core, says that the disk is full."""
    return getattr(error, "errno", None) in _FULL


def disk_is_full(data_dir: Path) -> bool:
    """Say whether a database that fails does so for want of room."""
    try:
        return shutil.disk_usage(data_dir).free < _NEARLY_FULL_BYTES
    except OSError:
        return False


def database_lacks_room(error: BaseException, data_dir: Path) -> bool:
    """Say whether an error of the database says so, or comes while the disk is full."""
    code = getattr(getattr(error, "orig", error), "sqlstate", None)
    return code == _SQL_DISK_FULL or disk_is_full(data_dir)
