"""What two people change at once: the second one is told, and nothing is lost."""

import pytest

from tierwright_server.http.preconditions import etag_of

pytestmark = pytest.mark.usefixtures("application")

BOOK = {
    "name": "Ours",
    "date": "2026-09-01",
    "prices": [{"kind": "nvme", "usd_per_gb": "0.1", "source": "a quote"}],
}


@pytest.fixture
def device(application):
    """An own device, as a path, what is sent to change it, and its tag."""
    made = application.post(
        "/catalog/devices/samsung-pm9a3-7.68tb-u2/copy", {"name": "Tagged"}, 201
    )
    path = f"/catalog/devices/{made['id']}"
    body = {
        "name": "Tagged",
        "kind": made["kind"],
        "figures": {
            name: {key: value for key, value in figure.items() if value is not None}
            for name, figure in made["figures"].items()
        },
    }
    yield "PUT", path, body, {**body, "name": "Tagged anew"}
    application.client.delete(path)


@pytest.fixture
def price_book(application):
    made = application.post("/catalog/price-books", BOOK, 201)
    path = f"/catalog/price-books/{made['id']}"
    yield "PUT", path, BOOK, {**BOOK, "name": "Theirs"}
    application.client.delete(path)


@pytest.fixture
def workload(application):
    path = "/workloads/example"
    before = application.get(path)["name"]
    yield "PATCH", path, {"name": before}, {"name": "Of somebody else"}
    application.client.patch(path, json={"name": before})


@pytest.fixture
def scenario(application):
    body = {"name": "Tagged", "question": "compare", "state": {"a": 1}}
    made = application.post("/scenarios", body, 201)
    path = f"/scenarios/{made['id']}"
    yield "PUT", path, {**body, "version": 1}, {**body, "version": 1, "state": {"a": 2}}
    application.client.delete(path)


@pytest.fixture
def advice_template(application):
    body = {"name": "Tagged", "template": {"objective": "io_time"}}
    made = application.post("/advice-templates", body, 201)
    path = f"/advice-templates/{made['id']}"
    yield "PUT", path, body, {**body, "template": {"horizon_months": 12}}
    application.client.delete(path)


@pytest.mark.parametrize(
    "what", ["device", "price_book", "workload", "scenario", "advice_template"]
)
def test_a_change_of_what_somebody_changed_meanwhile_is_refused(
    application, request, what
):
    method, path, mine, theirs = request.getfixturevalue(what)
    client = application.client
    read = client.get(path)
    tag = read.headers["ETag"]
    assert read.json()["etag"] == tag
    changed = client.request(method, path, json=theirs, headers={"If-Match": tag})
    assert changed.status_code == 200, changed.text
    assert changed.headers["ETag"] == changed.json()["etag"] != tag

    late = client.request(method, path, json=mine, headers={"If-Match": tag})
    assert late.status_code == 412
    assert late.json()["type"] == "urn:tierwright:problem:changed-meanwhile"
    assert late.json()["hint"]
    if what != "workload":
        gone = client.delete(path, headers={"If-Match": tag})
        assert gone.status_code == 412
    assert client.get(path).headers["ETag"] == changed.headers["ETag"]


def test_a_tag_among_others_and_a_star_match(application, price_book):
    method, path, _, theirs = price_book
    client = application.client
    tag = client.get(path).headers["ETag"]
    many = {"If-Match": f'"other", {tag}'}
    assert client.request(method, path, json=theirs, headers=many).status_code == 200
    star = {"If-Match": "*"}
    assert client.request(method, path, json=theirs, headers=star).status_code == 200


def test_tags_of_other_states_differ():
    assert etag_of("a", 1) == etag_of("a", 1) != etag_of("a", 2) != etag_of("a1", "")
