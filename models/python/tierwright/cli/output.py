"""What commands share: JSON or tables on stdout, progress on stderr, Ctrl-C."""

from __future__ import annotations

import json
import math
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from tierwright.common.errors import BadInput, TierwrightError
from tierwright.common.parameters import Door, spelled
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted

if TYPE_CHECKING:
    from tierwright.advise.checks.checked import Checked, CheckedFigure
    from tierwright.common.cautions import Weighed

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]
shown_as: dict[str, str] = {}
"""Files that stand for what was named, and what that was."""


def as_given(text: str) -> str:
    """Name what was given in place of the file that stands for it."""
    for path, given in shown_as.items():
        text = text.replace(path, given)
    return text


def as_typed(text: str) -> str:
    """Say a message in the words of the command line: what was given, and its options."""
    return spelled(as_given(text), Door.COMMAND)


@contextmanager
def named_as_given() -> Iterator[None]:
    """Name in the message of an error what was given."""
    try:
        yield
    except Exception as error:
        error.args = tuple(
            as_given(one) if isinstance(one, str) else one for one in error.args
        )
        if isinstance(error, TierwrightError):
            error.message = as_given(error.message)
        raise


def check_output(output: Path | None) -> None:
    """Refuse a file that cannot be written before any work is done for it.

    Raises
    ------
    BadInput
        If it is a folder, or in a folder that does not exist.
    """
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise BadInput(
            f"--output: `{output}` cannot be written",
            "name a file in a folder that exists",
        )


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
        If a part is not a whole number.
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


def print_json(document: Any, *, to_keep: bool = False) -> None:
    """Print one JSON document; NaN and infinity, which JSON lacks, are refused.

    Its money has the currency that the command shows beside the dollars.

    Parameters
    ----------
    document : object
        Plain data.
    to_keep : bool
        Whether it is a file for other doors too, such as a profile, whose messages keep
        their marks.
    """
    from tierwright.common.currency import stated

    text = json.dumps(stated(document), ensure_ascii=False, allow_nan=False)
    sys.stdout.write((as_given if to_keep else as_typed)(text) + "\n")


def print_check(
    checked: Checked,
    title: str,
    shown: Callable[[CheckedFigure, float | None], str] | None = None,
) -> None:
    """Print figures of a model beside those of replays.

    Parameters
    ----------
    checked : Checked
        Both, with what they say.
    title : str
        Of the table.
    shown : callable, optional
        Writes a value of a figure, with its unit; without it units have a column.
    """

    def cells(row: CheckedFigure) -> list[str]:
        values = (row.model, row.simulated)
        if shown is not None:
            return [shown(row, value) for value in values]
        digits = ["-" if value is None else f"{value:.4g}" for value in values]
        return [row.unit, *digits]

    typer.echo("")
    typer.echo(checked.finding)
    print_table(
        title,
        [
            ("scheme", False),
            ("figure", False),
            *(() if shown else (("unit", False),)),
            ("model", True),
            ("replay", True),
            ("gap", True),
        ],
        [
            [
                row.title,
                row.figure,
                *cells(row),
                "-" if row.gap_relative is None else f"{row.gap_relative:+.1%}",
            ]
            for row in checked.rows
        ],
    )
    typer.echo(checked.basis)


def say(text: str = "", *, indent: int = 0, err: bool = False) -> None:
    """Print a sentence; on a terminal it is broken between words, where the line ends.

    What is piped or written to a file has its lines as they are.

    Parameters
    ----------
    text : str
    indent : int
        Of the lines that follow the first. [columns]
    err : bool
        Whether it is printed on stderr.
    """
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        text = "\n".join(_broken(line, width, indent) for line in text.split("\n"))
    typer.echo(text, err=err)


def _broken(line: str, width: int, indent: int) -> str:
    # A path or the name of an option stays in one piece: it is copied.
    return textwrap.fill(
        line,
        width,
        # As many that little is left of a narrow terminal would help nobody.
        subsequent_indent=" " * min(indent, width // 2),
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )


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
        say(title)
    typer.echo(line([heading for heading, _ in columns]))
    typer.echo(line(["-" * width for width in widths]))
    for row in rows:
        typer.echo(line(row))


def print_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values, one pair a line."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        say(f"{name.ljust(width)}  {value}", indent=width + 2)


def print_warnings(warnings: Sequence[dict[str, Any]]) -> None:
    """Print warnings with their hints on stderr."""
    for warning in warnings:
        say(f"warning: {as_typed(warning['message'])}", err=True)
        if warning["hint"]:
            say(f"hint: {as_typed(warning['hint'])}", err=True)


def print_cautions(cautions: Sequence[Weighed], *, every: bool | None = None) -> None:
    """Print what an answer rests on with what it could change, on stderr, before the answer.

    Parameters
    ----------
    cautions : sequence of Weighed
        In their order: the first that could change the choice, or of unknown effect, are printed,
        of the others how many there are.
    every : bool, optional
        Whether all are printed, by `--assumptions`; None where the command has no such option.
    """
    from tierwright.common.cautions import first_and_rest, title_of_rest

    first, rest = first_and_rest(cautions)
    for each in first:
        _print_caution(each)
    if not rest:
        return
    how = "--json lists them" if every is None else "--assumptions lists them"
    say(f"{title_of_rest(rest)}{'' if every else f' ({how})'}", err=True)
    if every:
        for each in rest:
            _print_caution(each)


def _print_caution(caution: Weighed) -> None:
    say(f"warning: {as_typed(caution.message)}", err=True)
    if caution.effect:
        say(f"effect: {as_typed(caution.effect)}", err=True)
    if caution.hint:
        say(f"hint: {as_typed(caution.hint)}", err=True)


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
    """Say how many accesses were read, and how many records and accesses per second.

    Examples
    --------
    >>> speed_text(3_000_000, 1_000_000, 2.0)
    '3,000,000 accesses, 1,500,000/s (500,000 requests/s)'
    """
    if took_s <= 0:
        return counted(accesses, "access")
    records = "" if requests is None else f" ({requests / took_s:,.0f} requests/s)"
    return f"{counted(accesses, 'access')}, {accesses / took_s:,.0f}/s{records}"


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
                    if done
                    else ""
                )
                bar.update(task, completed=done, total=total, speed=speed)

        yield report


_SHOW_EVERY_S = 0.1
