"""The shipped devices and price books, and bad files."""

import csv
import re
import shutil
from decimal import Decimal
from operator import eq, lt
from pathlib import Path

import pytest

from tierwright.common.errors import BadInput
from tierwright.common.shipped import shipped_folder
from tierwright.hardware import catalog, facts
from tierwright.hardware.capabilities import missing_figures
from tierwright.hardware.device import FIGURES, KINDS, OPERATIONS
from tierwright.hardware.prices import MOST_QUARTERS_APART, quarter_of
from tierwright.hardware.service_time import (
    service_basis,
    service_time,
    service_us,
    stated_page_bytes,
)

KNOWN = (
    # id, read IOPS, write IOPS: Koltsidas and Viglas Table 2, FaCE Table 1, FD-Buffer s. 5.1
    ("kv2009-samsung-mcaqe32g5app", 2500, 21),
    ("kv2009-intel-x25m", 12000, 592),
    ("kv2009-intel-x25e", 35000, 3300),
    ("kv2009-fusion-iodrive", 102000, 101000),
    ("face2016-samsung-840pro-256", 65803, 13979),
    ("face2016-intel-p3700-400", 457355, 86949),
    ("face2016-cheetah-15k6-single", 409, 343),
    ("face2016-cheetah-15k6-raid0-16", 5166, 5169),
    ("fdbuffer2011-hdd-160gb-7200", 109, 100),
)


def test_every_shipped_file_is_read() -> None:
    folder = facts.fixtures_folder()
    assert set(catalog.devices()) == {
        path.stem for path in folder.glob("devices/*.toml")
    }
    assert set(catalog.price_books()) == {
        path.stem for path in folder.glob("prices/*.toml")
    }
    assert len(catalog.devices()) == 122
    assert len(catalog.price_books()) >= 10


@pytest.mark.parametrize(("identifier", "read_iops", "write_iops"), KNOWN)
def test_published_rates(identifier: str, read_iops: int, write_iops: int) -> None:
    device = catalog.device(identifier)
    assert device.number("read_iops") == read_iops
    assert device.number("write_iops") == write_iops
    assert service_us(device, "read", stated_page_bytes(device)) == pytest.approx(
        1e6 / read_iops, rel=1e-12
    )


def test_every_figure_has_a_source_and_no_figure_is_invented_by_unit() -> None:
    for device in catalog.devices().values():
        for name, figure in device.figures.items():
            assert figure.source.strip(), (device.id, name)
            assert figure.unit in FIGURES[name][0], (device.id, name)
        assert set(missing_figures(device)) <= {
            "read service time",
            "write service time",
            "price",
        }


def test_every_hard_disk_can_be_used() -> None:
    disks = [d for d in catalog.devices().values() if d.kind in ("hdd", "hdd_array")]
    assert len(disks) >= 17
    for disk in disks:
        for operation in OPERATIONS:
            assert service_us(disk, operation, 4096) is not None, disk.id


def test_ratings_of_a_queue_are_not_taken_for_one_request_at_a_time() -> None:
    # 304 reads a second are those of 16 requests in flight over two actuators.
    for name in ("seagate-exos-2x18-18tb", "seagate-exos-2x14-14tb"):
        disk = catalog.device(name)
        assert disk.number("read_iops") == 304
        rate = disk.number("sequential_read_mb_per_s")
        assert rate is not None
        read, write = (service_time(disk, each, 4096) for each in OPERATIONS)
        assert read.time_us == pytest.approx((7.4 + 4.16) * 1000 + 4096 / rate)
        assert write.time_us == pytest.approx((8.2 + 4.16) * 1000 + 4096 / rate)
        assert read.basis.startswith(
            "seek 7.4 ms + half a rotation 4.16 ms (queue depth 1; seek assumed) + 4 KiB"
        )
    # The paper's rate is kept: its figures are made of it; no disk positions so fast.
    cheetah = catalog.device("face2016-cheetah-15k6-single")
    assert "several: no disk positions that fast" in service_basis(cheetah, 4096)
    near_one = catalog.device("fdbuffer2011-hdd-160gb-7200")
    assert service_time(near_one, "read", 8192).basis == (
        "1/IOPS at 8 KiB (109/s, queue depth unknown), 9.17 ms, with its transfer"
    )


def test_an_assumed_figure_is_that_of_the_disk_it_names() -> None:
    found = 0
    for device in catalog.devices().values():
        for name in device.assumed:
            figure = device.figures[name]
            named = re.match(r"class figure of `([^`]+)`", figure.source)
            assert named is not None, (device.id, name)
            origin = catalog.device(named[1]).figures[name]
            assert not origin.assumed
            assert (origin.value, origin.unit) == (figure.value, figure.unit)
            assert figure.note, (device.id, name)
            found += 1
    assert found >= 20


def test_profiles_of_one_product_state_it() -> None:
    devices = catalog.devices()
    products: dict[str, set[str]] = {}
    alike: dict[tuple[str, int | None], set[str]] = {}
    for device in devices.values():
        products.setdefault(device.bought_as, set()).add(device.id)
        # Behind the name stands what tells the profiles of it apart.
        named = device.name.partition(" (")[0].casefold()
        alike.setdefault((named, device.capacity_bytes), set()).add(device.id)
    for same in alike.values():
        assert len({devices[name].bought_as for name in same}) == 1, same
    several = {name: ids for name, ids in products.items() if len(ids) > 1}
    assert several == {
        "wd-sn850x-2tb": {"wd-sn850x-2tb-2026-05", "wd-sn850x-2tb-2026-06"},
        "optane-p4800x-375gb": {"optane-p4800x-375gb", "optane-p4800x-375gb-qd1"},
        "intel-p3700-800gb": {"intel-p3700-800gb-qd1", "intel-p3700-800gb-qd16"},
        "seagate-cheetah-15k6-147gb": {
            "face2016-cheetah-15k6-single",
            "seagate-cheetah-15k6-147gb-manual",
        },
        "aws-s3-express-1z": {"aws-s3-express-1z", "aws-s3-express-1z-2023"},
        "aws-i4i.4xlarge-local": {"aws-i4i.4xlarge-local", "aws-i4i.4xlarge-scylla"},
    }
    for name, ids in several.items():
        assert len({(devices[i].kind, devices[i].sold_as) for i in ids}) == 1, name
        assert len({devices[i].capacity_bytes for i in ids}) == 1, name
    # Whatever states a product that no other profile is of says nothing by it.
    stated = {each.product for each in devices.values() if each.product}
    assert stated == set(several)


def test_instances_are_marked() -> None:
    marked = {d.id for d in catalog.devices().values() if d.sold_as == "instance"}
    assert marked == {
        "aws-i3en.24xlarge-local",
        "aws-i4i.16xlarge-local",
        "aws-i4i.4xlarge-local",
        "aws-i4i.4xlarge-scylla",
        "aws-i4i.large-local",
        "aws-i7i.4xlarge-local",
        "aws-i7ie.3xlarge-local",
        "azure-l2s-v4-local",
        "gcp-z3-highlssd-8",
    }


def test_every_kind_of_tier_can_be_evaluated() -> None:
    complete = [
        device
        for device in catalog.devices().values()
        if all(service_us(device, each, 4096) is not None for each in OPERATIONS)
    ]
    kinds = {device.kind for device in complete}
    assert {"nvme", "sata_ssd", "hdd", "hdd_array", "cloud_block", "nand"} <= kinds


def test_prices_name_devices_and_kinds_that_exist() -> None:
    devices = catalog.devices()
    for book in catalog.price_books().values():
        assert book.id.endswith(book.date.lower()), book.id
        for price in book.prices:
            assert price.source.strip()
            assert price.device_id is None or price.device_id in devices
            assert price.kind is None or price.kind in KINDS


def test_purchases_of_the_default_book_are_at_most_two_quarters_old() -> None:
    book = catalog.default_price_book()
    assert book is not None
    assert book.id.startswith("street-")
    assert not book.retired
    streets = [b for b in catalog.price_books().values() if b.id.startswith("street-")]
    assert book.date == max((b.date for b in streets), key=quarter_of)
    for price in book.prices:
        assert not price.rent
        assert price.date is not None, price
        age = quarter_of(book.date) - quarter_of(price.date)
        assert 0 <= age <= MOST_QUARTERS_APART == 2, price
    # Every kind that is bought has a price, or the reason why it has none.
    priced = {price.kind for price in book.prices}
    for kind in ("dram", "cxl", "pmem", "nvme", "sata_ssd", "hdd", "hdd_array"):
        assert (kind in priced) != (kind in book.absent), kind


def test_prices_of_the_newest_book_differ_by_drive() -> None:
    book = catalog.price_book("street-2026-q3")

    def per_gb(identifier: str) -> float:
        price = book.find(device_id=identifier, kind=catalog.device(identifier).kind)
        assert price is not None
        return float(price.usd_per_gb)

    assert per_gb("samsung-pm9a3-7.68tb-u2") == pytest.approx(22600 / 30000)
    assert per_gb("solidigm-d5-p5336-61.44tb") == pytest.approx(16245.78 / 61440)
    assert per_gb("solidigm-d7-p5810-800gb") == pytest.approx(2655.68 / 800)
    assert per_gb("seagate-exos-x24-24tb") == 960 / 24000
    assert book.find(device_id="intel-s4500-7.68tb", kind="sata_ssd") is None


def test_books_on_a_withdrawn_figure_are_retired_and_still_there() -> None:
    retired = {b.id for b in catalog.price_books().values() if b.retired}
    assert retired == {"street-2025-q4", "street-2026-q1"}
    for book in catalog.price_books().values():
        withdrawn = any(
            price.kind == "nvme" and price.usd == Decimal("0.365")
            for price in book.prices
        )
        assert withdrawn == bool(book.retired), book.id


def test_memory_prices_are_per_gib() -> None:
    # 64 GB RDIMM at 450 USD in the fourth quarter of 2025; the module holds 2^36 bytes.
    price = catalog.price_book("street-2025-q4").find(device_id=None, kind="dram")
    assert price is not None
    assert float(price.usd_per_month(2**36, 36)) == 12.5


def test_an_unknown_id_offers_near_ones() -> None:
    with pytest.raises(BadInput) as caught:
        catalog.device("intel-x25e")
    assert caught.value.message == "there is no device `intel-x25e`"
    assert "`kv2009-intel-x25e`" in caught.value.hint
    with pytest.raises(BadInput, match="there is no price book `zzz`"):
        catalog.price_book("zzz")


@pytest.fixture
def own_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "devices").mkdir()
    (tmp_path / "prices").mkdir()
    monkeypatch.setenv(facts.FIXTURES_VARIABLE, str(tmp_path))
    return tmp_path


def test_another_folder_can_be_named(own_fixtures: Path) -> None:
    source = shipped_folder() / "fixtures"
    name = "kv2009-intel-x25e.toml"
    shutil.copy(source / "devices" / name, own_fixtures / "devices" / name)
    assert list(catalog.devices()) == ["kv2009-intel-x25e"]
    assert list(catalog.price_books()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id = ", "devices/a.toml: not a valid TOML file: Invalid value"),
        (
            'id = "b"\nname = "B"\nkind = "hdd"\n',
            "devices/a.toml: id: `b` differs from the file's name",
        ),
        (
            'id = "a"\nname = "A"\nkind = "hdd"\n[figures.read_iops]\nvalue = -1\n'
            'unit = "1/s"\nsource = "x"\n',
            "devices/a.toml: figures.read_iops.value: `-1` must be positive",
        ),
        (
            'id = "a"\nname = "A"\nkind = "hdd"\ncolor = "red"\n',
            "devices/a.toml: color: unknown key",
        ),
    ],
)
def test_a_bad_file_is_named(own_fixtures: Path, text: str, message: str) -> None:
    (own_fixtures / "devices" / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        catalog.devices()
    assert caught.value.message.startswith(message)


def test_two_default_books_are_refused(own_fixtures: Path) -> None:
    for name in "ab":
        (own_fixtures / "prices" / f"{name}.toml").write_text(
            f'id = "{name}"\nname = "B"\ndate = "2026"\ndefault = true\n',
            encoding="utf-8",
        )
    with pytest.raises(BadInput, match="prices: default: a and b are both the default"):
        catalog.price_books()


def test_a_folder_without_facts_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(facts.FIXTURES_VARIABLE, str(tmp_path))
    with pytest.raises(BadInput) as caught:
        catalog.devices()
    assert "does not hold `devices` and `prices`" in caught.value.message
    assert facts.FIXTURES_VARIABLE in caught.value.hint


# Columns of the table that the files were made from, and the figures they became.
COLUMNS = {
    "page_bytes": "page_bytes",
    "read_iops": "read_iops",
    "write_iops": "write_iops",
    "queue_depth": "queue_depth",
    "read_lat_us": "read_latency_us",
    "write_lat_us": "write_latency_us",
    "seq_read_mbps": "sequential_read_mb_per_s",
    "seq_write_mbps": "sequential_write_mb_per_s",
    "erase_us": "erase_us",
    "waf_4k": "waf_4k",
    "waf_seq": "waf_sequential",
    "dwpd": "dwpd",
    "endurance_years": "endurance_years",
    "tbw": "endurance_tb",
    "active_w": "active_power_w",
    "idle_w": "idle_power_w",
    "price_usd": "price",
    "usd_per_gb": "unit_price",
    "usd_per_gb_month": "unit_rent",
}
ADDED = {
    # The volume's own limit, of another source than its IOPS.
    ("aws-ebs-gp3-max", "sequential_read_mb_per_s"),
    ("aws-ebs-gp3-max", "sequential_write_mb_per_s"),
    # Stated of the same drive, or of it in another row, than where the table has it.
    ("solidigm-d7-p5810-800gb", "dwpd"),
    ("optane-p4800x-375gb-qd1", "dwpd"),
    ("optane-p4800x-375gb-qd1", "endurance_years"),
    ("optane-p4800x-375gb-qd1", "endurance_tb"),
    # Measured by others than who states the rates.
    ("aws-ebs-gp3-baseline", "read_latency_us"),
    ("aws-i4i.4xlarge-local", "read_latency_us"),
    ("aws-i7ie.3xlarge-local", "read_latency_us"),
    *(
        (name, f"{operation}_latency_us")
        for name in ("azure-premium-ssd-v2", "azure-ultra-disk")
        for operation in OPERATIONS
    ),
}
NOT_IN_TABLE = {"aws-ebs-gp2-max", "aws-i7i.4xlarge-local"}
BURSTS = {
    ("aws-ebs-sc1", name)
    for operation in OPERATIONS
    for name in (f"{operation}_iops", f"sequential_{operation}_mb_per_s")
}
"""The table has the rates of bursts on credits; shipped are those that last."""
OTHER_CAPACITY = {
    "sce2014-emlc-pcie-1.8tib",  # the table has 1979.1 GB for the paper's 1.8 TiB
    # The table has the size of the volume that was priced, not the largest.
    "gcp-hyperdisk-extreme-350k",
    "gcp-pd-extreme-100k",
}


def test_no_figure_was_lost_or_changed_on_the_way_from_the_table(
    shared_traces: Path,
) -> None:
    table = shared_traces.parent / "reference" / "devices.csv"
    if not table.is_file():
        pytest.skip("no table of devices beside the recorded traces")
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    points = [row for row in rows if row["id"].startswith("price-")]
    devices = catalog.devices()
    assert len(rows) == len(devices.keys() - NOT_IN_TABLE) + len(points)
    priced = {p.source for b in catalog.price_books().values() for p in b.prices}
    for row in points:
        url = row["source"].split(" ; ")[0]
        assert any(url in source for source in priced), row["id"]
    for row in rows:
        if row in points:
            continue
        figures = devices[row["id"]].figures
        for column, name in COLUMNS.items():
            if row[column]:
                compare = lt if (row["id"], name) in BURSTS else eq
                assert compare(figures[name].value, Decimal(row[column])), (
                    row["id"],
                    column,
                )
            elif (row["id"], name) not in ADDED:
                assert name not in figures, (row["id"], name)
        if row["capacity_gb"] and row["id"] not in OTHER_CAPACITY:
            assert figures["capacity"].value == Decimal(row["capacity_gb"])
        if row["price_date"] and "unit_price" in figures:
            assert figures["unit_price"].date == row["price_date"]


def test_volumes_on_hard_disks_are_not_offered_as_flash() -> None:
    """By their sources: the magnetic volumes of EBS, and the standard persistent disk."""
    spinning = {"aws-ebs-sc1", "aws-ebs-st1", "aws-ebs-standard", "gcp-pd-standard"}
    for name in spinning:
        assert "flash" not in catalog.device(name).roles
    assert "flash" in catalog.device("aws-ebs-gp3-max").roles
    assert "flash" in catalog.device("gcp-pd-ssd").roles
