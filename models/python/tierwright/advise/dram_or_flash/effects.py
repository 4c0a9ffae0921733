"""What the cautions about the next sum of money could change: its gains at their other ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tierwright.advise.dram_or_flash.break_even import page_costs
from tierwright.advise.dram_or_flash.end import Asked, OneEnd
from tierwright.common.cautions import Caution, Outcome, Weigh
from tierwright.common.wording import counted
from tierwright.evaluate.break_even.gains import PageCosts, PlainGains
from tierwright.evaluate.break_even.money import winner_of
from tierwright.evaluate.break_even.next_money import NextMoney
from tierwright.evaluate.break_even.schemes import BestGains
from tierwright.evaluate.break_even.theta import mixed_costs
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, weigher
from tierwright.profile.curve import Curve

NAMES = {"dram": "DRAM", "flash": "flash", "tie": "either", "neither": "no purchase"}
FIGURE = "time saved"
MEASURED_ARRAY = (16, 12.6, 15.1)
"""Disks of a measured array, and how many times the reads and the writes of one disk it reaches."""
WITHOUT = frozenset({"data_size_unknown", "no_curve", "log_model_differs"})
"""Cautions that change no gain on the workload's own curve."""


def effects(asked: Asked, end: OneEnd) -> Weigh | None:
    """Return what computes the effect of a caution on the better buy; None without prices.

    Parameters
    ----------
    asked : Asked
        The question.
    end : OneEnd
        What was found.
    """
    main = end.main
    if main is None:
        return None
    chosen = main.winner

    def outcomes(ends: Sequence[OtherEnd]) -> list[Outcome]:
        return [
            _outcome(each.when, chosen, gains_of(each.before), gains_of(each.situation))
            for each in ends
        ]

    def gains_of(situation: Situation) -> tuple[float, float]:
        costs = page_costs(
            situation.flash,
            situation.disk,
            asked.disks,
            situation.curve.page_bytes,
            sequential=asked.sequential_writes,
        )
        return _gains(asked, end, main, situation.curve, costs)

    def special(caution: Caution) -> list[Outcome]:
        before = (main.dram_gain, _number(main.flash_gain))
        match caution.name:
            case "within_known_error":
                ends = (main.flash_gain_least, main.flash_gain_most)
                return [
                    _outcome(
                        f"the schemes' costs are off by their error in {side} of flash",
                        chosen,
                        before,
                        (main.dram_gain, _number(gain)),
                    )
                    for side, gain in zip(("disfavour", "favour"), ends, strict=True)
                ]
            case "forms_differ":
                return [
                    _outcome(
                        _COUNTED[form],
                        chosen,
                        before,
                        (money.dram_gain, _number(money.flash_gain)),
                    )
                    for form, money in end.money.items()
                    if form != end.form
                ]
            case "ideal_array":
                disks, reads, writes = MEASURED_ARRAY
                slower = replace(
                    end.costs,
                    disk_read=end.costs.disk_read * disks / reads,
                    disk_write=end.costs.disk_write * disks / writes,
                )
                return [
                    _outcome(
                        f"the array reaches the share of the measured {counted(disks, 'disk')}",
                        chosen,
                        before,
                        _gains(asked, end, main, end.curve, slower),
                    )
                ]
            case "no_write_backs" if end.curve.given is not None:
                return [
                    _outcome(
                        when,
                        chosen,
                        before,
                        _gains(asked, end, main, curve, end.costs),
                    )
                    for when, curve in zip(
                        ("no evicted page is dirty", "as many as possible are"),
                        dirty_ends(end.curve),
                        strict=True,
                    )
                ]
            case "all_reads_assumed":
                return [
                    _outcome(
                        "every access writes",
                        chosen,
                        before,
                        _gains(asked, end, main, end.curve, end.costs, read_share=0.0),
                    )
                ]
            case _:
                pass
        return []

    r, f = float(end.ram_pages), float(main.flash_pages)
    left = float(end.beside_flash)
    sizes = (r, r + main.dram_pages, r + f, left, left + f)
    return weigher(
        Situation(end.curve, asked.flash, asked.disk, sizes),
        outcomes,
        figure=FIGURE,
        chosen=NAMES[chosen],
        kind="buy",
        without=WITHOUT,
        special=special,
    )


_COUNTED = {
    "plain": "flash writes and dirty pages cost nothing",
    "full": "flash writes and dirty pages are counted",
}


def _number(gain: float | None) -> float:
    return float("-inf") if gain is None else gain


def _gains(
    asked: Asked,
    end: OneEnd,
    main: NextMoney,
    curve: Curve,
    costs: PageCosts,
    *,
    read_share: float | None = None,
) -> tuple[float, float]:
    """Time an access that the DRAM and the flash of the sum save. [µs]"""
    gains: BestGains | PlainGains
    if end.form == "full" or (
        curve.write_backs_at is not None and end.curve.write_backs_at is None
    ):
        gains = BestGains(
            curve, end.ram_pages, costs, asked.old_share, asked.flash_metadata
        )
    else:
        mixed = mixed_costs(
            end.found.inputs["read_share"] if read_share is None else read_share,
            disk_read=costs.disk_read,
            disk_write=costs.disk_write,
            flash_read=costs.flash_read,
            flash_write=costs.flash_write,
        )
        gains = PlainGains(
            curve,
            end.ram_pages,
            float(mixed.disk),
            float(mixed.flash),
            asked.flash_metadata,
        )
    dram, flash = (
        float(gains.dram(main.dram_pages)),
        float(gains.flash(main.flash_pages)),
    )
    return dram, flash if flash == flash else float("-inf")  # NaN: no room for it


def _outcome(
    when: str, chosen: str, before: tuple[float, float], after: tuple[float, float]
) -> Outcome:
    """Compare what the choice gains there with what is best there."""
    best = winner_of(*after)
    most, had, has = (
        max(*after, 0.0),
        _of_choice(chosen, before),
        _of_choice(chosen, after),
    )
    if has == float("-inf"):  # there is no room for it at all
        return Outcome(when, -1.0, NAMES[best], 1.0)
    return Outcome(
        when,
        (has - had) / had if had > 0 else 0.0,
        NAMES[best],
        (most - has) / most if most > 0 else 0.0,
    )


def _of_choice(chosen: str, gains: tuple[float, float]) -> float:
    """Return what a choice gains; of a tie the less, as either may have been bought. [µs]"""
    dram, flash = gains
    return {"dram": dram, "flash": flash, "tie": min(dram, flash)}.get(chosen, 0.0)
