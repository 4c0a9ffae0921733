"""A bill of materials: what a configuration costs to buy and to rent, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, ClassVar

from tierwright.advise.behind_instance import limit_unknown, volumes_exceed
from tierwright.advise.bill_carbon import (
    Carbon,
    carbon_cautions,
    carbon_figures,
    carbon_of,
    carbon_steps,
)
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.cautions import Caution
from tierwright.common.currency import exact_money, text_of
from tierwright.common.derivation import plain
from tierwright.common.wording import counted
from tierwright.evaluate.bill import (
    EXACT,
    BlockStorage,
    Line,
    Sum,
    Violation,
    bill_lines,
    bill_sum,
    block_storage,
    installed_ram_gib,
    machine_watts,
    months_to_break_even,
    stale_prices,
    violations,
)
from tierwright.evaluate.economics import HOURS_PER_MONTH
from tierwright.hardware.build import Build

NOT_INCLUDED = (
    "taxes, network traffic, support, rack space, people and the cost of money are not "
    "included"
)
"""What a bill leaves out unless it is an `extra` line."""


@dataclass(frozen=True, slots=True)
class Ram:
    """RAM of one machine. [GiB]"""

    installed_gib: Decimal | None
    reserved_gib: Decimal
    left_gib: Decimal | None


@dataclass(frozen=True, slots=True)
class Way:
    """One of two ways over the same months.

    Attributes
    ----------
    name : str
        Of the build.
    usd_per_month, purchase_usd, total_usd : Decimal
        Rent, purchase, and both over the horizon.
    """

    name: str
    usd_per_month: Decimal
    purchase_usd: Decimal
    total_usd: Decimal


@dataclass(frozen=True, kw_only=True)
class Bill(Answer):
    """A bill.

    Attributes
    ----------
    lines : tuple of Line
        Every charge; the sums are those of the printed lines.
    usd_per_month, purchase_usd : Decimal
    horizon_months : int
    total_usd : Decimal
        Purchase, and rent over the horizon.
    violations : tuple of Violation
        Named limits that the build breaks.
    unpriced : tuple of str
        Lines without a price: the sums are lower bounds where there are any.
    ram : Ram
    block_storage : BlockStorage or None
        What the instance lets the volumes do.
    ways : tuple of Way
        This build, and the one it is compared with where there is one.
    break_even_months : int or None
        Months after which the larger purchase has cost no more; None without comparison, never, or where a price is unknown.
    at_newest_purchase_usd : Decimal or None
        Purchase at the newest prices of the series; None where no series has a newer one.
    carbon : Carbon or None
        As a range between the factors that the CONFIG states; None where it states none.
    against : Bill or None
        The other bill.
    validity : str
    """

    chooses: ClassVar[bool] = False

    lines: tuple[Line, ...]
    usd_per_month: Decimal
    purchase_usd: Decimal
    horizon_months: int
    total_usd: Decimal
    violations: tuple[Violation, ...]
    unpriced: tuple[str, ...]
    ram: Ram
    block_storage: BlockStorage | None
    ways: tuple[Way, ...]
    break_even_months: int | None
    at_newest_purchase_usd: Decimal | None
    carbon: Carbon | None
    against: Bill | None
    validity: str

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Rent, purchase and total, and both ends of the carbon where it is counted."""
        return (
            Figure("usd_per_month", "Per month", self.usd_per_month, "USD/month"),
            Figure("purchase_usd", "At purchase", self.purchase_usd, "USD"),
            Figure(
                "total_usd",
                f"Over {counted(self.horizon_months, 'month')}",
                self.total_usd,
                "USD",
            ),
            *carbon_figures(self.carbon, self.horizon_months),
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; each price as the exact decimal that it is."""
        found = super().to_dict(derivation=derivation)
        found["lines"] = [
            {
                **plain(line),
                "unit_price": None
                if line.unit_price is None
                else text_of(line.unit_price),
            }
            for line in self.lines
        ]
        return found


def answer(build: Build) -> Bill:
    """Bill a build, and compare it with the other one that it names.

    Parameters
    ----------
    build : Build
        From `tierwright.hardware.build`.

    Returns
    -------
    Bill

    Examples
    --------
    >>> from tierwright.hardware.build import build_from_mapping
    >>> bill = answer(build_from_mapping({"server": "aws-i4i.4xlarge", "machines": 2}))
    >>> bill.usd_per_month
    Decimal('2004.58')
    """
    with localcontext(EXACT):
        return _answer(build)


def _answer(build: Build) -> Bill:
    lines = bill_lines(build)
    total = bill_sum(lines, build.horizon_months)
    broken = violations(build)
    other = None if build.against is None else _answer(build.against)
    stale = stale_prices(build, lines)
    ram, reserved = (
        installed_ram_gib(build),
        sum((gib for _, gib in build.reserved_ram), Decimal(0)),
    )
    ways = [_way(build, total)]
    if other is not None and build.against is not None:
        ways.append(_way(build.against, _sum_of(other)))
    unpriced = tuple(line.what for line in lines if line.unit_price is None)
    all_unpriced = unpriced if other is None else (*unpriced, *other.unpriced)
    months = None
    if other is not None and not all_unpriced:
        months = months_to_break_even(total, _sum_of(other))
    carbon = carbon_of(build)
    all_broken = broken if other is None else (*broken, *other.violations)
    return Bill(
        finding=_finding(
            build.horizon_months,
            ways,
            months,
            (unpriced,) if other is None else (unpriced, other.unpriced),
            all_broken,
        ),
        warnings=(
            *_cautions(build, lines, unpriced),
            *carbon_cautions(build, carbon),
        ),
        explain=lambda: (
            *_steps(lines, total, build.horizon_months),
            *carbon_steps(carbon),
        ),
        lines=lines,
        usd_per_month=total.usd_per_month,
        purchase_usd=total.purchase_usd,
        horizon_months=build.horizon_months,
        total_usd=total.total_usd,
        violations=broken,
        unpriced=unpriced,
        ram=Ram(ram, reserved, None if ram is None else ram - reserved),
        block_storage=block_storage(build),
        ways=tuple(ways),
        break_even_months=months,
        at_newest_purchase_usd=None if stale is None else stale.purchase_usd,
        carbon=carbon,
        against=other,
        validity=f"list prices at their dates, {HOURS_PER_MONTH} hours a month; "
        f"{NOT_INCLUDED}",
    )


def _sum_of(bill: Bill) -> Sum:
    return Sum(bill.usd_per_month, bill.purchase_usd, bill.total_usd)


def _way(build: Build, total: Sum) -> Way:
    name = build.name or (
        build.server.id
        if build.server is not None
        else "built from parts"
        if build.parts
        else "volumes"
        if build.volumes or build.object_stores
        else "other lines"
    )
    return Way(name, total.usd_per_month, total.purchase_usd, total.total_usd)


def _finding(
    horizon_months: int,
    ways: list[Way],
    months: int | None,
    unpriced: Sequence[tuple[str, ...]],
    broken: tuple[Violation, ...],
) -> str:
    """Say what the first way comes to, and the other beside it; `unpriced` lines of each."""
    horizon = counted(horizon_months, "month")
    this = ways[0]
    sums = (
        f"{exact_money(this.usd_per_month)} per month and "
        f"{exact_money(this.purchase_usd)} at purchase: "
        f"{exact_money(this.total_usd)} over {horizon}."
    )
    said = [f"At least {sums}" if unpriced[0] else sums]
    if len(ways) > 1:
        said.append(_comparison(ways, months, horizon, unpriced))
    missing = tuple(name for each in unpriced for name in each)
    if missing:
        said.append(
            "Sums that lack a price are lower bounds: "
            f"no price of {_listed(missing)} was found."
        )
    if broken:
        said.append(
            "Limits are exceeded: " + "; ".join(each.message for each in broken) + "."
        )
    return " ".join(said)


def _comparison(
    ways: list[Way],
    months: int | None,
    horizon: str,
    unpriced: Sequence[tuple[str, ...]],
) -> str:
    one, other = ways
    if any(unpriced):
        first, second = (
            f"{way.name} costs {'at least ' if lacking else ''}{exact_money(way.total_usd)}"
            for way, lacking in zip(ways, unpriced, strict=True)
        )
        return (
            f"Over {horizon} {first}, and {second}. "
            "When the purchase pays off could not be computed."
        )
    low, high = sorted(ways, key=lambda way: way.total_usd)
    if one.total_usd == other.total_usd:
        text = f"Over {horizon} {one.name} and {other.name} cost the same."
    else:
        text = (
            f"Over {horizon} {low.name} costs {exact_money(low.total_usd)} and "
            f"{high.name} {exact_money(high.total_usd)}."
        )
    if one.purchase_usd == other.purchase_usd:
        return text
    bought = max(ways, key=lambda way: way.purchase_usd)
    if months is None:
        return f"{text} The purchase for {bought.name} never pays off."
    return f"{text} The purchase for {bought.name} pays off from month {months:,} on."


def _listed(names: tuple[str, ...]) -> str:
    """Join names, the first few of many."""
    few = [f"`{name}`" for name in names[:4]]
    return ", ".join(few) + (
        f" and {len(names) - len(few):,} more" if len(names) > len(few) else ""
    )


def _steps(lines: tuple[Line, ...], total: Sum, months: int) -> Iterator[Step]:
    for line in lines:
        rent = line.usd_per_month != 0
        price = "unknown" if line.unit_price is None else text_of(line.unit_price)
        hours = f" x {HOURS_PER_MONTH} h" if line.unit == "USD/hour" else ""
        yield Step(
            line.what,
            f"{text_of(line.quantity)} x {price} {line.unit}{hours}, rounded to the cent",
            float(line.usd_per_month if rent else line.purchase_usd),
            "USD/month" if rent else "USD",
            line.source,
        )
    yield Step(
        "total",
        f"purchase + {counted(months, 'month')} x rent",
        float(total.total_usd),
        "USD",
        "sum of the lines",
    )


def _cautions(
    build: Build, lines: tuple[Line, ...], unpriced: tuple[str, ...]
) -> Iterator[Caution]:
    if unpriced:
        yield Caution(
            "lines_without_price",
            f"no price of {_listed(unpriced)} was found, and the sums leave it out",
            "state `usd` of the part in the CONFIG, or choose another",
        )
    yield from _about_server(build)
    yield from _about_volumes(build)
    yield from _about_parts(build)
    regions = {build.server.region} if build.server is not None else set()
    regions |= {item.volume.region for item in build.volumes}
    regions |= {item.volume.region for item in build.object_stores}
    if len(regions) > 1:
        yield Caution(
            "prices_of_different_regions",
            f"the prices are from {', '.join(sorted(regions))}",
            "check the prices in your region",
        )
    yield from _about_dates(build, lines)


def _about_server(build: Build) -> Iterator[Caution]:
    server = build.server
    if server is None:
        return
    if server.local_nvme_gb:
        yield Caution(
            "local_disks_are_ephemeral",
            f"the {server.local_nvme_gb.normalize():,f} GB of local disks of `{server.id}` lose "
            "their content when the instance stops or its host fails",
            "use them as a cache and count the refill, or keep replicas and count them",
        )
    storage = block_storage(build)
    if storage is not None and not server.states_sustained:
        yield limit_unknown(server.id)
    yield from volumes_exceed(storage, server.id)


def _about_volumes(build: Build) -> Iterator[Caution]:
    for item in build.volumes:
        volume = item.volume
        if volume.usd_per_million_io is not None and item.io_per_month is None:
            yield Caution(
                "operations_not_counted",
                f"`{volume.id}` charges each operation, and their number is not stated",
                "state `io_per_month` of the volume",
            )
        if volume.unpriced_charge:
            yield Caution(
                "operations_not_priced",
                f"`{volume.id}` charges {volume.unpriced_charge}, and no price was found",
                "add an `extra` line for them",
            )
        if volume.kind == "local":
            yield Caution(
                "local_disks_are_ephemeral",
                f"`{volume.id}` loses its content when the instance stops or its host fails",
                "use it as a cache and count the refill, or keep replicas and count them",
            )
    for store in build.object_stores:
        charged = store.volume.usd_per_gb_retrieved
        if charged and store.reads_per_month and store.retrieved_gb_per_month is None:
            yield Caution(
                "retrieval_not_counted",
                f"`{store.volume.id}` charges data read, and its amount is not stated",
                "state `retrieved_gb_per_month` of the object store",
            )
        fee = store.volume.usd_per_gb_uploaded
        if fee and store.writes_per_month and store.uploaded_gb_per_month is None:
            yield Caution(
                "upload_not_counted",
                f"`{store.volume.id}` charges data written, and its amount is not stated",
                "state `uploaded_gb_per_month` of the object store",
            )


def _about_parts(build: Build) -> Iterator[Caution]:
    for item in build.parts:
        if item.written_tb_per_year and item.rated_tb is None:
            yield Caution(
                "endurance_unknown",
                f"no source states the endurance of `{item.part.id}`, so replacements are "
                "not counted",
                "state `rated_tb` of the part",
            )
    if not build.parts:
        return
    if not any(item.part.kind == "chassis" for item in build.parts):
        yield Caution(
            "no_chassis",
            "no chassis is listed, so slots, bays and power supplies are not checked",
            "add the chassis as a `part`",
        )
    watts, unknown = machine_watts(build)
    if build.usd_per_kwh is None:
        yield Caution(
            "power_not_counted",
            "electricity is not counted: no price of it is stated",
            "state `usd_per_kwh` and `watts` under `power`",
        )
    elif unknown or watts is None:
        yield Caution(
            "power_incomplete",
            f"no source states the power of {_listed(unknown)}, and electricity leaves it out",
            "state the `watts` of a machine under `power`",
        )


def _about_dates(build: Build, lines: tuple[Line, ...]) -> Iterator[Caution]:
    stale = stale_prices(build, lines)
    if stale is None:
        return
    old, new = stale.oldest, stale.newest
    if old.date == new.date and stale.newer:
        line, point = stale.newer[0]
        message = (
            f"the price of {line.what} is from {line.date}; its series has one from "
            f"{point.date}"
        )
    else:
        message = (
            f"the price of {old.what} is from {old.date}, the price of {new.what} from "
            f"{new.date}"
        )
    effect = "No joinable series of prices has a newer price of these lines."
    if stale.purchase_usd is not None:
        before = sum((line.purchase_usd for line in lines), Decimal(0))
        effect = (
            f"At the newest prices of their series the purchase is "
            f"{exact_money(stale.purchase_usd)} instead of {exact_money(before)}."
        )
    yield Caution(
        "prices_of_different_dates",
        message,
        "get prices of one date, or state your own with `usd` and `date`",
        effect=effect,
    )
