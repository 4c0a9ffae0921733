"""The whole question: DRAM or flash, for one pair of devices, a workload and a sum of money."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, listed
from tierwright.evaluate.break_even.gains import (
    PageCosts,
    PlainGains,
    about_metadata,
    about_unknown,
    known_steps,
)
from tierwright.evaluate.break_even.interval import (
    POWER_HINT,
    POWER_UNKNOWN,
    HostShare,
    Power,
    PricedTier,
    TierInterval,
    tier_interval,
)
from tierwright.evaluate.break_even.money import (
    Marginal,
    flip_price_ratio,
    marginal_gains,
    pages_for,
    roi_curve,
    roi_log,
)
from tierwright.evaluate.break_even.next_money import (
    NextMoney,
    SpendingPlan,
    check_known_usd,
    next_money,
    spending_plan,
)
from tierwright.evaluate.break_even.schemes import (
    BestGains,
    SchemeThetas,
    scheme_thetas,
)
from tierwright.evaluate.break_even.theta import (
    FLASH_BEYOND,
    CurveTheta,
    Theta,
    curve_theta,
    log_theta,
    mixed_costs,
)
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_curve, about_page_size
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.hardware.catalog import where_priced
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.prices import (
    DEFAULT_AMORTISATION_MONTHS,
    Price,
    PriceBook,
    check_amortisation,
    own_price,
    why_no_price,
)
from tierwright.hardware.provisioning import charges, provision, volumes
from tierwright.hardware.service_time import service_basis, service_time
from tierwright.profile.curve import Curve

DEFAULT_DELTAS = (0.5, 1.0, 3.0)
DEFAULT_PAGE_BYTES = 4096
MARGINAL_STEPS = 10
LOG_MODEL_GAP = 0.2
"""Relative gap of theta by curve and by log model from which it is mentioned."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """DRAM or flash, answered in every way that the inputs allow.

    Attributes
    ----------
    exponent : float
        E of the log model. [1]
    delta, theta : list of float
        DRAM steps and the flash that replaces each, by the log model; without those of which a curve from counters
        does not speak, which the caution `sizes_unknown` names. [1]
    theta_from_curve : list of (float or None), or None
        The same by the measured curve, None where unreachable; None without a curve.
    theta_full : list of (float or None), or None
        The same with flash writes, dirty traffic and old versions counted, under the scheme
        that needs the least flash, `schemes.best`; None without write-backs.
    schemes : SchemeThetas or None
        The same for every page-flow scheme, and the best at each step; None without
        write-backs.
    flip_price_ratio : list of (float or None)
        Price of flash over DRAM, per byte, below which flash is the better buy; that of
        `theta_full` where there are write-backs, else from the curve where there is one, else
        from the log model. [1]
    price_ratio : float or None
        The ratio of the prices used; None without prices. [1]
    roi : dict or None
        Equal money: `usd`, what it buys, `log` and `curve` comparisons; None without money or
        prices.
    marginal : Marginal or None
        Gain of the next sums of money, hits alone; None without curve, money or prices.
    next_money : NextMoney or None
        The sum in DRAM and in flash, under the best scheme where there are write-backs, and
        the price ratio at which it flips; None without curve, money or prices.
    plan : SpendingPlan or None
        A tenth of the sum after the other, each where it gains most as `next_money` counts.
    intervals : tuple of TierInterval
        Break-even interval of each pair of tiers.
    estimator, validity : str
        Which result to act on, and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    inputs : dict
        What was used, with units.
    derivation : tuple of Derivation
        Formulas, numbers, sources.
    """

    exponent: float
    delta: list[float]
    theta: list[float]
    theta_from_curve: list[float | None] | None
    theta_full: list[float | None] | None
    schemes: SchemeThetas | None
    flip_price_ratio: list[float | None]
    price_ratio: float | None
    roi: dict[str, Any] | None
    marginal: Marginal | None
    next_money: NextMoney | None
    plan: SpendingPlan | None
    intervals: tuple[TierInterval, ...]
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    inputs: dict[str, Any]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class TierPrices:
    """Prices of the three tiers; None where there is none.

    Attributes
    ----------
    ram, flash, disk : Price or None
        Of capacity.
    months : int
        Months over which a purchase is spread. [months]
    """

    ram: Price | None
    flash: Price | None
    disk: Price | None
    months: int

    def per_byte(self, price: Price | None) -> Decimal | None:
        """Money for a byte over the amortisation period. [USD/byte]"""
        if price is None:
            return None
        found = price.usd_per_month(10**15, self.months) * self.months / 10**15
        return found if found > 0 else None


def analyse(
    flash: Device,
    disk: Device,
    *,
    deltas: Iterable[float] = DEFAULT_DELTAS,
    read_share: float | None = None,
    disks: int = 1,
    curve: Curve | None = None,
    ram_pages: int | None = None,
    usd: Decimal | None = None,
    prices: PriceBook | None = None,
    ram: Device | None = None,
    page_bytes: int | None = None,
    old_share: float = 0.0,
    sequential_writes: bool = False,
    host_usd: Decimal = Decimal(0),
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    flash_metadata: MetadataPreset | None = None,
    price_ratio: Decimal | None = None,
    host_share: HostShare | None = None,
    power: Power | None = None,
) -> BreakEven:
    """Answer "DRAM or flash?" for one pair of devices.

    Parameters
    ----------
    flash, disk : Device
        Costs of an access are their busy times at the page size, `tierwright.hardware.service_time`.
    deltas : iterable of float
        DRAM steps in multiples of the existing DRAM. [1]
    read_share : float, optional
        Share of reads among the accesses that flash or disk serves. Unless given that among
        all accesses of the curve's workload; 1 where its writes are not known, or there is
        no curve, with a warning. [1]
    disks : int
        Disks that share the load: divides the disk's busy time. [devices]
    curve, ram_pages : Curve and int, optional
        The workload and B, the existing DRAM; both or neither. [pages]
    usd : Decimal, optional
        Money for the return on DRAM and on flash; needs prices and B. [USD]
    prices : PriceBook, optional
        Without it the devices' own prices are used.
    ram : Device, optional
        For its price; without it the price book's price of the kind `dram`.
    page_bytes : int, optional
        Page of the break-even interval; that of the curve, else 4096. [bytes]
    old_share : float
        Share of flash that holds old versions, for the full form. [1]
    sequential_writes : bool
        Whether flash is written in appends (FaCE): C_fw = page / sequential bandwidth.
    host_usd : Decimal
        What one flash or disk device needs of its host, for the interval. [USD]
    amortisation_months : int
        Months over which purchases are spread, for comparing them with rents. [months]
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of the DRAM that stands beside flash, in everything but
        the log model.
    price_ratio : Decimal, optional
        Price of flash over price of DRAM, per byte; replaces the price of flash. [1]
    host_share : HostShare, optional
        What a fetch into memory takes of the host, for the intervals of DRAM.
    power : Power, optional
        Price of electricity, for the intervals; left out unless given.

    Returns
    -------
    BreakEven

    Raises
    ------
    BadInput
        If flash is not faster than disk, a device lacks a busy time, an input is out of its
        domain, or inputs that belong together are not given together.
    """
    requested = [float(delta) for delta in deltas]
    _check(requested, disks, curve, ram_pages, usd)
    steps = requested
    if curve is not None and ram_pages is not None:
        check_evidence("break-even", curve, ram_pages, 0)
        steps = known_steps(curve, ram_pages, requested)
    months = check_amortisation(amortisation_months)
    page = page_bytes or (DEFAULT_PAGE_BYTES if curve is None else curve.page_bytes)
    costs = page_costs(flash, disk, disks, page, sequential=sequential_writes)
    share, share_basis, about_share = _read_share(read_share, curve)
    mixed = mixed_costs(
        share,
        disk_read=costs.disk_read,
        disk_write=costs.disk_write,
        flash_read=costs.flash_read,
        flash_write=costs.flash_write,
    )
    disk_cost, flash_cost = float(mixed.disk), float(mixed.flash)
    by_log = log_theta(steps, disk_cost=disk_cost, flash_cost=flash_cost)
    by_curve, schemes = _by_curve(
        curve,
        ram_pages,
        steps,
        (disk_cost, flash_cost),
        costs,
        old_share,
        flash_metadata,
    )
    used = tier_prices(ram, flash, disk, prices, months, price_ratio)
    best = by_log if by_curve is None else by_curve
    roi, marginal, about_money = _money(
        curve,
        ram_pages,
        usd,
        used,
        page,
        (disk_cost, flash_cost),
        flash_metadata,
        prices,
        ram,
        flash,
    )
    dram_byte, flash_byte = used.per_byte(used.ram), used.per_byte(used.flash)
    next_, plan = None, None
    if roi is not None and not about_money and curve is not None and ram_pages:
        gains = (
            PlainGains(curve, ram_pages, disk_cost, flash_cost, flash_metadata)
            if curve.write_backs_at is None
            else BestGains(curve, ram_pages, costs, old_share, flash_metadata)
        )
        per_byte = {
            "dram_usd_per_byte": roi["dram_usd_per_byte"],
            "flash_usd_per_byte": roi["flash_usd_per_byte"],
        }
        next_ = next_money(gains, usd=roi["usd"], **per_byte)
        plan = spending_plan(
            gains,
            usd_step=roi["usd"] / MARGINAL_STEPS,
            steps=MARGINAL_STEPS,
            **per_byte,
        )
    ratio = (
        float(flash_byte / dram_byte)
        if dram_byte is not None and flash_byte is not None
        else None
    )
    intervals = _intervals(ram, flash, disk, used, page, host_usd, host_share, power)
    return BreakEven(
        exponent=float(by_log.exponent),
        delta=steps,
        theta=by_log.theta.tolist(),
        theta_from_curve=None if by_curve is None else _nullable(by_curve.theta),
        theta_full=None if schemes is None else _nullable(schemes.theta),
        schemes=schemes,
        flip_price_ratio=_nullable(
            flip_price_ratio(steps, best.theta if schemes is None else schemes.theta)
        ),
        price_ratio=ratio,
        roi=roi,
        marginal=marginal,
        next_money=next_,
        plan=plan,
        intervals=intervals,
        estimator=best.estimator if schemes is None else schemes.estimator,
        validity=best.validity if schemes is None else schemes.validity,
        warnings=_once(
            *_about_devices(flash, disk, disks, page, used),
            *_about_unknown(curve, ram_pages, requested, (by_curve, schemes)),
            *about_share,
            *(() if curve is None else about_curve(curve, ram_pages or 0, 0)),
            *about_bought(curve, ram_pages, next_),
            *by_log.warnings,
            *_but_unknown(() if by_curve is None else by_curve.warnings),
            *_but_unknown(() if schemes is None else schemes.warnings),
            *(() if by_curve is None else about_metadata(flash_metadata)),
            *_about_log_model(by_log, by_curve),
            *about_money,
            *_about_power(intervals),
        ),
        inputs={
            "flash_device_id": flash.id,
            "disk_device_id": disk.id,
            "ram_device_id": None if ram is None else ram.id,
            "disks": disks,
            "read_share": share,
            "read_share_basis": share_basis,
            "ram_pages": ram_pages,
            "page_bytes": page,
            "disk_cost_us": disk_cost,
            "flash_cost_us": flash_cost,
            "disk_read_us": costs.disk_read,
            "disk_write_us": costs.disk_write,
            "flash_read_us": costs.flash_read,
            "flash_write_us": costs.flash_write,
            "flash_write_pattern": "sequential" if sequential_writes else "random",
            "flash_service_basis": service_basis(flash, page),
            "disk_service_basis": service_basis(disk, page),
            "old_share": old_share,
            "flash_metadata": None if flash_metadata is None else flash_metadata.name,
            "usd": usd,
            "price_book_id": None if prices is None else prices.id,
            "amortisation_months": months,
        },
        derivation=(
            *_of_roi(roi, flash_metadata),
            *_of_costs(share, costs, disk_cost, flash_cost),
            *_of_form("log model", steps, by_log),
            *_of_form("hits alone", steps, by_curve),
            *_of_form("full form", steps, schemes),
        ),
    )


_UNITS = {"time": "µs", "size": "pages"}
"""Units here of what the forms take in any unit."""


def _told(step: Derivation, form: str) -> Derivation:
    """Name a step after its form, in the units of this analysis."""
    return replace(
        step,
        result=f"{step.result}, {form}",
        unit=_UNITS.get(step.unit, step.unit),
        numbers=tuple(
            replace(number, unit=_UNITS.get(number.unit, number.unit))
            for number in step.numbers
        ),
    )


def _of_costs(
    share: float, costs: PageCosts, disk_cost: float, flash_cost: float
) -> Iterable[Derivation]:
    for symbol, value, read, write in (
        ("dr", disk_cost, costs.disk_read, costs.disk_write),
        ("fr", flash_cost, costs.flash_read, costs.flash_write),
    ):
        tier = "disk" if symbol == "dr" else "flash"
        reads, writes = f"C_{symbol}", f"C_{symbol[0]}w"
        yield Derivation(
            f"C_{tier}",
            value,
            "µs",
            f"x {reads} + (1 - x) {writes}",
            (
                Number("x", share, "1", "share of reads"),
                Number(reads, read, "µs", f"{tier} read"),
                Number(writes, write, "µs", f"{tier} write"),
            ),
            "derived: mean over reads and writes",
        )


def _of_roi(
    roi: dict[str, Any] | None, flash_metadata: MetadataPreset | None
) -> Iterable[Derivation]:
    """Name the ratios of the sum after their forms; metadata have no ratio in H alone."""
    if roi is None:
        return
    for key, form in (("log", "log model"), ("curve", "hits alone")):
        if key == "curve" and flash_metadata is not None:
            continue
        yield from (_told(step, form) for step in roi[key].derivation)


def _of_form(
    form: str, steps: Sequence[float], found: Theta | CurveTheta | SchemeThetas | None
) -> Iterable[Derivation]:
    """Name the steps of one form after it: all three derive a `theta`."""
    if found is None:
        return
    yield from (_told(step, form) for step in found.derivation)
    yield Derivation(
        f"flip_price_ratio, {form}",
        flip_price_ratio(steps, found.theta),
        "1",
        "delta / theta",
        (
            Number("delta", np.asarray(steps), "1", "added DRAM / existing DRAM"),
            Number("theta", found.theta, "1", "flash / existing DRAM, as above"),
        ),
        "derived: equal money buys as much",
    )


def _read_share(
    given: float | None, curve: Curve | None
) -> tuple[float, str, tuple[Caution, ...]]:
    """Share of reads to mix costs with, where it is from, and what to know of it."""
    if given is not None:
        return given, "as given", ()
    writes = None if curve is None else curve.known_write_accesses
    if curve is None or writes is None or curve.accesses == 0:
        about = Caution(
            "all_reads_assumed",
            "the share of writes is unknown, so every access counts as a read: C_disk "
            "and C_flash are read costs",
            "give the share of reads, or a profile of a trace that records writes",
        )
        return 1.0, "assumed: reads only", (about,)
    share = 1 - writes / curve.accesses
    return share, "among all accesses of the workload", ()


def _about_unknown(
    curve: Curve | None,
    ram_pages: int | None,
    requested: Sequence[float],
    found: Iterable[CurveTheta | SchemeThetas | None],
) -> Iterable[Caution]:
    """Name what is left out, as a curve from counters does not speak of it, in one caution."""
    if curve is None or ram_pages is None or curve.evidence is None:
        return
    known = known_steps(curve, ram_pages, requested)
    sizes = [
        format_bytes(int((1 + each) * ram_pages) * curve.page_bytes)
        for each in requested
        if each not in known
    ]
    what = []
    if sizes:
        steps = "the DRAM step" if len(sizes) == 1 else "the DRAM steps"
        what.append(f"{steps} to {listed(sizes)}")
    if any(each is not None and not np.all(np.isfinite(each.theta)) for each in found):
        what.append(FLASH_BEYOND)
    if what:
        yield about_unknown(curve, what)


def _but_unknown(warnings: Iterable[Caution]) -> Iterable[Caution]:
    """Leave out what `_about_unknown` says of both forms together."""
    return (each for each in warnings if each.name != "sizes_unknown")


def _once(*warnings: Caution) -> tuple[Caution, ...]:
    """Return each warning once: several forms may give the same one."""
    return tuple(dict.fromkeys(warnings))


def _check(
    steps: Sequence[float],
    disks: int,
    curve: Curve | None,
    ram_pages: int | None,
    usd: Decimal | None,
) -> None:
    problems = Problems("break-even", "correct these values")
    problems.check(bool(steps), "deltas", None, "needs at least one DRAM step")
    problems.check(disks >= 1, "disks", disks, "must be at least 1")
    problems.check(
        (curve is None) == (ram_pages is None),
        "ram_pages",
        ram_pages,
        "belongs together with a profile: give both or neither",
    )
    if usd is not None:
        problems.check(usd.is_finite() and usd > 0, "usd", usd, "must be above 0")
        problems.check(
            ram_pages is not None,
            "usd",
            usd,
            "needs the existing DRAM: give a profile and RAM pages",
        )
    problems.raise_if_any()


def page_costs(
    flash: Device, disk: Device, disks: int, page_bytes: int, *, sequential: bool
) -> PageCosts:
    """Cost of one page operation on each device: its busy time at that page size. [µs]

    Parameters
    ----------
    flash, disk : Device
        Devices of the two lower tiers.
    disks : int
        Disks that share the load: divides the disk's busy time. [devices]
    page_bytes : int
        Page. [bytes]
    sequential : bool
        Whether flash is written in appends: page / sequential bandwidth.

    Raises
    ------
    BadInput
        If a device lacks a busy time or a bandwidth.
    """
    problems = Problems("break-even", "choose a device with IOPS or a latency")
    found = {}
    for role, device in (("flash", flash), ("disk", disk)):
        for operation in OPERATIONS:
            service = service_time(device, operation, page_bytes)
            if service.time_us is None:
                problems.add(f"{role} device", device.id, service.basis)
            else:
                found[f"{role}_{operation}"] = service.time_us
    if sequential:
        appended = service_time(flash, "write", page_bytes, pattern="sequential")
        if appended.time_us is None:
            problems.add(
                "flash device", flash.id, "states no sequential write bandwidth"
            )
        else:
            found["flash_write"] = appended.time_us
    problems.raise_if_any()
    return PageCosts(
        disk_read=found["disk_read"] / disks,
        disk_write=found["disk_write"] / disks,
        flash_read=found["flash_read"],
        flash_write=found["flash_write"],
    )


def _by_curve(
    curve: Curve | None,
    ram_pages: int | None,
    steps: Sequence[float],
    mixed: tuple[float, float],
    costs: PageCosts,
    old_share: float,
    flash_metadata: MetadataPreset | None,
) -> tuple[CurveTheta | None, SchemeThetas | None]:
    if curve is None or ram_pages is None:
        return None, None
    disk_cost, flash_cost = mixed
    by_curve = curve_theta(
        curve,
        ram_pages,
        steps,
        disk_cost=disk_cost,
        flash_cost=flash_cost,
        flash_metadata=flash_metadata,
    )
    if curve.write_backs_at is None:
        return by_curve, None
    return by_curve, scheme_thetas(
        curve,
        ram_pages,
        steps,
        costs,
        old_share=old_share,
        flash_metadata=flash_metadata,
    )


def tier_prices(
    ram: Device | None,
    flash: Device,
    disk: Device,
    prices: PriceBook | None,
    months: int,
    price_ratio: Decimal | None = None,
) -> TierPrices:
    """Prices of the three tiers: of the book, else of the devices themselves.

    Parameters
    ----------
    ram : Device or None
        None: the book's price of the kind `dram`.
    flash, disk : Device
        The other tiers.
    prices : PriceBook or None
        None: the devices' own prices.
    months : int
        Months over which a purchase is spread. [months]
    price_ratio : Decimal, optional
        Price of flash over price of DRAM, per byte; replaces the price of flash. [1]

    Raises
    ------
    BadInput
        If the ratio is not above 0, or there is no price of DRAM to multiply.
    """
    found = TierPrices(
        _price(ram, prices, "dram"),
        _price(flash, prices, flash.kind),
        _price(disk, prices, disk.kind),
        months,
    )
    if price_ratio is None:
        return found
    if not (price_ratio.is_finite() and price_ratio > 0):
        raise BadInput(
            f"break-even: price_ratio: `{price_ratio}` must be above 0",
            "use a ratio above 0; 0.05 means that a byte of flash costs a twentieth as "
            "much as a byte of DRAM",
        )
    if found.ram is None:
        raise BadInput(
            f"break-even: price_ratio: `{price_ratio}` needs a price of DRAM, but "
            "there is none",
            "choose a price book with DRAM, or a RAM device that states its price",
        )
    of_ratio = replace(
        found.ram,
        usd=found.ram.usd * price_ratio,
        source=f"{price_ratio} x the price of DRAM, as asked",
        device_id=flash.id,
        kind=None,
        note="",
    )
    return replace(found, flash=of_ratio)


def _price(device: Device | None, prices: PriceBook | None, kind: str) -> Price | None:
    found = None
    if prices is not None:
        found = (
            prices.find(device_id=None, kind=kind)
            if device is None
            else prices.price_of(device)
        )
    return found or (None if device is None else own_price(device))


def _money(
    curve: Curve | None,
    ram_pages: int | None,
    usd: Decimal | None,
    used: TierPrices,
    page_bytes: int,
    mixed: tuple[float, float],
    flash_metadata: MetadataPreset | None,
    prices: PriceBook | None,
    ram: Device | None,
    flash_device: Device,
) -> tuple[dict[str, Any] | None, Marginal | None, tuple[Caution, ...]]:
    if usd is None or ram_pages is None or curve is None:
        return None, None, ()
    dram_byte, flash_byte = used.per_byte(used.ram), used.per_byte(used.flash)
    if dram_byte is None or flash_byte is None:
        lacking, device = ("RAM", ram) if dram_byte is None else ("flash", flash_device)
        what = "DRAM" if device is None else f"`{device.id}`"
        raise BadInput(
            f"break-even: usd: `{usd}` needs a price of {lacking}, but there is none: "
            f"{why_no_price(what, device, prices)}",
            where_priced(device),
        )
    disk_cost, flash_cost = mixed
    gains = PlainGains(curve, ram_pages, *mixed, flash_metadata)
    check_known_usd(gains, usd, dram_byte, flash_byte)
    dram = pages_for(usd, dram_byte, page_bytes)
    flash = pages_for(usd, flash_byte, page_bytes)
    by_log = roi_log(
        ram_pages,
        added_dram=dram,
        added_flash=flash,
        disk_cost=disk_cost,
        flash_cost=flash_cost,
    )
    by_curve = roi_curve(
        curve,
        ram_pages,
        added_dram_pages=dram,
        added_flash_pages=flash,
        disk_cost=disk_cost,
        flash_cost=flash_cost,
        flash_metadata=flash_metadata,
    )
    roi = {
        "usd": usd,
        "usd_basis": f"purchase, or {counted(used.months, 'month')} of rent",
        "dram_pages": dram,
        "flash_pages": flash,
        "dram_usd_per_byte": dram_byte,
        "flash_usd_per_byte": flash_byte,
        "dram_price": _stated(used.ram),
        "flash_price": _stated(used.flash),
        "flash_to_dram_gain_ratio": by_curve.flash_to_dram_gain_ratio,
        "winner": by_curve.winner,
        "log": by_log,
        "curve": by_curve,
    }
    step = usd / MARGINAL_STEPS
    if not (
        pages_for(step, dram_byte, page_bytes)
        and pages_for(step, flash_byte, page_bytes)
    ):
        about = Caution(
            "too_little_money",
            f"a tenth of {usd} USD buys less than one page, so there is no marginal curve",
            "enter a larger amount",
        )
        return roi, None, (about,)
    marginal = marginal_gains(
        curve,
        ram_pages=ram_pages,
        flash_pages=0,
        usd_step=step,
        steps=MARGINAL_STEPS,
        dram_usd_per_byte=dram_byte,
        flash_usd_per_byte=flash_byte,
        disk_cost=disk_cost,
        flash_cost=flash_cost,
        flash_metadata=flash_metadata,
    )
    return roi, marginal, ()


def _stated(price: Price | None) -> str | None:
    if price is None:
        return None
    return f"{price.text} ({price.date or 'undated'}; {price.source})"


def _intervals(
    ram: Device | None,
    flash: Device,
    disk: Device,
    used: TierPrices,
    page_bytes: int,
    host_usd: Decimal,
    host_share: HostShare | None,
    power: Power | None,
) -> tuple[TierInterval, ...]:
    memory = PricedTier(ram or Device("dram", "DRAM", "dram"), used.ram)
    middle = PricedTier(flash, used.flash, host_usd)
    bottom = PricedTier(disk, used.disk, host_usd)
    return tuple(
        tier_interval(
            upper,
            lower,
            page_bytes=page_bytes,
            months=used.months,
            # A page of flash is reached through the host too: nothing is saved there.
            share=host_share if upper is memory else None,
            power=power,
        )
        for upper, lower in ((memory, middle), (memory, bottom), (middle, bottom))
    )


def _about_power(intervals: Iterable[TierInterval]) -> Iterable[Caution]:
    """Name all devices whose power no interval could count, once."""
    lacking = dict.fromkeys(
        device
        for each in intervals
        for caution in each.warnings
        if caution.name == POWER_UNKNOWN
        for device in caution.about
    )
    if lacking:
        named = listed([f"`{device}`" for device in lacking])
        yield Caution(
            POWER_UNKNOWN,
            f"no power is stated for {named}, so break-even intervals with "
            f"{'it' if len(lacking) == 1 else 'them'} leave power out",
            POWER_HINT,
            about=tuple(lacking),
        )


def _about_provisioned(flash: Device, used: TierPrices) -> Iterable[Caution]:
    """Say what a volume costs before its first byte: sums here buy capacity alone."""
    if used.flash is None:
        return
    try:
        rented = provision(flash)
        due = sum((each.usd_per_month for each in charges(flash, rented)), Decimal(0))
        said = (
            f"`{flash.id}` charges {due:,} USD a month for provisioned performance, "
            "whatever its size"
        )
        least = volumes(flash, 1, rented)
        if used.flash.rent and least.why:
            rent = used.flash.usd_per_month(least.billed_bytes, 1)
            said += f", and {least.why}, {rent:,.2f} USD a month"
    except BadInput as error:
        due, said = Decimal(1), error.message
    if due:
        yield Caution(
            "provisioned_rent_besides",
            f"{said}; the amounts here buy capacity only",
            "subtract that rent from the amount for flash",
            about=(flash.id,),
        )


def _about_devices(
    flash: Device, disk: Device, disks: int, page_bytes: int, used: TierPrices
) -> Iterable[Caution]:
    depths = (flash.queue_depth, disk.queue_depth)
    if None in depths:
        unknown = [d.id for d in (flash, disk) if d.queue_depth is None]
        yield Caution(
            "queue_depth_unknown",
            f"the queue depth behind the IOPS of `{'`, `'.join(unknown)}` is not stated",
            "compare devices rated at the same queue depth: 1/IOPS is a throughput "
            "cost, not a latency",
            about=tuple(unknown),
        )
    elif depths[0] != depths[1]:
        yield Caution(
            "queue_depths_differ",
            f"`{flash.id}` is rated at queue depth {depths[0]}, `{disk.id}` at {depths[1]}",
            "choose devices rated at the same depth: rates at different queue depths "
            "are not comparable",
            about=(flash.id, disk.id),
        )
    yield from _about_provisioned(flash, used)
    yield from about_page_size("flash", flash, page_bytes)
    yield from about_page_size("disk", disk, page_bytes)
    if disks > 1:
        yield Caution(
            "ideal_array",
            f"{counted(disks, 'disk is', 'disks are')} assumed to reach {disks} times the rate of one; "
            "measured arrays reach less (16 disks: 12.6 times the reads, 15.1 times "
            "the writes)",
            "use a device profile of the array if you have one",
            about=(disk.id,),
        )


def about_bought(
    curve: Curve | None, ram_pages: int | None, bought: NextMoney | None
) -> tuple[Caution, ...]:
    """Say where the sum buys more than the recording tells of in the steady state.

    Parameters
    ----------
    curve, ram_pages : Curve and int, or None
        The workload and B, the existing DRAM. [pages]
    bought : NextMoney or None
        The sum.

    Returns
    -------
    tuple of Caution
        Empty where the recording tells enough, or something is not given.
    """
    if curve is None or ram_pages is None or bought is None:
        return ()
    ram = [ram_pages + bought.dram_pages, ram_pages]
    flash = [0, bought.flash_pages]
    return tuple(
        caution
        for caution in about_curve(curve, ram, flash)
        if caution.name == "steady_state_uncertain"
    )


def _about_log_model(by_log: Theta, by_curve: CurveTheta | None) -> tuple[Caution, ...]:
    if by_curve is None:
        return (
            Caution(
                "no_curve",
                "theta rests on the log model alone: a hit ratio that is linear in log "
                "size",
                "give a profile and the existing DRAM to use the workload's own curve",
            ),
        )
    both = by_curve.reachable & (by_curve.theta > 0)
    if not bool(np.any(both)):
        return ()
    gap = np.abs(by_log.theta[both] / by_curve.theta[both] - 1)
    if float(np.max(gap)) <= LOG_MODEL_GAP:
        return ()
    return (
        Caution(
            "log_model_differs",
            "theta by the log model and by the curve differ by up to "
            f"{float(np.max(gap)):.0%}: the curve of this workload is not linear in "
            "log size there",
            "rely on the curve",
        ),
    )


def _nullable(values: Any) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]
