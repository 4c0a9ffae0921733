"""Documents: worked numbers run, reference pages are fresh, nothing lacks a page."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tierwright
from tierwright.catalogue.vectors import conformance
from tierwright.evaluate.page_flow import evaluation, explain, schemes
from tierwright.simulate import replay

ROOT = Path(__file__).resolve().parents[2]
PAGE_FLOW = ROOT / "docs" / "models" / "page-flow.md"
FLASH_CACHES = ROOT / "docs" / "models" / "flash-caches.md"
MODULES = [
    module.name
    for module in pkgutil.walk_packages(tierwright.__path__, "tierwright.")
    if not module.name.endswith("_simulator")
]


def test_worked_numbers_of_the_page_flow_page() -> None:
    result = doctest.testfile(str(PAGE_FLOW), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= 25


def test_worked_numbers_of_the_flash_cache_page() -> None:
    result = doctest.testfile(str(FLASH_CACHES), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= 8


def test_every_flash_cache_and_option_has_its_place() -> None:
    text = FLASH_CACHES.read_text(encoding="utf-8")
    reference = (ROOT / "docs" / "reference" / "flash-caches.md").read_text("utf-8")
    for cache in replay.contenders("flash_cache"):
        assert cache["title"].split(" (")[0] in text
        for option in cache["options"]:
            assert f"| `{option['name']}` |" in reference


def test_the_stated_errors_cover_the_generated_gaps() -> None:
    """Whoever runs `make gaps` and finds larger ones has to widen what the model states."""
    page = PAGE_FLOW.parent / "model-vs-simulation.md"
    middle = {"below 1": 0.5, "1 to 3": 2.0, "3 to 6": 4.0, "from 6": 10.0}
    checked = 0
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        scheme = {"`lazy hits`": "lazy", "`inclusive hits`": "inclusive"}.get(cells[0])
        if scheme is None:
            continue
        stated = float(
            explain.error_band(scheme, np.asarray(1.0), np.asarray(middle[cells[1]]))
        )
        for cell in cells[-2:]:
            percent = cell.removeprefix("<").removesuffix("%").strip()
            assert float(percent) / 100 <= stated, line
        checked += 1
    assert checked == 7  # inclusive has no flash hits with f below r


def test_the_stated_band_of_the_io_time_covers_the_generated_gaps() -> None:
    page = PAGE_FLOW.parent / "model-vs-simulation.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.endswith("| beyond |"))
    checked = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        within = float(cells[-2].removesuffix(" %"))
        assert within / 100 >= evaluation.BAND_HOLDS, line
        checked.append(cells[1].strip("`"))
    assert {name: checked.count(name) for name in schemes.SCHEMES} == dict.fromkeys(
        schemes.SCHEMES, 3
    )  # each with three pairs of devices


def test_every_model_page_is_in_the_index() -> None:
    folder = PAGE_FLOW.parent
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = sorted(
        path.name for path in folder.glob("*.md") if path.name != "README.md"
    )
    assert [name for name in pages if f"]({name})" not in index] == []


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_schemes_of_models_and_core_are_the_same() -> None:
    assert [entry["name"] for entry in replay.contenders("scheme")] == list(
        schemes.SCHEMES
    )
    text = PAGE_FLOW.read_text(encoding="utf-8")
    for scheme in schemes.SCHEMES:
        assert f"| {scheme} |" in text


def test_every_registered_formula_has_a_named_function() -> None:
    assert len(set(conformance.FORMULAS.values())) == len(conformance.FORMULAS)


def test_reference_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "generate_reference.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def rooms_of_the_architecture(place: str) -> list[str]:
    """Return the rooms of a folder in the order of their table."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    [table] = [
        part
        for part in text.split("\n\n")
        if part.startswith("|") and f" of `{place}/`" in part
    ]
    return [
        name
        for line in table.splitlines()[2:]
        for name in re.findall(r"`([a-z_-]+)`", line.split("|")[1])
    ]


@pytest.mark.parametrize(
    "place",
    [
        "backend/src/tierwright_server",
        "frontend/src/features",
        "models/crates/simulator/src",
        "models/python/tierwright",
    ],
)
def test_the_architecture_names_every_room_and_no_other(place: str) -> None:
    named = rooms_of_the_architecture(place)
    there = [
        entry.name
        for entry in (ROOT / place).iterdir()
        if not entry.name.startswith("_") and entry.is_dir()
    ]
    assert sorted(named) == sorted(there)


@pytest.mark.parametrize(
    ("contract", "place"),
    [
        ("models", "models/python/tierwright"),
        ("server", "backend/src/tierwright_server"),
    ],
)
def test_the_architecture_lists_rooms_in_the_order_that_the_contracts_enforce(
    contract: str, place: str
) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [layers] = [
        each["layers"]
        for each in settings["tool"]["importlinter"]["contracts"]
        if each["name"].startswith(f"The rooms of the {contract}")
    ]
    ordered = [
        name.strip().removeprefix("tierwright_server.")
        for layer in layers
        for name in layer.split("|")
    ]
    named = rooms_of_the_architecture(place)
    assert named == [name for name in ordered if name in named]
