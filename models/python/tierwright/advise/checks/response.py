"""The check of response times: every scheme, and flash caches, replayed on simulated time at the same rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tierwright.advise.checks.checked import (
    PAGE_FLOW_SCHEME,
    Checked,
    CheckedFigure,
    not_checked,
    row,
    verdict,
)
from tierwright.advise.checks.flash_caches import (
    CacheOptions,
    with_options,
    with_replayed_ram,
)
from tierwright.advise.checks.points import Replay, recorded_replays
from tierwright.advise.response import Response
from tierwright.advise.response.rows import SchemeAt
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, listed, three_digits
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.ram_tax import taxes_of
from tierwright.evaluate.response.schemes import (
    US_PER_S,
    Hierarchy,
    Station,
    scheme_response,
    whole_ram_left,
)
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright.hardware.device import Device, Operation
from tierwright.hardware.mixed_load import beside_writes_us
from tierwright.hardware.service_time import service_time
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled
from tierwright.simulate.contenders import flash_cache_titles
from tierwright.simulate.timed import (
    ArrivalKind,
    Arrivals,
    DeviceTimes,
    TimedReplay,
    TimedResult,
    is_outrun,
)
from tierwright.simulate.warm_up import WarmUp
from tierwright.trace.reading import OnProgress, Trace

MEAN = "mean response time"
HALF = 0.5
"""Share of the trace that warms the caches where the answer is of a running system. [1]"""
RATE_UNIT = "1/s"
LEAST_PER_S = 1e-9
"""Rate below which nothing is replayed: an access in 30 years. [1/s]"""


@dataclass(frozen=True, kw_only=True)
class ResponseCheck:
    """What is checked: an answer, what it was asked with, and how accesses arrive in the replays.

    Attributes
    ----------
    answer : Response
        Of the model.
    curve : Curve
        That it was asked with.
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.
    arrivals : str
        `poisson`, `trace`: as recorded, stretched to the rate, or `clients`: a closed loop whose
        clients think so long that they ask for accesses at the rate, by the response time of the
        model.
    clients : int
        Of the closed loop.
    recorded_accesses_per_s : float, optional
        Mean rate of the trace, for recorded arrivals. [1/s]
    warm_up : WarmUp, optional
        Accesses that are not counted; unless given, half of them where the answer is of a running
        system, none from a cold start.
    seed : int
        Of what is random.
    scaled : Scaled, optional
        How the workload was scaled, where the trace is its recording.
    flash_caches : tuple of str
        To be replayed besides: they have no formula.
    cache_options : mapping
        Their options, of `options_of_caches`.
    """

    answer: Response
    curve: Curve
    hierarchy: Hierarchy
    flash_metadata: MetadataPreset | None = None
    arrivals: ArrivalKind = "poisson"
    clients: int = 1
    recorded_accesses_per_s: float | None = None
    warm_up: WarmUp | None = None
    seed: int = 0
    scaled: Scaled | None = None
    flash_caches: tuple[str, ...] = ()
    cache_options: CacheOptions = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.arrivals == "trace" and not self.recorded_accesses_per_s:
            raise BadInput(
                "the accesses of the trace have no times, or all have the same one, so they cannot arrive as recorded",
                "let them arrive as a Poisson process",
            )
        titles = flash_cache_titles()
        for name in self.flash_caches:
            if name not in titles:
                raise BadInput(
                    f"flash cache: `{name}` is unknown", f"one of {', '.join(titles)}"
                )
            if self.answer.flash_pages == 0:
                raise BadInput(
                    f"flash cache: `{name}` has no flash to use",
                    "give a flash size above 0",
                )

    def replays(self) -> tuple[dict[str, TimedReplay], ReplaySizes | None]:
        """Return what is replayed, by scheme and rate, and at which sizes of a recording.

        Returns
        -------
        (dict of str to TimedReplay, ReplaySizes or None)
            A scheme whose devices cannot carry a rate has none, nor has one with which the clients
            do not reach it. The sizes are None where they are those of the answer.
        """
        answer, hierarchy = self.answer, self.hierarchy
        model = scheme_response(
            self.curve,
            ram_pages=answer.ram_pages,
            flash_pages=answer.flash_pages,
            hierarchy=hierarchy,
            accesses_per_s=1.0,
            flash_metadata=self.flash_metadata,
            percentiles=(),
        )
        left = whole_ram_left(
            self.curve, answer.ram_pages, answer.flash_pages, self.flash_metadata
        )
        sizes, recorded = recorded_replays(
            {
                name: Replay("scheme", name, answer.ram_pages, 0, 0)
                if name == NO_FLASH
                else Replay("scheme", name, left, answer.flash_pages, 0)
                for name in model
            }
            | {
                name: Replay(
                    "flash_cache",
                    name,
                    left,
                    answer.flash_pages,
                    0,
                    dict(self.cache_options.get(name, {})),
                )
                for name in self.flash_caches
            },
            self.scaled,
            page_bytes=self.curve.page_bytes,
        )
        warm_up = self.warm_up
        if warm_up is None:
            warm_up = HALF if self.curve.start == "steady" else 0
        found = {}
        for each in answer.rows:
            arrivals = self._arrivals.get(_name(each))
            if arrivals is None:
                continue
            flash, disk = (
                self._times(model[each.scheme].stations[tier])
                for tier in ("flash", "disk")
            )
            found[_name(each)] = TimedReplay(
                each.scheme,
                sizes[each.scheme].ram_pages,
                sizes[each.scheme].flash_pages,
                arrivals,
                flash,
                disk,
                exponential=hierarchy.service == "exponential",
                waits_for_writes=hierarchy.writes == "waited_for",
                seed=self.seed,
                warm_up=warm_up,
            )
        # Of a scheme with flash: its stations are those of the devices, whatever is asked of them.
        stations = next(
            each.stations for name, each in model.items() if name != NO_FLASH
        )
        for name, rate, arrivals in self._of_caches:
            found[_named(name, rate)] = TimedReplay(
                name,
                sizes[name].ram_pages,
                sizes[name].flash_pages,
                arrivals,
                self._times(stations["flash"]),
                self._times(stations["disk"]),
                exponential=hierarchy.service == "exponential",
                waits_for_writes=hierarchy.writes == "waited_for",
                seed=self.seed,
                warm_up=warm_up,
                options=sizes[name].options,
            )
        return found, recorded

    @property
    def _of_caches(self) -> Iterator[tuple[str, str, Arrivals]]:
        """Flash caches at the rates in question; clients think as if they did not wait, for nothing predicts how long."""
        for name in self.flash_caches:
            for rate in self.answer.rates:
                found = self._arriving(rate.accesses_per_s, 0.0)
                if found is not None:
                    yield name, rate.name, found

    def _times(self, station: Station) -> DeviceTimes:
        device, _ = self.hierarchy.of(station.tier)
        return times_of(station, device, self.curve.page_bytes)

    @cached_property
    def _arrivals(self) -> dict[str, Arrivals | None]:
        """How accesses arrive, by scheme and rate that its devices can carry; None where clients do not reach it."""
        return {
            _name(each): self._arriving(each.accesses_per_s, each.mean_us or 0.0)
            for each in self.answer.rows
            if not each.unbounded
        }

    def _arriving(self, accesses_per_s: float, mean_us: float) -> Arrivals | None:
        if accesses_per_s < LEAST_PER_S:
            raise BadInput(
                f"accesses_per_s: `{accesses_per_s:g}` is too low a rate to replay",
                f"state at least {LEAST_PER_S:g} accesses per second",
            )
        if self.arrivals == "poisson":
            return Arrivals("poisson", accesses_per_s=accesses_per_s)
        if self.arrivals == "trace":
            recorded = self.recorded_accesses_per_s or 0.0
            return Arrivals("trace", stretch=recorded / accesses_per_s)
        # By Little's law the clients are thinking or waiting: N = X (Z + R).
        think_s = self.clients / accesses_per_s - mean_us / US_PER_S
        if think_s < 0:
            return None
        return Arrivals("clients", clients=self.clients, think_s=think_s)

    def check(self, replayed: Mapping[str, TimedResult]) -> Checked:
        """Put the answer beside the replays.

        Parameters
        ----------
        replayed : mapping of str to dict
            What `TimedReplay.run` returned, by the names of `replays`.
        """
        answer = self.answer
        rows = tuple(
            figure
            for each in answer.rows
            for figure in _rows(each, replayed.get(_name(each)))
        )
        titles = flash_cache_titles()
        rows += tuple(
            figure
            for name, rate, _ in self._of_caches
            for figure in _rows_of_cache(
                name, titles[name], rate, replayed.get(_named(name, rate))
            )
        )
        return Checked(
            finding=verdict(
                rows,
                f"{MEAN} at the {answer.rates[-1].name} rate",
                min,
                among=PAGE_FLOW_SCHEME if self.flash_caches else "",
            ),
            rows=rows,
            basis=" ".join(self._basis(replayed)),
        )

    @property
    def _taxes(self) -> str:
        """What RAM the directories of the flash caches take, and what RAM their replays had."""
        ram, flash = self.answer.ram_pages, self.answer.flash_pages
        page = self.curve.page_bytes
        taxes = taxes_of(
            self.flash_caches,
            self.cache_options,
            ram_bytes=ram * page,
            flash_bytes=flash * page,
            page_bytes=page,
            source_bytes=self.curve.data_pages * page,
        )
        left = whole_ram_left(self.curve, ram, flash, self.flash_metadata)
        return with_replayed_ram(taxes, ram, left)

    def _basis(self, replayed: Mapping[str, TimedResult]) -> Iterator[str]:
        if not replayed:
            yield "Nothing was replayed."
        else:
            yield (
                "Every scheme was replayed on the trace on simulated time: "
                f"{_ARRIVE[self.arrivals]}, and each device serves its operations first come, "
                "first served."
            )
        if self.flash_caches:
            titles = flash_cache_titles()
            names = listed([titles[name] for name in self.flash_caches])
            yield (
                f"{names}: there is no formula, so the replay stands alone; what works by time goes by "
                "the simulated one, and batches move at the sequential rate."
            )
            if any(self.cache_options.values()):
                yield with_options(self.cache_options)
            yield self._taxes
        made = [each for each in replayed.values() if "behind" not in each]
        if made:
            yield _accesses(made, self.seed)
        if self.arrivals == "clients" and replayed:
            yield (
                f"{counted(self.clients, 'client thinks', 'clients think')} so long that accesses "
                "come at the rate in question, by the response time of the model."
            )
        if replayed:
            yield (
                "Percentiles are read from bins of 0.4 %; those of a tier are of its reads of single pages, wait and "
                "service, and a mean wait is of all its operations."
            )
        if any(each.unbounded for each in self.answer.rows):
            yield "A scheme whose devices cannot carry the rate is not replayed."
        slow_names = {name for name, each in self._arrivals.items() if each is None}
        slow = [
            f"{each.title} at the {each.rate} rate"
            for each in self.answer.rows
            if _name(each) in slow_names
        ]
        if slow:
            yield (
                f"{counted(self.clients, 'client does', 'clients do')} not reach the rate even "
                f"without thinking, so these were not replayed: {listed(slow)}."
            )
        behind = [
            f"{each.title} at the {each.rate} rate"
            for each in self.answer.rows
            if "behind" in replayed.get(_name(each), ())
        ] + [
            f"{flash_cache_titles()[name]} at the {rate} rate"
            for name, rate, _ in self._of_caches
            if "behind" in replayed.get(_named(name, rate), ())
        ]
        yield from self._outrun(replayed)
        if behind:
            yield (
                "In the replay, devices did not keep up, and a million accesses waited for their "
                f"writes: {listed(behind)}."
            )

    def _outrun(self, replayed: Mapping[str, TimedResult]) -> Iterator[str]:
        """Say whose devices did not keep up in the replay, and what is not stated for that."""
        if self.arrivals == "clients":
            return
        titles = flash_cache_titles()
        named = {
            _name(each): f"{each.title} at the {each.rate} rate"
            for each in self.answer.rows
        } | {
            _named(name, rate): f"{titles[name]} at the {rate} rate"
            for name, rate, _ in self._of_caches
        }
        outrun = [
            f"{title} ({three_digits(found['arrivals_per_s'])} arrivals and {three_digits(found['accesses_per_s'])} answers "
            "per second)"
            for name, title in named.items()
            if "behind" not in (found := replayed.get(name, _NOT_REPLAYED))
            and is_outrun(found)
        ]
        if outrun:
            yield (
                f"In the replay, accesses arrived faster than the devices answered: {listed(outrun)}. The queue grows with "
                "the length of the trace, so no response times are stated."
            )


_NOT_REPLAYED: TimedResult = {"behind": True}
_ARRIVE: dict[ArrivalKind, str] = {
    "poisson": "accesses arrive as a Poisson process, whoever sends them (open loop)",
    "trace": "accesses arrive as recorded, stretched to the rate (open loop)",
    "clients": "each client waits for its access and then thinks for an exponential time "
    "(closed loop)",
}


def check(
    answer: Response,
    curve: Curve,
    *,
    trace: Trace,
    on_progress: OnProgress | None = None,
    **asked: Any,
) -> Checked:
    """Put response times beside those of replays of the trace on simulated time.

    Parameters
    ----------
    answer : Response
        Of the model.
    curve : Curve
        That it was asked with.
    trace : Trace
        That was profiled.
    on_progress : callable, optional
        See `OnProgress`; False cancels.
    **asked
        The other attributes of `ResponseCheck`.
    """
    checked = ResponseCheck(answer=answer, curve=curve, **asked)
    replays, sizes = checked.replays()
    if sizes is not None and sizes.refuses:
        return not_checked(sizes)
    return checked.check(
        {name: each.run(trace, on_progress) for name, each in replays.items()}
    )


def times_of(station: Station, device: Device, page_bytes: int) -> DeviceTimes:
    """Return the devices of a tier as a replay on simulated time takes them.

    Parameters
    ----------
    station : Station
        Of the model.
    device : Device
        Of the tier: the rate of its batches, and what reads take longer beside random writes.
    page_bytes : int
        [bytes]
    """
    read, write = (each * station.servers / US_PER_S for each in station.busy_us)

    def of_batch(operation: Operation) -> float | None:
        found = service_time(device, operation, page_bytes, pattern="sequential")
        if found.time_us is None:
            return None
        return found.time_us * station.servers / US_PER_S

    beside_us = beside_writes_us(device, page_bytes) if station.tier == "flash" else 0.0
    return DeviceTimes(
        station.devices,
        station.servers,
        read,
        write,
        station.read_alone_s,
        station.write_alone_s,
        of_batch("read"),
        of_batch("write"),
        beside_us * station.servers / US_PER_S,
    )


def _name(at: SchemeAt) -> str:
    return _named(at.scheme, at.rate)


def _named(scheme: str, rate: str) -> str:
    return f"{scheme} at the {rate} rate"


def _accesses(made: list[TimedResult], seed: int) -> str:
    """Say how many accesses were counted behind which warm-up, and what was drawn."""
    one = made[0]
    if any(
        (each["accesses"], each["warm_up"]) != (one["accesses"], one["warm_up"])
        for each in made
    ):
        few, many = (end(each["accesses"] for each in made) for end in (min, max))
        counts = f"Between {few:,} and {counted(many, 'access')} are counted, behind those that fill the caches"
    elif one["warm_up"]:
        counts = (
            f"{counted(one['accesses'], 'access is', 'accesses are')} counted, behind "
            f"{counted(one['warm_up'], 'access')} that warm the caches"
        )
    else:
        counts = f"{counted(one['accesses'], 'access is', 'accesses are')} counted, from empty caches on"
    return f"{counts}; what is random is drawn with seed {seed}."


def _rows(model: SchemeAt, replayed: TimedResult | None) -> Iterator[CheckedFigure]:
    of, title, at = model.scheme, model.title, f"at the {model.rate} rate"
    known = None if replayed is None or "behind" in replayed else replayed
    behind = known is None or is_outrun(known)
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
            None if known is None or behind else known[theirs],
        )
    for each in model.stations:
        yield row(
            of,
            title,
            f"busy share of {each.tier} {at}",
            "1",
            each.utilisation,
            None if known is None else known[each.tier]["utilisation"],
        )
        steady = None if known is None or behind else known[each.tier]
        has_none = model.unbounded or each.operations_per_s == 0
        wait_us = None if has_none else each.wait_us
        yield from _rows_of_tier(of, title, each.tier, at, wait_us, steady)
    yield row(
        of,
        title,
        f"accesses per second {at}",
        RATE_UNIT,
        None if model.unbounded else model.accesses_per_s,
        None if known is None else known["accesses_per_s"],
    )


def _rows_of_tier(
    of: str,
    title: str,
    tier: str,
    at: str,
    wait_us: float | None,
    replayed: Mapping[str, Any] | None,
) -> Iterator[CheckedFigure]:
    """Yield queueing at a tier, and percentiles of its reads of single pages, of which there is no model.

    Parameters
    ----------
    of, title, tier, at : str
        Whose figures, of which tier, at which rate.
    wait_us : float or None
        Mean wait before service by the model. [µs]
    replayed : mapping or None
        The tier in a replay; None where there is none whose devices keep up.
    """
    found = None
    if replayed is not None and replayed["operations"] > 0:
        found = replayed["wait_us"]
    yield row(of, title, f"mean wait at {tier} {at}", "µs", wait_us, found)
    reads = None if replayed is None else replayed["reads"]
    for figure, name in (("median", "p50_us"), ("99th percentile", "p99_us")):
        value = None if reads is None or reads["operations"] == 0 else reads[name]
        yield row(of, title, f"{figure} of reads of {tier} {at}", "µs", None, value)


def _rows_of_cache(
    of: str, title: str, rate: str, replayed: TimedResult | None
) -> Iterator[CheckedFigure]:
    known = None if replayed is None or "behind" in replayed else replayed
    behind = known is None or is_outrun(known)
    at = f"at the {rate} rate"
    for figure, name in (
        (MEAN, "mean_us"),
        ("median", "p50_us"),
        ("99th percentile", "p99_us"),
        ("99.9th percentile", "p999_us"),
    ):
        value = None if known is None or behind else known[name]
        yield row(of, title, f"{figure} {at}", "µs", None, value)
    for tier in ("flash", "disk"):
        busy = None if known is None else known[tier]["utilisation"]
        yield row(of, title, f"busy share of {tier} {at}", "1", None, busy)
        steady = None if known is None or behind else known[tier]
        yield from _rows_of_tier(of, title, tier, at, None, steady)
    yield row(
        of,
        title,
        f"accesses per second {at}",
        RATE_UNIT,
        None,
        None if known is None else known["accesses_per_s"],
    )
