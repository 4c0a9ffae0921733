"""Economics of today: properties of every formula, and the RAM that pays for itself."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import recordings
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.dram_or_flash import (
    elsewhere,
    paying_ram,
    platform_load,
    platform_verdict,
)
from tierwright.advise.dram_or_flash.paying_ram import ram_that_pays
from tierwright.catalogue.vectors import conformance
from tierwright.catalogue.vectors.conformance import FORMULAS
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.common.hull import below_chords
from tierwright.common.wording import duration
from tierwright.evaluate.break_even.interval import (
    HostShare,
    PricedTier,
    TierInterval,
    tier_interval,
)
from tierwright.evaluate.modern.break_even import curve_break_even
from tierwright.evaluate.modern.platform import (
    lognormal_intervals,
    lognormal_threshold,
    platform_thresholds,
)
from tierwright.evaluate.modern.write_amplification import MOST_LEVELS, waf_uniform
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve

ROOTS = settings(deadline=None, max_examples=40)
RELATIVE = 1e-9

sizes = st.floats(512, 1e6)
rates = st.floats(1e3, 1e8)
prices = st.floats(0.01, 1e5)
spares = st.floats(0.02, 2.0)
loads = st.floats(0.05, 0.95)


def test_every_published_vector_passes(shared: Path) -> None:
    path = shared / "reference" / "modern-vectors.json"
    if not path.is_file():
        pytest.skip("no vectors of today's economics in the shared reference material")
    report = conformance.run_file(path)
    assert report.failures == ()
    count = len(json.loads(path.read_text("utf-8"))["vectors"])
    assert (report.passed, report.unknown) == (count, 0)


# --- a drive, its queue, its platform ------------------------------------------------------


@st.composite
def drives(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "read_to_write": draw(st.floats(0, 99)),
        "write_amplification": draw(st.floats(1, 10)),
        "sense_s": draw(st.floats(1e-6, 1e-4)),
        "program_s": draw(st.floats(1e-5, 3e-3)),
        "nand_page_bytes": draw(st.sampled_from([4096, 8192, 16384])),
        "planes": draw(st.integers(1, 8)),
        "channels": draw(st.integers(1, 32)),
        "dies_per_channel": draw(st.integers(1, 16)),
        "command_s": draw(st.floats(1e-8, 2e-6)),
        "channel_bytes_per_s": draw(st.floats(1e8, 5e9)),
        "block_bytes": draw(st.sampled_from([512, 4096, 16384])),
    }


@pytest.mark.formula("mod.ssd_peak_iops", "mod.ssd_peak_iops_times")
@given(drives())
def test_times_averaged_are_never_above_rates_averaged(drive: dict[str, Any]) -> None:
    printed = FORMULAS["mod.ssd_peak_iops"](drive)
    corrected = FORMULAS["mod.ssd_peak_iops_times"](drive)
    assert corrected["peak_iops"] <= printed["peak_iops"] * (1 + RELATIVE)
    assert printed["read_share"] + printed["write_share"] == pytest.approx(1)


@pytest.mark.formula("mod.ssd_cost")
@given(st.integers(1, 500), st.floats(1, 8), st.floats(0, 100))
def test_a_drive_costs_more_with_more_dies(
    dies: int, entry: float, dram: float
) -> None:
    def cost(count: int) -> float:
        given_ = {"controller": 15, "die": 1, "die_bytes": 3e10, "dram_die": dram}
        more = {"dies": count, "dram_die_bytes": 3e9, "ftl_entry_bytes": entry}
        return float(FORMULAS["mod.ssd_cost"]({**given_, **more})["cost"])

    assert cost(dies + 1) > cost(dies)


@pytest.mark.formula("mod.break_even_host")
@given(sizes, rates, rates, prices, prices, prices)
def test_the_interval_falls_with_the_block_and_rises_with_the_drive(
    block: float,
    core_iops: float,
    ssd_iops: float,
    core: float,
    dram: float,
    ssd: float,
) -> None:
    def interval(**changes: float) -> float:
        inputs = {
            "core_cost": core,
            "core_iops": core_iops,
            "block_bytes": block,
            "dram_cost": dram,
            "dram_bytes": 2**36,
            "dram_bytes_per_s": 2**35,
            "ssd_cost": ssd,
            "ssd_iops": ssd_iops,
        }
        return float(FORMULAS["mod.break_even_host"](inputs | changes)["interval_s"])

    assert interval(block_bytes=2 * block) < interval()
    assert interval(ssd_cost=2 * ssd) >= interval()


@pytest.mark.formula("mod.read_latency", "mod.max_utilisation")
@given(loads, st.floats(1e-6, 1e-3), st.floats(0.5, 0.999))
def test_the_largest_load_meets_its_limit_and_rises_with_it(
    load: float, sense: float, percentile: float
) -> None:
    drive = {"channels": 16, "peak_iops": 2e6, "sense_s": sense}
    tail = FORMULAS["mod.read_latency"](
        {**drive, "utilisation": load, "percentile": percentile}
    )["tail_s"]

    def most(limit: float) -> float:
        limits = {"tail_limit_s": limit, "percentile": percentile}
        return float(FORMULAS["mod.max_utilisation"]({**drive, **limits})["rho_max"])

    assert most(tail) == pytest.approx(load, rel=1e-6)
    assert most(tail * 2) > most(tail)


@pytest.mark.formula("mod.md1_tail")
@given(loads, st.floats(0.9, 0.999))
def test_the_tail_solves_its_equation_and_rises_with_the_percentile(
    load: float, percentile: float
) -> None:
    def at(share: float) -> dict[str, float]:
        inputs = {"service_s": 1, "utilisation": load, "percentile": share}
        return FORMULAS["mod.md1_tail"](inputs)

    theta = at(percentile)["decay"]
    assert load * math.expm1(theta) == pytest.approx(theta, rel=1e-9)
    assert at(percentile)["wait_s"] <= at((1 + percentile) / 2)["wait_s"]


@pytest.mark.formula("mod.usable_iops")
@given(st.floats(0, 1), rates, rates, st.integers(1, 64))
def test_usable_is_within_both_bounds(
    rho: float, peak: float, host: float, ssds: int
) -> None:
    inputs = {"rho_max": rho, "peak_iops": peak, "host_iops": host, "ssds": ssds}
    found = FORMULAS["mod.usable_iops"](inputs)
    assert found["iops"] == min(rho * peak, host / ssds)


@pytest.mark.formula("mod.platform_thresholds")
@given(
    st.lists(st.floats(0.1, 1e4), min_size=1, max_size=30),
    st.floats(0, 5000),
    st.floats(1, 1e6),
    st.floats(1, 1e6),
)
def test_the_storage_threshold_falls_with_drives(
    intervals: list[float], dram: float, bandwidth: float, storage: float
) -> None:
    def found(drives: int) -> dict[str, Any]:
        return FORMULAS["mod.platform_thresholds"](
            {
                "block_bytes": 100,
                "intervals_s": intervals,
                "dram_bytes": dram,
                "dram_bytes_per_s": bandwidth,
                "ssd_bytes_per_s": drives * storage,
            }
        )

    assert found(2)["T_S"] <= found(1)["T_S"]
    assert found(1)["viable"] == (found(1)["limit"] == "none")


@pytest.mark.formula("mod.lognormal_intervals")
@given(st.floats(-3, 6), st.floats(0.2, 2), st.floats(0.01, 1e4))
def test_cached_and_uncached_add_up(mu: float, sigma: float, threshold: float) -> None:
    inputs = {"blocks": 1e6, "block_bytes": 4096, "mu": mu, "sigma": sigma}
    found = FORMULAS["mod.lognormal_intervals"]({**inputs, "threshold_s": threshold})
    parts = found["cached_bytes_per_s"] + found["uncached_bytes_per_s"]
    assert parts == pytest.approx(found["total_bytes_per_s"], rel=1e-9)
    assert 0 <= found["cached_blocks"] <= 1e6


# --- the workload's own curve --------------------------------------------------------------


@st.composite
def curves(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    steps = draw(
        st.lists(
            st.tuples(st.integers(1, 500), st.integers(0, 2000)),
            min_size=1,
            max_size=20,
        )
    )
    pages, misses = [0], [sum(saved for _, saved in steps) + draw(st.integers(0, 1000))]
    for gained, saved in steps:
        pages.append(pages[-1] + gained)
        misses.append(misses[-1] - saved)
    return pages, misses


@pytest.mark.formula("mod.curve_break_even")
@given(curves(), st.integers(1, 5000), st.integers(1, 5000))
def test_the_size_bought_is_the_size_of_least_cost(
    curve: tuple[list[int], list[int]], duration: int, tau: int
) -> None:
    pages, misses = curve
    found = curve_break_even(
        pages=pages, misses=misses, duration_s=duration, break_even_s=tau
    )
    cost = {c: c * duration / tau + m for c, m in zip(pages, misses, strict=True)}
    assert cost[int(found.pages)] == pytest.approx(min(cost.values()), rel=1e-12)
    known = [each for each in found.interval_s if each is not None]
    assert known == sorted(known)
    more = curve_break_even(
        pages=pages, misses=misses, duration_s=duration, break_even_s=2 * tau
    )
    assert found.pages <= more.pages <= found.hull_pages[-1]


def an_interval(lower: str, interval: float) -> TierInterval:
    return TierInterval("dram", lower, 4096, interval, (), "", "", (), ())


@pytest.mark.formula("advise.dram_or_flash.paying_ram.ram_that_pays")
@given(st.floats(0.01, 1e5), st.integers(1, 300), st.floats(1, 1e5))
def test_ram_that_pays_is_of_least_money_and_its_sentence_says_which_is_more(
    tau: float, ram: int, rate: float
) -> None:
    curve = Curve.from_hit_ratios([(10, 0.5), (50, 0.8), (200, 0.9)], accesses=1000)
    found = ram_that_pays(
        curve,
        ram,
        [an_interval("ssd", tau)],
        {"ssd": "SSD"},
        accesses_per_s=rate,
        rate_basis="as given",
    )
    assert found is not None
    [size] = found.sizes
    misses = {0: 1000.0, 10: 500.0, 50: 200.0, 200: 100.0}
    cost = {each: each / tau + many / 1000 * rate for each, many in misses.items()}
    assert cost[size.pages] == pytest.approx(min(cost.values()), rel=1e-9)
    assert size.bytes == size.pages * 4096
    assert ("is larger" in size.sentence) == (0 < size.pages < ram)
    assert ("is smaller" in size.sentence) == (size.pages > ram)
    assert ("No RAM pays" in size.sentence) == (size.pages == 0)
    assert ("No RAM pays" in found.finding) == (size.pages == 0)


@pytest.mark.oracle("advise.dram_or_flash.paying_ram.ram_that_pays")
@pytest.mark.parametrize(
    ("tau", "ram", "pages", "words"),
    [
        (0.01, 50, 0, "No RAM pays for itself where misses are read from SSD"),
        (1.0, 50, 50, "is just what pays for itself"),
        (1.0, 60, 50, "saves an access less often than once in 1.00 s"),
        (1.0, 20, 50, "(50 pages) where misses are read from SSD; the existing"),
        (9.0, 20, 200, "which is all the curve covers"),
    ],
)
def test_ram_that_pays_by_hand(tau: float, ram: int, pages: int, words: str) -> None:
    """100 accesses/s: a page saves one in 0.2 s up to 10, in 1.33 / 10 s up to 50, then 15 s."""
    curve = Curve.from_hit_ratios([(10, 0.5), (50, 0.8), (200, 0.9)], accesses=1000)
    found = ram_that_pays(
        curve,
        ram,
        [an_interval("ssd", tau)],
        {"ssd": "SSD"},
        accesses_per_s=200.0,
        rate_basis="as given",
    )
    assert found is not None
    assert found.interval_s == pytest.approx([0.1, 2 / 3, 7.5])
    assert found.sizes[0].pages == pages
    assert words in found.sizes[0].sentence


@pytest.mark.oracle("advise.dram_or_flash.paying_ram.known_break_evens")
@pytest.mark.formula("advise.dram_or_flash.paying_ram.known_break_evens")
@given(st.lists(st.none() | st.floats(0.1, 1e6), min_size=1, max_size=6))
def test_known_break_evens_are_those_of_the_first_upper_tier(
    known: list[float | None],
) -> None:
    def interval(at: int, upper: str, seconds: float | None) -> TierInterval:
        return replace(an_interval(f"tier-{at}", 1.0), upper=upper, interval_s=seconds)

    of_ram = [interval(at, "dram", each) for at, each in enumerate(known)]
    of_flash = interval(99, "ssd", 5.0)
    found = paying_ram.known_break_evens([*of_ram, of_flash])
    expected = [(f"tier-{at}", each) for at, each in enumerate(known) if each]
    assert list(found.items()) == expected


def test_ram_that_pays_is_unknown_without_an_interval() -> None:
    curve = Curve.from_hit_ratios([(10, 0.5)], accesses=1000)
    unknown = TierInterval("dram", "ssd", 4096, None, ("price",), "", "", (), ())
    names: dict[str, str] = {}
    given_ = {"accesses_per_s": 1.0, "rate_basis": ""}
    assert ram_that_pays(curve, 1, [unknown], names, **given_) is None  # type: ignore[arg-type]


def test_durations_are_in_the_largest_unit_with_two() -> None:
    words = [duration(each) for each in (0.5, 119, 120, 7200, 172_800)]
    assert words == ["0.500 s", "119 s", "2.00 minutes", "2.00 hours", "2.00 days"]


# --- the terms of an interval --------------------------------------------------------------


def test_host_and_bandwidth_add_to_an_interval_what_they_cost() -> None:
    book = catalog.default_price_book()
    assert book is not None
    flash = catalog.device("samsung-pm9a3-7.68tb-u2")
    dram = book.find(device_id=None, kind="dram")
    memory = PricedTier(catalog.device(flash.id), dram)
    lower = PricedTier(flash, book.find(device_id=flash.id, kind=flash.kind))

    def at(share: HostShare | None) -> TierInterval:
        return tier_interval(memory, lower, page_bytes=8192, months=36, share=share)

    plain, none = at(None), at(HostShare())
    assert plain.interval_s == none.interval_s
    assert plain.terms is not None
    assert plain.terms.host_s == plain.terms.bandwidth_s == 0
    assert plain.terms.device_s == pytest.approx(plain.interval_s)
    full = at(HostShare(Decimal(100), 1e6, 2.0**36, 2.0**35))
    assert full.terms is not None
    assert plain.interval_s is not None
    assert dram is not None
    byte = float(dram.usd_per_month(10**12, 36)) * 36 / 1e12
    assert full.terms.host_s == pytest.approx(100 / 1e6 / (8192 * byte))
    assert full.terms.bandwidth_s == 2
    added = full.terms.host_s + 2
    assert full.interval_s == pytest.approx(plain.interval_s + added)


@pytest.mark.parametrize(
    "wrong",
    [
        {"core_usd": Decimal(-1)},
        {"core_iops": 0.0},
        {"dram_bytes": 1e9},
        {"dram_bytes_per_s": 1e9},
    ],
)
def test_a_host_out_of_its_domain_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="host"):
        HostShare(**wrong)


# --- stores, carbon ------------------------------------------------------------------------


def rising(name: str, inputs: dict[str, Any], key: str, field: str) -> None:
    """Doubling an input doubles a field."""
    once = FORMULAS[name](inputs)[field]
    twice = FORMULAS[name](inputs | {key: 2 * inputs[key]})[field]
    assert twice == pytest.approx(2 * once, rel=1e-9, abs=1e-300)


@pytest.mark.formula(
    "mod.cloud_break_even",
    "mod.cloud_cache_rate",
    "mod.egress_crossover",
    "mod.disk_head_time",
    "mod.near_memory_rate",
)
@given(sizes, st.floats(1e-8, 1e-3), st.floats(0.01, 10), st.floats(0.05, 1))
def test_fees_and_rents_are_proportional(
    size: float, fee: float, rent: float, ratio: float
) -> None:
    kept = {"object_bytes": size, "byte_usd": 0, "cache_usd_per_gib_month": rent}
    rising(
        "mod.cloud_break_even",
        {**kept, "request_usd": fee},
        "request_usd",
        "interval_s",
    )
    cache = {"hit_ratio": ratio, "request_usd": fee, "cache_usd_per_hour": rent}
    rising("mod.cloud_cache_rate", cache, "cache_usd_per_hour", "requests_per_s")
    out = {"request_usd": fee, "usd_per_gb": rent}
    rising("mod.egress_crossover", out, "request_usd", "bytes")
    disk = {"ios": size, "bytes": 0, "seek_s": fee, "bytes_per_s": 1e8}
    rising("mod.disk_head_time", disk, "ios", "seconds")
    near = {"near_usd_per_gib_month": rent, "far_usd_per_gib_month": 0, "stall_s": fee}
    page = {**near, "page_bytes": size, "core_usd_per_hour": rent}
    rising("mod.near_memory_rate", page, "page_bytes", "accesses_per_s")


@pytest.mark.formula("mod.memory_expansion")
@given(st.floats(1.1, 100), st.floats(1, 100), st.floats(0.1, 20), st.floats(0.5, 2))
def test_faster_expansion_saves_more_servers(
    main: float, speed: float, share: float, cost: float
) -> None:
    def found(faster: float) -> dict[str, float]:
        return FORMULAS["mod.memory_expansion"](
            {
                "main_speed": main,
                "expansion_speed": faster,
                "main_to_expansion": share,
                "server_cost_ratio": cost,
            }
        )

    assert 0 < found(speed)["servers_ratio"] <= 1
    assert found(2 * speed)["saving"] >= found(speed)["saving"]


@pytest.mark.formula("mod.embodied_carbon", "mod.operational_energy")
@given(st.floats(1, 10), st.floats(1, 1e4), st.floats(0.001, 0.1))
def test_carbon_and_energy_are_proportional(waf: float, size: float, kg: float) -> None:
    drive = {"waf": waf, "device_gb": size, "years": 4, "warranty_years": 5}
    rising("mod.embodied_carbon", {**drive, "kg_per_gb": kg}, "device_gb", "kg")
    plant = {"memory_gb": size, "ssd_tb": 1, "hdd_tb": 1, "hours": waf, "pue": 1.2}
    rising("mod.operational_energy", plant, "hours", "kwh")


# --- write amplification, control ----------------------------------------------------------


def waf(name: str, **inputs: Any) -> float:
    return float(FORMULAS[f"mod.{name}"](inputs)["waf"])


@pytest.mark.formula("mod.waf_fifo", "mod.waf_greedy", "mod.waf_random")
@settings(ROOTS)
@given(spares, st.sampled_from([16, 64, 256]))
def test_greedy_writes_less_than_fifo_and_fifo_less_than_random(
    spare: float, pages: int
) -> None:
    greedy = waf("waf_greedy", spare=spare, pages_per_block=pages)
    fifo = waf("waf_fifo", spare=spare)
    assert 1 <= greedy <= fifo <= waf("waf_random", spare=spare)
    most = waf("waf_greedy", spare=spare, pages_per_block=16_384)
    assert most == pytest.approx(fifo, rel=5e-3)
    assert most >= greedy


@pytest.mark.oracle("evaluate.modern.write_amplification.waf_uniform")
@pytest.mark.formula("evaluate.modern.write_amplification.waf_uniform")
@settings(ROOTS)
@given(spares, st.integers(2, 24), st.integers(2, 20))
def test_a_rule_has_the_write_amplification_of_its_own_formula(
    spare: float, pages: int, choices: int
) -> None:
    assert waf_uniform("greedy", spare, pages) == waf(
        "waf_greedy", spare=spare, pages_per_block=pages
    )
    assert waf_uniform("fifo", spare, pages) == waf("waf_fifo", spare=spare)
    assert waf_uniform("random", spare, pages) == waf("waf_random", spare=spare)
    assert waf_uniform("choices", spare, pages, choices) == waf(
        "waf_choices", spare=spare, pages_per_block=pages, choices=choices
    )
    # So large a block, and a rule that looks at age, have none.
    assert waf_uniform("choices", spare, MOST_LEVELS + 1, choices) is None
    assert waf_uniform("cost-benefit", spare, pages) is None


@pytest.mark.formula("mod.waf_choices")
@settings(ROOTS)
@given(spares, st.integers(2, 24), st.integers(2, 20))
def test_more_choices_write_less_and_one_is_random(
    spare: float, pages: int, choices: int
) -> None:
    given_ = {"spare": spare, "pages_per_block": pages}
    one = waf("waf_choices", **given_, choices=1)
    assert one == pytest.approx(waf("waf_random", spare=spare), rel=1e-7)
    assert waf("waf_choices", **given_, choices=choices) <= one * (1 + RELATIVE)


FORMS: list[tuple[str, Callable[[float], dict[str, Any]]]] = [
    ("waf_fifo", lambda spare: {"spare": spare}),
    ("waf_random", lambda spare: {"spare": spare}),
    ("waf_greedy", lambda spare: {"spare": spare, "pages_per_block": 32}),
    (
        "waf_choices",
        lambda spare: {"spare": spare, "pages_per_block": 16, "choices": 4},
    ),
    ("waf_trim", lambda spare: {"spare": spare, "trim_share": 0.1}),
]


@pytest.mark.formula("mod.waf_trim", "mod.waf_streams")
@settings(ROOTS)
@given(spares, st.floats(0.01, 1), st.sampled_from(FORMS), st.floats(0, 1))
def test_more_spare_never_raises_write_amplification(
    spare: float,
    more: float,
    form: tuple[str, Callable[[float], dict[str, Any]]],
    share: float,
) -> None:
    name, inputs = form
    less, greater = waf(name, **inputs(spare)), waf(name, **inputs(spare + more))
    assert 1 <= greater <= less * (1 + 1e-7)
    rows = [
        {
            "write_share": share,
            "logical_bytes": 100,
            "physical_bytes": 100 * (1 + spare),
        },
        {"write_share": 1 - share, "sequential": True},
    ]
    mean = waf("waf_streams", streams=rows)
    fifo = waf("waf_fifo", spare=spare)
    assert mean == pytest.approx(share * fifo + 1 - share, rel=1e-6)


@pytest.mark.formula("mod.admission_base", "mod.admission_factor")
@given(
    st.integers(1, 10**9), st.floats(0, 1), st.floats(0.001, 10), st.integers(0, 10**10)
)
def test_admission_stays_within_its_window(
    size: int, decay: float, factor: float, written: int
) -> None:
    given_ = {"size_bytes": size, "base_bytes": 4096, "decay": decay}
    found = FORMULAS["mod.admission_base"](given_)["probability"]
    bigger = {**given_, "size_bytes": 2 * size}
    assert 0 < FORMULAS["mod.admission_base"](bigger)["probability"] <= found <= 1
    state = {
        "factor": factor,
        "target_rate": 10**6,
        "elapsed_s": 600,
        "written_bytes": written,
        "written_last": written // 2,
        "interval_s": 60,
        "max_rate": 10**8,
    }
    after = FORMULAS["mod.admission_factor"](state)["factor"]
    assert max(0.001, 0.75 * factor) <= after * (1 + RELATIVE)
    assert after <= min(10, 1.25 * factor) * (1 + RELATIVE)


@pytest.mark.formula("mod.larc_ghost")
@given(st.integers(20, 10**6), st.floats(0.1, 0.9), st.booleans())
def test_the_ghost_list_stays_within_its_bounds(
    capacity: int, share: float, hit: bool
) -> None:
    inputs = {"capacity": capacity, "ghost": share * capacity, "hit": hit}
    if not 0.1 * capacity <= share * capacity <= 0.9 * capacity:
        return
    ghost = FORMULAS["mod.larc_ghost"](inputs)["ghost"]
    assert 0.1 * capacity <= ghost <= 0.9 * capacity
    assert ghost <= share * capacity if hit else ghost >= share * capacity


@pytest.mark.formula("mod.dwpd_rate")
@given(st.integers(0, 10**13), st.floats(0, 86_399), st.integers(0, 2**27))
def test_the_rest_of_a_day_stays_within_its_budget(
    written: int, elapsed: float, most: int
) -> None:
    inputs = {
        "device_bytes": 10**12,
        "dwpd_percent": 50,
        "written_today_bytes": written,
        "carried_bytes": 0,
        "elapsed_s": elapsed,
        "write_max": most,
    }
    rate = FORMULAS["mod.dwpd_rate"](inputs)["bytes_per_s"]
    assert 0 <= rate <= most
    left = max(0, 5 * 10**11 + 2**26 - written)
    assert rate * (86_400 - elapsed) <= left * (1 + RELATIVE)


# --- the platform --------------------------------------------------------------------------


CURVE = Curve.from_hit_ratios([(10, 0.5), (50, 0.8), (200, 0.9)], accesses=1000)


def judged(
    ram: int, curve: Curve = CURVE, pays: int | None = None, **given_: Any
) -> platform_verdict.PlatformVerdict:
    usual = {"drive_iops": 300.0, "drive_write_iops": 100.0}
    return platform_verdict.judge(
        platform_load.load_of_curve(curve, 1000.0, "as given"),
        ram,
        platform_verdict.Platform(**(usual | given_)),
        pays_pages=pays,
    )


@pytest.mark.oracle("advise.dram_or_flash.platform_verdict.judge")
@pytest.mark.parametrize(
    ("ram", "given_", "limit", "words"),
    [
        # 200 reads/s beyond 50 pages: one drive of 300 is enough, from 37 pages on.
        (
            50,
            {},
            "none",
            "leaves 200 page reads per second to 1 drive: 66.7 % of what it can serve",
        ),
        (10, {}, "storage", "with 1 more drive, or with 108 KiB more RAM"),
        (10, {"drives": 2}, "none", "to 2 drives: 83.3 % of what they can serve"),
        (
            0,
            {"drive_iops": 50.0},
            "storage",
            "20 more drives; RAM alone does not suffice",
        ),
        # 4.096 MB/s of load and as much again for what is missed.
        (
            10,
            {"drives": 9, "dram_bytes_per_s": 5e6},
            "dram_bandwidth",
            "with 0.00114 GB/s more DRAM bandwidth, or with",
        ),
        (
            10,
            {"dram_bytes_per_s": 4e6},
            "both",
            "with 1 more drive and 0.00214 GB/s more DRAM bandwidth; RAM alone does not",
        ),
    ],
)
def test_the_verdict_by_hand(
    ram: int, given_: dict[str, Any], limit: str, words: str
) -> None:
    found = judged(ram, **given_)
    assert (found.limit, found.viable) == (limit, limit == "none")
    assert words in found.sentence
    assert ("not viable" in found.finding) == (limit != "none")
    assert found.basis == (
        "the workload's own curve at 1,000 accesses per second (as given)"
    )


def dirty(share: float) -> Curve:
    return replace(CURVE, write_backs_at=share * CURVE.misses_at, write_accesses=1000)


@pytest.mark.formula(
    "advise.dram_or_flash.platform_verdict.judge",
    "advise.dram_or_flash.platform_load.load_of_curve",
)
@given(
    st.integers(0, 300),
    st.integers(1, 5),
    st.floats(10, 2000),
    st.floats(4.2e6, 9e6),
    st.sampled_from([CURVE, dirty(0.0), dirty(0.3), dirty(1.0)]),
)
def test_each_step_makes_it_viable_and_one_less_does_not(
    ram: int, drives: int, iops: float, bandwidth: float, curve: Curve
) -> None:
    given_ = {"drive_iops": iops, "drives": drives, "dram_bytes_per_s": bandwidth}
    found = judged(ram, curve, **given_)
    relieved = {
        **given_,
        "drives": drives + found.more_drives,
        "dram_bytes_per_s": (bandwidth + found.more_bytes_per_s) * (1 + 1e-9),
    }
    assert judged(ram, curve, **relieved).viable
    if found.more_drives:
        less = {**relieved, "drives": relieved["drives"] - 1}
        assert not judged(ram, curve, **less).viable
    if found.more_pages is None:
        assert not judged(10_000, curve, **given_).viable
    elif found.more_pages:
        assert judged(ram + found.more_pages, curve, **given_).viable
        assert not judged(ram + found.more_pages - 1, curve, **given_).viable
    assert found.viable == (found.more_pages == 0)


@pytest.mark.parametrize(
    ("ram", "tau", "optimal", "words"),
    [
        (60, 1.0, True, "pays for itself, and the platform has 240 KiB"),
        (60, 9.0, False, "800 KiB of RAM pays for itself; the platform has 240 KiB"),
        (60, 0.05, False, "of which only 40 KiB pays for itself"),
    ],
)
def test_optimal_lies_between_what_must_be_and_what_is_there(
    ram: int, tau: float, optimal: bool, words: str
) -> None:
    rate: dict[str, Any] = {"accesses_per_s": 1000.0, "rate_basis": ""}
    paying = ram_that_pays(CURVE, ram, [an_interval("ssd", tau)], {}, **rate)
    assert paying is not None
    found = judged(ram, pays=paying.sizes[0].pages)
    assert found.optimal is optimal
    assert words in found.sentence
    assert ("not optimal" in found.finding) == (not optimal)


@pytest.mark.oracle("advise.dram_or_flash.platform_load.load_of_curve")
def test_write_backs_take_time_of_the_drives_and_cross_dram_once_more() -> None:
    """200 reads at 300/s and 60 write-backs at 100/s: 2/3 + 3/5 of a drive."""
    found = judged(50, dirty(0.3))
    assert (found.reads_per_s, found.write_backs_per_s) == pytest.approx((200, 60))
    assert found.busy_share == pytest.approx(2 / 3 + 3 / 5)
    assert found.dram_bytes_per_s == pytest.approx(4096 * (1000 + 200 + 60))
    assert (found.limit, found.more_drives) == ("storage", 1)
    assert "200 page reads and 60.0 write-backs per second to 1 drive" in found.sentence
    assert found.writes == (
        "Write-backs are counted: without them the load would be 66.7 % of what the drive can "
        "serve, and the platform would be viable."
    )
    assert judged(50, dirty(0.0)).writes == (
        "Write-backs are counted: the existing RAM leaves none to the drives."
    )


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        # 200 reads and as many write-backs: 8/3 drives.
        ({}, "267 % of what the drive can serve, and storage would limit the platform"),
        (
            {"drives": 3},
            "88.9 % of what the drives can serve, and the verdict would be the same",
        ),
    ],
)
def test_unknown_writes_are_not_counted_but_their_effect_is_stated(
    given_: dict[str, Any], words: str
) -> None:
    found = judged(50, **given_)
    assert found.write_backs_per_s is None
    assert found.limit == "none"
    assert found.writes.startswith("Write-backs are not counted, since it is unknown")
    assert words in found.writes


def test_a_verdict_may_differ_in_what_is_optimal_alone() -> None:
    """With write-backs 47 pages are needed on three drives, without them 3."""
    counted = judged(60, dirty(1.0), pays=5, drives=3)
    assert (counted.viable, counted.optimal) == (True, False)
    assert counted.writes.endswith("and the platform would be viable and optimal.")
    unknown = judged(60, pays=5, drives=3, drive_iops=500.0)
    assert (unknown.viable, unknown.optimal) == (True, True)
    assert unknown.writes.endswith("the platform would be viable, but not optimal.")


def test_new_pages_are_misses_that_read_nothing() -> None:
    cold = Curve.from_lists(
        [1, 10, 50, 100],
        [900, 500, 200, 100],
        [0, 0, 0, 0],
        accesses=1000,
        distinct_pages=100,
        page_bytes=4096,
        write_accesses=0,
    )
    new = cold.with_new_pages(40).steady()
    load = platform_load.load_of_curve(new, 1000.0, "as given")
    assert new.growth == 40
    assert load.reads(10) == pytest.approx(float(new.misses(10)) - 40)


# --- intervals that are stated -------------------------------------------------------------


@pytest.mark.formula("evaluate.modern.platform.lognormal_threshold")
@given(st.floats(0.001, 0.999), st.floats(-3, 6), st.floats(0.2, 2))
def test_a_threshold_caches_the_blocks_that_it_was_asked_for(
    share: float, mu: float, sigma: float
) -> None:
    threshold = lognormal_threshold(
        cached_blocks=share * 1e6, blocks=1e6, mu=mu, sigma=sigma
    )
    found = lognormal_intervals(
        blocks=1e6, block_bytes=1, mu=mu, sigma=sigma, threshold_s=threshold
    )
    assert float(found.cached_blocks) == pytest.approx(share * 1e6, rel=1e-6)


@pytest.mark.oracle("evaluate.modern.platform.lognormal_threshold")
def test_thresholds_are_the_quantiles_of_the_standard_library() -> None:
    normal = NormalDist(1.5, 0.8)
    for share in (0.01, 0.3, 0.5, 0.9):
        found = lognormal_threshold(cached_blocks=share, blocks=1, mu=1.5, sigma=0.8)
        assert float(found) == pytest.approx(math.exp(normal.inv_cdf(share)), rel=1e-9)
    assert lognormal_threshold(cached_blocks=0, blocks=5, mu=1, sigma=1) == 0
    with pytest.raises(BadInput, match="must be fewer than the blocks"):
        lognormal_threshold(cached_blocks=5, blocks=5, mu=1, sigma=1)


def quantiles(stated: platform_load.StatedIntervals) -> list[float]:
    """Intervals of the pages one by one, by the standard library."""
    normal = NormalDist(stated.mu, stated.sigma)
    return [
        math.exp(normal.inv_cdf((each + 0.5) / stated.pages))
        for each in range(stated.pages)
    ]


@pytest.mark.oracle(
    "advise.dram_or_flash.platform_verdict.judge_stated",
    "advise.dram_or_flash.platform_load.load_of_intervals",
)
@pytest.mark.parametrize("sigma", [0.4, 1.2])
@pytest.mark.parametrize(
    ("ram", "drive_iops", "bandwidth_share", "tau"),
    [
        (2000, 1.5, 1.9, 30.0),
        (2000, 0.2, 1.9, 30.0),
        (500, 1.5, 1.1, 5.0),
        (500, 0.2, 1.1, 5.0),
        (5000, 0.5, 1.5, 8.0),
    ],
)
def test_the_verdict_on_stated_intervals_is_that_of_the_pages_one_by_one(
    sigma: float, ram: int, drive_iops: float, bandwidth_share: float, tau: float
) -> None:
    """`mod.platform_thresholds` on the 10,000 quantiles: rates are in shares of the load."""
    stated = platform_load.StatedIntervals(10.0, sigma, 10_000)
    intervals = quantiles(stated)
    load = sum(1 / each for each in intervals)
    platform = platform_verdict.Platform(
        drive_iops=drive_iops * load / 2,
        drive_write_iops=1.0,
        drives=2,
        dram_bytes_per_s=bandwidth_share * load * 4096,
    )
    found = platform_verdict.judge_stated(
        stated, ram, platform, page_bytes=4096, break_even_s=tau
    )
    exact = platform_thresholds(
        block_bytes=4096,
        intervals_s=intervals,
        dram_bytes=4096 * ram,
        dram_bytes_per_s=bandwidth_share * load * 4096,
        ssd_bytes_per_s=drive_iops * load * 4096,
        break_even_s=tau,
    )
    assert (found.viable, found.limit, found.optimal) == (
        exact.viable,
        exact.limit,
        exact.optimal,
    )
    assert found.accesses_per_s == pytest.approx(load, rel=0.01)
    assert exact.needed_blocks is not None
    assert found.storage_pages is not None
    assert found.bandwidth_pages is not None
    needed = max(found.storage_pages, found.bandwidth_pages)
    assert needed == pytest.approx(exact.needed_blocks, abs=25)


@pytest.mark.oracle("advise.dram_or_flash.platform_load.pages_worth")
@pytest.mark.parametrize("tau", [1.0, 10.0, 100.0])
def test_pages_worth_their_ram_are_those_accessed_often_enough(tau: float) -> None:
    stated = platform_load.StatedIntervals(10.0, 1.2, 10_000)
    often = sum(each <= tau for each in quantiles(stated))
    assert platform_load.pages_worth(stated, tau) == pytest.approx(often, abs=1)


@pytest.mark.formula(
    "advise.dram_or_flash.platform_verdict.judge_stated",
    "advise.dram_or_flash.platform_load.load_of_intervals",
    "advise.dram_or_flash.platform_load.pages_worth",
)
@given(st.floats(0.1, 1e4), st.floats(0.2, 2), st.integers(0, 2000))
def test_more_ram_and_longer_intervals_leave_less_to_the_drives(
    median: float, sigma: float, ram: int
) -> None:
    stated = platform_load.StatedIntervals(median, sigma, 1000)
    rare = platform_load.StatedIntervals(2 * median, sigma, 1000)
    load = platform_load.load_of_intervals(stated, 4096)
    assert load.reads(ram) >= load.reads(ram + 10)
    assert platform_load.load_of_intervals(rare, 4096).reads(ram) == pytest.approx(
        load.reads(ram) / 2
    )
    worth = platform_load.pages_worth(stated, median)
    assert worth in (499, 500)
    assert platform_load.pages_worth(rare, median) <= worth
    platform = platform_verdict.Platform(load.accesses_per_s, 1.0, drives=2)
    found = platform_verdict.judge_stated(
        stated, ram, platform, page_bytes=4096, break_even_s=median
    )
    assert (found.limit, found.storage_pages) == ("none", 0)
    assert found.optimal == (worth <= ram)


def test_the_words_name_the_intervals_and_that_writes_are_unknown() -> None:
    stated = platform_load.StatedIntervals(10.0, 1.2, 1_000_000)
    found = platform_verdict.judge_stated(
        stated,
        1000,
        platform_verdict.Platform(1e6, 1e5),
        page_bytes=4096,
        break_even_s=None,
    )
    assert found.basis == (
        "log-normal access intervals as stated, with median 10.0 s and sigma 1.2, of 1,000,000 "
        "pages, which make 205,443 accesses per second"
    )
    assert found.optimal is None
    assert found.writes.startswith("Write-backs are not counted")
    assert found.writes.endswith("storage would limit the platform.")


@pytest.mark.parametrize(
    ("given_", "named"),
    [
        ((0.0, 1.0, 5), "median_s"),
        ((math.inf, 1.0, 5), "median_s"),
        ((1.0, -1.0, 5), "sigma"),
        ((1.0, 1.0, 0), "pages"),
    ],
)
def test_intervals_out_of_their_domain_are_named(
    given_: tuple[float, float, int], named: str
) -> None:
    with pytest.raises(BadInput, match=named):
        platform_load.StatedIntervals(*given_)


# --- the command ---------------------------------------------------------------------------

DEVICES = (
    *("--flash-device", "samsung-pm9a3-7.68tb-u2"),
    *("--disk-device", "seagate-exos-x24-24tb", "--price-book", "street-2026-q3"),
)
HOST = ("--core-usd", "100", "--dram-module", "64GiB", "--dram-bandwidth", "40")


def test_the_command_states_terms_paying_ram_and_platform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "profile.json"
    assert main(["profile", str(recordings.TPCB), "-o", str(profile)]) == 0
    capsys.readouterr()
    asked = ["break-even", *DEVICES, "--profile", str(profile), "--ram-pages", "1000"]
    assert main(asked) == 0
    plain = capsys.readouterr().out
    assert "bandwidth" not in plain
    assert "RAM pays for itself up to" in plain
    assert "The platform is viable" in plain
    limited = [*asked, *HOST, "--accesses-per-s", "1e9", "--memory-bandwidth", "1"]
    assert main([*limited, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["intervals"][0]["terms"]["bandwidth_s"] == pytest.approx(1.717987)
    assert found["paying"]["accesses_per_s"] == 1e9
    assert found["platform"]["limit"] == "both"
    assert main(limited) == 0
    assert "storage and DRAM bandwidth limit it" in capsys.readouterr().out
    assert main([*asked, "--accesses-per-s", "0"]) == 2
    assert "--accesses-per-s" in capsys.readouterr().err
    assert main([*asked, "--dram-module", "64GiB"]) == 2
    assert "dram_bytes_per_s" in capsys.readouterr().err


# --- elsewhere -----------------------------------------------------------------------------


@pytest.mark.oracle(
    "advise.dram_or_flash.elsewhere.far_memory",
    "advise.dram_or_flash.elsewhere.object_store",
    "advise.dram_or_flash.elsewhere.usd_per_gib_month",
)
def test_far_memory_and_stores_by_hand() -> None:
    assert elsewhere.usd_per_gib_month(Decimal(36) / 2**30, 36) == pytest.approx(1)
    asked = elsewhere.FarAsked(0.5, 1e-7, 0.04)
    far = elsewhere.far_memory(asked, page_bytes=4096, dram_usd_per_gib_month=2.49)
    assert far.loads_per_s == pytest.approx(1.62647195058)
    assert "at least 1.63 times per second" in far.sentence
    alike = elsewhere.FarAsked(1.0, 1e-7, 0.04)
    same = elsewhere.far_memory(alike, page_bytes=4096, dram_usd_per_gib_month=2.49)
    assert "Every page belongs in DRAM" in same.sentence
    store = elsewhere.StoreAsked(2.0**20, 4e-7)
    kept = elsewhere.object_store(store, dram_usd_per_gib_month=2.49)
    assert kept.interval_s == pytest.approx(432.300722892)
    assert "read at least once in 7.21 minutes" in kept.sentence
    free = elsewhere.StoreAsked(2.0**20, 0)
    never = elsewhere.object_store(free, dram_usd_per_gib_month=2.49)
    assert "never pays" in never.sentence


@pytest.mark.formula(
    "advise.dram_or_flash.elsewhere.far_memory",
    "advise.dram_or_flash.elsewhere.object_store",
    "advise.dram_or_flash.elsewhere.usd_per_gib_month",
)
@given(st.floats(0, 0.9), st.floats(1e-9, 1e-5), prices, st.floats(1e-9, 1e-3))
def test_more_expensive_dram_keeps_less(
    ratio: float, stall: float, price: float, fee: float
) -> None:
    byte = Decimal(repr(price)) / 2**30
    dram = elsewhere.usd_per_gib_month(byte, 12)
    asked, store = (
        elsewhere.FarAsked(ratio, stall, 0.04),
        elsewhere.StoreAsked(1e6, fee),
    )

    def loads(usd: float) -> float:
        return elsewhere.far_memory(
            asked, page_bytes=4096, dram_usd_per_gib_month=usd
        ).loads_per_s

    def interval(usd: float) -> float:
        return elsewhere.object_store(store, dram_usd_per_gib_month=usd).interval_s

    assert loads(2 * dram) > loads(dram)
    assert interval(2 * dram) < interval(dram)


@given(
    counts=st.lists(st.integers(0, 50), min_size=1, max_size=60),
    rounds=st.integers(0, 5),
)
def test_points_above_a_chord_leave_and_corners_stay(
    counts: list[int], rounds: int
) -> None:
    x, y = np.arange(len(counts), dtype=np.float64), np.asarray(counts, np.float64)
    corners = [
        at
        for at in range(len(counts))
        if all(
            y[at] < y[a] + (y[b] - y[a]) * (at - a) / (b - a)
            for a in range(at)
            for b in range(at + 1, len(counts))
        )
    ]
    assert set(corners) <= set(below_chords(x, y, rounds=rounds).tolist())
    kept = below_chords(x, y)
    slopes = np.diff(y[kept]) / np.diff(x[kept])
    assert np.all(np.diff(slopes) >= -1e-12)


STATED = ("--interval-median", "10", "--interval-sigma", "1.2")


def test_the_command_judges_stated_intervals_with_and_without_a_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = ["break-even", *DEVICES, *STATED, "--ram-pages", "1GiB"]
    many = ["--interval-pages", "100000000"]
    assert main([*alone, *many]) == 0
    text = capsys.readouterr().out
    assert "The platform is not viable: storage limits it." in text
    assert "log-normal access intervals as stated, with median 10.0 s" in text
    assert "Write-backs are not counted" in text
    assert main([*alone, *many, "--drives", "1000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["platform"]
    assert (found["limit"], found["drives"]) == ("none", 1000)
    # The same with a workload, whose pages are those of the intervals unless others are stated.
    profile = tmp_path / "profile.json"
    assert main(["profile", str(recordings.TPCB), "-o", str(profile)]) == 0
    capsys.readouterr()
    assert main([*alone, "--profile", str(profile), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["platform"]["basis"].startswith("log-normal access intervals")
    assert main([*alone, "--profile", str(profile)]) == 0
    assert "Load: log-normal access intervals" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interval-median", "10", "--ram-pages", "5"), "--interval-sigma"),
        (("--interval-sigma", "1", "--ram-pages", "5"), "--interval-median"),
        ((*STATED, "--ram-pages", "5"), "--interval-pages"),
        ((*STATED, "--interval-pages", "5"), "--ram-pages"),
        (
            ("--interval-median", "-1", *STATED[2:], "--interval-pages", "5"),
            "median_s",
        ),
    ],
)
def test_half_a_statement_of_intervals_is_refused(
    options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["break-even", *DEVICES, *options]) == 2
    assert words in capsys.readouterr().err
