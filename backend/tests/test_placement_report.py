"""The report of a placement over HTTP: each form is a file of the same placement as the answer."""

from __future__ import annotations

from typing import Any

import pytest

from tierwright.advise import report

URL = "/placements"
BODY = {
    "workloads": [
        {"workload_id": "example", "accesses_per_s": 5000},
        {"workload_id": "example", "accesses_per_s": 300},
    ],
    "candidates": {"kinds": ["instances"], "max_machines": 2},
}


@pytest.mark.parametrize("form", report.FORMS)
def test_each_form_is_a_file_of_the_placement(application: Any, form: str) -> None:
    found = application.post(URL, BODY, 200)
    answer = application.client.post(f"{URL}/report?format={form}", json=BODY)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == report.FORMS[form]
    name = f"placement-{found['placement_id']}.{form}"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    again = application.client.post(f"{URL}/report?format={form}", json=BODY)
    assert again.content == answer.content
    if form == "json":
        sent = answer.json()
        assert sent["finding"] == found["finding"]
        assert sent["versions"] == found["versions"]
        assert sent["derivation"]
        # It is what the command reads: the same files come from it.
        page = application.client.post(f"{URL}/report?format=html", json=BODY).content
        assert page == report.made(sent, "html")


def test_a_title_heads_it_and_the_currency_is_that_of_its_sentences(
    application: Any,
) -> None:
    url = f"{URL}/report?format=html&title=Orders&currency=EUR"
    page = application.client.post(url, json=BODY).text
    assert "<h1>Orders</h1>" in page
    assert "Sentences of the answer state amounts in EUR" in page
    assert "in USD, as each amount says: 1 USD = " in page
    refused = application.client.post(
        f"{URL}/report?format=csv&title=Orders", json=BODY
    )
    assert refused.status_code == 422
    assert "has no heading" in refused.text
