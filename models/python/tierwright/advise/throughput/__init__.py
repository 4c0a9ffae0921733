"""How many transactions clients get through, and how long they wait, under each scheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.advise.throughput import words
from tierwright.advise.throughput.effects import effects
from tierwright.advise.throughput.steps import steps
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.cautions import Weigh
from tierwright.common.derivation import plain
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.page_flow.other_ends import Situation
from tierwright.evaluate.throughput.schemes import (
    Setting,
    ThroughputStudy,
    scheme_throughput,
)
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

USUAL_POINTS = 64
REACH = {"disks": 64, "flash_devices": 16, "flash_pages": 64}
"""How far around the present value the usual points go, as a factor."""
FAR_CLIENTS = 10_000
"""Clients beyond which the usual points show none but the present ones: each costs a step."""
TIME_BASIS = (
    "Demands are busy times, 1/IOPS of the devices: how long a transaction "
    "keeps a device from others. The response time adds waiting in the queues "
    "and, where a device states its latency, what each I/O takes beyond its "
    "busy time."
)


@dataclass(frozen=True, kw_only=True)
class Throughput(Answer):
    """Throughput and response time of every scheme over what is varied.

    Where the dirty share is unknown, `study` is with as many dirty pages as possible, and `least`
    with none.

    Attributes
    ----------
    sentence : str
        How long clients wait, and what more of them would add.
    close_sentence : str
        What the model leaves open; empty where the lead is clear.
    study : ThroughputStudy
        Every scheme at every point.
    least : ThroughputStudy or None
        The other end of an unknown dirty share.
    at : int
        Index of the present value among the points.
    best : tuple of (str or None)
        Scheme of most throughput at each point; None where that depends on the dirty share.
    best_at_least, best_at_most : str
        The same at the present value, at the ends of an unknown dirty share.
    contenders : tuple of str
        Schemes that the model cannot tell apart at the present value: a replay decides.
    estimator, validity : str
        What was used and where it holds.
    time_basis : str
        What a time is.
    """

    sentence: str
    close_sentence: str
    study: ThroughputStudy = field(repr=False)
    least: ThroughputStudy | None = field(repr=False)
    at: int
    best: tuple[str | None, ...]
    best_at_least: str
    best_at_most: str
    contenders: tuple[str, ...]
    estimator: str
    validity: str
    time_basis: str = TIME_BASIS

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON: the words, and every scheme at every point."""
        found: dict[str, Any] = {
            "finding": self.finding,
            "sentence": self.sentence,
            "close_sentence": self.close_sentence,
            "numbers": plain(list(self.figures)),
            **self.study.to_dict(),
            "least": None if self.least is None else self.least.to_dict(),
            "at": self.at,
            "best": list(self.best),
            "contenders": list(self.contenders),
            "time_basis": self.time_basis,
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        found.pop("derivation", None)
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Throughput and response time of each scheme at the present value."""
        titles = scheme_titles()
        return tuple(
            figure
            for name, found in self.study.schemes.items()
            for figure in (
                Figure(
                    f"{name}_throughput_per_s",
                    f"Throughput under {titles[name]}",
                    float(found.throughput_per_s[self.at]),
                    "transactions/s",
                ),
                Figure(
                    f"{name}_response_s",
                    f"Response time under {titles[name]}",
                    float(found.response_s[self.at]),
                    "s",
                ),
            )
        )


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    setting: Setting,
    vary: str = "clients",
    points: Sequence[int] | None = None,
    flash_metadata: MetadataPreset | None = None,
) -> Throughput:
    """Say how many transactions the clients get through under each scheme.

    Parameters
    ----------
    curve : Curve
        Of the workload; where its dirty share is unknown, the answer holds both ends.
    ram_pages, flash_pages : int
        r and f. [pages]
    flash, disk : Device
        Of the two lower tiers.
    setting : Setting
        Clients, devices, think time.
    vary : str
        `clients`, `disks`, `flash_devices` or `flash_pages`.
    points : sequence of int, optional
        Its values, to which the present one is added; unless given, `usual_points`.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.

    Raises
    ------
    BadInput
        As `scheme_throughput`.
    """
    present = flash_pages if vary == "flash_pages" else int(getattr(setting, vary, 1))
    usual = points or _of_evidence(curve, vary, ram_pages, usual_points(vary, present))
    listed = sorted({*usual, present})
    for each in {flash_pages, *(listed if vary == "flash_pages" else ())}:
        check_evidence("throughput", curve, ram_pages, each)

    def study(of: Curve) -> ThroughputStudy:
        return scheme_throughput(
            of,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            flash=flash,
            disk=disk,
            setting=setting,
            vary=vary,
            points=listed,
            flash_metadata=flash_metadata,
        )

    at = listed.index(present)

    def weigh_of(of: Curve, found: ThroughputStudy, best: str | None = None) -> Weigh:
        return weigh_point(
            found,
            at,
            of,
            flash,
            disk,
            setting=setting,
            flash_metadata=flash_metadata,
            best=best,
        )

    if curve.write_backs_at is not None:
        found = study(curve)
        return of_study(
            found, setting, at, disk_name=disk.name, weigh=weigh_of(curve, found)
        )
    few, many = dirty_ends(curve)
    least, most = study(few), study(many)
    one, two = words.leading_ends(least, most, at)
    return of_study(
        most,
        setting,
        at,
        disk_name=disk.name,
        least=least,
        weigh=weigh_of(many, most, two if one == two else None),
    )


def weigh_point(
    study: ThroughputStudy,
    at: int,
    curve: Curve,
    flash: Device,
    disk: Device,
    *,
    setting: Setting,
    flash_metadata: MetadataPreset | None = None,
    best: str | None = None,
) -> Weigh:
    """Return what computes the effect of a caution at one point of a study.

    Parameters
    ----------
    study : ThroughputStudy
        Of `curve` on these devices.
    at : int
        Index among its points.
    curve : Curve
        With write-backs.
    flash, disk : Device
        Of the two lower tiers.
    setting : Setting
        What the study was made with.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.
    best : str, optional
        Scheme that leads at both ends of an unknown dirty share; that of the study unless given.
    """
    r, f = int(study.inputs["ram_pages"]), int(study.inputs["flash_pages"])
    value, left = int(study.points[at]), float(study.inputs["ram_pages_left"][at])
    if study.varied == "flash_pages":
        f = value
    setting = present_setting(study, at, setting)
    return effects(
        Situation(curve, flash, disk, (r, f, r + f, left, left + f)),
        best or study.best[at],
        setting=setting,
        ram_pages=r,
        flash_pages=f,
        flash_metadata=flash_metadata,
    )


def present_setting(study: ThroughputStudy, at: int, setting: Setting) -> Setting:
    """Return the setting of one point of a study: with its value of what is varied.

    Parameters
    ----------
    study : ThroughputStudy
        Over the points.
    at : int
        Index among them.
    setting : Setting
        What the study was made with.
    """
    if study.varied == "flash_pages":
        return setting
    return replace(setting, **{study.varied: int(study.points[at])})


def _of_evidence(
    curve: Curve, vary: str, ram_pages: int, points: Sequence[int]
) -> Sequence[int]:
    """Leave out sizes of flash that a curve from counters does not speak of."""
    evidence = curve.evidence
    if evidence is None or vary != "flash_pages":
        return points
    return [each for each in points if ram_pages + each <= evidence.valid_to]


def usual_points(vary: str, present: int) -> list[int]:
    """Whole numbers at even logarithmic steps, the present value among them."""
    if vary == "clients":
        low, high = 1, max(2, present, min(2 * present, FAR_CLIENTS))
    elif vary == "flash_pages":
        low, high = max(1, present // REACH[vary]), max(2, 4 * present)
    else:
        low, high = max(1, present // REACH[vary]), max(4, REACH[vary] * present)
    found = np.unique(np.round(np.geomspace(low, high, USUAL_POINTS)).astype(np.int64))
    return [int(value) for value in found]


def of_study(
    study: ThroughputStudy,
    setting: Setting,
    at: int,
    *,
    disk_name: str,
    least: ThroughputStudy | None = None,
    weigh: Weigh | None = None,
) -> Throughput:
    """Put a study into words at one of its points.

    Parameters
    ----------
    study : ThroughputStudy
        Of known dirty share, or of as many dirty pages as possible.
    setting : Setting
        What it was made with.
    at : int
        Index among its points.
    disk_name : str
        Of the device behind flash, for people.
    least : ThroughputStudy, optional
        The same with no dirty page.
    weigh : callable, optional
        Computes what a caution could change there, as `weigh_point` makes it.
    """
    other = study if least is None else least
    clients = int(study.points[at]) if study.varied == "clients" else setting.clients
    few, many = words.leading_ends(other, study, at)

    def explain() -> Iterator[Step]:
        if least is not None:
            yield ONE_END
        yield from steps(setting, study, at)

    return Throughput(
        finding=words.finding(study, at)
        if least is None
        else words.range_finding(least, study, at),
        warnings=(*(() if least is None else (DIRTY_SHARE_UNKNOWN,)), *study.warnings),
        explain=explain,
        weigh=weigh,
        sentence=words.sentence(clients, study, at, disk_name)
        if least is None
        else words.range_sentence(clients, least, study, at, disk_name),
        close_sentence="" if least is not None else words.close_sentence(study, at),
        study=study,
        least=least,
        at=at,
        best=tuple(
            one if one == two else None
            for one, two in (
                words.leading_ends(other, study, each)
                for each in range(len(study.best))
            )
        ),
        best_at_least=few,
        best_at_most=many,
        contenders=tuple(words.contenders(study, at)) if least is None else (),
        estimator=study.estimator,
        validity=study.validity,
    )
