"""Members merged by time, and several files as one trace: held by a sort in Python."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import resource
import tarfile
import zipfile
from pathlib import Path

import pytest

from tierwright._simulator import SimulatorError, convert, inspect, preview
from tierwright.cli.app import main

Row = tuple[int, str, int, str, int]
"""Time [ms], device, first sector, operation, length [bytes]."""


def machine(seed: int, count: int) -> list[Row]:
    """Make requests in order of time, with many equal times."""
    draw = random.Random(seed)
    times = sorted(draw.randrange(count) for _ in range(count))
    return [
        (
            time,
            str(draw.randrange(3)),
            draw.randrange(400),
            draw.choice("RW"),
            512 * draw.randrange(1, 40),
        )
        for time in times
    ]


def spc(rows: list[Row]) -> bytes:
    return "".join(
        f"{device},{sector},{size},{op},{time / 1000:.3f}\n"
        for time, device, sector, op, size in rows
    ).encode()


def tar(path: Path, files: dict[str, bytes]) -> list[Path]:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return [path]


def zipped(path: Path, files: dict[str, bytes]) -> list[Path]:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return [path]


def folder(path: Path, files: dict[str, bytes]) -> list[Path]:
    listed(path, files)
    return [path]


def listed(path: Path, files: dict[str, bytes]) -> list[Path]:
    path.mkdir()
    for name, content in files.items():
        (path / name).write_bytes(content)
    return [path / name for name in files]


HOLDERS = {"tar": tar, "zip": zipped, "folder": folder, "list": listed}


def group(paths: list[Path]) -> dict:
    return {"path": str(paths[0]), "others": [str(path) for path in paths[1:]]}


def names(found: dict) -> set[str]:
    return {warning["name"] for warning in found["warnings"]}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("seed", range(3))
def test_a_merge_is_the_stable_sort_of_all_requests(tmp_path, holder, seed):
    # Lengths on both sides of the batches of a reader.
    machines = [
        machine(7 * seed + at, count) for at, count in enumerate([2500, 1, 1024, 300])
    ]
    files = {f"m{at}.spc": spc(rows) for at, rows in enumerate(machines)}
    trace = group(HOLDERS[holder](tmp_path / "holder", files))
    merged = convert(**trace, out=tmp_path / "m.twt", format="spc", members_merged=True)
    # The oracle: sorted is stable, so equal times keep the order of the members.
    rows = sorted(itertools.chain(*machines), key=lambda row: row[0])
    alone = tmp_path / "alone.spc"
    alone.write_bytes(spc(rows))
    expected = convert(alone, tmp_path / "alone.twt", format="spc")
    for key in ("sha256_of_sequence", "content_id", "requests", "duration_s"):
        assert merged[key] == expected[key]
    assert not names(merged) & {"members_overlap", "non_monotone_time"}
    assert any("merged by time" in text for text in merged["assumptions"])
    shown = preview(**trace, rows=40, format="spc", members_merged=True)
    assert [(one["time_ns"], one["op"]) for one in shown["records"]] == [
        (row[0] * 1_000_000, row[3]) for row in rows[:40]
    ]
    assert {one["place"].rsplit(" ", 1)[1] for one in shown["records"]} <= set(files)
    following = inspect(**trace, format="spc")
    assert following["sha256_of_sequence"] != merged["sha256_of_sequence"]
    [warning] = [w for w in following["warnings"] if w["name"] == "members_overlap"]
    assert "[[members_merged]]" in warning["hint"]


def test_merged_members_keep_devices_of_their_own(tmp_path):
    machines = {"a.spc": machine(1, 500), "b.spc": machine(2, 700)}
    trace = group(
        listed(tmp_path / "in", {name: spc(rows) for name, rows in machines.items()})
    )
    merged = convert(
        **trace,
        out=tmp_path / "m.twt",
        format="spc",
        members_merged=True,
        members_apart=True,
    )
    rows = sorted(
        (
            (time, f"{name}/{device}", *rest)
            for name, rows in machines.items()
            for time, device, *rest in rows
        ),
        key=lambda row: row[0],
    )
    alone = tmp_path / "alone.csv"
    alone.write_text(
        "time,device,offset,op,size\n"
        + "".join(
            f"{time},{device},{512 * sector},{op},{size}\n"
            for time, device, sector, op, size in rows
        )
    )
    columns = {
        "time": "time",
        "time_unit": "ms",
        "device": "device",
        "offset": "offset",
        "offset_unit": "bytes",
        "size": "size",
        "size_unit": "bytes",
        "op": "op",
    }
    expected = convert(alone, tmp_path / "alone.twt", format="csv", columns=columns)
    assert merged["content_id"] == expected["content_id"]
    assert "members_joined" not in names(merged)


def test_a_request_out_of_order_follows_as_late_as_it_is(tmp_path):
    rows = {"a.spc": [(10, 1), (2, 2), (30, 3)], "b.spc": [(5, 4), (10, 5), (20, 6)]}
    files = {
        name: spc([(time, "0", 8 * page, "R", 512) for time, page in pages])
        for name, pages in rows.items()
    }
    trace = group(listed(tmp_path / "in", files))
    found = inspect(**trace, format="spc", members_merged=True)
    shown = preview(**trace, format="spc", members_merged=True)
    assert [one["first_page"] for one in shown["records"]] == [4, 1, 2, 5, 6, 3]
    assert "non_monotone_time" in names(found)


class TestWhatCannotBeMerged:
    def test_a_format_without_times(self, tmp_path):
        trace = group(listed(tmp_path / "in", {"a": b"x\ny\n", "b": b"z\n"}))
        with pytest.raises(SimulatorError, match=r"cannot be ordered, .* has no times"):
            inspect(**trace, format="keys", members_merged=True)

    def test_a_table_whose_time_is_not_mapped(self, tmp_path):
        content = b"t,page\n1,5\n"
        trace = group(listed(tmp_path / "in", {"a": content, "b": content}))
        with pytest.raises(SimulatorError, match="has no times") as caught:
            inspect(**trace, columns={"page": "page"}, members_merged=True)
        assert "name the time column" in caught.value.args[1]

    def test_one_file(self, tmp_path):
        path = tmp_path / "t"
        path.write_bytes(spc(machine(1, 5)))
        with pytest.raises(SimulatorError, match="no files can be merged"):
            inspect(path, format="spc", members_merged=True)

    def test_more_members_than_may_be_open(self, tmp_path):
        files = {f"{at:03}.spc": spc(machine(at, 2)) for at in range(257)}
        trace = group(listed(tmp_path / "in", files))
        with pytest.raises(SimulatorError, match="more than 256 members"):
            inspect(**trace, format="spc", members_merged=True)

    def test_members_of_two_formats(self, tmp_path):
        files = {"a.spc": spc(machine(1, 50)), "b.csv": b"time_us,op,rel,block\n"}
        trace = group(listed(tmp_path / "in", files))
        with pytest.raises(SimulatorError, match=r"different formats: `a\.spc` is spc"):
            inspect(**trace, format="spc", members_merged=True)


def test_as_many_members_as_may_be_merged_take_little_memory(tmp_path):
    machines = [machine(at, 400) for at in range(256)]
    files = {f"{at:03}.spc": spc(rows) for at, rows in enumerate(machines)}
    trace = group(listed(tmp_path / "in", files))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    merged = inspect(**trace, format="spc", members_merged=True)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 400 * 1024  # [KiB]
    alone = tmp_path / "alone.spc"
    alone.write_bytes(spc(sorted(itertools.chain(*machines), key=lambda row: row[0])))
    expected = inspect(alone, format="spc")
    assert merged["sha256_of_sequence"] == expected["sha256_of_sequence"]


def test_bad_lines_of_all_members_are_counted_together(tmp_path):
    files = {
        name: spc(machine(at, 50)) + b"no request\n" for at, name in enumerate("ab")
    }
    trace = group(listed(tmp_path / "in", files))
    reading = {"format": "spc", "members_merged": True}
    found = inspect(**trace, **reading, skip_bad_records=2)
    assert found["skipped_records"] == 2
    with pytest.raises(SimulatorError, match="line 51"):
        inspect(**trace, **reading, skip_bad_records=1)


class TestSeveralFiles:
    """`tierwright trace convert a b --out x`: as a folder of them, in the order given."""

    @pytest.fixture
    def two(self, tmp_path):
        files = {"b.spc": spc(machine(1, 300)), "a.spc": spc(machine(2, 300))}
        return listed(tmp_path / "in", files)

    @staticmethod
    def said(capsys, *arguments: object, code: int = 0) -> str:
        assert main([*map(str, arguments)]) == code
        shown = capsys.readouterr()
        return shown.out if code == 0 else shown.err

    def test_are_read_in_the_order_given(self, two, tmp_path, capsys):
        alone = tmp_path / "alone.spc"
        alone.write_bytes(b"".join(path.read_bytes() for path in two))
        out = tmp_path / "x.twt"
        command = ("trace", "convert", *two, "--format", "spc", "--out", out, "--json")
        found = json.loads(self.said(capsys, *command))
        expected = inspect(alone, format="spc")
        assert found["sha256_of_sequence"] == expected["sha256_of_sequence"]
        assert found["compression"] == "list"
        assert {"members_overlap", "members_joined", "members_out_of_order"} <= names(
            found
        )
        assert any("in which they were named: b.spc" in t for t in found["assumptions"])

    @pytest.mark.parametrize(
        "command", [("trace", "inspect"), ("trace", "preview"), ("profile",)]
    )
    def test_are_read_by_the_other_commands_too(self, two, capsys, command):
        options = ("--format", "spc", "--members-apart", "--members-merged", "--json")
        shown = self.said(capsys, *command, *two, *options)
        assert "merged by time" in shown or command == ("profile",)

    def test_may_be_compressed_each_in_its_own_way(self, two, tmp_path):
        packed = tmp_path / "b.spc.gz"
        packed.write_bytes(gzip.compress(two[0].read_bytes()))
        plain, mixed = (
            inspect(first, others=[str(two[1])], format="spc")
            for first in (two[0], packed)
        )
        assert plain["sha256_of_sequence"] == mixed["sha256_of_sequence"]

    def test_of_equal_names_are_told_apart_by_their_folders(self, two, tmp_path):
        other = tmp_path / "other"
        other.mkdir()
        (other / "b.spc").write_bytes(two[1].read_bytes())
        found = inspect(
            two[0], others=[str(other / "b.spc")], format="spc", members_apart=True
        )
        assert found["devices"] == 6
        assert {one["device"] for one in found["records"]} <= {
            f"{two[0]}/{device}" for device in range(3)
        }

    def test_need_a_name_for_what_is_written(self, two, tmp_path, capsys):
        told = self.said(capsys, "trace", "convert", *two, "third", code=2)
        assert "not which of them is to be written" in told
        assert "--out" in told
        told = self.said(capsys, "trace", "convert", two[0], code=2)
        assert "is missing" in told

    def test_are_not_overwritten_by_their_trace(self, two, capsys):
        before = two[1].read_bytes()
        command = ("trace", "convert", *two, "--format", "spc", "--out", two[1])
        told = self.said(capsys, *command, "--force", code=2)
        assert "the trace itself" in told
        assert two[1].read_bytes() == before

    @pytest.mark.parametrize("what", ["folder", "twice", "absent", "canonical"])
    def test_that_are_none_are_named(self, two, tmp_path, capsys, what):
        convert(two[0], tmp_path / "c.twt", format="spc")
        path, words = {
            "folder": (tmp_path / "in", "is a folder"),
            "twice": (two[0].parent / ".." / "in" / "b.spc", "is named twice"),
            "absent": (tmp_path / "no.spc", "`no.spc` cannot be read"),
            "canonical": (tmp_path / "c.twt", "different formats"),
        }[what]
        told = self.said(
            capsys, "trace", "inspect", two[0], path, "--format", "spc", code=2
        )
        assert words in told
        assert "hint:" in told

    def test_of_canonical_traces_are_refused(self, two, tmp_path, capsys):
        outs = [tmp_path / f"{at}.twt" for at in range(2)]
        for source, out in zip(two, outs, strict=True):
            convert(source, out, format="spc")
        told = self.said(capsys, "trace", "inspect", *outs, code=2)
        assert "this is a canonical trace, which must be read alone" in told

    def test_a_changed_second_file_is_another_trace(self, two, tmp_path):
        from tierwright.trace.conversions import _content
        from tierwright.trace.reading import Trace

        trace = Trace(two[0], others=(two[1],))
        before = _content(trace)
        two[1].write_bytes(two[1].read_bytes() + two[1].read_bytes())
        assert _content(trace) != before


def test_a_merge_that_was_killed_goes_on_to_the_same_file(tmp_path):
    """Freeze the files as a kill would leave them, and go on with them."""
    files = {f"{at}.spc": spc(machine(at, 30_000)) for at in range(3)}
    trace = group(listed(tmp_path / "in", files))
    out = tmp_path / "out.twt"
    kept = [out.with_name(f"out.twt.{end}") for end in ("partial", "checkpoint")]
    frozen: dict[Path, bytes] = {}

    def freeze(_done: int, _total: int, accesses: int, _requests: int | None) -> None:
        if accesses == 2 * 65_536:
            frozen.update({file: file.read_bytes() for file in kept})

    reading = {"format": "spc", "members_merged": True, "resume": ("k", 1)}
    convert(**trace, out=out, on_progress=freeze, **reading)
    whole = out.read_bytes()
    out.unlink()
    for file, content in frozen.items():
        file.write_bytes(content)
    report = convert(**trace, out=out, **reading)
    assert report["resumed_at_accesses"] == 2 * 65_536
    assert out.read_bytes() == whole
