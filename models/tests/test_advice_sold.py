"""What an advice recommends can be bought: volumes that an instance takes, sizes that are sold, names that tell devices apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, SHELF, ask, curve

from tierwright.advise.advice import _words
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.evaluate.bill import billed_size_gib
from tierwright.hardware.build import build_from_mapping
from tierwright.profile.production import Production


def test_the_name_of_an_option_says_which_devices_cache_and_which_hold_the_data() -> (
    None
):
    found = ask()
    options = [*found.alternatives, *(each.option for each in found.rejected)]
    cached = [each for each in options if each.flash_bytes]
    assert cached
    for option in cached:
        assert option.name.endswith(" for the data")
        assert option.name.count(" as flash cache") == 1
        assert option.name.index("as flash cache") < option.name.index("for the data")
    bare = [each for each in options if not each.flash_bytes]
    assert bare
    assert not any("for the data" in each.name for each in bare)
    few = replace(DEVICES_ALONE, devices=(SHELF[0], SHELF[3]))
    found = ask(candidates=few, how_sure=True)
    ends = [
        name
        for bar in found.confidence.tornado
        for name in (bar.best_low, bar.best_high)
        if name is not None
    ]
    assert any("as flash cache" in each for each in ends)
    assert all((", page flow " in each) == ("as flash" in each) for each in ends)


@pytest.mark.parametrize("gib", [200, 1024])
def test_no_option_has_more_volumes_than_its_instance_takes(gib: int) -> None:
    found = ask(
        curve=curve(Production(gib * 2**30, 1000.0, 1000.0)),
        candidates=Candidates(kinds=("volumes",)),
    )
    assert found.recommendation is not None
    for option in (found.recommendation, *found.alternatives, *found.pareto):
        build = build_from_mapping(option.config)
        assert build.server is not None
        count = sum(each.quantity for each in build.volumes)
        assert count <= (build.server.block_volumes or 3)
        assert all(each.size_gib == billed_size_gib(each) for each in build.volumes)
    rejected = [
        each.option
        for each in found.rejected
        if "volume_count" in (each.constraint, *(more.constraint for more in each.also))
    ]
    # Eight disks of 32 GiB hold the smaller data.
    assert bool(rejected) == (gib > 8 * 32)
    assert all("x azure-" in each.name for each in rejected)


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
    _, [said] = rented("instances", "volumes", constraints={"usd_per_month": 400})
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
