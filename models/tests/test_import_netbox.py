"""NetBox: answers of its API and exports of its tables, against a list of what the devices hold."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from command import answer
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import inventories
from tierwright.hardware.imports.columns import Columns
from tierwright.hardware.imports.host.inventory import Inventory

GIB, GB = 2**30, 10**9
GIB_MEMORY = Columns({}, {"memory_unit": "GiB"})


def page(kind: str, *things: dict[str, Any], following: str | None = None) -> str:
    """Return one page of the list of a kind, as the API answers."""
    url = "https://netbox.example/api/dcim"
    results = [
        {"url": f"{url}/{kind}/{one['id']}/", "display": str(one["id"]), **one}
        for one in things
    ]
    return json.dumps(
        {
            "count": len(results),
            "next": following,
            "previous": None,
            "results": results,
        }
    )


def device(at: int, name: str | None, status: str = "active") -> dict[str, Any]:
    return {
        "id": at,
        "name": name,
        "status": {"value": status, "label": status.title()},
    }


def module(
    at: int, of: int, kind: int, serial: str = "", **more: Any
) -> dict[str, Any]:
    return {
        "id": at,
        "device": {"id": of, "name": f"db{of}", "display": f"db{of}"},
        "module_type": {"id": kind, "model": f"type {kind}", "display": f"type {kind}"},
        "serial": serial,
        "status": {"value": "active", "label": "Active"},
        **more,
    }


def profile(at: int, name: str, unit: str = "GB") -> dict[str, Any]:
    return {
        "id": at,
        "name": name,
        "schema": {
            "properties": {"size": {"type": "integer", "title": f"Size ({unit})"}}
        },
    }


def kind_of(
    at: int, model: str, named: tuple[int, str] | None, attributes: Any
) -> dict[str, Any]:
    return {
        "id": at,
        "model": model,
        "manufacturer": {"id": 1, "name": "ACME"},
        "part_number": f"PN-{at}",
        "profile": None if named is None else {"id": named[0], "name": named[1]},
        "attributes": attributes,
    }


PROFILES = page(
    "module-type-profiles",
    profile(1, "Memory"),
    profile(2, "Hard disk"),
    {"id": 3, "name": "Power supply", "schema": {}},
)
TYPES = page(
    "module-types",
    kind_of(
        1,
        "RDIMM 64",
        (1, "Memory"),
        {"class": "DDR5", "size": 64, "data_rate": 4800, "ecc": True},
    ),
    kind_of(2, "PM9A3", (2, "Hard disk"), {"type": "NVME", "size": 7680}),
    kind_of(3, "Exos", (2, "Hard disk"), {"type": "HD", "size": 24000, "speed": 7200}),
    kind_of(4, "PSU 800", (3, "Power supply"), {"wattage": 800}),
    kind_of(5, "Riser", None, None),
)
DEVICES = page(
    "devices", device(1, "db1"), device(2, "db2"), device(3, "switch"), device(4, None)
)
MODULES = page(
    "modules",
    *(module(100 * of + at, of, 1) for of in (1, 2) for at in range(16)),
    *(
        module(100 * of + 50 + at, of, 2, f"S{of}{at}")
        for of in (1, 2)
        for at in range(4)
    ),
    module(900, 1, 4),
    module(901, 1, 5),
)
BAYS = page(
    "module-bays",
    {"id": 1, "device": {"id": 1}, "name": "DIMM A1", "installed_module": {"id": 100}},
    {"id": 2, "device": {"id": 1}, "name": "Bay 9", "installed_module": None},
)
WHOLE = (DEVICES, MODULES, TYPES, PROFILES, BAYS)


def read(*parts: str, columns: Columns = GIB_MEMORY) -> Inventory:
    stream = io.BytesIO("\n".join(parts).encode())
    return inventories.read_stream(stream, "given", "given", None, columns)


def reasons(found: Inventory) -> dict[str, str]:
    return {str(each["row"]): each["reason"] for each in found.imported.skipped}


def warnings(found: Inventory) -> set[str]:
    return {each["name"] for each in found.imported.warnings}


class TestAnswers:
    def test_the_devices_are_machines_of_what_their_modules_state(self) -> None:
        found = read(*WHOLE)
        assert (found.imported.format, found.finding) == (
            "netbox",
            "2 machines of 1 build.",
        )
        [group] = found.machines
        assert (group["count"], group["hosts"]) == (2, ["db1", "db2"])
        assert group["ram_bytes"] == 16 * 64 * GIB
        [memory] = group["modules"]
        assert (memory["count_per_machine"], memory["kind"]) == (16, "DDR5")
        assert (memory["speed_mt_per_s"], memory["has_ecc"]) == (4800, True)
        assert memory["part_numbers"] == ["PN-1"]
        [drives] = group["drives"]
        assert (drives["model"], drives["kind"]) == ("PM9A3", "nvme")
        assert (drives["size_bytes"], drives["count_per_machine"]) == (7680 * GB, 4)

    def test_every_row_is_taken_or_left_out_with_its_reason(self) -> None:
        found = read(*WHOLE)
        # Two devices, 32 modules of memory and 8 drives; two devices and two modules are not.
        assert (found.imported.read, found.imported.taken) == (46, 42)
        assert reasons(found) == {
            "modules/900": "is of `Power supply`, neither memory nor a drive",
            "modules/901": "its module type `Riser` has no profile, so nothing states what it is",
            "devices/3": "nothing that was read states its memory or its drives",
            "devices/4": "nothing that was read states its memory or its drives",
        }
        assert found.imported.units == (
            {
                "printed": "Size (GB)",
                "understood": "2^30 bytes: GiB was stated",
            },
            {"printed": "Size (GB)", "understood": "10^9 bytes"},
        )

    def test_nothing_is_said_of_empty_slots_bays_and_lives(self) -> None:
        found = read(*WHOLE)
        [group] = found.machines
        for name in ("slots", "free_slots", "bays", "free_bays"):
            assert group[name] is None, name
        assert group["drives"][0]["least_life_left_percent"] is None
        assert {"bays_of_no_purpose", "lives_not_in_netbox"} <= warnings(found)
        assert "bays_of_no_purpose" not in warnings(read(*WHOLE[:4]))

    def test_gb_of_memory_needs_a_statement(self) -> None:
        found = read(*WHOLE, columns=Columns())
        assert found.machines[0]["ram_bytes"] is None
        assert "memory_not_in_netbox" in warnings(found)
        reason = reasons(found)["modules/100"]
        assert "may be 10^9 bytes or 2^30 bytes" in reason
        assert "its profile says `Size (GB)`" in reason

    @pytest.mark.parametrize(
        ("unit", "understood", "held"),
        [
            ("GiB", "2^30 bytes", 7680 * GIB),
            ("TB", "10^12 bytes", 7680 * 10**12),
            ("MB", "10^6 bytes", 7680 * 10**6),
        ],
    )
    def test_the_unit_is_that_of_the_profile_of_the_instance(
        self, unit: str, understood: str, held: int
    ) -> None:
        profiles = page("module-type-profiles", profile(2, "Hard disk", unit))
        found = read(page("modules", module(1, 1, 2)), TYPES, profiles)
        assert found.machines[0]["drives"][0]["size_bytes"] == held
        [noted] = found.imported.units
        assert noted == {"printed": f"Size ({unit})", "understood": understood}

    def test_without_the_profile_no_unit_is_guessed(self) -> None:
        found = read(page("modules", module(1, 1, 2)), TYPES)
        assert reasons(found) == {"modules/1": "no unit of drive is stated"}
        stated = read(
            page("modules", module(1, 1, 2)),
            TYPES,
            columns=Columns({}, {"drive_unit": "GB"}),
        )
        assert stated.machines[0]["drives"][0]["size_bytes"] == 7680 * GB

    def test_a_module_whose_type_was_not_saved_is_left_out(self) -> None:
        found = read(DEVICES, MODULES, PROFILES)
        assert reasons(found)["modules/150"] == "its module type `type 2` was not saved"
        assert found.machines == []

    def test_names_of_an_instance_are_stated(self) -> None:
        types = page(
            "module-types", kind_of(2, "PM9A3", (9, "NVMe"), {"capacity": "7.68 TB"})
        )
        stated = Columns({"size": "capacity"}, {"drive_profile": "nvme"})
        found = read(page("modules", module(1, 1, 2)), types, columns=stated)
        assert found.machines[0]["drives"][0]["size_bytes"] == 7680 * GB
        assert reasons(read(page("modules", module(1, 1, 2)), types)) == {
            "modules/1": "is of `NVMe`, neither memory nor a drive"
        }

    def test_inventory_items_state_their_size_in_a_custom_field(self) -> None:
        item = {
            "id": 7,
            "device": {"id": 1, "name": "db1"},
            "name": "Disk 0",
            "part_id": "MZQL27T6HBLA",
            "role": {"id": 1, "name": "Hard disk"},
            "custom_fields": {"capacity_gb": 7680},
        }
        bare = {**item, "id": 8, "role": None}
        items = page("inventory-items", item, bare)
        stated = Columns({"size": "capacity_gb"}, {"drive_unit": "GB"})
        found = read(items, columns=stated)
        [drive] = found.machines[0]["drives"]
        assert (drive["model"], drive["size_bytes"]) == ("MZQL27T6HBLA", 7680 * GB)
        assert reasons(found) == {
            "inventory-items/8": "is an inventory item without a role, so nothing states what it is"
        }
        assert reasons(read(items))["inventory-items/7"] == "states no `size`"

    def test_what_is_planned_or_failed_is_not_there(self) -> None:
        there = page(
            "modules",
            module(1, 1, 2),
            module(2, 1, 2, status={"value": "planned", "label": "Planned"}),
            module(3, 2, 2),
        )
        devices = page("devices", device(1, "db1"), device(2, "db2", "planned"))
        found = read(devices, there, TYPES, PROFILES)
        [group] = found.machines
        assert (group["hosts"], group["drives"][0]["count_per_machine"]) == (["db1"], 1)
        assert reasons(found) == {
            "modules/2": "has the status `planned`",
            "modules/3": "its device has the status `planned`",
            "devices/2": "has the status `planned`",
        }

    def test_two_devices_of_one_name_stay_two(self) -> None:
        devices = page("devices", device(1, "db"), device(2, "db"))
        found = read(
            devices,
            page("modules", module(1, 1, 2), module(2, 2, 2)),
            TYPES,
            PROFILES,
        )
        assert found.machines[0]["hosts"] == ["db (devices/1)", "db (devices/2)"]

    def test_a_next_page_and_one_serial_twice_are_said(self) -> None:
        modules = page(
            "modules",
            module(1, 1, 2, "S1"),
            module(2, 1, 2, "S1"),
            following="https://netbox.example/api/dcim/modules/?offset=50",
        )
        found = read(modules, TYPES, PROFILES)
        assert {"more_pages", "serial_twice"} <= warnings(found)
        assert "more_pages" not in warnings(read(*WHOLE))

    @pytest.mark.parametrize(
        ("parts", "said"),
        [
            ((TYPES,), "has no device, module or inventory item"),
            ((DEVICES, "and so on", DEVICES), "has a text between its answers"),
            (
                (
                    page("devices", device(1, "a"), device(2, "b")),
                    page("devices", device(1, "x")),
                ),
                "has `devices/1` twice, and they differ",
            ),
            (('{"a":' * 20 + f"{DEVICES}" + "}" * 20,), "nested deeper"),
        ],
    )
    def test_what_it_refuses(self, parts: tuple[str, ...], said: str) -> None:
        with pytest.raises(BadInput, match=said):
            read(*parts)

    @pytest.mark.parametrize(
        "columns",
        [
            Columns({}, {"size": "7"}),
            Columns({"memory_unit": "GiB"}, {}),
            Columns({"host": "Name"}, {}),
        ],
    )
    def test_a_field_that_is_stated_the_wrong_way_is_refused(
        self, columns: Columns
    ) -> None:
        with pytest.raises(BadInput, match="column of the import"):
            read(*WHOLE, columns=columns)


def table(*rows: dict[str, str]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


MODULE_TABLE = table(
    *(
        {
            "Device": f"db{of}",
            "Module Bay": f"Bay {at}",
            "Manufacturer": "ACME",
            "Module Type": "RDIMM 64" if at < 16 else "PM9A3",
            "Status": "Active",
            "Serial number": "",
        }
        for of in (1, 2)
        for at in range(20)
    )
)
TYPE_TABLE = table(
    {
        "Module Type": "RDIMM 64",
        "Profile": "Memory",
        "Manufacturer": "ACME",
        "Part number": "PN-1",
        "Attributes": "Memory class: DDR5<br />Size (GB): 64<br />ECC: True",
    },
    {
        "Module Type": "PM9A3",
        "Profile": "Hard disk",
        "Manufacturer": "ACME",
        "Part number": "PN-2",
        "Attributes": "Disk type: NVME\nSize (GB): 7680",
    },
)


class TestTables:
    def folder(self, tmp_path: Path, **files: str) -> Path:
        made = tmp_path / "export"
        made.mkdir()
        for name, text in files.items():
            (made / f"{name}.csv").write_text(text)
        return made

    def test_modules_and_their_types_are_what_the_answers_are(
        self, tmp_path: Path
    ) -> None:
        folder = self.folder(tmp_path, modules=MODULE_TABLE, types=TYPE_TABLE)
        found = inventories.read_inventory(str(folder), None, GIB_MEMORY)
        [group], [by_answers] = found.machines, read(*WHOLE).machines
        assert found.imported.format == "netbox"
        for name in ("count", "hosts", "ram_bytes", "free_slots"):
            assert group[name] == by_answers[name], name
        assert group["modules"][0]["has_ecc"] is True
        [drive] = group["drives"]
        assert (drive["model"], drive["kind"], drive["size_bytes"]) == (
            "PM9A3",
            "nvme",
            7680 * GB,
        )

    def test_the_same_as_an_archive(self, tmp_path: Path) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("modules.csv", MODULE_TABLE)
            archive.writestr("types.csv", TYPE_TABLE)
        packed.seek(0)
        found = inventories.read_stream(packed, "given", "given", None, GIB_MEMORY)
        folder = self.folder(tmp_path, modules=MODULE_TABLE, types=TYPE_TABLE)
        whole = inventories.read_inventory(str(folder), None, GIB_MEMORY)
        assert found.machines == whole.machines

    def test_modules_alone_state_no_size(self) -> None:
        found = read(MODULE_TABLE, columns=Columns())
        assert found.imported.format == "netbox"
        assert reasons(found)["line 2"] == "its module type `RDIMM 64` was not saved"

    def test_a_custom_field_is_a_column(self) -> None:
        items = table(
            {
                "Name": "Disk 0",
                "Device": "db1",
                "Role": "Hard disk",
                "Part ID": "P-1",
                "Capacity": "3.84 TB",
            }
        )
        stream = io.BytesIO(items.encode())
        stated = Columns({"size": "Capacity"}, {})
        found = inventories.read_stream(stream, "given", "given", None, stated)
        assert found.imported.format == "netbox"
        assert found.machines[0]["drives"][0]["size_bytes"] == 3840 * GB

    def test_a_line_with_other_cells_is_left_out_alone(self) -> None:
        broken = MODULE_TABLE + "db1,Bay 99\n"
        found = read(broken, columns=Columns())
        assert reasons(found)["line 42"] == "the line has 2 cells, the header 6"

    def test_a_table_of_another_system_stays_one(self) -> None:
        other = "Device,Module Type,RAM\ndb1,x,64 GiB\n"
        stated = Columns({"host": "Device", "ram": "RAM"}, {})
        found = read(other, columns=stated)
        assert found.imported.format == "csv"

    def test_a_table_that_is_none_of_them_is_refused(self) -> None:
        with pytest.raises(BadInput, match="neither an answer of NetBox"):
            inventories.read_stream(
                io.BytesIO(b"a,b\n1,2\n"), "given", "given", "netbox"
            )


MACHINES = st.dictionaries(
    st.integers(1, 50),
    st.tuples(
        st.lists(st.sampled_from([16, 32, 64, 128]), max_size=4),
        st.lists(st.sampled_from([960, 3840, 7680]), max_size=4),
    ).filter(any),
    min_size=1,
    max_size=6,
)


@given(truth=MACHINES, is_table=st.booleans())
def test_generated_devices_come_back_as_they_were(
    truth: dict[int, tuple[list[int], list[int]]], is_table: bool
) -> None:
    """A list of what each device holds, written as answers or as tables, against what is read."""
    sizes = {
        kind: sorted({size for one in truth.values() for size in one[at]})
        for at, kind in enumerate(("Memory", "Hard disk"))
    }
    held = [
        (of, kind, size)
        for of, one in truth.items()
        for kind, pieces in zip(("Memory", "Hard disk"), one, strict=True)
        for size in pieces
    ]
    if is_table:
        modules = table(
            *(
                {"Device": f"db{of}", "Module Type": f"{kind} {size}"}
                for of, kind, size in held
            )
        )
        types = table(
            *(
                {
                    "Module Type": f"{kind} {size}",
                    "Profile": kind,
                    "Attributes": f"Size (GB): {size}",
                }
                for kind, each in sizes.items()
                for size in each
            )
        )
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("modules.csv", modules)
            archive.writestr("types.csv", types)
        packed.seek(0)
        found = inventories.read_stream(packed, "g", "g", "netbox", GIB_MEMORY)
    else:
        numbers = {
            (kind, size): 10 * at + place
            for at, (kind, each) in enumerate(sizes.items(), 1)
            for place, size in enumerate(each)
        }
        found = read(
            page(
                "modules",
                *(
                    module(at, of, numbers[kind, size])
                    for at, (of, kind, size) in enumerate(held)
                ),
            ),
            page(
                "module-types",
                *(
                    kind_of(
                        at,
                        f"{kind} {size}",
                        (1 if kind == "Memory" else 2, kind),
                        {"size": size},
                    )
                    for (kind, size), at in numbers.items()
                ),
            ),
            PROFILES,
        )
    machines = {
        host: (
            sorted(
                each["size_bytes"] // GIB
                for each in group["modules"]
                for _ in range(each["count_per_machine"])
            ),
            sorted(
                each["size_bytes"] // GB
                for each in group["drives"]
                for _ in range(each["count_per_machine"])
            ),
        )
        for group in found.machines
        for host in group["hosts"]
    }
    assert machines == {
        f"db{of}": (sorted(memory), sorted(drives))
        for of, (memory, drives) in truth.items()
    }
    assert found.imported.skipped == ()


def test_the_command_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "netbox.json"
    path.write_text("\n".join(WHOLE))
    options = ("--value", "memory_unit=GiB")
    found = answer("import", "inventory", path, "--as", "netbox", *options)
    assert found["format"] == "netbox"
    assert answer("import", "inventory", path, *options) == found
    mapping, have = tmp_path / "mapping.toml", tmp_path / "have.json"
    mapping.write_text(
        '[[line]]\npart_number = "PM9A3"\n'
        'is = [{ kind = "device", item = "samsung-pm9a3-7.68tb-u2" }]\n'
    )
    answer(
        *("import", "inventory", path, *options),
        *("--mapping", mapping, "--have", have),
    )
    assert json.loads(have.read_text())["ram"] == str(2 * 16 * 64 * GIB)
