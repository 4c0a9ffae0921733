"""Executes a plan with fio: on files of its own, until each rate is steady or its limit is reached.

A job is run again until the five windows of a run are steady (`tierwright.hardware.measure.steady`).
The figures are those of the last run alone, so they belong to the windows that were judged.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.units import format_count
from tierwright.hardware.fio_record import (
    RECORD_KEY,
    RECORD_VERSION,
    VERDICT_WORDS,
    Verdict,
)
from tierwright.hardware.measure import place
from tierwright.hardware.measure.fio_program import (
    FioProgram,
    MeasureCancelled,
    run_fio,
)
from tierwright.hardware.measure.plan import LOG_FILE, MeasureJob, MeasurePlan
from tierwright.hardware.measure.steady import (
    RULE,
    Steadiness,
    parse_rate_log,
    steadiness,
    window_rates,
)

FOLDER_PREFIX = "tierwright-measure-"
LEAST_OF_BEFORE = 0.5
"""Bytes left, over those of the attempt before, below which another would be too short to judge."""


@dataclass(frozen=True, slots=True)
class MeasureProgress:
    """How far a measurement is.

    Attributes
    ----------
    done, total : int
        Jobs finished, and all; writing the file is the first.
    title : str
        What runs now.
    attempt : int
        Which run of it, from 1.
    passed_s : float
        Since the measurement began. [s]
    finished : str
        Result of the job that just ended, in words; empty while one runs.
    """

    done: int
    total: int
    title: str
    attempt: int
    passed_s: float
    finished: str = ""


OnProgress = Callable[[MeasureProgress], bool]
"""Gets how far it is; False cancels."""


@dataclass(slots=True)
class _Measurement:
    """A plan that is being executed in its folder, and what was done so far."""

    work: Path
    plan: MeasurePlan
    program: FioProgram
    direct: bool
    on_progress: OnProgress
    began: float = field(default_factory=time.monotonic)
    written_bytes: int = 0
    unspent_bytes: int = 0
    results: list[Mapping[str, Any]] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def execute(self) -> None:
        """Write the file, then run every job."""
        title = "writing the file"
        self._run(
            self.plan.fill_options(direct=self.direct, engine=self.program.engine),
            self.plan.fill_most_s,
            lambda: self._progress(0, title, 1),
            title,
        )
        self.written_bytes += self.plan.file_bytes
        for at, job in enumerate(self.plan.jobs):
            self._job(at + 1, job)

    def _job(self, at: int, job: MeasureJob) -> None:
        """Run a job until its rate is steady, or its time or its bytes are spent."""
        allowance = job.most_written_bytes + (self.unspent_bytes if job.writes else 0)
        attempts: list[dict[str, Any]] = []
        found: Mapping[str, Any] = {}
        verdict: Verdict = "too_short"
        spent = 0
        while verdict != "steady" and len(attempts) < job.most_attempts:
            if job.writes and attempts and allowance < LEAST_OF_BEFORE * spent:
                break
            found, judged = self._attempt(at, job, len(attempts) + 1, allowance)
            written = _bytes(found, "write")
            mixed = _bytes(found, "read") if job.pattern == "mix" else 0
            spent = written + mixed
            allowance -= spent
            self.written_bytes += written
            verdict = "too_short" if judged is None else judged.verdict
            attempts.append(
                {
                    "windows_per_s": [] if judged is None else list(judged.rates),
                    "range_share": None if judged is None else judged.range_share,
                    "slope_share": None if judged is None else judged.slope_share,
                    "written_bytes": written,
                }
            )
        if job.writes:
            self.unspent_bytes = max(0, allowance)
        self.results.append(found)
        self.jobs[job.name] = {"verdict": verdict, "attempts": attempts}
        if not self._progress(at + 1, job.title, len(attempts), _ended(found, verdict)):
            raise MeasureCancelled

    def _attempt(
        self, at: int, job: MeasureJob, attempt: int, allowance: int
    ) -> tuple[Mapping[str, Any], Steadiness | None]:
        log = self.work / LOG_FILE
        log.unlink(missing_ok=True)
        result = self._run(
            self.plan.job_options(
                job,
                direct=self.direct,
                engine=self.program.engine,
                most_bytes=allowance,
            ),
            self.plan.attempt_s,
            lambda: self._progress(at, job.title, attempt),
            job.title,
        )
        return _only_job(result, job), _judged(log)

    def _run(
        self,
        options: tuple[str, ...],
        most_s: float,
        waiting: Callable[[], bool],
        title: str,
    ) -> Mapping[str, Any]:
        return run_fio(
            self.program,
            options,
            self.work,
            most_s=most_s,
            title=title,
            waiting=waiting,
        )

    def _progress(
        self, done: int, title: str, attempt: int, finished: str = ""
    ) -> bool:
        passed = time.monotonic() - self.began
        total = len(self.plan.jobs) + 1
        return self.on_progress(
            MeasureProgress(done, total, title, attempt, passed, finished)
        )


def measure(
    folder: Path,
    plan: MeasurePlan,
    program: FioProgram,
    *,
    by: str = "",
    allow_cached: bool = False,
    on_progress: OnProgress = lambda _progress: True,
) -> dict[str, Any]:
    """Execute a plan in a new folder, which is removed whatever happens.

    Parameters
    ----------
    folder : Path
        Existing folder on the device; a new one is made in it.
    plan : MeasurePlan
        From `make_plan`.
    program : FioProgram
        From `find_fio`.
    by : str
        Who measures, for the record.
    allow_cached : bool
        Measure through the page cache where direct I/O is refused; otherwise that is an error.
    on_progress : callable
        Called some ten times a second; False cancels.

    Returns
    -------
    dict
        A result of fio with a record, as `tierwright.hardware.fio.import_fio` reads it.

    Raises
    ------
    MeasureCancelled
        If `on_progress` returned False.
    BadInput
        If the folder does not suit, fio fails, or the disk is full.
    """
    place.check_folder(folder)
    place.check_space(folder, plan)
    system = place.file_system(folder)
    work = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=folder))
    try:
        direct = _direct(work, plan, system, allow_cached=allow_cached)
        done = _Measurement(work, plan, program, direct, on_progress)
        done.execute()
    finally:
        _remove(work)
    now = datetime.now(tz=UTC)
    return {
        "fio version": program.version,
        "timestamp": int(now.timestamp()),
        "time": now.isoformat(timespec="seconds"),
        "global options": {},
        "jobs": [
            {**found, "groupid": group} for group, found in enumerate(done.results)
        ],
        RECORD_KEY: {
            "version": RECORD_VERSION,
            "page_bytes": plan.page_bytes,
            "file_bytes": plan.file_bytes,
            "written_bytes": done.written_bytes,
            "filesystem": system.kind,
            "source": system.source,
            "kernel": place.kernel(),
            "fio_version": program.version,
            "date": now.date().isoformat(),
            "by": by,
            "direct": direct,
            "rule": RULE,
            "seconds": round(time.monotonic() - done.began, 1),
            "jobs": done.jobs,
            "plan": plan.to_dict(),
        },
    }


def _direct(
    work: Path, plan: MeasurePlan, system: place.FileSystem, *, allow_cached: bool
) -> bool:
    smallest = min(job.block_bytes for job in plan.jobs)
    direct = not system.in_memory and place.supports_direct(work, smallest)
    if direct or allow_cached:
        return direct
    reason = (
        f"{system.kind} keeps its files in RAM"
        if system.in_memory
        else f"the file system refuses direct I/O of {smallest} bytes"
    )
    raise BadInput(
        f"{work.parent}: {reason}: the page cache would be measured instead of the device",
        "name a folder on another file system; [[allow_cached]] measures the cache on purpose",
    )


def _ended(found: Mapping[str, Any], verdict: Verdict) -> str:
    """Say what a job measured, in a few words."""
    sides = (found.get(each) for each in ("read", "write"))
    rate = sum(
        float(side.get("iops", 0)) for side in sides if isinstance(side, Mapping)
    )
    return f"{format_count(rate)}/s, {VERDICT_WORDS[verdict]}"


def _judged(log: Path) -> Steadiness | None:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    rates = window_rates(parse_rate_log(text))
    return steadiness(rates) if any(rates) else None


def _only_job(result: Mapping[str, Any], job: MeasureJob) -> Mapping[str, Any]:
    jobs = result.get("jobs")
    if not isinstance(jobs, list) or len(jobs) != 1 or not isinstance(jobs[0], dict):
        raise BadInput(
            f"{job.title}: fio did not report one job", "use another version of fio"
        )
    return jobs[0]


def _bytes(found: Mapping[str, Any], direction: str) -> int:
    side = found.get(direction)
    count = side.get("io_bytes") if isinstance(side, Mapping) else None
    return count if isinstance(count, int) else 0


def _remove(work: Path) -> None:
    """Remove the folder that was made, and what is in it."""
    try:
        shutil.rmtree(work)
    except OSError as error:
        raise BadInput(
            f"{work}: the files of the measurement could not be removed: {error.strerror}",
            "remove the folder by hand",
        ) from error
