"""How long flash lasts under each page-flow scheme, with what is not known as a range.

Writes follow from the page-flow formulas, the budget of writes from a device's rating or from
its P/E cycles; the rest as in `tierwright.evaluate.endurance.wear`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from tierwright.common.cautions import Caution, TraceCaution
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems, collected
from tierwright.common.ties import at_both_ends, leaders
from tierwright.common.wording import counted
from tierwright.evaluate.endurance.growth import years_with_growth
from tierwright.evaluate.modern.write_amplification import waf_uniform
from tierwright.evaluate.page_flow.cautions import COUNT_CAUTIONS
from tierwright.evaluate.page_flow.dirty_range import DirtyRange
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.hardware.device import Device
from tierwright.hardware.rated_endurance import DAYS_PER_YEAR, TB, rated_endurance

SAME_WRITES = 1e-12
"""Writes that differ by less than this share count as equal."""
SECONDS_PER_YEAR = DAYS_PER_YEAR * 86_400
ESTIMATOR = (
    "budget of host writes over the flash writes of the page-flow formulas; from: small writes in "
    "place and the most writes, to: large appended writes and the least"
)
VALIDITY = (
    "even wear, a load that keeps its mix of reads and writes, steady growth; writes of the cache "
    "only, nothing else on the device"
)


Collection = Literal["greedy", "fifo", "random"]
"""Rules of garbage collection whose write amplification has a closed form at a spare space alone."""
COLLECTIONS: tuple[Collection, ...] = get_args(Collection)
USUAL_BLOCK_PAGES = 256
MOST_SPARE_PERCENT = 1000
MOST_BLOCK_PAGES = 65_536


@dataclass(frozen=True, slots=True)
class SpareSpace:
    """What write amplification is computed from.

    Attributes
    ----------
    percent : int
        (physical - logical) / logical. [%]
    block_pages : int
        Pages of an erase block. [pages]
    collection : str
        One of `COLLECTIONS`.
    """

    percent: int
    block_pages: int
    collection: Collection

    @property
    def share(self) -> float:
        """(physical - logical) / logical. [1]"""
        return self.percent / 100

    @property
    def waf(self) -> float:
        """Write amplification of uniform random overwrites at this spare space. [1]"""
        found = waf_uniform(self.collection, self.share, self.block_pages)
        assert found is not None  # one of COLLECTIONS
        return found

    @property
    def words(self) -> str:
        """The same in words."""
        return (
            f"{self.percent} % spare space, {self.collection} collection and blocks of "
            f"{counted(self.block_pages, 'page')}"
        )


@dataclass(frozen=True, slots=True)
class WriteBudget:
    """Host writes that a device takes over its life, by write pattern.

    Attributes
    ----------
    in_place_tb : float or None
        Under small random writes, as page-flow schemes make them. [10^12 bytes]
    appended_tb : float or None
        Under large sequential writes, as a cache that appends makes them. [10^12 bytes]
    basis : str
        Which figures were used.
    reason : str
        Why there is no budget; empty when there is one.
    derivation : tuple of Derivation
        Formula, numbers, source.
    assumed : str
        What it rests on that no source states; empty where nothing is assumed.
    warnings : tuple of Caution
        That it does so.
    waf_in_place : float or None
        Write amplification of writes in place; None with a rating, which has its own inside. [1]
    spare : SpareSpace or None
        What that was computed from; None where it is stated or given.
    """

    in_place_tb: float | None
    appended_tb: float | None
    basis: str
    reason: str
    derivation: tuple[Derivation, ...]
    assumed: str = ""
    warnings: tuple[Caution, ...] = ()
    waf_in_place: float | None = None
    spare: SpareSpace | None = None


@dataclass(frozen=True, slots=True)
class SchemeLife:
    """Life of the flash under one scheme.

    Attributes
    ----------
    pages_per_access, least_pages_per_access, most_pages_per_access : float
        Flash writes: as the formula charges them, and the range of the formula and of what a
        simulation counts. [pages]
    tb_per_day : float
        Host writes today. [10^12 bytes/day]
    drive_writes_per_day : float or None
        The same over the capacity. [1/day]
    years : float or None
        With writes in place and the formula's count; infinite where nothing is written or the
        load shrinks fast enough; None without a budget. [365 days]
    years_from, years_to : float or None
        The range. [365 days]
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    pages_per_access: float
    least_pages_per_access: float
    most_pages_per_access: float
    tb_per_day: float
    drive_writes_per_day: float | None
    years: float | None
    years_from: float | None
    years_to: float | None
    derivation: tuple[Derivation, ...]


@dataclass(frozen=True, slots=True)
class WearOutlook:
    """Life of the flash by scheme.

    Attributes
    ----------
    schemes : dict of str to SchemeLife
        Schemes that use flash.
    budget : WriteBudget
        What the device takes.
    written_tb : float
        Of it, written already. [10^12 bytes]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    """

    schemes: dict[str, SchemeLife]
    budget: WriteBudget
    written_tb: float
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an infinite life is None."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class WearRange:
    """Life of the flash where nobody knows how many evicted pages are dirty.

    Attributes
    ----------
    least, most : WearOutlook
        If no evicted page is dirty, and if as many are as can be. Writes rise with the dirty
        share, so lives lie between both.
    gentlest : str or None
        Scheme that writes least at both ends, alone or with equals; None where there is none.
    gentlest_at_least, gentlest_at_most : str
        Scheme that writes least at either end; among equals the one that leads at both.
    write_share : float or None
        Stated share of the accesses that write, which bounds the dirty pages. [1]
    """

    least: WearOutlook
    most: WearOutlook
    gentlest: str | None
    gentlest_at_least: str
    gentlest_at_most: str
    write_share: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an infinite life is None."""
        found: dict[str, Any] = plain(self)
        return found


def gentlest(outlook: WearOutlook) -> str:
    """Return the scheme that writes least to flash, among equals the first of `TIE_ORDER`."""
    return _gentlest(outlook)[0]


def _gentlest(outlook: WearOutlook) -> tuple[str, ...]:
    written = {name: life.tb_per_day for name, life in outlook.schemes.items()}
    return leaders(written, TIE_ORDER, tolerance=SAME_WRITES)


def wear_range(found: DirtyRange, budget: WriteBudget, **load: Any) -> WearRange:
    """Life of the flash at both ends of an unknown dirty share.

    Parameters
    ----------
    found : DirtyRange
        All schemes at both ends.
    budget : WriteBudget
        What the flash takes.
    **load
        As `wear_outlook` takes it.

    Raises
    ------
    BadInput
        As `wear_outlook`.
    """
    least = wear_outlook(found.least, budget, **load)
    most = wear_outlook(found.most, budget, **load)
    few, many = at_both_ends(_gentlest(least), _gentlest(most))
    return WearRange(
        least, most, many if many == few else None, few, many, found.write_share
    )


def write_budget(
    device: Device,
    *,
    devices: int = 1,
    pe_cycles: float | None = None,
    nand_bytes: float | None = None,
    waf_in_place: float | None = None,
    waf_appended: float | None = None,
    rated_tb: float | None = None,
    rated_years: float | None = None,
    rated_dwpd: float | None = None,
    spare_percent: int | None = None,
    block_pages: int | None = None,
    collection: Collection | None = None,
) -> WriteBudget:
    """Host writes that flash takes, from its rating or from its P/E cycles.

    Parameters
    ----------
    device : Device
        With a rating (TBW, or DWPD with years and capacity); or for P/E cycles with a capacity
        and WAF figures.
    devices : int
        Equal devices that share the writes.
    pe_cycles : float, optional
        Program and erase cycles of a block; the rating is then not used.
    nand_bytes : float, optional
        All NAND of one device; unless given its capacity, and the spare space if that is given.
        [bytes]
    waf_in_place, waf_appended : float, optional
        Write amplification of both patterns; the device's figures unless given. With P/E cycles
        only: a rating has its own inside.
    rated_tb : float, optional
        TBW of one device; as it states unless given. [10^12 bytes]
    rated_years : float, optional
        Years of its drive writes per day, where it does not state them. [year]
    rated_dwpd : float, optional
        Drive writes per day of one device; as it states unless given, and `ASSUMED_DWPD`
        where it states no endurance. [1/day]
    spare_percent : int, optional
        (physical - logical) / logical, 1 to 1000: with P/E cycles, the write amplification of writes
        in place is then that of uniform random overwrites (`waf_uniform`). [%]
    block_pages : int, optional
        Pages of an erase block, with it; 256 unless given. [pages]
    collection : str, optional
        One of `COLLECTIONS`, with it; `greedy` unless given.

    Returns
    -------
    WriteBudget

    Raises
    ------
    BadInput
        If a number is not positive, or one that only P/E cycles use comes without them.
    """
    problems = Problems("write budget", "use cycles, sizes, WAF and devices above 0")
    for name, value in (
        ("devices", devices),
        ("pe_cycles", pe_cycles),
        ("nand_bytes", nand_bytes),
        ("waf_in_place", waf_in_place),
        ("waf_appended", waf_appended),
        ("rated_tb", rated_tb),
        ("rated_years", rated_years),
        ("rated_dwpd", rated_dwpd),
        ("spare_percent", spare_percent),
        ("block_pages", block_pages),
    ):
        good = value is None or (math.isfinite(value) and value > 0)
        problems.check(good, name, value, "must be finite and above 0")
    problems.raise_if_any()
    if pe_cycles is None:
        _refuse_unused(
            nand_bytes=nand_bytes,
            waf_in_place=waf_in_place,
            waf_appended=waf_appended,
            spare_percent=spare_percent,
            block_pages=block_pages,
            collection=collection,
        )
        return _rated_budget(device, devices, rated_tb, rated_dwpd, rated_years)
    spare = _spare_space(spare_percent, block_pages, collection, waf_in_place)
    nand = nand_bytes
    if nand is None and device.capacity_bytes is not None:
        nand = device.capacity_bytes * (1.0 if spare is None else 1 + spare.share)
    if nand is None:
        return WriteBudget(
            None, None, "", f"`{device.id}` states no capacity; give all NAND", ()
        )
    wafs = {
        "in place": spare.waf
        if spare is not None
        else waf_in_place or device.number("waf_4k"),
        "appended": waf_appended or device.number("waf_sequential"),
    }
    if wafs["in place"] is None and wafs["appended"] is None:
        reason = f"`{device.id}` states no write amplification; give it"
        return WriteBudget(None, None, "", reason, ())
    found = {
        name: None if waf is None else devices * nand * pe_cycles / waf / TB
        for name, waf in wafs.items()
    }
    return WriteBudget(
        found["in place"],
        found["appended"],
        "P/E cycles over write amplification"
        if spare is None
        else f"P/E cycles over the write amplification of uniform random writes with {spare.words}",
        "",
        (
            *_steps_of(spare),
            *(
                Derivation(
                    f"budget, {name}",
                    found[name],
                    "TB",
                    "devices x NAND x P/E / WAF",
                    (
                        Number("devices", devices, "1", "that share the writes"),
                        Number("NAND", nand, "bytes", "all NAND of one"),
                        Number("P/E", pe_cycles, "1", "cycles of a block"),
                        Number("WAF", waf, "1", f"write amplification, {name}"),
                    ),
                    "derived from Kang, Lee and Moon (2016), sections 2.2 and 6.7.1",
                )
                for name, waf in wafs.items()
                if waf is not None
            ),
        ),
        waf_in_place=wafs["in place"],
        spare=spare,
    )


def _spare_space(
    percent: int | None,
    block_pages: int | None,
    collection: Collection | None,
    waf_in_place: float | None,
) -> SpareSpace | None:
    """Return what write amplification is computed from, None where it is stated or given.

    Raises
    ------
    BadInput
        If a number is out of its domain, or two of them contradict each other.
    """
    if percent is None:
        with collected(
            "write budget", "give the spare space too, or leave these out"
        ) as problems:
            for name, value in (
                ("block_pages", block_pages),
                ("collection", collection),
            ):
                problems.check(
                    value is None, name, value, "has no effect without spare_percent"
                )
        return None
    pages = USUAL_BLOCK_PAGES if block_pages is None else block_pages
    rule = "greedy" if collection is None else collection
    with collected(
        "write budget",
        "give a whole percentage from 1 to 1000, blocks of 1 to 65536 pages, and one of "
        f"{', '.join(COLLECTIONS)}",
    ) as problems:
        for name, value, most in (
            ("spare_percent", percent, MOST_SPARE_PERCENT),
            ("block_pages", pages, MOST_BLOCK_PAGES),
        ):
            good = 1 <= value <= most and value == math.floor(value)
            problems.check(good, name, value, f"is not a whole number from 1 to {most}")
        problems.check(
            rule in COLLECTIONS,
            "collection",
            rule,
            "has no write amplification by formula",
        )
        problems.check(
            waf_in_place is None,
            "waf_in_place",
            waf_in_place,
            "cannot be combined with spare_percent, from which it is computed",
        )
    return SpareSpace(percent, pages, rule)


def _steps_of(spare: SpareSpace | None) -> tuple[Derivation, ...]:
    if spare is None:
        return ()
    return (
        Derivation(
            "WAF, in place",
            spare.waf,
            "1",
            f"of uniform random overwrites, {spare.collection} collection",
            (
                Number("spare", spare.share, "1", "(physical - logical) / logical"),
                Number("b", spare.block_pages, "pages", "of an erase block"),
            ),
            "derived; Desnoyers (SYSTOR 2012), Van Houdt (SIGMETRICS 2013)",
        ),
    )


def _refuse_unused(**given: float | str | None) -> None:
    """Refuse what would change nothing: a rating in host writes has its own WAF inside."""
    with collected(
        "write budget",
        "give P/E cycles too, or leave these out to use the rating",
    ) as problems:
        for name, value in given.items():
            problems.check(
                value is None, name, value, "has no effect without P/E cycles"
            )


def _rated_budget(
    device: Device,
    devices: int,
    tb: float | None,
    dwpd: float | None,
    years: float | None,
) -> WriteBudget:
    rated = rated_endurance(device, dwpd=dwpd, years=years, assume=True)
    sequential = device.number("endurance_sequential_tb")
    written, basis = rated.tb_written, rated.basis
    assumed = rated.assumed
    warnings = tuple(replace(each, about=(device.id,)) for each in rated.warnings)
    if tb is not None:
        written, basis, sequential = tb, "TBW as given", None
        assumed, warnings = "", ()
    elif dwpd is not None:
        sequential = None
    if written is None:
        lacks = "no TBW, nor drive writes per day with years and capacity"
        if rated.dwpd is not None and device.capacity_bytes is None:
            lacks = (
                "no capacity, so its drive writes per day cannot be converted to bytes"
            )
        reason = f"`{device.id}` states {lacks}; give its TBW"
        return WriteBudget(None, None, "", reason, ())
    total = devices * written
    numbers = (
        Number("devices", devices, "1", "that share the writes"),
        Number("TBW", written, "TB", f"`{device.id}`: {basis}"),
    )
    return WriteBudget(
        total,
        None if sequential is None else devices * sequential,
        f"rated writes ({basis}), for the write pattern of the rating",
        "",
        (
            Derivation(
                "budget, in place", total, "TB", "devices x TBW", numbers, "data sheet"
            ),
            *(
                (
                    Derivation(
                        "budget, appended",
                        devices * sequential,
                        "TB",
                        "devices x TBW",
                        (
                            numbers[0],
                            Number(
                                "TBW",
                                sequential,
                                "TB",
                                f"`{device.id}`: rated for sequential writes",
                            ),
                        ),
                        "data sheet",
                    ),
                )
                if sequential is not None
                else ()
            ),
        ),
        assumed,
        warnings,
    )


def wear_outlook(
    evaluation: Evaluation,
    budget: WriteBudget,
    *,
    accesses_per_s: float,
    growth_per_year: float = 0.0,
    written_tb: float = 0.0,
    capacity_bytes: float | None = None,
) -> WearOutlook:
    """Life of the flash under each scheme of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        For the flash writes of each scheme.
    budget : WriteBudget
        What the flash takes.
    accesses_per_s : float
        Page accesses of the load today. [1/s]
    growth_per_year : float
        Of the load, above -1. [1/year]
    written_tb : float
        Written to the device before. [10^12 bytes]
    capacity_bytes : float, optional
        Of all devices, for drive writes per day. [bytes]

    Returns
    -------
    WearOutlook

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    for name, value in (("accesses_per_s", accesses_per_s), ("written_tb", written_tb)):
        if not (math.isfinite(value) and value >= 0):
            raise BadInput(
                f"wear outlook: {name}: `{value}` must be finite and not negative",
                "give the load in page accesses per second, and what is written in TB",
            )
    inputs = evaluation.inputs
    accesses, page = inputs["accesses"], inputs["page_bytes"]
    schemes = {}
    for name, result in evaluation.schemes.items():
        if name == "none":
            continue
        both = (result.flash_writes, result.flash_writes_counted)
        least, most = min(both) / accesses, max(both) / accesses
        charged = result.flash_writes / accesses

        def per_year(pages: float) -> float:
            return float(pages * accesses_per_s * page * SECONDS_PER_YEAR / TB)

        def life(pages: float, total: float | None) -> float | None:
            if total is None:
                return None
            return years_with_growth(
                total - written_tb, per_year(pages), growth_per_year
            )

        at_most = (
            budget.in_place_tb if budget.appended_tb is None else budget.appended_tb
        )
        tb_per_day = per_year(charged) / DAYS_PER_YEAR
        per_drive = None if not capacity_bytes else tb_per_day * TB / capacity_bytes
        years, shortest, longest = (
            life(charged, budget.in_place_tb),
            life(most, budget.in_place_tb),
            life(least, at_most),
        )
        ends = (
            ("years", years, budget.in_place_tb, charged, "as the formula charges"),
            ("years_from", shortest, budget.in_place_tb, most, "most writes, in place"),
            ("years_to", longest, at_most, least, "least writes, appended"),
        )
        schemes[name] = SchemeLife(
            charged,
            least,
            most,
            tb_per_day,
            per_drive,
            years,
            shortest,
            longest,
            (
                Derivation(
                    "tb_per_day",
                    tb_per_day,
                    "TB/day",
                    "writes x rate x page x 86,400 s",
                    (
                        Number("writes", charged, "pages/access", "flash writes"),
                        Number("rate", accesses_per_s, "accesses/s", "the load"),
                        Number("page", page, "bytes", "of the workload"),
                    ),
                    "Koltsidas and Viglas (2009), flash writes of C1 to C3",
                ),
                Derivation(
                    "drive_writes_per_day",
                    per_drive,
                    "1/day",
                    "writes per day / capacity",
                    (
                        Number("writes per day", tb_per_day, "TB/day", "as above"),
                        Number(
                            "capacity",
                            None if not capacity_bytes else capacity_bytes / TB,
                            "TB",
                            "of all devices",
                        ),
                    ),
                    "derived",
                ),
                *(
                    Derivation(
                        result,
                        value,
                        "years",
                        "(B - B0) / w without growth, else "
                        "ln(1 + (B - B0) ln(1 + g) / w) / ln(1 + g)",
                        (
                            Number("B", total, "TB", budget.basis),
                            Number("B0", written_tb, "TB", "written before"),
                            Number("w", per_year(pages), "TB/year", what),
                            Number("g", growth_per_year, "1/year", "growth of load"),
                        ),
                        "derived",
                    )
                    for result, value, total, pages, what in ends
                ),
            ),
        )
    return WearOutlook(
        schemes,
        budget,
        written_tb,
        ESTIMATOR,
        VALIDITY,
        (*_cautions(budget), *_about_counts(evaluation)),
    )


def _about_counts(evaluation: Evaluation) -> tuple[Caution, ...]:
    """Warnings of the evaluation that hold for its counts, so for the flash writes."""
    return tuple(
        w
        for w in evaluation.warnings
        if w.name in COUNT_CAUTIONS or isinstance(w, TraceCaution)
    )


def _cautions(budget: WriteBudget) -> tuple[Caution, ...]:
    if budget.reason:
        return (
            Caution(
                "no_write_budget",
                f"years of life cannot be computed: {budget.reason}",
                "or choose a device with a rating; the writes per day do not depend on "
                "it",
            ),
        )
    if budget.appended_tb is None:
        return (
            *budget.warnings,
            Caution(
                "pattern_of_rating_unknown",
                "the rating holds for the write pattern of its test, small random "
                "writes with drives for servers; how much more the device endures "
                "under a cache that appends is not stated",
                "give P/E cycles and write amplification to see that range",
            ),
        )
    return budget.warnings
