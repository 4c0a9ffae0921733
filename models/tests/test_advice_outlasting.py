"""What does not last in a recommendation is said with the price of what does: data on local disks, flash that is worn out."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, SHELF, ask, curve

from tierwright.advise.advice import _words
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.profile.production import Production


def rented(*kinds: str, copies: int = 1, **asked: Any) -> tuple[Advice, list[Weighed]]:
    """Ask for what is rented; the answer, and what it says of data on local disks."""
    found = ask(
        curve=curve(
            Production(2 * 2**40, 20_000.0, 20_000.0, machines=copies, replicas=copies)
        ),
        candidates=Candidates(kinds=kinds),
        **asked,
    )
    of = [each for each in found.cautions if each.code == "data_on_local_disks"]
    return found, of


def test_where_local_disks_hold_the_data_what_outlives_the_machine_is_priced() -> None:
    found, [said] = rented("instances", "volumes")
    other, none = rented("volumes")
    best, lasting = found.recommendation, other.recommendation
    assert best is not None
    assert lasting is not None
    assert best.kind == "instances"
    assert best.usd_per_month is not None
    assert lasting.usd_per_month is not None
    more = money(lasting.usd_per_month - best.usd_per_month)
    assert said.could_change_choice is True
    assert said.effect == (
        f"{_words.named(lasting)}, the cheapest for sale whose disks outlive their machine, costs {more} per month more"
    )
    # Where that is the best alternative, its price is not said twice.
    assert found.alternatives[0] == lasting
    assert "; those of the best alternative outlive their machine." in found.because
    assert not none
    assert "local disks" not in other.finding


def test_the_fastest_that_outlives_its_machine_is_named_by_its_time() -> None:
    limits = {"usd_per_month": 900}
    found, [said] = rented(
        "instances", "volumes", objective="io_time", constraints=limits
    )
    other, _ = rented("volumes", objective="io_time", constraints=limits)
    lasting = other.recommendation
    assert lasting is not None
    assert lasting != found.alternatives[0]
    assert said.effect.startswith(
        f"{_words.named(lasting)}, the fastest for sale whose disks outlive their machine, takes "
    )
    assert f"The only copy of the data is on its local disks: {said.effect}." in (
        found.because
    )


def test_nothing_that_outlives_its_machine_is_named_where_nothing_is_within_the_limits() -> (
    None
):
    _, [said] = rented("instances", "volumes", constraints={"usd_per_month": 350})
    assert said.effect == (
        "nothing for sale whose disks outlive their machine keeps every limit"
    )
    _, [alone] = rented("instances")
    assert alone.effect == said.effect


def test_several_copies_on_local_disks_are_not_the_only_one() -> None:
    found, [said] = rented("instances", "volumes", copies=2)
    assert found.recommendation is not None
    assert found.recommendation.machines >= 2
    assert "here they hold all 2 copies of the data" in said.message
    assert "state the replicas" not in said.hint
    assert "only copy" not in found.finding


FLASH = SHELF[1]


def written(rate: float, *devices: str, **asked: Any) -> tuple[Advice, list[Weighed]]:
    """Ask for devices under a rate; the answer, and what it says of flash that is worn out."""
    found = ask(
        curve=curve(Production(2 * 2**40, rate, rate)),
        candidates=replace(DEVICES_ALONE, devices=devices or (FLASH,)),
        **asked,
    )
    return found, [each for each in found.cautions if each.code == "flash_worn_out"]


def test_flash_that_is_worn_out_within_the_horizon_is_priced_beside_what_lasts() -> (
    None
):
    found, [said] = written(200_000.0)
    best = found.recommendation
    assert best is not None
    assert best.flash_life_years is not None
    assert best.usd_per_month is not None
    assert 1.5 < best.flash_life_years < 3
    # As who asks for flash that lasts is answered.
    lasting = written(200_000.0, constraints={"flash_life_years": 3})[0].recommendation
    assert lasting is not None
    assert lasting.usd_per_month is not None
    [flash] = [row for row in best.bill if row["what"] == FLASH]
    once = Decimal(flash["usd_per_month"])
    more = lasting.usd_per_month - best.usd_per_month
    assert said.could_change_choice is True
    assert said.effect == (
        f"buying it 2 times costs {money(once)} per month more; {_words.named(lasting)}, the cheapest whose flash lasts "
        f"36 months, costs {money(more)} per month more"
    )
    months = int(best.flash_life_years * 12)
    assert f"worn out after {months} of the 36 months of the horizon" in said.message
    assert said.effect in found.because


@pytest.mark.parametrize(
    ("rate", "asked"),
    [
        (20_000.0, {}),
        # Who states how long flash has to last has chosen.
        (200_000.0, {"constraints": {"flash_life_years": 1}}),
        # What is worn out after the horizon costs nothing within it.
        (200_000.0, {"horizon_months": 20}),
    ],
)
def test_flash_that_lasts_is_not_spoken_of(rate: float, asked: dict[str, Any]) -> None:
    found, said = written(rate, **asked)
    assert found.recommendation is not None
    assert not said
    assert "worn out" not in found.finding


@pytest.mark.parametrize("objective", ["usd", "io_time", "pareto"])
@pytest.mark.parametrize(
    ("devices", "rate", "months", "limits"),
    [
        # More drives of the same kind are the least of what lasts.
        (SHELF[1:2], 60_000.0, 120, {"ram_bytes": 2**30}),
        (SHELF[1:2], 200_000.0, 120, {"usd_per_month": 399}),
        (SHELF[1:2], 1e6, 60, {"ram_bytes": 2**30, "purchase_usd": 10**6}),
        (SHELF[:1], 1e6, 360, {"ram_bytes": 2**30}),
        (SHELF[:2], 200_000.0, 360, {"ram_bytes": 2**30}),
    ],
)
def test_what_lasts_is_what_asking_for_flash_that_lasts_is_told(
    devices: tuple[str, ...],
    rate: float,
    months: int,
    limits: dict[str, Any],
    objective: str,
) -> None:
    asked = {"horizon_months": months, "objective": objective}
    found, [said] = written(rate, *devices, constraints=limits, **asked)
    again, _ = written(
        rate,
        *devices,
        constraints={**limits, "flash_life_years": months / 12},
        **asked,
    )
    best, lasting = found.recommendation, again.recommendation
    assert best is not None
    assert lasting is not None
    assert best.usd_per_month is not None
    assert lasting.usd_per_month is not None
    assert f"{_words.named(lasting)}, the " in said.effect
    assert f"whose flash lasts {months:,} months" in said.effect
    if objective != "io_time":
        more = money(lasting.usd_per_month - best.usd_per_month)
        assert said.effect.endswith(f"costs {more} per month more")
        assert lasting.usd_per_month > best.usd_per_month
    assert lasting.flash_life_years is None or (
        lasting.flash_life_years >= months / 12 * (1 - 1e-9)
    )


def test_more_drives_that_take_as_long_are_told_apart_by_their_money() -> None:
    found, [said] = written(
        200_000.0,
        horizon_months=240,
        objective="io_time",
        constraints={"ram_bytes": 2**30},
    )
    again, _ = written(
        200_000.0,
        horizon_months=240,
        objective="io_time",
        constraints={"ram_bytes": 2**30, "flash_life_years": 20},
    )
    best, lasting = found.recommendation, again.recommendation
    assert best is not None
    assert lasting is not None
    assert best.usd_per_month is not None
    assert lasting.usd_per_month is not None
    assert lasting.ram_bytes == best.ram_bytes
    more = money(lasting.usd_per_month - best.usd_per_month)
    assert said.effect.endswith(
        f"the fastest whose flash lasts 240 months, takes as long per access by the model and costs {more} per month more"
    )


def test_where_no_flash_lasts_that_is_said() -> None:
    # Drives enough to last cost more than is allowed.
    limits = {"ram_bytes": 2**31, "usd_per_month": 60}
    found, [said] = written(200_000.0, horizon_months=1200, constraints=limits)
    assert found.recommendation is not None
    again, _ = written(
        200_000.0, horizon_months=1200, constraints={**limits, "flash_life_years": 100}
    )
    assert again.recommendation is None
    assert said.effect.endswith(
        "nothing whose flash lasts 1,200 months keeps every limit"
    )
