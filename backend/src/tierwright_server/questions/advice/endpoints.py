"""What to buy for a workload and how to run it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from tierwright.advise.report import FORMS
from tierwright_server.common.schemas import Identifier
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.advice import service
from tierwright_server.questions.advice.schemas import AdviceIn, AdviceOut, ReportForm

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
        200: {
            "description": "The report, as a file to save.",
            "headers": {
                "Content-Disposition": {
                    "description": "`attachment` with the name of the file, of which the id of the advice is part.",
                    "schema": {"type": "string"},
                }
            },
            "content": {
                media_type.partition(";")[0]: {
                    "schema": {"type": "object"}
                    if form == "json"
                    else {"type": "string", "format": "binary"}
                }
                for form, media_type in FORMS.items()
            },
        },
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
            "bill as live formulas, options, assumptions and sources; `csv`: the options; `json`: the advice, as "
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
) -> Response:
    """Write the advice of the same body as a report for those who decide.

    Stores nothing. The same question gives the same file, byte for byte.
    """
    found = await service.report(session, context, workload_id, body, form, title)
    return Response(
        found.content,
        media_type=found.media_type,
        headers={"Content-Disposition": f'attachment; filename="{found.name}"'},
    )
