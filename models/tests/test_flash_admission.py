"""Every flash cache behind an assignment of categories to admissions, against slow models and by what must hold."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import pytest
import test_flash_systems as systems
from command import run
from random_traces import traces
from test_cachesack import COLUMNS

from tierwright._simulator import ParameterError
from tierwright.profile import categories
from tierwright.simulate.replay import Family, Replay, contenders, replay, sweep
from tierwright.simulate.timed import Arrivals, DeviceTimes, replay_timed
from tierwright.trace.reading import Trace, convert

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
TRACES = traces(40)
DEVICE = DeviceTimes(1, 4, 1e-4, 1e-4, 2e-4, 2e-4)
TIMES = {
    "flash_read_us": "90",
    "flash_write_us": "300",
    "disk_read_us": "5000",
    "disk_write_us": "5000",
}
"""By which the chooser weighs the schemes."""
CHECKPOINTS: tuple[dict[str, str], ...] = (
    {},
    {"checkpoint_accesses": "13"},
    {"checkpoint_accesses": "5", "checkpoint_to": "disk"},
    {"checkpoint_us": "2000000"},
)


def assigned(draw: random.Random, assignments: tuple[str, ...]) -> dict[str, str]:
    options = {"assignment": draw.choice(assignments)}
    if draw.random() < 0.5:
        options["lifetime_requests"] = draw.choice(("1", "5", "60"))
    return options


def asked(name: str, own: dict[str, str]) -> dict[str, str]:
    """Ask for an assignment in words, unless the system has an admission of its own that is chosen."""
    return own if "admission" in own else {**own, "admission": "cachesack"}


@pytest.mark.random_traces
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
        model = slow_admission.behind(slow_systems.MODELS[name])(
            {**options, **own}, *sizes
        )
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


CHUNK = 65_536
"""Accesses that are read together."""


@pytest.mark.parametrize("name", ["larc", "ram_filter"])
@pytest.mark.parametrize("before", [0, 1, 4, 7])
def test_a_request_across_the_end_of_a_chunk_has_one_size(
    name: str, before: int, tmp_path: Path
) -> None:
    """Requests of 8 pages behind some of one: of the former, some lie across accesses 65,536 and 131,072."""
    draw = random.Random(before)
    sizes = [1] * before + [8] * (2 * CHUNK // 8 + 1)
    requests = [(draw.randrange(0, 400, 8), pages) for pages in sizes]
    path = tmp_path / "requests.csv"
    rows = (
        f"{at},{'rw'[at % 3 == 0]},{4096 * block},{4096 * pages}\n"
        for at, (block, pages) in enumerate(requests)
    )
    path.write_text("time,op,offset,bytes\n" + "".join(rows))
    trace = Trace(path, format="csv", columns=COLUMNS)
    own = {
        "categories": "size",
        "assignment": "never+0:miss+3:second_miss",
        "lifetime_requests": "30",
    }
    model = slow_admission.behind(slow_systems.MODELS[name])(own, 5, 40)
    ram: OrderedDict[int, None] = OrderedDict()
    misses: Counter[int] = Counter()
    for at, (block, pages) in enumerate(requests):
        model.request_pages = pages
        for page in range(block, block + pages):
            model.access(at, ("0/1", page), write=at % 3 == 0)
            misses[pages.bit_length() - 1] += page not in ram
            ram[page] = None
            ram.move_to_end(page)
            if len(ram) > 5:
                ram.popitem(last=False)
    expected = model.finish()
    found = replay(trace, "flash_cache", name, 5, 40, options=asked(name, own))
    assert {key: found[key] for key in expected} == expected
    counted = categories.measured(trace, 5, kind="size")
    assert {each.number: each.reads for each in counted.categories} == misses


@pytest.mark.random_traces
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
            **draw.choice(CHECKPOINTS),
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
    for key in (
        "flash_hits",
        "pulled",
        "requeued",
        "bypassed",
        "flash_writes_by_checkpoint",
        "disk_writes_by_checkpoint",
    ):
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
    ran, refused = 0, ""
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
            refused = str(error)
            continue
        ran += 1
        crash = found["crash"]
        assert crash["restart"] == restart
        lost = crash["ram_dirty_pages_lost"] + crash["flash_dirty_pages_lost"]
        dirty = found["ram_dirty_evictions"]
        assert found["disk_writes_on_exit"] <= dirty
        assert lost <= crash["ram_pages_lost"] + crash["flash_pages_lost"]
    if not ran:
        assert restart == "warm"
        assert "restart" in refused


def test_stating_an_assignment_asks_for_it(tmp_path: Path) -> None:
    trace = systems.written(systems.trace_of(random.Random(1)), tmp_path / "a.csv")
    stated, asked_too = (
        replay(trace, "flash_cache", "larc", 4, 40, options=options)
        for options in (
            {"assignment": "never"},
            {"assignment": "never", "admission": "cachesack"},
        )
    )
    assert stated == asked_too
    assert stated["options"]["admission"] == "cachesack"
    plain = replay(trace, "flash_cache", "larc", 4, 40)
    assert plain["options"]["admission"] == "all"
    assert "assignment" not in plain["options"]


@pytest.mark.parametrize(
    ("family", "name"),
    [("flash_cache", "larc"), ("flash_cache", "cachesack"), ("scheme", "lazy")],
)
def test_a_category_that_the_trace_lacks_is_named(
    family: Any, name: str, tmp_path: Path
) -> None:
    steps = [(at, (f"1/{at % 2}", at), False) for at in range(40)]
    trace = systems.written(steps, tmp_path / "two.csv")

    def noted(assignment: str) -> list[str]:
        options = {"admission": "cachesack", "assignment": assignment}
        found = replay(trace, family, name, 4, 20, options=options)
        return [
            each["message"]
            for each in found["warnings"]
            if each["name"] == "unknown_category"
        ]

    [said] = noted("miss+1:never+7:second_miss")
    assert "names category 7, and the highest number in the trace is 1" in said
    assert noted("miss+1:never") == noted("never") == []


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


WITH_FLASH: list[tuple[Family, str]] = [
    (family, each["name"])
    for family in ("scheme", "chooser", "flash_cache")
    for each in contenders(family)
    if each["name"] != "none"
]


@pytest.mark.parametrize(("family", "name"), WITH_FLASH)
def test_whatever_has_flash_stands_behind_an_assignment_in_every_replay(
    family: Family, name: str, tmp_path: Path
) -> None:
    trace = systems.written(systems.trace_of(random.Random(7)), tmp_path / "trace.csv")
    never = {"admission": "cachesack", "assignment": "never"}
    if family == "chooser":
        never |= TIMES
    configuration = Replay(family, name, 4, 40, 0, never).configuration()
    found = [
        replay(trace, family, name, 4, 40, options=never),
        *sweep(trace, [configuration])["rows"],
    ]
    if family != "chooser":
        arrivals = Arrivals("clients", clients=3)
        found.append(
            replay_timed(
                trace, name, 4, 40, arrivals=arrivals, flash=DEVICE, disk=DEVICE, options=never
            )
        )  # fmt: skip
    for row in found:
        assert row["flash_writes"] == row["flash_hits"] == 0
        assert row["hdd_reads"] == row["flash_misses"] > 0


HOURLY: list[tuple[Family, str, dict[str, str]]] = [
    *(("scheme", scheme, {}) for scheme in ("inclusive", "inclusive_global", "exclusive", "lazy")),
    ("scheme", "lazy", {"ram_policy": "opt"}),
    ("scheme", "inclusive", {"flash_policy": "opt"}),
    ("scheme", "exclusive", {"block_pages": "2", "block_technique": "invalidating"}),
    ("scheme", "inclusive", {"block_pages": "2", "ram_policy": "opt"}),
    ("flash_cache", "larc", {}),
    ("flash_cache", "larc", {"ram_policy": "opt"}),
    ("flash_cache", "cachesack", {}),
    ("chooser", "online", TIMES),
    ("chooser", "online", {**TIMES, "scope": "relation", "flash_policy": "opt"}),
]  # fmt: skip


@pytest.mark.parametrize(("family", "name", "own"), HOURLY)
def test_hours_are_told_apart_in_stored_traces_and_on_simulated_time(
    family: Family, name: str, own: dict[str, str], tmp_path: Path
) -> None:
    """Each relation has an hour of its own, so an assignment means the same for both."""
    draw = random.Random(f"{name} {own}")
    steps = [
        (at * 18_000_000, (f"1/{at // 200}", draw.randrange(30)), draw.random() < 0.3)
        for at in range(600)
    ]
    trace = systems.written(steps, tmp_path / "trace.csv")
    convert(trace, tmp_path / "trace.tw")
    given = {**own, "assignment": "miss+1:never+2:second_miss"}
    if name != "cachesack":
        given["admission"] = "cachesack"
    by_relation, by_hour = (
        given | {"categories": categories} for categories in ("relation", "hour")
    )
    expected = replay(trace, family, name, 3, 20, options=by_relation)
    counted = {
        key: value for key, value in expected.items() if isinstance(value, (int, float))
    }
    every = replay(trace, family, name, 3, 20, options=given | {"assignment": "miss"})
    assert any(every[key] != count for key, count in counted.items())
    configuration = Replay(family, name, 3, 20, 0, by_hour).configuration()
    for each in (trace, Trace(tmp_path / "trace.tw")):
        found = [
            replay(each, family, name, 3, 20, options=by_hour),
            *sweep(each, [configuration])["rows"],
        ]
        if family != "chooser" and "block_pages" not in own:
            found += [
                replay_timed(
                    each, name, 3, 20, arrivals=arrivals, flash=DEVICE, disk=DEVICE, options=by_hour
                )
                for arrivals in (Arrivals("clients", clients=3), Arrivals("trace"))
            ]  # fmt: skip
        for row in found:
            assert {key: row[key] for key in counted} == counted


FLOWS = [
    *((scheme, 1, "") for scheme in ("inclusive", "inclusive_global", "exclusive", "lazy")),
    ("inclusive", 3, "overwriting"),
    *(
        (scheme, pages, technique)
        for scheme in ("exclusive", "lazy")
        for technique in ("overwriting", "invalidating")
        for pages in (2, 5)
    ),
]  # fmt: skip
"""Schemes behind an assignment: name, pages of a block, technique."""


@pytest.mark.random_traces
@pytest.mark.parametrize(("scheme", "pages", "technique"), FLOWS)
def test_a_scheme_takes_an_assignment_too(
    scheme: str, pages: int, technique: str, tmp_path: Path
) -> None:
    """The slow model raises where an old version would be read, or the newest of a page be nowhere."""
    seen: Counter[str] = Counter()
    for seed in range(2 * TRACES):
        draw = random.Random(f"{scheme} {seed}")
        steps = systems.trace_of(draw)
        own = assigned(draw, ASSIGNMENTS[:3])
        ram = draw.randint(1, 8)
        sizes = (ram, draw.randint(max(8, ram + pages), 40))
        model = slow_admission.Flow(scheme, technique, pages, own, *sizes)
        for _, page, write in steps:
            model.access(page, write=write)
        expected = model.finish()
        trace = systems.written(steps, tmp_path / f"{seed}.csv")
        blocks = {"block_pages": str(pages), "block_technique": technique}
        shape = blocks if pages > 1 else {}
        given = {"admission": "cachesack", **shape, **own}
        found = replay(trace, "scheme", scheme, *sizes, options=given)
        of_blocks = found["blocks"] or {}
        ours = {
            name: found[name] if name in found else of_blocks[name]
            for name in slow_admission.COUNTED[: None if pages > 1 else -3]
        }
        assert ours == {name: expected[name] for name in ours}, (
            f"trace {seed} with {given} over {sizes}"
        )
        plain = replay(trace, "scheme", scheme, *sizes, options=shape)
        every = {"admission": "cachesack", **shape}
        same = replay(trace, "scheme", scheme, *sizes, options=every)
        assert {**same, "admission": "all"} == plain
        nothing = replay(
            trace, "scheme", scheme, *sizes, options={**every, "assignment": "never"}
        )
        alone = replay(trace, "policy", "lru", ram)
        assert nothing["flash_misses"] == nothing["hdd_reads"] == alone["misses"]
        assert nothing["flash_writes"] == nothing["flash_evictions"] == 0
        assert nothing["hdd_writes"] == nothing["ram_dirty_evictions"]
        seen.update(expected)
    of_all = ["flash_hits", "rejections", "dirty_rejections", "flash_evictions"]
    if scheme == "inclusive" and pages > 1:
        of_all += ["ram_back_invalidations", "arrived_under_a_page_in_ram"]
    for key in of_all:
        assert seen[key] > 0, key


@pytest.mark.parametrize("scheme", ["inclusive", "inclusive_global"])
def test_a_page_that_is_not_admitted_passes_an_inclusive_flash_under_every_policy(
    scheme: str, tmp_path: Path
) -> None:
    """RAM does as it does alone; what flash lacks comes from disk, and every page that left RAM was on flash or refused."""
    policies = [each["name"] for each in contenders("policy")]
    for seed, policy in enumerate(2 * policies):
        draw = random.Random(f"{scheme} {seed}")
        steps = systems.trace_of(draw)
        trace = systems.written(steps, tmp_path / f"{seed}.csv")
        ram = draw.randint(1, 6)
        options = {
            "admission": "cachesack",
            "ram_policy": draw.choice(policies),
            "flash_policy": policy,
            **assigned(draw, ASSIGNMENTS),
        }
        # As many pages as RAM: what is not admitted leaves room for others.
        flash = draw.choice((ram, ram + 1, 20))
        found = replay(trace, "scheme", scheme, ram, flash, options=options)
        alone = replay(trace, "policy", options["ram_policy"], ram)
        assert found["flash_hits"] + found["flash_misses"] == alone["misses"]
        assert found["hdd_reads"] == found["flash_misses"] >= found["flash_fills"]
        assert (
            found["ram_evictions"]
            == found["victims_found_on_flash"] + found["rejections"]
        )
        assert (
            found["ram_dirty_evictions"]
            == found["flash_write_backs"] + found["dirty_rejections"]
        )
        assert found["hdd_writes"] >= found["dirty_rejections"]
        assert not found["warnings"] or flash < ram


def test_an_inclusive_flash_as_large_as_ram_serves_where_ram_holds_what_passed_it(
    tmp_path: Path,
) -> None:
    """Without an assignment it mirrors RAM and is never hit, and the replay says so."""
    steps = [
        (at, (relation, block), False)
        for at, (relation, block) in enumerate(
            [("1/1", 0), ("1/2", 0), ("1/2", 1), ("1/1", 0)]
        )
    ]
    trace = systems.written(steps, tmp_path / "trace.csv")
    mirrored = replay(trace, "scheme", "inclusive", 1, 1)
    assert mirrored["flash_hits"] == 0
    [said] = mirrored["warnings"]
    assert "written but never hit" in said["message"]
    options = {"admission": "cachesack", "assignment": "miss+1:never"}
    found = replay(trace, "scheme", "inclusive", 1, 1, options=options)
    assert (found["flash_hits"], found["flash_writes"]) == (1, 1)
    assert not found["warnings"]
    small = replay(trace, "scheme", "inclusive", 2, 1, options=options)
    assert small["flash_writes"] == 0
    [said] = small["warnings"]
    assert "may admit every RAM page" in said["message"]
    assert "counted as RAM alone" in said["message"]


def test_the_chooser_is_the_scheme_that_it_never_leaves_behind_an_assignment_too() -> (
    None
):
    assigned = {"admission": "cachesack", "assignment": "second_miss+0:never"}
    for scheme in ("inclusive", "exclusive", "lazy"):
        stays = {"initial": scheme, "switch_cost_us": "1e12", **TIMES}
        found = replay(
            Trace(FOUND), "chooser", "online", 1000, 8000, options=assigned | stays
        )
        alone = replay(Trace(FOUND), "scheme", scheme, 1000, 8000, options=assigned)
        shared = found.keys() & alone.keys() - {"scheme", "warnings"}
        assert {"admission", "rejections", "directory_updates"} <= shared
        assert {key: found[key] for key in shared} == {
            key: alone[key] for key in shared
        }
        [said] = found["warnings"]
        assert said["name"] == "judged_as_if_all_entered"
        assert (
            f"did not admit {found['rejections']:,} of {found['ram_evictions']:,} RAM victims"
            in said["message"]
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"assignment": "never"}, "has no effect without admission=cachesack"),
        ({"categories": "hour"}, "has no effect without admission=cachesack"),
        ({"lifetime_requests": "5"}, "has no effect without admission=cachesack"),
        ({"admission": "cachesack", "assignment": "nevr"}, "is not one of never"),
        (
            {"admission": "cachesack", "categories": "colour"},
            "is not one of its values",
        ),
    ],
)
def test_a_scheme_refuses_what_is_no_assignment(
    options: dict[str, str], words: str, tmp_path: Path
) -> None:
    trace = systems.written(systems.trace_of(random.Random(1)), tmp_path / "a.csv")
    with pytest.raises(ParameterError, match=words):
        replay(trace, "scheme", "lazy", 4, 40, options=options)


FOUND = Path(__file__).parents[2] / "fixtures" / "traces" / "tpcc-20w-cut.csv.zst"


def test_streams_lower_write_amplification(tmp_path: Path) -> None:
    """The one that is counted beside it is that of a replay with one stream, and two streams copy less."""
    trace = Trace(FOUND)
    options = {"ftl_spare_percent": "28", "ftl_block_pages": "64", "set_pages": "8"}
    one, two = (
        replay(
            trace, "flash_cache", "kangaroo", 1000, 8000,
            options={**options, "streams": streams, "ftl_trim": "true"},
        )["ftl"]
        for streams in ("1", "2")
    )  # fmt: skip
    assert two["waf_one_stream"] == one["waf"]
    assert two["erases_one_stream"] == one["erases"]
    assert "waf_one_stream" not in one
    assert 1 < two["waf"] < 0.9 * one["waf"]
    assert [stream["host_writes"] for stream in one["streams"]] == [two["host_writes"]]
    assert sum(stream["host_writes"] for stream in two["streams"]) == one["host_writes"]
    with pytest.raises(ParameterError, match="has no effect without ftl_spare_percent"):
        replay(trace, "flash_cache", "kangaroo", 10, 100, options={"streams": "2"})
    with pytest.raises(ParameterError, match="no option `streams`"):
        replay(trace, "flash_cache", "face", 10, 100, options={"streams": "2"})


@pytest.mark.parametrize(
    ("flash_pages", "block_pages", "is_dear"),
    [(512, 32, True), (4000, 32, False), (4000, 256, True), (8000, 256, False)],
)
def test_two_streams_that_cost_more_than_they_save_are_a_warning(
    flash_pages: int, block_pages: int, is_dear: bool
) -> None:
    """Each keeps a block open, which is much of the spare space where blocks are few."""
    options = {
        "set_pages": "8",
        "ftl_spare_percent": "28",
        "ftl_block_pages": str(block_pages),
    }

    def found(streams: str) -> dict[str, Any]:
        return replay(
            Trace(FOUND), "flash_cache", "kangaroo", 100, flash_pages,
            options={**options, "streams": streams},
        )  # fmt: skip

    made = found("2")
    ftl = made["ftl"]
    assert (ftl["waf"] > ftl["waf_one_stream"]) == is_dear
    warned = {each["name"]: each for each in made["warnings"]}
    assert ("streams_cost" in warned) == is_dear
    assert "streams_cost" not in {each["name"] for each in found("1")["warnings"]}
    if is_dear:
        blocks = math.ceil(math.ceil(flash_pages * 1.28) / block_pages)
        spare = blocks - math.ceil(flash_pages / block_pages)
        message = warned["streams_cost"]["message"]
        assert f"is {ftl['waf']:.3f}, and {ftl['waf_one_stream']:.3f} with" in message
        assert (
            f"Of its {blocks} erase blocks of {block_pages} pages {spare} are"
            in message
        )


def test_a_stream_that_is_written_in_order_is_never_copied() -> None:
    """Allison and others (EuroSys 2025): apart, the log has a WAF of 1 and needs no spare space, and the sets get all."""
    found = replay(
        Trace(FOUND),
        "flash_cache",
        "kangaroo",
        1000,
        4000,
        options={
            "set_pages": "8",
            "log_percent": "50",
            "partitions": "1",
            "segment_pages": "64",
            "ftl_spare_percent": "7",
            "ftl_block_pages": "32",
            "streams": "2",
        },
    )["ftl"]
    sets, log = found["streams"]
    assert log["host_writes"] > sets["host_writes"] / 2
    assert log["moved"] == 0
    assert sets["moved"] == found["moved"] > 0
    assert 1 < found["waf"] < 0.6 * found["waf_one_stream"]


def test_simulate_takes_a_plan_of_what_to_cache(tmp_path: Path) -> None:
    sizes = ["--ram-pages", "1000", "--flash-pages", "8000"]
    devices = [
        "--flash-device",
        "samsung-pm9a3-7.68tb-u2",
        "--disk-device",
        "toshiba-mg10-20tb",
        "--price-book",
        "street-2026-q3",
    ]
    plan = tmp_path / "plan.json"
    made = run("cachesack", FOUND, *sizes, *devices, "--no-replay", "--json")
    plan.write_text(made.stdout)
    answer = json.loads(made.stdout)

    def simulated(scheme: str, *more: str) -> dict[str, Any]:
        done = run("simulate", FOUND, "--scheme", scheme, *sizes, *more, "--json")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    planned = simulated("larc", "--plan", str(plan))
    assert planned["options"]["assignment"] == answer["chosen"]["assignment"]
    assert planned["options"]["lifetime_requests"] == str(
        round(answer["lifetime_requests"])
    )
    assert planned["flash_writes"] < simulated("larc")["flash_writes"]
    times = [f"--option={name}={value}" for name, value in TIMES.items()]
    chosen = simulated("online", *times, "--plan", str(plan))
    assert chosen["admission"] == "cachesack"
    assert chosen["flash_writes"] < simulated("online", *times)["flash_writes"]
    itself = simulated("cachesack", "--plan", str(plan))
    assert itself["options"]["assignment"] == answer["chosen"]["assignment"]

    lines = tmp_path / "plan.txt"
    first, second = answer["rows"][:2]
    lines.write_text(
        f"# by hand\n*=second_miss\n{first['name']} = never\n{second['number']}=miss\n"
    )
    by_hand = simulated("face", "--plan", str(lines), "--option", "mode=write_through")
    assert by_hand["options"]["assignment"] == (
        f"second_miss+{first['number']}:never+{second['number']}:miss"
    )
    assert by_hand["options"]["admission"] == "mixed"
    for text, words in (
        ("nothing\n", "line 1: `nothing` is not CATEGORY=RULES"),
        ("9/9=never\n", "the trace has no relation `9/9`"),
        ('{"rows": []}', "`chosen` is missing"),
        ('{"chosen": [}', "line 1, column 13: not JSON"),
        ('{"chosen": 3}', "`chosen`: `3` is not an object"),
        ('{"replay": {}, "kind": 7}', "`kind`: `7` is not a text"),
        ('{"kind": "hour", "chosen": {}}', "`chosen.assignment` is missing"),
        *(
            (
                f'{{"kind": "hour", "chosen": {{"assignment": "miss", "lifetime_requests": {value}}}}}',
                f"`chosen.lifetime_requests`: `{shown}` is not a number above 0",
            )
            for value, shown in (
                ("-4", "-4"),
                ('"x"', '"x"'),
                ("NaN", "NaN"),
                ("1e400", "Infinity"),
                ("true", "true"),
            )
        ),
        ('{"advice_id": "a"}', "recommends no assignment"),
        (
            '{"advice_id": "a", "recommendation": 3}',
            "`recommendation`: `3` is not an object",
        ),
        (
            '{"advice_id": "a", "recommendation": {"options": [1]}}',
            "`recommendation.options`: `[1]` is not an object",
        ),
    ):
        lines.write_text(text)
        done = run("simulate", FOUND, "--scheme", "face", *sizes, "--plan", lines)
        assert done.returncode == 2
        assert words in " ".join(done.stderr.split())
        assert "hint: " in done.stderr
