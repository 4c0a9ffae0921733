"""What runs on the hosts of `test_hosts.py`: counting that takes a while, the command, a door to the database."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tierwright.profile import parts

counted = parts._count  # the work itself
MARKS, PAUSE = "TW_MARKS", "TW_PAUSE_S"


def slowly(task: Any) -> int:
    """Count a part as its workers do, leave a mark of who began it, and take a while."""
    part, _ = task
    (Path(os.environ[MARKS]) / f"{part.trace.path.stem}-{os.getpid()}").touch()
    time.sleep(float(os.environ[PAUSE]))
    return counted(task)


def command(arguments: list[str]) -> int:
    """Run `tierwright` with parts that are counted slowly."""
    from tierwright.cli import main

    parts._count = slowly
    return main(arguments)


def worker(scheduler: str, host: str) -> None:
    """Be a worker of a Dask cluster, as `dask worker` starts one: with a nanny, which starts it again."""
    from distributed import Nanny

    async def work() -> None:
        async with Nanny(scheduler, host=host, nthreads=1, memory_limit=None) as one:
            await one.finished()

    asyncio.run(work())


def scheduler(host: str, port: int) -> None:
    """Be the scheduler of a Dask cluster, until killed."""
    from distributed import Scheduler

    async def schedule() -> None:
        async with Scheduler(host=host, port=port, dashboard=False) as one:
            await one.finished()

    asyncio.run(schedule())


def door(host: str, port: int, socket: str) -> None:
    """Pass connections on to a Unix socket, until killed."""

    async def passed(reader: asyncio.StreamReader, writer: Any) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to = await asyncio.open_unix_connection(socket)
        await asyncio.gather(passed(reader, to), passed(there, writer))

    async def serve() -> None:
        async with await asyncio.start_server(come, host, port) as server:
            await server.serve_forever()

    asyncio.run(serve())


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    # Workers import this module by its name.
    import hosts_work

    if what == "command":
        sys.exit(hosts_work.command(rest))
    elif what == "worker":
        hosts_work.worker(*rest)
    elif what == "scheduler":
        hosts_work.scheduler(rest[0], int(rest[1]))
    else:
        hosts_work.door(rest[0], int(rest[1]), rest[2])
