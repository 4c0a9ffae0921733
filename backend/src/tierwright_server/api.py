"""All routes under `/api/v1`."""

from fastapi import APIRouter, Depends

from tierwright_server.hardware.catalog.endpoints import router as catalog
from tierwright_server.hardware.device_imports.endpoints import (
    plans as measure_plans,
)
from tierwright_server.hardware.device_imports.endpoints import router as device_imports
from tierwright_server.hardware.imports.endpoints import router as imports
from tierwright_server.health.endpoints import router as health
from tierwright_server.http.csv_answers import check_accept
from tierwright_server.http.problems import responses
from tierwright_server.http.root import PREFIX, get_root
from tierwright_server.http.strict_query import check_query
from tierwright_server.jobs.runs.endpoints import router as runs
from tierwright_server.questions.access_cost.endpoints import router as access_cost
from tierwright_server.questions.advice.endpoints import checks as advice_checks
from tierwright_server.questions.advice.endpoints import reports as advice_reports
from tierwright_server.questions.advice.endpoints import router as advice
from tierwright_server.questions.bills.endpoints import router as bills
from tierwright_server.questions.compare.check.endpoints import router as simulations
from tierwright_server.questions.compare.endpoints import router as evaluations
from tierwright_server.questions.compositions.endpoints import router as compositions
from tierwright_server.questions.configurations.endpoints import (
    router as configurations,
)
from tierwright_server.questions.course.endpoints import router as courses
from tierwright_server.questions.dram_or_flash.endpoints import router as break_evens
from tierwright_server.questions.flash_choice.endpoints import router as flash_choices
from tierwright_server.questions.flash_device.endpoints import router as flash_devices
from tierwright_server.questions.formulas.endpoints import router as formulas
from tierwright_server.questions.fragment_cache.endpoints import (
    router as fragment_caches,
)
from tierwright_server.questions.placements.endpoints import (
    reports as placement_reports,
)
from tierwright_server.questions.placements.endpoints import router as placements
from tierwright_server.questions.pool_split.advisor import router as pool_advisors
from tierwright_server.questions.pool_split.splits import router as pool_splits
from tierwright_server.questions.quote_rankings.endpoints import (
    router as quote_rankings,
)
from tierwright_server.questions.replay_checks.endpoints import router as replay_checks
from tierwright_server.questions.response_time.endpoints import router as response_times
from tierwright_server.questions.scheme_map.endpoints import router as scheme_maps
from tierwright_server.questions.throughput.endpoints import router as throughputs
from tierwright_server.questions.tier_cost.endpoints import router as tier_cost
from tierwright_server.questions.transaction_studies.endpoints import (
    router as transaction_studies,
)
from tierwright_server.questions.transactions.endpoints import router as transactions
from tierwright_server.questions.wear.endpoints import router as wear
from tierwright_server.questions.what_to_cache.endpoints import router as what_to_cache
from tierwright_server.replays.analyses.sampled_profiles import (
    router as sampled_profiles,
)
from tierwright_server.replays.analyses.summaries import router as summaries
from tierwright_server.replays.analyses.windows import router as windows
from tierwright_server.replays.miniatures.endpoints import router as miniatures
from tierwright_server.replays.simulator.endpoints import router as simulator
from tierwright_server.replays.stored.endpoints import router as storage
from tierwright_server.replays.sweeps.endpoints import router as sweeps
from tierwright_server.scenarios.endpoints import router as scenarios
from tierwright_server.scenarios.templates.endpoints import (
    router as advice_templates,
)
from tierwright_server.traces.uploads.endpoints import router as uploads
from tierwright_server.traces.uploads.tus import router as tus
from tierwright_server.traces.workloads.endpoints import curves
from tierwright_server.traces.workloads.endpoints import router as workloads

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
    response_times,
    courses,
    break_evens,
    scheme_maps,
    flash_choices,
    flash_devices,
    wear,
    what_to_cache,
    fragment_caches,
    transactions,
    transaction_studies,
    tier_cost,
    access_cost,
    bills,
    configurations,
    advice,
    advice_checks,
    advice_reports,
    compositions,
    placements,
    placement_reports,
    quote_rankings,
    imports,
    replay_checks,
    health,
    catalog,
    device_imports,
    measure_plans,
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
    advice_templates,
):
    router.include_router(part)
