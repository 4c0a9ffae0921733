"""Tasks done by workers, whichever they are, and done again where a worker died."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted

_MOST_STARTS = 3
"""Times that workers are started again after one of them died."""
_LOOK_S = 0.5
"""How long a cancelled run may go on before it is noticed. [s]"""

StartWorkers = Callable[[], AbstractContextManager[Executor]]
"""Starts workers: processes, threads or machines behind `concurrent.futures.Executor`."""
_Done = TypeVar("_Done")


class WatchedExecutor(Executor):
    """Workers that come and go while tasks wait for them."""

    def look(self) -> None:
        """Look after the workers, about twice a second; what it raises ends the run."""
        raise NotImplementedError


class WorkersExhausted(BrokenExecutor):
    """Workers died over a task so often that those who started them gave it up."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """What tasks are called in messages.

    Attributes
    ----------
    one, several : str
        With their verb, such as "part is" and "parts are".
    hint : str
        What to do where workers die of them.
    """

    one: str
    several: str
    hint: str


def spread(
    start_workers: StartWorkers,
    work: Callable[[Any], _Done],
    tasks: Sequence[Any],
    report: Callable[[Mapping[int, _Done]], bool],
    named: Tasks,
) -> list[_Done]:
    """Do the work of every task, and what a dead worker left once more by new ones.

    Parameters
    ----------
    start_workers : callable
        Starts the workers; called again if one of them dies, at most three times.
    work : callable
        Of one task; workers import it by its name.
    tasks : sequence
        In the order of the results.
    report : callable
        Called about twice a second with what is done, by the place of its task; False cancels.
    named : Tasks
        What tasks are called in messages.

    Raises
    ------
    BadInput
        If workers died each time they were started.
    Cancelled
        If `report` asked to stop.
    """
    done: dict[int, _Done] = {}
    for _ in range(_MOST_STARTS):
        if len(done) == len(tasks):
            break
        try:
            with start_workers() as workers:
                _rest(workers, work, tasks, done, report)
        except WorkersExhausted:
            break
        except BrokenExecutor:
            continue
    if len(done) < len(tasks):
        raise BadInput(
            f"workers died {_MOST_STARTS} times, and "
            f"{counted(len(tasks) - len(done), named.one, named.several)} not counted yet",
            named.hint,
        )
    return [done[at] for at in range(len(tasks))]


def _rest(
    workers: Executor,
    work: Callable[[Any], _Done],
    tasks: Sequence[Any],
    done: dict[int, _Done],
    report: Callable[[Mapping[int, _Done]], bool],
) -> None:
    waiting: dict[Future[_Done], int] = {
        workers.submit(work, task): at
        for at, task in enumerate(tasks)
        if at not in done
    }
    try:
        while waiting:
            ended, _ = wait(waiting, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
            for future in ended:
                done[waiting.pop(future)] = _result(future)
            if isinstance(workers, WatchedExecutor):
                workers.look()
            _go_on(going_on=report(done))
    except BaseException:
        workers.shutdown(wait=False, cancel_futures=True)
        raise


def _result(future: Future[_Done]) -> _Done:
    try:
        return future.result()
    except CancelledError:
        # Nobody here cancelled it: those who had it are lost.
        raise BrokenExecutor from None


def _go_on(*, going_on: bool) -> None:
    if not going_on:
        raise _simulator.Cancelled("cancelled", "")
