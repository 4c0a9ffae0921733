"""Sweeps: every row is the core's own replay, and nothing that is done is lost."""

import os
import signal
from pathlib import Path

import pytest
from live_app import EXAMPLE_TRACE, children_of, run_application

from tierwright import _simulator
from tierwright.evaluate.endurance.outlook import write_budget
from tierwright.hardware import catalog
from tierwright.simulate import replay
from tierwright.simulate.priced import price
from tierwright.trace import reading

FLASH = "samsung-pm9a3-7.68tb-u2"
DISK = "face2016-cheetah-15k6-single"
TIMES = {
    "flash_read_us": "10",
    "flash_write_us": "30",
    "disk_read_us": "900",
    "disk_write_us": "700",
}


def contender(family, name, **options):
    return {"family": family, "name": name, "options": options}


def request(contenders, ram_pages, flash_pages=None, workload_id="example"):
    body = {
        "workload_id": workload_id,
        "contenders": contenders,
        "ram_pages": ram_pages,
    }
    return body if flash_pages is None else {**body, "flash_pages": flash_pages}


def finish(application, body, **devices):
    """Ask for a sweep and wait for all of it."""
    sweep = application.post("/sweeps", body, 202)
    if sweep["status"] != "succeeded":
        run = application.wait_run(sweep["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"/sweeps/{sweep['id']}", params=devices)


def rows_of(sweep, index):
    return [row for row in sweep["rows"] if row["contender"] == index]


class TestRows:
    @pytest.mark.parametrize(
        "policy", [r["name"] for r in _simulator.contenders("policy")]
    )
    def test_a_policy_at_every_size(self, application, policy):
        sweep = finish(
            application, request([contender("policy", policy)], [700, 50, 700])
        )
        assert [row["ram_pages"] for row in sweep["rows"]] == [50, 700]
        for row in sweep["rows"]:
            own = _simulator.replay(EXAMPLE_TRACE, "policy", policy, row["ram_pages"])
            assert row["disk_reads"] == own["misses"]
            assert row["disk_writes"] == own["disk_writes"]
            assert row["miss_ratio"] == own["miss_ratio"]
            assert row["flash_pages"] is None
            assert row["flash_reads"] is None

    def test_all_families_side_by_side_with_options(self, application):
        asked = [
            contender("policy", "2q", k_in="0.5"),
            contender("buffer", "cflru", wrr="0.25"),
            contender("scheme", "lazy", ram_policy="arc", flash_policy="sieve"),
            contender("flash_cache", "face", replacement="mvfifo"),
            contender("flash_cache", "lazy-cleaning"),
        ]
        sweep = finish(
            application,
            request(asked, [200], [900, 4000]),
            flash_device_id=FLASH,
            disk_device_id=DISK,
        )
        assert [c["name"] for c in sweep["contenders"]] == [
            "2q",
            "cflru",
            "lazy",
            "face",
            "lazy_cleaning",
        ]
        assert [len(rows_of(sweep, index)) for index in range(5)] == [1, 1, 2, 2, 2]
        own = [
            _simulator.replay(
                EXAMPLE_TRACE, "policy", "2q", 200, options={"k_in": "0.5"}
            ),
            _simulator.replay(
                EXAMPLE_TRACE, "buffer", "cflru", 200, options={"wrr": "0.25"}
            ),
            *(
                _simulator.replay(
                    EXAMPLE_TRACE,
                    "scheme",
                    "lazy",
                    200,
                    flash,
                    options={"ram_policy": "arc", "flash_policy": "sieve"},
                )
                for flash in (900, 4000)
            ),
            *(
                _simulator.replay(
                    EXAMPLE_TRACE,
                    "flash_cache",
                    "face",
                    200,
                    flash,
                    options={"replacement": "mvfifo"},
                )
                for flash in (900, 4000)
            ),
            *(
                _simulator.replay(
                    EXAMPLE_TRACE, "flash_cache", "lazy_cleaning", 200, flash
                )
                for flash in (900, 4000)
            ),
        ]
        flash, disk = catalog.device(FLASH), catalog.device(DISK)
        for row, expected in zip(sweep["rows"], own, strict=True):
            alone = expected.get("background", {})
            flat = expected | {
                f"background_{name}": value for name, value in alone.items()
            }
            for name, value in row["counters"].items():
                assert value == flat[name], name
            assert row["options"] == expected.get("options", {})
            cost = price(expected, flash=flash, disk=disk)
            assert row["io_time_us_per_access"] == cost.io_time_us_per_access
            assert sum(row["io_time_terms_us_per_access"].values()) == pytest.approx(
                cost.io_time_us_per_access
            )
            misses = expected.get("hdd_reads", expected.get("disk_reads"))
            assert row["miss_ratio"] == misses / expected["accesses"]
            ratios = [row["ram_hit_ratio"], row["flash_hit_ratio"] or 0]
            assert sum(ratios) + row["miss_ratio"] == pytest.approx(1)

    def test_a_row_has_the_options_in_force_and_the_ratios_of_its_device(
        self, application
    ):
        device = {
            "ftl_spare_percent": "10",
            "ftl_block_pages": "16",
            "ftl_trim": "true",
        }
        asked = [
            contender("flash_cache", "bcache", mode="write_back", **device),
            contender("scheme", "lazy", **device),
        ]
        sweep = finish(application, request(asked, [200], [900]))
        own = [
            _simulator.replay(
                EXAMPLE_TRACE, kind, name, 200, 900, options=given | device
            )
            for kind, name, given in (
                ("flash_cache", "bcache", {"mode": "write_back"}),
                ("scheme", "lazy", {}),
            )
        ]
        for row, expected in zip(sweep["rows"], own, strict=True):
            counters, ftl = row["counters"], expected["ftl"]
            for name in ("waf", "waf_without_trim", "erases"):
                assert counters[f"ftl_{name}"] == ftl[name]
            for name in ("mean", "deviation", "most"):
                assert counters[f"ftl_wear_{name}"] == ftl["wear"][name]
            assert counters["ftl_waf"] > 1
            assert isinstance(counters["ftl_erases"], int)
            assert row["options"] == expected.get("options", {})
        # Its documented 512 KiB would be 64 pages; 1/16 of flash is less.
        assert sweep["rows"][0]["options"]["bucket_pages"] == "56"
        assert sweep["rows"][1]["options"] == {}

    def test_a_row_says_how_long_flash_lasts(self, application):
        asked = [
            contender(
                "flash_cache", "larc", ftl_spare_percent="10", ftl_block_pages="16"
            ),
            contender("scheme", "lazy"),
            contender("policy", "lru"),
        ]
        body = request(asked, [200], [3000])
        larc, lazy, lru = finish(application, body, flash_device_id=FLASH)["rows"]
        trace = reading.inspect(reading.Trace(Path(EXAMPLE_TRACE)))
        rate = trace["accesses"] / trace["duration_s"]
        budget = write_budget(catalog.device(FLASH)).in_place_tb
        for row in (larc, lazy):
            life = row["flash_life"]
            per_day = (
                row["flash_writes"] / row["accesses"] * rate * 8192 * 86_400 / 1e12
            )
            assert life["written_pages"] == row["flash_writes"]
            assert life["accesses_per_s"] == pytest.approx(rate)
            assert life["tb_per_day"] == pytest.approx(per_day)
            assert life["years"] == pytest.approx(budget / per_day / 365)
            assert life["reason"] is None
        assert larc["flash_life"]["waf"] == larc["counters"]["ftl_waf"]
        assert lazy["flash_life"]["waf"] is None
        assert "ftl_spare_percent" in lazy["flash_life"]["waf_note"]
        assert lru["flash_life"] is None
        without = finish(application, body)["rows"][0]["flash_life"]
        assert without["years"] is None
        assert "no flash device" in without["reason"]

    def test_a_stated_rate_is_that_of_life_and_of_the_clock(self, application):
        asked = [contender("flash_cache", "larc"), contender("flash_cache", "l2arc")]
        body = request(asked, [200], [3000])
        trace = reading.inspect(reading.Trace(Path(EXAMPLE_TRACE)))
        recorded = trace["accesses"] / trace["duration_s"]
        as_recorded = finish(application, body, flash_device_id=FLASH)
        assert "accesses_per_s" not in as_recorded["inputs"]
        at_half = finish(
            application,
            body | {"accesses_per_s": recorded / 2},
            flash_device_id=FLASH,
        )
        assert at_half["id"] != as_recorded["id"]
        assert at_half["inputs"]["accesses_per_s"] == recorded / 2
        before, after = (
            [row["flash_life"] for row in each["rows"]]
            for each in (as_recorded, at_half)
        )
        assert after[0]["years"] == pytest.approx(2 * before[0]["years"])
        larc, l2arc = at_half["rows"]
        assert "stretch" not in larc["options"]
        assert larc["counters"] == as_recorded["rows"][0]["counters"]
        assert float(l2arc["options"]["stretch"]) == pytest.approx(2)
        own = replay.replay(
            reading.Trace(Path(EXAMPLE_TRACE)),
            "flash_cache",
            "l2arc",
            200,
            3000,
            options={"stretch": "2.0"},
        )
        assert l2arc["flash_writes"] == own["flash_writes"]
        assert "recorded times multiplied by 2.00" in after[1]["basis"]
        for life in after:
            assert life["accesses_per_s"] == recorded / 2
            assert "without the write amplification" in life["basis"]

    @pytest.mark.parametrize("rate", [0, -1, 1e13, "fast"])
    def test_a_rate_that_is_none_is_refused(self, application, rate):
        body = request([contender("flash_cache", "larc")], [200], [3000])
        found = application.post("/sweeps", body | {"accesses_per_s": rate}, 422)
        assert found["detail"].startswith("body.accesses_per_s: ")

    def test_a_rate_is_stated_once(self, application):
        asked = contender("flash_cache", "l2arc", stretch="2")
        body = request([asked], [200], [3000]) | {"accesses_per_s": 1000}
        found = application.post("/sweeps", body, 422)
        assert "the option `stretch=2` states a rate" in found["detail"]

    def test_a_rate_that_no_replay_runs_at_is_refused(self, application):
        asked = contender("flash_cache", "l2arc")
        body = request([asked], [200], [3000]) | {"accesses_per_s": 1e-300}
        found = application.post("/sweeps", body, 422)
        assert "`1e-300` is no rate that a replay runs at: from 0.01" in found["detail"]

    def test_metadata_of_flash_are_taken_out_of_the_ram(self, application):
        asked = [
            contender("policy", "lru"),
            contender("scheme", "lazy"),
            contender("scheme", "none"),
            contender("flash_cache", "face"),
        ]
        body = request(asked, [4, 300], [0, 4000]) | {"flash_metadata": "flashcache"}
        sweep = finish(application, body)
        # 24 bytes for 4096: 4000 pages of 8192 take 23.4 pages of RAM.
        left = {
            (row["contender"], row["ram_pages"], row["flash_pages"]): row[
                "ram_pages_left"
            ]
            for row in sweep["rows"]
        }
        assert len(left) == sweep["replays"] == 14
        charged = {place: pages for place, pages in left.items() if pages is not None}
        assert charged == {
            (1, 4, 4000): -20,
            (3, 4, 4000): -20,
            (1, 300, 4000): 276,
            (3, 300, 4000): 276,
        }
        for row in sweep["rows"]:
            if row["ram_pages_left"] == -20:
                assert row["error"] == "the flash metadata leave no RAM"
                assert row["miss_ratio"] is None
                assert row["io_time_reason"] == "nothing was replayed"
        own = _simulator.replay(EXAMPLE_TRACE, "scheme", "lazy", 276, 4000)
        found = next(
            row
            for row in rows_of(sweep, 1)
            if (row["ram_pages"], row["flash_pages"]) == (300, 4000)
        )
        assert found["disk_reads"] == own["hdd_reads"]
        buckets = contender("flash_cache", "bcache", bucket_pages="1")
        by_page = request([buckets], [300], [4000]) | {"flash_metadata": "bcache"}
        [row] = finish(application, by_page)["rows"]
        # Its own preset is charged with the options in force: 38.4 bytes a page, 18.75 pages in all.
        assert row["ram_tax_bytes"] == 153_600
        assert row["ram_pages_left"] == 281
        plain = application.post("/sweeps", body | {"flash_metadata": None}, 202)
        assert plain["id"] != sweep["id"]
        for text, changes, status in (
            ("is not one of", {"flash_metadata": "nobody"}, 422),
            (
                "at every size",
                {"ram_pages": [4], "flash_pages": [4000], "contenders": asked[1:2]},
                422,
            ),
        ):
            refused = application.client.post("/sweeps", json=body | changes)
            assert refused.status_code == status
            assert text in refused.text

    def test_without_devices_the_time_says_why_it_is_absent(self, application):
        sweep = finish(application, request([contender("policy", "lru")], [50]))
        [row] = sweep["rows"]
        assert row["io_time_us_per_access"] is None
        assert row["io_time_reason"] == "no device was given"

    def test_a_flash_cache_tells_the_disk_writes_it_spares(self, application):
        asked = [
            contender("flash_cache", "face"),
            contender("flash_cache", "lazy-cleaning"),
            contender("scheme", "lazy"),
        ]
        sweep = finish(application, request(asked, [200], [900]))
        *caches, lazy = sweep["rows"]
        for row in caches:
            spared = 1 - row["disk_writes"] / row["counters"]["ram_dirty_evictions"]
            assert row["write_reduction"] == pytest.approx(spared)
        assert lazy["write_reduction"] is None

    def test_clean_only_admission_has_its_formula_beside(self, application):
        sweep = finish(
            application,
            request(
                [contender("scheme", "lazy", admission="clean_only")], [306], [1836]
            ),
            flash_device_id=FLASH,
            disk_device_id=DISK,
        )
        [row] = sweep["rows"]
        formula = row["formula"]
        assert 0 <= formula["gap"] < 0.02
        assert formula["io_time_us_per_access"] == pytest.approx(
            row["io_time_us_per_access"] * (1 + formula["gap"])
        )
        assert formula["derivation"]["value"] == formula["io_time_us_per_access"]
        assert 0 <= formula["measured_gap"] < 0.02
        assert formula["measured_derivation"]["value"] == pytest.approx(
            row["io_time_us_per_access"] * (1 + formula["measured_gap"])
        )
        assert not any(each["name"] == "clean_only_gap" for each in row["warnings"])

    def test_a_wide_gap_of_its_formula_is_warned_of(self, application):
        sweep = finish(
            application,
            request(
                [contender("scheme", "lazy", admission="clean_only")], [306], [1836]
            ),
            flash_device_id="kv2009-samsung-mcaqe32g5app",
            disk_device_id=FLASH,
        )
        [row] = sweep["rows"]
        formula = row["formula"]
        assert formula["q"] < formula["measured_q"]
        assert formula["gap"] > 0.05
        [warning] = [w for w in row["warnings"] if w["name"] == "clean_only_gap"]
        assert f"{formula['gap']:.1%} higher" in warning["message"]

    def test_blocks_count_misses_apart_and_are_priced_by_their_bytes(self, application):
        asked = contender(
            "scheme", "lazy", block_pages="4", block_technique="overwriting"
        )
        sweep = finish(
            application,
            request([asked], [200], [4000]),
            flash_device_id=FLASH,
            disk_device_id=DISK,
        )
        [row] = sweep["rows"]
        counters = row["counters"]
        assert row["miss_ratio"] == counters["flash_misses"] / counters["accesses"]
        assert row["disk_reads"] == counters["hdd_reads"] > counters["flash_misses"]
        assert counters["blocks_block_pages"] == 4
        own = _simulator.replay(
            EXAMPLE_TRACE, "scheme", "lazy", 200, 4000, options=asked["options"]
        )
        cost = price(own, flash=catalog.device(FLASH), disk=catalog.device(DISK))
        assert row["io_time_us_per_access"] == cost.io_time_us_per_access
        assert row["io_time_terms_us_per_access"]["disk_block_reads"] > 0
        assert row["io_time_reason"] is None

    def test_a_chooser_takes_the_times_it_chooses_by(self, application):
        [item] = application.get("/simulator")["choosers"]
        required = [o["name"] for o in item["options"] if o["default"] == ""]
        assert required
        bare = request([contender("chooser", item["name"])], [200], [4000])
        problem = application.post("/sweeps", bare, 422)
        assert required[0] in problem["detail"]
        options = dict.fromkeys(required, "100")
        asked = contender("chooser", item["name"], **options)
        sweep = finish(application, request([asked], [200], [4000]))
        own = _simulator.replay(
            EXAMPLE_TRACE, "chooser", item["name"], 200, 4000, options=options
        )
        [row] = sweep["rows"]
        assert row["counters"]["flash_hits"] == own["flash_hits"]
        assert row["counters"]["switches"] == own["switches"]

    def test_a_chooser_stands_behind_an_assignment(self, application):
        [item] = application.get("/simulator")["choosers"]
        times = [o["name"] for o in item["options"] if o["default"] == ""]
        assigned = {"admission": "cachesack", "assignment": "second_miss"}
        options = dict.fromkeys(times, "100") | assigned
        asked = contender("chooser", item["name"], **options)
        [row] = finish(application, request([asked], [200], [4000]))["rows"]
        own = _simulator.replay(
            EXAMPLE_TRACE, "chooser", item["name"], 200, 4000, options=options
        )
        assert row["counters"]["rejections"] == own["rejections"] > 0
        assert row["counters"]["flash_fills"] == own["flash_fills"]
        assert "judged_as_if_all_entered" in [each["name"] for each in row["warnings"]]
        refused = contender("chooser", item["name"], **options | {"admission": "top_f"})
        problem = application.post("/sweeps", request([refused], [200], [4000]), 422)
        assert "RAM victims" in problem["detail"]
        assert "admission=cachesack" in problem["hint"]

    def test_a_range_of_sizes_is_logarithmic_and_keeps_both_ends(self, application):
        sweep = finish(
            application,
            request(
                [contender("policy", "fifo")],
                {"from_pages": 10, "to_pages": 10_000, "points": 4},
            ),
        )
        assert sweep["ram_pages"] == [10, 100, 1000, 10_000]
        assert [row["ram_pages"] for row in sweep["rows"]] == sweep["ram_pages"]

    def test_a_replay_that_fails_on_this_trace_leaves_the_others_alone(
        self, application
    ):
        found = contender("flash_cache", "face", crash_at="99999999")
        sweep = finish(
            application, request([found, contender("policy", "clock")], [64], [256])
        )
        [failed], [fine] = rows_of(sweep, 0), rows_of(sweep, 1)
        assert "crash_at" in failed["error"]
        assert failed["miss_ratio"] is None
        assert fine["error"] is None
        assert "1 of them failed" in sweep["run"]["message"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "where", "hint"),
        [
            (
                {
                    "contenders": [
                        contender("policy", "lru"),
                        contender("policy", "mru"),
                    ]
                },
                "body.contenders.1.name",
                "gclock",
            ),
            (
                {"contenders": [contender("flash_cache", "mars")]},
                "body.contenders.0.name",
                "lazy_cleaning",
            ),
            (
                {"contenders": [contender("policy", "2q", nothing="1")]},
                "body.contenders.0",
                "k_in",
            ),
            (
                {"contenders": [contender("policy", "2q", k_in="x")]},
                "body.contenders.0",
                "k_in=0.25",
            ),
            (
                {"contenders": [contender("scheme", "lazy")]},
                "body.flash_pages",
                "two-tier",
            ),
            (
                {"contenders": [contender("buffer", "fd_static")], "ram_pages": [1]},
                "body.contenders.0",
                "pages",
            ),
            ({"ram_pages": [2**40]}, "body.contenders.0", "pages"),
            ({"ram_pages": [0]}, "body.ram_pages", ""),
            ({"ram_pages": []}, "body.ram_pages", ""),
            (
                {
                    "contenders": [contender("scheme", "lazy")] * 40,
                    "ram_pages": list(range(1, 11)),
                    "flash_pages": list(range(1, 11)),
                },
                "body",
                "fewer",
            ),
        ],
    )
    def test_bad_input_is_named_with_its_place(self, application, changes, where, hint):
        body = {**request([contender("policy", "lru")], [10]), **changes}
        problem = application.post("/sweeps", body, 422)
        assert problem["errors"][0]["where"].startswith(where)
        assert hint in problem["hint"]
        assert application.get("/health")["status"] == "ok"

    def test_unknown_ids(self, application):
        body = request([contender("policy", "lru")], [10], workload_id="nothing")
        application.post("/sweeps", body, 404)
        assert application.client.get("/sweeps/nothing").status_code == 404
        sweep = finish(application, request([contender("policy", "lru")], [11]))
        answer = application.client.get(
            f"/sweeps/{sweep['id']}", params={"disk_device_id": "no-such-disk"}
        )
        assert answer.status_code == 404
        assert "query.disk_device_id" in answer.json()["detail"]


class TestKeeping:
    def test_the_same_sweep_is_found_and_a_larger_one_replays_only_what_is_new(
        self, application
    ):
        asked = [contender("policy", "gclock", ceiling="7")]
        first = finish(application, request(asked, [33, 44]))
        again = application.post("/sweeps", request(asked, [44, 33]), 202)
        assert again["id"] == first["id"]
        assert again["run"]["id"] == first["run"]["id"]
        larger = finish(application, request(asked, [33, 44, 55]))
        assert larger["id"] != first["id"]
        assert larger["run"]["message"] == "1 configuration replayed"
        smaller = application.post("/sweeps", request(asked, [33]), 202)
        assert smaller["status"] == "succeeded"
        assert smaller["run"] is None
        assert len(smaller["rows"]) == 1

    def test_a_warm_up_is_not_counted_and_is_another_sweep(self, application):
        asked = [
            contender("policy", "arc"),
            contender("scheme", "lazy"),
            contender("chooser", "online", **TIMES),
        ]
        body = request(asked, [300], [2000])
        cold = finish(application, body)
        warm = finish(application, {**body, "warm_up": 0.5})
        assert warm["id"] != cold["id"]
        assert cold["warm_up"] == 0
        assert warm["warm_up"] == cold["accesses"] // 2
        assert warm["accesses"] == cold["accesses"] - warm["warm_up"]
        trace = reading.Trace(EXAMPLE_TRACE)
        own = replay.replay(trace, "policy", "arc", 300, warm_up=0.5)
        (row,) = rows_of(warm, 0)
        assert row["disk_reads"] == own["misses"]
        assert row["miss_ratio"] == own["miss_ratio"]
        own = replay.replay(trace, "scheme", "lazy", 300, 2000, warm_up=0.5)
        (row,) = rows_of(warm, 1)
        assert row["flash_hit_ratio"] == own["flash_hits"] / own["accesses"]
        own = replay.replay(
            trace, "chooser", "online", 300, 2000, options=TIMES, warm_up=0.5
        )
        (row,) = rows_of(warm, 2)
        assert row["counters"]["switches"] == own["switches"]
        assert row["disk_writes"] == own["hdd_writes"]
        same = application.post("/sweeps", {**body, "warm_up": warm["warm_up"]}, 202)
        assert same["id"] == warm["id"]
        nothing = {**body, "warm_up": cold["accesses"]}
        problem = application.post("/sweeps", nothing, 422)
        assert problem["errors"][0]["where"] == "body.warm_up"

    def test_each_replay_warms_up_until_its_cache_is_full(self, application):
        asked = [contender("policy", "arc"), contender("scheme", "lazy")]
        body = request(asked, [300, 10**6], [2000])
        filled = finish(application, {**body, "warm_up": "full"})
        assert filled["id"] != finish(application, body)["id"]
        assert filled["warm_up_until_full"]
        assert (filled["warm_up"], filled["accesses"]) == (None, None)
        assert filled["inputs"]["warm_up"] == "full"
        trace = reading.Trace(EXAMPLE_TRACE)
        policy, never = rows_of(filled, 0)
        own = replay.replay(trace, "policy", "arc", 300, warm_up="full")
        assert policy["disk_reads"] == own["misses"]
        assert (policy["warm_up"], policy["accesses"]) == (
            own["warm_up"],
            own["accesses"],
        )
        assert "never full" in never["error"]
        assert never["miss_ratio"] is None
        assert filled["status"] == "succeeded"
        scheme, also_never = rows_of(filled, 1)
        own = replay.replay(trace, "scheme", "lazy", 300, 2000, warm_up="full")
        assert scheme["warm_up"] == own["warm_up"] > policy["warm_up"]
        assert "flash holds 0 of its 2000 pages" in also_never["error"]
        # The same accesses, named as a number, are another sweep with the same counts.
        named = finish(
            application,
            {**request(asked[:1], [300]), "warm_up": policy["warm_up"]},
        )
        assert rows_of(named, 0)[0]["disk_reads"] == policy["disk_reads"]
        assert not named["warm_up_until_full"]
        wrong = application.client.post("/sweeps", json={**body, "warm_up": "all"})
        assert wrong.json()["errors"][0]["where"].startswith("body.warm_up")

    def test_the_list_names_what_was_asked(self, application):
        sweep = finish(application, request([contender("policy", "sieve")], [21]))
        listed = application.get("/sweeps", params={"workload_id": "example"})
        [found] = [item for item in listed["items"] if item["id"] == sweep["id"]]
        assert (found["replays"], found["done"]) == (1, 1)
        assert found["contenders"][0]["title"] == "SIEVE"
        answer = application.client.get("/sweeps", params={"workload_id": "nothing"})
        assert answer.status_code == 404


@pytest.fixture(scope="module")
def own(make_settings):
    """An application whose workers may be killed."""
    with run_application(make_settings()) as application:
        application.wait_example()
        yield application


@pytest.fixture(scope="module")
def long_workload(own, middle_trace):
    """A workload of which a sweep takes seconds."""
    workload = own.create_workload(
        middle_trace, "middle.csv.zst", format="postgres_csv"
    )
    run = own.wait_run(workload["run"]["id"])
    assert run["status"] == "succeeded", run
    return workload["id"]


POLICIES = ("lru_2", "lirs", "arc", "w_tinylfu")


def start(application, workload_id, first_size):
    """Start a long sweep and wait until a part of it is done."""
    sizes = [first_size + 10_000 * step for step in range(36)]
    body = request(
        [contender("policy", name) for name in POLICIES],
        sizes,
        workload_id=workload_id,
    )
    sweep = application.post("/sweeps", body, 202)
    application.wait_until(lambda: application.get(f"/sweeps/{sweep['id']}")["rows"])
    return body, sweep


@pytest.mark.slow
class TestPartialResults:
    def test_they_show_while_running_and_stay_when_cancelled(self, own, long_workload):
        body, sweep = start(own, long_workload, 1000)
        seen = own.get(f"/sweeps/{sweep['id']}")
        assert seen["status"] == "running"
        assert 0 < len(seen["rows"]) < seen["replays"]
        own.post(f"/runs/{sweep['run']['id']}/cancel", {}, 200)
        assert own.wait_run(sweep["run"]["id"])["status"] == "cancelled"
        kept = own.get(f"/sweeps/{sweep['id']}")
        assert kept["status"] == "cancelled"
        assert len(seen["rows"]) <= len(kept["rows"]) < kept["replays"]
        # Asked for again it goes on from there, under the same id.
        going_on = own.post("/sweeps", body, 202)
        assert going_on["id"] == sweep["id"]
        assert going_on["run"]["id"] != sweep["run"]["id"]
        assert len(going_on["rows"]) == len(kept["rows"])
        own.post(f"/runs/{going_on['run']['id']}/cancel", {}, 200)
        own.wait_run(going_on["run"]["id"])

    def test_a_killed_worker_loses_nothing_that_was_done(self, own, long_workload):
        _, sweep = start(own, long_workload, 2000)
        kept = own.get(f"/sweeps/{sweep['id']}")["rows"]
        worker = own.workers.pop()
        worker.kill()
        worker.wait()
        own.start_worker()
        run_id = sweep["run"]["id"]
        own.wait_until(lambda: own.get(f"/runs/{run_id}")["attempts"] == 2)
        found = own.get(f"/sweeps/{sweep['id']}")
        assert all(row in found["rows"] for row in kept)
        own.post(f"/runs/{run_id}/cancel", {}, 200)
        own.wait_run(run_id)

    def test_a_sweep_that_keeps_crashing_fails_and_keeps_its_part(
        self, own, long_workload
    ):
        _, sweep = start(own, long_workload, 3000)
        run_id = sweep["run"]["id"]
        for attempt in (1, 2, 3):
            own.wait_until(
                lambda attempt=attempt: (
                    (run := own.get(f"/runs/{run_id}"))["attempts"] == attempt
                    and run["done"] > 0
                )
            )
            [child] = own.wait_until(lambda: children_of(own.workers[-1].pid))
            os.kill(child.pid, signal.SIGKILL)
        run = own.wait_run(run_id)
        assert (run["status"], run["attempts"]) == ("failed", 3)
        failed = own.get(f"/sweeps/{sweep['id']}")
        assert failed["status"] == "failed"
        assert failed["rows"]
