"""Scheme maps in words: shares of the map, both ends, and one place of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierwright.advise import compare, scheme_map
from tierwright.advise.point import scheme_titles
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCB = Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst")
FLASH = catalog.device("face2016-samsung-840pro-256")
DISK = catalog.device("face2016-cheetah-15k6-single")
X = Axis.spaced("flash_per_ram", 0.5, 16, 9)
Y = Axis.spaced("dirty_share", 0, 1, 7)
RAM = Axis.spaced("ram_pages", 500, 5000, 5)


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCB).curve


def bare() -> Curve:
    return Curve.from_lists(
        [10, 1000, 10_000, 30_000],
        [300_000, 200_000, 100_000, 30_000],
        None,
        accesses=420_000,
        distinct_pages=30_687,
        page_bytes=8192,
        write_accesses=0,
        given=Given("table", data_known=True),
    )


def mapped(curve: Curve, **given: Any) -> scheme_map.SchemesMapped:
    asked = {"x": X, "y": Y, "ram_pages": 2000, "flash": FLASH, "disk": DISK}
    return scheme_map.answer(curve, **{**asked, **given})


@pytest.mark.oracle("advise.scheme_map.answer")
def test_the_shares_count_the_cells(curve: Curve) -> None:
    found = mapped(curve)
    cells = found.most.map.best
    for index, name in enumerate(found.most.map.schemes):
        assert found.most.shares[name] == np.count_nonzero(cells == index) / cells.size
    lead = max(found.most.shares, key=lambda name: found.most.shares[name])
    assert scheme_titles()[lead] in found.finding
    assert f"{found.most.shares[lead]:.3g}" in [
        f"{figure.value:.3g}" for figure in found.figures
    ]
    json.dumps(found.to_dict())
    assert found.finding in found._repr_html_()


def test_one_scheme_everywhere_is_said_so(curve: Curve) -> None:
    found = mapped(curve, flash=DISK, disk=FLASH)
    assert found.most.shares["none"] == 1
    assert "No flash leads everywhere on this map" in found.finding
    assert "leads everywhere" not in mapped(curve).finding


def test_an_unknown_dirty_share_gives_both_maps_unless_an_axis_states_it() -> None:
    known = mapped(bare())
    assert known.least is None
    both = mapped(bare(), y=RAM, ram_pages=None)
    assert both.least is not None
    assert both.differs is not None
    assert both.differs_share == float(both.differs.mean())
    assert both.warnings[0].name == "dirty_share_unknown"
    assert "is unknown" in both.finding


@pytest.mark.oracle("advise.scheme_map.at_point")
def test_a_place_of_the_map_costs_what_the_comparison_says(curve: Curve) -> None:
    asked: dict[str, Any] = {
        "ram_pages": 2000,
        "flash_pages": 8000,
        "flash": FLASH,
        "disk": DISK,
    }
    place = scheme_map.at_point(curve, **asked)
    compared = compare.answer(curve, **asked).evaluation
    for name, found in place.most.schemes.items():
        assert found.io_time_us_per_access == pytest.approx(
            compared.schemes[name].io_time_us_per_access, rel=1e-9
        )
    assert scheme_titles()[str(place.most.best)] in place.finding
    steps = {(step.subject, step.name): step.value for step in place.derivation()}
    assert steps["lazy", "io_time_us_per_access"] == pytest.approx(
        place.most.schemes["lazy"].io_time_us_per_access
    )
    ends = scheme_map.at_point(bare(), **asked)
    assert ends.least is not None
    assert ends.least_finding in ends.finding
    assert ends.derivation()[0].name == "p_d"
    assert "derivation" not in place.to_dict(derivation=False)
