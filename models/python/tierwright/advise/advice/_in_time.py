"""Which contenders keep the limits of response times in draws, and with how many devices: of all draws at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._responses import PERCENTILES
from tierwright.advise.advice._table import Table
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.advice.tiers import MOST_DEVICES
from tierwright.evaluate.response import at_once
from tierwright.evaluate.response.schemes import US_PER_S, Hierarchy

TIERS = ("flash", "disk")
_IN_CACHE = 8_192
"""Queues that are computed together: what is between the steps stays in the cache."""


@dataclass(frozen=True, slots=True)
class Loads:
    """What accesses ask of contenders, of every draw; arrays of shape (D, K).

    Attributes
    ----------
    read, written : mapping of str to float64 array
        Pages that an access reads and writes of each tier. [1]
    """

    read: Mapping[str, FloatArray]
    written: Mapping[str, FloatArray]


class InTime:
    """Contenders whose response times in the busiest hour are held against the limits.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    rows : int64 array, shape (K,)
        Contenders.
    """

    def __init__(self, asked: Asked, table: Table, rows: IntArray) -> None:
        options = table.options.rows(rows)
        self._page_bytes = table.setting.curve.page_bytes
        mean, *quantiles = (
            None if limit is None else limit / US_PER_S
            for limit in asked.response_limits
        )
        self._mean_s = mean
        self._quantiles_s = {
            percentile: limit
            for percentile, limit in zip(PERCENTILES, quantiles, strict=True)
            if limit is not None
        }
        peak = table.setting.served.peak
        self._per_s = (np.nan if peak is None else peak) / options.machines
        self._caches = np.maximum(options.flash_devices, 1)
        groups: dict[tuple[str, str], tuple[Hierarchy, list[int]]] = {}
        for at, row in enumerate(rows.tolist()):
            found = None if peak is None else table.hierarchy(row)
            if found is not None:
                codes = tuple(str(each[row]) for each in table.device_codes)
                groups.setdefault((codes[0], codes[1]), (found, []))[1].append(at)
        self._groups = [
            (devices, np.asarray(some, dtype=np.int64))
            for devices, some in groups.values()
        ]

    def fewest(
        self, loads: Loads, wanted: Bools, needed: IntArray, is_free: Bools
    ) -> tuple[Bools, IntArray]:
        """Return which of those that are wanted keep the limits, and with how many devices.

        Those whose number is free have the fewest from the needed ones on that are enough, by halving: with more devices an
        access waits no longer.

        Parameters
        ----------
        loads : Loads
        wanted : bool array, shape (D, K)
            All others are taken not to keep them.
        needed : int64 array, shape (D, K)
            Devices that hold the data, as other limits need them.
        is_free : bool array, shape (K,)

        Returns
        -------
        keeps : bool array, shape (D, K)
        needed : int64 array, shape (D, K)
        """
        keeps = self._keeps(loads, needed, wanted)
        most = np.maximum(needed, MOST_DEVICES)
        helped = self._keeps(loads, most, wanted & ~keeps & is_free)
        few, enough = needed.copy(), np.where(helped, most, needed)
        while True:
            open_ = enough - few > 1
            if not open_.any():
                break
            middle = (few + enough) // 2
            kept = self._keeps(loads, middle, open_)
            few = np.where(open_ & ~kept, middle, few)
            enough = np.where(open_ & kept, middle, enough)
        return keeps | helped, enough

    def _keeps(self, loads: Loads, stores: IntArray, wanted: Bools) -> Bools:
        """Return which of those that are wanted keep the limits with so many devices that hold the data; shape (D, K)."""
        found = np.zeros(wanted.shape, dtype=np.bool_)
        for devices, group in self._groups:
            draws, which = np.nonzero(wanted[:, group])
            for first in range(0, len(draws), _IN_CACHE):
                some = slice(first, first + _IN_CACHE)
                draw, at = draws[some], group[which[some]]
                found[draw, at] = self._of_group(devices, loads, stores, draw, at)
        return found

    def _of_group(
        self,
        devices: Hierarchy,
        loads: Loads,
        stores: IntArray,
        draw: IntArray,
        at: IntArray,
    ) -> Bools:
        asked = [
            at_once.Asked(
                loads.read[tier][draw, at],
                loads.written[tier][draw, at],
                count.astype(np.float64),
            )
            for tier, count in zip(
                TIERS, (self._caches[at], np.maximum(stores[draw, at], 1)), strict=True
            )
        ]
        made = at_once.responses(
            (devices.flash, devices.disk),
            (asked[0], asked[1]),
            self._per_s[at],
            self._page_bytes,
        )
        if made is None:
            return np.zeros(len(at), dtype=np.bool_)
        return made.keeps(self._mean_s, self._quantiles_s)
