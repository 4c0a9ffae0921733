"""The check of a fragment cache."""

from tierwright.advise.check_points import (
    MOST_BLOCK_PAGES,
    fragment_replays,
    replayed_fragments,
)
from tierwright.common.units import format_bytes
from tierwright.common.wording import percent
from tierwright_server.questions.fragment_cache import service as fragments
from tierwright_server.questions.fragment_cache.schemas import FragmentCacheIn
from tierwright_server.questions.replay_checks.check import Asking, Check, counted, row
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.traces.workloads import service as workloads


async def fragment_cache(
    asking: Asking, body: FragmentCacheIn
) -> CheckedAnswer | SweepOut:
    """Put the read miss rate, and the fill that follows, beside replays over fragments."""
    answer = await fragments.study(asking.session, asking.context, body)
    workload, content = await workloads.find_ready(asking.session, body.workload_id)
    wanted = fragment_replays(
        answer.sizes.fragment_bytes,
        page_bytes=answer.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        start=answer.start,
        accesses=content.summary["accesses"],
    )
    counters = await counted(asking, workload, content, wanted)
    if isinstance(counters, SweepOut):
        return counters
    rates = replayed_fragments(counters)
    rows = [
        row(
            str(size),
            f"Fragments of {format_bytes(size)}",
            "read miss rate",
            "share",
            answer.read_miss_rate,
            rate,
        )
        for size, rate in sorted(rates.items())
    ]
    largest = MOST_BLOCK_PAGES * answer.page_bytes
    return CheckedAnswer(
        sentence=_sentence(rates, answer.read_miss_rate, answer.fragment_bytes),
        rows=rows,
        basis="A flash of whole fragments under the CLOCK of the cache was replayed on every "
        f"access; its misses are set against those of RAM. Fragments of 2 to {MOST_BLOCK_PAGES} "
        f"pages can be replayed, up to {format_bytes(largest)}. The pace of the threads, the "
        "useful share of a fragment and the validity of written pages are not replayed: they "
        "follow from times and runs that are given.",
    )


def _sentence(rates: dict[int, float], model: float, asked: int) -> str:
    if not rates:
        return "No fragment of these sizes can be replayed."
    size = asked if asked in rates else max(rates)
    which = (
        f"Fragments of {format_bytes(size)}"
        if asked in rates
        else f"Fragments of {format_bytes(asked)} cannot be replayed; those of {format_bytes(size)}"
    )
    return (
        f"{which} miss {percent(rates[size])} of the reads that reach them by replay, where the "
        f"answer takes {percent(model)}."
    )


CHECK = Check(
    "/sce/check",
    "check_fragment_cache",
    "Read miss rate of a fragment cache from replays over fragments.",
    FragmentCacheIn,
    fragment_cache,
)
