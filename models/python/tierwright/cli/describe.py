"""`tierwright describe`: a profile of a described workload."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tierwright.cli.output import Json, print_facts, print_json
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count


def describe(
    description: Annotated[
        Path,
        typer.Argument(
            metavar="DESCRIPTION", help="TOML or JSON file with the description."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PROFILE.json", help="File to write."),
    ] = None,
    json: Json = False,
) -> None:
    """Make a profile of a described workload, where there is no trace and no curve."""
    from tierwright.evaluate.described.workload import described_profile
    from tierwright.profile.described.description import read_description

    found = read_description(description)
    profile = described_profile(found)
    if output is not None:
        if output.is_dir() or not output.parent.is_dir():
            raise BadInput(
                f"--output: `{output}` cannot be written",
                "name a file in a folder that exists",
            )
        profile.write(output)
    if json:
        print_json(profile.to_dict(), to_keep=True)
        return
    curve = profile.curve
    print_facts(
        [
            ("description", found.name),
            ("page", f"{format_count(curve.page_bytes)} bytes"),
            ("data", format_bytes(found.data_bytes)),
            ("page accesses", f"{format_count(curve.accesses)} in one day"),
            ("write accesses", f"{found.accesses_that_write:.2%}"),
            ("written", "-" if output is None else str(output)),
        ]
    )
