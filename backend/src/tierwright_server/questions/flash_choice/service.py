"""Choice of a flash device and of its directory: inputs, models, words."""

import asyncio
from collections.abc import Iterator

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import directories as advise_directories
from tierwright.advise import flash_choice
from tierwright.advise.directories import DirectoryOption, DirectoryStudy, SchemeCost
from tierwright.advise.flash_choice import DeviceChoice
from tierwright.advise.point import scheme_titles
from tierwright.common.derivation import shown
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.page_flow.cautions import about_given
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.flash_choice.schemas import (
    DirectoriesIn,
    DirectoriesOut,
    DirectoryOptionOut,
    DirectorySchemeOut,
    FlashChoiceIn,
    FlashChoiceOut,
    FlashRowOut,
    RejectedOut,
    SizesIn,
)
from tierwright_server.questions.point_schemas import PriceBookRef
from tierwright_server.traces.workloads import service as workloads

CHOICE_VALIDITY = (
    "LRU in both tiers; one device holds all of the flash; time is busy time, 1/IOPS, so devices "
    "rated at different queue depths do not compare; the price is that of flash alone"
)
NEAR = 0.01
"""Differences that rated rates do not bear out."""
SOURCE = "Koltsidas and Viglas (2009), section 5.7 and Table 2"
DIRECTORY_SOURCE = "Koltsidas and Viglas (2009), sections 4.1, 4.2 and Table 1"


async def choose(
    session: AsyncSession,
    context: Context,
    body: FlashChoiceIn,
    *,
    derived: bool = False,
) -> FlashChoiceOut:
    """Rank the candidates."""
    curve = await _curve(session, context, body)
    disk, _ = await catalog.find_device(
        session, context, body.disk_device_id, "disk_device_id"
    )
    candidates = await _candidates(session, context, body.candidate_ids)
    book = (
        None
        if body.price_book_id is None
        else await catalog.find_price_book(session, context, body.price_book_id)
    )
    prices: PriceBook | None = None if book is None else book[0]
    preset = metadata_preset(body.flash_metadata)

    def compute() -> DeviceChoice:
        return flash_choice.choose_flash(
            curve,
            ram_pages=body.ram_pages,
            flash_pages=body.flash_pages,
            candidates=candidates,
            disk=disk,
            prices=prices,
            amortisation_months=body.amortisation_months,
            flash_metadata=preset,
        )

    found = await asyncio.to_thread(compute)
    names = {device.id: device.name for device in candidates}
    return FlashChoiceOut(
        workload_id=body.workload_id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        price_book=None if book is None else PriceBookRef.model_validate(book[1]),
        rows=[
            FlashRowOut(
                device_id=row.device_id,
                device_name=row.device_name,
                scheme=row.scheme,
                scheme_title=scheme_titles()[row.scheme],
                io_time_us_per_access=row.io_time_us_per_access,
                gain_over_none=row.gain_over_none,
                flash_usd_per_month=row.flash_usd_per_month,
                price_times_time=row.price_times_time,
                reason=row.reason,
            )
            for row in found.rows
        ],
        best_by_time=found.best_by_time,
        best_by_price_times_time=found.best_by_price_times_time,
        rejected=[
            RejectedOut(device_id=name, device_name=names[name], reason=reason)
            for name, reason in found.rejected.items()
        ],
        sentence=_choice_sentence(found),
        estimator=found.estimator,
        validity=CHOICE_VALIDITY,
        warnings=[WarningOut.model_validate(each) for each in about_given(curve)],
        derivation=list(_choice_steps(found)) if derived else None,
    )


async def directory_study(
    session: AsyncSession, context: Context, body: DirectoriesIn
) -> tuple[DirectoryStudy, Curve, Device, Device]:
    """Compare places of the directory and sizes of flash pages: study, curve, flash, disk."""
    curve = await _curve(session, context, body)
    disk, _ = await catalog.find_device(
        session, context, body.disk_device_id, "disk_device_id"
    )
    flash, _ = await catalog.find_device(
        session, context, body.flash_device_id, "flash_device_id"
    )
    sizes = body.flash_page_bytes
    if len(set(sizes)) != len(sizes):
        raise BadInput.at(
            "body.flash_page_bytes", sizes, "names a size twice", "Give each size once."
        )
    found = await asyncio.to_thread(
        advise_directories.compare_directories,
        curve,
        ram_bytes=body.ram_pages * curve.page_bytes,
        flash_bytes=body.flash_pages * curve.page_bytes,
        flash=flash,
        disk=disk,
        flash_page_bytes=sizes,
        buffered_bytes=body.buffered_bytes,
        use=advise_directories.DirectoryUse(
            ram_lookup_us=body.ram_lookup_us,
            ram_update_us=body.ram_update_us,
            lookup_pages=body.lookup_pages,
            update_pages=body.update_pages,
            hit_ratio=body.directory_hit_ratio,
            dirty_share=body.directory_dirty_share,
            write_on_eviction=body.write_on_eviction,
        ),
    )
    return found, curve, flash, disk


async def directories(
    session: AsyncSession,
    context: Context,
    body: DirectoriesIn,
    *,
    derived: bool = False,
) -> DirectoriesOut:
    """Answer with the comparison of `directory_study`."""
    found, curve, flash, _ = await directory_study(session, context, body)
    cautions = [*about_given(curve), *found.warnings]
    return DirectoriesOut(
        workload_id=body.workload_id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_bytes=body.ram_pages * curve.page_bytes,
        flash_bytes=body.flash_pages * curve.page_bytes,
        flash_device_name=flash.name,
        none_us=found.none_us,
        options=[_option(option) for option in found.options],
        safest=found.safest,
        best_if_full=found.best_if_full,
        sentence=found.finding,
        remark=found.remark,
        estimator=found.estimator,
        validity=found.validity,
        warnings=[WarningOut.model_validate(each) for each in cautions],
        derivation=list(_directory_steps(found, body)) if derived else None,
    )


async def _curve(session: AsyncSession, context: Context, body: SizesIn) -> Curve:
    workload, content = await workloads.find_ready(session, body.workload_id)
    curve = await workloads.load_curve(context, workload, content, body.start)
    if body.dirty_share is not None:
        return curve.with_dirty_share(body.dirty_share)
    if curve.write_backs_at is None:
        raise BadInput.at(
            "body.dirty_share",
            None,
            "must be given: a curve does not contain how many evicted pages are dirty",
            "State the dirty share of the evicted pages.",
        )
    return curve


async def _candidates(
    session: AsyncSession, context: Context, ids: list[str] | None
) -> list[Device]:
    if ids is None:
        known = await catalog.all_devices(session, context)
        # An instance is chosen for more than its disks: it is ranked where it is named.
        return [
            device
            for device in known
            if "flash" in device.roles and device.sold_as == "device"
        ]
    if len(set(ids)) != len(ids):
        raise BadInput.at(
            "body.candidate_ids", ids, "names a device twice", "Name each device once."
        )
    return [
        (await catalog.find_device(session, context, name, f"candidate_ids[{at}]"))[0]
        for at, name in enumerate(ids)
    ]


def _choice_sentence(found: DeviceChoice) -> str:
    rows = {row.device_id: row for row in found.rows}
    if found.best_by_time is None:
        return "None of these devices states the times that an evaluation needs."
    fast = rows[found.best_by_time]
    if fast.scheme == "none":
        return "Flash of this size saves no I/O time on any of these devices."
    text = (
        f"{fast.device_name} gives the least I/O time, "
        f"{three_digits(fast.io_time_us_per_access)} µs an access under "
        f"{scheme_titles()[fast.scheme]}"
    )
    near = sum(
        row.io_time_us_per_access <= fast.io_time_us_per_access * (1 + NEAR)
        for row in found.rows
    )
    if near > 1:
        text += f" ({near - 1:,} more within {percent(NEAR)})"
    if found.best_by_price_times_time is None:
        return f"{text}; no price is known for any of them."
    worth = rows[found.best_by_price_times_time]
    if worth is fast:
        return f"{text}, and the least price times time."
    return (
        f"{text}; {worth.device_name} the least price times time, at "
        f"{three_digits(worth.io_time_us_per_access)} µs."
    )


def _choice_steps(found: DeviceChoice) -> Iterator[DerivationStep]:
    for row in found.rows:
        yield DerivationStep(
            scheme=row.device_id,
            name="I/O time",
            formula=f"least of C0 to C3 over N, that of {scheme_titles()[row.scheme]}: "
            f"{' + '.join(row.cost_terms_us_per_access)} = "
            f"{' + '.join(map(shown, row.cost_terms_us_per_access.values()))}",
            value=row.io_time_us_per_access,
            unit="µs per access",
            source=SOURCE,
        )
        yield DerivationStep(
            scheme=row.device_id,
            name="saved",
            formula="1 - time / time without flash = "
            # Of two close times, six digits would leave few of the difference.
            f"1 - {row.io_time_us_per_access:.12g} / {row.none_us_per_access:.12g}",
            value=row.gain_over_none,
            unit="1",
            source=SOURCE,
        )
        if row.flash_usd_per_month is not None:
            how, _, source = row.price_basis.partition("; ")
            yield DerivationStep(
                scheme=row.device_id,
                name="price of flash",
                formula=how,
                value=float(row.flash_usd_per_month),
                unit="USD/month",
                source=source,
            )
        if row.price_times_time is not None:
            yield DerivationStep(
                scheme=row.device_id,
                name="price x time",
                formula=f"{row.flash_usd_per_month:.6g} USD/month x "
                f"{row.io_time_us_per_access:.6g} µs",
                value=row.price_times_time,
                unit="USD µs/month",
                source=f"{SOURCE}; a product, as the quotient of the paper rewards dear devices",
            )


def _option(option: DirectoryOption) -> DirectoryOptionOut:
    return DirectoryOptionOut(
        placement=option.placement,
        flash_page_bytes=option.flash_page_bytes,
        technique=option.technique,
        entry_bytes=option.entry_bytes,
        directory_bytes=option.directory_bytes,
        ram_pages=option.ram_pages,
        flash_blocks=option.flash_blocks,
        flash_pages=option.flash_pages,
        lookup_us=option.lookup_us,
        update_us=option.update_us,
        schemes=[
            DirectorySchemeOut(
                scheme=name,
                title=scheme_titles()[name],
                io_us=cost.io_us,
                directory_us=cost.directory_us,
                block_read_us=cost.block_read_us,
                total_us=cost.total_us,
                worst_total_us=cost.worst_total_us,
            )
            for name, cost in option.schemes.items()
        ],
        safest=option.safest,
        best_if_full=option.best_if_full,
        saving=option.saving,
        saving_if_full=option.saving_if_full,
        reason=option.reason,
    )


def _directory_steps(
    found: DirectoryStudy, body: DirectoriesIn
) -> Iterator[DerivationStep]:
    for option in found.options:
        page = f"{option.flash_page_bytes:,} B"
        name = f"{option.placement}, {page}"
        if option.technique is not None:
            name += f", {option.technique}"
        yield DerivationStep(
            scheme=None,
            name=f"{name}: directory",
            formula=f"b_f f; b_f = {option.entry_bytes} B by Table 1, f = "
            f"{option.flash_blocks:,}",
            value=option.directory_bytes,
            unit="B",
            source=DIRECTORY_SOURCE,
        )
        yield DerivationStep(
            scheme=None,
            name=f"{name}: RAM pages",
            formula=_ram_pages_formula(option, found),
            value=option.ram_pages,
            unit="pages",
            source=DIRECTORY_SOURCE,
        )
        for symbol, pages, value in (
            ("L", body.lookup_pages, option.lookup_us),
            ("U", body.update_pages, option.update_us),
        ):
            inside = (
                "(1 - H_d)(F_R + p_dd F_W)"
                if body.write_on_eviction
                else "((1 - H_d) F_R + p_dd F_W)"
            )
            yield DerivationStep(
                scheme=None,
                name=f"{name}: {symbol}",
                formula="as given"
                if option.placement == "ram"
                else f"{pages:g} {inside}; H_d = {body.directory_hit_ratio:g}, "
                f"p_dd = {body.directory_dirty_share:g}, "
                f"F_R = {shown(found.inputs['flash_read_us'])} µs, "
                f"F_W = {shown(found.inputs['flash_write_us'])} µs",
                value=value,
                unit="µs",
                source=DIRECTORY_SOURCE,
            )
        for scheme, cost in option.schemes.items():
            yield from _cost_steps(option, scheme, cost, name)
            yield DerivationStep(
                scheme=None,
                name=f"{name}: {scheme_titles()[scheme]}",
                formula=f"C/N + C_d/N + block reads = {cost.io_us:.6g} + "
                f"{cost.directory_us:.6g} + {cost.block_read_us:.6g}",
                value=cost.total_us,
                unit="µs per access",
                source=DIRECTORY_SOURCE,
            )
            if option.technique is not None:
                yield DerivationStep(
                    scheme=None,
                    name=f"{name}: {scheme_titles()[scheme]}, at worst",
                    formula=f"the same with {option.flash_blocks:,} pages on flash, one in "
                    f"each flash page, not {option.flash_pages:,}",
                    value=cost.worst_total_us,
                    unit="µs per access",
                    source="derived",
                )


def _ram_pages_formula(option: DirectoryOption, found: DirectoryStudy) -> str:
    given = found.inputs
    frame = f"B_r = {given['ram_page_bytes']:,} B, b_r = {given['ram_entry_bytes']:,} B"
    memory = f"S_r = {given['ram_bytes']:,} B"
    if option.placement == "ram":
        return (
            f"max(0, floor((S_r - b_f f) / (B_r + b_r))); {memory}, b_f f = "
            f"{option.directory_bytes:,} B, {frame}"
        )
    return f"max(0, floor((S_r - n) / (B_r + b_r))); {memory}, n = {option.buffered_bytes:,} B, {frame}"


_DIRECTORY_COSTS = {
    "inclusive": "m_r (L + U + p_d U) + m_f U",
    "exclusive": "m_r (L + U) + m_f U",
    "lazy": "h_f (2 L + (p_d + 1) U) + 2 m_f (L + U)",
}
"""C_d of each scheme."""

_BLOCK_READS = {"inclusive": "0", "exclusive": "m_r t_b / N", "lazy": "m_f t_b / N"}
"""What overwriting reads besides."""


def _cost_steps(
    option: DirectoryOption, scheme: str, cost: SchemeCost, name: str
) -> Iterator[DerivationStep]:
    counts = (
        f"m_r = {shown(cost.flash_hits + cost.flash_misses)}, h_f = "
        f"{shown(cost.flash_hits)}, m_f = {shown(cost.flash_misses)}, N = "
        f"{cost.accesses:,} accesses"
    )
    rows = [
        (
            "C_d/N",
            f"({_DIRECTORY_COSTS[scheme]}) / N; {counts}, p_d = {shown(cost.p_d)}, L = "
            f"{shown(option.lookup_us)} µs, U = {shown(option.update_us)} µs",
            cost.directory_us,
        )
    ]
    if option.technique == "overwriting":
        rows.append(
            (
                "block reads",
                f"{_BLOCK_READS[scheme]}; {counts}, t_b = {shown(cost.block_us)} µs",
                cost.block_read_us,
            )
        )
    for part, formula, value in rows:
        yield DerivationStep(
            scheme=None,
            name=f"{name}: {scheme_titles()[scheme]}, {part}",
            formula=formula,
            value=value,
            unit="µs per access",
            source=DIRECTORY_SOURCE if part == "C_d/N" else "derived",
        )
