"""Every flash cache behind an assignment of categories to admissions, against slow models and by what must hold."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest
import test_flash_systems as systems

from tierwright._simulator import ParameterError
from tierwright.simulate.replay import contenders, replay

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_admission
import slow_systems

LISTED = {each["name"]: each["options"] for each in contenders("flash_cache")}
ALL = [name for name in LISTED if name != "cachesack"]
"""CacheSack is LRU behind an assignment by itself."""
SLOW = [name for name in systems.CHOICES if name in ALL]
OWN_RULES = ("face", "lazy_cleaning", "ram_filter", "cachelib")
"""Systems with an option `admission` of their own, which an assignment leaves in force."""
ASSIGNMENTS = (
    "second_miss",
    "never+0:second_miss",
    "miss+1:never",
    "never+0:second_miss*0.5*write",
    "second_miss*0.7*never+1:miss*0.3*never",
)
TRACES = 40


def assigned(draw: random.Random, assignments: tuple[str, ...]) -> dict[str, str]:
    options = {"assignment": draw.choice(assignments)}
    if draw.random() < 0.5:
        options["lifetime_requests"] = draw.choice(("1", "5", "60"))
    return options


def asked(name: str, own: dict[str, str]) -> dict[str, str]:
    """Ask for an assignment in words, unless the system has an admission of its own that is chosen."""
    return own if "admission" in own else {**own, "admission": "cachesack"}


@pytest.mark.parametrize("name", SLOW)
def test_what_is_not_admitted_the_slow_model_never_hears_of(
    name: str, tmp_path: Path
) -> None:
    """The slow models raise where an old version would be served, or a write be lost."""
    seen: Counter[str] = Counter()
    for seed in range(TRACES):
        options, steps, sizes = systems.case_of(name, seed)
        draw = random.Random(seed)
        own = assigned(draw, ASSIGNMENTS)
        own["categories"] = draw.choice(("relation", "hour", "size"))
        model = slow_admission.behind(slow_systems.MODELS[name])({**options, **own}, *sizes)
        for time_us, page, write in steps:
            model.access(time_us, page, write=write)
        expected = model.finish()
        trace = systems.written(steps, tmp_path / f"{seed}.csv")
        given = asked(name, {**options, **own})
        found = replay(trace, "flash_cache", name, *sizes, options=given)
        where = f"trace {seed} with {given} over {sizes}"
        assert {key: found[key] for key in expected} == expected, where
        assert own.items() <= found["options"].items()
        seen.update(expected)
    for key in ("flash_hits", "flash_writes", "bypassed", "disk_writes_on_exit"):
        assert seen[key] > 0, key


def test_face_ends_its_batches_at_a_victim_that_is_not_admitted(
    tmp_path: Path,
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(3 * TRACES):
        draw = random.Random(seed)
        steps = systems.trace_of(draw)
        own = assigned(draw, ASSIGNMENTS[:3])
        options = {
            "mode": draw.choice(("write_back", "write_through", "write_around")),
            "replacement": draw.choice(("gsc", "mvfifo")),
            "batch_fill": draw.choice(("full", "once")),
            "admission": draw.choice(("mixed", "dirty_only", "clean_only")),
        }
        sizes = (draw.randint(1, 8), draw.randint(8, 40))
        model = slow_admission.FaceBehind({**options, **own}, *sizes)
        for time_us, page, write in steps:
            model.access(time_us, page, write=write)
        expected = model.finish()
        trace = systems.written(steps, tmp_path / f"{seed}.csv")
        given = {**options, **own}
        found = replay(trace, "flash_cache", "face", *sizes, options=given)
        where = f"trace {seed} with {given} over {sizes}"
        assert {key: found[key] for key in expected} == expected, where
        seen.update(expected)
    for key in ("flash_hits", "pulled", "requeued", "bypassed"):
        assert seen[key] > 0, key


@pytest.mark.parametrize("rule", ["miss", "write"])
@pytest.mark.parametrize("name", ALL)
def test_admitting_every_miss_changes_nothing(
    name: str, rule: str, tmp_path: Path
) -> None:
    for seed in range(6):
        draw = random.Random(f"{name} {seed}")
        steps = systems.trace_of(draw)
        options = systems.case_of(name, seed)[0] if name in systems.CHOICES else {}
        sizes = (draw.randint(1, 8), draw.randint(8, 40))
        if name == "kangaroo":
            options, flash = systems.sized(options, sizes[1])
            sizes = (sizes[0], flash)
        trace = systems.written(steps, tmp_path / f"{seed}.csv")
        plain = replay(trace, "flash_cache", name, *sizes, options=options)
        given = asked(name, {**options, "assignment": rule})
        found = replay(trace, "flash_cache", name, *sizes, options=given)
        changed = {
            key for key in plain if plain[key] != found[key] and key != "options"
        }
        assert not changed, (given, changed)
        same = plain["options"].items() - {("admission", "all")}
        assert same <= found["options"].items()


@pytest.mark.parametrize("name", ALL)
def test_admitting_nothing_never_touches_flash(name: str, tmp_path: Path) -> None:
    steps = systems.trace_of(random.Random(7))
    trace = systems.written(steps, tmp_path / "trace.csv")
    found = replay(
        trace,
        "flash_cache",
        name,
        4,
        40,
        options={"admission": "cachesack", "assignment": "never"},
    )
    alone = replay(trace, "policy", found["options"]["ram_policy"], 4)
    assert found["flash_misses"] == alone["misses"]
    of_flash = {
        key: value
        for key, value in found.items()
        if key.startswith(("flash_", "metadata_", "slots", "old_", "dirty_slots"))
        and key not in ("flash_pages", "flash_misses", "flash_hit_ratio")
    }
    assert not any(of_flash.values()), of_flash
    assert found["hdd_writes"] == found["ram_dirty_evictions"] > 0
    assert found["bypassed"] == found["flash_misses"]


@pytest.mark.parametrize("restart", ["warm", "cold"])
@pytest.mark.parametrize("name", ALL)
def test_a_crash_behind_an_assignment_adds_up(
    name: str, restart: str, tmp_path: Path
) -> None:
    """What the core counts it recounts; of dirty pages those on flash come back, and the report has the others."""
    listed = {option["name"] for option in LISTED[name]}
    ran = 0
    for seed in range(8):
        draw = random.Random(f"{name} {seed}")
        steps = systems.trace_of(draw)
        trace = systems.written(steps, tmp_path / f"{seed}.csv")
        options = {
            "admission": "cachesack",
            "assignment": draw.choice(ASSIGNMENTS),
            "crash_at": str(draw.randint(0, len(steps))),
            "restart": restart,
        }
        if "directory" in listed and restart == "warm":
            options["directory"] = "persistent"
        if name == "kangaroo":
            options["set_pages"] = "2"
        try:
            found = replay(trace, "flash_cache", name, 4, 40, options=options)
        except ParameterError as error:
            assert restart == "warm" and "restart" in str(error)
            continue
        ran += 1
        crash = found["crash"]
        assert crash["restart"] == restart
        lost = crash["ram_dirty_pages_lost"] + crash["flash_dirty_pages_lost"]
        dirty = found["ram_dirty_evictions"]
        assert found["disk_writes_on_exit"] <= dirty
        assert lost <= crash["ram_pages_lost"] + crash["flash_pages_lost"]
    assert ran or restart == "warm"


def test_options_of_an_assignment_need_one(tmp_path: Path) -> None:
    trace = systems.written(systems.trace_of(random.Random(1)), tmp_path / "a.csv")
    for option, value in (("categories", "size"), ("lifetime_requests", "5")):
        with pytest.raises(ParameterError, match="has no effect without assignment"):
            replay(trace, "flash_cache", "larc", 4, 40, options={option: value})
    with pytest.raises(ParameterError, match="no option `lifetime_requests`"):
        replay(
            trace, "flash_cache", "cachesack", 4, 40, options={"lifetime_requests": "5"}
        )
    found = replay(
        trace, "flash_cache", "cachesack", 4, 40, options={"admission": "cachesack"}
    )
    assert found["options"]["assignment"] == "miss"
