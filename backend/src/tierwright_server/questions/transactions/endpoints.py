"""Transactions over raw flash: pages or log records, who leaves first, replays."""

from fastapi import APIRouter

from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.transactions import service
from tierwright_server.questions.transactions.schemas import (
    TransactionReplayIn,
    TransactionReplayOut,
    TransactionWritesIn,
    TransactionWritesOut,
)

router = APIRouter(tags=["transactions"])


@router.post(
    "/transaction-writes",
    operation_id="ask_transaction_writes",
    responses=responses(),
)
async def ask_transaction_writes(
    body: TransactionWritesIn, derived: DerivedDep
) -> TransactionWritesOut:
    """Compare evicting one transaction as pages and as log records."""
    return service.writes(body, derived=derived)


@router.post(
    "/transaction-replays",
    operation_id="ask_transaction_replay",
    responses=responses(),
)
async def ask_transaction_replay(
    body: TransactionReplayIn, derived: DerivedDep
) -> TransactionReplayOut:
    """Replay transactions through three buffers, and name the next transaction to evict."""
    return await service.replays(body, derived=derived)
