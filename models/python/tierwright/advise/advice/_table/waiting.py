"""How long an access to each option waits and takes, at the mean rate and in the busiest hour, and why that is not known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from tierwright.advise.advice._responses import (
    PERCENTILES,
    TIMES,
    Responses,
    least_times_us,
)
from tierwright.advise.advice._table.devices import device_of_drive, latency_us
from tierwright.advise.advice._table.identity import Identified
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.common.wording import listed
from tierwright.evaluate.advice.choose import in_time
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import SOURCES, IntArray
from tierwright.evaluate.advice.scenarios import left_after_loss
from tierwright.evaluate.page_flow.evaluation import evaluate_grid
from tierwright.evaluate.response import at_once
from tierwright.evaluate.response.schemes import US_PER_S, Hierarchy
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
        of = self.setting.curve if curve is None else curve
        if not float(of.misses(self.options.ram_pages[at])):
            return (np.zeros(2),) * TIMES, ""
        found = self.hierarchy(at, stores=stores)
        if found is None:
            return None, self._without_figures(at)
        per_s = np.asarray([rates.mean / machines, rates.peak / machines])
        made = self._waits(
            found,
            self.scheme(at),
            of,
            (self.options.ram_pages[[at, at]], self.options.flash_pages[[at, at]]),
            (np.full(2, found.flash_devices), np.full(2, found.disks)),
            per_s,
        )
        if made is None:
            return None, self._without_figures(at)
        # IOPS alone do not say how long one read takes.
        devices = found.flash.id, found.disk.id
        unstated = [
            name
            for name, tier in zip(devices, made.tiers, strict=True)
            if tier.reads[1] > 0 and math.isnan(tier.alone_s)
        ]
        if unstated:
            return None, without_latency(unstated)
        late = [
            name
            for name, tier in zip(devices, made.tiers, strict=True)
            if tier.largest_accesses_per_s[1] <= per_s[1]
        ]
        times = tuple(each * US_PER_S for each in _times_s(made))
        known = all(bool(np.all(np.isfinite(each))) for each in times)
        return times, "" if known else too_slow(late)

    def _waits(
        self,
        devices: Hierarchy,
        scheme: str,
        curve: Curve,
        pages: tuple[FloatArray, FloatArray],
        counts: tuple[IntArray, IntArray],
        accesses_per_s: FloatArray,
    ) -> at_once.Responses | None:
        """Response times of options of the same devices and scheme, of one machine each; None where figures are missing.

        `pages` are those of RAM and flash, `counts` the devices that cache and those that hold the data.
        """
        try:
            costs = evaluate_grid(
                curve,
                ram_pages=pages[0].astype(np.int64),
                flash_pages=pages[1].astype(np.int64),
                flash=devices.flash,
                disk=devices.disk,
                schemes=(scheme,),
            )[scheme]
        except BadInput:
            return None
        return at_once.responses(
            (devices.flash, devices.disk),
            (
                at_once.Asked(
                    costs.flash_hits / costs.accesses,
                    costs.flash_writes_per_access,
                    counts[0].astype(np.float64),
                ),
                at_once.Asked(
                    costs.flash_misses / costs.accesses,
                    costs.disk_writes_per_access,
                    counts[1].astype(np.float64),
                ),
            ),
            accesses_per_s,
            curve.page_bytes,
        )

    def _without_figures(self, at: int) -> str:
        names = [name for name in self.names(at) if name is not None]
        return (
            f"no source states how fast {listed(names)} {'reads' if len(names) == 1 else 'read'}; name a device that "
            "stands in, or a device file with its figures"
        )

    def why_no_response(self, at: int) -> str:
        """Say why response times of an option cannot be computed, without computing any; empty where nothing is missing."""
        options, devices = self.options, self.devices(at)
        if self._found_in_ram[at]:
            return ""
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
        if not known_alone and not built.all():
            self.responses.computed += int(np.count_nonzero(~built))
            found[:, ~built] = self._peaks_us(rows[~built])
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
        found[:, self._takes_no_time(rows)] = 0.0
        return tuple(found)

    @cached_property
    def _found_in_ram(self) -> Bools:
        """Which options find every page in RAM: whatever devices they have, an access takes no time."""
        reads = self.options.flash_reads + self.options.store_reads
        return np.asarray(reads == 0)

    def _takes_no_time(self, rows: IntArray) -> Bools:
        """Which of some options have response times of none, also on devices that state no figures."""
        found = self._found_in_ram[rows]
        if self.setting.served.peak is None or self.setting.served.mean is None:
            return np.zeros_like(found)
        if self.setting.after_loss:
            found = found & (left_after_loss(self.options.rows(rows))[0] > 0)
        return found

    @property
    def _drives(self) -> tuple[Device | None, ...]:
        """Devices whose figures count, of every drive of a server."""
        assert self.columns is not None
        sold = self.columns.sold.drives
        return tuple(device_of_drive(self.setting, each) for each in sold)

    def _peaks_us(self, rows: IntArray) -> FloatArray:
        """Mean, median and 99th percentile of options in the busiest hour; infinite where unknown. [µs]"""
        found = np.full((TIMES, len(rows)), np.inf)
        for some, made in self._at_peak(rows):
            times = np.stack(_times_s(made)) * US_PER_S
            found[:, some] = np.where(np.isfinite(times), times, np.inf)
        return found

    def keep_in_time(self, rows: IntArray, limits_us: Sequence[float | None]) -> Bools:
        """Whether options keep limits of their response times in the busiest hour, without these where that is quicker.

        Parameters
        ----------
        rows : int array
        limits_us : sequence of float or None
            Of mean, median and 99th percentile. [µs]
        """
        found = np.zeros(len(rows), dtype=np.bool_)
        built = self.options.source[rows] == SOURCES.index("chassis")
        if built.any():
            found[built] = in_time(limits_us, self.peak_responses(rows[built]))
        mean, *quantiles = (
            None if limit is None else limit / US_PER_S for limit in limits_us
        )
        quantiles_s = {
            percentile: limit
            for percentile, limit in zip(PERCENTILES, quantiles, strict=True)
            if limit is not None
        }
        [others] = np.nonzero(~built)
        self.responses.computed += len(others)
        for some, made in self._at_peak(rows[others]):
            found[others[some]] = made.keeps(mean, quantiles_s)
        return found | self._takes_no_time(rows)

    def _at_peak(self, rows: IntArray) -> Iterator[tuple[IntArray, at_once.Responses]]:
        """Yield places among options with their response times in the busiest hour, those of the same devices at once."""
        peak, options = self.setting.served.peak, self.options.rows(rows)
        if peak is None or self.setting.served.mean is None:
            return
        machines, stores = options.machines, options.store_devices
        if self.setting.after_loss:
            machines, stores = left_after_loss(options)
        codes = np.stack((*(each[rows] for each in self.device_codes), options.scheme))
        _, first, of = np.unique(codes, axis=1, return_index=True, return_inverse=True)
        for which, place in enumerate(first.tolist()):
            devices = self.hierarchy(int(rows[place]))
            [some] = np.nonzero((of.reshape(-1) == which) & (machines > 0))
            if devices is None or not len(some):
                continue
            made = self._waits(
                devices,
                self.scheme(int(rows[place])),
                self.setting.curve,
                (options.ram_pages[some], options.flash_pages[some]),
                (
                    np.maximum(options.flash_devices[some], 1),
                    np.maximum(stores[some], 1),
                ),
                peak / machines[some],
            )
            if made is not None:
                yield some, made

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
        for place, codes in enumerate(self.device_codes):
            _, first, at = np.unique(codes, return_index=True, return_inverse=True)
            times = [
                latency_us(self.devices(row)[place], page) for row in first.tolist()
            ]
            found.append(np.asarray(times)[at])
        return found[0], found[1]


def _times_s(made: at_once.Responses) -> tuple[FloatArray, ...]:
    """Mean, median and 99th percentile. [s]"""
    return (made.mean_s, *(made.quantile_s(each) for each in PERCENTILES))


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
