"""`tierwright import ...`: quotes and price lists of others, and what of them is understood."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, TypeVar

import typer

from tierwright.cli.output import (
    Json,
    print_facts,
    print_json,
    print_table,
    print_warnings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tierwright.hardware.imports.ledger import Imported
    from tierwright.hardware.imports.readers import Reader

    Line = TypeVar("Line")

app = typer.Typer(
    help="Read quotes and price lists, and show every unit as printed and as understood; nothing is stored.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="File to read; - for standard input."),
]


@app.command("quotes")
def quotes(
    file: _File,
    *,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="csv, json, oci or cxml [default: by the beginning of the file].",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Read a quote or a cart: which lines are taken, which are left out and why, and their units."""
    from tierwright.hardware.imports.readers import QUOTES

    _show(_read(file, QUOTES, as_), json=json)


@app.command("prices")
def prices(
    file: _File,
    *,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="aws or azure [default: by the beginning of the file].",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Read a price list of a provider, of any size: which prices are taken, and their units."""
    from tierwright.hardware.imports.readers import PRICES

    _show(_read(file, PRICES, as_), json=json)


def _read(file: str, readers: dict[str, Reader[Line]], name: str | None) -> Imported:
    from tierwright.hardware.imports.readers import read_rows

    with opened_file(file) as stream:
        place = "standard input" if file == "-" else file
        return read_rows(stream, place, readers, lambda _: None, name=name)


@contextmanager
def opened_file(file: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`."""
    if file == "-":
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream


def _show(found: Imported, *, json: bool) -> None:
    if json:
        print_json(found.to_dict())
        return
    print_warnings(found.warnings)
    print_facts(
        [
            ("id", found.id),
            ("format", " ".join(filter(None, (found.format, found.format_version)))),
            ("currency", found.currency or "-"),
            ("rows read", f"{found.read:,}"),
            ("rows taken", f"{found.taken:,}"),
            *(
                (name.replace("_", " "), date)
                for name, date in found.dates.items()
                if date is not None
            ),
        ]
    )
    for title, columns, rows in (
        ("Units", ("printed", "understood"), found.units),
        ("Rows left out", ("row", "reason"), found.skipped),
        ("Unresolved rows", ("row", "name", "reason"), found.unresolved),
    ):
        if rows:
            typer.echo("")
            print_table(
                title,
                [(name, False) for name in columns],
                [[str(row[name]) for name in columns] for row in rows],
            )
