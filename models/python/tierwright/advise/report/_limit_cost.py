"""The section of a report about what each limit costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tierwright.advise.advice import limit_cost as words
from tierwright.advise.advice._words import kept_value
from tierwright.advise.advice.found import Staircase, StaircaseStep
from tierwright.advise.advice.limit_cost import TITLE, Writers
from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document, sentence_of
from tierwright.advise.report._markup import Markup, table, tag
from tierwright.advise.report._options import staircases_of
from tierwright.common.wording import counted
from tierwright.evaluate.advice.limits import MONEY

__all__ = ["TITLE", "limit_cost"]

_WRITE = Writers(
    show.limit,
    # Amounts have all their digits.
    lambda name, value: show.limit(
        name, value if name in MONEY else kept_value(name, value)
    ),
    lambda usd: f"{show.usd(usd)} USD per month",
    show.time,
)


def limit_cost(document: Document) -> Iterator[Markup]:
    """Return a table of each limit that was stated or matters: what its values buy."""
    every = staircases_of(document)
    if not every:
        yield tag("p", words.NOT_COMPUTED)
        return
    objective = document["objective"]
    some = words.shown(every, objective)
    for each in (_of_what_reads_apart(one) for one in some):
        yield tag("h3", words.title(each.constraint))
        yield tag("p", f"{words.finding(each, objective, _WRITE)}.")
        if not each.steps:
            yield tag("p", sentence_of(each.reason))
            continue
        yield _steps(each)
        for said in (_left_out(each), words.known_ends(each, _WRITE)):
            if said:
                yield tag("p", said, class_="note")
    others = sum(bool(each.steps) for each in every if each not in some)
    if others:
        yield tag(
            "p",
            f"What {counted(others, 'other limit')} would buy is stated in the JSON of the advice.",
            class_="note",
        )


def _of_what_reads_apart(found: Staircase) -> Staircase:
    """Leave one of the steps whose values read as nothing: the loosest, which costs least, and what is asked."""
    asked = words.asked_step(found) if found.limit is not None else None
    last = len(found.steps) - 1
    kept = [
        step
        for at, step in enumerate(found.steps)
        if at in (asked, last)
        or not (_is_nothing(found, step) and _is_nothing(found, found.steps[at + 1]))
    ]
    return replace(found, steps=tuple(kept))


def _is_nothing(found: Staircase, step: StaircaseStep) -> bool:
    """Whether the value of a step has no digit but zeros."""
    return step.value is not None and not set("123456789") & {*_value(found, step)}


def _steps(found: Staircase) -> Markup:
    name = found.constraint
    asked = words.asked_step(found) if found.limit is not None else None
    side = "up to" if words.bound(name) == "at least" else "from"
    return table(
        f"{words.title(name)}: {words.MEANING}",
        [
            (f"limit {side}", False),
            ("option", False),
            ("page flow", False),
            ("cost [USD per month]", True),
            ("I/O time per access", True),
        ],
        [
            [
                _value(found, step)
                + (
                    f" (asked: {show.bound(name)} {show.limit(name, found.limit)})"
                    if at == asked
                    else ""
                ),
                step.name,
                show.scheme({"scheme": step.scheme}),
                show.usd(step.usd_per_month),
                show.time(step.io_time_us_per_access),
            ]
            for at in words.some_steps(found)
            for step in (found.steps[at],)
        ],
    )


def _value(found: Staircase, step: StaircaseStep) -> str:
    return "any" if step.value is None else _WRITE.step(found.constraint, step.value)


def _left_out(found: Staircase) -> str:
    left_out = len(found.steps) - len(words.some_steps(found))
    if not left_out:
        return ""
    return f"{counted(left_out, 'more step is', 'more steps are')} left out here."
