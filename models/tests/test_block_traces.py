"""Block traces of many formats against the reference answers, and what must be asked."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tierwright._simulator import TraceError, convert, formats, inspect, preview

PAGE = Path(__file__).resolve().parents[2] / "docs" / "traces" / "block-traces.md"
COUNTS = ("requests", "write_requests", "accesses", "write_accesses", "distinct_pages")


def answers(shared_traces: Path, name: str) -> dict[str, object]:
    with (shared_traces / "trace_stats.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["file"] == name)
    expected: dict[str, object] = {key: int(row[key]) for key in COUNTS}
    return expected | {"sha256_of_sequence": row["sha256_of_sequence"]}


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("cloudPhysicsIO.vscsi", "vscsi"),
        ("tpcc-small.trace", "mqsim"),
        ("tpcc-small.msr.csv", "msr"),
        ("websearch1-small.spc", "spc"),
        ("hadoop_eternity8.blkparse.txt.gz", "blkparse"),
    ],
)
def test_reference_traces_are_found_and_read(shared_traces, tmp_path, name, format_):
    expected = answers(shared_traces, name)
    result = inspect(shared_traces / name)
    assert result["format"] == format_
    assert {key: result[key] for key in expected} == expected
    assert "below_page_cache" in {warning["name"] for warning in result["warnings"]}
    out = tmp_path / "out.twt"
    convert(shared_traces / name, out)
    canonical = inspect(out)
    assert {key: canonical[key] for key in expected} == expected


def test_flashsim_is_asked_for_with_what_speaks_for_it(shared_traces):
    path = shared_traces / "desktop.trace.gz"
    with pytest.raises(TraceError, match="fits more than one format") as caught:
        inspect(path)
    message, hint = caught.value.args[:2]
    for name in ("disksim", "flashsim"):
        assert name in message
        assert name in hint
    assert "308 times by a count in pages of 4 KiB" in message
    expected = answers(shared_traces, "desktop.trace.gz")
    result = inspect(path, format="flashsim")
    assert {key: result[key] for key in expected} == expected
    # The other reading is another number, not an error: this is why it is asked for.
    assert inspect(path, format="disksim")["accesses"] < result["accesses"] / 3


def test_the_export_of_cloudphysics_keeps_its_writes(shared_traces):
    # As block trace it is the binary trace; its own row of the answers reads it by keys.
    path = shared_traces / "cloudPhysicsIO.csv.gz"
    found = inspect(path)
    assert found["format"] == "cloudphysics_csv"
    expected = answers(shared_traces, "cloudPhysicsIO.vscsi")
    assert {key: found[key] for key in expected} == expected
    by_key = inspect(path, columns={"time": "time", "time_unit": "s", "key": "lbn"})
    expected = answers(shared_traces, "cloudPhysicsIO.csv.gz")
    assert {key: by_key[key] for key in expected} == expected


def test_the_page_io_below_the_buffer_pool_has_its_published_counts(shared_traces):
    path = shared_traces / "postgres" / "tpcb.io.fio.zst"
    result = inspect(path, page_bytes=8192)
    assert result["format"] == "fio_iolog"
    assert (result["accesses"], result["distinct_pages"]) == (428_714, 86_891)
    assert round(result["write_accesses"] / result["accesses"], 3) == 0.372
    assert result["duration_s"] is None
    assert result["devices"] == 42


def test_what_blkparse_repeats_is_counted_and_told(shared_traces):
    result = inspect(shared_traces / "hadoop_eternity8.blkparse.txt.gz")
    repeated = next(
        warning
        for warning in result["warnings"]
        if warning["name"] == "duplicated_across_actions"
    )
    assert "only Q events count; skipped: 4,747 D events" in repeated["message"]


def test_an_unclear_trace_shows_its_readings_side_by_side(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1538323199,105352008,584,1,1576\n1538323200,8,8,0,1576\n")
    with pytest.raises(TraceError, match="fits more than one format") as caught:
        preview(path)
    assert "sectors are likely" in caught.value.args[0]
    first = preview(path, format="tencent_cbs")["records"][0]
    assert (first["offset_bytes"], first["size_bytes"]) == (53_940_228_096, 299_008)
    with pytest.raises(TraceError, match="not a multiple of 512"):
        inspect(path, format="tencent_cbs_bytes")


def test_every_block_format_has_its_place_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    for row in formats():
        if not row["page_native"] and row["name"] not in ("csv", "parquet"):
            assert f"| `{row['name']}` |" in text
    assert "| `strace_postgres` |" in text
