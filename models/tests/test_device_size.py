"""Addresses against the stated size of the device; requests beside accesses in progress."""

from __future__ import annotations

import json

import pytest

from tierwright._simulator import convert, inspect, preview
from tierwright.cli.app import main

TIB = 2**40


def spc(path, offsets: list[int], count: int = 200):
    """Make a trace whose offsets are sectors, by its format."""
    path.write_text(
        "".join(
            f"0,{offsets[at % len(offsets)] + 8 * at},4096,R,{at * 0.01:.6f}\n"
            for at in range(count)
        )
    )
    return path


def named(found) -> dict[str, str]:
    return {one["name"]: one["hint"] for one in found["warnings"]}


@pytest.fixture
def on_the_device(tmp_path):
    return spc(tmp_path / "good.spc", [0, TIB // 512 - 10_000])


@pytest.fixture
def beyond_it(tmp_path):
    """Make a trace whose bytes were written where sectors belong."""
    return spc(tmp_path / "bad.spc", [0, TIB // 2])


@pytest.mark.parametrize("read", [preview, inspect])
def test_addresses_on_the_device_are_silent(on_the_device, read):
    quiet = named(
        read(on_the_device, format="spc", rows=200)
        if read is preview
        else read(on_the_device, format="spc")
    )
    stated = read(on_the_device, format="spc", device_bytes=TIB)
    assert "beyond_device" not in named(stated)
    assert "device_barely_reached" not in named(stated)
    assert "beyond_device" not in quiet


def test_bytes_read_as_sectors_lie_beyond_it(beyond_it):
    found = named(inspect(beyond_it, format="spc", device_bytes=TIB))
    assert "divided by 512 (bytes read as sectors)" in found["beyond_device"]
    assert "beyond_device" not in named(inspect(beyond_it, format="spc"))


def test_the_conversion_keeps_the_warning(beyond_it, tmp_path):
    convert(beyond_it, tmp_path / "out.twt", format="spc", device_bytes=TIB)
    assert "beyond_device" in named(inspect(tmp_path / "out.twt"))


def test_sectors_read_as_bytes_lie_far_below_it(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{at * 8},4096,R\n" for at in range(200)]
    path.write_text("lba,size,op\n" + "".join(rows))
    columns = {"offset": "lba", "offset_unit": "bytes", "size": "size", "op": "op"}
    columns |= {"size_unit": "bytes"}
    found = named(inspect(path, format="csv", columns=columns, device_bytes=TIB))
    assert "multiplied by 512" in found["device_barely_reached"]
    columns["offset_unit"] = "sectors"
    found = named(inspect(path, format="csv", columns=columns, device_bytes=2**20))
    assert "device_barely_reached" not in found


def test_a_canonical_trace_says_what_cannot_be_compared(on_the_device, tmp_path):
    out = tmp_path / "out.twt"
    convert(on_the_device, out, format="spc")
    assert "device_size_not_compared" in named(inspect(out, device_bytes=TIB))
    # 200 pages of 4 KiB do not fit on 64 KiB.
    assert "beyond_device" in named(inspect(out, device_bytes=2**16))
    assert "device_size_not_compared" not in named(inspect(out))


@pytest.mark.parametrize("command", ["inspect", "preview"])
def test_the_command_line_takes_a_size_with_its_unit(beyond_it, capsys, command):
    code = main(
        [
            "trace",
            command,
            str(beyond_it),
            "--format",
            "spc",
            "--device-size",
            "1TiB",
            "--json",
        ]
        + (["--rows", "200"] if command == "preview" else [])
    )
    assert code == 0
    assert "beyond_device" in named(json.loads(capsys.readouterr().out))


def test_the_profile_command_warns_too(beyond_it, capsys, tmp_path):
    out = tmp_path / "profile.json"
    arguments = ["profile", str(beyond_it), "--format", "spc", "-o", str(out)]
    assert main([*arguments, "--device-size", "1TiB"]) == 0
    assert "beyond the end of the stated device" in capsys.readouterr().err
    assert json.loads(out.read_text()).get("skipped_records") is None


@pytest.mark.parametrize("size", ["511", "much", "2000PiB", "-1GiB"])
def test_what_is_no_size_of_a_device(on_the_device, capsys, size):
    assert main(["trace", "inspect", str(on_the_device), f"--device-size={size}"]) == 2
    said = capsys.readouterr().err
    assert size in said
    assert "hint:" in said


def test_requests_are_counted_beside_accesses(tmp_path, capsys):
    path = tmp_path / "wide.spc"
    path.write_text("".join(f"0,{at * 32},16384,R,{at}.0\n" for at in range(50)))
    steps: list[tuple[int, ...]] = []
    inspect(path, format="spc", on_progress=lambda *step: steps.append(step))
    assert steps[-1][2:] == (200, 50)
    assert main(["trace", "inspect", str(path), "--format", "spc"]) == 0
    [line] = [
        one for one in capsys.readouterr().out.splitlines() if one.startswith("read ")
    ]
    assert "200 accesses" in line
    assert "requests/s" in line
