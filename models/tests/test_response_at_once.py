"""Response times of many options at once are those of each by itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.evaluate.response.at_once import Asked, Responses, queues, responses
from tierwright.evaluate.response.mixture import (
    Way,
    mean_response,
    response_quantile,
    response_tail,
)
from tierwright.evaluate.response.queue import (
    Mix,
    servers_at_once,
    waiting,
    waiting_of_each,
)
from tierwright.evaluate.response.schemes import operation_times
from tierwright.hardware import catalog

FLASH = ("micron-7500-pro-15.36tb", "kioxia-cd7-7.68tb")
DISKS = ("seagate-exos-x24-24tb", "aws-ebs-gp3-baseline", "micron-7500-pro-15.36tb")
PAGE = 8192
SHARES = st.floats(0.0, 1.0).map(lambda share: 0.0 if share < 1e-4 else share)
OPTIONS = st.lists(
    st.tuples(
        SHARES,
        SHARES,
        SHARES,
        SHARES,
        st.integers(1, 40),
        st.integers(1, 400),
        st.floats(1.0, 1e6),
    ),
    min_size=1,
    max_size=6,
)


def made(
    flash: str, disk: str, options: list[tuple[float, ...]]
) -> tuple[Responses, np.ndarray]:
    """Options whose reads of both tiers together are at most all of the accesses."""
    rows = np.asarray(options, dtype=np.float64)
    total = np.maximum(1.0, rows[:, 0] + rows[:, 2])
    rows[:, 0] /= total
    rows[:, 2] /= total
    rates = rows[:, 6]
    asked = [Asked(rows[:, at], rows[:, at + 1], rows[:, 4 + at // 2]) for at in (0, 2)]
    devices = catalog.device(flash), catalog.device(disk)
    found = responses(devices, (asked[0], asked[1]), rates, PAGE)
    assert found is not None
    one = queues(devices[1], asked[1], rates, PAGE)
    largest = found.tiers[1].largest_accesses_per_s
    assert (one.largest_accesses_per_s == largest).all()
    return found, rows


def alone(name: str, row: np.ndarray, at: int) -> tuple[Way | None, float]:
    """What one option waits for in one tier by the queue of it alone, and the rate that it carries."""
    reads, writes, count, rate = row[at], row[at + 1], row[4 + at // 2], row[6]
    times = [
        operation_times(catalog.device(name), each, PAGE) for each in ("read", "write")
    ]
    busy, latency = (np.asarray([each[k] for each in times]) for k in range(2))
    if reads + writes <= 0:
        return None, math.inf
    shares = np.asarray([reads, writes]) / (reads + writes)
    is_disk = catalog.device(name).kind == "hdd"
    servers = 1 if is_disk else servers_at_once(busy, latency, shares)
    mix = Mix.checked(shares, servers * busy)
    wait = waiting(rate * (reads + writes) / count, servers=servers, mix=mix)
    largest = count * servers / ((reads + writes) * mix.mean_s)
    time = max(float(latency[0]), float(busy[0]))
    return (Way("disk", float(reads), time, (wait,)) if reads else None), largest


@pytest.mark.oracle(
    "evaluate.response.at_once.queues",
    "evaluate.response.at_once.responses",
    "evaluate.response.queue.waiting_of_each",
)
@pytest.mark.formula(
    "evaluate.response.at_once.queues",
    "evaluate.response.at_once.responses",
    "evaluate.response.queue.waiting_of_each",
)
@settings(max_examples=60)
@given(st.sampled_from(FLASH), st.sampled_from(DISKS), OPTIONS, st.floats(1e-5, 0.1))
def test_of_many_options_each_has_the_times_that_it_has_alone(
    flash: str, disk: str, options: list[tuple[float, ...]], limit_s: float
) -> None:
    found, rows = made(flash, disk, options)
    mean, median, p99 = found.mean_s, found.quantile_s(0.5), found.quantile_s(0.99)
    longer = found.longer(np.full(len(rows), limit_s))
    keeps = found.keeps(limit_s, {0.99: limit_s})
    for at, row in enumerate(rows):
        each = [alone(name, row, tier) for name, tier in ((flash, 0), (disk, 2))]
        carried = all(row[6] < largest for _, largest in each)
        assert bool(found.carried[at]) == carried
        if not carried:
            assert math.isnan(mean[at])
            assert math.isnan(p99[at])
            assert not keeps[at]
            continue
        ways = [way for way, _ in each if way is not None]
        missed = sum(way.share for way in ways)
        ways = [Way("ram", max(0.0, 1.0 - missed), 0.0), *ways]
        assert mean[at] == pytest.approx(float(mean_response(ways)), rel=1e-11)
        of = response_quantile(ways, [0.5, 0.99])
        # Of a device that is busy all but always the decay is the root of a difference of two equal numbers.
        spare = min(1 - row[6] / largest for _, largest in each)
        near = 1e-9 if spare > 1e-3 else 1e-2
        assert median[at] == pytest.approx(float(of[0]), rel=near, abs=1e-15)
        assert p99[at] == pytest.approx(float(of[1]), rel=near, abs=1e-15)
        tail = float(response_tail(ways, limit_s))
        assert longer[at] == pytest.approx(tail, rel=near, abs=1e-15)
        if spare <= 1e-3:
            continue
        if abs(tail - 0.01) > 1e-9 and abs(mean[at] - limit_s) > 1e-12:
            assert bool(keeps[at]) == (tail <= 0.01 and mean[at] <= limit_s)


def test_a_time_at_a_limit_keeps_it() -> None:
    found, _ = made(FLASH[0], DISKS[0], [(0.3, 0.1, 0.05, 0.01, 2, 60, 20_000.0)])
    p99, mean = float(found.quantile_s(0.99)[0]), float(found.mean_s[0])
    assert found.keeps(mean, {0.99: p99})[0]
    assert not found.keeps(mean, {0.99: p99 * (1 - 1e-6)})[0]
    assert not found.keeps(mean * (1 - 1e-6), {0.99: p99})[0]


def test_what_is_read_of_a_device_of_unknown_latency_is_unknown() -> None:
    untold = "samsung-pm9a3-7.68tb-u2"
    found, _ = made(
        untold,
        DISKS[0],
        [(0.3, 0.0, 0.0, 0.0, 1, 1, 10.0), (0.0, 0.1, 0.1, 0.0, 1, 1, 10.0)],
    )
    assert found.known.tolist() == [False, True]
    assert math.isnan(found.mean_s[0])
    assert math.isnan(found.quantile_s(0.99)[0])
    assert not found.keeps(1.0, {0.99: 1.0})[0]
    assert found.mean_s[1] > 0


def test_what_does_not_state_how_long_it_takes_has_no_response_times() -> None:
    device = catalog.device(FLASH[0])
    untold = replace(
        device,
        figures={
            key: each for key, each in device.figures.items() if "write" not in key
        },
    )
    asked = Asked(np.ones(1), np.zeros(1), np.ones(1))
    assert responses((device, untold), (asked, asked), np.ones(1), PAGE) is None
    assert responses((device, device), (asked, asked), np.ones(1), PAGE) is not None


def test_one_that_asks_nothing_of_a_tier_does_not_wait_for_it() -> None:
    found, _ = made(FLASH[0], DISKS[0], [(0.0, 0.0, 0.0, 0.0, 1, 1, 1e6)])
    assert found.mean_s.tolist() == [0.0]
    assert found.quantile_s(0.99).tolist() == [0.0]
    wait = waiting_of_each(
        np.zeros(1), np.ones(1), np.asarray([[1.0, 0.0]]), np.asarray([1e-3, 2e-3])
    )
    assert wait.probability.tolist() == [0.0]
    assert wait.mean_s.tolist() == [0.0]
