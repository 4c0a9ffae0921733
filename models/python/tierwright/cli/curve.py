"""`tierwright curve ...`: curves of a trace beside the exact one, and in its place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from tierwright.cli import trace_curve
from tierwright.cli.options import accesses_per_s_option
from tierwright.cli.output import (
    Json,
    as_typed,
    check_output,
    print_facts,
    print_json,
    print_table,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count, parse_bytes

if TYPE_CHECKING:
    from tierwright.profile.document import Profile
    from tierwright.profile.given.examine import Examined

app = typer.Typer(
    help="Sampled and windowed curves of a trace; curves where there is no trace.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("sampled")(trace_curve.sampled)
app.command("windows")(trace_curve.windows)

_FILE_HINT = "name a text file with the curve, or - for standard input"


@app.command("kinds")
def kinds(*, json: Json = False) -> None:
    """List the kinds of curves that are read."""
    from tierwright.profile.given.kinds import KINDS

    if json:
        print_json(
            [
                {
                    "name": kind.name,
                    "title": kind.title,
                    "description": kind.description,
                    "example": kind.example,
                }
                for kind in KINDS.values()
            ]
        )
        return
    print_table(
        "",
        [("kind", False), ("what it is", False)],
        [[kind.name, kind.description] for kind in KINDS.values()],
    )


@app.command("combine")
def combine(
    profiles: Annotated[
        list[Path],
        typer.Argument(
            help="Profiles of one system that `curve import` made: ages, the present point, points beyond.",
            metavar="PROFILE.json...",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PROFILE.json", help="File to write."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """Put curves from counters of one system together: ages below, the present point, exact points beyond."""
    from tierwright.profile.document import read_profile
    from tierwright.profile.given.combine import combined

    made = combined(
        [read_profile(path) for path in profiles], [str(path) for path in profiles]
    )
    curve, evidence = made.curve, made.curve.evidence
    assert evidence is not None  # a combined curve has it
    check_output(output)
    if output is not None:
        made.write(output)
    if json:
        print_json(
            {
                "evidence": evidence.to_dict(),
                "page_bytes": curve.page_bytes,
                "accesses": curve.accesses,
                "pages": curve.pages.tolist(),
                "misses": curve.misses_at.tolist(),
            }
        )
        return
    print_facts(
        [
            *_evidence(made),
            ("page", f"{format_count(curve.page_bytes)} bytes"),
            ("page accesses", format_count(curve.accesses)),
            ("written", "-" if output is None else str(output)),
        ]
    )
    assert curve.given is not None  # has evidence
    typer.echo("")
    for text in curve.given.assumptions:
        typer.echo(f"  {text}")


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Text with the curve; - reads standard input."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PROFILE.json", help="File to write."),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="K",
            help="See `tierwright curve kinds` [default: detect].",
        ),
    ] = None,
    accesses: Annotated[
        int | None,
        typer.Option(
            "--accesses", metavar="N", help="Page accesses that the curve covers."
        ),
    ] = None,
    accesses_per_s: Annotated[
        float | None,
        accesses_per_s_option(
            "Page accesses per second, in place of their number; the profile then "
            "covers one day."
        ),
    ] = None,
    page_bytes: Annotated[
        int | None,
        typer.Option("--page-bytes", metavar="N", help="Page size of the cache."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data-size",
            metavar="SIZE",
            help="Size of the data, such as 800GiB [default: unknown, no disk cost].",
        ),
    ] = None,
    size_unit: Annotated[
        str | None,
        typer.Option(
            "--size-unit", metavar="U", help="Unit of the sizes: pages, B, KiB, MB, ..."
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value", metavar="V", help="Values are hit_ratio, miss_ratio or misses."
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="S", help="Ratios are fraction or percent."),
    ] = None,
    size_column: Annotated[
        str | None,
        typer.Option("--size-column", metavar="C", help="Name or number of the sizes."),
    ] = None,
    value_column: Annotated[
        str | None,
        typer.Option(
            "--value-column", metavar="C", help="Name or number of the values."
        ),
    ] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", metavar="NAME", help="Buffer pool.")
    ] = None,
    dirty_share: Annotated[
        float | None,
        typer.Option(
            "--dirty-share",
            metavar="P",
            help="Share of the evicted pages that are dirty [default: unknown].",
        ),
    ] = None,
    write_share: Annotated[
        float | None,
        typer.Option(
            "--write-share",
            metavar="W",
            help="Share of the accesses that write; it bounds the dirty share.",
        ),
    ] = None,
    misses_read: Annotated[
        str | None,
        typer.Option(
            "--misses-read",
            metavar="device|cache",
            help="What answers a miss that a system counted: the device (direct I/O), or a cache below it too, such "
            "as that of the operating system [default: unknown, where there can be one].",
        ),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Replace a curve that falls by the nearest one that does not.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Make a profile of a hit-ratio curve, of cache advice, or of the counters of a running system."""
    from tierwright.profile.given.examine import import_curve
    from tierwright.profile.given.reading import CurveOptions

    text = _text(file)
    found = import_curve(
        text,
        CurveOptions(
            kind=kind,
            size_unit=size_unit,
            value=value,
            scale=scale,
            size_column=size_column,
            value_column=value_column,
            pool=pool,
            page_bytes=page_bytes,
            accesses=accesses,
            accesses_per_s=accesses_per_s,
            data_bytes=None if data is None else parse_bytes(data),
            dirty_share=dirty_share,
            write_share=write_share,
            repair=repair,
            misses_read=cast("Literal['device', 'cache'] | None", misses_read),
        ),
        place=str(file),
    )
    assert found.profile is not None  # import_curve raises otherwise
    check_output(output)
    if output is not None:
        found.profile.write(output)
    if json:
        from tierwright.profile.next_step import bounds_text, next_step

        step = next_step(found.profile.curve)
        print_json(
            {
                "kind": found.kind,
                "evidence": None
                if found.evidence is None
                else found.evidence.to_dict(),
                "bounds": bounds_text(found.profile.curve, found.profile.duration_s),
                "next_step": None if step is None else step.to_dict(),
                "scores": found.scores,
                "assumptions": found.assumptions,
                "cannot_tell": list(found.cannot_tell),
                "profile": found.profile.to_dict(),
            }
        )
        return
    _print(found, output)


def _text(file: Path) -> str:
    from tierwright.profile.given.reading import MOST_TEXT_BYTES

    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(MOST_TEXT_BYTES + 1)
        else:
            with file.open("rb") as stream:
                data = stream.read(MOST_TEXT_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}", _FILE_HINT) from error
    if len(data) > MOST_TEXT_BYTES:
        raise BadInput(
            f"{file}: is larger than {MOST_TEXT_BYTES:,} bytes, too large for a curve",
            "give the rows of the curve only; a trace is read by `tierwright profile`",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(
            f"{file}: line {line}: is not UTF-8 text", "save it as UTF-8 text"
        ) from error


def _evidence(profile: Profile) -> list[tuple[str, str]]:
    """Return what the curve rests on, and what to record next; empty where nothing is known of it."""
    from tierwright.profile.next_step import bounds_text, next_step

    evidence, page_bytes = profile.curve.evidence, profile.curve.page_bytes
    if evidence is None:
        return []
    bounds = bounds_text(profile.curve, profile.duration_s)
    step = next_step(profile.curve)
    return [
        ("evidence", f"{evidence.title} ({evidence.snapshots_text()})"),
        ("speaks of", evidence.range_text(page_bytes)),
        ("check", evidence.check_text(page_bytes)),
        *(("part", each.text(page_bytes)) for each in evidence.parts),
        *(("level", each.text()) for each in evidence.tiers),
        *([] if bounds is None else [("bounds", bounds)]),
        *([] if step is None else [("next", step.sentence), ("", step.command)]),
    ]


def _print(found: Examined, output: Path | None) -> None:
    assert found.profile is not None
    curve = found.profile.curve
    print_facts(
        [
            *_evidence(found.profile),
            ("kind", str(found.kind)),
            ("page", f"{format_count(curve.page_bytes)} bytes"),
            ("page accesses", format_count(curve.accesses)),
            ("written", "-" if output is None else str(output)),
        ]
    )
    typer.echo("")
    print_table(
        "",
        [("line", True), ("pages", True), ("size", True), ("hit ratio", True)],
        [
            [
                str(point.line),
                format_count(point.pages),
                format_bytes(point.pages * curve.page_bytes),
                f"{point.repaired_hit_ratio:.2%}",
            ]
            for point in found.points
        ],
    )
    for title, texts in (
        ("Assumed", found.assumptions),
        ("Not in this curve", found.cannot_tell),
    ):
        typer.echo(f"\n{title}:")
        for text in texts:
            typer.echo(f"  - {as_typed(text)}")
