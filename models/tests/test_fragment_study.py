"""A fragment cache at one point: phases by hand, invariants, the command."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise.fragment_cache import FragmentStudy, fragment_study
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate import fragment_cache

GIB = 2**30


def study(**changes: object) -> FragmentStudy:
    given_: dict[str, object] = {
        "source_bytes": 160 * GIB,
        "cache_bytes": 160 * GIB,
        "read_miss_rate": 0.5,
        "run_bytes": 2**18,
        "source_write_s": 5e-3,
        "flash_write_s": 1e-3,
        "page_writes_per_s": 0.1,
        **changes,
    }
    return fragment_study(**given_)  # type: ignore[arg-type]


@pytest.mark.oracle("advise.fragment_cache.fragment_study")
def test_phases_by_hand() -> None:
    # 90 % of 160 GiB at 8 threads (16 MiB/s), the last tenth at 4 (8 MiB/s).
    found = study()
    assert [(p.threads, p.from_free, p.to_free) for p in found.phases] == [
        (8, 1.0, 0.1),
        (4, 0.1, 0.0),
    ]
    assert found.fill_s == pytest.approx(0.9 * 10_240 + 0.1 * 20_480)
    assert (found.threads_empty, found.threads_full) == (8, 4)
    # Below the first target the second group runs to the end, below both one thread does.
    assert [p.threads for p in study(read_miss_rate=0.2).phases] == [4]
    assert study(read_miss_rate=0.1).fill_s == pytest.approx(8 * 10_240)


def test_the_fill_needs_the_first_threads_at_least() -> None:
    """Section 3.6 read literally: eight threads for all of it is a lower bound of the phases."""
    least = fragment_cache.population_rate(
        160 * GIB, threads=8, period_s=0.5, fragment_bytes=2**20
    )
    assert study().fill_s > float(least.seconds)


@given(
    miss=st.floats(0, 1),
    kib=st.integers(1, 2048),
    cache_gib=st.floats(1, 1000),
    period=st.floats(0.01, 10),
)
def test_phases_fill_the_cache_and_sizes_agree(
    miss: float, kib: int, cache_gib: float, period: float
) -> None:
    fragment = 4096 * kib
    cache = cache_gib * GIB
    found = study(
        read_miss_rate=miss,
        fragment_bytes=fragment,
        cache_bytes=cache,
        source_bytes=2 * cache,
        period_s=period,
    )
    brought = sum(p.bytes_per_s * p.seconds for p in found.phases)
    assert brought == pytest.approx(cache)
    assert found.fill_by_size_s[found.at] == pytest.approx(found.fill_s)
    assert int(found.trade.fragment_bytes[found.at]) == fragment
    assert all(a.threads > b.threads for a, b in pairwise(found.phases))
    assert found.populations_per_s == pytest.approx(
        found.threads_full / period * fragment / (2 * cache)
    )
    share = found.writes.policies["write_around"].valid_share
    assert float(share) == pytest.approx(
        found.populations_per_s / (found.populations_per_s + 0.1)
    )


def test_given_promotions_are_used_and_not_warned_about() -> None:
    found = study(fragment_populations_per_s=0.9)
    assert float(found.writes.policies["write_around"].valid_share) == pytest.approx(
        0.9
    )
    names = [caution.name for caution in found.warnings]
    assert "populations_spread_evenly" not in names
    assert "populations_spread_evenly" in [c.name for c in study().warnings]


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"fragment_bytes": 2**38}, "must not exceed the cache"),
        ({"fragment_bytes": 5000}, "multiple of 4096"),
        ({"read_miss_rate": 1.5}, "read_miss_rate"),
        ({"groups": (fragment_cache.ThreadGroup(4, 0.9, 0.0),)}, "no thread runs"),
        ({"period_s": 0.0}, "period_s"),
    ],
)
def test_refuses(changes: dict[str, object], part: str) -> None:
    with pytest.raises(BadInput, match=part):
        study(**changes)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        *("sce", "--source", "160GiB", "--flash", "30GiB", "--run", "256KiB"),
        *("--flash-device", "face2016-samsung-840pro-256"),
        *("--disk-device", "face2016-cheetah-15k6-single"),
        *("--read-miss-rate", "0.5", "--page-writes-per-s", "0.1"),
    ]
    assert main([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["fill_s"] == pytest.approx(2112)
    assert math.isclose(answer["writes"]["policies"]["awt"]["flash_writes"], 1)
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "8 until 10% is free; 4 until 0% is free" in shown
    assert "1 MiB *" in shown
    assert main([*arguments, "--fragment", "5000B"]) == 2
