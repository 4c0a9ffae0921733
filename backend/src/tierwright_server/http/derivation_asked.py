"""Steps of a derivation, made and sent only where a request asks for them.

A slider asks many times a second, and nobody reads the steps of each answer.
"""

from typing import Annotated

from fastapi import Depends, Query, Request

FIELD = "derivation"


async def _asked(
    request: Request,
    derivation: Annotated[
        bool,
        Query(
            description="`true`: the answer includes its derivation, every formula "
            "with its numbers; otherwise `derivation` is null."
        ),
    ] = False,
) -> bool:
    table = getattr(request.state, "csv_table", None)
    return derivation or (table is not None and table.path == (FIELD,))


DerivedDep = Annotated[bool, Depends(_asked)]
"""Whether the steps are wanted: by `?derivation=true`, or as the table of a CSV."""
