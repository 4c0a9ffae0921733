"""Plans of what to cache: options of `tierwright simulate` read from an answer of `tierwright cachesack` or `advise`, or from lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput

if TYPE_CHECKING:
    from tierwright.trace.reading import Trace

ITSELF = "cachesack"
"""The flash cache that is LRU behind a plan, without other options of it."""
_OTHERS = "*"
_AS_PRINTED = (
    "give the JSON of `tierwright cachesack --json` or `tierwright advise --json` as it was printed, or lines "
    "CATEGORY=RULES"
)
_MOST_SHOWN = 60


def plan_options(
    path: Path, *, scheme: str, given: Mapping[str, str], trace: Trace, ram_pages: int
) -> dict[str, str]:
    """Return the options that put a plan before a scheme or flash cache.

    Parameters
    ----------
    path : Path
        JSON of `tierwright cachesack --json` or of `POST /what-to-cache`; of `tierwright advise --json` or of an advice
        over HTTP; or lines `CATEGORY=RULES`, `*` for all others.
    scheme : str
        Name of the contender.
    given : mapping
        Options that are given beside the plan, which go before it.
    trace : Trace
        Whose categories lines may name.
    ram_pages : int
        RAM below which names are looked for. [pages]

    Raises
    ------
    BadInput
        If the file cannot be read, or is not a plan.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"--plan {path}: cannot be read: {error}",
            _AS_PRINTED,
        ) from error
    if text.lstrip().startswith("{"):
        plan = _of_answer(path, text, scheme.lower())
    else:
        kind = given.get("categories", "relation")
        plan = {"assignment": _of_lines(path, text, kind, trace, ram_pages)}
    if scheme.lower() == ITSELF:
        plan.pop("lifetime_requests", None)
    elif "admission" not in given:
        plan["admission"] = ITSELF
    return {**plan, **given}


def _of_answer(path: Path, text: str, scheme: str) -> dict[str, str]:
    found: dict[str, Any] = parse_json(text, f"--plan {path}", _AS_PRINTED)
    answer = _Table(path, "", found)
    if answer.has("advice_id"):
        best = answer.table("recommendation") if answer.has("recommendation") else None
        return _of_advice(path, best, scheme)
    # What a replay recommends goes before what the model chose.
    stated = answer.table("replay" if answer.has("replay") else "chosen")
    return {
        "categories": answer.text("kind" if answer.has("kind") else "categories"),
        "assignment": stated.text("assignment"),
        "lifetime_requests": stated.count("lifetime_requests"),
    }


@dataclass(frozen=True)
class _Table:
    """A table of an answer, which says what it lacks by its place in the file."""

    path: Path
    place: str
    values: Mapping[str, Any]

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def table(self, name: str) -> _Table:
        found = self.values.get(name)
        if not isinstance(found, dict):
            self._refuse(name, "is not an object")
        return _Table(self.path, f"{self.place}{name}.", found)

    def text(self, name: str) -> str:
        found = self.values.get(name)
        if not isinstance(found, str):
            self._refuse(name, "is not a text")
        return found

    def count(self, name: str) -> str:
        """Return a number as the options take it: whole, at least 1."""
        found = self.values.get(name)
        if (
            not isinstance(found, int | float)
            or isinstance(found, bool)
            or not 0 < found < math.inf
        ):
            self._refuse(name, "is not a number above 0")
        return str(max(1, round(found)))

    def _refuse(self, name: str, why: str) -> NoReturn:
        place = f"--plan {self.path}: `{self.place}{name}`"
        if name not in self.values:
            raise BadInput(f"{place} is missing", _AS_PRINTED)
        shown = json.dumps(self.values[name])
        if len(shown) > _MOST_SHOWN:
            shown = f"{shown[:_MOST_SHOWN]}..."
        raise BadInput(f"{place}: `{shown}` {why}", _AS_PRINTED)


def _of_advice(path: Path, best: _Table | None, scheme: str) -> dict[str, str]:
    """Return what the recommendation of an advice runs behind."""
    options = (
        None if best is None else best.table("options") if best.has("options") else None
    )
    if best is None or options is None or not options.has("assignment"):
        raise BadInput(
            f"--plan {path}: this advice recommends no assignment of categories",
            "take `options` of one of its `flash_caches` that has an `assignment`, each as an --option",
        )
    of = best.text("scheme")
    if scheme not in (of, ITSELF) and not options.has("lifetime_requests"):
        raise BadInput(
            f"--plan {path}: its assignment is that of {of}, which needs no lifetime of pages on flash, "
            f"and {scheme} does",
            f"replay {of}, or ask `tierwright cachesack` for a plan",
        )
    plan = ("categories", "assignment", "lifetime_requests")
    return {name: options.text(name) for name in plan if options.has(name)}


def _of_lines(path: Path, text: str, kind: str, trace: Trace, ram_pages: int) -> str:
    """Write lines as an assignment; a category that is not a number is looked for by its name."""
    common, single = "miss", []
    numbers: dict[str, int] | None = None
    for at, line in enumerate(text.splitlines(), 1):
        stated = line.split("#")[0].strip()
        if not stated:
            continue
        name, separator, rules = (part.strip() for part in stated.rpartition("="))
        if not separator or not name or not rules:
            raise BadInput(
                f"--plan {path}, line {at}: `{stated}` is not CATEGORY=RULES",
                "write lines such as 16384/16397=never, and *=miss for all others",
            )
        if name == _OTHERS:
            common = rules
            continue
        if not name.isdecimal():
            if numbers is None:
                numbers = _numbers(trace, ram_pages, kind)
            if name not in numbers:
                raise BadInput(
                    f"--plan {path}, line {at}: the trace has no {kind} `{name}`",
                    f"use one of its names, such as {', '.join(list(numbers)[:3])}, or its number",
                )
            name = str(numbers[name])
        single.append(f"{name}:{rules}")
    return "+".join((common, *single))


def _numbers(trace: Trace, ram_pages: int, kind: str) -> dict[str, int]:
    from tierwright.profile.categories import measured

    counts = measured(trace, ram_pages, kind=kind)
    return {each.name: each.number for each in counts.categories}
