"""The simulator core: the only part of the package written in Rust.

Every function that takes a trace accepts the *trace argument group*:

path : str or os.PathLike
    The trace file: any supported raw format, plain, gzip or zstd (found from the content,
    never from the name), or a canonical trace.
format : str, optional
    Name of a format of `formats()`; None detects it and refuses to guess.
page_bytes : int, default 4096
    Page size by which byte-addressed formats are split: a power of two from 512 to
    1,048,576. Page- and key-native formats keep their own pages. [bytes]
joined_page_bytes : int, optional
    Page size into which neighbouring pages of the same device or relation are joined: a power of two
    up to 1,048,576, not below that of the trace. Keys have no neighbours and are refused. An access
    is one access to the larger page; those of one request to the same larger page are one. [bytes]
columns : dict of str to str, optional
    Column mapping of the generic CSV and Parquet readers. Keys: ``level`` (above, below: whether
    requests were recorded above every cache), ``time``, ``time_unit`` (s, ms, us, ns,
    filetime), ``op``, ``read_values``, ``write_values`` (lists separated by ``,`` or ``|``),
    ``offset`` with ``size``, or ``page``, or ``key``; ``offset_unit`` and ``size_unit``
    (bytes, sectors of 512 bytes, pages), ``device``, ``delimiter`` (one character, or tab,
    space, comma, semicolon), ``header`` (true, false). Columns are given by name or by
    1-based number.
members_apart : bool, default False
    Each member of an archive, or file of a folder, has separate devices; by default, devices
    with the same name (or no name) are one device.
skip_bad_records : int, default 0
    Bad lines or records to skip and count; one more is an error. ``trace`` of the answer
    states what was skipped.
max_content_bytes : int, optional
    Maximum decompressed bytes of the file; 16 TiB by default. [bytes]
max_expansion : int, optional
    Maximum decompressed bytes per byte of the file, checked from 256 MiB on; 5,000 by
    default.
device_bytes : int, optional
    Size of each recorded device: addresses beyond it, or far below it, cause a warning.
    [bytes]

All parameters but the path are keywords; None means the default. An answer computed from a trace
has ``trace``, what its reader noticed: ``{source_format, tells_writes, skipped_records, warnings
[{name, message, hint}], assumptions}``. It applies to every number of the answer.

Every function releases the GIL while it works. Between chunks of about 65,536 accesses it
calls ``on_progress(done_bytes, total_bytes, accesses)``, positions counted in the file as it
is on disk; returning False cancels. `preview`, `inspect` and `convert` pass a fourth
argument: the records read, or None for a canonical trace. An exception raised by the callback, or by a signal
handler (Ctrl-C), stops the pass and propagates.
"""

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Cancelled",
    "CoreDefect",
    "ParameterError",
    "SimulatorError",
    "TraceError",
    "UndecidedFormat",
    "_panic",
    "admissions",
    "canonical_content",
    "categories",
    "category_counts",
    "check_chunks",
    "check_numbers",
    "check_part",
    "column_names",
    "contenders",
    "convert",
    "count_accesses",
    "count_part",
    "curves",
    "divide_pages",
    "first_touches",
    "flash_cache_goes_by_time",
    "formats",
    "ftl_mappings",
    "generate",
    "inspect",
    "join_into_part",
    "join_numbered_parts",
    "join_parts",
    "keep_notes",
    "miniatures",
    "number_all_pages",
    "number_new_pages",
    "numbered_part",
    "parse_transaction_events",
    "part_curves",
    "part_ranges",
    "preview",
    "relation_reuse",
    "replay",
    "replay_timed",
    "replay_transaction_events",
    "replay_transaction_file",
    "sampled_curves",
    "serve_ftl",
    "simulate_dynamics",
    "simulate_ftl",
    "simulate_splits",
    "summaries",
    "survey_transaction_file",
    "sweep",
    "table_rows",
    "transaction_systems",
    "two_stack",
    "window_curves",
]

class _TraceReading(TypedDict, total=False):
    """The trace argument group without the path; a name of these stubs only."""

    format: str | None
    page_bytes: int | None
    joined_page_bytes: int | None
    columns: dict[str, str] | None
    skip_bad_records: int | None
    max_content_bytes: int | None
    max_expansion: int | None
    device_bytes: int | None
    members_apart: bool
    members_merged: bool
    others: list[str] | None

class _DeviceTimes(TypedDict):
    """The devices of a tier for `replay_timed`, times in µs; a name of these stubs only."""

    devices: int
    at_once: int
    read_us: float
    read_answered_us: float
    write_us: float
    write_answered_us: float
    batch_read_us: float
    batch_write_us: float
    beside_writes_us: float

class _Timing(TypedDict):
    """What `replay_timed` needs besides sizes and scheme; a name of these stubs only."""

    arrivals: Literal["trace", "poisson", "clients"]
    accesses_per_s: float
    clients: int
    think_us: float
    stretch: float
    flash: _DeviceTimes
    disk: _DeviceTimes
    exponential: bool
    waits_for_writes: bool
    seed: int
    window_us: float
    checkpoint_us: float

# --- errors -----------------------------------------------------------------------------

class SimulatorError(Exception):
    """Base of the core's errors; ``args`` are ``(message, hint)``.

    The message names the file, the place and the value; the hint is the next step, or empty. Both
    name parameters by marks (`tierwright.common.parameters`); ``str`` is their text in words.
    """

class TraceError(SimulatorError):
    """A trace cannot be read or understood.

    Attributes
    ----------
    errno : int or None
        The system's error number for a file that cannot be read or written, as in `OSError`;
        absent where the content of the file is at fault.
    """

    errno: int | None

class UndecidedFormat(TraceError):
    """No format, or more than one, fits the file, and the reader does not guess.

    Attributes
    ----------
    candidates : list of dict
        Possible formats, best first: ``{format, score, reason}``. If more than one fits, all fit
        nearly as well as the first; empty if no format fits.
    """

    candidates: list[dict[str, Any]]

class ParameterError(SimulatorError):
    """A parameter is unknown or out of range."""

class Cancelled(SimulatorError):
    """The progress callback asked to stop."""

class CoreDefect(Exception):
    """A defect in the core: it panicked, or a result contradicts itself.

    ``args`` are ``(message, hint)``; the message names file and line of the core. Not a
    `SimulatorError`, so that it is never reported as a fault of the input.
    """

# --- traces -----------------------------------------------------------------------------

def formats() -> list[dict[str, Any]]:
    """Trace formats, in the order of the core's table.

    Returns
    -------
    list of dict
        ``name``, ``description`` (str); ``has_writes``, ``has_time``, ``has_device``,
        ``page_native`` (bool); ``verified`` (str), what the reader was verified against.
    """

def preview(
    path: str | PathLike[str],
    *,
    rows: int = 20,
    on_progress: Callable[[int, int, int, int | None], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Show how the head of a trace is understood, without reading the rest.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    rows : int, default 20
        Records to show, at most 1,000.
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        ``format`` (str), ``chosen_by`` (content, name or columns), ``margin`` (float: its score
        minus the best of the others), ``detection`` (list of ``{format, score, reason}``, scores
        from 0 to 1, best first), ``columns`` (names found; generic CSV only), ``records`` (list of
        ``{place, raw, time_ns, device, op, offset_bytes, size_bytes, first_page,
        page_count}``; ``time_ns`` counts from the epoch of the format and is None without
        time, ``offset_bytes`` and ``size_bytes`` are None for page-native formats), ``units``
        (list of ``{field, unit, meaning}``), ``assumptions`` (list of str), ``page_bytes``
        [bytes], ``compression`` (layers from the outside: none, gzip, zstd, xz, bzip2, tar, zip,
        ``gzip > tar``), ``shown`` (``{requests, write_requests, devices, first_time_ns,
        duration_s, extent}`` of the records shown; ``extent`` is ``{unit, smallest_request,
        largest_request, lowest, highest}`` or None), ``file_bytes`` [bytes], ``warnings``
        (list of ``{name, message, hint}``).

    Raises
    ------
    TraceError
        The file cannot be read, or a record shown is bad.
    UndecidedFormat
        No format, or more than one, fits the file.
    ParameterError
        The format is unknown, the page size out of range, or the mapping wrong.
    Cancelled
        `on_progress` returned False.
    """

def column_names(path: str | PathLike[str]) -> list[str]:
    """Name the columns of a table, as its first line, or its schema (Parquet), states them.

    The format does not matter: the other functions raise errors for a missing or wrong column
    mapping. At most 64 names, long ones shortened; no names if the decompressed file is neither
    text nor Parquet.

    Raises
    ------
    TraceError
        The file cannot be read.
    """

def table_rows(
    path: str | PathLike[str], columns: list[str]
) -> tuple[list[str], Callable[[], list[list[str]]]]:
    """Open a Parquet table that is not a trace.

    Returns the names of the `columns` that the table has, one value a row each, and a function that
    returns its next rows: a list of texts for each of these columns, no lists at the end. Decimals are
    written with their point, times in UTC by ISO 8601, and a null is an empty text.

    Raises
    ------
    TraceError
        The file cannot be read, is not a Parquet table, or is damaged; from the function too.
    """

def inspect(
    path: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int, int | None], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Read a whole trace and report what it holds.

    Returns
    -------
    dict
        ``format`` (str), ``requests``, ``accesses``, ``distinct_pages``, ``write_accesses``
        (counts), ``page_bytes`` [bytes], ``duration_s`` (latest minus earliest time, None
        without time) [s], ``sha256_of_sequence`` (SHA-256 of one line ``<page> <R|W>`` per
        access, without devices: verifies a parser), ``warnings`` (list of ``{name,
        message, hint}``), ``write_requests``, ``devices`` (counts), ``first_time_ns``
        (epoch of the source format, None without time) [ns], ``compression``, ``chosen_by``,
        ``margin`` and ``detection`` as in a preview, ``extent`` as in a preview and
        ``skipped_records`` and ``split_requests`` (requests that touch more than one page; all
        three absent from canonical traces), ``assumptions``, ``source_format``, ``records`` (the
        first five) and ``units`` as in a preview; for a canonical trace also ``content_id``. Both
        hashes of a canonical trace are recomputed and compared with its footer.

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        The format is unknown, the page size out of range, or the mapping wrong.
    Cancelled
        `on_progress` returned False.
    """

def convert(
    path: str | PathLike[str],
    out: str | PathLike[str],
    *,
    force: bool = False,
    resume: tuple[str, int] | None = None,
    on_progress: Callable[[int, int, int, int | None], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Write the canonical form of a trace.

    The file is written next to `out` under a temporary name, synced and then renamed;
    an error or a cancel leaves nothing behind. A canonical trace is verified and copied.

    With `resume` a process that is killed leaves ``<out>.partial`` and
    ``<out>.checkpoint``, and the next call resumes from them. The trace is read again up to
    the checkpoint, and its requests must be the same, but nothing is numbered, hashed or
    written twice. Files that do not match are not used, and the conversion starts over. Only
    one process at a time may write to the same `out`.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    out : str or os.PathLike
        The canonical trace to write, by convention ``*.twt``.
    force : bool, default False
        Replace an existing `out`.
    resume : tuple of str and int, optional
        An identity of the file's content, such as its SHA-256, because only a conversion of the
        same content is resumed; and accesses between two checkpoints, rounded up to chunks of
        65,536.
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        The keys of `inspect`, with ``content_id`` (SHA-256 over page size, and space name,
        page, operation and time of every access) and ``out_bytes`` [bytes]; and
        ``resumed_at_accesses`` if an earlier process had converted that many.

    Raises
    ------
    TraceError
        The trace cannot be read or understood, or the file cannot be written.
    ParameterError
        `out` exists and `force` is not given, or as for `inspect`.
    Cancelled
        `on_progress` returned False.
    """

def generate(
    workload: str,
    accesses: int,
    seed: int,
    out: str | PathLike[str],
    *,
    force: bool = False,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> dict[str, Any]:
    """Write a canonical trace of a described workload; the same arguments give the same bytes.

    Parameters
    ----------
    workload : str
        JSON: ``name`` (str), ``page_bytes`` [bytes], ``accesses_per_s`` [1/s], ``parts`` (list of
        ``{access_share, first_page, pages, write_share, draw}``, shares of all accesses that sum
        to 1); ``draw`` is ``{kind: zipf, exponent}``, ``{kind: hot_cold, hot_pages,
        hot_access_share}``, ``{kind: uniform}`` or ``{kind: scan}``.
    accesses : int
        Accesses to write, at least 1.
    seed : int
        From 0 to 2^64 - 1.
    out : str or os.PathLike
        The canonical trace to write.
    force : bool, default False
        Replace an existing `out`.
    on_progress : callable, optional
        See the module; it counts accesses, not bytes.

    Returns
    -------
    dict
        The keys of `convert`; ``chosen_by`` is ``description``.

    Raises
    ------
    TraceError
        The file cannot be written.
    ParameterError
        A value is out of range, or `out` exists and `force` is not given.
    Cancelled
        `on_progress` returned False.
    """

# --- replays and curves -----------------------------------------------------------------

def contenders(family: str) -> list[dict[str, Any]]:
    """List the contenders of a family, in the order of the core's table.

    Parameters
    ----------
    family : str
        ``policy``, ``buffer``, ``scheme``, ``chooser`` or ``flash_cache``.

    Returns
    -------
    list of dict
        ``name``, ``title``, ``description``, ``paper`` (str); for buffers ``least_pages`` (int);
        ``needs`` (list of ``future``: the trace is read to its end before the replay, and
        ``writes``; for flash caches what a trace should have), ``options`` (list of ``{name,
        description, default, values}``, all str; ``values`` says what is allowed; one with an
        empty ``default`` must be given). Of policies and buffers also ``device_options``, alike: of a
        flash device that holds the data.

    Raises
    ------
    ParameterError
        The family is unknown.
    """

def flash_cache_goes_by_time(
    name: str, flash_pages: int, options: dict[str, str] | None = None
) -> bool:
    """Tell whether a flash cache with these options does something by time.

    Parameters
    ----------
    name : str
        A flash cache of `contenders`.
    flash_pages : int
        Its size.
    options : dict of str to str, optional
        As for `replay`; whether a rate of accesses is among them does not matter.

    Returns
    -------
    bool
        If so, the replay of a trace without time needs the option ``accesses_per_second``.

    Raises
    ------
    ParameterError
        The flash cache is unknown, or it refuses the options.
    """

def admissions() -> list[dict[str, Any]]:
    """List the rules by which flash admits RAM victims, in the order of the core's table.

    Returns
    -------
    list of dict
        The keys of `contenders`; a rule has no options.
    """

def curves(
    path: str | PathLike[str],
    *,
    threads: int | None = None,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Count the misses and write-backs of LRU caches of every size, exactly, in one pass.

    Cold start, every miss admitted, no flush at the end. The misses follow from stack
    distances (Mattson et al. 1970), the write-backs from the largest distance of each page
    between two writes. Memory is at most about 40 bytes for each distinct page. The result is
    the same for any number of threads; at most two are used.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    threads : int, optional
        Number of threads; one per core by default.
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        ``accesses``, ``distinct_pages``, ``write_accesses`` (counts), ``page_bytes`` [bytes],
        ``duration_s`` (None without time) [s], and the arrays ``misses`` and ``write_backs``
        of shape (distinct_pages,), dtype uint64: entry i counts for a cache of i + 1 pages.
        ``windows``: the same by consecutive windows, the caches carried over: the arrays
        ``pages`` (J sizes: 1, 2, 3, 4, 6, 8, ... and distinct_pages) [pages], ``accesses``
        and ``first_references`` of the W windows, ``misses`` and ``write_backs`` of shape
        (W, J), and ``open_write_backs``, ``wrapped_misses`` and ``wrapped_write_backs`` (J,). A
        write-back counts in the window of the write that ends its interval, or as open where none
        does; windows and open ones sum up to the curves. Wrapped are first references that miss, and
        write-backs whose interval reaches around the end, if the trace was accessed once before. Windows have 256 accesses, and are joined in twos whenever there are 128.

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        The format is unknown, the page size out of range, or the mapping wrong.
    Cancelled
        `on_progress` returned False.
    """

def replay(
    path: str | PathLike[str],
    family: str,
    name: str,
    ram_pages: int,
    flash_pages: int | None = None,
    *,
    options: dict[str, str] | None = None,
    warm_up: int | Literal["full"] = ...,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Replay a trace through one contender of a family.

    `policy`: one cache in front of the disk.
    Cold start, every miss admitted; a write miss fetches its page like a read; dirty pages
    left at the end are not flushed.

    A policy that needs the future (OPT) first reads the trace to its end and stores 9 bytes per
    access, beyond 128 MiB in a temporary file; it handles at most 4,294,967,295 accesses.
    Progress then counts the first half of the bytes while reading, the second while replaying.
    Options: those of the policy, from its entry in `contenders("policy")`. With ``ftl_spare_percent`` and the
    other ``device_options`` of the entry the data lie on a simulated flash device: its logical pages are the
    distinct pages of the trace, in the order of their first accesses, each written once before the first
    access and not counted; every dirty eviction is one write to it. It serves them once the trace has ended:
    4 bytes per dirty eviction are stored, beyond 256 MiB in a temporary file.

    `buffer`: a cost-aware buffer.
    Cold start, free frames first; a write miss fetches its page like a read; dirty pages left
    at the end are not flushed.
    Options: those of the buffer, as `contenders("buffer")` lists them, and of a flash device as of `policy`.

    `scheme`: RAM and flash under a page-flow scheme.
    The schemes of Koltsidas & Viglas (2009), LRU in both tiers unless chosen otherwise, cold
    start, no flush at the end. With ``flash_pages = 0`` every scheme is ``none``: a RAM miss counts as a flash miss, a
    dirty RAM victim as a disk write. The inclusive schemes need more flash than RAM: with equal
    sizes flash hits are zero, with less flash the trace is counted through RAM alone; both cause
    a warning.
    Options: ``ram_policy`` and ``flash_policy`` name a policy of `contenders("policy")`; ``ram_<option>`` and ``flash_<option>`` give its options; with ``block_pages`` inclusive keeps LRU on flash. ``admission`` names a rule of `admissions()` (exclusive and lazy; the inclusive ones take ``all`` and ``cachesack``). ``block_pages`` is the number of RAM pages in a flash page, 2 to 64, ``block_technique`` is overwriting or invalidating (inclusive, exclusive, lazy).

    `chooser`: RAM and flash whose page flow is chosen period by period.
    LRU in both tiers, cold start. Every period the cost formulas are evaluated for the
    inclusive, the exclusive and the lazy scheme, and the cheapest one is adopted if its gain
    lasts; see ``docs/models/page-flow.md``.
    Options: those of the chooser; ``flash_read_us``, ``flash_write_us``, ``disk_read_us`` and ``disk_write_us`` are required. [µs per operation]
    ``admission`` is ``all`` or ``cachesack``; the formulas suppose ``all``.

    `flash_cache`: RAM and a flash cache that manages itself.
    Cold start, no flush at the end. Background work runs by the time of the trace where it
    has times, otherwise by accesses. With ``flash_pages = 0`` every flash cache is RAM alone.
    Options: those of the flash cache, see `contenders("flash_cache")`.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    family : str
        ``policy``, ``buffer``, ``scheme``, ``chooser`` or ``flash_cache``.
    name : str
        A name from `contenders`, in upper or lower case.
    ram_pages : int
        Capacity, from 1 (2 for a split buffer) to 4,294,967,295. [pages]
    flash_pages : int, optional
        Of a scheme, a chooser or a flash cache, from 0 (1 for a chooser). [pages]
    options : dict of str to str, optional
        Of the contender, as `contenders` lists them.
    warm_up : int or str
        Accesses at the head of the trace that are replayed and not counted; 0: all count; ``full``: those up to
        the one that fills the cache, flash or else RAM.
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        ``warm_up`` (only with one), ``warm_up_until_full`` (true, only if it was ``full``), then by family

        policy:
            ``policy`` (str), ``pages``, ``accesses``, ``misses``, ``miss_ratio`` (misses per
            access, 0 for an empty trace), ``disk_reads`` (one per miss), ``disk_writes`` (dirty
            evictions), ``write_accesses``, ``distinct_pages``, ``page_bytes`` [bytes],
            ``evictions``; ``ftl`` (with ``ftl_spare_percent`` only: as `serve_ftl`).

        buffer:
            The keys of `policy`, and ``reads`` (= ``misses``), ``writes`` (dirty
            evictions), ``hits_clean``, ``hits_dirty`` (hits of a page that was clean, dirty),
            ``write_hits_dirty``, ``write_requests`` (fewer than ``writes`` with write
            clustering), ``clean_pages`` (of the clean pool, at the end; None without one)
            [pages], ``windows`` (of the policy advisor), ``history`` (its first 10,000 windows:
            list of ``{accesses, write_accesses, reads, writes, clean_pages, next_clean_pages,
            estimated_cost}``; None where it is not finite), ``warnings`` (list of ``{name, message, hint}``).

        scheme:
            ``scheme``, ``ram_policy``, ``flash_policy``, ``admission`` (str), ``ram_pages``, ``flash_pages``, ``accesses``, ``write_accesses``,
            ``ram_hits``, ``flash_hits``, ``flash_misses`` (these three sum to ``accesses``),
            ``flash_reads`` (= ``flash_hits``), ``flash_writes`` (= ``flash_fills`` +
            ``flash_write_backs``), ``hdd_reads`` (= ``flash_misses`` + ``hdd_block_fetches``),
            ``hdd_writes`` (dirty flash victims and ``dirty_rejections``),
            ``ram_evictions``, ``ram_dirty_evictions``, ``flash_evictions``, ``flash_fills``
            (writes of pages that were not on flash), ``flash_write_backs`` (writes of dirty RAM
            victims over their flash copy), ``victims_found_on_flash`` (RAM victims with a flash
            copy), ``rejections``, ``dirty_rejections`` (RAM victims that were not admitted),
            ``flash_invalidations`` (old copies dropped for it), ``hdd_block_fetches`` (blocks
            read from disk for a RAM victim), ``directory_lookups``, ``directory_updates`` (of
            the flash directory), ``blocks`` (None, or where a flash page holds several RAM pages,
            dict of ``technique``, ``block_pages``, ``flash_blocks`` and operations by class;
            the counters above count operations of any length then), ``ftl`` (with ``ftl_spare_percent`` only: as
            `serve_ftl`, and with ``directory_pages`` also ``metadata_pages``, ``metadata_writes`` [pages] and
            ``metadata_layout``, in words), ``directory`` (with ``directory_pages`` only: ``directory_pages``,
            ``buffer_pages``, ``accesses``, ``reads``, ``evictions``, ``writes`` [pages]), ``distinct_pages``,
            ``page_bytes`` [bytes], ``warnings`` (list of ``{name, message, hint}``).

        chooser:
            ``scheme`` (str), sizes and counters as of `scheme`, ``switches``,
            ``history`` (list of dict, one per period and relation with RAM misses: ``period``,
            ``relation`` (number of the device or file, None for all), ``relation_name`` (str, None
            without), ``running``, ``chosen`` (the scheme of the next period), ``accesses``, ``ram_misses``, ``flash_hits``,
            ``p_d``, ``p_d_flash`` [1], ``estimates`` by scheme: ``effective_flash_pages``
            [pages], ``flash_hits``, ``flash_misses`` [accesses], ``cost_us`` [µs per period]),
            ``distinct_pages``, ``page_bytes`` [bytes], ``warnings``.

        flash_cache:
            The keys of `scheme`: ``flash_reads`` are those that serve accesses,
            ``flash_writes`` = ``flash_fills`` + ``flash_write_backs`` + ``requeued`` leaves metadata
            out, ``ram_dirty_evictions`` counts pages changed since their last copy below RAM.
            Also ``ram_clean_evictions``, ``pulled`` (RAM victims taken early to fill a batch),
            ``requeued`` (second chances), ``forced_out``, ``flash_invalidations``;
            ``flash_sequential_page_writes`` + ``flash_random_page_writes`` = ``flash_writes``,
            ``flash_write_batches`` (write operations), ``flash_sequential_write_batches``;
            ``flash_random_reads`` (= ``flash_hits`` + ``flash_stage_out_reads``),
            ``flash_batch_reads`` (operations), ``flash_batch_read_pages``;
            ``disk_batch_reads`` (requests that fill flash in the background), ``disk_batch_read_pages`` (not in
            ``hdd_reads``); ``disk_batch_writes`` (requests that write several adjacent pages),
            ``disk_batch_write_pages`` (part of ``hdd_writes``);
            ``disk_writes_on_exit`` + ``disk_writes_on_stage_out`` + ``disk_writes_by_cleaner`` +
            ``disk_writes_by_checkpoint`` = ``hdd_writes``; ``checkpointed_pages`` (changed in RAM at a
            checkpoint), ``flash_writes_by_checkpoint`` (part of fills and write-backs); ``metadata_segments``, ``metadata_segment_bytes`` [bytes],
            ``metadata_random_page_writes``, ``metadata_page_writes`` (segments rounded up to
            pages, and single pages), ``restart_segments_read``, ``restart_pages_scanned``;
            at the end ``slots_used``, ``old_versions`` (slots), ``dirty_slots``; ratios, None where
            undefined: ``write_reduction`` (1 - ``hdd_writes`` / (``ram_dirty_evictions`` + ``checkpointed_pages``)),
            ``flash_hit_ratio`` (of RAM misses), ``sequentiality`` (of write operations),
            ``mean_write_pages`` [pages]; ``background`` (dict of those counters, 0 left out, that were counted while nobody
            waited: what the cache does when it is due, and checkpoints); ``options`` (dict of what was in force); ``ftl`` (with
            ``ftl_spare_percent`` only: as `serve_ftl`, and where metadata are written ``metadata_pages``,
            ``metadata_writes`` [pages] and ``metadata_layout``, in words); ``crash`` (None,
            or ``{at_access, restart, ram_pages_lost, ram_dirty_pages_lost, flash_pages_lost,
            flash_dirty_pages_lost, before: {counters until then}}``).

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        The family, the name or an option is unknown (the hint lists the known ones), a value or
        a capacity out of range, or as for `curves`.
    Cancelled
        `on_progress` returned False.
    """

def replay_timed(
    path: str | PathLike[str],
    scheme: str,
    ram_pages: int,
    flash_pages: int,
    timing: _Timing,
    *,
    options: dict[str, str] | None = ...,
    warm_up: int | Literal["full"] = ...,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Replay a trace through a page-flow scheme or a flash cache on simulated time.

    Cold start and rules as `replay` of the families `scheme` and `flash_cache`; what a flash cache does
    by time goes by the simulated one. An access arrives as `timing` says and reads flash or disk if
    the scheme says so; a RAM hit takes no time. When its read is over, what its miss caused follows
    in three steps, each when the one before is over: further reads, writes of the disk, writes of
    flash; the operations of a step arrive together. Each device serves `at_once` operations, the
    others wait, first come, first served; an operation occupies its place for `read_us` or
    `write_us`, and is answered `read_answered_us` or `write_answered_us` after its service began. A
    page of a batch occupies it for `batch_read_us` or `batch_write_us`. A single read takes
    `beside_writes_us` longer, times the share of random writes among the latest operations. With
    several devices an operation goes to any of them with equal chance.

    Parameters
    ----------
    scheme : str
        A name of `contenders("scheme")` or `contenders("flash_cache")`.
    ram_pages, flash_pages : int
        Sizes. [pages]
    timing : dict
        `arrivals`: `trace` (the recorded times x `stretch`), `poisson` (`accesses_per_s`) or
        `clients` (`clients` that wait for their access and think for an exponential time of mean
        `think_us`). `flash`, `disk`: devices. `exponential`: times vary exponentially about those
        stated. `waits_for_writes`: an access ends with its writes instead of with its read.
        `seed`: of all that is random. `window_us`: length of the windows of the course, 0 for none.
        `checkpoint_us`: time between two checkpoints, 0 for no redo after a crash; redo goes by the checkpoints of the
        replay, where the options of the flash cache have it take any.
    options : dict, optional
        As `replay` takes them; a scheme takes `crash_at` and `restart=cold` too, and neither blocks nor a
        directory on flash, whose operations take no time here. A policy that looks ahead sees the accesses
        behind a crash.
    warm_up : int or "full"
        Accesses that are not counted; times are counted from the next access on.

    Returns
    -------
    dict
        As `replay`, with the `crash` of a scheme that had one, as a flash cache has it (without `before`; RAM and flash
        are empty afterwards), and `response`: `accesses`, `duration_s` from the first arrival to the last answer,
        `accesses_per_s` (answers), `last_arrival_s` from the first to the last arrival, `arrivals_per_s` (None where all
        come at once), `mean_us`, `p50_us`, `p99_us`, `p999_us`, `most_us`, `resolution` (width
        of the bins of percentiles as a share; each percentile is off by half of it at most), and
        of `flash` and `disk` `operations`, `utilisation` (asked for until the last arrival; above 1: they do not keep up),
        `wait_us` and `waited`, the share of operations that waited; `redo` has the `pages` that were
        read again after a crash, `flash_pages` of them from flash, `older_pages`, last written before the latest checkpoint
        and lost with flash, the `seconds` that took, and `after_checkpoint`,
        whether a checkpoint came between the first access and the crash.

    Raises
    ------
    ParameterError
        As `replay`; if a time, rate or count has no meaning, times are asked of a trace that has
        none, or more than 1,048,576 accesses wait for their writes at once.
    SimulatorError
        As `replay`.
    """

def simulate_dynamics(
    path: str | PathLike[str],
    pages: int,
    *,
    clean_pages: list[int],
    epoch_accesses: int,
    window_accesses: int,
    write_share: float,
    write_growth: float = 0.0,
    write_odd: float = 1.0,
    asymmetry: float,
    asymmetry_growth: float = 0.0,
    asymmetry_odd: float = 1.0,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Replay a trace whose writes and their cost change by epoch through several buffers at once.

    The buffers: FD-Buffer with the advisor, which starts at half the buffer and knows the R of
    the epoch, LRU, CFLRU with half of its frames as working region, and static splits.

    Parameters
    ----------
    path : str or path
        As for `replay`.
    pages : int
        At least 2. [pages]
    clean_pages : list of int
        Clean pools of the static splits, each from 1 to ``pages - 1``. [pages]
    epoch_accesses, window_accesses : int
        Length of an epoch, at least 100, and of a window of the advisor. [accesses]
    write_share, write_growth, write_odd : float
        Share of writes of the trace; its growth per epoch, as a share of it; its factor in odd
        epochs. [1]
    asymmetry, asymmetry_growth, asymmetry_odd : float
        The same of R, the cost of a page write in page reads. [1]
    on_progress : callable, optional
        As for `replay`.

    Returns
    -------
    dict
        `accesses`, `write_accesses` (before the change), `distinct_pages`, `page_bytes`, `trace`;
        `buffers`, each `{name, clean_pages, reads, writes, dirty_left}`; `epochs`, each
        `{accesses, write_accesses, asymmetry, clean_pages, reads, writes}`, the last two lists
        in the order of the buffers.

    Raises
    ------
    TraceError, ParameterError, Cancelled
        As for `replay`; also for a drift that is out of range.
    """

def simulate_splits(
    path: str | PathLike[str],
    pages: int,
    clean_pages: list[int],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> list[dict[str, Any]]:
    """Replay a trace once through static FD-Buffers of LRU pools with several splits.

    Memory grows with the number of splits. The parameters are those of `replay`;
    `clean_pages` lists clean pools, each from 1 to ``pages - 1`` [pages].

    Returns
    -------
    list of dict
        One result of `replay` for each split.

    Raises
    ------
    TraceError, ParameterError, Cancelled
        As for `replay`.
    """

def two_stack(
    path: str | PathLike[str],
    pages: int,
    *,
    distance: str = "raw",
    group_pages: int = 64,
    present_conditions: bool = True,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Estimate the hits of a clean and a dirty LRU pool at every split, in one pass.

    The Two-Stack algorithm (On et al., CIKM 2010). Memory is proportional to distinct pages and
    buffer pages.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    pages : int
        The whole buffer, M, from 2 to 134,217,728. [pages]
    distance : str, default "raw"
        ``raw``: stack positions; ``effective``: positions among the pages that are present
        at each pool size, which takes time proportional to accesses x pages;
        ``grouped`` and ``grouped_conservative``: of groups of pages, as printed or at the
        group's end.
    group_pages : int, default 64
        Pages of a group, at most `pages`. [pages]
    present_conditions : bool, default True
        Whether an entry counts only at the splits at which it is in the pool.
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        ``pages``, ``distance``, ``accesses``, ``write_accesses``, ``distinct_pages``,
        ``page_bytes`` [bytes]; the arrays ``hits_clean``, ``hits_dirty``,
        ``write_hits_dirty`` of shape (pages - 1,), dtype uint64: entry i counts at a clean
        pool of i + 1 pages; ``by_index``: for ``clean_reads``, ``clean_writes``,
        ``dirty_reads``, ``dirty_writes`` the array ``hits`` (entry i: accesses whose page
        is in every pool of at least i pages) and ``never``; None with effective distances.

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        A size or a name is out of range, or as for `curves`.
    Cancelled
        `on_progress` returned False.
    """

# --- sampled and windowed curves, sweeps --------------------------------------------------

def sampled_curves(
    path: str | PathLike[str],
    *,
    sample_rate: float | None = None,
    sample_pages: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Estimate the misses and write-backs of LRU caches of every size from sampled pages.

    SHARDS (Waldspurger et al., FAST 2015) at a fixed rate or a fixed number of pages, with
    the adjustment and scaled to the known distinct pages; sizes below the sample's
    resolution are measured in short runs of consecutive accesses. Counts of accesses,
    writes and distinct pages are exact.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    sample_rate : float, optional
        Share of the pages to follow, in (0, 1]. Give this or `sample_pages`.
    sample_pages : int, optional
        Maximum number of pages to follow, at least 64. [pages]
    seed : int, default 0
        Another seed follows other pages; the same one gives the same result.
    threads : int, optional
        With more than one, another thread reads ahead; one per core by default. It does not
        change the result.
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        ``accesses``, ``distinct_pages``, ``write_accesses``, ``page_bytes`` [bytes],
        ``duration_s`` [s], ``sample_rate`` (pages followed at the end, per distinct page),
        ``sampled_pages``, ``sampled_accesses``, and float64 arrays of one length, to be
        read as a piecewise linear curve: ``pages`` (cache sizes, increasing, from 0 to
        distinct_pages, not always whole) [pages], ``misses``, ``misses_low``,
        ``misses_high``, ``write_backs``, ``write_backs_low``, ``write_backs_high``
        (estimate and ends of its 95 % interval); ``windows`` as of `curves`, of the sampled
        accesses, each as often as what it stands for: they do not sum up to the curve.

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        The sample is out of range or holds no page, or as for `curves`.
    Cancelled
        `on_progress` returned False.
    """

def relation_reuse(
    path: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Count reuse times and stays by relation, file or volume in one pass.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    on_progress : callable, optional
        Called with (accesses done, input bytes done, input bytes in all); False cancels.

    Returns
    -------
    dict
        ``relations``, a list of dicts, the largest first: ``name``, ``accesses``, ``write_accesses``,
        ``distinct_pages``, ``reuse`` and ``stays``, each with the lists ``lowest``, ``highest``
        [accesses], ``ended``, ``cut_off``; ``page_bytes``, ``duration_s``, ``trace`` as of `curves`.

    Raises
    ------
    TraceError
        The trace cannot be read, or has no page accesses.
    Cancelled
        `on_progress` returned False.
    """

def categories() -> list[dict[str, Any]]:
    """List what may tell accesses apart: relation, size of the request, hour.

    Returns
    -------
    list of dict
        ``name, title, description, needs_times``.
    """

def category_counts(
    path: str | PathLike[str],
    categories: str,
    ram_pages: int,
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Count what each category of requests below RAM gets of an LRU flash cache under each admission, in one pass.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    categories : str
        A name of `categories`.
    ram_pages : int
        RAM, under LRU. [pages]
    on_progress : callable, optional
        See `curves`.

    Returns
    -------
    dict
        ``accesses, write_accesses, distinct_pages, page_bytes, duration_s, trace`` as of `curves`; ``categories``;
        ``requests``, misses of RAM and its changed victims; ``ages``, lifetimes of pages on flash [requests]; and
        ``rows``, a list of dicts: ``number``, ``name``, ``reads``, ``writes``, ``pages``; ``again``, reads of pages that were
        requested at most so long before; ``under``, a list of ``admission``, ``held_pages``, ``hits``, ``overwrites`` and
        ``served``, all but the first with one entry for each lifetime: ``hits`` and ``overwrites`` are reads and writes of pages
        on flash whose request before was of the category, ``served`` reads of the category that find their page there.

    Raises
    ------
    TraceError
        The trace cannot be read, or has no page accesses.
    ParameterError
        No such categories, or they need times that the trace lacks.
    Cancelled
        `on_progress` returned False.
    """

def summaries(
    path: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Summarise a trace in one pass: working set, reuse, popularity, requests, devices.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    on_progress : callable, optional
        See `curves`.

    Returns
    -------
    dict
        ``accesses, write_accesses, distinct_pages, page_bytes, duration_s`` and one entry per
        summary, see `tierwright.profile.summaries`: ``windows``, ``time_windows`` (None without times),
        ``reuse`` (``in_accesses``, ``in_ns``), ``popularity``, ``requests``, ``devices`` (None for one
        device).

    Raises
    ------
    TraceError
        The trace cannot be read, or has no page accesses.
    Cancelled
        `on_progress` returned False.
    """

def window_curves(
    path: str | PathLike[str],
    *,
    window_accesses: int | None = None,
    window_ns: int | None = None,
    sizes: list[int] | None = None,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Count the LRU misses of consecutive windows of a trace, exactly, in one pass.

    Caches are cold at the start of the trace and carried over: a window's misses at a size
    are those that one cache, replaying the whole trace, has on the window's accesses. The
    windows sum up to the curve of the trace.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    window_accesses : int, optional
        Accesses of a window. Give this or `window_ns`.
    window_ns : int, optional
        Duration of a window. A window ends before the first access at or after its end; an
        access with an earlier time stays in it; windows without accesses are left out. [ns]
    sizes : list of int, optional
        Cache sizes to list; up to 16 for each doubling by default. [pages]
    on_progress : callable, optional
        See the module.

    Returns
    -------
    dict
        ``accesses``, ``distinct_pages``, ``write_accesses``, ``page_bytes`` [bytes],
        ``duration_s`` [s], ``pages`` (uint64, sizes) [pages], ``start_ns`` (list, None for
        windows of accesses) [ns], and uint64 arrays with an entry for each window:
        ``first_access`` (accesses before it), ``window_accesses``,
        ``window_write_accesses``, ``pages_written`` (distinct pages that they write),
        ``first_references``, and ``misses`` of shape (windows, sizes).

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        The windows have no length or are more than 100,000, the trace has no times, or as
        for `curves`.
    Cancelled
        `on_progress` returned False.
    """

def part_curves(
    path: str | PathLike[str],
    out: str | PathLike[str],
    *,
    first_access: int,
    trace_accesses: int,
    summaries: bool = False,
    times: tuple[int, int, int] | None = None,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> None:
    """Count a part of a trace by itself and write it to the file `out`, to be joined with its neighbours.

    Parameters
    ----------
    path, **reading
        The trace argument group: the part.
    out : path
        File to write; it appears when it is complete.
    first_access : int
        Accesses of the trace before the part.
    trace_accesses : int
        Accesses of the whole trace.
    summaries : bool
        Whether the counts hold what summaries and the reuse of relations are made from.
    times : tuple of int, optional
        For them: the first request of the part minus that of the trace, the latest time before the part, and that of
        the whole trace, the latter two from the first request of the trace on; None where it has no times. [ns]
    on_progress : callable, optional
        Called with (bytes done, bytes in all, accesses so far); False cancels.

    Raises
    ------
    TraceError
        The part cannot be read or understood, or two of its devices have one name.
    Cancelled
        `on_progress` returned False.
    """

def part_ranges(
    path: str | PathLike[str],
    outs: list[str],
    *,
    ranges: int,
    first_access: int,
    trace_accesses: int,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> None:
    """Count a part of a trace once for each range of a hash of its pages, each to be joined with its like.

    Parameters
    ----------
    path, **reading
        The trace argument group: the part.
    outs : list of str
        Files to write, one for each of the first ranges; each appears when it is complete.
    ranges : int
        Ranges into which all pages are divided, the same in every part of the trace.
    first_access, trace_accesses, on_progress
        As for `part_curves`.

    Raises
    ------
    TraceError, Cancelled
        As `part_curves`.
    ParameterError
        Ranges out of bounds.
    """

def join_parts(
    paths: list[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> dict[str, Any]:
    """Join the parts of a whole trace, in its order, to the curves that one pass over it gives.

    Memory is at most about 80 bytes for each distinct page of the trace.

    Returns
    -------
    dict
        As `curves` returns, with `duration_ns` [ns] or None, and `notes`: what the readers noticed, a text
        of JSON documents, one a line, for each file. `summaries` and `relations` are as `summaries` and
        `relation_reuse` return them, or None unless all parts have what they are made from.

    Raises
    ------
    TraceError
        A file cannot be read or is damaged, or the parts are not all parts of one trace in its order.
    Cancelled
        `on_progress`, called with (files done, files in all, accesses so far), returned False.
    """

def join_into_part(
    paths: list[str],
    out: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> None:
    """Join neighbouring parts of a trace, in its order, to one part, written to the file `out`.

    Raises
    ------
    TraceError, Cancelled
        As `join_parts`, but parts may be missing before and behind.
    """

def check_part(path: str | PathLike[str]) -> int:
    """Return the accesses of a part in a file, once the whole file was checked.

    Raises
    ------
    TraceError
        It cannot be read, or is damaged.
    """

def divide_pages(
    path: str | PathLike[str],
    outs: list[str],
    *,
    notes: str,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> None:
    """Divide the pages of a canonical part by ranges of a hash, in the order of their numbers.

    Parameters
    ----------
    path : str or PathLike
        The part.
    outs : list of str
        Files to write, one for each range; each appears when it is complete.
    notes : str
        Kept with them, for `check_numbers`.
    on_progress : callable, optional
        Called with (bytes done, bytes in all, 0); False cancels.

    Raises
    ------
    TraceError
        The part cannot be read.
    ParameterError
        Ranges out of bounds, or two devices of one name.
    Cancelled
        `on_progress` returned False.
    """

def first_touches(
    parts: list[str],
    outs: list[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> list[int]:
    """Find which pages of a range are in no earlier part, and return how many of each part.

    Parameters
    ----------
    parts : list of str
        What `divide_pages` has written for the range, of all parts in their order.
    outs : list of str
        Files to write, one for each part.
    on_progress : callable, optional
        Called with (parts done, parts, 0); False cancels.

    Raises
    ------
    TraceError, Cancelled
        As `divide_pages`.
    ParameterError
        More pages than 32 bits number.
    """

def number_new_pages(
    path: str | PathLike[str],
    firsts: list[str],
    outs: list[str],
    *,
    pages_before: int,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> None:
    """Number the pages of a part that are in no earlier one, in the order of the part.

    Parameters
    ----------
    path : str or PathLike
        The canonical part.
    firsts : list of str
        What `first_touches` has written for it, of all ranges.
    outs : list of str
        Files to write, one for each range.
    pages_before : int
        Distinct pages of all parts before it.
    on_progress : callable, optional
        As for `divide_pages`.

    Raises
    ------
    TraceError, Cancelled
        As `divide_pages`; if the files do not fit together.
    """

def number_all_pages(
    parts: list[str],
    news: list[str],
    outs: list[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> None:
    """Number all pages of a range in each part.

    Parameters
    ----------
    parts : list of str
        As for `first_touches`.
    news : list of str
        What `number_new_pages` has written for the range, of all parts.
    outs : list of str
        Files to write, one for each part.
    on_progress : callable, optional
        As for `first_touches`.

    Raises
    ------
    TraceError, ParameterError, Cancelled
        As `first_touches`; if the files do not fit together.
    """

def numbered_part(
    path: str | PathLike[str],
    numbers: list[str],
    out: str | PathLike[str],
    *,
    trace: str,
    number: int,
    parts: int,
    pages_before: int,
    accesses_before: int,
    devices: list[int],
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> None:
    """Write a canonical part with the numbers that its pages have in the whole trace; an existing file is replaced.

    Parameters
    ----------
    path : str or PathLike
        The part, converted by itself.
    numbers : list of str
        What `number_all_pages` has written for it, of all ranges.
    out : str or PathLike
        File to write.
    trace : str
        Names the conversion.
    number, parts : int
        Which part it is, from 0 on, and of how many.
    pages_before, accesses_before : int
        Of all parts before it.
    devices : list of int
        Number in the whole of each of its devices.
    on_progress : callable, optional
        As for `divide_pages`.

    Raises
    ------
    TraceError, Cancelled
        As `number_new_pages`.
    """

def check_numbers(path: str | PathLike[str]) -> str:
    """Check a whole file that one of the steps above has written, and return what was kept with it.

    Raises
    ------
    TraceError
        It cannot be read, or is damaged.
    """

def keep_notes(path: str | PathLike[str], notes: str) -> None:
    """Keep notes in a file that `check_numbers` checks.

    Raises
    ------
    TraceError
        It cannot be written.
    """

def canonical_content(path: str | PathLike[str]) -> dict[str, Any]:
    """Return what head and foot of a canonical trace say.

    Returns
    -------
    dict
        `source_format`, `page_bytes`, `has_time`, `accesses`, `write_accesses`, `distinct_pages`, `devices` (names by
        number), `warnings`, and `part`: where it lies in a longer trace, as `numbered_part` was given it, or None.

    Raises
    ------
    TraceError
        It is not a canonical trace, or cannot be read.
    """

def check_chunks(
    path: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> dict[str, Any]:
    """Return what `canonical_content` returns once every byte was compared with its checksum.

    Raises
    ------
    TraceError, Cancelled
        As `canonical_content`; if a chunk is damaged; if `on_progress` returned False.
    """

def join_numbered_parts(
    parts: list[str],
    out: str | PathLike[str],
    *,
    force: bool = False,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> None:
    """Join all parts of one conversion to a canonical trace, by the numbers of their pages.

    Memory is that of the pages of one part. Lengths of requests before they were split are not kept.

    Parameters
    ----------
    parts : list of str
        What `numbered_part` has written, all of them in their order.
    out : str or PathLike
        File to write.
    force : bool
        Whether an existing file is replaced.
    on_progress : callable, optional
        Called with (bytes done of a part, its bytes, accesses so far); False cancels.

    Raises
    ------
    TraceError
        A file cannot be read, is no such part, or is not the next one; more pages than 32 bits number.
    ParameterError
        `out` exists.
    Cancelled
        `on_progress` returned False.
    """

def count_accesses(
    path: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> int:
    """Return the accesses of a trace: at once if it is canonical, otherwise after a pass.

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    Cancelled
        `on_progress` returned False.
    """

def count_part(
    path: str | PathLike[str],
    *,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Count what the neighbours of a part must know before their summaries are made.

    Returns
    -------
    dict
        `accesses`; `first_time_ns`, the time of the first request since the epoch of the format, and `latest_ns`, that
        of the latest access since then, both None without times. [ns]

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    Cancelled
        `on_progress` returned False.
    """

def sweep(
    path: str | PathLike[str],
    configurations: list[dict[str, Any]],
    *,
    warm_up: int | Literal["full"] = ...,
    threads: int | None = None,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Replay many configurations over one read of a trace, on all cores.

    Parameters
    ----------
    path, **reading
        The trace argument group.
    configurations : list of dict
        Each ``{policy, pages, options}``, ``{buffer, pages, options}``, ``{scheme, ram_pages,
        flash_pages, options}``, ``{chooser, ram_pages, flash_pages, options}`` or
        ``{flash_cache, ram_pages, flash_pages, options}``, with the meanings of
        `replay`; ``options`` may be left out.
        Up to 64 of them share one read of the trace; fewer if their tables would take more
        than 1 GB, but at least as many as run at the same time; and in the first read of a
        trace that does not state its pages, no more than those.
    warm_up : int or str
        Accesses at the head of the trace that are replayed and not counted; 0: all count; ``full``: of each
        configuration those up to the one that fills its cache, flash or else RAM.
    threads : int, optional
        Replays that run at the same time; one per core by default. It does not change any
        result.
    on_progress : callable, optional
        See the module; positions start again with each read. Returning False ends the
        sweep and keeps its rows: no `Cancelled` is raised.

    Returns
    -------
    dict
        ``rows`` (list of dict, in order): the keys of the function of its kind
        and ``complete``; a row that is not complete has counted the first
        ``accesses`` of the trace. A replay that fails on this trace has ``error`` and
        ``hint`` instead of counts, as has one of a policy that needs the future if the
        sweep was cancelled before it ended. ``cancelled`` (bool; configurations whose read had not
        begun have no row), ``reads`` (reads of the trace).

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        A configuration is impossible; it is refused before the trace is read.
    """

def miniatures(
    path: str | PathLike[str],
    configurations: list[dict[str, Any]],
    sample_rate: float,
    *,
    seed: int = 0,
    warm_up: int | Literal["full"] = ...,
    threads: int | None = None,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
    **reading: Unpack[_TraceReading],
) -> dict[str, Any]:
    """Estimate many configurations by miniature simulation, with the error of each count.

    Eight caches scaled by ``sample_rate / 8`` replay disjoint samples of that share of the
    pages (Waldspurger et al., USENIX ATC 2017). No stack property is needed. Buffers and
    choosers are refused: their windows, periods and batches do not shrink with the cache; so are flash
    caches that say why no sample represents them, and a policy with a period in references.

    Returns
    -------
    dict
        ``trace``, see the module, ``cancelled`` (bool; only configurations of whole reads have a row) and ``rows`` (list of
        dict, in order): ``policy``, ``pages`` or ``scheme``, ``ram_pages``, ``flash_pages`` as requested;
        ``accesses``, ``distinct_pages``, ``sample_rate``, ``miniature_rate``; every counter
        of `sweep`'s rows (float; of flash caches without those that no sample tells) and ``interval95`` (dict of counter to [low, high], from
        the spread of the eight, of slightly other sizes and of their roughness between these; None
        where that is not reliable, with the reason in
        ``warnings``: ``does_not_shrink`` or ``too_small``); ``too_small`` (the smallest part of
        a scaled cache has fewer than 32 pages), ``warnings``; ``complete``. A
        configuration that fails on this trace has ``error`` and ``hint`` instead of counts.

    Raises
    ------
    TraceError
        The file cannot be read or understood; the message names line or record.
    ParameterError
        The rate or a configuration is impossible, or a sample holds no page.
    Cancelled
        `on_progress` returned False.
    """

def ftl_mappings() -> list[tuple[str, str, str]]:
    """List the translation layers of a flash device, in the order of the core's table.

    Returns
    -------
    list of tuple
        Name, title and description of each.
    """

def simulate_ftl(
    device: dict[str, Any],
    parts: list[dict[str, Any]],
    *,
    trim_share: float,
    warm_up: int,
    requests: int,
    seed: int,
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> dict[str, Any]:
    """Run a synthetic workload on a flash device.

    The device is filled once in the order of its pages, serves ``warm_up`` requests, and counts what
    ``requests`` more do. Progress is in requests.

    Parameters
    ----------
    device : dict
        ``logical_pages, blocks, block_pages, collection`` (``greedy, fifo, random, choices``,
        ``cost-benefit``), ``choices`` (of the rule of that name), ``streams``, ``copies``
        (``stream, apart``), ``reserve`` (free blocks, at least 2), ``buffer_pages``, ``mapping`` (one of
        `ftl_mappings`).
    parts : list of dict
        ``pages, write_share, order`` (``uniform, sequential, zipf``), ``exponent, stream``,
        ``run_pages`` (writes that follow one another); together the logical pages, their shares of
        the writes add up to 1.
    trim_share : float
        Share of the requests that trim a random page in use, below 0.5.
    warm_up, requests, seed : int
        See above.

    Returns
    -------
    dict
        ``host_writes, trims, moved, erases, waf`` (None without writes), ``used_pages``,
        ``merges`` (``full, partial, switch``), ``streams`` (list of ``host_writes, moved``), ``wear``
        (``least, mean, most, deviation`` of the erases per block).

    Raises
    ------
    ParameterError
        The device could not work, or the parts are not those of the device.
    Cancelled
        `on_progress` returned False.
    """

def serve_ftl(
    device: dict[str, Any],
    pages: NDArray[np.uint32],
    trims: NDArray[np.bool_],
    streams: NDArray[np.uint8],
    *,
    warm_up: int,
    seed: int,
) -> dict[str, Any]:
    """Serve given writes and trims on an empty flash device; as `simulate_ftl`.

    Parameters
    ----------
    device : dict
        As for `simulate_ftl`.
    pages, trims, streams : ndarray
        Of each request: its logical page, whether it trims, and its stream.
    warm_up : int
        Requests at the beginning that do not count.
    seed : int
        Of random victims.

    Returns
    -------
    dict
        As `simulate_ftl`.

    Raises
    ------
    ParameterError
        The device could not work, or a page or a stream is not below the device's.
    """

def _panic(message: str) -> None:
    """Panic, to test how a panic is reported.

    Raises
    ------
    CoreDefect
    """

def transaction_systems() -> list[tuple[str, str, str]]:
    """Every system that replays transactions.

    Returns
    -------
    list of tuple
        Name, title and description of each.
    """

def parse_transaction_events(
    text: str,
) -> tuple[
    list[tuple[Any, str, int | None, float | None]],
    list[tuple[int, str]],
]:
    """Read events of transactions from text.

    Returns
    -------
    tuple
        The events: kind, id, page, clock where the line has one; number and content of the lines that are
        not events.
    """

def survey_transaction_file(
    path: str | PathLike[str],
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> dict[str, Any]:
    """Count what a text file of events, compressed or not, holds.

    Parameters
    ----------
    path : str or os.PathLike
        Read once; one block of it is in memory.
    on_progress : callable, optional
        ``(bytes done, bytes in all, events)``; False cancels.

    Returns
    -------
    dict
        ``events, transactions, committed, aborted, reads, updates, pages``; or ``refused`` as of
        `replay_transaction_file`.

    Raises
    ------
    TraceError
        If the file cannot be read, or a line is not an event.
    Cancelled
        If progress asked to stop.
    """

def replay_transaction_events(
    events: list[tuple[str, str, int | None, float | None]], settings: dict[str, Any]
) -> dict[str, Any]:
    """Replay events in memory; as `replay_transaction_file`."""

def replay_transaction_file(
    path: str | PathLike[str],
    settings: dict[str, Any],
    on_progress: Callable[[int, int, int], bool | None] | None = None,
) -> dict[str, Any]:
    """Replay the events of a text file, compressed or not, through several systems.

    Parameters
    ----------
    path : str or os.PathLike
        Read once; one block of it is in memory.
    settings : dict
        ``systems, ram_pages, database_pages, record_bytes, blocks, block_pages, page_bytes``, ``device`` (None
        or as `simulate_ftl`), ``durable, checkpoint_pages, crash_after, most_steps, list``.
    on_progress : callable, optional
        ``(bytes done, bytes in all, events)``; False cancels.

    Returns
    -------
    dict
        ``events, transactions`` and of each system ``system, counts, victims, residents, recovery``; or
        ``refused``: ``part, place, value, message, hint`` of what is wrong.

    Raises
    ------
    TraceError
        If the file cannot be read, or a line is not an event.
    ParameterError
        If a system is unknown, or the device could not work.
    Cancelled
        If progress asked to stop.
    """
