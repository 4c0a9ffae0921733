"""Words that a reader sees: plain English, whatever module they stand in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ("models/python/tierwright", "backend/src/tierwright_server")
PAGE = "frontend/src"

UNIDIOMATIC = re.compile(
    r"\b(mind|mend(s|ed|ing)?|told|nobody|taken over|gone on with|of its own|none has|"
    r"as (many|much|few) as can be|which has said|no one has said)\b"
    # "tell writes from reads" and "tell them apart" are English; a curve that "tells" is not.
    r"|\b(can|cannot|could|not|does|do) tell\b(?![^.;:]*\b(from|apart|which|whether)\b)",
    re.IGNORECASE,
)
PATHS = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) /|(?<!href={`)/api/v1\b")


def said_in_python(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of a module but its docstrings: what it may print or answer."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = (getattr(node, "body", None) for node in ast.walk(tree))
    docstrings = {
        id(statement.value)
        for body in bodies
        if isinstance(body, list)
        for statement in body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in docstrings
        ):
            yield node.lineno, node.value


COMMENT = re.compile(
    r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL
)  # not the // of an address


def said_on_the_page(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a module without its comments, from which no identifier was removed."""
    text = COMMENT.sub(
        lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8")
    )
    yield from enumerate(text.split("\n"), start=1)


def page_modules() -> list[Path]:
    return sorted(
        path
        for path in (ROOT / PAGE).rglob("*.ts*")
        if ".test." not in path.name and "gen" not in path.parts
    )


@pytest.mark.parametrize(
    "text",
    [
        "a share that nobody has said",
        "As many as can be",
        "the curve cannot tell: it is short",
        "The link was taken over",
        "Mend the file",
        "a device of its own",
    ],
)
def test_unidiomatic_words_are_found(text: str) -> None:
    assert UNIDIOMATIC.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "the format does not tell writes from reads",
        "remind me of amendments",
        "no scheme carries it",
    ],
)
def test_idiomatic_words_are_not(text: str) -> None:
    assert not UNIDIOMATIC.search(text)


@pytest.mark.parametrize("room", PYTHON)
def test_sentences_of_models_and_server_are_plain_english(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, text in said_in_python(path)
        if UNIDIOMATIC.search(text)
    ]
    assert not found, "\n".join(found)


def test_sentences_of_the_page_are_plain_english() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip()}"
        for path in page_modules()
        for line, text in said_on_the_page(path)
        if UNIDIOMATIC.search(text)
    ]
    assert not found, "\n".join(found)


def test_the_page_names_no_path_of_the_api() -> None:
    # One module translates what the server says of them; formulas may be asked by command; the
    # page about the API is about its paths.
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip()}"
        for path in page_modules()
        if path.name != "problem-words.ts"
        and not {"api", "api-docs", "formulas"}
        & set(path.relative_to(ROOT / PAGE).parts)
        for line, text in said_on_the_page(path)
        if PATHS.search(text)
    ]
    assert not found, "\n".join(found)
