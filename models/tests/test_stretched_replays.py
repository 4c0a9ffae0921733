"""Flash caches that work by the clock at another load: a replay with the times of a trace multiplied.

Every replay is compared with one of a trace that was written with its times multiplied, which the simulator cannot tell
from a recording.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_timed_flash_caches import DISK, FLASH, Access, written

from tierwright import _simulator
from tierwright.advise.checks.flash_life import rate_of
from tierwright.common.errors import BadInput
from tierwright.simulate.contenders import STRETCH, works_by_the_clock
from tierwright.simulate.replay import contenders, refuse_impossible, replay, sweep
from tierwright.simulate.timed import Arrivals, replay_timed
from tierwright.trace import reading
from tierwright.trace.reading import Trace

SIZES = (12, 64)
RATED = 3
"""A rate of its own. [1/s]"""
BY_TIME: dict[str, dict[str, str]] = {
    "bcache": {"mode": "write_back"},
    "cachelib": {"admission": "dynamic_random", "target_pages_per_s": "3"},
    "dm_cache": {"block_pages": "1"},
    "dm_writecache": {"writeback_pages_per_s": "2"},
    "face": {"checkpoint_us": "700000"},
    "l2arc": {"write_max_pages_per_s": "3"},
    "lazy_cleaning": {"cleaner_period_us": "900000", "cleaner_pages": "1"},
    "open_cas": {"mode": "write_back", "alru_stale_s": "2", "alru_idle_s": "0"},
    "sce": {"fragment_pages": "2"},
}
"""Of each flash cache options with which it works by the clock."""


def bursts() -> list[Access]:
    """Hot and cold pages in bursts of ten, with a pause of two minutes now and then. [µs]"""
    found: list[Access] = []
    now, state = 0, 7
    for at in range(3000):
        state = (state * 48_271) % 2_147_483_647
        hot = state % 3 > 0
        page = state // 3 % (20 if hot else 300)
        now += 120_000_000 if at % 700 == 699 else 900_000 if at % 10 == 0 else 3_000
        found.append((now, page, state % 5 < 2))
    return found


def stretched(accesses: list[Access], factor: float) -> list[Access]:
    # Times count from the first access, in nanoseconds; the file holds microseconds.
    first = accesses[0][0]
    return [
        (int((time - first) * factor), page, write) for time, page, write in accesses
    ]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return written(bursts(), tmp_path_factory.mktemp("stretched") / "trace.csv")


def counted(found: dict[str, Any]) -> dict[str, Any]:
    """All but the options, of which one has the factor."""
    return {name: value for name, value in found.items() if name != "options"}


def run(trace: Trace, name: str, **options: str) -> dict[str, Any]:
    return replay(
        trace, "flash_cache", name, *SIZES, options={**BY_TIME[name], **options}
    )


def test_what_may_work_by_the_clock_has_the_factor() -> None:
    having = {
        each["name"]
        for each in contenders("flash_cache")
        if STRETCH in {option["name"] for option in each["options"]}
    }
    assert having == set(BY_TIME)
    assert all(works_by_the_clock(name, 64, BY_TIME[name]) for name in having)


@pytest.mark.parametrize("name", sorted(BY_TIME))
@pytest.mark.parametrize("factor", [0.25, 8.0])
@pytest.mark.parametrize("ram_policy", ["lru", "opt"])
def test_it_is_the_replay_of_a_trace_with_such_times(
    recorded: Trace, tmp_path: Path, name: str, factor: float, ram_policy: str
) -> None:
    there = written(stretched(bursts(), factor), tmp_path / "there.csv")
    policy = {"ram_policy": ram_policy}
    made = run(recorded, name, stretch=str(factor), **policy)
    assert made["options"][STRETCH] == str(factor)
    assert counted(made) == counted(run(there, name, **policy))
    # The clock decides something here, or nothing would be compared.
    assert counted(made) != counted(run(recorded, name, **policy))


@pytest.fixture(scope="module")
def at_its_rate(recorded: Trace, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The same with times of 3 accesses/s, and the factor that makes them."""
    path = tmp_path_factory.mktemp("rated") / "trace.csv"
    return written(stretched(bursts(), factor_to(recorded)), path)


def factor_to(recorded: Trace) -> float:
    rate = reading.rate_of_trace(reading.inspect(recorded))
    assert rate is not None
    return rate / RATED


@pytest.mark.parametrize("name", sorted(BY_TIME))
def test_a_stated_rate_is_the_replay_of_a_trace_with_such_times(
    recorded: Trace, at_its_rate: Trace, name: str
) -> None:
    rate = str(RATED)
    made = run(recorded, name, accesses_per_second=rate)
    assert float(made["options"][STRETCH]) == pytest.approx(factor_to(recorded))
    assert made["options"]["accesses_per_second"] == rate
    assert counted(made) == counted(run(at_its_rate, name))
    assert counted(made) != counted(run(recorded, name))
    # A sweep, over several workers too, and what may be sampled, go the same way.
    asked = {
        "flash_cache": name,
        "ram_pages": SIZES[0],
        "flash_pages": SIZES[1],
        "options": {**BY_TIME[name], "accesses_per_second": rate},
    }
    (row,) = sweep(recorded, [asked])["rows"]
    assert row["options"] == made["options"]
    assert row["flash_writes"] == made["flash_writes"]
    # Its life is at the rate that it was replayed at.
    found = rate_of(made, recorded_per_s=None)
    assert found is not None
    assert found.accesses_per_s == RATED
    assert "recorded times multiplied by" in found.words


def test_a_stated_rate_and_a_factor_are_refused_together(recorded: Trace) -> None:
    both = {"accesses_per_second": "5", STRETCH: "2"}
    for ask in (
        lambda: run(recorded, "l2arc", **both),
        lambda: refuse_impossible(
            recorded, "flash_cache", "l2arc", *SIZES, options=both
        ),
        lambda: sweep(
            recorded,
            [
                {
                    "flash_cache": "l2arc",
                    "ram_pages": SIZES[0],
                    "flash_pages": SIZES[1],
                    "options": both,
                }
            ],
        ),
    ):
        with pytest.raises(BadInput, match="both say how fast") as raised:
            ask()
        assert "give one of them" in raised.value.args[1]
    with pytest.raises(_simulator.ParameterError, match="accesses_per_second"):
        run(recorded, "l2arc", accesses_per_second="0")
    with pytest.raises(BadInput, match="on simulated time"):
        replay_timed(
            recorded,
            "l2arc",
            *SIZES,
            arrivals=Arrivals("trace"),
            options={"accesses_per_second": "5"},
            flash=FLASH,
            disk=DISK,
        )


def test_a_slower_recording_is_fed_more_often_by_l2arc(tmp_path: Path) -> None:
    """One page a second, of 100 that are read once in 10 s, through RAM of 50."""
    steps: list[Access] = [(at * 100_000, at, False) for at in range(101)]
    trace = written(steps, tmp_path / "trace.csv")

    def fed(factor: float) -> int:
        found = replay(
            trace,
            "flash_cache",
            "l2arc",
            50,
            1000,
            options={"write_max_pages_per_s": "1", STRETCH: str(factor)},
        )
        return int(found["flash_fills"])

    assert [fed(factor) for factor in (0.2, 0.5, 1.0)] == [2, 5, 10]


def test_pauses_in_which_dm_cache_writes_back_are_those_of_the_load(
    tmp_path: Path,
) -> None:
    """It is idle after a second without a request: four times half of one is longer."""
    steps: list[Access] = [(1000 * at, at % 40, True) for at in range(400)]
    steps += [(900_000, 1000, False), (1_400_000, 1001, False)]
    trace = written(steps, tmp_path / "trace.csv")

    def written_back(factor: float) -> int:
        found = replay(
            trace,
            "flash_cache",
            "dm_cache",
            4,
            64,
            options={"block_pages": "1", STRETCH: str(factor)},
        )
        assert found["flash_writes"] > 0
        return int(found["disk_writes_by_cleaner"])

    assert written_back(1.0) == 0
    assert written_back(4.0) == 41


def test_categories_by_hour_are_those_of_the_recording(tmp_path: Path) -> None:
    hour = 3_600_000_000
    steps: list[Access] = [(at * hour // 50, at * 7 % 60, False) for at in range(400)]
    trace = written(steps, tmp_path / "trace.csv")
    options = {
        "admission": "cachesack",
        "categories": "hour",
        "assignment": "miss+2:never",
    }
    plain = replay(trace, "flash_cache", "face", 4, 30, options=options)
    other = replay(
        trace, "flash_cache", "face", 4, 30, options={**options, STRETCH: "0.001"}
    )
    assert counted(other) == counted(plain)
    assert plain["flash_fills"] > 0


def test_it_is_refused_where_there_are_no_times_to_multiply(
    recorded: Trace, tmp_path: Path
) -> None:
    path = tmp_path / "keys.lis"
    path.write_text("".join(f"{at % 50} 1 0 {at}\n" for at in range(400)))
    untimed = Trace(path, format="arc")
    with pytest.raises(
        _simulator.ParameterError, match="no time that could be multiplied"
    ) as raised:
        replay(untimed, "flash_cache", "l2arc", 4, 40, options={STRETCH: "2"})
    assert "accesses_per_second=1000" in raised.value.args[1]
    for wrong in ("0", "-1", "inf", "nan", "half"):
        with pytest.raises(_simulator.ParameterError, match="not a positive number"):
            run(recorded, "l2arc", stretch=wrong)
    with pytest.raises(_simulator.ParameterError, match="no option `stretch`"):
        replay(recorded, "flash_cache", "larc", 4, 40, options={STRETCH: "2"})


def test_on_simulated_time_the_arrivals_are_stretched(recorded: Trace) -> None:
    asked: dict[str, Any] = {"flash": FLASH, "disk": DISK}
    with pytest.raises(_simulator.ParameterError, match="on simulated time") as raised:
        replay_timed(
            recorded,
            "l2arc",
            *SIZES,
            arrivals=Arrivals("trace"),
            options={STRETCH: "2"},
            **asked,
        )
    assert "stretch the arrivals" in raised.value.args[1]
    options = BY_TIME["l2arc"]
    found = replay_timed(
        recorded,
        "l2arc",
        *SIZES,
        arrivals=Arrivals("trace", stretch=0.25),
        options=options,
        **asked,
    )
    for name, value in counted(run(recorded, "l2arc", stretch="0.25")).items():
        assert found[name] == value, name
