"""Exact mean-value analysis of a closed network of queues.

Source: M. Reiser and S. S. Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing
Networks", Journal of the ACM 27(2), 1980, one class, load-independent stations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import Problems
from tierwright.evaluate.throughput.laws import Stations

ESTIMATOR = "exact mean-value analysis of a closed product-form network"
VALIDITY = (
    "one class of clients; each device serves one request at a time, in order of arrival, with "
    "exponentially distributed service times, or shares itself among all; equal devices of a "
    "kind are chosen with equal chance, each with a separate queue; a client waits for "
    "each of its operations, one after the other"
)
MOST_CLIENTS = 100_000


@dataclass(frozen=True, slots=True)
class ClosedNetwork:
    """Throughput and response time for 1, 2, ..., N clients.

    Attributes
    ----------
    clients : int64 array, shape (N,)
        1 ... N.
    throughput_per_s : float64 array, shape (..., N)
        X; infinite where nothing is demanded, delayed or thought about. [1/s]
    response_s : float64 array, shape (..., N)
        R, the delay in it, without think time. [s]
    utilisation : float64 array, shape (..., N, K)
        U = X D of one station of each kind. [1]
    queue : float64 array, shape (..., N, K)
        Clients at one station of each kind, the one in service included.
    estimator, validity : str
        How it was computed, and where that holds.
    """

    clients: np.typing.NDArray[np.int64]
    throughput_per_s: FloatArray
    response_s: FloatArray
    utilisation: FloatArray
    queue: FloatArray
    estimator: str = ESTIMATOR
    validity: str = VALIDITY


def closed_network(
    demands_s: ArrayLike,
    *,
    clients: int,
    think_s: ArrayLike = 0.0,
    devices: ArrayLike = 1,
    delay_s: ArrayLike = 0.0,
) -> ClosedNetwork:
    """Exact MVA: R_k(n) = D_k (1 + Q_k(n-1)), X(n) = n / (Z + W + sum R_k), Q_k(n) = X R_k.

    A delay W holds a client and keeps no station busy: a station with a server for everybody,
    as thinking is, but inside the response time, R = W + sum R_k.

    Parameters
    ----------
    demands_s : array_like, shape (..., K)
        Demand of one transaction at each kind of station; many networks at once. [s]
    clients : int
        N, from 1 to 100,000; all smaller populations come with it.
    think_s : array_like, shape (...)
        Z, time between a client's transactions. [s]
    devices : array_like, shape (..., K)
        Equal stations of each kind, each with a separate queue and demand D_k / devices.
    delay_s : array_like, shape (...)
        W, what a transaction waits besides, whoever else there is. [s]

    Returns
    -------
    ClosedNetwork

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> found = closed_network([1, 1], clients=2)
    >>> [round(float(rate), 9) for rate in found.throughput_per_s]
    [0.5, 0.666666667]
    """
    problems = Problems("closed network", "give the number of clients at once")
    problems.check(
        _is_whole(clients) and 1 <= clients <= MOST_CLIENTS,
        "clients",
        clients,
        f"must be a whole number from 1 to {MOST_CLIENTS}",
    )
    problems.raise_if_any()
    stations = Stations.checked(demands_s, devices)
    pauses = broadcast(
        "closed network", amounts={"think_s": think_s, "delay_s": delay_s}
    )
    think, delay = pauses["think_s"], pauses["delay_s"]
    lead = np.broadcast_shapes(think.shape, stations.demands_s.shape[:-1])
    kinds = stations.demands_s.shape[-1]
    each = np.broadcast_to(stations.each_s, (*lead, kinds))
    count = np.broadcast_to(stations.devices, (*lead, kinds))
    return _recursion(
        each,
        count,
        np.broadcast_to(think, lead),
        np.broadcast_to(delay, lead),
        int(clients),
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _recursion(
    each: FloatArray,
    count: FloatArray,
    think: FloatArray,
    delay: FloatArray,
    clients: int,
) -> ClosedNetwork:
    lead, kinds = each.shape[:-1], each.shape[-1]
    each, count = each.reshape(-1, kinds), count.reshape(-1, kinds)
    # By number of clients first, so that a step writes its results where they stay.
    rates = np.empty((clients, len(each)))
    totals = np.empty_like(rates)
    queues = np.empty((clients, len(each), kinds))
    # Nothing demanded, nobody thinks: no queue, whatever the rate.
    wait = delay.reshape(-1)
    pause = think.reshape(-1) + wait
    nothing = (pause == 0) & ((count * each).sum(axis=-1) == 0)
    pause = np.where(nothing, 1.0, pause)
    before = np.zeros_like(queues[0])
    at_station, spent = np.empty_like(before), np.empty_like(before)
    cycle = np.empty_like(pause)
    steps = zip(rates, totals, queues, strict=True)
    for n, (rate, total, queue) in enumerate(steps, start=1):
        np.add(before, 1.0, out=at_station)
        np.multiply(each, at_station, out=at_station)
        np.multiply(count, at_station, out=spent)
        np.add.reduce(spent, axis=-1, out=total)
        np.add(total, pause, out=cycle)
        np.divide(n, cycle, out=rate)
        np.multiply(rate[:, None], at_station, out=queue)
        before = queue
    rates[:, nothing] = np.inf
    throughput = rates.T.reshape(*lead, clients)
    response = (totals + wait).T.reshape(*lead, clients)
    lengths = queues.swapaxes(0, 1).reshape(*lead, clients, kinds)
    each = each.reshape(*lead, kinds)
    finite = np.where(np.isfinite(throughput), throughput, 0.0)
    return ClosedNetwork(
        np.arange(1, clients + 1, dtype=np.int64),
        throughput,
        response,
        finite[..., None] * each[..., None, :],
        lengths,
    )
