"""A conversion whose process was killed goes on with what that process had made.

Every test kills a process (SIGKILL, nothing can be tidied up) and compares what the next one makes
with what an undisturbed one makes, byte by byte.
"""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import zstandard

from tierwright._simulator import SimulatorError, convert

CHUNK = 65_536
PAGE_BYTES = 4096

CHILD = """
import json, os, signal, sys
from tierwright._simulator import convert
trace, out, key, kill_at, every, reading = json.loads(sys.argv[1])
def watch(done, total, accesses, requests):
    if accesses >= kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
convert(trace, out, resume=(key, every), on_progress=watch, **reading)
"""


def msr(requests: int = 4000) -> bytes:
    """Make requests of many pages on three disks: they run over the borders of chunks."""
    lines = []
    for index in range(requests):
        mixed = index * 0x9E3779B97F4A7C15 % 2**64
        operation = "Write" if mixed >> 60 == 0 else "Read"
        offset, size = mixed % 30_000 * PAGE_BYTES, (mixed >> 20) % 200 * PAGE_BYTES
        time = 128_166_372_003_061_629 + index * 977
        lines.append(f"{time},web,{mixed % 3},{operation},{offset},{size},900\n")
    return "".join(lines).encode()


def blkparse(requests: int = 3000) -> bytes:
    """Make requests that the reader must remember from one line to another."""
    return "".join(
        f"  8,{16 * (i % 2)}    {i % 2} {i + 1:8} {i // 1000:5}.{i % 1000 * 1_000_000:09}   697  "
        f"{'QD'[i % 3 == 0]}  {'WR'[i % 5 > 0]}S {i * 7919 % 90_000 * 8} + {8 * (i % 90 + 1)} "
        "[postgres]\n"
        for i in range(requests)
    ).encode()


def killed(
    trace: Path,
    out: Path,
    kill_at: int,
    key: str = "k",
    every: int = 1,
    **reading: Any,
) -> None:
    """Convert in a process of its own that is killed at `kill_at` accesses."""
    given = json.dumps([str(trace), str(out), key, kill_at, every, reading])
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, given],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def resumed(trace: Path, out: Path, key: str = "k", **reading: Any) -> dict[str, Any]:
    """Convert in this process, going on with what there is."""
    return convert(trace, out, resume=(key, 1), **reading)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def tar(data: bytes) -> bytes:
    """Pack a trace in two members, cut behind a line."""
    cut = data.index(b"\n", len(data) // 2) + 1
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, part in (("a", data[:cut]), ("b", data[cut:])):
            entry = tarfile.TarInfo(name)
            entry.size = len(part)
            archive.addfile(entry, io.BytesIO(part))
    return out.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor(level=1).compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "bzip2": bz2.compress,
    "tar": tar,
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize(
    ("make", "chunks"), [(msr, (1, 3, 5)), (blkparse, (1,))], ids=["msr", "blkparse"]
)
def test_a_killed_conversion_goes_on_to_the_same_file(tmp_path, make, chunks, packing):
    trace = tmp_path / "trace"
    trace.write_bytes(PACKINGS[packing](make()))
    whole = convert(trace, tmp_path / "whole.twt")
    expected = (tmp_path / "whole.twt").read_bytes()
    assert whole["accesses"] > chunks[-1] * CHUNK
    out = tmp_path / "out" / "part.twt"
    out.parent.mkdir()
    for chunk in chunks:
        # The second and third processes are killed as well, each further on.
        killed(trace, out, chunk * CHUNK)
        assert names(out.parent) == ["part.twt.checkpoint", "part.twt.partial"]
    report = resumed(trace, out)
    assert report.pop("resumed_at_accesses") == chunks[-1] * CHUNK
    assert out.read_bytes() == expected
    assert report == whole
    assert names(out.parent) == ["part.twt"]


def test_a_process_killed_before_its_first_checkpoint_leaves_nothing_to_go_on_with(
    tmp_path,
):
    trace, out = tmp_path / "t", tmp_path / "out.twt"
    trace.write_bytes(msr())
    killed(trace, out, 2 * CHUNK, every=3 * CHUNK)
    assert names(tmp_path) == ["out.twt.partial", "t"]
    assert "resumed_at_accesses" not in resumed(trace, out)
    assert names(tmp_path) == ["out.twt", "t"]


def test_bad_lines_before_and_behind_the_kill_are_counted_once(tmp_path):
    lines = msr().splitlines(keepends=True)
    for at in (5, 1500, 3500):
        lines[at] = b"not a request\n"
    trace, out = tmp_path / "t", tmp_path / "out.twt"
    trace.write_bytes(b"".join(lines))
    reading = {"skip_bad_records": 3}
    whole = convert(trace, tmp_path / "whole.twt", **reading)
    killed(trace, out, 4 * CHUNK, **reading)
    report = resumed(trace, out, **reading)
    assert report["resumed_at_accesses"] == 4 * CHUNK
    assert report["skipped_records"] == whole["skipped_records"] == 3
    assert report["warnings"] == whole["warnings"]
    assert report["content_id"] == whole["content_id"]


def bench() -> ModuleType:
    """Load the bench of ingestion, which writes traces of every format."""
    path = Path(__file__).parents[1] / "benches" / "ingest.py"
    sys.path.insert(0, str(path.parent))  # it imports a module beside it
    spec = importlib.util.spec_from_file_location("bench_of_ingestion", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


BENCH = bench()
READ_AGAIN = {"blktrace", "cachelib_storage", "strace_postgres"}
"""Formats whose readers know more in the middle of a file than they write down."""


@cache
def several_chunks() -> Any:
    return BENCH.requests(3 * CHUNK + 1000)


@pytest.mark.parametrize("name", [*BENCH.TEXTS, *BENCH.LAYOUTS])
def test_every_format_goes_on_in_the_middle(tmp_path, name):
    """Freeze the files as a kill would leave them, and go on with them."""
    made = several_chunks()
    is_text = name in BENCH.TEXTS
    trace, out = tmp_path / "trace", tmp_path / "out.twt"
    trace.write_bytes((BENCH.text if is_text else BENCH.binary)(name, made))
    reading: dict[str, Any] = {"format": name}
    if name == "csv":
        reading["columns"] = BENCH.COLUMNS
    files = [out.with_name(f"out.twt.{end}") for end in ("partial", "checkpoint")]

    def freeze(_done: int, _total: int, accesses: int, _requests: int | None) -> None:
        if accesses == 2 * CHUNK:
            for file in files:
                shutil.copy(file, tmp_path / f"frozen-{file.name}")

    whole = resumed(trace, out, on_progress=freeze, **reading)
    assert "resumed_at_accesses" not in whole
    expected = out.read_bytes()
    out.unlink()
    for file in files:
        (tmp_path / f"frozen-{file.name}").rename(file)
    state = json.loads(files[1].read_text().splitlines()[0])["source"]["reader"]
    assert (state is None) == (name in READ_AGAIN)
    report = resumed(trace, out, **reading)
    assert report.pop("resumed_at_accesses") == 2 * CHUNK
    assert report == whole
    assert out.read_bytes() == expected


class TestNothingIsTakenOnTrust:
    """What does not fit is not gone on with: the conversion begins anew, and is right."""

    @pytest.fixture
    def left(self, tmp_path):
        """Leave what a killed process leaves; the trace, its output, what is right."""
        trace, out = tmp_path / "t", tmp_path / "out.twt"
        trace.write_bytes(msr())
        killed(trace, out, 3 * CHUNK)
        return trace, out, convert(trace, tmp_path / "whole.twt")["content_id"]

    @staticmethod
    def begins_anew(trace: Path, out: Path, content_id: str, **other: Any) -> None:
        report = resumed(trace, out, **other)
        assert "resumed_at_accesses" not in report
        assert report["content_id"] == content_id
        assert not out.with_name("out.twt.partial").exists()
        assert not out.with_name("out.twt.checkpoint").exists()

    def test_another_key(self, left):
        self.begins_anew(*left, key="other")

    def test_another_page_size(self, left):
        trace, out, _ = left
        report = resumed(trace, out, page_bytes=8192)
        assert "resumed_at_accesses" not in report
        assert report["page_bytes"] == 8192

    @pytest.mark.parametrize("at", [100, -100], ids=["near the start", "near the end"])
    def test_a_damaged_chunk(self, left, at):
        partial = left[1].with_name("out.twt.partial")
        text = left[1].with_name("out.twt.checkpoint").read_text()
        checkpoint = json.loads(text.splitlines()[0])
        place = at if at > 0 else checkpoint["written"]["bytes"] + at
        content = bytearray(partial.read_bytes())
        content[place] ^= 0xFF
        partial.write_bytes(content)
        self.begins_anew(*left)

    def test_chunks_cut_off(self, left):
        partial = left[1].with_name("out.twt.partial")
        os.truncate(partial, partial.stat().st_size // 2)
        self.begins_anew(*left)

    def test_half_a_checkpoint(self, left):
        checkpoint = left[1].with_name("out.twt.checkpoint")
        checkpoint.write_bytes(checkpoint.read_bytes()[:-40])
        self.begins_anew(*left)

    @pytest.mark.parametrize("end", ["checkpoint", "partial"])
    def test_a_digit_or_a_bit_anywhere(self, left, end):
        """A digit of the state, such as a count, is still a state: only its checksum tells."""
        trace, out, content_id = left
        files = [out.with_name(f"out.twt.{name}") for name in ("partial", "checkpoint")]
        kept = {file: file.read_bytes() for file in files}
        damaged = out.with_name(f"out.twt.{end}")
        # What stands behind the last checkpoint is cut off, so it may be anything.
        written = json.loads(kept[files[1]].splitlines()[0])["written"]["bytes"]
        length = written if end == "partial" else len(kept[damaged])
        for place in {0, length - 1, *range(5, length, length // 12)}:
            for file, content in kept.items():
                file.write_bytes(content)
            content = bytearray(kept[damaged])
            content[place] ^= 1
            damaged.write_bytes(content)
            self.begins_anew(trace, out, content_id)
            out.unlink()

    def test_chunks_gone(self, left):
        left[1].with_name("out.twt.partial").unlink()
        self.begins_anew(*left)

    def test_other_requests_in_what_is_read_again(self, tmp_path):
        """One digit early in the file: the counts agree, the requests do not."""
        trace, out = tmp_path / "t", tmp_path / "out.twt"
        lines = msr().splitlines(keepends=True)
        trace.write_bytes(tar(b"".join(lines)))
        killed(trace, out, 3 * CHUNK)
        fields = lines[7].split(b",")
        fields[4] = str(int(fields[4]) + PAGE_BYTES).encode()
        lines[7] = b",".join(fields)
        trace.write_bytes(tar(b"".join(lines)))
        right = convert(trace, tmp_path / "changed.twt")["content_id"]
        self.begins_anew(trace, out, right)

    def test_a_shorter_trace_under_the_same_key(self, left, tmp_path):
        trace, out, _ = left
        trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:900]))
        right = convert(trace, tmp_path / "changed.twt")["content_id"]
        self.begins_anew(trace, out, right)


def test_a_failed_conversion_leaves_nothing_behind(tmp_path):
    lines = msr().splitlines(keepends=True)
    lines[3000] = b"not a request\n"
    trace, out = tmp_path / "t", tmp_path / "out.twt"
    trace.write_bytes(b"".join(lines))
    with pytest.raises(SimulatorError, match="line 3001"):
        resumed(trace, out)
    assert names(tmp_path) == ["t"]
    # Also behind a checkpoint of another process.
    killed(trace, out, 2 * CHUNK)
    with pytest.raises(SimulatorError, match="line 3001"):
        resumed(trace, out)
    assert names(tmp_path) == ["t"]
