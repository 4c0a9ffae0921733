"""Every question in a notebook: one function, one Answer, with all that a page shows of it."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pytest
import recordings

from tierwright import advise
from tierwright.advise import (
    access_cost,
    advice,
    bill,
    cachesack,
    compare,
    compose,
    configurations,
    course,
    device_health,
    device_import,
    directories,
    dram_or_flash,
    flash_choice,
    flash_device,
    fragment_cache,
    miniature,
    placement,
    pool_advisor,
    pool_gain,
    pool_split,
    quote_ranking,
    recovery,
    response,
    scale,
    scheme_map,
    sweep,
    throughput,
    tier_cost,
    transaction_replay,
    transaction_study,
    transaction_writes,
    wear,
)
from tierwright.advise.advice.request import Candidates
from tierwright.common.answer import Answer, Figure, Step
from tierwright.evaluate.economics import Load
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.evaluate.transactions import nand
from tierwright.hardware import catalog, smart
from tierwright.hardware.build import build_from_mapping
from tierwright.hardware.imports.offers import offers_of
from tierwright.profile import categories
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.profile.several import Workload
from tierwright.simulate import transactions as replay
from tierwright.simulate.flash_device import FlashDevice
from tierwright.simulate.timed import Arrivals
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("face2016-cheetah-15k6-single")
POINT: dict[str, Any] = {
    "ram_pages": 1000,
    "flash_pages": 6000,
    "flash": FLASH,
    "disk": DISK,
}
PAGES = {"ram_pages": 1000, "flash_pages": 6000}
BYTES = {"ram_bytes": 1000 * 8192, "flash_bytes": 6000 * 8192}
SMART = {
    "model_name": "Disk 1",
    "nvme_smart_health_information_log": {
        "data_units_written": 2000000,
        "power_on_hours": 2400,
        "percentage_used": 7,
    },
}
FIO = {
    "fio version": "fio-3.36",
    "timestamp": 1700000000,
    "global options": {"direct": "1", "ioengine": "libaio", "bs": "4k"},
    "jobs": [
        {
            "jobname": "random reads",
            "groupid": 0,
            "error": 0,
            "job options": {"rw": "randread", "iodepth": "1"},
            "read": {
                "iops": 10000,
                "total_ios": 600000,
                "runtime": 60000,
                "lat_ns": {"mean": 99000},
                "clat_ns": {"mean": 97000},
            },
        }
    ],
}
CHIP = (nand.NandGeometry(4096, 64, 2048), nand.NandTimes(20.0, 200.0, 1500.0))


@cache
def curve() -> Curve:
    return profile(TPCB).curve


def prices() -> Any:
    return catalog.default_price_book()


QUESTIONS: dict[str, Callable[[], Answer]] = {
    "access_cost": lambda: access_cost.answer(
        [FLASH, DISK], page_bytes=8192, prices=prices()
    ),
    "advice": lambda: advice.answer(
        curve(), accesses_per_s=1000.0, prices=prices(), how_sure=False
    ),
    "bill": lambda: bill.answer(
        build_from_mapping(
            {
                "server": "aws-i4i.4xlarge",
                "machines": 2,
                "power": {"watts": 300},
                "carbon": {"kg_per_kwh": [0.2, 0.4]},
            }
        )
    ),
    "cachesack": lambda: cachesack.answer(
        categories.measured(TPCB, 1000),
        flash_pages=6000,
        flash=FLASH,
        disk=catalog.device("toshiba-mg10-20tb"),
        prices=prices(),
    ),
    "compare": lambda: compare.answer(curve(), prices=prices(), **POINT),
    "compose": lambda: compose.answer(
        [Workload("a", curve(), 5000.0), Workload("b", curve(), 500.0)], ram_pages=1000
    ),
    "configurations": lambda: configurations.answer(
        curve(), kinds=("instances",), max_machines=1, accesses_per_s=5000.0
    ),
    "course": lambda: course.answer(
        TPCB,
        curve(),
        system="face",
        hierarchy=Hierarchy(FLASH, DISK, disks=8),
        arrivals=Arrivals("clients", clients=20),
        crash_at=0.5,
        **PAGES,
    ),
    "device_health": lambda: device_health.answer(
        smart.smart_from_mapping(SMART), rated_tb=4840
    ),
    "device_import": lambda: device_import.answer(FIO, identifier="rig", name="Rig 7"),
    "directories": lambda: directories.answer(
        curve(), flash=FLASH, disk=DISK, flash_page_bytes=[8192, 65536], **BYTES
    ),
    "dram_or_flash": lambda: dram_or_flash.answer(
        FLASH, DISK, curve=curve(), ram_pages=1000, prices=prices(), usd=Decimal(1)
    ),
    "flash_choice": lambda: flash_choice.answer(
        curve(), candidates=[FLASH], disk=DISK, prices=prices(), **PAGES
    ),
    "flash_device": lambda: flash_device.answer(
        FlashDevice.of_spare(4096, 0.28, 64), pe_cycles=3000, write_mb_per_s=20.0
    ),
    "fragment_cache": lambda: fragment_cache.answer(
        curve(), run_bytes=65536, accesses_per_s=5000, **POINT
    ),
    "miniature": lambda: miniature.answer(TPCB, "arc", [1000, 4000], curve=curve()),
    "placement": lambda: placement.answer(
        [
            Workload("first", curve().steady(), 50.0),
            Workload("second", curve().steady(), 5.0),
        ],
        candidates=Candidates(kinds=("instances",), servers=("aws-i3en.xlarge",)),
    ),
    "pool_advisor": lambda: pool_advisor.answer(TPCB, 500),
    "pool_gain": lambda: pool_gain.answer(TPCB, 500, (2.0, 32.0)),
    "pool_split": lambda: pool_split.answer(TPCB, 500, 32.0),
    "quote_ranking": lambda: quote_ranking.answer(
        curve(),
        offers_of(
            [
                {
                    "quote_id": "Q-1",
                    "currency": "USD",
                    "lines": [
                        {
                            "kind": "instance",
                            "item": "aws-i4i.4xlarge",
                            "quantity": 1,
                            "unit": "HUR",
                            "price": 1,
                        }
                    ],
                }
            ]
        ),
        day="2026-10-01",
    ),
    "recovery": lambda: recovery.answer(curve(), accesses_per_s=5000, **POINT),
    "response": lambda: response.answer(
        curve(),
        **PAGES,
        hierarchy=Hierarchy(FLASH, DISK, disks=8),
        rates=response.rates_of(curve(), accesses_per_s=5000.0),
    ),
    "scale": lambda: scale.answer(
        profile(TPCB), Production(4 * 2**40, 80_000.0), clients=4, accesses_per_unit=20
    ),
    "scheme_map": lambda: scheme_map.answer(
        curve(),
        flash=FLASH,
        disk=DISK,
        ram_pages=1000,
        x=Axis.spaced("flash_per_ram", 1, 16, 5),
        y=Axis.spaced("dirty_share", 0, 1, 3),
    ),
    "sweep": lambda: sweep.answer(
        TPCB, ["lru", "lazy"], ram_pages=[1000], flash_pages=[6000], disk=DISK
    ),
    "throughput": lambda: throughput.answer(
        curve(), setting=Setting(clients=20, accesses_per_transaction=10), **POINT
    ),
    "tier_cost": lambda: tier_cost.answer(
        [FLASH, DISK],
        10**12,
        page_bytes=8192,
        prices=prices(),
        load=Load(reads=Decimal(10**9)),
    ),
    "transaction_replay": lambda: transaction_replay.answer(
        replay.half_loaded(committed=8, running=16, pages_each=4),
        ram_pages=32,
        log_bytes_per_update=64,
        geometry=CHIP[0],
        times=CHIP[1],
    ),
    "transaction_study": lambda: transaction_study.answer(
        ROOT / "fixtures" / "events" / "pgbench.txt.zst",
        systems=("aries", "aat"),
        ram_pages=[64],
        page_bytes=8192,
    ),
    "transaction_writes": lambda: transaction_writes.answer(
        dirty_pages=16,
        log_bytes_per_page=64,
        ram_bytes=2**24,
        geometry=CHIP[0],
        times=CHIP[1],
    ),
    "wear": lambda: wear.answer(curve(), accesses_per_s=5000, **POINT),
}
"""How each question is asked in a notebook, by its module."""

WITHOUT_STEPS = {
    "course": "counted, not computed",
    "device_import": "measured, not computed",
    "miniature": "counted, not computed",
    "pool_gain": "those of each R are of `pool_split`",
    "scheme_map": "those of each point are of `scheme_map.at_point`",
    "sweep": "counted; a step only where clean-only admission has its formula",
}

CAUTION = {"code", "about", "message", "hint", "effect", "could_change_choice"}
"""Keys of a caution in a document."""
PARTS = {
    "bill_carbon": "the carbon of `bill`",
    "behind_instance": "what volumes deliver behind their instance, in several questions",
    "at_load": "the devices that production takes, in `compare`",
    "checks": "answers beside replays, one module each",
    "flash_choice_effects": "what cautions of `flash_choice` could change",
    "clean_only": "a formula beside a replay, in `sweep`",
    "compose_effects": "what cautions of `compose` could change",
    "decide": "the replay of a close call, in `compare`",
    "exports": "an advice in the formats of other tools",
    "in_production": "replays at sizes of production, in `sweep` and the pool splits",
    "outer": "where the best scheme stands, in `compare`",
    "point": "words of several questions",
    "pool_survey": "what `pool_split`, `pool_gain` and the server's job count",
    "report": "an advice as a file to read",
    "since": "a kept answer beside the present one",
    "pool_split_effects": "what cautions of `pool_split` could change",
    "transaction_effects": "what cautions of the questions of transactions could change",
    "wear_effects": "what cautions of `wear` could change",
}
"""Modules of advise that ask nothing by themselves."""


@cache
def answered(name: str) -> Answer:
    return QUESTIONS[name]()


def test_every_module_of_advise_is_a_question_or_a_named_part() -> None:
    modules = {each.name for each in pkgutil.iter_modules(advise.__path__)}
    asked = {
        name
        for name in modules
        if hasattr(importlib.import_module(f"tierwright.advise.{name}"), "answer")
    }
    assert asked == set(QUESTIONS)
    assert modules - asked == set(PARTS)


def test_the_examples_of_the_notebook_page(monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "notebook.md"
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted >= 8
    assert found.failed == 0
    text = page.read_text("utf-8")
    assert [name for name in QUESTIONS if f"`{name}`" not in text] == []


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_a_sentence_with_numbers_and_their_units(name: str) -> None:
    found = answered(name)
    assert isinstance(found, Answer)
    assert found.finding.strip()
    assert found.figures
    for figure in found.figures:
        assert isinstance(figure, Figure)
        assert figure.title[:1] == figure.title[:1].upper()
        assert figure.text
        if figure.value is not None and not isinstance(figure.value, str):
            assert figure.unit
    assert len({figure.name for figure in found.figures}) == len(found.figures)


@pytest.mark.parametrize("name", QUESTIONS)
def test_steps_are_made_when_asked_for(name: str) -> None:
    found = answered(name)
    steps = found.derivation()
    assert all(isinstance(each, Step) and each.formula for each in steps)
    assert steps == found.derivation()
    assert bool(steps) is (name not in WITHOUT_STEPS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_notebook_shows_it(name: str) -> None:
    found = answered(name)
    shown = found._repr_html_()
    assert escape(found.finding) in shown
    for figure in found.figures:
        assert escape(figure.title) in shown
        assert escape(figure.text) in shown
    assert len(found.cautions) == len({each.name for each in found.warnings})
    for caution in found.cautions:
        assert escape(caution.message) in shown
        assert caution.effect
        assert escape(caution.effect) in shown


@pytest.mark.parametrize("name", QUESTIONS)
def test_its_document_is_plain_and_holds_the_steps_on_demand(name: str) -> None:
    found = answered(name)
    document = found.to_dict(derivation=True)
    json.dumps(document, allow_nan=False)
    assert document["finding"] == found.finding
    assert [each["message"] for each in document["warnings"]] == [
        each.message for each in found.warnings
    ]
    assert [each["code"] for each in document["cautions"]] == [
        each.code for each in found.cautions
    ]
    assert all(set(each) == CAUTION for each in document["cautions"])
    # That of `compare` holds the formulas by scheme, as the command prints them.
    whole = list(document["schemes"]) if name == "compare" else found.derivation()
    assert len(document["derivation"]) == len(whole)
    assert "derivation" not in found.to_dict(derivation=False)
