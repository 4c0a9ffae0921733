"""One id, one document: the advice that the page asks for is that of the command, text for text."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from live_app import EXAMPLE_TRACE

from tierwright.advise import report
from tierwright.cli.app import main

PRODUCTION = {"data_bytes": 2 * 2**40, "accesses_per_s": 9000.0}
DRIVE = "samsung-pm9a3-7.68tb-u2"
HAVE = f'ram = "256GiB"\ndisk_device = "{DRIVE}"\ndisks = 2\nusd_per_month = 900.00\n'
CANDIDATES = """kinds = ["instances", "volumes", "devices"]
providers = ["aws"]
max_machines = 2
machine_usd = 2500
reserved_gib = 4
usd_per_kwh = 0.30

[part_usd]
dimm-ddr5-rdimm-64gb = 900
chassis = 5000.50
"""
BODY: dict[str, Any] = {
    "start": "steady",
    "objective": "usd",
    "horizon_months": 36,
    "price_book_id": "street-2026-q3",
    "candidates": {
        "kinds": ["instances", "volumes", "devices"],
        "providers": ["aws"],
        "max_machines": 2,
        "machine_usd": 2500,
        "usd_per_kwh": 0.3,
        "part_usd": {"chassis": 5000.5, "dimm-ddr5-rdimm-64gb": 900},
    },
    "constraints": {"io_time_us_per_access": 5000, "peak_busy": 0.7},
    "have": {
        "ram_bytes": 256 * 2**30,
        "machines": 1,
        "disk_device_id": DRIVE,
        "disks": 2,
        "usd_per_month": 900,
    },
    "how_sure": True,
}
"""As the page sends it: numbers of JSON, and what is not stated left to the server."""


def command(*words: object) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([str(word) for word in words]) == 0
    return out.getvalue()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    command("profile", EXAMPLE_TRACE, "-o", folder / "recorded.json")
    (folder / "have.toml").write_text(HAVE, encoding="utf-8")
    (folder / "candidates.toml").write_text(CANDIDATES, encoding="utf-8")
    return folder


def test_the_page_and_the_command_give_one_document(
    application: Any, files: Path
) -> None:
    stated = {"name": "one document", **PRODUCTION}
    made = application.post("/workloads/example/scaled", stated, 201)
    url = f"/workloads/{made['id']}/advice"
    production = ("--data", "2TiB", "--accesses-per-second", "9000")
    limits = ("--constraint", "io_time_us_per_access=5e3", "--price-book")
    text = command(
        *("advise", files / "recorded.json", *production, *limits, "street-2026-q3"),
        *("--have", files / "have.toml", "--candidates", files / "candidates.toml"),
        "--json",
    )
    by_command = json.loads(text)
    sent = application.client.post(f"{url}/report?format=json", json=BODY)
    assert sent.status_code == 200, sent.text
    by_page = sent.json()
    assert by_page["advice_id"] == by_command["advice_id"]
    # Options that hold no flash cache are among them: what is said of their splits is not of who asks.
    options = [by_page["option_zero"], by_page["recommendation"]]
    assert any(each["clean_share_uncounted_pages"] for each in options)
    assert {
        key
        for key in by_page.keys() | by_command.keys()
        if by_page.get(key) != by_command.get(key)
    } == set()
    html = application.client.post(f"{url}/report?format=html", json=BODY).content
    assert html == report.made(by_command, "html")
    shown = application.post(url, BODY, 200)
    for key in ("recommendation", "option_zero", "alternatives", "question"):
        assert shown[key] == by_command[key]
