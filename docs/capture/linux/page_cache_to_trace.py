#!/usr/bin/env python3
"""Turn a recording of the Linux page cache by ``perf`` into a page trace.

    python3 page_cache_to_trace.py perf.data trace.csv

Reads a file of ``perf record``, or the text of ``perf script -F time,event,trace``
(``-`` for standard input). The trace is a table ``time_us,op,device,page``: ``R`` for
each page that came into the page cache (a miss, or a page newly written), ``W`` for each
that became dirty; ``device`` names device and inode. Hits leave no event. A folio of
several pages that becomes dirty is one ``W``, of its first page: the event does not tell
its size. Standard library only; rows are written as they are read, and what is kept
grows with the devices and with the inodes of file systems without a disk, not with time.
"""

from __future__ import annotations

import argparse
import mmap
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

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
_MINOR_BITS = 20  # a device as one number: major << 20 | minor
# So many single pages, all at multiples of a larger page: that is the page.
_ENOUGH_TO_TELL = 100
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
    page_bytes
        Size of a page of the kernel that recorded; None: as on this machine, refused where
        the offsets tell of another. [B]
    """

    def __init__(self, disks: dict[str, str], page_bytes: int | None = None) -> None:
        self.disks = disks
        self.page_bytes = page_bytes or mmap.PAGESIZE
        self.is_page_stated = page_bytes is not None
        self.added: set[str] = set()
        self.devices_of: dict[int, set[str]] = {}
        self.dirtied: dict[str, str] = {}
        self.rows = 0
        self.large_folios = 0
        self.single_pages = 0
        self.offset_bits = 0

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
        device, offset = event["device"], int(event["offset"])
        inode, pages = int(event["inode"], 16), 1 << int(event["order"] or 0)
        if offset % self.page_bytes:
            raise Unreadable(
                f"a page came in at byte {offset}, which is no multiple of "
                f"{self.page_bytes}: say --page-bytes of the kernel that recorded "
                "(`getconf PAGESIZE` there)"
            )
        self.added.add(device)
        if device.startswith("0:") and inode >> _MINOR_BITS:
            self.devices_of.setdefault(inode, set()).add(device)
        if pages > 1:
            self.large_folios += 1
        else:
            self.single_pages += 1
            self.offset_bits |= offset
        first = offset // self.page_bytes
        for page in range(first, first + pages):
            yield self._row(event, "R", device, inode, page)

    def _dirtied(self, event: re.Match[str]) -> str:
        disk, inode = event["device"], int(event["inode"])
        device = self.disks.get(disk, disk)
        # Pages of a disk itself are added on a device of the kernel's own, where the inode
        # is the number of the disk or partition. The inode of a file tells no device:
        # other file systems have the same.
        own = self.devices_of.get(inode, set())
        if len(own) == 1 and str(inode >> _MINOR_BITS) == disk.partition(":")[0]:
            [device] = own
        self.dirtied[device] = disk
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
        granule = self.offset_bits & -self.offset_bits
        if (
            not self.is_page_stated
            and self.single_pages >= _ENOUGH_TO_TELL
            and granule > self.page_bytes
        ):
            raise Unreadable(
                f"all pages came in at multiples of {granule} bytes, yet a page of this "
                f"machine has {self.page_bytes}: say --page-bytes of the kernel that "
                "recorded (`getconf PAGESIZE` there)"
            )
        strange = sorted(set(self.dirtied) - self.added)
        if strange and self.added:
            whole = self.dirtied[strange[0]]
            raise Unreadable(
                f"pages became dirty on {', '.join(strange)}, where no page was read "
                f"(pages were read on {', '.join(sorted(self.added))}): a disk bears "
                "another number than a file system on its partition. Say which is which, "
                f"such as --disk {whole}={min(self.added)} (`lsblk` lists both), or "
                f"--disk {whole}={whole} if nothing was read there"
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


def page_size(text: str) -> int:
    """Take a size of a page: a power of two."""
    size = int(text) if text.isascii() and text.isdigit() else 0
    if size < 512 or size & (size - 1):
        raise argparse.ArgumentTypeError(f"`{text}` is no size of a page, such as 4096")
    return size


def convert(
    lines: Iterable[str],
    disks: dict[str, str],
    out: TextIO,
    page_bytes: int | None = None,
) -> Converter:
    """Write the trace of a recording.

    Raises
    ------
    Unreadable
        An event has another shape, or pages that were written cannot be told from those
        that were read.
    """
    converter = Converter(disks, page_bytes)
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
    parser.add_argument(
        "--page-bytes",
        type=page_size,
        metavar="N",
        help="size of a page of the kernel that recorded [default: as on this machine]",
    )
    given = parser.parse_args()
    part = given.trace.with_name(f"{given.trace.name}.part")
    try:
        with part.open("w", encoding="utf-8") as out:
            found = convert(
                lines_of(given.recording), dict(given.disk), out, given.page_bytes
            )
        part.replace(given.trace)
    except (Unreadable, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    finally:
        part.unlink(missing_ok=True)
    if found.large_folios:
        sys.stderr.write(
            f"note: {found.large_folios} of the folios that came in have several pages; one "
            "that becomes dirty is written as its first page: writes may be too few\n"
        )
    sys.stdout.write(
        f"{found.rows} rows; read them with: tierwright trace inspect {given.trace} "
        f"{READ_WITH} --page-bytes {found.page_bytes}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
