"""Members of an archive and files of a folder: one device, or each its own."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from tierwright._simulator import SimulatorError, convert, inspect, preview
from tierwright.cli.app import main

SPC = "0,8,4096,R,0.1\n0,8,4096,W,0.2\n1,8,4096,R,0.3\n"
KEYS = "a\nb\na\n"


def tar(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
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


def folder(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir()
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


HOLDERS = {"tar": tar, "zip": zipped, "folder": folder}


@pytest.fixture(params=HOLDERS)
def two_machines(request, tmp_path):
    """Put the same requests of two machines into an archive or a folder."""
    content = SPC.encode()
    return HOLDERS[request.param](
        tmp_path / "holder", {"web.spc": content, "mail.spc": content}
    )


def names(warnings: list[dict[str, str]]) -> set[str]:
    return {warning["name"] for warning in warnings}


def test_joined_members_share_their_devices_and_the_report_says_so(two_machines):
    found = inspect(two_machines, format="spc")
    # Two devices of a page each, whichever member names them.
    assert (found["devices"], found["distinct_pages"]) == (2, 2)
    assert "members_joined" in names(found["warnings"])
    [hint] = [
        warning["hint"]
        for warning in found["warnings"]
        if warning["name"] == "members_joined"
    ]
    assert "[[members_apart]]" in hint


def test_members_apart_have_devices_of_their_own(two_machines, tmp_path):
    found = inspect(two_machines, format="spc", members_apart=True)
    assert (found["devices"], found["distinct_pages"]) == (4, 4)
    assert "members_joined" not in names(found["warnings"])
    [told] = [text for text in found["assumptions"] if "member" in text]
    assert "each of the" in told
    assert "separate devices" in told
    assert "web.spc" in told
    assert "mail.spc" in told
    converted = convert(
        two_machines, tmp_path / "out.twt", format="spc", members_apart=True
    )
    assert told in inspect(tmp_path / "out.twt")["assumptions"]
    assert converted["distinct_pages"] == 4
    devices = {record["device"] for record in found["records"]}
    assert devices <= {"web.spc/0", "web.spc/1", "mail.spc/0", "mail.spc/1"}
    joined = inspect(two_machines, format="spc")
    # The sequence is the same: only whose pages they are differs.
    assert joined["sha256_of_sequence"] == found["sha256_of_sequence"]


def test_formats_without_devices_take_the_name_of_the_member(tmp_path):
    trace = zipped(tmp_path / "t.zip", {"one": KEYS.encode(), "two": KEYS.encode()})
    joined = inspect(trace, format="keys")
    apart = inspect(trace, format="keys", members_apart=True)
    assert (joined["distinct_pages"], apart["distinct_pages"]) == (2, 4)
    shown = preview(trace, format="keys", members_apart=True)
    assert {record["device"] for record in shown["records"]} == {"one"}


def test_files_of_a_folder_may_be_compressed_and_come_by_name(tmp_path):
    trace = folder(
        tmp_path / "days",
        {"day2.gz": gzip.compress(b"2,9,4096,R,9.5\n"), "day1": SPC.encode()},
    )
    (trace / ".hidden").write_text("no trace")
    (trace / "deeper").mkdir()
    found = inspect(trace, format="spc")
    assert found["requests"] == 4
    assert found["compression"].startswith("folder")
    plain = tmp_path / "plain"
    plain.write_text(SPC + "2,9,4096,R,9.5\n")
    assert (
        found["sha256_of_sequence"]
        == inspect(plain, format="spc")["sha256_of_sequence"]
    )


def test_a_folder_without_files_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SimulatorError, match="this folder holds no file"):
        inspect(tmp_path / "empty")


def test_an_error_names_the_file_of_the_folder(tmp_path):
    trace = folder(tmp_path / "days", {"a": SPC.encode(), "b": b"not a request\n"})
    with pytest.raises(SimulatorError, match="`b`"):
        inspect(trace, format="spc")


def test_a_single_file_cannot_be_kept_apart(tmp_path):
    trace = tmp_path / "t"
    trace.write_text(SPC)
    with pytest.raises(SimulatorError, match="a single recording"):
        inspect(trace, format="spc", members_apart=True)


def test_the_command_line_takes_the_choice(two_machines, capsys):
    arguments = ["trace", "inspect", str(two_machines), "--format", "spc", "--json"]
    assert main(arguments) == 0
    joined = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--members-apart"]) == 0
    apart = json.loads(capsys.readouterr().out)
    assert (joined["distinct_pages"], apart["distinct_pages"]) == (2, 4)


def of_name(found: dict, name: str) -> list[dict[str, str]]:
    return [warning for warning in found["warnings"] if warning["name"] == name]


def spc(device: int, times: list[float]) -> bytes:
    return "".join(
        f"{device},{8 * i},4096,R,{t}\n" for i, t in enumerate(times)
    ).encode()


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("apart", [False, True])
def test_members_recorded_at_the_same_time_are_told(tmp_path, holder, apart):
    files = {
        "hm_0": spc(0, [0, 1, 2, 9.5]),
        "hm_1": spc(1, [7.25, 8, 12]),
        "hm_2": spc(2, [12, 13]),
    }
    trace = HOLDERS[holder](tmp_path / "holder", files)
    found = inspect(trace, format="spc", members_apart=apart)
    [told] = of_name(found, "members_overlap")
    assert "2 of the" in told["message"]
    assert "hm_0, hm_1;" in told["message"]
    assert "`hm_0` and `hm_1` share 2.25 s" in told["message"]
    assert "[[members_merged]]" in told["hint"]
    # It stays with the trace, for whoever reads only that.
    convert(trace, tmp_path / "out.twt", format="spc", members_apart=apart)
    assert told in inspect(tmp_path / "out.twt")["warnings"]


def test_members_one_after_another_in_time_do_not_overlap(tmp_path):
    later = {"a": spc(0, [0, 5]), "b": spc(0, [5, 6]), "c": spc(0, [6.5, 7])}
    found = inspect(folder(tmp_path / "later", later), format="spc")
    assert of_name(found, "members_overlap") == []
    # Neither do those in the wrong order, which is told as such, nor those without times.
    turned = {"a": spc(0, [5, 6]), "b": spc(0, [0, 4])}
    found = inspect(folder(tmp_path / "turned", turned), format="spc")
    assert of_name(found, "members_overlap") == []
    assert of_name(found, "non_monotone_time")
    keys = dict.fromkeys("ab", KEYS.encode())
    found = inspect(folder(tmp_path / "keys", keys), format="keys")
    assert of_name(found, "members_overlap") == []


@pytest.mark.parametrize("seed", range(20))
def test_the_members_named_are_those_of_all_pairs(tmp_path, seed):
    draw = random.Random(seed)
    spans = [sorted((draw.randint(0, 60), draw.randint(0, 60))) for _ in range(8)]
    expected = {
        f"m{index}"
        for one, other in itertools.permutations(range(8), 2)
        for index in (one, other)
        if spans[one][0] < spans[other][1] and spans[other][0] < spans[one][1]
    }
    trace = folder(
        tmp_path / "t", {f"m{i}": spc(0, span) for i, span in enumerate(spans)}
    )
    [told] = of_name(inspect(trace, format="spc"), "members_overlap") or [None]
    listed = told["message"].split(": ")[1].split(";")[0].split(", ") if told else []
    assert set(listed) == expected


def test_the_command_line_tells_that_members_overlap(tmp_path, capsys):
    files = {"hm_0": spc(0, [0, 9]), "hm_1": spc(1, [1, 8])}
    trace = folder(tmp_path / "t", files)
    assert main(["trace", "inspect", str(trace), "--format", "spc"]) == 0
    assert "members overlap" in capsys.readouterr().err


def test_numbers_in_the_names_of_a_folder_count_as_numbers(tmp_path):
    days = {f"day{day}": f"k{day}\nk1\n".encode() for day in range(1, 13)}
    found = inspect(folder(tmp_path / "days", days), format="keys")
    whole = tmp_path / "whole"
    whole.write_bytes(b"".join(days.values()))
    expected = inspect(whole, format="keys")["sha256_of_sequence"]
    assert found["sha256_of_sequence"] == expected
    assert any("with digits read as numbers" in text for text in found["assumptions"])
    [told] = of_name(found, "members_order_assumed")
    assert "(day1, day2, " in told["message"]
    assert "(day1, day10, " in told["message"]
    padded = {f"day{day:02}": text for day, text in enumerate(days.values(), 1)}
    found = inspect(folder(tmp_path / "padded", padded), format="keys")
    assert of_name(found, "members_order_assumed") == []
    assert found["sha256_of_sequence"] == expected
    # Times tell the order: nothing is assumed.
    timed = {"d2": spc(0, [2]), "d10": spc(0, [10])}
    found = inspect(folder(tmp_path / "timed", timed), format="spc")
    assert names(found["warnings"]).isdisjoint(
        {"members_order_assumed", "non_monotone_time", "members_overlap"}
    )


def test_an_archive_in_the_order_of_numbers_is_in_order(tmp_path):
    numbered = {"day2": b"k\n", "day10": b"l\n"}
    found = inspect(tar(tmp_path / "a.tgz", numbered), format="keys")
    assert of_name(found, "members_out_of_order") == []
    turned = dict(reversed(numbered.items()))
    found = inspect(tar(tmp_path / "b.tgz", turned), format="keys")
    [told] = of_name(found, "members_out_of_order")
    assert "1 of the archive's 2 members" in told["message"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("pack", ["tar", "zip"])
def test_members_of_one_name_are_apart_too(tmp_path, pack):
    trace = tmp_path / "t"
    content = SPC.encode()
    if pack == "tar":
        with tarfile.open(trace, "w") as archive:
            for _ in range(2):
                entry = tarfile.TarInfo("web")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    else:
        with zipfile.ZipFile(trace, "w") as archive:
            archive.writestr("web", content)
            archive.writestr("web", content)
    found = inspect(trace, format="spc", members_apart=True)
    assert (found["devices"], found["distinct_pages"]) == (4, 4)
    assert "members_joined" not in names(found["warnings"])
    converted = convert(trace, tmp_path / "o.twt", format="spc", members_apart=True)
    assert converted["distinct_pages"] == 4


def test_member_and_device_do_not_run_together(tmp_path):
    csv = b"dev,off,len\n%s,0,4096\n"
    trace = zipped(tmp_path / "t", {"x": csv % b"y/z", "x/y": csv % b"z"})
    found = inspect(
        trace,
        columns={
            "device": "dev",
            "offset": "off",
            "offset_unit": "bytes",
            "size": "len",
            "size_unit": "bytes",
        },
        members_apart=True,
    )
    assert (found["devices"], found["distinct_pages"]) == (2, 2)
    assert "members_joined" not in names(found["warnings"])


def test_a_link_that_leads_nowhere_is_named(tmp_path):
    trace = folder(tmp_path / "t", {"a": SPC.encode()})
    (trace / "days").symlink_to("gone")
    with pytest.raises(SimulatorError, match="link `days` leads to `gone`") as told:
        inspect(trace, format="spc")
    assert "remove it" in told.value.args[1]


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("named", [None, "spc"])
def test_a_note_before_the_files_is_told_to_be_the_first_file(tmp_path, holder, named):
    files = {"README": b"Three disks of a mail server\n", "a": SPC.encode()}
    trace = HOLDERS[holder](tmp_path / "t", files)
    with pytest.raises(SimulatorError) as told:
        inspect(trace, format=named)
    message, hint = told.value.args[:2]
    kind = "folder" if holder == "folder" else "archive"
    assert f"`README` is the first file of the {kind}" in message
    assert hint.startswith("if `README` is not a trace, ")
    assert ("into a folder" in hint) == (holder == "folder")


def test_folders_are_called_folders(tmp_path):
    files = {"a": SPC.encode(), "b": b"", "c": b"\0\1\2 no trace"}
    trace = folder(tmp_path / "t", files)
    with pytest.raises(SimulatorError) as told:
        inspect(trace, format="spc")
    assert "the folder's members have different formats" in str(told.value)
    assert "archive" not in str(told.value)
    (trace / "c").unlink()
    [empty] = of_name(inspect(trace, format="spc"), "empty_members")
    assert empty["message"] == "1 member of the folder is empty"
