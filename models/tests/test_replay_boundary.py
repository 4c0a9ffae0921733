"""Replays and curves as Python sees them: types, refusals, progress, Ctrl-C."""

import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierwright import _simulator

HEADER = "time_us,op,rel,block\n"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """200,000 accesses to 5,000 pages, a third of them writes: several chunks."""
    path = tmp_path / "trace.csv"
    with path.open("w", encoding="ascii") as text:
        text.write(HEADER)
        for index in range(200_000):
            operation = "W" if index % 3 == 0 else "R"
            text.write(f"{index},{operation},0/1,{index * index % 5003 % 5000}\n")
    return path


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """Accesses a b a c, the second of a a write."""
    path = tmp_path / "short.csv"
    path.write_text(HEADER + "0,R,0/1,7\n1,R,0/1,8\n2,W,0/1,7\n3,R,0/1,9\n")
    return path


def test_lists_are_complete() -> None:
    for family, more in (("policy", {"device_options"}), ("scheme", set())):
        table = _simulator.contenders(family)
        names = [about["name"] for about in table]
        assert len(names) == len(set(names)) > 0
        for about in table:
            texts = {"name", "title", "description", "paper"}
            assert set(about) == texts | {"needs", "options"} | more
            assert all(about[text] for text in texts)
            assert set(about["needs"]) <= {"future", "writes"}
            for option in [*about["options"], *about.get("device_options", ())]:
                assert set(option) == {"name", "description", "default", "values"}
                assert all(option.values())
    assert [about["name"] for about in _simulator.contenders("scheme")] == [
        "none",
        "inclusive",
        "inclusive_global",
        "exclusive",
        "lazy",
    ]


NOTES = {
    "source_format": "postgres_csv",
    "tells_writes": True,
    "skipped_records": 0,
    "warnings": [],
    "assumptions": [
        "a page is one PostgreSQL block of 8192 bytes, whatever page size is requested"
    ],
}
"""What the reader of the short trace noticed: it stands in every answer."""


def test_curves_of_a_short_trace(short: Path) -> None:
    """a b a c: the second a has depth 2, so it hits from 2 pages on.

    It is written; c pushes it to depth 2, so a cache of 1 page writes it back, no larger one.
    """
    found = _simulator.curves(short)
    assert found["misses"].dtype == found["write_backs"].dtype == np.uint64
    assert found.pop("misses").tolist() == [4, 3, 3]
    assert found.pop("write_backs").tolist() == [1, 0, 0]
    assert found.pop("trace") == NOTES
    windows = found.pop("windows")
    # What all windows count, and what stays open at the end, are those of the whole trace.
    assert windows["accesses"].sum() == 4
    assert windows["first_references"].sum() == 3
    assert windows["misses"].sum(axis=0).tolist() == [
        {1: 4, 2: 3, 3: 3}[int(size)] for size in windows["pages"]
    ]
    written = windows["write_backs"].sum(axis=0) + windows["open_write_backs"]
    assert written.tolist() == [
        {1: 1, 2: 0, 3: 0}[int(size)] for size in windows["pages"]
    ]
    assert found == {
        "accesses": 4,
        "distinct_pages": 3,
        "write_accesses": 1,
        "page_bytes": 8192,
        "duration_s": 3e-6,
    }


def test_keys_of_a_policy_replay(short: Path) -> None:
    assert _simulator.replay(short, "policy", "LRU", 1) == {
        "policy": "lru",
        "pages": 1,
        "accesses": 4,
        "misses": 4,
        "miss_ratio": 1.0,
        "disk_reads": 4,
        "disk_writes": 1,
        "write_accesses": 1,
        "distinct_pages": 3,
        "page_bytes": 8192,
        "evictions": 3,
        "trace": NOTES,
    }


@pytest.mark.parametrize("scheme", ["inclusive", "inclusive_global"])
@pytest.mark.parametrize("flash_pages", [10, 100])
def test_inclusive_with_ram_not_below_flash_warns_and_never_hits_flash(
    scheme: str, flash_pages: int, trace: Path
) -> None:
    result = _simulator.replay(trace, "scheme", scheme, 100, flash_pages)
    assert result["flash_hits"] == 0
    assert [warning["name"] for warning in result["warnings"]] == [
        "flash_not_larger_than_ram"
    ]
    for text in result["warnings"][0].values():
        assert text
    alone = _simulator.replay(trace, "scheme", "none", 100, 0)
    assert result["ram_hits"] == alone["ram_hits"]
    for other in ("exclusive", "lazy"):
        found = _simulator.replay(trace, "scheme", other, 100, flash_pages)
        assert found["warnings"] == []
        assert found["flash_hits"] > 0


@pytest.mark.parametrize(
    ("family", "arguments", "message", "hint"),
    [
        ("policy", ("lru", 0), "pages `0`", "in pages"),
        ("policy", ("lru", -1), "pages `-1`", "in pages"),
        ("policy", ("lru", 2**32), "pages `4294967296`", "in pages"),
        ("policy", ("lru", 10**30), f"pages `{10**30}`", "in pages"),
        ("policy", ("mru", 5), "policy `mru`", "lru, fifo, clock"),
        ("scheme", ("lazy", 0, 5), "ram-pages `0`", "in pages"),
        ("scheme", ("lazy", 5, -5), "flash-pages `-5`", "in pages"),
        ("scheme", ("eager", 5, 5), "scheme `eager`", "exclusive, lazy"),
        ("scheme", ("lazy", 5), "flash-pages `none`", "give the number of flash pages"),
        ("policy", ("lru", 5, 5), "flash-pages `5`", "leave the flash out"),
        ("polices", ("lru", 5), "family `polices`", "policy, buffer, scheme"),
    ],
)
def test_impossible_parameters(
    family: str, arguments: tuple[Any, ...], message: str, hint: str, short: Path
) -> None:
    with pytest.raises(_simulator.ParameterError) as raised:
        _simulator.replay(short, family, *arguments)
    assert raised.value.args[0].startswith(f"{message}: ")
    assert hint in raised.value.args[1]


def test_unknown_option(short: Path) -> None:
    with pytest.raises(
        _simulator.ParameterError, match="option `admit`: scheme `lazy`"
    ) as raised:
        _simulator.replay(short, "scheme", "lazy", 1, 1, options={"admit": "all"})
    assert "ram_policy, flash_policy" in raised.value.args[1]


def test_options_choose_policies_and_their_options(trace: Path) -> None:
    def misses(policy: str, **options: str) -> int:
        found = _simulator.replay(trace, "policy", policy, 300, options=options)
        return int(found["misses"])

    assert misses("gclock", ceiling="1") == misses("clock")
    assert misses("s3_fifo", small_share="0.9") != misses("s3_fifo")
    options = {"ram_policy": "GCLOCK", "ram_ceiling": "1", "flash_policy": "s3-fifo"}
    found = _simulator.replay(trace, "scheme", "lazy", 300, 900, options=options)
    assert (found["ram_policy"], found["flash_policy"]) == ("gclock", "s3_fifo")
    assert found["ram_hits"] == found["accesses"] - misses("clock")
    with pytest.raises(_simulator.ParameterError, match="option `ceiling`") as raised:
        misses("opt", ceiling="1")
    assert raised.value.args[1] == "leave the option out"
    options["ram_ceiling"] = "0"
    with pytest.raises(_simulator.ParameterError, match="`ram_ceiling=0`"):
        _simulator.replay(trace, "scheme", "lazy", 300, 900, options=options)


def test_a_fraction_of_a_page_is_refused(short: Path) -> None:
    with pytest.raises(TypeError):
        _simulator.replay(short, "policy", "lru", 1.5)  # type: ignore[arg-type]


PASSES = [
    pytest.param(_simulator.curves, (), id="curves"),
    pytest.param(_simulator.replay, ("policy", "clock", 50), id="policy"),
    pytest.param(_simulator.replay, ("policy", "opt", 50), id="future"),
    pytest.param(_simulator.replay, ("scheme", "exclusive", 50, 500), id="scheme"),
]


@pytest.mark.parametrize(("call", "arguments"), PASSES)
def test_progress_rises_to_the_whole_file(
    call: Any, arguments: tuple[Any, ...], trace: Path
) -> None:
    seen: list[tuple[int, int, int]] = []

    def on_progress(done: int, total: int, accesses: int) -> bool:
        seen.append((done, total, accesses))
        return True

    call(trace, *arguments, on_progress=on_progress)
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert seen[-1][2] == 200_000
    assert seen[-1][:2] == (trace.stat().st_size, trace.stat().st_size)


@pytest.mark.parametrize(("call", "arguments"), PASSES)
def test_false_cancels(call: Any, arguments: tuple[Any, ...], trace: Path) -> None:
    seen = []

    def on_progress(done: int, total: int, accesses: int) -> bool:
        seen.append(accesses)
        return False

    with pytest.raises(_simulator.Cancelled):
        call(trace, *arguments, on_progress=on_progress)
    assert len(seen) == 1


@pytest.mark.parametrize(("call", "arguments"), PASSES)
def test_an_exception_of_the_callback_propagates(
    call: Any, arguments: tuple[Any, ...], trace: Path
) -> None:
    def on_progress(done: int, total: int, accesses: int) -> bool:
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        call(trace, *arguments, on_progress=on_progress)


def test_ctrl_c_stops_a_pass(trace: Path) -> None:
    def on_progress(done: int, total: int, accesses: int) -> bool:
        signal.raise_signal(signal.SIGINT)
        return True

    with pytest.raises(KeyboardInterrupt):
        _simulator.curves(trace, on_progress=on_progress)


def test_other_threads_run_during_a_pass(trace: Path) -> None:
    """A counting thread gets on between two progress calls.

    With so long a switch interval it could not take the GIL from a pass that kept it.
    """
    count = 0
    done = threading.Event()

    def other() -> None:
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0)

    steps: list[int] = []

    def on_progress(bytes_done: int, total: int, accesses: int) -> bool:
        steps.append(count)
        return True

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=other)
    try:
        sys.setswitchinterval(100)
        thread.start()
        _simulator.curves(trace, on_progress=on_progress)
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    assert len(set(steps)) > 1
