"""Scheme map: winners, lines as roots, what is too close to call, refusals."""

import doctest
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.cli.app import main
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.metadata import PRESETS
from tierwright.evaluate.page_flow import costs as page_flow_costs
from tierwright.evaluate.page_flow import counts, evaluation
from tierwright.evaluate.page_flow import scheme_map as page_flow_scheme_map
from tierwright.evaluate.page_flow.map_point import MapPoint, map_point
from tierwright.evaluate.page_flow.scheme_map import (
    MAP_SCHEMES,
    Axis,
    SchemeMap,
    scheme_map,
)
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile

ACCESSES = 1_000_000
SIZES = np.unique(np.geomspace(1, 100_000, 400).astype(np.int64))
MISSES = ACCESSES * (1 - 0.95 * np.log1p(SIZES) / np.log1p(100_000))
CURVE = Curve.from_lists(
    SIZES,
    MISSES,
    MISSES * 0.3 * np.linspace(1, 0.5, len(SIZES)),
    accesses=ACCESSES,
    distinct_pages=100_000,
    page_bytes=4096,
    write_accesses=300_000,
)


def device(identifier: str, kind: str, read_us: float, write_us: float) -> Device:
    return device_from_mapping(
        {
            "id": identifier,
            "name": identifier,
            "kind": kind,
            "figures": {
                "read_iops": {"value": 1e6 / read_us, "unit": "1/s", "source": "test"},
                "write_iops": {
                    "value": 1e6 / write_us,
                    "unit": "1/s",
                    "source": "test",
                },
            },
        }
    )


FLASH = device("flash", "nvme", 100, 1000)
DISK = device("disk", "hdd", 5000, 5000)


def mapped(**more: Any) -> SchemeMap:
    given_: dict[str, Any] = {
        "x": Axis.spaced("flash_per_ram", 0.5, 64, 24),
        "y": Axis.spaced("dirty_share", 0, 1, 20),
        "flash": FLASH,
        "disk": DISK,
        "ram_pages": 1000,
        **more,
    }
    return scheme_map(CURVE, **given_)


def cost(scheme: str, ratio: float, dirty: float, write_us: float = 1000) -> float:
    """C / N of a point, from the public formulas."""
    tier = counts.hits_from_curve(CURVE, 1000, 1000 * ratio)[scheme]
    terms = page_flow_costs.scheme_cost_terms(
        scheme,
        tier.flash_hits,
        tier.flash_misses,
        p_d=dirty,
        flash_read=100,
        flash_write=write_us,
        disk_read=5000,
        disk_write=5000,
    )
    return float(terms.total) / ACCESSES


@pytest.mark.oracle("evaluate.page_flow.scheme_map.scheme_map")
def test_each_cell_is_the_formula_and_the_best_is_the_least() -> None:
    found = mapped()
    for row, column in ((0, 0), (7, 13), (19, 23)):
        x, y = float(found.x.values[column]), float(found.y.values[row])
        costs = [cost(scheme, x, y) for scheme in found.schemes]
        for scheme, value in zip(found.schemes, costs, strict=True):
            got = found.io_time_us_per_access[scheme][row, column]
            assert got == pytest.approx(value, rel=1e-12)
        assert found.best[row, column] == int(np.argmin(costs))
        first, second = sorted(costs)[:2]
        assert found.margin[row, column] == pytest.approx(1 - first / second)


def test_on_a_line_the_two_cost_the_same_and_nothing_costs_less() -> None:
    found = mapped()
    assert {line.schemes for line in found.crossovers} >= {("exclusive", "lazy")}
    on_edges = 0
    for line in found.crossovers:
        for x, y in line.points:
            one, other = (cost(scheme, x, y) for scheme in line.schemes)
            edge = (
                np.isclose(found.x.values, x, rtol=1e-12).any()
                or np.isclose(found.y.values, y, rtol=1e-12, atol=1e-15).any()
            )
            if edge:  # not the joint of three regions, which is only drawn
                on_edges += 1
                assert one == pytest.approx(other, rel=1e-9)
                least = min(cost(scheme, x, y) for scheme in found.schemes)
                assert min(one, other) <= least * (1 + 1e-9)
    assert on_edges > 20


def test_the_line_of_lazy_and_exclusive_is_its_closed_form() -> None:
    """Section 2.6 of the algebra: with one p_d, C3 - C2 is linear in p_d, so its root is known."""
    found = mapped()
    line = next(c for c in found.crossovers if c.schemes == ("exclusive", "lazy"))
    checked = 0
    for x, y in line.points:
        if not np.isclose(found.x.values, x, rtol=1e-12).any():
            continue
        tiers = counts.hits_from_curve(CURVE, 1000, 1000 * x)
        lazy = float(tiers["lazy"].flash_hits)
        more = float(tiers["exclusive"].flash_hits) - lazy
        # Delta (p_d D_W + D_R - F_R) = h_f (1 - p_d) F_W
        root = (lazy * 1000 - more * (5000 - 100)) / (more * 5000 + lazy * 1000)
        assert y == pytest.approx(root, rel=1e-8)
        checked += 1
    assert checked > 3


def test_lines_do_not_depend_on_the_step_of_the_grid() -> None:
    def at(count: int) -> np.ndarray:
        found = mapped(
            x=Axis("flash_per_ram", np.geomspace(2, 32, 3)),
            y=Axis.spaced("dirty_share", 0, 1, count),
            schemes=["lazy", "exclusive"],
        )
        points = np.concatenate([line.points for line in found.crossovers])
        on = points[np.isclose(points[:, 0], 8.0)]
        return np.unique(np.round(on[:, 1], 9))

    assert at(9).tolist() == at(150).tolist()
    assert len(at(9)) == 1


def test_what_wins_where_is_as_the_paper_says() -> None:
    """Section 5: exclusive for cheap flash writes and small f / r, lazy for slow writes."""
    found = mapped(
        y=Axis.spaced("asymmetry", 0.001, 500, 40), schemes=["exclusive", "lazy"]
    )
    names = np.asarray(found.schemes)[found.best]
    assert set(names[0]) == {"exclusive"}  # writes cost next to nothing
    assert set(names[-1]) == {"lazy"}
    for column in names.T:  # one change only, from exclusive up to lazy
        assert np.sum(column[1:] != column[:-1]) <= 1


def test_measured_dirty_shares_are_those_of_the_grid() -> None:
    found = mapped(
        x=Axis("ram_pages", np.array([100.0, 1000.0])),
        y=Axis("flash_pages", np.array([2000.0, 5000.0, 20000.0])),
        ram_pages=None,
    )
    grid = evaluation.evaluate_grid(
        CURVE,
        ram_pages=[[100, 1000]],
        flash_pages=[[2000], [5000], [20000]],
        flash=FLASH,
        disk=DISK,
    )
    for name, costs in found.io_time_us_per_access.items():
        assert costs == pytest.approx(grid[name].io_time_us_per_access)
    assert found.fixed == {"dirty_share": None, "asymmetry": None}


def test_too_close_is_the_known_error_of_the_model() -> None:
    found = mapped(schemes=["exclusive", "lazy"])
    ratio, dirty = found.x.values[None], found.y.values[:, None]
    exclusive, lazy = (
        found.io_time_us_per_access[name] for name in ("exclusive", "lazy")
    )
    ram_misses = float(CURVE.misses(1000))
    swing = 5000 + dirty * 5000 + 1000 - 100 - dirty * 1000  # a miss made a hit
    band = np.where(ratio >= 6, 0.03, np.where(ratio >= 1, 0.07, 0.05))
    error = band * ram_misses * np.abs(swing) / ACCESSES
    tier = counts.hits_from_curve(CURVE, 1000, ratio * 1000)["lazy"]
    written = tier.flash_misses + dirty * tier.flash_hits
    error += 0.05 * written * 1000 / ACCESSES  # what lazy writes is an estimate too
    assert np.array_equal(found.too_close, np.abs(exclusive - lazy) < error)
    assert found.too_close.any()
    assert not found.too_close.all()


def test_with_measured_shares_the_error_is_that_of_an_evaluation() -> None:
    """A point of the map is close exactly where the evaluation of that point warns."""
    found = mapped(
        x=Axis("ram_pages", np.array([100.0, 1000.0])),
        y=Axis("flash_pages", np.array([50.0, 2000.0, 5000.0, 20000.0])),
        ram_pages=None,
    )
    for row, column in np.ndindex(found.best.shape):
        single = evaluation.evaluate(
            CURVE,
            ram_pages=int(found.x.values[column]),
            flash_pages=int(found.y.values[row]),
            flash=FLASH,
            disk=DISK,
        )
        assert single.best == found.schemes[found.best[row, column]]
        names = {warning.name for warning in single.warnings}
        assert found.too_close[row, column] == ("lead_within_model_error" in names)


def test_growth_reads_nothing_on_a_map_as_in_an_evaluation() -> None:
    """Pages that are new miss in both tiers and are read from nowhere."""
    growing = CURVE.with_new_pages(40_000).steady()
    asked: dict[str, Any] = {"flash": FLASH, "disk": DISK}
    single = evaluation.evaluate(growing, ram_pages=1000, flash_pages=8000, **asked)
    assert single.growth_per_access > 0
    point = map_point(growing, at={"ram_pages": 1000, "flash_pages": 8000}, **asked)
    grid = evaluation.evaluate_grid(
        growing, ram_pages=1000.0, flash_pages=8000.0, **asked
    )
    for name, scheme in point.schemes.items():
        expected = single.schemes[name].io_time_us_per_access
        assert scheme.io_time_us_per_access == pytest.approx(expected, rel=1e-14)
        assert grid[name].io_time_us_per_access == pytest.approx(expected, rel=1e-14)


def test_without_writes_a_share_must_be_said() -> None:
    reads = Curve.from_hit_ratios([(10, 0.2), (1000, 0.8)], accesses=1000)
    axes = {
        "x": Axis.spaced("flash_per_ram", 1, 50, 8),
        "y": Axis.spaced("asymmetry", 1, 50, 8),
        "flash": FLASH,
        "disk": DISK,
        "ram_pages": 10.0,
    }
    found = scheme_map(reads, **axes, dirty_share=0.2)
    assert found.fixed["dirty_share"] == 0.2
    with pytest.raises(BadInput, match="no write-backs"):
        scheme_map(reads, **axes)


def test_the_answer_is_json_with_names_and_units() -> None:
    found = mapped().to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["x"]["unit"] == "1"
    assert set(found["formulas"]) == set(found["schemes"])
    assert "roots" in found["estimator"]
    assert "a step of the grid" in found["validity"]


@pytest.mark.formula("evaluate.page_flow.scheme_map.scheme_map")
@settings(max_examples=25)
@given(
    st.floats(0.01, 0.99),
    st.floats(1, 2000),
    st.lists(
        st.sampled_from(MAP_SCHEMES),
        min_size=2,
        unique=True,
    ),
)
def test_neighbours_with_different_winners_have_a_line_between_them(
    dirty: float, ram_pages: float, schemes: list[str]
) -> None:
    found = mapped(
        x=Axis.spaced("flash_per_ram", 0.5, 64, 12),
        y=Axis.spaced("asymmetry", 0.5, 100, 12),
        ram_pages=ram_pages,
        dirty_share=dirty,
        schemes=schemes,
    )
    pairs = {line.schemes for line in found.crossovers}
    for first, second in ((found.best[:, :-1], found.best[:, 1:]),):
        for one, other in zip(first.ravel(), second.ravel(), strict=True):
            if one != other:
                low, high = sorted((int(one), int(other)))
                assert (found.schemes[low], found.schemes[high]) in pairs
    points = [line.points for line in found.crossovers]
    for line in points:
        assert np.all((line[:, 0] >= 0.5 - 1e-9) & (line[:, 0] <= 64 + 1e-9))
        assert np.all((line[:, 1] >= 0.5 - 1e-9) & (line[:, 1] <= 100 + 1e-9))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": Axis("size", np.array([1.0, 2.0]))}, "axis: `size` is unknown"),
        ({"x": Axis("asymmetry", np.array([1.0]))}, "must be at least 2, rising"),
        ({"x": Axis("asymmetry", np.array([2.0, 1.0]))}, "must be at least 2, rising"),
        ({"y": Axis.spaced("flash_per_ram", 1, 2)}, "is given twice"),
        ({"ram_pages": None}, "ram_pages: must be given or an axis"),
        ({"ram_pages": 0.5}, "ram_pages: `0.5` must be at least 1"),
        ({"flash_pages": 5}, "must be given once"),
        ({"x": Axis.spaced("asymmetry", 1, 2)}, "must be given once"),
        ({"dirty_share": 0.5}, "is both an axis and set"),
        ({"y": Axis("dirty_share", np.array([0.0, 2.0]))}, "must not exceed 1"),
        ({"asymmetry": 0.0}, "asymmetry: `0.0` must be above 0"),
        ({"schemes": ["lazy"]}, "must be at least two"),
        ({"schemes": ["lazy", "none", "sideways"]}, "`sideways` is unknown"),
    ],
)
def test_bad_requests_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        mapped(**change)
    assert message in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("ends", [(0, 1), (2, 1), (1, 1), (-1, 1), (1, float("inf"))])
def test_an_axis_needs_ends_that_rise(ends: tuple[float, float]) -> None:
    with pytest.raises(BadInput, match="must rise above 0"):
        Axis.spaced("flash_per_ram", *ends)


def test_charged_metadata_leave_schemes_with_flash_the_ram_that_evaluate_leaves_them() -> (
    None
):
    """Real-valued sizes: a map's point lies within a page of RAM of `evaluate`'s."""
    preset = PRESETS["flashcache"]
    ram, flash = 1000, 32_000
    found = map_point(
        CURVE,
        at={"ram_pages": ram, "flash_pages": flash},
        flash=FLASH,
        disk=DISK,
        flash_metadata=preset,
    )
    charged = 24 * flash / 4096
    assert found.frames == pytest.approx(ram - charged)
    expected = evaluation.evaluate(
        CURVE,
        ram_pages=ram,
        flash_pages=flash,
        flash=FLASH,
        disk=DISK,
        flash_metadata=preset,
    )
    for name, scheme in found.schemes.items():
        least, most = (
            evaluation.evaluate(
                CURVE,
                ram_pages=ram if name == "none" else frames,
                flash_pages=flash,
                flash=FLASH,
                disk=DISK,
            )
            .schemes[name]
            .io_time_us_per_access
            for frames in (math.ceil(found.frames), math.floor(found.frames))
        )
        assert least - 1e-9 <= scheme.io_time_us_per_access <= most + 1e-9
        same = expected.schemes[name].io_time_us_per_access
        assert scheme.io_time_us_per_access == pytest.approx(same, rel=1e-3)
    assert found.metadata[0].value == math.ceil(24 * flash)


def test_where_metadata_exceed_ram_only_no_flash_is_left() -> None:
    preset = PRESETS["l2arc"]
    found = mapped(
        x=Axis.spaced("ram_pages", 10, 5000, 16),
        y=Axis.spaced("flash_pages", 100, 90_000, 16),
        ram_pages=None,
        flash_metadata=preset,
    )
    r, f = np.meshgrid(found.x.values, found.y.values)
    out = r - 96 * f / 4096 < 1
    assert out.any()
    assert not out.all()
    best = np.asarray(found.schemes)[found.best]
    assert set(best[out].tolist()) == {"none"}
    for name in ("lazy", "exclusive", "inclusive"):
        assert np.array_equal(np.isnan(found.io_time_us_per_access[name]), out)
    assert np.all(np.isfinite(found.io_time_us_per_access["none"]))
    assert np.isnan(found.margin[out]).all()
    assert not found.too_close[out].any()
    assert "metadata_exceed_ram" in {w.name for w in found.warnings}
    # On the grid, a line between a scheme with flash and none lies where both cost the same or
    # where the last page of RAM goes.
    seen = 0
    for line in found.crossovers:
        for ram, flash in line.points:
            edge = np.isclose(found.x.values, ram, rtol=1e-12).any()
            edge = edge or np.isclose(found.y.values, flash, rtol=1e-12).any()
            if not edge or "none" not in line.schemes:
                continue
            point = map_point(
                CURVE,
                at={"ram_pages": ram, "flash_pages": flash},
                flash=FLASH,
                disk=DISK,
                flash_metadata=preset,
            )
            other = next(name for name in line.schemes if name != "none")
            one = point.schemes["none"].io_time_us_per_access
            two = point.schemes[other].io_time_us_per_access
            last_page = abs(point.frames - 1) < 1e-6
            assert last_page or one == pytest.approx(two, rel=1e-9)
            seen += last_page
    assert seen > 3
    without = mapped(
        x=found.x,
        y=found.y,
        ram_pages=None,
        flash_metadata=preset,
        schemes=("lazy", "exclusive"),
    )
    assert np.array_equal(without.best == -1, out)
    document = json.loads(json.dumps(without.to_dict(), allow_nan=False))
    assert document["io_time_us_per_access"]["lazy"][-1][0] is None


@given(
    ram=st.floats(10, 3000),
    ratio=st.floats(0.5, 30),
    preset=st.sampled_from(sorted(PRESETS)),
)
@settings(max_examples=25)
def test_charging_metadata_never_makes_a_scheme_cheaper(
    ram: float, ratio: float, preset: str
) -> None:
    def point(charged: Any) -> MapPoint:
        return map_point(
            CURVE,
            at={"flash_per_ram": ratio},
            ram_pages=ram,
            flash=FLASH,
            disk=DISK,
            flash_metadata=charged,
        )

    free, charged = point(None), point(PRESETS[preset])
    assert charged.frames <= free.frames == ram
    for name, scheme in charged.schemes.items():
        if scheme.io_time_us_per_access is None:
            assert charged.frames < 1
            assert name != "none"
        elif name in ("none", "exclusive"):
            # the others may gain flash hits as RAM repeats less of what flash holds
            least = free.schemes[name].io_time_us_per_access
            assert least is not None
            assert scheme.io_time_us_per_access >= least * (1 - 1e-9)


@pytest.mark.oracle("evaluate.page_flow.map_point.map_point")
def test_a_point_has_the_numbers_of_its_cell_and_its_derivation_adds_up() -> None:
    found = mapped(prices=catalog.price_book("street-2026-q1"))
    x, y = float(found.x.values[13]), float(found.y.values[7])
    point = map_point(
        CURVE,
        at={"flash_per_ram": x, "dirty_share": y},
        flash=FLASH,
        disk=DISK,
        ram_pages=1000,
        prices=catalog.price_book("street-2026-q1"),
    )
    assert list(point.schemes) == list(found.schemes)
    for name, scheme in point.schemes.items():
        cell = found.io_time_us_per_access[name][7, 13]
        assert scheme.io_time_us_per_access == pytest.approx(cell, rel=1e-14)
    assert point.best == found.schemes[found.best[7, 13]]
    assert point.margin == pytest.approx(found.margin[7, 13])
    assert point.too_close == found.too_close[7, 13]
    for entry in (each.to_dict() for each in point.derivation):
        total = sum(term["value_us_per_access"] for term in entry["terms"])
        assert total == pytest.approx(entry["value_us_per_access"])
        assert entry["value_us_per_access"] == pytest.approx(
            point.schemes[entry["scheme"]].io_time_us_per_access
        )
        shares = [n["value"] for n in entry["numbers"] if n["symbol"] == "p_d"]
        assert shares in ([], [pytest.approx(y)])


def test_money_is_that_of_evaluate_and_price_times_time_picks_the_winner() -> None:
    book = catalog.price_book("street-2026-q1")
    found = mapped(
        x=Axis("ram_pages", np.asarray([100.0, 1000.0])),
        y=Axis("flash_pages", np.asarray([200.0, 50_000.0])),
        ram_pages=None,
        prices=book,
    )
    money = found.money
    assert money.usd_per_month_with_flash is not None
    assert money.usd_per_month_no_flash is not None
    assert money.best_by_price_times_time is not None
    for row, column in ((0, 0), (1, 1), (1, 0)):
        same = evaluation.evaluate(
            CURVE,
            ram_pages=int(found.x.values[column]),
            flash_pages=int(found.y.values[row]),
            flash=FLASH,
            disk=DISK,
            prices=book,
        )
        usd = {
            name: float(s.cost_usd_per_month or 0) for name, s in same.schemes.items()
        }
        assert money.usd_per_month_with_flash[row, column] == pytest.approx(usd["lazy"])
        assert money.usd_per_month_no_flash[row, column] == pytest.approx(usd["none"])
        products = {
            name: same.schemes[name].io_time_us_per_access * (usd[name] or 0.0)
            for name in found.schemes
        }
        best = found.schemes[money.best_by_price_times_time[row, column]]
        assert products[best] == min(products.values())
    bare = mapped().money
    assert bare.usd_per_month_no_flash is None
    assert "price book" in bare.reason


def test_the_command_prints_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "profile.json"
    Profile(CURVE, None).write(path)
    flash, disk = "kv2009-intel-x25e", "face2016-cheetah-15k6-single"
    command = [
        "scheme-map",
        str(path),
        f"--flash-device={flash}",
        f"--disk-device={disk}",
        "--ram-pages=1000",
        "--x=flash_per_ram=1:32:8",
    ]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    same = scheme_map(
        CURVE.steady(),
        x=Axis.spaced("flash_per_ram", 1, 32, 8),
        y=Axis.spaced("dirty_share", 0, 1),
        flash=catalog.device(flash),
        disk=catalog.device(disk),
        ram_pages=1000,
    )
    assert found["best"] == same.best.tolist()
    assert main(command) == 0
    assert "share of the map" in capsys.readouterr().out
    extra = ["--flash-metadata=flashcache", "--price-book=street-2026-q1"]
    assert main([*command, *extra]) == 0
    assert "by price x time" in capsys.readouterr().out
    assert main([*command, "--flash-metadata=floppy"]) == 2
    assert "metadata preset `floppy` is unknown" in capsys.readouterr().err
    assert main([*command, "--y=dirty_share"]) == 2
    assert "is not AXIS=LOW:HIGH" in capsys.readouterr().err


def test_worked_numbers_of_the_page() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "models" / "scheme-map.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= 8
    text = page.read_text(encoding="utf-8")
    assert [name for name in page_flow_scheme_map.AXES if name not in text] == []


@pytest.mark.parametrize("noise", [0.0, 1e-16, -1e-16])
def test_a_line_ends_where_two_schemes_tie_but_for_rounding(noise: float) -> None:
    """Both ends of the edge may then have one sign: halving would stop inside it."""

    def differences(_: object, points: FloatArray) -> FloatArray:
        return -0.2 * (1 - points[0]) + noise

    problem = SimpleNamespace(differences=differences)
    pairs = np.zeros((2, 1), dtype=np.int64)
    low, high = np.zeros((2, 1)), np.ones((2, 1))
    found = page_flow_scheme_map._roots(cast("Any", problem), pairs, low, high)
    assert found[0, 0] == 1.0
