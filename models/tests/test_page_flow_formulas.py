"""The page-flow formulas: published tables, identities, and refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import costs as page_flow_costs
from tierwright.evaluate.page_flow import directory

MS_PER_S = 1000.0
SCHEMES = ("inclusive", "exclusive", "lazy")

shares = st.floats(0, 1)
times = st.floats(0, 1e6)
counts = st.integers(0, 10**9)


@st.composite
def cost_inputs(draw: st.DrawFn) -> dict[str, float]:
    return {
        "p_d": draw(shares),
        "flash_read": draw(times),
        "flash_write": draw(times),
        "disk_read": draw(times),
        "disk_write": draw(times),
        "ram_replacement": draw(times),
        "flash_replacement": draw(times),
    }


def total_of(*values: float) -> float:
    return max(1.0, sum(abs(value) for value in values))


# --- published tables -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block_kib", "overwriting_mib", "invalidating_mib"),
    # Koltsidas and Viglas, Table 1: directory of 128 GiB of flash, 4 KiB RAM pages.
    [
        (4, 568, None),
        (8, 280, 284),
        (16, 138, 142),
        (32, 68, 72),
        (64, 33.5, 37.5),
        (128, 16.5, 20.5),
    ],
)
def test_table_1_of_the_paper(
    block_kib: int, overwriting_mib: float, invalidating_mib: float | None
) -> None:
    sizes = {
        "flash_bytes": 128 * 2**30,
        "flash_page_bytes": block_kib * 1024,
        "ram_page_bytes": 4096,
    }
    over = directory.flash_directory_size(**sizes, technique="overwriting")
    assert over is not None
    assert over.mib == overwriting_mib
    invalidating = directory.flash_directory_size(**sizes, technique="invalidating")
    assert (invalidating and invalidating.mib) == invalidating_mib


@pytest.mark.parametrize(
    ("read_iops", "write_iops", "flash_read_ms", "flash_write_ms", "ratio"),
    # Koltsidas and Viglas, Table 2: IOPS as printed; times and ratio follow.
    [
        (2500, 21, 0.4, 47.619, 119),
        (12000, 592, 0.083333, 1.68919, 20.3),
        (35000, 3300, 0.0285714, 0.303030, 10.6),
        (102000, 101000, 0.00980392, 0.00990099, 1.01),
    ],
)
def test_table_2_of_the_paper(
    read_iops: int,
    write_iops: int,
    flash_read_ms: float,
    flash_write_ms: float,
    ratio: float,
) -> None:
    read = float(page_flow_costs.iops_to_ms(read_iops))
    write = float(page_flow_costs.iops_to_ms(write_iops))
    assert read == pytest.approx(flash_read_ms, rel=1e-5)
    assert write == pytest.approx(flash_write_ms, rel=1e-5)
    assert write / read == pytest.approx(ratio, rel=5e-3)


def test_costs_of_the_x25e_row_by_hand() -> None:
    # h_f 6, m_f 4, p_d 1/4, F_R 1, F_W 2, D_R 8, D_W 8; m_r = 10, q = 0.6.
    # C1 = 6*1 + 10*0.25*2 + 4*(0.25*8 + 8 + 2) = 6 + 5 + 48 = 59
    # C2 = 6*1 + 10*2 + 4*(0.25*8 + 8) = 6 + 20 + 40 = 66
    # C3 = 10*(0.6*0.25*2 + 0.4*(0.25*8 + 2)) + 6*1 + 4*8 = 10*1.9 + 38 = 57
    found = page_flow_costs.io_costs(
        6, 4, p_d=0.25, flash_read=1, flash_write=2, disk_read=8, disk_write=8
    )
    assert float(found.inclusive) == 59
    assert float(found.exclusive) == 66
    assert float(found.lazy) == pytest.approx(57, rel=1e-15)
    assert float(found.q) == 0.6
    assert float(found.lazy_victim) == pytest.approx(1.9, rel=1e-15)


# --- identities at equal counts (section 2.6) ---------------------------------------------


@pytest.mark.formula("kv.costs")
@given(counts, counts, cost_inputs())
def test_differences_at_equal_counts(
    hits: int, misses: int, inputs: dict[str, float]
) -> None:
    found = page_flow_costs.io_costs(hits, misses, **inputs)
    c1, c2, c3 = float(found.inclusive), float(found.exclusive), float(found.lazy)
    p_d, write = inputs["p_d"], inputs["flash_write"]
    near = 1e-9 * total_of(c1, c2, c3)
    assert c1 - c3 == pytest.approx(misses * p_d * write, abs=near)
    assert c2 - c3 == pytest.approx(hits * (1 - p_d) * write, abs=near)
    missed = hits + misses
    assert c1 - c2 == pytest.approx(write * (p_d * missed - hits), abs=near)


@given(counts, counts, cost_inputs())
def test_lazy_is_the_sum_over_its_victims(
    hits: int, misses: int, inputs: dict[str, float]
) -> None:
    found = page_flow_costs.io_costs(hits, misses, **inputs)
    by_victim = (
        (hits + misses) * float(found.lazy_victim)
        + hits * inputs["flash_read"]
        + misses * inputs["disk_read"]
    )
    assert by_victim == pytest.approx(float(found.lazy), rel=1e-9, abs=1e-9)


@given(hits=st.integers(10**6, 2**50), misses=st.integers(1, 100), p_d=st.floats(0, 1))
def test_few_misses_beside_many_hits_lose_no_digits(
    hits: int, misses: int, p_d: float
) -> None:
    """1 - q is m_f / m_r; as a difference it would lose what makes up the victim's cost."""
    costs = {"flash_read": 1, "flash_write": 0.5, "disk_read": 8, "disk_write": 1e12}
    found = page_flow_costs.io_costs(hits, misses, p_d=p_d, **costs)
    absent = Fraction(misses, hits + misses)
    dirty, write = Fraction(p_d), Fraction(0.5)
    victim = (1 - absent) * dirty * write + absent * (dirty * 10**12 + write)
    assert float(found.lazy_victim) == pytest.approx(float(victim), rel=1e-12)
    clean = page_flow_costs.clean_only_cost(hits, misses, p_d=0, **costs)
    assert float(clean) == pytest.approx(hits + 8.5 * misses, rel=1e-12)
    update = page_flow_costs.directory_costs(hits, misses, p_d=0, lookup=0, update=1e12)
    assert float(update.lazy_victim) == pytest.approx(
        float(2 * absent) * 1e12, rel=1e-12
    )


@given(counts, counts, cost_inputs())
def test_all_dirty_makes_exclusive_lazy_and_all_clean_makes_inclusive_lazy(
    hits: int, misses: int, inputs: dict[str, float]
) -> None:
    dirty = page_flow_costs.io_costs(hits, misses, **{**inputs, "p_d": 1.0})
    assert float(dirty.exclusive) == pytest.approx(float(dirty.lazy), rel=1e-12)
    clean = page_flow_costs.io_costs(hits, misses, **{**inputs, "p_d": 0.0})
    assert float(clean.inclusive) == pytest.approx(float(clean.lazy), rel=1e-12)


@pytest.mark.formula("kv.C3_clean_only")
@given(cost_inputs())
def test_no_ram_misses_cost_nothing(inputs: dict[str, float]) -> None:
    found = page_flow_costs.io_costs(0, 0, **inputs)
    assert [float(getattr(found, scheme)) for scheme in SCHEMES] == [0, 0, 0]
    assert float(found.q) == 0
    assert float(page_flow_costs.clean_only_cost(0, 0, **inputs)) == 0


@given(counts, counts, cost_inputs(), st.floats(0.1, 100))
def test_costs_are_homogeneous_and_the_choice_does_not_depend_on_the_unit(
    hits: int, misses: int, inputs: dict[str, float], factor: float
) -> None:
    scaled = {
        name: value if name == "p_d" else value * factor
        for name, value in inputs.items()
    }
    found = page_flow_costs.io_costs(hits, misses, **inputs)
    other = page_flow_costs.io_costs(hits, misses, **scaled)
    more = page_flow_costs.io_costs(hits * 3, misses * 3, **inputs)
    for scheme in SCHEMES:
        value = float(getattr(found, scheme))
        assert value >= 0
        assert float(getattr(other, scheme)) == pytest.approx(value * factor, rel=1e-9)
        assert float(getattr(more, scheme)) == pytest.approx(value * 3, rel=1e-9)


@given(
    counts,
    counts,
    cost_inputs(),
    st.sampled_from(
        [
            "flash_read",
            "flash_write",
            "disk_read",
            "disk_write",
            "p_d",
            "ram_replacement",
            "flash_replacement",
        ]
    ),
)
def test_costs_never_fall_when_an_input_rises(
    hits: int, misses: int, inputs: dict[str, float], name: str
) -> None:
    raised = {**inputs, name: min(1.0, inputs[name] + 0.1) if name == "p_d" else 2e6}
    before = page_flow_costs.io_costs(hits, misses, **inputs)
    after = page_flow_costs.io_costs(hits, misses, **raised)
    for scheme in SCHEMES:
        low, high = float(getattr(before, scheme)), float(getattr(after, scheme))
        assert high >= low - 1e-9 * abs(low)


@pytest.mark.formula("kv.directory_costs")
@given(counts, counts, shares, times, times)
def test_directory_identities(
    hits: int, misses: int, p_d: float, lookup: float, update: float
) -> None:
    found = page_flow_costs.directory_costs(
        hits, misses, p_d=p_d, lookup=lookup, update=update
    )
    missed = hits + misses
    c1, c2, c3 = (float(getattr(found, scheme)) for scheme in SCHEMES)
    near = 1e-9 * total_of(c1, c2, c3)
    assert c1 - c2 == pytest.approx(missed * p_d * update, abs=near)
    assert c3 - c1 == pytest.approx(missed * lookup - misses * p_d * update, abs=near)
    # The closed form of the paper.
    closed = hits * (2 * lookup + (p_d + 1) * update) + 2 * misses * (lookup + update)
    assert c3 == pytest.approx(closed, abs=near)


def test_two_updates_of_a_swap_make_exclusive_dearer() -> None:
    once = page_flow_costs.directory_costs(6, 4, p_d=0.5, lookup=1, update=1)
    twice = page_flow_costs.directory_costs(
        6, 4, p_d=0.5, lookup=1, update=1, exclusive_hit_updates=2
    )
    assert float(once.exclusive) == 10 * 2 + 4
    assert float(twice.exclusive) == 10 * 3  # C2d = m_r (L + 2 U)


@pytest.mark.formula("evaluate.page_flow.costs.scheme_cost_terms")
@given(counts, counts, cost_inputs())
def test_terms_add_up_to_the_cost(
    hits: int, misses: int, inputs: dict[str, float]
) -> None:
    whole = page_flow_costs.io_costs(hits, misses, **inputs)
    for scheme in SCHEMES:
        terms = page_flow_costs.scheme_cost_terms(scheme, hits, misses, **inputs)
        assert float(terms.total) == pytest.approx(
            float(getattr(whole, scheme)), rel=1e-12
        )


def test_a_separate_dirty_share_of_flash_victims_changes_only_disk_writes() -> None:
    costs = {"flash_read": 1, "flash_write": 2, "disk_read": 8, "disk_write": 10}
    for scheme in SCHEMES:
        same = page_flow_costs.scheme_cost_terms(scheme, 6, 4, p_d=0.5, **costs)
        other = page_flow_costs.scheme_cost_terms(
            scheme, 6, 4, p_d=0.5, p_d_flash=0.25, **costs
        )
        assert float(same.by_term["disk_writes"]) == 4 * 0.5 * 10
        assert float(other.by_term["disk_writes"]) == 4 * 0.25 * 10
        assert float(other.by_term["flash_write_backs"]) == float(
            same.by_term["flash_write_backs"]
        )


def test_clean_only_by_hand() -> None:
    # m_r 10, q 0.6, p_d 1/4: V = 0.25*8 + 0.75*0.4*2 = 2.6; 10*2.6 + 6*1 + 4*8 = 64
    cost = page_flow_costs.clean_only_cost(
        6, 4, p_d=0.25, flash_read=1, flash_write=2, disk_read=8, disk_write=8
    )
    assert float(cost) == pytest.approx(64, rel=1e-15)


@pytest.mark.formula("kv.exclusive_minus_lazy_advantage")
@given(counts, counts, cost_inputs())
def test_advantage_is_the_difference_of_the_two_costs(
    lazy_hits: int, extra: int, inputs: dict[str, float]
) -> None:
    misses = (
        extra + 1000
    )  # lazy's flash misses; exclusive turns `extra` of them into hits
    lazy = float(page_flow_costs.io_costs(lazy_hits, misses, **inputs).lazy)
    exclusive = float(
        page_flow_costs.io_costs(lazy_hits + extra, misses - extra, **inputs).exclusive
    )
    advantage = float(
        page_flow_costs.exclusive_minus_lazy_advantage(
            lazy_hits,
            extra,
            **{name: v for name, v in inputs.items() if name != "ram_replacement"},
        )
    )
    assert advantage == pytest.approx(
        lazy - exclusive, abs=1e-9 * total_of(lazy, exclusive)
    )


def test_saving_and_price_performance() -> None:
    assert page_flow_costs.flash_saving(25, 100) == 0.75
    assert page_flow_costs.flash_saving(0, 0) is None
    assert page_flow_costs.price_performance(500, 100, 20) == (5.0, 100.0)


def test_formulas_work_on_arrays() -> None:
    hits = np.array([[0.0, 600.0], [100.0, 0.0]])
    found = page_flow_costs.io_costs(
        hits, 400, p_d=0.25, flash_read=1, flash_write=2, disk_read=8, disk_write=8
    )
    assert found.lazy.shape == (2, 2)
    for at in np.ndindex(2, 2):
        single = page_flow_costs.io_costs(
            hits[at],
            400,
            p_d=0.25,
            flash_read=1,
            flash_write=2,
            disk_read=8,
            disk_write=8,
        )
        assert found.lazy[at] == float(single.lazy)


# --- directories and blocks ---------------------------------------------------------------


@pytest.mark.formula("kv.flash_directory_size")
@given(st.integers(0, 10), st.integers(1, 2**20))
def test_invalidating_adds_one_bit_a_ram_page(doublings: int, blocks: int) -> None:
    ram_page = 4096
    flash_page = ram_page * 2 ** (doublings + 1)
    sizes = {
        "flash_bytes": blocks * flash_page,
        "flash_page_bytes": flash_page,
        "ram_page_bytes": ram_page,
    }
    over = directory.flash_directory_size(**sizes, technique="overwriting")
    invalid = directory.flash_directory_size(**sizes, technique="invalidating")
    assert over is not None
    assert invalid is not None
    bits = (invalid.mib - over.mib) * 2**20 * 8
    assert bits == pytest.approx(sizes["flash_bytes"] / ram_page)
    double = directory.flash_directory_size(
        flash_bytes=sizes["flash_bytes"] * 2,
        flash_page_bytes=flash_page * 2,
        ram_page_bytes=ram_page,
        technique="overwriting",
    )
    assert double is not None
    assert double.mib <= over.mib


SIZES = {
    "ram_bytes": 2**30,
    "flash_bytes": 2**35,
    "ram_page_bytes": 4096,
    "flash_page_bytes": 4096,
    "ram_entry_bytes": 48,
    "flash_entry_bytes": 24,
}


@pytest.mark.formula("kv.directory_in_ram")
@given(st.integers(1, 2**44), st.integers(0, 2**43))
def test_ram_pages_do_not_rise_with_flash(flash_bytes: int, more: int) -> None:
    small = directory.directory_in_ram(**{**SIZES, "flash_bytes": flash_bytes})
    large = directory.directory_in_ram(**{**SIZES, "flash_bytes": flash_bytes + more})
    assert large.ram_pages <= small.ram_pages <= small.ram_pages_no_flash
    assert small.feasible == (small.ram_pages >= 1)


@pytest.mark.formula("kv.directory_on_flash")
@given(st.integers(24, 150_000_000))
def test_a_directory_on_flash_frees_ram(buffered: int) -> None:
    inside = directory.directory_in_ram(**SIZES)
    outside = directory.directory_on_flash(**SIZES, buffered_bytes=buffered)
    assert outside.ram_pages >= inside.ram_pages  # as n <= b_f f
    assert outside.lost_flash_pages == inside.flash_pages - outside.flash_pages >= 0


@pytest.mark.formula("kv.directory_LU")
@given(shares, shares, shares, st.booleans())
def test_directory_access_never_rises_with_its_hit_ratio(
    first: float, second: float, dirty: float, consistent: bool
) -> None:
    low, high = sorted((first, second))
    lookup = [
        directory.directory_access_costs(
            lookup_pages=1,
            update_pages=2,
            hit_ratio=ratio,
            p_d_directory=dirty,
            flash_read=0.1,
            flash_write=0.5,
            write_on_eviction=consistent,
        )[0]
        for ratio in (low, high)
    ]
    assert lookup[1] <= lookup[0] + 1e-12


@pytest.mark.formula("kv.block_map")
@given(st.integers(0, 10**9), st.integers(0, 8))
def test_block_map_inverts(page: int, doublings: int) -> None:
    flash_page = 4096 * 2**doublings
    place = directory.block_map(
        page=page, ram_page_bytes=4096, flash_page_bytes=flash_page
    )
    assert place.block * flash_page + place.offset_in_block == page * 4096
    assert place.index_in_block == place.offset_in_block // 4096


# --- refusals -----------------------------------------------------------------------------

COSTS = {
    "p_d": 0.5,
    "flash_read": 1,
    "flash_write": 2,
    "disk_read": 8,
    "disk_write": 8,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p_d": 1.5}, "io_costs: p_d: `1.5` must not exceed 1"),
        ({"p_d": -0.1}, "io_costs: p_d: `-0.1` must not be negative"),
        ({"p_d_flash": 2}, "io_costs: p_d_flash: `2` must not exceed 1"),
        ({"flash_read": -1}, "io_costs: flash_read: `-1` must not be negative"),
        ({"disk_read": math.nan}, "io_costs: disk_read: `nan` must be finite"),
        ({"disk_write": math.inf}, "io_costs: disk_write: `inf` must be finite"),
        ({"flash_write": "x"}, "io_costs: flash_write: `x` must be a number"),
    ],
)
def test_costs_refuse(change: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        page_flow_costs.io_costs(6, 4, **{**COSTS, **change})
    assert caught.value.message == message
    assert caught.value.hint


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(BadInput) as caught:
        page_flow_costs.io_costs(-6, 4, **{**COSTS, "p_d": 2})
    assert [problem.where for problem in caught.value.problems] == ["flash_hits", "p_d"]
    assert "2 problems" in caught.value.message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: page_flow_costs.iops_to_ms(0),
            "iops: `0` must be positive",
        ),
        (
            lambda: page_flow_costs.scheme_cost_terms("sideways", 1, 1, **COSTS),
            "there is no page-flow scheme `sideways`",
        ),
        (
            lambda: directory.directory_in_ram(**{**SIZES, "flash_page_bytes": 5000}),
            "flash_page_bytes: `5000` is not a multiple of the RAM page, 4096",
        ),
        (
            lambda: directory.directory_in_ram(**{**SIZES, "ram_bytes": 0}),
            "directory_in_ram: ram_bytes: `0` must be a positive whole number",
        ),
        (
            lambda: directory.directory_on_flash(**SIZES, buffered_bytes=1),
            "directory_on_flash: buffered_bytes: `1` must lie between one entry, 24, and "
            "200153808, the smaller of directory and RAM",
        ),
        (
            lambda: directory.flash_directory_size(
                flash_bytes=4096,
                flash_page_bytes=4096,
                ram_page_bytes=4096,
                technique="guessing",
            ),
            "flash_directory_size: technique: `guessing` is unknown",
        ),
        (
            lambda: directory.flash_directory_size(
                flash_bytes=4095,
                flash_page_bytes=4096,
                ram_page_bytes=4096,
                technique="overwriting",
            ),
            "flash_directory_size: flash_bytes: `4095` is less than one page",
        ),
        (
            lambda: directory.block_map(page=-1, ram_page_bytes=1, flash_page_bytes=1),
            "block_map: page: `-1` is not a page number",
        ),
        (
            lambda: page_flow_costs.price_performance(1, 0, 1),
            "accesses: `0` must be positive",
        ),
        (
            lambda: page_flow_costs.directory_costs(
                1, 1, p_d=0, lookup=1, update=1, exclusive_hit_updates=3
            ),
            "exclusive_hit_updates `3` is neither 1 nor 2",
        ),
    ],
)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(BadInput) as caught:
        call()
    assert caught.value.message == message
    assert caught.value.hint
