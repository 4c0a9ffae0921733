"""Quotes ranked by the advisor: the same figures as an advice, whatever the order, the splitting and the currency."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice, quote_ranking, scale
from tierwright.advise.advice._words import named
from tierwright.advise.advice.found import RANGED, Advice
from tierwright.advise.advice.request import Candidates, Have
from tierwright.advise.quote_ranking import Comparison, QuotedAdvice, Ranking, _words
from tierwright.common.cautions import Weighed
from tierwright.common.currency import ExchangeRate, money
from tierwright.common.errors import BadInput
from tierwright.common.units import format_microseconds
from tierwright.evaluate.endurance.outlook import write_budget
from tierwright.hardware import catalog
from tierwright.hardware.imports.mapping import NO_MAPPING, mapping_of
from tierwright.hardware.imports.offers import offers_of, read_offers
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
DRIVE = "samsung-pm9a3-7.68tb-u2"
KEYS = {
    *("ranking_id", "ranked", "rejected", "unreadable", "option_zero"),
    *("advice_id", "versions"),
}
DAY = "2026-10-01"
FEW = settings(max_examples=12, derandomize=True, deadline=None, database=None)


@cache
def curve() -> Curve:
    recorded = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    return scale.answer(recorded, Production(2**40, 20_000.0)).profile.curve


def have(**given: Any) -> Have:
    return Have(
        **{
            "machines": 2,
            "ram_bytes": 2**37,
            "disk": catalog.device(DRIVE),
            "disks": 4,
            "usd_per_month": Decimal(700),
            **given,
        }
    )


def line(
    kind: str = "", item: str = "", quantity: Any = 1, price: Any = 1, **more: Any
) -> dict[str, Any]:
    return {
        "kind": kind,
        "item": item,
        "quantity": quantity,
        "unit": "EA",
        "price": price,
        **more,
    }


def quote(name: str, *lines: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "quote_id": name,
        "supplier": "ACME",
        "currency": "USD",
        "valid_until": "2026-12-31",
        "lines": list(lines),
        **more,
    }


def built(
    name: str,
    *,
    drives: int = 4,
    drive_usd: Any = 980,
    modules: int = 16,
    **more: Any,
) -> dict[str, Any]:
    return quote(
        name,
        line("server", "chassis-dell-r760", 2, 5000),
        *([line("part", "dimm-ddr5-rdimm-64gb", modules, 400)] if modules else []),
        line("device", DRIVE, drives, drive_usd),
        line("part", "rails", 2, 80),
        line("part", "power", 4, 250),
        **more,
    )


def rented(name: str, price: Any = "1.373", count: Any = 2) -> dict[str, Any]:
    return quote(name, line("instance", "aws-i4i.4xlarge", count, price, unit="HUR"))


def ranked(*quotes: Any, **given: Any) -> Ranking:
    return quote_ranking.answer(curve(), offers_of(quotes), **{"day": DAY, **given})


def by_id(found: Ranking) -> dict[str, Any]:
    return {each.quote_id: each for each in found.ranked}


def codes(found: Ranking, name: str) -> list[str]:
    return [each.code for each in by_id(found)[name].cautions]


def seen(found: Ranking) -> dict[str, Any]:
    """What the order of quotes and the splitting of lines must not change."""
    document = found.to_dict()
    return {
        name: document[name]
        for name in ("ranked", "rejected", "option_zero", "advice_id", "finding")
    }


def test_a_trace_without_operations_holds_life_by_what_may_be_written() -> None:
    known = curve()
    untold = replace(
        known,
        write_backs_at=known.misses_at * 0.0,
        write_accesses=0,
        notes=replace(known.notes, tells_writes=False),
    )
    few, many = built("few"), built("many", drives=20)
    [free] = quote_ranking.answer(untold, offers_of([few]), day=DAY).ranked
    assert free.option.flash_life_years is None
    pages = (free.option.ram_bytes - 2 * 4 * 2**30) / 2 / untold.page_bytes
    # One of two machines has all pages of the curve, and half of its load: each page that it misses writes one.
    missed = float(untold.misses(2 * pages)) / untold.accesses
    endured = write_budget(catalog.device(DRIVE)).in_place_tb
    assert endured is not None
    of_few = 4 * endured * 1e12 / (missed * 20_000 * untold.page_bytes * 365 * 86_400)
    found = quote_ranking.answer(
        untold,
        offers_of([few, many]),
        day=DAY,
        constraints={"flash_life_years": 3 * of_few},
    )
    assert [each.quote_id for each in found.ranked] == ["many"]
    assert found.ranked[0].option.flash_life_years is None
    [out] = found.rejected
    assert out.value == pytest.approx(of_few, rel=0.01)
    assert "if every page that leaves RAM is dirty, its flash lasts" in out.text
    assert "held as if every page that leaves RAM were dirty" in found.finding


class TestAsTheAdvisor:
    """A quote has the figures of an advice on the same configuration."""

    @pytest.mark.oracle("advise.quote_ranking.answer")
    @pytest.mark.parametrize("machines", [1, 2, 3])
    def test_instances_at_list_price(self, machines: int) -> None:
        server = "aws-i4i.4xlarge"
        usd = catalog_price(server)
        other = advice.answer(
            curve(),
            candidates=Candidates(
                kinds=("instances",), servers=(server,), max_machines=machines
            ),
            constraints={"machines": machines},
            objective="io_time",
            how_sure=False,
        ).recommendation
        assert other is not None
        assert other.machines == machines
        found = ranked(rented("A", str(usd), machines))
        [one] = found.ranked
        assert one.usd_per_month == other.usd_per_month
        assert one.purchase_usd == other.purchase_usd == 0
        [time] = [each for each in found.derivation() if each.name == "I/O time"]
        assert time.value == other.io_time_us_per_access

    def test_a_server_of_parts(self) -> None:
        other = advice.answer(
            curve(),
            candidates=Candidates(
                kinds=("chassis",),
                parts=(
                    "chassis-dell-r760",
                    "dimm-ddr5-rdimm-64gb",
                    "intel-d7-p5500-7.68tb",
                ),
                part_usd={
                    "chassis": Decimal("5000.10"),
                    "dimm-ddr5-rdimm-64gb": Decimal("400.07"),
                    "intel-d7-p5500-7.68tb": Decimal("980.11"),
                },
                max_machines=2,
            ),
            constraints={"machines": 2},
            objective="io_time",
            how_sure=False,
        ).recommendation
        assert other is not None
        parts = {each["id"]: each["quantity"] for each in other.config["part"]}
        count = other.machines
        prices = {
            "chassis-dell-r760": "5000.10",
            "dimm-ddr5-rdimm-64gb": "400.07",
            "intel-d7-p5500-7.68tb": "980.11",
        }
        found = ranked(
            quote(
                "B",
                *(
                    line("part", name, quantity * count, prices[name])
                    for name, quantity in parts.items()
                ),
            ),
            constraints={"flash_life_years": 0.0001},
        )
        [one] = found.ranked
        assert one.usd_per_month == other.usd_per_month
        assert one.purchase_usd == other.purchase_usd
        times = [each for each in found.derivation() if each.name == "I/O time"]
        assert times[0].value == other.io_time_us_per_access

    @pytest.mark.parametrize("server", ["aws-r7i.4xlarge", "aws-i4i.4xlarge"])
    def test_instances_with_volumes(self, server: str) -> None:
        other = advice.answer(
            curve(),
            candidates=Candidates(
                kinds=("volumes",),
                servers=(server,),
                volumes=("aws-ebs-gp3",),
                max_machines=2,
            ),
            constraints={"machines": 2},
            objective="io_time",
            how_sure=False,
        ).recommendation
        assert other is not None
        [sold] = other.volumes
        rent = sum(
            Decimal(row["usd_per_month"])
            for row in other.bill
            if row["kind"] != "server"
        )
        count = int(sold["quantity"])
        sizes = {
            key: str(sold[key])
            for key in ("size_gib", "iops", "mb_per_s")
            if key in sold
        }
        told = mapping_of(
            [
                {
                    "part_number": "V",
                    "is": [{"kind": "volume", "item": "aws-ebs-gp3", **sizes}],
                }
            ],
            "mapping",
        )
        found = ranked(
            quote(
                "V",
                line(
                    "instance",
                    server,
                    other.machines,
                    str(catalog_price(server)),
                    unit="HUR",
                ),
                line(
                    part_number="V", quantity=count, price=str(rent / count), unit="MON"
                ),
            ),
            mapping=told,
            objective="io_time",
        )
        [one] = found.ranked
        assert one.usd_per_month == other.usd_per_month
        [time] = [each for each in found.derivation() if each.name == "I/O time"]
        assert time.value == other.io_time_us_per_access
        said = any("flash cache" in text for text in one.reasons)
        assert said is (other.flash_device is not None)
        # Local disks that cache lose what was changed, and volumes behind none of them lose nothing.
        lost = [name for name in codes(found, "V") if "local" in name]
        assert lost == (["changed_pages_on_local_flash"] if said else [])

    def test_doing_nothing_is_the_option_zero_of_an_advice(self) -> None:
        other = advice.answer(
            curve(),
            candidates=Candidates(kinds=("instances",), servers=("aws-i4i.4xlarge",)),
            have=have(),
            how_sure=False,
        ).option_zero
        found = ranked(built("B"), have=have())
        assert found.option_zero == other
        zero = by_id(found)["do_nothing"]
        assert (zero.usd_per_month, zero.cautions) == (Decimal("700.00"), ())

    def test_a_limit_of_response_times_rejects_the_same(self) -> None:
        found = ranked(
            built("B"),
            rented("A"),
            have=have(),
            constraints={"response_p99_us": 0.001},
            objective="io_time",
        )
        assert found.ranked == ()
        assert {each.constraint for each in found.rejected} == {"response_p99_us"}
        assert len(found.rejected) == 3
        for each in found.rejected:
            assert each.limit == 0.001
            if each.value is not None:
                assert each.relaxation == pytest.approx(each.value - 0.001)

    @pytest.mark.parametrize("time", ["response_mean_us", "response_p99_us"])
    def test_a_limit_of_response_times_is_that_of_an_advice(self, time: str) -> None:
        drives = ("micron-9550-max-6.4tb", "kioxia-cd7-7.68tb")
        quotes = [
            quote(
                name,
                line("part", "dimm-ddr5-rdimm-16gb", 1, 100),
                line("device", name, 1, 980),
            )
            for name in drives
        ]
        times: dict[str, float] = {}
        for name in drives:
            stood = advice.answer(
                curve(),
                candidates=Candidates(
                    kinds=("instances",), servers=("aws-i4i.4xlarge",)
                ),
                have=Have(
                    machines=1,
                    ram_bytes=12 * 2**30,  # 16 GiB less what the system takes
                    disk=catalog.device(name),
                    disks=1,
                ),
                how_sure=False,
            ).option_zero
            assert stood is not None
            times[name] = getattr(stood, time)
        fast, slow = sorted(drives, key=lambda name: times[name])
        assert times[fast] < times[slow]
        limit = (times[fast] + times[slow]) / 2
        found = ranked(*quotes, constraints={time: limit})
        assert [each.quote_id for each in found.ranked] == [fast]
        [one] = found.rejected
        assert (one.quote_id, one.constraint) == (slow, time)
        assert one.value == times[slow]

    def test_a_cache_of_flash_before_disks_runs_the_best_scheme(self) -> None:
        disks = line("device", "seagate-exos-x24-24tb", 8, 400)
        flash = line("device", "solidigm-d7-p5810-800gb", 1, 980)
        memory = line("part", "dimm-ddr5-rdimm-64gb", 2, 400)
        slow, fast = (
            quote("slow", disks, memory),
            quote("fast", disks, memory, flash),
        )
        found = ranked(slow, fast, objective="io_time", accesses_per_s=50.0)
        assert [each.quote_id for each in found.ranked] == ["fast", "slow"]
        said = [
            any("flash cache" in text for text in one.reasons) for one in found.ranked
        ]
        assert said == [True, False]

    def test_drives_that_are_not_needed_are_named(self) -> None:
        both = quote(
            "X",
            line("part", "dimm-ddr5-rdimm-64gb", 2, 400),
            line("device", "seagate-exos-x24-24tb", 8, 400),
            line("device", DRIVE, 2, 980),
        )
        [one] = ranked(both).ranked
        assert any("`seagate-exos-x24-24tb`" in text for text in one.reasons)
        assert "8 x `seagate-exos-x24-24tb` are paid and hold nothing." in one.reasons


def after_a_failure(*quotes: Any) -> dict[str, tuple[str, ...]]:
    """Limits that each quote breaks in the scenario of a failure."""
    found = Comparison(curve(), offers_of(quotes), day=DAY).advice()
    assert found.scenarios is not None
    [loss] = [
        at for at, each in enumerate(found.scenarios.columns) if each.name == "loss"
    ]
    return {
        row.name.split()[1]: row.regret[loss].breaks for row in found.scenarios.rows
    }


def test_what_there_is_beside_quotes_has_the_months_of_the_question() -> None:
    bill = {"extra": [{"what": "box", "usd": "3600"}], "horizon_months": 12}
    mine = have(usd_per_month=None, bill=bill)
    found = ranked(built("two"), have=mine, horizon_months=12)
    assert found.option_zero is not None
    assert found.option_zero.usd_per_month == Decimal("300.00")
    with pytest.raises(BadInput, match="is not the horizon of the question, 36 months"):
        ranked(built("two"), have=mine)


def test_a_quote_of_fewer_machines_than_copies_lacks_one() -> None:
    recorded = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    copied = Production(2**40, 20_000.0, machines=3, replicas=3)
    found = quote_ranking.answer(
        scale.answer(recorded, copied).profile.curve,
        offers_of([built("two", drives=8)]),
        day=DAY,
        have=have(disks=40, machines=2),
    )
    assert not found.ranked
    by_name = {each.quote_id: each for each in found.rejected}
    two = by_name.pop("two")
    assert (two.constraint, two.value, two.limit) == ("replicas", 2.0, 3.0)
    assert two.text == "Quote two lacks a machine for each copy of the data."
    # Nor do the two machines that there are.
    [own] = by_name.values()
    assert own.constraint == "replicas"
    assert "lacks a machine for each copy of the data" in own.text


def test_a_failure_takes_a_quoted_instance_as_a_whole() -> None:
    name = "aws-i3en.6xlarge"
    quotes = [
        quote(each, line("instance", name, count, "2.712", unit="HUR"))
        for each, count in (("one", 1), ("two", 2))
    ]
    # Nothing is left of one, though it has two local disks.
    broken = after_a_failure(*quotes)
    assert broken["one"]
    assert broken["two"] == ()
    # The same instances as candidates break the same.
    alike = advice.answer(
        curve(), candidates=Candidates(kinds=("instances",), servers=(name,))
    ).scenarios
    assert alike is not None
    [loss] = [at for at, each in enumerate(alike.columns) if each.name == "loss"]
    [one] = [row for row in alike.rows if row.role == "recommended"]
    assert one.regret[loss].breaks == broken["one"]


def test_a_quoted_instance_is_rented_and_a_quoted_server_is_not() -> None:
    quotes = [rented("lease"), built("bought")]
    found = Comparison(curve(), offers_of(quotes), day=DAY).advice()
    assert found.scenarios is not None
    assert {row.name.split()[1]: row.is_rented for row in found.scenarios.rows} == {
        "lease": True,
        "bought": False,
    }


def test_a_quoted_instance_that_holds_the_only_copy_says_what_lasts_instead() -> None:
    def asked(*quotes: Any) -> tuple[Advice, list[Weighed]]:
        found = Comparison(curve(), offers_of(quotes), day=DAY).advice()
        return found, [
            each for each in found.cautions if each.code == "data_on_local_disks"
        ]

    first, _ = ranked(rented("lease", "0.01"), built("bought")).ranked
    assert "data_on_local_disks" in [each.code for each in first.cautions]
    found, [said] = asked(rented("lease", "0.01"), built("bought"))
    assert found.recommendation is not None
    assert "lease" in found.recommendation.name
    [other] = found.alternatives
    assert other.usd_per_month is not None
    assert found.recommendation.usd_per_month is not None
    more = money(other.usd_per_month - found.recommendation.usd_per_month)
    assert said.effect == (
        f"{named(other)}, the cheapest offered whose data outlive their machine, costs {more} per month more"
    )
    assert "The only copy of the data is on its local disks" in found.because
    # Disks of a server that is bought stay.
    found, none = asked(rented("lease", "90"), built("bought"))
    assert found.recommendation is not None
    assert "bought" in found.recommendation.name
    assert not none


def test_quoted_volumes_behind_local_flash_do_not_last_either() -> None:
    """They hold old versions of changed pages; without the cache, at the same price, they hold the newest."""
    told = mapping_of(
        [
            {
                "part_number": "V",
                "is": [{"kind": "volume", "item": "aws-ebs-gp3", "size_gib": "4000"}],
            }
        ],
        "mapping",
    )
    quotes = [
        rented("lease", "0.01"),
        quote(
            "cached",
            line("instance", "aws-i4i.4xlarge", 2, "0.02", unit="HUR"),
            line(part_number="V", quantity=2, price="1", unit="MON"),
        ),
        built("bought"),
    ]
    compared = Comparison(curve(), offers_of(quotes), mapping=told, day=DAY)
    found = compared.advice()
    best, cached = found.recommendation, found.alternatives[0]
    assert best is not None
    assert "lease" in best.name
    assert "cached" in cached.name
    assert cached.flash_device is not None
    assert cached.scheme != "none"
    assert cached.usd_per_month is not None
    assert best.usd_per_month is not None
    more = money(cached.usd_per_month - best.usd_per_month)
    [said] = [each for each in found.cautions if each.code == "data_on_local_disks"]
    assert "as flash cache" in cached.name
    assert said.effect == (
        "quote cached (256 GiB of RAM and 2 x aws-ebs-gp3 on 2 machines), the cheapest offered whose data outlive their machine, costs "
        f"{more} per month more"
    )


def test_a_failure_takes_a_drive_of_a_quoted_server() -> None:
    assert after_a_failure(
        quote(
            "box",
            line("server", "chassis-dell-r760", 1, 5000),
            line("part", "dimm-ddr5-rdimm-64gb", 8, 400),
            line("device", DRIVE, 2, 980),
        )
    ) == {"box": ()}


def catalog_price(name: str) -> Decimal:
    from tierwright.hardware.servers import server

    usd = server(name).usd_per_hour
    assert usd is not None
    return usd


class TestLaws:
    """What must not matter does not; what is cheaper is never lower."""

    QUOTES = (
        built("B"),
        built("B2", drive_usd=900),
        rented("A"),
        quote("C", line("device", DRIVE, 4, 900), valid_until="2026-01-01"),
        quote("D", line("device", DRIVE, 4, 900, unit="PK")),
    )

    @pytest.mark.formula("advise.quote_ranking.answer")
    @FEW
    @given(st.permutations(range(4)))
    def test_the_order_of_quotes(self, order: list[int]) -> None:
        first = ranked(*self.QUOTES[:4], have=have())
        other = ranked(*(self.QUOTES[at] for at in order), have=have())
        assert other.to_dict() == first.to_dict()

    @FEW
    @given(
        st.sampled_from([0, 1, 2]),
        st.integers(0, 4),
        st.decimals(1, 9999, places=3, allow_nan=False),
    )
    def test_a_line_in_two_equal_halves(self, at: int, of: int, usd: Decimal) -> None:
        whole = json.loads(json.dumps(self.QUOTES[at]))
        lines = whole["lines"]
        of %= len(lines)
        lines[of]["price"] = str(usd)
        halves = json.loads(json.dumps(whole))
        each = halves["lines"].pop(of)
        each["quantity"] = str(Decimal(each["quantity"]) / 2)
        halves["lines"] += [each, dict(each)]
        first, other = ranked(whole, have=have()), ranked(halves, have=have())
        assert seen(other) == seen(first)

    @FEW
    @given(
        st.sampled_from(["usd", "io_time", "pareto"]),
        st.decimals("0.001", 5000, places=3, allow_nan=False),
        st.decimals("0.001", 5000, places=3, allow_nan=False),
        st.booleans(),
    )
    def test_a_cheaper_equal_quote_is_never_lower(
        self, objective: Any, one: Decimal, other: Decimal, turned: bool
    ) -> None:
        names = ("z", "a") if turned else ("a", "z")
        pair = [
            built(name, drive_usd=str(usd))
            for name, usd in zip(names, (one, other), strict=True)
        ]
        found = by_id(ranked(*pair, rented("A"), objective=objective))
        if one < other:
            assert found[names[0]].rank < found[names[1]].rank
        if other < one:
            assert found[names[1]].rank < found[names[0]].rank

    @FEW
    @given(st.integers(2, 9), st.integers(1, 300))
    def test_scaled_money_scales_money(self, times: int, usd: int) -> None:
        # Prices that are whole multiples of the months: no rounding decides.
        def quotes(by: int) -> list[dict[str, Any]]:
            return [
                quote(
                    "B",
                    line("server", "chassis-dell-r760", 2, 3600 * by),
                    line("part", "dimm-ddr5-rdimm-64gb", 16, 36 * usd * by),
                    line("device", DRIVE, 4, 720 * by),
                ),
                quote(
                    "A",
                    line("instance", "aws-i4i.4xlarge", 2, 3 * by, unit="MON"),
                ),
            ]

        first, other = ranked(*quotes(1)), ranked(*quotes(times))
        for one, more in zip(first.ranked, other.ranked, strict=True):
            assert more.quote_id == one.quote_id
            assert more.usd_per_month == one.usd_per_month * times
            assert more.purchase_usd == one.purchase_usd * times

    def test_a_cent_that_is_lost_to_rounding_still_decides(self) -> None:
        pair = [built("a", drive_usd="980.0001"), built("z", drive_usd="980")]
        found = ranked(*pair)
        assert len({each.usd_per_month for each in found.ranked}) == 1
        assert [each.quote_id for each in found.ranked] == ["z", "a"]


def without_writes() -> Curve:
    """Return the curve without its write-backs: nobody said which evicted pages are dirty."""
    return replace(curve(), write_backs_at=None, write_accesses=0, cold=None)


def with_share(share: float) -> Curve:
    """Return the same curve with as many dirty pages at every size as this share of the misses."""
    unknown = without_writes()
    return replace(
        unknown,
        write_backs_at=share * unknown.misses_at,
        write_accesses=math.ceil(share * unknown.accesses),
    )


IO_TIME = "io_time_us_per_access"
DISKS = line("device", "seagate-exos-x24-24tb", 8, 400)
CACHE = line("device", "solidigm-d7-p5810-800gb", 1, 980)
MEMORY = line("part", "dimm-ddr5-rdimm-64gb", 2, 400)


class TestDirtyShareUnknown:
    """Of a curve that does not say which evicted pages are dirty, what holds for any share is said, and the rest as ranges."""

    QUOTES = (
        built("B"),
        built("B2", drives=2, modules=4, drive_usd=700),
        rented("A"),
        quote("C", line("device", DRIVE, 4, 900)),
        quote("disks", DISKS, MEMORY),
        quote("cached", DISKS, MEMORY, CACHE),
    )

    def of(self, curve: Curve, **given: Any) -> Ranking:
        return quote_ranking.answer(
            curve, offers_of(self.QUOTES), **{"day": DAY, **given}
        )

    @settings(max_examples=25, derandomize=True, deadline=None, database=None)
    @given(
        st.floats(0.0, 1.0),
        st.floats(100.0, 3e5),
        st.sampled_from(["usd", "io_time"]),
        st.fixed_dictionaries(
            {},
            optional={
                IO_TIME: st.floats(0.05, 50.0),
                "flash_life_years": st.floats(0.1, 10.0),
                "response_mean_us": st.floats(1.0, 500.0),
            },
        ),
    )
    def test_it_brackets_what_is_known_of_any_share(
        self, share: float, rate: float, objective: Any, limits: dict[str, Any]
    ) -> None:
        asked = {
            "accesses_per_s": rate,
            "objective": objective,
            "constraints": limits,
            "have": have(),
        }
        found = self.of(without_writes(), **asked)
        none, some, most = (
            self.of(with_share(at), **asked) for at in (0.0, share, 1.0)
        )
        # What is ranked is what is with as many dirty pages as possible.
        assert [(each.quote_id, each.usd_per_month) for each in found.ranked] == [
            (each.quote_id, each.usd_per_month) for each in most.ranked
        ]
        assert found.advice_id != most.advice_id
        zero, known = found.option_zero, some.option_zero
        assert zero is not None
        assert known is not None
        self.lies_within(zero, known)
        for each in found.ranked:
            # Whatever is dirty it keeps every limit, and costs as much.
            known = by_id(some)[each.quote_id].option
            assert known.usd_per_month == each.usd_per_month
            if (known.scheme, known.flash_device) == (
                each.option.scheme,
                each.option.flash_device,
            ):
                self.lies_within(each.option, known)
            high = each.option.ends(IO_TIME)[1]
            assert known.io_time_us_per_access <= high * (1 + 1e-9)
        for each in found.rejected:
            keeps = each.quote_id in by_id(none)
            assert each.text.endswith(_words.KEEPS_IF_CLEAN) == keeps
        self.says_what_no_dirty_page_does(found, none)

    def lies_within(self, unknown: Any, known: Any) -> None:
        for name in RANGED:
            value, (low, high) = getattr(known, name), unknown.ends(name)
            if name in unknown.ranges:
                assert getattr(unknown, name) is None
            if value is None:
                # Flash that nothing writes lasts without end, and what is too slow takes endless time.
                assert low is None or high is None
                continue
            assert low is None or low * (1 - 1e-9) <= value
            assert high is None or value <= high * (1 + 1e-9)

    def says_what_no_dirty_page_does(self, found: Ranking, none: Ranking) -> None:
        said = found.finding
        if not found.ranked:
            first = none.ranked[0].quote_id if none.ranked else None
            assert ("If none is, no option keeps every limit" in said) == (
                first is None
            )
            assert first is None or _words.called(first) in said
            return
        there = none.ranked[0]
        is_same = there.quote_id == found.ranked[0].quote_id
        assert (f"If none is, {_words.called(there.quote_id)} is" in said) != is_same
        same_order = [
            each.quote_id for each in none.ranked if each.quote_id in by_id(found)
        ] == [each.quote_id for each in found.ranked]
        assert (
            "If none is, the order is the same." in said
            or "If none is, the choice is the same." in said
        ) == same_order
        more = len(none.ranked) - len(found.ranked)
        assert (f"{more} option" in said and "by dirty pages alone" in said) == bool(
            more
        )

    def test_a_choice_that_dirty_pages_decide(self) -> None:
        """Cheaper without writes, too slow with them: the saving is stated, and both ends of where another wins."""
        pair = [built("big"), built("small", modules=2, drives=2)]
        asked: dict[str, Any] = {"constraints": {IO_TIME: 1}}
        batch = offers_of(pair)
        found = quote_ranking.answer(without_writes(), batch, day=DAY, **asked)
        clean = quote_ranking.answer(with_share(0.0), batch, day=DAY, **asked)
        [big] = found.ranked
        small = clean.ranked[0]
        assert (big.quote_id, small.quote_id) == ("big", "small")
        [out] = found.rejected
        assert out.text.endswith(f"is allowed. {_words.KEEPS_IF_CLEAN}")
        less = big.usd_per_month - small.usd_per_month
        assert (
            f"If none is, quote `small` is the first, for {less:,.2f} USD per month less"
            in found.finding
        )
        [caution] = [
            each for each in found.cautions if each.code == "dirty_share_unknown"
        ]
        assert caution.could_change_choice is True
        compared = Comparison(without_writes(), batch, day=DAY, **asked)
        answer = compared.advice()
        assert answer.quotes.recommended == "big"
        for each in answer.quotes.switching:
            assert (each.value, each.best) == (None, None)
            few, many = each.ends
            assert few.best == "small"
            assert "quote small wins" in few.text
            assert few.text[1:] in each.text
            assert many.text[1:] in each.text
        # Where all are fast enough, no end decides.
        asked = {"constraints": {IO_TIME: 1000}}
        same = quote_ranking.answer(without_writes(), batch, day=DAY, **asked)
        assert same.ranked[0].quote_id == "small"
        assert "If none is, the order is the same." in same.finding
        assert same.cautions[0].could_change_choice is False

    def test_where_another_wins_is_said_of_both_ends(self) -> None:
        """With dirty pages the small one is too busy at a lower rate than without."""
        batch = offers_of([built("big"), built("small", modules=2, drives=2)])
        few, many, both = (
            Comparison(curve, batch, day=DAY, accesses_per_s=5e5)
            .advice()
            .quotes.switching
            for curve in (with_share(0.0), with_share(1.0), without_writes())
        )
        differ = [
            (mine, one.value, other.value)
            for mine, one, other in zip(both, few, many, strict=True)
            if one.text != other.text
        ]
        assert differ
        for mine, *values in differ:
            assert (mine.input, mine.value, mine.best) == ("rate", None, None)
            assert [each.value for each in mine.ends] == values
        for mine, one in zip(both, few, strict=True):
            if not mine.ends:
                assert (mine.value, mine.best, mine.text) == (
                    one.value,
                    one.best,
                    one.text,
                )

    def test_the_difference_of_times_is_that_of_both_ends(self) -> None:
        found = self.of(without_writes())
        first, *others = found.ranked
        ends = [by_id(self.of(with_share(at))) for at in (0.0, 1.0)]
        for each in others:
            more = [
                at[each.quote_id].option.io_time_us_per_access
                - at[first.quote_id].option.io_time_us_per_access
                for at in ends
            ]
            for by in more:
                word = "more" if by > 0 else "less"
                assert (
                    f"{format_microseconds(abs(by))} {word} I/O time" in each.reasons[0]
                )
        # What runs on the same hardware takes as long whatever is dirty.
        pair = (built("one"), built("other", drive_usd=990))
        twins = quote_ranking.answer(without_writes(), offers_of(pair), day=DAY)
        for each in twins.ranked:
            assert "takes as much I/O time." in each.reasons[0]

    def test_a_price_without_its_machines_is_not_beside_one_with_them(self) -> None:
        pair = (built("B"), quote("C", line("device", DRIVE, 4, 900)))
        asked: dict[str, Any] = {"constraints": {IO_TIME: 1}, "have": have()}
        batch = offers_of(pair)
        found = quote_ranking.answer(without_writes(), batch, day=DAY, **asked)
        assert [each.quote_id for each in found.ranked] == ["B"]
        advice_ = Comparison(without_writes(), batch, day=DAY, **asked).advice()
        for said in (found.finding, advice_.finding):
            assert "worth that at most" not in said
            assert "existing machines, whose costs continue" in said

    def test_it_runs_otherwise_without_dirty_pages(self) -> None:
        """Each quote runs as is best with as many dirty pages as possible; another way is named where it is faster."""
        [found] = quote_ranking.answer(
            without_writes(), offers_of([self.QUOTES[-1]]), day=DAY, accesses_per_s=10
        ).ranked
        [clean] = quote_ranking.answer(
            with_share(0.0), offers_of([self.QUOTES[-1]]), day=DAY, accesses_per_s=10
        ).ranked
        low = found.option.ends(IO_TIME)[0]
        assert low is not None
        assert clean.option.io_time_us_per_access is not None
        said = any("If no evicted page is dirty" in each for each in found.reasons)
        assert said == (clean.option.io_time_us_per_access < low * (1 - 1e-9))


class TestCautions:
    """What a quote leaves out is said, and nothing is added to it."""

    def test_a_whole_quote_has_none(self) -> None:
        assert codes(ranked(built("B")), "B") == []

    def test_no_memory_modules(self) -> None:
        found = ranked(built("B", modules=0), constraints={"peak_busy": 1})
        assert codes(found, "B") == ["no_ram"]
        assert by_id(found)["B"].purchase_usd == 2 * 5000 + 4 * 980 + 160 + 1000

    def test_no_server_and_past_its_validity(self) -> None:
        found = ranked(
            quote("C", line("device", DRIVE, 4, 900), valid_until="2026-09-30")
        )
        assert codes(found, "C") == ["no_ram", "no_machine", "expired"]
        assert by_id(found)["C"].purchase_usd == 3600
        same_day = ranked(quote("C", line("device", DRIVE, 4, 900), valid_until=DAY))
        assert "expired" not in codes(same_day, "C")

    def test_rails_and_power_by_item_or_mapping_alone(self) -> None:
        parts = [
            line("server", "chassis-dell-r760", 2, 5000),
            line("part", "dimm-ddr5-rdimm-64gb", 16, 400),
            line("device", DRIVE, 4, 980),
            line(part_number="RAIL-4", description="Rails", quantity=2, price=80),
            line(part_number="PSU-1", quantity=4, price=250),
        ]
        found = ranked(quote("B", *parts))
        assert codes(found, "B") == ["no_rails", "no_power", "unresolved_lines"]
        told = mapping_of(
            [
                {"part_number": "RAIL-4", "is": [{"kind": "part", "item": "rails"}]},
                {"part_number": "PSU-1", "is": [{"kind": "part", "item": "power"}]},
            ],
            "mapping",
        )
        known = ranked(quote("B", *parts), mapping=told)
        assert codes(known, "B") == []
        assert by_id(known)["B"].usd_per_month == by_id(found)["B"].usd_per_month

    def test_drives_are_left_over(self) -> None:
        found = ranked(built("B", drives=5))
        assert codes(found, "B") == ["left_over"]
        [caution] = by_id(found)["B"].cautions
        assert f"1 of 5 `{DRIVE}`" in caution.message

    def test_tax_that_one_quote_states(self) -> None:
        taxed = built("T")
        taxed["lines"].append({"kind": "tax", "quantity": 1, "price": 100})
        found = ranked(taxed, built("B"))
        assert codes(found, "T") == ["tax_counted"]
        assert codes(found, "B") == ["no_tax"]
        assert codes(ranked(taxed), "T") == []

    def test_the_ram_of_what_there_is_counts_with_a_caution(self) -> None:
        drives = quote("C", line("device", DRIVE, 4, 900))
        without, with_it = ranked(drives), ranked(drives, have=have())
        assert "no RAM counts" in by_id(without)["C"].cautions[0].message
        assert "RAM of what there is" in by_id(with_it)["C"].cautions[0].message
        assert by_id(without)["C"].usd_per_month == by_id(with_it)["C"].usd_per_month
        modules = quote("M", line("part", "dimm-ddr5-rdimm-64gb", 2, 400))
        found = ranked(modules, have=have())
        assert codes(found, "M") == ["ram_not_added", "no_machine", "no_drives"]


class TestWhatIsNotThere:
    """Sums that are not whole, and machines that a quote does not hold."""

    def test_a_line_of_no_quote_puts_all_quotes_of_its_file_in_doubt(self) -> None:
        head = "quote_id,currency,quantity,unit,price,kind,item"
        rows = [
            "A,USD,2,HUR,1.373,instance,aws-i4i.4xlarge",
            "A,USD,1,EA,25,000.00,part,rails",
            "B,USD,2,HUR,1.40,instance,aws-i4i.4xlarge",
        ]

        def cautions(lines: list[str]) -> list[list[str]]:
            text = "\n".join([head, *lines]).encode()
            batch = read_offers(io.BytesIO(text), "given")
            found = quote_ranking.answer(curve(), batch, day=DAY)
            return [[one.code for one in each.cautions] for each in found.ranked]

        assert all("line_of_no_quote" in each for each in cautions(rows))
        whole = cautions([rows[0], rows[2]])
        assert len(whole) == 2
        assert not any("line_of_no_quote" in each for each in whole)

    def test_a_cart_with_a_line_of_no_quote_has_no_sum(self) -> None:
        both = (
            "NEW_ITEM-VENDORMAT[1]=P&NEW_ITEM-QUANTITY[1]=1&NEW_ITEM-UNIT[1]=EA&NEW_ITEM-PRICE[1]=1"
            "&NEW_ITEM-CURRENCY[1]=USD&NEW_ITEM-EXT_QUOTE_ID[1]=Q1"
            "&NEW_ITEM-VENDORMAT[2]=P&NEW_ITEM-QUANTITY[2]=1&NEW_ITEM-UNIT[2]=EA&NEW_ITEM-PRICE[2]=1"
            "&NEW_ITEM-CURRENCY[2]=USD"
        )
        found = read_offers(io.BytesIO(both.encode()), "given")
        assert found.offers == ()
        assert [each.code for each in found.unreadable] == ["line_left_out"]
        named = read_offers(
            io.BytesIO(f"{both}&NEW_ITEM-EXT_QUOTE_ID[2]=Q1".encode()), "given"
        )
        assert [len(each.lines) for each in named.offers] == [2]

    def test_no_saving_is_claimed_where_what_there_is_goes_on(self) -> None:
        drives = quote("C", line("device", DRIVE, 4, 900))
        found = by_id(ranked(drives, built("B"), have=have()))
        assert not any("doing nothing" in text for text in found["C"].reasons)
        assert any("whose costs continue" in text for text in found["C"].reasons)
        assert any("doing nothing" in text for text in found["B"].reasons)
        cable = ranked(quote("X", line(part_number="CABLE", price=9)), have=have())
        assert [each.code for each in cable.unreadable] == ["not_a_build"]

    @pytest.mark.parametrize("reserved", [0, 4])
    def test_the_ram_that_there_is_holds_as_many_pages_under_a_quote(
        self, reserved: int
    ) -> None:
        found = ranked(
            quote("C", line("device", DRIVE, 4, 900)),
            have=have(ram_bytes=2**34, reserved_gib=Decimal(reserved)),
        )
        both = by_id(found)
        quoted, today = (both[name].option for name in ("C", "do_nothing"))
        assert quoted.ram_hit_share == today.ram_hit_share
        assert quoted.io_time_us_per_access == today.io_time_us_per_access
        for_pages = "" if reserved else " for pages"
        assert f"16 GiB of RAM{for_pages} and 4 x {DRIVE}" in quoted.name
        assert quoted.name.startswith(f"quote C ({today.name}")
        for each in both.values():
            assert f"with 16 GiB of RAM{for_pages} and" in " ".join(each.reasons)

    def test_the_system_takes_as_much_of_a_quoted_server_as_of_a_candidate(
        self,
    ) -> None:
        # 2 x 1 x 16 GiB of which 2 x 4 GiB are the system's: 24 GiB for pages.
        small = quote(
            "B",
            line("server", "chassis-dell-r760", 2, 5000),
            line("part", "dimm-ddr5-rdimm-16gb", 2, 100),
            line("device", DRIVE, 4, 980),
        )
        found = ranked(small, have=have(ram_bytes=24 * 2**30))
        both = by_id(found)
        quoted, today = (both[name].option for name in ("B", "do_nothing"))
        assert "32 GiB of RAM and" in quoted.name
        assert "24 GiB of RAM for pages and" in today.name
        assert quoted.ram_hit_share == today.ram_hit_share

    def test_an_advice_claims_no_saving_where_what_there_is_goes_on(self) -> None:
        drives = quote("C", line("device", DRIVE, 4, 900))

        def advised(*quotes: Any) -> QuotedAdvice:
            return Comparison(
                curve(), offers_of(quotes), day=DAY, have=have(disks=8)
            ).advice(how_sure=False)

        found = advised(drives, built("B"))
        assert found.recommendation is not None
        assert found.recommendation.on_existing
        assert found.saving_usd_per_month is None
        assert "on the existing machines, whose costs continue" in found.finding
        assert "quote `B`, which brings its own machines, costs 596" in found.finding
        assert " less." not in found.finding.partition(" It is ")[0]
        own = advised(built("B"))
        assert own.recommendation is not None
        assert not own.recommendation.on_existing
        assert own.saving_usd_per_month is not None
        assert "today, 103 USD less" in own.finding

    def test_costs_that_continue_are_weighed_where_they_decide(self) -> None:
        drives = quote("C", line("device", DRIVE, 4, 900))

        def said(spend: int) -> str:
            today = have(usd_per_month=Decimal(spend))
            return ranked(drives, built("B"), have=today).finding

        [other] = [
            each.usd_per_month
            for each in ranked(drives, built("B"), have=have()).ranked
            if each.quote_id == "B"
        ]
        # 3,600 USD of drives are 100 a month.
        with_machines = said(int(other))
        assert f"it costs {int(other) + 100:,}.00 USD per month" in with_machines
        assert "doing nothing costs" in with_machines
        dear = said(int(other) + 50)
        assert "quote `B`, which brings its own machines, costs" in dear
        # With little to pay for them it stays the least, doing nothing may be the first, or nobody knows.
        # What there is cannot go on, and the other costs more than both.
        slow = have(disk=catalog.device("seagate-exos-x24-24tb"))
        found = ranked(drives, built("B", drive_usd=9000), have=slow)
        assert [each.quote_id for each in found.ranked] == ["C", "B"]
        assert found.ranked[1].usd_per_month > 700 + 100
        assert "costs continue" not in found.finding
        assert said(1).startswith("Doing nothing")
        unknown = ranked(drives, built("B"), have=have(usd_per_month=None))
        assert "costs continue" not in unknown.finding

    def test_a_server_without_bays_is_named(self) -> None:
        disks = quote(
            "S",
            line("server", "chassis-dell-r760", 2, 7000),
            line("part", "dimm-ddr5-rdimm-32gb", 8, 330),
            line("device", "seagate-exos-x24-24tb", 12, 480),
        )
        [found] = ranked(disks).rejected
        assert found.constraint == "no_drive_bays"
        assert found.text.startswith("Quote S: `chassis-dell-r760` states no bays for")

    @pytest.mark.parametrize(
        ("device", "fits"),
        [
            # U.2 by its name, and no part of the catalogue; a part; of no stated form; a card, which takes no bay.
            ("samsung-pm9a3-7.68tb-u2", (24, 25)),
            ("intel-d7-p5500-7.68tb", (24, 25)),
            ("micron-9550-max-12.8tb", (24, 25)),
            ("samsung-pm1725a-6.4tb-aic", (24, 200)),
        ],
    )
    def test_drives_need_bays_whether_they_are_parts_or_devices(
        self, device: str, fits: tuple[int, int]
    ) -> None:
        """The Dell R760 states 24 bays for NVMe drives."""

        def quoted(many: int) -> Ranking:
            return ranked(
                quote(
                    "Q",
                    line("server", "chassis-dell-r760", 1, 7000),
                    line("part", "dimm-ddr5-rdimm-64gb", 8, 400),
                    line("device", device, many, 900),
                )
            )

        is_card = device.endswith("-aic")
        codes = {each.code for each in quoted(fits[0]).ranked[0].cautions}
        known = device in ("samsung-pm9a3-7.68tb-u2", "intel-d7-p5500-7.68tb")
        assert ("form_factor_unknown" in codes) is not known
        if is_card:
            assert [each.quote_id for each in quoted(fits[1]).ranked] == ["Q"]
            return
        [broken] = quoted(fits[1]).rejected
        assert broken.constraint == "drive_bays"
        assert "25 NVMe drives do not fit 24 bays" in broken.text

    def test_drives_of_two_kinds_share_the_bays(self) -> None:
        def quoted(parts: int, devices: int) -> Ranking:
            return ranked(
                quote(
                    "Q",
                    line("server", "chassis-dell-r760", 2, 7000),
                    line("part", "dimm-ddr5-rdimm-64gb", 16, 400),
                    line("device", "solidigm-d7-p5810-800gb", parts, 500),
                    line("device", DRIVE, devices, 900),
                )
            )

        assert quoted(24, 24).ranked
        [broken] = quoted(24, 26).rejected
        assert broken.constraint == "drive_bays"

    def test_what_is_of_no_known_item_is_rent_where_its_unit_is_a_time(self) -> None:
        support = {**line(part_number="SUP", price=500), "unit": "MON"}
        servers = line("instance", "aws-i4i.4xlarge", 2, "1.373", unit="HUR")
        found = by_id(ranked(quote("S", servers, support), quote("N", servers)))
        assert found["S"].usd_per_month - found["N"].usd_per_month == 500
        assert found["S"].purchase_usd == 0

    def test_tax_beside_rent_states_its_time(self) -> None:
        servers = line("instance", "aws-i4i.4xlarge", 2, "1.373", unit="HUR")
        tax = {"kind": "tax", "price": 380, "quantity": 1}
        [left] = ranked(quote("T", servers, tax)).unreadable
        assert left.code == "no_period"
        [one] = ranked(quote("T", servers, {**tax, "unit": "MON"})).ranked
        [plain] = ranked(quote("T", servers)).ranked
        assert one.usd_per_month - plain.usd_per_month == 380

    def test_fewer_rails_than_servers_are_named(self) -> None:
        few = quote(
            "F",
            line("server", "chassis-dell-r760", 2, 5000),
            line("part", "dimm-ddr5-rdimm-64gb", 16, 400),
            line("device", DRIVE, 4, 980),
            line("part", "rails", 1, 80),
            line("part", "power", 4, 250),
        )
        [caution] = [
            each for each in by_id(ranked(few))["F"].cautions if each.code == "no_rails"
        ]
        assert "1 of rails for 2 servers" in caution.message
        assert "no_rails" not in codes(ranked(built("B")), "B")

    def test_an_unknown_item_is_shown_without_what_a_terminal_obeys(self) -> None:
        bad = quote("X", line("device", "a\x1b]0;owned\x07b", 1, 1))
        [left] = ranked(bad).unreadable
        assert left.code == "unknown_item"
        assert left.detail.isprintable()

    def test_the_source_of_a_rate_is_in_the_id(self) -> None:
        euro = built("E", currency="EUR")
        ids = {
            ranked(
                euro,
                rates=[ExchangeRate("EUR", Decimal("0.8"), "2026-09-30", source)],
            ).ranking_id
            for source in ("the bank", "a guess")
        }
        assert len(ids) == 2


class TestMoney:
    """Currencies, periods and prices per so many pieces."""

    RATE = ExchangeRate("EUR", Decimal("0.8"), "2026-09-30", "stated by the user")

    def test_another_currency_needs_a_rate(self) -> None:
        euro = built("E", drive_usd=784, currency="EUR")
        found = ranked(euro, built("B"))
        [left] = found.unreadable
        assert (left.index, left.code) == (0, "no_exchange_rate")
        assert "EUR" in left.detail
        both = ranked(euro, built("B"), rates=[self.RATE])
        assert both.unreadable == ()
        lines = {each.quote_id: each for each in both.ranked}
        assert lines["E"].purchase_usd > lines["B"].purchase_usd
        assert any("2026-09-30" in text for text in lines["E"].reasons)
        assert not any("2026-09-30" in text for text in lines["B"].reasons)
        assert both.ranking_id != found.ranking_id
        with pytest.raises(BadInput, match="two rates"):
            ranked(euro, rates=[self.RATE, self.RATE])

    def test_equal_lines_of_two_currencies_are_two_rows(self) -> None:
        rate = ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "stated by the user")

        def lines(currency: str) -> str:
            return f"Q,{currency},part,dimm-ddr5-rdimm-64gb,8,EA,400\n"

        head = "quote_id,currency,kind,item,quantity,unit,price\n"
        rest = f"Q,USD,device,{DRIVE},4,EA,980\n"
        found = [
            quote_ranking.answer(
                curve(),
                read_offers(io.BytesIO((head + rest + text).encode()), "q.csv", None),
                day=DAY,
                rates=[rate],
            )
            for text in (lines("USD") + lines("EUR"), lines("EUR") + lines("USD"))
        ]
        rows = [
            (row["unit_price"], row["purchase_usd"])
            for row in found[0].ranked[0].option.bill
            if "dimm" in row["what"]
        ]
        assert sorted(rows) == [("400", "3200.00"), ("800", "6400.00")]
        assert found[0].ranked[0].option.bill == found[1].ranked[0].option.bill
        assert found[0].advice_id == found[1].advice_id

    def test_hours_months_and_years(self) -> None:
        found = ranked(
            *(
                quote(
                    unit,
                    line("instance", "aws-i4i.4xlarge", 2, price, unit=unit),
                )
                for unit, price in (("HUR", 1), ("MON", 730), ("ANN", 8760))
            )
        )
        assert {each.usd_per_month for each in found.ranked} == {Decimal("1460.00")}

    def test_rent_without_a_period_and_pieces_by_the_month(self) -> None:
        found = ranked(
            quote("R", line("instance", "aws-i4i.4xlarge", 2, 1000)),
            quote("P", line("device", DRIVE, 2, 100, unit="MON")),
        )
        assert [each.code for each in found.unreadable] == ["no_period", "no_count"]

    def test_a_price_of_a_hundred_pieces(self) -> None:
        found = ranked(
            quote("H", line("device", DRIVE, 4, 98_000, price_per=100)),
            quote("C", line("device", DRIVE, 4, 980)),
        )
        assert len({each.usd_per_month for each in found.ranked}) == 1


class TestLeftOut:
    """An item fails alone, with its index and a stable code."""

    @pytest.mark.parametrize(
        ("bad", "code"),
        [
            (7, "not_a_quote"),
            ({"quote_id": "X"}, "not_a_quote"),
            (quote("X", line("device", DRIVE), colour="red"), "not_a_quote"),
            (quote("", line("device", DRIVE)), "no_quote_id"),
            (quote("X\x1b[31m", line("device", DRIVE)), "bad_quote_id"),
            (quote("X"), "no_lines"),
            (quote("X", line("device", DRIVE, price="1,116")), "line_left_out"),
            (quote("X", line("device", DRIVE, unit="BX")), "line_left_out"),
            (quote("X", line("device", "no-such-drive")), "unknown_item"),
            (quote("X", line("device", DRIVE, quantity="1.5")), "not_whole"),
            (quote("X", line("volume", "aws-ebs-gp3", unit="MON")), "no_volume_size"),
            (
                quote(
                    "X",
                    line("instance", "aws-i4i.4xlarge", unit="HUR"),
                    line("instance", "aws-i4i.xlarge", unit="HUR"),
                ),
                "several_servers",
            ),
            (
                quote(
                    "X",
                    line("instance", "aws-i4i.4xlarge", unit="HUR"),
                    line("device", DRIVE),
                ),
                "parts_of_an_instance",
            ),
            (
                quote(
                    "X",
                    line("server", "chassis-dell-r760", 3),
                    line("device", DRIVE, 2),
                ),
                "not_on_every_machine",
            ),
            (
                quote(
                    "X",
                    *(
                        line("device", name)
                        for name in (
                            DRIVE,
                            "solidigm-d7-p5810-800gb",
                            "seagate-exos-x24-24tb",
                        )
                    ),
                ),
                "several_drives",
            ),
            (quote("X", line("device", DRIVE, price=10**17)), "too_much_money"),
        ],
    )
    def test_each_alone(self, bad: Any, code: str) -> None:
        found = ranked(built("B"), bad)
        assert [each.quote_id for each in found.ranked] == ["B"]
        [left] = found.unreadable
        assert (left.index, left.code) == (1, code)
        assert left.detail

    @pytest.mark.parametrize("key", ["supplier", "description"])
    def test_half_of_a_character_leaves_out_its_quote_alone(self, key: str) -> None:
        half = json.loads('"x\\ud800"')
        bad = built("bad")
        if key == "supplier":
            bad[key] = half
        else:
            bad["lines"][0][key] = half
        text = json.dumps(
            {"format": "tierwright-quotes", "version": 1, "quotes": [built("B"), bad]}
        )
        batches = (
            offers_of([built("B"), bad]),
            read_offers(io.BytesIO(text.encode()), "q.json"),
        )
        for batch in batches:
            found = quote_ranking.answer(curve(), batch, day=DAY)
            assert [each.quote_id for each in found.ranked] == ["B"]
            [left] = found.unreadable
            assert (left.index, left.code) == (1, "line_left_out")
            assert key in left.detail
            json.dumps(found.to_dict(), ensure_ascii=False).encode()

    def test_two_of_the_same_id_are_both_left_out(self) -> None:
        found = ranked(built("B"), built("A"), built("B", drive_usd=1))
        assert [each.quote_id for each in found.ranked] == ["A"]
        assert [(each.index, each.code) for each in found.unreadable] == [
            (0, "quote_id_twice"),
            (2, "quote_id_twice"),
        ]
        assert ranked(built("do_nothing")).unreadable[0].code == "quote_id_twice"

    def test_too_small_a_quote_is_rejected_with_its_bytes(self) -> None:
        small = quote(
            "S",
            line("part", "dimm-ddr5-rdimm-64gb", 4, 400),
            line("device", "solidigm-d7-p5810-800gb", 1, 700),
        )
        [one] = ranked(small).rejected
        assert (one.quote_id, one.constraint) == ("S", "space")
        assert one.value == 800e9
        assert one.limit == 2**40
        assert one.relaxation == 2**40 - 800e9
        [none] = ranked(quote("M", line("part", "dimm-ddr5-rdimm-64gb", 4))).rejected
        assert (none.constraint, none.value) == ("space", 0.0)

    def test_more_modules_than_slots(self) -> None:
        [one] = ranked(built("B", modules=80)).rejected
        assert one.constraint == "dimm_slots"

    def test_a_budget_rejects_with_what_it_lacks(self) -> None:
        found = ranked(built("B"), have=have(), constraints={"usd_per_month": 600})
        assert [each.quote_id for each in found.rejected] == ["do_nothing"]
        [zero] = found.rejected
        assert (zero.constraint, zero.value, zero.limit, zero.relaxation) == (
            "usd_per_month",
            700.0,
            600.0,
            100.0,
        )


class TestMapping:
    """A line becomes something by its exact numbers or not at all."""

    BUNDLE = mapping_of(
        [
            {
                "supplier": "ACME",
                "part_number": "BOX-1",
                "is": [
                    {"kind": "server", "item": "chassis-dell-r760"},
                    {"kind": "part", "item": "dimm-ddr5-rdimm-64gb", "quantity": 8},
                    {"kind": "device", "item": DRIVE, "quantity": 2},
                    {"kind": "part", "item": "rails"},
                    {"kind": "part", "item": "power", "quantity": 2},
                ],
            }
        ],
        "mapping",
    )

    def test_a_bundle_is_its_parts(self) -> None:
        box = quote("X", line(part_number="BOX-1", quantity=2, price=9999))
        found = ranked(box, built("B"), mapping=self.BUNDLE)
        steps = {
            each.subject: each.value
            for each in found.derivation()
            if each.name == "I/O time"
        }
        assert steps["X"] == steps["B"]
        assert codes(found, "X") == []

    def test_another_supplier_or_case_is_not_it(self) -> None:
        for more in ({"supplier": "Other"}, {}):
            number = "BOX-1" if more else "box-1"
            box = quote("X", line(part_number=number, price=9999), **more)
            found = ranked(box, mapping=self.BUNDLE)
            assert [each.code for each in found.unreadable] == ["not_a_build"]
            assert found.finding.startswith("No quote could be ranked.")

    def test_a_volume_has_its_size_from_it(self) -> None:
        sized = mapping_of(
            [
                {
                    "part_number": "V",
                    "is": [
                        {
                            "kind": "volume",
                            "item": "aws-ebs-gp3",
                            "size_gib": 2048,
                            "iops": 16000,
                            "mb_per_s": 500,
                        }
                    ],
                }
            ],
            "mapping",
        )
        cloud = quote(
            "V",
            line("instance", "aws-r7i.4xlarge", 1, "1.0584", unit="HUR"),
            line(part_number="V", quantity=1, price=300, unit="MON"),
        )
        found = ranked(cloud, mapping=sized, constraints={"peak_busy": 1})
        assert found.unreadable == ()
        [one] = found.ranked
        assert one.usd_per_month == Decimal("1072.63")

    def test_what_tells_a_line_twice(self) -> None:
        both = mapping_of(
            [
                {"part_number": "P", "is": [{"kind": "part", "item": "rails"}]},
                {
                    "manufacturer_part_number": "M",
                    "is": [{"kind": "part", "item": "power"}],
                },
            ],
            "mapping",
        )
        one = line(part_number="P", manufacturer_part_number="M")
        [left] = ranked(quote("X", one), mapping=both).unreadable
        assert left.code == "mapped_twice"

    @pytest.mark.parametrize(
        "entry",
        [
            {"is": [{"kind": "part", "item": "rails"}]},
            {"part_number": "P"},
            {"part_number": "P", "is": []},
            {"part_number": "P", "is": [{"kind": "colour", "item": "red"}]},
            {"part_number": "P", "is": [{"kind": "part", "item": "x", "iops": 1}]},
            {"part_number": "P", "colour": "red", "is": []},
        ],
    )
    def test_refusals(self, entry: dict[str, Any]) -> None:
        with pytest.raises(BadInput, match="mapping"):
            mapping_of([entry], "mapping")

    def test_it_is_what_it_was(self) -> None:
        kept = json.loads(json.dumps(self.BUNDLE.to_dict()))
        assert mapping_of(kept, "mapping") == self.BUNDLE
        assert NO_MAPPING.to_dict() == []


class TestFiles:
    """Files of any format; a bad line leaves out its quote, and a line of no quote is said."""

    HEAD = "quote_id,currency,kind,item,quantity,unit,price"

    def batch(self, *rows: str) -> Any:
        text = "\n".join((self.HEAD, *rows)).encode()
        return read_offers(io.BytesIO(text), "given")

    def test_a_bad_row_leaves_out_its_quote_alone(self) -> None:
        found = self.batch(
            f"A,USD,device,{DRIVE},4,EA,1",
            f"B,USD,device,{DRIVE},4,EA,1",
            "A,USD,,,1,XX,1",
            "C,USD,,",
        )
        assert [each.quote_id for each in found.offers] == ["B"]
        assert [(each.index, each.code) for each in found.unreadable] == [
            (0, "line_left_out"),
            (2, "line_of_no_quote"),
        ]

    def test_a_cart_without_an_id_is_one_quote(self) -> None:
        cart = (
            b"NEW_ITEM-VENDORMAT[1]=P&NEW_ITEM-QUANTITY[1]=1&NEW_ITEM-UNIT[1]=EA"
            b"&NEW_ITEM-PRICE[1]=1&NEW_ITEM-CURRENCY[1]=USD"
        )
        found = read_offers(io.BytesIO(cart), "given")
        assert [each.quote_id for each in found.offers] == ["cart"]
        broken = read_offers(io.BytesIO(cart.replace(b"=EA", b"=ST")), "given")
        assert [each.code for each in broken.unreadable] == ["line_left_out"]

    @pytest.mark.parametrize(("quantity", "is_ranked"), [("1", True), ("730", False)])
    def test_a_time_in_a_cart_is_not_guessed(
        self, quantity: str, is_ranked: bool
    ) -> None:
        cart = (
            "NEW_ITEM-VENDORMAT[1]=P&NEW_ITEM-UNIT[1]=HUR&NEW_ITEM-PRICE[1]=1.373"
            f"&NEW_ITEM-CURRENCY[1]=USD&NEW_ITEM-QUANTITY[1]={quantity}"
        )
        told = mapping_of(
            [
                {
                    "part_number": "P",
                    "is": [{"kind": "instance", "item": "aws-i4i.4xlarge"}],
                }
            ],
            "mapping",
        )
        batch = read_offers(io.BytesIO(cart.encode()), "given")
        found = quote_ranking.answer(curve(), batch, day=DAY, mapping=told)
        placed = [each.quote_id for each in (*found.ranked, *found.rejected)]
        left = [each.code for each in found.unreadable]
        assert (placed, left) == (
            (["cart"], []) if is_ranked else ([], ["time_in_cart"])
        )

    def test_a_quote_of_a_document_fails_alone(self) -> None:
        document = {
            "format": "tierwright-quotes",
            "version": 1,
            "quotes": [built("B"), {"quote_id": "X"}],
        }
        raw = json.dumps(document).encode()
        found = read_offers(io.BytesIO(raw), "given")
        assert [each.quote_id for each in found.offers] == ["B"]
        assert [each.code for each in found.unreadable] == ["not_a_quote"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quotes")
    done = run(
        "profile",
        ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst",
        "-o",
        folder / "p.json",
    )
    assert done.returncode == 0
    document = {
        "format": "tierwright-quotes",
        "version": 1,
        "quotes": [built("B"), rented("A"), built("E", currency="EUR"), 7],
    }
    (folder / "q.json").write_text(json.dumps(document))
    (folder / "have.json").write_text(
        json.dumps(
            {
                "machines": 2,
                "ram": "128GiB",
                "disk_device": DRIVE,
                "disks": 4,
                "usd_per_month": 700,
            }
        )
    )
    return folder


class TestCommand:
    """`tierwright quotes rank`."""

    def rank(self, files: Path, *more: object) -> Any:
        return run(
            *("quotes", "rank", files / "q.json", "--workload", files / "p.json"),
            *("--data", "1TiB", "--accesses-per-second", "20000"),
            *("--day", DAY, *more),
        )

    def test_the_document(self, files: Path) -> None:
        done = self.rank(files, "--have", files / "have.json", "--json")
        assert (done.returncode, done.stderr) == (0, "")
        found = json.loads(done.stdout)
        assert set(found) >= KEYS
        for each in found["ranked"]:
            assert list(each) == [
                *("quote_id", "rank", "usd_per_month", "purchase_usd"),
                *("reasons", "cautions"),
                *("option", "supplier", "valid_until", "lead_time_days"),
            ]
        assert [each["quote_id"] for each in found["ranked"]] == [
            "B",
            "do_nothing",
            "A",
        ]
        assert [each["rank"] for each in found["ranked"]] == [1, 2, 3]
        assert [(each["index"], each["code"]) for each in found["unreadable"]] == [
            (2, "no_exchange_rate"),
            (3, "not_a_quote"),
        ]
        assert found["option_zero"]["usd_per_month"] == "700.00"
        assert found["versions"]["day"] == DAY
        again = self.rank(files, "--have", files / "have.json", "--json")
        assert again.stdout == done.stdout

    def test_exit_codes(self, files: Path) -> None:
        none = self.rank(files, "--constraint", "usd_per_month=1", "--json")
        assert none.returncode == 3
        rejected = json.loads(none.stdout)["rejected"]
        assert {each["constraint"] for each in rejected} == {"usd_per_month"}
        bad = self.rank(files, "--rate", "EUR=cheap")
        assert bad.returncode == 2
        assert "hint:" in bad.stderr
        only_bad = files / "bad.json"
        only_bad.write_text(
            json.dumps({"format": "tierwright-quotes", "version": 1, "quotes": [7]})
        )
        done = run("quotes", "rank", only_bad, "--workload", files / "p.json")
        assert done.returncode == 2
        assert "No quote could be ranked." in done.stdout

    def test_a_table_of_another_system(self, files: Path) -> None:
        table = files / "offers.csv"
        table.write_text("Angebot;Teil;Preis\nB-1;aws-i4i.4xlarge;1.25\n")
        named = ("quote_id=Angebot", "item=Teil", "price=Preis")
        stated = ("currency=USD", "quantity=2", "unit=HUR", "kind=instance")
        done = run(
            *("quotes", "rank", table, "--workload", files / "p.json", "--day", DAY),
            *("--data", "100GiB", "--accesses-per-second", "20000", "--json"),
            *(part for each in named for part in ("--quote-column", each)),
            *(part for each in stated for part in ("--quote-value", each)),
        )
        assert (done.returncode, done.stderr) == (0, "")
        [quote] = json.loads(done.stdout)["ranked"]
        assert (quote["quote_id"], quote["usd_per_month"]) == ("B-1", "1825.00")
        bad = run(
            *("quotes", "rank", table, "--workload", files / "p.json"),
            *("--quote-column", "colour=Preis"),
        )
        assert bad.returncode == 2
        assert "--quote-column: `colour` is not a field" in bad.stderr

    def test_for_people(self, files: Path) -> None:
        done = self.rank(files, "--rate", "EUR=0.8@2026-09-30")
        assert done.returncode == 0
        assert "the 3 options that keep every limit" in done.stdout
        assert "1 USD = 0.8 EUR (2026-09-30; stated by the user)" in done.stdout
        assert "3: not_a_quote" in done.stdout
        assert "doing nothing is not ranked" in done.stdout
