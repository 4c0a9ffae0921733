"""Asks a process of its own for the head of a trace, and outlives whatever it does."""

import asyncio
import json
from typing import Any

import structlog

from tierwright.common.errors import Defect
from tierwright_server.common.errors import ServerError, TimedOut, Unprocessable
from tierwright_server.common.settings import Settings
from tierwright_server.jobs import reach
from tierwright_server.jobs.brief import ask_child
from tierwright_server.jobs.limits import describe_exit, ran_out_of_memory

log = structlog.get_logger(__name__)

_AT_ONCE = 2
_slots = asyncio.Semaphore(_AT_ONCE)
_STDERR_KEPT = 2000


class Stopped(Unprocessable):
    """The process that read the head of a file was ended."""

    name = "preview-stopped"
    title = "The preview was stopped"


async def read_head(
    settings: Settings, trace: dict[str, Any], shown_as: str
) -> dict[str, Any]:
    """Read the head of a trace in a child process.

    Parameters
    ----------
    settings : Settings
        `preview_timeout_s`, `preview_memory_bytes`.
    trace : dict
        Argument group of the core.
    shown_as : str
        Name of the file for messages.

    Returns
    -------
    dict
        As `preview_child.read_head`.

    Raises
    ------
    TimedOut
        The head was not read in time.
    Stopped
        It needed too much memory, or ended the process otherwise.
    """
    limit_s = settings.preview_timeout_s
    try:
        async with asyncio.timeout(limit_s):
            async with _slots:
                return await _ask(settings, trace, shown_as)
    except TimeoutError:
        raise TimedOut(
            f"{shown_as}: the beginning of the file could not be read within {limit_s:g} s",
            hint="Name the format, so that it does not have to be detected.",
        ) from None


async def _ask(
    settings: Settings, trace: dict[str, Any], shown_as: str
) -> dict[str, Any]:
    said = await ask_child(
        "tierwright_server.traces.uploads.preview_child",
        {
            "memory_bytes": settings.preview_memory_bytes,
            "trace": trace,
            **reach.of_previews(settings),
        },
    )
    if said.exit_code != 0:
        raise _stopped(settings, shown_as, said.exit_code, said.stderr)
    answer: dict[str, Any] = json.loads(said.stdout)
    if "out_of_memory" in answer:
        raise _too_much_memory(settings, shown_as)
    if "defect" in answer:
        raise Defect(answer["defect"], said.stderr)
    return answer


def _stopped(
    settings: Settings, shown_as: str, exit_code: int, stderr: str
) -> ServerError:
    how = describe_exit(exit_code)
    log.warning("a preview ended early", how=how, stderr=stderr[-_STDERR_KEPT:])
    if ran_out_of_memory(exit_code, stderr):
        return _too_much_memory(settings, shown_as)
    return Stopped(
        f"{shown_as}: the process that read the beginning of the file {how}",
        hint="Check the file: it may be corrupt or malicious. If you trust it, report "
        "this with the server's log.",
    )


def _too_much_memory(settings: Settings, shown_as: str) -> Stopped:
    cap = settings.preview_memory_bytes / 2**20
    return Stopped(
        f"{shown_as}: reading the beginning of the file needs more than the {cap:,.0f} MiB "
        "that a preview may use",
        hint="Check the file: it may be corrupt or malicious. If you trust it, raise "
        "TIERWRIGHT_PREVIEW_MEMORY_BYTES, or unpack it first.",
    )
