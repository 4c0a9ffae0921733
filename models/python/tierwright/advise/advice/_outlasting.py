"""What a recommendation cannot be relied on for: data on local disks, worn-out flash, unstated limits, old prices; and what is better."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import Chosen, chosen_of, first_kept
from tierwright.advise.advice._price_dates import (
    Dated,
    Old,
    OldPrices,
    at_newest,
    buys_at_later,
    old_prices,
)
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import on_limit, with_flow
from tierwright.advise.advice._words.finding import INCLUDED, not_counted
from tierwright.advise.behind_instance import limit_unknown
from tierwright.advise.configurations import DATA_ON_LOCAL_DISKS
from tierwright.common.cautions import Caution
from tierwright.common.currency import amount_per, money, shown_in
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted, listed, three_digits
from tierwright.evaluate.advice.choose import ordered
from tierwright.evaluate.advice.limits import LIFE, Bools
from tierwright.evaluate.advice.rows import RENTED, SOURCES, IntArray
from tierwright.evaluate.advice.whole_limits import most_units
from tierwright.evaluate.bill import CENT
from tierwright.hardware.prices import MOST_QUARTERS_APART, quarter_words
from tierwright.profile.rates import SAME

_OUTLIVE = [SOURCES.index(each) for each in ("volumes", "chassis", "devices")]
"""Where what holds the data stays when its machine stops; of what there is nobody says, and quotes say it each."""
_MONTHS_PER_YEAR = 12
CHANGED_ON_LOCAL_FLASH = Caution(
    "changed_pages_on_local_flash",
    "the flash cache keeps the newest version of changed pages on local disks of the instance alone, which lose their content "
    "when it stops or its host fails: the volumes hold older versions",
    "keep the log back to the oldest change that is not on the volumes yet, or choose an option that writes changed pages "
    "to them as they leave RAM",
)


@dataclass(frozen=True, slots=True)
class Weakness:
    """What of a recommendation does not last.

    Attributes
    ----------
    caution : Caution
        With the effect, where other options are known.
    what : str
        A sentence without its end; empty where nothing is lost by it.
    better, theirs : str
        What options are that last, to be read behind their name, and the same of the best alternative.
    lasts : bool array or None
        Which options do; None where it takes a number of devices that no option of the answer has.
    life_years : float
        How long the flash of those has to last where `lasts` is None. [365 days]
    repair : str
        What it costs to have the recommendation last, and which old price has no newer one; empty where no price of that
        is known.
    is_weighed : bool
        Whether other options are known.
    instead : int or None
        The best of them that lasts, after the recommendation, where that is an option of the answer.
    """

    caution: Caution
    what: str
    better: str
    theirs: str
    lasts: Bools | None = None
    life_years: float = 0.0
    repair: str = ""
    is_weighed: bool = False
    instead: int | None = None

    def sentence(self, alternatives: Sequence[int]) -> str:
        """Say what it costs to have what lasts; empty where nothing is lost, or other options are not known.

        Parameters
        ----------
        alternatives : sequence of int
            What was close, where the text names the first of it before, and what that costs more.
        """
        if not self.what or not self.is_weighed:
            return ""
        if self.instead is None or self.instead not in alternatives[:1]:
            return f"{self.what}: {self.caution.effect}."
        repair = f": {self.repair}" if self.repair else ""
        return f"{self.what}{repair}; {self.theirs}."


def weaknesses(
    asked: Asked,
    table: Table,
    best: int | None,
    chosen: Chosen | None,
    *,
    timed: Collection[int] = (),
    keeps_changed: bool = True,
) -> tuple[Weakness, ...]:
    """Return what does not last, with what the best option costs, or takes, of which it does.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int or None
        The recommendation.
    chosen : Chosen or None
        What keeps the limits; None where other options are not to be named.
    timed : collection of int
        Options whose times and lives, as the table has them, are those of their replays.
    keeps_changed : bool
        Whether changed pages stay on the flash of the recommendation alone: under every page flow, not under every flash
        cache.
    """
    if best is None:
        return ()
    found = tuple(
        each
        for each in _found(asked, table, best, by_replay=best in timed)
        if keeps_changed or each.caution.name != CHANGED_ON_LOCAL_FLASH.name
    )
    # What bounds left out may be better than what is listed.
    if chosen is None or table.left_out is not None:
        return found
    return tuple(_weighed(asked, table, best, chosen, each, timed) for each in found)


def _found(
    asked: Asked, table: Table, best: int, *, by_replay: bool
) -> Iterator[Weakness]:
    source = table.source(best)
    yield from losing_data(asked, table, best)
    if source == "volumes":
        yield from _behind_unknown_instance(table, best)
    if source not in RENTED:
        yield from _worn_out(asked, table, best, by_replay=by_replay)
    yield from nothing_written_back(table, best)
    yield from _priced_long_ago(asked, table, best)


def losing_data(asked: Asked, table: Table, best: int) -> Iterator[Weakness]:
    """Yield that data, or the newest version of some, are on disks that lose their content as their machine stops.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int
        The recommendation.
    """
    source = table.source(best)
    if source == "instances" or (
        source == "quotes" and table.given(best).outlasts is False
    ):
        yield _on_local_disks(asked, table)
    yield from _changed_on_local_flash(asked, table, best)


def nothing_written_back(table: Table, best: int) -> Iterator[Weakness]:
    """Yield that a cache which holds all of the data evicts nothing: what is written all the same is not counted.

    Parameters
    ----------
    table : Table
    best : int
        The recommendation.
    """
    setting, options = table.setting, table.options
    curve, rate = setting.curve, setting.served.mean
    writes = curve.known_write_accesses if curve.notes.tells_writes else None
    # New pages push others out.
    if options.store_reads[best] > 0 or curve.growth or writes == 0:
        return
    change = "accesses that change a page"
    if writes is not None and rate is not None:
        share, peak = writes / curve.accesses, setting.served.peak
        change = (
            f"up to {three_digits(rate * share)} accesses per second that change a page"
        )
        if peak is not None and peak > rate * (1 + SAME):
            change += f" ({three_digits(peak * share)} in the busiest hour)"
    held = "RAM that holds all of the data evicts no page, so none is written back"
    if options.flash_reads[best] > 0:
        held = "a flash cache that holds all of the data evicts no page, so none is written back to what holds them"
    yield Weakness(
        Caution(
            "checkpoints_not_counted",
            f"{held}: what a log and checkpoints write, of {change}, is not counted",
            "provide for these writes besides, or limit RAM and flash to what evicts pages",
        ),
        "Nothing is evicted, and what a log and checkpoints write is not counted",
        "that evicts pages and whose write-backs are counted",
        "the best alternative evicts pages, and their write-backs are counted",
        np.asarray(options.store_reads > 0),
    )


def _weighed(
    asked: Asked,
    table: Table,
    best: int,
    chosen: Chosen,
    each: Weakness,
    timed: Collection[int],
) -> Weakness:
    """Say what it costs to have the recommendation last, and what the best option costs that does."""
    again, of, its = asked, table, chosen
    if each.lasts is None:
        again = _asking_for(asked, each.life_years)
        of = table.remade(again.setting)
        its = chosen_of(again, of)
    at = _next_best(again, (of, its), (table, best), each.lasts, timed)
    instead = _instead(asked, (table, best), (of, at), each.better, timed)
    effect = f"{each.repair}; {instead}" if each.repair else instead
    caution = replace(each.caution, effect=effect, could_change_choice=True)
    listed = None if at is None else _listed(table, of, at)
    return replace(each, caution=caution, is_weighed=True, instead=listed)


def _listed(table: Table, of: Table, at: int) -> int | None:
    """Return where a table lists an option of another of the same question; None where it does not."""
    if of is table:
        return at
    if at == of.have_at:
        return table.have_at
    one, many = of.options, table.options
    alike = (
        (many.source == one.source[at])
        & (many.row == one.row[at])
        & (many.store_devices == one.store_devices[at])
        & (many.scheme == one.scheme[at])
    )
    found = np.flatnonzero(alike)
    return int(found[0]) if len(found) else None


def _asking_for(asked: Asked, life_years: float) -> Asked:
    """Ask the same with a limit on the life of the flash, which more devices keep than an answer without it lists."""
    return replace(
        asked,
        constraints={**asked.constraints, LIFE: Decimal(repr(life_years))},
        setting=replace(asked.setting, least_life_years=life_years),
    )


def _on_local_disks(asked: Asked, table: Table) -> Weakness:
    copies, caution = asked.setting.replicas, DATA_ON_LOCAL_DISKS
    if copies > 1:
        caution = replace(
            caution,
            message="local disks of an instance lose their content when it stops or its host fails, and here they hold "
            f"all {counted(copies, 'copy', 'copies')} of the data",
            hint="never stop two machines at a time, and copy the data back before the next one stops",
        )
    quoted = asked.setting.quoted
    return Weakness(
        caution,
        "" if copies > 1 else "The only copy of the data is on its local disks",
        f"{'for sale' if quoted is None else 'offered'} whose data outlive their machine",
        "those of the best alternative outlive their machine",
        # Volumes hold older versions of what is changed on local flash.
        _outlasting(table) & ~_loses_changes(asked, table),
    )


def _changed_on_local_flash(
    asked: Asked, table: Table, best: int
) -> Iterator[Weakness]:
    """Yield that a flash cache on local disks alone has the newest version of pages that leave RAM changed."""
    setting = asked.setting
    copies = setting.replicas
    local = _loses_changes(asked, table)
    if not local[best]:
        return
    caution = CHANGED_ON_LOCAL_FLASH
    if copies > 1:
        caution = replace(
            caution,
            message=f"{caution.message}; so it is of all {counted(copies, 'copy', 'copies')} of the data",
            hint=f"never stop two machines at a time; {caution.hint}",
        )
    yield Weakness(
        caution,
        ""
        if copies > 1
        else "The newest version of changed pages is on its local disks alone",
        f"{'for sale' if setting.quoted is None else 'offered'} whose changed pages outlive their machine",
        "those of the best alternative outlive their machine",
        _outlasting(table) & ~local,
    )


def _loses_changes(asked: Asked, table: Table) -> Bools:
    """Which options lose changed pages as an instance stops: none where the workload never changes one."""
    curve = asked.setting.curve
    if curve.notes.tells_writes and curve.known_write_accesses == 0:
        return np.zeros(len(table.options), dtype=np.bool_)
    return _changed_on_local(table)


def _changed_on_local(table: Table) -> Bools:
    """Which options keep pages that leave RAM changed on local disks of an instance, and not on what holds the data.

    Every page flow with flash writes a changed page back as it leaves flash, and not before (`docs/models/page-flow.md`).
    """
    options, quoted = table.options, table.setting.quoted
    on_local = options.source == SOURCES.index("volumes")
    if quoted:
        of_quotes = options.source == SOURCES.index("quotes")
        # All flash of a rented machine is on its local disks.
        stays = np.asarray([each.outlasts is True for each in quoted], dtype=np.bool_)
        on_local = on_local.copy()
        on_local[of_quotes] = (
            stays[options.row[of_quotes]] & options.is_rented[of_quotes]
        )
    # Pages leave RAM where an access misses in it.
    leaves = options.flash_reads + options.store_reads > 0
    return np.asarray(on_local & (options.flash_pages > 0) & leaves)


def _behind_unknown_instance(table: Table, best: int) -> Iterator[Weakness]:
    """Yield that nobody knows whether the instance lets through what its volumes are rented with."""
    known = limits_known(table)
    if known[best]:
        return
    server = table.server(best)
    assert server is not None
    yield Weakness(
        limit_unknown(server),
        f"No source states what `{server}` sustains to its volumes",
        "whose limits are known",
        "those of the best alternative are known",
        known,
    )


def limits_known(table: Table) -> Bools:
    """Which options rest on no limit of an instance on its volumes that no source states.

    Parameters
    ----------
    table : Table

    Returns
    -------
    bool array, shape (N,)
    """
    options, columns = table.options, table.columns
    found = np.ones(len(options), dtype=np.bool_)
    if columns is None:
        return found
    stated = np.asarray([each.states_sustained for each in columns.sold.servers])
    on_volumes = options.source == SOURCES.index("volumes")
    found[on_volumes] = stated[columns.server[options.row[on_volumes]]]
    return found


def _outlasting(table: Table) -> Bools:
    """Which options hold the data where they stay when their machine stops."""
    options, quoted = table.options, table.setting.quoted
    found = np.isin(options.source, _OUTLIVE)
    if quoted:
        of_quotes = options.source == SOURCES.index("quotes")
        stays = np.asarray([each.outlasts is True for each in quoted], dtype=np.bool_)
        found[of_quotes] = stays[options.row[of_quotes]]
    return found


def _worn_out(
    asked: Asked, table: Table, best: int, *, by_replay: bool
) -> Iterator[Weakness]:
    """Yield that the flash is worn out before the end of the horizon over which it is paid."""
    setting = asked.setting
    months, lives = setting.horizon_months, table.options.life_years
    years = months / _MONTHS_PER_YEAR
    knows = table.knows_life(best)
    life = float(lives[best]) if knows else table.known_life_years(best)
    # A limit that somebody states is theirs to choose.
    if not life < years or LIFE in asked.constraints:
        return
    worn = f"worn out after {'' if knows else 'at most '}{_months(life)} of the {counted(months, 'month')} of the horizon"
    if by_replay:
        worn = f"{worn}, by its replay"
    yield Weakness(
        Caution(
            "flash_worn_out",
            f"by the writes of the workload its flash is {worn}, and what replaces it is not priced",
            f"limit the life of the flash to at least {three_digits(years)} years, or add what replaces it to the bill",
        ),
        f"Its flash is {worn}",
        f"whose flash lasts {counted(months, 'month')}{' by the model' if by_replay else ''}",
        "that of the best alternative lasts as long",
        life_years=years,
        repair=_repair(
            table,
            best,
            # As often as the writes of the horizon, which grow, are what it endures.
            math.ceil(setting.steady_life(years) / setting.steady_life(life))
            if knows and life > 0
            else 0,
        ),
    )


def _repair(table: Table, best: int, times: int) -> str:
    """Say what it costs to buy the flash so many times; empty where two kinds of flash wear, or the bill does not name it."""
    worn = [
        each
        for each in table.devices(best)
        if each is not None and "flash" in each.roles
    ]
    if len(worn) != 1 or times <= 1:
        return ""
    bill = table.option(best, with_response=False).bill
    once = [row["usd_per_month"] for row in bill if row["what"] == worn[0].id]
    if not once or None in once:
        return ""
    more = money((times - 1) * sum(map(Decimal, once), Decimal(0)))
    return f"buying it {times:,} times costs {more} per month more"


def _priced_long_ago(asked: Asked, table: Table, best: int) -> Iterator[Weakness]:
    """Yield that a price of what is bought is much older than the others, or than the newest of its kind."""
    found = old_prices(table, best)
    if found is None:
        return
    repair = _at_newest(asked, table, best, found)
    since = f"at no price from {quarter_words(found.until)} or before"
    yield Weakness(
        Caution(
            "prices_of_different_dates",
            _beside_newer(found),
            "get prices of one date, or state your own among the candidates",
            effect=repair,
            about=tuple(each.price.id for each in found.old),
        ),
        _capital(_all_priced([each.price for each in found.old])),
        f"that buys {since}",
        f"the best alternative buys {since}",
        buys_at_later(table, found.until),
        repair=repair,
    )


def _what(each: Dated) -> str:
    return "RAM" if each.id == "RAM" else f"`{each.id}`"


def _of_size(each: Dated) -> str:
    """Say what a price is of, and what it is for a unit."""
    usd = each.usd_per_unit
    return (
        _what(each)
        if usd is None
        else f"{_what(each)}, {amount_per(usd)} {shown_in().currency} per {each.unit},"
    )


def _priced(each: Dated) -> str:
    """Say what a price is for a unit, and of when."""
    return f"the price of {_of_size(each)} is from {each.date}"


def _all_priced(some: Sequence[Dated]) -> str:
    """Say of each of some prices what it is for a unit, and of when."""
    first, *others = some
    return listed(
        [
            _priced(first),
            *(f"that of {_of_size(each)} from {each.date}" for each in others),
        ]
    )


def _beside_newer(found: OldPrices) -> str:
    """Say of each old price which newer one it is held against: of its kind, or else the newest of all."""
    newer = [each.newer for each in found.old if each.newer is not None]
    if not newer:
        old = _all_priced([each.price for each in found.old])
        return f"{old}, {_priced(found.newest)}"
    said = [
        _priced(each.price)
        if each.newer is None
        else f"{_priced(each.price)}, {_priced(each.newer)}"
        for each in found.old
    ]
    if found.newest not in newer and len(newer) < len(found.old):
        said.append(_priced(found.newest))
    *others, last = said
    return "; ".join([*others, f"and {last}"] if others else said)


def _at_newest(asked: Asked, table: Table, best: int, found: OldPrices) -> str:
    """Say what the recommendation costs at the newest price for a unit of each kind, and which old prices have none."""
    alone = [_what(each.price) for each in found.old if each.newer is None]
    said = [_repriced(asked, table, best, found)]
    if alone:
        apart = counted(MOST_QUARTERS_APART, "quarter")
        said.append(f"no comparable price of {listed(alone)} is over {apart} newer")
    return "; ".join(each for each in said if each)


def _repriced(asked: Asked, table: Table, best: int, found: OldPrices) -> str:
    """Say at which newer prices the recommendation costs how much more; empty where no newer one is known."""
    then = at_newest(table, best, found.old)
    if then is None:
        return ""
    now = int(table.options.month_cents[best])
    newer = [
        (each, each.newer)
        for each in found.old
        if each.newer is not None and each.times is not None
    ]
    if len(found.old) == 1:
        by = f"at that of `{newer[0][1].id}`"
    else:
        each_at = [
            f"{_what(old.price)} at the price of `{new.id}`{_alone(table, best, old) if newer[1:] else ''}"
            for old, new in newer
        ]
        by = f"with {listed(each_at)}"
    said = f"{by} it costs {_more(then.month - now)}"
    broken = [
        name
        for name, value in (
            ("usd_per_month", then.month),
            ("purchase_usd", then.purchase),
        )
        if name in asked.constraints
        and value > most_units(name, asked.constraints[name])
    ]
    if not broken:
        return said
    limit = "limit" if len(broken) == 1 else "limits"
    return (
        f"{said} and breaks the {limit} {listed([on_limit(name) for name in broken])}"
    )


def _alone(table: Table, best: int, old: Old) -> str:
    """Say in brackets what one newer price alone makes of the cost."""
    then = at_newest(table, best, (old,))
    assert then is not None
    return f" ({_more(then.month - int(table.options.month_cents[best]))})"


def _more(cents: int) -> str:
    size = "more" if cents >= 0 else "less"
    return f"{money(abs(cents) * CENT)} per month {size}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _months(years: float) -> str:
    months = years * _MONTHS_PER_YEAR
    return "less than a month" if months < 1 else f"{math.floor(months)}"


def _next_best(
    asked: Asked,
    among: tuple[Table, Chosen],
    after: tuple[Table, int],
    lasts: Bools | None,
    timed: Collection[int],
) -> int | None:
    """Return the best option besides the recommendation that lasts; None where there is none."""
    table, chosen = among
    if asked.objective == "io_time" and timed and table is after[0]:
        # What was not replayed may stand before it, where the model does not say for sure that it is faster.
        order = ordered(table.options, chosen.order, asked.objective)
        order = order[order != after[1]]
    else:
        # What stands before it was ruled out by its replay.
        order = chosen.order[_stands_behind(asked, after, table, chosen.order)]
    if lasts is not None:
        order = order[lasts[order]]
    return first_kept(asked, table, chosen, order)


def _stands_behind(
    asked: Asked, best: tuple[Table, int], table: Table, rows: IntArray
) -> Bools:
    """Which options come after the recommendation, be it of another table of the same sizes, in the order of the objective."""
    own, at = best
    mine, others = own.options, table.options
    keys = [
        (others.month_cents[rows], mine.month_cents[at]),
        (others.io_us[rows], mine.io_us[at]),
    ]
    if asked.objective == "io_time":
        keys.reverse()
    (first, own_first), (second, own_second) = keys
    equal = (second > own_second) | ((second == own_second) & (rows > at))
    return np.asarray((first > own_first) | ((first == own_first) & equal))


def _instead(
    asked: Asked,
    best: tuple[Table, int],
    other: tuple[Table, int | None],
    better: str,
    timed: Collection[int],
) -> str:
    """Say what an option costs, or takes, beside the recommendation."""
    (own_table, own_at), (table, at) = best, other
    if at is None:
        return f"nothing {better} keeps every limit"
    name = with_flow(table.title(at), table.scheme(at))
    cents = int(table.options.month_cents[at] - own_table.options.month_cents[own_at])
    costs = _costs(best, (table, at))
    is_unlike = table.without_machine(at) != own_table.without_machine(own_at)
    if asked.objective != "io_time":
        return f"{name}, the cheapest {better}, {costs}"
    own_us, other_us = own_table.options.io_us[own_at], table.options.io_us[at]
    own, took = (format_microseconds(float(each)) for each in (own_us, other_us))
    by, own_by = (
        "by its replay" if each else "by the model"
        for each in (table is own_table and at in timed, own_at in timed)
    )
    said = f"{name}, the fastest {better},"
    if by == own_by:
        if own == took and (cents >= 0 or is_unlike):
            return f"{said} takes as long per access {by} and {costs}"
        return f"{said} takes {took} of I/O time per access {by}, against {own}"
    said = f"{said} takes {took} of I/O time per access {by}, against {own} {own_by}"
    # What is slower costs more or less, and was left for its time.
    return said if other_us > own_us and took != own else f"{said}, and {costs}"


def _costs(best: tuple[Table, int], other: tuple[Table, int]) -> str:
    """Say how much more an option costs than the recommendation, or what it costs where the price of one lacks its machine."""
    (own_table, own_at), (table, at) = best, other
    cents = int(table.options.month_cents[at])
    lacks = table.without_machine(at)
    if lacks == own_table.without_machine(own_at):
        return f"costs {_more(cents - int(own_table.options.month_cents[own_at]))}"
    has = not_counted(int(table.options.machines[at])) if lacks else INCLUDED
    return f"costs {money(cents * CENT)} per month, {has}"
