"""Clients at devices that work for nobody, too: write-back, checkpoints, what fills flash in the background.

Such work keeps devices busy, and no client waits for it. It grows with what the clients do, as counters of a replay say:
so much of it for each transaction. A device that spends a share u of its time on it serves clients as one that is
1 / (1 - u) times as slow, exact for work that arrives at random times (a mixed network of product form).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.evaluate.throughput.laws import asymptotic_bounds
from tierwright.evaluate.throughput.mva import ClosedNetwork, closed_network

_PARTS = 16
_ROUNDS = 6
"""Each narrows the throughput to a part of what it was known to, down to 16**-6 of the interval."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Clients at devices with work in the background.

    Attributes
    ----------
    throughput_per_s, response_s : float
        [1/s], [s]
    utilisation : tuple of float
        Of each kind of station, background work included. [1]
    knee_clients : float
        Where the bounds meet, N* = (D + W + Z) / D_max: D_max holds the background, D does not; NaN without any demand.
        [clients]
    """

    throughput_per_s: float
    response_s: float
    utilisation: tuple[float, ...]
    knee_clients: float


def network_with_background(
    waited_s: Sequence[float],
    background_s: Sequence[float],
    *,
    clients: int,
    think_s: float,
    devices: Sequence[int],
    delay_s: float,
) -> Loaded:
    """Solve a closed network whose stations work in the background, too, in proportion to its throughput.

    X is where the clients, at stations that are slower by what X asks of them in the background, reach X.

    Parameters
    ----------
    waited_s, background_s : sequence of float
        Demand of one transaction at each kind of station: what its client waits for, and what nobody does. [s]
    clients : int
        N.
    think_s, delay_s : float
        Z, W. [s]
    devices : sequence of int
        Equal stations of each kind.

    Examples
    --------
    One client at one station: half of the work is in the background, so X = (1 - X/2) / 0.5 = 1.

    >>> found = network_with_background(
    ...     [0.5], [0.5], clients=1, think_s=0, devices=[1], delay_s=0
    ... )
    >>> round(found.throughput_per_s, 6), round(found.response_s, 6)
    (1.0, 1.0)
    """
    waited, background, count = (
        np.asarray(each, dtype=np.float64) for each in (waited_s, background_s, devices)
    )
    bounds = asymptotic_bounds(
        waited + background,
        clients=clients,
        think_s=think_s,
        devices=devices,
        delay_s=delay_s,
    )
    largest = float(bounds.largest_demand_s)
    knee = (waited.sum() + delay_s + think_s) / largest if largest else np.nan

    def network(demands: NDArray[np.float64]) -> ClosedNetwork:
        return closed_network(
            demands, clients=clients, think_s=think_s, devices=devices, delay_s=delay_s
        )

    alone = network(waited)
    if not background.any():
        return Loaded(
            float(alone.throughput_per_s[-1]),
            float(alone.response_s[-1]),
            tuple(alone.utilisation[-1].tolist()),
            float(knee),
        )
    # Less than without any background; more than if it were waited for, too.
    high = min(float(bounds.max_throughput_per_s), float(alone.throughput_per_s[-1]))
    low = min(high, float(network(waited + background).throughput_per_s[-1]))
    for _ in range(_ROUNDS):
        # At the upper end a station may have no time left for clients.
        rates = np.linspace(low, high, _PARTS + 1)[:-1]
        left = 1.0 - rates[:, None] * background / count
        reached = network(waited / left).throughput_per_s[:, -1]
        at = max(0, int(np.count_nonzero(reached >= rates)) - 1)
        low, high = rates[at], (*rates, high)[at + 1]
    rate = float(low + high) / 2
    return Loaded(
        rate,
        clients / rate - think_s,
        tuple((rate * (waited + background) / count).tolist()),
        float(knee),
    )
