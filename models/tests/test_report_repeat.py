"""How to reproduce an advice: the printed command is run, and its answer is the same one."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from test_quote_ranking import ROOT

from tierwright.advise import report

HAVE = """machines = 2
ram = "256GiB"
disk_device = "samsung-pm9a3-7.68tb-u2"
disks = 4
usd_per_month = 3500.0
"""
CANDIDATES = """kinds = ["devices", "volumes"]
devices = ["samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb"]
servers = ["aws-i4i.xlarge"]
volumes = ["aws-ebs-gp3"]
machine_usd = 3000.50
reserved_gib = 2
"""
TEMPLATE = """objective = "io_time"
horizon_months = 24
price_book_id = "street-2025-q3"

[constraints]
usd_per_month = 1500

[candidates]
kinds = ["devices"]
devices = ["samsung-pm9a3-7.68tb-u2"]
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of production, one of a recording, and what the options name."""
    folder = tmp_path_factory.mktemp("repeat")
    trace = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
    recorded = folder / "recorded.json"
    recorded.write_text(json.dumps(answer("profile", trace)), encoding="utf-8")
    made = answer("scale", recorded, "--data", "1TiB", "--accesses-per-second", "20000")
    (folder / "production.json").write_text(json.dumps(made), encoding="utf-8")
    for name, text in (
        ("have.toml", HAVE),
        ("candidates.toml", CANDIDATES),
        ("template.toml", TEMPLATE),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def printed(document: dict[str, Any]) -> list[str]:
    """Texts of the section that says how to reproduce it."""
    found = re.search(
        r'<h2 id="reproduce">(.*?)</section>', report.html(document), re.DOTALL
    )
    assert found
    return [
        unescape(re.sub(r"<[^>]+>", "", text))
        for text in re.findall(r"<p[^>]*>(.*?)</p>", found[1], re.DOTALL)
    ]


@pytest.mark.parametrize(
    "options",
    [
        ("--price-book", "street-2026-q3"),
        (),
        ("--months", "12", "--seed", "7", "--constraint", "flash_life_years=3"),
        ("--candidates", "candidates.toml", "--have", "have.toml"),
        ("--template", "template.toml"),
        ("--accesses-per-second", "3e4", "--objective", "pareto", "--start", "cold"),
        (
            *("--candidates", "candidates.toml", "--price-book", "street-2025-q3"),
            *("--flash-device", "samsung-pm9a3-7.68tb-u2"),
            *("--disk-device", "seagate-exos-x24-24tb"),
        ),
    ],
)
@pytest.mark.parametrize("profile", ["production.json", "recorded.json"])
def test_the_printed_command_repeats_the_answer(
    files: Path,
    options: tuple[str, ...],
    profile: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files)
    repeats(answer("advise", profile, *options), files, profile)


def test_what_was_scaled_on_the_way_is_repeated_from_its_profile_of_production(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    stated = ("--data", "1TiB", "--accesses-per-second", "2e4")
    first = answer("advise", "recorded.json", *stated, "--price-book", "street-2026-q3")
    assert "PROFILE is the profile of production" in printed(first)[-1]
    repeats(first, files, "production.json")


@pytest.mark.parametrize("start", [(), ("--start", "cold")])
def test_pages_that_are_new_are_repeated(
    files: Path, start: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    options = ("--candidates", "candidates.toml", "--new-pages", "20000", *start)
    repeats(answer("advise", "recorded.json", *options), files, "recorded.json")


@pytest.mark.parametrize(
    "shown",
    [
        ("--currency", "EUR"),
        ("--currency", "JPY", "--per-usd", "150.25@2026-09-30"),
    ],
)
@pytest.mark.parametrize("limit", ["purchase_usd=20000", "usd_per_month=5000.50"])
def test_an_answer_in_another_currency_is_repeated_with_its_amounts(
    files: Path, shown: tuple[str, ...], limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    options = ("--candidates", "candidates.toml", "--have", "have.toml")
    limited = ("--constraint", limit)
    first = answer("advise", "production.json", *options, *limited, *shown)
    # The limit is stated once, in dollars: nobody stated one in the other currency.
    [command] = [text for text in printed(first) if text.startswith("tierwright")]
    assert re.findall(r"--constraint (\S*_(?!busy)\S*)", command) == [
        limit.replace(".50", ".5")
    ]
    repeats(first, files, "production.json")


def test_an_advice_without_a_price_book_is_repeated_without_one(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    # Whole systems, and what is bought by itself: that has no price then.
    (files / "every.json").write_text(
        json.dumps({"kinds": ["instances", "devices"]}), encoding="utf-8"
    )
    options = ("--candidates", "every.json", "--price-book", "none")
    first = answer("advise", "production.json", *options)
    assert first["versions"]["price_book"] == "none"
    assert {each["kind"] for each in first["pareto"]} == {"instances"}
    assert "no_price_of_ram" in [each["code"] for each in first["cautions"]]
    [command] = [text for text in printed(first) if text.startswith("tierwright")]
    assert "--price-book none" in command
    repeats(first, files, "production.json")
    told = run("advise", "production.json", *options, "--currency", "EUR")
    assert told.returncode == 0, told.stderr
    assert "Prices: no price book; whole systems at the list prices" in told.stdout


def test_an_advice_of_before_names_the_price_book_and_asks_for_the_rest(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    old = answer("advise", "production.json", "--price-book", "street-2026-q3")
    del old["question"]
    [command] = [text for text in printed(old) if text.startswith("tierwright")]
    assert "--price-book street-2026-q3" in command
    assert "--candidates CANDIDATES" in command


def repeats(first: dict[str, Any], files: Path, profile: str) -> None:
    """Run the printed command, and hold its answer against the first."""
    texts = printed(first)
    [command] = [text for text in texts if text.startswith("tierwright advise")]
    [stated] = [text for text in texts if text.startswith("CANDIDATES.json holds: ")]
    (files / "CANDIDATES.json").write_text(
        stated.removeprefix("CANDIDATES.json holds: "), encoding="utf-8"
    )
    named = {"PROFILE": profile, "HAVE": "have.toml"}
    words = [named.get(word, word) for word in shlex.split(command)]
    assert words[:2] == ["tierwright", "advise"]
    assert not [word for word in words if word.isupper()]
    done = run(*words[1:])
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    assert again["advice_id"] == first["advice_id"]
    for key in ("finding", "recommendation", "option_zero"):
        assert again[key] == first[key]
