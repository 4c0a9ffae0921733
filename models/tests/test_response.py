"""Response time at a rate: queues, mixtures and schemes against slow or independent computations."""

from __future__ import annotations

import doctest
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate.metadata import preset
from tierwright.evaluate.modern.drive_queue import md1_tail
from tierwright.evaluate.page_flow.counts import hits_from_curve
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.response import mixture, queue, schemes
from tierwright.evaluate.response.mixture import (
    Way,
    mean_response,
    response_quantile,
    response_tail,
    tier_of_quantile,
)
from tierwright.evaluate.response.queue import (
    Mix,
    erlang_c,
    servers_at_once,
    waiting,
)
from tierwright.evaluate.response.schemes import (
    Hierarchy,
    least_flash_pages,
    least_ram_pages,
    scheme_response,
)
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.profile.curve import Curve

CURVE = Curve.from_lists(
    [1, 100, 200, 300, 400],
    [900, 400, 300, 250, 200],
    [150, 80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)
FLASH = catalog.device("intel-s4500-7.68tb")
DISK = catalog.device("face2016-cheetah-15k6-single")
TIERS = Hierarchy(FLASH, DISK)
WITH_LATENCIES = Hierarchy(
    catalog.device("micron-9550-max-3.2tb"), catalog.device("seagate-exos-x24-24tb")
)
POINT: dict[str, Any] = {"ram_pages": 100, "flash_pages": 150}
MS = 1e-3


def at(rates: Any, hierarchy: Hierarchy = TIERS, **other: Any) -> Any:
    return scheme_response(
        CURVE, hierarchy=hierarchy, accesses_per_s=rates, **{**POINT, **other}
    )


def own(kind: str, **figures: float) -> Device:
    units = {"iops": "1/s", "us": "µs", "bytes": "B", "depth": "1"}
    return device_from_mapping(
        {
            "id": "own",
            "name": "Own",
            "kind": kind,
            "figures": {
                name: {
                    "value": value,
                    "unit": units[name.rpartition("_")[2]],
                    "source": "a test",
                }
                for name, value in figures.items()
            },
        }
    )


@pytest.mark.parametrize("module", [mixture, queue, schemes])
def test_examples(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


class TestErlang:
    @pytest.mark.oracle("evaluate.response.queue.erlang_c")
    @pytest.mark.parametrize("servers", [1, 2, 5, 12])
    @pytest.mark.parametrize(
        "load", [Fraction(1, 10), Fraction(1, 2), Fraction(19, 20)]
    )
    def test_it_is_the_sum_over_all_states(self, servers: int, load: Fraction) -> None:
        offered = servers * load
        terms = [offered**k / math.factorial(k) for k in range(servers)]
        last = offered**servers / math.factorial(servers) / (1 - load)
        exact = last / (sum(terms) + last)
        assert float(erlang_c(servers, float(load))) == pytest.approx(float(exact))

    @pytest.mark.formula("evaluate.response.queue.erlang_c")
    @given(
        servers=st.integers(1, 300),
        loads=st.lists(st.floats(0, 0.999), min_size=2, max_size=8),
    )
    def test_it_rises_with_the_load_and_falls_with_servers(
        self, servers: int, loads: list[float]
    ) -> None:
        ordered = np.sort(loads)
        found = erlang_c(servers, ordered)
        assert np.all((found >= 0) & (found <= ordered + 1e-12))
        assert np.all(np.diff(found) >= -1e-12)
        assert np.all(erlang_c(servers + 1, ordered) <= found + 1e-12)

    def test_a_device_that_cannot_keep_up_has_no_probability(self) -> None:
        assert np.isnan(erlang_c(3, [1.0, 1.5])).all()

    @pytest.mark.parametrize("servers", [0, -1, 1.5, True])
    def test_it_refuses_what_is_no_number_of_servers(self, servers: Any) -> None:
        with pytest.raises(BadInput, match="must be a positive whole number"):
            erlang_c(servers, 0.5)


class TestServers:
    @pytest.mark.oracle("evaluate.response.queue.servers_at_once")
    def test_little_s_law_at_the_rated_point(self) -> None:
        """72,000 reads per second of 110 µs: 7.92 are in flight."""
        assert servers_at_once([1 / 72_000], [110e-6], [1.0]) == 8
        # Reads of 100 µs at 100,000/s and as many writes of 20 µs at 50,000/s: 60 µs / 15 µs.
        assert servers_at_once([1e-5, 2e-5], [100e-6, 20e-6], [0.5, 0.5]) == 4

    @pytest.mark.formula("evaluate.response.queue.servers_at_once")
    @given(
        busy=st.floats(1e-7, 1e-2),
        latency=st.one_of(st.floats(0, 1e-2), st.just(math.nan)),
    )
    def test_at_least_one_and_no_more_than_are_in_flight(
        self, busy: float, latency: float
    ) -> None:
        found = servers_at_once([busy], [latency], [1.0])
        if math.isnan(latency):
            assert found == 1
        else:
            assert (
                max(1.0, latency / busy - 0.5) <= found <= max(1, latency / busy + 0.5)
            )

    def test_an_unstated_latency_has_no_say(self) -> None:
        assert servers_at_once([1e-5, 2e-5], [100e-6, math.nan], [0.5, 0.5]) == 10

    def test_a_latency_that_is_no_time_is_refused(self) -> None:
        with pytest.raises(BadInput, match="must be finite and not negative"):
            servers_at_once([1e-5], [-1.0], [1.0])


def lindley(mix: Mix, rate: float, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Waits of a queue with one server, one customer after the other."""
    draw = random.Random(seed)
    kinds = range(len(mix.shares))
    wait, waits = 0.0, []
    for _ in range(count):
        waits.append(wait)
        [kind] = draw.choices(kinds, weights=mix.shares.tolist())
        length = float(mix.occupancy_s[kind])
        if mix.service == "exponential":
            length *= draw.expovariate(1.0)
        wait = max(0.0, wait + length - draw.expovariate(rate))
    return np.array(waits)


class TestWaiting:
    @pytest.mark.oracle("evaluate.response.queue.waiting")
    @pytest.mark.parametrize("service", ["constant", "exponential"])
    def test_one_server_is_the_queue_worked_off_one_by_one(self, service: Any) -> None:
        mix = Mix.checked([0.7, 0.3], [1.0, 3.0], service)
        rate = 0.7 / mix.mean_s
        waits = lindley(mix, rate, 400_000, 5)
        found = waiting(rate, servers=1, mix=mix)
        assert float(found.mean_s) == pytest.approx(waits.mean(), rel=0.03)
        for share in (0.9, 0.99, 0.999):
            left = (1 - share) / float(found.probability)
            tail = float(found.shift_s) - math.log(left) / float(found.decay_per_s)
            assert tail == pytest.approx(np.quantile(waits, share), rel=0.06)

    def test_several_exponential_servers_are_exact(self) -> None:
        """M/M/2 at rho = 1/2: C = 1/3, W = C s / (2 (1 - rho)) = s / 3."""
        mix = Mix.checked([1.0], [0.012], "exponential")
        found = waiting(1 / 0.012, servers=2, mix=mix)
        assert float(found.probability) == pytest.approx(1 / 3)
        assert float(found.mean_s) == pytest.approx(0.004)
        assert float(found.decay_per_s) == pytest.approx(1 / 0.012)

    @pytest.mark.parametrize("load", [0.3, 0.5, 0.9])
    @pytest.mark.parametrize("share", [0.99, 0.999])
    def test_one_length_of_service_has_the_known_tail(
        self, load: float, share: float
    ) -> None:
        known = md1_tail(service_s=0.01, utilisation=load, percentile=share)
        mix = Mix.checked([1.0], [0.01])
        alone = Way("disk", 1.0, 0.0, (waiting(load / 0.01, servers=1, mix=mix),))
        assert float(response_quantile([alone], share)) == pytest.approx(known.wait_s)

    @pytest.mark.formula("evaluate.response.queue.waiting")
    @given(
        servers=st.integers(1, 40),
        share=st.floats(0, 1),
        longer=st.floats(0.1, 20),
        service=st.sampled_from(["constant", "exponential"]),
        load=st.floats(0.01, 0.95),
    )
    def test_waits_grow_with_load_and_shrink_with_servers(
        self, servers: int, share: float, longer: float, service: Any, load: float
    ) -> None:
        mix = Mix.checked([share, 1 - share], [1.0, longer], service)
        rates = np.array([load / 2, load]) * servers / mix.mean_s
        found = waiting(rates, servers=servers, mix=mix)
        assert np.all(np.isfinite(found.mean_s))
        assert found.mean_s[0] <= found.mean_s[1]
        assert np.all(
            (found.probability >= 0) & (found.probability <= found.utilisation + 1e-9)
        )
        assert np.all(found.decay_per_s > 0)
        assert np.all(found.shift_s >= 0)
        more = waiting(rates, servers=servers + 1, mix=mix)
        assert np.all(more.mean_s <= found.mean_s)

    def test_from_a_utilisation_of_1_on_there_is_no_bound(self) -> None:
        mix = Mix.checked([1.0], [0.01])
        for servers in (1, 4):
            found = waiting([0.0, 100.0 * servers], servers=servers, mix=mix)
            assert found.utilisation.tolist() == [0.0, 1.0]
            assert found.mean_s[0] == 0.0
            assert found.probability[0] == 0.0
            for each in (found.mean_s, found.probability, found.decay_per_s):
                assert np.isnan(each[1])

    @pytest.mark.parametrize(
        ("shares", "times", "service", "why"),
        [
            ([0.5, 0.4], [1, 1], "constant", "must add up to 1"),
            ([1.0], [0.0], "constant", "must not all be 0"),
            ([1.0], [-1.0], "constant", "must not be negative"),
            ([1.0], [1.0], "uniform", "must be one of"),
        ],
    )
    def test_a_mix_that_is_none_is_refused(
        self, shares: Any, times: Any, service: Any, why: str
    ) -> None:
        with pytest.raises(BadInput, match=why):
            Mix.checked(shares, times, service)


def wait_of(load: float, servers: int = 1, time: float = 0.01) -> Any:
    mix = Mix.checked([1.0], [time])
    return waiting(load * servers / time, servers=servers, mix=mix)


def drawn(ways: list[Way], count: int) -> np.ndarray[Any, Any]:
    """Times of accesses, each drawn by itself: which way, and each wait on it."""
    draw = np.random.default_rng(3)
    chosen = draw.choice(len(ways), size=count, p=[way.share for way in ways])
    times = np.array([way.alone_s for way in ways])[chosen]
    for number, way in enumerate(ways):
        here = np.flatnonzero(chosen == number)
        for wait in way.waits:
            waits = draw.random(len(here)) < float(wait.probability)
            longer = float(wait.shift_s) + draw.exponential(
                1 / float(wait.decay_per_s), len(here)
            )
            times[here] += np.where(waits, longer, 0.0)
    return times


WAYS = [
    Way("ram", 0.6, 0.0),
    Way("flash", 0.3, 0.0001, (wait_of(0.4, 4, 0.0001),)),
    Way("disk", 0.06, 0.01, (wait_of(0.7),)),
    Way("disk", 0.04, 0.0202, (wait_of(0.7), wait_of(0.7), wait_of(0.4, 4, 0.0001))),
]


class TestMixture:
    @pytest.mark.oracle(
        "evaluate.response.mixture.response_quantile",
        "evaluate.response.mixture.response_tail",
    )
    def test_percentiles_are_those_of_accesses_drawn_one_by_one(self) -> None:
        times = drawn(WAYS, 2_000_000)
        for share in (0.5, 0.7, 0.95, 0.99, 0.999):
            found = float(response_quantile(WAYS, share))
            assert found == pytest.approx(np.quantile(times, share), rel=0.01)
            assert float(response_tail(WAYS, found)) <= 1 - share + 1e-9
        for time in (0.0, 0.0001, 0.011, 0.04, 0.06):
            assert float(response_tail(WAYS, time)) == pytest.approx(
                (times > time).mean(), rel=0.02
            )

    @pytest.mark.oracle("evaluate.response.mixture.mean_response")
    def test_the_mean_is_that_of_ways_and_waits(self) -> None:
        disk, flash = float(wait_of(0.7).mean_s), float(wait_of(0.4, 4, 0.0001).mean_s)
        by_hand = (
            0.3 * (0.0001 + flash)
            + 0.06 * (0.01 + disk)
            + 0.04 * (0.0202 + 2 * disk + flash)
        )
        assert float(mean_response(WAYS)) == pytest.approx(by_hand)

    @pytest.mark.formula(
        "evaluate.response.mixture.mean_response",
        "evaluate.response.mixture.response_quantile",
        "evaluate.response.mixture.response_tail",
        "evaluate.response.mixture.tier_of_quantile",
    )
    @given(
        hits=st.floats(0, 1),
        load=st.floats(0, 0.9),
        servers=st.integers(1, 8),
        share=st.floats(0.01, 0.999),
    )
    def test_a_percentile_lies_where_the_distribution_passes_it(
        self, hits: float, load: float, servers: int, share: float
    ) -> None:
        ways = [
            Way("ram", hits, 0.0),
            Way("disk", 1 - hits, 0.01, (wait_of(load, servers),)),
        ]
        found = float(response_quantile(ways, share))
        assert float(response_tail(ways, found)) <= 1 - share + 1e-9
        if found > 0:
            assert float(response_tail(ways, found * (1 - 1e-6))) >= 1 - share - 1e-9
        assert found <= float(response_quantile(ways, (1 + share) / 2))
        if abs(hits - share) > 1e-9:
            assert (found == 0) == (hits > share)
            assert (tier_of_quantile(ways, share) == "ram") == (hits > share)
        assert float(mean_response(ways)) >= (1 - hits) * 0.01 - 1e-12

    @pytest.mark.parametrize("many", [3, 20, 300, 700])
    def test_percentiles_of_many_loads_are_those_of_each_by_itself(
        self, many: int
    ) -> None:
        mix = Mix.checked([0.7, 0.3], [0.004, 0.012])

        def ways(load: object) -> list[Way]:
            disk = waiting(np.asarray(load) / mix.mean_s, servers=1, mix=mix)
            return [
                Way("ram", 0.4, 0.0),
                Way("flash", 0.2, 0.0001),
                Way("disk", 0.3, 0.0064, (disk,)),
                Way("disk", 0.1, 0.0128, (disk, disk), (0.0064, 0.0064)),
            ]

        loads = np.linspace(0.01, 0.97, many)
        shares = [0.3, 0.5, 0.99]
        found = response_quantile(ways(loads), shares)
        assert found.shape == (3, many)
        for at in (0, many // 2, many - 1):
            alone = [float(response_quantile(ways(loads[at]), each)) for each in shares]
            assert found[:, at] == pytest.approx(alone, rel=1e-7)

    @pytest.mark.oracle("evaluate.response.mixture.tier_of_quantile")
    @pytest.mark.parametrize("hits", [0.3, 0.5, 0.985, 0.99, 0.995])
    def test_the_tier_at_a_percentile_is_that_of_the_sorted_accesses(
        self, hits: float
    ) -> None:
        flash = (1 - hits) * 0.5
        ways = [
            Way("disk", 1 - hits - flash, 0.01),
            Way("ram", hits, 0.0),
            Way("flash", flash, 0.0001),
        ]
        count = 10_000
        listed = ["ram"] * round(hits * count) + ["flash"] * round(flash * count)
        listed += ["disk"] * (count - len(listed))
        for share in (0.5, 0.99, 0.999):
            assert (
                tier_of_quantile(ways, share)
                == listed[math.ceil(share * count - 1e-6) - 1]
            )

    def test_equal_rates_of_waits_have_percentiles_too(self) -> None:
        """Two waits of one queue: their sum is a gamma distribution where both wait."""
        wait = wait_of(0.8)
        ways = [Way("disk", 1.0, 0.0, (wait, wait))]
        times = drawn(ways, 1_000_000)
        assert float(response_quantile(ways, 0.99)) == pytest.approx(
            np.quantile(times, 0.99), rel=0.01
        )

    def test_times_that_vary_are_those_of_sums_of_exponential_times(self) -> None:
        """Without waits, a read and a write that vary: their sum, drawn one by one."""
        draw = np.random.default_rng(8)
        times = draw.exponential(0.01, 1_000_000) + draw.exponential(0.004, 1_000_000)
        way = Way("disk", 1.0, 0.014, (), (0.01, 0.004))
        for share in (0.5, 0.99):
            assert float(response_quantile([way], share)) == pytest.approx(
                np.quantile(times, share), rel=0.01
            )
        with pytest.raises(BadInput, match="must add up to alone_s"):
            mean_response([Way("disk", 1.0, 0.01, (), (0.01, 0.004))])

    def test_the_mean_of_percentiles_is_another_number(self) -> None:
        """98 of 100 are hits: the median is one, whatever the median of the disk is."""
        ways = [Way("ram", 0.98, 0.0), Way("disk", 0.02, 0.01, (wait_of(0.5),))]
        assert float(response_quantile(ways, 0.5)) == 0.0

    @pytest.mark.parametrize("share", [0.0, 1.0, -0.1, math.nan])
    def test_what_is_no_percentile_is_refused(self, share: float) -> None:
        with pytest.raises(BadInput, match="percentile"):
            response_quantile(WAYS, share)

    def test_shares_that_are_not_all_accesses_are_refused(self) -> None:
        with pytest.raises(BadInput, match="do not add up to 1"):
            mean_response([Way("ram", 0.5, 0.0)])


class TestSchemes:
    @pytest.mark.oracle("evaluate.response.schemes.scheme_response")
    def test_without_load_the_mean_is_the_latencies_of_the_hits(self) -> None:
        """Read alone takes 110 µs on flash, 1/IOPS on a disk that states no more."""
        single = evaluate(CURVE, flash=FLASH, disk=DISK, **POINT)
        for name, found in at(1e-6).items():
            result = single.schemes[name]
            by_hand = (
                result.flash_hits * 110e-6
                + result.flash_misses * single.inputs["disk_read_us"] * 1e-6
            ) / CURVE.accesses
            assert float(found.mean_s[0]) == pytest.approx(by_hand, rel=1e-6)

    def test_utilisation_is_the_busy_time_of_the_cost_terms(self) -> None:
        single = evaluate(CURVE, flash=FLASH, disk=DISK, **POINT)
        for name, found in at([100.0, 500.0]).items():
            terms = single.schemes[name].cost_terms_us_per_access
            disk_us = terms["disk_reads"] + terms["disk_writes"]
            assert found.stations["disk"].wait.utilisation == pytest.approx(
                np.array([100.0, 500.0]) * disk_us * 1e-6
            )
            assert found.largest_accesses_per_s == pytest.approx(1e6 / disk_us)
            assert found.bottleneck == "disk"

    def test_beyond_the_largest_rate_there_is_no_number(self) -> None:
        most = at(1.0)["none"].largest_accesses_per_s
        found = at([most * 0.999, most, most * 2])["none"]
        assert np.isfinite(found.mean_s[0])
        for column in (found.mean_s, *found.quantile_s.values()):
            assert np.isnan(column[1:]).all()

    def test_a_busy_flash_that_is_never_read_has_no_bound_either(self) -> None:
        """Inclusive with as much flash as RAM: written, never hit, and still in the way."""
        slow = own("nvme", read_iops=1e5, write_iops=100.0, read_latency_us=100.0)
        found = at([50.0, 1000.0], Hierarchy(slow, DISK, disks=100), flash_pages=100)[
            "inclusive"
        ]
        assert found.stations["flash"].reads_per_access == 0
        assert found.bottleneck == "flash"
        assert np.isnan(found.mean_s).tolist() == [False, True]

    def test_more_devices_carry_as_much_more(self) -> None:
        one, four = at(10.0), at(10.0, Hierarchy(FLASH, DISK, disks=4))
        assert four["none"].largest_accesses_per_s == pytest.approx(
            4 * one["none"].largest_accesses_per_s
        )
        assert float(four["none"].mean_s[0]) < float(one["none"].mean_s[0])

    def test_writes_that_are_waited_for_add_their_time(self) -> None:
        background = at(1e-6)
        waited = at(1e-6, Hierarchy(FLASH, DISK, writes="waited_for"))
        for name, found in background.items():
            other = waited[name]
            stations = found.stations
            more = sum(
                each.writes_per_access * each.write_alone_s
                for each in stations.values()
            )
            assert float(other.mean_s[0] - found.mean_s[0]) == pytest.approx(more)
            assert other.largest_accesses_per_s == found.largest_accesses_per_s

    def test_the_known_error_of_the_hits_is_a_range_of_the_mean(self) -> None:
        found = at([10.0, 200.0])
        assert found["exclusive"].mean_range_s is None
        low, high = found["lazy"].mean_range_s
        assert np.all((low < found["lazy"].mean_s) & (found["lazy"].mean_s < high))

    def test_metadata_are_taken_from_the_ram(self) -> None:
        free, charged = (
            at(10.0, flash_pages=10, flash_metadata=each)
            for each in (None, preset("face"))
        )
        assert charged["exclusive"].share_of("ram") < free["exclusive"].share_of("ram")
        assert charged["none"].share_of("ram") == free["none"].share_of("ram")
        with pytest.raises(BadInput, match="hold less than the flash metadata"):
            at(10.0, ram_pages=1, flash_pages=400, flash_metadata=preset("face"))

    def test_a_single_disk_serves_one_operation_at_once(self) -> None:
        """Even one whose latency and IOPS are those of a queue."""
        drive = own("hdd", read_iops=400.0, write_iops=400.0, read_latency_us=10_000.0)
        array = own(
            "hdd_array", read_iops=400.0, write_iops=400.0, read_latency_us=10_000.0
        )
        assert at(1.0, Hierarchy(FLASH, drive))["none"].stations["disk"].servers == 1
        assert at(1.0, Hierarchy(FLASH, array))["none"].stations["disk"].servers == 4

    def test_stated_operations_at_once_go_before_little_s_law(self) -> None:
        stated = Hierarchy(FLASH, DISK, at_once={"flash": 3})
        assert at(1.0, stated)["lazy"].stations["flash"].servers == 3

    @pytest.mark.parametrize("rate", [0.0, -5.0, math.inf, math.nan, "many", []])
    def test_what_is_no_rate_is_refused(self, rate: Any) -> None:
        with pytest.raises(BadInput, match="accesses_per_s") as refused:
            at(rate)
        assert "page accesses per second" in refused.value.hint

    def test_a_device_without_iops_is_refused_by_name(self) -> None:
        nothing = own("nvme", read_latency_us=100.0)
        with pytest.raises(BadInput, match=r"own.*no write service time"):
            at(10.0, Hierarchy(nothing, DISK))

    @pytest.mark.parametrize(
        ("name", "value"),
        [("disks", 0), ("flash_devices", 1.5), ("service", "x"), ("writes", "x")],
    )
    def test_a_hierarchy_that_is_none_is_refused(self, name: str, value: Any) -> None:
        with pytest.raises(BadInput, match=name):
            at(10.0, Hierarchy(FLASH, DISK, **{name: value}))


class TestSizes:
    @pytest.mark.oracle("evaluate.response.schemes.least_flash_pages")
    @pytest.mark.parametrize("scheme", ["inclusive", "exclusive", "lazy"])
    @pytest.mark.parametrize("share", [0.35, 0.28, 0.21, 0.1])
    def test_least_flash_is_the_first_of_all_sizes_that_suffices(
        self, scheme: str, share: float
    ) -> None:
        sizes = np.arange(CURVE.data_pages + 1)
        misses = hits_from_curve(CURVE, 100, sizes)[scheme].flash_misses
        enough = sizes[misses <= share * CURVE.accesses].tolist()
        found = least_flash_pages(
            CURVE, scheme, ram_pages=100, hierarchy=TIERS, disk_share=share
        )
        assert found == (enough[0] if enough else None)

    @pytest.mark.oracle("evaluate.response.schemes.least_ram_pages")
    @pytest.mark.parametrize("share", [0.5, 0.65, 0.7, 0.8, 0.9])
    def test_least_ram_is_the_first_of_all_sizes_that_suffices(
        self, share: float
    ) -> None:
        enough = [
            pages
            for pages in range(1, CURVE.data_pages + 1)
            if float(CURVE.misses(pages)) <= (1 - share) * CURVE.accesses
        ]
        assert least_ram_pages(CURVE, share) == (enough[0] if enough else None)

    @pytest.mark.formula(
        "evaluate.response.schemes.least_flash_pages",
        "evaluate.response.schemes.least_ram_pages",
        "evaluate.response.schemes.scheme_response",
    )
    @given(share=st.floats(0.01, 0.6))
    def test_a_page_less_is_not_enough(self, share: float) -> None:
        flash = least_flash_pages(
            CURVE, "exclusive", ram_pages=100, hierarchy=TIERS, disk_share=share
        )
        if flash:
            left, before = (
                at(1.0, flash_pages=pages, percentiles=())["exclusive"].share_of("disk")
                for pages in (flash, flash - 1)
            )
            assert left <= share + 1e-12 < before + 2e-12
        ram = least_ram_pages(CURVE, 1 - share)
        if ram is not None and ram > 1:
            assert float(CURVE.misses(ram - 1)) > share * CURVE.accesses
