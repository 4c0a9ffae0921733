"""The door to the core: one replay for every family, and a trace as one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.simulate.replay import FAMILIES, ONE_TIER, contenders, replay
from tierwright.trace.reading import Reading, Trace, inspect

ROOT = Path(__file__).resolve().parents[2]
TPCB = Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_goes_through_one_door(family: Any) -> None:
    name = contenders(family)[0]["name"]
    flash = 0 if family in ONE_TIER else 2000
    sizes = (500, None if family in ONE_TIER else flash)
    times = ("flash_read", "flash_write", "disk_read", "disk_write")
    options = {f"{each}_us": "100" for each in times} if family == "chooser" else None
    assert replay(TPCB, family, name, 500, flash, options=options) == _simulator.replay(
        str(TPCB.path), family, name, *sizes, options=options
    )


def test_the_core_itself_refuses_sizes_that_a_family_does_not_have() -> None:
    path = str(TPCB.path)
    with pytest.raises(_simulator.ParameterError, match="caches in RAM only"):
        _simulator.replay(path, "policy", "lru", 500, 2000)
    with pytest.raises(_simulator.ParameterError, match="also caches on flash"):
        _simulator.replay(path, "scheme", "lazy", 500)
    for asked in (
        _simulator.contenders,
        lambda it: _simulator.replay(path, it, "x", 1),
    ):
        with pytest.raises(_simulator.ParameterError, match="is unknown") as raised:
            asked("disk")
        assert "policy, buffer, scheme, chooser, flash_cache" in raised.value.args[1]


def test_flash_is_refused_where_there_is_none_and_so_is_an_unknown_family() -> None:
    with pytest.raises(BadInput, match="a policy of RAM alone"):
        replay(TPCB, "policy", "lru", 500, 2000)
    unknown: Any = "disk"
    with pytest.raises(BadInput, match="`disk` is unknown"):
        replay(TPCB, unknown, "lru", 500)
    with pytest.raises(_simulator.ParameterError, match="`eager`"):
        replay(TPCB, "scheme", "eager", 500, 2000)


def test_a_trace_is_made_of_the_document_that_describes_it(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("ts,op,page\n1,R,5\n2,W,x\n3,R,6\n", "ascii")
    trace = Trace(
        path,
        format="csv",
        page_bytes=8192,
        columns={"time": "ts", "time_unit": "s", "op": "op", "page": "page"},
        reading=Reading(skip_bad_records=1),
    )
    document = {"path": str(path), **trace.arguments()}
    assert Trace.of(document).arguments() == trace.arguments()
    assert inspect(Trace.of(document))["accesses"] == 2
    with pytest.raises(BadInput, match="`skip_bad` is unknown"):
        Trace.of({**document, "skip_bad": 1})
