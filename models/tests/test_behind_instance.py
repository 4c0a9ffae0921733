"""Volumes behind an instance deliver the lower of their own rates and what it sustains, in every answer alike.

Worked cases are of what AWS states: `i4i.xlarge` sustains 5,000 IOPS and 156.25 MB/s, `i3en.xlarge` 6,000 and 144.2,
`c8g.4xlarge` 20,000; gp2 has 3 IOPS per GiB, up to 16,000, and gp3 includes 3,000 and 125 MiB/s.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import ask, curve
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import bill, quote_ranking
from tierwright.advise.advice import _words
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.evaluate.bill import block_storage, paid_for, violations
from tierwright.evaluate.configurations.columns import enumerate_configurations
from tierwright.evaluate.configurations.sold import behind_instance, volume_device
from tierwright.evaluate.configurations.times import store_times
from tierwright.evaluate.configurations.wanted import Wanted
from tierwright.hardware.build import Build, build_from_mapping
from tierwright.hardware.imports.mapping import mapping_of
from tierwright.hardware.imports.offers import offers_of
from tierwright.hardware.servers import server
from tierwright.hardware.service_time import (
    io_units,
    service_time,
    service_us,
    sustained_us,
)
from tierwright.profile.production import Production

TIB, MIB = 2**40, 2**20
GP2, GP3 = "aws-ebs-gp2", "aws-ebs-gp3"
DATA = 5 * TIB
GP2_IOPS = 3 * 5120
"""Of 5 TiB on one volume. [1/s]"""


def on(
    *servers: str,
    volumes: tuple[str, ...] = (GP2,),
    data: int = DATA,
    rate: float = 20_000.0,
) -> Advice:
    """Ask for one machine of some instances with volumes."""
    return ask(
        curve=curve(Production(data, rate, rate)),
        candidates=Candidates(
            kinds=("volumes",), servers=servers, volumes=volumes, max_machines=1
        ),
    )


def said(found: Any, code: str) -> list[Weighed]:
    return [each for each in found.cautions if each.code == code]


def test_gp2_is_as_busy_as_what_its_instance_sustains_makes_it() -> None:
    # Both have 32 GiB of RAM: without a cache they read and write the same pages.
    large = on("aws-c8g.4xlarge", rate=50_000.0).recommendation
    assert large is not None
    assert large.io_time_us_per_access is not None
    operations = large.io_time_us_per_access * GP2_IOPS / 1e6
    assert large.peak_busy == pytest.approx(operations * 50_000 / GP2_IOPS)
    assert operations * 50_000 == pytest.approx(8830, rel=0.01)
    found = on("aws-i4i.xlarge", rate=50_000.0)
    assert found.recommendation is None
    [small] = [each for each in found.rejected if each.option.scheme == "none"]
    assert small.constraint == "peak_busy"
    assert small.value == pytest.approx(operations * 50_000 / 5000)
    assert small.option.io_time_us_per_access == pytest.approx(operations * 1e6 / 5000)


def test_what_holds_the_data_is_recommended_at_the_rate_of_its_instance() -> None:
    """Three gp2 of 16,000 IOPS behind 20,000 do what one gp3 of 20,000 does."""
    asked: dict[str, Any] = {"data": 40 * TIB, "rate": 65_000.0}
    found = on("aws-r7i.4xlarge", **asked)
    best = found.recommendation
    other = on("aws-r7i.4xlarge", volumes=(GP3,), **asked).recommendation
    assert best is not None
    assert other is not None
    assert [each["quantity"] for each in best.volumes] == [3]
    assert [each["iops"] for each in other.volumes] == [20_000]
    assert best.peak_busy is not None
    assert best.peak_busy == pytest.approx(other.peak_busy)
    assert 0.5 < best.peak_busy < 1
    # The busy time of one of three is three times as long.
    assert best.io_time_us_per_access is not None
    assert other.io_time_us_per_access == pytest.approx(best.io_time_us_per_access / 3)
    assert best.response_p99_us is not None
    assert other.response_p99_us is not None
    [warned] = said(found, "volumes_exceed_instance")
    assert (
        "could do 48,000 IOPS and 786 MB/s, and `aws-r7i.4xlarge` sustains 20,000 "
        in (warned.message)
    )
    assert warned.could_change_choice is False
    # What they do on credits is let through no more than what their size gives.
    assert not said(found, "bursts_not_counted")
    of_large = on("aws-c8g.4xlarge")
    assert not said(of_large, "volumes_exceed_instance")
    assert said(of_large, "bursts_not_counted")


def test_other_answers_count_on_the_same() -> None:
    production = Production(DATA, 20_000.0, 20_000.0)
    best = on("aws-i4i.xlarge").recommendation
    assert best is not None
    # Configurations.
    wanted = Wanted(
        data_bytes=DATA, page_bytes=8192, kinds=("volumes",), max_machines=1
    )
    columns = enumerate_configurations(wanted)
    read, write = store_times(columns, 8192, None, None)
    servers = [each.id for each in columns.sold.servers]
    rows = columns.server == servers.index("aws-i4i.xlarge")
    rows &= [
        columns.options[at].item.volume.id == GP2 for at in columns.volume.tolist()
    ]
    [row] = np.flatnonzero(rows)
    assert read[row] == write[row] == pytest.approx(1e6 / 5000)
    # A quote of the same.
    [volume] = best.volumes
    told = mapping_of(
        [
            {
                "part_number": "V",
                "is": [{"kind": "volume", "item": GP2, "size_gib": volume["size_gib"]}],
            }
        ],
        "mapping",
    )
    offer = {
        "quote_id": "Q",
        "supplier": "ACME",
        "currency": "USD",
        "valid_until": "2026-12-31",
        "lines": [
            line("instance", "aws-i4i.xlarge", "0.343", "HUR"),
            {**line("", "", 512, "MON"), "part_number": "V"},
        ],
    }
    found = quote_ranking.answer(
        curve(production), offers_of([offer]), day="2026-11-20", mapping=told
    )
    [ranked] = found.ranked
    [time] = [each for each in found.derivation() if each.name == "I/O time"]
    assert time.value == best.io_time_us_per_access
    assert "volumes_exceed_instance" in [each.code for each in ranked.cautions]


def line(kind: str, item: str, price: Any, unit: str) -> dict[str, Any]:
    return {"kind": kind, "item": item, "quantity": 1, "unit": unit, "price": price}


def test_every_row_takes_the_time_of_its_volume_as_it_is_attached() -> None:
    for page in (4096, 65_536, MIB):
        columns = enumerate_configurations(
            Wanted(
                data_bytes=40 * TIB, page_bytes=page, kinds=("volumes",), max_machines=1
            )
        )
        times = store_times(columns, page, None, None)
        servers = [server(each.id) for each in columns.sold.servers]
        held = 0
        for row in range(0, len(columns), 7):
            option = columns.options[columns.volume[row]]
            if option.device is None:
                continue
            of = servers[columns.server[row]]
            attached = behind_instance(option.device, of, option.item)
            for operation, found in zip(("read", "write"), times, strict=True):
                own = service_us(option.device, operation, page)  # type: ignore[arg-type]
                time = service_us(attached, operation, page)  # type: ignore[arg-type]
                assert found[row] == time
                assert own is not None
                assert time is not None
                # Never less than all volumes need, nor than the instance lets through.
                count = option.item.quantity
                moved = of.block_storage_bandwidth_mb_per_s
                if moved is not None:
                    assert time >= page * count / float(moved) * (1 - 1e-12)
                most = of.block_storage_iops
                if most is not None:
                    assert time >= count * 1e6 / float(most) * (1 - 1e-12)
                assert time >= own
                held += time > own
        assert held


def made(**data: Any) -> Build:
    return build_from_mapping(data)


@pytest.mark.oracle("evaluate.bill.block_storage", "evaluate.bill.paid_for")
def test_a_bill_says_what_large_volumes_deliver() -> None:
    build = made(
        server="aws-i3en.xlarge",
        volume=[{"id": GP2, "size_gib": 6000, "quantity": 2}],
    )
    found = block_storage(build)
    assert found is not None
    assert (found.provisioned_iops, found.usable_iops) == (32_000, 6000)
    assert found.provisioned_mb_per_s == Decimal(500 * MIB) / 10**6
    assert found.exceeds
    # They may be needed for their space, and nothing is paid for the rest.
    assert violations(build) == ()
    assert paid_for(build.volumes) == (0, 0)
    [warned] = said(bill.answer(build), "volumes_exceed_instance")
    assert "32,000 IOPS and 524 MB/s" in warned.message
    assert "`aws-i3en.xlarge` sustains 6,000 IOPS" in warned.message
    assert "no more than 6,000 IOPS" in warned.effect
    # 4 x 500 of st1 are few; their 2,000 MiB/s are more than 1,250 MB/s.
    st1 = made(
        server="aws-r7i.4xlarge",
        volume=[{"id": "aws-ebs-st1", "size_gib": 16_384, "quantity": 4}],
    )
    [warned] = said(bill.answer(st1), "volumes_exceed_instance")
    assert "IOPS" not in warned.message
    assert "2,097 MB/s" in warned.message
    enough = made(server="aws-r7i.4xlarge", volume=[{"id": GP2, "size_gib": 6000}])
    assert not said(bill.answer(enough), "volumes_exceed_instance")


def test_what_is_included_is_not_refused_and_what_is_paid_for_is() -> None:
    def broken(**stated: Any) -> set[str]:
        entry = {"id": GP3, "size_gib": 1000, "quantity": 2, **stated}
        build = made(server="aws-i4i.xlarge", volume=[entry])
        return {each.name for each in violations(build)}

    # 2 x 3,000 IOPS and 2 x 131 MB/s are included; the instance sustains 5,000 and 156.25.
    assert broken() == broken(iops=3000, mb_per_s=125) == set()
    assert broken(iops=3001) == {"instance_iops"}
    assert broken(mb_per_s=126) == {"instance_throughput"}
    both = made(
        server="aws-i4i.xlarge", volume=[{"id": GP3, "size_gib": 1000, "quantity": 2}]
    )
    found = block_storage(both)
    assert found is not None
    assert (found.provisioned_iops, found.usable_iops) == (6000, 5000)
    # Large gp2 beside rented IOPS that the instance sustains wastes nothing that is paid for.
    beside = made(
        server="aws-i4i.xlarge",
        volume=[
            {"id": GP2, "size_gib": 6000},
            {"id": GP3, "size_gib": 100, "iops": 4000},
        ],
    )
    assert violations(beside) == ()
    assert paid_for(beside.volumes) == (4000, 0)


@pytest.mark.oracle(
    "evaluate.configurations.sold.behind_instance",
    "hardware.service_time.io_units",
    "hardware.service_time.sustained_us",
)
@pytest.mark.parametrize("page", [4096, 16_384, 65_536, MIB])
def test_iops_and_throughput_of_an_instance_hold_together(page: int) -> None:
    [item] = made(volume=[{"id": GP2, "size_gib": 6000, "quantity": 3}]).volumes
    own = volume_device(item)
    assert own is not None
    of = behind_instance(own, server("aws-i4i.xlarge"), item)
    # One I/O is of up to 256 KiB; each of three volumes has a third.
    units = -(-page // (256 * 1024))
    assert io_units(page, Decimal(256 * 1024)) == units
    assert io_units(page, None) == 1
    expected = 3 * max(units / 5000, page / 156.25e6) * 1e6
    found = service_time(of, "read", page)
    assert found.time_us == pytest.approx(expected)
    assert found.rule == "instance"
    assert "`aws-i4i.xlarge` sustains 5,000 IOPS and 156.25 MB/s" in found.basis
    # A request that nothing waits beside meets no rate.
    alone = service_time(of, "read", page, queue_depth=1)
    assert alone == service_time(own, "read", page, queue_depth=1)
    moved = service_time(of, "read", page, pattern="sequential").time_us
    assert moved == pytest.approx(max(page / 262.144, 3 * page / 156.25))
    # What no source states limits nothing.
    unknown = behind_instance(own, server("aws-m9gd.4xlarge"), item)
    assert unknown is own
    assert sustained_us(3, np.inf, np.inf, units=1, page_bytes=page) == 0


@pytest.mark.formula(
    "evaluate.bill.paid_for",
    "evaluate.configurations.sold.behind_instance",
    "hardware.service_time.io_units",
    "hardware.service_time.sustained_us",
)
@given(
    name=st.sampled_from(["aws-i3en.xlarge", "aws-i4i.xlarge", "aws-r7i.4xlarge"]),
    volume=st.sampled_from([GP2, GP3, "aws-ebs-st1"]),
    gib=st.integers(125, 16_384),
    count=st.integers(1, 24),
    kib=st.integers(1, 2048),
)
@settings(deadline=None)
def test_volumes_together_deliver_the_lower_of_their_rates_and_the_instance(
    name: str, volume: str, gib: int, count: int, kib: int
) -> None:
    build = made(
        server=name, volume=[{"id": volume, "size_gib": gib, "quantity": count}]
    )
    [item] = build.volumes
    own = volume_device(item)
    assert own is not None
    of = server(name)
    page = kib * 1024
    attached = service_us(behind_instance(own, of, item), "read", page)
    alone = service_us(own, "read", page)
    assert attached is not None
    assert alone is not None
    units = io_units(page, item.volume.io_unit_bytes)
    limits = (
        float(of.block_storage_iops or 0),
        float(of.block_storage_bandwidth_mb_per_s or 0),
    )
    least = float(sustained_us(count, *limits, units=units, page_bytes=page))
    assert attached == max(alone, least)
    # Accesses a second of all volumes, and what they are as operations and bytes.
    rate = count / attached * 1e6
    assert rate * units <= limits[0] * (1 + 1e-9)
    assert rate * page / 1e6 <= limits[1] * (1 + 1e-9)
    assert rate <= count / alone * 1e6 * (1 + 1e-9)
    # What is included, or comes with the size, is not paid for, so it is not refused.
    assert paid_for(build.volumes) == (0, 0)
    refused = {each.name for each in violations(build)}
    assert not refused & {"instance_iops", "instance_throughput"}


UNKNOWN, KNOWN = "aws-m9gd.4xlarge", ("aws-im4gn.4xlarge", "aws-i4i.4xlarge")


def test_an_instance_of_which_nobody_states_the_limits_is_weighed() -> None:
    def asked(*servers: str) -> Advice:
        return on(*servers, volumes=(GP3,), data=40 * TIB, rate=170_000.0)

    found, known = asked(UNKNOWN, *KNOWN), asked(*KNOWN)
    best, other = found.recommendation, known.recommendation
    assert best is not None
    assert other is not None
    assert best.server == UNKNOWN
    [warned] = said(found, "sustained_limit_unknown")
    assert warned.could_change_choice is True
    assert warned.about == (UNKNOWN,)
    bills = [bill.answer(build_from_mapping(each.config)) for each in (best, other)]
    more = bills[1].usd_per_month - bills[0].usd_per_month
    assert more > 0
    assert warned.effect == (
        f"{_words.named(other)}, the cheapest whose limits are known, costs {money(more)} per month more"
    )
    assert f"No source states what `{UNKNOWN}` sustains to its volumes" in found.because
    assert not said(known, "sustained_limit_unknown")
    alone = asked(UNKNOWN)
    [warned] = said(alone, "sustained_limit_unknown")
    assert warned.effect == "nothing whose limits are known keeps every limit"


def test_what_was_close_behind_an_unknown_limit_is_named() -> None:
    found = on("aws-c8g.4xlarge", "aws-c9g.4xlarge", rate=50_000.0, volumes=(GP3,))
    best = found.recommendation
    assert best is not None
    assert best.server == "aws-c8g.4xlarge"
    assert not said(found, "sustained_limit_unknown")
    [warned] = said(found, "alternative_limit_unknown")
    assert warned.about == ("aws-c9g.4xlarge",)
    assert warned.could_change_choice is False
