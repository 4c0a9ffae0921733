"""Studies of recorded transactions: every system at every size, as a run."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response, status

from tierwright.hardware.raw_nand import NandTimes
from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.paging import Page, Search, paged
from tierwright_server.http.problems import responses
from tierwright_server.questions.transaction_studies import service
from tierwright_server.questions.transaction_studies.schemas import (
    TransactionStudyIn,
    TransactionStudyList,
    TransactionStudyOut,
)

router = APIRouter(prefix="/transaction-studies", tags=["transactions"])

_LEAST_US, _MOST_US = 1e-6, 1e9


async def _prices(
    read_us: Annotated[
        float,
        Query(ge=_LEAST_US, le=_MOST_US, description="One page read of flash. [µs]"),
    ] = 25.0,
    write_us: Annotated[
        float,
        Query(ge=_LEAST_US, le=_MOST_US, description="One page program. [µs]"),
    ] = 200.0,
    erase_us: Annotated[
        float,
        Query(ge=_LEAST_US, le=_MOST_US, description="One block erase. [µs]"),
    ] = 1500.0,
    disk_us: Annotated[
        float,
        Query(
            ge=_LEAST_US,
            le=_MOST_US,
            description="One random access of a disk, for comparison. [µs]",
        ),
    ] = 9000.0,
    disk_log_us: Annotated[
        float,
        Query(
            ge=_LEAST_US,
            le=_MOST_US,
            description="One page written to a log on that disk, one after the other. [µs]",
        ),
    ] = 34.0,
) -> service.Prices:
    return service.Prices(NandTimes(read_us, write_us, erase_us), disk_us, disk_log_us)


PricesDep = Annotated[service.Prices, Depends(_prices)]


@router.get("", operation_id="list_transaction_studies", responses=responses())
async def list_transaction_studies(
    session: SessionDep,
    page: Annotated[Page, paged("created_at", "filename", usual=20, most=100)],
    filename: Search = None,
) -> TransactionStudyList:
    """List studies, newest first, without their rows."""
    return await service.list_studies(session, page, filename)


@router.post(
    "",
    operation_id="create_transaction_study",
    status_code=status.HTTP_202_ACCEPTED,
    responses={
        202: {
            "headers": {
                "Location": {
                    "description": "The study, to be read again.",
                    "schema": {"type": "string"},
                }
            }
        },
        **responses(404, 409),
    },
)
async def create_transaction_study(
    body: TransactionStudyIn,
    session: SessionDep,
    context: ContextDep,
    prices: PricesDep,
    response: Response,
) -> TransactionStudyOut:
    """Replay a file of events through several systems at several buffer sizes; follow its `run`.

    Upload the file first, in resumable pieces, or register it. The same file and inputs find the same study, as
    `tierwright transactions` answers it. One that was cancelled or failed resumes. Times are of the query: counts
    do not depend on them.
    """
    found = await service.create(session, context, body, prices)
    response.headers["Location"] = f"/api/v1/transaction-studies/{found.id}"
    return found


@router.get(
    "/{study_id}", operation_id="get_transaction_study", responses=responses(404)
)
async def get_transaction_study(
    study_id: Annotated[Identifier, Path(description="Id of the study.")],
    session: SessionDep,
    prices: PricesDep,
    derived: DerivedDep,
) -> TransactionStudyOut:
    """Read a study as far as it is, with the times of the operations in the query."""
    return await service.find(session, study_id, prices, derived=derived)


@router.delete(
    "/{study_id}",
    operation_id="delete_transaction_study",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 409),
)
async def delete_transaction_study(
    study_id: Annotated[Identifier, Path(description="Id of the study.")],
    session: SessionDep,
) -> None:
    """Delete a study that has ended; its upload stays. The same inputs replay it again."""
    await service.delete(session, study_id)
