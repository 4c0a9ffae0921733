"""Pages of the models: worked numbers run, exported names are on their page."""

import csv
import doctest
import importlib
import io
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard

from tierwright.advise.advice import _staircase
from tierwright.cli.options import candidates_of
from tierwright.common.wording import listed
from tierwright.evaluate import metadata
from tierwright.evaluate.advice import tiers
from tierwright.evaluate.advice.limits import CONSTRAINTS

PAGES = Path(__file__).resolve().parents[2] / "docs" / "models"


@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("break-even.md", 25),
        ("compose.md", 12),
        ("endurance.md", 10),
        ("ftl.md", 40),
        ("metadata.md", 8),
        ("papers.md", 24),
        ("placement.md", 6),
        ("recovery.md", 10),
        ("response.md", 11),
        ("sce.md", 10),
        ("steady-state.md", 9),
        ("economics.md", 12),
    ],
)
def test_worked_numbers(
    page: str, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PAGES.parents[1])  # pages name the shipped traces
    result = doctest.testfile(str(PAGES / page), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= examples


@pytest.mark.parametrize(
    ("page", "module", "names"),
    [
        (
            "break-even.md",
            "advise.dram_or_flash.break_even",
            "about_bought analyse page_costs tier_prices",
        ),
        (
            "break-even.md",
            "evaluate.break_even.interval",
            "break_even_interval tier_interval",
        ),
        (
            "break-even.md",
            "evaluate.break_even.replayed",
            "check_sizes replayed_break_even",
        ),
        (
            "break-even.md",
            "evaluate.break_even.theta",
            "curve_theta exponent log_theta mixed_costs",
        ),
        (
            "break-even.md",
            "evaluate.break_even.full",
            "dram_gain flash_gain full_theta gains_from_curve",
        ),
        (
            "break-even.md",
            "evaluate.break_even.next_money",
            "flip_curve next_money spending_plan",
        ),
        (
            "break-even.md",
            "evaluate.break_even.money",
            "flip_price_ratio marginal_gains pages_for roi_curve roi_log",
        ),
        ("break-even.md", "evaluate.break_even.gains", "least_flash"),
        (
            "break-even.md",
            "evaluate.break_even.schemes",
            "scheme_thetas steady_difference",
        ),
        (
            "endurance.md",
            "evaluate.endurance.outlook",
            "gentlest wear_outlook wear_range write_budget",
        ),
        (
            "endurance.md",
            "evaluate.endurance.wear",
            "lifetime lifetime_ratio remaining waf_by_pattern wear_cost write_amplification",
        ),
        (
            "endurance.md",
            "evaluate.endurance.money",
            "purchase_usd scheme_cost whole_drives",
        ),
        ("endurance.md", "hardware.rated_endurance", "rated_endurance"),
        ("endurance.md", "hardware.smart", "smart_from_mapping"),
        ("endurance.md", "evaluate.endurance.growth", "years_with_growth"),
        (
            "page-flow.md",
            "evaluate.page_flow.cautions",
            "about_curve about_space_behind",
        ),
        (
            "page-flow.md",
            "evaluate.page_flow.directory",
            "block_map directory_access_costs directory_in_ram directory_on_flash flash_directory_size",
        ),
        ("page-flow.md", "advise.flash_choice", "answer"),
        (
            "page-flow.md",
            "evaluate.page_flow.costs",
            "clean_only_cost directory_costs exclusive_minus_lazy_advantage flash_saving iops_to_ms no_flash_cost price_performance scheme_cost_terms",
        ),
        ("page-flow.md", "advise.directories", "answer"),
        ("page-flow.md", "advise.decide", "decide"),
        ("page-flow.md", "evaluate.page_flow.decision", "decided replay_points"),
        ("page-flow.md", "evaluate.page_flow.dirty_range", "dirty_ends evaluate_range"),
        (
            "page-flow.md",
            "evaluate.page_flow.counts",
            "hits_from_curve lazy_effective_flash",
        ),
        ("page-flow.md", "evaluate.page_flow.effects", "judged"),
        (
            "page-flow.md",
            "evaluate.page_flow.lazy_writes",
            "lazy_flash_writes returning_dirty_share",
        ),
        ("page-flow.md", "evaluate.page_flow.map_point", "map_point"),
        ("page-flow.md", "evaluate.page_flow.scheme_map", "scheme_map"),
        ("pool-split.md", "advise.pool_advisor", "answer static_splits"),
        ("pool-split.md", "advise.pool_survey", "arrays_of survey survey_of"),
        ("pool-split.md", "evaluate.pool_split.belady", "belady"),
        (
            "pool-split.md",
            "evaluate.pool_split.costs",
            "best_split break_even_asymmetry estimation_error gain group_distance io_cost normalised_cost pool_miss_rates split_costs window_io_time",
        ),
        ("pool-split.md", "evaluate.pool_split.workload", "epoch zipf_pmf"),
        (
            "pool-split.md",
            "advise.pool_gain",
            "answer least_asymmetry most_asymmetry window_accesses",
        ),
        ("pool-split.md", "evaluate.pool_split.counts", "replayed_cost"),
        (
            "throughput.md",
            "evaluate.throughput.laws",
            "asymptotic_bounds open_utilisation",
        ),
        (
            "throughput.md",
            "evaluate.throughput.schemes",
            "beyond_busy delay_terms demand_terms scheme_throughput",
        ),
        ("throughput.md", "evaluate.throughput.mva", "closed_network"),
        (
            "transactions.md",
            "evaluate.transactions.eviction",
            "average_access_times eviction_order uncommitted_order",
        ),
        (
            "transactions.md",
            "evaluate.transactions.nand",
            "capacities implied_read_share io_time_us log_read_us log_write speed_ratios",
        ),
        (
            "transactions.md",
            "simulate.transactions",
            "compare_buffers concurrent_loads device_of half_loaded parse_events replay replay_systems",
        ),
        (
            "transactions.md",
            "evaluate.transactions.study",
            "leaving_order operations_derivation write_study",
        ),
        ("scheme-map.md", "evaluate.page_flow.scheme_map", "winners_differ"),
        (
            "recovery.md",
            "evaluate.recovery",
            "fill_time metadata_flush_interval recovery redo_time restart restart_speedup warm_up_misses",
        ),
        (
            "metadata.md",
            "evaluate.metadata",
            "charge preset memory_ratio block_metadata",
        ),
        (
            "sce.md",
            "evaluate.fragment_cache",
            "threads clock fragment_trade write_policies FragmentBitmap",
        ),
        ("sce.md", "advise.fragment_cache", "fragment_study"),
        ("economics.md", "evaluate.economics", "tier_cost system_cost tier_price"),
        ("economics.md", "advise.tier_cost", "answer"),
        ("economics.md", "advise.access_cost", "answer"),
        ("service-times.md", "hardware.measure.steady", "steadiness window_rates"),
        ("economics.md", "hardware.fio", "import_fio"),
    ],
)
def test_functions_are_on_their_page(page: str, module: str, names: str) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    found = importlib.import_module(f"tierwright.{module}")
    assert [name for name in names.split() if not hasattr(found, name)] == []
    assert [name for name in names.split() if name not in text] == []


def test_every_preset_is_in_the_table() -> None:
    text = (PAGES / "metadata.md").read_text(encoding="utf-8")
    for name in metadata.PRESETS:
        assert f"| `{name}` |" in text


PAGE, RATED = (
    8192,
    4096,
)  # bytes of the recordings, and of the rates that the papers print


def _random_write_us(iops: float) -> float:
    return 1e6 / iops * PAGE / RATED


def _disk_read_ms(iops: float, mb_per_s: float) -> float:
    """Positioning and transfer of what the rate is for, and the transfer of the rest."""
    return 1e3 / iops + (PAGE - RATED) / mb_per_s / 1e3


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        # Koltsidas and Viglas, table 2.
        (
            "whose random write takes {:.3g} and {:.3g} ms",
            (_random_write_us(21) / 1e3, _random_write_us(592) / 1e3),
        ),
        (
            "whose write takes {:.3g} and {:.3g} µs",
            (_random_write_us(3300), _random_write_us(101_000)),
        ),
        # FaCE, table 1.
        (
            "takes one disk {:.3g} ms and the array {:.3g} ms",
            (_disk_read_ms(409, 156), _disk_read_ms(5166, 1723)),
        ),
        (
            "costs the NVMe drive {:.1f} µs and the SATA drive {:.3g} µs",
            (_random_write_us(86_949), _random_write_us(13_979)),
        ),
        ("which takes the SATA drive {:.1f} µs", (PAGE / 398,)),
        # The class of the Maxtor disk: seek and half a rotation at 7,200 rpm.
        (
            "{:.1f} ms for a read and {:.1f} ms for a write",
            (7.4 + 30e3 / 7200, 8.2 + 30e3 / 7200),
        ),
        (
            "{:,} blocks of {} pages of {} KiB that take {} µs to read, {} µs to write and {} ms",
            (1024, 64, 2, 25, 200, 1.5),
        ),
    ],
)
def test_times_of_the_papers_are_those_of_pages_of_8_kib(
    sentence: str, values: tuple[float, ...]
) -> None:
    assert sentence.format(*values) in (PAGES / "papers.md").read_text("utf-8")


def test_the_papers_say_whose_prices_are_of_another_year() -> None:
    """No price book of today prices the SATA drive of 2015, and the paper bought flash there."""
    text = (PAGES / "papers.md").read_text("utf-8")
    assert "prices are those of the default price book" not in text
    assert "the price of flash is from 2015, the price of DRAM from 2026-05" in text
    assert "flash is the better buy from 8.46 USD on" in text
    # Where the next money leaves flash, it holds what DRAM does not hold of the data; under Lazy all of them.
    missing_gb = (57 * 10**9 - 200 * 10**6) / 1e9
    assert f"From {missing_gb:.1f} GB of flash on" in text
    for gb, usd_per_gb in ((missing_gb, 0.62), (57, 0.753)):
        assert f"until {gb * usd_per_gb:.3g} USD is spent" in text
        assert f"at {gb * usd_per_gb:.3g} USD" in text
    before, _, after = text.partition("measured on the array of 16 disks")
    assert "As in the paper flash is the better buy before one disk" not in before
    assert "with a wide margin" in after.split(">>>")[0]
    assert "says the opposite" in after.split(">>>")[0]


def test_tpcb_reads_single_pages() -> None:
    """The share of accesses to the page after that of the access before, of the recording."""
    path = PAGES.parents[1] / "fixtures/traces/tpcb-cut.csv.zst"
    with path.open("rb") as raw:
        rows = csv.DictReader(
            io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(raw))
        )
        pages = [(row["rel"], int(row["block"])) for row in rows]
    following = sum(
        relation == last_relation and block == last_block + 1
        for (last_relation, last_block), (relation, block) in pairwise(pages)
    )
    share = f"{following / len(pages):.2%}".replace("%", " %")
    assert f"TPC-B reads single pages: {share} of its accesses" in (
        PAGES / "papers.md"
    ).read_text("utf-8")


def test_the_advisor_page_states_what_is_listed() -> None:
    """Ladders of RAM and flash, and the limits that decide how many devices are bought."""
    text = (PAGES / "advice.md").read_text("utf-8")
    steps = len(tiers.ram_sizes(2.0**42, 8192)) - 1
    assert f"{steps} steps or, where the last of these is larger, down to" in text
    assert len(tiers.ram_sizes(2.0**50, 8192)) - 1 > steps
    assert f"at most {max(tiers.FLASH_COUNTS)} of each machine" in text
    named = [f"`{name}`" for name in CONSTRAINTS if name in _staircase._BUYS_DEVICES]
    assert f"* {listed(named)} decide how many devices are bought" in text


def test_a_named_book_adds_devices_as_the_advisor_page_says() -> None:
    assert "devices" not in candidates_of(None, None).kinds
    assert "devices" in candidates_of(None, "street-2026-q3").kinds
    text = (PAGES / "advice.md").read_text("utf-8")
    assert (
        "whose price book is named, by `--price-book` or a template, adds `devices`"
        in text
    )
