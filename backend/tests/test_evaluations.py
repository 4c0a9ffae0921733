"""Compare and check: the API's numbers are the models' and the core's own."""

from decimal import Decimal

import pytest
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright.evaluate import metadata
from tierwright.evaluate.page_flow import evaluation
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.simulate import replay
from tierwright.trace import reading

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
COUNTERS = (
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "flash_writes",
    "hdd_reads",
    "hdd_writes",
)


def point(ram_pages: int = 2000, flash_pages: int = 8000, **changes):
    return {
        "workload_id": "example",
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        **changes,
    }


def cold(ram_pages: int = 2000, flash_pages: int = 8000, **changes):
    return point(ram_pages, flash_pages, start="cold", **changes)


def by_scheme(answer):
    return {scheme["scheme"]: scheme for scheme in answer["schemes"]}


class TestEvaluate:
    def test_a_lead_within_the_model_error_is_too_close_to_call(self, application):
        # exclusive and lazy differ by less than lazy's hits are known to
        close = application.post(
            "/evaluations",
            cold(307, 6137, flash_device_id="samsung-pm9a3-7.68tb-u2"),
            200,
        )
        assert "too close to call" in close["sentence"]
        assert "lead_within_model_error" in {w["name"] for w in close["warnings"]}
        # flash of 21 writes a second: exclusive writes every victim and loses by far
        clear = application.post(
            "/evaluations",
            cold(307, 6137, flash_device_id="kv2009-samsung-mcaqe32g5app"),
            200,
        )
        assert "less than" in clear["sentence"]
        assert "too close" not in clear["sentence"]

    @pytest.mark.parametrize(
        ("ram", "flash"), [(2000, 8000), (1, 0), (500, 500), (8000, 2000), (1, 10**9)]
    )
    def test_equals_the_models(self, application, curve, ram, flash):
        answer = application.post("/evaluations", point(ram, flash), 200)
        expected = evaluation.evaluate(
            curve,
            ram_pages=ram,
            flash_pages=flash,
            flash=catalog.device(FLASH),
            disk=catalog.device(DISK),
        )
        assert answer["best"] == expected.best
        assert answer["runner_up"] == expected.runner_up
        assert answer["margin"]["relative"] == expected.margin
        shown = by_scheme(answer)
        assert list(shown) == list(expected.schemes)
        for name, result in expected.schemes.items():
            assert shown[name]["ram_hits"] == result.ram_hits
            assert shown[name]["flash_hits"] == result.flash_hits
            assert shown[name]["disk_writes"] == result.hdd_writes
            assert shown[name]["io_time_us_per_access"] == result.io_time_us_per_access
            terms = shown[name]["cost_terms_us_per_access"]
            assert terms == result.cost_terms_us_per_access
            assert sum(terms.values()) == pytest.approx(result.io_time_us_per_access)
        bars = {bar["name"]: bar for bar in answer["outer"]["bars"]}
        assert list(bars) == list(expected.outer.bars)
        assert answer["best"] not in bars
        for name, bar in expected.outer.bars.items():
            assert bars[name]["io_time_us_per_access"] == bar.io_time_us_per_access
            assert bars[name]["flash_writes"] == bar.flash_writes
            assert bars[name]["disk_reads"] == bar.hdd_reads
            assert bars[name]["least"] is None
        assert answer["outer"]["sentence"].startswith("Everything") or (
            "everything on flash" in answer["outer"]["sentence"]
        )

    def test_the_start_is_steady_unless_said(self, application, curve):
        steady = application.post("/evaluations", point(), 200)
        from_cold = application.post("/evaluations", cold(), 200)
        assert (steady["start"], from_cold["start"]) == ("steady", "cold")
        for answer, own in ((steady, curve), (from_cold, curve.cold)):
            missed = by_scheme(answer)["none"]["flash_misses"]
            assert missed == pytest.approx(float(own.misses(2000)))
            for shown in answer["schemes"]:
                hits = shown["ram_hits"] + shown["flash_hits"] + shown["flash_misses"]
                assert hits == pytest.approx(answer["accesses"])
        assert by_scheme(steady)["lazy"]["flash_writes_cold_start"] is None
        assert by_scheme(from_cold)["lazy"]["flash_writes_cold_start"] > 0
        wrong = application.client.post("/evaluations", json=point(start="warm"))
        assert wrong.status_code == 422

    @pytest.mark.parametrize("start", ["steady", "cold"])
    def test_new_pages_are_growth(self, application, curve, start):
        answer = application.post(
            "/evaluations", point(start=start, new_pages=5000), 200
        )
        plain = application.post("/evaluations", point(start=start), 200)
        stated = curve.from_start(start).with_new_pages(5000)
        expected = evaluation.evaluate(
            stated,
            ram_pages=2000,
            flash_pages=8000,
            flash=catalog.device(FLASH),
            disk=catalog.device(DISK),
        )
        assert (plain["new_pages"], plain["growth_per_access"]) == (0, 0)
        assert answer["new_pages"] == 5000
        assert answer["growth_per_access"] == 5000 / curve.accesses
        before = by_scheme(plain)
        beside = answer["growth_per_access"] if start == "steady" else 0
        for name, shown in by_scheme(answer).items():
            result = expected.schemes[name]
            assert shown["flash_misses"] == result.flash_misses
            assert shown["io_time_us_per_access"] == result.io_time_us_per_access
            ratios = ("ram_hit_ratio", "flash_hit_ratio", "miss_ratio")
            assert sum(shown[key] for key in ratios) + beside == pytest.approx(1)
            if start == "steady":
                assert shown["miss_ratio"] < before[name]["miss_ratio"]
            else:
                assert shown == before[name]

    def test_more_new_pages_than_first_touches_are_refused(self, application, curve):
        for path in ("/evaluations", "/evaluations/derivation"):
            answer = application.client.post(
                path, json=point(new_pages=curve.distinct_pages + 1)
            )
            assert answer.status_code == 422
            problem = answer.json()
            assert problem["errors"][0]["where"] == "body.new_pages"
            assert (
                f"{curve.distinct_pages}, the first" in problem["errors"][0]["message"]
            )
            assert "each once" in problem["hint"]
        most = point(new_pages=curve.distinct_pages)
        assert application.post("/evaluations", most, 200)["new_pages"]

    def test_the_steps_of_an_answer_are_fetched_apart_and_end_in_its_times(
        self, application
    ):
        for decide in ("model", "replay"):
            body = point(1000, 5000, decide=decide)
            answer = application.post("/evaluations", body, 200)
            assert "derivation" not in answer
            steps = application.post("/evaluations/derivation", body, 200)["derivation"]
            for scheme, shown in by_scheme(answer).items():
                times = {
                    step["name"]: step["value"]
                    for step in steps
                    if step["scheme"] == scheme
                }
                assert times["io_time_us_per_access"] == shown["io_time_us_per_access"]
                if shown["replayed"]:
                    assert (
                        times["io_time_us_per_access, replayed"]
                        == shown["replayed"]["io_time_us_per_access"]
                    )

    @pytest.mark.parametrize("name", ["flashcache", "l2arc", "sce"])
    def test_metadata_of_flash_are_taken_from_the_ram(self, application, curve, name):
        ram, flash = 9000, 30_000
        answer = application.post(
            "/evaluations", point(ram, flash, flash_metadata=name), 200
        )
        charged = metadata.charge(
            metadata.preset(name),
            ram_bytes=ram * 8192,
            flash_bytes=flash * 8192,
            page_bytes=8192,
            source_bytes=curve.distinct_pages * 8192,
        )
        budget = answer["ram_budget"]
        assert budget["flash_metadata"] == name
        assert budget["ram_bytes"] == answer["ram_bytes"] == ram * 8192
        assert budget["metadata_bytes"] == charged.metadata_bytes
        assert budget["ram_pages_left"] == charged.left_pages < ram
        assert f"{charged.left_pages:,} pages" in budget["sentence"]
        steps = application.post(
            "/evaluations/derivation", point(ram, flash, flash_metadata=name), 200
        )["derivation"]
        assert steps[0]["name"] == "metadata_bytes"
        assert steps[0]["value"] == charged.metadata_bytes
        left = by_scheme(
            application.post("/evaluations", point(charged.left_pages, flash), 200)
        )
        whole = by_scheme(application.post("/evaluations", point(ram, flash), 200))
        for scheme, shown in by_scheme(answer).items():
            expected = whole if scheme == "none" else left
            for key in ("ram_hits", "flash_hits", "io_time_us_per_access"):
                assert shown[key] == expected[scheme][key], (scheme, key)

    def test_metadata_are_paid_for_with_the_ram(self, application):
        body = point(9000, 30_000, price_book_id="street-2026-q1")
        plain = by_scheme(application.post("/evaluations", body, 200))
        charged = by_scheme(
            application.post("/evaluations", body | {"flash_metadata": "l2arc"}, 200)
        )
        for scheme, shown in charged.items():
            assert shown["money"] == plain[scheme]["money"]

    def test_nothing_is_charged_unless_asked(self, application):
        assert application.post("/evaluations", point(), 200)["ram_budget"] is None

    def test_metadata_that_leave_no_ram_are_refused(self, application):
        answer = application.client.post(
            "/evaluations", json=point(1, 10**6, flash_metadata="l2arc")
        )
        assert answer.status_code == 422
        assert "flash metadata" in answer.json()["detail"]
        assert answer.json()["hint"]

    def test_the_space_behind_a_fragment_cache_can_be_stated(self, application):
        """4 bytes a MiB of the source, beside what the workload's own pages need."""
        own, stated = (
            application.post(
                "/evaluations", point(5000, 20000, flash_metadata=name), 200
            )["ram_budget"]["metadata_bytes"]
            for name in ("sce", "sce:1TiB")
        )
        [workload] = [
            each
            for each in application.get("/workloads")["items"]
            if each["id"] == "example"
        ]
        units = -(-workload["summary"]["distinct_pages"] * 8192 // 2**20)
        assert stated - own == 4 * (2**20 - units)
        for name, part in (("face:1TiB", "keeps no metadata"), ("sce:much", "size")):
            refused = application.post(
                "/evaluations", point(5000, 20000, flash_metadata=name), 422
            )
            assert refused["errors"][0]["where"] == "body.flash_metadata"
            assert part in str(refused)

    @pytest.mark.parametrize("name", ["sce:0", "sce:1B"])
    def test_less_space_behind_than_the_workload_is_refused(self, application, name):
        refused = application.post(
            "/evaluations", point(5000, 20000, flash_metadata=name), 422
        )
        assert "flash_metadata" in refused["errors"][0]["where"]

    def test_space_behind_that_is_not_stated_is_warned_of(self, application):
        for name, warned in (("sce", True), ("sce:1TiB", False), ("face", False)):
            answer = application.post(
                "/evaluations", point(5000, 20000, flash_metadata=name), 200
            )
            names = {each["name"] for each in answer["warnings"]}
            assert ("space_behind_not_stated" in names) == warned

    def test_hits_by_tier_add_up_to_the_accesses(self, application):
        answer = application.post("/evaluations", point(), 200)
        for scheme in answer["schemes"]:
            total = scheme["ram_hits"] + scheme["flash_hits"] + scheme["flash_misses"]
            assert total == pytest.approx(answer["accesses"])

    def test_sizes_come_in_bytes_too(self, application):
        answer = application.post("/evaluations", point(10, 20), 200)
        assert answer["ram_bytes"] == 10 * 8192
        assert answer["flash_bytes"] == 20 * 8192

    def test_a_rate_that_the_devices_cannot_carry_is_warned_of(self, application):
        """One disk under a trace of some 80,000 accesses per second; RAM for all of it is enough."""
        answer = application.post("/evaluations", point(300, 3000), 200)
        (load,) = (w for w in answer["warnings"] if w["name"] == "load_beyond_devices")
        best = by_scheme(answer)[answer["best"]]["cost_terms_us_per_access"]
        summary = application.get("/workloads/example")["summary"]
        rate = summary["accesses"] / summary["duration_s"]
        busy = (best["disk_reads"] + best["disk_writes"]) * rate / 1e6
        assert busy > 10  # below, it is said in per cent
        times = f"{float(f'{busy:.3g}'):,.10g} times what the disk can carry"
        assert f"{times} under" in load["message"]
        roomy = application.post("/evaluations", point(30_687, 0), 200)
        cold = by_scheme(roomy)[roomy["best"]]["io_time_us_per_access"]
        named = {warning["name"] for warning in roomy["warnings"]}
        assert ("load_beyond_devices" in named) == (cold * rate / 1e6 > 1)

    def test_inclusive_with_ram_above_flash_is_warned_about(self, application):
        shown = by_scheme(application.post("/evaluations", point(4000, 3000), 200))
        for name in ("inclusive", "inclusive_global"):
            assert shown[name]["flash_hits"] == 0
            names = [warning["name"] for warning in shown[name]["warnings"]]
            assert "ram_not_below_flash" in names
        assert shown["exclusive"]["warnings"] == []
        assert shown["exclusive"]["flash_hits"] > 0

    def test_without_flash_every_scheme_costs_the_same(self, application):
        shown = by_scheme(application.post("/evaluations", point(4000, 0), 200))
        costs = {scheme["io_time_us_per_access"] for scheme in shown.values()}
        assert len(costs) == 1

    def test_without_prices_the_cost_says_why_it_is_absent(self, application):
        for scheme in application.post("/evaluations", point(), 200)["schemes"]:
            assert scheme["money"]["usd_per_month"] is None
            assert "price book" in scheme["money"]["reason"]

    def test_a_device_without_a_price_says_so(self, application):
        device = application.post(
            "/catalog/devices",
            {
                "name": "no price",
                "kind": "nvme",
                "figures": {
                    "read_iops": {"value": 10000, "unit": "1/s", "source": "test"},
                    "write_iops": {"value": 5000, "unit": "1/s", "source": "test"},
                },
            },
            201,
        )
        book = application.post(
            "/catalog/price-books",
            {
                "name": "only disks and DRAM",
                "date": "2026-01",
                "prices": [
                    {"kind": "hdd", "usd_per_gb": "0.02", "source": "test"},
                    {"kind": "dram", "usd_per_gb": "4", "source": "test"},
                ],
            },
            201,
        )
        body = point(flash_device_id=device["id"], price_book_id=book["id"])
        shown = by_scheme(application.post("/evaluations", body, 200))
        parts = {part["part"]: part for part in shown["lazy"]["money"]["parts"]}
        assert parts["flash"]["usd_per_month"] is None
        assert device["id"] in parts["flash"]["reason"]
        assert shown["lazy"]["money"]["usd_per_month"] is None
        # 2000 pages x 8192 bytes x 4 USD/GB / 36 months
        ram = Decimal(2000 * 8192 * 4) / 10**9 / 36
        assert Decimal(parts["ram"]["usd_per_month"]) == pytest.approx(ram)
        # RAM over disk holds no flash, so its cost is known.
        assert shown["none"]["money"]["usd_per_month"] is not None

    def test_a_device_without_service_times_cannot_be_used(self, application):
        device = application.post(
            "/catalog/devices", {"name": "nameless", "kind": "nvme"}, 201
        )
        answer = application.client.post(
            "/evaluations", json=point(flash_device_id=device["id"])
        )
        assert answer.status_code == 422
        assert device["id"] in answer.json()["detail"]
        assert answer.json()["hint"]

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"ram_pages": 0}, "body.ram_pages"),
            ({"ram_pages": -1}, "body.ram_pages"),
            ({"flash_pages": -1}, "body.flash_pages"),
            ({"ram_pages": 2**60}, "body.ram_pages"),
            ({"ram_pages": 1.5}, "body.ram_pages"),
            ({"ram_pages": True}, "body.ram_pages"),
            ({"amortisation_months": 0}, "body.amortisation_months"),
            ({"disk_device_id": "../x"}, "body.disk_device_id"),
            ({"surprise": 1}, "body.surprise"),
            ({"flash_metadata": "zfs"}, "body.flash_metadata"),
        ],
    )
    def test_bad_values_are_named(self, application, changes, where):
        answer = application.client.post("/evaluations", json=point(**changes))
        assert answer.status_code == 422
        fault = answer.json()["errors"][0]
        assert fault["where"] == where
        assert fault["value"] == next(iter(changes.values()))

    @pytest.mark.parametrize(
        "key", ["workload_id", "flash_device_id", "disk_device_id", "price_book_id"]
    )
    def test_what_is_missing_is_named(self, application, key):
        answer = application.client.post("/evaluations", json=point(**{key: "gone"}))
        assert answer.status_code == 404
        assert "`gone`" in answer.json()["detail"]
        assert answer.json()["hint"]


class TestDecide:
    """Close calls are decided by a replay, and the replay serves every device."""

    CLOSE = cold(307, 6137, flash_device_id="samsung-pm9a3-7.68tb-u2")

    def truth(self, body):
        flash, disk = (
            catalog.device(body[f"{role}_device_id"]) for role in ("flash", "disk")
        )
        found = {}
        for row in _simulator.contenders("scheme"):
            pages = 0 if row["name"] == "none" else body["flash_pages"]
            c = _simulator.replay(
                EXAMPLE_TRACE, "scheme", row["name"], body["ram_pages"], pages
            )
            found[row["name"]] = (
                c["flash_reads"] * service_us(flash, "read", 8192)
                + c["flash_writes"] * service_us(flash, "write", 8192)
                + c["hdd_reads"] * service_us(disk, "read", 8192)
                + c["hdd_writes"] * service_us(disk, "write", 8192)
            ) / c["accesses"]
        return found

    def test_the_model_names_the_check(self, application):
        answer = application.post("/evaluations", self.CLOSE, 200)
        assert answer == application.post(
            "/evaluations", {**self.CLOSE, "decide": "model"}, 200
        )
        assert answer["decided_by"] == "model"
        check = answer["check"]
        assert {"exclusive", "lazy"} <= set(check["contenders"])
        assert check["href"] == f"/api/v1/simulations/{check['simulation_id']}"
        made = application.post("/simulations", self.CLOSE, 202)
        assert made["id"] == check["simulation_id"]

    def test_the_answer_is_the_replays(self, application):
        answer = application.post(
            "/evaluations", {**self.CLOSE, "decide": "replay"}, 200
        )
        truth = self.truth(self.CLOSE)
        assert answer["decided_by"] == "replay"
        assert answer["check"] is None
        for name, scheme in by_scheme(answer).items():
            replayed = scheme["replayed"]
            assert replayed["io_time_us_per_access"] == pytest.approx(truth[name])
            assert sum(replayed["cost_terms_us_per_access"].values()) == pytest.approx(
                truth[name]
            )
        order = sorted(truth, key=truth.get)
        assert [answer["best"], answer["runner_up"]] == order[:2]
        assert answer["margin"]["relative"] == pytest.approx(
            1 - truth[order[0]] / truth[order[1]]
        )
        assert "decided by replay" in answer["sentence"]
        assert "too close" not in answer["sentence"]
        assert "lead_within_model_error" not in {w["name"] for w in answer["warnings"]}
        # what was replayed once serves other devices
        other = {**self.CLOSE, "disk_device_id": "face2016-cheetah-15k6-raid0-16"}
        asked = application.post("/evaluations", other, 200)
        assert asked["check"]["expected_s"] == 0
        decided = application.post("/evaluations", {**other, "decide": "replay"}, 200)
        truth = self.truth(other)
        assert decided["best"] == min(truth, key=truth.get)

    def test_a_replay_says_that_it_reads_new_pages(self, application):
        body = {**self.CLOSE, "start": "steady"}
        stated = {**body, "new_pages": 3000}
        asked = application.post("/evaluations", stated, 200)
        assert asked["check"]["contenders"]
        made = application.post("/simulations", body, 202)
        assert asked["check"]["simulation_id"] == made["id"]
        plain = application.post("/evaluations", {**body, "decide": "replay"}, 200)
        found = application.post("/evaluations", {**stated, "decide": "replay"}, 200)
        assert (plain["decided_by"], found["decided_by"]) == ("replay", "replay")
        assert found["best"] == plain["best"]
        names = {w["name"] for w in found["warnings"]}
        assert "growth_in_replay" in names
        assert "growth_in_replay" not in {w["name"] for w in plain["warnings"]}
        for name, shown in by_scheme(found).items():
            assert shown["replayed"] == by_scheme(plain)[name]["replayed"]

    def test_a_clear_lead_is_the_models(self, application):
        clear = {**self.CLOSE, "flash_device_id": "kv2009-samsung-mcaqe32g5app"}
        answer = application.post("/evaluations", {**clear, "decide": "replay"}, 200)
        assert answer["decided_by"] == "model"
        assert answer["check"] is None
        assert all(scheme["replayed"] is None for scheme in answer["schemes"])

    def test_a_lead_that_does_not_matter_names_who_writes_least(self, application):
        answer = application.post(
            "/evaluations", {**self.CLOSE, "decide": "replay"}, 200
        )
        replayed = {n: s["replayed"] for n, s in by_scheme(answer).items()}
        times = {n: r["io_time_us_per_access"] for n, r in replayed.items()}
        within = {n for n, t in times.items() if t <= 1.01 * min(times.values())}
        if len(within) > 1:
            assert set(answer["equal"]) == within
            writes = {n: replayed[n]["flash_writes"] for n in within}
            assert answer["writes_least"] == min(writes, key=writes.get)
            assert "practically equal" in answer["sentence"]
        else:
            assert answer["equal"] == []

    def test_a_long_replay_is_a_job(self, application, monkeypatch):
        monkeypatch.setattr(application.settings, "replay_inline_s", 0.0)
        body = {**self.CLOSE, "ram_pages": 308}
        asked = {**body, "decide": "replay"}
        begun = application.client.post("/evaluations", json=asked)
        assert begun.status_code == 202, begun.text
        check = begun.json()
        assert begun.headers["location"] == f"/api/v1/simulations/{check['id']}"
        assert application.wait_run(check["run"]["id"])["status"] == "succeeded"
        answer = application.post("/evaluations", asked, 200)
        truth = self.truth(body)
        assert answer["decided_by"] == "replay"
        assert answer["best"] == min(truth, key=truth.get)


class TestSimulate:
    def simulate(self, application, body):
        made = application.post("/simulations", body, 202)
        if made["run"]["status"] not in ("succeeded",):
            run = application.wait_run(made["run"]["id"])
            assert run["status"] == "succeeded", run
        return application.get(f"/simulations/{made['id']}")

    def test_counters_are_the_cores_own(self, application):
        answer = self.simulate(application, cold())
        assert list(answer["result"]["schemes"]) == [
            row["name"] for row in _simulator.contenders("scheme")
        ]
        for scheme, counters in answer["result"]["schemes"].items():
            expected = _simulator.replay(EXAMPLE_TRACE, "scheme", scheme, 2000, 8000)
            for name, value in counters.items():
                assert value == expected[name], (scheme, name)

    @pytest.mark.parametrize(("ram", "flash"), [(2000, 8000), (700, 900), (300, 0)])
    def test_the_exact_schemes_have_no_gap(self, application, ram, flash):
        rows = self.simulate(application, cold(ram, flash))["result"]["rows"]
        exact = [row for row in rows if row["exact"]]
        assert {row["scheme"] for row in exact} >= {
            "none",
            "exclusive",
            "inclusive_global",
        }
        for row in exact:
            assert row["gap"] == pytest.approx(0, abs=1e-6), row

    def test_rows_hold_every_counter_of_every_scheme(self, application):
        rows = self.simulate(application, cold())["result"]["rows"]
        for scheme in ("none", "inclusive", "inclusive_global", "exclusive", "lazy"):
            counters = [row["counter"] for row in rows if row["scheme"] == scheme]
            assert counters == [*COUNTERS, "io_time_us_per_access"]

    def test_io_time_is_counters_times_service_times(self, application):
        answer = self.simulate(application, cold())
        flash, disk = catalog.device(FLASH), catalog.device(DISK)
        for row in answer["result"]["rows"]:
            if row["counter"] != "io_time_us_per_access":
                continue
            c = answer["result"]["schemes"][row["scheme"]]
            total = (
                c["flash_reads"] * service_us(flash, "read", 8192)
                + c["flash_writes"] * service_us(flash, "write", 8192)
                + c["hdd_reads"] * service_us(disk, "read", 8192)
                + c["hdd_writes"] * service_us(disk, "write", 8192)
            )
            assert row["simulated"] == pytest.approx(total / c["accesses"])

    def test_schemes_with_flash_are_replayed_in_what_metadata_leave(self, application):
        body = cold(9000, 30_000, flash_metadata="l2arc", schemes=["none", "lazy"])
        answer = self.simulate(application, body)
        left = application.post(
            "/evaluations", {k: v for k, v in body.items() if k != "schemes"}, 200
        )["ram_budget"]["ram_pages_left"]
        assert left < 9000
        for scheme, ram in (("none", 9000), ("lazy", left)):
            expected = _simulator.replay(EXAMPLE_TRACE, "scheme", scheme, ram, 30_000)
            counters = answer["result"]["schemes"][scheme]
            assert counters["ram_hits"] == expected["ram_hits"]
            assert counters["flash_writes"] == expected["flash_writes"]
        rows = answer["result"]["rows"]
        gaps = {(r["scheme"], r["counter"]): r["gap"] for r in rows if r["exact"]}
        assert gaps["none", "ram_hits"] == pytest.approx(0, abs=1e-6)
        uncharged = {k: v for k, v in body.items() if k != "flash_metadata"}
        other = application.post("/simulations", uncharged, 202)
        assert other["id"] != answer["id"]

    def test_the_same_inputs_return_the_stored_result(self, application):
        first = self.simulate(application, cold(1234, 5678))
        again = application.post("/simulations", cold(1234, 5678), 202)
        assert again["id"] == first["id"]
        assert again["result"] == first["result"]
        assert again["run"]["id"] == first["run"]["id"]
        other = application.post("/simulations", cold(1235, 5678), 202)
        assert other["id"] != first["id"]

    def test_a_steady_check_counts_the_second_half_with_warm_caches(
        self, application, curve
    ):
        body = point(1000, 6000, schemes=["none", "exclusive"])
        answer = self.simulate(application, body)
        for scheme, counters in answer["result"]["schemes"].items():
            expected = replay.replay(
                reading.Trace(EXAMPLE_TRACE), "scheme", scheme, 1000, 6000, warm_up=0.5
            )
            assert counters["accesses"] == curve.accesses // 2
            assert counters["flash_misses"] == expected["flash_misses"]
        rows = {
            (row["scheme"], row["counter"]): row for row in answer["result"]["rows"]
        }
        row = rows["none", "flash_misses"]
        assert row["model"] == pytest.approx(float(curve.misses(1000)) / 2)
        assert abs(row["gap_relative"]) < 0.05
        assert row["exact"] is False
        assert abs(rows["exclusive", "hdd_writes"]["gap_relative"]) < 0.1
        assert (
            application.post("/simulations", cold(1000, 6000), 202)["id"]
            != (answer["id"])
        )

    @pytest.mark.parametrize("warm_up", [0.5, 12_345])
    def test_a_warm_up_is_not_counted(self, application, warm_up):
        body = cold(1000, 6000, schemes=["none", "lazy"], warm_up=warm_up)
        answer = self.simulate(application, body)
        assert answer["inputs"]["warm_up"] == warm_up
        for scheme, counters in answer["result"]["schemes"].items():
            expected = replay.replay(
                reading.Trace(EXAMPLE_TRACE),
                "scheme",
                scheme,
                1000,
                6000,
                warm_up=warm_up,
            )
            assert counters["warm_up"] == expected["warm_up"] > 0
            for name, value in counters.items():
                assert value == expected[name], (scheme, name)
        # The model counts the whole trace: no gap is made of the two.
        for row in answer["result"]["rows"]:
            assert row["model"] is row["gap"] is row["gap_relative"] is None
            assert row["exact"] is False
        other = application.post("/simulations", {**body, "warm_up": 0}, 202)
        assert other["id"] != answer["id"]
        plain = {key: value for key, value in body.items() if key != "warm_up"}
        assert application.post("/simulations", plain, 202)["id"] == other["id"]

    @pytest.mark.parametrize(
        "warm_up", [10**9, -1, 1.5, 1e-9, "50%", True, float("2e15")]
    )
    def test_a_warm_up_that_cannot_be_is_named(self, application, warm_up):
        answer = application.client.post("/simulations", json=cold(warm_up=warm_up))
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"].startswith("body.warm_up")

    def test_only_the_schemes_asked_for(self, application):
        answer = self.simulate(application, cold(schemes=["lazy", "none"]))
        assert list(answer["result"]["schemes"]) == ["none", "lazy"]

    def test_an_unknown_scheme_lists_the_known(self, application):
        answer = application.client.post("/simulations", json=cold(schemes=["fifo"]))
        assert answer.status_code == 422
        assert "inclusive_global" in answer.json()["detail"]

    def test_unknown(self, application):
        assert application.client.get("/simulations/nothing").status_code == 404
