"""Choices of flash and of its directory say what their figures say, also where the opposite holds."""

from __future__ import annotations

import json

import pytest
import recordings

from tierwright.advise import directories, flash_choice
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
DISK = catalog.device("face2016-cheetah-15k6-single")
FAST, SLOW = "samsung-pm9a3-7.68tb-u2", "face2016-samsung-840pro-256"
PRICES = catalog.default_price_book()


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCB).curve


def choice(curve: Curve, *names: str, **sizes: int) -> flash_choice.FlashChoice:
    return flash_choice.answer(
        curve,
        **{"ram_pages": 2000, "flash_pages": 8000, **sizes},
        candidates=[catalog.device(name) for name in names],
        disk=DISK,
        prices=PRICES,
    )


def test_the_fastest_device_is_named_with_its_time(curve: Curve) -> None:
    found = choice(curve, FAST, SLOW)
    assert found.best_by_time == FAST
    row = found.rows[0]
    assert found.finding.startswith(f"{row.device_name} has the lowest I/O time")
    assert f"{row.io_time_us_per_access:.3g} µs" in found.finding
    alone = choice(curve, SLOW)
    assert alone.finding.startswith(catalog.device(SLOW).name)


def test_flash_that_saves_nothing_is_said_to_save_nothing(curve: Curve) -> None:
    """Flash that writes slower than the disk saves nothing: a disk in front of an SSD."""
    card = catalog.device("hgst-c15k600-600gb")
    found = flash_choice.answer(
        curve,
        ram_pages=2000,
        flash_pages=8000,
        candidates=[card],
        disk=catalog.device(FAST),
    )
    assert found.rows[0].scheme == "none"
    assert found.finding == ("Flash of this size saves no I/O time on any device here.")
    assert found.best_by_price_times_time is None


def test_where_no_device_states_its_times_the_finding_says_so(curve: Curve) -> None:
    found = choice(curve, "fdbuffer2011-kingston-sd4-8gb")
    assert found.rows == ()
    assert found.finding == (
        "No device here states the times that an evaluation needs."
    )
    assert set(found.rejected) == {"fdbuffer2011-kingston-sd4-8gb"}


def test_warnings_are_those_of_the_devices_that_are_best(curve: Curve) -> None:
    found = choice(curve, FAST, SLOW)
    best = {found.best_by_time, found.best_by_price_times_time}
    for warning in found.warnings:
        for name in {FAST, SLOW} - best:
            assert f"`{name}`" not in warning.message


def test_steps_recompute_the_rows(curve: Curve) -> None:
    found = choice(curve, FAST, SLOW)
    steps = {(step.subject, step.name): step for step in found.derivation()}
    for row in found.rows:
        assert steps[row.device_id, "I/O time"].value == row.io_time_us_per_access
        assert steps[row.device_id, "saved"].value == pytest.approx(
            1 - row.io_time_us_per_access / row.none_us_per_access
        )
    document = found.to_dict(derivation=True)
    assert json.loads(json.dumps(document))["finding"] == found.finding
    assert "Device of least I/O time" in found._repr_html_()


def test_a_directory_is_placed_where_it_costs_least_at_worst(curve: Curve) -> None:
    asked = {"flash": catalog.device(SLOW), "disk": DISK}
    large = directories.answer(curve, ram_bytes=2**24, flash_bytes=2**27, **asked)
    assert large.safest is not None
    option = large.options[large.safest]
    assert option.worst_us < large.none_us
    assert "saves" in large.finding
    small = directories.answer(curve, ram_bytes=8192, flash_bytes=2**31, **asked)
    assert small.safest is None
    assert small.finding.startswith("The directory leaves no room")
    assert [figure.value for figure in small.figures[1:]] == [None, None]


def test_steps_of_a_directory_hold_its_totals(curve: Curve) -> None:
    found = directories.answer(
        curve,
        ram_bytes=2**24,
        flash_bytes=2**27,
        flash=catalog.device(SLOW),
        disk=DISK,
        flash_page_bytes=[8192, 65536],
    )
    values = [step.value for step in found.derivation()]
    for option in found.options:
        for cost in option.schemes.values():
            assert cost.total_us in values
            assert cost.worst_total_us in values
    assert "derivation" in found.to_dict(derivation=True)
    assert "derivation" not in found.to_dict()
    assert found.finding in found._repr_html_()
