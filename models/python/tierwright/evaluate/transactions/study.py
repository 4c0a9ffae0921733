"""One transaction that has to leave memory: as pages or as log records, and what the chip takes.

Joins the parts of `nand`. Source: Zhou, Meng and Liang (2009), Table I, sections IV.D and V.A;
what is derived is named in the docstrings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.wording import counted
from tierwright.evaluate.transactions.eviction import (
    Transaction,
    average_access_times,
    eviction_order,
)
from tierwright.evaluate.transactions.nand import (
    PAPER_DISK_MS,
    PAPER_GEOMETRY,
    PAPER_TIMES,
    Capacities,
    LogWrite,
    NandGeometry,
    NandTimes,
    ReadShare,
    SpeedRatios,
    capacities,
    implied_read_share,
    io_time_us,
    log_read_us,
    log_write,
    speed_ratios,
)

PAPER = "Zhou, Meng and Liang (2009)"
DEFAULT_DIRTY_PAGES = 16
DEFAULT_LOG_BYTES = 100.0
DEFAULT_RAM_BYTES = 16 * 2**20
PUBLISHED_CHANGES = (0.25, 0.75, 0.34)
"""Figure 6(c): reads slower by, write time saved, whole time saved."""
CURVE_POINTS = 41
TIE = 1e-12
SIGHT = 50
"""How many times further than what was asked about the crossing is still drawn."""

Winner = Literal["page", "log", "equal"]


@dataclass(frozen=True, slots=True)
class WriteCurve:
    """I/O time of both ways over the pages that are read again; one entry a point.

    Attributes
    ----------
    pages_reread : float64 array
        From none to twice the crossing, or to twice the pages asked about where the crossing is
        far beyond them. [pages]
    page_us, log_us : float64 array
        Writing out and reading again, as pages and as log records. [µs]
    """

    pages_reread: FloatArray
    page_us: FloatArray
    log_us: FloatArray


@dataclass(frozen=True, slots=True)
class WriteStudy:
    """Pages or log records for one transaction.

    Attributes
    ----------
    dirty_pages : int
        n. [pages]
    log_bytes_per_page : float
        Log records of one of them. [bytes]
    log_pages_per_page : float
        k: log pages to read with a page. [pages]
    pages_reread : float
        Pages read again. [pages]
    written : LogWrite
        Both ways of writing, the saving, the break-even in extra reads.
    page_reread_us, log_reread_us : float
        Reading them again after either way. [µs]
    page_us, log_us : float
        Writing and reading again. [µs]
    page_erase_us, log_erase_us : float
        Erase time that the written pages use up, each its share of a block: not in the totals,
        as in the paper. [µs]
    break_even_pages : float or None
        Pages read again at which both take as long; None where they never do. [pages]
    winner : str
        `page`, `log`, or `equal`.
    saving : float
        Share of the time of the slower way. [1]
    curve : WriteCurve
        Over the pages read again.
    ratios : SpeedRatios
        Of the chip and a disk.
    capacities : Capacities
        Of the chip and the buffer.
    read_share : ReadShare
        What the three changes given imply.
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Of every figure.
    """

    dirty_pages: int
    log_bytes_per_page: float
    log_pages_per_page: float
    pages_reread: float
    written: LogWrite
    page_reread_us: float
    log_reread_us: float
    page_us: float
    log_us: float
    page_erase_us: float
    log_erase_us: float
    break_even_pages: float | None
    winner: Winner
    saving: float
    curve: WriteCurve
    ratios: SpeedRatios
    capacities: Capacities
    read_share: ReadShare
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def write_study(
    *,
    dirty_pages: int = DEFAULT_DIRTY_PAGES,
    log_bytes_per_page: float = DEFAULT_LOG_BYTES,
    log_pages_per_page: float | None = None,
    pages_reread: float | None = None,
    ram_bytes: int = DEFAULT_RAM_BYTES,
    pages_per_transaction: int | None = None,
    geometry: NandGeometry = PAPER_GEOMETRY,
    times: NandTimes = PAPER_TIMES,
    disk_ms: float = PAPER_DISK_MS,
    changes: tuple[float, float, float] = PUBLISHED_CHANGES,
) -> WriteStudy:
    """Study how one transaction leaves memory: write time, reads that follow, break-even.

    time as pages = n write + r read; time as log = log pages x write + r (1 + k) read; they
    cross at r = write saving / (k read), which is the paper's break-even in extra reads over k,
    *derived*.

    Parameters
    ----------
    dirty_pages : int
        n, pages of the transaction that were changed. [pages]
    log_bytes_per_page : float
        Log records of one of them. [bytes]
    log_pages_per_page : float, optional
        k; unless given, what the records of one page fill at least. [pages]
    pages_reread : float, optional
        r, pages read again afterwards, one counted as often as it is read; unless given,
        each once. [pages]
    ram_bytes : int
        Buffer. [bytes]
    pages_per_transaction : int, optional
        Pages that a transaction holds in memory; unless given, the dirty ones. [pages]
    geometry, times : NandGeometry, NandTimes
        Those of the paper unless given.
    disk_ms : float
        A random access of the disk to compare with. [ms]
    changes : tuple of float
        Measured: reads slower by, write time saved, whole time saved; those of Figure 6(c) unless
        given. [1]

    Returns
    -------
    WriteStudy

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> found = write_study(dirty_pages=16, log_bytes_per_page=100)
    >>> found.winner, found.page_us, found.log_us, found.break_even_pages
    ('log', 3600.0, 1000.0, 120.0)
    """
    written = log_write(
        dirty_pages, log_bytes_per_page, page_bytes=geometry.page_bytes, times=times
    )
    least_k = max(1, math.ceil(log_bytes_per_page / geometry.page_bytes))
    k = float(least_k if log_pages_per_page is None else log_pages_per_page)
    reread = float(dirty_pages if pages_reread is None else pages_reread)
    broadcast("transaction", amounts={"k": k, "pages_reread": reread})
    crossing = _crossing(written, k, times)
    page_reread = reread * times.read_us
    log_reread = float(log_read_us(reread, k, times))
    page_us = written.data_write_us + page_reread
    log_us = written.log_write_us + log_reread
    held = (
        max(1, dirty_pages) if pages_per_transaction is None else pages_per_transaction
    )
    ratios = speed_ratios(
        disk_ms=disk_ms, times=times, pages_per_block=geometry.pages_per_block
    )
    sizes = capacities(
        ram_bytes=ram_bytes,
        pages_per_transaction=held,
        geometry=geometry,
    )
    slowdown, write_saving, total_saving = changes
    share = implied_read_share(
        read_slowdown=slowdown, write_saving=write_saving, total_saving=total_saving
    )
    dearer = max(page_us, log_us)
    difference = abs(page_us - log_us)
    equal = difference <= TIE * dearer
    study = WriteStudy(
        dirty_pages,
        float(log_bytes_per_page),
        k,
        reread,
        written,
        page_reread,
        log_reread,
        page_us,
        log_us,
        dirty_pages * ratios.erase_us_per_page,
        written.log_pages * ratios.erase_us_per_page,
        crossing,
        "equal" if equal else "log" if log_us < page_us else "page",
        0.0 if equal else difference / dearer,
        _curve(written, k, _reach(reread, crossing, dirty_pages), times),
        ratios,
        sizes,
        share,
        "busy time of counted page operations, records packed into whole log pages",
        "one transaction evicted once on one chip without parallelism; erases are not "
        "included in the totals; a page's log pages are read with it each time it is read "
        "again",
        tuple(_cautions(written, k, least_k, times, share)),
        (),
    )
    given = _Given(geometry, times, disk_ms, ram_bytes, held, changes)
    return replace(study, derivation=tuple(_derivation(study, given)))


def _crossing(written: LogWrite, k: float, times: NandTimes) -> float | None:
    extra_us = k * times.read_us
    if extra_us == 0 or written.write_saving_us < 0:
        return None
    crossing = written.write_saving_us / extra_us
    return crossing if math.isfinite(crossing) else None


def _reach(reread: float, crossing: float | None, dirty_pages: int) -> float:
    """Half of what is drawn: both points of interest, unless one lies out of the other's sight."""
    near = max(reread, dirty_pages, 1.0)
    return near if crossing is None or crossing > SIGHT * near else max(near, crossing)


def _curve(written: LogWrite, k: float, reach: float, times: NandTimes) -> WriteCurve:
    reread = np.linspace(0.0, 2 * reach, CURVE_POINTS)
    return WriteCurve(
        reread,
        np.asarray(written.data_write_us + reread * times.read_us),
        np.asarray(written.log_write_us + log_read_us(reread, k, times)),
    )


def _cautions(
    written: LogWrite, k: float, least_k: int, times: NandTimes, share: ReadShare
) -> Iterator[Caution]:
    if written.write_saving_us < 0:
        yield Caution(
            "records_exceed_pages",
            "the log records are larger than the pages that they replace: the log "
            "writes more and reads more",
            "write pages; the replay, too, writes a page whose records fill it as a "
            "page",
        )
    if k < least_k:
        yield Caution(
            "fewer_log_pages_than_records",
            f"the records of one page fill at least {counted(least_k, 'log page')}, "
            f"{counted(f'{k:g}', 'is', 'are')} given: reading again takes longer than shown",
            f"give {least_k:,} or more log pages for a page",
        )
    if times == PAPER_TIMES:
        yield Caution(
            "chip_of_2006",
            "the chip's times are those of the paper's Table I, a chip of 2006",
            "give read, write and erase times of your own chip",
        )
    if not share.consistent:
        yield Caution(
            "changes_do_not_fit",
            f"the three changes imply that {share.read_share:.3g} of the time are "
            "reads, which is impossible: they do not come from one run",
            "take all three from the same run",
        )


class _Given(NamedTuple):
    """What was given besides the transaction."""

    geometry: NandGeometry
    times: NandTimes
    disk_ms: float
    ram_bytes: int
    pages_per_transaction: int
    changes: tuple[float, float, float]


def _derivation(study: WriteStudy, given: _Given) -> Iterator[Derivation]:
    times = given.times
    written = study.written
    n = Number("n", study.dirty_pages, "pages", "dirty pages of the transaction")
    read = Number("read", times.read_us, "µs", "one page read")
    write = Number("write", times.write_us, "µs", "one page write")
    k = Number("k", study.log_pages_per_page, "pages", "log pages read with a page")
    again = Number("r", study.pages_reread, "pages", "pages read again")
    log_pages = Number("log pages", written.log_pages, "pages", "as above")
    section = f"{PAPER}, section IV.D"
    yield Derivation(
        "log pages",
        float(written.log_pages),
        "pages",
        "ceil(n x records / page)",
        (
            n,
            Number("records", study.log_bytes_per_page, "bytes", "of one page"),
            Number("page", given.geometry.page_bytes, "bytes", "flash page"),
        ),
        section,
    )
    yield Derivation(
        "write saving",
        written.write_saving_us,
        "µs",
        "(n - log pages) x write",
        (n, log_pages, write),
        section,
    )
    yield Derivation(
        "break-even extra reads",
        written.break_even_extra_reads,
        "pages",
        "write saving / read",
        (Number("write saving", written.write_saving_us, "µs", "as above"), read),
        section,
    )
    yield Derivation(
        "break-even pages read again",
        study.break_even_pages,
        "pages",
        "break-even extra reads / k",
        (
            Number(
                "break-even extra reads",
                written.break_even_extra_reads,
                "pages",
                "as above",
            ),
            k,
        ),
        "derived",
    )
    yield Derivation(
        "time as pages",
        study.page_us,
        "µs",
        "n x write + r x read",
        (n, write, again, read),
        f"{section}; Table I",
    )
    yield Derivation(
        "time as log records",
        study.log_us,
        "µs",
        "log pages x write + r x (1 + k) x read",
        (log_pages, write, again, k, read),
        f"{section}; Table I",
    )
    yield from _chip_derivation(study, given)
    slowdown, write_saving, total_saving = given.changes
    yield Derivation(
        "read share of the time",
        study.read_share.read_share,
        "1",
        "(v - t) / (v + s)",
        (
            Number("v", write_saving, "1", "write time saved"),
            Number("t", total_saving, "1", "whole time saved"),
            Number("s", slowdown, "1", "reads slower by"),
        ),
        f"{PAPER}, Figure 6(c), solved for the share",
    )


def _chip_derivation(study: WriteStudy, given: _Given) -> Iterator[Derivation]:
    geometry, times = given.geometry, given.times
    table = f"{PAPER}, Table I"
    disk = Number("disk", given.disk_ms * 1000, "µs", "one random access of the disk")
    read = Number("read", times.read_us, "µs", "one page read")
    write = Number("write", times.write_us, "µs", "one page write")
    for name, value, by in (
        ("read speed-up over the disk", study.ratios.read_speedup, read),
        ("write speed-up over the disk", study.ratios.write_speedup, write),
    ):
        yield Derivation(name, value, "1", f"disk / {by.symbol}", (disk, by), table)
    yield Derivation(
        "reads that take as long as a write",
        study.ratios.write_over_read,
        "1",
        "write / read",
        (write, read),
        table,
    )
    yield Derivation(
        "erase time per written page",
        study.ratios.erase_us_per_page,
        "µs",
        "erase / pages of a block",
        (
            Number("erase", times.erase_us, "µs", "one block erase"),
            Number("pages of a block", geometry.pages_per_block, "pages", "its pages"),
        ),
        f"{table}; every page of an erased block programmed once",
    )
    yield Derivation(
        "resident transactions",
        float(study.capacities.resident_transactions),
        "1",
        "floor(floor(RAM / page) / pages of a transaction)",
        (
            Number("RAM", given.ram_bytes, "bytes", "buffer"),
            Number(
                "pages of a transaction",
                given.pages_per_transaction,
                "pages",
                "that it holds in memory",
            ),
            Number("page", given.geometry.page_bytes, "bytes", "flash page"),
        ),
        f"{PAPER}, section V.A",
    )


def operations_derivation(
    name: str, reads: int, writes: int, erases: int, times: NandTimes = PAPER_TIMES
) -> Derivation:
    """Derive the time of counted operations.

    Parameters
    ----------
    name : str
        What was counted.
    reads, writes, erases : int
        Page reads, page writes, block erases.
    times : NandTimes
        Those of the paper unless given.

    Raises
    ------
    BadInput
        As `io_time_us`.
    """
    return Derivation(
        name,
        float(io_time_us(reads, writes, erases, times)),
        "µs",
        "reads x read + writes x write + erases x erase",
        (
            Number("reads", reads, "pages", "counted by the replay"),
            Number("read", times.read_us, "µs", "one page read"),
            Number("writes", writes, "pages", "counted by the replay"),
            Number("write", times.write_us, "µs", "one page write"),
            Number("erases", erases, "blocks", "counted by the replay"),
            Number("erase", times.erase_us, "µs", "one block erase"),
        ),
        f"{PAPER}, section V.A",
    )


@dataclass(frozen=True, slots=True)
class Leaving:
    """One transaction in memory, by when it leaves.

    Attributes
    ----------
    transaction : str
        Its id.
    pages : int
        Pages it holds in memory. [pages]
    average_access_time : float
        AAT over them. [ticks]
    commit_time : float or None
        None while it runs. [ticks]
    """

    transaction: str
    pages: int
    average_access_time: float
    commit_time: float | None


def leaving_order(transactions: Mapping[str, Transaction]) -> list[Leaving]:
    """List transactions as they leave memory, with what decides it.

    Parameters
    ----------
    transactions : mapping of str to Transaction
        By id, such as `residents` finds; each holds a page.

    Returns
    -------
    list of Leaving
        The first to leave first.

    Raises
    ------
    BadInput
        As `eviction_order` and `average_access_times`.

    Examples
    --------
    >>> found = leaving_order(
    ...     {"A": Transaction((1, 4)), "B": Transaction((9,), commit_time=10)}
    ... )
    >>> [(row.transaction, row.average_access_time) for row in found]
    [('B', 9.0), ('A', 2.5)]
    """
    averages = average_access_times(
        {name: found.access_times for name, found in transactions.items()}
    )
    return [
        Leaving(
            name,
            len(transactions[name].access_times),
            averages[name],
            transactions[name].commit_time,
        )
        for name in eviction_order(transactions)
    ]
