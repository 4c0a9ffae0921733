"""Cards of `zhou.*`: transactions over raw flash."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.catalogue.card import (
    Inputs,
    Output,
    Outputs,
    Parameter,
    cards_of,
    integer,
    number,
    numbers,
    optional,
)
from tierwright.common.cautions import Caution
from tierwright.evaluate.transactions import nand

PAPER = "Zhou, Meng and Liang (2009)"
PAGE_FILE = "transactions.md"
TIMES = (
    optional(number("read_us", "µs", "page read"), nand.PAPER_TIMES.read_us),
    optional(number("write_us", "µs", "page write"), nand.PAPER_TIMES.write_us),
    optional(number("erase_us", "µs", "block erase"), nand.PAPER_TIMES.erase_us),
)
CHIP_VALIDITY = "one chip without parallelism; the paper's times where none are given"


def _about_log(_: Inputs, result: Outputs) -> Iterator[Caution]:
    if result["write_saving_us"] < 0:
        yield Caution(
            "log_writes_more",
            "the log needs more pages than the data, so it saves nothing",
            "write the pages themselves",
        )


def _about_share(_: Inputs, result: Outputs) -> Iterator[Caution]:
    share = result["read_share"]
    if share is not None and not 0 <= share <= 1:
        yield Caution(
            "changes_do_not_fit",
            f"a share of {share:.4g} lies outside 0 to 1: no mix of reads and writes gives this "
            "total",
            "check the three changes; they must come from one run",
        )


_card = cards_of("zhou", page_file=PAGE_FILE, page="Wear and recovery")


_WRITES = {"command": "transaction-writes", "address": "/transaction-writes"}
_ORDER = {"command": "transaction-order", "address": "/transaction-replays"}

CARDS = (
    _card(
        "aat",
        title="Average access time of transactions",
        says="Mean time of last access of each transaction's pages, and the order of "
        "eviction.",
        formula="AAT = sum of last access times / pages; ascending, ties by id",
        source=f"{PAPER}, section IV.C; tie rule ours",
        takes=(
            Parameter(
                "transactions",
                "transactions",
                "ticks",
                "last access time of each page, by transaction: {id: [time, ...]}",
            ),
        ),
        gives=(
            Output("AAT", "ticks", "average access time, by transaction"),
            Output("eviction_order", "", "in order of eviction"),
        ),
        validity="transactions that still run; a page counts for the last to update it",
        **_ORDER,
    ),
    _card(
        "eviction_order",
        title="Order in which transactions are evicted",
        says="Order of eviction: committed by commit time, then running by AAT.",
        formula="committed by commit time, then uncommitted by AAT; ties by id",
        source=f"{PAPER}, sections IV.B and IV.C; tie rule ours",
        takes=(
            Parameter(
                "transactions",
                "transactions",
                "ticks",
                "{id: {commit: time or null, access: [time, ...]}}; access: last of each page",
                columns=(
                    numbers("access", "ticks", "last access times of its pages"),
                    number("commit", "ticks", "commit time", required=False),
                ),
            ),
        ),
        gives=(Output("order", "", "in order of eviction"),),
        validity="a page counts for the last transaction that updated it",
        **_ORDER,
    ),
    _card(
        "io_time_us",
        title="Time of NAND operations",
        says="Busy time of page reads, page writes and block erases.",
        formula="reads read_us + writes write_us + erases erase_us",
        source=f"{PAPER}, Table I",
        takes=(
            number("reads", "pages", "page reads"),
            number("writes", "pages", "page writes"),
            number("erases", "blocks", "block erases"),
            *TIMES,
        ),
        gives=(
            Output(
                "us",
                "µs",
                "busy time",
                "reads read_us + writes write_us + erases erase_us",
            ),
        ),
        validity=CHIP_VALIDITY,
        command="transactions",
        address="/transaction-replays",
    ),
    _card(
        "log_write",
        title="Pages or log records",
        says="What writing log records in place of pages saves, and how many extra "
        "reads use up the saving.",
        formula="log_pages = ceil(dirty bytes / page); saving = (dirty - log_pages) write_us",
        source=f"{PAPER}, section IV.D",
        takes=(
            integer("dirty_pages", "pages", "that the transaction changed"),
            number("log_bytes_per_page", "bytes", "log records of one of them"),
            optional(
                integer("page_bytes", "bytes", "page of the chip"),
                nand.PAPER_GEOMETRY.page_bytes,
            ),
            *TIMES,
        ),
        gives=(
            Output(
                "log_pages",
                "pages",
                "of log",
                "ceil(dirty_pages log_bytes_per_page / page_bytes)",
            ),
            Output("data_write_us", "µs", "writing pages", "dirty_pages write_us"),
            Output("log_write_us", "µs", "writing the log", "log_pages write_us"),
            Output("write_saving_us", "µs", "saved", "data_write_us - log_write_us"),
            Output(
                "break_even_extra_reads",
                "pages",
                "extra reads that take equally long",
                "write_saving_us / read_us",
            ),
        ),
        validity=f"{CHIP_VALIDITY}; erases are left out",
        warn=_about_log,
        **_WRITES,
    ),
    _card(
        "log_read_cost",
        title="Reading pages back from the log",
        says="Time to read pages again, each with the log pages that hold its records.",
        formula="pages (1 + k) read_us",
        source=f"{PAPER}, section IV.D",
        takes=(
            number("pages", "pages", "read again"),
            number("k", "1", "log pages read with each"),
            TIMES[0],
        ),
        gives=(
            Output("us", "µs", "time", "pages (1 + k) read_us"),
            Output("read_us", "µs", "the same, under another name"),
            Output("cost_us", "µs", "the same, under another name"),
        ),
        validity=CHIP_VALIDITY,
        **_WRITES,
    ),
    _card(
        "implied_read_share",
        title="Share of reads that three changes imply",
        says="Share of I/O time that reads must have had, from three measured changes.",
        formula="(write_saving - total_saving) / (write_saving + read_slowdown)",
        source=f"derived from {PAPER}, Figure 6(c)",
        takes=(
            number("read_slowdown", "1", "reads slower by"),
            number("write_saving", "1", "write time saved"),
            number("total_saving", "1", "whole time saved"),
        ),
        gives=(
            Output(
                "read_share",
                "1",
                "of the I/O time before",
                "(write_saving - total_saving) / (write_saving + read_slowdown)",
            ),
        ),
        validity="reads and writes make up all of the time",
        warn=_about_share,
        **_WRITES,
    ),
    _card(
        "capacities",
        title="What chip and memory hold",
        says="Size of a chip, and the transactions that memory holds.",
        formula="flash = blocks pages_per_block page; resident = ram pages / pages_per_txn",
        source=f"{PAPER}, section V.A",
        takes=(
            integer("blocks", "blocks", "of the chip"),
            integer("pages_per_block", "pages", "of a block"),
            integer("page_bytes", "bytes", "page"),
            integer("ram_bytes", "bytes", "memory"),
            integer(
                "pages_per_txn",
                "pages",
                "of a transaction",
                argument="pages_per_transaction",
            ),
        ),
        gives=(
            Output("flash_bytes", "bytes", "chip", "blocks pages_per_block page_bytes"),
            Output("ram_pages", "pages", "memory", "floor(ram_bytes / page_bytes)"),
            Output(
                "ram_blocks", "blocks", "memory", "floor(ram_pages / pages_per_block)"
            ),
            Output(
                "resident_txns",
                "1",
                "transactions in memory",
                "floor(ram_pages / pages_per_txn)",
            ),
        ),
        validity="all transactions have the same number of pages and share none",
        **_WRITES,
    ),
    _card(
        "ratios",
        title="Speed of flash against disk",
        says="How many times faster flash reads and writes than a disk, and the erase share.",
        formula="1000 disk_ms / read_us; 1000 disk_ms / write_us; write_us / read_us",
        source=f"{PAPER}, Table I",
        takes=(
            number("disk_ms", "ms", "random access of the disk"),
            *TIMES,
            integer("pages_per_block", "pages", "of a block"),
        ),
        gives=(
            Output(
                "read_speedup", "1", "disk access / page read", "1000 disk_ms / read_us"
            ),
            Output(
                "write_speedup",
                "1",
                "disk access / page write",
                "1000 disk_ms / write_us",
            ),
            Output(
                "write_over_read", "1", "page write / page read", "write_us / read_us"
            ),
            Output(
                "erase_us_per_page",
                "µs",
                "erase time of a page",
                "erase_us / pages_per_block",
            ),
        ),
        validity=CHIP_VALIDITY,
        **_WRITES,
    ),
)
"""In the order of the table."""
