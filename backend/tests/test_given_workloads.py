"""Workloads without a trace: profiles and given curves, and what they refuse."""

import json

import pytest
from live_app import EXAMPLE_TRACE

from tierwright.profile import measure
from tierwright.profile.given.combine import combined
from tierwright.profile.given.examine import examine
from tierwright.profile.given.reading import CurveOptions
from tierwright.trace.reading import Trace

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
TABLE = "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n"
STATED = {"page_bytes": 8192, "accesses": 1_000_000}


def point(workload_id, ram_pages=2000, flash_pages=8000, **changes):
    return {
        "workload_id": workload_id,
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        **changes,
    }


def by_scheme(answer):
    return {scheme["scheme"]: scheme for scheme in answer["schemes"]}


@pytest.fixture(scope="module")
def document():
    return measure.profile(Trace(EXAMPLE_TRACE), sizes=(2000, 8000, 10000)).to_dict()


@pytest.fixture(scope="module")
def profiled(application, document):
    """A workload made of the profile of the example."""
    body = {"name": "As a profile", "profile": document, "filename": "p.json"}
    return application.post("/workloads/from-profile", body, 201)


@pytest.fixture(scope="module")
def curved(application):
    """A workload made of a table, with nothing said about writes or data."""
    body = {"name": "Pasted", "text": TABLE, **STATED}
    return application.post("/workloads/from-curve", body, 201)


def test_without_a_rate_there_is_no_ram_that_pays_but_a_reason(application, curved):
    body = point(curved["id"], 500)
    del body["flash_pages"]
    found = application.post("/break-evens", body, 200)
    assert (found["paying"], found["platform"]) == (None, None)
    for reason in (found["paying_reason"], found["platform_reason"]):
        assert reason.startswith("The workload has no times, so its accesses")
        assert reason.endswith(".")
    stated = {"median_s": 10.0, "sigma": 1.2, "pages": 1000}
    own = application.post("/break-evens", {**body, "access_intervals": stated}, 200)
    assert own["platform"]["basis"].startswith("log-normal access intervals")


class TestProfile:
    def test_stands_in_for_its_trace_at_listed_sizes(self, application, profiled):
        assert profiled["status"] == "ready"
        assert profiled["summary"]["kind"] == "profile"
        assert profiled["summary"]["requests"] is None
        # A product over all sizes is not that over the listed ones: see steady-state.md.
        for start, off in (("cold", 1e-6), ("steady", 2e-3)):
            mine, whole = (
                application.post("/evaluations", point(name) | {"start": start}, 200)
                for name in (profiled["id"], "example")
            )
            for name in ("none", "exclusive", "inclusive_global"):
                for key in ("flash_misses", "disk_writes", "io_time_us_per_access"):
                    assert by_scheme(mine)[name][key] == pytest.approx(
                        by_scheme(whole)[name][key], rel=off
                    )
            assert mine["best"] == whole["best"]
        assert mine["dirty_share"]["state"] == "measured"

    def test_comes_by_upload_as_well_and_is_stored_once(
        self, application, profiled, document
    ):
        text = json.dumps(document).encode()
        upload_id = application.upload(text, "mine.json")
        refused = application.client.post(f"/uploads/{upload_id}/preview", json={})
        assert refused.status_code == 422
        assert "this is a profile" in refused.json()["detail"]
        made = application.post(
            "/workloads", {"upload_id": upload_id, "name": "Uploaded"}, 202
        )
        assert made["status"] == "ready"
        assert made["content_id"] == profiled["content_id"]
        assert profiled["id"] in made["same_content_as"]
        assert application.client.get(f"/uploads/{upload_id}").status_code == 404
        # Its twin keeps the content.
        assert application.client.delete(f"/workloads/{made['id']}").status_code == 204
        application.get(f"/workloads/{profiled['id']}/curve")

    def test_curve_shows_listed_sizes_only(self, application, profiled, document):
        listed = dict(
            zip(document["curve"]["pages"], document["curve"]["misses"], strict=True)
        )
        shown = application.get(
            f"/workloads/{profiled['id']}/curve", params={"points": 50}
        )
        assert 45 <= len(shown["pages"]) <= 50
        assert shown["pages"][-1] == document["distinct_pages"]
        assert all(
            listed[size] == misses
            for size, misses in zip(shown["pages"], shown["misses"], strict=True)
        )

    @pytest.mark.parametrize(
        ("change", "where"),
        [
            ({"schema": "something"}, "body.profile.schema"),
            ({"schema_version": 7}, "schema_version"),
            ({"accesses": -1}, "accesses"),
            ({"accesses": 10**400}, "accesses"),
            ({"duration_s": 10**400}, "duration_s"),
            ({"curve": {"pages": [1], "misses": ["a"], "write_backs": [0]}}, "misses"),
            ({"schema_version": 2}, "given"),
        ],
    )
    def test_a_damaged_document_is_refused_with_its_key(
        self, application, document, change, where
    ):
        answer = application.client.post(
            "/workloads/from-profile",
            json={"name": "Damaged", "profile": {**document, **change}},
        )
        assert answer.status_code == 422
        problem = answer.json()
        assert any(where in fault["where"] for fault in problem["errors"])
        assert problem["hint"]

    def test_an_upload_that_is_too_large_for_a_profile_is_refused(
        self, application, document
    ):
        text = json.dumps(document) + " " * 300_000
        upload_id = application.upload(text.encode(), "large.json")
        answer = application.client.post(
            "/workloads", json={"upload_id": upload_id, "name": "Large"}
        )
        assert answer.status_code == 422
        assert "at most 300,000 bytes" in answer.json()["detail"]


class TestNeedsTrace:
    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/simulations", point("{}")),
            ("/windows", {"workload_id": "{}"}),
            ("/sampled-profiles", {"workload_id": "{}", "sample_rate": 0.1}),
            ("/pool-splits", {"workload_id": "{}", "pages": 100}),
            (
                "/sweeps",
                {
                    "workload_id": "{}",
                    "contenders": [{"family": "policy", "name": "lru"}],
                    "ram_pages": [100],
                },
            ),
        ],
    )
    @pytest.mark.parametrize("made_of", ["profiled", "curved"])
    def test_says_what_is_missing_and_how_to_get_it(
        self, application, request, path, body, made_of
    ):
        workload = request.getfixturevalue(made_of)
        answer = application.client.post(
            path, json={**body, "workload_id": workload["id"]}
        )
        assert answer.status_code == 409, answer.text
        problem = answer.json()
        assert problem["type"].endswith("needs-trace")
        assert workload["name"] in problem["detail"]
        assert "Upload the trace" in problem["hint"]


class TestCurve:
    def test_a_preview_shows_points_problems_and_questions(self, application):
        found = application.post(
            "/curve-previews", {"text": "64;41%\n128;39%\n256;62%\n"}, 200
        )
        assert found["kind"] == "table"
        assert not found["complete"]
        assert {asked["field"] for asked in found["questions"]} == {
            "size_unit",
            "page_bytes",
            "accesses",
        }
        stated = {"size_unit": "MiB", **STATED}
        falling = application.post(
            "/curve-previews", {"text": "64;41%\n128;39%\n256;62%\n", **stated}, 200
        )
        assert falling["repairable"]
        assert [fault["where"] for fault in falling["problems"]] == ["line 2"]
        mended = application.post(
            "/curve-previews",
            {"text": "64;41%\n128;39%\n256;62%\n", **stated, "repair": True},
            200,
        )
        assert mended["complete"]
        assert [p["repaired_hit_ratio"] for p in mended["points"]] == pytest.approx(
            [0.4, 0.4, 0.62]
        )

    def test_a_curve_with_problems_makes_no_workload(self, application):
        answer = application.client.post(
            "/workloads/from-curve",
            json={"name": "Bad", "text": "size_mib,hit\n1,0.5\n2,0.4\n", **STATED},
        )
        assert answer.status_code == 422
        assert "line 3" in answer.json()["errors"][0]["where"]

    def test_every_kind_has_an_example_that_is_read(self, application):
        kinds = application.get("/curve-kinds")["items"]
        assert [kind["name"] for kind in kinds] == [
            "table",
            "oracle_db_cache_advice",
            "zfs_arcstats",
            "counters",
            "postgres",
            "aurora",
            "memcached",
            "redis",
            "linux_ages",
            "rocksdb_simcache",
            "db2_simulated_pool",
            "damon_stat",
            "netapp_awa",
        ]
        for kind in kinds:
            body = {"text": kind["example"], "accesses": 10**9}
            found = application.post("/curve-previews", body, 200)
            if "page_bytes" in {asked["field"] for asked in found["questions"]}:
                body["page_bytes"] = 8192
                found = application.post("/curve-previews", body, 200)
            assert found["kind"] == kind["name"]
            assert found["complete"], found

    def test_unknown_writes_give_a_range_and_never_zero(self, application, curved):
        assert curved["summary"]["kind"] == "curve"
        assert curved["summary"]["write_accesses"] is None
        body = point(curved["id"], dirty_share_range=True)
        answer = application.post("/evaluations", body, 200)
        assert answer["write_accesses"] is None
        assert answer["dirty_share"]["state"] == "unknown"
        assert answer["warnings"][0]["name"] == "dirty_share_unknown"
        ends = {
            share: by_scheme(
                application.post(
                    "/evaluations", point(curved["id"], dirty_share=share), 200
                )
            )
            for share in (0, 0.4, 1)
        }
        for name, scheme in by_scheme(answer).items():
            low, high = (
                scheme["least"]["io_time_us_per_access"],
                scheme["io_time_us_per_access"],
            )
            assert low < high or name == "exclusive"
            assert low == pytest.approx(ends[0][name]["io_time_us_per_access"])
            assert high == pytest.approx(ends[1][name]["io_time_us_per_access"])
            assert low <= ends[0.4][name]["io_time_us_per_access"] <= high

    def test_wear_lies_between_none_dirty_and_all(self, application, curved):
        body = {
            "workload_id": curved["id"],
            "ram_pages": 2000,
            "flash_pages": 8000,
            "flash_device_id": "intel-p4500-4tb",
            "disk_device_id": point(curved["id"])["disk_device_id"],
            "accesses_per_s": 20_000.0,
        }
        refused = application.client.post("/wear", json=body)
        assert refused.status_code == 422
        assert "dirty_share_range" in refused.json()["hint"]
        answer = application.post("/wear", body | {"dirty_share_range": True}, 200)
        assert answer["dirty_share"]["state"] == "unknown"
        assert answer["warnings"][0]["name"] == "dirty_share_unknown"
        assert "is unknown" in answer["sentence"]
        none, all_, some = (
            {
                row["scheme"]: row
                for row in application.post("/wear", body | {"dirty_share": p}, 200)[
                    "schemes"
                ]
            }
            for p in (0.0, 1.0, 0.4)
        )
        for row in answer["schemes"]:
            name = row["scheme"]
            assert row["least"]["tb_per_day"] == pytest.approx(none[name]["tb_per_day"])
            assert row["tb_per_day"] == pytest.approx(all_[name]["tb_per_day"])
            assert row["years"] == pytest.approx(all_[name]["years"])
            assert row["least"]["years"] == pytest.approx(none[name]["years"])
            assert row["years"] <= some[name]["years"] <= row["least"]["years"]
            assert row["years_from"] <= some[name]["years_from"]
            assert row["years_to"] >= some[name]["years_to"]
        lazy = next(row for row in answer["schemes"] if row["scheme"] == "lazy")
        assert lazy["least"]["years"] > lazy["years"]
        # All dirty, lazy writes as much as exclusive: a tie, which is no change of the gentlest.
        assert all_["lazy"]["tb_per_day"] == pytest.approx(
            all_["exclusive"]["tb_per_day"]
        )
        for end, rows in (("best_at_least", none), ("best_at_most", all_)):
            assert answer["dirty_share"][end] == "lazy"
            least = min(row["tb_per_day"] for row in rows.values())
            assert rows["lazy"]["tb_per_day"] == pytest.approx(least)
        assert "depends" not in answer["sentence"]

    def test_throughput_is_told_at_both_ends(self, application, curved):
        body = {
            "workload_id": curved["id"],
            "ram_pages": 2000,
            "flash_pages": 8000,
            "flash_device_id": point(curved["id"])["flash_device_id"],
            "disk_device_id": point(curved["id"])["disk_device_id"],
            "clients": 8,
        }
        refused = application.client.post("/throughputs", json=body)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["where"] == "body.dirty_share"
        answer = application.post(
            "/throughputs", body | {"dirty_share_range": True}, 200
        )
        none, most = (
            application.post("/throughputs", body | {"dirty_share": p}, 200)
            for p in (0.0, 1.0)
        )
        assert answer["warnings"][0]["name"] == "dirty_share_unknown"
        at = answer["at"]
        for shown, least, few, many in zip(
            answer["schemes"],
            answer["least"],
            none["schemes"],
            most["schemes"],
            strict=True,
        ):
            assert shown["throughput_per_s"] == pytest.approx(many["throughput_per_s"])
            assert least["response_us"] == pytest.approx(few["response_us"])
            assert least["throughput_per_s"][at] >= shown["throughput_per_s"][at]
        assert answer["dirty_share"]["best_at_least"] == none["best"][at]
        assert answer["dirty_share"]["best_at_most"] == most["best"][at]
        for one, few, many in zip(
            answer["best"], none["best"], most["best"], strict=True
        ):
            assert one == (few if few == many else None)

    def test_dram_or_flash_is_told_at_both_ends(self, application, curved):
        body = {
            "workload_id": curved["id"],
            "ram_pages": 2000,
            "flash_device_id": point(curved["id"])["flash_device_id"],
            "disk_device_id": point(curved["id"])["disk_device_id"],
            "price_book_id": "street-2026-q1",
            "usd": "0.05",
        }
        plain = application.post("/break-evens", body, 200)
        assert plain["form"] == "plain"
        assert plain["write_accesses"] is None
        assert plain["least"] is None
        answer = application.post(
            "/break-evens", body | {"dirty_share_range": True}, 200
        )
        none, most = (
            application.post("/break-evens", body | {"dirty_share": p}, 200)
            for p in (0.0, 1.0)
        )
        assert answer["form"] == "full"
        assert answer["write_accesses"] is None
        assert answer["next_money"]["equal_money"] == most["next_money"]["equal_money"]
        least = answer["least"]
        assert least["next_money"]["equal_money"] == none["next_money"]["equal_money"]
        assert least["finding"] == none["finding"]
        share = answer["dirty_share"]
        assert share["state"] == "unknown"
        winners = [
            found["next_money"]["equal_money"][0]["winner"] for found in (none, most)
        ]
        assert [share["best_at_least"], share["best_at_most"]] == winners

    def test_a_map_is_made_at_both_ends(self, application, curved):
        body = {
            "workload_id": curved["id"],
            "flash_device_id": point(curved["id"])["flash_device_id"],
            "disk_device_id": point(curved["id"])["disk_device_id"],
            "x": {"axis": "ram_pages", "low": 100.0, "high": 5000.0, "points": 8},
            "y": {"axis": "flash_pages", "low": 200.0, "high": 60000.0, "points": 8},
        }
        refused = application.client.post("/scheme-maps", json=body)
        assert refused.status_code == 422
        assert "dirty_share_range" in refused.json()["hint"]
        answer = application.post(
            "/scheme-maps", body | {"dirty_share_range": True}, 200
        )
        least = answer["least"]
        count = differing = 0
        for row, other, flags in zip(
            answer["best"], least["best"], least["differs"], strict=True
        ):
            for one, two, flag in zip(row, other, flags, strict=True):
                assert flag == (one != two)
                differing += flag
                count += 1
        assert least["differs_share"] == pytest.approx(differing / count)
        for name, rows in least["io_time_us_per_access"].items():
            for low, high in zip(
                rows, answer["io_time_us_per_access"][name], strict=True
            ):
                assert all(a <= b + 1e-9 for a, b in zip(low, high, strict=True))
        assert "is unknown" in answer["sentence"]
        # an axis says it
        said = body | {"y": {"axis": "dirty_share", "low": 0.0, "high": 1.0}}
        said["flash_pages"] = 8000.0
        assert application.post("/scheme-maps", said, 200)["least"] is None

    def test_a_point_of_a_map_is_told_at_both_ends(self, application, curved):
        body = {
            "workload_id": curved["id"],
            "flash_device_id": point(curved["id"])["flash_device_id"],
            "disk_device_id": point(curved["id"])["disk_device_id"],
            "ram_pages": 2000.0,
            "flash_pages": 8000.0,
            "dirty_share_range": True,
        }
        answer = application.post("/scheme-maps/point", body, 200)
        ends = by_scheme(
            application.post(
                "/evaluations", point(curved["id"], dirty_share_range=True), 200
            )
        )
        for scheme in answer["schemes"]:
            name = scheme["scheme"]
            assert scheme["io_time_us_per_access"] == pytest.approx(
                ends[name]["io_time_us_per_access"]
            )
            assert answer["least"]["io_time_us_per_access"][name] == pytest.approx(
                ends[name]["least"]["io_time_us_per_access"]
            )

    def test_a_restart_never_takes_unknown_writes_for_none(self, application, curved):
        answer = application.post(
            "/recovery",
            {
                "workload_id": curved["id"],
                "ram_pages": 2000,
                "flash_pages": 8000,
                "flash_device_id": "intel-p4500-4tb",
                "disk_device_id": point(curved["id"])["disk_device_id"],
                "accesses_per_s": 20_000.0,
            },
            200,
        )
        assert answer["restart"]["redo_pages"] > 0
        assert "the share of writes is unknown" in answer["restart"]["redo_basis"]

    def test_who_asks_for_one_number_is_refused(self, application, curved):
        answer = application.client.post("/evaluations", json=point(curved["id"]))
        assert answer.status_code == 422
        problem = answer.json()
        assert problem["errors"][0]["where"] == "body.dirty_share"
        assert "dirty_share_range" in problem["hint"]

    def test_the_winner_is_named_only_if_it_wins_at_both_ends(
        self, application, curved
    ):
        seen = set()
        for ram_pages, flash_pages in ((2000, 8000), (200, 300), (8000, 60000)):
            answer = application.post(
                "/evaluations",
                point(curved["id"], ram_pages, flash_pages, dirty_share_range=True),
                200,
            )
            share = answer["dirty_share"]
            same = share["best_at_least"] == share["best_at_most"]
            assert answer["best"] == (share["best_at_most"] if same else None)
            assert answer["margin"] is None
            seen.add(same)
        assert True in seen

    def test_an_unknown_data_size_has_no_disk_cost(self, application, curved):
        books = application.get("/catalog/price-books")["items"]
        body = point(curved["id"], price_book_id=books[0]["id"], dirty_share_range=True)
        answer = application.post("/evaluations", body, 200)
        names = {warning["name"] for warning in answer["warnings"]}
        assert {"data_size_unknown", "given_curve"} <= names
        disk = next(
            part
            for part in answer["schemes"][0]["money"]["parts"]
            if part["part"] == "disk"
        )
        assert disk["usd_per_month"] is None
        assert "was not stated" in disk["reason"]

    def test_sizes_beyond_the_curve_are_warned_of(self, application, curved):
        body = point(curved["id"], 60_000, 20_000, dirty_share=0.2)
        answer = application.post("/evaluations", body, 200)
        names = {warning["name"] for warning in answer["warnings"]}
        assert "beyond_the_curve" in names

    def test_a_measured_workload_takes_no_stated_dirty_share(self, application):
        answer = application.client.post(
            "/evaluations", json=point("example", dirty_share=0.5)
        )
        assert answer.status_code == 422
        assert "measured" in answer.json()["detail"]

    def test_its_curve_is_served_without_write_backs(self, application, curved):
        curve = application.get(f"/workloads/{curved['id']}/curve")
        assert curve["kind"] == "curve"
        assert curve["pages"] == [128, 1024, 8192, 65536]
        assert curve["misses"] == pytest.approx([700_000, 500_000, 200_000, 50_000])
        assert curve["write_backs"] is None
        assert "not measured" in curve["estimator"]

    def test_a_profile_of_a_curve_comes_back_the_same(self, application):
        from tierwright.profile.given.examine import import_curve
        from tierwright.profile.given.reading import CurveOptions

        made = import_curve(TABLE, CurveOptions(**STATED, dirty_share=0.25))
        workload = application.post(
            "/workloads/from-profile",
            {"name": "Imported", "profile": made.profile.to_dict()},
            201,
        )
        assert workload["summary"]["kind"] == "curve"
        assert workload["summary"]["dirty_share"] == 0.25
        answer = application.post("/evaluations", point(workload["id"]), 200)
        assert answer["dirty_share"] == {
            "state": "stated",
            "value": 0.25,
            "write_share": None,
            "best_at_least": None,
            "best_at_most": None,
        }


class TestCounters:
    """A curve from counters keeps its class from the preview to every answer."""

    @staticmethod
    def example(application, name):
        kinds = application.get("/curve-kinds")["items"]
        return next(kind["example"] for kind in kinds if kind["name"] == name)

    def test_ages_travel_with_the_workload(self, application):
        text = self.example(application, "memcached")
        preview = application.post("/curve-previews", {"text": text}, 200)
        shown = preview["evidence"]
        assert (shown["evidence"], shown["title"]) == ("ages", "ages")
        assert shown["indicative"] is False
        assert shown["check"].startswith("at its largest size, 2.75 MiB, it agrees")
        made = application.post(
            "/workloads/from-curve", {"name": "Counters", "text": text}, 201
        )
        assert made["summary"]["evidence"] == shown
        curve = application.get(f"/workloads/{made['id']}/curve")
        assert curve["evidence"] == shown
        assert "from the counters of a running system: ages" in curve["estimator"]
        found = application.post(
            "/evaluations",
            point(made["id"], shown["valid_to"] // 2, 10, dirty_share=0.2),
            200,
        )
        assert "curve_from_ages" in {each["code"] for each in found["cautions"]}

    def test_measurements_of_one_system_become_one_workload(self, application):
        head = "size_bytes,requests,misses,seconds\n"

        def made(name, *rows, page_bytes=8192):
            text, requests, misses = head, 0, 0
            for pages, ratio in rows:
                text += f"{8192 * pages},{requests},{misses},{requests}\n"
                requests, misses = requests + 1000, misses + round(1000 * ratio)
                text += f"{8192 * pages},{requests},{misses},{requests - 500}\n"
            body = {"name": name, "text": text, "page_bytes": page_bytes}
            return application.post("/workloads/from-curve", body, 201)["id"]

        present = made("Present", (10_000, 0.2))
        beyond = made("Beyond", (20_000, 0.15), (40_000, 0.1))
        body = {"name": "Both", "workload_ids": [beyond, present]}
        both = application.post("/workloads/from-measurements", body, 201)
        shown = both["summary"]["evidence"]
        assert [part["evidence"] for part in shown["parts"]] == ["one_point", "points"]
        curve = application.get(f"/workloads/{both['id']}/curve")
        assert curve["pages"] == [10_000, 20_000, 40_000]
        # Between two counts the band is as high as both.
        [step] = [row for row in curve["band"] if row["pages"] == 10_001]
        assert (step["low"], step["high"]) == pytest.approx((0.15, 0.2))
        other = made("Other load", (20_000, 0.3))
        body["workload_ids"] = [present, beyond, other]
        refused = application.post("/workloads/from-measurements", body, 422)
        assert "body.workload_ids.2 counted a miss ratio of 0.3" in str(refused)
        body["workload_ids"] = [present, beyond, present]
        refused = str(application.post("/workloads/from-measurements", body, 422))
        assert "body.workload_ids.2" in refused
        assert "is that of body.workload_ids.0 already" in refused
        body["workload_ids"] = [present, "example"]
        refused = application.post("/workloads/from-measurements", body, 422)
        assert "body.workload_ids.1" in str(refused)
        body["workload_ids"] = [present]
        application.post("/workloads/from-measurements", body, 422)
        body["workload_ids"] = [present, "0" * 16]
        application.post("/workloads/from-measurements", body, 404)

    def test_levels_of_aurora_are_shown_with_their_times(self, application):
        text = self.example(application, "aurora")
        levels = application.post("/curve-previews", {"text": text}, 200)["evidence"][
            "tiers"
        ]
        assert [level["name"] for level in levels] == [
            "shared buffers",
            "the cache on flash",
            "Aurora storage",
        ]
        assert [level["read_us"] for level in levels] == [None, 200.0, 1200.0]
        assert levels[1]["size_bytes"] == 975 * 2**30
        assert "200 µs per read" in levels[1]["text"]

    def test_measured_tiers_stand_in_place_of_devices(self, application):
        text = self.example(application, "aurora")
        body = {"name": "Aurora with times", "text": text, "dirty_share": 0.0}
        made = application.post("/workloads/from-curve", body, 201)
        ram, flash_tier, disk_tier = made["summary"]["evidence"]["tiers"]
        assert ram["device_id"] is None
        evidence = made["summary"]["evidence"]
        asked = {
            "workload_id": made["id"],
            "ram_pages": evidence["valid_from"],
            "flash_pages": evidence["valid_to"] - evidence["valid_from"],
            "flash_device_id": flash_tier["device_id"],
            "disk_device_id": disk_tier["device_id"],
        }
        found = application.post("/evaluations", asked, 200)
        assert found["devices"]["flash"]["origin"] == "running"
        assert found["devices"]["flash"]["read_service_us"] == 200.0
        assert found["devices"]["disk"]["read_service_us"] == 1200.0
        assert found["devices"]["disk"]["capacity_bytes"] is None
        names = {each["name"] for each in found["warnings"]}
        assert "tier_times_measured" in names
        # Of a workload without timed tiers there is no such device.
        plain = {**asked, "workload_id": "example", "ram_pages": 10, "flash_pages": 10}
        refused = application.post("/evaluations", plain, 422)
        assert "body.flash_device_id" in str(refused)
        assert "no tier whose reads were timed" in str(refused)

    def test_no_scheme_is_compared_where_one_size_is_known(self, application):
        text = self.example(application, "postgres")
        made = application.post(
            "/workloads/from-curve", {"name": "One point", "text": text}, 201
        )
        evidence = made["summary"]["evidence"]
        assert evidence["gap"] == "not checked"
        assert "at most all of these" in evidence["bounds"]
        assert "psql" in evidence["next_step"]["command"]
        asked = {
            "workload_id": made["id"],
            "ram_pages": evidence["valid_to"],
            "flash_pages": 0,
            "flash_device_id": "face2016-samsung-840pro-256",
            "disk_device_id": "face2016-cheetah-15k6-single",
        }
        today = application.post("/evaluations", asked, 200)
        assert "other sizes are unknown" in today["sentence"]
        for change in ({"flash_pages": 1000}, {"ram_pages": 1000}):
            refused = application.post("/evaluations", {**asked, **change}, 422)
            assert "speaks of 8 GiB alone" in str(refused)

    def test_the_band_and_the_parts_of_a_combined_curve_are_shown(self, application):
        text = self.example(application, "redis")
        preview = application.post("/curve-previews", {"text": text}, 200)
        assert [row["pages"] for row in preview["band"]] == [
            point["pages"] for point in preview["points"]
        ]
        ages = examine(text).profile
        page_bytes = ages.curve.page_bytes
        head = "size_bytes,requests,misses,seconds\n"
        rows = "".join(
            f"{page_bytes * pages},{requests},{misses},{second}\n"
            for pages, requests, misses, second in (
                (30_000, 1_000_000, 1000, 1),
                (30_000, 2_000_000, 1900, 2),
                (60_000, 3_000_000, 3000, 3),
                (60_000, 4_000_000, 3400, 4),
            )
        )
        beyond = examine(head + rows, CurveOptions(page_bytes=page_bytes)).profile
        whole = combined([ages, beyond])
        made = application.post(
            "/workloads/from-profile",
            {"name": "Combined", "profile": json.loads(whole.to_text())},
            201,
        )
        evidence = made["summary"]["evidence"]
        assert evidence["title"] == "points and ages"
        assert [part["evidence"] for part in evidence["parts"]] == ["ages", "points"]
        assert evidence["parts"][0]["text"].startswith("ages (redis): ")
        curve = application.get(f"/workloads/{made['id']}/curve")
        assert curve["evidence"]["parts"] == evidence["parts"]
        # Equal snapshots leave the band no width.
        for end in ("misses_low", "misses_high"):
            assert curve[end] == pytest.approx(curve["misses"], rel=1e-4)

    def test_one_point_says_so_and_a_table_has_no_class(self, application, curved):
        text = self.example(application, "postgres")
        preview = application.post("/curve-previews", {"text": text}, 200)
        assert preview["evidence"]["evidence"] == "one_point"
        assert preview["evidence"]["range"] == "8 GiB"
        assert preview["complete"] is True
        assert curved["summary"]["evidence"] is None

    def test_a_counter_that_went_backwards_is_refused_with_its_line(self, application):
        text = (
            "size_bytes,requests,misses,seconds\n8192000,900,90,10\n8192000,100,10,20\n"
        )
        body = {"name": "Back", "text": text, "page_bytes": 8192}
        found = application.post("/workloads/from-curve", body, 422)
        assert "line 3" in {each["where"] for each in found["errors"]}
