"""Devices of the user's own among the candidates of an advice."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    SHELF,
    ask,
    asked_of,
    book,
    curve,
    problems,
    recorded,
)
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.advice._asked import _candidates
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import (
    WHOLE,
    Candidates,
    candidates_from_mapping,
    read_candidates,
)
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.tiers import MOST_DEVICES
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.parts import parts
from tierwright.hardware.prices import Price
from tierwright.profile.production import Production


def own(
    name: str = "my-drive", like: str = SHELF[1], usd_per_gb: str | None = None
) -> Device:
    """A device with the figures of a shipped one, under an id of its own; a price where one is stated."""
    figures = {
        key: figure
        for key, figure in catalog.device(like).figures.items()
        if not key.startswith("unit_")
    }
    if usd_per_gb is not None:
        figures["unit_price"] = Figure(
            Decimal(usd_per_gb), "USD/GB", "a quotation", "2026-11"
        )
    return replace(catalog.device(like), id=name, name="My drive", figures=figures)


def with_own(*devices: Device, **given_: Any) -> Advice:
    return ask(candidates=replace(DEVICES_ALONE, own=devices), **given_)


def test_one_that_is_cheaper_is_recommended_and_costs_what_it_states() -> None:
    # Half of what the shipped one costs, everything else alike.
    found = with_own(own(usd_per_gb="0.375"), constraints={"io_time_us_per_access": 60})
    before = ask(constraints={"io_time_us_per_access": 60}).recommendation
    best = found.recommendation
    assert best is not None
    assert before is not None
    assert before.disk_device == SHELF[1]
    assert best.disk_device == "my-drive"
    assert "my-drive" in found.finding
    [line] = [row for row in best.bill if row["what"] == "my-drive"]
    held = catalog.device(SHELF[1]).capacity_bytes
    assert held is not None
    assert Decimal(line["unit_price"]) == Decimal("0.375") * held / 10**9
    assert best.usd_per_month is not None
    assert before.usd_per_month is not None
    assert best.usd_per_month < before.usd_per_month


def test_one_without_a_price_is_named_and_never_free() -> None:
    found = with_own(own())
    [caution] = [
        each for each in found.warnings if each.name == "own_device_without_price"
    ]
    assert caution.message == "there is no price of my-drive, so it is not a candidate"
    assert caution.about == ("my-drive",)
    lacking = [
        each
        for each in found.rejected
        if "my-drive" in (each.option.disk_device, each.option.flash_device)
    ]
    assert lacking
    for each in lacking:
        assert each.constraint == "price"
        assert each.text.endswith(": my-drive has no price.")
        assert each.option.usd_per_month is None
        assert each.option.purchase_usd is None
        assert each.option.config == {}
    without = ask()
    for one, other in zip(
        [found.recommendation, *found.alternatives, *found.pareto],
        [without.recommendation, *without.alternatives, *without.pareto],
        strict=True,
    ):
        assert one == other
    priced = with_own(own(usd_per_gb="0.8"))
    assert "own_device_without_price" not in {each.name for each in priced.warnings}
    assert not [each for each in priced.rejected if "no price" in each.text]
    two = with_own(own(), own("other-drive"))
    assert (
        "there are no prices of my-drive and other-drive, so they are not candidates"
        in {each.message for each in two.warnings}
    )


def test_its_price_is_that_of_the_book_then_its_own_then_that_of_its_kind() -> None:
    named, of_kind = (
        Price(Decimal(usd), "GB", rent=False, source="a test", **what)
        for usd, what in (
            ("0.1", {"device_id": "my-drive"}),
            ("0.2", {"kind": "nvme"}),
        )
    )
    stated = own(usd_per_gb="0.3")
    assert stated.capacity_bytes is not None
    for device, prices, usd in (
        (stated, (named, of_kind), "0.1"),
        (stated, (of_kind,), "0.3"),
        (own(), (of_kind,), "0.2"),
    ):
        shelf = book(**PRICES)
        best = with_own(
            device,
            prices=replace(shelf, prices=(*shelf.prices, *prices)),
            constraints={"io_time_us_per_access": 60},
        ).recommendation
        assert best is not None
        [line] = [row for row in best.bill if row["what"] == "my-drive"]
        each = Decimal(usd) * stated.capacity_bytes / 10**9
        assert Decimal(line["unit_price"]) == each


@pytest.mark.costly(3)
@settings(max_examples=6)
@given(
    problem=problems,
    price=st.decimals("0.001", "9", places=3),
    like=st.sampled_from(SHELF),
)
def test_one_more_never_makes_it_worse(
    problem: dict[str, Any], price: Decimal, like: str
) -> None:
    asked = asked_of(problem)
    more = replace(asked["candidates"], own=(own(like=like, usd_per_gb=str(price)),))
    before, after = ask(**asked), ask(**{**asked, "candidates": more})
    assert after.evaluated > before.evaluated
    assert after.advice_id != before.advice_id
    if before.recommendation is None:
        return
    best, old = after.recommendation, before.recommendation
    assert best is not None
    if problem["objective"] == "io_time":
        assert best.io_time_us_per_access is not None
        assert old.io_time_us_per_access is not None
        assert best.io_time_us_per_access <= old.io_time_us_per_access
    else:
        assert best.usd_per_month is not None
        assert old.usd_per_month is not None
        assert best.usd_per_month <= old.usd_per_month


def test_without_any_the_id_rests_on_what_it_did_before_they_could_be_stated() -> None:
    before = {
        *("kinds", "servers", "volumes", "devices", "parts", "providers"),
        *("max_machines", "reserved_gib", "part_usd", "machine_usd"),
        *("usd_per_kwh", "watts", "pue"),
    }
    assert set(_candidates(DEVICES_ALONE)) == before
    stated = _candidates(replace(DEVICES_ALONE, own=(own(),)))
    assert set(stated) == {*before, "own"}
    other = _candidates(replace(DEVICES_ALONE, own=(own(usd_per_gb="1"),)))
    assert stated["own"] != other["own"]


@pytest.mark.parametrize(
    ("devices", "kinds", "match"),
    [
        ((own(),), WHOLE, "needs `devices` among the kinds"),
        (
            (replace(own(), kind="cloud_block"),),
            ("devices",),
            "cannot be bought by itself",
        ),
        ((replace(own(), figures={}),), ("devices",), "states no capacity"),
        ((replace(own(), id=SHELF[0]),), ("devices",), "is the id of a shipped device"),
        ((own(), own()), ("devices",), "is named twice"),
    ],
)
def test_what_cannot_be_a_candidate_is_refused(
    devices: tuple[Device, ...], kinds: tuple[str, ...], match: str
) -> None:
    with pytest.raises(BadInput, match=match):
        Candidates(kinds=kinds, own=devices)


def test_a_file_beside_the_candidates_is_found_and_adds_devices(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(own(usd_per_gb="0.4").to_dict()))
    path = tmp_path / "candidates.toml"
    path.write_text('own = ["mine.json"]\n')
    found = read_candidates(path)
    assert found.kinds == (*WHOLE, "devices")
    assert [each.id for each in found.own] == ["my-drive"]
    path.write_text('servers = ["aws-i4i.4xlarge"]\nown = ["mine.json"]\n')
    assert read_candidates(path).kinds == ("instances", "devices")
    path.write_text('own = ["theirs.json"]\n')
    with pytest.raises(BadInput, match=r"theirs\.json"):
        read_candidates(path)
    with pytest.raises(BadInput, match="must be a list"):
        candidates_from_mapping({"own": "mine.json"}, "file")


def test_the_command_takes_it(tmp_path: Path) -> None:
    profile = tmp_path / "p.json"
    profile.write_text(json.dumps(recorded().to_dict()))
    (tmp_path / "mine.json").write_text(json.dumps(own(usd_per_gb="0.01").to_dict()))
    (tmp_path / "theirs.json").write_text(
        json.dumps(
            own("their-array", "seagate-exos-x24-24tb").to_dict()
            | {"kind": "hdd_array"}
        )
    )
    shelf = tmp_path / "c.toml"
    shelf.write_text(
        'kinds = ["devices"]\nown = ["mine.json", "theirs.json"]\nmachine_usd = 5000\n'
    )
    out = run(
        *("advise", str(profile), "--data", "2TiB", "--accesses-per-second", "5000"),
        *("--candidates", str(shelf), "--price-book", "papers-2015"),
    )
    assert out.returncode == 0, out.stderr
    assert "x my-drive" in out.stdout.splitlines()[0]
    assert "their-array has no price" in out.stdout + out.stderr


def test_vendors_leave_out_what_states_another_and_name_what_states_none() -> None:
    asked = replace(
        DEVICES_ALONE,
        kinds=("devices", "chassis"),
        part_usd={"chassis": Decimal(8000)},
        own=(own(usd_per_gb="0.5"),),
    )
    found = ask(candidates=replace(asked, vendors=("solidigm",)))
    named = {
        name
        for one in (found.recommendation, *found.pareto, *found.alternatives)
        if one is not None
        for name in (one.flash_device, one.disk_device, one.server)
        if name is not None
    }
    # Seagate's, Western Digital's and the chassis of known makers are left out.
    known = {each.id: each.vendor for each in parts().values() if each.vendor} | {
        SHELF[0]: "Solidigm",
        SHELF[2]: "Seagate",
    }
    assert {known[name] for name in named if name in known} <= {"Solidigm"}
    [caution] = [each for each in found.warnings if each.name == "vendor_not_stated"]
    assert {"my-drive", SHELF[1]} <= set(caution.about)
    assert any(name.startswith("dimm-") for name in caution.about)
    assert not {SHELF[0], SHELF[2]} & set(caution.about)
    assert all(name in caution.message for name in caution.about)
    every = ask(candidates=asked)
    assert "vendor_not_stated" not in {each.name for each in every.warnings}
    assert every.evaluated > found.evaluated
    assert every.advice_id != found.advice_id
    alone = replace(DEVICES_ALONE, devices=(SHELF[0], SHELF[1]), vendors=("Solidigm",))
    [only] = [
        each.message
        for each in ask(candidates=alone).warnings
        if each.name == "vendor_not_stated"
    ]
    assert (
        only
        == f"no vendor of {SHELF[1]} is stated, so it stays a candidate whoever makes it"
    )
    # The answer itself says so where what it recommends is of them, and only there.
    for devices in ((SHELF[1],), (SHELF[0],)):
        bought = ask(candidates=replace(alone, devices=devices))
        said = f"No source states who makes {SHELF[1]}: whether it is Solidigm is for you to check."
        assert (said in bought.because) == (devices == (SHELF[1],))
    with pytest.raises(
        BadInput, match=r"is not a vendor of any part; one of .*Seagate"
    ):
        replace(DEVICES_ALONE, vendors=("Segate",))


def test_what_needs_more_devices_than_are_counted_has_no_option() -> None:
    """Where space asks for them as where the load does: 2 EiB are 96,077 drives of 24 TB, and 115,293 of 20 TB."""
    shelf = DEVICES_ALONE.devices
    assert shelf is not None
    large = ask(curve=curve(Production(2**61, 20_000.0, 50_000.0)))
    best = large.recommendation
    assert best is not None
    assert best.disks == -(-(2**61) // (24 * 10**12)) <= MOST_DEVICES
    assert {each.disk_device for each in (best, *large.pareto)} == {
        "seagate-exos-x24-24tb"
    }
    none = ask(curve=curve(Production(2**62, 20_000.0, 50_000.0)))
    assert none.recommendation is None
    assert none.infeasible is not None
    assert "There is no candidate" in none.infeasible.text
    assert (
        "one machine would need more than 100,000 to hold its data"
        in none.infeasible.text
    )
    assert all(f"`{name}`" in none.infeasible.text for name in shelf)
    # Two machines have twice as many.
    two = ask(curve=curve(Production(2**62, 20_000.0, 50_000.0, machines=2)))
    assert two.recommendation is not None


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ({"devices": ["dram-ddr5-4800-rdimm"]}, ["dram-ddr5-4800-rdimm"]),
        ({"kinds": ["chassis"]}, []),
    ],
)
def test_no_candidate_says_what_cannot_hold_data_and_not_that_nothing_has_a_price(
    stated: dict[str, list[str]], names: list[str]
) -> None:
    """RAM has a price in the book by its kind: what it lacks is a place for the data."""
    priced = catalog.default_price_book()
    assert any(each.kind == "dram" for each in priced.prices)
    found = ask(candidates=candidates_from_mapping(stated, "f"), prices=priced)
    assert found.recommendation is None
    assert found.infeasible is not None
    said = found.infeasible.text
    assert "nothing that is priced was named" not in said
    assert said.startswith(
        "There is no candidate: nothing that may be bought is priced and holds the data."
    )
    # No limit stands in the way of what is not there.
    assert found.verdict.text == "Not viable: there is no candidate."
    assert {each.reason for each in found.staircases} == {"there is no candidate"}
    assert ("cannot be bought by itself to hold data" in said) is bool(names)
    assert all(name in said for name in names)
