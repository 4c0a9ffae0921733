"""Scheme maps in words: shares of the map, both ends, and one place of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import recordings

from tierwright.advise import compare, scheme_map
from tierwright.advise.point import scheme_titles
from tierwright.common.wording import percent
from tierwright.evaluate.page_flow import map_effects
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
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


def device_like(device: Device, **figures: Any) -> Device:
    """Copy a device without some of its figures."""
    kept = {
        name: figure for name, figure in device.figures.items() if name not in figures
    }
    return replace(device, figures=kept)


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


# --- cautions --------------------------------------------------------------------------------------


def weighed(found: scheme_map.SchemesMapped) -> dict[str, tuple[bool | None, str]]:
    return {w.code: (w.could_change_choice, w.effect) for w in found.cautions}


def test_a_caution_says_on_how_much_of_the_map_another_scheme_would_be_best() -> None:
    # The dirty share is an axis, so no end of the curve matters: with a flash write as dear as the bytes of
    # a page say, exclusive loses cells to another scheme, or none.
    slow = device_like(FLASH, page_bytes=None)
    found = mapped(bare(), flash=slow, x=X, y=Y)
    changes, effect = weighed(found)["device_page_unknown"]
    assert effect.startswith("if a flash ")
    assert changes is ("of the map another scheme" in effect)


def test_both_ends_of_a_dirty_share_weigh_it() -> None:
    found = mapped(bare(), x=RAM, y=X, ram_pages=None)
    changes, effect = weighed(found)["dirty_share_unknown"]
    assert found.differs_share is not None
    if found.differs_share:
        assert f"{percent(found.differs_share)} of the map" in effect
    else:
        assert effect.endswith("the same scheme would be best everywhere on the map")
    assert changes == (found.differs_share > 0.01)


def test_beaten_counts_places_where_the_choice_loses_more_than_a_hundredth() -> None:
    before = np.array([[[1.0, 1.0, np.inf]], [[2.0, 2.0, np.inf]]])
    near = np.array([[[1.005, 1.02, np.inf]], [[1.0, 1.0, np.inf]]])
    assert map_effects.beaten(before, before) == 0
    assert map_effects.beaten(before, near) == 0.5
