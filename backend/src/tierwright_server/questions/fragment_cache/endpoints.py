"""A fragment cache (SCE): how it fills, what a fragment trades, how it writes."""

from fastapi import APIRouter

from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.fragment_cache import service
from tierwright_server.questions.fragment_cache.schemas import (
    FragmentCacheIn,
    FragmentCacheOut,
)

router = APIRouter(prefix="/sce", tags=["wear and recovery"])


@router.post("", operation_id="ask_fragment_cache", responses=responses(404, 409))
async def ask_fragment_cache(
    body: FragmentCacheIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> FragmentCacheOut:
    """Estimate how a fragment cache of this size fills, what its fragment size trades off, and how it writes."""
    return await service.study(session, context, body, derived=derived)
