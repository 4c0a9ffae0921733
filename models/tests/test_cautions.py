"""Cautions of an answer: one of a kind, the most important first, at most three above it."""

import ast
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierwright.advise import dram_or_flash, flash_choice, throughput, wear
from tierwright.cli.output import print_cautions
from tierwright.common.answer import Answer
from tierwright.common.cautions import (
    MOST_SHOWN,
    NO_CHOICE,
    NO_REASON,
    NOTHING_UNKNOWN,
    SEVERAL,
    WHY_NOT,
    Caution,
    Effect,
    Outcome,
    TraceCaution,
    Weighed,
    anywhere,
    choosing_nothing,
    effect_of,
    first_and_rest,
    merged,
    title_of_rest,
    weighed,
)
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.hardware.catalog import price_book_from_mapping
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.profile.curve import Curve, Given

ROOT = Path(__file__).resolve().parents[2]
CURVE = Curve.from_lists(
    [100, 300, 500, 1000],
    [4000, 2500, 2000, 1000],
    [800, 300, 200, 100],
    accesses=10_000,
    distinct_pages=1000,
    page_bytes=4096,
    write_accesses=2000,
)
DISK = {"read_iops": (1000, "1/s"), "write_iops": (500, "1/s"), "queue_depth": (1, "1")}


def device(name: str, kind: str, **figures: tuple[float, str]) -> Device:
    return device_from_mapping(
        {
            "id": name,
            "name": name,
            "kind": kind,
            "figures": {
                key: {"value": value, "unit": unit, "source": "test"}
                for key, (value, unit) in {"page_bytes": (4096, "B"), **figures}.items()
            },
        }
    )


def flash(
    name: str = "flash", read: float = 10_000, **more: tuple[float, str]
) -> Device:
    return device(
        name, "nvme", read_iops=(read, "1/s"), write_iops=(20_000, "1/s"), **more
    )


HARD_DISK = device("disk", "hdd", **DISK)


def caution(name: str, *about: str, message: str = "so") -> Caution:
    return Caution(name, message, "do", about=about)


def found(answer: Answer, code: str) -> Weighed:
    [one] = [each for each in answer.cautions if each.code == code]
    return one


class TestMerging:
    def test_devices_of_one_kind_are_one_sentence_about_all(self) -> None:
        one, other, third = (
            caution("queue_depth_unknown", name, message=f"`{name}`: x")
            for name in "abc"
        )
        [made] = merged([one, other, third])
        assert made.about == ("a", "b", "c")
        assert made.message == (
            "`a`, `b` and `c`: the queue depth of their IOPS is not stated, most likely "
            "saturation"
        )
        assert made.hint == "do"

    def test_one_device_keeps_its_own_sentence(self) -> None:
        one = caution("queue_depth_unknown", "a", message="`a`: x")
        assert merged([one, one]) == (one,)
        [twice] = merged([one, replace(one, message="`a`: y")])
        assert (twice.message, twice.about) == ("`a`: x; `a`: y", ("a",))

    def test_others_stand_side_by_side_and_their_effect_is_open_again(self) -> None:
        known = replace(
            caution("device_page_differs", "a", message="a: 1"),
            could_change_choice=False,
            effect="none",
        )
        [made] = merged([known, caution("device_page_differs", "b", message="b: 2")])
        assert (made.message, made.about) == ("a: 1; b: 2", ("a", "b"))
        assert (made.could_change_choice, made.effect) == (None, "")

    def test_a_warning_of_the_trace_stays_one(self) -> None:
        [made] = merged([TraceCaution("x", "1", ""), TraceCaution("x", "2", "")])
        assert isinstance(made, TraceCaution)


class TestOrder:
    EFFECTS = {
        "small": Effect("s", could_change_choice=True, size=0.1),
        "large": Effect("l", could_change_choice=True, size=0.9),
        "calm": Effect("c", could_change_choice=False, size=5.0),
        "unknown": Effect("u", could_change_choice=None),
    }

    def test_what_could_change_the_choice_is_first_the_largest_before(self) -> None:
        names = ["calm", "unknown", "small", "large"]
        made = weighed(map(caution, names), lambda each: self.EFFECTS[each.name])
        assert [each.code for each in made] == ["large", "small", "unknown", "calm"]
        assert [each.effect for each in made] == ["l", "s", "u", "c"]

    def test_what_a_replay_contradicts_is_never_among_the_rest(self) -> None:
        names = ["small", "large", "huge", "replay_beyond_band"]
        effects = {
            **self.EFFECTS,
            "huge": Effect("h", could_change_choice=True, size=9.0),
            "replay_beyond_band": Effect("r", could_change_choice=True),
        }
        first, _ = first_and_rest(
            weighed(map(caution, names), lambda each: effects[each.name])
        )
        assert [each.code for each in first] == ["replay_beyond_band", "huge", "large"]

    def test_at_most_three_stand_above_and_none_that_is_without_effect(self) -> None:
        made = [
            Weighed(f"{at}", (), "m", "h", "e", could)
            for at, could in enumerate((True, True, None, None, False))
        ]
        first, rest = first_and_rest(made)
        assert [each.code for each in first] == ["0", "1", "2"]
        assert len(first) == MOST_SHOWN
        assert [each.code for each in rest] == ["3", "4"]
        assert first_and_rest(made[4:]) == ((), tuple(made[4:]))

    @pytest.mark.parametrize(
        ("could", "title"),
        [
            ([False], "1 assumption, which does not change the choice"),
            ([False, False], "2 assumptions, none changes the choice"),
            ([None], "1 assumption; its effect is unknown"),
            ([None, False], "2 assumptions; the effect of 1 is unknown"),
            ([True], "1 assumption; it could change the choice"),
            (
                [True, None, False],
                "3 assumptions; 1 could change the choice too; the effect of 1 is unknown",
            ),
        ],
    )
    def test_the_rest_says_what_it_could_change(
        self, could: list[bool | None], title: str
    ) -> None:
        rest = [Weighed("x", (), "m", "h", "e", each) for each in could]
        assert title_of_rest(rest) == title


class TestWords:
    @pytest.mark.parametrize(
        ("outcomes", "text", "changes"),
        [
            ([("x", 0.34, "a", 0.0)], "if x: +34 % time, same buy", False),
            ([("x", 0.0, "a", 0.0)], "if x: no change of time, same buy", False),
            ([("x", 11.0, "a", 0.0)], "if x: 12 times the time, same buy", False),
            ([("x", np.inf, "a", 0.0)], "if x: unlimited time, same buy", False),
            (
                [("x", -0.012, "a", 0.0), ("y", 0.2, "a", 0.0)],
                "if x: -1.2 % time; if y: +20 % time, same buy",
                False,
            ),
            # Less than one per cent is equal for the purpose.
            ([("x", 0.1, "b", 0.009)], "if x: +10 % time, same buy", False),
            (
                [("x", 0.1, "b", 0.02), ("y", 0.5, "a", 0.0)],
                "if x: +10 % time, b would be best, a 2.0 % worse",
                True,
            ),
        ],
    )
    def test_an_effect_says_how_much_and_whether_the_choice_stays(
        self, outcomes: list[Any], text: str, changes: bool
    ) -> None:
        made = effect_of(
            [Outcome(*each) for each in outcomes], figure="time", chosen="a", kind="buy"
        )
        assert (made.text, made.could_change_choice) == (text, changes)

    def test_what_is_known_anywhere(self) -> None:
        fact = anywhere(caution("unusual_role"))
        assert fact.could_change_choice is False
        trace = anywhere(TraceCaution("whatever", "", ""))
        assert trace.text == "not computable from this trace"
        assert trace.could_change_choice is None
        assert anywhere(caution("whatever")).text == NO_REASON
        nothing = choosing_nothing(caution("whatever"))
        assert nothing == Effect(NO_CHOICE, could_change_choice=None)
        for known in ("unusual_role", "price_undated"):
            assert choosing_nothing(caution(known)) == anywhere(caution(known))
        brought = Caution("x", "", "", could_change_choice=True, effect="y")
        assert anywhere(brought) == Effect("y", could_change_choice=True)

    def test_what_changes_no_choice_is_not_called_unknown(self) -> None:
        none = Weighed("x", (), "m", "h", NO_CHOICE, None)
        assert title_of_rest([none, none]) == "2 assumptions, none changes the choice"
        other = replace(none, effect="not computable: y")
        assert title_of_rest([none, other]) == (
            "2 assumptions; the effect of 1 is unknown"
        )

    def test_a_command_prints_three_and_counts_the_others(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        made = [
            Weighed(f"c{at}", (), f"m{at}", f"h{at}", f"e{at}", could)
            for at, could in enumerate((True, None, None, None, False))
        ]
        print_cautions(made, every=False)
        said = capsys.readouterr().err
        assert said.splitlines() == [
            *("warning: m0", "effect: e0", "hint: h0"),
            *("warning: m1", "effect: e1", "hint: h1"),
            *("warning: m2", "effect: e2", "hint: h2"),
            "2 assumptions; the effect of 1 is unknown (--assumptions lists them)",
        ]
        marked = replace(made[0], hint="use a smaller [[page_bytes]]")
        print_cautions([marked])
        assert "hint: use a smaller --page-bytes\n" in capsys.readouterr().err
        print_cautions(made, every=True)
        assert capsys.readouterr().err.count("warning: ") == len(made)
        print_cautions(made[4:])
        assert capsys.readouterr().err == (
            "1 assumption, which does not change the choice (--json lists them)\n"
        )


class TestThroughput:
    def ask(self, drive: Device, curve: Curve = CURVE, clients: int = 16) -> Any:
        return throughput.answer(
            curve,
            ram_pages=100,
            flash_pages=300,
            flash=drive,
            disk=HARD_DISK,
            setting=Setting(clients),
            points=[clients],
        )

    # Beyond `MOST_STEPS` clients the operational laws stand for the network.
    @pytest.mark.parametrize(
        ("clients", "flips"), [(1, True), (16, False), (2000, False)]
    )
    def test_interpolated_counts_change_the_rate_as_another_curve_does(
        self, clients: int, flips: bool
    ) -> None:
        drive = flash(queue_depth=(1, "1"))
        answer = self.ask(drive, clients=clients)
        made = found(answer, "interpolated")
        best = answer.study.best[0]
        ends = {
            word: self.ask(
                drive,
                replace(
                    CURVE,
                    pages=np.array([100, 300, 400, 500, 1000]),
                    misses_at=np.array([4000.0, 2500, misses, 2000, 1000]),
                    # 11.1 % of the misses at 400 pages are dirty, on the line.
                    write_backs_at=np.array([800, 300, misses * 250 / 2250, 200, 100]),
                ),
                clients,
            ).study
            for word, misses in (("larger", 2000.0), ("smaller", 2500.0))
        }
        assert any(end.best[0] != best for end in ends.values()) is flips
        assert made.could_change_choice is flips
        if flips:
            assert f"`{ends['smaller'].best[0]}` would be best" in made.effect
            return
        now = float(answer.study.schemes[best].throughput_per_s[0])
        for word, end in ends.items():
            then = float(end.schemes[best].throughput_per_s[0])
            said = made.effect.split(f"next {word} listed sizes: ")[1].split(" %")[0]
            assert float(said) == pytest.approx(100 * (then / now - 1), abs=0.5)

    def test_writes_in_the_background_matter_while_clients_are_few(self) -> None:
        drive = flash(queue_depth=(1, "1"))
        alone = found(self.ask(drive, clients=1), "writes_are_waited_for")
        many = found(self.ask(drive, clients=2000), "writes_are_waited_for")
        assert "made in the background: +" in alone.effect
        assert "no change of throughput, same scheme" in many.effect


class TestWear:
    def ask(self, drive: Device, curve: Curve = CURVE, **more: Any) -> wear.Wear:
        asked: dict[str, Any] = {
            "ram_pages": 100,
            "flash_pages": 300,
            "disk": HARD_DISK,
            "accesses_per_s": 1000.0,
            **more,
        }
        return wear.answer(curve, flash=drive, **asked)

    def test_an_assumed_endurance_is_compared_with_those_of_the_catalogue(self) -> None:
        drive = flash(capacity=(10**12, "B"), queue_depth=(1, "1"))
        answer = self.ask(drive)
        made = found(answer, "endurance_assumed")
        assert made.about == ("flash",)
        assert made.could_change_choice is False
        assert "drive writes per day over 5 years, the least" in made.effect
        per_day = float(made.effect.split("it endures ")[1].split(" ")[0])
        less = self.ask(drive, rated_dwpd=per_day, rated_years=5.0)
        name = str(answer.gentlest)
        now, then = (
            next(each.years for each in one.schemes if each.scheme == name)
            for one in (answer, less)
        )
        assert now
        assert then
        assert f"{100 * (then / now - 1):.0f} % years of life" in made.effect

    def test_an_endurance_that_is_stated_has_no_such_caution(self) -> None:
        drive = flash(endurance_tb=(1000, "TB"), queue_depth=(1, "1"))
        assert "endurance_assumed" not in {
            each.code for each in self.ask(drive).cautions
        }

    def test_an_unknown_dirty_share_changes_the_gentlest_scheme_or_not(self) -> None:
        drive = flash(endurance_tb=(1000, "TB"), queue_depth=(1, "1"))
        given = replace(
            CURVE, write_backs_at=None, write_accesses=0, given=Given("lists", True)
        )
        answer = self.ask(drive, given)
        made = found(answer, "dirty_share_unknown")
        assert made.could_change_choice is (answer.gentlest is None)
        stated = given.with_dirty_share(0.2)
        calm = found(self.ask(drive, stated), "dirty_share_stated")
        assert "years of life" in calm.effect
        assert "if no evicted page is dirty" in calm.effect or (
            "as many evicted pages" in calm.effect
        )

    @pytest.mark.parametrize("stated", [True, False])
    def test_the_writes_of_lazy_are_compared_with_their_estimate(
        self, stated: bool
    ) -> None:
        rating = {"endurance_tb": (1000.0, "TB")} if stated else {}
        # Most pages that flash holds come back clean, which the formula does not know.
        many = Curve.from_lists(
            [100, 300, 500, 1000],
            [4680, 2155, 1981, 1166],
            [2191, 1964, 342, 284],
            accesses=10_000,
            distinct_pages=1000,
            page_bytes=4096,
            write_accesses=5000,
        )
        answer = self.ask(flash(queue_depth=(1, "1"), **rating), many, flash_pages=400)
        made = found(answer, "lazy_writes_by_formula")
        written = {each.scheme: each.flash_writes_per_access for each in answer.schemes}
        ends = next(
            each.flash_writes_per_access_range
            for each in answer.schemes
            if each.scheme == "lazy"
        )
        [other] = [end for end in ends if end != written["lazy"]]
        there = written | {"lazy": other}
        gentlest = str(answer.gentlest)
        assert there[gentlest] <= 1.01 * min(there.values())
        assert made.could_change_choice is False
        change = 100 * (
            written["lazy"] / other - 1 if stated else other / written["lazy"] - 1
        )
        assert gentlest == "lazy"
        assert abs(change) > 9.5
        assert f"lazy writes what the estimate says: {change:+.0f} %" in made.effect

    def test_drives_too_small_are_compared_with_enough_of_them(self) -> None:
        drive = flash(
            endurance_tb=(1, "TB"), capacity=(100 * 4096, "B"), queue_depth=(1, "1")
        )
        made = found(self.ask(drive), "beyond_capacity")
        assert made.effect.startswith("if 3 drives share the writes: +200 % years")


BOOK = price_book_from_mapping(
    {
        "id": "b",
        "name": "B",
        "date": "2026-01",
        "prices": [
            {"kind": kind, "usd_per_gb": usd, "source": "test"}
            for kind, usd in (("dram", 10), ("nvme", 1), ("hdd", "0.1"))
        ],
    }
)


class TestNextMoney:
    def ask(self, drive: Device, **more: Any) -> dram_or_flash.DramOrFlash:
        return dram_or_flash.answer(
            drive,
            HARD_DISK,
            ram_pages=100,
            prices=BOOK,
            points=2,
            **{"curve": CURVE, "usd": Decimal("0.01"), **more},
        )

    @pytest.mark.parametrize(("latency", "flips"), [(110.0, False), (990.0, True)])
    def test_a_drive_rated_at_an_unknown_depth_can_lose_the_money(
        self, latency: float, flips: bool
    ) -> None:
        alone = {
            "read_latency_us": (latency, "µs"),
            "write_latency_us": (latency, "µs"),
        }
        answer = self.ask(flash(**alone))
        main = answer.end.main
        assert main is not None
        assert main.winner == "flash"
        made = found(answer, "queue_depth_unknown")
        assert made.about == ("flash",)
        rate = (1e6 / latency, "1/s")
        really = self.ask(
            device("f", "nvme", read_iops=rate, write_iops=rate, queue_depth=(1, "1"))
        ).end.main
        assert really is not None
        assert (really.winner == "dram") is flips
        assert made.could_change_choice is flips
        assert main.flash_gain
        assert really.flash_gain is not None
        change = 100 * (really.flash_gain / main.flash_gain - 1)
        assert f": {change:.1f} % time saved" in made.effect or (
            f": {change:.0f} % time saved" in made.effect
        )
        assert ("DRAM would be best, flash" in made.effect) is flips

    def test_an_array_is_compared_with_the_one_measured(self) -> None:
        drive = flash(queue_depth=(1, "1"))
        answer = self.ask(drive, disks=2)
        made = found(answer, "ideal_array")
        slower = device(
            "slower",
            "hdd",
            read_iops=(1000 * 12.6 / 16, "1/s"),
            write_iops=(500 * 15.1 / 16, "1/s"),
            queue_depth=(1, "1"),
        )
        really = dram_or_flash.answer(
            drive,
            slower,
            ram_pages=100,
            prices=BOOK,
            points=2,
            curve=CURVE,
            usd=Decimal("0.01"),
            disks=2,
        ).end.main
        now = answer.end.main
        assert now
        assert now.flash_gain
        assert really
        assert really.flash_gain
        change = 100 * (really.flash_gain / now.flash_gain - 1)
        assert f"the measured 16 disks: +{change:.0f} % time saved" in made.effect
        assert (made.could_change_choice, made.about) == (False, ("disk",))

    def test_the_other_form_is_the_other_end_of_what_is_counted(self) -> None:
        drive = flash(queue_depth=(1, "1"))
        slow = device(
            "w",
            "nvme",
            read_iops=(10_000, "1/s"),
            write_iops=(600, "1/s"),
            queue_depth=(1, "1"),
        )
        assert "forms_differ" not in {each.code for each in self.ask(drive).cautions}
        made = found(self.ask(slow, usd=Decimal("0.001")), "forms_differ")
        assert made.could_change_choice is True
        assert made.effect.startswith("if flash writes and dirty pages cost nothing: ")
        assert "flash would be best" in made.effect

    def test_without_prices_there_is_no_choice_to_change(self) -> None:
        answer = dram_or_flash.answer(
            flash(queue_depth=(1, "1")), HARD_DISK, curve=CURVE, ram_pages=100
        )
        assert answer.end.main is None
        assert {each.could_change_choice for each in answer.cautions} <= {None, False}


class TestFlashChoice:
    def ask(self, *drives: Device) -> flash_choice.FlashChoice:
        return flash_choice.answer(
            CURVE, ram_pages=100, flash_pages=300, candidates=drives, disk=HARD_DISK
        )

    @pytest.mark.parametrize(("latency", "flips"), [(110.0, False), (5000.0, True)])
    def test_a_device_rated_at_an_unknown_depth_can_lose(
        self, latency: float, flips: bool
    ) -> None:
        alone = {
            "read_latency_us": (latency, "µs"),
            "write_latency_us": (latency / 2, "µs"),
        }
        fast = flash("fast", 12_000, **alone)
        slow = flash("slow", 8000, queue_depth=(1, "1"))
        answer = self.ask(fast, slow)
        assert answer.best_by_time == "fast"
        made = found(answer, "queue_depth_unknown")
        assert made.about == ("fast",)
        assert made.could_change_choice is flips
        really = self.ask(
            device(
                "fast",
                "nvme",
                read_iops=(1e6 / latency, "1/s"),
                write_iops=(2e6 / latency, "1/s"),
                queue_depth=(1, "1"),
            ),
            slow,
        )
        assert (really.best_by_time == "slow") is flips
        if flips:
            assert "`slow` would be best" in made.effect
        else:
            now, then = (
                next(row for row in one.rows if row.device_id == "fast")
                for one in (answer, really)
            )
            change = then.io_time_us_per_access / now.io_time_us_per_access - 1
            assert f"+{100 * change:.1f} % I/O time, same device" in made.effect


PAGE = ROOT / "docs" / "models" / "cautions.md"
CARDS = ROOT / "models" / "python" / "tierwright" / "catalogue"
"""Cautions of single formulas stand on their cards."""


CHOOSE_NOTHING = frozenset(
    {
        "advise/bill.py",
        "advise/bill_carbon.py",
        "evaluate/endurance/wear.py",
        "hardware/fio.py",
        "hardware/fio_record.py",
        "hardware/smart.py",
        "simulate",
    }
)
"""Modules whose cautions are of bills, of measured devices and of single replays alone."""


def made_in_python(*, leaving_out: frozenset[str] = frozenset()) -> set[str]:
    """Names of the cautions that a module of the models or of the server makes."""
    names: set[str] = set()
    models = ROOT / "models" / "python" / "tierwright"
    for path in (*models.rglob("*.py"), *(ROOT / "backend" / "src").rglob("*.py")):
        if CARDS in path.parents:
            continue
        if any(path.is_relative_to(models / each) for each in leaving_out):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "Caution",
                "TraceCaution",
                "Note",
            ):
                first = next(
                    iter([*node.args, *(each.value for each in node.keywords)])
                )
                names |= {
                    each.value
                    for each in ast.walk(first)
                    if isinstance(each, ast.Constant)
                    and re.fullmatch(r"[a-z]\w+_\w+", str(each.value))
                }
    return names


def made_in_rust() -> set[str]:
    sources = (ROOT / "models" / "crates" / "simulator" / "src").rglob("*.rs")
    form = re.compile(r'Warning(?:::new\(|\s*\{\s*name:)\s*"(\w+)"')
    return {name for path in sources for name in form.findall(path.read_text("utf-8"))}


def test_every_caution_is_in_the_table_of_its_page() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.read_text("utf-8")))
    python, rust = made_in_python(), made_in_rust()
    assert {"queue_depth_unknown", "endurance_assumed", "no_write_backs"} <= python
    assert {"below_page_cache", "bad_records_skipped"} <= rust
    assert (python | rust) - named - {"no_gain_over_"} == set()


def test_reasons_and_templates_are_of_cautions_that_exist() -> None:
    known = made_in_python() | made_in_rust() | {"no_writes_in_format"}
    assert {*WHY_NOT, *SEVERAL, *NOTHING_UNKNOWN} <= known | {
        "interpolated",
        "scaled",
        "unreachable",
    }
    assert not NOTHING_UNKNOWN & {*WHY_NOT}


def test_a_caution_of_a_question_that_chooses_has_an_effect_or_says_why_not() -> None:
    """Those of the reader of a trace have the reason of the trace."""
    silent = {
        name
        for name in made_in_python(leaving_out=CHOOSE_NOTHING) - made_in_rust()
        if anywhere(caution(name)).text == NO_REASON
    }
    bring_their_own = {"load_beyond_devices", "machine_left_out", "no_gain_over_"}
    bring_their_own |= {
        "alternative_limit_unknown",
        "alternatives_cut",
        "flash_charged_twice",
        "flash_cache_chosen",
        "options_left_out",
        "volumes_exceed_instance",
        "volumes_not_stated",
    }
    bring_their_own |= {
        f"replay_{what}" for what in ("beyond_band", "breaks_load", "more_devices")
    }
    assert silent == bring_their_own | {"replay_changes_choice"}
    texts = [*WHY_NOT.values(), NO_REASON, NO_CHOICE]
    assert not [text for text in texts if "not computed" in text]


def test_the_page_knows_the_effect_of_a_question_that_chooses_nothing() -> None:
    notes = ROOT / "frontend" / "src" / "components" / "caution-notes.tsx"
    assert f'const NO_CHOICE = "{NO_CHOICE}";' in notes.read_text("utf-8")


def test_of_a_question_that_chooses_nothing_it_is_said_plainly() -> None:
    class Shown(Answer):
        chooses = False

    class Chosen(Answer):
        pass

    warnings = (caution("lines_without_price"), caution("price_undated"))
    effects = [each.effect for each in Shown(finding="x", warnings=warnings).cautions]
    assert effects == [NO_CHOICE, WHY_NOT["price_undated"]]
    of_choice = Chosen(finding="x", warnings=warnings[:1]).cautions
    assert [each.effect for each in of_choice] == [NO_REASON]
