"""Quotes as wholes: the lines of each, or why it cannot be told what it offers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports import quote_json
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns
from tierwright.hardware.imports.ledger import Row, Skip, shown
from tierwright.hardware.imports.quotes import FIELDS, QuoteLine, line_of
from tierwright.hardware.imports.readers import QUOTES, read_rows
from tierwright.hardware.imports.source import Source

COLUMNS_MARK = "[[quote_column]]"
"""What messages call the columns of a table of quotes that are ranked."""
CODES = {
    "not_a_quote": "is no object with lines, or has a key that no quote has",
    "no_quote_id": "states no id",
    "bad_quote_id": "states an id that cannot be shown",
    "quote_id_twice": "has the id of another quote of the batch",
    "no_lines": "has no lines",
    "line_left_out": "has a line that cannot be taken without a guess",
    "line_of_no_quote": "a line of which the file does not state the quote",
}
"""Why a quote, or a line of none, cannot be read: stable codes, and what they mean."""
CARTS = ("oci", "cxml")
"""Formats of one cart: lines that state no quote are one quote there."""
CART = "cart"
"""Id of a cart that states none."""
_MOST_ID = 200
DO_NOTHING = "do_nothing"
"""Id under which what there is today stands among the quotes."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One quote.

    Attributes
    ----------
    index : int
        Place in its batch, from 0.
    quote_id : str
    lines : tuple of QuoteLine
        At least one.
    is_cart : bool
        Whether it is of a format in which a unit is that of the quantity: 730 `HUR` are 730 hours.
    left_out : str
        A line of its file of which the quote is not known, and which may be of this one; empty where there is none.
    """

    index: int
    quote_id: str
    lines: tuple[QuoteLine, ...]
    is_cart: bool = False
    left_out: str = ""

    @property
    def supplier(self) -> str:
        """Who offers it; empty where no line states it."""
        return next((each.supplier for each in self.lines if each.supplier), "")

    @property
    def valid_until(self) -> str | None:
        """Last day on which all of its lines are valid, YYYY-MM-DD; None where no line states one."""
        days = [each.valid_until for each in self.lines if each.valid_until]
        return min(days) if days else None

    @property
    def lead_time_days(self) -> int | None:
        """Days until its last line is there; None where no line states them. [days]"""
        days = [
            each.lead_time_days
            for each in self.lines
            if each.lead_time_days is not None
        ]
        return max(days) if days else None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A quote of which it cannot be told what it offers, or for what.

    Attributes
    ----------
    index : int
        Place in its batch, from 0.
    code : str
        Stable, see `CODES` and `tierwright.advise.quote_ranking`.
    detail : str
        What is wrong, with the value in backticks.
    """

    index: int
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Quotes that are compared with each other.

    Attributes
    ----------
    offers : tuple of Offer
    unreadable : tuple of Unreadable
    """

    offers: tuple[Offer, ...]
    unreadable: tuple[Unreadable, ...] = ()

    def __len__(self) -> int:
        return len(self.offers) + len(self.unreadable)

    @property
    def content_id(self) -> str:
        """SHA-256 of what is offered, whatever the order of the quotes; of what is unreadable with its place."""
        quotes = sorted(
            repr((each.quote_id, *sorted(map(_identity, each.lines))))
            for each in self.offers
        )
        left = sorted(repr((each.index, each.code)) for each in self.unreadable)
        return hashlib.sha256("\n".join([*quotes, *left]).encode()).hexdigest()


def _identity(line: QuoteLine) -> str:
    return repr(tuple(str(getattr(line, name)) for name in FIELDS))


def offers_of(quotes: Sequence[Any]) -> Batch:
    """Make quotes of plain data, as `quotes` of our own JSON; each fails alone.

    Parameters
    ----------
    quotes : sequence
        Objects with `quote_id` and `lines`, as docs/imports.md lists their keys.
    """
    offers: list[Offer] = []
    unreadable: list[Unreadable] = []
    for index, quote in enumerate(quotes):
        found = _offer(index, quote)
        if isinstance(found, Offer):
            offers.append(found)
        else:
            unreadable.append(found)
    return _without_twins(offers, unreadable)


def read_offers(
    stream: BinaryIO,
    place: str,
    name: str | None = None,
    columns: Columns = NO_COLUMNS,
) -> Batch:
    """Read a file of quotes in any of their formats; each quote fails alone.

    Parameters
    ----------
    stream : BinaryIO
        At its beginning.
    place : str
        Named in errors.
    name : str, optional
        Format of `readers.QUOTES`; by the beginning of the file unless given.
    columns : Columns
        Of a table that does not have our columns: its format is then `csv`.

    Raises
    ------
    BadInput
        If the file does not follow its format, or has no rows.
    """
    source = Source(stream, place)
    is_json = name is None and not columns and quote_json.recognises(source.head)
    if is_json or (name == "json" and not columns):
        return _batch_of(quote_json.quotes_of(source), place)
    lines: dict[str, list[QuoteLine]] = {}
    refused: dict[str, tuple[Row, str]] = {}
    left_out: list[tuple[Row, str]] = []

    def take(line: QuoteLine) -> None:
        lines.setdefault(line.quote_id, []).append(line)

    def refuse(quote_id: str, row: Row, reason: str) -> None:
        if quote_id:
            lines.setdefault(quote_id, [])
            refused.setdefault(quote_id, (row, reason))
        else:
            left_out.append((row, reason))

    imported = read_rows(
        source, place, QUOTES, take, name=name, refuse=refuse, columns=columns
    )
    in_cart = imported.format in CARTS
    if in_cart and (left_out or ("" in lines and len(lines) > 1)):
        # A row of no quote may be of any of them, and then none has a sum.
        why = (
            f"row {left_out[0][0]}: {left_out[0][1]}"
            if left_out
            else "some lines of the cart state a quote, and others do not"
        )
        return Batch((), (Unreadable(0, "line_left_out", why),))
    doubt = f"row {left_out[0][0]}: {left_out[0][1]}" if left_out else ""
    offers: list[Offer] = []
    unreadable: list[Unreadable] = []
    for index, (quote_id, taken) in enumerate(lines.items()):
        if quote_id in refused:
            row, reason = refused[quote_id]
            unreadable.append(
                Unreadable(index, "line_left_out", f"row {row}: {reason}")
            )
        elif quote_id or in_cart:
            offers.append(Offer(index, quote_id or CART, tuple(taken), in_cart, doubt))
        else:
            unreadable.append(_without_id(index, taken))
    unreadable += [
        Unreadable(len(lines) + at, "line_of_no_quote", f"row {row}: {reason}")
        for at, (row, reason) in enumerate(left_out)
    ]
    return _without_twins(offers, unreadable)


def together(batches: Sequence[tuple[str, Batch]]) -> Batch:
    """Return the quotes of several files as one batch; each fails alone.

    Parameters
    ----------
    batches : sequence of (str, Batch)
        Name of the file, and its quotes. Of several files, a cart that states no id is named like its file.
    """
    offers: list[Offer] = []
    unreadable: list[Unreadable] = []
    before = 0
    for name, batch in batches:
        for each in batch.offers:
            is_named = each.is_cart and each.quote_id == CART and len(batches) > 1
            offers.append(
                replace(
                    each,
                    index=before + each.index,
                    quote_id=name if is_named else each.quote_id,
                )
            )
        unreadable += [
            replace(each, index=before + each.index) for each in batch.unreadable
        ]
        before += len(batch)
    return _without_twins(offers, unreadable)


def _batch_of(quotes: Sequence[Any], place: str) -> Batch:
    if not quotes:
        raise BadInput(f"{place}: has no quotes", "check the file")
    return offers_of(quotes)


def _without_id(index: int, lines: Sequence[QuoteLine]) -> Unreadable:
    said = counted(len(lines), "line states", "lines state")
    return Unreadable(index, "no_quote_id", f"{said} no `quote_id`")


def _offer(index: int, quote: Any) -> Offer | Unreadable:
    if not isinstance(quote, dict) or not isinstance(quote.get("lines"), list):
        return Unreadable(
            index, "not_a_quote", "must be an object with a list of `lines`"
        )
    known = (*quote_json.OF_QUOTE, "lines")
    for key in quote:
        if key not in known:
            return Unreadable(
                index,
                "not_a_quote",
                f"the key `{shown(key)}` is not one of {', '.join(known)}",
            )
    stated = quote.get("quote_id")
    quote_id = "" if stated is None or isinstance(stated, (dict, list)) else str(stated)
    if not quote_id.strip():
        return Unreadable(index, "no_quote_id", "states no `quote_id`")
    if not quote["lines"]:
        return Unreadable(
            index, "no_lines", f"quote `{shown(quote_id.strip())}` has no lines"
        )
    taken = []
    for at, fields in enumerate(quote_json.lines_of(quote)):
        try:
            if isinstance(fields, Skip):
                raise fields
            taken.append(line_of(at, fields))
        except Skip as left_out:
            return Unreadable(index, "line_left_out", f"lines[{at}]: {left_out.reason}")
    return Offer(index, quote_id.strip(), tuple(taken))


def _without_twins(offers: Iterable[Offer], unreadable: Iterable[Unreadable]) -> Batch:
    """Leave out quotes whose id is not theirs alone: neither can be told from the other."""
    listed = list(offers)
    uses = Counter(each.quote_id for each in listed)
    kept: list[Offer] = []
    left = list(unreadable)
    for each in listed:
        named = f"quote_id `{shown(each.quote_id)}`"
        if len(each.quote_id) > _MOST_ID or not each.quote_id.isprintable():
            left.append(
                Unreadable(
                    each.index,
                    "bad_quote_id",
                    f"{named} is longer than {counted(_MOST_ID, 'letter')}, or not all of it can be shown",
                )
            )
        elif each.quote_id == DO_NOTHING:
            left.append(
                Unreadable(
                    each.index,
                    "quote_id_twice",
                    f"{named} stands for what there is today: name the quote otherwise",
                )
            )
        elif uses[each.quote_id] > 1:
            left.append(
                Unreadable(
                    each.index,
                    "quote_id_twice",
                    f"{named} is that of another quote of the batch too",
                )
            )
        else:
            kept.append(each)
    return Batch(tuple(kept), tuple(sorted(left, key=lambda one: one.index)))
