"""What a committee signs: the sections of a report beside the answer, each on a case where the opposite holds."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import cache
from html import unescape
from typing import Any

import advices
import pytest
from test_quote_ranking import DAY, built, curve, have, line, quote, rented

from tierwright.advise import quote_ranking, report
from tierwright.advise.advice import advice_on, answer
from tierwright.advise.advice._bounded import table_of
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates, have_from_mapping
from tierwright.advise.exports import focus_csv, opencost_csv, purchases_csv
from tierwright.advise.quote_ranking import (
    Comparison,
    QuotedAdvice,
    _recommended,
)
from tierwright.advise.report._document import checked
from tierwright.advise.report._figures import admitted_at, figure, share
from tierwright.advise.report._paper import compared as options_compared
from tierwright.advise.report._paper import over_horizon, parts_of_life
from tierwright.common.currency import ExchangeRate
from tierwright.common.units import format_microseconds
from tierwright.common.wording import percent
from tierwright.hardware import catalog
from tierwright.hardware.imports.offers import offers_of


def compared(*quotes: Any, **given: Any) -> Comparison:
    return Comparison(curve(), offers_of(quotes), **{"day": DAY, **given})


@cache
def advised() -> QuotedAdvice:
    return compared(
        built("B"), built("C", drive_usd=1100), rented("A"), quote("bad"), have=have()
    ).advice()


def mixed(constraints: dict[str, Any] | None = None) -> Advice:
    """Devices by themselves that are the cheapest, beside rents without a purchase: one dear and fast, one slow."""
    return answer(
        curve(),
        candidates=Candidates(
            kinds=("devices", "instances", "volumes"),
            devices=("samsung-pm9a3-7.68tb-u2",),
            servers=("aws-i4i.xlarge", "aws-r8id.48xlarge"),
            volumes=("aws-ebs-gp3",),
            machine_usd=Decimal(3000),
        ),
        have=have_from_mapping(
            {
                "machines": 2,
                "ram": "256GiB",
                "disk_device": "seagate-exos-x24-24tb",
                "disks": 40,
                "usd_per_month": 900,
                "purchase_usd": 12000,
            },
            "file",
        ),
        constraints=constraints or {},
        prices=catalog.default_price_book(),
    )


def section(document: dict[str, Any], name: str) -> str:
    found = re.search(
        rf'<h2 id="{name}">(.*?)</section>', report.html(document), re.DOTALL
    )
    assert found
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found[1])))


class TestDirtyShareUnknown:
    """A paper of quotes for a curve that does not say which evicted pages are dirty."""

    def document(self, **given: Any) -> dict[str, Any]:
        unknown = replace(curve(), write_backs_at=None, write_accesses=0, cold=None)
        offers = offers_of([built("B"), built("C", modules=2)])
        asked = {"day": DAY, "have": have(), **given}
        return Comparison(unknown, offers, **asked).advice().to_dict()

    def test_what_depends_on_the_share_is_a_range_and_no_number(self) -> None:
        document = self.document()
        low, high = document["recommendation"]["ranges"]["io_time_us_per_access"]
        both = f"{format_microseconds(low)} to {format_microseconds(high)}"
        assert both in section(document, "options")
        gained = section(document, "options")
        zero = document["option_zero"]["ranges"]["io_time_us_per_access"]
        for end, other in zip((low, high), zero, strict=True):
            word = "more" if end > other else "less"
            assert f"{format_microseconds(abs(end - other))} {word} I/O time" in gained
        said = section(document, "need")
        least, most = document["option_zero"]["ranges"]["peak_busy"]
        assert "It carries the load" in said
        assert f"busy for {percent(least)} to {percent(most)}" in said
        assert "dirty" in section(document, "answer")

    def test_ends_that_read_alike_are_written_once(self) -> None:
        document = self.document()
        best = document["recommendation"]
        low, _ = best["ranges"]["io_time_us_per_access"]
        best["ranges"]["io_time_us_per_access"] = [low, low * (1 + 1e-9)]
        said = section(document, "figures")
        once = format_microseconds(low)
        assert f"I/O time per access {once}" in said
        assert f"{once} to {once}" not in report.html(document)

    def test_what_there_is_may_carry_the_load(self) -> None:
        """Above the limit at one end, or at both; a document may not list why it was rejected."""
        document = self.document()
        document["rejected"], document["quotes"] = [], None
        ends = document["option_zero"]["ranges"]["peak_busy"]
        for most, does in ((ends[0] / 2, "does not"), (sum(ends) / 2, "may not")):
            document["constraints"] = {"peak_busy": str(most)}
            assert f"It {does} carry the load" in section(document, "need")
        document["constraints"] = {"peak_busy": str(ends[1] * 2)}
        assert "It carries the load" in section(document, "need")

    def test_both_ends_of_where_another_wins_are_said(self) -> None:
        document = self.document(constraints={"io_time_us_per_access": 1})
        assert document["quotes"]["recommended"] == "B"
        said = section(document, "switching")
        for each in document["quotes"]["switching"]:
            assert each["ends"][0]["best"] != "B"
            assert each["text"] in said


class TestQuotes:
    """An advice whose candidates are the quotes."""

    def test_it_agrees_with_the_ranking(self) -> None:
        found = advised()
        ranking = found.quotes
        assert found.recommendation is not None
        assert found.recommendation.name.startswith("quote B (")
        assert [each.quote_id for each in ranking.ranked] == [
            "B",
            "C",
            "do_nothing",
            "A",
        ]
        first = ranking.ranked[0]
        assert found.recommendation.usd_per_month == first.usd_per_month
        assert found.recommendation.bill == first.option.bill
        assert found.finding.startswith("Take quote B (")
        assert [each.code for each in ranking.unreadable] == ["no_lines"]

    def test_the_rows_of_its_bill_are_its_lines_and_sum_up(self) -> None:
        for each in advised().quotes.ranked:
            rows = each.option.bill
            is_stated = each.quote_id == "do_nothing"
            assert ([row["kind"] for row in rows] == ["stated"]) == is_stated
            for key, total in (
                ("usd_per_month", each.usd_per_month),
                ("purchase_usd", each.purchase_usd),
            ):
                assert sum(Decimal(row[key]) for row in rows) == total
            if is_stated:
                continue
            assert all(row["date"] == DAY for row in rows)
            assert all(
                f"quote {each.quote_id} of ACME" in row["source"]
                for row in rows
                if each.quote_id != "A"
            )

    def test_lines_at_several_prices_are_one_sum(self) -> None:
        first, second = built("B")["lines"][2], dict(built("B")["lines"][2])
        second["price"] = 1000
        made = built("B")
        made["lines"] = [each for each in made["lines"] if each != first] + [
            first,
            second,
        ]
        [one] = compared(made).ranking().ranked
        [row] = [row for row in one.option.bill if "several prices" in row["note"]]
        assert (row["quantity"], row["unit_price"], row["purchase_usd"]) == (
            1,
            "7920",
            "7920.00",
        )

    def test_its_exports_have_its_prices(self) -> None:
        document = advised().to_dict()
        assert "quote B of ACME" in focus_csv(document, "2026-11")
        assert "chassis-dell-r760" in purchases_csv(document)
        assert "forecast" in opencost_csv(document)

    def test_switching_values_by_a_question_asked_again(self) -> None:
        [price, more, less, growth] = advised().quotes.switching
        # C is the next: at its price and a cent more it is the choice.
        step = Decimal(str(price.value)) - Decimal(str(price.used))
        assert price.best == "C"
        added = float(step * 36 / 4) + 0.01
        other = compared(
            built("B", drive_usd=980 + added), built("C", drive_usd=1100), have=have()
        )
        assert other.ranking().ranked[0].quote_id == "C"
        for each in (more, less, growth):
            assert (each.value is None) == (each.best is None)

    @pytest.mark.parametrize(
        ("limits", "drive_usd", "best"),
        [
            # 21,480 USD of B; C at 21,960 USD breaks the limit, so that doing nothing is next.
            ({"purchase_usd": 21_700}, 1100, "do_nothing"),
            ({"purchase_usd": 21_480}, 1100, "do_nothing"),
            ({"usd_per_month": 605}, 1100, None),
            # C keeps the limit and is reached before it.
            ({"purchase_usd": 22_000}, 1100, "C"),
        ],
    )
    def test_the_price_at_a_limit_on_money(
        self, limits: dict[str, int], drive_usd: int, best: str | None
    ) -> None:
        following = built("C", drive_usd=drive_usd)
        found = compared(built("B"), following, have=have(), constraints=limits)
        price = found.advice().quotes.switching[0]
        assert price.best == best
        assert price.value is not None
        assert price.used is not None
        step = (price.value - price.used) * 36 / 4
        for more, first in ((step - 0.5, "B"), (step + 0.5, best)):
            if more < 0:
                continue
            again = compared(
                built("B", drive_usd=f"{980 + more:.2f}"),
                following,
                have=have(),
                constraints=limits,
            ).ranking()
            assert [each.quote_id for each in again.ranked][:1] == (
                [] if first is None else [first]
            )
        if best != "C":
            assert "limit" in price.text

    def test_the_price_of_the_only_quote_under_a_limit(self) -> None:
        [price, *_] = (
            compared(built("B"), constraints={"purchase_usd": 25_000})
            .advice()
            .quotes.switching
        )
        assert (price.value, price.best) == (694.44, None)
        assert "no option keeps every limit" in price.text
        [free, *_] = compared(built("B")).advice().quotes.switching
        assert free.value is None
        assert "At no price" in free.text

    def test_a_quote_is_known_however_its_devices_are_used(self) -> None:
        cached = quote(
            "cached",
            line("part", "dimm-ddr5-rdimm-64gb", 2, 400),
            line("device", "seagate-exos-x24-24tb", 8, 400),
            line("device", "solidigm-d7-p5810-800gb", 1, 980),
        )
        table = table_of(compared(cached)._asked)
        places = range(table.quotes_at, len(table.options))
        assert len({table.title(at) for at in places}) > 1
        assert {_recommended(table, table.option(at)) for at in places} == {"cached"}
        assert _recommended(table, None) is None
        idle = table_of(compared(built("B"), have=have())._asked)
        assert idle.have_at is not None
        assert _recommended(idle, idle.option(idle.have_at)) == "do_nothing"

    def test_no_switching_values_of_another_quote_than_is_recommended(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = advised()
        assert plain.quotes.recommended == "B"
        second = plain.quotes.ranked[1].option

        def replayed(*given: Any, **more: Any) -> Any:
            return replace(advice_on(*given, **more), recommendation=second)

        monkeypatch.setattr(quote_ranking, "advice_on", replayed)
        found = compared(
            built("B"), built("C", drive_usd=1100), rented("A"), have=have()
        ).advice()
        assert found.quotes.recommended == "C"
        assert found.quotes.switching == ()
        said = section(found.to_dict(), "switching")
        assert "by replays quote C is recommended" in said
        assert "ranks quote B first" in said
        assert "by replays" not in section(plain.to_dict(), "switching")

    def test_the_rate_at_which_the_choice_changes(self) -> None:
        small = quote("small", *rented("x", "0.5", 1)["lines"])
        large = rented("large", "1.373", 4)
        found = compared(small, large, accesses_per_s=200_000.0).advice()
        [more] = [
            one
            for one in found.quotes.switching
            if one.input == "rate" and one.value and one.used and one.value > one.used
        ]
        assert more.best == "large"
        assert more.value is not None
        for times, best in ((0.99, "small"), (1.01, "large")):
            again = compared(small, large, accesses_per_s=more.value * times).ranking()
            assert again.ranked[0].quote_id == best

    def test_a_rejected_quote_mirrors_that_of_an_advice(self) -> None:
        found = compared(
            built("B"), built("tiny", drives=2), constraints={"usd_per_month": 400}
        ).ranking()
        for each in found.rejected:
            assert each.option is None or each.option.name.startswith(
                f"quote {each.quote_id} ("
            )
            assert each.text
        first = next(each for each in found.rejected if each.quote_id == "B")
        assert first.constraint == "usd_per_month"
        assert "400 USD per month" in first.text

    def test_without_a_quote_that_can_be_ranked_nothing_else_is_a_candidate(
        self,
    ) -> None:
        found = compared(quote("bad")).advice()
        assert found.recommendation is None
        assert found.evaluated == 0


class TestPaper:
    """Its sections."""

    def test_need_and_doing_nothing(self) -> None:
        document = advised().to_dict()
        said = section(document, "need")
        assert "20,000 page accesses per second" in said
        assert "25,200.00 USD over 36 months" in said
        assert "carries the load" in said
        document["option_zero"] = None
        assert "not an option here" in section(document, "need")
        overloaded = (
            compared(built("B"), have=have(), accesses_per_s=3e7).advice().to_dict()
        )
        said = section(overloaded, "need")
        assert "does not keep the limits" in said
        assert "busy in the busiest hour" in said

    def test_options_from_nothing_to_the_next_over_one_horizon(self) -> None:
        said = section(advised().to_dict(), "options")
        for role in (
            "do nothing",
            "least at purchase",
            "recommended",
            "next",
            "over 36 months",
        ):
            assert role in said
        assert "21,480.00" in said

    @pytest.mark.parametrize("objective", ["usd", "io_time", "pareto"])
    def test_an_option_is_one_row_whoever_recommends_it(self, objective: str) -> None:
        advice = compared(
            rented("A", "9", 1), have=have(), objective=objective
        ).advice()
        document = checked(advice.to_dict(), "advice")
        assert document["recommendation"]["kind"] == "have"
        rows = options_compared(document)
        assert [role for role, _ in rows] == [
            "do nothing, which is recommended",
            "least at purchase",
        ]
        # A replay changes the time of an option, which stays the same option.
        document["pareto"] = [
            {**one, "io_time_us_per_access": 1.0} for one in document["pareto"]
        ]
        assert options_compared(document) == rows

    def test_of_several_with_the_least_purchase_it_is_the_cheapest_a_month(
        self,
    ) -> None:
        """Rents have no purchase: a dear fast one is on the front, and the cheapest only a step of the limit of purchase."""
        found = mixed()
        document = checked(found.to_dict(), "advice")
        # Of many candidates the closest are all devices.
        document["alternatives"] = [
            one for one in document["alternatives"] if one["kind"] == "devices"
        ]
        role, least = next(
            one for one in options_compared(document) if "least" in one[0]
        )
        assert role == "least at purchase"
        # Asked itself with that limit, it is the best.
        alone = mixed({"purchase_usd": 0}).recommendation
        assert alone is not None
        assert (least["name"], least["usd_per_month"]) == (
            alone.name,
            alone.usd_per_month,
        )
        described = [
            one["usd_per_month"]
            for one in (*document["pareto"], *document["alternatives"])
            if one["purchase_usd"] == 0 and one["kind"] != "have"
        ]
        assert described
        assert min(described) > least["usd_per_month"]
        assert str(least["usd_per_month"]) in section(found.to_dict(), "options")
        # It keeps the limit of the busiest hour, and where it is a step of that limit its share is stated.
        [limit] = [
            each for each in document["staircases"] if each["constraint"] == "peak_busy"
        ]
        for steps, said in (
            ([], "up to 70.0 %"),
            ([{**least, "value": 0.25}], "25.0 %"),
        ):
            limit["steps"] = steps
            again = dict(options_compared(document))["least at purchase"]
            assert figure(again, "peak_busy", share) == said
        document["peak_accesses_per_s"] = None
        again = dict(options_compared(document))["least at purchase"]
        assert figure(again, "peak_busy", share) == "not known"
        said = section(found.to_dict(), "options")
        busy = re.search(r"least at purchase .*? [µn]s (.*?) recommended", said)
        assert busy is not None
        assert alone.peak_busy is not None
        assert busy[1] in (f"{percent(alone.peak_busy)}", "up to 70.0 %")
        # Where nobody computed it, the row does not claim it of all.
        document["staircases"] = []
        assert any(
            role == "least at purchase of those listed"
            for role, _ in options_compared(document)
        )

    def test_doing_nothing_pays_nothing_at_purchase(self) -> None:
        given = mixed().to_dict()
        zero = given["option_zero"]
        assert zero["purchase_usd"] == "12000.00"
        root = report.html(given)
        row = re.search(r"<tr><th[^>]*>do nothing</th>(.*?)</tr>", root, re.DOTALL)
        assert row
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row[1], re.DOTALL)
        assert cells[1:3] == ["-", "900.00"]
        assert "Doing nothing buys nothing now; 12,000.00 USD was stated" in section(
            given, "options"
        )

    def test_a_limit_of_money_is_admitted_at_whole_cents(self) -> None:
        broken = {
            "constraint": "usd_per_month",
            "limit": 900.0,
            "relaxation": 705.6100000000001,
        }
        assert admitted_at(broken) == "1,605.61 USD per month"

    def test_cost_over_the_horizon(self) -> None:
        document = checked(advised().to_dict(), "advice")
        best = document["recommendation"]
        assert parts_of_life(best, 36) == {"purchase": Decimal("21480.00")}
        assert over_horizon(best, 36) == Decimal("21480.00")
        assert over_horizon(document["option_zero"], 36) == Decimal("25200.00")
        said = section(advised().to_dict(), "life")
        assert "not counted" in said
        # Each part of a life is a row or named as what is not counted.
        for part in (
            *("purchase", "rent", "power", "spares", "replacement"),
            *("space", "support", "residual value", "migration"),
        ):
            assert part in said.lower(), part
        shown = checked(advices.document(), "advice")["recommendation"]
        total = sum(parts_of_life(shown, 36).values())
        assert abs(total - shown["usd_per_month"] * 36) < 1

    def test_doing_nothing_costs_the_same_over_the_horizon_everywhere(self) -> None:
        """Of parts whose purchase is spread over months that it does not divide into cents evenly."""
        given = mixed().to_dict()
        zero = given["option_zero"]
        purchase, months = Decimal("100038.00"), given["horizon_months"]
        month = Decimal("2778.83")
        assert month * months != purchase
        zero |= {"usd_per_month": str(month), "purchase_usd": str(purchase)}
        row = {**given["recommendation"]["bill"][0], "kind": "part"}
        zero["bill"] = [
            row | {"usd_per_month": str(month), "purchase_usd": str(purchase)}
        ]
        assert over_horizon(checked(given, "advice")["option_zero"], months) == purchase
        for name in ("need", "options", "life"):
            assert "100,038.00" in section(given, name), name
        assert f"{month * months:,}" not in report.html(given)

    def test_quotes_with_their_validity(self) -> None:
        said = section(advised().to_dict(), "quotes")
        assert "2026-12-31" in said
        assert "ACME" in said
        assert "no_lines" in said
        assert "No quote was ranked" in section(advices.document(), "quotes")

    def test_a_stated_validity_stands_beside_its_quote(self) -> None:
        given = advised().to_dict()
        dated = given["quotes"]["ranked"][0]
        stated = report.Statements(validity={dated["quote_id"]: "2027-01-31, mail"})
        assert "2027-01-31" not in section(
            report.with_statements(given, stated), "quotes"
        )
        dated["valid_until"] = None
        assert "stated: 2027-01-31, mail" in section(
            report.with_statements(given, stated), "quotes"
        )

    def test_switching_values_of_an_advice_without_quotes(self) -> None:
        given = advices.document()
        assert "before" in section(given, "switching")
        given["alternatives"] = []
        given["confidence"]["tornado"] = []
        given["when"] = None
        assert "No value is known" in section(given, "switching")

    def test_statements_stand_in_it(self) -> None:
        given = report.with_statements(
            advised().to_dict(),
            report.Statements(
                "Orders double <2027>",
                "sales, 2026-09",
                "2026-09-30, invoices",
                {"warm_up_inside": "measured"},
            ),
        )
        assert "Orders double <2027>" in section(given, "need")
        said = section(given, "sources")
        for text in (
            "sales, 2026-09",
            "2026-09-30, invoices",
            "Why warm_up_inside holds measured",
        ):
            assert text in said
        assert "not stated" in section(advised().to_dict(), "sources")

    def test_how_to_reproduce_it_names_what_was_asked(self) -> None:
        said = section(advised().to_dict(), "reproduce")
        for part in ("quotes rank", f"--day {DAY}", "--months 36", "--have HAVE"):
            assert part in said
        assert "--trace" not in said
        assert "tierwright advise PROFILE" in section(advices.document(), "reproduce")

    def test_a_source_of_a_rate_is_no_rate(self) -> None:
        rates = [
            ExchangeRate("EUR", Decimal("0.88"), DAY, source)
            for source in ("ECB; USD 1 2020-01-01 x\\",)
        ]
        rates.append(ExchangeRate("GBP", Decimal("0.75"), DAY, ""))
        euro = {**built("B"), "currency": "EUR"}
        said = section(
            compared(euro, rates=rates, have=have()).advice().to_dict(), "reproduce"
        )
        assert re.findall(r"--rate (\S+)", said) == [
            f"EUR=0.88@{DAY}",
            f"GBP=0.75@{DAY}",
        ]

    def test_lines_for_approval(self) -> None:
        said = section(advised().to_dict(), "approval")
        assert "approved by" in said
        assert "signature" in said

    @pytest.mark.parametrize("form", ["pdf", "xlsx", "csv", "json"])
    def test_every_form_can_be_written(self, form: str) -> None:
        given = report.with_statements(
            advised().to_dict(derivation=True), report.Statements(need="more orders")
        )
        assert report.made(given, form)
