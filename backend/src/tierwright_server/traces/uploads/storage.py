"""Bytes of uploads on the disk: append, lock, hash. Names are ids, never the user's."""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import shutil
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.disk_space import is_full
from tierwright_server.common.errors import NoSpace, NotFound, ServerError
from tierwright_server.common.settings import Settings
from tierwright_server.storage import shared_store
from tierwright_server.storage.tables import Upload
from tierwright_server.traces.uploads import registered

if TYPE_CHECKING:
    from hashlib import _Hash

_WRITE_BYTES = 2**20
_READ_BYTES = 4 * 2**20
_SILENCE_S = 60.0
_HASHES_KEPT = 64


class Locked(ServerError):
    """Somebody else is writing to this upload."""

    status = 423  # type: ignore[assignment]
    name = "locked"
    title = "In use"


@dataclass
class _Running:
    """Hash of the first `bytes` of an upload."""

    state: "_Hash"
    bytes: int


_hashes: OrderedDict[str, _Running] = OrderedDict()


def path_of(settings: Settings, upload_id: str) -> Path:
    """Return where the bytes of an upload lie."""
    return settings.uploads_dir / upload_id


def readable_path(settings: Settings, upload: Upload) -> Path:
    """Return where the bytes of a complete upload are read: its own file, or the registered one.

    Raises
    ------
    Conflict
        A registered file has changed.
    """
    if upload.source_path is not None:
        return registered.unchanged(settings, upload)
    return path_of(settings, upload.id)


def readable_now(settings: Settings, upload: Upload) -> Path:
    """Do as `readable_path`, after copying the bytes from the store if need be.

    Raises
    ------
    NotFound
        They are gone.
    """
    path = readable_path(settings, upload)
    if upload.source_path is None and not shared_store.here_now(settings, path):
        raise _missing(upload.id)
    return path


async def readable_here(
    settings: Settings, upload: Upload, session: AsyncSession
) -> Path:
    """Do as `readable_now`; the session is committed before anything is copied."""
    path = readable_path(settings, upload)
    if upload.source_path is None and not await shared_store.here(
        settings, path, session
    ):
        raise _missing(upload.id)
    return path


def _missing(upload_id: str) -> NotFound:
    return NotFound(
        f"the file of upload `{upload_id}` is missing",
        hint="Upload the file again.",
    )


def create(settings: Settings, upload_id: str) -> None:
    """Make the empty file of an upload."""
    os.close(
        os.open(
            path_of(settings, upload_id), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600
        )
    )


def ensure(settings: Settings, upload_id: str) -> None:
    """Make the file of an upload, unless it is there."""
    with contextlib.suppress(FileExistsError):
        create(settings, upload_id)


def offset_of(settings: Settings, upload_id: str) -> int:
    """Return how many bytes have arrived.

    Raises
    ------
    NotFound
        The file is gone.
    """
    try:
        return path_of(settings, upload_id).stat().st_size
    except FileNotFoundError:
        raise _missing(upload_id) from None


def remove(settings: Settings, upload_id: str) -> None:
    """Delete the bytes of an upload."""
    _hashes.pop(upload_id, None)
    path_of(settings, upload_id).unlink(missing_ok=True)
    shared_store.forget(settings, path_of(settings, upload_id))


def check_space(settings: Settings, wanted_bytes: int) -> None:
    """Refuse what would fill the disk.

    Raises
    ------
    NoSpace
        Less than the set reserve would stay free.
    """
    free = shutil.disk_usage(settings.data_dir).free
    if free - wanted_bytes < settings.min_free_bytes:
        raise NoSpace(
            f"{wanted_bytes} bytes are needed and {free} are free; "
            f"{settings.min_free_bytes} must stay free",
            hint="Free some space on the disk of the data folder.",
        )


class Appender:
    """The one writer of an upload, for as long as it is open."""

    def __init__(self, settings: Settings, upload_id: str) -> None:
        self._path = path_of(settings, upload_id)
        self._upload_id = upload_id
        try:
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise _missing(upload_id) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise Locked(
                f"upload `{upload_id}` is being written by another request",
                hint="Try again in a moment.",
            ) from None
        self.offset = os.fstat(self._file).st_size

    def close(self) -> None:
        """Give the upload free."""
        os.close(self._file)

    async def append(self, stream: AsyncIterator[bytes], limit: int) -> bool:
        """Write a stream, at most `limit` bytes; whatever arrived is kept.

        Returns
        -------
        bool
            Whether the stream kept to the limit.

        Raises
        ------
        NoSpace
            The disk is full.
        TimeoutError
            Nothing came for a minute.
        """
        buffer = bytearray()
        taken = 0
        try:
            while True:
                async with asyncio.timeout(_SILENCE_S):
                    part = await anext(stream, None)
                if part is None:
                    return True
                room = limit - taken
                buffer += part[:room]
                taken += min(len(part), room)
                if len(part) > room:
                    return False
                if len(buffer) >= _WRITE_BYTES:
                    full, buffer = buffer, bytearray()
                    await asyncio.to_thread(self._write, bytes(full))
        finally:
            # The client may have gone: what it sent counts.
            await asyncio.shield(asyncio.to_thread(self._finish, bytes(buffer)))

    def _finish(self, data: bytes) -> None:
        if data:
            self._write(data)
        os.fsync(self._file)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        running = _hashes.get(self._upload_id)
        if running is None and self.offset == 0:
            running = _Running(hashlib.sha256(), 0)
        while view:
            try:
                written = os.write(self._file, view)
            except OSError as error:
                if is_full(error):
                    raise NoSpace(
                        "the disk of the data folder is full",
                        hint="Free some space, then resume the upload.",
                    ) from error
                raise
            if running is not None and running.bytes == self.offset:
                running.state.update(view[:written])
                running.bytes += written
                _keep(self._upload_id, running)
            self.offset += written
            view = view[written:]

    def cut_back(self, offset: int) -> None:
        """Take back all bytes behind the first `offset`."""
        _hashes.pop(self._upload_id, None)
        os.ftruncate(self._file, offset)
        os.fsync(self._file)
        self.offset = offset

    def sha256(self) -> str:
        """Hash the whole file; from memory if this process saw all of it arrive."""
        running = _hashes.pop(self._upload_id, None)
        if running is not None and running.bytes == self.offset:
            return running.state.hexdigest()
        state = hashlib.sha256()
        with self._path.open("rb") as file:
            while part := file.read(_READ_BYTES):
                state.update(part)
        return state.hexdigest()


def _keep(upload_id: str, running: _Running) -> None:
    _hashes[upload_id] = running
    _hashes.move_to_end(upload_id)
    while len(_hashes) > _HASHES_KEPT:
        _hashes.popitem(last=False)
