"""Where a trace does not tell writes from reads, how long flash lasts is unknown: no answer says that it is never worn out."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import DEVICES_ALONE, PRICES, SHELF, TIB, ask, book

from tierwright.advise import scale
from tierwright.advise.advice import _caches, _checked, _words
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Have
from tierwright.common.wording import three_digits
from tierwright.evaluate.advice.bought import budget_tb
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

FLASH, DISK = SHELF[1], SHELF[2]
RATE = 200_000.0
MACHINE = Production(2 * TIB, RATE, RATE)
S_PER_YEAR = 365 * 86_400
IF_DIRTY = "the trace does not tell writes from reads, and if every page that leaves RAM is dirty, "
HELD = "the limit on its life is held as if every page that leaves RAM were dirty"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    """Skewed accesses of a format without operations."""
    path = tmp_path_factory.mktemp("untold") / "x.lis"
    generator = np.random.default_rng(1)
    pages = (20_000 * generator.random(200_000) ** 3).astype(int)
    path.write_text("".join(f"{page} 1 0 {at}\n" for at, page in enumerate(pages)))
    return profile(Trace(path))


@pytest.fixture(scope="module")
def untold(recording: Profile) -> Curve:
    found = scale.answer(recording, MACHINE).profile.curve.from_start("steady")
    assert not found.notes.tells_writes
    return found


@pytest.fixture(scope="module")
def all_write(untold: Curve) -> Curve:
    """Make the same workload, of which it is known that every access writes."""
    return replace(
        untold,
        write_backs_at=np.asarray(untold.misses_at),
        write_accesses=untold.accesses,
        notes=replace(untold.notes, tells_writes=True),
    )


def asked(curve: Curve, *devices: str, **more: Any) -> Advice:
    return ask(
        curve=curve,
        candidates=replace(DEVICES_ALONE, devices=devices or (FLASH, DISK)),
        **more,
    )


def years(device: str, devices: int, written: float, curve: Curve) -> float:
    """Endurance as stated over what is written a year."""
    of_one = budget_tb(catalog.device(device)) * 1e12
    return devices * of_one / (written * RATE * curve.page_bytes * S_PER_YEAR)


def missed(curve: Curve, best: Option) -> float:
    return float(curve.misses(best.ram_bytes // curve.page_bytes)) / curve.accesses


def test_a_limit_on_life_is_held_by_what_may_be_written_at_most(
    untold: Curve, all_write: Curve
) -> None:
    free = asked(untold, FLASH).recommendation
    assert free is not None
    assert free.flash_devices == 0
    # Before: infinite, so that any limit was kept.
    assert free.flash_life_years is None
    least = years(FLASH, free.disks, missed(untold, free), untold)
    limits = {"flash_life_years": 4 * least, "ram_bytes": free.ram_bytes}
    found = asked(untold, FLASH, constraints=limits)
    best = found.recommendation
    assert best is not None
    assert best.flash_life_years is None
    assert HELD in found.because
    assert best.disks > free.disks
    # As many devices as the same workload needs if every access writes, and it keeps the limit then.
    kept = years(FLASH, best.disks, missed(untold, best), untold)
    assert kept >= 4 * least * (1 - 1e-9)
    same = asked(all_write, FLASH, constraints=limits).recommendation
    assert same is not None
    assert same.flash_life_years is not None
    assert same.flash_life_years >= 4 * least * (1 - 1e-9)
    assert (same.disks, same.ram_bytes) == (best.disks, best.ram_bytes)
    assert HELD not in asked(all_write, FLASH, constraints=limits).because
    # Of what is not limited nothing is said.
    assert HELD not in asked(untold, FLASH).because


def test_what_is_rejected_says_under_what_it_would_last_so_long(untold: Curve) -> None:
    """A cache that is filled too often is worn out by that alone; of the rest it depends on the writes."""
    rows = asked(untold, constraints={"flash_life_years": 1e4}).rejected
    said = {
        (each.option.scheme, each.option.flash_devices, each.option.disk_device): each
        for each in rows
        if each.constraint == "flash_life_years"
    }
    schemes = {scheme for scheme, _, disk in said if disk == DISK}
    assert schemes == {"lazy", "inclusive", "exclusive"}
    for (scheme, devices, disk), each in said.items():
        if disk != DISK:
            continue
        option = each.option
        misses = missed(untold, option)
        if scheme == "exclusive":
            # Clean or dirty, what leaves RAM is written to flash: known.
            assert option.flash_life_years == pytest.approx(
                years(FLASH, devices, misses, untold), rel=1e-6
            )
            assert IF_DIRTY not in each.text
            continue
        assert option.flash_life_years is None
        assert IF_DIRTY in each.text
        # Lazy writes each victim at most once, Inclusive fills flash besides.
        filled = option.disk_share if scheme == "inclusive" else 0.0
        assert each.value == pytest.approx(
            years(FLASH, devices, misses + filled, untold), rel=1e-6
        )


def test_disks_are_not_worn_and_keep_any_limit(untold: Curve) -> None:
    found = asked(untold, DISK, constraints={"flash_life_years": 1e6})
    assert found.recommendation is not None
    assert found.recommendation.flash_life_years is None
    assert HELD not in found.because


def test_where_nothing_keeps_it_the_nearest_limit_is_the_one_that_is_kept(
    untold: Curve,
) -> None:
    # RAM of all of the data would never write to flash: it has to be smaller.
    limits = {"flash_life_years": 1e9, "usd_per_month": 20_000, "ram_bytes": TIB}
    found = asked(untold, FLASH, constraints=limits)
    assert found.recommendation is None
    assert found.infeasible is not None
    assert HELD in found.finding
    # The value is a least one, rounded to the side that the option is on.
    told = re.search(r"life of the flash to ([0-9,.]+) years", found.infeasible.text)
    assert told is not None, found.infeasible.text
    value = float(told[1].replace(",", ""))
    again = asked(
        untold, FLASH, constraints={**limits, "flash_life_years": value}
    ).recommendation
    assert again is not None
    assert years(FLASH, again.disks, missed(untold, again), untold) >= value * (
        1 - 1e-9
    )


def test_what_there_is_and_scenarios_hold_it_alike(
    untold: Curve, all_write: Curve
) -> None:
    have = Have(
        machines=1,
        ram_bytes=64 * 2**30,
        disk=catalog.device(FLASH),
        disks=2,
        usd_per_month=Decimal(1),
        purchase_usd=Decimal(0),
    )
    of_have = years(
        FLASH,
        2,
        float(untold.misses(have.ram_bytes // untold.page_bytes)) / untold.accesses,
        untold,
    )
    for limit, kept in ((of_have * 0.9, True), (of_have * 1.1, False)):
        found, known = (
            asked(
                each,
                FLASH,
                have=have,
                constraints={"flash_life_years": limit},
                how_sure=True,
            )
            for each in (untold, all_write)
        )
        assert found.option_zero is not None
        assert found.option_zero.flash_life_years is None
        broken, same = (
            {row.constraint for row in each.rejected if row.option.kind == "have"}
            for each in (found, known)
        )
        assert ("flash_life_years" in broken) is not kept
        assert broken == same
        rows, others = (
            {
                row.title: [each.breaks for each in row.regret]
                for row in each.scenarios.rows
            }
            for each in (found, known)
        )
        for title in rows.keys() & others.keys():
            assert [("flash_life_years" in each) for each in rows[title]] == [
                ("flash_life_years" in each) for each in others[title]
            ]


def test_no_interval_is_given_of_what_is_unknown(untold: Curve) -> None:
    found = asked(untold, FLASH, how_sure=True)
    assert "flash_life_years" not in {
        each.figure for each in found.confidence.intervals
    }
    # Nor is it said that flash is worn out, or lasts: by what is known nothing is written.
    assert not [each for each in found.cautions if each.code == "flash_worn_out"]


def table(curve: Curve) -> Table:
    from tierwright.advise.advice._asked import asked_of
    from tierwright.advise.advice.request import Candidates

    question = asked_of(
        curve,
        (RATE, RATE),
        replace(DEVICES_ALONE, devices=(FLASH, DISK)),
        None,
        {},
        "usd",
        book(**PRICES),
        36,
        (None, None),
        0,
    )
    assert isinstance(question.setting.candidates, Candidates)
    return Table.of(question.setting)


def test_a_replay_of_such_a_trace_knows_no_more(untold: Curve) -> None:
    made = table(untold)
    counters = {
        "accesses": 1000,
        "flash_hits": 100,
        "flash_misses": 50,
        "hdd_writes": 0,
        "flash_writes": 150,
        "write_accesses": 0,
    }
    options = made.options
    [with_cache] = np.flatnonzero(options.flash_devices == 1)[:1]
    for scheme, flash, store in (
        ("none", 0.0, 0.15),
        ("lazy", 0.15, 0.05),
        ("exclusive", 0.15, 0.05),
        ("inclusive", 0.2, 0.05),
    ):
        assert _checked.replays._most_wear(made, scheme, counters) == pytest.approx(
            (flash, store)
        )
    told = replace(untold, notes=replace(untold.notes, tells_writes=True))
    assert _checked.replays._most_wear(table(told), "lazy", counters) == (0.0, 0.0)
    # What flash caches write besides is not known at all.
    assert np.isnan(
        _checked.life(made, int(with_cache), *_caches.replays._worn_by(made, counters))
    )


def test_a_known_option_of_each_scheme_is_said_to_be_known(untold: Curve) -> None:
    made = table(untold)
    options = made.options
    seen: dict[tuple[str, str], set[bool]] = {}
    for at in range(0, len(options), 7):
        _, store = made.devices(at)
        assert store is not None
        seen.setdefault((made.scheme(at), store.id), set()).add(made.knows_life(at))
    # All of the data in RAM is written to nothing.
    assert seen["none", DISK] == {True}
    assert seen["exclusive", DISK] == {True}
    assert False in seen["none", FLASH]
    assert False in seen["lazy", DISK]


def test_by_its_replay_it_is_said_so_too(untold: Curve) -> None:
    option = asked(untold, FLASH).recommendation
    assert option is not None
    text = _words.rejected_text(
        option, "flash_life_years", 2.0, 5.0, by_replay=True, is_untold=True
    )
    assert text.endswith(
        ": by its replay, if every page that leaves RAM is dirty, its flash lasts 2.00 years; at least 5 years is required."
    )


def test_the_caution_says_where_unknown_writes_count_and_where_they_do_not(
    untold: Curve,
) -> None:
    def said(**limits: Any) -> str:
        found = asked(untold, constraints=limits)
        [told] = [one for one in found.warnings if one.name == "no_writes_in_format"]
        return told.message

    free = said()
    assert "unknown and count as 0: write costs and wear are left out" in free
    held = said(flash_life_years=5)
    # Wear is what decides there: no sentence may say that it is left out.
    assert "wear" not in held
    assert "as if every page that leaves RAM were dirty" in held
    assert "everywhere else they count as 0, so write costs are left out" in held


def test_of_an_unknown_life_nothing_is_said_but_what_a_limit_is_held_by(
    untold: Curve,
) -> None:
    """The years of the drive writes of this drive are assumed; its life is null."""

    def told(**more: Any) -> tuple[Option, list[str]]:
        found = asked(untold, FLASH, **more)
        assert found.recommendation is not None
        assert found.recommendation.flash_life_years is None
        return found.recommendation, [
            f"{each.message}: {each.effect}"
            for each in found.cautions
            if each.code == "endurance_assumed"
        ]

    free, said = told()
    assert not said
    least = years(FLASH, free.disks, missed(untold, free), untold)
    best, said = told(
        constraints={"flash_life_years": 4 * least, "ram_bytes": free.ram_bytes}
    )
    [text] = said
    kept = years(FLASH, best.disks, missed(untold, best), untold)
    assert text.startswith(
        f"that its flash lasts at least {three_digits(kept)} years, as it does if every page that leaves RAM is dirty, assumes"
    )
    assert f": at least {three_digits(kept * 3 / 5)} years if its drive writes" in text
    assert text.endswith(f"the limit is {three_digits(4 * least)} years")
