"""How long an access to each option waits and takes, at the mean rate and in the busiest hour, and why that is not known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tierwright.advise.advice._responses import (
    PERCENTILES,
    TIMES,
    Responses,
    least_times_us,
    times_us,
)
from tierwright.advise.advice._table.devices import device_of_drive, latency_us
from tierwright.advise.advice._table.identity import Identified
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.common.wording import listed
from tierwright.evaluate.advice.rows import SOURCES, IntArray
from tierwright.evaluate.advice.scenarios import left_after_loss
from tierwright.evaluate.response.schemes import (
    US_PER_S,
    Hierarchy,
    keeps_in_time,
    scheme_response,
)
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

NO_RATE = "the workload states no rate; scale it to production, or state its rate"
NOTHING_LEFT = "where that one machine fails, none is left"


class Waiting(Identified):
    """Options with the times that their accesses take, which wait for others where devices are busy.

    Attributes
    ----------
    responses : Responses
        Those that were computed.
    """

    responses: Responses

    def hierarchy(self, at: int, *, stores: int | None = None) -> Hierarchy | None:
        """Devices of one machine as queues, of which so many hold the data if that is given; None where one states no figures."""
        flash, store = self.devices(at)
        if store is None or (flash is None and self.options.flash_bytes[at]):
            return None
        return Hierarchy(
            flash or store,
            store,
            flash_devices=max(1, int(self.options.flash_devices[at])),
            disks=max(
                1, int(self.options.store_devices[at]) if stores is None else stores
            ),
        )

    def response(
        self,
        at: int,
        curve: Curve | None = None,
        *,
        stores: int | None = None,
    ) -> tuple[tuple[FloatArray, ...] | None, str]:
        """Mean, median and 99th percentile at the mean rate and in the busiest hour, and why some are unknown. [µs]

        None where all are; a time that is not finite is of a rate with which a device cannot keep up. Of another curve
        than that of the table where one is given, and with another number of devices that hold the data, but for `after_loss`.
        """
        rates = self.setting.served
        if rates.mean is None or rates.peak is None:
            return None, NO_RATE
        machines = int(self.options.machines[at])
        if self.setting.after_loss:
            [machines], [stores] = (
                each.tolist()
                for each in left_after_loss(self.options.rows(np.asarray([at])))
            )
        if not machines:
            return None, NOTHING_LEFT
        found = self.hierarchy(at, stores=stores)
        if found is None:
            return None, self._without_figures(at)
        scheme = self.scheme(at)
        try:
            made = scheme_response(
                self.setting.curve if curve is None else curve,
                ram_pages=int(self.options.ram_pages[at]),
                flash_pages=int(self.options.flash_pages[at]),
                hierarchy=found,
                accesses_per_s=[rates.mean / machines, rates.peak / machines],
                schemes=(scheme,),
                percentiles=PERCENTILES,
                ranges=False,
            )[scheme]
        except BadInput:
            return None, self._without_figures(at)
        # IOPS alone do not say how long one read takes.
        unstated = [
            found.of(tier)[0].id
            for tier, station in made.stations.items()
            if station.reads_per_access > 0 and not station.latency_known
        ]
        if unstated:
            return None, without_latency(unstated)
        times = times_us(made)
        late = [
            found.of(tier)[0].id
            for tier, station in made.stations.items()
            if station.largest_accesses_per_s <= rates.peak / machines
        ]
        known = all(bool(np.all(np.isfinite(each))) for each in times)
        return times, "" if known else too_slow(late)

    def keeps_in_time(
        self,
        at: int,
        curve: Curve,
        *,
        stores: int,
        limits_us: Sequence[float | None],
    ) -> bool:
        """Whether an option keeps limits of its response times in the busiest hour, as by `response`.

        Parameters
        ----------
        at : int
        curve : Curve
        stores : int
            Devices that hold the data.
        limits_us : sequence of float or None
            Of mean, median and 99th percentile. [µs]
        """
        peak, found = self.setting.served.peak, self.hierarchy(at, stores=stores)
        if peak is None or found is None:
            return False
        mean, *quantiles = (
            None if limit is None else limit / US_PER_S for limit in limits_us
        )
        try:
            return keeps_in_time(
                curve,
                ram_pages=int(self.options.ram_pages[at]),
                flash_pages=int(self.options.flash_pages[at]),
                hierarchy=found,
                accesses_per_s=peak / int(self.options.machines[at]),
                scheme=self.scheme(at),
                mean_s=mean,
                quantiles_s={
                    percentile: limit
                    for percentile, limit in zip(PERCENTILES, quantiles, strict=True)
                    if limit is not None
                },
            )
        except BadInput:
            return False

    def _without_figures(self, at: int) -> str:
        names = [name for name in self.names(at) if name is not None]
        return (
            f"no source states how fast {listed(names)} {'reads' if len(names) == 1 else 'read'}; name a device that "
            "stands in, or a device file with its figures"
        )

    def why_no_response(self, at: int) -> str:
        """Say why response times of an option cannot be computed, without computing any; empty where nothing is missing."""
        options, devices = self.options, self.devices(at)
        if self.hierarchy(at) is None:
            return self._without_figures(at)
        page = self.setting.curve.page_bytes
        reads = options.flash_reads[at], options.store_reads[at]
        unstated = [
            device.id
            for device, share in zip(devices, reads, strict=True)
            if device is not None and share > 0 and math.isinf(latency_us(device, page))
        ]
        return without_latency(unstated) if unstated else ""

    def peak_response(self, at: int) -> tuple[float, ...]:
        """Mean, median and 99th percentile in the busiest hour; infinite where unknown. [µs]"""
        return tuple(float(each[0]) for each in self.peak_responses(np.asarray([at])))

    def peak_responses(
        self, rows: IntArray, *, known_alone: bool = False
    ) -> tuple[FloatArray, ...]:
        """Mean, median and 99th percentile of some options in the busiest hour; infinite where unknown. [µs]

        Of servers built from parts those of one size of RAM and one kind of drive are computed together.

        Parameters
        ----------
        rows : int array
        known_alone : bool
            Whether to compute nothing: what was not computed before is NaN.
        """
        found = np.full((TIMES, len(rows)), np.nan)
        built = self.options.source[rows] == SOURCES.index("chassis")
        if not known_alone:
            for place in np.flatnonzero(~built).tolist():
                self.responses.computed += 1
                found[:, place] = self._peak_response(int(rows[place]))
        columns = self.columns
        if columns is not None and built.any():
            options = self.options.rows(rows[built])
            machines, stores = options.machines, options.store_devices
            if self.setting.after_loss:
                machines, stores = left_after_loss(options)
            times = self.responses.of(
                self.setting.curve,
                self.setting.served.peak,
                self._drives,
                (
                    np.asarray(columns.drive[options.row], dtype=np.int64),
                    options.ram_pages,
                    np.asarray(np.maximum(machines, 1), dtype=np.int64),
                    stores,
                ),
                known_alone=known_alone,
            )
            found[:, built] = np.where(machines > 0, times, np.inf)
        return tuple(found)

    @property
    def _drives(self) -> tuple[Device | None, ...]:
        """Devices whose figures count, of every drive of a server."""
        assert self.columns is not None
        sold = self.columns.sold.drives
        return tuple(device_of_drive(self.setting, each) for each in sold)

    def _peak_response(self, at: int) -> tuple[float, ...]:
        found, _ = self.response(at)
        if found is None:
            return (math.inf,) * TIMES
        peaks = (float(each[1]) for each in found)
        return tuple(each if math.isfinite(each) else math.inf for each in peaks)

    @cached_property
    def least_response(self) -> tuple[FloatArray, ...]:
        """What mean, median and 99th percentile are at least; infinite where a latency that is needed is not stated. [µs]"""
        options = self.options
        flash, store = (
            np.where(reads > 0, np.fmax(latency, busy), 0.0)
            for latency, busy, reads in zip(
                self.latencies_us,
                (options.flash_read_us, options.store_read_us),
                (options.flash_reads, options.store_reads),
                strict=True,
            )
        )
        return least_times_us(
            (options.flash_reads, options.store_reads), (flash, store)
        )

    @cached_property
    def latencies_us(self) -> tuple[FloatArray, FloatArray]:
        """Time of a read that waits for no other, of what caches and of what holds the data; infinite where not stated. [µs]

        Volumes of one kind differ in it: one of less throughput takes longer to transfer a page.
        """
        page = self.setting.curve.page_bytes
        found = []
        for place, codes in enumerate(self._device_codes()):
            _, first, at = np.unique(codes, return_index=True, return_inverse=True)
            times = [
                latency_us(self.devices(row)[place], page) for row in first.tolist()
            ]
            found.append(np.asarray(times)[at])
        return found[0], found[1]


def without_latency(names: Sequence[str]) -> str:
    """Say that response times are unknown as no source states the latency of some devices."""
    return (
        f"no source states the latency of a read of {listed([*dict.fromkeys(names)])}, and IOPS under load do not say it; state "
        "`read_latency_us` in a device file, or measure the device"
    )


def too_slow(names: Sequence[str]) -> str:
    """Say that some devices cannot keep up with the load."""
    what = listed(names) if names else "a device"
    return f"{what} cannot keep up with the busiest hour"
