"""`tierwright flash-device`: what garbage collection makes of writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.output import (
    Json,
    print_cautions,
    print_facts,
    print_json,
    print_table,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count, parse_bytes
from tierwright.common.wording import counted, percent

if TYPE_CHECKING:
    from tierwright.advise.flash_device import FlashDeviceAnswer

DEFAULT_PAGES = 2**18


def flash_device(
    *,
    pages: Annotated[
        int | None,
        typer.Option(
            "--pages",
            metavar="N",
            help=f"Pages that the host sees [default: {DEFAULT_PAGES}; WAF hardly "
            "depends on it].",
        ),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            "--capacity", metavar="SIZE", help="Instead of pages, such as 1GiB."
        ),
    ] = None,
    page_bytes: Annotated[
        int, typer.Option("--page-bytes", metavar="N", min=1, help="Page. [bytes]")
    ] = 4096,
    spare: Annotated[
        float,
        typer.Option(
            "--spare",
            metavar="S",
            help="(physical - logical) / logical: 0.07 of most drives, 0.28 of those "
            "for many writes.",
        ),
    ] = 0.07,
    block_pages: Annotated[
        int,
        typer.Option("--block-pages", metavar="N", help="Pages of an erase block."),
    ] = 256,
    gc: Annotated[
        str,
        typer.Option(
            "--gc",
            metavar="RULE",
            help="Which block is collected: greedy, fifo, random, choices or "
            "cost-benefit.",
        ),
    ] = "greedy",
    mapping: Annotated[
        str,
        typer.Option(
            "--mapping",
            metavar="NAME",
            help="Translation layer: page; block, bast or fast, of the devices of 2008 to "
            "2011; zones.",
        ),
    ] = "page",
    choices: Annotated[
        int | None,
        typer.Option(
            "--choices",
            metavar="D",
            help="Blocks drawn at random, of which the emptiest is collected, with "
            "--gc choices [default: 10].",
        ),
    ] = None,
    workload: Annotated[
        str,
        typer.Option(
            "--workload",
            metavar="NAME",
            help="uniform, zipf, hot-cold, sequential or log-and-random.",
        ),
    ] = "uniform",
    exponent: Annotated[
        float | None,
        typer.Option("--exponent", metavar="S", help="Of zipf [default: 0.9]."),
    ] = None,
    hot_pages: Annotated[
        float | None,
        typer.Option(
            "--hot-pages",
            metavar="P",
            help="Share of the pages that are hot, or the log [default: 0.2].",
        ),
    ] = None,
    hot_writes: Annotated[
        float | None,
        typer.Option(
            "--hot-writes",
            metavar="P",
            help="Share of the writes to them [default: 0.8].",
        ),
    ] = None,
    run_pages: Annotated[
        int | None,
        typer.Option(
            "--run-pages",
            metavar="N",
            help="Pages of the log that are written at once [default: a block].",
        ),
    ] = None,
    streams: Annotated[
        int,
        typer.Option(
            "--streams",
            metavar="N",
            help="2: the hot pages, or the log, have a write stream (FDP) of their own.",
        ),
    ] = 1,
    copies_apart: Annotated[
        bool,
        typer.Option(
            "--copies-apart",
            help="Copies of collection share one open block, instead of staying in "
            "their stream.",
        ),
    ] = False,
    buffer_pages: Annotated[
        int,
        typer.Option(
            "--buffer-pages",
            metavar="N",
            min=0,
            help="Pages of the device's write buffer, which absorbs rewrites of the pages in it.",
        ),
    ] = 0,
    trim_share: Annotated[
        float,
        typer.Option(
            "--trim-share",
            metavar="Q",
            help="Share of the requests that trim a random page in use.",
        ),
    ] = 0.0,
    writes: Annotated[
        int | None,
        typer.Option(
            "--writes",
            metavar="N",
            help="Requests that count, after as many that do not [default: 12 per page].",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Of all that is random.")
    ] = 0,
    pe_cycles: Annotated[
        float | None,
        typer.Option(
            "--pe-cycles", metavar="N", help="Program and erase cycles, for the life."
        ),
    ] = None,
    write_mb_per_s: Annotated[
        float | None,
        typer.Option(
            "--write-mb-per-s",
            metavar="R",
            help="Host writes, for the life. [10^6 bytes/s]",
        ),
    ] = None,
    drive_writes_per_day: Annotated[
        float | None,
        typer.Option(
            "--drive-writes-per-day",
            metavar="D",
            help="Host writes, for the life of a device of any size. [1/day]",
        ),
    ] = None,
    spares: Annotated[
        str | None,
        typer.Option(
            "--spares",
            metavar="S,...",
            help="Spare spaces, such as 0.07,0.28: every rule of collection is simulated at "
            "each, too.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Simulate a flash device: write amplification, erases and life, beside the closed form."""
    from tierwright.advise import flash_device as question
    from tierwright.simulate.flash_device import COLLECTIONS, MAPPINGS, FlashDevice

    if gc not in COLLECTIONS:
        raise BadInput(f"--gc: `{gc}` is unknown", f"use {', '.join(COLLECTIONS)}")
    if mapping not in MAPPINGS:
        raise BadInput(
            f"--mapping: `{mapping}` is unknown", f"use {', '.join(MAPPINGS)}"
        )
    if workload not in question.WORKLOADS:
        raise BadInput(
            f"--workload: `{workload}` is unknown",
            f"use {', '.join(question.WORKLOADS)}",
        )
    if choices is not None and gc != "choices":
        raise BadInput(
            f"--choices `{choices}` has no effect with --gc {gc}",
            "add --gc choices, or leave it out",
        )
    split = ("hot-cold", "log-and-random")
    for name, value, users in (
        ("--exponent", exponent, ("zipf",)),
        ("--hot-pages", hot_pages, split),
        ("--hot-writes", hot_writes, split),
        ("--run-pages", run_pages, ("log-and-random",)),
    ):
        if value is not None and workload not in users:
            raise BadInput(
                f"{name} `{value}` has no effect with --workload {workload}",
                f"use --workload {' or '.join(users)}, or leave it out",
            )
    given: dict[str, Any] = {
        "exponent": exponent,
        "hot_pages": hot_pages,
        "hot_writes": hot_writes,
        "run_pages": run_pages,
    }
    device = FlashDevice.of_spare(
        _pages(pages, capacity, page_bytes),
        spare,
        block_pages,
        collection=gc,
        streams=streams,
        copies="apart" if copies_apart else "stream",
        buffer_pages=buffer_pages,
        mapping=mapping,
        **({} if choices is None else {"choices": choices}),
    )
    found = question.answer(
        device,
        workload,
        **{name: value for name, value in given.items() if value is not None},
        trim_share=trim_share,
        writes=writes,
        seed=seed,
        page_bytes=page_bytes,
        pe_cycles=pe_cycles,
        write_mb_per_s=write_mb_per_s,
        drive_writes_per_day=drive_writes_per_day,
        spares=_spares(spares),
    )
    if json:
        print_json(found.to_dict(derivation=True))
        return
    print_cautions(found.cautions)
    typer.echo(found.finding)
    _print(found, page_bytes)


def _spares(text: str | None) -> list[float]:
    if text is None:
        return []
    try:
        return [float(each) for each in text.split(",")]
    except ValueError as error:
        raise BadInput(
            f"--spares: `{text}` is not a list of numbers",
            "write spare spaces with commas, such as 0.07,0.28",
        ) from error


def _pages(pages: int | None, capacity: str | None, page_bytes: int) -> int:
    if capacity is None:
        return DEFAULT_PAGES if pages is None else pages
    if pages is not None:
        raise BadInput(
            "--pages and --capacity cannot be combined", "give one of the two"
        )
    return parse_bytes(capacity) // page_bytes


def _print(found: FlashDeviceAnswer, page_bytes: int) -> None:
    device = found.device
    gap = found.gap
    facts = [
        (
            "device",
            f"{format_bytes(device.logical_pages * page_bytes)} in "
            f"{counted(device.blocks, 'block')} of {counted(device.block_pages, 'page')}",
        ),
        ("usable spare", f"{found.usable_spare:.4g} of {found.spare:.4g}"),
        ("host writes", format_count(found.host_writes)),
        *(
            [("absorbed by the buffer", format_count(found.absorbed))]
            if device.buffer_pages
            else []
        ),
        ("copied by collection", format_count(found.moved)),
        ("write amplification", f"{found.waf:.4f}"),
        (
            "closed form",
            "-" if gap is None else f"{found.closed_form:.4f} (simulated {gap:+.2%})",
        ),
        *(
            [
                (
                    "merges",
                    f"{format_count(found.full_merges)} full, "
                    f"{format_count(found.partial_merges)} partial, "
                    f"{format_count(found.switch_merges)} switch",
                )
            ]
            if device.mapping in ("block", "bast", "fast")
            else []
        ),
        ("erases", format_count(found.erases)),
        (
            "erases per block",
            f"{found.erases_mean:.4g} on average, {found.erases_least:,} to "
            f"{found.erases_most:,}, standard deviation {found.erases_deviation:.3g}",
        ),
    ]
    if len(found.stream_wafs) > 1:
        each = ["-" if waf is None else f"{waf:.4f}" for waf in found.stream_wafs]
        facts.append(("by stream", ", ".join(each)))
    if found.waf_without_trim is not None:
        facts.append(("pages in use", percent(found.used_share)))
        facts.append(("without TRIM", f"{found.waf_without_trim:.4f}"))
    if found.life is not None:
        facts.append(("years at this load", f"{float(found.life.years):.3g}"))
    print_facts(facts)
    if found.by_spare:
        typer.echo("")
        print_table(
            "Write amplification by spare space and rule",
            [
                ("rule", False),
                ("spare", True),
                ("simulated", True),
                ("closed form", True),
            ],
            [
                [
                    each.collection or each.mapping,
                    f"{each.spare:.4g}",
                    f"{each.waf:.4f}",
                    "-" if each.closed_form is None else f"{each.closed_form:.4f}",
                ]
                for each in found.by_spare
            ],
        )
    typer.echo(f"assumed: {found.validity}")
