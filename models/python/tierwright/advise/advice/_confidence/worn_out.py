"""In how many draws the flash of the recommendation does not outlast the horizon, as it does where its life is stated."""

from __future__ import annotations

import math

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._confidence.words import of_draws
from tierwright.common.wording import counted
from tierwright.evaluate.advice.limits import LIFE

RARELY = 0.01
"""Share of draws in which it is worn out below which that is not said."""
_MONTHS_PER_YEAR = 12


def worn_out_text(asked: Asked, found: Sure) -> str:
    """Say in how many draws its flash is worn out within the horizon; empty where that is said otherwise, or rare.

    By the life that is stated, the caution `flash_worn_out` says it, and a limit on that life is one that draws break.
    What is rented is replaced by its provider.

    Parameters
    ----------
    asked : Asked
    found : Sure
    """
    months = asked.setting.horizon_months
    years = months / _MONTHS_PER_YEAR
    stated = found.stated[LIFE]
    is_rented = bool(found.contenders.options.is_rented[found.chosen])
    if is_rented or LIFE in asked.constraints or math.isnan(stated) or stated < years:
        return ""
    worn = sum(each[LIFE] < years for each in found.figures)
    share = worn / len(found.figures)
    if share < RARELY:
        return ""
    return (
        f" In {of_draws(share)} of all draws its flash is worn out before the horizon of {counted(months, 'month')} ends, "
        "and what replaces it is not counted."
    )
