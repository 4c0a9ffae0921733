"""How many devices the load of production takes, in words."""

from __future__ import annotations

from decimal import Decimal

from tierwright.advise.point import scheme_titles
from tierwright.common.currency import amount, shown_in
from tierwright.common.units import format_count
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.results import AtLoad, DevicesNeeded, Evaluation
from tierwright.evaluate.page_flow.schemes import NO_FLASH


def sentence(found: Evaluation, load: AtLoad) -> str:
    """Say what the best scheme needs to carry the load, beside no flash.

    Parameters
    ----------
    found : Evaluation
        By the model, or decided by a replay.
    load : AtLoad
        Of it.
    """
    rate = format_count(float(f"{load.accesses_per_s:.3g}"))
    hour = "In the busiest hour" if load.of_peak else "On average"
    where = " of each machine" if load.machines > 1 else ""
    opening = f"{hour}, {rate} accesses per second{where}"
    none = load.schemes[NO_FLASH]
    alone = found.inputs["flash_pages"] == 0
    best = none if alone else load.schemes[found.best]
    if alone or found.best == NO_FLASH:
        return f"{opening} take at least {_devices(none)}{_price(none)}."
    title = scheme_titles()[found.best]
    own = f"{opening} take at least {_devices(best)} under {title}{_price(best)}"
    if best.disks == none.disks:
        return f"{own}, and as many disks without flash{_price(none)}."
    saved = _saving(best, none)
    return f"{own}, and {_devices(none)} without flash{_price(none)}{saved}."


def _devices(needed: DevicesNeeded) -> str:
    disks = counted(needed.disks, "disk")
    if needed.flash_devices == 0:
        return disks
    return f"{counted(needed.flash_devices, 'flash device')} and {disks}"


def _price(needed: DevicesNeeded) -> str:
    """Money in brackets; nothing where it is not known."""
    if needed.cost_usd_per_month is None:
        return ""
    return f" ({_money(needed.cost_usd_per_month)} a month with RAM)"


def _saving(best: DevicesNeeded, none: DevicesNeeded) -> str:
    one, other = best.cost_usd_per_month, none.cost_usd_per_month
    if one is None or other is None or one == other:
        return ""
    word = "saves" if one < other else "costs"
    more = "" if one < other else " more"
    return f": flash {word} {_money(abs(other - one))} a month{more}"


def _money(usd: Decimal) -> str:
    return f"{amount(usd)} {shown_in().currency}"
