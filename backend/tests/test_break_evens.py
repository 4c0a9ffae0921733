"""DRAM or flash over HTTP: the numbers are the models', the words fit them."""

import math
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright.advise.checks import dram_or_flash as checking
from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.advise.dram_or_flash import words
from tierwright.advise.dram_or_flash.rows import step_rows
from tierwright.common.wording import percent
from tierwright.evaluate import metadata
from tierwright.evaluate.break_even import next_money, schemes
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.simulate.priced import price

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
BOOK = "papers-2015"


def question(**changes):
    return {
        "workload_id": "example",
        "ram_pages": 500,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        "price_book_id": BOOK,
        "usd": "0.02",
        **changes,
    }


def ask(application, **changes):
    return application.post("/break-evens?derivation=true", question(**changes), 200)


class TestSurplus:
    """Flash for more pages than there are is worth nothing, and is said to be."""

    @pytest.mark.parametrize("start", ["steady", "cold"])
    def test_is_said_where_the_sum_buys_it(self, application, start):
        few = ask(application, start=start)
        money = few["next_money"]
        useful = money["flash_useful_pages"]
        assert money["flash_pages"] < useful
        assert "gains nothing here" not in few["sentence"]
        each = Decimal(money["usd"]) / money["flash_pages"]
        gains = {}
        for share in (Decimal("1.01"), Decimal(4)):
            much = ask(
                application, start=start, usd=str(round(each * useful * share, 6))
            )
            found = much["next_money"]
            assert found["flash_pages"] > useful
            assert (
                f"Flash of more than {useful:,} pages, which cost " in much["sentence"]
            )
            gains[share] = found["equal_money"][0]["flash_gain_us"]
        assert len(gains) == 2
        first, second = gains.values()
        assert second == pytest.approx(first, rel=1e-6)
        # Less of it gains less.
        half = ask(application, start=start, usd=str(round(each * useful / 4, 6)))
        assert half["next_money"]["equal_money"][0]["flash_gain_us"] < 0.99 * first


class TestNumbers:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"disks": 8, "sequential_writes": True, "old_share": 0.3},
            {"read_share": 0.5, "flash_metadata": "l2arc", "deltas": [1, 20]},
        ],
    )
    def test_equal_the_models(self, application, curve, changes):
        answer = ask(application, **changes)
        preset = changes.get("flash_metadata")
        expected = break_even_question.analyse(
            catalog.device(FLASH),
            catalog.device(DISK),
            deltas=changes.get("deltas", (0.5, 1, 3)),
            read_share=changes.get("read_share", answer["times"]["read_share"]),
            disks=changes.get("disks", 1),
            curve=curve,
            ram_pages=500,
            prices=catalog.price_book(BOOK),
            old_share=changes.get("old_share", 0.0),
            sequential_writes=changes.get("sequential_writes", False),
            flash_metadata=None if preset is None else metadata.preset(preset),
        )
        steps = answer["steps"]
        assert [step["theta_log"] for step in steps] == expected.theta
        assert [step["theta_curve"] for step in steps] == expected.theta_from_curve
        assert [step["theta_full"] for step in steps] == expected.theta_full
        assert answer["exponent"] == expected.exponent
        assert [each["interval_s"] for each in answer["intervals"]] == [
            each.interval_s for each in expected.intervals
        ]
        share = 1 - curve.write_accesses / curve.accesses
        assert answer["times"]["read_share"] == changes.get("read_share", share)
        told = answer["times"]["read_share_basis"]
        assert ("as given" in told) == ("read_share" in changes)

    def test_the_next_money_is_the_models(self, application, curve):
        answer = ask(application)
        costs = break_even_question.page_costs(
            catalog.device(FLASH), catalog.device(DISK), 1, 8192, sequential=False
        )
        book = catalog.price_book(BOOK)
        prices = break_even_question.tier_prices(
            None, catalog.device(FLASH), catalog.device(DISK), book, 36
        )
        expected = next_money.next_money(
            schemes.BestGains(curve, 500, costs),
            usd=Decimal("0.02"),
            dram_usd_per_byte=prices.per_byte(prices.ram),
            flash_usd_per_byte=prices.per_byte(prices.flash),
        )
        found = answer["next_money"]
        assert answer["form"] == "full"
        main, other = found["equal_money"]
        assert (main["form"], other["form"]) == ("full", "plain")
        assert main["dram_gain_us"] == expected.dram_gain
        assert main["flash_gain_us"] == expected.flash_gain
        assert main["flip_price_ratio"] == expected.flip_price_ratio
        assert found["flash_next"] == expected.flash_next.tolist()
        assert [Decimal(usd) for usd in found["spent_usd"]] == expected.spent_usd
        assert [
            (Decimal(each["usd"]), each["better_beyond"]) for each in found["crossings"]
        ] == [(each.usd, each.better_beyond) for each in expected.crossings]

    def test_the_price_ratio_flips_the_decision_where_it_says(self, application):
        flip = ask(application)["next_money"]["equal_money"][0]["flip_price_ratio"]
        below = ask(application, price_ratio=flip * 0.95)
        above = ask(application, price_ratio=flip * 1.05)
        assert below["next_money"]["equal_money"][0]["winner"] == "flash"
        assert above["next_money"]["equal_money"][0]["winner"] == "dram"
        assert "belongs in flash" in below["finding"]
        assert "belongs in DRAM" in above["finding"]
        assert below["prices"]["ratio"] == pytest.approx(flip * 0.95)
        assert below["prices"]["stated_ratio"] == ask(application)["prices"]["ratio"]

    def test_money_comes_out_as_decimal_strings(self, application):
        answer = ask(application, usd="0.0200")
        assert answer["next_money"]["usd"] == "0.0200"
        assert Decimal(answer["prices"]["dram_usd_per_gib"]) == Decimal("4.7")
        assert all(isinstance(usd, str) for usd in answer["plan"]["spent_usd"])

    def test_without_a_sum_one_that_about_doubles_the_dram_is_taken(self, application):
        found = ask(application, usd=None)["next_money"]
        assert found["usd"] == found["usual_usd"]
        assert 500 <= found["dram_pages"] <= 1250 or found["flash_pages"] >= 500

    def test_unreachable_is_null_never_clipped(self, application):
        answer = ask(application, deltas=[1000])
        (step,) = answer["steps"]
        assert step["theta_curve"] is None
        assert step["flip_curve"] is None
        assert step["theta_log"] > 1000
        assert "unreachable" in {warning["name"] for warning in answer["warnings"]}

    def test_what_is_null_says_why(self, application, curve):
        answer = ask(application, deltas=[0.5, 1000])
        fits, beyond = answer["steps"]
        assert fits["reasons"] == {}
        assert set(beyond["reasons"]) == {
            name for name, value in beyond.items() if value is None
        }
        assert beyond["reasons"]["theta_curve"].startswith("unreachable")
        assert beyond["reasons"]["flip_full"].startswith("unreachable")
        for row in answer["next_money"]["equal_money"]:
            assert (row["flip_reason"] == "") == (row["flip_price_ratio"] is not None)

    def test_not_computed_is_told_from_unreachable(self, curve):
        bare = Curve.from_lists(
            curve.pages,
            curve.misses_at,
            None,
            accesses=curve.accesses,
            distinct_pages=curve.distinct_pages,
            page_bytes=curve.page_bytes,
            write_accesses=0,
        )
        found = break_even_question.analyse(
            catalog.device(FLASH),
            catalog.device(DISK),
            deltas=[0.5, 1000],
            curve=bare,
            ram_pages=500,
        )
        fits, beyond = step_rows(bare, 500, found)
        assert fits.theta_full is None
        assert "not computed" in fits.reasons["theta_full"]
        assert "not computed" in fits.reasons["flip_full"]
        assert "unreachable" in beyond.reasons["theta_curve"]

    def test_dram_that_gains_nothing_has_nothing_to_match(self, curve):
        found = break_even_question.analyse(
            catalog.device(FLASH),
            catalog.device(DISK),
            deltas=[1.0],
            curve=curve,
            ram_pages=2 * curve.distinct_pages,
        )
        (step,) = step_rows(curve, 2 * curve.distinct_pages, found)
        assert step.theta_curve == 0
        assert "nothing to match" in step.reasons["flip_curve"]
        assert "theta_curve" not in step.reasons

    def test_more_flash_than_its_metadata_leave_dram_for_is_said(self, application):
        answer = ask(
            application,
            ram_pages=5,
            flash_metadata="l2arc",
            usd="0.002",
            flash_device_id="samsung-pm9a3-7.68tb-u2",
            disk_device_id="face2016-cheetah-15k6-raid0-16",
            price_book_id="street-2026-q1",
        )
        (main, _) = answer["next_money"]["equal_money"]
        assert main["flash_gain_us"] is None
        assert answer["next_money"]["ram_pages_beside_flash"] == 0
        assert "buy less flash" in answer["finding"]
        assert "metadata cost more than it gains" in answer["flip_finding"]

    def test_a_first_sum_that_must_earn_back_its_writes_is_told_apart(
        self, application
    ):
        answer = ask(
            application,
            usd="0.05",
            price_ratio=0.6,
            ram_pages=307,
            flash_device_id="samsung-pm9a3-7.68tb-u2",
            disk_device_id="face2016-cheetah-15k6-raid0-16",
            price_book_id="street-2026-q1",
        )
        money = answer["next_money"]
        assert money["equal_money"][0]["winner"] == "dram"
        assert answer["finding"].startswith(
            "The first 0.05 USD belongs in DRAM; flash is the better buy from"
        )
        larger = money["total_crossings"][0]
        assert larger["better_beyond"] == "flash"
        assert f"{float(larger['usd']):.3g}" in answer["finding"]
        assert "Before its first hit" in answer["sentence"]
        assert money["entry_gain_us"] < 0

    def test_sums_that_gain_alike_name_the_cheaper_way(self, application):
        """So much of either holds all pages; DRAM leads by a few hundredths of a per cent."""
        asked = {
            "ram_pages": 2000,
            "flash_device_id": "samsung-pm9a3-7.68tb-u2",
            "disk_device_id": "seagate-exos-x24-24tb",
            "price_book_id": "street-2026-q3",
        }
        answer = ask(application, usd="20", **asked)
        row = answer["next_money"]["equal_money"][0]
        assert row["winner"] == "dram"
        assert 0.99 < row["flash_gain_us"] / row["dram_gain_us"] < 1
        money = answer["next_money"]
        useful, bought = money["flash_useful_pages"], money["flash_pages"]
        assert answer["finding"] == (
            "The next 20 USD saves as much in flash as in DRAM, to within 1 %, and "
            f"{20 * useful / bought:.3f} USD of flash is enough for this"
        )
        assert answer["flip_finding"].endswith(
            "flash gains what DRAM gains to within 1 %, but never all of it"
        )
        less = ask(application, usd="5", **asked)
        assert "belongs in flash" in less["finding"]
        assert "never all of it" not in less["flip_finding"]

    def test_every_figure_has_its_derivation(self, application):
        rows = ask(application)["derivation"]
        names = " ".join(row["name"] for row in rows)
        for part in (
            "dram_gain",
            "flash_gain",
            "flip_price_ratio",
            "theta",
            "interval",
        ):
            assert part in names
        assert len({row["name"] for row in rows}) == len(rows)
        for form in ("log model", "hits alone", "full form"):
            assert f"theta, {form} (1 of 3)" in names
            assert f"flip_price_ratio, {form} (1 of 3)" in names
        assert all(row["source"] and row["formula"] for row in rows)


class TestWithoutPrices:
    def test_sizes_break_even_all_the_same(self, application):
        ram = "dram-ddr5-4800-rdimm"  # states no price of its own
        answer = ask(application, price_book_id=None, usd=None, ram_device_id=ram)
        assert answer["next_money"] is None
        assert answer["plan"] is None
        assert "price of DRAM" in answer["prices"]["reason"]
        assert answer["steps"][0]["theta_curve"] > 0
        assert any(row["name"].startswith("theta, ") for row in answer["derivation"])
        assert answer["validity"]
        assert "Choose a price book" in answer["sentence"]

    def test_money_without_prices_is_refused(self, application):
        problem = application.post("/break-evens", question(price_book_id=None), 422)
        assert problem["errors"][0]["where"] == "body.usd"
        assert "price book" in problem["hint"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "status", "where"),
        [
            ({"ram_pages": 0}, 422, "body.ram_pages"),
            ({"deltas": [0]}, 422, "body.deltas.0"),
            ({"price_ratio": 0}, 422, "body.price_ratio"),
            ({"old_share": 1}, 422, "body.old_share"),
            ({"flash_metadata": "zfs"}, 422, "body.flash_metadata"),
            ({"colour": "red"}, 422, "body.colour"),
        ],
    )
    def test_bad_values_are_named(self, application, changes, status, where):
        problem = application.post("/break-evens", question(**changes), status)
        assert where in [error["where"] for error in problem["errors"]]

    def test_flash_slower_than_disk_never_breaks_even(self, application):
        problem = application.post(
            "/break-evens", question(flash_device_id=DISK, disk_device_id=FLASH), 422
        )
        assert "no amount of flash breaks even" in problem["detail"]

    def test_what_is_not_there_is_named(self, application):
        for key in ("workload_id", "flash_device_id", "price_book_id"):
            problem = application.post(
                "/break-evens", question(**{key: "nothing"}), 404
            )
            assert "`nothing`" in problem["detail"]


def test_the_presets_of_metadata_are_the_models(application):
    rows = application.get("/catalog/flash-metadata")
    assert {row["name"]: row["entry_bytes"] for row in rows} == {
        name: preset.entry_bytes for name, preset in metadata.PRESETS.items()
    }


class TestCheck:
    """The DRAM step and the flash that is to match it, replayed."""

    BODY = {
        "start": "cold",
        "ram_pages": 2000,
        "flash_device_id": "face2016-intel-p3700-400",
        "disk_device_id": "face2016-cheetah-15k6-raid0-16",
        "usd": None,
        "price_book_id": None,
    }

    def check(self, application, **changes):
        body = question(**{**self.BODY, "delta": 0.5, **changes})
        return application.post("/break-evens/check", body, 200)

    def test_exact_schemes_deliver_the_step_by_replay(self, application):
        found = self.check(application)
        rows = {
            (row["of"], row["figure"].partition(" by ")[0]): row
            for row in found["rows"]
        }
        dram = rows["none", "saved"]
        assert dram["figure"] == "saved by 1,000 more pages"
        assert dram["gap_relative"] == pytest.approx(0, abs=1e-9)
        for scheme in ("exclusive", "inclusive_global"):
            assert rows[scheme, "saved"]["gap_relative"] == pytest.approx(0, abs=5e-3)
            share = rows[scheme, "share of what the DRAM saves"]
            assert share["simulated"] == pytest.approx(1, abs=0.01)
        assert "of 4 break-evens lie within their stated error" in found["sentence"]
        answer = ask(application, **{**self.BODY, "deltas": [0.5]})
        (step,) = answer["steps"]
        theta = {each["scheme"]: each["theta"] for each in step["schemes"]}
        best = step["best_scheme"]
        assert theta[best] == min(each for each in theta.values() if each is not None)
        assert step["theta_full"] == theta[best]
        pages = int(rows[best, "saved"]["figure"].split()[2].replace(",", ""))
        assert pages == pytest.approx(theta[best] * 2000, abs=1)

    def test_flash_caches_are_replayed_with_the_flash_of_the_best_scheme(
        self, application
    ):
        names = ["face", "larc"]
        disks = 4
        found = self.check(application, flash_caches=names, disks=disks)
        alone = self.check(application, disks=disks)
        rows = {
            (row["of"], row["figure"].partition(" by ")[0]): row
            for row in found["rows"]
        }
        (step,) = ask(application, **{**self.BODY, "deltas": [0.5], "disks": disks})[
            "steps"
        ]
        best = step["best_scheme"]
        figure = rows[best, "saved"]["figure"]
        pages = int(figure.split()[2].replace(",", ""))
        flash = catalog.device(self.BODY["flash_device_id"])
        disk = catalog.device(self.BODY["disk_device_id"])

        def time_us(family, name, flash_pages):
            counted = _simulator.replay(EXAMPLE_TRACE, family, name, 2000, flash_pages)
            tiers = price(counted, flash=flash, disk=disk).tiers_us_per_access
            return tiers["flash"] + tiers["disk"] / disks

        before = time_us("scheme", "none", 0)
        dram = rows["none", "saved"]["simulated"]
        for name in names:
            row = rows[name, "saved"]
            assert row["figure"] == figure
            assert row["model"] is None
            gain = before - time_us("flash_cache", name, pages)
            assert row["simulated"] == pytest.approx(gain)
            share = rows[name, "share of what the DRAM saves"]["simulated"]
            assert share == pytest.approx(gain / dram)
        first = max(names, key=lambda name: rows[name, "saved"]["simulated"])
        title = rows[first, "saved"]["title"]
        said = f" With as much flash, of the flash caches, {title} saves most, "
        assert found["sentence"].startswith(alone["sentence"] + said)
        assert f"replayed with the {pages:,} pages of flash" in found["basis"]
        # What is known of the schemes does not depend on what is replayed besides.
        assert found["rows"][: len(alone["rows"])] == alone["rows"]
        assert "no formula" not in alone["basis"]
        refused = application.client.post(
            "/break-evens/check",
            json=question(**{**self.BODY, "delta": 0.5, "flash_caches": ["lark"]}),
        )
        assert refused.status_code == 422
        assert "`lark` is unknown" in refused.text

    def test_flash_caches_run_with_the_options_that_are_given(self, application):
        names = ["larc", "lazy_cleaning"]

        def of(found, name):
            return [row for row in found["rows"] if row["of"] == name]

        plain = self.check(application, flash_caches=names)
        given = {"flash_cache_options": ["lazy_cleaning:mode=write_through"]}
        found = self.check(application, flash_caches=names, **given)
        assert "Lazy Cleaning (LC) ran with mode=write_through." in found["basis"]
        assert of(found, "larc") == of(plain, "larc") != []
        assert of(found, "lazy_cleaning") != of(plain, "lazy_cleaning")

    def saved(self, delta, pages):
        """What each scheme saves with so much flash, of what the DRAM step saves, by replay."""
        costs = break_even_question.page_costs(
            catalog.device(self.BODY["flash_device_id"]),
            catalog.device(self.BODY["disk_device_id"]),
            1,
            8192,
            sequential=False,
        )

        def time(scheme, ram, flash):
            row = _simulator.replay(EXAMPLE_TRACE, "scheme", scheme, ram, flash)
            assert row["page_bytes"] == 8192
            return (
                row["flash_hits"] * costs.flash_read
                + row["flash_writes"] * costs.flash_write
                + row["hdd_reads"] * costs.disk_read
                + row["hdd_writes"] * costs.disk_write
            )

        before = time("none", 2000, 0)
        step = before - time("none", round(2000 * (1 + delta)), 0)
        return {
            scheme: (before - time(scheme, 2000, pages)) / step
            for scheme in ("inclusive", "inclusive_global", "exclusive", "lazy")
        }

    @pytest.mark.parametrize(("delta", "agrees"), [(0.5, False), (2.0, True)])
    def test_the_sentence_names_who_saves_most_by_replay(
        self, application, delta, agrees
    ):
        sentence = self.check(application, delta=delta)["sentence"]
        answer = ask(application, **{**self.BODY, "deltas": [delta]})
        (step,) = answer["steps"]
        title = {each["scheme"]: each["title"] for each in step["schemes"]}
        named = step["best_scheme"]
        pages = math.ceil(step["theta_full"] * 2000)
        saved = self.saved(delta, pages)
        most = max(saved, key=saved.get)
        assert (most == named) == agrees
        assert f"with {pages:,} pages of flash {title[most]} saves most" in sentence
        share = percent(saved[named])
        if agrees:
            assert sentence.endswith(
                f"as the model predicts: {share} of what the DRAM saves."
            )
        else:
            assert f"{percent(saved[most])} of what the DRAM saves" in sentence
            assert sentence.endswith(
                f"{title[named]}, the model's choice, saves {share}."
            )

    @pytest.mark.parametrize(
        ("least", "most", "replayed", "said"),
        [
            (0.9, 1.2, 10.5, ""),
            (0.5, 2.0, 10.5, " (but that error spans a factor of up to 4.00 in flash)"),
            (0.9, math.nan, 10.5, " (but that error is unbounded on one side)"),
            (
                0.9,
                1.2,
                8.0,
                " (but the flash saves up to 20.0 % less than the model predicts)",
            ),
            (
                0.5,
                2.0,
                26.8,
                " (but that error spans a factor of up to 4.00 in flash and the flash "
                "saves up to 168 % more than the model predicts)",
            ),
        ],
    )
    def test_a_wide_error_is_no_praise(self, least, most, replayed, said):
        def of(**parts):
            return SimpleNamespace(**parts)

        model = of(
            theta_least=np.array([least]),
            theta_most=np.array([most]),
            flash_gain=np.array([10.0]),
        )
        found = of(schemes={"lazy": model, "exclusive": model})
        made = of(
            schemes={
                "lazy": of(is_within=True, gain=replayed),
                # Not stated: neither its band nor its gap counts.
                "exclusive": of(is_within=None, gain=90.0),
            }
        )
        assert checking.how_wide(found, made) == said

    def test_a_long_check_is_jobs(self, application, monkeypatch):
        monkeypatch.setattr(application.settings, "replay_inline_s", 0.0)
        body = question(**{**self.BODY, "ram_pages": 1900, "delta": 0.3})
        jobs = []
        while True:
            begun = application.client.post("/break-evens/check", json=body)
            if begun.status_code != 202:
                break
            job = begun.json()
            assert begun.headers["location"] == f"/api/v1/simulations/{job['id']}"
            assert job["id"] not in jobs  # each brings the answer nearer
            jobs.append(job["id"])
            assert application.wait_run(job["run"]["id"])["status"] == "succeeded"
        assert begun.status_code == 200, begun.text
        assert len(jobs) > 1
        monkeypatch.undo()
        # One who did not wait has the same answer.
        assert application.post("/break-evens/check", body, 200) == begun.json()
        (dram, *_) = begun.json()["rows"]
        assert dram["simulated"] == pytest.approx(dram["model"])

    def test_a_workload_that_is_not_there_is_named(self, application):
        problem = application.post(
            "/break-evens/check", question(workload_id="nothing"), 404
        )
        assert "`nothing`" in problem["detail"]


@pytest.mark.parametrize(("count", "said"), [(2, "twice"), (3, "3 times")])
def test_crossings_are_counted_in_words(count, said):
    assert words._times_in_words(count) == said


class TestToday:
    """Host, DRAM bandwidth, the RAM that pays, and the platform: as stated, else of the recording."""

    def test_the_terms_add_up_and_count_in_the_intervals_of_dram_alone(
        self, application
    ):
        plain = ask(application)
        full = ask(
            application, core_usd="200", dram_bytes=2.0**36, dram_bytes_per_s=2.0**34
        )
        for before, after in zip(plain["intervals"], full["intervals"], strict=True):
            terms = after["terms"]
            assert sum(terms.values()) == pytest.approx(after["interval_s"])
            assert terms["device_s"] == pytest.approx(before["interval_s"])
            of_dram = after["upper"] == "dram"
            assert (terms["host_s"] > 0) == of_dram
            assert terms["bandwidth_s"] == (4 if of_dram else 0)

    def test_electricity_counts_where_the_power_of_both_tiers_is_known(
        self, application
    ):
        plain = ask(application)
        for free in ({"usd_per_kwh": "0"}, {"watts_per_gib": 0.3}):
            assert ask(application, **free)["intervals"] == plain["intervals"]
        known = {
            "flash_device_id": "intel-s4500-7.68tb",
            "price_book_id": "street-2023-q4",
        }
        before = ask(application, **known)["intervals"][0]
        power = {"usd_per_kwh": "0.25", "watts_per_gib": 0.3, "pue": 1.2}
        answer = ask(application, **known, **power)
        after = answer["intervals"][0]
        assert sum(after["terms"].values()) == pytest.approx(after["interval_s"])
        assert after["terms"]["device_s"] == pytest.approx(before["interval_s"])
        assert after["terms"]["device_power_s"] > 0 > after["terms"]["memory_power_s"]
        # Memory without stated watts: nothing is counted over it, and that is said.
        unknown = ask(application, **known, usd_per_kwh="0.25")
        assert unknown["intervals"][0]["interval_s"] == before["interval_s"]
        said = [each for each in unknown["cautions"] if each["code"] == "power_unknown"]
        assert "dram" in said[0]["about"]

    def test_half_of_a_module_is_refused(self, application):
        problem = application.post("/break-evens", question(dram_bytes=1e9), 422)
        assert "dram_bytes_per_s" in str(problem)

    def test_more_accesses_pay_for_more_ram_and_need_more_drives(self, application):
        rare = ask(application, accesses_per_s=0.001)
        often = ask(application, accesses_per_s=1e6)
        pays = [each["paying"]["sizes"][0]["pages"] for each in (rare, often)]
        assert pays[0] < pays[1]
        assert rare["platform"]["viable"]
        assert often["platform"]["limit"] == "storage"
        more = often["platform"]["more_drives"]
        enough = ask(application, accesses_per_s=1e6, drives=1 + more)
        assert enough["platform"]["limit"] == "none"
        assert not ask(application, accesses_per_s=1e6, drives=more)["platform"][
            "viable"
        ]

    def test_write_backs_count_in_the_verdict(self, application):
        found = ask(application, accesses_per_s=1e6)["platform"]
        reads = found["reads_per_s"] / found["drive_iops"]
        writes = found["write_backs_per_s"] / found["drive_write_iops"]
        assert writes > 0
        assert found["busy_share"] == pytest.approx(reads + writes)
        assert found["writes"].startswith("Write-backs are counted: without them")

    def test_stated_intervals_replace_the_curve_of_the_platform_alone(
        self, application
    ):
        plain = ask(application)
        stated = {"median_s": 10.0, "sigma": 1.2}
        own = ask(application, access_intervals=stated)
        assert own["paying"] == plain["paying"]
        assert own["platform"]["basis"].startswith("log-normal access intervals")
        assert own["platform"]["write_backs_per_s"] is None
        pages = plain["distinct_pages"]
        many = ask(application, access_intervals={**stated, "pages": 10 * pages})
        assert many["platform"]["accesses_per_s"] == pytest.approx(
            10 * own["platform"]["accesses_per_s"]
        )

    @pytest.mark.parametrize("part", [{"median_s": 0}, {"sigma": 0}, {"pages": 0}])
    def test_intervals_out_of_their_domain_are_refused(self, application, part):
        stated = {"median_s": 10.0, "sigma": 1.2} | part
        body = question(access_intervals=stated)
        problem = application.post("/break-evens", body, 422)
        assert next(iter(part)) in str(problem)

    def test_the_rate_is_that_of_the_recording_unless_given(self, application):
        assert "of the workload" in ask(application)["paying"]["rate_basis"]
        assert ask(application, accesses_per_s=7)["paying"]["accesses_per_s"] == 7

    def test_far_memory_and_stores_are_answered_where_they_are_asked_for(
        self, application
    ):
        assert ask(application)["far"] is None
        far = {"price_ratio": 0.5, "stall_s": 1e-7, "core_usd_per_hour": 0.04}
        store = {"object_bytes": 1e6, "request_usd": 4e-7}
        found = ask(application, far=far, store=store)
        assert found["far"]["loads_per_s"] > 0
        assert "cheaper to keep in DRAM" in found["store"]["sentence"]
