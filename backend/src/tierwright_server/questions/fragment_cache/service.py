"""A fragment cache: takes from the workload what it tells, lets the models answer."""

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import fragment_cache
from tierwright.advise.fragment_cache import (
    POLICY_TITLES,
    FragmentCache,
    FragmentStudy,
    mean_page_basis,
)
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.fragment_cache.schemas import (
    FragmentCacheIn,
    FragmentCacheOut,
    FragmentSizes,
    PhaseOut,
    WritePolicyOut,
)
from tierwright_server.questions.wear.schemas import PointIn
from tierwright_server.questions.wear.service import Found, find

US_PER_S = 1e6


async def study(
    session: AsyncSession,
    context: Context,
    body: FragmentCacheIn,
    *,
    derived: bool = False,
) -> FragmentCacheOut:
    """Answer at the sizes and devices of the question."""
    found = await find_point(session, context, body)
    curve, answer = found.curve, ask(found, body)
    made = answer.study
    return FragmentCacheOut.showing(
        made,
        workload_id=found.workload.id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        cache_bytes=answer.cache_bytes,
        source_bytes=answer.source_bytes,
        read_miss_rate=answer.read_miss_rate,
        miss_rate_basis=answer.miss_rate_basis,
        page_writes_per_s=answer.page_writes_per_s,
        fragment_populations_per_s=made.populations_per_s,
        rate_basis="as given"
        if body.page_writes_per_s is not None
        else mean_page_basis(found.accesses_per_s, found.rate_basis),
        phases=[PhaseOut.model_validate(phase) for phase in made.phases],
        sizes=_sizes(made),
        policies=[
            WritePolicyOut(
                policy=name,
                title=POLICY_TITLES[name],
                acknowledge_us=float(policy.acknowledge_s) * US_PER_S,
                valid_share=float(policy.valid_share),
                flash_writes=float(policy.flash_writes),
                source_writes=float(policy.source_writes),
            )
            for name, policy in made.writes.policies.items()
        ],
        finding=answer.finding,
        sentence=answer.sentence,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
    )


async def find_point(
    session: AsyncSession, context: Context, body: FragmentCacheIn
) -> Found:
    """Find workload, devices and rate of the question."""
    return await find(
        session,
        context,
        PointIn(
            workload_id=body.workload_id,
            ram_pages=body.ram_pages,
            flash_pages=body.flash_pages,
            flash_device_id=body.flash_device_id,
            disk_device_id=body.disk_device_id,
            start=body.start,
            # The rate only tells the writes of a page: with these given, any will do.
            accesses_per_s=body.accesses_per_s
            if body.page_writes_per_s is None
            else (body.accesses_per_s or 0.0),
        ),
    )


def ask(found: Found, body: FragmentCacheIn) -> FragmentCache:
    """Ask the models about the cache."""
    return fragment_cache.answer(
        found.curve,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash=found.flash[0],
        disk=found.disk[0],
        run_bytes=body.run_bytes,
        accesses_per_s=found.accesses_per_s,
        source_bytes=body.source_bytes,
        read_miss_rate=body.read_miss_rate,
        page_writes_per_s=body.page_writes_per_s,
        fragment_populations_per_s=body.fragment_populations_per_s,
        fragment_bytes=body.fragment_bytes,
        density=body.density,
        period_s=body.period_s,
    )


def _sizes(answer: FragmentStudy) -> FragmentSizes:
    trade = answer.trade
    return FragmentSizes(
        fragment_bytes=trade.fragment_bytes.tolist(),
        metadata_bytes=trade.metadata_bytes.tolist(),
        fill_s=answer.fill_by_size_s.tolist(),
        used_share=trade.used_share.tolist(),
        flash_writes_per_useful_byte=trade.flash_writes_per_useful_byte.tolist(),
        effective_cache_bytes=trade.effective_cache_bytes.tolist(),
    )
