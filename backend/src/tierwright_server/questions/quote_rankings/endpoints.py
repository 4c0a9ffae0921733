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
)

router = APIRouter(prefix="/quote-rankings", tags=["costs"])


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
        **responses(404, 409),
    },
)
async def create_quote_ranking(
    body: QuoteRankingIn, session: SessionDep, context: ContextDep
) -> Response:
    """Rank quotes for a workload by the advisor, each at its prices, beside doing nothing.

    One quote is a batch. What is wrong with a quote leaves out that one alone, as `unreadable`; what breaks a limit is
    `rejected`. The ranking is kept: the same request gives the same id and the same bytes.
    """
    ranking_id, answer = await service.rank(session, context, body)
    return Response(
        answer,
        status_code=status.HTTP_201_CREATED,
        media_type="application/json",
        headers={"Location": f"/api/v1/quote-rankings/{ranking_id}"},
    )


@router.get(
    "/{ranking_id}",
    operation_id="get_quote_ranking",
    response_model=QuoteRankingOut,
    responses=responses(404),
)
async def get_quote_ranking(
    ranking_id: Annotated[Identifier, Path(description="Id of the ranking.")],
    session: SessionDep,
) -> Response:
    """Read a ranking again: the bytes of its first answer. The last 1,000 are kept."""
    answer = await service.find(session, ranking_id)
    return Response(answer, media_type="application/json")
