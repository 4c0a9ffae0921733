"""`tierwright report`: an advice as a file that a committee can read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tierwright.cli.output import check_output
from tierwright.common.errors import BadInput

ENDINGS = (".html", ".pdf", ".xlsx", ".csv", ".json")


def report(
    advice: Annotated[
        Path,
        typer.Argument(
            metavar="ADVICE.json", help="What `tierwright advise --json` printed."
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write, by its ending: .html and .pdf are the report, .xlsx a spreadsheet, .csv its options, .json the advice.",
        ),
    ],
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="Heading of the report."),
    ] = None,
) -> None:
    """Write the report of an advice: question, answer, bill, evidence, assumptions and sources.

    The HTML is one file without scripts that needs no network; the PDF is the same on A4; the spreadsheet computes
    the money of the bill by formulas.
    """
    from tierwright.advise import report as reports

    ending = output.suffix.lower()
    if ending not in ENDINGS:
        raise BadInput(
            f"--output: `{output}` has the ending `{ending}`, of which there is no report",
            f"name a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}",
        )
    form = ending.removeprefix(".")
    if title is not None and form not in reports.WITH_TITLE:
        raise BadInput(
            f"--title: a report that ends in {ending} has no heading",
            "leave it out, or name an output that ends in .html, .pdf or .xlsx",
        )
    check_output(output)
    document = reports.read(advice)
    if output.exists() and output.samefile(advice):
        raise BadInput(
            f"--output: `{output}` is the advice itself", "name another file"
        )
    # Made before the file is touched: a package may be missing.
    content = reports.made(
        document, form, title=reports.TITLE if title is None else title
    )
    output.write_bytes(content)
    typer.echo(f"{output}: report of the advice {document['advice_id']}")
