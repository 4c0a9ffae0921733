"""The report of an advice: every amount is there, nothing of the input becomes markup, damaged files are refused."""

from __future__ import annotations

import copy
import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from advices import advised, document
from command import run
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from tierwright.advise import report
from tierwright.advise.advice._confidence.bars import bars_text
from tierwright.advise.advice._words import with_flow
from tierwright.advise.report import _figures as show
from tierwright.advise.report import _paper
from tierwright.advise.report._charts import (
    MONEY,
    TIME,
    Axis,
    Series,
    at_edges,
    front_chart,
    tornado_chart,
)
from tierwright.advise.report._evidence import (
    checks,
    front_sentence,
    tornado_sentence,
)
from tierwright.advise.report._markup import tag
from tierwright.common.currency import ExchangeRate, showing, stated
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.hardware.build import STATED, STATED_OF_HAVE

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '"><script>alert(1)</script>&amp<img src=x onerror=alert(2)>\x00\u202e'


def parsed(text: str) -> ET.Element:
    """The document as a tree: it is well-formed, SVG included."""
    assert text.startswith("<!DOCTYPE html>\n")
    return ET.fromstring(text.partition("\n")[2])


def words(element: ET.Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


def section(root: ET.Element, name: str) -> ET.Element:
    found = root.find(f".//section[@aria-labelledby='{name}']")
    assert found is not None
    return found


def tables(root: ET.Element, name: str) -> list[list[list[str]]]:
    return [
        [[words(cell) for cell in row] for row in table.iter("tr")]
        for table in section(root, name).iter("table")
    ]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for entry in value.values():
            yield from texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from texts(entry)
    elif isinstance(value, str):
        yield value


def test_every_amount_of_the_bill_is_there_and_the_sums_add_up() -> None:
    given = document()
    best = given["recommendation"]
    head, *rows, total = tables(parsed(report.html(given)), "bill")[0]
    assert head[-2:] == ["at purchase [USD]", "per month [USD]"]
    assert [row[0] for row in rows] == [row["what"] for row in best["bill"]]
    for shown, row in zip(rows, best["bill"], strict=True):
        assert Decimal(shown[-1].replace(",", "")) == Decimal(row["usd_per_month"])
        assert Decimal(shown[-2].replace(",", "")) == Decimal(row["purchase_usd"])
        price = Decimal(shown[2].split()[0].replace(",", ""))
        assert price == Decimal(row["unit_price"])
    for column, key in ((-1, "usd_per_month"), (-2, "purchase_usd")):
        stated = Decimal(best[key])
        assert Decimal(total[column].replace(",", "")) == stated
        assert sum(Decimal(row[column].replace(",", "")) for row in rows) == stated
    assert Decimal(total[-1].replace(",", "")) > 0


def test_it_needs_no_network_and_no_script_and_has_a_structure() -> None:
    text = report.html(document())
    root = parsed(text)
    assert root.get("lang") == "en"
    assert not list(root.iter("script"))
    assert not re.search(r"(src|href)=\"(?!#)", text)
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert "size: A4" in text
    headings = [each.tag for each in root.iter() if re.fullmatch("h[1-6]", each.tag)]
    assert headings.count("h1") == 1
    assert all(
        int(after[1]) <= int(before[1]) + 1
        for before, after in itertools.pairwise(headings)
    )
    named = {each.get("id") for each in root.iter() if each.get("id")}
    links = [each.get("href", "") for each in root.iter("a")]
    assert len(links) > 10
    assert all(link.removeprefix("#") in named for link in links)
    for table in root.iter("table"):
        assert table.find("caption") is not None
        assert all(each.get("scope") in ("row", "col") for each in table.iter("th"))
        assert len({len(list(row)) for row in table.iter("tr")}) == 1


def test_charts_have_a_title_a_description_axes_and_their_points() -> None:
    given = document()
    root = parsed(report.html(given))
    charts = list(root.iter(f"{SVG}svg"))
    assert len(charts) == 2
    for chart in charts:
        assert chart.get("role") == "img"
        assert chart[0].tag == f"{SVG}title"
        assert words(chart[0])
        assert chart[1].tag == f"{SVG}desc"
        assert len(words(chart[1])) > 40
        _, _, width, height = map(float, chart.get("viewBox", "").split())
        for each in chart.iter(f"{SVG}circle"):
            assert 0 <= float(each.get("cx", "")) <= width
            assert 0 <= float(each.get("cy", "")) <= height
    front, tornado = charts
    points = [
        each for each in front.iter(f"{SVG}circle") if each.get("class") == "front"
    ]
    assert len(points) == len(given["pareto"]) + 1  # and the legend
    assert "cost [USD per month]" in words(front)
    assert "I/O time per access [µs]" in words(front)
    bars = given["confidence"]["tornado"]
    assert bars
    assert len([1 for each in tornado.iter(f"{SVG}rect")]) == len(bars)
    for bar in bars:
        for end in ("low", "high"):
            cost = bar[f"usd_per_month_{end}"]
            assert show.usd(Decimal(cost)) in words(section(root, "sure"))


@pytest.mark.parametrize("feasible", [True, False])
def test_nothing_of_the_input_becomes_markup(feasible: bool) -> None:
    given = document(feasible=feasible)

    def spoilt(value: Any, more: str, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: spoilt(entry, more, name) for name, entry in value.items()}
        if isinstance(value, list):
            return [spoilt(entry, more, key) for entry in value]
        if not isinstance(value, str) or "usd" in key or re.fullmatch(r"[\d.]+", value):
            return value
        return value + more

    # Names that this version does not know have no formula, harmless or not.
    plain = parsed(report.html(spoilt(given, " harmless")))
    hostile = report.html(spoilt(given, HOSTILE), title=HOSTILE)
    root = parsed(hostile)
    assert "<script" not in hostile
    assert "<img" not in hostile
    assert "\x00" not in hostile
    assert "\u202e" not in hostile
    assert hostile.count("alert(1)") > 100
    kinds = [each.tag for each in plain.iter()]
    assert [each.tag for each in root.iter()] == kinds
    names = {name for each in plain.iter() for name in each.attrib}
    assert {name for each in root.iter() for name in each.attrib} == names


def test_half_a_pair_of_utf_16_is_no_failure() -> None:
    given = document()
    given["because"] = json.loads('"Half \\ud800 a pair"')
    assert "Half ? a pair" in report.html(given).encode("utf-8").decode("utf-8")


def test_an_advice_without_an_answer_says_so() -> None:
    given = document(feasible=False)
    root = parsed(report.html(given))
    said = words(section(root, "answer"))
    assert given["finding"] in said
    assert "In conflict: cost per month." in said
    assert "Relax this limit" in said
    assert "nothing to buy" in words(section(root, "bill"))
    assert "nothing is recommended" in words(section(root, "figures"))
    counts, *_ = tables(root, "why-not")
    assert counts[-1] == ["all", f"{given['evaluated']:,}"]
    assert "What there is today" in words(section(root, "close"))
    assert "(recommended)" not in words(section(root, "close"))
    feasible = words(section(parsed(report.html(document())), "answer"))
    assert "In conflict" not in feasible


def test_parts_that_are_missing_are_said_to_be_missing() -> None:
    whole = document(have=False)
    needed = ("advice_id", "finding", "objective", "verdict")
    bare = {key: whole[key] for key in needed}
    root = parsed(report.html(bare))
    assert "No option was replayed" in words(section(root, "checked"))
    assert "does not say how sure" in words(section(root, "sure"))
    assert "No rule of thumb" in words(section(root, "rules"))
    assert not list(root.iter(f"{SVG}svg"))
    for key in whole:
        part = {name: value for name, value in whole.items() if name != key}
        if key in needed:
            with pytest.raises(BadInput, match=f"{key}: is missing") as refused:
                report.html(part)
            assert "JSON" in refused.value.hint
        else:
            parsed(report.html(part))
        if whole[key] is not None and key not in needed:
            parsed(report.html({**whole, key: None}))


def test_what_is_not_known_is_said_so_and_why() -> None:
    given = document(have=False)
    best = given["recommendation"]
    for key in best:
        if key.startswith("response_"):
            best[key] = "" if key == "response_reason" else 250.0
    known = words(section(parsed(report.html(given)), "figures"))
    assert "Response times are not known" not in known
    assert "250 µs" in known
    for key in ("response_p99_us", "months_until_too_small"):
        best[key] = None
    [rows] = tables(parsed(report.html(given)), "figures")
    shown = dict(rows[1:])
    assert shown["99th percentile of response time, busiest hour"] == "not known"
    assert shown["Until it is too small"] == "not known"
    unknown = words(section(parsed(report.html(given)), "figures"))
    assert "Response times are not known" in unknown
    assert "the data do not grow" in unknown
    best["response_reason"] = "no source states the latency of a read of a disk"
    named = words(section(parsed(report.html(given)), "figures"))
    assert "Response times, recommended: no source states the latency" in named
    assert "Response times are not known" not in named


def test_a_saving_and_its_opposite_are_named() -> None:
    given = document()
    assert Decimal(given["saving_usd_per_month"]) > 0
    assert "Saved per month" in report.html(given)
    given["saving_usd_per_month"] = "-12.50"
    text = report.html(given)
    assert "Saved per month" not in text
    assert "More per month than today" in text
    assert "12.50 USD" in text


def test_a_replay_that_contradicts_the_model_stands_above_the_contents() -> None:
    given = document()
    option = given["recommendation"]
    row = {
        "option": option,
        "model": 10.0,
        "simulated": 20.0,
        "gap": -0.5,
        "is_beyond_band": True,
        "reason": "",
    }
    given["checked"] = [row]
    given["cautions"].append(
        {
            "code": "replay_beyond_band",
            "message": "model and replay differ by half",
            "hint": "",
            "effect": "the ranking is that of the replay",
            "could_change_choice": False,
        }
    )
    root = parsed(report.html(given))
    header = root.find("./body/header")
    assert header is not None
    assert "Model and replay differ by half." in words(header)
    said = words(section(root, "checked"))
    assert "1 replay differs from the model by more than its known error" in said
    assert "beyond the known error" in said
    given["checked"] = [{**row, "gap": 0.01, "is_beyond_band": False}]
    agreed = words(section(parsed(report.html(given)), "checked"))
    assert "agrees with every replay" in agreed
    # RAM that the recording does not fill: there is nothing to compare.
    given["checked"] = [{**row, "gap": None, "is_beyond_band": False}]
    alone = words(section(parsed(report.html(given)), "checked"))
    assert "1 option was replayed" in alone
    assert "Of none does the replay show a time to compare with the model." in alone
    assert "first touches alone" in alone
    assert "agrees with every replay" not in alone
    given["checked"] = [{**row, "simulated": None, "gap": None, "reason": "too small"}]
    none = words(section(parsed(report.html(given)), "checked"))
    assert "No option could be replayed" in none
    assert "Too small." in none
    # A check in which nothing was replayed is none, wherever the report says what it rests on.
    given["status"] = "checked"
    assert "no option could be replayed" in report.html(given)
    assert "options were replayed in" not in report.html(given)
    given["checked"] = [row]
    assert "options were replayed in the reference simulator" in report.html(given)
    # What the model rules out by less than its error and a replay too stands in no table: it was replayed all the same.
    given["checked"] = []
    for many, said in (
        (1, "1 option that the model rules out by less than its error was replayed in the reference simulator: it does not keep every limit."),
        (2, "2 options that the model rules out by less than its error were replayed in the reference simulator: none keeps every limit."),
    ):  # fmt: skip
        given["near_misses_replayed"] = many
        assert "no option could be replayed" not in report.html(given)
        assert "options were replayed in the reference simulator" in report.html(given)
        near = words(section(parsed(report.html(given)), "checked"))
        assert said in near
        assert "No option was replayed" not in near
    given["near_misses_replayed"] = 0
    given["checked"] = [row]
    # Nor is one of the recommendation in which others were replayed.
    other = {**row, "option": given["alternatives"][0]}
    given["checked"] = [{**row, "simulated": None, "reason": "too small"}, other]
    assert (
        "the recommendation is computed by the model; other options were replayed"
        in report.html(given)
    )


def test_why_others_fell_names_each_hardware_once() -> None:
    rows = [
        {"option": {"name": name}, "text": f"{name} under {scheme} is slow"}
        for name in ("1 x a", "1 x b")
        for scheme in ("lazy", "none")
    ]
    assert _paper._fallen(rows) == [
        "1 x a under lazy is slow",
        "1 x b under lazy is slow",
    ]
    # Quotes have no option, and one that says nothing is left out.
    assert _paper._fallen([{"text": "too dear"}, {"text": None}]) == ["too dear"]
    many = [{"text": f"option {at}"} for at in range(20)]
    assert len(_paper._fallen(many)) == _paper._MOST_FALLEN


def test_a_probability_replaces_the_reason_why_there_is_none() -> None:
    given = document()
    given["confidence"] |= {
        "probability_best": None,
        "reason": "no probability: too few windows",
        "text": "",
    }
    page = parsed(report.html(given))
    assert "No probability: " in words(section(page, "sure"))
    assert "No probability: too few windows." in words(section(page, "answer"))
    given["confidence"] |= {
        "probability_best": 0.915,
        # As a document of an earlier version, which has none.
        "headline": "",
        "expected_regret_usd_per_month": "310.00",
        "value_of_information": [
            {
                "about": "the time of a page write",
                "usd_per_month": "42.50",
                "text": "Measure the time of a page write first.",
            },
            {"about": "the law", "usd_per_month": "0.00", "text": "Nothing."},
        ],
        "reason": "512 draws of everything",
    }
    page = parsed(report.html(given))
    said = words(section(page, "sure"))
    assert "91.5 %" in said
    assert "310.00 USD" in said
    assert "No probability" not in said
    assert "512 draws of everything." in said
    assert "Measure the time of a page write first." in said
    assert "42.50" in said
    assert "Nothing." not in said
    # Of which draws that is stands with the share, in the words of the first sentences.
    headline = "In 47 % of all draws none of them does; in all others it stays"
    given["confidence"]["headline"] = headline
    said = words(section(parsed(report.html(given)), "sure"))
    assert f"{headline}; the expected regret is 310.00 USD per month." in said
    assert "91.5 %" not in said
    given["confidence"]["value_of_information"] = None
    assert "worth measuring" not in words(section(parsed(report.html(given)), "sure"))
    given["confidence"]["value_of_information"] = [
        {"about": "the law", "usd_per_month": "0.00", "text": "Nothing."}
    ]
    said = words(section(parsed(report.html(given)), "sure"))
    assert "No single input is worth measuring first" in said


def option(usd: str, us: float) -> dict[str, Any]:
    return {
        "name": f"at {usd}",
        "usd_per_month": Decimal(usd),
        "io_time_us_per_access": us,
    }


def test_sentences_follow_the_figures() -> None:
    cheap, middle, fast = option("100", 20.0), option("200", 15.0), option("400", 5.0)
    front = [cheap, middle, fast]
    said = front_sentence(front, cheap)
    assert "costs 4 times as much" in said
    assert "75.0 % less I/O time" in said
    assert said.endswith("The recommendation is the cheapest.")
    assert front_sentence(front, fast).endswith("is the fastest.")
    assert "is on the front, and neither" in front_sentence(front, middle)
    assert "is not on the front" in front_sentence(front, option("300", 18.0))
    assert "recommendation" not in front_sentence(front, None)
    assert "both the cheapest and the fastest" in front_sentence([cheap], cheap)
    free = front_sentence([option("0", 20.0), fast], None)
    assert "from 0.00 USD per month" in free
    bar = {
        "usd_per_month_low": Decimal(5),
        "usd_per_month_high": Decimal(9),
        "changes": True,
    }
    # A bar of one input does not say that the others are known.
    assert tornado_sentence([bar], MONEY).startswith("1 input was evaluated at both")
    drawn = bars_text(16, 1, 1)
    assert tornado_sentence([bar], MONEY, None, drawn).startswith(drawn)
    assert "At its ends" in tornado_sentence([bar], MONEY)
    assert "At their ends" in tornado_sentence([bar, bar], MONEY)
    assert "from 5.00 to 9.00 USD" in tornado_sentence([bar], MONEY)
    assert "1 input changes the choice" in tornado_sentence([bar], MONEY)
    stays = tornado_sentence([{**bar, "changes": False}] * 2, MONEY)
    assert "2 inputs were" in stays
    assert "stays the same at every end" in stays
    # A flip lies between the ends, where nobody looks for it by the ends alone.
    inside = {**bar, "changes": False, "flip": "the misses are 12 % fewer"}
    assert "between the ends 1 input changes it" in tornado_sentence([inside], MONEY)
    ends = {"best_low": "1 x a", "best_high": "2 x a", "flip": None}
    more = {**bar, **ends, "changes": False}
    said = tornado_sentence([more], MONEY, "1 x a")
    assert "stays the same" not in said
    assert "of the same kind is the best, or within 1 % of it, but not" in said
    one = tornado_sentence([{**more, "best_high": "1 x a"}], MONEY, "1 x a")
    assert one.endswith("The choice stays the same at every end.")
    nothing = {**bar, "usd_per_month_low": None, "usd_per_month_high": None}
    assert "USD" not in tornado_sentence([nothing], MONEY)
    same = {**bar, "usd_per_month_low": Decimal(7), "usd_per_month_high": Decimal(7)}
    assert "At every end the best option costs 7.00 USD" in tornado_sentence(
        [same], MONEY
    )
    times = {**bar, "io_time_us_low": 4.0, "io_time_us_high": 1500.0}
    said = tornado_sentence([times], TIME)
    assert "the best option takes from 4 µs to 1.5 ms" in said
    assert "USD" not in said


def test_what_was_not_replayed_is_grouped_by_its_reason() -> None:
    def cache(title: str, share: str) -> dict[str, Any]:
        fills = f"RAM and flash would hold {share} % of the pages of the recording. From 70 % on …"
        return {
            "title": title,
            "hardware": "1 x a",
            "reason": fills,
            "assignment": "",
            "page_flow_breaks": [],
            "pace": "",
            "warnings": [],
        }

    option_ = {
        "name": "1 x a",
        "scheme": "none",
        "options": {},
        "admission": None,
        "admission_by": None,
    }
    document = {
        "checked": [
            {
                "option": option_,
                "simulated": None,
                "gap": None,
                "is_beyond_band": False,
                "flash_life_years": None,
                "reason": "RAM would hold 795 % of the pages of the recording.",
                "warnings": [],
            }
        ],
        "flash_caches": [
            cache("FaCE", "797"),
            cache("LARC", "792"),
            cache("CAC", "1,190"),
            {**cache("Open CAS", "0"), "reason": "its metadata take all of the RAM"},
        ],
        "recommendation": option_,
    }
    shown = "".join(str(each) for each in checks(document)).replace("\xa0", " ")
    assert "<table" not in shown
    assert "No option could be replayed." in shown
    assert shown.count("of the pages of the recording") == 2
    assert (
        "FaCE, LARC and CAC: RAM and flash would hold 792 % to 1,190 % of the pages of the recording. From 70 % on"
        in shown
    )
    assert "Open CAS: Its metadata take all of the RAM" in shown


@pytest.mark.parametrize(
    "values",
    [
        [1.0],
        [0.0, 0.0],
        [3.0, 3.0],
        [0.0, 5.0],
        [-4.0, 8.0],
        [1.0, 1e9],
        [1e-9, 1e12],
        [816.0, 820.0],
    ],
)
def test_an_axis_shows_every_value_between_round_ticks(values: list[float]) -> None:
    axis = Axis.of(values)
    assert all(0 <= axis.share(value) <= 1 for value in values)
    assert 1 <= len(axis.ticks) <= 24
    assert all(0 <= axis.share(tick) <= 1 + 1e-9 for tick in axis.ticks)
    assert axis.ticks == sorted(set(axis.ticks))


def test_a_chart_of_options_is_logarithmic_however_few_they_are() -> None:
    # Most lie between 0.2 and 3 µs, what there is today at 1,500; one takes no time.
    values = [0.0, 0.24, 0.47, 2.9, 1537.0]
    axis = Axis.of_options(values)
    shares = [axis.share(value) for value in values]
    assert axis.is_log
    assert shares == sorted(set(shares))
    assert shares[0] == 0
    assert min(after - before for before, after in itertools.pairwise(shares)) > 0.06
    close = Axis.of_options([816.0, 820.0])
    assert close.is_log
    assert len(close.ticks) > 1
    assert all(0 <= close.share(tick) <= 1 for tick in close.ticks)
    assert not Axis.of_options([0.0, 0.0]).is_log
    # Where it draws what has no place on the axis, in words.
    assert list(at_edges([Series("a", "front", [(1.0, 0.0), (2.0, 3.0)])])) == [
        "What takes no I/O time is drawn at the lower edge."
    ]
    assert list(at_edges([Series("a", "front", [(0.0, 0.0)])])) == []


def test_the_top_says_what_to_buy_how_sure_and_for_how_long() -> None:
    given = document()
    header = parsed(report.html(given)).find("body/header")
    assert header is not None
    [lead] = [each for each in header.iter("p") if each.get("class") == "lead"]
    assert words(lead) == given["decision"]
    shown = dict(
        zip(
            map(words, header.iter("dt")),
            map(words, header.iter("dd")),
            strict=True,
        )
    )
    months = given["recommendation"]["months_until_too_small"]
    assert shown["Until it is too small"].split()[0] == f"{int(months)}"
    assert shown["How sure"] == given["confidence"]["text"]
    assert given["when"]["text"].startswith(shown["For how long"])
    # The reasons stand in paragraphs of their own, each once.
    said = [words(each) for each in section(parsed(report.html(given)), "answer")]
    assert given["decision"] in said
    assert any(each.rstrip(".") == given["because"].rstrip(".") for each in said)
    # What does not last stands in a paragraph of its own, too.
    but = "Nothing is evicted: another costs 1 USD per month more."
    told = {
        **given,
        "because": f"{given['because']} {but} The rest.",
        "reservations": [but],
    }
    said = [words(each) for each in section(parsed(report.html(told)), "answer")]
    assert but in said
    assert f"{given['because']} The rest." in said
    # A document of before has only the whole.
    del given["decision"], given["because"]
    old = words(section(parsed(report.html(given)), "answer"))
    assert old.count(given["finding"]) == 1


@pytest.mark.parametrize("lacks", [True, False])
def test_the_choice_stays_the_same_whether_or_not_its_machine_is_priced(
    *, lacks: bool
) -> None:
    given = document()
    best = given["recommendation"]
    best["without_machine"] = lacks
    bar = {
        **given["confidence"]["tornado"][0],
        "changes": False,
        "flip": None,
        "best_low": with_flow(best["name"], best["scheme"], best["admission_by"]),
        "best_high": None,
    }
    given["confidence"]["tornado"] = [bar]
    said = words(section(parsed(report.html(given)), "sure"))
    assert "The choice stays the same at every end." in said
    bar["best_low"] = f"2 x {bar['best_low']}"
    said = words(section(parsed(report.html(given)), "sure"))
    assert "but not everywhere the same." in said


def test_an_end_without_an_option_is_drawn_as_such() -> None:
    bar = {
        "about": "<b>what</b> is not known",
        "usd_per_month_low": Decimal(80),
        "usd_per_month_high": None,
    }
    chart = ET.fromstring(
        tornado_chart([bar], Decimal(100), MONEY, "title", "description")
    )
    assert "no option" in words(chart)
    assert "80.00" in words(chart)
    assert "1. <b>what</b> is not known" in words(chart)
    both = ET.fromstring(
        tornado_chart(
            [{**bar, "usd_per_month_high": Decimal(120)}], Decimal(100), MONEY, "t", "d"
        )
    )
    assert "no option" not in words(both)
    times = {**bar, "io_time_us_low": 4.0, "io_time_us_high": 1500.0}
    timed = ET.fromstring(tornado_chart([times], 20.0, TIME, "t", "d"))
    assert "1.5 ms" in words(timed)
    assert "recommended: 20 µs" in words(timed)
    assert "USD" not in words(timed)
    assert "120.00" in words(both)
    one = ET.fromstring(front_chart([Series("a", "front", [(0.0, 0.0)])], "t", "d"))
    assert len(list(one.iter(f"{SVG}circle"))) == 2


def test_figures_are_written_with_sensible_precision() -> None:
    assert show.usd(Decimal("1234567.8")) == "1,234,567.80"
    assert show.usd(None) == "not known"
    assert show.signed_usd(Decimal("2.5")) == "+2.50"
    assert show.signed_usd(Decimal("-2.5")) == "-2.50"
    assert show.months(40.9) == "40 months"
    assert show.months(1.5) == "1 month"
    assert show.months(0.4) == "under 1 month"
    assert show.months(0.0) == "already too small"
    assert show.limit("peak_busy", Decimal("0.7")) == "70.0 %"
    assert show.limit("usd_per_month", 4355.2) == "4,355.20 USD per month"
    life = {"constraint": "flash_life_years", "limit": 5.0, "relaxation": 2.0}
    assert show.admitted_at(life) == "3.00 years"
    load = {"constraint": "peak_busy", "limit": 0.7, "relaxation": 0.1}
    assert show.admitted_at(load) == "80.0 %"
    assert show.admitted_at({**load, "relaxation": None}) == "-"


def test_a_tag_escapes_text_and_attributes() -> None:
    assert tag("p", "<&>", title='"x"') == '<p title="&quot;x&quot;">&lt;&amp;&gt;</p>'
    assert tag("p", tag("b", "<")) == "<p><b>&lt;</b></p>"


def test_the_table_has_each_option_once_with_its_roles() -> None:
    given = document()
    rows = list(csv.DictReader(io.StringIO(report.csv(given))))
    roles = [row["role"].split("; ") for row in rows]
    assert roles[0][0] == "recommended"
    assert sum("today" in each for each in roles) == 1
    assert sum("front" in each for each in roles) == len(given["pareto"])
    assert sum("close" in each for each in roles) >= 1
    assert len({tuple(row.values())[1:] for row in rows}) == len(rows)
    assert roles[-1] == ["at another limit"]
    best = given["recommendation"]
    assert rows[0]["cost [USD/month]"] == best["usd_per_month"]
    assert float(rows[0]["I/O time [µs/access]"]) == best["io_time_us_per_access"]
    assert int(rows[0]["RAM [bytes]"]) == best["ram_bytes"]
    assert all(None not in row for row in rows)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_spreadsheet_computes_no_text(text: str) -> None:
    given = document()
    given["recommendation"]["name"] = text
    given["recommendation"]["months_until_too_small"] = -1.5
    row = next(csv.DictReader(io.StringIO(report.csv(given), newline="")))
    assert row["option"] == f"'{text}"
    assert row["until too small [months]"] == "-1.5"


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("recommendation", "usd_per_month"), "12.3.4", "recommendation.usd_per_month"),
        (("recommendation", "usd_per_month"), "1.00", "not the sum of the rows"),
        (("pareto", 0, "io_time_us_per_access"), "fast", r"pareto\[0\]\.io_time"),
        (("pareto", 0, "io_time_us_per_access"), float("nan"), r"pareto\[0\]\.io_time"),
        (("pareto", 0, "io_time_us_per_access"), 1e308, r"pareto\[0\]\.io_time"),
        (("option_zero", "usd_per_month"), "9" * 40, r"option_zero\.usd_per_month"),
        (("pareto", 0, "machines"), -1, r"pareto\[0\]\.machines"),
        (("alternatives",), "none", "alternatives"),
        (("verdict",), None, "verdict"),
        (("verdict", "viable"), 1, "verdict.viable"),
        (("finding",), ["a"], "finding"),
        (("confidence", "tornado", 0, "about"), 5, r"confidence\.tornado\[0\]\.about"),
        (("constraints", "peak_busy"), "much", r"constraints\.peak_busy"),
        (("rejected_counts", "price"), 1.5, r"rejected_counts\.price"),
        (
            ("recommendation", "bill", 0),
            {},
            r"recommendation\.bill\[0\]\.what: is missing",
        ),
        (("finding",), "x" * 100_000, "finding"),
    ],
)
def test_a_damaged_advice_is_refused_with_the_place(
    path: tuple[Any, ...], value: Any, place: str
) -> None:
    given = copy.deepcopy(document())
    inner: Any = given
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(BadInput, match=place) as refused:
        report.html(given)
    assert "tierwright advise" in refused.value.hint
    assert len(str(refused.value)) < 4000


ODD = st.one_of(
    st.sampled_from(
        [None, True, 0, -1, 1, 10**30, 10**400, 1e308, -1e308, 1e-300, -0.0, 1e400]
    ),
    st.sampled_from(["", "0", "-5", "9" * 400, "1e9", "\ud800", HOSTILE, [], {}, [{}]]),
    st.floats(),
    st.text("<&>\"'=\x00\u2028", max_size=5),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in plain data; of long lists the first three entries."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for at, entry in enumerate(value[:3]):
            yield from places(entry, (*path, at))


@cache
def every_place() -> list[tuple[Any, ...]]:
    return [
        path
        for path in places(document())
        if not {"config", "volumes", "numbers", "warnings"} & set(path)
    ]


def damage(document_: Any, path: tuple[Any, ...], value: Any) -> None:
    """Put a value at a place, if earlier damage left it there."""
    for key in path[:-1]:
        try:
            document_ = document_[key]
        except (TypeError, KeyError, IndexError):
            return
    if isinstance(document_, dict) or (
        isinstance(document_, list) and path[-1] in range(len(document_))
    ):
        document_[path[-1]] = value


@settings(deadline=None)
@drawn(st.data())
def test_any_damage_is_refused_or_still_a_document(data: st.DataObject) -> None:
    damaged = document()
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(every_place()))
        damage(damaged, path, data.draw(ODD))
    try:
        text, rows = report.html(damaged), report.csv(damaged)
    except BadInput:
        return
    assert parsed(text).find("./body/main") is not None
    assert text.encode("utf-8")
    assert rows.encode("utf-8")
    assert not re.search(r"[>\s\"](nan|inf)[<\s\"]", text)


def test_a_choice_without_a_regret_in_each_scenario_is_refused() -> None:
    given = document()
    given["scenarios"]["rows"][1]["regret"] = None
    with pytest.raises(
        BadInput, match=r"scenarios\.rows\[1\]\.regret: `0` must be one of"
    ):
        report.html(given)
    given["scenarios"]["rows"][1]["regret"] = given["scenarios"]["rows"][0]["regret"][
        1:
    ]
    with pytest.raises(BadInput, match=r"scenarios\.rows\[1\]\.regret"):
        report.csv(given)


def test_the_command_writes_what_the_ending_says(tmp_path: Path) -> None:
    given = tmp_path / "a.json"
    given.write_text(advised(), encoding="utf-8")
    for ending, made in (("html", report.html), ("csv", report.csv)):
        output = tmp_path / f"report.{ending}"
        out = run("report", str(given), "-o", str(output))
        assert out.returncode == 0, out.stderr
        assert (
            out.stdout == f"{output}: report of the advice {document()['advice_id']}\n"
        )
        assert output.read_bytes().decode("utf-8") == made(document())
    kept = tmp_path / "kept.JSON"
    assert run("report", str(given), "-o", str(kept)).returncode == 0
    assert json.loads(kept.read_text(encoding="utf-8")) == document()
    titled = tmp_path / "titled.html"
    asked = ("report", str(given), "-o", str(titled), "--title", "Orders <2027>")
    assert run(*asked).returncode == 0
    heading = parsed(titled.read_text(encoding="utf-8")).find("./body/header/h1")
    assert heading is not None
    assert words(heading) == "Orders <2027>"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", "not JSON"),
        (b"{", "line 1"),
        (b"\xff\xfe{", "not UTF-8"),
        (b"[1, 2]", "must be a table of keys"),
        (b'{"finding": "of another question"}', "advice_id: is missing"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * (report.MOST_BYTES + 1), "larger than 16 MiB"),
    ],
)
def test_the_command_refuses_what_is_not_an_advice(
    tmp_path: Path, content: bytes, place: str
) -> None:
    given, output = tmp_path / "a.json", tmp_path / "r.html"
    given.write_bytes(content)
    out = run("report", str(given), "-o", str(output))
    assert out.returncode == 2
    assert str(given) in out.stderr
    assert place in out.stderr
    assert "hint:" in out.stderr
    assert not output.exists()


def test_the_command_refuses_outputs_that_it_cannot_write(tmp_path: Path) -> None:
    given = tmp_path / "a.json"
    given.write_text(advised(), encoding="utf-8")
    for output, place in (
        ("r.doc", ".html, .pdf, .xlsx, .csv or .json"),
        ("r", ".html, .pdf, .xlsx, .csv or .json"),
        ("absent/r.html", "a folder that exists"),
        ("a.json", "name another file"),
    ):
        out = run("report", str(given), "-o", str(tmp_path / output))
        assert out.returncode == 2
        assert place in out.stderr
    title = run("report", str(given), "-o", str(tmp_path / "r.csv"), "--title", "x")
    assert title.returncode == 2
    assert "--title" in title.stderr
    absent = run("report", str(tmp_path / "none.json"), "-o", str(tmp_path / "r.html"))
    assert absent.returncode == 2
    assert "none.json" in absent.stderr


def test_amounts_of_another_currency_are_named_with_their_rate() -> None:
    given = document()
    given["exchange_rate"] = {
        "currency": "EUR",
        "per_usd": "0.88",
        "date": "2026-09-30",
        "source": "a test",
    }
    given["constraints"] |= {"usd_per_month": "5000", "eur_per_month": "4400"}
    given["rejected_counts"] |= {"usd_per_month": "25", "eur_per_month": "22.0"}
    root = parsed(report.html(given))
    assert "1 USD = 0.88 EUR (2026-09-30; a test)" in words(section(root, "answer"))
    limits = words(section(root, "question"))
    assert "cost per month at most 5,000.00 USD" in limits
    assert "4400" not in limits.replace(",", "")
    counts = dict(tables(root, "why-not")[0])
    assert counts["cost per month"] == "25"
    assert "EUR" not in report.html(document())
    # What the report adds is in dollars: the note says so where it stands, whatever is beside it.
    need = words(section(root, "need"))
    assert "USD per month" in need
    assert "tables, and what this report adds, in USD" in need


def test_the_cost_over_the_horizon_says_where_something_else_follows() -> None:
    given = document()
    best = given["recommendation"]
    best["months_until_too_small"] = 11.4
    said = words(section(parsed(report.html(given)), "life"))
    assert "too small after 11 months: what then replaces or extends it" in said
    for months in (None, 36.0, 40.0):
        best["months_until_too_small"] = months
        assert "too small" not in words(section(parsed(report.html(given)), "life"))


def test_a_rejected_option_names_its_limits_and_what_would_admit_it() -> None:
    given = document()
    none = {"value": None, "limit": None, "relaxation": None}
    cost = {**none, "constraint": "usd_per_month", "value": 120.5, "limit": 100.0}
    head = {
        "option": given["recommendation"],
        "constraint": "flash_life_years",
        "value": 4.71,
        "limit": 5.0,
        "relaxation": 0.29,
        "also": [
            {**none, "constraint": "price"},
            cost,
            {**none, "constraint": "response_p99_us", "limit": 900.0},
        ],
    }
    given["rejected"] = [head]
    *_, rejected = tables(parsed(report.html(given)), "why-not")
    assert rejected[1][2] == (
        "life of the flash: 4.71 years, at least 5.00 years; admitted at about 4.71 years "
        "a price "
        "cost per month: 120.50 USD per month, at most 100.00 USD per month "
        "99th percentile of the response time in the busiest hour: not known, at most 900 µs"
    )
    # What falls alike under several page flows is one line, and each its own in the appendix.
    flows = [
        {**head, "option": {**head["option"], "name": "1 x a", "scheme": scheme}}
        for scheme in ("lazy", "inclusive", "exclusive")
    ]
    other = {**flows[0], "value": 4.5}
    given["rejected"] = [*flows, other]
    page = parsed(report.html(given))
    *_, rejected = tables(page, "why-not")
    assert [row[0] for row in rejected[1:]] == [
        "1 x a, page flow Lazy, Inclusive or Exclusive",
        "1 x a, page flow Lazy",
    ]
    *_, every = tables(page, "appendix")
    assert [row[0] for row in every[1:]] == [
        *(f"1 x a, page flow {flow}" for flow in ("Lazy", "Inclusive", "Exclusive")),
        "1 x a, page flow Lazy",
    ]


def test_a_count_of_options_is_no_money() -> None:
    counts = document(feasible=False)["rejected_counts"]
    assert counts["usd_per_month"] > 0
    with showing(ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "a test")):
        other = stated(document(feasible=False))
    assert other["rejected_counts"] == counts
    assert "EUR" in report.html(other)


def test_what_is_ahead_and_beside_the_choice_is_there() -> None:
    given = document()
    root = parsed(report.html(given))
    when = words(section(root, "when"))
    assert given["when"]["text"] in when
    assert given["waiting"]["text"] in when
    assert [row[1] for row in tables(root, "when")[-1][1:]] == [
        f"{Decimal(each['purchase_usd']):,}" for each in given["waiting"]["trends"]
    ]
    assert given["next_dollar"]["text"] in words(section(root, "flat"))
    [sizes, *_] = tables(root, "flat")
    assert len(sizes) == 1 + len(given["flat"])
    columns, regret = tables(root, "scenarios")
    found = given["scenarios"]
    assert [row[0] for row in columns[1:]] == [
        each["title"] for each in found["columns"]
    ]
    robust = [row[0] for row in regret[1:] if "robust" in row[0]]
    assert [found["robust"]] * len(robust) == [
        row["name"] for row in found["rows"] if row["is_robust"]
    ]
    assert all(one.startswith(found["robust"]) for one in robust)
    for shown, row in zip(regret[1:], found["rows"], strict=True):
        amount = row["most_regret_usd_per_month"]
        assert Decimal(shown[-1].replace(",", "")) == Decimal(amount)


def test_a_date_of_the_price_book_stands_beside_its_own_prices_alone() -> None:
    row = {"date": "", "source": "a list", "unit_price": Decimal(2)}
    assert _paper._date(row, "2026-Q3") == "2026-Q3 (price book)"
    assert _paper._date(row, "none") == "-"
    assert _paper._date({**row, "date": "2026-05"}, "2026-Q3") == "2026-05"
    assert _paper._date({**row, "unit_price": Decimal(0)}, "2026-Q3") == "-"
    asked = {**row, "source": STATED}
    assert _paper._date(asked, "2026-Q3") == "-"
    assert _paper._source(asked) == "stated with the question"
    owned = {**row, "source": STATED_OF_HAVE}
    assert _paper._date(owned, "2026-Q3") == "-"
    assert _paper._source(owned) == "stated of what there is"
    assert _paper._source(row) == "a list"


def test_what_nothing_is_bought_for_is_needed_in_the_words_of_what_is_bought() -> None:
    none = document(feasible=False)
    # 4 TiB that grow by a fifth a year are 4 * 1.2^3 TiB after three years.
    grown = "has to hold 6.91 TiB of data after 36 months and to serve 20,000"
    assert pytest.approx(6.91, abs=0.005) == 4 * 1.2**3
    for each in (none, document()):
        needed = _paper._needed(each)
        assert grown in needed
        assert "page accesses per second today" in needed
        # What does not grow is neither of a later time nor of today.
        steady = {**each, "question": {**each["question"], "growth_per_year": 0.0}}
        said = _paper._needed({**steady, "when": None})
        assert "6.91 TiB of data and to serve 20,000 page accesses per second," in said
        assert "month" not in said
        assert "today" not in said


def test_of_an_earlier_document_it_is_not_said_that_the_data_grow() -> None:
    given = document(feasible=False)
    asked = {
        key: value
        for key, value in given["question"].items()
        if key != "growth_per_year"
    }
    for question in (asked, None):
        needed = _paper._needed({**given, "question": question})
        assert "6.91 TiB of data at the end of 36 months and to serve 20,000" in needed
        assert " today" in needed


def test_doing_nothing_is_large_enough_for_so_many_months() -> None:
    given = document()
    zero = {
        **given["option_zero"],
        "usd_per_month": None,
        "peak_busy": 0.1,
        "months_until_too_small": 127.4,
    }
    given["quotes"], given["constraints"] = None, {}
    assert "It is large enough for 127 months of growth." in _paper._nothing(
        given, zero
    )
    soon = {**zero, "months_until_too_small": 0.4}
    assert "Growth makes it too small within a month." in _paper._nothing(given, soon)


def test_what_is_rented_is_exchanged_where_it_breaks_a_limit() -> None:
    given = document()
    rows = given["scenarios"]["rows"]
    broken = [sum(bool(cell["breaks"]) for cell in row["regret"]) for row in rows]
    assert max(broken) > min(broken) == 0
    for rented in (True, False):
        for row in rows:
            row["is_rented"] = rented
        _, regret = tables(parsed(report.html(given)), "scenarios")
        said = [sum("exchanged; breaks" in cell for cell in row) for row in regret[1:]]
        assert said == (broken if rented else [0] * len(rows))
        assert [int(row[-2]) for row in regret[1:]] == broken


def test_an_advice_that_looked_nowhere_ahead_says_so() -> None:
    given = {
        key: value
        for key, value in document().items()
        if key not in ("waiting", "scenarios", "flat", "next_dollar")
    }
    given["when"] = None
    root = parsed(report.html(given))
    assert "do not grow" in words(section(root, "when"))
    assert "No scenarios were evaluated" in words(section(root, "scenarios"))
    assert "No neighbours" in words(section(root, "flat"))


def test_steps_whose_months_are_not_exact_name_both() -> None:
    given = document()
    step = {"usd_per_month": None, "scheme": None, "io_time_us_per_access": None}
    given["when"] = {
        "growth_per_year": 0.2,
        "months_until_too_small": None,
        "asked_until": 36,
        "text": "Then.",
        "basis": "asked again",
        "steps": [
            {"month": 9, "month_before": 8, "name": "a", **step},
            {"month": 24, "month_before": 12, "name": None, **step},
        ],
    }
    [rows] = tables(parsed(report.html(given)), "when")[:1]
    assert [row[0] for row in rows[1:]] == ["9", "13 to 24"]
    assert rows[2][-1] == "no option keeps every limit"


def test_the_money_after_which_another_wins_is_said_to_be_of_other_hardware() -> None:
    given = document()
    best, following = given["recommendation"], given["alternatives"][0]
    more = Decimal(following["usd_per_month"]) - Decimal(best["usd_per_month"])
    [said] = [
        words(item)
        for item in section(parsed(report.html(given)), "switching").iter("li")
        if "may cost" in words(item) and "recommendation" in words(item)
    ]
    assert said.startswith(f"The recommendation may cost {more:,.2f} USD per month (")
    assert f"before the best of other hardware, {following['name']}" in said
    assert said.endswith(
        "costs less; another size of the same hardware may cost less before that."
    )
    # So is the next: it holds its data on another device, or caches on one.
    hardware = [(one["disk_device"], one["flash_device"]) for one in (best, following)]
    assert hardware[0] != hardware[1]


def test_a_rule_that_asks_for_flash_says_how_much() -> None:
    given = document()
    [rows] = tables(parsed(report.html(given)), "rules")
    at = rows[0].index("flash it asks for")
    by_title = {row[0]: row[at] for row in rows[1:]}
    asked = 0
    for rule in given["rules_of_thumb"]:
        shown = by_title[rule["title"]]
        if "ten times as much flash" in rule["title"]:
            asked += 1
            # Ten times as much as its RAM, which is a hundredth of the data.
            assert rule["flash_bytes"] == pytest.approx(10 * rule["ram_bytes"])
            assert shown == format_bytes(rule["flash_bytes"])
        else:
            assert shown == "-"
    assert asked == 1


@pytest.mark.parametrize("purchase", [None, "5000.00"])
def test_what_there_is_is_not_bought_again_in_tables(purchase: str | None) -> None:
    given = document()
    # As where an amount was stated in place of a bill, or none.
    given["option_zero"] |= {"purchase_usd": purchase or "0.00", "bill": []}
    rows = list(csv.DictReader(io.StringIO(report.csv(given))))
    [today] = [row for row in rows if "today" in row["role"]]
    assert today["purchase [USD]"] == ""
    assert today["cost [USD/month]"] == given["option_zero"]["usd_per_month"]
    [bought] = [row for row in rows if row["role"].startswith("recommended")]
    assert bought["purchase [USD]"] == given["recommendation"]["purchase_usd"]
