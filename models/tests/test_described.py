"""Described workloads: curves by formula against a slow LRU."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import OrderedDict

import numpy as np
import pytest
import recordings
from hypothesis import given
from hypothesis import strategies as st

from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.described.curve import (
    described_ratios,
    loop_distance,
    loop_miss_chance,
)
from tierwright.evaluate.described.groups import grouped, zipf_groups
from tierwright.evaluate.described.workload import (
    about_description,
    described_finding,
    described_profile,
)
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.hardware.facts import fixtures_folder
from tierwright.hardware.workload_presets import (
    find_preset,
    preset_from_mapping,
    presets,
)
from tierwright.profile.described.description import (
    description_from_mapping,
    read_description,
)
from tierwright.profile.described.generated import generate_trace
from tierwright.profile.document import profile_from_mapping
from tierwright.profile.measure import profile
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

FIXTURES = fixtures_folder()

PAGES = 200


def described(components, write_share=0.3, pages=PAGES):
    return description_from_mapping(
        {
            "name": "test",
            "page_bytes": 4096,
            "data_bytes": pages * 4096,
            "accesses_per_s": 1000,
            "write_share": write_share,
            "components": components,
        }
    )


ZIPF = {"kind": "zipf", "exponent": 0.9}
HOT = {"kind": "hot_cold", "hot_data_share": 0.2, "hot_access_share": 0.8}
UNIFORM = {"kind": "uniform"}
SCAN = {"kind": "scan"}
MIXES = {
    "zipf": [ZIPF],
    "hot_cold": [HOT],
    "uniform": [UNIFORM],
    "scan": [SCAN],
    "mix": [
        {**ZIPF, "weight": 3, "data_share": 0.5},
        {**SCAN, "weight": 1, "data_share": 0.3, "write_share": 0.0},
        {**UNIFORM, "weight": 1, "write_share": 0.8},
    ],
}


def draws(found, seed):
    """Yield (page, writes), each access of a component at random."""
    rng = random.Random(seed)
    shares = [part.access_share for part in found.parts]
    at = [0] * len(shares)
    weights = []
    for part in found.parts:
        one = part.component
        if one.kind == "zipf":
            weights.append([k**-one.exponent for k in range(1, part.pages + 1)])
        elif one.kind == "hot_cold":
            hot, cold = part.hot_pages, part.pages - part.hot_pages
            heat = one.hot_access_share
            weights.append([heat / hot] * hot + [(1 - heat) / cold] * cold)
        else:
            weights.append([1.0] * part.pages)
    while True:
        for index in rng.choices(range(len(shares)), shares, k=1000):
            part = found.parts[index]
            if part.component.kind == "scan":
                page = at[index]
                at[index] = (page + 1) % part.pages
            else:
                page = rng.choices(range(part.pages), weights[index])[0]
            yield part.first_page + page, rng.random() < part.write_share


def slow_lru(accesses, size, warm_up):
    held: OrderedDict[int, bool] = OrderedDict()
    misses = backs = 0
    for index, (page, writes) in enumerate(accesses):
        if page in held:
            held[page] |= writes
            held.move_to_end(page)
            continue
        misses += index >= warm_up
        if len(held) == size:
            backs += held.popitem(last=False)[1] and index >= warm_up
        held[page] = writes
    return misses, backs


@pytest.mark.oracle(
    "evaluate.described.curve.described_ratios",
    "evaluate.described.curve.loop_distance",
    "evaluate.described.curve.loop_miss_chance",
    "evaluate.described.groups.grouped",
    "evaluate.described.workload.described_profile",
)
@pytest.mark.parametrize("name", MIXES)
def test_the_formula_agrees_with_a_replay(name):
    found = described(MIXES[name])
    stream = draws(found, 7)
    warm_up, counted = 5_000, 40_000
    accesses = [next(stream) for _ in range(warm_up + counted)]
    curve = described_profile(found).curve
    for size in (1, 5, 20, 60, 120, 180, 199):
        misses, backs = slow_lru(accesses, size, warm_up)
        assert curve.misses(size) / curve.accesses == pytest.approx(
            misses / counted, abs=0.015
        )
        assert curve.write_backs(size) / curve.accesses == pytest.approx(
            backs / counted, abs=0.015
        )


def test_a_trillion_pages_without_writes():
    found = described([ZIPF], write_share=0.0, pages=10**12)
    profile = described_profile(found)
    assert profile.curve.write_backs_at is not None
    assert profile.curve.write_backs_at.max() == 0
    assert profile.curve.misses_at[-1] == 0


def test_the_document_is_read_again():
    profile = described_profile(described(MIXES["mix"]))
    again = profile_from_mapping(profile.to_dict())
    assert again.to_dict() == profile.to_dict()
    assert again.curve.given is not None
    assert again.curve.given.described_by == "test"


def test_weights_are_normalised():
    heavy = [{**one, "weight": one["weight"] * 7} for one in MIXES["mix"]]
    assert described_profile(described(heavy)).curve.misses_at == pytest.approx(
        described_profile(described(MIXES["mix"])).curve.misses_at
    )


def test_every_fault_is_named():
    with pytest.raises(BadInput) as caught:
        described([{"kind": "zipf", "weight": 0}, {"kind": "other"}], write_share=2)
    text = caught.value.message
    assert "components[0].exponent" in text
    assert "components[0].weight" in text
    assert "components[1].kind" in text


def test_answers_say_once_that_they_rest_on_a_description():
    curve = described_profile(described(MIXES["mix"])).curve
    names = [caution.name for caution in about_curve(curve, 20, 100)]
    assert names.count("described_workload") == 1
    assert "given_curve" not in names


@pytest.mark.oracle("evaluate.described.groups.zipf_groups")
@pytest.mark.formula("evaluate.described.groups.zipf_groups")
@given(exponent=st.floats(0, 2.5))
def test_groups_of_ranks_hold_the_sums_of_their_ranks(exponent):
    pages = 5_000
    shares, counts = zipf_groups(pages, exponent)
    each = np.arange(1, pages + 1) ** -exponent
    ends = np.cumsum(counts).astype(int)
    assert ends[-1] == pages
    sums = np.diff(np.concatenate(([0.0], np.cumsum(each)[ends - 1])))
    assert shares == pytest.approx(sums / each.sum(), rel=2e-4)


@pytest.mark.formula(
    "evaluate.described.curve.described_ratios",
    "evaluate.described.curve.loop_distance",
    "evaluate.described.curve.loop_miss_chance",
    "evaluate.described.groups.grouped",
    "evaluate.described.workload.described_profile",
    "profile.described.description.description_from_mapping",
)
@given(
    exponent=st.floats(0, 3),
    weights=st.lists(st.floats(0.01, 100), min_size=4, max_size=4),
    writes=st.floats(0, 1),
)
def test_more_cache_never_misses_more(exponent, weights, writes):
    kinds = ({**ZIPF, "exponent": exponent}, HOT, UNIFORM, SCAN)
    mix = [{**one, "weight": w} for one, w in zip(kinds, weights, strict=True)]
    curve = described_profile(described(mix, writes), points=60).curve
    backs = curve.write_backs_at
    assert backs is not None
    assert np.all(np.diff(curve.misses_at, prepend=curve.accesses) <= 0)
    assert np.all(np.diff(backs, prepend=curve.write_accesses) <= 0)
    assert np.all(backs <= curve.misses_at)
    assert curve.misses_at[-1] == 0
    groups, loops = grouped(described(mix, writes))
    assert groups.counts.sum() + loops.pages.sum() == PAGES
    assert described_ratios(groups, loops, 1).misses <= 1
    mean, deviation = loop_distance(groups, loops, 0)
    assert loops.pages[0] <= mean <= PAGES
    assert deviation >= 0
    ends = loop_miss_chance(groups, loops, 0, np.asarray([0.0, 2.0 * PAGES]))
    assert ends[0] >= ends[1]


@pytest.mark.oracle(
    "profile.described.description.description_from_mapping",
    "profile.described.description.read_description",
)
@pytest.mark.formula("profile.described.description.read_description")
@given(weight=st.floats(0.1, 10))
def test_a_file_is_read_as_its_keys_say(tmp_path_factory, weight):
    path = tmp_path_factory.mktemp("described") / "one.toml"
    path.write_text(
        'page_bytes = 4096\ndata_bytes = "1MiB"\naccesses_per_s = 10\n'
        'write_share = 0.5\n[[components]]\nkind = "uniform"\npages = 100\n'
        f'weight = {weight}\n[[components]]\nkind = "scan"\nweight = {3 * weight}\n'
    )
    found = read_description(path)
    assert found.data_pages == 256
    assert [part.pages for part in found.parts] == [100, 156]
    assert [part.access_share for part in found.parts] == pytest.approx([0.25, 0.75])


def replayed(path, size, warm_up):
    found = replay(Trace(path), "policy", "lru", size, warm_up=warm_up)
    counted = found["accesses"]
    return found["misses"] / counted, found["disk_writes"] / counted


class TestGeneratedTraces:
    @pytest.mark.oracle("profile.described.generated.generate_trace")
    @pytest.mark.parametrize("name", MIXES)
    def test_replays_agree_with_the_formula(self, tmp_path, name):
        """Within what docs/models/described.md states, misses and write-backs."""
        pages, warm_up = 2_000, 100_000
        found = described(MIXES[name], pages=pages)
        out = tmp_path / "made.twt"
        generate_trace(found, out, warm_up + 400_000, seed=11)
        curve = described_profile(found).curve
        for size in (1, 20, 200, 600, 1_200, 1_800, 1_990):
            misses, backs = replayed(out, size, warm_up)
            assert float(curve.misses(size)) / curve.accesses == pytest.approx(
                misses, abs=0.015
            )
            assert float(curve.write_backs(size)) / curve.accesses == pytest.approx(
                backs, abs=0.015
            )

    def test_a_wrong_skew_is_noticed(self, tmp_path):
        """The comparison above can fail: of another exponent the curve is far off."""
        out = tmp_path / "made.twt"
        generate_trace(described([ZIPF], pages=2_000), out, 200_000, seed=11)
        other = described([{**ZIPF, "exponent": 1.1}], pages=2_000)
        curve = described_profile(other).curve
        misses, _ = replayed(out, 200, 50_000)
        assert abs(float(curve.misses(200)) / curve.accesses - misses) > 0.05

    @pytest.mark.formula("profile.described.generated.generate_trace")
    @given(seed=st.integers(0, 2**64 - 1), weight=st.floats(0.1, 10))
    def test_the_same_seed_gives_the_same_bytes(self, tmp_path_factory, seed, weight):
        folder = tmp_path_factory.mktemp("made")
        mix = described([{**HOT, "weight": weight}, {**SCAN, "data_share": 0.2}])
        texts = []
        for name, given_seed in (("a", seed), ("b", seed), ("c", seed ^ 1)):
            path = folder / f"{name}.twt"
            made = generate_trace(mix, path, 500, seed=given_seed)
            assert made["accesses"] == 500
            texts.append(path.read_bytes())
        assert texts[0] == texts[1]
        assert texts[0] != texts[2]

    def test_shares_rate_and_places_are_those_of_the_description(self, tmp_path):
        found = described(MIXES["mix"], pages=1_000)
        out = tmp_path / "made.twt"
        made = generate_trace(found, out, 300_000, seed=3)
        written = made["write_accesses"] / made["accesses"]
        assert written == pytest.approx(found.accesses_that_write, abs=0.005)
        assert made["duration_s"] == pytest.approx(300_000 / 1_000, rel=1e-4)
        assert made["distinct_pages"] == 1_000
        assert made["page_bytes"] == 4096

    def test_answers_say_that_the_trace_was_generated(self, tmp_path):
        out = tmp_path / "made.twt"
        generate_trace(described([UNIFORM]), out, 1_000, seed=5)
        [note] = profile(Trace(out)).curve.notes.warnings
        assert note.name == "generated_trace"
        assert "`test` with seed 5" in note.message

    @pytest.mark.parametrize("changes", [{"accesses": 0}, {"seed": -1}])
    def test_what_is_out_of_range_is_refused(self, tmp_path, changes):
        asked = {"accesses": 10, "seed": 1} | changes
        with pytest.raises(BadInput) as caught:
            generate_trace(
                described([ZIPF]),
                tmp_path / "x.twt",
                asked["accesses"],
                seed=asked["seed"],
            )
        assert next(iter(changes)) in caught.value.message
        assert not (tmp_path / "x.twt").exists()


class TestPresets:
    NAMES = ("analytics", "key-value", "oltp", "web")

    def test_all_four_are_there_and_say_where_they_come_from(self):
        assert tuple(presets()) == self.NAMES
        for preset in presets().values():
            assert preset.fitted_by == "scripts/fit_presets.py"
            assert len(preset.fit) >= 10
            assert preset.source

    @pytest.mark.parametrize("name", NAMES)
    def test_the_error_that_a_file_states_is_the_error_of_its_mix(self, name):
        preset = find_preset(name)
        sizes = [point.cache_pages for point in preset.fit]
        found = described_ratios(*grouped(preset.workload), sizes)
        for at, point in enumerate(preset.fit):
            assert point.described_misses == pytest.approx(found.misses[at], abs=1e-5)
            if point.described_write_backs is not None:
                assert point.described_write_backs == pytest.approx(
                    found.write_backs[at], abs=1e-5
                )
        assert preset.miss_error < 0.03

    def test_oltp_fits_the_shipped_trace(self):
        preset = find_preset("oltp")
        curve = profile(
            Trace(recordings.TPCC),
            sizes=tuple(point.cache_pages for point in preset.fit),
        ).curve.steady()
        for point in preset.fit:
            misses = float(curve.misses(point.cache_pages)) / curve.accesses
            assert point.recorded_misses == pytest.approx(misses, abs=1e-3)

    def test_data_and_load_of_ones_own_keep_the_mix(self):
        preset = find_preset("oltp")
        own = preset.described(data_bytes=2**40, accesses_per_s=20_000)
        assert own.data_bytes == 2**40
        assert own.components == preset.workload.components
        assert f"within {preset.miss_error:.2%}" in own.provenance
        given = described_profile(own).curve.given
        assert given is not None
        assert own.provenance in given.assumptions

    def test_an_unknown_preset_names_the_nearest(self):
        with pytest.raises(BadInput) as caught:
            find_preset("oltpp")
        assert "`oltp`" in caught.value.hint

    def test_a_damaged_file_names_its_keys(self):
        whole = {
            **dict.fromkeys(("title", "summary", "source", "licence"), "x"),
            "id": "x",
            "fitted_by": "x",
            "workload": find_preset("web").workload.to_dict(),
            "fit": [{"cache_pages": 0, "recorded_misses": 2, "described_misses": 0.5}],
        }
        whole["workload"] = {
            key: value
            for key, value in whole["workload"].items()
            if key not in ("title", "provenance")
        }
        with pytest.raises(BadInput) as caught:
            preset_from_mapping(whole, "x.toml")
        assert "fit[0].cache_pages" in caught.value.message
        assert "fit[0].recorded_misses" in caught.value.message


class TestAnswers:
    def test_straight_lines_are_far_nearer_than_the_formula_is_exact(self):
        """So answers do not warn of sizes between the listed ones."""
        for preset in presets().values():
            found = preset.described(data_bytes=2**40)
            curve = described_profile(found).curve
            draw = np.random.default_rng(1).uniform(0, np.log(found.data_pages), 400)
            sizes = np.unique(np.exp(draw).astype(np.int64))
            exact = described_ratios(*grouped(found), sizes)
            misses = curve.misses(sizes) / curve.accesses
            assert np.abs(misses - exact.misses).max() < 0.001
            backs = curve.write_backs(sizes) / curve.accesses
            assert np.abs(backs - exact.write_backs).max() < 0.001
            between = next(int(s) for s in sizes if not curve.is_listed(s))
            names = [one.name for one in about_curve(curve, between, 0)]
            assert "interpolated" not in names

    def test_a_given_curve_still_warns_between_its_sizes(self):
        curve = described_profile(described(MIXES["mix"], pages=10**6)).curve
        assert curve.given is not None
        other = dataclasses.replace(
            curve, given=dataclasses.replace(curve.given, described_by=None)
        )
        between = next(n for n in range(500_000, 600_000) if not other.is_listed(n))
        assert "interpolated" in [one.name for one in about_curve(other, between, 0)]

    def test_the_finding_follows_the_curve(self):
        skewed = described_profile(described([{**ZIPF, "exponent": 1.5}])).curve
        assert described_finding(skewed).startswith("90% of the accesses hit")
        scanned = described_profile(described([SCAN])).curve
        assert described_finding(scanned).startswith("No cache smaller than the data")

    def test_idle_data_is_named(self):
        whole = described([{**ZIPF, "data_share": 0.5}, UNIFORM])
        assert list(about_description(whole)) == []
        part = described([{**ZIPF, "data_share": 0.25}])
        [caution] = about_description(part)
        assert caution.name == "data_not_accessed"
        assert "75.0%" in caution.message

    def test_a_dirty_share_cannot_be_stated_beside_the_description(self):
        curve = described_profile(described([ZIPF])).curve
        with pytest.raises(BadInput, match="write shares"):
            curve.with_dirty_share(0.3)


class TestCommands:
    def run(self, capsys, *arguments):
        code = main([str(one) for one in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    def test_a_preset_takes_data_and_load(self, tmp_path, capsys):
        out = tmp_path / "p.json"
        code, said, _ = self.run(
            capsys,
            *("describe", "--preset", "oltp", "--data", "1TiB"),
            *("--accesses-per-second", "20000", "-o", out, "--json"),
        )
        assert code == 0
        document = json.loads(said)
        assert document["accesses"] == 20_000 * 86_400
        assert document["distinct_pages"] == 2**40 // 8192
        assert document == json.loads(out.read_text())

    def test_generate_has_the_keys_of_convert(self, tmp_path, capsys):
        made = tmp_path / "made.twt"
        asked = ("trace", "generate", "--preset", "web", "--data", "64MiB")
        code, said, _ = self.run(
            capsys, *asked, "--accesses", 2000, "--seed", 7, "-o", made, "--json"
        )
        assert code == 0
        found = json.loads(said)
        _, said, _ = self.run(
            capsys, "trace", "convert", made, tmp_path / "again.twt", "--json"
        )
        again = json.loads(said)
        assert set(again) - {"content_id"} <= set(found) | {"resumed_at_accesses"}
        for key in ("content_id", "sha256_of_sequence", "accesses", "distinct_pages"):
            assert found[key] == again[key]
        code, _, said = self.run(
            capsys, *asked, "--accesses", 2000, "--seed", 7, "-o", made
        )
        assert code == 2
        assert "--force" in said or "exists" in said

    def test_presets_are_listed(self, capsys):
        code, said, _ = self.run(capsys, "catalog", "presets", "--json")
        assert code == 0
        assert [one["id"] for one in json.loads(said)] == list(TestPresets.NAMES)
        assert self.run(capsys, "catalog", "presets")[0] == 0

    @pytest.mark.parametrize("extra", [(), ("x.toml", "--preset", "oltp")])
    def test_a_file_or_a_preset_is_needed(self, capsys, extra):
        code, _, said = self.run(capsys, "describe", *extra)
        assert code == 2
        assert "--preset" in said
