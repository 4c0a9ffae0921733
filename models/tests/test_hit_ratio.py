"""Curves and profile files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.profile.curve import Curve, thinned_sizes
from tierwright.profile.document import Profile, profile_from_mapping, read_profile


def make_curve() -> Curve:
    return Curve.from_lists(
        [1, 10, 20],
        [90, 45, 20],
        [30, 12, 0],
        accesses=100,
        distinct_pages=20,
        page_bytes=4096,
        write_accesses=40,
    )


def test_listed_sizes_are_exact_and_the_line_runs_between() -> None:
    curve = make_curve()
    assert curve.misses([1, 10, 20]).tolist() == [90, 45, 20]
    assert float(curve.misses(5.5)) == 67.5  # halfway from 90 to 45
    assert float(curve.write_backs(15)) == 6
    assert curve.hit_ratio([10]).tolist() == [0.55]


def test_size_0_misses_everything_and_writes_every_write_through() -> None:
    curve = make_curve()
    assert float(curve.misses(0)) == 100
    assert float(curve.write_backs(0)) == 40
    assert float(curve.hit_ratio(0)) == 0


def test_beyond_the_last_size_the_curve_is_constant() -> None:
    curve = make_curve()
    assert curve.misses([20, 21, 10**12]).tolist() == [20, 20, 20]
    assert curve.evictions([10, 20, 50]).tolist() == [35, 0, 0]


def test_dirty_share_is_0_where_nothing_misses() -> None:
    curve = Curve.from_lists(
        [1, 2],
        [5, 0],
        [1, 0],
        accesses=10,
        distinct_pages=2,
        page_bytes=1,
        write_accesses=3,
    )
    assert curve.dirty_share([1, 2]).tolist() == [0.2, 0]


def test_is_listed() -> None:
    curve = make_curve()
    assert [curve.is_listed(size) for size in (0, 1, 5, 10, 10.5, 20, 99)] == [
        True,
        True,
        False,
        True,
        False,
        True,
        True,
    ]


@given(st.integers(1, 10**7), st.integers(1, 2000), st.sets(st.integers(1, 10**8)))
def test_thinned_sizes_hold_what_was_asked(
    distinct: int, points: int, also: set[int]
) -> None:
    sizes = thinned_sizes(distinct, points, also)
    assert np.all(np.diff(sizes) > 0)
    assert {1, distinct} | also <= set(sizes.tolist())
    plain = thinned_sizes(distinct, points)
    assert len(plain) >= min(points, distinct)
    assert len(plain) <= max(2, 1.3 * points + 2)


def test_beyond_a_curve_that_ends_early_nothing_is_known() -> None:
    curve = Curve.from_lists(
        [1, 10],
        [90, 45],
        [30, 12],
        accesses=100,
        distinct_pages=20,
        page_bytes=4096,
        write_accesses=40,
    )
    assert curve.is_listed(10)
    assert not curve.is_listed(11)


def test_thinning_keeps_exact_counts() -> None:
    rng = np.random.default_rng(7)
    misses = np.sort(rng.integers(5_000, 90_000, 5_000))[::-1]
    whole = Curve.from_full(
        misses, misses // 3, accesses=100_000, page_bytes=8192, write_accesses=40_000
    )
    thin = whole.thinned(100, [1234, 9999])
    for size, count in zip(thin.pages, thin.misses_at, strict=True):
        assert count == misses[min(size, 5_000) - 1]
    assert {1, 1234, 5_000, 9999} <= set(thin.pages.tolist())


def test_a_profile_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    Profile(make_curve(), 3.5).write(path)
    back = read_profile(path)
    assert back.to_dict() == Profile(make_curve(), 3.5).to_dict()
    assert back.duration_s == 3.5
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_a_profile_needs_only_the_documented_keys() -> None:
    document = Profile(make_curve(), None).to_dict()
    del document["schema"], document["schema_version"]
    assert profile_from_mapping(document).curve.accesses == 100


def changed(**changes: Any) -> dict[str, Any]:
    document = Profile(make_curve(), 1.0).to_dict()
    for key, value in changes.items():
        target = document["curve"] if key in document["curve"] else document
        target[key] = value
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "p: document: `list` must be a JSON object"),
        (
            changed(accesses=-1),
            "p: accesses: `-1` must be a whole number, not negative",
        ),
        (
            changed(accesses=True),
            "p: accesses: `True` must be a whole number, not negative",
        ),
        (
            changed(page_bytes=0),
            "p: page_bytes: `0` must be a positive whole number",
        ),
        (
            changed(duration_s=-2),
            "p: duration_s: `-2` must be a number that is not negative, or null",
        ),
        (
            changed(schema_version=9),
            "p: schema_version: `9` must be one of 1, 2, 3, the versions that this program reads",
        ),
        (changed(curve=None), "p: curve: must be an object of three lists"),
        (
            changed(pages=[1, 10, 10]),
            "p: curve.pages[2]: `10` must increase, from 1",
        ),
        (
            changed(pages=[0, 10, 20]),
            "p: curve.pages[0]: `0` must increase, from 1",
        ),
        (
            changed(pages=[1, 2.5, 20]),
            "p: curve.pages[1]: `2.5` must be a whole number",
        ),
        (
            changed(misses=[90, 95, 20]),
            "p: curve.misses[1]: `95.0` must not rise with size",
        ),
        (
            changed(misses=[101, 45, 20]),
            "p: curve.misses[0]: `101.0` must lie in [0, 100]",
        ),
        (
            changed(misses=[90, "x", 20]),
            "p: curve.misses[1]: `x` must be a number",
        ),
        (
            changed(misses=[90, 45]),
            "p: curve: pages, misses and write_backs must be lists of one length, not empty",
        ),
        (
            changed(write_backs=[30, 12, 13]),
            "p: curve.write_backs[2]: `13.0` must not rise with size",
        ),
        (
            changed(misses=[90, 11, 0]),
            "p: curve.write_backs[1]: `12.0` must not exceed misses",
        ),
        (
            changed(write_accesses=101),
            "p: write_accesses: `101` must not exceed accesses",
        ),
        (
            changed(distinct_pages=101),
            "p: distinct_pages: `101` must not exceed accesses",
        ),
    ],
)
def test_a_bad_profile_is_refused_with_its_key(document: Any, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        profile_from_mapping(document, place="p")
    assert caught.value.message == message
    assert "tierwright profile" in caught.value.hint


def test_a_file_that_is_no_profile(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        read_profile(tmp_path / "absent.json")
    path = tmp_path / "bad.json"
    path.write_text('{"accesses": 1,\n oops}', encoding="utf-8")
    with pytest.raises(BadInput, match=r"bad\.json: line 2, column 2: not JSON"):
        read_profile(path)
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadInput, match="cannot be read as text"):
        read_profile(path)
    path.write_text(json.dumps(changed()), encoding="utf-8")
    assert read_profile(path).curve.distinct_pages == 20


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(0, 0.1), (10, 0.5)], "hit-ratio curve: H(0): `0.1` must be 0"),
        ([(10, 1.5)], "hit-ratio curve: H(10): `1.5` must lie in [0, 1]"),
        (
            [(10, 0.5), (20, 0.4)],
            "curve: curve.misses[1]: `60.0` must not rise with size",
        ),
    ],
)
def test_bad_hit_ratios(points: list[tuple[int, float]], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        Curve.from_hit_ratios(points, accesses=100)
    assert caught.value.message == message


def test_a_curve_without_write_backs_says_so() -> None:
    curve = Curve.from_hit_ratios([(10, 0.5)], accesses=100)
    with pytest.raises(BadInput) as caught:
        curve.write_backs(5)
    assert caught.value.message == "the curve has no write-backs"


def test_named_sizes_below_1_are_refused() -> None:
    with pytest.raises(BadInput, match="size `0` is below 1 page"):
        thinned_sizes(10, 5, [0])
    with pytest.raises(BadInput, match="has no accesses"):
        thinned_sizes(0)
