"""Key and page traces: what a record means, what is found by itself, what is warned of."""

from __future__ import annotations

import csv
import struct
from pathlib import Path

import pytest

from tierwright._simulator import (
    TraceError,
    UndecidedFormat,
    convert,
    formats,
    inspect,
    preview,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "traces" / "key-traces.md"
COUNTS = ("requests", "write_requests", "accesses", "write_accesses", "distinct_pages")
NEW = (
    "oracle_general_op_ns",
    "lcs",
    "twitter",
    "cachelib_kv",
    "cachelib_storage",
    "wikimedia_cdn",
    "rocksdb_block_cache",
    "arc",
    "lirs",
    "keys",
)


def fnv_1a(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def write(tmp_path: Path, content: bytes | str, name: str = "t") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def names(found: dict[str, object]) -> set[str]:
    return {warning["name"] for warning in found["warnings"]}


@pytest.mark.parametrize(
    ("name", "format_"), [("OLTP.lis.zst", "arc"), ("2_pools.trace.gz", "lirs")]
)
def test_reference_key_traces_are_found_and_read(
    shared_traces, tmp_path, name, format_
):
    with (shared_traces / "trace_stats.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["file"] == name)
    converted = convert(shared_traces / name, tmp_path / "t.twt")
    for found in (
        inspect(shared_traces / name),
        converted,
        inspect(tmp_path / "t.twt"),
    ):
        assert {key: found[key] for key in COUNTS} == {
            key: int(row[key]) for key in COUNTS
        }
        assert found["sha256_of_sequence"] == row["sha256_of_sequence"]
    assert converted["format"] == format_
    assert converted["margin"] > 0.5


def test_every_key_format_has_its_line_in_the_docs():
    text = PAGE.read_text()
    for name in NEW:
        assert name in {one["name"] for one in formats()}
        assert f"| `{name}` |" in text


def test_twitter_misses_and_deletes_are_not_objects_of_size_0(tmp_path):
    # Two keys: one with commas inside. Sizes 0 are misses; the delete makes no access.
    path = write(
        tmp_path,
        "0,k,1,0,5,get,0\n0,k,1,70,5,set,60\n1,a,b,3,0,5,GETS,0\n2,k,1,0,5,delete,0\n3,k,1,70,5,incr,60\n",
    )
    found = inspect(path)
    assert found["format"] == "twitter"
    assert (found["requests"], found["accesses"], found["write_accesses"]) == (5, 4, 2)
    assert found["distinct_pages"] == 2
    assert {"zero_sizes", "deletes_without_access", "zero_length_requests"} <= names(
        found
    )
    assert "object_sizes_ignored" not in names(found)
    shown = preview(path)["records"]
    assert [row["first_page"] for row in shown] == [
        fnv_1a(key) for key in ("k", "k", "a,b", "k", "k")
    ]
    assert [row["page_count"] for row in shown] == [1, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("0,k,1,0,5,fetch,0", "operation `fetch` is not one of memcached's"),
        ("0,k,1,0,5,get", "does not have the columns"),
        ("0,,1,0,5,get,0", "key `` is empty"),
        ("0.5,k,1,0,5,get,0", "timestamp `0.5` is not a whole number"),
        ("0,k,1,-3,5,get,0", "value size `-3` is negative"),
        ("0,k k,1,0,5,get,0", "has a blank"),
    ],
)
def test_bad_twitter_lines(tmp_path, line, part):
    path = write(tmp_path, f"0,k,1,0,5,get,0\n{line}\n")
    with pytest.raises(TraceError) as caught:
        inspect(path, format="twitter")
    assert "line 2: " in caught.value.args[0]
    assert part in caught.value.args[0]


def test_cachelib_lines_stand_for_op_count_requests(tmp_path):
    path = write(
        tmp_path,
        "key,op,size,op_count,key_size\nk,GET,0,5000,1\nk,SET,9,1,1\nj,GET_LEASE,9,2,1\nj,DELETE,0,3,1\n",
    )
    found = inspect(path)
    assert found["format"] == "cachelib_kv"
    assert (found["requests"], found["write_requests"]) == (5006, 1)
    assert (found["accesses"], found["distinct_pages"]) == (5003, 2)
    assert found["duration_s"] is None
    assert {"sampled_dataset", "zero_sizes", "deletes_without_access"} <= names(found)
    for bad in ("0", "-1", "x", "99999999999"):
        broken = write(tmp_path, f"key,op,size,op_count,key_size\nk,GET,0,{bad},1\n")
        with pytest.raises(TraceError, match="op_count"):
            inspect(broken)


@pytest.mark.parametrize(
    ("first", "second", "duration_s", "told"),
    [
        ("1697000000", "1697000003", 3.0, None),
        ("1697000000000", "1697000003000", 3.0, "read in ms: its first value lies"),
        (
            "1697000000000000",
            "1697000003000000",
            3.0,
            "read in µs: its first value lies",
        ),
        # The published traces of 202401 count seconds from a start of their own.
        (
            "604000000",
            "604000003",
            3.0,
            "read in s: its first value is not a time since",
        ),
        ("0", "3", 3.0, "read in s: its first value is not a time since"),
    ],
)
def test_the_unit_of_op_time_is_found_and_told(
    tmp_path, first, second, duration_s, told
):
    head = "op_time,key,key_size,op,op_count,size\n"
    path = write(tmp_path, f"{head}{first},k,1,GET,1,0\n{second},k,1,GET,1,0\n")
    found = inspect(path)
    assert found["duration_s"] == duration_s
    messages = [
        w["message"] for w in found["warnings"] if w["name"] == "time_unit_assumed"
    ]
    assert len(messages) == (told is not None)
    assert told is None or told in messages[0]


def test_cachelib_columns_are_found_by_name_in_any_order(tmp_path):
    path = write(
        tmp_path,
        "io_size,op_name,io_offset,block_id\n8192,getChunkData,0,b1\n4096,putChunkX,4096,b1\n512,getChunkData,0,b2\n",
    )
    found = inspect(path)
    assert found["format"] == "cachelib_storage"
    # Pages 0 and 1 of b1, page 1 again, page 0 of b2.
    assert (found["accesses"], found["distinct_pages"], found["write_accesses"]) == (
        4,
        3,
        1,
    )
    assert inspect(path, page_bytes=512)["accesses"] == 16 + 8 + 1
    less = write(tmp_path, "io_size,op_name,io_offset\n1,getChunkData,0\n")
    with pytest.raises(TraceError, match="does not name block_id"):
        inspect(less, format="cachelib_storage")


def test_storage_operations_and_offsets_are_checked(tmp_path):
    head = "block_id,op_name,io_offset,io_size\n"
    for line, part in (
        ("b,listChunks,0,1", "neither getChunkData* nor putChunk*"),
        ("b,getChunkData,4294967296,1", "more than a block holds"),
        (",getChunkData,0,1", "block_id is empty"),
        ("b,getChunkData,0", "the line has 3 columns, its header 4"),
    ):
        with pytest.raises(TraceError) as caught:
            inspect(write(tmp_path, f"{head}b,getChunkData,0,1\n{line}\n"))
        assert part in caught.value.args[0]


def lcs(version: int, *records: bytes, end: bytes | None = None) -> bytes:
    magic = struct.pack("<Q", 0x123456789ABCDEF0)
    header = magic + struct.pack("<Q", version)
    return header + bytes(8192 - 8 - len(header)) + (end or magic) + b"".join(records)


@pytest.mark.parametrize(
    ("version", "layout"),
    [
        (1, "<IQI q"),
        (2, "<IQII q"),
        (3, "<IQqIIq"),
        (4, "<IQqIIq 4x"),
        (5, "<IQqIIq 8x"),
        (6, "<IQqIIq 16x"),
        (7, "<IQqIIq 32x"),
        (8, "<IQqIIq 64x"),
    ],
)
def test_every_version_of_lcs_is_read(tmp_path, version, layout):
    set_of_tenant_5 = 3 | 5 << 8
    extra = {1: (), 2: (set_of_tenant_5,)}.get(version, (set_of_tenant_5, 60))
    records = [
        struct.pack(layout, 10, 7, 100, *extra, 2),
        struct.pack(layout, 12, 7, 100, *extra, -1),
    ]
    found = inspect(write(tmp_path, lcs(version, *records)))
    assert found["format"] == "lcs"
    assert (found["accesses"], found["distinct_pages"]) == (2, 1)
    assert found["write_accesses"] == (0 if version == 1 else 2)
    assert found["duration_s"] == 2.0
    assert (
        f"LCS version {version}: records of {struct.calcsize(layout)} bytes"
        in found["assumptions"]
    )
    # Cut inside a record.
    with pytest.raises(TraceError, match="middle of a record"):
        inspect(write(tmp_path, lcs(version, *records)[:-1]))


def test_the_two_headers_of_lcs_are_told_apart(tmp_path):
    old = struct.pack("<Q", 0x123456789ABCDEF0) + b"<IQIq".ljust(1016, b"\0")
    for content, part in (
        (old, "the header of October 2024"),
        (lcs(9), "LCS version `9`"),
        (lcs(1)[:4000], "header is cut off: 4000 of 8192"),
        (lcs(1, end=bytes(8)), "does not end with its magic number"),
    ):
        with pytest.raises(TraceError) as caught:
            inspect(write(tmp_path, content))
        assert part in caught.value.args[0]
        assert caught.value.args[1]


def test_a_file_of_lcs_that_is_cut_between_records_is_told(tmp_path):
    records = [struct.pack("<IQIq", i, i, 100, -1) for i in range(40)]

    def told(content: bytes, read=inspect, **options) -> list[str]:
        found = read(write(tmp_path, content), **options)
        names = [warning["name"] for warning in found["warnings"]]
        return [name for name in names if name == "records_not_as_stated"]

    def stating(requests: int, kept: int) -> bytes:
        content = bytearray(lcs(1, *records[:kept]))
        content[16:32] = struct.pack("<QQ", 1, requests)
        return bytes(content)

    assert told(stating(40, 40)) == []
    assert told(stating(40, 37)) == ["records_not_as_stated"]
    assert told(stating(30, 40)) == ["records_not_as_stated"]
    # Statistics that were not kept say nothing, nor does a look at the head.
    assert told(stating(0, 40)) == []
    assert told(stating(40, 37), preview, rows=5) == []


def test_tenants_are_spaces_of_their_own(tmp_path):
    # Ids 0 to 49 of two name spaces: 100 keys, where libCacheSim would count 50.
    op_ns = b"".join(
        struct.pack("<IQIBHq", i // 10, i % 50, 4096, 1, i // 50 % 2, -1)
        for i in range(200)
    )
    found = inspect(write(tmp_path, op_ns))
    assert found["format"] == "oracle_general_op_ns"
    assert (found["accesses"], found["distinct_pages"], found["devices"]) == (
        200,
        100,
        2,
    )
    assert any(
        "an id in two name spaces is two keys" in one for one in found["assumptions"]
    )
    records = [
        struct.pack("<IQIIq", i, i % 5, 100, 1 | (i // 5 % 3) << 8, -1)
        for i in range(30)
    ]
    path = write(tmp_path, lcs(2, *records))
    assert inspect(path)["distinct_pages"] == 15
    assert {one["device"] for one in preview(path, rows=30)["records"]} == {
        "0",
        "1",
        "2",
    }
    # Version 1 has no tenant.
    path = write(tmp_path, lcs(1, struct.pack("<IQIq", 1, 7, 100, -1)))
    assert preview(path, rows=1)["records"][0]["device"] == ""


def test_operations_of_libcachesim_records(tmp_path):
    # get, gets, read and unknown read; delete makes no access; the other ten codes write.
    records = [struct.pack("<IQIBHq", 5, code, 1, code, 0, -1) for code in range(15)]
    found = inspect(write(tmp_path, b"".join(records)))
    assert found["format"] == "oracle_general_op_ns"
    assert (found["requests"], found["accesses"], found["write_accesses"]) == (
        15,
        14,
        10,
    )
    assert {"operations_unknown", "deletes_without_access"} <= names(found)
    bad = struct.pack("<IQIBHq", 5, 1, 1, 15, 0, -1)
    with pytest.raises(TraceError, match="operation `15` is not one of 0 to 14"):
        inspect(write(tmp_path, b"".join(records) * 9 + bad))


def test_arc_requests_are_ranges_of_pages(tmp_path):
    found = inspect(write(tmp_path, "10 3 0 1\n12 1 0 2\n10 2 0 3\n"))
    assert (found["format"], found["requests"], found["accesses"]) == ("arc", 3, 6)
    assert found["distinct_pages"] == 3
    assert found["extent"] == {
        "unit": "pages",
        "smallest_request": 1,
        "largest_request": 3,
        "lowest": 10,
        "highest": 12,
    }
    for line, part in (
        ("10 0 0 4", "num_blocks `0` requests nothing"),
        ("18446744073709551615 2 0 4", "more than one request can touch"),
        ("1 99999999 0 4", "more than one request can touch"),
    ):
        with pytest.raises(TraceError) as caught:
            inspect(write(tmp_path, f"10 3 0 1\n11 1 0 2\n12 1 0 3\n{line}\n"))
        assert part in caught.value.args[0]


def test_four_numbers_that_count_nothing_are_asked_for(tmp_path):
    path = write(tmp_path, "7 1 9 44\n3 2 5 12\n9 1 0 3\n1 1 1 1\n")
    with pytest.raises(UndecidedFormat) as caught:
        inspect(path)
    assert [one["format"] for one in caught.value.candidates] == ["arc"]
    assert inspect(path, format="arc")["accesses"] == 5


def test_breaks_of_lirs_are_no_requests(tmp_path):
    found = inspect(write(tmp_path, "5\r\n*\r\n\r\n6\r\n5\r\n"))
    assert (found["format"], found["requests"], found["distinct_pages"]) == (
        "lirs",
        3,
        2,
    )
    assert {"breaks_passed_over", "blank_lines"} <= names(found)


def test_keys_are_read_by_name_only(tmp_path):
    path = write(tmp_path, "alpha\n42\nalpha\n")
    with pytest.raises(UndecidedFormat) as caught:
        inspect(path)
    assert caught.value.candidates[0]["format"] == "keys"
    records = preview(path, format="keys")["records"]
    assert [row["first_page"] for row in records] == [
        fnv_1a("alpha"),
        42,
        fnv_1a("alpha"),
    ]
    # The same keys through a column mapping are the same trace.
    table = write(tmp_path, "n,k\n1,alpha\n2,42\n3,alpha\n", "table")
    mapped = inspect(table, columns={"key": "k"})
    assert (
        mapped["sha256_of_sequence"]
        == inspect(path, format="keys")["sha256_of_sequence"]
    )


def test_wikimedia_upload_and_text(tmp_path):
    upload = "0\t-12\tjpeg\t100\t0.01\n1\t13\tsvg\t0\t0.2\n"
    found = inspect(write(tmp_path, upload))
    assert (found["format"], found["accesses"], found["duration_s"]) == (
        "wikimedia_cdn",
        2,
        1.0,
    )
    text = "0\t12\t100\t0.01\n2\t12\t100\t0.2\n"
    assert inspect(write(tmp_path, text))["distinct_pages"] == 1
    with pytest.raises(TraceError, match="line 3"):
        inspect(write(tmp_path, upload + "2\t12\t100\t0.2\n"))
    # The columns of 2016 have no time.
    with pytest.raises(UndecidedFormat):
        inspect(write(tmp_path, "h1 q1 jpeg 100 hit\nh2 q2 jpeg 100 miss\n"))


# --- plausibility ---------------------------------------------------------------------------------


def spc(offsets: list[int], sizes: list[int], step_s: float = 0.01) -> str:
    return "".join(
        f"0,{offset},{size},R,{i * step_s:.6f}\n"
        for i, (offset, size) in enumerate(zip(offsets, sizes, strict=True))
    )


def test_a_plausible_trace_has_no_doubts(tmp_path):
    path = write(tmp_path, spc(list(range(0, 1600, 8)), [4096] * 200))
    assert names(inspect(path, format="spc")) == {"below_page_cache"}


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        # Lengths in sectors where the format counts bytes.
        (spc(list(range(0, 1600, 8)), [8] * 200), "implausible_sizes"),
        (spc(list(range(0, 1600, 8)), [8] * 200), "implausible_alignment"),
        # Lengths in bytes where it counts sectors: 4096 sectors of ... more than 64 MiB.
        (spc(list(range(0, 1600, 8)), [1 << 27] * 200), "implausible_sizes"),
        # Offsets in bytes where the format counts sectors: 3 PiB.
        (spc([6 << 40] * 200, [4096] * 200), "implausible_footprint"),
        # Every request recorded three times.
        (
            spc([i // 3 * 8 for i in range(300)], [4096] * 300, 1e-5),
            "duplicated_requests",
        ),
        (
            "\n".join(reversed(spc([8, 16, 24], [4096] * 3).splitlines())) + "\n",
            "non_monotone_time",
        ),
    ],
)
def test_doubtful_traces_are_warned_of(tmp_path, content, warning):
    found = inspect(write(tmp_path, content), format="spc")
    assert warning in names(found)


def test_reuse_is_no_duplicate(tmp_path):
    # The same page again and again, but a tenth of a second apart.
    path = write(tmp_path, spc([8] * 300, [4096] * 300, 0.1))
    assert "duplicated_requests" not in names(inspect(path, format="spc"))


def test_a_preview_sums_up_the_records_shown(tmp_path):
    path = write(tmp_path, spc([8, 16, 800], [4096, 512, 8192]))
    assert preview(path, rows=2)["shown"] == {
        "requests": 2,
        "write_requests": 0,
        "devices": 1,
        "first_time_ns": 0,
        "duration_s": 0.01,
        "extent": {
            "unit": "bytes",
            "smallest_request": 512,
            "largest_request": 4096,
            "lowest": 4096,
            "highest": 8703,
        },
    }


@pytest.mark.parametrize("page_bytes", [512, 4096, 65536, 1 << 20])
def test_page_sizes_from_512_bytes_to_1_mib(tmp_path, page_bytes):
    path = write(tmp_path, spc([8], [1 << 21]))
    first, last = 4096 // page_bytes, (4096 + (1 << 21) - 1) // page_bytes
    assert inspect(path, page_bytes=page_bytes)["accesses"] == last - first + 1
