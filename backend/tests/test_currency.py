"""Money of the API in another currency, and always as decimal strings."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from live_app import REPOSITORY, Application

from tierwright.common.currency import is_money
from tierwright.hardware import catalog

TIER = {
    "device_ids": ["samsung-pm9a3-7.68tb-u2", "intel-s4500-7.68tb"],
    "held_bytes": 10**12,
    "page_bytes": 4096,
    "price_book_id": "street-2026-q3",
}


def ask(
    application: Application, query: str = "", status: int = 200, **changed: Any
) -> dict[str, Any]:
    answer = application.client.post(f"/tier-costs{query}", json={**TIER, **changed})
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_every_amount_gets_a_neighbour_and_the_answer_names_the_rate(
    application: Application,
) -> None:
    dollars = ask(application)
    euros = ask(application, "?currency=EUR")
    rate = catalog.exchange_rate("EUR")
    assert euros["exchange_rate"] == {
        "currency": "EUR",
        "per_usd": format(rate.per_usd, "f"),
        "date": "2026-09-30",
        "source": rate.source,
    }
    assert "exchange_rate" not in dollars
    for row, same in zip(euros["rows"], dollars["rows"], strict=True):
        assert row["usd_per_month"] == same["usd_per_month"]
        if row["usd_per_month"] is None:
            assert row["eur_per_month"] is None
        else:
            wanted = rate.of(Decimal(row["usd_per_month"]))
            assert Decimal(row["eur_per_month"]) == wanted
    assert " USD a month" in dollars["sentence"]
    assert " EUR a month" in euros["sentence"]
    # What was asked before does not linger.
    assert " USD a month" in ask(application)["sentence"]


def test_a_rate_of_ones_own_goes_before_and_an_old_one_is_said(
    application: Application,
) -> None:
    found = ask(application, "?currency=EUR&per_usd=0.5@2019-04-30")
    assert found["exchange_rate"]["source"] == "stated by the user"
    names = [warning["name"] for warning in found["warnings"]]
    assert "prices_of_different_dates" in names
    same = ask(application, "?currency=EUR")
    assert not any("exchange rate" in one["message"] for one in same["warnings"])


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("?currency=XAF", "query.currency"),
        ("?currency=eur", "currency"),
        ("?currency=EUR&per_usd=1e3@2026", "per_usd"),
        ("?currency=EUR&per_usd=0@2026", "query.per_usd"),
        ("?per_usd=2@2026", "query.per_usd"),
    ],
)
def test_a_currency_without_a_rate_is_refused(
    application: Application, query: str, where: str
) -> None:
    assert where in json.dumps(ask(application, query, 422))


def test_rates_are_listed_for_a_book_and_old_ones_say_so(
    application: Application,
) -> None:
    url = "/catalog/exchange-rates"
    found = {row["currency"]: row for row in application.get(url)["items"]}
    assert {"EUR", "GBP", "JPY", "CHF", "INR", "CNY"} <= set(found)
    assert found["EUR"]["date"] == "2026-09-30"
    assert found["EUR"]["caution"] is None
    old = application.get(f"{url}?price_book_id=papers-2008-11")
    before = {row["currency"]: row for row in old["items"]}
    assert before["EUR"]["date"] == "2008-11-28"
    # The rupee has no rate before 2009 there: the nearest one is years away, and says so.
    assert "2008-11" in before["INR"]["caution"]


def test_the_rate_of_one_currency_is_found(application: Application) -> None:
    url = "/catalog/exchange-rates"
    found = application.get(f"{url}?currency=CHF")
    assert ([row["currency"] for row in found["items"]], found["total"]) == (["CHF"], 1)
    # A filter alone: the rate is not converted by itself.
    assert found["items"][0] in application.get(url)["items"]
    # Well formed, and of no country.
    assert application.get(f"{url}?currency=XQZ")["items"] == []
    assert application.client.get(f"{url}?currency=chf").status_code == 422


def test_a_book_in_euros_is_kept_and_shown_in_both(
    application: Application,
) -> None:
    body = {
        "name": "Quotes in euros",
        "date": "2026-09",
        "currency": "EUR",
        "exchange_rates": [
            {
                "currency": "EUR",
                "per_usd": "0.8",
                "date": "2026-09-01",
                "source": "our bank",
            }
        ],
        "prices": [{"kind": "nvme", "per_gb": "0.4", "source": "a quote"}],
    }
    made = application.client.post("/catalog/price-books", json=body)
    assert made.status_code == 201, made.text
    price = made.json()["prices"][0]
    assert (price["usd"], price["stated"]) == ("0.5", "0.4")
    found = ask(application, "?currency=EUR", price_book_id=made.json()["id"])
    assert found["exchange_rate"]["source"] == "our bank"
    refused = application.client.post(
        "/catalog/price-books", json={**body, "exchange_rates": []}
    )
    assert refused.status_code == 422
    assert "exchange_rates" in refused.text


def money_properties(node: Any, path: str = "") -> list[tuple[str, Any]]:
    found = []
    if isinstance(node, dict):
        for name, schema in (node.get("properties") or {}).items():
            if is_money(name):
                found.append((f"{path}.{name}", schema))
        for key, value in node.items():
            found += money_properties(value, f"{path}/{key}")
    elif isinstance(node, list):
        for value in node:
            found += money_properties(value, path)
    return found


def test_no_answer_of_the_document_has_money_that_is_a_number() -> None:
    document = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())
    schemas = document["components"]["schemas"]
    found = [
        one
        for name, schema in schemas.items()
        if not name.endswith("In")
        for one in money_properties({name: schema})
    ]
    assert len(found) > 20
    for path, schema in found:
        kinds = set(re.findall(r"'type': '(\w+)'", str(schema)))
        assert "string" in kinds, path
        assert not kinds & {"number", "integer"}, path
