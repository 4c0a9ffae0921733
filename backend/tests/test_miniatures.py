"""Miniatures: rows are the core's own estimates, and hold what a whole replay counts."""

import math

import pytest
from live_app import EXAMPLE_TRACE, run_application
from test_notes_over_http import ARC

from tierwright import _simulator
from tierwright.advise.checks.flash_life import NOT_SAMPLED, Rate, life_of
from tierwright.hardware import catalog
from tierwright.simulate import replay
from tierwright.trace.reading import Trace

FLASH = "samsung-pm9a3-7.68tb-u2"
SIZES = [3000, 700, 12000]


def request(policy="arc", sizes=SIZES, **changes):
    body = {"workload_id": "example", "policy": policy, "sizes": sizes}
    return {**body, **changes}


def finish(application, body):
    """Ask for an estimate and wait for all of it."""
    made = application.post("/miniatures", body, 202)
    if made["status"] != "succeeded":
        run = application.wait_run(made["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"/miniatures/{made['id']}")


class TestRows:
    def test_rows_are_the_cores_and_hold_whole_replays(self, application):
        made = finish(application, request(sample_rate=0.25, seed=7))
        assert made["sizes"] == sorted(SIZES)
        assert made["title"] == "ARC"
        assert made["miniature_rate"] == 0.25 / 8
        assert made["interval_confidence"] == 0.95
        assert "miniature simulation" in made["estimator"]
        own = _simulator.miniatures(
            EXAMPLE_TRACE,
            [{"policy": "arc", "pages": pages} for pages in made["sizes"]],
            0.25,
            seed=7,
        )["rows"]
        for row, expected in zip(made["rows"], own, strict=True):
            assert row["misses"] == expected["misses"]
            stated = expected["interval95"]
            assert row["misses_interval95"] == (stated and list(stated["misses"]))
            assert row["disk_writes"] == expected["disk_writes"]
            assert row["too_small"] is expected["too_small"]
            accesses = expected["accesses"]
            assert row["hit_ratio"] == (accesses - row["misses"]) / accesses
            lru = _simulator.replay(EXAMPLE_TRACE, "policy", "lru", row["pages"])
            assert row["lru_hit_ratio"] == pytest.approx(1 - lru["miss_ratio"])
            # Another way to the same number: the whole trace through the whole cache.
            whole = _simulator.replay(EXAMPLE_TRACE, "policy", "arc", row["pages"])
            if row["too_small"]:
                assert (
                    row["hit_ratio_interval95"] is row["disk_writes_interval95"] is None
                )
                assert [each["name"] for each in row["warnings"]] == ["too_small"]
                continue
            low, high = row["hit_ratio_interval95"]
            assert low <= 1 - whole["miss_ratio"] <= high
        # 700 pages x 0.25 / 8 = 21.875, fewer than 32
        assert [row["too_small"] for row in made["rows"]] == [True, False, False]
        assert made["warnings"] == []

    def test_a_range_and_options(self, application):
        sizes = {"from_pages": 2000, "to_pages": 20000, "points": 3}
        made = finish(application, request("2Q", sizes, options={"k_in": "0.5"}))
        assert made["sizes"] == [2000, 6325, 20000]
        other = finish(application, request("2q", sizes))
        assert made["id"] != other["id"]
        assert [row["misses"] for row in made["rows"]] != [
            row["misses"] for row in other["rows"]
        ]

    def test_what_the_reader_noticed_stands_with_the_estimate(self, application):
        workload = application.create_workload(ARC.encode(), "m.lis", format="arc")
        assert application.wait_run(workload["run"]["id"])["status"] == "succeeded"
        made = finish(
            application, request(sizes=[64], workload_id=workload["id"], sample_rate=1)
        )
        told = {one["name"]: one["message"] for one in made["warnings"]}
        assert "its writes are unknown" in told["no_writes_in_format"]


def over_flash(name="larc", sizes=(6000, 700, 12000), **changes):
    """A flash cache below 3,000 pages of RAM."""
    return request(
        name,
        list(sizes),
        **{
            "family": "flash_cache",
            "ram_pages": 3000,
            "sample_rate": 0.5,
            **changes,
        },
    )


class TestFlashCaches:
    def test_say_how_long_flash_lasts(self, application):
        made = finish(application, over_flash(sizes=(12000,)))
        [row] = made["rows"]
        assert "no flash device" in row["flash_life"]["reason"]
        assert row["flash_life"]["written_pages"] == round(row["tiers"]["flash_writes"])

        def life(**asked):
            params = {"flash_device_id": FLASH, **asked}
            found = application.get(f"/miniatures/{made['id']}", params=params)
            return found["rows"][0]["flash_life"]

        recorded, stated = life(), life(accesses_per_s=500)
        assert stated["accesses_per_s"] == 500
        assert stated["years"] == pytest.approx(
            recorded["years"] * recorded["accesses_per_s"] / 500
        )
        whole = replay.replay(Trace(EXAMPLE_TRACE), "flash_cache", "larc", 3000, 12000)
        exact = life_of(whole, device=catalog.device(FLASH), rate=Rate(500, ""))
        assert stated["years"] == pytest.approx(exact.years, rel=0.05)
        assert "flash_life" not in finish(application, request())["rows"][0]
        path = f"/miniatures/{made['id']}"
        for rate in (0, -1, "inf", "nan", 1e-300):
            refused = application.client.get(path, params={"accesses_per_s": rate})
            assert refused.status_code == 422
            assert "accesses_per_s" in refused.json()["detail"]

    def test_say_that_no_sample_tells_metadata(self, application):
        commits = {"autocommit_blocks": "1"}
        asked = over_flash("dm_writecache", (12000,), options=commits)
        made = finish(application, asked)
        device = {"flash_device_id": FLASH}
        found = application.get(f"/miniatures/{made['id']}", params=device)
        life = found["rows"][0]["flash_life"]
        assert life["years"] is None
        assert life["reason"] == NOT_SAMPLED.format("metadata")

    def test_rows_are_those_of_python_and_hold_whole_replays(self, application):
        made = finish(application, over_flash(seed=1))
        assert made["title"] == "LARC"
        assert made["inputs"]["family"] == "flash_cache"
        assert made["inputs"]["ram_pages"] == 3000
        own = replay.miniatures(
            Trace(EXAMPLE_TRACE),
            [
                {"flash_cache": "larc", "ram_pages": 3000, "flash_pages": pages}
                for pages in made["sizes"]
            ],
            0.5,
            seed=1,
        )["rows"]
        for row, expected in zip(made["rows"], own, strict=True):
            tiers, accesses = row["tiers"], expected["accesses"]
            # 69.6 bytes a page of LARC.
            assert tiers["ram_tax_bytes"] == math.ceil(69.6 * row["pages"])
            assert tiers["ram_tax_share"] == tiers["ram_tax_bytes"] / (
                3000 * made["page_bytes"]
            )
            assert row["pages"] == expected["flash_pages"]
            assert tiers["ram_pages"] == 3000
            ends = expected["interval95"]
            named = {
                "ram_hits": (tiers, "ram_hits"),
                "flash_hits": (tiers, "flash_hits"),
                "disk_reads": (tiers, "hdd_reads"),
                "flash_writes": (tiers, "flash_writes"),
                "misses": (row, "flash_misses"),
                "disk_writes": (row, "hdd_writes"),
            }
            for name, (place, counter) in named.items():
                assert place[name] == expected[counter]
                stated = place[f"{name}_interval95"]
                assert stated == (ends and list(ends[counter]))
            assert tiers["counters"] == {
                name: value
                for name, value in expected.items()
                if isinstance(value, float) and not name.endswith("_rate")
            }
            assert tiers["counters_interval95"] == (
                ends and {name: list(pair) for name, pair in ends.items()}
            )
            assert row["hit_ratio"] == pytest.approx(
                (tiers["ram_hits"] + tiers["flash_hits"]) / accesses
            )
            assert row["lru_hit_ratio"] is None
            # Another way to the same number: the whole trace through the whole cache.
            whole = _simulator.replay(
                EXAMPLE_TRACE, "flash_cache", "larc", 3000, row["pages"]
            )
            if row["too_small"]:
                assert row["hit_ratio_interval95"] is None
                assert [each["name"] for each in row["warnings"]] == ["too_small"]
                continue
            for name, counter in (
                ("ram_hits", "ram_hits"),
                ("flash_hits", "flash_hits"),
                ("disk_reads", "hdd_reads"),
            ):
                low, high = tiers[f"{name}_interval95"]
                assert low <= whole[counter] <= high
        assert [row["too_small"] for row in made["rows"]] == [True, False, False]

    def test_schemes_and_options(self, application):
        lazy = finish(application, over_flash("lazy", [6000], family="scheme"))
        assert lazy["rows"][0]["tiers"]["flash_writes"] > 0
        changes = {"options": {"scan_depth": "1"}, "sample_rate": 0.25}
        face = finish(application, over_flash("face", [6000], **changes))
        assert face["title"] == "FaCE"
        counters = face["rows"][0]["tiers"]["counters"]
        assert "metadata_segments" not in counters, "no sample tells it"
        more_ram = over_flash("face", [6000], ram_pages=4000, **changes)
        again = finish(application, more_ram)
        assert again["id"] != face["id"]
        assert (
            again["rows"][0]["tiers"]["ram_hits"]
            > (face["rows"][0]["tiers"]["ram_hits"])
        )

    @pytest.mark.parametrize(
        ("changes", "where", "message", "hint"),
        [
            (
                {"name": "face"},
                "body",
                "its batches of slots do not shrink with flash",
                "with scan_depth=1",
            ),
            (
                {"name": "face", "options": {"scan_depth": "8"}},
                "body.options",
                "its batches of slots do not shrink with flash",
                "with scan_depth=1",
            ),
            ({"name": "cachelib"}, "body", "its regions are emptied whole", "in full"),
            ({"name": "arc"}, "body.policy", "is not a flash cache", "larc"),
            ({"ram_pages": None}, "body.ram_pages", "whose size is missing", "sizes"),
            (
                {"name": "arc", "family": "policy"},
                "body.ram_pages",
                "is a single cache",
                "out",
            ),
            (
                {"name": "cflru", "family": "buffer", "ram_pages": None},
                "body",
                "do not shrink",
                "",
            ),
            ({"family": "disk"}, "body.family", "", ""),
            ({"ram_pages": 0}, "body.ram_pages", "", ""),
        ],
    )
    def test_is_refused_before_it_is_queued(
        self, application, changes, where, message, hint
    ):
        before = application.get("/runs")["total"]
        problem = application.post("/miniatures", over_flash(**changes), 422)
        assert problem["errors"][0]["where"].startswith(where)
        assert message in problem["detail"]
        assert hint in (problem["hint"] or "")
        assert application.get("/runs")["total"] == before

    def test_answers_about_policies_say_nothing_of_tiers(self, application):
        made = finish(application, request("lru", [5000]))
        assert not {"family", "ram_pages"} & made["inputs"].keys()
        assert "tiers" not in made["rows"][0]
        stated = {"family": "policy", "ram_pages": None}
        again = application.post("/miniatures", request("lru", [5000], **stated), 202)
        assert again["id"] == made["id"]


class TestKeeping:
    def test_the_same_is_found_and_a_larger_one_makes_only_what_is_new(
        self, application
    ):
        first = finish(application, request("sieve", [5000, 6000]))
        again = application.post("/miniatures", request("sieve", [6000, 5000]), 202)
        assert (again["id"], again["run"]["id"]) == (first["id"], first["run"]["id"])
        larger = finish(application, request("sieve", [5000, 6000, 7000]))
        assert larger["run"]["message"] == "1 size estimated"
        assert larger["rows"][:2] == first["rows"]
        other = finish(application, request("sieve", [5000, 6000], seed=1))
        assert other["rows"] != first["rows"]


class TestBadInput:
    @pytest.mark.parametrize(
        ("changes", "where", "hint"),
        [
            ({"policy": "mru"}, "body.policy", "s3_fifo"),
            ({"options": {"k_in": "7"}, "policy": "2q"}, "body.options", "k_in=0.25"),
            ({"options": {"window": "7"}}, "body.options", ""),
            ({"sample_rate": 0}, "body.sample_rate", ""),
            ({"sample_rate": 1.5}, "body.sample_rate", ""),
            ({"sizes": []}, "body.sizes", ""),
            ({"sizes": [0]}, "body.sizes", ""),
            ({"sizes": [2**40]}, "body", ""),
        ],
    )
    def test_is_named_with_its_place(self, application, changes, where, hint):
        problem = application.post("/miniatures", {**request(), **changes}, 422)
        assert problem["errors"][0]["where"].startswith(where)
        assert hint in (problem["hint"] or "")

    def test_a_sample_without_a_page_fails_in_its_row(self, application):
        made = finish(application, request(sizes=[3000], sample_rate=1e-9))
        [row] = made["rows"]
        assert "too few pages are sampled" in row["error"]
        assert row["hint"] == "use a larger rate"
        assert row["hit_ratio"] is None

    def test_unknown_ids(self, application):
        application.post("/miniatures", request(workload_id="nothing"), 404)
        assert application.client.get("/miniatures/nothing").status_code == 404


@pytest.mark.long
@pytest.mark.slow
def test_partial_rows_show_and_stay_when_cancelled(
    make_settings,
    middle_trace,
):
    with run_application(make_settings()) as own:
        workload = own.create_workload(
            middle_trace, "middle.csv.zst", format="postgres_csv"
        )
        run = own.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        sizes = [20_000 + 1000 * step for step in range(200)]
        body = request("lirs", sizes, workload_id=workload["id"], sample_rate=1)
        made = own.post("/miniatures", body, 202)
        seen = own.wait_until(lambda: own.get(f"/miniatures/{made['id']}")["rows"])
        run = own.get(f"/runs/{made['run']['id']}")
        assert 0 < run["done"] < run["total"]
        own.post(f"/runs/{made['run']['id']}/cancel", {}, 200)
        assert own.wait_run(made["run"]["id"])["status"] == "cancelled"
        kept = own.get(f"/miniatures/{made['id']}")
        assert kept["status"] == "cancelled"
        assert len(seen) <= len(kept["rows"]) < len(sizes)
        going_on = own.post("/miniatures", body, 202)
        assert going_on["id"] == made["id"]
        assert going_on["rows"] == kept["rows"]
        own.post(f"/runs/{going_on['run']['id']}/cancel", {}, 200)
        own.wait_run(going_on["run"]["id"])
