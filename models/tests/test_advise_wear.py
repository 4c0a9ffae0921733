"""Answers about wear, health and restart say what their figures say, also where the opposite holds."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, ClassVar

import pytest
import recordings
from whole_device import of_a_whole_device

from tierwright.advise import device_health, recovery, wear
from tierwright.advise.checks import wear as checks
from tierwright.advise.checks.checked import Checked
from tierwright.advise.checks.flash_caches import options_of_caches
from tierwright.advise.point import rate_of
from tierwright.common.errors import BadInput
from tierwright.evaluate import metadata
from tierwright.evaluate.modern.write_amplification import waf_greedy
from tierwright.hardware import catalog
from tierwright.hardware.smart import smart_from_mapping
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
DISK = catalog.device("face2016-cheetah-15k6-single")
RATED = catalog.device("samsung-990pro-2tb")


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCB).curve


def worn(curve: Curve, **given: Any) -> wear.Wear:
    asked = {
        "ram_pages": 2000,
        "flash_pages": 8000,
        "flash": RATED,
        "disk": DISK,
        "accesses_per_s": 5000.0,
    }
    return wear.answer(curve, **{**asked, **given})


@pytest.mark.oracle("advise.wear.answer")
def test_a_life_is_the_rating_over_the_writes_of_a_year(curve: Curve) -> None:
    found = worn(curve)
    rated_tb = RATED.number("endurance_tb")
    assert rated_tb is not None
    for each in found.schemes:
        written = found.evaluation.schemes[each.scheme].flash_writes / curve.accesses
        tb_per_day = written * 5000 * 86_400 * 8192 / 1e12
        assert each.tb_per_day == pytest.approx(tb_per_day, rel=1e-12)
        assert each.years == pytest.approx(rated_tb / (tb_per_day * 365), rel=1e-9)


SPARE: dict[str, Any] = {"pe_cycles": 3000.0, "spare_percent": 28, "block_pages": 32}
SMALL_DEVICE: dict[str, Any] = {"pages": 6000, "block": 32, "spare_percent": 28}


def test_spare_space_gives_the_write_amplification_of_the_budget(curve: Curve) -> None:
    found = worn(curve, **SPARE)
    waf = waf_greedy(0.28, 32).waf
    assert found.budget.waf_in_place == pytest.approx(waf)
    assert RATED.capacity_bytes is not None
    nand = RATED.capacity_bytes * 1.28
    assert found.budget.in_place_tb == pytest.approx(nand * 3000 / waf / 1e12)
    assert "28 % spare space, greedy collection and blocks of 32 pages" in (
        found.budget.basis
    )
    assert "WAF, in place" in {step.name for step in found.derivation()}
    fifo = worn(curve, **SPARE, collection="fifo")
    assert (fifo.budget.in_place_tb or 0) < (found.budget.in_place_tb or 0)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"spare_percent": 28}, "spare_percent: `28` has no effect without P/E cycles"),
        ({"pe_cycles": 1e3, "block_pages": 64}, "no effect without spare_percent"),
        ({**SPARE, "waf_in_place": 2.0}, "cannot be combined with spare_percent"),
        ({**SPARE, "spare_percent": 1001}, "not a whole number from 1 to 1000"),
        ({**SPARE, "collection": "cost-benefit"}, "no write amplification by formula"),
    ],
)
def test_spare_space_that_means_nothing_is_refused(
    curve: Curve, given: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput) as refused:
        worn(curve, **given)
    assert told in str(refused.value)
    assert refused.value.hint


class TestCheck:
    """The translation layer beside the closed form."""

    def test_every_scheme_writes_to_the_device_of_the_answer(
        self, curve: Curve
    ) -> None:
        answer = worn(curve, **SPARE, ram_pages=1000, flash_pages=6000)
        found = checks.replayed(answer, curve, TPCB)
        rows = {(row.of, row.figure): row for row in found.rows}
        for scheme in ("exclusive", "lazy", "inclusive", "inclusive_global"):
            own = replay(
                TPCB,
                "scheme",
                scheme,
                1000,
                6000,
                options={"ftl_spare_percent": "28", "ftl_block_pages": "32"},
            )
            waf = of_a_whole_device(own["ftl"]["waf"], **SMALL_DEVICE)
            assert rows[scheme, "write amplification"].simulated == pytest.approx(waf)
            # Years follow from the pages that the device wrote.
            pages = own["ftl"]["host_writes"] * waf / own["accesses"]
            assert RATED.capacity_bytes is not None
            nand = RATED.capacity_bytes * 1.28 * 3000
            seconds = nand / (pages * 5000 * 8192)
            assert rows[scheme, "life"].simulated == pytest.approx(
                seconds / (365 * 86_400)
            )
        # Few pages are found on flash here, so under LRU this scheme writes as a log does.
        assert rows["exclusive", "write amplification"].simulated == 1.0
        assert "cause less: 1.00 (Exclusive) to" in found.finding
        assert "nothing was trimmed" in found.basis

    SMALL: ClassVar = {"small_by": "relation", "small": "58", "small_percent": "25"}

    def test_cachelib_with_small_objects_is_shown_with_one_stream_and_with_two(
        self, curve: Curve
    ) -> None:
        answer = worn(curve, **SPARE, ram_pages=1000, flash_pages=6000)
        given = [f"cachelib:{name}={value}" for name, value in self.SMALL.items()]
        options = options_of_caches(["larc", "cachelib"], given, "options")
        found = checks.replayed(
            answer, curve, TPCB, flash_caches=options, cache_options=options
        )
        rows = {(row.of, row.figure): row.simulated for row in found.rows}
        device = {"ftl_spare_percent": "28", "ftl_block_pages": "32"}
        two, one = (
            replay(
                TPCB,
                "flash_cache",
                "cachelib",
                1000,
                6000,
                options={**self.SMALL, **device, "streams": streams},
            )["ftl"]
            for streams in ("2", "1")
        )
        assert two["waf"] < one["waf"] == two["waf_one_stream"]
        waf = "write amplification"
        assert rows["cachelib", waf] == pytest.approx(
            of_a_whole_device(one["waf"], **SMALL_DEVICE)
        )
        # The second open block holds half of its pages on average.
        assert rows["cachelib", f"{waf} with two streams"] == pytest.approx(
            of_a_whole_device(two["waf"], **SMALL_DEVICE, held=2.5)
        )
        assert ("larc", f"{waf} with two streams") not in rows
        assert "The life of CacheLib, large objects is that with one" in found.basis
        assert "objects ran with small_by=relation, small=58 and" in found.basis
        # By default it has large objects alone, and one stream for them.
        plain = checks.replayed(answer, curve, TPCB, flash_caches=["cachelib"])
        assert not [row for row in plain.rows if "two streams" in row.figure]
        assert " ran with " not in plain.basis

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("ftl_gc=fifo", "device under a flash cache is that of the answer"),
            ("cachelib:streams=2", "device under a flash cache is that of the answer"),
            ("bcache:mode=write_back", "`bcache` is not a contender here"),
            ("smal=0", "no contender has the option `smal`"),
            ("small", "is neither KEY=VALUE"),
        ],
    )
    def test_options_of_no_flash_cache_are_refused(self, given: str, told: str) -> None:
        with pytest.raises(BadInput) as refused:
            options_of_caches(
                ["cachelib"], [given], "options", device=checks.OF_THE_ANSWER
            )
        assert told in str(refused.value)
        assert refused.value.hint

    def test_no_small_objects_have_one_stream(self, curve: Curve) -> None:
        none = {"small": "none"}
        options = checks.options_of(worn(curve, **SPARE), "cachelib", none)
        assert "streams" not in options
        assert checks.options_of(worn(curve), "cachelib", none) == none

    def test_another_trace_is_refused(self, curve: Curve) -> None:
        other = Trace(recordings.TPCC)
        with pytest.raises(BadInput):
            checks.replayed(worn(curve, **SPARE), curve, other)

    def counted(
        self, curve: Curve, *wafs: float | None, writes: int = 40_000
    ) -> Checked:
        """Check the answer by counters that are these WAF on a whole device, one a scheme; the last holds for the rest."""
        answer = worn(curve, **SPARE, flash_pages=8000)
        here = {**SMALL_DEVICE, "pages": 8000}
        copies = of_a_whole_device(2.0, **here) - 1
        counters: dict[str, Any] = {"none": {}}
        for at, scheme in enumerate(answer.schemes):
            waf = wafs[min(at, len(wafs) - 1)]
            counters[scheme.scheme] = {
                "accesses": 100_000,
                "page_bytes": 8192,
                "flash_pages": 8000,
                "flash_writes": writes,
                "ftl": None
                if waf is None
                else {"host_writes": writes, "waf": 1 + (waf - 1) / copies},
            }
        return checks.check(answer, counters)

    @pytest.mark.parametrize(
        ("wafs", "told"),
        [
            ((2.33,), "the replay agrees with 2.33."),
            ((2.27, 2.39), "the replay agrees with 2.27 (Inclusive) to 2.39 ("),
            ((1.0, 1.5), "cause less: 1.00 (Inclusive) to 1.50 ("),
            ((2.25,), "cause less: 2.25."),
            ((2.2, 2.36), "writes cause 2.20 (Inclusive) to 2.36 ("),
            ((2.3, 2.5), "writes cause 2.30 (Inclusive) to 2.50 ("),
            ((2.41,), "cause more: 2.41."),
            ((1.2,), "cause less: 1.20."),
            ((3.0, 4.0), "cause more: 3.00 (Inclusive) to 4.00 ("),
            ((1.0, 4.0), "writes cause 1.00 (Inclusive) to 4.00 ("),
            ((None,), "no scheme wrote to flash in its replay."),
        ],
    )
    def test_the_sentence_follows_the_figures(
        self, curve: Curve, wafs: tuple[float | None, ...], told: str
    ) -> None:
        found = self.counted(curve, *wafs)
        assert "a write amplification of 2.33; " in found.finding
        assert told in found.finding

    def test_a_short_replay_says_that_its_lives_are_upper_bounds(
        self, curve: Curve
    ) -> None:
        long = self.counted(curve, 1.5).basis
        assert "at least 5.00 times, enough for a steady" in long
        short = self.counted(curve, 1.5, writes=8000).basis
        assert "still rising, so the lives of the replay are upper bounds" in short

    def test_without_spare_space_nothing_is_amplified(self, curve: Curve) -> None:
        rated = worn(curve)
        assert checks.options_of(rated, "lazy") == {}
        found = checks.replayed(rated, curve, TPCB)
        assert {row.figure for row in found.rows} == {"flash writes", "life"}
        assert "covered by its rating" in found.basis
        given = checks.replayed(
            worn(curve, pe_cycles=3e3, waf_in_place=2.0), curve, TPCB
        )
        assert "give spare space to have it computed" in given.basis
        assert checks.options_of(worn(curve, **SPARE), "none") == {}


def test_the_finding_names_the_longest_and_the_shortest_life(curve: Curve) -> None:
    found = worn(curve)
    lives = {each.title: each.years or math.inf for each in found.schemes}
    longest, shortest = (
        max(lives, key=lives.__getitem__),
        min(lives, key=lives.__getitem__),
    )
    assert f"under {longest} and" in found.finding
    assert f"{lives[shortest]:.3g} years under {shortest}" in found.finding
    assert found.gentlest is not None
    assert [each.title for each in found.schemes if each.scheme == found.gentlest] == [
        longest
    ]


def test_without_load_the_flash_never_wears_out(curve: Curve) -> None:
    found = worn(curve, accesses_per_s=0.0)
    assert found.finding == "Under this load the flash never wears out."
    assert all(each.never_worn_out and each.years is None for each in found.schemes)
    assert found.figures[0].text == "never worn out"


def test_an_unknown_dirty_share_is_answered_at_both_ends(curve: Curve) -> None:
    unknown = Curve.from_lists(
        [10, 1000, 10_000, 30_000],
        [300_000, 200_000, 100_000, 30_000],
        None,
        accesses=420_000,
        distinct_pages=30_687,
        page_bytes=8192,
        write_accesses=0,
        given=Given("table", data_known=True),
    )
    found = worn(unknown)
    assert found.dirty_share_unknown
    assert found.warnings[0].name == "dirty_share_unknown"
    assert found.derivation()[0].name == "p_d"
    for each in found.schemes:
        assert each.least is not None
        assert each.least.tb_per_day <= each.tb_per_day
    assert not worn(curve).dirty_share_unknown


def test_money_needs_a_price_and_drives_say_what_they_cost(curve: Curve) -> None:
    book = catalog.default_price_book()
    bought = worn(curve, prices=book)
    assert bought.drives is not None
    assert bought.money_reason == ""
    assert bought.drives.purchase_usd > Decimal(0)
    assert bought.drives.sentence.startswith("One ")
    two = worn(curve, prices=book, devices=2)
    assert two.drives is not None
    assert two.drives.purchase_usd == 2 * bought.drives.purchase_usd
    assert two.drives.sentence.startswith("2 x ")
    rented = worn(curve, flash=catalog.device("aws-ebs-gp3-baseline"))
    assert rented.drives is None
    assert rented.money_reason


def test_what_is_left_of_the_budget_and_what_does_not_fit(curve: Curve) -> None:
    found = worn(curve, written_tb=1.0)
    assert found.budget.in_place_tb is not None
    assert found.left_tb == found.budget.in_place_tb - 1.0
    assert "beyond_capacity" not in {each.name for each in found.warnings}
    large = worn(curve, flash_pages=2**31)
    assert "beyond_capacity" in {each.name for each in large.warnings}
    json.dumps(found.to_dict(derivation=True), default=str)
    assert found.finding in found._repr_html_()


def restarted(curve: Curve, **given: Any) -> recovery.Recovery:
    asked = {
        "ram_pages": 2000,
        "flash_pages": 8000,
        "flash": RATED,
        "disk": DISK,
        "accesses_per_s": 5000.0,
    }
    return recovery.answer(curve, **{**asked, **given})


@pytest.mark.oracle("advise.recovery.answer")
def test_filling_and_redo_by_hand(curve: Curve) -> None:
    """The slowest way fills; redo reads each page from flash or disk at its busy time."""
    found = restarted(curve, redo_pages=1000.0, redo_writes=100.0, flash_share=0.75)
    misses_per_s = float(curve.misses(2000.0)) / curve.accesses * 5000
    assert found.fill.rates_bytes_per_s[recovery.BY_MISSES] == misses_per_s * 8192
    slowest = min(found.fill.rates_bytes_per_s.values())
    assert found.fill.seconds == pytest.approx(8000 * 8192 / slowest)
    times = recovery.page_flow_times(RATED, DISK, 8192)
    assert found.restart is not None
    assert found.restart.with_flash.reads_s == pytest.approx(
        750 * times["flash_read_s"] + 250 * times["disk_read_s"]
    )
    assert found.restart.without_flash.reads_s == pytest.approx(
        1000 * times["disk_read_s"]
    )


def test_a_restart_is_told_with_flash_and_without(curve: Curve) -> None:
    found = restarted(curve)
    assert found.restart is not None
    assert found.restart.speedup == pytest.approx(
        found.restart.without_flash.total_s / found.restart.with_flash.total_s
    )
    assert found.restart.speedup > 1
    assert f"{found.restart.with_flash.total_s:.3g} s with it" in found.finding
    slow = restarted(curve, redo_pages=0.0)
    assert slow.restart is not None
    assert slow.restart.speedup < 1
    assert "restore_costs_more" in {each.name for each in slow.warnings}
    assert "restore_costs_more" not in {each.name for each in found.warnings}
    values = {step.name: step.value for step in found.derivation()}
    assert values["speedup"] == found.restart.speedup


def test_without_sequential_bandwidth_only_filling_is_told(curve: Curve) -> None:
    found = restarted(curve, flash=catalog.device("fdbuffer2011-intel-x25m-80gb"))
    if found.restart is None:
        assert "restart" not in found.finding
        assert "states no sequential read bandwidth" in found.restart_reason
    else:
        assert "a restart takes" in found.finding


def test_a_load_that_fills_nothing_is_refused_by_name(curve: Curve) -> None:
    with pytest.raises(BadInput) as caught:
        restarted(curve, accesses_per_s=0.0)
    assert [problem.where for problem in caught.value.problems] == ["accesses_per_s"]


def test_metadata_that_leave_no_ram_are_refused_by_name(curve: Curve) -> None:
    with pytest.raises(BadInput) as caught:
        restarted(
            curve,
            ram_pages=1,
            flash_pages=2**24,
            flash_metadata=metadata.preset("l2arc"),
        )
    assert [problem.where for problem in caught.value.problems] == ["ram_pages"]


def test_a_drive_past_its_rating_is_said_to_be() -> None:
    document = {
        "device": {"protocol": "NVMe"},
        "model_name": "Drive",
        "nvme_smart_health_information_log": {
            "data_units_written": 2_000_000,
            "power_on_hours": 1000,
            "percentage_used": 3,
        },
    }
    health = smart_from_mapping(document)
    young = device_health.answer(health, rated_tb=10.0)
    assert young.written_tb == pytest.approx(1.024)
    assert young.finding == "Drive has taken 1.02 TB; 8.98 of 10.0 TB are left."
    old = device_health.answer(health, rated_tb=1.0)
    assert "TB more than it is rated for" in old.finding
    assert "give a rating" in device_health.answer(health).finding
    rated = device_health.answer(health, device=RATED)
    assert rated.finding.endswith(f"as `{RATED.id}` is rated.")
    assert rated.figures[2].value == pytest.approx(
        rated.left.left_tb if rated.left else 0
    )


def test_a_rate_says_where_it_is_from() -> None:
    curve = Curve.from_hit_ratios([(1, 0.5)], accesses=1000)
    rate = rate_of(curve, 4.0)
    assert (rate.accesses_per_s, rate.basis) == (
        250.0,
        "1,000 accesses in 4.00 s of the workload",
    )


def test_of_a_drive_that_is_worn_nothing_changes_its_life(curve: Curve) -> None:
    found = worn(curve, written_tb=1e12)
    effects = {each.code: each.effect for each in found.cautions}
    assert "no change of years of life" in effects["warm_up_inside"]


def test_a_load_too_small_for_any_time_is_refused(curve: Curve) -> None:
    with pytest.raises(BadInput, match="is below 1e-09"):
        restarted(curve, accesses_per_s=5e-324)
