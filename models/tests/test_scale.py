"""From a recording to production: what scaling must not change, what its answers say, files and commands."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from command import answer as printed
from command import run
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import compare, scale
from tierwright.advise.dram_or_flash.paying_ram import PayingSize, ram_that_pays
from tierwright.advise.point import rate_of, scale_sentence
from tierwright.advise.response import rates_of
from tierwright.advise.scale import ScaledWorkload
from tierwright.advise.scale.request import rate_of_units
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.break_even.interval import TierInterval
from tierwright.evaluate.page_flow.cautions import about_given
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.hardware import catalog
from tierwright.profile import relations
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import (
    MAX_PROFILE_BYTES,
    Profile,
    profile_from_mapping,
)
from tierwright.profile.measure import profile
from tierwright.profile.production import Production, ScaledParts
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCC = Trace(recordings.TPCC)
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-x24-24tb")
TIB = 2**40
LAWS = ("relations", "stretch", "tenants", "cold_growth")


@cache
def recording() -> Profile:
    return profile(TPCC).with_relations(relations.measured(TPCC, names=True))


def touched() -> int:
    return recording().curve.distinct_pages * recording().curve.page_bytes


def scaled(
    factor: float, rate: float = 1000.0, *, law: str = "stretch", **more: Any
) -> ScaledWorkload:
    stated = {
        key: more.pop(key)
        for key in ("machines", "replicas", "write_share", "peak_accesses_per_s")
        if key in more
    }
    data = round(touched() * factor)
    return scale.answer(recording(), Production(data, rate, **stated), law=law, **more)


def counts(curve: Curve, sizes: Any) -> tuple[Any, Any]:
    return curve.misses(sizes) / curve.accesses, curve.write_backs(
        sizes
    ) / curve.accesses


# --- what scaling must not change --------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
def test_scaling_by_one_changes_nothing(law: str) -> None:
    before, after = recording().curve, scaled(1.0, law=law).profile.curve
    sizes = np.arange(0, before.distinct_pages * 2, 7)
    for start in ("cold", "steady"):
        one, other = before.from_start(start), after.from_start(start)
        # Production states how much data there is: what holds all of it misses nothing.
        whole = (sizes >= before.distinct_pages) & (start == "steady")
        for counts in ("misses", "write_backs"):
            found, known = (getattr(each, counts)(sizes) for each in (other, one))
            assert found[~whole] == pytest.approx(known[~whole], abs=1e-6)
            assert not found[whole].any()
        kept = (other.accesses, other.distinct_pages, other.write_accesses)
        assert kept == (one.accesses, one.distinct_pages, one.write_accesses)
        costs = [
            {
                name: scheme.io_time_us_per_access
                for name, scheme in evaluate(
                    each, ram_pages=1000, flash_pages=4000, flash=FLASH, disk=DISK
                ).schemes.items()
            }
            for each in (one, other)
        ]
        assert costs[0] == pytest.approx(costs[1])
    assert after.data_pages == before.distinct_pages


@pytest.mark.oracle("advise.scale.answer")
@pytest.mark.parametrize("start", ["cold", "steady"])
def test_stretch_is_the_recorded_curve_at_a_kth_of_the_size(start: str) -> None:
    whole = scaled(16.0).profile.curve.from_start(start)
    base = recording().curve.from_start(start)
    for size in base.pages[base.pages <= base.distinct_pages].tolist()[::17]:
        # A page less than all of the data, which are stated, has the trend of the recording.
        at = 16 * size - (size == base.distinct_pages and start == "steady")
        small = at / 16
        assert float(whole.misses(at)) == pytest.approx(16 * float(base.misses(small)))
        assert float(whole.write_backs(at)) == pytest.approx(
            16 * float(base.write_backs(small))
        )
    assert whole.accesses == 16 * base.accesses
    assert whole.distinct_pages == 16 * base.distinct_pages


def test_tenants_are_the_sizes_of_stretch() -> None:
    stretch, tenants = scaled(9.5), scaled(9.5, law="tenants")
    assert tenants.profile.curve.to_lists() == stretch.profile.curve.to_lists()
    assert tenants.scaled.known_error == stretch.scaled.known_error
    assert tenants.scaled.law == "tenants"


@pytest.mark.costly(15)
@pytest.mark.formula("advise.scale.answer")
@given(
    st.sampled_from(LAWS),
    st.floats(1, 1e6),
    st.integers(1, 40),
    st.integers(1, 40),
    st.one_of(st.none(), st.floats(0, 1)),
    st.one_of(st.none(), st.floats(0, 1e5)),
)
def test_more_ram_never_misses_more_after_any_law(
    law: str,
    factor: float,
    machines: int,
    replicas: int,
    write_share: float | None,
    tau: float | None,
) -> None:
    found = scaled(
        factor,
        law=law,
        machines=machines,
        replicas=min(replicas, machines),
        write_share=write_share,
        tau_accesses=tau,
    )
    for start in ("cold", "steady"):
        curve = found.profile.curve.from_start(start)
        sizes = np.unique(np.geomspace(1, 2 * curve.data_pages, 300).astype(np.int64))
        misses, backs = curve.misses(sizes), curve.write_backs(sizes)
        assert np.all(np.diff(misses) <= 1e-6 * misses[:-1])
        assert np.all(np.diff(backs) <= 1e-6 * backs[:-1] + 1e-9)
        assert np.all((backs >= 0) & (backs <= misses + 1e-6))
        assert np.all(misses <= curve.accesses)
        assert np.all(backs <= curve.write_accesses + 1e-6)
        low, high = curve.misses_band(sizes)
        assert np.all((low <= misses + 1e-6) & (misses <= high + 1e-6))
    copies = min(replicas, machines)
    writes = recording().curve.write_accesses / recording().curve.accesses
    if write_share is not None:
        writes = write_share
    assert found.profile.duration_s == pytest.approx(
        found.profile.curve.accesses / (1000 * (1 + writes * (copies - 1)) / machines)
    )
    assert len(found.profile.to_text()) <= MAX_PROFILE_BYTES


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("tau", [None, 500.0])
def test_machines_have_the_curve_of_the_whole_at_their_part_of_its_size(
    law: str, tau: float | None
) -> None:
    whole = scaled(40.0, 8000.0, law=law, tau_accesses=tau)
    parts = scaled(40.0, 8000.0, law=law, tau_accesses=tau, machines=8, replicas=2)
    one, other = whole.profile.curve.steady(), parts.profile.curve.steady()
    sizes = np.geomspace(50, one.distinct_pages / 4, 30)
    [mine, backs], [theirs, their_backs] = counts(other, sizes), counts(one, sizes * 4)
    assert mine == pytest.approx(theirs, rel=2e-3)
    # Of the accesses of one machine 2 w / (1 + w) write: each write is on two of them.
    share = one.write_accesses / one.accesses
    more = 2 / (1 + share)
    assert other.write_accesses / other.accesses == pytest.approx(
        share * more, rel=1e-6
    )
    assert backs == pytest.approx(np.minimum(their_backs * more, mine), rel=2e-3)
    # The error is that of the whole: dividing pages makes no law better.
    assert parts.scaled.known_error == whole.scaled.known_error
    assert parts.factors == whole.factors
    assert parts.sizes[0].misses_per_s == pytest.approx(
        whole.sizes[0].misses_per_s * (1 + share) / 8, rel=1e-3
    )


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("write_share", [0.0, 0.25, 1.0])
def test_a_copy_of_all_on_each_machine_serves_all_writes_and_its_part_of_the_reads(
    law: str, write_share: float
) -> None:
    whole = scaled(6.0, 9000.0, law=law, write_share=write_share)
    copies = scaled(
        6.0, 9000.0, law=law, machines=3, replicas=3, write_share=write_share
    )
    one, other = whole.profile.curve, copies.profile.curve
    sizes = np.geomspace(50, one.distinct_pages, 30)
    assert other.misses(sizes) == pytest.approx(one.misses(sizes))
    reads, writes = 9000 * (1 - write_share), 9000 * write_share
    assert copies.scaled.machine_accesses_per_s == pytest.approx(reads / 3 + writes)
    assert copies.profile.duration_s == pytest.approx(
        one.accesses / (reads / 3 + writes)
    )
    # Each machine is written what the whole is written.
    per_s = [
        each.write_accesses / made.profile.duration_s
        for each, made in ((one, whole), (other, copies))
    ]
    assert per_s[1] == pytest.approx(per_s[0], rel=1e-6)
    assert per_s[0] == pytest.approx(writes, rel=1e-6)
    assert (
        copies.scaled.production.machine_data_bytes
        == whole.scaled.production.data_bytes
    )


def test_copies_serve_more_than_the_workload_asks_for_in_every_answer() -> None:
    stated: dict[str, Any] = {
        "machines": 4,
        "replicas": 2,
        "write_share": 0.5,
        "peak_accesses_per_s": 2000.0,
    }
    found = scaled(50.0, law="stretch", **stated)
    curve = found.profile.curve.steady()
    assert rate_of(curve, 1.0).accesses_per_s == pytest.approx(1000 * 1.5 / 4)
    assert rate_of(curve, 1.0).basis == (
        "one of 4 machines of production as stated, with the writes to all 2 copies of a page"
    )
    mean, peak = rates_of(curve)
    assert (mean.accesses_per_s, peak.accesses_per_s) == pytest.approx((375, 750))
    busy = compare.answer(
        curve, ram_pages=10**5, flash_pages=10**5, flash=FLASH, disk=DISK
    ).at_load
    assert busy is not None
    assert busy.accesses_per_s == pytest.approx(750)
    steps = {step.name: step.value for step in found.derivation()}
    assert steps["accesses served for each of the workload"] == pytest.approx(1.5)
    assert steps["rate of one machine"] == pytest.approx(375)
    # Nothing is copied, nothing is added.
    alone = scaled(50.0, law="stretch", machines=4, write_share=0.5)
    assert alone.scaled.machine_accesses_per_s == 250
    assert rate_of(alone.profile.curve, 1.0).basis == (
        "one of 4 machines of production as stated"
    )
    names = {step.name for step in alone.derivation()}
    assert "accesses served for each of the workload" not in names


def test_copies_need_a_share_of_writes() -> None:
    bare = Curve.from_hit_ratios(
        [(1000, 0.5), (20_000, 0.9)], accesses=10**6, page_bytes=8192
    )
    known = Profile(replace(bare, given=Given("hit ratios", data_known=True)), 100.0)
    production = Production(TIB, 1000.0, machines=3, replicas=2)
    with pytest.raises(BadInput, match="a write goes to each of the 2 copies") as no:
        scale.answer(known, production)
    assert "state the write share" in str(no.value.hint)
    assert scale.answer(known, Production(TIB, 1000.0, machines=3)) is not None
    made = scale.answer(known, replace(production, write_share=0.25))
    assert made.scaled.machine_accesses_per_s == pytest.approx(1250 / 3)
    # What one machine may have dirty is bounded by what it is written.
    given = made.profile.curve.given
    assert given is not None
    assert given.write_share == pytest.approx(0.5 / 1.25)
    reads = scale.answer(known, replace(production, write_share=0.0))
    assert reads.scaled.served_per_access == 1


def test_copies_of_a_profile_are_read_as_they_were_written() -> None:
    made = scaled(6.0, machines=3, replicas=2, write_share=0.4)
    document = made.profile.to_dict()
    again = profile_from_mapping(document).curve
    assert again.scaled == made.scaled
    # One that an earlier version wrote spread its writes as reads, and so do its counts.
    earlier = copy.deepcopy(document)
    del earlier["recorded"]["served_per_access"]
    read = profile_from_mapping(earlier).curve.scaled
    assert read is not None
    assert read.machine_accesses_per_s == pytest.approx(1000 / 3)
    earlier["recorded"]["served_per_access"] = 0.5
    with pytest.raises(BadInput, match="served_per_access"):
        profile_from_mapping(earlier)


def test_a_write_share_of_production_scales_write_backs_alone() -> None:
    as_recorded, half = scaled(3.0), scaled(3.0, write_share=0.15)
    curve, other = as_recorded.profile.curve.steady(), half.profile.curve.steady()
    share = curve.write_accesses / curve.accesses
    sizes = np.asarray([100, 1000, 8000])
    assert other.misses(sizes) == pytest.approx(curve.misses(sizes))
    assert other.write_backs(sizes) == pytest.approx(
        curve.write_backs(sizes) * 0.15 / share, rel=1e-4
    )
    assert other.write_accesses == pytest.approx(0.15 * curve.accesses, abs=1)


# --- relations ----------------------------------------------------------------------------------


def test_catalogs_and_named_relations_stay_and_the_rest_fits_the_data() -> None:
    found = scaled(
        10.0, law="relations", fixed=["16411/16422"], relation_factors={"1": 4.0}
    )
    known = recording().relations
    by_name = dict(zip([one.name for one in known], found.factors, strict=True))
    assert by_name["catalogs"] == 1
    assert by_name["16411/16422"] == 1
    assert found.factors[0] == 4
    pages = [one.distinct_pages for one in known]
    assert sum(
        k * p for k, p in zip(found.factors, pages, strict=True)
    ) == pytest.approx(10 * sum(pages), rel=1e-6)
    steps = {step.name: step.value for step in found.derivation()}
    assert steps["k of relation 1"] == 4


def test_data_that_were_not_touched_grow_with_the_relations() -> None:
    known = recording().relations
    stated = scale.answer(
        recording(),
        Production(touched() * 20, 100.0),
        law="relations",
        recorded_data_bytes=touched() * 2,
    )
    fixed = sum(one.distinct_pages for one in known if not one.grows)
    pages = sum(one.distinct_pages for one in known)
    assert stated.factors[0] == pytest.approx(
        (20 * pages - fixed) / (2 * pages - fixed)
    )
    assert stated.scaled.factor == 10


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"law": "stretch", "fixed": ["1"]}, "not relation by relation"),
        ({"law": "wider"}, "law: `wider` is unknown"),
        ({"fixed": ["orders"]}, "relation `orders` is unknown"),
        ({"fixed": ["0"]}, "relation `0` is unknown"),
        ({"relation_factors": {"36": 2.0}}, "relation `36` is unknown"),
        ({"relation_factors": {"1": -2.0}}, "must be positive"),
        ({"relation_factors": {"1": float("nan")}}, "must be positive"),
        ({"relation_factors": {"1": 1e6}}, "leave nothing for the relations that grow"),
        (
            {"fixed": ["1"], "relation_factors": {"1": 2.0}},
            "is fixed and has the factor",
        ),
        (
            {"fixed": ["16411/16451"], "relation_factors": {"1": 2.0}},
            "is fixed and has the factor",
        ),
        ({"clients": 0}, "clients"),
        ({"tau_accesses": -1.0}, "tau_accesses"),
        ({"accesses_per_unit": float("inf")}, "accesses_per_unit"),
        ({"law": "cold_growth", "exponent": -1.0}, "must not be negative"),
        ({"exponent": 0.9}, "the law `relations` has none"),
        ({"law": "stretch", "exponent": -3.0}, "exponent: `-3` is stated"),
        ({"law": "tenants", "exponent": 0.9}, "the law `tenants` has none"),
        ({"recorded_data_bytes": 4096}, "are less than the"),
        ({"machines": 90_000, "law": "stretch"}, "less than one page each"),
    ],
)
def test_what_does_not_fit_is_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as refused:
        scaled(3.0, **{"law": "relations", **more})
    assert words in refused.value.message
    assert refused.value.hint or refused.value.problems


def test_a_busiest_hour_below_the_mean_names_both_and_what_to_state() -> None:
    with pytest.raises(BadInput) as refused:
        Production(2**40, 50_000.0, 40_000.0)
    assert (
        "`40,000` must be a number, not below the mean rate of `50,000` per second"
        in refused.value.message
    )
    assert "busiest hour" in refused.value.hint


@pytest.mark.parametrize(
    ("production", "more", "where"),
    [
        (Production(2**20, 80_000.0), {}, "data_bytes"),
        (
            Production(2**42, 80_000.0),
            {"recorded_data_bytes": 1000},
            "recorded_data_bytes",
        ),
        (Production(2**42, 80_000.0, page_bytes=16), {}, "page_bytes"),
        (Production(2**42, 80_000.0, page_bytes=12_000), {}, "page_bytes"),
        (Production(2**42, 80_000.0), {"law": "stretch", "exponent": 2.0}, "exponent"),
    ],
)
def test_what_is_refused_names_the_value_that_is_meant(
    production: Production, more: dict[str, Any], where: str
) -> None:
    with pytest.raises(BadInput) as refused:
        scale.answer(recording(), production, **more)
    assert [each.where for each in refused.value.problems] == [where]
    assert refused.value.hint


def test_production_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadInput, match="less than the"):
        scaled(0.5)
    with pytest.raises(BadInput, match="more accesses than can be counted"):
        scale.answer(recording(), Production(2**62, 1.0), law="stretch")
    with pytest.raises(BadInput, match="was scaled already"):
        scale.answer(scaled(2.0).profile, Production(TIB, 1.0))
    bare = replace(recording(), relations=())
    with pytest.raises(BadInput, match="needs the reuse of each relation"):
        scale.answer(bare, Production(TIB, 1.0), law="relations")
    assert scale.answer(bare, Production(TIB, 1.0)).scaled.law == "stretch"
    assert scale.answer(recording(), Production(TIB, 1.0)).scaled.law == "relations"
    read_only = profile_from_mapping(
        {
            **bare.to_dict(),
            "write_accesses": 0,
            "curve": {
                **bare.to_dict()["curve"],
                "write_backs": [0] * len(bare.curve.pages),
            },
            "summaries": None,
        }
    )
    with pytest.raises(BadInput, match="no writes that"):
        scale.answer(read_only, Production(TIB, 1.0, write_share=0.2))


@pytest.mark.parametrize(
    ("stated", "where"),
    [
        ({"data_bytes": 0}, "data_bytes"),
        ({"data_bytes": 1.5}, "data_bytes"),
        ({"accesses_per_s": 0.0}, "accesses_per_s"),
        ({"accesses_per_s": float("nan")}, "accesses_per_s"),
        ({"peak_accesses_per_s": 5.0}, "peak_accesses_per_s"),
        ({"write_share": 1.1}, "write_share"),
        ({"growth_per_year": -1.0}, "growth_per_year"),
        ({"machines": 0}, "machines"),
        ({"machines": 2, "replicas": 3}, "replicas"),
    ],
)
def test_a_value_of_production_is_named(stated: dict[str, Any], where: str) -> None:
    with pytest.raises(BadInput) as refused:
        Production(**{"data_bytes": TIB, "accesses_per_s": 10.0, **stated})
    assert where in refused.value.message


# --- what the answer says ------------------------------------------------------------------------


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No recording has shown how far `cold_growth` is off."""
    rows = tuple(row for row in scale.measured_errors() if row.law != "cold_growth")
    monkeypatch.setattr(scale, "measured_errors", lambda: rows)


def said(found: ScaledWorkload) -> dict[str, str]:
    made = {one.name: one.message for one in found.warnings}
    assert len(made) == len(found.warnings)
    return made


@pytest.mark.usefixtures("unmeasured")
def test_each_caution_is_there_where_it_holds_and_only_there() -> None:
    stated = {"recorded_data_bytes": touched() * 2, "tau_accesses": 300.0}
    near = said(scaled(4.0, law="relations", **stated))
    assert set(near) == {"scaled"}
    assert "scaled 2.00 times" in near["scaled"]
    known = scaled(4.0, law="relations", **stated).scaled.known_error
    assert known is not None
    assert known.worst < 1
    assert near["scaled"].endswith(
        f"misses are {percent(known.mean)} off on average, {percent(known.worst)} off at most"
    )

    beyond = scaled(4000.0, law="relations", **stated)
    far = said(beyond)
    reach = beyond.scaled.known_error
    assert reach is not None
    assert set(far) == {"scale_extrapolated"}
    up_to = three_digits(reach.measured_up_to)
    assert f"measured up to {up_to} times" in far["scale_extrapolated"]
    # No count is 300 % too low: from 100 % on the error is a ratio.
    assert reach.worst >= 1
    assert far["scale_extrapolated"].endswith(
        f"misses may be up to a factor of {three_digits(1 + reach.worst)} off"
    )

    never = said(scaled(4.0, law="cold_growth", **stated))
    assert set(never) == {"scaled_unmeasured"}
    assert "`cold_growth`, whose error was never measured" in never["scaled_unmeasured"]
    [caution] = scaled(4.0, law="cold_growth", **stated).warnings
    # Who asks for advice states no law: it follows from the profile.
    assert caution.hint == (
        "record the system at two sizes and compare, or profile a trace of it with its relations named: it is scaled by the law "
        "`relations` then, whose error is known"
    )

    assumed = said(scaled(2.0, law="stretch"))
    assert set(assumed) == {"scaled", "recorded_data_assumed"}

    silent = said(scaled(2.0, law="relations", clients=4))
    assert set(silent) == {"scaled", "recorded_data_assumed", "tau_not_stated"}
    assert "may miss less than shown" in silent["tau_not_stated"]
    both = said(scaled(2.0, law="relations", clients=4, accesses_per_unit=20.0))
    assert "tau_not_stated" not in both
    # Stated as nothing is stated, and where nothing grows nothing is stretched.
    assert "tau_not_stated" not in said(scaled(2.0, law="relations", tau_accesses=0.0))
    assert "tau_not_stated" not in said(scaled(1.0, law="relations"))
    smaller = said(scaled(1.0, law="relations", recorded_data_bytes=touched() * 2))
    assert "may miss more than shown" in smaller["tau_not_stated"]
    assert not list(about_given(recording().curve.steady()))


def test_cautions_of_scaling_reach_every_answer() -> None:
    found = compare.answer(
        scaled(1000.0).profile.curve.steady(),
        ram_pages=10**6,
        flash_pages=10**7,
        flash=FLASH,
        disk=DISK,
    )
    names = {one.name for one in found.warnings}
    assert {"scale_extrapolated", "recorded_data_assumed"} <= names


@pytest.mark.usefixtures("unmeasured")
def test_the_finding_follows_its_figures() -> None:
    found = scaled(50.0, 80_000.0, machines=4)
    tenth = min(found.sizes, key=lambda one: abs(one.share - 0.1))
    assert "80,000 accesses per second" in found.finding
    assert "50.0 times the recorded data" in found.finding
    assert "on each of 4 machines" in found.finding
    assert f"{100 * tenth.miss_ratio:.3g} %" in found.finding
    assert "by the worst error known" in found.finding
    alone = scaled(50.0, law="cold_growth")
    assert "never measured" in alone.finding
    assert "machines" not in alone.finding
    assert alone.sizes[0].miss_ratio_low is None


@pytest.mark.usefixtures("unmeasured")
def test_the_band_is_the_worst_error_both_ways() -> None:
    found = scaled(2.5)
    known = found.scaled.known_error
    assert known is not None
    for one in found.sizes:
        assert one.miss_ratio_low == pytest.approx(one.miss_ratio / (1 + known.worst))
        assert one.miss_ratio_high == pytest.approx(one.miss_ratio * (1 + known.worst))
        assert one.misses_per_s == pytest.approx(one.miss_ratio * 1000)
        assert one.recorded_pages == pytest.approx(one.pages / 2.5, rel=0.01)
    curve = found.profile.curve.steady()
    exact = scaled(1.0).profile.curve.steady()
    assert exact.law_band(500)[0] == exact.law_band(500)[1] == exact.misses(500)
    unknown = scaled(2.5, law="cold_growth").profile.curve.steady()
    assert unknown.law_band(500)[0] == 0
    assert unknown.law_band(500)[1] == unknown.accesses
    recorded = recording().curve.steady()
    assert recorded.law_band(500)[0] == recorded.misses(500)
    assert curve.law_band(500)[0] < curve.misses(500) < curve.law_band(500)[1]


def test_work_units_use_the_error_of_transactions() -> None:
    per_unit, per_access = scaled(2.0, per_unit=True), scaled(2.0)
    kinds = [one.scaled.known_error for one in (per_unit, per_access)]
    assert [one.per for one in kinds if one is not None] == ["transaction", "access"]
    assert rate_of_units(None, 100.0, 25.0) == 2500
    assert rate_of_units(70.0, None, None) == 70
    with pytest.raises(BadInput, match="is missing"):
        rate_of_units(None, None, 25.0)
    with pytest.raises(BadInput, match="stated twice"):
        rate_of_units(10.0, 10.0, 25.0)
    with pytest.raises(BadInput, match="accesses of one unit of work are missing"):
        rate_of_units(None, 10.0, None)


@pytest.mark.parametrize("start", ["cold", "steady"])
@pytest.mark.parametrize("law", ["stretch", "tenants", "relations"])
def test_what_holds_all_pages_writes_none_back_at_any_size(
    law: str, start: str
) -> None:
    """Pages of production are rounded: down by a part of one, RAM that holds all of them still writes nothing."""
    trace = Trace(
        Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
    )
    whole = profile(trace)
    whole = whole.with_relations(relations.measured(trace, names=True))
    for data in (14_519_698_166, 35_449_319_163, 42_826_029_976, 435_025_996_693):
        for machines in (1, 2, 3):
            found = scale.answer(
                whole, Production(data, 1000.0, None, machines=machines), law=law
            )
            curve = found.profile.curve.from_start(start)
            some = np.asarray([1, 2, 10]) * int(curve.pages[-1])
            if law != "relations" and start == "cold":
                assert curve.pages[-1] == curve.distinct_pages
            # Before: 0.06 of them were left, as if flash lasted millions of years.
            assert curve.write_backs(some).tolist() == [0.0, 0.0, 0.0]
            if start == "cold":
                assert curve.misses(some) == pytest.approx(curve.distinct_pages)


def test_a_given_curve_is_scaled_too() -> None:
    curve = Curve.from_lists(
        [1, 100, 1000],
        [900, 400, 100],
        [90, 40, 10],
        accesses=1000,
        distinct_pages=1000,
        page_bytes=4096,
        write_accesses=100,
        given=Given("table", data_known=True, dirty_share=0.1),
    )
    found = scale.answer(Profile(curve, None), Production(4096 * 20_000, 50.0))
    again = profile_from_mapping(json.loads(found.profile.to_text()))
    for each in (found.profile.curve, again.curve):
        assert float(each.misses(2000)) == pytest.approx(20 * 400)
        assert each.data_pages == 20_000
        assert each.start == "steady"
    assert "steady" not in found.profile.to_dict()
    assert again.to_dict() == found.profile.to_dict()


# --- the profile file ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(
        scaled(
            12.0, law="relations", machines=2, peak_accesses_per_s=5000.0
        ).profile.to_text()
    )
    return made


def test_a_scaled_profile_is_read_as_it_was_written(document: dict[str, Any]) -> None:
    assert document["schema_version"] == 3
    again = profile_from_mapping(copy.deepcopy(document))
    assert again.to_dict() == document
    whole = scaled(12.0, law="relations", machines=2, peak_accesses_per_s=5000.0)
    assert again.curve.scaled == whole.scaled
    sizes = np.asarray([10, 1000, 50_000])
    assert again.curve.steady().misses(sizes) == pytest.approx(
        whole.profile.curve.steady().misses(sizes)
    )
    assert again.curve.data_pages == whole.profile.curve.data_pages


def test_new_pages_and_the_rate_of_a_sample_survive_the_file() -> None:
    curve = replace(recording().curve, sample_rate=0.1).with_new_pages(1000)
    made = scale.answer(Profile(curve, None), Production(touched() * 4, 10.0))
    again = profile_from_mapping(json.loads(made.profile.to_text())).curve
    assert again.steady().growth == made.profile.curve.steady().growth == 4000
    assert {one.name for one in about_given(again.steady())} == said(made).keys()
    assert "sampled_curve" in said(made)
    with pytest.raises(
        BadInput, match="cannot be stated of a workload that was scaled"
    ):
        again.with_new_pages(5)
    assert again.with_new_pages(4000) is again


def test_the_error_of_a_sample_is_carried_to_the_sizes_that_became_of_its_own() -> None:
    curve = recording().curve
    share = 0.3 / np.sqrt(np.maximum(curve.misses_at, 1.0))
    sampled = curve.with_sample_error(curve.pages, share)
    made = scale.answer(Profile(sampled, None), Production(touched() * 4, 10.0))
    scaled_up = made.profile.curve
    again = profile_from_mapping(json.loads(made.profile.to_text())).curve
    pages, error = scaled_up.sample_error()
    assert again.sample_error()[1] == pytest.approx(error, rel=1e-5)
    at = scaled_up.pages[scaled_up.sample_knots()].astype(np.float64)
    before = [
        np.interp(scaled_up.scaled.recorded_size(each), curve.pages, share)
        if scaled_up.scaled
        else None
        for each in at
    ]
    inside = at <= 4 * curve.last_listed
    assert np.interp(at, pages, error)[inside] == pytest.approx(
        np.asarray(before, dtype=np.float64)[inside], rel=0.05
    )
    # Thinned, and followed whole.
    thin = again.thinned(100)
    assert np.interp(at, *thin.sample_error()) == pytest.approx(
        np.interp(at, pages, error), rel=0.2
    )
    whole = scale.answer(Profile(curve, None), Production(touched() * 4, 10.0))
    assert whole.profile.curve.interval is None
    assert "sample_error" not in whole.profile.to_dict()["recorded"]


def test_thinning_keeps_the_running_system() -> None:
    curve = scaled(12.0).profile.curve
    thin = curve.thinned(200)
    size = int(thin.pages[50])
    assert float(thin.steady().misses(size)) == pytest.approx(
        float(curve.steady().misses(size))
    )
    assert thin.steady().start == "steady"
    assert thin.steady().cold is thin


def test_a_large_profile_is_thinned_to_fit_its_file() -> None:
    pages = np.arange(1, 6001)
    misses = 10**6 - 150.123 * pages
    curve = Curve.from_lists(
        pages,
        misses,
        misses / 3.0,
        accesses=10**6,
        distinct_pages=6000,
        page_bytes=4096,
        write_accesses=10**6,
    )
    found = scale.answer(Profile(curve, None), Production(4096 * 6000 * 977, 10.0))
    assert len(found.profile.to_text()) <= MAX_PROFILE_BYTES
    thin = found.profile.curve
    assert float(thin.misses(977 * 3000)) == pytest.approx(977 * misses[2999], rel=1e-3)
    assert thin.pages[0] >= 1
    assert thin.last_listed == thin.distinct_pages


def test_the_page_of_privacy_lists_every_key(document: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "traces" / "privacy.md").read_text("utf-8")
    table = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = {
        name.partition(".")[0] for cell in table for name in cell.split("`")[1::2]
    }
    known = {"schema", "schema_version"}
    for made in (document, recording().to_dict()):
        assert set(made) - known <= listed
    assert "summaries" not in document
    assert "relations" not in document
    text = json.dumps(document)
    assert not any(str(one.name) in text for one in recording().relations)


DAMAGE: dict[str, Any] = {
    "law": 7,
    "factor": 0,
    "known_error": {"mean": 1},
    "production": None,
    "production.data_bytes": -4,
    "production.accesses_per_s": "fast",
    "production.machines": 0,
    "recorded": [],
    "recorded.data_bytes": 0,
    "recorded.data_stated": "yes",
    "recorded.distinct_pages": None,
    "recorded.tau_accesses": -1,
    "recorded.per_unit": 1,
    "recorded.counts_factor": 0,
    "recorded.accesses": -1,
    "recorded.page_bytes": 0.5,
    "production.page_bytes": 0,
    "recorded.write_accesses": "all",
    "recorded.sizes": {"production": [2, 1], "recorded": [1, 2]},
    "recorded.sample_rate": 2,
    "recorded.sample_error": {"pages": [2, 1], "share": [0.1, 0.1]},
    "recorded.new_pages": -1,
    "steady": None,
    "steady.pages": [1, 1],
    "steady.misses": "x",
    "steady.write_backs": None,
    "schema_version": 4,
}


@pytest.mark.parametrize("where", DAMAGE)
def test_a_damaged_key_is_named(document: dict[str, Any], where: str) -> None:
    damaged = copy.deepcopy(document)
    place, _, key = where.rpartition(".")
    (damaged[place] if place else damaged)[key] = DAMAGE[where]
    with pytest.raises(BadInput) as refused:
        profile_from_mapping(damaged)
    assert (place or where) in refused.value.message


def test_a_bad_count_of_the_running_system_is_named_as_its_own(
    document: dict[str, Any],
) -> None:
    damaged = copy.deepcopy(document)
    damaged["steady"]["misses"][3] = damaged["accesses"] + 1
    with pytest.raises(BadInput, match=r"steady\.misses\[3\]"):
        profile_from_mapping(damaged)
    older = {**document, "schema_version": 1}
    with pytest.raises(BadInput, match="law"):
        profile_from_mapping(older)
    for key in ("law", "production", "recorded", "steady"):
        with pytest.raises(BadInput):
            profile_from_mapping(
                {name: v for name, v in document.items() if name != key}
            )


# --- the command -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("scale")
    recording().write(made / "p.json")
    return made


TO = ("--data", "4TiB", "--accesses-per-second", "80000")


def test_the_command_prints_the_profile_and_its_law(folder: Path) -> None:
    found = printed("scale", folder / "p.json", *TO, "-o", folder / "s.json")
    assert {
        "law",
        "factor",
        "known_error",
        "production",
        "curve",
        "steady",
        "finding",
    } <= set(found)
    written = json.loads((folder / "s.json").read_text("utf-8"))
    assert {key: found[key] for key in written} == written
    assert found["law"] == "relations"
    assert found["factor"] == pytest.approx(4 * TIB / touched())
    assert found["known_error"]["extrapolated"] is True
    assert found["production"]["accesses_per_s"] == 80_000
    assert found["duration_s"] == pytest.approx(found["accesses"] / 80_000)
    text = run("scale", folder / "p.json", *TO)
    assert found["finding"] in text.stdout
    assert "misses per second" in text.stdout
    assert "recorded at" in text.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--data", "1MiB", "--accesses-per-second", "1"), "are less than the"),
        (("--data", "4TiB", "--accesses-per-second", "0"), "accesses_per_s"),
        ((*TO, "--law", "bigger"), "law: `bigger` is unknown"),
        ((*TO, "--fixed", "orders"), "relation `orders` is unknown"),
        ((*TO, "--relation", "1"), "is not KEY=VALUE"),
        ((*TO, "--relation", "1=x"), "`x` is not a number"),
        ((*TO, "--units-per-second", "5"), "stated twice"),
        (("--data", "4TiB"), "is missing"),
        (("--accesses-per-second", "1"), "--data is missing"),
        (("--data", "much", "--accesses-per-second", "1"), "--data: size `much`"),
        (
            ("--data", "4TiB", "--units-per-second", "5"),
            "of one unit of work are missing",
        ),
        ((*TO, "--recorded-data", "x"), "--recorded-data: size `x`"),
        ((*TO, "--machines", "0"), "machines"),
        ((*TO, "--new-pages", "99999999"), "new_pages"),
    ],
)
def test_a_bad_request_loses_nothing(
    folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    kept = folder / "kept.json"
    kept.write_text("as it was", "utf-8")
    done = run("scale", folder / "p.json", *arguments, "-o", kept)
    assert done.returncode != 0
    assert words in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert kept.read_text("utf-8") == "as it was"
    assert not list(folder.glob("*.partial"))


FILE = """
data = "4TiB"
units_per_s = 4000
accesses_per_unit = 20
clients = 4
recorded_data = "1GiB"
fixed = ["2"]
growth_per_year = 0.3
machines = 2
[relations]
1 = 900.5
"""


def test_a_production_file_says_what_options_say(folder: Path) -> None:
    (folder / "all@once.toml").write_text(FILE, "utf-8")
    by_file = printed(
        "scale", folder / "p.json", "--production", folder / "all@once.toml"
    )
    by_option = printed(
        "scale", folder / "p.json", "--data", "4TiB", "--units-per-second", 4000,
        "--accesses-per-unit", 20, "--clients", 4, "--recorded-data", "1GiB", "--fixed", "2",
        "--growth-per-year", 0.3, "--machines", 2, "--relation", "1=900.5",
    )  # fmt: skip
    assert by_file == by_option
    assert by_file["known_error"]["per"] == "transaction"
    assert by_file["recorded"]["tau_accesses"] == 80
    both = run(
        "scale",
        folder / "p.json",
        "--production",
        folder / "all@once.toml",
        "--machines",
        2,
    )
    assert both.returncode != 0
    assert "--machines cannot be stated besides" in both.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'data = "4TiB"\naccesses_per_s = 5\nmachnes = 2\n',
            "machnes: is no key of a production file",
        ),
        ("accesses_per_s = 5\n", "data: is missing"),
        ('data = "4TiB"\n', "is missing"),
        ("data = 7\naccesses_per_s = 5\n", "data: `7` must be a text"),
        (
            'data = "4TiB"\naccesses_per_s = "x"\n',
            "accesses_per_s: `x` must be a number",
        ),
        ('data = "4TiB"\naccesses_per_s = 5\nunits_per_s = 5\n', "stated twice"),
        (
            'data = "4TiB"\naccesses_per_s = 5\nfixed = 2\n',
            "fixed: must be a list of names",
        ),
        ('data = "4TiB"\naccesses_per_s = 5\nmachines = "x"\n', "machines"),
        ("data = [\n", "TOML"),
    ],
)
def test_a_bad_production_file_is_named(folder: Path, text: str, words: str) -> None:
    path = folder / "bad.toml"
    path.write_text(text, "utf-8")
    done = run("scale", folder / "p.json", "--production", path)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


SIZES = ("--ram-pages", "64GiB", "--flash-pages", "256GiB")
DEVICES = ("--flash-device", FLASH.id, "--disk-device", DISK.id)
COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": (*SIZES, *DEVICES),
    "scheme-map": (
        "--ram-pages", "64GiB", *DEVICES, "--x", "flash_per_ram=1:16:3", "--y", "dirty_share=0:1:2",
    ),
    "throughput": (*SIZES, *DEVICES, "--clients", "20", "--accesses-per-transaction", "10"),
    "directories": ("--ram-bytes", "64GiB", "--flash-bytes", "256GiB", *DEVICES),
    "choose-flash": (*SIZES, "--disk-device", DISK.id, "--candidates", FLASH.id),
    "break-even": ("--ram-pages", "64GiB", *DEVICES),
    "wear": (*SIZES, "--disk-device", DISK.id),
}  # fmt: skip


def called(command: str, source: Path, *more: str) -> Any:
    if command == "wear":
        return printed(command, source, "--device", FLASH.id, *COMMANDS[command], *more)
    if command == "break-even":
        return printed(command, "--profile", source, *COMMANDS[command], *more)
    return printed(command, source, *COMMANDS[command], *more)


@pytest.mark.parametrize("command", COMMANDS)
def test_production_on_a_command_is_the_scaled_profile(
    folder: Path, command: str
) -> None:
    made = folder / "written.json"
    assert run("scale", folder / "p.json", *TO, "-o", made).returncode == 0
    at_once = called(command, folder / "p.json", "--production", "4TiB@80000")
    assert at_once == called(command, made)
    assert at_once != called(command, made, "--start", "cold")


@pytest.mark.parametrize("command", COMMANDS)
def test_more_pages_than_32_bits_number_are_sizes_too(
    folder: Path, command: str
) -> None:
    sizes = {"64GiB": "64TiB", "256GiB": "200TiB"}
    arguments = [sizes.get(one, one) for one in COMMANDS[command]]
    before = {
        "wear": (folder / "p.json", "--device", FLASH.id),
        "break-even": ("--profile", folder / "p.json"),
    }
    source = before.get(command, (folder / "p.json",))
    assert printed(command, *source, *arguments, "--production", "600TiB@80000")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "production", ["4TiB@fast", "much@5", "1kB@5", "4TiB@0", "absent.toml"]
)
def test_bad_production_is_refused_by_every_command(
    folder: Path, command: str, production: str
) -> None:
    before: dict[str, tuple[Any, ...]] = {
        "wear": (folder / "p.json", "--device", FLASH.id),
        "break-even": ("--profile", folder / "p.json"),
    }
    done = run(
        command, *before.get(command, (folder / "p.json",)), *COMMANDS[command], "--production", production,
    )  # fmt: skip
    assert done.returncode != 0
    assert "error" in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_production_without_what_it_scales_is_refused(folder: Path) -> None:
    done = run("break-even", *DEVICES, "--production", "4TiB@80000")
    assert done.returncode != 0
    assert "--production needs a profile" in done.stderr
    assert run("scale", folder / "p.json", *TO, "-o", folder / "s.json").returncode == 0
    twice = run(
        "evaluate", folder / "s.json", *COMMANDS["evaluate"], "--production", "9TiB@1"
    )
    assert twice.returncode != 0
    assert "was scaled already" in twice.stderr


def test_the_rate_of_an_answer_is_that_of_production(folder: Path) -> None:
    found = called("wear", folder / "p.json", "--production", "4TiB@80000")
    assert found["rate_basis"] == "production as stated"
    assert found["accesses_per_s"] == 80_000


def test_known_errors_are_those_of_the_shipped_file() -> None:
    rows = scale.measured_errors()
    assert rows
    assert {row.per for row in rows} == {"transaction", "access"}
    assert all(0 <= row.mean <= row.worst and row.factor > 1 for row in rows)
    assert {"stretch", "relations", "relations_tau"} <= {row.law for row in rows}


@pytest.mark.parametrize("tau", [1e-6, 0.5, 20.0, 1e9])
def test_the_ram_that_pays_is_stated_at_both_ends_of_the_error_of_the_law(
    tau: float,
) -> None:
    """All misses off by a ratio are those of a rate that is off by it."""
    curve = scaled(40.0, 8000.0).profile.curve.steady()
    assert curve.scaled is not None
    assert curve.scaled.known_error is not None
    ratio = 1 + curve.scaled.known_error.worst
    over = TierInterval("dram", "ssd", 4096, tau, (), "", "", (), ())

    def pays(rate: float) -> PayingSize:
        found = ram_that_pays(
            curve, 10, [over], {}, accesses_per_s=rate, rate_basis="as given"
        )
        assert found is not None
        return found.sizes[0]

    found = pays(8000.0)
    few, many = pays(8000.0 / ratio).pages, pays(8000.0 * ratio).pages
    assert found.law_pages == (few, many)
    assert few <= found.pages <= many
    assert ("does not change that size" in found.law_sentence) == (few == many)
    assert ("if it overstates them all" in found.law_sentence) == (few < many)
    assert found.sentence.endswith(found.law_sentence)


def test_a_recording_has_no_error_of_a_law() -> None:
    over = TierInterval("dram", "ssd", 4096, 1.0, (), "", "", (), ())
    found = ram_that_pays(
        recording().curve, 10, [over], {}, accesses_per_s=100.0, rate_basis=""
    )
    assert found is not None
    assert (found.sizes[0].law_pages, found.sizes[0].law_sentence) == (None, "")


@pytest.mark.parametrize("rate", [5e-324, 1e-10])
def test_a_rate_too_small_for_any_time_is_refused(rate: float) -> None:
    with pytest.raises(BadInput, match="must be a number above 0, from 1e-09 on"):
        Production(2**40, rate)
    assert Production(2**40, 1e-9).accesses_per_s == 1e-9


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_say_of_which_system_their_figures_are(
    folder: Path, command: str
) -> None:
    before: dict[str, tuple[Any, ...]] = {
        "wear": (folder / "p.json", "--device", FLASH.id),
        "break-even": ("--profile", folder / "p.json"),
    }
    source = before.get(command, (folder / "p.json",))
    size = format_bytes(touched())
    itself = f"The workload is the recording itself, which touches {size}; nothing was scaled to production."
    of_production = "The workload is that of production, 4 TiB: "
    small = [
        {"64GiB": "16MiB", "256GiB": "32MiB"}.get(one, one) for one in COMMANDS[command]
    ]
    plain = run(command, *source, *small)
    assert plain.stdout.count(itself) == 1
    assert of_production not in plain.stdout
    made = run(command, *source, *COMMANDS[command], "--production", "4TiB@80000")
    assert made.stdout.count(of_production) == 1
    assert itself not in made.stdout


def test_the_sentence_of_the_scale_follows_the_workload() -> None:
    several = scaled(4.0, machines=3, law="stretch").profile.curve
    assert scale_sentence(several).endswith(
        "4.00 times the recorded data, by the law `stretch`. Sizes and figures are of one of 3 machines."
    )
    assert "machine" not in scale_sentence(scaled(4.0).profile.curve)
    bare = Curve.from_hit_ratios([(10, 0.5)], accesses=100, page_bytes=8192)
    said = {
        scale_sentence(replace(bare, given=Given("a test", data_known=True, **more)))
        for more in ({}, {"described_by": "orders"}, {"composed_of": ("a", "b")})
    }
    assert said == {
        "The workload is as its curve was given; nothing was scaled to production.",
        "The workload is as it was described; nothing was scaled to production.",
        "The workload is composed; nothing was scaled to production.",
    }
    part = Given(
        "a test",
        data_known=True,
        composed_of=("a", "b"),
        scaled=ScaledParts(("a",), None),
    )
    assert scale_sentence(replace(bare, given=part)) == (
        "The workload is composed, and of its parts 1 was scaled to production: a."
    )
