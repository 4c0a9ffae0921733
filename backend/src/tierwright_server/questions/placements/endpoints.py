"""Which of several workloads share a system, and what each system is."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from tierwright.advise.report import FORMS
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.advice.report import file_response
from tierwright_server.questions.advice.schemas import ReportForm
from tierwright_server.questions.placements import service
from tierwright_server.questions.placements.schemas import PlacementIn, PlacementOut

router = APIRouter(
    prefix="/placements",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_placement", responses=responses(404, 409))
async def ask_placement(
    body: PlacementIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> PlacementOut:
    """Choose which of several workloads share a system, and what each system is. Stores nothing.

    Where no choice keeps every limit, `systems` is empty and `finding` says why.
    """
    return await service.ask(session, context, body, derived=derived)


reports = APIRouter(
    prefix="/placements/report", tags=["costs"], dependencies=ASKS_CURRENCY
)
"""A report is a file: no amount is put into it afterwards."""


@reports.post(
    "",
    operation_id="report_placement",
    response_class=Response,
    responses={
        **responses(404, 409),
        200: file_response(
            FORMS,
            "The report, as a file to save.",
            "`attachment` with the name of the file, of which the id of the placement is part.",
        ),
    },
)
async def report_placement(
    body: PlacementIn,
    session: SessionDep,
    context: ContextDep,
    form: Annotated[
        ReportForm,
        Query(
            alias="format",
            description="`html` and `pdf`: the report, with the bill of each system, who holds what, other ways to share, "
            "assumptions and every formula; `xlsx`: the bills as live formulas, systems, ways to share, assumptions and "
            "sources; `csv`: the systems and the other ways to share; `json`: the placement, as `tierwright report` reads it.",
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
    """Write the placement of the same body as a report for those who decide.

    Stores nothing. The same question gives the same file, byte for byte.
    """
    found = await service.report(session, context, body, form, title)
    return found.response()
