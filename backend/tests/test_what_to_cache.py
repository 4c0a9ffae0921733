"""What to cache over HTTP: a run counts, the answer is that of the models, and the check replays it."""

from pathlib import Path

import pytest
from test_scaled_replays import scaled

from tierwright.advise import cachesack
from tierwright.hardware import catalog
from tierwright.profile.categories import measured, of_core
from tierwright.trace.reading import Trace
from tierwright_server.replays.analyses import category_counts

TRACE = Trace(Path("fixtures/traces/tpcb-cut.csv.zst"))
ASKED = {
    "workload_id": "example",
    "ram_pages": 500,
    "flash_pages": 5000,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    "disk_device_id": "toshiba-mg10-20tb",
    "price_book_id": "street-2026-q3",
}
PLACE = "/what-to-cache"


def answered(application, body):
    """Ask, wait for the run, ask again."""
    found = application.client.post(PLACE, json=body)
    if found.status_code == 202:
        job = found.json()
        assert found.headers["Location"] == f"/api/v1/category-counts/{job['id']}"
        assert job["run"]["kind"] == "category_counts"
        assert application.wait_run(job["run"]["id"])["status"] == "succeeded"
        state = application.get(f"/category-counts/{job['id']}")
        assert (state["status"], state["categories"]) == (
            "succeeded",
            body.get("categories", "relation"),
        )
    return application.post(PLACE, body, 200)


def test_the_answer_is_that_of_the_models(application):
    found = answered(application, ASKED)
    own = cachesack.answer(
        measured(TRACE, 500),
        flash_pages=5000,
        flash=catalog.device(ASKED["flash_device_id"]),
        disk=catalog.device(ASKED["disk_device_id"]),
        prices=catalog.price_book(ASKED["price_book_id"]),
    )
    assert found["sentence"] == own.finding
    assert [row["name"] for row in found["rows"]] == [row.name for row in own.rows]
    for row, mine in zip(found["rows"], own.rows, strict=True):
        assert (row["admission"], row["reads"]) == (mine.admission, mine.reads)
        assert row["hits"] == pytest.approx(mine.hits)
    assert found["chosen"]["assignment"] == own.chosen.assignment
    assert float(found["saved_usd_per_month"]) == pytest.approx(own.saved_usd_per_month)
    table = application.client.post(
        PLACE, json=ASKED, headers={"Accept": "text/csv"}, params={"table": "rows"}
    )
    assert table.status_code == 200
    assert table.text.startswith("number,name,reads")


def test_counts_are_read_once_for_all_questions(application, monkeypatch):
    read = []

    def reading(document, ram_pages):
        read.append(ram_pages)
        return of_core(document, ram_pages)

    monkeypatch.setattr(category_counts, "of_core", reading)
    body = {**ASKED, "ram_pages": 501}
    for flash_pages in (5000, 4000, 5000):
        answered(application, {**body, "flash_pages": flash_pages})
    application.post(f"{PLACE}/check", body, 200)
    assert read == [501]


def test_the_check_is_within_5_percent(application):
    answered(application, ASKED)
    checked = application.post(f"{PLACE}/check", ASKED, 200)
    assert "within 5.00 %" in checked["sentence"]
    assert {row["of"] for row in checked["rows"]} == {
        "by_category",
        "miss",
        "second_miss",
        "write",
    }
    assert checked["recommended"] == "by_category"
    assert checked["assignment"] == answered(application, ASKED)["chosen"]["assignment"]
    assert checked["finding"] is None
    assert max(abs(row["gap_relative"] or 0) for row in checked["rows"]) < 0.05


def test_stated_prices_replace_those_of_devices(application):
    dear = answered(application, {**ASKED, "usd_per_tb_written": "999999999"})
    assert dear["sentence"].startswith("Nothing is worth caching")
    assert {row["admission"] for row in dear["rows"]} == {"never"}


def test_flash_by_size_takes_what_is_worth_its_price(application):
    given = {"flash_paid": "by_size", "usd_per_gib_month": "20000"}
    found = answered(application, {**ASKED, **given})
    own = cachesack.answer(
        measured(TRACE, 500),
        flash_pages=5000,
        flash=catalog.device(ASKED["flash_device_id"]),
        disk=catalog.device(ASKED["disk_device_id"]),
        prices=catalog.price_book(ASKED["price_book_id"]),
        flash_paid="by_size",
        usd_per_gib_month=20_000.0,
    )
    chosen = found["chosen"]
    assert chosen["assignment"] == own.chosen.assignment
    assert chosen["flash_pages"] == pytest.approx(own.chosen.flash_pages)
    assert 0 < chosen["flash_pages"] < 5000
    parts = ("read", "write", "flash")
    assert float(chosen["usd_per_month"]) == pytest.approx(
        sum(float(chosen[f"{each}_usd_per_month"]) for each in parts)
    )
    assert found["sentence"] == own.finding
    assert "worth its price" in found["sentence"]
    checked = application.post(f"{PLACE}/check", {**ASKED, **given}, 200)
    assert "within 5.00 %" in checked["sentence"]
    assert checked["flash_pages"] == pytest.approx(chosen["flash_pages"])


def test_production_pays_for_its_own_flash(application):
    workload = scaled(application, "What to cache by size")
    body = {**ASKED, "workload_id": workload["id"], "usd_per_tb_written": "0"}
    body |= {"ram_pages": 20_000, "flash_pages": 100_000, "flash_paid": "by_size"}
    found = answered(application, {**body, "usd_per_gib_month": "0.5"})
    chosen = found["chosen"]
    assert found["counted_flash_pages"] < chosen["flash_pages"] <= 100_000
    assert float(chosen["flash_usd_per_month"]) == pytest.approx(
        chosen["flash_pages"] * 8192 / 2**30 * 0.5
    )


def test_production_is_counted_at_the_recorded_sizes(application):
    workload = scaled(application, "Four times the example, what to cache")
    body = {**ASKED, "workload_id": workload["id"]}
    body |= {"ram_pages": 20_000, "flash_pages": 100_000}
    found = answered(application, body)
    assert (found["ram_pages"], found["flash_pages"]) == (20_000, 100_000)
    assert found["flash_pages"] > found["counted_flash_pages"]
    assert "counts of the recording" in found["counts_of"]
    own = cachesack.answer(
        measured(TRACE, found["counted_ram_pages"]),
        flash_pages=found["counted_flash_pages"],
        flash=catalog.device(ASKED["flash_device_id"]),
        disk=catalog.device(ASKED["disk_device_id"]),
        prices=catalog.price_book(ASKED["price_book_id"]),
        accesses_per_s=found["accesses_per_s"],
    )
    # What takes a page of the recording so long takes as many times as long as there is more flash.
    factor = 100_000 / found["counted_flash_pages"]
    assert factor > 2
    assert found["lifetime_s"] == pytest.approx(factor * own.lifetime_s)
    assert found["lifetime_requests"] == pytest.approx(own.lifetime_requests)
    held = sum(row["held_pages"] for row in found["rows"])
    assert held == pytest.approx(factor * sum(row.held_pages for row in own.rows))
    for row in found["rows"]:
        assert row["held_pages"] == pytest.approx(row["held_share"] * 100_000)
    checked = application.post(f"{PLACE}/check", body, 200)
    assert "counts of the recording" in checked["basis"]
    saved = {
        "name": "What to cache there",
        "state": {},
        "asks": {"what_to_cache": body},
    }
    [kept] = [
        each
        for each in application.post("/scenarios", saved, 201)["answer"]["figures"]
        if each["name"] == "flash_writes"
    ]
    assert kept["title"] == "Flash writes, of the recording"


@pytest.mark.parametrize("cache", ["cachesack", "larc"])
def test_where_no_flash_is_worth_its_price_the_check_says_so(application, cache):
    body = {**ASKED, "flash_paid": "by_size", "usd_per_gib_month": "999999999"}
    found = answered(application, body)
    assert found["chosen"]["flash_pages"] == 0
    assert found["lifetime_text"] == ""
    assert found["counts_of"] == ""
    checked = application.post(f"{PLACE}/check", {**body, "flash_cache": cache}, 200)
    assert (checked["recommended"], checked["flash_pages"]) == ("by_category", 0)
    assert "directory" not in checked["basis"]


def test_the_assignment_of_an_answer_is_an_option_of_a_sweep(application):
    """However many categories it names."""
    named = "+".join(f"{number}:second_miss" for number in range(4999))
    stated = f"never+{named}"
    body = {
        "workload_id": "example",
        "contenders": [
            {
                "family": "flash_cache",
                "name": "cachesack",
                "options": {"assignment": stated},
            }
        ],
        "ram_pages": [500],
        "flash_pages": [2000],
    }
    asked = application.client.post("/sweeps", json=body)
    assert asked.status_code == 202, asked.text
    run = asked.json()["run"]["id"]
    assert application.wait_run(run)["status"] == "succeeded"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"flash_pages": 0}, "body.flash_pages"),
        ({"categories": "colour"}, "body.categories"),
        ({"usd_per_tb_written": "-1"}, "body.usd_per_tb_written"),
        ({"usd_per_gib_month": "-1"}, "body.usd_per_gib_month"),
        ({"flash_paid": "half"}, "body.flash_paid"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_its_field(application, changes, where):
    refused = application.client.post(PLACE, json={**ASKED, **changes})
    assert refused.status_code == 422
    assert where in [each["where"] for each in refused.json()["errors"]]


def test_the_check_is_replayed_through_any_flash_cache(application):
    """Of another cache than that of the model the check shows the gap, and claims nothing of 5 %."""
    answered(application, ASKED)
    for cache, title in (("larc", "LARC"), ("FACE", "FaCE")):
        body = {**ASKED, "flash_cache": cache}
        checked = application.post(f"{PLACE}/check", body, 200)
        assert f"Before {title}, the choice " in checked["sentence"]
        assert "within" not in checked["sentence"]
        assert title in checked["basis"]
        assert {"by_category", "miss"} <= {row["of"] for row in checked["rows"]}
        confirmed = checked["recommended"] == "by_category"
        assert confirmed == (checked["finding"] is None)
        assert checked["sentence"].startswith(checked["finding"] or "Before ")
    refused = application.client.post(
        f"{PLACE}/check", json={**ASKED, "flash_cache": "nocache"}
    )
    assert refused.status_code == 422
    assert "`nocache` is unknown" in refused.json()["detail"]


def test_production_refuses_a_cache_that_works_by_the_clock(application):
    workload = scaled(application, "What to cache by the clock")
    body = {**ASKED, "workload_id": workload["id"]}
    body |= {"ram_pages": 20_000, "flash_pages": 100_000}
    answered(application, body)
    refused = application.client.post(
        f"{PLACE}/check", json={**body, "flash_cache": "l2arc"}
    )
    assert refused.status_code == 422
    assert "works by the clock" in refused.json()["detail"]


def phases() -> bytes:
    """Loops over more pages than flash has, then over fewer, which no single lifetime describes."""
    rows = ["time_us,op,rel,block\n"]
    for at in range(24_000):
        relation, block = ("1/1", at % (3000 if at < 12_000 else 600))
        if at % 10 == 0:
            relation, block = "1/2", at % 97
        rows.append(f"{at * 900_000},R,{relation},{block}\n")
    return "".join(rows).encode()


def test_what_overrules_the_choice_says_by_how_much(application):
    made = application.create_workload(phases(), "phases.csv")
    assert application.wait_run(made["run"]["id"])["status"] == "succeeded"
    body = {
        **ASKED,
        "workload_id": made["id"],
        "ram_pages": 50,
        "flash_pages": 1000,
        "categories": "hour",
    }
    answered(application, body)
    checked = application.post(f"{PLACE}/check", body, 200)
    assert checked["recommended"] != "by_category"
    assert checked["is_tie"] is False
    assert 0 < checked["least_margin"] <= checked["margin"]
    assert "without any one quarter of the recording" in checked["finding"]
    stands = application.post(f"{PLACE}/check", ASKED, 200)
    assert (stands["is_tie"], stands["least_margin"]) == (False, None)
    assert stands["margin"] < 0
