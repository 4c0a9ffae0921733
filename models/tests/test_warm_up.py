"""Warm-ups: the first accesses fill the caches and are not counted, in every door to the core."""

import importlib.util
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from command import run

from tierwright import _simulator
from tierwright.advise import sweep as question
from tierwright.common.errors import BadInput
from tierwright.simulate import replay as simulate_replay
from tierwright.simulate.warm_up import FULL, WarmUp, accesses_of, parse
from tierwright.trace import reading
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCB = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
ACCESSES = 6000
WARM = 2345
TIMES = {
    f"{tier}_{operation}_us": "10" if tier == "flash" else "900"
    for tier in ("flash", "disk")
    for operation in ("read", "write")
}

Access = tuple[int, bool]


def answer(*arguments: object) -> Any:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture(scope="module")
def accesses() -> list[Access]:
    """Hot and cold pages, more of them as time goes on."""
    draw = random.Random(7)
    pages = [int(min(draw.expovariate(0.02), 40 + at / 20)) for at in range(ACCESSES)]
    return [(page, draw.random() < 0.3) for page in pages]


def written(path: Path, accesses: list[Access]) -> Trace:
    rows = [
        f"{at},{'W' if write else 'R'},0/1,{page}\n"
        for at, (page, write) in enumerate(accesses)
    ]
    path.write_text("time_us,op,rel,block\n" + "".join(rows), encoding="ascii")
    return Trace(path)


@pytest.fixture(scope="module")
def traces(
    tmp_path_factory: pytest.TempPathFactory, accesses: list[Access]
) -> tuple[Trace, Trace, Trace]:
    """The raw trace, its canonical form, and its first accesses alone."""
    folder = tmp_path_factory.mktemp("warm-up")
    raw = written(folder / "raw.csv", accesses)
    reading.convert(raw, folder / "trace.twt")
    head = written(folder / "head.csv", accesses[:WARM])
    return raw, Trace(folder / "trace.twt"), head


def golden(name: str) -> ModuleType:
    """Load one of the slow obvious models that the golden rows are made with."""
    folder = ROOT / "fixtures" / "golden"
    spec = importlib.util.spec_from_file_location(
        f"{name}_of_warm_up", folder / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


@pytest.fixture(scope="module")
def slow() -> ModuleType:
    """The slow obvious policies that the golden rows are made with."""
    return golden("slow_policies")


def counted_slowly(
    policy: Any, accesses: list[Access], pages: int, warm_up: int
) -> tuple[int, int, int]:
    """Count misses, evictions and write-backs behind the warm-up, one access at a time."""
    held: set[int] = set()
    dirty: set[int] = set()
    misses = evictions = write_backs = 0
    for at, (page, write) in enumerate(accesses):
        counts = at >= warm_up
        if page in policy:
            policy.hit(page)
        else:
            misses += counts
            if len(held) == pages:
                victim = policy.evict(page, dirty)
                held.remove(victim)
                evictions += counts
                write_backs += counts and victim in dirty
                dirty.discard(victim)
            policy.enter(page)
            held.add(page)
        if write:
            dirty.add(page)
    return misses, evictions, write_backs


@pytest.mark.parametrize("pages", [23, 150])
@pytest.mark.parametrize(
    "policy", ["lru", "2q", "arc", "lirs", "gclock", "sieve", "s3_fifo", "opt"]
)
def test_policies_count_as_slow_models_do(
    traces: tuple[Trace, Trace, Trace],
    accesses: list[Access],
    slow: ModuleType,
    policy: str,
    pages: int,
) -> None:
    model = (
        slow._Opt([page for page, _ in accesses])
        if policy == "opt"
        else slow.WITH_LRU[policy](pages)
    )
    expected = counted_slowly(model, accesses, pages, WARM)
    for trace in traces[:2]:
        found = simulate_replay.replay(trace, "policy", policy, pages, warm_up=WARM)
        counts = (found["misses"], found["evictions"], found["disk_writes"])
        assert counts == expected
        assert (found["warm_up"], found["accesses"]) == (WARM, ACCESSES - WARM)
        assert found["write_accesses"] == sum(write for _, write in accesses[WARM:])
        assert found["distinct_pages"] == len({page for page, _ in accesses})
        assert found["miss_ratio"] == found["misses"] / found["accesses"]


REPLAYS: dict[str, Any] = {
    "lazy": lambda trace, warm_up: simulate_replay.replay(
        trace, "scheme", "lazy", ram_pages=20, flash_pages=80, warm_up=warm_up
    ),
    "blocks": lambda trace, warm_up: simulate_replay.replay(
        trace,
        "scheme",
        "exclusive",
        ram_pages=20,
        flash_pages=80,
        options={"block_pages": "4"},
        warm_up=warm_up,
    ),
    "face": lambda trace, warm_up: simulate_replay.replay(
        trace, "flash_cache", "face", 20, 80, warm_up=warm_up
    ),
    "online": lambda trace, warm_up: simulate_replay.replay(
        trace,
        "chooser",
        "online",
        20,
        80,
        options={**TIMES, "period": "500"},
        warm_up=warm_up,
    ),
    "fd_buffer": lambda trace, warm_up: simulate_replay.replay(
        trace, "buffer", "fd_buffer", 50, options={"window": "500"}, warm_up=warm_up
    ),
}
OF_THE_WHOLE = {
    *("ram_pages", "flash_pages", "pages", "distinct_pages", "page_bytes"),
    *(
        "slots_used",
        "old_versions",
        "dirty_slots",
        "clean_pages",
        "metadata_page_writes",
    ),
    *("block_pages", "flash_blocks"),
}
"""What a warm-up leaves as it is: sizes, and what is there at the end."""


def additive(found: dict[str, Any]) -> dict[str, int]:
    counts = {**found, **(found.get("blocks") or {})}
    return {
        name: value
        for name, value in counts.items()
        if isinstance(value, int) and name not in {*OF_THE_WHOLE, "warm_up"}
    }


@pytest.mark.parametrize("replay", REPLAYS)
def test_other_replays_count_the_whole_without_its_head(
    traces: tuple[Trace, Trace, Trace], replay: str
) -> None:
    raw, canonical, head = traces
    before = additive(REPLAYS[replay](head, 0))
    whole = REPLAYS[replay](canonical, 0)
    expected = {name: value - before[name] for name, value in additive(whole).items()}
    for trace in (raw, canonical):
        found = REPLAYS[replay](trace, WARM)
        assert found["warm_up"] == WARM
        assert additive(found) == expected
        for name in OF_THE_WHOLE - {"metadata_page_writes"}:
            assert found.get(name) == whole.get(name)
        if replay == "face":
            misses = found["flash_hits"] + found["flash_misses"]
            assert found["flash_hit_ratio"] == found["flash_hits"] / misses
            written = found["hdd_writes"] / found["ram_dirty_evictions"]
            assert found["write_reduction"] == pytest.approx(1 - written)


def behind(
    model: Any,
    accesses: list[Access],
    held: Callable[[Any], int],
    pages: int,
    serve: Callable[[Any, int, int, bool], None],
) -> tuple[dict[str, int], int]:
    """Serve every access slowly; what it counts behind the access that fills it, and which that is."""
    before: dict[str, int] = {}
    filled_by = 0
    for at, (page, write) in enumerate(accesses, 1):
        serve(model, at, page, write)
        if not filled_by and held(model) == pages:
            before, filled_by = dict(model.count), at
    assert filled_by > 0
    return {name: model.count[name] - before[name] for name in before}, filled_by


def test_lru_counts_from_the_access_after_the_one_that_fills_it(
    traces: tuple[Trace, Trace, Trace], accesses: list[Access], slow: ModuleType
) -> None:
    pages = 120
    seen = list(dict.fromkeys(page for page, _ in accesses))
    # Nothing leaves before, so the page that fills the cache is the 120th one that is new.
    filled_by = 1 + [page for page, _ in accesses].index(seen[pages - 1])
    expected = counted_slowly(slow.WITH_LRU["lru"](pages), accesses, pages, filled_by)
    for trace in traces[:2]:
        found = simulate_replay.replay(trace, "policy", "lru", pages, warm_up=FULL)
        counts = (found["misses"], found["evictions"], found["disk_writes"])
        assert counts == expected
        assert found["misses"] == found["evictions"]
        assert (found["warm_up"], found["warm_up_until_full"]) == (filled_by, True)
        assert found["accesses"] == ACCESSES - filled_by


@pytest.mark.parametrize("scheme", ["none", "inclusive", "exclusive", "lazy"])
def test_schemes_count_from_the_access_after_the_one_that_fills_flash(
    traces: tuple[Trace, Trace, Trace], accesses: list[Access], scheme: str
) -> None:
    model = golden("page_flow_oracle").SIMULATORS[scheme](20, 80)
    tier, pages = ("ram", 20) if scheme == "none" else ("flash", 80)

    def serve(model: Any, _at: int, page: int, write: bool) -> None:
        model.access(page, is_write=write)

    expected, filled_by = behind(
        model, accesses, lambda model: len(getattr(model, tier)), pages, serve
    )
    found = simulate_replay.replay(traces[1], "scheme", scheme, 20, 80, warm_up=FULL)
    assert {name: found[name] for name in expected} == expected
    assert (found["warm_up"], found["warm_up_until_full"]) == (filled_by, True)


@pytest.mark.parametrize("cache", ["face", "lazy_cleaning"])
def test_flash_caches_count_from_the_access_after_the_one_that_fills_their_frames(
    traces: tuple[Trace, Trace, Trace], accesses: list[Access], cache: str
) -> None:
    model = golden("slow_flash_caches").MODELS[cache]({}, 20, 80)

    def serve(model: Any, at: int, page: int, write: bool) -> None:
        model.access(at - 1, page, write=write)

    def held(model: Any) -> int:
        return len(model.queue if cache == "face" else model.flash)

    expected, filled_by = behind(model, accesses, held, 80, serve)
    found = simulate_replay.replay(
        traces[1], "flash_cache", cache, 20, 80, warm_up=FULL
    )
    at_the_end = {"slots_used", "old_versions", "dirty_slots"}
    compared = expected.keys() & found.keys() - at_the_end
    assert {"flash_hits", "flash_writes", "hdd_writes", "flash_evictions"} <= compared
    assert {name: found[name] for name in compared} == {
        name: expected[name] for name in compared
    }
    assert (found["warm_up"], found["warm_up_until_full"]) == (filled_by, True)


@pytest.mark.parametrize("replay", REPLAYS)
def test_until_full_is_the_warm_up_of_the_accesses_that_it_reports(
    traces: tuple[Trace, Trace, Trace], replay: str
) -> None:
    for trace in traces[:2]:
        found = REPLAYS[replay](trace, FULL)
        given = REPLAYS[replay](trace, found["warm_up"])
        assert found.pop("warm_up_until_full") is True
        assert "warm_up_until_full" not in given
        assert found == given


def test_a_cache_that_the_trace_never_fills_is_named(
    traces: tuple[Trace, Trace, Trace], accesses: list[Access]
) -> None:
    distinct = len({page for page, _ in accesses})
    for trace in traces[:2]:
        with pytest.raises(
            _simulator.ParameterError, match=f"holds {distinct} of its 5000 pages"
        ) as raised:
            simulate_replay.replay(trace, "policy", "lru", 5000, warm_up=FULL)
        assert "50%" in raised.value.args[1]
        with pytest.raises(_simulator.ParameterError, match="flash holds 0 of its 80"):
            simulate_replay.replay(
                trace, "scheme", "exclusive", distinct, 80, warm_up=FULL
            )


@pytest.mark.parametrize(
    ("cache", "options", "meant"),
    [
        ("dm_writecache", {}, "write-back first starts"),
        ("bcache", {}, "a bucket must be emptied for the first time"),
        ("cachelib", {}, "a region must be emptied for the first time"),
        ("kangaroo", {}, "a set must give up an object for the first time"),
        ("flashcache", {}, "each of its sets was full once"),
    ],
)
def test_what_is_full_otherwise_says_when(
    cache: str, options: dict[str, str], meant: str, tmp_path: Path
) -> None:
    def refused(pages: int, flash: int) -> str:
        path = tmp_path / f"{pages}.csv"
        path.write_text(
            "time_us,op,rel,block\n"
            + "".join(f"{at},W,0/1,{at}\n" for at in range(pages))
        )
        with pytest.raises(_simulator.ParameterError) as raised:
            simulate_replay.replay(
                Trace(path),
                "flash_cache",
                cache,
                1,
                flash,
                warm_up=FULL,
                options=options,
            )
        return str(raised.value.args[0])

    never = refused(40, 800)
    assert (
        f"of its 800 pages at the end of the trace and counts as full when {meant}, "
        in never
    )
    assert "which never happens, so no access is counted" in never
    # One access fewer than fill it, and as many.
    least = next(pages for pages in range(2, 99) if "never" not in refused(pages, 32))
    assert "never" in refused(least - 1, 32)
    assert (
        f"when {meant}, which happens only with the last access of the trace, so no "
        "access is left to count"
    ) in refused(least, 32)


def test_each_row_of_a_sweep_warms_up_until_it_is_full(
    traces: tuple[Trace, Trace, Trace],
) -> None:
    found = question.answer(
        traces[1],
        ["lru", "lazy"],
        ram_pages=[20, 5000],
        flash_pages=[80],
        warm_up=FULL,
    )
    assert found.accesses is None
    small, never, flash, also_never = found.rows
    alone = simulate_replay.replay(traces[1], "policy", "lru", 20, warm_up=FULL)
    assert (small.warm_up, small.accesses) == (alone["warm_up"], alone["accesses"])
    assert small.miss_ratio == alone["misses"] / alone["accesses"]
    assert flash.warm_up is not None
    assert small.warm_up is not None
    assert flash.warm_up > small.warm_up
    for row in (never, also_never):
        assert row.error is not None
        assert "never full" in row.error
        assert row.hint is not None
        assert (row.miss_ratio, row.warm_up, row.accesses) == (None, None, None)
    with pytest.raises(_simulator.ParameterError, match="8 samples"):
        simulate_replay.miniatures(
            traces[1], [{"policy": "lru", "pages": 20}], 1.0, warm_up=FULL
        )


def test_the_commands_warm_up_until_full() -> None:
    asked = ("simulate", TPCB, "--scheme", "lazy")
    asked += ("--ram-pages", "1000", "--flash-pages", "6000")
    found = answer(*asked, "--warm-up", "full")
    assert found["flash_evictions"] == found["flash_fills"]
    assert found["warm_up_until_full"] is True
    given = answer(*asked, "--warm-up", found["warm_up"])
    assert {**given, "warm_up_until_full": True} == found
    code, _, err = run(*asked[:-1], "999999", "--warm-up", "full")
    assert code == 2
    assert "of its 999999 pages" in err
    assert "hint:" in err
    code, out, err = run(
        *("sweep", TPCB, "--policy", "lru", "--pages", "500,999999"),
        *("--warm-up", "full", "--json"),
    )
    assert code == 1
    filled, never = json.loads(out)
    assert filled["misses"] == filled["evictions"] > 0
    assert "never full" in never["error"]


def test_without_a_warm_up_nothing_is_said_of_it(
    traces: tuple[Trace, Trace, Trace],
) -> None:
    for replay in REPLAYS.values():
        assert "warm_up" not in replay(traces[1], 0)


def test_a_sweep_and_its_miniatures_warm_up(traces: tuple[Trace, Trace, Trace]) -> None:
    raw, canonical, _ = traces
    configurations = [
        {"policy": "2q", "pages": 60},
        {"scheme": "lazy", "ram_pages": 20, "flash_pages": 80},
    ]
    for trace in (raw, canonical):
        rows = simulate_replay.sweep(trace, configurations, warm_up=WARM)["rows"]
        alone = simulate_replay.replay(trace, "policy", "2q", 60, warm_up=WARM)
        assert rows[0]["misses"] == alone["misses"]
        alone = simulate_replay.replay(trace, "scheme", "lazy", 20, 80, warm_up=WARM)
        assert rows[1]["flash_hits"] == alone["flash_hits"]
        assert {row["warm_up"] for row in rows} == {WARM}
        assert {row["accesses"] for row in rows} == {ACCESSES - WARM}
    small = simulate_replay.miniatures(canonical, configurations[:1], 1.0, warm_up=0.25)
    (row,) = small["rows"]
    assert (row["warm_up"], row["accesses"]) == (ACCESSES // 4, ACCESSES * 3 // 4)


@pytest.mark.parametrize(
    ("warm_up", "accesses"),
    [(0, 0), (1, 1), (1000.0, 1000), (0.5, 3000), (0.9999, 5999), (5999, 5999)],
)
def test_a_warm_up_is_accesses_or_a_share(warm_up: WarmUp, accesses: int) -> None:
    assert accesses_of(warm_up, ACCESSES) == accesses


def test_a_share_of_a_raw_trace_is_counted_first(
    traces: tuple[Trace, Trace, Trace],
) -> None:
    for trace in traces[:2]:
        assert _simulator.count_accesses(trace.path) == ACCESSES
        found = simulate_replay.replay(trace, "scheme", "lazy", 20, 80, warm_up=0.5)
        assert found["warm_up"] == found["accesses"] == ACCESSES // 2


@pytest.mark.parametrize(
    "warm_up", [-1, 1.5, 2**63, float("nan"), float("inf"), True, "all"]
)
def test_what_is_no_warm_up_is_refused(
    traces: tuple[Trace, Trace, Trace], warm_up: WarmUp
) -> None:
    with pytest.raises(BadInput, match="warm-up") as raised:
        simulate_replay.replay(traces[1], "policy", "lru", 10, warm_up=warm_up)
    assert "50%" in raised.value.hint


def test_a_warm_up_that_leaves_nothing_is_refused(
    traces: tuple[Trace, Trace, Trace],
) -> None:
    for trace in traces[:2]:
        for replay in REPLAYS.values():
            with pytest.raises(_simulator.ParameterError, match="6,000 accesses"):
                replay(trace, ACCESSES)
        with pytest.raises(_simulator.ParameterError, match="6,000 accesses"):
            simulate_replay.sweep(trace, [{"policy": "lru", "pages": 3}], warm_up=2**40)
    with pytest.raises(BadInput, match="6,000 accesses"):
        accesses_of(ACCESSES, ACCESSES)
    with pytest.raises(BadInput, match="less than one access"):
        accesses_of(0.0001, ACCESSES)


@pytest.mark.parametrize(
    ("text", "warm_up"),
    [
        ("0", 0),
        ("100", 100),
        ("50%", 0.5),
        ("2.5 %", 0.025),
        ("0%", 0),
        ("full", FULL),
        (" Full", FULL),
    ],
)
def test_the_command_takes_accesses_and_shares(text: str, warm_up: WarmUp) -> None:
    assert parse(text) == warm_up


@pytest.mark.parametrize(
    "text", ["", "x", "100%", "-5", "0.5", "120%", "nan%", "5 GiB"]
)
def test_the_command_refuses_other_warm_ups(text: str) -> None:
    code, _, err = run(
        "simulate", TPCB, "--policy", "lru", "--pages", "9", "--warm-up", text
    )
    assert code != 0
    assert "warm" in err
    assert "50%" in err


def test_the_command_simulate_warms_up() -> None:
    asked = ("simulate", TPCB, "--scheme", "lazy")
    asked += ("--ram-pages", "1000", "--flash-pages", "6000")
    whole = answer(*asked)
    found = answer(*asked, "--warm-up", "50%")
    assert found["warm_up"] == whole["accesses"] // 2
    assert found["accesses"] == whole["accesses"] - found["warm_up"]
    assert found == answer(*asked, "--warm-up", found["warm_up"])
    assert set(found) == {*whole, "warm_up"}
    assert found["ram_hits"] < whole["ram_hits"]
    # Both tiers are full by then: as many pages leave flash as are written to it.
    assert found["flash_evictions"] == found["flash_fills"]
    policy = ("simulate", TPCB, "--policy", "arc", "--pages", "1000")
    warm = answer(*policy, "--warm-up", "30%")
    assert warm["misses"] == warm["evictions"]
    code, _, err = run(*policy, "--warm-up", str(whole["accesses"]))
    assert code == 2
    assert f"{whole['accesses']:,} accesses" in err


def test_the_command_sweep_warms_up() -> None:
    code, out, err = run(
        *("sweep", TPCB, "--policy", "lru", "--pages", "500,1000"),
        *("--warm-up", "50%", "--json"),
    )
    assert code == 0, err
    for row in json.loads(out):
        alone = simulate_replay.replay(
            Trace(TPCB), "policy", "lru", row["pages"], warm_up=0.5
        )
        assert row["misses"] == alone["misses"]
        assert row["warm_up"] == alone["warm_up"]
