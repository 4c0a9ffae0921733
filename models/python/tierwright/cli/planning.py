"""`tierwright scheme-map`, `throughput`, `directories`, `choose-flash`: from a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.books import book_of
from tierwright.cli.named import named_device
from tierwright.cli.options import (
    Assumptions,
    CacheOptions,
    FlashCaches,
    FlashMetadata,
    Start,
    cache_options_of,
    flash_caches_of,
    preset_of,
)
from tierwright.cli.output import (
    Json,
    numbers,
    print_cautions,
    print_check,
    print_json,
    print_table,
    progress,
    whole_numbers,
)
from tierwright.cli.reads import NamedTrace, as_profiled, may_read_trace, opened
from tierwright.cli.scale import (
    ProductionOption,
    check_recording,
    print_scale,
    workload,
)
from tierwright.cli.sizes import FlashPages, RamPages, Size, size_option
from tierwright.cli.workers import DaskOption, check_has_replays, spread_over
from tierwright.common.errors import BadInput
from tierwright.common.units import (
    format_bytes,
    format_count,
    format_microseconds,
    format_number,
    parse_bytes,
)
from tierwright.common.wording import percent

if TYPE_CHECKING:
    from tierwright.advise.checks.checked import CheckedFigure
    from tierwright.advise.checks.directories import PlaceReplayed
    from tierwright.advise.checks.scheme_map import MapReplayed
    from tierwright.advise.directories import Directories
    from tierwright.evaluate.page_flow.scheme_map import Axis, SchemeMap
    from tierwright.evaluate.throughput.schemes import ThroughputStudy
    from tierwright.profile.curve import Curve

ProfileFile = Annotated[
    Path,
    typer.Argument(metavar="PROFILE", help="Profile file of `tierwright profile`."),
]
FlashDevice = Annotated[
    str, typer.Option("--flash-device", metavar="ID", help="Device of flash.")
]
DiskDevice = Annotated[
    str, typer.Option("--disk-device", metavar="ID", help="Device behind flash.")
]
MS_PER_S = 1000.0
US_PER_S = 1e6
US_PER_MS = 1000.0
AXIS_PARTS = (2, 3)
LINES_SHOWN = 8


@may_read_trace
def scheme_map(
    profile: ProfileFile,
    *,
    flash_device: FlashDevice,
    disk_device: DiskDevice,
    x: Annotated[
        str,
        typer.Option(
            "--x", metavar="AXIS=LOW:HIGH[:N]", help="Axis across, see --y for names."
        ),
    ] = "flash_per_ram=0.5:64",
    y: Annotated[
        str,
        typer.Option(
            "--y",
            metavar="AXIS=LOW:HIGH[:N]",
            help="Axis upwards: flash_per_ram, ram_pages, flash_pages, dirty_share, "
            "asymmetry; N points, 64 unless given.",
        ),
    ] = "dirty_share=0:1",
    ram_pages: Annotated[
        Size | None, size_option("--ram-pages", "R", "RAM, unless it is an axis.")
    ] = None,
    flash_pages: Annotated[
        Size | None,
        size_option("--flash-pages", "F", "Flash, unless an axis gives it."),
    ] = None,
    dirty_share: Annotated[
        float | None,
        typer.Option(
            "--dirty-share",
            metavar="P",
            help="Share of victims that are dirty [default: measured].",
        ),
    ] = None,
    asymmetry: Annotated[
        float | None,
        typer.Option(
            "--asymmetry",
            metavar="A",
            help="Flash write over flash read [default: the device's].",
        ),
    ] = None,
    flash_metadata: FlashMetadata = None,
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book", metavar="ID|FILE", help="Prices, for the winners in money."
        ),
    ] = None,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    replay_points: Annotated[
        str,
        typer.Option(
            "--replay-points",
            metavar="NxM",
            help="With --trace: points across and upwards that are replayed, each 2 to 5.",
        ),
    ] = "3x3",
    start: Start = "steady",
    production: ProductionOption = None,
    dask: DaskOption = None,
    json: Json = False,
) -> None:
    """Map which page-flow scheme wins where, with the lines between the regions.

    With --trace, every scheme and each --flash-cache is replayed on a coarse grid over the map, with --dask by the
    workers of a cluster: who wins there, and whether the model says so.
    """
    from tierwright.advise import scheme_map as question

    read_from = workload(profile, production)
    curve = read_from.curve.from_start(start)
    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    options = cache_options_of(caches, option)
    check_has_replays(dask, trace)
    if trace is not None:
        check_recording(str(profile), read_from)

    def at(size: Size | None) -> float | None:
        return None if size is None else size.fraction_at(lambda: curve.page_bytes)

    asked: dict[str, Any] = {
        "x": _axis(x, "--x"),
        "y": _axis(y, "--y"),
        "flash": named_device(flash_device),
        "disk": named_device(disk_device),
        "ram_pages": at(ram_pages),
        "flash_pages": at(flash_pages),
        "dirty_share": dirty_share,
        "asymmetry": asymmetry,
        "flash_metadata": preset_of(flash_metadata),
    }
    found = question.answer(
        curve, **asked, prices=None if price_book is None else book_of(price_book)
    )
    checked = None
    if trace is not None:
        from tierwright.advise.checks import scheme_map as checks

        study = checks.study(
            curve,
            **asked,
            points=_coarse(replay_points),
            flash_caches=caches,
            options=options,
        )
        files, reading = as_profiled(trace, curve)
        with (
            opened(files, reading) as here,
            spread_over(dask, here) as read,
            progress("replay") as on_progress,
        ):
            checked = checks.replayed(
                study,
                curve,
                read,
                flash=asked["flash"],
                disk=asked["disk"],
                on_progress=on_progress,
            )
    if json:
        document = {"start": curve.start, **found.to_dict()}
        document["check"] = None if checked is None else checked.to_dict()
        print_json(document)
        return
    print_cautions(found.cautions)
    typer.echo(found.finding)
    print_scale(curve)
    _print_map(found.most.map)
    if checked is not None:
        _print_replayed(checked, found.most.map)


def _coarse(text: str) -> tuple[int, int]:
    """Read NxM points, or N for both."""
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.strip().isdecimal() for part in parts):  # noqa: PLR2004 - across and upwards
        raise BadInput(
            f"--replay-points: `{text}` is neither NxM nor N",
            "write for example --replay-points 3x3",
        )
    return int(parts[0]), int(parts[-1])


def _print_replayed(checked: MapReplayed, made: SchemeMap) -> None:
    titles = checked.titles

    def who(name: str | None, time_us: float | None) -> str:
        if name is None or time_us is None:
            return "-"
        return f"{titles[name]}, {format_microseconds(time_us)}"

    typer.echo("")
    typer.echo(checked.finding)
    print_table(
        "Points by replay, I/O time per access",
        [
            (made.x.name, True),
            (made.y.name, True),
            ("model's choice", False),
            ("fastest scheme", False),
            ("choice behind", True),
            ("fastest flash cache", False),
            ("cache saves", True),
        ],
        [
            [
                f"{point.x:.4g}",
                f"{point.y:.4g}",
                who(point.modelled, point.modelled_us),
                who(point.flow, point.flow_us),
                "-" if point.behind is None else percent(point.behind),
                who(point.cache, point.cache_us),
                "-" if point.cache_saves is None else percent(point.cache_saves),
            ]
            for point in checked.points
        ],
    )
    for name, reason in sorted(
        {pair for point in checked.points for pair in point.without_time.items()}
    ):
        typer.echo(f"without a time: {titles[name]}: {reason}")
    typer.echo(checked.basis)


def _axis(text: str, option: str) -> Axis:
    from tierwright.evaluate.page_flow.scheme_map import Axis

    name, _, ends = text.partition("=")
    parts = ends.split(":")
    if len(parts) not in AXIS_PARTS:
        raise BadInput(
            f"{option}: `{text}` is not AXIS=LOW:HIGH or AXIS=LOW:HIGH:N",
            f"write for example {option} flash_per_ram=0.5:64",
        )
    low, high = numbers(",".join(parts[:2]), option)
    count = whole_numbers(parts[2], option)[0] if parts[2:] else 64
    return Axis.spaced(name, low, high, count)


def _print_map(found: SchemeMap) -> None:
    cells = Counter(found.best.ravel().tolist())
    headings = [("scheme", False), ("share of the map", True)]
    money = found.money.best_by_price_times_time
    in_money = Counter([] if money is None else money.ravel().tolist())
    if money is not None:
        headings.append(("by price x time", True))
    print_table(
        f"Winners over {found.x.name} and {found.y.name}",
        headings,
        [
            [
                scheme,
                f"{cells[index] / found.best.size:.1%}",
                *([] if money is None else [f"{in_money[index] / money.size:.1%}"]),
            ]
            for index, scheme in enumerate(found.schemes)
        ],
    )
    typer.echo(f"within the known error of the model: {found.too_close.mean():.1%}")
    for line in found.crossovers:
        step = max(1, len(line.points) // LINES_SHOWN)
        typer.echo("")
        print_table(
            f"{line.schemes[0]} and {line.schemes[1]} cost the same at",
            [(found.x.name, True), (found.y.name, True)],
            [[f"{at:.4g}", f"{up:.4g}"] for at, up in line.points[::step].tolist()],
        )


@may_read_trace
def throughput(
    profile: ProfileFile,
    *,
    ram_pages: RamPages,
    flash_pages: FlashPages,
    flash_device: FlashDevice,
    disk_device: DiskDevice,
    clients: Annotated[
        int, typer.Option("--clients", metavar="N", help="Number of clients.")
    ],
    accesses_per_transaction: Annotated[
        float,
        typer.Option(
            "--accesses-per-transaction",
            metavar="A",
            help="Page accesses of one transaction.",
        ),
    ] = 1.0,
    think_ms: Annotated[
        float,
        typer.Option("--think-ms", metavar="T", help="Time between transactions. [ms]"),
    ] = 0.0,
    cpu_us: Annotated[
        float,
        typer.Option(
            "--cpu-us", metavar="T", help="Processor time of a transaction. [µs]"
        ),
    ] = 0.0,
    cpus: Annotated[int, typer.Option("--cpus", help="Processors.")] = 1,
    flash_devices: Annotated[
        int, typer.Option("--flash-devices", help="Equal flash devices.")
    ] = 1,
    disks: Annotated[int, typer.Option("--disks", help="Equal disks.")] = 1,
    vary: Annotated[
        str,
        typer.Option(
            "--vary",
            metavar="WHAT",
            help="clients, disks, flash_devices or flash_pages.",
        ),
    ] = "clients",
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            metavar="N,N,...",
            help="Its values [default: 1 to --clients for clients, else the one given].",
        ),
    ] = None,
    flash_metadata: FlashMetadata = None,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    start: Start = "steady",
    production: ProductionOption = None,
    dask: DaskOption = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Predict throughput and response time of each scheme for clients that wait.

    With --trace, every scheme and each --flash-cache is replayed, with --dask by the workers of a cluster, and both are
    shown.
    """
    from tierwright.advise import throughput as question
    from tierwright.common.derivation import plain
    from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput

    read_from = workload(profile, production)
    curve = read_from.curve.from_start(start)
    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    options = cache_options_of(caches, option)
    check_has_replays(dask, trace)
    if trace is not None:
        check_recording(str(profile), read_from)
    flash = named_device(flash_device)
    disk = named_device(disk_device)
    metadata = preset_of(flash_metadata)
    setting = Setting(
        clients=clients,
        accesses_per_transaction=accesses_per_transaction,
        think_s=think_ms / MS_PER_S,
        cpu_s_per_transaction=cpu_us / US_PER_S,
        cpus=cpus,
        flash_devices=flash_devices,
        disks=disks,
    )
    found = scheme_throughput(
        curve,
        ram_pages=ram_pages.at(lambda: curve.page_bytes),
        flash_pages=flash_pages.at(lambda: curve.page_bytes),
        flash=flash,
        disk=disk,
        setting=setting,
        vary=vary,
        points=None if points is None else whole_numbers(points, "--points"),
        flash_metadata=metadata,
    )
    last = len(found.points) - 1
    answer = question.of_study(
        found,
        setting,
        last,
        disk_name=disk.name,
        weigh=question.weigh_point(
            found,
            last,
            curve,
            flash,
            disk,
            setting=setting,
            flash_metadata=metadata,
        ),
    )
    checked = None
    if trace is not None:
        from tierwright.advise.checks import throughput as checks

        files, reading = as_profiled(trace, curve)
        with (
            opened(files, reading) as here,
            spread_over(dask, here) as read,
            progress("replay") as on_progress,
        ):
            checked = checks.replayed(
                answer,
                read,
                setting=question.present_setting(found, last, setting),
                flash=flash,
                disk=disk,
                start=curve.start,
                accesses=curve.accesses,
                flash_caches=caches,
                options=options,
                on_progress=on_progress,
            )
    if json:
        document = {"finding": answer.finding, "start": curve.start, **found.to_dict()}
        document["check"] = None if checked is None else checked.to_dict()
        print_json({**document, "cautions": plain(list(answer.cautions))})
        return
    print_cautions(answer.cautions, every=assumptions)
    typer.echo(answer.finding)
    print_scale(curve)
    _print_throughput(found, curve.start)
    if checked is not None:
        if checked.decided:
            typer.echo(f"{checked.decided}.")
        print_check(checked, "Model and replay", _checked_figure)


def _checked_figure(row: CheckedFigure, value: float | None) -> str:
    if value is None:
        return "-"
    if row.unit == "ms":
        return format_microseconds(value * US_PER_MS)
    if row.figure.startswith("busy share"):
        return percent(value)
    return format_number(value)


def _print_throughput(found: ThroughputStudy, start: Start) -> None:
    plain = found.to_dict()["schemes"]
    rows = []
    for scheme, columns in plain.items():
        rate, knee = columns["throughput_per_s"][-1], columns["knee_clients"][-1]
        rows.append(
            [
                scheme + (" *" if scheme == found.best[-1] else ""),
                "-" if rate is None else format_number(rate),
                _range(columns, start),
                format_microseconds(columns["response_s"][-1] * US_PER_S),
                columns["limit"][-1] or "-",
                _busiest(columns),
                "-" if knee is None else format_number(knee),
                "-"
                if columns["knee_disks"] is None
                else format_number(columns["knee_disks"]),
            ]
        )
    print_table(
        f"At {found.varied} = {format_count(float(found.points[-1]))}",
        [
            ("scheme", False),
            ("transactions / s", True),
            ("with hits off", True),
            ("response", True),
            ("limited by", False),
            ("busiest device", False),
            ("knee, clients", True),
            ("knee, disks", True),
        ],
        rows,
    )
    typer.echo(f"* most throughput. {found.estimator}: {found.validity}")


def _busiest(columns: dict[str, Any]) -> str:
    kind = columns["bottleneck"][-1]
    if kind is None:
        return "-"
    return f"{kind}, {min(columns['utilisation'][kind][-1], 1.0):.1%} busy"


def _range(columns: dict[str, Any], start: Start) -> str:
    """Throughput by the known error of the hits, or why there is no range."""
    ends = columns["throughput_range_per_s"]
    if ends is None:
        if columns["exact"]:
            return "exact"
        return "estimate, steady state" if start == "steady" else "estimate"
    low, high = (end[-1] for end in ends)
    if low is None or high is None:
        return "-"
    return f"{format_number(low)} to {format_number(high)}"


@may_read_trace
def directories(
    profile: ProfileFile,
    *,
    ram_bytes: Annotated[
        str, typer.Option("--ram-bytes", metavar="SIZE", help="Memory, such as 64GiB.")
    ],
    flash_bytes: Annotated[
        str, typer.Option("--flash-bytes", metavar="SIZE", help="Flash device.")
    ],
    flash_device: FlashDevice,
    disk_device: DiskDevice,
    flash_page_bytes: Annotated[
        str | None,
        typer.Option(
            "--flash-page-bytes",
            metavar="N,N,...",
            help="Sizes of flash pages [default: the workload's page]. [bytes]",
        ),
    ] = None,
    buffered_bytes: Annotated[
        int | None,
        typer.Option(
            "--buffered-bytes",
            metavar="N",
            help="Part of a directory on flash that RAM holds [default: a tenth].",
        ),
    ] = None,
    directory_hit_ratio: Annotated[
        float,
        typer.Option("--directory-hit-ratio", metavar="H", help="Of that part."),
    ] = 0.9,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    start: Start = "steady",
    production: ProductionOption = None,
    json: Json = False,
) -> None:
    """Compare places of the flash directory and sizes of flash pages.

    With --trace, each is replayed, and hits of the buffered part are measured, not assumed. Each --flash-cache is
    replayed beside them, in the RAM that its metadata leave.
    """
    from tierwright.advise import directories as question

    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    options = cache_options_of(caches, option)

    sizes = () if flash_page_bytes is None else flash_page_bytes
    read_from = workload(profile, production)
    curve = read_from.curve.from_start(start)
    if trace is not None:
        check_recording(str(profile), read_from)
    flash = named_device(flash_device)
    disk = named_device(disk_device)
    found = question.answer(
        curve,
        ram_bytes=parse_bytes(ram_bytes),
        flash_bytes=parse_bytes(flash_bytes),
        flash=flash,
        disk=disk,
        flash_page_bytes=whole_numbers(sizes, "--flash-page-bytes") if sizes else (),
        buffered_bytes=buffered_bytes,
        use=question.DirectoryUse(hit_ratio=directory_hit_ratio),
    )
    checked = None
    if trace is not None:
        from tierwright.advise.checks import directories as checks

        files, reading = as_profiled(trace, curve)
        with opened(files, reading) as read, progress("replay") as on_progress:
            checked = checks.replayed(
                found,
                curve,
                read,
                flash=flash,
                disk=disk,
                flash_caches=caches,
                options=options,
                on_progress=on_progress,
            )
    if json:
        check = None if checked is None else checked.to_dict()
        print_json({"start": curve.start, **found.to_dict(), "check": check})
        return
    _print_directories(found, curve)
    if checked is not None:
        print_check(checked, "Model and replay")
        _print_places(checked.places)


def _print_places(places: Sequence[PlaceReplayed]) -> None:
    """Print what was replayed, the fastest first; nothing where nothing was."""

    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.1%}"

    if not places:
        return
    typer.echo("")
    print_table(
        "By replay, the fastest first",
        [
            ("directory or flash cache", False),
            ("RAM it takes", True),
            ("RAM pages", True),
            ("flash pages", True),
            ("RAM hits", True),
            ("flash hits", True),
            ("time / access", True),
            ("behind", True),
        ],
        [
            [
                each.title,
                "-" if each.ram_tax_bytes is None else format_bytes(each.ram_tax_bytes),
                format_count(each.ram_pages),
                format_count(each.flash_pages),
                share(each.ram_hits),
                share(each.flash_hits),
                "-" if each.time_us is None else format_microseconds(each.time_us),
                percent(each.behind) if each.behind else "-",
            ]
            for each in places
        ],
    )
    for each in places:
        if each.reason:
            typer.echo(f"without a time: {each.title}: {each.reason}")
    if any(each.ram_tax_bytes is None for each in places):
        typer.echo("- of RAM: no figure is published, so none is subtracted")


def _print_directories(found: Directories, curve: Curve) -> None:
    print_cautions(found.cautions)
    for sentence in filter(None, (found.finding, found.remark)):
        typer.echo(sentence)
    print_scale(curve)
    print_table(
        f"Without flash: {format_microseconds(found.none_us)} per access",
        [
            ("directory", False),
            ("flash page", True),
            ("technique", False),
            ("directory size", True),
            ("RAM pages", True),
            ("scheme", False),
            ("I/O + directory, at worst", True),
            ("saved at worst", True),
            ("with full flash pages", True),
        ],
        [
            [
                option.placement + (" *" if index == found.safest else ""),
                format_bytes(option.flash_page_bytes),
                option.technique or "-",
                format_bytes(option.directory_bytes),
                format_count(option.ram_pages),
                option.safest or "-",
                "-" if option.safest is None else format_microseconds(option.worst_us),
                option.reason if option.saving is None else f"{option.saving:.1%}",
                "-"
                if option.best_if_full is None
                else format_microseconds(option.full_us),
            ]
            for index, option in enumerate(found.options)
        ],
    )
    typer.echo("* least time at worst, where each flash page holds a single valid page")


def choose_flash(
    profile: ProfileFile,
    *,
    ram_pages: RamPages,
    flash_pages: FlashPages,
    candidates: Annotated[
        str,
        typer.Option("--candidates", metavar="ID,ID,...", help="Flash devices."),
    ],
    disk_device: DiskDevice,
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book", metavar="ID|FILE", help="Prices [default: their own]."
        ),
    ] = None,
    flash_metadata: Annotated[
        str | None,
        typer.Option(
            "--flash-metadata",
            metavar="NAME",
            help="Charge the flash metadata to RAM; `tierwright metadata` lists the "
            "presets.",
        ),
    ] = None,
    start: Start = "steady",
    production: ProductionOption = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Rank flash devices by I/O time and by price times I/O time."""
    from tierwright.advise import flash_choice as question
    from tierwright.evaluate.metadata import preset

    curve = workload(profile, production).curve.from_start(start)
    found = question.answer(
        curve,
        ram_pages=ram_pages.at(lambda: curve.page_bytes),
        flash_pages=flash_pages.at(lambda: curve.page_bytes),
        candidates=[named_device(name) for name in candidates.split(",")],
        disk=named_device(disk_device),
        prices=None if price_book is None else book_of(price_book),
        flash_metadata=None if flash_metadata is None else preset(flash_metadata),
    )
    if json:
        print_json({"start": curve.start, **found.to_dict()})
        return
    from tierwright.common.currency import amount, shown_in

    print_cautions(found.cautions, every=assumptions)
    typer.echo(found.finding)
    print_scale(curve)
    print_table(
        "By I/O time; * least price x time",
        [
            ("device", False),
            ("scheme", False),
            ("I/O time / access", True),
            ("below no flash", True),
            (f"{shown_in().currency} / month", True),
            ("price x time", True),
        ],
        [
            [
                row.device_id
                + (" *" if row.device_id == found.best_by_price_times_time else ""),
                row.scheme,
                format_microseconds(row.io_time_us_per_access),
                f"{row.gain_over_none:.1%}",
                "-"
                if row.flash_usd_per_month is None
                else amount(row.flash_usd_per_month),
                row.reason
                if row.price_times_time is None
                else f"{row.price_times_time:,.4g}",
            ]
            for row in found.rows
        ],
    )
    for name, reason in found.rejected.items():
        typer.echo(f"rejected: {name} {reason}")
