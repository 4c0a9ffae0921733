"""What candidates and what there is may not state: refused by name and value, whoever states it and whatever else they name."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from test_quote_ranking import ROOT

from tierwright.advise.advice.request import (
    Candidates,
    Have,
    candidates_from_mapping,
)
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog

DRIVE = "samsung-pm9a3-7.68tb-u2"
PROVIDERS = sorted(
    {
        tomllib.loads(each.read_text(encoding="utf-8"))["provider"]
        for each in (ROOT / "fixtures" / "servers").glob("*.toml")
    }
)
"""As the files of the catalogue state them."""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("refused") / "profile.json"
    trace = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
    found.write_text(json.dumps(answer("profile", trace)), encoding="utf-8")
    return found


def refused(stated: dict[str, Any]) -> BadInput:
    with pytest.raises(BadInput) as error:
        candidates_from_mapping(stated, "file")
    return error.value


@pytest.mark.parametrize(
    "stated", [["gpc", "aws"], ["gpc"], ["AWS"], [""], ["aws", "gcp", "azur"]]
)
def test_a_provider_with_a_slip_is_named_with_those_that_are_known(
    stated: list[str],
) -> None:
    error = refused({"kinds": ["instances"], "providers": stated})
    [slip] = [name for name in stated if name not in PROVIDERS]
    [problem] = error.problems
    assert (problem.where, problem.value) == ("providers", slip)
    assert ", ".join(PROVIDERS) in error.hint


def test_every_provider_of_the_catalogue_is_accepted() -> None:
    assert len(PROVIDERS) > 1
    found = candidates_from_mapping({"providers": PROVIDERS}, "file")
    assert found.providers == tuple(PROVIDERS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("max_machines", value) for value in (0, -3, 257, True, 2.5, "2")),
        *(
            (name, value)
            for name in ("reserved_gib", "machine_usd", "usd_per_kwh", "watts")
            for value in (-1, float("nan"), float("inf"), 1e14, "1e-13")
        ),
        *(("pue", value) for value in (0, 0.99, 101, -1, float("nan"))),
        ("part_usd", {"chassis": -1}),
        ("part_usd", {"chassis": float("nan")}),
        ("part_usd", {"chassis": 1e14}),
    ],
)
@pytest.mark.parametrize("kinds", [["devices"], ["instances"]])
def test_a_number_that_is_none_is_refused_whatever_the_kinds(
    kinds: list[str], name: str, value: Any
) -> None:
    error = refused({"kinds": kinds, name: value})
    assert {each.where.split(".")[0] for each in error.problems} == {name}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_machines", 1),
        ("max_machines", 256),
        ("reserved_gib", 0),
        ("machine_usd", 0),
        ("machine_usd", 1_000_000_000),
        ("pue", 1),
        ("pue", 100),
    ],
)
def test_the_ends_of_what_is_allowed_are_allowed(name: str, value: int) -> None:
    found = candidates_from_mapping({"kinds": ["devices"], name: value}, "file")
    assert getattr(found, name) == value


@pytest.mark.parametrize(
    "stated",
    [
        {"max_machines": 0},
        {"machine_usd": Decimal(-1)},
        {"watts": Decimal("NaN")},
        {"usd_per_kwh": Decimal(10**10)},
        {"part_usd": {"chassis": Decimal("-0.01")}},
        {"providers": ("gpc",)},
    ],
)
def test_in_python_the_same_are_refused(stated: dict[str, Any]) -> None:
    [name] = stated
    with pytest.raises(BadInput, match=name):
        Candidates(kinds=("devices",), **stated)


@pytest.mark.parametrize(
    "stated", [{"ram_bytes": 0}, {"ram_bytes": -(2**30)}, {"flash_bytes": -1}]
)
def test_sizes_of_what_there_is_are_sizes(stated: dict[str, Any]) -> None:
    [name] = stated
    usual = {"machines": 1, "ram_bytes": 2**30, "disks": 1}
    with pytest.raises(BadInput, match=name):
        Have(**{**usual, **stated}, disk=catalog.device(DRIVE))


@pytest.mark.parametrize(
    ("text", "named", "hint"),
    [
        ('providers = ["gpc", "aws"]', "`gpc`", "aws"),
        ('providers = ["gpc"]', "`gpc`", "gcp"),
        ("max_machines = 0", "`0` must be a whole number from 1 to 256", ""),
        ('max_machines = "2"', "`2` must be a whole number from 1 to 256", ""),
        ('kinds = ["devices"]\nmachine_usd = 1e12', "from 0 to 1,000,000,000", ""),
    ],
)
def test_the_command_refuses_them(
    profile: Path, tmp_path: Path, text: str, named: str, hint: str
) -> None:
    file = tmp_path / "candidates.toml"
    file.write_text(text, encoding="utf-8")
    done = run("advise", profile, "--candidates", file)
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr
    assert hint in done.stderr.partition("hint:")[2]
