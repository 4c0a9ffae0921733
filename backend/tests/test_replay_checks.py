"""Checks by replay over HTTP: model beside counted operations, and words that fit both."""

from decimal import Decimal

import pytest

from tierwright import _simulator, catalog, endurance
from tierwright.replay_checks import replayed_life, replayed_throughput
from tierwright.throughput import Setting
from tierwright_server.replay_checks import service
from tierwright_server.replay_checks.schemas import CheckedFigure
from tierwright_server.wear.service import _drives_sentence

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
POINT = {
    "workload_id": "example",
    "start": "cold",
    "ram_pages": 500,
    "flash_pages": 4000,
    "flash_device_id": FLASH,
    "disk_device_id": DISK,
}


@pytest.fixture(scope="module")
def counters():
    trace = "fixtures/traces/tpcb-cut.csv.zst"

    def replay(scheme):
        return _simulator.simulate_scheme(
            trace,
            scheme=scheme,
            ram_pages=500,
            flash_pages=0 if scheme == "none" else 4000,
        )

    return {name: replay(name) for name in ("none", "exclusive", "lazy")}


def test_throughput_is_that_of_the_counted_operations(application, counters):
    body = {**POINT, "clients": 20, "accesses_per_transaction": 10, "think_ms": 5}
    found = application.post("/throughputs/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    model = application.post("/throughputs", {**body, "points": [20]}, 200)
    for columns in model["schemes"]:
        row = rows[columns["scheme"], "throughput"]
        assert row["model"] == columns["throughput_per_s"][0]
        if columns["scheme"] in counters:
            own = replayed_throughput(
                counters[columns["scheme"]],
                flash=catalog.device(FLASH),
                disk=catalog.device(DISK),
                setting=Setting(clients=20, accesses_per_transaction=10, think_s=0.005),
            )
            assert row["simulated"] == pytest.approx(own.throughput_per_s)
            assert abs(row["gap_relative"]) < 0.1
    assert "nothing replays how clients wait" in found["basis"].replace(":", "")


def test_life_is_that_of_the_counted_writes(application, counters):
    body = {**POINT, "rated_tb": 100.0, "accesses_per_s": 1000.0}
    found = application.post("/wear/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    for name in ("exclusive", "lazy"):
        own = replayed_life(counters[name], budget_tb=100.0, accesses_per_s=1000)
        assert rows[name, "flash writes"]["simulated"] == pytest.approx(own.tb_per_day)
        assert rows[name, "life"]["simulated"] == pytest.approx(own.years)
    assert "best" in found["sentence"]


def test_one_replay_prices_every_device(application, counters):
    body = {key: POINT[key] for key in POINT if key != "flash_device_id"}
    devices = [FLASH, "samsung-pm9a3-7.68tb-u2"]
    found = application.post(
        "/flash-choices/check", {**body, "candidate_ids": devices}, 200
    )
    assert {row["of"] for row in found["rows"]} == set(devices)
    for row in found["rows"]:
        assert row["unit"] == "µs/access"
        assert abs(row["gap_relative"]) < 0.1


def figure(of, model, simulated):
    return CheckedFigure(
        of=of,
        title=of.title(),
        figure="throughput",
        unit="1/s",
        model=model,
        simulated=simulated,
        gap_relative=None if simulated is None else model / simulated - 1,
    )


@pytest.mark.parametrize(
    ("lazy", "sentence"),
    [
        (
            (90.0, 90.0),
            "The replay confirms Exclusive as the best choice; the model is off by at most "
            "25.0 % in throughput.",
        ),
        (
            (90.0, 100.0),
            "By replay Lazy is best; Exclusive, which the model names, is 20.0 % behind; the "
            "model is off by at most 25.0 % in throughput.",
        ),
    ],
)
def test_the_sentence_says_whether_the_replay_chooses_alike(lazy, sentence):
    simulated = 80.0 if lazy[1] == 100.0 else 100.0
    rows = [figure("exclusive", 100.0, simulated), figure("lazy", *lazy)]
    if simulated == 100.0:
        rows.append(figure("none", 50.0, 40.0))
    assert service._sentence(rows, "throughput", max) == sentence
    equal = [figure("exclusive", 100.0, 100.0), figure("lazy", 90.0, 90.0)]
    assert service._sentence(equal, "throughput", max) == (
        "The replay confirms Exclusive as the best choice; model and replay agree."
    )
    assert "Neither" in service._sentence([], "throughput", max)


@pytest.mark.parametrize(
    ("count", "held", "said"),
    [
        (
            1,
            10**11,
            "One Drive costs 720, USD 20 USD a month over 36 months. Compare counts 2 USD of it: the "
            "10.0 % that 93.1 GiB of flash pages take.",
        ),
        (
            2,
            10**12,
            "2 x Drive cost 720, USD 20 USD a month over 36 months. The flash pages take all of it.",
        ),
    ],
)
def test_whole_drives_and_what_is_compared_stand_side_by_side(count, held, said):
    cost = endurance.whole_drives(
        Decimal(720), months=36, held_bytes=held, capacity_bytes=10**12
    )
    assert _drives_sentence(cost, count, "Drive", 36, held) == said
