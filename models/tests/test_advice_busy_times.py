"""Busy times of a recommendation that rest on a latency are said with what would change; rates that nothing needs are said to be unknown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, PRODUCTION, TIB, ask, book, curve
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import placement, quote_ranking
from tierwright.advise.advice import _words
from tierwright.advise.advice.found import Advice, Option
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.imports.offers import offers_of
from tierwright.hardware.service_time import service_time
from tierwright.hardware.side_by_side import rests_on_latency, side_by_side
from tierwright.profile.several import Workload

LIKE = "micron-7500-pro-15.36tb"
PAGE = 8192


def drive(name: str, **rates: float) -> Device:
    """Return the drive with a price, whose data sheet has a write latency and no write IOPS, with other figures besides."""
    own = catalog.device(LIKE)
    figures = dict(own.figures)
    figures["unit_price"] = Figure(Decimal("0.5"), "USD/GB", "a quotation", "2026-11")
    for key, value in rates.items():
        figures[key] = Figure(Decimal(repr(value)), "1/s", "measured")
    return replace(own, id=name, name=name, figures=figures)


@pytest.mark.oracle(
    "hardware.side_by_side.side_by_side", "hardware.side_by_side.rests_on_latency"
)
@pytest.mark.formula(
    "hardware.side_by_side.side_by_side", "hardware.side_by_side.rests_on_latency"
)
@given(
    latency_us=st.floats(0.5, 5000),
    mb_per_s=st.floats(1, 20_000),
    page=st.sampled_from([4096, 8192, 65536]),
)
def test_requests_side_by_side_take_their_transfer_and_no_longer_than_alone(
    latency_us: float, mb_per_s: float, page: int
) -> None:
    own = drive("own", write_latency_us=latency_us, sequential_write_mb_per_s=mb_per_s)
    assert rests_on_latency(own, "write", page)
    assert not rests_on_latency(own, "read", page)
    alone = service_time(own, "write", page).time_us
    made = side_by_side(own, ["write"], page)
    assert alone is not None
    assert made is not None
    assert service_time(made, "write", page).time_us == pytest.approx(
        min(alone, page / mb_per_s)  # bytes over MB/s are microseconds
    )
    # Nothing bounds it without a rate.
    bare = replace(
        own,
        figures={
            key: figure
            for key, figure in own.figures.items()
            if not key.startswith("sequential_write")
        },
    )
    assert side_by_side(bare, ["write"], page) is None
    # A disk serves one request after the other.
    assert not rests_on_latency(replace(own, kind="hdd"), "write", page)


def asked(own: Device, rate: float, **more: Any) -> Advice:
    return ask(
        **{
            "curve": curve(
                replace(
                    PRODUCTION,
                    data_bytes=2 * TIB,
                    growth_per_year=0.0,
                    accesses_per_s=rate,
                    peak_accesses_per_s=rate,
                )
            ),
            "candidates": replace(
                DEVICES_ALONE, devices=("solidigm-d7-p5810-800gb",), own=(own,)
            ),
            "prices": book(),
            "constraints": {"ram_bytes": Decimal(2**36)},
            "objective": "usd",
            **more,
        }
    )


def said(found: Advice, code: str = "latency_as_service_time") -> list[Weighed]:
    return [each for each in found.cautions if each.code == code]


def best_of(found: Advice) -> Option:
    assert found.recommendation is not None
    return found.recommendation


# A device that states how many writes it sustains is as fast as it transfers them.
SEQUENTIAL = float(catalog.device(LIKE).figures["sequential_write_mb_per_s"].value)
SUSTAINS = SEQUENTIAL * 1e6 / PAGE


@pytest.mark.parametrize("objective", ["usd", "io_time"])
@pytest.mark.parametrize("rate", [30_000.0, 1_000_000.0])
def test_a_latency_that_is_used_as_the_busy_time_is_said_with_what_would_be_chosen(
    rate: float, objective: str
) -> None:
    found = asked(drive("own"), rate, objective=objective)
    [caution] = said(found)
    assert caution.message == (
        "`own` (holds the data) states no IOPS for writes; its write latency is used as the busy time, which overstates it "
        "on a parallel device"
    )
    # A drive that states its rate of pages is the other end.
    other = asked(
        drive("own", write_iops=SUSTAINS * PAGE / 4096), rate, objective=objective
    )
    assert not said(other)
    best, end = best_of(found), best_of(other)
    assert end.usd_per_month is not None
    assert best.peak_busy is not None
    assert end.peak_busy is not None
    assert end.peak_busy < best.peak_busy or end.disks < best.disks
    is_same = (best.name, best.scheme) == (end.name, end.scheme)
    what = "the choice stays" if is_same else f"{_words.named(end)} would be the choice"
    assert f": {what}, at {money(end.usd_per_month)} per month, " in caution.effect
    # Where nothing changes it is folded.
    assert caution.could_change_choice is (not is_same)
    if objective == "usd":
        assert is_same == (rate == 30_000.0)


def without(own: Device, *names: str, kind: str = "nvme") -> Device:
    figures = {k: v for k, v in own.figures.items() if k not in names}
    return replace(own, kind=kind, figures=figures)


def test_without_a_sequential_rate_nobody_knows_what_would_be_chosen() -> None:
    """Nothing bounds how fast such a device may be, so nothing stays for sure."""
    own = drive("own")
    bare = without(own, "read_iops", "sequential_write_mb_per_s")
    latency = {"read_latency_us": Figure(Decimal(80), "µs", "a data sheet")}
    bare = replace(bare, figures={**bare.figures, **latency})
    [caution] = said(asked(bare, 30_000.0))
    assert "states no IOPS for reads and writes; its read and write latencies" in (
        caution.message
    )
    assert caution.effect == "not computable: no sequential rate is stated"
    assert caution.could_change_choice is None


def test_a_hard_disk_serves_one_request_at_a_time() -> None:
    """The latency of one request is how long it is busy: nothing is overstated."""
    own = drive("own")
    figures = {
        **without(own, "read_iops", "write_iops").figures,
        "read_latency_us": Figure(Decimal(9000), "µs", "a paper"),
        "write_latency_us": Figure(Decimal(9000), "µs", "a paper"),
    }
    # Faster than it could ever serve pages at random.
    assert "sequential_read_mb_per_s" in figures
    disk = replace(own, kind="hdd", figures=figures)
    found = asked(disk, 100.0)
    assert best_of(found).disk_device == "own"
    assert not said(found)


@pytest.mark.parametrize("page", [512, 4096, 8192, 2**20])
def test_side_by_side_a_page_takes_its_transfer_and_never_more_than_alone(
    page: int,
) -> None:
    own = drive("own")
    fast = side_by_side(own, ("write",), page)
    assert fast is not None
    found = service_time(fast, "write", page).time_us
    assert found is not None
    # What is beyond 4 KiB of a request alone is transferred, too.
    assert found == pytest.approx(page / SEQUENTIAL)
    # Reads are as they were.
    assert service_time(fast, "read", page) == service_time(own, "read", page)
    slower = Figure(Decimal(page) / 100, "MB/s", "a test")
    crawls = replace(own, figures={**own.figures, "sequential_write_mb_per_s": slower})
    at_most = service_time(crawls, "write", page).time_us
    assert at_most is not None
    alone = side_by_side(crawls, ("write",), page)
    assert alone is not None
    assert service_time(alone, "write", page).time_us == pytest.approx(
        min(100.0, at_most)
    )
    assert side_by_side(
        without(own, "sequential_write_mb_per_s"), ("write",), page
    ) is (None)


def test_what_no_access_does_needs_no_rate() -> None:
    """RAM that holds all of the data writes nothing back, and a workload that changes nothing has nothing to write."""
    assert not said(asked(drive("own"), 30_000.0, objective="io_time", constraints={}))
    reads = curve(
        replace(PRODUCTION, data_bytes=2 * TIB, growth_per_year=0.0, write_share=0.0)
    )
    assert not said(asked(drive("own"), 30_000.0, curve=reads))


def test_of_a_quote_it_is_said_in_the_ranking() -> None:
    def offer(name: str) -> dict[str, Any]:
        return {
            "quote_id": "Q",
            "supplier": "ACME",
            "currency": "USD",
            "valid_until": "2026-12-31",
            "lines": [
                {
                    "kind": kind,
                    "item": item,
                    "quantity": count,
                    "unit": "EA",
                    "price": 900,
                }
                for kind, item, count in (
                    ("server", "chassis-dell-r760", 2),
                    ("part", "dimm-ddr5-rdimm-64gb", 16),
                    ("device", name, 4),
                    ("part", "rails", 2),
                    ("part", "power", 4),
                )
            ],
        }

    for name, is_said in ((LIKE, True), ("samsung-pm9a3-7.68tb-u2", False)):
        of = curve(replace(PRODUCTION, data_bytes=TIB, growth_per_year=0.0))
        found = quote_ranking.answer(of, offers_of([offer(name)]), day="2026-11-01")
        [one] = found.ranked
        codes = [each.code for each in one.cautions]
        assert ("latency_as_service_time" in codes) is is_said


def test_rates_that_nobody_states_and_nothing_needs_are_said_to_be_unknown() -> None:
    """Nothing is read from what stands behind RAM of all the data; the log goes there all the same."""
    bare = drive("bare")
    figures = {
        key: each
        for key, each in bare.figures.items()
        if not ("iops" in key or "latency" in key or "sequential" in key)
    }
    found = asked(
        replace(bare, figures=figures), 30_000.0, objective="io_time", constraints={}
    )
    best = best_of(found)
    assert best.io_time_us_per_access == 0
    assert best.disk_device == "bare"
    [caution] = said(found, "rates_not_needed")
    assert caution.message == (
        "no source states how fast `bare` reads and writes, and no figure of the answer needs it while RAM holds all of the "
        "data"
    )
    assert caution.could_change_choice is False
    # What states one of them is read where it has to be.
    assert not said(
        asked(bare, 30_000.0, objective="io_time", constraints={}), "rates_not_needed"
    )


def test_of_a_system_that_was_chosen_beside_others_the_other_end_is_not_computed() -> (
    None
):
    of = asked(drive("own"), 30_000.0)
    [alone] = said(of)
    found = placement.answer(
        [
            Workload(
                "shop",
                curve(
                    replace(
                        PRODUCTION,
                        data_bytes=2 * TIB,
                        growth_per_year=0.0,
                        accesses_per_s=30_000.0,
                        peak_accesses_per_s=30_000.0,
                    )
                ),
                30_000.0,
            )
        ],
        candidates=replace(
            DEVICES_ALONE,
            devices=("solidigm-d7-p5810-800gb",),
            own=(drive("own"),),
        ),
        prices=book(),
        constraints={"ram_bytes": Decimal(2**36)},
    )
    [caution] = [e for e in found.cautions if e.code == "latency_as_service_time"]
    assert caution.message == alone.message
    assert caution.could_change_choice is None
    assert caution.effect == (
        "not computable: the system was chosen together with others"
    )
