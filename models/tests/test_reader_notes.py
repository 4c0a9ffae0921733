"""What a reader notices reaches whoever decides: profile, simulation, evaluation, command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command import run

from tierwright import _simulator
from tierwright._simulator import ParameterError, TraceError, inspect, preview
from tierwright.advise import pool_split
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import evaluation
from tierwright.hardware import catalog
from tierwright.profile import measure
from tierwright.profile.document import profile_from_mapping, read_profile
from tierwright.simulate import replay
from tierwright.trace import reading
from tierwright.trace.notes import Note, ReaderNotes
from tierwright.trace.reading import Reading, Trace

ARC = "".join(f"{start} 4 0 {at}\n" for at, start in enumerate([0, 8, 0, 64, 8, 0] * 8))
BLOCKS = "ts,dev,rw,off,len\n" + "".join(
    f"{at},d{at % 2},{'W' if at % 3 == 0 else 'R'},{at * 4096 % 409600},4096\n"
    for at in range(600)
)
MAPPING = {
    "time": "ts",
    "time_unit": "us",
    "op": "rw",
    "offset": "off",
    "size": "len",
    "device": "dev",
}
FLASH, DISK = "face2016-intel-p3700-400", "face2016-cheetah-15k6-single"
MAPPED = [
    part for key, value in MAPPING.items() for part in ("--column", f"{key}={value}")
]


def names(warnings: Sequence[Any]) -> set[str]:
    return {one["name"] if isinstance(one, dict) else one.name for one in warnings}


@pytest.fixture
def arc(tmp_path: Path) -> Path:
    """Make a trace of a format without operations."""
    path = tmp_path / "x.lis"
    path.write_text(ARC, "ascii")
    return path


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    """Make a table of requests with offset and length."""
    path = tmp_path / "blocks.csv"
    path.write_text(BLOCKS, "ascii")
    return path


def choices() -> dict[str, Any]:
    return {
        "ram_pages": 4,
        "flash_pages": 8,
        "flash": catalog.device(FLASH),
        "disk": catalog.device(DISK),
    }


# --- into the profile, and from it into decisions ---------------------------------------------------


def test_a_profile_says_that_writes_are_unknown_and_so_does_its_evaluation(
    arc: Path, tmp_path: Path
) -> None:
    path = tmp_path / "p.json"
    made = measure.profile(Trace(arc))
    assert not made.curve.notes.tells_writes
    made.write(path)
    document = json.loads(path.read_text())
    assert document["write_accesses"] == 0
    assert document["trace"]["tells_writes"] is False
    assert document["trace"]["source_format"] == "arc"
    assert "no_writes_in_format" in names(document["trace"]["warnings"])
    assert any("512" in one for one in document["trace"]["assumptions"])
    curve = read_profile(path).curve
    assert curve.notes == made.curve.notes.without_content()
    found = evaluation.evaluate(curve, **choices())
    [told] = [w for w in found.warnings if w.name == "no_writes_in_format"]
    assert "writes are unknown" in told.message


def test_evaluate_prints_what_the_reader_noticed(arc: Path, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    code, _, said = run("profile", arc, "-o", path)
    assert code == 0
    assert "does not distinguish writes from reads" in said
    code, out, said = run(
        "evaluate", path, "--ram-pages", 4, "--flash-pages", 8,
        "--flash-device", FLASH, "--disk-device", DISK, "--assumptions",
    )  # fmt: skip
    assert code == 0
    assert "its writes are unknown" in said
    assert "least I/O time" in out


def test_a_canonical_trace_hands_the_notes_on(arc: Path, tmp_path: Path) -> None:
    twt = tmp_path / "x.twt"
    reading.convert(Trace(arc), twt)
    raw, kept = (measure.profile(Trace(path)).curve.notes for path in (arc, twt))
    assert (raw.source_format, raw.tells_writes) == ("arc", False)
    assert (kept.source_format, kept.tells_writes) == ("arc", False)
    assert names(kept.warnings) == names(raw.warnings)
    assert kept.assumptions == raw.assumptions


def test_every_answer_about_a_trace_holds_the_notes(blocks: Path) -> None:
    """One place in the core makes them; no function may forget them."""
    trace = Trace(blocks, columns=MAPPING)
    lru = {"policy": "lru", "pages": 4}
    answers = {
        "policy": replay.replay(trace, "policy", "lru", 4),
        "scheme": replay.replay(trace, "scheme", "lazy", 2, 4),
        "online": replay.replay(
            trace, "chooser", "online", 2, 4,
            options={"flash_read_us": "100", "flash_write_us": "200",
                     "disk_read_us": "5000", "disk_write_us": "5000"},
        ),
        "buffer": replay.replay(trace, "buffer", "cflru", 4),
        "flash cache": replay.replay(trace, "flash_cache", "face", 2, 8),
        "splits": replay.simulate_splits(trace, 4, [2])[0],
        "two stack": replay.two_stack(trace, 4),
        "windows": measure.window_curves(trace, window_accesses=10),
        "sweep": replay.sweep(trace, [lru]),
        "miniatures": replay.miniatures(trace, [lru], 1.0),
        "summaries": _simulator.summaries(
            str(blocks), **trace.arguments()
        ),
    }  # fmt: skip
    for name, found in answers.items():
        assert names(found["trace"]["warnings"]) == {"below_page_cache"}, name
        assert found["trace"]["tells_writes"] is True, name
    for made in (
        measure.profile(trace),
        measure.sampled_profile(trace, 1.0),
    ):
        assert names(made.curve.notes.warnings) == {"below_page_cache"}
    assert "below_page_cache" in names(pool_split.answer(trace, 4, 8.0).warnings)


def test_a_profile_quotes_nothing_that_the_file_held() -> None:
    notes = ReaderNotes(
        warnings=(
            Note(
                "bad_records_skipped",
                "2 bad records were skipped; the first: /home/a/secret.csv: line 3: op `Q`",
                "look at them",
            ),
            Note(
                "implausible_footprint",
                "requests reach up to byte 9007199254740993, beyond 1 PiB",
                "check the unit of the offset",
            ),
            Note("non_monotone_time", "member `payroll.csv`: it goes back", "sort"),
        ),
        assumptions=(
            "the archive's 2 members are one trace, in the order of the archive: a, b",
            "columns are separated by `;`: inferred from the first line",
        ),
    )
    text = json.dumps(notes.without_content().to_dict())
    for secret in ("secret", "line 3", "9007199254740993", "payroll", "a, b"):
        assert secret not in text
    assert "2 bad records were skipped" in text
    assert names(notes.without_content().warnings) == names(notes.warnings)


def test_a_damaged_trace_part_of_a_profile_is_refused(arc: Path) -> None:
    document = measure.profile(Trace(arc)).to_dict()
    for key, value in (
        ("tells_writes", "no"),
        ("warnings", [{"name": "x"}]),
        ("warnings", [{"name": "<b>", "message": "", "hint": ""}]),
        ("assumptions", [7]),
        ("source_format", "../x"),
    ):
        bad = {**document, "trace": {**document["trace"], key: value}}
        with pytest.raises(BadInput, match=f"trace.{key}"):
            profile_from_mapping(bad)
    with pytest.raises(BadInput, match="trace: "):
        profile_from_mapping({**document, "trace": []})
    older = {key: value for key, value in document.items() if key != "trace"}
    assert profile_from_mapping(older).curve.notes == ReaderNotes()


# --- every command reads alike ----------------------------------------------------------------------

COMMANDS: dict[str, list[object]] = {
    "trace inspect": [],
    "trace preview": ["--rows", 100],
    "trace convert": ["OUT"],
    "trace summary": [],
    "profile": ["-o", "OUT"],
    "simulate": ["--policy", "lru", "--pages", 4],
    "sweep": ["--policy", "lru", "--pages", "4"],
    "pool-split": ["--pages", 4, "--asymmetry", 8],
    "pool-gain": ["--pages", 4],
}


def called(command: str, file: Path, out: Path, *more: object) -> tuple[int, str, str]:
    given = [out if one == "OUT" else one for one in COMMANDS[command]]
    return run(*command.split(), file, *given, *more)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_passes_over_bad_lines_on_request_and_says_so(
    command: str, blocks: Path, tmp_path: Path
) -> None:
    lines = BLOCKS.splitlines()
    lines.insert(5, "4,d0,R,nonsense,4096")
    blocks.write_text("\n".join([*lines, ""]), "ascii")
    out = tmp_path / "out"
    code, _, said = called(command, blocks, out, *MAPPED)
    assert code == 2
    assert "line 6" in said
    code, _, said = called(command, blocks, out, *MAPPED, "--skip-bad-lines", 1)
    assert code == 0, said
    assert "1 bad record was skipped" in said
    assert "nonsense" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_limits_of_decompression(
    command: str, blocks: Path, tmp_path: Path
) -> None:
    import gzip

    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(BLOCKS.encode() * 4))
    code, _, said = called(
        command, packed, tmp_path / "out", *MAPPED, "--max-content-bytes", 1000
    )
    assert code == 2
    assert "limit" in said


@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "trace preview"])
def test_every_command_prints_the_warnings_of_the_reader(
    command: str, blocks: Path, tmp_path: Path
) -> None:
    code, _, said = called(command, blocks, tmp_path / "out", *MAPPED)
    assert code == 0, said
    assert "the benefit of RAM computed from them is too low" in said


def test_an_unknown_reading_option_is_refused(arc: Path) -> None:
    with pytest.raises(TypeError, match="skip_bad_lines"):
        inspect(str(arc), skip_bad_lines=1)  # type: ignore[call-arg]


# --- inspect shows what it read ---------------------------------------------------------------------


def test_inspect_shows_the_first_records_and_units(
    blocks: Path, tmp_path: Path
) -> None:
    found = inspect(str(blocks), columns=MAPPING)
    shown = preview(str(blocks), columns=MAPPING, rows=5)
    assert found["records"] == shown["records"]
    assert len(found["records"]) == 5
    assert found["units"] == shown["units"]
    assert (found["requests"], found["accesses"]) == (600, 600)
    twt = tmp_path / "t.twt"
    reading.convert(Trace(blocks, columns=MAPPING), twt)
    again = inspect(str(twt))
    assert [(r["op"], r["device"], r["first_page"]) for r in again["records"]] == [
        (r["op"], r["device"], r["first_page"]) for r in found["records"]
    ]
    assert again["sha256_of_sequence"] == found["sha256_of_sequence"]
    code, out, _ = run("trace", "inspect", blocks, *MAPPED)
    assert code == 0
    assert "line 2" in out
    assert "start of the request" in out


# --- below which cache ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "warned"), [(None, True), ("below", True), ("above", False)]
)
def test_offsets_are_taken_below_a_page_cache_unless_stated(
    level: str | None, *, warned: bool, blocks: Path
) -> None:
    columns = MAPPING if level is None else {**MAPPING, "level": level}
    found = names(inspect(str(blocks), columns=columns)["warnings"])
    assert ("below_page_cache" in found) is warned


def test_pages_are_above_unless_stated(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("page\n1\n2\n1\n", "ascii")
    for level, warned in (({}, False), ({"level": "below"}, True)):
        found = inspect(str(path), columns={"page": "page", **level})
        assert ("below_page_cache" in names(found["warnings"])) is warned
    with pytest.raises(_simulator.ParameterError, match="level=beside"):
        inspect(str(path), columns={"page": "page", "level": "beside"})


def test_a_recording_below_the_buffer_pool_says_so(tmp_path: Path) -> None:
    rows = "".join(f"{at},R,1/{at % 3},{at}\n" for at in range(9))
    for header, warned in (
        ("time_us,op,rel,block", False),
        ("time_us,io,rel,block", True),
    ):
        path = tmp_path / "t.csv"
        path.write_text(f"{header}\n{rows}", "ascii")
        found = inspect(str(path))
        assert found["format"] == "postgres_csv"
        assert ("below_buffer_pool" in names(found["warnings"])) is warned


def test_published_cachelib_traces_sit_behind_other_layers(tmp_path: Path) -> None:
    path = tmp_path / "kv.csv"
    path.write_text(
        "key,op,size,op_count,key_size\n"
        + "".join(f"{at % 5},GET,100,1,8\n" for at in range(20)),
        "ascii",
    )
    found = inspect(str(path), format="cachelib_kv")
    assert "below_other_caches" in names(found["warnings"])


def test_reading_twice_passes_over_the_same_records(blocks: Path) -> None:
    """A pool split reads the trace several times; each read has the whole tolerance."""
    lines = BLOCKS.splitlines()
    lines.insert(5, "4,d0,R,nonsense,4096")
    blocks.write_text("\n".join([*lines, ""]), "ascii")
    with pytest.raises(TraceError):
        pool_split.answer(Trace(blocks, columns=MAPPING), 4, 8.0)
    found = pool_split.answer(
        Trace(blocks, columns=MAPPING, reading=Reading(skip_bad_records=1)), 4, 8.0
    )
    assert found.accesses == 600
    assert "bad_records_skipped" in names(found.warnings)


def test_a_buffer_that_weighs_writes_names_the_trace_that_does_not_tell_them(
    arc: Path,
) -> None:
    with pytest.raises(ParameterError) as refused:
        replay.replay(Trace(arc), "buffer", "cflru", 4)
    assert str(refused.value.args[0]).startswith(
        "trace `x.lis`: its format does not distinguish writes from reads"
    )
