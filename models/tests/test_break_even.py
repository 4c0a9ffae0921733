"""DRAM or flash: published tables, invariants, money, intervals, the command."""

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.break_even import full, money
from tierwright.evaluate.break_even import interval as break_even_interval
from tierwright.evaluate.break_even import theta as break_even_theta
from tierwright.evaluate.break_even.gains import PageCosts
from tierwright.evaluate.break_even.interval import Power, PricedTier
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.prices import Price
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile

HOUR, DAY, MINUTE = 3600, 86_400, 60
FACE_TABLE_1 = {  # random IOPS of FaCE Table 1: reads, writes
    "840 Pro": (65_803, 13_979),
    "850 Evo": (98_591, 6_094),
    "DC S3500": (60_311, 21_572),
    "P3700": (457_355, 86_949),
}
DISKS = {"1 disk": (409, 343), "RAID-0 x16": (5_166, 5_169)}

costs = st.floats(1e-6, 1e3)
deltas = st.floats(0, 50)


@st.composite
def cost_pairs(draw: st.DrawFn) -> tuple[float, float]:
    """Disk and flash cost, flash clearly below."""
    disk = draw(costs)
    return disk, disk * draw(st.floats(1e-6, 0.95))


@st.composite
def curves(draw: st.DrawFn, *, writes: bool = True) -> Curve:
    """A curve of 1000 accesses whose counts fall with size."""
    sizes = sorted(draw(st.sets(st.integers(1, 5000), min_size=1, max_size=8)))
    count = st.lists(st.integers(0, 1000), min_size=len(sizes), max_size=len(sizes))
    misses = sorted(draw(count), reverse=True)
    backs = sorted(draw(count), reverse=True)
    return Curve.from_lists(
        sizes,
        misses,
        [min(*pair) for pair in zip(backs, misses, strict=True)] if writes else None,
        accesses=1000,
        distinct_pages=1000 if writes else sizes[-1],
        page_bytes=4096,
        write_accesses=1000,
    )


# --- published tables -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("disk", "operation", "flash", "published"),
    # Exponents that follow from FaCE Table 1 (section 2.3 states 1.006 and 1.025 for one disk
    # and the 840 Pro).
    [
        ("1 disk", 0, "840 Pro", 1.006254),
        ("1 disk", 0, "850 Evo", 1.004166),
        ("1 disk", 0, "DC S3500", 1.006828),
        ("1 disk", 0, "P3700", 1.000895),
        ("1 disk", 1, "840 Pro", 1.025154),
        ("1 disk", 1, "850 Evo", 1.059642),
        ("1 disk", 1, "DC S3500", 1.016157),
        ("1 disk", 1, "P3700", 1.003960),
        ("RAID-0 x16", 0, "840 Pro", 1.085196),
        ("RAID-0 x16", 0, "850 Evo", 1.055296),
        ("RAID-0 x16", 0, "DC S3500", 1.093680),
        ("RAID-0 x16", 0, "P3700", 1.011424),
        ("RAID-0 x16", 1, "840 Pro", 1.586720),
        ("RAID-0 x16", 1, "850 Evo", 6.588108),
        ("RAID-0 x16", 1, "DC S3500", 1.315125),
        ("RAID-0 x16", 1, "P3700", 1.063206),
    ],
)
def test_exponents_of_face_table_1(
    disk: str, operation: int, flash: str, published: float
) -> None:
    found = break_even_theta.exponent(
        1 / DISKS[disk][operation], 1 / FACE_TABLE_1[flash][operation]
    )
    assert float(found) == pytest.approx(published, abs=5e-7)


def test_sequential_writes_bring_the_exponent_near_one_again() -> None:
    # Kang, Lee and Moon (2016): the 850 Evo behind 16 disks has 6.59 with random writes; in
    # appends at 300 MB/s, 73,000 pages of 4 KiB a second, 1.08.
    appended = break_even_theta.exponent(1 / 5_169, 4096 / 300e6)
    assert float(appended) == pytest.approx(1.08, abs=0.005)


def test_equal_money_of_face_section_6_7_2() -> None:
    # 200 MB of DRAM or 2 GB of flash beside 200 MB: (1 - 0.00622) ln 11 / ln 2 = 3.44.
    found = money.roi_log(
        200, added_dram=200, added_flash=2000, disk_cost=1 / 409, flash_cost=1 / 65803
    )
    assert found.flash_to_dram_gain_ratio == pytest.approx(3.44, abs=0.005)
    assert found.winner == "flash"
    # Flash stays the better buy at every further step of the experiment, by less.
    ratios = [
        money.roi_log(
            200,
            added_dram=200 * step,
            added_flash=2000 * step,
            disk_cost=1 / 409,
            flash_cost=1 / 65803,
        ).flash_to_dram_gain_ratio
        or 0.0
        for step in range(1, 6)
    ]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[-1] > 1


@pytest.mark.oracle("evaluate.break_even.interval.break_even_interval")
@pytest.mark.parametrize(
    ("inputs", "published_s", "relative"),
    [
        # Gray and Putzolu (SIGMOD 1987): 1 kB records; a disc of 15 accesses/s at 15,000 USD;
        # memory 5,000 USD/MB: 400 s, "about five minutes". Disc and rate were read in Tandem TR
        # 86.1, of which it is the revision (scribd.com/document/9656063, first page); memory as
        # 5 USD/kB in a review of it (cartesianproduct.wordpress.com/2020/11/24). The host's share
        # is derived back from the interval, see `test_the_hosts_share_is_derived_back`.
        (
            {
                "page_bytes": 1024,
                "accesses_per_s": 15,
                "device_usd": 15_000,
                "host_usd": 15_000,
                "memory_usd_per_byte": 5_000 / 2**20,
            },
            400,
            0.03,
        ),
        # Gray and Graefe (SIGMOD Record 1997): 8 KB pages, 64 accesses/s at 2,000 USD, memory
        # 15 USD/MB: 266 s.
        (
            {
                "page_bytes": 8192,
                "accesses_per_s": 64,
                "device_usd": 2_000,
                "memory_usd_per_byte": 15 / 2**20,
            },
            266,
            0.005,
        ),
    ],
)
def test_the_published_five_minute_rules(
    inputs: dict[str, float], published_s: float, relative: float
) -> None:
    found = float(break_even_interval.break_even_interval(**inputs))
    assert found == pytest.approx(published_s, rel=relative)


def test_the_hosts_share_is_derived_back() -> None:
    """1,000 USD of processor and channel for each access/s are what 400 s imply, rounded."""
    whole = 400 * 15 * 1024 * 5_000 / 2**20
    host = whole - 15_000
    assert host == pytest.approx(14_296.875)
    assert round(host / 15, -3) == 1_000


# Appuswamy, Graefe, Borovica-Gajic and Ailamaki, "The five-minute rule 30 years later and its
# impact on the storage hierarchy" (CACM 62(11), 2019), 4 KB pages. Read in the article's text, page
# 118: the six intervals of Table 3 and the IOPS of flash (6,200 and 67,000). Put in, not read:
# prices, capacities and the IOPS of disks, as its Table 1 is a picture there.
PUBLISHED_S: dict[int, dict[tuple[str, str], float]] = {
    2007: {
        ("ram", "ssd"): 15 * MINUTE,
        ("ram", "hdd"): 1.5 * HOUR,
        ("ssd", "hdd"): 2.25 * HOUR,
    },
    2018: {
        ("ram", "ssd"): 5 * MINUTE,
        ("ram", "hdd"): 4 * HOUR,
        ("ssd", "hdd"): 1.5 * DAY,
    },
}
PUBLISHED_FLASH_IOPS = {2007: 6_200, 2018: 67_000}
APPUSWAMY: dict[int, dict[str, tuple[float, float, float]]] = {
    2007: {
        "ram": (47, 1 * 2**30, 0),
        "ssd": (999, 32 * 2**30, 6_200),
        "hdd": (80, 250 * 2**30, 83),
    },
    2018: {
        "ram": (80, 16 * 2**30, 0),
        "ssd": (415, 800 * 2**30, 67_000),
        "hdd": (49, 2048 * 2**30, 200),
    },
}


@pytest.mark.parametrize(
    ("year", "upper", "lower"),
    [(year, *pair) for year, pairs in PUBLISHED_S.items() for pair in pairs],
)
def test_the_prices_put_in_give_the_intervals_of_appuswamy_2019(
    year: int, upper: str, lower: str
) -> None:
    usd, size, _ = APPUSWAMY[year][upper]
    price, _, iops = APPUSWAMY[year][lower]
    found = float(
        break_even_interval.break_even_interval(
            page_bytes=4096,
            accesses_per_s=iops,
            device_usd=price,
            memory_usd_per_byte=usd / size,
        )
    )
    # The article rounds to halves: 3.6 h is printed as 4 h, 1.43 days as 1.5 days.
    assert found == pytest.approx(PUBLISHED_S[year][upper, lower], rel=0.12)


@pytest.mark.parametrize(
    ("year", "capacity_bytes"), [(2007, 32 * 2**30), (2018, 800 * 10**9)]
)
def test_what_was_read_of_appuswamy_2019_agrees_without_prices(
    year: int, capacity_bytes: float
) -> None:
    """The three intervals of a year and the IOPS of flash give the capacity of the flash."""
    published = PUBLISHED_S[year]
    iops = PUBLISHED_FLASH_IOPS[year]
    assert APPUSWAMY[year]["ssd"][2] == iops
    ssd_in_bytes_of_ram = published["ram", "ssd"] * iops * 4096
    ram_in_bytes_of_ssd = published["ssd", "hdd"] / published["ram", "hdd"]
    found = ssd_in_bytes_of_ram * ram_in_bytes_of_ssd
    assert found == pytest.approx(capacity_bytes, rel=0.08)  # rounded intervals
    # So does the kernel: an SSD of that capacity that costs this much breaks even there.
    back = break_even_interval.break_even_interval(
        page_bytes=4096,
        accesses_per_s=iops,
        device_usd=ssd_in_bytes_of_ram,
        memory_usd_per_byte=1.0,
    )
    assert float(back) == pytest.approx(published["ram", "ssd"])


# --- invariants of section 7.3 ----------------------------------------------------------


@pytest.mark.formula("face.theta")
@given(cost_pairs(), deltas, st.floats(0.01, 10))
def test_theta_grows_from_zero_and_is_never_below_delta(
    pair: tuple[float, float], delta: float, more: float
) -> None:
    disk, flash = pair
    found = break_even_theta.log_theta(
        [0, delta, delta + more], disk_cost=disk, flash_cost=flash
    )
    none, some, larger = found.theta.tolist()
    assert float(found.exponent) >= 1
    assert none == 0
    assert delta <= some < larger
    slower = break_even_theta.log_theta(1.0, disk_cost=disk, flash_cost=flash * 1.01)
    faster_disk = break_even_theta.log_theta(
        1.0, disk_cost=disk * 0.999, flash_cost=flash * 0.999 * 0.98
    )
    here = float(
        break_even_theta.log_theta(1.0, disk_cost=disk, flash_cost=flash).theta
    )
    assert float(slower.theta) >= here
    assert float(faster_disk.theta) <= here
    nearer = break_even_theta.log_theta(1.0, disk_cost=disk * 1.5, flash_cost=flash)
    assert float(nearer.theta) <= here  # decreasing in the cost of the disk


@given(costs)
def test_the_exponent_has_its_limits(disk: float) -> None:
    assert float(break_even_theta.exponent(disk, disk * 1e-12)) == pytest.approx(
        1, abs=1e-9
    )
    assert float(break_even_theta.exponent(disk, disk * (1 - 1e-9))) > 1e8


@pytest.mark.formula("face.theta_mixed")
@given(cost_pairs(), cost_pairs(), st.floats(0, 1))
def test_a_mix_lies_between_reads_and_writes(
    reads: tuple[float, float], writes: tuple[float, float], share: float
) -> None:
    def exponent(x: float) -> float:
        found = break_even_theta.mixed_costs(
            x,
            disk_read=reads[0],
            flash_read=reads[1],
            disk_write=writes[0],
            flash_write=writes[1],
        )
        return float(break_even_theta.exponent(found.disk, found.flash))

    low, high = sorted((exponent(0), exponent(1)))
    assert low * (1 - 1e-9) <= exponent(share) <= high * (1 + 1e-9)


@pytest.mark.formula("face.theta_curve")
@given(curves(), st.integers(1, 4000), deltas, cost_pairs())
def test_theta_of_a_curve_reaches_its_target_or_nothing_does(
    curve: Curve, base: int, delta: float, pair: tuple[float, float]
) -> None:
    found = break_even_theta.curve_theta(
        curve, base, delta, disk_cost=pair[0], flash_cost=pair[1]
    )
    target, theta = float(found.target_hit), float(found.theta)
    most = float(curve.hit_ratio(curve.last_listed))
    if not bool(found.reachable):
        assert math.isnan(theta)
        assert target > max(most, float(curve.hit_ratio(base)))
        return
    reached = float(curve.hit_ratio((1 + theta) * base))
    assert reached >= target - 1e-9
    if theta > 1e-6:  # no smaller flash does
        less = float(curve.hit_ratio((1 + theta * 0.999) * base))
        assert less <= target + 1e-9


@given(st.floats(0.01, 0.2), st.integers(10, 1000), st.floats(0.01, 3), cost_pairs())
def test_a_logarithmic_curve_gives_the_log_model(
    alpha: float, base: int, delta: float, pair: tuple[float, float]
) -> None:
    exponent = float(break_even_theta.exponent(*pair))
    assume(exponent < 1.6)
    wanted = float(
        break_even_theta.log_theta(delta, disk_cost=pair[0], flash_cost=pair[1]).theta
    )
    last = math.ceil(base * (1 + wanted) * 1.1) + 2
    sizes = np.unique(np.rint(np.geomspace(base, last, 4000)))
    ratios = 0.1 + alpha * np.log(sizes / base)
    assume(ratios[-1] < 1)
    curve = Curve.from_hit_ratios(
        [(0, 0.0), *zip(sizes.astype(int).tolist(), ratios.tolist(), strict=True)],
        accesses=2**40,
    )
    found = break_even_theta.curve_theta(
        curve, base, delta, disk_cost=pair[0], flash_cost=pair[1]
    )
    # Straight pieces of a bent curve: the tolerance is that of the sampling, whole pages.
    assert float(found.theta) == pytest.approx(wanted, rel=2e-3, abs=2 / base)


def test_flat_and_ended_curves_are_told_apart() -> None:
    curve = Curve.from_hit_ratios(
        [(100, 0.5), (200, 0.5), (400, 0.9)], accesses=1000, page_bytes=4096
    )
    found = break_even_theta.curve_theta(
        curve, 100, [0.5, 2, 3, 300], disk_cost=10, flash_cost=1
    )
    # E = 10/9. delta 2: target 0.5 + 10/9 * 0.2 = 0.7222: 200 + 200 * 0.2222/0.4 = 311.1.
    assert found.theta[:2].tolist() == pytest.approx([0, 2.111111111])
    assert found.reachable.tolist() == [True, True, False, False]
    assert found.to_dict()["theta"][2:] == [None, None]
    names = {warning.name for warning in found.warnings}
    assert names == {"unreachable", "dram_gains_nothing"}
    # The plateau: a target equal to its height is met at its start, not at its end.
    plateau = break_even_theta.curve_theta(curve, 50, 1, disk_cost=1e9, flash_cost=1e-9)
    assert float(plateau.theta) == pytest.approx(1)


@pytest.mark.formula("face.roi_log")
@given(cost_pairs(), st.floats(1, 1e6), st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_roi_agrees_with_theta(
    pair: tuple[float, float], base: float, dram: float, flash: float
) -> None:
    disk, flash_cost = pair
    found = money.roi_log(
        base, added_dram=dram, added_flash=flash, disk_cost=disk, flash_cost=flash_cost
    )
    theta = float(
        break_even_theta.log_theta(
            dram / base, disk_cost=disk, flash_cost=flash_cost
        ).theta
    )
    assume(not math.isclose(flash / base, theta, rel_tol=1e-9))
    assert found.winner == ("flash" if flash / base > theta else "dram")
    ratio = found.flash_to_dram_gain_ratio
    assert ratio is not None
    assert (ratio > 1) == (found.winner == "flash")


@pytest.mark.formula("evaluate.break_even.money.flip_price_ratio")
@given(curves(writes=False), st.integers(1, 4000), cost_pairs(), st.floats(0.01, 20))
def test_at_the_flip_ratio_equal_money_gains_equally(
    curve: Curve, base: int, pair: tuple[float, float], delta: float
) -> None:
    disk, flash = pair
    found = break_even_theta.curve_theta(
        curve, base, delta, disk_cost=disk, flash_cost=flash
    )
    flip = float(money.flip_price_ratio(delta, found.theta))
    if not bool(found.reachable) or float(found.theta) == 0:
        assert math.isnan(flip)
        return
    # Money for delta of DRAM buys delta / flip of flash at that ratio of prices.
    roi = money.roi_curve(
        curve,
        base,
        added_dram_pages=delta * base,
        added_flash_pages=delta / flip * base,
        disk_cost=disk,
        flash_cost=flash,
    )
    assert roi.flash_gain == pytest.approx(roi.dram_gain, rel=1e-6, abs=1e-9 * disk)


@given(st.floats(0.001, 100), cost_pairs())
def test_by_the_log_model_flash_must_not_cost_more_than_dram(
    delta: float, pair: tuple[float, float]
) -> None:
    theta = break_even_theta.log_theta(
        delta, disk_cost=pair[0], flash_cost=pair[1]
    ).theta
    assume(np.isfinite(theta))
    assert 0 < float(money.flip_price_ratio(delta, theta)) <= 1


# --- the full form -----------------------------------------------------------------------

COSTS = PageCosts(disk_read=10, disk_write=12, flash_read=1, flash_write=2)
CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)


@pytest.mark.oracle(
    "evaluate.break_even.full.dram_gain",
    "evaluate.break_even.full.flash_gain",
    "evaluate.break_even.full.gains_from_curve",
    "evaluate.break_even.full.full_theta",
)
def test_the_full_form_by_hand() -> None:
    # B = 100: misses 400, wb 80, p_d = 0.2. 100 pages of flash: misses(200) = 300, wb 30.
    # h_f = 0.1, E_d WR = 0.05, a = (300 + 0.2 x 100) / 1000 = 0.32.
    # G = 0.1 x 9 + 0.05 x 12 - 0.32 x 2 = 0.9 + 0.6 - 0.64 = 0.86
    gain = full.gains_from_curve(CURVE, 100, [0, 100], COSTS)
    assert gain.tolist() == pytest.approx([0, 0.86])
    whole = full.flash_gain(0.1, 0.08, 1 - 30 / 80, 0.32, COSTS)
    assert float(whole) == pytest.approx(0.86)
    # 100 pages of DRAM more: 0.1 x 10 + 0.05 x 12 = 1.6.
    found = full.full_theta(CURVE, 100, 1.0, COSTS)
    assert float(found.dram_gain) == pytest.approx(1.6)
    # G at e = 200: 0.15 x 9 + 0.065 x 12 - 0.28 x 2 = 1.57; at 300: 1.8 + 0.96 - 0.48 = 2.28.
    # 1.6 lies 0.03 / 0.71 of the way from 200 to 300.
    assert float(found.theta) == pytest.approx(2 + 0.03 / 0.71)
    old = full.full_theta(CURVE, 100, 1.0, COSTS, old_share=0.5)
    assert float(old.theta) == pytest.approx(2 * (2 + 0.03 / 0.71))


@pytest.mark.formula(
    "evaluate.break_even.full.full_theta",
    "evaluate.break_even.full.dram_gain",
    "evaluate.break_even.full.gains_from_curve",
)
@given(curves(), st.integers(1, 4000), st.floats(0, 20), st.floats(0, 0.9))
def test_the_full_break_even_gains_what_dram_gains(
    curve: Curve, base: int, delta: float, old: float
) -> None:
    found = full.full_theta(curve, base, delta, COSTS, old_share=old)
    theta, wanted = float(found.theta), float(found.dram_gain)
    if not bool(found.reachable):
        assert found.most_flash_gain < wanted
        return
    if theta == 0:
        # Nothing to match, or the first page of flash already gains as much.
        first = full.gains_from_curve(curve, base, 1e-9, COSTS)
        assert wanted <= 0 or float(first) >= wanted - 1e-6
        return
    gained = full.gains_from_curve(
        curve, base, theta * base * (1 + 1e-9), COSTS, old_share=old
    )
    assert float(gained) >= wanted - 1e-6


@given(curves(), st.integers(1, 4000), st.floats(1, 4000), st.floats(0, 4000))
def test_more_flash_never_gains_less(
    curve: Curve, base: int, flash: float, more: float
) -> None:
    low, high = full.gains_from_curve(curve, base, [flash, flash + more], COSTS)
    assert high >= low - 1e-9


def test_flash_writes_can_cost_more_than_every_hit_spares() -> None:
    slow = PageCosts(disk_read=10, disk_write=12, flash_read=1, flash_write=50)
    found = full.full_theta(CURVE, 100, 1.0, slow)
    assert math.isnan(float(found.theta))
    assert found.most_flash_gain < 0
    assert [warning.name for warning in found.warnings] == ["staging_costs_more"]


# --- money -------------------------------------------------------------------------------


@pytest.mark.oracle("evaluate.break_even.money.marginal_gains")
def test_the_next_money_goes_where_it_gains_most() -> None:
    found = money.marginal_gains(
        CURVE,
        ram_pages=100,
        flash_pages=0,
        usd_step=Decimal("0.4096"),
        steps=20,
        dram_usd_per_byte=Decimal("0.000001"),  # 100 pages a step
        flash_usd_per_byte=Decimal("0.000002"),  # 50 pages a step
        disk_cost=10,
        flash_cost=1,
    )
    # Step 1: DRAM 100 pages: (400 - 300)/1000 x 10 = 1.0; flash 50 pages: 50/1000 x 9 = 0.45.
    assert found.dram_gain[0] == pytest.approx(1.0)
    assert found.flash_gain[0] == pytest.approx(0.45)
    assert found.choice[0] == "dram"
    assert found.ram_pages[:2] == [100, 200]
    assert found.usd[1] == Decimal("0.4096")
    assert found.choice[-1] == "neither"  # the curve ends at 400 pages
    assert len(found.choice) < 20


@pytest.mark.oracle("evaluate.break_even.money.pages_for")
def test_money_buys_whole_pages() -> None:
    assert money.pages_for(Decimal(1), Decimal("0.0001"), 4096) == 2
    with pytest.raises(BadInput, match="usd: `-1` must not be negative"):
        money.pages_for(Decimal(-1), Decimal("0.0001"), 4096)


# --- intervals ---------------------------------------------------------------------------


def priced(identifier: str, kind: str, usd: str, **figures: Any) -> PricedTier:
    device = device_from_mapping(
        {
            "id": identifier,
            "name": identifier,
            "kind": kind,
            "figures": {
                name: {"value": value, "unit": unit, "source": "test"}
                for name, (value, unit) in figures.items()
            },
        }
    )
    return PricedTier(device, Price(Decimal(usd), "GiB", False, "test", "2018"))


@pytest.mark.oracle("evaluate.break_even.interval.tier_interval")
def test_the_interval_of_two_profiles() -> None:
    ram = priced("ram", "dram", "5")
    disk = priced("disk", "hdd", "0.02", capacity=(2048, "GiB"), read_iops=(200, "1/s"))
    found = break_even_interval.tier_interval(ram, disk, page_bytes=4096, months=36)
    # 40.96 USD / 200 /s over 4096 bytes at 5 USD/GiB.
    wanted = 0.02 * 2048 / 200 / (4096 * 5 / 2**30)
    assert found.interval_s == pytest.approx(wanted)
    months = break_even_interval.tier_interval(ram, disk, page_bytes=4096, months=1)
    assert months.interval_s == pytest.approx(wanted)  # both are purchases
    host = PricedTier(disk.device, disk.price, Decimal("40.96"))
    doubled = break_even_interval.tier_interval(ram, host, page_bytes=4096, months=36)
    assert doubled.interval_s == pytest.approx(2 * wanted)
    larger = break_even_interval.tier_interval(ram, disk, page_bytes=8192, months=36)
    assert larger.interval_s == pytest.approx(wanted / 2)


WATTS = {"read_iops": (200, "1/s"), "capacity": (2048, "GiB")}
AT_20_CENTS = Power(Decimal("0.2"), watts_per_gib=Decimal("0.5"), pue=Decimal(1))


@pytest.mark.oracle("evaluate.break_even.interval.tier_interval")
def test_power_of_both_tiers_by_hand() -> None:
    """At 0.20 USD/kWh and 730 h, 1 W costs 0.146 USD a month; purchases over 36 months."""
    ram = priced("ram", "dram", "5")
    disk = priced("disk", "hdd", "0.02", active_power_w=(10, "W"), **WATTS)
    found = break_even_interval.tier_interval(
        ram, disk, page_bytes=4096, months=36, power=AT_20_CENTS
    )
    disk_usd = 40.96 / 36 + 10 * 0.146
    page_usd = (5 / 36 + 0.5 * 0.146) * 4096 / 2**30
    assert found.interval_s == pytest.approx(disk_usd / 200 / page_usd)
    terms = found.terms
    assert terms is not None
    held = 5 / 36 * 4096 / 2**30
    assert terms.device_s == pytest.approx(40.96 / 36 / 200 / held)
    assert terms.device_power_s == pytest.approx(1.46 / 200 / held)
    assert terms.memory_power_s < 0
    assert sum(
        (terms.host_s, terms.bandwidth_s, terms.device_s, terms.device_power_s)
    ) + terms.memory_power_s == pytest.approx(found.interval_s)
    [step] = found.derivation
    numbers = {each.symbol: each.value for each in step.numbers}
    assert numbers["its power"] == pytest.approx(1.46)
    assert "its power" in step.formula


def test_flash_keeps_pages_idle_and_a_rented_tier_has_its_power_in_the_rent() -> None:
    flash = priced(
        "flash",
        "nvme",
        "0.1",
        capacity=(1000, "GiB"),
        active_power_w=(20, "W"),
        idle_power_w=(5, "W"),
    )
    disk = priced("disk", "hdd", "0.02", active_power_w=(10, "W"), **WATTS)
    found = break_even_interval.tier_interval(
        flash, disk, page_bytes=4096, months=36, power=AT_20_CENTS
    )
    page_usd = (0.1 / 36 + 0.005 * 0.146) * 4096 / 2**30
    assert found.interval_s == pytest.approx((40.96 / 36 + 1.46) / 200 / page_usd)
    rented = PricedTier(
        priced("volume", "hdd", "0.02", **WATTS).device,
        Price(Decimal("0.02"), "GiB", True, "test", "2018"),
    )
    ram = priced("ram", "dram", "5")
    over = break_even_interval.tier_interval(
        ram, rented, page_bytes=4096, months=36, power=AT_20_CENTS
    )
    assert over.terms is not None
    assert over.terms.device_power_s == 0
    assert over.terms.memory_power_s < 0
    assert "power_unknown" not in {each.name for each in over.warnings}


def test_power_that_is_unknown_is_left_out_of_both_sides_and_said() -> None:
    ram = priced("ram", "dram", "5")
    disk = priced("disk", "hdd", "0.02", **WATTS)
    asked: dict[str, Any] = {"page_bytes": 4096, "months": 36}
    without = break_even_interval.tier_interval(ram, disk, **asked)
    found = break_even_interval.tier_interval(ram, disk, **asked, power=AT_20_CENTS)
    assert found.interval_s == without.interval_s
    assert found.terms == without.terms
    [caution] = [each for each in found.warnings if each.name == "power_unknown"]
    assert caution.about == ("disk",)
    both = break_even_interval.tier_interval(
        ram, disk, **asked, power=Power(Decimal("0.2"))
    )
    [caution] = [each for each in both.warnings if each.name == "power_unknown"]
    assert caution.about == ("ram", "disk")


@pytest.mark.formula("evaluate.break_even.interval.tier_interval")
@given(
    watts=st.integers(1, 1000),
    per_gib=st.integers(0, 100),
    price=st.integers(1, 1000),
)
def test_electricity_for_nothing_changes_nothing_and_terms_add_up(
    watts: int, per_gib: int, price: int
) -> None:
    ram = priced("ram", "dram", "5")
    disk = priced("disk", "hdd", "0.02", active_power_w=(watts, "W"), **WATTS)
    asked: dict[str, Any] = {"page_bytes": 4096, "months": 36}
    without = break_even_interval.tier_interval(ram, disk, **asked)
    free = break_even_interval.tier_interval(
        ram, disk, **asked, power=Power(Decimal(0), Decimal(per_gib))
    )
    assert free == without
    priced_power = Power(Decimal(price) / 1000, Decimal(per_gib) / 10)
    found = break_even_interval.tier_interval(ram, disk, **asked, power=priced_power)
    terms = found.terms
    assert terms is not None
    assert terms.device_power_s >= 0 >= terms.memory_power_s
    assert (
        terms.device_s + terms.device_power_s + terms.memory_power_s
        == pytest.approx(found.interval_s)
    )


def test_an_interval_without_its_figures_names_them() -> None:
    bare = PricedTier(Device("bare", "bare", "hdd"), None)
    found = break_even_interval.tier_interval(
        priced("ram", "dram", "5"), bare, page_bytes=4096, months=36
    )
    assert found.interval_s is None
    assert found.missing == (
        "price of `bare`",
        "capacity of `bare`",
        "read IOPS of `bare`",
    )


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: break_even_theta.exponent(1, 2), "no amount of flash breaks even"),
        (lambda: break_even_theta.exponent(1, 1), "no amount of flash breaks even"),
        (lambda: break_even_theta.exponent(0, 0), "disk_cost: `0.0` must be above 0"),
        (
            lambda: break_even_theta.log_theta(-1, disk_cost=2, flash_cost=1),
            "delta: `-1` must not be negative",
        ),
        (
            lambda: break_even_theta.mixed_costs(
                1.5, disk_read=2, disk_write=2, flash_read=1, flash_write=1
            ),
            "read_share: `1.5` must not exceed 1",
        ),
        (
            lambda: break_even_theta.curve_theta(
                CURVE, 0, 1, disk_cost=2, flash_cost=1
            ),
            "base_pages: `0` must be finite and above 0",
        ),
        (
            lambda: money.roi_log(
                0, added_dram=1, added_flash=1, disk_cost=2, flash_cost=1
            ),
            "base: `0` must be above 0",
        ),
        (
            lambda: money.roi_log(
                1, added_dram=1, added_flash=1, disk_cost=1, flash_cost=1
            ),
            "must be above 0 and below disk_cost `1`",
        ),
        (
            lambda: full.full_theta(CURVE, 100, 1, COSTS, old_share=1),
            r"old_share: `1` must lie in \[0, 1\)",
        ),
        (
            lambda: full.flash_gain(0.1, 0.1, 1.5, 0, COSTS),
            "write_reduction: `1.5` must be finite, at most 1",
        ),
        (
            lambda: PageCosts(disk_read=0, disk_write=1, flash_read=1, flash_write=1),
            "disk_read: `0` must be finite and above 0",
        ),
        (
            lambda: break_even_interval.break_even_interval(
                page_bytes=4096,
                accesses_per_s=0,
                device_usd=1,
                memory_usd_per_byte=1,
            ),
            "accesses_per_s: `0.0` must be above 0",
        ),
        (
            lambda: money.flip_price_ratio(1, -1),
            "theta: `-1.0` must not be negative",
        ),
    ],
)
def test_refusals_name_value_and_next_step(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        call()
    assert raised.value.hint


# --- the whole question ------------------------------------------------------------------

SSD, DISK = "face2016-samsung-840pro-256", "face2016-cheetah-15k6-single"


@pytest.mark.oracle("advise.dram_or_flash.break_even.analyse")
def test_analyse_joins_curve_money_and_prices() -> None:
    found = break_even_question.analyse(
        catalog.device(SSD),
        catalog.device(DISK),
        deltas=[1, 2],
        read_share=1,
        curve=CURVE,
        ram_pages=100,
        usd=Decimal("0.001"),
        prices=catalog.price_book("papers-2015"),
    )
    assert found.exponent == pytest.approx(1.006254, abs=1e-6)
    assert found.theta_from_curve is not None
    assert found.theta_from_curve[1] is not None
    assert found.roi is not None
    # 0.62 USD/GB over 4.7 USD/GiB.
    assert found.price_ratio == pytest.approx(0.62 / 4.7 * 2**30 / 1e9, rel=1e-9)
    assert found.roi["dram_pages"] == int(0.001 / 4.7 * 2**30 / 4096)
    assert found.roi["flash_pages"] == int(0.001 / 0.62 * 1e9 / 4096)
    assert {interval.upper for interval in found.intervals} == {"dram", SSD}
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for derived in document["derivation"]:
        assert derived["formula"]
        assert derived["source"]
        assert derived["numbers"]
        assert derived["formula"] in derived["substituted"]


def test_the_share_of_reads_is_the_workloads_unless_given() -> None:
    devices = catalog.device(SSD), catalog.device(DISK)
    own = break_even_question.analyse(*devices, curve=CURVE, ram_pages=100)
    share = 1 - CURVE.write_accesses / CURVE.accesses
    assert 0 < share < 1
    assert own.inputs["read_share"] == share
    assert own.inputs["read_share_basis"] == "among all accesses of the workload"
    stated = break_even_question.analyse(
        *devices, curve=CURVE, ram_pages=100, read_share=share
    )
    assert own.exponent == stated.exponent
    reads = break_even_question.analyse(
        *devices, curve=CURVE, ram_pages=100, read_share=1
    )
    assert reads.exponent != own.exponent
    assert "all_reads_assumed" not in {w.name for w in (*own.warnings, *reads.warnings)}
    bare = break_even_question.analyse(*devices)
    assert bare.inputs["read_share"] == 1
    assert "all_reads_assumed" in {w.name for w in bare.warnings}


def test_steps_of_the_three_forms_are_told_apart() -> None:
    found = break_even_question.analyse(
        catalog.device(SSD), catalog.device(DISK), curve=CURVE, ram_pages=100
    )
    names = [step.result for step in found.derivation]
    assert len(set(names)) == len(names)
    forms = {"log model", "hits alone", "full form"}
    assert forms == {name.split(", ")[1] for name in names if name.startswith("theta")}
    assert found.validity


def test_arrays_of_disks_and_sequential_writes_change_the_costs() -> None:
    one = break_even_question.analyse(
        catalog.device(SSD), catalog.device(DISK), read_share=0
    )
    array = break_even_question.analyse(
        catalog.device(SSD), catalog.device(DISK), read_share=0, disks=16
    )
    appends = break_even_question.analyse(
        catalog.device(SSD),
        catalog.device(DISK),
        read_share=0,
        disks=16,
        sequential_writes=True,
    )
    assert one.exponent < appends.exponent < array.exponent
    assert "ideal_array" in {warning.name for warning in array.warnings}


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"deltas": []}, "deltas: needs at least one DRAM step"),
        ({"ram_pages": 5}, "ram_pages: `5` belongs together with a profile"),
        ({"usd": Decimal(5)}, "usd: `5` needs the existing DRAM"),
        ({"disks": 0}, "disks: `0` must be at least 1"),
        (
            {"curve": CURVE, "ram_pages": 100, "usd": Decimal(5)},
            "needs a price of RAM, but there is none",
        ),
    ],
)
def test_analyse_refuses_what_does_not_belong_together(
    inputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        break_even_question.analyse(catalog.device(SSD), catalog.device(DISK), **inputs)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "p.json"
    Profile(CURVE, None).write(profile)
    head = ["break-even", "--flash-device", SSD, "--disk-device", DISK]
    steps = ["--delta", "1", "--delta", "100"]
    assert main([*head, *steps, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert {"exponent", "theta", "theta_from_curve", "roi"} <= set(plain)
    assert (plain["theta_from_curve"], plain["roi"]) == (None, None)
    assert plain["theta"][0] == pytest.approx(1.0086892558)
    workload = ["--profile", str(profile), "--ram-pages", "100", "--usd", "0.001"]
    assert main([*head, *steps, *workload, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # The whole curve gains 0.2, and 0.2 x E is more than it has.
    assert found["theta_from_curve"][0] is not None
    assert found["theta_from_curve"][1] is None
    assert found["roi"]["winner"] == "flash"
    assert found["warnings"][0]["name"] == "price_book_assumed"
    assert main([*head, *steps, *workload]) == 0
    shown = capsys.readouterr()
    assert "unreachable" in shown.out
    assert "The next amount" in shown.out
    assert "`papers-2015` (2015) was used" in shown.err
    assert main([*head, "--usd", "many"]) == 2
    assert "--usd: `many` is not a decimal number" in capsys.readouterr().err
    swapped = ["break-even", "--flash-device", DISK, "--disk-device", SSD]
    assert main(swapped) == 2
    assert "hint: choose a faster flash device" in capsys.readouterr().err
