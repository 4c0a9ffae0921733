"""Wear, device health, warm-up and restart: the API's numbers are the models' own."""

import pytest

from tierwright.evaluate import flash_cache, recovery
from tierwright.evaluate.endurance import outlook as endurance_outlook
from tierwright.evaluate.page_flow import evaluation as page_flow_evaluation
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us

FLASH = "face2016-samsung-840pro-256"
RATED = "intel-p4500-4tb"
DISK = "face2016-cheetah-15k6-single"
BOOK = "street-2026-q1"
PAGE = 8192


def point(**changes):
    return {
        "workload_id": "example",
        "ram_pages": 500,
        "flash_pages": 8000,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        **changes,
    }


def outlook(curve, budget, rate, **more):
    evaluation = page_flow_evaluation.evaluate(
        curve,
        ram_pages=500,
        flash_pages=8000,
        flash=catalog.device(FLASH),
        disk=catalog.device(DISK),
    )
    return endurance_outlook.wear_outlook(
        evaluation, budget, accesses_per_s=rate, **more
    )


class TestWear:
    def test_equals_the_models(self, application, curve):
        answer = application.post(
            "/wear?derivation=true",
            point(
                accesses_per_s=5000.0,
                pe_cycles=1000.0,
                growth_per_year=0.25,
                devices=2,
                written_tb=3.0,
            ),
            200,
        )
        budget = endurance_outlook.write_budget(
            catalog.device(FLASH), pe_cycles=1000, devices=2
        )
        expected = outlook(
            curve,
            budget,
            5000,
            growth_per_year=0.25,
            written_tb=3,
            capacity_bytes=512e9,
        )
        assert answer["budget"]["in_place_tb"] == budget.in_place_tb
        assert answer["budget"]["appended_tb"] == budget.appended_tb
        assert [row["scheme"] for row in answer["schemes"]] == list(expected.schemes)
        for row in answer["schemes"]:
            life = expected.schemes[row["scheme"]]
            assert row["years"] == pytest.approx(life.years)
            assert row["years_from"] == pytest.approx(life.years_from)
            assert row["years_to"] == pytest.approx(life.years_to)
            assert row["drive_writes_per_day"] == pytest.approx(
                life.drive_writes_per_day
            )
        ends = [s["value"] for s in answer["derivation"] if s["name"] == "years"]
        assert ends == pytest.approx([row["years"] for row in answer["schemes"]])

    def test_metadata_of_flash_are_taken_from_the_ram(self, application):
        charged = application.post(
            "/wear", point(ram_pages=5000, flash_metadata="l2arc"), 200
        )
        left = charged["ram_budget"]["ram_pages_left"]
        assert left < 5000
        same = application.post("/wear", point(ram_pages=left), 200)
        assert same["ram_budget"] is None
        for row, other in zip(charged["schemes"], same["schemes"], strict=True):
            assert row["tb_per_day"] == other["tb_per_day"]

    def test_what_is_left_of_the_rating_is_told(self, application):
        budget = application.post(
            "/wear", point(flash_device_id=RATED, written_tb=840.0), 200
        )["budget"]
        assert budget["written_tb"] == 840
        assert budget["left_tb"] == 4000

    def test_the_rate_is_the_workloads_own_unless_given(self, application):
        own = application.post("/wear", point(), 200)
        summary = application.get("/workloads/example")["summary"]
        rate = summary["accesses"] / summary["duration_s"]
        assert own["accesses_per_s"] == pytest.approx(rate)
        assert "of the workload" in own["rate_basis"]

    def test_a_rating_gives_years_and_money(self, application):
        answer = application.post(
            "/wear", point(flash_device_id=RATED, price_book_id=BOOK), 200
        )
        assert answer["budget"]["in_place_tb"] == 4840
        assert answer["money_reason"] == ""
        price = catalog.price_book(BOOK).find(device_id=RATED, kind="nvme")
        assert price is not None
        usd = float(price.usd_per_gb) * 4000
        for row in answer["schemes"]:
            money = row["money"]
            each = usd / 4840
            assert float(money["usd_per_tb_written"]) == pytest.approx(each)
            month = each * row["tb_per_day"] * 365 / 12
            assert float(money["usd_per_month_written"]) == pytest.approx(month)

    def test_money_ends_with_the_life(self, application):
        new = application.post(
            "/wear?derivation=true",
            point(
                flash_device_id=RATED,
                price_book_id=BOOK,
                accesses_per_s=20_000.0,
                growth_per_year=0.4,
                written_tb=4000.0,
            ),
            200,
        )
        for row in new["schemes"]:
            money = row["money"]
            assert money["life_months"] == pytest.approx(row["years"] * 12, rel=1e-9)
            assert money["wear_limited"] == (row["years"] * 12 < 36)
            steps = {
                s["name"]: s["value"]
                for s in new["derivation"]
                if s["scheme"] == row["scheme"]
            }
            assert steps["life_months"] == pytest.approx(money["life_months"])
            assert steps["usd_per_month"] == pytest.approx(
                float(money["usd_per_month_written"])
            )
            assert steps["amortised_usd_per_month"] == pytest.approx(
                float(money["amortised_usd_per_month"])
            )
            assert steps["drive_writes_per_day"] == pytest.approx(
                row["drive_writes_per_day"]
            )
            assert steps["years_from"] == pytest.approx(row["years_from"])
            assert steps["years_to"] == pytest.approx(row["years_to"])
        assert any(row["money"]["wear_limited"] for row in new["schemes"])

    def test_a_drive_past_its_rating_has_nothing_left_to_spread(self, application):
        worn = application.post(
            "/wear",
            point(flash_device_id=RATED, price_book_id=BOOK, written_tb=5000.0),
            200,
        )
        for row in worn["schemes"]:
            assert row["years"] == 0
            assert row["money"]["wear_limited"]
            assert row["money"]["amortised_usd_per_month"] is None
            assert float(row["money"]["left_usd"]) == 0

    def test_what_no_source_states_is_assumed_and_can_be_given(self, application):
        drive = {"flash_device_id": "samsung-pm9a3-7.68tb-u2"}
        bare = application.post("/wear", point(**drive), 200)
        assert bare["budget"]["assumed"] == "5 years"
        assert "endurance_assumed" in {w["name"] for w in bare["warnings"]}
        assert bare["rated_dwpd"] == 1.3
        given = {"rated_years": 2.5, "rated_dwpd": 1.3}
        known = application.post("/wear", point(**drive, **given), 200)
        assert known["budget"]["assumed"] == ""
        assert "endurance_assumed" not in {w["name"] for w in known["warnings"]}
        for one, other in zip(bare["schemes"], known["schemes"], strict=True):
            assert other["years"] == pytest.approx(one["years"] / 2)

    def test_what_has_no_capacity_has_no_life_and_says_why(self, application):
        bare = application.post("/wear", point(flash_device_id="samsung-pm9d3a"), 200)
        assert "no capacity" in bare["budget"]["reason"]
        assert all(row["years"] is None for row in bare["schemes"])
        assert all(row["tb_per_day"] > 0 for row in bare["schemes"])

    def test_a_load_that_shrinks_may_never_wear_it_out(self, application):
        answer = application.post(
            "/wear",
            point(accesses_per_s=1.0, pe_cycles=1e5, growth_per_year=-0.5),
            200,
        )
        assert all(row["never_worn_out"] for row in answer["schemes"])
        assert answer["sentence"] == "Under this load the flash never wears out."

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"accesses_per_s": -1.0}, "body.accesses_per_s"),
            ({"growth_per_year": -1.0}, "body.growth_per_year"),
            ({"devices": 0}, "body.devices"),
            ({"pe_cycles": 0.0}, "body.pe_cycles"),
            ({"flash_pages": 0}, "body.flash_pages"),
            ({"surprise": 1}, "body.surprise"),
        ],
    )
    def test_bad_values_are_named(self, application, changes, where):
        answer = application.client.post("/wear", json=point(**changes))
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == where


class TestDeviceHealth:
    NVME = {
        "model_name": "Disk of a test",
        "nvme_smart_health_information_log": {
            "data_units_written": 2_000_000,
            "power_on_hours": 2400,
            "percentage_used": 7,
        },
    }

    def test_what_is_left_of_a_rating(self, application):
        answer = application.post(
            "/device-health?derivation=true",
            {"document": self.NVME, "flash_device_id": RATED},
            200,
        )
        assert answer["written_tb"] == pytest.approx(1.024)
        assert answer["left_tb"] == pytest.approx(4840 - 1.024)
        years = (4840 - 1.024) / (1.024 / 2400 * 24) / 365
        assert answer["years_left"] == pytest.approx(years)
        assert answer["model"] == "Disk of a test"
        assert answer["derivation"][0]["value"] == pytest.approx(answer["left_tb"])

    def test_past_its_rating(self, application):
        answer = application.post(
            "/device-health", {"document": self.NVME, "rated_tb": 1.0}, 200
        )
        assert "more than it is rated for" in answer["sentence"]
        assert "beyond_rating" in {w["name"] for w in answer["warnings"]}

    @pytest.mark.parametrize(
        "document", [{}, {"data_units_written": "many"}, {"smartctl": {}}]
    )
    def test_other_documents_are_refused_with_what_to_run(self, application, document):
        answer = application.client.post("/device-health", json={"document": document})
        assert answer.status_code == 422
        assert "smartctl --json" in answer.json()["hint"]


class TestRecovery:
    def test_equals_the_models(self, application, curve):
        answer = application.post(
            "/recovery",
            point(
                accesses_per_s=5000.0,
                redo_pages=10000.0,
                redo_writes=500.0,
                checkpoint_interval_s=200.0,
            ),
            200,
        )
        flash, disk = catalog.device(FLASH), catalog.device(DISK)
        restore = flash_cache.recovery(
            8000 * PAGE, page_bytes=PAGE, seq_read_bytes_per_s=534e6
        )
        expected = recovery.restart(
            metadata_s=min(restore.restore_seconds, restore.full_scan_seconds),
            redo_pages=10000,
            redo_writes=500,
            flash_read_s=(service_us(flash, "read", 8192) or 0) / 1e6,
            flash_write_s=(service_us(flash, "write", 8192) or 0) / 1e6,
            disk_read_s=(service_us(disk, "read", 8192) or 0) / 1e6,
            disk_write_s=(service_us(disk, "write", 8192) or 0) / 1e6,
        )
        restart = answer["restart"]
        assert restart["with_flash"]["total_s"] == pytest.approx(
            float(expected.with_flash.total_s)
        )
        assert restart["without_flash"]["total_s"] == pytest.approx(
            float(expected.without_flash.total_s)
        )
        assert restart["speedup"] == pytest.approx(float(expected.speedup))
        misses = 5000 * float(curve.misses(500)) / curve.accesses
        fill = answer["fill"]
        assert fill["rates_bytes_per_s"]["the misses of RAM"] == pytest.approx(
            misses * PAGE
        )
        least = min(fill["rates_bytes_per_s"].values())
        assert fill["seconds"] == pytest.approx(8000 * PAGE / least)
        assert fill["units"] == 8000

    def test_without_redo_pages_each_write_touches_another_page(
        self, application, curve
    ):
        answer = application.post(
            "/recovery", point(accesses_per_s=1000.0, checkpoint_interval_s=60.0), 200
        )
        writes = 1000 * curve.write_accesses / curve.accesses * 30
        expected = min(writes, curve.distinct_pages)
        assert answer["restart"]["redo_pages"] == pytest.approx(expected)
        rising = answer["restart"]["curve"]["without_flash_s"]
        assert rising == sorted(rising)

    def test_flash_larger_than_the_workload_never_fills(self, application):
        answer = application.post("/recovery", point(flash_pages=10**6), 200)
        assert "never_full" in {w["name"] for w in answer["warnings"]}

    def test_a_device_without_bandwidth_has_no_restart_and_says_why(self, application):
        answer = application.post(
            "/recovery", point(flash_device_id="kv2009-intel-x25e"), 200
        )
        assert answer["restart"] is None
        assert "sequential read bandwidth" in answer["restart_reason"]
        assert answer["fill"]["seconds"] > 0

    def test_a_load_of_nothing_is_refused(self, application):
        answer = application.client.post("/recovery", json=point(accesses_per_s=0.0))
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == "body.accesses_per_s"
