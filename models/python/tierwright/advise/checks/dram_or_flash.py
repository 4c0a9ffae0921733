"""The check of a break-even: the DRAM step and the flash for it, replayed under each scheme."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tierwright.advise.checks.checked import Checked, CheckedFigure, row
from tierwright.advise.checks.flash_caches import (
    CacheOptions,
    at_the_load,
    flash_cache_replays,
    paces,
    taxes_at,
    with_options,
)
from tierwright.advise.checks.points import Replay
from tierwright.advise.decide import replayed_by_key
from tierwright.advise.dram_or_flash.break_even import page_costs
from tierwright.advise.point import scheme_titles
from tierwright.common import wording
from tierwright.common.errors import BadInput
from tierwright.common.wording import listed, percent, three_digits
from tierwright.evaluate.break_even import replayed as replayed_sizes
from tierwright.evaluate.break_even.gains import PageCosts
from tierwright.evaluate.break_even.replayed import CheckSizes, ReplayedBreakEven
from tierwright.evaluate.break_even.schemes import SchemeThetas, scheme_thetas
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate.contenders import flash_cache_titles
from tierwright.simulate.priced import about_batches_text, price
from tierwright.trace.reading import OnProgress, Trace

GAIN_UNIT = "µs/access"
Rates = tuple[float | None, float | None]
"""A rate that is stated, and that of the recording."""
SHARE = "share of what the DRAM saves"


@dataclass(frozen=True, slots=True)
class DramStep:
    """One DRAM step, by the model, and what is replayed to check it.

    Attributes
    ----------
    costs : PageCosts
        Busy times of the devices. [µs]
    found : SchemeThetas
        The flash that is to save as much, under every scheme.
    sizes : CheckSizes
        What is replayed.
    """

    costs: PageCosts
    found: SchemeThetas
    sizes: CheckSizes


def dram_step(
    curve: Curve,
    *,
    ram_pages: int,
    delta: float,
    flash: Device,
    disk: Device,
    disks: int = 1,
    old_share: float = 0.0,
    sequential_writes: bool = False,
    flash_metadata: MetadataPreset | None = None,
) -> DramStep:
    """Find the flash that is to save as much as a DRAM step, and what to replay.

    Parameters
    ----------
    curve : Curve
        With write-backs.
    ram_pages : int
        B, the existing DRAM. [pages]
    delta : float
        Added DRAM in multiples of B. [1]
    flash, disk : Device
        Devices of the two lower tiers.
    disks : int
        Disks that share the load. [devices]
    old_share : float
        Share of flash that holds old versions. [1]
    sequential_writes : bool
        Whether flash is written in appends.
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of B.

    Raises
    ------
    BadInput
        If an input is out of its domain, the curve has no write-backs, or a device lacks a time.
    """
    costs = page_costs(
        flash, disk, disks, curve.page_bytes, sequential=sequential_writes
    )
    found = scheme_thetas(
        curve,
        ram_pages,
        [delta],
        costs,
        old_share=old_share,
        flash_metadata=flash_metadata,
    )
    sizes = replayed_sizes.check_sizes(
        curve, ram_pages, found, flash_metadata=flash_metadata
    )
    return DramStep(costs, found, sizes)


def replayed(
    step: DramStep,
    curve: Curve,
    trace: Trace,
    *,
    flash: Device,
    disk: Device,
    disks: int = 1,
    flash_caches: Sequence[str] = (),
    options: CacheOptions | None = None,
    rates: Rates = (None, None),
    on_progress: OnProgress | None = None,
) -> Checked:
    """Replay the trace with a DRAM step, and with the flash that is to save as much.

    Parameters
    ----------
    step : DramStep
        Of `dram_step`.
    curve : Curve
        That it was asked with: of a recording at its own scale.
    trace : Trace
        The recording.
    flash, disk : Device
        Price what flash caches do.
    disks : int
        Disks that share the load. [devices]
    flash_caches : sequence of str
        To be replayed besides, with the flash that the best scheme needs.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    rates : (float or None, float or None)
        As `cache_replays` takes them. [1/s]
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve, or a replay is impossible.
    Cancelled
        If progress asked to stop.
    """
    schemes = step.sizes.wanted()
    caches = cache_replays(
        step.found,
        step.sizes,
        flash_caches,
        start=curve.start,
        accesses=curve.accesses,
        options=options,
        rates=rates,
    )
    wanted: dict[tuple[str, ReplayPoint] | str, dict[str, Any]] = {
        name: each.configuration() for name, each in caches.items()
    }
    wanted |= {(scheme, at): at.configuration(scheme) for scheme, at in schemes}
    counters = replayed_by_key(
        curve,
        trace,
        wanted,
        warm_up=step.sizes.base.warm_up,
        on_progress=on_progress,
    )
    return check(
        step.found,
        step.sizes,
        {at: counters[at] for at in schemes},
        step.costs,
        CachesBeside(
            {name: counters[name] for name in caches},
            flash,
            disk,
            disks,
            options,
            rates[0],
        ),
    )


@dataclass(frozen=True, slots=True)
class CachesBeside:
    """Flash caches replayed with the flash that the best scheme needs.

    Attributes
    ----------
    counters : mapping of str to counters
        Of their replays, by name.
    flash, disk : Device
        Price the operations by their class.
    disks : int
        Divides the disk's busy time. [devices]
    options : mapping, optional
        That they were given.
    accesses_per_s : float, optional
        Rate that is stated. [1/s]
    """

    counters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    flash: Device | None = None
    disk: Device | None = None
    disks: int = 1
    options: CacheOptions | None = None
    accesses_per_s: float | None = None

    def times_us(self) -> dict[str, float]:
        """Return the busy time of an access of each. [µs]

        Raises
        ------
        BadInput
            If a device states no time of an operation that was counted.
        """
        found = {}
        for name, counted in self.counters.items():
            assert self.disk is not None  # counters come with their devices
            cost = price(counted, flash=self.flash, disk=self.disk)
            if cost.io_time_us_per_access is None:
                raise BadInput(
                    f"the replay of `{name}` has no I/O time: {cost.reason}",
                    "choose devices that state both times",
                )
            tiers = cost.tiers_us_per_access
            found[name] = tiers["flash"] + tiers["disk"] / self.disks
        return found


def cache_replays(
    found: SchemeThetas,
    sizes: CheckSizes,
    names: Sequence[str],
    *,
    start: str,
    accesses: int,
    options: CacheOptions | None = None,
    rates: Rates = (None, None),
) -> dict[str, Replay]:
    """Return the replays of flash caches with the flash that the best scheme needs; none where no flash is needed.

    Parameters
    ----------
    found : SchemeThetas
        Of one DRAM step.
    sizes : CheckSizes
        What is replayed of the schemes.
    names : sequence of str
        Flash caches.
    start : str
        `steady` or `cold`.
    accesses : int
        Of the trace.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    rates : (float or None, float or None)
        That is stated, at which what works by the clock is replayed, and that of the recording; None: as recorded, and no
        times. [1/s]

    Raises
    ------
    BadInput
        If there is no such flash cache.
    """
    best = found.best[0]
    point = None if best is None else sizes.schemes[best].beside_best
    flash_pages = 1 if point is None else max(1, point.flash_pages)
    stated, recorded = rates
    if stated is not None:
        options = at_the_load(
            names,
            options or {},
            flash_pages=flash_pages,
            accesses_per_s=stated,
            recorded_per_s=recorded,
        )
    wanted = flash_cache_replays(
        names,
        ram_pages=1 if point is None else point.ram_pages,
        flash_pages=flash_pages,
        start=start,
        accesses=accesses,
        options=options,
    )
    return {} if point is None or point.flash_pages == 0 else wanted


def check(
    found: SchemeThetas,
    sizes: CheckSizes,
    counted: Mapping[tuple[str, ReplayPoint], Mapping[str, Any]],
    costs: PageCosts,
    caches: CachesBeside | None = None,
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
    caches : CachesBeside, optional
        Flash caches besides, of `cache_replays`.

    Raises
    ------
    BadInput
        As `CachesBeside.times_us`.
    """
    best = found.best[0]
    made = replayed_sizes.replayed_break_even(sizes, counted, costs, best)
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
                    figure=SHARE,
                    unit="1",
                    model=float(found.schemes[scheme].flash_gain[0])
                    / float(found.dram_gain[0]),
                    simulated=each.share,
                    gap_relative=None,
                )
            )
    gains = {
        name: made.base_time - time_us
        for name, time_us in (caches.times_us() if caches else {}).items()
    }
    needed = None if best is None else sizes.schemes[best].beside_best
    pages = 0 if needed is None else needed.flash_pages
    rows += _rows_of_caches(gains, pages, made)
    taxes = (
        ""
        if caches is None or needed is None
        else taxes_at(
            caches.counters,
            caches.options,
            ram_pages=sizes.base.ram_pages,
            left_pages=needed.ram_pages,
            flash_pages=pages,
        )
    )
    return Checked(
        finding=f"{_finding(found, made, sizes)} {_about_caches(gains, made)}".rstrip(),
        rows=tuple(rows),
        basis=wording.sentences(
            _basis(made, sizes), _basis_of_caches(gains, pages, caches), taxes
        ),
    )


def _basis_of_caches(
    gains: Mapping[str, float], pages: int, caches: CachesBeside | None
) -> str:
    """Say with what flash caches were replayed; empty for none."""
    if not gains or caches is None:
        return ""
    titles = flash_cache_titles()
    was = "was" if len(gains) == 1 else "were"
    said = (
        f"{listed([titles[name] for name in gains])}, for which there is no formula, {was} replayed with the "
        f"{wording.counted(pages, 'page')} of flash that the best scheme needs: single pages and pages in batches are "
        "priced at the rates of their pattern, metadata included."
    )
    return wording.sentences(
        said,
        with_options(caches.options),
        paces(caches.counters, caches.options, caches.accesses_per_s),
        about_batches_text(caches.flash, caches.counters.values()),
    )


def _rows_of_caches(
    gains: Mapping[str, float], pages: int, made: ReplayedBreakEven
) -> Iterator[CheckedFigure]:
    titles = flash_cache_titles()
    for name, gain in gains.items():
        figure = f"saved by {wording.counted(pages, 'page')} of flash"
        yield row(name, titles[name], figure, GAIN_UNIT, None, gain)
        if made.dram_gain > 0:
            share = gain / made.dram_gain
            yield row(name, titles[name], SHARE, "1", None, share)


def _about_caches(gains: Mapping[str, float], made: ReplayedBreakEven) -> str:
    """Say what the flash cache that saves most saves with the flash of the best scheme; empty for none."""
    if not gains or made.dram_gain <= 0:
        return ""
    name = max(gains, key=lambda each: gains[each])
    title = flash_cache_titles()[name]
    first = (
        f"of the flash caches, {title} saves most"
        if len(gains) > 1
        else f"{title} saves"
    )
    share = gains[name] / made.dram_gain
    if share <= 0:
        return "With as much flash, no flash cache that was replayed saves time."
    comma = "," if len(gains) > 1 else ""
    return (
        f"With as much flash, {first}{comma} {percent(share)} of what the DRAM saves."
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
