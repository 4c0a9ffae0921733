"""Pool splits: the API's numbers are the models' and the core's own, at any R."""

import pytest
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright.advise import pool_split, pool_survey
from tierwright.advise.pool_survey import device_asymmetry
from tierwright.hardware import catalog
from tierwright.trace.reading import Trace

PAGES = 500


@pytest.fixture(scope="module")
def split(application):
    """A computed pool split of the example."""
    return finish(application, {"workload_id": "example", "pages": PAGES})


@pytest.fixture(scope="module")
def survey():
    return pool_survey.survey(Trace(EXAMPLE_TRACE), PAGES)


def finish(application, body):
    found = application.post("/pool-splits", body, 202)
    if found["status"] != "succeeded":
        run = application.wait_run(found["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"/pool-splits/{found['id']}")


def costs(application, split, **query):
    return application.get(f"/pool-splits/{split['id']}/costs", params=query)


class TestCosts:
    @pytest.mark.parametrize("asymmetry", [0.5, 1, 8, 32.5, 1000])
    def test_equal_the_models_and_a_replay_of_the_best_split(
        self, application, split, survey, asymmetry
    ):
        found = costs(application, split, asymmetry=asymmetry)
        priced = survey.at(asymmetry)
        assert found["best_clean_pages"] == priced.best_clean_pages
        assert found["best_cost"] == priced.best_cost
        assert found["estimated_clean_pages"] == priced.estimated_clean_pages
        [own] = _simulator.simulate_splits(
            EXAMPLE_TRACE, PAGES, [found["best_clean_pages"]]
        )
        [row] = [
            row
            for row in found["replays"]
            if row["clean_pages"] == found["best_clean_pages"]
        ]
        assert (row["reads"], row["writes"]) == (own["reads"], own["writes"])
        without = (own["reads"] + asymmetry * own["writes"]) / own["accesses"]
        assert row["cost_without_closing_writes"] == pytest.approx(without)
        assert (
            row["cost"]
            == found["best_cost"]
            == min(row["cost"] for row in found["replays"])
        )
        for baseline in found["baselines"]:
            buffer = _simulator.replay(EXAMPLE_TRACE, "buffer", baseline["name"], PAGES)
            assert baseline["reads"] == buffer["reads"]
            assert baseline["gain"] == pytest.approx(
                1 - found["best_cost"] / baseline["cost"]
            )

    def test_the_estimate_is_that_of_the_command_line(self, application, split):
        found = costs(application, split, asymmetry=32)
        own = pool_split.answer(Trace(EXAMPLE_TRACE), PAGES, 32)
        assert found["estimated_clean_pages"] == own.best_clean_pages
        assert found["estimates"] == own.estimates

    def test_the_answer_is_that_of_the_command_line(self, application, split):
        found = costs(application, split, asymmetry=32)
        own = pool_split.answer(Trace(EXAMPLE_TRACE), PAGES, 32)
        assert found["best_clean_pages"] == own.recommended_clean_pages
        assert found["best_cost"] == own.recommended_cost
        for baseline in found["baselines"]:
            assert baseline["gain"] == own.gain_over[baseline["name"]]

    def test_the_curve_is_thinned_and_keeps_ends_and_optima(self, application, split):
        found = costs(application, split, asymmetry=8, points=20)
        clean = found["curve"]["clean_pages"]
        assert clean == sorted(set(clean))
        assert (clean[0], clean[-1]) == (1, PAGES - 1)
        assert set(found["best_by_estimator"].values()) <= set(clean)
        assert {row["clean_pages"] for row in found["replays"]} <= set(clean)
        assert len(clean) < 80
        for column in found["curve"].values():
            assert len(column) == len(clean)

    def test_the_words_fit_the_numbers(self, application, split):
        for asymmetry in (1, 32, 1000):
            found = costs(application, split, asymmetry=asymmetry)
            rival = min(found["baselines"], key=lambda row: row["cost"])
            assert rival["title"] in found["finding"]
            gains = rival["gain"] >= 0.01
            assert (
                "save" in found["finding"] and "less than 1 %" not in found["finding"]
            ) == gains
            assert f"{found['best_clean_pages']:,} clean" in found["sentence"]

    def test_every_number_of_the_derivation_is_on_the_page(self, application, split):
        found = costs(application, split, asymmetry=32, derivation=True)
        steps = {step["name"]: step for step in found["derivation"]}
        assert steps["R"]["value"] == 32
        assert steps["simulated"]["value"] == found["best_cost"]
        for name, value in found["estimates"].items():
            assert steps[name]["value"] == value
            assert steps[name]["formula"]
        p_c, p_d, p_dw = (steps[name]["value"] for name in ("P_c", "P_d", "P_dw"))
        flow = max(0, p_c + p_d - 1) + steps["w"]["value"] * p_dw * 32
        assert steps["flow"]["value"] == pytest.approx(flow)


class TestGains:
    def test_each_device_has_its_own_asymmetry_and_split(
        self, application, split, survey
    ):
        found = application.get(f"/pool-splits/{split['id']}/gains")
        assert found["without"] > 0
        shown = {row["device_id"]: row for row in found["devices"]}
        ratios = [row["asymmetry"] for row in found["devices"]]
        assert ratios == sorted(ratios, reverse=True)
        device = catalog.device("kv2009-samsung-mcaqe32g5app")
        row = shown[device.id]
        asymmetry, basis = device_asymmetry(device, page_bytes=8192)
        assert (row["asymmetry"], row["asymmetry_basis"]) == (asymmetry, basis)
        assert (row["best_clean_pages"], row["best_cost"]) == survey.best_simulated(
            asymmetry
        )

    def test_the_gains_are_those_of_the_costs(self, application, split):
        found = application.get(f"/pool-splits/{split['id']}/gains")
        assert found["gains"][0]["asymmetry"] == 1
        for row in found["gains"][::24]:
            at = costs(application, split, asymmetry=row["asymmetry"])
            assert row["best_cost"] == at["best_cost"]
            assert row["gain_over"] == {
                baseline["name"]: baseline["gain"] for baseline in at["baselines"]
            }


class TestLife:
    def test_the_same_inputs_are_found_again(self, application, split):
        again = application.post(
            "/pool-splits", {"workload_id": "example", "pages": PAGES}, 202
        )
        assert again == application.get(f"/pool-splits/{split['id']}")
        other = application.post(
            "/pool-splits",
            {"workload_id": "example", "pages": PAGES, "distance": "grouped"},
            202,
        )
        assert other["id"] != split["id"]

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"pages": 1}, "body.pages"),
            ({"pages": 2**40}, "body.pages"),
            ({"distance": "far"}, "body.distance"),
        ],
    )
    def test_bad_input(self, application, changes, where):
        body = {"workload_id": "example", "pages": 10, **changes}
        problem = application.post("/pool-splits", body, 422)
        assert problem["errors"][0]["where"] == where

    @pytest.mark.parametrize("asymmetry", ["0", "-1", "nan", "inf", "x"])
    def test_a_wrong_asymmetry_is_refused(self, application, split, asymmetry):
        answer = application.client.get(
            f"/pool-splits/{split['id']}/costs", params={"asymmetry": asymmetry}
        )
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == "query.asymmetry"

    def test_unknown_ids(self, application):
        for path in ("", "/costs?asymmetry=2", "/gains"):
            answer = application.client.get(f"/pool-splits/nothing{path}")
            assert answer.status_code == 404
        body = {"workload_id": "nothing", "pages": 10}
        application.post("/pool-splits", body, 404)

    def test_costs_of_one_that_is_not_computed_are_not_ready(self, make_settings):
        from live_app import run_application

        with run_application(make_settings()) as own:
            own.wait_example()
            own.stop_workers()
            found = own.post(
                "/pool-splits", {"workload_id": "example", "pages": 9}, 202
            )
            answer = own.client.get(
                f"/pool-splits/{found['id']}/costs", params={"asymmetry": 2}
            )
            assert answer.status_code == 409
            own.post(f"/runs/{found['run']['id']}/cancel", {}, 200)
            again = own.post(
                "/pool-splits", {"workload_id": "example", "pages": 9}, 202
            )
            assert again["run"]["id"] != found["run"]["id"]
            own.start_worker()
            assert own.wait_run(again["run"]["id"])["status"] == "succeeded"
            assert own.get(f"/pool-splits/{found['id']}")["status"] == "succeeded"
