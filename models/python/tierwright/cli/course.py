"""`tierwright course`: a system on simulated time, window by window."""

from __future__ import annotations

import csv as tables
import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tierwright.cli.named import named_device
from tierwright.cli.options import (
    FlashMetadata,
    ServiceTimes,
    WaitsForWrites,
    preset_of,
)
from tierwright.cli.output import (
    Json,
    pairs,
    print_cautions,
    print_json,
    print_table,
    progress,
)
from tierwright.cli.planning import DiskDevice, FlashDevice
from tierwright.cli.reads import reads_trace
from tierwright.cli.sizes import FlashPages, RamPages
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count, format_microseconds
from tierwright.common.wording import percent, three_digits
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.advise.course import Course, CourseWindow, Restart
    from tierwright.evaluate.response.queue import Service
    from tierwright.evaluate.response.schemes import Writes

ARRIVALS = ("clients", "poisson", "trace")
MS_PER_S = 1000.0
UNKNOWN = "-"


@reads_trace
def course(
    trace: Trace,
    *,
    scheme: Annotated[
        str,
        typer.Option(
            "--scheme", metavar="NAME", help="Page-flow scheme or flash cache."
        ),
    ],
    ram_pages: RamPages,
    flash_pages: FlashPages,
    flash_device: FlashDevice,
    disk_device: DiskDevice,
    flash_devices: Annotated[
        int, typer.Option("--flash-devices", help="Equal flash devices.")
    ] = 1,
    disks: Annotated[int, typer.Option("--disks", help="Equal disks.")] = 1,
    arrivals: Annotated[
        str,
        typer.Option(
            "--arrivals",
            metavar="clients|poisson|trace",
            help="From --clients that wait and think, at --accesses-per-second, or as recorded.",
        ),
    ] = "clients",
    clients: Annotated[
        int,
        typer.Option(
            "--clients", metavar="N", min=1, max=2**20, help="Clients that wait."
        ),
    ] = 16,
    think_ms: Annotated[
        float,
        typer.Option(
            "--think-ms", metavar="T", help="Mean time between two accesses. [ms]"
        ),
    ] = 0.0,
    accesses_per_second: Annotated[
        float | None,
        typer.Option(
            "--accesses-per-second",
            metavar="N",
            help="Rate of --arrivals poisson. [1/s]",
        ),
    ] = None,
    window_s: Annotated[
        float | None,
        typer.Option(
            "--window-s",
            metavar="T",
            help="Length of a window [default: a round one that makes at most 120]. [s]",
        ),
    ] = None,
    crash_at: Annotated[
        float | None,
        typer.Option(
            "--crash-at",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Crash after this share of the accesses.",
        ),
    ] = None,
    restart: Annotated[
        str,
        typer.Option(
            "--restart",
            metavar="warm|cold",
            help="Whether the contents of flash survive the crash; under a page-flow scheme they do not.",
        ),
    ] = "warm",
    checkpoint_interval_s: Annotated[
        float,
        typer.Option(
            "--checkpoint-interval-s",
            metavar="T",
            min=0.0,
            help="Time between two checkpoints, which decides what redo reads after a crash, and how often a flash cache that can take checkpoints does; 0: no redo. [s]",
        ),
    ] = 300.0,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="K=V",
            help="Of the scheme or flash cache, such as ram_policy=arc or admission=cachesack; may be repeated.",
        ),
    ] = None,
    writes: WaitsForWrites = "background",
    service: ServiceTimes = "constant",
    flash_metadata: FlashMetadata = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**64 - 1, help="Of what is random.")
    ] = 0,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print the windows as CSV.")
    ] = False,
    json: Json = False,
) -> None:
    """Replay a scheme or flash cache on simulated time: hits, dirty share, busy devices and rate by window.

    With --crash-at, filling, steady state, crash and recovery follow each other in one replay.
    """
    from tierwright.advise import course as question
    from tierwright.evaluate.response.schemes import Hierarchy
    from tierwright.profile.measure import profile
    from tierwright.simulate.contenders import spelled
    from tierwright.simulate.timed import ArrivalKind, Arrivals

    if csv and json:
        raise BadInput("--csv: cannot be combined with --json", "leave one of them out")
    if arrivals not in ARRIVALS:
        raise BadInput(
            f"--arrivals: `{arrivals}` is unknown", f"one of {', '.join(ARRIVALS)}"
        )
    if restart not in ("warm", "cold"):
        raise BadInput(f"--restart: `{restart}` is unknown", "one of warm, cold")
    if arrivals == "poisson" and accesses_per_second is None:
        raise BadInput(
            "--arrivals: `poisson` needs a rate", "give --accesses-per-second"
        )
    with progress("profile") as on_progress:
        curve = profile(trace, on_progress=on_progress).curve
    with progress("replay") as on_progress:
        found = question.answer(
            trace,
            curve,
            system=spelled(scheme),
            ram_pages=ram_pages.at(lambda: curve.page_bytes),
            flash_pages=flash_pages.at(lambda: curve.page_bytes),
            hierarchy=Hierarchy(
                named_device(flash_device),
                named_device(disk_device),
                flash_devices=flash_devices,
                disks=disks,
                service=cast("Service", service),
                writes=cast("Writes", writes),
            ),
            arrivals=Arrivals(
                cast("ArrivalKind", arrivals),
                accesses_per_s=accesses_per_second or 0.0,
                clients=clients,
                think_s=think_ms / MS_PER_S,
            ),
            options=pairs(option or [], "--option"),
            window_s=window_s,
            crash_at=crash_at,
            restart=cast("Restart", restart),
            checkpoint_interval_s=checkpoint_interval_s,
            seed=seed,
            flash_metadata=preset_of(flash_metadata),
            on_progress=on_progress,
        )
    if json:
        print_json(found.to_dict())
    elif csv:
        _print_csv(found)
    else:
        _print(found)


def _print_csv(found: Course) -> None:
    writer = tables.writer(sys.stdout, lineterminator="\n")
    rows = found.to_dict()["windows"]
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow("" if value is None else value for value in row.values())


def _print(found: Course) -> None:
    typer.echo(found.finding)
    if found.ram_tax:
        typer.echo(found.ram_tax)
    print_cautions(found.cautions)
    print_table(
        f"{found.title}, windows of {three_digits(found.window_s)} s",
        [
            ("from [s]", True),
            ("accesses", True),
            ("answers/s", True),
            ("unanswered", True),
            ("RAM hits", True),
            ("flash hits", True),
            ("mean", True),
            ("99 %", True),
            ("flash busy", True),
            ("disk busy", True),
            ("flash used", True),
            ("dirty", True),
        ],
        [_row(each) for each in found.windows],
    )
    typer.echo(f"{found.estimator}: {found.validity}")


def _row(window: CourseWindow) -> list[str]:
    def share(value: float | None) -> str:
        return UNKNOWN if value is None else percent(value)

    def time(value: float | None) -> str:
        return UNKNOWN if value is None else format_microseconds(value)

    rate = window.accesses_per_s
    return [
        three_digits(window.start_s),
        format_count(window.accesses),
        UNKNOWN if rate is None else three_digits(rate),
        format_count(window.unanswered),
        share(window.ram_hit_share),
        share(window.flash_hit_share),
        time(window.mean_us),
        time(window.p99_us),
        share(window.flash_busy),
        share(window.disk_busy),
        share(window.flash_used_share),
        share(window.dirty_share),
    ]
