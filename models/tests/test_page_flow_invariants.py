"""Page flow: invariants of the schemes on random traces, in the simulator and the model.

Also the parts that join formulas: lazy's flash writes, directories, choice of a device.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise import directories as advise_directories
from tierwright.advise import directories as directories_question
from tierwright.advise import flash_choice
from tierwright.advise.directories import DirectoryUse
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import costs, counts, evaluation, lazy_writes
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import token_trace

ROOT = Path(__file__).resolve().parents[2]
TPCB = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"

WRITES_DIFFER = "lazy_writes_by_formula"

accesses = st.lists(
    st.tuples(st.integers(0, 14), st.booleans()), min_size=1, max_size=120
)
sizes = st.integers(1, 8)


def text_of(steps: list[tuple[int, bool]]) -> str:
    return " ".join(f"{'W' if write else 'R'}{page}" for page, write in steps)


def curve_of(trace: Trace) -> Curve:
    found = _simulator.curves(str(trace.path), **trace.arguments())
    return Curve.from_full(
        found["misses"],
        found["write_backs"],
        accesses=found["accesses"],
        page_bytes=4096,
        write_accesses=found["write_accesses"],
    )


@settings(max_examples=40)
@given(accesses, sizes, sizes)
def test_schemes_on_random_traces(
    steps: list[tuple[int, bool]], r: int, f: int
) -> None:
    with token_trace(text_of(steps)) as trace:
        curve = curve_of(trace)
        found = {
            name: replay(trace, "scheme", name, r, f)
            for name in ("inclusive", "inclusive_global", "exclusive", "lazy")
        }
    model = counts.hits_from_curve(curve, r, f)
    for name, row in found.items():
        assert row["ram_hits"] + row["flash_hits"] + row["flash_misses"] == len(steps)
        assert row["ram_hits"] == float(model[name].ram_hits)  # RAM is LRU under all
        assert row["flash_reads"] == row["flash_hits"]
        assert row["hdd_reads"] == row["flash_misses"]
    # exclusive is one LRU of r + f pages, exactly
    exclusive = found["exclusive"]
    assert exclusive["flash_hits"] == float(curve.misses(r) - curve.misses(r + f))
    assert exclusive["hdd_writes"] == float(curve.write_backs(r + f))
    if f > r:
        shared = found["inclusive_global"]
        assert shared["flash_misses"] == float(curve.misses(f))
    # RAM does not see what lies below: dirty evictions of inclusive and lazy are the same
    lazy, inclusive = found["lazy"], found["inclusive"]
    assert lazy["ram_dirty_evictions"] == inclusive["ram_dirty_evictions"]
    assert lazy["ram_evictions"] == inclusive["ram_evictions"]


STACKS = ("none", "exclusive", "inclusive_global")
"""Schemes under which all tiers together hold what one LRU holds. Under `inclusive` and `lazy` flash sees the misses of
RAM alone, so more RAM may hide from it which pages are in use."""


@settings(max_examples=60)
@given(accesses, sizes, sizes, st.integers(1, 12), st.sampled_from(STACKS))
def test_more_ram_never_misses_more(
    steps: list[tuple[int, bool]], r: int, f: int, more: int, scheme: str
) -> None:
    flash = 0 if scheme == "none" else f
    with token_trace(text_of(steps)) as trace:
        curve = curve_of(trace)
        small, large = (
            replay(trace, "scheme", scheme, pages, flash) for pages in (r, r + more)
        )
    assert large["flash_misses"] <= small["flash_misses"]
    assert large["ram_hits"] >= small["ram_hits"]
    # So says the model, of the recording and of any larger system of the same curve.
    [few, many] = (
        counts.hits_from_curve(curve, pages, flash)[scheme] for pages in (r, r + more)
    )
    assert float(many.flash_misses) <= float(few.flash_misses)


@settings(max_examples=40)
@given(accesses, sizes, sizes)
def test_a_victim_on_flash_was_once_read_from_there(
    steps: list[tuple[int, bool]], r: int, f: int
) -> None:
    """Count form of q <= h_f / m_r, with equality where flash never drops anything."""
    with token_trace(text_of(steps)) as trace:
        row = replay(trace, "scheme", "lazy", r, f)
        roomy = replay(trace, "scheme", "lazy", r, 20)
    assert row["victims_found_on_flash"] <= row["flash_hits"]
    # Flash that holds every page drops none: found are all flash hits but those still in RAM.
    assert roomy["flash_evictions"] == 0
    left = roomy["flash_hits"] - roomy["victims_found_on_flash"]
    assert 0 <= left <= r
    assert (
        roomy["flash_fills"] == roomy["ram_evictions"] - roomy["victims_found_on_flash"]
    )


@settings(max_examples=40)
@given(accesses, sizes)
def test_lazy_writes_follow_exactly_from_what_they_name(
    steps: list[tuple[int, bool]], r: int
) -> None:
    """Flash writes = evictions (1 - q_f + q_f d) with the replay's own q_f and d."""
    with token_trace(text_of(steps)) as trace:
        row = replay(trace, "scheme", "lazy", r, 2 * r)
    evictions, on_flash = row["ram_evictions"], row["victims_found_on_flash"]
    dirty = row["flash_write_backs"]
    assert row["flash_writes"] == evictions - on_flash + dirty


@pytest.mark.formula(
    "evaluate.page_flow.lazy_writes.lazy_flash_writes",
    "evaluate.page_flow.lazy_writes.returning_dirty_share",
)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12),
    st.integers(1, 3000),
    st.integers(0, 9000),
)
def test_lazy_writes_are_between_none_and_all_victims(
    drops: list[float], r: int, f: int
) -> None:
    pages = np.arange(1, len(drops) + 1) * 500
    misses = 10_000 * np.cumprod([1.0, *[1 - d / 2 for d in drops[1:]]])
    curve = Curve.from_lists(
        pages,
        misses,
        misses * 0.4,
        accesses=10_000,
        distinct_pages=int(pages[-1]),
        page_bytes=4096,
        write_accesses=4000,
    )
    size, flash = np.asarray(float(r)), np.asarray(float(f))
    lazy = counts.hits_from_curve(curve, size, flash)["lazy"]
    written = float(lazy_writes.lazy_flash_writes(curve, size, flash, lazy))
    evictions = float(curve.evictions(size))
    assert 0 <= written <= evictions * (1 + 1e-12)
    share = float(
        lazy_writes.returning_dirty_share(
            curve, size, size + lazy.effective_flash_pages
        )
    )
    assert 0 <= share <= 1
    if 0 < 2 * f <= r:  # found none: all victims are written
        assert written == pytest.approx(evictions)


@pytest.mark.slow
def test_lazy_writes_are_nearer_to_the_replay_than_c3(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The recorded TPC-B cut, where returning victims are less often dirty."""
    path = tmp_path_factory.mktemp("lazy") / "cut.twt"
    _simulator.convert(str(TPCB), str(path))
    trace = Trace(path)
    curve = curve_of(trace)
    better, printed, said = [], [], []
    for r in (153, 306, 1534):
        for ratio in (0.5, 1, 2, 6, 10, 20):
            f = int(r * ratio)
            counted = replay(trace, "scheme", "lazy", r, f)["flash_writes"]
            found = evaluation.evaluate(
                curve,
                ram_pages=r,
                flash_pages=f,
                flash=catalog.device("kv2009-intel-x25e"),
                disk=catalog.device("face2016-cheetah-15k6-single"),
            )
            result = found.schemes["lazy"]
            said += [w.message for w in found.warnings if w.name == WRITES_DIFFER]
            better.append(result.flash_writes_cold_start / counted - 1)
            evicts = float(curve.evictions(r) / curve.misses(r))
            c3 = result.flash_misses * evicts + result.p_d * result.flash_hits
            printed.append(c3 / counted - 1)
    assert np.abs(better).max() < 0.05
    assert np.abs(better).mean() < np.abs(printed).mean() / 2
    assert np.abs(printed).max() > 0.09  # what the estimate mends
    assert 0 < len(said) < len(better)
    assert all("% more flash writes than" in message for message in said)


# --- directories --------------------------------------------------------------------------

SIZES = np.unique(np.geomspace(1, 65_536, 300).astype(np.int64))
MISSES = 1e6 * (1 - 0.9 * np.log1p(SIZES) / np.log1p(65_536))
CURVE = Curve.from_lists(
    SIZES,
    MISSES,
    MISSES * 0.3,
    accesses=1_000_000,
    distinct_pages=65_536,
    page_bytes=4096,
    write_accesses=300_000,
)
FLASH = catalog.device("kv2009-intel-x25e")
DISK = catalog.device("face2016-cheetah-15k6-single")


def directories(**more: Any) -> advise_directories.Directories:
    given_: dict[str, Any] = {
        "ram_bytes": 8 * 2**20,
        "flash_bytes": 128 * 2**20,
        "flash": FLASH,
        "disk": DISK,
        **more,
    }
    return directories_question.answer(CURVE, **given_)


@pytest.mark.oracle("advise.directories.answer")
def test_a_directory_option_is_the_sum_of_its_formulas() -> None:
    found = directories(use=DirectoryUse(lookup_pages=1, update_pages=2))
    inside, outside = found.options
    assert (inside.placement, outside.placement) == ("ram", "flash")
    # 128 MiB in 4 KiB pages: 52 + 15 + 1 + 64 = 132 bits, 17 bytes an entry
    assert inside.entry_bytes == 17
    assert inside.directory_bytes == 17 * 32768
    assert inside.ram_pages == (8 * 2**20 - 17 * 32768) // (4096 + 48)
    assert (inside.lookup_us, inside.update_us) == (0, 0)
    read, write = 1e6 / 35000, 1e6 / 3300
    assert outside.lookup_us == pytest.approx(0.1 * read + 0.3 * write)
    assert outside.update_us == pytest.approx(2 * (0.1 * read + 0.3 * write))
    grid = evaluation.evaluate_grid(
        CURVE,
        ram_pages=outside.ram_pages,
        flash_pages=outside.flash_pages,
        flash=FLASH,
        disk=DISK,
    )["lazy"]
    upkeep = costs.directory_costs(
        grid.flash_hits,
        grid.flash_misses,
        p_d=float(CURVE.dirty_share(outside.ram_pages)),
        lookup=outside.lookup_us,
        update=outside.update_us,
    )
    lazy = outside.schemes["lazy"]
    assert lazy.io_us == pytest.approx(float(grid.io_time_us_per_access))
    assert lazy.directory_us == pytest.approx(float(upkeep.lazy) / 1e6)
    assert lazy.total_us == lazy.worst_total_us
    assert lazy.total_us == pytest.approx(lazy.io_us + lazy.directory_us)
    assert found.safest == found.best_if_full == 0
    assert found.remark == ""


def test_the_place_frees_ram_or_flash() -> None:
    inside, outside = directories().options
    assert outside.ram_pages > inside.ram_pages
    assert outside.flash_pages < inside.flash_pages
    consistent = directories(use=DirectoryUse(write_on_eviction=True)).options[1]
    assert consistent.lookup_us < outside.lookup_us


def test_larger_flash_pages_shrink_the_directory_and_say_their_range() -> None:
    found = directories(flash_page_bytes=[4096, 16384, 65536], placements=["ram"])
    kinds = [(o.flash_page_bytes, o.technique) for o in found.options]
    assert kinds == [
        (4096, None),
        (16384, "overwriting"),
        (16384, "invalidating"),
        (65536, "overwriting"),
        (65536, "invalidating"),
    ]
    small, over, invalid, *_ = found.options
    assert small.directory_bytes > invalid.directory_bytes >= over.directory_bytes
    assert over.flash_pages == over.flash_blocks * 4 == small.flash_pages
    for option in found.options[1:]:
        for cost in option.schemes.values():
            assert cost.worst_total_us >= cost.total_us
    # a victim whose block is absent reads 4 pages from disk: D_R + 12 KiB at 156 MB/s
    block_us = 1e6 / 409 + 3 * 4096 / 156
    misses = counts.hits_from_curve(CURVE, over.ram_pages, over.flash_pages)
    absent = float(misses["lazy"].flash_misses)
    lazy = over.schemes["lazy"]
    assert lazy.block_read_us == pytest.approx(absent * block_us / 1e6)
    assert invalid.schemes["lazy"].block_read_us == 0
    assert over.schemes["inclusive"].block_read_us == 0
    assert "block_hits_are_a_range" in {warning.name for warning in found.warnings}


def test_a_directory_that_fills_ram_is_no_option() -> None:
    found = directories(ram_bytes=2**19, flash_bytes=2**30)
    assert found.options[0].safest is None
    assert found.options[0].reason == "the directory leaves no room for a page"
    assert found.safest == 1


def test_the_choice_is_the_one_that_costs_least_at_worst() -> None:
    # Large blocks leave much more RAM, and may hold a sixteenth of the pages.
    found = directories(ram_bytes=2**17, flash_page_bytes=[4096, 65536])
    assert found.safest is not None
    assert found.best_if_full is not None
    assert found.safest != found.best_if_full
    chosen, rival = found.options[found.safest], found.options[found.best_if_full]
    worst = [
        min((c.worst_total_us for c in o.schemes.values()), default=math.inf)
        for o in found.options
    ]
    full = [
        min((c.total_us for c in o.schemes.values()), default=math.inf)
        for o in found.options
    ]
    assert found.safest == worst.index(min(worst))
    assert found.best_if_full == full.index(min(full))
    assert (chosen.worst_us, rival.full_us) == (min(worst), min(full))
    assert chosen.saving == pytest.approx(1 - min(worst) / found.none_us)
    assert rival.saving_if_full == pytest.approx(1 - min(full) / found.none_us)
    assert found.remark.startswith("If every flash page is full of valid pages, ")
    assert f"{100 * (rival.saving_if_full or 0):.3g} %" in found.remark


@pytest.mark.parametrize(
    ("ram_bytes", "flash_bytes", "sizes", "finding", "remark"),
    [
        # saves at worst, and nothing else would save more
        (
            2**20,
            2**24,
            [4096],
            "there it saves 34.6 % of the I/O time of a system without flash.",
            "",
        ),
        # another saves more if its pages are full, and still saves at worst
        (
            2**17,
            2**27,
            [4096, 65536],
            "on flash with flash pages of 4 KiB: there it saves 65.1 %",
            "in RAM with flash pages of 64 KiB (invalidating) saves 73.3 %; if each holds a "
            "single valid page, it saves 40.4 %.",
        ),
        # another saves more if its pages are full, and costs more than no flash at worst
        (
            2**14,
            2**22,
            [4096, 2**20],
            "on flash with flash pages of 4 KiB: there it saves 35.1 %",
            "if each holds a single valid page, an access takes 3.03 ms, against 2.95 ms "
            "without flash.",
        ),
        # even the safest may cost more than no flash
        (
            2**21,
            2**22,
            [65536],
            "Without flash an access takes 1.64 ms; the safest choice, the directory in RAM "
            "with flash pages of 64 KiB (invalidating), takes between 1.49 ms and 1.76 ms.",
            "",
        ),
        # flash pages that add nothing to RAM cost more at best and at worst
        (
            2**26,
            2**22,
            [4096],
            "takes 709 µs; the best choice, the directory in RAM with flash pages of 4 KiB, "
            "takes 757 µs.",
            "",
        ),
        (2**13, 2**31, [4096], "The directory leaves no room for a page", ""),
    ],
)
def test_what_is_said_of_directories_holds(
    ram_bytes: int, flash_bytes: int, sizes: list[int], finding: str, remark: str
) -> None:
    found = directories(
        ram_bytes=ram_bytes, flash_bytes=flash_bytes, flash_page_bytes=sizes
    )
    assert finding in found.finding
    assert found.remark.endswith(remark)
    assert bool(found.remark) == bool(remark)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ram_bytes": 0}, "ram_bytes: `0`"),
        ({"flash_page_bytes": [6000]}, "not a multiple of the RAM page"),
        ({"placements": ["cloud"]}, "`cloud` is unknown"),
        ({"use": DirectoryUse(hit_ratio=2)}, "hit_ratio: `2` must not exceed 1"),
        ({"use": DirectoryUse(ram_lookup_us=-1)}, "L in RAM: `-1`"),
        ({"buffered_bytes": 1}, "buffered_bytes: `1` must lie between"),
    ],
)
def test_bad_directories_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        directories(**change)
    assert message in caught.value.message


# --- choice of a device -------------------------------------------------------------------

TABLE_2 = (
    "kv2009-samsung-mcaqe32g5app",
    "kv2009-intel-x25m",
    "kv2009-intel-x25e",
    "kv2009-fusion-iodrive",
)


@pytest.mark.oracle("advise.flash_choice.answer")
def test_the_devices_of_table_2_by_time_and_by_price_times_time() -> None:
    """Section 5.7: the fastest is the ioDrive; the price decides otherwise."""
    found = flash_choice.answer(
        CURVE,
        ram_pages=1000,
        flash_pages=20_000,
        candidates=[catalog.device(name) for name in TABLE_2],
        disk=DISK,
        prices=catalog.price_book("papers-2008-11"),
    )
    assert found.best_by_time == "kv2009-fusion-iodrive"
    times = [row.io_time_us_per_access for row in found.rows]
    assert times == sorted(times)
    schemes = {row.device_id: row.scheme for row in found.rows}
    assert schemes["kv2009-fusion-iodrive"] == "exclusive"  # writes as fast as reads
    slow = next(row for row in found.rows if row.device_id == TABLE_2[0])
    # 21 writes a second: no scheme beats no flash, so it is worth no price
    assert (slow.scheme, slow.price_times_time) == ("none", None)
    assert slow.reason == "no scheme with this flash beats no flash"
    priced = [row for row in found.rows if row.price_times_time is not None]
    least = min(priced, key=lambda row: row.price_times_time or 0)
    assert found.best_by_price_times_time == least.device_id == "kv2009-intel-x25m"
    usd = least.flash_usd_per_month
    assert usd is not None
    assert least.price_times_time == pytest.approx(
        float(usd) * least.io_time_us_per_access
    )


def test_a_device_without_service_times_is_rejected_with_its_reason() -> None:
    dram = catalog.device("kv2009-dram-2008")
    bare = type(dram)("bare", "Bare", "nvme")
    found = flash_choice.answer(
        CURVE, ram_pages=10, flash_pages=100, candidates=[bare], disk=DISK
    )
    assert found.rows == ()
    assert (found.best_by_time, found.best_by_price_times_time) == (None, None)
    assert found.rejected == {
        "bare": "states no read service time and no write service time"
    }
    with pytest.raises(BadInput, match="no flash device to choose from"):
        flash_choice.answer(
            CURVE, ram_pages=10, flash_pages=100, candidates=[], disk=DISK
        )


# --- commands -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (
            [
                "directories",
                "--ram-bytes=8MiB",
                "--flash-bytes=128MiB",
                f"--flash-device={FLASH.id}",
                "--flash-page-bytes=4096,16384",
            ],
            "options",
        ),
        (
            [
                "choose-flash",
                "--ram-pages=1000",
                "--flash-pages=20000",
                f"--candidates={','.join(TABLE_2)}",
                "--price-book=papers-2008-11",
            ],
            "rows",
        ),
    ],
)
def test_commands_print_one_document(
    command: list[str], key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "profile.json"
    Profile(CURVE, None).write(path)
    whole = [command[0], str(path), *command[1:], f"--disk-device={DISK.id}"]
    assert main([*whole, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)[key]) in (4, 6)
    assert main(whole) == 0
    assert "lazy" in capsys.readouterr().out
