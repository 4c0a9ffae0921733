"""The papers reproduced: every verdict is computed by its rule, and no published claim is lost unnoticed."""

from __future__ import annotations

import json
import math
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from reproduction import rules  # noqa: E402
from reproduction.frame import (  # noqa: E402
    INFERRED,
    MEASURED,
    Claim,
    Tuned,
    kept,
    outcome_of,
    reason,
)
from reproduction.lab import Lab  # noqa: E402
from reproduction.page import page, pictures  # noqa: E402
from reproduction.rules import AGREES, DIFFERS, SAME_SHAPE, Outcome  # noqa: E402
from reproduction.table import EXPERIMENTS, PAPERS  # noqa: E402

SCRIPT: dict[str, Any] = runpy.run_path(
    str(ROOT / "scripts" / "generate_reproduction.py")
)
OUTCOMES = SCRIPT["read"]()
CLAIMS = [
    pytest.param(each, at, id=f"{each.id}-{at}")
    for each in EXPERIMENTS
    for at in range(len(each.claims))
]
ASKED = {
    "kv": [f"Figure {n}" for n in range(6, 15)] + ["Table 1", "Table 2"],
    "fd": [f"Figure {n}" for n in range(2, 12)] + ["Table 2", "Table 4"],
    "face": [f"Table {n}" for n in (2, 4, 5, 6, 7, 8)]
    + [f"Figure {n}" for n in (5, 6, 7, 8, 12, 13, 14)],
    "sce": [f"Figure {n}" for n in range(7, 14)]
    + ["Table 1", "Figure 7 (a)", "Figure 9 (a)"],
    "today": ["CacheSack", "LARC", "L2ARC", "Write streams", "Five-minute rule"],
    "zhou": [f"Figure 6 ({letter})" for letter in "abc"],
}
"""What has to be reproduced of each paper."""


LETTERS = {AGREES: "A", SAME_SHAPE: "S", DIFFERS: "D"}
VERDICTS = {
    "kv-table-1": "AA",
    "kv-table-2": "AASS",
    "kv-figure-6a": "SSSSSS",
    "kv-figure-6b": "SSSSSD",
    "kv-figure-6c": "SSSD",
    "kv-figure-7": "S",
    "kv-figure-8": "SDS",
    "kv-figure-9a": "SDSD",
    "kv-figure-9b": "SDDD",
    "kv-figure-10": "SSSS",
    "kv-figure-11": "SD",
    "kv-figure-12": "DSD",
    "kv-figure-13": "SSDSS",
    "kv-figure-14": "SSSDD",
    "fd-table-2": "AAA",
    "fd-table-4": "SDDDDDD",
    "fd-figure-2": "DADSD",
    "fd-figure-3": "DSSSDSSDSDDSSSSD",
    "fd-figure-4": "SSDDS",
    "fd-figure-5": "DDSSSS",
    "fd-figure-6": "SDS",
    "fd-figure-7": "SSASSS",
    "fd-figure-8": "AASDDD",
    "fd-figure-9": "S",
    "fd-figure-10": "AADDDD",
    "fd-figure-11": "S",
    "face-table-2": "DSS",
    "face-table-4": "SSDA",
    "face-table-5": "SSSS",
    "face-table-6": "DD",
    "face-table-7": "SS",
    "face-table-8": "SDDDD",
    "face-figure-5": "SSSSD",
    "face-figure-6": "SSSSSSDADSS",
    "face-figure-7": "DSSDSD",
    "face-figure-8a": "SSSD",
    "face-figure-8b": "DSDSDS",
    "face-figure-8c": "SS",
    "face-figure-8d": "D",
    "face-figure-12": "SSS",
    "face-figure-13": "SSDDS",
    "face-figure-14": "SSSDD",
    "sce-table-1": "ASSSDSDDA",
    "sce-figure-7": "AASADDDSDDDD",
    "sce-figure-7a": "SSSSSD",
    "sce-figure-8": "ASDD",
    "sce-figure-9": "DDDDSDDSS",
    "sce-figure-9a": "SSSDDDSDS",
    "sce-figure-10": "DDDDDD",
    "sce-figure-11": "SDASADD",
    "sce-figure-12": "SSSSDSS",
    "sce-figure-13": "SS",
    "zhou-figure-6a": "SS",
    "zhou-figure-6b": "DD",
    "zhou-figure-6c": "SSSA",
    "today-cachesack": "SSSSDA",
    "today-larc": "SSDS",
    "today-l2arc": "AAAASSSSSSSA",
    "today-streams": "DSDS",
    "today-cachelib-streams": "SSAS",
    "today-five-minutes": "ASAA",
}
"""The verdict of each claim as it was when it was last looked at: A agrees, S same shape, D differs."""


def lines(**by_name: list[float]) -> Outcome:
    """Return an outcome of lines at x = 0, 1, 2, ..."""
    return Outcome({}, {name: list(enumerate(ys)) for name, ys in by_name.items()})


def values(**by_name: float) -> Outcome:
    return Outcome(by_name, {})


@pytest.mark.parametrize(
    ("rule", "outcome", "verdict"),
    [
        (rules.Numbers({"a": 100}), values(a=101.9), AGREES),
        (rules.Numbers({"a": 100}), values(a=103), DIFFERS),
        (rules.Numbers({"a": 100, "b": 50}), values(a=90, b=80), SAME_SHAPE),
        (rules.Numbers({"a": 100, "b": 50}), values(a=80, b=90), DIFFERS),
        (rules.Numbers({"a": 100, "b": 99.5}), values(a=80, b=90), DIFFERS),
        (rules.Numbers({"a": 100, "b": 50}), values(a=290, b=17), SAME_SHAPE),
        (rules.Numbers({"a": 100, "b": 50}), values(a=310, b=17), DIFFERS),
        (rules.Numbers({"a": 100, "b": 50}), values(a=290, b=16), DIFFERS),
        (rules.Numbers({"a": 5}, rounded={"a": 0.5}), values(a=5.4), AGREES),
        (rules.Numbers({"a": 5}, rounded={"a": 0.5}), values(a=5.6), DIFFERS),
        (rules.Numbers({"a": 5}), values(a=5.4), DIFFERS),
        (rules.Numbers({"a": 5}, within=0), values(a=5.01), DIFFERS),
        (rules.Near("a", 1.5), values(a=1.52), AGREES),
        (rules.Near("a", 1.5), values(a=1.54), SAME_SHAPE),
        (rules.Near("a", 1.5), values(a=1.17), SAME_SHAPE),
        (rules.Near("a", 1.5), values(a=1.16), DIFFERS),
        (rules.Near("a", 1.5), values(a=2.4), SAME_SHAPE),
        (rules.Near("a", 1.5), values(a=2.6), DIFFERS),
        (rules.Near("a", 1.5), values(a=0.8), DIFFERS),
        (rules.Near("a", 0.8), values(a=0.9), SAME_SHAPE),
        (rules.Near("a", 0.8), values(a=1.1), DIFFERS),
        (rules.Near("a", 3, rounded=0.5), values(a=3.4), AGREES),
        (rules.Near("a", 98, neutral=100), values(a=94), SAME_SHAPE),
        (rules.Near("a", 98, neutral=100), values(a=98.4), AGREES),
        (rules.Near("a", 98, neutral=100), values(a=98.6), SAME_SHAPE),
        (rules.Near("a", 1.02), values(a=1.0), DIFFERS),
        (rules.Near("a", 1, neutral=None), values(a=1.03), DIFFERS),
        (rules.Between("a", 1.3, 2), values(a=1.3), AGREES),
        (rules.Between("a", 1.3, 2), values(a=1.1), SAME_SHAPE),
        (rules.Between("a", 1.3, 2), values(a=2.7), SAME_SHAPE),
        (rules.Between("a", 1.3, 2), values(a=0.9), DIFFERS),
        (rules.Between("a", 1.3, 2), values(a=1.09), DIFFERS),
        (rules.Between("a", 1.3, 2), values(a=4.1), DIFFERS),
        (rules.Between("a", 1.8, math.inf), values(a=1.8), AGREES),
        (rules.Between("a", 1.8, math.inf), values(a=1.79), DIFFERS),
        (rules.Between("a", -math.inf, 0.5), values(a=0.51), DIFFERS),
        (rules.Between("a", 10, 20, neutral=0), values(a=3.4), SAME_SHAPE),
        (rules.Between("a", 10, 20, neutral=0), values(a=3.3), DIFFERS),
        (rules.Between("a", 10, 20, neutral=0), values(a=-15), DIFFERS),
        (rules.Between("a", 0.2, 0.8), values(a=0.9), SAME_SHAPE),
        (rules.Between("a", 0.2, 0.8), values(a=1.1), DIFFERS),
        (rules.Between("a", 0.9, 1.1), values(a=1.2), DIFFERS),
        (rules.Between("a", 1.0, 1.1, neutral=None), values(a=1.2), DIFFERS),
        (rules.Side("a", 1, "above"), values(a=1.1), SAME_SHAPE),
        (rules.Side("a", 1, "above"), values(a=1), DIFFERS),
        (rules.Side("a", 1, "below"), values(a=0.9), SAME_SHAPE),
        (rules.Side("a", 1, "below"), values(a=1), DIFFERS),
        (rules.Order(("a", "b")), lines(a=[1, 2], b=[1, 3]), SAME_SHAPE),
        (rules.Order(("a", "b")), lines(a=[1, 3], b=[1, 2]), DIFFERS),
        (rules.Order(("a", "b"), slack=0.1), lines(a=[105], b=[100]), SAME_SHAPE),
        (rules.Order(("a", "b"), within=(1, 9)), lines(a=[9, 1], b=[1, 2]), SAME_SHAPE),
        (rules.Order(("a", "b"), within=(5, 9)), lines(a=[1, 1], b=[1, 2]), DIFFERS),
        (rules.Trend("a", "rises"), lines(a=[1, 5, 4.9, 9]), SAME_SHAPE),
        (rules.Trend("a", "rises"), lines(a=[1, 5, 3, 9]), DIFFERS),
        (rules.Trend("a", "rises"), lines(a=[1, 1]), DIFFERS),
        (rules.Trend("a", "falls"), lines(a=[9, 5, 1]), SAME_SHAPE),
        (rules.Trend("a", "falls"), lines(a=[1, 5, 9]), DIFFERS),
        (rules.Trend("a", "level"), lines(a=[100, 95]), SAME_SHAPE),
        (rules.Trend("a", "level"), lines(a=[100, 80]), DIFFERS),
        (rules.Peak("a"), lines(a=[1, 3, 2]), SAME_SHAPE),
        (rules.Peak("a"), lines(a=[1, 2, 3]), DIFFERS),
        (rules.Peak("a", is_valley=True), lines(a=[3, 1, 2]), SAME_SHAPE),
        (rules.Peak("a", is_valley=True), lines(a=[1, 3, 2]), DIFFERS),
        (rules.AtLeast("a", 1), lines(a=[1, 2]), SAME_SHAPE),
        (rules.AtLeast("a", 1), lines(a=[2, 0.9]), DIFFERS),
        (rules.Crossing("a", "b", 1, 2), lines(a=[0, 2, 4], b=[3, 3, 3]), AGREES),
        (rules.Crossing("a", "b", 5, 6), lines(a=[0, 2, 4], b=[3, 3, 3]), SAME_SHAPE),
        (rules.Crossing("a", "b", 7, 9), lines(a=[0, 2, 4], b=[3, 3, 3]), DIFFERS),
        (rules.Crossing("b", "a", 1, 2), lines(a=[0, 2, 4], b=[3, 3, 3]), DIFFERS),
        (rules.Crossing("a", "b", 1, 2), lines(a=[0, 1, 2], b=[3, 3, 3]), DIFFERS),
        (rules.Straight("a"), lines(a=[0, 1, 2]), SAME_SHAPE),
        (rules.Straight("a"), lines(a=[0, 1.8, 2]), DIFFERS),
        (rules.Straight("a", is_straight=False), lines(a=[0, 1.8, 2]), SAME_SHAPE),
        (rules.Straight("a", is_straight=False), lines(a=[0, 1, 2]), DIFFERS),
        (rules.Lowest(("a", "b"), "a"), values(a=1, b=2), SAME_SHAPE),
        (rules.Lowest(("a", "b"), "a"), values(a=2, b=1), DIFFERS),
    ],
)
def test_a_rule_gives_its_verdict_and_in_the_opposite_case_another(
    rule: rules.Rule, outcome: Outcome, verdict: str
) -> None:
    assert rule.judge(outcome).verdict == verdict


@pytest.mark.parametrize(("experiment", "at"), CLAIMS)
def test_no_claim_has_a_tolerance_of_its_own_making(experiment: Any, at: int) -> None:
    """Two per cent, as the page says, or what the printed digits leave open: half a unit of the last one."""
    match experiment.claims[at].rule:
        case rules.Numbers(published, within, rounded):
            assert within <= rules.AGREEMENT
            for name, half in rounded.items():
                assert published[name] == int(published[name])
                assert half == 0.5
        case rules.Near(_, number, _, half):
            assert half == 0 or (half == 0.5 and number == int(number))
        case rules.Between():
            # A published range or bound; a number with a margin around it would be `Near`.
            says = experiment.claims[at].says
            assert RANGES.search(says), says
        case _:
            pass


RANGES = re.compile(
    r"\d to \d|to twice|up to|at most|at least|within|less than|more than|comparable|even more"
)
"""How a claim says that a range or a bound was published."""


@pytest.mark.parametrize(("experiment", "at"), CLAIMS)
def test_a_claim_holds_unless_the_page_says_why_not(experiment: Any, at: int) -> None:
    """A published claim that is lost, or won back, has to be explained, or its explanation removed."""
    claim = experiment.claims[at]
    found = claim.rule.judge(outcome_of(OUTCOMES[experiment.id]))
    assert (found.verdict == DIFFERS) == claim.has_reason, (claim.says, found.ours)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda each: each.id)
def test_no_verdict_changes_unnoticed(experiment: Any) -> None:
    """Whoever loses a claim finds the cause; whoever wins one enters it here."""
    judged = experiment.judge(outcome_of(OUTCOMES[experiment.id]))
    found = "".join(LETTERS[each.verdict] for each in judged)
    assert found == VERDICTS[experiment.id], [each.ours for each in judged]


def test_every_verdict_is_of_an_experiment() -> None:
    assert list(VERDICTS) == [each.id for each in EXPERIMENTS]


@pytest.mark.parametrize("paper", [each.id for each in PAPERS])
def test_everything_asked_of_a_paper_is_there(paper: str) -> None:
    shown = [each.shows for each in EXPERIMENTS if each.paper == paper]
    missing = [
        name
        for name in ASKED[paper]
        if not any(each == name or each.startswith(f"{name} (") for each in shown)
    ]
    assert missing == []


def test_page_and_pictures_are_fresh() -> None:
    assert SCRIPT["stale_files"]() == [], "run `make reproduce`"


@pytest.mark.parametrize("paper", [each.id for each in PAPERS])
def test_quick_experiments_give_the_outcomes_that_are_kept(paper: str) -> None:
    """A claim of these is lost in every run of the tests, not in the long ones alone."""
    assert SCRIPT["stale_outcomes"](paper) == [], "run `make reproduce`"


@pytest.mark.parametrize("paper", [each.id for each in PAPERS])
def test_every_paper_has_experiments_that_every_run_computes(paper: str) -> None:
    """Of a paper with long ones, those that take a second or two; the rest is of `make test-long`."""
    of_paper = [each for each in EXPERIMENTS if each.paper == paper]
    assert sum(not each.is_long for each in of_paper) >= len(of_paper) / 2


def test_the_page_says_the_opposite_of_opposite_figures() -> None:
    """No verdict of the page is written down: swapped figures swap it."""
    changed = json.loads(json.dumps(OUTCOMES))
    values = changed["kv-figure-10"]["values"]
    lazy, exclusive = "Samsung, lazy", "Samsung, exclusive"
    values[lazy], values[exclusive] = values[exclusive], values[lazy]
    row = "| lazy is optimal on the Samsung (section 5.4.2) |"
    before, after = (
        next(line for line in page(each).splitlines() if line.startswith(row))
        for each in (OUTCOMES, changed)
    )
    assert before.endswith("| same shape |")
    assert "| differs because" in after


def test_every_figure_of_a_paper_has_a_picture() -> None:
    figures = [each for each in EXPERIMENTS if each.shows.startswith("Figure")]
    assert [each.id for each in figures if each.chart is None] == []
    drawn = pictures(OUTCOMES)
    assert [each.id for each in figures if f"{each.id}.svg" not in drawn] == []


def test_bars_show_what_the_claims_state_and_our_figures_of_now() -> None:
    """A published number is written down once, in its claim; ours is the kept one."""
    said = "flashcache: ours 73.6, published 50."
    assert said in pictures(OUTCOMES)["sce-figure-9.svg"]
    changed = json.loads(json.dumps(OUTCOMES))
    changed["sce-figure-9"]["values"]["flashcache hits [%]"] = 12.3
    now = pictures(changed)["sce-figure-9.svg"]
    assert said not in now
    assert "flashcache: ours 12.3, published 50." in now


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sce-figure-8", "SCE: ours 3.13, published 3."),
        ("zhou-figure-6a", "page writes: ours 50, its claim agrees from 63 to 100."),
        ("sce-figure-8", "bcache: ours 2.27, its claim holds above 1."),
        ("sce-figure-8", "flashcache: ours 1.87, its claim holds below 1."),
        (
            "kv-figure-10",
            "Samsung: inclusive: ours 29,500; exclusive: ours 27,100; lazy: ours 21,900, published as the lowest.",
        ),
    ],
)
def test_a_range_a_bound_and_a_lowest_one_are_said_as_what_they_are(
    name: str, said: str
) -> None:
    assert said in pictures(OUTCOMES)[f"{name}.svg"]


def test_a_reason_has_the_figures_of_now() -> None:
    claim = Claim("", "", rules.AtLeast("a", 9), "{b} of {a@1}")
    outcome = Outcome({"b": 7.0}, {"a": [(0, 1.5), (1, 2.5)]})
    assert reason(claim, outcome) == f"{MEASURED} 7 of 2.5"


def test_each_part_of_a_reason_says_whether_it_was_measured() -> None:
    """An explanation that no figure of a run tests is never shown as one that a run has shown."""
    outcome = Outcome({"b": 7.0}, {})
    rule = rules.AtLeast("a", 9)
    both = Claim("", "", rule, measured="{b} reads", inferred="other data")
    guess = Claim("", "", rule, inferred="other data")
    assert reason(both, outcome) == f"{MEASURED} 7 reads; {INFERRED} other data"
    assert reason(guess, outcome) == f"{INFERRED} other data"


def test_every_reason_on_the_page_has_its_basis() -> None:
    rows = [row for row in page(OUTCOMES).splitlines() if "| differs because" in row]
    differing = [
        judged
        for each in EXPERIMENTS
        for judged in each.judge(outcome_of(OUTCOMES[each.id]))
        if judged.verdict == DIFFERS
    ]
    assert len(rows) == len(differing) > 0
    assert [row for row in rows if MEASURED not in row and INFERRED not in row] == []


@pytest.mark.parametrize(
    ("experiment", "at"),
    [
        ("face-table-4", 2),
        ("face-table-6", 0),
        ("kv-figure-13", 2),
        ("fd-figure-3", 7),
        ("today-streams", 0),
        ("sce-table-1", 4),
        ("sce-table-1", 6),
    ],
)
def test_what_was_never_measured_is_shown_as_inferred(experiment: str, at: int) -> None:
    """Skew of the writes, counting of sequences, neighbours, units, an index's latency, the bound of a server."""
    found = next(each for each in EXPERIMENTS if each.id == experiment)
    shown = reason(found.claims[at], outcome_of(OUTCOMES[experiment]))
    assert INFERRED in shown


@pytest.mark.parametrize("paper", [each.id for each in PAPERS])
def test_every_tuned_constant_says_how_it_was_chosen_and_what_it_changes(
    paper: str,
) -> None:
    """Once for a paper: two texts of one constant would contradict each other sooner or later."""
    tuned = [t for each in EXPERIMENTS if each.paper == paper for t in each.tuned]
    for what in {each.what for each in tuned}:
        said = {t for t in tuned if t.what == what and t != Tuned(what)}
        assert len(said) == 1, what
        (only,) = said
        assert only.tried, what
        assert only.changes, what


def test_claims_that_hold_where_a_constant_was_tuned_are_counted() -> None:
    """A reader sees how much of the agreement may be by choice."""
    tuned = [
        judged.verdict
        for each in EXPERIMENTS
        if each.tuned
        for judged in each.judge(outcome_of(OUTCOMES[each.id]))
    ]
    said = f"have {tuned.count(AGREES)} of the claims that agree and {tuned.count(SAME_SHAPE)} of those that have the same shape"
    assert said in page(OUTCOMES)


def test_a_tuned_constant_has_the_figures_of_now() -> None:
    """Where another choice changes more claims, the page says so."""
    changed = json.loads(json.dumps(OUTCOMES))
    name = "FaCE-GSC above LC, 20 warehouses"
    values = changed["face-figure-5"]["values"]
    assert 0 <= values[name] < 5, "the claim would not depend on the recording"
    values[name] = 5.0
    before, after = (
        next(line for line in page(each).splitlines() if "20 warehouses at" in line)
        for each in (OUTCOMES, changed)
    )
    assert "on the recording of 20 warehouses at 5." in after
    assert "on the recording of 20 warehouses at 5." not in before


def test_the_verdict_of_a_figure_is_the_worst_of_its_claims() -> None:
    assert rules.worst([AGREES, SAME_SHAPE]) == SAME_SHAPE
    assert rules.worst([DIFFERS, AGREES]) == DIFFERS


@pytest.mark.long
@pytest.mark.parametrize(
    "paper",
    [
        paper.id
        for paper in PAPERS
        if any(each.is_long and each.paper == paper.id for each in EXPERIMENTS)
    ],
)
def test_long_experiments_give_the_outcomes_that_are_kept(
    paper: str, tmp_path: Path
) -> None:
    lab = Lab(tmp_path)
    for each in EXPERIMENTS:
        if each.paper == paper and each.is_long:
            assert kept(each.compute(lab)) == OUTCOMES[each.id], each.id
