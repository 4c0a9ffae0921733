"""Profiles stay small, and say how far straight lines between their sizes are off."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tierwright.common.errors import BadInput
from tierwright.profile import measure
from tierwright.profile.curve import Curve
from tierwright.profile.document import MAX_PROFILE_BYTES, Profile
from tierwright.profile.summaries import summarise
from tierwright.profile.thinning import LARGEST_ERROR, error_bounded
from tierwright.trace.reading import Trace

LARGEST_SHARED = (
    ("OLTP.lis.zst", {}),
    ("cloudPhysicsIO.oracleGeneral.zst", {}),
    ("websearch1-small.spc", {}),
    ("postgres/tpcb.csv.zst", {}),
)


def cliff(pages: int) -> Curve:
    """A loop over `pages` pages: LRU misses everything below, nothing at that size."""
    misses = np.full(pages, 100 * pages)
    misses[-1] = pages
    misses[: pages // 2] += pages
    return Curve.from_full(
        misses,
        misses // 2,
        accesses=101 * pages,
        page_bytes=4096,
        write_accesses=60 * pages,
    )


def farthest(whole: Curve, thinned: Curve) -> float:
    """The slow way: every size, one after another."""
    worst = 0.0
    for size in range(1, whole.last_listed + 1):
        for name in ("misses", "write_backs"):
            off = float(getattr(thinned, name)(size)) - float(
                getattr(whole, name)(size)
            )
            worst = max(worst, abs(off))
    return worst / whole.accesses


def test_a_cliff_between_log_spaced_sizes_is_kept():
    whole = cliff(3000)
    plain = whole.thinned(100)
    thinned, stated = error_bounded(whole, 100)
    assert farthest(whole, plain) > 0.4
    assert farthest(whole, thinned) == pytest.approx(stated)
    assert stated <= LARGEST_ERROR
    assert set(plain.pages) <= set(thinned.pages)
    assert len(thinned.pages) <= len(plain.pages) + 10


def test_at_most_twice_the_sizes_are_listed_and_the_error_is_stated():
    rng = np.random.default_rng(7)
    steps = np.sort(rng.choice(20_000, 400, replace=False))
    misses = 20_000 - np.searchsorted(steps, np.arange(20_000)) * 50
    whole = Curve.from_full(
        misses, misses // 3, accesses=20_000, page_bytes=4096, write_accesses=9000
    )
    thinned, stated = error_bounded(whole, 20)
    assert len(thinned.pages) <= 2 * len(whole.thinned(20).pages) + 1
    assert stated > LARGEST_ERROR
    assert farthest(whole, thinned) == pytest.approx(stated)


def test_a_small_curve_is_kept_whole():
    whole = cliff(50)
    thinned, stated = error_bounded(whole, 1000, [3, 80])
    assert thinned.pages.tolist() == [*range(1, 51), 80]
    assert stated == 0


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), LARGEST_SHARED)
def test_the_largest_traces_have_small_profiles(shared, name, options):
    trace = Trace(shared / "traces" / name, **options)
    made = measure.profile(trace)
    text = made.to_text()
    assert len(text) <= 100_000 < MAX_PROFILE_BYTES
    summed = replace(made, summaries=summarise(trace))
    assert len(summed.to_text()) <= 200_000 < MAX_PROFILE_BYTES
    assert set(json.loads(summed.to_text())) - set(json.loads(text)) == {"summaries"}
    assert made.thinned_error is not None
    assert made.thinned_error <= LARGEST_ERROR
    document = json.loads(text)
    assert document["curve"]["pages"][-1] == document["distinct_pages"]
    assert set(document) == {
        "schema",
        "schema_version",
        "accesses",
        "distinct_pages",
        "write_accesses",
        "page_bytes",
        "duration_s",
        "curve",
        "thinned_error",
        "windows",
        "trace",
    }
    assert set(document["trace"]) == {
        "source_format",
        "tells_writes",
        "warnings",
        "assumptions",
    }


def test_a_profile_that_would_be_too_large_is_refused(tmp_path):
    pages = np.arange(1, 20_001)
    curve = Curve.from_lists(
        pages,
        10_000_000.5 - pages,
        5_000_000.25 - pages,
        accesses=10**7 + 1,
        distinct_pages=20_000,
        page_bytes=4096,
        write_accesses=6 * 10**6,
    )
    path = tmp_path / "large.json"
    with pytest.raises(BadInput, match="at most 300000"):
        Profile(curve, None).write(path)
    assert not path.exists()
