"""Files that end with a checksum of themselves: a damaged one is never read for a whole one.

Behind the content stand its length (uint64, little-endian), its SHA-256 and a mark.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_MARK = b"TW-SEAL1"
_SEAL = struct.Struct("<Q32s8s")
_READ_BYTES = 2**22


class Damaged(Exception):
    """A file is not as it was written; one of an earlier version has no seal at all."""


@contextmanager
def sealed(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that appears in one step, durable and with its seal.

    Parameters
    ----------
    path : Path
        Where it appears; a file of that name is replaced.

    Yields
    ------
    file
        To be written; it can be moved about in.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("w+b") as file:
            yield file
            length = file.seek(0, os.SEEK_END)
            file.seek(0)
            digest = hashlib.sha256()
            while part := file.read(_READ_BYTES):
                digest.update(part)
            file.write(_SEAL.pack(length, digest.digest(), _MARK))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[memoryview]:
    """Open the content of a sealed file, as it was found to be whole.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    memoryview
        The content, without the seal; nothing may refer to it afterwards.

    Raises
    ------
    FileNotFoundError
        There is no file.
    Damaged
        It is not what was written.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < _SEAL.size:
            raise Damaged(f"{path.name} is cut off")
        with (
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
            memoryview(mapped) as whole,
        ):
            length, digest, mark = _SEAL.unpack(whole[-_SEAL.size :])
            if mark != _MARK or length != size - _SEAL.size:
                raise Damaged(f"{path.name} has no seal, or another length")
            with whole[:length] as content:
                if hashlib.sha256(content).digest() != digest:
                    raise Damaged(f"{path.name} does not fit its checksum")
                yield content
