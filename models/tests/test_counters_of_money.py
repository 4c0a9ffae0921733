"""DRAM or flash on a curve from counters: no figure, line or row rests on a size of which they do not speak."""

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import dram_or_flash
from tierwright.advise.dram_or_flash import DramOrFlash
from tierwright.advise.dram_or_flash.paying_ram import at_an_end
from tierwright.advise.point import Rate
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.break_even.gains import (
    FullGains,
    PageCosts,
    about_unknown,
    known_steps,
    most_flash,
    only_known,
)
from tierwright.evaluate.break_even.next_money import (
    check_known_usd,
    most_known_usd,
)
from tierwright.evaluate.metadata import PRESETS, MetadataPreset
from tierwright.hardware.catalog import device_or_file, price_book
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile
from tierwright.profile.evidence import Evidence

PAGES = np.unique(np.geomspace(2**18, 2**24, 24).astype(np.int64))
LOW, HIGH = int(PAGES[4]), int(PAGES[18])
BASE = int(PAGES[8])
DATA = 2**30


def curve(kind: str, *, below: float = 0.0, beyond: float = 0.0) -> Curve:
    """A curve whose evidence speaks of the middle of its sizes; the rest is bent as stated."""
    misses = 1e9 * (1 - np.log(PAGES + 1.0) / np.log(DATA + 1.0))
    small, large = PAGES < LOW, PAGES > HIGH
    misses = np.where(small, misses + below * (1e9 - misses), misses)
    misses = np.where(large, (1 - beyond) * misses, misses)
    return Curve.from_lists(
        PAGES,
        misses,
        None,
        accesses=10**9,
        distinct_pages=DATA,
        page_bytes=4096,
        write_accesses=0,
        given=Given(
            "counters",
            data_known=True,
            evidence=Evidence(kind, LOW, HIGH, 0.1, "", 3),  # type: ignore[arg-type]
        ),
    )


def ask(workload: Curve, ram_pages: int = BASE, **changes: Any) -> DramOrFlash:
    return dram_or_flash.answer(
        device_or_file("face2016-samsung-840pro-256"),
        device_or_file("face2016-cheetah-15k6-single"),
        curve=workload,
        ram_pages=ram_pages,
        **{
            "rate": Rate(5000.0, "stated"),
            "prices": price_book("street-2026-q3"),
            "deltas": (0.25, 0.5, 1.0, 3.0, 30.0, 300.0),
            **changes,
        },
    )


@pytest.mark.parametrize("kind", ["points", "ages"])
@pytest.mark.parametrize("dirty", [0.2, None])
@pytest.mark.parametrize("metadata", [None, "flashcache"])
def test_what_lies_beyond_the_evidence_changes_no_part_of_the_answer(
    kind: str, dirty: float | None, metadata: str | None
) -> None:
    """The oracle: two workloads that agree where the counters speak, and nowhere else."""

    def answered(**bent: float) -> dict[str, Any]:
        workload = curve(kind, **bent)
        if dirty is not None:
            workload = workload.with_dirty_share(dirty)
        found = ask(
            workload,
            dirty_share_range=True,
            flash_metadata=None if metadata is None else PRESETS[metadata],
        )
        end = found.end
        return {
            **found.to_dict(derivation=True),
            "flips": [end.flips.delta, end.flips.curve, end.flips.full],
            "plan": end.plan,
            "money": end.money,
        }

    straight = answered()
    bent = answered(below=0.9, beyond=0.9)
    assert repr(bent) == repr(straight)
    assert any(row["theta_curve"] is not None for row in straight["steps"])


def test_steps_that_the_counters_do_not_reach_are_left_out_and_named() -> None:
    found = ask(curve("ages"))
    known = [delta for delta in (0.25, 0.5, 1.0, 3.0) if (1 + delta) * BASE <= HIGH]
    assert [row.delta for row in found.steps] == [0.25, 0.5, 1.0, 3.0] == known
    [about] = [each for each in found.warnings if each.name == "sizes_unknown"]
    assert "unknown, not nothing" in about.message
    assert about.message.endswith("the DRAM steps to 132 GiB and 1.25 TiB")
    assert pytest.approx(132, abs=0.5) == BASE * 4096 * 31 / 2**30
    assert pytest.approx(1.25, abs=0.005) == BASE * 4096 * 301 / 2**40
    assert (1 + found.end.flips.delta).max() * BASE <= HIGH
    every = ask(replace(curve("ages"), given=Given("table", data_known=True)))
    assert [row.delta for row in every.steps] == [0.25, 0.5, 1.0, 3.0, 30.0, 300.0]
    assert "sizes_unknown" not in {each.name for each in every.warnings}
    assert every.end.most_usd is None


def test_flash_that_no_known_size_matches_is_unknown_and_not_unreachable() -> None:
    step = (HIGH - BASE) / BASE * 0.999
    found = ask(curve("ages").with_dirty_share(0.9), deltas=(step,))
    [row] = found.steps
    assert row.theta_full is None
    assert row.reasons["theta_full"].startswith("unknown")
    assert row.reasons["flip_full"].startswith("unknown")
    assert "unreachable" not in {each.name for each in found.warnings}
    table = replace(curve("ages"), given=Given("table", data_known=True))
    [other] = ask(table.with_dirty_share(0.9), deltas=(step,)).steps
    assert other.theta_full is not None  # more flash than the counters speak of
    assert (1 + other.theta_full) * BASE > HIGH


def test_the_usual_sum_buys_known_sizes_and_a_larger_one_is_refused_by_name() -> None:
    found = ask(curve("points").with_dirty_share(0.2))
    end, main_ = found.end, found.end.main
    assert main_ is not None
    assert end.most_usd is not None
    assert main_.usd <= end.most_usd
    assert BASE + max(main_.dram_pages, main_.flash_pages) <= HIGH
    assert "as far as the counters speak" in found.finding
    with pytest.raises(BadInput, match="unknown") as refused:
        ask(curve("points"), usd=end.most_usd * 2)
    [problem] = refused.value.problems
    assert problem.where == "usd"
    most = Decimal(refused.value.hint.split("at most ")[1].split(" USD")[0])
    assert 0.99 * float(end.most_usd) < most <= end.most_usd
    taken = ask(curve("points"), usd=most).end.main
    assert taken is not None
    assert BASE + taken.flash_pages <= HIGH


def test_lines_over_money_end_where_the_counters_do() -> None:
    end = ask(curve("points").with_dirty_share(0.2)).end
    money = end.main
    assert money is not None
    per_byte = (
        end.prices.per_byte(end.prices.ram),
        end.prices.per_byte(end.prices.flash),
    )
    for price, at, then in zip(
        per_byte,
        (money.dram_at, money.flash_at),
        (money.dram_next, money.flash_next),
        strict=True,
    ):
        assert price is not None
        page = float(price) * 4096
        bought = np.floor([float(each) / page for each in money.spent_usd])
        later = np.floor(
            [(float(each) + float(money.usd)) / page for each in money.spent_usd]
        )
        assert np.array_equal(np.isnan(at), BASE + bought > HIGH)
        assert np.array_equal(np.isnan(then), BASE + later > HIGH)
        assert np.isfinite(then).sum() > 0
    assert end.plan is not None
    reach = [
        ram + flash
        for ram, flash in zip(end.plan.ram_pages, end.plan.flash_pages, strict=True)
    ]
    assert 0 < max(reach) <= HIGH


@pytest.mark.parametrize("kind", ["points", "ages"])
def test_at_the_end_of_the_evidence_nothing_larger_is_worse_or_better(
    kind: str,
) -> None:
    found = ask(curve(kind).with_dirty_share(0.2), HIGH)
    assert found.finding.startswith("Where the next sum belongs is unknown")
    assert "unknown, not nothing" in found.sentence
    assert found.end.money == {}
    assert found.end.usual_usd is None
    assert found.steps == ()
    assert found.prices.ratio is not None
    assert [each.interval_s for each in found.end.found.intervals]
    with pytest.raises(BadInput, match="unknown") as refused:
        ask(curve(kind), HIGH, usd=Decimal(20))
    assert "measure further sizes" in refused.value.hint
    for outside in (LOW // 2, HIGH + 1):
        with pytest.raises(BadInput, match="unknown"):
            ask(curve(kind), outside)


def test_ram_that_pays_and_the_platform_name_no_size_outside_of_the_evidence() -> None:
    def verdict(rate: float) -> DramOrFlash:
        return ask(curve("ages"), rate=Rate(rate, "stated"))

    slow, fast = verdict(1.0), verdict(1e12)
    assert slow.paying is not None
    assert fast.paying is not None
    assert [each.pages for each in slow.paying.sizes] == [LOW, LOW]
    assert slow.paying.finding.startswith("No RAM beyond")
    assert "less would do is unknown" in slow.paying.sizes[0].sentence
    assert [each.pages for each in fast.paying.sizes] == [HIGH, HIGH]
    assert "all the curve covers" in fast.paying.sizes[0].sentence
    for found in (slow, fast):
        assert found.paying is not None
        assert min(found.paying.from_pages) == LOW
        assert max(found.paying.to_pages) == HIGH
        assert found.platform is not None
        assert found.platform.optimal is None  # what pays may lie beyond
    assert slow.platform is not None
    assert slow.platform.storage_pages == LOW
    assert "needs at most" in slow.platform.sentence
    assert fast.platform is not None
    assert fast.platform.storage_pages is None
    assert "unknown beyond" in fast.platform.sentence
    middle = next(
        each
        for each in (verdict(float(rate)) for rate in np.geomspace(10, 1e9, 80))
        if each.paying and LOW < each.paying.sizes[0].pages < HIGH
    )
    assert middle.platform is not None
    assert middle.platform.optimal is not None


def test_the_command_names_the_steps_that_it_leaves_out(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.json"
    path.write_text(Profile(curve("ages").with_dirty_share(0.2), 86_400.0).to_text())
    asked = ["break-even", "--profile", str(path), "--flash-device"]
    asked += ["face2016-samsung-840pro-256", "--disk-device"]
    asked += ["face2016-cheetah-15k6-single", "--ram-pages", str(BASE)]
    asked += ["--delta", "0.5", "--delta", "300"]
    main(asked)
    shown = capsys.readouterr()
    text = shown.out + shown.err
    assert "unknown, not nothing" in text
    assert "the DRAM step to" in text


@pytest.mark.oracle(
    "evaluate.break_even.gains.known_steps",
    "evaluate.break_even.gains.most_flash",
    "evaluate.break_even.gains.about_unknown",
    "evaluate.break_even.next_money.most_known_usd",
    "evaluate.break_even.next_money.check_known_usd",
    "advise.dram_or_flash.paying_ram.at_an_end",
)
@pytest.mark.formula(
    "evaluate.break_even.gains.known_steps",
    "evaluate.break_even.gains.most_flash",
    "evaluate.break_even.gains.about_unknown",
    "evaluate.break_even.next_money.most_known_usd",
    "evaluate.break_even.next_money.check_known_usd",
    "advise.dram_or_flash.paying_ram.at_an_end",
)
@given(
    low=st.integers(1, 60),
    width=st.integers(0, 60),
    above=st.integers(0, 60),
    old=st.sampled_from((0.0, 0.25)),
    entry=st.sampled_from((0.0, 100.0, 1000.0)),
)
def test_what_is_known_is_found_by_looking_at_every_size(
    low: int, width: int, above: int, old: float, entry: float
) -> None:
    high, base = low + width, low + min(above, width)
    small = Curve.from_lists(
        [low, high] if width else [low],
        [500.0, 400.0] if width else [500.0],
        None,
        accesses=1000,
        distinct_pages=1000,
        page_bytes=4096,
        write_accesses=0,
        given=Given("counters", True, evidence=Evidence("ages", low, high)),
    )
    preset = MetadataPreset("m", "m", entry, None, 0.0, 0, "", "") if entry else None
    gains = FullGains(small, base, PageCosts(10.0, 10.0, 1.0, 1.0), old, preset)

    def is_known(flash: int) -> bool:
        left = base - math.ceil(flash * entry / 4096)  # metadata fill whole pages
        return left >= low - 1e-6 and left + flash * (1 - old) <= high + 1e-6

    # The most of it: with more flash RAM only shrinks, and both together only grow.
    flash = max(each for each in range(400) if is_known(each) or each == 0)
    assert most_flash(gains) == flash
    deltas = [0.1, 0.5, 1.0, 2.0]
    known = [each for each in deltas if base * (1 + each) <= high + 1e-6]
    assert known_steps(small, base, deltas) == known
    sizes = np.arange(1.0, high + 5)
    seen = np.isfinite(only_known(small, sizes, sizes, sizes))
    assert np.array_equal(seen, (sizes >= low) & (sizes <= high))
    dram_usd, flash_usd = Decimal("0.001"), Decimal("0.0003")
    most = most_known_usd(gains, dram_usd, flash_usd)
    assert most == min((high - base) * dram_usd, flash * flash_usd) * 4096
    check_known_usd(gains, most, dram_usd, flash_usd)
    with pytest.raises(BadInput, match="unknown"):
        check_known_usd(gains, most + Decimal("0.1"), dram_usd, flash_usd)
    assert [at_an_end(small, each) for each in range(1, high + 2)] == [
        each in (low, high) for each in range(1, high + 2)
    ]
    assert "what is left out" in about_unknown(small, ["what is left out"]).message
