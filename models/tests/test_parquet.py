"""Parquet tables, written by another program, against counts made from the same rows as text."""

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tierwright._simulator import (
    ParameterError,
    SimulatorError,
    TraceError,
    column_names,
    convert,
    inspect,
    preview,
)

TABLE = Path(__file__).parents[2] / "fixtures" / "traces" / "table.parquet"
MAPPING = {
    "time": "when",
    "time_unit": "us",
    "op": "op",
    "read_values": "Read",
    "write_values": "Write",
    "offset": "lba",
    "offset_unit": "sectors",
    "size": "bytes",
    "size_unit": "bytes",
    "device": "volume",
}
# Counted by a script over the same 3,000 rows written as CSV, page by page, with sets.
SEQUENCE = "8a36df6dce9d2d760db611edf7817274143d397e23b1ab1f65b146f835f358c1"


def test_counts_are_those_of_the_rows():
    found = inspect(TABLE, columns=MAPPING)
    assert (found["format"], found["chosen_by"]) == ("parquet", "columns")
    assert (found["requests"], found["write_requests"]) == (3000, 930)
    assert (found["accesses"], found["write_accesses"]) == (18_801, 5742)
    assert (found["distinct_pages"], found["devices"]) == (9664, 3)
    assert found["duration_s"] == 7.425961
    assert found["sha256_of_sequence"] == SEQUENCE


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "tar": lambda content: tar({"t.parquet": content}),
    "gzip > tar": lambda content: gzip.compress(tar({"t.parquet": content})),
    "zip": lambda content: zipped({"t.parquet": content}),
    "zip > zstd": lambda content: zipped(
        {"t.parquet.zst": zstandard.ZstdCompressor().compress(content)}
    ),
}


def tar(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("layers", PACKED)
def test_packed_tables_hold_the_same_rows(tmp_path, layers):
    path = tmp_path / "misleading.txt"
    path.write_bytes(PACKED[layers](TABLE.read_bytes()))
    seen = []
    found = inspect(path, columns=MAPPING, on_progress=lambda *at: seen.append(at))
    assert (found["format"], found["compression"]) == ("parquet", layers)
    assert (found["requests"], found["sha256_of_sequence"]) == (3000, SEQUENCE)
    assert column_names(path) == column_names(TABLE)
    assert len(preview(path, columns=MAPPING, rows=3)["records"]) == 3
    done = convert(path, tmp_path / "t.twt", columns=MAPPING)
    assert done["sha256_of_sequence"] == SEQUENCE
    size = path.stat().st_size
    done, whole = seen[-1][:2]
    # Of a ZIP archive the directory of its members follows, which is no content.
    assert (done, whole) == (size, size) or (
        "zip" in layers and 0 < done < whole == size
    )
    assert sorted(one.name for one in tmp_path.iterdir()) == ["misleading.txt", "t.twt"]


def test_packed_tables_are_unpacked_within_the_limits(tmp_path):
    content = TABLE.read_bytes()
    path = tmp_path / "t.parquet.gz"
    path.write_bytes(gzip.compress(content))
    assert inspect(path, columns=MAPPING, max_content_bytes=len(content))
    with pytest.raises(TraceError, match="the limit"):
        inspect(path, columns=MAPPING, max_content_bytes=len(content) - 1)
    path.write_bytes(gzip.compress(content)[:-3000])
    with pytest.raises(TraceError, match="the gzip stream is truncated"):
        inspect(path, columns=MAPPING)
    path.write_bytes(gzip.compress(content[:-3000]))
    with pytest.raises(
        TraceError, match="damaged, truncated or of an unsupported kind"
    ):
        inspect(path, columns=MAPPING)


def test_several_packed_tables_are_one_trace(tmp_path):
    path = tmp_path / "days.tar"
    path.write_bytes(
        tar({"1.parquet": TABLE.read_bytes(), "2.parquet": TABLE.read_bytes()})
    )
    found = inspect(path, columns=MAPPING)
    assert (found["requests"], found["distinct_pages"]) == (6000, 9664)
    assert "members_joined" in [one["name"] for one in found["warnings"]]


def test_the_unit_of_the_time_is_the_columns_own():
    """The column is a timestamp in microseconds: no unit is needed, another one is refused."""
    without = {key: value for key, value in MAPPING.items() if key != "time_unit"}
    assert inspect(TABLE, columns=without)["duration_s"] == 7.425961
    with pytest.raises(ParameterError, match="counts us"):
        inspect(TABLE, columns={**MAPPING, "time_unit": "ms"})


def test_the_preview_shows_the_mapped_fields_of_each_row():
    shown = preview(TABLE, columns=MAPPING, rows=3)
    assert shown["columns"] == ["when", "op", "volume", "lba", "bytes", "note"]
    first = shown["records"][0]
    assert (first["place"], first["op"], first["device"]) == ("row 1", "W", "b")
    assert (first["offset_bytes"], first["size_bytes"]) == (19992 * 512, 65536)
    assert first["raw"] == "4057, Write, b, 19992, 65536"


def test_it_is_converted_with_progress(tmp_path):
    steps = []
    found = convert(
        TABLE,
        tmp_path / "t.twt",
        columns=MAPPING,
        on_progress=lambda done, total, *_: steps.append((done, total)),
    )
    assert found["sha256_of_sequence"] == SEQUENCE
    assert steps[-1] == (TABLE.stat().st_size, TABLE.stat().st_size)
    assert steps == sorted(steps)


def test_without_a_mapping_it_names_the_columns():
    for options in ({}, {"format": "parquet"}):
        with pytest.raises(
            ParameterError, match="parquet needs a column mapping"
        ) as no:
            inspect(TABLE, **options)
        assert "when, op, volume, lba, bytes, note" in no.value.args[1]
    assert column_names(TABLE) == ["when", "op", "volume", "lba", "bytes", "note"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offset": "nothing"}, "not a column"),
        ({"delimiter": ","}, "has fixed columns"),
        ({"header": "true"}, "has fixed columns"),
        ({"size": "note"}, "row"),
        ({"op": "volume"}, "row 1"),
    ],
)
def test_wrong_mappings_say_what_is_wrong(change, said):
    with pytest.raises(SimulatorError, match=said) as error:
        inspect(TABLE, columns={**MAPPING, **change})
    assert error.value.args[1]


def test_a_row_without_a_value_is_a_bad_record_that_may_be_passed_over():
    """`note` is empty in two rows of three."""
    columns = {"key": "note"}
    with pytest.raises(TraceError, match="row 2"):
        inspect(TABLE, columns=columns)
    found = inspect(TABLE, columns=columns, skip_bad_records=2000)
    assert (found["requests"], found["skipped_records"]) == (1000, 2000)


def test_damage_is_told_and_never_ends_the_program(tmp_path):
    data = bytearray(TABLE.read_bytes())
    path = tmp_path / "damaged.parquet"
    hints = []
    for at in [*range(4, len(data), 997), *range(len(data) - 900, len(data), 7)]:
        changed = bytearray(data)
        changed[at] ^= 0xFF
        path.write_bytes(changed)
        # Some bytes are not looked at, and some values have other ones beside them.
        with contextlib.suppress(SimulatorError):
            try:
                inspect(path, columns=MAPPING)
            except SimulatorError as error:
                hints.append(error.args[1])
                raise
    assert len(hints) > 50
    assert all(hints)
    for length in (4, 8, 12, 1000, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(TraceError):
            inspect(path, columns=MAPPING)
