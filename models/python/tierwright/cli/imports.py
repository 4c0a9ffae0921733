"""`tierwright import ...`: quotes, price lists and inventories of others, and what of them is understood."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, TypeVar

import typer

from tierwright.cli.output import (
    Json,
    check_output,
    print_facts,
    print_json,
    print_table,
    print_warnings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    json: Json = False,
) -> None:
    """Read a quote or a cart: which lines are taken, which are left out and why, and their units."""
    from tierwright.hardware.imports.mapping import NO_MAPPING, read_mapping
    from tierwright.hardware.imports.readers import QUOTES

    known = NO_MAPPING if mapping is None else read_mapping(mapping)
    _show(_read(file, QUOTES, as_, knows=known.knows), json=json)


@app.command("prices")
def prices(
    file: _File,
    *,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="aws, azure or focus [default: by the beginning of the file].",
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
    json: Json = False,
) -> None:
    """Read a price list of a provider or a bill of FOCUS, of any size: which prices are taken, and their units."""
    from tierwright.hardware.imports.readers import PRICES

    if compare is None:
        _show(_read(file, PRICES, as_), json=json)
        return
    from tierwright.hardware.imports.changes import Book, changes

    earlier, later = Book(), Book()
    before = _read(str(compare), PRICES, as_, earlier.add)
    after = _read(file, PRICES, as_, later.add)
    found = changes(earlier, later)
    if json:
        print_json({**after.to_dict(), "earlier": before.id, **found.to_dict()})
        return
    _show(after, json=False)
    typer.echo("")
    typer.echo("Both files are the same." if before.id == after.id else found.finding)
    if found.listed:
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
                for each in found.listed
            ],
        )


@app.command("inventory")
def inventory(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="File or folder of saved outputs or answers; - for standard input.",
        ),
    ],
    *,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="host: outputs of lsblk, dmidecode, nvme and smartctl; redfish: saved answers [default: by the content].",
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
    json: Json = False,
) -> None:
    """Read what there is: machines of equal build, free memory slots, drives with their remaining life."""
    from tierwright.hardware.imports.inventories import read_inventory

    check_output(have)
    found = read_inventory(file, as_)
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
) -> Imported:
    from tierwright.hardware.imports.readers import read_rows

    with opened_file(file) as stream:
        place = "standard input" if file == "-" else file
        return read_rows(stream, place, readers, take, name=name, knows=knows)


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
