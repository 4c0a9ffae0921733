"""The bench of converting a trace in parts: processor time and memory, beside one conversion of all files.

``python models/benches/converted.py [--accesses 1e7] [--parts 4] [--pages 1e6] [--ranges 16] [--write
docs/operations/scale.md]`` writes raw files of the format oracleGeneral, of which each has most of the pages, converts
them to parts that are numbered alike (``trace convert --parts-in``), joins these, and converts all files at once; the
contents of both results must be one. Each command runs by itself: its processor time and the most memory of any of its
processes are what the system counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import results

MEBIBYTE = 2**20
PAGE_BYTES = 4096
POPULAR = 0.8
"""Share of the accesses to popular pages, the k-th of which has 1/k of those to the first; the others are drawn evenly."""
RECORD = np.dtype([("time", "<u4"), ("page", "<u8"), ("bytes", "<u4"), ("next", "<i8")])

BEGIN, END = "<!-- converted -->", "<!-- converted end -->"
PRODUCT = Path(sys.executable).with_name("tierwright")
ALONE = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
took = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, took.ru_utime + took.ru_stime, took.ru_maxrss * 1024]))
"""


@dataclass(frozen=True)
class Command:
    """What a command took.

    Attributes
    ----------
    processor_s, wall_s : float
        Of all of its processes; by the clock. [s]
    peak_bytes : int
        Most memory of one of its processes. [bytes]
    """

    processor_s: float
    wall_s: float
    peak_bytes: int


@dataclass(frozen=True)
class Measured:
    """A whole run.

    Attributes
    ----------
    accesses, pages, parts, ranges : int
        Of the trace, and how it was divided.
    in_parts, joined, at_once : Command
        Converting in parts by one worker, joining these parts, and converting all files at once.
    steps_bytes : int
        What the steps left in their folder. [bytes]
    """

    accesses: int
    pages: int
    parts: int
    ranges: int
    in_parts: Command
    joined: Command
    at_once: Command
    steps_bytes: int


def run(*arguments: str) -> Command:
    """Run a command of the product in a process whose children are its own alone."""
    command = [sys.executable, "-c", ALONE, str(PRODUCT)]
    began = time.monotonic()
    done = subprocess.run(
        [*command, *arguments], check=True, capture_output=True, text=True
    )
    code, processor_s, peak = json.loads(done.stdout)
    if code != 0:
        raise SystemExit(f"error: {' '.join(arguments)} failed:\n{done.stderr}")
    return Command(processor_s, time.monotonic() - began, peak)


def described(trace: Path) -> dict[str, Any]:
    """Return what a canonical trace says of itself."""
    command = [str(PRODUCT), "trace", "inspect", str(trace), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write_raw(path: Path, accesses: int, pages: int, seed: int) -> None:
    """Write accesses to pages whose popularity says nothing of where they lie."""
    random = np.random.default_rng(seed)
    rank = np.exp(random.random(accesses) * np.log(pages)).astype(np.uint64)
    evenly = random.integers(0, pages, accesses, dtype=np.uint64)
    drawn = np.where(random.random(accesses) < POPULAR, rank - 1, evenly)
    records = np.zeros(accesses, dtype=RECORD)
    # An odd factor takes each number to one of its own, modulo 2^40.
    records["page"] = drawn * np.uint64(0x9E37_79B1) % np.uint64(2**40)
    records["bytes"] = PAGE_BYTES
    records["next"] = -1
    records.tofile(path)


def measure(accesses: int, parts: int, pages: int, ranges: int) -> Measured:
    """Generate, convert in parts, join, and convert at once."""
    with tempfile.TemporaryDirectory(prefix="tierwright-converted-") as name:
        folder = Path(name)
        sources = [folder / f"{number}.bin" for number in range(parts)]
        for number, source in enumerate(sources):
            write_raw(source, accesses // parts, pages, seed=number)
        steps, made = folder / "steps", folder / "parts"
        steps.mkdir()
        made.mkdir()
        named = [str(each) for each in sources]
        convert = ("trace", "convert")
        raw = ("--format", "oracle_general")
        in_parts = run(
            *convert,
            *named,
            *raw,
            *("--parts-in", str(steps), "--hash-ranges", str(ranges)),
            *("--workers", "1", "--out", str(made)),
        )
        whole, joined = folder / "whole.twt", folder / "joined.twt"
        numbered = sorted(str(each) for each in made.iterdir())
        of_parts = run(*convert, *numbered, "--out", str(joined))
        at_once = run(*convert, *named, *raw, "--out", str(whole))
        one, other = described(whole), described(joined)
        if one["content_id"] != other["content_id"]:
            raise SystemExit("error: parts and one conversion differ")
        return Measured(
            one["accesses"],
            one["distinct_pages"],
            parts,
            ranges,
            in_parts,
            of_parts,
            at_once,
            sum(each.stat().st_size for each in steps.rglob("*") if each.is_file()),
        )


def page(found: Measured) -> str:
    """Return the table of docs/operations/scale.md."""
    million = found.accesses / 1e6
    rows = [
        ("in parts, one worker", found.in_parts),
        ("joining the parts", found.joined),
        ("all files at once", found.at_once),
    ]
    lines = [
        f"{found.accesses:,} accesses to {found.pages:,} pages in {found.parts} parts, {found.ranges} ranges; the steps leave "
        f"{found.steps_bytes / MEBIBYTE:,.0f} MiB in their folder.",
        "",
        "| converting | million accesses per second of a processor | most memory of a process |",
        "|---|---:|---:|",
    ]
    lines += [
        f"| {title} | {million / each.processor_s:.1f} | {each.peak_bytes / MEBIBYTE:,.0f} MiB |"
        for title, each in rows
    ]
    return "\n".join(lines)


def write(path: Path, text: str) -> None:
    """Put the table between the marks of a page."""
    page = path.read_text(encoding="utf-8")
    path.write_text(results.between(page, BEGIN, END, f"\n{text}\n"), encoding="utf-8")


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accesses", type=float, default=1e7)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--pages", type=float, default=1e6)
    parser.add_argument("--ranges", type=int, default=16)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    found = measure(int(asked.accesses), asked.parts, int(asked.pages), asked.ranges)
    print(json.dumps(asdict(found), indent=1))  # noqa: T201
    print(page(found))  # noqa: T201
    if asked.write is not None:
        write(asked.write, page(found))


if __name__ == "__main__":
    main()
