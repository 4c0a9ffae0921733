"""What is stored, how much room it takes, and deleting any of it."""

from typing import Annotated

from fastapi import APIRouter, Path, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.replays.stored import service as stored_service
from tierwright_server.storage import quota
from tierwright_server.storage.schemas import StorageOut, StoredKind
from tierwright_server.traces.uploads import service as uploads
from tierwright_server.traces.workloads import service as workloads

router = APIRouter(prefix="/storage", tags=["uploads"])


@router.get("", operation_id="get_storage", responses=responses())
async def get_storage(session: SessionDep, context: ContextDep) -> StorageOut:
    """Read the used space, what uses it, and the limits."""
    return await quota.storage(session, context.settings)


@router.delete(
    "/{kind}/{stored_id}",
    operation_id="delete_stored",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=responses(404, 409),
)
async def delete_stored(
    kind: Annotated[
        StoredKind,
        Path(description="As `largest` names it."),
    ],
    stored_id: Annotated[Identifier, Path(description="Its id.")],
    session: SessionDep,
    context: ContextDep,
) -> None:
    """Delete a stored object; a result is recomputed on request."""
    match kind:
        case "upload":
            await uploads.terminate(session, context.settings, stored_id)
        case "workload":
            await workloads.delete_workload(session, context, stored_id)
        case "analysis":
            await stored_service.delete_analysis(session, context, stored_id)
        case _:
            await stored_service.delete_result(session, kind, stored_id)
