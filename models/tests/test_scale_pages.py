"""Pages of production: the recording is profiled again with larger ones, or why it cannot be."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import answer as printed
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import scale
from tierwright.advise.scale.pages import check_page_size, with_pages_of
from tierwright.common.errors import BadInput
from tierwright.profile import relations
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCB = Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst")
SMALL, LARGE = 4096, 16_384
GIB = 2**30


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Requests of bytes, some over several pages and some not aligned, on two disks."""
    draw = random.Random(7)
    rows = [
        f"{128166372003061629 + at * 10_000},host,{draw.randrange(2)},"
        f"{'Write' if draw.random() < 0.3 else 'Read'},"
        f"{int(draw.paretovariate(0.6) * 7000) % 400_000_000 // 512 * 512},"
        f"{draw.choice((512, 4096, 8192, 40_960))},100"
        for at in range(30_000)
    ]
    path = tmp_path_factory.mktemp("pages") / "block.csv"
    path.write_text("\n".join(rows) + "\n")
    return Trace(path, format="msr")


@pytest.fixture(scope="module")
def recorded(trace: Trace) -> Profile:
    small = replace(trace, page_bytes=SMALL)
    return profile(small).with_relations(relations.measured(small))


@pytest.fixture(scope="module")
def larger(trace: Trace) -> Profile:
    return profile(replace(trace, page_bytes=LARGE))


def production(page_bytes: int | None) -> Production:
    return Production(64 * GIB, 1000.0, page_bytes=page_bytes)


@pytest.mark.oracle("advise.scale.pages.with_pages_of")
def test_the_curve_is_that_of_the_requests_split_into_larger_pages(
    trace: Trace, recorded: Profile, larger: Profile
) -> None:
    made = with_pages_of(recorded, trace, LARGE)
    assert made.curve.to_lists() == larger.curve.to_lists()
    assert made.curve.page_bytes == LARGE
    # neighbours fall on one page
    assert made.curve.distinct_pages < recorded.curve.distinct_pages
    assert made.curve.accesses < recorded.curve.accesses
    assert sum(one.accesses for one in made.relations) == made.curve.accesses
    assert sum(one.distinct_pages for one in made.relations) == (
        made.curve.distinct_pages
    )


@pytest.mark.formula("advise.scale.pages.with_pages_of")
@settings(max_examples=6, deadline=None)
@given(times=st.sampled_from([1, 2, 4, 8, 16, 32, 64, 256]))
def test_larger_pages_are_fewer_and_as_many_bytes_at_least(
    trace: Trace, recorded: Profile, times: int
) -> None:
    made = with_pages_of(replace(recorded, relations=()), trace, times * SMALL).curve
    before = recorded.curve
    assert made.distinct_pages <= before.distinct_pages
    assert made.distinct_pages * times >= before.distinct_pages
    assert made.write_accesses <= before.write_accesses
    if times == 1:
        assert made is before


@pytest.mark.formula("advise.scale.pages.check_page_size")
@given(page_bytes=st.integers(1, 2**31))
def test_only_recorded_pages_pass_without_the_trace(
    recorded: Profile, page_bytes: int
) -> None:
    if page_bytes == recorded.curve.page_bytes:
        check_page_size(recorded.curve, page_bytes)
        return
    with pytest.raises(BadInput):
        check_page_size(recorded.curve, page_bytes)


@pytest.mark.oracle("advise.scale.pages.check_page_size")
@pytest.mark.parametrize(
    ("page_bytes", "words", "hint"),
    [
        (2048, "does not show which part of a page was used", "as small as"),
        (6000, "not multiples", "a multiple of 4096"),
        (LARGE, "only the trace shows", "pages of 16384 bytes"),
    ],
)
def test_other_pages_are_refused_by_name(
    recorded: Profile, page_bytes: int, words: str, hint: str
) -> None:
    with pytest.raises(BadInput, match=words) as error:
        scale.answer(recorded, production(page_bytes))
    assert hint in error.value.hint
    for same in (None, SMALL):
        check_page_size(recorded.curve, same)
        made = scale.answer(recorded, production(same))
        assert made.scaled.recorded_page_bytes is None
        assert "recorded with pages" not in made.finding
    one, other = (
        scale.answer(recorded, production(same)).profile.curve.to_lists()
        for same in (None, SMALL)
    )
    assert one == other


def test_what_names_pages_cannot_be_grouped() -> None:
    made = profile(TPCB)
    with pytest.raises(BadInput, match="2 neighbours cannot be grouped") as error:
        with_pages_of(made, TPCB, LARGE)
    assert "addresses in bytes" in error.value.hint


def test_what_cannot_be_profiled_again_is_named(
    trace: Trace, recorded: Profile, larger: Profile
) -> None:
    with pytest.raises(BadInput, match="part of a page"):
        with_pages_of(larger, trace, SMALL)
    with pytest.raises(BadInput, match="not the trace of the profile"):
        with_pages_of(recorded, replace(trace, format=None, path=TPCB.path), LARGE)
    new = replace(recorded, curve=recorded.curve.with_new_pages(5))
    with pytest.raises(BadInput, match="new pages"):
        with_pages_of(new, trace, LARGE)
    scaled = scale.answer(recorded, production(None)).profile
    with pytest.raises(BadInput, match="not measured from a trace"):
        with_pages_of(scaled, trace, LARGE)


def test_the_answer_says_by_which_pages(recorded: Profile, larger: Profile) -> None:
    made = scale.answer(larger, production(LARGE), recorded_page_bytes=SMALL)
    assert made.finding.endswith(
        "It was recorded with pages of 4 KiB and is evaluated with pages of 16 KiB, into which "
        "the requests were split again."
    )
    document = json.loads(json.dumps(made.profile.to_dict()))
    again = profile_from_mapping(document).curve
    assert again.scaled == made.scaled
    assert again.scaled is not None
    assert again.scaled.recorded_page_bytes == SMALL
    assert again.page_bytes == LARGE


def test_the_command_profiles_again_and_replays_with_these_pages(
    tmp_path: Path, trace: Trace, recorded: Profile, larger: Profile
) -> None:
    recorded.write(tmp_path / "p.json")
    reading: tuple[Any, ...] = ("--trace", trace.path, "--format", "msr")
    asked = ("--accesses-per-second", "1000", "--law", "stretch")
    data = 4 * larger.curve.distinct_pages * LARGE
    made = printed(
        "scale",
        tmp_path / "p.json",
        *("--data", f"{data}", *asked, "--production-page-bytes", LARGE),
        *reading,
        *("-o", tmp_path / "s.json"),
    )
    assert made["page_bytes"] == LARGE
    assert made["recorded"]["page_bytes"] == SMALL
    assert made["factor"] == pytest.approx(4)
    found = printed(
        "evaluate",
        tmp_path / "s.json",
        *("--ram-pages", 4 * 1200, "--flash-pages", 4 * 4000),
        *("--flash-device", "samsung-pm9a3-7.68tb-u2"),
        *("--disk-device", "face2016-cheetah-15k6-raid0-16"),
        # The recording does not fill these caches, as those of a steady state would be.
        *("--start", "cold"),
        *reading,
    )
    assert found["decided_by"] == "replay"
    assert found["replayed_at"]["ram_pages"] == [1200]
    for more, words in (
        (("--production-page-bytes", LARGE), "only the trace shows"),
        (reading, "nothing is profiled again"),
        (("--production-page-bytes", 1024, *reading), "part of a page"),
    ):
        done = run("scale", tmp_path / "p.json", "--data", "64GiB", *asked, *more)
        assert done.returncode != 0
        assert words in done.stderr
        assert "hint:" in done.stderr


def test_a_production_file_states_its_pages(tmp_path: Path, recorded: Profile) -> None:
    recorded.write(tmp_path / "p.json")
    path = tmp_path / "production.toml"
    path.write_text('data = "64GiB"\naccesses_per_s = 5\npage_bytes = 4096\n')
    found = printed("scale", tmp_path / "p.json", "--production", path)
    assert found["production"]["page_bytes"] == SMALL
    path.write_text('data = "64GiB"\naccesses_per_s = 5\npage_bytes = 16384\n')
    done = run("scale", tmp_path / "p.json", "--production", path)
    assert "only the trace shows" in done.stderr
    path.write_text('data = "64GiB"\naccesses_per_s = 5\npage_bytes = "x"\n')
    done = run("scale", tmp_path / "p.json", "--production", path)
    assert "page_bytes" in done.stderr
    assert "Traceback" not in done.stderr
