"""Sweeps and miniatures whose configurations are replayed by several workers: the rows of one process."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tierwright import _simulator
from tierwright.profile.workers import Tasks, spread
from tierwright.simulate.executors import Workers
from tierwright.trace.objects import on_this_machine
from tierwright.trace.reading import OnProgress, Trace

_GROUPS_A_SLOT = 4
"""Groups of configurations for each task at a time: few reads of the trace, and little to do again."""
_CONFIGURATIONS = Tasks(
    "group of configurations is",
    "groups of configurations are",
    "use fewer workers, or smaller caches: a replay takes memory for each page of its caches",
)
_PLACE = re.compile(r"\(configuration (\d+)\)")
"""How the core names the configuration that it refuses, by its place among those it was given."""


@dataclass(frozen=True, slots=True)
class Group:
    """Configurations of a trace for one worker.

    Attributes
    ----------
    trace : Trace
        What is replayed; objects of a store that are not on the machine of the worker are copied there.
    arguments : mapping
        Of the core, but the number of threads.
    configurations : list of dict
        As of `tierwright.simulate.replay.sweep`.
    places : range
        Of each among those of all groups, from 0.
    """

    trace: Trace
    arguments: Mapping[str, Any]
    configurations: list[dict[str, Any]]
    places: range

    def done(self, work: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        """Have the core do it; what it refuses is named by its place among all."""
        try:
            with on_this_machine(self.trace) as here:
                return work(
                    str(here.path),
                    self.configurations,
                    threads=1,
                    **self.arguments,
                    **here.arguments(),
                )
        except _simulator.ParameterError as error:
            message, hint = error.args
            message = _PLACE.sub(
                lambda at: f"(configuration {self.places[int(at[1]) - 1] + 1})",
                message,
            )
            raise _simulator.ParameterError(message, hint) from None


def sweep(
    workers: Workers,
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    arguments: Mapping[str, Any],
    on_progress: OnProgress | None,
) -> dict[str, Any]:
    """Replay configurations over the workers; see `tierwright.simulate.replay.sweep`.

    Parameters
    ----------
    workers : Workers
        Who replays.
    arguments : mapping
        Of the core, but the number of threads.
    on_progress : callable, optional
        Called with configurations done, configurations in all, accesses replayed; False cancels and keeps the rows
        up to the first that is not done.
    """
    return _spread(workers, _swept, trace, configurations, arguments, on_progress)


def miniatures(
    workers: Workers,
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    arguments: Mapping[str, Any],
    on_progress: OnProgress | None,
) -> dict[str, Any]:
    """Estimate configurations over the workers, as `sweep`; see `tierwright.simulate.replay.miniatures`."""
    return _spread(workers, _estimated, trace, configurations, arguments, on_progress)


@dataclass(frozen=True, slots=True)
class Single:
    """A replay by itself: what no sweep that shares a read of the trace can do.

    Attributes
    ----------
    trace : Trace
        What is replayed; an object of a store that is not on the machine of the worker is copied there.
    replay : callable
        `tierwright.simulate.replay.replay`; workers import it by its name.
    arguments : mapping
        Of it, but the trace.
    """

    trace: Trace
    replay: Callable[..., dict[str, Any]]
    arguments: Mapping[str, Any]


def singles(
    workers: Workers, tasks: Sequence[Single], on_progress: OnProgress | None
) -> list[dict[str, Any]]:
    """Replay each by itself, over the workers; `error` and `hint` where a replay is impossible.

    Parameters
    ----------
    workers : Workers
        Who replays.
    tasks : sequence of Single
        In the order of the rows.
    on_progress : callable, optional
        Called with replays done, replays in all, 0; False cancels.

    Raises
    ------
    Cancelled
        If progress asked to stop.
    """

    def report(done: Mapping[int, dict[str, Any]]) -> bool:
        return on_progress is None or on_progress(len(done), len(tasks), 0)

    return spread(workers.start, _single, tasks, report, _CONFIGURATIONS)


def _single(task: Single) -> dict[str, Any]:
    try:
        with on_this_machine(task.trace) as here:
            return task.replay(here, **task.arguments)
    except _simulator.SimulatorError as error:
        # The others go on; trying this one again would end the same way.
        message, *rest = error.args
        return {"error": str(message), "hint": str(rest[0]) if rest else ""}


def _swept(group: Group) -> dict[str, Any]:
    return group.done(_simulator.sweep)


def _estimated(group: Group) -> dict[str, Any]:
    return group.done(_simulator.miniatures)


def _spread(
    workers: Workers,
    work: Callable[[Group], dict[str, Any]],
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    arguments: Mapping[str, Any],
    on_progress: OnProgress | None,
) -> dict[str, Any]:
    each = [dict(configuration) for configuration in configurations]
    groups = _groups(len(each), workers.slots * _GROUPS_A_SLOT)
    tasks = [
        Group(trace, arguments, [each[at] for at in group], group) for group in groups
    ]
    so_far: dict[int, dict[str, Any]] = {}

    def report(done: Mapping[int, dict[str, Any]]) -> bool:
        so_far.update(done)
        if on_progress is None:
            return True
        replayed = sum(len(found["rows"]) for found in done.values())
        accesses = sum(
            int(row.get("accesses", 0))
            for found in done.values()
            for row in found["rows"]
        )
        return on_progress(replayed, len(each), accesses)

    try:
        spread(workers.start, work, tasks, report, _CONFIGURATIONS)
    except _simulator.Cancelled:
        if not so_far:
            raise
    rows: dict[int, dict[str, Any]] = {}
    for at, found in so_far.items():
        rows.update(zip(groups[at], found["rows"], strict=True))
    first = next(iter(so_far.values()))
    whole = list[dict[str, Any]]()
    for at in range(len(each)):
        if at not in rows:
            break
        whole.append(rows[at])
    joined = {**first, "rows": whole, "cancelled": len(whole) < len(each)}
    if "reads" in first:
        joined["reads"] = sum(found["reads"] for found in so_far.values())
    return joined


def _groups(count: int, most: int) -> list[range]:
    """Deal configurations out: neighbours, which are alike, go to different groups."""
    groups = min(count, most)
    return [range(at, count, groups) for at in range(groups)]
