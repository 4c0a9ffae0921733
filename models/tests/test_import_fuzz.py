"""Damaged files of every reader of imports: an answer or `BadInput`, no network, no growth of memory.

A few of each in every run; 100,000 of each in the long one.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from test_import_focus import ROW, table
from test_import_google import SAMPLE as SKU
from test_import_inventory import DMIDECODE, LSBLK, NVME_NEW, NVME_OLD, smart
from test_import_netbox import GIB_MEMORY, MODULE_TABLE, module, page
from test_import_netbox import WHOLE as NETBOX
from test_import_prices import F16S, SAMPLE, as_csv, azure
from test_import_redfish import WHOLE, members_of, zipped

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import inventories, redfish
from tierwright.hardware.imports.columns import Columns
from tierwright.hardware.imports.host.inventory import read_stream
from tierwright.hardware.imports.readers import PRICES, QUOTES, read_rows

HERE = Path(__file__).parent
FEW, MANY = 40, 100_000
_MOST_GROWTH_KIB = 64 * 1024
QUOTE = {
    "format": "tierwright-quotes",
    "version": 1,
    "quotes": [
        {
            "quote_id": "Q",
            "currency": "EUR",
            "lines": [{"quantity": 4, "unit": "EA", "price": 9.5, "part_number": "P"}],
        }
    ],
}
QUOTE_CSV = b"quote_id,currency,quantity,unit,price,price_per\nQ,EUR,4,EA,9.50,100\n"
OCI = (
    b"NEW_ITEM-DESCRIPTION%5B1%5D=a&NEW_ITEM-QUANTITY%5B1%5D=100.000&NEW_ITEM-UNIT%5B1%5D=PCE"
    b"&NEW_ITEM-PRICE%5B1%5D=10.000&NEW_ITEM-PRICEUNIT%5B1%5D=100&NEW_ITEM-CURRENCY%5B1%5D=EUR"
)
CXML = (
    b'<cXML><Message><PunchOutOrderMessage><PunchOutOrderMessageHeader operationAllowed="edit"><Total>'
    b'<Money currency="USD">250.00</Money></Total></PunchOutOrderMessageHeader><ItemIn quantity="1"><ItemID>'
    b'<SupplierPartID>P</SupplierPartID></ItemID><ItemDetail><UnitPrice><Money currency="USD">250.00</Money>'
    b"</UnitPrice><UnitOfMeasure>EA</UnitOfMeasure></ItemDetail></ItemIn></PunchOutOrderMessage></Message></cXML>"
)
HOSTILE = [
    *(
        b"9" * 400,
        b"\x00",
        b'"',
        b"{",
        b"[",
        b"\\ud800",
        b"1e999",
        b"-1",
        b"NaN",
        b"null",
    ),
    *(
        b"\xff",
        b",",
        b"\n",
        b"&",
        b"<",
        b"<!ENTITY a 'b'>",
        b"%5B",
        b"GB",
        b"0.",
        b"1,116",
    ),
]


def quotes(name: str) -> Callable[[bytes], Any]:
    return lambda content: read_rows(
        io.BytesIO(content), "given", QUOTES, lambda _: None, name=name
    )


def prices(name: str) -> Callable[[bytes], Any]:
    return lambda content: read_rows(
        io.BytesIO(content), "given", PRICES, lambda _: None, name=name
    )


def joined(*parts: Any) -> bytes:
    return "\n".join(
        each if isinstance(each, str) else json.dumps(each) for each in parts
    ).encode()


PRICE_CSV = (
    b"sku,name,region,date,currency,price,price_per,unit,kind,item\n"
    b"S-1,drive,r1,2026-10-01,USD,980.00,1,EA,,\nS-2,store,r1,2026-10-01,EUR,0.08,,GiB-Months,,\n"
)

MACHINES = (
    b"host,module,modules,slots,bays,drive,drives,drive_size,drive_kind,life_left_percent\n"
    b"db1,64 GiB,16,32,10,A,4,7.68 TB,nvme,93\ndb2,64 GiB,2,4,4,B,1,1 TiB,hdd,\n"
)

CMDB = b"Name;RAM (MB);Disk model;Disks;Disk space (GB)\ndb1;1048576;A;4;7680\ndb2;524288;B;2;3840\n"
OF_CMDB = Columns(
    {
        "host": "Name",
        "ram": "RAM (MB)",
        "drive": "Disk model",
        "drives": "Disks",
        "drive_size": "Disk space (GB)",
    },
    {"memory_unit": "MiB", "drive_unit": "GB", "drive_kind": "nvme"},
)
OFFERS = b"Artikel,Menge,Preis (netto),Bemerkung\nP-1,4,980.00,x\nP-2,100,0.10,\n"
OF_OFFERS = Columns(
    {"part_number": "Artikel", "quantity": "Menge", "price": "Preis (netto)"},
    {"quote_id": "Q-17", "currency": "EUR", "unit": "EA"},
)
FEW_OF_NETBOX = joined(
    NETBOX[0], page("modules", module(1, 1, 1), module(2, 1, 2)), *NETBOX[2:]
)
"""Without its long list of modules."""

READERS: dict[str, tuple[Callable[[bytes], Any], list[bytes]]] = {
    "csv": (quotes("csv"), [QUOTE_CSV]),
    "json": (quotes("json"), [json.dumps(QUOTE).encode()]),
    "oci": (quotes("oci"), [OCI]),
    "cxml": (quotes("cxml"), [CXML]),
    "aws": (prices("aws"), [json.dumps(SAMPLE).encode(), as_csv(SAMPLE)]),
    "csv of prices": (prices("csv"), [PRICE_CSV]),
    "azure": (prices("azure"), [azure(F16S, F16S)]),
    "google": (prices("google"), [json.dumps({"skus": [SKU, SKU]}).encode()]),
    "focus": (prices("focus"), [table(ROW, ROW)]),
    "host": (
        lambda content: read_stream(io.BytesIO(content), "given", "db1"),
        [joined(LSBLK, DMIDECODE, NVME_OLD, smart()), joined(LSBLK, NVME_NEW)],
    ),
    "csv of machines": (
        lambda content: inventories.read_stream(
            io.BytesIO(content), "given", "db1", "csv"
        ),
        [MACHINES],
    ),
    "csv of quotes by a mapping": (
        lambda content: read_rows(
            io.BytesIO(content), "given", QUOTES, lambda _: None, columns=OF_OFFERS
        ),
        [OFFERS],
    ),
    "csv of machines by a mapping": (
        lambda content: inventories.read_stream(
            io.BytesIO(content), "given", "db1", "csv", OF_CMDB
        ),
        [CMDB],
    ),
    "netbox": (
        lambda content: inventories.read_stream(
            io.BytesIO(content), "given", "db1", "netbox", GIB_MEMORY
        ),
        [FEW_OF_NETBOX, MODULE_TABLE[:600].rpartition("\n")[0].encode()],
    ),
    "redfish": (
        lambda content: redfish.read_stream(io.BytesIO(content), "given"),
        [joined(*WHOLE)],
    ),
    "archive": (
        lambda content: inventories.read_stream(io.BytesIO(content), "given", "db1"),
        [zipped(members_of(WHOLE))],
    ),
}


def damaged(whole: bytes, chance: random.Random) -> bytes:
    content = bytearray(whole)
    if chance.random() < 0.2:
        # A digit or letter for another one: what the format allows most often.
        at = chance.randrange(len(content))
        if chr(content[at]).isalnum():
            content[at] = ord("7") if chr(content[at]).isdecimal() else ord("x")
            return bytes(content)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(content) + 1)
        until = at + chance.choice((0, 0, 1, 1, 3, 9, 40))
        content[at:until] = (
            chance.choice(HOSTILE)
            if chance.random() < 0.5
            else chance.randbytes(chance.randint(0, 4))
        )
    return bytes(content)


def resident_kib() -> int:
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])  # type: ignore[index]


def fuzz(name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("an import opened the network")

    monkeypatch.setattr(socket, "socket", refuse)
    read, samples = READERS[name]
    for sample in samples:
        read(sample)
    chance = random.Random(f"{name} 19")
    before = 0
    read_whole = 0
    for at in range(count):
        content = damaged(chance.choice(samples), chance)
        with contextlib.suppress(BadInput):
            read(content)
            read_whole += 1
        if at == count // 10:
            before = resident_kib()
    # Neither all are refused at once, which would test the first check alone, nor none.
    assert 0 < read_whole < count
    assert resident_kib() - before < _MOST_GROWTH_KIB


def test_every_reader_is_among_them() -> None:
    assert set(READERS) == {
        *QUOTES,
        *PRICES,
        *inventories.FORMATS,
        "archive",
        "csv of quotes by a mapping",
        "csv of machines by a mapping",
        "csv of prices",
        "csv of machines",
    }


@pytest.mark.parametrize("name", READERS)
def test_a_few_damaged_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fuzz(name, FEW, monkeypatch)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", READERS)
def test_a_hundred_thousand_damaged_files(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fuzz(name, MANY, monkeypatch)
