"""`tierwright sce`: a fragment cache at one point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.named import named_device
from tierwright.cli.output import Json, print_facts, print_json, print_table
from tierwright.cli.output import print_warnings as warn
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, parse_bytes

if TYPE_CHECKING:
    from tierwright.advise.fragment_cache import FragmentStudy
    from tierwright.hardware.device import Device

US_PER_S = 1e6


def sce(
    *,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="SIZE",
            help="Size of the volume behind the cache.",
        ),
    ],
    flash: Annotated[
        str, typer.Option("--flash", metavar="SIZE", help="Flash cache, such as 64GiB.")
    ],
    flash_device: Annotated[
        str, typer.Option("--flash-device", metavar="ID", help="Device of flash.")
    ],
    disk_device: Annotated[
        str, typer.Option("--disk-device", metavar="ID", help="Device behind flash.")
    ],
    read_miss_rate: Annotated[
        float,
        typer.Option(
            "--read-miss-rate", metavar="M", help="Of reads that reach the cache."
        ),
    ],
    run: Annotated[
        str,
        typer.Option(
            "--run", metavar="SIZE", help="Mean run of useful pages, such as 256KiB."
        ),
    ],
    page_writes_per_s: Annotated[
        float,
        typer.Option("--page-writes-per-s", metavar="W", help="Writes of one page."),
    ] = 0.0,
    fragment_populations_per_s: Annotated[
        float | None,
        typer.Option(
            "--fragment-populations-per-s",
            metavar="P",
            help="Promotions of its fragment [default: all fragments alike].",
        ),
    ] = None,
    fragment: Annotated[
        str, typer.Option("--fragment", metavar="SIZE", help="Fragment.")
    ] = "1MiB",
    density: Annotated[
        float,
        typer.Option("--density", metavar="D", help="Useful share outside the runs."),
    ] = 0.0,
    period_s: Annotated[
        float,
        typer.Option("--period-s", metavar="T", help="Between promotions. [s]"),
    ] = 0.5,
    page_bytes: Annotated[
        int, typer.Option("--page-bytes", metavar="N", min=1, help="Page. [bytes]")
    ] = 4096,
    json: Json = False,
) -> None:
    """Say how a fragment cache (SCE) fills, what a fragment trades, and how it writes."""
    from tierwright.advise.fragment_cache import finding_of, fragment_study

    found = fragment_study(
        source_bytes=parse_bytes(source),
        cache_bytes=parse_bytes(flash),
        read_miss_rate=read_miss_rate,
        run_bytes=parse_bytes(run),
        source_write_s=_write_s(named_device(disk_device), page_bytes),
        flash_write_s=_write_s(named_device(flash_device), page_bytes),
        page_writes_per_s=page_writes_per_s,
        fragment_populations_per_s=fragment_populations_per_s,
        fragment_bytes=parse_bytes(fragment),
        density=density,
        period_s=period_s,
    )
    finding = finding_of(found)
    if json:
        print_json({"finding": finding, **found.to_dict()})
        return
    _print(found, finding)


def _write_s(device: Device, page_bytes: int) -> float:
    from tierwright.hardware.service_time import service_us

    time_us = service_us(device, "write", page_bytes)
    if time_us is None:
        raise BadInput(
            f"device `{device.id}` has no write service time",
            "choose a device with IOPS or a latency",
        )
    return time_us / US_PER_S


def _print(found: FragmentStudy, finding: str) -> None:
    typer.echo(finding)
    phases = "; ".join(
        f"{phase.threads} until {phase.to_free:.0%} is free" for phase in found.phases
    )
    print_facts(
        [
            ("population threads", phases),
            ("least time to fill", f"{found.fill_s / 3600:.3g} h"),
            ("replaced when full", f"{format_bytes(found.bytes_per_s_full)}/s"),
        ]
    )
    typer.echo("")
    trade = found.trade
    print_table(
        "By fragment size; * the given one",
        [
            ("fragment", True),
            ("metadata", True),
            ("fill", True),
            ("used share", True),
            ("flash writes / useful byte", True),
            ("effective cache", True),
        ],
        [
            [
                format_bytes(float(size)) + (" *" if at == found.at else ""),
                format_bytes(float(trade.metadata_bytes[at])),
                f"{found.fill_by_size_s[at] / 3600:.3g} h",
                f"{trade.used_share[at]:.1%}",
                f"{trade.flash_writes_per_useful_byte[at]:.3g}",
                format_bytes(float(trade.effective_cache_bytes[at])),
            ]
            for at, size in enumerate(trade.fragment_bytes.tolist())
        ],
    )
    typer.echo("")
    print_table(
        "Writes of a cached page",
        [
            ("policy", False),
            ("acknowledged after", True),
            ("page is valid", True),
            ("flash writes", True),
            ("source writes", True),
        ],
        [
            [
                name,
                f"{float(policy.acknowledge_s) * 1000:.4g} ms",
                f"{float(policy.valid_share):.4%}",
                f"{float(policy.flash_writes):g}",
                f"{float(policy.source_writes):g}",
            ]
            for name, policy in found.writes.policies.items()
        ],
    )
    typer.echo("")
    for part in found.derivation:
        typer.echo(f"{part.result} = {part.substituted}")
        typer.echo(f"  source: {part.source}")
    typer.echo(f"valid: {found.validity}")
    warn([{"message": w.message, "hint": w.hint} for w in found.warnings])
