"""Scheme maps: the API's grids and points are the models' own, and are refused with reasons."""

import json

import numpy as np
import pytest

from tierwright.evaluate.metadata import PRESETS
from tierwright.evaluate.page_flow import scheme_map
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.hardware import catalog
from tierwright_server.questions.scheme_map.schemas import SchemeMapIn

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
BOOK = "street-2026-q1"


def question(**changes):
    return {
        "workload_id": "example",
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        **changes,
    }


def asked(**changes):
    return question(
        **{
            "x": {"axis": "ram_pages", "low": 10, "high": 5000, "points": 12},
            "y": {"axis": "flash_pages", "low": 100, "high": 40000, "points": 9},
            **changes,
        }
    )


RATIO = {"axis": "flash_per_ram", "low": 0.5, "high": 64, "points": 8}
DIRTY = {"axis": "dirty_share", "low": 0, "high": 1, "points": 7}
ASYMMETRY = {"axis": "asymmetry", "low": 1, "high": 200, "points": 6}


class TestMap:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"x": RATIO, "y": DIRTY, "ram_pages": 300.0},
            {"x": RATIO, "y": ASYMMETRY, "ram_pages": 300.0, "dirty_share": 0.4},
            {"flash_metadata": "flashcache", "price_book_id": BOOK},
            {"schemes": ["exclusive", "lazy"], "flash_metadata": "l2arc"},
        ],
    )
    def test_equals_the_models(self, application, curve, changes):
        body = asked(**changes)
        answer = application.post("/scheme-maps", body, 200)

        def axis(name):
            given = body[name]
            return Axis.spaced(
                given["axis"], given["low"], given["high"], given["points"]
            )

        named = body.get("flash_metadata")
        book = body.get("price_book_id")
        expected = scheme_map.scheme_map(
            curve,
            x=axis("x"),
            y=axis("y"),
            flash=catalog.device(FLASH),
            disk=catalog.device(DISK),
            ram_pages=body.get("ram_pages"),
            dirty_share=body.get("dirty_share"),
            flash_metadata=PRESETS[named] if named else None,
            prices=catalog.price_book(book) if book else None,
            schemes=body.get("schemes", scheme_map.MAP_SCHEMES),
        )
        # Through JSON once: what the models say, and every digit of it.
        for key, value in json.loads(json.dumps(expected.to_dict())).items():
            if key == "warnings":
                assert [w["name"] for w in answer[key]] == [w["name"] for w in value]
            else:
                assert answer[key] == value, key
        assert sum(answer["shares"].values()) == pytest.approx(
            np.mean(expected.best >= 0)
        )
        assert answer["page_bytes"] == curve.page_bytes

    def test_a_sentence_says_who_leads_and_how_much_of_it_is_sure(self, application):
        clear = application.post(
            "/scheme-maps",
            asked(x=RATIO, y=DIRTY, ram_pages=300.0, schemes=["none", "exclusive"]),
            200,
        )
        best = max(clear["shares"], key=clear["shares"].get)
        assert clear["sentence"].startswith(f"{clear['titles'][best]} leads ")
        assert clear["too_close_share"] == 0
        unsure = application.post(
            "/scheme-maps", asked(flash_device_id="samsung-pm9a3-7.68tb-u2"), 200
        )
        assert unsure["too_close_share"] > 0.5
        # The answer comes first, and says whose it is.
        best = max(unsure["shares"], key=unsure["shares"].get)
        assert unsure["sentence"].startswith(f"By the model, {unsure['titles'][best]} ")
        assert unsure["sentence"].endswith(" by less than its error.")

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"x": {**RATIO, "low": 0}}, "body.x.low"),
            ({"x": {**RATIO, "low": 70}}, "body.x.low"),
            ({"x": {**RATIO, "points": 65}}, "body.x.points"),
            ({"x": {**RATIO, "axis": "mood"}}, "body.x.axis"),
            ({"flash_metadata": "floppy"}, "body.flash_metadata"),
            ({"schemes": ["lazy"]}, "body.schemes"),
            ({"dirty_share": 1.5}, "body.dirty_share"),
            ({"surprise": 1}, "body.surprise"),
            ({"ram_pages": 5.0}, "ram_pages"),
            ({"y": DIRTY}, "flash"),
            ({"x": RATIO, "y": RATIO, "ram_pages": 5.0}, "axes"),
        ],
    )
    def test_bad_questions_are_refused_by_name(self, application, changes, where):
        answer = application.client.post("/scheme-maps", json=asked(**changes))
        assert answer.status_code == 422
        assert where in {fault["where"] for fault in answer.json()["errors"]}
        assert answer.json()["hint"]

    @pytest.mark.parametrize(
        "key", ["workload_id", "flash_device_id", "disk_device_id", "price_book_id"]
    )
    def test_what_is_missing_is_named(self, application, key):
        answer = application.client.post("/scheme-maps", json=asked(**{key: "gone"}))
        assert answer.status_code == 404
        assert "`gone`" in answer.json()["detail"]


class TestPoint:
    def test_without_anything_set_it_is_the_evaluation(self, application):
        """Compare and the map agree where they ask the same."""
        point = application.post(
            "/scheme-maps/point",
            question(ram_pages=2000.0, flash_pages=8000.0, price_book_id=BOOK),
            200,
        )
        same = application.post(
            "/evaluations",
            question(ram_pages=2000, flash_pages=8000, price_book_id=BOOK),
            200,
        )
        assert point["best"] == same["best"]
        assert point["margin"] == pytest.approx(same["margin"]["relative"])
        by_name = {scheme["scheme"]: scheme for scheme in same["schemes"]}
        for scheme in point["schemes"]:
            other = by_name[scheme["scheme"]]
            assert scheme["io_time_us_per_access"] == pytest.approx(
                other["io_time_us_per_access"], rel=1e-12
            )
            assert float(scheme["usd_per_month"]) == pytest.approx(
                float(other["money"]["usd_per_month"])
            )
        assert point["measured_dirty_share"] == pytest.approx(by_name["lazy"]["p_d"])

    def test_the_derivation_ends_in_the_time(self, application):
        point = application.post(
            "/scheme-maps/point?derivation=true",
            question(
                ram_pages=2000.0,
                flash_pages=8000.0,
                dirty_share=0.5,
                asymmetry=20.0,
                flash_metadata="flashcache",
            ),
            200,
        )
        assert point["asymmetry"] == pytest.approx(20)
        ends = {
            step["scheme"]: step["value"]
            for step in point["derivation"]
            if step["name"] == "io_time_us_per_access"
        }
        for scheme in point["schemes"]:
            assert ends[scheme["scheme"]] == scheme["io_time_us_per_access"]
        charged, kept = point["derivation"][-2:]
        assert charged["name"] == "metadata_bytes"
        # 24 bytes for each of the 16,384 blocks of 4 KiB in 8,000 pages of 8 KiB
        assert charged["value"] == 24 * 16000
        left = 2000 - 24 * 16000 / 8192
        assert point["ram_pages_with_flash"] == pytest.approx(left)
        assert (kept["name"], kept["value"]) == ("ram_pages_left", pytest.approx(left))

    def test_sizes_must_be_said(self, application):
        answer = application.client.post(
            "/scheme-maps/point", json=question(ram_pages=10.0)
        )
        assert answer.status_code == 422
        assert "flash_pages" in answer.json()["detail"]


def test_options_are_the_tables(application):
    options = application.get("/scheme-maps/options")
    assert [axis["name"] for axis in options["axes"]] == list(scheme_map.AXES)
    assert list(options["schemes"]) == list(scheme_map.MAP_SCHEMES)


def test_a_request_takes_the_schemes_of_the_table():
    field = SchemeMapIn.model_json_schema()["properties"]["schemes"]
    assert field["items"]["enum"] == list(scheme_map.MAP_SCHEMES)
    assert field["default"] == list(scheme_map.MAP_SCHEMES)
    assert field["maxItems"] == len(scheme_map.MAP_SCHEMES)
