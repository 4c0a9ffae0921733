"""What the hosts of an installation must have in common: the version, and the store that keeps its files."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import psycopg

from tierwright_server.common.errors import BadGateway
from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.common.settings import Settings
from tierwright_server.common.version import VERSION
from tierwright_server.storage import shared_store
from tierwright_server.storage.db import psycopg_dsn

_MARK = "tierwright-installation"
"""Object of a store that names the installation whose files it keeps."""


@dataclass(frozen=True)
class Installed:
    """What the server of an installation has stated.

    Attributes
    ----------
    version : str
        Of the server.
    store : str or None
        Address of the store that keeps the files; None: the data folder does.
    store_id : str or None
        What the store is known by, however it is addressed.
    """

    version: str
    store: str | None
    store_id: str | None


def state(settings: Settings) -> None:
    """State the version of this server and its store, for workers to compare.

    Raises
    ------
    RuntimeFailure
        If the store cannot be used, or is not the one that keeps the files so far.
    """
    with psycopg.connect(_dsn(settings)) as connection:
        connection.execute("LOCK TABLE installation IN EXCLUSIVE MODE")
        before = _read(connection)
        store_id = _marked(settings, before)
        connection.execute(
            "INSERT INTO installation (id, version, store, store_id) VALUES (1, %s, %s, %s) "
            "ON CONFLICT (id) DO UPDATE SET version = excluded.version, "
            "store = excluded.store, store_id = excluded.store_id",
            (VERSION, settings.store, store_id),
        )


def refusal(settings: Settings, stated: Installed | None) -> RuntimeFailure | None:
    """Return why a worker with these settings may not work for an installation; None if it may."""
    if stated is None:
        return None
    if stated.version != VERSION:
        return RuntimeFailure(
            f"this worker has version {VERSION}, and the server of its database has version "
            f"{stated.version}",
            f"install version {stated.version} here: another version may compute other results",
        )
    if settings.store is None:
        if stated.store is None:
            return None
        return RuntimeFailure(
            f"the files of this installation are kept in `{stated.store}`, and this worker has no "
            "store",
            f"start it with TIERWRIGHT_STORE={stated.store}",
        )
    if stated.store is None:
        return RuntimeFailure(
            f"this worker has the store `{settings.store}`, and the server keeps its files in its "
            "data folder",
            "start the server with the same TIERWRIGHT_STORE, or this worker without one",
        )
    try:
        found = _mark_of(settings)
    except BadGateway as error:
        return RuntimeFailure(error.detail, error.hint or "")
    if found == stated.store_id:
        return None
    return RuntimeFailure(
        f"`{settings.store}` does not keep the files of this installation, which are in "
        f"`{stated.store}`",
        "check the address, and of a folder that it is mounted on this host",
    )


def stated(connection: psycopg.Connection) -> Installed | None:
    """Read what the server has stated; None before its first start."""
    return _read(connection)


def check(settings: Settings) -> None:
    """Refuse to work for an installation of another version, or with another store.

    Raises
    ------
    RuntimeFailure
        With both, and what to do.
    """
    with psycopg.connect(_dsn(settings)) as connection:
        there = connection.execute("SELECT to_regclass('installation')").fetchone()
        if there is None or there[0] is None:
            raise RuntimeFailure(
                f"the database is not that of a server of version {VERSION}",
                "start the server first (`tierwright serve`), with the same version and database",
            )
        found = _read(connection)
    why = refusal(settings, found)
    if why is not None:
        raise why


def _read(connection: psycopg.Connection) -> Installed | None:
    row = connection.execute(
        "SELECT version, store, store_id FROM installation WHERE id = 1"
    ).fetchone()
    return None if row is None else Installed(*row)


def _marked(settings: Settings, before: Installed | None) -> str | None:
    """Return what the store is known by, and mark one that is new."""
    shared = shared_store.store_of(settings)
    if shared is None:
        if before is not None and before.store_id is not None:
            raise RuntimeFailure(
                f"the files of this installation are kept in `{before.store}`, and no store is set",
                f"start it with TIERWRIGHT_STORE={before.store}",
            )
        return None
    try:
        found = _mark_of(settings)
        if before is not None and before.store_id not in (None, found):
            raise RuntimeFailure(
                f"`{settings.store}` does not keep the files of this installation, which are in "
                f"`{before.store}`",
                "check the address, and of a folder that it is mounted; to move the files, copy "
                "all objects with their names",
            )
        if found is None:
            shared.put(_MARK, secrets.token_hex(8).encode(), new=True)
            found = _mark_of(settings)
    except BadGateway as error:
        raise RuntimeFailure(error.detail, error.hint or "") from error
    return found


def _mark_of(settings: Settings) -> str | None:
    shared = shared_store.store_of(settings)
    found = None if shared is None else shared.get(_MARK)
    return None if found is None else found.decode("ascii", "replace")


def _dsn(settings: Settings) -> str:
    if settings.database_url is None:
        raise RuntimeFailure(
            "TIERWRIGHT_DATABASE_URL is not set",
            "`tierwright serve` starts workers with its own database",
        )
    return psycopg_dsn(settings.database_url)
