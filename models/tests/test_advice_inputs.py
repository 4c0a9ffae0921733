"""What is wrong with a file of an advice names the file, and what has no price names the part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from advice_cases import ask

from tierwright.advise.advice.request import (
    Candidates,
    candidates_from_mapping,
    read_candidates,
    read_have,
)
from tierwright.common.errors import BadInput

HAVE = 'ram = "64GiB"\nusd_per_month = 3\n'
DRIVE = 'disk_device = "solidigm-d7-p5810-800gb"\n'


@pytest.mark.parametrize(
    ("read", "stated", "said"),
    [
        (
            read_candidates,
            'devices = ["optane-p5800x"]',
            "there is no device `optane-p5800x`",
        ),
        (read_candidates, 'kinds = ["boats"]', "kinds:"),
        (read_candidates, "reserved_gib = -1", "reserved_gib:"),
        (read_candidates, "boats = 1", "boats: unknown key"),
        (
            read_have,
            f'{HAVE}disk_device = "optane-p5800x"',
            "there is no device `optane-p5800x`",
        ),
        (
            read_have,
            f"{HAVE}{DRIVE}disks = -2",
            "disks: `-2` must be a whole number from 1 to 100,000",
        ),
        (read_have, f"{HAVE}{DRIVE}boats = 1", "boats: unknown key"),
    ],
)
def test_an_error_names_the_file_that_states_it_once(
    tmp_path: Path, read: Callable[[Path], Any], stated: str, said: str
) -> None:
    path = tmp_path / "asked.toml"
    path.write_text(stated)
    with pytest.raises(BadInput) as refused:
        read(path)
    assert refused.value.message.startswith(f"{path}: {said}")
    assert refused.value.message.count(str(path)) == 1
    assert refused.value.hint


def test_what_no_file_states_is_named_by_its_place() -> None:
    with pytest.raises(BadInput, match=r"^there is no device `optane-p5800x`"):
        candidates_from_mapping({"devices": ["optane-p5800x"]}, "candidates")


def built(*parts: str, **stated: Any) -> Candidates:
    return candidates_from_mapping(
        {"kinds": ["chassis"], "parts": list(parts), **stated}, "candidates"
    )


@pytest.mark.parametrize(
    ("module", "priced", "said"),
    [
        # The price of another chassis helps nothing.
        (
            "dimm-ddr5-rdimm-64gb",
            "chassis-sm-222h-tn",
            "chassis-dell-r760 has no price.",
        ),
        (
            "dimm-ddr5-rdimm-16gb",
            "chassis-dell-r760",
            "dimm-ddr5-rdimm-16gb has no price.",
        ),
        (
            "dimm-ddr5-rdimm-16gb",
            "chassis-sm-222h-tn",
            "chassis-dell-r760 and dimm-ddr5-rdimm-16gb have no price.",
        ),
    ],
)
def test_a_server_that_lacks_a_price_names_its_part(
    module: str, priced: str, said: str
) -> None:
    found = ask(
        candidates=built(
            "chassis-dell-r760",
            module,
            "solidigm-d7-p5810-800gb",
            part_usd={priced: 5000},
        )
    )
    assert found.infeasible is not None
    assert found.infeasible.text.startswith(
        "No option keeps every limit: each lacks a price. The nearest is "
    )
    assert found.infeasible.text.endswith(f": {said}")
    assert found.rejected
    for each in found.rejected:
        assert each.constraint == "price"
        assert each.text.endswith(f": {said}")


def test_electricity_that_is_not_known_is_not_said_to_lack_its_price() -> None:
    found = ask(
        candidates=built(
            "chassis-dell-r760",
            "dimm-ddr5-rdimm-64gb",
            "solidigm-d7-p5810-800gb",
            part_usd={"chassis-dell-r760": 5000},
            usd_per_kwh="0.15",
        )
    )
    assert found.infeasible is not None
    assert found.infeasible.text.endswith(": what electricity it draws is not known.")
    known = ask(
        candidates=built(
            "chassis-dell-r760",
            "dimm-ddr5-rdimm-64gb",
            "solidigm-d7-p5810-800gb",
            part_usd={"chassis-dell-r760": 5000},
            usd_per_kwh="0.15",
            watts=400,
        )
    )
    assert known.recommendation is not None
