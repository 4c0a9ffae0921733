"""Flash caches beside the page-flow schemes of a comparison, of wear and of throughput: only replays know them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from whole_device import of_a_whole_device

from tierwright import _simulator
from tierwright.advise import scale, wear
from tierwright.advise.checks import flash_caches, points
from tierwright.advise.checks import wear as wear_check
from tierwright.advise.checks.checked import Checked
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.metadata import PRESETS
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware import catalog
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production, Scaled
from tierwright.simulate.contenders import works_by_the_clock
from tierwright.simulate.erase_blocks import fitting_block_pages
from tierwright.simulate.priced import price
from tierwright.simulate.replay import Replay, contenders, replay
from tierwright.trace.reading import Trace

TRACE = Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-2x18-18tb")
RAM_PAGES, FLASH_PAGES = 300, 2_000
GIB = 2**30


@cache
def recorded() -> Profile:
    return profile(Trace(TRACE))


@cache
def evaluation() -> Evaluation:
    return evaluate(
        recorded().curve.from_start("steady"),
        ram_pages=RAM_PAGES,
        flash_pages=FLASH_PAGES,
        flash=FLASH,
        disk=DISK,
    )


def beside(*names: str) -> Checked:
    return flash_caches.replayed(
        evaluation(),
        recorded().curve.from_start("steady"),
        Trace(TRACE),
        names,
        flash=FLASH,
        disk=DISK,
    )


def test_a_flash_cache_costs_what_its_replay_alone_costs() -> None:
    found = beside("larc", "face")
    half = recorded().curve.accesses // 2
    for name in ("larc", "face"):
        alone = replay(
            Trace(TRACE), "flash_cache", name, RAM_PAGES, FLASH_PAGES, warm_up=half
        )
        cost = price(alone, flash=FLASH, disk=DISK)
        figures = {row.figure: row for row in found.rows if row.of == name}
        assert figures["I/O time"].simulated == cost.io_time_us_per_access
        assert figures["I/O time"].model is None
        parts = [
            row.simulated or 0.0
            for figure, row in figures.items()
            if figure.startswith("I/O time: ")
        ]
        assert sum(parts) == pytest.approx(cost.io_time_us_per_access)
        written = alone["flash_writes"] + alone["metadata_page_writes"]
        assert figures["flash writes"].simulated == written / alone["accesses"]
        assert figures["flash hits"].simulated == alone["flash_hits"] / half
    # The schemes stand beside them with their model.
    of_schemes = {row.of: row for row in found.rows if row.figure == "I/O time"}
    for name, scheme in evaluation().schemes.items():
        assert of_schemes[name].model == scheme.io_time_us_per_access
    assert "LARC and FaCE" in found.basis
    # 69.6 and 32 bytes a page.
    assert (
        " The directory of LARC takes 136 KiB (5.66 %) of the RAM; that of FaCE takes 62.5 KiB (2.60 %). Their replays each "
        "had all of the RAM. How long flash lasts is not known: "
    ) in found.basis
    share = 32 * FLASH_PAGES / (RAM_PAGES * 8192)
    assert share == pytest.approx(0.026, abs=5e-5)
    assert "So " not in beside().basis
    assert "directory" not in beside().basis


def test_the_ram_of_a_directory_is_said_whatever_is_charged() -> None:
    """What is charged is the preset that was chosen; what the cache itself takes is its own."""
    charged = evaluate(
        recorded().curve.from_start("steady"),
        ram_pages=RAM_PAGES,
        flash_pages=FLASH_PAGES,
        flash=FLASH,
        disk=DISK,
        flash_metadata=PRESETS["flashcache"],
    )
    assert charged.inputs["ram_pages_with_flash"] < RAM_PAGES
    assert flash_caches.taxes_of_evaluation(charged, ["face"]) == (
        "The directory of FaCE takes 62.5 KiB (2.60 %) of the RAM. The replay had what the metadata that are charged leave "
        "of the RAM."
    )
    larger = {"dm_cache": {"block_pages": "64"}}
    assert "takes 800 B (0.0326 %)" in flash_caches.taxes_of_evaluation(
        charged, ["dm_cache"], larger
    )


def counters(disk_reads: int) -> dict[str, Any]:
    """Return a replay of 1,000 accesses that reads the disk so often, and does nothing else."""
    return {
        "accesses": 1_000,
        "page_bytes": 8192,
        "ram_hits": 1_000 - disk_reads,
        "flash_hits": 0,
        "flash_misses": disk_reads,
        "hdd_reads": disk_reads,
        "hdd_writes": 0,
        "flash_reads": 0,
        "flash_writes": 0,
        "disk_batch_reads": 0,
        "disk_batch_writes": 0,
        "flash_random_reads": 0,
        "flash_random_page_writes": 0,
        "metadata_random_page_writes": 0,
        "metadata_page_writes": 0,
        "flash_batch_read_pages": 0,
        "flash_sequential_page_writes": 0,
    }


@pytest.mark.parametrize(
    ("flow", "cache_", "said"),
    [
        (100, 80, r"LARC takes .* 20\.0 % less than the fastest page-flow scheme, "),
        (80, 100, r"takes .* 20\.0 % less than the fastest flash cache, LARC "),
        (1_000, 995, r"are within 1 %: LARC .* and "),
    ],
)
def test_the_sentence_says_which_kind_is_faster(
    flow: int, cache_: int, said: str
) -> None:
    replays: Mapping[str, Any] = {
        **{name: counters(flow) for name in evaluation().schemes},
        "larc": counters(cache_),
    }
    found = flash_caches.check(evaluation(), replays, flash=FLASH, disk=DISK)
    assert re.search(said, found.finding), found.finding


def test_without_flash_or_of_an_unknown_name_nothing_is_replayed() -> None:
    with pytest.raises(BadInput, match=r"`lark` is unknown"):
        beside("lark")
    dry = evaluate(
        recorded().curve.from_start("steady"),
        ram_pages=RAM_PAGES,
        flash_pages=0,
        flash=FLASH,
        disk=DISK,
    )
    with pytest.raises(BadInput, match="no flash to use"):
        flash_caches.evaluation_replays(dry, ["larc"], accesses=1_000)


def test_what_works_by_the_clock_is_not_replayed_for_production() -> None:
    scaled = scale.answer(recorded(), Production(4 * GIB, 2_000.0)).profile.curve.scaled

    def asked(name: str, **options: str) -> dict[str, Replay]:
        return {name: Replay("flash_cache", name, 10_000, 100_000, 0, options)}

    rated = {"admission": "dynamic_random", "target_pages_per_s": "9"}
    for name, options in (
        ("l2arc", {}),
        ("sce", {"accesses_per_second": "50"}),
        ("bcache", {"mode": "write_back"}),
        ("open_cas", {"mode": "write_back"}),
        ("cachelib", rated),
        ("face", {"checkpoint_us": "1000"}),
    ):
        wanted = asked(name, **options)
        refused = rf"`{name}` cannot be replayed for production"
        with pytest.raises(BadInput, match=refused):
            points.recorded_replays(wanted, scaled, page_bytes=8192)
        assert points.recorded_replays(wanted, None, page_bytes=8192)[0] == wanted
    for name, options in (
        ("bcache", {}),
        ("open_cas", {}),
        ("open_cas", {"mode": "write_back", "cleaning": "nop"}),
        ("cachelib", {}),
        ("cachelib", {"admission": "reject_first"}),
        ("dm_cache", {"mode": "pass_through"}),
        ("face", {"checkpoint_accesses": "1000"}),
    ):
        assert points.recorded_replays(asked(name, **options), scaled, page_bytes=8192)[
            0
        ]


def test_what_works_by_the_clock_is_replayed_for_as_much_data_at_another_rate() -> None:
    profiled = recorded()
    rate = profiled.curve.accesses / (profiled.duration_s or 0.0)
    data = profiled.curve.distinct_pages * profiled.curve.page_bytes

    def stands_for(machines: int) -> Scaled:
        made = scale.answer(
            profiled,
            Production(machines * data, 2 * machines * rate, machines=machines),
        )
        assert made.profile.curve.scaled is not None
        return made.profile.curve.scaled

    wanted = {
        name: Replay("flash_cache", name, 300, 2_000, 0) for name in ("l2arc", "larc")
    }
    for machines in (1, 4):
        scaled = stands_for(machines)
        found, sizes = points.recorded_replays(wanted, scaled, page_bytes=8192)
        assert sizes is None
        assert float(found["l2arc"].options["stretch"]) == pytest.approx(0.5)
        assert found["larc"] == wanted["larc"]
    unknown = replace(scaled, recorded_duration_s=None)
    with pytest.raises(BadInput, match="rate of the recording was not kept"):
        points.recorded_replays(wanted, unknown, page_bytes=8192)
    untimed = replace(scaled, recorded_duration_s=0.0)
    found, _ = points.recorded_replays(wanted, untimed, page_bytes=8192)
    assert found["l2arc"].options == {"accesses_per_second": str(round(2 * rate))}


def test_what_works_by_the_clock_by_default_is_what_a_trace_without_time_refuses(
    tmp_path: Path,
) -> None:
    path = tmp_path / "keys.lis"
    path.write_text("".join(f"{at % 50} 1 0 {at}\n" for at in range(400)))
    untimed = Trace(path, format="arc")
    refusing = set()
    names = [row["name"] for row in contenders("flash_cache")]
    for name in names:
        try:
            replay(untimed, "flash_cache", name, 4, 40)
        except _simulator.ParameterError:
            refusing.add(name)
    assert refusing == {name for name in names if works_by_the_clock(name, 40)}
    assert refusing == {"sce", "dm_writecache", "dm_cache", "l2arc"}
    # Production may be larger than any cache that is replayed.
    assert works_by_the_clock("l2arc", 2**40)
    assert not works_by_the_clock("l2arc", 0)


def worn(flash_pages: int = FLASH_PAGES, block_pages: int = 256) -> wear.Wear:
    return wear.answer(
        recorded().curve.from_start("steady"),
        ram_pages=RAM_PAGES,
        flash_pages=flash_pages,
        flash=FLASH,
        disk=DISK,
        accesses_per_s=20_000.0,
        pe_cycles=3_000.0,
        spare_percent=28,
        block_pages=block_pages,
    )


def checked(answer: wear.Wear, *names: str) -> Checked:
    curve = recorded().curve.from_start("steady")
    return wear_check.replayed(answer, curve, Trace(TRACE), flash_caches=names)


def test_two_streams_are_counted_beside_one_and_the_life_is_that_of_one() -> None:
    found = checked(worn(block_pages=20), "kangaroo", "face")
    waf = {
        (row.of, row.figure): row.simulated
        for row in found.rows
        if row.figure.startswith("write amplification")
    }
    plain = replay(
        Trace(TRACE),
        "flash_cache",
        "kangaroo",
        RAM_PAGES,
        FLASH_PAGES,
        options={
            "ftl_spare_percent": "28",
            "ftl_block_pages": "20",
            "ftl_gc": "greedy",
        },
        warm_up=recorded().curve.accesses // 2,
    )
    one = waf["kangaroo", "write amplification"]
    two = waf["kangaroo", "write amplification with two streams"]
    assert one is not None
    assert two is not None
    assert two < one
    device = {"pages": FLASH_PAGES, "block": 20, "spare_percent": 28}
    assert one == pytest.approx(of_a_whole_device(plain["ftl"]["waf"], **device))
    assert ("face", "write amplification with two streams") not in waf
    assert "The life of Kangaroo is that with one stream" in found.basis
    assert "cost more than they save" not in found.basis
    assert "The directory of Kangaroo takes 1.71 KiB (0.0712 %)" in found.basis
    alone = checked(worn(block_pages=20), "face")
    assert "one stream" not in alone.basis


def test_where_no_device_fits_nothing_is_said_of_streams() -> None:
    """As few blocks as such flash has put no device under the replay, which then has no streams either."""
    found = checked(worn(flash_pages=500), "kangaroo")
    assert not [row for row in found.rows if "two streams" in row.figure]
    assert "so no device was put under it" in found.basis


def test_streams_that_cost_more_than_they_save_are_named() -> None:
    """A block that is kept open for each stream is a larger part of little spare space."""
    answer = worn(block_pages=20)
    names = ["kangaroo", "cachelib"]
    options = {
        "cachelib": {"small_by": "relation", "small": "58", "small_percent": "25"}
    }
    wanted = wear_check.flash_cache_replays(
        answer, names, accesses=recorded().curve.accesses, options=options
    )
    counted = {
        name: replay(
            Trace(TRACE), "flash_cache", name, each.ram_pages, each.flash_pages,
            options=each.options, warm_up=each.warm_up,
        )
        for name, each in wanted.items()
    }  # fmt: skip
    schemes = {
        name: replay(
            Trace(TRACE), "scheme", name, RAM_PAGES, 0 if name == "none" else FLASH_PAGES,
            options=wear_check.options_of(answer, name),
        )
        for name in answer.evaluation.schemes
    }  # fmt: skip
    saved = wear_check.check(answer, schemes | counted, options)
    assert "cost more than they save" not in saved.basis
    ftl = counted["kangaroo"]["ftl"]
    dear = {
        **counted["kangaroo"],
        "ftl": {**ftl, "waf": 1.75, "waf_one_stream": 1.5},
    }
    found = wear_check.check(answer, schemes | counted | {"kangaroo": dear}, options)
    assert (
        "two streams can cost more than they save, since each keeps a block open: there Kangaroo has a write amplification "
        "of 1.75 with two and of 1.50 with one."
    ) in found.basis


def test_flash_caches_wear_flash_by_all_that_they_write() -> None:
    answer = worn()
    found = checked(answer, "larc", "lazy_cleaning")
    half = recorded().curve.accesses // 2
    alone = replay(
        Trace(TRACE), "flash_cache", "larc", RAM_PAGES, FLASH_PAGES, warm_up=half
    )
    written = (alone["flash_writes"] + alone["metadata_page_writes"]) / half
    page_bytes = recorded().curve.page_bytes
    rows = {(row.of, row.figure): row for row in found.rows}
    assert rows["larc", "flash writes"].simulated == pytest.approx(
        written * 20_000 * page_bytes * 86_400 / 1e12
    )
    assert rows["larc", "flash writes"].model is None
    least = min(
        ("larc", "lazy_cleaning"),
        key=lambda name: rows[name, "flash writes"].simulated or 0,
    )
    title = {"larc": "LARC", "lazy_cleaning": "Lazy Cleaning (LC)"}[least]
    assert f"Of the flash caches, {title} writes least" in found.finding
    assert "flash cache" not in checked(answer).finding


def test_the_device_hears_of_metadata_and_their_share_is_said() -> None:
    """TAC writes its slot directory page by page; the segments of FaCE are a page for 125 entries."""
    half = recorded().curve.accesses // 2

    def share(name: str) -> float:
        alone = replay(
            Trace(TRACE), "flash_cache", name, RAM_PAGES, FLASH_PAGES, warm_up=half
        )
        metadata = alone["metadata_page_writes"]
        return float(metadata / (alone["flash_writes"] + metadata))

    assert share("tac") > 0.1
    assert 0 < share("face") < 0.03
    assert share("larc") == 0
    shares = (
        f"{percent(share('face'))} under FaCE and {percent(share('tac'))} under TAC"
    )
    said = f"Metadata lie on it beside the flash pages, and are {shares} of its writes."
    assert said in checked(worn(), "face", "tac", "larc").basis
    assert "Metadata" not in checked(worn(), "larc").basis
    # Without a device nothing is amplified.
    assert "Metadata" not in checked(worn(flash_pages=500), "tac").basis


def test_the_verdict_on_the_schemes_is_not_one_on_flash_caches() -> None:
    assert "as the best page-flow scheme; " in checked(worn(), "larc").finding
    assert "as the best choice; " in checked(worn()).finding


def test_a_small_device_has_blocks_that_fit_it() -> None:
    assert fitting_block_pages(256, 256 * 100) == 256
    assert fitting_block_pages(256, 256 * 100 - 1) == 255
    assert fitting_block_pages(256, 8 * 100) == 8
    assert fitting_block_pages(256, 8 * 100 - 1) is None
    assert fitting_block_pages(4, 4 * 100) == 4
    assert fitting_block_pages(4, 4 * 100 - 1) is None


def test_a_replay_on_little_flash_does_not_multiply_its_writes_by_its_smallness() -> (
    None
):
    """Of seven blocks the one that is filled is most of the spare ones: they amplified by 20 where many do by 2.

    Of a hundred, two are still a good part of the spare ones.
    """
    answer = worn()
    rows = {
        row.of: row
        for row in checked(answer).rows
        if row.figure == "write amplification"
    }
    assert answer.budget.spare is not None
    for name in ("exclusive", "lazy"):
        amplified = rows[name].simulated
        assert amplified is not None
        assert 1 <= amplified < 1.5 * answer.budget.spare.waf
    said = checked(answer).basis
    assert "blocks of 20 pages stood for them" in said
    # As many blocks as are meant stand for themselves.
    fits = checked(worn(block_pages=20))
    assert "stood for them" not in fits.basis
    fitting = {row.of: row for row in fits.rows if row.figure == "write amplification"}
    small = replace(answer.budget.spare, block_pages=20)
    ratio = (answer.budget.spare.waf - 1) / (small.waf - 1)
    for name in ("exclusive", "lazy"):
        copies = (fitting[name].simulated or 0.0) - 1
        assert rows[name].simulated == pytest.approx(1 + copies * ratio)


def test_what_appends_amplifies_nothing_on_little_flash_either() -> None:
    """FaCE and dm-writecache write as a log: their pages are overwritten in the order in which they came."""
    answer = worn()
    found = checked(answer, "face", "dm_writecache")
    assert "blocks of 20 pages stood for them" in found.basis
    for row in found.rows:
        if row.of == "face" and row.figure == "write amplification":
            assert row.simulated == pytest.approx(1.0, abs=0.01)
            break
    else:
        pytest.fail("no amplification of FaCE")


def test_what_works_by_the_clock_is_replayed_at_the_load() -> None:
    """What L2ARC feeds in a second counts for other accesses at another load."""

    def rates(names: list[str], options: Any, recorded: float | None) -> Any:
        return flash_caches.at_the_load(
            names,
            options,
            flash_pages=FLASH_PAGES,
            accesses_per_s=100.0,
            recorded_per_s=recorded,
        )

    plain = {"larc": {}, "sce": {"window": "9"}}
    assert rates(["larc", "sce"], plain, 100.5) == plain
    # The rate is given where the trace has no times, unless another one is stated.
    assert rates(["larc", "sce"], plain, None)["sce"]["accesses_per_second"] == "100"
    stated = {"l2arc": {"accesses_per_second": "100"}}
    assert rates(["l2arc"], stated, None) == rates(["l2arc"], stated, 50.0) == stated
    # Else the times are multiplied, unless a factor is stated.
    assert rates(["larc", "sce"], plain, 50.0) == {
        "larc": {},
        "sce": {"stretch": "0.5", "window": "9"},
    }
    stated = {"l2arc": {"stretch": "0.501"}}
    assert rates(["l2arc"], stated, 50.0) == stated
    # Writes at one rate are not the life at another.
    for other, recorded_per_s, at in (
        ({"accesses_per_second": "7"}, None, "7.00"),
        ({"accesses_per_second": "7"}, 50.0, "7.00"),
        ({"stretch": "7"}, 50.0, "7.14"),
    ):
        with pytest.raises(BadInput, match=f"replayed at {at} accesses/s") as raised:
            rates(["l2arc"], {"l2arc": other}, recorded_per_s)
        assert "leave the option out" in raised.value.args[1]
    # With its defaults it does nothing by the clock.
    assert rates(["bcache"], {}, 85_563.0) == {"bcache": {}}
    back = {"bcache": {"mode": "write_back"}}
    assert rates(["bcache"], back, 400.0)["bcache"]["stretch"] == "4.0"


def test_a_life_is_that_of_the_replay_at_its_load() -> None:
    """The answer says by which factor the times were multiplied, and counts what such a replay counts."""
    answer, profiled = worn(), recorded()
    rate = profiled.curve.accesses / (profiled.duration_s or 0.0)
    factor = rate / answer.accesses_per_s

    def found(recorded_per_s: float) -> Checked:
        return wear_check.replayed(
            answer,
            profiled.curve.from_start("steady"),
            Trace(TRACE),
            flash_caches=["larc", "l2arc"],
            recorded_per_s=recorded_per_s,
        )

    def tb_per_day(options: dict[str, str]) -> float:
        counts = replay(
            Trace(TRACE),
            "flash_cache",
            "l2arc",
            RAM_PAGES,
            FLASH_PAGES,
            warm_up=profiled.curve.accesses // 2,
            options=options,
        )
        pages = counts["flash_writes"] + counts["metadata_page_writes"]
        per_access = pages * counts["page_bytes"] / counts["accesses"]
        return float(per_access * answer.accesses_per_s * 86_400 / 1e12)

    def of(checked: Checked) -> float | None:
        return next(
            row.simulated
            for row in checked.rows
            if (row.of, row.figure) == ("l2arc", wear_check.WRITES)
        )

    at_the_load, as_recorded = found(rate), found(answer.accesses_per_s)
    assert of(at_the_load) == pytest.approx(tb_per_day({"stretch": repr(factor)}))
    assert of(as_recorded) == pytest.approx(tb_per_day({}))
    assert of(at_the_load) != of(as_recorded)
    assert (
        f"L2ARC (2026) was replayed with recorded times multiplied by {three_digits(factor)} to run at "
        "20,000 accesses/s."
    ) in at_the_load.basis
    assert "recorded times" not in as_recorded.basis


def test_a_life_stands_with_what_its_replay_says_of_it() -> None:
    """The recording lasts 5.8 s, and ALRU cleans after 120 s without a request for 10 s."""
    options = {"open_cas": {"mode": "write_back"}}
    curve, names = recorded().curve.from_start("steady"), ["open_cas", "larc"]
    compared = flash_caches.replayed(
        evaluation(),
        curve,
        Trace(TRACE),
        names,
        flash=FLASH,
        disk=DISK,
        options=options,
    )
    life = wear_check.replayed(
        worn(), curve, Trace(TRACE), flash_caches=names, cache_options=options
    )
    # *Wear* replays at its load, 171 times as long: then it wakes.
    for found, first in (
        (compared, "Open CAS: ALRU first cleans a cache line after 120 s"),
        (life, "Open CAS: ALRU cleaned nothing: each of its 1 look found a request"),
    ):
        said = found.finding.split("What replays say of what they counted: ")[1]
        assert said.startswith(first)
        assert "LARC" not in said
    # What was decided is said without it.
    assert "ALRU" not in (compared.decided or "")
    assert "What replays say" not in beside("larc").finding


def test_flash_that_is_too_small_for_a_device_says_so() -> None:
    found = checked(worn(flash_pages=500), "larc")
    assert "the flash of the replay is too small to count it" in found.finding
    assert "so no device was put under it" in found.basis
    rows = [row for row in found.rows if row.figure == "write amplification"]
    assert rows
    assert all(row.simulated is None for row in rows)
