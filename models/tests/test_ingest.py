"""Traces through the Python boundary: reference answers, errors, progress, threads."""

from __future__ import annotations

import csv
import gzip
import lzma
import signal
import threading
import time
from pathlib import Path

import pytest

from tierwright import _simulator
from tierwright._simulator import (
    Cancelled,
    ParameterError,
    SimulatorError,
    TraceError,
    UndecidedFormat,
    convert,
    formats,
    inspect,
    preview,
)

MSR = "128166372009385130,tpcc,4,Write,135536145408,8192,0\n"
MSR_HEADER = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"
INSPECT_KEYS = {
    "format",
    "requests",
    "accesses",
    "distinct_pages",
    "write_accesses",
    "page_bytes",
    "duration_s",
    "sha256_of_sequence",
    "warnings",
}
COUNTS = ("requests", "write_requests", "accesses", "write_accesses", "distinct_pages")
KEY_MAPPING = {"time": "time", "time_unit": "s", "key": "lbn"}


def large_trace(path: Path, records: int = 400_000) -> Path:
    with path.open("w") as file:
        file.write("time_us,op,rel,block\n")
        file.writelines(f"{i},R,a,{i % 9973}\n" for i in range(records))
    return path


def test_formats_name_their_capabilities():
    rows = {row["name"]: row for row in formats()}
    assert len(rows) == len(formats())
    # That each has its tests is looked after beside them (tests/ingest/every_format.rs).
    assert {"postgres_csv", "msr", "vscsi", "csv", "canonical"} <= set(rows)
    for row in rows.values():
        assert set(row) == {
            "name",
            "description",
            "has_writes",
            "has_time",
            "has_device",
            "page_native",
            "verified",
        }
        assert row["verified"], row["name"]
    assert not rows["oracle_general"]["has_writes"]
    assert rows["postgres_csv"]["page_native"]
    assert not rows["vscsi"]["has_device"]


@pytest.mark.parametrize(
    ("name", "format_", "columns"),
    [
        ("cloudPhysicsIO.vscsi", "vscsi", None),
        ("cloudPhysicsIO.oracleGeneral.zst", "oracle_general", None),
        ("cloudPhysicsIO.csv.gz", "csv", KEY_MAPPING),
        ("tpcc-small.msr.csv", "msr", None),
    ],
)
def test_reference_traces_give_the_reference_answers(
    shared_traces, tmp_path, name, format_, columns
):
    with (shared_traces / "trace_stats.csv").open() as file:
        expected = next(row for row in csv.DictReader(file) if row["file"] == name)
    raw = inspect(shared_traces / name, columns=columns)
    out = tmp_path / "out.twt"
    converted = convert(shared_traces / name, out, columns=columns)
    canonical = inspect(out)
    assert raw["format"] == format_
    assert canonical["format"] == "canonical"
    assert canonical["source_format"] == format_
    assert converted["out_bytes"] == out.stat().st_size
    assert canonical["content_id"] == converted["content_id"]
    for result in (raw, converted, canonical):
        assert set(result) >= INSPECT_KEYS
        assert {key: result[key] for key in COUNTS} == {
            key: int(expected[key]) for key in COUNTS
        }
        assert result["sha256_of_sequence"] == expected["sha256_of_sequence"]
        assert result["warnings"] == raw["warnings"]
        assert result["duration_s"] == raw["duration_s"]


def test_two_encodings_of_the_same_keys_have_the_same_content(shared_traces, tmp_path):
    # The binary file and the table hold the same keys with the same times in seconds.
    one = convert(
        shared_traces / "cloudPhysicsIO.oracleGeneral.zst", tmp_path / "1.twt"
    )
    two = convert(
        shared_traces / "cloudPhysicsIO.csv.gz", tmp_path / "2.twt", columns=KEY_MAPPING
    )
    assert one["content_id"] == two["content_id"]


def test_the_recorded_tpcb_trace_has_its_published_counts(shared_traces):
    result = inspect(shared_traces / "postgres" / "tpcb.csv.zst")
    assert result["format"] == "postgres_csv"
    assert result["accesses"] == 3_072_618
    assert result["distinct_pages"] == 86_438
    assert round(result["write_accesses"] / result["accesses"], 3) == 0.305
    assert result["page_bytes"] == 8192
    assert 36 < result["duration_s"] < 38
    assert result["compression"] == "zstd"
    assert result["warnings"] == []


def test_the_shipped_cut_of_tpcb_is_read(fixture_traces):
    result = inspect(fixture_traces / "tpcb-cut.csv.zst")
    assert result["format"] == "postgres_csv"
    assert 0 < result["distinct_pages"] < result["accesses"] == result["requests"]


def test_an_undecided_format_carries_its_candidates_as_data(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n")
    with pytest.raises(UndecidedFormat) as caught:
        preview(table)
    assert caught.value.candidates == []
    half = tmp_path / "half.csv"
    half.write_text("1,2\n" * 60 + MSR * 40)
    with pytest.raises(UndecidedFormat) as caught:
        inspect(half)
    assert [one["format"] for one in caught.value.candidates] == ["msr"]
    assert set(caught.value.candidates[0]) == {"format", "score", "reason"}
    message, hint = caught.value.args
    assert "40 of the first 100 lines" in message
    assert "[[the format]]" in hint


def test_every_reference_trace_refuses_the_formats_of_the_others(shared_traces):
    names = {
        "cloudPhysicsIO.vscsi": "vscsi",
        "cloudPhysicsIO.oracleGeneral.zst": "oracle_general",
        "tpcc-small.msr.csv": "msr",
        "postgres/tpcb.csv.zst": "postgres_csv",
    }
    for name, own in names.items():
        for other in {*names.values(), "canonical"} - {own}:
            with pytest.raises(TraceError, match=f"looks like {own} "):
                preview(shared_traces / name, format=other)


def test_a_preview_shows_units_and_asks_nothing_of_the_rest(tmp_path):
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(MSR.encode() * 30))
    result = preview(path, rows=5)
    assert result["format"] == "msr"
    assert result["compression"] == "gzip"
    assert result["file_bytes"] == path.stat().st_size
    assert len(result["records"]) == 5
    first = result["records"][0]
    assert first == {
        "place": "line 1",
        "raw": MSR.strip(),
        "time_ns": 1_172_163_600_938_513_000,
        "device": "tpcc,4",
        "op": "W",
        "offset_bytes": 135_536_145_408,
        "size_bytes": 8192,
        "first_page": 33_089_879,
        "page_count": 3,
    }
    assert {row["field"]: row["unit"] for row in result["units"]}[
        "Timestamp"
    ] == "100 ns"
    assert result["detection"][0]["format"] == "msr"
    assert result["chosen_by"] == "content"
    assert result["margin"] == pytest.approx(
        result["detection"][0]["score"] - result["detection"][1]["score"]
    )
    assert set(result) == {
        "format",
        "chosen_by",
        "margin",
        "detection",
        "columns",
        "records",
        "units",
        "assumptions",
        "page_bytes",
        "compression",
        "shown",
        "file_bytes",
        "warnings",
    }


def test_a_canonical_trace_is_previewed_with_its_original_pages(tmp_path):
    path = tmp_path / "t"
    path.write_text(MSR)
    convert(path, tmp_path / "t.twt")
    records = preview(tmp_path / "t.twt")["records"]
    assert [record["first_page"] for record in records] == [
        33_089_879,
        33_089_880,
        33_089_881,
    ]
    assert records[0]["device"] == "tpcc,4"
    assert records[0]["time_ns"] == 1_172_163_600_938_513_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty (0 bytes)"),
        (gzip.compress(b"", mtime=0), "decompresses to 0 bytes"),
        (
            gzip.compress(MSR.encode() * 100, mtime=0)[:-9],
            "the gzip stream is truncated",
        ),
        (bytes(range(256)) * 8, "binary data"),
        (
            MSR.encode() + b"128166372009385130,tpcc,4,Write,1,-8192,0\n",
            "line 2: Size `-8192`",
        ),
    ],
)
def test_bad_files_name_place_value_and_next_step(tmp_path, content, message):
    path = tmp_path / "trace.csv"
    path.write_bytes(content)
    for function in (
        inspect,
        preview,
        lambda path: convert(path, tmp_path / "out.twt"),
    ):
        with pytest.raises(TraceError) as caught:
            function(path)
        text, hint = caught.value.args
        assert message in text
        assert str(path) in text
        assert hint
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "looks", "hint"),
    [
        (MSR.encode("utf-16"), "UTF-16 text", "iconv"),
        (MSR.encode("utf-16-le"), "UTF-16 text", "iconv"),
        (MSR.encode("utf-16-be"), "UTF-16 text", "iconv"),
        (MSR.replace("\n", "\r").encode() * 3, "lines end in CR alone", "tr "),
        (b"\x04\x22\x4d\x18" + bytes(99), "lz4 data", "unpack it first"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(99), "a 7z archive", "unpack it first"),
        (b"Rar!\x1a\x07" + bytes(99), "a RAR archive", "unpack it first"),
        (lzma.compress(b"a" * 99, lzma.FORMAT_ALONE), "lzma data", "unpack it first"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS", "git lfs pull"),
        (b"<!DOCTYPE html>\n<html>not found</html>\n", "a web page", "download"),
    ],
)
def test_what_is_no_trace_is_named_with_the_way_to_one(tmp_path, content, looks, hint):
    path = tmp_path / "trace"
    path.write_bytes(content)
    for options in ({}, {"format": "msr"}):
        with pytest.raises(TraceError) as caught:
            inspect(path, **options)
        assert looks in caught.value.args[0]
        assert hint in caught.value.args[1]
        # The list of all formats would hide the one step that helps.
        assert "wikimedia" not in caught.value.args[1]


class TestHeadersOfJoinedFiles:
    TABLE = "ts,op,off,len\n1,R,0,4096\n{}\n2,W,8192,4096\n"
    MAPPING = {
        "format": "csv",
        "columns": {
            "time": "ts",
            "time_unit": "s",
            "op": "op",
            "offset": "off",
            "size": "len",
        },
    }

    def test_the_same_header_once_more_is_named_and_may_be_passed_over(self, tmp_path):
        path = tmp_path / "t.csv"
        for content, options in (
            (MSR_HEADER + MSR + MSR_HEADER + MSR, {}),
            (self.TABLE.format("ts,op,off,len"), self.MAPPING),
            (self.TABLE.format('"ts", "op", "off", "len"'), self.MAPPING),
        ):
            path.write_text(content)
            with pytest.raises(TraceError, match="line 3: ") as caught:
                inspect(path, **options)
            assert "the header again" in caught.value.args[1]
            found = inspect(path, skip_bad_records=1, **options)
            assert (found["requests"], found["skipped_records"]) == (2, 1)

    def test_the_columns_in_another_order_are_never_passed_over(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text(self.TABLE.format("ts,op,len,off"))
        with pytest.raises(TraceError, match="line 3: the line seems to name columns"):
            inspect(path, skip_bad_records=9, **self.MAPPING)


@pytest.mark.parametrize("number", ["1e9", "4096.0", "1.5E+3"])
def test_numbers_of_spreadsheets_and_data_frames_are_told(tmp_path, number):
    path = tmp_path / "t.csv"
    path.write_text(MSR + f"128166372009385130,tpcc,4,Write,{number},8192,0\n")
    with pytest.raises(TraceError, match="is not a whole number") as caught:
        inspect(path)
    assert "without a decimal point or an exponent" in caught.value.args[1]


def test_one_column_has_one_meaning(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("lba,len\n0,8\n8,8\n")
    for columns in (
        {"offset": "lba", "size": "lba"},
        {"offset": "lba", "size": "1"},
        {"page": "lba", "time": "lba", "time_unit": "s"},
    ):
        with pytest.raises(ParameterError, match="the same column as"):
            inspect(path, format="csv", columns=columns)


def test_a_stated_header_is_told_for_it_may_be_a_record(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("5,8\n6,8\n7,8\n")
    found = inspect(path, format="csv", columns={"page": "1", "header": "true"})
    assert found["requests"] == 2
    assert any("no record" in said and "5, 8" in said for said in found["assumptions"])


def test_bad_parameters_are_refused(tmp_path):
    path = tmp_path / "t"
    path.write_text(MSR)
    for arguments in (
        {"page_bytes": 0},
        {"page_bytes": -4096},
        {"page_bytes": 5000},
        {"format": "nope"},
        {"columns": {"column": "1"}},
    ):
        with pytest.raises(ParameterError) as caught:
            inspect(path, **arguments)
        assert caught.value.args[1]
    assert issubclass(ParameterError, SimulatorError)


def test_progress_is_told_and_can_cancel(tmp_path):
    path = large_trace(tmp_path / "t")
    seen = []
    result = inspect(path, on_progress=lambda *step: seen.append(step))
    size = path.stat().st_size
    assert seen[-1] == (size, size, result["accesses"], result["requests"])
    assert [step[2] for step in seen] == sorted({step[2] for step in seen})
    with pytest.raises(Cancelled):
        convert(path, tmp_path / "out.twt", on_progress=lambda *_: False)
    assert list(tmp_path.iterdir()) == [path]


def test_an_exception_in_the_callback_propagates(tmp_path):
    path = large_trace(tmp_path / "t")

    def fail(*_: int) -> bool:
        raise LookupError("from the callback")

    for call in (
        lambda: inspect(path, on_progress=fail),
        lambda: preview(path, on_progress=fail),
        lambda: convert(path, tmp_path / "out.twt", on_progress=fail),
    ):
        with pytest.raises(LookupError, match="from the callback"):
            call()
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_stops_the_pass(tmp_path):
    path = large_trace(tmp_path / "t")

    def interrupt(*_: int) -> bool:
        # Only marks the signal; the handler runs when the core asks for signals.
        signal.raise_signal(signal.SIGINT)
        return True

    with pytest.raises(KeyboardInterrupt):
        convert(path, tmp_path / "out.twt", on_progress=interrupt)
    assert list(tmp_path.iterdir()) == [path]


def test_other_threads_run_during_a_pass(tmp_path):
    path = large_trace(tmp_path / "t", 2_000_000)
    done = threading.Event()
    result: dict[str, object] = {}

    def work() -> None:
        result.update(inspect(path))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert result["accesses"] == 2_000_000
    assert ticks > 3


@pytest.mark.slow
def test_a_long_compressed_trace_is_read_in_bounded_memory(tmp_path):
    # 60 MB of text in a small file: only the page table, of 10 pages, may grow.
    path = tmp_path / "t.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"time_us,op,rel,block\n")
        block = b"".join(b"%d,R,0/1234567890,%d\n" % (i, i % 10) for i in range(50_000))
        for _ in range(50):
            file.write(block)
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("needs /proc")

    def resident_kib() -> int:
        line = next(
            row for row in status.read_text().splitlines() if row.startswith("VmRSS")
        )
        return int(line.split()[1])

    before = resident_kib()
    most = 0

    def watch(*_: int) -> bool:
        nonlocal most
        most = max(most, resident_kib())
        return True

    start = time.monotonic()
    result = inspect(path, on_progress=watch)
    assert result["accesses"] == 2_500_000
    assert most - before < 20 * 1024
    assert time.monotonic() - start < 60


def test_the_stub_lists_what_the_module_has():
    public = {name for name in dir(_simulator) if not name.startswith("_")}
    assert {"formats", "preview", "inspect", "convert", "SimulatorError"} <= public
