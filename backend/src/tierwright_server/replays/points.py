"""Replays of page-flow schemes, kept by content, scheme, sizes and start: no device is in them."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Request

from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.simulate import replay as simulate_replay
from tierwright.trace.reading import Trace
from tierwright_server.common.errors import Conflict
from tierwright_server.common.result_ids import result_id

T = TypeVar("T")

ACCESSES_PER_S = 1e7
"""Accesses of one scheme that a core replays in a second, as a careful guess: recorded traces
took 2.5e7."""
AT_ONCE = 2
"""Replays that the server makes itself at a time; more wait."""
_THREADS = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="replay")
_LOOK_S = 0.1


def key_of(scheme: str, point: ReplayPoint, core_version: str) -> str:
    """Name a replay by everything but the content that its counters depend on.

    The same name as that of a sweep's replay, so that either finds what the other made.
    """
    subject = {
        "family": "scheme",
        "name": scheme,
        "options": {},
        "ram_pages": point.ram_pages,
        "flash_pages": point.flash_pages,
        "core_version": core_version,
    }
    if point.warm_up:
        subject["warm_up"] = point.warm_up
    return result_id(subject)


def expected_s(accesses: int, replays: int) -> float:
    """Seconds that so many replays of a trace are expected to take. [s]"""
    return accesses * replays / ACCESSES_PER_S


async def make(
    request: Request, trace: Path, points: Mapping[str, ReplayPoint]
) -> dict[str, dict[str, Any]]:
    """Replay each scheme at one pair of sizes, as `make_each`; results by scheme."""
    made = await make_each(request, trace, list(points.items()))
    return {scheme: row for (scheme, _), row in made.items()}


async def make_each(
    request: Request, trace: Path, wanted: Sequence[tuple[str, ReplayPoint]]
) -> dict[tuple[str, ReplayPoint], dict[str, Any]]:
    """Replay schemes here, in a thread; a client that goes away stops it.

    Parameters
    ----------
    request : Request
        Whose answer waits for it.
    trace : Path
        Canonical trace.
    wanted : sequence
        Scheme, sizes and warm-up of each replay; the warm-up is that of the first.

    Raises
    ------
    Conflict
        If the client has disconnected: a later question superseded this one.
    """
    return await unless_gone(request, partial(_replay, trace, list(wanted)))


async def unless_gone(
    request: Request, replay: Callable[[threading.Event], T | None]
) -> T:
    """Replay in one of the `AT_ONCE` threads; a client that goes away stops it.

    Parameters
    ----------
    request : Request
        Whose answer waits for it.
    replay : callable
        Ends soon, with None, once the event is set.

    Raises
    ------
    Conflict
        If the client has disconnected: a later question superseded this one.
    """
    stop = threading.Event()
    work = asyncio.get_running_loop().run_in_executor(_THREADS, replay, stop)
    try:
        while not (await asyncio.wait({work}, timeout=_LOOK_S))[0]:
            if await request.is_disconnected():
                stop.set()
    finally:
        stop.set()
    found = work.result()
    if found is None:
        raise Conflict("the replay was stopped: its client disconnected")
    return found


def _replay(
    trace: Path, wanted: Sequence[tuple[str, ReplayPoint]], stop: threading.Event
) -> dict[tuple[str, ReplayPoint], dict[str, Any]] | None:
    """Replay schemes in one read of the trace; None where it was stopped."""
    if stop.is_set():
        return None
    made = simulate_replay.sweep(
        Trace(trace),
        [point.configuration(scheme) for scheme, point in wanted],
        warm_up=wanted[0][1].warm_up,
        on_progress=lambda *_: not stop.is_set(),
    )
    if made["cancelled"]:
        return None
    return {
        each: counters_of(row) for each, row in zip(wanted, made["rows"], strict=True)
    }


def counters_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the counters of a replay: its whole numbers, and what was replayed."""
    return {name: row[name] for name in row if isinstance(row[name], int | str)}
