"""Replays that are asked for at sizes of production: `simulate`, `sweep` and the pool splits, and what they refuse."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import recordings
from command import answer as printed
from command import run

from tierwright.advise import (
    miniature,
    pool_advisor,
    pool_gain,
    pool_split,
    scale,
    sweep,
)
from tierwright.advise.in_production import BufferInProduction
from tierwright.common.errors import BadInput
from tierwright.evaluate.metadata import preset
from tierwright.evaluate.scale.replays import recorded_sizes
from tierwright.profile import relations
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production, Scaled
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
ACCESSES = 420_000
K = 4
RATE = 80_000.0


@cache
def recording() -> Profile:
    """Its relations by number, as `tierwright profile` finds them."""
    return profile(TPCB).with_relations(relations.measured(TPCB))


@cache
def large(law: str = "stretch", **stated: Any) -> Curve:
    curve = recording().curve
    data = K * curve.distinct_pages * curve.page_bytes
    stays: dict[str, Any] = {"fixed": ("2",)} if law == "relations" else {}
    made = scale.answer(recording(), Production(data, RATE, **stated), law=law, **stays)
    return made.profile.curve


def scaled(curve: Curve) -> Scaled:
    assert curve.scaled is not None
    return curve.scaled


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """Options of a command: the profile, and a production of four times the data."""
    folder = tmp_path_factory.mktemp("production")
    recording().write(folder / "recorded.json")
    asked = folder / "production.toml"
    data = K * recording().curve.distinct_pages * 8192
    asked.write_text(
        f'data = "{data}"\naccesses_per_s = {RATE}\nlaw = "stretch"\n',
        encoding="utf-8",
    )
    return ["--profile", folder / "recorded.json", "--production", asked]


# --- simulate --------------------------------------------------------------------------------------------


def test_simulate_replays_the_recording_at_a_kth_and_gives_rates(
    stated: list[object],
) -> None:
    sizes = ["--ram-pages", 1100 * K, "--flash-pages", 6000 * K]
    found = printed("simulate", TPCB.path, "--scheme", "lazy", *sizes, *stated)
    plain = replay(TPCB, "scheme", "lazy", 1100, 6000, warm_up=ACCESSES // 2)
    at = found["production"]
    assert (at["ram_pages"], at["flash_pages"]) == (4400, 24_000)
    assert at["divided_by"] == K
    for name in ("ram_pages", "flash_pages", "flash_hits", "hdd_writes", "warm_up"):
        assert found[name] == plain[name]
    assert at["per_s"]["hdd_reads"] == pytest.approx(
        plain["hdd_reads"] / plain["accesses"] * RATE
    )
    assert "at sizes divided by 4" in at["sentence"]


def test_simulate_maps_each_size_where_no_single_k_holds(
    stated: list[object], tmp_path: Path
) -> None:
    curve = large("relations")
    assert scaled(curve).size_factor is None
    Profile(curve, None).write(tmp_path / "scaled.json")
    found = printed(
        *("simulate", TPCB.path, "--policy", "fifo", "--pages", 9000),
        *("--profile", tmp_path / "scaled.json", "--warm-up", 0),
    )
    ram, _ = recorded_sizes(scaled(curve), 9000, 0, repeats_ram=False)
    assert ram not in (9000, 9000 // K)
    plain = replay(TPCB, "policy", "fifo", ram)
    assert found["misses"] == plain["misses"]
    assert found["production"]["pages"] == 9000
    assert found["production"]["divided_by"] is None
    assert "“relations”" in found["production"]["sentence"]


def test_simulate_charges_metadata_at_the_size_of_production(
    stated: list[object],
) -> None:
    command = ["simulate", TPCB.path, "--scheme", "lazy", "--flash-metadata", "face"]
    found = printed(*command, "--ram-pages", 8000, "--flash-pages", 48_000, *stated)
    left = sweep.ram_left(
        preset("face"),
        "lazy",
        8000,
        48_000,
        page_bytes=8192,
        distinct_pages=large().data_pages,
    )
    assert left is not None
    assert found["production"]["ram_budget_pages"] == 8000
    assert found["production"]["ram_pages"] == left < 8000
    assert found["ram_pages"] == round(left / K)


def test_the_text_is_of_production_first(stated: list[object]) -> None:
    said = run("simulate", TPCB.path, "--policy", "lru", "--pages", 8000, *stated)
    assert said.returncode == 0
    before, _, after = said.stdout.partition("the replay of the recording:")
    assert "80,000 accesses per second of production" in before
    assert "8,000" in before
    assert "62.5 MiB" in before
    assert "2,000" in after


def test_one_of_several_machines_is_named_so(tmp_path: Path) -> None:
    curve = large(machines=2)
    Profile(curve, None).write(tmp_path / "scaled.json")
    command = ["simulate", TPCB.path, "--policy", "lru", "--pages", 8000]
    said = run(*command, "--profile", tmp_path / "scaled.json")
    assert (
        "40,000 accesses per second of one of 2 machines of production" in said.stdout
    )
    found = printed(*command, "--profile", tmp_path / "scaled.json")
    assert found["pages"] == 4000, "each machine has twice the recorded data"


def test_what_is_refused_says_why_and_what_helps(
    stated: list[object], tmp_path: Path
) -> None:
    def refused(*arguments: object) -> str:
        done = run("simulate", *arguments)
        assert done.returncode == 2, done.stdout
        return done.stderr

    lru = (TPCB.path, "--policy", "lru", "--pages")
    small = refused(*lru, 3999 - K, *stated)
    assert "RAM would have 999 pages, fewer than the 1,000" in small
    assert "hint: record a larger system" in small
    assert run("simulate", *lru, 4000, *stated).returncode == 0
    assert "--production needs the profile" in refused(*lru, 8000, *stated[2:])
    assert "is of the recording itself" in refused(*lru, 8000, *stated[:2])
    other = refused(recordings.TPCC, "--policy", "lru", "--pages", 8000, *stated)
    assert "is not the trace of the profile" in other
    full = refused(
        *(TPCB.path, "--scheme", "lazy", "--ram-pages", 8000),
        *("--flash-pages", K * 22_000, *stated),
    )
    assert "would not fill them" in full


# --- sweep -----------------------------------------------------------------------------------------------


def test_a_sweep_says_of_a_row_that_its_recording_is_too_small(
    stated: list[object],
) -> None:
    asked = ("sweep", TPCB.path, "--policy", "lru", "--pages", "3900,8000")
    done = run(
        *asked,
        "--scheme",
        "lazy",
        "--ram-pages",
        "8000",
        "--flash-pages",
        "32000",
        *stated,
        "--json",
    )
    assert done.returncode == 1
    small, one, two = json.loads(done.stdout)
    assert "would have 975 pages" in small["error"]
    assert small["pages"] == 3900
    assert "misses" not in small
    plain = replay(TPCB, "policy", "lru", 2000, warm_up=ACCESSES // 2)
    assert one["misses"] == plain["misses"]
    assert one["production"]["pages"] == 8000
    assert two["ram_pages"] == 2000
    assert two["production"]["ram_pages"] == 8000
    text = run(*asked, *stated).stdout
    assert "misses per second" in text
    assert "8,000" in text
    none = run("sweep", TPCB.path, "--policy", "lru", "--pages", "3900", *stated)
    assert none.returncode == 2
    assert "would have 975 pages" in none.stderr


def test_a_miniature_of_a_sweep_estimates_the_replay_of_the_recording(
    stated: list[object],
) -> None:
    [row] = printed(
        *("sweep", TPCB.path, "--policy", "lru", "--pages", 16_000),
        *("--miniature", 0.5, "--warm-up", 0, *stated),
    )
    plain = replay(TPCB, "policy", "lru", 4000)
    exact = plain["misses"] / ACCESSES * RATE
    assert row["production"]["per_s"]["misses"] == pytest.approx(exact, rel=0.05)


def test_miniatures_of_python_are_of_production_with_lru_behind_the_same_warm_up() -> (
    None
):
    sizes = [K * 900, K * 4000]
    found = miniature.answer(TPCB, "arc", sizes, sample_rate=0.5, production=large())
    small, row = found.rows
    assert "would have 900 pages" in (small.error or "")
    assert small.in_production is small.lru_hit_ratio is None
    own = miniature.answer(TPCB, "arc", [4000], sample_rate=0.5, warm_up=0.5).rows[0]
    assert (row.pages, own.pages) == (K * 4000, 4000)
    assert (row.misses, row.lru_hit_ratio) == (own.misses, own.lru_hit_ratio)
    lru = replay(TPCB, "policy", "lru", 4000, warm_up=ACCESSES // 2)
    assert row.lru_hit_ratio == pytest.approx(1 - lru["misses"] / lru["accesses"])
    at, ends = row.in_production, row.per_s_interval95
    assert at is not None
    assert row.misses is not None
    assert (at.ram_pages, at.replayed_ram_pages) == (K * 4000, 4000)
    each = RATE / (ACCESSES // 2)
    assert at.per_s["misses"] == pytest.approx(row.misses * each)
    assert ends is not None
    assert row.misses_interval95 is not None
    assert ends["misses"] == pytest.approx(
        [end * each for end in row.misses_interval95]
    )
    assert own.in_production is own.per_s_interval95 is None
    assert "at sizes divided by 4" in found.warnings[0].message
    assert "warm-up" in found.estimator
    assert "16,000 pages" in found.finding
    with pytest.raises(BadInput, match="would have 900 pages"):
        miniature.answer(TPCB, "arc", [K * 900], production=large())


def test_miniatures_scaled_by_one_are_those_of_the_trace() -> None:
    same = scale.answer(
        recording(),
        Production(recording().curve.distinct_pages * 8192, RATE),
        law="stretch",
    ).profile.curve
    found = miniature.answer(
        TPCB, "lru", [4000], warm_up=0, curve=same, production=same
    )
    plain = miniature.answer(TPCB, "lru", [4000], curve=recording().curve)
    [row], [own] = found.rows, plain.rows
    assert row.hit_ratio_interval95 == own.hit_ratio_interval95
    assert row.lru_hit_ratio == pytest.approx(own.lru_hit_ratio)
    assert found.replayed_at is None
    assert found.estimator == plain.estimator == miniature.ESTIMATOR
    assert "replayed_scaled_down" not in {each.name for each in found.warnings}


def test_the_sweep_of_python_has_the_same_rows() -> None:
    found = sweep.answer(
        TPCB,
        ["lru", "exclusive"],
        ram_pages=[1100, 8000],
        flash_pages=[16_000],
        production=large("relations"),
    )
    small, one, _, two = found.rows
    assert small.error is not None
    assert small.io_time_reason == "nothing was replayed"
    assert small.in_production is None
    at = two.in_production
    assert at is not None
    assert (two.ram_pages, two.flash_pages) == (8000, 16_000)
    sizes = recorded_sizes(scaled(large("relations")), 8000, 16_000, repeats_ram=False)
    assert (at.replayed_ram_pages, at.replayed_flash_pages) == sizes
    plain = replay(TPCB, "scheme", "exclusive", *sizes, warm_up=ACCESSES // 2)
    assert two.counters["hdd_reads"] == plain["hdd_reads"]
    assert two.miss_ratio is not None
    assert at.per_s["hdd_reads"] == pytest.approx(two.miss_ratio * RATE)
    assert found.replayed_at is not None
    assert one.warm_up == ACCESSES // 2
    assert found.cautions[0].code == "replayed_scaled_down"
    same = sweep.answer(TPCB, ["lru"], ram_pages=[8000])
    assert same.rows[0].in_production is None
    assert "replayed_scaled_down" not in {each.code for each in same.cautions}


def test_the_sweep_of_python_refuses_what_was_not_scaled() -> None:
    with pytest.raises(BadInput, match="nothing was scaled"):
        sweep.answer(TPCB, ["lru"], ram_pages=[8000], production=recording().curve)
    with pytest.raises(BadInput, match="not the trace of the profile"):
        sweep.answer(
            Trace(recordings.TPCC), ["lru"], ram_pages=[8000], production=large()
        )


# --- pool splits -----------------------------------------------------------------------------------------

BUFFER = 1100


def test_a_pool_split_is_that_of_the_corresponding_buffer(
    stated: list[object],
) -> None:
    found = printed(
        *("pool-split", TPCB.path, "--pages", BUFFER * K, "--asymmetry", 8, *stated)
    )
    plain = pool_split.answer(TPCB, BUFFER, 8.0)
    assert found["recommended_clean_pages"] == plain.recommended_clean_pages
    at = found["production"]
    assert at["pages"] == BUFFER * K
    clean = plain.recommended_clean_pages
    assert clean is not None
    assert at["recommended_clean_pages"] == clean * K
    reads = plain.counters["lru"]["reads"]
    assert at["reads_per_s"]["lru"] == pytest.approx(reads / ACCESSES * RATE)
    sentence = f"{clean * K:,} clean pages and {(BUFFER - clean) * K:,} dirty pages"
    assert sentence in at["sentence"]
    assert found["cautions"][0]["code"] == "replayed_scaled_down"
    assert plain.production_sentence == ""
    assert "production" not in plain.to_dict()


def test_a_clean_pool_of_production_leaves_a_dirty_page() -> None:
    """A split of all pages but one is, at four times, all but four; rounding never leaves a pool empty."""
    found = BufferInProduction(4400, 8192, BUFFER, RATE, None)
    assert found.clean_pages(BUFFER - 1) == 4396
    assert BufferInProduction(3, 8192, BUFFER, RATE, None).clean_pages(1) == 1
    odd = BufferInProduction(3, 8192, BUFFER, RATE, None)
    assert odd.clean_pages(BUFFER - 1) == 2


def test_gains_and_advisor_take_the_same_buffer(stated: list[object]) -> None:
    gains = printed(
        *("pool-gain", TPCB.path, "--pages", BUFFER * K, "--asymmetry", "2,64", *stated)
    )
    plain = pool_gain.answer(TPCB, BUFFER, (2.0, 64.0))
    assert gains["pages"] == BUFFER
    assert gains["best_clean_pages"] == plain.best_clean_pages.tolist()
    assert gains["production"]["best_clean_pages"] == [
        K * clean for clean in plain.best_clean_pages.tolist()
    ]
    assert gains["production"]["best_page_reads_per_s"] == pytest.approx(
        (plain.best_simulated * RATE).tolist()
    )
    advised = pool_advisor.answer(TPCB, BUFFER * K, production=large())
    alone = pool_advisor.answer(TPCB, BUFFER)
    assert advised.totals == alone.totals
    assert advised.production_clean_pages == [
        K * clean for clean in alone.clean_pages.tolist()
    ]
    at = advised.to_dict()["production"]
    low, high = (K * end for end in (min(alone.clean_pages), max(alone.clean_pages)))
    assert f"moves between {low:,} and {high:,} of 4,400 pages" in at["sentence"]
    assert f"({K * alone.static_clean_pages:,} clean pages)" in at["sentence"]
    assert "at sizes divided by 4" in at["replayed_sentence"]
    assert alone.production_sentence == ""
    assert "production" not in alone.to_dict()
    assert at["static_clean_pages"] == K * alone.static_clean_pages
    assert at["page_reads_per_s"]["lru"] == pytest.approx(alone.totals["lru"] * RATE)


def test_a_buffer_too_small_to_be_replayed_is_refused(stated: list[object]) -> None:
    for command, more in (
        ("pool-split", ["--asymmetry", 8]),
        ("pool-gain", []),
        ("pool-advisor", []),
    ):
        done = run(command, TPCB.path, "--pages", K * 999, *more, *stated)
        assert done.returncode == 2
        assert "RAM would have 999 pages" in done.stderr
        other = run(command, recordings.TPCC, "--pages", 8000, *more, *stated)
        assert "is not the trace of the profile" in other.stderr
