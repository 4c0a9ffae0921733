"""All options of one question in one table, and what each of them is.

`setting` is what the table is made for, `for_sale` lists what may be bought and `today` what there is; `identity` says what
each option consists of, `waiting` how long its accesses take, `restart` how long RAM takes to warm up, and `table` joins
them. `bought` and `bills` price what is bought, and `devices` finds the figures of each device.
"""

from __future__ import annotations

from tierwright.advise.advice._table.bills import bill_row, bill_rows
from tierwright.advise.advice._table.bought import purchases, purchases_by_kind
from tierwright.advise.advice._table.devices import (
    device_of_drive,
    latency_us,
    rack_units,
)
from tierwright.advise.advice._table.for_sale import (
    CACHES,
    allowed_items,
    allowed_rows,
    shelf,
    wanted_of,
)
from tierwright.advise.advice._table.identity import budgets_tb
from tierwright.advise.advice._table.restart import restart_error_of, restart_of
from tierwright.advise.advice._table.setting import Rates, Setting
from tierwright.advise.advice._table.table import MONTHS, LeftOut, Table, finite

__all__ = [
    "CACHES",
    "MONTHS",
    "LeftOut",
    "Rates",
    "Setting",
    "Table",
    "allowed_items",
    "allowed_rows",
    "bill_row",
    "bill_rows",
    "budgets_tb",
    "device_of_drive",
    "finite",
    "latency_us",
    "purchases",
    "purchases_by_kind",
    "rack_units",
    "restart_error_of",
    "restart_of",
    "shelf",
    "wanted_of",
]
