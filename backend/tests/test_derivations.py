"""The arithmetic that a step shows gives the value beside it."""

import math
import re

import pytest

pytestmark = pytest.mark.usefixtures("application")

POINT = {
    "workload_id": "example",
    "ram_pages": 1000,
    "flash_pages": 5001,
    "flash_device_id": "face2016-samsung-850evo-250",
    "disk_device_id": "face2016-cheetah-15k6-single",
}
TERM = re.compile(r"[a-zA-Z]\w*")
GIVEN = re.compile(r"([A-Za-z]\w*(?: [a-z]+)*) = (-?[\d,]*\d(?:\.\d+)?(?:e[+-]\d+)?)")


def numbers(text):
    """The numbers put in, by symbol."""
    return {name: float(value.replace(",", "")) for name, value in GIVEN.findall(text)}


def products(formula, known):
    """Value of a sum of products that are written side by side."""
    spaced = re.sub(r"(?<=[\w)\]]) (?=[\w(\[])", " * ", formula)
    spaced = spaced.replace("[", "(").replace("]", ")")
    names = {"max": max, "min": min, "floor": math.floor, **known}
    return eval(spaced, {"__builtins__": {}}, names)


def steps_of(answer, scheme):
    return {
        step["name"].rpartition(": ")[2]: step
        for step in answer["derivation"]
        if step["scheme"] == scheme
    }


class TestSchemes:
    @pytest.mark.parametrize("metadata", [None, "face"])
    @pytest.mark.parametrize("scheme", ["none", "inclusive", "exclusive", "lazy"])
    @pytest.mark.parametrize(
        "path", ["/evaluations/derivation", "/scheme-maps/point?derivation=true"]
    )
    def test_the_terms_follow_from_the_numbers_and_add_up(
        self, application, path, scheme, metadata
    ):
        body = POINT if metadata is None else {**POINT, "flash_metadata": metadata}
        answer = application.post(path, body, 200)
        steps = steps_of(answer, scheme)
        known = {name: step["value"] for name, step in steps.items()}
        total = 0.0
        for name in (
            "flash_reads",
            "flash_fills",
            "flash_write_backs",
            "disk_reads",
            "disk_writes",
        ):
            for form in steps[name]["formula"].split(" = "):
                assert products(form, known) == pytest.approx(steps[name]["value"])
            total += steps[name]["value"]
        assert total == pytest.approx(steps["io_time_us_per_access"]["value"])
        for name in ("RAM hits", "flash hits", "disk reads", "flash writes"):
            if name in steps:
                assert products(steps[name]["formula"], known) == pytest.approx(
                    steps[name]["value"]
                )
        if path == "/evaluations":
            shown = {row["scheme"]: row for row in answer["schemes"]}[scheme]
            assert known["RAM hits"] == shown["ram_hit_ratio"]
            assert known["disk reads"] == shown["miss_ratio"]
            assert known.get("flash writes", 0) == shown["flash_writes_per_access"]
        assert steps["hits"]["value"] == pytest.approx(
            known["m_r"] - known["m_f"] if scheme != "none" else 0
        )

    def test_a_price_shows_how_it_is_spread_over_months(self, application):
        answer = application.post(
            "/evaluations",
            {**POINT, "price_book_id": "papers-2015", "amortisation_months": 7},
            200,
        )
        parts = {
            part["part"]: part
            for scheme in answer["schemes"]
            if scheme["scheme"] == "lazy"
            for part in scheme["money"]["parts"]
        }
        flash = parts["flash"]
        assert flash["basis"].startswith("40,968,192 bytes x 0.39 USD/GB / 7 months; ")
        assert float(flash["usd_per_month"]) == pytest.approx(
            40_968_192 * 0.39 / 1e9 / 7
        )

    def test_a_point_of_the_map_shows_what_its_cost_is_made_of(self, application):
        body = {
            **POINT,
            "ram_device_id": "dram-ddr5-4800-rdimm",
            "price_book_id": "papers-2015",
        }
        answer = application.post("/scheme-maps/point?derivation=true", body, 200)
        steps = steps_of(answer, "lazy")
        for name in ("usd_per_month", "price x time"):
            formula, _, given = steps[name]["formula"].partition("; ")
            formula = re.sub(r" (USD/month|µs)", "", formula).replace(" x ", " * ")
            assert products(formula, numbers(given)) == pytest.approx(
                steps[name]["value"], rel=1e-4
            )
        [row] = [row for row in answer["schemes"] if row["scheme"] == "lazy"]
        assert steps["price x time"]["value"] == row["price_times_time"]


class TestThroughput:
    def test_many_devices_share_a_demand_once(self, application):
        answer = application.post(
            "/throughputs?derivation=true",
            {
                **POINT,
                "clients": 20,
                "think_us": 10_000.0,
                "accesses_per_transaction": 10.0,
                "cpu_us_per_transaction": 200.0,
                "cpus": 2,
                "disks": 4,
            },
            200,
        )
        for scheme in ("none", "lazy"):
            steps = steps_of(answer, scheme)
            known = {name: step["value"] for name, step in steps.items()}
            demand = steps["D_disk"]["formula"].partition("; ")
            assert products(demand[0], numbers(demand[2])) / 1000 == pytest.approx(
                known["D_disk"], rel=1e-5
            )
            head = steps["D_max"]["formula"].partition("), of")[0] + ")"
            assert products(head, known) == pytest.approx(known["D_max"])
            assert products(steps["D"]["formula"], known) == pytest.approx(known["D"])
            z = numbers(steps["N*"]["formula"])["Z"]
            assert (known["D"] + z) / known["D_max"] == pytest.approx(known["N*"])
            assert 20 / known["X"] * 1000 - z == pytest.approx(known["R"])
            knee = steps["knee in disks"]["formula"].rpartition(" = ")[2]
            assert products(knee.replace(" ms", ""), {}) == pytest.approx(
                known["knee in disks"], rel=1e-4
            )


class TestBreakEven:
    @pytest.mark.parametrize(
        "more", [{}, {"old_share": 0.3}, {"flash_metadata": "face"}]
    )
    def test_the_gains_follow_from_the_numbers_put_in(self, application, more):
        body = {key: value for key, value in POINT.items() if key != "flash_pages"} | {
            "ram_device_id": "dram-ddr5-4800-rdimm",
            "price_book_id": "papers-2015",
            "usd": 0.01,
            "deltas": [0.5],
            **more,
        }
        steps = {
            step["name"]: step
            for step in application.post("/break-evens?derivation=true", body, 200)[
                "derivation"
            ]
        }
        for name in ("dram_gain, next money", "flash_gain, next money"):
            formula, _, given = steps[name]["formula"].partition("; ")
            found = products(formula.partition(", ")[0], numbers(given))
            assert found == pytest.approx(steps[name]["value"], rel=1e-3, abs=1e-3)
        formula, _, given = steps["theta, full form"]["formula"].partition("; ")
        known = numbers(given)
        gained = products(formula.partition("<= ")[2].partition(", ")[0], known)
        # The least flash gains what the step of DRAM does; a unit of metadata may leap over.
        assert gained >= known["dram_gain"] * (1 - 1e-3)
        assert "time" not in {step["unit"] for step in steps.values()}
        assert not any(" time" in step["formula"] for step in steps.values())


class TestPlaces:
    def test_the_directory_shows_what_its_costs_are_made_of(self, application):
        answer = application.post(
            "/directories?derivation=true",
            {**POINT, "flash_page_bytes": [8192, 65536]},
            200,
        )
        steps = {step["name"]: step for step in answer["derivation"]}
        for name, step in steps.items():
            formula, _, given = step["formula"].partition("; ")
            if name.endswith((": RAM pages", ", C_d/N", ", block reads")):
                given = given.replace("b_f f = ", "bf = ")
                formula = formula.replace("b_f f", "bf")
                assert products(formula, numbers(given)) == pytest.approx(
                    step["value"], rel=1e-4
                ), name

    def test_the_choice_shows_time_saving_and_price(self, application):
        body = {key: POINT[key] for key in POINT if key != "flash_device_id"}
        answer = application.post(
            "/flash-choices?derivation=true",
            {
                **body,
                "candidate_ids": ["face2016-samsung-850evo-250"],
                "price_book_id": "papers-2015",
            },
            200,
        )
        steps = {step["name"]: step for step in answer["derivation"]}
        for name in ("I/O time", "saved"):
            shown = steps[name]["formula"].rpartition(" = ")[2]
            assert products(shown, {}) == pytest.approx(steps[name]["value"], rel=1e-5)
        assert steps["price of flash"]["formula"].endswith("x 0.39 USD/GB / 36 months")
