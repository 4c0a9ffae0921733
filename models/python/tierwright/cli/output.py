"""What commands share: JSON or tables on stdout, progress on stderr, Ctrl-C."""

from __future__ import annotations

import inspect
import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Protocol, get_type_hints

import typer

from tierwright.common.errors import BadInput, TierwrightError
from tierwright.common.units import format_bytes, parse_bytes
from tierwright.trace.reading import Reading, Trace

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Raw trace of any format, or a canonical one; an object of a store as "
        "s3://BUCKET/KEY, gs://BUCKET/KEY or az://CONTAINER/KEY; several are one trace, read in "
        "this order.",
    ),
]
_READING: dict[str, tuple[Any, Any]] = {
    "format_": (
        Annotated[
            str | None,
            typer.Option(
                "--format",
                help="Name of the format, see `tierwright formats` [default: detect].",
            ),
        ],
        None,
    ),
    "page_bytes": (
        Annotated[
            int | None,
            typer.Option(
                "--page-bytes",
                metavar="N",
                max=2**31,
                help="Page size for formats addressed in bytes or sectors [default: 4096].",
            ),
        ],
        None,
    ),
    "column": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--column",
                metavar="FIELD=NAME",
                help="Column of a generic CSV, such as time=ts; may be repeated.",
            ),
        ],
        None,
    ),
    "skip_bad_lines": (
        Annotated[
            int,
            typer.Option(
                "--skip-bad-lines",
                metavar="N",
                min=0,
                max=2**31,
                help="Pass over up to N bad lines or records and count them; one more is an error.",
            ),
        ],
        0,
    ),
    "max_content_bytes": (
        Annotated[
            int | None,
            typer.Option(
                "--max-content-bytes",
                metavar="N",
                min=1,
                max=2**62,
                help="Most decompressed bytes of FILE [default: 16 TiB].",
            ),
        ],
        None,
    ),
    "max_expansion": (
        Annotated[
            int | None,
            typer.Option(
                "--max-expansion",
                metavar="N",
                min=1,
                max=2**31,
                help="Most decompressed bytes for a byte of FILE [default: 5000].",
            ),
        ],
        None,
    ),
    "members_apart": (
        Annotated[
            bool,
            typer.Option(
                "--members-apart",
                help="Each file of an archive or folder has separate devices; otherwise equal names, and none, are one device.",
            ),
        ],
        False,
    ),
    "members_merged": (
        Annotated[
            bool,
            typer.Option(
                "--members-merged",
                help="Merge the files of an archive, a folder or a list by time; otherwise they are read one after another.",
            ),
        ],
        False,
    ),
    "device_size": (
        Annotated[
            str | None,
            typer.Option(
                "--device-size",
                metavar="SIZE",
                help="Size of each recorded device, such as 1TiB: addresses beyond it, or far below it, are warned of.",
            ),
        ],
        None,
    ),
}
"""How FILE is read, the same for every command that reads one: annotation and default."""


def reads_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument FILE... and the options of reading it, in place of `trace`.

    A command with an option `out` may name it as the second of two files instead.

    Parameters
    ----------
    command : callable
        Takes a `Trace` as its first parameter, named `trace`; the others are options.

    Returns
    -------
    callable
        What typer is to see: FILE..., the options of the command, those of reading, `--json` last.
    """
    hints = get_type_hints(command, include_extras=True)
    own = list(inspect.signature(command).parameters.values())
    if own[0].name != "trace":
        raise TypeError(f"{command.__name__} does not take a trace first")
    keyword = inspect.Parameter.KEYWORD_ONLY
    reading = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in _READING.items()
    ]
    options = [one.replace(annotation=hints[one.name]) for one in own[1:]]
    last = [one for one in options if one.name == "json"]
    file = inspect.Parameter("files", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    shown = [
        file.replace(annotation=Files),
        *(one for one in options if one not in last and one.kind is not keyword),
        *(one for one in options if one not in last and one.kind is keyword),
        *reading,
        *last,
    ]

    def read(**given: Any) -> None:
        files: list[str] = given.pop("files")
        if "out" in given:
            given["out"], files = _out_of(given["out"], files)
        reading = {key: given.pop(key) for key in _READING}
        with opened(files, reading) as trace:
            command(trace, **given)

    read.__name__, read.__doc__ = command.__name__, command.__doc__
    read.__module__ = command.__module__
    read.__annotations__ = {one.name: one.annotation for one in shown}
    vars(read)["__signature__"] = inspect.Signature(shown)
    return read


def may_read_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --trace FILE and those of reading it, in place of `trace`.

    Parameters
    ----------
    command : callable
        Takes a keyword `trace`: called with the files and the options of reading, as `opened`
        takes them, or None where no trace was named.

    Returns
    -------
    callable
        What typer is to see: `--trace` and the options of reading behind the command's own.
    """
    hints = get_type_hints(command, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        one.replace(annotation=hints[one.name])
        for name, one in inspect.signature(command).parameters.items()
        if name != "trace"
    ]
    last = [one for one in own if one.name == "json"]
    shown = [
        *(one for one in own if one not in last),
        inspect.Parameter(_TRACE, keyword, default=None, annotation=TraceFiles),
        *(
            inspect.Parameter(name, keyword, default=default, annotation=annotation)
            for name, (annotation, default) in _READING.items()
        ),
        *last,
    ]

    def read(**given: Any) -> None:
        files: list[str] | None = given.pop(_TRACE)
        reading = {key: given.pop(key) for key in _READING}
        if not files:
            stray = [
                name
                for name, (_, default) in _READING.items()
                if reading[name] != default
            ]
            if stray:
                raise BadInput(
                    f"--{stray[0].strip('_').replace('_', '-')} says how to read a trace, and no "
                    "trace is named",
                    "add --trace FILE, or leave the option out",
                )
        command(trace=(files, reading) if files else None, **given)

    read.__name__, read.__doc__ = command.__name__, command.__doc__
    read.__module__ = command.__module__
    read.__annotations__ = {one.name: one.annotation for one in shown}
    vars(read)["__signature__"] = inspect.Signature(shown)
    return read


_TRACE = "trace"
NamedTrace = tuple[list[str], dict[str, Any]]
"""Files of a trace, and the options that say how to read it."""
TraceFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="The trace that was profiled, raw or canonical: replayed where the model cannot "
        "tell which scheme is best. May be repeated, as FILE of `tierwright profile` may.",
    ),
]


@contextmanager
def opened(files: Sequence[str], reading: Mapping[str, Any]) -> Iterator[Trace]:
    """Put a trace together from its files and the options of reading it.

    Objects of a store are copied first; errors name what was given.
    """
    with ExitStack() as stack:
        copies = [stack.enter_context(_on_this_machine(file)) for file in files]
        stack.enter_context(_named_as_given())
        first, *others = (path for path, _ in copies)
        versions = {path: version for path, version in copies if version}
        trace = _trace_of(first, **reading)
        yield replace(trace, others=tuple(others), versions=versions)


@contextmanager
def _on_this_machine(file: str) -> Iterator[tuple[Path, str | None]]:
    """Copy an object of a store to a file; a file stays where it is.

    Yields
    ------
    (Path, str or None)
        The file, and of an object what names its content.
    """
    if "://" not in file:
        yield Path(file), None
        return
    from tierwright.trace.sources.copies import address_of, copied

    address = address_of(file)
    if address is None:
        yield Path(file), None
        return
    with ExitStack() as stack:
        with progress("fetch") as on_progress:
            copy = stack.enter_context(copied(address, on_progress))
        _shown_as[str(copy.path)] = file
        try:
            yield copy.path, copy.version
        finally:
            del _shown_as[str(copy.path)]


_shown_as: dict[str, str] = {}
"""Files that stand for what was named, and what that was."""


def _as_given(text: str) -> str:
    """Name what was given in place of the file that stands for it."""
    for path, given in _shown_as.items():
        text = text.replace(path, given)
    return text


@contextmanager
def _named_as_given() -> Iterator[None]:
    """Name in the message of an error what was given."""
    try:
        yield
    except Exception as error:
        error.args = tuple(
            _as_given(one) if isinstance(one, str) else one for one in error.args
        )
        if isinstance(error, TierwrightError):
            error.message = _as_given(error.message)
        raise


def _out_of(out: Path | None, files: list[str]) -> tuple[Path, list[str]]:
    """Tell the output from the traces: named by `--out`, or the second of two files.

    Raises
    ------
    BadInput
        If nothing says which one it is.
    """
    if out is not None:
        return out, files
    if len(files) == _FILE_AND_OUT:
        return Path(files[1]), files[:1]
    if len(files) < _FILE_AND_OUT:
        raise BadInput(
            "nothing says where the canonical trace is to be written",
            f"add a name: {files[0]} OUT.twt",
        )
    raise BadInput(
        f"{len(files)} files are named, and nothing says which one is to be written",
        "name it: --out OUT.twt",
    )


_FILE_AND_OUT = 2


def _trace_of(
    file: Path,
    *,
    format_: str | None,
    page_bytes: int | None,
    column: list[str] | None,
    skip_bad_lines: int,
    max_content_bytes: int | None,
    max_expansion: int | None,
    members_apart: bool,
    members_merged: bool,
    device_size: str | None,
) -> Trace:
    """Put the options that say how to read a trace together.

    Raises
    ------
    BadInput
        If a column is not FIELD=NAME or the page size is not positive.
    """
    if page_bytes is not None and page_bytes < 1:
        raise BadInput(
            f"--page-bytes: `{page_bytes}` is not a positive number of bytes",
            "use for example 4096 or 8192",
        )
    return Trace(
        file,
        format_,
        page_bytes,
        pairs(column or [], "--column"),
        Reading(
            skip_bad_lines,
            max_content_bytes,
            max_expansion,
            device_bytes_of(device_size),
            members_apart,
            members_merged,
        ),
    )


def device_bytes_of(size: str | None) -> int | None:
    """Read the size of a device.

    Raises
    ------
    BadInput
        If it is no size, or none of a device.
    """
    if size is None:
        return None
    found = parse_bytes(size)
    if not _SECTOR_BYTES <= found <= _LARGEST_DEVICE_BYTES:
        raise BadInput(
            f"--device-size: `{size}` is not between one sector (512 bytes) and 1 EiB",
            "give the size of the recorded device, such as 1TiB",
        )
    return found


_SECTOR_BYTES = 512
_LARGEST_DEVICE_BYTES = 2**60


def pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """Read repeated KEY=VALUE options.

    Raises
    ------
    BadInput
        If one has no `=` or a key comes twice.
    """
    found: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise BadInput(
                f"{option}: `{text}` is not KEY=VALUE", f"write {option} key=value"
            )
        if key in found:
            raise BadInput(f"{option}: `{key}` is given twice", "give it once")
        found[key] = value
    return found


def numbers(text: str, option: str) -> list[float]:
    """Read finite numbers that are separated by commas.

    Raises
    ------
    BadInput
        If a part is no finite number.
    """
    found = []
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadInput(
                f"{option}: `{part}` is not a number",
                f"separate numbers by commas: {option} 1,8,32",
            )
        found.append(value)
    return found


def whole_numbers(text: str, option: str) -> list[int]:
    """Read whole numbers that are separated by commas.

    Raises
    ------
    BadInput
        If a part is no whole number.
    """
    found = []
    for value in numbers(text, option):
        if value != int(value):
            raise BadInput(
                f"{option}: `{value}` is not a whole number",
                f"separate whole numbers by commas: {option} 1,2,4",
            )
        found.append(int(value))
    return found


def print_json(document: Any) -> None:
    """Print one JSON document; NaN and infinity, which JSON lacks, are refused.

    Its money has the currency that the command shows beside the dollars.
    """
    from tierwright.common.currency import stated

    text = json.dumps(stated(document), ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_as_given(text) + "\n")


def print_table(
    title: str, columns: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table.

    Parameters
    ----------
    title : str
        Line above; empty for none.
    columns : sequence of (str, bool)
        Heading with unit, and whether its cells are numbers (set right).
    rows : sequence of sequences of str
        Cells.
    """
    widths = [
        max(len(heading), *(len(row[at]) for row in rows)) if rows else len(heading)
        for at, (heading, _) in enumerate(columns)
    ]
    numeric = [number for _, number in columns]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ).rstrip()

    if title:
        typer.echo(title)
    typer.echo(line([heading for heading, _ in columns]))
    typer.echo(line(["-" * width for width in widths]))
    for row in rows:
        typer.echo(line(row))


def print_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values, one pair a line."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        typer.echo(f"{name.ljust(width)}  {value}")


def print_warnings(warnings: Sequence[dict[str, Any]]) -> None:
    """Print warnings with their hints on stderr."""
    for warning in warnings:
        typer.echo(f"warning: {_as_given(warning['message'])}", err=True)
        if warning["hint"]:
            typer.echo(f"hint: {warning['hint']}", err=True)


def print_notes(found: Mapping[str, Any]) -> None:
    """Print what the reader of the trace noticed, on stderr, with --json too.

    Parameters
    ----------
    found : mapping
        Answer of the core: its key `trace` holds the notes.
    """
    print_warnings(found["trace"]["warnings"])


class OnPass(Protocol):
    """A callback for every pass of the core, over raw traces and others."""

    def __call__(
        self, done: int, total: int, accesses: int, requests: int | None = None, /
    ) -> bool:
        """Take bytes done and in all, accesses, and of a raw trace the records read."""


def speed_text(accesses: int, requests: int | None, took_s: float) -> str:
    """Say how many accesses were read, and how many records and accesses a second.

    Examples
    --------
    >>> speed_text(3_000_000, 1_000_000, 2.0)
    '3,000,000 accesses, 1,500,000/s (500,000 requests/s)'
    """
    if took_s <= 0:
        return f"{accesses:,} accesses"
    records = "" if requests is None else f" ({requests / took_s:,.0f} requests/s)"
    return f"{accesses:,} accesses, {accesses / took_s:,.0f}/s{records}"


@contextmanager
def progress(title: str) -> Iterator[OnPass]:
    """Show progress on stderr when it is a terminal, and let Ctrl-C cancel the core.

    The core runs outside the interpreter, so an interrupt is noted and told to it at its
    next report; a second one takes its usual way.
    """
    interrupted = False

    def note(_signal: int, _frame: object) -> None:
        nonlocal interrupted
        interrupted = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        with _reporter(title) as report:

            def on_progress(
                done: int, total: int, accesses: int, requests: int | None = None, /
            ) -> bool:
                report(done, total, accesses, requests)
                return not interrupted

            yield on_progress
        if interrupted:
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _reporter(
    title: str,
) -> Iterator[Callable[[int, int, int, int | None], None]]:
    if not sys.stderr.isatty():
        yield lambda _done, _total, _accesses, _requests: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %  {task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(title, total=None, speed="")
        began = shown = time.monotonic()

        def report(done: int, total: int, accesses: int, requests: int | None) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown > _SHOW_EVERY_S:
                shown = now
                speed = (
                    speed_text(accesses, requests, now - began)
                    if accesses
                    else f"{format_bytes(round(done / (now - began)))}/s"
                )
                bar.update(task, completed=done, total=total, speed=speed)

        yield report


_SHOW_EVERY_S = 0.1
