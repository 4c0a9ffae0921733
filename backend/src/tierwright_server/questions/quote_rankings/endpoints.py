"""Which quote to take."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response, status
from fastapi.responses import JSONResponse

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.advice.report import file_response
from tierwright_server.questions.advice.schemas import AdviceCheckOut
from tierwright_server.questions.quote_rankings import paper, service
from tierwright_server.questions.quote_rankings.schemas import (
    PaperCheckOut,
    PaperForm,
    QuotePaperIn,
    QuoteRankingIn,
    QuoteRankingOut,
    QuoteRankingRunOut,
    ReplaysMadeOut,
)

router = APIRouter(prefix="/quote-rankings", tags=["costs"])

_RETRY_S = "1"
"""When to ask again for what a run makes. [s]"""
_RUNS = {
    "model": QuoteRankingRunOut,
    "description": "A run ranks the quotes.",
    "headers": {
        "Location": {
            "description": "Where the ranking will be.",
            "schema": {"type": "string"},
        },
        "Retry-After": {
            "description": "When to ask again. [s]",
            "schema": {"type": "integer"},
        },
    },
}


@router.post(
    "",
    operation_id="create_quote_ranking",
    status_code=status.HTTP_201_CREATED,
    response_model=QuoteRankingOut,
    responses={
        201: {
            "description": "The ranking.",
            "headers": {
                "Location": {
                    "description": "The ranking, to be read again.",
                    "schema": {"type": "string"},
                }
            },
        },
        202: _RUNS,
        **responses(404, 409),
    },
)
async def create_quote_ranking(
    body: QuoteRankingIn, session: SessionDep, context: ContextDep
) -> Response:
    """Rank quotes for a workload by the advisor, each at its prices, beside doing nothing.

    One quote is a batch. What is wrong with a quote leaves out that one alone, as `unreadable`; what breaks a limit is
    `rejected`. The ranking is kept: the same request gives the same id and the same bytes. More than 100 quotes are
    ranked by a run (202): follow it, or ask at `Location` until it answers 200. The same request finds the same run; one
    that failed or was cancelled is started again.
    """
    found = await service.rank(session, context, body)
    if isinstance(found, QuoteRankingRunOut):
        return _accepted(found)
    ranking_id, answer = found
    return Response(
        answer,
        status_code=status.HTTP_201_CREATED,
        media_type="application/json",
        headers={"Location": _place(ranking_id)},
    )


@router.post(
    "/replays",
    operation_id="replay_quote_ranking",
    response_model=ReplaysMadeOut,
    responses={
        202: {
            "model": AdviceCheckOut,
            "description": "They have not all been made: a job does that. Ask again when its run has ended.",
            "headers": {
                "Location": {
                    "description": "The replays that the job makes.",
                    "schema": {"type": "string"},
                }
            },
        },
        **responses(404, 409),
    },
)
async def replay_quote_ranking(
    body: QuoteRankingIn, session: SessionDep, context: ContextDep
) -> ReplaysMadeOut | JSONResponse:
    """Replay the recording for the quotes that were close, so that the paper rests on replays: 200 once all are there."""
    found = await paper.replay(session, context, body)
    if found is None:
        return ReplaysMadeOut(made=True)
    return JSONResponse(
        found.model_dump(mode="json"),
        status_code=status.HTTP_202_ACCEPTED,
        headers={"Location": f"/api/v1/advice-checks/{found.id}"},
    )


@router.post(
    "/report-check",
    operation_id="check_quote_report",
    responses=responses(404, 409),
)
async def check_quote_report(
    body: QuotePaperIn, session: SessionDep, context: ContextDep
) -> PaperCheckOut:
    """Name what a committee would send the paper for approval back for; the day of the decision is `day`."""
    return await paper.checked(session, context, body)


@router.post(
    "/report",
    operation_id="report_quote_ranking",
    response_class=Response,
    responses={
        **responses(404, 409),
        200: file_response(
            paper.MEDIA_TYPES,
            "The paper, as a file to save.",
            "`attachment` with the name of the file, of which the id of the ranking is part.",
        ),
    },
)
async def report_quote_ranking(
    body: QuotePaperIn,
    session: SessionDep,
    context: ContextDep,
    form: Annotated[
        PaperForm,
        Query(
            alias="format",
            description="`html`, `pdf`, `xlsx`, `csv`, `json`: as the report of an advice; of the chosen quote `focus`: "
            "its bill as rows of FOCUS, a forecast of a year; `opencost`: its prices; `purchases`: what is bought.",
        ),
    ],
    title: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Heading of the paper as `html`, `pdf` or `xlsx`; absent: a general one.",
        ),
    ] = None,
) -> Response:
    """Write the paper for approval: the advice whose candidates are the quotes, with their ranking.

    Stores nothing. It rests on replays where `POST /quote-rankings/replays` has made them all.
    """
    found = await paper.written(session, context, body, form, title)
    return found.response()


@router.get(
    "/{ranking_id}",
    operation_id="get_quote_ranking",
    response_model=QuoteRankingOut,
    responses={202: _RUNS, **responses(404, 409)},
)
async def get_quote_ranking(
    ranking_id: Annotated[Identifier, Path(description="Id of the ranking.")],
    session: SessionDep,
) -> Response:
    """Read a ranking again: the bytes of its first answer. The last 1,000 are kept.

    Of one that a run has yet to make, how the run stands (202); where the run failed or was cancelled, 409.
    """
    found = await service.find(session, ranking_id)
    if isinstance(found, QuoteRankingRunOut):
        return _accepted(found)
    return Response(found, media_type="application/json")


def _place(ranking_id: str) -> str:
    return f"/api/v1/quote-rankings/{ranking_id}"


def _accepted(found: QuoteRankingRunOut) -> Response:
    return Response(
        found.model_dump_json(),
        status_code=status.HTTP_202_ACCEPTED,
        media_type="application/json",
        headers={"Location": _place(found.ranking_id), "Retry-After": _RETRY_S},
    )
