"""Formats, policies, schemes, devices and price books."""

from decimal import Decimal

import pytest

from tierwright import _simulator
from tierwright.hardware import catalog
from tierwright.hardware.capabilities import missing_figures
from tierwright.hardware.service_time import service_us
from tierwright_server.hardware.catalog.own import OWN_PREFIX

FIGURES = {
    "read_iops": {"value": 100_000, "unit": "1/s", "source": "measured with fio"},
    "write_iops": {"value": 50_000.5, "unit": "1/s", "source": "measured with fio"},
    "unit_price": {
        "value": 0.125,
        "unit": "USD/GB",
        "source": "quote",
        "date": "2026-10",
    },
}


def device_body(**changes):
    return {"name": "My SSD", "kind": "nvme", "figures": FIGURES, **changes}


class TestCoreTables:
    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            ("formats", _simulator.formats()),
            ("policies", _simulator.contenders("policy")),
            ("schemes", _simulator.contenders("scheme")),
        ],
    )
    def test_equal_the_cores(self, application, table, expected):
        rows = application.get(f"/catalog/{table}")
        assert [row["name"] for row in rows] == [row["name"] for row in expected]
        for row, source in zip(rows, expected, strict=True):
            assert row == {key: source[key] for key in row}

    def test_vocabulary_names_every_kind_that_is_shipped(self, application):
        kinds = {
            kind["name"] for kind in application.get("/catalog/device-kinds")["kinds"]
        }
        assert {device.kind for device in catalog.devices().values()} <= kinds


class TestDevices:
    def test_every_shipped_device_is_listed_with_its_figures(self, application):
        items = application.get("/catalog/devices")["items"]
        shipped = {item["id"]: item for item in items if item["origin"] == "shipped"}
        assert list(shipped) == list(catalog.devices())
        for device_id, device in catalog.devices().items():
            assert not device_id.startswith(OWN_PREFIX)
            item = shipped[device_id]
            assert item["read_service_us"] == service_us(
                device, "read", item["service_page_bytes"]
            )
            assert item["missing"] == list(missing_figures(device))
            assert set(item["figures"]) == set(device.figures)

    @pytest.mark.parametrize(
        "query", ["role=disk&answers=io_times", "answers=life&sold_as=device", ""]
    )
    def test_the_list_can_be_cut_to_what_can_answer(self, application, query):
        items = application.get("/catalog/devices")["items"]
        asked = dict(part.split("=") for part in query.split("&") if part)
        expected = [
            item["id"]
            for item in items
            if asked.get("role", item["roles"][0]) in item["roles"]
            and ("answers" not in asked or asked["answers"] in item["answers"])
            and asked.get("sold_as", item["sold_as"]) == item["sold_as"]
        ]
        found = application.get(f"/catalog/devices?{query}")["items"]
        assert [item["id"] for item in found] == expected
        assert (len(expected) < len(items)) == bool(query)

    def test_own_device_create_read_update_delete(self, application):
        made = application.post("/catalog/devices", device_body(), 201)
        path = f"/catalog/devices/{made['id']}"
        assert made["origin"] == "own"
        assert made["id"].startswith(OWN_PREFIX)
        assert made["read_service_us"] == 10  # 1e6 / 100,000
        assert Decimal(made["usd_per_gb"]) == Decimal("0.125")
        assert made["figures"]["write_iops"]["value"] == 50_000.5
        assert application.get(path) == made
        changed = application.client.put(path, json=device_body(name="Renamed"))
        assert changed.json()["name"] == "Renamed"
        assert made["id"] in {
            d["id"] for d in application.get("/catalog/devices")["items"]
        }
        assert application.client.delete(path).status_code == 204
        assert application.client.get(path).status_code == 404
        assert application.client.delete(path).status_code == 404

    def test_the_product_of_a_device_is_kept_shown_and_checked(self, application):
        shown = [
            application.get(f"/catalog/devices/wd-sn850x-2tb-2026-{month}")["product"]
            for month in ("05", "06")
        ]
        assert shown == ["wd-sn850x-2tb"] * 2
        path = "/catalog/devices/wd-sn850x-2tb-2026-05/copy"
        assert application.post(path, {}, 201)["product"] == shown[0]
        made = application.post("/catalog/devices", device_body(), 201)
        assert made["product"] is None
        path = f"/catalog/devices/{made['id']}"
        changed = application.client.put(path, json=device_body(product="my-drive"))
        assert changed.json()["product"] == "my-drive"
        assert application.get(path)["product"] == "my-drive"
        wrong = application.client.put(path, json=device_body(product="My drive"))
        assert wrong.status_code == 422
        assert "product" in wrong.text

    def test_a_shipped_device_is_copied_before_it_is_changed(self, application):
        shipped = next(iter(catalog.devices()))
        path = f"/catalog/devices/{shipped}"
        for answer in (
            application.client.put(path, json=device_body()),
            application.client.delete(path),
        ):
            assert answer.status_code == 409
            assert "copy" in answer.json()["hint"].lower()
        copy = application.client.post(f"{path}/copy")
        assert copy.status_code == 201
        original = application.get(path)
        same = ("kind", "year", "figures", "notes", "read_service_us", "missing")
        for key in same:
            assert copy.json()[key] == original[key]
        assert copy.json()["origin"] == "own"
        named = application.post(f"{path}/copy", {"name": "Other"}, 201)
        assert named["name"] == "Other"

    def test_every_shipped_device_can_be_copied(self, application):
        for device_id in catalog.devices():
            copy = application.client.post(f"/catalog/devices/{device_id}/copy")
            assert copy.status_code == 201, (device_id, copy.text)
            deleted = application.client.delete(f"/catalog/devices/{copy.json()['id']}")
            assert deleted.status_code == 204

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"kind": "floppy"}, "kind"),
            ({"figures": {"speed": FIGURES["read_iops"]}}, "figures.speed"),
            (
                {"figures": {"read_iops": {**FIGURES["read_iops"], "value": 0}}},
                "figures.read_iops.value",
            ),
            (
                {"figures": {"read_iops": {**FIGURES["read_iops"], "value": -5}}},
                "figures.read_iops.value",
            ),
            (
                {"figures": {"read_iops": {**FIGURES["read_iops"], "unit": "kIOPS"}}},
                "figures.read_iops.unit",
            ),
            ({"name": ""}, "body.name"),
            ({"year": 1800}, "body.year"),
            (
                {"figures": {"read_iops": {"value": 1, "unit": "1/s"}}},
                "body.figures.read_iops.source",
            ),
        ],
    )
    def test_bad_devices_are_refused_with_the_place(self, application, changes, where):
        answer = application.client.post(
            "/catalog/devices", json=device_body(**changes)
        )
        assert answer.status_code == 422
        assert where in [fault["where"] for fault in answer.json()["errors"]]

    def test_a_device_of_a_scenario_stays(self, application):
        made = application.post("/catalog/devices", device_body(name="in use"), 201)
        scenario = application.post(
            "/scenarios", {"name": "uses it", "state": {"flash": made["id"]}}, 201
        )
        path = f"/catalog/devices/{made['id']}"
        answer = application.client.delete(path)
        assert answer.status_code == 409
        assert "`uses it`" in answer.json()["detail"]
        application.client.delete(f"/scenarios/{scenario['id']}")
        assert application.client.delete(path).status_code == 204


class TestPriceBooks:
    def body(self, **changes):
        price = {"kind": "nvme", "usd_per_gb": "0.123456789012", "source": "quote"}
        return {"name": "Mine", "date": "2026-Q3", "prices": [price], **changes}

    def test_every_shipped_book_is_listed(self, application):
        items = application.get("/catalog/price-books")["items"]
        shipped = [item["id"] for item in items if item["origin"] == "shipped"]
        assert shipped == list(catalog.price_books())
        assert shipped

    def test_money_keeps_every_digit(self, application):
        made = application.post("/catalog/price-books", self.body(), 201)
        [price] = application.get(f"/catalog/price-books/{made['id']}")["prices"]
        assert price["usd"] == "0.123456789012"
        assert price["usd_per_gb"] == "0.123456789012"
        assert price["unit"] == "USD/GB"

    def test_gib_is_converted(self, application):
        price = {"kind": "dram", "usd_per_gib_month": "1.073741824", "source": "q"}
        made = application.post("/catalog/price-books", self.body(prices=[price]), 201)
        [shown] = made["prices"]
        # 2^30 bytes = 1.073741824 GB
        assert Decimal(shown["usd_per_gb_month"]) == 1
        assert shown["usd_per_gb"] is None

    def test_update_and_delete(self, application):
        made = application.post("/catalog/price-books", self.body(), 201)
        path = f"/catalog/price-books/{made['id']}"
        changed = application.client.put(path, json=self.body(name="Other"))
        assert changed.json()["name"] == "Other"
        assert application.client.delete(path).status_code == 204
        assert application.client.get(path).status_code == 404

    def test_shipped_books_cannot_be_changed(self, application):
        path = f"/catalog/price-books/{next(iter(catalog.price_books()))}"
        assert application.client.put(path, json=self.body()).status_code == 409
        assert application.client.delete(path).status_code == 409

    @pytest.mark.parametrize(
        "price",
        [
            {"kind": "nvme", "usd_per_gb": "-1", "source": "q"},
            {"kind": "nvme", "usd_per_gb": "NaN", "source": "q"},
            {"kind": "nvme", "usd_per_gb": True, "source": "q"},
            {"kind": "nvme", "source": "q"},
            {"kind": "nvme", "usd_per_gb": 1, "usd_per_gib": 1, "source": "q"},
            {"usd_per_gb": 1, "source": "q"},
            {"kind": "nvme", "device_id": "x", "usd_per_gb": 1, "source": "q"},
            {"kind": "floppy", "usd_per_gb": 1, "source": "q"},
            {"kind": "nvme", "usd_per_gb": 1},
        ],
    )
    def test_bad_prices(self, application, price):
        answer = application.client.post(
            "/catalog/price-books", json=self.body(prices=[price])
        )
        assert answer.status_code == 422
        assert answer.json()["errors"]

    def test_prices_of_unknown_devices(self, application):
        price = {"device_id": "gone", "usd_per_gb": 1, "source": "q"}
        answer = application.client.post(
            "/catalog/price-books", json=self.body(prices=[price])
        )
        assert answer.status_code == 404
        assert "prices[0].device_id" in answer.json()["detail"]
