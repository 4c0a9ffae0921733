"""A notebook and the API show the same answer: where both name a thing, it is equal.

Each question is asked over HTTP, and the `Answer` that the models made for it is caught on its way
out. What its `to_dict` and the response have in common must be equal, whatever it is.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import pytest
import test_examples

from tierwright import advise
from tierwright.common.answer import Answer
from tierwright.common.parameters import Door, spelled


class Asked(NamedTuple):
    """The operation whose example asks a question, and the function that answers it."""

    operation: str
    function: str = "answer"
    told_otherwise: frozenset[str] = frozenset()


def asked(operation: str, *told_otherwise: str, function: str = "answer") -> Asked:
    return Asked(operation, function, frozenset(told_otherwise))


QUESTIONS = {
    "access_cost": asked("ask_access_cost"),
    "advice": asked("ask_advice"),
    "bill": asked("ask_bill"),
    "compare": asked("ask_compare", "margin", "estimator", function="of_evaluation"),
    "configurations": asked("ask_configurations"),
    "compose": asked("ask_composition"),
    "device_health": asked("ask_device_health"),
    "device_import": asked("import_fio"),
    "directories": asked("ask_directories"),
    "dram_or_flash": asked("ask_dram_or_flash"),
    "flash_choice": asked("ask_flash_choice"),
    "flash_device": asked("ask_flash_device"),
    "fragment_cache": asked("ask_fragment_cache"),
    "placement": asked("ask_placement"),
    "quote_ranking": asked("create_quote_ranking"),
    "recovery": asked("ask_recovery"),
    "response": asked("ask_response"),
    "scale": asked("preview_scaled_workload"),
    "scheme_map": asked("ask_scheme_map_point", function="at_point"),
    "throughput": asked("ask_throughput"),
    "tier_cost": asked("ask_tier_cost"),
    "transaction_replay": asked("ask_transaction_replay"),
    "transaction_writes": asked("ask_transaction_writes", "read_share"),
    "wear": asked("ask_wear"),
}
"""By module; after the operation the names that are a number on one side and an object on the other."""

OF_JOBS = {
    "cachesack": "test_what_to_cache.py",
    "course": "test_courses.py",
    "miniature": "test_miniatures.py",
    "pool_advisor": "test_pool_advisors.py",
    "pool_gain": "test_pool_splits.py",
    "pool_split": "test_pool_splits.py",
    "sweep": "test_sweeps.py",
    "transaction_study": "test_transaction_studies.py",
}
"""Questions whose answer a job makes, and what holds it against the models."""


def test_every_question_is_asked_here_or_by_the_test_of_its_job() -> None:
    modules = {each.name for each in pkgutil.iter_modules(advise.__path__)}
    questions = {
        name
        for name in modules
        if hasattr(import_module(f"tierwright.advise.{name}"), "answer")
    }
    assert questions == {*QUESTIONS, *OF_JOBS}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_both_name_is_equal(
    application: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    question = QUESTIONS[name]
    module = import_module(f"tierwright.advise.{name}")
    answer = getattr(module, question.function)
    made: list[Answer] = []

    def caught(*given: Any, **named: Any) -> Answer:
        made.append(answer(*given, **named))
        return made[-1]

    monkeypatch.setattr(module, question.function, caught)
    response = test_examples.sent(application, question.operation)
    assert response.status_code in (200, 201), response.text
    # The last one is shown: an advice is asked for twice where another test has counted splits.
    *_, found = made
    shown, document = response.json(), found.to_dict(derivation=True)
    # What was read from a file is a document of its own in Python.
    document |= document.get("found", {})
    finding = shown["finding"] if "finding" in shown else shown["sentence"]
    assert finding == found.finding
    # A point of a map has the warnings of its map.
    assert [each["message"] for each in shown.get("warnings", [])] == [
        each.message for each in found.warnings
    ]
    common = (shown.keys() & document.keys()) - {"derivation", "warnings"}
    differing = [
        each
        for key in sorted(common)
        for each in differences(key, document[key], shown[key])
    ]
    otherwise = {each for each in differing if leaf(each) in question.told_otherwise}
    assert {leaf(each) for each in otherwise} == question.told_otherwise
    assert "\n".join(each for each in differing if each not in otherwise) == ""
    assert len(common) > 1


def leaf(difference: str) -> str:
    """Return the name that a difference is about."""
    return difference.partition(":")[0].rpartition(".")[2]


def differences(where: str, ours: Any, theirs: Any) -> Iterator[str]:
    """Name what two documents have in common and say otherwise."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours.keys() & theirs.keys():
            yield from differences(f"{where}.{key}", ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{where}: {len(ours)} and {len(theirs)} entries"
        for at, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            yield from differences(f"{where}.{at}", one, other)
    elif isinstance(ours, dict) and isinstance(theirs, list) and theirs:
        # A table by name is rows in the API, which need a key each.
        yield from differences(where, rows_of(ours), by_name(theirs, set(ours)))
    elif isinstance(ours, (dict, list)) or isinstance(theirs, (dict, list)):
        yield f"{where}: of other shapes"
    elif _said(ours) != str(theirs) and ours != theirs:
        yield f"{where}: {ours!r} and {theirs!r}"


def _said(ours: Any) -> str:
    """Return a text as the API spells its parameters."""
    return spelled(str(ours), Door.API)


def rows_of(table: dict[str, Any]) -> dict[str, Any]:
    """Return a table by name; what is one word of each is its reason."""
    return {
        name: {"reason": each} if isinstance(each, str) else each
        for name, each in table.items()
    }


def by_name(rows: list[Any], names: set[str]) -> Any:
    """Return rows by the column that holds these names; the rows if none does."""
    for key in rows[0]:
        found = {row[key]: row for row in rows if isinstance(row[key], str)}
        if found.keys() == names:
            return found
    return tuple(rows)
