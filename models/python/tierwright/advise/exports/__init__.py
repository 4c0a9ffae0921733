"""An advice in the formats of other tools: its bill as FOCUS rows, node prices for OpenCost, a list of purchases."""

from __future__ import annotations

from tierwright.advise.exports.bill import OPTIONS, NothingToExport, option_of
from tierwright.advise.exports.focus import focus_csv, month_after
from tierwright.advise.exports.opencost import opencost_csv
from tierwright.advise.exports.purchases import purchases_csv, purchases_workbook

__all__ = [
    "OPTIONS",
    "NothingToExport",
    "focus_csv",
    "month_after",
    "opencost_csv",
    "option_of",
    "purchases_csv",
    "purchases_workbook",
]
