"""A device as a queue: c operations at once, reads and writes of different lengths, Poisson arrivals.

Sources: Erlang C (A. K. Erlang, 1917). M/G/c by the scaling of A. M. Lee and P. A. Longton
("Queueing processes associated with airline passenger check-in", Operational Research Quarterly
10(1), 1959), of which Allen and Cunneen's formula for general arrivals is a case. For one server
the mean is exact (Pollaczek and Khinchine) and the tail is the exponential one of Cramer and
Lundberg, which `tierwright.evaluate.modern.drive_queue.md1_tail` is for one length of service.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import Problems
from tierwright.common.fields import is_count

Bools = NDArray[np.bool_]
Service = Literal["constant", "exponential"]
SERVICES: dict[Service, str] = {
    "constant": "every read, and every write, takes its stated time",
    "exponential": "times vary as an exponential distribution does, about the stated mean",
}
"""How the time of one operation varies about what a device states: name and meaning."""
MOST_SERVERS = 100_000
"""Operations that a device may serve at once."""
_HALVINGS = 100
_WHOLE = 1e-9
"""How far shares may be from adding up to 1. [1]"""
_IDLE = 1e-12
"""Utilisation below which nothing waits. [1]"""
_BELOW_POLE = 1e-9
"""Share of its pole that the search for a decay rate keeps away from it. [1]"""


@dataclass(frozen=True, slots=True)
class Mix:
    """Operations of a device: how often each comes, and how long it occupies a server.

    Attributes
    ----------
    shares : float64 array, shape (J,)
        Share of each kind among the operations, above 0; they add up to 1. [1]
    occupancy_s : float64 array, shape (J,)
        How long one of the kind occupies a server on average. [s]
    service : str
        Key of `SERVICES`.
    """

    shares: FloatArray
    occupancy_s: FloatArray
    service: Service = "constant"

    @classmethod
    def checked(
        cls, shares: ArrayLike, occupancy_s: ArrayLike, service: Service = "constant"
    ) -> Mix:
        """Check a mix.

        Raises
        ------
        BadInput
            If shares are not shares that add up to 1, a time is negative or all are 0, or the
            service is unknown.
        """
        v = broadcast(
            "mix of operations",
            amounts={"occupancy_s": occupancy_s},
            shares={"shares": shares},
        )
        problems = Problems("mix of operations", "give a share and a time of each kind")
        given = np.atleast_1d(v["shares"])
        times = np.atleast_1d(v["occupancy_s"])
        problems.check(
            abs(float(given.sum()) - 1.0) < _WHOLE, "shares", shares, "must add up to 1"
        )
        problems.check(
            float(given @ times) > 0, "occupancy_s", occupancy_s, "must not all be 0"
        )
        problems.check(
            service in SERVICES,
            "service",
            service,
            f"must be one of {', '.join(SERVICES)}",
        )
        problems.raise_if_any()
        some = given > 0
        return cls(given[some], times[some], service)

    @property
    def mean_s(self) -> float:
        """Mean time that an operation occupies a server. [s]"""
        return float(self.shares @ self.occupancy_s)

    @property
    def second_moment_s2(self) -> float:
        """Mean of its square. [s^2]"""
        factor = 1.0 if self.service == "constant" else 2.0
        return factor * float(self.shares @ self.occupancy_s**2)

    @property
    def scv(self) -> float:
        """Squared coefficient of variation: variance over squared mean. [1]"""
        return max(0.0, self.second_moment_s2 / self.mean_s**2 - 1.0)


@dataclass(frozen=True, slots=True)
class Wait:
    """Waiting time of an operation before its service; arrays of one shape.

    With probability `probability` it is `shift_s` and an exponential time of rate `decay_per_s`
    longer; else it is 0. Where the device cannot keep up, all but `utilisation` are NaN.

    Attributes
    ----------
    utilisation : float64 array
        rho = arrival rate x mean service time / servers; from 1 on the queue grows without
        bound. [1]
    mean_s : float64 array
        Mean wait: exact for one server, by Lee and Longton for several. [s]
    probability : float64 array
        [1]
    shift_s : float64 array
        [s]
    decay_per_s : float64 array
        [1/s]
    """

    utilisation: FloatArray
    mean_s: FloatArray
    probability: FloatArray
    shift_s: FloatArray
    decay_per_s: FloatArray


def servers_at_once(busy_s: ArrayLike, latency_s: ArrayLike, shares: ArrayLike) -> int:
    """Operations that a device serves at once, by Little's law at its rated point.

    c = latency / (1/IOPS), both means over the mix of operations, rounded, at least 1.

    Parameters
    ----------
    busy_s : array_like, shape (J,)
        1/IOPS of each kind of operation. [s]
    latency_s : array_like, shape (J,)
        What one request of the kind takes; NaN where it is not stated: that kind has no say. [s]
    shares : array_like, shape (J,)
        Of the operations. [1]

    Returns
    -------
    int
        1 where no latency is stated.

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    900,000 reads per second, each of which takes 80 µs:

    >>> servers_at_once([1 / 900_000], [80e-6], [1.0])
    72
    """
    v = broadcast("servers", amounts={"busy_s": busy_s}, shares={"shares": shares})
    latency = np.broadcast_to(
        np.asarray(latency_s, dtype=np.float64), v["busy_s"].shape
    )
    problems = Problems("servers", "give latencies in seconds, NaN where unknown")
    problems.check(
        not np.any(latency < 0) and not np.any(np.isinf(latency)),
        "latency_s",
        latency_s,
        "must be finite and not negative",
    )
    problems.raise_if_any()
    known = ~np.isnan(latency)
    busy = float(np.sum(v["shares"] * v["busy_s"], where=known))
    if busy <= 0:
        return 1
    taken = float(np.sum(v["shares"] * np.where(known, latency, 0.0)))
    return int(np.clip(np.rint(taken / busy), 1, MOST_SERVERS))


def erlang_c(servers: int, utilisation: ArrayLike) -> FloatArray:
    """Probability that an arrival waits in M/M/c.

    B(0) = 1, B(k) = a B(k-1) / (k + a B(k-1)) with a = c rho; C = B(c) / (1 - rho (1 - B(c))).

    Parameters
    ----------
    servers : int
        c, from 1 to `MOST_SERVERS`.
    utilisation : array_like
        rho, in [0, 1); 1 and more give NaN. [1]

    Returns
    -------
    float64 array
        [1]

    Raises
    ------
    BadInput
        If there is no whole number of servers, or the utilisation is negative or not finite.

    Examples
    --------
    >>> float(erlang_c(1, 0.5)), round(float(erlang_c(2, 0.5)), 6)
    (0.5, 0.333333)
    """
    problems = Problems("Erlang C", f"use from 1 to {MOST_SERVERS} servers")
    problems.check(
        is_count(servers, MOST_SERVERS) and servers > 0,
        "servers",
        servers,
        "must be a positive whole number",
    )
    problems.raise_if_any()
    load = broadcast("Erlang C", amounts={"utilisation": utilisation})["utilisation"]
    below = np.where(load < 1, load, 0.0)
    waits = _erlang_c_of_each(np.asarray(float(servers)), below)
    return np.asarray(np.where(load < 1, waits, np.nan))


def waiting(arrivals_per_s: ArrayLike, *, servers: int, mix: Mix) -> Wait:
    """Wait before service in M/G/c.

    Several servers: W = (1 + cv^2) / 2 x W(M/M/c), W(M/M/c) = C s / (c (1 - rho)), by Lee and
    Longton; an operation waits with the probability C of Erlang, and then an exponential time.
    One server: W = lambda E[s^2] / (2 (1 - rho)), exact; P(wait > t) = min(rho, A exp(-theta t))
    with theta > 0 from lambda (E[exp(theta s)] - 1) = theta and
    A = (1 - rho) / (lambda E[s exp(theta s)] - 1), exact for large t.

    Parameters
    ----------
    arrivals_per_s : array_like
        lambda, at one device. [1/s]
    servers : int
        c: how many operations it serves at once.
    mix : Mix
        What arrives; mean s, squared coefficient of variation cv^2.

    Returns
    -------
    Wait
        Of the shape of the rate.

    Raises
    ------
    BadInput
        If a rate is negative or not finite, or the servers are not a whole number from 1 on.

    Examples
    --------
    A disk of 10 ms that reads 50 pages per second waits 5 ms on average:

    >>> disk = Mix.checked([1.0], [0.010])
    >>> round(float(waiting(50, servers=1, mix=disk).mean_s), 9)
    0.005
    """
    rate = broadcast("waiting", amounts={"arrivals_per_s": arrivals_per_s})[
        "arrivals_per_s"
    ]
    load = rate * mix.mean_s / servers
    waits = erlang_c(servers, load)
    keeps_up = load < 1
    spare = np.where(keeps_up, 1 - load, np.nan)
    given_wait = (1 + mix.scv) / 2 * mix.mean_s / (servers * spare)
    mean = waits * given_wait
    if servers > 1:
        return Wait(load, mean, waits, np.where(keeps_up, 0.0, np.nan), 1 / given_wait)
    decay, constant = _tail_of_one(
        rate, load, mix.occupancy_s, mix.shares, mix.second_moment_s2, mix.service
    )
    some = keeps_up & (load > _IDLE)
    probability = np.where(
        some, np.minimum(load, constant), np.where(keeps_up, 0, np.nan)
    )
    # Of a load next to 0 the quotient has no number: nothing waits for it.
    busy = np.where(some, load, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where(
            some, np.maximum(0.0, np.log(constant / busy)) / decay, spare * 0.0
        )
    return Wait(load, mean, probability, shift, np.where(some, decay, 1 / given_wait))


def waiting_of_each(
    arrivals_per_s: FloatArray,
    servers: FloatArray,
    shares: FloatArray,
    busy_s: FloatArray,
) -> Wait:
    """Wait before service in many queues M/G/c, each with a mix and a number of servers of its own.

    As `waiting` of each of them, where every operation takes its stated time.

    Parameters
    ----------
    arrivals_per_s : float64 array, shape (N,)
        lambda, at one device. [1/s]
    servers : float64 array, shape (N,)
        c, whole numbers from 1 on.
    shares : float64 array, shape (N, J)
        Share of each kind of operation; they add up to 1. [1]
    busy_s : float64 array, shape (J,)
        1/IOPS of each kind: it occupies a server c times as long. [s]

    Returns
    -------
    Wait
        Of shape (N,); NaN where a device cannot keep up.
    """
    occupancy = servers[:, None] * busy_s
    mean_s = _of_shares(occupancy, shares)
    second = _of_shares(occupancy**2, shares)
    with np.errstate(divide="ignore", invalid="ignore"):
        scv = np.maximum(0.0, second / mean_s**2 - 1.0)
        load = arrivals_per_s * mean_s / servers
        keeps_up = load < 1
        waits = _erlang_c_of_each(servers, np.where(keeps_up, load, 0.0))
        spare = np.where(keeps_up, 1 - load, np.nan)
        given_wait = (1 + scv) / 2 * mean_s / (servers * spare)
        mean = waits * given_wait
        probability = np.where(keeps_up, waits, np.nan)
        shift, decay = np.where(keeps_up, 0.0, np.nan), 1 / given_wait
    alone = (servers == 1) & keeps_up
    probability[alone] = 0.0
    [one] = np.nonzero(alone & (load > _IDLE))
    if len(one):
        rate, constant = _tail_of_one(
            arrivals_per_s[one], load[one], busy_s, shares[one], second[one]
        )
        probability[one] = np.minimum(load[one], constant)
        with np.errstate(divide="ignore", invalid="ignore"):
            shift[one] = np.maximum(0.0, np.log(constant / load[one])) / rate
        decay[one] = rate
    return Wait(load, mean, probability, shift, decay)


def _of_shares(each: FloatArray, shares: FloatArray) -> FloatArray:
    """Mean over kinds of operations, of which what no operation is counts nothing, whatever it takes."""
    if shares.ndim == 1:
        return np.asarray(each @ shares)
    return np.asarray((np.where(shares > 0, each, 0.0) * shares).sum(axis=-1))


def _erlang_c_of_each(servers: FloatArray, below: FloatArray) -> FloatArray:
    """As `erlang_c`, each with servers of its own, at a utilisation below 1."""
    offered = servers * below
    blocked = np.ones_like(offered)
    for k in range(1, int(servers.max(initial=0)) + 1):
        passed = offered * blocked
        blocked = np.where(k <= servers, passed / (k + passed), blocked)
    return np.asarray(blocked / (1 - below * (1 - blocked)))


def _tail_of_one(
    rate: FloatArray,
    load: FloatArray,
    times: FloatArray,
    shares: FloatArray,
    second: FloatArray | float,
    service: Service = "constant",
) -> tuple[FloatArray, FloatArray]:
    """Return decay [1/s] and constant [1] of the tail of M/G/1, where it keeps up and is asked.

    Shares of the kinds of operations are the same of all, (J,), or each its own, (N, J); `second` is the second moment of
    the service time. [s^2]
    """
    some = (load > _IDLE) & (load < 1)
    arrivals = np.where(some, rate, 1.0)
    idle = np.where(some, 1 - load, 1.0)
    constant_service = service == "constant"

    def grown(theta: FloatArray) -> FloatArray:
        """E[exp(theta s)] - 1."""
        x = theta[..., None] * times
        return _of_shares(np.expm1(x) if constant_service else x / (1 - x), shares)

    def slope(theta: FloatArray) -> FloatArray:
        """E[s exp(theta s)]."""
        x = theta[..., None] * times
        each = np.exp(x) if constant_service else 1 / (1 - x) ** 2
        return _of_shares(times * each, shares)

    # The third and later terms of the series only help: the root lies below that of two terms.
    high = 2 * idle / (arrivals * second)
    if not constant_service:
        high = np.minimum(high, (1 - _BELOW_POLE) / float(times.max()))
    low = np.zeros_like(high)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            # No number lies between neighbours: all further halvings find the same.
            if np.all((middle == low) | (middle == high)):
                break
            beyond = arrivals * grown(middle) > middle
            high = np.where(beyond, middle, high)
            low = np.where(beyond, low, middle)
        constant = idle / (arrivals * slope(low) - 1)
    return low, constant
