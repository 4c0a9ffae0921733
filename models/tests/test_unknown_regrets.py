"""Why choices have no regret in some scenario: each reason stands once, whatever number of choices it holds of."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path

import pytest
from advice_cases import SHELF, recorded
from command import run
from hypothesis import given
from hypothesis import strategies as st
from test_report import parsed, section, words

from tierwright.advise import report
from tierwright.advise.advice.unknown_regrets import unknown_regrets

BREAKS = "it breaks a limit there, which no I/O time repairs"


@pytest.mark.parametrize(
    ("names", "of", "said"),
    [
        (["A"], 3, f"No regret of A in some scenario: {BREAKS}"),
        (
            ["A", "B"],
            2,
            f"No regret of A and B in some scenario, each for the same reason: {BREAKS}",
        ),
        (
            ["A", "B", "C"],
            5,
            f"No regret of 3 of the 5 choices in some scenario, each for the same reason: {BREAKS}",
        ),
        (
            ["A", "B", "C"],
            3,
            f"No regret of all 3 choices in some scenario, each for the same reason: {BREAKS}",
        ),
    ],
)
def test_up_to_two_are_named_and_more_are_counted(
    names: list[str], of: int, said: str
) -> None:
    others = [(f"other {at}", [""]) for at in range(of - len(names))]
    # It breaks limits in two scenarios, and is said once.
    assert unknown_regrets(
        [*((name, [BREAKS, "", BREAKS]) for name in names), *others]
    ) == [said]


@given(st.lists(st.lists(st.sampled_from(["", "x", "y", "z"]), max_size=4), max_size=8))
def test_each_reason_stands_once_and_is_of_those_that_have_it(
    reasons: list[list[str]],
) -> None:
    said = unknown_regrets((f"<{at}>", each) for at, each in enumerate(reasons))
    assert {each[-1] for each in said} == {one for row in reasons for one in row if one}
    assert len(said) == len({each[-1] for each in said})
    for each in said:
        having = [at for at, row in enumerate(reasons) if each[-1] in row]
        number = re.search(r"(\d+) (?:of the \d+ )?choices", each)
        named = re.findall(r"<(\d+)>", each)
        assert [int(at) for at in named] == having or (
            number is not None and int(number[1]) == len(having) > 2
        )


def test_command_and_report_say_it_once(tmp_path: Path) -> None:
    """Within a limit on money, what breaks one in some scenario has no regret in time there: of every choice the same reason."""
    path = tmp_path / "p.json"
    path.write_text(json.dumps(recorded().to_dict()))
    shelf = tmp_path / "c.toml"
    shelf.write_text(f"devices = {json.dumps(list(SHELF))}\nmachine_usd = 5000\n")
    asked = (
        *("advise", str(path), "--data", "2TiB", "--accesses-per-second", "5000"),
        *("--candidates", str(shelf), "--price-book", "street-2026-q3"),
        *("--objective", "io_time", "--constraint", "usd_per_month=400"),
    )
    found = json.loads(run(*asked, "--json").stdout)
    rows = found["scenarios"]["rows"]
    without = [
        row for row in rows if any(one["reason"] == BREAKS for one in row["regret"])
    ]
    assert len(without) > 2
    expected = (
        f"No regret of {len(without)} of the {len(rows)} choices in some scenario, each for the same reason: {BREAKS}."
        if len(without) < len(rows)
        else f"No regret of all {len(rows)} choices in some scenario, each for the same reason: {BREAKS}."
    )
    lines = run(*asked).stdout.splitlines()
    assert [line for line in lines if "No regret of" in line] == [expected]
    said = words(section(parsed(report.html(copy.deepcopy(found))), "scenarios"))
    assert said.count("No regret of") == 1
    assert expected in said
