"""`tierwright inventory`: what there is on this host."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tierwright.cli.imports import show_inventory
from tierwright.cli.output import Json, check_output
from tierwright.common.errors import BadInput


def inventory(
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write the outputs of the programs, to be imported elsewhere.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Run lsblk, dmidecode, nvme and smartctl on this host, and show what they say and what they lack.

    The programs only read. Without root, memory and the health of drives are missing.
    """
    from tierwright.hardware.imports.host import programs
    from tierwright.hardware.imports.host.inventory import read_text

    check_output(output)
    outputs, lacking = programs.outputs_here()
    if not outputs:
        said = "; ".join(f"{each.program}: {each.reason}" for each in lacking)
        raise BadInput(
            f"inventory: no program gave anything: {said}",
            "install util-linux, dmidecode and nvme-cli, and run it as root",
        )
    document = programs.document_of(outputs)
    if output is not None:
        output.write_text(document, encoding="utf-8")
    found = read_text(document, "this host", "host")
    show_inventory(found.with_lacking(lacking), json=json)
