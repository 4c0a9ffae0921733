"""Plans of what to cache: options of `tierwright simulate` read from an answer of `tierwright cachesack` or `advise`, or from lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierwright.common.errors import BadInput

if TYPE_CHECKING:
    from tierwright.trace.reading import Trace

ITSELF = "cachesack"
"""The flash cache that is LRU behind a plan, without other options of it."""
_OTHERS = "*"


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
            "give the JSON of `tierwright cachesack --json` or `tierwright advise --json`, or lines CATEGORY=RULES",
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
    try:
        answer: dict[str, Any] = json.loads(text)
        if "advice_id" in answer:
            return _of_advice(path, answer["recommendation"] or {}, scheme)
        kind = answer.get("kind", answer.get("categories"))
        # What a replay recommends goes before what the model chose.
        stated = answer.get("replay") or answer["chosen"]
        lifetime = max(1, round(float(stated["lifetime_requests"])))
        return {
            "categories": str(kind),
            "assignment": str(stated["assignment"]),
            "lifetime_requests": str(lifetime),
        }
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"--plan {path}: is not an answer of `tierwright cachesack --json` or `tierwright advise --json`: {error!r}",
            "give that JSON as it was printed, or lines CATEGORY=RULES",
        ) from error


def _of_advice(path: Path, best: Mapping[str, Any], scheme: str) -> dict[str, str]:
    """Return what the recommendation of an advice runs behind."""
    options = best.get("options") or {}
    if "assignment" not in options:
        raise BadInput(
            f"--plan {path}: this advice recommends no assignment of categories",
            "take `options` of one of its `flash_caches` that has an `assignment`, each as an --option",
        )
    if scheme not in (best["scheme"], ITSELF) and "lifetime_requests" not in options:
        raise BadInput(
            f"--plan {path}: its assignment is that of {best['scheme']}, which needs no lifetime of pages on flash, "
            f"and {scheme} does",
            f"replay {best['scheme']}, or ask `tierwright cachesack` for a plan",
        )
    plan = ("categories", "assignment", "lifetime_requests")
    return {name: str(options[name]) for name in plan if name in options}


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
