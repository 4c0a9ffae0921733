"""The engine of C0 to C3: by hand, and the same at a point and in an array of any shape."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.evaluate.page_flow import engine
from tierwright.evaluate.page_flow.results import ServiceTimes
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright.profile.curve import Curve

# 1000 accesses, 200 writes; misses 400, 300, 200 at 100, 200, 400 pages; write-backs 80, 30, 0.
CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)
TIMES = ServiceTimes(flash_read=100, flash_write=200, disk_read=1000, disk_write=2000)
R, F = np.array([100.0, 100.0]), np.array([200.0, 0.0])


@pytest.mark.oracle("evaluate.page_flow.engine.flows")
def test_counts_and_dirty_shares_by_hand() -> None:
    found = engine.flows(CURVE, R, F)
    assert list(found) == list(SCHEMES)
    # misses(100) = 400, wb(100) = 80: a fifth of the victims is dirty. Exclusive holds 300
    # pages: 250 misses, 15 of them push out a dirty page; without flash all 400 are misses.
    exclusive = found["exclusive"]
    assert exclusive.p_d.tolist() == [0.2, 0.2]
    assert exclusive.counts.flash_hits.tolist() == [150, 0]
    assert exclusive.counts.flash_misses.tolist() == [250, 400]
    assert exclusive.p_d_flash.tolist() == pytest.approx([15 / 250, 80 / 400])
    assert exclusive.ram_backs is not None
    assert exclusive.ram_backs.tolist() == [80, 80]
    # Inclusive holds max(r, f) = 200 pages: 300 misses, 30 of them push out a dirty page.
    assert found["inclusive"].counts.flash_misses[0] == 300
    assert found["inclusive"].p_d_flash[0] == pytest.approx(0.1)
    # Metadata of flash take 50 of 150 pages from schemes with flash, none from RAM alone.
    charged = engine.flows(CURVE, R, F, budget=R + 50)
    assert charged["none"].counts.ram_misses.tolist() == [350, 350]
    assert charged["exclusive"].counts.ram_misses.tolist() == [400, 400]
    # A share that is set stands in place of the measured one, for RAM and for flash.
    stated = engine.flows(CURVE, R, F, dirty=np.array([0.5, 0.5]))["exclusive"]
    assert stated.p_d.tolist() == stated.p_d_flash.tolist() == [0.5, 0.5]
    assert stated.ram_backs is None


@pytest.mark.oracle("evaluate.page_flow.engine.terms")
def test_terms_by_hand() -> None:
    found = engine.flows(CURVE, R, F)
    made = engine.terms("exclusive", found["exclusive"], TIMES)
    # 150 reads and 400 writes of flash, 250 reads and 15 writes of the disk; behind it, where
    # there is no flash, 400 reads and 80 writes of the disk.
    assert {name: cost.tolist() for name, cost in made.by_term.items()} == {
        "flash_reads": [15_000, 0],
        "flash_fills": [80_000, 0],
        "flash_write_backs": [0, 0],
        "disk_reads": [250_000, 400_000],
        "disk_writes": [pytest.approx(30_000), 160_000],
    }
    dear = engine.terms("exclusive", found["exclusive"], TIMES, flash_write_us=300)
    assert dear.total.tolist() == pytest.approx([415_000, 560_000])


@pytest.mark.oracle(
    "evaluate.page_flow.engine.flash_writes",
    "evaluate.page_flow.engine.both_flash_writes",
)
def test_flash_writes_by_hand() -> None:
    found = engine.flows(CURVE, R, F)
    # Each of 400 misses pushes a page to flash; from a cold start 300 do, as 100 fill RAM.
    charged, counted = engine.both_flash_writes(CURVE, "exclusive", found["exclusive"])
    assert (charged.tolist(), counted.tolist()) == ([400, 0], [300, 0])
    # 300 fills and 80 dirty victims, either way.
    charged, counted = engine.both_flash_writes(CURVE, "inclusive", found["inclusive"])
    assert charged.tolist() == counted.tolist() == [380, 0]
    for name, flow in found.items():
        written = engine.flash_writes(CURVE, name, flow)
        assert np.array_equal(written, engine.both_flash_writes(CURVE, name, flow)[0])


@pytest.mark.oracle("evaluate.page_flow.engine.io_time_error_us")
def test_errors_by_hand() -> None:
    # Lazy's hits may be off by 7 % of 400 RAM misses; a miss made a hit saves 1210 us
    # (1000 + 0.075 x 2000 + 200 - 100 - 0.2 x 200). C3 charges 226.67 flash writes where the
    # estimate is 231.25, which may itself be off by 5 % of the 231.25.
    found = engine.flows(CURVE, R, F)
    error = engine.io_time_error_us(CURVE, "lazy", found["lazy"], TIMES)
    assert error.tolist() == pytest.approx([33.88 + 4.5833333 / 5 + 2.3125, 0])
    exact = engine.io_time_error_us(CURVE, "exclusive", found["exclusive"], TIMES)
    assert exact.tolist() == [0, 0]


sizes = st.lists(
    st.tuples(st.integers(1, 500), st.integers(0, 900)), min_size=1, max_size=6
)
shares = st.none() | st.floats(0, 1)


@pytest.mark.formula(
    "evaluate.page_flow.engine.flows",
    "evaluate.page_flow.engine.terms",
    "evaluate.page_flow.engine.flash_writes",
    "evaluate.page_flow.engine.both_flash_writes",
    "evaluate.page_flow.engine.io_time_error_us",
)
@given(sizes, shares)
def test_an_array_has_what_each_of_its_points_has(
    places: list[tuple[int, int]], share: float | None
) -> None:
    r, f = (np.array(axis, dtype=float) for axis in zip(*places, strict=True))
    dirty = None if share is None else np.full(r.shape, share)
    together = engine.flows(CURVE, r, f, dirty=dirty)
    for at in range(len(places)):
        alone = engine.flows(
            CURVE, r[at], f[at], dirty=None if dirty is None else dirty[at]
        )
        for name, flow in together.items():
            one = alone[name]
            tier = flow.counts
            hits = tier.flash_hits[at] + tier.flash_misses[at]
            assert hits == pytest.approx(float(CURVE.misses(r[at])))
            assert 0 <= flow.p_d[at] <= 1
            assert 0 <= flow.p_d_flash[at] <= 1
            whole = engine.terms(name, flow, TIMES).total
            assert whole[at] == pytest.approx(
                float(engine.terms(name, one, TIMES).total)
            )
            charged, counted = engine.both_flash_writes(CURVE, name, flow)
            assert charged[at] == float(engine.flash_writes(CURVE, name, one))
            assert (charged[at] == 0) or f[at] > 0
            assert counted[at] >= 0
            error = engine.io_time_error_us(CURVE, name, flow, TIMES)
            assert error[at] >= 0
            assert error[at] == pytest.approx(
                float(engine.io_time_error_us(CURVE, name, one, TIMES))
            )
