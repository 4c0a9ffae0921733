"""The currency that a command shows its money in."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from tierwright.common.currency import ExchangeRate

_CURRENCY = Annotated[
    str,
    typer.Option(
        "--currency",
        metavar="CODE",
        help="Currency of all amounts shown, such as EUR: converted once, at the end, "
        "at the rate of the price book, or else at the shipped rate nearest to "
        "its date.",
    ),
]
_PER_USD = Annotated[
    str | None,
    typer.Option(
        "--per-usd",
        metavar="RATE@DATE",
        help="Value of one US dollar in that currency, and the date: 0.88@2026-09-30.",
    ),
]


def shows_money(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--currency` and `--per-usd`; what it prints is in that currency.

    With `--json` every amount of US dollars keeps its key, gets a neighbour in the currency,
    and the document names the rate.

    Parameters
    ----------
    command : callable
        May take `price_book`, the id of the book whose date picks the rate, and `json`.

    Returns
    -------
    callable
        What typer is to see.
    """
    hints = get_type_hints(command, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        one.replace(annotation=hints.get(name, one.annotation))
        for name, one in inspect.signature(command).parameters.items()
    ]
    last = [one for one in own if one.name == "json"]
    shown = [
        *(one for one in own if one not in last),
        inspect.Parameter("currency", keyword, default="USD", annotation=_CURRENCY),
        inspect.Parameter("per_usd", keyword, default=None, annotation=_PER_USD),
        *last,
    ]

    def run(**given: Any) -> None:
        from tierwright.common.currency import showing

        currency, per_usd = given.pop("currency"), given.pop("per_usd")
        rate, cautions = _rate(currency, per_usd, given.get("price_book"))
        with showing(rate, cautions):
            command(**given)
            if rate.date and not given.get("json"):
                typer.echo(f"rate: {rate.sentence}")
        if not given.get("json"):
            from tierwright.cli.output import print_warnings

            print_warnings(cautions)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__module__ = command.__module__
    run.__annotations__ = {one.name: one.annotation for one in shown}
    vars(run)["__signature__"] = inspect.Signature(shown)
    return run


def _rate(
    currency: str, per_usd: str | None, book_id: str | None
) -> tuple[ExchangeRate, list[dict[str, Any]]]:
    """Return the rate, and what to know of its date."""
    from tierwright.common.currency import BASE, DOLLARS

    if currency == BASE and per_usd is None:
        return DOLLARS, []
    from tierwright.advise.advice.request import NO_BOOK
    from tierwright.cli.books import book_of
    from tierwright.hardware import catalog
    from tierwright.hardware.prices import rate_caution

    # Without a book amounts are converted as where nobody chose one.
    if book_id is None or book_id == NO_BOOK:
        book = catalog.default_price_book()
    else:
        book = book_of(book_id)
    rate = catalog.exchange_rate(currency, per_usd=per_usd, book=book)
    caution = rate_caution(rate, book)
    return rate, [] if caution is None else [caution]
