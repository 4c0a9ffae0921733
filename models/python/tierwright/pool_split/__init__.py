"""Clean and dirty pages in one buffer: how to split it when writes cost more than reads.

Restates On, Li, He, Wu, Luo and Xu, "FD-Buffer: a buffer manager for databases on flash
disks" (CIKM 2010). `analyse` joins estimate, simulation and baselines for one trace; the
other functions are the formulas one by one. Symbols: `docs/models/pool-split.md`.
"""

from tierwright.pool_split.analysis import PoolSplit, analyse
from tierwright.pool_split.asymmetry import (
    DEFAULT_ASYMMETRIES,
    PAPER_ASYMMETRIES,
    AsymmetryGain,
    gain_over_asymmetry,
    least_asymmetry,
    most_asymmetry,
    window_accesses,
)
from tierwright.pool_split.belady import BeladyCounts, belady
from tierwright.pool_split.common import (
    DEFAULT_ESTIMATOR,
    DISTANCES,
    ESTIMATORS,
    replayed_cost,
)
from tierwright.pool_split.costs import (
    GroupDistance,
    IoCost,
    PoolMissRates,
    SplitCosts,
    best_split,
    break_even_asymmetry,
    estimation_error,
    gain,
    group_distance,
    io_cost,
    normalised_cost,
    pool_miss_rates,
    split_costs,
    window_io_time,
)
from tierwright.pool_split.dynamics import (
    DYNAMICS,
    AdvisorStudy,
    advisor_study,
    static_splits,
)
from tierwright.pool_split.survey import (
    PricedSurvey,
    SplitSurvey,
    SurveyGain,
    arrays_of,
    survey,
    survey_of,
)
from tierwright.pool_split.workload import Epoch, epoch, zipf_pmf

__all__ = [
    "DEFAULT_ASYMMETRIES",
    "DEFAULT_ESTIMATOR",
    "DISTANCES",
    "DYNAMICS",
    "ESTIMATORS",
    "PAPER_ASYMMETRIES",
    "AdvisorStudy",
    "AsymmetryGain",
    "BeladyCounts",
    "Epoch",
    "GroupDistance",
    "IoCost",
    "PoolMissRates",
    "PoolSplit",
    "PricedSurvey",
    "SplitCosts",
    "SplitSurvey",
    "SurveyGain",
    "advisor_study",
    "analyse",
    "arrays_of",
    "belady",
    "best_split",
    "break_even_asymmetry",
    "epoch",
    "estimation_error",
    "gain",
    "gain_over_asymmetry",
    "group_distance",
    "io_cost",
    "least_asymmetry",
    "most_asymmetry",
    "normalised_cost",
    "pool_miss_rates",
    "replayed_cost",
    "split_costs",
    "static_splits",
    "survey",
    "survey_of",
    "window_accesses",
    "window_io_time",
    "zipf_pmf",
]
