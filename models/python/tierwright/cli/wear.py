"""`tierwright wear`: life of flash under a stated rate of writes, or under each scheme."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.books import book_of
from tierwright.cli.cost import Device, explain, plain_data
from tierwright.cli.named import named_device
from tierwright.cli.options import (
    Assumptions,
    CacheOptions,
    FlashCaches,
    FlashMetadata,
    Start,
    accesses_per_s_option,
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
    progress,
)
from tierwright.cli.reads import NamedTrace, as_profiled, may_read_trace, opened
from tierwright.cli.scale import (
    ProductionOption,
    check_recording,
    print_scale,
    workload,
)
from tierwright.cli.sizes import Size, size_option
from tierwright.cli.workers import DaskOption, check_has_replays, spread_over
from tierwright.common.errors import BadInput
from tierwright.common.units import parse_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tierwright.advise.checks.checked import Checked
    from tierwright.advise.point import Rate
    from tierwright.advise.wear import Wear
    from tierwright.evaluate.endurance.outlook import SchemeLife
    from tierwright.hardware import device as devices_
    from tierwright.profile.curve import Curve
    from tierwright.profile.document import Profile

TB = 10**12
PERCENT = 100


@may_read_trace
def wear(
    profile: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PROFILE]",
            help="Profile file of `tierwright profile`: then for every page-flow scheme.",
        ),
    ] = None,
    *,
    device: Device,
    write_mb_per_s: Annotated[
        float | None,
        typer.Option(
            "--write-mb-per-s",
            metavar="R",
            help="Host writes, where there is no profile. [10^6 bytes/s]",
        ),
    ] = None,
    ram_pages: Annotated[Size | None, size_option("--ram-pages", "R", "RAM.")] = None,
    flash_pages: Annotated[
        Size | None, size_option("--flash-pages", "F", "Flash.")
    ] = None,
    disk_device: Annotated[
        str | None,
        typer.Option("--disk-device", metavar="ID", help="Device behind flash."),
    ] = None,
    accesses_per_s: Annotated[
        float | None,
        accesses_per_s_option("Load in page accesses [default: the profile's own]."),
    ] = None,
    growth: Annotated[
        float,
        typer.Option(
            "--growth", metavar="G", help="Of the load; 0.2: 20 % more. [1/year]"
        ),
    ] = 0.0,
    devices: Annotated[
        int,
        typer.Option("--devices", metavar="N", min=1, help="That share the writes."),
    ] = 1,
    written_tb: Annotated[
        float | None,
        typer.Option(
            "--written-tb", metavar="TB", help="Written before [default: 0]. [TB]"
        ),
    ] = None,
    health: Annotated[
        Path | None,
        typer.Option(
            "--health",
            metavar="FILE",
            help="JSON of `smartctl --json -x` or `nvme smart-log -o json`: what was "
            "written before.",
        ),
    ] = None,
    rated_tb: Annotated[
        float | None,
        typer.Option(
            "--rated-tb", metavar="TB", help="TBW of one [default: as it states]. [TB]"
        ),
    ] = None,
    rated_years: Annotated[
        float | None,
        typer.Option(
            "--rated-years",
            metavar="Y",
            help="Years of its rated drive writes per day, where it does not state "
            "them [default: 5 are assumed].",
        ),
    ] = None,
    rated_dwpd: Annotated[
        float | None,
        typer.Option(
            "--rated-dwpd",
            metavar="D",
            help="Drive writes per day [default: as it states, else 1 is assumed]. "
            "[1/day]",
        ),
    ] = None,
    sequential_share: Annotated[
        float | None,
        typer.Option(
            "--sequential-share",
            metavar="S",
            help="Share of host bytes in large writes, for the device's WAF figures; "
            "without a profile.",
        ),
    ] = None,
    waf: Annotated[
        float | None,
        typer.Option("--waf", metavar="W", help="Write amplification, if you know it."),
    ] = None,
    pe_cycles: Annotated[
        float | None,
        typer.Option(
            "--pe-cycles",
            metavar="N",
            help="P/E cycles of a block [default: the rated writes of the device].",
        ),
    ] = None,
    nand: Annotated[
        str | None,
        typer.Option(
            "--nand", metavar="SIZE", help="All NAND [default: the capacity]."
        ),
    ] = None,
    spare_percent: Annotated[
        int | None,
        typer.Option(
            "--spare-percent",
            metavar="S",
            help="(physical - logical) / logical: with --pe-cycles, the write amplification is "
            "computed from it. [%]",
        ),
    ] = None,
    block_pages: Annotated[
        int | None,
        typer.Option(
            "--block-pages",
            metavar="N",
            help="Pages of an erase block, with --spare-percent [default: 256].",
        ),
    ] = None,
    gc: Annotated[
        str | None,
        typer.Option(
            "--gc",
            metavar="RULE",
            help="Which block is collected, with --spare-percent: greedy, fifo or random "
            "[default: greedy].",
        ),
    ] = None,
    dirty_share: Annotated[
        float | None,
        typer.Option(
            "--dirty-share",
            metavar="P",
            help="Dirty share of the evicted pages, for a given curve [default: as "
            "stated in the profile; if unknown, lifetimes are ranges].",
        ),
    ] = None,
    flash_metadata: FlashMetadata = None,
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book",
            metavar="ID|FILE",
            help="Prices [default: the device's own].",
        ),
    ] = None,
    amortisation_months: Annotated[
        int,
        typer.Option(
            "--amortisation-months",
            metavar="M",
            help="Months over which the device is written off. [months]",
        ),
    ] = 36,
    start: Start = "steady",
    production: ProductionOption = None,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    data_on_flash: Annotated[
        str | None,
        typer.Option(
            "--data-on-flash",
            metavar="NAMES",
            help="Policies and buffers to replay besides, with all data on the flash device and no disk, separated by "
            "commas; needs --trace.",
        ),
    ] = None,
    dask: DaskOption = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Say how long flash lasts: under each scheme, or at a rate; by rating or P/E cycles.

    With --trace, every scheme, each --flash-cache and each policy of --data-on-flash is replayed: its flash writes are
    counted and, with --spare-percent, a flash device under it counts the write amplification. With --dask, the workers of a cluster replay.
    """
    check_has_replays(dask, trace)
    found = named_device(device)
    if pe_cycles is None:
        _refuse_unused(nand, None if profile is None else waf)
    by_scheme = {
        "--ram-pages": ram_pages,
        "--flash-pages": flash_pages,
        "--disk-device": disk_device,
    }
    only_by_scheme = {
        **by_scheme,
        "--accesses-per-s": accesses_per_s,
        "--written-tb": written_tb,
        "--health": health,
        "--rated-tb": rated_tb,
        "--dirty-share": dirty_share,
        "--flash-metadata": flash_metadata,
        "--price-book": price_book,
        "--growth": growth or None,
        "--devices": None if devices == 1 else devices,
        "--production": production,
        "--spare-percent": spare_percent,
        "--block-pages": block_pages,
        "--gc": gc,
        "--trace": trace,
        "--flash-cache": flash_cache,
        "--option": option or None,
        "--data-on-flash": data_on_flash,
    }
    if profile is None:
        given = [name for name, value in only_by_scheme.items() if value is not None]
        if given:
            raise BadInput(
                f"{given[0]} needs a profile",
                "give the PROFILE of the workload, or --write-mb-per-s alone",
            )
        if write_mb_per_s is None:
            raise BadInput(
                "there is no load",
                "give a PROFILE with sizes and devices, or --write-mb-per-s R",
            )
        _at_a_rate(
            found,
            device,
            write_mb_per_s,
            sequential_share,
            waf,
            pe_cycles,
            nand,
            {"dwpd": rated_dwpd, "years": rated_years},
            json=json,
        )
        return
    if write_mb_per_s is not None or sequential_share is not None:
        name = (
            "--write-mb-per-s" if write_mb_per_s is not None else "--sequential-share"
        )
        raise BadInput(
            f"{name} cannot be combined with a profile",
            "set the load with --accesses-per-s: with a profile, the writes follow "
            "from the schemes",
        )
    missing = [name for name, value in by_scheme.items() if value is None]
    if missing:
        raise BadInput(
            f"a profile needs {', '.join(missing)}",
            "give sizes and devices, as for `tierwright evaluate`",
        )
    assert ram_pages is not None  # not missing
    assert flash_pages is not None
    if written_tb is not None and health is not None:
        raise BadInput(
            "--written-tb and --health cannot be combined", "give one of the two"
        )
    read = workload(profile, production)
    if trace is not None:
        check_recording(str(profile), read)
    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    if data_on_flash is not None and trace is None:
        raise BadInput(
            f"--data-on-flash: `{data_on_flash}` needs a trace to replay",
            "name the recording with --trace",
        )
    from tierwright.advise.checks.flash_caches import options_of_caches
    from tierwright.advise.checks.wear import OF_THE_ANSWER

    _of_a_profile(
        read,
        found,
        {
            "ram_pages": ram_pages.at(lambda: read.curve.page_bytes),
            "flash_pages": flash_pages.at(lambda: read.curve.page_bytes),
            "flash": found,
            "disk": named_device(str(disk_device)),
            "flash_metadata": preset_of(flash_metadata),
        },
        {
            "devices": devices,
            "pe_cycles": pe_cycles,
            "nand_bytes": None if nand is None else parse_bytes(nand),
            "waf_in_place": waf,
            "rated_tb": rated_tb,
            "rated_years": rated_years,
            "rated_dwpd": rated_dwpd,
            "spare_percent": spare_percent,
            "block_pages": block_pages,
            "collection": gc,
        },
        {
            "accesses_per_s": accesses_per_s,
            "growth_per_year": growth,
            "written_tb": _written(written_tb, health),
        },
        dirty_share=dirty_share,
        start=start,
        price_book=price_book,
        months=amortisation_months,
        trace=trace,
        flash_caches=caches,
        options=options_of_caches(
            caches, option or [], "--option", device=OF_THE_ANSWER
        ),
        data_on_flash=[
            each.strip() for each in (data_on_flash or "").split(",") if each
        ],
        dask=dask,
        assumptions=assumptions,
        json=json,
    )


def _written(written_tb: float | None, health: Path | None) -> float:
    """Written to the devices before: as given, or as the drive counts it. [TB]"""
    if health is None:
        return written_tb or 0.0
    from tierwright.hardware.smart import read_smart

    told = read_smart(health).host_bytes_written
    if told is None:
        raise BadInput(
            f"{health}: the drive does not report how much was written to it",
            "give --written-tb",
        )
    return told / TB


def _rate(profile: Profile, given: float | None) -> Rate:
    """Page accesses per second, and where that is from."""
    from tierwright.advise.point import Rate, rate_of

    if given is not None:
        return Rate(given, "as given")
    if not profile.duration_s:
        raise BadInput(
            "the profile does not state how long its workload took",
            "give --accesses-per-s, the page accesses per second of the running system",
        )
    return rate_of(profile.curve, profile.duration_s)


def _of_a_profile(
    profile: Profile,
    device: devices_.Device,
    choices: dict[str, Any],
    limits: dict[str, Any],
    load: dict[str, Any],
    *,
    dirty_share: float | None,
    start: str,
    price_book: str | None,
    months: int,
    trace: NamedTrace | None,
    flash_caches: Sequence[str],
    options: Mapping[str, Mapping[str, str]],
    data_on_flash: Sequence[str],
    dask: str | None,
    assumptions: bool,
    json: bool,
) -> None:
    from tierwright.advise import wear as question
    from tierwright.evaluate.scale.replays import recorded_rate

    curve = profile.curve
    if dirty_share is not None:
        curve = curve.with_dirty_share(dirty_share)
    curve = curve.from_start(start)
    rate = _rate(profile, load["accesses_per_s"])
    found = question.answer(
        curve,
        **choices,
        **limits,
        **{**load, "accesses_per_s": rate.accesses_per_s},
        prices=None if price_book is None else book_of(price_book),
        amortisation_months=months,
    )
    checked = (
        None
        if trace is None
        else _checked(
            found,
            curve,
            trace,
            flash_caches,
            options,
            data_on_flash,
            dask,
            recorded_per_s=recorded_rate(curve, profile.duration_s),
        )
    )
    document = _document(found, rate.basis)
    document["check"] = None if checked is None else checked.to_dict()
    if json:
        print_json(document)
        return
    print_cautions(found.cautions, every=assumptions)
    typer.echo(found.finding)
    print_scale(curve)
    _print(document, device.id)
    explain(found.budget.derivation, ())
    if checked is not None:
        print_check(checked, "Model and replay")


def _checked(
    found: Wear,
    curve: Curve,
    trace: NamedTrace,
    flash_caches: Sequence[str],
    options: Mapping[str, Mapping[str, str]],
    data_on_flash: Sequence[str],
    dask: str | None,
    *,
    recorded_per_s: float | None,
) -> Checked:
    from tierwright.advise.checks import wear as checks

    files, reading = as_profiled(trace, curve)
    with (
        opened(files, reading) as here,
        spread_over(dask, here) as read,
        progress("replay") as on_progress,
    ):
        return checks.replayed(
            found,
            curve,
            read,
            flash_caches=flash_caches,
            cache_options=options,
            recorded_per_s=recorded_per_s,
            data_on_flash=data_on_flash,
            on_progress=on_progress,
        )


def _document(found: Wear, rate_basis: str) -> dict[str, Any]:
    """All of it, as HTTP answers: at the upper end where the dirty share is unknown."""
    evaluation, in_place = found.evaluation, found.budget.in_place_tb
    inputs = evaluation.inputs
    return {
        "finding": found.finding,
        "start": evaluation.start,
        "accesses_per_s": found.accesses_per_s,
        "rate_basis": rate_basis,
        "ram_pages": inputs["ram_pages"],
        "flash_pages": inputs["flash_pages"],
        "page_bytes": inputs["page_bytes"],
        "ram_budget": plain_data(evaluation.ram_budget),
        "budget": {
            **_without(plain_data(found.budget), "derivation"),
            "written_tb": found.written_tb,
            "left_tb": found.left_tb,
            "left_share": None
            if found.left_tb is None or not in_place
            else found.left_tb / in_place,
        },
        "dirty_share_unknown": found.dirty_share_unknown,
        "gentlest": found.gentlest,
        "schemes": {
            each.scheme: _scheme(each.life, each.least_life, each.money)
            for each in found.schemes
        },
        "money_reason": found.money_reason,
        "estimator": found.estimator,
        "validity": found.validity,
        "derivation": plain_data(found.budget.derivation),
        "warnings": plain_data(found.warnings),
        "cautions": plain_data(found.cautions),
    }


def _scheme(
    life: SchemeLife, least: SchemeLife | None, money: object | None
) -> dict[str, Any]:
    found = _without(plain_data(life), "derivation")
    if least is not None:
        found["years_to"] = plain_data(least.years_to)
        found["least_pages_per_access"] = least.least_pages_per_access
    return {
        **found,
        "never_worn_out": life.years == math.inf,
        "none_dirty": None
        if least is None
        else {
            "tb_per_day": least.tb_per_day,
            "drive_writes_per_day": least.drive_writes_per_day,
            "years": plain_data(least.years),
            "never_worn_out": least.years == math.inf,
        },
        "money": None if money is None else _without(plain_data(money), "derivation"),
        "derivation": plain_data(life.derivation),
    }


def _without(found: Any, name: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != name}


def _print(document: dict[str, Any], device_id: str) -> None:
    from tierwright.common.currency import shown_in

    budget = document["budget"]
    left = "-"
    if budget["left_tb"] is not None:
        left = f"{budget['left_tb']:,.4g} TB"
        if budget["left_share"] is not None:
            left += f" ({budget['left_share'] * PERCENT:.3g} %)"
    print_facts(
        [
            (
                "load",
                f"{document['accesses_per_s']:,.4g} page accesses/s "
                f"({document['rate_basis']})",
            ),
            (
                "the device takes",
                "-"
                if budget["in_place_tb"] is None
                else f"{budget['in_place_tb']:,.4g} TB ({budget['basis']})",
            ),
            ("of it left", left),
        ]
    )
    typer.echo("")
    print_table(
        f"Life of {device_id} by scheme"
        + (
            ", from no dirty page to the maximum possible"
            if document["dirty_share_unknown"]
            else ""
        ),
        [
            ("scheme", False),
            ("years", True),
            ("range", True),
            ("TB / day", True),
            ("drive writes / day", True),
            (f"wear {shown_in().currency} / month", True),
        ],
        [_row(name, row) for name, row in document["schemes"].items()],
    )
    if document["dirty_share_unknown"] and document["gentlest"] is None:
        typer.echo(
            "which scheme writes least depends on the share of evicted pages that are "
            "dirty, which is unknown: state it with --dirty-share P"
        )
    if document["money_reason"]:
        typer.echo(f"no cost: {document['money_reason']}")


def _row(name: str, row: dict[str, Any]) -> list[str]:
    from decimal import Decimal

    from tierwright.common.currency import amount

    other = row["none_dirty"] or row

    def ends(key: str) -> str:
        values = [row[key], other[key]]
        texts = ["-" if value is None else f"{value:.4g}" for value in values]
        return texts[0] if texts[0] == texts[1] else " to ".join(texts)

    money = row["money"]
    span = "-"
    if row["years_from"] is not None:
        top = "no end" if row["years_to"] is None else f"{row['years_to']:.4g}"
        span = f"{row['years_from']:.4g} to {top}"
    return [
        name,
        "never worn out" if row["never_worn_out"] else ends("years"),
        span,
        ends("tb_per_day"),
        ends("drive_writes_per_day"),
        "-" if money is None else amount(Decimal(money["usd_per_month"])),
    ]


def _refuse_unused(nand: str | None, waf: float | None) -> None:
    """Refuse what only P/E cycles use.

    Raises
    ------
    BadInput
        If one is given.
    """
    for name, value in (("--nand", nand), ("--waf", waf)):
        if value is not None:
            raise BadInput(
                f"{name} `{value}` has no effect without --pe-cycles",
                "add --pe-cycles N, or leave it out: the rated writes of the device "
                "are used, which include its WAF",
            )


def _at_a_rate(
    found: devices_.Device,
    device: str,
    write_mb_per_s: float,
    sequential_share: float | None,
    waf: float | None,
    pe_cycles: float | None,
    nand: str | None,
    rating: dict[str, float | None],
    *,
    json: bool,
) -> None:
    from tierwright.evaluate.endurance import wear as endurance_wear
    from tierwright.hardware import rated_endurance

    if waf is not None and sequential_share is not None:
        raise BadInput(
            "--waf and --sequential-share cannot be combined",
            "give the WAF, or the share of large writes",
        )
    if pe_cycles is None:
        rated = rated_endurance.rated_endurance(found, **rating, assume=True)
        if rated.tb_written is None:
            raise BadInput(
                f"device `{device}` states no rated writes",
                "give --pe-cycles and --waf, or a device with a rating or a capacity",
            )
        if waf is not None or sequential_share is not None:
            raise BadInput(
                "--waf and --sequential-share need --pe-cycles",
                "leave them out: a rating in host writes includes the WAF",
            )
        left = endurance_wear.remaining(
            rated_tb=rated.tb_written,
            written_tb=0.0,
            tb_per_day=write_mb_per_s * 86_400 / 1e6,
        )
        document = {"rated": plain_data(rated), **left.to_dict()}
        document["warnings"] = [*plain_data(rated.warnings), *document["warnings"]]
        if json:
            print_json(document)
            return
        years = left.years_left
        print_facts(
            [
                ("rated writes", f"{rated.tb_written:,.4g} TB ({rated.basis})"),
                ("years at this load", "-" if years is None else f"{years:.3g}"),
            ]
        )
        explain(left.derivation, [*rated.warnings, *left.warnings])
        return
    if waf is None:
        pattern = endurance_wear.waf_by_pattern(
            found, 0.0 if sequential_share is None else sequential_share
        )
        waf = float(pattern.waf)
    size = found.capacity_bytes if nand is None else parse_bytes(nand)
    if size is None:
        raise BadInput(f"device `{device}` states no capacity", "give --nand SIZE")
    life = endurance_wear.lifetime(
        nand_bytes=size,
        pe_cycles=pe_cycles,
        waf=waf,
        host_bytes_per_s=write_mb_per_s * 1e6,
    )
    if json:
        print_json({"waf": waf, **life.to_dict()})
        return
    years = float(life.years)
    print_facts(
        [
            ("write amplification", f"{waf:.4g}"),
            ("years at this load", f"{years:.3g}"),
            ("host writes over the life", f"{float(life.host_tb_written):,.4g} TB"),
            (
                "drive writes per day for 5 years",
                f"{float(life.drive_writes_per_day):.3g}",
            ),
        ]
    )
    explain(life.derivation, life.warnings)
