"""A recording with the pages of production: profiled again where these are larger, its neighbours joined."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from tierwright.common.errors import BadInput, Problem
from tierwright.common.units import format_bytes
from tierwright.evaluate.page_flow.decision import check_belongs
from tierwright.profile import measure, relations
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile

if TYPE_CHECKING:
    from tierwright.trace.reading import OnProgress, Trace

Watch = Callable[[str], AbstractContextManager["OnProgress | None"]]
LARGEST_PAGE_BYTES = 2**20
"""Largest pages into which those of a recording are joined. [bytes]"""


def is_joinable(recorded_page_bytes: int, page_bytes: int) -> bool:
    """Say whether pages of a recording can be joined into larger ones, if there is a trace.

    Parameters
    ----------
    recorded_page_bytes, page_bytes : int
        Of the recording, and of production. [bytes]

    Examples
    --------
    >>> is_joinable(8192, 16384), is_joinable(8192, 8192), is_joinable(8192, 24576)
    (True, False, False)
    """
    return (
        recorded_page_bytes < page_bytes <= LARGEST_PAGE_BYTES
        and page_bytes % recorded_page_bytes == 0
        and page_bytes & (page_bytes - 1) == 0
    )


def check_page_size(curve: Curve, page_bytes: int | None) -> None:
    """Refuse pages of production that are not those of a curve, and say what would help.

    Parameters
    ----------
    curve : Curve
        Of the recording.
    page_bytes : int or None
        Of production; None for those of the recording. [bytes]

    Raises
    ------
    BadInput
        If they differ: smaller pages cannot be had, larger ones need the trace.
    """
    if page_bytes is None or page_bytes == curve.page_bytes:
        return
    _check_larger(curve, page_bytes)
    if curve.given is not None:
        raise BadInput(
            f"{_differ(curve, page_bytes)}: a hit-ratio curve without its trace does not show which accesses "
            "fall on one page then",
            "use a workload with a trace, or a curve of pages as large as those of production",
        )
    raise BadInput(
        f"{_differ(curve, page_bytes)}: which accesses fall on one page then, only the trace shows",
        "name the trace and this page size to `tierwright scale`, or in the application join the pages of "
        f"the workload into pages of {format_bytes(page_bytes)} first",
    )


def _differ(curve: Curve, page_bytes: int) -> str:
    return (
        f"production has pages of {format_bytes(page_bytes)}, the recording pages of "
        f"{format_bytes(curve.page_bytes)}"
    )


def _check_larger(curve: Curve, page_bytes: int) -> None:
    if page_bytes < curve.page_bytes:
        raise BadInput(
            f"{_differ(curve, page_bytes)}: a recording does not show which part of a page was used",
            "record with pages as small as those of production, or leave the page size out",
            _at_pages(
                page_bytes,
                f"must not be smaller than the {format_bytes(curve.page_bytes)} of the recording",
            ),
        )
    if page_bytes % curve.page_bytes:
        raise BadInput(
            f"{_differ(curve, page_bytes)}, of which these are not multiples",
            f"state a multiple of {curve.page_bytes} bytes, or leave the page size out",
            _at_pages(
                page_bytes,
                f"must be a multiple of the {format_bytes(curve.page_bytes)} of the recording",
            ),
        )
    if not is_joinable(curve.page_bytes, page_bytes):
        raise BadInput(
            f"production has pages of {format_bytes(page_bytes)}, into which no recording is joined",
            f"state a power of two up to {format_bytes(LARGEST_PAGE_BYTES)}, or leave the page size out",
            _at_pages(
                page_bytes,
                f"must be a power of two up to {format_bytes(LARGEST_PAGE_BYTES)}",
            ),
        )


def _at_pages(page_bytes: int, message: str) -> tuple[Problem, ...]:
    return (Problem("page_bytes", format_bytes(page_bytes), message),)


def _unwatched(_: str) -> AbstractContextManager[OnProgress | None]:
    return nullcontext()


def with_pages_of(
    profile: Profile, trace: Trace, page_bytes: int, *, watch: Watch = _unwatched
) -> Profile:
    """Profile a recording again with larger pages, each of which holds neighbours of one device or relation.

    Page `n` becomes page `n // m` of the same relation, `m` being the ratio of the page sizes, and an access
    is one access to the larger page. Requests of bytes are split into the larger pages.

    Parameters
    ----------
    profile : Profile
        Of the recording; where it has relations, the result has them too. Without summaries.
    trace : Trace
        The recording, whose records have addresses in bytes or name pages.
    page_bytes : int
        Of production, a power of two not below those of the profile. [bytes]
    watch : callable, optional
        Makes of the name of a pass a context with its progress.

    Returns
    -------
    Profile
        The profile itself where its pages are as large.

    Raises
    ------
    BadInput
        If pages are smaller or not a multiple; the trace is another one; or new pages are stated, which are
        counted in recorded ones.
    SimulatorError
        If the trace cannot be read or names keys, which have no neighbours, or progress asked to stop.
    """
    curve = profile.curve
    if page_bytes == curve.page_bytes:
        return profile
    _check_larger(curve, page_bytes)
    if curve.given is not None or curve.scaled is not None:
        raise BadInput(
            "the profile was not measured from a trace, so it cannot be profiled again",
            "use the profile of the recording",
        )
    if curve.new_pages:
        raise BadInput(
            f"new pages: `{curve.new_pages}` are counted in pages of {format_bytes(curve.page_bytes)}",
            "leave them out, or profile the trace with the pages of production first",
        )
    if trace.joined_page_bytes is None:
        trace = replace(trace, page_bytes=curve.page_bytes)
    with watch("recorded pages") as on_progress:
        recorded = measure.curves(trace, on_progress=on_progress)
    check_belongs(curve, recorded, str(trace.path))
    larger = replace(trace, joined_page_bytes=page_bytes)
    with watch("pages of production") as on_progress:
        made = measure.profile(larger, on_progress=on_progress)
    if profile.relations:
        # Numbers of relations are those of the profile, whichever is the largest with larger pages.
        named = any(
            one.grows and one.name not in (None, "others") for one in profile.relations
        )
        like = profile.relations
        if not named:
            with watch("recorded relations") as on_progress:
                like = relations.measured(trace, names=True, on_progress=on_progress)
        with watch("relations") as on_progress:
            reuse = relations.measured(
                larger, names=named, like=like, on_progress=on_progress
            )
        made = made.with_relations(reuse)
    return made
