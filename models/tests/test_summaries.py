"""Summaries of a trace, the Zipf fit and knees, against slow obvious models."""

import csv
import io
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.profile.knees import DROP, knees
from tierwright.profile.popularity import (
    fit_zipf,
    fitted_accesses,
    rank_curve,
    share_of_top,
)
from tierwright.profile.summaries import TABLES, Summaries, summarise
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCB = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"

SPC = """0,0,2048,w,0.0
1,4,512,r,0.1
0,4,2048,w,0.2
0,8,4096,r,0.4
1,6,512,r,0.5
1,7,512,r,0.6
"""


def grouped(counts: list[int]) -> tuple[list[int], list[int]]:
    found = Counter(counts)
    accesses = sorted(found, reverse=True)
    return accesses, [found[count] for count in accesses]


def log_likelihood(counts: list[int], exponent: float) -> float:
    ranks = np.arange(1, len(counts) + 1)
    weights = ranks**-exponent
    return float(
        np.sort(counts)[::-1] @ (-exponent * np.log(ranks))
        - sum(counts) * math.log(weights.sum())
    )


@pytest.mark.formula("profile.popularity.fit_zipf")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=3, max_size=60))
def test_the_fit_is_the_most_likely_exponent_and_its_distance_that_of_all_ranks(
    counts: list[int],
) -> None:
    fit = fit_zipf(*grouped(counts))
    assert fit is not None
    best = log_likelihood(counts, fit.exponent)
    for step in (1e-3, -1e-3):
        if fit.exponent + step >= 0:
            assert best >= log_likelihood(counts, fit.exponent + step) - 1e-9
    ordered = np.sort(counts)[::-1]
    weights = np.arange(1, len(counts) + 1) ** -fit.exponent
    observed = np.cumsum(ordered) / sum(counts)
    distance = np.abs(observed - np.cumsum(weights) / weights.sum()).max()
    assert fit.ks_distance == pytest.approx(distance, abs=1e-9)


@pytest.mark.oracle("profile.popularity.fit_zipf")
@pytest.mark.parametrize("exponent", [0.0, 0.6, 1.0, 1.4])
@pytest.mark.parametrize("distinct", [50, 10_000, 60_000])
def test_a_law_is_found_again(exponent: float, distinct: int) -> None:
    shares = np.arange(1, distinct + 1) ** -exponent
    counts = np.maximum(1, np.rint(1e12 * shares / shares.sum())).astype(int)
    fit = fit_zipf(*grouped(counts.tolist()))
    assert fit is not None
    assert fit.exponent == pytest.approx(exponent, abs=1e-4)
    assert fit.ks_distance < 1e-4
    assert fit.verdict == "close"
    # The error of the exponent by the curvature of the likelihood, differences of it taken.
    around = [
        log_likelihood(counts.tolist(), max(exponent, 0.1) + at)
        for at in (-0.01, 0, 0.01)
    ]
    if exponent > 0:
        curvature = -(around[0] - 2 * around[1] + around[2]) / 1e-4
        assert fit.standard_error == pytest.approx(1 / math.sqrt(curvature), rel=1e-2)


@pytest.mark.oracle("profile.popularity.fitted_accesses")
def test_expected_accesses_sum_up_to_all() -> None:
    fit = fit_zipf([90, 20, 3], [1, 4, 20])
    assert fit is not None
    expected = fitted_accesses(fit, range(1, 26), accesses=230, distinct_pages=25)
    assert expected.sum() == pytest.approx(230)
    assert expected[1] / expected[0] == pytest.approx(2**-fit.exponent)
    with pytest.raises(BadInput, match="`0` to `3`"):
        fitted_accesses(fit, [0, 3], accesses=230, distinct_pages=25)


def test_a_loop_and_one_hot_page_are_no_zipf_law() -> None:
    fit = fit_zipf([1000, 1], [1, 1000])
    assert fit is not None
    assert fit.verdict == "poor"
    assert fit_zipf([5, 1], [1, 1]) is None
    even = fit_zipf([7], [100])
    assert even is not None
    assert (even.exponent, even.ks_distance) == (0.0, pytest.approx(0.0, abs=1e-12))


@pytest.mark.parametrize(
    ("accesses", "pages", "message"),
    [
        ([], [], "`0` counts"),
        ([2, 1], [1], "`2` counts for 1 group"),
        ([2, 0], [1, 1], "accesses `0` is below 1"),
        ([2, 1], [1, 0], "pages `0` is below 1"),
        ([1, 2], [1, 1], "do not decrease"),
    ],
)
def test_wrong_counts_are_named(
    accesses: list[int], pages: list[int], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        fit_zipf(accesses, pages)


@pytest.mark.formula("profile.popularity.rank_curve", "profile.popularity.share_of_top")
@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=40))
def test_rank_curve_and_shares(counts: list[int]) -> None:
    ordered = sorted(counts, reverse=True)
    curve = rank_curve(*grouped(counts))
    assert curve.rank[0] == 1
    assert curve.rank[-1] == len(counts)
    for rank, accesses, share in zip(
        curve.rank, curve.accesses, curve.cumulative_share, strict=True
    ):
        assert accesses == ordered[rank - 1]
        assert share == pytest.approx(sum(ordered[:rank]) / sum(counts))
    top, share = share_of_top(*grouped(counts), 0.1)
    assert top == max(1, math.ceil(0.1 * len(counts)))
    assert share == pytest.approx(sum(ordered[:top]) / sum(counts))


@pytest.mark.oracle("profile.knees.knees")
def test_knees_of_a_curve_with_two_steps() -> None:
    pages = np.unique(np.geomspace(1, 1e6, 600).astype(int))
    ratio = np.where(pages < 100, 0.1 * pages / 100, 0.5)
    ratio = np.where(pages >= 50_000, 0.9, ratio)
    found = knees(pages, ratio)
    assert [knee.hit_ratio for knee in found] == [0.5, 0.9]
    first = found[0]
    assert first.pages == pages[pages >= 100][0]
    # The highest one lies farthest above the chord.
    across = np.log(pages) / math.log(pages[-1])
    height = (ratio - ratio[0]) / (ratio[-1] - ratio[0]) - across
    assert first.height == pytest.approx(height.max())
    assert found[0].height > found[1].height > DROP


def test_no_knees_where_nothing_bends() -> None:
    pages = [1, 10, 100, 1000]
    assert knees(pages, [0.1, 0.2, 0.3, 0.4]) == []
    assert knees(pages, [0.5] * 4) == []
    assert knees([1, 2], [0.1, 0.9]) == []
    with pytest.raises(BadInput, match="do not increase"):
        knees([2, 1, 3], [0.1, 0.2, 0.3])
    with pytest.raises(BadInput, match="`3` sizes for 2"):
        knees([1, 2, 3], [0.1, 0.2])


@pytest.fixture
def spc(tmp_path: Path) -> Path:
    path = tmp_path / "trace.spc"
    path.write_text(SPC, encoding="ascii")
    return path


def test_summaries_of_a_small_trace(spc: Path) -> None:
    found = summarise(Trace(spc, format="spc"))
    assert (found.accesses, found.write_accesses, found.distinct_pages) == (6, 2, 3)
    # Device 0: page 0 twice (both half pages), then page 1; device 1: page 0 three times.
    assert found.windows.distinct_pages == [3]
    assert found.popularity.accesses == [3, 2, 1]
    assert (found.popularity.only_read, found.popularity.only_written) == (2, 1)
    assert found.requests.unit == "bytes"
    assert found.requests.sequential_share == pytest.approx(3 / 6)
    assert found.reuse.counts() == [1, 1, 1]
    assert found.reuse.quantile(0.5) == (2, 2)
    assert found.time_windows is not None
    assert sum(found.time_windows.accesses) == 6
    assert found.devices is not None
    assert [row.name for row in found.devices.rows] == ["0", "1"]
    assert found.devices.cache_pages == [1, 2, 4]
    again = Summaries.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found


def test_summaries_agree_with_the_rows_of_a_recording(fixture_traces: Path) -> None:
    """Counts of a recording by plain Python, over its CSV lines."""
    import zstandard

    path = fixture_traces / "tpcb-cut.csv.zst"
    with path.open("rb") as packed:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed))
        rows = [(row["rel"], row["block"], row["op"]) for row in csv.DictReader(text)]
    found = summarise(Trace(path))
    pages = Counter((rel, block) for rel, block, _ in rows)
    accesses, groups = grouped(list(pages.values()))
    assert found.popularity.accesses == accesses
    assert found.popularity.pages == groups
    relations = Counter(rel for rel, _, _ in rows)
    assert found.devices is not None
    assert {row.name: row.accesses for row in found.devices.rows} == relations
    length = found.windows.length
    for number in (0, 7, len(found.windows.accesses) - 1):
        own = rows[number * length : (number + 1) * length]
        assert found.windows.distinct_pages[number] == len({row[:2] for row in own})
        assert found.windows.write_accesses[number] == sum(row[2] == "W" for row in own)


def call(
    capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    done = capsys.readouterr()
    return code, done.out, done.err


def test_command_prints_figures_json_and_every_table(
    spc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ("trace", "summary", spc, "--format", "spc")
    code, shown, _ = call(capsys, *base)
    assert code == 0
    assert "50 % continue the one before" in shown
    assert "devices or relations" in shown
    code, text, _ = call(capsys, *base, "--json")
    document: dict[str, Any] = json.loads(text)
    assert (code, document["requests"]["sequential"]) == (0, 3)
    for name, table in TABLES.items():
        code, text, _ = call(capsys, *base, "--csv", name)
        rows = list(csv.reader(io.StringIO(text)))
        assert code == 0
        assert rows[0] == list(table.columns)
        assert len(rows) > 1


def test_every_table_stands_on_its_page_and_in_the_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (ROOT / "docs" / "traces" / "profile.md").read_text(encoding="utf-8")
    code, shown, _ = call(capsys, "trace", "summary", "--help")
    assert code == 0
    words = " ".join(shown.replace("|", " ").replace("│", " ").split())
    for name in TABLES:
        assert name in page, name
        assert name in words, name


def test_command_names_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys"
    path.write_text("a\nb\na\n", encoding="ascii")
    base = ("trace", "summary", path, "--format", "keys")
    code, shown, _ = call(capsys, *base)
    assert code == 0
    assert "the trace has no times" in shown
    for name, reason in (
        ("reuse-time", "has no times"),
        ("devices", "one device only"),
        ("heat", "there is no table `heat`"),
    ):
        code, _, error = call(capsys, *base, "--csv", name)
        assert code == 2
        assert reason in error
        assert "hint:" in error
    code, _, error = call(capsys, *base, "--csv", "runs", "--json")
    assert (code, "cannot be combined" in error) == (2, True)


def test_names_that_a_spreadsheet_would_run_are_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time_us,op,rel,block\n0,R,=1+1,5\n1,R,2/2,5\n", encoding="ascii")
    base = ("trace", "summary", path, "--format", "postgres_csv", "--csv", "devices")
    code, text, error = call(capsys, *base)
    assert code == 0, error
    assert "\n'=1+1,1," in text
    # Where lines are split at semicolons, and in wide letters.
    path.write_text("time_us,op,rel,block\n0,R,a;=1+1;b,5\n1,R,\uff1d2,5\n", "utf-8")
    code, text, error = call(capsys, *base)
    assert code == 0, error
    assert "\na;'=1+1;b,1," in text
    assert "\n'\uff1d2,1," in text
