"""Objects of a store as files of this machine, for as long as a command reads them."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tierwright.common.errors import BadInput
from tierwright.trace.sources import store
from tierwright.trace.sources.address import SCHEMES, Address, parse, without_secrets

if TYPE_CHECKING:
    from tierwright.trace.sources.store import Found

ENDPOINT_VARIABLE = "TIERWRIGHT_OBJECT_STORE_ENDPOINT"
_LOOK_UP_S = 20.0
_TRIES = 4
_NAME_CHARACTERS = 60  # of four bytes at most: file systems take 255
LIBRARY_HINT = "install it: pip install 'tierwright[objects]'; or copy the object to a file and name that"

OnFetch = Callable[[int, int, int], bool]
"""Called with (bytes there, bytes in all, 0 accesses); False cancels."""


@dataclass(frozen=True)
class Copy:
    """An object that was copied to a file.

    Attributes
    ----------
    path : Path
        The file, under the last part of the object's key.
    version : str
        Which content it is: address, version in the store, length.
    """

    path: Path
    version: str


def address_of(text: str) -> Address | None:
    """Take the address of an object apart; None of a path.

    Raises
    ------
    BadInput
        If it is no address of an object that can be read.
    """
    if "://" not in text or (not text.startswith(SCHEMES) and Path(text).exists()):
        return None
    try:
        address = parse(text)
    except ValueError as error:
        raise BadInput(
            f"`{without_secrets(text)}` {error}",
            "name a file, or an object such as s3://bucket/day1.csv.zst",
        ) from None
    if not address.key or text.endswith("/"):
        raise BadInput(
            f"`{text}` names a bucket or a prefix, not an object",
            "name one object, such as s3://bucket/day1.csv.zst",
        )
    return address


@contextmanager
def copied(address: Address, on_fetch: OnFetch) -> Iterator[Copy]:
    """Copy an object to a file in the folder for temporary files, for as long as it is read.

    Raises
    ------
    BadInput
        If the store does not give it, what is read with, or the disk lacks room.
    KeyboardInterrupt
        If `on_fetch` asked to stop.
    """
    endpoint = endpoint_named()
    found = _looked_up(address, endpoint)
    if found.size_bytes == 0:
        raise BadInput(f"{address}: the object is empty (0 bytes)", "check its key")
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if found.size_bytes > free:
        raise BadInput(
            f"{address}: the object has {found.size_bytes:,} bytes, and the folder for "
            f"temporary files `{tempfile.gettempdir()}` has room for {free:,}",
            "name a folder with more room: TMPDIR=/large/folder",
        )
    with tempfile.TemporaryDirectory(prefix="tierwright-") as folder:
        path = Path(folder) / address.name[-_NAME_CHARACTERS:]
        try:
            with path.open("xb") as file:
                sink = _Growing(file, found.size_bytes, on_fetch)
                _fetched(address, endpoint, found, sink)
        except OSError as error:
            if error.errno is None:
                raise
            raise BadInput(
                f"{address}: it cannot be copied to `{folder}`: {error.strerror}",
                "name another folder for temporary files: TMPDIR=/large/folder",
            ) from error
        yield Copy(path, _version_of(address, found))


def endpoint_named() -> str | None:
    """Return the address of the S3 store that the environment names; None takes Amazon's."""
    return os.environ.get(ENDPOINT_VARIABLE) or None


def version_of(address: Address) -> str:
    """Say which content an object has now: address, version in the store, length.

    Raises
    ------
    BadInput
        If the store does not show it.
    """
    return _version_of(address, _looked_up(address, endpoint_named()))


def _version_of(address: Address, found: Found) -> str:
    # A store without versions tells when the object was written.
    version = found.etag or f"of {found.modified}"
    return f"{address}, version {version}, {found.size_bytes} bytes"


def _looked_up(address: Address, endpoint: str | None) -> Found:
    try:
        return asyncio.run(store.look_up(address, endpoint, _LOOK_UP_S, store.COMMAND))
    except ModuleNotFoundError as error:
        raise BadInput(
            f"{address}: reading objects needs the package `{error.name}`, which is not installed",
            LIBRARY_HINT,
        ) from None
    except TimeoutError:
        raise BadInput(
            f"{address}: the store has not answered within {_LOOK_UP_S:g} s",
            store.unanswered_hint(store.COMMAND),
        ) from None
    except store.LookUpFailed as error:
        failure = error.failure
        raise BadInput(f"{address}: {failure.message}", failure.hint) from error


class _Growing:
    """The file that an object becomes."""

    def __init__(self, file: BinaryIO, size_bytes: int, on_fetch: OnFetch) -> None:
        self._file = file
        self._size_bytes = size_bytes
        self._on_fetch = on_fetch
        self._done = 0

    def write(self, data: memoryview) -> None:
        self._file.write(data)
        self._done += len(data)
        if not self._on_fetch(self._done, self._size_bytes, 0):
            raise KeyboardInterrupt

    def range_done(self) -> None:
        pass

    def broke(self, tries: int) -> None:
        pass


def _fetched(
    address: Address, endpoint: str | None, found: Found, sink: _Growing
) -> None:
    try:
        store.fetch(
            address,
            endpoint,
            found,
            sink,
            start=0,
            retries=_TRIES,
            reader=store.COMMAND,
        )
    except store.FetchFailed as error:
        raise BadInput(
            f"{address}: {error.failure.message} ({error.done_bytes:,} of "
            f"{found.size_bytes:,} bytes had arrived)",
            error.failure.hint,
        ) from error
    except store.RangeRefused as error:
        raise BadInput(
            f"{address}: {error}",
            "if this persists, the store does not serve range requests correctly: copy "
            "the object to a file and name that",
        ) from error
