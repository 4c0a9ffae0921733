"""`tierwright report check`: each thing that a committee would send back is named, and no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import advices
import pytest
from command import run

from tierwright.advise import report
from tierwright.common.errors import BadInput

DAY = "2026-10-01"
Change = Callable[[dict[str, Any]], None]


def whole() -> dict[str, Any]:
    """An advice that passes: priced and dated, confirmed by a replay, without growth."""
    found = advices.document()
    found["status"] = "checked"
    found["peak_accesses_per_s"] = found["accesses_per_s"]
    for name in ("recommendation", "option_zero"):
        found[name]["months_until_too_small"] = None
        for row in found[name]["bill"]:
            row["date"] = row["date"] or "2026-09-01"
    for each in found["cautions"]:
        each["could_change_choice"] = False
    return found


def codes(document: dict[str, Any], **given: str) -> list[str]:
    found = report.sent_back(document, **{"day": DAY, **given})
    assert all(each.message.endswith(".") and each.hint for each in found)
    return [each.code for each in found]


def no_rate(document: dict[str, Any]) -> None:
    document["accesses_per_s"] = document["peak_accesses_per_s"] = None


def no_zero(document: dict[str, Any]) -> None:
    document["option_zero"] = None


def no_cost(document: dict[str, Any]) -> None:
    document["option_zero"] |= {"usd_per_month": None, "purchase_usd": None, "bill": []}


def undated(document: dict[str, Any]) -> None:
    document["recommendation"]["bill"][2]["date"] = None


def old(document: dict[str, Any]) -> None:
    document["recommendation"]["bill"][2]["date"] = "2025-12-31"


def peak(document: dict[str, Any]) -> None:
    document["peak_accesses_per_s"] = 2.5 * document["accesses_per_s"]


def growth(document: dict[str, Any]) -> None:
    document["recommendation"]["months_until_too_small"] = 30.0


def no_range(document: dict[str, Any]) -> None:
    document["confidence"] |= {"tornado": [], "probability_best": None}


def not_replayed(document: dict[str, Any]) -> None:
    document["status"] = "model"


def replayed_others(document: dict[str, Any]) -> None:
    """The check replayed what was close; the recommendation is too small for the recording."""
    row = {"model": 10.0, "gap": None, "is_beyond_band": False, "reason": "too small"}
    document["checked"] = [
        {**row, "option": document["recommendation"], "simulated": None},
        {**row, "option": document["alternatives"][0], "simulated": 9.0},
    ]


def open_assumption(document: dict[str, Any]) -> None:
    document["cautions"][0]["could_change_choice"] = True


def other_horizon(document: dict[str, Any]) -> None:
    document["option_zero"]["config"] = {"horizon_months": 60}


def test_what_lacks_nothing_passes() -> None:
    assert codes(whole()) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (no_rate, "no_need"),
        (no_zero, "no_option_zero"),
        (no_cost, "cost_of_nothing_unknown"),
        (undated, "undated_price"),
        (old, "old_price"),
        (peak, "uplift_without_source"),
        (growth, "uplift_without_source"),
        (no_range, "no_range"),
        (not_replayed, "not_replayed"),
        (replayed_others, "not_replayed"),
        (open_assumption, "open_assumption"),
        (other_horizon, "unequal_horizons"),
    ],
)
def test_each_is_named_alone(change: Change, code: str) -> None:
    document = whole()
    change(document)
    assert codes(document) == [code]


def test_what_settles_them() -> None:
    document = whole()
    peak(document)
    growth(document)
    [one] = report.sent_back(document, day=DAY)
    assert "2.5 times the mean" in one.message
    assert "grow" in one.message
    assert codes(document, uplift_source="forecast of sales, 2026-09") == []
    # The price book dates what is bought by itself; a price of the user is not of it.
    document = whole()
    for row in document["recommendation"]["bill"]:
        row["date"] = None
    [undated_price] = report.sent_back(document, day=DAY)
    assert undated_price.message.startswith("1 price has no date")
    assert "machine without RAM and drives" in undated_price.message
    # Each price is as old as its own date, that of RAM in May: two quarters later it is still of today, three later not.
    assert codes(whole(), day="2026-12-31") == []
    assert codes(whole(), day="2027-01-01") == ["old_price"]
    [old_price] = report.sent_back(whole(), day="2027-01-01")
    assert "RAM, GiB of 2026-05" in old_price.message


def test_nothing_recommended() -> None:
    found = json.loads(advices.advised(feasible=False))
    assert "no_recommendation" in codes(found, uplift_source="x")


@pytest.mark.parametrize("day", ["2026-02-30", "2026", "tomorrow"])
def test_a_day_that_is_none(day: str) -> None:
    with pytest.raises(BadInput, match="day"):
        codes(whole(), day=day)


class TestCommand:
    def test_it_ends_with_1_where_something_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "advice.json"
        path.write_text(json.dumps(whole()), encoding="utf-8")
        asked = ("report", "check", path, "--day", DAY)
        done = run(*asked, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        found = json.loads(done.stdout)
        assert (found["passes"], found["sent_back"]) == (True, [])
        assert "would not send it back" in run(*asked).stdout
        document = whole()
        no_zero(document)
        path.write_text(json.dumps(document), encoding="utf-8")
        done = run(*asked, "--json")
        assert done.returncode == 1
        found = json.loads(done.stdout)
        assert found["passes"] is False
        assert [each["code"] for each in found["sent_back"]] == ["no_option_zero"]
        assert "no_option_zero" in run(*asked).stdout

    @pytest.mark.parametrize(
        "words",
        [
            ("report", "check", "a.json", "-o", "r.html"),
            ("report", "a.json", "b.json", "-o", "r.html"),
            ("report", "a.json"),
            ("report", "a.json", "--day", DAY, "-o", "r.html"),
        ],
    )
    def test_what_does_not_belong_together(self, words: tuple[str, ...]) -> None:
        done = run(*words)
        assert done.returncode == 2
        assert "hint:" in done.stderr


def of_quotes(**more: Any) -> dict[str, Any]:
    """An advice on quotes that passes."""
    document = whole()
    best = document["recommendation"]
    best["kind"] = "quotes"
    quote = {
        "quote_id": "Q-1",
        "rank": 1,
        "usd_per_month": best["usd_per_month"],
        "purchase_usd": best["purchase_usd"],
        "option": best,
        "supplier": "ACME",
        "valid_until": "2026-12-31",
        "lead_time_days": 1,
        "cautions": [],
        **more,
    }
    document["quotes"] = {
        "ranking_id": "r",
        "recommended": "Q-1",
        "day": DAY,
        "ranked": [quote],
    }
    return document


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("2026-10-01", []),
        ("2026-09-30", ["expired_quote"]),
        (None, ["quote_without_validity"]),
    ],
)
def test_the_validity_of_the_quote(until: str | None, expected: list[str]) -> None:
    assert codes(of_quotes(valid_until=until)) == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"Q-1": "2026-10-01, mail of ACME"}, []),
        ({"Q-1": "2026-09-30, mail of ACME"}, ["expired_quote"]),
        ({"Q-1": "mail of ACME"}, ["quote_without_validity"]),
        ({"Q-1": "2026-13-01, mail of ACME"}, ["quote_without_validity"]),
        ({"Q-2": "2026-12-31, mail of ACME"}, ["quote_without_validity"]),
    ],
)
def test_a_validity_that_the_paper_states(
    stated: dict[str, str], expected: list[str]
) -> None:
    document = of_quotes(valid_until=None)
    given = report.with_statements(document, report.Statements(validity=stated))
    assert codes(given) == expected
    assert report.without_validity(given) == ["Q-1"]


def test_the_validity_of_the_file_counts_before_that_of_the_paper() -> None:
    document = of_quotes(valid_until="2026-09-30")
    stated = report.Statements(validity={"Q-1": "2026-12-31, mail of ACME"})
    assert codes(report.with_statements(document, stated)) == ["expired_quote"]
    assert report.without_validity(document) == []


@pytest.mark.parametrize(
    ("recommended", "expected"),
    [("Q-1", ["expired_quote"]), ("Q-2", []), (None, ["expired_quote"])],
)
def test_the_quote_is_found_by_its_id(
    recommended: str | None, expected: list[str]
) -> None:
    document = of_quotes(valid_until="2026-09-30")
    # By replays it is run in another way than the model prefers.
    document["recommendation"] = document["recommendation"] | {
        "name": "quote Q-1 (64 GiB of RAM and 8 x other)"
    }
    document["quotes"]["recommended"] = recommended
    assert codes(document) == expected


def test_the_source_of_what_today_costs_dates_it() -> None:
    document = whole()
    document["option_zero"] |= {"bill": [], "purchase_usd": "0"}
    assert codes(document) == ["undated_price"]

    def dated(text: str) -> list[str]:
        stated = report.Statements(today_cost=text)
        return codes(report.with_statements(document, stated))

    assert dated("2026-09-30, invoices of September") == []
    assert dated("invoices of September") == ["undated_price"]
    assert dated("2025-09-30, invoices") == ["old_price"]
    assert dated("2026-11-30, invoices") == ["future_price"]


def test_a_reason_settles_its_assumption_alone() -> None:
    document = whole()
    open_assumption(document)
    code = document["cautions"][0]["code"]
    for holds, expected in (
        ({code: "measured"}, []),
        ({code: " "}, ["open_assumption"]),
        ({"x": "y"}, ["open_assumption"]),
    ):
        given = report.with_statements(document, report.Statements(holds=holds))
        assert codes(given) == expected
