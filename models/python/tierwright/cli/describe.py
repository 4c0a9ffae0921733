"""`tierwright describe` and `trace generate`: profile and traces of a described workload."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.output import (
    Json,
    check_output,
    print_facts,
    print_json,
    print_warnings,
    progress,
)
from tierwright.cli.trace import print_summary
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count, parse_bytes

if TYPE_CHECKING:
    from tierwright.hardware.workload_presets import Preset
    from tierwright.profile.described.description import Description

DescriptionFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="DESCRIPTION",
        help="TOML or JSON file with the description; or use --preset.",
        show_default=False,
    ),
]
PresetId = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="ID",
        help="Instead of a file: a preset, see `tierwright catalog presets`.",
    ),
]
DataSize = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="SIZE",
        help="Size of the data, such as 1TiB [default: that of the description].",
    ),
]
AccessRate = Annotated[
    float | None,
    typer.Option(
        "--accesses-per-second",
        metavar="N",
        help="Page accesses per second [default: those of the description].",
    ),
]
PageSize = Annotated[
    int | None,
    typer.Option(
        "--page-bytes",
        metavar="N",
        help="Page size [default: that of the description]. [bytes]",
    ),
]


def describe(
    description: DescriptionFile = None,
    *,
    preset: PresetId = None,
    data: DataSize = None,
    accesses_per_second: AccessRate = None,
    page_bytes: PageSize = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PROFILE.json", help="File to write."),
    ] = None,
    json: Json = False,
) -> None:
    """Make a profile of a described workload, where there is no trace and no curve."""
    from tierwright.evaluate.described.workload import (
        about_description,
        described_finding,
        described_profile,
    )
    from tierwright.evaluate.page_flow.cautions import about_given

    found, origin = _described(
        description, preset, data, accesses_per_second, page_bytes
    )
    profile = described_profile(found)
    check_output(output)
    if output is not None:
        profile.write(output)
    if json:
        print_json(profile.to_dict(), to_keep=True)
        return
    curve = profile.curve
    print_facts(
        [
            ("description", found.name),
            *_origin(origin),
            ("page", f"{format_count(curve.page_bytes)} bytes"),
            ("data", format_bytes(found.data_bytes)),
            ("page accesses", f"{format_count(curve.accesses)} in one day"),
            ("write accesses", f"{found.accesses_that_write:.2%}"),
            *(
                (
                    f"LRU hits in {share:.0%} of the data",
                    f"{float(curve.hit_ratio(share * curve.distinct_pages)):.2%}",
                )
                for share in (0.01, 0.1, 0.5)
            ),
            ("written", "-" if output is None else str(output)),
        ]
    )
    typer.echo("")
    typer.echo(f"{described_finding(curve)}.")
    print_warnings(
        [
            {"message": one.message, "hint": one.hint}
            for one in (*about_given(curve), *about_description(found))
        ]
    )


def generate(
    description: DescriptionFile = None,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="OUT", help="Canonical trace to write (.twt)."
        ),
    ],
    accesses: Annotated[
        int,
        typer.Option("--accesses", metavar="N", min=1, help="Page accesses to write."),
    ],
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=2**64 - 1,
            help="Seed of the draws: the same seed gives the same trace.",
        ),
    ] = 0,
    preset: PresetId = None,
    data: DataSize = None,
    accesses_per_second: AccessRate = None,
    page_bytes: PageSize = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace OUT if it exists.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a trace of a described workload, for replays of what has no trace."""
    from tierwright.profile.described.generated import generate_trace

    found, _ = _described(description, preset, data, accesses_per_second, page_bytes)
    began = time.monotonic()
    with progress("generate") as on_progress:
        made = generate_trace(
            found, out, accesses, seed=seed, force=force, on_progress=on_progress
        )
    print_summary(made, time.monotonic() - began, as_json=json)


def _described(
    path: Path | None,
    preset_id: str | None,
    data: str | None,
    accesses_per_second: float | None,
    page_bytes: int | None,
) -> tuple[Description, Preset | None]:
    """Read the file, or take the preset, with the data and load that were stated.

    Raises
    ------
    BadInput
        If both or neither are given, or a value is out of range.
    """
    if (path is None) == (preset_id is None):
        raise BadInput(
            "neither DESCRIPTION nor --preset is given"
            if path is None
            else f"DESCRIPTION `{path}` and --preset `{preset_id}` cannot be combined",
            "name a file, or use --preset oltp",
        )
    data_bytes = None if data is None else int(parse_bytes(data))
    if preset_id is not None:
        from tierwright.hardware.workload_presets import find_preset

        preset = find_preset(preset_id)
        return preset.described(
            data_bytes=data_bytes,
            accesses_per_s=accesses_per_second,
            page_bytes=page_bytes,
        ), preset
    assert path is not None  # one of the two is given
    from tierwright.profile.described.description import read_description

    return read_description(path).with_load(
        data_bytes=data_bytes,
        accesses_per_s=accesses_per_second,
        page_bytes=page_bytes,
    ), None


def _origin(preset: Preset | None) -> list[tuple[str, str]]:
    if preset is None:
        return []
    backs = preset.write_back_error
    return [
        ("fitted to", preset.source),
        (
            "error of the fit",
            f"misses within {preset.miss_error:.1%} of the accesses"
            + ("" if backs is None else f", write-backs within {backs:.1%}"),
        ),
    ]
