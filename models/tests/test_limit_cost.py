"""What a limit costs, as the command and the report say it: the words follow the steps, and none without any."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from advice_cases import SHELF, ask, curve, recorded
from advices import document
from command import run
from hypothesis import given
from hypothesis import strategies as st
from test_report import parsed, section, tables, words

from tierwright.advise import report
from tierwright.advise.advice import limit_cost
from tierwright.advise.advice._words import infeasible_heading, kept_limit, stated_limit
from tierwright.advise.advice.found import Staircase, StaircaseStep
from tierwright.advise.advice.request import Candidates
from tierwright.advise.report._document import checked
from tierwright.advise.report._options import LIMIT_ROLE, limit_rows
from tierwright.hardware import catalog
from tierwright.profile.production import Production

TIME = "io_time_us_per_access"


def stairs(
    *steps: tuple[float | None, int],
    constraint: str = TIME,
    limit: float | None = None,
    ends: tuple[float | None, float | None] = (None, None),
) -> Staircase:
    """Steps of a value and what is paid a month; each is named by that, and takes as long as is paid less."""
    made = tuple(
        StaircaseStep(value, f"option {usd}", "none", Decimal(usd), 1000.0 - usd)
        for value, usd in steps
    )
    return Staircase(constraint, limit, made, *ends, "" if made else "nothing is known")


THREE = ((2.0, 90), (5.0, 60), (8.0, 40))


def beside(found: Staircase, objective: str = "usd") -> str:
    return limit_cost.beside(found, objective)


class TestBeside:
    """The next looser and the next tighter value of a limit that was stated."""

    def test_both_are_named_with_what_they_save_and_cost(self) -> None:
        assert beside(stairs(*THREE, limit=6.0)) == (
            "I/O time of an access at most 6 µs: a limit of 8 µs buys option 40 and saves 20 USD per month; a limit of "
            "2 µs buys option 90 and costs 30 USD per month more."
        )

    def test_for_the_least_time_both_are_times(self) -> None:
        found = stairs((100, 100), (300, 300), constraint="usd_per_month", limit=200.0)
        assert beside(found, "io_time") == (
            "Cost per month at most 200 USD: a limit of 300 USD per month buys option 300 and saves 200 µs of "
            "I/O time per access; 100 USD per month is the tightest limit that an option keeps."
        )

    def test_a_limit_of_money_that_is_read_admits_what_costs_cents(self) -> None:
        found = stairs((1493.92, 1494), constraint="usd_per_month", limit=1200.0)
        assert beside(found) == (
            "Cost per month at most 1,200 USD: no option keeps it. The tightest limit that one keeps is 1,493.92 USD per "
            "month."
        )

    def test_a_least_value_is_looser_the_smaller_it_is(self) -> None:
        found = stairs(
            (9.0, 90), (5.0, 60), (1.0, 40), constraint="flash_life_years", limit=4.0
        )
        said = beside(found)
        assert said.startswith(
            "Life of the flash at least 4.00 years: a limit of 1.00 years "
        )
        assert "a limit of 9.00 years buys option 90 and costs 30 USD" in said

    @pytest.mark.parametrize(
        ("limit", "ends", "said"),
        [
            (9.0, (None, None), "no looser limit changes the choice"),
            (8.0, (None, 8.0), "what looser limits buy is not computed here"),
            (2.0, (None, None), "2 µs is the tightest limit that an option keeps"),
            (2.0, (2.0, None), "what limits tighter than 2 µs buy is not computed"),
        ],
    )
    def test_the_ends_are_said_as_far_as_they_are_known(
        self, limit: float, ends: tuple[float | None, float | None], said: str
    ) -> None:
        assert said in beside(stairs(*THREE, limit=limit, ends=ends))

    def test_a_choice_that_keeps_any_limit_has_nothing_tighter(self) -> None:
        said = beside(stairs((None, 60), (8.0, 40), limit=9.0))
        assert "whatever the limit, option 60 keeps it and costs 20 USD" in said
        said = beside(stairs((None, 60), limit=9.0))
        assert "no tighter limit changes the choice" in said

    def test_nothing_is_tighter_than_none_at_all(self) -> None:
        found = stairs((0.0, 90), (2**30, 60), constraint="flash_bytes", limit=0.0)
        said = beside(found)
        assert "buys option 60" in said
        assert "tight" not in said
        # Of least values 0 is the loosest one.
        found = stairs((9.0, 90), (0.0, 60), constraint="flash_life_years", limit=0.0)
        assert "buys option 90" in beside(found)

    def test_a_limit_that_no_option_keeps(self) -> None:
        assert beside(stairs(*THREE, limit=1.0)) == (
            "I/O time of an access at most 1 µs: no option keeps it. The tightest limit that one keeps is 2 µs."
        )

    def test_equal_money_is_told_apart_by_time(self) -> None:
        found = stairs((2.0, 40), (8.0, 40), limit=9.0)
        fast, slow = found.steps
        found = replace(found, steps=(fast, replace(slow, io_time_us_per_access=950.0)))
        # The same money and less time: that one is the better, so it is the loosest step.
        assert "costs 10 µs of I/O time per access more" in beside(found)

    def test_nothing_is_said_without_steps_or_without_a_limit(self) -> None:
        assert beside(stairs(limit=9.0)) == ""
        assert beside(stairs(*THREE)) == ""
        assert beside(stairs(*THREE, limit=1.0, ends=(2.0, None))) == ""


class TestWhich:
    """Which limits and which steps are shown."""

    def test_the_busy_share_that_holds_unless_stated_is_shown_where_it_costs(
        self,
    ) -> None:
        free = stairs((0.5, 40), constraint="peak_busy", limit=0.7)
        costs = stairs((0.5, 60), (0.9, 40), constraint="peak_busy", limit=0.7)
        stated = replace(free, limit=0.6)
        assert limit_cost.stated([free]) == []
        assert limit_cost.stated([costs]) == [costs]
        assert limit_cost.stated([stated]) == [stated]

    def test_the_other_of_money_and_time_is_shown_too(self) -> None:
        every = [
            stairs(*THREE, constraint=name)
            for name in ("ram_bytes", "usd_per_month", TIME)
        ]
        assert limit_cost.shown(every, "usd") == every[2:]
        assert limit_cost.shown(every, "io_time") == every[1:2]
        with_ram = [replace(every[0], limit=9.0), *every[1:]]
        assert limit_cost.shown(with_ram, "usd") == [with_ram[0], every[2]]

    @given(
        number=st.integers(1, 200),
        asked=st.none() | st.integers(0, 199),
    )
    def test_few_steps_hold_the_ends_and_what_was_asked_with_its_neighbours(
        self, number: int, asked: int | None
    ) -> None:
        at = None if asked is None else min(asked, number - 1)
        found = stairs(
            *((float(each), 1000 - each) for each in range(number)),
            limit=None if at is None else float(at),
        )
        some = limit_cost.some_steps(found)
        assert len(some) == min(number, limit_cost.MOST_ROWS)
        assert some == sorted(set(some))
        middle = number - 1 if at is None else at
        near = {each for each in (middle - 1, middle, middle + 1) if 0 <= each < number}
        assert {0, number - 1, *near} <= set(some)


class TestFinding:
    """The sentence over a staircase."""

    def test_both_ends_are_compared(self) -> None:
        assert limit_cost.finding(stairs(*THREE), "usd") == (
            "I/O time of an access: a limit of 8 µs costs 40 USD per month, one of 2 µs costs 90 USD per month"
        )
        assert "one however small costs 90" in limit_cost.finding(
            stairs((None, 90), (8.0, 40)), "usd"
        )
        assert limit_cost.finding(stairs(*THREE), "io_time").endswith(
            "a limit of 8 µs leaves 960 µs of I/O time per access, one of 2 µs leaves 910 µs of I/O time per access"
        )

    def test_one_choice_at_every_limit(self) -> None:
        assert limit_cost.finding(stairs((2.0, 90)), "usd").endswith(
            "the same choice at every limit from 2 µs on"
        )
        life = stairs((2.0, 90), constraint="flash_life_years")
        assert limit_cost.finding(life, "usd").endswith("up to 2.00 years")
        assert limit_cost.finding(stairs((None, 90)), "usd").endswith(
            "no limit changes what is recommended"
        )
        assert limit_cost.finding(stairs(), "usd").endswith(": not known")

    def test_how_far_it_is_known(self) -> None:
        assert limit_cost.known_ends(stairs(*THREE)) == ""
        assert limit_cost.known_ends(stairs(*THREE, ends=(2.0, 8.0))) == (
            "What limits tighter than 2 µs or looser than 8 µs buy is not computed here; ask again with such a limit."
        )


def with_stairs(*some: Staircase) -> dict[str, Any]:
    given_ = document()
    given_["staircases"] = [
        {
            "constraint": each.constraint,
            "limit": each.limit,
            "steps": [
                {
                    "value": step.value,
                    "name": step.name,
                    "scheme": step.scheme,
                    "usd_per_month": str(step.usd_per_month),
                    TIME: step.io_time_us_per_access,
                }
                for step in each.steps
            ],
            "tightest_known": each.tightest_known,
            "loosest_known": each.loosest_known,
            "reason": each.reason,
        }
        for each in some
    ]
    return given_


class TestReport:
    """Its section, its sheet and its rows."""

    def test_the_section_has_the_steps_of_the_advice(self) -> None:
        given_ = document()
        root = parsed(report.html(given_))
        [rows] = tables(root, "limit-cost")
        [found] = [each for each in given_["staircases"] if each["constraint"] == TIME]
        steps = {
            (step["name"], f"{Decimal(step['usd_per_month']):,}")
            for step in found["steps"]
        }
        assert {(row[1], row[3]) for row in rows[1:]} <= steps
        assert len(rows) == 1 + limit_cost.MOST_ROWS
        left_out = len(steps) - limit_cost.MOST_ROWS
        said = words(section(root, "limit-cost"))
        assert f"{left_out} more steps are left out here." in said
        assert "What 12 other limits would buy" in said

    def test_what_was_asked_is_marked_and_all_steps_are_shown(self) -> None:
        given_ = with_stairs(
            stairs(*THREE, limit=6.0), stairs(constraint="ram_bytes", limit=9.0)
        )
        root = parsed(report.html(given_))
        [rows] = tables(root, "limit-cost")
        assert [row[0] for row in rows] == [
            "limit from",
            "2 µs",
            "5 µs (asked: at most 6 µs)",
            "8 µs",
        ]
        assert [row[3] for row in rows[1:]] == ["90.00", "60.00", "40.00"]
        said = words(section(root, "limit-cost"))
        assert "left out" not in said
        assert "RAM: not known." in said
        assert "Nothing is known." in said
        assert "in the JSON of the advice" not in said

    @pytest.mark.parametrize("limit", [None, 0.0, 1.06e-8, 6.0])
    def test_what_reads_as_nothing_is_one_row(self, limit: float | None) -> None:
        """The cheapest of it: no limit is told apart there; but what is asked stays."""
        steps = ((0.0, 95), (1e-9, 92), (1.06e-8, 90), (5.0, 60), (8.0, 40))
        given_ = with_stairs(stairs(*steps, limit=limit))
        root = parsed(report.html(given_))
        [rows] = tables(root, "limit-cost")
        costs = [row[3] for row in rows[1:]]
        asked = ["95.00"] if limit == 0 else []
        assert costs == [*asked, "90.00", "60.00", "40.00"]
        assert [row[0] for row in rows if "asked" in row[0]] == (
            [] if limit is None else [rows[1 if limit < 1 else 2][0]]
        )
        said = words(section(root, "limit-cost"))
        # The sentence over the table is of its ends.
        assert f"one of {rows[1][0].split(' (')[0]} costs {costs[0]} USD" in said
        # The files state all of them.
        assert len(limit_rows(checked(given_, "advice"))) == len(steps)

    def test_without_staircases_it_says_so_and_nothing_else_has_them(self) -> None:
        given_ = with_stairs()
        said = words(section(parsed(report.html(given_)), "limit-cost"))
        assert limit_cost.NOT_COMPUTED in said
        assert not tables(parsed(report.html(given_)), "limit-cost")
        assert limit_cost.TITLE not in sheets(given_)
        assert LIMIT_ROLE not in report.csv(given_)
        assert "value that buys it" not in report.csv(given_)

    def test_the_csv_has_every_step_behind_the_options(self) -> None:
        given_ = with_stairs(stairs(*THREE), stairs(*THREE, constraint="ram_bytes"))
        rows = list(csv.DictReader(io.StringIO(report.csv(given_))))
        options = [row for row in rows if row["role"] != LIMIT_ROLE]
        without = list(csv.DictReader(io.StringIO(report.csv(with_stairs()))))
        assert [{**row, "limit": "", "value that buys it": ""} for row in without] == (
            options
        )
        limits = rows[len(options) :]
        assert [
            (row["limit"], row["value that buys it"], row["option"]) for row in limits
        ] == [(TIME, f"{value:.1f}", f"option {usd}") for value, usd in THREE]
        assert [row["cost [USD/month]"] for row in limits] == ["90", "60", "40"]
        assert all(row["RAM [bytes]"] == "" for row in limits)

    def test_the_workbook_has_the_rows_in_a_sheet(self) -> None:
        from test_report_files import Book

        given_ = with_stairs(stairs(*THREE, limit=6.0))
        book = Book(report.workbook(given_))
        assert book.sheets.index(limit_cost.TITLE) == 3
        stored = {
            cell: value
            for (sheet, cell), value in book.stored.items()
            if sheet == limit_cost.TITLE
        }
        rows = limit_rows(checked(given_, "advice"))
        assert [stored[f"{'ABCDEFG'[column]}3"] for column in range(7)] == [
            float(cell) if isinstance(cell, Decimal) else cell for cell in rows[1]
        ]
        assert len(rows) == len(THREE)


def sheets(given_: dict[str, Any]) -> list[str]:
    from test_report_files import Book

    return Book(report.workbook(given_)).sheets


@pytest.fixture(name="asked")
def asked_(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(recorded().to_dict()))
    shelf = tmp_path / "c.toml"
    shelf.write_text(f'devices = ["{SHELF[0]}", "{SHELF[2]}"]\nmachine_usd = 5000\n')
    return (
        *("advise", str(path), "--data", "2TiB", "--accesses-per-second", "5000"),
        *("--candidates", str(shelf), "--price-book", "street-2026-q3"),
    )


def test_the_command_says_it_of_the_limits_that_were_stated(
    asked: tuple[str, ...],
) -> None:
    stated = (*asked, "--constraint", f"{TIME}=0.5")
    out = run(*stated)
    found = json.loads(run(*stated, "--json").stdout)
    line = [
        line
        for line in out.stdout.splitlines()
        if line.startswith("I/O time of an access at most 500 ns: ")
    ]
    assert len(line) == 1
    [staircase] = [each for each in found["staircases"] if each["constraint"] == TIME]
    at = [
        step["usd_per_month"] == found["recommendation"]["usd_per_month"]
        for step in staircase["steps"]
    ].index(True)
    for other in (at - 1, at + 1):
        assert staircase["steps"][other]["name"] in line[0]


@pytest.mark.parametrize("usd", [None, 1.0])
def test_the_command_says_whether_another_limit_rules_out_what_keeps_one(
    asked: tuple[str, ...], usd: float | None
) -> None:
    """What keeps it alone is known by asking with it alone."""
    free = json.loads(run(*asked, "--json").stdout)["recommendation"]
    limits = {
        TIME: free["io_time_us_per_access"] / 1000,
        "usd_per_month": usd or 1.05 * float(free["usd_per_month"]),
    }
    stated = {name: f"--constraint={name}={value}" for name, value in limits.items()}
    out = run(*asked, *stated.values())
    assert out.returncode == 3
    lines = [line for line in out.stdout.splitlines() if "no option keeps it" in line]
    assert lines
    for line in lines:
        [name] = [each for each in limits if line.startswith(limit_cost.title(each))]
        alone = run(*asked, stated[name])
        is_kept = alone.returncode == 0
        # A limit of 1 USD is kept by no option, whatever the others are.
        assert is_kept == (usd is None)
        assert ("no option keeps it with the other limits. " in line) == is_kept
        assert ("that one keeps with them is" in line) == is_kept


def test_the_command_says_nothing_where_no_limit_was_stated_or_costs(
    asked: tuple[str, ...],
) -> None:
    said = run(*asked).stdout
    found = json.loads(run(*asked, "--json").stdout)
    assert found["staircases"]
    for name in ("peak_busy", TIME, "usd_per_month"):
        assert f"{limit_cost.title(name)} at most" not in said


_UNITS = {
    "B": 1.0,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "TiB": 2.0**40,
    "ns": 1e-3,
    "µs": 1.0,
    "ms": 1e3,
    "s": 1e6,
    "minutes": 60.0,
    "hours": 3600.0,
    "days": 86_400.0,
    "%": 0.01,
}
_SMALLEST = {"ram_bytes": 2**20, "restart_s": 0.1, "flash_life_years": 0.01}


class TestWhatIsReadIsKept:
    """A limit that an answer says to be enough admits its option as it is read: to the cent, in the unit shown."""

    @given(
        st.sampled_from(
            [
                "ram_bytes",
                "restart_s",
                "flash_life_years",
                "io_time_us_per_access",
                "usd_per_month",
                "purchase_usd",
            ]
        ),
        st.floats(1.0, 1e7),
    )
    def test_of_every_value(self, name: str, times: float) -> None:
        value = times * _SMALLEST.get(name, 1.0)
        amount, unit, *_ = kept_limit(name, value).split(" ")
        size = 1.0 if name == "restart_s" and unit == "s" else _UNITS.get(unit, 1.0)
        read = float(amount.replace(",", "")) * size
        if name == "flash_life_years":
            assert value * 0.98 < read <= value * (1 + 1e-12)
        else:
            assert value * (1 - 1e-12) <= read < value * 1.02
        if "usd" in name:
            assert read <= value + 0.01 + 1e-6

    def test_five_gib_are_said_to_admit_five_gib(self) -> None:
        asked: dict[str, Any] = {
            "curve": curve(Production(2**42, 20_000.0, 20_000.0, growth_per_year=0.2)),
            "candidates": Candidates(
                kinds=("devices",), devices=("wd-sn850x-2tb-2026-05",)
            ),
            "prices": catalog.default_price_book(),
        }
        found = ask(constraints={"ram_bytes": 2**32}, **asked).infeasible
        assert found is not None
        assert found.text.endswith(
            "RAM to 5 GiB, which admits 5 GiB of RAM and 4 x wd-sn850x-2tb-2026-05."
        )
        again = ask(constraints={"ram_bytes": 5 * 2**30}, **asked).recommendation
        assert again is not None
        assert again.ram_bytes == 5 * 2**30

    def test_an_amount_is_said_to_the_cent(self) -> None:
        found = ask(constraints={"purchase_usd": 100})
        assert found.recommendation is None
        assert found.infeasible is not None
        _, _, said = found.infeasible.text.partition(" to ")
        read = Decimal(said.split(" ")[0].replace(",", ""))
        again = ask(constraints={"purchase_usd": read}).recommendation
        assert again is not None
        assert again.purchase_usd == read
        cent_less = ask(constraints={"purchase_usd": read - Decimal("0.01")})
        assert cent_less.recommendation is None


_STATED_UNITS = {
    **{unit: 1000**power for power, unit in enumerate(("B", "kB", "MB", "GB", "TB", "PB"))},
    **{unit: 1024**power for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB"))},
    "ns": Fraction(1, 1000),
    "µs": 1,
    "ms": 1000,
    "minutes": 60,
    "hours": 3600,
    "days": 86_400,
    "%": Fraction(1, 100),
}  # fmt: skip
_AS_STATED = (
    "peak_busy",
    "throughput_accesses_per_s",
    "machines",
    "ram_bytes",
    "flash_bytes",
    "io_time_us_per_access",
    "flash_life_years",
    "restart_s",
    "power_watts",
    "rack_units",
    "response_mean_us",
    "response_p50_us",
    "response_p99_us",
)


def read_back(name: str, written: str) -> Fraction:
    """Read the value of a limit, in the unit in which it is stated."""
    number, unit, *_ = written.split(" ")
    second = 10**6 if name.endswith("_us") or "_us_" in name else 1
    size = second if unit == "s" else _STATED_UNITS.get(unit, 1)
    return Fraction(number.replace(",", "")) * size


class TestWhatIsStatedIsWritten:
    """A limit that was stated reads as it was stated, in whichever unit: no digit is added or lost."""

    @given(
        st.sampled_from(_AS_STATED),
        st.one_of(
            st.integers(0, 10**15).map(Decimal),
            st.builds(
                lambda few, size: Decimal(few * size),
                st.integers(1, 2000),
                st.sampled_from(
                    (60, 1000, 3600, 86_400, 10**9, 10**12, 2**20, 2**30, 2**40)
                ),
            ),
            st.decimals(Decimal("1e-6"), Decimal(10**6), places=6),
        ),
    )
    def test_of_every_value(self, name: str, value: Decimal) -> None:
        assert read_back(name, stated_limit(name, value)) == Fraction(value)

    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("restart_s", "200", "200 s until RAM is warm"),
            ("restart_s", "3700", "3,700 s until RAM is warm"),
            ("restart_s", "7300", "7,300 s until RAM is warm"),
            ("restart_s", "9000", "2.5 hours until RAM is warm"),
            ("restart_s", "172800", "2 days until RAM is warm"),
            ("throughput_accesses_per_s", "1", "1 access per second"),
            ("throughput_accesses_per_s", "1.5", "1.5 accesses per second"),
            ("ram_bytes", "1e12", "1 TB of RAM"),
            ("ram_bytes", "1000001", "1,000,001 B of RAM"),
            ("flash_bytes", "1610612736", "1.5 GiB of flash cache"),
            ("peak_busy", "0.7", "a device busy for 70 % of the busiest hour"),
            ("response_p99_us", "0", "0 µs at the 99th percentile"),
        ],
    )
    def test_in_the_unit_in_which_it_is_even(
        self, name: str, value: str, said: str
    ) -> None:
        heading = infeasible_heading((name,), {name: Decimal(value)})
        assert heading == f"No option keeps the limit of {said}."
