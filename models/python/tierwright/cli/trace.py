"""`tierwright formats` and `tierwright trace ...`."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.output import (
    Json,
    as_typed,
    print_facts,
    print_json,
    print_table,
    print_warnings,
    progress,
    speed_text,
)
from tierwright.cli.reads import reads_trace
from tierwright.cli.workers import (
    DaskOption,
    shared_place,
    with_full_names,
    workers_of_parts,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import counted
from tierwright.trace import reading
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tierwright.profile.numbered_parts import NumberedParts
    from tierwright.simulate.executors import Workers

app = typer.Typer(
    help="Read, preview, convert and summarise traces.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def formats(*, json: Json = False) -> None:
    """List the trace formats that can be read."""
    known = reading.formats()
    if json:
        print_json(known)
        return
    print_table(
        "",
        [
            ("format", False),
            ("writes", False),
            ("times", False),
            ("description", False),
        ],
        [
            [
                entry["name"],
                "yes" if entry["has_writes"] else "no",
                "yes" if entry["has_time"] else "no",
                entry["description"],
            ]
            for entry in known
        ],
    )


@app.command("inspect")
@reads_trace
def inspect(
    trace: Trace,
    *,
    json: Json = False,
) -> None:
    """Read a whole trace and say what it holds."""
    began = time.monotonic()
    with progress("inspect") as on_progress:
        found = reading.inspect(trace, on_progress=on_progress)
    print_summary(found, time.monotonic() - began, as_json=json)


@app.command("convert")
@reads_trace
def convert(
    trace: Trace,
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="OUT",
            help="Canonical trace to write [default: the second of two files]; with --parts-in a folder, or a prefix of a "
            "store, for the parts.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace OUT if it exists; with --parts-in, parts of another conversion in it.",
        ),
    ] = False,
    parts_in: Annotated[
        str | None,
        typer.Option(
            "--parts-in",
            metavar="FOLDER",
            help="Convert each FILE by itself, side by side, to a part with the page numbers of the whole. FOLDER, or a prefix "
            "of a store such as s3://BUCKET/STEPS, keeps what each step leaves, so that interrupted work continues.",
        ),
    ] = None,
    hash_ranges: Annotated[
        int | None,
        typer.Option(
            "--hash-ranges",
            min=1,
            max=4096,
            metavar="N",
            help="With --parts-in: divide the pages into N ranges of a hash, each numbered by itself, so that no process holds "
            "all pages; the numbers are the same for every N [default: 1].",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=1024,
            metavar="N",
            help="With --parts-in: processes that convert parts [default: one per core].",
        ),
    ] = None,
    dask: DaskOption = None,
    no_resume: Annotated[
        bool,
        typer.Option(
            "--no-resume",
            help="Start over, even if an interrupted conversion to OUT left a "
            "checkpoint.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Write the canonical form of a trace; an interrupted conversion is resumed.

    FILEs that are the parts of one conversion with --parts-in are joined to one canonical trace.
    """
    from tierwright.trace import conversions

    if out is None:
        raise TypeError("`reads_trace` names the output")
    if parts_in is not None:
        made = _in_parts(
            trace,
            parts_in,
            out,
            workers_of_parts(dask, workers),
            hash_ranges=hash_ranges or 1,
            force=force,
            no_resume=no_resume,
        )
        print_parts(made, as_json=json)
        return
    for option, given in (
        ("--hash-ranges", hash_ranges),
        ("--workers", workers),
        ("--dask", dask),
    ):
        if given is not None:
            raise BadInput(
                f"{option}: a trace that is converted as a whole has no parts to share out",
                f"add --parts-in FOLDER, or leave {option} out",
            )
    began = time.monotonic()
    with progress("convert") as on_progress:
        found, notes = conversions.convert(
            trace,
            Path(out),
            force=force,
            start_again=no_resume,
            every_accesses=_checkpoint_accesses(),
            on_progress=on_progress,
        )
    print_summary(found, time.monotonic() - began, as_json=json)
    for note in notes:
        typer.echo(f"warning: {note}", err=True)


def _in_parts(
    trace: Trace,
    place: str,
    out: str,
    workers: AbstractContextManager[Workers],
    *,
    hash_ranges: int,
    force: bool,
    no_resume: bool,
) -> NumberedParts:
    """Convert the files of a trace side by side.

    Raises
    ------
    BadInput
        If options do not go together.
    """
    from tierwright.profile.numbered_parts import convert_in_parts

    if no_resume:
        raise BadInput(
            "--no-resume and --parts-in cannot be combined: what is kept there is used by its name",
            "name an empty folder with --parts-in",
        )
    kept = shared_place(place, "--parts-in")
    written = shared_place(out, "--out")
    with (
        progress("convert") as on_progress,
        with_full_names(trace) as everywhere,
        workers as started,
    ):
        return convert_in_parts(
            everywhere,
            kept,
            written,
            started.start,
            ranges=hash_ranges,
            force=force,
            on_progress=on_progress,
        )


def print_parts(made: NumberedParts, *, as_json: bool) -> None:
    """Print what a conversion in parts has written."""
    if as_json:
        print_json(made.to_dict())
        return
    size = made.distinct_pages * made.page_bytes
    print_facts(
        [
            ("page accesses", format_count(made.accesses)),
            ("write accesses", format_count(made.write_accesses)),
            (
                "distinct pages",
                f"{format_count(made.distinct_pages)} ({format_bytes(size)})",
            ),
            ("page", f"{format_count(made.page_bytes)} bytes"),
            ("devices", format_count(made.devices)),
        ]
    )
    typer.echo("")
    print_table(
        "",
        [("part", False), ("accesses", True), ("pages new in it", True)],
        [
            [file, format_count(accesses), format_count(new)]
            for file, accesses, new in zip(
                made.files, made.accesses_of, made.new_pages_of, strict=True
            )
        ],
    )
    print_warnings(list(made.warnings))


def _checkpoint_accesses() -> int:
    """Return the accesses between two checkpoints, as the application is told them.

    Raises
    ------
    BadInput
        If the environment has no positive whole number there.
    """
    from tierwright.trace.conversions import CHECKPOINT_ACCESSES

    given = os.environ.get(_CHECKPOINT_VARIABLE)
    if given is None:
        return CHECKPOINT_ACCESSES
    if not given.isascii() or not given.isdigit() or not 0 < int(given) < 2**63:
        raise BadInput(
            f"{_CHECKPOINT_VARIABLE}: `{given}` is not a number of page accesses",
            f"unset it, or give a whole number such as {CHECKPOINT_ACCESSES}",
        )
    return int(given)


_CHECKPOINT_VARIABLE = "TIERWRIGHT_CHECKPOINT_ACCESSES"


@app.command("preview")
@reads_trace
def preview(
    trace: Trace,
    *,
    rows: Annotated[
        int, typer.Option("--rows", min=1, max=1000, help="Records to show.")
    ] = 20,
    json: Json = False,
) -> None:
    """Read the head of a trace and show what was understood, with units."""
    with progress("preview") as on_progress:
        found = reading.preview(trace, rows=rows, on_progress=on_progress)
    if json:
        print_json(found)
        return
    print_facts(
        [
            *_choice(found),
            ("file", f"{format_bytes(found['file_bytes'])}, {found['compression']}"),
            ("page", f"{format_count(found['page_bytes'])} bytes"),
            *_shown(found["shown"]),
        ]
    )
    _print_records(found)
    for assumption in found["assumptions"]:
        typer.echo(f"assumed: {as_typed(_text(assumption))}")
    print_warnings(found["warnings"])


@app.command("summary")
@reads_trace
def summary(
    trace: Trace,
    *,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            metavar="TABLE",
            help="Print one table as CSV: windows, time-windows, reuse, reuse-time, popularity, "
            "request-sizes, runs or devices.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Sum a trace up: working set, reuse, popularity, requests, sequentiality, devices."""
    from tierwright.cli.summary import print_csv, print_summary, table_named
    from tierwright.profile.summaries import summarise

    if csv is not None and json:
        raise BadInput("--csv and --json cannot be combined", "give one of them")
    table = None if csv is None else table_named(csv)
    with progress("summary") as on_progress:
        found = summarise(trace, on_progress=on_progress)
    print_warnings([note.to_dict() for note in found.notes.warnings])
    if json:
        print_json(found.to_dict())
    elif table is not None:
        print_csv(found, table)
    else:
        print_summary(found)


def print_summary(found: dict[str, Any], took_s: float, *, as_json: bool) -> None:
    """Print what a whole pass over a trace found, and how fast it was."""
    if as_json:
        print_json(found)
        return
    duration = found["duration_s"]
    size = found["distinct_pages"] * found["page_bytes"]
    facts = [
        *_choice(found),
        ("requests", format_count(found["requests"])),
        ("page accesses", format_count(found["accesses"])),
        ("write accesses", format_count(found["write_accesses"])),
        (
            "distinct pages",
            f"{format_count(found['distinct_pages'])} ({format_bytes(size)})",
        ),
        ("page", f"{format_count(found['page_bytes'])} bytes"),
        ("devices", format_count(found["devices"])),
        ("duration", "-" if duration is None else f"{duration:,.3f} s"),
        *_extent(found.get("extent")),
        ("sha256 of sequence", found["sha256_of_sequence"]),
    ]
    if "content_id" in found:
        facts += [
            ("content id", found["content_id"]),
            ("written", format_bytes(found["out_bytes"])),
        ]
    requests = None if found["format"] == "canonical" else found["requests"]
    resumed_at = found.get("resumed_at_accesses")
    if resumed_at is None:
        speed = speed_text(found["accesses"], requests, took_s)
        done = "generated" if found["chosen_by"] == "description" else "read"
        facts.append((done, f"in {took_s:,.2f} s: {speed}"))
    else:
        kept = f"{counted(resumed_at, 'access')} kept from an interrupted conversion"
        facts.append(("read", f"{kept}, the rest in {took_s:,.2f} s"))
    if found.get("skipped_records"):
        facts.append(("bad records skipped", format_count(found["skipped_records"])))
    print_facts(facts)
    _print_records(found)
    for assumption in found["assumptions"]:
        typer.echo(f"assumed: {as_typed(_text(assumption))}")
    print_warnings(found["warnings"])


def _print_records(found: dict[str, Any]) -> None:
    """Print units and the first records as they are understood."""
    if found["units"]:
        typer.echo("")
        print_table(
            "",
            [("field", False), ("unit", False), ("meaning", False)],
            [[unit["field"], unit["unit"], unit["meaning"]] for unit in found["units"]],
        )
    typer.echo("")
    print_table(
        "",
        [
            ("place", True),
            ("time [ns]", True),
            ("device", False),
            ("op", False),
            ("first page", True),
            ("pages", True),
        ],
        [
            [
                str(record["place"]),
                _text(record["time_ns"]),
                _text(record["device"]),
                _text(record["op"]),
                _text(record["first_page"]),
                _text(record["page_count"]),
            ]
            for record in found["records"]
        ],
    )
    typer.echo("")


_CHOSEN_BY = {
    "content": "found from the content",
    "name": "named by you",
    "columns": "by your column mapping",
    "description": "generated from a description",
}


def _choice(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of how the format was chosen: winner, margin, runners-up."""
    if found["chosen_by"] == "description":
        return [("format", f"{found['format']}, {_CHOSEN_BY['description']}")]
    scores = {one["format"]: one for one in found["detection"]}
    chosen = scores.pop(found["format"])
    others = [
        f"{one['format']} {one['score']:.2f} ({one['reason']})"
        for one in scores.values()
        if one["score"] > 0
    ]
    return [
        ("format", f"{found['format']}, {_CHOSEN_BY[found['chosen_by']]}"),
        (
            "detection",
            f"score {chosen['score']:.2f}, margin {found['margin']:+.2f}: {chosen['reason']}",
        ),
        ("runners-up", "; ".join(others) or "none: no other format fits"),
    ]


def _shown(shown: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of the records of a preview."""
    duration = shown["duration_s"]
    return [
        (
            "records shown",
            f"{format_count(shown['requests'])}, {format_count(shown['write_requests'])} of them write, "
            f"{format_count(shown['devices'])} device(s)",
        ),
        ("time span", "no time" if duration is None else f"{duration:,.6f} s"),
        *_extent(shown["extent"]),
    ]


def _extent(extent: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Return the facts of request lengths and addresses."""
    if extent is None:
        return []
    unit = extent["unit"]
    return [
        (
            "request length",
            f"{format_count(extent['smallest_request'])} to {format_count(extent['largest_request'])} {unit}",
        ),
        (
            "addresses",
            f"{format_count(extent['lowest'])} to {format_count(extent['highest'])} {unit}",
        ),
    ]


def _text(value: object) -> str:
    return "-" if value is None else str(value)
