"""Operational laws: what service demands alone say about throughput.

Source: P. J. Denning and J. P. Buzen, "The Operational Analysis of Queueing Network Models",
ACM Computing Surveys 10(3), 1978: utilisation law, Little's law, bottleneck analysis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import Problems


@dataclass(frozen=True, slots=True)
class Stations:
    """Places where a transaction needs service.

    Attributes
    ----------
    demands_s : float64 array, shape (..., K)
        Service that one transaction needs at each kind of station in all, however many of
        the kind there are. [s]
    devices : float64 array, shape (..., K)
        Equal stations of a kind, each with a queue of its own; a transaction goes to any of
        them with equal chance, so each has demand demands_s / devices.
    """

    demands_s: FloatArray
    devices: FloatArray

    @classmethod
    def checked(cls, demands_s: ArrayLike, devices: ArrayLike = 1) -> Stations:
        """Broadcast and check both.

        Raises
        ------
        BadInput
            If there is no station, a demand is negative or not finite, or a kind has no whole
            number of devices of at least 1.
        """
        v = broadcast("stations", amounts={"demands_s": demands_s, "devices": devices})
        demands, count = v["demands_s"], v["devices"]
        problems = Problems("stations", "give a demand per kind of device, in seconds")
        problems.check(
            demands.ndim >= 1 and demands.shape[-1] > 0,
            "demands_s",
            demands_s,
            "holds no station",
        )
        problems.check(
            np.all((count >= 1) & (count == np.floor(count))),
            "devices",
            devices,
            "must be whole numbers of at least 1",
        )
        problems.raise_if_any()
        return cls(demands, count)

    @property
    def each_s(self) -> FloatArray:
        """Demand at one station of each kind, shape (..., K). [s]"""
        return np.asarray(self.demands_s / self.devices)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What holds for any network with these demands; arrays of shape (...).

    Attributes
    ----------
    total_demand_s : float64 array
        D; with the delay W the response time of a transaction alone. [s]
    largest_demand_s : float64 array
        D_max, at the busiest station. [s]
    bottleneck : int64 array
        Kind of that station; among equals the first.
    max_throughput_per_s : float64 array
        1 / D_max; infinite where nothing is demanded. [1/s]
    knee_clients : float64 array
        N* = (D + W + Z) / D_max, where the two bounds meet: below it clients hardly wait for each
        other, above it more of them only wait. NaN where nothing is demanded.
    throughput_per_s : float64 array
        Upper bound min(1 / D_max, N / (D + W + Z)) at N clients. [1/s]
    response_s : float64 array
        Lower bound max(D + W, N D_max - Z) at N clients. [s]
    """

    total_demand_s: FloatArray
    largest_demand_s: FloatArray
    bottleneck: np.typing.NDArray[np.int64]
    max_throughput_per_s: FloatArray
    knee_clients: FloatArray
    throughput_per_s: FloatArray
    response_s: FloatArray


def asymptotic_bounds(
    demands_s: ArrayLike,
    *,
    clients: ArrayLike,
    think_s: ArrayLike = 0.0,
    devices: ArrayLike = 1,
    delay_s: ArrayLike = 0.0,
) -> Bounds:
    """Bounds of throughput and response time, and the knee.

    X(N) <= min(1 / D_max, N / (D + W + Z)); R(N) >= max(D + W, N D_max - Z);
    N* = (D + W + Z) / D_max.

    Parameters
    ----------
    demands_s : array_like, shape (..., K)
        Demand of one transaction at each kind of station. [s]
    clients : array_like, shape (...)
        N, at least 1.
    think_s : array_like, shape (...)
        Z, time between a client's transactions. [s]
    devices : array_like, shape (..., K)
        Equal stations of each kind.
    delay_s : array_like, shape (...)
        W, what a transaction waits besides and keeps nothing busy. [s]

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> found = asymptotic_bounds(
    ...     [0.005, 0.02], clients=10, think_s=0.1, devices=[1, 2]
    ... )
    >>> round(float(found.max_throughput_per_s), 9), round(float(found.knee_clients), 9)
    (100.0, 12.5)
    """
    stations = Stations.checked(demands_s, devices)
    v = broadcast(
        "bounds", amounts={"clients": clients, "think_s": think_s, "delay_s": delay_s}
    )
    problems = Problems("bounds", "use at least one client")
    problems.check(np.all(v["clients"] >= 1), "clients", clients, "must be at least 1")
    problems.raise_if_any()
    each = stations.each_s
    lead = np.broadcast_shapes(v["clients"].shape, each.shape[:-1])
    total = np.broadcast_to(stations.demands_s.sum(axis=-1), lead)
    largest = np.broadcast_to(each.max(axis=-1), lead)
    busiest = np.broadcast_to(each.argmax(axis=-1).astype(np.int64), lead)
    alone_s = total + v["delay_s"]
    whole = alone_s + v["think_s"]
    some = largest > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        fastest = np.where(some, 1.0 / largest, np.inf)
        knee = np.where(some, whole / largest, np.nan)
        alone = np.where(whole > 0, v["clients"] / whole, np.inf)
    return Bounds(
        total,
        largest,
        busiest,
        fastest,
        knee,
        np.minimum(fastest, alone),
        np.maximum(alone_s, v["clients"] * largest - v["think_s"]),
    )


def open_utilisation(
    demands_s: ArrayLike, *, arrivals_per_s: ArrayLike, devices: ArrayLike = 1
) -> FloatArray:
    """Utilisation law U = X D of each station at a given load.

    Parameters
    ----------
    demands_s : array_like, shape (..., K)
        Demand of one transaction at each kind of station. [s]
    arrivals_per_s : array_like, shape (...)
        X, transactions a second. [1/s]
    devices : array_like, shape (..., K)
        Equal stations of each kind.

    Returns
    -------
    float64 array, shape (..., K)
        Above 1 the load cannot be served. [1]

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> open_utilisation([0.005, 0.02], arrivals_per_s=80, devices=[1, 2]).tolist()
    [0.4, 0.8]
    """
    stations = Stations.checked(demands_s, devices)
    load = broadcast("load", amounts={"arrivals_per_s": arrivals_per_s})
    return np.asarray(load["arrivals_per_s"][..., None] * stations.each_s)
