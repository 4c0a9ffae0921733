"""The formats of imports: one line a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Generic, TypeVar

from tierwright.common.errors import BadInput
from tierwright.common.wording import listed
from tierwright.hardware.imports import (
    aws,
    azure,
    cxml,
    focus,
    google,
    oci,
    price_csv,
    quote_csv,
    quote_json,
)
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns
from tierwright.hardware.imports.ledger import Imported, Ledger, Row
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.imports.quotes import QuoteLine
from tierwright.hardware.imports.source import Source

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Reader(Generic[Line]):
    """How a format is recognised and read.

    Attributes
    ----------
    title : str
        For people.
    recognises : callable
        Whether the beginning of a file is of this format, by a rule and not by likelihood.
    read : callable
        Yields its rows in their order, and notes in the ledger each one that it reads.
    with_columns : callable, optional
        The same of a table whose columns are named by the user; None where the format is not a table of ours.
    """

    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Source, Ledger], Iterator[Line]]
    with_columns: Callable[[Source, Ledger, Columns], Iterator[Line]] | None = None


QUOTES: dict[str, Reader[QuoteLine]] = {
    "csv": Reader(
        "quotes as CSV", quote_csv.recognises, quote_csv.read, quote_csv.read
    ),
    "json": Reader("quotes as JSON", quote_json.recognises, quote_json.read),
    "oci": Reader("SAP OCI form fields", oci.recognises, oci.read),
    "cxml": Reader("cXML PunchOutOrderMessage", cxml.recognises, cxml.read),
}

PRICES: dict[str, Reader[Price]] = {
    "aws": Reader("an AWS Price List offer file", aws.recognises, aws.read),
    "azure": Reader("Azure Retail Prices", azure.recognises, azure.read),
    "google": Reader(
        "the Cloud Billing Catalog of Google", google.recognises, google.read
    ),
    "csv": Reader(
        "prices as CSV", price_csv.recognises, price_csv.read, price_csv.read
    ),
    "focus": Reader("charges of FOCUS", focus.recognises, focus.read),
}


def read_rows(
    stream: BinaryIO | Source,
    place: str,
    readers: dict[str, Reader[Line]],
    take: Callable[[Line], object],
    *,
    name: str | None = None,
    refuse: Callable[[str, Row, str], object] | None = None,
    knows: Callable[[Line], bool] | None = None,
    columns: Columns = NO_COLUMNS,
) -> Imported:
    """Read a file, hand on each row that is taken, and return what the import shows.

    Parameters
    ----------
    stream : BinaryIO or Source
        At its beginning; read once, to its end.
    place : str
        Named in errors.
    readers : dict
        Of what is imported: `QUOTES` or `PRICES`.
    take : callable
        Called with every row taken, in their order.
    name : str, optional
        Name of the reader; by the beginning of the file unless given.
    refuse : callable, optional
        Called with the quote, the row and the reason of every row that is left out, see `Ledger`.
    knows : callable, optional
        Whether a mapping states what a row is, see `Ledger`.
    columns : Columns
        Of a table that does not have our columns: its format is then `csv`.

    Raises
    ------
    BadInput
        If no or more than one format is recognised, the named one does not exist, the file does not
        follow its format, or it has no rows.
    """
    source = stream if isinstance(stream, Source) else Source(stream, place)
    usual = "csv" if columns else None
    found = name or usual or _name_of(source, readers)
    if found not in readers:
        raise BadInput(
            f"[[import_format]]: `{found}` is not a format that is read here",
            f"the formats are {listed(tuple(readers))}",
        )
    ledger = Ledger(refuse, knows)
    for line in _lines(readers[found], found, source, ledger, columns):
        take(line)
    if not ledger.read:
        raise BadInput(
            f"{place}: has no rows of {readers[found].title}", "check the file"
        )
    return ledger.imported(source.content_id(), found)


def _lines(
    reader: Reader[Line], name: str, source: Source, ledger: Ledger, columns: Columns
) -> Iterator[Line]:
    if not columns:
        return reader.read(source, ledger)
    if reader.with_columns is None:
        raise BadInput(
            f"{columns.mark}: the columns of `{name}` are known",
            "state columns of a table of another format alone",
        )
    return reader.with_columns(source, ledger, columns)


def _name_of(source: Source, readers: dict[str, Reader[Line]]) -> str:
    names = [name for name, each in readers.items() if each.recognises(source.head)]
    if len(names) != 1:
        matches = f"could be {listed(names)}" if names else "is of no known format"
        raise BadInput(
            f"{source.place}: {matches}",
            f"name its format with [[import_format]]: {listed(tuple(readers))}",
        )
    return names[0]
