"""A fragment cache: takes from the workload what it tells, lets the models answer."""

from collections.abc import Iterator

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.fragment_cache import FragmentStudy, fragment_study
from tierwright.advise.recovery import page_flow_times
from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.common.wording import percent, three_digits
from tierwright.profile.curve import Curve
from tierwright_server.common.schemas import WarningOut
from tierwright_server.http.context import Context
from tierwright_server.http.steps import derivation_step
from tierwright_server.questions.fragment_cache.schemas import (
    FragmentCacheIn,
    FragmentCacheOut,
    FragmentSizes,
    PhaseOut,
    WritePolicyOut,
)
from tierwright_server.questions.wear.schemas import PointIn
from tierwright_server.questions.wear.service import find

POLICY_TITLES = {
    "awt": "Asynchronous write-through",
    "write_around": "Write-around",
    "write_through": "Write-through",
    "write_back": "Write-back",
}
US_PER_S = 1e6
MANY_HOURS = 1.0
LEAST_SHARE = 1e-4


async def study(
    session: AsyncSession,
    context: Context,
    body: FragmentCacheIn,
    *,
    derived: bool = False,
) -> FragmentCacheOut:
    """Answer at the sizes and devices of the question."""
    found = await find(
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
    curve = found.curve
    times = page_flow_times(found.flash[0], found.disk[0], curve.page_bytes)
    cache_bytes = body.flash_pages * curve.page_bytes
    source = body.source_bytes or float(
        max(curve.distinct_pages * curve.page_bytes, body.fragment_bytes)
    )
    miss_rate, basis = _miss_rate(curve, body)
    writes = body.page_writes_per_s
    if writes is None:
        share = curve.write_accesses / curve.accesses
        writes = found.accesses_per_s * share / curve.distinct_pages
    answer = fragment_study(
        source_bytes=source,
        cache_bytes=cache_bytes,
        read_miss_rate=miss_rate,
        run_bytes=body.run_bytes,
        source_write_s=times["disk_write_s"],
        flash_write_s=times["flash_write_s"],
        page_writes_per_s=writes,
        fragment_populations_per_s=body.fragment_populations_per_s,
        fragment_bytes=body.fragment_bytes,
        density=body.density,
        period_s=body.period_s,
    )
    cautions = [*answer.warnings, *_cautions(body)]
    return FragmentCacheOut(
        workload_id=found.workload.id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        cache_bytes=cache_bytes,
        source_bytes=source,
        read_miss_rate=miss_rate,
        miss_rate_basis=basis,
        page_writes_per_s=writes,
        fragment_populations_per_s=answer.populations_per_s,
        rate_basis="as given"
        if body.page_writes_per_s is not None
        else f"the mean page at {three_digits(found.accesses_per_s)} accesses a second, "
        f"{found.rate_basis}",
        fragment_bytes=answer.fragment_bytes,
        at=answer.at,
        phases=[PhaseOut.model_validate(phase) for phase in answer.phases],
        fill_s=answer.fill_s,
        bytes_per_s_full=answer.bytes_per_s_full,
        sizes=_sizes(answer),
        policies=[
            WritePolicyOut(
                policy=name,
                title=POLICY_TITLES[name],
                acknowledge_us=float(policy.acknowledge_s) * US_PER_S,
                valid_share=float(policy.valid_share),
                flash_writes=float(policy.flash_writes),
                source_writes=float(policy.source_writes),
            )
            for name, policy in answer.writes.policies.items()
        ],
        finding=_finding(answer),
        sentence=_sentence(answer),
        estimator=answer.estimator,
        validity=answer.validity,
        warnings=[WarningOut.model_validate(caution) for caution in cautions],
        derivation=[derivation_step(part) for part in answer.derivation]
        if derived
        else None,
    )


def _miss_rate(curve: Curve, body: FragmentCacheIn) -> tuple[float, str]:
    if body.read_miss_rate is not None:
        return body.read_miss_rate, "as given"
    reached = float(curve.misses(body.ram_pages))
    if reached == 0:
        raise ModelBadInput(
            "fragment cache: nothing misses RAM, so the cache has no miss rate",
            "choose less RAM, or give read_miss_rate",
        )
    missed = float(curve.misses(max(body.ram_pages, body.flash_pages)))
    return (
        min(1.0, missed / reached),
        f"misses of an LRU of {max(body.ram_pages, body.flash_pages):,} pages over those of "
        f"{body.ram_pages:,}, reads and writes alike",
    )


def _cautions(body: FragmentCacheIn) -> Iterator[Caution]:
    if body.source_bytes is None:
        yield Caution(
            "source_is_the_workload",
            "the address space is assumed to be the pages that the workload touched; the map "
            "spans the whole source",
            "give the size of the volume behind the cache",
        )
    if body.read_miss_rate is None:
        yield Caution(
            "miss_rate_of_pages",
            "the miss rate is that of an LRU of single pages; fragments also hold "
            "unused pages, so more accesses miss",
            "state the read miss rate that you measure",
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


def _time(seconds: float) -> str:
    hours = seconds / 3600
    return (
        f"{three_digits(hours)} h"
        if hours >= MANY_HOURS
        else f"{three_digits(seconds)} s"
    )


def _finding(answer: FragmentStudy) -> str:
    at = answer.at
    return (
        f"Fragments of {answer.fragment_bytes / 1024:,.0f} KiB fill the flash in "
        f"{_time(answer.fill_s)} at best, and {percent(float(answer.trade.used_share[at]))} "
        "of it is useful"
    )


def _sentence(answer: FragmentStudy) -> str:
    threads = (
        f"{answer.threads_empty} threads populate an empty cache, {answer.threads_full} a "
        "full one"
    )
    awt, around = (
        float(answer.writes.policies[name].valid_share)
        for name in ("awt", "write_around")
    )
    return (
        f"{threads}. Under asynchronous write-through a written page is valid "
        f"{_share(awt)} of the time, under write-around {_share(around)}."
    )


def _share(share: float) -> str:
    if 0 < share < LEAST_SHARE:
        return "under 0.01 %"
    if 1 - LEAST_SHARE < share < 1:
        return "over 99.99 %"
    return percent(share)
