"""Admission, blocks, directory and online choice: the replay beside the formulas."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import command
import pytest
import recordings

from tierwright._simulator import ParameterError
from tierwright.evaluate.page_flow import costs, counts
from tierwright.evaluate.page_flow import directory as page_flow_directory
from tierwright.profile import measure
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.trace.reading import Trace

HEADER = "time_us,op,rel,block\n"
TIMES = {
    "flash_read": 100.0,
    "flash_write": 200.0,
    "disk_read": 1000.0,
    "disk_write": 2000.0,
}
DOCS = Path(__file__).parents[2] / "docs"
COSTS = {f"{name}_us": str(time) for name, time in TIMES.items()}
TPCB = Trace(recordings.TPCB)
TPCC = Trace(recordings.TPCC)


Accesses = list[tuple[int, bool]]


def recorded(path: Path, accesses: Accesses) -> Trace:
    """Write accesses to pages of one relation as a trace."""
    lines = [
        f"{time},{'W' if write else 'R'},0/1,{page}\n"
        for time, (page, write) in enumerate(accesses)
    ]
    path.write_text(HEADER + "".join(lines), encoding="ascii")
    return Trace(path)


def priced(found: dict[str, Any]) -> float:
    return float(
        found["flash_reads"] * TIMES["flash_read"]
        + found["flash_writes"] * TIMES["flash_write"]
        + found["hdd_reads"] * TIMES["disk_read"]
        + found["hdd_writes"] * TIMES["disk_write"]
    )


def test_lists() -> None:
    assert [rule["name"] for rule in replay.admissions()] == [
        "all",
        "clean_only",
        "accessed_twice",
        "top_f",
        "read_intensive",
        "cachesack",
    ]
    needing = [rule["name"] for rule in replay.admissions() if rule["needs"]]
    assert needing == ["clean_only", "read_intensive"]
    options = {
        entry["name"]: [option["name"] for option in entry["options"]]
        for entry in replay.contenders("scheme")
    }
    assert options["lazy"] == options["exclusive"]
    assert {"admission", "block_pages", "block_technique"} <= {*options["lazy"]}
    flash_device = ["spare_percent", "block_pages", "gc", "choices", "seed"]
    flash_device += ["buffer_pages", "mapping", "trim"]
    assert options["lazy"][-10:] == [
        *(f"ftl_{each}" for each in flash_device),
        "directory_pages",
        "directory_buffer_pages",
    ]
    assert [entry["name"] for entry in replay.contenders("chooser")] == ["online"]
    page = (DOCS / "models" / "page-flow.md").read_text(encoding="utf-8")
    reference = (DOCS / "reference" / "schemes.md").read_text(encoding="utf-8")
    for rule in replay.admissions():
        assert f"| {rule['name']} |" in page
        assert f"| `{rule['name']}` |" in reference
    for chooser in replay.contenders("chooser"):
        assert f"`--scheme {chooser['name']}`" in page
        for option in chooser["options"]:
            assert f"| `{option['name']}` |" in reference
    assert replay.is_of("chooser", "ONLINE")
    assert not replay.is_of("chooser", "lazy")


# --- directory --------------------------------------------------------------------------


def a_period(number: int) -> Accesses:
    """Twenty accesses for RAM of one page: h_f : m_f = 12 : 8, p_d = 1/4 of both."""
    fresh = iter(range(100 + 8 * number, 108 + 8 * number))
    hot = iter([0, 1] * 6)
    return [
        (next(fresh), place < 5)
        if place % 5 in (1, 3)
        else (next(hot), place in (0, 5, 10))
        for place in range(20)
    ]


@pytest.mark.parametrize(
    ("case", "write_on_eviction"),
    [((0.9, 0.3), False), ((0.9, 0.3), True), ((1.0, 0.3), False), ((1.0, 0.3), True)],
)
def test_directory_operations_priced_by_lookup_and_update_are_the_formulas(
    tmp_path: Path, case: tuple[float, float], write_on_eviction: bool
) -> None:
    """L and U of the vectors kv.directory_LU, times the operations of a warm replay."""
    hit_ratio, dirty = case
    lookup, update = page_flow_directory.directory_access_costs(
        lookup_pages=1,
        update_pages=2,
        hit_ratio=hit_ratio,
        p_d_directory=dirty,
        flash_read=0.1,
        flash_write=0.5,
        write_on_eviction=write_on_eviction,
    )
    traces = [
        recorded(
            tmp_path / f"{periods}.csv",
            [access for number in range(periods) for access in a_period(number)],
        )
        for periods in (10, 60)
    ]
    formula = costs.directory_costs(600, 400, p_d=0.25, lookup=lookup, update=update)
    for scheme in ("inclusive", "exclusive", "lazy"):
        before, after = (
            replay.replay(trace, "scheme", scheme, 1, 20) for trace in traces
        )
        warm = {name: after[name] - before[name] for name in after if name in COUNTED}
        assert (warm["flash_hits"], warm["flash_misses"]) == (600, 400)
        cost = warm["directory_lookups"] * lookup + warm["directory_updates"] * update
        assert cost == pytest.approx(float(getattr(formula, scheme)), rel=1e-12)
        if scheme == "exclusive":
            two = costs.directory_costs(
                600,
                400,
                p_d=0.25,
                lookup=lookup,
                update=update,
                exclusive_hit_updates=2,
            )
            cost += warm["flash_hits"] * update
            assert cost == pytest.approx(float(two.exclusive), rel=1e-12)


COUNTED = ("flash_hits", "flash_misses", "directory_lookups", "directory_updates")


# --- admission --------------------------------------------------------------------------


@pytest.mark.parametrize(("ram_pages", "flash_pages"), [(306, 1836), (1534, 9204)])
def test_the_clean_only_formula_is_near_the_replay(
    ram_pages: int, flash_pages: int
) -> None:
    """C3_clean lets a miss of a cold cache evict too, and takes q for h_f / m_r."""
    options = {"admission": "clean_only"}
    found = replay.replay(
        TPCB, "scheme", "lazy", ram_pages, flash_pages, options=options
    )
    hits, misses = found["flash_hits"], found["flash_misses"]
    formula = costs.clean_only_cost(
        hits, misses, p_d=found["ram_dirty_evictions"] / (hits + misses), **TIMES
    )
    assert 1.0 < float(formula) / priced(found) < 1.02
    assert found["hdd_writes"] == found["dirty_rejections"] == found["rejections"]
    assert found["flash_write_backs"] == 0


def test_admission_is_refused_where_it_makes_no_sense() -> None:
    options = {"admission": "clean_only"}
    with pytest.raises(ParameterError) as raised:
        replay.replay(TPCB, "scheme", "inclusive", 10, 100, options=options)
    assert raised.value.args == (
        "option `admission=clean_only`: scheme `inclusive` does not take it: "
        "what enters flash is decided as it comes from disk, and this rule looks at RAM victims",
        "choose admission=cachesack, or the scheme exclusive or lazy",
    )


# --- blocks -----------------------------------------------------------------------------


def blocks(scheme: str, technique: str, block_pages: int) -> dict[str, Any]:
    options = {"block_pages": str(block_pages), "block_technique": technique}
    return replay.replay(TPCB, "scheme", scheme, 1534, 9204, options=options)


@pytest.mark.parametrize("block_pages", [2, 4])
def test_operations_on_blocks_are_those_of_the_formulas(block_pages: int) -> None:
    """Each term of C1, C2, C3 over blocks, as the page on page flow states it."""
    for technique in ("overwriting", "invalidating"):
        found = blocks("inclusive", technique, block_pages)
        classes = found["blocks"]
        assert classes["hdd_block_reads"] == found["flash_misses"] == found["hdd_reads"]
        assert classes["flash_block_writes"] == found["flash_misses"]
        assert classes["flash_page_writes"] == found["ram_dirty_evictions"]
        assert classes["hdd_block_pages_written"] == block_pages * found["hdd_writes"]
    for scheme, written in (
        ("lazy", "ram_dirty_evictions"),
        ("exclusive", "ram_evictions"),
    ):
        found = blocks(scheme, "overwriting", block_pages)
        classes = found["blocks"]
        assert classes["hdd_page_reads"] == found["flash_misses"]
        assert classes["hdd_block_reads"] == classes["flash_block_writes"]
        assert classes["flash_page_writes"] == found[written]
        assert classes["flash_page_overwrites"] == found[written]
    found = blocks("exclusive", "invalidating", block_pages)
    assert found["flash_writes"] == found["ram_evictions"]
    found = blocks("lazy", "invalidating", block_pages)
    absent = found["ram_evictions"] - found["victims_found_on_flash"]
    assert found["flash_fills"] == absent
    assert found["hdd_reads"] == found["blocks"]["hdd_page_reads"]


def test_block_size_has_the_published_effects() -> None:
    """Figures 12 and 13 of the paper: prefetch helps inclusive, lazy reads the disk twice."""
    for block_pages in (2, 4, 8, 16, 32):
        overwriting = blocks("lazy", "overwriting", block_pages)
        invalidating = blocks("lazy", "invalidating", block_pages)
        assert overwriting["flash_hits"] > invalidating["flash_hits"]
        ratio = overwriting["hdd_reads"] / invalidating["hdd_reads"]
        assert 1.3 < ratio < 2
        inclusive = blocks("inclusive", "overwriting", block_pages)
        assert 1.6 < overwriting["hdd_reads"] / inclusive["hdd_reads"] < 2.1
    lazy = [blocks("lazy", "invalidating", size)["flash_hits"] for size in (2, 8, 32)]
    assert all(smaller > larger for smaller, larger in pairwise(lazy))


# --- online choice ----------------------------------------------------------------------


def online(trace: Trace, ram_pages: int, flash_pages: int, **options: str) -> Any:
    return replay.replay(
        trace, "chooser", "online", ram_pages, flash_pages, options=COSTS | options
    )


@pytest.mark.parametrize("scope", ["global", "relation"])
def test_the_chooser_computes_the_formulas_of_the_models(scope: str) -> None:
    found = online(
        TPCC, 600, 3000, scope=scope, period="20000", lookup_us="3", update_us="5"
    )
    names = {(row["relation"], row["relation_name"]) for row in found["history"]}
    assert len(names) == len(dict(names))
    assert (names == {(None, None)}) == (scope == "global")
    assert all(row["relation_name"] for row in found["history"]) == (scope != "global")
    rows = 0
    for row in found["history"]:
        assert list(row["estimates"]) == ["inclusive", "exclusive", "lazy"]
        for scheme, estimate in row["estimates"].items():
            hits, misses = estimate["flash_hits"], estimate["flash_misses"]
            terms = costs.scheme_cost_terms(
                scheme,
                hits,
                misses,
                p_d=row["p_d"],
                p_d_flash=row["p_d_flash"],
                **TIMES,
            )
            directory = costs.directory_costs(
                hits, misses, p_d=row["p_d"], lookup=3, update=5
            )
            expected = float(terms.total) + float(getattr(directory, scheme))
            assert estimate["cost_us"] == pytest.approx(expected, rel=1e-12, abs=1e-9)
            rows += 1
    assert rows == 3 * len(found["history"]) > 60


def test_the_chooser_finds_the_hits_of_the_models(tmp_path: Path) -> None:
    """One period, flash of fewer pages than the chooser has sizes: its curve is the whole one."""
    accesses = [(number * number % 97 % 60, number % 3 == 0) for number in range(4000)]
    trace = recorded(tmp_path / "trace.csv", accesses)
    curve: Curve = measure.profile(trace).curve
    for ram_pages, flash_pages in ((10, 30), (20, 15), (5, 50)):
        found = online(trace, ram_pages, flash_pages, period="4000")
        (row,) = found["history"]
        assert (row["accesses"], row["ram_misses"]) == (4000, 4000 - found["ram_hits"])
        model = counts.hits_from_curve(curve, ram_pages, flash_pages)
        for scheme, estimate in row["estimates"].items():
            tier = model[scheme]
            assert estimate["effective_flash_pages"] == pytest.approx(
                float(tier.effective_flash_pages), rel=1e-9
            )
            assert estimate["flash_hits"] == pytest.approx(
                float(tier.flash_hits), rel=1e-9, abs=1e-6
            )
        assert ("inclusive" in row["estimates"]) == (flash_pages > ram_pages)


def test_a_chooser_that_cannot_gain_is_its_first_scheme() -> None:
    for scheme in ("inclusive", "exclusive", "lazy"):
        found = online(TPCB, 1534, 9204, initial=scheme, switch_cost_us="1e12")
        plain = replay.replay(TPCB, "scheme", scheme, 1534, 9204)
        shared = found.keys() & plain.keys() - {"scheme", "warnings"}
        assert {key: found[key] for key in shared} == {
            key: plain[key] for key in shared
        }
        assert found["switches"] == 0
        assert sum(row["accesses"] for row in found["history"]) == found["accesses"]


def test_the_chooser_leaves_a_bad_scheme() -> None:
    found = online(TPCB, 1534, 9204, initial="inclusive", period="50000")
    plain = replay.replay(TPCB, "scheme", "inclusive", 1534, 9204)
    assert found["switches"] == 1
    assert priced(found) < priced(plain)


# --- command line -----------------------------------------------------------------------


def test_command_line(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path / "trace.csv", [(number % 24, False) for number in range(2000)]
    )
    sizes = ["--ram-pages", "6", "--flash-pages", "18"]

    def run(*arguments: str) -> str:
        done = command.run("simulate", trace.path, *sizes, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    options = [f"--option={name}={value}" for name, value in COSTS.items()]
    text = run("--scheme", "online", *options, "--option", "period=200")
    assert "choices: 2 of 10 rows" in text
    assert "exclusive [µs/access]" in text
    found = json.loads(
        run("--scheme", "Online", *options, "--option", "period=200", "--json")
    )
    assert [row["chosen"] for row in found["history"][:2]] == ["lazy", "exclusive"]
    text = run("--scheme", "lazy", "--option", "block-pages=3")
    assert "overwriting" in text
    assert "flash block writes" in text
    text = run("--scheme", "lazy", "--option", "admission=accessed-twice")
    assert "accessed_twice" in text
    assert "rejections" in text
