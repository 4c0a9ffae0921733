"""Readers of Redis, Linux, DAMON, RocksDB, Db2 and NetApp: documented samples to the digit, and what each refuses."""

import importlib.util
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow.cautions import about_class
from tierwright.profile.document import profile_from_mapping
from tierwright.profile.given.db2_simulated_pool import displays_of
from tierwright.profile.given.examine import Examined, examine
from tierwright.profile.given.kinds import KINDS
from tierwright.profile.given.moments import named
from tierwright.profile.given.reading import (
    MOST_TEXT_BYTES,
    CurveOptions,
    Reading,
    rows_of,
)
from tierwright.profile.working_set import Snapshot, bounded_miss_rates

PAGE = (
    Path(__file__).resolve().parents[2] / "docs" / "traces" / "counters.md"
).read_text("utf-8")


def complete(text: str, **options: Any) -> Examined:
    found = examine(text, CurveOptions(**options))
    assert found.problems == []
    assert found.questions == []
    assert found.profile is not None
    assert found.evidence is not None
    return found


def problem(text: str, **options: Any) -> tuple[str, str]:
    found = examine(text, CurveOptions(**options))
    assert found.profile is None
    [first, *_] = found.problems
    return first.where, first.message


def points(found: Examined) -> list[tuple[int, float]]:
    return [(point.pages, round(point.hit_ratio, 6)) for point in found.points]


# --- ages in few bins -----------------------------------------------------------------------


def bins(ages: Any, items: Any) -> Snapshot:
    items = np.asarray(items, dtype=np.float64)
    return Snapshot(np.asarray(ages, dtype=np.float64), 4096 * items, items)


@pytest.mark.oracle("profile.working_set.bounded_miss_rates")
def test_bounds_of_bins_contain_the_slope_of_a_known_working_set() -> None:
    """Of s(T) = N (1 - exp(-T / tau)) the slope is known at every size."""
    tau, whole = 100.0, 1e6
    edges = np.asarray([20.0, 60.0, 150.0, 400.0])
    filled = whole * -np.expm1(-edges / tau)
    found = bounded_miss_rates([bins(edges, np.diff(filled, prepend=0.0))])
    assert found.low is not None
    assert found.high is not None
    assert found.sizes == pytest.approx(4096 * filled[:-1])
    slope = (whole - filled[:-1]) / tau
    assert bool(np.all((found.low <= slope) & (slope <= found.high)))
    # By hand: the mean slopes of the bins on either side; the oldest bin has no end.
    assert found.low[0] == pytest.approx((filled[1] - filled[0]) / 40)
    assert found.high[0] == pytest.approx(filled[0] / 20)
    assert found.low[-1] == 0.0
    assert found.high[-1] == pytest.approx((filled[2] - filled[1]) / 90)
    # Means of an exponential lie nearly on one line in age and log slope.
    assert found.items_per_s[-1] == pytest.approx(slope[-1], rel=0.06)
    assert found.oldest_per_s is None
    assert found.oldest_s == 150.0


def test_what_the_kernel_folds_into_the_oldest_bin_changes_nothing() -> None:
    ages = [60, 300, 1800]
    one = bounded_miss_rates([bins(ages, [6000, 12_000, 10])])
    two = bounded_miss_rates([bins(ages, [6000, 12_000, 10_000_000])])
    three = bounded_miss_rates([bins([60, 300, 9000], [6000, 12_000, 10])])
    for each in (two, three):
        assert each.items_per_s == pytest.approx(one.items_per_s)
        assert each.high == pytest.approx(one.high)
    assert one.low is not None
    assert list(one.low) == [50.0, 0.0]


def test_where_a_bin_is_steeper_than_the_younger_one_the_bounds_are_both_slopes() -> (
    None
):
    # Slopes of 40, 10, 30 and 5 items per second.
    found = bounded_miss_rates([bins([10, 20, 30, 40, 50], [400, 100, 300, 50, 1000])])
    assert found.low is not None
    assert found.high is not None
    assert list(zip(found.low, found.high, strict=True)) == [
        (10.0, 40.0),
        (10.0, 30.0),
        (5.0, 30.0),
        (0.0, 5.0),
    ]
    # The youngest bin is not whole: its end is left out.
    found = bounded_miss_rates([bins([10, 20, 30, 40], [100, 300, 100, 500])])
    assert found.sizes == pytest.approx([4096 * 400, 4096 * 500])


@pytest.mark.formula("profile.working_set.bounded_miss_rates")
@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(1.0, 1e4), st.floats(1.0, 1e6)), min_size=4, max_size=6
    ),
    st.floats(1e-2, 1e2),
)
def test_bounded_rates_keep_what_must_hold(
    rows: list[tuple[float, float]], clock: float
) -> None:
    ages, items = np.cumsum([row[0] for row in rows]), [row[1] for row in rows]
    # The youngest bin is the steepest one, else its end is left out.
    items[0] = 1.01e6 * float(ages[0])
    found = bounded_miss_rates([bins(ages, items)])
    assert found.low is not None
    assert found.high is not None
    for rates in (found.items_per_s, found.low, found.high, found.bytes_per_s):
        assert bool(np.all(np.diff(rates) <= 1e-9 * rates[0]))
    assert bool(np.all(found.low <= found.items_per_s))
    assert bool(np.all(found.items_per_s <= found.high))
    slower = bounded_miss_rates([bins(ages * clock, items)])
    assert slower.items_per_s * clock == pytest.approx(found.items_per_s)
    order = np.arange(len(ages))[::-1]
    shuffled = bounded_miss_rates([bins(ages[order], np.asarray(items)[order])])
    assert shuffled.items_per_s == pytest.approx(found.items_per_s)
    twice = bounded_miss_rates([bins(ages, items)] * 2)
    assert twice.items_per_s == pytest.approx(found.items_per_s)


@pytest.mark.parametrize(
    "snapshots",
    [
        [bins([10, 20], [5, 5])],
        [bins([10, 20, 20], [5, 5, 5])],
        [bins([10, 20, 30], [5, 0, 5])],
        [bins([0, 10, 20], [5, 5, 5])],
        [bins([10, 20, 30], [5, 1, 5]), bins([10, 20, 30], [500, 1, 5])],
    ],
)
def test_too_few_bins_are_refused(snapshots: list[Snapshot]) -> None:
    with pytest.raises(BadInput, match="too few bins") as error:
        bounded_miss_rates(snapshots)
    assert "generations" in (error.value.hint or "")


# --- Redis and Valkey -----------------------------------------------------------------------


def redis(
    at: int,
    *,
    policy: str = "allkeys-lru",
    evicted: int = 0,
    gets: int = 0,
    oldest: int = 7200,
    keys: int | None = None,
    more: str = "",
    looked: int = 0,
    looked_s: int = 5,
) -> str:
    """One key of 100 bytes for each second of idleness: one miss per second. Looking takes time, and counts hits."""

    def counters(second: int, hits: int) -> str:
        return (
            f"time:{second}\nredis_version:7.0.15\nmaxmemory_policy:{policy}\nmaxmemory_samples:5\n"
            f"keyspace_hits:{hits}\nkeyspace_misses:0\nevicted_keys:{evicted}\nexpired_keys:0\n{more}"
            f"db0:keys={oldest if keys is None else keys},expires=0,avg_ttl=0\n"
        )

    lines = "".join(f"idle={second} size=100\n" for second in range(oldest))
    return counters(at, gets) + lines + counters(at + looked_s, gets + oldest * looked)


class TestRedis:
    def test_idle_times_give_the_curve_up_to_where_evictions_begin(self) -> None:
        text = "".join(
            redis(
                10_005 * at,
                gets=(1_000_000 + 7200) * at,
                evicted=10_000 * at + 1,
                looked=1,
            )
            for at in (1, 2, 3)
        )
        found = complete(text)
        assert found.kind == "redis"
        assert found.profile is not None
        curve, evidence = found.profile.curve, found.evidence
        assert curve.misses_at / curve.accesses == pytest.approx(0.01, rel=1e-6)
        assert (curve.accesses, found.profile.duration_s) == (2_000_000, 20_000)
        assert evidence is not None
        assert (evidence.kind, evidence.snapshots) == ("ages", 3)
        # Of 5 samples the oldest fifth is not all there.
        assert evidence.valid_to == pytest.approx(0.8 * 7200, abs=2)
        assert evidence.self_check == pytest.approx(0.0, abs=1e-6)
        # The check is at the present size, to which the curve is carried on.
        assert evidence.self_check_pages == pytest.approx(7200, abs=2)
        assert "to which it is carried on for this alone" in evidence.check_text(4096)
        assert len(evidence.band) == len(found.points)

    def test_a_server_that_keeps_all_is_known_to_its_end(self) -> None:
        text = redis(10_000, policy="noeviction") + redis(
            20_000, policy="noeviction", gets=10**6
        )
        evidence = complete(text).evidence
        assert evidence is not None
        assert evidence.valid_to == 7200
        assert evidence.self_check is None
        assert "nothing was evicted" in evidence.check_text(4096)

    def test_a_sample_stands_for_all_keys(self) -> None:
        def sampled(at: int, gets: int) -> str:
            return redis(at, gets=gets, policy="noeviction", oldest=3600, keys=36_000)

        found = complete(sampled(10_000, 0) + sampled(20_005, 10**6))
        assert found.evidence is not None
        assert found.evidence.valid_to == 36_000
        assert found.points[-1].hit_ratio == pytest.approx(0.9, abs=1e-6)

    def test_keys_that_expired_are_kept_apart_from_evicted_ones(self) -> None:
        first, second = (
            redis(10_005 * at, gets=10**6 * at, evicted=10_000 * at).replace(
                "expired_keys:0", f"expired_keys:{at * 30_000}"
            )
            for at in (1, 2)
        )
        found = complete(first + second)
        assert found.evidence is not None
        assert found.evidence.self_check == pytest.approx(0.0, abs=1e-6)
        assert any(
            "30,000 keys expired between the readings, 75.0 %" in each
            for each in found.assumptions
        )

    @pytest.mark.parametrize(
        ("text", "where", "says"),
        [
            (
                redis(1, policy="allkeys-lfu"),
                "line 3",
                "counters of LFU are frequencies and no ages",
            ),
            (
                redis(1)
                + "ERR An LFU maxmemory policy is selected, idle time not tracked.\n",
                "line 7219",
                "no ages",
            ),
            ("time:1\nfreq=255 size=100\n", "line 2", "no ages"),
            (
                "[00.00%] Hot key 'x' found so far with counter 87\n",
                "line 1",
                "no ages",
            ),
            (redis(1, policy="volatile-lru"), "line 3", "of all keys"),
            (redis(1, policy="allkeys-random"), "line 3", "of all keys"),
            (
                redis(1).replace("maxmemory_policy:allkeys-lru\n", ""),
                "line 1",
                "lacking",
            ),
            (
                redis(1, more="db1:keys=5,expires=0,avg_ttl=0\n"),
                "line 1",
                "the one database",
            ),
            (
                redis(10, gets=500) + redis(20, gets=100),
                "line 7219",
                "`keyspace_hits` went backwards",
            ),
            ("keyspace_hits:5\n", "line 1", "before any `time:`"),
            (redis(1, oldest=0), "line 18", "no lines `idle="),
            (redis(1) + "user:17 secret\n", "line 7219", "is not a counter of INFO"),
            (redis(1, more="expired_keys:1\n"), "line 9", "comes twice"),
            (
                redis(1) + f"idle=5 size={'9' * 400}\n",
                "line 7219",
                "is not a counter of INFO",
            ),
            (redis(1, gets=1) + redis(20, gets=2), "line 14436", "fewer than"),
        ],
    )
    def test_traps_are_refused_with_their_line(
        self, text: str, where: str, says: str
    ) -> None:
        found = problem(text, kind="redis")
        assert found[0] == where
        assert says in found[1]

    def test_requests_that_are_not_counted_are_asked(self) -> None:
        text = re.sub(r"keyspace_\w+:\d+\n", "", redis(10) + redis(20))
        assert {q.field for q in examine(text).questions} == {"accesses"}

    def test_the_documented_command_prints_what_is_read(self, tmp_path: Path) -> None:
        """The shell text of the page, run against a client of canned answers, drops what is not needed."""
        [text] = re.findall(r"```sh\n(# redis_snapshot.*?)```", PAGE, re.S)
        answers = (
            "# Server\\r\\nredis_version:7.0.15\\r\\nrun_id:secret\\r\\nmaxmemory_policy:noeviction\\r\\n"
            "keyspace_hits:0\\r\\nkeyspace_misses:0\\r\\nevicted_keys:0\\r\\nexpired_keys:0\\r\\n"
            "db0:keys=7200,expires=0,avg_ttl=0\\r\\n"
        )
        client = (
            '#!/bin/sh\ncase "$*" in\n'
            f"*INFO) printf '{answers}';;\n"
            "*CONFIG*) printf 'maxmemory-samples\\n5\\n';;\n"
            '*) [ -e "$HERE/once" ] && exit; : > "$HERE/once"; seq 0 7199 | sed \'s/$/ 100/\';;\nesac\n'
        )
        for name, script in (
            ("redis-cli", client),
            ("date", '#!/bin/sh\n[ -e "$HERE/once" ] && echo 10005 || echo 10000\n'),
            ("sleep", "#!/bin/sh\n"),
        ):
            (tmp_path / name).write_text(script)
            (tmp_path / name).chmod(0o755)
        ran = subprocess.run(
            ["/bin/sh", "-c", text + "\nredis_snapshot -p 6379"],
            env={
                "PATH": f"{tmp_path}:/usr/local/bin:/usr/bin:/bin",
                "HERE": str(tmp_path),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert "secret" not in ran.stdout
        assert "maxmemory_samples:5" in ran.stdout
        found = complete(ran.stdout + redis(20_000, policy="noeviction", gets=10**6))
        assert found.points[-1].hit_ratio == pytest.approx(0.99, abs=1e-4)

    def test_the_documented_bins_keep_eight_snapshots_of_a_day_small(self) -> None:
        [program] = re.findall(r"done \| awk '\n(.*?)'", PAGE, re.S)
        rows = "".join(f"{4 * at} 100000\n" for at in range(21_600))
        printed = subprocess.run(
            ["awk", program], input=rows, capture_output=True, text=True, check=True
        ).stdout
        assert 8 * (len(printed) + 1000) < MOST_TEXT_BYTES
        cells = [
            [int(cell.split("=")[1]) for cell in line.split()]
            for line in printed.splitlines()
        ]
        assert sum(keys for _, keys, _ in cells) == 21_600
        # No bin is younger than what it holds, nor 2 % and a second older.
        ends = np.sort([idle for idle, _, _ in cells])
        idle = 4 * np.arange(21_600)
        of = ends[np.searchsorted(ends, idle)]
        assert bool(np.all(of <= (idle + 1) * math.exp(0.02)))


# --- Linux ----------------------------------------------------------------------------------


def lru_gen(at: int, refaults: int, *, enabled: str = "0x0007", memcg: int = 5) -> str:
    """Ages up to 300 and 700 s, of 40 and 20 anonymous pages per second, and older ones."""
    return (
        f"time:{at}\nlru_gen_enabled:{enabled}\nmemcg     {memcg} /slice/name\n node     0\n"
        "       41    1500000      12800        500 \n"
        "       42     700000       8000        500 \n"
        "       43     300000      11900        500 \n"
        "       44       1000        100        500 \n"
        f"workingset_refault_anon {refaults}\nworkingset_activate_anon {refaults // 2}\n"
    )


class TestLinux:
    def test_generations_of_anonymous_pages_give_a_curve_with_bounds(self) -> None:
        found = complete(lru_gen(0, 0) + lru_gen(1000, 16_000), accesses_per_s=1000.0)
        assert found.kind == "linux_ages"
        assert found.page_bytes == 4096
        # Slopes of the bins are 40 and 20 pages per second; the oldest has no end.
        assert points(found) == [
            (12_000, round(1 - (40 * 400 + 20 * 300) / 700 / 1000, 6)),
            (20_000, round(1 - 0.02 * 0.5 ** (400 / 700), 6)),
        ]
        evidence = found.evidence
        assert evidence is not None
        assert evidence.kind == "ages"
        assert [row[1:] for row in evidence.band] == [
            pytest.approx(ends) for ends in ((0.020, 0.040), (0.0, 0.020))
        ]
        assert evidence.self_check is None
        assert "the oldest generation has no end" in evidence.check_text(4096)
        said = " ".join(found.assumptions)
        assert "5.75 % of the pages are of files" in said
        assert "Only anonymous pages" in said
        assert "16 anonymous pages per second came back from swap" in said
        assert "the oldest used 700 s ago" in said

    def test_generations_of_several_nodes_are_put_together_by_their_order(self) -> None:
        one = lru_gen(0, 0)
        rows = "".join(one.splitlines(keepends=True)[4:8])
        # The other node opened its generations a little later, and has no fourth one: its oldest has no end.
        later = rows.replace("300000", "299000").replace("700000", "699000")
        both = one.replace(rows, rows + " node     1\n" + later)
        found = complete(both, accesses_per_s=1000.0)
        assert points(found) == [
            (24_000, round(1 - 2 * 0.022 / 0.7, 6)),
            (40_000, round(1 - 0.04 * 0.5 ** (400 / 700), 6)),
        ]
        short = one.replace(rows, rows + " node     1\n" + later[later.index("42 ") :])
        assert "too few bins" in problem(short, accesses_per_s=1e6)[1]
        apart = one.replace(rows, rows + " node     1\n" + rows.replace("700", "600"))
        where, says = problem(apart, accesses_per_s=1e6)
        assert where == "line 11"
        assert "700 s old on another node (line 6)" in says

    def test_under_the_classic_lru_refaults_are_one_point(self) -> None:
        def stat(at: int, refaults: int) -> str:
            return (
                f"time:{at}\nlru_gen_enabled:0x0000\nanon 40960000\nfile 40960000\n"
                f"active_anon 8192000\nactive_file 8192000\nworkingset_refault_anon 0\n"
                f"workingset_refault_file {refaults}\nworkingset_activate_file {refaults // 4}\n"
            )

        found = complete(stat(0, 0) + stat(100, 4000), accesses_per_s=1000.0)
        assert points(found) == [(20_000, 0.96)]
        assert found.evidence is not None
        assert found.evidence.kind == "one_point"
        said = " ".join(found.assumptions)
        assert "40 refaults per second" in said
        assert "10 of them per second were activated" in said
        assert "lower bound" in said

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (
                lru_gen(0, 0).replace("lru_gen_enabled:0x0007\n", ""),
                "the meaning of workingset_activate",
            ),
            (lru_gen(0, 0, enabled="maybe"), "the meaning of workingset_activate"),
            (lru_gen(0, 5) + lru_gen(10, 4), "went backwards"),
            (lru_gen(0, 5) + lru_gen(10, 5, enabled="0x0000"), "on in some readings"),
            ("time:1\nlru_gen_enabled:0\nworkingset_refault_anon 1\n", "two moments"),
            (
                "time:1\nlru_gen_enabled:7\nmemcg 1\nnode 0\n1 1000 0 50\n",
                "anonymous pages: only those have ages",
            ),
            (
                "time:1\nlru_gen_enabled:7\nworkingset_refault_anon 1\n",
                "no generations",
            ),
            (lru_gen(0, 0) + "Node 0, zone DMA\n", "is not a line of lru_gen"),
            (
                "time:1\nlru_gen_enabled:7\nmemcg 1\nnode 0\n1 9000 5 50\n2 10 5 5\n",
                "too few bins",
            ),
            (lru_gen(0, 0).replace("   1000 ", "  90000 "), "right before the reading"),
            (lru_gen(0, 0).replace(" 43 ", " 42 "), "has twice in this reading"),
            (lru_gen(0, 0).replace("12800", "9" * 400), "is not a line of lru_gen"),
            ("time:1\nlru_gen_enabled:7\nmemcg 5\n", "anonymous pages"),
        ],
    )
    def test_traps_are_refused(self, text: str, says: str) -> None:
        assert says in problem(text, accesses_per_s=1e6, kind="linux_ages")[1]

    def test_accesses_are_asked_and_so_is_the_cgroup(self) -> None:
        assert {q.field for q in examine(lru_gen(0, 0)).questions} == {"accesses"}
        both = lru_gen(0, 0) + lru_gen(0, 0, memcg=9).split("\n", 2)[2].replace(
            "workingset_refault_anon 0\nworkingset_activate_anon 0\n", ""
        )
        [asked] = [q for q in examine(both).questions if q.field == "pool"]
        assert asked.choices == ("5", "9")
        assert complete(both, pool="9", accesses_per_s=1e5).points[0].pages == 12_000


class TestDamon:
    def text(self, idle: Any, at: int = 0, extra: str = "") -> str:
        return (
            f"time:{at}\nMemTotal:       40960000 kB\n"
            "/sys/module/damon_stat/parameters/aggr_interval_us:100000\n"
            f"/sys/module/damon_stat/parameters/memory_idle_ms_percentiles:{','.join(map(str, idle))}\n"
            f"{extra}"
        )

    def test_percentiles_give_ages_of_all_memory(self) -> None:
        """A hundredth of 10,240,000 pages every second: 102,400 pages per second at every size."""
        idle = [1000 * (at - 5) for at in range(101)]
        found = complete(self.text(idle), accesses_per_s=1_024_000.0)
        assert found.kind == "damon_stat"
        assert [p.hit_ratio for p in found.points] == pytest.approx(
            [0.9] * len(found.points)
        )
        assert found.evidence is not None
        assert found.evidence.kind == "ages"
        assert found.evidence.valid_to == 10_240_000
        assert "DAMON counts no evictions" in found.evidence.check_text(4096)

    def test_what_is_being_accessed_has_no_age_however_it_is_written(self) -> None:
        older, newer = (
            complete(
                self.text([first if at < 10 else 1000 * at for at in range(101)]),
                accesses_per_s=1e6,
            )
            for first in (0, -90_000)
        )
        assert points(older) == points(newer)

    @pytest.mark.parametrize(
        ("idle", "change", "says"),
        [
            (range(100), ("", ""), "must have 101 numbers"),
            ([*range(100), 5], ("", ""), "must not fall"),
            (range(101), ("MemTotal:       40960000 kB\n", ""), "/proc/meminfo"),
            (
                range(101),
                ("aggr_interval_us:100000", "enabled:Y"),
                "is not a parameter",
            ),
            ([0] * 101, ("", ""), "too few or too coarse"),
        ],
    )
    def test_traps_are_refused(
        self, idle: Any, change: tuple[str, str], says: str
    ) -> None:
        text = self.text(idle).replace(*change) if change[0] else self.text(idle)
        assert says in problem(text, accesses_per_s=1e6)[1]

    def test_the_estimated_bandwidth_is_stated_and_no_rate(self) -> None:
        """Bytes per second of an estimate count no accesses: those are asked all the same."""
        name = "/sys/module/damon_stat/parameters/estimated_memory_bandwidth"
        text = self.text(
            [1000 * (at - 5) for at in range(101)], extra=f"{name}:2097152\n"
        )
        assert {q.field for q in examine(text).questions} == {"accesses"}
        said = " ".join(complete(text, accesses_per_s=1_024_000.0).assumptions)
        assert "2 MiB per second; it is no count of accesses" in said

    def test_the_interval_must_be_stated(self) -> None:
        text = re.sub(r"\S*aggr_interval_us:\d+\n", "", self.text(range(101)))
        assert "blurred" in problem(text, accesses_per_s=1e6)[1]


# --- exact points beyond --------------------------------------------------------------------


class TestRocksDb:
    def text(self, at: int, real: tuple[int, int], sim: tuple[int, int]) -> str:
        return (
            f"time:{at}\nblock_cache_capacity:8192000\nsim_cache_capacity:32768000\n"
            f"rocksdb.block.cache.miss COUNT : {real[1]}\nrocksdb.block.cache.hit COUNT : {real[0]}\n"
            "rocksdb.db.get.micros P50 : 3.5 P95 : 9.9 COUNT : 100 SUM : 500\n"
            f"rocksdb.sim.block.cache.hit COUNT : {sim[0]}\n"
            f"rocksdb.sim.block.cache.miss COUNT : {sim[1]}\n"
        )

    def test_the_cache_and_the_simulated_one_are_two_points(self) -> None:
        text = self.text(1, (50, 50), (90, 10)) + self.text(11, (850, 250), (1040, 60))
        found = complete(text, page_bytes=8192)
        assert found.kind == "rocksdb_simcache"
        assert points(found) == [(1000, 0.8), (4000, 0.95)]
        assert found.profile is not None
        assert found.profile.curve.accesses == 1000
        assert found.evidence is not None
        assert found.evidence.kind == "points"

    def test_the_simulated_cache_alone_is_one_point(self) -> None:
        text = self.text(1, (50, 50), (90, 10)) + self.text(11, (850, 250), (1040, 60))
        alone = re.sub(r"(rocksdb\.block|block_)cache.*\n", "", text)
        found = complete(alone, page_bytes=8192)
        assert points(found) == [(4000, 0.95)]
        assert found.evidence is not None
        assert found.evidence.kind == "one_point"

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (("once",), "read the tickers twice"),
            (("back",), "went backwards"),
            (("resized",), "the same in all readings"),
            (("lacks",), "is lacking in this reading"),
            (("still",), "counted no lookups"),
        ],
    )
    def test_traps_are_refused(self, text: tuple[str], says: str) -> None:
        first = self.text(1, (50, 50), (90, 10))
        second = self.text(11, (850, 250), (1040, 60))
        texts = {
            "once": first,
            "back": second + first.replace("time:1\n", "time:21\n"),
            "resized": first + second.replace("32768000", "65536000"),
            "lacks": first + second.replace("sim_cache_capacity:32768000\n", ""),
            "still": first + first.replace("time:1\n", "time:21\n"),
        }
        assert says in problem(texts[text[0]], page_bytes=8192)[1]


SAMPLE = """\
DSNB401I  -DB2A BUFFERPOOL NAME BP8K0, BUFFERPOOL ID 100, USE COUNT 20
DSNB402I  -DB2A BUFFER POOL SIZE = 20000 BUFFERS  AUTOSIZE = NO
          VPSIZE MINIMUM = 0 VPSIZE MAXIMUM = 0
DSNB409I  -DB2A INCREMENTAL STATISTICS SINCE 14:57:55 NOV 26, 2026
DSNB411I  -DB2A RANDOM GETPAGE = 80000000 SYNC READ I/O (R) = 15000000
          SEQ. GETPAGE = 20000000 SYNC READ I/O (S) = 2000000
DSNB412I  -DB2A SEQUENTIAL PREFETCH - REQUESTS = 5 PREFETCH I/O = 5 PAGES READ = 3000000
DSNB431I  -DB2A SIMULATED BUFFER POOL SIZE = 50000 BUFFERS
          ALLOCATED = 50000 IN-USE = 35000 HIGH IN-USE = 35000
DSNB432I  -DB2A SIMULATED BUFFER POOL ACTIVITY -
          AVOIDABLE READ I/O -
          SYNC FROM DASD (R) =8425678 SYNC (S) =102357 ASYNC =1184257
          SYNC FROM GBP (R) =894062
          PAGES MOVED INTO SIMULATED BUFFER POOL =12257444
          TOTAL AVOIDABLE SYNC I/O DELAY =4275760 MILLISECONDS
"""


class TestDb2:
    def test_the_documented_counts_parse_to_the_digit(self) -> None:
        [display] = displays_of(Reading(), rows_of(SAMPLE))
        assert display.of("DSNB431I", "SIMULATED BUFFER POOL SIZE") == 50_000
        assert display.of("DSNB432I", "SYNC FROM GBP (R)") == 894_062
        assert display.of("DSNB432I", "TOTAL AVOIDABLE SYNC I/O DELAY") == 4_275_760
        moved = display.of("DSNB432I", "PAGES MOVED INTO SIMULATED BUFFER POOL")
        assert moved == 12_257_444
        assert display.avoidable == 8_425_678 + 102_357 + 1_184_257
        assert (display.size, display.simulated) == (20_000, 35_000)

    def test_the_pool_and_the_simulated_one_are_two_points(self) -> None:
        found = complete(SAMPLE)
        assert found.kind == "db2_simulated_pool"
        assert found.page_bytes == 8192
        avoided = 8_425_678 + 102_357 + 1_184_257
        # The simulated pool was never full: 35,000 buffers would have done.
        assert points(found) == [
            (20_000, 0.8),
            (55_000, round(1 - (20_000_000 - avoided) / 1e8, 6)),
        ]
        assert found.evidence is not None
        assert found.evidence.kind == "points"
        said = " ".join(found.assumptions)
        assert "894,062 reads of the group buffer pool" in said
        assert "4,276 s" in said

    def test_documented_names_of_the_messages_are_read_as_well(self) -> None:
        text = (
            SAMPLE.replace("SYNC FROM DASD (R)", "SYNC READ I/O (R)")
            .replace("SYNC (S)", "SYNC READ I/O (S)")
            .replace(" ASYNC =", " ASYNC READ I/O =")
        )
        assert points(complete(text)) == points(complete(SAMPLE))

    def test_another_size_of_the_simulated_pool_is_another_point(self) -> None:
        smaller = SAMPLE.replace("SIZE = 50000", "SIZE = 10000").replace(
            "=8425678", "=4000000"
        )
        found = complete(SAMPLE + smaller)
        assert [pages for pages, _ in points(found)] == [20_000, 30_000, 55_000]
        assert found.points[0].hit_ratio == pytest.approx(0.8)

    def test_totals_take_two_displays(self) -> None:
        total = SAMPLE.replace(
            "DSNB409I  -DB2A INCREMENTAL", "DSNB410I  -DB2A CUMULATIVE"
        )
        assert "a total is no rate" in problem(total)[1]
        later = re.sub(
            r"(?<![A-Z] SIZE )(?<!ALLOCATED )(?<!IN-USE )= ?(\d+)",
            lambda found: f"= {2 * int(found.group(1))}",
            total,
        )
        assert points(complete(total + later)) == points(complete(SAMPLE))
        assert "went backwards" in problem(later + total)[1]

    def test_the_pool_of_32_kib_pages_without_a_number_is_read(self) -> None:
        assert complete(SAMPLE.replace("BP8K0", "BP32K")).page_bytes == 32_768
        text = SAMPLE + SAMPLE.replace("BP8K0", "BP32")
        [asked] = [q for q in examine(text).questions if q.field == "pool"]
        assert asked.choices == ("BP32", "BP8K0")

    def test_of_totals_of_a_filling_simulated_pool_the_later_high_is_its_size(
        self,
    ) -> None:
        total = SAMPLE.replace(
            "DSNB409I  -DB2A INCREMENTAL", "DSNB410I  -DB2A CUMULATIVE"
        )
        first = re.sub(
            r"(READ|GETPAGE|[IRS]/O|\([RS]\)|ASYNC) ?= ?\d+", r"\1 = 0", total
        )
        first = first.replace("HIGH IN-USE = 35000", "HIGH IN-USE = 9000")
        assert points(complete(first + total)) == points(complete(SAMPLE))

    def test_a_simulated_pool_that_held_nothing_gives_no_point(self) -> None:
        text = re.sub(r"(\([RS]\)|ASYNC) =\d+", r"\1 =0", SAMPLE)
        found = complete(text.replace("IN-USE = 35000", "IN-USE = 0"))
        assert points(found) == [(20_000, 0.8)]
        assert found.evidence is not None
        assert found.evidence.kind == "one_point"

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (("BP8K0", "BP64K1"), "names no buffer pool"),
            (("BP8K0", "BP8K"), "names no buffer pool"),
            (("DSNB401I", "DSNB400I"), "before any DSNB401I"),
            (("DSNB409I", "DSNB499I"), "neither DSNB409I nor DSNB410I"),
            (("(R) = 15000000", "(R) = 99000000"), "must not fall in this order"),
            (
                (
                    "          VPSIZE MINIMUM = 0",
                    "          PAGE STEALING METHOD = FIFO",
                ),
                "otherwise than by LRU",
            ),
            (("DSNB402I", "DSNB499I"), "lacks DSNB402I"),
        ],
    )
    def test_traps_are_refused(self, change: tuple[str, str], says: str) -> None:
        text = SAMPLE.replace(*change)
        if change[0] == "DSNB401I":
            text = text.replace("BUFFERPOOL NAME", "POOL")
        assert says in problem(text, kind="db2_simulated_pool")[1]

    def test_several_pools_are_asked(self) -> None:
        text = SAMPLE + SAMPLE.replace("BP8K0", "BP1")
        [asked] = [q for q in examine(text).questions if q.field == "pool"]
        assert asked.choices == ("BP1", "BP8K0")
        assert complete(text, pool="BP1").page_bytes == 4096


class TestNetApp:
    """Names are those of the manual page na_awa; no printed sample of its columns was found, and so docs say."""

    TEXT = KINDS["netapp_awa"].example

    def test_hit_ratios_at_shares_of_the_largest_size_are_an_envelope(self) -> None:
        found = complete(self.TEXT, accesses_per_s=1000.0)
        assert found.kind == "netapp_awa"
        most = 114 * 2**30 // 4096
        assert points(found) == [
            (int(most * part), hits)
            for part, hits in zip(
                (0.2, 0.4, 0.6, 0.8, 1.0), (0.34, 0.51, 0.66, 0.75, 0.82), strict=True
            )
        ]
        assert found.evidence is not None
        assert found.evidence.kind == "points"
        assert found.evidence.snapshots == 145
        assert "an upper envelope" in found.evidence.check_text(4096)
        assert any("overwrites, 35, 44" in each for each in found.assumptions)

    def test_the_page_says_that_no_printed_sample_was_compared(self) -> None:
        section = PAGE[PAGE.index("### NetApp (`netapp_awa`)") :].split("\n### ")[0]
        assert "no printed sample could be compared" in section

    def test_the_envelope_is_labelled_wherever_the_class_is(self) -> None:
        """It stays with the profile, its title, and the caution of every answer; counts of one load have none."""
        found = complete(self.TEXT, accesses_per_s=1000.0).profile
        assert found is not None
        again = profile_from_mapping(json.loads(found.to_text()))
        counted = complete(KINDS["aurora"].example).profile
        assert counted is not None
        for profile, is_labelled in ((found, True), (again, True), (counted, False)):
            evidence = profile.curve.evidence
            assert evidence is not None
            assert ("upper envelope" in evidence.title) is is_labelled
            [said] = about_class(profile.curve)
            assert ("upper envelope" in said.message) is is_labelled
        document = {**found.to_dict()}
        document["given"]["envelope"] = 3
        with pytest.raises(BadInput, match=r"given\.envelope"):
            profile_from_mapping(document)

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (("Max Projected", "Projected"), "lacks the number of intervals"),
            (("Summary of the past 145 intervals\n", ""), "lacks the number"),
            (("75    82\n", "75\n"), "one hit ratio for each of the 5 sizes of line 3"),
            (("66", "6.6.6"), "are not numbers"),
        ],
    )
    def test_traps_are_refused(self, change: tuple[str, str], says: str) -> None:
        text = self.TEXT.replace(change[0], change[1], 1)
        assert says in problem(text, accesses_per_s=1e3, kind="netapp_awa")[1]


# --- what they share ------------------------------------------------------------------------


def test_names_and_values_are_read_however_they_are_separated() -> None:
    assert named("evicted_keys:5") == ("evicted_keys", "5")
    assert named("  MemTotal:   5 kB") == ("MemTotal", "5 kB")
    assert named("/sys/a/b/aggr_interval_us:7") == ("aggr_interval_us", "7")
    assert named("rocksdb.x.hit COUNT : 3") == ("rocksdb.x.hit", "COUNT : 3")
    assert named("12 34") is None


@pytest.mark.parametrize(
    "text",
    [
        "seconds,size_bytes,block_bytes,data_bytes,context,reads,op_bytes,hits\n"
        "1,8192000,8192,81920000,normal,1,8192,90\n9,8192000,8192,90112000,normal,9,8192,990\n",
        "seconds,size_bytes,block_bytes,used_size,data_bytes,blks_hit,storage_blks_read,orcache_blks_hit\n"
        "1,8192000,8192,8192000,81920000,9,1,1\n9,8192000,8192,8192000,90112000,90,2,9\n",
    ],
)
def test_the_size_of_the_data_is_taken_from_the_query_unless_it_is_stated(
    text: str,
) -> None:
    read, stated = complete(text), complete(text, data_bytes=163_840_000)
    assert read.profile is not None
    assert stated.profile is not None
    assert read.profile.curve.data_known
    assert read.profile.curve.distinct_pages == 11_000
    assert stated.profile.curve.distinct_pages == 20_000
    without = re.sub(r"data_bytes", "other", text)
    bare = complete(without).profile
    assert bare is not None
    assert not bare.curve.data_known


def test_sizes_that_alternate_are_not_called_the_only_reading() -> None:
    head = "size_bytes,requests,misses,seconds\n"
    rows = [
        f"{size},{at * 100},{at * 10},{at}\n"
        for at, size in enumerate((8192, 16384) * 2, 1)
    ]
    where, says = problem(head + "".join(rows), page_bytes=8192)
    assert where == "line 2"
    assert "only reading" not in says
    assert "never stayed from one reading to the next" in says
    assert "2 and 4" in says


@pytest.mark.parametrize(
    "name", ["redis", "linux_ages", "rocksdb_simcache", "damon_stat"]
)
def test_every_reading_begins_with_its_second(name: str) -> None:
    text = KINDS[name].example.split("\n", 1)[1]
    assert "before any `time:`" in problem(text, kind=name)[1]
    assert math.isfinite(KINDS[name].score(rows_of(text)))


def script_of(name: str) -> Any:
    """Load a script."""
    root = Path(__file__).resolve().parents[2]
    spec = importlib.util.spec_from_file_location(name, root / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    return script


@pytest.mark.long
def test_the_table_of_errors_holds_for_every_shipped_trace() -> None:
    """All rows of the shipped traces, of 1, 3, 8 and 64 snapshots, measured again to the digit."""
    assert script_of("generate_counter_errors").main(["--check"]) == 0


def test_the_table_of_errors_has_every_trace_and_its_bounds() -> None:
    script = script_of("generate_counter_errors")
    rows = script.PAGE.read_text("utf-8").split("\n|")
    names = [*script.SHIPPED, *(each.split(".")[0] for each in script.RECORDED)]
    assert len(names) == 9
    for name in names:
        of = [row for row in rows if row.startswith(f" {name} |")]
        *ages, point = of
        assert [int(row.split("|")[1]) for row in ages] == list(script.SNAPSHOTS)
        inside, _, of_all = point.rstrip(" |\n").rpartition("| ")[2].split()[:3]
        assert inside == of_all
    assert "of 9 of 9 traces" in rows[-1]


def test_the_bounds_of_one_point_are_those_of_the_product() -> None:
    """Of one size with 30 misses of 100 accesses: none to 30 beyond it, 30 to 100 below; a curve outside is found."""
    script = script_of("generate_counter_errors")
    sizes = np.asarray([1, 50, 100, 200])
    low, high = script.bounds_of(100, 0.3, sizes)
    assert low == pytest.approx([0.3, 0.3, 0.3, 0.0])
    assert high == pytest.approx([1.0, 1.0, 0.3, 0.3])
    falling = np.linspace(0.9, 0.05, 400)
    held = script.one_point_of("made", falling)
    assert held.inside == held.sizes
    assert "| 40 |" in held.text()
    # A larger cache that misses more than a smaller one is outside of the bounds.
    rising = np.where(np.arange(400) < 200, 0.4, 0.6)
    broken = script.one_point_of("made", rising)
    assert broken.inside < broken.sizes


def test_the_bounds_of_one_point_contain_the_truth_of_recorded_traces(
    shared: Path, tmp_path: Path
) -> None:
    """Of the traces that cannot be shipped: whichever size is the one that is known."""
    script = script_of("generate_counter_errors")
    kept = script.PAGE.read_text("utf-8")
    for name in script.RECORDED:
        accesses = script.accesses_of(shared / "traces" / name)
        curve = script.exact(accesses, tmp_path)
        found = script.one_point_of(name.split(".")[0], curve)
        assert found.inside == found.sizes
        assert found.text() in kept


@pytest.mark.parametrize("name", ["redis", "memcached"])
def test_a_known_stream_is_skipped_with_its_reason_where_there_is_no_server(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = script_of("known_stream")
    monkeypatch.setattr(script.shutil, "which", lambda _: None)
    assert script.main([name]) == 0
    said = capsys.readouterr().out
    assert said.startswith("skipped: ")
    assert script.KINDS[name].needs[0] in said
    # The documented functions are those that it runs.
    kind = script.KINDS[name]
    assert f"{kind.call.split()[0]}() {{" in script.documented(kind)


def test_the_truth_of_a_known_stream_is_that_of_a_list() -> None:
    """Misses of warm LRU caches between two moments, by the slow obvious model."""
    rng = np.random.default_rng(5)
    keys = rng.zipf(1.4, 3000) % 200
    found = script_of("known_stream").exact(keys, 1000, 2500)
    for pages in (1, 7, 40):
        held: list[int] = []
        missed = 0
        for at, key in enumerate(keys[:2500].tolist()):
            if key in held:
                held.remove(key)
            else:
                missed += at >= 1000
                held = held[-(pages - 1) :] if pages > 1 else []
            held.append(key)
        assert found[pages - 1] == pytest.approx(missed / 1500)


def test_the_table_of_errors_is_that_of_the_script() -> None:
    """One trace of those in docs/traces/counter-errors.md, measured again to the digit."""
    root = Path(__file__).resolve().parents[2]
    script = script_of("generate_counter_errors")
    rows, bounds = script.measured(
        [("tpcc-cut", root / "fixtures" / "traces" / "tpcc-cut.csv.zst")], (1, 8)
    )
    assert [row.snapshots for row in rows] == [1, 8]
    kept = (root / "docs" / "traces" / "counter-errors.md").read_text("utf-8")
    for row in rows:
        assert row.text() in kept
    [point] = bounds
    assert point.text() in kept
    assert point.inside == point.sizes


def test_a_trace_of_rocksdbs_tracer_is_read_as_documented(tmp_path: Path) -> None:
    """The documented command drops the names; time and block are kept, each block is one page."""
    page = (
        Path(__file__).resolve().parents[2] / "docs" / "traces" / "key-traces.md"
    ).read_text("utf-8")
    [command] = re.findall(r"(awk -F, -v OFS.*?)\n", page)
    more = "9,4096,0,users,3,12,1,0,7,0,0,1,1,20,1,5,10,16,0"
    lines = [
        f"{1_600_000_000_000_000 + 100 * at},{block},{more}"
        for at, block in enumerate((77, 78, 77, 79, 77))
    ]
    assert lines[0].count(",") == 20
    (tmp_path / "TRACE").write_text("\n".join(lines) + "\n")
    subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, check=True)
    assert "users" not in (tmp_path / "blocks.csv").read_text()
    found = _simulator.inspect(tmp_path / "blocks.csv", page_bytes=4096)
    assert found["format"] == "rocksdb_block_cache"
    assert (found["accesses"], found["distinct_pages"]) == (5, 3)
    assert found["duration_s"] == pytest.approx(4e-4)
    # With the column that copies add, the next access, as in the documented list of 22 names.
    wide = "".join(f"{line},{at}\n" for at, line in enumerate(lines))
    (tmp_path / "wide.csv").write_text(wide)
    again = _simulator.inspect(tmp_path / "wide.csv", page_bytes=4096)
    assert again["format"] == "rocksdb_block_cache"
    assert (again["accesses"], again["distinct_pages"]) == (5, 3)


def test_what_is_not_usable_is_said_with_its_reason() -> None:
    """So that nobody asks twice: each source of the list is a row with a reason."""
    table = PAGE[PAGE.index("## What is not usable") :]
    rows = [row.split("|")[1:3] for row in table.splitlines() if row.startswith("|")]
    for name in (
        "ESXi active memory",
        "PSI",
        "--hotkeys",
        "page life expectancy",
        "pg_stat_statements",
        "pg_buffercache_usage_counts",
        "workingset_activate",
        "INNODB_BUFFER_PAGE_LRU",
    ):
        [reason] = [why.strip() for source, why in rows if name in source]
        assert reason
