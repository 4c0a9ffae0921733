"""`tierwright import ...`: quotes, price lists and inventories of others, and what of them is understood."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, TypeVar

import typer

from tierwright.cli.output import (
    Json,
    check_output,
    pairs,
    print_facts,
    print_json,
    print_table,
    print_warnings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tierwright.hardware.imports.books import MadeBook
    from tierwright.hardware.imports.columns import Columns
    from tierwright.hardware.imports.host.inventory import Inventory
    from tierwright.hardware.imports.ledger import Imported
    from tierwright.hardware.imports.readers import Reader

    Line = TypeVar("Line")

app = typer.Typer(
    help="Read quotes, price lists and inventories, and show every unit as printed and as understood; nothing is stored.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="File to read; - for standard input."),
]

_Mapping = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE",
        help="What lines are that do not name their item, by part number: TOML or JSON.",
    ),
]

ColumnOf = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="FIELD=COLUMN",
        help="Of a table of another system: the column that a field of ours is in; may be repeated.",
    ),
]
ValueOf = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        metavar="FIELD=TEXT",
        help="Of such a table: what a field is in every row, such as currency=EUR; may be repeated.",
    ),
]


def columns_of(column: list[str] | None, value: list[str] | None) -> Columns:
    """Return the columns that options state."""
    from tierwright.hardware.imports.columns import Columns

    return Columns(pairs(column or (), "--column"), pairs(value or (), "--value"))


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
    mapping: _Mapping = None,
    column: ColumnOf = None,
    value: ValueOf = None,
    json: Json = False,
) -> None:
    """Read a quote or a cart: which lines are taken, which are left out and why, and their units."""
    from tierwright.hardware.imports.mapping import NO_MAPPING, read_mapping
    from tierwright.hardware.imports.readers import QUOTES

    known = NO_MAPPING if mapping is None else read_mapping(mapping)
    columns = columns_of(column, value)
    _show(_read(file, QUOTES, as_, knows=known.knows, columns=columns), json=json)


@app.command("prices")
def prices(
    file: _File,
    *,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="aws, azure, csv, focus or google [default: by the beginning of the file].",
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            metavar="FILE",
            help="An earlier list: also which prices were added, removed or changed since.",
        ),
    ] = None,
    mapping: _Mapping = None,
    column: ColumnOf = None,
    value: ValueOf = None,
    book: Annotated[
        Path | None,
        typer.Option(
            "--book",
            metavar="FILE",
            help="Also write the prices of known devices and of memory as a price book, for --price-book.",
        ),
    ] = None,
    region: Annotated[
        str,
        typer.Option(
            "--region",
            metavar="NAME",
            help="With --book: the region whose prices count [default: all, which must then agree].",
        ),
    ] = "",
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate",
            metavar="CODE=RATE@DATE",
            help="With --book: value of one US dollar in the currency of the list.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Read a price list of a provider or a bill of FOCUS, of any size: which prices are taken, and their units."""
    from tierwright.hardware.imports.mapping import NO_MAPPING, read_mapping
    from tierwright.hardware.imports.readers import PRICES

    _check_together(compare, book, region, rate)
    check_output(book)
    columns = columns_of(column, value)
    known = NO_MAPPING if mapping is None else read_mapping(mapping)
    if book is not None:
        from tierwright.common.currency import stated_rate
        from tierwright.hardware.imports.books import BookMaker

        maker = BookMaker(known, region)
        found = _read(file, PRICES, as_, maker.add, knows=known.knows, columns=columns)
        rates = [
            stated_rate(code, text)
            for code, text in pairs(rate or (), "--rate").items()
        ]
        made = maker.made(found, Path(file).stem or "price list", rates)
        book.write_text(_dumped(made.book.to_dict()), encoding="utf-8")
        _show_book(found, made, json=json)
        return
    if compare is None:
        _show(_read(file, PRICES, as_, knows=known.knows, columns=columns), json=json)
        return
    from tierwright.hardware.imports.changes import Book, changes

    earlier, later = Book(), Book()
    before = _read(str(compare), PRICES, as_, earlier.add, columns=columns)
    after = _read(file, PRICES, as_, later.add, knows=known.knows, columns=columns)
    differing = changes(earlier, later)
    if json:
        print_json({**after.to_dict(), "earlier": before.id, **differing.to_dict()})
        return
    _show(after, json=False)
    typer.echo("")
    typer.echo(
        "Both files are the same." if before.id == after.id else differing.finding
    )
    if differing.listed:
        print_table(
            "Prices that changed",
            [(name, False) for name in ("sku", "unit", "before", "after")],
            [
                [
                    each["sku"] or each["name"],
                    each["unit"],
                    ", ".join(each["before"]) or "-",
                    ", ".join(each["after"]) or "-",
                ]
                for each in differing.listed
            ],
        )


def _check_together(
    compare: Path | None, book: Path | None, region: str, rate: list[str] | None
) -> None:
    from tierwright.common.errors import BadInput

    if book is not None and compare is not None:
        raise BadInput(
            "--compare: cannot be stated together with --book",
            "run the command twice: once with --compare, once with --book",
        )
    for name, stated in (("--region", region), ("--rate", rate)):
        if book is None and stated:
            raise BadInput(
                f"{name}: is of a price book, and no --book is stated",
                "add --book with the file to write, or leave it out",
            )


def _dumped(document: dict[str, Any]) -> str:
    from json import dumps

    return dumps(document, indent=1, default=str) + "\n"


def _show_book(found: Imported, made: MadeBook, *, json: bool) -> None:
    if json:
        print_json(
            {
                **found.to_dict(),
                "price_book": made.book.to_dict(),
                "not_in_the_book": [asdict(each) for each in made.left],
            }
        )
        return
    _show(found, json=False)
    typer.echo("")
    typer.echo(made.finding)
    if made.left:
        print_table(
            "Prices that are not in the book",
            [(name, False) for name in ("row", "name", "reason")],
            [[each.row, each.name, each.reason] for each in made.left],
        )


@app.command("inventory")
def inventory(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="File or folder of saved outputs or answers, or a table; - for standard input.",
        ),
    ],
    *,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="host: outputs of lsblk, dmidecode, nvme and smartctl; redfish or netbox: saved answers, or exported tables of NetBox; csv: a table [default: by the content].",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            metavar="FILE",
            help="Which device each model of a drive is, by part number: TOML or JSON.",
        ),
    ] = None,
    have: Annotated[
        Path | None,
        typer.Option(
            "--have",
            metavar="FILE",
            help="With --mapping: also write what there is, for `tierwright advise --have`.",
        ),
    ] = None,
    column: ColumnOf = None,
    value: ValueOf = None,
    json: Json = False,
) -> None:
    """Read what there is: machines of equal build, free memory slots, drives with their remaining life."""
    from tierwright.hardware.imports.inventories import read_inventory

    check_output(have)
    found = read_inventory(file, as_, columns_of(column, value))
    if have is not None:
        _write_have(found, mapping, have)
    show_inventory(found, json=json)


def _write_have(found: Inventory, mapping: Path | None, output: Path) -> None:
    from json import dumps

    from tierwright.common.errors import BadInput
    from tierwright.hardware.imports.host.have import have_of
    from tierwright.hardware.imports.mapping import NO_MAPPING, read_mapping

    if len(found.machines) != 1:
        raise BadInput(
            f"--have: {found.finding} What there is must be machines of one build",
            "import the machines of one build alone",
        )
    known = NO_MAPPING if mapping is None else read_mapping(mapping)
    document, reason = have_of(found.machines[0], known)
    if document is None:
        raise BadInput(
            f"--have: what there is cannot be written: {reason}",
            "state the device of each model with --mapping, or write the file by hand",
        )
    output.write_text(dumps(document, indent=1), encoding="utf-8")


def show_inventory(found: Inventory, *, json: bool) -> None:
    """Print an inventory: what the import shows, and the machines."""
    from tierwright.common.units import format_bytes

    if json:
        print_json(found.to_dict())
        return
    _show(found.imported, json=False)
    typer.echo("")
    typer.echo(found.finding)
    for group in found.machines:
        rows = [
            (
                f"{each['count_per_machine']:,}",
                format_bytes(each["size_bytes"]),
                " ".join(filter(None, (each["kind"], "memory module"))),
                "-",
            )
            for each in group["modules"]
        ]
        rows += [
            (
                f"{each['count_per_machine']:,}",
                format_bytes(each["size_bytes"]),
                " ".join(filter(None, (each["kind"], each["model"]))),
                "-"
                if each["least_life_left_percent"] is None
                else f"{each['least_life_left_percent']:.0f} %",
            )
            for each in (*group["drives"], *group["volumes"])
        ]
        free = group["free_slots"]
        if free is not None:
            rows.append((f"{free:,}", "-", "free memory slot", "-"))
        bays = group["free_bays"]
        if bays is not None:
            rows.append((f"{bays:,}", "-", "free bay", "-"))
        print_table(
            f"{group['count']:,} x {', '.join(group['hosts'])}",
            [
                ("in each", True),
                ("size", True),
                ("what", False),
                ("least life left", True),
            ],
            [list(row) for row in rows],
        )


def _read(
    file: str,
    readers: dict[str, Reader[Line]],
    name: str | None,
    take: Callable[[Line], object] = lambda _: None,
    *,
    knows: Callable[[Line], bool] | None = None,
    columns: Columns | None = None,
) -> Imported:
    from tierwright.hardware.imports.columns import NO_COLUMNS
    from tierwright.hardware.imports.readers import read_rows

    with opened_file(file) as stream:
        place = "standard input" if file == "-" else file
        return read_rows(
            stream,
            place,
            readers,
            take,
            name=name,
            knows=knows,
            columns=columns or NO_COLUMNS,
        )


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
