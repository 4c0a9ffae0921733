"""Which quote to take."""

from typing import Annotated

from fastapi import APIRouter, Path, Response, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.quote_rankings import service
from tierwright_server.questions.quote_rankings.schemas import (
    QuoteRankingIn,
    QuoteRankingOut,
    QuoteRankingRunOut,
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
