"""The advice over HTTP: what it recommends is billed as it says, keeps its limits, and says why where nothing does."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest

from tierwright.advise import advice as models
from tierwright.advise.advice.request import KINDS, Candidates
from tierwright.evaluate.advice.choose import OBJECTIVES
from tierwright.evaluate.advice.limits import CONSTRAINTS
from tierwright.evaluate.advice.rows import CHOICES
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace
from tierwright_server.questions.advice.schemas import (
    ConstraintsIn,
    Kind,
    Objective,
    Scheme,
)

URL = "/workloads/example/advice"
SHELF = {"kinds": ["instances", "volumes"], "max_machines": 2}
HAVE = {
    "ram_bytes": 16 * 2**30,
    "disk_device_id": "seagate-exos-x24-24tb",
    "disks": 2,
    "usd_per_month": "900",
}
PRODUCTION = {
    "data_bytes": 4 * 2**40,
    "accesses_per_s": 8000.0,
    "peak_accesses_per_s": 16000.0,
    "growth_per_year": 0.2,
    "recorded_data_bytes": 512 * 2**20,
    "clients": 4,
    "accesses_per_unit": 20.0,
}

POINT = {
    "ram_pages": 2000,
    "flash_pages": 8000,
    "flash_device_id": "face2016-samsung-840pro-256",
    "disk_device_id": "face2016-cheetah-15k6-single",
}


@pytest.fixture(scope="module")
def production(application: Any) -> str:
    """Address of the advice of the worked example at the scale of production."""
    body = {"name": "production for advice", **PRODUCTION}
    made = application.post("/workloads/example/scaled", body, 201)
    return f"/workloads/{made['id']}/advice"


def test_what_is_recommended_is_billed_as_it_says(
    application: Any, production: str
) -> None:
    found = application.post(production, {"candidates": SHELF}, 200)
    assert found["infeasible"] is None
    assert found["data_bytes"] > PRODUCTION["data_bytes"]  # it grows
    assert found["peak_accesses_per_s"] == PRODUCTION["peak_accesses_per_s"]
    best = found["recommendation"]
    for one in (best, *found["alternatives"][:2], *found["pareto"][:2]):
        bill = application.post("/bills", one["config"], 200)
        assert Decimal(one["usd_per_month"]) == Decimal(bill["usd_per_month"])
        rows = sum(Decimal(row["usd_per_month"]) for row in one["bill"])
        assert rows == Decimal(one["usd_per_month"])
        assert one["peak_busy"] <= 0.7
        parts = one["ram_hit_share"] + one["flash_hit_share"] + one["disk_share"]
        assert parts == pytest.approx(1)
    costs = [Decimal(each["usd_per_month"]) for each in found["alternatives"]]
    assert min(costs) >= Decimal(best["usd_per_month"])
    assert found["option_zero"] is None
    assert found["rejected"]
    # The windows of the trace that was uploaded come with its curve.
    sure = found["confidence"]
    assert 0 <= sure["probability_best"] <= 1, sure["reason"]
    assert sure["text"] in found["finding"]
    regret = Decimal(sure["expected_regret_usd_per_month"])
    worth = [Decimal(each["usd_per_month"]) for each in sure["value_of_information"]]
    assert worth == sorted(worth, reverse=True)
    assert all(0 <= each <= regret for each in worth)


def test_the_quick_answer_recommends_the_same(
    application: Any, production: str
) -> None:
    # Without this limit something cheaper would do.
    body = {"candidates": SHELF, "constraints": {"io_time_us_per_access": 2}}
    quick = application.post(production, {**body, "how_sure": False}, 200)
    full = application.post(production, body, 200)
    assert quick["confidence"]["tornado"] == quick["verdict"]["shadows"] == []
    assert full["verdict"]["shadows"]
    # What was not tried is not spoken of.
    assert "limit" not in quick["verdict"]["text"]
    assert "Without the limit on" in full["verdict"]["text"]
    for key in ("advice_id", "recommendation", "alternatives", "pareto", "rejected"):
        assert quick[key] == full[key]


def test_it_says_when_it_changes_what_is_near_and_what_it_would_regret(
    application: Any, production: str
) -> None:
    have = {**HAVE, "ram_bytes": 2**40, "disks": 4000}
    body = {"candidates": SHELF, "have": have}
    quick = application.post(production, {**body, "how_sure": False}, 200)
    full = application.post(production, body, 200)
    assert quick["when"]["asked_until"] == 0
    assert quick["waiting"] is quick["scenarios"] is None
    assert full["when"]["asked_until"] == full["horizon_months"]
    assert full["waiting"]["keeps_limits"] is True
    assert full["flat"] == quick["flat"] != []
    for step in full["next_dollar"]["steps"]:
        ratio = float(step["usd_per_month_more"]) / step["io_time_us_saved"]
        assert float(step["usd_per_month_per_us"]) == pytest.approx(ratio, rel=1e-3)
    scenarios = full["scenarios"]
    assert [each["name"] for each in scenarios["columns"]] == [
        *("present", "growth", "load", "drift", "loss")
    ]
    own = scenarios["rows"][0]
    assert own["name"] == full["recommendation"]["name"]
    assert own["regret"][0]["regret_usd_per_month"] == "0.00"
    assert [each["role"] for each in scenarios["rows"]].count("today") == 1
    limited = {**body, "constraints": {"restart_s": 1e-3}, "how_sure": False}
    cold = application.post(production, limited, 200)
    assert cold["infeasible"]["conflict"] == ["restart_s"]


def test_a_limit_that_nothing_keeps_is_named_with_its_relaxation(
    application: Any, production: str
) -> None:
    body = {"candidates": SHELF, "constraints": {"usd_per_month": "1"}}
    found = application.post(production, body, 200)
    assert found["recommendation"] is None
    assert found["verdict"]["viable"] is False
    assert "usd_per_month" in found["infeasible"]["conflict"]
    said = found["infeasible"]
    assert found["finding"] == f"{said['heading']} {said['more']}"
    assert "1 USD per month" in said["heading"]
    nearest = min(
        each["value"]
        for each in found["rejected"]
        if each["constraint"] == "usd_per_month" and not each["also"]
    )
    relaxed = {"usd_per_month": nearest, "peak_busy": 0.7}
    admitted = application.post(
        production, {"candidates": SHELF, "constraints": relaxed}, 200
    )
    assert admitted["infeasible"] is None
    assert float(admitted["recommendation"]["usd_per_month"]) == pytest.approx(nearest)


def test_what_there_is_is_an_option(application: Any, production: str) -> None:
    have = {**HAVE, "ram_bytes": 2**40, "disks": 4000}
    body = {"candidates": SHELF, "have": have}
    dear = {**have, "usd_per_month": "1000000"}
    found = application.post(production, {**body, "have": dear}, 200)
    zero = found["option_zero"]
    assert (zero["kind"], zero["disks"], zero["usd_per_month"]) == (
        "have",
        4000,
        "1000000.00",
    )
    best = Decimal(found["recommendation"]["usd_per_month"])
    assert Decimal(found["saving_usd_per_month"]) == Decimal(1000000) - best
    kept = application.post(
        production, {**body, "have": {**have, "usd_per_month": "1"}}, 200
    )
    assert kept["recommendation"]["kind"] == "have"
    assert Decimal(kept["saving_usd_per_month"]) == 0


def test_a_bill_says_how_many_machines_there_are(
    application: Any, production: str
) -> None:
    have = {name: HAVE[name] for name in HAVE if "usd" not in name}
    body = {"candidates": SHELF, "how_sure": False}
    rented = {"server": "aws-i4i.4xlarge", "machines": 2}
    alone, both = (
        application.post(
            production, {**body, "have": {**have, **stated, "bill": rented}}, 200
        )
        for stated in ({}, {"machines": 2})
    )
    assert alone == both
    assert alone["option_zero"]["machines"] == 2
    lines = {"extra": [{"what": "box", "quantity": 2, "usd": "3600"}]}
    stated = {**have, "machines": 2, "bill": lines}
    all_of_them = application.post(production, {**body, "have": stated}, 200)
    assert all_of_them["option_zero"]["usd_per_month"] == "200.00"
    assert alone["option_zero"]["server"] == "aws-i4i.4xlarge"
    other = {**body, "have": {**have, "machines": 1, "bill": rented}}
    [error] = application.post(production, other, 422)["errors"]
    assert error["value"] == "2"
    assert error["where"] == "body.have.bill.machines"
    assert "is not the number of machines that there are, 1" in error["message"]


def test_a_bill_of_what_there_is_has_the_months_of_the_question(
    application: Any, production: str
) -> None:
    """7,200 USD over 12 months; months that nobody stated are none of the bill's own."""
    bill = {"extra": [{"what": "box", "quantity": 2, "usd": "3600"}]}
    have = {name: HAVE[name] for name in HAVE if "usd" not in name}
    body = {"candidates": SHELF, "how_sure": False, "horizon_months": 12}
    for stated in ({}, {"horizon_months": 12}):
        asked = {**body, "have": {**have, "bill": {**bill, **stated}}}
        zero = application.post(production, asked, 200)["option_zero"]
        assert zero["usd_per_month"] == "600.00"
        assert zero["config"]["horizon_months"] == 12
    other = {**body, "have": {**have, "bill": {**bill, "horizon_months": 36}}}
    refused = application.post(production, other, 422)
    [error] = refused["errors"]
    assert error["value"] == "36"
    assert "is not the horizon of the question, 12 months" in error["message"]


def test_what_the_system_takes_of_the_ram_can_be_stated(
    application: Any, production: str
) -> None:
    """All of the RAM without it for pages, and so much of it stated, are the same pages under two names."""
    whole = {**HAVE, "machines": 2, "disks": 4000, "ram_bytes": 2**36}
    found = {}
    for name, have in (
        ("whole", {**whole, "reserved_gib": 4}),
        ("pages", {**whole, "ram_bytes": 2**36 - 2 * 2**32}),
    ):
        body = {"candidates": SHELF, "have": have, "how_sure": False}
        found[name] = application.post(production, body, 200)["option_zero"]
    for figure in ("ram_hit_share", "io_time_us_per_access", "peak_busy"):
        assert found["whole"][figure] == found["pages"][figure]
    assert found["whole"]["name"].startswith("64 GiB of RAM and ")
    assert found["pages"]["name"].startswith("56 GiB of RAM for pages and ")


def test_own_devices_and_price_books_are_used(
    application: Any, production: str
) -> None:
    own = {
        "name": "My disk",
        "kind": "hdd",
        "figures": {
            "capacity": {"value": 24, "unit": "TB", "source": "label"},
            "read_iops": {"value": 150, "unit": "1/s", "source": "measured"},
            "write_iops": {"value": 140, "unit": "1/s", "source": "measured"},
        },
    }
    made = application.post("/catalog/devices", own, 201)
    have = {**HAVE, "disk_device_id": made["id"], "disks": 4000}
    found = application.post(production, {"candidates": SHELF, "have": have}, 200)
    assert found["option_zero"]["disk_device"] == made["id"]
    book = {
        "name": "Quotation",
        "date": "2026-10-01",
        "prices": [
            {"kind": "dram", "usd_per_gb": "1.5", "source": "quotation"},
            {
                "device_id": "samsung-pm9a3-7.68tb-u2",
                "usd_per_gb": "0.1",
                "source": "quotation",
            },
        ],
    }
    made_book = application.post("/catalog/price-books", book, 201)
    body = {"candidates": {"kinds": ["devices"]}, "price_book_id": made_book["id"]}
    bought = application.post(production, body, 200)
    assert bought["versions"]["price_book"] == made_book["id"]
    assert bought["recommendation"]["disk_device"] == "samsung-pm9a3-7.68tb-u2"


def test_a_price_book_can_be_left_out_and_is_the_default_one_where_none_is_named(
    application: Any, production: str
) -> None:
    devices = {"candidates": {"kinds": ["devices"]}, "how_sure": False}
    usual = application.post(production, devices, 200)
    assert usual["versions"]["price_book"] == "street-2026-q3"
    assert usual["recommendation"]["kind"] == "devices"
    without = {**devices, "price_book_id": "none"}
    found = application.post(production, without, 200)
    assert found["versions"]["price_book"] == "none"
    assert found["recommendation"] is None
    assert found["evaluated"] == 0
    assert "no_price_of_ram" in [each["code"] for each in found["cautions"]]
    # Nothing but the book is missing: what is rented has its list prices, in any currency.
    rented = {"candidates": SHELF, "how_sure": False}
    prices = [
        application.post(f"{production}?currency=EUR", {**rented, **book}, 200)
        for book in ({}, {"price_book_id": "none"})
    ]
    assert [each["versions"]["price_book"] for each in prices] == [
        "street-2026-q3",
        "none",
    ]
    one, other = (each["recommendation"] for each in prices)
    assert one["usd_per_month"] == other["usd_per_month"]
    chosen = application.post(
        production, {"price_book_id": "none", "how_sure": False}, 200
    )
    assert chosen["question"]["candidates"].find("devices") == -1


def test_an_own_device_is_a_candidate_and_is_named_where_it_has_no_price(
    application: Any, production: str
) -> None:
    rates = {
        "capacity": {"value": 24, "unit": "TB", "source": "label"},
        "read_iops": {"value": 400_000, "unit": "1/s", "source": "measured"},
        "write_iops": {"value": 200_000, "unit": "1/s", "source": "measured"},
    }
    price = {"unit_price": {"value": 0.01, "unit": "USD/GB", "source": "quotation"}}
    priced, unpriced = (
        application.post(
            "/catalog/devices", {"name": name, "kind": kind, "figures": figures}, 201
        )["id"]
        for name, kind, figures in (
            ("Bought cheaply", "nvme", {**rates, **price}),
            ("Of no price", "hdd_array", rates),
        )
    )
    body = {
        "price_book_id": "papers-2015",  # it has RAM, and no price of such an array
        "candidates": {"kinds": ["devices"], "own": [priced, unpriced]},
        "how_sure": False,
    }
    found = application.post(production, body, 200)
    assert found["recommendation"]["disk_device"] == priced
    [caution] = [
        each for each in found["cautions"] if each["code"] == "own_device_without_price"
    ]
    assert caution["about"] == [unpriced]
    assert unpriced in caution["message"]
    lacking = [
        each
        for each in found["rejected"]
        if unpriced in (each["option"]["disk_device"], each["option"]["flash_device"])
    ]
    assert lacking
    assert {each["constraint"] for each in lacking} == {"price"}
    assert {each["option"]["usd_per_month"] for each in lacking} == {None}
    # Without a list of kinds they are added to the others.
    added = {"candidates": {"own": [priced]}, "how_sure": False}
    more = application.post(production, added, 200)
    fewer = application.post(production, {"how_sure": False}, 200)
    assert more["evaluated"] > fewer["evaluated"]


def test_a_split_that_was_counted_is_stated_and_one_that_was_not_is_named(
    application: Any,
) -> None:
    figures = {
        "capacity": {"value": 1, "unit": "TB", "source": "label"},
        "asymmetry": {"value": 64, "unit": "1", "source": "measured"},
        "read_iops": {"value": 64_000, "unit": "1/s", "source": "measured"},
        "write_iops": {"value": 1000, "unit": "1/s", "source": "measured"},
        "unit_price": {"value": 0.1, "unit": "USD/GB", "source": "quotation"},
    }
    drive = {"name": "Slow to write", "kind": "nvme", "figures": figures}
    own = application.post("/catalog/devices", drive, 201)["id"]
    body = {
        "accesses_per_s": 1000.0,
        "candidates": {
            # This book has no price of the shipped one.
            "devices": ["kv2009-intel-x25m"],
            "own": [own],
            "reserved_gib": 0,
        },
        "constraints": {"ram_bytes": 64 * 2**20},
        "objective": "io_time",
        "price_book_id": "papers-2015",
        "how_sure": False,
    }
    without = application.post(URL, body, 200)["recommendation"]
    assert (without["scheme"], without["disk_device"]) == ("none", own)
    assert without["clean_share"] is without["clean_share_gain"] is None
    pages = without["ram_bytes"] // 8192
    said = f"the splits of a buffer of {pages:,} pages of the recording"
    assert without["clean_share_reason"] == f"{said} were not counted"
    wanted = without["clean_share_uncounted_pages"]
    assert wanted == pages
    made = application.post(
        "/pool-splits", {"workload_id": "example", "pages": wanted}, 202
    )
    if made["status"] != "succeeded":
        assert application.wait_run(made["run"]["id"])["status"] == "succeeded"
    found = application.post(URL, body, 200)
    best = found["recommendation"]
    priced = application.get(
        f"/pool-splits/{made['id']}/costs", params={"asymmetry": 64}
    )
    [lru] = [each for each in priced["baselines"] if each["name"] == "lru"]
    assert best["clean_share_gain"] == lru["gain"]
    assert lru["gain"] > 0.01
    assert best["clean_share"] == priced["best_clean_pages"] / pages
    assert best["clean_share_reason"] == ""
    assert best["clean_share_uncounted_pages"] is None
    assert "for clean pages and the rest for dirty ones" in found["finding"]


def test_a_chosen_price_book_adds_what_it_prices(application: Any) -> None:
    without = application.post(URL, {"how_sure": False}, 200)
    body = {"how_sure": False, "price_book_id": "street-2026-q3"}
    chosen = application.post(URL, body, 200)
    assert chosen["evaluated"] > without["evaluated"]


def test_amounts_are_in_the_currency_and_the_config_in_dollars(
    application: Any, production: str
) -> None:
    found = application.post(
        f"{production}?currency=EUR", {"candidates": SHELF, "how_sure": False}, 200
    )
    best = found["recommendation"]
    assert found["exchange_rate"]["currency"] == "EUR"
    assert Decimal(best["eur_per_month"]) < Decimal(best["usd_per_month"])
    assert "EUR per month" in found["finding"]
    bill = application.post("/bills", best["config"], 200)
    assert Decimal(bill["usd_per_month"]) == Decimal(best["usd_per_month"])


def test_every_word_of_the_models_can_be_stated() -> None:
    assert set(ConstraintsIn.model_fields) == set(CONSTRAINTS)
    assert set(get_args(Kind)) == set(KINDS)
    assert set(get_args(Objective)) == set(OBJECTIVES)
    assert set(get_args(Scheme)) == set(CHOICES)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"constraints": {"power": 1}}, "body.constraints.power"),
        ({"constraints": {"peak_busy": 1.5}}, "body.constraints.peak_busy"),
        ({"constraints": {"usd_per_month": -1}}, "body.constraints.usd_per_month"),
        ({"candidates": {"kinds": []}}, "body.candidates.kinds"),
        ({"candidates": {"servers": ["no-such-server"]}}, "no-such-server"),
        ({"candidates": {"own": ["no-such-device"]}}, "candidates.own"),
        ({"candidates": {"vendors": ["No Such"]}}, "body.candidates.vendors"),
        ({"candidates": {"providers": ["gpc", "aws"]}}, "body.candidates.providers"),
        ({"candidates": {"max_machines": 0}}, "body.candidates.max_machines"),
        ({"candidates": {"pue": 0.5}}, "body.candidates.pue"),
        ({"have": {**HAVE, "ram_bytes": 0}}, "body.have.ram_bytes"),
        ({"new_pages": 10**9}, "body.new_pages"),
        ({"candidates": {"own": ["seagate-exos-x24-24tb"]}}, "body.candidates.own"),
        ({"candidates": {"part_usd": {"no-such-part": 1}}}, "no-such-part"),
        ({"objective": "cheap"}, "body.objective"),
        ({"price_book_id": "no-such-book"}, "no-such-book"),
        ({"disk_device_id": "no-such-device"}, "disk_device_id"),
        ({"have": {**HAVE, "scheme": "no-such-scheme"}}, "body.have.scheme"),
        ({"have": {**HAVE, "flash_bytes": 2**30}}, "body.have.scheme"),
        ({"have": {**HAVE, "reserved_gib": 1e6}}, "body.have.reserved_gib"),
        ({"have": {**HAVE, "reserved_gib": -1}}, "body.have.reserved_gib"),
        ({"have": {**HAVE, "disk_device_id": "nothing"}}, "have.disk_device_id"),
    ],
)
def test_what_is_wrong_is_named(
    application: Any, body: dict[str, Any], where: str
) -> None:
    response = application.client.post(URL, json=body)
    assert response.status_code in (404, 422), response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert where in response.text


def test_new_pages_are_not_read(application: Any, production: str) -> None:
    recorded = profile(Trace(Path("fixtures/traces/tpcb-cut.csv.zst")))
    body = {"candidates": SHELF, "how_sure": False, "new_pages": 5000}
    found = application.post(URL, body, 200)
    expected = models.answer(
        recorded.curve.with_new_pages(5000).from_start("steady"),
        duration_s=recorded.duration_s,
        candidates=Candidates(kinds=("instances", "volumes"), max_machines=2),
        prices=models.named_book(None),
        how_sure=False,
    )
    assert found["question"]["new_pages"] == 5000
    plain = application.post(URL, {**body, "new_pages": 0}, 200)
    assert plain["question"]["new_pages"] == 0
    assert plain["advice_id"] != found["advice_id"]
    # The stored curve has fewer sizes than the one that was profiled here.
    times, others = (
        {
            (one["name"], one["scheme"]): one["io_time_us_per_access"]
            for one in each["pareto"]
        }
        for each in (found, plain)
    )
    same = {
        (one.name, one.scheme): one.io_time_us_per_access for one in expected.pareto
    }
    assert times == pytest.approx(same, rel=0.01)
    assert others != pytest.approx(same, rel=0.01)
    # Of what was scaled they are stated where it is.
    refused = application.post(production, body, 422)
    assert [each["where"] for each in refused["errors"]] == ["body.new_pages"]
    assert "scaled to production" in refused["hint"]


def test_a_limit_of_response_times_needs_a_rate(application: Any) -> None:
    made = application.post(
        "/workloads/from-curve",
        {
            "name": "curve for advice",
            "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
            "page_bytes": 8192,
            "accesses": 1_000_000,
            "data_bytes": 2**40,
        },
        201,
    )
    url = f"/workloads/{made['id']}/advice"
    stated = {"dirty_share": 0.3, "constraints": {"response_p99_us": 100.0}}
    refused = application.client.post(url, json=stated)
    assert refused.status_code == 422
    assert "the workload states no rate" in refused.json()["detail"]
    unchecked = application.post(url, {"dirty_share": 0.3, "how_sure": False}, 200)
    assert "was not checked" in unchecked["finding"]
    assert unchecked["recommendation"]["response_p99_us"] is None
    # Nobody said which evicted pages are dirty: the answer holds for any share.
    open_ = application.post(url, {"accesses_per_s": 2000.0}, 200)
    best = open_["recommendation"]
    assert best["io_time_us_per_access"] is None
    low, high = best["ranges"]["io_time_us_per_access"]
    assert 0 < low < high
    assert open_["confidence"]["probability_best"] is None
    assert "whatever their share" in open_["finding"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (
            "/workloads/example/advice/report?format=csv",
            {"accesses_per_s": 5e-324, "how_sure": False},
            {200},
        ),
        (
            "/throughputs/check",
            {
                **POINT,
                "workload_id": "example",
                "cpu_us_per_transaction": 2.2250738585072014e-308,
            },
            {200, 202},  # the replays of the example may be there
        ),
        (
            "/response-times/check",
            {
                **POINT,
                "workload_id": "example",
                "accesses_per_s": 5e-324,
                "arrivals": "trace",
            },
            {422},
        ),
    ],
)
def test_rates_near_0_are_answered(
    application: Any, path: str, body: dict[str, Any], status: set[int]
) -> None:
    answered = application.client.post(path, json=body)
    assert answered.status_code in status, answered.text
    if answered.status_code == 422:
        assert "too low a rate to replay" in answered.json()["detail"]
