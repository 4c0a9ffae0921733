"""Why the data do not allow a probability, and how much more to record."""

from __future__ import annotations

import numpy as np

from tierwright.advise.advice import _draws, _steps
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._confidence.drawing import recorded_of
from tierwright.advise.advice._draws import Shortage
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Confidence
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, duration, percent
from tierwright.evaluate.advice.resampling import FEWEST_WINDOWS, FEWEST_WITH_WARM_UP
from tierwright.evaluate.advice.rows import IntArray
from tierwright.profile.curve import Curve
from tierwright.profile.rates import SAME
from tierwright.profile.windows import SHORTEST

DAY_S = 86_400
NO_WINDOWS = (
    "no probability: the profile carries no windows of a continuous replay, of which 59 are needed; "
    "profile the recording with this version"
)
OF_A_GIVEN_CURVE = "no probability: a curve without its recording has no windows, so it does not show how much its misses vary"
CALIBRATED_ACCESSES = 20_000
"""Accesses of the shortest recordings whose probabilities were held against the truth: `docs/models/advice-calibration.md`."""
LAW_NOT_MEASURED = "no probability: how far the scale law is off was never measured"


def _of_given(curve: Curve) -> str:
    """Say why a curve without a recording gives no probability, and which next step is the cheapest."""
    evidence = curve.evidence
    if evidence is None:
        return OF_A_GIVEN_CURVE
    step = _steps.cheapest(curve, evidence)
    if evidence.is_indicative:
        checked = evidence.check_text(curve.page_bytes)
        return f"no probability: the curve is indicative only, as {checked}; {step}"
    return f"{OF_A_GIVEN_CURVE}; {step}"


def none(reason: str, missing: int | None = None) -> Confidence:
    """Return what is said where there is no probability."""
    return Confidence(None, None, (), (), reason, more_accesses=missing)


def abstains(
    asked: Asked, table: Table, best: int, rows: IntArray
) -> Confidence | None:
    """Say why the data do not allow a probability, and how much more to record; None where they do."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    if windows is None:
        return none(NO_WINDOWS if curve.given is None else _of_given(curve))
    if curve.is_scaled and curve.known_error is None:
        return none(LAW_NOT_MEASURED)
    have = int(windows.accesses.sum())
    shortage = _draws.shortage(windows)
    missing = CALIBRATED_ACCESSES - have
    if shortage is not None:
        # As many more that nothing stands in the way.
        missing = max(missing, shortage.missing)
        return none(_too_few_windows(shortage, have, missing), missing)
    if missing > 0:
        return none(_never_tried(have, missing), missing)
    cycle_s = _cycle_s(asked)
    if (
        cycle_s is not None
        and windows.duration_s is not None
        and windows.duration_s < cycle_s
    ):
        more = round(have * (cycle_s / max(windows.duration_s, 1e-9) - 1))
        return none(
            f"no probability: the recording lasts {duration(windows.duration_s)} and production states rates that "
            f"change over {duration(cycle_s)}, so it does not show that cycle; record all of it, about "
            f"{counted(more, 'access', 'accesses')} more at the rate of the recording",
            more,
        )
    generator = np.random.default_rng(asked.seed)
    drifts = recorded_of(asked, table, best, rows).drifts(generator)
    if drifts:
        size, worst = max(drifts.items(), key=lambda each: abs(each[1].change))
        rise = "rise" if worst.change > 0 else "fall"
        scaled = curve.scaled
        page_bytes = None if scaled is None else scaled.recorded_page_bytes
        return none(
            f"no probability: at a cache of {format_bytes(size * (page_bytes or curve.page_bytes))} the misses {rise} by "
            f"{percent(abs(worst.change))} of their mean between the time it is full and the end of the recording, more than chance explains, so "
            "the recording does not show where they settle; record at least twice as long, "
            f"{counted(have, 'access', 'accesses')} more",
            have,
        )
    return None


def _too_few_windows(found: Shortage, have: int, missing: int) -> str:
    """Say how many windows a recording of so many accesses has and needs, and how many accesses to record."""
    shortest = ""
    if found.window_accesses == SHORTEST:
        shortest = ", the shortest there are"
    warm_up = FEWEST_WITH_WARM_UP - FEWEST_WINDOWS
    return (
        f"no probability: the {counted(have, 'access', 'accesses')} that were recorded fill {counted(found.whole, 'window')} of "
        f"{counted(found.window_accesses, 'access', 'accesses')}{shortest}, and {FEWEST_WITH_WARM_UP} are needed: up to {warm_up} "
        f"for the warm-up and {FEWEST_WINDOWS} after it; record {counted(missing, 'access', 'accesses')} more"
    )


def _never_tried(have: int, missing: int) -> str:
    """Say that a recording is shorter than those on which probabilities were held against the truth."""
    return (
        f"no probability: {counted(have, 'access was', 'accesses were')} recorded, and whether a probability is right was "
        f"tried on recordings of {CALIBRATED_ACCESSES:,} and more; record {counted(missing, 'access', 'accesses')} more"
    )


def _cycle_s(asked: Asked) -> float | None:
    """Time over which the rates that production states repeat: a day, or all of a shorter series. [s]"""
    scaled = asked.setting.curve.scaled
    rates = None if scaled is None else scaled.production.rates
    if rates is None or rates.peak_per_s <= min(rates.means_per_s) * (1 + SAME):
        return None
    return float(min(rates.steps * rates.step_s, DAY_S))
