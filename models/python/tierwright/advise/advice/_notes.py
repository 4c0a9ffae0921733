"""What to know before relying on an advice, and its derivation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tierwright.advise import bill
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._busy_times import about_busy_times
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._machine import BY_MODEL, Replaying, may_change_by
from tierwright.advise.advice._outlasting import Weakness, limits_known
from tierwright.advise.advice._table import Table, latency_us
from tierwright.advise.advice._words.finding import recording_text
from tierwright.advise.advice.found import Option
from tierwright.advise.behind_instance import is_held_back, volume_exceeds
from tierwright.advise.configurations import (
    RATE_NOT_KNOWN,
    volumes_not_stated,
)
from tierwright.common.answer import Step
from tierwright.common.cautions import BEST_OF_OTHERS, Caution
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import counted, listed, three_digits
from tierwright.evaluate.advice.rows import RENTED, SOURCES
from tierwright.evaluate.page_flow.cautions import about_curve, about_given
from tierwright.hardware.build import (
    STATED_IN_CANDIDATES,
    STATED_OF_HAVE,
    build_from_mapping,
)
from tierwright.hardware.volumes import volumes
from tierwright.trace.notes import NO_WRITES_IN_FORMAT

_HELD_AS_DIRTY = (
    "the trace does not distinguish writes from reads, so its writes are unknown: the limit on the life of flash "
    "is held as if every page that leaves RAM were dirty; everywhere else they count as 0, so write costs are "
    "left out, and schemes that write more look better than they are"
)
"""Where a limit on the life of flash is stated, wear is not left out."""


def _about_machine(
    asked: Asked, table: Table, changes: str, *, is_one_of_all: bool
) -> Caution:
    """Return that the machine of RAM and devices is in no price, and what that could change."""
    one = asked.setting.machines == 1
    alike = (table.options.source == SOURCES.index("devices")).all()
    stays = (
        f"the choice stays, whatever the {'machine costs' if one else 'machines cost'}"
    )
    if is_one_of_all and alike:
        stays = "every option costs as much more"
    return Caution(
        "machine_left_out",
        f"the {'machine' if one else 'machines'} that RAM and devices need "
        f"{'is' if one else 'are'} not counted: no price of {'it' if one else 'one'} is stated",
        "state the price of a machine without RAM and drives, or choose among whole systems",
        could_change_choice=bool(changes),
        effect=changes or stays,
    )


def _about_curve(asked: Asked, table: Table, best: int | None) -> Iterator[Caution]:
    """Warn of the curve where it is read; an answer that recommends nothing still names its evidence."""
    curve = asked.setting.curve
    if best is not None:
        options = table.options
        as_dirty = table.holds_life_as_dirty(asked.constraints)
        for each in about_curve(
            curve, options.ram_pages[[best]], options.flash_pages[[best]]
        ):
            untold = as_dirty and each.name == NO_WRITES_IN_FORMAT
            yield replace(each, message=_HELD_AS_DIRTY) if untold else each
    elif curve.evidence is not None:
        yield from about_given(curve)


def sized_for(asked: Asked) -> str:
    """Say what the answer to a recording is sized for, for which nobody stated production; empty where somebody did, or it is none."""
    setting = asked.setting
    curve = setting.curve
    if curve.is_scaled or curve.given is not None:
        return ""
    return recording_text(
        format_bytes(curve.distinct_pages * curve.page_bytes),
        setting.rates.mean,
        is_recorded_rate=setting.rates.mean == setting.recorded_per_s,
    )


def _about_recording(asked: Asked, best: int | None) -> Iterator[Caution]:
    sized = sized_for(asked)
    if sized and best is not None:
        yield Caution(
            "no_production",
            f"no production is stated: the answer is sized for {sized}",
            "state the system that is bought for: its data and its rate",
            about=("curve",),
        )


def about_answer(
    asked: Asked,
    table: Table,
    best: int | None,
    weak: Iterable[Weakness],
    *,
    is_alone: bool = True,
    other_systems: bool | None = None,
    replaying: Replaying = BY_MODEL,
) -> Iterator[Caution]:
    """Yield what must be known of an answer.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int or None
        The recommendation.
    weak : iterable of Weakness
        What of it does not last.
    is_alone : bool
        Whether it is chosen by itself, not with other systems.
    other_systems, replaying
        As of `_machine.may_change_by`; None where a choice of one workload is asked for.
    """
    setting = asked.setting
    candidates = setting.candidates
    # What a quote offers is all that is compared: nothing else was a candidate.
    kinds = () if setting.quoted is not None else candidates.kinds
    source = None if best is None else table.source(best)
    yield from _about_recording(asked, best)
    yield from _about_curve(asked, table, best)
    yield from _about_left_out(table)
    if setting.rates.mean is None:
        yield RATE_NOT_KNOWN
    if best is not None and table.without_machine(best):
        yield _about_machine(
            asked,
            table,
            may_change_by(
                asked,
                table,
                best,
                other_systems=bool(other_systems),
                replaying=replaying,
            ),
            is_one_of_all=other_systems is None,
        )
    if "chassis" in kinds and not candidates.prices_chassis:
        yield Caution(
            "chassis_without_price",
            "servers built from parts are no candidates: no chassis has a list price, and none is stated",
            "state the price of a chassis",
            effect=_beside(best, "no source states a price of a server"),
        )
    if "devices" in kinds and table.shelf.ram is None:
        yield Caution(
            "no_price_of_ram",
            "no price book with a price of RAM was chosen, so RAM and devices bought by themselves are no candidates",
            "choose a price book",
            effect=_beside(best, "no price book with a price of RAM was chosen"),
        )
    yield from _about_rents(table)
    unpriced = table.own_unpriced
    if unpriced:
        yield Caution(
            "own_device_without_price",
            f"there is no price of {unpriced[0]}, so it is not a candidate"
            if len(unpriced) == 1
            else f"there are no prices of {listed(unpriced)}, so they are not candidates",
            "state `unit_price` among the figures of the device, or choose a price book that prices it",
            about=unpriced,
        )
    unchecked = table.of_no_vendor if candidates.vendors is not None else ()
    if unchecked:
        yield Caution(
            "vendor_not_stated",
            f"no vendor of {unchecked[0]} is stated, so it stays a candidate whoever makes it"
            if len(unchecked) == 1
            else f"no vendor of {listed(unchecked)} is stated, so they stay candidates whoever makes them",
            "list the parts and devices that are allowed, in place of their vendors",
            about=unchecked,
        )
    if source in (*RENTED, "quotes") and best is not None:
        yield from _about_latencies(table, best)
        yield from _about_bursts(table, best)
    yield from (each.caution for each in weak)
    if best is not None:
        yield from about_busy_times(asked, table, best, is_alone=is_alone)
    if source is not None:
        yield from _about_power(table, source, kinds)


def vendor_text(asked: Asked, table: Table, best: int | None) -> str:
    """Say which devices of the recommendation may be of another vendor than those that are allowed; empty where none is."""
    allowed = asked.setting.candidates.vendors
    if allowed is None or best is None:
        return ""
    held = dict.fromkeys(each for each in table.names(best) if each is not None)
    open_ = [each for each in held if each in table.of_no_vendor]
    if not open_:
        return ""
    return f"No source states who makes {listed(open_)}: whether it is {_one_of(allowed)} is for you to check."


def _one_of(vendors: Sequence[str]) -> str:
    return vendors[0] if len(vendors) == 1 else f"one of {listed(vendors)}"


def _beside(best: int | None, why: str) -> str:
    """Effect of what is no candidate: what it would cost is not known, and something else may have been chosen."""
    return f"not computable: {why}" + ("" if best is None else f"; {BEST_OF_OTHERS}")


def _about_power(table: Table, source: str, kinds: Sequence[str]) -> Iterator[Caution]:
    """Say whose electricity is in no price; what is chosen is of the kind `source`."""
    candidates, shelf = table.setting.candidates, table.shelf
    # With a price of electricity as without one: how much they draw is what nobody states.
    unknown_draw = (
        "not computable: no source states the power of RAM and devices by themselves"
    )
    if candidates.usd_per_kwh is None:
        if source == "devices":
            yield Caution(
                "power_left_out",
                "electricity of RAM and devices bought by themselves is not counted: no source states what they draw",
                "choose among servers built from parts, whose electricity is counted with a price of it and their watts",
                effect=unknown_draw,
            )
        elif source == "chassis":
            yield Caution(
                "power_left_out",
                "electricity of what is bought is not counted: no price of it is stated",
                "state the price of a kWh and the watts of a server",
            )
        return
    # The watts that may be stated are those of a whole server; no source states what these parts draw.
    if "devices" not in kinds or shelf.ram is None or not shelf.stores:
        return
    effect = unknown_draw
    could: bool | None = None
    if source != "devices":
        effect, could = (
            "what is chosen is not among these, whose bills would rise",
            False,
        )
    elif "chassis" in kinds:
        effect, could = (
            "servers built from parts pay for theirs and may cost less",
            True,
        )
    yield Caution(
        "power_left_out",
        "electricity of RAM and devices bought by themselves is not counted: no source states what they draw, and the "
        "watts that may be stated are those of a whole server",
        "choose among servers built from parts, whose electricity is counted",
        could_change_choice=could,
        effect=effect,
    )


def _about_latencies(table: Table, best: int) -> Iterator[Caution]:
    """Say under which conditions the latencies were found on which response times of what is rented, or offered, rest."""
    found, _ = table.response(best)
    if found is None:
        return
    options = table.options
    reads = (options.flash_reads[best], options.store_reads[best])
    page = table.setting.curve.page_bytes
    for device, share in zip(table.devices(best), reads, strict=True):
        figure = None if device is None else device.figures.get("read_latency_us")
        if device is None or figure is None or not share > 0:
            continue
        alone = format_microseconds(latency_us(device, page))
        yield Caution(
            "latency_of_source",
            f"a read of `{device.id}` that waits for no other is taken to last {alone} at {format_bytes(page)}, by {figure.source}"
            + (f": {figure.note}" if figure.note else "")
            + "; single reads vary around it, which percentiles do not count",
            "measure the device with pages of the workload, and state its latency in a device file",
            about=(device.id,),
        )


def _about_bursts(table: Table, best: int) -> Iterator[Caution]:
    """Say of a volume which rates it is counted on for: those of its instance, or of its size, without bursts."""
    _, store = table.devices(best)
    page = table.setting.curve.page_bytes
    if store is not None and is_held_back(store, page):
        # What bursts of the volumes could do besides is not let through for long either.
        yield from volume_exceeds(store, page)
        return
    of = None if store is None else volumes().get(store.id)
    rate = None if store is None else store.number("read_iops")
    if store is None or of is None or not of.grows or rate is None:
        return
    unit = "" if not store.io_unit_bytes else format_bytes(store.io_unit_bytes)
    # The rate is that of its size, which no id and no catalogue states.
    volumes_ = table.option(best, with_response=False, with_bill=False).volumes
    size = next((each["size_gib"] for each in volumes_ if each["id"] == store.id), None)
    large = "" if size is None else f" of {size:,} GiB"
    yield Caution(
        "bursts_not_counted",
        f"`{store.id}`{large} is counted on for the {three_digits(rate)} reads and writes per second that its size gives for ever"
        + (f", each of up to {unit}" if unit else "")
        + "; what it does above them while it has burst credits is not",
        "rent a volume whose IOPS are provisioned, if more is needed at times",
        about=(store.id,),
    )


def _about_rents(table: Table) -> Iterator[Caution]:
    """Warn of instances whose volumes no source counts, and where some of what may be rented is at a price book, and some as shipped."""
    prices, columns = table.setting.prices, table.columns
    if columns is None:
        return
    yield from volumes_not_stated(columns)
    if prices is None or not prices.rents:
        return
    servers = columns.sold.servers
    named = {servers[at].id for at in set(columns.server.tolist()) if at >= 0}
    named |= {
        columns.options[at].item.volume.id
        for at in set(columns.volume.tolist())
        if at >= 0
    }
    of_book = named & {each.item for each in prices.rents}
    others = len(named) - len(of_book)
    if of_book and others:
        yield Caution(
            "rents_of_two_lists",
            f"{counted(len(of_book), 'instance or volume is', 'instances and volumes are')} rented at the price book "
            f"`{prices.id}`, and {others:,} that may be rented as well at the list prices that are shipped, which may be of "
            "another region or another contract",
            "state as candidates what the price book has, or import a list with all of them",
            about=(prices.id,),
        )


def about_alternatives(chosen: Chosen) -> Iterator[Caution]:
    """Say that options could be close whose response times were not computed."""
    if chosen.not_asked:
        yield Caution(
            "alternatives_cut",
            f"response times are limited, and of {counted(chosen.not_asked, 'option')} that could stand among what was close "
            "they were not computed",
            "name fewer candidates to have all of them held against the limit",
            could_change_choice=False,
            effect="the choice and the front are those of all options; another option may be as close as those listed",
        )


def about_limits(table: Table, alternatives: Sequence[int]) -> Iterator[Caution]:
    """Say of which alternatives no source states what their instance sustains to their volumes.

    Parameters
    ----------
    table : Table
    alternatives : sequence of int
        What was close.
    """
    known = limits_known(table)
    servers = (table.server(at) for at in alternatives if not known[at])
    unknown = sorted({each for each in servers if each is not None})
    if unknown:
        yield Caution(
            "alternative_limit_unknown",
            f"among what was close, no source states what {listed([f'`{each}`' for each in unknown])} "
            f"{'sustains to its' if len(unknown) == 1 else 'sustain to their'} volumes",
            "check the limit of an instance before choosing it in place of the recommendation",
            could_change_choice=False,
            effect="the choice does not rest on it",
            about=tuple(unknown),
        )


def _about_left_out(table: Table) -> Iterator[Caution]:
    left_out = table.left_out
    if left_out is not None and left_out.pruned:
        yield Caution(
            "options_left_out",
            f"{counted(left_out.pruned, 'option')} of {left_out.pruned + left_out.evaluated:,} "
            f"{'was' if left_out.pruned == 1 else 'were'} not evaluated, as bounds on cost and I/O time show that none "
            "can be recommended, be an alternative or be on the front; how sure the answer is and its scenarios are of "
            "those within a quarter of these",
            "name fewer machines or parts to have every option evaluated",
            could_change_choice=False,
            effect="the choice, the alternatives and the front are those of all options",
        )


def steps(best: Option | None) -> Iterator[Step]:
    """Make the steps of the recommendation: its bill, and its I/O time."""
    if best is None:
        return
    if best.config:
        stated = STATED_OF_HAVE if best.kind == "have" else STATED_IN_CANDIDATES
        build = build_from_mapping(best.config, stated=stated)
        yield from bill.answer(build).derivation()
    replayed = best.replayed_io_time_us_per_access
    if replayed is not None and replayed == best.io_time_us_per_access:
        # What a replay alone admits, or a flash cache that page flow does not carry.
        what = f"operations that a replay of the recording counted under {best.scheme}, of an access,"
        source = "replay of the recording"
    else:
        what = f"operations of an access under {best.scheme}"
        source = "C0 to C3 of Koltsidas and Viglas (2009)"
    yield Step(
        "I/O time",
        f"{what} x busy time of one device of each tier",
        best.io_time_us_per_access,
        "µs per access",
        source,
    )
