"""The bytes of an import, read once: hashed on the way, never held whole unless they are few."""

from __future__ import annotations

import hashlib
import io
from typing import BinaryIO

from tierwright.common.documents import text_of

HEAD_BYTES = 2**16
"""What a format is recognised by. [bytes]"""
_PIECE_BYTES = 2**16


class Source(io.RawIOBase):
    """A stream whose beginning can be seen, and whose content has an id once it has been read.

    Parameters
    ----------
    stream : BinaryIO
        At its beginning. It is not closed.
    place : str
        Named in errors.
    """

    def __init__(self, stream: BinaryIO, place: str) -> None:
        super().__init__()
        self.place = place
        self._stream = stream
        self._hash = hashlib.sha256()
        self._ahead = b""
        while len(self._ahead) < HEAD_BYTES and (
            more := stream.read(HEAD_BYTES - len(self._ahead))
        ):
            self._ahead += more
        self.head = self._ahead

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, at most `size`; all that are left where it is negative."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_PIECE_BYTES), b""))
        if self._ahead:
            found, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            found = self._stream.read(size)
        self._hash.update(found)
        return found

    def readinto(self, buffer: object, /) -> int:
        """Fill a buffer with the next bytes, and return how many they are."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        found = self.read(len(view))
        view[: len(found)] = found
        return len(found)

    def text(self, most_bytes: int) -> str:
        """Return all of it as text, without the mark of UTF-8.

        Parameters
        ----------
        most_bytes : int
            Largest that is read, a whole number of MiB. [bytes]

        Raises
        ------
        BadInput
            If it is larger, or not UTF-8 text.
        """
        raw = bytearray()
        while len(raw) <= most_bytes and (piece := self.read(_PIECE_BYTES)):
            raw += piece
        return text_of(bytes(raw), self.place, most_bytes)

    def content_id(self) -> str:
        """Read what is left, and return the SHA-256 of the whole content in hexadecimal."""
        while self.read(_PIECE_BYTES):
            pass
        return self._hash.hexdigest()
