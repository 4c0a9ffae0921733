"""Life of flash by scheme: growth, budgets, ranges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate.endurance import growth as endurance_growth
from tierwright.evaluate.endurance import outlook, wear
from tierwright.evaluate.page_flow import dirty_range, evaluation
from tierwright.evaluate.page_flow.cautions import COUNT_CAUTIONS
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given

SIZES = np.unique(np.geomspace(1, 10_000, 100).astype(np.int64))
MISSES = 100_000 * (1 - 0.8 * np.log1p(SIZES) / np.log1p(10_000))
CURVE = Curve.from_lists(
    SIZES,
    MISSES,
    MISSES * 0.3,
    accesses=100_000,
    distinct_pages=10_000,
    page_bytes=8192,
    write_accesses=40_000,
)
SSD = catalog.device("face2016-samsung-840pro-256")
POINT = evaluation.evaluate(
    CURVE,
    ram_pages=500,
    flash_pages=4000,
    flash=SSD,
    disk=catalog.device("face2016-cheetah-15k6-single"),
)


@pytest.mark.formula(
    "evaluate.endurance.outlook.wear_range", "evaluate.endurance.outlook.gentlest"
)
@given(st.floats(0.0, 1.0), st.floats(1, 1e5))
@settings(max_examples=30)
def test_a_stated_dirty_share_lives_between_both_ends(
    share: float, rate: float
) -> None:
    unknown = Curve.from_lists(
        SIZES,
        MISSES,
        None,
        accesses=100_000,
        distinct_pages=10_000,
        page_bytes=8192,
        write_accesses=0,
        given=Given("table", data_known=True),
    )
    choices = {
        "ram_pages": 500,
        "flash_pages": 4000,
        "flash": SSD,
        "disk": catalog.device("face2016-cheetah-15k6-single"),
    }
    budget = outlook.write_budget(SSD, pe_cycles=1000)
    ends = outlook.wear_range(
        dirty_range.evaluate_range(unknown, **choices), budget, accesses_per_s=rate
    )
    one = outlook.wear_outlook(
        evaluation.evaluate(unknown.with_dirty_share(share), **choices),
        budget,
        accesses_per_s=rate,
    )
    for name, life in one.schemes.items():
        low, high = ends.most.schemes[name], ends.least.schemes[name]
        assert low.years is not None
        assert high.years is not None
        assert life.years is not None
        assert low.years * (1 - 1e-9) <= life.years <= high.years * (1 + 1e-9)
    # Lazy writes least where no page is dirty, and as much as exclusive where all are.
    longest = {
        name
        for name in ends.least.schemes
        if all(
            end.schemes[name].years
            >= max(life.years or 0 for life in end.schemes.values()) * (1 - 1e-9)
            for end in (ends.least, ends.most)
        )
    }
    assert longest == {"lazy"}
    assert ends.gentlest == "lazy"


@pytest.mark.oracle("evaluate.endurance.growth.years_with_growth")
@given(st.floats(0.01, 1e5), st.floats(0.01, 1e4), st.floats(-0.5, 2))
def test_what_is_written_until_the_end_is_the_budget(
    budget: float, per_year: float, growth: float
) -> None:
    """Slow and obvious: the writes of every small step of the life, added up."""
    years = endurance_growth.years_with_growth(budget, per_year, growth)
    if math.isinf(years):
        # all writes to come, w / -ln(1 + g), are less than the budget
        assert growth < 0
        assert per_year / -math.log1p(growth) <= budget * (1 + 1e-9)
        return
    steps = 20_000
    middles = (np.arange(steps) + 0.5) * years / steps
    written = float(np.sum(per_year * (1 + growth) ** middles) * years / steps)
    assert written == pytest.approx(budget, rel=1e-3)


@pytest.mark.formula("evaluate.endurance.growth.years_with_growth")
@given(st.floats(0.1, 1e4), st.floats(0.1, 1e4), st.floats(-0.9, 3), st.floats(0.01, 1))
def test_more_growth_never_lives_longer(
    budget: float, per_year: float, growth: float, more: float
) -> None:
    slow = endurance_growth.years_with_growth(budget, per_year, growth)
    fast = endurance_growth.years_with_growth(budget, per_year, growth + more)
    assert fast <= slow * (1 + 1e-9)


@pytest.mark.oracle("evaluate.endurance.outlook.wear_outlook")
def test_the_life_is_that_of_the_lifetime_formula() -> None:
    budget = outlook.write_budget(SSD, pe_cycles=1000)
    found = outlook.wear_outlook(POINT, budget, accesses_per_s=5000)
    for name, life in found.schemes.items():
        rate = POINT.schemes[name].flash_writes / 100_000 * 5000 * 8192
        same = wear.lifetime(
            nand_bytes=256e9, pe_cycles=1000, waf=5.15, host_bytes_per_s=rate
        )
        assert life.years == pytest.approx(float(same.years))
        assert life.tb_per_day == pytest.approx(rate * 86_400 / 1e12)
        assert life.years_from is not None
        assert life.years_to is not None
        assert life.years_from <= life.years <= life.years_to
        # Appended writes: WAF 1.03 instead of 5.15, and the least count of writes.
        least = life.least_pages_per_access / life.pages_per_access
        assert life.years_to == pytest.approx(life.years * 5.15 / 1.03 / least)
    assert "none" not in found.schemes


@pytest.mark.oracle("evaluate.endurance.outlook.write_budget")
def test_what_was_written_before_and_more_devices_count() -> None:
    rated = outlook.write_budget(catalog.device("intel-p4510-2tb"))
    assert rated.in_place_tb == 2054
    twice = outlook.write_budget(catalog.device("intel-p4510-2tb"), devices=2)
    fresh, double, worn = (
        outlook.wear_outlook(
            POINT, budget, accesses_per_s=1000, written_tb=written
        ).schemes["lazy"]
        for budget, written in ((rated, 0.0), (twice, 0.0), (rated, 1027.0))
    )
    assert fresh.years is not None
    assert double.years == pytest.approx(2 * fresh.years)
    assert worn.years == pytest.approx(fresh.years / 2)


def test_growth_too_small_to_count_changes_no_life() -> None:
    assert endurance_growth.years_with_growth(2, 3, 5e-324) == 2 / 3


def test_a_device_without_a_budget_has_no_years_and_says_why() -> None:
    budget = outlook.write_budget(catalog.device("samsung-pm9d3a"))
    assert budget.in_place_tb is None
    assert "no capacity" in budget.reason
    found = outlook.wear_outlook(POINT, budget, accesses_per_s=1000)
    assert found.schemes["lazy"].years is None
    assert found.schemes["lazy"].tb_per_day > 0
    assert found.warnings[0].name == "no_write_budget"


def test_a_budget_that_rests_on_an_assumption_says_so() -> None:
    device = catalog.device("samsung-pm9a3-7.68tb-u2")
    # 1.3 x 7.68 TB x 365 x 5: the drive writes are stated, the years are not.
    budget = outlook.write_budget(device)
    assert budget.in_place_tb == pytest.approx(1.3 * 7.68 * 365 * 5)
    assert budget.assumed == "5 years"
    found = outlook.wear_outlook(POINT, budget, accesses_per_s=1000)
    assert found.warnings[0].name == "endurance_assumed"
    assert found.schemes["lazy"].years is not None
    known = outlook.write_budget(device, rated_years=3)
    assert known.in_place_tb == pytest.approx(1.3 * 7.68 * 365 * 3)
    assert not known.assumed
    fewer = outlook.write_budget(device, rated_dwpd=0.5, rated_years=3)
    assert fewer.in_place_tb == pytest.approx(0.5 * 7.68 * 365 * 3)
    quiet = outlook.wear_outlook(POINT, known, accesses_per_s=1000)
    assert "endurance_assumed" not in {w.name for w in quiet.warnings}
    assert outlook.write_budget(device, rated_tb=100).in_place_tb == 100
    assert outlook.write_budget(device, pe_cycles=1000).reason


@pytest.mark.parametrize(
    "change", [{"devices": 0}, {"pe_cycles": -1}, {"waf_in_place": math.nan}]
)
def test_budgets_of_nonsense_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(BadInput, match=next(iter(change))):
        outlook.write_budget(SSD, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "values"),
    [
        ("growth_per_year", (1, 1, -1)),
        ("tb_per_year", (1, -1, 0)),
        ("budget_tb", (math.inf, 1, 0)),
    ],
)
def test_growth_of_nonsense_is_refused(
    where: str, values: tuple[float, float, float]
) -> None:
    with pytest.raises(BadInput, match=where):
        endurance_growth.years_with_growth(*values)


def test_a_load_of_nothing_lives_for_ever() -> None:
    found = outlook.wear_outlook(
        POINT, outlook.write_budget(SSD, pe_cycles=1000), accesses_per_s=0
    )
    assert found.schemes["lazy"].years == math.inf
    assert found.to_dict()["schemes"]["lazy"]["years"] is None


def test_what_is_uncertain_about_the_counts_is_said_of_the_life() -> None:
    budget = outlook.write_budget(catalog.device("intel-p4500-4tb"))
    found = outlook.wear_outlook(POINT, budget, accesses_per_s=1000)
    said = {warning.name for warning in found.warnings}
    of_counts = {w.name for w in POINT.warnings} & COUNT_CAUTIONS
    assert of_counts
    assert of_counts <= said
    # What is wrong with the times of a device changes no write.
    assert not {"queue_depth_unknown", "device_page_differs"} & said
