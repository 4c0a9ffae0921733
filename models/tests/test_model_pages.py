"""Pages of the models: worked numbers run, exported names are on their page."""

import doctest
from pathlib import Path
from types import ModuleType

import pytest

from tierwright import (
    break_even,
    economics,
    endurance,
    fio,
    fragment_study,
    metadata,
    recovery,
    sce,
    tier_costs,
)

PAGES = Path(__file__).resolve().parents[2] / "docs" / "models"


@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("break-even.md", 25),
        ("endurance.md", 10),
        ("metadata.md", 8),
        ("recovery.md", 10),
        ("sce.md", 10),
        ("steady-state.md", 9),
        ("economics.md", 12),
    ],
)
def test_worked_numbers(page: str, examples: int) -> None:
    result = doctest.testfile(str(PAGES / page), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= examples


@pytest.mark.parametrize(
    ("page", "module", "names"),
    [
        ("break-even.md", break_even, break_even.__all__),
        ("endurance.md", endurance, endurance.__all__),
        ("recovery.md", recovery, recovery.__all__),
        (
            "metadata.md",
            metadata,
            ["charge", "preset", "memory_ratio", "block_metadata"],
        ),
        (
            "sce.md",
            sce,
            ["threads", "clock", "fragment_trade", "write_policies", "FragmentBitmap"],
        ),
        ("sce.md", fragment_study, ["fragment_study"]),
        ("economics.md", economics, ["tier_cost", "system_cost", "tier_price"]),
        ("economics.md", tier_costs, ["compare_tiers"]),
        ("economics.md", fio, ["import_fio"]),
    ],
)
def test_functions_are_on_their_page(
    page: str, module: ModuleType, names: list[str]
) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    functions = [name for name in names if name.islower()]
    assert all(hasattr(module, name) for name in names)
    absent = [name for name in functions if name not in text]
    assert absent in ([], ["read_smart"])  # `device health` reads the file


def test_every_preset_is_in_the_table() -> None:
    text = (PAGES / "metadata.md").read_text(encoding="utf-8")
    for name in metadata.PRESETS:
        assert f"| `{name}` |" in text
