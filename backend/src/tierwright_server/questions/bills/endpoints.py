"""What a configuration costs to rent and to buy."""

from fastapi import APIRouter

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.bills import service
from tierwright_server.questions.bills.schemas import BillIn, BillOut

router = APIRouter(
    prefix="/bills", tags=["costs"], route_class=MoneyRoute, dependencies=ASKS_CURRENCY
)


@router.post("", operation_id="ask_bill", responses=responses())
async def ask_bill(body: BillIn, derived: DerivedDep) -> BillOut:
    """Bill a configuration line by line, and compare it with another over a horizon."""
    return service.bill(body, derived=derived)
