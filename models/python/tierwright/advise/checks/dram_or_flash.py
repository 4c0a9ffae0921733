"""The check of a break-even: the DRAM step and the flash for it, replayed under each scheme."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tierwright.advise.checks.checked import Checked, CheckedFigure, row
from tierwright.advise.point import scheme_titles
from tierwright.common import wording
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.break_even import replayed
from tierwright.evaluate.break_even.gains import PageCosts
from tierwright.evaluate.break_even.replayed import CheckSizes, ReplayedBreakEven
from tierwright.evaluate.break_even.schemes import SchemeThetas
from tierwright.evaluate.page_flow.decision import ReplayPoint

GAIN_UNIT = "µs/access"


def check(
    found: SchemeThetas,
    sizes: CheckSizes,
    counted: Mapping[tuple[str, ReplayPoint], Mapping[str, Any]],
    costs: PageCosts,
) -> Checked:
    """Put the break-even of every scheme beside replays of the DRAM step and the flash for it.

    Parameters
    ----------
    found : SchemeThetas
        Of one DRAM step.
    sizes : CheckSizes
        What was replayed.
    counted : mapping
        Counters by scheme and point, of `sizes.wanted()`.
    costs : PageCosts
        Busy times that price them. [µs]
    """
    best = found.best[0]
    made = replayed.replayed_break_even(sizes, counted, costs, best)
    rows = [
        row(
            "none",
            "DRAM",
            f"saved by {wording.counted(made.dram_pages, 'more page')}",
            GAIN_UNIT,
            float(found.dram_gain[0]),
            made.dram_gain,
        )
    ]
    for scheme, each in made.schemes.items():
        if each.flash_pages is None:
            continue
        rows.append(
            row(
                scheme,
                scheme_titles()[scheme],
                f"saved by {wording.counted(each.flash_pages, 'page')} of flash",
                GAIN_UNIT,
                float(found.schemes[scheme].flash_gain[0]),
                each.gain,
            )
        )
        if each.share is not None:
            rows.append(
                CheckedFigure(
                    of=scheme,
                    title=scheme_titles()[scheme],
                    figure="share of what the DRAM saves",
                    unit="1",
                    model=float(found.schemes[scheme].flash_gain[0])
                    / float(found.dram_gain[0]),
                    simulated=each.share,
                    gap_relative=None,
                )
            )
    return Checked(
        finding=_finding(found, made, sizes),
        rows=tuple(rows),
        basis=_basis(made, sizes),
    )


def _finding(found: SchemeThetas, made: ReplayedBreakEven, sizes: CheckSizes) -> str:
    """Say how many break-evens the replays confirm, and whether the best scheme is the best."""
    if made.dram_gain <= 0:
        return "By replay, the DRAM step saves nothing, so there is nothing to match."
    if made.best is None:
        return "By the model, no amount of flash saves as much as the DRAM step."
    stated = [each for each in made.schemes.values() if each.is_within is not None]
    if not stated:
        return (
            "The flash size that the model calls for holds more pages than the "
            "recording covers, so a replay can neither confirm nor refute it."
        )
    within = sum(each.is_within is True for each in stated)
    held = (
        "By replay, "
        + wording.counted(
            within,
            f"of {len(stated):,} break-evens lies within its stated error",
            f"of {len(stated):,} break-evens lie within their stated error",
        )
        if len(stated) > 1
        else "By replay, the break-even lies within its stated error"
        if within
        else "By replay, the break-even lies outside its stated error"
    )
    held += how_wide(found, made)
    flash = sizes.schemes[made.best].needed
    pages = 0 if flash is None else flash.flash_pages
    share = made.schemes[made.best].share or 0.0
    name = scheme_titles()[made.best]
    if made.best_by_replay in (made.best, None):
        return (
            f"{held}; with {wording.counted(pages, 'page')} of flash {name} saves most, as the model "
            f"predicts: {percent(share)} of what the DRAM saves."
        )
    other = scheme_titles()[made.best_by_replay]
    more = percent((made.best_gain or 0.0) / made.dram_gain)
    return (
        f"{held}; with {wording.counted(pages, 'page')} of flash {other} saves most, {more} of what "
        f"the DRAM saves; {name}, the model's choice, saves {percent(share)}."
    )


WIDE = 1.5
"""Flash at one end of the stated error over that at the other from which it confirms little."""
FAR = 0.1
"""Gap between the gain by replay and by the model from which it is said."""


def how_wide(found: SchemeThetas, made: ReplayedBreakEven) -> str:
    """Say how little a wide error confirms, and how far the model is off within it."""
    stated = [name for name, each in made.schemes.items() if each.is_within is not None]
    bands = [
        (float(each.theta_least[0]), float(each.theta_most[0]))
        for each in (found.schemes[name] for name in stated)
    ]
    # An end without a number has no bound: no flash of a size that the recording tells about.
    open_ = any(
        not (math.isfinite(least) and math.isfinite(most)) for least, most in bands
    )
    apart = max(
        (most / least for least, most in bands if least > 0 and math.isfinite(most)),
        default=1.0,
    )
    gaps = [
        each.gain / float(found.schemes[name].flash_gain[0]) - 1
        for name, each in made.schemes.items()
        if name in stated
        and each.gain is not None
        and float(found.schemes[name].flash_gain[0]) > 0
    ]
    gap = max(gaps, key=abs, default=0.0)
    said = []
    if open_:
        said.append("that error is unbounded on one side")
    elif apart >= WIDE:
        said.append(
            f"that error spans a factor of up to {three_digits(apart)} in flash"
        )
    if abs(gap) >= FAR:
        sign = "more" if gap > 0 else "less"
        said.append(
            f"the flash saves up to {percent(abs(gap))} {sign} than the model predicts"
        )
    return f" (but {' and '.join(said)})" if said else ""


def _basis(made: ReplayedBreakEven, sizes: CheckSizes) -> str:
    unmatched = [
        scheme_titles()[name]
        for name, each in made.schemes.items()
        if each.flash_pages is None
    ]
    trend = any(
        each.is_trend and each.needed is not None for each in sizes.schemes.values()
    )
    parts = [
        "The trace was replayed with the DRAM step, and under every scheme with the "
        "flash size that its model calls for, the sizes at both ends of its stated "
        "error, and the size of the best scheme; the counted page operations are "
        "priced with the busy times of the answer. A break-even lies within its error "
        "if, to within 1 %, the replay saves no more than the DRAM step at one end and "
        "no less at the other."
    ]
    if unmatched:
        parts.append(
            "By the model, no amount of flash saves as much, so these were not "
            f"replayed: {', '.join(unmatched)}."
        )
    if trend:
        parts.append(
            "Where RAM and flash together hold more pages than the recording covers, a "
            "replay cannot decide either."
        )
    return " ".join(parts)
