"""`tierwright device ...`: profiles from measurements, health of a drive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.named import named_device
from tierwright.cli.options import DeviceCapacity, DeviceKind, DeviceName
from tierwright.cli.output import (
    Json,
    print_facts,
    print_json,
    print_table,
    print_warnings,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import (
    format_bytes,
    format_count,
    format_microseconds,
    parse_bytes,
)

if TYPE_CHECKING:
    from tierwright.advise.device_health import DeviceHealth
    from tierwright.hardware.device import Device
    from tierwright.hardware.fio import FioImport, FioMix

TB = 10**12

app = typer.Typer(
    help="Make device profiles from measurements, read the health of a drive.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("import-fio")
def import_fio(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Result of `fio --output-format=json`."),
    ],
    *,
    identifier: Annotated[
        str,
        typer.Option(
            "--id", metavar="ID", help="Id of the device [default: measured]."
        ),
    ] = "measured",
    name: DeviceName = None,
    kind: DeviceKind = "nvme",
    queue_depth: Annotated[
        int | None,
        typer.Option(
            "--queue-depth",
            metavar="N",
            min=1,
            help="Queue depth of the rates to import [default: the deepest measured "
            "for both operations].",
        ),
    ] = None,
    page_bytes: Annotated[
        int | None,
        typer.Option(
            "--page-bytes",
            metavar="N",
            min=1,
            help="Block size of the rates to import.",
        ),
    ] = None,
    capacity: DeviceCapacity = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DEVICE.toml", help="File to write."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if it exists.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a device profile from a measurement of fio.

    Use the file written by -o wherever a device is expected.
    """
    from tierwright.advise import device_import
    from tierwright.hardware import fio

    if output is not None and output.suffix not in (".toml", ".json"):
        raise BadInput(
            f"--output: `{output}` is neither a .toml nor a .json file",
            "end its name in .toml",
        )
    answer = device_import.answer(
        fio.read_fio(file),
        identifier=identifier,
        name=name,
        kind=kind,
        queue_depth=queue_depth,
        page_bytes=page_bytes,
        capacity_bytes=None if capacity is None else parse_bytes(capacity),
        place=str(file),
    )
    found = answer.found
    if output is not None:
        write_device(output, found.device, force=force)
    if json:
        print_json({"finding": answer.finding, **found.to_dict()})
        return
    typer.echo(answer.finding)
    print_import(found, output)


@app.command("health")
def health(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Result of `smartctl --json -x` or `nvme smart-log -o json`.",
        ),
    ],
    *,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="ID",
            help="Device, or device file, for its rated writes.",
        ),
    ] = None,
    rated_tb: Annotated[
        float | None,
        typer.Option(
            "--rated-tb", metavar="TB", help="Rated writes (TBW). [10^12 bytes]"
        ),
    ] = None,
    tb_per_day: Annotated[
        float | None,
        typer.Option(
            "--tb-per-day",
            metavar="TB",
            help="Expected host writes [default: the mean so far]. [10^12 bytes/day]",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what a drive has written, and what is left of its rated writes."""
    from tierwright.advise import device_health
    from tierwright.hardware.smart import read_smart

    rated = None if rated_tb is not None or device is None else named_device(device)
    found = device_health.answer(
        read_smart(file), rated_tb=rated_tb, device=rated, tb_per_day=tb_per_day
    )
    if found.rated_tb is None and rated is not None:
        raise BadInput(
            f"device `{device}` states no rated writes",
            "give them with --rated-tb, from its data sheet",
        )
    if json:
        left = found.left
        print_json(
            {
                "finding": found.finding,
                **found.health.to_dict(),
                "remaining": None if left is None else left.to_dict(),
            }
        )
        return
    typer.echo(found.finding)
    _print_health(found)


def write_device(path: Path, device: Device, *, force: bool) -> None:
    """Write a device as TOML, or as JSON where the name ends in .json."""
    import json

    from tierwright.hardware.fio import to_toml

    if path.exists() and not force:
        raise BadInput(f"--output: `{path}` exists", "add --force to replace it")
    if path.suffix == ".toml":
        text = to_toml(device)
    else:
        text = json.dumps(device.to_dict(), indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")


def print_import(found: FioImport, output: Path | None) -> None:
    """Print the runs behind a device, which of them it uses, and the warnings."""
    print_table(
        "What fio measured",
        [
            ("job", False),
            ("operation", False),
            ("block", True),
            ("queue depth", True),
            ("in flight", True),
            ("IOPS", True),
            ("latency", True),
            ("99 % within", True),
            ("1/IOPS", True),
            ("service time", True),
        ],
        [
            [
                run.name,
                f"{'random' if run.random else 'sequential'} {run.operation}",
                f"{run.block_bytes} B",
                str(run.queue_depth),
                "-" if run.in_flight is None else f"{run.in_flight:.3g}",
                format_count(run.iops),
                _time(run.latency_us),
                _time(run.percentiles_us.get("p99")),
                format_microseconds(run.time_per_operation_us),
                _time(run.service_time_us),
            ]
            for run in found.runs
        ],
    )
    if found.mixes:
        _print_mixes(found.mixes)
    typer.echo("")
    typer.echo(f"used: {found.basis}")
    for figure, run in found.used.items():
        typer.echo(f"  {figure} from {run}")
    if output is not None:
        typer.echo(f"written: {output}")
    print_warnings([{"message": w.message, "hint": w.hint} for w in found.warnings])


def _print_mixes(mixes: Sequence[FioMix]) -> None:
    typer.echo("")
    print_table(
        "Reads and writes measured together",
        [
            ("job", False),
            ("reads", True),
            ("block", True),
            ("queue depth", True),
            ("IOPS", True),
            ("read latency", True),
            ("99 % within", True),
            ("write latency", True),
            ("99 % within", True),
        ],
        [
            [
                mix.read.name,
                f"{mix.read_percent} %",
                f"{mix.read.block_bytes} B",
                str(mix.read.queue_depth),
                format_count(mix.read.iops + mix.write.iops),
                *(
                    _time(time_us)
                    for side in (mix.read, mix.write)
                    for time_us in (side.latency_us, side.percentiles_us.get("p99"))
                ),
            ]
            for mix in mixes
        ],
    )


def _print_health(answer: DeviceHealth) -> None:
    found, left = answer.health, answer.left
    facts: list[tuple[str, str]] = [
        ("model", found.model or "-"),
        ("host writes", _size(found.host_bytes_written)),
        ("by", found.basis),
        ("life used, by the drive", _percent(found.percentage_used)),
        ("write amplification", "-" if found.waf is None else f"{found.waf:.3g}"),
    ]
    if left is not None:
        years = left.years_left
        facts += [
            (
                "rated writes left",
                f"{left.left_tb:,.4g} of {left.rated_tb:,.4g} TB ({left.left_share:.0%})",
            ),
            ("years left", "-" if years is None else f"{years:.3g}"),
        ]
    print_facts(facts)
    print_warnings([{"message": w.message, "hint": w.hint} for w in answer.warnings])


def _time(time_us: float | None) -> str:
    return "-" if time_us is None else format_microseconds(time_us)


def _size(size: int | None) -> str:
    return "-" if size is None else f"{format_bytes(size)} ({size / TB:,.4g} TB)"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:g} %"
