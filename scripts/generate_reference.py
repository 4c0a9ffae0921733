"""Writes docs/reference/*.md and docs/models/reach.md from the tables that the program itself reads.

``python scripts/generate_reference.py`` writes; with ``--check`` it compares and fails on a difference.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tierwright.catalogue import table as catalogue_table
from tierwright.cli import app
from tierwright.common.parameters import PARAMETERS
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.hardware import catalog, parts, price_history, servers, volumes
from tierwright.hardware.device import FIGURES, KINDS, OPERATIONS, Device
from tierwright.hardware.facts import Fact, FigureTable
from tierwright.hardware.prices import PRICE_UNITS, own_price
from tierwright.hardware.servers import Server
from tierwright.hardware.service_time import (
    ServiceTime,
    service_time,
    stated_page_bytes,
)
from tierwright.hardware.volumes import Volume
from tierwright.simulate import replay
from tierwright.trace import reading

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs"
NOTE = "<!-- Written by `python scripts/generate_reference.py`; do not edit. -->"
COMMANDS: tuple[tuple[str, ...], ...] = (
    (),
    ("formats",),
    ("trace", "inspect"),
    ("trace", "preview"),
    ("trace", "convert"),
    ("trace", "summary"),
    ("trace", "generate"),
    ("describe",),
    ("profile",),
    ("compose",),
    ("simulate",),
    ("sweep",),
    ("evaluate",),
    ("pool-split",),
    ("pool-gain",),
    ("pool-advisor",),
    ("scheme-map",),
    ("throughput",),
    ("response",),
    ("directories",),
    ("choose-flash",),
    ("cachesack",),
    ("transactions",),
    ("transaction-order",),
    ("transaction-writes",),
    ("break-even",),
    ("wear",),
    ("restart",),
    ("sce",),
    ("metadata",),
    ("tier-cost",),
    ("bill",),
    ("advise",),
    ("quotes", "rank"),
    ("place",),
    ("report",),
    ("export", "focus"),
    ("export", "opencost"),
    ("export", "purchases"),
    ("configurations",),
    ("conformance",),
    ("curve", "sampled"),
    ("curve", "windows"),
    ("formula",),
    ("curve", "kinds"),
    ("curve", "import"),
    ("device", "import-fio"),
    ("device", "measure"),
    ("device", "access-cost"),
    ("device", "health"),
    ("catalog", "devices"),
    ("catalog", "prices"),
    ("catalog", "servers"),
    ("catalog", "volumes"),
    ("catalog", "parts"),
    ("catalog", "price-history"),
    ("catalog", "presets"),
    ("catalog", "flash-caches"),
    ("import", "quotes"),
    ("import", "prices"),
    ("import", "inventory"),
    ("inventory",),
    ("serve",),
    ("worker",),
    ("doctor",),
)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; `|` in cells is escaped."""
    lines = [
        "| " + " | ".join(headings) + " |",
        "|" + "---|" * len(headings),
    ]
    for row in rows:
        cells = [str(cell).replace("|", "\\|").replace("\n", " ") for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def yes(value: bool) -> str:  # noqa: FBT001  # a cell, not an option
    """Return a cell for a flag."""
    return "yes" if value else "no"


def formats() -> str:
    """Return the page of the trace formats."""
    return "\n\n".join(
        [
            "# Trace formats",
            "Each is read plain, compressed (gzip, zstd, xz, bzip2) or in a tar or ZIP archive, detected from the content and never from the file's "
            "name: [reading traces](../traces/reading.md). *Page-native* formats keep their own pages; the others are split into pages of "
            "`--page-bytes` (4096 by default).",
            table(
                ["name", "description", "writes", "times", "device", "page-native"],
                [
                    [
                        f"`{entry['name']}`",
                        entry["description"],
                        yes(entry["has_writes"]),
                        yes(entry["has_time"]),
                        yes(entry["has_device"]),
                        yes(entry["page_native"]),
                    ]
                    for entry in reading.formats()
                ],
            ),
            "## How each reader was verified",
            "A reader that only follows a description may be wrong where the description is. If the table says that no file was available, check "
            "the preview of yours carefully. *An independent reading* is a short program written separately, from the description alone: its "
            "requests, accesses, distinct pages, writes, time span and the hash of the whole sequence are the same.",
            table(
                ["name", "verified by"],
                [
                    [f"`{entry['name']}`", entry["verified"]]
                    for entry in reading.formats()
                ],
            ),
        ]
    )


def named(title: str, text: str, entries: Iterable[dict[str, str]]) -> str:
    """Return a page of named things with title, description and paper."""
    return "\n\n".join(
        [
            f"# {title}",
            text,
            table(
                ["name", "title", "description", "source"],
                [
                    [
                        f"`{entry['name']}`",
                        entry["title"],
                        entry["description"],
                        entry["paper"],
                    ]
                    for entry in entries
                ],
            ),
        ]
    )


def with_options(title: str, text: str, entries: Sequence[dict[str, Any]]) -> str:
    """Return a page of named things, what they need, and their options in one table."""
    needing = [
        f"`{entry['name']}` needs: {', '.join(entry['needs'])}."
        for entry in entries
        if entry["needs"]
    ]
    return "\n\n".join(
        [
            named(title, text, entries),
            *needing,
            "## Options",
            "Given as `--option NAME=VALUE`.",
            table(
                ["of", "option", "default", "values", "description"],
                [
                    [
                        f"`{entry['name']}`",
                        f"`{option['name']}`",
                        f"`{option['default']}`" if option["default"] else "-",
                        option["values"],
                        option["description"],
                    ]
                    for entry in entries
                    for option in entry["options"]
                ],
            ),
        ]
    )


def device_under(entries: Sequence[dict[str, Any]]) -> str:
    """Return the section on the flash device that can hold the data of any of the entries."""
    options = entries[0]["device_options"]
    if any(entry["device_options"] != options for entry in entries):
        raise AssertionError("not all entries take the same device")
    return "\n\n".join(
        [
            "## A flash device that holds the data",
            "Options of each: [the flash device](../models/ftl.md#under-a-buffer).",
            table(
                ["option", "default", "values", "description"],
                [
                    [
                        f"`{option['name']}`",
                        f"`{option['default']}`",
                        option["values"],
                        option["description"],
                    ]
                    for option in options
                ],
            ),
        ]
    )


def policies() -> str:
    """Return the page of the replacement policies."""
    entries = replay.contenders("policy")
    page = with_options(
        "Replacement policies",
        "`tierwright simulate FILE --policy NAME --pages N [--option K=V]...`. One page is one unit, every miss is admitted, cold start. "
        "A policy that needs the future reads the trace to its end before it replays. Pseudocode, and the choices made where a paper is silent, are in `models/crates/simulator/src/replay/policies/`; checks: [replacement policies](../models/policies.md).",
        entries,
    )
    return "\n\n".join([page, device_under(entries)])


def buffers() -> str:
    """Return the page of the cost-aware buffers and their options."""
    entries = replay.contenders("buffer")
    parts = [
        named(
            "Cost-aware buffers",
            "`tierwright simulate FILE --policy NAME --pages M [--option K=V]...`: buffers in front of a device whose writes cost more than its "
            "reads (`lru`, the baseline, is in the [policies](policies.md) too). They need a trace that distinguishes writes from reads; a trace without writes is "
            "replayed with a warning. Costs: [pool split](../models/pool-split.md).",
            entries,
        )
    ]
    for entry in entries:
        if entry["options"]:
            parts += [
                f"## Options of `{entry['name']}`",
                table(
                    ["option", "values", "default", "meaning"],
                    [
                        [
                            f"`{option['name']}`",
                            option["values"],
                            option["default"],
                            option["description"],
                        ]
                        for option in entry["options"]
                    ],
                ),
            ]
    return "\n\n".join([*parts, device_under(entries)])


def schemes() -> str:
    """Return the page of the page-flow schemes, admission rules and choosers."""
    return "\n\n".join(
        [
            with_options(
                "Page-flow schemes",
                "`tierwright simulate FILE --scheme NAME --ram-pages R --flash-pages F`. Formulas: [page flow](../models/page-flow.md). The options of a tier's policy are given as `ram_NAME` and `flash_NAME`.",
                replay.contenders("scheme"),
            ),
            named(
                "Admission rules",
                "Given as `--option admission=NAME` for a scheme that has the option.",
                replay.admissions(),
            ).replace("# ", "## ", 1),
            *(
                f"`{entry['name']}` needs: {', '.join(entry['needs'])}."
                for entry in replay.admissions()
                if entry["needs"]
            ),
            with_options(
                "Choosers among page flows",
                "Given as `--scheme NAME`; an option without a default must be given.",
                replay.contenders("chooser"),
            )
            .replace("# ", "## ", 1)
            .replace("\n## Options", "\n### Options"),
        ]
    )


def flash_caches() -> str:
    """Return the page of the flash caches and of their options."""
    caches = replay.contenders("flash_cache")
    parts = [
        named(
            "Flash caches",
            "`tierwright simulate FILE --scheme NAME --ram-pages R --flash-pages F [--option K=V]...`. What they do and count: "
            "[flash caches](../models/flash-caches.md).",
            caches,
        )
    ]
    for cache in caches:
        parts += [
            f"## `{cache['name']}`",
            f"{cache['title']}. The trace should record {', '.join(cache['needs'])}."
            if cache["needs"]
            else f"{cache['title']}.",
            table(
                ["option", "values", "default", "meaning"],
                [
                    [
                        f"`{option['name']}`",
                        option["values"],
                        option["default"],
                        option["description"],
                    ]
                    for option in cache["options"]
                ],
            ),
        ]
        if cache["counters"]:
            parts.append(
                table(
                    ["counter of its own", "unit", "what it is"],
                    [
                        [f"`{each['name']}`", each["unit"], each["meaning"]]
                        for each in cache["counters"]
                    ],
                )
            )
    return "\n\n".join(parts)


def devices() -> str:
    """Return the page of the devices and of the format of their files."""
    return "\n\n".join(
        [
            "# Devices",
            "One file per device in `fixtures/devices/`. Service times are those of a page of the size that the IOPS are for (4 KiB if the source does not say): a "
            "throughput cost at the queue depth given (docs/models/service-times.md); if a device states no IOPS its latency is used instead (marked *). For a hard disk with a "
            "known seek time it is seek, half a rotation and transfer, the time of one request at a time (marked °); a seek that no source states is that of the disk's "
            "class, a labelled assumption (marked °a). Local disks of a cloud instance can only be rented with it (kind marked *instance*) and are not ranked among drives. "
            "`-`: the source does not say.",
            table(
                [
                    "device",
                    "kind",
                    "capacity",
                    "IOPS for",
                    "queue depth",
                    "read service",
                    "write service",
                    "own price",
                    "of",
                    "notes",
                ],
                [device_row(device) for device in catalog.devices().values()],
            ),
            "## Kinds",
            table(
                ["kind", "title", "tiers"],
                [
                    [f"`{kind}`", title, ", ".join(roles)]
                    for kind, (title, roles) in KINDS.items()
                ],
            ),
            "## A device file",
            "Keys: `id` (the file's name), `name`, `kind`, optional `year`, `sold_as` (`device` or `instance`), `product` (a name that the profiles of one product share: "
            "of what else was close, an advice lists the better of them alone), `notes`; then a table "
            "`[figures.NAME]` for each figure with `value`, `unit`, `source`, optional `date` (YYYY, YYYY-MM, YYYY-MM-DD or YYYY-Qn), `note`, "
            "and `assumed = true` if the figure is an assumption; a `unit_price` may state its range as `low` and `high`, which the advisor draws. Rates measured at several transfer sizes or queue depths are in "
            "`[[measurements]]`: `operation` (read or write), `page_bytes`, `iops`, `source`, optional `queue_depth`, `date`, `note`, and `latency_us` with `mean`, `p50`, `p95`, `p99`, `p99_9`; times of pages "
            "between them are interpolated. Unknown keys are refused.",
            table(
                ["figure", "unit", "meaning"],
                [
                    [f"`{name}`", " or ".join(units), meaning]
                    for name, (units, meaning) in FIGURES.items()
                ],
            ),
        ]
    )


def device_row(device: Device) -> list[str]:
    """Return a device's row."""
    price = own_price(device)
    capacity = device.capacity_bytes
    size, page = device.page_bytes, stated_page_bytes(device)
    return [
        f"`{device.id}`",
        device.kind
        if device.sold_as == "device"
        else f"{device.kind}, *{device.sold_as}*",
        "-" if capacity is None else format_bytes(capacity),
        "-" if size is None else f"{size} B",
        "-" if device.queue_depth is None else str(device.queue_depth),
        *(service(service_time(device, each, page)) for each in OPERATIONS),
        "-" if price is None else f"{price.usd} {price.unit}",
        "-" if price is None else price.date or "undated",
        device.notes,
    ]


def service(found: ServiceTime) -> str:
    """Return a cell for a service time, marked where it is no 1 / IOPS."""
    if found.time_us is None:
        return "-"
    mark = ""
    if found.rule == "latency":
        mark = " *"
    elif found.basis.startswith("seek"):
        mark = " °a" if "assumed" in found.basis else " °"
    return format_microseconds(found.time_us) + mark


def price_books() -> str:
    """Return the page of the price books and of the format of their files."""
    parts = [
        "# Price books",
        "One file per book in `fixtures/prices/`. The price of a device takes precedence over that of its kind. GB = 10^9, GiB = 2^30 bytes. "
        "A book may also state `rents` of instances and volumes, as [imported ones](../imports.md#price-books-of-imported-lists) do: a list of "
        "`instance` or `volume` with its id, one of `usd_per_hour`, `usd_per_gib_month`, `usd_per_iops_month` and `usd_per_mb_per_s_month` (without `usd_` in "
        "another currency), `source`, and optional `date`, `region`, `note`.",
    ]
    for book in catalog.price_books().values():
        region = f", {book.region}" if book.region else ""
        parts += [
            f"## `{book.id}`",
            f"{book.name} ({book.date}{region}). {book.notes}"
            + (" **The default book.**" if book.default else "")
            + (f" **Retired:** {book.retired}." if book.retired else ""),
            table(
                ["device or kind", "price", "unit", "of", "source", "note"],
                [
                    [
                        f"`{price.device_id}`" if price.device_id else price.kind,
                        price.usd
                        if price.low is None
                        else f"{price.usd} ({price.low} to {price.high})",
                        price.unit,
                        price.date or "undated",
                        price.source,
                        price.note,
                    ]
                    for price in book.prices
                ],
            ),
            *(
                f"No price of `{kind}`: {reason}."
                for kind, reason in book.absent.items()
            ),
        ]
    keys = ", ".join(f"`{key}`" for key in PRICE_UNITS)
    parts += [
        "## A price book's file",
        "Keys: `id` (the file's name), `name`, `date`, optional `region`, `currency` (USD), `notes`, `default = true` (one book: used if no other is chosen), `retired` (why it should not be chosen any more), tables `[[absent]]` with `kind` and `reason`; then a table `[[prices]]` for each price with "
        f"`device_id` or `kind`, exactly one of {keys}, `source`, optional `low` and `high` (the range of a purchase, in the unit of the price: the advisor draws it), `date` and `note`. Unknown keys are refused.",
    ]
    return "\n\n".join(parts)


def stated(facts: Mapping[str, Fact], name: str) -> str:
    """Return a cell for a figure with its unit, `-` where no source states it."""
    fact = facts.get(name)
    if fact is None:
        return "-"
    unit = "" if fact.unit in ("1", "1/s", "GiB", "GB") else f" {fact.unit}"
    return f"{fact.value.normalize():,f}{unit}"


def figure_table(figures: FigureTable) -> str:
    """Return the table of the figures that a file may state."""
    return table(
        ["figure", "unit", "meaning"],
        [
            [f"`{name}`", " or ".join(units), meaning]
            for name, (units, meaning) in figures.items()
        ],
    )


def server_page() -> str:
    """Return the page of the servers and of the format of their files."""
    return "\n\n".join(
        [
            "# Servers",
            "One file per cloud instance type in `fixtures/servers/`: `tierwright catalog servers`. Prices are on demand, for Linux, without commitment. Local disks are ephemeral. "
            "Limits of block storage are sustained; a file without one states only a burst. `-`: no source states it.",
            table(
                [
                    "server",
                    "region",
                    "vCPU",
                    "RAM, GiB",
                    "local NVMe, GB",
                    "local read IOPS",
                    "local write IOPS",
                    "block IOPS",
                    "block MB/s",
                    "block volumes",
                    "latencies of",
                    "sequential rates of",
                    "USD per hour",
                    "of",
                    "notes",
                ],
                [
                    [
                        f"`{each.id}`",
                        each.region,
                        stated(each.figures, "vcpu"),
                        stated(each.figures, "ram_gib"),
                        "-"
                        if each.local_nvme_gb is None
                        else f"{each.local_nvme_gb.normalize():,f}",
                        stated(each.figures, "local_read_iops"),
                        stated(each.figures, "local_write_iops"),
                        stated(each.figures, "block_storage_iops"),
                        "-"
                        if each.block_storage_bandwidth_mb_per_s is None
                        else f"{each.block_storage_bandwidth_mb_per_s.normalize():,f}",
                        stated(each.figures, "block_volumes"),
                        latencies_of(each),
                        f"`{each.rates_of}`" if each.rates_of else "-",
                        "-" if each.usd_per_hour is None else each.usd_per_hour,
                        dated(each.figures, "usd_per_hour"),
                        each.notes,
                    ]
                    for each in servers.servers().values()
                ],
            ),
            "## A server's file",
            "Keys: `id` (the file's name), `name`, `provider`, `family`, `region`, optional `notes`, `latency_of` (the device whose latencies hold for one local disk) and `rates_of` (the device that is the same disk, whose sequential rates hold for it); then a table `[figures.NAME]` for each figure with `value`, `unit`, "
            "`source`, `licence`, optional `date`, `note`, and `estimate = true` for a figure of a class. Unknown keys are refused.",
            figure_table(servers.FIGURES),
        ]
    )


def dated(facts: Mapping[str, Fact], name: str) -> str:
    """Return a cell for the date of a figure."""
    return "-" if name not in facts else facts[name].date or "undated"


def latencies_of(sold: Server | Volume) -> str:
    """Return a cell with the device whose latencies hold for what is rented, `-` where no source states any."""
    return f"`{sold.latency_of}`" if sold.latency_of else "-"


def volume_page() -> str:
    """Return the page of the volumes and of the format of their files."""
    shown = (
        "usd_per_gib_month",
        "iops_included",
        "usd_per_iops_month",
        "usd_per_mb_per_s_month",
        "usd_per_1000_reads",
        "usd_per_1000_writes",
        "min_size_gib",
        "max_size_gib",
        "max_iops",
        "max_iops_per_gib",
        "max_mb_per_s",
    )
    return "\n\n".join(
        [
            "# Volumes and object stores",
            "One file per product in `fixtures/volumes/`: `tierwright catalog volumes`. Throughput counts as the provider counts it (the MB/s of AWS are MiB/s). `-`: no source states it, or it is not charged.",
            table(
                [
                    "volume",
                    "kind",
                    "region",
                    *(f"`{name}`" for name in shown),
                    "latencies of",
                    "of",
                    "notes",
                ],
                [
                    [
                        f"`{each.id}`",
                        each.kind,
                        each.region,
                        *(stated(each.figures, name) for name in shown),
                        latencies_of(each),
                        dated(each.figures, "usd_per_gib_month"),
                        each.notes,
                    ]
                    for each in volumes.volumes().values()
                ],
            ),
            "## A volume's file",
            f"Keys: `id` (the file's name), `name`, `provider`, `kind` ({', '.join(volumes.KINDS)}), `media`, `region`, optional `notes` and `latency_of` (the device whose latencies hold for it); then `[figures.NAME]` as in a [server's file](servers.md).",
            figure_table(volumes.FIGURES),
        ]
    )


def part_page() -> str:
    """Return the page of the parts and of the format of their files."""
    return "\n\n".join(
        [
            "# Parts",
            "One file per part in `fixtures/parts/`: `tierwright catalog parts`. A part has every dated price that was found; a bill uses the newest that was paid. `-`: no source states it.",
            table(
                [
                    "part",
                    "kind",
                    "vendor",
                    "capacity",
                    "prices, USD (market, date)",
                    "power, W",
                    "notes",
                ],
                [
                    [
                        f"`{each.id}`",
                        each.kind,
                        each.vendor or "-",
                        "-"
                        if each.capacity is None
                        else f"{each.capacity.normalize():,f} {each.capacity_unit}",
                        "; ".join(
                            f"{price.usd:,f} ({price.price_kind}, {price.date}"
                            f"{', withdrawn' if price.withdrawn else ''})"
                            for price in each.prices
                        )
                        or "-",
                        stated(each.figures, "active_power_w"),
                        each.notes,
                    ]
                    for each in parts.parts().values()
                ],
            ),
            "## A part's file",
            f"Keys: `id` (the file's name), `name`, `kind` ({', '.join(parts.KINDS)}), optional `form_factor`, `vendor` (who makes or sells it; left out for a class of parts), `device` (its device profile), `series` (its prices over time), `notes`; "
            "`[figures.NAME]` as in a [server's file](servers.md); a table `[[prices]]` for each price with `usd`, `price_kind`, `date`, `source`, `licence`, "
            "optional `note`, `estimate`, `withdrawn`.",
            figure_table(parts.FIGURES),
            table(
                ["`price_kind`", "meaning"],
                [[f"`{name}`", text] for name, text in parts.PRICE_KINDS.items()],
            ),
        ]
    )


def history_page() -> str:
    """Return the page of the prices over time."""
    pieces = [
        "# Prices over time",
        "One file per series in `fixtures/price-history/`: `tierwright catalog price-history`. Only a *joinable* series is of one product and one market; the others collect single prices and changes from quarter to quarter. GB = 10^9 bytes.",
    ]
    for series in price_history.price_history().values():
        pieces += [
            f"## `{series.id}`",
            f"{series.name}. {'Joinable.' if series.joinable else 'Not joinable.'}",
            table(
                ["of", "USD per GB", "change, %", "what", "market", "source", "note"],
                [
                    [
                        point.date,
                        "-" if point.usd_per_gb is None else f"{point.usd_per_gb:.4g}",
                        "-"
                        if point.change_percent_low is None
                        else f"{point.change_percent_low} to {point.change_percent_high}",
                        point.what,
                        point.price_kind,
                        point.source,
                        point.note,
                    ]
                    for point in series.points
                ],
            ),
        ]
    return "\n\n".join(pieces)


def command_line() -> str:
    """Return the page of the command line: the help of every command."""
    parts = [
        "# Command line",
        "Every command takes `--json`: one JSON document on stdout and nothing else. Progress goes to stderr when it is a terminal. Exit codes: 0 success, "
        "1 a check failed, 2 bad input (message with a `hint:`), 70 a bug in Tierwright (report it), 130 interrupted.",
    ]
    for command in COMMANDS:
        parts += [
            f"## `{' '.join(('tierwright', *command))}`",
            f"```\n{help_of(command)}\n```",
        ]
    parts += [
        "## Parameters in messages",
        "A message names a parameter in the words of the reader: the option on the command line; in the API, on the page and in notebooks, words.",
        table(
            ["words", "command line", "field of the API", "setting of the server"],
            [
                [
                    parameter.words,
                    parameter.typed
                    if parameter.typed.startswith("`")
                    else f"`{parameter.typed}`",
                    f"`{parameter.field}`" if parameter.field else "-",
                    f"`{parameter.setting}`" if parameter.setting else "-",
                ]
                for parameter in PARAMETERS.values()
            ],
        ),
    ]
    return "\n\n".join(parts)


def help_of(command: tuple[str, ...]) -> str:
    """Return the help text of a command, as a terminal of 100 columns shows it."""
    # In this process: a start for each of the commands would take most of a minute.
    os.environ |= {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        if code := app.main([*command, "--help"]):
            raise SystemExit(code)
    return "\n".join(line.rstrip() for line in shown.getvalue().strip().splitlines())


def reach() -> str:
    """Return the page that tells where each formula is reached."""
    return "\n\n".join(
        [
            "# Where each formula is reached",
            "Every formula of the papers is a function in Python and answers by its name for any inputs, with estimator, validity, warnings, derivation and "
            "source: `tierwright formula NAME`, `POST /formulas/{name}`, page *Formulas*. This table shows where it is also part of a larger answer; a test "
            "checks that every formula has its row, and that the commands, addresses and pages named here exist.",
            table(
                ["formula", "command", "`POST` or `GET`", "page"],
                [
                    [
                        f"`{card.name}`",
                        f"`{card.command}`",
                        f"`{card.address or '/formulas/{name}'}`",
                        card.page or "Formulas",
                    ]
                    for card in catalogue_table.CARDS.values()
                ],
            ),
        ]
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/formats.md": formats,
    "reference/policies.md": policies,
    "reference/buffers.md": buffers,
    "reference/schemes.md": schemes,
    "reference/flash-caches.md": flash_caches,
    "reference/devices.md": devices,
    "reference/price-books.md": price_books,
    "reference/servers.md": server_page,
    "reference/volumes.md": volume_page,
    "reference/parts.md": part_page,
    "reference/price-history.md": history_page,
    "reference/cli.md": command_line,
    "models/reach.md": reach,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them with ``--check``."""
    if arguments not in ([], ["--check"]):
        print("error: the only option is --check", file=sys.stderr)
        return 2
    stale = 0
    for name, make in PAGES.items():
        path = FOLDER / name
        text = f"{NOTE}\n\n{make()}\n"
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text == old:
            continue
        if not arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
            continue
        stale += 1
        lines = difflib.unified_diff(
            old.splitlines(), text.splitlines(), f"docs/{name}", "now", n=0
        )
        print("\n".join(list(lines)[:20]))
    if stale:
        print(
            f"error: {stale} of {len(PAGES)} pages are out of date\n"
            "hint: run python scripts/generate_reference.py",
            file=sys.stderr,
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
