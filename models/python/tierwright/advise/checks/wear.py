"""The check of wear: flash writes and life beside those of replays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierwright.advise.checks.checked import (
    REPLAYED,
    Checked,
    CheckedFigure,
    row,
    verdict,
)
from tierwright.advise.checks.counted import Counters, replayed_life
from tierwright.advise.wear import Wear


def check(answer: Wear, counters: Mapping[str, Counters]) -> Checked:
    """Put an answer beside the replay of every scheme.

    Parameters
    ----------
    answer : Wear
        Of the model.
    counters : mapping of str to counters
        Of the replay of each scheme at the sizes of the answer.
    """
    rows = tuple(_rows(answer, counters))
    return Checked(
        finding=verdict(rows, "flash writes", min),
        rows=rows,
        basis=f"{REPLAYED} Write amplification inside the drive is covered by its "
        "rating and is not replayed.",
    )


def _rows(answer: Wear, counters: Mapping[str, Counters]) -> Iterator[CheckedFigure]:
    for scheme in answer.schemes:
        life = replayed_life(
            counters[scheme.scheme],
            budget_tb=answer.budget.in_place_tb,
            accesses_per_s=answer.accesses_per_s,
            growth_per_year=answer.growth_per_year,
            written_tb=answer.written_tb,
        )
        for figure, unit, model, simulated in (
            ("flash writes", "TB/day", scheme.tb_per_day, life.tb_per_day),
            ("life", "years", scheme.years, life.years),
        ):
            yield row(scheme.scheme, scheme.title, figure, unit, model, simulated)
