"""Lost updates: what can be changed has an ETag, and a change may say which one it starts from.

RFC 9110, sections 8.8.3 and 13.1.1; tags are strong and compared letter by letter.
"""

import hashlib
from typing import Annotated, Protocol

from fastapi import Header, Response

from tierwright_server.common.errors import PreconditionFailed

IfMatch = Annotated[
    str | None,
    Header(
        max_length=1000,
        description="`ETag` of what was read; 412 if it has been changed in the "
        "meantime. `*` or absent: the current version.",
    ),
]


class Tagged(Protocol):
    """An answer with a tag."""

    @property
    def etag(self) -> str | None: ...


def etag_of(*state: object) -> str:
    """Return the tag of a state: another one whenever a part of it is another."""
    digest = hashlib.blake2b(repr(state).encode(), digest_size=12)
    return f'"{digest.hexdigest()}"'


def tag(response: Response, found: Tagged) -> None:
    """Send the tag of an answer along."""
    if found.etag is not None:
        response.headers["ETag"] = found.etag


def check_match(if_match: str | None, present: str, what: str) -> None:
    """Go on only if a change starts from the present state.

    Parameters
    ----------
    if_match : str or None
        Header `If-Match`.
    present : str
        Tag of what is about to be changed, which nobody else can change meanwhile.
    what : str
        Its kind and name, for the message.

    Raises
    ------
    PreconditionFailed
        If it starts from another one.
    """
    if if_match is None or if_match.strip() == "*":
        return
    if present in {each.strip() for each in if_match.split(",")}:
        return
    raise PreconditionFailed(
        f"{what} was changed after you read it",
        hint="Read it again and apply your change to the current version.",
    )
