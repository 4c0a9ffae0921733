"""Where the best scheme stands between no flash, everything in RAM and everything on flash, in words."""

from __future__ import annotations

from tierwright.advise.point import scheme_titles
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.dirty_range import DirtyRange
from tierwright.evaluate.page_flow.outer import IN_RAM, ON_FLASH, WITHOUT
from tierwright.evaluate.page_flow.results import AtLoad, Evaluation, OuterBars
from tierwright.evaluate.page_flow.schemes import NO_FLASH

_EQUAL = 1e-9
"""Shares closer than that are equal but for rounding. [1]"""


def standing(found: Evaluation, outer: OuterBars, at_load: AtLoad | None = None) -> str:
    """Say how much of what everything on flash would save the best scheme saves, and at what cost.

    Parameters
    ----------
    found : Evaluation
        By the model, or decided by a replay.
    outer : OuterBars
        Of it.
    at_load : AtLoad, optional
        Of production: its words compare the devices that carry the load, so the cost of the bytes is left out.
    """
    if outer.reason is not None:
        return outer.reason
    sentences = [_time(found, outer), _in_ram(outer)]
    money = _money(found, outer) if at_load is None else ""
    return " ".join([*sentences, money] if money else sentences)


def standing_of_range(found: DirtyRange, outer: OuterBars) -> str:
    """Say the same where the dirty share is unknown: of one best scheme, the two ends.

    Parameters
    ----------
    found : DirtyRange
        Both ends.
    outer : OuterBars
        With as many dirty pages as possible.
    """
    if outer.reason is not None:
        return outer.reason
    least = found.least.outer
    ends = [
        (
            bars.bars[WITHOUT].io_time_us_per_access,
            bars.bars[ON_FLASH].io_time_us_per_access,
        )
        for bars in (least, outer)
    ]
    if found.most.inputs["flash_pages"] == 0:
        (none_low, flash_low), (none_high, flash_high) = ends
        return (
            f"Everything on flash would need {_between(flash_low, flash_high)} µs of I/O per "
            f"access, no flash needs {_between(none_low, none_high)} µs, depending on how "
            "many evicted pages are dirty."
        )
    if found.best is None:
        return (
            "How much of what everything on flash would save the best scheme saves is "
            "unknown, because the best scheme depends on the dirty share."
        )
    best = [
        end.schemes[found.best].io_time_us_per_access
        for end in (found.least, found.most)
    ]
    shares = [_share_saved(us, *pair) for us, pair in zip(best, ends, strict=True)]
    known = sorted(share for share in shares if share is not None)
    if not known:
        return "Everything on flash would not save I/O time, whatever the dirty share."
    if len(known) < len(shares):
        return (
            "Whether everything on flash would save I/O time depends on the dirty share, "
            "which is unknown."
        )
    if found.best == NO_FLASH:
        return (
            "No scheme saves I/O time here, while everything on flash would, whatever the "
            "dirty share."
        )
    low, high = percent(known[0]), percent(known[-1])
    between = low if low == high else f"{low} to {high}"
    return (
        f"{scheme_titles()[found.best]} saves {between} of the I/O time that everything on "
        "flash would save, depending on how many evicted pages are dirty."
    )


def _between(low: float, high: float) -> str:
    ends = three_digits(low), three_digits(high)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _share_saved(best_us: float, none_us: float, flash_us: float) -> float | None:
    """Share of the possible saving that is made; None where nothing can be saved. [1]"""
    possible = none_us - flash_us
    if possible <= _EQUAL * none_us:
        return None
    return (none_us - best_us) / possible


def _time(found: Evaluation, outer: OuterBars) -> str:
    none_us = outer.bars[WITHOUT].io_time_us_per_access
    flash_us = outer.bars[ON_FLASH].io_time_us_per_access
    best_us = decision.deciding_costs(found)[found.best]
    best = scheme_titles()[found.best]
    both = f"{three_digits(flash_us)} instead of {three_digits(none_us)} µs per access"
    share = _share_saved(best_us, none_us, flash_us)
    saved = 1 - best_us / none_us if none_us else 0.0
    alone = found.inputs["flash_pages"] == 0
    if share is None:
        if none_us == 0:
            return "RAM misses nothing, so there is no I/O time to save."
        if saved <= _EQUAL:
            return f"Everything on flash would not save I/O time either: {both}."
        return (
            f"{best} saves {percent(saved)} of the I/O time without flash, while "
            f"everything on flash would save nothing: {both}."
        )
    possible = percent(1 - flash_us / none_us)
    if alone:
        return f"Everything on flash would save {possible} of the I/O time: {both}."
    if saved <= _EQUAL:
        return (
            "No scheme saves I/O time here, while everything on flash would save "
            f"{possible}: {both}."
        )
    if abs(share - 1) <= _EQUAL:
        return f"{best} saves as much I/O time as everything on flash would: {both}."
    if share > 1:
        return (
            f"{best} saves {percent(saved)} of the I/O time without flash, more than "
            f"everything on flash would ({possible}): {both}."
        )
    return (
        f"{best} saves {percent(share)} of the I/O time that everything on flash would "
        f"save: {both}."
    )


def _in_ram(outer: OuterBars) -> str:
    ram_us = outer.bars[IN_RAM].io_time_us_per_access
    if ram_us == 0:
        return "Everything in RAM would need no I/O time."
    return f"Everything in RAM would need {three_digits(ram_us)} µs per access."


def _money(found: Evaluation, outer: OuterBars) -> str:
    """Compare what the best scheme costs with everything on flash; nothing without prices."""
    name = NO_FLASH if found.inputs["flash_pages"] == 0 else found.best
    own = found.schemes[name].cost_usd_per_month
    flash = outer.bars[ON_FLASH].cost_usd_per_month
    if own is None or not flash:
        return ""
    best = scheme_titles()[name]
    beside = float(own / flash) - 1
    if abs(beside) <= _EQUAL:
        return f"{best} costs as much per month as everything on flash, which needs no disk."
    word = "less" if beside < 0 else "more"
    return (
        f"{best} costs {percent(abs(beside))} {word} per month than everything on flash, "
        "which needs no disk."
    )
