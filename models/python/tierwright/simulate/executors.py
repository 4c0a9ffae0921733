"""Who does the work of a command: this process, its threads, processes of this machine, or a Dask cluster.

One interface, `StartWorkers`: it starts an executor of `concurrent.futures`. Whichever it is, results are the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.trace.sources.address import without_password

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tierwright.profile.workers import StartWorkers

DASK_VARIABLE = "TIERWRIGHT_DASK"
LOCAL = "local:"
_MOST_LOCAL = 1024
Say = Callable[[str], None]
"""Tells the user what happens meanwhile."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Workers that are there for the whole of a command.

    Attributes
    ----------
    start : StartWorkers
        Starts the executor.
    slots : int
        Tasks at a time, as they are now, at least one.
    remote : bool
        Whether they may be on other machines, which see files by their full names alone.
    """

    start: StartWorkers
    slots: int
    remote: bool = False


_spread: ContextVar[Workers | None] = ContextVar("workers of replays", default=None)


def threads(workers: int | None = None) -> Workers:
    """Return threads of this process, so many or one per core."""

    def start(count: int) -> AbstractContextManager[Executor]:
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(count)

    return _of_this_machine(workers, start)


def processes(workers: int | None = None) -> Workers:
    """Return worker processes of this machine, so many or one per core; each starts afresh and inherits nothing."""

    def start(count: int) -> AbstractContextManager[Executor]:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(count, mp_context=context)

    return _of_this_machine(workers, start)


def _of_this_machine(
    workers: int | None, start: Callable[[int], AbstractContextManager[Executor]]
) -> Workers:
    count = workers or os.cpu_count() or 1
    return Workers(lambda: start(count), count)


@contextmanager
def dask(where: str, say: Say) -> Iterator[Workers]:
    """Return the workers of a Dask cluster, which is left, or ended if it was started here, at the end of the block.

    Parameters
    ----------
    where : str
        Address of a scheduler, such as `tcp://10.0.0.5:8786`; or `local:N`: a cluster of N processes on this machine.
    say : callable
        Is told of a cluster without workers.

    Raises
    ------
    BadInput
        If it is neither, Dask is not installed, the scheduler does not answer, or a worker has another version.
    """
    count: int | None = None
    shown = without_password(where)
    if where.startswith(LOCAL):
        text = where.removeprefix(LOCAL)
        if (
            not text.isascii()
            or not text.isdigit()
            or not 1 <= int(text) <= _MOST_LOCAL
        ):
            raise BadInput(
                f"Dask: `{shown}` does not name from 1 to {_MOST_LOCAL:,} processes of this machine",
                "use for example local:2",
            )
        count = int(text)
    elif "@" in where:
        raise BadInput(
            f"Dask: `{shown}` carries a user or a password, which schedulers do not take",
            "use for example tls://10.0.0.5:8786, with certificates in Dask's configuration",
        )
    elif not where.startswith(("tcp://", "tls://")):
        raise BadInput(
            f"Dask: `{shown}` is neither the address of a scheduler nor a number of local processes",
            "use for example tcp://10.0.0.5:8786 or local:2",
        )
    try:
        from tierwright.simulate import dask_cluster
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tierwright"):
            raise
        raise BadInput(
            f"Dask: the package `{error.name}` is not installed",
            "install it: pip install 'tierwright[dask]'",
        ) from None
    with dask_cluster.opened(where, count, say) as (start, slots):
        yield Workers(start, slots, remote=count is None)


@contextmanager
def spreading(workers: Workers | None) -> Iterator[None]:
    """Have the sweeps and miniatures within the block spread over workers; None leaves them in this process."""
    token = _spread.set(workers)
    try:
        yield
    finally:
        _spread.reset(token)


def in_force() -> Workers | None:
    """Return the workers that sweeps and miniatures are spread over; None where they run in this process."""
    return _spread.get()


def named(
    dask_at: str | None, workers: int | None, say: Say
) -> AbstractContextManager[Workers]:
    """Return the workers that a command names: a Dask cluster, or else processes of this machine.

    Raises
    ------
    BadInput
        If both are named, and as `dask`.
    """
    if dask_at is None:
        return nullcontext(processes(workers))
    if workers is not None:
        raise BadInput(
            f"{counted(workers, 'process', 'processes')} and the Dask cluster `{without_password(dask_at)}` are both named",
            "name one of them",
        )
    return dask(dask_at, say)
