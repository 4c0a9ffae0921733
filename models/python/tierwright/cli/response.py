"""`tierwright response`: how long a page access takes at a rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tierwright.cli.named import named_device
from tierwright.cli.options import (
    Assumptions,
    CacheOptions,
    FlashCaches,
    FlashMetadata,
    Seed,
    ServiceTimes,
    Start,
    WaitsForWrites,
    WarmUpOption,
    cache_options_of,
    flash_caches_of,
    preset_of,
)
from tierwright.cli.output import (
    Json,
    print_cautions,
    print_check,
    print_json,
    print_table,
    progress,
)
from tierwright.cli.planning import DiskDevice, FlashDevice, ProfileFile
from tierwright.cli.reads import NamedTrace, as_profiled, may_read_trace, opened
from tierwright.cli.scale import (
    ProductionOption,
    check_recording,
    print_scale,
    workload,
)
from tierwright.cli.sizes import FlashPages, RamPages
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count, format_microseconds
from tierwright.common.wording import percent, three_digits

if TYPE_CHECKING:
    from tierwright.advise.checks.checked import Checked, CheckedFigure
    from tierwright.advise.response import Response
    from tierwright.advise.response.rows import SchemeAt
    from tierwright.evaluate.response.queue import Service
    from tierwright.evaluate.response.schemes import Tier, Writes
    from tierwright.profile.curve import Curve

ARRIVALS = ("poisson", "trace", "clients")


@may_read_trace
def response(
    profile: ProfileFile,
    *,
    ram_pages: RamPages,
    flash_pages: FlashPages,
    flash_device: FlashDevice,
    disk_device: DiskDevice,
    accesses_per_second: Annotated[
        float | None,
        typer.Option(
            "--accesses-per-second",
            metavar="N",
            help="Mean rate of page accesses [default: of production, or of the recording]. [1/s]",
        ),
    ] = None,
    peak_accesses_per_second: Annotated[
        float | None,
        typer.Option(
            "--peak-accesses-per-second",
            metavar="N",
            help="Rate of the busiest hour, beside --accesses-per-second. [1/s]",
        ),
    ] = None,
    flash_devices: Annotated[
        int, typer.Option("--flash-devices", help="Equal flash devices.")
    ] = 1,
    disks: Annotated[int, typer.Option("--disks", help="Equal disks.")] = 1,
    flash_at_once: Annotated[
        int | None,
        typer.Option(
            "--flash-at-once",
            metavar="N",
            help="Operations that a flash device serves at once [default: IOPS x latency].",
        ),
    ] = None,
    disk_at_once: Annotated[
        int | None,
        typer.Option("--disk-at-once", metavar="N", help="The same of a disk."),
    ] = None,
    writes: WaitsForWrites = "background",
    service: ServiceTimes = "constant",
    flash_metadata: FlashMetadata = None,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    arrivals: Annotated[
        str,
        typer.Option(
            "--arrivals",
            metavar="poisson|trace|clients",
            help="Arrivals of the replay of --trace: independent of each other, as recorded and "
            "stretched to the rate, or from --clients that wait and think.",
        ),
    ] = "poisson",
    clients: Annotated[
        int,
        typer.Option(
            "--clients",
            metavar="N",
            min=1,
            max=2**32 - 1,
            help="Clients of --arrivals clients.",
        ),
    ] = 1,
    warm_up: WarmUpOption = None,
    seed: Seed = 0,
    start: Start = "steady",
    production: ProductionOption = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Predict how long a page access takes at a rate: mean, median, 99th percentile.

    With --trace, every scheme and each --flash-cache is replayed on simulated time, and both are shown.
    """
    from tierwright.advise import response as question
    from tierwright.evaluate.response.schemes import Hierarchy
    from tierwright.simulate.warm_up import parse

    read_from = workload(profile, production)
    curve = read_from.curve.from_start(start)
    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    options = cache_options_of(caches, option)
    if trace is not None:
        check_recording(str(profile), read_from)
    if arrivals not in ARRIVALS:
        raise BadInput(
            f"--arrivals: `{arrivals}` is unknown", f"one of {', '.join(ARRIVALS)}"
        )
    stated: dict[Tier, int | None] = {"flash": flash_at_once, "disk": disk_at_once}
    metadata = preset_of(flash_metadata)
    hierarchy = Hierarchy(
        named_device(flash_device),
        named_device(disk_device),
        flash_devices=flash_devices,
        disks=disks,
        service=cast("Service", service),
        writes=cast("Writes", writes),
        at_once={tier: each for tier, each in stated.items() if each is not None},
    )
    found = question.answer(
        curve,
        ram_pages=ram_pages.at(lambda: curve.page_bytes),
        flash_pages=flash_pages.at(lambda: curve.page_bytes),
        hierarchy=hierarchy,
        rates=question.rates_of(
            curve,
            read_from.duration_s,
            accesses_per_s=accesses_per_second,
            peak_accesses_per_s=peak_accesses_per_second,
        ),
        flash_metadata=metadata,
    )
    checked = None
    if trace is not None:
        checked = _checked(
            found,
            curve,
            trace,
            hierarchy=hierarchy,
            duration_s=read_from.duration_s if arrivals == "trace" else None,
            arrivals=arrivals,
            clients=clients,
            warm_up=None if warm_up is None else parse(warm_up),
            seed=seed,
            flash_metadata=metadata,
            flash_caches=tuple(caches),
            cache_options=options,
        )
    if json:
        document: dict[str, Any] = {"start": curve.start, **found.to_dict()}
        document["check"] = None if checked is None else checked.to_dict()
        print_json(document)
        return
    print_cautions(found.cautions, every=assumptions)
    typer.echo(found.finding)
    if found.sentence:
        typer.echo(found.sentence)
    print_scale(curve)
    for rate in found.rates:
        _print_rate(found, rate.name)
    typer.echo(f"* fastest. {found.estimator}: {found.validity}")
    if checked is not None:
        print_check(checked, "Model and replay on simulated time", _figure)


def _checked(
    found: Response,
    curve: Curve,
    trace: NamedTrace,
    *,
    duration_s: float | None,
    **asked: Any,
) -> Checked:
    from tierwright.advise.checks import response as replayed

    if asked["arrivals"] == "trace" and not duration_s:
        raise BadInput(
            "--arrivals: `trace`: the recording has no time", "use --arrivals poisson"
        )
    files, reading = as_profiled(trace, curve)
    with opened(files, reading) as read, progress("replay") as on_progress:
        return replayed.check(
            found,
            curve,
            trace=read,
            recorded_accesses_per_s=curve.accesses / duration_s if duration_s else None,
            on_progress=on_progress,
            **asked,
        )


def _print_rate(found: Response, rate: str) -> None:
    rows = [row for row in found.rows if row.rate == rate]
    print_table(
        f"At the {rate} rate, {format_count(float(f'{rows[0].accesses_per_s:.3g}'))} accesses "
        "per second",
        [
            ("scheme", False),
            ("mean", True),
            ("median", True),
            ("99 %", True),
            ("99.9 %", True),
            ("flash busy", True),
            ("disk busy", True),
            ("largest rate / s", True),
        ],
        [_row(row, found.best) for row in rows],
    )


def _row(row: SchemeAt, best: str | None) -> list[str]:
    flash, disk = row.stations
    largest = row.largest_accesses_per_s
    return [
        row.scheme + (" *" if row.scheme == best else ""),
        *(
            "unbounded"
            if time is None
            else f"{'>= ' if row.without_latency and time else ''}{format_microseconds(time)}"
            for time in (row.mean_us, row.p50_us, row.p99_us, row.p999_us)
        ),
        percent(flash.utilisation),
        percent(disk.utilisation),
        "-" if largest is None else three_digits(largest),
    ]


def _figure(row: CheckedFigure, value: float | None) -> str:
    from tierwright.simulate.contenders import flash_cache_titles

    if value is None:
        # A flash cache has no model that could be without bound.
        predicted = value is not row.model or row.of not in flash_cache_titles()
        return "unbounded" if row.unit == "µs" and predicted else "-"
    if row.unit == "1/s":
        return three_digits(value)
    return percent(value) if row.unit == "1" else format_microseconds(value)
