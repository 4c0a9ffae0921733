"""What a trace is like beyond its curves: one pass of the core, and what follows from it.

Working set and read/write mix by window, growth of the footprint, reuse times, popularity with its
Zipf fit, request lengths, sequentiality, and one row a device. All counts are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tierwright import _simulator
from tierwright.trace.notes import NOTHING_NOTED, ReaderNotes

if TYPE_CHECKING:
    from tierwright.profile.popularity import ZipfFit
    from tierwright.trace.reading import OnProgress, Trace


@dataclass(frozen=True, slots=True)
class Windows:
    """Consecutive windows of one length, from the start of the trace on; the last may be cut short.

    Attributes
    ----------
    length : int
        Length of each window. [accesses, or ns]
    accesses, write_accesses : list of int
        Page accesses of each window, and those that write.
    distinct_pages : list of int
        The working set: distinct pages of each window. [pages]
    footprint_pages : list of int
        Distinct pages from the start of the trace to the end of each window. [pages]
    """

    length: int
    accesses: list[int]
    write_accesses: list[int]
    distinct_pages: list[int]
    footprint_pages: list[int]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Counts in logarithmic bins, four to each doubling; empty bins are left out.

    Attributes
    ----------
    lowest, highest : list of int
        Smallest and largest value of each bin.
    reads, writes : list of int
        Reads and writes in each bin.
    """

    lowest: list[int]
    highest: list[int]
    reads: list[int]
    writes: list[int]

    def counts(self) -> list[int]:
        """Return reads plus writes of each bin."""
        return [
            read + write for read, write in zip(self.reads, self.writes, strict=True)
        ]

    def quantile(self, share: float) -> tuple[int, int] | None:
        """Return the ends of the bin that holds a quantile, None where nothing was counted."""
        wanted = share * sum(self.counts())
        below = 0
        for lowest, highest, count in zip(
            self.lowest, self.highest, self.counts(), strict=True
        ):
            below += count
            if below >= wanted:
                return lowest, highest
        return None


@dataclass(frozen=True, slots=True)
class Popularity:
    """How accesses are spread over pages.

    Attributes
    ----------
    accesses : list of int
        Numbers of accesses that pages have, decreasing.
    pages : list of int
        Pages with exactly so many.
    only_read, only_written, both : int
        Pages that are only read, only written, or both.
    zipf : ZipfFit or None
        None for fewer than three pages.
    """

    accesses: list[int]
    pages: list[int]
    only_read: int
    only_written: int
    both: int
    zipf: ZipfFit | None


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of requests that continue each other, in logarithmic bins.

    Attributes
    ----------
    lowest, highest : list of int
        Fewest and most requests of a run of each bin.
    runs, requests : list of int
        Runs in each bin, and their requests.
    """

    lowest: list[int]
    highest: list[int]
    runs: list[int]
    requests: list[int]


@dataclass(frozen=True, slots=True)
class Requests:
    """Lengths and order of the requests that are not empty.

    Attributes
    ----------
    unit : str
        What lengths count: `bytes`, before requests are split, or `pages`.
    requests : int
        Requests of length above 0.
    sizes : Distribution
        Requests by length.
    read_amount, write_amount : int
        Sum of the lengths of reads and of writes.
    sequential : int
        Requests that begin where the previous one of their device ended.
    runs : Runs
        Longest chains of such requests.
    longest_run : int
        Requests of the longest one.
    """

    unit: str
    requests: int
    sizes: Distribution
    read_amount: int
    write_amount: int
    sequential: int
    runs: Runs
    longest_run: int

    @property
    def sequential_share(self) -> float:
        """Share of the requests that continue the one before of their device."""
        return self.sequential / self.requests


@dataclass(frozen=True, slots=True)
class Device:
    """One device, relation or volume.

    Attributes
    ----------
    name : str
        As the trace gives it.
    accesses, write_accesses : int
        Page accesses, and those that write.
    distinct_pages : int
        Its footprint. [pages]
    requests, sequential_requests : int
        Requests of length above 0, and those that continue the one before.
    hits : list of int or None
        Its hits in one LRU cache that all devices share, at each of `Devices.cache_pages`; None of
        traces with more than 65,536 devices.
    """

    name: str
    accesses: int
    write_accesses: int
    distinct_pages: int
    requests: int
    sequential_requests: int
    hits: list[int] | None


@dataclass(frozen=True, slots=True)
class Devices:
    """Devices with accesses, the most accessed first.

    Attributes
    ----------
    devices : int
        All devices with accesses.
    cache_pages : list of int
        Cache sizes of `Device.hits`: powers of two, the last one holding all pages. [pages]
    rows : list of Device
        The thousand most accessed at most.
    others : Device or None
        The sum of the others.
    """

    devices: int
    cache_pages: list[int]
    rows: list[Device]
    others: Device | None


@dataclass(frozen=True, slots=True)
class Summaries:
    """All summaries of a trace.

    Attributes
    ----------
    accesses, write_accesses, distinct_pages : int
        Counts of the whole trace.
    page_bytes : int
        Page size. [bytes]
    duration_s : float or None
        Latest minus earliest time; None without times. [s]
    windows : Windows
        Windows of equally many accesses: 1 or 2 times a power of ten, 64 to 320 of them in a trace
        of more than 32,000 accesses.
    time_windows : Windows or None
        Windows of equal duration; None without times. An access whose time is before that of an
        earlier one counts at the earlier one's time.
    reuse : Distribution
        Accesses between two accesses to a page, the latter included; one count a re-access.
    reuse_ns : Distribution or None
        Time between two accesses to a page; None without times. [ns]
    popularity : Popularity
        How accesses are spread over pages.
    requests : Requests
        Lengths and order of the requests.
    devices : Devices or None
        One row a device; None of a trace of one device.
    notes : ReaderNotes
        What the reader noticed in the trace.
    """

    accesses: int
    write_accesses: int
    distinct_pages: int
    page_bytes: int
    duration_s: float | None
    windows: Windows
    time_windows: Windows | None
    reuse: Distribution
    reuse_ns: Distribution | None
    popularity: Popularity
    requests: Requests
    devices: Devices | None
    notes: ReaderNotes = NOTHING_NOTED

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Summaries:
        """Put the answer of the core, or of `to_dict`, into types; fits the Zipf law."""
        from tierwright.profile.popularity import fit_zipf

        popularity = {
            key: value for key, value in found["popularity"].items() if key != "zipf"
        }
        requests = dict(found["requests"])
        devices = found["devices"]
        timed = found["time_windows"]
        in_ns = found["reuse"]["in_ns"]
        return cls(
            accesses=found["accesses"],
            write_accesses=found["write_accesses"],
            distinct_pages=found["distinct_pages"],
            page_bytes=found["page_bytes"],
            duration_s=found["duration_s"],
            windows=Windows(**found["windows"]),
            time_windows=None if timed is None else Windows(**timed),
            reuse=Distribution(**found["reuse"]["in_accesses"]),
            reuse_ns=None if in_ns is None else Distribution(**in_ns),
            popularity=Popularity(
                **popularity,
                zipf=fit_zipf(popularity["accesses"], popularity["pages"]),
            ),
            requests=Requests(
                **{
                    **requests,
                    "sizes": Distribution(**requests["sizes"]),
                    "runs": Runs(**requests["runs"]),
                }
            ),
            devices=None if devices is None else _devices(devices),
            notes=ReaderNotes.of(found.get("trace", {})),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts and lists, for JSON."""
        document = asdict(self)
        document["trace"] = self.notes.to_dict()
        del document["notes"]
        document["reuse"] = {
            "in_accesses": document.pop("reuse"),
            "in_ns": document.pop("reuse_ns"),
        }
        return document


def _devices(found: Mapping[str, Any]) -> Devices:
    others = found["others"]
    return Devices(
        devices=found["devices"],
        cache_pages=found["cache_pages"],
        rows=[Device(**row) for row in found["rows"]],
        others=None if others is None else Device(**others),
    )


def summarise(trace: Trace, *, on_progress: OnProgress | None = None) -> Summaries:
    """Sum a trace up in one streaming pass.

    Memory is bounded by the distinct pages: 24 bytes each, 36 where addresses are needed, and
    rows of devices.

    Parameters
    ----------
    trace : Trace
        What to read.
    on_progress : callable, optional
        See `tierwright.trace.reading.OnProgress`.

    Raises
    ------
    SimulatorError
        If the trace cannot be read or has no page accesses, or progress asked to stop.
    """
    return Summaries.from_dict(
        _simulator.summaries(
            str(trace.path), on_progress=on_progress, **trace.arguments()
        )
    )


@dataclass(frozen=True, slots=True)
class Table:
    """One summary as a table: for CSV files and the command line.

    Attributes
    ----------
    title : str
        What it shows.
    columns : sequence of str
        Names with units.
    rows : callable
        Makes the rows; None where the trace has no such information.
    missing : str
        Why there are none.
    """

    title: str
    columns: Sequence[str]
    rows: Callable[[Summaries], list[list[Any]] | None]
    missing: str = ""


def _window_rows(windows: Windows | None) -> list[list[Any]] | None:
    if windows is None:
        return None
    return [
        [number * windows.length, *counts]
        for number, counts in enumerate(
            zip(
                windows.accesses,
                windows.write_accesses,
                windows.distinct_pages,
                windows.footprint_pages,
                strict=True,
            )
        )
    ]


def _distribution_rows(counts: Distribution | None) -> list[list[Any]] | None:
    if counts is None:
        return None
    return [
        list(row)
        for row in zip(
            counts.lowest, counts.highest, counts.reads, counts.writes, strict=True
        )
    ]


def _run_rows(found: Summaries) -> list[list[Any]]:
    runs = found.requests.runs
    return [
        list(row)
        for row in zip(runs.lowest, runs.highest, runs.runs, runs.requests, strict=True)
    ]


def _device_rows(found: Summaries) -> list[list[Any]] | None:
    if found.devices is None:
        return None
    others = [] if found.devices.others is None else [found.devices.others]
    return [
        [
            row.name,
            row.accesses,
            row.write_accesses,
            row.distinct_pages,
            row.requests,
            row.sequential_requests,
        ]
        for row in [*found.devices.rows, *others]
    ]


_WINDOW_COLUMNS = ("accesses", "write_accesses", "working_set_pages", "footprint_pages")
_BIN_COLUMNS = ("reads", "writes")
_NO_TIMES = "the format of this trace has no times"

TABLES: dict[str, Table] = {
    "windows": Table(
        "windows of equally many accesses",
        ("first_access", *_WINDOW_COLUMNS),
        lambda found: _window_rows(found.windows),
    ),
    "time-windows": Table(
        "windows of equal duration",
        ("start_ns", *_WINDOW_COLUMNS),
        lambda found: _window_rows(found.time_windows),
        _NO_TIMES,
    ),
    "reuse": Table(
        "reuse times in accesses",
        ("from_accesses", "to_accesses", *_BIN_COLUMNS),
        lambda found: _distribution_rows(found.reuse),
    ),
    "reuse-time": Table(
        "reuse times in ns",
        ("from_ns", "to_ns", *_BIN_COLUMNS),
        lambda found: _distribution_rows(found.reuse_ns),
        _NO_TIMES,
    ),
    "popularity": Table(
        "pages by their number of accesses",
        ("accesses", "pages"),
        lambda found: [
            list(row)
            for row in zip(
                found.popularity.accesses, found.popularity.pages, strict=True
            )
        ],
    ),
    "request-sizes": Table(
        "requests by length",
        ("from", "to", *_BIN_COLUMNS),
        lambda found: _distribution_rows(found.requests.sizes),
    ),
    "runs": Table(
        "sequential runs by length",
        ("from_requests", "to_requests", "runs", "requests"),
        _run_rows,
    ),
    "devices": Table(
        "devices",
        (
            "device",
            "accesses",
            "write_accesses",
            "footprint_pages",
            "requests",
            "sequential_requests",
        ),
        _device_rows,
        "this trace has one device only",
    ),
}
"""All tables by the name that `tierwright trace summary --csv` takes."""
