"""`tierwright break-even`: DRAM or flash."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.books import book_of
from tierwright.cli.cost import amount
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
    print_cautions,
    print_check,
    print_facts,
    print_json,
    print_table,
    print_warnings,
    progress,
)
from tierwright.cli.reads import NamedTrace, as_profiled, may_read_trace, opened
from tierwright.cli.scale import (
    ProductionOption,
    check_recording,
    print_scale,
)
from tierwright.cli.scale import workload as read_workload
from tierwright.cli.sizes import Size, size_option
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count, format_microseconds
from tierwright.common.wording import counted

if TYPE_CHECKING:
    from tierwright.advise.checks.checked import Checked
    from tierwright.advise.dram_or_flash import DramOrFlash
    from tierwright.advise.dram_or_flash.break_even import BreakEven
    from tierwright.advise.dram_or_flash.elsewhere import FarAsked
    from tierwright.advise.dram_or_flash.platform_load import StatedIntervals
    from tierwright.advise.dram_or_flash.platform_verdict import PlatformVerdict
    from tierwright.advise.point import Rate
    from tierwright.evaluate.break_even.interval import (
        HostShare,
        Power,
        TierInterval,
    )
    from tierwright.evaluate.break_even.schemes import SchemeTheta
    from tierwright.hardware.prices import PriceBook
    from tierwright.profile.curve import Curve
    from tierwright.profile.document import Profile

LINES_OF_CROSSINGS = 3
CHECKED_DELTA = 1.0
"""DRAM step that is replayed unless one is given, as over HTTP. [1]"""
SECONDS_PER_MINUTE = 60
SECONDS_PER_HOUR = 3600
SECONDS_PER_DAY = 86_400


@may_read_trace
def break_even(
    *,
    flash_device: Annotated[
        str,
        typer.Option(
            "--flash-device", metavar="ID", help="Device of flash, or a device file."
        ),
    ],
    disk_device: Annotated[
        str,
        typer.Option(
            "--disk-device",
            metavar="ID",
            help="Device behind flash, or a device file.",
        ),
    ],
    delta: Annotated[
        list[float] | None,
        typer.Option(
            "--delta",
            metavar="D",
            help="DRAM step in multiples of the existing DRAM; may be repeated "
            "[default: 0.5, 1, 3].",
        ),
    ] = None,
    read_share: Annotated[
        float | None,
        typer.Option(
            "--read-share",
            metavar="X",
            help="Share of reads among the accesses that flash or disk serves [default: the "
            "profile's, else 1].",
        ),
    ] = None,
    disks: Annotated[
        int,
        typer.Option("--disks", metavar="N", help="Disks that share the load."),
    ] = 1,
    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile", metavar="PROFILE", help="Profile file, for its curve."
        ),
    ] = None,
    ram_pages: Annotated[
        Size | None,
        size_option(
            "--ram-pages", "B", "Present DRAM, with --profile or --interval-median."
        ),
    ] = None,
    usd: Annotated[
        str | None,
        typer.Option(
            "--usd", metavar="M", help="Amount to spend on DRAM or flash. [USD]"
        ),
    ] = None,
    price_book: Annotated[
        str | None,
        typer.Option("--price-book", metavar="ID|FILE", help="Prices of one date."),
    ] = None,
    ram_device: Annotated[
        str | None,
        typer.Option(
            "--ram-device", metavar="ID", help="Device of RAM, for its price."
        ),
    ] = None,
    page_bytes: Annotated[
        int | None,
        typer.Option(
            "--page-bytes",
            metavar="N",
            min=1,
            help="Page of the break-even interval [default: the profile's, or 4096].",
        ),
    ] = None,
    old_share: Annotated[
        float,
        typer.Option(
            "--old-share", metavar="S", help="Share of flash with old versions."
        ),
    ] = 0.0,
    sequential_writes: Annotated[
        bool,
        typer.Option(
            "--sequential-writes", help="Flash is written in appends, as FaCE does."
        ),
    ] = False,
    host_usd: Annotated[
        str,
        typer.Option(
            "--host-usd",
            metavar="M",
            help="What one device needs of its host, for the interval. [USD]",
        ),
    ] = "0",
    core_usd: Annotated[
        str,
        typer.Option(
            "--core-usd",
            metavar="M",
            help="Price of one core of the host, for the intervals of DRAM. [USD]",
        ),
    ] = "0",
    core_iops: Annotated[
        float,
        typer.Option(
            "--core-iops", metavar="N", help="I/Os per second that a core drives. [1/s]"
        ),
    ] = 1e6,
    dram_module: Annotated[
        str | None,
        typer.Option(
            "--dram-module",
            metavar="SIZE",
            help="Capacity of one DRAM module, with --dram-bandwidth, such as 64GiB.",
        ),
    ] = None,
    dram_bandwidth: Annotated[
        float | None,
        typer.Option(
            "--dram-bandwidth",
            metavar="GB/S",
            help="Bandwidth of that module, where DRAM bandwidth is scarce "
            "[default: left out]. [GB/s]",
        ),
    ] = None,
    usd_per_kwh: Annotated[
        str | None,
        typer.Option(
            "--usd-per-kwh",
            metavar="M",
            help="Price of electricity, for the intervals [default: power is left out]. [USD]",
        ),
    ] = None,
    watts_per_gib: Annotated[
        str | None,
        typer.Option(
            "--watts-per-gib",
            metavar="W",
            help="Power of each GiB of memory that states none, with --usd-per-kwh. [W/GiB]",
        ),
    ] = None,
    pue: Annotated[
        str,
        typer.Option(
            "--pue", metavar="X", help="Power at the meter for a watt of the device."
        ),
    ] = "1.5",
    accesses_per_s: Annotated[
        float | None,
        typer.Option(
            "--accesses-per-s",
            metavar="N",
            help="Page accesses per second, for the RAM that pays for itself [default: the "
            "profile's]. [1/s]",
        ),
    ] = None,
    drives: Annotated[
        int,
        typer.Option(
            "--drives",
            metavar="N",
            min=1,
            help="Flash drives that share the misses of RAM, for the platform.",
        ),
    ] = 1,
    memory_bandwidth: Annotated[
        float | None,
        typer.Option(
            "--memory-bandwidth",
            metavar="GB/S",
            help="Bandwidth of all DRAM, for the platform [default: no limit]. [GB/s]",
        ),
    ] = None,
    interval_median: Annotated[
        float | None,
        typer.Option(
            "--interval-median",
            metavar="S",
            help="Judge the platform on log-normal access intervals with this median, instead "
            "of the profile's curve. [s]",
        ),
    ] = None,
    interval_sigma: Annotated[
        float | None,
        typer.Option(
            "--interval-sigma",
            metavar="X",
            help="Deviation of the logarithm of these intervals: 0.4 is weak, 1.2 strong "
            "locality.",
        ),
    ] = None,
    interval_pages: Annotated[
        int | None,
        typer.Option(
            "--interval-pages",
            metavar="N",
            help="Pages that have these intervals [default: those of the profile].",
        ),
    ] = None,
    far_memory: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            "--far-memory",
            metavar="RATIO NS USD",
            help="Memory over CXL: its price over that of DRAM, the extra latency of a load "
            "[ns], and the core that waits [USD/h].",
        ),
    ] = None,
    object_store: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            "--object-store",
            metavar="BYTES USD USD",
            help="Store with fees: size of an object, fee of a request and of a byte.",
        ),
    ] = None,
    amortisation_months: Annotated[
        int,
        typer.Option(
            "--amortisation-months",
            metavar="M",
            help="Months over which a purchase is spread. [months]",
        ),
    ] = 36,
    flash_metadata: FlashMetadata = None,
    price_ratio: Annotated[
        str | None,
        typer.Option(
            "--price-ratio",
            metavar="X",
            help="Price of flash over price of DRAM, per byte; replaces the price of "
            "flash.",
        ),
    ] = None,
    start: Start = "steady",
    production: ProductionOption = None,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Say how much flash replaces DRAM, and which of the two is the better buy.

    With --trace, one DRAM step is replayed, and under every scheme the flash that is to save as much; each --flash-cache is replayed with the flash that the best scheme needs.
    """
    from tierwright.advise import dram_or_flash as question
    from tierwright.advise.dram_or_flash.break_even import (
        DEFAULT_DELTAS,
        DEFAULT_PAGE_BYTES,
        analyse,
    )
    from tierwright.advise.dram_or_flash.elsewhere import StoreAsked
    from tierwright.common.cautions import weighed
    from tierwright.common.derivation import plain
    from tierwright.evaluate.scale.replays import recorded_rate

    money = None if usd is None else amount("--usd", usd)
    flash = named_device(flash_device)
    ram = None if ram_device is None else named_device(ram_device)
    assumed: list[dict[str, str]] = []
    prices = None if price_book is None else book_of(price_book)
    if money is not None and prices is None and ram is None:
        prices = _assumed_book(flash.id, assumed)
    workload = _workload(profile, production)
    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    options = cache_options_of(caches, option)
    if trace is not None:
        _check_can_replay(profile, workload, ram_pages, delta)
    curve = None if workload is None else workload.curve.from_start(start)

    def page() -> int:
        if workload is not None:
            return workload.curve.page_bytes
        return DEFAULT_PAGE_BYTES if page_bytes is None else page_bytes

    disk = named_device(disk_device)
    pages = None if ram_pages is None else ram_pages.at(page)
    given: dict[str, Any] = {
        "deltas": DEFAULT_DELTAS if delta is None else delta,
        "read_share": read_share,
        "disks": disks,
        "usd": money,
        "prices": prices,
        "ram": ram,
        "old_share": old_share,
        "sequential_writes": sequential_writes,
        "host_usd": amount("--host-usd", host_usd),
        "host_share": _host_share(core_usd, core_iops, dram_module, dram_bandwidth),
        "power": _power(usd_per_kwh, watts_per_gib, pue),
        "amortisation_months": amortisation_months,
        "flash_metadata": preset_of(flash_metadata),
        "price_ratio": None
        if price_ratio is None
        else amount("--price-ratio", price_ratio),
    }
    intervals = _intervals(interval_median, interval_sigma, interval_pages, workload)
    found = analyse(
        flash,
        disk,
        curve=curve,
        ram_pages=_beside_curve(pages, curve, intervals),
        page_bytes=page_bytes,
        **given,
    )
    # Without a workload there are only the sizes that break even by the log model.
    answer = (
        None
        if curve is None or pages is None
        else question.answer(
            flash,
            disk,
            curve=curve,
            ram_pages=pages,
            dirty_share_range=True,
            rate=_rate(accesses_per_s, workload),
            drives=drives,
            far=None if far_memory is None else _far(*far_memory),
            store=None if object_store is None else StoreAsked(*object_store),
            dram_bytes_per_s=None
            if memory_bandwidth is None
            else memory_bandwidth * 1e9,
            intervals=intervals,
            **given,
        )
    )
    checked = (
        None
        if trace is None or curve is None or pages is None
        else _checked(
            curve,
            trace,
            caches,
            options,
            (
                accesses_per_s,
                recorded_rate(curve, None if workload is None else workload.duration_s),
            ),
            {"flash": flash, "disk": disk, "disks": disks},
            ram_pages=pages,
            delta=CHECKED_DELTA if not delta else delta[0],
            old_share=old_share,
            sequential_writes=sequential_writes,
            flash_metadata=given["flash_metadata"],
        )
    )
    platform = _platform(found, answer, intervals, pages, drives, memory_bandwidth)
    finding = None if answer is None else answer.finding
    cautions = weighed(found.warnings) if answer is None else answer.cautions
    if json:
        document = found.to_dict()
        begin = {} if curve is None else {"finding": finding, "start": curve.start}
        if answer is not None:
            paying = answer.to_dict()
            begin |= {name: paying[name] for name in (*_TODAY, "cautions")}
        else:
            begin |= {"cautions": plain(list(cautions)), "platform": plain(platform)}
        check = None if checked is None else checked.to_dict()
        warnings = assumed + document["warnings"]
        print_json({**begin, **document, "warnings": warnings, "check": check})
        return
    print_warnings(assumed)
    print_cautions(cautions, every=assumptions)
    if finding is not None:
        typer.echo(finding)
    print_scale(curve)
    _print(found, of_counters=curve is not None and curve.evidence is not None)
    _print_platform(platform)
    if answer is not None:
        _print_today(answer)
    if checked is not None:
        print_check(checked, "Model and replay")


def _print_today(answer: DramOrFlash) -> None:
    _print_paying(answer)
    _print_platform(answer.platform)
    for each in (answer.far, answer.store):
        if each is not None:
            typer.echo(each.sentence)


def _check_can_replay(
    profile: Path | None,
    workload: Profile | None,
    ram_pages: Size | None,
    delta: list[float] | None,
) -> None:
    """Refuse a replay without the recording's profile and DRAM, or of several DRAM steps."""
    if profile is None or workload is None or ram_pages is None:
        missing = "--profile" if profile is None else "--ram-pages"
        raise BadInput(
            f"--trace: a replay needs {missing}",
            "name the profile of the recording with --profile, and the existing DRAM with --ram-pages",
        )
    check_recording(str(profile), workload)
    if delta is not None and len(delta) > 1:
        raise BadInput(
            f"--trace: one DRAM step is replayed, and {len(delta)} are given",
            "give the one to replay with --delta, or leave --trace out",
        )


def _checked(
    curve: Curve,
    trace: NamedTrace,
    flash_caches: Sequence[str],
    options: Mapping[str, Mapping[str, str]],
    rates: tuple[float | None, float | None],
    devices: dict[str, Any],
    **step: Any,
) -> Checked:
    from tierwright.advise.checks import dram_or_flash as checks

    found = checks.dram_step(curve, **devices, **step)
    files, reading = as_profiled(trace, curve)
    with opened(files, reading) as read, progress("replay") as on_progress:
        return checks.replayed(
            found,
            curve,
            read,
            **devices,
            flash_caches=flash_caches,
            options=options,
            rates=rates,
            on_progress=on_progress,
        )


_TODAY = ("paying", "paying_reason", "platform", "platform_reason", "far", "store")


def _far(ratio: float, stall_ns: float, core_usd_per_hour: float) -> FarAsked:
    from tierwright.advise.dram_or_flash.elsewhere import FarAsked

    return FarAsked(ratio, stall_ns * 1e-9, core_usd_per_hour)


def _host_share(
    core_usd: str, core_iops: float, module: str | None, bandwidth: float | None
) -> HostShare | None:
    """Return what a fetch takes of the host; None where nothing is counted."""
    from tierwright.common.units import parse_bytes
    from tierwright.evaluate.break_even.interval import HostShare

    core = amount("--core-usd", core_usd)
    if not core and module is None and bandwidth is None:
        return None
    return HostShare(
        core_usd=core,
        core_iops=core_iops,
        dram_bytes=None if module is None else float(parse_bytes(module)),
        dram_bytes_per_s=None if bandwidth is None else bandwidth * 1e9,
    )


def _power(
    usd_per_kwh: str | None, watts_per_gib: str | None, pue: str
) -> Power | None:
    """Return the price of electricity; None leaves power out."""
    from tierwright.evaluate.break_even.interval import Power

    if usd_per_kwh is None:
        return None
    return Power(
        amount("--usd-per-kwh", usd_per_kwh),
        None if watts_per_gib is None else amount("--watts-per-gib", watts_per_gib),
        amount("--pue", pue),
    )


def _workload(profile: Path | None, production: str | None) -> Profile | None:
    if profile is not None:
        return read_workload(profile, production)
    if production is not None:
        raise BadInput(
            "--production needs a profile", "name that of the recording with --profile"
        )
    return None


def _rate(stated: float | None, workload: Profile | None) -> Rate | None:
    """Return the accesses per second as stated, else of the recording; None where neither says."""
    from tierwright.advise.point import Rate, rate_of
    from tierwright.simulate.contenders import check_rate

    if stated is not None:
        check_rate(stated, "--accesses-per-s")
        return Rate(stated, "as given")
    if workload is None or not workload.duration_s or not workload.curve.accesses:
        return None
    return rate_of(workload.curve, workload.duration_s)


def _intervals(
    median: float | None,
    sigma: float | None,
    pages: int | None,
    workload: Profile | None,
) -> StatedIntervals | None:
    """Return the access intervals that are stated; None where the curve speaks for itself."""
    from tierwright.advise.dram_or_flash.platform_load import StatedIntervals

    if median is None or sigma is None:
        if (median, sigma, pages) == (None, None, None):
            return None
        missing = "--interval-median" if median is None else "--interval-sigma"
        raise BadInput(
            f"{missing}: intervals need their median and their sigma",
            "state both; --interval-pages is the profile's unless given",
        )
    if pages is None and workload is None:
        raise BadInput(
            "--interval-pages: how many pages have these intervals is unknown",
            "state it, or name a profile with --profile",
        )
    known = 0 if workload is None else workload.curve.data_pages
    return StatedIntervals(median, sigma, known if pages is None else pages)


def _beside_curve(
    ram_pages: int | None, curve: Curve | None, intervals: StatedIntervals | None
) -> int | None:
    """Return the existing DRAM of the curve; without one it is that of the platform alone."""
    return None if curve is None and intervals is not None else ram_pages


def _platform(
    found: BreakEven,
    answer: DramOrFlash | None,
    intervals: StatedIntervals | None,
    ram_pages: int | None,
    drives: int,
    memory_bandwidth: float | None,
) -> PlatformVerdict | None:
    """Judge a platform on stated intervals where there is no workload; None without any.

    Raises
    ------
    BadInput
        Without the existing DRAM.
    """
    from tierwright.advise.dram_or_flash.paying_ram import known_break_evens
    from tierwright.advise.dram_or_flash.platform_verdict import Platform, judge_stated

    if answer is not None or intervals is None:
        return None
    if ram_pages is None:
        raise BadInput(
            "--ram-pages: a platform is judged with its DRAM",
            "state the existing DRAM, in pages or as 64GiB",
        )
    inputs = found.inputs
    return judge_stated(
        intervals,
        ram_pages,
        Platform(
            drive_iops=1e6 / inputs["flash_read_us"],
            drive_write_iops=1e6 / inputs["flash_write_us"],
            drives=drives,
            dram_bytes_per_s=None
            if memory_bandwidth is None
            else memory_bandwidth * 1e9,
        ),
        page_bytes=inputs["page_bytes"],
        break_even_s=next(iter(known_break_evens(found.intervals).values()), None),
    )


def _print_paying(answer: DramOrFlash) -> None:
    paying = answer.paying
    typer.echo("")
    if paying is None:
        typer.echo(
            f"RAM that pays for itself could not be computed. {answer.paying_reason}"
        )
        return
    print_table(
        f"RAM that pays for itself at {paying.accesses_per_s:,.0f} accesses per second "
        f"({paying.rate_basis})",
        [("misses read from", False), ("break-even", True), ("RAM", True)],
        [
            [
                each.lower,
                _duration(each.break_even_s),
                counted(each.pages, "page"),
            ]
            for each in paying.sizes
        ],
    )
    for each in paying.sizes:
        typer.echo(each.sentence)


def _print_platform(platform: PlatformVerdict | None) -> None:
    if platform is not None:
        typer.echo(f"{platform.finding}. {platform.sentence} {platform.writes}")
        typer.echo(f"Load: {platform.basis}.")


def _assumed_book(flash_id: str, assumed: list[dict[str, str]]) -> PriceBook | None:
    """Take the book that prices this flash device and DRAM, else the default book."""
    from tierwright.hardware import catalog
    from tierwright.hardware.prices import quarter_of

    books = [
        book
        for book in catalog.price_books().values()
        if book.find(device_id=None, kind="dram")
    ]
    own = [
        book
        for book in books
        if any(price.device_id == flash_id for price in book.prices)
    ]
    if not books:
        return None
    book = max(own or books, key=lambda entry: (entry.default, quarter_of(entry.date)))
    assumed.append(
        {
            "name": "price_book_assumed",
            "message": f"no --price-book was given; `{book.id}` ({book.date}) was used",
            "hint": "add --price-book ID or --ram-device ID to choose the prices",
        }
    )
    return book


def _print(found: BreakEven, *, of_counters: bool) -> None:
    inputs = found.inputs
    print_facts(
        [
            ("exponent E", f"{found.exponent:.6g}"),
            (
                "cost per access",
                f"disk {format_microseconds(inputs['disk_cost_us'])}, flash "
                f"{format_microseconds(inputs['flash_cost_us'])}, "
                f"{inputs['read_share']:.0%} reads ({inputs['read_share_basis']})",
            ),
        ]
    )
    typer.echo("")
    columns = [("DRAM added", True), ("flash, log model", True)]
    series: list[list[Any]] = [found.theta]
    if found.theta_from_curve is not None:
        columns.append(("flash, by the curve", True))
        series.append(found.theta_from_curve)
    if found.theta_full is not None:
        columns.append(("flash, best scheme", True))
        series.append(found.theta_full)
    columns.append(("flash pays below, of DRAM's price per byte", True))
    best = found.theta_full or found.theta_from_curve or found.theta
    unknown = [each for each in found.warnings if each.name == "sizes_unknown"]
    none = "unknown" if unknown else "unreachable"
    print_table(
        "Flash that gains as much as the added DRAM, in multiples of the existing DRAM",
        columns,
        [
            [
                f"{step:.4g} x",
                *(_multiple(values[at], none) for values in series),
                _flip(found.flip_price_ratio[at], best[at], none),
            ]
            for at, step in enumerate(found.delta)
        ],
    )
    for each in unknown:
        typer.echo(f"{each.message[0].upper()}{each.message[1:]}.")
    _print_schemes(found, none)
    if found.price_ratio is not None:
        typer.echo(f"flash costs {found.price_ratio:.4g} of what DRAM costs per byte")
    _print_money(found, of_counters=of_counters)
    typer.echo("")
    parts = _terms_shown(found.intervals)
    print_table(
        "Break-even interval: pages accessed more often belong in the upper tier",
        [
            ("upper", False),
            ("lower", False),
            ("interval", True),
            *((word, True) for word in parts),
        ],
        [
            [
                each.upper,
                each.lower,
                f"not known: {', '.join(each.missing)}"
                if each.interval_s is None
                else _duration(each.interval_s),
                *_terms(each, parts),
            ]
            for each in found.intervals
        ],
    )


_OF_HOST = ("host", "bandwidth")
_OF_POWER = ("device power", "memory power")
_TERMS = {
    "host": "host_s",
    "bandwidth": "bandwidth_s",
    "device": "device_s",
    "device power": "device_power_s",
    "memory power": "memory_power_s",
}


def _terms_shown(intervals: Sequence[TierInterval]) -> tuple[str, ...]:
    """Name the terms that have a column: host and power where anything of them counts."""
    known = [each.terms for each in intervals if each.terms is not None]
    power = any(each.device_power_s or each.memory_power_s for each in known)
    host = any(each.host_s + each.bandwidth_s > 0 for each in known)
    if not host and not power:
        return ()
    return tuple(
        word
        for word in _TERMS
        if (power or word not in _OF_POWER) and (host or word not in _OF_HOST)
    )


def _terms(interval: TierInterval, parts: Sequence[str]) -> list[str]:
    """Give the terms of an interval; empty where it is unknown."""
    terms = interval.terms
    if terms is None:
        return [""] * len(parts)
    return [_signed(getattr(terms, _TERMS[word])) for word in parts]


def _signed(seconds: float) -> str:
    return f"-{_duration(-seconds)}" if seconds < 0 else _duration(seconds)


def _print_schemes(found: BreakEven, none: str) -> None:
    schemes = found.schemes
    if schemes is None:
        return
    typer.echo("")
    print_table(
        "The same by page-flow scheme, each with its own writes and capacity (stated error)",
        [
            ("DRAM added", True),
            *((name, True) for name in schemes.schemes),
            ("least flash", False),
        ],
        [
            [
                f"{step:.4g} x",
                *(
                    _scheme_multiple(each, at, none)
                    for each in schemes.schemes.values()
                ),
                schemes.best[at]
                or ("unknown" if none == "unknown" else "no amount gains as much"),
            ]
            for at, step in enumerate(found.delta)
        ],
    )


def _scheme_multiple(found: SchemeTheta, at: int, none: str) -> str:
    """Say how much flash a scheme needs, with its stated error where it is not exact."""
    middle, least, most = (
        float(of[at]) for of in (found.theta, found.theta_least, found.theta_most)
    )
    text = (
        f"{middle:.3g}"
        if math.isfinite(middle)
        else ("none" if none == "unreachable" else none)
    )
    if found.is_trend[at]:
        text += ", trend"
    if found.exact or least == middle == most or not math.isfinite(least):
        return text
    if math.isfinite(most):
        return f"{text} ({least:.3g} to {most:.3g})"
    return f"{text} (at least {least:.3g})"


def _print_money(found: BreakEven, *, of_counters: bool) -> None:
    from tierwright.common.currency import amount as amount_of
    from tierwright.common.currency import money, shown_in

    roi = found.roi
    if roi is None:
        return
    ratio = roi["flash_to_dram_gain_ratio"]
    gains = "DRAM gains nothing" if ratio is None else f"flash gains {ratio:.3g} x DRAM"
    typer.echo("")
    print_facts(
        [
            (
                f"{money(roi['usd'])} buy",
                f"{counted(roi['dram_pages'], 'page')} of DRAM or "
                f"{counted(roi['flash_pages'], 'page')} of flash",
            ),
            *_next_facts(found, of_counters=of_counters),
            ("hits alone", f"{roi['winner']} ({gains})"),
        ]
    )
    plan = found.plan
    if plan is None:
        return
    typer.echo("")
    print_table(
        "The next amount, spent where it gains most",
        [
            (f"spent {shown_in().currency}", True),
            ("RAM pages", True),
            ("flash pages", True),
            ("DRAM saves", True),
            ("flash saves", True),
            ("next", False),
        ],
        [
            [
                amount_of(plan.usd[at]),
                format_count(plan.ram_pages[at]),
                format_count(plan.flash_pages[at]),
                _saved(plan.dram_gain[at]),
                _saved(plan.flash_gain[at]),
                choice,
            ]
            for at, choice in enumerate(plan.choice)
        ],
    )


def _saved(gain: float | None) -> str:
    return "no DRAM is left" if gain is None else format_microseconds(gain)


def _next_facts(found: BreakEven, *, of_counters: bool) -> list[tuple[str, str]]:
    from tierwright.common.currency import money

    spent = found.next_money
    if spent is None:
        return []
    ratio, flip = spent.flash_to_dram_gain_ratio, spent.flip_price_ratio
    gains = "DRAM gains nothing" if ratio is None else f"flash gains {ratio:.3g} x DRAM"
    scheme = "" if spent.flash_scheme is None else f", flash under {spent.flash_scheme}"
    no_price = (
        "unknown: no flash within what the counters speak of gains what DRAM gains"
        if of_counters
        else "no price: no flash gains what DRAM gains"
    )
    return [
        ("better buy", f"{spent.winner} ({gains}{scheme})"),
        *(
            [
                (
                    "stated error",
                    f"flash saves {_saved(spent.flash_gain_least)} to "
                    f"{_saved(spent.flash_gain_most)}, DRAM {_saved(spent.dram_gain)}: "
                    "a replay decides",
                )
            ]
            if spent.within_error
            else []
        ),
        (
            "flash is the better buy below",
            no_price if flip is None else f"{flip:.3g} of the price of DRAM per byte",
        ),
        *(
            (
                f"after {money(each.usd)}",
                f"the next sum belongs in {each.better_beyond}",
            )
            for each in spent.crossings[:LINES_OF_CROSSINGS]
        ),
    ]


def _multiple(value: float | None, none: str) -> str:
    return none if value is None else f"{value:.4g} x"


def _flip(ratio: float | None, theta: float | None, none: str) -> str:
    if ratio is not None:
        return f"{ratio:.4g}"
    return none if theta is None else "DRAM gains nothing"


def _duration(seconds: float) -> str:
    for size, unit in (
        (SECONDS_PER_DAY, "days"),
        (SECONDS_PER_HOUR, "h"),
        (SECONDS_PER_MINUTE, "min"),
    ):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
