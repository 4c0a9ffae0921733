"""Runs one job: claim, child process, progress, cancel, end."""

import asyncio
import contextlib
import json
import os
import threading
import time
from collections import deque
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypeVar

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright.common.wording import counted
from tierwright_server.common.disk_space import database_lacks_room, is_full
from tierwright_server.common.errors import NoSpace, ServerError
from tierwright_server.common.settings import Settings
from tierwright_server.jobs import attempts_elsewhere, queue, reach
from tierwright_server.jobs.events import RunEvents
from tierwright_server.jobs.kinds import Kinds
from tierwright_server.jobs.limits import (
    describe_exit,
    ran_out_of_memory,
    too_much_memory,
)
from tierwright_server.jobs.runs import repository
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.jobs.spare import SpareChild
from tierwright_server.storage import quota, shared_store
from tierwright_server.storage.tables import Run, now

log = structlog.get_logger(__name__)

_Done = TypeVar("_Done")
_WRITE_INTERVAL_S = 0.2
_RATE_WINDOW_S = 3.0
_STDERR_KEPT = 8000
_KILL_WAIT_S = 10.0


class Why(Enum):
    """Why a child was killed."""

    CANCELLED = auto()
    LOST = auto()
    STOPPING = auto()


class _Stopped(Exception):
    """Nobody waits for a copy any more."""


@dataclass
class _Progress:
    """The latest progress of a child, its recent rates, and results not yet stored."""

    latest: dict[str, Any] | None = None
    partials: deque[dict[str, Any]] = field(default_factory=deque)
    _points: deque[tuple[float, int, int | None, int | None]] = field(
        default_factory=deque
    )
    _phase: str | None = None

    def take(self, progress: dict[str, Any]) -> None:
        present = time.monotonic()
        if progress["phase"] != self._phase:
            self._points.clear()
            self._phase = progress["phase"]
        self._points.append(
            (present, progress["done"], progress["accesses"], progress["requests"])
        )
        while present - self._points[0][0] > _RATE_WINDOW_S and len(self._points) > 2:  # noqa: PLR2004
            self._points.popleft()
        first_time, first_done, first_accesses, first_requests = self._points[0]
        elapsed = present - first_time
        self.latest = {
            **progress,
            "rate_per_s": _rate(first_done, progress["done"], elapsed),
            "accesses_per_s": _rate(first_accesses, progress["accesses"], elapsed),
            "requests_per_s": _rate(first_requests, progress["requests"], elapsed),
        }


def _rate(first: int | None, last: int | None, elapsed_s: float) -> float | None:
    if first is None or last is None or elapsed_s <= 0:
        return None
    return (last - first) / elapsed_s


@dataclass(frozen=True)
class Ended:
    """How a child ended: its last words, or its exit code and stderr."""

    result: dict[str, Any] | None
    error: dict[str, Any] | None
    progress: dict[str, Any] | None
    exit_code: int
    stderr: str


class Executor:
    """Carries out runs for one worker.

    Parameters
    ----------
    settings, sessions, events
        Of the worker's process.
    kinds : Kinds
        What each kind of job is.
    worker_id : int
        The worker's row, part of the fencing token of its runs.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: async_sessionmaker[AsyncSession],
        events: RunEvents,
        kinds: Kinds,
        worker_id: int,
    ) -> None:
        self._settings = settings
        self._kinds = kinds
        self._sessions = sessions
        self._events = events
        self._worker_id = worker_id
        self.stopping = asyncio.Event()
        self._spare = SpareChild()

    async def prepare(self) -> None:
        """Keep a process ready for the first run, until cancelled."""
        try:
            self._spare.prepare()
            await asyncio.Event().wait()
        finally:
            await self._spare.close()

    async def execute(self, run_id: str) -> None:
        """Carry out a run, if it is still to be had."""
        if self.stopping.is_set():
            return
        async with self._sessions() as session:
            run = await repository.claim(session, run_id, self._worker_id)
            await session.commit()
        if run is None:
            log.info("nothing to do", run=run_id)
            return
        log.info("run started", run=run.id, kind=run.kind, attempt=run.attempts)
        try:
            await self._carry_out(run)
        except Exception as error:
            # Nobody else would: this worker is alive, so that its runs are not put back.
            log.exception("run interrupted", run=run.id)
            await self._settle(run, error)

    async def _carry_out(self, run: Run) -> None:
        with shared_store.holding():
            await self._carry_out_holding(run)

    async def _carry_out_holding(self, run: Run) -> None:
        progress = _Progress()
        document = await self._prepare(run, progress)
        if document is None:
            return
        ended = await self._run_child(run, document, progress)
        # What the child handed over before it ended, however it did.
        await self._keep(run, progress)
        if isinstance(ended, Why):
            await self._stopped(run, ended)
        elif ended.result is not None:
            made = self._kinds[RunKind(run.kind)].made(
                self._settings, document, ended.result
            )
            if await self._publish(run, made, progress):
                await self._succeed(run, ended.result, ended.progress)
        elif ended.error is not None:
            if ended.error.get("defect"):
                log.error("defect in a job", run=run.id, stderr=ended.stderr)
            hint = ended.error["hint"]
            if ended.error.get("no_room"):
                hint = await self._with_largest(hint)
            await self._fail(run, ended.error["message"], hint)
        else:
            await self._crashed(run, ended)

    async def _prepare(self, run: Run, progress: _Progress) -> dict[str, Any] | None:
        """Make the input of the child; None where that ended the run, or it was cancelled meanwhile."""
        kind = self._kinds[RunKind(run.kind)]

        async def prepared() -> dict[str, Any]:
            async with self._sessions() as session:
                document = await kind.prepare(session, self._settings, run)
            if kind.resumes:
                await asyncio.to_thread(
                    attempts_elsewhere.bring, self._settings, run.id
                )
            return document

        try:
            document = await self._besides(
                run, prepared(), progress, "copying from the store"
            )
        except ServerError as error:
            hint = error.hint
            if isinstance(error, NoSpace):
                hint = await self._with_largest(hint)
            await self._fail(run, error.detail, hint)
            return None
        if isinstance(document, Why):
            await self._stopped(run, document)
            return None
        return document

    async def _besides(
        self,
        run: Run,
        work: Coroutine[Any, Any, _Done],
        progress: _Progress,
        phase: str,
    ) -> _Done | Why:
        """Do work of ours for a run, which shows what it copies and can be cancelled meanwhile."""
        stop = threading.Event()

        def on_copy(done: int, total: int) -> None:
            if stop.is_set():
                raise _Stopped
            progress.take(
                {
                    "phase": phase,
                    "done": done,
                    "total": total,
                    "unit": "bytes",
                    "accesses": None,
                    "requests": None,
                }
            )

        with shared_store.telling(on_copy):
            task = asyncio.create_task(work)
        try:
            # Mostly there is nothing to copy.
            done, _ = await asyncio.wait([task], timeout=_WRITE_INTERVAL_S)
            why = None if done else await self._watch(run, progress, task)
            return await task if why is None else why
        finally:
            stop.set()
            if not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=_KILL_WAIT_S)

    async def _publish(
        self, run: Run, made: Sequence[Path], progress: _Progress
    ) -> bool:
        """Copy what a job has made to the store, if there is one; False where that ended the run."""
        if self._settings.store is None or not made:
            return True
        phase = "copying to the store"
        self._say(progress, phase, sum(path.stat().st_size for path in made))

        async def published() -> None:
            await asyncio.to_thread(shared_store.publish, self._settings, made)

        try:
            why = await self._besides(run, published(), progress, phase)
        except ServerError as error:
            await self._fail(run, error.detail, error.hint)
            return False
        if why is not None:
            await self._stopped(run, why)
            return False
        return True

    @staticmethod
    def _say(progress: _Progress, phase: str, total_bytes: int) -> None:
        progress.take(
            {
                "phase": phase,
                "done": 0,
                "total": total_bytes,
                "unit": "bytes",
                "accesses": None,
                "requests": None,
            }
        )

    async def _keep_elsewhere(self, run: Run, ended: asyncio.Event) -> None:
        """Copy the checkpoints of an unfinished conversion to the store now and then, until it has ended."""
        interval_s = self._settings.store_checkpoint_interval_s
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), interval_s)
            if ended.is_set():
                return
            try:
                await asyncio.to_thread(
                    attempts_elsewhere.keep, self._settings, run.id, ended.is_set
                )
            except (ServerError, OSError) as error:
                log.warning("a checkpoint was not stored", run=run.id, why=str(error))

    async def _run_child(
        self, run: Run, document: dict[str, Any], progress: _Progress
    ) -> Ended | Why:
        process = await self._spare.take()
        reader = asyncio.create_task(self._read(process, run, document, progress))
        ended, keeper = asyncio.Event(), None
        if self._kinds[RunKind(run.kind)].resumes and self._settings.store is not None:
            keeper = asyncio.create_task(self._keep_elsewhere(run, ended))
        try:
            why = await self._watch(run, progress, reader)
            if why is not None:
                return why
            return await reader
        finally:
            ended.set()
            # Also on cancellation of this very task: never leave a child behind.
            await _kill(process, reader)
            if keeper is not None:
                # What it still writes would outlive the run in the store.
                await asyncio.wait([keeper], timeout=_KILL_WAIT_S)
            # Not before: its imports would compete with the job.
            if not self.stopping.is_set():
                self._spare.prepare()

    async def _read(
        self,
        process: asyncio.subprocess.Process,
        run: Run,
        document: dict[str, Any],
        progress: _Progress,
    ) -> Ended:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("the child has no pipes")
        spec = {
            "kind": run.kind,
            "input": document,
            "worker_pid": os.getpid(),
            "memory_bytes": self._settings.job_address_space_bytes,
            **reach.of_jobs(self._settings),
        }
        stderr = asyncio.create_task(_tail(process.stderr))
        # A child that died at once is told by its exit code below.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(json.dumps(spec).encode() + b"\n")
            await process.stdin.drain()
        last: dict[str, Any] = {}
        async for line in process.stdout:
            if not line.endswith(b"\n"):
                break  # killed in the middle of a line: its exit code tells
            message = json.loads(line)
            if "progress" in message:
                progress.take(message["progress"])
            elif "partial" in message:
                progress.partials.append(message["partial"])
            else:
                last = message
        exit_code = await process.wait()
        return Ended(
            last.get("result"),
            last.get("error"),
            progress.latest,
            exit_code,
            await stderr,
        )

    async def _watch(
        self, run: Run, progress: _Progress, reader: asyncio.Task[Any]
    ) -> Why | None:
        """Write progress until the child has ended or must be killed."""
        stopping = asyncio.create_task(self.stopping.wait())
        next_look = 0.0
        try:
            async with self._events.subscribe(run.id) as changed:
                while not reader.done():
                    if self.stopping.is_set():
                        return Why.STOPPING
                    latest, progress.latest = progress.latest, None
                    await self._keep(run, progress)
                    if (
                        latest is not None
                        or changed.is_set()
                        or time.monotonic() > next_look
                    ):
                        # Our own notices come back as well; they cost one look.
                        changed.clear()
                        next_look = time.monotonic() + self._settings.poll_interval_s
                        cancel = await self._look(run, latest)
                        if cancel is None:
                            return Why.LOST
                        if cancel:
                            return Why.CANCELLED
                    await asyncio.wait(
                        [reader, stopping],
                        timeout=_WRITE_INTERVAL_S,
                        return_when=asyncio.FIRST_COMPLETED,
                    )
        finally:
            stopping.cancel()
        return None

    async def _look(self, run: Run, latest: dict[str, Any] | None) -> bool | None:
        async with self._sessions() as session:
            if latest is None:
                return await repository.is_cancel_requested(session, run)
            cancel = await repository.write_progress(session, run, latest)
            await session.commit()
            return cancel

    async def _keep(self, run: Run, progress: _Progress) -> None:
        """Store the partial results that have come, unless the run is no longer ours."""
        keep = self._kinds[RunKind(run.kind)].keep
        if keep is None or not progress.partials:
            return
        async with self._sessions() as session:
            if await repository.lock_ours(session, run) is None:
                return
            kept = list(progress.partials)
            for partial in kept:
                await keep(session, run, partial)
            await repository.notify(session, run.id)
            await session.commit()
        for _ in kept:
            progress.partials.popleft()

    async def _succeed(
        self, run: Run, result: dict[str, Any], progress: dict[str, Any] | None
    ) -> None:
        kind = self._kinds[RunKind(run.kind)]
        async with self._sessions() as session:
            ours = await repository.lock_ours(session, run)
            if ours is None:
                log.warning("run was claimed by another worker", run=run.id)
                return
            try:
                message = await kind.finish(session, self._settings, ours, result)
            except ServerError as error:
                await session.rollback()
                await self._fail(run, error.detail, error.hint)
                return
            # The child may have ended before its last progress was written.
            for name, value in (progress or {}).items():
                setattr(ours, name, value)
            _end(ours, RunStatus.SUCCEEDED, message=message)
            await repository.notify(session, run.id)
            await session.commit()
        kind.cleanup(self._settings, run.id)
        await self._forget(run)
        log.info("run succeeded", run=run.id)

    async def _fail(self, run: Run, error: str, hint: str | None) -> None:
        async with self._sessions() as session:
            ours = await repository.lock_ours(session, run)
            if ours is None:
                log.warning("run was claimed by another worker", run=run.id)
                return
            _end(ours, RunStatus.FAILED, error=error, hint=hint)
            await repository.notify(session, run.id)
            await session.commit()
        self._kinds[RunKind(run.kind)].cleanup(self._settings, run.id)
        await self._forget(run)
        log.info("run failed", run=run.id, error=error)

    async def _forget(self, run: Run) -> None:
        """Remove what a run that has ended left in the store for other hosts."""
        if self._settings.store is not None and self._kinds[RunKind(run.kind)].resumes:
            folder = self._settings.work_dir / run.id
            await asyncio.to_thread(shared_store.forget, self._settings, folder)

    async def _with_largest(self, hint: str | None) -> str | None:
        return await quota.with_largest(self._sessions, self._settings, hint)

    async def _settle(self, run: Run, error: Exception) -> None:
        """Put a run back that something around its job interrupted, however long that lasts."""
        no_room = is_full(error) or database_lacks_room(error, self._settings.data_dir)
        while not self.stopping.is_set():
            try:
                if no_room:
                    hint = await self._with_largest(
                        "Free some space on the disk, then start it again"
                    )
                    await self._fail(
                        run, "the disk is full: its result could not be kept", hint
                    )
                else:
                    await self._give_back(
                        run, f"{type(error).__name__} was raised around its job"
                    )
            except (DBAPIError, PoolTimeout, OSError) as further:
                log.warning("run waits", run=run.id, error=repr(further))
            else:
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self.stopping.wait(), self._settings.poll_interval_s
                )

    async def _stopped(self, run: Run, why: Why) -> None:
        async with self._sessions() as session:
            ours = await repository.lock_ours(session, run)
            if ours is None:
                log.warning("run was claimed by another worker", run=run.id)
                return
            if why is Why.CANCELLED or ours.cancel_requested:
                _end(ours, RunStatus.CANCELLED, message="cancelled")
            else:
                # Not the job's fault: this attempt does not count.
                ours.attempts -= 1
                _requeue(ours, "waiting for a worker: the last one was stopped")
            await repository.notify(session, run.id)
            await session.commit()
        self._kinds[RunKind(run.kind)].cleanup_after(self._settings, ours)
        if ours.status != RunStatus.QUEUED.value:
            await self._forget(run)
        log.info("run stopped", run=run.id, why=why.name)

    async def _crashed(self, run: Run, ended: Ended) -> None:
        how = describe_exit(ended.exit_code)
        log.error("job crashed", run=run.id, how=how, stderr=ended.stderr)
        if ran_out_of_memory(ended.exit_code, ended.stderr):
            # Another attempt would end at the same limit.
            cap = self._settings.job_address_space_bytes / 2**30
            await self._fail(run, *too_much_memory(cap))
            return
        await self._give_back(run, f"its process {how}")

    async def _give_back(self, run: Run, what: str) -> None:
        async with self._sessions() as session:
            ours = await repository.lock_ours(session, run)
            if ours is None:
                log.warning("run was claimed by another worker", run=run.id)
                return
            await give_back(session, self._settings, ours, what)
            await session.commit()
        self._kinds[RunKind(run.kind)].cleanup_after(self._settings, ours)
        if ours.status != RunStatus.QUEUED.value:
            await self._forget(run)


async def give_back(
    session: AsyncSession, settings: Settings, run: Run, what: str
) -> None:
    """Queue a locked run again after a crash, or fail it after too many."""
    if run.cancel_requested:
        _end(run, RunStatus.CANCELLED, message="cancelled")
    elif run.attempts >= settings.max_attempts:
        _end(
            run,
            RunStatus.FAILED,
            error=f"failed after {counted(run.attempts, 'attempt')}; in the last one, {what}",
            hint="check the server's log; if the job was too large for this machine, "
            "use a machine with more memory",
        )
    else:
        _requeue(run, f"attempt {run.attempts} ended early ({what}); trying again")
        await session.flush()
        await queue.enqueue(session, run.id)
    await repository.notify(session, run.id)


def _end(
    run: Run,
    status: RunStatus,
    *,
    message: str | None = None,
    error: str | None = None,
    hint: str | None = None,
) -> None:
    run.status = status.value
    run.message, run.error, run.hint = message, error, hint
    run.rate_per_s = run.accesses_per_s = run.requests_per_s = None
    run.finished_at = run.updated_at = now()


def _requeue(run: Run, message: str) -> None:
    run.status = RunStatus.QUEUED.value
    run.worker_id = None
    run.message = message
    run.phase, run.done, run.total, run.rate_per_s = None, 0, None, None
    run.accesses = run.accesses_per_s = None
    run.requests = run.requests_per_s = None
    run.updated_at = now()


async def _tail(stream: asyncio.StreamReader) -> str:
    kept = b""
    while part := await stream.read(4096):
        kept = (kept + part)[-_STDERR_KEPT:]
    return kept.decode(errors="replace")


async def _kill(
    process: asyncio.subprocess.Process, reader: asyncio.Task[Ended]
) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    done, _ = await asyncio.wait([reader], timeout=_KILL_WAIT_S)
    if not done:
        reader.cancel()
    if process.stdin is not None:
        process.stdin.close()
