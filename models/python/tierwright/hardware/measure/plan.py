"""What a measurement will do: its runs, its file, its bytes and its time, before it starts.

Pure: no file is touched and no clock is read. `tierwright.hardware.measure.run` executes a plan.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, duration
from tierwright.hardware.measure.steady import RULE, WINDOWS

Pattern = Literal["read", "write", "mix"]

KIB, MIB, GIB = 2**10, 2**20, 2**30
DATA_FILE = "data.bin"
RESULT_FILE = "result.json"
LOG_PREFIX = "rates"
LOG_FILE = f"{LOG_PREFIX}_iops.1.log"
PROBE_FILE = "probe.bin"
FILES = (DATA_FILE, RESULT_FILE, LOG_FILE, PROBE_FILE)
"""Every file that a measurement makes, in a folder that it makes."""
QUEUE_DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_DEPTH = 1024
USUAL_DEPTH = 32
"""Depth, or the deepest one below it, of block sizes around the page and of most mixes."""
USUAL_FILE_BYTES = 4 * GIB
USUAL_SECONDS = 20 * 60.0
USUAL_WRITTEN = 16
"""Bytes written at most, over the size of the file."""
SEQUENTIAL_BYTES = MIB
SEQUENTIAL_DEPTH = 8
BLOCK_MULTIPLE = 512
LEAST_AROUND = 4 * KIB
"""Smallest block beside the page: below it many drives refuse direct I/O."""
MOST_BLOCK = 16 * MIB
LEAST_FILE_BYTES = 16 * MIB
LEAST_SHARE_BYTES = 4 * MIB
"""Bytes that each run that writes may at least write."""
BLOCKS_IN_FILE = 16
FILL_BYTES_PER_S = 50e6
"""Rate below which writing the file is given up."""
LEAST_FILL_S = 30.0
START_S = 1.0
"""What starting and ending fio takes beside a run. [s]"""
LOG_MS = 20
MOST_SECONDS = 1e6
LEFT_FREE = 1.2
"""Space that must stay free, over the size of the file."""
_PERCENTILES = "50:95:99:99.9"
_MIXES: tuple[tuple[int, Literal["shallow", "usual", "deepest"]], ...] = (
    (70, "shallow"),
    (70, "usual"),
    (50, "usual"),
    (70, "deepest"),
)
"""Share of reads in percent, and queue depth: the profile takes its rates, and a mix beside them, at the deepest."""


@dataclass(frozen=True, slots=True)
class MeasureJob:
    """One pattern, run alone.

    Attributes
    ----------
    name : str
        Of the job of fio.
    pattern : {"read", "write", "mix"}
        What it does.
    random : bool
        Else sequential.
    block_bytes : int
        Transfer. [bytes]
    queue_depth : int
        Requests in flight. [1]
    read_percent : int or None
        Share of reads of a mix. [%]
    most_written_bytes : int
        Bytes that it may write, over all its attempts; 0 for reads. [bytes]
    most_attempts : int
        Runs until its rate is given up as not steady.
    """

    name: str
    pattern: Pattern
    random: bool
    block_bytes: int
    queue_depth: int
    read_percent: int | None = None
    most_written_bytes: int = 0
    most_attempts: int = 1

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return self.pattern != "read"

    @property
    def title(self) -> str:
        """What it is, in words."""
        order = "random" if self.random else "sequential"
        what = {"read": "reads", "write": "writes", "mix": "accesses"}[self.pattern]
        size = format_bytes(self.block_bytes)
        mix = (
            ""
            if self.read_percent is None
            else f", {self.read_percent} % of them reads"
        )
        return f"{order} {what} of {size}, queue depth {self.queue_depth}{mix}"


@dataclass(frozen=True, slots=True)
class MeasurePlan:
    """A measurement that can be executed.

    Attributes
    ----------
    page_bytes : int
        Page whose cost is measured. [bytes]
    file_bytes : int
        Size of the one file that is read and written. [bytes]
    jobs : tuple of MeasureJob
        In their order: reads before writes.
    window_s : float
        One window of the rule of steady state. [s]
    fill_most_s : float
        Time until writing the file is given up. [s]
    """

    page_bytes: int
    file_bytes: int
    jobs: tuple[MeasureJob, ...]
    window_s: float
    fill_most_s: float

    @property
    def attempt_s(self) -> float:
        """Time of one run: five windows. [s]"""
        return WINDOWS * self.window_s

    @property
    def least_s(self) -> float:
        """Time where every rate is steady at once and writing the file takes none. [s]"""
        return len(self.jobs) * (self.attempt_s + START_S)

    @property
    def most_s(self) -> float:
        """Time where no rate becomes steady. [s]"""
        attempts = sum(job.most_attempts for job in self.jobs)
        return self.fill_most_s + attempts * (self.attempt_s + START_S)

    @property
    def most_written_bytes(self) -> int:
        """Bytes written at most: the file once, and what each job may write. [bytes]"""
        return self.file_bytes + sum(job.most_written_bytes for job in self.jobs)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all files, in a new folder of their own."""
        return FILES

    def fill_options(self, *, direct: bool, engine: str) -> tuple[str, ...]:
        """Arguments of fio that write the whole file once, in order."""
        return (
            *self._options("fill", "write", SEQUENTIAL_BYTES, SEQUENTIAL_DEPTH),
            f"--ioengine={engine}",
            f"--direct={int(direct)}",
            "--end_fsync=1",
        )

    def job_options(
        self, job: MeasureJob, *, direct: bool, engine: str, most_bytes: int
    ) -> tuple[str, ...]:
        """Arguments of fio of one attempt of a job.

        Parameters
        ----------
        job : MeasureJob
            One of the plan's.
        direct : bool
            Whether to bypass the page cache.
        engine : str
            `ioengine` of fio.
        most_bytes : int
            Bytes after which a job that writes ends, if its time is not over. [bytes]
        """
        pattern = {"read": "read", "write": "write", "mix": "rw"}[job.pattern]
        limits = (f"--io_size={most_bytes}",) if job.writes else ("--time_based=1",)
        mix = () if job.read_percent is None else (f"--rwmixread={job.read_percent}",)
        return (
            *self._options(
                job.name,
                f"rand{pattern}" if job.random else pattern,
                job.block_bytes,
                job.queue_depth,
            ),
            f"--ioengine={engine}",
            f"--direct={int(direct)}",
            f"--runtime={round(self.attempt_s * 1000)}ms",
            *limits,
            *mix,
            "--allow_file_create=0",
            "--norandommap=1",
            "--randrepeat=0",
            "--lat_percentiles=1",
            f"--percentile_list={_PERCENTILES}",
            f"--write_iops_log={LOG_PREFIX}",
            f"--log_avg_msec={LOG_MS}",
        )

    def _options(
        self, name: str, pattern: str, block_bytes: int, depth: int
    ) -> tuple[str, ...]:
        return (
            "--output-format=json",
            f"--output={RESULT_FILE}",
            "--eta=never",
            f"--name={name}",
            f"--filename={DATA_FILE}",
            f"--size={self.file_bytes}",
            f"--rw={pattern}",
            f"--bs={block_bytes}",
            f"--iodepth={depth}",
            "--thread=1",
            "--group_reporting=1",
        )

    def sentences(self) -> tuple[str, ...]:
        """Say what it will do to the disk, and for how long."""
        depths = sorted({job.queue_depth for job in self.jobs})
        blocks = sorted({job.block_bytes for job in self.jobs if job.random})
        reach = (
            f"at queue depth {depths[0]}"
            if len(depths) == 1
            else f"at queue depths {depths[0]} to {depths[-1]}"
        )
        sizes = (
            format_bytes(blocks[0])
            if len(blocks) == 1
            else f"{format_bytes(blocks[0])} to {format_bytes(blocks[-1])}"
        )
        return (
            f"It makes one file of {format_bytes(self.file_bytes)} in a new folder, writes at most "
            f"{format_bytes(self.most_written_bytes)} to it in all, and removes it at the end. No "
            "other file is read or written.",
            f"It takes at most {duration(self.most_s)}: about {duration(self.least_s)} and the "
            "time to write the file where every rate is steady at once.",
            f"It runs {len(self.jobs)} patterns one after the other: random reads, writes and "
            f"mixes of {sizes} {reach}, and sequential ones of "
            f"{format_bytes(self._sequential_bytes)}.",
            RULE,
        )

    @property
    def _sequential_bytes(self) -> int:
        return next(job.block_bytes for job in self.jobs if not job.random)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "page_bytes": self.page_bytes,
            "file_bytes": self.file_bytes,
            "most_written_bytes": self.most_written_bytes,
            "least_s": self.least_s,
            "most_s": self.most_s,
            "window_s": self.window_s,
            "fill_most_s": self.fill_most_s,
            "files": list(self.files),
            "sentences": list(self.sentences()),
            "jobs": [{**plain(job), "title": job.title} for job in self.jobs],
        }


def command_of(
    folder: str,
    *,
    page_bytes: int,
    file_bytes: int,
    most_s: float,
    most_written_bytes: int | None = None,
    queue_depths: Sequence[int] = QUEUE_DEPTHS,
    output: str = "device.toml",
) -> str:
    """Return the command that executes the plan of the same arguments.

    Parameters
    ----------
    folder : str
        Where it is to measure.
    page_bytes, file_bytes, most_s, most_written_bytes, queue_depths
        As of `make_plan`.
    output : str
        Device profile that it writes.

    Examples
    --------
    >>> command_of("/srv/my data", page_bytes=8192, file_bytes=4 * GIB, most_s=1200)
    "tierwright device measure '/srv/my data' --page-bytes 8192 --size 4GiB --minutes 20 -o device.toml"
    """
    named = f"./{folder}" if folder.startswith("-") else folder
    parts = ["tierwright", "device", "measure", named]
    parts += ["--page-bytes", str(page_bytes), "--size", _size(file_bytes)]
    parts += ["--minutes", f"{most_s / 60:.15g}"]
    if most_written_bytes is not None:
        parts += ["--most-written", _size(most_written_bytes)]
    if sorted(set(queue_depths)) != list(QUEUE_DEPTHS):
        parts += ["--depths", ",".join(map(str, queue_depths))]
    return shlex.join([*parts, "-o", output])


def _size(size_bytes: int) -> str:
    """Write a size exactly, as `parse_bytes` reads it."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB")):
        if size_bytes % unit == 0:
            return f"{size_bytes // unit}{name}"
    return str(size_bytes)


def make_plan(
    *,
    page_bytes: int = 8192,
    file_bytes: int = USUAL_FILE_BYTES,
    most_s: float = USUAL_SECONDS,
    most_written_bytes: int | None = None,
    queue_depths: Sequence[int] = QUEUE_DEPTHS,
    window_s: float = 2.0,
) -> MeasurePlan:
    """Plan a measurement within a budget of time and of bytes written.

    Random reads and writes of a page at every depth; of blocks of half and of twice the page at a
    shallow and a deep one; sequential ones; mixes of reads and writes.

    Parameters
    ----------
    page_bytes : int
        Page whose cost is measured: a multiple of 512. [bytes]
    file_bytes : int
        Size of the file; rounded down to whole MiB. [bytes]
    most_s : float
        Time that it may take at most. [s]
    most_written_bytes : int, optional
        Bytes that it may write at most; 16 times the file by default. [bytes]
    queue_depths : sequence of int
        Requests in flight of random reads and writes of a page. [1]
    window_s : float
        One window of the rule of steady state; a run has five. [s]

    Returns
    -------
    MeasurePlan
        Whose `most_s` and `most_written_bytes` are within what was given.

    Raises
    ------
    BadInput
        If a value is out of its bounds, or the time or the bytes do not suffice for one run of
        each pattern.

    Examples
    --------
    >>> plan = make_plan(page_bytes=8192)
    >>> len(plan.jobs), plan.most_written_bytes <= 64 * 2**30, plan.most_s <= 1200
    (32, True, True)
    """
    depths = sorted(set(queue_depths))
    written = (
        USUAL_WRITTEN * file_bytes if most_written_bytes is None else most_written_bytes
    )
    _check(page_bytes, file_bytes, depths, (most_s, window_s))
    jobs = list(_jobs(page_bytes, depths))
    size = file_bytes // MIB * MIB
    largest = max(job.block_bytes for job in jobs)
    if size < BLOCKS_IN_FILE * largest:
        raise BadInput(
            f"measurement: file_bytes: `{file_bytes}` holds fewer than {BLOCKS_IN_FILE} blocks of "
            f"{format_bytes(largest)}",
            f"measure in a file of at least {format_bytes(BLOCKS_IN_FILE * largest)}",
        )
    fill_most_s = max(LEAST_FILL_S, size / FILL_BYTES_PER_S)
    attempt_s = WINDOWS * window_s + START_S
    attempts = math.floor((most_s - fill_most_s) / (len(jobs) * attempt_s))
    if attempts < 1:
        raise BadInput(
            f"measurement: most_s: `{most_s:g}` is too short for writing the file and one run of "
            f"each of {len(jobs)} patterns",
            f"allow at least {counted(math.ceil((fill_most_s + len(jobs) * attempt_s) / 60), 'minute')}, "
            "measure in a smaller file, or measure fewer queue depths",
        )
    writers = sum(job.writes for job in jobs)
    share = (written - size) // writers
    if share < LEAST_SHARE_BYTES:
        raise BadInput(
            f"measurement: most_written_bytes: `{written}` is too little for {writers} patterns "
            "that write",
            f"allow at least {format_bytes(size + writers * LEAST_SHARE_BYTES)}, or measure fewer "
            "queue depths",
        )
    return MeasurePlan(
        page_bytes,
        size,
        tuple(
            replace(
                job,
                most_attempts=attempts,
                most_written_bytes=share if job.writes else 0,
            )
            for job in jobs
        ),
        window_s,
        fill_most_s,
    )


def _check(
    page_bytes: int, file_bytes: int, depths: Sequence[int], times: tuple[float, float]
) -> None:
    most_s, window_s = times
    problems = Problems("measurement", "see docs/capture/fio.md")
    problems.check(
        page_bytes % BLOCK_MULTIPLE == 0 and BLOCK_MULTIPLE <= page_bytes <= MOST_BLOCK,
        "page_bytes",
        page_bytes,
        f"must be a multiple of {BLOCK_MULTIPLE}, at most {format_bytes(MOST_BLOCK)}",
    )
    problems.check(
        file_bytes >= LEAST_FILE_BYTES,
        "file_bytes",
        file_bytes,
        f"must be at least {format_bytes(LEAST_FILE_BYTES)}",
    )
    problems.check(
        depths and depths[0] >= 1 and depths[-1] <= MOST_DEPTH,
        "queue_depths",
        ", ".join(map(str, depths)),
        f"must be from 1 to {MOST_DEPTH}",
    )
    for name, value, least in (("most_s", most_s, 1.0), ("window_s", window_s, 0.1)):
        problems.check(
            math.isfinite(value) and least <= value <= MOST_SECONDS,
            name,
            value,
            f"must be from {least:g} to 1,000,000 seconds",
        )
    problems.raise_if_any()


def _jobs(page: int, depths: Sequence[int]) -> Iterator[MeasureJob]:
    """List reads before writes, so that they meet the file as it was laid out."""
    deep = max([depth for depth in depths if depth <= USUAL_DEPTH] or [depths[0]])
    few = sorted({depths[0], deep})
    block = max(SEQUENTIAL_BYTES, page)
    patterns: tuple[Pattern, Pattern] = ("read", "write")
    for pattern in patterns:
        yield _job(pattern, block, SEQUENTIAL_DEPTH, random=False)
        for depth in depths:
            yield _job(pattern, page, depth)
        for around in _around(page):
            for depth in few:
                yield _job(pattern, around, depth)
    seen = set()
    depth_of = {"shallow": depths[0], "usual": deep, "deepest": depths[-1]}
    for percent, wanted in _MIXES:
        depth = depth_of[wanted]
        if (percent, depth) not in seen:
            seen.add((percent, depth))
            yield _job("mix", page, depth, read_percent=percent)


def _around(page: int) -> list[int]:
    """Half of the page and twice; four times where the half would be too small."""
    half = page // 2
    below = [half] if half >= LEAST_AROUND and half % BLOCK_MULTIPLE == 0 else []
    above = [2 * page] if below else [2 * page, 4 * page]
    return [*below, *(size for size in above if size <= MOST_BLOCK)]


def _job(
    pattern: Pattern,
    block: int,
    depth: int,
    *,
    random: bool = True,
    read_percent: int | None = None,
) -> MeasureJob:
    order = "random" if random else "sequential"
    what = pattern if read_percent is None else f"{pattern}{read_percent}"
    return MeasureJob(
        f"{order}-{what}-{block}-qd{depth}", pattern, random, block, depth, read_percent
    )
