"""Traces however they are packed: compressed, archived, damaged, or made to do harm."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import stat
import struct
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tierwright._simulator import TraceError, UndecidedFormat, convert, inspect, preview

HEADER = "time_us,op,rel,block\n"


def records(first: int, count: int, relation: str = "5/9") -> str:
    return "".join(
        f"{i * 7},{'W' if i % 3 == 0 else 'R'},{relation},{i * i % 97}\n"
        for i in range(first, first + count)
    )


TEXT = (HEADER + records(0, 3000)).encode()


def zst(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


def xz(content: bytes) -> bytes:
    return lzma.compress(content)


CODECS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zst,
    "xz": xz,
    "bzip2": bz2.compress,
}


def tar(
    members: dict[str, bytes],
    tar_format: int = tarfile.PAX_FORMAT,
    *links: tarfile.TarInfo,
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tar_format) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for link in links:
            archive.addfile(link)
    return out.getvalue()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def write(tmp_path: Path, content: bytes, name: str = "misleading.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> dict[str, object]:
    return inspect(write(tmp_path_factory.mktemp("plain"), TEXT))


def assert_same(found: dict[str, object], plain: dict[str, object]) -> None:
    keys = ("format", "requests", "distinct_pages", "sha256_of_sequence", "duration_s")
    assert {key: found[key] for key in keys} == {key: plain[key] for key in keys}


PACKED = {
    "gzip": gzip.compress(TEXT),
    "zstd": zst(TEXT),
    "xz": xz(TEXT),
    "bzip2": bz2.compress(TEXT),
    "tar": tar({"t.csv": TEXT}),
    "gzip > tar": gzip.compress(tar({"day/t.csv": TEXT})),
    "xz > tar": xz(tar({"t.csv": TEXT}, tarfile.GNU_FORMAT)),
    "bzip2 > tar": bz2.compress(tar({"t.csv": TEXT}, tarfile.USTAR_FORMAT)),
    "tar > zstd": tar({"t.csv.zst": zst(TEXT)}),
    "gzip > tar > xz": gzip.compress(tar({"t.csv.xz": xz(TEXT)})),
    "zip": zipped({"t.csv": TEXT}),
    "zip > gzip": zipped({"t.csv.gz": gzip.compress(TEXT)}, zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("layers", PACKED)
def test_every_packing_holds_the_same_trace(tmp_path, plain, layers):
    path = write(tmp_path, PACKED[layers])
    found = inspect(path)
    assert_same(found, plain)
    assert found["compression"] == layers
    shown = preview(path, rows=3)
    assert len(shown["records"]) == 3
    assert shown["compression"] == layers
    done = convert(path, tmp_path / "t.twt")
    assert done["sha256_of_sequence"] == plain["sha256_of_sequence"]


@pytest.mark.parametrize(
    "method",
    [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2],
)
def test_methods_of_zip(tmp_path, plain, method):
    assert_same(inspect(write(tmp_path, zipped({"t": TEXT}, method))), plain)


def test_zip_by_lzma_is_refused_by_name(tmp_path):
    path = write(tmp_path, zipped({"t": TEXT}, zipfile.ZIP_LZMA))
    with pytest.raises(TraceError, match="method 14 of ZIP"):
        inspect(path)


@pytest.mark.parametrize("tar_format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names_of_tar_are_read(tmp_path, plain, tar_format):
    name = "folder/" * 40 + "t.csv"
    found = inspect(write(tmp_path, tar({name: TEXT}, tar_format)))
    assert_same(found, plain)
    assert any("folder/folder/" in one for one in found["assumptions"])


@pytest.mark.parametrize("codec", CODECS)
def test_streams_of_several_parts_are_read_to_the_last(tmp_path, plain, codec):
    pack = CODECS[codec]
    content = pack(TEXT[:20_000]) + pack(TEXT[20_000:])
    assert_same(inspect(write(tmp_path, content)), plain)


# --- archives that end early, late or with holes ---------------------------------------------------


def test_archives_joined_behind_each_other_are_refused(tmp_path):
    one, two = tar({"a.csv": TEXT}), tar({"b.csv": TEXT})
    for packed in (one + two, gzip.compress(one + two)):
        with pytest.raises(TraceError, match="continues after its end"):
            inspect(write(tmp_path, packed))
    # Zeros behind the end fill the last record of a tape.
    assert inspect(write(tmp_path, one + bytes(10_240)))["warnings"] == []


def test_an_archive_cut_between_members_is_told(tmp_path, plain):
    whole = tar({"a.csv": TEXT, "b.csv": TEXT}, tarfile.USTAR_FORMAT)
    first = 512 + -(-len(TEXT) // 512) * 512
    found = inspect(write(tmp_path, whole[:first]))
    assert_same(found, plain)
    assert [one["name"] for one in found["warnings"]] == ["archive_end_missing"]
    assert inspect(write(tmp_path, whole))["requests"] == 2 * plain["requests"]


def test_sparse_members_are_refused(tmp_path):
    # As `tar --sparse --format=posix` writes them: a map of the holes stands before the data.
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("GNUSparseFile.1/t.csv")
        info.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": "t.csv",
            "GNU.sparse.realsize": str(1 << 20),
        }
        body = b"1\n0\n512\n".ljust(512, b"\0") + TEXT[:512]
        info.size = len(body)
        archive.addfile(info, io.BytesIO(body))
    with pytest.raises(TraceError, match="is a sparse file"):
        inspect(write(tmp_path, out.getvalue()))


# --- several members ------------------------------------------------------------------------------


def parts() -> dict[str, bytes]:
    return {
        "a.csv": (HEADER + records(0, 1000)).encode(),
        "b.csv": (HEADER + records(1000, 1500, "5/10")).encode(),
        "c.csv": (HEADER + records(2500, 500)).encode(),
    }


@pytest.mark.parametrize(
    "pack", [tar, zipped, lambda members: gzip.compress(tar(members))]
)
def test_members_of_one_format_are_one_trace_in_the_archives_order(tmp_path, pack):
    whole = HEADER + records(0, 1000) + records(1000, 1500, "5/10") + records(2500, 500)
    expected = inspect(write(tmp_path, whole.encode(), "whole"))
    found = inspect(write(tmp_path, pack(parts()), "packed"))
    assert_same(found, expected)
    # The relation of the first and of the last member is one.
    assert found["devices"] == expected["devices"] == 2
    assert any("3 members are one trace" in one for one in found["assumptions"])
    # Which is told, for it would be wrong if each member were of a server of its own.
    [joined] = found["warnings"]
    assert joined["name"] == "members_joined"
    assert "archive's 3 members name the same devices" in joined["message"]
    assert joined["message"].endswith(": 5/9")
    # And the whole way: the canonical trace is the same, byte for byte of its content.
    one = convert(tmp_path / "whole", tmp_path / "1.twt")
    two = convert(tmp_path / "packed", tmp_path / "2.twt")
    assert one["content_id"] == two["content_id"]


def test_members_out_of_order_are_told(tmp_path):
    members = parts()
    turned = {name: members[name] for name in ("c.csv", "a.csv", "b.csv")}
    found = inspect(write(tmp_path, tar(turned)))
    names = [warning["name"] for warning in found["warnings"]]
    assert "members_out_of_order" in names
    assert "non_monotone_time" in names


def test_members_with_devices_of_one_name_are_told_to_be_one(tmp_path):
    def joined(members: dict[str, bytes]) -> list[str]:
        found = inspect(write(tmp_path, zipped(members)))
        return [
            one["message"]
            for one in found["warnings"]
            if one["name"] == "members_joined"
        ]

    # Two recordings whose storage units are both called 0.
    [told] = joined(
        dict.fromkeys(("Financial1.spc", "Financial2.spc"), b"0,8,4096,R,0.0\n")
    )
    assert told.endswith("name the same devices, each of which counts as one: 0")
    assert joined({"a.spc": b"0,8,4096,R,0.0\n", "b.spc": b"1,8,4096,R,0.0\n"}) == []
    # Pages and keys without devices are one too.
    [told] = joined(dict.fromkeys(("OLTP.lis", "P1.lis"), b"5 3 0 0\n7 1 0 1\n"))
    assert "the same page or key in several of the archive's 2 members" in told


def test_members_without_devices_are_told_to_be_one(tmp_path):
    record = struct.pack("<IIIHHQQ", 1, 4096, 1, 0x28, 0x100, 8, 5) * 20
    found = inspect(write(tmp_path, zipped({"w1": record, "w2": record})))
    assert "members_joined" in [warning["name"] for warning in found["warnings"]]


def test_folders_clutter_and_empty_members_are_passed_over(tmp_path, plain):
    members = {
        "__MACOSX/._t.csv": b"\0\1",
        "t/": b"",
        "t/.DS_Store": b"x",
        "t/empty.csv": b"",
        "t/t.csv": TEXT,
    }
    found = inspect(write(tmp_path, zipped(members)))
    assert_same(found, plain)
    del members["t/"]
    assert_same(inspect(write(tmp_path, tar(members))), plain)


def test_members_of_other_formats_are_refused_with_their_names(tmp_path):
    members = {"t.csv": TEXT, "zz-README": b"These traces were recorded in 2019.\n"}
    path = write(tmp_path, tar(members), "traces.tar")
    with pytest.raises(
        TraceError, match=r"different formats: `t\.csv` is postgres_csv"
    ) as caught:
        inspect(path)
    assert "without `zz-README`" in caught.value.args[1]


def test_a_bad_line_names_archive_member_and_line(tmp_path):
    members = parts() | {"c.csv": (HEADER + "1,R,a\n").encode()}
    path = write(tmp_path, zipped(members), "days.zip")
    with pytest.raises(TraceError) as caught:
        inspect(path)
    assert "days.zip: c.csv`, line 2: " in caught.value.args[0]


# --- damaged and hostile --------------------------------------------------------------------------


@pytest.mark.parametrize("layers", PACKED)
def test_truncated_packings_are_refused(tmp_path, layers):
    content = PACKED[layers]
    step = max(len(content) // 60, 1)
    for length in {
        *range(1, len(content), step),
        *range(max(len(content) - 20, 1), len(content)),
    }:
        if layers.startswith("tar") and length >= len(content.rstrip(b"\0")):
            # All of the member is there: the zero blocks behind it may be missing.
            continue
        path = write(tmp_path, content[:length])
        with pytest.raises(TraceError) as caught:
            inspect(path)
        assert caught.value.args[1]


@pytest.mark.parametrize("codec", CODECS)
def test_a_truncated_stream_says_where(tmp_path, codec):
    content = CODECS[codec](TEXT)
    half = len(content) // 2
    with pytest.raises(TraceError) as caught:
        inspect(write(tmp_path, content[:half]))
    assert (
        f"the {codec} stream is truncated: the file ends at byte {half} "
        in caught.value.args[0]
    )


@pytest.mark.parametrize("layers", PACKED)
def test_flipped_bits_never_give_other_numbers(tmp_path, plain, layers):
    content = PACKED[layers]
    for position in range(0, len(content), max(len(content) // 150, 1)):
        flipped = bytearray(content)
        flipped[position] ^= 1 << (position % 8)
        path = write(tmp_path, bytes(flipped))
        found: dict[str, object] | None = None
        with contextlib.suppress(TraceError):
            found = inspect(path)
        # Checksums guard the content of all but tar; of the rest (names, times) nothing counts.
        if found is not None and layers != "tar":
            assert_same(found, plain)


def test_a_wrong_checksum_in_a_zip_is_refused(tmp_path):
    content = bytearray(zipped({"t.csv": TEXT}, zipfile.ZIP_STORED))
    at = content.index(b",R,5/9,") + 1
    content[at] = ord("W")
    with pytest.raises(
        TraceError, match=r"length or checksum of the member `t\.csv` is wrong"
    ):
        inspect(write(tmp_path, bytes(content)))


@pytest.mark.parametrize(
    "name", ["../t.csv", "/etc/t.csv", "a/../../t.csv", "C:\\t.csv"]
)
def test_names_that_lead_out_of_an_archive_are_refused(tmp_path, name):
    for pack in (tar, zipped):
        path = write(tmp_path, pack({"good.csv": TEXT, name: TEXT}))
        with pytest.raises(TraceError, match=r"leads out|absolute") as caught:
            inspect(path)
        assert "do not trust this archive" in caught.value.args[1]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["misleading.txt"]


def test_links_and_devices_in_archives_are_refused(tmp_path):
    link = tarfile.TarInfo("link.csv")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    hard = tarfile.TarInfo("hard.csv")
    hard.type, hard.linkname = tarfile.LNKTYPE, "a.csv"
    device = tarfile.TarInfo("device")
    device.type = tarfile.CHRTYPE
    for info, what in (
        (link, "is a link"),
        (hard, "is a link"),
        (device, "is a device"),
    ):
        path = write(tmp_path, tar({"a.csv": TEXT}, tarfile.PAX_FORMAT, info))
        with pytest.raises(TraceError, match=what):
            inspect(path)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link.csv")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(TraceError, match="is a link"):
        inspect(write(tmp_path, out.getvalue()))


def test_overlapping_members_of_a_zip_are_refused(tmp_path):
    content = bytearray(zipped({"a.csv": TEXT, "b.csv": TEXT}))
    # Lets the second entry of the directory point at the first member.
    second = content.rindex(b"PK\x01\x02")
    content[second + 42 : second + 46] = b"\0\0\0\0"
    with pytest.raises(TraceError, match="overlap"):
        inspect(write(tmp_path, bytes(content)))


def test_encrypted_members_are_refused(tmp_path):
    content = bytearray(zipped({"a.csv": TEXT}))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(TraceError, match="is encrypted"):
        inspect(write(tmp_path, bytes(content)))


def test_archives_in_archives_are_named_not_unpacked(tmp_path):
    for outer in (tar, zipped):
        with pytest.raises(UndecidedFormat, match="archive"):
            inspect(write(tmp_path, outer({"inner.zip": zipped({"t": TEXT})})))
        # The head of a tar is zeros and text, which looks like any binary data.
        with pytest.raises(UndecidedFormat, match="a tar archive inside") as caught:
            inspect(write(tmp_path, outer({"inner.tar": tar({"t": TEXT})})))
        assert "unpack the outer file" in caught.value.args[1]
    with pytest.raises(UndecidedFormat, match="compressed twice"):
        inspect(write(tmp_path, gzip.compress(xz(TEXT))))


def test_an_archive_without_files_is_refused(tmp_path):
    for content in (zipped({}), zipped({"a/": b""}), tar({"e": b""})):
        with pytest.raises(TraceError, match="holds no file with data"):
            inspect(write(tmp_path, content))


@pytest.mark.slow
def test_decompression_bombs_are_stopped(tmp_path):
    # 320 MB of one repeated line in a few kB (the first 256 MiB may expand as they like): bzip2
    # twice over would be a few hundred bytes. Long lines, for lines are what takes time.
    lines = b"100000000000,R,4294967290/4294967291,2000000000\n" * 100_000
    rounds = 320_000_000 // len(lines)
    out = io.BytesIO()
    with zstandard.ZstdCompressor(level=3).stream_writer(out, closefd=False) as writer:
        writer.write(HEADER.encode())
        for _ in range(rounds):
            writer.write(lines)
    path = write(tmp_path, out.getvalue())
    with pytest.raises(TraceError, match="expands more than 5000 times") as caught:
        inspect(path)
    assert "[[the max_expansion]]" in caught.value.args[1]
    found = inspect(path, max_expansion=1_000_000)
    assert found["requests"] == rounds * 100_000
    with pytest.raises(TraceError, match="more than 1000000 bytes") as caught:
        inspect(path, max_content_bytes=1_000_000)
    assert "[[the max_content_bytes]]" in caught.value.args[1]


def test_content_limits_hold_for_all_members_together(tmp_path):
    path = write(tmp_path, zipped(parts()))
    total = sum(len(content) for content in parts().values())
    assert inspect(path, max_content_bytes=total)["requests"] == 3000
    with pytest.raises(TraceError, match="the limit"):
        inspect(path, max_content_bytes=total - 1)


# --- tolerance --------------------------------------------------------------------------------------


def test_bad_lines_are_skipped_only_on_request_and_counted(tmp_path):
    lines = (HEADER + records(0, 50)).splitlines()
    lines[10:10] = ["not,a,record", "1,R,5/9,-4", "x" * (3 << 20)]
    path = write(tmp_path, "\n".join([*lines, ""]).encode())
    with pytest.raises(TraceError, match="line 11"):
        inspect(path)
    with pytest.raises(TraceError, match="line 13: the line is longer"):
        inspect(path, skip_bad_records=2)
    for found in (
        inspect(path, skip_bad_records=3),
        convert(path, tmp_path / "t.twt", skip_bad_records=10),
    ):
        assert found["requests"] == 50
        assert found["skipped_records"] == 3
        warning = next(
            one for one in found["warnings"] if one["name"] == "bad_records_skipped"
        )
        assert "3 bad records" in warning["message"]
        assert "line 11: " in warning["message"]
        assert "not,a,record" in warning["message"]
    # The canonical trace keeps the warning.
    kept = inspect(tmp_path / "t.twt")["warnings"]
    assert "bad_records_skipped" in [warning["name"] for warning in kept]
    assert len(preview(path, rows=60, skip_bad_records=3)["records"]) == 50


def test_bad_binary_records_are_skipped_only_on_request(tmp_path):
    good = struct.pack("<IIIHHQQ", 1, 4096, 1, 0x28, 0x100, 8, 5)
    bad = struct.pack("<IIIHHQQ", 1, 4096, 1, 0x12, 0x100, 8, 5)
    path = write(tmp_path, good * 30 + bad + good * 30 + bad + good[:17])
    with pytest.raises(TraceError, match="record 31 at byte 960"):
        inspect(path)
    with pytest.raises(TraceError, match="middle of a record"):
        inspect(path, skip_bad_records=2)
    found = inspect(path, skip_bad_records=3)
    assert (found["requests"], found["skipped_records"]) == (60, 3)


def test_tolerance_is_shared_by_the_members(tmp_path):
    members = {name: content + b"bad\n" for name, content in parts().items()}
    path = write(tmp_path, tar(members))
    with pytest.raises(TraceError, match=r"c\.csv"):
        inspect(path, skip_bad_records=2)
    found = inspect(path, skip_bad_records=3)
    assert (found["requests"], found["skipped_records"]) == (3000, 3)


# --- memory -----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits memory by RLIMIT_AS"
)
def test_a_trace_larger_than_the_memory_limit_is_converted(tmp_path):
    # 1.1 GB of text within 400 MB of address space, interpreter and NumPy included.
    path = tmp_path / "t.csv.gz"
    block = b"".join(
        b"128166372009385130,host,%d,Read,%d,4096,0\n" % (i % 4, i * 4096)
        for i in range(100_000)
    )
    rounds = 1_100_000_000 // len(block)
    packed = gzip.compress(block, compresslevel=1)  # one part of many: made once
    with path.open("wb") as file:
        for _ in range(rounds):
            file.write(packed)
    limit = 400 << 20
    assert rounds * len(block) > 2.5 * limit
    script = textwrap.dedent(
        f"""
        import resource
        from tierwright._simulator import convert
        resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = convert({str(path)!r}, {str(tmp_path / "t.twt")!r})
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(found["requests"], found["distinct_pages"], after - before)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    requests, distinct, grown_kib = map(int, done.stdout.split())
    assert requests == rounds * 100_000
    assert distinct == 100_000
    # Page table of 100,000 pages and the buffers of one pass; nothing of the length.
    assert grown_kib < 64 * 1024
