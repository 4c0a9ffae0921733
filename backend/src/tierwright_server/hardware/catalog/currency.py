"""The currency that a request asks its money in.

Sums are made in US dollars. Where another currency is asked for, every amount of the answer
keeps its key and gets a neighbour, `usd_per_month` for example `eur_per_month`; sentences speak of
the other currency, and `exchange_rate` names the rate, its date and its source.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from tierwright.advise.advice.request import NO_BOOK
from tierwright.common.currency import BASE, DOLLARS, show_from_now_on, stated
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.hardware import catalog as shipped
from tierwright.hardware.prices import PriceBook, rate_caution
from tierwright_server.common.errors import BadInput
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import ContextDep, SessionDep

Currency = Annotated[
    str,
    Query(
        pattern="^[A-Z]{3}$",
        description="Currency of the money in the answer. Other than USD: every amount "
        "is also given in it (`usd_per_month`: `eur_per_month`), converted "
        "once from the sum; sentences use it, and `exchange_rate` states "
        "the rate, its date and its source: the rate of the price book, or "
        "else the shipped one of the nearest day. `GET "
        "/catalog/exchange-rates` lists them.",
        examples=["EUR"],
    ),
]
PerUsd = Annotated[
    str | None,
    Query(
        pattern=r"^[0-9]{1,9}(\.[0-9]{1,12})?@[0-9]{4}(-[0-9Q-]{2,5})?$",
        description="Your own rate, used instead: the value of one US dollar in "
        "`currency`, and the date.",
        examples=["0.88@2026-09-30"],
    ),
]


async def ask_currency(
    request: Request,
    session: SessionDep,
    context: ContextDep,
    currency: Currency = BASE,
    per_usd: PerUsd = None,
) -> None:
    """Show the money of this answer in a currency.

    Raises
    ------
    BadInput
        If no rate of it is known and none is stated.
    """
    if currency == BASE and per_usd is None:
        show_from_now_on(DOLLARS)
        return
    identifier = await _book_id(request)
    book: PriceBook | None = shipped.default_price_book()
    # Without a book amounts are converted as where nobody chose one.
    if identifier is not None and identifier != NO_BOOK:
        book, _ = await catalog.find_price_book(session, context, identifier)
    try:
        rate = shipped.exchange_rate(currency, per_usd=per_usd, book=book)
    except ModelBadInput as error:
        where = "query.currency" if per_usd is None else "query.per_usd"
        raise BadInput.at(
            where, per_usd or currency, error.message, hint=error.hint
        ) from error
    caution = rate_caution(rate, book)
    show_from_now_on(rate, [] if caution is None else [caution])
    request.state.other_currency = True


async def _book_id(request: Request) -> str | None:
    found = request.path_params.get("price_book_id")
    if found is None and request.method == "POST":
        body = json.loads(await request.body() or b"{}")
        found = body.get("price_book_id") if isinstance(body, dict) else None
    return found if isinstance(found, str) else None


ASKS_CURRENCY = [Depends(ask_currency)]
"""Dependency of the routes that answer with money."""


class MoneyRoute(APIRoute):
    """A route whose answer states its money in the currency asked for."""

    def get_route_handler(
        self,
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of the route, with the money put in behind it."""
        handle = super().get_route_handler()

        async def with_currency(request: Request) -> Response:
            response = await handle(request)
            if not getattr(request.state, "other_currency", False):
                return response
            document = stated(json.loads(bytes(response.body)))
            headers = {
                name: value
                for name, value in response.headers.items()
                if name not in ("content-length", "content-type")
            }
            return Response(
                json.dumps(document, ensure_ascii=False, separators=(",", ":")),
                response.status_code,
                headers,
                "application/json",
            )

        return with_currency
