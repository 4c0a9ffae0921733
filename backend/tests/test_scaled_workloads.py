"""Workloads scaled to production: preview, creation, and what answers say of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tierwright.advise import scale
from tierwright.profile.document import profile_from_mapping
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

TIB = 2**40
TRACE = "fixtures/traces/tpcb-cut.csv.zst"
FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
PRODUCTION = {
    "data_bytes": 4 * TIB,
    "accesses_per_s": 80_000.0,
    "recorded_data_bytes": 512 * 2**20,
    "clients": 4,
    "accesses_per_unit": 20.0,
}


def scaled(application, name, **changes):
    body = {"name": name, **PRODUCTION, **changes}
    return application.post("/workloads/example/scaled", body, 201)


@pytest.fixture(scope="module")
def made(application):
    return scaled(application, "Example at 4 TiB")


class TestRelations:
    def test_of_a_trace_are_listed_with_catalogs_as_one(self, application):
        items = application.get("/workloads/example/relations")["items"]
        assert [one["number"] for one in items] == list(range(1, len(items) + 1))
        fixed = [one for one in items if not one["grows"]]
        assert [one["name"] for one in fixed] == ["catalogs"]
        assert fixed[0]["relations"] > 1
        summary = application.get("/workloads/example")["summary"]
        for key in ("accesses", "write_accesses", "distinct_pages"):
            assert sum(one[key] for one in items) == summary[key]


class TestPreview:
    def test_says_law_factor_error_and_keeps_nothing(self, application):
        before = application.get("/workloads")["total"]
        found = application.post("/workloads/example/scale-previews", PRODUCTION, 200)
        assert found["production"]["law"] == "relations"
        assert found["production"]["factor"] == 8192
        assert found["production"]["tau_accesses"] == 80
        assert found["production"]["known_error"]["extrapolated"] is True
        names = {warning["name"] for warning in found["warnings"]}
        assert "scale_extrapolated" in names
        assert "recorded_data_assumed" not in names
        ratios = [one["miss_ratio"] for one in found["sizes"]]
        assert ratios == sorted(ratios, reverse=True)
        for one in found["sizes"]:
            assert one["miss_ratio_low"] < one["miss_ratio"] < one["miss_ratio_high"]
            assert one["misses_per_s"] == pytest.approx(80_000 * one["miss_ratio"])
        assert application.get("/workloads")["total"] == before

    def test_new_pages_are_those_of_the_recording(self, application):
        recorded = profile(Trace(Path(TRACE)))
        known = replace(recorded, curve=recorded.curve.with_new_pages(5000))
        expected = scale.answer(
            known,
            Production(4 * TIB, 80_000.0),
            recorded_data_bytes=512 * 2**20,
            clients=4,
            accesses_per_unit=20.0,
        )
        asked = {**PRODUCTION, "law": "stretch"}
        preview = "/workloads/example/scale-previews"
        found = application.post(preview, {**asked, "new_pages": 5000}, 200)
        plain = application.post(preview, asked, 200)
        ratios = [one["miss_ratio"] for one in found["sizes"]]
        # The curve that is scaled has fewer sizes than the one that was profiled here.
        assert ratios == pytest.approx(
            [one.miss_ratio for one in expected.sizes], rel=1e-3
        )
        # They change what is answered.
        assert ratios[-1] > 1.02 * plain["sizes"][-1]["miss_ratio"]

    def test_more_new_pages_than_there_are_are_refused(self, application):
        body = {**PRODUCTION, "new_pages": 10**9}
        problem = application.post("/workloads/example/scale-previews", body, 422)
        assert [each["where"] for each in problem["errors"]] == ["body.new_pages"]
        assert "first" in problem["detail"]

    def test_a_relation_that_stays_lets_the_others_grow_more(self, application):
        usual = application.post("/workloads/example/scale-previews", PRODUCTION, 200)
        body = {**PRODUCTION, "fixed": ["2"], "relation_factors": {"1": 3.0}}
        found = application.post("/workloads/example/scale-previews", body, 200)
        assert found["factors"][:2] == [3, 1]
        assert found["factors"][2] > usual["factors"][2]

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"data_bytes": 1000}, "recording touches"),
            ({"recorded_data_bytes": 1000}, "recording touches"),
            ({"accesses_per_s": 0.0}, "greater than 0"),
            ({"units_per_s": 5.0}, "stated twice"),
            ({"accesses_per_s": None}, "missing"),
            ({"law": "magic"}, "relations"),
            ({"fixed": ["nobody"]}, "nobody"),
            ({"law": "stretch", "fixed": ["1"]}, "stretch"),
            ({"peak_accesses_per_s": 10.0}, "mean rate"),
            ({"replicas": 2}, "machines"),
        ],
    )
    def test_refuses_what_cannot_be(self, application, changes, told):
        body = {**PRODUCTION, **changes}
        problem = application.post("/workloads/example/scale-previews", body, 422)
        assert told in str(problem)


RATES = {**{key: PRODUCTION[key] for key in PRODUCTION if key != "accesses_per_s"}}


class TestExisting:
    def test_a_production_that_was_kept_is_named_and_no_other(self, application):
        asked = {**PRODUCTION, "accesses_per_s": 81_234.0}
        preview = "/workloads/example/scale-previews"
        assert application.post(preview, asked, 200)["existing"] is None
        first = scaled(application, "Kept first", accesses_per_s=81_234.0)
        scaled(application, "Kept again", accesses_per_s=81_234.0)
        found = application.post(preview, asked, 200)["existing"]
        assert found == {"id": first["id"], "name": "Kept first"}
        other = {**asked, "clients": 5}
        assert application.post(preview, other, 200)["existing"] is None


class TestRates:
    def test_a_list_has_its_mean_and_its_peak(self, application):
        body = {**RATES, "rates": [40_000.0, 120_000.0, 80_000.0]}
        found = application.post("/workloads/example/scale-previews", body, 200)
        stated = found["production"]["production"]
        assert stated["accesses_per_s"] == 80_000
        assert stated["peak_accesses_per_s"] == 120_000
        said = "The busiest of 3 hours is number 2, with 120,000 accesses per second, 1.50 times"
        assert stated["rates"]["sentence"].startswith(said)
        assert said in found["finding"]
        usual = application.post("/workloads/example/scale-previews", PRODUCTION, 200)
        assert usual["production"]["production"]["rates"] is None
        for one, other in zip(found["sizes"], usual["sizes"], strict=True):
            assert one["misses_per_s"] == pytest.approx(other["misses_per_s"])

    def test_a_table_is_kept_with_the_workload(self, application):
        table = "time,accesses_per_s\n2026-03-01T13:00,100\n2026-03-01T13:30,500\n"
        made = application.post(
            "/workloads/example/scaled",
            {**RATES, "name": "By table", "rates_table": table},
            201,
        )
        rates = made["summary"]["production"]["production"]["rates"]
        assert rates["step_s"] == 1800
        assert rates["means_per_s"] == [100, 500]
        assert "begins at 2026-03-01T13:30" in rates["sentence"]
        again = application.get(f"/workloads/{made['id']}")
        assert again["summary"]["production"] == made["summary"]["production"]

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"rates": []}, "at least 1"),
            ({"rates": [-1.0]}, "greater than or equal to 0"),
            ({"rates": [True]}, "number"),
            ({"rates": [1.0] * 8785}, "8784"),
            ({"rates": [0.0, 0.0]}, "0 in every step"),
            ({"rates": [1.0], "accesses_per_s": 5.0}, "stated twice"),
            ({"rates": [1.0], "rates_table": "x"}, "beside `rates`"),
            ({"rates_table": "time,accesses_per_s\n0,1\n1,2\n3,1\n"}, "row 3 begins"),
            ({"rates_table": "time,rate\n0,1\n"}, "lacks the column"),
        ],
    )
    def test_refuses_what_is_no_series(self, application, changes, told):
        body = {**RATES, **changes}
        problem = application.post("/workloads/example/scale-previews", body, 422)
        assert told in str(problem)


class TestPageSize:
    def test_of_the_recording_changes_nothing(self, application):
        body = {**PRODUCTION, "page_bytes": 8192}
        found = application.post("/workloads/example/scale-previews", body, 200)
        usual = application.post("/workloads/example/scale-previews", PRODUCTION, 200)
        assert found["sizes"] == usual["sizes"]
        assert found["production"]["production"]["page_bytes"] == 8192
        assert found["production"]["recorded_page_bytes"] is None

    @pytest.mark.parametrize(
        ("page_bytes", "told"),
        [
            (4096, "which part of a page was used"),
            (12_000, "not multiples"),
            (0, "greater than or equal to 1"),
        ],
    )
    def test_another_one_is_refused_by_name(self, application, page_bytes, told):
        body = {**PRODUCTION, "page_bytes": page_bytes}
        problem = application.post("/workloads/example/scale-previews", body, 422)
        assert told in str(problem)

    def test_a_profile_that_was_profiled_again_shows_both(self, application):
        document = {**profile(Trace(Path(TRACE))).to_dict(), "page_bytes": 16_384}
        made = scale.answer(
            profile_from_mapping(document),
            Production(TIB, 1000.0, page_bytes=16_384),
            recorded_page_bytes=8192,
        ).profile.to_dict()
        shown = application.post(
            "/workloads/from-profile", {"name": "Regrouped", "profile": made}, 201
        )["summary"]
        assert shown["page_bytes"] == 16_384
        assert shown["production"]["recorded_page_bytes"] == 8192


class TestScaledWorkload:
    def test_knows_its_production_and_its_recording(self, application, made):
        summary = made["summary"]
        assert made["status"] == "ready"
        assert summary["production"]["production"]["data_bytes"] == 4 * TIB
        assert summary["production"]["production"]["accesses_per_s"] == 80_000
        assert summary["scaled_from"]["workload_id"] == "example"
        assert summary["accesses"] / summary["duration_s"] == pytest.approx(80_000)
        recording = application.get("/workloads/example")["summary"]
        assert recording["production"] is None
        assert recording["scaled_from"] is None

    def test_answers_at_sizes_of_production(self, application, made):
        """As the recording at sizes divided by the factor, by the law that stretches all."""
        whole = scaled(application, "Stretched", law="stretch")
        asked = {"flash_device_id": FLASH, "disk_device_id": DISK, "start": "steady"}
        small = {**asked, "workload_id": "example", "ram_pages": 64, "flash_pages": 512}
        large = {
            **asked,
            "workload_id": whole["id"],
            "ram_pages": 64 * 8192,
            "flash_pages": 512 * 8192,
        }
        mine, theirs = (
            application.post("/evaluations", body, 200) for body in (large, small)
        )
        for one, other in zip(mine["schemes"], theirs["schemes"], strict=True):
            assert one["scheme"] == other["scheme"]
            assert one["io_time_us_per_access"] == pytest.approx(
                other["io_time_us_per_access"], rel=5e-3
            )
        names = {warning["name"] for warning in mine["warnings"]}
        assert "scale_extrapolated" in names
        assert not any("recording makes" in one["message"] for one in mine["warnings"])

    def test_has_a_curve_with_the_error_of_its_law(self, application, made):
        curve = application.get(f"/workloads/{made['id']}/curve")
        assert curve["distinct_pages"] == made["summary"]["distinct_pages"]
        steady = curve["steady"]
        lists = (steady["misses_low"], steady["misses"], steady["misses_high"])
        middle = len(curve["pages"]) // 2
        low, misses, high = (values[middle] for values in lists)
        assert low < misses < high

    def test_cannot_be_replayed_or_scaled_again(self, application, made):
        again = application.post(f"/workloads/{made['id']}/scaled", _named(), 422)
        assert "scaled already" in again["detail"]
        body = {"workload_id": made["id"], "policy": "lru", "pages": [10]}
        refused = application.client.post("/sweeps", json=body)
        assert refused.status_code in (409, 422)


def _named():
    return {"name": "Again", **PRODUCTION}
