"""Choice of a flash device and of its directory: the API's numbers are the models' own."""

from decimal import Decimal

import pytest

from tierwright.advise import directories, flash_choice
from tierwright.hardware import catalog

DISK = "face2016-cheetah-15k6-single"
FLASH = "face2016-samsung-840pro-256"
OTHERS = ["intel-p4510-2tb", "face2016-intel-p3700-400"]
BOOK = "street-2026-q1"
PAGE = 8192


def sizes(**changes):
    return {
        "workload_id": "example",
        "ram_pages": 500,
        "flash_pages": 8000,
        "disk_device_id": DISK,
        **changes,
    }


class TestChoice:
    def test_equals_the_models(self, application, curve):
        ids = [FLASH, *OTHERS]
        answer = application.post("/flash-choices", sizes(candidate_ids=ids), 200)
        expected = flash_choice.answer(
            curve,
            ram_pages=500,
            flash_pages=8000,
            candidates=[catalog.device(name) for name in ids],
            disk=catalog.device(DISK),
        )
        assert [row["device_id"] for row in answer["rows"]] == [
            row.device_id for row in expected.rows
        ]
        for row, model in zip(answer["rows"], expected.rows, strict=True):
            assert row["io_time_us_per_access"] == pytest.approx(
                model.io_time_us_per_access
            )
            assert row["price_times_time"] == model.price_times_time
            money = row["flash_usd_per_month"]
            assert (money is None) == (model.flash_usd_per_month is None)
            if model.price_times_time is not None:
                assert float(Decimal(money)) * row["io_time_us_per_access"] == (
                    pytest.approx(row["price_times_time"])
                )
        assert answer["best_by_price_times_time"] == expected.best_by_price_times_time

    def test_without_names_every_flash_device_is_ranked_or_rejected(self, application):
        answer = application.post(
            "/flash-choices?derivation=true", sizes(price_book_id=BOOK), 200
        )
        known = {
            device["id"]
            for device in application.get("/catalog/devices")["items"]
            if "flash" in device["roles"] and device["sold_as"] == "device"
        }
        assert "aws-i4i.4xlarge-local" not in known
        ranked = [row["device_id"] for row in answer["rows"]]
        rejected = {row["device_id"]: row["reason"] for row in answer["rejected"]}
        assert {*ranked, *rejected} == known
        assert all(rejected.values())
        times = [row["io_time_us_per_access"] for row in answer["rows"]]
        assert times == sorted(times)
        assert {step["scheme"] for step in answer["derivation"]} == set(ranked)

    @pytest.mark.parametrize(
        ("changes", "status", "part"),
        [
            ({"candidate_ids": []}, 422, "candidate_ids"),
            ({"candidate_ids": [FLASH, FLASH]}, 422, "names a device twice"),
            ({"candidate_ids": ["nowhere"]}, 404, "candidate_ids[0]"),
            ({"flash_pages": 0}, 422, "flash_pages"),
        ],
    )
    def test_refuses(self, application, changes, status, part):
        answer = application.post("/flash-choices", sizes(**changes), status)
        assert part in str(answer)


class TestDirectories:
    def test_equals_the_models(self, application, curve):
        blocks = [PAGE, 4 * PAGE]
        answer = application.post(
            "/directories",
            sizes(
                flash_device_id=FLASH, flash_page_bytes=blocks, directory_hit_ratio=0.5
            ),
            200,
        )
        expected = directories.answer(
            curve,
            ram_bytes=500 * PAGE,
            flash_bytes=8000 * PAGE,
            flash=catalog.device(FLASH),
            disk=catalog.device(DISK),
            flash_page_bytes=blocks,
            use=directories.DirectoryUse(hit_ratio=0.5),
        )
        assert answer["none_us"] == pytest.approx(expected.none_us)
        assert answer["best_if_full"] == expected.best_if_full
        worst = [
            min(cost.worst_total_us for cost in option.schemes.values())
            for option in expected.options
        ]
        assert answer["safest"] == worst.index(min(worst))
        assert answer["sentence"] == expected.finding
        assert answer["remark"] == expected.remark
        assert len(answer["options"]) == len(expected.options) == 6
        for option, model in zip(answer["options"], expected.options, strict=True):
            assert option["ram_pages"] == model.ram_pages
            assert option["saving"] == pytest.approx(model.saving)
            assert option["safest"] == model.safest
            for row in option["schemes"]:
                cost = model.schemes[row["scheme"]]
                assert row["total_us"] == pytest.approx(cost.total_us)
                parts = row["io_us"] + row["directory_us"] + row["block_read_us"]
                assert parts == pytest.approx(row["total_us"])
        names = {each["name"] for each in answer["warnings"]}
        assert {"block_hits_are_a_range", "directory_hits_are_assumed"} <= names

    @pytest.mark.parametrize(
        ("changes", "part"),
        [
            ({"flash_page_bytes": [5000]}, "not a multiple of the RAM page"),
            ({"flash_page_bytes": [PAGE, PAGE]}, "names a size twice"),
            ({"directory_hit_ratio": 1.5}, "directory_hit_ratio"),
            ({"buffered_bytes": 2**40}, "buffered_bytes"),
        ],
    )
    def test_refuses(self, application, changes, part):
        body = sizes(flash_device_id=FLASH, **changes)
        assert part in str(application.post("/directories", body, 422))
