"""Where the next dollar belongs: DRAM or flash, in every way that the inputs allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from tierwright.advise.dram_or_flash import words
from tierwright.advise.dram_or_flash.break_even import DEFAULT_DELTAS
from tierwright.advise.dram_or_flash.effects import effects
from tierwright.advise.dram_or_flash.elsewhere import (
    FarAsked,
    FarMemory,
    ObjectStore,
    StoreAsked,
    far_memory,
    object_store,
    usd_per_gib_month,
)
from tierwright.advise.dram_or_flash.end import Asked, Form, OneEnd, one_end
from tierwright.advise.dram_or_flash.paying_ram import (
    NO_RATE,
    OF_POINTS,
    PayingRam,
    at_an_end,
    known_break_evens,
    ram_that_pays,
)
from tierwright.advise.dram_or_flash.platform_load import (
    StatedIntervals,
    load_of_curve,
)
from tierwright.advise.dram_or_flash.platform_verdict import (
    Platform,
    PlatformVerdict,
    judge,
    judge_stated,
)
from tierwright.advise.dram_or_flash.rows import (
    PricesUsed,
    StepRow,
    prices_used,
    step_rows,
)
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, Rate
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput
from tierwright.evaluate.break_even.interval import HostShare, Power
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.profile.curve import Curve

DEFAULT_POINTS = 161
TIME_BASIS = (
    "Times are busy times of the devices, 1/IOPS: throughput costs, neither latencies nor "
    "service times of one request. A RAM hit costs nothing; queueing is not included."
)


@dataclass(frozen=True, slots=True)
class NoneDirty:
    """What depends on the dirty share, if no evicted page is dirty; see `DramOrFlash`."""

    end: OneEnd
    steps: tuple[StepRow, ...]
    finding: str
    sentence: str
    flip_finding: str


@dataclass(frozen=True, kw_only=True)
class DramOrFlash(Answer):
    """Where the next sum of money belongs.

    Where the dirty share is unknown and both ends were asked for, the numbers are those with as
    many dirty pages as possible, and `least` has those with none.

    Attributes
    ----------
    sentence : str
        What the sum buys, and what that saves.
    flip_finding : str
        At which price ratio the decision flips.
    interval_sentence : str
        How often a page is accessed that belongs in the upper tier.
    steps : tuple of StepRow
        DRAM steps and the flash that gains as much.
    prices : PricesUsed
        The two prices that decide.
    end : OneEnd
        Everything that was computed.
    least : NoneDirty or None
        The other end of an unknown dirty share.
    better_at_least, better_at_most : str or None
        The better buy at the ends of an unknown dirty share; None where it is known.
    paying : PayingRam or None
        How much RAM pays for itself on the workload's own curve; None where its rate or the
        interval is unknown.
    paying_reason : str
        Why there is none; empty where there is one.
    platform : PlatformVerdict or None
        Whether drives and DRAM carry the load; None where its rate is unknown.
    platform_reason : str
        Why there is none; empty where there is one.
    far : FarMemory or None
        Far memory beside DRAM; None unless requested, or without a price of DRAM.
    store : ObjectStore or None
        A store with fees beside DRAM; None as `far`.
    estimator, validity : str
        What was used and where it holds.
    time_basis : str
        What a time is.
    """

    sentence: str
    flip_finding: str
    interval_sentence: str
    steps: tuple[StepRow, ...]
    prices: PricesUsed
    end: OneEnd = field(repr=False)
    least: NoneDirty | None = field(repr=False)
    better_at_least: str | None
    better_at_most: str | None
    estimator: str
    validity: str
    time_basis: str = TIME_BASIS
    paying: PayingRam | None = None
    paying_reason: str = ""
    platform: PlatformVerdict | None = None
    platform_reason: str = ""
    far: FarMemory | None = None
    store: ObjectStore | None = None

    @property
    def form(self) -> Form:
        """The form used: `plain` where there are no write-backs."""
        return self.end.form

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON: the words, and what `break_even.analyse` found."""
        words_ = ("finding", "sentence", "flip_finding", "interval_sentence")
        least = self.least
        found: dict[str, Any] = {
            **{name: getattr(self, name) for name in words_},
            "form": self.form,
            "numbers": plain(list(self.figures)),
            "prices": plain(self.prices),
            "steps": plain(list(self.steps)),
            "next_money": plain(self.end.main),
            "least": None
            if least is None
            else {
                **{name: getattr(least, name) for name in words_[:3]},
                "steps": plain(list(least.steps)),
                "next_money": plain(least.end.main),
            },
            "paying": plain(self.paying),
            "paying_reason": self.paying_reason,
            "platform": plain(self.platform),
            "platform_reason": self.platform_reason,
            "far": plain(self.far),
            "store": plain(self.store),
            "estimator": self.estimator,
            "validity": self.validity,
            "time_basis": self.time_basis,
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The better buy, what the sum gains in both, and the ratio at which that flips."""
        main = self.end.main
        if main is None:
            return (Figure("winner", "Better buy", None),)
        return (
            Figure("winner", "Better buy", main.winner),
            Figure("usd", "The next sum", main.usd, "USD"),
            Figure("dram_gain_us", "Saved per access by DRAM", main.dram_gain, "µs"),
            Figure("flash_gain_us", "Saved per access by flash", main.flash_gain, "µs"),
            Figure(
                "flip_price_ratio",
                "Price of flash over DRAM below which flash is the better buy",
                main.flip_price_ratio,
                "1",
            ),
        )


def answer(
    flash: Device,
    disk: Device,
    *,
    curve: Curve,
    ram_pages: int,
    ram: Device | None = None,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    usd: Decimal | None = None,
    price_ratio: Decimal | None = None,
    deltas: Iterable[float] = DEFAULT_DELTAS,
    form: Form = "full",
    read_share: float | None = None,
    disks: int = 1,
    old_share: float = 0.0,
    sequential_writes: bool = False,
    host_usd: Decimal = Decimal(0),
    flash_metadata: MetadataPreset | None = None,
    points: int = DEFAULT_POINTS,
    dirty_share_range: bool = False,
    host_share: HostShare | None = None,
    power: Power | None = None,
    rate: Rate | None = None,
    drives: int = 1,
    dram_bytes_per_s: float | None = None,
    far: FarAsked | None = None,
    store: StoreAsked | None = None,
    intervals: StatedIntervals | None = None,
) -> DramOrFlash:
    """Say where the next sum of money belongs.

    Parameters
    ----------
    flash, disk : Device
        Of the two lower tiers.
    curve, ram_pages : Curve and int
        The workload and B, the existing DRAM. [pages]
    ram : Device, optional
        For its price; without it the price book's price of the kind `dram`.
    prices : PriceBook, optional
        Without it the devices' own prices are used.
    amortisation_months : int
        Months over which purchases are spread. [months]
    usd : Decimal, optional
        The next sum; unless given, about what doubles the DRAM. [USD]
    price_ratio : Decimal, optional
        Price of flash over price of DRAM, per byte; replaces the price of flash. [1]
    deltas : iterable of float
        DRAM steps in multiples of the existing DRAM. [1]
    form : str
        `full` counts flash writes, dirty pages and old versions, `plain` hits alone.
    read_share : float, optional
        Share of reads among the accesses that flash or disk serves; unless given that of the
        workload. [1]
    disks : int
        That share the load.
    old_share : float
        Share of flash that holds old versions. [1]
    sequential_writes : bool
        Whether flash is written in appends.
    host_usd : Decimal
        What one flash or disk device needs of its host, for the intervals. [USD]
    flash_metadata : MetadataPreset, optional
        Charged to the DRAM that stands beside flash.
    points : int
        Points of the curves over money.
    dirty_share_range : bool
        Whether an unknown dirty share is answered at both ends; otherwise hits alone are.
    host_share : HostShare, optional
        What a fetch into memory takes of the host, for the intervals of DRAM.
    power : Power, optional
        Price of electricity, for the intervals; left out unless given.
    rate : Rate, optional
        Accesses per second of the workload, for the RAM that pays for itself and the platform.
    drives : int
        Flash drives that share the misses of RAM, for the platform. [1]
    dram_bytes_per_s : float, optional
        Bandwidth of all DRAM, for the platform; no limit unless given. [bytes/s]
    far : FarAsked, optional
        Far memory to compare with DRAM.
    store : StoreAsked, optional
        A store with fees to compare with DRAM.
    intervals : StatedIntervals, optional
        Judge the platform on these in place of the workload's curve.

    Raises
    ------
    BadInput
        If flash is not faster than disk, a device lacks a busy time, an input is out of its
        domain, or a sum is given and a tier has no price. Problems name the parameter.
    """
    asked = Asked(
        ram_pages=ram_pages,
        flash=flash,
        disk=disk,
        ram=ram,
        prices=prices,
        amortisation_months=amortisation_months,
        usd=usd,
        price_ratio=price_ratio,
        deltas=tuple(deltas),
        form=form,
        read_share=read_share,
        disks=disks,
        old_share=old_share,
        sequential_writes=sequential_writes,
        host_usd=host_usd,
        flash_metadata=flash_metadata,
        points=points,
        host_share=host_share,
        power=power,
    )
    if curve.evidence is not None and curve.evidence.kind == "one_point":
        raise BadInput(
            "DRAM or flash: the workload is known at one size alone "
            f"({curve.evidence.range_text(curve.page_bytes)}): what more DRAM or flash would save is unknown",
            "measure other sizes: a resize for an hour, snapshots of ages, or a sampled trace",
        )
    check_evidence("DRAM or flash", curve, ram_pages, 0)
    names = {each.id: each.name for each in (flash, disk, ram) if each is not None}
    if ram is None:
        names["dram"] = "DRAM"
    if curve.write_backs_at is not None or not dirty_share_range:
        found = _known(asked, one_end(asked, curve), names)
    else:
        few, many = dirty_ends(curve)
        found = _range(one_end(asked, few), _known(asked, one_end(asked, many), names))
    found = _elsewhere(_with_paying(found, names, rate), far, store)
    costs = found.end.costs
    platform = Platform(
        drive_iops=1e6 / costs.flash_read,
        drive_write_iops=1e6 / costs.flash_write,
        drives=drives,
        dram_bytes_per_s=dram_bytes_per_s,
    )
    return _with_platform(found, curve, platform, rate, intervals)


def _with_platform(
    found: DramOrFlash,
    curve: Curve,
    platform: Platform,
    rate: Rate | None,
    intervals: StatedIntervals | None,
) -> DramOrFlash:
    """Add the verdict on the platform, or why there is none; an unknown dirty share stays one."""
    end = found.end
    if intervals is not None:
        return replace(
            found,
            platform=judge_stated(
                intervals,
                end.ram_pages,
                platform,
                page_bytes=curve.page_bytes,
                break_even_s=next(
                    iter(known_break_evens(end.found.intervals).values()), None
                ),
            ),
        )
    if rate is None or not curve.accesses:
        return replace(found, platform_reason=NO_RATE)
    paying = found.paying
    return replace(
        found,
        platform=judge(
            load_of_curve(curve, rate.accesses_per_s, rate.basis),
            end.ram_pages,
            platform,
            pays_pages=None
            if paying is None or at_an_end(curve, paying.sizes[0].pages)
            else paying.sizes[0].pages,
        ),
    )


def _elsewhere(
    found: DramOrFlash, far: FarAsked | None, store: StoreAsked | None
) -> DramOrFlash:
    """Add far memory and a store with fees, where they are asked for and DRAM has a price."""
    prices = found.end.prices
    byte = prices.per_byte(prices.ram)
    if byte is None:
        return found
    dram = usd_per_gib_month(byte, prices.months)
    page = found.end.curve.page_bytes
    return replace(
        found,
        far=None
        if far is None
        else far_memory(far, page_bytes=page, dram_usd_per_gib_month=dram),
        store=None
        if store is None
        else object_store(store, dram_usd_per_gib_month=dram),
    )


def _with_paying(
    found: DramOrFlash, names: dict[str, str], rate: Rate | None
) -> DramOrFlash:
    """Add the RAM that pays for itself, or why it is unknown; the dirty share has no part in it."""
    if rate is None:
        return replace(found, paying_reason=NO_RATE)
    end = found.end
    evidence = end.curve.evidence
    if evidence is not None and evidence.kind == "points":
        return replace(found, paying_reason=OF_POINTS)
    paying = ram_that_pays(
        end.curve,
        end.ram_pages,
        end.found.intervals,
        names,
        accesses_per_s=rate.accesses_per_s,
        rate_basis=rate.basis,
    )
    return replace(
        found,
        paying=paying,
        paying_reason="" if paying else words.interval_sentence((), names),
    )


def _known(asked: Asked, end: OneEnd, names: dict[str, str]) -> DramOrFlash:
    main, found = end.main, end.found
    return DramOrFlash(
        finding=words.finding(main, end),
        warnings=tuple(words.cautions(end)),
        explain=lambda: words.steps(found, main),
        weigh=effects(asked, end),
        sentence=words.sentence(main, end) + words.surplus(main, end.curve),
        flip_finding=words.flip_finding(main, end),
        interval_sentence=words.interval_sentence(found.intervals, names),
        steps=tuple(step_rows(end.curve, end.ram_pages, found)),
        prices=prices_used(end),
        end=end,
        least=None,
        better_at_least=None,
        better_at_most=None,
        estimator=main.estimator if main else found.estimator,
        validity=main.validity if main else found.validity,
    )


def _range(least: OneEnd, most: DramOrFlash) -> DramOrFlash:
    """Answer with both ends of an unknown dirty share."""
    few, many = least.main, most.end.main
    at_least, at_most = words.ends_of_money(few, many)

    def explain() -> Iterator[Step]:
        yield ONE_END
        yield from most.derivation()

    return DramOrFlash(
        finding=words.range_finding(few, many, most.end),
        warnings=(DIRTY_SHARE_UNKNOWN, *most.warnings),
        explain=explain,
        weigh=most.weigh,
        sentence=f"If {words.NONE_DIRTY}: {words.sentence(few, least)} If {words.ALL_DIRTY}: "
        f"{words.sentence(many, most.end)}",
        flip_finding=most.flip_finding,
        interval_sentence=most.interval_sentence,
        steps=most.steps,
        prices=most.prices,
        end=most.end,
        least=NoneDirty(
            end=least,
            steps=tuple(step_rows(least.curve, least.ram_pages, least.found)),
            finding=words.finding(few, least),
            sentence=words.sentence(few, least),
            flip_finding=words.flip_finding(few, least),
        ),
        better_at_least=at_least,
        better_at_most=at_most,
        estimator=most.estimator,
        validity=most.validity,
    )
