"""Device profiles and price books: conversions, service times, refusals."""

import tomllib
from decimal import Decimal
from typing import Any

import pytest

from tierwright.common.errors import BadInput
from tierwright.hardware.capabilities import missing_figures
from tierwright.hardware.device import KINDS, Device, device_from_mapping
from tierwright.hardware.fio import to_toml
from tierwright.hardware.prices import (
    Price,
    PriceBook,
    check_amortisation,
    dates_apart,
    own_price,
    price_book_from_mapping,
    quarter_of,
)
from tierwright.hardware.service_time import service_basis, service_time, service_us


def figure(value: Any, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit, "source": "a test"}


def device(**figures: dict[str, Any]) -> Device:
    return device_from_mapping(
        {"id": "d", "name": "D", "kind": "nvme", "figures": figures}
    )


def test_a_product_is_read_written_and_checked() -> None:
    stated = {"id": "d", "name": "D", "kind": "nvme"}
    alone = device_from_mapping(stated)
    assert (alone.product, alone.bought_as) == (None, "d")
    # What rests on a device that states none rests on the same as before.
    assert "product" not in alone.to_dict()
    made = device_from_mapping({**stated, "product": "drive-2tb"})
    assert (made.product, made.bought_as) == ("drive-2tb", "drive-2tb")
    assert device_from_mapping(made.to_dict()) == made
    assert device_from_mapping(tomllib.loads(to_toml(made))) == made
    for wrong in ("Drive 2 TB", "", 7, ["drive"]):
        with pytest.raises(BadInput, match="product"):
            device_from_mapping({**stated, "product": wrong})


def test_service_time_is_one_over_iops_and_says_so() -> None:
    made = device(
        read_iops=figure(2500, "1/s"),
        write_iops=figure(21, "1/s"),
        queue_depth=figure(32, "1"),
    )
    assert service_us(made, "read", 4096) == 400
    assert service_us(made, "write", 4096) == pytest.approx(1e6 / 21, rel=1e-15)
    assert (
        "1/IOPS of an unstated transfer size, assumed to be 4 KiB (2,500/s, queue "
        "depth 32)" in (service_basis(made, 4096))
    )


def test_unknown_queue_depth_is_said() -> None:
    made = device(read_iops=figure(2500, "1/s"), write_iops=figure(21, "1/s"))
    assert service_basis(made, 4096).count("queue depth unknown") == 2


def test_latency_stands_in_where_iops_are_absent() -> None:
    made = device(read_iops=figure(1000, "1/s"), write_latency_us=figure(15, "µs"))
    found = service_time(made, "write", 4096)
    assert (found.time_us, found.rule) == (15, "latency")
    assert found.basis == "latency at low queue depth, 15 µs"


def disk(**figures: dict[str, Any]) -> Device:
    return device_from_mapping(
        {"id": "d", "name": "D", "kind": "hdd", "figures": figures}
    )


def times(made: Device) -> tuple[float | None, float | None]:
    return service_us(made, "read", 4096), service_us(made, "write", 4096)


def test_a_disk_is_timed_by_its_positioning_not_by_the_rate_of_a_queue() -> None:
    figures = {
        "read_iops": figure(304, "1/s"),
        "write_iops": figure(560, "1/s"),
        "seek_read_ms": {**figure(Decimal("7.4"), "ms"), "assumed": True},
        "seek_write_ms": figure(Decimal("8.2"), "ms"),
        "half_rotation_ms": figure(Decimal("4.16"), "ms"),
    }
    for depth in ({}, {"queue_depth": figure(16, "1")}):
        made = disk(**figures, **depth)
        assert times(made) == (11560, 12360)
        assert service_basis(made, 4096) == (
            "read: seek 7.4 ms + half a rotation 4.16 ms (queue depth 1; seek assumed); no "
            "sequential read rate is stated; "
            "write: seek 8.2 ms + half a rotation 4.16 ms (queue depth 1); no sequential "
            "write rate is stated"
        )
        assert made.assumed == ("seek_read_ms",)
    # A rate that was measured with one request in flight is the better figure.
    one = disk(**figures, queue_depth=figure(1, "1"))
    assert times(one) == pytest.approx((1e6 / 304, 1e6 / 560))
    alone = disk(**figures, queue_depth_1_read_iops=figure(80, "1/s"))
    assert times(alone) == (12500, 12360)


def test_a_rate_that_no_disk_positions_for_is_said_to_be_that_of_a_queue() -> None:
    fast = disk(read_iops=figure(205, "1/s"))
    slow = disk(read_iops=figure(204, "1/s"))
    assert "no disk positions that fast" in service_time(fast, "read", 4096).basis
    assert "(204/s, queue depth unknown)" in service_time(slow, "read", 4096).basis


def test_what_is_missing_is_named() -> None:
    made = device(read_latency_us=figure(15, "µs"))
    assert service_us(made, "write", 4096) is None
    assert missing_figures(made) == ("write service time", "price")
    assert "missing: neither write IOPS nor a latency" in service_basis(made, 4096)


@pytest.mark.parametrize(
    ("value", "unit", "size"),
    [
        (Decimal("146.8"), "GB", 146_800_000_000),
        (65536, "GiB", 65536 * 2**30),
        (Decimal("1.8"), "TiB", 1979120929996),  # 1.8 x 2^40, rounded down
        (Decimal("1.6"), "TB", 1_600_000_000_000),
    ],
)
def test_capacity_keeps_its_unit(value: Any, unit: str, size: int) -> None:
    assert device(capacity=figure(value, unit)).capacity_bytes == size


def test_a_device_survives_plain_data() -> None:
    made = device(read_iops=figure(2500, "1/s"), capacity=figure(1.5, "TB"))
    assert device_from_mapping(made.to_dict()) == made


GOOD: dict[str, Any] = {
    "id": "d",
    "name": "D",
    "kind": "nvme",
    "figures": {"read_iops": figure(1000, "1/s")},
}


def with_figure(name: str, **changes: Any) -> dict[str, Any]:
    entry = {**figure(1000, "1/s"), **changes}
    entry = {key: value for key, value in entry.items() if value is not ...}
    return {**GOOD, "figures": {name: entry}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({**GOOD, "colour": "red"}, "f: colour: unknown key"),
        (
            {**GOOD, "id": "A b"},
            "f: id: `A b` must be lower-case letters, digits, `.`, `_`, `-`, at most 80",
        ),
        ({**GOOD, "name": ""}, "f: name: must be a text that is not empty"),
        (
            {**GOOD, "kind": "tape"},
            "f: kind: `tape` is not one of dram, cxl, pmem, nvme, sata_ssd, sd, "
            "nand, hdd, hdd_array, cloud_block, cloud_disk, object",
        ),
        (
            {**GOOD, "year": 1492},
            "f: year: `1492` must be a year between 1950 and 2100",
        ),
        ({**GOOD, "figures": 7}, "f: figures: `7` must be a table"),
        (with_figure("speed"), "f: figures.speed: unknown figure"),
        (
            with_figure("read_iops", value=-5),
            "f: figures.read_iops.value: `-5` must be positive",
        ),
        (
            with_figure("read_iops", value=float("nan")),
            "f: figures.read_iops.value: `nan` must be a finite number",
        ),
        (
            with_figure("read_iops", value="1000"),
            "f: figures.read_iops.value: `1000` must be a finite number",
        ),
        (
            with_figure("read_iops", unit="kHz"),
            "f: figures.read_iops.unit: `kHz` must be 1/s",
        ),
        (
            with_figure("read_iops", source=...),
            "f: figures.read_iops.source: must name the source of the figure",
        ),
        (
            with_figure("read_iops", date="yesterday"),
            "f: figures.read_iops.date: `yesterday` must be YYYY, YYYY-MM, YYYY-MM-DD or "
            "YYYY-Qn",
        ),
        (
            with_figure("read_iops", assumed="yes"),
            "f: figures.read_iops.assumed: `yes` must be true or false",
        ),
        (
            {**GOOD, "sold_as": "gift"},
            "f: sold_as: `gift` is not one of device, instance",
        ),
        (
            with_figure("read_iops", colour="red"),
            "f: figures.read_iops.colour: unknown key",
        ),
        (
            with_figure("read_iops", low=900, high=1100),
            "f: figures.read_iops.low: `900` is of no price, and only `unit_price` has a range",
        ),
        (
            with_figure("unit_price", value=1, unit="USD/GB", low=2, high=3),
            "f: figures.unit_price.low: `2 to 3` must be above 0, and the price 1 within the range",
        ),
        (
            with_figure("queue_depth", value=1.5, unit="1"),
            "f: figures.queue_depth.value: `1.5` must be a whole number",
        ),
    ],
)
def test_a_bad_device_is_refused_with_its_key(
    data: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput) as caught:
        device_from_mapping(data, place="f")
    assert caught.value.message == message
    assert caught.value.hint


def test_several_problems_come_at_once() -> None:
    with pytest.raises(BadInput) as caught:
        device_from_mapping({"id": "d", "kind": "tape"}, place="f")
    assert [problem.where for problem in caught.value.problems] == ["name", "kind"]


# --- prices -------------------------------------------------------------------------------


def test_a_purchase_is_spread_and_a_rent_is_not() -> None:
    purchase = Price(Decimal(16), "GB", False, "x")
    assert purchase.usd_per_month(36 * 10**9, 36) == 16
    rent = Price(Decimal("0.08"), "GiB", True, "x")
    assert rent.usd_per_month(100 * 2**30, 36) == 8
    assert (purchase.unit, rent.unit) == ("USD/GB", "USD/GiB/month")


def test_gib_prices_convert_to_gb_exactly() -> None:
    price = Price(Decimal(1024), "GiB", False, "x")
    assert price.usd_per_gb == Decimal(1024) * 10**9 / 2**30


ENTRY = {"kind": "dram", "usd_per_gb": 16, "source": "x"}
BOOK: dict[str, Any] = {"id": "b", "name": "B", "date": "2008-11", "prices": [ENTRY]}


def test_a_device_has_its_own_price_before_that_of_its_kind() -> None:
    book = price_book_from_mapping(
        {
            **BOOK,
            "prices": [
                ENTRY,
                {"device_id": "d", "usd_per_gib_month": 2.5, "source": "y"},
            ],
        }
    )
    own = book.find(device_id="d", kind="dram")
    assert own is not None
    assert (own.usd, own.unit) == (Decimal("2.5"), "USD/GiB/month")
    kind = book.find(device_id="other", kind="dram")
    assert kind is not None
    assert kind.usd == 16
    assert book.find(device_id="other", kind="hdd") is None
    assert price_book_from_mapping(book.to_dict()) == book


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {**BOOK, "currency": "EUR"},
            "f: currency: `EUR` must be USD, or one of which `exchange_rates` states the rate",
        ),
        ({**BOOK, "owner": "me"}, "f: owner: unknown key"),
        (
            {**BOOK, "date": "soon"},
            "f: date: `soon` must be YYYY, YYYY-MM, YYYY-MM-DD or YYYY-Qn",
        ),
        ({**BOOK, "prices": 3}, "f: prices: `3` must be a list"),
        (
            {**BOOK, "prices": [{"usd_per_gb": 1, "source": "x"}]},
            "f: prices[0]: needs either `device_id` or `kind`",
        ),
        (
            {**BOOK, "prices": [{**ENTRY, "usd_per_gib": 1}]},
            "f: prices[0]: needs exactly one of usd_per_gb, usd_per_gib, usd_per_gb_month, "
            "usd_per_gib_month, per_gb, per_gib, per_gb_month, per_gib_month",
        ),
        (
            {**BOOK, "prices": [{**ENTRY, "usd_per_gb": -1}]},
            "f: prices[0].usd_per_gb: `-1` must not be negative",
        ),
        (
            {**BOOK, "prices": [{**ENTRY, "usd_per_gb": 10**400}]},
            "f: prices[0].usd_per_gb: `1.000e+400` must lie between 1e-30 and 1e30",
        ),
        ({**BOOK, "k" * 300: 1}, f"f: {'k' * 199}…: unknown key"),
        (
            {**BOOK, "prices": [{**ENTRY, "source": " "}]},
            "f: prices[0].source: ` ` must name the source of the price",
        ),
        ({**BOOK, "prices": [ENTRY, ENTRY]}, "f: prices: `dram` is priced twice"),
        (
            {
                **BOOK,
                "prices": [{"device_id": ["d"], "usd_per_gb": 1, "source": "x"}],
            },
            "f: prices[0].device_id: `['d']` must be the id of a device",
        ),
        (
            {**BOOK, "prices": [{**ENTRY, "usd_per_gb": 2, "low": 1, "high": "1.5"}]},
            "f: prices[0].low: `1 to 1.5` must be above 0, and the price 2 within the range",
        ),
        (
            {
                **BOOK,
                "prices": [
                    {
                        "kind": "dram",
                        "usd_per_gb_month": 2,
                        "low": 1,
                        "high": 3,
                        "source": "x",
                    }
                ],
            },
            "f: prices[0].low: `1` is of a rent, and only a purchase has a range",
        ),
        (
            {**BOOK, "prices": [{**ENTRY, "kind": ["dram"]}]},
            f"f: prices[0].kind: `['dram']` is not one of {', '.join(KINDS)}",
        ),
    ],
)
def test_a_bad_price_book_is_refused_with_its_key(
    data: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput) as caught:
        price_book_from_mapping(data, place="f")
    assert caught.value.message == message


def test_a_range_of_a_price_survives_plain_data() -> None:
    entry = {**ENTRY, "usd_per_gb": 2, "low": "1.5", "high": 3}
    made = price_book_from_mapping({**BOOK, "prices": [entry]})
    [price] = made.prices
    assert price.factors == (0.75, 1.5)
    assert price_book_from_mapping(made.to_dict()) == made
    euros = {key: each for key, each in entry.items() if key != "usd_per_gb"}
    rate = {"currency": "EUR", "per_usd": "0.5", "date": "2026", "source": "x"}
    foreign = price_book_from_mapping(
        {
            **BOOK,
            "currency": "EUR",
            "exchange_rates": [rate],
            "prices": [{**euros, "per_gb": 2}],
        }
    )
    # Both are stated in euros, so their ratio is that of the dollars.
    assert foreign.prices[0].usd == 4
    assert foreign.prices[0].factors == (0.75, 1.5)
    assert price_book_from_mapping(foreign.to_dict()) == foreign
    of_device = with_figure("unit_price", value=2, unit="USD/GB", low=1, high=3)
    device = device_from_mapping(of_device)
    assert device_from_mapping(device.to_dict()) == device
    own = own_price(device)
    assert own is not None
    assert own.factors == (0.5, 1.5)
    assert (
        price_book_from_mapping({**BOOK, "prices": [ENTRY]}).prices[0].factors is None
    )


def test_own_price_prefers_rent() -> None:
    both = device(unit_price=figure(2, "USD/GB"), unit_rent=figure(1, "USD/GiB/month"))
    found = own_price(both)
    assert found is not None
    assert (float(found.usd), found.rent, found.per) == (1.0, True, "GiB")
    assert own_price(device()) is None


@pytest.mark.parametrize("months", [0, -1, 1.5, True, "36", None])
def test_bad_amortisation(months: object) -> None:
    with pytest.raises(BadInput) as caught:
        check_amortisation(months)
    assert caught.value.message == (
        f"amortisation_months `{months}` is not a positive whole number"
    )


def test_an_empty_book_finds_nothing() -> None:
    book = PriceBook("b", "B", "2020", "", "USD", ())
    assert book.find(device_id=None, kind="dram") is None


@pytest.mark.parametrize(
    ("date", "quarter"),
    [
        ("2026", 8104),
        ("2026-Q1", 8104),
        ("2026-Q4", 8107),
        ("2026-03", 8104),
        ("2026-04", 8105),
        ("2026-12-31", 8107),
        ("2027-01-01", 8108),
    ],
)
def test_dates_are_compared_by_quarter(date: str, quarter: int) -> None:
    assert quarter_of(date) == quarter


def test_dates_that_do_not_compare_are_named_once() -> None:
    def of(date: str | None) -> Price:
        return Price(Decimal(1), "GB", False, "s", date)

    near = {"RAM": of("2026-05"), "flash": of("2026-08-11"), "disk": of("2026-Q1")}
    assert dates_apart(near) is None
    assert dates_apart({**near, "volume": of(None)}) is None
    assert dates_apart({**near, "volume": of("2025-12")}) == (
        "the price of volume is from 2025-12, the price of flash from 2026-08-11"
    )
    assert dates_apart({}) is None


BOOK: dict[str, Any] = {"id": "b", "name": "B", "date": "2026-Q3"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"default": 1}, "f: default: `1` must be true or false"),
        ({"retired": 1}, "f: retired: `1` must be text"),
        ({"absent": "x"}, "f: absent: `x` must be a list"),
        (
            {"absent": [{"kind": "tape", "reason": "none"}]},
            "f: absent[0].kind: `tape` is not one of dram, ",
        ),
        (
            {"absent": [{"kind": "hdd", "reason": " "}]},
            "f: absent[0].reason: ` ` must say why there is no price",
        ),
        (
            {
                "absent": [{"kind": "hdd", "reason": "none"}],
                "prices": [{"kind": "hdd", "usd_per_gb": 1, "source": "s"}],
            },
            "f: absent: `hdd` has a price nevertheless",
        ),
    ],
)
def test_a_bad_mark_of_a_price_book_is_refused(
    more: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput) as caught:
        price_book_from_mapping({**BOOK, **more}, place="f")
    assert caught.value.message.startswith(message)


def test_marks_of_a_price_book_survive_plain_data() -> None:
    absent = [{"kind": "hdd", "reason": "none"}]
    made = price_book_from_mapping(
        {**BOOK, "default": True, "retired": "why", "absent": absent}
    )
    assert (made.default, made.retired, dict(made.absent)) == (
        True,
        "why",
        {"hdd": "none"},
    )
    assert price_book_from_mapping(made.to_dict()) == made
