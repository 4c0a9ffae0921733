#!/usr/bin/env python3
"""Turn a recording of ``record_uprobes.py`` into a page trace.

    python3 uprobes_to_trace.py run.perf trace.csv [--transactions events.txt]

The trace is PostgreSQL reference CSV, one row per page access in time order:
``time_us,op,rel,block`` with ``rel`` = database/relfilenode (``_fsm``, ``_vm``,
``_init`` for the other forks) and ``op`` = ``W`` for the access that dirtied the
page. With ``--transactions``, of a recording made with the option of that name, the
events of transactions are written too, as ``tierwright transactions`` reads them.
Standard library only; memory is about 36 bytes an access.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

EVENT = re.compile(
    r"\s*(?P<pid>\d+)\s+(?P<seconds>\d+)\.(?P<nanos>\d{9}):\s+tierwright:(?P<event>\w+):"
    r"\s+\([^)]*\)\s*(?P<fields>.*)",
)
FIELD = re.compile(r"(\w+)=(-?\d+)")
FIELDS = "pid,time,event,trace"
NEW_BLOCK = 0xFFFFFFFF
FORKS = ("", "_fsm", "_vm", "_init")


class Recording:
    """The accesses of a recording, in the order of their time.

    Parameters
    ----------
    hints
        Whether a page dirtied by a hint bit counts as written.
    """

    def __init__(self, *, hints: bool) -> None:
        self.hints = hints
        self.times_us = array("q")
        self.relations = array("L")
        self.blocks = array("L")
        self.processes = array("l")
        self.ends: list[tuple[int, int, int, str]] = []
        self.written = bytearray()
        self.names: list[str] = []
        self.unplaced_writes = 0
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._last_of_process: dict[int, int] = {}
        self._page_in_buffer: dict[int, tuple[int, int]] = {}
        self._last_access: dict[tuple[int, int, int], int] = {}
        self._start_us: int | None = None

    def add(self, pid: int, time_us: int, event: str, fields: dict[str, int]) -> None:
        """Take one event in."""
        if event.startswith("read"):
            self._read(pid, time_us, fields)
        elif event.startswith("extended"):
            self._extended(pid, fields)
        elif event.startswith("pinned"):
            self._pinned(pid, fields["buffer"])
        elif event == "dirty" or (event == "hint" and self.hints):
            self._dirty(pid, fields["buffer"])
        elif event.startswith(("began", "committed", "aborted")):
            self._transaction(pid, time_us, event)

    def _transaction(self, pid: int, time_us: int, event: str) -> None:
        start = time_us if self._start_us is None else self._start_us
        # A process that begins one has ended its last: prepared ones have no probe.
        step = "A" if event.startswith("aborted") else "C"
        self.ends.append((len(self.times_us), pid, time_us - start, step))

    def _read(self, pid: int, time_us: int, fields: dict[str, int]) -> None:
        key = (fields["database"], fields["relation"], fields["fork"])
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.names)
            fork = FORKS[key[2]] if 0 <= key[2] < len(FORKS) else f"_{key[2]}"
            self.names.append(f"{key[0]}/{key[1]}{fork}")
        if self._start_us is None:
            self._start_us = time_us
        access = len(self.times_us)
        self.times_us.append(time_us - self._start_us)
        self.relations.append(number)
        self.blocks.append(fields["block"])
        self.processes.append(pid)
        self.written.append(0)
        self._last_of_process[pid] = access

    def _extended(self, pid: int, fields: dict[str, int]) -> None:
        access = self._last_of_process.get(pid)
        if access is not None and self.blocks[access] == NEW_BLOCK:
            self.blocks[access] = fields["block"]
            self.written[access] = 1  # a new page is written, whatever is put in it

    def _pinned(self, pid: int, buffer: int) -> None:
        access = self._last_of_process.get(pid)
        if access is None:
            return
        page = (self.relations[access], self.blocks[access])
        # Negative buffers are a process's own (temporary relations).
        place = buffer if buffer >= 0 else (pid << 32) + buffer
        self._page_in_buffer[place] = page
        self._last_access[(pid, *page)] = access

    def _dirty(self, pid: int, buffer: int) -> None:
        place = buffer if buffer >= 0 else (pid << 32) + buffer
        page = self._page_in_buffer.get(place)
        access = None if page is None else self._last_access.get((pid, *page))
        if access is None:
            # The page was pinned before the recording began.
            self.unplaced_writes += 1
        else:
            self.written[access] = 1

    def write(self, out: TextIO) -> tuple[int, int]:
        """Write the rows; returns rows and rows left out for want of a block."""
        out.write("time_us,op,rel,block\n")
        rows = unknown = 0
        for time_us, relation, block, written in zip(
            self.times_us, self.relations, self.blocks, self.written, strict=True
        ):
            if block == NEW_BLOCK:
                unknown += 1
                continue
            out.write(f"{time_us},{'RW'[written]},{self.names[relation]},{block}\n")
            rows += 1
        return rows, unknown

    def write_transactions(self, out: TextIO) -> tuple[int, int]:
        """Write events of transactions; returns how many transactions, and how many pages.

        A transaction begins with its first access. Pages are numbered as they appear. What a
        process reads before its first transaction in the recording belongs to one that was
        running when it began; those running at its end do not end.
        """
        running: dict[int, str] = {}
        pages: dict[tuple[int, int], int] = {}
        count = at = 0
        last_us = 0
        ends = iter([*self.ends, (len(self.times_us), -1, 0, "")])
        for position, pid, end_us, step in ends:
            for access in range(at, position):
                if self.blocks[access] == NEW_BLOCK:
                    continue
                process, last_us = self.processes[access], self.times_us[access]
                if process not in running:
                    running[process] = f"{process}.{count}"
                    count += 1
                    out.write(f"B {running[process]} @{last_us}\n")
                key = (self.relations[access], self.blocks[access])
                page = pages.setdefault(key, len(pages))
                op = "RU"[self.written[access]]
                out.write(f"{op} {running[process]} {page} @{last_us}\n")
            at = position
            if pid in running:
                last_us = max(last_us, end_us)
                out.write(f"{step} {running.pop(pid)} @{last_us}\n")
        return count, len(pages)


def events_of(lines: Iterable[str]) -> Iterator[tuple[int, int, str, dict[str, int]]]:
    """Process, time in microseconds, event and fields of each line of ``perf script``."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        match = EVENT.match(line)
        if match is None:
            sys.exit(
                f"error: line {number} of perf's output is not understood: "
                f"{line.rstrip()[:200]!r}\n"
                "hint: the recording must be one of record_uprobes.py"
            )
        time_us = int(match["seconds"]) * 1_000_000 + int(match["nanos"]) // 1000
        fields = {name: int(value) for name, value in FIELD.findall(match["fields"])}
        yield int(match["pid"]), time_us, match["event"], fields


def lost_events(recording: Path) -> int:
    """How many events perf lost, by its own count."""
    done = subprocess.run(
        ["perf", "report", "--stats", "-i", str(recording)],
        capture_output=True,
        text=True,
        check=False,
    )
    lost = re.findall(r"LOST(?:_SAMPLES)? events:\s*(\d+)", done.stdout)
    return sum(map(int, lost))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("recording", type=Path, help="the file of record_uprobes.py")
    parser.add_argument("trace", type=Path, help="the CSV to write")
    parser.add_argument(
        "--transactions",
        type=Path,
        metavar="EVENTS",
        help="write the events of transactions here",
    )
    parser.add_argument(
        "--no-hints",
        action="store_true",
        help="do not count pages dirtied by hint bits alone as written",
    )
    parser.add_argument(
        "--allow-lost",
        action="store_true",
        help="convert even if perf lost events",
    )
    arguments = parser.parse_args()
    if not arguments.recording.is_file():
        sys.exit(f"error: {arguments.recording} does not exist\nhint: record first")
    lost = lost_events(arguments.recording)
    if lost and not arguments.allow_lost:
        sys.exit(
            f"error: perf reports {lost} lost records, so accesses are missing\n"
            "hint: record again with a larger --ring-mib, or go on with --allow-lost"
        )
    script = subprocess.Popen(
        ["perf", "script", "--ns", "-F", FIELDS, "-i", str(arguments.recording)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert script.stdout is not None
    recording = Recording(hints=not arguments.no_hints)
    for event in events_of(script.stdout):
        recording.add(*event)
    if script.wait() != 0:
        sys.exit("error: `perf script` failed\nhint: see its message above")
    with arguments.trace.open("w", encoding="ascii", newline="\n") as out:
        rows, unknown = recording.write(out)
    if arguments.transactions is not None:
        if not recording.ends:
            sys.exit(
                "error: the recording holds no end of a transaction\n"
                "hint: record again with record_uprobes.py --transactions"
            )
        with arguments.transactions.open("w", encoding="ascii", newline="\n") as out:
            count, pages = recording.write_transactions(out)
        print(
            f"transactions: {count}; replay them with --database-pages {pages}",
            file=sys.stderr,
        )
    print(
        f"{rows} accesses, {sum(recording.written)} writes; left out: {unknown} new"
        f" pages without a block number, {recording.unplaced_writes} writes to pages"
        f" pinned before the recording began; {lost} lost records",
        file=sys.stderr,
    )
    if not rows:
        sys.exit("error: the recording holds no access\nhint: was the server busy?")


if __name__ == "__main__":
    main()
