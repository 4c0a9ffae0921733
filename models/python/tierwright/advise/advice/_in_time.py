"""Which contenders keep the limits of response times on any curve: computed only where no other draw tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._table import Table
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import IntArray
from tierwright.profile.curve import Curve

_TIERS = ("flash", "disk")


@dataclass(slots=True)
class _Known:
    """Loads of one contender of which it was computed whether they keep the limits, each a row of `_loads`."""

    slow: list[FloatArray] = field(default_factory=list)
    quick: list[FloatArray] = field(default_factory=list)

    def tells(self, load: FloatArray) -> bool | None:
        """Say whether a load keeps the limits, by one that is in nothing larger and too slow, or in nothing smaller and not."""
        if self.slow and np.any(np.all(np.asarray(self.slow) <= load, axis=1)):
            return False
        if self.quick and np.any(np.all(np.asarray(self.quick) >= load, axis=1)):
            return True
        return None


class InTime:
    """Contenders whose response times in the busiest hour are held against the limits.

    The more often an access reads or writes a tier, and the fewer devices share its load, the longer it takes: of two
    loads of one contender that differ in one direction alone, one tells of the other.

    Attributes
    ----------
    computed : int
        Queues that were computed so far.
    """

    def __init__(self, asked: Asked, table: Table, rows: IntArray) -> None:
        self.computed = 0
        self._limits = asked.response_limits
        self._table = table
        self._rows = rows.tolist()
        self._known = [_Known() for _ in self._rows]

    def keeps(
        self,
        curve: Curve,
        read: Mapping[str, FloatArray],
        written: Mapping[str, FloatArray],
        stores: IntArray,
        wanted: Bools,
    ) -> Bools:
        """Return which of those that are wanted keep the limits.

        Parameters
        ----------
        curve : Curve
        read, written : mapping of str to float64 array, shape (K,)
            Pages that an access reads and writes of each tier on this curve. [1]
        stores : int64 array, shape (K,)
            Devices that hold the data.
        wanted : bool array, shape (K,)
            All others are taken not to keep them.
        """
        loads = np.stack(
            [of[tier] for of in (read, written) for tier in _TIERS]
            + [-stores.astype(np.float64)],
            axis=1,
        )
        found = np.zeros(len(self._rows), dtype=np.bool_)
        for at in np.flatnonzero(wanted).tolist():
            known = self._known[at]
            told = known.tells(loads[at])
            if told is None:
                told = self._computed(at, curve, int(stores[at]))
                (known.quick if told else known.slow).append(loads[at])
            found[at] = told
        return found

    def _computed(self, at: int, curve: Curve, stores: int) -> bool:
        self.computed += 1
        return self._table.keeps_in_time(
            self._rows[at], curve, stores=stores, limits_us=self._limits
        )
