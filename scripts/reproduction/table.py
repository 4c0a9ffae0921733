"""All experiments: the one table from which outcomes, page, pictures and tests are made."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction import face, fd, kv, sce, today, zhou
from reproduction.frame import Experiment


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, and what holds for all of its experiments."""

    id: str
    short: str
    title: str
    note: str


PAPERS = (
    Paper(
        "kv",
        "Koltsidas and Viglas",
        "Three page-flow schemes: Koltsidas and Viglas",
        kv.NOTE,
    ),
    Paper(
        "fd",
        "On and others (FD-Buffer)",
        "Clean and dirty pages apart: FD-Buffer",
        fd.NOTE,
    ),
    Paper(
        "face",
        "Kang, Lee and Moon (FaCE)",
        "Flash as an extension of the cache: FaCE",
        face.NOTE,
    ),
    Paper("sce", "SCE", "Fragments behind a host: SCE", sce.NOTE),
    Paper(
        "zhou",
        "Zhou, Meng and Liang",
        "Transactions over raw flash: Zhou, Meng and Liang",
        zhou.NOTE,
    ),
    Paper("today", "Of today", "Of today", today.NOTE),
)
EXPERIMENTS: tuple[Experiment, ...] = (
    *kv.EXPERIMENTS,
    *fd.EXPERIMENTS,
    *face.EXPERIMENTS,
    *sce.EXPERIMENTS,
    *zhou.EXPERIMENTS,
    *today.EXPERIMENTS,
)
