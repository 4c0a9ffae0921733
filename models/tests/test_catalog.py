"""The shipped devices and price books, and bad files."""

import shutil
from pathlib import Path

import pytest

from tierwright import catalog
from tierwright.device import FIGURES, KINDS
from tierwright.errors import BadInput

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
    folder = catalog.fixtures_folder()
    assert set(catalog.devices()) == {
        path.stem for path in folder.glob("devices/*.toml")
    }
    assert set(catalog.price_books()) == {
        path.stem for path in folder.glob("prices/*.toml")
    }
    assert len(catalog.devices()) == 120
    assert len(catalog.price_books()) >= 10


@pytest.mark.parametrize(("identifier", "read_iops", "write_iops"), KNOWN)
def test_published_rates(identifier: str, read_iops: int, write_iops: int) -> None:
    device = catalog.device(identifier)
    assert device.number("read_iops") == read_iops
    assert device.number("write_iops") == write_iops
    assert device.read_service_us == pytest.approx(1e6 / read_iops, rel=1e-12)


def test_every_figure_has_a_source_and_no_figure_is_invented_by_unit() -> None:
    for device in catalog.devices().values():
        for name, figure in device.figures.items():
            assert figure.source.strip(), (device.id, name)
            assert figure.unit in FIGURES[name][0], (device.id, name)
        assert set(device.missing) <= {
            "read service time",
            "write service time",
            "price",
        }


def test_every_kind_of_tier_can_be_evaluated() -> None:
    complete = [
        device
        for device in catalog.devices().values()
        if device.read_service_us is not None and device.write_service_us is not None
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
    monkeypatch.setenv(catalog.FIXTURES_VARIABLE, str(tmp_path))
    return tmp_path


def test_another_folder_can_be_named(own_fixtures: Path) -> None:
    source = Path(catalog.__file__).parents[3] / "fixtures"
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


def test_a_folder_without_facts_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(catalog.FIXTURES_VARIABLE, str(tmp_path))
    with pytest.raises(BadInput) as caught:
        catalog.devices()
    assert "does not hold `devices` and `prices`" in caught.value.message
    assert catalog.FIXTURES_VARIABLE in caught.value.hint
