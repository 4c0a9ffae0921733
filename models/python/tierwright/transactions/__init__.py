"""Transactions over flash: which one leaves memory first, and what its write-out costs.

Restates Zhou, Meng and Liang, "A New Cache Management Approach for Transaction Processing on
Flash-based Database" (2009). `eviction` orders transactions, `nand` prices page reads,
writes and erases and the choice between writing pages and writing log records, `replay`
runs events through a buffer of either kind.
"""

from tierwright.transactions.eviction import (
    Transaction,
    average_access_times,
    eviction_order,
    uncommitted_order,
)
from tierwright.transactions.nand import (
    PAPER_GEOMETRY,
    PAPER_TIMES,
    Capacities,
    LogWrite,
    NandGeometry,
    NandTimes,
    ReadShare,
    SpeedRatios,
    capacities,
    implied_read_share,
    io_time_us,
    log_read_us,
    log_write,
    speed_ratios,
)
from tierwright.transactions.replay import (
    SPARE_BLOCKS,
    Event,
    ReplayCounts,
    Victim,
    compare_buffers,
    concurrent_loads,
    half_loaded,
    parse_events,
    replay,
    residents,
)
from tierwright.transactions.study import (
    Leaving,
    WriteCurve,
    WriteStudy,
    leaving_order,
    operations_derivation,
    write_study,
)

__all__ = [
    "PAPER_GEOMETRY",
    "PAPER_TIMES",
    "SPARE_BLOCKS",
    "Capacities",
    "Event",
    "Leaving",
    "LogWrite",
    "NandGeometry",
    "NandTimes",
    "ReadShare",
    "ReplayCounts",
    "SpeedRatios",
    "Transaction",
    "Victim",
    "WriteCurve",
    "WriteStudy",
    "average_access_times",
    "capacities",
    "compare_buffers",
    "concurrent_loads",
    "eviction_order",
    "half_loaded",
    "implied_read_share",
    "io_time_us",
    "leaving_order",
    "log_read_us",
    "log_write",
    "operations_derivation",
    "parse_events",
    "replay",
    "residents",
    "speed_ratios",
    "uncommitted_order",
    "write_study",
]
