"""`tierwright restart`, `metadata`, `tier-cost`: one model each, with its derivation."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.books import book_of
from tierwright.cli.named import named_device
from tierwright.cli.output import (
    Json,
    print_facts,
    print_json,
    print_table,
    print_warnings,
    progress,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, parse_bytes
from tierwright.common.wording import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tierwright.common.cautions import Caution
    from tierwright.common.derivation import Derivation

GIB = 2**30
TB = 10**12
DEFAULT_PAGE_BYTES = 4096

Device = Annotated[
    str, typer.Option("--device", metavar="ID", help="Device, or a device file.")
]
Page = Annotated[
    int, typer.Option("--page-bytes", metavar="N", min=1, help="Page. [bytes]")
]


def restart(
    *,
    flash: Annotated[
        str, typer.Option("--flash", metavar="SIZE", help="Flash cache, such as 64GiB.")
    ],
    flash_device: Annotated[
        str, typer.Option("--flash-device", metavar="ID", help="Device of flash.")
    ],
    disk_device: Annotated[
        str, typer.Option("--disk-device", metavar="ID", help="Device behind flash.")
    ],
    redo_pages: Annotated[
        float | None,
        typer.Option(
            "--redo-pages",
            metavar="N",
            help="Pages read by redo [default: those that --trace writes in half an interval]. [pages]",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE",
            help="Trace whose writes are counted, raw or canonical.",
        ),
    ] = None,
    checkpoint_interval_s: Annotated[
        float,
        typer.Option(
            "--checkpoint-interval-s",
            metavar="T",
            help="Between two checkpoints of the database, with --trace. [s]",
        ),
    ] = 300.0,
    accesses_per_second: Annotated[
        float | None,
        typer.Option(
            "--accesses-per-second",
            metavar="N",
            help="Rate of page accesses, with --trace [default: of the recording]. [1/s]",
        ),
    ] = None,
    redo_writes: Annotated[
        float,
        typer.Option(
            "--redo-writes", metavar="N", help="Pages written by redo. [pages]"
        ),
    ] = 0.0,
    flash_share: Annotated[
        float | None,
        typer.Option(
            "--flash-share",
            metavar="S",
            help="Share of redone pages found on flash [default: 0.98, of the FaCE paper].",
        ),
    ] = None,
    page_bytes: Annotated[
        int | None,
        typer.Option(
            "--page-bytes",
            metavar="N",
            min=1,
            help="Page [default: of --trace, else 4096]. [bytes]",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare a restart whose flash cache survives with one without flash.

    Redo reads the pages that were written since the last checkpoint, half an interval ago on average:
    stated, or counted in a trace.
    """
    from tierwright.common.cautions import Caution
    from tierwright.evaluate import flash_cache, recovery
    from tierwright.hardware.device import OPERATIONS
    from tierwright.hardware.service_time import service_basis, service_us

    if redo_pages is None:
        if trace is None:
            raise BadInput(
                "--redo-pages: unknown without a trace",
                "state it, or name a --trace whose writes are counted",
            )
        redo_pages, recorded_bytes = _redone_of(
            trace, checkpoint_interval_s, accesses_per_second
        )
        page_bytes = page_bytes or recorded_bytes
    page_bytes = page_bytes or DEFAULT_PAGE_BYTES
    size = parse_bytes(flash)
    if size < page_bytes:
        raise BadInput(
            f"--flash: `{flash}` holds no page of {format_bytes(page_bytes)}",
            "state the flash cache, such as 64GiB",
        )
    ssd = named_device(flash_device)
    disk = named_device(disk_device)
    rate = ssd.number("sequential_read_mb_per_s")
    if rate is None:
        raise BadInput(
            f"device `{flash_device}` states no sequential read bandwidth",
            "choose another, or add sequential_read_mb_per_s to a copy of it",
        )
    times = {}
    for role, device in (("flash", ssd), ("disk", disk)):
        for operation in OPERATIONS:
            service = service_us(device, operation, page_bytes)
            if service is None:
                raise BadInput(
                    f"device `{device.id}` has no {operation} service time",
                    "choose a device with IOPS or a latency",
                )
            times[f"{role}_{operation}_s"] = service / 1e6
    restore = flash_cache.recovery(
        size, page_bytes=page_bytes, seq_read_bytes_per_s=rate * 1e6
    )
    # Below two segments the formula scans more than there is.
    metadata_s = min(restore.restore_seconds, restore.full_scan_seconds)
    basis = (
        f"flash: {service_basis(ssd, page_bytes)}; disk: "
        f"{service_basis(disk, page_bytes)}"
    )
    cautions = [
        Caution(
            "cost_is_no_latency",
            f"a page is assumed to cost its busy time ({basis})",
            "if redo waits for each page, it takes the latency instead: choose devices "
            "measured at queue depth 1",
        )
    ]
    if flash_share is None:
        flash_share = recovery.FLASH_SHARE_OF_REDO
        cautions.append(
            Caution(
                "flash_share_of_the_paper",
                f"{percent(flash_share)} of the pages to redo are read from flash and the metadata are in segments of "
                f"{flash_cache.PAPER_SEGMENT_ENTRIES:,} entries, as in the FaCE paper: neither is of this workload, and a share "
                "that is smaller makes the restart several times as long",
                "state --flash-share, or ask `tierwright course --crash-at`, which replays the crash and counts both",
            )
        )
    found = recovery.restart(
        metadata_s=metadata_s,
        redo_pages=redo_pages,
        redo_writes=redo_writes,
        flash_share=flash_share,
        **times,
    )
    if json:
        document = found.to_dict()
        document["warnings"] = [*map(plain_data, cautions), *document["warnings"]]
        print_json(
            {"metadata_s": metadata_s, "metadata": plain_data(restore), **document}
        )
        return
    print_facts(
        [
            ("pages to redo", f"{redo_pages:,.0f}"),
            ("metadata restore", f"{metadata_s:.3g} s"),
            ("restart with flash", f"{float(found.with_flash.total_s):,.3g} s"),
            ("restart without", f"{float(found.without_flash.total_s):,.3g} s"),
            ("times faster", f"{float(found.speedup):.3g}"),
        ]
    )
    explain(found.with_flash.derivation, (*cautions, *found.warnings))


def _redone_of(
    trace: Path, interval_s: float, accesses_per_s: float | None
) -> tuple[float, int]:
    """Count the pages that a trace writes in half an interval, on average; and their bytes. [pages, bytes]"""
    from tierwright.advise.recovery import redo_window, redone_of
    from tierwright.profile.measure import profile, window_curves
    from tierwright.trace.reading import Trace

    read = Trace(trace)
    with progress("count writes") as on_progress:
        found = profile(read, on_progress=on_progress)
        if not found.curve.notes.tells_writes:
            raise BadInput(
                f"--trace: `{trace}` records no writes, so the pages to redo are unknown",
                "use a trace that records writes, or give --redo-pages",
            )
        duration_s = found.duration_s
        if accesses_per_s is None and not duration_s:
            raise BadInput(
                "--accesses-per-second: the accesses of the trace have no times, or all have the same one, and so no rate",
                "state the rate",
            )
        length, share = redo_window(
            found.curve.accesses,
            accesses_per_s=accesses_per_s or found.curve.accesses / (duration_s or 1.0),
            checkpoint_interval_s=interval_s,
        )
        counted = window_curves(
            read, window_accesses=length, sizes=[1], on_progress=on_progress
        )
    redone = redone_of(
        counted["window_accesses"],
        counted["pages_written"],
        length=length,
        share=share,
    )
    pages = min(redone.pages / redone.share, float(found.curve.distinct_pages))
    return pages, found.curve.page_bytes


def metadata(
    *,
    flash: Annotated[
        str, typer.Option("--flash", metavar="SIZE", help="Flash cache, such as 1TiB.")
    ],
    ram: Annotated[
        str | None,
        typer.Option("--ram", metavar="SIZE", help="RAM budget, to see what is left."),
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="SIZE",
            help="Size of the volume behind the cache.",
        ),
    ] = "0",
    page_bytes: Page = DEFAULT_PAGE_BYTES,
    json: Json = False,
) -> None:
    """Say how much RAM each flash cache needs to know what it holds."""
    from tierwright.evaluate.metadata import PRESETS, charge

    flash_bytes, source_bytes = parse_bytes(flash), parse_bytes(source)
    budget = None if ram is None else parse_bytes(ram)
    rows = []
    for name, preset in PRESETS.items():
        needed = float(
            preset.ram_bytes(
                flash_bytes, page_bytes=page_bytes, source_bytes=source_bytes
            )
        )
        charged = (
            charge(
                preset,
                ram_bytes=budget,
                flash_bytes=flash_bytes,
                page_bytes=page_bytes,
                source_bytes=source_bytes,
            )
            if budget is not None
            else None
        )
        rows.append(
            {
                "preset": name,
                "title": preset.title,
                "metadata_bytes": needed,
                "bytes_per_gib": needed / flash_bytes * GIB if flash_bytes else 0.0,
                "left_pages": None if charged is None else charged.left_pages,
                "ram_share": None if charged is None else charged.share,
                "source": preset.source,
                "note": preset.note,
            }
        )
    if json:
        print_json(rows)
        return
    print_table(
        f"RAM that {format_bytes(flash_bytes)} of flash need",
        [
            ("cache", False),
            ("metadata", True),
            ("per GiB", True),
            ("share of RAM", True),
            ("source", False),
        ],
        [
            [
                str(row["title"]),
                format_bytes(float(str(row["metadata_bytes"]))),
                format_bytes(float(str(row["bytes_per_gib"]))),
                "-" if row["ram_share"] is None else f"{row['ram_share']:.1%}",
                str(row["source"]),
            ]
            for row in rows
        ],
    )


def tier_cost(
    *,
    device: Device,
    held: Annotated[
        str, typer.Option("--held", metavar="SIZE", help="Bytes held, such as 512GiB.")
    ],
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book",
            metavar="ID|FILE",
            help="Prices [default: the device's own].",
        ),
    ] = None,
    usd_per_kwh: Annotated[
        str | None,
        typer.Option("--usd-per-kwh", metavar="M", help="Price of electricity. [USD]"),
    ] = None,
    watts_per_gib: Annotated[
        str | None,
        typer.Option(
            "--watts-per-gib",
            metavar="W",
            help="Power of each GiB held, of a device that states none, such as memory.",
        ),
    ] = None,
    interest: Annotated[
        str,
        typer.Option(
            "--interest", metavar="I", help="Interest per year, 0.05 for 5 %."
        ),
    ] = "0",
    amortisation_months: Annotated[
        int,
        typer.Option(
            "--amortisation-months",
            metavar="M",
            help="Months over which a purchase is spread. [months]",
        ),
    ] = 36,
    whole_devices: Annotated[
        bool, typer.Option("--whole-devices", help="Buy whole devices, not bytes.")
    ] = False,
    reads_per_month: Annotated[
        str | None,
        typer.Option(
            "--reads-per-month", metavar="N", help="Read requests, for their fees."
        ),
    ] = None,
    writes_per_month: Annotated[
        str | None,
        typer.Option(
            "--writes-per-month", metavar="N", help="Write requests, for their fees."
        ),
    ] = None,
    read_tb_per_month: Annotated[
        str | None,
        typer.Option(
            "--read-tb-per-month",
            metavar="TB",
            help="Bytes read, for the fee of retrieval. [10^12 bytes/month]",
        ),
    ] = None,
    written_tb_per_month: Annotated[
        str | None,
        typer.Option(
            "--written-tb-per-month",
            metavar="TB",
            help="Host writes, for wear and fees. [10^12 bytes/month]",
        ),
    ] = None,
    provisioned_iops: Annotated[
        str | None,
        typer.Option("--provisioned-iops", metavar="N", help="IOPS rented. [1/s]"),
    ] = None,
    provisioned_mb_per_s: Annotated[
        str | None,
        typer.Option(
            "--provisioned-mb-per-s", metavar="R", help="Throughput rented. [MB/s]"
        ),
    ] = None,
    pue: Annotated[
        str,
        typer.Option(
            "--pue", metavar="X", help="Power at the meter for a watt of the device."
        ),
    ] = "1.5",
    busy_share: Annotated[
        str,
        typer.Option(
            "--busy-share",
            metavar="S",
            help="Share of the time it is busy, between idle and active power.",
        ),
    ] = "0.5",
    accesses_per_month: Annotated[
        str,
        typer.Option(
            "--accesses-per-month", metavar="N", help="Accesses that it serves."
        ),
    ] = "0",
    page_bytes: Page = DEFAULT_PAGE_BYTES,
    json: Json = False,
) -> None:
    """Cost a tier a month: capital, rent, fees, power, wear; a page held, an access served."""
    from tierwright.common.currency import money
    from tierwright.common.derivation import money_text
    from tierwright.evaluate import economics

    found = economics.tier_cost(
        named_device(device),
        parse_bytes(held),
        prices=None if price_book is None else book_of(price_book),
        load=economics.Load(
            reads=_given("--reads-per-month", reads_per_month),
            writes=_given("--writes-per-month", writes_per_month),
            read_bytes=_given("--read-tb-per-month", read_tb_per_month, TB),
            written_bytes=_given("--written-tb-per-month", written_tb_per_month, TB),
            provisioned_iops=_given("--provisioned-iops", provisioned_iops),
            provisioned_mb_per_s=_given("--provisioned-mb-per-s", provisioned_mb_per_s),
        ),
        assumptions=economics.Assumptions(
            amortisation_months=amortisation_months,
            interest_per_year=amount("--interest", interest),
            usd_per_kwh=None
            if usd_per_kwh is None
            else amount("--usd-per-kwh", usd_per_kwh),
            pue=amount("--pue", pue),
            busy_share=amount("--busy-share", busy_share),
            whole_devices=whole_devices,
            watts_per_gib=_given("--watts-per-gib", watts_per_gib),
        ),
    )
    each = found.usd_per_page_month(page_bytes)
    served = found.usd_per_million_accesses(
        amount("--accesses-per-month", accesses_per_month)
    )
    if json:
        print_json(
            {
                **found.to_dict(),
                "page_bytes": page_bytes,
                "usd_per_page_month": money_text(each),
                "usd_per_million_accesses": money_text(served),
            }
        )
        return
    print_facts(
        [
            ("a month", money(found.usd_per_month)),
            ("of it running", money(found.opex_usd_per_month)),
            ("at once", money(found.capex_usd)),
            *((f"  {line.name}", money(line.usd_per_month)) for line in found.lines),
            (
                "a million pages held",
                "-" if each is None else f"{money(each * 10**6)} a month",
            ),
            ("a million accesses", "-" if served is None else money(served)),
            *(("left out", text) for text in found.missing),
        ]
    )
    explain([line.derivation for line in found.lines], found.warnings)


def _given(option: str, text: str | None, scale: int = 1) -> Decimal | None:
    return None if text is None else amount(option, text) * scale


def amount(option: str, text: str) -> Decimal:
    """Read an exact decimal number.

    Raises
    ------
    BadInput
        If it is none.
    """
    from decimal import InvalidOperation

    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation as error:
        raise BadInput(
            f"{option}: `{text}` is not a decimal number", "write `1000` or `999.90`"
        ) from error


def explain(derivation: Iterable[Derivation], warnings: Iterable[Caution]) -> None:
    """Print formulas with their numbers and sources, then the warnings."""
    typer.echo("")
    for part in derivation:
        typer.echo(f"{part.result} = {part.substituted}")
        typer.echo(f"  source: {part.source}")
    print_warnings([{"message": w.message, "hint": w.hint} for w in warnings])


def plain_data(value: object) -> Any:
    """Return plain data for JSON."""
    from tierwright.common.derivation import plain

    return plain(value)
