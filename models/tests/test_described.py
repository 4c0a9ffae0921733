"""Described workloads: curves by formula against a slow LRU."""

from __future__ import annotations

import random
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate.described.curve import (
    described_ratios,
    loop_distance,
    loop_miss_chance,
)
from tierwright.evaluate.described.groups import grouped, zipf_groups
from tierwright.evaluate.described.workload import described_profile
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.profile.described.description import (
    description_from_mapping,
    read_description,
)
from tierwright.profile.document import profile_from_mapping

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
