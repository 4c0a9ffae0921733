"""Queries and paths are read as the API document says, or refused.

FastAPI ignores a key that it does not know, so `runs?state=failed` would answer with all
runs; and a whole number is read by Python, which takes `1_0`, ` 5 ` and digits of other
scripts.
"""

import re
from typing import Any, get_args

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute

from tierwright_server.common.errors import BadInput, shown
from tierwright_server.common.schemas import ProblemDetail
from tierwright_server.http.csv_answers import KEY

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def _known(route: APIRoute) -> dict[str, Any]:
    """Return the type of every query key of a route."""
    return {
        field.alias: field.field_info.annotation
        for field in get_flat_params(route.dependant)
        if isinstance(field.field_info, Query)
    }


async def check_query(request: Request) -> None:
    """Refuse query keys that the route does not have, and numbers in other writings.

    Raises
    ------
    BadInput
        With every fault found, each with its key and value.
    """
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    if not request.url.query:
        return
    known = _known(route)
    if hasattr(request.state, "csv_table"):
        known = {**known, KEY: str}
    faults = []
    for key, value in request.query_params.multi_items():
        if key not in known:
            faults.append(_fault(key, value, "unknown key"))
        elif (message := _misread(known[key], value)) is not None:
            faults.append(_fault(key, value, message))
    if faults:
        names = ", ".join(f"`{name}`" for name in known)
        raise BadInput(
            f"{faults[0].where}: {faults[0].message}",
            hint=f"Use {'one of ' * (len(known) > 1)}{names}."
            if names
            else "Send no query: this address has no parameters.",
            errors=faults,
        )


def _fault(key: str, value: str, message: str) -> ProblemDetail:
    return ProblemDetail(
        where=f"query.{shown(key)}", value=shown(value), message=message
    )


def _misread(annotation: Any, value: str) -> str | None:
    kinds = {annotation, *get_args(annotation)}
    if str in kinds:
        return None
    if bool in kinds and value not in {"true", "false"}:
        return "must be `true` or `false`"
    if int in kinds and not _WHOLE.fullmatch(value):
        return "must be a whole number in the digits 0 to 9"
    if float in kinds and not _NUMBER.fullmatch(value):
        return "must be a number such as 12.5"
    return None
