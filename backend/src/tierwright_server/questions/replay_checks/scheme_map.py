"""The check of a scheme map: points all over it by replay."""

import asyncio
from typing import Any

from tierwright.advise.checks import scheme_map
from tierwright.advise.checks.scheme_map import MapReplayed
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright_server.questions.point import Point, dirty_ends, find_inputs
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    counted,
    options_of_asked,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedMap,
    PointReplayedOut,
)
from tierwright_server.questions.scheme_map import service
from tierwright_server.questions.scheme_map.schemas import MapCheckIn
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.traces.workloads import recordings


async def check_scheme_map(
    asking: Asking, body: MapCheckIn
) -> CheckedAnswer | SweepOut:
    """Put the winner of a coarse grid of points beside that of replays of every scheme and of flash caches."""
    point = await find_inputs(asking.session, asking.context, body)
    recording = await recordings.find(
        asking.context, point.workload, point.content, point.curve
    )
    if body.dirty_share is None:
        dirty_ends(body, point)

    def studied() -> scheme_map.MapStudy:
        x, y = service.axes_of(body)
        return scheme_map.study(
            point.curve,
            x=x,
            y=y,
            points=(body.x_points, body.y_points),
            flash_caches=body.flash_caches,
            options=options_of_asked(body),
            **service.asked_of(point, body),
        ).of_recording(
            recording.scaled,
            recording.accesses,
            recording.content.summary["page_bytes"],
        )

    study = await asyncio.to_thread(studied)
    wanted = study.replays(recording.accesses)
    if not wanted:
        return _shown(_checked(point, study, {}))
    found = await counted(asking, recording, wanted, fails=False)
    if not isinstance(found, Counted):
        return found
    return _shown(_checked(point, study, found.counters), found.sizes)


def _checked(
    point: Point, study: scheme_map.MapStudy, counters: dict[str, dict[str, Any]]
) -> MapReplayed:
    return scheme_map.check(
        study,
        counters,
        flash=point.flash[0],
        disk=point.disk[0],
        page_bytes=point.curve.page_bytes,
    )


def _shown(found: MapReplayed, sizes: ReplaySizes | None = None) -> CheckedMap:
    answer = shown(found, sizes)
    return CheckedMap(
        **dict(answer),
        points=[PointReplayedOut.model_validate(each) for each in found.points],
        titles=found.titles,
        compared=found.compared,
        agreeing=found.agreeing,
        beside=found.beside,
        cache_faster=found.cache_faster,
    )


CHECK = Check(
    "/scheme-maps/check",
    "check_scheme_map",
    "Winners on a coarse grid over a scheme map by replay, flash caches among them.",
    MapCheckIn,
    check_scheme_map,
    CheckedMap,
)
