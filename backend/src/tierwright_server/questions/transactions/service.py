"""Transactions over raw flash: asks the models, and shows what they answer."""

import asyncio

from tierwright.advise import transaction_replay, transaction_writes
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.evaluate.transactions import nand
from tierwright.simulate import transactions as replay
from tierwright_server.common.errors import BadInput, of_model
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.point import of_body
from tierwright_server.questions.transactions.schemas import (
    MAX_EVENTS,
    BufferOut,
    ChipIn,
    LeavingOut,
    TransactionReplayIn,
    TransactionReplayOut,
    TransactionWritesIn,
    TransactionWritesOut,
    WrittenOut,
)

MOST_LEAVING = 50
MOST_STEPS = 500_000
"""Of each replay, which is made while the page waits: less than a second."""
US_PER_MS = 1000.0


def writes(body: TransactionWritesIn, *, derived: bool = False) -> TransactionWritesOut:
    """Study one transaction that leaves memory."""
    answer = transaction_writes.answer(
        dirty_pages=body.dirty_pages,
        log_bytes_per_page=body.log_bytes_per_page,
        log_pages_per_page=body.log_pages_per_page,
        pages_reread=body.pages_reread,
        ram_bytes=body.ram_bytes,
        pages_per_transaction=body.pages_per_transaction,
        geometry=_geometry(body),
        times=_times(body),
        disk_ms=body.disk_us / US_PER_MS,
        changes=(body.read_slowdown, body.write_saving, body.total_saving),
    )
    found = answer.study
    return TransactionWritesOut.showing(
        found,
        ways=[WrittenOut.model_validate(way) for way in answer.ways],
        write_saving_us=found.written.write_saving_us,
        break_even_extra_reads=found.written.break_even_extra_reads,
        curve_pages_reread=found.curve.pages_reread.tolist(),
        curve_page_us=found.curve.page_us.tolist(),
        curve_log_us=found.curve.log_us.tolist(),
        read_speedup=found.ratios.read_speedup,
        write_speedup=found.ratios.write_speedup,
        write_over_read=found.ratios.write_over_read,
        erase_us_per_page=found.ratios.erase_us_per_page,
        flash_bytes=found.capacities.flash_bytes,
        ram_pages=found.capacities.ram_pages,
        ram_blocks=found.capacities.ram_blocks,
        resident_transactions=found.capacities.resident_transactions,
        read_share=found.read_share.read_share,
        read_share_consistent=found.read_share.consistent,
        finding=answer.finding,
        sentence=answer.sentence,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
    )


async def replays(
    body: TransactionReplayIn, *, derived: bool = False
) -> TransactionReplayOut:
    """Replay transactions through three buffers."""
    return await asyncio.to_thread(_replay_or_refuse, body, derived=derived)


def _replay_or_refuse(
    body: TransactionReplayIn, *, derived: bool
) -> TransactionReplayOut:
    try:
        return _replay(body, derived=derived)
    except ModelBadInput as error:
        raise of_model(error, lambda where: _field(body, where)) from error


def _field(body: TransactionReplayIn, where: str) -> str:
    if where == "events" or where.startswith("line "):
        lines = f": {where}" if where != "events" else ""
        return "body.events" + lines if body.source == "events" else "body.running"
    return f"body.{where}"


def _replay(body: TransactionReplayIn, *, derived: bool) -> TransactionReplayOut:
    events = _events(body)
    geometry = _geometry(body)
    with of_body():
        transaction_replay.check_room(
            events,
            geometry=geometry,
            log_bytes_per_update=body.log_bytes_per_update,
        )
    answer = transaction_replay.answer(
        events,
        ram_pages=body.ram_pages,
        log_bytes_per_update=body.log_bytes_per_update,
        geometry=geometry,
        times=_times(body),
        most_steps=MOST_STEPS,
        ours=body.source != "events",
    )
    return TransactionReplayOut.showing(
        answer,
        buffers=[
            BufferOut.model_validate(
                {
                    **each.counts.to_dict(_times(body)),
                    "buffer": each.buffer,
                    "title": each.title,
                    "read_time_us": each.read_time_us,
                    "write_time_us": each.write_time_us,
                    "erase_time_us": each.erase_time_us,
                }
            )
            for each in answer.buffers
        ],
        resident_transactions=len(answer.leaving),
        leaving=[
            LeavingOut.model_validate(each) for each in answer.leaving[:MOST_LEAVING]
        ],
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
    )


def _events(body: TransactionReplayIn) -> list[replay.Event]:
    if body.source == "events":
        events = replay.parse_events(body.events)
        if not events:
            raise BadInput.at(
                "body.events",
                body.events,
                "holds no event",
                "Write one event per line, such as U T1 7, or choose another source.",
            )
    elif body.source == "half_loaded":
        events = replay.half_loaded(
            committed=body.committed, running=body.running, pages_each=body.pages_each
        )
    else:
        events = replay.concurrent_loads(
            running=body.running, pages_each=body.pages_each
        )
    if len(events) > MAX_EVENTS:
        raise BadInput.at(
            "body.events" if body.source == "events" else "body.running",
            len(events),
            f"makes more than {MAX_EVENTS:,} events, the most that are replayed during "
            "a request",
            "Give fewer events, or use the command tierwright transactions, which "
            "accepts any number.",
        )
    return events


def _geometry(body: ChipIn) -> nand.NandGeometry:
    return nand.NandGeometry(body.blocks, body.pages_per_block, body.page_bytes)


def _times(body: ChipIn) -> nand.NandTimes:
    return nand.NandTimes(body.read_us, body.write_us, body.erase_us)
