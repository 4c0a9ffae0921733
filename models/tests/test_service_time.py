"""Busy time of a page: the rules by hand, by slow independent code, and their properties."""

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.capabilities import missing_figures
from tierwright.hardware.device import (
    OPERATIONS,
    Device,
    Operation,
    device_from_mapping,
)
from tierwright.hardware.service_time import (
    PATTERNS,
    RULES,
    latency_page_bytes,
    service_basis,
    service_time,
    service_us,
    stated_page_bytes,
    waiting_time,
)

UNITS = {
    "page_bytes": "B",
    "io_unit_bytes": "B",
    "queue_depth": "1",
    "indirection_unit_bytes": "B",
    "read_iops": "1/s",
    "write_iops": "1/s",
    "queue_depth_1_read_iops": "1/s",
    "queue_depth_1_write_iops": "1/s",
    "latency_page_bytes": "B",
    "read_latency_us": "µs",
    "write_latency_us": "µs",
    "sequential_read_mb_per_s": "MB/s",
    "sequential_write_mb_per_s": "MB/s",
    "seek_read_ms": "ms",
    "seek_write_ms": "ms",
    "half_rotation_ms": "ms",
}
FLASH = ("nvme", "sata_ssd", "sd", "pmem")


def device(
    kind: str = "nvme",
    measurements: list[tuple[str, int, float, int | None]] | None = None,
    **figures: float,
) -> Device:
    return device_from_mapping(
        {
            "id": "d",
            "name": "D",
            "kind": kind,
            "figures": {
                name: {"value": value, "unit": UNITS[name], "source": "a test"}
                for name, value in figures.items()
            },
            "measurements": [
                {
                    "operation": operation,
                    "page_bytes": size,
                    "iops": iops,
                    "source": "a test",
                    **({} if depth is None else {"queue_depth": depth}),
                }
                for operation, size, iops, depth in measurements or []
            ],
        }
    )


def time(
    made: Device, operation: Operation, size: int, depth: int | None = None
) -> float:
    found = service_time(made, operation, size, queue_depth=depth).time_us
    assert found is not None
    return found


# --- by hand ---------------------------------------------------------------------------------


@pytest.mark.oracle(
    "hardware.service_time.service_time", "hardware.service_time.service_us"
)
def test_the_worked_numbers_of_the_issue() -> None:
    drive = catalog.device("samsung-pm9a3-7.68tb-u2")
    # 900k / 200k IOPS, 6500 / 3500 MB/s, no transfer size.
    assert service_us(drive, "read", 8192) == pytest.approx(8192 / 6500)
    assert service_us(drive, "write", 8192) == pytest.approx(10.0)
    assert service_us(drive, "read", 4096) == pytest.approx(1e6 / 900_000)
    volume = catalog.device("aws-ebs-gp3-max")
    assert service_us(volume, "read", 8192) == pytest.approx(12.5)


def test_an_unstated_transfer_size_is_said() -> None:
    made = device(read_iops=1000, write_iops=1000)
    for operation in OPERATIONS:
        said = service_time(made, operation, 4096).basis
        assert "unstated transfer size, assumed to be 4 KiB" in said
    stated = device(read_iops=1000, write_iops=1000, page_bytes=4096)
    assert "unstated" not in service_basis(stated, 4096)


def test_a_page_below_the_stated_transfer_is_not_cheaper() -> None:
    made = device(read_iops=1000, write_iops=500, page_bytes=16384)
    for size in (512, 4096, 16384):
        assert time(made, "read", size) == 1000
        assert time(made, "write", size) == 2000
    assert service_time(made, "read", 512).rule == "one_transfer"
    assert service_time(made, "read", 16384).rule == "own_figure"


def test_writes_move_whole_indirection_units() -> None:
    made = device(write_iops=1000, page_bytes=4096, indirection_unit_bytes=16384)
    # One unit of 16 KiB is inside the figure, so up to it nothing is added.
    assert time(made, "write", 16384) == 1000
    assert time(made, "write", 16385) == 2000
    assert time(made, "write", 65536) == 4000


def test_a_disk_adds_the_bytes_and_never_scales() -> None:
    made = device(
        "hdd",
        read_iops=100,
        page_bytes=4096,
        sequential_read_mb_per_s=100,
    )
    assert time(made, "read", 4096) == 10_000
    assert time(made, "read", 8192) == pytest.approx(10_000 + 40.96)
    assert time(made, "read", 2**20) == pytest.approx(10_000 + (2**20 - 4096) / 100)


def test_a_disk_without_iops_seeks_turns_and_transfers() -> None:
    made = device(
        "hdd",
        seek_read_ms=8,
        seek_write_ms=9,
        half_rotation_ms=4,
        sequential_read_mb_per_s=200,
        sequential_write_mb_per_s=200,
    )
    assert time(made, "read", 8192) == pytest.approx(12_000 + 40.96)
    assert time(made, "write", 8192) == pytest.approx(13_000 + 40.96)
    assert missing_figures(made) == ("price",)


def test_a_rating_at_depth_is_not_the_time_of_one_request() -> None:
    made = device("hdd", read_iops=304, queue_depth=16, page_bytes=4096)
    assert time(made, "read", 4096) == pytest.approx(1e6 / 304)
    alone = waiting_time(made, "read", 4096)
    assert (alone.time_us, alone.rule) == (None, "missing")


@pytest.mark.parametrize(
    ("size", "units"), [(1, 1), (16384, 1), (16385, 2), (2**20, 64)]
)
def test_a_volume_counts_units(size: int, units: int) -> None:
    made = device("cloud_block", read_iops=16_000, io_unit_bytes=16384)
    assert time(made, "read", size) == pytest.approx(units * 62.5)


def test_a_volume_meets_its_throughput_limit() -> None:
    made = device(
        "cloud_block",
        read_iops=16_000,
        io_unit_bytes=262_144,
        sequential_read_mb_per_s=125,
    )
    assert time(made, "read", 4096) == 62.5
    assert time(made, "read", 65536) == pytest.approx(65536 / 125)


def test_the_unit_of_a_volume_is_not_the_transfer_of_its_rate() -> None:
    """Where both are stated the unit counts."""
    made = device("cloud_block", read_iops=1000, io_unit_bytes=65536, page_bytes=4096)
    assert time(made, "read", 65536) == 1000


def test_a_chip_moves_its_own_pages() -> None:
    chip = catalog.device("zhou2009-nand-chip")
    assert [time(chip, "write", size) for size in (512, 2048, 4096, 8192)] == [
        200,
        200,
        400,
        800,
    ]


@pytest.mark.oracle("hardware.service_time.waiting_time")
def test_a_lone_request_has_its_own_figure() -> None:
    both = device(
        read_iops=440_000,
        queue_depth=32,
        page_bytes=4096,
        queue_depth_1_read_iops=14_000,
        sequential_read_mb_per_s=3500,
    )
    assert waiting_time(both, "read", 4096).time_us == pytest.approx(1e6 / 14_000)
    assert waiting_time(both, "read", 8192).time_us == pytest.approx(
        1e6 / 14_000 + 4096 / 3500
    )
    latency = device(read_iops=72_000, queue_depth=32, read_latency_us=110)
    assert waiting_time(latency, "read", 4096).time_us == 110
    assert waiting_time(latency, "write", 4096).time_us is None
    alone = device(read_iops=10_000, queue_depth=1, page_bytes=4096)
    assert waiting_time(alone, "read", 4096).time_us == 100


def test_a_sequential_access_is_its_transfer() -> None:
    made = device(sequential_read_mb_per_s=500)
    found = service_time(made, "read", 2**20, pattern="sequential")
    assert found.time_us == pytest.approx(2**20 / 500)
    missing = service_time(made, "write", 2**20, pattern="sequential")
    assert missing.time_us is None
    assert missing.basis == "missing: no sequential write rate is stated"


def test_measured_points_win_and_are_interpolated() -> None:
    made = device(
        read_iops=100_000,
        page_bytes=4096,
        queue_depth=32,
        sequential_read_mb_per_s=1000,
        measurements=[
            ("read", 8192, 80_000, 32),
            ("read", 16384, 40_000, 32),
            ("read", 8192, 5_000, 1),
        ],
    )
    assert time(made, "read", 4096) == 10
    assert time(made, "read", 8192) == 12.5
    assert time(made, "read", 12288) == pytest.approx((12.5 + 25) / 2)
    found = service_time(made, "read", 12288)
    assert (found.low_us, found.high_us, found.rule) == (12.5, 25, "interpolated")
    # Beyond the last point the rule of flash goes on from it.
    assert time(made, "read", 65536) == pytest.approx(65.536)
    assert time(made, "read", 8192, 1) == 200
    assert service_time(made, "read", 8192).rule == "own_figure"


def test_a_device_of_measurements_alone_is_asked_at_its_deepest() -> None:
    made = device(measurements=[("write", 8192, 1000, 1), ("write", 8192, 20_000, 32)])
    assert time(made, "write", 8192) == 50
    assert time(made, "write", 16384) == 100
    assert time(made, "write", 8192, 1) == 1000
    assert missing_figures(made) == ("read service time", "price")


def test_a_measurement_wins_over_the_roofline() -> None:
    """fio's own figure at the size stands, whatever a sequential run at depth 1 reached."""
    made = device(
        read_iops=100_000,
        page_bytes=8192,
        queue_depth=32,
        sequential_read_mb_per_s=500,
        measurements=[("read", 8192, 100_000, 32)],
    )
    assert time(made, "read", 8192) == 10


@pytest.mark.parametrize(
    ("size", "depth"), [(0, None), (-1, None), (4096, 0), (4096, -3)]
)
def test_sizes_and_depths_are_whole_and_above_0(size: int, depth: int | None) -> None:
    with pytest.raises(BadInput, match="must be at least 1"):
        service_time(device(read_iops=1), "read", size, queue_depth=depth)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"operation": "erase"}, "operation: `erase` must be read or write"),
        ({"page_bytes": 0}, "page_bytes: `0` must be a positive whole number"),
        ({"iops": -2}, "iops: `-2` must be positive"),
        ({"source": ""}, "must name the source of the measurement"),
        ({"speed": 2}, "speed: unknown key"),
    ],
)
def test_a_bad_measurement_is_named(change: dict[str, Any], said: str) -> None:
    entry = {"operation": "read", "page_bytes": 8192, "iops": 10, "source": "t"}
    with pytest.raises(BadInput, match="measurements") as refused:
        device_from_mapping(
            {
                "id": "d",
                "name": "D",
                "kind": "nvme",
                "measurements": [{**entry, **change}],
            }
        )
    assert said in str(refused.value)


def test_a_size_is_measured_once_at_a_depth() -> None:
    with pytest.raises(BadInput, match="is measured twice at one queue depth"):
        device(measurements=[("read", 8192, 1, 1), ("read", 8192, 2, 1)])


def test_measurements_survive_plain_data() -> None:
    made = device(measurements=[("read", 8192, 80_000, 32), ("write", 4096, 5, None)])
    assert device_from_mapping(made.to_dict()) == made
    assert made.measurements[0].iops == Decimal(80_000)


@pytest.mark.oracle(
    "hardware.service_time.stated_page_bytes", "hardware.service_time.service_basis"
)
def test_a_device_is_shown_at_its_own_transfer() -> None:
    assert stated_page_bytes(device(read_iops=1, page_bytes=8192)) == 8192
    assert stated_page_bytes(device(read_iops=1)) == 4096
    both = service_basis(device(read_iops=1000, write_iops=500), 4096)
    assert both.startswith("read: ")
    assert "; write: " in both


def test_every_shipped_device_says_which_rule() -> None:
    for made in catalog.devices().values():
        for operation in OPERATIONS:
            for size in (512, 4096, 8192, 16384, 2**20):
                found = service_time(made, operation, size)
                assert found.rule in RULES
                assert (found.time_us is None) == (found.rule == "missing")
                if found.time_us is not None:
                    assert found.low_us is not None
                    assert found.high_us is not None
                    assert found.low_us <= found.time_us <= found.high_us


# --- slow and independent --------------------------------------------------------------------

rates = st.floats(1, 1e7)
bandwidths = st.floats(1, 3e4)
sizes = st.integers(1, 2**22)
stated_sizes = st.sampled_from([512, 4096, 8192, 16384, 65536])


def slow(kind: str, operation: str, b: int, s: int, x: float, mb: float) -> float:
    """Re-computed in seconds and bytes a second, without the module."""
    one, moved = 1 / x, b / (mb * 1e6)
    if kind in FLASH:
        at_least = max(b, s) / (mb * 1e6)
        if operation == "write":
            return max(one * max(b, s) / s, at_least)
        return max(one, at_least)
    if kind in ("hdd", "hdd_array"):
        return max(0.0, one - s / (mb * 1e6)) + moved
    if kind in ("cloud_block", "cloud_disk"):
        return max(math.ceil(b / s) * one, moved)
    return max(one, max(b, s) / (mb * 1e6))


def made_of(kind: str, s: int, x: float, mb: float) -> Device:
    return device(
        kind,
        read_iops=x,
        write_iops=x,
        page_bytes=s,
        sequential_read_mb_per_s=mb,
        sequential_write_mb_per_s=mb,
    )


kinds = st.sampled_from(
    [*FLASH, "hdd", "hdd_array", "cloud_block", "cloud_disk", "object"]
)
operations = st.sampled_from(OPERATIONS)


@pytest.mark.oracle("hardware.service_time.service_time")
@pytest.mark.formula(
    "hardware.service_time.service_time", "hardware.service_time.service_us"
)
@given(kinds, operations, sizes, stated_sizes, rates, bandwidths)
def test_the_rules_agree_with_slow_code(
    kind: str, operation: Operation, b: int, s: int, x: float, mb: float
) -> None:
    made = made_of(kind, s, x, mb)
    assert time(made, operation, b) == pytest.approx(
        slow(kind, operation, b, s, x, mb) * 1e6, rel=1e-9
    )


@given(kinds, operations, sizes, sizes, stated_sizes, rates, bandwidths)
@pytest.mark.formula("hardware.service_time.service_time")
def test_more_bytes_are_never_faster(
    kind: str, operation: Operation, one: int, other: int, s: int, x: float, mb: float
) -> None:
    made = made_of(kind, s, x, mb)
    less, more = sorted((one, other))
    assert time(made, operation, less) <= time(made, operation, more) * (1 + 1e-12)


@given(kinds, operations, stated_sizes, rates, bandwidths)
def test_at_the_stated_size_it_is_one_over_iops_unless_the_rate_binds(
    kind: str, operation: Operation, s: int, x: float, mb: float
) -> None:
    expected = max(1e6 / x, s / mb)
    assert time(made_of(kind, s, x, mb), operation, s) == pytest.approx(
        expected, rel=1e-12
    )


@given(st.sampled_from(FLASH), operations, stated_sizes, rates, bandwidths)
def test_the_roofline_is_met_at_both_ends(
    kind: str, operation: Operation, s: int, x: float, mb: float
) -> None:
    """Small accesses cost an operation, and no access is faster than the sequential rate."""
    made = made_of(kind, s, x, mb)
    assert time(made, operation, 1) == pytest.approx(max(1e6 / x, s / mb))
    huge = 2**40
    at_rate = service_time(made, operation, huge, pattern="sequential").time_us
    assert at_rate is not None
    whole = time(made, operation, huge)
    assert whole >= at_rate
    if operation == "read":
        assert whole == pytest.approx(max(1e6 / x, at_rate))


@given(kinds, operations, sizes, stated_sizes, rates, bandwidths)
@pytest.mark.formula(
    "hardware.service_time.service_basis", "hardware.service_time.stated_page_bytes"
)
def test_the_time_lies_within_its_bounds(
    kind: str, operation: Operation, b: int, s: int, x: float, mb: float
) -> None:
    made = made_of(kind, s, x, mb)
    for pattern in PATTERNS:
        found = service_time(made, operation, b, pattern=pattern)
        assert found.low_us is not None
        assert found.time_us is not None
        assert found.high_us is not None
        assert found.low_us <= found.time_us <= found.high_us
        if b <= s:
            assert not found.is_bounded
    assert service_time(made, operation, b).basis in service_basis(made, b)
    assert stated_page_bytes(made) == s


@given(operations, sizes, rates, st.floats(1, 1e5), bandwidths)
@pytest.mark.formula("hardware.service_time.waiting_time")
def test_a_request_that_waits_for_nobody_takes_its_latency_and_its_bytes(
    operation: Operation, b: int, x: float, latency: float, mb: float
) -> None:
    made = device(
        read_iops=x,
        write_iops=x,
        queue_depth=64,
        page_bytes=4096,
        read_latency_us=latency,
        write_latency_us=latency,
        sequential_read_mb_per_s=mb,
        sequential_write_mb_per_s=mb,
    )
    found = waiting_time(made, operation, b).time_us
    assert found == pytest.approx(latency + max(0, b - 4096) / mb)


@pytest.mark.oracle("hardware.service_time.latency_page_bytes")
def test_a_latency_is_of_its_own_size_where_that_is_stated() -> None:
    figures = {
        "read_iops": 3000,
        "page_bytes": 16_384,
        "read_latency_us": 500,
        "sequential_read_mb_per_s": 100,
    }
    of_iops = device("cloud_block", **figures)
    of_its_own = device("cloud_block", **figures, latency_page_bytes=4096)
    assert latency_page_bytes(of_iops) == 16_384
    assert latency_page_bytes(of_its_own) == 4096
    assert latency_page_bytes(device(read_latency_us=500)) == 4096
    assert waiting_time(of_iops, "read", 16_384).time_us == 500
    assert waiting_time(of_its_own, "read", 4096).time_us == 500
    assert waiting_time(of_its_own, "read", 16_384).time_us == pytest.approx(
        500 + 12_288 / 100
    )
    # The rate keeps its size: what a volume is busy with does not follow from a latency.
    assert service_us(of_its_own, "read", 4096) == service_us(of_iops, "read", 4096)


@given(stated_sizes, stated_sizes, sizes, st.floats(1, 1e5), bandwidths)
@pytest.mark.formula("hardware.service_time.latency_page_bytes")
def test_only_bytes_beyond_the_size_of_a_latency_take_longer(
    s: int, own: int, b: int, latency: float, mb: float
) -> None:
    figures = {
        "read_iops": 1000.0,
        "page_bytes": s,
        "read_latency_us": latency,
        "sequential_read_mb_per_s": mb,
    }
    made = device(**figures, latency_page_bytes=own)
    assert latency_page_bytes(made) == own
    found = waiting_time(made, "read", b).time_us
    assert found == pytest.approx(latency + max(0, b - own) / mb)


@given(
    st.lists(st.tuples(stated_sizes, rates), min_size=2, unique_by=lambda p: p[0]),
    sizes,
)
def test_between_points_it_is_between_their_times(
    points: list[tuple[int, float]], b: int
) -> None:
    made = device(measurements=[("read", size, iops, 8) for size, iops in points])
    known = sorted((size, 1e6 / iops) for size, iops in points)
    below = [point for point in known if point[0] <= b]
    above = [point for point in known if point[0] >= b]
    found = time(made, "read", b)
    if below and above:
        ends = below[-1][1], above[0][1]
        assert min(ends) * (1 - 1e-9) <= found <= max(ends) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("iops", "said"),
    [(3_000_000, "3,000,000/s"), (540_000, "540,000/s"), (0.5, "0.5/s")],
)
def test_rates_are_said_without_an_exponent(iops: float, said: str) -> None:
    basis = service_basis(device(read_iops=iops, write_iops=iops), 4096)
    assert said in basis
    assert "e+" not in basis
