"""Whatever a user's file holds, the answer is a result or `BadInput` with a hint.

Valid documents are changed: values replaced by hostile ones, keys dropped, renamed and moved, text
cut and spliced. `make fuzz` runs many more examples than the default suite.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierwright.catalogue.vectors import conformance
from tierwright.common.documents import read_toml
from tierwright.common.errors import BadInput
from tierwright.common.units import parse_bytes
from tierwright.hardware.catalog import device_or_file
from tierwright.hardware.device import device_from_mapping
from tierwright.hardware.facts import fixtures_folder
from tierwright.hardware.fio import import_fio, read_fio
from tierwright.hardware.prices import price_book_from_mapping
from tierwright.hardware.smart import read_smart, smart_from_mapping
from tierwright.profile.document import profile_from_mapping, read_profile
from tierwright.simulate.transactions import parse_events
from tierwright.trace.tokens import parse_tokens

MANY = int(os.environ.get("TIERWRIGHT_FUZZ_EXAMPLES", "0"))
FEW = settings(
    max_examples=MANY or 25,
    derandomize=not MANY,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**53 + 1, 2**63, 2**64, 10**400]),
    st.floats(),
    st.sampled_from(["1e400", "-1e400", "1e-400", "1e999999", "NaN", "Infinity"]).map(
        Decimal
    ),
    st.text(max_size=12),
    st.sampled_from(
        ["", "\x00", "\ud800", "x" * 5000, "2024-13-45", "1e999", "-1", "ssd"]
    ),
    # Made anew each time: what is drawn is changed in its turn.
    st.builds(list),
    st.builds(dict),
    st.builds(lambda: [[[[]]]]),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


@st.composite
def changed(draw: st.DrawFn, documents: list[Any]) -> Any:
    """Draw a valid document with some places changed."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 3))):
        root = {"": document}
        holder: Any = root
        key: Any = ""
        while (
            isinstance(holder[key], dict | list)
            and holder[key]
            and draw(st.integers(0, 5))
        ):
            holder = holder[key]
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            key = draw(st.sampled_from(keys))
        match draw(st.integers(0, 4)) if holder is not root else 0:
            case 0 | 1:
                holder[key] = draw(HOSTILE)
            case 2:
                del holder[key]
            case 3 if isinstance(holder, dict):
                holder[draw(st.text(max_size=8))] = holder[key]
            case _:
                holder[key] = [holder[key]] * draw(st.integers(0, 3))
        document = root[""]
    return document


def answer(read: Callable[[], object]) -> None:
    """Call something that must return or refuse."""
    refusal = None
    try:
        read()
    except BadInput as error:
        refusal = error
    if refusal is not None:
        assert refusal.message
        assert refusal.hint or refusal.problems
        assert len(str(refusal)) < 200_000


def fixture(folder: str, count: int) -> list[Any]:
    paths = sorted((fixtures_folder() / folder).glob("*.toml"))
    return [
        read_toml(path, path.name, "") for path in paths[:: len(paths) // count or 1]
    ]


PROFILE = {
    "schema_version": 1,
    "accesses": 100,
    "distinct_pages": 9,
    "write_accesses": 20,
    "page_bytes": 4096,
    "pages": [1, 3, 9],
    "misses": [80, 40, 9],
    "write_backs": [15, 9, 0],
}
TIMES = {"lowest": [1, 4], "highest": [3, 7], "ended": [80, 11], "cut_off": [3, 6]}
STAYS = {"lowest": [0, 8], "highest": [0, 9], "ended": [7, 9], "cut_off": [0, 4]}
WITH_RELATIONS = {
    **{key: PROFILE[key] for key in PROFILE if key not in ("pages", "misses")},
    "curve": {key: PROFILE[key] for key in ("pages", "misses", "write_backs")},
    "relations": [
        {
            "name": None,
            "grows": True,
            "relations": 1,
            "accesses": 100,
            "write_accesses": 20,
            "distinct_pages": 9,
            "reuse": TIMES,
            "stays": STAYS,
        }
    ],
}
SCALED = {
    **WITH_RELATIONS,
    "schema_version": 3,
    "duration_s": 2.0,
    "steady": {"pages": [1, 9, 20], "misses": [80, 9, 2.5], "write_backs": [9, 2, 1]},
    "law": "stretch",
    "factor": 1.5,
    "known_error": {
        "mean": 0.1,
        "worst": 0.2,
        "measured_up_to": 4.0,
        "extrapolated": False,
        "per": "access",
    },
    "production": {"data_bytes": 49152, "accesses_per_s": 50.0, "machines": 2},
    "recorded": {
        "data_bytes": 32768,
        "data_stated": True,
        "distinct_pages": 6,
        "tau_accesses": None,
        "per_unit": False,
        "counts_factor": 1.5,
        "sample_rate": None,
        "new_pages": 0,
    },
}
SMART = {
    "smartctl": {"version": [7, 2], "exit_status": 0},
    "device": {"type": "nvme", "protocol": "NVMe"},
    "model_name": "drive",
    "nvme_smart_health_information_log": {
        "percentage_used": 3,
        "data_units_written": 1000,
        "data_units_read": 2000,
        "power_on_hours": 10,
        "host_writes": 500,
    },
    "user_capacity": {"bytes": 10**12},
}
VECTORS = {
    "schema_version": 1,
    "tolerance": {"relative": 1e-9},
    "vectors": [
        {"id": "a", "function": "units.parse", "inputs": {"x": 1}, "expected": 2}
    ],
}


@FEW
@given(
    changed(fixture("devices", 5)).filter(lambda document: isinstance(document, dict))
)
def test_devices(document: Any) -> None:
    answer(lambda: device_from_mapping(document))


@FEW
@given(
    changed(fixture("prices", 3)).filter(lambda document: isinstance(document, dict))
)
def test_price_books(document: Any) -> None:
    answer(lambda: price_book_from_mapping(document))


@FEW
@given(changed([PROFILE]))
def test_profiles(document: Any) -> None:
    answer(lambda: profile_from_mapping(document))


@FEW
@given(changed([WITH_RELATIONS, SCALED]))
def test_profiles_of_relations_and_of_production(document: Any) -> None:
    answer(lambda: profile_from_mapping(document).to_dict())


def test_those_that_are_changed_were_good() -> None:
    for document in (WITH_RELATIONS, SCALED):
        again = profile_from_mapping(copy.deepcopy(document)).to_dict()
        assert again["relations"] == document["relations"]
        assert again["schema_version"] == document["schema_version"]


@FEW
@given(changed([SMART]))
def test_health_of_drives(document: Any) -> None:
    answer(lambda: smart_from_mapping(document))


@FEW
@given(st.text(max_size=200))
def test_texts(text: str) -> None:
    answer(lambda: parse_tokens(text))
    answer(lambda: parse_events(text))
    answer(lambda: parse_bytes(text))


FILES: dict[str, Callable[[Path], object]] = {
    ".json": read_profile,
    "-smart.json": read_smart,
    "-fio.json": lambda path: import_fio(read_fio(path), identifier="a"),
    "-vectors.json": conformance.run_file,
    "-device.json": lambda path: device_or_file(str(path)),
    "-device.toml": lambda path: device_or_file(str(path)),
}


@pytest.mark.parametrize("ending", FILES)
def test_files(ending: str, tmp_path: Path) -> None:
    read = FILES[ending]
    path = tmp_path / f"file{ending}"
    device = next(iter(sorted((fixtures_folder() / "devices").glob("*.toml"))))
    if ending.endswith(".toml"):
        seeds = [device.read_bytes()]
    else:
        documents = [PROFILE, SMART, VECTORS]
        seeds = [json.dumps(document, indent=1).encode() for document in documents]
        seeds.append(json.dumps(read_toml(device, "", ""), default=float).encode())
    hostile = [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 5000,
        b"\xff\xfe",
        b"\x00",
        b"1e999999999",
        b"NaN",
    ]
    hostile += [
        b"a = " + b"[" * 100_000,
        b"a = " + b"9" * 5000,
        b"a = 1e999999999",
        b"capacity_bytes",
    ]

    @FEW
    @given(st.data())
    def run(data: st.DataObject) -> None:
        content = bytearray(data.draw(st.sampled_from(seeds)))
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content)))
            match data.draw(st.integers(0, 3)):
                case 0:
                    content[at : at + 1] = bytes([data.draw(st.integers(0, 255))])
                case 1:
                    del content[at:]
                case 2:
                    del content[at : at + data.draw(st.integers(1, 30))]
                case _:
                    content[at : at + data.draw(st.integers(0, 9))] = data.draw(
                        st.sampled_from(hostile)
                    )
        path.write_bytes(content)
        answer(lambda: read(path))

    run()
    for whole in hostile:
        path.write_bytes(whole)
        answer(lambda: read(path))


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "1e31", "9" * 5000])
def test_a_number_of_very_many_digits_is_refused_at_once(
    number: str, tmp_path: Path
) -> None:
    path = tmp_path / "device.json"
    text = json.dumps(fixture("devices", 1)[0], default=float)
    name = next(iter(json.loads(text)["figures"]))
    document = json.loads(text)
    document["figures"][name]["value"] = "HERE"
    path.write_text(json.dumps(document).replace('"HERE"', number))
    with pytest.raises(BadInput, match=r"number|must lie between 1e-30 and 1e30"):
        device_or_file(str(path))
