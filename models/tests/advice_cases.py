"""Questions to the advisor that several tests ask: a production, a shelf of devices with prices, random problems."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tierwright.advise import advice, scale
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._asked import asked_of as read_question
from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Candidates, Have
from tierwright.evaluate.advice.limits import LEAST
from tierwright.hardware import catalog
from tierwright.hardware.prices import Price, PriceBook
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = int(os.environ.get("TIERWRIGHT_ADVICE_PROBLEMS", "0"))
"""Random problems of each invariant; 0: few. `make prove-advice` tries 10,000, `make test-long` 60."""
TIB = 2**40
GIB = 2**30
PRODUCTION = Production(4 * TIB, 20_000.0, 50_000.0, growth_per_year=0.2)
SHELF = (
    "solidigm-d7-p5810-800gb",
    "samsung-pm9a3-7.68tb-u2",
    "seagate-exos-x24-24tb",
    "wd-gold-20tb-hc560-sibling",
)
DEVICES_ALONE = Candidates(kinds=("devices",), devices=SHELF, reserved_gib=Decimal(0))


def tried(few: int) -> int:
    """Return how many random problems an invariant tries: few, unless more are asked for."""
    return max(PROBLEMS, few)


@cache
def recorded() -> Profile:
    return profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))


@cache
def curve(production: Production = PRODUCTION, start: str = "steady") -> Curve:
    return scale.answer(recorded(), production).profile.curve.from_start(start)


def book(ram: Decimal = Decimal("20.625"), **prices: Decimal) -> PriceBook:
    return PriceBook(
        "made-up",
        "Made up",
        "2026-11",
        "",
        "USD",
        (
            Price(ram, "GiB", rent=False, source="a test", kind="dram"),
            *(
                Price(usd, "GB", rent=False, source="a test", device_id=name)
                for name, usd in prices.items()
            ),
        ),
    )


PRICES = dict(
    zip(
        SHELF,
        (Decimal("3.3"), Decimal("0.75"), Decimal("0.04"), Decimal("0.035")),
        strict=True,
    )
)


def ask(**given_: Any) -> Advice:
    asked = {
        "prices": book(**PRICES),
        "candidates": DEVICES_ALONE,
        "how_sure": False,
        **given_,
    }
    return advice.answer(asked.pop("curve", None) or curve(), **asked)


problems = st.fixed_dictionaries(
    {
        "data": st.integers(2**30, 2**43),
        "rate": st.floats(1.0, 1e6),
        "peak": st.floats(1.0, 10.0),
        "ram": st.decimals("0.5", "100", places=2),
        "prices": st.lists(
            st.decimals("0.001", "9", places=3),
            min_size=len(SHELF),
            max_size=len(SHELF),
        ),
        "some": st.sets(st.sampled_from(SHELF), min_size=1),
        "limits": st.fixed_dictionaries(
            {},
            optional={
                "usd_per_month": st.integers(1, 20_000),
                "purchase_usd": st.integers(100, 10**6),
                "ram_bytes": st.integers(2**28, 2**43),
                "io_time_us_per_access": st.floats(0.1, 1e4),
                "flash_life_years": st.floats(0.1, 10.0),
                "peak_busy": st.floats(0.05, 1.0),
                "throughput_accesses_per_s": st.floats(1.0, 1e7),
                "restart_s": st.floats(0.1, 1e5),
            },
        ),
        "objective": st.sampled_from(["usd", "io_time", "pareto"]),
        "have": st.none()
        | st.fixed_dictionaries(
            {
                "ram": st.integers(2**28, 2**42),
                "disks": st.integers(1, 300),
                "usd": st.decimals("1", "50000", places=2),
            }
        ),
    }
)


def asked_of(problem: dict[str, Any]) -> dict[str, Any]:
    production = Production(
        problem["data"], problem["rate"], problem["rate"] * problem["peak"]
    )
    have = problem["have"]
    return {
        "curve": curve(production),
        "prices": book(
            problem["ram"], **dict(zip(SHELF, problem["prices"], strict=True))
        ),
        "candidates": replace(DEVICES_ALONE, devices=tuple(sorted(problem["some"]))),
        "constraints": {
            name: Decimal(str(value)) for name, value in problem["limits"].items()
        },
        "objective": problem["objective"],
        "have": None
        if have is None
        else Have(
            machines=1,
            ram_bytes=have["ram"],
            disk=catalog.device("seagate-exos-x24-24tb"),
            disks=have["disks"],
            usd_per_month=have["usd"],
        ),
    }


def value_of(option: Option, name: str) -> float | None:
    value = getattr(option, name)
    return None if value is None else float(value)


def keeps(option: Option, limits: Mapping[str, str]) -> bool:
    for name, text in limits.items():
        value, limit = value_of(option, name), float(text)
        if name in LEAST:
            # Nothing is written or busy, or somebody else replaces it.
            if value is not None and value < limit * (1 - 1e-6):
                return False
        elif value is None or value > limit * (1 + 1e-6):
            return False
    return True


def question(asked: dict[str, Any]) -> Asked:
    return read_question(
        asked["curve"],
        (None, None),
        asked["candidates"],
        asked["have"],
        asked["constraints"],
        asked["objective"],
        asked["prices"],
        36,
        (None, None),
        0,
    )
