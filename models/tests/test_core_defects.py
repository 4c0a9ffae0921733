"""What is valid is answered, and where the core itself goes wrong it says so, with its place."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import BuiltinFunctionType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright._simulator import CoreDefect, SimulatorError
from tierwright.cli.app import EXIT_DEFECT, main
from tierwright.common.errors import Defect

RUNS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([1, 2, 300, 4095, 4096, 70_000])),
    min_size=1,
    max_size=4,
)
BASES = st.sampled_from([0, 2**31, 2**32 - 5])


@settings(max_examples=8, deadline=None, derandomize=True)
@given(RUNS, BASES, st.sampled_from(["R", "W", "RW"]), st.integers(0, 1))
def test_any_sequence_converts_profiles_and_replays(
    tmp_path_factory, runs, base, operations, step
) -> None:
    folder = tmp_path_factory.mktemp("trace")
    path, out = folder / "trace.csv", folder / "trace.twt"
    lines = ["time_us,op,rel,block"]
    for page, length in runs:
        lines += [
            f"{at * step},{operations[at % len(operations)]},1,{base + page}"
            for at in range(length)
        ]
    path.write_text("\n".join(lines) + "\n")
    accesses = len(lines) - 1
    pages = len({page for page, _ in runs})
    report = _simulator.convert(path, out)
    assert (report["accesses"], report["distinct_pages"]) == (accesses, pages)
    assert _simulator.inspect(out)["content_id"] == report["content_id"]
    for trace in (path, out):
        curves = _simulator.curves(trace)
        assert curves["misses"][-1] == pages
        assert _simulator.summaries(trace)["accesses"] == accesses
        swept = _simulator.sweep(
            trace,
            [
                {"policy": "lru", "pages": pages},
                {"scheme": "exclusive", "ram_pages": 1, "flash_pages": pages},
            ],
        )
        assert [row["misses"] for row in swept["rows"][:1]] == [pages]
        assert swept["rows"][1]["accesses"] == accesses


def functions() -> list[str]:
    return [
        name
        for name, item in vars(_simulator).items()
        if isinstance(item, BuiltinFunctionType)
    ]


def test_every_function_of_the_core_is_guarded() -> None:
    assert {"convert", "curves", "sweep", "formats", "_panic"} <= set(functions())
    for name in functions():
        function = getattr(_simulator, name)
        # A guarded function is a closure; its signature and text are those of what it guards.
        assert type(function.__self__).__name__ == "PyCapsule", name
        assert function.__name__ == name
        inspect.signature(function)
    assert list(inspect.signature(_simulator.curves).parameters)[:2] == [
        "path",
        "threads",
    ]


def test_a_panic_is_a_defect_that_says_where() -> None:
    with pytest.raises(CoreDefect) as caught:
        _simulator._panic("out of reach")
    message, hint = caught.value.args
    assert "guard.rs:" in message
    assert message.endswith(": out of reach")
    assert hint == Defect.hint
    # Nobody may take it for a fault of the input.
    assert not isinstance(caught.value, SimulatorError)
    # The next call is none the worse for it.
    assert _simulator.formats()


def test_a_command_that_panics_names_the_place(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(
        _simulator, "inspect", lambda *_, **__: _simulator._panic("on purpose")
    )
    path: Path = tmp_path / "trace.csv"
    path.write_text("time_us,op,rel,block\n0,R,1,1\n")
    assert main(["trace", "inspect", str(path)]) == EXIT_DEFECT
    said = capsys.readouterr().err
    assert "guard.rs:" in said
    assert "on purpose" in said
    assert f"hint: {Defect.hint}" in said
