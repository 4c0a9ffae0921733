"""Busy times of a recommendation that rest on a latency, with what would change, and rates that nobody states and nothing needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._machine import behind_price
from tierwright.advise.advice._numbers import best_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import with_flow
from tierwright.common.cautions import Caution
from tierwright.common.currency import money
from tierwright.common.units import format_microseconds
from tierwright.common.wording import listed, percent
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.page_flow.operations import operations
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.service_time import service_time
from tierwright.hardware.side_by_side import rests_on_latency, side_by_side

STATE_IOPS = "state sustained IOPS in a device file"
NOT_ALONE = "not computable: the system was chosen together with others"
NO_SEQUENTIAL_RATE = "not computable: no sequential rate is stated"
_ROLES = ("flash cache", "holds the data")


def about_busy_times(
    asked: Asked, table: Table, best: int, *, is_alone: bool = True
) -> Iterator[Caution]:
    """Yield which busy times of a recommendation rest on a latency, and which rates nobody states and nothing needs.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int
        Row of the recommendation.
    is_alone : bool
        Whether it is chosen by itself, not with other systems.
    """
    found = resting_on_latencies(table, best)
    if found:
        effect, could_change = NOT_ALONE, None
        if is_alone:
            effect, could_change = _at_the_other_end(
                asked, table, best, _together(found)
            )
        yield Caution(
            "latency_as_service_time",
            latency_words(found),
            STATE_IOPS,
            could_change_choice=could_change,
            effect=effect,
            about=tuple(dict.fromkeys(device.id for _, device, _ in found)),
        )
    yield from _not_needed(table, best)


def resting_on_latencies(
    table: Table, at: int
) -> list[tuple[str, Device, tuple[Operation, ...]]]:
    """Return the devices of an option whose busy time for what an access does is a latency, and for which operations.

    Parameters
    ----------
    table : Table
    at : int
        Option.

    Returns
    -------
    list of tuple of (str, Device, tuple of str)
        What the device is for, the device, and `read`, `write` or both.
    """
    curve, options = table.setting.curve, table.options
    scheme, row = table.scheme(at), np.asarray([at])
    done = operations(
        curve, options.ram_pages[row], options.flash_pages[row], (scheme,)
    )[scheme].per_access
    found = []
    for role, tier, device in zip(
        _ROLES, ("flash", "disk"), table.devices(at), strict=True
    ):
        if device is None:
            continue
        names = tuple(
            operation
            for operation in OPERATIONS
            if done[tier, operation][0] > 0
            and rests_on_latency(device, operation, curve.page_bytes)
        )
        if names:
            found.append((role, device, names))
    return found


def latency_words(
    found: Iterable[tuple[str, Device, tuple[Operation, ...]]],
) -> str:
    """Say of some devices that a latency is used as their busy time, without a full stop.

    Parameters
    ----------
    found : iterable of tuple of (str, Device, tuple of str)
        Of `resting_on_latencies`.
    """
    return "; ".join(_said(*each) for each in found)


def _together(
    found: Iterable[tuple[str, Device, tuple[Operation, ...]]],
) -> dict[str, tuple[Operation, ...]]:
    """Return the operations by device, which may be used for both tiers."""
    done: dict[str, set[Operation]] = {}
    for _, device, names in found:
        done.setdefault(device.id, set()).update(names)
    return {
        name: tuple(each for each in OPERATIONS if each in some)
        for name, some in done.items()
    }


def _said(role: str, device: Device, names: tuple[Operation, ...]) -> str:
    alike = listed(list(names))
    one = len(names) == 1
    return (
        f"`{device.id}` ({role}) states no IOPS for {listed([f'{each}s' for each in names])}; its {alike} {'latency is' if one else 'latencies are'} used as the busy "
        f"{'time, which overstates it' if one else 'times, which overstates them'} on a parallel device"
    )


def _at_the_other_end(
    asked: Asked,
    table: Table,
    best: int,
    slow: Mapping[str, tuple[Operation, ...]],
) -> tuple[str, bool | None]:
    """Say what would be the choice if these devices served requests side by side, and whether that is another."""
    if table.left_out is not None:
        return "not computable: bounds left options out", None
    own_table, own = best_of(asked, table)
    if own is None or _of(own_table, own) != _of(table, best):
        return (
            "not computable: the choice rests on replays, which were not made there",
            None,
        )
    if any(_at_once(each, table, slow) is None for each in _of_best(table, best, slow)):
        return NO_SEQUENTIAL_RATE, None
    times = _transfers(table, best, slow)
    when = f"if its requests are served side by side, at its sequential rate at most ({times})"
    if len(slow) > 1:
        when = f"if their requests are served side by side, at their sequential rates at most ({times})"
    again = _faster(asked, table, slow)
    of, at = best_of(again, _table_of(again, table, slow))
    if at is None:
        return f"{when}: nothing keeps every limit", True
    name, _, cents = _of(of, at)
    is_same = _of(of, at) == _of(table, best)
    what = "the choice stays"
    if not is_same:
        what = f"{with_flow(name, of.scheme(at))} would be the choice"
    usd = f"{money(Decimal(cents) * CENT)} per month"
    but = behind_price(of, at, own=table.without_machine(best))
    return f"{when}: {what}, at {usd}{but}{_figures(table, best, of, at)}", (
        not is_same
    )


def _of(table: Table, at: int) -> tuple[str, str, int]:
    """Return what an option is, how it runs, and what it costs. [cent/month]"""
    return table.title(at), table.scheme(at), int(table.options.month_cents[at])


def _figures(table: Table, best: int, of: Table, at: int) -> str:
    """Say how busy and how slow that is, beside the recommendation."""
    many, few = table.options, of.options
    said = []
    if np.isfinite(many.peak_busy[best]) and np.isfinite(few.peak_busy[at]):
        said.append(
            f"{percent(float(few.peak_busy[at]))} busy in the busiest hour against {percent(float(many.peak_busy[best]))}"
        )
    own, other = (
        format_microseconds(float(each)) for each in (many.io_us[best], few.io_us[at])
    )
    return f", {listed([*said, f'{other} of I/O time per access against {own}'])}"


def _transfers(table: Table, at: int, slow: Mapping[str, tuple[Operation, ...]]) -> str:
    """Say how long the transfer of a page takes of each operation of each device."""
    page = table.setting.curve.page_bytes
    said = []
    for device in _of_best(table, at, slow):
        fast = _fast(device, table, slow)
        for operation in slow[device.id]:
            time = service_time(fast, operation, page).time_us
            assert time is not None
            said.append(f"{operation} {format_microseconds(time)}")
    return ", ".join(said)


def _of_best(
    table: Table, at: int, slow: Mapping[str, tuple[Operation, ...]]
) -> list[Device]:
    """Return the devices of an option whose busy times rest on latencies, each once."""
    some = (each for each in table.devices(at) if each is not None and each.id in slow)
    return list({each.id: each for each in some}.values())


def _at_once(
    device: Device, table: Table, slow: Mapping[str, tuple[Operation, ...]]
) -> Device | None:
    """Return a device that serves these requests side by side; None where nobody states how fast it transfers."""
    return side_by_side(device, slow[device.id], table.setting.curve.page_bytes)


def _fast(
    device: Device, table: Table, slow: Mapping[str, tuple[Operation, ...]]
) -> Device:
    """Return a device as it is, or where it serves requests side by side."""
    if device.id not in slow:
        return device
    return _at_once(device, table, slow) or device


def _faster(
    asked: Asked, table: Table, slow: Mapping[str, tuple[Operation, ...]]
) -> Asked:
    """Ask the same where these devices are used as what there is, in quotes, or in place of others."""
    setting, have, quoted = asked.setting, asked.setting.have, asked.setting.quoted

    def of(device: Device | None) -> Device | None:
        return None if device is None else _fast(device, table, slow)

    if have is not None:
        disk = of(have.disk)
        assert disk is not None
        have = replace(have, disk=disk, flash=of(have.flash))
    if quoted is not None:
        quoted = tuple(
            replace(each, disk=of(each.disk) or each.disk, flash=of(each.flash))
            for each in quoted
        )
    flash, disk = (of(each) for each in setting.devices)
    return replace(
        asked,
        setting=replace(setting, have=have, quoted=quoted, devices=(flash, disk)),
    )


def _table_of(
    asked: Asked, table: Table, slow: Mapping[str, tuple[Operation, ...]]
) -> Table:
    """Make the table of the same devices for sale, where these are as fast."""
    shelf = table.shelf
    stores, caches = (
        tuple((_fast(device, table, slow), price) for device, price in some)
        for some in (shelf.stores, shelf.caches)
    )
    return Table(
        asked.setting, (table.columns, replace(shelf, stores=stores, caches=caches))
    )


def _not_needed(table: Table, best: int) -> Iterator[Caution]:
    """Yield that nobody states how fast what holds the data is, which no figure needs while caches hold all of them."""
    store, name = table.devices(best)[1], table.names(best)[1]
    page = table.setting.curve.page_bytes
    is_used = table.options.store_us[best] != 0
    if name is None or is_used:
        return
    if store is not None and any(
        service_time(store, operation, page).time_us is not None
        for operation in OPERATIONS
    ):
        return
    held = "RAM holds"
    if table.options.flash_reads[best] > 0:
        held = "RAM and the flash cache hold"
    yield Caution(
        "rates_not_needed",
        f"no source states how fast `{name}` reads and writes, and no figure of the answer needs it while {held} all of the data",
        "check that it carries the log and checkpoints, and how long a restart reads from it",
        could_change_choice=False,
        effect="no figure of the answer rests on it",
        about=(name,),
    )
