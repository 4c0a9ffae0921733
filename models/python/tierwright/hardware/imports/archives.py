"""ZIP archives of a folder, unpacked into a temporary one: bounded, and nothing outside of it."""

from __future__ import annotations

import lzma
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
from tierwright.hardware.imports.ledger import shown
from tierwright.hardware.imports.source import Source

BEGINS = b"PK\x03\x04"
"""How an archive with a member begins."""
MOST_ARCHIVE_BYTES = 2**28
"""Largest archive, and the most that it may unpack to. [bytes]"""
MOST_MEMBERS = 100_000
_PIECE_BYTES = 2**20
_MOST_DEPTH = 32
_MOST_NAME_BYTES = 80
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods that unpack no more than they are asked for: of bzip2 and xz a small member can fill the memory."""
_UNBOUNDED = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}
_OF_THE_ARCHIVER = "__MACOSX"
"""Folder of copies that the archiver of macOS adds: they are no files of the user."""
_HINT = "make the archive again, of the folder with the saved files"


@contextmanager
def unpacked(source: Source, name: str) -> Iterator[Path]:
    """Unpack an archive into a temporary folder.

    Parameters
    ----------
    source : Source
        At its beginning; read to its end.
    name : str
        Of the folder, where the archive has more than one at its top.

    Raises
    ------
    BadInput
        If it is damaged, encrypted, too large, has too many members, one outside of its folder, or one that is neither stored nor packed with
        deflate.
    """
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryFile() as copy:
        size = 0
        while piece := source.read(_PIECE_BYTES):
            size += len(piece)
            _check_size(size, source.place)
            copy.write(piece)
        folder = Path(made) / (_short(_plain(name)) or "archive")
        try:
            folder.mkdir()
            with zipfile.ZipFile(copy) as archive:
                _unpack(archive, folder, source.place)
        # What a damaged archive raises depends on the byte that is damaged.
        except (
            zipfile.BadZipFile,
            zipfile.LargeZipFile,
            ArithmeticError,
            EOFError,
            LookupError,
            OSError,
            RuntimeError,
            ValueError,
            lzma.LZMAError,
            struct.error,
            zlib.error,
        ) as error:
            raise BadInput(
                f"{source.place}: the archive cannot be unpacked: {shown(error)}", _HINT
            ) from error
        entries = list(folder.iterdir())
        yield entries[0] if len(entries) == 1 and entries[0].is_dir() else folder


def _unpack(archive: zipfile.ZipFile, folder: Path, place: str) -> None:
    members = [each for each in archive.infolist() if not each.is_dir()]
    if len(members) > MOST_MEMBERS:
        raise BadInput(
            f"{place}: has {counted(len(members), 'member')}, more than {MOST_MEMBERS:,}",
            "import it in parts",
        )
    size = 0
    for each in members:
        parts = PurePosixPath(each.filename).parts
        if parts[:1] == (_OF_THE_ARCHIVER,):
            continue
        if len(parts) > _MOST_DEPTH or any(_plain(part) != part for part in parts):
            raise BadInput(
                f"{place}: the member `{shown(each.filename)}` has a name that leads elsewhere",
                _HINT,
            )
        if each.compress_type not in _BOUNDED:
            method = each.compress_type
            raise BadInput(
                f"{place}: the member `{shown(each.filename)}` is packed with {_UNBOUNDED.get(method, f'method {method}')}",
                "pack with deflate, which is the usual method of `zip`",
            )
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(each) as member, path.open("wb") as out:
            for piece in _pieces(member):
                size += len(piece)
                _check_size(size, place)
                out.write(piece)


def _pieces(member: IO[bytes]) -> Iterator[bytes]:
    while piece := member.read(_PIECE_BYTES):
        yield piece


def _check_size(size: int, place: str) -> None:
    if size > MOST_ARCHIVE_BYTES:
        raise BadInput(
            f"{place}: has more than {format_bytes(MOST_ARCHIVE_BYTES)}",
            "import it in parts",
        )


def _short(name: str) -> str:
    """Return the beginning of a name, as long as every file system takes it."""
    return name.encode()[:_MOST_NAME_BYTES].decode(errors="ignore")


def _plain(name: str) -> str:
    """Return a name of a file or folder without what leads elsewhere."""
    if name in (".", ".."):
        return ""
    return "".join(each for each in name if each.isprintable() and each not in "/\\:")
