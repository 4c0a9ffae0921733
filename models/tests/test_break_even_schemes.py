"""Break-even by page-flow scheme: by hand, by a slow oracle, by replay."""

import itertools
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.cli.app import main
from tierwright.evaluate.break_even import next_money, schemes
from tierwright.evaluate.break_even.gains import PageCosts
from tierwright.evaluate.break_even.schemes import BestGains, SchemeGains
from tierwright.evaluate.page_flow.schemes import FLASH_SCHEMES
from tierwright.hardware import catalog
from tierwright.profile import measure
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.trace import reading

TRACE = recordings.TPCB
EXACT = ("inclusive_global", "exclusive")
COSTS = PageCosts(disk_read=10, disk_write=12, flash_read=1, flash_write=2)
SMALL = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
).from_start("cold")


@cache
def listed(curve: Curve, values: Any) -> tuple[list[float], list[float]]:
    """Return the listed sizes of a curve and its values there."""
    sizes = [float(size) for size in curve.knots]
    return sizes, [float(values(size)) for size in sizes]


def line(curve: Curve, values: Any, at: float) -> float:
    """Read a curve between its listed sizes with nothing but the rule of three."""
    sizes, found = listed(curve, values)
    if at >= sizes[-1]:
        return found[-1]
    right = next(index for index, size in enumerate(sizes) if size >= at)
    if sizes[right] == at:
        return found[right]
    low, high = sizes[right - 1], sizes[right]
    part = (at - low) / (high - low)
    return (1 - part) * found[right - 1] + part * found[right]


def slow_time(curve: Curve, scheme: str, base: int, flash: float) -> float:
    """Time an access, word by word after the paper: C0, C1, C2 with counted evictions."""
    misses = line(curve, curve.misses, base)
    backs = line(curve, curve.write_backs, base)
    if flash == 0:
        return (misses * COSTS.disk_read + backs * COSTS.disk_write) / curve.accesses
    # Inclusive: every RAM page is on flash as well; exclusive: none is; lazy: those that were
    # read from flash and are still in RAM.
    held = {
        "exclusive": base + flash,
        "lazy": base + slow_lazy_capacity(curve, base, flash),
    }.get(scheme, max(base, flash))
    beyond = line(curve, curve.misses, held)
    evicted = max(0.0, misses - base)
    written = {
        # Every victim of RAM moves to flash.
        "exclusive": evicted,
        "lazy": slow_lazy_writes(curve, base, flash, misses - beyond, held),
    }.get(scheme, beyond + backs)  # every page read from disk, every dirty victim
    return (
        (misses - beyond) * COSTS.flash_read
        + written * COSTS.flash_write
        + beyond * COSTS.disk_read
        + line(curve, curve.write_backs, held) * COSTS.disk_write
    ) / curve.accesses


def slow_lazy_capacity(curve: Curve, base: int, flash: float) -> float:
    """Find e_f, flash less the RAM pages it duplicates, by halving: what is assumed is too much
    as long as it exceeds what it implies."""
    misses = line(curve, curve.misses, base)
    low, high = 0.0, float(flash)
    for _ in range(60):
        assumed = (low + high) / 2
        hits = misses - line(curve, curve.misses, base + assumed)
        implied = flash - min(flash, base * hits / misses)
        low, high = (assumed, high) if assumed < implied else (low, assumed)
    return low


@cache
def slow_steps(curve: Curve) -> list[tuple[float, float, float, float]]:
    """Return the steps between many sizes: both ends, merged pairs, and their dirty sides."""
    # Every size is trusted at which half of the misses evict.
    top = max(
        size
        for size in [0, *curve.knots]
        if size <= 0.5 * line(curve, curve.misses, size)
    )
    found = []
    steps = [0.0, *np.geomspace(1, top, max(2, int(6 * math.log(top)))).tolist()]
    for low, high in itertools.pairwise(steps):
        ends = [
            (
                line(curve, curve.misses, at),
                line(curve, curve.misses, at) - at,
                line(curve, curve.write_backs, at),
            )
            for at in (low, high)
        ]
        pairs = ends[0][0] - ends[1][0]
        saved = [backs * m / max(out, 1.0) for m, out, backs in ends]
        both = min(1.0, max(0.0, (saved[0] - saved[1]) / pairs)) if pairs else 0.0
        dirty = sum(min(1.0, backs / max(out, 1.0)) for _, out, backs in ends) / 2
        found.append((low, high, pairs, math.sqrt(both) / dirty if dirty else 0.0))
    return found


def slow_lazy_writes(
    curve: Curve, base: int, flash: float, hits: float, held: float
) -> float:
    """Victims that are absent from flash, and those that returned from it and are dirty.

    The share of dirty sides among returning residencies is the square root of the share of
    merged pairs that save a write-back, relative to the dirty share of all victims there; taken
    at many sizes between RAM and what both hold.
    """
    misses = line(curve, curve.misses, base)
    evicted = max(0.0, misses - base)
    there = hits / misses * max(0.0, 1 - (base / (2 * flash)) ** 2)
    any_dirty = min(1.0, line(curve, curve.write_backs, base) / evicted)
    sides, merged = 0.0, 0.0
    for low, high, pairs, side in slow_steps(curve):
        inside = max(0.0, min(high, held) - max(low, base)) / (high - low)
        sides += inside * pairs * side
        merged += inside * pairs
    returning = any_dirty * min(1.0, sides / merged) if merged else any_dirty
    return evicted * (1 - there + there * returning)


@pytest.mark.oracle("evaluate.break_even.schemes.scheme_thetas")
@pytest.mark.parametrize("scheme", [*EXACT, "inclusive", "lazy"])
@pytest.mark.parametrize("delta", [0.25, 0.5, 1.0])
def test_trying_every_size_finds_the_same_flash(scheme: str, delta: float) -> None:
    base = 100
    before = slow_time(SMALL, scheme, base, 0)
    wanted = before - slow_time(SMALL, scheme, int(base * (1 + delta)), 0)
    tried = (size / 4 for size in range(1, 4 * 400))
    least = next(
        size
        for size in tried
        if before - slow_time(SMALL, scheme, base, size) >= wanted
    )
    found = schemes.scheme_thetas(SMALL, base, [delta], COSTS)
    assert float(found.dram_gain[0]) == pytest.approx(wanted)
    theta = float(found.schemes[scheme].theta[0])
    assert least - 1 / 4 <= theta * base <= least + 1e-9


def test_the_schemes_by_hand() -> None:
    # DRAM of 200 instead of 100: 100 misses at 10 and 50 write-backs at 12 fewer.
    found = schemes.scheme_thetas(SMALL, 100, [1.0], COSTS)
    assert float(found.dram_gain[0]) == pytest.approx(1.6)
    # Exclusive, 300 held: 150 hits at 9 and 65 write-backs, less 300 evictions at 2: 1.53.
    gains = SchemeGains(SMALL, 100, COSTS, "exclusive")
    assert float(gains.flash(200)) == pytest.approx(1.35 + 0.78 - 0.6)
    # The next 100 gain 0.45 + 0.18.
    assert float(found.schemes["exclusive"].theta[0]) == pytest.approx(2 + 0.07 / 0.63)
    # Inclusive holds 300 with 300 of flash: 250 + 80 written.
    inclusive = SchemeGains(SMALL, 100, COSTS, "inclusive")
    assert float(inclusive.flash(300)) == pytest.approx(1.35 + 0.78 - 0.66)


def test_what_decides_is_the_best_scheme_at_each_size() -> None:
    best = BestGains(SMALL, 100, COSTS)
    sizes = [0.0, 1e-3, 40.0, 120.0, 250.0, 400.0]
    each = {
        scheme: [
            float(SchemeGains(SMALL, 100, COSTS, scheme).flash(at)) for at in sizes
        ]
        for scheme in FLASH_SCHEMES
    }
    for at, size in enumerate(sizes):
        most = max(gains[at] for gains in each.values())
        assert float(best.flash(size)) == most
        name = best.best_at(size)
        assert (name is None) == (size == 0)
        if name is not None:
            assert each[name][at] == pytest.approx(most)
    found = schemes.scheme_thetas(SMALL, 100, [0.5, 1.0], COSTS)
    assert found.theta.tolist() == [
        float(found.schemes[str(name)].theta[at]) for at, name in enumerate(found.best)
    ]
    assert (best.least(found.dram_gain) / 100).tolist() == found.theta.tolist()
    flips = next_money.flip_curve(
        SMALL, 100, [0.5, 1.0], disk_cost=10, flash_cost=1, costs=COSTS
    )
    assert flips.full is not None
    assert flips.full.tolist() == [0.5 / found.theta[0], 1.0 / found.theta[1]]


def test_the_next_money_names_the_scheme_and_its_known_error() -> None:
    # 0.4096 USD: 100 pages of DRAM gain 1.6; 200 of flash 1.53 under exclusive.
    prices: dict[str, Any] = {
        "usd": Decimal("0.4096"),
        "dram_usd_per_byte": Decimal("0.000001"),
        "flash_usd_per_byte": Decimal("0.0000005"),
    }
    found = next_money.next_money(BestGains(SMALL, 100, COSTS), **prices)
    assert found.flash_gains["exclusive"] == pytest.approx(1.53)
    known = [gain for gain in found.flash_gains.values() if gain is not None]
    assert found.flash_gain == max(known)
    assert found.flash_scheme is not None
    assert found.flash_gains[found.flash_scheme] == pytest.approx(max(known))
    assert found.flash_gain_least is not None
    assert found.flash_gain_most is not None
    assert found.flash_gain_least <= found.flash_gain <= found.flash_gain_most
    assert found.within_error == (
        found.flash_gain_least < found.dram_gain < found.flash_gain_most
    )
    far = next_money.next_money(
        BestGains(SMALL, 100, COSTS),
        **{**prices, "flash_usd_per_byte": Decimal("0.00001")},
    )
    assert (far.winner, far.within_error) == ("dram", False)


def test_sums_beyond_what_was_seen_are_a_trend() -> None:
    curve = measure.profile(reading.Trace(TRACE)).curve
    prices: dict[str, Any] = {
        "usd": Decimal("0.1"),
        "dram_usd_per_byte": Decimal("0.0000001"),
        "flash_usd_per_byte": Decimal("0.00000001"),
    }

    def of(start: Any) -> Any:
        gains = BestGains(curve.from_start(start), 1000, COSTS)
        return next_money.next_money(gains, **prices)

    cold, steady = of("cold"), of("steady")
    assert cold.dram_trend_from_usd is cold.flash_trend_from_usd is None
    page = prices["dram_usd_per_byte"] * curve.page_bytes
    last = 1000 + int(steady.dram_trend_from_usd / page)
    running = curve.from_start("steady")
    assert not running.uncertain(last)
    assert running.uncertain(last + 1)
    assert steady.flash_trend_from_usd == steady.dram_trend_from_usd / 10


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    """A curve of 1000 accesses whose counts fall with size."""
    sizes = sorted(draw(st.sets(st.integers(1, 5000), min_size=1, max_size=8)))
    count = st.lists(st.integers(0, 1000), min_size=len(sizes), max_size=len(sizes))
    misses = sorted(draw(count), reverse=True)
    backs = sorted(draw(count), reverse=True)
    return Curve.from_lists(
        sizes,
        misses,
        [min(*pair) for pair in zip(backs, misses, strict=True)],
        accesses=1000,
        distinct_pages=1000,
        page_bytes=4096,
        write_accesses=1000,
    )


@pytest.mark.formula("evaluate.break_even.schemes.scheme_thetas")
@settings(max_examples=25)
@given(
    curves(),
    st.integers(1, 4000),
    st.lists(st.floats(0, 20), min_size=1, max_size=3),
    st.floats(0, 0.9),
)
def test_the_flash_of_a_scheme_gains_what_dram_gains(
    curve: Curve, base: int, deltas: list[float], old: float
) -> None:
    found = schemes.scheme_thetas(curve, base, deltas, COSTS, old_share=old)
    for name, scheme in found.schemes.items():
        gains = SchemeGains(curve, base, COSTS, name, old)
        for at, wanted in enumerate(found.dram_gain):
            theta = float(scheme.theta[at])
            if math.isnan(theta):
                continue
            if wanted > 0:
                assert float(gains.flash(theta * base * (1 + 1e-9))) >= wanted - 1e-6
            else:
                assert theta == 0
    for at, best in enumerate(found.best):
        thetas = [float(each.theta[at]) for each in found.schemes.values()]
        if best is None:
            assert all(math.isnan(theta) for theta in thetas)
        else:
            assert float(found.schemes[best].theta[at]) <= np.nanmin(thetas) + 1e-9


def test_a_gain_within_rounding_needs_no_flash() -> None:
    # One page of RAM and 1e-15 of it more: any flash below a page costs writes and saves nothing.
    curve = Curve.from_lists(
        [2],
        [0],
        [0],
        accesses=1000,
        distinct_pages=1000,
        page_bytes=4096,
        write_accesses=1000,
    )
    found = schemes.scheme_thetas(curve, 1, [1e-15, 1.0], COSTS)
    assert 0 < found.dram_gain[0] < 1e-12
    assert all(scheme.theta[0] == 0 for scheme in found.schemes.values())
    assert all(scheme.theta[1] != 0 for scheme in found.schemes.values())


@settings(max_examples=25)
@given(curves(), st.integers(1, 4000), st.floats(0.01, 20))
def test_the_ends_of_the_error_enclose_the_answer(
    curve: Curve, base: int, delta: float
) -> None:
    found = schemes.scheme_thetas(curve, base, [delta], COSTS)
    for name, scheme in found.schemes.items():
        ends = [scheme.theta_least[0], scheme.theta[0], scheme.theta_most[0]]
        least, middle, most = (math.inf if np.isnan(x) else float(x) for x in ends)
        if name in EXACT:
            assert scheme.exact
            assert np.array_equal(ends, [scheme.theta[0]] * 3, equal_nan=True)
        # The least to a step of the sizes looked at: four an octave.
        assert least <= middle * 2**0.25 + 1e-9
        assert middle <= most * 2**0.25 + 1e-9


def test_the_steady_error_is_that_of_the_cost() -> None:
    # T_k (1 -/+ e) = T_none(B + D), e a quarter of the share of the pages held.
    curve = measure.profile(reading.Trace(TRACE)).curve.from_start("steady")
    base = 1000
    found = schemes.scheme_thetas(curve, base, [0.25], COSTS)
    none = SchemeGains(curve, base, COSTS, "exclusive")
    wanted = float(none.time(base + 250))
    each = found.schemes["exclusive"]
    assert not each.exact
    assert not each.is_trend[0]
    for end, sign in ((each.theta_least, -1), (each.theta_most, 1)):
        flash = float(end[0]) * base
        off = 0.25 * (base + flash) / curve.distinct_pages
        cost = float(none.time(base, flash)) * (1 + sign * off)
        assert cost == pytest.approx(wanted, rel=1e-6)
    # The middle is what it was: no error is put in.
    assert float(none.time(base, each.theta[0] * base)) == pytest.approx(wanted)


def test_nothing_is_stated_beyond_what_the_recording_tells() -> None:
    curve = measure.profile(reading.Trace(TRACE)).curve.from_start("steady")
    deltas = [0.25, 1.0, 4.0, 20.0]
    found = schemes.scheme_thetas(curve, 1000, deltas, COSTS)
    trends = []
    for each in found.schemes.values():
        for end in (each.theta_least, each.theta_most):
            known = end[np.isfinite(end)]
            assert not np.any(curve.uncertain(1000 * (1 + known)))
        trends += each.is_trend.tolist()
        known = np.isfinite(each.theta)
        beyond = curve.uncertain(1000 * (1 + np.nan_to_num(each.theta)))
        assert each.is_trend.tolist() == (known & beyond).tolist()
    assert True in trends
    assert False in trends
    cold = schemes.scheme_thetas(curve.from_start("cold"), 1000, deltas, COSTS)
    assert not any(np.any(each.is_trend) for each in cold.schemes.values())


# --- by replay ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curve() -> Curve:
    """Curves of the shipped trace, from a cold start."""
    found = _simulator.curves(TRACE)
    return Curve.from_full(
        found["misses"],
        found["write_backs"],
        accesses=found["accesses"],
        page_bytes=found["page_bytes"],
        write_accesses=found["write_accesses"],
    ).from_start("cold")


def replayed(costs: PageCosts, row: Mapping[str, Any], accesses: int) -> float:
    """Time an access of the operations that a replay counted."""
    total = (
        row["flash_hits"] * costs.flash_read
        + row["flash_writes"] * costs.flash_write
        + row["hdd_reads"] * costs.disk_read
        + row["hdd_writes"] * costs.disk_write
    )
    return float(total / accesses)


@pytest.mark.parametrize(
    ("flash", "ram_pages"),
    [
        ("face2016-intel-p3700-400", 2000),
        ("face2016-samsung-840pro-256", 2000),
    ],
)
def test_a_replay_gains_what_the_dram_step_gains(
    curve: Curve, flash: str, ram_pages: int
) -> None:
    # The joined form of before delivered 54 % of the step here on a SATA drive.
    costs = break_even_question.page_costs(
        catalog.device_or_file(flash),
        catalog.device_or_file("face2016-cheetah-15k6-raid0-16"),
        1,
        curve.page_bytes,
        sequential=False,
    )
    deltas = [0.5, 2.0]
    found = schemes.scheme_thetas(curve, ram_pages, deltas, costs)

    def at(scheme: str, ram: int, pages: float) -> dict[str, Any]:
        return {"scheme": scheme, "ram_pages": ram, "flash_pages": round(pages)}

    asked = {
        (name, index, end): at(name, ram_pages, getattr(scheme, end)[index] * ram_pages)
        for name, scheme in found.schemes.items()
        for index in range(len(deltas))
        for end in ("theta_least", "theta", "theta_most")
        if np.isfinite(getattr(scheme, end)[index])
    }
    rows = replay.sweep(
        reading.Trace(TRACE),
        [
            at("none", ram_pages, 0),
            *(at("none", round(ram_pages * (1 + delta)), 0) for delta in deltas),
            *asked.values(),
        ],
    )["rows"]
    before, *stepped = (
        replayed(costs, row, curve.accesses) for row in rows[: 1 + len(deltas)]
    )
    for (name, index, end), row in zip(asked, rows[1 + len(deltas) :], strict=True):
        step = before - stepped[index]
        assert step == pytest.approx(float(found.dram_gain[index]))
        share = (before - replayed(costs, row, curve.accesses)) / step
        if name in EXACT:
            assert share == pytest.approx(1, abs=0.005), (name, index)
        elif end == "theta_least":
            assert share <= 1.02, (name, index)
        elif end == "theta_most":
            assert share >= 0.98, (name, index)


def test_the_command_gives_each_schemes_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "p.json"
    assert main(["profile", str(TRACE), "-o", str(profile)]) == 0
    capsys.readouterr()
    command = [
        "break-even",
        *("--flash-device", "face2016-intel-s3500-480"),
        *("--disk-device", "face2016-cheetah-15k6-raid0-16"),
        *("--profile", str(profile), "--ram-pages", "2000"),
    ]
    assert main([*command, "--json", "--start", "cold"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["schemes"]["schemes"]) == list(FLASH_SCHEMES)
    assert len(found["schemes"]["best"]) == len(found["delta"])
    exclusive = found["schemes"]["schemes"]["exclusive"]
    assert exclusive["exact"]
    assert exclusive["theta"] == exclusive["theta_most"]
    assert main([*command, "--json"]) == 0
    running = json.loads(capsys.readouterr().out)["schemes"]["schemes"]["exclusive"]
    assert not running["exact"]
    theta, least = running["theta"][0], running["theta_least"][0]
    assert least < theta
    assert running["theta_most"][0] is None  # more than the recording tells about
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "by page-flow scheme" in shown
    assert f"(at least {least:.3g})" in shown
    assert "lazy" in shown
