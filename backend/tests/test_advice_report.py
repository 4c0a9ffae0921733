"""The report of an advice over HTTP: each form is a file of the same advice as the answer, and nothing is guessed."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, get_args
from urllib.parse import quote

import pytest

from tierwright.advise import report
from tierwright_server.questions.advice.schemas import ReportForm

ADVICE = "/workloads/example/advice"
URL = f"{ADVICE}/report"
BODY = {
    "candidates": {"kinds": ["instances", "volumes"], "max_machines": 2},
    "how_sure": False,
}
BEGINS = {
    "html": b"<!DOCTYPE html>\n",
    "pdf": b"%PDF-",
    "xlsx": b"PK\x03\x04",
    "csv": b"role,option,",
    "json": b"{\n",
}


def test_the_forms_are_those_of_the_models() -> None:
    assert set(get_args(ReportForm)) == set(report.FORMS) == set(BEGINS)


@pytest.mark.parametrize("form", BEGINS)
def test_each_form_is_a_file_of_the_advice(application: Any, form: str) -> None:
    found = application.post(ADVICE, BODY, 200)
    answer = application.client.post(f"{URL}?format={form}", json=BODY)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == report.FORMS[form]
    name = f"advice-{found['advice_id']}.{form}"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert answer.content.startswith(BEGINS[form])
    again = application.client.post(f"{URL}?format={form}", json=BODY)
    assert again.content == answer.content


def test_the_report_holds_the_answer_and_its_formulas(application: Any) -> None:
    found = application.post(ADVICE, BODY, 200)
    answer = application.client.post(f"{URL}?format=json", json=BODY).json()
    assert answer["finding"] == found["finding"]
    assert answer["recommendation"]["bill"] == found["recommendation"]["bill"]
    assert answer["derivation"]
    # It is what the command reads: the same files come from it.
    for form in ("html", "pdf", "xlsx"):
        sent = application.client.post(f"{URL}?format={form}", json=BODY).content
        assert sent == report.made(answer, form)


def test_a_title_heads_what_has_a_heading_and_is_refused_elsewhere(
    application: Any,
) -> None:
    title = "Orders #1 <2027>"
    text = application.client.post(
        f"{URL}?format=html&title={quote(title)}", json=BODY
    ).text
    assert "<h1>Orders #1 &lt;2027&gt;</h1>" in text
    book = application.client.post(
        f"{URL}?format=xlsx&title={quote(title)}", json=BODY
    ).content
    shared = zipfile.ZipFile(io.BytesIO(book)).read("xl/sharedStrings.xml").decode()
    assert "Orders #1 &lt;2027&gt;" in shared
    for form in ("csv", "json"):
        refused = application.client.post(
            f"{URL}?format={form}&title=Orders", json=BODY
        )
        assert refused.status_code == 422
        assert "query.title" in refused.text
        assert "has no heading" in refused.text


def test_sentences_are_in_the_currency_and_the_rate_is_named(application: Any) -> None:
    text = application.client.post(f"{URL}?format=html&currency=EUR", json=BODY).text
    assert "EUR per month" in text
    assert "Sentences of the answer state amounts in EUR" in text
    assert "in USD, as each amount says: 1 USD = " in text
    plain = application.client.post(f"{URL}?format=html", json=BODY).text
    assert "EUR" not in plain


def test_an_advice_without_an_answer_is_a_report_too(application: Any) -> None:
    body = {**BODY, "constraints": {"usd_per_month": "1"}}
    for form, begin in BEGINS.items():
        answer = application.client.post(f"{URL}?format={form}", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.content.startswith(begin)


@pytest.mark.parametrize(
    ("query", "body", "status", "where"),
    [
        ("", BODY, 422, "query.format"),
        ("?format=doc", BODY, 422, "query.format"),
        ("?format=pdf&title=", BODY, 422, "query.title"),
        (f"?format=pdf&title={'x' * 201}", BODY, 422, "query.title"),
        ("?format=pdf&page=1", BODY, 422, "query.page"),
        ("?format=pdf", {**BODY, "objective": "cheap"}, 422, "body.objective"),
        (
            "?format=pdf",
            {**BODY, "candidates": {"servers": ["no-such-server"]}},
            422,
            "no-such-server",
        ),
        ("?format=pdf", {**BODY, "price_book_id": "none-such"}, 404, "none-such"),
    ],
)
def test_what_is_wrong_is_named(
    application: Any, query: str, body: dict[str, Any], status: int, where: str
) -> None:
    answer = application.client.post(f"{URL}{query}", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert where in json.dumps(answer.json())


def test_a_workload_that_does_not_exist_is_not_reported(application: Any) -> None:
    answer = application.client.post(
        "/workloads/nothing/advice/report?format=pdf", json=BODY
    )
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
