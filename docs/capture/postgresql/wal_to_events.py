#!/usr/bin/env python3
"""Turn the write-ahead log of a PostgreSQL server into events of transactions.

    pg_waldump -p "$PGDATA/pg_wal" -s START -e END > wal.txt
    python3 wal_to_events.py wal.txt events.txt

Writes what ``tierwright transactions`` reads: a transaction begins at its first record
(`B`), updates every page that a record of it names (`U`), and commits or aborts (`C`, `A`).
The log holds no reads, and no transaction that changed nothing. A subtransaction counts
as its transaction, one that was rolled back alone as one that aborts. Standard library only;
the text is read twice, and one line of it is in memory.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

RECORD = re.compile(
    r"rmgr: (?P<manager>\w+)\s+len \(rec/tot\):\s*(?P<length>\d+)/\s*\d+, tx:\s*(?P<xid>\d+), "
    r"lsn: (?P<lsn>[0-9A-F/]+), prev [0-9A-F/]+, desc: (?P<what>.*)",
)
BLOCK = re.compile(
    r"blkref #\d+: rel (?P<relation>[0-9/]+)(?: fork (?P<fork>\w+))? blk (?P<block>\d+)"
)
SUBTRANSACTIONS = re.compile(r"subxacts: (?P<xids>\d+(?: \d+)*)")
PREPARED = re.compile(r"^(?:COMMIT|ABORT)_PREPARED (?P<xid>\d+)")
IMAGES = ("FPI", "FPI_FOR_HINT")


@dataclass(slots=True)
class Found:
    """What was read, and what was left out."""

    events: int = 0
    committed: int = 0
    aborted: int = 0
    updates: int = 0
    update_bytes: int = 0
    outside: int = 0
    """Records that change pages outside transactions: vacuum, pruning, checkpoints."""
    running: set[str] = field(default_factory=set)
    pages: dict[tuple[str, str, str], int] = field(default_factory=dict)


def records(lines: Iterable[str]) -> Iterator[re.Match[str]]:
    """Find the records among the lines; ends with a message where a line is none."""
    for number, line in enumerate(lines, start=1):
        match = RECORD.match(line)
        if match is None:
            if line.strip():
                sys.exit(
                    f"line {number}: `{line.strip()[:60]}` is not a record of pg_waldump\n"
                    "hint: give its output as it is, without --stats or --follow's messages"
                )
            continue
        yield match


def parents(lines: Iterable[str]) -> dict[str, str]:
    """Say of every subtransaction whose it was."""
    found: dict[str, str] = {}
    for record in records(lines):
        if record["manager"] != "Transaction":
            continue
        subs = SUBTRANSACTIONS.search(record["what"])
        if subs is not None:
            top = _ends(record)
            if record["what"].startswith("ASSIGNMENT"):
                top = re.sub(r".*xtop (\d+).*", r"\1", record["what"])
            found |= {xid: top for xid in subs["xids"].split() if xid != top}
    return found


def _ends(record: re.Match[str]) -> str:
    """Return whose end a record states: a prepared transaction is ended by another."""
    prepared = PREPARED.match(record["what"])
    return record["xid"] if prepared is None else prepared["xid"]


class Writer:
    """Writes the events of records, one a line.

    Parameters
    ----------
    parent
        Whose each subtransaction was.
    output
        Takes the lines.
    """

    def __init__(self, parent: dict[str, str], output: TextIO) -> None:
        self.parent = parent
        self.output = output
        self.found = Found()

    def add(self, record: re.Match[str]) -> None:
        """Take one record."""
        if record["manager"] == "Transaction":
            self._end(record)
        elif record["what"].split(" ")[0] not in IMAGES:
            self._change(record)

    def _end(self, record: re.Match[str]) -> None:
        ended = _ends(record)
        word = record["what"].split(" ")[0].split("_")[0]
        step = {"COMMIT": "C", "ABORT": "A"}.get(word)
        # One without a record of its own changed nothing since the beginning.
        if step is None or ended not in self.found.running:
            return
        self.found.running.remove(ended)
        self._event(f"{step} {ended}")
        self.found.committed += step == "C"
        self.found.aborted += step == "A"

    def _change(self, record: re.Match[str]) -> None:
        found = self.found
        blocks = list(BLOCK.finditer(record["what"]))
        if not blocks:
            return
        if record["xid"] == "0":
            found.outside += 1
            return
        xid = self.parent.get(record["xid"], record["xid"])
        if xid not in found.running:
            found.running.add(xid)
            self._event(f"B {xid}")
        found.update_bytes += int(record["length"])
        for block in blocks:
            key = (block["relation"], block["fork"] or "main", block["block"])
            page = found.pages.setdefault(key, len(found.pages))
            self._event(f"U {xid} {page}")
            found.updates += 1

    def _event(self, text: str) -> None:
        self.found.events += 1
        print(text, file=self.output)


def write_events(lines: Iterable[str], parent: dict[str, str], output: TextIO) -> Found:
    """Write the events of all records."""
    writer = Writer(parent, output)
    for record in records(lines):
        writer.add(record)
    return writer.found


def main() -> None:
    """Convert, and print what the replay has to know."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wal", type=Path, help="output of pg_waldump")
    parser.add_argument("events", type=Path)
    given = parser.parse_args()
    with given.wal.open(encoding="utf-8", errors="replace") as lines:
        parent = parents(lines)
    with (
        given.wal.open(encoding="utf-8", errors="replace") as lines,
        given.events.open("w", encoding="ascii") as output,
    ):
        found = write_events(lines, parent, output)
    if found.updates == 0:
        sys.exit(
            "no record changes a page within a transaction\n"
            "hint: name a part of the log in which transactions changed something"
        )
    print(
        f"{found.events} events, {found.updates} of them updates; {found.committed} transactions "
        f"committed, {found.aborted} aborted, {len(found.running)} did not end"
    )
    print(
        f"{found.outside} records outside transactions left out; reads are not in the log"
    )
    print(
        f"--database-pages {len(found.pages)} --page-bytes 8192 "
        f"--log-bytes {round(found.update_bytes / found.updates)}"
    )


if __name__ == "__main__":
    main()
