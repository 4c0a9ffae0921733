"""What one size bounds, and what to record next: for how long, with which command of the documentation."""

import json
from pathlib import Path

import pytest

from tierwright.cli.app import main
from tierwright.profile.curve import Curve, Given
from tierwright.profile.evidence import Evidence, EvidenceClass
from tierwright.profile.given.examine import UNKNOWN_BEYOND, examine
from tierwright.profile.given.kinds import KINDS
from tierwright.profile.next_step import bounds_text, next_step

COUNTERS = Path(__file__).resolve().parents[2] / "docs" / "traces" / "counters.md"


def curve(
    kind: EvidenceClass, source: str, check: float | None = None, band: bool = True
) -> Curve:
    """A curve of 100 pages of which 25 of 1,000 accesses miss."""
    return Curve.from_lists(
        [100],
        [25.0],
        None,
        accesses=1000,
        distinct_pages=5000,
        page_bytes=4096,
        write_accesses=0,
        given=Given(
            source,
            data_known=False,
            evidence=Evidence(
                kind,
                100,
                100,
                check,
                "counted",
                3,
                ((100, 0.02, 0.03),) if band else (),
            ),
        ),
    )


def test_one_point_bounds_what_larger_and_smaller_caches_change() -> None:
    said = bounds_text(curve("one_point", "postgres"), 10.0)
    assert said is not None
    assert "At 400 KiB, 2.50 % of the accesses miss, 2.50 per second." in said
    assert "A larger cache saves at most all of these" in said
    assert "loses at least nothing and at most every hit, 97.5 %" in said
    assert "per second" not in str(bounds_text(curve("one_point", "postgres")))
    # Refaults are fewer than the misses that there are, so a larger cache may save more.
    refaults = str(bounds_text(curve("one_point", "linux_ages"), 10.0))
    assert "at least 2.50 %" in refaults
    assert "at most all" not in refaults


@pytest.mark.parametrize("kind", ["points", "ages"])
def test_where_more_is_known_nothing_is_bounded_by_one_size(
    kind: EvidenceClass,
) -> None:
    assert bounds_text(curve(kind, "counters")) is None


@pytest.mark.parametrize("source", [name for name in KINDS if name != "table"])
def test_every_kind_says_what_to_record_for_how_long_with_which_command(
    source: str,
) -> None:
    """The command is one of the documentation, with the names that stand there."""
    found = next_step(curve("one_point", source))
    assert found is not None
    assert "hour" in found.duration
    assert found.sentence == f"Record {found.what}, {found.duration}."
    known = COUNTERS.read_text("utf-8").replace("for i in 1 2 3; do", "")
    body = found.command.removeprefix("for i in 1 2 3 4 5 6 7 8; do ").partition(";")[0]
    assert body in known or body.split()[0] in known


@pytest.mark.parametrize("source", ["memcached", "redis", "linux_ages", "damon_stat"])
def test_ages_without_a_band_want_more_snapshots(source: str) -> None:
    for few in (
        curve("ages", source, band=False),
        curve("ages", source, check=0.6),
    ):
        found = next_step(few)
        assert found is not None
        assert "eight snapshots" in found.sentence
        function = found.command.split("do ")[1].split()[0].removesuffix(";")
        assert f"{function}()" in COUNTERS.read_text("utf-8")
    assert next_step(curve("ages", source, check=0.1)) is None


def test_the_command_states_bounds_and_what_to_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "counters.csv"
    text.write_text(KINDS["postgres"].example)
    main(["curve", "import", str(text)])
    out = capsys.readouterr().out
    assert "At 8 GiB, 8.90 % of the accesses miss, 89.0 per second." in out
    assert "Record two readings before a change of shared_buffers" in out
    assert "psql -X --csv -f io.sql" in out
    main(["curve", "import", str(text), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["bounds"].startswith("At 8 GiB")
    assert document["next_step"]["duration"] == "an hour at each size"


def test_only_of_a_table_the_last_value_stands_for_larger_caches() -> None:
    counted = examine(KINDS["postgres"].example).cannot_tell
    assert UNKNOWN_BEYOND in counted
    assert not any("stands for larger caches" in each for each in counted)
    table = examine(KINDS["table"].example).cannot_tell
    assert any("stands for larger caches" in each for each in table)
    assert UNKNOWN_BEYOND not in table
