"""Points of a scheme map by replay: each is what its replays alone say, and the sentence counts them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tierwright.advise import decide, scale
from tierwright.advise.checks import scheme_map as replayed_map
from tierwright.advise.checks.scheme_map import MapReplayed, MapStudy
from tierwright.common.errors import BadInput
from tierwright.common.wording import three_digits
from tierwright.evaluate.metadata import PRESETS
from tierwright.evaluate.page_flow import scheme_map as page_flow_map
from tierwright.evaluate.page_flow.map_point import map_point
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TRACE = Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-2x18-18tb")
RAM = Axis.spaced("ram_pages", 100, 1600)
SIZES = Axis.spaced("flash_pages", 1_000, 16_000)
RATIO = Axis.spaced("flash_per_ram", 1, 16)
ASYMMETRY = Axis.spaced("asymmetry", 0.25, 64)
DEVICES: dict[str, Any] = {"flash": FLASH, "disk": DISK}


@cache
def recorded() -> Profile:
    return profile(Trace(TRACE))


@cache
def curve() -> Curve:
    return recorded().curve.from_start("steady")


def studied(**asked: Any) -> MapStudy:
    usual: dict[str, Any] = {"x": RAM, "y": SIZES, "points": (2, 2), **DEVICES}
    return replayed_map.study(curve(), **{**usual, **asked})


def played(study: MapStudy) -> MapReplayed:
    return replayed_map.replayed(study, curve(), Trace(TRACE), **DEVICES)


def test_a_point_is_what_its_replays_alone_say() -> None:
    found = played(studied(flash_caches=["face", "larc"]))
    half = curve().accesses // 2
    assert len(found.points) == 4
    for said, entry_bytes in (("The directory of FaCE", 32), ("that of LARC", 69.6)):
        shares = [
            entry_bytes * point.flash_pages / (8192 * point.ram_pages)
            for point in found.points
        ]
        least, most = (three_digits(100 * end) for end in (min(shares), max(shares)))
        assert f"{said} takes {least} to {most} %" in found.basis
    for index, point in enumerate(found.points):
        alone = {}
        for name in (*SCHEMES, "face", "larc"):
            counters = replay(
                Trace(TRACE),
                "scheme" if name in SCHEMES else "flash_cache",
                name,
                point.ram_pages,
                0 if name == "none" else point.flash_pages,
                warm_up=half,
            )
            alone[name] = price(counters, **DEVICES).io_time_us_per_access
        rows = {
            row.of.split()[1]: row
            for row in found.rows
            if row.of.startswith(f"{index} ")
        }
        assert {name: row.simulated for name, row in rows.items()} == alone
        fastest = min(alone.values())
        assert alone[point.best] == fastest
        flows = {name: alone[name] for name in SCHEMES}
        assert point.flow_us == min(flows.values())
        assert point.cache_us == min(alone["face"], alone["larc"])
        # The model stands at the same sizes.
        there = map_point(
            curve(),
            at={},
            ram_pages=float(point.ram_pages),
            flash_pages=float(point.flash_pages),
            **DEVICES,
        )
        assert point.modelled == there.best
        for name, scheme in there.schemes.items():
            assert rows[name].model == scheme.io_time_us_per_access
        assert rows["inclusive_global"].model == rows["inclusive"].model
        assert point.behind == pytest.approx(
            flows[str(there.best)] / point.flow_us - 1, abs=1e-12
        )


def test_the_points_are_the_middles_of_a_coarse_grid_at_whole_pages() -> None:
    found = studied(points=(2, 3))
    # Of 100 to 1,600 in two parts of equal factors: 100 x 16^(1/4) and 100 x 16^(3/4).
    assert {(place.x, place.ram_pages) for place in found.places} == {
        (200.0, 200),
        (800.0, 800),
    }
    assert [place.flash_pages for place in found.places[::2]] == [1587, 4000, 10079]
    # A ratio is that of the whole pages.
    ratio = studied(x=RATIO, y=RAM)
    for place in ratio.places:
        assert place.x == place.flash_pages / place.ram_pages
    tiny = studied(x=Axis.spaced("ram_pages", 1, 1.5), y=SIZES, points=(5, 2))
    assert [place.ram_pages for place in tiny.places] == [1, 1]


def test_points_that_differ_in_the_time_of_a_write_share_their_replays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    rows = decide.replayed_rows

    def count(
        curve: Curve, trace: Trace, configurations: list[Any], **rest: Any
    ) -> Any:
        seen.append(len(configurations))
        return rows(curve, trace, configurations, **rest)

    monkeypatch.setattr(decide, "replayed_rows", count)
    study = studied(
        x=RAM, y=ASYMMETRY, flash_pages=4_000.0, points=(2, 5), flash_caches=["face"]
    )
    found = played(study)
    assert len(found.points) == 10
    # Two sizes of RAM, each under every scheme and one cache.
    assert seen == [2 * (len(SCHEMES) + 1)]
    own = service_us(FLASH, "write", 8192) / service_us(FLASH, "read", 8192)
    for index, point in enumerate(found.points):
        counters = replay(
            Trace(TRACE),
            "flash_cache",
            "face",
            point.ram_pages,
            4_000,
            warm_up=curve().accesses // 2,
        )
        terms = price(counters, **DEVICES).terms_us_per_access
        expected = sum(
            time * (point.y / own if name.endswith("flash_writes") else 1)
            for name, time in terms.items()
        )
        row = next(row for row in found.rows if row.of == f"{index} face")
        assert row.simulated == pytest.approx(expected)
        assert terms["sequential_flash_writes"] > 0


def at_points(*times: dict[str, int], caches: tuple[str, ...] = ()) -> MapReplayed:
    """Check a study of as many points with replays that read the disk so often, and do nothing else."""
    places = studied().places[: len(times)]
    names = tuple(name for name in times[0] if name not in caches)
    study = MapStudy(places, names, caches, "steady", 8192, 20_000)
    counters = {
        f"{index} {name}": counted_reads(reads)
        for index, each in enumerate(times)
        for name, reads in each.items()
    }
    return replayed_map.check(study, counters, page_bytes=8192, **DEVICES)


def counted_reads(disk_reads: int) -> dict[str, Any]:
    operations = (
        "hdd_writes",
        "flash_reads",
        "flash_writes",
        "disk_batch_reads",
        "disk_batch_writes",
        "flash_random_reads",
        "flash_random_page_writes",
        "metadata_random_page_writes",
        "metadata_page_writes",
        "flash_batch_read_pages",
        "flash_sequential_page_writes",
    )
    return {
        "accesses": 1_000,
        "page_bytes": 8192,
        "hdd_reads": disk_reads,
        **dict.fromkeys(operations, 0),
    }


def test_the_sentence_counts_where_model_and_replay_agree() -> None:
    modelled = {place.model.best for place in studied().places}
    assert modelled == {"exclusive"}
    same = {"none": 900, "exclusive": 100, "lazy": 200}
    other = {"none": 900, "exclusive": 110, "lazy": 100}
    assert at_points(same, same).finding == (
        "Model and replay name the same page-flow scheme at all 2 points replayed."
    )
    mixed = at_points(same, other, same)
    assert (mixed.compared, mixed.agreeing) == (3, 2)
    assert mixed.finding == (
        "Model and replay name the same page-flow scheme at 2 of 3 points replayed; at the other one the model's "
        "choice takes 10.0 % longer by replay."
    )
    none = at_points(other, other)
    assert none.finding == (
        "Model and replay name different page-flow schemes at all 2 points replayed: the model's choice takes up to "
        "10.0 % longer by replay."
    )
    close = at_points(same, {"none": 9e5, "exclusive": 100_500, "lazy": 100_000})
    assert close.agreeing == 1
    assert close.finding.endswith("choice takes less than 1 % longer by replay.")
    tie = at_points({"none": 900, "exclusive": 100, "lazy": 100})
    assert tie.points[0].agrees
    assert tie.points[0].best == "exclusive"


def test_the_sentence_counts_where_a_flash_cache_is_faster() -> None:
    flow = {"none": 900, "exclusive": 1_000, "lazy": 2_000}
    caches = ("larc", "face")

    def said(*pairs: tuple[int, int]) -> str:
        times = [{**flow, "larc": larc, "face": face} for larc, face in pairs]
        found = at_points(*times, caches=caches)
        assert [point.best for point in found.points] == [
            "none" if min(pair) >= 900 else "larc" if pair[0] < pair[1] else "face"
            for pair in pairs
        ]
        return found.finding.split("longer by replay. ")[1]

    assert said((990, 945), (945, 990)) == (
        "No flash cache is faster than the fastest page-flow scheme at any of 2 points: the nearest takes 5.00 % longer."
    )
    assert said((450, 900), (900, 720), (1_000, 810)) == (
        "A flash cache is faster than every page-flow scheme at all 3 points (FaCE at 2 and LARC at 1), by up to "
        "50.0 % of the I/O time."
    )
    assert said((450, 900), (899, 900), (1_000, 1_000)) == (
        "A flash cache is faster than every page-flow scheme at 2 of 3 points (LARC at 2), by 1 % or more of the I/O "
        "time at 1 and by up to 50.0 %."
    )
    assert said((899, 900), (1_000, 1_000)).endswith("(LARC at 1), by less than 1 %.")


def test_a_cache_that_cannot_be_replayed_says_why_and_leaves_the_others() -> None:
    places = studied().places[:1]
    study = MapStudy(
        places, ("none", "exclusive"), ("larc", "sce"), "steady", 8192, 20_000
    )
    counters: dict[str, Any] = {
        "0 none": counted_reads(900),
        "0 exclusive": counted_reads(100),
        "0 larc": counted_reads(90),
        "0 sce": {"error": "sce: the trace has no times", "hint": "give a rate"},
    }
    found = replayed_map.check(study, counters, page_bytes=8192, **DEVICES)
    assert found.points[0].without_time == {"sce": "sce: the trace has no times"}
    assert found.points[0].best == "larc"


def test_metadata_take_the_ram_of_what_uses_flash() -> None:
    asked = {"flash_metadata": PRESETS["flashcache"], "flash_caches": ["larc"]}
    study = studied(x=Axis.spaced("ram_pages", 4, 2_000), **asked)
    wanted = study.replays(curve().accesses)
    for index, place in enumerate(study.places):
        assert wanted[f"{index} none"].ram_pages == place.ram_pages
        if place.frames < 1:
            assert f"{index} lazy" not in wanted
            continue
        for name in ("lazy", "larc"):
            assert wanted[f"{index} {name}"].ram_pages == int(place.model.frames)
            assert wanted[f"{index} {name}"].ram_pages < place.ram_pages
    out = [place.frames < 1 for place in study.places]
    assert any(out)
    found = played(study)
    for point, is_out in zip(found.points, out, strict=True):
        assert ("lazy" in point.without_time) == is_out
        assert (point.cache is None) == is_out


def test_the_schemes_are_those_of_the_map_with_their_twins() -> None:
    study = studied(schemes=["none", "inclusive"])
    assert study.schemes == ("none", "inclusive", "inclusive_global")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"y": Axis.spaced("dirty_share", 0, 1), "flash_pages": 9.0}, "dirty_share: "),
        ({"dirty_share": 0.5}, "dirty_share: "),
        ({"points": (1, 3)}, "points of x"),
        ({"points": (3, 6)}, "points of y"),
    ],
)
def test_what_cannot_be_replayed_is_refused_by_name(
    asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        studied(**asked)


def test_an_unknown_flash_cache_is_refused() -> None:
    with pytest.raises(BadInput, match="`floppy` is unknown"):
        studied(flash_caches=["floppy"]).replays(1_000)


def test_points_too_small_for_the_recording_are_left_out_with_the_reason() -> None:
    scaled = scale.answer(
        recorded(),
        Production(100 * curve().distinct_pages * curve().page_bytes, 2_000.0),
    ).profile.curve.from_start("steady")
    study = replayed_map.study(
        scaled,
        x=Axis.spaced("ram_pages", 10_000, 1_000_000),
        y=Axis.spaced("flash_pages", 10_000, 1_000_000),
        points=(2, 2),
        **DEVICES,
    )
    found = replayed_map.replayed(study, scaled, Trace(TRACE), **DEVICES)
    small = [point for point in found.points if point.reason]
    assert len(small) == 3
    assert found.compared == 1
    assert "3 of 4 points were not replayed" in found.finding
    assert "What that confirms" in found.finding
    none = replace(study, places=study.places[:1])
    empty = replayed_map.replayed(none, scaled, Trace(TRACE), **DEVICES)
    assert "No point has a choice" in empty.finding


def test_the_model_of_a_point_is_the_cell_of_the_map() -> None:
    place = studied().places[0]
    made = page_flow_map.scheme_map(
        curve(),
        x=Axis.spaced("ram_pages", place.x, 2 * place.x, 2),
        y=Axis.spaced("flash_pages", place.y, 2 * place.y, 2),
        **DEVICES,
    )
    for name, times in made.io_time_us_per_access.items():
        assert place.model.schemes[name].io_time_us_per_access == pytest.approx(
            times[0, 0], rel=1e-12
        )
