"""Hits per scheme from one curve, and the lazy fixed point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import counts
from tierwright.profile.curve import Curve


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    """A falling piecewise linear curve of a cold start."""
    steps = draw(st.lists(st.integers(1, 500), min_size=1, max_size=12))
    pages = np.cumsum(steps)
    falls = draw(
        st.lists(st.integers(0, 10_000), min_size=len(steps), max_size=len(steps))
    )
    last = draw(st.integers(0, 5_000))
    misses = last + np.cumsum(falls[::-1])[::-1]
    accesses = int(misses[0]) + draw(st.integers(0, 10_000))
    return Curve.from_lists(
        pages,
        misses,
        misses // 2,
        accesses=accesses,
        distinct_pages=0,
        page_bytes=4096,
        write_accesses=accesses // 2 + 1 if accesses else 0,
    )


sizes = st.integers(0, 8000)


@pytest.mark.formula("kv.hits_from_curve")
@given(curves(), sizes, sizes)
def test_counts_add_up_and_are_ordered(curve: Curve, r: int, f: int) -> None:
    found = counts.hits_from_curve(curve, r, f)
    for tier in found.values():
        assert float(tier.ram_hits + tier.ram_misses) == pytest.approx(curve.accesses)
        assert float(tier.flash_hits + tier.flash_misses) == pytest.approx(
            float(tier.ram_misses)
        )
        assert float(tier.flash_hits) >= -1e-9
    inclusive, lazy, exclusive = (
        found[scheme] for scheme in ("inclusive", "lazy", "exclusive")
    )
    e_f = [float(t.effective_flash_pages) for t in (inclusive, lazy, exclusive)]
    assert e_f[0] <= e_f[1] + 1e-9
    assert e_f[1] <= e_f[2] + 1e-9
    h_f = [float(t.flash_hits) for t in (inclusive, lazy, exclusive)]
    near = 1e-9 * (1 + curve.accesses)
    assert h_f[0] <= h_f[1] + near
    assert h_f[1] <= h_f[2] + near
    if f == 0:
        assert h_f == [0, 0, 0]
    if f <= r:
        assert h_f[0] == 0


@pytest.mark.formula("evaluate.page_flow.counts.lazy_effective_flash")
@given(curves(), sizes, sizes)
def test_lazy_solves_its_fixed_point(curve: Curve, r: int, f: int) -> None:
    x = float(counts.lazy_effective_flash(curve, r, f))
    ram_misses = float(curve.misses(r))
    if ram_misses == 0:
        assert x == f
        return
    q = (ram_misses - float(curve.misses(r + x))) / ram_misses
    assert max(0, f - r) <= x <= f
    assert x == pytest.approx(f - min(f, r * q), abs=1e-6)


@pytest.mark.oracle("evaluate.page_flow.counts.lazy_effective_flash")
@given(curves(), sizes, st.integers(1, 8000))
def test_lazy_agrees_with_plain_bisection(curve: Curve, r: int, f: int) -> None:
    ram_misses = float(curve.misses(r))
    if ram_misses == 0:
        return
    low, high = float(max(0, f - r)), float(f)
    for _ in range(200):
        x = (low + high) / 2
        hits = ram_misses - float(curve.misses(r + x))
        if x < f - min(f, r * hits / ram_misses):
            low = x
        else:
            high = x
    assert float(counts.lazy_effective_flash(curve, r, f)) == pytest.approx(
        low, rel=1e-9, abs=1e-6
    )


def test_counts_by_hand() -> None:
    # N = 1000; misses 1000, 500, 300, 200 at 0, 100, 200, 400 pages.
    curve = Curve.from_hit_ratios([(100, 0.5), (200, 0.7), (400, 0.8)], accesses=1000)
    found = counts.hits_from_curve(curve, 100, 200)
    assert float(found["none"].ram_hits) == 500
    # inclusive sees misses(max(100, 200)) = 300
    assert float(found["inclusive"].flash_hits) == pytest.approx(200)
    # exclusive sees misses(300) = 250
    assert float(found["exclusive"].flash_hits) == pytest.approx(250)
    # lazy: y = 100 + x solves y - 0.2 M(y) = 200; on [200, 400] M(y) = 400 - y/2, so
    # 1.1 y = 280, y = 254.54..., M = 272.72..., h_f = 227.27...
    assert float(found["lazy"].flash_hits) == pytest.approx(500 - (400 - 280 / 2.2))


def test_arrays_and_scalars_agree() -> None:
    curve = Curve.from_hit_ratios([(100, 0.5), (200, 0.7), (400, 0.8)], accesses=1000)
    r = np.array([10, 100, 300])[:, None]
    f = np.array([0, 50, 250, 1000])[None, :]
    grid = counts.hits_from_curve(curve, r, f)
    assert grid["lazy"].flash_hits.shape == (3, 4)
    for i, j in np.ndindex(3, 4):
        single = counts.hits_from_curve(curve, r[i, 0], f[0, j])
        for scheme, tier in single.items():
            assert grid[scheme].flash_hits[i, j] == float(tier.flash_hits), scheme


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((-1, 5), "hits: ram_pages: `-1` must not be negative"),
        ((1, float("nan")), "hits: flash_pages: `nan` must be finite"),
    ],
)
def test_counts_refuse(sizes: tuple[float, float], message: str) -> None:
    curve = Curve.from_hit_ratios([(100, 0.5)], accesses=1000)
    with pytest.raises(BadInput) as caught:
        counts.hits_from_curve(curve, *sizes)
    assert caught.value.message == message
