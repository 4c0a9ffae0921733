"""`tierwright device measure`: states what it will write, asks, measures with fio, writes a profile."""

from __future__ import annotations

import json as json_module
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.device import print_import, write_device
from tierwright.cli.options import DeviceCapacity, DeviceKind, DeviceName
from tierwright.cli.output import Json, print_json, whole_numbers
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, parse_bytes
from tierwright.common.wording import duration

if TYPE_CHECKING:
    from tierwright.hardware.measure.plan import MeasurePlan
    from tierwright.hardware.measure.run import MeasureProgress, OnProgress

RAW_SUFFIX = ".fio.json"
_SECONDS_PER_MINUTE = 60.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def measure(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Folder on the device; a new folder is made in it, and removed at the end.",
        ),
    ],
    *,
    page_bytes: Annotated[
        int,
        typer.Option("--page-bytes", metavar="N", min=1, help="Page of the workload."),
    ] = 8192,
    size: Annotated[
        str, typer.Option("--size", metavar="SIZE", help="Size of the file to make.")
    ] = "4GiB",
    minutes: Annotated[
        float,
        typer.Option("--minutes", metavar="N", help="Time that it may take at most."),
    ] = 20.0,
    most_written: Annotated[
        str | None,
        typer.Option(
            "--most-written",
            metavar="SIZE",
            help="Bytes that it may write at most [default: 16 times the file].",
        ),
    ] = None,
    depths: Annotated[
        str,
        typer.Option(
            "--depths", metavar="N,N,...", help="Queue depths of pages, from 1 to 1024."
        ),
    ] = "1,2,4,8,16,32,64,128,256",
    window_seconds: Annotated[
        float,
        typer.Option(
            "--window-seconds",
            metavar="N",
            help="Length of one of the five windows of a run.",
        ),
    ] = 2.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DEVICE.toml",
            help="Device profile to write; the raw results are written beside it.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files if they exist.")
    ] = False,
    identifier: Annotated[
        str,
        typer.Option("--id", metavar="ID", help="Id of the device."),
    ] = "measured",
    name: DeviceName = None,
    kind: DeviceKind = "nvme",
    capacity: DeviceCapacity = None,
    by: Annotated[
        str,
        typer.Option("--by", metavar="NAME", help="Who measures, for the provenance."),
    ] = "",
    fio: Annotated[
        str | None,
        typer.Option("--fio", metavar="PATH", help="fio [default: that of PATH]."),
    ] = None,
    allow_cached: Annotated[
        bool,
        typer.Option(
            "--allow-cached",
            help="Measure the page cache where direct I/O is refused.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the plan and touch nothing."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Start without asking.")] = False,
    json: Json = False,
) -> None:
    """Measure a device with fio: rates and latencies by queue depth and block size.

    It states what it will write and how long it takes, and asks before it starts. It works in a
    new folder, with a file of its own, and removes both at the end, on Ctrl-C and when it is
    stopped. Use the file written by -o wherever a device is expected.
    """
    from tierwright.hardware.measure.plan import make_plan

    plan = make_plan(
        page_bytes=page_bytes,
        file_bytes=parse_bytes(size),
        most_s=minutes * _SECONDS_PER_MINUTE,
        most_written_bytes=None if most_written is None else parse_bytes(most_written),
        queue_depths=whole_numbers(depths, "--depths"),
        window_s=window_seconds,
    )
    if dry_run:
        _print_plan(folder, plan, as_json=json)
        return
    paths = _outputs(output, force=force)
    told: dict[str, Any] = {
        "identifier": identifier,
        "name": name,
        "kind": kind,
        "page_bytes": page_bytes,
        "capacity_bytes": None if capacity is None else parse_bytes(capacity),
    }
    _check_described(told)
    raw = _measured(folder, plan, (fio, by), allow_cached=allow_cached, yes=yes)
    _keep(raw, told, paths, as_json=json)


def _print_plan(folder: Path, plan: MeasurePlan, *, as_json: bool) -> None:
    from tierwright.common.wording import listed

    if as_json:
        print_json({"folder": str(folder), "plan": plan.to_dict()})
        return
    for sentence in plan.sentences():
        typer.echo(sentence)
    typer.echo(f"Files in the new folder: {listed(plan.files)}.")
    for job in plan.jobs:
        written = (
            f", writes at most {format_bytes(job.most_written_bytes)}"
            if job.writes
            else ""
        )
        typer.echo(f"  {job.title}{written}")


def _outputs(output: Path | None, *, force: bool) -> tuple[Path, Path]:
    """Return where profile and raw results go, before anything is measured."""
    if output is None:
        raise BadInput(
            "--output: the file of the device profile is not given",
            "add -o DEVICE.toml; --dry-run prints the plan without it",
        )
    if output.suffix not in (".toml", ".json"):
        raise BadInput(
            f"--output: `{output}` is neither a .toml nor a .json file",
            "end its name in .toml",
        )
    raw = output.with_suffix(RAW_SUFFIX)
    if not output.parent.is_dir():
        raise BadInput(
            f"--output: the folder `{output.parent}` does not exist", "make it first"
        )
    for path in (output, raw):
        if path.exists() and not force:
            raise BadInput(f"--output: `{path}` exists", "add --force to replace it")
    return output, raw


def _check_described(told: dict[str, Any]) -> None:
    """Refuse what the device file would refuse, before the device is measured for minutes."""
    from tierwright.hardware.device import device_from_mapping

    named = {"id": told["identifier"], "name": told["name"] or told["identifier"]}
    device_from_mapping({**named, "kind": told["kind"]}, place="device")


def _measured(
    folder: Path,
    plan: MeasurePlan,
    asked: tuple[str | None, str],
    *,
    allow_cached: bool,
    yes: bool,
) -> dict[str, Any]:
    from tierwright.hardware.measure.fio_program import MeasureCancelled, find_fio
    from tierwright.hardware.measure.place import check_folder, check_space
    from tierwright.hardware.measure.run import measure as run

    path, by = asked
    program = find_fio(path)
    check_folder(folder)
    check_space(folder, plan)
    for sentence in plan.sentences():
        typer.echo(sentence, err=True)
    if not yes:
        _ask(folder)
    with _stoppable() as on_progress:
        try:
            return run(
                folder,
                plan,
                program,
                by=by,
                allow_cached=allow_cached,
                on_progress=on_progress,
            )
        except MeasureCancelled:
            typer.echo("The files of the measurement are removed.", err=True)
            raise KeyboardInterrupt from None


def _ask(folder: Path) -> None:
    if not sys.stdin.isatty():
        raise BadInput(
            "the measurement was not confirmed, as there is no terminal to ask",
            "add --yes to start without asking",
        )
    typer.confirm(f"Measure in {folder}?", abort=True, err=True)


@contextmanager
def _stoppable() -> Iterator[OnProgress]:
    """Let Ctrl-C and the signals that end a process cancel the measurement in order."""
    stopped = False

    def note(_signal: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        with _shown() as show:

            def on_progress(progress: MeasureProgress) -> bool:
                show(progress)
                return not stopped

            yield on_progress
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _shown() -> Iterator[Any]:
    """Print a line for every pattern; on a terminal also what runs now."""
    live = sys.stderr.isatty()
    width = 0

    def show(progress: MeasureProgress) -> None:
        nonlocal width
        clear = "\r" + " " * width + "\r" if live else ""
        count = f"[{progress.done}/{progress.total}]"
        if progress.finished:
            line = f"{count} {progress.title}: {progress.finished}"
            typer.echo(f"{clear}{line}", err=True)
            width = 0
        elif live:
            line = (
                f"{count} {progress.title}, run {progress.attempt}, "
                f"{duration(progress.passed_s)}"
            )
            typer.echo(f"{clear}{line}", err=True, nl=False)
            width = len(line)

    yield show
    if live and width:
        typer.echo("", err=True)


def _keep(
    raw: dict[str, Any],
    told: dict[str, Any],
    paths: tuple[Path, Path],
    *,
    as_json: bool,
) -> None:
    from tierwright.advise import device_import

    profile, beside = paths
    # First the raw results: they are what took the time.
    beside.write_text(
        json_module.dumps(raw, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    answer = device_import.answer(raw, place=str(beside), **told)
    write_device(profile, answer.found.device, force=True)
    if as_json:
        files = {"device_file": str(profile), "raw_file": str(beside)}
        print_json({"finding": answer.finding, **files, **answer.found.to_dict()})
        return
    typer.echo(answer.finding)
    print_import(answer.found, profile)
    typer.echo(f"raw results: {beside}")
