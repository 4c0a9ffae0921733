"""Replays of a recording that stand for production: at which sizes, what they decide, when there are none."""

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
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import compare, scale
from tierwright.advise.checks import flash_caches
from tierwright.advise.checks.checked import (
    Checked,
    at_recorded_sizes,
    not_checked,
    row,
)
from tierwright.advise.checks.compare import compare as compared
from tierwright.advise.checks.compare import model_of
from tierwright.advise.checks.points import (
    NO_RAM,
    Replay,
    fragment_replays,
    recorded_replays,
)
from tierwright.advise.scale._factors import USUAL_EXPONENT
from tierwright.common.errors import BadInput
from tierwright.common.units import format_microseconds
from tierwright.common.wording import percent
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright.evaluate.scale.laws import LAWS, by_relation, cold_growth
from tierwright.evaluate.scale.replays import (
    LEAST_PAGES,
    ReplaySizes,
    recorded_accesses,
    recorded_sizes,
)
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile import relations
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.measure import profile
from tierwright.profile.production import Production, Scaled
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TPCC = Trace(recordings.TPCC)
TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("face2016-cheetah-15k6-raid0-16")
DEVICES: dict[str, Any] = {"flash": FLASH, "disk": DISK}


@cache
def recording() -> Profile:
    return profile(TPCC).with_relations(relations.measured(TPCC, names=True))


@cache
def scaled(
    factor: float, law: str, machines: int = 1, replicas: int = 1
) -> scale.ScaledWorkload:
    """Scale the recording; by `relations` with three that stay, so that sizes are no mere multiples."""
    curve = recording().curve
    data = round(curve.distinct_pages * curve.page_bytes * factor)
    stays: dict[str, Any] = (
        {"fixed": ("2", "3", "4")} if law == "relations" and factor > 1 else {}
    )
    production = Production(data, 80_000.0, machines=machines, replicas=replicas)
    return scale.answer(recording(), production, law=law, **stays)


def decided(
    curve: Any, ram: int, flash: int, trace: Trace | None = TPCC
) -> compare.Comparison:
    return compare.answer(
        curve, ram_pages=ram, flash_pages=flash, trace=trace, **DEVICES
    )


@cache
def plainly_decided(ram: int, flash: int) -> Evaluation:
    """Decide by what was not scaled: the same under every law."""
    return decided(recording().curve.steady(), ram, flash).evaluation


def warned(found: compare.Comparison, name: str) -> str:
    said = [each for each in found.warnings if each.name == name]
    return f"{said[0].message}; {said[0].hint}" if said else ""


# --- the sizes that correspond -----------------------------------------------------------------------


@pytest.mark.oracle("evaluate.scale.replays.recorded_sizes")
@pytest.mark.parametrize("law", ["stretch", "tenants"])
def test_sizes_of_one_machine_are_divided_by_its_part_of_k(law: str) -> None:
    whole = scaled(64.0, law).scaled
    assert recorded_sizes(whole, 64_000, 640_000, repeats_ram=False) == (1000, 10_000)
    # 8 machines with 2 copies: each has a quarter of 64 times the data
    part = scaled(64.0, law, machines=8, replicas=2).scaled
    assert recorded_sizes(part, 16_000, 0, repeats_ram=False) == (1000, 0)
    assert part.size_factor == pytest.approx(16)


def test_a_replay_says_where_production_writes_another_share() -> None:
    curve = recording().curve
    data = curve.distinct_pages * curve.page_bytes * 4
    share = curve.write_accesses / curve.accesses

    def sentence(**stated: Any) -> str:
        production = Production(data, 80_000.0, **stated)
        made = scale.answer(recording(), production, law="stretch").scaled
        sizes = ReplaySizes.of(made, [((8000, 0), (2000, 0))])
        assert sizes is not None
        return sizes.sentence

    said = "The replay writes as the recording does, with"
    assert said not in sentence()
    assert said not in sentence(machines=3)
    assert said not in sentence(write_share=share)
    half = f"{said} {percent(share)} of the accesses; one machine of production writes with {percent(0.5)}."
    assert half in sentence(write_share=0.5)
    copied = percent(2 * share / (1 + share))
    assert f"one machine of production writes with {copied}." in sentence(
        machines=3, replicas=2
    )


@pytest.mark.parametrize("start", ["cold", "steady"])
def test_the_recorded_size_misses_the_share_that_production_misses(start: str) -> None:
    made = scaled(20.0, "relations")
    large, small = (
        each.curve.from_start(start) for each in (made.profile, recording())
    )
    assert made.scaled.size_factor is None
    sizes = np.geomspace(2000, 400_000, 40).round()
    recorded = [made.scaled.recorded_size(size) for size in sizes]
    assert max(recorded) < max(sizes) / 10
    # What holds all of the data, which are stated, misses nothing.
    whole = (sizes >= large.data_pages) & (start == "steady")
    assert not large.misses(sizes[whole]).any()
    expected = small.misses(recorded) / small.accesses
    assert large.misses(sizes[~whole]) / large.accesses == pytest.approx(
        expected[~whole], rel=0.01
    )


def test_beyond_the_recording_sizes_grow_as_all_pages_do() -> None:
    made = scaled(20.0, "relations")
    far = recording().curve.steady().last_listed * 20.0
    step = made.scaled.recorded_size(far * 3) - made.scaled.recorded_size(far * 2)
    assert step == pytest.approx(far / made.scaled.counts_factor, rel=1e-6)
    cold = scaled(20.0, "cold_growth").scaled
    assert cold.recorded_size(far * 3) == cold.recorded_size(far * 2)


@pytest.mark.formula("evaluate.scale.replays.recorded_sizes")
@given(
    law=st.sampled_from(LAWS),
    factor=st.sampled_from([1.0, 2.5, 40.0]),
    ram=st.integers(1, 10**7),
    flash=st.integers(0, 10**7),
    more=st.integers(0, 10**6),
)
def test_what_no_size_of_a_recording_may_do(
    law: str, factor: float, ram: int, flash: int, more: int
) -> None:
    known = scaled(factor, law).scaled
    for repeats in (False, True):
        at = recorded_sizes(known, ram, flash, repeats_ram=repeats)
        more_ram = recorded_sizes(known, ram + more, flash, repeats_ram=repeats)
        more_flash = recorded_sizes(known, ram, flash + more, repeats_ram=repeats)
        assert at[0] >= 1
        assert (at[1] == 0) == (flash == 0)
        assert more_ram[0] >= at[0]
        assert more_flash[0] == at[0]
        assert more_flash[1] >= at[1]
        if factor == 1:
            assert at == (ram, flash)
    apart = recorded_sizes(known, ram, flash, repeats_ram=False)
    if flash:
        both = known.recorded_size(ram + flash)
        assert sum(apart) == pytest.approx(max(both, known.recorded_size(ram)), abs=2)


def test_the_mapping_is_that_of_the_law() -> None:
    made = scaled(20.0, "relations")
    pages = np.asarray([1500.0, 4000.0, 9000.0])
    grown = by_relation(pages, recording().relations, made.factors, tau_accesses=0.0)
    assert [made.scaled.recorded_size(size) for size in grown.pages] == pytest.approx(
        pages, rel=0.01
    )


def test_the_mapping_of_cold_growth_is_that_of_the_law() -> None:
    """Of the running system, whose curve checks of the steady state use."""
    made = scaled(20.0, "cold_growth")
    running = recording().curve.steady()
    pages = running.pages.astype(float)
    # The exponent stays what it is where nobody fitted it.
    grown = cold_growth(
        pages,
        running.misses(pages),
        accesses=running.accesses,
        distinct_pages=running.distinct_pages,
        factor=20.0,
        exponent=USUAL_EXPONENT,
    )
    large = pages >= 1000
    found = [
        made.scaled.recorded_size(size) for size in grown.pages[: len(pages)][large]
    ]
    assert found == pytest.approx(pages[large].tolist(), rel=0.02)


@pytest.mark.parametrize("law", LAWS)
def test_the_sizes_survive_the_file(law: str) -> None:
    made = scaled(20.0, law)
    document = json.loads(json.dumps(made.profile.to_dict()))
    again = profile_from_mapping(document).curve.scaled
    assert again == made.scaled
    assert again.recorded_accesses == recording().curve.accesses


# --- what a replay decides ---------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=4, deadline=None)
@given(ram=st.integers(50, 4000), flash=st.integers(1, 9000))
def test_scaled_by_1_is_checked_as_what_was_not_scaled(
    law: str, ram: int, flash: int
) -> None:
    """Also where tiers are small: nothing is replayed in place of something larger."""
    plain = plainly_decided(ram, flash)
    same = decided(scaled(1.0, law).profile.curve.steady(), ram, flash).evaluation
    assert same.decided_by == plain.decided_by
    assert same.replayed_at is None
    assert same.best == plain.best
    for name in SCHEMES:
        assert same.schemes[name].replayed == plain.schemes[name].replayed
    names = {each.name for each in same.warnings}
    assert not names & {"replayed_scaled_down", "replay_too_small"}


@pytest.mark.parametrize("machines", [1, 2])
def test_a_close_call_of_production_is_decided_at_the_sizes_divided_by_k(
    machines: int,
) -> None:
    made = scaled(8.0, "stretch", machines=machines)
    k = 8 // machines
    found = decided(made.profile.curve.steady(), 1200 * k, 6000 * k)
    assert found.evaluation.decided_by == "replay"
    warm_up = recording().curve.accesses // 2
    costs = {}
    for name in SCHEMES:
        counters = replay(
            TPCC,
            "scheme",
            name,
            1200,
            0 if name == "none" else 6000,
            warm_up=warm_up,
        )
        shown = found.evaluation.schemes[name].replayed
        assert shown is not None
        assert shown.hdd_reads == counters["hdd_reads"]
        assert shown.accesses == counters["accesses"]
        costs[name] = shown.io_time_us_per_access
    assert costs[found.evaluation.best] == min(costs.values())
    assert f"decided by a replay at sizes divided by {k}." in found.finding
    said = warned(found, "replayed_scaled_down")
    assert "RAM of 1,200 pages and flash of 6,000 pages" in said
    assert "not the scale law" in said
    at = found.to_dict()["replayed_at"]
    assert at["ram_pages"] == [1200]
    assert at["flash_pages"] == [6000]
    assert at["divided_by"] == k


@pytest.mark.parametrize(("factor", "machines"), [(1, 1), (8, 1), (1.5, 2), (8, 8)])
def test_a_replay_says_what_it_reads_of_new_pages_in_counts_of_the_recording(
    factor: float, machines: int
) -> None:
    new, whole = 6000, recording()
    curve = whole.curve.with_new_pages(new)
    data = round(curve.distinct_pages * curve.page_bytes * factor)
    made = scale.answer(
        replace(whole, curve=curve),
        Production(data, 80_000.0, machines=machines),
        law="stretch",
    )
    k = factor / machines
    found = decided(made.profile.curve.steady(), round(1200 * k), round(6000 * k))
    assert found.evaluation.decided_by == "replay"
    half = curve.accesses // 2
    # RAM that holds all misses only what is touched first.
    first = replay(TPCC, "scheme", "none", curve.distinct_pages, 0, warm_up=half)
    touched = first["flash_misses"] * new / curve.distinct_pages
    said = warned(found, "growth_in_replay")
    assert f"{touched:,.0f} of the {curve.accesses - half:,} accesses" in said
    read_us = service_us(DISK, "read", curve.page_bytes)
    assert read_us is not None
    over = format_microseconds(round(touched) * read_us / (curve.accesses - half))
    assert f"{over} per access" in said


def scaled_with(factor: float, **stated: Any) -> Curve:
    """The recording at so many times its data."""
    curve = recording().curve
    data = int(curve.distinct_pages * curve.page_bytes * factor)
    asked = Production(data, 80_000.0, **stated)
    return scale.answer(recording(), asked, law="stretch").profile.curve.steady()


def test_a_replay_decides_by_the_writes_of_production() -> None:
    share = recording().curve.write_accesses / recording().curve.accesses
    same = decided(scaled_with(8), 9600, 48_000)
    other = decided(scaled_with(8, write_share=share / 2), 9600, 48_000)
    assert other.evaluation.decided_by == "replay"
    said = warned(other, "replayed_scaled_down")
    assert "what its replay writes back is multiplied by 0.500, as" in said
    assert "multiplied" not in warned(same, "replayed_scaled_down")
    for name in SCHEMES:
        whole, half = (each.evaluation.schemes[name].replayed for each in (same, other))
        assert whole is not None
        assert half is not None
        assert half.hdd_reads == whole.hdd_reads
        assert half.hdd_writes == pytest.approx(whole.hdd_writes / 2, abs=1)
        # A scheme that writes each victim to flash, clean or dirty, writes as many.
        assert half.flash_writes <= whole.flash_writes
        assert (half.flash_writes < whole.flash_writes) == (
            name not in ("none", "exclusive")
        )
    # Of data as large as the recorded ones there are no other sizes to speak of.
    alone = decided(scaled_with(1, write_share=share / 2), 1200, 6000)
    assert alone.evaluation.replayed_at is None
    assert "multiplied by 0.500" in warned(alone, "replayed_writes_multiplied")


@pytest.mark.parametrize("factor", [1, 8])
def test_a_check_with_flash_caches_has_the_figures_that_decided(factor: int) -> None:
    share = recording().curve.write_accesses / recording().curve.accesses

    def checked(curve: Curve) -> tuple[compare.Comparison, Any]:
        found = decided(curve, 1200 * factor, 6000 * factor)
        assert found.evaluation.decided_by == "replay"
        beside = flash_caches.replayed(
            found.evaluation, curve, TPCC, ["larc"], flash=FLASH, disk=DISK
        )
        return found, beside

    def times(beside: Any) -> dict[str, float]:
        return {
            each.of: each.simulated for each in beside.rows if each.figure == "I/O time"
        }

    found, beside = checked(scaled_with(factor, write_share=share / 2))
    by_replay = {
        name: each.replayed.io_time_us_per_access
        for name, each in found.evaluation.schemes.items()
        if each.replayed is not None
    }
    # No flash cache is ranked by a recording that an advice refuses.
    assert times(beside) == pytest.approx(by_replay)
    assert "LARC was not replayed: the recording writes with" in beside.finding
    assert beside.finding.count("multiplied by 0.500") == 1
    assert "less than" not in beside.finding
    _, same = checked(scaled_with(factor))
    assert "larc" in times(same)
    assert "not replayed" not in same.finding


def test_the_law_of_relations_names_itself_and_the_sizes() -> None:
    made = scaled(20.0, "relations")
    found = decided(made.profile.curve.steady(), 40_000, 100_000)
    assert found.finding.endswith("sizes that correspond by the scale law.")
    said = warned(found, "replayed_scaled_down")
    at = found.evaluation.replayed_at
    assert at is not None
    # flash that repeats RAM counts alone, other flash together with it
    assert len(at.flash_pages) == 2
    assert f"flash of {at.flash_pages[0]:,} to {at.flash_pages[1]:,} pages" in said
    assert "by the scale law “relations”: RAM of" in said
    assert "adds" not in said


def test_nothing_is_decided_by_a_recording_without_the_pages_that_the_law_adds() -> (
    None
):
    cold = scaled(20.0, "cold_growth").profile.curve.steady()
    model = decided(cold, 10_000, 50_000, trace=None)
    assert model.evaluation.contenders
    found = decided(cold, 10_000, 50_000)
    assert found.evaluation.decided_by == "model"
    assert found.evaluation.replayed_at is None
    assert found.evaluation.best == model.evaluation.best
    assert all(each.replayed is None for each in found.evaluation.schemes.values())
    assert "adds pages that are not in the recording" in warned(
        found, "replay_lacks_pages"
    )
    assert not warned(found, "replay_too_small")
    checked = flash_caches.replayed(
        model.evaluation, cold, TPCC, ["larc"], flash=FLASH, disk=DISK
    )
    assert not checked.rows
    assert "adds pages that are not in the recording" in checked.finding


@given(
    law=st.sampled_from(LAWS),
    factor=st.sampled_from([1.0, 2.0, 20.0]),
    machines=st.sampled_from([1, 2, 20]),
    of=st.sampled_from([1, 2, 20]),
    ram=st.integers(2000, 10**5),
)
def test_only_a_law_that_adds_pages_refuses_every_size(
    law: str, factor: float, machines: int, of: int, ram: int
) -> None:
    """Whatever the machines: also where its sizes are those of the recording."""
    known = scaled(factor, law, machines).scaled.with_sizes_of(of)
    same = ReplaySizes.of(known, [((ram, 0), (ram, 0))])
    if law == "cold_growth" and factor > 1:
        assert same is not None
        assert same.refuses
        assert same.caution.name == "replay_lacks_pages"
    else:
        assert same is None


@pytest.mark.parametrize(
    ("ram", "flash", "tier", "pages"),
    [
        (LEAST_PAGES, 6000, None, 0),
        (LEAST_PAGES - 1, 6000, "RAM", LEAST_PAGES - 1),
        (LEAST_PAGES, LEAST_PAGES, None, 0),
        (LEAST_PAGES, LEAST_PAGES - 1, "flash", LEAST_PAGES - 1),
        (1500, 0, None, 0),
    ],
)
def test_a_tier_of_fewer_than_1000_recorded_pages_is_not_replayed(
    ram: int, flash: int, tier: str | None, pages: int
) -> None:
    made = scaled(8.0, "stretch")
    by_model = decided(made.profile.curve.steady(), ram * 8, flash * 8, trace=None)
    found = decided(made.profile.curve.steady(), ram * 8, flash * 8)
    said = warned(found, "replay_too_small")
    if tier is None:
        assert said == ""
        assert flash == 0 or found.evaluation.decided_by == "replay"
        return
    assert by_model.evaluation.contenders
    assert found.evaluation.decided_by == "model"
    assert found.evaluation.replayed_at is None
    assert all(each.replayed is None for each in found.evaluation.schemes.values())
    assert found.finding == by_model.finding
    assert f"{tier} would have {pages} pages" in said
    assert "1,000" in said
    assert "record a larger system: at 194 MiB" in said
    # the close call does not advise what was refused
    close = [w for w in found.warnings if w.name == "lead_within_model_error"]
    assert len(close) == (tier == "RAM")
    assert all("record a larger system" in each.hint for each in close)


def test_what_would_help_is_as_large_as_it_has_to_be() -> None:
    known = scaled(8.0, "stretch").scaled
    asked = ((8 * 100, 0), (100, 0))
    sizes = ReplaySizes.of(known, [asked])
    assert sizes is not None
    assert sizes.refuses
    # ten times the recording has ten times the pages: 1,000
    needed = 10 * known.recorded_data_bytes / 2**20
    assert f"at {needed:.0f} MiB of recorded data" in sizes.remedy
    enough = ReplaySizes.of(known, [((8000, 0), (1000, 0))])
    assert enough is not None
    assert not enough.refuses


@pytest.mark.parametrize(("flash", "checked"), [(7_400, True), (7_500, False)])
def test_caches_that_a_recording_does_not_fill_are_not_replayed(
    flash: int, checked: bool
) -> None:
    # 12,412 distinct pages: 1,200 and 7,400 are 69.3 % of them, 1,200 and 7,500 are 70.1 %.
    found = decided(scaled(8.0, "stretch").profile.curve.steady(), 8 * 1200, 8 * flash)
    names = {each.name for each in found.warnings}
    assert ("replay_too_small" in names) is not checked
    if not checked:
        said = warned(found, "replay_too_small")
        assert "70.1 % of the pages of the recording, which would not fill them" in said
        assert found.evaluation.decided_by == "model"


def test_from_a_cold_start_caches_need_not_be_full() -> None:
    pairs = [((8 * 1200, 8 * 11_000), (1200, 11_000))]
    known = scaled(8.0, "stretch").scaled
    cold = ReplaySizes.of(known, pairs)
    full = ReplaySizes.of(known, pairs, steady=True)
    assert cold is not None
    assert full is not None
    assert not cold.refuses
    assert full.refuses
    assert full.remedy == "record for longer, or choose smaller sizes"


def test_another_trace_than_the_recording_is_refused() -> None:
    curve = scaled(8.0, "stretch").profile.curve.steady()
    with pytest.raises(BadInput, match="not the trace of the profile"):
        decided(curve, 9600, 48_000, TPCB)


@pytest.mark.oracle("evaluate.scale.replays.recorded_accesses")
@pytest.mark.formula("evaluate.scale.replays.recorded_accesses")
@given(factor=st.sampled_from([1.0, 2.5, 40.0]), law=st.sampled_from(LAWS))
def test_the_accesses_are_those_of_the_recording(factor: float, law: str) -> None:
    assert recorded_accesses(scaled(factor, law).scaled) == recording().curve.accesses


def test_a_profile_of_an_earlier_version_is_refused_by_name() -> None:
    document = scaled(8.0, "stretch").profile.to_dict()
    for key in ("accesses", "write_accesses", "sizes"):
        del document["recorded"][key]
    older = profile_from_mapping(document).curve.steady()
    assert decided(older, 9600, 48_000, None).evaluation.decided_by == "model"
    with pytest.raises(BadInput, match="earlier version") as error:
        decided(older, 9600, 48_000)
    assert "scale the recording again" in error.value.hint


# --- checks of other questions -----------------------------------------------------------------------


def known() -> Scaled:
    return scaled(8.0, "stretch").scaled


def test_replays_of_every_kind_are_made_at_recorded_sizes() -> None:
    wanted = {
        "none": Replay("scheme", "none", 16_000, 0, 7),
        "face": Replay("flash_cache", "face", 16_000, 80_000, 7, {"crash_at": "9"}),
    }
    found, sizes = recorded_replays(wanted, known(), page_bytes=8192)
    assert found["none"] == replace(wanted["none"], ram_pages=2000)
    assert found["face"] == replace(wanted["face"], ram_pages=2000, flash_pages=10_000)
    assert sizes is not None
    assert (sizes.ram_pages, sizes.flash_pages) == ((2000,), (10_000,))
    same, nothing = recorded_replays(wanted, None, page_bytes=8192)
    assert same == wanted
    assert nothing is None


def test_no_ram_stays_no_ram_and_is_not_too_small() -> None:
    wanted = fragment_replays(
        [65_536],
        page_bytes=8192,
        ram_pages=16_000,
        flash_pages=80_000,
        start="cold",
        accesses=100,
    )
    found, sizes = recorded_replays(wanted, known(), page_bytes=8192)
    assert found["65536"].ram_pages == NO_RAM
    assert found["65536"].flash_pages == 10_000
    assert sizes is not None
    assert not sizes.refuses


def test_a_check_says_what_it_confirms_only_where_sizes_differ() -> None:
    one = Checked(
        finding="The replay confirms Lazy.",
        rows=(row("lazy", "Lazy", "I/O time", "µs", 1.0, 1.1),),
        basis="All was replayed.",
        decided="Lazy is best, decided by replay",
    )
    assert at_recorded_sizes(one, None) is one
    _, sizes = recorded_replays(
        {"none": Replay("scheme", "none", 16_000, 0, 0)}, known(), page_bytes=8192
    )
    found = at_recorded_sizes(one, sizes)
    assert found.finding.startswith(
        "The replay confirms Lazy. The recording was replayed"
    )
    assert "not the scale law" in found.finding
    assert found.decided == "Lazy is best, decided by replay at sizes divided by 8"
    assert found.rows == one.rows
    _, few = recorded_replays(
        {"none": Replay("scheme", "none", 800, 0, 0)}, known(), page_bytes=8192
    )
    assert few is not None
    refused = not_checked(few)
    assert refused.rows == ()
    assert refused.figures == ()
    assert "100 pages, fewer than the 1,000" in refused.finding
    assert "record a larger system" in refused.basis


@pytest.mark.parametrize("start", ["cold", "steady"])
def test_counts_of_a_point_are_compared_per_access(start: str) -> None:
    """The model of production, for as many accesses as the replay of its recording counted."""
    curve = scaled(8.0, "stretch").profile.curve.from_start(start)
    found = evaluate(curve, ram_pages=9600, flash_pages=48_000, **DEVICES)
    model = model_of(found, FLASH, DISK)
    points = decision.replay_points(found, curve.scaled)
    rows = {
        name: replay(
            TPCC,
            "scheme",
            name,
            at.ram_pages,
            at.flash_pages,
            warm_up=at.warm_up,
        )
        for name, at in points.items()
    }
    made = {
        (each["scheme"], each["counter"]): each
        for each in compared({**model, "replayed_at": "smaller"}, rows)
    }
    hits = made["none", "ram_hits"]
    accesses = rows["none"]["accesses"]
    assert hits["model"] / accesses == pytest.approx(
        found.schemes["none"].ram_hits / curve.accesses
    )
    assert hits["gap_relative"] == pytest.approx(0, abs=0.03)
    assert not any(each["exact"] for each in made.values())


# --- the command -------------------------------------------------------------------------------------


def test_the_command_replays_the_recording_of_a_scaled_profile(tmp_path: Path) -> None:
    recording().write(tmp_path / "p.json")
    scaled(8.0, "stretch").profile.write(tmp_path / "s.json")
    pages = ("--ram-pages", "9600", "--flash-pages", "48000")
    devices = ("--flash-device", FLASH.id, "--disk-device", DISK.id)
    asked = (*pages, *devices, "--trace", TPCC.path)
    found = printed("evaluate", tmp_path / "s.json", *asked)
    assert found["decided_by"] == "replay"
    assert found["replayed_at"]["flash_pages"] == [6000]
    text = run("evaluate", tmp_path / "s.json", *asked, "--assumptions")
    assert "decided by a replay at sizes divided by 8" in text.stdout
    assert "not the scale law" in text.stderr
    data = recording().curve.distinct_pages * recording().curve.page_bytes * 8
    (tmp_path / "production.toml").write_text(
        f'data = "{data}"\naccesses_per_s = 80000\nlaw = "stretch"\n'
    )
    at_once = printed(
        "evaluate",
        tmp_path / "p.json",
        *asked,
        "--production",
        tmp_path / "production.toml",
    )
    assert at_once["schemes"] == found["schemes"]
    other = run("evaluate", tmp_path / "s.json", *pages, *devices, "--trace", TPCB.path)
    assert other.returncode != 0
    assert "not the trace of the profile" in other.stderr


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("stated", "machines"), [(7, 2), (2, 3), (3, 7)])
def test_sizes_of_one_of_other_machines_are_as_if_these_were_stated(
    law: str, stated: int, machines: int
) -> None:
    """Stated on these in the first place, the same sizes come of the same recorded ones."""
    made, own = (
        scaled(2.5, law, each, 2).profile.curve.scaled for each in (stated, machines)
    )
    assert made is not None
    assert own is not None
    assert made.with_sizes_of(stated) == made
    for pages in (100, 4_321, 20_000):
        assert made.with_sizes_of(machines).recorded_size(pages) == pytest.approx(
            own.recorded_size(pages), rel=1e-4
        )
