"""What does not last in a recommendation is said with the price of what does: data on local disks, flash that is worn out."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, PRICES, ROOT, SHELF, ask, book, curve

from tierwright.advise.advice import _words
from tierwright.advise.advice._caches import CacheReplayed
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.profile.curve import Curve, Given
from tierwright.profile.production import Production
from tierwright.simulate import replay
from tierwright.trace.reading import Trace


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
    # A cache on local disks before volumes would lose changed pages.
    limits = {"flash_bytes": 0}
    found, [said] = rented("instances", "volumes", constraints=limits)
    other, none = rented("volumes", constraints=limits)
    best, lasting = found.recommendation, other.recommendation
    assert best is not None
    assert lasting is not None
    assert best.kind == "instances"
    assert best.usd_per_month is not None
    assert lasting.usd_per_month is not None
    more = money(lasting.usd_per_month - best.usd_per_month)
    assert said.could_change_choice is True
    assert said.effect == (
        f"{_words.named(lasting)}, the cheapest for sale whose data outlive their machine, costs {more} per month more"
    )
    # Where that is the best alternative, its price is not said twice.
    assert found.alternatives[0] == lasting
    assert "; those of the best alternative outlive their machine." in found.because
    assert not none
    assert "only copy of the data" not in other.finding


def test_what_outlives_its_machine_has_no_difference_where_it_lacks_one() -> None:
    """Parts without a machine are no cheaper or dearer than a whole system: what they cost is said."""
    dear = book(Decimal(50_000), **PRICES)
    both = Candidates(
        kinds=("devices", "instances"), devices=SHELF, reserved_gib=Decimal(0)
    )
    found = ask(prices=dear, candidates=both)
    alone = ask(prices=dear, candidates=DEVICES_ALONE).recommendation
    assert found.recommendation is not None
    assert alone is not None
    assert found.recommendation.kind == "instances"
    [said] = [each for each in found.cautions if each.code == "data_on_local_disks"]
    assert said.effect == (
        f"{_words.named(alone)}, the cheapest for sale whose data outlive their machine, costs "
        f"{money(alone.usd_per_month or 0)} per month, its machine not counted"
    )


def test_the_fastest_that_outlives_its_machine_is_named_by_its_time() -> None:
    limits = {"usd_per_month": 900}
    found, [said] = rented(
        "instances", "volumes", objective="io_time", constraints=limits
    )
    other, _ = rented(
        "volumes", objective="io_time", constraints={**limits, "flash_bytes": 0}
    )
    lasting = other.recommendation
    assert lasting is not None
    assert lasting != found.alternatives[0]
    assert said.effect.startswith(
        f"{_words.named(lasting)}, the fastest for sale whose data outlive their machine, takes "
    )
    assert f"The only copy of the data is on its local disks: {said.effect}." in (
        found.because
    )


def test_nothing_that_outlives_its_machine_is_named_where_nothing_is_within_the_limits() -> (
    None
):
    _, [said] = rented("instances", "volumes", constraints={"usd_per_month": 350})
    assert said.effect == (
        "nothing for sale whose data outlive their machine keeps every limit"
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


GROWING = Production(200 * 2**30, 3_000.0, 6_000.0, growth_per_year=0.3)


@pytest.mark.parametrize("objective", ["usd", "io_time"])
def test_what_outlives_the_machine_has_no_changed_pages_on_its_local_flash(
    objective: str,
) -> None:
    """A volume behind a cache on local disks holds old versions: only what writes to it at once keeps every change."""

    def asked(*kinds: str, **limits: int) -> Advice:
        return ask(
            curve=curve(GROWING),
            candidates=Candidates(
                kinds=kinds, servers=("aws-i4i.xlarge", "aws-i4i.4xlarge")
            ),
            constraints={"ram_bytes": 40 * 2**30, **limits},
            objective=objective,
        )

    found = asked("instances", "volumes")
    [said] = [e for e in found.cautions if e.code == "data_on_local_disks"]
    best = found.recommendation
    lasting = asked("volumes", flash_bytes=0).recommendation
    caching = asked("volumes").recommendation
    assert best is not None
    assert lasting is not None
    assert caching is not None
    assert best.kind == "instances"
    # Without that it would have been named: it is better.
    assert caching.flash_bytes
    assert caching.scheme != lasting.scheme == "none"
    assert said.effect.startswith(f"{_words.named(lasting)}, the ")
    if objective == "usd":
        assert best.usd_per_month is not None
        assert lasting.usd_per_month is not None
        more = money(lasting.usd_per_month - best.usd_per_month)
        assert said.effect.endswith(f"costs {more} per month more")
    assert "those of the best alternative outlive" not in found.because


def test_flash_before_volumes_outlives_the_machine_where_pages_never_change() -> None:
    reads = curve(replace(GROWING, write_share=0.0))

    def asked(*kinds: str) -> Advice:
        return ask(
            curve=reads,
            candidates=Candidates(
                kinds=kinds, servers=("aws-i4i.xlarge", "aws-i4i.4xlarge")
            ),
            constraints={"ram_bytes": 40 * 2**30},
        )

    found = asked("instances", "volumes")
    [said] = [e for e in found.cautions if e.code == "data_on_local_disks"]
    lasting = asked("volumes").recommendation
    assert lasting is not None
    assert lasting.flash_bytes
    assert said.effect.startswith(f"{_words.named(lasting)}, the cheapest for sale ")


def of_volumes(of: Curve | None = None, **asked: Any) -> tuple[Advice, list[Weighed]]:
    """Ask for volumes behind instances; the answer, and what it says of changed pages on local flash."""
    found = ask(
        curve=of or curve(Production(2**38, 3_000.0)),
        candidates=Candidates(
            kinds=("volumes",), servers=("aws-i4i.xlarge", "aws-i4i.4xlarge")
        ),
        **asked,
    )
    said = [e for e in found.cautions if e.code == "changed_pages_on_local_flash"]
    return found, said


@pytest.mark.parametrize("objective", ["usd", "io_time"])
def test_where_local_flash_alone_has_changed_pages_what_outlives_the_machine_is_priced(
    objective: str,
) -> None:
    limits = {"ram_bytes": 2**37}
    found, [said] = of_volumes(objective=objective, constraints=limits)
    # Without flash a changed page is written to its volume as it leaves RAM.
    other, none = of_volumes(
        objective=objective, constraints={**limits, "flash_bytes": 0}
    )
    best, lasting = found.recommendation, other.recommendation
    assert best is not None
    assert lasting is not None
    assert best.scheme != lasting.scheme == "none"
    assert not none
    assert "changed pages" not in other.finding
    assert not any("changed pages" in each for each in other.reservations)
    assert said.could_change_choice is True
    assert said.effect.startswith(
        f"{_words.named(lasting)}, the {'cheapest' if objective == 'usd' else 'fastest'} for sale whose changed pages outlive "
        "their machine, "
    )
    if objective == "usd":
        assert best.usd_per_month is not None
        assert lasting.usd_per_month is not None
        more = money(lasting.usd_per_month - best.usd_per_month)
        assert said.effect.endswith(f"costs {more} per month more")
    short = f"The newest version of changed pages is on its local disks alone: {said.effect}."
    assert short in found.because
    assert short in found.reservations
    assert all(each in found.because for each in found.reservations)
    # With more than three cautions it is above the answer all the same.
    assert found.cautions.index(said) < 3


def test_pages_that_are_never_changed_are_lost_nowhere() -> None:
    reads = curve(Production(2**38, 3_000.0, write_share=0.0))
    found, said = of_volumes(reads)
    assert found.recommendation is not None
    assert found.recommendation.flash_bytes
    assert not said


def test_copies_have_their_changed_pages_on_local_flash_too() -> None:
    found, [said] = of_volumes(
        curve(Production(2**38, 3_000.0, machines=2, replicas=2))
    )
    assert "so it is of all 2 copies of the data" in said.message
    assert said.hint.startswith("never stop two machines at a time")
    assert "newest version" not in found.because


def test_the_best_alternative_is_spoken_of_where_it_was_named_alone() -> None:
    """Without the time of an access, which dirty pages decide, the text compares the choice with none."""
    gib = 2**17
    pages = [1, 10 * gib, 20 * gib, 40 * gib, 200 * gib]
    alone = Curve.from_lists(
        pages,
        [900_000, 300_000, 150_000, 80_000, 10_000],
        None,
        accesses=10**6,
        distinct_pages=pages[-1],
        page_bytes=8192,
        write_accesses=400_000,
        given=Given("made", data_known=True),
    )

    def asked(objective: str) -> Advice:
        return ask(
            curve=alone,
            accesses_per_s=1000,
            candidates=Candidates(
                kinds=("instances", "volumes"),
                servers=("aws-i4i.xlarge",),
                volumes=("aws-ebs-gp3",),
                max_machines=1,
            ),
            # A cache on local disks before volumes would lose changed pages.
            constraints={"flash_bytes": 0},
            objective=objective,
        )

    for objective in ("io_time", "usd"):
        found = asked(objective)
        [said] = [e for e in found.cautions if e.code == "data_on_local_disks"]
        is_named = f"the best alternative, {_words.named(found.alternatives[0])}," in (
            found.because
        )
        assert is_named == (objective == "usd")
        assert ("those of the best alternative" in found.because) == is_named
        assert (said.effect in found.because) != is_named


@pytest.mark.parametrize(
    ("cache", "options", "keeps"),
    [
        ("face", {"mode": "write_back"}, True),
        ("lazy_cleaning", {"mode": "write_back", "admission": "dirty_only"}, True),
        # A changed page is written to what holds the data as it leaves RAM.
        ("face", {"mode": "write_back", "admission": "clean_only"}, False),
        ("lazy_cleaning", {"mode": "write_back", "admission": "clean_only"}, False),
        ("larc", {"mode": "write_through"}, False),
        ("exadata", {"mode": "write_around"}, False),
        ("dm_writecache", {}, True),
        ("tac", {}, False),
        ("cachelib", {}, False),
    ],
)
def test_flash_caches_that_write_through_lose_no_change(
    cache: str, options: dict[str, str], *, keeps: bool
) -> None:
    each = CacheReplayed(
        0, cache, cache, 1.0, 0.1, 9.0, (0, 0, 0), 0.0, None, (), "", options=options
    )
    assert each.keeps_changed == keeps


@pytest.mark.parametrize("cache", ["face", "lazy_cleaning"])
@pytest.mark.parametrize("admission", ["mixed", "dirty_only", "clean_only"])
def test_changed_pages_are_kept_on_flash_where_a_replay_keeps_them(
    cache: str, admission: str
) -> None:
    """What keeps none writes as many pages to what holds the data as leave RAM changed."""
    counted = replay.replay(
        Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"),
        "flash_cache",
        cache,
        100,
        400,
        options={"mode": "write_back", "admission": admission},
    )
    options = counted["options"]
    each = CacheReplayed(
        0, cache, cache, 1.0, 0.1, 9.0, (0, 0, 0), 0.0, None, (), "", options=options
    )
    written, changed = counted["hdd_writes"], counted["ram_dirty_evictions"]
    assert written <= changed
    assert each.keeps_changed == (written < changed)


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
