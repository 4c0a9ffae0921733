"""Templates of questions to the advisor: files that a team keeps."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from advice_cases import SHELF, recorded
from command import run

from tierwright.advise.advice.request import WHOLE
from tierwright.advise.advice.template import (
    Template,
    read_template,
    template_from_mapping,
)
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog

WHOLE_TEMPLATE = {
    "objective": "io_time",
    "candidates": {"devices": [SHELF[0], SHELF[1]], "machine_usd": "5000"},
    "constraints": {"usd_per_month": "800", "peak_busy": 0.5},
    "price_book_id": "street-2026-q3",
    "horizon_months": 48,
}


def test_it_is_read_as_the_parts_it_consists_of(tmp_path: Path) -> None:
    path = tmp_path / "team.json"
    path.write_text(json.dumps(WHOLE_TEMPLATE))
    found = read_template(path)
    assert found.objective == "io_time"
    assert found.candidates is not None
    assert found.candidates.devices == tuple(sorted((SHELF[0], SHELF[1])))
    assert found.candidates.machine_usd == Decimal(5000)
    assert found.constraints == WHOLE_TEMPLATE["constraints"]
    assert (found.price_book_id, found.horizon_months) == ("street-2026-q3", 48)
    (tmp_path / "drive.json").write_text(
        json.dumps(catalog.device(SHELF[1]).to_dict() | {"id": "my-drive"})
    )
    path.write_text(json.dumps({"candidates": {"own": ["drive.json"]}}))
    with_own = read_template(path).candidates
    assert with_own is not None
    assert [each.id for each in with_own.own] == ["my-drive"]
    assert template_from_mapping({}, "file") == Template()


def test_a_book_brings_ram_and_devices_where_nothing_else_is_named() -> None:
    prices = {"candidates": {"machine_usd": 5000}}
    alone = template_from_mapping(prices, "file").candidates
    booked = template_from_mapping(
        {**prices, "price_book_id": "street-2026-q3"}, "file"
    ).candidates
    assert alone is not None
    assert booked is not None
    assert alone.kinds == WHOLE
    without = template_from_mapping(
        {**prices, "price_book_id": "none"}, "file"
    ).candidates
    assert without is not None
    assert without.kinds == WHOLE
    assert booked.kinds == (*WHOLE, "devices")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({"colour": "red"}, "colour: unknown key"),
        ({"objective": "cheap"}, "is not one of usd, io_time, pareto"),
        ({"horizon_months": 0}, "whole number from 1"),
        ({"constraints": {"colour": 1}}, "is no constraint"),
        ({"constraints": []}, "must be a table"),
        ({"candidates": {"servers": ["no-such"]}}, "no-such"),
        ({"price_book_id": 3}, "must be an id"),
    ],
)
def test_what_cannot_be_read_is_refused(data: dict[str, Any], match: str) -> None:
    with pytest.raises(BadInput, match=match):
        template_from_mapping(data, "team.toml")


def test_the_command_asks_what_it_states_and_options_go_before_it(
    tmp_path: Path,
) -> None:
    profile, path = tmp_path / "p.json", tmp_path / "team.toml"
    profile.write_text(json.dumps(recorded().to_dict()))
    path.write_text(
        'objective = "io_time"\nprice_book_id = "street-2026-q3"\nhorizon_months = 48\n'
        f'[candidates]\ndevices = ["{SHELF[0]}"]\nmachine_usd = 5000\n'
        "[constraints]\nusd_per_month = 2000\npeak_busy = 0.5\n"
    )
    shelf = tmp_path / "c.toml"
    shelf.write_text(f'devices = ["{SHELF[0]}"]\nmachine_usd = 5000\n')
    asked = ("advise", str(profile), "--data", "2TiB", "--accesses-per-second", "5000")

    def answer(*options: str) -> dict[str, Any]:
        found = run(*asked, *options, "--json")
        assert found.returncode == 0, found.stderr
        document: dict[str, Any] = json.loads(found.stdout)
        return document

    by_template = answer("--template", str(path), "--months", "36")
    by_options = answer(
        *("--candidates", str(shelf), "--price-book", "street-2026-q3"),
        *("--objective", "io_time", "--constraint", "usd_per_month=2000"),
        *("--constraint", "peak_busy=0.5"),
    )
    assert by_template == by_options
    refused = run(
        *(*asked, "--template", str(path), "--constraint", "usd_per_month=1"), "--json"
    )
    assert refused.returncode == 3
    assert json.loads(refused.stdout)["horizon_months"] == 48


def test_several_workloads_are_placed_as_the_template_states(tmp_path: Path) -> None:
    profile, path = tmp_path / "p.json", tmp_path / "team.toml"
    scaled = recorded().to_dict()
    profile.write_text(json.dumps(scaled))
    path.write_text(
        f'price_book_id = "street-2026-q3"\n[candidates]\ndevices = ["{SHELF[0]}"]\n'
        "machine_usd = 5000\n[constraints]\nmachines = 9\n"
    )
    shelf = tmp_path / "c.toml"
    shelf.write_text(f'devices = ["{SHELF[0]}"]\nmachine_usd = 5000\n')

    def placed(*options: str) -> Any:
        found = run("place", f"{profile}=5000", *options, "--json")
        assert found.returncode == 0, found.stderr
        return json.loads(found.stdout)

    by_options = placed(
        *("--candidates", str(shelf), "--price-book", "street-2026-q3"),
        *("--constraint", "machines=9"),
    )
    assert placed("--template", str(path)) == by_options
    limited = run(
        *("place", f"{profile}=5000", "--template", str(path)),
        *("--constraint", "usd_per_month=1", "--json"),
    )
    assert limited.returncode == 3
