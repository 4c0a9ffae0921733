"""`GET /api/v1`: nobody needs the document to find what there is."""

import json

import pytest
from live_app import REPOSITORY

DOCUMENT = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())


def test_every_address_without_an_id_is_linked(application):
    root = application.get("")
    assert {link["href"] for link in root["links"]} == {
        path for path in DOCUMENT["paths"] if "{" not in path and path != "/api/v1"
    }
    assert all(
        link["description"] and link["name"] and link["methods"]
        for link in root["links"]
    )
    assert root["version"] == DOCUMENT["info"]["version"]


def test_links_lead_somewhere(application):
    host = str(application.client.base_url).removesuffix("/api/v1/")
    root = application.get("")
    read = [link["href"] for link in root["links"] if "GET" in link["methods"]]
    assert len(read) > 15
    for href in [*read, root["openapi"]]:
        assert application.client.get(host + href).status_code == 200, href


def test_the_document_names_its_server_relatively(application):
    assert application.get("/openapi.json")["servers"] == [
        {"url": "/", "description": "This server."}
    ]


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_no_documentation_is_loaded_from_elsewhere(application, path):
    """The framework's own page would take its scripts from another host."""
    host = str(application.client.base_url).removesuffix("/api/v1/")
    answer = application.client.get(host + path)
    assert "swagger" not in answer.text.lower()
    assert "redoc" not in answer.text.lower()
