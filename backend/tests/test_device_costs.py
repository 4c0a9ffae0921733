"""Devices from fio, and the cost of a tier: the API's numbers are the models' own."""

import json
import shlex
from decimal import Decimal
from pathlib import Path

import pytest

from tierwright.advise import tier_cost
from tierwright.cli.app import main
from tierwright.evaluate.economics import Assumptions, Load
from tierwright.hardware import catalog, fio
from tierwright.hardware.service_time import service_us

SSD = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
BOOK = "street-2026-q1"


def job(name, group, rw, iops, latency_us, depth):
    return {
        "jobname": name,
        "groupid": group,
        "error": 0,
        "job options": {"rw": rw, "iodepth": str(depth)},
        "write" if "write" in rw else "read": {
            "iops": iops,
            "total_ios": 600_000,
            "runtime": 60_000,
            "lat_ns": {"mean": latency_us * 1000},
            "clat_ns": {"mean": (latency_us - 2) * 1000},
        },
    }


def result(**changes):
    return {
        "fio version": "fio-3.36",
        "timestamp": 1_700_000_000,
        "global options": {"direct": "1", "ioengine": "libaio", "bs": "4k"},
        "jobs": [
            job("rr1", 0, "randread", 10_000, 99, 1),
            job("rw1", 1, "randwrite", 40_000, 24, 1),
            job("rr32", 2, "randread", 200_000, 158, 32),
            job("rw32", 3, "randwrite", 80_000, 395, 32),
        ],
        **changes,
    }


MEASURED = Path(__file__).parents[2] / "fixtures" / "fio" / "measured.fio.json"


class TestMeasured:
    """Raw results of `tierwright device measure`, as a user imports them."""

    def test_plan_is_the_one_that_its_command_executes(self, application, capsys):
        asked = {
            "folder": "/srv/our data",
            "page_bytes": 16384,
            "file_bytes": 3 * 2**30,
            "most_s": 1500.0,
            "most_written_bytes": 30 * 2**30,
        }
        answer = application.post("/devices/measure-plan", asked, 200)
        words = shlex.split(answer["command"])
        assert words[:4] == ["tierwright", "device", "measure", "/srv/our data"]
        assert main([*words[1:], "--dry-run", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)["plan"]
        for key in ("sentences", "most_written_bytes", "least_s", "most_s", "files"):
            assert answer[key] == plan[key]
        assert [each["name"] for each in answer["jobs"]] == [
            each["name"] for each in plan["jobs"]
        ]
        assert answer["most_written_bytes"] <= asked["most_written_bytes"]
        assert "apt install fio" in answer["how_to_install"]

    def test_plan_that_cannot_be_kept_is_refused(self, application):
        refused = application.post("/devices/measure-plan", {"most_s": 5.0}, 422)
        assert "is too short for writing the file" in refused["detail"]
        application.post("/devices/measure-plan", {"folder": "a\nb"}, 422)

    def test_raw_results_are_imported_with_their_record(self, application):
        document = json.loads(MEASURED.read_text(encoding="utf-8"))
        kept = application.post(
            "/device-imports/fio",
            {
                "document": document,
                "name": "Measured",
                "capacity_bytes": 10**12,
                "keep": True,
            },
            200,
        )
        device = kept["device"]
        assert device["page_bytes"] == kept["record"]["page_bytes"]
        assert kept["record"]["verdicts"].keys() == {
            each["jobname"] for each in document["jobs"]
        }
        assert [mix["read_percent"] for mix in kept["mixes"]] == [70, 70, 50]
        curve = {
            each["queue_depth"]: each["latency_us"]
            for each in device["measurements"]
            if each["operation"] == "read"
            and each["page_bytes"] == device["page_bytes"]
        }
        assert sorted(curve) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
        for latencies in curve.values():
            assert latencies.keys() == {"mean", "p50", "p95", "p99", "p99_9"}
        stored = application.get(f"/catalog/devices/{device['id']}")
        assert stored["measurements"] == device["measurements"]
        # It has a price by its kind, and so a cost of an access beside the catalogue's.
        costs = application.post(
            "/access-costs",
            {"page_bytes": 8192, "price_book_id": BOOK, "device_id": device["id"]},
            200,
        )
        [row] = [each for each in costs["rows"] if each["device_id"] == device["id"]]
        assert row["accesses_per_s"] == pytest.approx(
            device["figures"]["read_iops"]["value"]
        )
        assert Decimal(row["usd_per_billion_accesses"]) > 0
        assert "on Measured" in costs["sentence"]
        ids = {each["device_id"] for each in costs["rows"]}
        assert "aws-i4i.large-local" not in ids  # sold with its instance alone
        application.post("/access-costs", {"device_id": "absent"}, 404)

    def test_a_record_that_was_changed_is_refused(self, application):
        document = json.loads(MEASURED.read_text(encoding="utf-8"))
        document["tierwright_measure"]["version"] = 7
        refused = application.post("/device-imports/fio", {"document": document}, 422)
        assert "version: `7` is not 1" in refused["detail"]


class TestFio:
    def test_is_shown_without_being_kept(self, application):
        before = application.get("/catalog/devices")["total"]
        answer = application.post(
            "/device-imports/fio", {"document": result(), "name": "Rig 7"}, 200
        )
        expected = fio.import_fio(result(), identifier="measured", name="Rig 7")
        assert answer["kept"] is False
        assert answer["basis"] == expected.basis
        assert answer["device"]["read_service_us"] == service_us(
            expected.device, "read", 4096
        )
        assert answer["used"] == expected.used
        assert answer["queue_depths"] == [1, 32]
        shallow, _, deep, _ = answer["runs"]
        assert shallow["service_time_us"] == pytest.approx(97)
        assert deep["service_time_us"] is None
        assert deep["time_per_operation_us"] == 5
        assert application.get("/catalog/devices")["total"] == before

    def test_is_kept_at_the_depth_asked_for_and_evaluates(self, application):
        kept = application.post(
            "/device-imports/fio",
            {
                "document": result(),
                "name": "Rig 8",
                "queue_depth": 1,
                "capacity_bytes": 10**12,
                "keep": True,
            },
            200,
        )["device"]
        assert kept["origin"] == "own"
        assert kept["queue_depth"] == 1
        assert kept["read_service_us"] == 100
        assert application.get(f"/catalog/devices/{kept['id']}") == kept
        answer = application.post(
            "/evaluations",
            {
                "workload_id": "example",
                "ram_pages": 500,
                "flash_pages": 8000,
                "flash_device_id": kept["id"],
                "disk_device_id": DISK,
            },
            200,
        )
        assert answer["devices"]["flash"]["id"] == kept["id"]
        application.client.delete(f"/catalog/devices/{kept['id']}")

    @pytest.mark.parametrize(
        ("document", "part"),
        [
            ({}, "jobs: must be a list"),
            (result(jobs=[{"error": 5}]), "the job failed"),
            (
                result(jobs=[job("r", 0, "randread", float("inf"), 9, 1)]),
                "read.iops: `Infinity` JSON has no such number",
            ),
            (result(**{"fio version": "x\x00y"}), "body.document.figures"),
            (result(**{"fio version": "\ud800"}), "half of a surrogate pair"),
        ],
    )
    def test_what_is_no_result_is_refused_with_its_place(
        self, application, document, part
    ):
        answer = application.client.post(
            "/device-imports/fio",
            content=json.dumps({"document": document, "keep": True}),
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 422, answer.text
        assert part in answer.text
        assert answer.json()["hint"]


def tier(**changes):
    return {
        "device_ids": [SSD, DISK],
        "held_bytes": 10**11,
        "reads_per_month": 2e9,
        **changes,
    }


class TestTierCosts:
    def test_equals_the_models(self, application):
        answer = application.post(
            "/tier-costs?derivation=true",
            tier(
                writes_per_month=1e6,
                usd_per_kwh="0.30",
                interest_per_year=0.05,
                whole_devices=True,
                watts_per_gib=0.4,
            ),
            200,
        )
        expected = tier_cost.answer(
            [catalog.device(SSD), catalog.device(DISK)],
            10**11,
            page_bytes=4096,
            load=Load(reads=Decimal(2 * 10**9), writes=Decimal(10**6)),
            assumptions=Assumptions(
                usd_per_kwh=Decimal("0.30"),
                interest_per_year=Decimal("0.05"),
                whole_devices=True,
                watts_per_gib=Decimal("0.4"),
            ),
        )
        assert [row["device_id"] for row in answer["rows"]] == [
            row.device_id for row in expected.rows
        ]
        for row, model in zip(answer["rows"], expected.rows, strict=True):
            assert Decimal(row["usd_per_month"]) == model.cost.usd_per_month
            assert row["busy_share"] == model.busy_share
            assert sum(Decimal(line["usd_per_month"]) for line in row["lines"]) == (
                Decimal(row["usd_per_month"])
            )
            steps = [s for s in answer["derivation"] if s["scheme"] == row["device_id"]]
            assert [s["name"] for s in steps][-1] == "busy"
            assert row["missing"] == list(model.cost.missing)

    def test_the_cheapest_that_cannot_keep_up_is_no_answer(self, application):
        answer = application.post("/tier-costs", tier(), 200)
        assert answer["cheapest"] == DISK
        assert answer["cheapest_that_keeps_up"] == SSD
        assert "cannot serve the load" in answer["sentence"]
        assert "cannot_keep_up" in {each["name"] for each in answer["warnings"]}

    def test_fees_follow_the_load_of_an_object_store(self, application):
        store = next(
            each
            for each in catalog.devices().values()
            if "read_request_fee" in each.figures
        )
        idle = tier(device_ids=[store.id], reads_per_month=0.0, price_book_id=BOOK)
        answers = [
            application.post("/tier-costs", {**idle, "reads_per_month": reads}, 200)
            for reads in (0.0, 1e9)
        ]
        costs = [Decimal(answer["rows"][0]["usd_per_month"]) for answer in answers]
        fee = store.figures["read_request_fee"].value
        assert costs[1] - costs[0] >= fee * 10**6  # a fee is for a thousand

    @pytest.mark.parametrize(
        ("changes", "part"),
        [
            ({"device_ids": []}, "device_ids"),
            ({"device_ids": [SSD, SSD]}, "names a device twice"),
            ({"held_bytes": -1}, "held_bytes"),
            ({"pue": 0.5}, "pue"),
        ],
    )
    def test_refuses(self, application, changes, part):
        assert part in str(application.post("/tier-costs", tier(**changes), 422))

    def test_a_device_that_is_not_there_is_named(self, application):
        answer = application.post("/tier-costs", tier(device_ids=["nowhere"]), 404)
        assert "nowhere" in answer["detail"]
