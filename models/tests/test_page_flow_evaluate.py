"""`evaluate`: hand-worked numbers, warnings, costs, choice, refusals."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import directories, flash_choice
from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.common.errors import BadInput
from tierwright.evaluate.endurance import outlook
from tierwright.evaluate.metadata import PRESETS, MetadataPreset
from tierwright.evaluate.page_flow import cautions, evaluation, scheme_map
from tierwright.evaluate.page_flow import costs as page_flow_costs
from tierwright.evaluate.page_flow.evaluation import evaluate, evaluate_grid
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.throughput import schemes
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.prices import PriceBook, price_book_from_mapping
from tierwright.profile.curve import Curve


def device(
    identifier: str, kind: str, read: float, write: float, **more: Any
) -> Device:
    """Return a device with the given busy times. [µs]"""
    figures: dict[str, Any] = {
        "read_iops": {"value": 1e6 / read, "unit": "1/s", "source": "test"},
        "write_iops": {"value": 1e6 / write, "unit": "1/s", "source": "test"},
        "queue_depth": {"value": 1, "unit": "1", "source": "test"},
        "page_bytes": {"value": 4096, "unit": "B", "source": "test"},
        **more,
    }
    return device_from_mapping(
        {
            "id": identifier,
            "name": identifier,
            "kind": kind,
            "figures": {name: entry for name, entry in figures.items() if entry},
        }
    )


FLASH = device("flash", "nvme", 100, 200)
DISK = device("disk", "hdd", 1000, 2000)

# 1000 accesses, 200 writes; misses 400, 300, 200 at 100, 200, 400 pages; write-backs 80, 30, 0.
CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)


def run(ram_pages: int = 100, flash_pages: int = 200, **more: Any) -> Evaluation:
    inputs = {"flash": FLASH, "disk": DISK, **more}
    return evaluate(CURVE, ram_pages=ram_pages, flash_pages=flash_pages, **inputs)


def names(found: Evaluation) -> set[str]:
    return {warning.name for warning in found.warnings}


def test_worked_by_hand() -> None:
    # m_r = 400, wb(r) = 80, p_d = 0.2. F_R 100, F_W 200, D_R 1000, D_W 2000 µs, N = 1000.
    found = run().schemes
    # none: 400 x 1000 + 80 x 2000 = 560,000
    assert found["none"].io_time_us_per_access == pytest.approx(560)
    # inclusive: misses(200) = 300, h_f 100, p_dF = 30/300.
    # 100x100 + 300x200 + 80x200 + 300x1000 + 30x2000 = 446,000; writes 300 + 80
    inclusive = found["inclusive"]
    assert (inclusive.flash_hits, inclusive.flash_misses) == (100, 300)
    assert inclusive.p_d_flash == pytest.approx(0.1)
    assert inclusive.io_time_us_per_access == pytest.approx(446)
    assert inclusive.flash_writes == 380
    # exclusive: misses(300) = 250, h_f 150, p_dF = 15/250.
    # 150x100 + 400x200 + 250x1000 + 15x2000 = 375,000; writes 400, from a cold start 300
    exclusive = found["exclusive"]
    assert (exclusive.flash_hits, exclusive.flash_misses) == (150, 250)
    assert exclusive.io_time_us_per_access == pytest.approx(375)
    assert (exclusive.flash_writes, exclusive.flash_writes_cold_start) == (400, 300)
    # lazy: y - 100 M(y)/400 = 200 on [200, 300]: M = 400 - y/2, y + y/8 = 300, y = 266.67,
    # M = 266.67, h_f = 133.33, wb = 20; p_d = 0.2
    # 133.33x100 + 266.67x200 + 26.67x200 + 266.67x1000 + 20x2000 = 378,666.67
    lazy = found["lazy"]
    assert lazy.effective_flash_pages == pytest.approx(500 / 3)
    assert lazy.flash_hits == pytest.approx(400 / 3)
    assert lazy.hdd_writes == pytest.approx(20)
    assert lazy.io_time_us_per_access == pytest.approx(378.6666666667)
    assert run().best == "exclusive"
    assert run().runner_up == "lazy"
    assert run().margin == pytest.approx(1 - 375 / 378.6666666667)
    assert run().gain_over_none == pytest.approx(1 - 375 / 560)


@pytest.mark.oracle(
    "evaluate.page_flow.costs.scheme_cost_terms",
    "evaluate.page_flow.evaluation.evaluate",
)
def test_terms_add_up_and_equal_the_printed_formulas() -> None:
    found = run()
    for name, result in found.schemes.items():
        assert sum(result.cost_terms_us_per_access.values()) == pytest.approx(
            result.io_time_us_per_access, rel=1e-15
        )
        terms = page_flow_costs.scheme_cost_terms(
            name,
            result.flash_hits,
            result.flash_misses,
            p_d=result.p_d,
            p_d_flash=result.p_d_flash,
            flash_read=100,
            flash_write=200,
            disk_read=1000,
            disk_write=2000,
        )
        assert float(terms.total) / 1000 == pytest.approx(
            result.io_time_us_per_access, rel=1e-12
        )


def test_no_flash_is_c0_for_every_scheme() -> None:
    found = run(flash_pages=0)
    for result in found.schemes.values():
        assert result.io_time_us_per_access == pytest.approx(560)
        assert (result.flash_hits, result.flash_misses) == (0, 400)
        assert result.flash_writes == 0
        assert result.exact
    assert found.best == "none"
    assert found.margin == 0
    assert all(each.io_time.formula.startswith("C0") for each in found.derivation)


def test_ram_not_below_flash_warns_inclusive_only() -> None:
    found = run(ram_pages=200, flash_pages=200)
    for scheme in ("inclusive", "inclusive_global"):
        result = found.schemes[scheme]
        assert result.flash_hits == 0
        assert [warning.name for warning in result.warnings] == ["ram_not_below_flash"]
    for scheme in ("none", "exclusive", "lazy"):
        assert found.schemes[scheme].warnings == ()
        assert found.schemes[scheme].flash_hits > 0 or scheme == "none"


def test_exactness_is_said_per_scheme() -> None:
    found = run().schemes
    assert [name for name, result in found.items() if result.exact] == [
        "none",
        "inclusive_global",
        "exclusive",
    ]
    assert "inclusive_global" in found["inclusive"].exactness
    assert found["lazy"].flash_hits_error == (-0.07, 0.07)
    assert found["exclusive"].flash_hits_error is None


def test_a_size_between_listed_ones_is_not_called_exact() -> None:
    found = run(ram_pages=150)
    assert "interpolated" in names(found)
    assert not found.schemes["exclusive"].exact
    assert "does not list the size" in found.schemes["exclusive"].exactness


def test_warm_up_is_said() -> None:
    found = run()
    warning = next(w for w in found.warnings if w.name == "warm_up_inside")
    # 100 of the 400 RAM misses filled an empty frame
    assert warning.message.startswith("25.0% of the RAM misses filled an empty frame")
    assert "warm_up_inside" not in names(run(ram_pages=1))


SAMPLED = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
    sample_rate=0.1,
)


def _warned(answer: str) -> set[str]:
    """Names of the warnings of every answer that reads a curve, at 150 and 210 pages."""
    sizes: dict[str, Any] = {"ram_pages": 150, "flash_pages": 210}
    devices: dict[str, Any] = {"flash": FLASH, "disk": DISK}
    found: Any
    if answer == "evaluate":
        found = evaluate(SAMPLED, **sizes, **devices)
    elif answer == "scheme map":
        found = scheme_map.scheme_map(
            SAMPLED,
            x=scheme_map.Axis("flash_pages", np.array([100.0, 210.0, 500.0])),
            y=scheme_map.Axis("dirty_share", np.array([0.0, 1.0])),
            ram_pages=150,
            **devices,
        )
    elif answer == "throughput":
        setting = schemes.Setting(clients=2)
        found = schemes.scheme_throughput(SAMPLED, **sizes, **devices, setting=setting)
    elif answer == "directories":
        found = directories.answer(
            SAMPLED, ram_bytes=150 * 4150, flash_bytes=210 * 4096, **devices
        )
    elif answer == "choose flash":
        found = flash_choice.answer(SAMPLED, **sizes, candidates=[FLASH], disk=DISK)
    elif answer == "wear":
        found = outlook.wear_outlook(
            evaluate(SAMPLED, **sizes, **devices),
            outlook.write_budget(FLASH),
            accesses_per_s=100,
        )
    else:
        found = break_even_question.analyse(FLASH, DISK, curve=SAMPLED, ram_pages=150)
    return {warning.name for warning in found.warnings}


@pytest.mark.parametrize(
    "answer",
    [
        "evaluate",
        "scheme map",
        "throughput",
        "directories",
        "choose flash",
        "wear",
        "break-even",
    ],
)
def test_every_answer_says_what_is_uncertain_about_its_curve(answer: str) -> None:
    assert {"sampled_curve", "interpolated", "warm_up_inside"} <= _warned(answer)


def test_many_sizes_are_summed_up() -> None:
    said = {
        w.name: w.message
        for w in cautions.about_curve(CURVE, np.arange(1, 60), np.full(59, 70))
    }
    # 1 to 59, 70 and 71 to 129 but for 100, which is listed
    assert said["interpolated"].startswith("118 sizes from 1 to 129 pages")
    (one,) = (
        w for w in cautions.about_curve(CURVE, [1], [400]) if w.name == "interpolated"
    )
    assert one.message.startswith("1 page is between listed sizes of the curve")
    assert said["warm_up_inside"].startswith("up to ")
    assert not list(cautions.about_curve(CURVE, [], []))
    assert not list(cautions.about_curve(CURVE, 0.5, 200))


def test_everything_in_ram_is_said() -> None:
    found = run(ram_pages=400)
    assert "all_pages_fit_in_ram" in names(found)
    assert found.schemes["exclusive"].flash_hits == 0


def test_a_size_beyond_a_short_curve_is_said() -> None:
    short = Curve.from_lists(
        [100],
        [400],
        [80],
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=200,
    )
    found = evaluate(short, ram_pages=100, flash_pages=200, flash=FLASH, disk=DISK)
    assert "beyond_the_curve" in names(found)
    assert "interpolated" not in names(found)
    assert not found.schemes["exclusive"].exact


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"queue_depth": None}, "queue_depth_unknown"),
        (
            {"page_bytes": {"value": 1024, "unit": "B", "source": "t"}},
            "device_page_differs",
        ),
        (
            {"queue_depth": {"value": 32, "unit": "1", "source": "t"}},
            "queue_depths_differ",
        ),
        (
            {"capacity": {"value": 1, "unit": "kB", "source": "t"}},
            "beyond_capacity",
        ),
        (
            {
                "write_iops": None,
                "write_latency_us": {"value": 15, "unit": "µs", "source": "t"},
            },
            "latency_as_service_time",
        ),
        (
            {"request_fee": {"value": 0.1, "unit": "USD/1000000", "source": "t"}},
            "request_fees_not_included",
        ),
    ],
)
def test_device_warnings(change: dict[str, Any], name: str) -> None:
    assert name not in names(run())
    odd = device("odd", "nvme", 100, 200, **change)
    assert name in names(run(flash=odd))


def test_bounds_of_a_time_that_is_carried_over_are_said() -> None:
    """4 KiB are the customary size, so only larger pages are carried over."""
    odd = device("odd", "nvme", 100, 200, page_bytes=None)
    assert "device_page_unknown" not in names(run(flash=odd))
    larger = Curve.from_lists(
        [100, 400],
        [400, 200],
        [80, 0],
        accesses=1000,
        distinct_pages=400,
        page_bytes=8192,
        write_accesses=200,
    )
    found = evaluate(larger, ram_pages=100, flash_pages=300, flash=odd, disk=DISK)
    [said] = [w for w in found.warnings if w.name == "device_page_unknown"]
    assert (
        "unstated transfer size, assumed to be 4 KiB; pages have 8 KiB" in said.message
    )
    assert "a read counts as 100 µs" in said.message
    assert "200 µs if only the bytes mattered" in said.message
    assert "a write counts as 400 µs" in said.message
    assert "200 µs if only the count mattered" in said.message
    used = found.inputs
    assert (used["flash_read_us"], used["flash_read_most_us"]) == (100, 200)
    assert (used["flash_write_us"], used["flash_write_least_us"]) == (400, 200)
    assert (used["flash_read_rule"], used["flash_write_rule"]) == (
        "roofline",
        "scaled_by_bytes",
    )


def test_an_unusual_role_is_said() -> None:
    assert "unusual_role" in names(run(flash=DISK))
    assert "unusual_role" not in names(run())


# --- money --------------------------------------------------------------------------------


def book(*entries: dict[str, Any]) -> PriceBook:
    return price_book_from_mapping(
        {"id": "b", "name": "B", "date": "2020", "prices": list(entries)}
    )


FULL = book(
    {"kind": "dram", "usd_per_gib": 3600, "source": "s"},
    {"kind": "nvme", "usd_per_gb": 360, "source": "s"},
    {"kind": "hdd", "usd_per_gb_month": 1, "source": "s"},
)


def test_cost_by_hand() -> None:
    # RAM 100 x 4096 B at 3600 USD/GiB over 36 months; flash 200 x 4096 B at 360 USD/GB
    # over 36 months; disk 400 x 4096 B at 1 USD/GB a month.
    found = run(prices=FULL).schemes
    ram = 100 * 4096 / 2**30 * 100
    flash = 200 * 4096 / 1e9 * 10
    disk = 400 * 4096 / 1e9
    lazy, none = (found[name].cost_usd_per_month for name in ("lazy", "none"))
    assert lazy is not None
    assert none is not None
    assert float(lazy) == pytest.approx(ram + flash + disk)
    assert float(none) == pytest.approx(ram + disk)
    assert set(found["none"].cost_parts) == {"ram", "disk"}
    assert found["lazy"].cost_reason == ""


def test_amortisation_spreads_purchases_only() -> None:
    once = run(prices=FULL, amortisation_months=1).schemes["lazy"].cost_parts
    many = run(prices=FULL, amortisation_months=36).schemes["lazy"].cost_parts
    assert float(once["ram"].usd_per_month or 0) == pytest.approx(
        36 * float(many["ram"].usd_per_month or 0)
    )
    assert once["disk"].usd_per_month == many["disk"].usd_per_month


def test_a_missing_price_leaves_no_cost_and_says_why() -> None:
    found = run(prices=book({"kind": "dram", "usd_per_gib": 1, "source": "s"}))
    result = found.schemes["lazy"]
    assert result.cost_usd_per_month is None
    assert result.cost_parts["ram"].usd_per_month is not None
    assert result.cost_reason == (
        "price book `b` has no price for the flash device `flash`; "
        "price book `b` has no price for the disk device `disk`"
    )
    assert "flash device" not in found.schemes["none"].cost_reason


def priced(id_: str, kind: str, usd: int, unit: str = "USD/GB") -> Device:
    figure = {"value": usd, "unit": unit, "source": "s", "date": "2019"}
    return device(id_, kind, 100, 200, unit_price=figure)


def test_without_any_price_there_is_no_cost_and_it_says_why() -> None:
    result = run().schemes["lazy"]
    assert result.cost_usd_per_month is None
    assert "no price book and no RAM device was chosen" in result.cost_reason
    assert "the flash device `flash` states no price" in result.cost_reason


def test_without_a_price_book_the_devices_own_prices_are_used_and_it_says_so() -> None:
    found = run(
        ram=priced("ram", "dram", 16, "USD/GiB"),
        flash=priced("own", "nvme", 2),
        disk=priced("slow", "hdd", 1),
    )
    assert found.schemes["lazy"].cost_parts["flash"].price == "2"
    assert found.schemes["lazy"].cost_usd_per_month is not None
    assert "price_from_device" in names(found)


def test_the_price_of_a_kind_is_said_beside_the_devices_own() -> None:
    found = run(flash=priced("own", "nvme", 40), prices=FULL)
    caution = next(w for w in found.warnings if w.name == "price_of_kind")
    assert "of the kind `nvme`" in caution.message
    assert "the device's own price is 40 USD/GB (2019)" in caution.message


def test_the_device_own_price_stands_in_and_is_said() -> None:
    own = device(
        "own",
        "sata_ssd",
        100,
        200,
        unit_price={"value": 2, "unit": "USD/GB", "source": "s", "date": "2019"},
    )
    found = run(flash=own, prices=FULL)
    part = found.schemes["lazy"].cost_parts["flash"]
    assert (part.price, part.unit, part.date) == ("2", "USD/GB", "2019")
    assert "price_from_device" in names(found)


def test_a_kind_without_a_price_says_why() -> None:
    book = catalog.price_book("street-2026-q3")
    sata = catalog.device("intel-s4500-7.68tb")
    result = run(flash=sata, prices=book).schemes["lazy"]
    assert result.cost_usd_per_month is None
    assert result.cost_reason.endswith(
        "no price of an enterprise SATA drive of 2026 was found"
    )


def test_prices_of_different_dates_are_flagged_once() -> None:
    disk = priced("slow", "cloud_block", 1)  # its own price, of 2019
    found = run(disk=disk, prices=catalog.price_book("street-2026-q3"))
    said = [w for w in found.warnings if w.name == "prices_of_different_dates"]
    assert len(said) == 1
    assert "the price of disk is from 2019" in said[0].message
    same = run(prices=catalog.price_book("street-2026-q3"))
    assert "prices_of_different_dates" not in names(same)


def test_a_retired_book_is_said() -> None:
    found = run(prices=catalog.price_book("street-2026-q1"))
    caution = next(w for w in found.warnings if w.name == "price_book_retired")
    assert "withdrawn by its publisher" in caution.message
    assert "price_book_retired" not in names(
        run(prices=catalog.price_book("street-2026-q3"))
    )


# --- choice -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flash_write", "best"),
    # Cheap flash writes favour exclusive, dear ones lazy, absurd ones no flash.
    [(10, "exclusive"), (600, "lazy"), (50_000, "none")],
)
def test_the_least_cost_wins(flash_write: float, best: str) -> None:
    found = run(flash=device("f", "nvme", 100, flash_write))
    assert found.best == best
    costs = {name: r.io_time_us_per_access for name, r in found.schemes.items()}
    assert costs[best] == min(costs.values())


def test_ties_go_to_none_then_to_the_larger_effective_flash() -> None:
    # Nothing misses RAM: every scheme costs 0.
    still = Curve.from_lists(
        [10], [0], [0], accesses=10, distinct_pages=0, page_bytes=4096, write_accesses=0
    )
    found = evaluate(still, ram_pages=10, flash_pages=20, flash=FLASH, disk=DISK)
    assert (found.best, found.runner_up) == ("none", "exclusive")
    assert found.margin == 0
    totals, best = evaluation.choose_scheme(
        still, 10, 20, p_d=0, flash_read=1, flash_write=1, disk_read=1, disk_write=1
    )
    assert set(totals.values()) == {0.0}
    assert best == "exclusive"


@pytest.mark.formula("evaluate.page_flow.evaluation.evaluate")
@given(
    st.integers(1, 500),
    st.integers(0, 900),
    st.floats(0.1, 1e4),
    st.floats(0.1, 1e5),
)
def test_lazy_never_loses_to_inclusive_when_a_hit_is_cheaper_than_a_miss(
    ram_pages: int, flash_pages: int, read: float, write: float
) -> None:
    found = run(ram_pages, flash_pages, flash=device("f", "nvme", read, write)).schemes
    lazy, inclusive = found["lazy"], found["inclusive"]
    hit = lazy.p_d * write + read
    miss = 1000 + write
    if hit <= miss:
        assert lazy.io_time_us_per_access <= inclusive.io_time_us_per_access * (
            1 + 1e-9
        )


def test_a_lead_within_the_model_error_is_said() -> None:
    # Exclusive leads lazy by 3.67 µs. Lazy's hits may be off by 7 % of 400 RAM misses, 28
    # hits; a miss made a hit saves D_R + p_dF D_W + F_W - F_R - p_d F_W =
    # 1000 + 0.075 x 2000 + 200 - 100 - 0.2 x 200 = 1210 µs: 33.88 µs per access.
    # Its flash writes: C3's 266.67 x 300/400 + 0.2 x 133.33 = 226.67 against the estimate: of
    # 300 victims 1/3 (1 - (100/400)^2) = 0.3125 are found on flash, and 80/300 of these are dirty
    # (the curve evicts too little to tell more): 231.25. 4.583 writes are 0.917 µs per access, and
    # the estimate itself may be off by 5 %: 11.5625 writes, 2.3125 µs.
    found = run()
    lazy = found.schemes["lazy"]
    assert lazy.flash_writes_cold_start == pytest.approx(231.25)
    assert "lazy_writes_by_formula" not in names(found)  # 4.58 of 293.33 writes
    assert lazy.io_time_error_us_per_access == pytest.approx(
        33.88 + 4.5833333 / 5 + 2.3125
    )
    assert found.schemes["exclusive"].io_time_error_us_per_access == 0
    warning = next(w for w in found.warnings if w.name == "lead_within_model_error")
    assert warning.message.startswith("`exclusive` leads `lazy` by less")
    clear = run(flash=device("f", "nvme", 100, 10))  # exclusive leads lazy by far
    assert clear.best == "exclusive"
    assert "lead_within_model_error" not in names(run(flash_pages=0))


# --- grid ---------------------------------------------------------------------------------


@pytest.mark.oracle("evaluate.page_flow.evaluation.evaluate_grid")
def test_a_grid_equals_its_points() -> None:
    r = np.array([1, 50, 100, 399, 400, 1000])[:, None]
    f = np.array([0, 1, 100, 250, 5000])[None, :]
    grid = evaluate_grid(CURVE, ram_pages=r, flash_pages=f, flash=FLASH, disk=DISK)
    for i, j in np.ndindex(6, 5):
        single = run(int(r[i, 0]), int(f[0, j])).schemes
        for scheme, made in grid.items():
            want = single[scheme]
            assert made.io_time_us_per_access[i, j] == pytest.approx(
                want.io_time_us_per_access, rel=1e-12
            )
            assert made.flash_hits[i, j] == want.flash_hits
            assert made.flash_writes_per_access[i, j] == want.flash_writes_per_access


def test_a_grid_refuses_an_unknown_scheme() -> None:
    with pytest.raises(BadInput, match="schemes: `sideways` is unknown"):
        evaluate_grid(
            CURVE,
            ram_pages=1,
            flash_pages=1,
            flash=FLASH,
            disk=DISK,
            schemes=["sideways"],
        )


# --- answer as data -----------------------------------------------------------------------


def test_the_answer_is_json_with_whole_counts() -> None:
    document = run(prices=FULL).to_dict()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text)["best"] == "exclusive"
    exclusive = document["schemes"]["exclusive"]
    assert isinstance(exclusive["flash_hits"], int)
    assert isinstance(exclusive["io_time_us_per_access"], float)
    assert set(exclusive["cost_terms_us_per_access"]) == {
        "flash_reads",
        "flash_fills",
        "flash_write_backs",
        "disk_reads",
        "disk_writes",
    }


def test_the_derivation_reproduces_the_result() -> None:
    for step in (each.to_dict() for each in run().derivation):
        number = {entry["symbol"]: entry["value"] for entry in step["numbers"]}
        assert all(entry["unit"] for entry in step["numbers"])
        terms = sum(term["value_us_per_access"] for term in step["terms"])
        assert terms == pytest.approx(step["value_us_per_access"])
        if (
            step["scheme"] == "exclusive"
        ):  # C2 = h_f F_R + m_r F_W + m_f (p_dF D_W + D_R)
            cost = (
                number["h_f"] * number["F_R"]
                + number["m_r"] * number["F_W"]
                + number["m_f"] * (number["p_dF"] * number["D_W"] + number["D_R"])
            )
            assert cost / number["N"] == pytest.approx(step["value_us_per_access"])


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"ram_pages": 0},
            "evaluate: ram_pages: `0` must be a whole number of at least 1",
        ),
        (
            {"flash_pages": -1},
            "evaluate: flash_pages: `-1` must be a whole number of at least 0",
        ),
        (
            {"ram_pages": 1.5},
            "evaluate: ram_pages: `1.5` must be a whole number of at least 1",
        ),
        (
            {"flash": catalog.device("optane-p4800x-375gb-qd1")},
            "evaluate: flash device: `optane-p4800x-375gb-qd1` has no write service time: "
            "neither write IOPS nor a latency",
        ),
        (
            {"amortisation_months": 0},
            "amortisation_months `0` is not a positive whole number",
        ),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        run(**change)
    assert caught.value.message == message
    assert caught.value.hint


def test_an_empty_workload_is_refused() -> None:
    empty = Curve.from_lists(
        [1], [0], [0], accesses=0, distinct_pages=0, page_bytes=1, write_accesses=0
    )
    with pytest.raises(BadInput, match="the workload has no accesses"):
        evaluate(empty, ram_pages=1, flash_pages=1, flash=FLASH, disk=DISK)


def test_a_curve_without_writes_is_refused() -> None:
    curve = Curve.from_hit_ratios([(10, 0.5)], accesses=100)
    with pytest.raises(BadInput, match="the curve has no write-backs"):
        evaluate(curve, ram_pages=1, flash_pages=1, flash=FLASH, disk=DISK)


# --- the memory that flash needs ----------------------------------------------------------


def test_metadata_are_charged_to_the_budget() -> None:
    # 4096 bytes a page; 1024 bytes an entry: 200 pages of flash take 50 pages of RAM.
    heavy = MetadataPreset("heavy", "heavy", 1024, None, 0, 0, "test", "")
    charged = run(150, 200, flash_metadata=heavy)
    plain, less = run(150, 200), run(100, 200)
    for scheme in ("inclusive", "exclusive", "lazy"):
        one, other = charged.schemes[scheme], less.schemes[scheme]
        assert one.io_time_us_per_access == other.io_time_us_per_access
        assert (one.ram_hits, one.flash_hits) == (other.ram_hits, other.flash_hits)
    assert charged.schemes["none"] == plain.schemes["none"]
    assert charged.inputs["flash_metadata_bytes"] == 200 * 1024
    assert charged.inputs["ram_pages_with_flash"] == 100
    assert charged.inputs["ram_pages"] == 150  # what is paid for
    numbers = {
        each.symbol: each.value for each in charged.derivation[1].io_time.numbers
    }
    assert numbers["r"] == 100
    assert plain.inputs["flash_metadata"] is None
    assert run(150, 0, flash_metadata=heavy).best == "none"
    with pytest.raises(BadInput, match="hold less than the flash metadata"):
        run(50, 400, flash_metadata=heavy)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_charging_never_makes_flash_better(name: str) -> None:
    plain = run(200, 200)
    try:
        charged = run(200, 200, flash_metadata=PRESETS[name])
    except BadInput:  # the buffers of SCE alone exceed this RAM
        assert name == "sce"
        return
    for scheme, result in charged.schemes.items():
        before = plain.schemes[scheme].io_time_us_per_access
        assert result.io_time_us_per_access >= before * (1 - 1e-12)


def test_a_grid_is_charged_like_a_point() -> None:
    heavy = MetadataPreset("heavy", "heavy", 1024, None, 0, 0, "test", "")
    budgets, flash = np.array([[60], [150], [301]]), np.array([[0, 1, 200, 399]])
    grids = evaluate_grid(
        CURVE,
        ram_pages=budgets,
        flash_pages=flash,
        flash=FLASH,
        disk=DISK,
        flash_metadata=heavy,
    )
    for at, ram in enumerate(budgets[:, 0].tolist()):
        for column, pages in enumerate(flash[0].tolist()):
            found = {
                name: grid.io_time_us_per_access[at, column]
                for name, grid in grids.items()
            }
            if ram * 4096 - pages * 1024 < 4096:
                assert np.isnan(found["lazy"])
                assert not np.isnan(found["none"])
                continue
            point = run(ram, pages, flash_metadata=heavy).schemes
            for name, value in found.items():
                assert value == pytest.approx(point[name].io_time_us_per_access)
