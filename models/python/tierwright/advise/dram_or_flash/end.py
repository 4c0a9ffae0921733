"""DRAM or flash at one known dirty share: everything that the answer is put together from."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Literal

import numpy as np

from tierwright.advise.dram_or_flash.break_even import (
    BreakEven,
    TierPrices,
    analyse,
    page_costs,
    tier_prices,
)
from tierwright.common.errors import BadInput, Problem
from tierwright.evaluate.break_even.gains import PageCosts, PlainGains, known_steps
from tierwright.evaluate.break_even.interval import HostShare, Power
from tierwright.evaluate.break_even.next_money import (
    FlipCurve,
    NextMoney,
    SpendingPlan,
    flip_curve,
    most_known_usd,
    next_money,
    spending_plan,
)
from tierwright.evaluate.break_even.schemes import BestGains
from tierwright.evaluate.metadata import MetadataPreset, ram_pages_left
from tierwright.hardware.catalog import where_priced
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook, why_no_price
from tierwright.profile.curve import Curve

Form = Literal["full", "plain"]
FLIP_DELTAS = np.geomspace(0.05, 50, 61)
"""DRAM steps of the flip curve, in multiples of the existing DRAM."""
PLAN_STEPS = 12
LEAST_USUAL_PAGES = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """The question: existing DRAM, devices, prices, and the sum of money.

    Attributes
    ----------
    ram_pages : int
        B, the existing DRAM. [pages]
    flash, disk : Device
        Of the two lower tiers.
    ram : Device or None
        For its price; without it the price book's price of the kind `dram`.
    prices : PriceBook or None
        Without it the devices' own prices are used.
    amortisation_months : int
        Months over which purchases are spread. [months]
    usd : Decimal or None
        The next sum of money; None: about what doubles the DRAM. [USD]
    price_ratio : Decimal or None
        Price of flash over price of DRAM, per byte; replaces the price of flash. [1]
    deltas : tuple of float
        DRAM steps in multiples of the existing DRAM. [1]
    form : str
        `full` counts flash writes, dirty pages and old versions; `plain` hits alone.
    read_share : float or None
        Share of reads among the accesses that flash or disk serves. [1]
    disks : int
        That share the load.
    old_share : float
        Share of flash that holds old versions. [1]
    sequential_writes : bool
        Whether flash is written in appends.
    host_usd : Decimal
        What one flash or disk device needs of its host, for the intervals. [USD]
    flash_metadata : MetadataPreset or None
        Charged to the DRAM that stands beside flash.
    points : int
        Points of the curves over money.
    host_share : HostShare or None
        What a fetch into memory takes of the host, for the intervals of DRAM.
    power : Power or None
        Price of electricity, for the intervals.
    """

    ram_pages: int
    flash: Device
    disk: Device
    ram: Device | None
    prices: PriceBook | None
    amortisation_months: int
    usd: Decimal | None
    price_ratio: Decimal | None
    deltas: tuple[float, ...]
    form: Form
    read_share: float | None
    disks: int
    old_share: float
    sequential_writes: bool
    host_usd: Decimal
    flash_metadata: MetadataPreset | None
    points: int
    host_share: HostShare | None = None
    power: Power | None = None


@dataclass(frozen=True, slots=True)
class OneEnd:
    """What the models say at one known dirty share.

    Attributes
    ----------
    curve : Curve
        Of the workload.
    ram_pages : int
        B. [pages]
    found : BreakEven
        Steps, thetas and intervals.
    prices, stated : TierPrices
        As used; and without the stated price ratio.
    costs : PageCosts
        Busy times of a page. [µs]
    flips : FlipCurve
        Price ratio at which the decision flips, over the DRAM step.
    money : dict of str to NextMoney
        By form, the one asked for first; empty without prices, and where a curve from counters speaks of no larger
        size.
    plan : SpendingPlan or None
        The sum again and again.
    usual_usd : Decimal or None
        About the price of doubling the DRAM, or less where a curve from counters does not speak of so much; None
        without prices, and where it speaks of no larger size. [USD]
    form : str
        As used: `plain` where there are no write-backs.
    beside_flash : int
        What the metadata of the flash bought leave of the DRAM. [pages]
    most_usd : Decimal or None
        The largest sum that buys sizes of which a curve from counters speaks; None of other curves, and without
        prices. [USD]
    """

    curve: Curve
    ram_pages: int
    found: BreakEven
    prices: TierPrices
    stated: TierPrices
    costs: PageCosts
    flips: FlipCurve
    money: dict[Form, NextMoney]
    plan: SpendingPlan | None
    usual_usd: Decimal | None
    form: Form
    beside_flash: int
    most_usd: Decimal | None = None

    @property
    def beyond(self) -> str:
        """Why no sum is known though there are prices: nothing larger is; empty where one is."""
        evidence = self.curve.evidence
        prices = self.prices
        priced = None not in (
            prices.per_byte(prices.ram),
            prices.per_byte(prices.flash),
        )
        if evidence is None or self.money or not priced:
            return ""
        return (
            f"the evidence of the curve ({evidence.title}) speaks of {evidence.range_text(self.curve.page_bytes)}, and "
            "no sum buys DRAM and flash within it"
        )

    @property
    def main(self) -> NextMoney | None:
        """The sum in the form asked for; None without prices."""
        return self.money.get(self.form)


def one_end(asked: Asked, curve: Curve) -> OneEnd:
    """Compute everything at one curve.

    Raises
    ------
    BadInput
        As `analyse`; and if a sum is given and a tier has no price.
    """
    flash, disk, ram, book = asked.flash, asked.disk, asked.ram, asked.prices
    months, ratio, preset = (
        asked.amortisation_months,
        asked.price_ratio,
        asked.flash_metadata,
    )
    found = analyse(
        flash,
        disk,
        deltas=asked.deltas,
        read_share=asked.read_share,
        disks=asked.disks,
        curve=curve,
        ram_pages=asked.ram_pages,
        prices=book,
        ram=ram,
        old_share=asked.old_share,
        sequential_writes=asked.sequential_writes,
        host_usd=asked.host_usd,
        amortisation_months=months,
        flash_metadata=preset,
        price_ratio=ratio,
        host_share=asked.host_share,
        power=asked.power,
    )
    costs = page_costs(
        flash, disk, asked.disks, curve.page_bytes, sequential=asked.sequential_writes
    )
    disk_us, flash_us = found.inputs["disk_cost_us"], found.inputs["flash_cost_us"]
    plain = PlainGains(curve, asked.ram_pages, disk_us, flash_us, preset)
    forms: dict[Form, PlainGains | BestGains] = {"plain": plain}
    if curve.write_backs_at is not None:
        forms["full"] = BestGains(
            curve, asked.ram_pages, costs, asked.old_share, preset
        )
    form: Form = asked.form if asked.form in forms else "plain"
    prices = tier_prices(ram, flash, disk, book, months, ratio)
    per_byte = (prices.per_byte(prices.ram), prices.per_byte(prices.flash))
    money: dict[Form, NextMoney] = {}
    plan, usual, usd, most = None, None, None, None
    dram_byte, flash_byte = per_byte
    if dram_byte is not None and flash_byte is not None:
        pages = max(asked.ram_pages, LEAST_USUAL_PAGES)
        usual = _nice(max(dram_byte, flash_byte) * curve.page_bytes * pages)
        most = most_known_usd(plain, dram_byte, flash_byte)
        if most is not None and usual > most:
            usual = _known_usd(most, max(dram_byte, flash_byte) * curve.page_bytes)
        usd = usual if asked.usd is None else asked.usd
    if dram_byte is not None and flash_byte is not None and usd is not None:
        money = {
            name: next_money(
                forms[name],
                usd=usd,
                dram_usd_per_byte=dram_byte,
                flash_usd_per_byte=flash_byte,
                points=asked.points,
            )
            for name in sorted(forms, key=lambda name: name != form)
        }
        plan = spending_plan(
            forms[form],
            usd_step=usd,
            steps=PLAN_STEPS,
            dram_usd_per_byte=dram_byte,
            flash_usd_per_byte=flash_byte,
        )
    elif asked.usd is not None and (dram_byte is None or flash_byte is None):
        device = ram if dram_byte is None else flash
        what = "DRAM" if device is None else f"`{device.id}`"
        message = (
            f"needs a price of {'DRAM' if dram_byte is None else 'flash'}, but "
            f"there is none: {why_no_price(what, device, book)}"
        )
        problem = Problem("usd", str(asked.usd), message)
        raise BadInput(f"DRAM or flash: {problem}", where_priced(device), (problem,))
    return OneEnd(
        curve=curve,
        ram_pages=asked.ram_pages,
        found=found,
        prices=prices,
        stated=tier_prices(ram, flash, disk, book, months),
        costs=costs,
        flips=flip_curve(
            curve,
            asked.ram_pages,
            known_steps(curve, asked.ram_pages, FLIP_DELTAS.tolist()),
            disk_cost=disk_us,
            flash_cost=flash_us,
            costs=costs,
            old_share=asked.old_share,
            flash_metadata=preset,
        ),
        money=money,
        plan=plan,
        usual_usd=usual,
        form=form,
        beside_flash=_beside(asked, curve, money),
        most_usd=most,
    )


def _beside(asked: Asked, curve: Curve, money: dict[Form, NextMoney]) -> int:
    """DRAM that the metadata of the flash bought leave; 0 where they leave none."""
    found = next(iter(money.values()), None)
    left = ram_pages_left(
        asked.flash_metadata,
        ram_pages=asked.ram_pages,
        flash_pages=0 if found is None else found.flash_pages,
        page_bytes=curve.page_bytes,
        source_bytes=curve.data_pages * curve.page_bytes,
    )
    return max(0, int(left))


def _known_usd(most: Decimal, page_usd: Decimal) -> Decimal | None:
    """Round down to 1, 2 or 5 times a power of ten; None where that buys no page. [USD]"""
    if most < page_usd:
        return None
    power = Decimal(10) ** most.adjusted()
    found = max(step * power for step in (1, 2, 5) if step * power <= most)
    return (found if found >= page_usd else most).normalize()


def _nice(usd: Decimal) -> Decimal:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = Decimal(10) ** usd.adjusted()
    for step in (1, 2, 5, 10):
        if usd <= step * power:
            return (step * power).normalize()
    return usd.quantize(power, rounding=ROUND_CEILING)
