"""Inventories as a table: what a spreadsheet or another system states of machines, without a unit guessed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from command import answer, run
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import inventories
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns
from tierwright.hardware.imports.host.inventory import Inventory

GIB, GB = 2**30, 10**9
DRIVE = "samsung-pm9a3-7.68tb-u2"
MODEL = "SAMSUNG MZQL27T6"


def read(
    *lines: str, columns: Columns = NO_COLUMNS, name: str | None = None
) -> Inventory:
    text = "\n".join(lines).encode()
    return inventories.read_stream(io.BytesIO(text), "given", "given", name, columns)


def reasons(found: Inventory) -> list[str]:
    return [each["reason"] for each in found.imported.skipped]


def warned(found: Inventory) -> set[str]:
    return {each["name"] for each in found.imported.warnings}


def test_a_table_of_our_own_columns() -> None:
    found = read(
        "host,module,modules,memory_kind,slots,bays,drive,drives,drive_size,drive_kind,life_left_percent",
        f"db1,64 GiB,16,DDR5,32,10,{MODEL},4,7.68 TB,nvme,93",
        f"db2,64 GiB,16,DDR5,32,10,{MODEL},4,7.68 TB,nvme,95",
    )
    [group] = found.machines
    assert (group["count"], group["hosts"]) == (2, ["db1", "db2"])
    assert group["ram_bytes"] == 16 * 64 * GIB
    assert (group["slots"], group["free_slots"]) == (32, 16)
    assert (group["bays"], group["free_bays"]) == (10, 6)
    [drive] = group["drives"]
    assert drive["size_bytes"] == 7680 * GB
    assert drive["count_per_machine"] == 4
    assert drive["least_life_left_percent"] == 93
    assert warned(found) == set()
    assert found.imported.format == "csv"
    assert {(each["printed"], each["understood"]) for each in found.imported.units} == {
        ("GiB", "2^30 bytes"),
        ("TB", "10^12 bytes"),
    }


def test_an_export_with_its_own_columns() -> None:
    """Another system counts memory in MB that are powers of 2, and states that beside the table alone."""
    columns = Columns(
        {"host": "name", "ram": "RAM (MB)", "drive_size": "Disk space (GB)"},
        {"memory_unit": "MiB", "drive_unit": "GB", "drive_kind": "hdd"},
    )
    found = read(
        "Name;RAM (MB);Disk space (GB);Owner", "app1;65536;500;x", columns=columns
    )
    [group] = found.machines
    assert group["hosts"] == ["app1"]
    assert group["ram_bytes"] == 64 * GIB
    assert group["modules"] == []
    assert group["drives"][0]["size_bytes"] == 500 * GB
    assert "columns_not_read" in warned(found)
    # A drive of no model cannot be told from another one.
    assert len(found.imported.unresolved) == 1


def test_lines_of_one_machine_add_up() -> None:
    found = read(
        "host,ram,module,drive,drive_size,drive_kind",
        "db1,128 GiB,64 GiB,A,1 TB,hdd",
        "db1,128 GiB,64 GiB,B,2 TB,hdd",
    )
    [group] = found.machines
    assert group["ram_bytes"] == group["ram_bytes_of_summary"] == 128 * GIB
    assert [each["model"] for each in group["drives"]] == ["A", "B"]


def test_what_disagrees_stands_twice() -> None:
    found = read(
        "host,ram,module,modules,slots,bays,drive,drives,drive_size,drive_kind",
        "db1,96 GiB,64 GiB,2,1,1,A,2,1 TB,hdd",
    )
    [group] = found.machines
    assert (group["ram_bytes"], group["ram_bytes_of_summary"]) == (128 * GIB, 96 * GIB)
    assert (group["slots"], group["slots_of_board"]) == (2, 1)
    assert group["bays"] is None
    assert {"ram_differs", "slots_differ", "more_drives_than_bays"} <= warned(found)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("db1,64 GB,,,,,", "2^30"),
        ("db1,64,,,,,", "no unit of ram"),
        ("db1,64 XB,,,,,", "unknown"),
        ("db1,1.0000001 KiB,,,,,", "whole number of bytes"),
        ("db1,0 GiB,,,,,", "not above 0"),
        ("db1,64 GiB 2,,,,,", "not a size"),
        ('db1,"1,024 GiB",,,,,', "not a size"),
        ("db1,64 GiB,4,,,,", "the size of one"),
        (",64 GiB,,,,,", "no host"),
        ("db1,,,,,,", "neither memory nor a drive"),
        ("db1,,,A,,hdd,", "no drive_size"),
        ("db1,,,A,1 TB,tape,", "not one of"),
        ("db1,,,A,1 TB,ssd,101", "above 100"),
        ("db1,,,,,ssd,", "neither the model nor the size"),
        ("db1,64 GiB,,", "cells"),
    ],
)
def test_nothing_is_guessed(line: str, reason: str) -> None:
    found = read(
        "host,ram,modules,drive,drive_size,drive_kind,life_left_percent",
        line,
        "db2,64 GiB,,A,1 TB,hdd,",
    )
    assert reason in reasons(found)[0]
    assert found.imported.taken == 1
    assert [each["hosts"] for each in found.machines] == [["db2"]]


def test_a_unit_of_the_cell_and_one_beside_it() -> None:
    header = "host,drive,drive_size,drive_unit,drive_kind"
    assert reasons(read(header, "db1,A,1 TB,GB,hdd")) == [
        "drive `1 TB` has another unit than `GB`, which is stated beside it"
    ]
    found = read(header, "db1,A,1,TiB,hdd")
    assert found.machines[0]["drives"][0]["size_bytes"] == 2**40


def test_a_line_that_contradicts_one_before_is_left_out() -> None:
    found = read("host,ram", "db1,64 GiB", "db1,128 GiB")
    assert found.machines[0]["ram_bytes"] == 64 * GIB
    assert "in a line before" in reasons(found)[0]


def test_what_is_open_is_said() -> None:
    found = read("host,drive,drive_size,drive_kind", "db1,A,1 TB,", "db1,B,1 TB,ssd")
    assert {"drive_kinds_not_stated", "drive_lives_not_stated", "bays_not_stated"} <= (
        warned(found)
    )


@pytest.mark.parametrize("name", ["host", "redfish"])
def test_columns_are_of_a_table(name: str) -> None:
    with pytest.raises(BadInput, match="are known"):
        read("a,b", "1,2", columns=Columns({"host": "a"}), name=name)


@pytest.mark.parametrize(
    "lines", [("host,ram",), ("name,size", "a,b"), ("host,ram,host", "a,b,c")]
)
def test_what_is_no_such_table(lines: Sequence[str]) -> None:
    with pytest.raises(BadInput):
        read(*lines, name="csv")


@given(
    st.lists(
        st.tuples(
            st.integers(1, 64),
            st.integers(1, 16),
            st.integers(1, 30),
            st.integers(1, 24),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_known_machines_come_back(machines: list[tuple[int, int, int, int]]) -> None:
    lines = [
        f"h{at},{gib} GiB,{modules},A,{tb} TB,{drives},hdd"
        for at, (gib, modules, tb, drives) in enumerate(machines)
    ]
    found = read("host,module,modules,drive,drive_size,drives,drive_kind", *lines)
    back = {
        host: (group["ram_bytes"], each["size_bytes"], each["count_per_machine"])
        for group in found.machines
        for each in group["drives"]
        for host in group["hosts"]
    }
    assert back == {
        f"h{at}": (gib * modules * GIB, tb * 1000 * GB, drives)
        for at, (gib, modules, tb, drives) in enumerate(machines)
    }
    assert len(found.machines) == len(
        {(gib, modules, tb, drives) for gib, modules, tb, drives in machines}
    )


def test_the_command_writes_what_there_is(tmp_path: Path) -> None:
    table, mapping, have = (
        tmp_path / each for each in ("cmdb.csv", "mapping.toml", "have.json")
    )
    table.write_text(f"Name,RAM,Model,Disks,Capacity\ndb1,256,{MODEL},2,7.68\n")
    mapping.write_text(
        f'[[line]]\npart_number = "{MODEL}"\nis = [{{ kind = "device", item = "{DRIVE}" }}]\n'
    )
    pairs = {
        "host": "Name",
        "ram": "RAM",
        "drive": "Model",
        "drives": "Disks",
        "drive_size": "Capacity",
    }
    stated = ("memory_unit=GiB", "drive_unit=TB", "drive_kind=nvme")
    options = [
        *(part for each in pairs.items() for part in ("--column", "=".join(each))),
        *(part for each in stated for part in ("--value", each)),
    ]
    found = answer(
        "import", "inventory", str(table), *options, "--mapping", str(mapping),
        "--have", str(have), "--json",
    )  # fmt: skip
    assert found["format"] == "csv"
    assert found["machines"][0]["ram_bytes"] == 256 * GIB
    assert DRIVE in have.read_text()
    refused = run("import", "inventory", str(tmp_path), "--column", "host=Name")
    assert refused.returncode == 2
    assert "folder" in refused.stderr
