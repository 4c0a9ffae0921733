"""Response times of many options of the same devices at once: what `schemes` computes of one after the other.

As an advice asks it: every operation takes its stated time, and an access waits for its read alone. The time R of an access
is a mixture of three: a hit in RAM takes none; a read of a tier takes its time alone, and with the probability of a wait a
shift and an exponential time longer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.response.mixture import HALVINGS, ROUNDED, SURE
from tierwright.evaluate.response.queue import (
    MOST_SERVERS,
    Bools,
    Wait,
    waiting_of_each,
)
from tierwright.evaluate.response.schemes import ONE_AT_A_TIME, operation_times
from tierwright.hardware.device import OPERATIONS, Device


@dataclass(frozen=True, slots=True)
class Asked:
    """What accesses ask of the devices of one tier; arrays of one shape.

    Attributes
    ----------
    reads, writes : float64 array, shape (N,)
        Of an access, over all of the devices. [1]
    devices : float64 array, shape (N,)
        Equal ones, each with a queue of its own.
    """

    reads: FloatArray
    writes: FloatArray
    devices: FloatArray


@dataclass(frozen=True, slots=True)
class Queues:
    """The devices of one tier as queues; arrays of one shape.

    Attributes
    ----------
    reads : float64 array, shape (N,)
        Share of the accesses that read the tier. [1]
    alone_s : float
        Time of a read that waits for no other; NaN where no latency is stated. [s]
    wait : Wait
        Before a read; all 0 where nothing is asked of the tier.
    largest_accesses_per_s : float64 array, shape (N,)
        Rate at which the devices are busy all the time; infinite where nothing is asked of them. [1/s]
    """

    reads: FloatArray
    alone_s: float
    wait: Wait
    largest_accesses_per_s: FloatArray


def queues(
    device: Device, asked: Asked, accesses_per_s: FloatArray, page_bytes: int
) -> Queues:
    """Make queues of the devices of one tier.

    Parameters
    ----------
    device : Device
        One of the tier.
    asked : Asked
    accesses_per_s : float64 array, shape (N,)
        [1/s]
    page_bytes : int
        [bytes]

    Returns
    -------
    Queues
        NaN where the device does not state how long its operations take.
    """
    (read, read_alone), (write, write_latency) = (
        operation_times(device, each, page_bytes) for each in OPERATIONS
    )
    busy, latency = np.asarray([read, write]), np.asarray([read_alone, write_latency])
    operations = asked.reads + asked.writes
    some = operations > 0
    every = np.where(some, operations, 1.0)
    shares = np.stack(
        [
            np.where(some, asked.reads, 1.0) / every,
            np.where(some, asked.writes, 0.0) / every,
        ],
        axis=-1,
    )
    servers = _servers(device, busy, latency, shares)
    rates = np.where(some, accesses_per_s * operations / asked.devices, 0.0)
    wait = waiting_of_each(rates, servers, shares, busy)
    # Devices of unknown times keep up with nothing that is known.
    mean = servers * (shares @ busy)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.where(some, asked.devices * servers / (operations * mean), np.inf)
    alone = float("nan") if np.isnan(read_alone) else float(np.fmax(read_alone, read))
    return Queues(asked.reads, alone, wait, np.asarray(largest))


def _servers(
    device: Device, busy: FloatArray, latency: FloatArray, shares: FloatArray
) -> FloatArray:
    """Operations that each serves at once, as `servers_at_once`."""
    if device.kind == ONE_AT_A_TIME:
        return np.ones(len(shares))
    known = ~np.isnan(latency)
    taken = shares @ np.where(known, latency, 0.0)
    spent = shares @ np.where(known, busy, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.clip(np.rint(taken / spent), 1, MOST_SERVERS)
    return np.where(spent > 0, found, 1.0)


@dataclass(frozen=True, slots=True)
class Responses:
    """Response times of page accesses; arrays of one shape.

    Attributes
    ----------
    accesses_per_s : float64 array, shape (N,)
        [1/s]
    tiers : tuple of Queues
        Of the tiers below RAM.
    """

    accesses_per_s: FloatArray
    tiers: tuple[Queues, ...]

    @property
    def carried(self) -> Bools:
        """Whether the devices keep up with the rate."""
        found = np.ones(len(self.accesses_per_s), dtype=np.bool_)
        for each in self.tiers:
            found &= self.accesses_per_s < each.largest_accesses_per_s
        return found

    @property
    def known(self) -> Bools:
        """Whether the latency of every tier that is read is stated."""
        found = np.ones(len(self.accesses_per_s), dtype=np.bool_)
        for each in self.tiers:
            if np.isnan(each.alone_s):
                found &= ~(each.reads > 0)
        return found

    @property
    def mean_s(self) -> FloatArray:
        """Mean time of an access; NaN where a device cannot keep up or states no latency. [s]"""
        found = np.zeros(len(self.accesses_per_s))
        for each in self.tiers:
            time = each.reads * (each.alone_s + each.wait.mean_s)
            found += np.where(each.reads > 0, time, 0.0)
        return np.where(self.carried & self.known, found, np.nan)

    def longer(self, time_s: FloatArray) -> FloatArray:
        """Share of the accesses that take longer than a time, P(R > t). [1]

        Parameters
        ----------
        time_s : float64 array, shape (..., N)
            [s]
        """
        found = np.zeros(time_s.shape)
        for each in self.tiers:
            wait = each.wait
            beyond = time_s - each.alone_s
            later = beyond - wait.shift_s
            with np.errstate(invalid="ignore"):
                waits = np.exp(-wait.decay_per_s * np.maximum(later, 0.0))
            share = (1 - wait.probability) * (beyond < 0) + wait.probability * waits
            found += np.where(each.reads > 0, each.reads * share, 0.0)
        return found

    def quantile_s(self, percentile: float) -> FloatArray:
        """Least time within which a share of the accesses is answered; NaN as the mean. [s]

        Parameters
        ----------
        percentile : float
            In (0, 1), such as 0.99. [1]
        """
        left = _left(percentile)
        good = self.carried & self.known
        high = np.zeros(len(good))
        reach = np.zeros(len(good))
        for each in self.tiers:
            read = each.reads > 0
            longest = each.wait.shift_s + SURE / each.wait.decay_per_s
            high += np.where(read, longest, 0.0)
            reach = np.maximum(reach, np.where(read, each.alone_s, 0.0))
        high = np.where(good, high + reach, 0.0)
        low = np.zeros(len(good))
        at_once = self.longer(low) <= left
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            before = ~(self.longer(middle) <= left)
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return np.where(good, np.where(at_once, 0.0, high), np.nan)

    def keeps(self, mean_s: float | None, quantiles_s: Mapping[float, float]) -> Bools:
        """Whether limits of the mean and of percentiles are kept; what cannot be computed keeps none.

        A percentile keeps its limit where no more accesses than it leaves take longer than that: no search for it is needed.

        Parameters
        ----------
        mean_s : float or None
            Most that the mean may be. [s]
        quantiles_s : mapping of float to float
            Most that each percentile may be. [1], [s]
        """
        found = self.carried & self.known
        if mean_s is not None:
            found &= self.mean_s <= mean_s
        for percentile, limit in quantiles_s.items():
            found &= self.longer(np.full(len(found), limit)) <= _left(percentile)
        return found


def responses(
    devices: tuple[Device, Device],
    asked: tuple[Asked, Asked],
    accesses_per_s: FloatArray,
    page_bytes: int,
) -> Responses | None:
    """Response times of options with the same flash and the same disks; None where these do not state their times.

    Parameters
    ----------
    devices : tuple of Device
        One that caches and one that holds the data.
    asked : tuple of Asked
        What accesses ask of either tier.
    accesses_per_s : float64 array, shape (N,)
        [1/s]
    page_bytes : int
        [bytes]
    """
    for device in devices:
        if any(
            math.isnan(operation_times(device, each, page_bytes)[0])
            for each in OPERATIONS
        ):
            return None
    return Responses(
        accesses_per_s,
        tuple(
            queues(device, each, accesses_per_s, page_bytes)
            for device, each in zip(devices, asked, strict=True)
        ),
    )


def _left(percentile: float) -> float:
    """Share of the accesses that a percentile leaves, with the rounding of a share of exactly that. [1]"""
    return (1 - percentile) * (1 + ROUNDED)
