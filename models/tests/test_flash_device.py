"""The simulated flash device against the closed forms, and what is said about it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import flash_device as question
from tierwright.common.core_errors import ParameterError
from tierwright.common.errors import BadInput
from tierwright.evaluate.modern.write_amplification import waf_fifo, waf_greedy
from tierwright.simulate.flash_device import (
    COLLECTIONS,
    Collection,
    FlashDevice,
    Part,
    serve_requests,
    simulate_writes,
)

BLOCKS = 2048
"""As in the reference simulation."""
PUBLISHED = {
    # spare, blocks of 64: greedy, FIFO, best of 10, random, without corrections (2,048 blocks).
    0.07: {"greedy": 7.095, "fifo": 7.926, "choices": 7.414, "random": 15.53},
    0.28: {"greedy": 2.410, "fifo": 2.488, "choices": 2.478, "random": 4.592},
    0.50: {"greedy": 1.682, "fifo": 1.719, "choices": 1.724, "random": 2.994},
}


def device(
    spare: float, block_pages: int, collection: Collection, **more: Any
) -> FlashDevice:
    """Return one of so many blocks, with the logical pages that leave the spare."""
    logical = int(BLOCKS * block_pages / (1 + spare))
    return FlashDevice(logical, BLOCKS, block_pages, collection, **more)


def waf(of: FlashDevice, overwrites: int = 8) -> float:
    writes = overwrites * of.logical_pages
    found = simulate_writes(of, [Part(of.logical_pages)], writes=writes, warm_up=writes)
    return float(found["waf"])


@pytest.mark.oracle("advise.flash_device.closed_form")
@pytest.mark.parametrize("block_pages", [32, 64, 128])
@pytest.mark.parametrize("spare", [0.07, 0.28, 0.5])
@pytest.mark.parametrize("collection", ["greedy", "fifo"])
def test_it_is_within_a_percent_of_the_closed_form_at_the_usable_spare(
    collection: Collection, spare: float, block_pages: int
) -> None:
    of = device(spare, block_pages, collection)
    corrected = (1 + of.spare) * (BLOCKS - 2) / BLOCKS - 1
    assert of.usable_spare == pytest.approx(corrected)
    expected = (
        waf_greedy(corrected, block_pages).waf
        if collection == "greedy"
        else waf_fifo(corrected).waf
    )
    assert question.closed_form(of, [Part(of.logical_pages)]) == pytest.approx(expected)
    assert waf(of) == pytest.approx(expected, rel=0.01)


def test_every_rule_is_simulated_at_every_spare_space_asked_for() -> None:
    of = FlashDevice.of_spare(16_384, 0.28, 16)
    found = question.answer(of, spares=[0.5, 0.14, 0.5])
    assert [(each.collection, each.spare) for each in found.by_spare] == [
        (rule, pytest.approx(spare, abs=0.001))
        for rule in COLLECTIONS
        for spare in (0.14, 0.5)
    ]
    for each in found.by_spare:
        assert (each.closed_form is None) == (each.collection == "cost-benefit")
        if each.closed_form is not None:
            assert each.waf == pytest.approx(each.closed_form, rel=0.03)
    assert question.answer(of).by_spare == ()


def test_the_life_at_drive_writes_per_day_does_not_depend_on_the_size() -> None:
    lives = [
        question.answer(
            FlashDevice.of_spare(pages, 0.28, 16),
            pe_cycles=3000,
            drive_writes_per_day=2,
        )
        for pages in (16_384, 65_536)
    ]
    for found in lives:
        assert found.life is not None
        # All NAND, as often as it endures, over what flash writes in a day.
        days = (1 + found.spare) * 3000 / (found.waf * 2)
        assert float(found.life.years) == pytest.approx(days / 365, rel=1e-9)
    with pytest.raises(BadInput, match="two are given"):
        question.answer(
            device(0.28, 64, "greedy"),
            pe_cycles=3000,
            write_mb_per_s=1,
            drive_writes_per_day=1,
        )


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from(["greedy", "fifo", "random"]),
    st.sampled_from([0.07, 0.28]),
    st.sampled_from([0.01, 0.1, 0.25]),
)
def test_a_buffer_has_the_write_amplification_of_its_closed_form(
    collection: Collection, spare: float, part: float
) -> None:
    # Random victims of a smaller device vary by more than a percent from seed to seed.
    bare = FlashDevice.of_spare(65_536, spare, 32, collection=collection)
    buffered = replace(bare, buffer_pages=int(part * bare.logical_pages))
    found = question.answer(buffered, writes=6 * bare.logical_pages)
    assert found.closed_form == pytest.approx(found.waf, rel=0.015)
    assert found.absorbed / found.host_writes == pytest.approx(part, abs=0.01)
    assert found.waf < question.answer(bare, writes=6 * bare.logical_pages).waf


def test_a_buffer_has_no_closed_form_of_other_writes_and_must_leave_some() -> None:
    of = FlashDevice.of_spare(16_384, 0.28, 16, buffer_pages=100)
    assert question.answer(of, "zipf").closed_form is None
    assert question.answer(of, trim_share=0.1).closed_form is None
    with pytest.raises(ParameterError, match="buffer-pages `16384`: is not from 0"):
        question.answer(replace(of, buffer_pages=16_384))


def test_the_derivation_adds_up_beside_a_buffer() -> None:
    of = FlashDevice.of_spare(8192, 0.28, 32, buffer_pages=2000)
    found = question.answer(of)
    [step] = [each for each in found.derivation() if each.name == "WAF"]
    assert f"moved = {found.moved:,}" in step.formula
    written = found.waf * found.host_writes - found.moved
    assert f"written = {round(written):,}" in step.formula
    assert written < found.host_writes


def test_a_load_that_the_buffer_takes_wears_nothing() -> None:
    of = FlashDevice.of_spare(200, 0.28, 8, buffer_pages=190)
    found = question.answer(
        of, "zipf", exponent=10, pe_cycles=3000, drive_writes_per_day=1
    )
    assert found.waf == 0
    assert "does not wear out" in found.finding
    worn = question.answer(
        replace(of, buffer_pages=0), "zipf", pe_cycles=3000, drive_writes_per_day=1
    )
    assert "does not wear out" not in worn.finding


def test_victims_by_chance_have_no_closed_form_of_sequential_writes() -> None:
    for collection in COLLECTIONS:
        of = FlashDevice.of_spare(8192, 0.28, 32, collection=collection)
        found = question.answer(of, "sequential")
        if collection in ("random", "choices"):
            assert found.closed_form is None
            assert found.waf > 1
        else:
            assert found.closed_form == 1.0 == pytest.approx(found.waf, abs=0.01)


def test_trim_saves_the_share_of_flash_writes_that_it_states() -> None:
    of = FlashDevice.of_spare(16_384, 0.28, 16)
    found = question.answer(of, trim_share=0.1)
    assert found.waf_without_trim is not None
    assert found.trim_saves == pytest.approx(1 - found.waf / found.waf_without_trim)
    assert found.trim_saves > 0.1
    assert question.answer(of).trim_saves is None
    # A log that is written in order has nothing to save.
    log = question.answer(of, "sequential", trim_share=0.1)
    assert log.trim_saves == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("spare", PUBLISHED)
@pytest.mark.parametrize("collection", ["greedy", "fifo", "choices", "random"])
def test_it_gives_what_another_simulation_gave(
    collection: Collection, spare: float
) -> None:
    found = waf(device(spare, 64, collection))
    assert found == pytest.approx(PUBLISHED[spare][collection], rel=0.01)


@pytest.mark.parametrize("collection", ["choices", "random"])
def test_random_rules_are_within_a_percent_of_their_closed_forms(
    collection: Collection,
) -> None:
    of = device(0.28, 64, collection)
    expected = question.closed_form(of, [Part(of.logical_pages)])
    assert waf(of) == pytest.approx(expected, rel=0.01)


@pytest.mark.oracle("advise.flash_device.answer")
def test_trim_leaves_the_share_in_use_and_the_waf_of_the_model() -> None:
    found = question.answer(device(0.28, 64, "greedy"), trim_share=0.2)
    assert found.used_share == pytest.approx(0.75, rel=0.005)
    assert found.waf == pytest.approx(1.4215, rel=0.01)
    assert found.closed_form == pytest.approx(1.4176, rel=0.01)
    assert found.gap is not None
    assert abs(found.gap) < 0.01
    assert found.waf_without_trim == pytest.approx(2.410, rel=0.01)
    assert "TRIM saves 41.1 % of the flash writes" in found.finding


def test_streams_that_share_no_block_have_the_sum_of_their_wafs() -> None:
    # A log over half of the pages and half of the writes; random writes get all spare space.
    log: dict[str, Any] = {
        "workload": "log-and-random",
        "hot_pages": 0.5,
        "hot_writes": 0.5,
    }
    logical = 930 * 64 * 2
    streams = FlashDevice(logical, BLOCKS, 64, streams=2)
    found = question.answer(streams, **log)
    of_log, random = found.stream_wafs
    assert of_log == 1
    # Half of 1, and half of random writes on all that the log leaves.
    spare = (BLOCKS - 2.5 - 930) * 64 / (930 * 64) - 1
    expected = 0.5 + 0.5 * waf_greedy(spare, 64).waf
    assert found.closed_form == pytest.approx(expected, rel=1e-3)
    assert found.waf == pytest.approx(expected, rel=0.01)
    assert random == pytest.approx(2 * expected - 1, rel=0.01)
    mixed = question.answer(FlashDevice(logical, BLOCKS, 64), **log)
    assert mixed.waf > 1.2 * found.waf
    assert mixed.closed_form is None
    assert "no closed form covers this case" in mixed.finding
    # Page by page, collection copies what the log overwrites next: no sum holds.
    single = question.answer(streams, **log, run_pages=1)
    assert single.closed_form is None
    assert single.waf > 1.2 * found.waf


def test_cost_benefit_gains_where_copies_are_apart() -> None:
    def of(collection: Collection, copies: Literal["stream", "apart"]) -> float:
        return question.answer(
            device(0.1, 64, collection, copies=copies),
            "hot-cold",
            hot_pages=0.1,
            hot_writes=0.9,
        ).waf

    assert of("cost-benefit", "apart") < 0.7 * of("greedy", "apart")
    assert of("greedy", "apart") < of("greedy", "stream")
    assert of("cost-benefit", "stream") > of("greedy", "stream")


@pytest.mark.oracle("advise.flash_device.parts_of")
def test_a_log_is_written_without_a_copy() -> None:
    found = question.answer(device(0.07, 64, "greedy"), "sequential")
    assert (found.waf, found.moved, found.closed_form, found.gap) == (1, 0, 1, 0)
    [part] = question.parts_of("sequential", 100)
    assert part == Part(100, order="sequential")
    assert question.parts_of("zipf", 100, exponent=0.5) == [Part(100, 1, "zipf", 0.5)]
    assert question.parts_of("hot-cold", 100, hot_pages=0.3, streams=2) == [
        Part(30, 0.8),
        Part(70, pytest.approx(0.2), stream=1),
    ]


@pytest.mark.formula("advise.flash_device.parts_of")
@given(
    workload=st.sampled_from(question.WORKLOADS),
    pages=st.integers(2, 10**6),
    share=st.floats(0.3, 0.7),
)
def test_parts_are_all_pages_and_all_writes(
    workload: question.Workload, pages: int, share: float
) -> None:
    parts = question.parts_of(workload, pages, hot_pages=share, hot_writes=share)
    assert sum(part.pages for part in parts) == pages
    assert sum(part.write_share for part in parts) == pytest.approx(1)


@pytest.mark.formula("advise.flash_device.closed_form")
@given(
    collection=st.sampled_from(COLLECTIONS),
    spare=st.floats(0.1, 2),
    block_pages=st.sampled_from([4, 16, 64]),
    trim_share=st.sampled_from([0.0, 0.1, 0.3]),
)
def test_more_spare_and_more_trims_never_amplify_more(
    collection: Collection, spare: float, block_pages: int, trim_share: float
) -> None:
    def form(spare: float, trim_share: float) -> float | None:
        of = device(spare, block_pages, collection)
        return question.closed_form(of, [Part(of.logical_pages)], trim_share)

    found = form(spare, trim_share)
    if collection == "cost-benefit":
        assert found is None
        return
    more, trimmed = form(spare * 1.1, trim_share), form(spare, trim_share + 0.1)
    assert found is not None
    assert more is not None
    assert trimmed is not None
    assert 1 <= more <= found * (1 + 1e-9)
    assert trimmed <= found * (1 + 1e-9)


@pytest.mark.formula("advise.flash_device.answer")
@settings(max_examples=25, deadline=None)
@given(
    collection=st.sampled_from(COLLECTIONS),
    workload=st.sampled_from(question.WORKLOADS),
    copies=st.sampled_from(["stream", "apart"]),
    trim_share=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 2**32),
)
def test_an_answer_adds_up(
    collection: Collection,
    workload: question.Workload,
    copies: Literal["stream", "apart"],
    trim_share: float,
    seed: int,
) -> None:
    of = FlashDevice(500, 60, 10, collection, copies=copies)
    found = question.answer(of, workload, trim_share=trim_share, seed=seed)
    assert found.waf == pytest.approx(1 + found.moved / found.host_writes)
    assert found.host_writes + found.trims <= question.OVERWRITES * 500
    assert found.erases == pytest.approx(found.erases_mean * 60)
    assert found.erases_least <= found.erases_mean <= found.erases_most
    assert (found.waf_without_trim is None) is (trim_share == 0)
    if found.gap is not None and found.closed_form is not None:
        assert found.waf == pytest.approx(found.closed_form * (1 + found.gap))
    assert (found.used_share == 1) is (trim_share == 0)


@pytest.mark.oracle("simulate.flash_device.serve_requests")
def test_a_stream_of_writes_by_hand() -> None:
    # Blocks of 2 pages, 6 blocks, 4 pages; 2 blocks are held back.
    small = FlashDevice(4, 6, 2)
    found = serve_requests(small, [0, 1, 2, 3, 0, 1, 0, 1, 0, 1])
    # 5 blocks are filled; as the fifth opens, one free block is left, so the first is collected: empty.
    assert (found["host_writes"], found["moved"], found["erases"]) == (10, 0, 1)
    found = serve_requests(small, [0, 1, 2, 3, 0, 2, 0, 2, 0, 2])
    assert (found["host_writes"], found["erases"], found["used_pages"]) == (10, 1, 4)
    trimmed = serve_requests(small, [0, 1, 0], trims=[False, False, True], warm_up=1)
    assert (trimmed["host_writes"], trimmed["trims"], trimmed["used_pages"]) == (
        1,
        1,
        1,
    )


@pytest.mark.formula("simulate.flash_device.serve_requests")
@pytest.mark.formula("simulate.flash_device.simulate_writes")
@settings(max_examples=30)
@given(
    requests=st.lists(st.tuples(st.integers(0, 29), st.booleans()), max_size=300),
    collection=st.sampled_from(COLLECTIONS),
)
def test_counters_conserve(
    requests: list[tuple[int, bool]], collection: Collection
) -> None:
    of = FlashDevice(30, 14, 4, collection)
    pages = np.array([page for page, _ in requests], dtype=np.int64)
    found = serve_requests(of, pages, trims=[trim for _, trim in requests])
    written = found["host_writes"] + found["moved"]
    assert found["host_writes"] == sum(not trim for _, trim in requests)
    assert found["erases"] * 4 <= written <= (found["erases"] + 14) * 4
    state = dict(requests)
    assert found["used_pages"] == sum(not trim for trim in state.values())
    run = simulate_writes(of, [Part(30)], writes=len(requests), warm_up=30)
    assert run["host_writes"] == len(requests)
    assert run["used_pages"] == 30
    assert run["waf"] is None if not requests else run["waf"] >= 1


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_device_with_a_single_page_to_spare_works(collection: Collection) -> None:
    """While a victim is chosen, one block is free and one open: the others have one slot more than pages."""
    tight = FlashDevice(47, 8, 8, collection)
    assert tight.usable_spare == pytest.approx(1 / 47)
    found = simulate_writes(tight, [Part(47)], writes=500, warm_up=47)
    assert (found["host_writes"], found["used_pages"]) == (500, 47)
    roomy = FlashDevice(40, 8, 8, collection)
    looser = simulate_writes(roomy, [Part(40)], writes=500, warm_up=40)
    assert looser["waf"] < found["waf"]


def test_a_page_that_is_trimmed_in_the_write_buffer_is_absorbed() -> None:
    buffered = FlashDevice(9, 12, 2, buffer_pages=2)
    requests = [0, 1, 1, 2, 2]
    found = serve_requests(buffered, requests, trims=[False] * 4 + [True])
    # 0 went to flash, 1 was written twice and is in the buffer, 2 was trimmed there.
    assert (found["host_writes"], found["absorbed"], found["trims"]) == (4, 2, 1)
    assert found["streams"][0]["host_writes"] == 1
    assert found["used_pages"] == 2


@pytest.mark.oracle("simulate.flash_device.simulate_writes")
def test_a_seed_gives_the_same_run_and_wear_is_of_what_counts() -> None:
    of = device(0.28, 16, "choices")
    one, again, other = (
        simulate_writes(
            of, [Part(of.logical_pages)], writes=200_000, warm_up=50_000, seed=seed
        )
        for seed in (1, 1, 2)
    )
    assert one == again
    assert one["moved"] != other["moved"]
    assert one["wear"]["mean"] * BLOCKS == pytest.approx(one["erases"])
    assert one["wear"]["least"] <= one["wear"]["mean"] <= one["wear"]["most"]


def test_findings_follow_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    of = FlashDevice.of_spare(8192, 0.28, 64)
    plain = question.answer(of)
    assert "the closed form agrees with 2." in plain.finding
    assert plain.life is None
    lasting = question.answer(of, pe_cycles=3000, write_mb_per_s=20.0)
    assert lasting.life is not None
    years = float(lasting.life.years)
    seconds = 8192 * 4096 * (1 + of.spare) * 3000 / (lasting.waf * 20e6)
    assert years == pytest.approx(seconds / (365 * 86400))
    assert "the flash lasts" in lasting.finding
    idle = question.answer(of, pe_cycles=3000, write_mb_per_s=0.0)
    assert "does not wear out" in idle.finding
    # A device of a few blocks is far from the limit of many.
    few = question.answer(FlashDevice(80, 12, 10))
    assert few.gap is not None
    assert few.gap > 0.01
    assert "above the closed form, which gives 2.22" in few.finding
    monkeypatch.setattr(question, "closed_form", lambda *_: 4.0)
    assert "below the closed form, which gives 4.00" in question.answer(of).finding
    # Without trims in effect, nothing is saved.
    monkeypatch.setattr(question, "simulate_writes", lambda *_, **__: same)
    same = {**question_counts(), "waf": 2.0}
    assert "TRIM saves nothing" in question.answer(of, trim_share=0.1).finding


def question_counts() -> dict[str, Any]:
    """Return what a device counts that did little."""
    wear = {"least": 1, "mean": 1.0, "most": 1, "deviation": 0.0}
    counts = {
        "host_writes": 10,
        "moved": 10,
        "trims": 0,
        "erases": 1,
        "absorbed": 0,
        "used_pages": 1,
        "merges": {"full": 0, "partial": 0, "switch": 0},
    }
    return {**counts, "wear": wear, "streams": [{"host_writes": 10, "moved": 10}]}


@pytest.mark.parametrize(
    ("device", "asked", "message"),
    [
        (
            FlashDevice(1000, 30, 50),
            {"workload": "none"},
            "workload: `none` is unknown",
        ),
        (
            FlashDevice(1000, 30, 50, streams=2),
            {},
            "streams: `2` are more than the parts of workload `uniform`",
        ),
        (
            FlashDevice(1000, 30, 50),
            {"writes": 999},
            "writes: `999` do not overwrite 1,000 pages once",
        ),
        (FlashDevice(1000, 30, 50), {"pe_cycles": 1.0}, "needs both P/E cycles"),
        (
            FlashDevice(1000, 30, 50),
            {"workload": "log-and-random", "run_pages": 0},
            "run: `0` pages of the log at once are fewer than 1",
        ),
        (
            FlashDevice(1000, 30, 50),
            {"workload": "hot-cold", "hot_pages": 1.0},
            "a share of `1.0` leaves a part without pages",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(
    device: FlashDevice, asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput) as refused:
        question.answer(device, **asked)
    assert message in str(refused.value)
    assert refused.value.hint


def test_what_cannot_work_is_refused_by_the_core() -> None:
    with pytest.raises(ParameterError, match="leaves no room to collect"):
        question.answer(FlashDevice(1000, 20, 50))
    with pytest.raises(ParameterError, match="with 2 blocks free or open"):
        serve_requests(FlashDevice(48, 8, 8), [0])
    with pytest.raises(ParameterError, match=r"trim-share `0\.5`"):
        question.answer(FlashDevice(1000, 30, 50), trim_share=0.5)
    with pytest.raises(ParameterError, match="page `9`: is not below 9"):
        serve_requests(FlashDevice(9, 9, 4), [9])
    with pytest.raises(BadInput, match=r"pages\[1\] `-1` is not from 0"):
        serve_requests(FlashDevice(9, 9, 4), [0, -1])
    with pytest.raises(BadInput, match="type float64"):
        serve_requests(FlashDevice(9, 9, 4), [0.5])
    for spare in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="a spare of"):
            FlashDevice.of_spare(100, spare, 4)


def test_the_command_says_what_the_question_answers() -> None:
    arguments = ("flash-device", "--pages", "8192", "--spare", "0.28")
    arguments += ("--block-pages", "64", "--seed", "3")
    document = json.loads(run(*arguments, "--json").stdout)
    of = FlashDevice.of_spare(8192, 0.28, 64)
    found = question.answer(of, seed=3)
    assert document["waf"] == found.waf
    assert document["finding"] == found.finding
    text = run(*arguments).stdout
    assert found.finding in text
    assert f"{found.waf:.4f}" in text
    assert "erases per block" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gc", "best"), "--gc: `best` is unknown"),
        (("--choices", "3"), "--choices `3` has no effect with --gc greedy"),
        (("--hot-pages", "0.1"), "--hot-pages `0.1` has no effect"),
        (("--pages", "9", "--capacity", "1GiB"), "--pages and --capacity cannot"),
        (("--spare", "0"), "a spare of `0.0` is not above 0"),
    ],
)
def test_the_command_refuses_what_has_no_effect(
    arguments: tuple[str, ...], message: str
) -> None:
    refused = run("flash-device", *arguments)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert "hint:" in refused.stderr
