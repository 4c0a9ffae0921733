"""`tierwright report`: an advice as a file that a committee can read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tierwright.cli.output import check_output
from tierwright.common.errors import BadInput

ENDINGS = (".html", ".csv", ".json")


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
            help="File to write, by its ending: .html is the report, .csv its options, .json the advice.",
        ),
    ],
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="Heading of the report."),
    ] = None,
) -> None:
    """Write the report of an advice: question, answer, bill, evidence, assumptions and sources.

    The HTML is one file without scripts that needs no network; it prints on A4.
    """
    from tierwright.advise import report as made

    ending = output.suffix.lower()
    if ending not in ENDINGS:
        raise BadInput(
            f"--output: `{output}` has the ending `{ending}`, of which there is no report",
            f"name a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}",
        )
    if title is not None and ending != ".html":
        raise BadInput(
            "--title: only a report in HTML has a heading",
            "leave it out, or name an output that ends in .html",
        )
    check_output(output)
    document = made.read(advice)
    if output.exists() and output.samefile(advice):
        raise BadInput(
            f"--output: `{output}` is the advice itself", "name another file"
        )
    if ending == ".html":
        text = made.html(document, title=made.TITLE if title is None else title)
    elif ending == ".csv":
        text = made.csv(document)
    else:
        text = made.plain_json(document)
    # As bytes: a line of CSV ends in CR LF on every system.
    output.write_bytes(text.encode("utf-8"))
    typer.echo(f"{output}: report of the advice {document['advice_id']}")
