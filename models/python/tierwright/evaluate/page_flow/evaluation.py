"""One choice of sizes and devices, all schemes side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray, share
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
from tierwright.evaluate.metadata import (
    MetadataPreset,
    RamBudget,
    charge,
    ram_pages_left,
)
from tierwright.evaluate.page_flow import decision, engine, explain
from tierwright.evaluate.page_flow.at_load import at_load
from tierwright.evaluate.page_flow.cautions import (
    about_curve,
    about_devices,
    about_space_behind,
)
from tierwright.evaluate.page_flow.costs import directory_costs, io_costs
from tierwright.evaluate.page_flow.counts import (
    check_evidence,
    check_sizes,
    hits_from_curve,
)
from tierwright.evaluate.page_flow.engine import Flow
from tierwright.evaluate.page_flow.lazy_writes import (
    lazy_overcharge,
)
from tierwright.evaluate.page_flow.outer import outer_bars
from tierwright.evaluate.page_flow.results import (
    Evaluation,
    SchemeGrid,
    SchemeResult,
    ServiceTimes,
)
from tierwright.evaluate.page_flow.schemes import (
    BY_NAME,
    NO_FLASH,
    SCHEMES,
    TIE_ORDER,
    WITH_DIRECTORY,
)
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.prices import (
    DEFAULT_AMORTISATION_MONTHS,
    NOT_INCLUDED,
    PriceBook,
    check_amortisation,
)
from tierwright.hardware.service_time import service_basis, service_time
from tierwright.hardware.tier_prices import CostPart, _cost_parts
from tierwright.profile.curve import Curve

VALIDITY = (
    "LRU in both tiers and every miss admitted; costs are busy times of devices "
    "at the rates they state, no queueing; the workload continues as on its "
    "curve"
)
BAND_HOLDS = 0.99
"""Share of the recorded points, of each scheme and pair of devices, at which the replay lies
within `io_time_error_us_per_access`; `docs/models/model-vs-simulation.md` has them."""


def evaluate(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    ram: Device | None = None,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    flash_metadata: MetadataPreset | None = None,
) -> Evaluation:
    """Compare no flash, inclusive, exclusive and lazy at one choice of sizes and devices.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size, from a cold start or in the steady
        state (`Curve.steady`): the answer is of the same.
    ram_pages, flash_pages : int
        r, at least 1, and f; f = 0 evaluates every scheme as C0. [pages]
    flash, disk : Device
        Devices of the two lower tiers; their service times are F_R, F_W, D_R, D_W.
    ram : Device, optional
        For its price only: a RAM hit costs no I/O time. Without it RAM has the price book's
        price of the kind `dram`.
    prices : PriceBook, optional
        Without it there is no cost in USD.
    amortisation_months : int
        Months over which purchases are spread, without interest. [months]
    flash_metadata : MetadataPreset, optional
        Charges the memory that flash needs to the RAM: `ram_pages` is then a budget, of
        which every scheme with flash caches in what the metadata leave and `none` in all.
        The budget is what is paid for. Without it nothing is charged, as in the papers.

    Returns
    -------
    Evaluation

    Raises
    ------
    BadInput
        If a size is out of range, or beyond the evidence of a curve from counters; the trace is empty, the curve has no write-backs, a
        device states neither IOPS nor a latency, or the flash metadata leave no RAM.

    Notes
    -----
    Equations: C0 to C3 of Koltsidas and Viglas with p_d = write_backs(r) / misses(r) for
    RAM victims and p_dF = the scheme's own flash write-backs / flash misses; R_RAM and
    R_FLASH are 0. Hits follow from the curve, see `hits_from_curve`. `inclusive` (flash
    sees only RAM misses) and `inclusive_global` (every reference refreshes flash) share
    one formula, exact only for the latter. The formulas charge an eviction for every RAM
    miss: true in the steady state; of a cold start warm-up is inside the cost, and a warning
    gives its share. Growth (`Curve.growth`) is charged as a miss of both tiers without D_R.
    """
    check_sizes("evaluate", ram_pages, flash_pages)
    months = check_amortisation(amortisation_months)
    times = service_times(flash, disk, curve.page_bytes)
    if curve.accesses == 0:
        raise BadInput("the workload has no accesses", "profile a trace with data")
    budget = _budget(curve, ram_pages, flash_pages, flash_metadata)
    frames = ram_pages if budget is None else budget.left_pages
    for held in {ram_pages, frames}:
        check_evidence("evaluate", curve, held, flash_pages)
    flows = engine.flows(
        curve,
        np.asarray(float(frames)),
        np.asarray(float(flash_pages)),
        budget=None if frames == ram_pages else np.asarray(float(ram_pages)),
    )
    parts, priced_by_profile = _cost_parts(
        curve, ram_pages, flash_pages, (ram, flash, disk), prices, months
    )
    results = {
        scheme: _result(
            curve,
            scheme,
            flow,
            ram_pages if scheme == NO_FLASH else frames,
            flash_pages,
            times,
            parts,
        )
        for scheme, flow in flows.items()
    }
    costs = {name: result.io_time_us_per_access for name, result in results.items()}
    best = decision.least(costs, TIE_ORDER)
    warnings = (
        *about_curve(curve, frames, flash_pages),
        *about_space_behind(flash_metadata),
        *about_devices(curve, flash_pages, flash, disk, ram),
        *_about_the_lead(results, best, simulated=curve.given is None),
        *explain.about_lazy_writes(
            float(
                lazy_overcharge(
                    curve,
                    flows["lazy"].r,
                    flows["lazy"].f,
                    flows["lazy"].counts,
                    np.asarray(results["lazy"].flash_writes_counted),
                )
            ),
            results["lazy"].flash_writes,
            curve.accesses,
            times.flash_write,
        ),
        *priced_by_profile,
    )
    found = Evaluation(
        schemes=results,
        start=curve.start,
        best=best,
        runner_up=best,
        margin_us_per_access=0.0,
        margin=0.0,
        gain_over_none=0.0,
        validity=VALIDITY,
        warnings=warnings,
        inputs={
            **_inputs(
                curve, ram_pages, flash_pages, (ram, flash, disk), prices, months
            ),
            "flash_metadata": None if flash_metadata is None else flash_metadata.name,
            "flash_metadata_bytes": 0 if budget is None else budget.metadata_bytes,
            "ram_pages_with_flash": frames,
        },
        derive=lambda: [
            explain.derive(
                curve,
                result,
                ram_pages if result.scheme == NO_FLASH else frames,
                flash_pages,
                flash,
                disk,
                charged=budget is not None and result.scheme != NO_FLASH,
            )
            for result in results.values()
        ],
        surround=lambda none: outer_bars(
            curve,
            none,
            ram_pages=ram_pages,
            devices=(ram, flash, disk),
            times=times,
            prices=prices,
            amortisation_months=months,
        ),
        count_devices=lambda schemes, outer: at_load(
            schemes,
            outer,
            curve,
            devices=(ram, flash, disk),
            amortisation_months=months,
        ),
        ram_budget=budget,
        contenders=_contenders(curve, results, (ram_pages, frames, flash_pages)),
        new_pages=curve.new_pages,
        growth_per_access=curve.new_pages / curve.accesses,
    )
    return decision.ranked(found)


def _contenders(
    curve: Curve, results: Mapping[str, SchemeResult], sizes: tuple[int, int, int]
) -> tuple[str, ...]:
    """Name the schemes that could be best: within their errors, and in warm caches or cold."""
    ram_pages, frames, flash_pages = sizes
    if not flash_pages:
        # All schemes are one and the same, so there is nothing for a replay to decide.
        return ()
    known: dict[str, tuple[float, float, float]] = {}
    for name, result in results.items():
        cost = result.io_time_us_per_access
        error = result.io_time_error_us_per_access
        if curve.cold is not None:
            scheme = BY_NAME[name]
            ram = frames if scheme.uses_flash else ram_pages
            [pages] = decision.pages_that_tell(
                name,
                np.asarray([ram], dtype=np.float64),
                np.asarray([flash_pages], dtype=np.float64),
                curve,
            ).tolist()
            error += cost * decision.steady_error(pages / curve.distinct_pages)
        known[name] = (cost, error + result.warm_up_us_per_access, error)
    return decision.contenders(known)


def _budget(
    curve: Curve, ram_pages: int, flash_pages: int, preset: MetadataPreset | None
) -> RamBudget | None:
    """RAM left by the flash metadata; None where nothing is charged."""
    if preset is None:
        return None
    found = charge(
        preset,
        ram_bytes=ram_pages * curve.page_bytes,
        flash_bytes=flash_pages * curve.page_bytes,
        page_bytes=curve.page_bytes,
        source_bytes=curve.data_pages * curve.page_bytes,
    )
    if not found.feasible:
        raise BadInput(
            f"evaluate: ram_pages: `{ram_pages}` hold less than the flash metadata, "
            f"{format_bytes(found.metadata_bytes)} ({preset.title})",
            "use more RAM, less flash, or a cache with larger units",
        )
    return found


def evaluate_grid(
    curve: Curve,
    *,
    ram_pages: ArrayLike,
    flash_pages: ArrayLike,
    flash: Device,
    disk: Device,
    schemes: Iterable[str] = SCHEMES,
    flash_metadata: MetadataPreset | None = None,
    hits_off: float = 0.0,
) -> dict[str, SchemeGrid]:
    """I/O time and flash writes of every scheme over many sizes at once.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size.
    ram_pages, flash_pages : array_like
        r and f, broadcast against each other: ``r[:, None], f[None, :]`` makes a grid.
        [pages]
    flash, disk : Device
        Devices of the two lower tiers.
    schemes : iterable of str
        Schemes wanted.
    flash_metadata : MetadataPreset, optional
        As in `evaluate`: `ram_pages` are then budgets. Where the metadata leave no RAM the
        schemes with flash are NaN.
    hits_off : float
        Share of the known error of the flash hits to add to them, from -1 to 1: the ends of
        what an approximation stands for. Exact schemes stay as they are. [1]

    Returns
    -------
    dict of str to SchemeGrid

    Raises
    ------
    BadInput
        As `evaluate`, and if a scheme is unknown.
    """
    sizes = broadcast(
        "evaluate_grid", amounts={"ram_pages": ram_pages, "flash_pages": flash_pages}
    )
    wanted = list(schemes)
    problems = Problems("evaluate_grid", f"schemes are {', '.join(SCHEMES)}")
    for scheme in wanted:
        problems.check(scheme in SCHEMES, "schemes", scheme, "is unknown")
    problems.check(curve.accesses > 0, "curve", None, "the workload has no accesses")
    problems.check(-1 <= hits_off <= 1, "hits_off", hits_off, "must lie in [-1, 1]")
    problems.raise_if_any()
    times = service_times(flash, disk, curve.page_bytes)
    budget, left = None, sizes["ram_pages"]
    if flash_metadata is not None:
        budget = left
        left = ram_pages_left(
            flash_metadata,
            ram_pages=sizes["ram_pages"],
            flash_pages=sizes["flash_pages"],
            page_bytes=curve.page_bytes,
            source_bytes=curve.data_pages * curve.page_bytes,
        )
    f = sizes["flash_pages"]
    flows = engine.flows(curve, np.maximum(left, 0.0), f, budget=budget, schemes=wanted)
    grids: dict[str, SchemeGrid] = {}
    for scheme in wanted:
        flow = flows[scheme]
        flash_writes = engine.flash_writes(curve, scheme, flow)
        if hits_off:
            flow = engine.with_hits_off(
                curve, scheme, flow, np.maximum(left, 1.0), f, hits_off
            )
        terms = engine.terms(scheme, flow, times).by_term
        disk_time = terms["disk_reads"] + terms["disk_writes"]
        total = np.sum(list(terms.values()), axis=0)
        columns: tuple[FloatArray, ...] = (
            flow.counts.flash_hits,
            flow.counts.flash_misses - flow.growth,
            total / curve.accesses,
            flash_writes / curve.accesses,
            (total - disk_time) / curve.accesses,
            disk_time / curve.accesses,
            flow.p_d_flash * flow.counts.flash_misses / curve.accesses,
        )
        if flash_metadata is not None and scheme != NO_FLASH:
            columns = tuple(np.where(left >= 1, each, np.nan) for each in columns)
        hits, beyond, io_us, written, flash_us, disk_us, disk_writes = columns
        grids[scheme] = SchemeGrid(
            hits,
            beyond,
            io_us,
            written,
            flash_us,
            disk_us,
            disk_writes,
            curve.accesses,
            times,
        )
    return grids


def choose_scheme(
    curve: Curve,
    ram_pages: float,
    flash_pages: float,
    *,
    p_d: float,
    flash_read: float,
    flash_write: float,
    disk_read: float,
    disk_write: float,
    lookup: float = 0.0,
    update: float = 0.0,
) -> tuple[dict[str, float], str]:
    """I/O plus directory cost per scheme, from its own counts, and the cheapest scheme.

    Parameters
    ----------
    curve : Curve
        Hit-ratio curve.
    ram_pages, flash_pages : float
        r and f; f = 0 evaluates every scheme as C0. [pages]
    p_d : float
        Share of victims that are dirty, for RAM and flash alike. [1]
    flash_read, flash_write, disk_read, disk_write : float
        F_R, F_W, D_R, D_W. [time]
    lookup, update : float
        L and U of the flash directory. [time]

    Returns
    -------
    tuple
        Costs of inclusive, exclusive and lazy [time], and the least; among equals exclusive,
        then lazy, then inclusive: by effective flash, the larger first.

    Raises
    ------
    BadInput
        If a number is out of its domain, or a cost would be no finite number.
    """
    counts = hits_from_curve(curve, ram_pages, flash_pages)
    totals: dict[str, float] = {}
    for scheme in WITH_DIRECTORY:
        tier = counts[scheme]
        io = io_costs(
            tier.flash_hits,
            tier.flash_misses,
            p_d=p_d,
            flash_read=flash_read,
            flash_write=flash_write,
            disk_read=disk_read,
            disk_write=disk_write,
        )
        directory = directory_costs(
            tier.flash_hits, tier.flash_misses, p_d=p_d, lookup=lookup, update=update
        )
        no_flash = tier.ram_misses * (disk_read + p_d * disk_write)
        total = getattr(io, scheme) + getattr(directory, scheme)
        totals[scheme] = float(no_flash if flash_pages == 0 else total)
    if not all(map(math.isfinite, totals.values())):
        raise BadInput(
            "choose_scheme: the costs would not be finite",
            "give smaller times or fewer accesses",
        )
    order = [name for name in TIE_ORDER if name in totals]
    return totals, decision.least(totals, order)


def service_times(flash: Device, disk: Device, page_bytes: int) -> ServiceTimes:
    """Busy times of the two lower tiers for one page, by `tierwright.hardware.service_time`.

    Raises
    ------
    BadInput
        If a device states neither IOPS nor a latency.
    """
    problems = Problems(
        "evaluate",
        "choose a device with IOPS or a latency, or add the figure to your own",
    )
    found: dict[str, float] = {}
    for role, device in (("flash", flash), ("disk", disk)):
        for operation in OPERATIONS:
            service = service_time(device, operation, page_bytes)
            if service.time_us is None:
                problems.add(
                    f"{role} device",
                    device.id,
                    f"has no {operation} service time: neither {operation} IOPS nor a latency",
                )
            else:
                found[f"{role}_{operation}"] = service.time_us
    problems.raise_if_any()
    return ServiceTimes(**found)


def _result(
    curve: Curve,
    scheme: str,
    flow: Flow,
    ram_pages: int,
    flash_pages: int,
    times: ServiceTimes,
    parts: Mapping[str, CostPart],
) -> SchemeResult:
    tier = flow.counts
    terms = {
        name: float(value) / curve.accesses
        for name, value in engine.terms(scheme, flow, times).by_term.items()
    }
    used = {
        tier_name: part
        for tier_name, part in parts.items()
        if tier_name != "flash" or scheme != NO_FLASH
    }
    amounts = [part.usd_per_month for part in used.values()]
    reasons = [part.reason for part in used.values() if part.reason]
    known = [amount for amount in amounts if amount is not None]
    cost = None if reasons else sum(known, Decimal(0))
    flash_misses = max(0.0, float(tier.flash_misses) - flow.growth)
    sizes = explain.sizes_of(scheme, ram_pages, flash_pages, tier)
    exact, text, error = explain.exactness(curve, scheme, ram_pages, flash_pages, sizes)
    charged, counted = engine.both_flash_writes(curve, scheme, flow)
    written = float(charged)
    return SchemeResult(
        scheme=scheme,
        ram_hits=float(tier.ram_hits),
        flash_hits=float(tier.flash_hits),
        flash_misses=flash_misses,
        effective_flash_pages=float(tier.effective_flash_pages),
        p_d=float(flow.p_d),
        p_d_flash=float(flow.p_d_flash),
        io_time_us_per_access=sum(terms.values()),
        cost_terms_us_per_access=terms,
        flash_reads=float(tier.flash_hits),
        flash_writes=written,
        flash_writes_counted=float(counted),
        flash_writes_cold_start=float(counted) if curve.cold is None else None,
        flash_writes_per_access=written / curve.accesses,
        hdd_reads=flash_misses,
        hdd_writes=float(flow.p_d_flash * tier.flash_misses),
        cost_usd_per_month=cost,
        cost_parts=used,
        cost_reason="; ".join(dict.fromkeys(reasons)),
        estimator=explain.estimator(curve, scheme),
        exact=exact,
        exactness=text,
        flash_hits_error=error,
        io_time_error_us_per_access=float(
            engine.io_time_error_us(curve, scheme, flow, times, counted=counted)
        ),
        warnings=explain.scheme_warnings(scheme, ram_pages, flash_pages),
        warm_up_us_per_access=_warm_up(curve, scheme, flow, written)
        * times.flash_write
        / curve.accesses,
        growth=flow.growth,
    )


def _warm_up(curve: Curve, scheme: str, flow: Flow, written: float) -> float:
    """Flash writes that the formula charges for RAM misses that evict nothing. [pages]"""
    fills = BY_NAME[scheme].warm_up_fills
    if fills is None or not written:
        return 0.0
    evicting = share(curve.evictions(flow.r), curve.misses(flow.r))
    return float(fills(flow.counts) * (1.0 - evicting))


def _about_the_lead(
    results: Mapping[str, SchemeResult], best: str, *, simulated: bool
) -> tuple[Caution, ...]:
    """Warn when another scheme is within the known error of the model."""
    winner = results[best]
    most = winner.io_time_us_per_access + winner.io_time_error_us_per_access
    close = [
        name
        for name, result in results.items()
        if name not in decision.twins_of(best)
        and result.io_time_us_per_access - result.io_time_error_us_per_access < most
        and winner.io_time_error_us_per_access + result.io_time_error_us_per_access > 0
    ]
    if not close:
        return ()
    return (
        Caution(
            "lead_within_model_error",
            f"`{best}` leads `{'`, `'.join(close)}` by less than the known error of the "
            "model: the counts of inclusive and lazy are approximations",
            "simulate this point before choosing"
            if simulated
            else "treat them as equal: only a trace can be simulated",
        ),
    )


def _service_inputs(flash: Device, disk: Device, page_bytes: int) -> dict[str, Any]:
    """Service times with the rule used and its bounds."""
    found: dict[str, Any] = {}
    for role, device in (("flash", flash), ("disk", disk)):
        for operation in OPERATIONS:
            time = service_time(device, operation, page_bytes)
            name = f"{role}_{operation}"
            found[f"{name}_us"] = time.time_us
            found[f"{name}_least_us"] = time.low_us
            found[f"{name}_most_us"] = time.high_us
            found[f"{name}_rule"] = time.rule
    return found


def _inputs(
    curve: Curve,
    ram_pages: int,
    flash_pages: int,
    devices: tuple[Device | None, Device, Device],
    prices: PriceBook | None,
    months: int,
) -> dict[str, Any]:
    ram, flash, disk = devices
    size = curve.page_bytes
    held = (
        "the whole data set (distinct pages x page size)"
        if curve.scaled is None
        else "the data of production of one machine"
    )
    return {
        "start": curve.start,
        "accesses": curve.accesses,
        "write_accesses": curve.known_write_accesses,
        "distinct_pages": curve.distinct_pages,
        "page_bytes": size,
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "ram_bytes": ram_pages * size,
        "flash_bytes": flash_pages * size,
        "disk_bytes": curve.data_pages * size,
        **_service_inputs(flash, disk, size),
        "flash_service_basis": service_basis(flash, size),
        "disk_service_basis": service_basis(disk, size),
        "ram_device_id": None if ram is None else ram.id,
        "flash_device_id": flash.id,
        "disk_device_id": disk.id,
        "price_book_id": None if prices is None else prices.id,
        "amortisation_months": months,
        "cost_basis": (
            "Money per month for the bytes held: RAM and flash of the sizes chosen, "
            f"and {held} on disk; rent as "
            f"quoted, a purchase spread over {counted(months, 'month')} without interest; "
            f"{NOT_INCLUDED}"
        ),
        "time_basis": (
            "busy time of the devices per access, no queueing; a RAM hit and the "
            "replacement algorithms cost nothing (R_RAM = R_FLASH = 0)"
        ),
    }
