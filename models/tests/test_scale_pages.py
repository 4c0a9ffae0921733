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
from tierwright.hardware import catalog
from tierwright.profile import relations
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace, convert

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
        (3 * SMALL, "into which no recording is joined", "a power of two"),
        (2**21, "into which no recording is joined", "up to 1 MiB"),
        (LARGE, "only the trace shows", "pages of 16 KiB"),
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


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Pages of three relations, by relation and block."""
    draw = random.Random(11)
    rows = [
        f"{at * 10},{'W' if draw.random() < 0.3 else 'R'},1/{draw.randrange(3)},"
        f"{int(draw.paretovariate(0.6) * 3) % 4000}"
        for at in range(30_000)
    ]
    path = tmp_path_factory.mktemp("pages") / "postgres.csv"
    path.write_text("\n".join(["time_us,op,rel,block", *rows]) + "\n")
    return Trace(path, format="postgres_csv")


def test_pages_by_relation_and_block_are_joined_too(
    postgres: Trace, tmp_path: Path
) -> None:
    own = profile(postgres).with_relations(relations.measured(postgres))
    made = with_pages_of(own, postgres, LARGE)
    assert made.curve.page_bytes == LARGE
    assert made.curve.accesses == own.curve.accesses
    assert made.curve.write_accesses == own.curve.write_accesses
    blocks = [line.split(",")[2:] for line in postgres.path.read_text().split()[1:]]
    assert made.curve.distinct_pages == len(
        {(relation, int(block) // 2) for relation, block in blocks}
    )
    assert [one.accesses for one in made.relations] == [
        one.accesses for one in own.relations
    ]
    convert(postgres, tmp_path / "t.twt")
    again = with_pages_of(own, Trace(tmp_path / "t.twt"), LARGE)
    assert again.curve.to_lists() == made.curve.to_lists()


@pytest.mark.parametrize("names", [True, False])
def test_relations_keep_their_numbers_whichever_is_the_largest(
    tmp_path: Path, names: bool
) -> None:
    # Blocks 0 to 3 of one relation fall on two pages, 0, 2 and 4 of the other on three.
    rows = [("1/20000", block) for block in (0, 1, 2, 3, 0, 1)]
    rows += [("1/30000", block) for block in (0, 2, 4, 0)]
    lines = [f"{at},R,{name},{block}" for at, (name, block) in enumerate(rows)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["time_us,op,rel,block", *lines]) + "\n")
    pair = Trace(path, format="postgres_csv")
    own = profile(pair).with_relations(relations.measured(pair, names=names))
    made = with_pages_of(own, pair, LARGE)
    assert [one.distinct_pages for one in own.relations] == [4, 3]
    assert [one.distinct_pages for one in made.relations] == [2, 3]
    for one, other in zip(own.relations, made.relations, strict=True):
        assert (one.name, one.accesses) == (other.name, other.accesses)
    assert [
        one.distinct_pages
        for one in relations.measured(replace(pair, joined_page_bytes=LARGE))
    ] == [3, 2]


def test_production_with_larger_pages_is_evaluated_and_replayed_with_them(
    postgres: Trace, tmp_path: Path
) -> None:
    profile(postgres).write(tmp_path / "p.json")
    joined = profile(replace(postgres, joined_page_bytes=LARGE)).curve
    data = 4 * joined.distinct_pages * LARGE
    path = tmp_path / "production.toml"
    path.write_text(
        f'data = "{data} B"\naccesses_per_s = 1000\npage_bytes = {LARGE}\n'
        'law = "stretch"\n'
    )
    point = (
        *("--ram-pages", 4 * 1000, "--flash-pages", 4 * 1500),
        *("--flash-device", "samsung-pm9a3-7.68tb-u2"),
        *("--disk-device", "face2016-cheetah-15k6-raid0-16", "--start", "cold"),
    )
    reading: tuple[Any, ...] = ("--trace", postgres.path, "--format", "postgres_csv")
    at_once = printed(
        "evaluate", tmp_path / "p.json", "--production", path, *point, *reading
    )
    printed(
        *("scale", tmp_path / "p.json", "--production", path, *reading),
        *("-o", tmp_path / "s.json"),
    )
    by_profile = printed("evaluate", tmp_path / "s.json", *point, *reading)
    assert at_once == by_profile
    # The devices are as busy as with pages of that size, and the data are as many of them.
    small = printed("evaluate", tmp_path / "p.json", *point)
    one, other = small["inputs"], at_once["inputs"]
    assert (one["page_bytes"], other["page_bytes"]) == (2 * SMALL, LARGE)
    for device in ("flash", "disk"):
        assert one[f"{device}_read_us"] < other[f"{device}_read_us"]
        assert one[f"{device}_write_us"] < other[f"{device}_write_us"]
    assert other["disk_bytes"] == data
    assert at_once["decided_by"] == "replay"
    assert at_once["replayed_at"]["ram_pages"] == [1000]
    done = run("evaluate", tmp_path / "p.json", "--production", path, *point)
    assert "only the trace shows" in done.stderr


def test_an_advice_is_given_and_replayed_with_the_larger_pages_of_production(
    postgres: Trace, tmp_path: Path
) -> None:
    """Stated in the production file or kept in a scaled profile: as of a trace that was joined before it was profiled."""
    profile(postgres).write(tmp_path / "p.json")
    joined = profile(replace(postgres, joined_page_bytes=LARGE))
    joined.write(tmp_path / "joined.json")
    data = 4 * joined.curve.distinct_pages * LARGE
    path = tmp_path / "production.toml"
    path.write_text(
        f'data = "{data} B"\naccesses_per_s = 1000\npage_bytes = {LARGE}\n'
        'law = "stretch"\n'
    )
    have = tmp_path / "have.toml"
    have.write_text(
        f'ram = "{4 * 1100 * LARGE} B"\nflash = "{4 * 1500 * LARGE} B"\n'
        'flash_device = "samsung-pm9a3-7.68tb-u2"\n'
        'disk_device = "face2016-cheetah-15k6-raid0-16"\ndisks = 40\n'
        'scheme = "lazy"\nusd_per_month = 1\npurchase_usd = 0\n'
    )
    few = tmp_path / "candidates.toml"
    few.write_text(
        'kinds = ["instances"]\nservers = ["aws-i4i.4xlarge"]\nmax_machines = 1\nflash_caches = ["larc"]\n'
    )
    asked = (
        *("--have", have, "--candidates", few, "--start", "cold"),
        *("--constraint", "peak_busy=1"),
    )
    reading: tuple[Any, ...] = ("--trace", postgres.path, "--format", "postgres_csv")
    at_once = printed(
        "advise", tmp_path / "p.json", "--production", path, *asked, *reading
    )
    printed(
        *("scale", tmp_path / "p.json", "--production", path, *reading),
        *("-o", tmp_path / "s.json"),
    )
    assert printed("advise", tmp_path / "s.json", *asked, *reading) == at_once
    before = printed(
        *("advise", tmp_path / "joined.json", "--production", path, *asked, *reading),
        *("--joined-page-bytes", LARGE),
    )
    assert at_once["checked"][0]["simulated"] is not None
    assert at_once["flash_caches"][0]["io_time_us_per_access"] is not None
    for each in ("option_zero", "recommendation", "checked", "flash_caches"):
        assert at_once[each] == before[each]
    # RAM of 1,100 pages of 16 KiB stands for that of production.
    counted = replay(
        replace(postgres, joined_page_bytes=LARGE),
        "scheme",
        "lazy",
        1100,
        1500,
    )
    hits = counted["ram_hits"] / counted["accesses"]
    assert hits > 0
    [checked] = [
        each
        for each in at_once["checked"]
        if each["option"]["name"] == at_once["option_zero"]["name"]
    ]
    cost = price(
        counted,
        flash=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disk=catalog.device("face2016-cheetah-15k6-raid0-16"),
    )
    assert checked["simulated"] == pytest.approx(cost.io_time_us_per_access)
    done = run("advise", tmp_path / "p.json", "--production", path, *asked)
    assert "only the trace shows" in done.stderr


def test_a_curve_alone_cannot_change_its_pages() -> None:
    measured = Curve.from_hit_ratios([(1, 0.1), (10, 0.5), (100, 0.9)], accesses=1000)
    given = replace(measured, given=Given("table", data_known=True))
    with pytest.raises(BadInput, match="curve without its trace") as error:
        check_page_size(given, 2 * given.page_bytes)
    assert "with a trace" in error.value.hint


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
        "It was recorded with pages of 4 KiB and is evaluated with pages of 16 KiB, each of which holds 4 "
        "neighbouring pages of the recording."
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
