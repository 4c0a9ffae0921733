"""What could be better than the choice, were a value known that is limited."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRODUCTION,
    ROOT,
    SHELF,
    TIB,
    ask,
    book,
    curve,
)
from advice_cases import question as asked_of

from tierwright.advise.advice import _endurance, _outlasting
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates, Have
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.common.wording import three_digits
from tierwright.evaluate.advice.rows import SOURCES
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.profile.curve import Curve
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

LIKE = "micron-7500-pro-15.36tb"
LATENCY = "read_latency_us"
LOAD = replace(PRODUCTION, data_bytes=2 * TIB, growth_per_year=0.0)


def drive(name: str, usd_per_gb: str, *, has_latency: bool) -> Device:
    """A flash drive with a price, whose latency a source states or not."""
    figures = {
        key: figure
        for key, figure in catalog.device(LIKE).figures.items()
        if not key.startswith("unit_") and (has_latency or key != LATENCY)
    }
    price = Figure(Decimal(usd_per_gb), "USD/GB", "a quotation", "2026-11")
    figures["unit_price"] = price
    return replace(catalog.device(LIKE), id=name, name=name, figures=figures)


def given_(*own: Device, limit_us: int = 400, **more: Any) -> dict[str, Any]:
    return {
        "curve": curve(LOAD),
        # That device has no price in this book: nothing but drives of one's own is for sale.
        "candidates": replace(DEVICES_ALONE, devices=SHELF[2:3], own=own),
        "prices": book(),
        # RAM for all of the data would read nothing from any of them.
        "constraints": {
            "response_p99_us": Decimal(limit_us),
            "ram_bytes": Decimal(TIB),
        },
        "objective": "usd",
        "have": None,
        **more,
    }


def unknown(found: Advice) -> list[Weighed]:
    return [each for each in found.cautions if each.code == "unknown_breaks_limit"]


TOLD = drive("told", "0.75", has_latency=True)
UNTOLD = drive("untold", "0.375", has_latency=False)


def test_options_that_would_be_cheaper_are_said_with_what_they_cost() -> None:
    question = given_(TOLD, UNTOLD)
    found = ask(**question)
    assert found.recommendation is not None
    assert found.recommendation.disk_device == "told"
    own = found.recommendation.usd_per_month
    assert own is not None
    [caution] = unknown(found)
    assert caution.about == ("untold",)
    assert caution.could_change_choice
    # Without the limit nothing that is unknown is held against them.
    free = ask(
        **{**question, "constraints": {"ram_bytes": Decimal(TIB)}}
    ).recommendation
    assert free is not None
    assert free.usd_per_month is not None
    assert free.disk_device == "untold"
    assert f"at {free.usd_per_month:,.0f} USD per month" in caution.effect
    # Each option one by one: its devices that are read, and what it costs.
    table = Table.of(asked_of(question).setting)
    options = table.options
    cheaper = 0
    for at in np.flatnonzero((options.broken == 0) & (options.unpriced == 0)).tolist():
        reads = (options.flash_reads[at], options.store_reads[at])
        is_untold = any(
            device is not None and device.id == "untold" and share > 0
            for device, share in zip(table.devices(at), reads, strict=True)
        )
        cheaper += bool(
            is_untold
            and options.peak_busy[at] <= 0.7 * (1 + 1e-9)
            and options.month_cents[at] < int(own * 100)
            and options.ram_bytes[at] <= TIB
        )
    assert f"of {cheaper:,} options that cost less and keep" in caution.message
    assert "no source states the latency of a read of untold" in caution.message


def test_where_the_latency_is_stated_they_are_the_choice_as_was_said() -> None:
    found = ask(**given_(TOLD, UNTOLD))
    [caution] = unknown(found)
    known = ask(**given_(TOLD, drive("untold", "0.375", has_latency=True)))
    assert known.recommendation is not None
    assert known.recommendation.disk_device == "untold"
    assert known.recommendation.usd_per_month is not None
    assert f"at {known.recommendation.usd_per_month:,.0f} USD" in caution.effect
    assert not unknown(known)


def test_nothing_is_said_of_what_costs_more() -> None:
    found = ask(**given_(TOLD, drive("untold", "7.5", has_latency=False)))
    # A little of it caches before drives whose latency is known, and is no cheaper than these alone.
    assert found.recommendation is not None
    assert found.recommendation.flash_device is None
    assert not unknown(found)


@pytest.mark.parametrize("has_latency", [True, False])
def test_what_nothing_is_known_to_keep_may_be_kept(*, has_latency: bool) -> None:
    slow = drive("untold", "0.375", has_latency=has_latency)
    found = ask(**given_(TOLD, slow, limit_us=40))
    assert found.infeasible is not None
    said = found.infeasible.text
    if has_latency:
        assert said.startswith("No option keeps every limit: each breaks at least one")
        assert not unknown(found)
        return
    assert said.startswith("No option is known to keep every limit: of each, at least")
    assert "is broken, or what it limits is unknown" in said
    assert found.verdict.text == "Not viable: no option is known to keep every limit."
    [caution] = unknown(found)
    assert "cost less" not in caution.message
    assert math.isfinite(
        float(caution.effect.split(", at ")[1].split(" ")[0].replace(",", ""))
    )


def test_of_a_limit_that_nothing_is_known_of_the_answer_speaks_as_a_whole() -> None:
    found = ask(**given_(TOLD, constraints={"power_watts": Decimal(500)}))
    assert found.infeasible is not None
    assert found.infeasible.text.startswith("No option is known to keep the limit on")
    assert not unknown(found)


def test_for_the_least_time_it_is_what_would_be_faster() -> None:
    question = given_(TOLD, UNTOLD, objective="io_time")
    question["constraints"] |= {"usd_per_month": Decimal(2_500)}
    found = ask(**question)
    free = {**question, "constraints": dict(question["constraints"])}
    del free["constraints"]["response_p99_us"]
    faster = ask(**free).recommendation
    assert found.recommendation is not None
    assert faster is not None
    own, best = (each.io_time_us_per_access for each in (found.recommendation, faster))
    assert own is not None
    assert best is not None
    if best < own:
        [caution] = unknown(found)
        assert "options that take less I/O time and keep" in caution.message
    else:
        assert not unknown(found)


def test_what_lacks_the_times_of_its_devices_is_not_said_to_lack_devices() -> None:
    untimed = replace(
        UNTOLD,
        figures={
            key: each
            for key, each in UNTOLD.figures.items()
            if key != "write_latency_us"
        },
    )
    found = ask(**given_(untimed, constraints={"ram_bytes": Decimal(TIB)}))
    assert found.infeasible is not None
    assert set(found.infeasible.conflict) == {"device_figures", "ram_bytes"}
    assert "stated I/O rates of every device" in found.infeasible.text


def test_of_ram_that_evicts_nothing_it_is_said_what_is_written_all_the_same() -> None:
    """What holds all of the data has no write-backs in its figures; a log and checkpoints write."""

    def said(**more: Any) -> list[Weighed]:
        found = ask(**given_(TOLD, **more))
        assert found.recommendation is not None
        return [
            each for each in found.cautions if each.code == "checkpoints_not_counted"
        ]

    [caution] = said(constraints={"response_p99_us": Decimal(40)})
    of = curve(LOAD)
    assert of.known_write_accesses is not None
    changed = LOAD.accesses_per_s * of.known_write_accesses / of.accesses
    assert (
        f"up to {round(changed, -1):,.0f} accesses per second that" in caution.message
    )
    # Less RAM evicts, and its write-backs are counted.
    assert not said(constraints={"ram_bytes": Decimal(TIB)})
    # Flash that holds all of them keeps what would be written back.
    table = Table.of(asked_of(given_(TOLD)).setting)
    options = table.options
    behind = np.flatnonzero((options.flash_reads > 0) & (options.store_reads == 0))
    [weak] = _outlasting.nothing_written_back(table, int(behind[0]))
    assert "a flash cache that holds all of the data" in weak.caution.message
    # Read behind "nothing": a clause that is closed.
    assert weak.better == "that evicts pages and whose write-backs are counted"
    read = np.flatnonzero(options.store_reads > 0)
    assert not list(_outlasting.nothing_written_back(table, int(read[0])))


def test_ram_that_holds_all_of_the_data_answers_at_once_whatever_stands_behind_it() -> (
    None
):
    """Nothing is read, so no figure of a device is needed: a limit on response times is kept."""
    silent = drive("silent", "0.75", has_latency=False)
    silent = replace(
        silent,
        figures={
            key: figure
            for key, figure in silent.figures.items()
            if key.startswith(("capacity", "unit_"))
        },
    )
    found = ask(**given_(silent, constraints={"response_p99_us": Decimal(40)}))
    best = found.recommendation
    assert best is not None
    assert best.disk_device == "silent"
    assert best.ram_bytes >= LOAD.data_bytes
    assert (best.io_time_us_per_access, best.response_p50_us, best.response_p99_us) == (
        (0.0, 0.0, 0.0)
    )
    # With less RAM it is read, and how long that takes nobody states.
    less = ask(
        **given_(
            silent,
            constraints={
                "ram_bytes": Decimal(LOAD.data_bytes // 2),
                "response_p99_us": Decimal(40),
            },
        )
    )
    assert less.infeasible is not None


def of_endurance(*stated: str) -> Device:
    """A drive that is worn by what it caches, and of whose endurance these figures are stated."""
    made = drive("worn", "0.75", has_latency=True)
    kept = {
        key: figure
        for key, figure in made.figures.items()
        if key not in ("dwpd", "endurance_years", "endurance_tb") or key in stated
    }
    return replace(made, figures=kept)


def about_endurance(found: Advice) -> list[Weighed]:
    return [each for each in found.cautions if each.code == "endurance_assumed"]


def test_a_life_that_rests_on_an_assumed_endurance_says_so_with_both_ends() -> None:
    question = given_(of_endurance(), constraints={"ram_bytes": Decimal(TIB)})
    found = ask(**question)
    best = found.recommendation
    assert best is not None
    assert best.flash_life_years is not None
    [caution] = about_endurance(found)
    assert caution.about == ("worn",)
    assert "assumes an endurance of 1 DWPD over 5 years, which no source" in (
        caution.message
    )
    assert caution.could_change_choice is False
    # The life is proportional: at the end that is named, a drive that states it lasts as long.
    years, rest = caution.effect.split(" years if it endures ", 1)
    per_day = Decimal(rest.split(" ")[0])
    whole = of_endurance()
    figures = {
        **whole.figures,
        "dwpd": Figure(per_day, "1/day", "a data sheet", "2026-11"),
        "endurance_years": Figure(Decimal(5), "year", "a data sheet", "2026-11"),
    }
    stated = ask(
        **given_(
            replace(whole, figures=figures), constraints={"ram_bytes": Decimal(TIB)}
        )
    )
    assert stated.recommendation is not None
    assert stated.recommendation.flash_life_years == pytest.approx(
        float(years), rel=0.01
    )
    assert not about_endurance(stated)


def test_a_limit_that_an_assumed_endurance_breaks_names_what_would_be_bought() -> None:
    """A larger cache, or more drives, keep the limit by what is assumed; by more endurance less would."""

    def asked(worn: Device) -> Advice:
        return ask(
            **given_(
                worn,
                candidates=replace(DEVICES_ALONE, devices=SHELF, own=(worn,)),
                constraints={
                    "ram_bytes": Decimal(TIB // 4),
                    "flash_life_years": Decimal(160),
                },
            )
        )

    cheap = Figure(Decimal("0.05"), "USD/GB", "a quotation", "2026-11")
    worn = of_endurance()
    worn = replace(worn, figures={**worn.figures, "unit_price": cheap})
    found = asked(worn)
    own = found.recommendation
    assert own is not None
    [caution] = about_endurance(found)
    assert caution.could_change_choice
    assert caution.effect.endswith("; the limit is 160 years")
    [better] = [
        each for each in found.cautions if each.code == "assumed_endurance_breaks_limit"
    ]
    assert better.about == ("worn",)
    most = caution.effect.split(" years if it endures ")[2].split(" ")[0]
    figures = {
        **worn.figures,
        "dwpd": Figure(Decimal(most), "1/day", "a data sheet", "2026-11"),
        "endurance_years": Figure(Decimal(5), "year", "a data sheet", "2026-11"),
    }
    enduring = asked(replace(worn, figures=figures))
    then = enduring.recommendation
    assert then is not None
    assert then.usd_per_month is not None
    assert own.usd_per_month is not None
    assert then.usd_per_month < own.usd_per_month
    assert better.effect.startswith(
        f"at the most that a drive of the catalogue states {then.name}"
    )
    assert not about_endurance(enduring)


def enduring(device: Device, per_day: Decimal, years: int = 5) -> Device:
    """The same drive, of which a data sheet states so much."""
    figures = {
        **device.figures,
        "dwpd": Figure(per_day, "1/day", "a data sheet", "2026-11"),
        "endurance_years": Figure(Decimal(years), "year", "a data sheet", "2026-11"),
    }
    return replace(device, figures=figures)


def priced_at(device: Device, usd_per_gb: str, name: str) -> Device:
    price = Figure(Decimal(usd_per_gb), "USD/GB", "a quotation", "2026-11")
    return replace(
        device, id=name, name=name, figures={**device.figures, "unit_price": price}
    )


def lasts_of(effect: str) -> list[tuple[float, Decimal]]:
    """Years and drive writes per day of the ends that a caution names."""
    return [
        (float(years), Decimal(per_day))
        for years, per_day in re.findall(
            r"([\d.,e+]+) years if it endures ([\d.]+) drive writes", effect
        )
    ]


def of_two_kinds(cache: Device, beside: Device) -> tuple[Asked, Table, list[int]]:
    """What is asked, the options, and which of them cache on the one and hold the data on the other."""
    asked = asked_of(given_(cache, beside, constraints={}))
    table = Table.of(asked.setting)
    kinds = (cache.id, beside.id)
    return (
        asked,
        table,
        [
            at
            for at in np.flatnonzero(np.isfinite(table.options.life_years)).tolist()
            if tuple(each and each.id for each in table.devices(at)) == kinds
        ],
    )


def test_of_two_kinds_of_flash_that_wear_one_alone_endures_more_or_less() -> None:
    """At each end the life is that of the same option with that endurance stated; where no end changes it, nothing is said."""
    whole = of_endurance()
    beside = enduring(priced_at(whole, "0.30", "beside"), Decimal("0.003"))
    # Too small for all of the data, so that these are written back to what holds them.
    small = replace(whole.figures["capacity"], value=Decimal(400))
    worn = replace(whole, figures={**whole.figures, "capacity": small})
    asked, table, rows = of_two_kinds(worn, beside)
    ends = [
        of_two_kinds(enduring(worn, Decimal(each)), beside)[1].options.life_years
        for each in ("0.12", "30")
    ]
    seen = set()
    for at in rows[:: max(1, len(rows) // 80)]:
        own = float(table.options.life_years[at])
        then = [float(end[at]) for end in ends]
        found = list(_endurance.assumed_of(asked, table, at, None))
        rests = [each != pytest.approx(own) for each in then]
        seen.add(tuple(rests))
        assert len(found) == any(rests)
        if found:
            said = lasts_of(found[0].effect.replace(",", ""))
            assert [each for _, each in said] == [Decimal("0.12"), Decimal(30)]
            assert [years for years, _ in said] == pytest.approx(then, rel=0.006)
            assert f"lasts {three_digits(own)} years assumes" in found[0].message
    # The end decides nothing, that of least endurance alone decides, and both do.
    assert seen >= {(False, False), (True, False), (True, True)}


def of_limit(years: int, *own: Device) -> Advice:
    return ask(
        **given_(
            *own,
            candidates=replace(DEVICES_ALONE, devices=SHELF, own=own),
            constraints={
                "ram_bytes": Decimal(TIB // 4),
                "flash_life_years": Decimal(years),
            },
        )
    )


def breaking(found: Advice) -> list[Weighed]:
    return [
        each for each in found.cautions if each.code == "assumed_endurance_breaks_limit"
    ]


def test_what_a_limit_rules_out_does_not_change_by_a_dear_drive_that_nobody_buys() -> (
    None
):
    """Of what states for how many years its drive writes hold less more is known to be possible than of what states nothing."""
    bare = priced_at(of_endurance(), "0.05", "some")
    # At the most 30 drive writes a day over 5 years: three times one a day over 50.
    long = enduring(bare, Decimal(1), 50).figures["endurance_years"]
    some = replace(bare, figures={**bare.figures, "endurance_years": long})
    dear = priced_at(of_endurance(), "75", "dear")
    alone, beside = of_limit(20_000, some), of_limit(20_000, some, dear)
    assert alone.recommendation is not None
    assert beside.recommendation is not None
    assert beside.recommendation.name == alone.recommendation.name
    [caution], [same] = breaking(alone), breaking(beside)
    assert caution.about == same.about == ("some",)
    assert caution.effect == same.effect
    # It is what is bought where a data sheet states the most.
    then = of_limit(20_000, enduring(bare, Decimal(30)), dear).recommendation
    assert then is not None
    assert then.usd_per_month is not None
    assert alone.recommendation.usd_per_month is not None
    assert then.usd_per_month < alone.recommendation.usd_per_month
    assert f"states {then.name}" in same.effect
    assert f" at {money(then.usd_per_month)} per month" in same.effect


@pytest.mark.parametrize("kind", ["chassis", "devices"])
def test_what_is_bought_as_a_whole_endures_more_in_proportion(kind: str) -> None:
    """Servers from parts and what there is stay as they are; the years as assumed are those of the table, whatever wears."""
    own = of_endurance()
    asked = asked_of(
        given_(
            candidates=Candidates(
                kinds=(kind,), max_machines=1, part_usd={"chassis": Decimal(3000)}
            ),
            prices=catalog.default_price_book(),
            constraints={"flash_life_years": Decimal(1)},
            have=Have(machines=1, ram_bytes=TIB // 16, disk=own, disks=1),
        )
    )
    table = Table.of(asked.setting)
    for at in range(0, len(table.options), 211):
        life = float(table.options.life_years[at])
        assert np.min(table.tier_lives(at)) == pytest.approx(life, nan_ok=True)
    found = _endurance._at_the_most(table)
    assert found is not None
    of, lives = found
    alone = table.options.source != SOURCES.index("devices")
    assert np.min(lives, axis=0)[alone] == pytest.approx(
        table.options.life_years[alone], nan_ok=True
    )
    assert table.have_at is not None
    assert of.have_at is not None
    stated = asked_of(
        given_(
            constraints={},
            have=Have(
                machines=1,
                ram_bytes=TIB // 16,
                disk=enduring(own, Decimal(30)),
                disks=1,
            ),
        )
    )
    then = Table.of(stated.setting)
    assert then.have_at is not None
    assert of.options.life_years[of.have_at] == pytest.approx(
        then.options.life_years[then.have_at]
    )


def without_writes(production: Production) -> Curve:
    """A curve that does not say which evicted pages are dirty."""
    return replace(curve(production), write_backs_at=None, write_accesses=0, cold=None)


def test_a_life_that_is_a_range_is_said_to_be_that_at_least() -> None:
    unknown = without_writes(LOAD)
    question = given_(
        of_endurance(), curve=unknown, constraints={"ram_bytes": Decimal(TIB // 4)}
    )
    found = ask(**question)
    best = found.recommendation
    assert best is not None
    assert best.flash_life_years is None
    low, _ = best.ranges["flash_life_years"]
    assert low is not None
    [caution] = about_endurance(found)
    least = f"lasts at least {three_digits(low)} years, as it does if every page that leaves RAM is dirty, assumes"
    assert least in caution.message
    ends = caution.effect.split(", at least ")
    assert len(ends) == 2
    assert ends[0].startswith("at least ")
    # A placement shows no option: the table says the same.
    asked = asked_of(question)
    table = Table.of(asked.setting)
    at = next(
        row
        for row in range(len(table.options))
        if (table.title(row), table.scheme(row)) == (best.name, best.scheme)
    )
    [told] = _endurance.assumed_of(asked, table, at, None)
    assert (told.message, told.effect) == (caution.message, caution.effect)


def test_which_pages_are_in_ram_is_that_of_each_table_of_options() -> None:
    """What was found out of all options says nothing of a table of some of them, whose rows are others."""
    table = Table.of(asked_of(given_(TOLD)).setting)
    times = table.peak_responses(np.arange(len(table.options)))
    held = np.flatnonzero(times[2] == 0)
    waits = np.flatnonzero((times[2] > 0) & np.isfinite(times[2]))
    assert len(held)
    assert len(waits)
    # Where one stood that does not wait, one that does stands.
    rows = np.resize(waits, held[0] + 1)
    some = table.with_options(table.options.rows(rows))
    found = some.peak_responses(np.arange(len(rows)))
    assert found[2].tolist() == times[2][rows].tolist()
    assert (found[2] > 0).all()


def test_a_replay_that_asks_a_device_without_times_is_refused_and_says_so() -> None:
    """By the model RAM holds all of the data; the recording reads and writes what holds them all the same."""
    made = drive("silent", "0.75", has_latency=False)
    silent = replace(
        made,
        figures={
            key: figure
            for key, figure in made.figures.items()
            if key.startswith(("capacity", "unit_"))
        },
    )
    found = ask(
        **given_(
            silent,
            constraints={},
            trace=Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"),
        )
    )
    assert found.recommendation is not None
    assert found.recommendation.disk_device == "silent"
    assert {each.simulated for each in found.checked} == {None}
    [own, _] = found.checked
    assert own.reason.startswith(
        "Not checked by a replay: it reads or writes `silent`, and no source states how long"
    )
    assert own.reason in found.finding


def unrated(found: Advice) -> list[Weighed]:
    return [each for each in found.cautions if each.code == "device_rate_not_stated"]


def without(device: Device, *keys: str) -> Device:
    """The same drive, without some of its figures."""
    left = {key: each for key, each in device.figures.items() if key not in keys}
    return replace(device, figures=left)


IN_SMALL_RAM = {"ram_bytes": Decimal(TIB)}
WRITES = ("write_iops", "write_latency_us")
READS = ("read_iops", "read_latency_us")


def test_a_drive_left_out_for_a_rate_is_said_with_what_it_would_save() -> None:
    slow = without(UNTOLD, *WRITES)
    question = given_(TOLD, slow, constraints=IN_SMALL_RAM)
    found = ask(**question)
    best = found.recommendation
    assert best is not None
    assert best.disk_device == "told"
    assert best.usd_per_month is not None
    [caution] = unrated(found)
    assert caution.about == ("untold",)
    assert caution.could_change_choice
    assert "no source states how fast `untold` writes (`write_iops`)" in caution.message
    assert caution.hint.startswith("state `write_iops` in a device file")
    assert found.verdict.text.startswith(
        "Viable: the best of all candidates whose figures are known."
    )
    # Stated, as fast as the load needs, it is the choice at that price.
    known = ask(**given_(TOLD, UNTOLD, constraints=IN_SMALL_RAM)).recommendation
    assert known is not None
    assert known.usd_per_month is not None
    assert known.usd_per_month < best.usd_per_month
    assert f"{known.name} would be the choice, at {known.usd_per_month:,.0f} USD" in (
        caution.effect
    )
    assert not unrated(ask(**given_(TOLD, UNTOLD, constraints=IN_SMALL_RAM)))
    # Each option one by one: what uses it and would cost less.
    table = Table.of(asked_of(question).setting)
    options = table.options
    cheaper = [
        at
        for at in range(len(options))
        if not math.isfinite(options.io_us[at])
        and options.month_cents[at] < int(best.usd_per_month * 100)
        and options.ram_bytes[at] <= TIB
    ]
    assert cheaper
    assert all("untold" in table.names(at) for at in cheaper)
    assert f"of {len(cheaper):,} options that cost less and keep" in caution.message
    # What is rejected for it names the drive and the figure.
    left_out = [
        each
        for each in ask(**given_(TOLD, slow, constraints={})).rejected
        if each.constraint == "device_figures"
    ]
    assert left_out
    assert all(
        each.text.endswith(
            ": no source states how fast `untold` writes (`write_iops`)."
        )
        for each in left_out
    )


def test_both_rates_are_named_and_nothing_of_a_drive_that_costs_more() -> None:
    neither = without(UNTOLD, *WRITES, *READS)
    [caution] = unrated(ask(**given_(TOLD, neither, constraints=IN_SMALL_RAM)))
    assert (
        "how fast `untold` reads and writes (`read_iops` and `write_iops`)"
        in caution.message
    )
    dear = without(drive("untold", "7.5", has_latency=False), *WRITES)
    assert not unrated(ask(**given_(TOLD, dear, constraints=IN_SMALL_RAM)))
    # Where nothing else is for sale it is said all the same, of all that keep what is known.
    [alone] = unrated(ask(**given_(neither, constraints=IN_SMALL_RAM)))
    assert "cost less" not in alone.message


def test_what_is_stated_of_a_drive_alone_may_break_a_limit_on_time() -> None:
    """No rate of its writes has a drive keep what its reads take too long for."""
    # A sequential rate would bound the time of a write.
    slow = without(UNTOLD, *WRITES, "sequential_write_mb_per_s")
    at_once = replace(slow, figures={**slow.figures, **instant_writes()})
    fastest = {"constraints": IN_SMALL_RAM, "objective": "io_time"}
    least = ask(**given_(at_once, **fastest)).recommendation
    assert least is not None
    assert least.io_time_us_per_access is not None
    assert least.io_time_us_per_access > 0
    for times, can in ((1.02, True), (0.98, False)):
        limit = Decimal(repr(times * least.io_time_us_per_access))
        limits = {**IN_SMALL_RAM, "io_time_us_per_access": limit}
        said = unrated(ask(**given_(slow, constraints=limits)))
        assert bool(said) == can


def instant_writes() -> dict[str, Figure]:
    """Return a rate of writes at which they take no time that counts."""
    return {"write_iops": replace(UNTOLD.figures["read_iops"], value=Decimal(10**12))}


def test_where_response_times_are_limited_the_latency_is_asked_for_too() -> None:
    slow = without(drive("untold", "0.5", has_latency=False), *WRITES)
    limits = {**IN_SMALL_RAM, "response_mean_us": Decimal(10_000)}
    [caution] = unrated(ask(**given_(TOLD, slow, constraints=limits)))
    assert "`write_iops` and `read_latency_us`" in caution.hint
    [caution] = unrated(ask(**given_(TOLD, slow, constraints=IN_SMALL_RAM)))
    assert "`read_latency_us`" not in caution.hint


def test_of_what_no_rate_is_known_the_one_that_asks_it_least_is_the_fastest_at_any() -> (
    None
):
    """With more RAM before the same drive an access waits for it less often, whatever its rate."""
    most = {**IN_SMALL_RAM, "usd_per_month": Decimal(600)}
    neither = without(UNTOLD, *WRITES, *READS)
    [caution] = unrated(
        ask(**given_(TOLD, neither, constraints=most, objective="io_time"))
    )
    [title] = re.findall(r"^if it is fast enough: (.*) would be", caution.effect or "")
    for iops in (10**5, 10**8):
        figures = {
            name: replace(UNTOLD.figures["read_iops"], value=Decimal(iops))
            for name in ("read_iops", "write_iops")
        }
        rated = replace(UNTOLD, figures={**UNTOLD.figures, **figures})
        found = ask(**given_(rated, constraints=most, objective="io_time"))
        assert found.recommendation is not None
        assert title.startswith(found.recommendation.name)


def test_for_the_least_time_a_rate_that_is_stated_bounds_what_is_unknown() -> None:
    """A drive whose reads alone take longer than the choice in all cannot be the fastest."""
    most = {**IN_SMALL_RAM, "usd_per_month": Decimal(2_500)}

    def asked(own: Device) -> tuple[Advice, list[Weighed]]:
        found = ask(**given_(TOLD, own, constraints=most, objective="io_time"))
        return found, unrated(found)

    found, said = asked(without(UNTOLD, *WRITES))
    assert found.recommendation is not None
    [caution] = said
    assert "that may take less I/O time and keep" in caution.message
    least = re.search(r"takes ([0-9.]+) (ns|µs) per access or more", caution.message)
    assert least is not None
    us = float(least.group(1)) * (1e-3 if least.group(2) == "ns" else 1)
    assert found.recommendation.io_time_us_per_access is not None
    assert us < found.recommendation.io_time_us_per_access
    # Of what nothing is known no time is made up.
    _, [nothing] = asked(without(UNTOLD, *WRITES, *READS))
    assert "one without any known rate that reads" in nothing.message
    assert "per access or more" not in nothing.message
    crawls = {
        **without(UNTOLD, *WRITES).figures,
        "read_iops": replace(UNTOLD.figures["read_iops"], value=Decimal(10)),
    }
    _, said = asked(replace(UNTOLD, figures=crawls))
    assert not said
