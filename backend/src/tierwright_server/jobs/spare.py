"""A process that has imported what a job needs and waits for the next one.

A short job would otherwise mostly consist of the start of its process.
"""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process

import structlog

from tierwright_server.jobs.limits import CHILD_ENVIRONMENT

log = structlog.get_logger(__name__)

# A line holds a partial result, such as a curve.
_LINE_LIMIT = 64 * 2**20


class SpareChild:
    """Hands out job processes, and keeps one ready while there is nothing to do."""

    def __init__(self) -> None:
        self._ready: Process | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._closed = False

    def prepare(self) -> None:
        """Start a process that waits, unless one does; returns at once."""
        if self._closed or self._waits() or self._preparing is not None:
            return
        self._preparing = asyncio.create_task(self._prepare(), name="spare child")

    async def take(self) -> Process:
        """Return a process that reads its job from stdin: the one that waits, or a new one."""
        await self._prepared()
        process, self._ready = self._ready, None
        # One that has ended, whoever ended it, is no job's fault.
        if process is not None and process.returncode is None:
            return process
        return await _start()

    async def close(self) -> None:
        """End the process that waits."""
        self._closed = True
        await self._prepared()
        process, self._ready = self._ready, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _waits(self) -> bool:
        return self._ready is not None and self._ready.returncode is None

    async def _prepared(self) -> None:
        if self._preparing is not None:
            # A run that is cancelled meanwhile leaves the process to the next one.
            await asyncio.shield(self._preparing)

    async def _prepare(self) -> None:
        try:
            self._ready = await _start("--wait")
        except OSError as error:
            # Without it the next job starts a process of its own, and says what is wrong.
            log.warning("no spare process", error=str(error))
        finally:
            self._preparing = None


async def _start(*arguments: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        # The folder that the server was started in is none of the installation's.
        "-P",
        "-m",
        "tierwright_server.job_child",
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        limit=_LINE_LIMIT,
        env=os.environ | CHILD_ENVIRONMENT,
    )
