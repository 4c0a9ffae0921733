"""Ages below, the present point and points beyond as one curve, each part with its class and range."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise.advice import _steps
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.evidence import Evidence, EvidenceClass
from tierwright.profile.given.combine import combined
from tierwright.profile.given.counters import SHARE_OF_READ
from tierwright.profile.given.examine import about_writes


def profile(
    kind: EvidenceClass,
    points: Sequence[tuple[int, float]],
    *,
    check: float | None = None,
    page_bytes: int = 4096,
    accesses: int = 1000,
) -> Profile:
    pages = [size for size, _ in points]
    band = (
        tuple((size, ratio * 0.9, min(1.0, ratio * 1.1)) for size, ratio in points)
        if kind == "ages"
        else ()
    )
    evidence = Evidence(
        kind,
        pages[0],
        pages[-1],
        check,
        "" if check is not None else "counted",
        4,
        band,
    )
    return Profile(
        Curve.from_lists(
            pages,
            [ratio * accesses for _, ratio in points],
            None,
            accesses=accesses,
            distinct_pages=pages[-1],
            page_bytes=page_bytes,
            write_accesses=0,
            given=Given(kind, data_known=False, evidence=evidence),
        ),
        10.0,
    )


AGES = profile("ages", [(100, 0.5), (200, 0.4), (400, 0.3)], check=0.1)
PRESENT = profile("one_point", [(400, 0.24)], accesses=50_000)
GHOSTS = profile("points", [(400, 0.24), (800, 0.15)])


def ratios(found: Profile) -> dict[int, float]:
    curve = found.curve
    return {
        int(size): round(float(misses) / curve.accesses, 9)
        for size, misses in zip(curve.pages, curve.misses_at, strict=True)
    }


def test_ages_the_present_point_and_ghosts_are_one_curve() -> None:
    found = combined([AGES, PRESENT, profile("points", [(800, 0.15), (1600, 0.1)])])
    assert ratios(found) == {100: 0.5, 200: 0.4, 400: 0.24, 800: 0.15, 1600: 0.1}
    evidence = found.curve.evidence
    assert evidence is not None
    assert (evidence.kind, evidence.valid_from, evidence.valid_to) == (
        "ages",
        100,
        1600,
    )
    assert [(p.kind, p.valid_from, p.valid_to) for p in evidence.parts] == [
        ("ages", 100, 400),
        ("one_point", 400, 400),
        ("points", 800, 1600),
    ]
    assert evidence.title == "points, ages and one point"
    # The ages against what was counted at the present size.
    assert evidence.self_check == pytest.approx(0.3 / 0.24 - 1)
    # What was counted has no band; what is known by ages keeps its own.
    assert {row[0]: row[1:] for row in evidence.band}[800] == (0.15, 0.15)
    assert {row[0]: row[1:] for row in evidence.band}[200] == pytest.approx(
        (0.36, 0.44)
    )
    assert (found.curve.accesses, found.duration_s) == (1000, 10.0)
    # Between counted sizes the band is as high as the counts on either side; where ages speak it is theirs.
    low, high = evidence.ends([401, 600, 799, 1200, 300])
    assert low.tolist() == pytest.approx([0.15, 0.15, 0.15, 0.1, 0.3])
    assert high.tolist() == pytest.approx([0.24, 0.24, 0.24, 0.15, 0.34])
    # The size of the check is that of the count, which is not the largest size.
    assert evidence.self_check_pages == 400
    # The curve itself stands on the count there.
    assert (
        evidence.check_text(4096)
        == "at 1.56 MiB the ages alone give misses 25.0 % above what the system counts"
    )
    assert "the ages alone agree with" in replace(evidence, self_check=0.0).check_text(
        4096
    )
    # The check of ages that nothing was counted beside is of the curve itself.
    assert AGES.curve.evidence is not None
    assert "its misses are 10.0 % above" in AGES.curve.evidence.check_text(4096)


@pytest.mark.parametrize("factor", [0.001, 0.3, 0.5, 0.9, 1.0, 3.0])
def test_a_step_stays_one_at_other_sizes(factor: float) -> None:
    one = combined(
        [profile("one_point", [(1000, 0.5)]), profile("one_point", [(100_000, 0.2)])]
    ).curve.evidence
    assert one is not None
    scaled = one.resized(lambda sizes: factor * sizes)
    assert scaled.valid_from == round(1000 * factor)
    # Between two counts every size may miss as much as the one, or as little as the other.
    between = np.linspace(1002 * factor + 1, 99_998 * factor - 1, 9)
    low, high = scaled.ends(between)
    assert low.tolist() == pytest.approx([0.2] * 9)
    assert high.tolist() == pytest.approx([0.5] * 9)
    # At the counts it holds them, as it did.
    low, high = scaled.ends([1000 * factor, 100_000 * factor])
    assert low[0] <= 0.5 <= high[0]
    assert low[1] <= 0.2 <= high[1]
    sizes = [row[0] for row in scaled.band]
    assert sizes == sorted(set(sizes))


def test_other_ends_of_a_combined_curve_step_between_counted_sizes() -> None:
    curve = combined([AGES, GHOSTS]).curve
    [about] = [c for c in about_curve(curve, [600], [0]) if "from_ages" in c.name]
    idle = Device("none", "none", "nvme")
    low, high = (
        float(end.situation.curve.misses(600)) / curve.accesses
        for end in other_ends(about, Situation(curve, idle, idle, (600.0,)))
    )
    assert (low, high) == pytest.approx((0.15, 0.24))


def test_points_alone_stay_points_and_the_order_is_free() -> None:
    one, two = combined([PRESENT, GHOSTS]), combined([GHOSTS, PRESENT])
    assert ratios(one) == ratios(two) == {400: 0.24, 800: 0.15}
    assert one.curve.evidence is not None
    assert one.curve.evidence.kind == "points"
    # Between the counts on either side any miss ratio is possible that does not rise with size.
    assert one.curve.evidence.band == (
        (400, 0.24, 0.24),
        (401, 0.15, 0.24),
        (799, 0.15, 0.24),
        (800, 0.15, 0.15),
    )


def test_ages_are_raised_to_what_a_larger_size_was_counted_to_miss() -> None:
    found = combined([AGES, profile("points", [(800, 0.35), (900, 0.32)])])
    assert ratios(found) == {100: 0.5, 200: 0.4, 400: 0.35, 800: 0.35, 900: 0.32}
    assert found.curve.given is not None
    assert any(
        "1 size known by ages missed less" in each and "5.00 %" in each
        for each in found.curve.given.assumptions
    )
    # No counted size lies within their range: their own check stays.
    assert found.curve.evidence is not None
    assert found.curve.evidence.self_check == 0.1


def test_parts_survive_file_scale_and_caution(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = combined([AGES, GHOSTS])
    evidence = found.curve.evidence
    assert evidence is not None
    again = profile_from_mapping(json.loads(found.to_text()))
    assert again.curve.evidence == evidence
    wider = evidence.resized(lambda sizes: 3 * sizes)
    assert [(p.valid_from, p.valid_to) for p in wider.parts] == [
        (300, 1200),
        (1200, 2400),
    ]
    [about] = [
        c for c in about_curve(found.curve, [800], [0]) if "curve_from" in c.name
    ]
    assert about.name == "curve_from_ages"
    assert "2 measurements together" in about.message
    document = json.loads(found.to_text())
    document["given"]["parts"][0]["evidence"] = "guess"
    with pytest.raises(BadInput, match=r"given\.parts"):
        profile_from_mapping(document)
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    AGES.write(paths[0])
    GHOSTS.write(paths[1])
    out = tmp_path / "c.json"
    assert main(["curve", "combine", *map(str, paths), "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.split("\n")[0].split(maxsplit=1)[1].startswith("points and ages (2")
    assert "ages (ages): 400 KiB to 1.56 MiB" in printed
    assert profile_from_mapping(json.loads(out.read_text())).curve.evidence == evidence
    # What does not fit is named by its file.
    assert main(["curve", "combine", str(paths[0]), str(paths[0])]) == 2
    profile("points", [(400, 0.3), (900, 0.1)]).write(out)
    assert main(["curve", "combine", str(paths[1]), str(out)]) == 2
    assert f"{out} counted a miss ratio of 0.3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("profiles", "says"),
    [
        ([AGES], "must be from 2 to 20"),
        ([AGES, AGES], "have ages"),
        ([PRESENT, PRESENT], "all of one size"),
        (
            [AGES, profile("points", [(800, 0.1), (900, 0.1)], page_bytes=8192)],
            "page size",
        ),
        (
            [GHOSTS, profile("points", [(500, 0.3), (900, 0.1)])],
            "the load was not the same",
        ),
        ([AGES, combined([PRESENT, GHOSTS])], "was put together already"),
        (
            [
                AGES,
                Profile(
                    replace(GHOSTS.curve, given=Given("table", data_known=True)), None
                ),
            ],
            "is not a curve from the counters",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(
    profiles: list[Profile], says: str
) -> None:
    with pytest.raises(BadInput) as error:
        combined(profiles)
    assert says in str(error.value)
    assert error.value.hint


def test_two_counts_of_one_size_are_refused_with_both() -> None:
    with pytest.raises(BadInput, match=r"400 pages: profiles\[2\] .*0\.25, .*0\.24"):
        combined([AGES, GHOSTS, profile("one_point", [(400, 0.25)])])


falling = st.lists(
    st.tuples(st.integers(1, 10_000), st.floats(0.001, 1.0)),
    min_size=1,
    max_size=8,
    unique_by=lambda each: each[0],
).map(
    lambda rows: list(
        zip(
            sorted(size for size, _ in rows),
            sorted((ratio for _, ratio in rows), reverse=True),
            strict=True,
        )
    )
)


@settings(max_examples=60, deadline=None)
@given(falling, falling)
def test_a_combined_curve_keeps_what_must_hold(
    aged: list[tuple[int, float]], exact: list[tuple[int, float]]
) -> None:
    """Whatever the parts: it falls, ends where they end, passes through what was counted, and lies in its band."""
    assume(len({size for size, _ in aged} | {size for size, _ in exact}) > 1)
    parts = [
        profile("ages", aged, check=0.1),
        profile("points" if len(exact) > 1 else "one_point", exact),
    ]
    found, turned = combined(parts), combined(parts[::-1])
    curve, evidence = found.curve, found.curve.evidence
    assert evidence is not None
    assert ratios(found) == pytest.approx(ratios(turned))
    got = curve.misses_at / curve.accesses
    assert bool(np.all(np.diff(got) <= 0))
    sizes = sorted({size for size, _ in (*aged, *exact)})
    assert (evidence.valid_from, evidence.valid_to) == (sizes[0], sizes[-1])
    outside = np.asarray([sizes[0] - 0.5, sizes[-1] + 1.0])
    assert bool(np.all(evidence.unknown(outside, outside)))
    for size, ratio in exact:
        assert ratios(found)[size] == pytest.approx(ratio)
    # At a counted size the ages differ by the printed gap.
    if evidence.self_check_pages in dict(exact):
        at = evidence.self_check_pages
        by_ages = np.interp(at, *zip(*aged, strict=True))
        assert by_ages / dict(exact)[at] == pytest.approx(
            1 + (evidence.self_check or 0.0)
        )
    every = np.arange(sizes[0], min(sizes[-1], sizes[0] + 3000) + 1)
    low, high = evidence.ends(every)
    line = curve.misses(every) / curve.accesses
    assert bool(np.all(low <= line + 1e-9))
    assert bool(np.all(line <= high + 1e-9))
    again = profile_from_mapping(json.loads(found.to_text())).curve.evidence
    assert again == evidence


def test_what_one_part_states_of_writes_is_that_of_the_whole() -> None:
    def stating(share: float) -> Profile:
        curve = PRESENT.curve.with_dirty_share(share)
        assert curve.given is not None
        said = (about_writes(None, None),)
        return Profile(
            replace(curve, given=replace(curve.given, assumptions=said)), 10.0
        )

    given = combined([GHOSTS, stating(0.3)]).curve.given
    assert given is not None
    assert given.dirty_share == 0.3
    assert about_writes(0.3, None) in given.assumptions
    assert about_writes(None, None) not in given.assumptions

    def counting(share: float) -> Profile:
        curve = stating(share).curve
        assert curve.given is not None
        return Profile(
            replace(
                curve,
                given=replace(
                    curve.given, dirty_counted=True, assumptions=(SHARE_OF_READ,)
                ),
            ),
            10.0,
        )

    # Counted ones are never quite equal: their mean, or what is stated beside them.
    mean = combined([GHOSTS, counting(0.3), counting(0.32)]).curve.given
    assert mean is not None
    assert mean.dirty_share == pytest.approx(0.31)
    stated = combined([GHOSTS, counting(0.3), stating(0.4)]).curve.given
    assert stated is not None
    assert stated.dirty_share == 0.4
    # That a count is used as the share is said only where it is.
    assert SHARE_OF_READ in mean.assumptions
    assert SHARE_OF_READ not in stated.assumptions
    with pytest.raises(BadInput, match=r"0\.3 and 0\.4 are stated"):
        combined([AGES, stating(0.3), stating(0.4)])


def test_two_stated_write_shares_are_refused_though_dirty_shares_were_counted() -> None:
    def writing(write_share: float) -> Profile:
        curve = PRESENT.curve.with_dirty_share(0.3)
        assert curve.given is not None
        given = replace(curve.given, write_share=write_share, dirty_counted=True)
        return Profile(replace(curve, given=given), 10.0)

    with pytest.raises(BadInput, match=r"given\.write_share: 0\.2 and 0\.6 are stated"):
        combined([GHOSTS, writing(0.2), writing(0.6)])
    given = combined([GHOSTS, writing(0.2), writing(0.2)]).curve.given
    assert given is not None
    assert (given.write_share, given.dirty_share) == (0.2, 0.3)


def test_maxima_and_lower_bounds_do_not_stand_as_counted() -> None:
    for made, source in ((GHOSTS, "netapp_awa"), (PRESENT, "linux_ages")):
        given = made.curve.given
        assert given is not None
        curve = replace(made.curve, given=replace(given, source=source))
        with pytest.raises(BadInput, match=r"maxima over|lower bound"):
            combined([AGES, Profile(curve, 10.0)])


@pytest.mark.parametrize(
    ("kind", "source", "check", "says"),
    [
        ("points", "db2_simulated_pool", None, "another SPSIZE"),
        ("points", "rocksdb_simcache", None, "another capacity of SimCache"),
        ("points", "counters", None, "a resize of the cache for an hour"),
        ("points", "counters", None, "a sampled trace would show it"),
        ("ages", "redis", 0.1, "snapshots over the whole cycle of the load narrow"),
        ("ages", "redis", 0.6, "take more snapshots"),
        ("one_point", "postgres", None, "a resize of the cache for an hour"),
        ("one_point", "linux_ages", None, "snapshots of ages would give a curve"),
    ],
)
def test_the_cheapest_step_follows_from_class_and_system(
    kind: EvidenceClass, source: str, check: float | None, says: str
) -> None:
    made = profile(kind, [(100, 0.5), (200, 0.4)], check=check).curve
    curve = replace(made, given=Given(source, data_known=False, evidence=made.evidence))
    assert curve.evidence is not None
    assert says in _steps.cheapest(curve, curve.evidence)
    if check is not None and check > 0.25:
        assert "sampled trace" not in _steps.cheapest(curve, curve.evidence)
