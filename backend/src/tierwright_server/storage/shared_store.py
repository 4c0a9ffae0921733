"""Files of an installation in one object store, which any number of hosts share: the data folder is then a cache.

An object is named as its file lies in the data folder: `uploads/ID`, `contents/ID/trace.twt`. Without a store, the
files of the data folder are all there is, and nothing here asks anybody.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import math
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tierwright.trace.sources import store
from tierwright.trace.sources.address import Address
from tierwright_server.common.errors import BadGateway

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from tierwright.trace.sources.store import Found, Store
    from tierwright_server.common.settings import Settings

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")
OnCopy = Callable[[int, int], None]
"""Called with bytes copied and bytes in all; what it raises ends the copy."""
_FRESH_S = 60.0
"""A file that was used so shortly ago is not evicted: a request may be about to read it. [s]"""
_DRAFT = ".copy-"
_HINT = "check that the store is reached from this host, and that its credentials may read and write there"
_held: ContextVar[list[int] | None] = ContextVar("files in use by a run", default=None)
_on_copy: ContextVar[OnCopy | None] = ContextVar("progress of a copy", default=None)


class _Sink:
    """A file that an object becomes."""

    def __init__(self, descriptor: int, total: int, on_copy: OnCopy | None) -> None:
        self._descriptor = descriptor
        self._total = total
        self._on_copy = on_copy
        self._done = 0

    def write(self, data: memoryview) -> None:
        while data:
            written = os.write(self._descriptor, data)
            self._done += written
            data = data[written:]
        if self._on_copy is not None:
            self._on_copy(self._done, self._total)

    def range_done(self) -> None:
        pass

    def broke(self, tries: int) -> None:
        log.warning(
            "copying from the store broke: attempt %d, %d bytes are here",
            tries,
            self._done,
        )


@dataclass(frozen=True)
class SharedStore:
    """The store of an installation, seen from one host.

    Attributes
    ----------
    address : Address
        Prefix of all its objects.
    endpoint : str or None
        As for `tierwright.trace.sources.store.open_store`.
    retries : int
        Tries without success before a copy is given up.
    folder : Path
        The data folder, whose files it holds.
    """

    address: Address
    endpoint: str | None
    retries: int
    folder: Path

    def of(self, path: Path | str) -> Address:
        """Return the address of the object of a file of the data folder."""
        name = path if isinstance(path, str) else path.relative_to(self.folder)
        key = "/".join(part for part in (self.address.key, str(name)) if part)
        return Address(self.address.bucket, key, self.address.scheme)

    def find(self, path: Path | str) -> Found | None:
        """Look for the object of a file."""
        import obstore

        def head(client: Store, key: str) -> Found | None:
            try:
                meta = obstore.head(client, key)
            except FileNotFoundError:
                return None
            return store.found_of(meta)

        return self._ask(self.of(path), head)

    def bring(self, path: Path, on_copy: OnCopy | None = None) -> bool:
        """Copy an object to its file, which appears in one step; False where there is no such object."""
        found = self.find(path)
        if found is None:
            return False
        address = self.of(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{_DRAFT}{secrets.token_hex(4)}-{path.name}")
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            try:
                sink = _Sink(descriptor, found.size_bytes, on_copy)
                store.fetch(
                    address, self.endpoint, found, sink, start=0, retries=self.retries
                )
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            draft.replace(path)
        except store.FetchFailed as error:
            raise BadGateway(
                f"{address}: {error.failure.message} ({error.done_bytes} of "
                f"{found.size_bytes} bytes had arrived)",
                hint=error.failure.hint,
            ) from error
        except store.RangeRefused as error:
            raise BadGateway(f"{address}: {error}", hint=_HINT) from error
        finally:
            draft.unlink(missing_ok=True)
        return True

    def publish(self, path: Path, *, again: bool = False) -> None:
        """Copy a file to its object, unless one of its length is there."""
        import obstore

        size_bytes = path.stat().st_size
        if not again:
            found = self.find(path)
            if found is not None and found.size_bytes == size_bytes:
                return

        def put(client: Store, key: str) -> bool:
            # Of an empty file several stores refuse the parts.
            obstore.put(client, key, path if size_bytes else b"")
            return True

        self._ask(self.of(path), put)

    def put(self, name: str, data: bytes, *, new: bool = False) -> bool:
        """Write a small object; with `new`, False where there is one."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        def write(client: Store, key: str) -> bool:
            try:
                obstore.put(client, key, data, mode="create" if new else "overwrite")
            except (AlreadyExistsError, PreconditionError, FileExistsError):
                return False
            return True

        return self._ask(self.of(name), write)

    def get(self, name: str) -> bytes | None:
        """Read a small object; None where there is none."""
        import obstore

        def read(client: Store, key: str) -> bytes | None:
            try:
                return bytes(obstore.get(client, key).bytes())
            except FileNotFoundError:
                return None

        return self._ask(self.of(name), read)

    def sizes(self, prefix: str, *, older_than_s: float = 0.0) -> dict[str, int]:
        """Return the bytes of every object below a prefix of the data folder, by its name there.

        With `older_than_s`, of those alone that were written so long ago.
        """
        import obstore

        start = len(self.address.key) + 1 if self.address.key else 0
        latest_s = time.time() - older_than_s if older_than_s else math.inf

        def read(client: Store, key: str) -> dict[str, int]:
            return {
                each["path"][start:]: int(each["size"])
                for some in obstore.list(client, f"{key}/")
                for each in some
                if each["last_modified"].timestamp() <= latest_s
            }

        return self._ask(self.of(prefix), read)

    def remove(self, path: Path | str) -> None:
        """Remove the object of a file, or all below where it is a folder."""
        import obstore

        name = str(path if isinstance(path, str) else path.relative_to(self.folder))
        below = list(self.sizes(name))
        if not below and self.find(name) is not None:
            below = [name]
        for each in below:

            def delete(client: Store, key: str) -> bool:
                with contextlib.suppress(FileNotFoundError):
                    obstore.delete(client, key)
                return True

            self._ask(self.of(each), delete)

    @cached_property
    def _client(self) -> Store:
        return store.open_store(
            self.address.scheme,
            self.address.bucket,
            self.endpoint,
            request_timeout_s=store.REQUEST_TIMEOUT_S,
        )

    def _ask(self, address: Address, ask: Callable[[Store, str], _Answer]) -> _Answer:
        """Ask the store, again and again while the failure may pass.

        Raises
        ------
        BadGateway
            With the address and the reason.
        """
        from obstore.exceptions import BaseError

        for failures in range(1, self.retries + 2):
            try:
                return ask(self._client, address.key)
            except (BaseError, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                failure = store.failure_of(error, address.scheme)
                log.warning("%s: %s", address, failure.message)
                if failure.fault is not store.Fault.PASSING or failures > self.retries:
                    raise BadGateway(
                        f"{address}: {failure.message}", hint=failure.hint or _HINT
                    ) from error
            time.sleep(store.wait_s(failures))
        raise AssertionError("the last failure was raised")


def store_of(settings: Settings) -> SharedStore | None:
    """Return the store of the installation; None where the data folder is all there is."""
    if settings.store is None:
        return None
    return _made(
        settings.store_address,
        settings.object_store_endpoint,
        settings.object_store_retries,
        settings.data_dir,
    )


@lru_cache(maxsize=8)
def _made(*parts: Any) -> SharedStore:
    return SharedStore(*parts)


# --- what others ask ------------------------------------------------------------


def here_now(settings: Settings, path: Path) -> bool:
    """Say whether a file of the data folder is there, after copying it from the store if need be.

    It stays for as long as the run that asks, and is noted as used.
    """
    shared = store_of(settings)
    if shared is None:
        return path.is_file()
    while not _hold(path):
        found = shared.find(path)
        if found is None:
            return False
        make_room(settings, found.size_bytes)
        if not shared.bring(path, _on_copy.get()):
            return False
    return True


async def here(
    settings: Settings, path: Path, session: AsyncSession | None = None
) -> bool:
    """Do as `here_now`; nothing is copied within a transaction of the session, which is committed before."""
    if settings.store is None:
        return here_now(settings, path)
    if session is not None and not _hold(path):
        await session.commit()
    return await asyncio.to_thread(here_now, settings, path)


async def bytes_to_copy(settings: Settings, path: Path) -> int | None:
    """Return the bytes that `here` would copy; None where the file is here, or nowhere."""
    shared = store_of(settings)
    if shared is None or _hold(path):
        return None
    found = await asyncio.to_thread(shared.find, path)
    return None if found is None else found.size_bytes


def exists_now(settings: Settings, path: Path) -> bool:
    """Say whether a file is kept, here or in the store; nothing is copied."""
    shared = store_of(settings)
    return path.is_file() if shared is None else shared.find(path) is not None


async def exist(settings: Settings, paths: Iterable[Path]) -> bool:
    """Say whether files are kept, in the store where there is one; nothing is copied."""
    for path in paths:
        if not await asyncio.to_thread(exists_now, settings, path):
            return False
    return True


def publish(settings: Settings, paths: Iterable[Path], *, again: bool = False) -> None:
    """Copy files of the data folder to the store, if there is one."""
    shared = store_of(settings)
    if shared is not None:
        for path in paths:
            shared.publish(path, again=again)


def forget(settings: Settings, path: Path) -> None:
    """Remove the object of a file or of a folder from the store, if there is one."""
    shared = store_of(settings)
    if shared is None:
        return
    try:
        shared.remove(path)
    except (BadGateway, OSError) as error:
        # What is left costs room, and expiry looks for it again.
        log.warning("the object of %s could not be removed: %s", path, error)


@contextmanager
def holding() -> Iterator[None]:
    """Keep the files that are asked for within the block from being evicted until its end."""
    held: list[int] = []
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
        for descriptor in held:
            os.close(descriptor)


@contextmanager
def telling(on_copy: OnCopy) -> Iterator[None]:
    """Have what is copied from the store for the block be told."""
    token = _on_copy.set(on_copy)
    try:
        yield
    finally:
        _on_copy.reset(token)


def _hold(path: Path) -> bool:
    """Note that a file is used, and lock it for the run that asks; False where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    held = _held.get()
    try:
        if held is not None:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        seen = os.fstat(descriptor)
        try:
            there = path.stat().st_ino == seen.st_ino
        except FileNotFoundError:
            there = False  # evicted while we waited for the lock
        if there:
            os.utime(descriptor, ns=(time.time_ns(), seen.st_mtime_ns))
            if held is not None:
                held.append(descriptor)
        return there
    finally:
        if held is None or descriptor not in held:
            os.close(descriptor)


def make_room(settings: Settings, wanted_bytes: int) -> None:
    """Evict the copies that were used least recently, until so many bytes more are within the limit of the cache.

    What is in use, was used a moment ago, or is not in the store stays, even beyond the limit.
    """
    shared = store_of(settings)
    if shared is None:
        return
    found = []
    for folder in (settings.uploads_dir, settings.contents_dir):
        for parent, _, names in os.walk(folder):
            for name in names:
                path = Path(parent) / name
                with contextlib.suppress(FileNotFoundError):
                    seen = path.stat()
                    found.append((seen.st_atime, seen.st_size, path))
    used = sum(size for _, size, _ in found)
    limit, now_s = settings.most_cached_bytes, time.time()
    for used_s, size, path in sorted(found):
        if used + wanted_bytes <= limit or now_s - used_s < _FRESH_S:
            break
        if _evict(shared, path, size):
            used -= size
    if used + wanted_bytes > limit:
        log.warning(
            "the cache of the store has %d bytes, %d more are needed, and its limit is %d",
            used,
            wanted_bytes,
            limit,
        )


def _evict(shared: SharedStore, path: Path, size: int) -> bool:
    """Delete a copy that nobody uses and that the store holds."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not path.name.startswith(_DRAFT):
            kept = shared.find(path)
            if kept is None or kept.size_bytes != size:
                return False
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    log.info("evicted from the cache: %s, %d bytes", path, size)
    return True
