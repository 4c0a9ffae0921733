"""How sure a recommendation is: probability, expected regret, what each input is worth knowing, where the choice flips.

`abstaining` says why there may be no probability, `drawing` draws what is not known, `interval` says between which values
figures lie, `ranges` asks along the range of one input, `flips` where the choice changes on it, `bars` draws both ends,
and `worth` says what knowing it is worth. `words` says what the draws come to, and `weighed` joins all that.
"""

from __future__ import annotations

from tierwright.advise.advice._confidence.abstaining import abstains, none
from tierwright.advise.advice._confidence.drawing import Sure, sure
from tierwright.advise.advice._confidence.interval import intervals
from tierwright.advise.advice._confidence.ranges import SCALE, STEPS
from tierwright.advise.advice._confidence.weighed import (
    NOT_COMPUTED,
    confidence,
    of_objective,
)

__all__ = [
    "NOT_COMPUTED",
    "SCALE",
    "STEPS",
    "Sure",
    "abstains",
    "confidence",
    "intervals",
    "none",
    "of_objective",
    "sure",
]
