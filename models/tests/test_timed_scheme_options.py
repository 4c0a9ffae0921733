"""Options of page-flow schemes on simulated time: counters are those of replays without time, before and after a crash.

What a crash leaves is nothing but the trace: so a replay with a crash counts what two replays count, of what comes before
it and of what comes behind.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from tierwright._simulator import ParameterError
from tierwright.simulate.replay import replay
from tierwright.simulate.timed import ArrivalKind, Arrivals, DeviceTimes, replay_timed
from tierwright.trace.reading import Trace

FLASH = DeviceTimes(1, 4, 1e-4, 1e-4, 2e-4, 2e-4)
DISK = DeviceTimes(1, 64, 2e-3, 2e-3, 3e-3, 3e-3)
SIZES = (6, 17)
STEP_US = 700
HOUR_STEP_US = 432_000_000
"""Two hundred of them are a day, so that both parts of a trace have the same hours."""
DEVICE = {"ftl_spare_percent": "60", "ftl_block_pages": "2"}
ASSIGNED = {"admission": "cachesack", "assignment": "second_miss+1:never"}
AT_MISS: list[dict[str, str]] = [
    {"ram_policy": "arc"},
    {"ram_policy": "2q", "ram_k_in": "0.5", "flash_policy": "fifo"},
    {"flash_policy": "opt"},
    {"ram_policy": "opt", "flash_policy": "clock"},
    {"admission": "cachesack", "assignment": "miss+1:never"},
    {**ASSIGNED, "lifetime_requests": "9", "flash_policy": "arc"},
    {**ASSIGNED, "categories": "hour"},
    {**ASSIGNED, "ram_policy": "opt"},
    DEVICE,
]
"""Of every scheme with flash."""
OF_VICTIMS: list[dict[str, str]] = [
    {"admission": "clean_only"},
    {"admission": "accessed_twice", "ram_policy": "fifo"},
    {"admission": "top_f"},
    {"admission": "read_intensive", **DEVICE},
]
GIVEN = [
    *itertools.product(("inclusive", "inclusive_global", "exclusive", "lazy"), AT_MISS),
    *itertools.product(("exclusive", "lazy"), OF_VICTIMS),
    ("none", {"ram_policy": "arc"}),
]
COUNTED = (
    "accesses", "write_accesses", "ram_hits", "flash_hits", "flash_misses", "flash_fills",
    "flash_write_backs", "hdd_writes", "ram_evictions", "ram_dirty_evictions", "flash_evictions",
    "victims_found_on_flash", "rejections", "dirty_rejections", "flash_invalidations",
    "directory_lookups", "directory_updates",
)  # fmt: skip
Access = tuple[int, int, bool, int]
"""When, page, whether it is written, and the relation. [µs]"""


def accesses_of(seed: int, *, hourly: bool) -> list[Access]:
    draw = random.Random(seed)
    step = HOUR_STEP_US if hourly else STEP_US
    found = []
    for at in range(400):
        page = min(int(draw.expovariate(0.06)), 60)
        # The first accesses name both relations, so that each part of the trace numbers them alike.
        relation = at % 2 if at % 200 < 4 else page % 2
        found.append((at * step, page * 2 + relation, draw.random() < 0.4, relation))
    return found


def written(accesses: list[Access], path: Path) -> Trace:
    rows = (
        f"{at},{'RW'[write]},1/{relation},{page}\n"
        for at, page, write, relation in accesses
    )
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return Trace(path)


def timed(
    trace: Trace,
    scheme: str,
    options: dict[str, str],
    arrivals: ArrivalKind = "trace",
    **changes: Any,
) -> dict[str, Any]:
    return replay_timed(
        trace,
        scheme,
        *sizes_of(scheme),
        arrivals=Arrivals(arrivals, accesses_per_s=100.0, clients=3),
        flash=FLASH,
        disk=DISK,
        options=options,
        **changes,
    )


def sizes_of(scheme: str) -> tuple[int, int]:
    return (SIZES[0], 0 if scheme == "none" else SIZES[1])


def is_hourly(options: dict[str, str]) -> bool:
    return options.get("categories") == "hour"


@pytest.mark.parametrize(("scheme", "options"), GIVEN)
def test_the_counters_are_those_of_a_replay_without_time(
    scheme: str, options: dict[str, str], tmp_path: Path
) -> None:
    accesses = accesses_of(5, hourly=is_hourly(options))
    trace = written(accesses, tmp_path / "trace.csv")
    plain = replay(
        trace, "scheme", scheme, *sizes_of(scheme), options=options, warm_up=100
    )
    lru = replay(trace, "scheme", scheme, *sizes_of(scheme), warm_up=100)
    named = ("ram_policy", "flash_policy", "admission", "warnings", "ftl")
    window_s = 1e5 if is_hourly(options) else 1.0
    kinds: tuple[ArrivalKind, ...] = ("trace", "poisson", "clients")
    for kind in kinds:
        found = timed(trace, scheme, options, kind, warm_up=100, window_s=window_s)
        assert {name: found[name] for name in COUNTED} == {
            name: plain[name] for name in COUNTED
        }
        for name in named:
            assert found.get(name) == plain.get(name), name
        assert sum(each["ram_hits"] for each in found["response"]["course"]) > 0
    # The options do something here.
    if "ftl_spare_percent" in options:
        assert plain["ftl"]["host_writes"] > 0
    else:
        assert {name: plain[name] for name in COUNTED} != {
            name: lru[name] for name in COUNTED
        }


@pytest.mark.parametrize(("scheme", "options"), GIVEN)
def test_a_crash_leaves_nothing_but_the_trace(
    scheme: str, options: dict[str, str], tmp_path: Path
) -> None:
    hourly = is_hourly(options)
    accesses = accesses_of(11, hourly=hourly)
    trace = written(accesses, tmp_path / "trace.csv")
    at = 200
    parts = []
    for number, part in enumerate((accesses[:at], accesses[at:])):
        one = written(part, tmp_path / f"part{number}.csv")
        parts.append(replay(one, "scheme", scheme, *sizes_of(scheme), options=options))
    found = timed(trace, scheme, {**options, "crash_at": str(at), "restart": "cold"})
    needs_all = "opt" in options.values()
    for name in COUNTED:
        both = parts[0][name] + parts[1][name]
        # What looks ahead sees the accesses behind the crash too.
        if not needs_all or name == "accesses":
            assert found[name] == both, name
    crash = found["crash"]
    assert crash["at_access"] == at
    if not needs_all:
        before = parts[0]
        left = before["flash_fills"] - before["flash_evictions"]
        if scheme == "exclusive":
            left -= before["flash_hits"]
        left -= before["flash_invalidations"]
        assert crash["flash_pages_lost"] == left
    if "ftl" in found and not needs_all:
        host = [part["ftl"]["host_writes"] for part in parts]
        assert found["ftl"]["host_writes"] == sum(host)


def test_a_device_goes_on_after_a_crash(tmp_path: Path) -> None:
    """It has been written before, and what was on it is given up: it collects as one that is empty."""
    accesses = accesses_of(11, hourly=False)
    trace = written(accesses, tmp_path / "trace.csv")
    crash = {"crash_at": "200", "restart": "cold"}
    found = timed(trace, "lazy", {**DEVICE, **crash})
    device = found["ftl"]
    assert device["host_writes"] == found["flash_fills"] + found["flash_write_backs"]
    # As many erases as of two devices, to within the blocks that are open.
    halves = [
        replay(
            written(part, tmp_path / "part.csv"),
            "scheme",
            "lazy",
            *SIZES,
            options=DEVICE,
        )["ftl"]["erases"]
        for part in (accesses[:200], accesses[200:])
    ]
    assert 0 <= device["erases"] - sum(halves) <= SIZES[1]


def test_response_times_follow_what_is_admitted(tmp_path: Path) -> None:
    """Nothing enters flash, so all RAM misses wait for the disk and no flash operation is made."""
    trace = written(accesses_of(3, hourly=False), tmp_path / "trace.csv")
    never = {"admission": "cachesack", "assignment": "never"}
    found, plain = timed(trace, "lazy", never), timed(trace, "lazy", {})
    assert found["response"]["flash"]["operations"] == 0
    assert found["response"]["mean_us"] > plain["response"]["mean_us"]
    disk = found["response"]["disk"]["operations"]
    # What is left to write when the last access is answered is no operation of this time.
    assert 0 <= found["flash_misses"] + found["hdd_writes"] - disk <= 1


@pytest.mark.parametrize(
    ("scheme", "options", "message", "hint"),
    [
        ("inclusive_global", {"block_pages": "4"}, "does not take it", "exclusive"),
        (
            "exclusive",
            {"directory_buffer_pages": "2"},
            "has no effect without directory_pages",
            "directory_pages",
        ),
        ("lazy", {"mode": "write_back"}, "no such option", "admission"),
        ("lazy", {"ram_k_in": "0.5"}, "k_in", "leave"),
        ("inclusive", {"admission": "clean_only"}, "looks at RAM victims", "cachesack"),
        ("lazy", {"assignment": "never"}, "has no effect without", "admission="),
        ("none", {"admission": "clean_only"}, "no flash to be admitted to", "leave"),
        ("lazy", {"ftl_gc": "fifo"}, "has no effect without", "ftl_spare_percent"),
        (
            "lazy",
            {"crash_at": "1", "restart": "warm"},
            "keeps its directory in",
            "cold",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(
    scheme: str, options: dict[str, str], message: str, hint: str, tmp_path: Path
) -> None:
    trace = written(accesses_of(1, hourly=False), tmp_path / "trace.csv")
    with pytest.raises(ParameterError) as raised:
        timed(trace, scheme, options)
    assert message in raised.value.args[0]
    assert hint in raised.value.args[1]
