"""Replays behind the checks of directories, restart and fragments: which, and what they say."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise import directories
from tierwright.advise.checks.directories import check, replayed
from tierwright.advise.checks.points import (
    Replay,
    directory_replays,
    fragment_replays,
    measured_use,
    replayed_directory,
    replayed_fragments,
    replayed_restart,
    replayed_upkeep,
    replayed_without_flash,
    restart_replays,
)
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent
from tierwright.evaluate.fragment_cache import clock
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import parse_tokens, token_trace

FLASH = catalog.device("kv2009-intel-x25e")
DISK = catalog.device("face2016-cheetah-15k6-single")
TOKENS = " ".join(f"{'RW'[at % 3 == 0]}{at * at % 61}" for at in range(600))
PAGE = 8192


def run(trace: Trace, wanted: Replay) -> dict[str, Any]:
    return replay(
        trace,
        wanted.family,
        wanted.name,
        wanted.ram_pages,
        wanted.flash_pages,
        options=wanted.options,
        warm_up=wanted.warm_up,
    )


def curve_of(trace: Trace) -> Curve:
    found = _simulator.curves(str(trace.path), **trace.arguments())
    return Curve.from_full(
        found["misses"],
        found["write_backs"],
        accesses=found["accesses"],
        page_bytes=found["page_bytes"],
        write_accesses=found["write_accesses"],
    )


def study_of(trace: Trace, **more: Any) -> directories.Directories:
    curve = curve_of(trace)
    asked: dict[str, Any] = {
        "ram_bytes": 8 * PAGE,
        "flash_bytes": 32 * PAGE,
        "flash": FLASH,
        "disk": DISK,
        "flash_page_bytes": [PAGE, 4 * PAGE],
        **more,
    }
    return directories.answer(curve, **asked)


@pytest.mark.oracle(
    "advise.checks.points.directory_replays",
    "advise.checks.points.replayed_directory",
    "advise.checks.points.replayed_without_flash",
)
def test_every_directory_is_replayed_at_its_own_sizes() -> None:
    with token_trace(TOKENS) as trace:
        study = study_of(
            trace,
            flash_bytes=200 * PAGE,
            flash_page_bytes=[PAGE, 4 * PAGE, 128 * PAGE],
        )
        replays = directory_replays(study, start="cold", accesses=600)
        rows = {name: run(trace, each) for name, each in replays.items()}
    assert replays["none"].ram_pages == 8 * PAGE // (PAGE + 48)
    none = rows["none"]
    by_hand = none["hdd_reads"] * (service_us(DISK, "read", PAGE) or 0)
    by_hand += none["hdd_writes"] * (service_us(DISK, "write", PAGE) or 0)
    assert replayed_without_flash(none, disk=DISK) == pytest.approx(by_hand / 600)
    for index, option in enumerate(study.options):
        if option.flash_page_bytes > 64 * PAGE:
            assert not any(name.startswith(f"{index} ") for name in replays)
            continue
        replay = replays[f"{index} {option.safest}"]
        assert (replay.ram_pages, replay.flash_pages) == (
            option.ram_pages,
            option.flash_pages,
        )
        row = rows[f"{index} {option.safest}"]
        if option.placement == "flash":
            size = -(-option.directory_bytes // PAGE)
            assert replay.options["directory_pages"] == str(size)
            # A tenth of less than ten pages: the least that can be held.
            assert replay.options["directory_buffer_pages"] == "1"
        if option.technique is None:
            io = sum(
                row[f"{tier}_{operation}s"] * (service_us(device, operation, PAGE) or 0)
                for tier, device in (("flash", FLASH), ("hdd", DISK))
                for operation in ("read", "write")
            )
            upkeep = row["directory_lookups"] * option.lookup_us
            upkeep += row["directory_updates"] * option.update_us
            if option.placement == "flash":
                kept = row["directory"]
                upkeep = kept["reads"] * (service_us(FLASH, "read", PAGE) or 0)
                upkeep += kept["writes"] * (service_us(FLASH, "write", PAGE) or 0)
            else:
                assert replay.options == {}
                assert "directory" not in row
            found = replayed_directory(row, option, flash=FLASH, disk=DISK)
            assert found == pytest.approx((io + upkeep) / 600)
        else:
            assert replay.options["block_technique"] == option.technique
            assert row["blocks"]["block_pages"] == 4


GOLDEN = 0x9E3779B97F4A7C15


def slow_directory(  # noqa: C901  # three schemes in one
    scheme: str, accesses: str, r: int, f: int
) -> list[tuple[int, bool]]:
    """Entries that a scheme looks up (False) and updates (True), in order: lists, least recent first."""
    numbers: dict[str, int] = {}
    ram: dict[int, bool] = {}
    flash: dict[int, bool] = {}
    asked: list[tuple[int, bool]] = []

    def leave_flash() -> None:
        held = [page for page in flash if scheme != "inclusive" or page not in ram]
        flash.pop(held[0])
        asked.append((held[0], True))

    for token in accesses.split():
        page, write = numbers.setdefault(token[1:], len(numbers)), token[0] == "W"
        if page in ram:
            ram[page] = ram.pop(page) or write
            continue
        asked.append((page, False))
        dirty, there = False, page in flash
        if there and scheme == "exclusive":
            dirty = flash.pop(page)
        elif there and scheme == "lazy":
            flash[page] = flash.pop(page)
            asked.append((page, True))
        if len(ram) == r:
            victim = next(iter(ram))
            was_dirty = ram.pop(victim)
            if scheme == "lazy":
                asked.append((victim, False))
            if scheme != "exclusive" and victim in flash:
                if was_dirty:
                    flash.pop(victim)
                    flash[victim] = True
                    asked.append((victim, True))
            else:
                if len(flash) == f:
                    leave_flash()
                flash[victim] = was_dirty
                asked.append((victim, True))
        if scheme == "inclusive":
            if there:
                flash[page] = flash.pop(page)
            else:
                if len(flash) == f:
                    leave_flash()
                flash[page] = False
            asked.append((page, True))
        ram[page] = write or dirty
    return asked


@settings(max_examples=60)
@given(
    st.sampled_from(["inclusive", "exclusive", "lazy"]),
    st.lists(
        st.tuples(st.sampled_from("RW"), st.integers(0, 40)), min_size=1, max_size=300
    ),
    st.integers(1, 6),
    st.integers(1, 8),
    st.integers(1, 20),
    st.data(),
)
def test_pages_of_a_directory_on_flash_are_those_of_a_slow_one(
    scheme: str,
    drawn: list[tuple[str, int]],
    ram: int,
    more: int,
    pages: int,
    data: st.DataObject,
) -> None:
    """Each lookup and update asks an LRU list of directory pages; what was updated is written as it leaves."""
    buffered = data.draw(st.integers(1, pages))
    tokens = " ".join(f"{kind}{page}" for kind, page in drawn)
    held: dict[int, bool] = {}
    reads = evictions = writes = 0
    asked = slow_directory(scheme, tokens, ram, ram + more)
    for entry, updates in asked:
        place = (((entry * GOLDEN) % 2**64 >> 32) * pages) >> 32
        if place in held:
            held[place] = held.pop(place) or updates
            continue
        reads += 1
        if len(held) == buffered:
            evictions += 1
            writes += held.pop(next(iter(held)))
        held[place] = updates
    with token_trace(tokens) as trace:
        options = {
            "directory_pages": str(pages),
            "directory_buffer_pages": str(buffered),
        }
        row = run(trace, Replay("scheme", scheme, ram, ram + more, 0, options))
        plain = run(trace, Replay("scheme", scheme, ram, ram + more, 0))
    assert row.pop("directory") == {
        "directory_pages": pages,
        "buffer_pages": buffered,
        "accesses": len(asked),
        "reads": reads,
        "evictions": evictions,
        "writes": writes,
    }
    assert row == plain


def test_a_directory_of_blocks_has_an_access_for_each_lookup_and_update() -> None:
    with token_trace(TOKENS) as trace:
        for scheme in ("inclusive", "exclusive", "lazy"):
            for technique in ("overwriting", "invalidating"):
                options = {
                    "block_pages": "4",
                    "block_technique": technique,
                    "directory_pages": "3",
                    "directory_buffer_pages": "3",
                }
                row = run(trace, Replay("scheme", scheme, 8, 32, 300, options))
                kept = row["directory"]
                assert (
                    kept["accesses"]
                    == row["directory_lookups"] + row["directory_updates"]
                )
                # All of it is in RAM once the warm-up is over.
                assert (kept["reads"], kept["evictions"], kept["writes"]) == (0, 0, 0)


@pytest.mark.parametrize(("hits", "moves"), [(1.0, False), (0.0, True)])
def test_a_check_says_what_measured_hits_do_to_the_choice(
    hits: float, moves: bool
) -> None:
    """The directory leaves flash if its buffer is never hit, and stays if it always is."""
    with token_trace(TOKENS) as trace:
        study = study_of(
            trace,
            # A directory of ten pages, of which RAM holds eight: two more are left for the workload.
            ram_bytes=18 * PAGE,
            flash_bytes=6000 * PAGE,
            flash_page_bytes=[PAGE],
            buffered_bytes=8 * PAGE,
            use=directories.DirectoryUse(hit_ratio=1.0, dirty_share=0.0),
        )
        replays = directory_replays(study, start="cold", accesses=600)
        counters = {name: run(trace, each) for name, each in replays.items()}
    for row in counters.values():
        if "directory" in row:
            row["directory"]["reads"] = round(row["directory"]["accesses"] * (1 - hits))
            row["directory"]["writes"] = 0
    assert study.safest is not None
    assert study.options[study.safest].placement == "flash"
    found = check(study, page_bytes=PAGE, flash=FLASH, disk=DISK, counters=counters)
    said = f"served {percent(hits)} of its lookups and updates in the replay; the answer assumes {percent(1.0)}"
    assert said in found.finding
    assert ("still chooses" in found.finding) is not moves
    assert ("chooses the directory in RAM" in found.finding) is moves
    rows = {each.figure: each for each in found.rows if "on flash" in each.title}
    assert rows["hits of the directory in RAM"].model == 1.0
    assert rows["hits of the directory in RAM"].simulated == pytest.approx(hits)


@pytest.mark.oracle("advise.checks.directories.replayed")
@pytest.mark.formula("advise.checks.directories.replayed")
@settings(max_examples=5)
@given(st.floats(0, 1), st.floats(0, 1))
def test_what_a_replay_says_does_not_depend_on_what_is_assumed(
    hits: float, dirty: float
) -> None:
    """It is that of replays one by one, whatever the directory was assumed to do."""
    with token_trace(TOKENS) as trace:
        study = study_of(
            trace, use=directories.DirectoryUse(hit_ratio=hits, dirty_share=dirty)
        )
        found = replayed(study, curve_of(trace), trace, flash=FLASH, disk=DISK)
        replays = directory_replays(study, start="cold", accesses=600)
        rows = {name: run(trace, each) for name, each in replays.items()}
    for each in found.rows:
        if not each.figure.startswith("time") or each.of == "none":
            continue
        option = study.options[int(each.of.split()[0])]
        time = replayed_directory(rows[each.of], option, flash=FLASH, disk=DISK)
        assert each.simulated == pytest.approx(time)
    assumed = [each for each in found.rows if each.figure.startswith("hits")]
    assert assumed
    for each in assumed:
        kept = rows[each.of]["directory"]
        assert each.model == hits
        assert each.simulated == pytest.approx(1 - kept["reads"] / kept["accesses"])


@pytest.mark.oracle(
    "advise.checks.points.measured_use", "advise.checks.points.replayed_upkeep"
)
def test_a_measured_use_is_what_was_counted() -> None:
    kept = {"accesses": 200, "reads": 50, "evictions": 40, "writes": 10}
    use = measured_use({"directory": kept}, directories.DirectoryUse(update_pages=3.0))
    assert (use.hit_ratio, use.dirty_share, use.write_on_eviction) == (0.75, 0.25, True)
    assert use.update_pages == 3.0
    with token_trace("R1 W2 R3 R1 R9") as trace:
        study = study_of(trace, use=directories.DirectoryUse(update_pages=3.0))
    option = next(each for each in study.options if each.placement == "flash")
    row = {
        "accesses": 1000,
        "page_bytes": PAGE,
        "directory": kept,
        "directory_lookups": 150,
        "directory_updates": 50,
    }
    read, write = (service_us(FLASH, each, PAGE) or 0 for each in ("read", "write"))
    # 150 lookups of a page and 50 updates of three: 1.5 pages for each access that was counted.
    expected = 1.5 * (50 * read + 10 * write) / 1000
    assert replayed_upkeep(row, option, flash=FLASH) == pytest.approx(expected)


@pytest.mark.formula(
    "advise.checks.points.measured_use", "advise.checks.points.replayed_upkeep"
)
@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 200))
def test_more_directory_reads_are_fewer_hits_and_more_time(
    reads: int, writes: int, more: int
) -> None:
    with token_trace("R1 W2 R3 R1 R9") as trace:
        study = study_of(trace)
    option = next(each for each in study.options if each.placement == "flash")

    def row(of: int) -> dict[str, Any]:
        kept = {
            "accesses": 400,
            "reads": of,
            "evictions": of,
            "writes": min(of, writes),
        }
        return {
            "accesses": 1000,
            "page_bytes": PAGE,
            "directory": kept,
            "directory_lookups": 300,
            "directory_updates": 100,
        }

    one, other = row(reads), row(reads + more)
    assert (
        measured_use(one, study.use).hit_ratio
        > measured_use(other, study.use).hit_ratio
    )
    assert replayed_upkeep(one, option, flash=FLASH) < replayed_upkeep(
        other, option, flash=FLASH
    )


@pytest.mark.formula(
    "advise.checks.points.directory_replays",
    "advise.checks.points.replayed_directory",
    "advise.checks.points.replayed_without_flash",
)
@given(st.sampled_from(["steady", "cold"]), st.integers(0, 500), st.integers(1, 100))
def test_a_directory_that_works_more_is_no_faster(
    start: str, lookups: int, more: int
) -> None:
    with token_trace("R1 W2 R3 R1 R9") as trace:
        study = study_of(trace)
    replays = directory_replays(study, start=start, accesses=1000)
    assert {each.warm_up for each in replays.values()} == {
        500 if start == "steady" else 0
    }
    option = next(each for each in study.options if each.placement == "flash")

    def time(count: int) -> float:
        row = {
            "accesses": 1000,
            "page_bytes": PAGE,
            "directory_lookups": count,
            "directory_updates": 3,
            **dict.fromkeys(
                ("flash_reads", "flash_writes", "hdd_reads", "hdd_writes"), 5
            ),
        }
        return replayed_directory(row, option, flash=FLASH, disk=DISK)

    assert time(lookups) < time(lookups + more)
    free = {"accesses": 1000, "page_bytes": PAGE, "flash_reads": 0, "flash_writes": 0}
    times = [
        replayed_without_flash({**free, "hdd_reads": n, "hdd_writes": 0}, disk=DISK)
        for n in (lookups, lookups + more)
    ]
    assert times[0] < times[1]


def test_a_disk_without_times_has_no_time() -> None:
    untold = catalog.device("fdbuffer2011-mtron-3035-64gb")
    row = {"accesses": 1, "page_bytes": PAGE, "hdd_reads": 0, "hdd_writes": 1}
    with pytest.raises(BadInput, match="has no I/O time"):
        replayed_without_flash(
            {**row, "flash_reads": 0, "flash_writes": 0}, disk=untold
        )


@pytest.mark.oracle(
    "advise.checks.points.restart_replays", "advise.checks.points.replayed_restart"
)
def test_a_restart_reads_from_flash_what_survived() -> None:
    """Pages that were pushed out to flash are all found there, those never seen are not."""
    # RAM of 2, flash of 40: pages 0 to 39 go round; behind the crash twenty of them come again,
    # then twenty that were never there.
    head = [f"R{at % 40}" for at in range(80)]
    tail = [f"R{at}" for at in range(20)] + [f"R{100 + at}" for at in range(60)]
    text = " ".join(head + tail)
    with token_trace(text) as trace:
        replays = restart_replays(ram_pages=2, flash_pages=200, accesses=160, window=40)
        rows = {name: run(trace, each) for name, each in replays.items()}
    found = replayed_restart(rows, 160)
    assert found.flash_share == pytest.approx(20 / 40)
    # every slot in use is scanned: fewer than two segments
    assert found.metadata_bytes == rows["warm"]["restart_pages_scanned"] * PAGE > 0
    assert found.fill_accesses is None


@pytest.mark.formula(
    "advise.checks.points.restart_replays", "advise.checks.points.replayed_restart"
)
@settings(max_examples=15)
@given(st.integers(100, 300), st.integers(1, 200))
def test_a_larger_flash_takes_no_less_to_fill(flash_pages: int, window: int) -> None:
    text = " ".join(f"R{at}" for at in range(800))
    filled = []
    with token_trace(text) as trace:
        for pages in (flash_pages, flash_pages + 100):
            replays = restart_replays(
                ram_pages=2, flash_pages=pages, accesses=800, window=window
            )
            rows = {name: run(trace, each) for name, each in replays.items()}
            found = replayed_restart(rows, 800)
            assert found.flash_share == 0
            assert found.fill_accesses is not None
            filled.append(found.fill_accesses)
            # each access brings one page: as many accesses as pages, but for the batch
            assert found.fill_accesses == pytest.approx(pages, abs=70)
    assert filled[0] <= filled[1]


def test_too_short_a_trace_cannot_crash() -> None:
    with pytest.raises(BadInput, match="too few"):
        restart_replays(ram_pages=1, flash_pages=1, accesses=15, window=1)


@pytest.mark.oracle(
    "advise.checks.points.fragment_replays", "advise.checks.points.replayed_fragments"
)
def test_fragments_miss_as_the_clock_of_the_paper() -> None:
    """Two pages a fragment, three fragments: the slow CLOCK of `sce` on the fragments."""
    accesses = [int(page) for page, _ in parse_tokens(TOKENS)]
    blocks: dict[int, int] = {}
    placed = [blocks.setdefault(page, len(blocks)) // 2 for page in accesses]
    slow = clock(placed, frames=3)
    with token_trace(TOKENS) as trace:
        replays = fragment_replays(
            [PAGE, 2 * PAGE, 3 * PAGE + 1, 128 * PAGE],
            page_bytes=PAGE,
            ram_pages=4,
            flash_pages=7,
            start="cold",
            accesses=600,
        )
        rows = {name: run(trace, each) for name, each in replays.items()}
    assert set(rows) == {"ram", str(2 * PAGE)}
    row = rows[str(2 * PAGE)]
    # An access to the page read last is answered by its one page of RAM: not asked of the CLOCK.
    assert row["flash_misses"] == pytest.approx(600 - slow.hits, abs=20)
    found = replayed_fragments(rows)[2 * PAGE]
    assert found == min(1.0, row["flash_misses"] / rows["ram"]["flash_misses"])


@pytest.mark.formula(
    "advise.checks.points.fragment_replays", "advise.checks.points.replayed_fragments"
)
@given(st.integers(1, 1000), st.integers(0, 1000))
def test_a_miss_rate_is_a_share(reached: int, missed: int) -> None:
    rows = {"ram": {"flash_misses": reached}, "65536": {"flash_misses": missed}}
    [rate] = replayed_fragments(rows).values()
    assert 0 <= rate <= 1
    assert rate == min(1.0, missed / reached)
    with pytest.raises(BadInput, match="nothing misses RAM"):
        replayed_fragments({"ram": {"flash_misses": 0}})
