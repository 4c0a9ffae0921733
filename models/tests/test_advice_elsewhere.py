"""Options on another curve and at another load, and what an advice says where nobody knows how many pages are dirty."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    PRODUCTION,
    SHELF,
    TIB,
    ask,
    book,
    curve,
    question,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.advice import _checked
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import RANGED
from tierwright.advise.advice.request import Candidates, Have
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.restart import restart_s
from tierwright.evaluate.advice.rows import SOURCES, Options
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.production import Production

HAVE = Have(
    machines=2,
    ram_bytes=2**37,
    disk=catalog.device("seagate-exos-x24-24tb"),
    disks=24,
    flash=catalog.device("samsung-pm9a3-7.68tb-u2"),
    flash_devices=2,
    flash_bytes=2 * 7_680_000_000_000,
    scheme="lazy",
    usd_per_month=Decimal(2100),
)


def table_of(production: Production) -> Table:
    asked = {
        "curve": curve(production),
        "candidates": Candidates(
            kinds=("instances", "volumes", "chassis", "devices"),
            servers=("aws-i4i.16xlarge", "aws-r7i.16xlarge", "aws-i3en.24xlarge"),
            devices=SHELF,
            part_usd={"chassis": Decimal(4000)},
            max_machines=4,
        ),
        "have": HAVE,
        "constraints": {},
        "objective": "usd",
        "prices": book(
            **{name: Decimal("0.1") for name in SHELF},
        ),
    }
    return Table.of(question(asked).setting)


@pytest.mark.parametrize("replicas", [1, 2])
def test_what_stays_as_it_is_stands_as_in_the_table(replicas: int) -> None:
    """On the same curve and at the same load nothing changes, whatever an option is; with copies each serves the writes."""
    production = replace(PRODUCTION, machines=2, replicas=replicas)
    table = table_of(production)
    generator = np.random.Generator(np.random.PCG64(1))
    some = np.concatenate(
        [
            generator.permutation(np.flatnonzero(table.options.source == source))[:200]
            for source in range(len(SOURCES))
        ]
    )
    assert len(set(table.options.source[some].tolist())) == 5  # no quotes here
    held = table.held(some)
    found = held.on(
        table.setting.curve,
        table.setting.served.both,
        table.setting.load_growth_per_year,
    )
    for each in fields(Options):
        np.testing.assert_allclose(
            getattr(found, each.name),
            getattr(table.options, each.name)[some],
            rtol=1e-12,
            err_msg=each.name,
        )
    peak = table.setting.served.peak
    assert peak is not None
    np.testing.assert_allclose(
        held.peak_busy(table.setting.curve, peak),
        table.options.peak_busy[some],
        rtol=1e-12,
    )

    for at in some.tolist():
        tiers_us = {
            "flash": float(table.options.flash_us[at]),
            "disk": float(table.options.store_us[at]),
        }
        assert _checked.peak_busy(table, at, tiers_us) == pytest.approx(
            table.options.peak_busy[at], rel=1e-12, nan_ok=True
        )


def test_ram_is_warm_as_soon_as_a_machine_with_its_copies_fills_it() -> None:
    """The rate of one machine counts the writes that it takes for the others."""
    table = table_of(replace(PRODUCTION, machines=2, replicas=2))
    at = table.have_at
    assert at is not None
    scaled = table.setting.curve.scaled
    assert scaled is not None
    options = table.options.rows(np.asarray([at]))
    reads = options.flash_devices * 1e6 / options.flash_read_us
    expected = restart_s(
        table.setting.curve,
        options.ram_pages,
        scaled.machine_accesses_per_s,
        reads,
    )
    assert table.beside("restart_s", np.asarray([at])) == pytest.approx(
        expected, rel=1e-12
    )


def test_more_load_breaks_what_copies_have_filled() -> None:
    """With the writes of both copies counted, disks that are nearly as busy as allowed do not carry a quarter more."""
    production = Production(TIB, 20_000.0, 50_000.0, machines=2, replicas=2)
    only = replace(DEVICES_ALONE, devices=("seagate-exos-x24-24tb",))
    found = ask(
        curve=curve(production),
        how_sure=True,
        candidates=only,
        constraints={"ram_bytes": 2**36},
    )
    best, scenarios = found.recommendation, found.scenarios
    assert best is not None
    assert best.peak_busy is not None
    # Without the writes of the second copy it would be below the limit with a quarter more load.
    served = curve(production).served_per_access
    assert 1.25 * best.peak_busy / served < 0.7 < 1.25 * best.peak_busy
    assert scenarios is not None
    [column] = [at for at, each in enumerate(scenarios.columns) if each.name == "load"]
    assert "peak_busy" in scenarios.rows[0].regret[column].breaks


@pytest.mark.parametrize("objective", ["usd", "io_time"])
@pytest.mark.parametrize("times", [0.5, 1.0, 3.0, 40.0])
def test_a_throughput_is_bought_for_as_a_busiest_hour_with_that_load(
    times: float, objective: str
) -> None:
    """Asking for more than the load is asking for devices that carry a higher peak; for less, for nothing."""
    peak = 50_000.0
    here = Production(4 * TIB, 20_000.0, peak)
    there = replace(here, peak_accesses_per_s=max(peak, times * peak))
    limits = {
        "usd_per_month": Decimal(3000),
        "flash_life_years": Decimal(3),
        # RAM for all of the data keeps no device busy: no throughput is the largest.
        "ram_bytes": Decimal(3 * TIB),
    }
    asked: dict[str, Any] = {"objective": objective}
    found = ask(
        curve=curve(here),
        constraints={**limits, "throughput_accesses_per_s": times * peak},
        **asked,
    ).recommendation
    other = ask(curve=curve(there), constraints=limits, **asked).recommendation
    assert found is not None
    assert other is not None
    assert (found.name, found.scheme, found.usd_per_month) == (
        other.name,
        other.scheme,
        other.usd_per_month,
    )
    assert found.throughput_accesses_per_s is not None
    assert found.throughput_accesses_per_s >= times * peak * (1 - 1e-9)
    assert found.throughput_accesses_per_s == pytest.approx(
        other.throughput_accesses_per_s, rel=1e-9
    )
    assert found.peak_busy is not None
    assert found.throughput_accesses_per_s == pytest.approx(
        peak * 0.7 / found.peak_busy, rel=1e-9
    )


def test_what_carries_too_little_says_how_much_and_a_rate_is_needed() -> None:
    have = replace(
        HAVE,
        machines=1,
        disks=1,
        flash=None,
        flash_devices=0,
        flash_bytes=0,
        scheme="none",
    )
    only = replace(DEVICES_ALONE, devices=("samsung-pm9a3-7.68tb-u2",))
    found = ask(
        candidates=only,
        have=have,
        constraints={"throughput_accesses_per_s": 1e6, "peak_busy": 1},
    )
    [today] = [each for each in found.rejected if each.option.kind == "have"]
    broken = [today.constraint, *(each.constraint for each in today.also)]
    assert "throughput_accesses_per_s" in broken
    best = found.recommendation
    assert best is not None
    assert best.throughput_accesses_per_s is not None
    assert best.throughput_accesses_per_s >= 1e6 * (1 - 1e-9)
    unrated = replace(curve(), scaled=None)
    with pytest.raises(
        BadInput, match="throughput_accesses_per_s: the workload states no rate"
    ):
        ask(curve=unrated, constraints={"throughput_accesses_per_s": 1})


UNKNOWN_SHARES = {
    "curve": st.builds(
        lambda rate, peak: Production(4 * TIB, rate, rate * peak),
        st.floats(10.0, 1e5),
        st.floats(1.0, 4.0),
    ),
    "limits": st.fixed_dictionaries(
        {},
        optional={
            "usd_per_month": st.integers(100, 20_000),
            "io_time_us_per_access": st.floats(1.0, 1e4),
            "flash_life_years": st.floats(0.1, 10.0),
        },
    ),
    "objective": st.sampled_from(["usd", "io_time"]),
    "share": st.floats(0.0, 1.0),
}


def without_writes(production: Production = PRODUCTION) -> Curve:
    """Return the curve of a production that does not say which evicted pages are dirty."""
    return replace(curve(production), write_backs_at=None, write_accesses=0, cold=None)


def with_share(unknown: Curve, share: float) -> Curve:
    """Return the same curve with as many dirty pages at every size as this share of the misses."""
    return replace(
        unknown,
        write_backs_at=share * unknown.misses_at,
        write_accesses=unknown.accesses,
    )


@given(**UNKNOWN_SHARES)
@settings(max_examples=10, deadline=None)
def test_a_choice_keeps_every_limit_whatever_share_of_the_pages_is_dirty(
    curve: Production, limits: dict[str, Any], objective: str, share: float
) -> None:
    unknown = without_writes(curve)
    asked: dict[str, Any] = {
        "constraints": {name: Decimal(str(value)) for name, value in limits.items()},
        "objective": objective,
    }
    found = ask(curve=unknown, **asked)
    most = ask(curve=with_share(unknown, 1.0), **asked)
    best, known = found.recommendation, most.recommendation
    assert (best is None) == (known is None)
    assert found.advice_id != most.advice_id
    assert found.confidence.probability_best is None
    if best is None or known is None:
        assert found.infeasible is not None
        assert "dirty" in found.infeasible.text
        assert "evicted page is dirty" in found.finding
        return
    # What is bought is that of the most dirty pages; what depends on them has that end, and no other number.
    assert (best.name, best.scheme, best.usd_per_month) == (
        known.name,
        known.scheme,
        known.usd_per_month,
    )
    for name in RANGED:
        value = getattr(known, name)
        if name in best.ranges:
            assert getattr(best, name) is None
            assert value in best.ranges[name]
        else:
            assert getattr(best, name) == value
    table = Table.of(
        question(
            {
                "curve": with_share(unknown, 1.0),
                "candidates": DEVICES_ALONE,
                "have": None,
                "prices": book(**PRICES),
                **asked,
            }
        ).setting
    )
    [row] = [
        at
        for at in range(len(table.options))
        if (table.title(at), table.scheme(at)) == (best.name, best.scheme)
        and int(table.options.store_devices[at]) == best.disks
    ]
    stands = table.held(np.asarray([row])).on(
        with_share(unknown, share),
        table.setting.served.both,
        table.setting.load_growth_per_year,
    )
    low, high = best.ranges.get("peak_busy", (best.peak_busy, best.peak_busy))
    assert low is not None
    assert high is not None
    assert low * (1 - 1e-9) <= float(stands.peak_busy[0]) <= high * (1 + 1e-9)
    assert float(stands.peak_busy[0]) <= 0.7 * (1 + 1e-9)
    if "io_time_us_per_access" in limits:
        assert float(stands.io_us[0]) <= limits["io_time_us_per_access"] * (1 + 1e-9)
    if "flash_life_years" in limits:
        assert float(stands.life_years[0]) >= limits["flash_life_years"] * (1 - 1e-9)


def test_what_the_share_of_dirty_pages_does_to_the_choice_is_said() -> None:
    """Cheap without writes, dear with them: the sentence has both, and the saving that knowing the share may bring."""
    unknown = without_writes(Production(TIB, 20_000.0, 50_000.0))
    only = replace(DEVICES_ALONE, devices=("seagate-exos-x24-24tb",))
    asked: dict[str, Any] = {
        "candidates": only,
        "constraints": {"ram_bytes": Decimal(2**36)},
        "how_sure": True,
    }
    found = ask(curve=unknown, **asked)
    clean = ask(curve=with_share(unknown, 0.0), **asked).recommendation
    best = found.recommendation
    assert best is not None
    assert clean is not None
    assert clean.usd_per_month is not None
    assert best.usd_per_month is not None
    assert clean.usd_per_month < best.usd_per_month
    assert f"If none is, {clean.name} would do" in found.finding
    [bar] = found.confidence.tornado
    assert (bar.usd_per_month_low, bar.usd_per_month_high) == (
        clean.usd_per_month,
        best.usd_per_month,
    )
    assert not found.flat
    assert found.scenarios is found.waiting is found.next_dollar is None
    # Where nothing changes, that is what is said.
    flash = replace(DEVICES_ALONE, devices=("samsung-pm9a3-7.68tb-u2",))
    same = ask(curve=without_writes(Production(TIB, 20.0, 50.0)), candidates=flash)
    assert same.finding.endswith("If none is, the choice is the same.")


def test_what_there_is_and_cannot_carry_the_load_is_said_with_its_range() -> None:
    have = replace(
        HAVE,
        machines=1,
        disks=4,
        ram_bytes=2**34,
        flash=None,
        flash_devices=0,
        flash_bytes=0,
        scheme="none",
    )
    unknown = without_writes(Production(TIB, 20_000.0, 50_000.0))
    zero = ask(curve=unknown, have=have).option_zero
    assert zero is not None
    low, high = zero.ranges["peak_busy"]
    assert low is not None
    assert high is not None
    assert 1 < low < high
    said = ask(curve=unknown, have=have).finding
    assert (
        f"; what there is today cannot carry the load: it would need at least {low / 0.7:.3g} times its speed to be busy for at most 70 % of the busiest hour"
        in said
    )
    # With more disks it carries the load unless many pages are dirty, with still more whatever is dirty.
    for disks, words in (
        (
            math.ceil(4 * math.sqrt(low * high)),
            "may not carry the load: it would need up to",
        ),
        (math.ceil(4 * high * 1.1), ""),
    ):
        said = ask(curve=unknown, have=replace(have, disks=disks)).finding
        assert ("carry the load" in said) == bool(words)
        assert words in said
