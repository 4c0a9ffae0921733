"""Options on another curve and at another load, and what an advice says where nobody knows how many pages are dirty."""

from __future__ import annotations

from dataclasses import fields, replace
from decimal import Decimal

import numpy as np
import pytest
from advice_cases import DEVICES_ALONE, PRODUCTION, SHELF, TIB, ask, curve, question
from advice_cases import book as price_book

from tierwright.advise.advice import _checked
from tierwright.advise.advice._elsewhere import Held
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Candidates, Have
from tierwright.evaluate.advice.restart import restart_s
from tierwright.evaluate.advice.rows import SOURCES, Options
from tierwright.hardware import catalog
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
        "prices": price_book(
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
    held = Held(table, some)
    found = held.on(table.setting.curve, table.setting.served)
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
