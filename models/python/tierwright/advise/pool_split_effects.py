"""What the cautions of a pool split could change: the replays, priced at the other ends of what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tierwright.advise.pool_survey import SplitSurvey
from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
    without_effect,
)
from tierwright.common.wording import counted, relative_change
from tierwright.trace.notes import BAD_RECORDS_SKIPPED

FIGURE = "cost"
COMPARED = frozenset({"no_gain_over_lru", "no_gain_over_cflru"})
"""Cautions that state what replays gave."""


@dataclass(frozen=True, slots=True)
class _End:
    """What the replays of a survey would have counted at one other end.

    Attributes
    ----------
    when : str
        At which, to be read behind *if*.
    survey : SplitSurvey
        With its accesses, and its splits by the same clean pools.
    """

    when: str
    survey: SplitSurvey


def weigher(survey: SplitSurvey, asymmetry: float, *, skipped_records: int) -> Weigh:
    """Return what computes the effect of a caution on the recommended split.

    Parameters
    ----------
    survey : SplitSurvey
        What was counted.
    asymmetry : float
        R. [1]
    skipped_records : int
        Records of the trace that the reader skipped.
    """
    chosen, cost = survey.best_simulated(asymmetry)

    def outcome(end: _End) -> Outcome:
        best, least = end.survey.best_simulated(asymmetry)
        own = end.survey.cost(end.survey.splits[chosen], asymmetry)
        return Outcome(
            end.when,
            relative_change(cost, own),
            _named(best),
            abs(relative_change(least, own)),
        )

    def weigh(caution: Caution) -> Effect:
        if caution.name in COMPARED:
            return without_effect("states what the replays cost")
        if caution.name == "estimate_off":
            return without_effect(
                "no effect: the recommended split rests on replays, not on the estimate"
            )
        outcomes = [outcome(end) for end in _ends(caution, survey, skipped_records)]
        if not outcomes:
            return anywhere(caution)
        return effect_of(outcomes, figure=FIGURE, chosen=_named(chosen), kind="split")

    return weigh


def _ends(caution: Caution, survey: SplitSurvey, skipped: int) -> Iterator[_End]:
    if caution.name == "warm_up_inside":
        filled = min(survey.pages, survey.distinct_pages)
        yield _End("filling the empty buffer is not charged", _charged(survey, -filled))
    elif caution.name == "no_writes_in_format" and survey.write_accesses == 0:
        yield _End("every access writes", every_access_writes(survey))
    elif caution.name == BAD_RECORDS_SKIPPED and skipped > 0:
        records = counted(skipped, "record skipped is", "records skipped are")
        larger = replace(survey, accesses=survey.accesses + skipped)
        hits, misses = ("a hit", "a miss") if skipped == 1 else ("hits", "misses")
        yield _End(f"the {records} {hits} of the buffer", larger)
        yield _End(f"the {records} {misses}", _charged(larger, skipped))


def _charged(survey: SplitSurvey, reads: int) -> SplitSurvey:
    """Charge every replay with so many reads more, or fewer; none has fewer than none."""
    return replace(
        survey,
        splits={
            clean: {**row, "reads": max(0, row["reads"] + reads)}
            for clean, row in survey.splits.items()
        },
    )


def every_access_writes(survey: SplitSurvey) -> SplitSurvey:
    """Return what the splits count if every access of a trace without writes is one.

    All pages are then of one pool, as they are without writes, and it has the frames of the empty one
    as well: reads stay, and each page that was read is written, when it is evicted or at the end.

    Parameters
    ----------
    survey : SplitSurvey
        Of a trace without writes.

    Returns
    -------
    SplitSurvey
        With other splits; estimates and baselines are left as they are.
    """
    return replace(
        survey,
        write_accesses=survey.accesses,
        splits={
            clean: {**row, "writes": row["reads"], "dirty_left": 0}
            for clean, row in survey.splits.items()
        },
    )


def _named(clean_pages: int) -> str:
    return counted(clean_pages, "clean page")
