"""What to cache: for each relation, size of requests or hour, whether its pages enter flash, and when.

Joins the counts of `tierwright.profile.categories` and the knapsack of `tierwright.evaluate.cachesack` with prices of
devices: a read from the store takes time of a disk, a page written to flash uses up endurance, and flash is rented or
written off. Source: Yang and others, CacheSack (USENIX ATC 2022).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypedDict

import numpy as np

from tierwright.advise import access_cost
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.currency import money
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import UNIT_BYTES, format_bytes
from tierwright.common.wording import counted, duration, listed, percent, three_digits
from tierwright.evaluate.cachesack import (
    ESTIMATOR,
    VALIDITY,
    Choice,
    Priced,
    Served,
    WithMore,
    choose,
    with_more,
)
from tierwright.evaluate.economics import HOURS_PER_MONTH, tier_price
from tierwright.evaluate.endurance.money import purchase_usd
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.hardware.rated_endurance import TB, rated_endurance
from tierwright.profile.categories import ADMISSIONS, CategoryCounts

SOURCE = "Yang and others, CacheSack (USENIX ATC 2022)"
BY_THE_MODEL = (
    "By the model of one lifetime. Where the trace changes its phases, another admission may be cheaper: a replay of the "
    "trace tells."
)
EVERY_MISS = "miss"
"""What the choice is compared with: all that misses RAM and flash enters flash."""
IN_WORDS = {
    "never": "never",
    "second_miss": "at the second miss",
    "miss": "at a miss",
    "write": "at a miss or when written",
}
NOUNS = {
    "relation": ("relation", "relations"),
    "size": ("size class", "size classes"),
    "hour": ("hour", "hours"),
}
SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600
GIB = UNIT_BYTES["GiB"]
BILLION = 1e9
A_LITTLE = 0.01
"""Share of flash of which is said what more would save. [1]"""
WHOLE, BY_SIZE = "whole", "by_size"
FLASH_PAID = (WHOLE, BY_SIZE)
"""How flash is paid for: all of it, whatever it holds; or as much of it as is worth its price."""
SAME = 0.0005
"""Share below which two costs are the same."""
_PAIR = 2
"""So many are called both."""
_ROUNDING = 1e-6
"""Part of a page that rounding leaves."""
_DIGITS = 9
"""Of a share in an assignment: flash of 10^9 pages is divided to a page."""


@dataclass(frozen=True, slots=True)
class Charges:
    """What is paid for reads, for writes and for flash.

    Attributes
    ----------
    usd_per_billion_reads : float
        Reads of a page from the store. [USD]
    usd_per_tb_written : float
        10^12 bytes written to flash. [USD]
    usd_per_gib_month : float or None
        Flash; None where no price is known. [USD/GiB/month]
    of_reads, of_writes, of_flash : str
        Where each is from.
    """

    usd_per_billion_reads: float
    usd_per_tb_written: float
    usd_per_gib_month: float | None
    of_reads: str
    of_writes: str
    of_flash: str


class _Each(TypedDict):
    """Prices of one read, of a page written and of a page held over the trace. [USD]"""

    read_usd: float
    write_usd: float
    rent_usd: float


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category under the choice.

    Attributes
    ----------
    number : int
        By which the simulator knows it.
    name : str
        For people.
    reads, writes, pages : int
        Of the trace, below RAM: of the recording where it stands for production.
    admission : str
        When its pages enter flash; of a mixture the admission of `share` of the pages.
    share : float
        1 but for a mixture. [1]
    otherwise : str or None
        Admission of the other pages of a mixture.
    held_pages, held_share : float
        Mean flash in use, of the system that the trace stands for, and as a share of its flash. [pages], [1]
    hits, flash_writes : float
        Reads that flash serves because of it, and pages written to it, over the trace; of sizes and hours these may be
        reads of another category, so more than its own. [pages]
    flash_usd_per_month : float
        Of the flash that it holds, where flash is paid by size; else 0. [USD/month]
    usd_per_month : float
        Of its reads less its hits, its writes to flash and its flash. [USD/month]
    saved_usd_per_month : float
        By which that is below its cost where every miss enters flash; negative where it is above. [USD/month]
    """

    number: int
    name: str
    reads: int
    writes: int
    pages: int
    admission: str
    share: float
    otherwise: str | None
    held_pages: float
    held_share: float
    hits: float
    flash_writes: float
    flash_usd_per_month: float
    usd_per_month: float
    saved_usd_per_month: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """One assignment as a whole.

    Attributes
    ----------
    name : str
        One of the admissions, for all categories; or `by_category`.
    hits, disk_reads, flash_writes : float
        Over the trace. [pages]
    hit_share : float
        Of the misses of RAM. [1]
    flash_pages : float
        Flash that is paid for, of the system that the trace stands for. [pages]
    read_usd_per_month, write_usd_per_month : float
        Of reads from the store, and of writes to flash. [USD/month]
    flash_usd_per_month : float
        Of flash, where it is paid by size; else 0. [USD/month]
    usd_per_month : float
        Of all of these. [USD/month]
    lifetime_requests : float
        How long a page stays on flash behind its last request. [requests]
    assignment : str
        As the option of the flash cache `cachesack` takes it.
    """

    name: str
    hits: float
    disk_reads: float
    flash_writes: float
    hit_share: float
    flash_pages: float
    read_usd_per_month: float
    write_usd_per_month: float
    flash_usd_per_month: float
    usd_per_month: float
    lifetime_requests: float
    assignment: str


@dataclass(frozen=True, kw_only=True)
class WhatToCache(Answer):
    """The admission of each category, and what it costs.

    Attributes
    ----------
    kind : str
        What tells categories apart: `relation`, `size` or `hour`.
    ram_pages, flash_pages : int
        Of the system that the trace stands for: of one machine of production, or of the trace itself. [pages]
    counted_ram_pages, counted_flash_pages : int
        At which the trace was counted. [pages]
    counts_of : str
        Of what reads, writes, pages, hits and pages written to flash are counts, where these are a recording's that
        stands for production; empty else.
    page_bytes : int
        [bytes]
    accesses_per_s : float
        Load. [1/s]
    flash_paid : str
        One of `FLASH_PAID`.
    replayed_flash_pages : int
        At which a replay of the trace checks the choice: what is paid for, in whole pages of the trace. [pages]
    rows : tuple of CategoryRow
        Of most reads first.
    chosen : Alternative
        The choice as a whole.
    alternatives : tuple of Alternative
        Each admission for all categories.
    saved_usd_per_month, saved_share : float
        By which the choice is below admitting every miss. [USD/month], [1]
    lifetime_requests : float
        How long a page stays on flash behind its last request, in requests of the trace: what its replays take. [requests]
    lifetime_s : float
        The same on the system that the trace stands for. [s]
    lifetime_text : str
        The same in words; empty where nothing enters flash.
    more_flash_usd_per_month : float
        What one per cent of the flash more would save, before its price. [USD/month]
    more_flash_price_usd_per_month : float or None
        What it would cost; None where no price is known. [USD/month]
    charges : Charges
        Prices.
    basis : str
        What says so.
    estimator, validity : str
    """

    kind: str
    ram_pages: int
    flash_pages: int
    counted_ram_pages: int
    counted_flash_pages: int
    counts_of: str
    page_bytes: int
    accesses_per_s: float
    flash_paid: str
    replayed_flash_pages: int
    rows: tuple[CategoryRow, ...]
    chosen: Alternative
    alternatives: tuple[Alternative, ...]
    saved_usd_per_month: float
    saved_share: float
    lifetime_requests: float
    lifetime_s: float
    lifetime_text: str
    more_flash_usd_per_month: float
    more_flash_price_usd_per_month: float | None
    charges: Charges
    basis: str = BY_THE_MODEL
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def every_miss(self) -> Alternative:
        """The assignment that the choice is compared with."""
        return next(each for each in self.alternatives if each.name == EVERY_MISS)

    @property
    def is_of_a_recording(self) -> bool:
        """Whether the trace is a recording that stands for production of other sizes."""
        asked = (self.ram_pages, self.flash_pages)
        return asked != (self.counted_ram_pages, self.counted_flash_pages)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What the choice costs and saves, and what more flash would save."""
        return (
            Figure(
                "usd_per_month",
                f"{_paid(self.flash_paid)}, per month".capitalize(),
                self.chosen.usd_per_month,
                "USD/month",
            ),
            Figure(
                "saved_usd_per_month",
                "Below admitting every miss",
                self.saved_usd_per_month,
                "USD/month",
            ),
            Figure("hit_share", "Hits of flash", self.chosen.hit_share, "1"),
            Figure(
                "flash_writes",
                f"Writes to flash{_of_the_recording(self)}",
                self.chosen.flash_writes,
                "pages",
            ),
            Figure(
                "more_flash_usd_per_month",
                "Saved by 1 % more flash",
                self.more_flash_usd_per_month,
                "USD/month",
            ),
            Figure("lifetime_s", "Lifetime of a page on flash", self.lifetime_s, "s"),
        )


def answer(
    counts: CategoryCounts,
    *,
    flash_pages: int,
    flash: Device,
    disk: Device,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    accesses_per_s: float | None = None,
    usd_per_billion_reads: float | None = None,
    usd_per_tb_written: float | None = None,
    usd_per_gib_month: float | None = None,
    flash_paid: str = WHOLE,
    production_pages: tuple[int, int] | None = None,
) -> WhatToCache:
    """Choose which categories of requests enter flash, and when, so that reads, wear and flash cost least.

    cost = misses of flash x price of a read + pages written to flash x price of their bytes
           + flash that is paid by size x its price

    Flash that is bought whole is paid for whatever it holds, so its price is no part of the choice.

    Parameters
    ----------
    counts : CategoryCounts
        Of the trace below its RAM.
    flash_pages : int
        Flash, at least 1. [pages]
    flash, disk : Device
        Whose endurance is used up, and whose time a read takes.
    prices : PriceBook, optional
        Its prices go before those of the devices.
    amortisation_months : int
        Months over which a purchase is spread. [months]
    accesses_per_s : float, optional
        Load, if not that of the trace. [1/s]
    usd_per_billion_reads, usd_per_tb_written : float, optional
        In place of what follows from the devices. [USD]
    usd_per_gib_month : float, optional
        Price of flash, in place of the rent of the device, or of its price over the months. [USD/GiB/month]
    flash_paid : str
        `whole`: all of the flash, whatever it holds; `by_size`: at most that, as much as is worth its price.
    production_pages : tuple of int, optional
        RAM and flash of one machine of production, if the trace stands for it. [pages]

    Raises
    ------
    BadInput
        If a price is not known and not given, the trace has no time and no load is given, or an input is out of range.
    """
    if flash_paid not in FLASH_PAID:
        raise BadInput(
            f"flash_paid `{flash_paid}` is unknown", f"one of {', '.join(FLASH_PAID)}"
        )
    rate = _rate(counts, accesses_per_s)
    charges, warnings = _charges(
        counts.page_bytes,
        flash,
        disk,
        prices,
        amortisation_months,
        (usd_per_billion_reads, usd_per_tb_written, usd_per_gib_month),
    )
    times = rate * float(SECONDS_PER_MONTH) / counts.accesses
    # Pages of the system for each of the trace; a trace without flash is refused below.
    system = production_pages or (counts.ram_pages, flash_pages)
    stands_for = system[1] / max(flash_pages, 1)
    page_price = None
    if charges.usd_per_gib_month is not None:
        page_price = charges.usd_per_gib_month * counts.page_bytes / GIB * stands_for
    by_size = flash_paid == BY_SIZE
    if by_size and page_price is None:
        raise BadInput(
            f"the price of flash is unknown: {charges.of_flash} of `{flash.id}`",
            "choose another drive or a price book, state the price of a GiB and month, or take flash as bought whole",
        )
    flash_price = page_price if by_size and page_price is not None else 0.0

    def each_usd(at: Charges, price: float) -> _Each:
        return {
            "read_usd": at.usd_per_billion_reads / BILLION,
            "write_usd": at.usd_per_tb_written * counts.page_bytes / TB,
            "rent_usd": price / times,
        }

    each = each_usd(charges, flash_price)
    priced = Priced(counts, each["read_usd"], each["write_usd"])
    chosen = choose(counts, flash_pages, **each, priced=priced)
    paid = _Paid(flash_paid, flash_pages, stands_for, flash_price, counts.page_bytes)

    def charged_once(by: str) -> tuple[Alternative, str]:
        """Choose where a drive is charged by its size alone, or by its wear alone; with the flash in bytes."""
        once = (
            replace(charges, usd_per_tb_written=0.0)
            if by == "size"
            else replace(charges, usd_per_gib_month=0.0)
        )
        price = flash_price if by == "size" else 0.0
        again = choose(counts, flash_pages, **each_usd(once, price)).best
        other = replace(paid, usd=price)
        found = _alternative("by_category", counts, again, once, times, other)
        return found, other.bytes_of(other.pages(again))

    whole = _alternative("by_category", counts, chosen.best, charges, times, paid)
    others = tuple(
        _alternative(name, counts, chosen.uniform[name], charges, times, paid)
        for name in ADMISSIONS
    )
    before = next(each for each in others if each.name == EVERY_MISS)
    saved = before.usd_per_month - whole.usd_per_month
    stay = _Stay.of(counts, chosen.best, rate, stands_for)
    rows = _rows(counts, chosen, charges, times, paid)
    more = with_more(
        counts,
        chosen,
        flash_pages,
        flash_pages * A_LITTLE,
        **each,
        priced=priced,
    )
    saved_by_more = more.saved_usd * times
    price = None if page_price is None else page_price * flash_pages * A_LITTLE
    if by_size and usd_per_gib_month is None and usd_per_tb_written is None:
        warnings += _charged_twice(
            flash, prices, whole, amortisation_months, charged_once
        )
    share = saved / before.usd_per_month if before.usd_per_month else 0.0
    return WhatToCache(
        finding=_finding(
            counts.kind,
            rows,
            whole,
            others,
            saved,
            share,
            paid.words(),
            _more(saved_by_more, price, whole, paid),
        ),
        warnings=warnings,
        explain=lambda: _steps(counts, chosen, charges, times, more, paid, stay),
        kind=counts.kind,
        ram_pages=system[0],
        flash_pages=system[1],
        counted_ram_pages=counts.ram_pages,
        counted_flash_pages=flash_pages,
        counts_of=_counts_of(counts, flash_pages, system),
        page_bytes=counts.page_bytes,
        accesses_per_s=rate,
        flash_paid=flash_paid,
        replayed_flash_pages=paid.replayed(chosen.best),
        rows=rows,
        chosen=whole,
        alternatives=others,
        saved_usd_per_month=saved,
        saved_share=share,
        lifetime_requests=stay.requests,
        lifetime_s=stay.seconds,
        lifetime_text=stay.text,
        more_flash_usd_per_month=saved_by_more,
        more_flash_price_usd_per_month=price,
        charges=charges,
    )


def _of_the_recording(found: WhatToCache) -> str:
    """Say behind the name of a count that it is the recording's, where sizes and costs are those of production."""
    return ", of the recording" if found.is_of_a_recording else ""


def _counts_of(
    counts: CategoryCounts, flash_pages: int, system: tuple[int, int]
) -> str:
    """Say of what counts are, where sizes and costs are those of production; empty where both are of the trace."""
    if system == (counts.ram_pages, flash_pages):
        return ""
    ram, flash = (
        format_bytes(pages * counts.page_bytes)
        for pages in (counts.ram_pages, flash_pages)
    )
    return (
        "Reads, writes, pages, hits and pages written to flash are counts of the recording, of its "
        f"{counted(counts.accesses, 'access', 'accesses')} over {ram} of RAM and {flash} of flash; sizes, what is held on "
        "flash, times and costs are those of production."
    )


@dataclass(frozen=True, slots=True)
class _Stay:
    """How long a page stays on flash behind its last request.

    Attributes
    ----------
    requests : float
        Of the trace. [requests]
    stands_for : float
        Pages of the system for each of the trace, and so requests until its flash is full. [1]
    requests_per_s : float
        Below RAM, of the system. [1/s]
    is_full : bool
        Whether flash is ever full: until then no page leaves it.
    is_used : bool
        Whether anything enters it.
    """

    requests: float
    stands_for: float
    requests_per_s: float
    is_full: bool
    is_used: bool

    @classmethod
    def of(
        cls, counts: CategoryCounts, best: Served, rate: float, stands_for: float
    ) -> _Stay:
        """Take it from a choice, at a rate of accesses. [1/s]"""
        return cls(
            best.age,
            stands_for,
            rate * counts.requests / counts.accesses,
            is_full=best.age < counts.ages[-1],
            is_used=bool(best.held.sum() > 0),
        )

    @property
    def seconds(self) -> float:
        """How long, on the system that the trace stands for. [s]"""
        if not self.requests_per_s:
            return 0.0
        return self.requests * self.stands_for / self.requests_per_s

    @property
    def text(self) -> str:
        """The same in words; empty where nothing enters flash."""
        if not self.is_used:
            return ""
        stays = duration(self.seconds)
        if not self.is_full:
            return f"No page leaves flash within {stays}, for which the trace stands: it is not full until then."
        return f"A page stays on flash for {stays} behind its last request."


def _rate(counts: CategoryCounts, accesses_per_s: float | None) -> float:
    """Return the load. [1/s]"""
    if accesses_per_s is not None:
        problems = Problems("what to cache", "give a load above 0")
        good = bool(np.isfinite(accesses_per_s)) and accesses_per_s > 0
        problems.check(good, "accesses_per_s", accesses_per_s, "must be above 0")
        problems.raise_if_any()
        return accesses_per_s
    recorded = counts.accesses_per_s
    if recorded is None:
        raise BadInput(
            "the trace has no times, so its load and what it costs per month are unknown",
            "state the load in accesses per second",
        )
    return recorded


def _charges(
    page_bytes: int,
    flash: Device,
    disk: Device,
    prices: PriceBook | None,
    months: int,
    given: tuple[float | None, float | None, float | None],
) -> tuple[Charges, tuple[Caution, ...]]:
    """Price reads, writes and flash."""
    of_reads = of_writes = "as given"
    warnings: tuple[Caution, ...] = ()
    reads, written, rent = given
    for name, value in (
        ("usd_per_billion_reads", reads),
        ("usd_per_tb_written", written),
        ("usd_per_gib_month", rent),
    ):
        if value is not None and not (np.isfinite(value) and value >= 0):
            raise BadInput(
                f"{name} `{value}` is not a price", "give at least 0, in USD"
            )
    if reads is None:
        [row] = access_cost.answer(
            [disk], page_bytes=page_bytes, prices=prices, amortisation_months=months
        ).rows
        if row.usd_per_billion_accesses is None:
            raise BadInput(
                f"the price of a read from `{disk.id}` is unknown: {row.reason}",
                "choose another disk or a price book, or state the price of a billion reads",
            )
        reads = float(row.usd_per_billion_accesses)
        of_reads = f"time of {disk.name}, {money(row.usd_per_month or 0)} per month"
    if written is None:
        written, of_writes, warnings = _wear(flash, prices)
    of_flash = "as given"
    if rent is None:
        price = tier_price(flash, prices)
        rent = None if price is None else float(price.usd_per_month(GIB, months))
        of_flash = (
            "no price is known"
            if price is None
            else price.text
            if price.rent
            else f"{price.text} over {counted(months, 'month')}"
        )
    return Charges(reads, written, rent, of_reads, of_writes, of_flash), warnings


def _wear(
    flash: Device, prices: PriceBook | None
) -> tuple[float, str, tuple[Caution, ...]]:
    """Price a terabyte written to flash: what it uses up of the price of the drive."""
    hint = (
        "choose another drive or a price book, or state the price of a terabyte written"
    )
    price = tier_price(flash, prices)
    if price is not None and price.rent:
        return 0.0, f"{flash.name} is rented, so its wear costs nothing", ()
    usd, reason = purchase_usd(flash, prices)
    if usd is None:
        raise BadInput(f"the price of a written byte is unknown: {reason}", hint)
    rated = rated_endurance(flash, assume=True)
    if not rated.tb_written:
        raise BadInput(
            f"the price of a written byte is unknown: no endurance of `{flash.id}` is stated",
            hint,
        )
    each = float(usd / Decimal(repr(rated.tb_written)))
    return (
        each,
        f"{flash.name}, {money(usd)} over {rated.tb_written:,.0f} TB written",
        rated.warnings,
    )


def assignment(counts: CategoryCounts, shares: FloatArray) -> str:
    """Write an assignment as the option of the flash cache `cachesack` takes it.

    The rules of most categories come first, then those of the others by their number.
    """
    rules = [_rule(each) for each in _parts(shares)]
    common = max(sorted(set(rules)), key=rules.count) if rules else EVERY_MISS
    own = (
        f"{category.number}:{rule}"
        for category, rule in zip(counts.categories, rules, strict=True)
        if rule != common
    )
    return "+".join((common, *own))


FLASH_CACHE = "cachesack"
"""That of the model: LRU and write-through behind the assignment; other caches have their admission of this name."""


def replay_options(
    flash_cache: str, kind: str, stated: str, lifetime_requests: float
) -> dict[str, str]:
    """Return the options that put an assignment before a flash cache.

    Parameters
    ----------
    flash_cache : str
        Its name.
    kind : str
        What tells categories apart.
    stated : str
        The assignment, as `Alternative` has it.
    lifetime_requests : float
        How long a page stays on flash: within it a miss is the second one. [requests]
    """
    options = {"categories": kind, "assignment": stated}
    if flash_cache == FLASH_CACHE:
        return options
    return {**options, "lifetime_requests": str(max(1, round(lifetime_requests)))}


def in_words(kind: str, shares: FloatArray) -> str:
    """Say how many categories enter flash, and when.

    Parameters
    ----------
    kind : str
        What tells categories apart.
    shares : (c, 4) float64 array
        Share of the pages of each category under each of `ADMISSIONS`.

    Examples
    --------
    >>> in_words("relation", np.eye(4)[[0, 2, 2]])
    'Of 3 relations, 2 enter flash at a miss; 1 never does'
    """
    return _enter(kind, _parts(shares))


_Parts = tuple[str, float, str | None]
"""The admission of a category, the share of its pages, and the admission of the others."""


def _parts(shares: FloatArray) -> list[_Parts]:
    """Return under which admissions the pages of each category are."""
    used = shares > 10.0**-_DIGITS
    others = used.argmax(axis=1)
    first = used.shape[1] - 1 - used[:, ::-1].argmax(axis=1)
    share = shares[np.arange(len(shares)), first]
    return [
        (ADMISSIONS[at], 1.0, None)
        if at == other
        else (ADMISSIONS[at], part, ADMISSIONS[other])
        for at, part, other in zip(
            first.tolist(), share.tolist(), others.tolist(), strict=True
        )
    ]


def _rule(parts: _Parts) -> str:
    first, share, other = parts
    return first if other is None else f"{first}*{share:.{_DIGITS}f}*{other}"


def _charged_twice(
    flash: Device,
    prices: PriceBook | None,
    chosen: Alternative,
    months: int,
    charged_once: Callable[[str], tuple[Alternative, str]],
) -> tuple[Caution, ...]:
    """Say what is spent on flash of a drive that is bought, whose price both its size and its writes are charged with."""
    price = tier_price(flash, prices)
    size, written = chosen.flash_usd_per_month, chosen.write_usd_per_month
    if price is None or price.rent or not (size > 0 and written > 0):
        return ()
    life = months * size / written
    outlives = life >= months
    by = "size" if outlives else "wear"
    once, taken = charged_once(by)
    return (
        Caution(
            "flash_charged_twice",
            f"a drive that is bought is charged by its size over {counted(months, 'month')}, {money(size)} per month, and by "
            f"its writes, {money(written)}, each with its whole price; it is worn out after {three_digits(life / 12)} years "
            f"of the choice, so its {by} alone, {money(max(size, written))}, would be spent",
            "state 0 as the price of a terabyte written"
            if outlives
            else "state 0 as the price of a GiB and month",
            could_change_choice=once.assignment != chosen.assignment,
            effect=f"charged by its {by} alone, {taken} of flash would cost least, {money(once.usd_per_month)} per month in all",
        ),
    )


@dataclass(frozen=True, slots=True)
class _Paid:
    """How flash is paid for.

    Attributes
    ----------
    how : str
        One of `FLASH_PAID`.
    most : int
        Flash, or the most of it. [pages of the trace]
    stands_for : float
        Pages of the system for each of the trace. [1]
    usd : float
        Of a page of the trace where flash is paid by size; else 0. [USD/month]
    page_bytes : int
        [bytes]
    """

    how: str
    most: int
    stands_for: float
    usd: float
    page_bytes: int

    def pages(self, found: Served) -> float:
        """Return what is paid for. [pages of the trace]"""
        return found.taken if self.how == BY_SIZE else float(self.most)

    def replayed(self, found: Served) -> int:
        """Return the same in whole pages, at least 1."""
        return min(self.most, max(1, math.ceil(self.pages(found) - _ROUNDING)))

    def of_system(self, pages: float) -> float:
        """Return for how many pages of the system so many of the trace stand. [pages]"""
        return pages * self.stands_for

    def bytes_of(self, pages: float) -> str:
        """Write pages of the trace as bytes of the system."""
        return format_bytes(round(self.of_system(pages)) * self.page_bytes)

    def words(self) -> _Words:
        """Say what is paid for, and what every miss would enter."""
        if self.how == WHOLE:
            return _Words(_paid(self.how), "", "")
        all_of = self.bytes_of(self.most)
        return _Words(_paid(self.how), f" all of {all_of}", " on all of it")


@dataclass(frozen=True, slots=True)
class _Words:
    """What costs are of, what every miss would enter, and on how much flash a single admission would be."""

    paid: str
    entered: str
    on: str


def _paid(how: str) -> str:
    """Say what costs are of."""
    if how == WHOLE:
        return "reads from the store and wear of flash"
    return "reads from the store, wear and price of flash"


def _alternative(
    name: str,
    counts: CategoryCounts,
    found: Served,
    charges: Charges,
    times: float,
    paid: _Paid,
) -> Alternative:
    reads, hits = float(counts.reads.sum()), float(found.hits.sum())
    written = float(found.writes.sum())
    read_usd = (reads - hits) * charges.usd_per_billion_reads / BILLION * times
    write_usd = written * counts.page_bytes * charges.usd_per_tb_written / TB * times
    flash_usd = paid.pages(found) * paid.usd
    return Alternative(
        name,
        hits,
        reads - hits,
        written,
        hits / reads if reads else 0.0,
        paid.of_system(paid.pages(found)),
        read_usd,
        write_usd,
        flash_usd,
        read_usd + write_usd + flash_usd,
        found.age,
        assignment(counts, found.shares),
    )


def _rows(
    counts: CategoryCounts,
    chosen: Choice,
    charges: Charges,
    times: float,
    paid: _Paid,
) -> tuple[CategoryRow, ...]:
    def flash_usd(found: Served) -> FloatArray:
        # By what each category holds: where flash is not full, that is less than what is paid for.
        held = found.held.sum()
        return found.held * (paid.pages(found) * paid.usd / held if held else 0.0)

    def usd(found: Served) -> FloatArray:
        reads = (counts.reads - found.hits) * charges.usd_per_billion_reads / BILLION
        written = found.writes * charges.usd_per_tb_written * counts.page_bytes / TB
        return (reads + written) * times + flash_usd(found)

    best = chosen.best
    parts = _parts(best.shares)
    rent = flash_usd(best)
    own, before = usd(best), usd(chosen.uniform[EVERY_MISS])
    rows = [
        CategoryRow(
            category.number,
            category.name,
            category.reads,
            category.writes,
            category.pages,
            *parts[at],
            held_pages=paid.of_system(float(best.held[at])),
            held_share=float(best.held[at]) / paid.most,
            hits=float(best.hits[at]),
            flash_writes=float(best.writes[at]),
            flash_usd_per_month=float(rent[at]),
            usd_per_month=float(own[at]),
            saved_usd_per_month=float(before[at] - own[at]),
        )
        for at, category in enumerate(counts.categories)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.reads, row.number)))


def _finding(
    kind: str,
    rows: tuple[CategoryRow, ...],
    chosen: Alternative,
    others: tuple[Alternative, ...],
    saved: float,
    share: float,
    words: _Words,
    more: str,
) -> str:
    """Say what the choice costs, how far that is below every single admission, and what more flash would bring."""
    one = min(others, key=lambda each: each.usd_per_month)
    cost = f"{money(chosen.usd_per_month)} per month in {words.paid}"
    gain = (one.usd_per_month - chosen.usd_per_month) / (one.usd_per_month or 1.0)
    if gain < SAME and one.name == "never":
        text = f"Nothing is worth caching at these prices: without flash, it is {cost}"
        text += _below(one.name, saved, share, words)
    elif gain < SAME and one.assignment == chosen.assignment:
        text = f"One admission for all is best: pages that enter flash {IN_WORDS[one.name]} cost {cost}"
        text += _below(one.name, saved, share, words)
    elif gain < SAME:
        own, alone = money(chosen.usd_per_month), money(one.usd_per_month)
        beside = (
            "as do those of the choice"
            if own == alone
            else f"those of the choice {own}"
        )
        text = (
            f"One admission for all does about as well: pages that enter flash {IN_WORDS[one.name]} cost {alone} per month "
            f"in {words.paid}, {beside}"
        )
    else:
        text = f"{_enter(kind, [(row.admission, row.share, row.otherwise) for row in rows])}: {cost}, {money(saved)} ({percent(share)}) less than if every miss enters{words.entered}"
        if share - gain >= SAME:
            on = "" if one.name == "never" else words.on
            text += f", and {percent(gain)} less than the best single admission{on}, {IN_WORDS[one.name]}"
    return f"{text}. {more}"


def _below(name: str, saved: float, share: float, words: _Words) -> str:
    if name == EVERY_MISS or share < SAME:
        return ""
    return f", {money(saved)} ({percent(share)}) less than if every miss enters{words.entered}"


def _enter(kind: str, parts: Sequence[_Parts]) -> str:
    """Say how many categories enter flash, and when: of each what `_parts` returns."""
    noun, nouns = NOUNS[kind]
    if len(parts) == 1:
        [(first, share, other)] = parts
        if other is not None:
            return f"Of the only {noun}, {percent(share)} of the pages enter flash {IN_WORDS[first]} and the others {IN_WORDS[other]}"
        if first == "never":
            return f"No page of the only {noun} enters flash"
        return f"The pages of the only {noun} enter flash {IN_WORDS[first]}"
    when = Counter(
        "in part" if other is not None else IN_WORDS[first] for first, _, other in parts
    )
    never = when.pop(IN_WORDS["never"], 0)
    if never == len(parts):
        return f"No pages of the {never:,} {nouns} enter flash"
    order = (*(IN_WORDS[name] for name in ("miss", "write", "second_miss")), "in part")
    said = [(when[each], each) for each in order if when[each]]
    (some, at), *others = said
    if some == len(parts):
        every = f"Both {nouns}" if some == _PAIR else f"All {some:,} {nouns}"
        return f"{every} enter flash {at}"
    enter = [f"{counted(some, 'enters', 'enter')} flash {at}"]
    enter += [f"{more:,} {at}" for more, at in others]
    stay = f"; {counted(never, 'never does', 'never do')}" if never else ""
    return f"Of {len(parts):,} {nouns}, {listed(enter)}{stay}"


def _more(
    saved: float,
    price: float | None,
    chosen: Alternative,
    paid: _Paid,
) -> str:
    """Say whether more flash would pay, and how much is paid for where that is chosen."""
    if paid.how == BY_SIZE:
        return _worth(saved, price or 0.0, chosen, paid)
    if saved <= 0:
        return "One per cent more flash would save nothing."
    saves = f"One per cent more flash would save {money(saved)} per month"
    if price is None:
        return f"{saves}."
    than = "more" if saved > price else "less"
    return f"{saves}, {than} than its price of {money(price)}."


def _worth(saved: float, price: float, chosen: Alternative, paid: _Paid) -> str:
    """Say how much flash is worth its price, and what a little more would save."""
    most = paid.bytes_of(paid.most)
    pages = chosen.flash_pages / paid.stands_for
    if pages > paid.most * (1 - SAME):
        worth = f"All of {most} of flash is worth its price, {money(chosen.flash_usd_per_month)} per month"
    elif 0 < chosen.flash_pages < 1:
        worth = "Less than a page of flash is worth its price"
    elif pages > 0:
        worth = (
            f"{paid.bytes_of(pages)} of {most} of flash is worth its price, "
            f"{money(chosen.flash_usd_per_month)} per month"
        )
    else:
        worth = "No flash is worth its price"
    another = f"another {paid.bytes_of(paid.most * A_LITTLE)}"
    if saved <= 0:
        return f"{worth}; {another} would save nothing."
    than = "more" if saved > price else "less"
    return f"{worth}; {another} would save {money(saved)}, {than} than its price of {money(price)}."


def _steps(
    counts: CategoryCounts,
    chosen: Choice,
    charges: Charges,
    times: float,
    more: WithMore,
    paid: _Paid,
    stay: _Stay,
) -> Iterator[Step]:
    best = chosen.best
    # A recording that stands for production is another system.
    recording = "" if paid.stands_for == 1 else " of the recording"
    yield Step(
        "price of a billion reads",
        f"{charges.of_reads}",
        charges.usd_per_billion_reads,
        "USD",
        "five-minute rule, Gray and Putzolu (SIGMOD 1987)",
    )
    yield Step(
        "price of a terabyte written",
        f"price / rated writes; {charges.of_writes}",
        charges.usd_per_tb_written,
        "USD/TB",
        "derived",
    )
    yield Step(
        "lifetime",
        "T at which the pages held, sum of share x held(T) over categories and admissions, fill flash: "
        f"{counted(round(float(best.held.sum())), 'page')} of {format_bytes(counts.page_bytes)}{recording}",
        best.age,
        "requests",
        SOURCE,
    )
    times_more = f" x pages of production for each{recording}" if recording else ""
    number = f" x {stay.stands_for:,.6g}" if recording else ""
    yield Step(
        "time on flash",
        f"lifetime{times_more} / requests below RAM per second = {stay.requests:,.6g}{number} / {stay.requests_per_s:,.6g}",
        stay.seconds,
        "s",
        "derived",
    )
    reads = float(counts.reads.sum() - best.hits.sum())
    whole = "recording" if recording else "trace"
    for name, amount, price in (
        ("reads from the store", reads, charges.usd_per_billion_reads / BILLION),
        (
            "writes to flash",
            float(best.writes.sum()),
            charges.usd_per_tb_written * counts.page_bytes / TB,
        ),
    ):
        yield Step(
            name,
            f"count over the {whole} x price of one x {whole}s a month = {amount:,.0f} x {price:.6g} USD x {times:.6g}",
            amount * price * times,
            "USD/month",
            SOURCE,
        )
    if paid.how == BY_SIZE:
        yield Step(
            "flash",
            f"pages that are paid for x price of one = {paid.of_system(paid.pages(best)):,.6g} x {paid.usd / paid.stands_for:.6g} "
            f"USD/month; {charges.of_flash}",
            paid.pages(best) * paid.usd,
            "USD/month",
            SOURCE,
        )
    yield Step(
        "1 % more flash",
        f"reads and writes of the choice, less those of the choice on {paid.of_system(more.pages):,.6g} pages, x {whole}s a month = "
        f"({more.usd_now:.6g} - {more.usd:.6g}) USD x {times:.6g}",
        more.saved_usd * times,
        "USD/month",
        SOURCE,
    )
