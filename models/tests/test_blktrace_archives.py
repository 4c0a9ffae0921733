"""The files of all CPUs of a recording in one archive, as when they lie in one folder."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from tierwright._simulator import SimulatorError, convert, inspect, preview

QUEUED_READ = 1 | 1 << 16
QUEUED_WRITE = 1 | 1 << 17


def record(time_ns: int, sector: int, cpu: int, action: int = QUEUED_READ) -> bytes:
    return struct.pack(
        "<IIQQIIIIIHH",
        0x65617407,
        time_ns,
        time_ns,
        sector,
        4096,
        action,
        1,
        8 << 20,
        cpu,
        0,
        0,
    )


def recording(cpus: int = 3, length: int = 700) -> dict[str, bytes]:
    """Make files whose requests alternate between CPUs, with one CPU that was idle."""
    files = {f"sdb.blktrace.{cpu}": b"" for cpu in range(cpus + 1)}
    for at in range(length):
        cpu = at * 7 % cpus
        action = QUEUED_WRITE if at % 5 == 0 else QUEUED_READ
        files[f"sdb.blktrace.{cpu}"] += record(
            at * 1000, at * 13 % 999 * 8, cpu, action
        )
    return files


def tar(path: Path, files: dict[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def in_a_folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, content in recording().items():
        (folder / name).write_bytes(content)
    return convert(folder / "sdb.blktrace.1", tmp_path / "folder.twt")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "zip"])
@pytest.mark.parametrize("reverse", [False, True])
def test_it_is_the_same_trace_in_any_archive_and_order(
    tmp_path, in_a_folder, mode, reverse
):
    files = dict(sorted(recording().items(), reverse=reverse))
    path = tmp_path / "recording"
    made = zipped(path, files) if mode == "zip" else tar(path, files, mode)
    found = convert(made, tmp_path / "out.twt")
    assert found["content_id"] == in_a_folder["content_id"]
    for key in ("requests", "accesses", "write_accesses", "duration_s", "devices"):
        assert found[key] == in_a_folder[key]
    names = {one["name"] for one in found["warnings"]}
    # The idle CPU has an empty file, which is none that is missing.
    assert names == {one["name"] for one in in_a_folder["warnings"]}
    assert "non_monotone_time" not in names
    said = " ".join(found["assumptions"])
    assert "sdb.blktrace.0, sdb.blktrace.1, sdb.blktrace.2" in said
    assert found["compression"].startswith(
        {"zip": "zip"}.get(mode, "tar" if mode == "w" else mode[2:])
    )


def test_a_preview_names_the_member_of_each_record(tmp_path):
    path = tar(tmp_path / "r.tar.gz", recording(), "w:gz")
    shown = preview(path, rows=3)
    assert [one["time_ns"] for one in shown["records"]] == [0, 1000, 2000]
    assert shown["records"][1]["place"].endswith(" of sdb.blktrace.1")


def test_devices_recorded_at_once_are_merged(tmp_path):
    files = {
        "run/sda.blktrace.0": record(1, 8, 0) + record(4, 8, 0),
        "run/sdb.blktrace.0": record(2, 16, 0) + record(3, 24, 0),
    }
    shown = preview(tar(tmp_path / "r.tar", files))
    assert [one["time_ns"] for one in shown["records"]] == [1, 2, 3, 4]


def test_a_missing_file_of_a_cpu_is_told(tmp_path):
    files = recording()
    del files["sdb.blktrace.0"]
    found = inspect(tar(tmp_path / "r.tar", files))
    [said] = [one for one in found["warnings"] if one["name"] == "missing_cpu_files"]
    assert "1 CPUs (0)" in said["message"]


def test_one_member_may_have_any_name(tmp_path):
    files = {"merged.bin": record(1, 8, 0) + record(2, 16, 1)}
    assert inspect(zipped(tmp_path / "r.zip", files))["requests"] == 2


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"notes.txt": b"to whom it may concern"},
            "`notes.txt` is not a file of blktrace",
        ),
        ({"sdb.blktrace.x": record(1, 8, 0)}, "is not named NAME.blktrace.CPU"),
        ({"other/sdb.blktrace.0": record(1, 8, 0)}, "several recordings"),
        ({"sdb.blktrace.0.gz": record(1, 8, 0)}, "several recordings"),
    ],
)
def test_what_does_not_belong_together_is_refused(tmp_path, files, said):
    path = tar(tmp_path / "r.tar", {**recording(), **files})
    with pytest.raises(SimulatorError) as caught:
        inspect(path)
    message, hint = caught.value.args
    assert said in message
    assert hint


def test_a_cut_archive_is_an_error(tmp_path):
    whole = tar(tmp_path / "r.tar", recording()).read_bytes()
    path = tmp_path / "cut.tar"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SimulatorError, match="truncated"):
        inspect(path)


def test_progress_counts_the_archive_once(tmp_path):
    path = tar(tmp_path / "r.tar", recording())
    steps: list[tuple[int, int, int, int | None]] = []
    inspect(path, on_progress=lambda *step: steps.append(step))
    done, total, accesses, requests = steps[-1]
    assert total == path.stat().st_size
    assert 0 < done <= total
    assert (accesses, requests) == (700, 700)
