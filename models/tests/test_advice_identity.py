"""The id of an advice: of what was asked, however its numbers were written."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from test_quote_ranking import ROOT

from tierwright.advise import scale
from tierwright.advise.advice._asked import Asked, asked_of
from tierwright.advise.advice.request import (
    Candidates,
    candidates_from_mapping,
    have_from_mapping,
)
from tierwright.hardware.prices import PriceBook, price_book_from_mapping
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

RECORDED = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))


def book(usd: str) -> PriceBook:
    entry = {"kind": "dram", "usd_per_gib": usd, "source": "a test", "date": "2026-09"}
    return price_book_from_mapping(
        {"id": "own", "name": "Own", "date": "2026-09", "prices": [entry]}, place="own"
    )


def asked(
    *,
    rate: Any = None,
    mean: Any = 20_000,
    machine: Any = 3000,
    today: Any = 900,
    limit: Any = "0.7",
    usd: str = "20.5",
) -> Asked:
    return asked_of(
        scale.answer(RECORDED, Production(2**40, mean)).profile.curve,
        (rate, None),
        candidates_from_mapping({"kinds": ["devices"], "machine_usd": machine}, "file"),
        have_from_mapping(
            {
                "ram": "256GiB",
                "disk_device": "seagate-exos-x24-24tb",
                "usd_per_month": today,
            },
            "file",
        ),
        {"peak_busy": limit},
        "usd",
        book(usd),
        36,
        (None, None),
        0,
    )


@pytest.mark.parametrize(
    ("name", "forms", "other"),
    [
        ("rate", (3000, 3000.0, 3e3), 3001),
        ("mean", (20_000, 20_000.0, 2e4), 20_001),
        ("machine", (3000, 3000.0, "3000", "3000.00"), "3000.01"),
        ("today", (900, 900.0, "900.0"), 901),
        ("limit", (0.7, "0.7", "0.70", "7e-1", Decimal("0.700")), 0.71),
        ("usd", ("20.5", "20.50"), "20.51"),
    ],
)
def test_one_number_is_one_id(name: str, forms: tuple[Any, ...], other: Any) -> None:
    ids = {asked(**{name: each}).advice_id for each in forms}
    assert len(ids) == 1
    assert asked(**{name: other}).advice_id not in ids


def test_a_limit_is_named_in_one_way() -> None:
    limits = {str(asked(limit=each).constraints["peak_busy"]) for each in ("0.70", 0.7)}
    assert limits == {"0.7"}


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (
            {"devices": ["samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb"]},
            {"devices": ["seagate-exos-x24-24tb", "samsung-pm9a3-7.68tb-u2"]},
            {"devices": ["seagate-exos-x24-24tb"]},
        ),
        (
            {"kinds": ["devices", "instances"]},
            {"kinds": ["instances", "devices", "devices"]},
            {"kinds": ["instances"]},
        ),
        (
            {"vendors": ["Solidigm", "Samsung"]},
            {"vendors": ["SAMSUNG", "solidigm"]},
            {"vendors": ["Samsung"]},
        ),
        (
            {"flash_caches": ["larc", "cac"]},
            {"flash_caches": ["cac", "larc"]},
            {"flash_caches": []},
        ),
    ],
)
def test_the_order_of_a_list_of_candidates_asks_nothing_else(
    one: dict[str, Any], same: dict[str, Any], other: dict[str, Any]
) -> None:
    def read(stated: dict[str, Any]) -> Candidates:
        return candidates_from_mapping({"kinds": ["devices"], **stated}, "file")

    def id_of(stated: dict[str, Any]) -> str:
        curve = scale.answer(RECORDED, Production(2**40, 20_000.0)).profile.curve
        return asked_of(
            curve, (None, None), read(stated), None, {}, "usd", None, 36, (None,) * 2, 0
        ).advice_id

    # Equal in all that is asked, so the answers are too.
    assert read(one) == read(same)
    assert id_of(one) == id_of(same) != id_of(other)
