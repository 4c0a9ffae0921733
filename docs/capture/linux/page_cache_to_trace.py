#!/usr/bin/env python3
"""Turn a recording of the Linux page cache by ``perf`` into a page trace.

    python3 page_cache_to_trace.py perf.data trace.csv

Reads a file of ``perf record``, or the text of ``perf script -F time,event,trace``
(``-`` for standard input). The trace is a table ``time_us,op,device,page``: ``R`` for
each page that came into the page cache (a miss, or a page newly written), ``W`` for each
that became dirty; ``device`` names device and inode. Hits leave no event. Standard
library only; rows are written as they are read, so memory does not grow.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

PAGE_BYTES = 4096
ADDED = re.compile(
    r"\s*(?P<seconds>\d+)\.(?P<micros>\d{6}):\s+filemap:mm_filemap_add_to_page_cache:\s+"
    r"dev (?P<device>\d+:\d+) ino (?P<inode>[0-9a-f]+) (?:page=\S+ )?pfn=\S+ "
    r"ofs=(?P<offset>\d+)(?: order=(?P<order>\d+))?"
)
DIRTIED = re.compile(
    r"\s*(?P<seconds>\d+)\.(?P<micros>\d{6}):\s+writeback:writeback_dirty_(?:folio|page):\s+"
    r"bdi (?P<device>\S+): ino=(?P<inode>\d+) index=(?P<index>\d+)"
)
HEADER = "time_us,op,device,page\n"
READ_WITH = (
    "--format csv --column time=time_us --column time_unit=us --column op=op "
    "--column page=page --column device=device --column level=below"
)


class Unreadable(Exception):
    """The recording cannot become a trace that is right."""


class Converter:
    """Writes rows for events, and knows what could not be placed.

    Parameters
    ----------
    disks
        The device of the file system on each disk: a page is added on the device of its
        file system (``8:1``), and dirtied on the whole disk (``8:0``).
    """

    def __init__(self, disks: dict[str, str]) -> None:
        self.disks = disks
        self.added: set[str] = set()
        self.devices_of: dict[int, set[str]] = {}
        self.dirtied: Counter[str] = Counter()
        self.rows = 0

    def rows_of(self, lines: Iterable[str]) -> Iterator[str]:
        """Give the rows of the events, in the order of the recording."""
        for number, line in enumerate(lines, start=1):
            if added := ADDED.match(line):
                yield from self._added(added)
            elif dirtied := DIRTIED.match(line):
                yield self._dirtied(dirtied)
            elif "mm_filemap_add" in line or "writeback_dirty" in line:
                raise Unreadable(
                    f"line {number} is an event of another shape: `{line.strip()[:120]}`; "
                    "write the text with `perf script -F time,event,trace`"
                )

    def _added(self, event: re.Match[str]) -> Iterator[str]:
        device, first = event["device"], int(event["offset"]) // PAGE_BYTES
        inode = int(event["inode"], 16)
        self.added.add(device)
        self.devices_of.setdefault(inode, set()).add(device)
        for page in range(first, first + (1 << int(event["order"] or 0))):
            yield self._row(event, "R", device, inode, page)

    def _dirtied(self, event: re.Match[str]) -> str:
        disk, inode = event["device"], int(event["inode"])
        device = self.disks.get(disk, disk)
        known = self.devices_of.get(inode, set())
        # Pages of a disk itself are added on a device of the kernel's own.
        if disk not in self.disks and len(known) == 1:
            [device] = known
        self.dirtied[device] += 1
        return self._row(event, "W", device, inode, int(event["index"]))

    def _row(
        self, event: re.Match[str], op: str, device: str, inode: int, page: int
    ) -> str:
        self.rows += 1
        time_us = int(event["seconds"]) * 1_000_000 + int(event["micros"])
        return f"{time_us},{op},{device}/{inode},{page}\n"

    def check(self) -> None:
        """Refuse writes whose pages could not be the pages that were read."""
        if self.rows == 0:
            raise Unreadable(
                "the recording holds no event of the page cache: record "
                "filemap:mm_filemap_add_to_page_cache and writeback:writeback_dirty_folio"
            )
        strange = sorted(set(self.dirtied) - self.added)
        if strange and self.added:
            raise Unreadable(
                f"pages became dirty on {', '.join(strange)}, where no page was read "
                f"(pages were read on {', '.join(sorted(self.added))}): a disk bears "
                "another number than a file system on its partition. Say which is which, "
                f"such as --disk {strange[0]}={min(self.added)} (`lsblk` lists both), or "
                f"--disk {strange[0]}={strange[0]} if nothing was read there"
            )


def lines_of(recording: str) -> Iterator[str]:
    """Give the text of a recording."""
    if recording == "-":
        yield from sys.stdin
        return
    with Path(recording).open("rb") as file:
        is_perf = file.read(8) == b"PERFILE2"
    if not is_perf:
        with Path(recording).open(encoding="utf-8", errors="replace") as text:
            yield from text
        return
    command = ["perf", "script", "-F", "time,event,trace", "-i", recording]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise Unreadable("perf gave no output")
        yield from process.stdout
    if process.returncode != 0:
        raise Unreadable(f"`{' '.join(command)}` ended with {process.returncode}")


def disk(text: str) -> tuple[str, str]:
    """Take ``8:0=8:1`` apart."""
    whole, equals, part = text.partition("=")
    if not (whole and equals and part):
        raise argparse.ArgumentTypeError(
            f"`{text}` is not DISK=DEVICE, such as 8:0=8:1"
        )
    return whole, part


def convert(lines: Iterable[str], disks: dict[str, str], out: TextIO) -> Converter:
    """Write the trace of a recording.

    Raises
    ------
    Unreadable
        An event has another shape, or pages that were written cannot be told from those
        that were read.
    """
    converter = Converter(disks)
    out.write(HEADER)
    out.writelines(converter.rows_of(lines))
    # A disk that was named with itself is one on which nothing is read.
    converter.added |= {part for whole, part in disks.items() if whole == part}
    converter.check()
    return converter


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recording", help="perf.data, the text of perf script, or -")
    parser.add_argument("trace", type=Path, help="the table to write")
    parser.add_argument(
        "--disk",
        type=disk,
        action="append",
        default=[],
        metavar="DISK=DEVICE",
        help="number of a disk and of the file system on it; may be repeated",
    )
    given = parser.parse_args()
    part = given.trace.with_name(f"{given.trace.name}.part")
    try:
        with part.open("w", encoding="utf-8") as out:
            found = convert(lines_of(given.recording), dict(given.disk), out)
        part.replace(given.trace)
    except (Unreadable, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    finally:
        part.unlink(missing_ok=True)
    sys.stdout.write(
        f"{found.rows} rows; read them with: tierwright trace inspect {given.trace} {READ_WITH}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
