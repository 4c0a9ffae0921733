"""One way to page, order and search every list of the API.

`limit` and `offset` cut, `sort` orders by one key, `-key` backwards, and the header `Link` names
the pages beside this one (RFC 8288), so that a client needs no arithmetic of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, TypeVarTuple
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from sqlalchemy import Select
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.elements import ColumnElement

from tierwright_server.common.schemas import NO_NUL

Item = TypeVar("Item")
Columns = TypeVarTuple("Columns")

MOST_ITEMS = 500
MOST_OFFSET = 10**9

Search = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        pattern=NO_NUL,
        description="Only those whose name contains this text, ignoring case.",
    ),
]


@dataclass(frozen=True)
class Page:
    """Which items of a list were asked for.

    Parameters
    ----------
    limit, offset : int
        Most items, and items before them.
    sort : str or None
        Key to order by, with `-` before it backwards; None: the usual order of the list.
    """

    limit: int
    offset: int
    sort: str | None
    _request: Request
    _response: Response

    @property
    def key(self) -> str | None:
        """The key to order by."""
        return None if self.sort is None else self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        """Whether the order is backwards."""
        return self.sort is not None and self.sort.startswith("-")

    def link(self, total: int) -> None:
        """Name the pages beside this one in the header `Link`."""
        last = max(0, (total - 1) // self.limit * self.limit)
        beside = {"first": 0, "last": last}
        if self.offset > 0:
            beside["prev"] = max(0, self.offset - self.limit)
        if self.offset + self.limit < total:
            beside["next"] = self.offset + self.limit
        asked = {
            key: value
            for key, value in self._request.query_params.items()
            if key not in ("limit", "offset")
        }
        self._response.headers["Link"] = ", ".join(
            f"<{self._request.url.path}?"
            f"{urlencode({**asked, 'limit': self.limit, 'offset': offset})}>; "
            f'rel="{name}"'
            for name, offset in sorted(beside.items())
        )

    def cut(
        self,
        items: Iterable[Item],
        order: Callable[[Item, str], Any] = getattr,
    ) -> tuple[list[Item], int]:
        """Return the items of this page in their order, and how many there are in all.

        What lacks the key to order by comes last, in either direction.
        """
        found = list(items)
        key = self.key
        if key is not None:
            known = [item for item in found if order(item, key) is not None]
            lacking = [item for item in found if order(item, key) is None]
            known.sort(
                key=lambda item: _comparable(order(item, key)), reverse=self.descending
            )
            found = known + lacking
        self.link(len(found))
        return found[self.offset : self.offset + self.limit], len(found)

    def of_query(
        self,
        query: Select[*Columns],
        columns: Mapping[str, InstrumentedAttribute[Any]],
        usual: Sequence[ColumnElement[Any] | InstrumentedAttribute[Any]],
    ) -> Select[*Columns]:
        """Order and cut a query; `usual` is the order without a key, and that of equals."""
        if self.key is not None:
            column = columns[self.key]
            ordered = column.desc() if self.descending else column.asc()
            query = query.order_by(ordered.nulls_last())
        return query.order_by(*usual).limit(self.limit).offset(self.offset)


def _comparable(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def paged(*keys: str, usual: int = MOST_ITEMS, most: int = MOST_ITEMS) -> Any:
    """Return the dependency of a list that can be ordered by some keys.

    Parameters
    ----------
    *keys : str
        Keys of its items; each backwards too.
    usual, most : int
        Items of a page unless asked for, and at most.
    """
    allowed = [name for key in keys for name in (key, f"-{key}")]

    def read(
        request: Request,
        response: Response,
        limit: Annotated[
            int, Query(ge=1, le=most, description="Most items to return.")
        ] = usual,
        offset: Annotated[
            int, Query(ge=0, le=MOST_OFFSET, description="Items to skip.")
        ] = 0,
        sort: Annotated[
            str | None,
            Query(
                pattern=f"^-?({'|'.join(keys)})$",
                description="Key to sort by; with `-` before it, in descending order; "
                "absent: the default order of the list.",
                json_schema_extra={"enum": [*allowed, None]},
            ),
        ] = None,
    ) -> Page:
        return Page(limit, offset, sort, request, response)

    return Depends(read)


def holds(name: str | None, search: str | None) -> bool:
    """Say whether a name holds a text, capitals or not."""
    return search is None or search.casefold() in (name or "").casefold()


def like(column: InstrumentedAttribute[Any], search: str) -> ColumnElement[bool]:
    """Return the same condition in SQL."""
    return column.icontains(search, autoescape=True)
