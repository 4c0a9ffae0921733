"""Transactions over raw flash: the models' answers, in words and rows."""

import asyncio
from collections.abc import Iterator

from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.transactions import nand, replay, study
from tierwright_server.common.errors import BadInput, of_model
from tierwright_server.common.schemas import WarningOut
from tierwright_server.http.steps import derivation_step
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

BUFFER_TITLES = {
    "page_lru": "LRU of pages",
    "transaction_page": "Transactions, as pages",
    "transaction_log": "Transactions, as log records",
}
WAY_WORDS = {"page": "pages", "log": "log records"}
MOST_LEAVING = 50
MOST_STEPS = 500_000
"""Of each replay, which is made while the page waits: less than a second."""
REPLAY_ESTIMATOR = "replay of every event; time is counted operations times busy times"
REPLAY_VALIDITY = (
    "one chip without parallelism, written log-structured; locks, checkpoints and the "
    "transaction log proper are not modelled; dirty pages left at the end are not written"
)
US_PER_MS = 1000.0
US_PER_S = 1e6


def writes(body: TransactionWritesIn, *, derived: bool = False) -> TransactionWritesOut:
    """Study one transaction that leaves memory."""
    found = study.write_study(
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
    written = found.written
    return TransactionWritesOut(
        dirty_pages=found.dirty_pages,
        pages_reread=found.pages_reread,
        log_pages_per_page=found.log_pages_per_page,
        ways=[
            WrittenOut(
                written_as="page",
                pages_written=found.dirty_pages,
                write_us=written.data_write_us,
                reread_us=found.page_reread_us,
                total_us=found.page_us,
                erase_us=found.page_erase_us,
            ),
            WrittenOut(
                written_as="log",
                pages_written=written.log_pages,
                write_us=written.log_write_us,
                reread_us=found.log_reread_us,
                total_us=found.log_us,
                erase_us=found.log_erase_us,
            ),
        ],
        write_saving_us=written.write_saving_us,
        break_even_extra_reads=written.break_even_extra_reads,
        break_even_pages=found.break_even_pages,
        winner=found.winner,
        saving=found.saving,
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
        finding=_writes_finding(found),
        sentence=_writes_sentence(found),
        estimator=found.estimator,
        validity=found.validity,
        warnings=[WarningOut.model_validate(caution) for caution in found.warnings],
        derivation=[derivation_step(part) for part in found.derivation]
        if derived
        else None,
    )


def _writes_finding(found: study.WriteStudy) -> str:
    if found.winner == "equal":
        return "Pages and log records take equally long"
    other = "log" if found.winner == "page" else "page"
    taken = {"page": found.page_us, "log": found.log_us}
    return (
        f"Leaving as {WAY_WORDS[found.winner]} takes {_time(taken[found.winner])}, as "
        f"{WAY_WORDS[other]} {_time(taken[other])}: {percent(found.saving)} less"
    )


def _writes_sentence(found: study.WriteStudy) -> str:
    written = found.written
    first = (
        f"The log writes {_pages(written.log_pages)} instead of {found.dirty_pages:,} and "
        f"spares {_time(written.write_saving_us)}, as long as "
        f"{three_digits(written.break_even_extra_reads)} page reads."
        if written.write_saving_us >= 0
        else f"The log writes {_pages(written.log_pages)} instead of "
        f"{found.dirty_pages:,}: it takes {_time(-written.write_saving_us)} longer at once."
    )
    if found.break_even_pages is None:
        return first
    return (
        f"{first} It pays until {three_digits(found.break_even_pages)} pages are wanted "
        f"again, each with {found.log_pages_per_page:g} log "
        f"{'page' if found.log_pages_per_page == 1 else 'pages'}."
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
    geometry, times = _geometry(body), _times(body)
    touched = [event.page for event in events if event.page is not None]
    database_pages = max(touched, default=0) + 1
    room = (body.blocks - replay.SPARE_BLOCKS) * body.pages_per_block
    if database_pages > room:
        raise BadInput.at(
            "body.blocks",
            body.blocks,
            f"hold {room:,} pages of a database, as {replay.SPARE_BLOCKS} blocks stay free "
            f"for writing; this one has {database_pages:,}",
            f"Give at least {-(-database_pages // body.pages_per_block) + replay.SPARE_BLOCKS:,} "
            "blocks, or lower page numbers.",
        )
    if body.log_bytes_per_update > body.page_bytes:
        raise BadInput.at(
            "body.log_bytes_per_update",
            body.log_bytes_per_update,
            f"is more than the {body.page_bytes:,} bytes of a page of the chip",
            "Give shorter log records, or a larger page_bytes.",
        )
    found = replay.compare_buffers(
        events,
        ram_pages=body.ram_pages,
        database_pages=database_pages,
        log_bytes_per_update=body.log_bytes_per_update,
        geometry=geometry,
        most_steps=MOST_STEPS,
    )
    leaving = study.leaving_order(
        replay.residents(
            events,
            ram_pages=body.ram_pages,
            database_pages=database_pages,
            geometry=geometry,
            most_steps=MOST_STEPS,
        )
    )
    taken = {name: counts.time_us(times) for name, counts in found.items()}
    return TransactionReplayOut(
        events=len(events),
        transactions=len({event.transaction for event in events}),
        ram_pages=body.ram_pages,
        database_pages=database_pages,
        buffers=[
            BufferOut.model_validate(
                {
                    "buffer": name,
                    "title": BUFFER_TITLES[name],
                    "read_time_us": counts.reads * times.read_us,
                    "write_time_us": counts.writes * times.write_us,
                    "erase_time_us": counts.erases * times.erase_us,
                    **counts.to_dict(times),
                }
            )
            for name, counts in found.items()
        ],
        resident_transactions=len(leaving),
        leaving=[LeavingOut.model_validate(row) for row in leaving[:MOST_LEAVING]],
        finding=_replay_finding(taken),
        sentence=_replay_sentence(found, leaving),
        estimator=REPLAY_ESTIMATOR,
        validity=REPLAY_VALIDITY,
        warnings=[
            WarningOut.model_validate(caution)
            for caution in _cautions(body, found, times)
        ],
        derivation=[
            derivation_step(
                study.operations_derivation(
                    f"time: {BUFFER_TITLES[name]}",
                    counts.reads,
                    counts.writes,
                    counts.erases,
                    times,
                )
            )
            for name, counts in found.items()
        ]
        if derived
        else None,
    )


def _events(body: TransactionReplayIn) -> list[replay.Event]:
    if body.source == "events":
        events = replay.parse_events(body.events)
        if not events:
            raise BadInput.at(
                "body.events",
                body.events,
                "holds no event",
                "Write one event a line, such as U T1 7, or choose another source.",
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
            f"makes more than {MAX_EVENTS:,} events, which are replayed while you wait",
            "Give fewer, or use the command tierwright transactions, which takes any number.",
        )
    return events


def _cautions(
    body: TransactionReplayIn,
    found: dict[str, replay.ReplayCounts],
    times: nand.NandTimes,
) -> Iterator[Caution]:
    if body.source != "events":
        yield Caution(
            "order_of_events_is_ours",
            "the transactions are made like the paper's, whose order of events is not published",
            "give the events of your own transactions",
        )
    if times == nand.PAPER_TIMES:
        yield Caution(
            "chip_of_2006",
            "the chip's times are those of the paper's Table I, a chip of 2006",
            "give read, write and erase times of your own chip",
        )
    if not any(counts.victims for counts in found.values()) and (
        found["page_lru"].writes == 0
    ):
        yield Caution(
            "everything_fits",
            "everything fits into memory, so nothing had to leave it",
            "give a smaller buffer, or more transactions",
        )


def _replay_finding(taken: dict[str, float]) -> str:
    best = min(taken, key=lambda name: taken[name])
    base = taken["page_lru"]
    if base == 0 or best == "page_lru" or taken[best] == base:
        return "No buffer is quicker than an LRU of pages here"
    return (
        f"{BUFFER_TITLES[best]}: {_time(taken[best])} of I/O, "
        f"{percent(1 - taken[best] / base)} less than an LRU of pages"
    )


def _replay_sentence(
    found: dict[str, replay.ReplayCounts], leaving: list[study.Leaving]
) -> str:
    lru, ours = found["page_lru"], found["transaction_page"]
    first = (
        f"The LRU of pages writes {lru.uncommitted_pages_written:,} pages of transactions "
        f"that still run, the transaction buffer {ours.uncommitted_pages_written:,}."
    )
    if not leaving:
        return f"{first} No transaction is in memory at the end."
    row = leaving[0]
    why = (
        "it runs, and was idle longest"
        if row.commit_time is None
        else "it committed first"
    )
    return f"{first} {row.transaction} would leave next: {why}."


def _geometry(body: ChipIn) -> nand.NandGeometry:
    return nand.NandGeometry(body.blocks, body.pages_per_block, body.page_bytes)


def _times(body: ChipIn) -> nand.NandTimes:
    return nand.NandTimes(body.read_us, body.write_us, body.erase_us)


def _pages(count: int) -> str:
    return f"{count:,} page" if count == 1 else f"{count:,} pages"


def _time(time_us: float) -> str:
    for factor, unit in ((US_PER_S, "s"), (US_PER_MS, "ms")):
        if time_us >= factor:
            return f"{three_digits(time_us / factor)} {unit}"
    return f"{three_digits(time_us)} µs"
