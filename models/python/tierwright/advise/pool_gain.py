"""How much the split gains as writes get dearer, and from which asymmetry on.

Source: On et al. (CIKM 2010), sections 3 and 5: costs are linear in R for a given split, so a few
replays price every R.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tierwright.advise.in_production import BufferInProduction
from tierwright.advise.pool_split_effects import weigher
from tierwright.advise.pool_survey import (
    SplitSurvey,
    SurveyGain,
    device_asymmetry,
    survey,
)
from tierwright.common.answer import Answer, Figure
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution, Effect, Weigh
from tierwright.common.checks import broadcast
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.page_flow.decision import about_sizes, check_belongs
from tierwright.evaluate.pool_split.costs import (
    break_even_asymmetry,
    check_asymmetry,
    gain,
    window_io_time,
)
from tierwright.evaluate.pool_split.counts import (
    BASELINE_TITLES,
    BASELINES,
    DEFAULT_ESTIMATOR,
    VALIDITY,
    all_writes,
    check_request,
)
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import two_stack
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, Trace

PAPER_ASYMMETRIES = {
    "hard disk": 1.1,
    "Intel X25-M": 5.8,
    "Mtron": 39.6,
    "Kingston SD card": 121.3,
}
"""R of the paper's devices (section 5.1). [1]"""
DEFAULT_ASYMMETRIES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The paper's range. [1]"""


@dataclass(frozen=True, kw_only=True)
class PoolGain(Answer):
    """Split and gain by asymmetry; arrays of shape (len(asymmetry),).

    Attributes
    ----------
    pages : int
        M. [pages]
    asymmetry : float64 array
        R, rising. [1]
    estimator, distance : str
        Which estimate chose the splits.
    validity : str
        Where it holds.
    clean_pages : int64 array
        M_c of least estimated cost at each R. [pages]
    estimated, simulated : float64 array
        Cost of that split: estimate, replay by `replayed_cost`. [page reads per access]
    best_clean_pages : int64 array
        Replayed split of least cost at each R: a replay goes before an estimate. [pages]
    best_simulated : float64 array
        Its replayed cost. [page reads per access]
    baselines : dict of str to float64 array
        Replayed costs of `lru` and `cflru`. [page reads per access]
    gain_over : dict of str to float64 array
        1 - best_simulated / baseline; negative where the baseline is cheaper. [1]
    break_even : dict of str to float or None
        Least R from which on a replayed split costs no more than the baseline: 0 where one
        never costs more, None where none writes less. [1]
    break_even_below : dict of str to float or None
        Largest R up to which one does: infinite where one never costs more (null as JSON, where
        `break_even` is 0), None where none reads less. [1]
    counters : dict
        What was counted: reads, writes, and pages left dirty at the end, of the baselines and
        of each split by its M_c.
    production : BufferInProduction or None
        Where the buffer stands for one of production, that one: `pages`, splits and counts are of the replay.
    """

    pages: int
    asymmetry: FloatArray
    estimator: str
    distance: str
    clean_pages: np.typing.NDArray[np.int64]
    estimated: FloatArray
    simulated: FloatArray
    best_clean_pages: np.typing.NDArray[np.int64]
    best_simulated: FloatArray
    baselines: dict[str, FloatArray]
    gain_over: dict[str, FloatArray]
    break_even: dict[str, float | None]
    break_even_below: dict[str, float | None]
    counters: dict[str, dict[str, int]]
    validity: str
    production: BufferInProduction | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """From which R on a split pays, and what it saves at the largest."""
        last = len(self.asymmetry) - 1
        return tuple(
            figure
            for name, title in BASELINE_TITLES.items()
            for figure in (
                Figure(
                    f"break_even_{name}",
                    f"Least R at which a split costs no more than {title}",
                    self.break_even[name],
                    "1",
                ),
                Figure(
                    f"gain_over_{name}",
                    f"Share saved over {title} at R = {self.asymmetry[last]:g}",
                    float(self.gain_over[name][last]),
                    "1",
                ),
            )
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON, columnar."""
        found = {
            "finding": self.finding,
            "pages": self.pages,
            "asymmetry": self.asymmetry.tolist(),
            "estimator": self.estimator,
            "distance": self.distance,
            "clean_pages": self.clean_pages.tolist(),
            "estimated": self.estimated.tolist(),
            "simulated": self.simulated.tolist(),
            "best_clean_pages": self.best_clean_pages.tolist(),
            "best_simulated": self.best_simulated.tolist(),
            "baselines": {name: cost.tolist() for name, cost in self.baselines.items()},
            "gain_over": {name: gain.tolist() for name, gain in self.gain_over.items()},
            "break_even": self.break_even,
            "break_even_below": {
                name: None if ratio == math.inf else ratio
                for name, ratio in self.break_even_below.items()
            },
            "counters": self.counters,
            "validity": self.validity,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
            "cautions": plain(list(self.cautions)),
        }
        if self.production is not None:
            found["production"] = {
                **self.production.to_dict(),
                "best_clean_pages": self.production_clean_pages,
                "best_page_reads_per_s": (
                    self.best_simulated * self.production.accesses_per_s
                ).tolist(),
            }
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found

    @property
    def production_clean_pages(self) -> list[int]:
        """Clean pages of production for each of `best_clean_pages`; empty where sizes are of the trace. [pages]"""
        buffer = self.production
        if buffer is None:
            return []
        return [buffer.clean_pages(clean) for clean in self.best_clean_pages.tolist()]


def answer(
    trace: Trace,
    pages: int,
    asymmetries: Sequence[float] = DEFAULT_ASYMMETRIES,
    *,
    estimator: str = DEFAULT_ESTIMATOR,
    distance: str = "raw",
    group_pages: int = 64,
    production: Curve | None = None,
    on_progress: OnProgress | None = None,
) -> PoolGain:
    """Say what the best replayed split saves at each R.

    One survey, as `survey` makes it, with the split that the estimator chooses at each R
    replayed as well; the costs of a replay are linear in R.

    Parameters
    ----------
    trace : Trace
        With accesses.
    pages : int
        M, at least 2. [pages]
    asymmetries : sequence of float
        R, above 0, rising. [1]
    estimator, distance, group_pages, production
        As in `pool_split.answer`.
    on_progress : callable, optional
        Called once per chunk of each pass; False cancels.

    Returns
    -------
    PoolGain

    Raises
    ------
    BadInput
        If a number or a name is out of its domain, or the trace is empty.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    ratios = np.asarray(list(asymmetries), dtype=np.float64)
    problems = Problems("gain by asymmetry", "give rising R, such as 1, 8, 32")
    rising = ratios.ndim == 1 and ratios.size > 0 and bool(np.all(np.diff(ratios) > 0))
    problems.check(rising, "asymmetries", list(asymmetries), "must rise")
    problems.raise_if_any()
    check_asymmetry(ratios)
    check_request(pages, float(ratios[0]), estimator, distance)
    buffer = None if production is None else BufferInProduction.of(production, pages)
    pages = pages if buffer is None else buffer.replayed_pages
    counted = two_stack(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        on_progress=on_progress,
    )
    if counted["accesses"] == 0:
        raise BadInput("the trace has no accesses, so no cost", "use a trace with data")
    if production is not None:
        check_belongs(production, counted, str(trace.path))

    def phase(_: str) -> AbstractContextManager[OnProgress | None]:
        return nullcontext(on_progress)

    found = survey(
        trace,
        pages,
        distance=distance,
        group_pages=group_pages,
        asymmetries=ratios.tolist(),
        estimator=estimator,
        counted=counted,
        phase=phase,
    )
    priced = [found.at(ratio, estimator=estimator) for ratio in ratios.tolist()]
    best = np.asarray([each.best_cost for each in priced])
    baselines = {
        name: np.asarray([each.baselines[name] for each in priced])
        for name in BASELINES
    }
    whole = [_whole(row) for row in found.splits.values()]
    since = {
        name: least_asymmetry(_whole(found.baselines[name]), whole)
        for name in BASELINES
    }
    up_to = {
        name: most_asymmetry(_whole(found.baselines[name]), whole) for name in BASELINES
    }
    return PoolGain(
        finding=" ".join(
            from_where(name.upper(), up_to[name], since[name]) for name in BASELINES
        ),
        pages=pages,
        asymmetry=ratios,
        estimator=estimator,
        distance=distance,
        clean_pages=np.asarray(
            [each.estimated_clean_pages for each in priced], dtype=np.int64
        ),
        estimated=np.asarray([each.estimates[estimator] for each in priced]),
        simulated=np.asarray(
            [
                found.cost(found.splits[each.estimated_clean_pages], each.asymmetry)
                for each in priced
            ]
        ),
        best_clean_pages=np.asarray(
            [each.best_clean_pages for each in priced], dtype=np.int64
        ),
        best_simulated=best,
        baselines=baselines,
        gain_over={
            name: np.asarray(
                [gain(one, other) or 0.0 for one, other in zip(best, base, strict=True)]
            )
            for name, base in baselines.items()
        },
        break_even=since,
        break_even_below=up_to,
        counters={
            **{name: _counts(row) for name, row in found.baselines.items()},
            **{str(split): _counts(row) for split, row in found.splits.items()},
        },
        validity=VALIDITY,
        weigh=_weigher(
            found,
            ratios.tolist(),
            skipped_records=ReaderNotes.of(counted["trace"]).skipped_records,
        ),
        production=buffer,
        warnings=(
            *about_sizes(None if buffer is None else buffer.replayed_at),
            *about_trace(ReaderNotes.of(counted["trace"])),
            *_cautions(ratios, counted),
        ),
    )


def _weigher(
    survey: SplitSurvey, asymmetries: Sequence[float], *, skipped_records: int
) -> Weigh:
    """Return what weighs a caution at each R, and says where it could change most."""
    each = [
        (ratio, weigher(survey, ratio, skipped_records=skipped_records))
        for ratio in asymmetries
    ]

    def weigh(caution: Caution) -> Effect:
        found = [(ratio, own(caution)) for ratio, own in each]
        ratio, most = max(
            found, key=lambda one: (one[1].could_change_choice is True, one[1].size)
        )
        if len({one.text for _, one in found}) == 1:
            return most
        return replace(most, text=f"at R = {ratio:g}, {most.text}")

    return weigh


GAIN_ASYMMETRIES = tuple(2.0 ** (step / 8) for step in range(8 * 9 + 1))
"""R = 1 ... 512 in eighths of an octave."""
LEAST_R, LARGEST_R = GAIN_ASYMMETRIES[0], GAIN_ASYMMETRIES[-1]
USUAL_R = 8.0
"""Of a device that states none."""


@dataclass(frozen=True, slots=True)
class DeviceGain:
    """A buffer on one device, and where its R is from."""

    device: Device
    asymmetry_basis: str
    gain: SurveyGain


@dataclass(frozen=True, slots=True)
class DeviceGains:
    """What splitting a buffer saves on devices.

    Attributes
    ----------
    rows : tuple of DeviceGain
        The largest asymmetry first.
    without : int
        Block devices that state no asymmetry.
    """

    rows: tuple[DeviceGain, ...]
    without: int


def on_devices(found: SplitSurvey, devices: Iterable[Device]) -> DeviceGains:
    """Price a survey on each device at its own asymmetry; rented instances are no devices."""
    own = [device for device in devices if device.sold_as == "device"]
    known = [
        (device, *stated)
        for device in own
        if (stated := stated_asymmetry(device, found.page_bytes)) is not None
    ]
    known.sort(key=lambda row: (-row[1], row[0].name))
    gains = found.gains([asymmetry for _, asymmetry, _ in known])
    block_devices = sum(device.kind != "dram" for device in own)
    return DeviceGains(
        tuple(
            DeviceGain(device, basis, row)
            for (device, _, basis), row in zip(known, gains, strict=True)
        ),
        block_devices - len(known),
    )


def stated_asymmetry(device: Device, page_bytes: int) -> tuple[float, str] | None:
    """Return R and its basis; a rented instance is not ranked as a device."""
    return device_asymmetry(device, page_bytes) if device.sold_as == "device" else None


def usual_asymmetry(device: Device, page_bytes: int) -> float:
    """Return R of a device within `LEAST_R` and `LARGEST_R`, `USUAL_R` where the device states none. [1]"""
    known = stated_asymmetry(device, page_bytes)
    return USUAL_R if known is None else min(max(known[0], LEAST_R), LARGEST_R)


def from_where(title: str, up_to: float | None, since: float | None) -> str:
    """Say at which R a replayed split costs no more than a baseline."""
    if up_to is None and since is None:
        return f"No replayed split costs as little as {title} at any R."
    if since is None:
        return f"A replayed split costs no more than {title} up to R = {up_to:.3g}."
    if since == 0 or (up_to is not None and since <= up_to):
        return f"A replayed split costs no more than {title} at any R."
    if up_to is None:
        return f"A replayed split costs no more than {title} from R = {since:.3g} on."
    return (
        f"A replayed split costs no more than {title} up to R = {up_to:.3g}, and from "
        f"R = {since:.3g} on."
    )


def least_asymmetry(
    baseline: Mapping[str, int], splits: Sequence[Mapping[str, int]]
) -> float | None:
    """Least R from which one of the splits costs no more than the baseline. [1]

    Parameters
    ----------
    baseline : mapping
        `reads` and `writes` that it counted.
    splits : sequence of mapping
        The same of each split, over the same accesses.

    Returns
    -------
    float or None
        0 where a split never costs more; None where none writes less, so that there is no
        such R.

    Examples
    --------
    >>> least_asymmetry({"reads": 6, "writes": 2}, [{"reads": 8, "writes": 1}])
    2.0
    """
    found = []
    for split in splits:
        if (
            split["reads"] <= baseline["reads"]
            and split["writes"] <= baseline["writes"]
        ):
            return 0.0
        if split["writes"] < baseline["writes"]:
            even = break_even_asymmetry(
                baseline["reads"], baseline["writes"], split["reads"], split["writes"]
            )
            found.append(math.inf if even is None else even)
    return min(found, default=None)


def most_asymmetry(
    baseline: Mapping[str, int], splits: Sequence[Mapping[str, int]]
) -> float | None:
    """Largest R up to which one of the splits that reads less costs no more than the baseline. [1]

    Below it and from `least_asymmetry` on a split is at least as cheap, between the two none is.

    Parameters
    ----------
    baseline, splits
        As for `least_asymmetry`.

    Returns
    -------
    float or None
        Infinite where a split never costs more; None where none reads less.

    Examples
    --------
    >>> most_asymmetry({"reads": 8, "writes": 1}, [{"reads": 6, "writes": 2}])
    2.0
    """
    found = []
    for split in splits:
        fewer_reads = baseline["reads"] - split["reads"]
        more_writes = split["writes"] - baseline["writes"]
        if fewer_reads >= 0 and more_writes <= 0:
            return math.inf
        if fewer_reads > 0:
            found.append(fewer_reads / more_writes)
    return max(found, default=None)


def window_accesses(
    estimation_s: float, overhead_ratio: float, *, cost: float, read_s: float
) -> int:
    """Return the least accesses whose I/O takes Comp / g: one advisor window. [accesses]

    Parameters
    ----------
    estimation_s : float
        Comp, time of one estimation. [s]
    overhead_ratio : float
        g, largest share of the I/O time that estimations may take. [1]
    cost : float
        Expected cost per access. [page reads]
    read_s : float
        C_read, time of one page read. [s]

    Raises
    ------
    BadInput
        If a number is out of its domain, or an access costs nothing.

    Examples
    --------
    >>> window_accesses(0.9, 0.03, cost=1.5, read_s=0.0002)
    100000
    """
    io_s = window_io_time(estimation_s, overhead_ratio)
    broadcast("window", amounts={"cost": cost, "read_s": read_s})
    if cost * read_s == 0:
        raise BadInput(
            f"window: an access of `{cost}` reads of `{read_s}` s takes no time, so no window "
            "is long enough",
            "keep the split: without I/O there is nothing to gain",
        )
    # The quotient may carry the last bit of a rounding above a whole number.
    return max(1, math.ceil(round(io_s / (cost * read_s), 6)))


def _counts(row: Mapping[str, int]) -> dict[str, int]:
    return {name: row[name] for name in ("reads", "writes", "dirty_left")}


def _whole(row: Mapping[str, int]) -> dict[str, int]:
    """Add the writes of pages left dirty: none is free for being put off."""
    return {"reads": row["reads"], "writes": all_writes(row)}


def _cautions(asymmetries: FloatArray, found: Mapping[str, Any]) -> Iterator[Caution]:
    if asymmetries[0] < 1:
        yield Caution(
            "asymmetry_below_1",
            f"R = {asymmetries[0]:g}: writes are cheaper than reads, which the model "
            "was not made for",
            "set R to the cost of a page write divided by the cost of a page read",
        )
    if found["write_accesses"] == 0:
        yield Caution(
            "no_writes",
            "no access is a write, so R has no effect and a split only reduces the "
            "room for reads",
            "use a trace that records writes; see has_writes in [[the formats]]",
        )
