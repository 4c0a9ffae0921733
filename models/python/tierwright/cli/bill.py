"""`tierwright bill`: what a configuration costs to buy and to rent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.output import (
    Json,
    as_typed,
    print_cautions,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from tierwright.advise.bill import Bill


def bill(
    config: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG", help="TOML or JSON document: server or parts, volumes."
        ),
    ],
    *,
    json: Json = False,
) -> None:
    """Bill a configuration line by line: rent, purchase, and both over a horizon."""
    from tierwright.advise.bill import answer
    from tierwright.hardware.build import read_build

    found = answer(read_build(config))
    if json:
        print_json(found.to_dict(derivation=True))
        return
    print_cautions(found.cautions)
    if found.against is not None and found.against.cautions:
        typer.echo(f"{found.ways[1].name}:", err=True)
        print_cautions(found.against.cautions)
    typer.echo(found.finding)
    _print_lines(found, "")
    if found.against is not None:
        _print_lines(found.against, found.ways[1].name)
    _print_carbon(found)
    if found.against is not None:
        _print_carbon(found.against, f"{found.ways[1].name}: ")
    for each in found.violations:
        typer.echo(f"limit exceeded: {as_typed(each.message)}")
        typer.echo(f"  hint: {as_typed(each.hint)}")


def _print_carbon(found: Bill, of: str = "") -> None:
    from tierwright.advise.bill_carbon import range_text

    carbon = found.carbon
    if carbon is None:
        return
    typer.echo(f"{of}{carbon.sentence}")
    if carbon.lines:
        print_table(
            f"{of}carbon",
            [
                ("carbon of", False),
                ("quantity", True),
                ("unit", False),
                ("kg CO2e per unit", True),
                ("kg CO2e", True),
                ("note", False),
            ],
            [
                [
                    line.what,
                    f"{line.quantity:,.7g}",
                    line.unit,
                    " to ".join(f"{end:,.10g}" for end in line.kg_per_unit),
                    range_text(line.kg),
                    line.note,
                ]
                for line in carbon.lines
            ],
        )
    for each in carbon.not_counted:
        typer.echo(f"not counted: {as_typed(each.what)}: {as_typed(each.reason)}")
        typer.echo(f"  hint: {as_typed(each.hint)}")


def _print_lines(found: Bill, title: str) -> None:
    from tierwright.common.currency import shown_in, text_of, to_the_coin

    code = shown_in().currency
    print_table(
        title,
        [
            ("line", False),
            ("quantity", True),
            ("unit price", True),
            ("unit", False),
            ("of", False),
            (f"{code} per month", True),
            (f"{code} at purchase", True),
            ("note", False),
        ],
        [
            [
                line.what,
                f"{line.quantity.normalize():,f}",
                "unknown" if line.unit_price is None else text_of(line.unit_price),
                line.unit,
                line.date or "-",
                to_the_coin(line.usd_per_month),
                to_the_coin(line.purchase_usd),
                line.note,
            ]
            for line in found.lines
        ]
        + [
            [
                "sum",
                "",
                "",
                "",
                "",
                to_the_coin(found.usd_per_month),
                to_the_coin(found.purchase_usd),
                "",
            ]
        ],
    )
