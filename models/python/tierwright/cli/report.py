"""`tierwright report`: an advice or a placement as a file that a committee can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.output import Json, check_output, pairs, print_json
from tierwright.common.errors import BadInput
from tierwright.common.parameters import Door, spelled

if TYPE_CHECKING:
    from tierwright.advise.report import Statements

_CHECKED = 2
ENDINGS = (".html", ".pdf", ".xlsx", ".csv", ".json")


CHECK = "check"
"""Word before the advice that checks it in place of writing its report."""
EXIT_SENT_BACK = 1


def report(
    advice: Annotated[
        list[Path],
        typer.Argument(
            metavar="[check] ADVICE.json",
            help="What `tierwright advise --json` or `tierwright place --json` printed; check, of an advice: name what a "
            "committee would send back.",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write, by its ending: .html and .pdf are the report, .xlsx a spreadsheet, .csv its options or systems, .json the answer itself.",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="Heading of the report."),
    ] = None,
    day: Annotated[
        str | None,
        typer.Option(
            "--day",
            metavar="YYYY-MM-DD",
            help="With check: day of the decision [default: today in UTC].",
        ),
    ] = None,
    uplift_source: Annotated[
        str,
        typer.Option(
            "--uplift-source",
            metavar="TEXT",
            help="Who states the growth and the busiest hour; it stands in the paper.",
        ),
    ] = "",
    need: Annotated[
        str,
        typer.Option(
            "--need",
            metavar="TEXT",
            help="Why something is to be bought, in the words of the business.",
        ),
    ] = "",
    today_cost: Annotated[
        str,
        typer.Option(
            "--today-cost",
            metavar="TEXT",
            help="Where the stated cost of doing nothing is from, its day first: '2026-09-30, invoices of September'.",
        ),
    ] = "",
    holds: Annotated[
        list[str] | None,
        typer.Option(
            "--holds",
            metavar="CODE=REASON",
            help="Why an assumption that could change the choice holds; may be repeated.",
        ),
    ] = None,
    validity: Annotated[
        list[str] | None,
        typer.Option(
            "--validity",
            metavar="QUOTE=TEXT",
            help="Until when a quote holds that does not state it, the day first: 'Q-17=2026-12-31, mail of ACME'; may be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write the report of an advice or a placement: question, answer, bill, evidence, assumptions and sources.

    The HTML is one file without scripts that needs no network; the PDF is the same on A4; the spreadsheet computes
    the money of the bill by formulas. `report check` names what a committee would send back: exit code 1 if there is
    anything.
    """
    from tierwright.advise.report import Statements

    statements = Statements(
        need,
        uplift_source,
        today_cost,
        pairs(holds or (), "--holds"),
        pairs(validity or (), "--validity"),
    )
    if len(advice) == _CHECKED and str(advice[0]) == CHECK:
        if output is not None or title is not None:
            raise BadInput(
                "--output: a check writes no report",
                "leave `check` out to write it, or leave the option out",
            )
        _check(advice[1], day, statements, json=json)
        return
    if day is not None or json:
        raise BadInput(
            "--day, --json: belong to `tierwright report check`",
            "write `check` before the advice",
        )
    if len(advice) != 1:
        raise BadInput(f"ADVICE.json: `{advice[1]}` is a second one", "name one advice")
    if output is None:
        raise BadInput(
            "--output: the file to write is missing",
            f"name a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}",
        )
    _write(advice[0], output, title, statements)


def _check(
    advice: Path, day: str | None, statements: Statements, *, json: bool
) -> None:
    import datetime

    from tierwright.advise import report as reports

    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    document = reports.with_statements(reports.read(advice), statements)
    found = reports.sent_back(document, day=day or today)
    if json:
        from tierwright.common.derivation import plain

        print_json(
            {
                "advice_id": document["advice_id"],
                "day": day or today,
                "uplift_source": statements.uplift_source or None,
                "passes": not found,
                "sent_back": plain(list(found)),
            }
        )
    elif found:
        for each in found:
            typer.echo(spelled(f"{each.code}: {each.message}", Door.COMMAND))
            typer.echo(spelled(f"  hint: {each.hint}", Door.COMMAND))
    else:
        typer.echo("A committee would not send it back for anything that is checked.")
    if found:
        raise typer.Exit(EXIT_SENT_BACK)


def _write(
    advice: Path, output: Path, title: str | None, statements: Statements
) -> None:
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
    document = _with_statements(reports.read(advice), statements)
    what, identifier = reports.identity_of(document)
    if output.exists() and output.samefile(advice):
        raise BadInput(
            f"--output: `{output}` is the {what} itself", "name another file"
        )
    # Made before the file is touched: a package may be missing.
    content = reports.made(document, form, title=title)
    output.write_bytes(content)
    typer.echo(f"{output}: report of the {what} {identifier}")


def _with_statements(
    document: dict[str, Any], statements: Statements
) -> dict[str, Any]:
    from tierwright.advise import report as reports

    if reports.identity_of(document)[0] == "advice":
        return reports.with_statements(document, statements)
    if statements != reports.Statements():
        raise BadInput(
            "--need, --uplift-source, --today-cost, --holds, --validity: belong to the report of an advice, and this is a "
            "placement",
            "leave them out",
        )
    return document
