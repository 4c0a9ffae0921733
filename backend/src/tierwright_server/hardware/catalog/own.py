"""Own things beside the shipped ones: one store for devices and for price books."""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright_server.common.errors import Conflict, NotFound
from tierwright_server.hardware.catalog import repository
from tierwright_server.hardware.catalog.schemas import DeviceOut, PriceBookOut
from tierwright_server.hardware.catalog.shipped import ShippedCatalog
from tierwright_server.http.context import Context
from tierwright_server.http.preconditions import check_match, etag_of
from tierwright_server.storage import tables
from tierwright_server.storage.tables import OwnTable

OWN_PREFIX = "own-"
"""Ids of own things begin so, and no shipped one does: they never collide."""

_SLUG_LENGTH = 40

Thing = TypeVar("Thing", bound=Device | PriceBook)
Shown = TypeVar("Shown", DeviceOut, PriceBookOut)


@dataclass(frozen=True, slots=True)
class Entry(Generic[Thing]):
    """A thing of the catalogue.

    Attributes
    ----------
    thing : Device or PriceBook
        As the models know it.
    row : OwnTable or None
        Where it is kept; None for a shipped one.
    """

    thing: Thing
    row: OwnTable | None = None


@dataclass(frozen=True)
class Store(Generic[Thing]):
    """Things of one kind, shipped ones and own ones.

    Attributes
    ----------
    noun : str
        What they are called.
    path : str
        Of their list in the API.
    table : type
        Where own ones are kept.
    shipped : callable
        Those that came with the application, by id.
    load, document : callable
        From and to what a row keeps; a message names the place of what was refused.
    instead : callable
        What to do instead of changing a shipped one, by its id.
    """

    noun: str
    path: str
    table: type[OwnTable]
    shipped: Callable[[ShippedCatalog], Mapping[str, Thing]]
    load: Callable[[Mapping[str, Any], str], Thing]
    document: Callable[[Thing], dict[str, Any]]
    instead: Callable[[str], str]

    async def all(self, session: AsyncSession, context: Context) -> list[Entry[Thing]]:
        """Return shipped and own things."""
        shipped = self.shipped(context.of(ShippedCatalog)).values()
        own = await repository.own(session, self.table)
        return [
            *(Entry(thing) for thing in shipped),
            *(self._entry(row) for row in own),
        ]

    async def find(
        self, session: AsyncSession, context: Context, identifier: str, where: str = ""
    ) -> Entry[Thing]:
        """Find a thing of either origin; the error names `where` it was asked for."""
        shipped = self.shipped(context.of(ShippedCatalog)).get(identifier)
        if shipped is not None:
            return Entry(shipped)
        row = await repository.own_of(session, self.table, identifier)
        if row is None:
            raise NotFound(
                f"{where and f'{where}: '}there is no {self.noun} `{identifier}`",
                hint=f"Choose another {self.noun}: it may have been deleted. "
                f"List all: GET {self.path}.",
            )
        return self._entry(row)

    async def add(
        self,
        session: AsyncSession,
        name: str,
        make: Callable[[str], Awaitable[Thing]],
    ) -> Entry[Thing]:
        """Keep what is made of a new id."""
        await self._check_room(session)
        thing = await make(_new_id(name))
        row = self.table(id=thing.id, document=self.document(thing))
        session.add(row)
        await session.flush()
        return self._entry(row)

    async def keep(
        self, session: AsyncSession, thing: Thing
    ) -> tuple[Entry[Thing], bool, list[Entry[Thing]]]:
        """Keep a thing under its own id, unless there is one; also whether it is new, and own ones from before it."""
        row = await repository.own_of(session, self.table, thing.id)
        if row is None:
            before = [
                self._entry(each) for each in await repository.own(session, self.table)
            ]
            await self._check_room(session)
            is_new = await repository.add_unless_there(
                session, self.table, thing.id, self.document(thing)
            )
            row = await repository.own_of(session, self.table, thing.id)
            assert row is not None
            if is_new:
                return self._entry(row), True, before
        older = [
            self._entry(each)
            for each in await repository.own(session, self.table)
            if each.created_at < row.created_at
        ]
        return self._entry(row), False, older

    async def _check_room(self, session: AsyncSession) -> None:
        if await repository.count(session, self.table) >= repository.MAX_OWN:
            raise Conflict(
                f"there are {repository.MAX_OWN} entries of your own already, which is the "
                "maximum",
                hint="Delete some that are no longer used.",
            )

    async def change(
        self,
        session: AsyncSession,
        context: Context,
        identifier: str,
        if_match: str | None,
        make: Callable[[str], Awaitable[Thing]],
    ) -> Entry[Thing]:
        """Change an own thing, if it is still as it was read."""
        row = await self._own(session, context, identifier, if_match)
        row.document = self.document(await make(identifier))
        row.updated_at = tables.now()
        await session.flush()
        return self._entry(row)

    async def delete(
        self,
        session: AsyncSession,
        context: Context,
        identifier: str,
        if_match: str | None,
    ) -> None:
        """Delete an own thing that no scenario names."""
        row = await self._own(session, context, identifier, if_match)
        names = await repository.scenarios_naming(session, identifier)
        if names:
            listed = ", ".join(f"`{name}`" for name in names)
            raise Conflict(
                f"{self.noun} `{identifier}` is used by the saved scenarios {listed}",
                hint="Change or delete these scenarios first.",
            )
        await session.delete(row)

    async def _own(
        self,
        session: AsyncSession,
        context: Context,
        identifier: str,
        if_match: str | None,
    ) -> OwnTable:
        if identifier in self.shipped(context.of(ShippedCatalog)):
            raise Conflict(
                f"{self.noun} `{identifier}` is a shipped one and cannot be changed",
                hint=self.instead(identifier),
            )
        row = await repository.own_of(session, self.table, identifier, lock=True)
        if row is None:
            raise NotFound(
                f"there is no {self.noun} `{identifier}`",
                hint=f"List all: GET {self.path}.",
            )
        check_match(if_match, etag_of(row.id, row.updated_at), f"`{row.id}`")
        return row

    def _entry(self, row: OwnTable) -> Entry[Thing]:
        return Entry(self.load(row.document, f"{self.noun} {row.id}"), row)


def marked(answer: Shown, row: OwnTable | None) -> Shown:
    """Say of what is shown when it was changed; shipped ones never are."""
    if row is not None:
        answer.updated_at = row.updated_at
        answer.etag = etag_of(row.id, row.updated_at)
    return answer


def _new_id(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{OWN_PREFIX}{slug}-{secrets.token_hex(4)}".replace("--", "-")
