"""What to buy for a workload and how to run it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse

from tierwright.advise.report import FORMS
from tierwright_server.common.schemas import Identifier
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.advice import check, report, service
from tierwright_server.questions.advice.schemas import (
    AdviceCheckOut,
    AdviceIn,
    AdviceOut,
    ReportForm,
)

router = APIRouter(
    prefix="/workloads/{workload_id}/advice",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_advice", responses=responses(404, 409))
async def ask_advice(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: AdviceIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> AdviceOut:
    """Advise what to buy for a workload and how to run it, and say why.

    Stores nothing. Where no option keeps every limit, `recommendation` is null and `infeasible` names the limits
    that conflict.
    """
    return await service.ask(session, context, workload_id, body, derived=derived)


@router.post(
    "/checks",
    operation_id="check_advice",
    responses={
        202: {
            "model": AdviceCheckOut,
            "description": "Its finalists have not all been replayed: a job does that. Ask again when its run has "
            "ended.",
            "headers": {
                "Location": {
                    "description": "The replays that the job makes.",
                    "schema": {"type": "string"},
                }
            },
        },
        **responses(404, 409),
    },
    response_model=AdviceOut,
)
async def check_advice(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: AdviceIn,
    session: SessionDep,
    context: ContextDep,
) -> AdviceOut | JSONResponse:
    """Advise the same after a replay of the finalists: the recommendation and what was close to it.

    The whole advice, decided by the replays, with an `advice_id` of its own. What is not replayed has its reason in
    `checked`.
    """
    found = await check.check(session, context, workload_id, body)
    if isinstance(found, AdviceOut):
        return found
    return JSONResponse(
        found.model_dump(mode="json"),
        status_code=202,
        headers={"Location": f"/api/v1/advice-checks/{found.id}"},
    )


checks = APIRouter(prefix="/advice-checks", tags=["checks by replay"])


@checks.get(
    "/{advice_check_id}", operation_id="get_advice_check", responses=responses(404)
)
async def get_advice_check(
    advice_check_id: Annotated[Identifier, Path(description="Id of the replays.")],
    session: SessionDep,
) -> AdviceCheckOut:
    """Read the state of the replays of the finalists of an advice."""
    return await check.find(session, advice_check_id)


reports = APIRouter(
    prefix="/workloads/{workload_id}/advice/report",
    tags=["costs"],
    dependencies=ASKS_CURRENCY,
)
"""A report is a file: no amount is put into it afterwards."""


@reports.post(
    "",
    operation_id="report_advice",
    response_class=Response,
    responses={
        **responses(404, 409),
        200: report.file_response(
            FORMS,
            "The report, as a file to save.",
            "`attachment` with the name of the file, of which the id of the advice is part.",
        ),
    },
)
async def report_advice(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: AdviceIn,
    session: SessionDep,
    context: ContextDep,
    form: Annotated[
        ReportForm,
        Query(
            alias="format",
            description="`html` and `pdf`: the report, with bill, evidence, assumptions and every formula; `xlsx`: the "
            "bill as live formulas, options, what a limit costs, assumptions and sources; `csv`: the options and what other "
            "limits would buy; `json`: the advice, as "
            "`tierwright report` reads it.",
        ),
    ],
    title: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Heading of the report as `html`, `pdf` or `xlsx`; absent: a general one.",
        ),
    ] = None,
    checked: Annotated[
        bool,
        Query(
            description="Whether it is the advice by the replays of its finalists, which `POST .../advice/checks` makes."
        ),
    ] = False,
) -> Response:
    """Write the advice of the same body as a report for those who decide.

    Stores nothing. The same question gives the same file, byte for byte.
    """
    found = await report.report(
        session, context, workload_id, body, form, title, is_checked=checked
    )
    return found.response()
