"""Page flow between RAM and flash: three schemes, their hits, costs and directories.

Restates Koltsidas and Viglas, "The Case For Flash-Aware Multi-Level Caching" (2009).
`evaluate` joins everything for one choice of sizes and devices; the other functions are
the formulas one by one. Symbols: `docs/models/page-flow.md`.
"""

from tierwright.page_flow.costs import (
    CostTerms,
    DirectoryCosts,
    SchemeCosts,
    clean_only_cost,
    directory_costs,
    exclusive_minus_lazy_advantage,
    flash_saving,
    io_costs,
    iops_to_ms,
    no_flash_cost,
    price_performance,
    scheme_cost_terms,
)
from tierwright.page_flow.counts import (
    SCHEMES,
    TIE_ORDER,
    TierCounts,
    hits_from_curve,
    lazy_effective_flash,
)
from tierwright.page_flow.decision import (
    EQUAL_SHARE,
    Replayed,
    ReplayPoint,
    decide,
    decided,
    replay_points,
)
from tierwright.page_flow.devices import DeviceChoice, DeviceRow, choose_flash
from tierwright.page_flow.directory import (
    BlockPlace,
    DirectoryEntry,
    DirectoryInRam,
    DirectoryOnFlash,
    block_map,
    directory_access_costs,
    directory_in_ram,
    directory_on_flash,
    flash_directory_size,
)
from tierwright.page_flow.dirty_range import DirtyRange, dirty_ends, evaluate_range
from tierwright.page_flow.effects import judged
from tierwright.page_flow.evaluation import (
    BAND_HOLDS,
    CostPart,
    Evaluation,
    SchemeGrid,
    SchemeResult,
    choose_scheme,
    evaluate,
    evaluate_grid,
)
from tierwright.page_flow.lazy_writes import lazy_flash_writes, returning_dirty_share
from tierwright.page_flow.map_point import MapPoint, PointScheme, map_point
from tierwright.page_flow.placement import (
    DirectoryOption,
    DirectoryStudy,
    DirectoryUse,
    SchemeCost,
    compare_directories,
)
from tierwright.page_flow.scheme_map import (
    AXES,
    MAP_SCHEMES,
    Axis,
    Crossover,
    MapMoney,
    SchemeMap,
    scheme_map,
    winners_differ,
)
from tierwright.page_flow.warn import Caution, about_curve, about_space_behind

__all__ = [
    "AXES",
    "BAND_HOLDS",
    "EQUAL_SHARE",
    "MAP_SCHEMES",
    "SCHEMES",
    "TIE_ORDER",
    "Axis",
    "BlockPlace",
    "Caution",
    "CostPart",
    "CostTerms",
    "Crossover",
    "DeviceChoice",
    "DeviceRow",
    "DirectoryCosts",
    "DirectoryEntry",
    "DirectoryInRam",
    "DirectoryOnFlash",
    "DirectoryOption",
    "DirectoryStudy",
    "DirectoryUse",
    "DirtyRange",
    "Evaluation",
    "MapMoney",
    "MapPoint",
    "PointScheme",
    "ReplayPoint",
    "Replayed",
    "SchemeCost",
    "SchemeCosts",
    "SchemeGrid",
    "SchemeMap",
    "SchemeResult",
    "TierCounts",
    "about_curve",
    "about_space_behind",
    "block_map",
    "choose_flash",
    "choose_scheme",
    "clean_only_cost",
    "compare_directories",
    "decide",
    "decided",
    "directory_access_costs",
    "directory_costs",
    "directory_in_ram",
    "directory_on_flash",
    "dirty_ends",
    "evaluate",
    "evaluate_grid",
    "evaluate_range",
    "exclusive_minus_lazy_advantage",
    "flash_directory_size",
    "flash_saving",
    "hits_from_curve",
    "io_costs",
    "iops_to_ms",
    "judged",
    "lazy_effective_flash",
    "lazy_flash_writes",
    "map_point",
    "no_flash_cost",
    "price_performance",
    "replay_points",
    "returning_dirty_share",
    "scheme_cost_terms",
    "scheme_map",
    "winners_differ",
]
