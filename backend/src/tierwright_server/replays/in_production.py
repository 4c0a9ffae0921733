"""Replays that are asked for at sizes of production: those of the recording that stand for them, as a plan keeps them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks.points import Replay
from tierwright.advise.in_production import (
    InProduction,
    corresponding,
    merged_sizes,
    scaled_of,
)
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import ONE_TIER
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.storage.tables import Result, Workload
from tierwright_server.traces.workloads import service as workloads

Sizes = tuple[int, int | None]
"""RAM, and flash where there is any. [pages]"""


@dataclass(frozen=True, slots=True)
class StandIn:
    """The replay of a recording that stands for one of production.

    Attributes
    ----------
    production : dict
        What a plan keeps of production: `sizes` of one machine and its `accesses_per_s`, and `units`, the options that are
        not those of production; the first also the `sentence` that says at which sizes all of them are replayed.
    sizes : tuple
        Of the recording.
    options : dict of str to str
        Options that a flash cache is given there besides its own.
    refused : dict or None
        Why the recording is too small, as the result of a replay that was not made.
    """

    production: dict[str, Any]
    sizes: Sizes
    options: dict[str, str]
    refused: dict[str, Any] | None


def stand_ins(
    curve: Curve, wanted: Sequence[Replay], *, steady: bool, place: str
) -> list[StandIn]:
    """Find what of the recording is replayed for each of several replays of production.

    Parameters
    ----------
    curve : Curve
        Scaled.
    wanted : sequence of Replay
        At sizes of one machine of production, with their options.
    steady : bool
        Whether the first accesses are not counted, so that the caches have to be full.
    place : str
        Of the sizes in the request.

    Raises
    ------
    BadInput
        If the recording is too small for each of them.
    """
    rate = scaled_of(curve).machine_accesses_per_s
    made: list[StandIn] = []
    pairs = []
    for each in wanted:
        [there] = corresponding(curve, [each], steady=steady)
        has_flash = each.family not in ONE_TIER
        production = {
            "sizes": [each.ram_pages, each.flash_pages if has_flash else None],
            "accesses_per_s": rate,
        }
        if there.options:
            production["units"] = list(there.options)
        refused = there.refused
        if refused is None:
            pairs.append((each, there))
        made.append(
            StandIn(
                production,
                (there.ram_pages, there.flash_pages if has_flash else None),
                there.options,
                None if refused is None else {**refused, "not_replayed": True},
            )
        )
    refusals = [each.refused for each in made if each.refused is not None]
    if refusals and not pairs:
        raise BadInput.at(place, None, refusals[0]["error"], hint=refusals[0]["hint"])
    merged = merged_sizes(curve, pairs) if pairs else None
    if merged is not None:
        made[0].production["sentence"] = merged.sentence
    return made


def about_production(plan: Sequence[Mapping[str, Any]]) -> Iterator[WarningOut]:
    """Say at which sizes the recording was replayed for production."""
    for entry in plan:
        sentence = entry.get("production", {}).get("sentence")
        if sentence is not None:
            yield WarningOut(
                name="replayed_scaled_down",
                message=sentence.removesuffix("."),
                hint="record a larger system to replay at sizes nearer to those of production",
            )


def in_production(
    production: Mapping[str, Any],
    counters: Mapping[str, Any],
    *,
    replayed: Sizes,
    page_bytes: int,
) -> InProduction:
    """Return what a replay of the recording counted, at the rate of production.

    Parameters
    ----------
    production : mapping
        What the plan keeps of it.
    counters : mapping
        Of the replay.
    replayed : tuple
        Its sizes. [pages]
    page_bytes : int
        Of production. [bytes]
    """
    ram, flash = production["sizes"]
    return InProduction.counted(
        counters,
        sizes=(ram, flash),
        replayed=replayed,
        page_bytes=page_bytes,
        accesses_per_s=production["accesses_per_s"],
    )


def given_options(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the options that were given to an entry of a plan, without those that stand for production: units, and the pace."""
    units = entry.get("production", {}).get("units", ())
    return {
        name: value for name, value in entry["options"].items() if name not in units
    }


async def asked_through(
    session: AsyncSession, workload_id: str | None, result: Result
) -> str:
    """Return the workload that a sweep or an estimate is of, as `workloads.asked_through` does.

    One of production is of the workload that was scaled: its recording has other sizes.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    workload_id : str or None
        The workload through which the result is asked for.
    result : Result
        Its plan says whether it is of production.
    """
    content_id = result.content_id
    if any("production" in entry for entry in result.plan):
        first = await session.get(Workload, result.workload_id)
        if first is None or first.content_id is None:
            return result.workload_id
        content_id = first.content_id
    return await workloads.asked_through(
        session, workload_id, content_id, result.workload_id
    )
