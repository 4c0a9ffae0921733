"""Reuse by relation: the core against a slow count in Python, its key of profile files, what it reveals."""

from __future__ import annotations

import copy
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.profile import relations
from tierwright.profile.document import (
    MAX_PROFILE_BYTES,
    profile_from_mapping,
    read_profile,
)
from tierwright.profile.measure import profile
from tierwright.profile.relations import (
    MOST_LISTED,
    MOST_TEXT,
    RelationReuse,
    Times,
    bounded,
    is_catalog,
    together,
)
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCC = Trace(ROOT / "fixtures" / "traces" / "tpcc-cut.csv.zst")


class Access(NamedTuple):
    """One access of a trace."""

    relation: str
    block: int
    write: bool


accesses = st.lists(
    st.builds(
        Access, st.sampled_from(["a", "b", "c"]), st.integers(0, 6), st.booleans()
    ),
    min_size=1,
    max_size=80,
)


def written(path: Path, trace: Sequence[Access]) -> Trace:
    lines = [
        f"{at},{'W' if one.write else 'R'},{one.relation},{one.block}"
        for at, one in enumerate(trace)
    ]
    path.write_text("\n".join(["time_us,op,rel,block", *lines]) + "\n", "utf-8")
    return Trace(path)


def bin_of(value: int) -> tuple[int, int]:
    """Ends of the bin: single values below 8, then four bins to each doubling."""
    if value < 8:
        return value, value
    width = 1 << (value.bit_length() - 3)
    low = value - value % width
    return low, low + width - 1


Counted = dict[tuple[int, int], list[int]]


def slow(trace: Sequence[Access]) -> dict[str, dict[str, Any]]:
    """Look at the accesses of each page, one page after another."""
    found: dict[str, dict[str, Any]] = {}
    for relation in sorted({one.relation for one in trace}):
        reuse: Counted = defaultdict(lambda: [0, 0])
        stays: Counted = defaultdict(lambda: [0, 0])
        own = [one for one in trace if one.relation == relation]
        blocks = {one.block for one in own}
        for block in blocks:
            places = [
                at
                for at, one in enumerate(trace)
                if (one.relation, one.block) == (relation, block)
            ]
            reuse[bin_of(places[0])][1] += 1
            for before, after in pairwise(places):
                reuse[bin_of(after - before)][0] += 1
            for index, place in enumerate(places):
                if trace[place].write:
                    longest, cut = stay(trace, places[index:])
                    stays[bin_of(longest)][cut] += 1
        found[relation] = {
            "accesses": len(own),
            "write_accesses": sum(one.write for one in own),
            "distinct_pages": len(blocks),
            "reuse": columns(reuse),
            "stays": columns(stays),
        }
    return found


def stay(trace: Sequence[Access], places: list[int]) -> tuple[int, bool]:
    """Longest rest from a write to the next one of the page, and whether the trace cut it off."""
    longest = 0
    for before, after in pairwise(places):
        longest = max(longest, after - before)
        if trace[after].write:
            return longest, False
    return max(longest, len(trace) - 1 - places[-1]), True


def columns(counted: Counted) -> dict[str, list[int]]:
    rows = sorted(counted.items())
    return {
        "lowest": [low for (low, _), _ in rows],
        "highest": [high for (_, high), _ in rows],
        "ended": [ended for _, (ended, _) in rows],
        "cut_off": [cut for _, (_, cut) in rows],
    }


def plain(one: RelationReuse) -> dict[str, Any]:
    kept = one.to_dict()
    return {
        key: kept[key]
        for key in ("accesses", "write_accesses", "distinct_pages", "reuse", "stays")
    }


@pytest.mark.oracle("profile.relations.measured")
@pytest.mark.formula("profile.relations.measured")
@given(accesses)
def test_the_core_counts_what_looking_back_counts(
    tmp_path_factory: pytest.TempPathFactory, trace: list[Access]
) -> None:
    path = tmp_path_factory.mktemp("relations") / "trace.csv"
    found = relations.measured(written(path, trace), names=True)
    assert {str(one.name): plain(one) for one in found} == slow(trace)
    sizes = [one.distinct_pages for one in found]
    assert sizes == sorted(sizes, reverse=True)


def test_it_counts_the_same_over_many_chunks(tmp_path: Path) -> None:
    rng = random.Random(11)
    trace = [
        Access(
            f"t{int(rng.paretovariate(1)) % 4}",
            int(rng.paretovariate(0.5)) % 500,
            rng.random() < 0.3,
        )
        for _ in range(150_000)
    ]
    found = relations.measured(written(tmp_path / "long.csv", trace), names=True)
    wanted = slow_forward(trace)
    assert {str(one.name): plain(one) for one in found} == wanted


def slow_forward(trace: Sequence[Access]) -> dict[str, dict[str, Any]]:
    """The same in one pass over Python dictionaries, for a trace too long to look back in."""
    last: dict[tuple[str, int], int] = {}
    longest: dict[tuple[str, int], int] = {}
    found: dict[str, Any] = {}
    for at, one in enumerate(trace):
        own = found.setdefault(
            one.relation,
            {
                "n": 0,
                "w": 0,
                "reuse": defaultdict(lambda: [0, 0]),
                "stays": defaultdict(lambda: [0, 0]),
            },
        )
        key = (one.relation, one.block)
        own["n"] += 1
        if key in last:
            gap = at - last[key]
            own["reuse"][bin_of(gap)][0] += 1
            if key in longest:
                longest[key] = max(longest[key], gap)
        else:
            own["reuse"][bin_of(at)][1] += 1
        last[key] = at
        if one.write:
            own["w"] += 1
            if key in longest:
                own["stays"][bin_of(longest[key])][0] += 1
            longest[key] = 0
    for (relation, block), stay in longest.items():
        rest = len(trace) - 1 - last[relation, block]
        found[relation]["stays"][bin_of(max(stay, rest))][1] += 1
    return {
        name: {
            "accesses": own["n"],
            "write_accesses": own["w"],
            "distinct_pages": sum(key[0] == name for key in last),
            "reuse": columns(own["reuse"]),
            "stays": columns(own["stays"]),
        }
        for name, own in found.items()
    }


def test_both_slow_counts_agree() -> None:
    rng = random.Random(3)
    trace = [
        Access(rng.choice("ab"), rng.randrange(9), rng.random() < 0.4)
        for _ in range(300)
    ]
    assert slow(trace) == slow_forward(trace)


@pytest.mark.oracle("profile.relations.together")
@pytest.mark.formula("profile.relations.together")
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 50), st.booleans()), max_size=30),
        min_size=1,
        max_size=4,
    )
)
def test_all_durations_of_several_are_counted_once(
    several: list[list[tuple[int, bool]]],
) -> None:
    def times(durations: list[tuple[int, bool]]) -> Times:
        counted: Counted = defaultdict(lambda: [0, 0])
        for value, cut in durations:
            counted[bin_of(value)][cut] += 1
        return Times.of(columns(counted))

    joined = together(times(each) for each in several)
    assert (
        joined.to_dict() == times([one for each in several for one in each]).to_dict()
    )


def test_catalogs_are_one_that_does_not_grow() -> None:
    found = relations.measured(TPCC, names=True)
    catalogs = [one for one in found if not one.grows]
    assert [one.name for one in catalogs] == ["catalogs"]
    assert catalogs[0].relations > 1
    assert sum(one.accesses for one in found) == profile(TPCC).curve.accesses
    assert is_catalog("1/1259_vm")
    assert not is_catalog("1/16384")
    assert not is_catalog("1/1259x y")


def many(count: int, bins: int, catalogs: bool = True) -> list[RelationReuse]:
    """Relations whose text is long: each with so many bins of large counts."""

    def one(number: int, grows: bool) -> RelationReuse:
        low = np.arange(bins) * 1_000_000_000
        times = Times(
            low, low + 999_999_999, np.full(bins, 10**9 + number), np.full(bins, 10**8)
        )
        return RelationReuse(
            None, grows, times.count, times.count, 10**6 - number, times, times
        )

    made = [one(number, True) for number in range(count)]
    return [*made, one(count, False)] if catalogs else made


def test_the_smallest_are_joined_until_they_have_room() -> None:
    whole = many(MOST_LISTED, 120)
    assert len(json.dumps([one.to_dict() for one in whole])) > 2 * MOST_TEXT
    found = bounded(whole, MOST_TEXT)
    assert 2 < len(found) < len(whole)
    assert len(json.dumps([one.to_dict() for one in found])) <= MOST_TEXT
    assert found[0] is whole[0]
    assert [one.grows for one in found].count(False) == 1
    assert found[-2].name == "others"
    assert sum(one.relations for one in found) == len(whole)
    for count in ("accesses", "write_accesses", "distinct_pages"):
        assert sum(getattr(one, count) for one in found) == sum(
            getattr(one, count) for one in whole
        )
    assert bounded(whole, 100) == ()
    few = many(3, 2)
    assert bounded(few, MOST_TEXT) == tuple(few)


@pytest.mark.parametrize("bins", [1, 100, 250])
def test_a_profile_file_never_grows_beyond_its_size(bins: int) -> None:
    made = profile(TPCC, points=2000)
    filled = made.with_relations(many(MOST_LISTED, bins))
    assert len(filled.to_text()) <= MAX_PROFILE_BYTES
    assert bool(filled.relations)
    again = profile_from_mapping(json.loads(filled.to_text()))
    assert [one.to_dict() for one in again.relations] == [
        one.to_dict() for one in filled.relations
    ]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return replace(
        profile(TPCC, points=20), relations=relations.measured(TPCC)
    ).to_dict()


def test_the_key_of_a_profile_is_read_as_it_was_written(
    document: dict[str, Any],
) -> None:
    again = profile_from_mapping(json.loads(json.dumps(document)))
    assert again.to_dict() == document
    assert document["schema_version"] == 1
    assert "relations" not in profile(TPCC, points=20).to_dict()


DAMAGE: dict[str, Any] = {
    "relations": [],
    "relations[0]": 7,
    "relations[0].name": "",
    "relations[0].grows": 1,
    "relations[0].accesses": -1,
    "relations[0].write_accesses": 1.5,
    "relations[0].distinct_pages": 0,
    "relations[0].relations": True,
    "relations[0].reuse": None,
    "relations[0].stays": {"lowest": [1], "highest": [0], "ended": [1], "cut_off": [0]},
}


@pytest.mark.parametrize("where", DAMAGE)
def test_a_damaged_relation_is_named(document: dict[str, Any], where: str) -> None:
    damaged = copy.deepcopy(document)
    place: Any = damaged
    key = where.rpartition(".")[2]
    if "[0]" in where:
        place = damaged["relations"]
        if "." in where:
            place = place[0]
        else:
            key = 0  # type: ignore[assignment]
    place[key] = DAMAGE[where]
    with pytest.raises(BadInput) as refused:
        profile_from_mapping(damaged)
    assert where in refused.value.message


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda one: one["reuse"]["ended"].__setitem__(0, 10**6), "relations[1].reuse"),
        (lambda one: one["reuse"]["lowest"].pop(), "relations[1].reuse"),
        (lambda one: one["stays"]["cut_off"].__setitem__(0, -3), "relations[1].stays"),
        (lambda one: one["reuse"].pop("highest"), "relations[1].reuse"),
    ],
)
def test_counts_that_do_not_fit_are_named(
    document: dict[str, Any], change: Any, where: str
) -> None:
    damaged = copy.deepcopy(document)
    change(damaged["relations"][1])
    with pytest.raises(BadInput) as refused:
        profile_from_mapping(damaged)
    assert where in refused.value.message


def test_names_leave_only_on_request(tmp_path: Path) -> None:
    rng = random.Random(5)
    secret = "payroll_of_acme"
    trace = [
        Access(rng.choice([secret, "b" * 300]), rng.randrange(30), rng.random() < 0.5)
        for _ in range(500)
    ]
    path = written(tmp_path / "trace.csv", trace).path
    silent, named = tmp_path / "silent.json", tmp_path / "named.json"
    assert run("profile", path, "-o", silent).returncode == 0
    assert run("profile", path, "-o", named, "--relation-names").returncode == 0
    assert secret not in silent.read_text("utf-8")
    assert {one.name for one in read_profile(silent).relations} == {None}
    # A name longer than a profile takes is cut, so that the file can be read again.
    assert {one.name for one in read_profile(named).relations} == {secret, "b" * 200}
    without = tmp_path / "without.json"
    assert run("profile", path, "-o", without, "--no-summaries").returncode == 0
    assert read_profile(without).relations == ()


def test_without_relations_all_pages_are_one(tmp_path: Path) -> None:
    path = tmp_path / "blocks.lis"
    path.write_text("1 1 0 0\n2 1 0 1\n1 1 0 2\n", "utf-8")
    (one,) = relations.measured(Trace(path, format="arc"), names=True)
    assert (one.accesses, one.write_accesses, one.distinct_pages) == (3, 0, 2)
    assert one.grows


def test_a_stopped_count_makes_nothing() -> None:
    with pytest.raises(_simulator.Cancelled):
        relations.measured(TPCC, on_progress=lambda *_: False)
