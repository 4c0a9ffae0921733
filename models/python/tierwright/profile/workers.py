"""Who counts the parts of a trace: processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tierwright.profile.parts import StartWorkers


def processes(workers: int | None = None) -> StartWorkers:
    """Return what starts worker processes, each of which starts afresh and inherits nothing.

    Parameters
    ----------
    workers : int, optional
        How many; one per core by default.
    """
    count = workers or os.cpu_count() or 1

    @contextmanager
    def started() -> Iterator[Executor]:
        with ProcessPoolExecutor(
            count, mp_context=multiprocessing.get_context("spawn")
        ) as pool:
            yield pool

    def start() -> AbstractContextManager[Executor]:
        return started()

    return start
