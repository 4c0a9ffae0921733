"""What every check by replay has in common: its place in the API, its replays, its words."""

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks.checked import Checked, at_recorded_sizes, not_checked
from tierwright.advise.checks.flash_caches import NO_DEVICE, options_of_caches
from tierwright.advise.checks.points import Replay, recorded_replays
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright.profile.production import Scaled
from tierwright.simulate.replay import ONE_TIER
from tierwright.trace.reading import Trace
from tierwright_server.common.errors import BadInput
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.schemas import Body
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.questions import point as questions_point
from tierwright_server.questions.compare import service as evaluations
from tierwright_server.questions.point import Point
from tierwright_server.questions.point_schemas import EvaluationIn
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedFigure,
)
from tierwright_server.questions.response_time.schemas import ResponseReplayOut
from tierwright_server.questions.what_to_cache.schemas import CategoryCountsOut
from tierwright_server.replays import kept, points
from tierwright_server.replays.sweeps import service as sweeps
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.replays.sweeps.work import replay_all
from tierwright_server.storage import contents
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.recordings import Recording

Counters = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Asking:
    """A request for a check, and what answers it."""

    request: Request
    session: AsyncSession
    context: Context


@dataclass(frozen=True, slots=True)
class Check:
    """The check of one answer.

    Attributes
    ----------
    path, operation_id, summary : str
        In the API.
    body : type
        The question, as its answer is asked for.
    answer : callable
        Makes the check, or the job that replays for it.
    shows : type
        Shape of the check.
    """

    path: str
    operation_id: str
    summary: str
    body: type[Body]
    answer: Callable[
        [Asking, Any],
        Awaitable[CheckedAnswer | SweepOut | ResponseReplayOut | CategoryCountsOut],
    ]
    shows: type[CheckedAnswer] = CheckedAnswer


@dataclass(frozen=True, slots=True)
class Counted:
    """Counters of all replays that a check needs, by name, and at which sizes of a recording."""

    counters: Counters
    sizes: ReplaySizes | None


class AsksCaches(Protocol):
    """A question that has flash caches replayed beside it."""

    flash_caches: list[str]
    flash_cache_options: list[str]


def options_of_asked(
    body: AsksCaches, *, device: tuple[str, str] | None = NO_DEVICE
) -> dict[str, dict[str, str]]:
    """Return the options of the flash caches of a question, by name.

    Raises
    ------
    BadInput
        As `options_of_caches`, which `device` is for.
    """
    return options_of_caches(
        body.flash_caches,
        body.flash_cache_options,
        "flash_cache_options",
        device=device,
    )


async def replayed(
    asking: Asking,
    asked: EvaluationIn,
    options_of: Callable[[str], dict[str, str]] = lambda _: {},
    besides: Callable[[str, int], Mapping[str, Replay]] = lambda *_: {},
) -> tuple[Point, Counted | CheckedAnswer | SweepOut]:
    """Counters of every scheme at a point, with the options of each by its name, and of replays besides.

    `besides` takes how counts start, and the accesses of the recording.
    """
    point = await questions_point.find_point(asking.session, asking.context, asked)
    recording = await recordings.find(
        asking.context, point.workload, point.content, point.curve
    )
    found = evaluations.compute(asked, point)
    warm_up = decision.warm_up_of(found.start, recording.accesses)
    wanted = {
        name: Replay(
            "scheme", name, at.ram_pages, at.flash_pages, warm_up, options_of(name)
        )
        for name, at in decision.replay_points(found).items()
    } | dict(besides(found.start, recording.accesses))
    return point, await counted(asking, recording, wanted)


async def counted(
    asking: Asking,
    recording: Recording,
    wanted: Mapping[str, Replay],
    *,
    fails: bool = True,
) -> Counted | CheckedAnswer | SweepOut:
    """Counters of replays: kept, made here, or left to a job where that takes long.

    Parameters
    ----------
    asking : Asking
        The request.
    recording : Recording
        What is replayed, for a scaled workload at the sizes that correspond.
    wanted : mapping of str to Replay
        By name, at the sizes of the question.
    fails : bool
        Whether a replay that is impossible is an error; else its counters are `error` and `hint`.

    Returns
    -------
    Counted, CheckedAnswer or SweepOut
        An answer where the recording is too small for it; a sweep is the job.

    Raises
    ------
    BadInput
        If a replay is impossible.
    Conflict
        If the client has disconnected.
    """
    replays, sizes = recorded_replays(
        wanted, recording.scaled, page_bytes=recording.content.summary["page_bytes"]
    )
    if sizes is not None and sizes.refuses:
        return shown(not_checked(sizes))
    content = recording.content
    session, settings = asking.session, asking.context.settings
    configurations = {name: configuration(each) for name, each in replays.items()}
    keys = {name: each["key"] for name, each in configurations.items()}
    known = await kept.results(session, content.id, list(keys.values()))
    lacking = [each for name, each in configurations.items() if keys[name] not in known]
    if lacking:
        takes_s = points.expected_s(content.summary["accesses"], len(lacking))
        if takes_s > settings.replay_inline_s:
            return await sweeps.create_replays(
                session,
                recording.workload,
                content,
                _once(list(configurations.values())),
            )
        # Nobody else needs to wait for the connection meanwhile.
        await session.commit()
        trace = await contents.existing_trace(settings, content.id)
        made = await _make(asking.request, trace, _once(lacking))
        await kept.keep(session, content.id, made)
        known = known | made
    for name, key in keys.items():
        if fails and "error" in known[key]:
            raise BadInput(f"{name}: {known[key]['error']}", hint=known[key]["hint"])
    return Counted({name: known[key] for name, key in keys.items()}, sizes)


def _once(configurations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave each replay once: several sizes of production may be one of the recording."""
    return list({each["key"]: each for each in configurations}.values())


def configuration(replay: Replay) -> dict[str, Any]:
    """Return a replay as a sweep keeps it: with the key under which its counters are found."""
    subject = {
        "family": replay.family,
        "name": replay.name,
        "options": dict(replay.options),
        "ram_pages": replay.ram_pages,
        "flash_pages": None if replay.family in ONE_TIER else replay.flash_pages,
        # Replays without one keep the keys that they always had.
        **({"warm_up": replay.warm_up} if replay.warm_up else {}),
    }
    return {"key": result_id({**subject, "core_version": VERSION}), **subject}


async def _make(
    request: Request, trace: Path, configurations: list[dict[str, Any]]
) -> dict[str, dict[str, Any]]:

    def replay(stop: threading.Event) -> dict[str, dict[str, Any]] | None:
        return replay_all(Trace(trace), configurations, lambda *_: not stop.is_set())

    return await points.unless_gone(request, replay)


def shown(
    found: Checked, sizes: ReplaySizes | None = None, *, writes_of: Scaled | None = None
) -> CheckedAnswer:
    """Show a check in the shape of the API, with the sizes of the recording that were replayed.

    `writes_of` as of `at_recorded_sizes`.
    """
    found = at_recorded_sizes(found, sizes, writes_of=writes_of)
    return CheckedAnswer(
        sentence=found.finding,
        finding=found.decided,
        rows=[CheckedFigure.model_validate(each) for each in found.rows],
        basis=found.basis,
    )
