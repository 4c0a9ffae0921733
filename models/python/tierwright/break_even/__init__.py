"""DRAM or flash: break-even size, money, price and interval.

Restates section 2.3 of Kang, Lee and Moon, "Flash as cache extension for online transactional
workloads" (VLDB Journal 2016), and the five-minute rule of Gray and Putzolu (SIGMOD 1987).
`analyse` joins everything for one pair of devices; `docs/models/break-even.md` explains.
"""

from tierwright.break_even.analysis import (
    BreakEven,
    TierPrices,
    about_bought,
    analyse,
    page_costs,
    tier_prices,
)
from tierwright.break_even.full import (
    FullTheta,
    dram_gain,
    flash_gain,
    full_theta,
    gains_from_curve,
)
from tierwright.break_even.gains import (
    FullGains,
    PageCosts,
    PlainGains,
    least_flash,
)
from tierwright.break_even.interval import (
    PricedTier,
    TierInterval,
    break_even_interval,
    tier_interval,
)
from tierwright.break_even.money import (
    Marginal,
    Roi,
    flip_price_ratio,
    marginal_gains,
    pages_for,
    roi_curve,
    roi_log,
)
from tierwright.break_even.next_money import (
    FlipCurve,
    NextMoney,
    SpendingPlan,
    flip_curve,
    next_money,
    spending_plan,
)
from tierwright.break_even.replayed import (
    CheckSizes,
    ReplayedBreakEven,
    ReplayedScheme,
    check_sizes,
    replayed_break_even,
)
from tierwright.break_even.schemes import (
    BestGains,
    SchemeGains,
    SchemeTheta,
    SchemeThetas,
    scheme_thetas,
    steady_difference,
)
from tierwright.break_even.theta import (
    AccessCosts,
    CurveTheta,
    Theta,
    curve_theta,
    exponent,
    log_theta,
    mixed_costs,
)

__all__ = [
    "AccessCosts",
    "BestGains",
    "BreakEven",
    "CheckSizes",
    "CurveTheta",
    "FlipCurve",
    "FullGains",
    "FullTheta",
    "Marginal",
    "NextMoney",
    "PageCosts",
    "PlainGains",
    "PricedTier",
    "ReplayedBreakEven",
    "ReplayedScheme",
    "Roi",
    "SchemeGains",
    "SchemeTheta",
    "SchemeThetas",
    "SpendingPlan",
    "Theta",
    "TierInterval",
    "TierPrices",
    "about_bought",
    "analyse",
    "break_even_interval",
    "check_sizes",
    "curve_theta",
    "dram_gain",
    "exponent",
    "flash_gain",
    "flip_curve",
    "flip_price_ratio",
    "full_theta",
    "gains_from_curve",
    "least_flash",
    "log_theta",
    "marginal_gains",
    "mixed_costs",
    "next_money",
    "page_costs",
    "pages_for",
    "replayed_break_even",
    "roi_curve",
    "roi_log",
    "scheme_thetas",
    "spending_plan",
    "steady_difference",
    "tier_interval",
    "tier_prices",
]
