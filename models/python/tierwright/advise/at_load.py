"""How many devices the load of production takes, and which way costs least, in words."""

from __future__ import annotations

from typing import NamedTuple

from tierwright.advise.point import scheme_titles
from tierwright.common.currency import amount, money
from tierwright.common.units import format_count
from tierwright.common.wording import counted, listed
from tierwright.evaluate.page_flow.outer import IN_RAM, ON_FLASH, TITLES
from tierwright.evaluate.page_flow.results import AtLoad, DevicesNeeded, Evaluation
from tierwright.evaluate.page_flow.schemes import NO_FLASH


class _Way(NamedTuple):
    """One way to carry the load: its name, the same within a sentence, what follows its devices, and the devices."""

    title: str
    within: str
    where: str
    needed: DevicesNeeded


def sentence(found: Evaluation, load: AtLoad) -> str:
    """Say what the best scheme, no flash and everything on flash need to carry the load, and that a replay counted it.

    Parameters
    ----------
    found : Evaluation
        By the model, or decided by a replay.
    load : AtLoad
        Of it.
    """
    rate = format_count(float(f"{load.accesses_per_s:.3g}"))
    hour = "In the busiest hour" if load.of_peak else "On average"
    machine = " of each machine" if load.machines > 1 else ""
    ways = listed(
        [
            f"{listed(_devices(way.needed))}{way.where}{_price(way.needed)}"
            for way in _ways(found, load)
        ]
    )
    by = "" if found.decided_by == "model" else ", as the replay counts them"
    return f"{hour}, {rate} accesses per second{machine} take at least {ways}{by}."


def verdict(found: Evaluation, load: AtLoad) -> str:
    """Say which of these ways costs least, with RAM; nothing where a price is missing.

    Parameters
    ----------
    found : Evaluation
        By the model, or decided by a replay.
    load : AtLoad
        Of it.
    """
    ways = _ways(found, load)
    costs = [way.needed.cost_usd_per_month for way in ways]
    if len(ways) == 1 or costs[0] is None or costs[1] is None:
        return ""
    least, next_ = ways[0], ways[1]
    difference = costs[1] - costs[0]
    machine = " on each machine" if load.machines > 1 else ""
    what = listed([*_devices(least.needed), "RAM"])
    own = f"{money(costs[0])} a month for {what}{machine}"
    if amount(costs[0]) == amount(costs[1]):
        return f"{least.title} and {next_.title} cost the same: {own}."
    return f"{least.title} costs least: {own}, {money(difference)} less than {next_.within}."


def _ways(found: Evaluation, load: AtLoad) -> list[_Way]:
    """Return the ways to carry the load, the cheapest first where all prices are known.

    The best scheme, no flash, everything on flash; and what costs still less than these.
    """
    titles = scheme_titles()
    every = {
        # The title of a scheme is a name: it is written the same everywhere.
        name: _Way(titles[name], titles[name], f" under {titles[name]}", needed)
        for name, needed in load.schemes.items()
        if name == NO_FLASH or found.inputs["flash_pages"]
    } | {
        name: _Way(
            TITLES[name],
            _in_sentence(TITLES[name]),
            f" with {_in_sentence(TITLES[name])}",
            load.outer[name],
        )
        for name in (ON_FLASH, IN_RAM)
        if name in load.outer
    }
    every[NO_FLASH] = _Way(
        "No flash", "no flash", " without flash", load.schemes[NO_FLASH]
    )
    shown = [
        name
        for name in dict.fromkeys((found.best, NO_FLASH, ON_FLASH))
        if name in every
    ]
    costs = {name: way.needed.cost_usd_per_month for name, way in every.items()}
    known = {name: cost for name, cost in costs.items() if cost is not None}
    if len(known) < len(every):
        return [every[name] for name in shown]
    least = min(known, key=lambda name: (known[name], name not in shown))
    shown = list(dict.fromkeys((*shown, least)))
    return [every[name] for name in sorted(shown, key=lambda name: known[name])]


def _in_sentence(title: str) -> str:
    """Write a title that is no name within a sentence."""
    return f"{title[0].lower()}{title[1:]}"


def _devices(needed: DevicesNeeded) -> list[str]:
    counts = {"flash device": needed.flash_devices, "disk": needed.disks}
    return [counted(count, one) for one, count in counts.items() if count]


def _price(needed: DevicesNeeded) -> str:
    """Money in brackets; nothing where it is not known."""
    if needed.cost_usd_per_month is None:
        return ""
    return f" ({money(needed.cost_usd_per_month)} a month with RAM)"
