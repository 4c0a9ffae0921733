"""Mixed loads of a flash device: the line between its ends, and what follows in throughput."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise.checks.counted import replayed_throughput
from tierwright.common.errors import BadInput
from tierwright.evaluate.throughput.schemes import (
    Setting,
    demand_terms,
    scheme_throughput,
)
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.mixed_load import (
    BUSY_TIMES_ADD,
    MODEL,
    beside_writes,
    beside_writes_us,
    mixed_load_basis,
    mixed_operation,
)
from tierwright.profile.curve import Curve

FLASH = catalog.device("face2016-intel-s3500-480")
DISK = catalog.device("face2016-cheetah-15k6-single")
times = st.floats(0.1, 1e4)
shares = st.floats(0.01, 0.99)


def stating(mixed_iops: int, percent: int = 70) -> Device:
    return replace(
        FLASH,
        figures={
            **FLASH.figures,
            "mixed_iops": Figure(Decimal(mixed_iops), "1/s", "stated for a test"),
            "mixed_read_percent": Figure(Decimal(percent), "%", "stated for a test"),
        },
    )


@pytest.mark.oracle("hardware.mixed_load.beside_writes")
@pytest.mark.oracle("hardware.mixed_load.mixed_operation")
def test_the_line_by_hand() -> None:
    # 10,000 mixed operations per second, 7 of 10 reads, where busy times that add give 25.5 µs.
    c = beside_writes(read_us=15, write_us=50, mixed_us=100, read_share=0.7)
    assert float(c) == pytest.approx((100 - 10.5 - 15) / 0.21)
    half = mixed_operation(read_us=15, write_us=50, beside_us=c, read_share=0.5)
    assert float(half) == pytest.approx(32.5 + float(c) / 4)
    # A device that is as fast as its busy times, or faster, has no line above them.
    assert beside_writes(read_us=15, write_us=50, mixed_us=20, read_share=0.7) == 0
    assert beside_writes(read_us=15, write_us=50, mixed_us=90, read_share=1) == 0


@pytest.mark.formula("hardware.mixed_load.beside_writes")
@pytest.mark.formula("hardware.mixed_load.mixed_operation")
@given(times, times, st.floats(0, 1e4), shares)
def test_both_ends_and_the_mix_are_met(
    read: float, write: float, more: float, share: float
) -> None:
    mixed = share * read + (1 - share) * write + more
    c = beside_writes(read_us=read, write_us=write, mixed_us=mixed, read_share=share)

    def at(of: float) -> float:
        return float(
            mixed_operation(read_us=read, write_us=write, beside_us=c, read_share=of)
        )

    assert at(share) == pytest.approx(mixed)
    assert at(1.0) == pytest.approx(read)
    assert at(0.0) == pytest.approx(write)


def test_a_share_beyond_one_is_refused() -> None:
    with pytest.raises(BadInput, match="read_share"):
        beside_writes(read_us=1, write_us=1, mixed_us=1, read_share=1.1)


def test_a_device_that_states_no_mix_adds_busy_times() -> None:
    assert (beside_writes_us(FLASH, 4096), mixed_load_basis(FLASH)) == (
        0.0,
        BUSY_TIMES_ADD,
    )
    device = stating(20_000)
    assert mixed_load_basis(device) == MODEL
    c = (1e6 / 20_000 - 0.7e6 / 60311 - 0.3e6 / 21572) / 0.21
    assert beside_writes_us(device, 4096) == pytest.approx(c)
    larger = beside_writes_us(device, 8192) / beside_writes_us(device, 4096)
    assert larger == pytest.approx((8192 / 470) / (1e6 / 60311))


def counters(**more: int) -> dict[str, Any]:
    named = (
        "flash_reads",
        "flash_random_reads",
        "flash_writes",
        "flash_random_page_writes",
        "flash_sequential_page_writes",
        "flash_write_batches",
        "flash_batch_read_pages",
        "metadata_random_page_writes",
        "metadata_page_writes",
        "disk_batch_reads",
        "disk_batch_writes",
        "hdd_reads",
        "hdd_writes",
    )
    return {"accesses": 1000, "page_bytes": 4096, **dict.fromkeys(named, 0), **more}


def test_only_random_writes_slow_the_reads_of_a_flash_cache() -> None:
    device, setting = stating(20_000), Setting(clients=1)
    common = {"flash_reads": 300, "flash_random_reads": 300, "flash_writes": 100}
    at_random = counters(
        **common, flash_random_page_writes=100, flash_write_batches=100
    )
    appended = counters(
        **common, flash_sequential_page_writes=100, flash_write_batches=2
    )

    def demand(row: dict[str, Any], flash: Device) -> float:
        found = replayed_throughput(row, flash=flash, disk=DISK, setting=setting)
        return found.demands_s["flash"]

    longer = demand(at_random, device) - demand(at_random, FLASH)
    assert longer == pytest.approx(
        300 * beside_writes_us(device, 4096) * 100 / 400 / 1000 * 1e-6
    )
    assert demand(appended, device) == demand(appended, FLASH)


def test_a_batch_write_waits_once_for_what_the_disk_takes_to_answer() -> None:
    volume = catalog.device("aws-ebs-io2-bx")
    single = counters(hdd_writes=320)
    batches = counters(hdd_writes=320, disk_batch_writes=10, disk_batch_write_pages=320)

    def delay(row: dict[str, Any]) -> float:
        found = replayed_throughput(
            row, flash=FLASH, disk=volume, setting=Setting(clients=1)
        )
        return found.delay_s

    assert delay(single) > 0
    assert delay(batches) == pytest.approx(delay(single) * 10 / 320)


def test_bottleneck_and_knee_of_a_replay() -> None:
    row = counters(hdd_reads=400, flash_reads=300, flash_random_reads=300)
    found = replayed_throughput(
        row, flash=FLASH, disk=DISK, setting=Setting(clients=4, disks=16)
    )
    assert found.bottleneck == "disk"
    assert found.knee_disks == pytest.approx((400 / 409) / (300 / 60311))
    many = Setting(clients=4, disks=1000)
    again = replayed_throughput(row, flash=FLASH, disk=DISK, setting=many)
    assert (again.bottleneck, again.knee_disks) == ("flash", found.knee_disks)
    alone = replayed_throughput(
        counters(hdd_reads=400), flash=FLASH, disk=DISK, setting=many
    )
    assert (alone.bottleneck, alone.knee_disks) == ("disk", None)


def test_the_knee_in_clients_of_a_replay() -> None:
    row = counters(hdd_reads=400, flash_reads=300, flash_random_reads=300)

    def knee(disks: int, **more: Any) -> float | None:
        return replayed_throughput(
            row,
            flash=FLASH,
            disk=DISK,
            setting=Setting(
                clients=4,
                disks=disks,
                think_s=0.02,
                cpu_s_per_transaction=0.001,
                cpus=2,
                **more,
            ),
        ).knee_clients

    # Neither device states a latency, so a transaction waits for nothing beyond its demands.
    disk_s, flash_s = 0.4 / 409, 0.3 / 60311
    total_s = 0.02 + 0.001 + disk_s + flash_s
    assert knee(1) == pytest.approx(total_s / disk_s)
    # A second disk halves the demand at each, and the processors (0.5 ms each) limit from then on.
    assert knee(2) == pytest.approx(total_s / 0.0005)
    assert knee(3) == knee(2)
    twice = knee(1, accesses_per_transaction=2)
    assert twice == pytest.approx((total_s + disk_s + flash_s) / (2 * disk_s))
    idle = replayed_throughput(
        counters(), flash=FLASH, disk=DISK, setting=Setting(clients=4)
    )
    assert idle.knee_clients is None


def test_the_waits_of_a_replay_move_its_knee_in_clients() -> None:
    # 1,000 pages read from a volume whose latency is beyond its busy time.
    volume = catalog.device("aws-ebs-io2-bx")
    found = replayed_throughput(
        counters(hdd_reads=1000), flash=FLASH, disk=volume, setting=Setting(clients=4)
    )
    assert found.delay_s > 0
    demand_s = found.demands_s["disk"]
    assert found.knee_clients == pytest.approx((demand_s + found.delay_s) / demand_s)


def test_the_demand_of_a_scheme_is_that_of_its_terms() -> None:
    curve = Curve.from_lists(
        [100, 200, 300, 400],
        [400, 300, 250, 200],
        [80, 30, 15, 0],
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=200,
    )

    def study(flash: Device) -> Any:
        return scheme_throughput(
            curve,
            ram_pages=100,
            flash_pages=200,
            flash=flash,
            disk=DISK,
            setting=Setting(clients=8, accesses_per_transaction=10),
        )

    mixed, plain = study(stating(15_000)), study(FLASH)
    assert mixed.inputs["mixed_load"] == MODEL
    for name in ("exclusive", "lazy"):
        found = mixed.schemes[name]
        formula, numbers = demand_terms(found, -1, 10)["flash"]
        assert formula == "A (h_f (F_R + c w_f / (h_f + w_f)) + w_f F_W)"
        a, h, read, w, write, c = (each.value for each in numbers)
        by_hand = a * (h * (read + c * w / (h + w)) + w * write) / 1e6
        assert found.demands_s[-1, 1] == pytest.approx(by_hand)
        assert found.demands_s[-1, 1] > plain.schemes[name].demands_s[-1, 1]
        assert found.throughput_per_s[-1] < plain.schemes[name].throughput_per_s[-1]
