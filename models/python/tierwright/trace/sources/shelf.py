"""Files that workers share: in a folder that all of them see, or below a prefix of an object store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tierwright.common.errors import BadInput
from tierwright.trace.sources import store
from tierwright.trace.sources.address import SCHEMES, Address, parse, without_secrets
from tierwright.trace.sources.copies import LIBRARY_HINT, copied, endpoint_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from tierwright.trace.sources.store import Store

_HINT = "name a folder, or a prefix of a store such as s3://bucket/counts"
_FILE = "file://"
_MEMORY = re.compile(r"memory://([a-z0-9-]+)(?:/(.*))?")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def check(self) -> None:
        """Refuse a folder that does not exist.

        Raises
        ------
        BadInput
            With its name.
        """
        if not self.path.is_dir():
            raise BadInput(
                f"`{self.path}` is not a folder", "name a folder that exists"
            )

    def named(self, name: str) -> str:
        """Name a file of it in messages."""
        return str(self.path / name)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Yield where to write a file, which is here when it is complete."""
        yield self.path / name

    def here(self, name: str, _cache: Path) -> Path | None:
        """Return a file of it on this machine; None where it has none of the name."""
        path = self.path / name
        return path if path.exists() else None

    def holds(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return (self.path / name).exists()

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        (self.path / name).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix of a store. Credentials are of the environment of whoever reads or writes."""

    address: Address

    def __str__(self) -> str:
        return str(self.address)

    def check(self) -> None:
        """Refuse what the store does not show.

        Raises
        ------
        BadInput
            With the reason.
        """
        self._asked("", _listed)

    def named(self, name: str) -> str:
        """Name an object of it in messages."""
        return str(self._of(name))

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Yield where to write a file, which becomes an object at the end of the block.

        Raises
        ------
        BadInput
            If the store refuses it.
        """
        with TemporaryDirectory(prefix="tierwright-") as folder:
            path = Path(folder) / name
            yield path
            self._asked(name, lambda client, key: _put(client, key, path))

    def here(self, name: str, cache: Path) -> Path | None:
        """Return a copy of an object in a folder of this machine; None where there is no such object.

        Raises
        ------
        BadInput
            If the store does not give it.
        """
        path = cache / name
        if path.exists():
            return path
        if not self._asked(name, _has):
            return None
        with copied(self._of(name), lambda _done, _all, _n: True) as copy:
            copy.path.rename(path)
        return path

    def holds(self, name: str) -> bool:
        """Whether there is an object of this name.

        Raises
        ------
        BadInput
            If the store does not say.
        """
        return self._asked(name, _has)

    def remove(self, name: str) -> None:
        """Remove an object, if there is one.

        Raises
        ------
        BadInput
            If the store refuses it.
        """
        self._asked(name, _delete)

    def _of(self, name: str) -> Address:
        key = "/".join(part for part in (self.address.key, name) if part)
        return Address(self.address.bucket, key, self.address.scheme)

    def _asked(self, name: str, ask: Callable[[Store, str], bool]) -> bool:
        address = self._of(name)
        try:
            from obstore.exceptions import BaseError
        except ModuleNotFoundError as error:
            raise BadInput(
                f"{address}: objects need the package `{error.name}`, which is not installed",
                LIBRARY_HINT,
            ) from None
        scheme = address.scheme
        try:
            client = store.open_store(
                scheme,
                address.bucket,
                endpoint_named(),
                request_timeout_s=store.REQUEST_TIMEOUT_S,
            )
        except BaseError as error:
            failure = store.failure_of_opening(error, scheme, store.COMMAND)
            raise BadInput(f"{address}: {failure.message}", failure.hint) from None
        try:
            return ask(client, address.key)
        except (BaseError, OSError) as error:
            failure = store.failure_of(error, scheme, store.COMMAND)
            raise BadInput(f"{address}: {failure.message}", failure.hint) from None


Shelf = Folder | Prefix


def shelf_of(text: str) -> Shelf:
    """Return the folder or the prefix that a text names; `file:///folder` is a folder.

    Raises
    ------
    BadInput
        If it is an address of neither.
    """
    if text.startswith(_FILE):
        return Folder(path_of(text))
    if "://" not in text or (not text.startswith(SCHEMES) and Path(text).is_dir()):
        return Folder(Path(text))
    if found := _MEMORY.fullmatch(text):
        return Prefix(Address(found[1], (found[2] or "").strip("/"), "memory"))
    try:
        return Prefix(parse(text))
    except ValueError as error:
        raise BadInput(f"`{without_secrets(text)}` {error}", _HINT) from None


def path_of(text: str) -> Path:
    """Return the path of an address such as `file:///folder/day%201.csv`.

    Raises
    ------
    BadInput
        If it names another machine, or no full path.
    """
    host, slash, path = text.removeprefix(_FILE).partition("/")
    if not slash or host not in ("", "localhost"):
        raise BadInput(
            f"`{text}` does not name a file of this machine by its full path",
            "use for example file:///data/day1.csv",
        )
    return Path("/" + unquote(path))


def _put(client: Store, key: str, path: Path) -> bool:
    import obstore

    obstore.put(client, key, path)
    return True


def _listed(client: Store, key: str) -> bool:
    import obstore

    next(iter(obstore.list(client, key or None, chunk_size=1)), None)
    return True


def _has(client: Store, key: str) -> bool:
    import obstore

    try:
        obstore.head(client, key)
    except FileNotFoundError:
        return False
    return True


def _delete(client: Store, key: str) -> bool:
    import obstore

    try:
        obstore.delete(client, key)
    except FileNotFoundError:
        return False
    return True
