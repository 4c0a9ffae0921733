"""Surveys of a buffer, and prices of replays: against replays and sums by hand."""

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import recordings

from tierwright.advise import pool_split, pool_survey
from tierwright.advise.clean_only import clean_only
from tierwright.advise.pool_survey import SplitSurvey, candidates, device_asymmetry
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.service_time import service_basis, service_us
from tierwright.simulate.priced import (
    about_batches,
    about_batches_text,
    flash_pages_written,
    price,
    with_flash_writes,
)
from tierwright.simulate.replay import replay, simulate_splits
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
PAGES = 400


PAGE_BYTES = 8192


def device(**figures: float) -> Device:
    """A device whose rates are for the pages of the traces here."""
    units = {"queue_depth": "1", "asymmetry": "1", "page_bytes": "B"}
    return Device(
        id="own-test",
        name="Test",
        kind="nvme",
        year=None,
        figures={
            name: Figure(
                Decimal(str(value)),
                units.get(name, "MB/s" if name.endswith("_s") else "1/s"),
                "a test",
            )
            for name, value in {"page_bytes": PAGE_BYTES, **figures}.items()
        },
        notes="",
    )


@pytest.fixture(scope="module")
def survey() -> SplitSurvey:
    return pool_survey.survey(TPCB, PAGES)


class TestSurvey:
    @pytest.mark.oracle("advise.pool_survey.survey")
    @pytest.mark.parametrize("asymmetry", [0.5, 1.0, 4.0, 32.0, 300.0])
    def test_prices_are_those_of_replays(
        self, survey: SplitSurvey, asymmetry: float
    ) -> None:
        found = survey.at(asymmetry)
        [row] = simulate_splits(TPCB, PAGES, [found.best_clean_pages])
        writes = row["write_accesses"] - row["write_hits_dirty"]
        by_hand = (row["reads"] + asymmetry * writes) / row["accesses"]
        assert found.best_cost == pytest.approx(by_hand, rel=1e-12)
        assert found.best_cost == found.simulated.min()
        for name, cost in found.baselines.items():
            baseline = replay(TPCB, "buffer", name, PAGES)
            counts = survey.baselines[name]
            assert (counts["reads"], counts["writes"]) == (
                baseline["reads"],
                baseline["writes"],
            )
            assert found.gain_over[name] == pytest.approx(1 - found.best_cost / cost)

    def test_the_estimates_are_those_of_one_analysis(self, survey: SplitSurvey) -> None:
        own = pool_split.answer(TPCB, PAGES, 32.0)
        found = survey.at(32.0)
        assert found.estimated_clean_pages == own.best_clean_pages
        assert found.estimates == own.estimates
        assert own.best_clean_pages in survey.splits
        assert own.simulated == pytest.approx(
            survey.cost(survey.splits[own.best_clean_pages], 32.0)
        )
        assert own.recommended_clean_pages == found.best_clean_pages
        assert own.gain_over == found.gain_over

    def test_the_break_even_asymmetry_makes_both_cost_the_same(
        self, survey: SplitSurvey
    ) -> None:
        found = survey.at(8.0)
        split = survey.splits[found.best_clean_pages]
        for name, asymmetry in found.break_even_asymmetry.items():
            assert asymmetry is not None
            assert survey.cost(split, asymmetry) == pytest.approx(
                survey.cost(survey.baselines[name], asymmetry)
            )

    def test_no_replayed_split_is_better_than_the_best(
        self, survey: SplitSurvey
    ) -> None:
        for row in survey.gains([1.0, 7.3, 64.0]):
            costs = [survey.cost(c, row.asymmetry) for c in survey.splits.values()]
            assert row.best_cost == min(costs)
            assert row.best_cost == survey.at(row.asymmetry).best_cost

    def test_it_comes_back_from_its_arrays(
        self, survey: SplitSurvey, tmp_path: Path
    ) -> None:
        path = tmp_path / "survey.npz"
        np.savez(path, **pool_survey.arrays_of(survey))
        with np.load(path, allow_pickle=False) as arrays:
            again = pool_survey.survey_of(arrays)
        assert again.splits == survey.splits
        assert again.baselines == survey.baselines
        assert again.at(9.0).best_cost == survey.at(9.0).best_cost
        assert again.at(9.0).estimates == survey.at(9.0).estimates

    @pytest.mark.parametrize("pages", [2, 3, 30])
    def test_small_buffers_are_replayed_at_every_split_worth_it(
        self, pages: int
    ) -> None:
        found = pool_survey.survey(TPCB, pages)
        assert next(iter(found.splits)) == 1
        assert list(found.splits)[-1] == pages - 1
        assert len(found.splits) == len(set(found.splits))

    def test_passes_are_framed(self) -> None:
        from contextlib import nullcontext

        names: list[str] = []

        def phase(name: str) -> nullcontext[None]:
            names.append(name)
            return nullcontext(None)

        pool_survey.survey(TPCB, 10, phase=phase)
        assert names[0] == "counting hits at every split"
        assert names[-1].startswith("replaying splits 1 to ")

    def test_bad_input_is_refused(self, survey: SplitSurvey, tmp_path: Path) -> None:
        with pytest.raises(BadInput):
            pool_survey.survey(TPCB, 1)
        with pytest.raises(BadInput):
            pool_survey.survey(TPCB, 10, distance="far")
        for asymmetry in (0.0, -1.0, float("nan"), float("inf")):
            with pytest.raises(BadInput):
                survey.at(asymmetry)
            with pytest.raises(BadInput):
                survey.gains([asymmetry])
        with pytest.raises(BadInput):
            survey.at(2.0, estimator="best")

    def test_candidates_hold_both_ends_and_the_optima(
        self, survey: SplitSurvey
    ) -> None:
        share = survey.write_accesses / survey.accesses
        found = candidates(survey.rates(), share)
        assert found == sorted(set(found))
        assert {1, PAGES - 1} <= set(found)
        assert survey.at(32.0).estimated_clean_pages in found


class TestAsymmetry:
    def test_a_stated_one_goes_first(self) -> None:
        found = device_asymmetry(
            device(asymmetry=12, read_iops=100, write_iops=50, queue_depth=1),
            PAGE_BYTES,
        )
        assert found == (12.0, "stated by its source")

    @pytest.mark.oracle("advise.pool_survey.device_asymmetry")
    def test_else_it_is_the_ratio_of_the_service_times(self) -> None:
        own = device(read_iops=1000, write_iops=250, queue_depth=1)
        found = device_asymmetry(own, PAGE_BYTES)
        assert found is not None
        assert found[0] == pytest.approx(4)
        assert found[1] == service_basis(own, PAGE_BYTES)

    def test_a_device_that_states_neither_has_none(self) -> None:
        assert device_asymmetry(device(read_iops=1000), PAGE_BYTES) is None


def with_pauses(path: Path) -> Trace:
    """Write to adjacent pages, with two seconds without a request each minute."""
    lines = (
        f"{at * 50_000 + at // 1200 * 2_000_000},W,1/1,{at % 1100}\n"
        for at in range(6000)
    )
    path.write_text("time_us,op,rel,block\n" + "".join(lines))
    return Trace(path)


class TestPrice:
    FLASH = device(
        read_iops=10_000,
        write_iops=5_000,
        sequential_read_mb_per_s=100,
        sequential_write_mb_per_s=50,
    )
    DISK = device(read_iops=100, write_iops=50)

    def test_one_cache(self) -> None:
        row = replay(TPCB, "policy", "lru", 300)
        found = price(row, flash=None, disk=self.DISK)
        # 10,000 µs a read, 20,000 µs a write
        by_hand = (row["disk_reads"] * 1e4 + row["disk_writes"] * 2e4) / row["accesses"]
        assert found.io_time_us_per_access == pytest.approx(by_hand)

    @pytest.mark.oracle("simulate.priced.price")
    def test_two_tiers(self) -> None:
        row = replay(TPCB, "scheme", "lazy", 300, 3000)
        found = price(row, flash=self.FLASH, disk=self.DISK)
        total = (
            row["flash_reads"] * 100
            + row["flash_writes"] * 200
            + row["hdd_reads"] * 1e4
            + row["hdd_writes"] * 2e4
        )
        assert found.io_time_us_per_access == pytest.approx(total / row["accesses"])
        assert sum(found.terms_us_per_access.values()) == pytest.approx(
            found.io_time_us_per_access
        )

    def test_batches_of_a_flash_cache_cost_their_transfer(self) -> None:
        # 300 entries of 32 bytes are two pages.
        segments = {"metadata_segment_entries": "300"}
        row = replay(TPCB, "flash_cache", "face", 300, 3000, options=segments)
        found = price(row, flash=self.FLASH, disk=self.DISK)
        read_page_us = row["page_bytes"] / 100e6 * 1e6
        write_page_us = row["page_bytes"] / 50e6 * 1e6
        assert row["metadata_segments"] > 10
        segments_us = row["metadata_segments"] * 2 * write_page_us
        total = (
            row["flash_random_reads"] * 100
            + row["flash_batch_read_pages"] * read_page_us
            + (row["flash_random_page_writes"] + row["metadata_random_page_writes"])
            * 200
            + row["flash_sequential_page_writes"] * write_page_us
            + segments_us
            + row["hdd_reads"] * 1e4
            + row["hdd_writes"] * 2e4
        )
        assert row["flash_sequential_page_writes"] > 0
        assert found.io_time_us_per_access == pytest.approx(total / row["accesses"])

    def test_what_fills_flash_from_disk_in_batches_is_one_request_each(self) -> None:
        options = {"fragment_pages": "16", "period_ms": "10"}
        row = replay(TPCB, "flash_cache", "sce", 300, 3000, options=options)
        found = price(row, flash=self.FLASH, disk=self.DISK)
        assert row["disk_batch_read_pages"] == 16 * row["disk_batch_reads"] > 0
        request_us = service_us(self.DISK, "read", 16 * row["page_bytes"])
        assert request_us is not None
        batches_us = row["disk_batch_reads"] * request_us / row["accesses"]
        assert found.terms_us_per_access["disk_batch_reads"] == pytest.approx(
            batches_us
        )
        assert sum(found.terms_us_per_access.values()) == pytest.approx(
            found.io_time_us_per_access
        )

    @pytest.mark.parametrize(
        ("cache", "options"),
        [
            ("dm_cache", {"block_pages": "16"}),
            (
                "open_cas",
                {"mode": "write_back", "cleaning": "acp", "line_pages": "8"},
            ),
            ("dm_writecache", {}),
            ("lazy_cleaning", {"dirty_threshold": "0.1"}),
        ],
    )
    def test_what_is_written_to_disk_in_batches_is_one_request_each(
        self, cache: str, options: dict[str, str], tmp_path: Path
    ) -> None:
        # The recording has no pause in which dm-cache writes back, and ends before it does so without one.
        trace = with_pauses(tmp_path / "pauses.csv") if cache == "dm_cache" else TPCB
        row = replay(trace, "flash_cache", cache, 300, 3000, options=options)
        found = price(row, flash=self.FLASH, disk=self.DISK)
        batches, pages = row["disk_batch_writes"], row["disk_batch_write_pages"]
        assert row["hdd_writes"] >= pages >= 2 * batches > 0
        # Each of the mean size, rounded down or up.
        least, larger = divmod(pages, batches)
        page_us = [
            service_us(self.DISK, "write", size * row["page_bytes"])
            for size in (least, least + 1)
        ]
        batches_us = (batches - larger) * (page_us[0] or 0) + larger * (page_us[1] or 0)
        singles_us = (row["hdd_writes"] - pages) * 2e4
        terms = found.terms_us_per_access
        assert terms["disk_batch_writes"] == pytest.approx(batches_us / row["accesses"])
        assert terms["disk_writes"] == pytest.approx(singles_us / row["accesses"])
        assert sum(terms.values()) == pytest.approx(found.io_time_us_per_access)
        assert found.tiers_us_per_access["disk"] == pytest.approx(
            sum(time for name, time in terms.items() if name.startswith("disk"))
        )

    def test_what_is_missing_is_named(self) -> None:
        lazy = replay(TPCB, "scheme", "lazy", 300, 3000)
        face = replay(TPCB, "flash_cache", "face", 300, 3000)
        bare = device(sequential_read_mb_per_s=100)
        for row, flash, disk, named in (
            (lazy, None, self.DISK, "no flash device"),
            (face, bare, self.DISK, "service time of read"),
            (lazy, self.FLASH, device(read_iops=1), "service time of writes"),
        ):
            found = price(row, flash=flash, disk=disk)
            assert found.io_time_us_per_access is None
            assert found.terms_us_per_access == {}
            assert named in found.reason

    def test_without_a_sequential_rate_batches_cost_their_pages_one_by_one(
        self,
    ) -> None:
        # 300 entries of 32 bytes are two pages.
        segments = {"metadata_segment_entries": "300"}
        row = replay(TPCB, "flash_cache", "face", 300, 3000, options=segments)
        rates = {"read_iops": 10_000, "write_iops": 5_000, "page_bytes": 4096}
        bare = device(**rates)
        found = price(row, flash=bare, disk=self.DISK)
        pages = row["flash_sequential_page_writes"] + 2 * row["metadata_segments"]
        # A page has two of the 4 KiB that the rates are of.
        units = row["page_bytes"] // 4096
        assert units == 2
        terms = found.terms_us_per_access
        assert terms["sequential_flash_writes"] == pytest.approx(
            pages * units * 200 / row["accesses"]
        )
        assert terms["sequential_flash_reads"] == pytest.approx(
            row["flash_batch_read_pages"] * units * 100 / row["accesses"]
        )
        # Whatever rate the device has in sequence, which is at least that of random pages, it takes no longer.
        for times in (1.0, 1.5, 30.0):
            known = device(
                **rates,
                sequential_read_mb_per_s=times * 10_000 * 4096 / 1e6,
                sequential_write_mb_per_s=times * 5_000 * 4096 / 1e6,
            )
            exact = price(row, flash=known, disk=self.DISK)
            for each in ("sequential_flash_writes", "sequential_flash_reads"):
                assert exact.terms_us_per_access[each] <= terms[each] * (1 + 1e-9)
            assert about_batches(known, [row]) == ()
        [said] = about_batches(bare, [row])
        assert "no rate of sequential reads and sequential writes" in said.message
        assert said.about == (bare.id,)
        assert about_batches_text(bare, [row]).startswith(f"`{bare.id}` states no")
        lazy = replay(TPCB, "scheme", "lazy", 300, 3000)
        assert about_batches(bare, [lazy]) == about_batches(None, [row]) == ()

    @pytest.mark.parametrize("scheme", ["inclusive", "exclusive", "lazy"])
    @pytest.mark.parametrize("technique", ["overwriting", "invalidating"])
    def test_blocks_cost_what_their_bytes_take(
        self, scheme: str, technique: str
    ) -> None:
        row = replay(
            TPCB,
            "scheme",
            scheme,
            300,
            3000,
            options={"block_pages": "8", "block_technique": technique},
        )
        flash = catalog.device("samsung-pm9a3-7.68tb-u2")
        disk = catalog.device("face2016-cheetah-15k6-single")
        found = price(row, flash=flash, disk=disk)
        blocks = row["blocks"]
        # By hand: positioning is paid once a request, bytes at the sequential rate.
        position, rate = {}, {}
        for operation in ("read", "write"):
            rate[operation] = float(
                disk.number(f"sequential_{operation}_mb_per_s") or 0
            )
            page_us = service_us(disk, operation, PAGE_BYTES)
            assert page_us is not None
            position[operation] = page_us - PAGE_BYTES / rate[operation]
        reads = blocks["hdd_page_reads"] + blocks["hdd_block_reads"]
        writes = blocks["hdd_page_writes"] + blocks["hdd_block_writes"]
        read_pages = blocks["hdd_page_reads"] + 8 * blocks["hdd_block_reads"]
        written = blocks["hdd_page_writes"] + blocks["hdd_block_pages_written"]
        disk_us = (
            reads * position["read"]
            + writes * position["write"]
            + read_pages * PAGE_BYTES / rate["read"]
            + written * PAGE_BYTES / rate["write"]
        )
        flash_us = (
            blocks["flash_block_writes"]
            * 8
            * PAGE_BYTES
            / float(flash.number("sequential_write_mb_per_s") or 0)
        )
        for operation in ("read", "write"):
            each = service_us(flash, operation, PAGE_BYTES)
            assert each is not None
            flash_us += blocks[f"flash_page_{operation}s"] * each
        assert found.io_time_us_per_access == pytest.approx(
            (disk_us + flash_us) / row["accesses"], rel=1e-9
        )
        assert sum(found.terms_us_per_access.values()) == pytest.approx(
            found.io_time_us_per_access
        )

    def test_blocks_of_one_page_cost_what_pages_cost(self) -> None:
        """Blocks that are counted one page each are priced as pages are."""
        row = replay(
            TPCB,
            "scheme",
            "lazy",
            300,
            3000,
            options={"block_pages": "2", "block_technique": "invalidating"},
        )
        blocks = dict(row["blocks"])
        pages = {**row, "blocks": None}
        blocks["hdd_block_pages_written"] = blocks["hdd_block_writes"]
        single = {**row, "blocks": {**blocks, "block_pages": 1}}
        assert blocks["flash_block_writes"] == 0
        one, other = (
            price(each, flash=self.FLASH, disk=self.DISK) for each in (pages, single)
        )
        assert one.io_time_us_per_access == pytest.approx(other.io_time_us_per_access)

    @pytest.mark.parametrize("blocks", [{}, {"block_pages": "8"}])
    def test_a_directory_on_flash_costs_what_it_reads_and_writes(
        self, blocks: dict[str, str]
    ) -> None:
        row = replay(
            TPCB,
            "scheme",
            "lazy",
            300,
            3000,
            options={"directory_pages": "24", "directory_buffer_pages": "3", **blocks},
        )
        kept = row["directory"]
        assert kept["reads"] > 0
        assert kept["writes"] > 0
        flash = catalog.device("samsung-pm9a3-7.68tb-u2")
        disk = catalog.device("face2016-cheetah-15k6-single")
        found = price(row, flash=flash, disk=disk)
        without = price({**row, "directory": None}, flash=flash, disk=disk)
        assert found.io_time_us_per_access is not None
        assert without.io_time_us_per_access is not None
        more = sum(
            kept[f"{operation}s"] * (service_us(flash, operation, PAGE_BYTES) or 0.0)
            for operation in ("read", "write")
        )
        assert (
            found.io_time_us_per_access - without.io_time_us_per_access
        ) == pytest.approx(more / row["accesses"])
        assert found.tiers_us_per_access["disk"] == without.tiers_us_per_access["disk"]
        assert flash_pages_written(row) == row["flash_writes"] + kept["writes"]
        slower = with_flash_writes(found, 2.0).terms_us_per_access
        assert slower["flash_directory_writes"] == pytest.approx(
            2 * found.terms_us_per_access["flash_directory_writes"]
        )
        nothing = price(row, flash=device(read_iops=1), disk=disk)
        assert "states no service time of writes" in nothing.reason

    def test_blocks_on_devices_without_a_time_name_the_device(self) -> None:
        row = replay(
            TPCB, "scheme", "inclusive", 300, 3000, options={"block_pages": "8"}
        )
        found = price(row, flash=self.FLASH, disk=device(read_iops=1))
        assert found.io_time_us_per_access is None
        assert "states no service time of writes" in found.reason
        assert price(row, flash=None, disk=self.DISK).reason == (
            "no flash device is chosen"
        )

    def test_without_flash_operations_no_flash_device_is_needed(self) -> None:
        row = replay(TPCB, "scheme", "none", 300, 0)
        found = price(
            row, flash=None, disk=catalog.device("face2016-cheetah-15k6-single")
        )
        assert found.io_time_us_per_access is not None

    def test_a_trace_without_accesses_has_no_time(self) -> None:
        row = {"accesses": 0, "disk_reads": 0, "disk_writes": 0}
        assert (
            price(row, flash=None, disk=self.DISK).reason == "the trace has no accesses"
        )


@pytest.mark.parametrize(
    ("ram", "flash", "gap"), [(306, 1836, 0.02), (1534, 9204, 0.03)]
)
@pytest.mark.oracle("advise.clean_only.clean_only")
def test_the_formula_of_clean_only_admission_is_near_its_replay(
    ram: int, flash: int, gap: float
) -> None:
    """The disk is slow: that flash holds more clean victims than h_f / m_r matters little."""
    found = replay(
        TPCB, "scheme", "lazy", ram, flash, options={"admission": "clean_only"}
    )
    devices = {
        "flash": catalog.device("face2016-samsung-840pro-256"),
        "disk": catalog.device("face2016-cheetah-15k6-single"),
    }
    cost = clean_only(found, **devices)
    assert cost is not None
    assert -1e-9 <= cost.gap < gap
    # By hand: writes that the formula charges and the replay does not have.
    flash_us, disk_us = (
        service_us(devices[name], "write", found["page_bytes"])
        for name in ("flash", "disk")
    )
    assert flash_us is not None
    assert disk_us is not None
    misses = found["flash_hits"] + found["flash_misses"]
    dirty = found["ram_dirty_evictions"]
    expected = (misses - dirty) * (found["flash_misses"] / misses)
    spared = (expected - found["flash_writes"]) * flash_us
    spared += (dirty - found["hdd_writes"]) * disk_us
    priced = price(found, **devices).io_time_us_per_access
    assert priced is not None
    difference = cost.io_time_us_per_access - priced
    assert difference == pytest.approx(spared / found["accesses"], rel=1e-6, abs=1e-9)
    assert cost.warnings == ()
    plain = replay(TPCB, "scheme", "lazy", ram, flash)
    assert clean_only(plain, **devices) is None
    assert clean_only(found, flash=None, disk=devices["disk"]) is None


def read_and_written_apart(rng: random.Random) -> list[tuple[int, bool]]:
    """Flash serves the pages that are read; those written never come back."""
    return [
        (1000 + rng.randrange(100_000), True) if n % 2 else (rng.randrange(400), False)
        for n in range(20_000)
    ]


def read_then_written(_rng: random.Random) -> list[tuple[int, bool]]:
    """Each page that comes from flash is then written, which drops it from there."""
    found: list[tuple[int, bool]] = []
    for turn in range(40):
        for page in range(400):
            found += [(page, False), (page, True)] if turn % 2 else [(page, False)]
    return found


@pytest.mark.oracle("advise.clean_only.clean_only")
@pytest.mark.parametrize(
    ("accesses", "flash_pages", "low", "high"),
    [
        (read_and_written_apart, 400, 0.15, 1.0),
        (read_then_written, 5000, -0.5, -0.05),
    ],
)
def test_the_share_of_all_victims_misleads_to_either_side(
    accesses: Callable[[random.Random], list[tuple[int, bool]]],
    flash_pages: int,
    low: float,
    high: float,
    tmp_path: Path,
) -> None:
    """h_f / m_r is not the share of the clean victims; with that only empty frames remain."""
    path = tmp_path / "trace.csv"
    path.write_text(
        "time_us,op,rel,block\n"
        + "".join(
            f"{time},{'W' if write else 'R'},0/1,{page}\n"
            for time, (page, write) in enumerate(accesses(random.Random(1)))
        ),
        encoding="ascii",
    )
    found = replay(
        Trace(path),
        "scheme",
        "lazy",
        100,
        flash_pages,
        options={"admission": "clean_only"},
    )
    flash = device(read_iops=10_000, write_iops=2_500)
    disk = device(read_iops=5_000, write_iops=5_000)
    cost = clean_only(found, flash=flash, disk=disk)
    assert cost is not None
    assert low < cost.gap < high
    [warning] = cost.warnings
    assert warning.name == "clean_only_gap"
    assert f"{abs(cost.gap):.1%} {'higher' if cost.gap > 0 else 'lower'}" in (
        warning.message
    )
    # Other counters: clean victims that were not on flash are just the fills.
    clean = found["ram_evictions"] - found["ram_dirty_evictions"]
    assert cost.measured_q == pytest.approx(1 - found["flash_fills"] / clean)
    # By hand: no more is left than RAM misses that evicted nothing.
    misses = found["flash_hits"] + found["flash_misses"]
    empty = misses - found["ram_evictions"]
    assert empty == 100
    priced = price(found, flash=flash, disk=disk).io_time_us_per_access
    assert priced is not None
    spared = empty * (found["flash_fills"] / clean) * 400 / found["accesses"]
    assert cost.measured_us_per_access - priced == pytest.approx(spared, rel=1e-6)
    assert 0 <= cost.measured_gap < 0.01
    assert cost.measured_derivation.value == cost.measured_us_per_access
