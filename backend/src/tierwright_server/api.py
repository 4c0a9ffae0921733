"""All routes under `/api/v1`."""

from fastapi import APIRouter, Depends

from tierwright_server.analyses.pool_advisors import router as pool_advisors
from tierwright_server.analyses.pool_splits import router as pool_splits
from tierwright_server.analyses.sampled_profiles import router as sampled_profiles
from tierwright_server.analyses.summaries import router as summaries
from tierwright_server.analyses.windows import router as windows
from tierwright_server.break_evens.endpoints import router as break_evens
from tierwright_server.catalog.endpoints import router as catalog
from tierwright_server.csv_answers import check_accept
from tierwright_server.device_imports.endpoints import router as device_imports
from tierwright_server.evaluations.endpoints import router as evaluations
from tierwright_server.flash_choices.endpoints import router as flash_choices
from tierwright_server.formulas.endpoints import router as formulas
from tierwright_server.fragment_caches.endpoints import router as fragment_caches
from tierwright_server.health.endpoints import router as health
from tierwright_server.miniatures.endpoints import router as miniatures
from tierwright_server.problems import responses
from tierwright_server.replay_checks.endpoints import router as replay_checks
from tierwright_server.root import PREFIX, get_root
from tierwright_server.runs.endpoints import router as runs
from tierwright_server.scenarios.endpoints import router as scenarios
from tierwright_server.scheme_maps.endpoints import router as scheme_maps
from tierwright_server.simulations.endpoints import router as simulations
from tierwright_server.simulator.endpoints import router as simulator
from tierwright_server.strict_query import check_query
from tierwright_server.sweeps.endpoints import router as sweeps
from tierwright_server.throughputs.endpoints import router as throughputs
from tierwright_server.tier_costs.endpoints import router as tier_costs
from tierwright_server.transactions.endpoints import router as transactions
from tierwright_server.uploads.endpoints import router as uploads
from tierwright_server.uploads.endpoints import storage_router as storage
from tierwright_server.uploads.tus import router as tus
from tierwright_server.wear.endpoints import router as wear
from tierwright_server.workloads.endpoints import curves
from tierwright_server.workloads.endpoints import router as workloads

router = APIRouter(
    prefix=PREFIX, dependencies=[Depends(check_accept), Depends(check_query)]
)
# A router with neither prefix nor path cannot be included.
router.add_api_route(
    "", get_root, operation_id="get_root", tags=["root"], responses=responses()
)
router.add_api_route("/", get_root, operation_id="get_root", include_in_schema=False)
# The first ones are found soonest: what sliders ask comes first. tus goes before uploads: its
# HEAD and PATCH share their paths with the JSON routes.
for part in (
    evaluations,
    throughputs,
    break_evens,
    scheme_maps,
    flash_choices,
    wear,
    fragment_caches,
    transactions,
    tier_costs,
    replay_checks,
    health,
    catalog,
    device_imports,
    tus,
    uploads,
    storage,
    workloads,
    curves,
    formulas,
    simulations,
    simulator,
    sweeps,
    miniatures,
    pool_splits,
    pool_advisors,
    windows,
    sampled_profiles,
    summaries,
    runs,
    scenarios,
):
    router.include_router(part)
