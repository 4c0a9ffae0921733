"""Checks of workloads scaled to production: their recording is replayed at the sizes that correspond."""

from pathlib import Path

import pytest

from tierwright import _simulator
from tierwright.advise import miniature, pool_advisor
from tierwright.evaluate.ram_tax import tax
from tierwright.profile.measure import profile
from tierwright.simulate import replay
from tierwright.trace.reading import Trace

FLASH = "samsung-pm9a3-7.68tb-u2"
DISK = "face2016-cheetah-15k6-raid0-16"
TRACE = "fixtures/traces/tpcb-cut.csv.zst"
K = 4
SMALL = {"ram_pages": 1000, "flash_pages": 6000}
DEVICES = {"flash_device_id": FLASH, "disk_device_id": DISK, "start": "steady"}


def scaled(application, name, workload="example", **changes):
    summary = application.get(f"/workloads/{workload}")["summary"]
    body = {
        "name": name,
        "data_bytes": K * summary["footprint_bytes"],
        "accesses_per_s": 80_000.0,
        "law": "stretch",
        **changes,
    }
    return application.post(f"/workloads/{workload}/scaled", body, 201)


@pytest.fixture(scope="module")
def made(application):
    return scaled(application, "Four times the example")


@pytest.fixture(scope="module")
def point(made):
    sizes = {name: K * pages for name, pages in SMALL.items()}
    return {**DEVICES, **sizes, "workload_id": made["id"]}


@pytest.fixture(scope="module")
def recorded():
    return {**DEVICES, **SMALL, "workload_id": "example"}


@pytest.fixture
def tiny(point):
    """RAM of which the recording would have 999 pages."""
    return {**point, "ram_pages": K * 999}


LACKS = "adds pages that are not in the recording"


@pytest.fixture(scope="module")
def cold(application):
    """Sizes at which the law that adds pages leaves the model undecided."""
    large = scaled(application, "More of the cold", law="cold_growth")
    sizes = {name: K * pages for name, pages in SMALL.items()}
    return {**DEVICES, **sizes, "workload_id": large["id"]}


def names(found):
    return {warning["name"]: warning for warning in found["warnings"]}


def replayed(name, sizes, **options):
    summary = _simulator.replay(TRACE, "scheme", "none", 10, 0)
    return _simulator.replay(
        TRACE,
        "scheme",
        name,
        sizes["ram_pages"],
        0 if name == "none" else sizes["flash_pages"],
        warm_up=summary["accesses"] // 2,
        **options,
    )


class TestSummary:
    def test_says_whose_trace_is_replayed(self, application, made):
        example = application.get("/workloads/example")
        assert example["summary"]["replayable"]
        assert made["summary"]["replayable"]
        assert made["summary"]["kind"] == "profile"
        assert made["summary"]["scaled_from"]["content_id"] == example["content_id"]

    def test_a_profile_without_its_trace_is_not_replayable(self, application):
        document = profile(Trace(Path(TRACE))).to_dict()
        given = application.post(
            "/workloads/from-profile", {"name": "Bare", "profile": document}, 201
        )
        assert not given["summary"]["replayable"]
        # Other production than that of the example: the same would be the same content.
        rate = {"accesses_per_s": 12_345.0}
        large = scaled(application, "Bare, scaled", given["id"], **rate)
        assert not large["summary"]["replayable"]
        body = {
            **DEVICES,
            "ram_pages": 4000,
            "flash_pages": 24_000,
            "workload_id": large["id"],
        }
        answer = application.post("/evaluations", body, 200)
        assert answer["check"] is None
        assert not {"replay_too_small", "replayed_scaled_down"} & set(names(answer))
        refused = application.post("/wear/check", {**body, "accesses_per_s": 1.0}, 409)
        assert "scaled from `Bare`" in refused["detail"]


class TestCloseCall:
    def test_is_offered_a_check_and_decided_at_a_kth_of_the_sizes(
        self, application, point, recorded
    ):
        by_model = application.post("/evaluations", point, 200)
        assert by_model["decided_by"] == "model"
        assert by_model["check"] is not None
        assert by_model["replayed_at"] is None
        found = application.post("/evaluations", {**point, "decide": "replay"}, 200)
        assert found["decided_by"] == "replay"
        assert found["replayed_at"]["ram_pages"] == [1000]
        assert found["replayed_at"]["flash_pages"] == [6000]
        assert found["replayed_at"]["divided_by"] == K
        assert f"decided by a replay at sizes divided by {K}" in found["sentence"]
        assert "not the scale law" in names(found)["replayed_scaled_down"]["message"]
        own = application.post("/evaluations", {**recorded, "decide": "replay"}, 200)
        for mine, theirs in zip(found["schemes"], own["schemes"], strict=True):
            assert mine["replayed"] == theirs["replayed"]
        assert "replayed_scaled_down" not in names(own)
        assert "decided by replay" in own["sentence"]

    def test_of_a_recording_that_is_too_small_stays_with_the_model(
        self, application, tiny
    ):
        by_model = application.post("/evaluations", tiny, 200)
        asked = application.post("/evaluations", {**tiny, "decide": "replay"}, 200)
        for found in (by_model, asked):
            assert found["decided_by"] == "model"
            assert found["check"] is None
            assert found["replayed_at"] is None
            assert all(each["replayed"] is None for each in found["schemes"])
            said = names(found)["replay_too_small"]
            assert "RAM would have 999 pages, fewer than the 1,000" in said["message"]
            assert "record a larger system" in said["hint"]

    def test_of_a_law_that_adds_pages_stays_with_the_model(self, application, cold):
        by_model = application.post("/evaluations", cold, 200)
        asked = application.post("/evaluations", {**cold, "decide": "replay"}, 200)
        for found in (by_model, asked):
            assert found["decided_by"] == "model"
            assert found["check"] is None
            assert all(each["replayed"] is None for each in found["schemes"])
            assert LACKS in names(found)["replay_lacks_pages"]["message"]

    def test_its_derivation_is_that_of_the_replay(self, application, point):
        found = application.post(
            "/evaluations/derivation", {**point, "decide": "replay"}, 200
        )
        assert any("replayed" in step["name"] for step in found["derivation"])

    def test_a_long_replay_is_a_job(self, application, point, monkeypatch):
        monkeypatch.setattr(application.settings, "replay_inline_s", 0.0)
        asked = {**point, "ram_pages": K * 1010, "decide": "replay"}
        begun = application.client.post("/evaluations", json=asked)
        assert begun.status_code == 202, begun.text
        assert application.wait_run(begun.json()["run"]["id"])["status"] == "succeeded"
        answer = application.post("/evaluations", asked, 200)
        assert answer["decided_by"] == "replay"
        assert answer["replayed_at"]["ram_pages"] == [1010]


class TestThisPoint:
    def test_is_checked_at_recorded_sizes_per_access(self, application, made, point):
        begun = application.post("/simulations", point, 202)
        if begun["run"]["status"] != "succeeded":
            assert application.wait_run(begun["run"]["id"])["status"] == "succeeded"
        found = application.get(
            f"/simulations/{begun['id']}", params={"workload_id": made["id"]}
        )
        assert found["content_id"] == made["content_id"]
        assert found["workload_id"] == made["id"]
        assert "RAM of 1,000 pages" in names(found)["replayed_scaled_down"]["message"]
        for name, counters in found["result"]["schemes"].items():
            own = replayed(name, SMALL)
            assert counters == {key: own[key] for key in counters}
        model = application.post("/evaluations", point, 200)
        for each in model["schemes"]:
            [row] = [
                row
                for row in found["result"]["rows"]
                if (row["scheme"], row["counter"]) == (each["scheme"], "ram_hits")
            ]
            accesses = found["result"]["schemes"][each["scheme"]]["accesses"]
            assert row["model"] / accesses == pytest.approx(each["ram_hit_ratio"])
            assert not row["exact"]

    def test_too_small_is_refused_with_the_size_and_what_would_help(
        self, application, tiny
    ):
        refused = application.post("/simulations", tiny, 422)
        assert "999 pages" in refused["detail"]
        assert "larger system" in refused["hint"]

    def test_of_a_law_that_adds_pages_is_refused(self, application, cold):
        refused = application.post("/simulations", cold, 422)
        assert LACKS in refused["detail"]
        assert "as much data as production" in refused["hint"]

    def test_of_a_law_that_adds_pages_no_replay_has_figures_of_production(
        self, application, cold
    ):
        body = {
            "workload_id": cold["workload_id"],
            "contenders": [{"family": "scheme", "name": "lazy"}],
            "ram_pages": [cold["ram_pages"]],
            "flash_pages": [cold["flash_pages"]],
        }
        refused = application.post("/sweeps", body, 422)
        assert LACKS in str(refused)


CHECKS = {
    "/throughputs/check": {"clients": 20, "accesses_per_transaction": 10},
    "/wear/check": {"rated_tb": 100.0},
    "/flash-choices/check": {"candidate_ids": [FLASH]},
    "/directories/check": {"flash_page_bytes": [8192]},
    "/recovery/check": {},
    "/sce/check": {},
    "/break-evens/check": {"delta": 1, "disks": 8},
}


def body_of(path, asked):
    left_out = {
        "/flash-choices/check": ("flash_device_id",),
        "/break-evens/check": ("flash_pages",),
    }.get(path, ())
    return {
        **{key: value for key, value in asked.items() if key not in left_out},
        **CHECKS[path],
    }


class TestChecks:
    @pytest.mark.parametrize("path", CHECKS)
    def test_replay_the_recording_and_say_so(self, application, point, path):
        # Directories in RAM leave less of it to pages.
        asked = {**point, "ram_pages": K * 1200}
        found = application.post(path, body_of(path, asked), 200)
        assert found["rows"], found["sentence"]
        assert any(row["simulated"] is not None for row in found["rows"])
        assert f"at sizes divided by {K}" in found["sentence"]
        assert "not the scale law" in found["sentence"]

    def test_of_flash_caches_say_which_units_they_have(self, application, point):
        body = {**point, "flash_caches": ["bcache"]}
        found = application.post("/evaluations/check", body, 200)
        assert "bucket_pages 16 (1/375 of flash as in production" in found["sentence"]
        given = {**body, "flash_cache_options": ["bucket_pages=16"]}
        same = application.post("/evaluations/check", given, 200)
        assert same["rows"] == found["rows"]
        assert "as in production" not in same["sentence"]

    def test_with_other_writes_have_one_figure_and_no_flash_cache(
        self, application, point
    ):
        other = scaled(application, "Writes more", write_share=0.9)
        asked = {**point, "workload_id": other["id"]}
        decided = application.post("/evaluations", {**asked, "decide": "replay"}, 200)
        assert decided["decided_by"] == "replay"
        body = {**asked, "flash_caches": ["larc"]}
        found = application.post("/evaluations/check", body, 200)
        times = {
            row["of"]: row["simulated"]
            for row in found["rows"]
            if row["figure"] == "I/O time"
        }
        assert times == pytest.approx(
            {
                each["scheme"]: each["replayed"]["io_time_us_per_access"]
                for each in decided["schemes"]
            }
        )
        assert "LARC was not replayed" in found["sentence"]

    @pytest.mark.parametrize("path", CHECKS)
    def test_without_scaling_say_nothing_of_it(self, application, recorded, path):
        extra = {"accesses_per_s": 80_000.0} if path == "/sce/check" else {}
        found = application.post(path, body_of(path, recorded) | extra, 200)
        assert "scale law" not in found["sentence"]
        assert "recording" not in found["basis"].partition("lost at eight")[0]

    @pytest.mark.parametrize("path", CHECKS)
    def test_of_a_small_tier_have_no_figure(self, application, point, path):
        asked = {**point, "ram_pages": K * 300, "flash_pages": K * 300}
        found = application.post(path, body_of(path, asked), 200)
        assert found["rows"] == []
        assert found["finding"] is None
        assert "Not checked by a replay" in found["sentence"]
        assert "fewer than the 1,000" in found["sentence"]
        assert "record a larger system" in found["basis"]

    @pytest.mark.parametrize("path", CHECKS)
    def test_of_a_law_that_adds_pages_have_no_figure(self, application, cold, path):
        found = application.post(path, body_of(path, cold), 200)
        assert found["rows"] == []
        assert found["finding"] is None
        assert LACKS in found["sentence"]
        assert "as much data as production" in found["basis"]

    def test_wear_has_the_counted_writes_at_the_rate_of_production(
        self, application, point
    ):
        found = application.post("/wear/check", body_of("/wear/check", point), 200)
        own = replayed("lazy", SMALL)
        per_day = (
            own["flash_writes"] / own["accesses"] * 80_000 * own["page_bytes"] * 86_400
        )
        [row] = [
            row
            for row in found["rows"]
            if (row["of"], row["figure"]) == ("lazy", "flash writes")
        ]
        assert row["simulated"] == pytest.approx(per_day / 1e12)

    def test_filling_takes_as_many_times_as_the_flash_is_larger(
        self, application, point, recorded
    ):
        large, small = (
            application.post("/recovery/check", {**body, "accesses_per_s": 1000.0}, 200)
            for body in (point, recorded)
        )
        fill = [
            next(row for row in found["rows"] if row["of"] == "fill")["simulated"]
            for found in (large, small)
        ]
        if fill[1] is None:
            assert fill[0] is None
        else:
            assert fill[0] == pytest.approx(K * fill[1], rel=0.01)

    def test_a_long_check_is_a_job_of_the_recording(
        self, application, point, monkeypatch
    ):
        monkeypatch.setattr(application.settings, "replay_inline_s", 0.0)
        body = body_of("/wear/check", {**point, "ram_pages": K * 1020})
        begun = application.client.post("/wear/check", json=body)
        assert begun.status_code == 202, begun.text
        assert begun.json()["workload_id"] == "example"
        assert application.wait_run(begun.json()["run"]["id"])["status"] == "succeeded"
        found = application.post("/wear/check", body, 200)
        assert "RAM of 1,020 pages" in found["sentence"]


def test_by_relation_sizes_are_mapped_one_by_one(application):
    made = scaled(
        application,
        "By relation",
        law="relations",
        data_bytes=20
        * application.get("/workloads/example")["summary"]["footprint_bytes"],
    )
    body = {
        **DEVICES,
        "workload_id": made["id"],
        "ram_pages": 30_000,
        "flash_pages": 120_000,
        "decide": "replay",
    }
    found = application.post("/evaluations", body, 200)
    assert found["replayed_at"]["divided_by"] is None
    assert found["replayed_at"]["law"] == "relations"
    assert "by the scale law" in found["sentence"]


def test_a_deleted_recording_is_named_and_found_again(application):
    data = Path("fixtures/traces/tpcc-cut.csv.zst").read_bytes()
    source = application.create_workload(data, "tpcc-cut.csv.zst")
    application.wait_run(source["run"]["id"])
    made = scaled(application, "Of a deleted one", source["id"])
    body = {
        **DEVICES,
        "workload_id": made["id"],
        "ram_pages": K * 1200,
        "flash_pages": K * 6000,
    }
    assert application.post("/wear/check", body, 200)["rows"]
    application.client.delete(f"/workloads/{source['id']}").raise_for_status()
    gone = application.post("/wear/check", body, 409)
    assert "was deleted with its trace" in gone["detail"]
    assert "Import that trace again" in gone["hint"]
    assert application.post("/evaluations", body, 200)["check"] is None
    again = application.create_workload(data, "tpcc-cut.csv.zst")
    application.wait_run(again["run"]["id"])
    assert application.post("/wear/check", body, 200)["rows"]


class TestSweeps:
    BODY = {
        "contenders": [
            {"family": "policy", "name": "lru"},
            {"family": "scheme", "name": "lazy"},
        ],
        "ram_pages": [K * 900, K * 1000],
        "flash_pages": [K * 6000],
    }

    def finished(self, application, body):
        sweep = application.post("/sweeps", body, 202)
        if sweep["status"] != "succeeded":
            run = application.wait_run(sweep["run"]["id"])
            assert run["status"] == "succeeded", run
        return application.get(
            f"/sweeps/{sweep['id']}", params={"workload_id": body["workload_id"]}
        )

    def test_are_of_production_and_replay_its_recording(self, application, made):
        body = {**self.BODY, "workload_id": made["id"]}
        found = self.finished(application, body)
        assert found["workload_id"] == made["id"]
        # Opened beside its recording it is still of production.
        opened = application.get(
            f"/sweeps/{found['id']}", params={"workload_id": "example"}
        )
        assert opened["inputs"]["workload_id"] == made["id"]
        small, lru, _, lazy = found["rows"]
        assert [row["ram_pages"] for row in found["rows"]] == [*(K * 900, K * 1000) * 2]
        assert "would have 900 pages" in small["error"]
        assert small["io_time_reason"] == "nothing was replayed"
        assert small["in_production"] is None
        plain = replayed("lazy", SMALL)
        at = lazy["in_production"]
        assert (at["replayed_ram_pages"], at["replayed_flash_pages"]) == (1000, 6000)
        assert (at["ram_pages"], at["flash_pages"]) == (K * 1000, K * 6000)
        for name in ("flash_hits", "hdd_reads", "flash_writes"):
            assert lazy["counters"][name] == plain[name]
            each = plain[name] / plain["accesses"]
            assert at["per_s"][name] == pytest.approx(each * 80_000)
        assert lru["in_production"]["flash_pages"] is None
        assert found["inputs"]["warm_up"] == 0.5
        said = names(found)["replayed_scaled_down"]["message"]
        assert "at sizes divided by 4: RAM of 1,000 pages" in said
        listed = application.get("/sweeps", params={"workload_id": made["id"]})
        assert found["id"] in {each["id"] for each in listed["items"]}

    def test_of_the_recording_have_other_ids_and_the_same_replays(
        self, application, made
    ):
        large = self.finished(application, {**self.BODY, "workload_id": made["id"]})
        own = {
            **self.BODY,
            "workload_id": "example",
            "ram_pages": [1000],
            "flash_pages": [6000],
            "warm_up": 0.5,
        }
        found = application.post("/sweeps", own, 202)
        assert found["status"] == "succeeded", "its replays were made already"
        assert found["id"] != large["id"]
        assert found["rows"][1]["counters"] == large["rows"][3]["counters"]
        assert found["rows"][1]["in_production"] is None
        assert "replayed_scaled_down" not in names(found)

    def test_have_the_rate_of_their_machine_alone(self, application, made):
        body = {
            "workload_id": made["id"],
            "contenders": [{"family": "flash_cache", "name": "larc"}],
            "ram_pages": [20_000],
            "flash_pages": [90_000],
            "accesses_per_s": 7,
        }
        found = application.post("/sweeps", body, 422)
        assert "is a second rate" in found["detail"]

    def test_charge_metadata_at_the_size_of_production(self, application, made):
        body = {
            **self.BODY,
            "contenders": [{"family": "scheme", "name": "lazy"}],
            "ram_pages": [K * 1100],
            "workload_id": made["id"],
            "flash_metadata": "face",
        }
        [row] = self.finished(application, body)["rows"]
        assert row["ram_pages"] == K * 1100
        left = row["ram_pages_left"]
        assert K * 1000 < left < K * 1100
        assert row["in_production"]["ram_pages"] == left
        assert row["in_production"]["replayed_ram_pages"] == round(left / K)

    def test_units_of_flash_caches_are_the_share_of_flash_that_they_are_there(
        self, application, made
    ):
        body = {
            "contenders": [{"family": "flash_cache", "name": "bcache"}],
            "ram_pages": [K * 1000],
            "flash_pages": [K * 6000],
            "workload_id": made["id"],
        }
        found = self.finished(application, body)
        [row] = found["rows"]
        # 512 KiB are 64 pages of 24,000, and 16 of 6,000.
        assert row["options"]["bucket_pages"] == "16"
        trace = Trace(TRACE)
        plain = replay.replay(
            trace,
            "flash_cache",
            "bcache",
            1000,
            6000,
            options={"bucket_pages": "16"},
            warm_up=0.5,
        )
        assert row["counters"]["flash_hits"] == plain["flash_hits"]
        said = names(found)["replayed_scaled_down"]["message"]
        assert (
            "bucket_pages 16 (1/375 of flash as in production; of the documented 512 KiB)"
            in said
        )
        # The RAM of its directory is that of production: 20 bytes for each 512 KiB.
        documented = tax(
            "bcache",
            ram_bytes=K * 1000 * 8192,
            flash_bytes=K * 6000 * 8192,
            page_bytes=8192,
            source_bytes=0,
        )
        assert row["ram_tax_bytes"] == documented.bytes
        body["contenders"][0]["options"] = {"bucket_pages": "64"}
        [given] = self.finished(application, body)["rows"]
        assert given["options"]["bucket_pages"] == "64"
        assert given["ram_tax_bytes"] == documented.bytes
        assert given["counters"]["flash_hits"] < row["counters"]["flash_hits"]

    @pytest.mark.parametrize(
        "options", [{"bucket_pages": "x"}, {"no_option": "1"}, {"mode": "x"}]
    )
    def test_options_that_are_none_are_refused(self, application, made, options):
        body = {
            "contenders": [
                {"family": "flash_cache", "name": "bcache", "options": options}
            ],
            "ram_pages": [K * 1000],
            "flash_pages": [K * 6000],
            "workload_id": made["id"],
        }
        found = application.post("/sweeps", body, 422)
        assert next(iter(options)) in str(found)

    def test_of_a_recording_too_small_for_all_of_them_are_refused(
        self, application, made
    ):
        body = {**self.BODY, "workload_id": made["id"], "ram_pages": [K * 900]}
        found = application.post("/sweeps", body, 422)
        assert "would have 900 pages" in found["detail"]
        assert "record a larger system" in str(found)


class TestPoolSplits:
    PAGES = 1100

    def counted(self, application, body):
        split = application.post("/pool-splits", body, 202)
        if split["status"] != "succeeded":
            run = application.wait_run(split["run"]["id"])
            assert run["status"] == "succeeded", run
        return application.get(f"/pool-splits/{split['id']}"), split

    def test_of_production_are_those_of_the_corresponding_buffer(
        self, application, made
    ):
        large = {"workload_id": made["id"], "pages": K * self.PAGES}
        found, asked = self.counted(application, large)
        own, _ = self.counted(
            application, {"workload_id": "example", "pages": self.PAGES}
        )
        assert found["id"] == own["id"], "one count serves both"
        assert found["pages"] == self.PAGES
        assert asked["production"]["pages"] == K * self.PAGES
        assert asked["production"]["replayed_pages"] == self.PAGES
        assert "at sizes divided by 4" in asked["production"]["sentence"]
        at = f"/pool-splits/{found['id']}/costs"
        priced = application.get(at, params={"asymmetry": 8})
        assert priced["production"] is None
        there = application.get(
            at,
            params={
                "asymmetry": 8,
                "workload_id": made["id"],
                "production_pages": K * self.PAGES,
            },
        )
        production = there["production"]
        assert production["recommended_clean_pages"] == K * priced["best_clean_pages"]
        base = {each["name"]: each for each in priced["baselines"]}
        assert production["writes_per_s"]["lru"] == pytest.approx(
            base["lru"]["writes"] / priced["accesses"] * 80_000
        )
        assert "On one machine of production" in production["sentence"]
        assert "replayed_scaled_down" in {each["code"] for each in there["cautions"]}

    def test_say_what_does_not_fit(self, application, made):
        own, _ = self.counted(
            application, {"workload_id": "example", "pages": self.PAGES}
        )
        small = {"workload_id": made["id"], "pages": K * 900}
        assert "would have 900 pages" in str(
            application.post("/pool-splits", small, 422)
        )
        at = f"/pool-splits/{own['id']}/costs?asymmetry=8&production_pages=8000"
        other = application.client.get(f"{at}&workload_id={made['id']}")
        assert other.status_code == 422
        assert "2,000 pages" in other.text
        alone = application.client.get(f"{at}&workload_id=example")
        assert alone.status_code == 422
        assert "was not scaled" in alone.text

    def test_opened_again_say_for_which_buffer_they_were_requested(
        self, application, made
    ):
        asked = application.post(
            "/pool-splits", {"workload_id": made["id"], "pages": K * 1210}, 202
        )
        assert "at 4,840 pages" in asked["run"]["title"]
        found = application.get(f"/pool-splits/{asked['id']}")
        assert (found["pages"], found["production"]["pages"]) == (1210, K * 1210)
        assert found["production"] == asked["production"]


class TestPoolAdvisors:
    PAGES = 1100

    def finished(self, application, body):
        made = application.post("/pool-advisors", body, 202)
        if made["status"] != "succeeded":
            run = application.wait_run(made["run"]["id"])
            assert run["status"] == "succeeded", run
        return made

    def test_of_production_are_the_models_own(self, application, made):
        large = {"workload_id": made["id"], "pages": K * self.PAGES}
        found = self.finished(application, large)
        assert found["pages"] == self.PAGES
        assert found["production"]["pages"] == K * self.PAGES
        assert "at sizes divided by 4" in found["production"]["sentence"]
        at = f"/pool-advisors/{found['id']}"
        assert application.get(at)["production"] == found["production"]
        epochs = application.get(
            f"{at}/epochs",
            params={"workload_id": made["id"], "production_pages": K * self.PAGES},
        )
        expected = pool_advisor.answer(Trace(TRACE), self.PAGES)
        there = epochs["production"]
        assert there["clean_pages"] == [K * each for each in expected.clean_pages]
        assert there["static_clean_pages"] == K * expected.static_clean_pages
        assert there["page_reads_per_s"] == pytest.approx(
            {name: total * 80_000 for name, total in expected.totals.items()}
        )
        assert "On one machine of production" in there["sentence"]
        assert "replayed_scaled_down" in {each["code"] for each in epochs["cautions"]}
        # The same replay serves the recording, which is not of production.
        own = {"workload_id": "example", "pages": self.PAGES}
        again = application.post("/pool-advisors", own, 202)
        assert (again["id"], again["status"]) == (found["id"], "succeeded")
        assert again["production"] is None
        plain = application.get(f"{at}/epochs", params={"workload_id": "example"})
        assert plain["production"] is None
        assert plain["totals"] == epochs["totals"]
        assert "replayed_scaled_down" not in {
            each["code"] for each in plain["cautions"]
        }
        other = application.client.get(
            f"{at}/epochs?production_pages=8000&workload_id={made['id']}"
        )
        assert other.status_code == 422
        assert "2,000 pages" in other.text

    def test_of_a_recording_too_small_are_refused(self, application, made):
        small = {"workload_id": made["id"], "pages": K * 900}
        found = application.post("/pool-advisors", small, 422)
        assert "would have 900 pages" in found["detail"]
        assert "record a larger system" in found["hint"]


class TestMiniatures:
    BODY = {"policy": "arc", "sizes": [K * 900, K * 4000], "sample_rate": 0.5}

    def finished(self, application, body):
        made = application.post("/miniatures", body, 202)
        if made["status"] != "succeeded":
            run = application.wait_run(made["run"]["id"])
            assert run["status"] == "succeeded", run
        return application.get(
            f"/miniatures/{made['id']}", params={"workload_id": body["workload_id"]}
        )

    def test_of_production_are_the_models_own(self, application, made):
        found = self.finished(application, {**self.BODY, "workload_id": made["id"]})
        assert found["workload_id"] == made["id"]
        assert found["status"] == "succeeded"
        small, row = found["rows"]
        assert [small["pages"], row["pages"]] == found["sizes"] == self.BODY["sizes"]
        assert "would have 900 pages" in small["error"]
        assert "record a larger system" in small["hint"]
        assert small["in_production"] is small["lru_hit_ratio"] is None
        [own] = miniature.answer(
            Trace(TRACE), "arc", [4000], sample_rate=0.5, warm_up=0.5
        ).rows
        for name in ("misses", "hit_ratio", "disk_writes", "lru_hit_ratio"):
            assert row[name] == pytest.approx(getattr(own, name))
        at = row["in_production"]
        assert (at["ram_pages"], at["replayed_ram_pages"]) == (K * 4000, 4000)
        each = 80_000 / found["accesses"]
        assert at["per_s"]["misses"] == pytest.approx(own.misses * each)
        assert row["per_s_interval95"]["misses"] == pytest.approx(
            [end * each for end in own.misses_interval95]
        )
        assert found["warm_up"] == pytest.approx(found["accesses"], abs=1)
        assert "warm-up" in found["estimator"]
        assert "RAM of 4,000 pages" in names(found)["replayed_scaled_down"]["message"]

    def test_flash_caches_of_production_have_both_tiers_of_a_machine(
        self, application, made
    ):
        body = {
            "family": "flash_cache",
            "policy": "larc",
            "ram_pages": K * 2000,
            "sizes": [K * 900, K * 8000],
            "sample_rate": 0.5,
            "workload_id": made["id"],
        }
        found = self.finished(application, body)
        row = found["rows"][-1]
        [own] = replay.miniatures(
            Trace(TRACE),
            [{"flash_cache": "larc", "ram_pages": 2000, "flash_pages": 8000}],
            0.5,
            warm_up=0.5,
        )["rows"]
        assert row["pages"] == K * 8000
        assert row["tiers"]["ram_pages"] == K * 2000
        assert row["tiers"]["flash_hits"] == pytest.approx(own["flash_hits"])
        at = row["in_production"]
        assert (at["ram_pages"], at["flash_pages"]) == (K * 2000, K * 8000)
        assert (at["replayed_ram_pages"], at["replayed_flash_pages"]) == (2000, 8000)
        each = 80_000 / found["accesses"]
        assert at["per_s"]["flash_hits"] == pytest.approx(own["flash_hits"] * each)
        assert row["per_s_interval95"]["hdd_reads"] == pytest.approx(
            [end * each for end in own["interval95"]["hdd_reads"]]
        )
        assert row["per_s_interval95"].keys() == at["per_s"].keys()
        assert row["lru_hit_ratio"] is None

    def test_of_production_have_the_units_of_the_replay(self, application, made):
        body = {
            "family": "flash_cache",
            "policy": "face",
            "options": {"replacement": "mvfifo", "scan_depth": "1"},
            "ram_pages": K * 2000,
            "sizes": [300_000 * K],
            "sample_rate": 0.5,
            "workload_id": made["id"],
        }
        refused = application.post("/miniatures", body, 422)
        assert "would not fill them" in refused["detail"]
        found = self.finished(application, {**body, "sizes": [K * 8000]})
        # Of both flashes a segment is a sixteenth.
        said = names(found)["replayed_scaled_down"]["message"]
        assert "Defaults in force" not in said
        [row] = found["rows"]
        assert row["tiers"]["ram_tax_bytes"] == 32 * K * 8000

    def test_of_the_recording_are_from_a_cold_start(self, application, made):
        large = self.finished(application, {**self.BODY, "workload_id": made["id"]})
        opened = application.get(
            f"/miniatures/{large['id']}", params={"workload_id": "example"}
        )
        assert opened["workload_id"] == opened["inputs"]["workload_id"] == made["id"]
        body = {**self.BODY, "workload_id": "example", "sizes": [4000]}
        own = self.finished(application, body)
        assert own["id"] != large["id"]
        assert own["warm_up"] == 0
        assert own["rows"][0]["in_production"] is None
        assert own["rows"][0]["misses"] > large["rows"][1]["misses"]
        assert "replayed_scaled_down" not in names(own)

    def test_of_a_recording_too_small_for_all_of_them_are_refused(
        self, application, made
    ):
        body = {**self.BODY, "workload_id": made["id"], "sizes": [K * 900]}
        found = application.post("/miniatures", body, 422)
        assert "would have 900 pages" in found["detail"]
        assert "record a larger system" in str(found)


def test_scaled_by_one_nothing_is_replayed_at_another_size(application):
    footprint = application.get("/workloads/example")["summary"]["footprint_bytes"]
    same = scaled(application, "As recorded", data_bytes=footprint)
    body = {"workload_id": same["id"], "pages": 1100}
    for path, answers in (("/pool-splits", "costs"), ("/pool-advisors", "epochs")):
        made = application.post(path, body, 202)
        if made["status"] != "succeeded":
            run = application.wait_run(made["run"]["id"])
            assert run["status"] == "succeeded", run
        asked = {"workload_id": same["id"], "production_pages": 1100}
        extra = {"asymmetry": 8} if answers == "costs" else {}
        at = f"{path}/{made['id']}/{answers}"
        there = application.get(at, params={**asked, **extra})
        plain = application.get(at, params={"workload_id": "example", **extra})
        assert made["pages"] == there["production"]["pages"] == 1100
        assert made["production"]["sentence"] == ""
        assert there["production"]["replayed_sentence"] == ""
        assert {**there, "production": None} == plain
    sizes = {"policy": "arc", "sizes": [800, 4000], "sample_rate": 0.5}
    made = application.post("/miniatures", {**sizes, "workload_id": same["id"]}, 202)
    if made["status"] != "succeeded":
        assert application.wait_run(made["run"]["id"])["status"] == "succeeded"
    found = application.get(
        f"/miniatures/{made['id']}", params={"workload_id": same["id"]}
    )
    assert [row["error"] for row in found["rows"]] == [None, None], "nothing is smaller"
    assert [row["in_production"]["replayed_ram_pages"] for row in found["rows"]] == [
        800,
        4000,
    ]
    assert "replayed_scaled_down" not in names(found)


def test_flash_caches_beside_directories_of_production(application):
    """Sizes are those of production; where the recording is too small for them, nothing is replayed."""
    workload = scaled(application, "Four times the example, its directories")
    body = {
        "workload_id": workload["id"],
        "ram_pages": 10_000,
        "flash_pages": 60_000,
        "flash_device_id": "samsung-pm9a3-7.68tb-u2",
        "disk_device_id": "face2016-cheetah-15k6-single",
        "flash_caches": ["face"],
    }
    found = application.post("/directories/check", body, 200)
    [face] = [each for each in found["places"] if each["of"] == "face"]
    assert face["flash_pages"] == 60_000
    assert face["ram_tax_bytes"] == 32 * 60_000
    small = {**body, "ram_pages": 100, "flash_pages": 1_000}
    refused = application.post("/directories/check", small, 200)
    assert refused["places"] == []
    assert refused["basis"].startswith("Nothing was replayed.")
