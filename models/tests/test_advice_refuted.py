"""What replays refute is nowhere in a checked answer: the next size of the same hardware takes its place."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice, report, scale
from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates, SchemeAt
from tierwright.evaluate.advice.tiers import devices_for_space
from tierwright.evaluate.page_flow.decision import ReplayPoint, warm_up_of
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

TRACES = Path(__file__).resolve().parents[2] / "fixtures" / "traces"
TPCB, TPCC = TRACES / "tpcb-cut.csv.zst", TRACES / "tpcc-20w-cut.csv.zst"
SAMSUNG, KIOXIA = "samsung-pm9a3-7.68tb-u2", "kioxia-cm7-r-7.68tb"
DISK = "seagate-exos-x24-24tb"
RATE = 20_000.0
BETWEEN = Decimal("0.638786548")
"""I/O time between what an access to 5 GiB and the drive of Samsung takes by the model and by its replay. [µs]"""


@cache
def production(trace: Path, data_bytes: int) -> Curve:
    scaled = scale.answer(profile(Trace(trace)), Production(data_bytes, 3_000.0))
    return scaled.profile.curve.from_start("steady")


@cache
def counted(trace: Path, data_bytes: int, each: SchemeAt) -> dict[str, Any]:
    curve = production(trace, data_bytes)
    [row] = _checked.by_trace(curve, Trace(trace), None)([each])
    return dict(row)


def ask(
    trace: Path, data_bytes: int, rate: float, devices: tuple[str, ...], **more: Any
) -> Advice:
    return advice.answer(
        production(trace, data_bytes),
        accesses_per_s=rate,
        candidates=Candidates(
            kinds=("devices",),
            devices=devices,
            machine_usd=Decimal(500),
            flash_caches=(),
        ),
        prices=advice.named_book("street-2026-q3"),
        **{
            "how_sure": False,
            "replays": lambda wanted: [
                counted(trace, data_bytes, each) for each in wanted
            ],
            **more,
        },
    )


def of_drives(**more: Any) -> Advice:
    limits = {
        "io_time_us_per_access": BETWEEN,
        # RAM for all of the data, 5 GiB beside the system's, takes no I/O time on any device.
        "ram_bytes": Decimal(8 * 2**30),
        **more.pop("constraints", {}),
    }
    return ask(
        TPCB, 5 * 2**30, RATE, (SAMSUNG, KIOXIA, DISK), constraints=limits, **more
    )


def io_us(trace: Path, data_bytes: int, ram_gib: int, device: str) -> float:
    """I/O time of an access to RAM above one device, from what a replay counts and the times that are stated. [µs]"""
    curve = production(trace, data_bytes)
    assert curve.scaled is not None
    pages = (ram_gib - 4) * 2**30 // curve.page_bytes  # 4 GiB are the system's
    asked = ReplayPoint(
        pages,
        0,
        warm_up_of(curve.start, curve.scaled.recorded_accesses or 0),
    )
    point = _checked.point_of(curve, "none", asked)
    assert not isinstance(point, str)
    row = counted(trace, data_bytes, ("none", point))
    stated = catalog.device(device)
    us = sum(
        row[f"hdd_{operation}s"]
        * (service_us(stated, operation, curve.page_bytes) or 0)
        for operation in ("read", "write")
    )
    return float(us / row["accesses"])


@pytest.mark.parametrize("objective", ["usd", "pareto"])
def test_the_next_size_takes_the_place_of_one_that_its_replay_refutes(
    objective: str,
) -> None:
    found = of_drives(objective=objective)
    assert found.recommendation is not None
    assert found.recommendation.disk_device == KIOXIA
    # By the model 5 GiB keep the limit, by their replay they do not; 6 GiB do.
    assert (
        io_us(TPCB, 5 * 2**30, 5, SAMSUNG)
        > BETWEEN
        > io_us(TPCB, 5 * 2**30, 6, SAMSUNG)
    )
    first = found.alternatives[0]
    assert first.name == f"6 GiB of RAM and 1 x {SAMSUNG}"
    assert first.usd_per_month is not None
    assert found.recommendation.usd_per_month is not None
    more = first.usd_per_month - found.recommendation.usd_per_month
    assert more == Decimal("0.58")
    assert f"{first.name}, costs 0.58 USD per month more" in found.finding
    # It was replayed, as what it takes the place of was.
    assert first.replayed_io_time_us_per_access == pytest.approx(
        io_us(TPCB, 5 * 2**30, 6, SAMSUNG)
    )
    names = [each.option.name for each in found.checked]
    assert names.index(f"5 GiB of RAM and 1 x {SAMSUNG}") < names.index(first.name)
    # Of each hardware one.
    assert len({(each.disk_device, each.flash_device) for each in found.alternatives}) == len(found.alternatives)  # fmt: skip


def test_no_step_of_a_limit_is_what_a_replay_refutes() -> None:
    found = of_drives()
    refuted = f"5 GiB of RAM and 1 x {SAMSUNG}"
    assert refuted in {each.option.name for each in found.rejected}
    for stairs in found.staircases:
        if stairs.constraint == "io_time_us_per_access":
            continue
        # However many of them hold the data, an access takes as long.
        assert not [
            step.name
            for step in stairs.steps
            if step.name.startswith("5 GiB")
            and step.name.endswith(SAMSUNG)
            and "cache" not in step.name
        ]
    [lives] = [
        each for each in found.staircases if each.constraint == "flash_life_years"
    ]
    bought = lives.at(60.0)
    assert bought is not None
    asked = of_drives(constraints={"flash_life_years": Decimal(60)})
    assert asked.recommendation is not None
    assert (bought.name, bought.usd_per_month) == (
        asked.recommendation.name,
        asked.recommendation.usd_per_month,
    )
    assert bought.usd_per_month == Decimal("178.04")


LIVES = st.floats(20.0, 110.0)


@given(LIVES, st.floats(0.25, 0.7))
@settings(max_examples=12, deadline=None)
def test_a_step_is_what_is_bought_with_that_limit(life: float, io_limit: float) -> None:
    limit = Decimal(f"{io_limit:.6f}")
    whole = of_drives(constraints={"io_time_us_per_access": limit})
    years = Decimal(f"{life:.6f}")
    asked = of_drives(
        constraints={"io_time_us_per_access": limit, "flash_life_years": years}
    )
    stairs = {each.constraint: each for each in whole.staircases}
    replayed = {each.option.name for each in whole.checked if each.simulated}
    # Where the replay decides against the model there are none; what was not replayed may be refuted when it is asked for.
    lives = stairs.get("flash_life_years")
    bought = lives.at(float(years)) if lives is not None and lives.steps else None
    if bought is not None and bought.name in replayed:
        assert asked.recommendation is not None
        assert bought.usd_per_month == asked.recommendation.usd_per_month


DATA = 20 * 2**30


def of_disks(busy: float, **more: Any) -> Advice:
    limits = {
        "peak_busy": Decimal(repr(busy)),
        "flash_bytes": Decimal(0),
        **more.pop("constraints", {}),
    }
    return ask(TPCC, DATA, 300.0, (DISK,), constraints=limits, **more)


@cache
def busy_of_one(ram_gib: int) -> tuple[float, float, float]:
    """How busy one disk below so much RAM would be, by the model and by its replay; and by what share these may differ."""
    asked: Asked = advice.asked_of(
        production(TPCC, DATA),
        (300.0, None),
        Candidates(kinds=("devices",), devices=(DISK,)),
        None,
        {},
        "usd",
        advice.named_book("street-2026-q3"),
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    options = table.options
    [at] = np.flatnonzero(
        (options.ram_bytes == ram_gib * 2**30) & (options.flash_pages == 0)
    )
    [band] = _checked.bands(table, np.asarray([at])).tolist()
    per_us = 300.0 / 1e6
    return (
        float(options.io_us[at]) * per_us,
        io_us(TPCC, DATA, ram_gib, DISK) * per_us,
        band,
    )


@pytest.mark.parametrize("objective", ["usd", "io_time", "pareto"])
def test_one_disk_fewer_is_bought_where_its_replay_keeps_the_limit(
    objective: str,
) -> None:
    ram = {"ram_bytes": Decimal(5 * 2**30)}
    by_model, by_replay, band = busy_of_one(5)
    assert by_replay < by_model
    assert by_model / by_replay - 1 < band
    # Two disks are busier than this by the model alone.
    between = (by_model + by_replay) / 4
    unchecked = of_disks(between, constraints=ram, objective=objective, replays=None)
    assert unchecked.recommendation is not None
    assert unchecked.recommendation.disks == 3
    assert unchecked.near_misses == 1
    found = of_disks(between, constraints=ram, objective=objective)
    best = found.recommendation
    assert best is not None
    assert best.disks == 2
    assert best.peak_busy == pytest.approx(by_replay / 2)
    assert best.usd_per_month is not None
    assert unchecked.recommendation.usd_per_month is not None
    saved = unchecked.recommendation.usd_per_month - best.usd_per_month
    assert float(saved) == pytest.approx(monthly(5, 3) - monthly(5, 2), abs=0.01)
    assert "by its replay a device of it would be" in found.finding
    assert found.evaluated == unchecked.evaluated + 1
    # Below what its replay shows three are bought, and the answer says what was tried.
    tighter = of_disks(by_replay / 2 * 0.999, constraints=ram, objective=objective)
    assert tighter.recommendation is not None
    assert tighter.recommendation.disks == 3
    assert "was replayed too: it is no better" in tighter.finding
    assert tighter.evaluated == unchecked.evaluated


def test_one_disk_fewer_is_bought_where_the_model_leaves_nothing() -> None:
    by_model, by_replay, _ = busy_of_one(5)
    between = (by_model + by_replay) / 4
    limits = {"ram_bytes": Decimal(5 * 2**30), "usd_per_month": Decimal(75)}
    unchecked = of_disks(between, constraints=limits, replays=None)
    assert unchecked.recommendation is None
    found = of_disks(between, constraints=limits)
    assert found.infeasible is None
    assert found.recommendation is not None
    assert found.recommendation.disks == 2


def test_what_was_replayed_is_counted_where_nothing_keeps_every_limit() -> None:
    """Also of fewer devices than the model asks for, which are no options of the answer: it is checked, under an id of its own."""
    _, by_replay, _ = busy_of_one(5)
    limits = {"ram_bytes": Decimal(5 * 2**30), "usd_per_month": Decimal(75)}
    busy = by_replay / 2 * 0.999
    unchecked = of_disks(busy, constraints=limits, replays=None)
    found = of_disks(busy, constraints=limits)
    assert unchecked.recommendation is None
    assert found.recommendation is None
    assert (unchecked.status, unchecked.near_misses_replayed) == ("model", 0)
    assert found.checked == ()
    assert (found.status, found.near_misses_replayed) == ("checked", 1)
    assert "was replayed too: it is no better" in found.finding
    assert found.advice_id != unchecked.advice_id
    assert "no option could be replayed" not in report.html(
        found.to_dict(derivation=True)
    )


@given(st.floats(0.1, 0.9))
@settings(max_examples=15, deadline=None)
def test_as_few_disks_are_bought_as_replays_show_to_be_enough(busy: float) -> None:
    """Of all sizes of RAM and numbers of disks that the model does not rule out by more than its error, the cheapest is bought."""
    sizes = (5, 6, 8, 9, 11, 14)
    found = of_disks(busy, constraints={"ram_bytes": Decimal(14 * 2**30)})
    assert found.recommendation is not None
    prices = {}
    for ram in sizes:
        by_model, by_replay, band = busy_of_one(ram)
        for disks in range(1, 40):
            able = by_model * (1 - min(band, 0.5)) <= busy * disks
            if able and by_replay <= busy * disks:
                prices[ram, disks] = monthly(ram, disks)
    cheapest = min(prices.values())
    assert float(found.recommendation.usd_per_month or 0) == pytest.approx(
        cheapest, abs=0.02
    ), (found.finding, prices)


def test_no_fewer_devices_are_tried_than_hold_the_data() -> None:
    disk = catalog.device(DISK)
    held = disk.capacity_bytes or 0
    assert held == 24 * 10**12
    for data, devices in ((1, 1), (held, 1), (held + 1, 2), (3 * held - 1, 3)):
        assert devices_for_space(disk, float(data)) == devices
    # Without a load one disk holds the data, and no limit asks for more.
    found = of_disks(1.0, constraints={"ram_bytes": Decimal(5 * 2**30)})
    assert found.recommendation is not None
    assert (found.recommendation.disks, found.near_misses) == (1, 0)


def monthly(ram_gib: int, disks: int) -> float:
    """Cost of a machine of 500 USD with so much RAM and so many disks over 36 months, from the price book. [USD/month]"""
    book = advice.named_book("street-2026-q3")
    assert book is not None
    ram = book.find(device_id=None, kind="dram")
    disk = book.price_of(catalog.device(DISK))
    assert ram is not None
    assert disk is not None
    assert (ram.per, disk.per) in {("GiB", "TB"), ("GiB", "GB")}
    unit = 10**12 if disk.per == "TB" else 10**9
    held = (catalog.device(DISK).capacity_bytes or 0) / unit
    return (500 + ram_gib * float(ram.usd) + disks * held * float(disk.usd)) / 36
