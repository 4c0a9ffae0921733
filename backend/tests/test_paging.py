"""Every list pages, orders and searches in the same way, and says where it goes on."""

import json
import re

import pytest
from live_app import REPOSITORY

DOCUMENT = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())
LISTS = {
    path.removeprefix("/api/v1"): operations["get"]
    for path, operations in DOCUMENT["paths"].items()
    if operations.get("get", {}).get("operationId", "").startswith("list_")
    and operations["get"]["operationId"] != "list_scheme_map_options"
}


def items_of(answer):
    body = answer.json()
    if isinstance(body, list):
        return body
    return body["formulas"] if "formulas" in body else body["items"]


def links_of(answer):
    return {
        name: href
        for href, name in re.findall(r'<([^>]*)>; rel="(\w+)"', answer.headers["Link"])
    }


def test_every_list_is_meant():
    assert len(LISTS) >= 13


@pytest.mark.parametrize("path", LISTS)
def test_every_list_takes_the_same_keys(path):
    keys = {parameter["name"] for parameter in LISTS[path]["parameters"]}
    assert {"limit", "offset", "sort"} <= keys


@pytest.mark.parametrize("path", LISTS)
def test_pages_put_together_are_the_whole(application, path):
    whole = items_of(application.client.get(path))
    host = str(application.client.base_url).removesuffix("/api/v1/")
    answer = application.client.get(path, params={"limit": max(1, len(whole) // 3)})
    found = items_of(answer)
    while "next" in links_of(answer):
        answer = application.client.get(host + links_of(answer)["next"])
        assert answer.status_code == 200, answer.text
        found += items_of(answer)
    assert [json.dumps(each, sort_keys=True) for each in found] == [
        json.dumps(each, sort_keys=True) for each in whole
    ]


@pytest.mark.parametrize("path", LISTS)
def test_each_key_orders_both_ways(application, path):
    [sort] = [each for each in LISTS[path]["parameters"] if each["name"] == "sort"]
    [text] = [each for each in sort["schema"]["anyOf"] if each["type"] == "string"]
    keys = re.fullmatch(r"\^-\?\((.*)\)\$", text["pattern"]).group(1).split("|")
    for key in keys:
        ordered = []
        for direction in ("", "-"):
            answer = application.client.get(path, params={"sort": direction + key})
            assert answer.status_code == 200, answer.text
            values = [each[key] for each in items_of(answer)]
            known = [value for value in values if value is not None]
            # What lacks the key comes last.
            assert values[: len(known)] == known
            ordered.append(known)
        up, down = ordered
        assert [str(value).casefold() for value in up] == [
            str(value).casefold() for value in reversed(down)
        ]


@pytest.mark.parametrize(
    "query", ["sort=colour", "sort=--name", "limit=0", "limit=501"]
)
def test_what_no_list_has_is_refused(application, query):
    answer = application.client.get(f"/catalog/devices?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"].startswith("query.")


@pytest.mark.parametrize(
    ("path", "query", "holds"),
    [
        ("/catalog/devices", {"name": "PM9A3"}, lambda each: "PM9A3" in each["name"]),
        ("/catalog/devices", {"kind": "hdd"}, lambda each: each["kind"] == "hdd"),
        (
            "/catalog/devices",
            {"origin": "shipped"},
            lambda each: each["origin"] == "shipped",
        ),
        ("/catalog/price-books", {"name": "STREET"}, lambda each: True),
        ("/catalog/formats", {"has_time": "true"}, lambda each: each["has_time"]),
        ("/formulas", {"family": "face"}, lambda each: each["family"] == "face"),
        ("/workloads", {"name": "TPCB-"}, lambda each: "tpcb-" in each["name"]),
        ("/workloads", {"status": "ready"}, lambda each: each["status"] == "ready"),
        ("/runs", {"kind": "ingest"}, lambda each: each["kind"] == "ingest"),
    ],
)
def test_filters_leave_what_fits(application, path, query, holds):
    found = items_of(application.client.get(path, params=query))
    assert found
    assert all(holds(each) for each in found)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/catalog/devices", {"name": "no such thing"}),
        ("/workloads", {"name": "100%_"}),
        ("/workloads", {"name": "tpc-b", "status": "failed"}),
        ("/scenarios", {"name": "no such thing"}),
        ("/runs", {"title": "no such thing"}),
        ("/uploads", {"filename": "no such thing"}),
    ],
)
def test_nothing_fits(application, path, query):
    answer = application.client.get(path, params=query)
    assert answer.status_code == 200
    assert answer.json()["items"] == []
    assert answer.json()["total"] == 0
    assert set(links_of(answer)) == {"first", "last"}


def test_the_link_keeps_what_was_asked(application):
    answer = application.client.get(
        "/catalog/devices", params={"kind": "hdd", "limit": 1, "sort": "-name"}
    )
    assert links_of(answer)["next"].endswith("?kind=hdd&sort=-name&limit=1&offset=1")


def test_the_status_of_a_workload_is_that_which_it_shows(application):
    """The filter is in SQL, the status in Python: they agree on every one."""
    whole = application.get("/workloads", params={"limit": 500})["items"]
    for status in ("queued", "running", "ready", "failed", "cancelled"):
        found = application.get("/workloads", params={"limit": 500, "status": status})
        assert {each["id"] for each in found["items"]} == {
            each["id"] for each in whole if each["status"] == status
        }
