"""`tierwright transactions`, `transaction-order`, `transaction-writes`: transactions over raw NAND."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.output import (
    Json,
    numbers,
    print_facts,
    print_json,
    print_table,
    print_warnings,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count, format_microseconds, parse_bytes
from tierwright.common.wording import counted

if TYPE_CHECKING:
    from tierwright.evaluate.transactions import nand
    from tierwright.evaluate.transactions.study import WriteStudy
    from tierwright.simulate.transactions import ReplayCounts

Events = Annotated[
    Path,
    typer.Argument(
        metavar="EVENTS",
        help="Text, compressed or not, one event per line: B T1, R T1 7, U T1 7, C T1 or A T1.",
    ),
]
RamPages = Annotated[
    int, typer.Option("--ram-pages", metavar="N", help="Buffer. [pages]")
]
DatabasePages = Annotated[
    int, typer.Option("--database-pages", metavar="N", help="Pages on the chip.")
]
ReadUs = Annotated[
    float, typer.Option("--read-us", metavar="T", help="One page read. [µs]")
]
WriteUs = Annotated[
    float, typer.Option("--write-us", metavar="T", help="One page write. [µs]")
]
EraseUs = Annotated[
    float, typer.Option("--erase-us", metavar="T", help="One block erase. [µs]")
]
Blocks = Annotated[
    int, typer.Option("--blocks", metavar="N", help="Blocks of the chip.")
]
BlockPages = Annotated[
    int, typer.Option("--pages-per-block", metavar="N", help="Pages of a block.")
]
FlashPage = Annotated[
    int, typer.Option("--page-bytes", metavar="N", help="Page of the chip. [bytes]")
]


def transactions(
    events: Events,
    *,
    ram_pages: RamPages,
    database_pages: Annotated[
        int | None,
        typer.Option(
            "--database-pages",
            metavar="N",
            help="Pages on the chip [default: up to the highest that is touched].",
        ),
    ] = None,
    systems: Annotated[
        str,
        typer.Option(
            "--systems",
            metavar="NAMES",
            help="Systems to replay, or `all`: page_lru, aries, committed_first, aat, transaction_page, "
            "log_write, transaction_log.",
        ),
    ] = "page_lru,transaction_page,transaction_log",
    durable: Annotated[
        bool,
        typer.Option(
            "--durable",
            help="Every system keeps a log that is forced at commit, as aries does.",
        ),
    ] = False,
    checkpoint_pages: Annotated[
        int,
        typer.Option(
            "--checkpoint-pages", metavar="N", help="Log between checkpoints. [pages]"
        ),
    ] = 1024,
    crash_after: Annotated[
        int | None,
        typer.Option(
            "--crash-after",
            metavar="N",
            help="Crash after so many events, and count what a restart takes.",
        ),
    ] = None,
    spare: Annotated[
        float | None,
        typer.Option(
            "--spare",
            metavar="SHARE",
            help="A flash device with a translation layer and this spare share instead of the raw chip, of "
            "the same blocks.",
        ),
    ] = None,
    disk_ms: Annotated[
        float,
        typer.Option(
            "--disk-ms",
            metavar="T",
            help="Random access of a disk, for comparison. [ms]",
        ),
    ] = 9.0,
    disk_log_us: Annotated[
        float,
        typer.Option(
            "--disk-log-us",
            metavar="T",
            help="One page written to a log on that disk, one after the other. [µs]",
        ),
    ] = 34.0,
    log_bytes: Annotated[
        int,
        typer.Option("--log-bytes", metavar="N", help="Log record of an update."),
    ] = 100,
    read_us: ReadUs = 25.0,
    write_us: WriteUs = 200.0,
    erase_us: EraseUs = 1500.0,
    blocks: Blocks = 1024,
    pages_per_block: BlockPages = 64,
    page_bytes: FlashPage = 2048,
    json: Json = False,
) -> None:
    """Compare page LRU, ARIES and commit-aware eviction, over a file of any length."""
    from tierwright.advise import transaction_study as study
    from tierwright.evaluate.transactions import nand
    from tierwright.simulate import transactions as replay

    times = nand.NandTimes(read_us, write_us, erase_us)
    nand.io_time_us(0, 0, 0, times)  # refused before anything is replayed
    for name, value in (("--disk-ms", disk_ms), ("--disk-log-us", disk_log_us)):
        if not (math.isfinite(value) and value > 0):
            raise BadInput(
                f"{name}: `{value}` is not above 0",
                "give the time of one page, such as 9",
            )
    geometry = nand.NandGeometry(blocks, pages_per_block, page_bytes)
    nand.check_geometry(geometry)
    if database_pages is None:
        survey = replay.survey_events(events)
        database_pages = study.planned(
            survey, blocks=blocks, pages_per_block=pages_per_block, spare=spare
        ).database_pages
    found = replay.replay_systems(
        events,
        systems=tuple(replay.SYSTEMS)
        if systems == "all"
        else tuple(name.strip() for name in systems.split(",")),
        ram_pages=ram_pages,
        database_pages=database_pages,
        log_bytes_per_update=log_bytes,
        geometry=geometry,
        device=None if spare is None else replay.device_of(geometry, spare),
        durable=durable,
        checkpoint_pages=checkpoint_pages,
        crash_after=crash_after,
    )
    on_disk = {
        name: counts.disk_time_us(disk_ms * nand.US_PER_MS, disk_log_us)
        for name, counts in found.systems.items()
    }
    if json:
        print_json(
            {
                name: {
                    **counts.to_dict(times),
                    "disk_time_us": on_disk[name],
                    "keeps_log": replay.keeps_log(name, durable=durable),
                }
                for name, counts in found.systems.items()
            }
        )
        return
    headings = (
        "reads",
        "writes",
        "of the log",
        "erases",
        "garbage",
        "time",
        "on a disk",
    )
    print_table(
        "Operations of the device",
        [("system", False), *((heading, True) for heading in headings)],
        [
            [
                name,
                format_count(counts.reads),
                format_count(counts.writes),
                format_count(counts.wal_pages_written),
                format_count(counts.erases),
                format_count(counts.garbage_pages),
                format_microseconds(counts.time_us(times)),
                format_microseconds(on_disk[name]),
            ]
            for name, counts in found.systems.items()
        ],
    )
    said = replay.about_logs(list(found.systems), durable=durable)
    if said:
        typer.echo("")
        typer.echo(said)
    _print_restarts(found.systems, times)


def _print_restarts(systems: Mapping[str, ReplayCounts], times: nand.NandTimes) -> None:
    rows = [
        [
            name,
            *(
                format_count(count)
                for count in (
                    restart.log_pages_read,
                    restart.pages_read,
                    restart.redone,
                    restart.undone,
                    restart.losers,
                )
            ),
            format_microseconds(restart.time_us(times.read_us, times.write_us)),
        ]
        for name, counts in systems.items()
        if (restart := counts.recovery) is not None
    ]
    if not rows:
        return
    typer.echo("")
    headings = ("log pages", "pages", "redone", "undone", "transactions undone", "time")
    print_table(
        "Restart after the crash",
        [("system", False), *((heading, True) for heading in headings)],
        rows,
    )


def transaction_order(
    events: Events,
    *,
    ram_pages: RamPages,
    database_pages: DatabasePages,
    json: Json = False,
) -> None:
    """Tell in which order the transactions in memory would leave after the events."""
    from tierwright.advise import transaction_replay
    from tierwright.common.derivation import plain
    from tierwright.evaluate.transactions import study

    held = transaction_replay.residents(
        events, ram_pages=ram_pages, database_pages=database_pages
    )
    found = study.leaving_order(held)
    if json:
        print_json(plain(found))
        return
    print_table(
        "Order of eviction: committed transactions by commit time, then by average "
        "access time (AAT)",
        [
            ("transaction", False),
            ("pages", True),
            ("AAT [ticks]", True),
            ("committed [ticks]", True),
        ],
        [
            [
                row.transaction,
                format_count(row.pages),
                f"{row.average_access_time:,.6g}",
                "runs" if row.commit_time is None else f"{row.commit_time:,.6g}",
            ]
            for row in found
        ],
    )


def transaction_writes(
    *,
    dirty_pages: Annotated[
        int,
        typer.Option("--dirty-pages", metavar="N", help="Pages that it changed."),
    ] = 16,
    log_bytes_per_page: Annotated[
        float,
        typer.Option(
            "--log-bytes-per-page", metavar="N", help="Log records of one. [bytes]"
        ),
    ] = 100.0,
    log_pages_per_page: Annotated[
        float | None,
        typer.Option(
            "--log-pages-per-page",
            metavar="K",
            help="Log pages read with a page [default: the fewest its records fill].",
        ),
    ] = None,
    pages_reread: Annotated[
        float | None,
        typer.Option(
            "--pages-reread",
            metavar="N",
            help="Pages read again [default: each once].",
        ),
    ] = None,
    ram: Annotated[
        str, typer.Option("--ram", metavar="SIZE", help="Buffer, such as 16MiB.")
    ] = "16MiB",
    pages_per_transaction: Annotated[
        int | None,
        typer.Option(
            "--pages-per-transaction",
            metavar="N",
            help="Pages it holds in memory [default: the dirty ones].",
        ),
    ] = None,
    disk_ms: Annotated[
        float,
        typer.Option(
            "--disk-ms",
            metavar="T",
            help="Random access of a disk, for comparison. [ms]",
        ),
    ] = 9.0,
    changes: Annotated[
        str,
        typer.Option(
            "--changes",
            metavar="S,V,T",
            help="Measured: reads slower by, write time saved, whole time saved, as shares.",
        ),
    ] = "0.25,0.75,0.34",
    read_us: ReadUs = 25.0,
    write_us: WriteUs = 200.0,
    erase_us: EraseUs = 1500.0,
    blocks: Blocks = 1024,
    pages_per_block: BlockPages = 64,
    page_bytes: FlashPage = 2048,
    json: Json = False,
) -> None:
    """Tell whether a transaction should leave memory as pages or as log records."""
    from tierwright.advise import transaction_writes as question
    from tierwright.evaluate.transactions import nand

    given = numbers(changes, "--changes")
    try:
        slower, saved, total = given
    except ValueError:
        raise BadInput(
            f"--changes: `{changes}` has {counted(len(given), 'number')}",
            "give three: reads slower by, write time saved, whole time saved",
        ) from None
    found = question.answer(
        dirty_pages=dirty_pages,
        log_bytes_per_page=log_bytes_per_page,
        log_pages_per_page=log_pages_per_page,
        pages_reread=pages_reread,
        ram_bytes=int(parse_bytes(ram)),
        pages_per_transaction=pages_per_transaction,
        geometry=nand.NandGeometry(blocks, pages_per_block, page_bytes),
        times=nand.NandTimes(read_us, write_us, erase_us),
        disk_ms=disk_ms,
        changes=(slower, saved, total),
    )
    if json:
        print_json(found.to_dict())
        return
    typer.echo(found.finding)
    _print_writes(found.study)


def _print_writes(found: WriteStudy) -> None:
    print_table(
        f"{counted(found.dirty_pages, 'dirty page')}, {found.pages_reread:g} read again",
        [
            ("written as", False),
            ("pages written", True),
            ("write", True),
            ("read again", True),
            ("whole", True),
            ("erases, not included", True),
        ],
        [
            [
                name + (" *" if name == found.winner else ""),
                format_count(pages),
                *(format_microseconds(us) for us in times),
            ]
            for name, pages, times in (
                (
                    "page",
                    found.dirty_pages,
                    (
                        found.written.data_write_us,
                        found.page_reread_us,
                        found.page_us,
                        found.page_erase_us,
                    ),
                ),
                (
                    "log",
                    found.written.log_pages,
                    (
                        found.written.log_write_us,
                        found.log_reread_us,
                        found.log_us,
                        found.log_erase_us,
                    ),
                ),
            )
        ],
    )
    typer.echo("")
    crossing = found.break_even_pages
    print_facts(
        [
            ("break-even extra reads", f"{found.written.break_even_extra_reads:g}"),
            (
                "break-even pages again",
                "never" if crossing is None else f"{crossing:g}",
            ),
            ("a write takes as long as", f"{found.ratios.write_over_read:g} reads"),
            ("read share of the time", f"{found.read_share.read_share:.2%}"),
        ]
    )
    for part in found.derivation:
        typer.echo(f"{part.result} = {part.substituted}")
        typer.echo(f"  source: {part.source}")
    typer.echo(f"valid: {found.validity}")
    print_warnings([{"message": w.message, "hint": w.hint} for w in found.warnings])
