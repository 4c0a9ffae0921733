"""Of which systems a recording tells too little: those that several workloads share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tierwright.advise.placement._groups import Run
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.evaluate.compose.partitions import partition
from tierwright.evaluate.compose.shared import shared_cache
from tierwright.evaluate.compose.short import about_short
from tierwright.profile.several import Workload


def about_shared(some: Sequence[Workload], run: Run, row: int) -> Iterator[Caution]:
    """Warn of what several workloads hold of one system, or have as parts of its RAM.

    Its composed curve has no cold start, and so cannot tell itself.
    """
    options = run.table.options
    ram, flash = float(options.ram_pages[row]), float(options.flash_pages[row])
    held: list[FloatArray]
    if run.in_parts:
        held = [partition(some, int(ram)).pages.astype(np.float64)]
    else:
        sizes = [size for size in (ram, ram + flash) if size > 0]
        held = list(shared_cache(some, sizes).held_pages.T) if sizes else []
    yield from about_short(some, *held)
