"""The shipped servers, volumes, parts and price series, and bad files."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from command import run

from tierwright.common.errors import BadInput
from tierwright.hardware import catalog, facts, parts, price_history, servers, volumes

HOURS = Decimal(730)
FOLDERS: dict[str, Callable[[], Any]] = {
    "servers": servers.servers,
    "volumes": volumes.volumes,
    "parts": parts.parts,
    "price-history": price_history.price_history,
}
COUNTS = {"servers": 94, "volumes": 34, "parts": 42, "price-history": 10}


@pytest.mark.parametrize("name", FOLDERS)
def test_every_shipped_file_is_read(name: str) -> None:
    folder = facts.fixtures_folder() / name
    assert set(FOLDERS[name]()) == {path.stem for path in folder.glob("*.toml")}
    assert len(FOLDERS[name]()) == COUNTS[name]
    assert all(path.stat().st_size < 2_000_000 for path in folder.iterdir())


def test_every_figure_has_source_licence_and_unit() -> None:
    for module, read in (
        (servers, servers.servers),
        (volumes, volumes.volumes),
        (parts, parts.parts),
    ):
        for entry in read().values():  # type: ignore[operator]
            for name, fact in entry.figures.items():
                assert fact.source.strip(), (entry.id, name)
                assert fact.licence.strip(), (entry.id, name)
                assert fact.unit in module.FIGURES[name][0], (entry.id, name)
                assert getattr(entry, name) == fact.value


def test_no_figure_rests_on_the_share_alike_database() -> None:
    for name in FOLDERS:
        for path in (facts.fixtures_folder() / name).glob("*.toml"):
            assert "SpareCores" not in path.read_text("utf-8"), path.name


def test_every_server_and_part_names_what_exists() -> None:
    for part in parts.parts().values():
        assert not part.device or part.device in catalog.devices(), part.id
        assert not part.series or part.series in price_history.price_history()
    for server in servers.servers().values():
        assert server.id.startswith(f"{server.provider}-")
        assert server.usd_per_hour is not None
        assert server.ram_gib is not None
        # A price that implies another order of RAM price needs a person to look at it.
        ram = server.usd_per_hour * HOURS / server.ram_gib
        assert Decimal("1.5") < ram < 30, server.id


def test_how_many_volumes_an_instance_takes_is_stated_or_safe() -> None:
    stated = {
        each.id: each.block_volumes
        for each in servers.servers().values()
        if each.block_volumes is not None
    }
    assert min(stated.values()) > servers.VOLUMES_WHERE_UNSTATED
    assert stated["azure-l2s_v4"] == 8
    assert stated["aws-i7ie.48xlarge"] == 127
    assert stated["gcp-c4-highmem-48-lssd"] == 63
    for server in servers.servers().values():
        assert server.id in stated or server.family in ("c3", "m3", "z3")
        assert server.takes_volumes == stated.get(server.id, 3)
        shared = server.figures.get("block_volumes")
        if shared is not None and "28 attachments" in shared.note:
            # A network interface, the local disks and the volume that it boots from.
            disks = int(server.local_nvme_count or 0)
            assert stated[server.id] == 28 - 1 - disks - 1, server.id


def test_what_is_rented_names_a_device_that_says_how_its_latency_was_found() -> None:
    sold = (*servers.servers().values(), *volumes.volumes().values())
    named = {each.latency_of for each in sold if each.latency_of}
    assert len(named) >= 7
    for name in named:
        figures = catalog.device(name).figures
        assert "read_latency_us" in figures, name
        for key in figures.keys() & {"read_latency_us", "write_latency_us"}:
            note = figures[key].note
            for condition in ("KiB", "transfer size"), ("one at a time", "not stated"):
                assert any(each in note for each in condition), (name, key)
    # A family carries over only to itself, or to what the source says.
    for server in servers.servers().values():
        if server.latency_of:
            assert server.latency_of.startswith(f"{server.provider}-{server.family}.")
            assert server.local_read_iops
            assert server.to_dict()["latency_of"] == server.latency_of
    assert volumes.volume("aws-ebs-st1").latency_of == ""


def test_a_local_disk_is_the_same_as_the_device_whose_rates_it_has() -> None:
    named: dict[str, list[servers.Server]] = {}
    for server in servers.servers().values():
        if server.rates_of:
            named.setdefault(server.rates_of, []).append(server)
            assert server.to_dict()["rates_of"] == server.rates_of
    assert len(named) >= 4
    for name, those in named.items():
        device = catalog.device(name)
        assert {each.family for each in those} == {those[0].family}, name
        [size] = {each.local_nvme_gb_each for each in those}
        stated = device.figures.get("capacity")
        assert stated is None or stated.value == size, name
        for server in those:
            assert server.local_nvme_count
            for operation in ("read", "write"):
                all_of_them = getattr(server, f"local_{operation}_iops")
                own = float(all_of_them / server.local_nvme_count)
                # Some were measured, and those of the provider are rounded.
                assert own == pytest.approx(
                    device.number(f"{operation}_iops"), rel=0.02
                ), (server.id, operation)
                assert device.number(f"sequential_{operation}_mb_per_s"), name


def implied(more: str, less: str) -> Decimal:
    """RAM price implied by two families, USD per GiB-month."""
    a, b = servers.server(more), servers.server(less)
    assert a.vcpu == b.vcpu
    assert None not in (a.usd_per_hour, b.usd_per_hour, a.ram_gib, b.ram_gib)
    usd = (a.usd_per_hour - b.usd_per_hour) * HOURS  # type: ignore[operator]
    return usd / (a.ram_gib - b.ram_gib)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("more", "less", "expected"),
    [
        ("aws-r7i.4xlarge", "aws-m7i.4xlarge", "2.874"),
        ("aws-m7i.4xlarge", "aws-c7i.4xlarge", "2.108"),
        ("aws-r8g.4xlarge", "aws-m8g.4xlarge", "2.560"),
        ("aws-m8g.4xlarge", "aws-c8g.4xlarge", "1.825"),
        ("aws-x8g.4xlarge", "aws-r8g.4xlarge", "3.540"),
        ("aws-x2iedn.4xlarge", "aws-r7i.4xlarge", "4.327"),
    ],
)
def test_the_price_of_ram_that_families_imply(
    more: str, less: str, expected: str
) -> None:
    assert round(implied(more, less), 3) == Decimal(expected)


def per_gb(with_disk: str, without: str) -> Decimal:
    """Price of local flash implied by two families, USD per GB-month."""
    a, b = servers.server(with_disk), servers.server(without)
    assert (a.vcpu, a.ram_gib) == (b.vcpu, b.ram_gib)
    usd = (a.usd_per_hour - b.usd_per_hour) * HOURS  # type: ignore[operator]
    return usd / a.local_nvme_gb  # type: ignore[operator]


@pytest.mark.parametrize(
    ("with_disk", "without", "expected"),
    [
        ("aws-r7gd.4xlarge", "aws-r7g.4xlarge", "0.178"),
        ("aws-r8gd.4xlarge", "aws-r8g.4xlarge", "0.179"),
        ("aws-m8gd.4xlarge", "aws-m8g.4xlarge", "0.157"),
        ("aws-i8g.4xlarge", "aws-r8g.4xlarge", "0.084"),
        ("aws-i7i.4xlarge", "aws-r7i.4xlarge", "0.088"),
    ],
)
def test_the_price_of_local_flash_that_families_imply(
    with_disk: str, without: str, expected: str
) -> None:
    assert round(per_gb(with_disk, without), 3) == Decimal(expected)


def test_bundles_agree_with_the_price_of_the_disks() -> None:
    big = servers.server("gcp-c4-highmem-16-lssd").usd_per_hour
    small = servers.server("gcp-c4-highmem-16").usd_per_hour
    assert big is not None
    assert small is not None
    assert round((big - small) * HOURS / 750, 3) == Decimal("0.160")


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("aws-is4gen.2xlarge", 112),
        ("aws-i3en.3xlarge", 132),
        ("aws-i8ge.3xlarge", 139),
        ("aws-im4gn.4xlarge", 142),
        ("aws-i7ie.3xlarge", 152),
        ("gcp-z3-highmem-88-highlssd", 246),
        ("azure-l96s_v4", 265),
        ("aws-i4i.4xlarge", 267),
        ("aws-r8gd.4xlarge", 903),
    ],
)
def test_whole_machine_per_tb_of_local_flash(identifier: str, expected: int) -> None:
    found = servers.server(identifier)
    assert found.usd_per_hour is not None
    assert found.local_nvme_gb
    assert round(found.usd_per_hour * HOURS * 1000 / found.local_nvme_gb) == expected


def test_what_was_not_found_is_absent() -> None:
    assert servers.server("aws-r8id.4xlarge").block_storage_iops is None
    assert volumes.volume("azure-premium-ssd-v2").usd_per_gib_month is None
    assert volumes.volume("gcp-pd-ssd").max_size_gib is None
    assert parts.part("chassis-dell-r760").price() is None
    assert parts.part("dimm-ddr5-rdimm-256gb").price() is None


def test_a_price_is_the_newest_that_was_paid() -> None:
    module = parts.part("dimm-ddr5-rdimm-64gb")
    assert module.price().usd == 873  # type: ignore[union-attr]
    assert module.price(not_after="2025-Q3").usd == 255  # type: ignore[union-attr]
    assert module.price(price_kind="forecast").usd == 1586  # type: ignore[union-attr]
    assert module.price(price_kind="spot").usd == 700  # type: ignore[union-attr]
    assert module.price(not_after="2020") is None
    # The first figure of the quarter was withdrawn; of two shops the cheaper counts.
    drive = parts.part("nvme-enterprise-tlc-30tb")
    assert drive.price(not_after="2026-Q1").usd == 17500  # type: ignore[union-attr]
    shop = parts.part("solidigm-d5-p5336-61.44tb").price()
    assert shop is not None
    assert shop.usd == Decimal("16245.78")


def test_only_joinable_series_have_a_newest_price() -> None:
    found = price_history.price_history()
    joinable = {name for name, series in found.items() if series.joinable}
    assert joinable == {
        "dram-rdimm-64gb-contract",
        "ssd-enterprise-tlc-30tb-index",
        "hdd-retail-low",
        "ssd-retail-low",
    }
    newest = found["ssd-enterprise-tlc-30tb-index"].newest()
    assert newest is not None
    assert newest.date == "2026-08-11"
    contract = found["dram-rdimm-64gb-contract"].newest()
    assert contract is not None
    assert contract.date == "2026-Q1"  # the forecast of 2026-Q4 has not been paid
    assert found["dram-other"].newest() is None
    assert sum(len(series.points) for series in found.values()) == 82


@pytest.mark.parametrize("name", FOLDERS)
def test_the_command_lists_them(name: str) -> None:
    found = json.loads(run("catalog", name, "--json").stdout)
    assert [entry["id"] for entry in found] == list(FOLDERS[name]())
    assert run("catalog", name).stdout.count("\n") > COUNTS[name]


def test_the_command_filters_and_refuses_unknown_names() -> None:
    found = json.loads(run("catalog", "servers", "--provider", "gcp", "--json").stdout)
    assert {entry["provider"] for entry in found} == {"gcp"}
    refused = run("catalog", "parts", "--kind", "ram")
    assert refused.returncode == 2
    assert "--kind: `ram` is not one of chassis" in refused.stderr


BAD = {
    "figure": ({"figures": {"speed": {}}}, "figures.speed: unknown figure"),
    "unit": (
        {"figures": {"ram_gib": {"value": 1, "unit": "GB", "source": "s"}}},
        "figures.ram_gib.unit: `GB` must be GiB",
    ),
    "licence": (
        {"figures": {"ram_gib": {"value": 1, "unit": "GiB", "source": "s"}}},
        "figures.ram_gib.licence: must be a text",
    ),
    "key": ({"colour": "red"}, "colour: unknown key"),
    "id": ({"id": "A B"}, "id: `A B` must be lower-case"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_key(name: str) -> None:
    change, message = BAD[name]
    good = {
        "id": "x-1",
        "name": "1",
        "provider": "x",
        "family": "f",
        "region": "r",
        "figures": {},
    }
    with pytest.raises(BadInput, match="server: ") as refused:
        servers.server_from_mapping({**good, **change})
    assert message in str(refused.value)
    assert "docs/reference/servers.md" in refused.value.hint


def test_unknown_ids_name_the_nearest() -> None:
    with pytest.raises(BadInput) as refused:
        servers.server("aws-i4i.4xlarg")
    assert "`aws-i4i.4xlarge`" in refused.value.hint
