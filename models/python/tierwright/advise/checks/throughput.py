"""The check of throughput: demands from a replay of every scheme."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tierwright.advise.checks.checked import (
    REPLAYED,
    Checked,
    CheckedFigure,
    row,
    verdict,
)
from tierwright.advise.checks.counted import Counters, replayed_throughput
from tierwright.advise.point import scheme_titles
from tierwright.advise.throughput import Throughput
from tierwright.common.wording import listed, three_digits
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.hardware.device import Device

MS_PER_S = 1000.0
EQUAL = 0.01
"""Share of the throughput below which a lead does not matter. [1]"""


def check(
    answer: Throughput,
    *,
    setting: Setting,
    flash: Device,
    disk: Device,
    counters: Mapping[str, Counters],
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
        Of the replay of each scheme.
    """
    rows = tuple(_rows(answer, setting, (flash, disk), counters))
    return Checked(
        finding=verdict(rows, "throughput", max),
        rows=rows,
        basis=f"{REPLAYED} The queueing network is solved as in the answer; the "
        "waiting of clients is not replayed.",
        decided=decided(rows),
    )


def _rows(
    answer: Throughput,
    setting: Setting,
    devices: tuple[Device, Device],
    counters: Mapping[str, Counters],
) -> Iterator[CheckedFigure]:
    flash, disk = devices
    titles = scheme_titles()
    for name, model in answer.study.schemes.items():
        found = replayed_throughput(
            counters[name], flash=flash, disk=disk, setting=setting
        )
        yield row(
            name,
            titles[name],
            "throughput",
            "1/s",
            float(model.throughput_per_s[answer.at]),
            found.throughput_per_s,
        )
        yield row(
            name,
            titles[name],
            "response time",
            "ms",
            float(model.response_s[answer.at]) * MS_PER_S,
            found.response_s * MS_PER_S,
        )


def decided(rows: Sequence[CheckedFigure]) -> str | None:
    """Say which scheme reaches most by replay, and which others are equal for the purpose."""
    rates = {
        each.title: each.simulated
        for each in rows
        if each.figure == "throughput" and each.simulated is not None
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
