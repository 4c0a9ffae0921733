"""The flash device that holds the data of a policy or a buffer: its writes, its WAF, who takes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from command import answer, run

from tierwright import _simulator
from tierwright.advise.flash_device import closed_form
from tierwright.common.core_errors import Cancelled, ParameterError
from tierwright.simulate.contenders import option_names
from tierwright.simulate.flash_device import (
    Collection,
    FlashDevice,
    Part,
    serve_requests,
)
from tierwright.simulate.replay import Family, contenders, replay
from tierwright.trace.reading import OnProgress, Trace

ROOT = Path(__file__).resolve().parents[2]
TPCC_CUT = ROOT / "fixtures" / "traces" / "tpcc-cut.csv.zst"
CANONICAL = Trace(recordings.TPCC)
"""The same as the server keeps it: its head says how many pages it has."""
PAGES, BLOCK = 8192, 16
DEVICE = {"ftl_spare_percent": "28", "ftl_block_pages": str(BLOCK)}
ONE_TIER: tuple[Family, ...] = ("policy", "buffer")
RULES: tuple[Collection, ...] = ("greedy", "fifo", "random", "choices")
COUNTED_FROM = 100_000
"""The first of the random writes that counts."""


@pytest.fixture(scope="module")
def drawn() -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).integers(0, PAGES, 250_000)


@pytest.fixture(scope="module")
def uniform(
    tmp_path_factory: pytest.TempPathFactory, drawn: np.ndarray[Any, Any]
) -> Trace:
    """Every page is read once, in order, then random ones are written."""
    path = tmp_path_factory.mktemp("uniform") / "uniform.csv"
    rows = [f"{at},R,0/1,{at}" for at in range(PAGES)]
    rows += [f"{PAGES + at},W,0/1,{page}" for at, page in enumerate(drawn)]
    path.write_text("time_us,op,rel,block\n" + "\n".join(rows) + "\n")
    return Trace(path)


@pytest.mark.parametrize("rule", RULES)
def test_random_writes_through_a_tiny_cache_have_the_waf_of_the_closed_form(
    uniform: Trace, drawn: np.ndarray[Any, Any], rule: Collection
) -> None:
    """A cache of one page writes each page back when another one is written."""
    options = {**DEVICE, "ftl_gc": rule, "ftl_choices": "10", "ftl_seed": "0"}
    if rule == "random":
        options["ftl_seed"] = "5"
    seed = int(options["ftl_seed"])
    found = replay(
        uniform, "policy", "lru", 1, options=options, warm_up=PAGES + COUNTED_FROM
    )
    left = np.flatnonzero(np.diff(drawn)) + 1
    device = FlashDevice.of_spare(PAGES, 0.28, BLOCK, collection=rule)
    direct = serve_requests(
        device,
        np.concatenate([np.arange(PAGES), drawn[left - 1]]),
        warm_up=PAGES + int((left < COUNTED_FROM).sum()),
        seed=seed,
    )
    assert found["ftl"] == direct
    assert found["disk_writes"] == direct["host_writes"] > 149_000
    assert direct["used_pages"] == PAGES
    expected = closed_form(device, [Part(PAGES)])
    assert expected is not None
    assert direct["waf"] == pytest.approx(expected, rel=0.03)


def test_a_write_buffer_of_the_device_absorbs_its_share(uniform: Trace) -> None:
    """Random writes find a quarter of the pages there; the others have more spare."""
    options = {**DEVICE, "ftl_buffer_pages": str(PAGES // 4)}
    found = replay(
        uniform, "buffer", "lru", 1, options=options, warm_up=PAGES + COUNTED_FROM
    )["ftl"]
    assert found["absorbed"] / found["host_writes"] == pytest.approx(0.25, rel=0.03)
    device = FlashDevice.of_spare(PAGES, 0.28, BLOCK, buffer_pages=PAGES // 4)
    expected = closed_form(device, [Part(PAGES)])
    assert found["waf"] == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("family", ONE_TIER)
def test_every_policy_and_buffer_takes_the_device(family: Family) -> None:
    for row in contenders(family):
        listed = [option["name"] for option in row["device_options"]]
        assert listed[0] == "ftl_spare_percent"
        assert option_names(row, {})[-len(listed) :] == listed
        alone, placed = (
            replay(Trace(TPCC_CUT), family, row["name"], 500, options=options)
            for options in ({}, {**DEVICE, "ftl_mapping": "page"})
        )
        ftl = placed.pop("ftl")
        assert placed == alone, row["name"]
        assert ftl["host_writes"] == alone["disk_writes"] > 0
        assert ftl["used_pages"] == alone["distinct_pages"]
        assert ftl["waf"] >= 1
        assert ftl["trims"] == 0


def test_no_policy_of_a_tier_is_offered_the_device() -> None:
    rows = {row["name"]: row for row in contenders("scheme")}
    names = option_names(rows["lazy"], {"ram_policy": "2q"})
    assert "ram_k_in" in names
    assert not [name for name in names if name.startswith(("ram_ftl", "flash_ftl"))]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ftl_trim": "true"}, "no page is dropped that could be trimmed"),
        ({"ftl_mapping": "zones"}, "zone"),
        ({"streams": "2"}, "no such option|has no options"),
        ({"ftl_seed": "1"}, "has no effect with ftl_gc=greedy"),
        ({"ftl_spare_percent": "1", "ftl_block_pages": "4096"}, "no room to collect"),
    ],
)
@pytest.mark.parametrize("family", ONE_TIER)
def test_what_the_device_cannot_be_is_refused(
    family: Family, options: dict[str, str], message: str
) -> None:
    with pytest.raises(ParameterError, match=message) as refused:
        replay(Trace(TPCC_CUT), family, "lru", 500, options={**DEVICE, **options})
    assert refused.value.args[1]


@pytest.mark.parametrize("family", ONE_TIER)
def test_the_device_reports_its_progress_and_can_be_cancelled(
    family: Family,
) -> None:
    told: list[tuple[int, int]] = []

    def until(share: float) -> OnProgress:
        def on_progress(done: int, total: int, _accesses: int) -> bool:
            told.append((done, total))
            return done < share * total

        told.clear()
        return on_progress

    whole = until(2)
    replay(CANONICAL, family, "lru", 500, options=DEVICE, on_progress=whole)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1] == CANONICAL.path.stat().st_size
    # Reading ends with the first half.
    assert sum(done > total // 2 for done, total in told) >= 2
    with pytest.raises(Cancelled):
        replay(CANONICAL, family, "lru", 500, options=DEVICE, on_progress=until(0.51))
    assert 0.51 <= told[-1][0] / told[-1][1] < 1
    assert all(done < 0.51 * total for done, total in told[:-1])


@pytest.mark.parametrize("family", ONE_TIER)
def test_a_device_too_small_is_refused_before_a_canonical_trace_is_read(
    family: Family,
) -> None:
    told: list[int] = []

    def on_progress(done: int, _total: int, _accesses: int) -> bool:
        told.append(done)
        return True

    small = {"ftl_spare_percent": "1", "ftl_block_pages": "4096"}
    with pytest.raises(ParameterError, match="no room to collect"):
        replay(CANONICAL, family, "lru", 500, options=small, on_progress=on_progress)
    assert told == []
    # A raw trace does not say how many pages it has.
    with pytest.raises(ParameterError, match="no room to collect"):
        replay(
            Trace(TPCC_CUT), family, "lru", 500, options=small, on_progress=on_progress
        )
    assert told


def test_the_device_has_no_miniature() -> None:
    one = {"policy": "lru", "pages": 500, "options": DEVICE}
    with pytest.raises(ParameterError, match="blocks do not shrink"):
        _simulator.miniatures(TPCC_CUT, [one], 0.5)


def test_a_sweep_counts_what_each_replay_does() -> None:
    asked = {"pages": 500, "options": DEVICE}
    found = _simulator.sweep(
        TPCC_CUT, [{"policy": "arc", **asked}, {"buffer": "cflru", **asked}]
    )
    alone = [
        replay(Trace(TPCC_CUT), "policy", "arc", 500, options=DEVICE)["ftl"],
        replay(Trace(TPCC_CUT), "buffer", "cflru", 500, options=DEVICE)["ftl"],
    ]
    assert [row["ftl"] for row in found["rows"]] == alone


def test_the_command_shows_the_device() -> None:
    words = ["simulate", TPCC_CUT, "--policy", "cflru", "--pages", "500"]
    words += [f"--option={name}={value}" for name, value in DEVICE.items()]
    found = answer(*words)["ftl"]
    shown = run(*words).stdout
    _, _, under = shown.partition("flash device under it")
    facts = dict(line.split(maxsplit=1) for line in under.splitlines() if line.strip())
    assert float(facts["waf"]) == pytest.approx(found["waf"], rel=0.01)
