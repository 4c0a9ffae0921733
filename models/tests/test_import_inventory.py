"""What there is on hosts: each form of each program is read, and what disagrees stands both."""

from __future__ import annotations

import copy
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierwright.advise.advice.request import read_have
from tierwright.common.errors import BadInput
from tierwright.hardware.imports.host import programs
from tierwright.hardware.imports.host.inventory import (
    Inventory,
    read_path,
    read_stream,
)

MANY = int(os.environ.get("TIERWRIGHT_FUZZ_EXAMPLES", "0"))
FEW = settings(
    max_examples=MANY or 25,
    derandomize=not MANY,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
KEYS = [
    *("id", "format", "format_version", "currency", "read", "taken", "skipped"),
    *("units", "dates", "unresolved", "warnings", "machines"),
]
TB_1_92 = 1_920_383_410_176

LSBLK = {
    "blockdevices": [
        {
            "name": "nvme0n1",
            "type": "disk",
            "size": TB_1_92,
            "rota": False,
            "tran": "nvme",
            "model": "SAMSUNG MZQL21T9HCJR-00A07",
            "serial": "S64GNE0R1",
        },
        {
            "name": "nvme1n1",
            "type": "disk",
            "size": TB_1_92,
            "rota": False,
            "tran": "nvme",
            "model": "SAMSUNG MZQL21T9HCJR-00A07",
            "serial": "S64GNE0R2",
        },
        {
            "name": "sda",
            "type": "disk",
            "size": 8_001_563_222_016,
            "rota": True,
            "tran": "sas",
            "model": "ST8000NM0075",
            "serial": "ZA1",
        },
        {"name": "loop0", "type": "loop", "size": 4096, "rota": False},
        {"name": "sr0", "type": "rom", "size": 1_073_741_312, "rota": True},
    ]
}
NVME_OLD = {
    "Devices": [
        {
            "NameSpace": at + 1,
            "DevicePath": f"/dev/nvme{at}n1",
            "Firmware": "GDC5602Q",
            "ModelNumber": "SAMSUNG MZQL21T9HCJR-00A07",
            "SerialNumber": f"S64GNE0R{at + 1}",
            "UsedBytes": 0,
            "MaximumLBA": TB_1_92 // 512,
            "PhysicalSize": TB_1_92,
            "SectorSize": 512,
        }
        for at in range(2)
    ]
}
NVME_NEW = {
    "Devices": [
        {
            "HostNQN": "nqn.2014-08.org.nvmexpress:uuid:1",
            "Subsystems": [
                {
                    "Subsystem": f"nvme-subsys{at}",
                    "Controllers": [
                        {
                            "Controller": f"nvme{at}",
                            "SerialNumber": f"S64GNE0R{at + 1}      ",
                            "ModelNumber": "SAMSUNG MZQL21T9HCJR-00A07",
                            "Namespaces": [
                                {
                                    "NameSpace": f"nvme{at}n1",
                                    "NSID": 1,
                                    "PhysicalSize": TB_1_92,
                                    "SectorSize": 512,
                                }
                            ],
                        }
                    ],
                    "Namespaces": [],
                }
                for at in range(2)
            ],
        }
    ]
}


def module(
    at: int, size: str = "32 GB", width: int = 72, speed: int = 4800, **more: str
) -> str:
    fields = {
        "Total Width": f"{width} bits",
        "Data Width": "64 bits",
        "Size": size,
        "Form Factor": "DIMM",
        "Locator": f"DIMM_{at}",
        "Type": "DDR5",
        "Speed": "5600 MT/s",
        "Part Number": "M321R4GA3BB6-CQKVG",
        "Configured Memory Speed": f"{speed} MT/s",
        **more,
    }
    text = "".join(f"\t{name}: {value}\n" for name, value in fields.items())
    return f"Handle 0x{at + 0x1100:04X}, DMI type 17, 92 bytes\nMemory Device\n{text}\n"


def empty(at: int) -> str:
    return (
        f"Handle 0x{at + 0x1100:04X}, DMI type 17, 92 bytes\nMemory Device\n"
        f"\tSize: No Module Installed\n\tLocator: DIMM_{at}\n\tType: Unknown\n\n"
    )


def board(slots: int = 4, most: str = "2 TB") -> str:
    return (
        "# dmidecode 3.5\nGetting SMBIOS data from sysfs.\n\n"
        "Handle 0x1000, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n"
        f"\tMaximum Capacity: {most}\n\tNumber Of Devices: {slots}\n\n"
    )


DMIDECODE = board() + module(0) + module(1) + empty(2) + empty(3)


def smart(serial: str = "S64GNE0R1", used: int = 3, capacity: int = TB_1_92) -> str:
    return json.dumps(
        {
            "smartctl": {"version": [7, 4]},
            "device": {"name": "/dev/nvme0", "type": "nvme"},
            "model_name": "SAMSUNG MZQL21T9HCJR-00A07",
            "serial_number": serial,
            "nvme_total_capacity": capacity,
            "user_capacity": {"bytes": capacity},
            "nvme_smart_health_information_log": {
                "data_units_written": 1000,
                "percentage_used": used,
            },
        }
    )


def read(*parts: Any) -> Inventory:
    text = "\n".join(
        each if isinstance(each, str) else json.dumps(each) for each in parts
    )
    found = read_stream(io.BytesIO(text.encode()), "given", "db1")
    assert found.imported.read == found.imported.taken + len(found.imported.skipped)
    assert list(found.to_dict()) == KEYS
    return found


def one(found: Inventory) -> dict[str, Any]:
    [group] = found.machines
    return group


def warned(found: Inventory) -> set[str]:
    return {each["name"] for each in found.imported.warnings}


def message(found: Inventory, name: str) -> str:
    [text] = [
        each["message"] for each in found.imported.warnings if each["name"] == name
    ]
    return text


class TestForms:
    @pytest.mark.parametrize("nvme", [NVME_OLD, NVME_NEW], ids=["old", "new"])
    def test_all_programs_in_one_file(self, nvme: Any) -> None:
        found = read(LSBLK, DMIDECODE, nvme)
        group = one(found)
        assert (group["count"], group["hosts"]) == (1, ["db1"])
        assert group["ram_bytes"] == 64 * 2**30
        assert group["most_ram_bytes"] == 2 * 2**40
        assert (group["slots"], group["slots_of_board"], group["free_slots"]) == (
            4,
            4,
            2,
        )
        [modules] = group["modules"]
        assert modules == {
            "count_per_machine": 2,
            "size_bytes": 32 * 2**30,
            "kind": "DDR5",
            "speed_mt_per_s": 5600,
            "configured_mt_per_s": 4800,
            "has_ecc": True,
            "part_numbers": ["M321R4GA3BB6-CQKVG"],
        }
        flash, disk = group["drives"]
        assert (flash["count_per_machine"], flash["kind"], flash["size_bytes"]) == (
            2,
            "nvme",
            TB_1_92,
        )
        assert (disk["model"], disk["kind"]) == ("ST8000NM0075", "hdd")
        assert group["free_bays"] is None
        assert {"bays_not_stated", "life_not_stated", "memory_runs_slower"} <= warned(
            found
        )
        assert "slots_differ" not in warned(found)
        assert [each["reason"] for each in found.imported.skipped] == [
            "is of type `loop`, not a disk",
            "is of type `rom`, not a disk",
        ]
        assert found.imported.currency is None

    def test_lsblk_of_before_printed_texts(self) -> None:
        old = copy.deepcopy(LSBLK)
        for each in old["blockdevices"]:
            each["size"] = str(each["size"])
            each["rota"] = "1" if each["rota"] else "0"
            if "model" in each:
                each["model"] = str(each["model"]).replace(" ", "_") + "  "
        assert one(read(old)) == one(read(LSBLK))

    def test_lsblk_without_b(self) -> None:
        rounded = {
            "blockdevices": [
                {"name": "sda", "type": "disk", "size": "7.3T", "rota": True}
            ]
        }
        found = read(rounded)
        [left] = found.imported.skipped
        assert "-b" in left["reason"]
        assert one(found)["drives"] == []
        with pytest.raises(BadInput) as refused:
            read('{"blockdevices": [{"name": "sda", "size": 0B}]}')
        assert "-b" in refused.value.hint

    @pytest.mark.parametrize(
        ("size", "held"),
        [
            ("32 GB", 2**35),
            ("8192 MB", 2**33),
            ("16777216 kB", 2**34),
            ("2 TB", 2**41),
            ("0.25 GiB", None),
            ("Unknown", None),
            ("32", None),
        ],
    )
    def test_units_of_dmidecode_are_powers_of_2(
        self, size: str, held: int | None
    ) -> None:
        found = read(board(slots=1) + module(0, size))
        if held is None:
            assert size in found.imported.skipped[0]["reason"]
            assert one(found)["ram_bytes"] is None
        else:
            assert one(found)["ram_bytes"] == held
            [unit] = found.imported.units
            assert unit["printed"] == f"{size.split()[1]} of dmidecode"

    def test_no_ecc_and_flash_of_the_firmware(self) -> None:
        found = read(board() + module(0, width=64) + module(1, "16 MB", Type="Flash"))
        assert one(found)["modules"][0]["has_ecc"] is False
        assert one(found)["ram_bytes"] == 2**35
        assert "firmware" in found.imported.skipped[0]["reason"]

    def test_several_namespaces_and_paths_are_one_drive(self) -> None:
        two = copy.deepcopy(NVME_NEW)
        system = two["Devices"][0]["Subsystems"][0]  # type: ignore[index]
        [controller] = system["Controllers"]
        halves = [
            {"NameSpace": f"nvme0n{at}", "PhysicalSize": TB_1_92 // 4} for at in (1, 2)
        ]
        controller["Namespaces"] = []
        system["Controllers"].append({**controller, "Controller": "nvme7"})
        system["Namespaces"] = halves
        disks = {
            "blockdevices": [
                {**LSBLK["blockdevices"][0], "name": name, "size": TB_1_92 // 4}
                for name in ("nvme0n1", "nvme0n2")
            ]
            + [LSBLK["blockdevices"][1]]
        }
        found = read(disks, DMIDECODE, two, smart())
        whole, half = sorted(
            one(found)["drives"], key=lambda each: -each["namespace_bytes"]
        )
        assert whole["namespace_bytes"] == TB_1_92
        assert half["namespace_bytes"] == TB_1_92 // 2
        assert half["size_bytes"] == TB_1_92  # as its own report says
        assert half["least_life_left_percent"] == 97
        assert "smaller_than_its_drive" in warned(found)

    def test_volumes_are_no_drives(self) -> None:
        cloud = {
            "Devices": [
                {
                    "NameSpace": 1,
                    "DevicePath": f"/dev/nvme{at}n1",
                    "ModelNumber": model,
                    "SerialNumber": serial,
                    "PhysicalSize": 2**40,
                    "SectorSize": 512,
                }
                for at, (model, serial) in enumerate(
                    [
                        ("Amazon Elastic Block Store", "vol0a"),
                        ("Amazon EC2 NVMe Instance Storage", "AWS1"),
                    ]
                )
            ]
        }
        group = one(read(cloud))
        assert [each["model"] for each in group["drives"]] == [
            "Amazon EC2 NVMe Instance Storage"
        ]
        assert [each["model"] for each in group["volumes"]] == [
            "Amazon Elastic Block Store"
        ]

    def test_a_disk_of_a_hypervisor_is_of_no_kind(self) -> None:
        found = read(
            {
                "blockdevices": [
                    {"name": "vda", "type": "disk", "size": 2**38, "rota": True}
                ]
            }
        )
        assert one(found)["drives"][0]["kind"] == ""
        assert "kind_not_stated" in warned(found)
        assert [each["name"] for each in found.imported.unresolved] == ["vda"]


def disks(*listed: tuple[str, str], transport: str = "nvme") -> dict[str, Any]:
    """Disks of lsblk, each a name and a serial number."""
    one = {"type": "disk", "size": TB_1_92, "rota": False, "tran": transport}
    return {
        "blockdevices": [
            one | {"name": name, "model": "M1", "serial": serial}
            for name, serial in listed
        ]
    }


def flat(*listed: tuple[str, str]) -> dict[str, Any]:
    """Namespaces as nvme-cli up to 2.10 lists them."""
    return {
        "Devices": [
            {
                "DevicePath": f"/dev/{name}",
                "ModelNumber": "M1",
                "SerialNumber": serial,
                "PhysicalSize": TB_1_92,
            }
            for name, serial in listed
        ]
    }


def nested(*systems: list[tuple[str, str]]) -> dict[str, Any]:
    """Subsystems of nvme-cli from 2.11 on, each with controllers of one namespace."""
    return {
        "Devices": [
            {
                "Subsystems": [
                    {
                        "Controllers": [
                            {
                                "Controller": name.partition("n1")[0],
                                "SerialNumber": serial,
                                "ModelNumber": "M1",
                                "Namespaces": [
                                    {"NameSpace": name, "PhysicalSize": TB_1_92}
                                ],
                            }
                            for name, serial in system
                        ]
                    }
                    for system in systems
                ]
            }
        ]
    }


def drives_of(found: Inventory) -> int:
    return sum(each["count_per_machine"] for each in one(found)["drives"])


class TestSerialNumbers:
    """One serial number alone neither makes one drive of two nor two of one in silence."""

    TWO = (("nvme0n1", "SAME"), ("nvme1n1", "SAME"))

    @pytest.mark.parametrize(
        "parts",
        [
            (disks(*TWO),),
            (flat(*TWO),),
            (disks(*TWO), flat(*TWO)),
            (nested(*([each] for each in TWO)),),
            (disks(*TWO), nested(*([each] for each in TWO))),
            (disks(("sda", "SAME"), ("sdb", "SAME"), transport="sas"),),
            (disks(("sda", "SAME"), ("nvme0n1", "SAME")),),
        ],
    )
    def test_two_drives_stay_two_with_the_effect(self, parts: tuple[Any, ...]) -> None:
        found = read(*parts)
        assert drives_of(found) == 2
        said = message(found, "serial_twice")
        assert "serial number `SAME`" in said
        assert "3.49 TiB counted, 1.75 TiB if they are one drive" in said

    @pytest.mark.parametrize(
        ("parts", "count"),
        [
            # Namespaces of one controller, and controllers of one subsystem, are one drive.
            ((disks(("nvme0n1", "SAME"), ("nvme0n2", "SAME")),), 1),
            ((flat(("nvme0n1", "SAME"), ("nvme0n2", "SAME")),), 1),
            ((nested(list(TWO)),), 1),
            ((disks(*TWO), nested(list(TWO))), 1),
            # lsblk sees a namespace that nvme does not list.
            ((disks(("nvme0n1", "S"), ("nvme0n2", "S")), flat(("nvme0n1", "S"))), 1),
            ((disks(("sda", ""), ("sdb", ""), transport="sas"),), 2),
            ((disks(("nvme0n1", "A"), ("nvme1n1", "B")),), 2),
        ],
    )
    def test_what_is_known_to_be_one_drive_or_two_is_no_doubt(
        self, parts: tuple[Any, ...], count: int
    ) -> None:
        found = read(*parts)
        assert drives_of(found) == count
        assert "serial_twice" not in warned(found)

    def test_a_report_that_names_its_device_is_of_that_one(self) -> None:
        report = json.loads(smart("SAME", used=40))
        report["device"]["name"] = "/dev/nvme1"
        found = read(disks(*self.TWO), report)
        lives = {
            each["name"]: each["life_left_percent"]
            for drives in one(found)["drives"]
            for each in drives["each"]
        }
        assert lives == {"nvme0n1": None, "nvme1n1": 60}


class TestDoubts:
    def test_slots_that_differ_stand_both(self) -> None:
        found = read(board(slots=16) + module(0) + empty(1))
        group = one(found)
        assert (group["slots"], group["slots_of_board"], group["free_slots"]) == (
            2,
            16,
            1,
        )
        assert "db1: 16 and 2" in message(found, "slots_differ")

    def test_more_ram_than_the_board_takes(self) -> None:
        found = read(board(most="32 GB") + module(0) + module(1))
        assert one(found)["ram_bytes"] == 2**36
        assert one(found)["most_ram_bytes"] == 2**35
        assert "64 GiB and 32 GiB" in message(found, "more_ram_than_the_board")
        assert "more_ram_than_the_board" not in warned(read(DMIDECODE))

    def test_sizes_of_lsblk_and_nvme(self) -> None:
        other = copy.deepcopy(NVME_OLD)
        other["Devices"][0]["PhysicalSize"] = 62_488_576
        found = read(LSBLK, other)
        assert "62,488,576" in message(found, "sizes_differ")
        assert "sizes_differ" not in warned(read(LSBLK, NVME_OLD))

    def test_life_by_serial_number(self) -> None:
        found = read(LSBLK, NVME_OLD, smart(), smart("S64GNE0R2", 120))
        flash = one(found)["drives"][0]
        assert [each["life_left_percent"] for each in flash["each"]] == [97, 0]
        assert "life_not_stated" not in warned(found)
        other = read(LSBLK, NVME_OLD, smart("another"))
        assert "life_of_no_drive" in warned(other)
        assert one(other)["drives"][0]["least_life_left_percent"] is None

    def test_programs_that_were_not_read(self) -> None:
        assert "dmidecode and nvme" in message(read(LSBLK), "outputs_missing")
        assert "lsblk" in message(read(DMIDECODE), "outputs_missing")

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{}",
            "/dev/mem: Permission denied\n",
            '{"blockdevices": []}',
            json.dumps({"format": "tierwright-host", "version": 2}),
            f"{json.dumps(LSBLK)}\n{json.dumps(LSBLK)}",
        ],
    )
    def test_refusals(self, text: str) -> None:
        with pytest.raises(BadInput) as refused:
            read(text)
        assert refused.value.hint


class TestMachines:
    def folder(self, path: Path, **machines: Sequence[Any]) -> Path:
        for name, outputs in machines.items():
            (path / name).mkdir()
            for at, output in enumerate(outputs):
                text = output if isinstance(output, str) else json.dumps(output)
                (path / name / f"{at}.txt").write_text(text, encoding="utf-8")
        return path

    def test_equal_builds_are_one_group(self, tmp_path: Path) -> None:
        other = json.loads(
            json.dumps(LSBLK).replace("S64GNE0R", "S64GNE0X").replace("ZA1", "ZA9")
        )
        renamed = json.loads(json.dumps(NVME_OLD).replace("S64GNE0R", "S64GNE0X"))
        smaller = board() + module(0) + empty(1) + empty(2) + empty(3)
        path = self.folder(
            tmp_path,
            a=(LSBLK, DMIDECODE, NVME_OLD, smart()),
            b=(other, DMIDECODE.replace("M321R4", "HMCG88"), renamed),
            c=(LSBLK, smaller, NVME_OLD),
        )
        found = read_path(path)
        assert found.finding == "3 machines of 2 builds."
        both, single = found.machines
        assert (both["count"], both["hosts"]) == (2, ["a", "b"])
        assert both["modules"][0]["part_numbers"] == [
            "HMCG88GA3BB6-CQKVG",
            "M321R4GA3BB6-CQKVG",
        ]
        flash = both["drives"][0]
        assert flash["count_per_machine"] == 2
        assert {(each["host"], each["name"]) for each in flash["each"]} == {
            (host, name) for host in "ab" for name in ("nvme0n1", "nvme1n1")
        }
        assert (single["hosts"], single["free_slots"]) == (["c"], 3)
        assert found.imported.id == read_path(path).imported.id

    def test_two_outputs_of_one_program_are_not_one_machine(
        self, tmp_path: Path
    ) -> None:
        path = self.folder(tmp_path, a=(LSBLK, LSBLK))
        with pytest.raises(BadInput, match="second output of lsblk"):
            read_path(path)

    def test_a_document_of_ours_names_its_host(self, tmp_path: Path) -> None:
        outputs = {
            "lsblk": json.dumps(LSBLK),
            "dmidecode": DMIDECODE,
            "nvme": json.dumps(NVME_OLD),
            "smart:nvme0": json.dumps({"data_units_written": 1, "percentage_used": 40}),
        }
        for name in ("x", "y"):
            (tmp_path / f"{name}.json").write_text(
                programs.document_of(outputs, f"host-{name}"), encoding="utf-8"
            )
        found = read_path(tmp_path)
        group = one(found)
        assert group["hosts"] == ["host-x", "host-y"]
        lives = [each["life_left_percent"] for each in group["drives"][0]["each"]]
        assert lives == [60, None, 60, None]


class TestPrograms:
    def fake(self, **given: tuple[int, str, str]) -> Any:
        asked: list[Sequence[str]] = []

        def run_it(command: Sequence[str]) -> tuple[int, str, str]:
            asked.append(command)
            return given.get(command[0], (127, "", "is not installed"))

        return run_it, asked

    def test_they_are_run_where_they_are_found(self) -> None:
        run_it, asked = self.fake(
            lsblk=(0, json.dumps(LSBLK), ""),
            dmidecode=(1, "", "/dev/mem: Permission denied"),
            smartctl=(4, smart(), ""),
        )
        outputs, lacking = programs.outputs_here(run_it)
        assert set(outputs) == {"lsblk", "smart:nvme0", "smart:nvme1", "smart:sda"}
        assert [(each.program, each.reason) for each in lacking] == [
            ("dmidecode", "/dev/mem: Permission denied"),
            ("nvme", "is not installed"),
        ]
        assert ("smartctl", "--json", "-x", "/dev/nvme0") in asked

    def test_nvme_states_the_life_where_smartctl_does_not(self) -> None:
        log = json.dumps({"data_units_written": 1, "percentage_used": 9})
        run_it, _ = self.fake(
            lsblk=(0, json.dumps(LSBLK), ""),
            nvme=(0, log, ""),
            smartctl=(2, "{}", "no"),
        )
        outputs, lacking = programs.outputs_here(run_it)
        assert outputs["smart:nvme0"] == log
        assert [each.program for each in lacking] == ["dmidecode", "smartctl of sda"]

    def test_nothing_that_a_device_is_called_reaches_a_command(self) -> None:
        hostile = {
            "blockdevices": [
                {"name": "nvme0n1; rm -rf /", "type": "disk", "size": 1},
                {"name": "--help", "type": "disk", "size": 1},
            ]
        }
        run_it, asked = self.fake(lsblk=(0, json.dumps(hostile), ""))
        programs.outputs_here(run_it)
        assert {command[0] for command in asked} == {"lsblk", "dmidecode", "nvme"}

    def test_a_real_program(self) -> None:
        assert programs.run_program(("no-such-program",))[0] == 127


class TestCommand:
    def test_import(self, tmp_path: Path) -> None:
        path = tmp_path / "db1.txt"
        path.write_text(f"{json.dumps(LSBLK)}\n{DMIDECODE}", encoding="utf-8")
        done = run("import", "inventory", path, "--as", "host", "--json")
        assert (done.returncode, done.stderr) == (0, "")
        found = json.loads(done.stdout)
        assert list(found) == KEYS
        assert found["format"] == "host"
        said = run("import", "inventory", path)
        assert "1 machine of 1 build." in said.stdout
        assert "free memory slot" in said.stdout
        assert run("import", "inventory", path, "--as", "redfish").returncode == 2

    def test_what_there_is_goes_to_the_advisor(self, tmp_path: Path) -> None:
        path, have = tmp_path / "db1.txt", tmp_path / "have.json"
        flash_alone = {"blockdevices": LSBLK["blockdevices"][:2]}
        path.write_text(f"{json.dumps(flash_alone)}\n{DMIDECODE}", encoding="utf-8")
        mapping = tmp_path / "mapping.json"
        entry = {
            "part_number": "SAMSUNG MZQL21T9HCJR-00A07",
            "is": [{"kind": "device", "item": "samsung-pm9a3-7.68tb-u2"}],
        }
        mapping.write_text(json.dumps({"line": [entry]}), encoding="utf-8")
        given_ = ("import", "inventory", path, "--have", have)
        refused = run(*given_)
        assert refused.returncode == 2
        assert "SAMSUNG MZQL21T9HCJR-00A07" in refused.stderr
        assert run(*given_, "--mapping", mapping).returncode == 0
        found = read_have(have)
        assert (found.machines, found.ram_bytes, found.disks) == (1, 2**36, 2)
        assert found.disk.id == "samsung-pm9a3-7.68tb-u2"
        path.write_text(f"{json.dumps(LSBLK)}\n{DMIDECODE}", encoding="utf-8")
        both = run(*given_, "--mapping", mapping)
        assert "ST8000NM0075" in both.stderr

    def test_this_host(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        outputs = {"lsblk": json.dumps(LSBLK)}
        lacking = [programs.Lacking("nvme", "is not installed")]
        monkeypatch.setattr(programs, "outputs_here", lambda: (outputs, lacking))
        kept = tmp_path / "host.json"
        done = run("inventory", "--output", kept, "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["warnings"][-1]["name"] == "programs_lacking"
        assert "nvme: is not installed" in found["warnings"][-1]["message"]
        again = json.loads(run("import", "inventory", kept, "--json").stdout)
        assert again["machines"] == found["machines"]
        monkeypatch.setattr(programs, "outputs_here", lambda: ({}, lacking))
        none = run("inventory")
        assert none.returncode == 2
        assert "hint:" in none.stderr


@FEW
@given(st.data())
def test_nothing_in_a_file_breaks_the_reader(data: st.DataObject) -> None:
    text = data.draw(
        st.sampled_from(
            [
                json.dumps(LSBLK),
                json.dumps(NVME_OLD),
                json.dumps(NVME_NEW),
                DMIDECODE,
                smart(),
            ]
        )
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        piece = data.draw(
            st.sampled_from(
                [
                    "",
                    "null",
                    "[]",
                    "{}",
                    "-1",
                    '"',
                    "1e400",
                    "9" * 30,
                    "\n",
                    "\x00",
                    ":",
                ]
            )
        )
        cut = data.draw(st.integers(0, 40))
        text = text[:at] + piece + text[at + cut :]
    try:
        found = read_stream(io.BytesIO(text.encode()), "given", "db1")
    except BadInput as refused:
        assert refused.hint  # noqa: PT017
    else:
        json.dumps(found.to_dict(), allow_nan=False)
