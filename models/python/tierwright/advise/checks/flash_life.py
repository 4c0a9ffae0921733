"""Life of the flash under one replay, beside its other figures: what is written to it, and how long it lasts.

The writes are those that the replay counted, the budget is the device's own (`write_budget`), the life that of the check of
wear (`replayed_life`). What the device makes of the writes is counted by the translation layer under the replay, where its
options ask for one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tierwright.common.wording import (
    counted,
    listed,
    rate_text,
    sentences,
    three_digits,
)
from tierwright.hardware.device import Device
from tierwright.simulate.contenders import NO_FLASH, RATE, STRETCH, stretched_words
from tierwright.simulate.priced import flash_pages_written, too_short_to_write
from tierwright.simulate.replay import TELLS_WRITES

if TYPE_CHECKING:
    from tierwright.advise.checks.counted import ReplayedLife
    from tierwright.evaluate.endurance.outlook import WriteBudget

NO_DEVICE = "no flash device was named, so nothing says how many writes it endures"
NO_RATE = (
    "the accesses of the trace have no times, or all have the same one, and no rate of them is stated, so nothing says how "
    "much is written a day"
)
NO_LAYER = (
    "no translation layer was under flash: the option ftl_spare_percent puts one there"
)
NO_LAYER_SAMPLED = "erase blocks do not shrink with flash, so no translation layer was under the sample"
NOT_SAMPLED = "a sample does not show how many pages of {} are written to flash; a replay of all pages does"
"""Of what is written besides pages of data."""
METADATA = {
    "metadata_random_page_writes": "metadata",
    "metadata_segments": "metadata segments",
}
"""Counters of metadata on flash, each left out of a sample that does not tell it."""
SAMPLED_FLASH_CACHE = "flash_write_batches"
"""A counter that samples of flash caches have, and none of a scheme, which writes no metadata."""
WITHOUT_AMPLIFICATION = "without the write amplification of these writes"
"""Of a life by a rating, which has that of its own test inside."""
WRITES_UNTOLD = (
    "the trace does not record writes, so what they bring to flash is not in the counts"
)
NO_TIME_TO_WRITE = "nothing was written to flash in so short a replay; {}"
"""With what works by the clock and how long the replay lasted."""
NOTHING_WRITTEN = "nothing was written to flash while writes were counted"


@dataclass(frozen=True, slots=True)
class Rate:
    """Accesses per second, and whose.

    Attributes
    ----------
    accesses_per_s : float
        [1/s]
    words : str
        The same in words.
    """

    accesses_per_s: float
    words: str


@dataclass(frozen=True, slots=True)
class FlashLife:
    """What one replay does to the flash under it.

    Attributes
    ----------
    written_pages : int
        Written to flash while accesses were counted, metadata and a directory on flash among them; of miniatures as
        estimated for all pages, and without what `reason` says no sample tells. [pages]
    erases : int or None
        Blocks that the device under it erased; None without one.
    waf : float or None
        Pages that the device wrote for each page written to it; None without one, or where nothing was written. [1]
    waf_note : str or None
        Why there is no write amplification, or why it is not the steady one.
    accesses_per_s : float or None
        Rate that the life is of: of production, else as an option states it, else as recorded. [1/s]
    tb_per_day : float or None
        Written to flash at that rate. [10^12 bytes/day]
    years : float or None
        Until the device has taken the writes that it is rated for; None where it never has, or nothing is known.
        [365 days]
    never_worn_out : bool
        Whether it never has: nothing is written.
    basis : str or None
        What the life rests on: rate, and rating of the device; None without one.
    reason : str or None
        Why there is no life.
    sentence : str
        All of it in words.
    """

    written_pages: int
    erases: int | None
    waf: float | None
    waf_note: str | None
    accesses_per_s: float | None
    tb_per_day: float | None
    years: float | None
    never_worn_out: bool
    basis: str | None
    reason: str | None
    sentence: str


def rate_of(
    counters: Mapping[str, Any],
    *,
    recorded_per_s: float | None,
    production_per_s: float | None = None,
    stated_per_s: float | None = None,
) -> Rate | None:
    """Return the rate at which a replay wears flash; None where nothing states one.

    Parameters
    ----------
    counters : mapping
        A result of `replay`.
    recorded_per_s : float or None
        Of the trace; None where it has no times, or one for all accesses. [1/s]
    production_per_s : float, optional
        Of the machine of production that the replay stands for. [1/s]
    stated_per_s : float, optional
        Stated beside the replay. [1/s]

    Examples
    --------
    >>> rate_of({"options": {"accesses_per_second": "500"}}, recorded_per_s=None).words
    'the stated 500 accesses/s'
    >>> rate_of({"options": {"stretch": "0.5"}}, recorded_per_s=100.0).words
    '200 accesses/s, with recorded times multiplied by 0.500'
    """
    if production_per_s is not None:
        return Rate(
            production_per_s,
            f"the {three_digits(production_per_s)} accesses/s of a machine of production",
        )
    options = counters.get("options") or {}
    stretched = (
        f", with {stretched_words(options[STRETCH])}" if STRETCH in options else ""
    )
    # Times that nothing multiplied are those of the recording, whatever an option says.
    if stated_per_s is None and RATE in options and (stretched or not recorded_per_s):
        stated_per_s = float(options[RATE])
    if stated_per_s is not None:
        return Rate(
            stated_per_s, f"the stated {rate_text(stated_per_s)} accesses/s{stretched}"
        )
    if not recorded_per_s:
        return None
    if stretched:
        rate = recorded_per_s / float(options[STRETCH])
        return Rate(rate, f"{three_digits(rate)} accesses/s{stretched}")
    return Rate(
        recorded_per_s, f"the recorded {three_digits(recorded_per_s)} accesses/s"
    )


def life_of(
    counters: Mapping[str, Any],
    *,
    device: Device | None,
    rate: Rate | None,
    flash_pages: int | None = None,
    is_sampled: bool = False,
) -> FlashLife | None:
    """Return what a replay does to the flash under it; None without flash.

    Parameters
    ----------
    counters : mapping
        A result of `replay`.
    device : Device or None
        That flash is made of: as many as hold it.
    rate : Rate or None
        Of `rate_of`.
    flash_pages : int, optional
        Flash that was asked for, where the replay stands for that of production. [pages]
    is_sampled : bool
        Whether the counts are the estimate of miniatures: already those of all pages, without what no sample tells.
    """
    is_flashless = counters.get("scheme") == NO_FLASH or not counters.get("flash_pages")
    if is_flashless or not counters["accesses"]:
        return None
    untold = _untold(counters) if is_sampled else None
    if not counters.get(TELLS_WRITES, True):
        untold = WRITES_UNTOLD
    if is_sampled:
        # Segments are untold; single pages of metadata are all that is left.
        single = counters.get("metadata_random_page_writes", 0)
        counters = {**counters, "metadata_page_writes": single}
    written = flash_pages_written(counters)
    too_short = too_short_to_write(counters)
    layer = counters.get("ftl") or {}
    waf = layer.get("waf")
    held = (flash_pages or counters["flash_pages"]) * counters["page_bytes"]
    budget, devices = _budget(device, held)
    total = None if budget is None else budget.in_place_tb
    life = None
    if rate is not None and untold is None and too_short is None:
        from tierwright.advise.checks.counted import replayed_life

        life = replayed_life(
            counters, budget_tb=total, accesses_per_s=rate.accesses_per_s
        )
    years = None if life is None else life.years
    reason = _why_none(budget, untold, rate, too_short)
    note = NO_LAYER_SAMPLED if is_sampled else _about_waf(counters, layer)
    basis, rated = None, ""
    if life is not None and rate is not None and budget is not None and reason is None:
        many = "" if devices == 1 else f" of {counted(devices, 'device')}"
        rated = f"by the {budget.basis}{many}, {WITHOUT_AMPLIFICATION}"
        basis = f"at {rate.words}, {rated}"
    return FlashLife(
        written_pages=round(written),
        erases=layer.get("erases"),
        waf=waf,
        waf_note=note,
        accesses_per_s=None if rate is None else rate.accesses_per_s,
        tb_per_day=None if life is None else life.tb_per_day,
        years=None if years == math.inf else years,
        never_worn_out=years == math.inf,
        basis=basis,
        reason=reason,
        sentence=_sentence(
            f"{_how_well(untold, is_sampled=is_sampled)}{counted(round(written), 'page write')}",
            life,
            rate,
            layer,
            note,
            rated or reason,
        ),
    )


def _budget(device: Device | None, held_bytes: float) -> tuple[WriteBudget | None, int]:
    """Return the writes that a device endures, as many as hold the flash, and how many they are; None without one."""
    if device is None:
        return None, 1
    # A quick command without a device does without it.
    from tierwright.evaluate.endurance.outlook import write_budget

    devices = 1
    if device.capacity_bytes:
        devices = max(1, math.ceil(held_bytes / device.capacity_bytes))
    return write_budget(device, devices=devices), devices


def _why_none(
    budget: WriteBudget | None,
    untold: str | None,
    rate: Rate | None,
    too_short: str | None,
) -> str | None:
    """Say why there is no life; None where there is one."""
    if budget is None:
        return NO_DEVICE
    if budget.in_place_tb is None:
        return budget.reason
    if untold is not None:
        return untold
    if rate is None:
        return NO_RATE
    return None if too_short is None else NO_TIME_TO_WRITE.format(too_short)


def _untold(counters: Mapping[str, Any]) -> str | None:
    """Say what is written to flash besides, of which miniatures tell nothing; None where they tell all."""
    if "directory_pages" in (counters.get("options") or {}):
        return NOT_SAMPLED.format("the directory")
    if SAMPLED_FLASH_CACHE not in counters:
        return None
    lacking = [words for counter, words in METADATA.items() if counter not in counters]
    return NOT_SAMPLED.format(lacking[0]) if lacking else None


def _how_well(untold: str | None, *, is_sampled: bool) -> str:
    """Say how well a count of writes is known; nothing where it was counted."""
    if untold is not None:
        return "at least "
    return "about " if is_sampled else ""


def _sentence(
    written: str,
    life: ReplayedLife | None,
    rate: Rate | None,
    layer: Mapping[str, Any],
    note: str | None,
    why: str | None,
) -> str:
    """Say it in words; `why` is what the life rests on, or why there is none."""
    daily = (
        ""
        if rate is None or life is None
        else f", {three_digits(life.tb_per_day)} TB/day at {rate.words}"
    )
    said = [f"Flash took {written}{daily}."]
    if layer.get("waf") is not None:
        erased = counted(layer["erases"], "erase block")
        said.append(
            f"The device under it wrote {three_digits(layer['waf'])} pages for each of them and erased {erased}."
        )
    if note is not None:
        said.append(f"Write amplification: {note}.")
    if life is None or life.years is None:
        said.append(f"How long it lasts is not known: {why}.")
    elif life.years == math.inf:
        said.append("It is never worn out: nothing is written to it.")
    else:
        said.append(f"It lasts {three_digits(life.years)} years, {why}.")
    return sentences(*said)


def about_lives(lives: Sequence[FlashLife], titles: Sequence[str]) -> str:
    """Say what the lives of several replays over one device rest on, or why there are none; empty for none.

    Parameters
    ----------
    lives : sequence of FlashLife
        One for each replay.
    titles : sequence of str
        Whose they are, which is said where they rest on different rates.
    """
    of: dict[str, list[str]] = {}
    for each, title in zip(lives, titles, strict=True):
        if each.basis is not None:
            of.setdefault(each.basis, []).append(title)
    reasons = dict.fromkeys(each.reason for each in lives if each.reason is not None)
    amplified = [each for each in lives if each.waf is not None]
    said = [
        f"The flash lasts as stated{f' under {listed(whose)}' if len(of) > 1 else ''} {basis}."
        for basis, whose in of.items()
    ]
    said += [f"How long flash lasts is not known: {reason}." for reason in reasons]
    if lives and not amplified:
        said.append(f"Write amplification was not counted: {NO_LAYER}.")
    notes = dict.fromkeys(each.waf_note for each in amplified if each.waf_note)
    said += [f"Write amplification: {note}." for note in notes]
    return sentences(*said)


def _about_waf(counters: Mapping[str, Any], layer: Mapping[str, Any]) -> str | None:
    """Say why a replay has no write amplification, or why it is not the steady one; None where it is."""
    if not layer:
        return NO_LAYER
    if layer["waf"] is None:
        return NOTHING_WRITTEN
    from tierwright.advise.checks.points import SETTLED

    data = layer["host_writes"] - layer.get("metadata_writes", 0)
    times = data / counters["flash_pages"]
    if times >= SETTLED:
        return None
    return (
        f"flash was overwritten {three_digits(times)} times, and below about {SETTLED} it is still rising, so this is the least "
        "there will be"
    )
