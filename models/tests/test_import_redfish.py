"""Saved answers of Redfish: slots and bays with the empty ones, and what disagrees stands both. All answers are written here."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from command import answer, run

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import archives, redfish
from tierwright.hardware.imports.host.inventory import Inventory
from tierwright.hardware.imports.inventories import read_inventory, read_stream

TB_1_92 = 1_920_383_410_176
ROOT = "/redfish/v1"
SYSTEM = f"{ROOT}/Systems/1"


def saved(kind: str, at: str, **fields: Any) -> dict[str, Any]:
    return {
        "@odata.type": f"#{kind}.v1_9_0.{kind}",
        "@odata.id": at,
        "Id": at.rpartition("/")[2],
        **fields,
    }


def dimm(at: int, **fields: Any) -> dict[str, Any]:
    stated = {
        "Name": f"DIMM {at}",
        "CapacityMiB": 65536,
        "VolatileSizeMiB": 0,
        "MemoryType": "DRAM",
        "MemoryDeviceType": "DDR5",
        "OperatingSpeedMhz": 4800,
        "AllowedSpeedsMHz": [4400, 4800],
        "ErrorCorrection": "MultiBitECC",
        "PartNumber": "M321R8GA0BB0 ",
        "Status": {"State": "Enabled"},
    }
    return saved("Memory", f"{SYSTEM}/Memory/{at}", **(stated | fields))


def bay(at: int, **fields: Any) -> dict[str, Any]:
    stated = {
        "CapacityBytes": TB_1_92,
        "MediaType": "SSD",
        "Protocol": "NVMe",
        "Model": "MZQL21T9HCJR",
        "SerialNumber": f"S{at}",
        "PredictedMediaLifeLeftPercent": 97,
        "Status": {"State": "Enabled"},
    }
    return saved("Drive", f"{ROOT}/Chassis/1/Drives/{at}", **(stated | fields))


ABSENT = {"Status": {"State": "Absent"}, "CapacityMiB": None, "CapacityBytes": None}
STORAGE = saved(
    "Storage",
    f"{SYSTEM}/Storage/1",
    Drives=[{"@odata.id": f"{ROOT}/Chassis/1/Drives/{at}"} for at in range(3)],
)
WHOLE = [
    saved("ServiceRoot", ROOT, RedfishVersion="1.17.0"),
    saved(
        "ComputerSystem",
        SYSTEM,
        HostName="db1",
        MemorySummary={"TotalSystemMemoryGiB": 128},
    ),
    dimm(1),
    dimm(2),
    dimm(3, **ABSENT),
    STORAGE,
    bay(0),
    bay(1, PredictedMediaLifeLeftPercent=80),
    bay(2, Model=None, **ABSENT),
    saved("Thermal", f"{ROOT}/Chassis/1/Thermal"),
]


def read(*answers: dict[str, Any]) -> Inventory:
    text = "\n".join(json.dumps(each, indent=1) for each in answers)
    found = redfish.read_stream(io.BytesIO(text.encode()), "given")
    assert found.imported.read == found.imported.taken + len(found.imported.skipped)
    return found


def with_fields(at: str, **fields: Any) -> list[dict[str, Any]]:
    found = copy.deepcopy(WHOLE)
    [one] = [each for each in found if each["@odata.id"] == at]
    one.update(fields)
    return found


def one(found: Inventory) -> dict[str, Any]:
    [group] = found.machines
    return group


def message(found: Inventory, name: str) -> str:
    [text] = [
        each["message"] for each in found.imported.warnings if each["name"] == name
    ]
    return text


def test_a_machine_with_an_empty_slot_and_an_empty_bay() -> None:
    found = read(*WHOLE)
    group = one(found)
    assert (group["hosts"], group["ram_bytes"]) == (["db1"], 128 * 2**30)
    assert (group["slots"], group["free_slots"]) == (3, 1)
    assert (group["bays"], group["free_bays"]) == (3, 1)
    [drives] = group["drives"]
    assert (drives["count_per_machine"], drives["kind"], drives["size_bytes"]) == (
        2,
        "nvme",
        TB_1_92,
    )
    assert drives["least_life_left_percent"] == 80
    [modules] = group["modules"]
    assert (modules["kind"], modules["configured_mt_per_s"], modules["has_ecc"]) == (
        "DDR5",
        4800,
        True,
    )
    assert modules["part_numbers"] == ["M321R8GA0BB0"]
    assert (found.imported.format, found.imported.format_version) == (
        "redfish",
        "1.17.0",
    )
    assert found.imported.warnings == ()


class TestTraps:
    @pytest.mark.parametrize("stated", [137, 0, 119.2])
    def test_modules_and_summary_stand_both(self, stated: float) -> None:
        summary = {"TotalSystemMemoryGiB": stated}
        found = read(*with_fields(SYSTEM, MemorySummary=summary))
        assert one(found)["ram_bytes"] == 128 * 2**30
        assert one(found)["ram_bytes_of_summary"] == round(stated * 2**30)
        assert "128 GiB of modules" in message(found, "ram_summary_differs")

    def test_without_modules_the_summary_is_shown_and_not_used(self) -> None:
        found = read(*(each for each in WHOLE if "/Memory/" not in each["@odata.id"]))
        group = one(found)
        assert group["ram_bytes"] is None
        assert group["ram_bytes_of_summary"] == 128 * 2**30
        assert "db1" in message(found, "memory_not_saved")

    @pytest.mark.parametrize("life", [255, None, -1, True, "97"])
    def test_an_unknown_life_is_unknown(self, life: Any) -> None:
        at = f"{ROOT}/Chassis/1/Drives/1"
        found = read(*with_fields(at, PredictedMediaLifeLeftPercent=life))
        lives = {
            each["life_left_percent"]
            for drives in one(found)["drives"]
            for each in drives["each"]
        }
        assert lives == {97.0, None}
        assert "Drives/1" in message(found, "life_not_stated")

    @pytest.mark.parametrize(
        ("media", "protocol", "kind"),
        [
            ("SSD", "PCIe", "nvme"),
            ("SSD", "SATA", "sata_ssd"),
            ("SSD", "SAS", "ssd"),
            ("HDD", "SAS", "hdd"),
            (None, "SAS", ""),
        ],
    )
    def test_kinds(self, media: Any, protocol: str, kind: str) -> None:
        at = f"{ROOT}/Chassis/1/Drives/1"
        found = read(*with_fields(at, MediaType=media, Protocol=protocol))
        kinds = {each["kind"] for each in one(found)["drives"]}
        assert kinds == {"nvme", kind}

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"CapacityMiB": 0}, "`CapacityMiB` is `0`"),
            ({"CapacityMiB": None}, "not said to be empty"),
            ({"MemoryType": "NVDIMM_P"}, "no RAM"),
            ({"MemoryType": "IntelOptane"}, "no RAM"),
        ],
    )
    def test_what_is_no_ram_stops_its_slot_alone(
        self, fields: dict[str, Any], reason: str
    ) -> None:
        found = read(*with_fields(f"{SYSTEM}/Memory/2", **fields))
        assert reason in found.imported.skipped[0]["reason"]
        assert one(found)["ram_bytes"] == 64 * 2**30

    def test_drives_of_one_serial_number_count_both_and_are_named(self) -> None:
        at = f"{ROOT}/Chassis/1/Drives/1"
        found = read(*with_fields(at, SerialNumber="S0"))
        assert sum(each["count_per_machine"] for each in one(found)["drives"]) == 2
        said = message(found, "serial_twice")
        assert "3.49 TiB counted, 1.75 TiB if they are one drive" in said

    def test_simple_storage_lists_drives_again_or_alone(self) -> None:
        simple = saved(
            "SimpleStorage",
            f"{SYSTEM}/SimpleStorage/1",
            Devices=[
                {"Name": "Bay 1", "Model": "ST8", "CapacityBytes": 8 * 10**12},
                {"Name": "Bay 2", "Status": {"State": "Absent"}},
            ],
        )
        drives = [each for each in WHOLE if "Drive." in each["@odata.type"]]
        known = {key: drives[0][key] for key in ("Model", "CapacityBytes")}
        again = {**simple, "Devices": [{"Name": "Bay 1", **known}]}
        found = read(*WHOLE, again)
        assert one(found)["bays"] == 3
        assert "lists the drives again" in found.imported.skipped[0]["reason"]
        other = read(*WHOLE, simple)
        assert one(other)["bays"] == 4
        assert "Bay 1" in message(other, "simple_storage_beside_drives")
        alone = read(
            *(each for each in WHOLE if "Drive." not in each["@odata.type"]), simple
        )
        assert (one(alone)["bays"], one(alone)["free_bays"]) == (2, 1)
        assert "3 drives" in message(alone, "drives_not_saved")

    def test_bays_are_stated_only_where_one_is_empty(self) -> None:
        whole = read(*(each for each in WHOLE if "Absent" not in json.dumps(each)))
        assert (one(whole)["bays"], one(whole)["free_bays"]) == (None, None)
        assert "db1" in message(whole, "bays_not_stated")

    def test_drives_of_no_system_do_not_count(self) -> None:
        other = saved("ComputerSystem", f"{ROOT}/Systems/10", HostName="db2")
        stray = bay(7)
        found = read(*WHOLE, other, stray)
        assert {name for each in found.machines for name in each["hosts"]} == {
            "db1",
            "db2",
        }
        assert "Drives/7" in message(found, "drives_of_no_system")
        assert (
            sum(
                drives["count_per_machine"]
                for each in found.machines
                for drives in each["drives"]
            )
            == 2
        )

    def test_machines_of_one_name_or_answers_of_one_id(self) -> None:
        with pytest.raises(BadInput, match="second answer"):
            read(*WHOLE, dimm(1, CapacityMiB=1))
        twins = read(
            *WHOLE, saved("ComputerSystem", f"{ROOT}/Systems/9", HostName="db1")
        )
        assert {name for each in twins.machines for name in each["hosts"]} == {
            f"db1 ({SYSTEM})",
            f"db1 ({ROOT}/Systems/9)",
        }
        with pytest.raises(BadInput, match="no answer of a `ComputerSystem`"):
            read(WHOLE[0])
        with pytest.raises(BadInput, match="between its answers"):
            redfish.read_stream(io.BytesIO(b"x"), "given")


class TestFolder:
    def write(self, folder: Path, answers: list[dict[str, Any]]) -> None:
        """Write answers as a mock-up holds them: a folder for each."""
        for each in answers:
            at = folder / each["@odata.id"].removeprefix("/redfish/v1").lstrip("/")
            at.mkdir(parents=True, exist_ok=True)
            (at / "index.json").write_text(json.dumps(each), encoding="utf-8")

    def test_one_service(self, tmp_path: Path) -> None:
        self.write(tmp_path, WHOLE)
        (tmp_path / "README.txt").write_text("of the machine")
        found = answer("import", "inventory", tmp_path)
        assert found["format"] == "redfish"
        assert found["machines"] == read(*WHOLE).machines
        assert answer("import", "inventory", tmp_path, "--as", "redfish") == found
        shown = run("import", "inventory", tmp_path).stdout
        assert "free bay" in shown

    def test_several_services_are_told_by_their_folders(self, tmp_path: Path) -> None:
        self.write(tmp_path / "rack1", WHOLE)
        self.write(tmp_path / "rack2", with_fields(SYSTEM, HostName="db9"))
        found = read_inventory(str(tmp_path))
        [group] = found.machines
        assert (group["count"], group["hosts"]) == (2, ["rack1", "rack2"])

    def test_a_file_and_the_same_as_another_format(self, tmp_path: Path) -> None:
        path = tmp_path / "all.json"
        path.write_text("\n".join(map(json.dumps, WHOLE)), encoding="utf-8")
        assert read_inventory(str(path)).imported.format == "redfish"
        assert run("import", "inventory", path, "--as", "host").returncode == 2
        done = run("import", "inventory", path, "--as", "lshw")
        assert done.returncode == 2
        assert "hint: the formats are" in done.stderr


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def members_of(answers: list[dict[str, Any]]) -> dict[str, bytes]:
    return {
        f"rack{each['@odata.id']}/index.json": json.dumps(each).encode()
        for each in answers
    }


class TestBundles:
    """The answers of a folder in one file: what a request can carry."""

    def streamed(self, raw: bytes) -> Inventory:
        return read_stream(io.BytesIO(raw), "saved", "saved")

    @pytest.mark.parametrize(
        "bundle",
        [
            json.dumps,
            lambda answers: json.dumps({each["@odata.id"]: each for each in answers}),
            lambda answers: "\n".join(json.dumps(each) for each in answers),
        ],
        ids=["list", "by path", "one behind the other"],
    )
    def test_each_reads_as_the_folder_does(self, bundle: Any, tmp_path: Path) -> None:
        answers = WHOLE
        for name, raw in members_of(answers).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        expected = read_inventory(str(tmp_path)).machines
        assert self.streamed(bundle(answers).encode()).machines == expected
        raw = zipped(members_of(answers))
        found = self.streamed(raw)
        assert found.machines == expected
        assert found.imported.id == hashlib.sha256(raw).hexdigest()

    def test_hosts_of_an_archive_are_told_by_their_folders(self) -> None:
        slot = "Handle 0x1, DMI type 17\nMemory Device\n\tSize: 64 GB\n\tLocator: A1\n\tType: DDR5\n"
        found = self.streamed(
            zipped({"all/a/dmi.txt": slot.encode(), "all/b/dmi.txt": slot.encode()})
        )
        assert found.machines[0]["hosts"] == ["a", "b"]

    @pytest.mark.parametrize("name", ["../out.json", "/out.json", "a/../../out.json"])
    def test_nothing_is_unpacked_outside(self, name: str) -> None:
        with pytest.raises(BadInput, match="leads elsewhere"):
            self.streamed(zipped({name: b"{}"}))

    def test_an_archive_that_unpacks_to_too_much_or_is_damaged(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        raw = zipped(members_of(WHOLE))
        with pytest.raises(BadInput, match="cannot be unpacked"):
            self.streamed(raw[: len(raw) // 2])
        monkeypatch.setattr(archives, "MOST_ARCHIVE_BYTES", len(raw) + 10)
        with pytest.raises(BadInput, match="has more than"):
            self.streamed(zipped({"a.json": b" " * 10**6}))

    @pytest.mark.parametrize(
        ("method", "named"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "LZMA")]
    )
    def test_what_could_unpack_to_all_memory_at_once_is_refused(
        self, method: int, named: str
    ) -> None:
        with pytest.raises(BadInput, match=f"`a.json` is packed with {named}") as found:
            self.streamed(zipped({"a.json": b" " * 10**6}, method))
        assert "deflate" in found.value.hint
        stored = zipped(members_of(WHOLE), zipfile.ZIP_STORED)
        assert self.streamed(stored).machines

    def test_a_long_name_of_the_archive(self) -> None:
        raw = zipped(members_of(WHOLE))
        assert read_stream(io.BytesIO(raw), "saved", "語" * 200).machines

    def test_copies_of_the_archiver_are_not_read(self) -> None:
        members = members_of(WHOLE)
        copies = {
            f"__MACOSX/{name.replace('index', '._index')}": b"\0\5\x16\7"
            for name in members
        }
        found = self.streamed(zipped({**copies, **members}))
        alone = self.streamed(zipped(members))
        assert found.machines == alone.machines
        assert found.imported.warnings == alone.imported.warnings

    def test_a_folder_may_be_called_as_a_file(self, tmp_path: Path) -> None:
        inside = tmp_path / "x.json"
        inside.mkdir()
        for number, each in enumerate(WHOLE):
            (inside / f"{number}.json").write_text(json.dumps(each))
        assert read_inventory(str(tmp_path)).machines
        assert read_inventory(str(inside)).machines
