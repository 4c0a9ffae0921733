"""The check of throughput: demands from a replay of every scheme, and of flash caches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tierwright.advise.checks.checked import (
    PAGE_FLOW_SCHEME,
    REPLAYED,
    Checked,
    CheckedFigure,
    row,
    verdict,
)
from tierwright.advise.checks.counted import Counters, replayed_throughput
from tierwright.advise.checks.flash_caches import CacheOptions, besides, paces, taxes_at
from tierwright.advise.checks.flash_caches import flash_cache_replays as replays_at
from tierwright.advise.checks.points import Replay
from tierwright.advise.point import scheme_titles
from tierwright.advise.throughput import Throughput
from tierwright.common.wording import listed, three_digits
from tierwright.evaluate.page_flow.decision import warm_up_of
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.hardware.device import Device
from tierwright.hardware.mixed_load import MODEL, mixed_load_basis
from tierwright.simulate.contenders import (
    STRETCH,
    flash_cache_titles,
    works_by_the_clock,
)
from tierwright.simulate.priced import about_batches_text
from tierwright.simulate.replay import replay
from tierwright.trace.reading import OnProgress, Trace

MS_PER_S = 1000.0
THROUGHPUT = "throughput"
_STATION = {"cpu": "the processors", "flash": "flash", "disk": "the disks"}
EQUAL = 0.01
"""Share of the throughput below which a lead does not matter. [1]"""


def check(
    answer: Throughput,
    *,
    setting: Setting,
    flash: Device,
    disk: Device,
    counters: Mapping[str, Counters],
    options: CacheOptions | None = None,
) -> Checked:
    """Put throughput and response time at the present value beside those of replays.

    Parameters
    ----------
    answer : Throughput
        Of the model.
    setting : Setting
        What it was asked with.
    flash, disk : Device
        Of the two lower tiers.
    counters : mapping of str to counters
        Of the replay of each scheme; further ones are of flash caches.
    options : mapping, optional
        That flash caches were given.
    """
    rows = tuple(_rows(answer, setting, (flash, disk), counters))
    return Checked(
        finding=verdict(
            rows,
            THROUGHPUT,
            max,
            among=PAGE_FLOW_SCHEME
            if any(name not in answer.study.schemes for name in counters)
            else "",
        ),
        rows=rows,
        basis=" ".join(_basis(answer, flash, counters, options)),
        decided=decided(rows),
    )


def _basis(
    answer: Throughput,
    flash: Device,
    counters: Mapping[str, Counters],
    options: CacheOptions | None,
) -> Iterator[str]:
    yield REPLAYED
    caches = [name for name in counters if name not in answer.study.schemes]
    if caches:
        yield besides(caches, options)
        titles = flash_cache_titles()
        by_the_clock = [
            titles[name]
            for name in caches
            if works_by_the_clock(
                name, counters[name]["flash_pages"], (options or {}).get(name)
            )
        ]
        if by_the_clock:
            one = len(by_the_clock) == 1
            stretched = paces(counters, options)
            paced = any(
                STRETCH in (counters[name].get("options") or {}) for name in caches
            )
            of = "replay" if paced else "recording"
            yield (
                f"What {listed(by_the_clock)} {'does' if one else 'do'} by the clock was counted at the rate of the "
                f"{of}, not at that of the clients."
            )
            if stretched:
                yield stretched
        left, flash_pages = _sizes(answer)
        taxed = taxes_at(
            {name: counters[name] for name in caches},
            options,
            ram_pages=_ram_pages(answer),
            left_pages=left,
            flash_pages=flash_pages,
        )
        if taxed:
            yield taxed
        bounded = about_batches_text(flash, counters.values())
        if bounded:
            yield bounded
    if mixed_load_basis(flash) == MODEL:
        yield (
            f"{flash.name} states its rate under a mixed load, so its reads take longer the more "
            "random writes are beside them."
        )
    yield (
        "The queueing network is solved as in the answer; the waiting of clients is not "
        "replayed."
    )


def flash_cache_replays(
    answer: Throughput,
    names: Sequence[str],
    *,
    start: str,
    accesses: int,
    options: CacheOptions | None = None,
) -> dict[str, Replay]:
    """Return the replays of flash caches at the present sizes of an answer.

    Parameters
    ----------
    answer : Throughput
        Of the model.
    names : sequence of str
        Flash caches.
    start : str
        `steady` warms the caches with the first half of the trace; `cold` counts all of it.
    accesses : int
        Of the trace.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.

    Raises
    ------
    BadInput
        If there is no such flash cache, or no flash.
    """
    ram, flash = _sizes(answer)
    return replays_at(
        names,
        ram_pages=ram,
        flash_pages=flash,
        start=start,
        accesses=accesses,
        options=options,
    )


def _sizes(answer: Throughput) -> tuple[int, int]:
    """RAM that the metadata leave, and flash, at the present point. [pages]"""
    study = answer.study
    flash = study.inputs["flash_pages"]
    if study.varied == "flash_pages":
        flash = int(study.points[answer.at])
    return int(study.inputs["ram_pages_left"][answer.at]), int(flash)


def _ram_pages(answer: Throughput) -> int:
    """RAM at the present point, before metadata. [pages]"""
    study = answer.study
    varied = study.varied == "ram_pages"
    return int(study.points[answer.at] if varied else study.inputs["ram_pages"])


def replayed(
    answer: Throughput,
    trace: Trace,
    *,
    setting: Setting,
    flash: Device,
    disk: Device,
    start: str,
    accesses: int,
    flash_caches: Sequence[str] = (),
    options: CacheOptions | None = None,
    on_progress: OnProgress | None = None,
) -> Checked:
    """Replay every scheme of an answer, and flash caches, and put them beside the answer.

    Parameters
    ----------
    answer : Throughput
        Of the model.
    trace : Trace
        That was profiled.
    setting : Setting
        What it was asked with.
    flash, disk : Device
        Of the two lower tiers.
    start : str
        `steady` or `cold`.
    accesses : int
        Of the trace.
    flash_caches : sequence of str
        To be replayed besides.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        As `flash_cache_replays`.
    """
    ram_left, flash_pages = _sizes(answer)
    warm_up = warm_up_of(start, accesses)
    wanted = {
        name: Replay("scheme", name, answer.study.inputs["ram_pages"], 0, warm_up)
        if name == NO_FLASH
        else Replay("scheme", name, ram_left, flash_pages, warm_up)
        for name in answer.study.schemes
    }
    wanted |= flash_cache_replays(
        answer, flash_caches, start=start, accesses=accesses, options=options
    )
    counters = {
        name: replay(
            trace,
            each.family,
            each.name,
            each.ram_pages,
            each.flash_pages,
            options=each.options,
            warm_up=each.warm_up,
            on_progress=on_progress,
        )
        for name, each in wanted.items()
    }
    return check(
        answer,
        setting=setting,
        flash=flash,
        disk=disk,
        counters=counters,
        options=options,
    )


def _rows(
    answer: Throughput,
    setting: Setting,
    devices: tuple[Device, Device],
    counters: Mapping[str, Counters],
) -> Iterator[CheckedFigure]:
    flash, disk = devices
    titles = scheme_titles() | flash_cache_titles()
    study, at = answer.study, answer.at
    for name in (
        *study.schemes,
        *(each for each in counters if each not in study.schemes),
    ):
        found = replayed_throughput(
            counters[name], flash=flash, disk=disk, setting=setting
        )
        model = study.schemes.get(name)
        title = titles[name]
        yield row(
            name,
            title,
            THROUGHPUT,
            "1/s",
            None if model is None else float(model.throughput_per_s[at]),
            found.throughput_per_s,
        )
        yield row(
            name,
            title,
            "response time",
            "ms",
            None if model is None else float(model.response_s[at]) * MS_PER_S,
            found.response_s * MS_PER_S,
        )
        for at_station, (kind, share) in enumerate(found.utilisation.items()):
            if kind == "cpu" and setting.cpu_s_per_transaction == 0:
                continue
            yield row(
                name,
                title,
                f"busy share of {_STATION[kind]}",
                "1",
                None if model is None else float(model.utilisation[at][at_station]),
                share,
            )
        yield row(
            name,
            title,
            "disks from which another device limits",
            "1",
            None
            if model is None or study.varied == "flash_pages"
            else study.knee_disks[name],
            found.knee_disks,
        )
        yield row(
            name,
            title,
            "clients from which more mostly wait",
            "1",
            None if model is None else float(model.bounds.knee_clients[at]),
            found.knee_clients,
        )


def decided(rows: Sequence[CheckedFigure]) -> str | None:
    """Say which scheme reaches most by replay, and which others are equal for the purpose."""
    rates = {
        each.title: each.simulated
        for each in rows
        if each.figure == THROUGHPUT and each.simulated is not None
    }
    if not rates:
        return None
    most = max(rates.values())
    ahead = [title for title, rate in rates.items() if rate > most * (1 - EQUAL)]
    ahead.sort(key=lambda title: -rates[title])
    rate = f"{three_digits(most)} transactions/s"
    if len(ahead) == 1:
        return f"{ahead[0]} reaches {rate}, decided by replay"
    return f"{listed(ahead)} are practically equal at about {rate}, decided by replay"
