"""Summaries in a profile: the same charts as of the trace, without names; nothing unchecked."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tierwright.common.errors import BadInput
from tierwright.profile import measure
from tierwright.profile.document import (
    MAX_PROFILE_BYTES,
    Profile,
    profile_from_mapping,
    read_profile,
)
from tierwright.profile.popularity import share_of_top
from tierwright.profile.summaries import Popularity, summarise
from tierwright.profile.summaries_document import MOST_COUNTS, grouped
from tierwright.trace.reading import Trace

REPOSITORY = Path(__file__).resolve().parents[2]
RELATION = "16384/secretrelation"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    """Make a profile of a small trace of two relations, summed up."""
    chosen = random.Random(7)
    path = tmp_path_factory.mktemp("trace") / "t.csv"
    rows = (
        f"{at * 10},{'W' if at % 5 == 0 else 'R'},{RELATION if at % 3 else '16384/2'},"
        f"{int(chosen.paretovariate(0.8)) % 4000}"
        for at in range(5000)
    )
    path.write_text("time_us,op,rel,block\n" + "\n".join(rows) + "\n", "ascii")
    trace = Trace(path)
    return replace(measure.profile(trace), summaries=summarise(trace))


def test_a_profile_brings_its_summaries_along(made: Profile, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    made.write(path)
    text = path.read_text()
    assert len(text) < MAX_PROFILE_BYTES
    assert "secretrelation" not in text
    whole, kept = made.summaries, read_profile(path).summaries
    assert whole is not None
    assert kept is not None
    assert kept.devices is None
    assert whole.devices is not None
    for name in ("windows", "time_windows", "reuse", "reuse_ns", "requests"):
        assert getattr(kept, name) == getattr(whole, name), name
    assert kept.popularity == whole.popularity
    assert (kept.accesses, kept.duration_s) == (whole.accesses, whole.duration_s)


def test_many_numbers_of_accesses_are_put_together_closely() -> None:
    accesses = list(range(40_000, 0, -7))
    exact = Popularity(
        accesses, [1 + at % 3 for at in range(len(accesses))], 1, 2, 3, None
    )
    found = grouped(exact)
    assert len(found.accesses) < MOST_COUNTS
    assert sum(found.pages) == sum(exact.pages)
    assert found.accesses == sorted(found.accesses, reverse=True)
    assert found.accesses[-4:] == exact.accesses[-4:]
    for share in (0.01, 0.1, 0.5):
        whole = share_of_top(exact.accesses, exact.pages, share)[1]
        assert share_of_top(found.accesses, found.pages, share)[1] == pytest.approx(
            whole, rel=0.02
        )
    few = replace(exact, accesses=accesses[:9], pages=exact.pages[:9])
    assert grouped(few) == few


def _set(document: dict[str, Any], where: str, value: Any) -> None:
    *parts, last = where.split(".")
    for part in parts:
        document = document[part]
    document[last] = value


@pytest.mark.parametrize(
    ("where", "value", "told"),
    [
        ("windows", None, "summaries.windows"),
        ("windows.length", 0, "summaries.windows.length"),
        ("windows.accesses", [1], "summaries.windows"),
        ("time_windows", 5, "summaries.time_windows"),
        ("reuse", [], "summaries.reuse"),
        ("reuse.in_accesses.reads", ["x"] * 3, "summaries.reuse.in_accesses"),
        ("popularity.accesses", [], "summaries.popularity"),
        ("popularity.only_read", -1, "summaries.popularity.only_read"),
        ("popularity.zipf.exponent", float("nan"), "summaries.popularity.zipf"),
        ("popularity.zipf.verdict", "<script>", "summaries.popularity.zipf.verdict"),
        ("requests.unit", "sectors", "summaries.requests.unit"),
        ("requests.requests", 0, "summaries.requests.requests"),
        ("requests.runs", {}, "summaries.requests.runs"),
    ],
)
def test_damaged_summaries_are_refused_by_name(
    made: Profile, where: str, value: Any, told: str
) -> None:
    document = json.loads(made.to_text())
    assert profile_from_mapping(document).summaries is not None
    _set(document["summaries"], where, value)
    with pytest.raises(BadInput) as raised:
        profile_from_mapping(document)
    assert any(one.where.startswith(told) for one in raised.value.problems)


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["windows"]["accesses"].__setitem__(0, 1),
        lambda found: found["popularity"]["pages"].__setitem__(0, 10**6),
    ],
)
def test_summaries_of_another_trace_are_refused(
    made: Profile, change: Callable[[dict[str, Any]], None]
) -> None:
    document = json.loads(made.to_text())
    change(document["summaries"])
    with pytest.raises(BadInput, match="must sum up to"):
        profile_from_mapping(document)


def test_the_page_about_profiles_states_the_fit_of_the_worked_example() -> None:
    text = (REPOSITORY / "docs" / "traces" / "profile.md").read_text()
    stated = re.search(r"\S = (\d\.\d+) at a distance of (\d\.\d+), a (\w+) fit", text)
    assert stated is not None
    found = summarise(Trace(REPOSITORY / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    zipf = found.popularity.zipf
    assert zipf is not None
    assert stated.groups() == (
        f"{zipf.exponent:.2f}",
        f"{zipf.ks_distance:.3f}",
        zipf.verdict,
    )
