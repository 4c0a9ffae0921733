"""Another page flow of the same hardware, at the same price, that breaks a limit in fewer draws."""

from __future__ import annotations

import numpy as np

from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._confidence.words import broken_words, of_draws
from tierwright.advise.advice._contenders import State
from tierwright.advise.point import scheme_titles
from tierwright.evaluate.advice.choose import in_same_hardware
from tierwright.evaluate.advice.rows import CHOICES


def sturdier_text(found: Sure, breaks: float, *, may_be_small: bool) -> str:
    """Say which page flow of what is recommended, at its price, breaks a limit in the fewest draws; empty where none does in fewer.

    The draws do not decide which is recommended: that is the same whether or not they are made.

    Parameters
    ----------
    found : Sure
    breaks : float
        Share of all draws in which the recommendation breaks a limit. [1]
    may_be_small : bool
        As of `confidence_text`.
    """
    options, chosen = found.contenders.options, found.chosen
    same = in_same_hardware(options, found.contenders.hardware, chosen)
    titles = scheme_titles()
    rows = [
        at
        for at in np.flatnonzero(same).tolist()
        if CHOICES[int(options.scheme[at])] in titles
    ]
    if not rows or not breaks:
        return ""
    stated = found.contenders.buys(
        [found.contenders.on(found.draws.ranges.curve, State())]
    )
    shares = {
        at: float(np.mean(found.buys.breaks(at)))
        for at in rows
        if not stated.breaks(at).any()
    }
    at = min(shares, key=lambda each: shares[each], default=None)
    if at is None or shares[at] >= breaks or of_draws(shares[at]) == of_draws(breaks):
        return ""
    title = titles[CHOICES[int(options.scheme[at])]]
    often = f"in {of_draws(shares[at])} of all draws" if shares[at] else "in no draw"
    return f" Under {title}, at the same price, it {broken_words(may_be_small=may_be_small)} {often}."
