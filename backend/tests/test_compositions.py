"""Several workloads on one machine: the question, the workload made of them, and what answers say."""

import pytest

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
PAGE = 8192
TIB = 2**40


def described(application, name, **changes):
    body = {
        "name": name,
        "data_bytes": 2**30,
        "accesses_per_s": 2000.0,
        "page_bytes": PAGE,
        "write_share": 0.3,
        "components": [{"kind": "zipf", "exponent": 0.9}],
    }
    return application.post("/workloads/from-description", {**body, **changes}, 201)


@pytest.fixture(scope="module")
def orders(application):
    return described(application, "Orders")


@pytest.fixture(scope="module")
def logs(application):
    kind = {"components": [{"kind": "uniform"}], "accesses_per_s": 500.0}
    return described(application, "Logs", **kind)


def member(workload, **more):
    return {"workload_id": workload["id"], **more}


def ask(application, *members, expected=200, **more):
    return application.post(
        "/compositions", {"workloads": list(members), **more}, expected
    )


class TestQuestion:
    def test_says_who_gets_how_much_and_stores_nothing(self, application, orders, logs):
        before = application.get("/workloads")["total"]
        found = ask(application, member(orders), member(logs), ram_pages=20_000)
        assert [row["name"] for row in found["rows"]] == ["Orders", "Logs"]
        ids = [row["workload_id"] for row in found["rows"]]
        assert ids == [orders["id"], logs["id"]]
        assert [row["accesses_per_s"] for row in found["rows"]] == [2000.0, 500.0]
        assert sum(row["shared_pages"] for row in found["rows"]) == pytest.approx(
            20_000
        )
        assert sum(row["partition_pages"] for row in found["rows"]) == 20_000
        for way in ("shared", "partition"):
            missed = sum(row[f"{way}_misses_per_s"] for row in found["rows"])
            assert missed == pytest.approx(found[f"{way}_misses_per_s"])
            assert found[f"{way}_miss_ratio"] == pytest.approx(missed / 2500)
        assert found["finding"].startswith("2 workloads in one cache of 156 MiB miss")
        assert found["data_pages"] == 2 * 2**30 // PAGE
        assert found["known_error"] == 0.05
        assert found["scaled"] is None
        assert found["better"] == "partitions"
        assert found["derivation"] is None
        assert application.get("/workloads")["total"] == before

    def test_has_the_curves_of_all_and_of_each(self, application, orders, logs):
        found = ask(application, member(orders), member(logs))
        curves = found["curves"]
        assert found["ram_pages"] == found["data_pages"] // 10
        assert curves["pages"] == sorted(set(curves["pages"]))
        for ratios in (curves["shared_hit_ratios"], curves["partition_hit_ratios"]):
            assert len(ratios) == len(curves["pages"])
            assert ratios == sorted(ratios)
        assert [each["name"] for each in curves["alone"]] == ["Orders", "Logs"]
        whole = ask(
            application,
            member(orders),
            member(logs),
            ram_pages=curves["pages"][40],
            partitioned=False,
        )
        assert 1 - whole["shared_miss_ratio"] == pytest.approx(
            curves["shared_hit_ratios"][40]
        )
        assert whole["partition_miss_ratio"] is None
        assert whole["better"] is None
        assert whole["curves"]["partition_hit_ratios"] is None

    def test_twice_at_half_the_rate_is_the_curve_stretched_by_two(
        self, application, orders
    ):
        alone = ask(application, member(orders), ram_pages=10_000)
        half = member(orders, times_recorded=0.5)
        twice = ask(application, half, half, ram_pages=20_000)
        assert [row["name"] for row in twice["rows"]] == ["Orders", "Orders #2"]
        assert twice["shared_misses_per_s"] == pytest.approx(
            alone["shared_misses_per_s"], rel=1e-6
        )
        assert twice["shared_write_backs_per_s"] == pytest.approx(
            alone["shared_write_backs_per_s"], rel=1e-6
        )
        assert [row["shared_pages"] for row in twice["rows"]] == pytest.approx(
            [1e4] * 2
        )
        stated = member(orders, accesses_per_s=1000.0)
        same = ask(application, stated, stated, ram_pages=20_000)
        assert same["shared_misses_per_s"] == pytest.approx(
            twice["shared_misses_per_s"]
        )

    def test_weights_move_the_split(self, application, orders, logs):
        def parts(weight):
            found = ask(
                application,
                member(orders),
                member(logs, miss_weight=weight),
                ram_pages=20_000,
            )
            return [row["partition_pages"] for row in found["rows"]]

        assert parts(1)[1] < parts(1000)[1]

    def test_a_scaled_workload_brings_the_rate_and_the_error_of_production(
        self, application, orders
    ):
        body = {
            "name": "Example in production",
            "data_bytes": TIB,
            "accesses_per_s": 90_000.0,
            "recorded_data_bytes": 512 * 2**20,
        }
        scaled = application.post("/workloads/example/scaled", body, 201)
        found = ask(application, member(scaled), member(orders))
        assert found["rows"][0]["accesses_per_s"] == pytest.approx(90_000)
        assert "of production" in found["rows"][0]["rate_basis"]
        known = found["scaled"]["known_error"]
        assert found["scaled"]["workloads"] == ["Example in production"]
        assert known["worst"] == pytest.approx(
            scaled["summary"]["production"]["known_error"]["worst"]
        )
        share = found["rows"][0]["shared_miss_share"]
        assert known["mean"] == pytest.approx(
            share * scaled["summary"]["production"]["known_error"]["mean"]
        )
        curves = found["curves"]
        for low, middle, high in zip(
            curves["shared_hit_ratios_low"],
            curves["shared_hit_ratios"],
            curves["shared_hit_ratios_high"],
            strict=True,
        ):
            assert low <= middle <= high
        [about] = [each for each in found["warnings"] if "scale" in each["name"]]
        assert "a factor of" in about["message"]
        made = compose(application, "With production", member(scaled), member(orders))
        summary = made["summary"]
        assert summary["scaled_parts"]["known_error"]["worst"] == known["worst"]
        curve = application.get(f"/workloads/{made['id']}/curve")
        middle = len(curve["pages"]) // 2
        low, high = curve["misses_low"][middle], curve["misses_high"][middle]
        assert low < curve["misses"][middle] < high

    def test_the_example_is_composed_with_others_of_its_page_size(
        self, application, orders
    ):
        example = {"workload_id": "example"}
        recorded = application.get("/workloads/example")["summary"]
        assert recorded["page_bytes"] == PAGE
        found = ask(application, example, member(orders), ram_pages=5000)
        assert found["rows"][0]["accesses_per_s"] == pytest.approx(
            recorded["accesses"] / recorded["duration_s"]
        )


class TestRefusals:
    def test_a_missing_workload_is_named(self, application, orders):
        problem = ask(
            application, member(orders), {"workload_id": "nobody"}, expected=404
        )
        assert "`nobody`" in problem["detail"]
        body = {"name": "No", "workloads": [{"workload_id": "nobody"}]}
        problem = application.post("/workloads/from-composition", body, 404)
        assert "`nobody`" in problem["detail"]

    def test_page_sizes_that_differ_are_named(self, application, orders):
        small = described(application, "Small pages", page_bytes=4096)
        problem = ask(application, member(orders), member(small), expected=422)
        assert "page size of Small pages" in problem["detail"]
        assert "4096" in problem["detail"]
        assert "must be that of Orders, 8192" in problem["detail"]
        assert "page size of 8192 bytes" in problem["hint"]

    def test_an_unknown_rate_is_asked_for_at_its_place(self, application, orders):
        curve = {"text": "pages,hit_ratio\n100,0.5\n1000,0.9", "page_bytes": PAGE}
        timeless = application.post(
            "/workloads/from-curve",
            {**curve, "name": "Timeless", "accesses": 10_000},
            201,
        )
        problem = ask(application, member(orders), member(timeless), expected=422)
        [fault] = problem["errors"]
        assert fault["where"] == "body.workloads.1.accesses_per_s"
        assert "Timeless" in fault["message"]
        found = ask(application, member(orders), member(timeless, accesses_per_s=10.0))
        assert found["shared_write_backs_per_s"] is None

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            ({"accesses_per_s": 5.0, "times_recorded": 2.0}, "stated twice"),
            ({"accesses_per_s": 0.0}, "greater than 0"),
            ({"times_recorded": -1.0}, "greater than 0"),
            ({"miss_weight": 0.0}, "greater than 0"),
            ({"accesses_per_s": "5"}, "not text"),
        ],
    )
    def test_rates_and_weights_are_checked(self, application, orders, more, told):
        problem = ask(application, member(orders, **more), expected=422)
        assert told in str(problem)

    def test_the_number_of_workloads_is_bounded(self, application, orders):
        assert "at least 1" in str(ask(application, expected=422))
        many = [member(orders)] * 33
        assert "at most 32" in str(ask(application, *many, expected=422))
        found = ask(application, *many[:32], ram_pages=1000)
        assert len(found["rows"]) == 32

    def test_sizes_are_checked(self, application, orders):
        for size in (0, -1, 1.5):
            ask(application, member(orders), ram_pages=size, expected=422)


def compose(application, name, *members):
    body = {"name": name, "workloads": list(members)}
    return application.post("/workloads/from-composition", body, 201)


@pytest.fixture(scope="module")
def made(application, orders, logs):
    return compose(
        application, "Both", member(orders), member(logs, accesses_per_s=800.0)
    )


class TestWorkload:
    def test_knows_of_what_it_was_composed(self, application, orders, logs, made):
        summary = made["summary"]
        assert made["status"] == "ready"
        assert summary["composed_of"] == [
            {"name": "Orders", "workload_id": orders["id"], "accesses_per_s": 2000.0},
            {"name": "Logs", "workload_id": logs["id"], "accesses_per_s": 800.0},
        ]
        assert summary["scaled_parts"] is None
        assert summary["accesses"] / summary["duration_s"] == pytest.approx(2800)
        assert summary["distinct_pages"] == 2 * 2**30 // PAGE
        assert (
            application.get(f"/workloads/{orders['id']}")["summary"]["composed_of"]
            is None
        )

    def test_has_the_curve_of_the_shared_cache(self, application, orders, logs, made):
        curve = application.get(f"/workloads/{made['id']}/curve?points=50")
        assert curve["composed_of"] == ["Orders", "Logs"]
        assert "composed by formula" in curve["estimator"]
        assert curve["misses_low"] is None
        size = curve["pages"][30]
        found = ask(
            application,
            member(orders),
            member(logs, accesses_per_s=800.0),
            ram_pages=size,
        )
        assert curve["misses"][30] / curve["accesses"] == pytest.approx(
            found["shared_miss_ratio"], rel=1e-6
        )

    def test_answers_questions_with_the_write_backs_of_its_workloads(
        self, application, made
    ):
        asked = {
            "workload_id": made["id"],
            "flash_device_id": FLASH,
            "disk_device_id": DISK,
            "ram_pages": 2000,
            "flash_pages": 20_000,
        }
        found = application.post("/evaluations", asked, 200)
        assert found["dirty_share"]["state"] == "composed"
        names = {each["name"] for each in found["warnings"]}
        assert "composed_workload" in names
        assert "given_curve" not in names
        problem = application.post("/evaluations", {**asked, "dirty_share": 0.3}, 422)
        assert "composed workload follows from the write-backs" in problem["detail"]

    def test_cannot_be_replayed(self, application, made):
        body = {
            "workload_id": made["id"],
            "contenders": [{"family": "policy", "name": "lru"}],
            "ram_pages": [10],
        }
        refused = application.client.post("/sweeps", json=body)
        assert refused.status_code == 409, refused.text
        assert "curves of several workloads" in refused.json()["detail"]

    def test_is_composed_again_with_others(self, application, orders, made):
        found = ask(application, member(made), member(orders, times_recorded=0.1))
        assert found["rows"][0]["accesses_per_s"] == pytest.approx(2800)
        assert found["rows"][1]["accesses_per_s"] == pytest.approx(200)
        again = compose(application, "All", member(made), member(orders))
        assert [each["name"] for each in again["summary"]["composed_of"]] == [
            "Both",
            "Orders",
        ]

    def test_a_profile_composed_elsewhere_is_named_without_ids(self, application):
        from tierwright.evaluate.compose.composed import composed_profile
        from tierwright.profile.curve import Curve, Given
        from tierwright.profile.several import Workload

        curve = Curve.from_lists(
            [1, 10],
            [50, 5],
            None,
            accesses=100,
            distinct_pages=10,
            page_bytes=PAGE,
            write_accesses=0,
            given=Given("table", data_known=True),
        )
        profile = composed_profile([Workload("a", curve, 1.0)]).to_dict()
        body = {"name": "From a file", "profile": profile}
        made = application.post("/workloads/from-profile", body, 201)
        assert made["summary"]["composed_of"] == [
            {"name": "a", "workload_id": None, "accesses_per_s": None}
        ]
