"""Rates of production over time: their mean, their peak, their short form, and what is refused."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import recordings
from command import answer as printed
from command import run
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import scale
from tierwright.advise.scale.request import mean_and_peak, read_production
from tierwright.common.errors import BadInput, Problems
from tierwright.profile import rates as rates_document
from tierwright.profile.document import profile_from_mapping
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.profile.rates import (
    MOST_PARTS,
    MOST_STEPS,
    RateSeries,
    read_rates,
    series_of,
    series_of_table,
)
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
some_rates = st.lists(
    st.floats(0, 1e9, allow_subnormal=False), min_size=1, max_size=1000
).filter(any)


def table(folder: Path, text: str) -> Path:
    path = folder / "rates.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.oracle("profile.rates.series_of")
def test_mean_and_peak_are_those_of_a_hand_calculation() -> None:
    found = series_of([100.0, 400.0, 100.0, 200.0])
    assert found.mean_per_s == 200
    assert found.peak_per_s == 400
    assert found.busiest_step == 2
    assert found.sentence == (
        "The busiest of 4 hours is number 2, with 400 accesses per second, 2.00 times the "
        "mean of 200."
    )


@pytest.mark.formula("profile.rates.series_of")
@given(some_rates)
def test_the_short_form_keeps_mean_and_peak(rates: list[float]) -> None:
    found = series_of(rates)
    assert found.mean_per_s == pytest.approx(sum(rates) / len(rates))
    assert found.peak_per_s == max(rates)
    assert rates[found.busiest_step - 1] == max(rates)
    assert len(found.means_per_s) == len(found.peaks_per_s) <= MOST_PARTS
    problems = Problems("x")
    document = json.loads(json.dumps(found.to_dict()))
    assert rates_document.from_mapping(document, problems) == found
    assert problems.found == []


def test_the_last_part_counts_by_its_steps() -> None:
    rates = [1.0] * 366 + [100.0]
    found = series_of(rates)
    assert found.steps_per_part == 2
    assert len(found.means_per_s) == 184
    assert found.mean_per_s == pytest.approx(sum(rates) / 367)


def test_a_year_of_hours_is_kept_by_days() -> None:
    found = series_of([10.0] * MOST_STEPS)
    assert found.steps_per_part == 24
    assert len(found.means_per_s) == 366
    assert found.sentence == (
        "The rate is 10 accesses per second in each of 8,784 hours."
    )
    with pytest.raises(BadInput, match="8,785 steps, more than 8,784"):
        series_of([10.0] * (MOST_STEPS + 1))


@pytest.mark.oracle("profile.rates.read_rates", "profile.rates.series_of_table")
@pytest.mark.parametrize(
    ("times", "said", "step_s"),
    [
        (
            ("0", "900", "1800"),
            "The busiest of 3 steps of 15.0 minutes is number 3",
            900,
        ),
        (
            ("2026-03-01T13:00", "2026-03-01T14:00", "2026-03-01T15:00"),
            "The busiest of 3 hours begins at 2026-03-01T15:00,",
            3600,
        ),
        (
            ("2026-03-01", "2026-03-02", "2026-03-03"),
            "The busiest of 3 days begins at 2026-03-03T00:00,",
            86_400,
        ),
        (
            ("2026-03-01T13:00:00Z", "2026-03-01T13:01:00Z", "2026-03-01T13:02:00Z"),
            "The busiest of 3 minutes begins at 2026-03-01T13:02+00:00,",
            60,
        ),
    ],
)
def test_a_table_names_its_busiest_step(
    tmp_path: Path, times: tuple[str, ...], said: str, step_s: float
) -> None:
    rows = [f"{time},{rate}" for time, rate in zip(times, (5, 10, 30), strict=True)]
    found = read_rates(table(tmp_path, "\n".join(("time,accesses_per_s", *rows))))
    assert found.step_s == step_s
    assert found.mean_per_s == 15
    assert found.sentence.startswith(said)


@pytest.mark.formula("profile.rates.read_rates", "profile.rates.series_of_table")
@given(some_rates.filter(lambda rates: len(rates) > 1), st.floats(0.5, 1e5))
def test_a_table_says_what_the_list_says(
    tmp_path_factory: pytest.TempPathFactory, rates: list[float], step_s: float
) -> None:
    lines = [f"{at * step_s!r},{rate!r}" for at, rate in enumerate(rates)]
    path = table(
        tmp_path_factory.mktemp("rates"),
        "\n".join(("time,accesses_per_s", *lines)) + "\n",
    )
    found, listed = read_rates(path), series_of(rates)
    assert found == series_of_table(path.read_text("utf-8"))
    assert found.means_per_s == listed.means_per_s
    assert found.busiest_step == listed.busiest_step
    assert math.isclose(found.step_s, step_s, rel_tol=1e-6)


def test_columns_may_come_in_any_order_among_others(tmp_path: Path) -> None:
    found = read_rates(
        table(tmp_path, "\ufeffhost,accesses_per_s,Time\na,1,0\na,2,60\n\n")
    )
    assert (found.steps, found.step_s, found.mean_per_s) == (2, 60, 1.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lacks the columns `time`, `accesses_per_s`"),
        ("time,rate\n0,1\n1,2\n", "lacks the column `accesses_per_s`"),
        ("time,accesses_per_s\n", "holds no rate"),
        ("time,accesses_per_s\n0,5\n", "one row"),
        ("time,accesses_per_s\n0,5\n1,-2\n", "line 3, accesses_per_s: `-2`"),
        ("time,accesses_per_s\n0,5\n1,nan\n", "line 3, accesses_per_s: `nan`"),
        ("time,accesses_per_s\n0,5\n1,\n", "line 3, accesses_per_s"),
        ("time,accesses_per_s\n0,5\nnoon,5\n", "line 3, time: `noon`"),
        ("time,accesses_per_s\n0,5\n2026-03-01,5\n", "all numbers of seconds"),
        ("time,accesses_per_s\n2026-03-01,5\n2026-03-02T00:00Z,5\n", "a zone in every"),
        ("time,accesses_per_s\n0,5\n1,5\n3,5\n", "row 3 begins 2 s after row 2, but row 2 1 s"),
        ("time,accesses_per_s\n0,5\n1,5\n1,5\n", "row 3 is not later than row 2"),
        ("time,accesses_per_s\n0,5,6\n", "must have 2 cells"),
        ("time,accesses_per_s\n0,0\n1,0\n", "the rate is 0 in every step"),
        (
            "time,accesses_per_s\n" + "".join(f"{at},1\n" for at in range(8785)),
            "is step 8,785, one too many",
        ),
        ("x" * 1_000_001, "more than 1,000,000 bytes"),
        ('time,accesses_per_s\n"0,5\n' + "1" * 200_000, "line 3: field"),
    ],
)  # fmt: skip
def test_a_bad_table_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadInput) as error:
        read_rates(table(tmp_path, text))
    assert words in error.value.message
    assert error.value.hint


def test_what_is_no_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_rates(tmp_path / "absent.csv")
    (tmp_path / "x.csv").write_bytes(b"time,accesses_per_s\n0,\xff\n")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_rates(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ([], "holds no rate"),
        ([1.0, -1.0], "step 2"),
        ([1.0, math.inf], "step 2"),
        ([True], "step 1"),
        (["fast"], "step 1"),
        ([0, 0], "0 in every step"),
    ],
)
def test_a_bad_list_is_named(rates: list[Any], words: str) -> None:
    with pytest.raises(BadInput) as error:
        series_of(rates)
    assert words in error.value.message


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 0},
        {"steps": MOST_STEPS + 1},
        {"step_s": 0},
        {"busiest_step": 2},
        {"busiest_step": 9},
        {"first_time": "noon"},
        {"steps_per_part": 0},
        {"means_per_s": [1.0]},
        {"means_per_s": [9.0, 1.0, 1.0]},
        {"peaks_per_s": [0.0, 0.0, 0.0]},
        {"peaks_per_s": "high"},
    ],
)
def test_a_damaged_series_of_a_profile_is_named(change: dict[str, Any]) -> None:
    document = {**series_of([5.0, 1.0, 1.0]).to_dict(), **change}
    problems = Problems("production")
    assert rates_document.from_mapping(document, problems) is None
    assert [each.where for each in problems.found] == ["rates"]


def test_production_has_the_mean_and_the_peak_of_its_series() -> None:
    series = series_of([100.0, 300.0])
    stated = mean_and_peak(series, None, None, None, None)
    made = Production(2**30, **stated)
    assert (made.accesses_per_s, made.peak_accesses_per_s) == (200, 300)
    with pytest.raises(BadInput, match="rates"):
        Production(2**30, 250.0, 300.0, rates=series)
    with pytest.raises(BadInput, match="rates"):
        Production(2**30, 200.0, rates=series)
    for more in (
        (5.0, None, None, None),
        (None, 5.0, 2.0, None),
        (None, None, None, 5.0),
    ):
        with pytest.raises(BadInput, match="stated twice"):
            mean_and_peak(series, *more)


def test_a_series_is_used_where_mean_and_peak_are(tmp_path: Path) -> None:
    """Also its rate in warnings about the load; the file keeps it."""
    recording = profile(TPCB)
    recording.write(tmp_path / "p.json")
    path = table(
        tmp_path,
        "time,accesses_per_s\n2026-03-01T13:00,100\n2026-03-01T14:00,500\n",
    )
    by_series, by_rates = (
        printed("scale", tmp_path / "p.json", "--data", "1GiB", *rates)
        for rates in (
            ("--rates", path, "-o", tmp_path / "s.json"),
            ("--accesses-per-second", "300", "--peak-accesses-per-second", "500"),
        )
    )
    assert by_series["sizes"] == by_rates["sizes"]
    assert by_series["duration_s"] == by_rates["duration_s"]
    assert by_rates["production"]["rates"] is None
    said = "The busiest of 2 hours begins at 2026-03-01T14:00, with 500 accesses per second"
    assert said in by_series["finding"]
    assert said not in by_rates["finding"]
    text = (tmp_path / "s.json").read_text("utf-8")
    again = profile_from_mapping(json.loads(text)).curve.scaled
    assert again is not None
    assert again.production.rates == read_rates(path)
    damaged = json.loads(text)
    damaged["production"]["rates"]["steps"] = "two"
    with pytest.raises(BadInput, match=r"production\.rates"):
        profile_from_mapping(damaged)
    steps = scale.answer(recording, again.production).derivation()
    assert {"mean rate", "peak rate"} <= {step.name for step in steps}


@pytest.mark.parametrize("rates", ["[100, 500.5]", '"rates.csv"'])
def test_a_production_file_holds_a_series_or_names_one(
    tmp_path: Path, rates: str
) -> None:
    table(tmp_path, "time,accesses_per_s\n0,100\n3600,500.5\n")
    path = tmp_path / "production.toml"
    path.write_text(f'data = "1GiB"\nrates = {rates}\n')
    found = read_production(path)["production"]
    assert found.rates == series_of([100, 500.5])
    path.write_text(f'data = "1GiB"\naccesses_per_s = 5\nrates = {rates}\n')
    with pytest.raises(BadInput, match="stated twice"):
        read_production(path)
    path.write_text('data = "1GiB"\nrates = 7\n')
    with pytest.raises(BadInput, match="rates"):
        read_production(path)


def test_the_command_refuses_a_series_beside_rates(tmp_path: Path) -> None:
    profile(TPCB).write(tmp_path / "p.json")
    path = table(tmp_path, "time,accesses_per_s\n0,100\n3600,500\n")
    asked = ("scale", tmp_path / "p.json", "--data", "1GiB", "--rates", path)
    done = run(*asked, "--accesses-per-second", "5")
    assert done.returncode != 0
    assert "stated twice" in done.stderr
    assert "hint:" in done.stderr
    (tmp_path / "production.toml").write_text('data = "1GiB"\naccesses_per_s = 5\n')
    done = run(
        "scale",
        tmp_path / "p.json",
        "--production",
        tmp_path / "production.toml",
        "--rates",
        path,
    )
    assert "--rates cannot be stated besides" in done.stderr


def test_equal_series_are_equal() -> None:
    assert series_of([1.0, 2.0]) == series_of([1.0, 2.0])
    assert isinstance(series_of([1.0]), RateSeries)
