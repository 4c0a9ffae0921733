"""`tierwright export ...`: an advice in the formats of other tools."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tierwright.cli.advise import EXIT_INFEASIBLE
from tierwright.cli.output import check_output
from tierwright.common.errors import BadInput

app = typer.Typer(
    help="Write an advice in the formats of other tools.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Advice = Annotated[
    Path,
    typer.Argument(
        metavar="ADVICE.json", help="What `tierwright advise --json` printed."
    ),
]
_Option = Annotated[
    str,
    typer.Option(
        "--option",
        metavar="recommended|today",
        help="The recommendation, or what there is today.",
    ),
]
_Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="File to write [default: print it]."
    ),
]


@app.command("focus")
def focus(
    advice: _Advice,
    *,
    first_month: Annotated[
        str | None,
        typer.Option(
            "--first-month",
            metavar="YYYY-MM",
            help="Month of the purchases, the first of the forecast [default: the next one].",
        ),
    ] = None,
    months: Annotated[
        int,
        typer.Option("--months", metavar="N", help="Months of the forecast. [months]"),
    ] = 1,
    account: Annotated[
        str,
        typer.Option("--account", metavar="NAME", help="Billing account of the rows."),
    ] = "forecast",
    option: _Option = "recommended",
    output: _Output = None,
) -> None:
    """Write the bill as rows of FOCUS 1.2, marked as a forecast: no invoice states them.

    Exit code 0, 2 if it is not an advice, 3 if it recommends nothing.
    """
    from tierwright.advise.exports import NothingToExport, focus_csv
    from tierwright.advise.report import read

    try:
        text = focus_csv(
            read(advice),
            first_month or _next_month(),
            months=months,
            option=option,
            account=account,
        )
    except NothingToExport as nothing:
        _end(nothing)
    _write(text, output)


@app.command("opencost")
def opencost(
    advice: _Advice, *, option: _Option = "recommended", output: _Output = None
) -> None:
    """Write the price of a machine and of its volumes by the hour as CSV of OpenCost and Kubecost.

    Exit code 0, 2 if it is not an advice, 3 if it recommends nothing.
    """
    from tierwright.advise.exports import NothingToExport, opencost_csv
    from tierwright.advise.report import read

    try:
        text = opencost_csv(read(advice), option=option)
    except NothingToExport as nothing:
        _end(nothing)
    _write(text, output)


@app.command("purchases")
def purchases(
    advice: _Advice, *, option: _Option = "recommended", output: _Output = None
) -> None:
    """Write the list of what is bought and rented: CSV, or a spreadsheet if the file ends in .xlsx.

    Exit code 0, 2 if it is not an advice, 3 if it recommends nothing.
    """
    from tierwright.advise.exports import (
        NothingToExport,
        purchases_csv,
        purchases_workbook,
    )
    from tierwright.advise.report import read

    found: str | bytes
    try:
        if output is not None and output.suffix.lower() == ".xlsx":
            found = purchases_workbook(read(advice), option=option)
        elif output is None or output.suffix.lower() == ".csv":
            found = purchases_csv(read(advice), option=option)
        else:
            raise BadInput(
                f"--output: `{output}` ends neither in .csv nor in .xlsx",
                "name a file that does",
            )
    except NothingToExport as nothing:
        _end(nothing)
    _write(found, output)


def _write(content: str | bytes, output: Path | None) -> None:
    """Write a file, or print a text; a line of CSV ends in CR LF on every system."""
    raw = content if isinstance(content, bytes) else content.encode("utf-8")
    if output is None:
        typer.echo(raw, nl=False)
        return
    check_output(output)
    output.write_bytes(raw)


def _end(nothing: BadInput) -> NoReturn:
    typer.echo(f"error: {nothing.message}", err=True)
    typer.echo(f"hint: {nothing.hint}", err=True)
    raise typer.Exit(EXIT_INFEASIBLE)


def _next_month() -> str:
    from tierwright.advise.exports import month_after

    return month_after(datetime.datetime.now(datetime.UTC).date().isoformat())
