"""Parts of a trace are numbered as one conversion of all files numbers the whole."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import command
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.common.core_errors import TraceError
from tierwright.common.errors import BadInput
from tierwright.profile import numbered_parts
from tierwright.profile.numbered_parts import NumberedParts, convert_in_parts
from tierwright.profile.parts import profile_of_parts
from tierwright.simulate import executors
from tierwright.trace import conversions, reading
from tierwright.trace.reading import Reading, Trace
from tierwright.trace.sources.shelf import shelf_of


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def chunks_of(path: Path) -> bytes:
    """Return what stands between head and foot: page numbers, devices, flags and times of every access."""
    data = path.read_bytes()
    (head,) = struct.unpack_from("<I", data, 12)
    (foot,) = struct.unpack_from("<Q", data, len(data) - 24)
    return data[20 + head : foot]


def foot_of(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    (foot,) = struct.unpack_from("<Q", data, len(data) - 24)
    found: dict[str, Any] = json.loads(data[foot:-24])
    return found


COUNTED = (
    "requests",
    "write_requests",
    "zero_length_requests",
    "accesses",
    "write_accesses",
    "distinct_pages",
    "sha256_of_sequence",
    "content_id",
    "spaces",
)


def in_parts(trace: Trace, folder: Path, ranges: int = 3) -> NumberedParts:
    for name in ("kept", "out"):
        (folder / name).mkdir(exist_ok=True)
    return convert_in_parts(
        trace, folder / "kept", folder / "out", threads, ranges=ranges
    )


def check_is_whole(made: NumberedParts, trace: Trace, folder: Path) -> None:
    """Compare the parts, joined by their numbers, with one conversion of all files."""
    whole, joined = folder / "whole.twt", folder / "joined.twt"
    reading.convert(trace, whole, force=True)
    first, *others = map(Path, made.files)
    if others:
        conversions.convert(Trace(first, others=tuple(others)), joined, force=True)
    else:
        _simulator.join_numbered_parts([str(first)], joined, force=True)
    assert chunks_of(joined) == chunks_of(whole)
    found, wanted = foot_of(joined), foot_of(whole)
    assert {key: found[key] for key in COUNTED} == {key: wanted[key] for key in COUNTED}
    # A request without pages has no access whose time is kept.
    if wanted["zero_length_requests"] == 0:
        assert found["duration_ns"] == wanted["duration_ns"]
    assert made.distinct_pages == wanted["distinct_pages"]
    assert made.accesses == wanted["accesses"]
    assert made.write_accesses == wanted["write_accesses"]
    assert made.devices == len(wanted["spaces"])
    assert sum(made.new_pages_of) == made.distinct_pages


# --- any trace, cut anywhere ----------------------------------------------------------------------

FEW = st.integers(0, 12)
MICROSECONDS = st.integers(0, 10**6)


def csv_line(draw: Any) -> str:
    return f"{draw(MICROSECONDS) / 1e6:.6f},d{draw(st.integers(0, 2))},{draw(FEW)},{draw(st.sampled_from('RW'))}"


def key_line(draw: Any) -> str:
    key = draw(st.one_of(FEW.map(lambda key: f"key-{key}"), FEW.map(str)))
    return f"{draw(MICROSECONDS) // 10**5},{key},4,{draw(FEW)},1,{draw(st.sampled_from(['get', 'set']))},0"


def block_line(draw: Any) -> str:
    """A line of Alibaba's block traces: device, operation, offset, length, time; requests of several pages or none."""
    offset = draw(st.integers(0, 40)) * 2048
    return f"{draw(st.integers(0, 2))},{draw(st.sampled_from('RW'))},{offset},{draw(st.integers(0, 5)) * 2048},{draw(MICROSECONDS)}"


MAPPING = {name: name for name in ("time", "device", "page", "op")} | {"time_unit": "s"}
KINDS: dict[str, tuple[Any, str, Trace]] = {
    "csv": (
        csv_line,
        "time,device,page,op\n",
        Trace(Path(), format="csv", columns=MAPPING),
    ),
    "twitter": (key_line, "", Trace(Path(), format="twitter")),
    "alibaba": (block_line, "", Trace(Path(), format="alibaba")),
}


@st.composite
def cut_traces(draw: st.DrawFn) -> tuple[str, list[list[str]]]:
    kind = draw(st.sampled_from(sorted(KINDS)))
    line = KINDS[kind][0]
    files = [
        [line(draw) for _ in range(draw(st.integers(1, 12)))]
        for _ in range(draw(st.integers(1, 5)))
    ]
    return kind, files


@settings(max_examples=60)
@given(cut_traces(), st.integers(1, 9))
def test_parts_have_the_numbers_of_one_conversion(
    cut: tuple[str, list[list[str]]], ranges: int
) -> None:
    kind, files = cut
    _, head, how = KINDS[kind]
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{number}.raw" for number in range(len(files))]
        for path, lines in zip(paths, files, strict=True):
            path.write_text(head + "".join(f"{line}\n" for line in lines))
        trace = replace(how, path=paths[0], others=tuple(paths[1:]))
        if kind == "alibaba" and any(
            all(line.split(",")[3] == "0" for line in lines) for lines in files
        ):
            with pytest.raises(TraceError, match="no request touches a page"):
                in_parts(trace, folder, ranges)
            return
        check_is_whole(in_parts(trace, folder, ranges), trace, folder)
        joined, whole = folder / "joined.twt", folder / "whole.twt"
        assert chunks_of(joined) == chunks_of(whole)


# --- one trace of four files ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Four files of one trace: more than one chunk in the first, two devices that the second begins with."""
    folder = tmp_path_factory.mktemp("raw")
    draws = random.Random(11)
    paths = []
    for number, (lines, devices) in enumerate(
        [(70_000, "ab"), (300, "cb"), (1, "d"), (900, "abc")]
    ):
        rows = ["time,device,page,op"]
        for line in range(lines):
            page = int(draws.paretovariate(0.6)) % 5_000
            device, op = draws.choice(devices), draws.choice("RRW")
            rows.append(f"{number * 100 + line / lines:.6f},{device},{page},{op}")
        paths.append(folder / f"{number}.csv")
        paths[-1].write_text("\n".join(rows) + "\n")
    return replace(KINDS["csv"][2], path=paths[0], others=tuple(paths[1:]))


def test_four_files_are_numbered_as_one_and_profiled_as_one(
    trace: Trace, tmp_path: Path
) -> None:
    made = in_parts(trace, tmp_path)
    check_is_whole(made, trace, tmp_path)
    assert made.accesses_of == (70_000, 300, 1, 900)
    assert made.devices == 4
    first, *others = map(Path, made.files)
    # Each is a canonical trace by itself too.
    alone = reading.inspect(Trace(first))
    assert (alone["accesses"], alone["distinct_pages"]) == (
        70_000,
        made.new_pages_of[0],
    )
    profiles = []
    for one in (trace, Trace(first, others=tuple(others))):
        document = profile_of_parts(
            one, tmp_path / "kept", threads, summaries=True
        ).to_dict()
        document.pop("trace")
        # Lengths of requests in bytes are of raw files; of canonical ones in pages.
        document["summaries"].pop("trace", None)
        profiles.append(document)
    assert profiles[0]["curve"] == profiles[1]["curve"]
    assert profiles[0]["duration_s"] == profiles[1]["duration_s"]
    whole = _simulator.curves(str(trace.path), **trace.arguments())
    assert profiles[1]["distinct_pages"] == whole["distinct_pages"]
    assert profiles[1]["curve"]["misses"][-1] == whole["misses"][-1]
    assert profiles[1]["curve"]["write_backs"][0] == whole["write_backs"][0]


def test_what_is_kept_is_used_and_what_is_damaged_or_missing_is_made_again(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = in_parts(trace, tmp_path)
    files = [Path(file).read_bytes() for file in first.files]
    made: list[str] = []
    for name in (
        "divide_pages",
        "first_touches",
        "number_new_pages",
        "number_all_pages",
        "numbered_part",
        "convert",
    ):
        really = getattr(_simulator, name)

        def noted(
            *given: Any, _really: Any = really, _name: str = name, **named: Any
        ) -> Any:
            made.append(_name)
            return _really(*given, **named)

        monkeypatch.setattr(_simulator, name, noted)
    assert in_parts(trace, tmp_path) == first
    assert made == []
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 4 * (2 + 4 * 3)
    # A damaged file of each step, a missing one, and a damaged part.
    for ending, again in (
        (".pages", "divide_pages"),
        (".first", "first_touches"),
        (".new", "number_new_pages"),
        (".numbers", "number_all_pages"),
        (".canonical", "convert"),
    ):
        path = next(file for file in kept if file.name.endswith(ending))
        whole = path.read_bytes()
        damaged = bytearray(whole)
        damaged[len(damaged) // 2] ^= 1
        path.write_bytes(damaged)
        made.clear()
        assert in_parts(trace, tmp_path) == first
        assert made == [again]
        assert path.stat().st_size == len(whole)
    kept[0].unlink()
    made.clear()
    assert in_parts(trace, tmp_path) == first
    assert len(made) == 1
    part = Path(first.files[1])
    part.write_bytes(files[1][: len(files[1]) // 2])
    made.clear()
    with pytest.raises(BadInput, match=r"000002\.twt` exists and is not of this"):
        in_parts(trace, tmp_path)
    part.unlink()
    assert in_parts(trace, tmp_path) == first
    assert made == ["numbered_part"]
    assert [Path(file).read_bytes() for file in first.files] == files


def test_a_file_that_is_added_leaves_what_does_not_depend_on_it(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(replace(trace, others=trace.others[:2]), tmp_path)
    converted = []
    really = numbered_parts._convert
    monkeypatch.setattr(
        numbered_parts, "_convert", lambda part: converted.append(part) or really(part)
    )
    with pytest.raises(BadInput, match="exists and is not of this conversion"):
        in_parts(trace, tmp_path)
    made = convert_in_parts(
        trace, tmp_path / "kept", tmp_path / "out", threads, ranges=3, force=True
    )
    check_is_whole(made, trace, tmp_path)
    assert [part.trace.path for part in converted] == [trace.others[2]]
    # Fewer files would leave a part behind that is not of them.
    with pytest.raises(
        BadInput, match=r"000003\.twt` is a part of a conversion of more"
    ):
        in_parts(replace(trace, others=trace.others[:1]), tmp_path)


def test_what_vanishes_on_the_way_is_named_with_its_part(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = numbered_parts._divide

    def vanishing(part: numbered_parts._Part) -> dict[str, Any]:
        found = really(part)
        if part.trace.path.name == "1.csv":
            (tmp_path / "kept" / part.of_range("pages", 2)).unlink()
        return found

    monkeypatch.setattr(numbered_parts, "_divide", vanishing)
    with pytest.raises(BadInput, match=r"-2-of-3\.pages \(of .*1\.csv\): it was there"):
        in_parts(trace, tmp_path)


def test_parts_are_joined_all_and_in_their_order(trace: Trace, tmp_path: Path) -> None:
    files = list(in_parts(trace, tmp_path).files)
    joined = tmp_path / "joined.twt"
    other = in_parts(replace(trace, others=trace.others[:1]), tmp_path / "kept").files
    for named, message in (
        (files[:3], "is the last one named, and 1 part is missing behind it"),
        (files[1:], "000002.twt`: it is part 2 of 4, and part 1 is expected here"),
        ([files[0], files[2], files[1], files[3]], "it is part 3 of 4, and part 2"),
        ([*files[:1], other[1], *files[2:]], "it is a part of another conversion"),
    ):
        with pytest.raises(TraceError, match=message):
            _simulator.join_numbered_parts(named, joined)
        assert not joined.exists()
    damaged = bytearray(Path(files[0]).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    Path(files[0]).write_bytes(damaged)
    with pytest.raises(TraceError, match=r"000001\.twt.*chunk .* damaged"):
        _simulator.join_numbered_parts(files, joined)
    assert not joined.exists()


def test_files_that_are_no_parts_of_one_trace_are_refused(
    trace: Trace, tmp_path: Path
) -> None:
    keys = tmp_path / "keys.csv"
    keys.write_text("1,key,4,10,1,get,0\n")
    msr = tmp_path / "msr.csv"
    msr.write_text("128166372003061629,usr,0,Read,4096,4096,1\n" * 3)
    with pytest.raises(BadInput, match=r"keys\.csv`: format: `twitter`, but `msr`"):
        in_parts(Trace(msr, others=(keys,)), tmp_path)
    bad = [tmp_path / "bad0.csv", tmp_path / "bad1.csv"]
    for path in bad:
        path.write_text("1,key,4,10,1,get,0\nnothing\n")
    allowed = Trace(
        bad[0], format="twitter", others=(bad[1],), reading=Reading(skip_bad_records=1)
    )
    with pytest.raises(BadInput, match="2 bad records, more than the 1"):
        in_parts(allowed, tmp_path)
    # Also where the conversions are kept.
    with pytest.raises(BadInput, match="2 bad records, more than the 1"):
        in_parts(allowed, tmp_path)
    with pytest.raises(BadInput, match="hash_ranges: `4097`"):
        in_parts(trace, tmp_path, 4097)


def test_steps_and_parts_may_be_objects(trace: Trace, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    kept, out = shelf_of("memory://numbered/steps"), shelf_of("memory://numbered/out")
    made = convert_in_parts(trace, kept, out, threads, ranges=2)
    assert made.files[0] == "memory://numbered/out/000001.twt"
    in_folders = in_parts(trace, tmp_path, 2)
    for name, file in zip(
        ("000001.twt", "000002.twt", "000003.twt", "000004.twt"),
        in_folders.files,
        strict=True,
    ):
        copy = out.here(name, tmp_path)
        assert copy is not None
        assert copy.read_bytes() == Path(file).read_bytes()
    assert convert_in_parts(trace, kept, out, threads, ranges=2) == made


@pytest.mark.process
@pytest.mark.parametrize(
    "who", ["processes", pytest.param("local:2", marks=pytest.mark.long)]
)
def test_whoever_converts_writes_the_same_bytes(
    trace: Trace, tmp_path: Path, who: str
) -> None:
    wanted = [Path(file).read_bytes() for file in in_parts(trace, tmp_path).files]
    other = tmp_path / "other"
    (other / "kept").mkdir(parents=True)
    (other / "out").mkdir()
    given = (trace, other / "kept", other / "out")
    if who == "processes":
        made = convert_in_parts(*given, executors.processes(2).start, ranges=3)
    else:
        with executors.dask(who, lambda _text: None) as started:
            made = convert_in_parts(*given, started.start, ranges=3)
    assert [Path(file).read_bytes() for file in made.files] == wanted


@pytest.mark.process
def test_the_command_converts_joins_and_says_what_is_missing(
    trace: Trace, tmp_path: Path
) -> None:
    for name in ("kept", "out"):
        (tmp_path / name).mkdir()
    columns = [f"--column={field}={name}" for field, name in MAPPING.items()]
    files = [str(path) for path in trace.files]
    convert = ["trace", "convert", *files, "--format=csv", *columns]
    made = command.run(
        *convert,
        f"--parts-in={tmp_path}/kept",
        f"--out={tmp_path}/out",
        "--hash-ranges=2",
        "--workers=1",
        "--json",
    )
    assert made.returncode == 0, made.stderr
    found = json.loads(made.stdout)
    assert found["accesses"] == 71_201
    assert [each["accesses"] for each in found["parts"]] == [70_000, 300, 1, 900]
    parts = sorted(str(path) for path in (tmp_path / "out").iterdir())
    joined = command.run(
        "trace",
        "convert",
        *parts,
        f"--out={tmp_path}/all.twt",
        "--json",
    )
    assert joined.returncode == 0, joined.stderr
    reading.convert(trace, tmp_path / "whole.twt")
    assert (
        json.loads(joined.stdout)["content_id"]
        == foot_of(tmp_path / "whole.twt")["content_id"]
    )
    assert chunks_of(tmp_path / "all.twt") == chunks_of(tmp_path / "whole.twt")
    for wrong, message in (
        (
            [f"--out={tmp_path}/x", "--workers=2"],
            "--workers: a trace that is converted as a whole",
        ),
        (
            [f"--out={tmp_path}/out", f"--parts-in={tmp_path}/nowhere"],
            "nowhere` is not a folder",
        ),
        (
            [f"--out={tmp_path}/out", f"--parts-in={tmp_path}/kept", "--no-resume"],
            "--no-resume and --parts-in",
        ),
        (
            [
                f"--out={tmp_path}/out",
                f"--parts-in={tmp_path}/kept",
                "--page-bytes=512",
                "--dask=x",
            ],
            "Dask: `x`",
        ),
    ):
        refused = command.run(
            *convert,
            *wrong,
        )
        assert refused.returncode == 2
        assert message in refused.stderr
        assert "hint:" in refused.stderr
