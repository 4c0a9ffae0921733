"""Pages of a recording joined into larger ones: profile, replay, relations, and what is refused."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import pytest
from command import answer as printed
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.common.core_errors import ParameterError
from tierwright.profile import measure, relations
from tierwright.simulate import replay
from tierwright.trace.reading import Trace, convert, inspect

PAGE = 8192
Access = tuple[str, int, bool]
accesses_of = st.lists(
    st.tuples(
        st.sampled_from(["1/10", "1/11", "1/10_fsm"]), st.integers(0, 40), st.booleans()
    ),
    min_size=1,
    max_size=150,
)


def recording(path: Path, accesses: list[Access]) -> Trace:
    lines = [
        f"{at},{'W' if write else 'R'},{relation},{block}"
        for at, (relation, block, write) in enumerate(accesses)
    ]
    path.write_text("\n".join(["time_us,op,rel,block", *lines]) + "\n")
    return Trace(path, format="postgres_csv")


def slow_misses(accesses: list[Access], times: int) -> list[int]:
    """Count the misses of every LRU size, from 1 page on, from the distances in a list that is kept."""
    stack: list[tuple[str, int]] = []
    distances = []
    for relation, block, _ in accesses:
        page = (relation, block // times)
        if page in stack:
            distances.append(len(stack) - stack.index(page))
            stack.remove(page)
        else:
            distances.append(len(accesses) + 1)
        stack.append(page)
    distances.sort()
    return [
        len(accesses) - bisect_left(distances, size + 1)
        for size in range(1, len(stack) + 1)
    ]


def slow_write_backs(accesses: list[Access], times: int, size: int) -> int:
    """Replay LRU with a dictionary: dirty pages evicted."""
    cache: OrderedDict[tuple[str, int], bool] = OrderedDict()
    evicted_dirty = 0
    for relation, block, write in accesses:
        page = (relation, block // times)
        dirty = cache.pop(page, False) or write
        cache[page] = dirty
        if len(cache) > size:
            evicted_dirty += cache.popitem(last=False)[1]
    return evicted_dirty


@settings(max_examples=60, deadline=None)
@given(accesses=accesses_of, join=st.integers(0, 5))
def test_the_curve_is_that_of_a_dictionary_of_relation_and_block(
    tmp_path_factory: pytest.TempPathFactory, accesses: list[Access], join: int
) -> None:
    trace = recording(tmp_path_factory.mktemp("t") / "t.csv", accesses)
    times = 2**join
    found = measure.curves(replace(trace, joined_page_bytes=PAGE * times))
    expected = slow_misses(accesses, times)
    assert list(found["misses"]) == expected
    assert (found["accesses"], found["distinct_pages"]) == (
        len(accesses),
        len(expected),
    )
    assert found["page_bytes"] == PAGE * times
    assert found["write_accesses"] == sum(write for *_, write in accesses)
    for size in range(1, len(expected) + 1):
        assert found["write_backs"][size - 1] == slow_write_backs(accesses, times, size)


def draw(seed: int, count: int, relations_of: int = 3) -> list[Access]:
    chosen = random.Random(seed)
    return [
        (
            f"1/{chosen.randrange(relations_of)}",
            int(chosen.paretovariate(0.7)) % 3000,
            chosen.random() < 0.3,
        )
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recording(tmp_path_factory.mktemp("joined") / "t.csv", draw(3, 20_000))


@pytest.fixture(scope="module")
def canonical(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    out = tmp_path_factory.mktemp("canonical") / "t.twt"
    convert(trace, out)
    return Trace(out)


def test_pages_as_recorded_change_nothing(trace: Trace, tmp_path: Path) -> None:
    same = replace(trace, joined_page_bytes=PAGE)
    assert measure.profile(same).to_dict() == measure.profile(trace).to_dict()
    assert inspect(same) == inspect(trace)
    convert(trace, tmp_path / "a.twt")
    convert(same, tmp_path / "b.twt")
    assert (tmp_path / "a.twt").read_bytes() == (tmp_path / "b.twt").read_bytes()


def test_every_pass_joins_raw_and_canonical_traces_alike(
    trace: Trace, canonical: Trace, tmp_path: Path
) -> None:
    large = 4 * PAGE
    written = Trace(tmp_path / "large.twt")
    convert(replace(canonical, joined_page_bytes=large), written.path)
    one, other = (replace(each, joined_page_bytes=large) for each in (trace, canonical))
    configurations = [
        {"policy": "lru", "pages": 50},
        {"policy": "clock", "pages": 200},
        {"scheme": "exclusive", "ram_pages": 40, "flash_pages": 200},
    ]
    found = []
    for each in (one, other, written):
        curves = measure.curves(each)
        rows = replay.sweep(each, configurations)["rows"]
        for row in rows:
            assert "error" not in row
            row.pop("trace", None)
        found.append(
            (
                list(curves["misses"]),
                list(curves["write_backs"]),
                rows,
                [
                    (reuse.name, reuse.accesses, reuse.distinct_pages)
                    for reuse in relations.measured(each, names=True)
                ],
            )
        )
    assert found[0] == found[1] == found[2]
    misses = found[0][0]
    assert found[0][2][0]["misses"] == misses[50 - 1]
    # Neighbours share pages, so larger pages are fewer, and each holds at most four.
    assert len(misses) < measure.curves(trace)["distinct_pages"]


def test_groups_never_cross_relations(tmp_path: Path) -> None:
    apart = recording(tmp_path / "t.csv", [("1/1", 0, False), ("1/2", 1, False)] * 3)
    found = measure.curves(replace(apart, joined_page_bytes=2 * PAGE))
    assert found["distinct_pages"] == 2
    together = recording(tmp_path / "u.csv", [("1/1", 0, False), ("1/1", 1, False)] * 3)
    assert (
        measure.curves(replace(together, joined_page_bytes=2 * PAGE))["distinct_pages"]
        == 1
    )


def test_the_command_joins_and_says_so(trace: Trace, tmp_path: Path) -> None:
    made = printed(
        "profile",
        trace.path,
        *("--joined-page-bytes", 2 * PAGE),
        *("-o", tmp_path / "p.json"),
    )
    assert made["page_bytes"] == 2 * PAGE
    found = printed("trace", "inspect", trace.path, "--joined-page-bytes", 4 * PAGE)
    assert found["page_bytes"] == 4 * PAGE
    assert any("4 neighbouring pages" in text for text in found["assumptions"])
    done = run("trace", "inspect", trace.path, "--joined-page-bytes", PAGE // 2)
    assert done.returncode != 0
    assert "does not show which part of its page was used" in done.stderr
    assert "hint:" in done.stderr


def test_keys_have_no_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text("a\nb\na\n")
    keys = Trace(path, format="keys")
    convert(keys, tmp_path / "keys.twt")
    for each in (keys, Trace(tmp_path / "keys.twt")):
        measure.curves(each)
        with pytest.raises(ParameterError, match="names keys") as error:
            measure.curves(replace(each, joined_page_bytes=PAGE))
        assert "names pages or addresses" in str(error.value.args)


def test_an_interrupted_conversion_of_joined_pages_resumes(
    tmp_path: Path,
) -> None:
    trace = replace(
        recording(tmp_path / "t.csv", draw(5, 200_000)), joined_page_bytes=2 * PAGE
    )
    out = tmp_path / "out.twt"
    kept = [out.with_name(f"out.twt.{end}") for end in ("partial", "checkpoint")]
    frozen: dict[Path, bytes] = {}

    def freeze(_: int, __: int, accesses: int, ___: int | None) -> bool:
        if accesses == 2 * 65_536:
            frozen.update({file: file.read_bytes() for file in kept})
        return True

    convert(trace, out, resume=("key", 1), on_progress=freeze)
    whole = out.read_bytes()
    # Another size is another conversion, which begins again.
    for read, resumes in (
        (trace, True),
        (replace(trace, joined_page_bytes=None), False),
    ):
        out.unlink()
        for file, content in frozen.items():
            file.write_bytes(content)
        made = convert(read, out, resume=("key", 1))
        assert ("resumed_at_accesses" in made) is resumes
        assert (out.read_bytes() == whole) is resumes
