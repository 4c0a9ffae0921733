"""A Dask cluster as an executor: imported only where one is named, for Dask takes a second to import."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any

from distributed import Client, KilledWorker, LocalCluster
from distributed.cfexecutor import ClientExecutor

from tierwright.common.errors import BadInput
from tierwright.profile.workers import StartWorkers, WatchedExecutor, WorkersExhausted

_ANSWER_S = 20.0
"""How long a scheduler may take to answer. [s]"""
_LOOK_EVERY_S = 1.0
_OWN = "tierwright"
Say = Callable[[str], None]


class OtherVersion(Exception):
    """A worker has another version than the command: its address, its host and its version."""


@contextmanager
def opened(
    where: str, local: int | None, say: Say
) -> Iterator[tuple[StartWorkers, int]]:
    """Connect to a cluster, or start one, for the length of the block; see `tierwright.simulate.executors.dask`.

    Yields
    ------
    (StartWorkers, int)
        What starts its executor, and tasks at a time.
    """
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        address: Any = where
        if local is not None:
            scratch = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="tierwright-dask-")
            )
            address = stack.enter_context(
                LocalCluster(
                    n_workers=local,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    # Dask's own choice is the port of `tierwright serve`.
                    dashboard_address="127.0.0.1:0",
                    # Tables of pages are outside Python's memory, and their size is known: no worker is killed for it.
                    memory_limit=None,
                    silence_logs=logging.CRITICAL,
                    local_directory=scratch,
                )
            )
        cluster = _Cluster(where, address, say)
        stack.callback(cluster.close)
        cluster.connect()
        yield cluster.start, cluster.slots


class _Cluster:
    """A client that is connected again when it was lost."""

    def __init__(self, where: str, address: Any, say: Say) -> None:
        self._where = where
        self._address = address
        self._say = say
        self._client: Client | None = None
        self._is_waiting = False

    def told(self, *, workers: bool) -> None:
        """Report that the cluster has no workers, or workers again, once each."""
        if not workers and not self._is_waiting:
            self._say(
                f"waiting: the Dask cluster `{self._where}` has no workers; start one, or end with Ctrl-C"
            )
        elif workers and self._is_waiting:
            self._say(f"resumed: the Dask cluster `{self._where}` has workers again")
        self._is_waiting = not workers

    def connect(self) -> Client:
        """Connect, unless that is done.

        Raises
        ------
        BadInput
            If the scheduler does not answer, or a worker has another version.
        """
        if self._client is not None and self._client.status == "running":
            return self._client
        self.close()
        try:
            self._client = Client(
                self._address, timeout=_ANSWER_S, set_as_default=False
            )
        except (OSError, TimeoutError) as error:
            raise BadInput(
                f"Dask: the scheduler at `{self._where}` does not answer: {type(error).__name__}",
                "check its address, that it runs and that this machine reaches it",
            ) from None
        _check_versions(self._client)
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close(timeout=_ANSWER_S)
            self._client = None

    @property
    def slots(self) -> int:
        """Tasks that run at a time, at least one."""
        slots: int = sum(self.connect().nthreads().values())
        return max(1, slots)

    @contextmanager
    def start(self) -> Iterator[Executor]:
        """Start an executor, which the rest of the cluster outlives."""
        executor = _DaskExecutor(self.connect(), self.told)
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
        executor.shutdown()


class _DaskExecutor(WatchedExecutor):
    """`distributed`'s executor, which refuses workers of other versions and reports a cluster without any."""

    def __init__(self, client: Client, told: Callable[..., None]) -> None:
        self._client = client
        self._inner = ClientExecutor(client, pure=False)
        self._told = told
        self._known: frozenset[str] = frozenset(client.nthreads())
        self._looked_s = 0.0

    def submit(
        self, work: Callable[..., Any], /, *args: Any, **named: Any
    ) -> Future[Any]:
        """Have a worker do it."""
        inner = self._inner.submit(_checked, version(_OWN), work, args, named)
        outer: Future[Any] = Future()
        inner.add_done_callback(lambda ended: _hand_on(ended, outer))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        """End; tasks that no worker has begun are dropped with `cancel_futures`."""
        if self._client.status == "running":
            self._inner.shutdown(wait=wait and not cancel_futures)

    def look(self) -> None:
        """Report a cluster without workers, and check those that joined.

        Raises
        ------
        BadInput
            If one of them has another version.
        BrokenExecutor
            If the scheduler is lost.
        """
        now_s = time.monotonic()
        if now_s - self._looked_s < _LOOK_EVERY_S:
            return
        self._looked_s = now_s
        if self._client.status != "running":
            raise BrokenExecutor
        try:
            workers = frozenset(self._client.nthreads())
        except (OSError, TimeoutError):
            raise BrokenExecutor from None
        self._told(workers=bool(workers))
        if not workers <= self._known:
            self._known = workers
            _check_versions(self._client)


def _checked(
    wanted: str, work: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Do the work, on a worker, if it has the version of those who sent it."""
    found = version(_OWN)
    if found != wanted:
        from distributed import get_worker

        raise OtherVersion(get_worker().address, found)
    return work(*args, **named)


def _hand_on(inner: Future[Any], outer: Future[Any]) -> None:
    """Give the end of one future to another, in the words of this project."""
    if inner.cancelled():
        outer.set_exception(BrokenExecutor())
        return
    error = inner.exception()
    if error is None:
        outer.set_result(inner.result())
    elif isinstance(error, KilledWorker):
        outer.set_exception(WorkersExhausted())
    elif isinstance(error, OtherVersion):
        outer.set_exception(_refused({error.args[0]: str(error.args[1])}))
    elif isinstance(error, ModuleNotFoundError) and (error.name or "").startswith(_OWN):
        outer.set_exception(
            _refused({"that joined meanwhile": "none, or an older one"})
        )
    else:
        outer.set_exception(error)


def _check_versions(client: Client) -> None:
    """Refuse workers whose version of Tierwright, or minor version of Python, is not that of the command.

    Raises
    ------
    BadInput
        With their addresses and versions.
    """
    told: Any = client.get_versions(packages=[_OWN])
    own = told["client"]["packages"]
    others = {
        address: _shown(each["packages"])
        for address, each in told["workers"].items()
        if _shown(each["packages"]) != _shown(own)
    }
    if others:
        raise _refused(others, _shown(own))


def _shown(packages: dict[str, str | None]) -> str:
    python = ".".join((packages["python"] or "?").split(".")[:2])
    return f"{packages.get(_OWN) or 'none'} with Python {python}"


def _refused(others: dict[str, str], own: str | None = None) -> BadInput:
    names = "; ".join(
        f"worker {address} has {found}" for address, found in sorted(others.items())
    )
    return BadInput(
        f"Dask: workers must have the version of the command, {own or version(_OWN)}: {names}",
        "install the same version there, or take these workers out of the cluster",
    )
