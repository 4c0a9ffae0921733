"""The check of response times: every scheme replayed on simulated time at the same rates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tierwright.advise.checks.checked import Checked, CheckedFigure, row, verdict
from tierwright.advise.response import Response
from tierwright.advise.response.rows import SchemeAt
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.response.schemes import (
    US_PER_S,
    Hierarchy,
    Station,
    scheme_response,
    whole_ram_left,
)
from tierwright.profile.curve import Curve
from tierwright.simulate.timed import Arrivals, DeviceTimes, replay_timed
from tierwright.simulate.warm_up import WarmUp
from tierwright.trace.reading import OnProgress, Trace

MEAN = "mean response time"
HALF = 0.5
"""Share of the trace that warms the caches where the answer is of a running system. [1]"""


def check(
    answer: Response,
    curve: Curve,
    *,
    hierarchy: Hierarchy,
    trace: Trace,
    recorded_arrivals: bool = False,
    recorded_accesses_per_s: float | None = None,
    warm_up: WarmUp | None = None,
    seed: int = 0,
    flash_metadata: MetadataPreset | None = None,
    on_progress: OnProgress | None = None,
) -> Checked:
    """Put response times beside those of replays of the trace on simulated time.

    Parameters
    ----------
    answer : Response
        Of the model.
    curve : Curve
        That it was asked with.
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    trace : Trace
        That was profiled.
    recorded_arrivals : bool
        Whether accesses arrive as recorded, stretched to the rate; otherwise as a Poisson process.
    recorded_accesses_per_s : float, optional
        Mean rate of the trace, for recorded arrivals. [1/s]
    warm_up : WarmUp, optional
        Accesses that are not counted; unless given, half of them where the answer is of a running
        system, none from a cold start.
    seed : int
        Of what is random.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.
    on_progress : callable, optional
        See `OnProgress`; False cancels.
    """
    if warm_up is None:
        warm_up = HALF if curve.start == "steady" else 0
    model = scheme_response(
        curve,
        ram_pages=answer.ram_pages,
        flash_pages=answer.flash_pages,
        hierarchy=hierarchy,
        accesses_per_s=1.0,
        flash_metadata=flash_metadata,
        percentiles=(),
    )
    left = whole_ram_left(curve, answer.ram_pages, answer.flash_pages, flash_metadata)
    found: list[CheckedFigure] = []
    for each in answer.rows:
        if each.unbounded:
            found += _rows(each, None)
            continue
        stretch = (recorded_accesses_per_s or 0.0) / each.accesses_per_s
        arrivals = (
            Arrivals("trace", stretch=stretch)
            if recorded_arrivals
            else Arrivals("poisson", accesses_per_s=each.accesses_per_s)
        )
        flash, disk = (
            times_of(model[each.scheme].stations[tier]) for tier in ("flash", "disk")
        )
        replayed = replay_timed(
            trace,
            each.scheme,
            answer.ram_pages if each.scheme == NO_FLASH else left,
            0 if each.scheme == NO_FLASH else answer.flash_pages,
            arrivals=arrivals,
            flash=flash,
            disk=disk,
            exponential=hierarchy.service == "exponential",
            waits_for_writes=hierarchy.writes == "waited_for",
            seed=seed,
            warm_up=warm_up,
            on_progress=on_progress,
        )["response"]
        found += _rows(each, replayed)
    rows = tuple(found)
    return Checked(
        finding=verdict(rows, f"{MEAN} at the {answer.rates[-1].name} rate", min),
        rows=rows,
        basis="Every scheme was replayed on the trace on simulated time: "
        + (
            "accesses arrive as recorded, stretched to the rate, "
            if recorded_arrivals
            else "accesses arrive as a Poisson process, "
        )
        + "and each device serves its operations first come, first served. Percentiles are read "
        "from bins of 0.4 %. A scheme whose devices cannot carry the rate is not replayed.",
    )


def times_of(station: Station) -> DeviceTimes:
    """Return the devices of a tier as a replay on simulated time takes them."""
    read, write = (each * station.servers / US_PER_S for each in station.busy_us)
    return DeviceTimes(
        station.devices,
        station.servers,
        read,
        write,
        station.read_alone_s,
        station.write_alone_s,
    )


def _rows(model: SchemeAt, replayed: dict[str, Any] | None) -> Iterator[CheckedFigure]:
    of, title, at = model.scheme, model.title, f"at the {model.rate} rate"
    behind = replayed is None or any(
        replayed[each.tier]["utilisation"] >= 1 for each in model.stations
    )
    for figure, unit, mine, theirs in (
        (MEAN, "µs", model.mean_us, "mean_us"),
        ("median", "µs", model.p50_us, "p50_us"),
        ("99th percentile", "µs", model.p99_us, "p99_us"),
        ("99.9th percentile", "µs", model.p999_us, "p999_us"),
    ):
        yield row(
            of,
            title,
            f"{figure} {at}",
            unit,
            mine,
            None if replayed is None or behind else replayed[theirs],
        )
    for each in model.stations:
        yield row(
            of,
            title,
            f"busy share of {each.tier} {at}",
            "1",
            each.utilisation,
            None if replayed is None else replayed[each.tier]["utilisation"],
        )
