"""Where a measurement takes place: the folder, its file system, its space, direct I/O."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import platform
import re
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.hardware.measure.plan import LEFT_FREE, PROBE_FILE, MeasurePlan

_MOUNTS = Path("/proc/self/mountinfo")
_IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})
_MOUNT = re.compile(r"\S+ \S+ (\d+:\d+) \S+ (\S+) .*? - (\S+) (\S+)")
"""A line of mountinfo: number of the device, mount point, type, source."""
_SAME_DEVICE = 1000
"""More than any path has parts."""


@dataclass(frozen=True, slots=True)
class FileSystem:
    """What is mounted at a folder; empty where it is unknown.

    Attributes
    ----------
    kind, source : str
        Such as `ext4` and `/dev/nvme0n1p2`.
    """

    kind: str = ""
    source: str = ""

    @property
    def in_memory(self) -> bool:
        """Whether its files are in RAM."""
        return self.kind in _IN_MEMORY


def check_folder(folder: Path) -> None:
    """Refuse what is not a folder in which new files can be made.

    Raises
    ------
    BadInput
        If it does not exist, is a device, a file, or is not writable.
    """
    hint = "name a folder of a file system on the device; a new folder is made in it"
    try:
        mode = folder.stat().st_mode
    except OSError as error:
        raise BadInput(
            f"{folder}: cannot be read: {error.strerror or error}", hint
        ) from error
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise BadInput(
            f"{folder}: is a device: writing to it would destroy what it holds", hint
        )
    if not stat.S_ISDIR(mode):
        raise BadInput(
            f"{folder}: is a file, and files of others are not touched", hint
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"{folder}: cannot be written to", hint)


def check_space(folder: Path, plan: MeasurePlan) -> None:
    """Refuse a folder whose file system the file would fill.

    Raises
    ------
    BadInput
        If less than 1.2 times the size of the file would stay free.
    """
    free = shutil.disk_usage(folder).free
    left = LEFT_FREE * plan.file_bytes
    if free - plan.file_bytes < left:
        raise BadInput(
            f"{folder}: {format_bytes(free)} are free: a file of {format_bytes(plan.file_bytes)} "
            f"would leave less than {format_bytes(left)}",
            f"measure in a file of at most {format_bytes(free / (1 + LEFT_FREE))}, or free some "
            "space",
        )


def file_system(folder: Path) -> FileSystem:
    """Say what is mounted at a folder, as Linux lists it."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return FileSystem()
    try:
        device = folder.stat().st_dev
    except OSError:
        return FileSystem()
    wanted = f"{os.major(device)}:{os.minor(device)}"
    place = folder.resolve()
    best, found = -1, FileSystem()
    for line in lines:
        match = _MOUNT.match(line)
        if match is None:
            continue
        number, point, kind, source = match.groups()
        mounted = Path(point.replace("\\040", " "))
        if place.is_relative_to(mounted):
            # A subvolume (Btrfs) has another number than its mount: then the path decides.
            score = len(mounted.parts) + (_SAME_DEVICE if number == wanted else 0)
            if score >= best:
                best, found = score, FileSystem(kind, source)
    return found


def supports_direct(folder: Path, block_bytes: int) -> bool:
    """Try to write one block past the page cache, in a new file that is removed.

    Parameters
    ----------
    folder : Path
        Folder of the measurement.
    block_bytes : int
        Smallest block of the plan. [bytes]

    Raises
    ------
    BadInput
        If the file cannot be made for another reason.
    """
    flag = getattr(os, "O_DIRECT", None)
    if flag is None:  # macOS: fio asks the system not to cache
        return True
    path = folder / PROBE_FILE
    try:
        number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | flag, 0o600)
    except OSError as error:
        if error.errno == errno.EINVAL:
            _remove(path)
            return False
        raise BadInput(
            f"{folder}: no file can be made: {error.strerror}",
            "check the permissions and the space of the folder",
        ) from error
    try:
        with mmap.mmap(
            -1, block_bytes
        ) as block:  # aligned to a page, as O_DIRECT needs
            os.write(number, block)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return False
        raise BadInput(
            f"{folder}: a block cannot be written: {error.strerror}",
            "check the space of the folder and the state of the device",
        ) from error
    finally:
        os.close(number)
        _remove(path)
    return True


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


def kernel() -> str:
    """Name the system and its version."""
    return f"{platform.system()} {platform.release()}"
