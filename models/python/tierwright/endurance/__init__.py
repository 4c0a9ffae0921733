"""Flash wear: write amplification, lifetime, what is left of a device, wear as money.

Restates sections 2.2 and 6.7.1 of Kang, Lee and Moon, "Flash as cache extension for online transactional
workloads" (VLDB Journal 2016), and the endurance terms of data sheets (TBW, DWPD).
`docs/models/endurance.md` explains.
"""

from tierwright.endurance.growth import years_with_growth
from tierwright.endurance.money import (
    WholeDrives,
    purchase_usd,
    scheme_cost,
    whole_drives,
)
from tierwright.endurance.outlook import (
    SchemeLife,
    WearOutlook,
    WearRange,
    WriteBudget,
    gentlest,
    wear_outlook,
    wear_range,
    write_budget,
)
from tierwright.endurance.smart import SmartHealth, read_smart, smart_from_mapping
from tierwright.endurance.wear import (
    Lifetime,
    RatedEndurance,
    Remaining,
    Waf,
    WearCost,
    lifetime,
    lifetime_ratio,
    rated_endurance,
    remaining,
    waf_by_pattern,
    wear_cost,
    write_amplification,
)

__all__ = [
    "Lifetime",
    "RatedEndurance",
    "Remaining",
    "SchemeLife",
    "SmartHealth",
    "Waf",
    "WearCost",
    "WearOutlook",
    "WearRange",
    "WholeDrives",
    "WriteBudget",
    "gentlest",
    "lifetime",
    "lifetime_ratio",
    "purchase_usd",
    "rated_endurance",
    "read_smart",
    "remaining",
    "scheme_cost",
    "smart_from_mapping",
    "waf_by_pattern",
    "wear_cost",
    "wear_outlook",
    "wear_range",
    "whole_drives",
    "write_amplification",
    "write_budget",
    "years_with_growth",
]
