"""All cards by name, with an example of each from the project's vectors, and its page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tierwright.catalogue.card import Card
from tierwright.catalogue.cards import face, fd, kv, mod, sce, zhou
from tierwright.catalogue.vectors.conformance import FORMULAS
from tierwright.common.errors import BadInput
from tierwright.common.shipped import shipped_folder
from tierwright.hardware.facts import fixtures_folder

ONE_UNIT = "all times in one unit of your choice; resulting times are in the same unit"
EXAMPLES_FILE = "independent.json"
"""Of fixtures/vectors: results worked out without the product."""


@dataclass(frozen=True, slots=True)
class Family:
    """Formulas of one paper: what they are about, and the paper."""

    name: str
    title: str
    paper: str


@dataclass(frozen=True, slots=True)
class Example:
    """Inputs and result of one of the project's vectors."""

    id: str
    inputs: Mapping[str, Any]
    expected: Mapping[str, Any]


FAMILIES = {
    family.name: family
    for family in (
        Family("kv", "Page flow between RAM, flash and disk", kv.PAPER),
        Family("face", "Flash as an extension of the cache", face.PAPER),
        Family("sce", "The fragment cache", sce.PAPER),
        Family("fd", "Clean and dirty pages", fd.PAPER),
        Family("zhou", "Transactions over raw flash", zhou.PAPER),
        Family("mod", "Economics of memory, flash and stores today", mod.PAPER),
    )
}
"""In the order of the formulas' table."""


def _with_unit_of_time(card: Card) -> Card:
    """Say it where nothing but the reader's care keeps ms and µs apart."""
    if all(each.unit != "time" for each in (*card.takes, *card.instead)):
        return card
    return replace(card, validity=f"{card.validity}; {ONE_UNIT}")


CARDS: Mapping[str, Card] = {
    card.name: _with_unit_of_time(card)
    for family in (kv, face, sce, fd, zhou, mod)
    for card in family.CARDS
}
"""Every formula's card by its name."""


def card_of(name: str) -> Card:
    """Card of a formula.

    Raises
    ------
    BadInput
        If there is no such formula; names those of its family.
    """
    card = CARDS.get(name)
    if card is None:
        family = name.split(".", maxsplit=1)[0]
        near = [known for known in FORMULAS if known.split(".")[0] == family]
        raise BadInput(
            f"formula `{name[:80]}` is unknown", f"one of {', '.join(near or FORMULAS)}"
        )
    return card


@cache
def example(name: str) -> Example:
    """Return the first of a formula's vectors that has a result.

    Raises
    ------
    BadInput
        If the vectors are not there.
    """
    return _examples(fixtures_folder() / "vectors" / EXAMPLES_FILE)[name]


@cache
def _examples(path: Path) -> dict[str, Example]:
    try:
        vectors = json.loads(path.read_text("utf-8"))["vectors"]
    except OSError as error:
        raise BadInput(
            f"the vectors `{path.name}` cannot be read: {error.strerror}",
            "restore the folder `vectors`, beside devices and prices in the folder of "
            "fixtures",
        ) from error
    found: dict[str, Example] = {}
    for vector in vectors:
        if "error" not in vector["expected"]:
            found.setdefault(
                vector["formula"],
                Example(vector["id"], vector["inputs"], vector["expected"]),
            )
    return found


def page_text(name: str) -> str:
    """Text of the page of docs/models that explains a formula, in Markdown.

    Raises
    ------
    BadInput
        If the formula is unknown, or the documentation is not beside the fixtures.
    """
    card = card_of(name)
    path = shipped_folder() / "docs" / "models" / card.page_file
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise BadInput(
            f"the page `docs/models/{card.page_file}` is missing: {error.strerror}",
            "restore the documentation; it is part of the repository, beside "
            "`fixtures`",
        ) from error
