"""No formula of the conformance table without a vector, a page and a property."""

import ast
import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tierwright import conformance

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "models"
TESTS = ROOT / "models" / "tests"
VECTORS = ROOT / "fixtures" / "vectors"
CATALOGUE = re.compile(r"\*\*((?:kv|fd|face|sce|zhou)\.\w+)\*\*")
"""How section 9 of the restated models writes a name."""


def vectors(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["vectors"]
    return found


def own_files() -> list[Path]:
    return sorted(VECTORS.glob("*.json"))


def marked(decorator: ast.expr) -> Iterator[str]:
    """Names in ``@pytest.mark.formula("a", "b")``."""
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(
        "mark.formula"
    ):
        for argument in decorator.args:
            assert isinstance(argument, ast.Constant)
            yield str(argument.value)


def properties() -> dict[str, list[str]]:
    """Formula to the properties that hold it; only what hypothesis draws inputs for."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            texts = [ast.unparse(decorator) for decorator in node.decorator_list]
            names = [name for d in node.decorator_list for name in marked(d)]
            if names:
                drawn = any(
                    text.startswith(("given(", "hypothesis.given(")) for text in texts
                )
                assert drawn, f"{path.name}: {node.name} is marked but draws no inputs"
            for name in names:
                found.setdefault(name, []).append(f"{path.name}::{node.name}")
    return found


@pytest.mark.parametrize("path", own_files(), ids=lambda path: path.name)
def test_every_vector_of_ours_passes(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert document["provenance"]
    report = conformance.run_file(path)
    assert report.failures == ()
    assert (report.passed, report.unknown) == (len(document["vectors"]), 0)
    assert len({vector["id"] for vector in document["vectors"]}) == report.passed


def test_an_independent_hand_reaches_the_same_numbers() -> None:
    """Plain re-computations, which import nothing of the product, cover every formula."""
    script = TESTS / "independent_formulas.py"
    imported = [
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(script.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert not [name for name in imported if (name or "").startswith("tierwright")]
    document = runpy.run_path(str(script))["build"]()
    assert document == json.loads((VECTORS / "independent.json").read_text("utf-8"))
    covered = {vector["formula"] for vector in document["vectors"]}
    assert sorted(set(conformance.FORMULAS) - covered) == []


def test_every_formula_has_a_vector(shared: Path) -> None:
    files = [*own_files(), shared / "reference" / "paper-vectors.json"]
    if not files[-1].is_file():
        pytest.skip("no paper vectors in the shared reference material")
    have = {vector["formula"] for path in files for vector in vectors(path)}
    assert sorted(set(conformance.FORMULAS) - have) == []


def test_every_formula_of_the_catalogue_is_implemented(shared: Path) -> None:
    """Section 9 of the restated models: the families that this product answers for."""
    path = shared / "reference" / "paper-models.md"
    if not path.is_file():
        pytest.skip("no restated models in the shared reference material")
    section = path.read_text("utf-8").split("\n## 9.")[1].split("\n## 10.")[0]
    names = set(CATALOGUE.findall(section))
    assert len(names) > 60
    families = {name.split(".")[0] for name in conformance.FORMULAS}
    wanted = {name for name in names if name.split(".")[0] in families}
    assert sorted(wanted - set(conformance.FORMULAS)) == []


def test_every_formula_has_a_page() -> None:
    text = "\n".join(path.read_text("utf-8") for path in sorted(PAGES.glob("*.md")))
    absent = [name for name in conformance.FORMULAS if f"`{name}`" not in text]
    assert absent == []


def test_every_formula_has_a_property() -> None:
    held = properties()
    assert sorted(set(conformance.FORMULAS) - set(held)) == []
    assert sorted(set(held) - set(conformance.FORMULAS)) == []  # no stale marks
