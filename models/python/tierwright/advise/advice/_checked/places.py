"""Where the recording is replayed for the sizes of an option, or why no replay of it stands for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import SchemeAt
from tierwright.common.cautions import Caution
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.page_flow.decision import (
    ReplayPoint,
    recorded_point,
    warm_up_of,
)
from tierwright.evaluate.scale.replays import (
    FILL,
    MOST_HELD,
    ReplaySizes,
    recorded_accesses,
    unfilled,
)
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled

_ROUNDING = 1e-6
"""Of sizes that are divided by a number of machines. [pages]"""


@dataclass(frozen=True, slots=True)
class Planned:
    """What has to be replayed for the finalists.

    Attributes
    ----------
    replays : dict of int to SchemeAt
        By option: scheme, and where the recording is replayed for it.
    refused : dict of int to str
        By option: why it is not replayed.
    """

    replays: dict[int, SchemeAt]
    refused: dict[int, str]

    @classmethod
    def of(cls, table: Table, finalists: Sequence[int]) -> Planned:
        """Find the sizes of the recording that correspond to each finalist.

        Parameters
        ----------
        table : Table
            Of the options.
        finalists : sequence of int
            Options.
        """
        curve = table.setting.curve
        replays: dict[int, SchemeAt] = {}
        refused: dict[int, str] = {}
        for at in finalists:
            scheme = table.scheme(at)
            refusal = refusal_of(curve, scheme, asked_point(table, at))
            if refusal is not None:
                refused[at] = f"{refusal.message}."
                continue
            of_one, machines = machine_point(table, at)
            replays[at] = scheme, _recorded(curve, scheme, of_one, machines)
        return cls(replays, refused)


def asked_point(table: Table, at: int) -> ReplayPoint:
    """Return the sizes of an option, from where a replay of its workload counts."""
    curve, options = table.setting.curve, table.options
    scaled = curve.scaled
    accesses = curve.accesses if scaled is None else recorded_accesses(scaled)
    return ReplayPoint(
        int(options.ram_pages[at]),
        int(options.flash_pages[at]),
        warm_up_of(curve.start, accesses),
    )


def machine_point(table: Table, at: int) -> tuple[ReplayPoint, int]:
    """Return the same with the whole pages of one machine of the option, and how many machines it has.

    Those of one of production's, which may be fewer or more, need not be whole.
    """
    ram, flash = map(int, machine_pages(table, at))
    point = replace(asked_point(table, at), ram_pages=ram, flash_pages=flash)
    return point, int(table.options.machines[at])


def machine_pages(table: Table, at: int) -> tuple[float, float]:
    """RAM and flash of one machine of an option; options list those of one of production's. [pages]"""
    options = table.options
    share = int(options.machines[at]) / table.setting.machines
    return (
        exact(float(options.ram_pages[at]) / share),
        exact(float(options.flash_pages[at]) / share),
    )


def exact(pages: float) -> float:
    """Undo what dividing by a number of machines and multiplying by it again leaves of a whole number."""
    whole = round(pages)
    return float(whole) if abs(pages - whole) < _ROUNDING else pages


def _of_machines(scaled: Scaled | None, machines: int | None) -> Scaled | None:
    """Return how sizes of one of so many machines were scaled; of one of production where `machines` is None."""
    if scaled is None or machines is None:
        return scaled
    return scaled.with_sizes_of(machines)


def _recorded(
    curve: Curve, name: str, asked: ReplayPoint, machines: int | None
) -> ReplayPoint:
    """Return the sizes of the recording that stand for those of a machine, which are rounded here and nowhere before."""
    if curve.scaled is None:
        # It is of all that is served, as by one machine.
        of = 1 if machines is None else machines
        return replace(
            asked, ram_pages=asked.ram_pages * of, flash_pages=asked.flash_pages * of
        )
    return recorded_point(asked, name, _of_machines(curve.scaled, machines))


def _refusing_sizes(
    curve: Curve, name: str, asked: ReplayPoint, machines: int | None
) -> ReplaySizes | None:
    """Return the sizes of a replay that does not stand for those of a machine; None where it does."""
    scaled = _of_machines(curve.scaled, machines)
    if scaled is None:
        return None
    point = recorded_point(asked, name, scaled)
    sizes = ReplaySizes.of(
        scaled,
        [
            (
                (asked.ram_pages, asked.flash_pages),
                (point.ram_pages, point.flash_pages),
            )
        ],
        steady=curve.start == "steady",
    )
    return sizes if sizes is not None and sizes.refuses else None


def refusal_of(
    curve: Curve, name: str, asked: ReplayPoint, machines: int | None = None
) -> Caution | None:
    """Say why no replay of the recording stands for some sizes, and what to do; None where one does.

    RAM alone is replayed whatever it holds: see `as_shown`. Sizes are of one of so many machines, or of one of production.
    """
    refusing = _refusing_sizes(curve, name, asked, machines)
    if refusing is not None:
        return refusing.caution
    said = _unfilled(curve, name, asked, machines) if asked.flash_pages else ""
    return Caution("replay_too_small", said.removesuffix("."), FILL) if said else None


def _unfilled(
    curve: Curve, name: str, asked: ReplayPoint, machines: int | None = None
) -> str:
    """Say that the recording does not fill the caches of these sizes; empty where it does."""
    if curve.start != "steady":
        return ""
    held = held_share(curve, name, asked, machines)
    if held < MOST_HELD:
        return ""
    where = "" if curve.scaled is None else "at the recorded sizes that correspond"
    return unfilled(held, "RAM and flash" if asked.flash_pages else "RAM", where)


def held_share(
    curve: Curve, name: str, asked: ReplayPoint, machines: int | None = None
) -> float:
    """Share of the pages of the recording that RAM and flash hold at the recorded sizes that correspond. [1]"""
    scaled = curve.scaled
    pages = curve.distinct_pages if scaled is None else scaled.recorded_pages
    point = _recorded(curve, name, asked, machines)
    return (point.ram_pages + point.flash_pages) / max(1, pages)


def unfilled_by(table: Table, at: int) -> str:
    """Say that the recording does not fill the RAM of an option without flash that caches; empty where it does."""
    point = asked_point(table, at)
    if point.flash_pages:
        return ""
    return _unfilled(table.setting.curve, table.scheme(at), point)


def point_of(
    curve: Curve, name: str, asked: ReplayPoint, machines: int | None = None
) -> ReplayPoint | str:
    """Return where the recording is replayed for sizes of a machine, or why it stands for none of them.

    Parameters
    ----------
    curve : Curve
        Of the workload.
    name : str
        Of the scheme or flash cache.
    asked : ReplayPoint
        [pages]
    machines : int, optional
        Of one of so many machines the sizes are; without it of one of those that production states.
    """
    refused = refusal_of(curve, name, asked, machines)
    if refused is not None:
        return f"{refused.message}."
    return _recorded(curve, name, asked, machines)


def can_be_replayed(table: Table, rows: IntArray) -> list[int]:
    """Return those of some options whose recording is large enough for a replay."""
    return list(Planned.of(table, rows.tolist()).replays)


def has_recording(curve: Curve) -> bool:
    """Whether there is a recording whose sizes correspond: a curve alone has none, and what an earlier version scaled keeps no sizes of it."""
    if curve.given is not None:
        return False
    return curve.scaled is None or curve.scaled.recorded_accesses is not None
