"""`tierwright prices fetch`: published price lists, from a host that is named first."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.output import Json, check_output, print_json
from tierwright.common.errors import BadInput

if TYPE_CHECKING:
    from tierwright.hardware.imports.fetch import Wanted

app = typer.Typer(
    help="Fetch published price lists; nothing else of Tierwright opens the network for prices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
fetch = typer.Typer(
    help="Fetch a price list into a file: names its host, and asks first.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(fetch, name="fetch")

_Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="File to make; it must not exist."
    ),
]
_Yes = Annotated[
    bool, typer.Option("--yes", help="Fetch without asking, as scripts do.")
]
_MostMib = Annotated[
    int,
    typer.Option(
        "--most-mib", metavar="N", min=1, help="Larger lists are refused. [MiB]"
    ),
]
_From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="URL", help="A mirror of the service [default: its own host]."
    ),
]


@fetch.command("aws")
def aws(
    *,
    offer: Annotated[
        str, typer.Option("--offer", metavar="NAME", help="Such as AmazonEC2.")
    ],
    region: Annotated[
        str, typer.Option("--region", metavar="NAME", help="Such as us-east-1.")
    ],
    output: _Output,
    csv: Annotated[
        bool,
        typer.Option("--csv", help="As CSV, which may have any number of products."),
    ] = False,
    yes: _Yes = False,
    most_mib: _MostMib = 1024,
    from_: _From = None,
    json: Json = False,
) -> None:
    """Fetch the AWS Price List offer file of a region."""
    from tierwright.hardware.imports import fetch as source

    base = source.AWS if from_ is None else from_
    wanted = source.aws(offer, region, is_csv=csv, base=base)
    _fetch(wanted, output, most_mib, yes=yes, json=json)


@fetch.command("azure")
def azure(
    *,
    filter_: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="ODATA",
            help="Such as \"armRegionName eq 'westeurope' and serviceName eq 'Storage'\".",
        ),
    ],
    output: _Output,
    yes: _Yes = False,
    most_mib: _MostMib = 1024,
    from_: _From = None,
    json: Json = False,
) -> None:
    """Fetch the prices of Azure that a filter selects, all of their pages in one file."""
    from tierwright.hardware.imports import fetch as source

    wanted = source.azure(filter_, base=source.AZURE if from_ is None else from_)
    _fetch(wanted, output, most_mib, yes=yes, json=json)


def _fetch(
    wanted: Wanted, output: Path, most_mib: int, *, yes: bool, json: bool
) -> None:
    from tierwright.hardware.imports.fetch import fetched

    check_output(output)
    typer.echo(
        f"{wanted.host}: this host is asked for the list, at most {most_mib:,} MiB, into {output}",
        err=True,
    )
    if not yes:
        if not sys.stdin.isatty():
            raise BadInput(
                f"--yes: nothing was fetched from {wanted.host}: there is nobody to ask",
                "add --yes to fetch without asking",
            )
        if not typer.confirm("Fetch it?", err=True):
            raise typer.Exit(2)
    size = fetched(wanted, output, most_mib * 2**20)
    if json:
        print_json(
            {"host": wanted.host, "url": wanted.url, "file": str(output), "bytes": size}
        )
    else:
        typer.echo(f"{output}: {size:,} bytes from {wanted.host}")
        typer.echo(f"Import it: tierwright import prices {output}")
