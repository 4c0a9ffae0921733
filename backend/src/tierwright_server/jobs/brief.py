"""A short piece of work in a process of its own, which is ended when nobody waits for it."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tierwright_server.jobs.limits import CHILD_ENVIRONMENT

_SECRET = ("TIERWRIGHT_", "AWS_", "PG")


@dataclass(frozen=True)
class Said:
    """What a child printed, and how it ended."""

    stdout: bytes
    stderr: str
    exit_code: int


async def ask_child(
    module: str, spec: Mapping[str, Any], more: Mapping[str, str] | None = None
) -> Said:
    """Run a module that reads one line of JSON and prints one document.

    The child is killed when this is cancelled: when the time is over, or the client has disconnected.

    Parameters
    ----------
    module : str
        Run as ``python -m``; it calls `die_with_parent`.
    spec : mapping
        Sent to it, with our `parent_pid`.
    more : mapping, optional
        Added to its environment, which has none of the server's secrets.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # The folder that the server was started in is none of the installation's.
        "-P",
        "-m",
        module,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment() | dict(more or {}),
    )
    try:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("the child has no pipes")
        line = json.dumps({"parent_pid": os.getpid(), **spec}).encode() + b"\n"
        # One that died at once is told by its exit code below.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(line)
            await process.stdin.drain()
        # Not `communicate`: it would close stdin, and the child takes that for our end.
        stdout, stderr = await asyncio.gather(
            process.stdout.read(), process.stderr.read()
        )
        exit_code = await process.wait()
    finally:
        # Also when the time is over, or the client has gone.
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(process.wait())
        if process.stdin is not None:
            process.stdin.close()
    return Said(stdout, stderr.decode(errors="replace"), exit_code)


def environment() -> dict[str, str]:
    """Return what a child needs to start, without what gives access to anything."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_SECRET)
    }
    return kept | CHILD_ENVIRONMENT
