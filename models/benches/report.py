"""Write what a bench measured into a page: ``report.py RESULTS.json PAGE``.

Every figure of ``docs/performance.md`` comes from ``models/benches/performance.json``, what ``make bench``
writes; the text around the tables does not repeat them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import results

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20


def table(headings: list[str], rows: list[list[str]]) -> list[str]:
    """Return a Markdown table; the first column is text."""
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def number(value: float | None, digits: int = 1, scale: float = 1.0) -> str:
    """Return a number, or a dash."""
    return "-" if value is None else f"{value / scale:,.{digits}f}"


def speeds(document: dict[str, Any]) -> list[str]:
    """Return the table of speeds beside the bars."""
    rows = []
    for row in document["rows"]:
        times = row["bar_unit"] == "times"
        bar = "-" if row["bar"] is None else number(row["bar"], 1)
        if row["bar"] is not None:
            bar += " times" if times else " M/s"
        reached = {None: "-", True: "yes", False: "**no**"}[row["reached"]]
        by_processor = number(row["cpu_ratio"], 2)
        if not times:
            by_processor = f"{row['accesses'] / row['cpu_seconds'] / 1e6:.1f} M/s"
        rows.append(
            [
                row["name"],
                number(row["accesses_per_s"], 1, 1e6),
                number(row["other_accesses_per_s"], 1, 1e6),
                number(row["ratio"], 2),
                by_processor,
                bar,
                reached,
                number(row["spread"], 2),
                number(row["rss_bytes"], 0, MIB),
                number(row["other_rss_bytes"], 0, MIB),
            ]
        )
    headings = ["what", "M/s", "other's M/s", "times as fast", "by processor time"]
    headings += ["bar", "reached", "spread", "MiB", "other's MiB"]
    return table(headings, rows)


def agreement(document: dict[str, Any]) -> list[str]:
    """Return the table of miss ratios, ours and the peer's."""
    rows = []
    for row in document["rows"]:
        ours, other = row["miss_ratios"]
        if ours is not None and other is not None and row["bar"] is not None:
            rows.append(
                [
                    row["name"],
                    number(ours, 5),
                    number(other, 5),
                    number(abs(ours - other), 5),
                ]
            )
    return table(["what", "ours", "libCacheSim", "difference"], rows)


def limits(document: dict[str, Any]) -> list[str]:
    """Return how long an access takes beside what the machine takes for its parts."""
    probe = document["probe"]
    decode = probe["decode_ns_per_access"]
    # A table of four bytes for each of the trace's pages lies in the cache that holds it.
    table_bytes = 4 * document["pages"]
    at = next(
        index
        for index, size in enumerate(probe["table_bytes"])
        if size >= table_bytes or index == len(probe["table_bytes"]) - 1
    )
    alone, among = probe["read_alone_ns"][at], probe["read_among_others_ns"][at]
    rows = []
    for row in document["rows"]:
        if row["name"].startswith("convert") or row["seconds"] is None:
            continue
        each = row["cpu_seconds"] / row["accesses"] * 1e9
        floor = decode if "sweep" not in row["name"] else 0.0
        rest = each - floor
        rows.append(
            [
                row["name"],
                number(each, 1),
                number(floor / each * 100, 0) + " %",
                number(rest / among, 1),
                number(rest / alone, 2),
                number(each / (floor + among), 1),
            ]
        )
    headings = ["what", "ns an access", "of it decoding", "rest in reads among others"]
    headings += ["rest in reads alone", "times the least"]
    return table(headings, rows)


def machine(document: dict[str, Any]) -> list[str]:
    """Return what the machine is and can do."""
    about, probe = document["machine"], document["probe"]
    clock = probe.get("clock_ghz")
    loads = [
        run["load_average"]
        for row in document["rows"]
        for run in row["runs"]
        if "load_average" in run
    ]
    lines = [
        f"{about['cores']} cores of `{about['processor']}`, {about['system']}. Load average "
        f"while measuring: {min(loads):.1f} to {max(loads):.1f} (our own runs are up to "
        f"{about['cores']} of it). Two threads did {probe['two_threads']:.2f} times the work of "
        f"one. Memory is read in order at {probe['sequential_gb_per_s']:.1f} GB/s; a canonical "
        f"trace is decoded in {probe['decode_ns_per_access']:.2f} ns an access."
        + (f" A cycle takes {1 / clock:.3f} ns ({clock:.2f} GHz)." if clock else ""),
        "",
    ]
    rows = [
        [f"{size // 1024:,} KiB", number(alone, 2), number(among, 2)]
        for size, alone, among in zip(
            probe["table_bytes"],
            probe["read_alone_ns"],
            probe["read_among_others_ns"],
            strict=True,
        )
    ]
    headings = ["table", "a read that waits for the one before, ns"]
    headings += ["a read among others, ns"]
    return lines + table(headings, rows)


def streams(document: dict[str, Any]) -> list[str]:
    """Return what streaming a generated trace took."""
    found = document["stream"]
    return [
        f"{found['accesses']:,} accesses to {found['distinct_pages']:,} distinct pages, "
        f"generated as they are replayed, through `lazy` with 1 % and 10 % of the pages: "
        f"{found['seconds']:,.0f} s, of which {found['cpu_seconds']:,.0f} s of processor time, "
        f"generator included (at a load average of {found['load_average']:.1f}). Peak memory {found['peak_bytes'] / MIB:,.0f} MiB, of which "
        f"the generator's tables took {found['generator_bytes'] / MIB:,.0f} MiB; limit for the "
        f"replay {found['limit_bytes'] / MIB:,.0f} MiB.",
    ]


def grids(document: dict[str, Any]) -> list[str]:
    """Return what grids over HTTP took."""
    rows = [
        [
            row["name"],
            number(row["p50_ms"]),
            number(row["p95_ms"]),
            number(row["server_cpu_ms"]),
            number(row["bar_ms"], 0),
            "yes" if row["reached"] else "**no**",
            number(row["answer_bytes"], 0, 1000),
            number(row["load_average"]),
        ]
        for row in document.get("http", ())
    ]
    headings = ["grid of 64 x 64", "median ms", "p95 ms", "server's processor ms"]
    headings += ["bar", "reached", "answer kB", "load average"]
    return table(headings, rows) if rows else ["Not measured yet."]


def ingestion(document: dict[str, Any]) -> list[str]:
    """Return how fast traces of every format are read and converted."""
    rows = [
        [
            row["name"],
            number(row["requests"], 0),
            number(row["file_bytes"], 1, MIB),
            number(row["requests_per_s"], 2, 1e6),
            number(row["requests_per_cpu_s"], 2, 1e6),
            number(row["bar"], 0, 1e6),
            {None: "-", True: "yes", False: "**no**"}[row["reached"]],
            number(row["load_average"]),
        ]
        for row in document.get("ingest", ())
    ]
    headings = ["format, packing", "requests", "file MiB", "M requests/s"]
    headings += ["M requests per processor second", "bar", "reached", "load average"]
    return table(headings, rows) if rows else ["Not measured yet."]


def counts(document: dict[str, Any]) -> list[str]:
    """Return what an access takes of the processor, counted on a simulated one."""
    found = document.get("counts")
    if found is None:
        return ["Not counted yet."]
    clock = document["probe"].get("clock_ghz")
    times = {row["name"]: row for row in document["rows"]}
    rows = []
    for row in found["rows"]:
        measured = times.get(row["name"])
        cycles = None
        if clock is not None and row["name"] == "decoding":
            cycles = document["probe"]["decode_ns_per_access"] * clock
        elif clock is not None and measured is not None:
            cycles = measured["cpu_seconds"] / measured["accesses"] * 1e9 * clock
        rows.append(
            [
                row["name"],
                number(row["instructions"], 0),
                number(row["data_references"], 1),
                number(row["first_level_misses"], 2),
                number(row["second_level_misses"], 2),
                number(row["mispredicted_branches"], 2),
                number(cycles, 0),
                number(cycles and row["instructions"] / cycles, 1),
            ]
        )
    headings = ["an access of", "instructions", "reads and writes"]
    headings += ["first-level misses", "second-level misses", "branches mispredicted"]
    headings += ["cycles", "instructions a cycle"]
    return table(headings, rows)


def sliders(document: dict[str, Any]) -> list[str]:
    """Return how soon a page answers a move of a slider, in a browser."""
    rows = [
        [
            row["page"],
            row["slider"].removeprefix("^"),
            number(row["moves"], 0),
            number(row["p50_ms"], 0),
            number(row["p95_ms"], 0),
            number(row["answered_p95_ms"], 0),
            number(row["bar_ms"], 0),
            "yes" if row["reached"] else "**no**",
        ]
        for row in document.get("sliders", ())
    ]
    headings = ["page", "slider", "moves", "median ms", "p95 ms"]
    headings += ["of it until the answer, p95 ms", "bar", "reached"]
    return table(headings, rows) if rows else ["Not measured yet."]


def configurations(document: dict[str, Any]) -> list[str]:
    """Return how long it takes to list, price and evaluate configurations."""
    rows = [
        [
            row["name"],
            number(row["configurations"], 0),
            number(row["seconds"], 2),
            number(row["first_seconds"], 2),
            number(row["seconds_per_100_000"], 2),
            number(row["bar_seconds"], 0),
            "yes" if row["reached"] else "**no**",
        ]
        for row in document.get("configurations", ())
    ]
    headings = ["what", "configurations", "processor s", "the first time"]
    headings += ["s for 100,000", "bar", "reached"]
    return table(headings, rows) if rows else ["Not measured yet."]


def advice(document: dict[str, Any]) -> list[str]:
    """Return how long a first answer of the advisor takes, beside a plain loop."""
    rows = [
        [
            row["name"],
            number(row["options"], 0),
            number(row["seconds"], 2),
            number(row["first_seconds"], 2),
            number(row["seconds_per_100_000"], 2),
            number(row["times_faster_than_loop"], 0),
            number(row["bar_seconds"], 0),
            "yes" if row["reached"] else "**no**",
        ]
        for row in document.get("advice", ())
    ]
    headings = ["what", "options", "processor s", "the first time", "s for 100,000"]
    headings += ["times a plain loop", "bar", "reached"]
    return table(headings, rows) if rows else ["Not measured yet."]


def flash_device(document: dict[str, Any]) -> list[str]:
    """Return the table of the flash device."""
    rows = [
        [
            f"{row['pages']:,} pages, spare {row['spare']}",
            number(row["block_pages"], 0),
            number(row["host_writes_per_s"], 1, 1e6),
            number(row["host_writes_per_s"] * row["waf"], 1, 1e6),
            number(row["waf"], 3),
            number(row["bar_per_s"], 0, 1e6),
            {None: "-", True: "yes", False: "**no**"}[row["reached"]],
        ]
        for row in document.get("flash_device", ())
    ]
    headings = ["device", "pages a block", "M host writes/s", "M flash writes/s"]
    headings += ["WAF", "bar", "reached"]
    return table(headings, rows) if rows else ["Not measured yet."]


def flash_device_peer(document: dict[str, Any]) -> list[str]:
    """Return the table of the flash device beside MQSim."""
    rows = [
        [
            f"{row['pages']:,} pages, spare {row['spare']}",
            number(row["host_writes_per_s"], 1, 1e6),
            number(row["peer_host_writes_per_s"], 3, 1e6),
            number(row["host_writes_per_s"] / row["peer_host_writes_per_s"], 0),
            number(row["waf"], 2),
            number(row["peer_waf"], 2),
        ]
        for row in document.get("flash_device_peer", ())
    ]
    headings = ["device", "M host writes/s", "MQSim", "times MQSim", "WAF", "MQSim's"]
    return table(headings, rows) if rows else ["Not measured yet."]


PARTS = {
    "counts": counts,
    "ingestion": ingestion,
    "machine": machine,
    "speeds": speeds,
    "agreement": agreement,
    "limits": limits,
    "streams": streams,
    "grids": grids,
    "sliders": sliders,
    "configurations": configurations,
    "advice": advice,
    "flash_device": flash_device,
    "flash_device_peer": flash_device_peer,
}


def rendered(page: str, document: dict[str, Any]) -> str:
    """Return the page with its generated parts anew."""
    for name, part in PARTS.items():
        mark, end = f"<!-- bench: {name} -->", "<!-- bench end -->"
        page = results.between(page, mark, end, "\n".join(part(document)))
    return page


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write a bench's results into a page.")
    docs = ROOT / "docs"
    parser.add_argument(
        "results",
        nargs="?",
        type=Path,
        default=ROOT / "models" / "benches" / "performance.json",
    )
    parser.add_argument("page", nargs="?", type=Path, default=docs / "performance.md")
    given = parser.parse_args()
    document = json.loads(given.results.read_text(encoding="utf-8"))
    page = given.page.read_text(encoding="utf-8")
    given.page.write_text(rendered(page, document), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
