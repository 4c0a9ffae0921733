"""The check of filling and restart."""

from tierwright.advise.check_points import replayed_restart, restart_replays
from tierwright.advise.recovery import BY_MISSES, page_flow_times
from tierwright.common.wording import percent
from tierwright.evaluate import recovery as model
from tierwright_server.questions.replay_checks.check import Asking, Check, counted, row
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedFigure,
)
from tierwright_server.questions.wear import service as wears
from tierwright_server.questions.wear.schemas import RecoveryIn, RecoveryOut
from tierwright_server.replays.sweeps.schemas import SweepOut

MEGABYTE = 1e6


async def recover(asking: Asking, body: RecoveryIn) -> CheckedAnswer | SweepOut:
    """Put filling and restart beside a cache that crashes in the middle of the trace."""
    answer = await wears.recover(asking.session, asking.context, body)
    found = await wears.find(asking.session, asking.context, body)
    content = found.point.content
    accesses = content.summary["accesses"]
    window = round(body.checkpoint_interval_s / 2 * answer.accesses_per_s)
    wanted = restart_replays(
        ram_pages=answer.ram_pages_left,
        flash_pages=body.flash_pages,
        accesses=accesses,
        window=max(1, window),
    )
    counters = await counted(asking, found.workload, content, wanted)
    if isinstance(counters, SweepOut):
        return counters
    seen = replayed_restart(counters, accesses)
    by_misses = answer.flash_bytes / answer.fill.rates_bytes_per_s[BY_MISSES]
    filled = None
    if seen.fill_accesses is not None and answer.accesses_per_s > 0:
        filled = seen.fill_accesses / answer.accesses_per_s
    rows = [
        row(
            "fill",
            "Filling",
            "time to fill, by the misses of RAM",
            "s",
            by_misses,
            filled,
        )
    ]
    rows.extend(_restart(body, answer, seen.flash_share, seen.metadata_bytes, found))
    cut = min(window, accesses - accesses // 2)
    return CheckedAnswer(
        sentence=_sentence(rows, seen.flash_share, body.flash_share),
        rows=rows,
        basis="FaCE was replayed: with flash that survives it crashes in the middle of the "
        f"trace, and the pages read in the {cut:,} accesses behind the crash stand for those "
        "that redo reads; it lost all at eight places, to see when the flash is full again. "
        "How many pages redo reads is as in the answer: the log of the database is not in "
        "the trace. Checkpoints, which bring dirty pages to flash, are not in it either.",
    )


def _restart(
    body: RecoveryIn,
    answer: RecoveryOut,
    share: float | None,
    metadata_bytes: int,
    found: wears.Found,
) -> list[CheckedFigure]:
    restart = answer.restart
    bandwidth = found.flash[0].number("sequential_read_mb_per_s")
    if restart is None or bandwidth is None:
        return []
    metadata_s = metadata_bytes / (bandwidth * MEGABYTE)
    rows = [
        row(
            "restart",
            "Restart",
            "metadata restored",
            "s",
            restart.with_flash.metadata_s,
            metadata_s,
        ),
        row(
            "restart",
            "Restart",
            "pages found on flash",
            "share",
            body.flash_share,
            share,
        ),
    ]
    if share is not None:
        times = page_flow_times(found.flash[0], found.disk[0], found.curve.page_bytes)
        replayed = model.restart(
            metadata_s=metadata_s,
            redo_pages=restart.redo_pages,
            redo_writes=body.redo_writes,
            flash_share=share,
            **times,
        )
        rows.append(
            row(
                "restart",
                "Restart",
                "with flash",
                "s",
                restart.with_flash.total_s,
                float(replayed.with_flash.total_s),
            )
        )
        rows.append(
            row(
                "restart",
                "Restart",
                "speed-up by flash",
                "1",
                restart.speedup,
                float(replayed.speedup),
            )
        )
    return rows


def _sentence(rows: list[CheckedFigure], share: float | None, assumed: float) -> str:
    """Say where the answer and the replay differ most for who waits for a restart."""
    if share is None:
        return "After the crash no page was read from below RAM, so nothing can be compared."
    text = (
        f"Of the pages read behind the crash the replayed flash held {percent(share)}, where "
        f"the answer takes {percent(assumed)}"
    )
    filled = rows[0]
    if filled.simulated is None:
        return f"{text}; the flash does not fill within the recording."
    if filled.model is None or filled.gap_relative is None:
        return f"{text}."
    side = "longer" if filled.gap_relative < 0 else "less time"
    return (
        f"{text}; filling takes {percent(abs(filled.simulated / filled.model - 1))} {side} "
        "by replay than by the misses of RAM."
    )


CHECK = Check(
    "/recovery/check",
    "check_recovery",
    "Filling and restart from replays of a cache that crashes.",
    RecoveryIn,
    recover,
)
