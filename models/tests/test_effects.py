"""Cautions say what they could change, by evaluating at their other end."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tierwright.advise import compare
from tierwright.common.cautions import Caution, TraceCaution
from tierwright.evaluate.page_flow import decision, effects, evaluation
from tierwright.evaluate.page_flow.load import about_load
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.profile.curve import Curve, Given
from tierwright.trace.notes import NO_WRITES_IN_FORMAT, ReaderNotes

PAGE = 4096
CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=PAGE,
    write_accesses=200,
)


def device(
    name: str,
    kind: str,
    read: float,
    write: float,
    *,
    page: int = PAGE,
    depth: int | None = 1,
    **more: tuple[float, str],
) -> Device:
    """Make a device whose accesses of a page keep it busy for so many µs."""
    numbers: dict[str, tuple[float, str]] = {
        "read_iops": (1e6 / read, "1/s"),
        "write_iops": (1e6 / write, "1/s"),
        "page_bytes": (page, "B"),
        **({} if depth is None else {"queue_depth": (depth, "1")}),
        **more,
    }
    figures: dict[str, Any] = {
        key: {"value": value, "unit": unit, "source": "test"}
        for key, (value, unit) in numbers.items()
    }
    return device_from_mapping(
        {"id": name, "name": name, "kind": kind, "figures": figures}
    )


FLASH = device("flash", "nvme", 100, 10)
DISK = device("disk", "hdd", 1000, 2000)


def evaluated(
    curve: Curve = CURVE,
    flash: Device = FLASH,
    disk: Device = DISK,
    *,
    ram: int = 100,
    pages: int = 200,
) -> Evaluation:
    return evaluation.evaluate(
        curve, ram_pages=ram, flash_pages=pages, flash=flash, disk=disk
    )


def said(
    name: str,
    *,
    about: tuple[str, ...] = (),
    kind: type[Caution] = Caution,
    curve: Curve = CURVE,
    flash: Device = FLASH,
    disk: Device = DISK,
    best: str = "exclusive",
    **sizes: int,
) -> Caution:
    """Judge one caution of an evaluation."""
    found = evaluated(curve, flash, disk, **sizes)
    assert found.best == best
    asked = replace(found, warnings=(kind(name, "x", "", about=about),))
    return effects.judged(asked, curve, flash, disk).warnings[0]


def loss_of(chosen: str, found: Evaluation) -> float:
    costs = decision.deciding_costs(found)
    return costs[chosen] / min(costs.values()) - 1


def change_of(now: Evaluation, then: Evaluation) -> float:
    """By how much the time of what is chosen now differs then."""
    one, other = map(decision.deciding_costs, (now, then))
    return other[now.best] / one[now.best] - 1


def per_cent(change: float) -> str:
    return f"{change:+.{0 if abs(change) >= 9.5 else 1}f} %"


def test_a_bound_that_flips_the_winner_names_the_other() -> None:
    # Rated at 16 bytes: a read may take as long as 256 of them.
    flash = device("flash", "nvme", 100, 0.01, page=16)
    flips = said("device_page_differs", about=("flash",), flash=flash, best="exclusive")
    assert evaluated(flash=flash).inputs["flash_write_us"] == pytest.approx(2.56)
    assert flips.could_change_choice is True
    slow_read = device("slow", "nvme", 25_600, 0.01)
    slow = evaluated(flash=slow_read)
    assert slow.best != "exclusive"
    assert f"`{slow.best}` would be best" in flips.effect
    assert "a flash read takes 25.6 ms" in flips.effect
    assert (
        f"`exclusive` {100 * loss_of('exclusive', slow):,.0f} % worse" in flips.effect
    )


def test_a_bound_that_flips_nothing_says_how_much_it_changes() -> None:
    flash = device("flash", "nvme", 50, 10, page=2048)
    calm = said("device_page_differs", about=("flash",), flash=flash)
    now = evaluated(flash=flash)
    slowest = evaluated(flash=device("slow", "nvme", 100, 20))
    assert calm.could_change_choice is False
    assert f"+{100 * change_of(now, slowest):.1f} % I/O time" in calm.effect
    assert calm.effect.endswith("same scheme")


def test_the_bound_of_another_tier_is_not_this_ones() -> None:
    flash = device("flash", "nvme", 100, 0.01, page=16)
    other = said("device_page_differs", about=("disk",), flash=flash)
    # The disk states its times at this page, so it has no other end.
    assert other.could_change_choice is None
    both = said("device_page_differs", about=("flash", "disk"), flash=flash)
    assert both.could_change_choice is True


@pytest.mark.parametrize(("latency", "flips"), [(120.0, False), (30_000.0, True)])
def test_rates_of_unknown_depth_are_compared_with_single_requests(
    latency: float, flips: bool
) -> None:
    stated = {"read_latency_us": (latency, "µs"), "write_latency_us": (latency, "µs")}
    flash = device("flash", "nvme", 100, 10, depth=None, **stated)
    found = said("queue_depth_unknown", about=("flash",), flash=flash)
    alone = evaluated(flash=device("alone", "nvme", latency, latency))
    assert found.could_change_choice is flips
    assert (alone.best != "exclusive") is flips
    assert found.effect.startswith("if each request is served alone (flash read ")
    change = change_of(evaluated(flash=flash), alone)
    assert (
        "would be best" if flips else f"+{100 * change:.0f} % I/O time"
    ) in found.effect


def test_without_a_latency_nothing_is_known_of_single_requests() -> None:
    flash = device("flash", "nvme", 100, 10, depth=None)
    found = said("queue_depth_unknown", about=("flash",), flash=flash)
    assert found.could_change_choice is None
    assert found.effect == "not computable: the latency of one request is not stated"


@pytest.mark.parametrize(("mb_per_s", "flips"), [(100.0, False), (1e6, True)])
def test_a_latency_is_compared_with_what_the_sequential_rate_allows(
    mb_per_s: float, flips: bool
) -> None:
    figures = {
        "read_latency_us": {"value": 2500, "unit": "µs", "source": "test"},
        "write_latency_us": {"value": 2500, "unit": "µs", "source": "test"},
        "page_bytes": {"value": PAGE, "unit": "B", "source": "test"},
        **{
            f"sequential_{each}_mb_per_s": {
                "value": mb_per_s if flips else 4096 / 2400,
                "unit": "MB/s",
                "source": "test",
            }
            for each in ("read", "write")
        },
    }
    flash = device_from_mapping(
        {"id": "flash", "name": "flash", "kind": "nvme", "figures": figures}
    )
    found = said("latency_as_service_time", flash=flash, best="none")
    fast = 4096 / mb_per_s if flips else 2400.0
    at_rate = evaluated(flash=device("rate", "nvme", fast, fast))
    assert (at_rate.best != "none") is flips
    assert found.could_change_choice is flips
    bare = device_from_mapping(
        {
            "id": "flash",
            "name": "flash",
            "kind": "nvme",
            "figures": {k: v for k, v in figures.items() if "sequential" not in k},
        }
    )
    unknown = said("latency_as_service_time", flash=bare, best="none")
    assert unknown.could_change_choice is None
    assert "side by side is not stated" in unknown.effect
    # Of one operation alone it bounds nothing, either.
    half = {k: v for k, v in figures.items() if k != "sequential_write_mb_per_s"}
    partly = device_from_mapping(
        {"id": "flash", "name": "flash", "kind": "nvme", "figures": half}
    )
    assert said("latency_as_service_time", flash=partly, best="none") == unknown


def test_a_hard_disk_serves_nothing_side_by_side() -> None:
    figures = {
        f"{each}_latency_us": {"value": 9000, "unit": "µs", "source": "test"}
        for each in ("read", "write")
    }
    rates = {
        f"sequential_{each}_mb_per_s": {"value": 200, "unit": "MB/s", "source": "test"}
        for each in ("read", "write")
    }
    disk = device_from_mapping(
        {"id": "disk", "name": "disk", "kind": "hdd", "figures": {**figures, **rates}}
    )
    names = {each.name for each in evaluated(disk=disk).warnings}
    assert "latency_as_service_time" not in names


@pytest.mark.parametrize(("capacity", "flips"), [(110, False), (2, True)])
def test_a_tier_beyond_one_device_is_compared_with_several(
    capacity: int, flips: bool
) -> None:
    # 200 pages on devices of so many: 2 or 100 of them serve side by side.
    flash = device("flash", "nvme", 4000, 4000, capacity=(capacity * PAGE, "B"))
    found = said("beyond_capacity", about=("flash",), flash=flash, best="none")
    count = -(-200 // capacity)
    spread = evaluated(flash=device("many", "nvme", 4000 / count, 4000 / count))
    assert (spread.best != "none") is flips
    assert found.could_change_choice is flips
    if flips:
        assert f"`none` {100 * loss_of('none', spread):,.0f} % worse" in found.effect


THIN = Curve.from_lists(
    [100, 300, 400],
    [400, 250, 200],
    [80, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=PAGE,
    write_accesses=200,
)


@pytest.mark.parametrize(
    ("flash", "best", "flips"),
    [
        (FLASH, "exclusive", False),
        (device("slow", "nvme", 600, 300), "none", True),
    ],
)
def test_interpolated_counts_are_compared_with_those_of_their_neighbours(
    flash: Device, best: str, flips: bool
) -> None:
    # 200 pages lie between 100 and 300: 400 misses there, 250 here, 325 by the line.
    found = said("interpolated", curve=THIN, flash=flash, pages=100, best=best)
    now = evaluated(THIN, flash, pages=100)
    few, many = (
        evaluated(
            replace(
                CURVE,
                misses_at=np.array([400.0, misses, 250.0, 200.0]),
                write_backs_at=np.array([80.0, dirty, 15.0, 0.0]),
            ),
            flash,
            pages=100,
        )
        for misses, dirty in ((250.0, 47.5 / 325 * 250), (400.0, 47.5 / 325 * 400))
    )
    assert (few.best != best or many.best != best) is flips
    assert found.could_change_choice is flips
    if flips:
        assert f"`{few.best}` would be best" in found.effect
        assert f"`none` {100 * loss_of('none', few):.1f} % worse" in found.effect
    else:
        for end, word in ((few, "larger"), (many, "smaller")):
            change = f"{100 * change_of(now, end):+.0f} % I/O time"
            assert f"next {word} listed sizes: {change}" in found.effect


@pytest.mark.parametrize("start", ["cold", "steady"])
@pytest.mark.parametrize(
    ("times", "flips"), [((100.0, 10.0), False), ((500.0, 600.0), True)]
)
def test_a_sample_is_compared_with_the_ends_of_its_intervals(
    times: tuple[float, float], flips: bool, start: str
) -> None:
    low, high = (
        CURVE.misses_at * [1, 0.8, 0.5, 0.4],
        CURVE.misses_at * [1, 1.2, 1.2, 1.2],
    )
    sampled = replace(CURVE, sample_rate=0.1, interval=(low, high)).from_start(start)
    flash = device("flash", "nvme", *times)
    best = evaluated(sampled, flash).best
    found = said("sampled_curve", curve=sampled, flash=flash, best=best)
    ends = [
        evaluated(
            replace(
                CURVE,
                misses_at=misses,
                write_backs_at=np.minimum.accumulate(
                    CURVE.write_backs_at / CURVE.misses_at * misses
                ),
            ).from_start(start),
            flash,
        )
        for misses in (low, high)
    ]
    losses = [loss_of(best, end) for end in ends]
    assert found.could_change_choice is (max(losses) > 0.01)
    if start == "cold":
        assert found.could_change_choice is flips
    changes = [100 * change_of(evaluated(sampled, flash), end) for end in ends]
    for which, loss, change in zip(("lower", "upper"), losses, changes, strict=True):
        if (loss == max(losses) or not flips) and abs(change) >= 0.5:
            text = f"the {which} end of their 95 % intervals: {per_cent(change)}"
            assert f"{text} I/O time" in found.effect
    unknown = said("sampled_curve", curve=CURVE)
    assert unknown.could_change_choice is None


@pytest.mark.parametrize(
    ("times", "flips"), [((100.0, 10.0), False), ((900.0, 1500.0), True)]
)
def test_sizes_beyond_a_given_curve_are_compared_with_no_misses(
    times: tuple[float, float], flips: bool
) -> None:
    early = replace(CURVE, distinct_pages=800)
    flash = device("flash", "nvme", *times)
    best = evaluated(early, flash, pages=500).best
    found = said("beyond_the_curve", curve=early, flash=flash, pages=500, best=best)
    whole = replace(
        early,
        pages=np.append(CURVE.pages, [500, 600]),
        misses_at=np.append(CURVE.misses_at, [0.0, 0.0]),
        write_backs_at=np.append(CURVE.write_backs_at, [0.0, 0.0]),
    )
    there = evaluated(whole, flash, pages=500)
    assert found.could_change_choice is flips
    assert (loss_of(best, there) > 0.01) is flips
    change = 100 * change_of(evaluated(early, flash, pages=500), there)
    text = "no change of I/O time, `lazy` would be" if flips else f"{change:+.0f} % I/O"
    assert f"if nothing misses in caches beyond the curve: {text}" in found.effect


@pytest.mark.parametrize(
    ("times", "flips"), [((900.0, 50.0), False), ((500.0, 600.0), True)]
)
def test_an_uncertain_steady_state_is_compared_with_both_its_ends(
    times: tuple[float, float], flips: bool
) -> None:
    steady = CURVE.steady()
    assert bool(steady.uncertain(300))
    flash = device("flash", "nvme", *times)
    found = said("steady_state_uncertain", curve=steady, flash=flash)
    low, high = steady.misses_band(np.array([100.0, 300.0]))
    assert low[1] < float(steady.misses(300)) < high[1]
    assert found.could_change_choice is flips
    assert "if every first touch misses there: +" in found.effect
    assert ("if no first touch misses there: -" in found.effect) is not flips


@pytest.mark.parametrize(("write", "flips"), [(10.0, False), (3000.0, True)])
def test_unknown_writes_are_compared_with_every_access_writing(
    write: float, flips: bool
) -> None:
    blind = replace(CURVE, write_backs_at=CURVE.misses_at * 0, write_accesses=0)
    disk = device("disk", "hdd", 8000, 100)
    flash = device("flash", "nvme", 100, write)
    best = evaluated(blind, flash, disk).best
    found = said(NO_WRITES_IN_FORMAT, curve=blind, flash=flash, disk=disk, best=best)
    dirty = replace(CURVE, write_backs_at=CURVE.misses_at, write_accesses=1000)
    there = evaluated(dirty, flash, disk)
    assert (loss_of(best, there) > 0.01) is flips
    assert found.could_change_choice is flips
    assert "if every access writes: " in found.effect


@pytest.mark.parametrize(("write", "flips"), [(10.0, False), (200.0, True)])
def test_skipped_records_are_compared_with_misses_and_with_hits(
    write: float, flips: bool
) -> None:
    skipped = 2000
    flash = device("flash", "nvme", 100, write)
    curve = CURVE.with_notes(ReaderNotes(skipped_records=skipped))
    found = said("bad_records_skipped", kind=TraceCaution, curve=curve, flash=flash)
    hits = replace(CURVE, accesses=1000 + skipped)
    missed = replace(hits, misses_at=CURVE.misses_at + skipped)
    now, fewer, more = (evaluated(each, flash) for each in (CURVE, hits, missed))
    assert (loss_of("exclusive", more) > 0.01) is flips
    assert found.could_change_choice is flips
    change = per_cent(100 * change_of(now, more))
    assert f"are misses of RAM and flash: {change} I/O time" in found.effect
    change = per_cent(100 * change_of(now, fewer))
    assert (f"are hits of RAM: {change} I/O time" in found.effect) is not flips


@pytest.mark.parametrize(("write", "flips"), [(10.0, False), (200.0, True)])
def test_a_stated_dirty_share_is_compared_with_none_and_with_the_most(
    write: float, flips: bool
) -> None:
    given = replace(
        CURVE, write_backs_at=None, write_accesses=0, given=Given("lists", True)
    )
    stated = given.with_dirty_share(0.3)
    flash = device("flash", "nvme", 100, write)
    found = said("dirty_share_stated", curve=stated, flash=flash)
    ends = [evaluated(given.with_dirty_share(share), flash) for share in (0.0, 1.0)]
    assert any(loss_of("exclusive", end) > 0.01 for end in ends) is flips
    assert found.could_change_choice is flips
    change = per_cent(100 * change_of(evaluated(stated, flash), ends[0]))
    assert f"if no evicted page is dirty: {change} I/O time" in found.effect


@pytest.mark.parametrize("write", [10.0, 200.0])
def test_an_unknown_dirty_share_says_what_the_range_says(write: float) -> None:
    given = replace(
        CURVE, write_backs_at=None, write_accesses=0, given=Given("lists", True)
    )
    answer = compare.answer(
        given,
        ram_pages=100,
        flash_pages=200,
        flash=device("flash", "nvme", 100, write),
        disk=DISK,
    )
    [unknown] = [c for c in answer.cautions if c.code == "dirty_share_unknown"]
    assert answer.range is not None
    least = decision.deciding_costs(answer.range.least)
    lost = least[answer.evaluation.best] / min(least.values()) > 1.01
    assert unknown.could_change_choice is lost
    assert (write == 200.0) is lost


@pytest.mark.parametrize(
    ("times", "pages", "flips"),
    [((100.0, 10.0), 200, False), ((100.0, 300.0), 300, True)],
)
def test_what_a_cold_start_is_charged_is_compared_with_nothing(
    times: tuple[float, float], pages: int, flips: bool
) -> None:
    flash = device("flash", "nvme", *times)
    now = evaluated(flash=flash, pages=pages)
    found = said("warm_up_inside", flash=flash, best=now.best, pages=pages)
    without = {
        name: each.io_time_us_per_access - each.warm_up_us_per_access
        for name, each in now.schemes.items()
    }
    assert (without[now.best] > 1.01 * min(without.values())) is flips
    assert found.could_change_choice is flips
    now_us = now.schemes[now.best].io_time_us_per_access
    change = per_cent(100 * (without[now.best] / now_us - 1))
    assert f"if no miss filled an empty frame: {change} I/O time" in found.effect


@pytest.mark.parametrize(("off", "flips"), [(0.1, False), (0.9, True)])
def test_the_writes_of_lazy_are_compared_with_their_estimate(
    off: float, flips: bool
) -> None:
    steady = replace(CURVE, given=Given("lists", True, dirty_share=0.1))
    flash = device("flash", "nvme", 100, 100)
    now = evaluated(steady, flash)
    assert (now.best, now.schemes["lazy"].warm_up_us_per_access) == ("exclusive", 0)
    lazy = replace(
        now.schemes["lazy"],
        flash_writes_counted=(1 - off) * now.schemes["lazy"].flash_writes,
    )
    asked = replace(
        now,
        schemes={**now.schemes, "lazy": lazy},
        warnings=(Caution("lazy_writes_by_formula", "x", ""),),
    )
    [found] = effects.judged(asked, steady, flash, DISK).warnings
    spared = off * lazy.flash_writes * 100 / steady.accesses
    there = lazy.io_time_us_per_access - spared
    best = now.schemes["exclusive"].io_time_us_per_access
    assert (best > 1.01 * there) is flips
    assert found.could_change_choice is flips
    assert ("`lazy` would be best" in found.effect) is flips


def test_what_a_trace_has_not_recorded_cannot_be_computed() -> None:
    found = said("below_page_cache", kind=TraceCaution)
    assert found.could_change_choice is None
    assert found.effect.startswith("not computable from this trace")


@pytest.mark.parametrize("name", ["price_of_kind", "all_pages_fit_in_ram"])
def test_money_and_what_is_common_change_no_choice(name: str) -> None:
    assert said(name).could_change_choice is False
    assert said(name).effect == "no effect on I/O time"


def test_what_cannot_be_computed_is_left_open() -> None:
    assert said("something_about_the_trace").could_change_choice is None


def test_what_a_replay_settled_changes_nothing() -> None:
    assert said("sampled_curve").could_change_choice is None
    asked = replace(
        evaluated(), decided_by="replay", warnings=(Caution("sampled_curve", "x", ""),)
    )
    judged = effects.judged(asked, CURVE, FLASH, DISK)
    assert judged.warnings[0].could_change_choice is False


def test_a_lead_within_the_error_is_lost_at_its_other_end() -> None:
    found = evaluated()
    off = {
        name: replace(result, io_time_error_us_per_access=result.io_time_us_per_access)
        for name, result in found.schemes.items()
    }
    asked = replace(
        found,
        schemes=off,
        warnings=(Caution("lead_within_model_error", "x", ""),),
    )
    judged = effects.judged(asked, CURVE, FLASH, DISK).warnings[0]
    assert judged.could_change_choice is True
    assert judged.effect.startswith("if the model is off by its known error")


@pytest.mark.parametrize(("seconds", "carried"), [(0.3, True), (0.01, False)])
def test_a_load_beyond_the_devices_names_who_carries_it(
    seconds: float, carried: bool
) -> None:
    found = replace(evaluated(), best="none")
    [caution] = about_load(found, CURVE, CURVE.accesses * seconds / 1000)
    weigh = effects.weigher(found, CURVE, FLASH, DISK)
    # Either the scheme or the sizes have to be others.
    assert caution.could_change_choice is True
    assert weigh(caution).text == caution.effect
    assert ("carries it" in caution.effect) is carried
    assert ("other sizes or devices" in caution.effect) is not carried


def test_operations_priced_are_the_costs() -> None:
    found = evaluated()
    counts = effects.operations(CURVE, found.inputs)
    again = effects.costs_at(found, {})
    for name, cost in decision.deciding_costs(found).items():
        assert again[name] == pytest.approx(cost)
        assert effects.time_of(counts[name], FLASH, DISK, PAGE) == pytest.approx(cost)
